//! The worlds without a table, as a table.
//!
//! The facts are those of the world's own file in the library, where tests hold them.

use std::sync::Arc;

use tucrl::error::WorldError;
use tucrl::mdp::Mdp;
use tucrl::worlds::{BreakoutGame, CartPole, Junk, JunkKind, Queues, Warehouse};

use super::paper_worlds::PROBABILITY;
use super::{LoadError, World, WorldEntry, generator};
use crate::names::Accepts::{Integer, Number, OneOf, Spec};
use crate::names::{Arguments, Parameter};

/// Never asked: these worlds are generated.
fn no_table(_: &Arguments) -> Result<Mdp, WorldError> {
    let reason = "it has no table".into();
    Err(WorldError::Space { world: "a world without a table", reason })
}

/// A key that accepts integers.
const fn size(
    key: &'static str,
    default: &'static str,
    accepts: &'static str,
    meaning: &'static str,
) -> Parameter {
    Parameter { key, aliases: &[], default, accepts: Integer(accepts), meaning }
}

pub(super) const TABLE: &[WorldEntry] = &[
    WorldEntry {
        name: BreakoutGame::NAME,
        summary: "a little Breakout: bricks, ball, paddle, lives",
        states: 18_790_481_920,
        actions: 3,
        parameters: &[
            size(
                "rows",
                "5",
                "a positive integer, with rows * columns at most 40",
                "rows of bricks",
            ),
            size("columns", "5", "an integer of at least 2", "columns of the field"),
            size(
                "width",
                "2",
                "at least 1 and less than columns",
                "columns that the paddle covers",
            ),
            size("lives", "1", "1 to 100", "balls a game"),
            size("gap", "2", "1 to 100", "free rows between bricks and paddle"),
        ],
        facts: &[
            "Every brick pays 1; only where a new ball starts is random.",
            "Rule of thumb: return the ball to where it breaks most bricks, or let it go.",
            "By default 8260 of 18790481920 states are reachable; they communicate; gain",
            "0.2660550459, span 5.33027523; random play earns 0.16, the rule of thumb 0.18.",
            "lives=3,rows=4,gap=3: 1477072 of 1761607680 states are reachable.",
        ],
        example: "breakout-game:rows=3,columns=4",
        build: no_table,
        generate: Some(|given| {
            let game = BreakoutGame {
                rows: given.integer("rows"),
                columns: given.integer("columns"),
                width: given.integer("width"),
                lives: given.integer("lives"),
                gap: given.integer("gap"),
            };
            Ok(Some(Arc::new(game.generator().map_err(LoadError::World)?)))
        }),
    },
    WorldEntry {
        name: CartPole::NAME,
        summary: "a pole on a cart, cut into cells",
        states: 6561,
        actions: 2,
        parameters: &[
            size("nx", "9", "an odd integer in 3..=10001", "cells of the position"),
            size("nv", "9", "an odd integer in 3..=10001", "cells of the speed"),
            size("na", "9", "an odd integer in 3..=10001", "cells of the angle"),
            size("nw", "9", "an odd integer in 3..=10001", "cells of the angular speed"),
            size("points", "2", "1 to 10", "a cell stands for this many points, to the 4th power"),
            size("frames", "4", "1 to 1000", "how many time steps of 0.02 an action is held"),
        ],
        facts: &[
            "A step pays 1; when the pole falls it pays nothing and the cart starts anew.",
            "Rule of thumb: push to the side to which the pole will lean a moment later.",
            "By default 4509 of 6561 states are reachable; gain 0.98072092, span 1.0854212.",
        ],
        example: "cart-pole:nx=5,nv=7",
        build: no_table,
        generate: Some(|given| {
            let cells = ["nx", "nv", "na", "nw"].map(|key| given.integer(key));
            let (points, frames) = (given.integer("points"), given.integer("frames"));
            let cart = CartPole { cells, points, frames };
            Ok(Some(Arc::new(cart.generator().map_err(LoadError::World)?)))
        }),
    },
    WorldEntry {
        name: Queues::NAME,
        summary: "queues in a row and one clerk; some never fill",
        states: 10_000,
        actions: 4,
        parameters: &[
            size("queues", "4", "1 to 60", "how many queues"),
            size("capacity", "9", "an integer in 1..=1000000", "customers each has room for"),
            size("pool", "9", "an integer in 1..=1000000", "customers the shop has room for"),
            Parameter {
                key: "arrival",
                aliases: &[],
                default: "0.1",
                accepts: Number(PROBABILITY),
                meaning: "the probability that a customer comes",
            },
            Parameter {
                key: "service",
                aliases: &[],
                default: "0.6",
                accepts: Number("a number in [0, 1], with arrival at most 1 in all"),
                meaning: "the probability that the clerk finishes one",
            },
        ],
        facts: &[
            "A step pays 1 - customers/pool. There are (capacity + 1)^queues states;",
            "reachable are those with at most pool customers, and they communicate.",
            "Rule of thumb: serve the last queue that is not empty.",
            "By default 715 of 10000 states are reachable; gain 0.8402755886.",
            "queues=9,capacity=99,pool=6: 5005 of 10^18 states are reachable.",
        ],
        example: "queues:queues=3,capacity=4",
        build: no_table,
        generate: Some(|given| {
            let shop = Queues {
                queues: given.integer("queues"),
                capacity: given.integer("capacity"),
                pool: given.integer("pool"),
                arrival: given.number("arrival"),
                service: given.number("service"),
            };
            Ok(Some(Arc::new(shop.generator().map_err(LoadError::World)?)))
        }),
    },
    WorldEntry {
        name: Warehouse::NAME,
        summary: "robots among shelves; collisions never happen",
        states: 1800,
        actions: 5,
        parameters: &[
            size("rows", "3", "an integer in 2..=1000", "rows of cells"),
            size("columns", "5", "an odd integer in 3..=999", "columns, every other with shelves"),
            size(
                "robots",
                "2",
                "at least 1, and fewer than there are free cells",
                "how many robots",
            ),
            Parameter {
                key: "slip",
                aliases: &[],
                default: "0.1",
                accepts: Number(PROBABILITY),
                meaning: "the probability that a move fails",
            },
        ],
        facts: &[
            "Every load brought from the upper left to the lower right pays 1.",
            "Rule of thumb: drive round the outside, all in one direction.",
            "By default 1060 of 1800 states are reachable; gain 0.0744413538.",
        ],
        example: "warehouse:robots=1",
        build: no_table,
        generate: Some(|given| {
            let house = Warehouse {
                rows: given.size("rows"),
                columns: given.size("columns"),
                robots: given.size("robots"),
                slip: given.number("slip"),
            };
            Ok(Some(Arc::new(house.generator().map_err(LoadError::World)?)))
        }),
    },
    WorldEntry {
        name: Junk::NAME,
        summary: "any world among states that cannot be reached",
        states: 3_000_000,
        actions: 2,
        parameters: &[
            Parameter {
                key: "base",
                aliases: &["world"],
                default: "three-state:delta=0",
                accepts: Spec("a world, in parentheses if it has keys"),
                meaning: "the world that is multiplied",
            },
            Parameter {
                key: "factor",
                aliases: &[],
                default: "1000000",
                accepts: Integer("a positive integer, with at most 2^63 states in all"),
                meaning: "how many times as many states there are",
            },
            Parameter {
                key: "kind",
                aliases: &[],
                default: "islands",
                accepts: OneOf(&["islands", "transient", "chain"]),
                meaning: "what junk states do: stay where they are, lead down into the world, or form a \
                      ring of their own",
            },
        ],
        facts: &[
            "The gain from the start, the reachable states and their diameter are those of",
            "the base; with a factor above 1 the diameter of all is infinite.",
            "transient: weakly communicating if the base is; islands, chain: multichain.",
            "Junk pays the largest reward, to nobody.",
        ],
        example: "junk:base=(taxi:map=v3),factor=1e9",
        build: no_table,
        generate: Some(|given| {
            let base = generator(&World::parse(&given.spec("base"))?)?;
            let kind = match given.word("kind") {
                "transient" => JunkKind::Transient,
                "chain" => JunkKind::Chain,
                _ => JunkKind::Islands,
            };
            let junk = Junk::new(base, given.integer("factor"), kind).map_err(LoadError::World)?;
            Ok(Some(Arc::new(junk)))
        }),
    },
];

//! The worlds without a table, as a table.
//!
//! The facts are those of the world's own file in the library, where tests hold them.

use std::sync::Arc;

use tucrl::error::WorldError;
use tucrl::mdp::Mdp;
use tucrl::worlds::{BreakoutGame, Junk, JunkKind};

use super::{LoadError, World, WorldEntry, generator};
use crate::names::Accepts::{Integer, OneOf, Spec};
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
            "Rule of thumb: keep the paddle's middle below the ball.",
            "FACTS",
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

//! The paper's worlds, as a table.
//!
//! The facts are those of the world's own file in the library, where tests hold them.

use tucrl::worlds::{
    Breakout, MountainCar, Taxi, TaxiJunk, TaxiMap, Theta, ThreeState, ThreeStateRewards, TwoState,
};

use super::WorldEntry;
use crate::names::Accepts::{Integer, Number, OneOf};
use crate::names::{FLAG, Parameter};

pub(super) const PROBABILITY: &str = "a number in [0, 1]";

pub(super) const TABLE: &[WorldEntry] = &[
    WorldEntry {
        name: ThreeState::NAME,
        summary: "three states, one hard or impossible to reach",
        states: 3,
        actions: 2,
        parameters: &[
            Parameter {
                key: "delta",
                aliases: &[],
                default: "0.005",
                accepts: Number("a number in [0, 1)"),
                meaning: "the probability of slipping to s1; at 0 it is out of reach",
            },
            Parameter {
                key: "rewards",
                aliases: &[],
                default: "uniform",
                accepts: OneOf(&["uniform", "bernoulli", "mean"]),
                meaning: "how rewards scatter around their means",
            },
        ],
        facts: &[
            "The gain is 2/3: stay in s2.",
            "The span is 1/(1 - delta).",
            "delta > 0: communicating, D = max(1/delta, 2/(1 - delta)).",
            "delta = 0: weakly communicating; s0 and s2 are reachable, their diameter is 1",
            "and their span 2/3; leaving s2 earns 1/3.",
        ],
        example: "three-state:delta=0",
        generate: None,
        build: |given| {
            let rewards = match given.word("rewards") {
                "bernoulli" => ThreeStateRewards::Bernoulli,
                "mean" => ThreeStateRewards::Mean,
                _ => ThreeStateRewards::Uniform,
            };
            ThreeState { delta: given.number("delta"), rewards }.build()
        },
    },
    WorldEntry {
        name: Taxi::NAME,
        summary: "Dietterich's taxi; 100 of 500 states never happen",
        states: 500,
        actions: 6,
        parameters: &[
            Parameter {
                key: "map",
                aliases: &[],
                default: "2018",
                accepts: OneOf(&["2018", "v3"]),
                meaning: "the walls: Gym's in the year of the paper, or those of Taxi-v3",
            },
            Parameter {
                key: "junk",
                aliases: &[],
                default: "true",
                accepts: OneOf(&["true", "false", "self-loop"]),
                meaning: "keep the 100 states that never happen, remove them, or let each \
                          loop on itself",
            },
        ],
        facts: &[
            "The gain is 0.3 + 210/3761 on map 2018 and 0.3 + 210/3921 on map v3.",
            "The mean optimal trip takes 3761/300 and 3921/300 steps.",
            "The span over reachable states is 0.94921563 and 0.91048202.",
            "400 states are reachable; their diameter is 72.0667 and 74.1067.",
            "A delivery has 300 possible next states.",
            "Strictly multichain: end components of 400, 25, 25, 25, 25 states, because one",
            "can drive around among junk for ever; the optimal gain is the same everywhere.",
        ],
        example: "taxi:map=v3,junk=false",
        generate: None,
        build: |given| {
            let map = if given.word("map") == "v3" { TaxiMap::V3 } else { TaxiMap::Map2018 };
            let junk = match given.word("junk") {
                "false" => TaxiJunk::Removed,
                "self-loop" => TaxiJunk::SelfLoop,
                _ => TaxiJunk::Present,
            };
            Taxi { map, junk }.build()
        },
    },
    WorldEntry {
        name: TwoState::NAME,
        summary: "M_epsilon: why no learner has logarithmic regret",
        states: 2,
        actions: 2,
        parameters: &[
            Parameter {
                key: "epsilon",
                aliases: &["eps"],
                default: "0",
                accepts: Number(PROBABILITY),
                meaning: "the probability that b leads from x to y",
            },
            Parameter {
                key: "loop",
                aliases: &["keep_loop_at_zero"],
                default: "false",
                accepts: FLAG,
                meaning: "whether b stays in y also when epsilon is 0",
            },
        ],
        facts: &[
            "epsilon > 0: the gain is 1, and D and the span are 1/epsilon.",
            "epsilon = 0: the gain is 1/2, y is out of reach and D infinite; the span over",
            "both states is 1/2 and the regret is exactly half the number of times b is",
            "played in x. With loop=true this world is multichain.",
        ],
        example: "two-state:epsilon=0.01",
        generate: None,
        build: |given| {
            let keep_loop_at_zero = given.word("loop") == "true";
            TwoState { epsilon: given.number("epsilon"), keep_loop_at_zero }.build()
        },
    },
    WorldEntry {
        name: Theta::NAME,
        summary: "M_theta: two states without choice, any span",
        states: 2,
        actions: 1,
        parameters: &[
            Parameter {
                key: "theta",
                aliases: &[],
                default: "0.1",
                accepts: Number(PROBABILITY),
                meaning: "the probability of changing sides, in both directions",
            },
            Parameter {
                key: "theta_x",
                aliases: &[],
                default: "theta",
                accepts: Number(PROBABILITY),
                meaning: "the probability of going from x to y",
            },
            Parameter {
                key: "theta_y",
                aliases: &[],
                default: "theta",
                accepts: Number(PROBABILITY),
                meaning: "the probability of going from y to x",
            },
        ],
        facts: &[
            "The gain is theta_x/(theta_x + theta_y), the span 1/(theta_x + theta_y).",
            "D = max(1/theta_x, 1/theta_y).",
            "theta = 0: multichain, gain 0 from x and 1 from y. theta = 1: periodic.",
        ],
        example: "theta:theta=0.001",
        generate: None,
        build: |given| {
            let (theta_x, theta_y) = (given.number("theta_x"), given.number("theta_y"));
            Theta { theta_x, theta_y }.build()
        },
    },
    WorldEntry {
        name: MountainCar::NAME,
        summary: "Mountain Car in cells; physics rules some out",
        states: 420,
        actions: 3,
        parameters: &[
            Parameter {
                key: "nx",
                aliases: &["positions"],
                default: "20",
                accepts: Integer("an integer of at least 2"),
                meaning: "how many cells the position is cut into",
            },
            Parameter {
                key: "nv",
                aliases: &["velocities"],
                default: "21",
                accepts: Integer("an odd integer of at least 3"),
                meaning: "how many cells the velocity is cut into",
            },
            Parameter {
                key: "points",
                aliases: &["points_per_side"],
                default: "10",
                accepts: Integer("an integer in 1..=1000"),
                meaning: "a cell stands for this many points, squared",
            },
            Parameter {
                key: "frames",
                aliases: &[],
                default: "5",
                accepts: Integer("an integer in 1..=1000"),
                meaning: "how many frames an action is held",
            },
        ],
        facts: &[
            "By default: 371 of 420 states are reachable, weakly communicating,",
            "gain 0.0436560076, span 1.00613929, at most 8 next states,",
            "diameter of the reachable part 413170.17.",
        ],
        example: "mountain-car:nx=30,nv=31",
        generate: None,
        build: |given| {
            MountainCar {
                positions: given.size("nx"),
                velocities: given.size("nv"),
                points_per_side: given.size("points"),
                frames: given.size("frames"),
            }
            .build()
        },
    },
    WorldEntry {
        name: Breakout::NAME,
        summary: "a small Breakout; walls with holes never happen",
        states: 192,
        actions: 3,
        parameters: &[
            Parameter {
                key: "w",
                aliases: &["width"],
                default: "3",
                accepts: Integer("a positive integer"),
                meaning: "columns of the wall",
            },
            Parameter {
                key: "h",
                aliases: &["height"],
                default: "2",
                accepts: Integer("a positive integer"),
                meaning: "rows of the wall",
            },
            Parameter {
                key: "q",
                aliases: &["slip"],
                default: "0.1",
                accepts: Number(PROBABILITY),
                meaning: "the probability that the ball leaves the paddle's column",
            },
        ],
        facts: &[
            "There are w 2^(w h) states; always weakly communicating.",
            "w, h, q      states  reachable  gain          span        diameter",
            "2, 2, 0          32         12  0.75          0.5         5",
            "2, 2, 0.1        32         16  0.7370544090  0.53564728  83.35802632",
            "3, 2, 0         192         42  0.75          1.5         8",
            "3, 2, 0.1       192         74  0.7266559737  1.35422865  1709.852967",
            "3, 3, 0.1      1536        183  0.6493689865  1.55197230",
            "4, 2, 0.1      1024        292  0.7216734486  1.55312325",
            "Span and diameter are those of the reachable part.",
        ],
        example: "breakout:w=4,q=0",
        generate: None,
        build: |given| {
            let (width, height) = (given.size("w"), given.size("h"));
            Breakout { width, height, slip: given.number("q") }.build()
        },
    },
];

//! Classics of exploration, as a table.
//!
//! The facts are those of the world's own file in the library, where tests hold them.

use tucrl::worlds::{
    Chain, CliffWalking, DeepSea, FourRooms, FrozenLake, FrozenLakeMap, Garnet, RiverSwim, SixArms,
};

use super::WorldEntry;
use super::paper_worlds::PROBABILITY;
use crate::names::Accepts::{Integer, Number, OneOf};
use crate::names::{FLAG, Parameter};

pub(super) const TABLE: &[WorldEntry] = &[
    WorldEntry {
        name: RiverSwim::NAME,
        summary: "swim against the stream for the large reward",
        states: 6,
        actions: 2,
        parameters: &[Parameter {
            key: "n",
            aliases: &["length"],
            default: "6",
            accepts: Integer("an integer between 2 and 2^26"),
            meaning: "how many cells",
        }],
        facts: &[
            "Communicating; every state is reachable, at most 3 next states.",
            "n = 6: gain 0.42862243 (always swim right), D = 14.7223.",
        ],
        example: "river-swim:n=12",
        generate: None,
        build: |given| RiverSwim { length: given.size("n") }.build(),
    },
    WorldEntry {
        name: SixArms::NAME,
        summary: "the rarer an arm opens, the more it pays",
        states: 7,
        actions: 6,
        parameters: &[],
        facts: &["Communicating; the gain is 1 (stay in the last arm), D and the span are 101."],
        example: "six-arms",
        generate: None,
        build: |_| SixArms.build(),
    },
    WorldEntry {
        name: FourRooms::NAME,
        summary: "a way through doors from corner to corner",
        states: 104,
        actions: 4,
        parameters: &[Parameter {
            key: "slip",
            aliases: &[],
            default: "1/3",
            accepts: Number(PROBABILITY),
            meaning: "the probability that a move goes in another direction",
        }],
        facts: &[
            "Communicating; the span is 1 minus the gain.",
            "slip = 0: gain 1/21. slip = 1/3: gain 0.0265737034.",
        ],
        example: "four-rooms:slip=0",
        generate: None,
        build: |given| FourRooms { slip: given.number("slip") }.build(),
    },
    WorldEntry {
        name: FrozenLake::NAME,
        summary: "cross ice with holes; falling restarts",
        states: 16,
        actions: 4,
        parameters: &[
            Parameter {
                key: "map",
                aliases: &[],
                default: "4x4",
                accepts: OneOf(&["4x4", "8x8"]),
                meaning: "which of Gymnasium's lakes",
            },
            Parameter {
                key: "slippery",
                aliases: &[],
                default: "true",
                accepts: FLAG,
                meaning: "whether moves may go astray",
            },
        ],
        facts: &[
            "Holes and the goal are never occupied: weakly communicating.",
            "4x4: 11 of 16 reachable; dry: gain 1/6, span 5/6;",
            "slippery: gain 11/612, span 25/34 (over reachable states).",
            "8x8: 53 of 64 reachable; dry: gain 1/14, span 13/14;",
            "slippery: gain 0.0106141438, span 0.8506488071.",
        ],
        example: "frozen-lake:map=8x8,slippery=false",
        generate: None,
        build: |given| {
            let map = match given.word("map") {
                "8x8" => FrozenLakeMap::Map8x8,
                _ => FrozenLakeMap::Map4x4,
            };
            FrozenLake { map, slippery: given.word("slippery") == "true" }.build()
        },
    },
    WorldEntry {
        name: CliffWalking::NAME,
        summary: "a short way along an edge; falling restarts",
        states: 48,
        actions: 4,
        parameters: &[Parameter {
            key: "goal",
            aliases: &[],
            default: "0",
            accepts: Number("a number in [-1, 0]"),
            meaning: "what entering the goal earns before scaling; the book has -1",
        }],
        facts: &[
            "37 of 48 states are reachable, their diameter is 14.",
            "The gain is 0.99 + (goal + 1)/1300.",
        ],
        example: "cliff-walking:goal=-1",
        generate: None,
        build: |given| CliffWalking { goal: given.number("goal") }.build(),
    },
    WorldEntry {
        name: Garnet::NAME,
        summary: "random and sparse; a seed means the same for ever",
        states: 100,
        actions: 4,
        parameters: &[
            Parameter {
                key: "s",
                aliases: &["states"],
                default: "100",
                accepts: Integer("an integer between 1 and 2^26"),
                meaning: "how many states",
            },
            Parameter {
                key: "a",
                aliases: &["actions"],
                default: "4",
                accepts: Integer("a positive integer with s * a * b at most 2^28"),
                meaning: "how many actions each state has",
            },
            Parameter {
                key: "b",
                aliases: &["branching"],
                default: "5",
                accepts: Integer("an integer between 1 and the number of states"),
                meaning: "how many next states each action has",
            },
            Parameter {
                key: "seed",
                aliases: &[],
                default: "0",
                accepts: Integer("an integer between 0 and 2^64 - 1"),
                meaning: "which world of this shape",
            },
        ],
        facts: &[
            "Every action has exactly b possible next states.",
            "Whether all states are reachable is up to the seed; by default they are.",
        ],
        example: "garnet:s=1e5,seed=7",
        generate: None,
        build: |given| {
            Garnet {
                states: given.size("s"),
                actions: given.size("a"),
                branching: given.size("b"),
                seed: given.integer("seed"),
            }
            .build()
        },
    },
    WorldEntry {
        name: Chain::NAME,
        summary: "small rewards now or a large one at the end",
        states: 5,
        actions: 2,
        parameters: &[
            Parameter {
                key: "n",
                aliases: &["length"],
                default: "5",
                accepts: Integer("an integer between 2 and 2^26"),
                meaning: "how many states",
            },
            Parameter {
                key: "slip",
                aliases: &[],
                default: "0.2",
                accepts: Number(PROBABILITY),
                meaning: "the probability that an action has the other's effect",
            },
        ],
        facts: &[
            "Always forward earns (1 - slip)^n + 0.2 slip: 0.36768 by default, where it is",
            "optimal. The time forward to the last state is ((1 - slip)^(1 - n) - 1)/slip:",
            "7.207 by default, where it is D.",
        ],
        example: "chain:n=10,slip=0.1",
        generate: None,
        build: |given| Chain { length: given.size("n"), slip: given.number("slip") }.build(),
    },
    WorldEntry {
        name: DeepSea::NAME,
        summary: "one treasure at the end of a single path",
        states: 100,
        actions: 2,
        parameters: &[Parameter {
            key: "n",
            aliases: &["size"],
            default: "10",
            accepts: Integer("an integer between 1 and 8192"),
            meaning: "how many rows and columns",
        }],
        facts: &[
            "The gain is 1/n: always right.",
            "n(n + 1)/2 of n^2 states are reachable; over them the diameter is 2n - 2",
            "and the span 1.99(n - 1)/n.",
        ],
        example: "deep-sea:n=20",
        generate: None,
        build: |given| DeepSea { size: given.size("n") }.build(),
    },
];

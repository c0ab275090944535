//! The worlds without a table, as a table.
//!
//! The facts are those of the world's own file in the library, where tests hold them.

use std::sync::Arc;

use tucrl::error::WorldError;
use tucrl::mdp::Mdp;
use tucrl::worlds::{Junk, JunkKind};

use super::{LoadError, World, WorldEntry, generator};
use crate::names::Accepts::{Integer, OneOf, Spec};
use crate::names::{Arguments, Parameter};

/// Never asked: these worlds are generated.
fn no_table(_: &Arguments) -> Result<Mdp, WorldError> {
    let reason = "it has no table".into();
    Err(WorldError::Space { world: "a world without a table", reason })
}

pub(super) const TABLE: &[WorldEntry] = &[WorldEntry {
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
}];

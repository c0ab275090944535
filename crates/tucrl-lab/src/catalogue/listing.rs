//! What do lists, help and documents say about a world or an agent?
//!
//! The names of the fields are the keys of `tucrl agents --json` and `tucrl worlds --json` and do not change.

use serde::Serialize;
use tucrl::agents::{About, AgentKind};
use tucrl::options::{Described, OptionInfo};
use tucrl::worlds::WorldKind;

use crate::names::shown;

/// One option.
#[derive(Debug, Clone, Serialize)]
pub struct OptionListing {
    /// The key.
    pub key: String,
    /// Other spellings of the key.
    pub aliases: Vec<String>,
    /// The value when the key is absent; empty if a value is required.
    pub default: String,
    /// What may stand after the equals sign.
    pub accepts: String,
    /// What it means.
    pub meaning: String,
}

impl OptionListing {
    fn all(options: &Described) -> Vec<Self> {
        let listing = |option: &OptionInfo| Self {
            key: option.key.clone(),
            aliases: option.aliases.clone(),
            default: match option.is_required {
                true => String::new(),
                false => shown(&option.default, false),
            },
            accepts: option.accepts.to_string(),
            meaning: option.help.clone(),
        };
        options.list().iter().map(listing).collect()
    }
}

/// One agent.
#[derive(Debug, Clone, Serialize)]
pub struct AgentListing {
    /// Its name and what is known about it.
    #[serde(flatten)]
    pub about: About,
    /// The spec of a world in which its example runs.
    pub example_world: &'static str,
    /// The options that it accepts.
    pub parameters: Vec<OptionListing>,
}

impl From<&AgentKind> for AgentListing {
    fn from(kind: &AgentKind) -> Self {
        let (about, parameters) = (*kind.about(), OptionListing::all(kind.options()));
        Self { about, example_world: kind.example_world(), parameters }
    }
}

/// One world.
#[derive(Debug, Clone, Serialize)]
pub struct WorldListing {
    /// The name in specs.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// How many states it has by default, nominally.
    pub states: u64,
    /// The largest number of actions that a state has by default.
    pub actions: usize,
    /// The options that it accepts.
    pub parameters: Vec<OptionListing>,
    /// Closed forms and numbers, a line each.
    pub facts: &'static [&'static str],
    /// A spec to try.
    pub example: &'static str,
}

impl From<&WorldKind> for WorldListing {
    fn from(kind: &WorldKind) -> Self {
        let about = kind.about();
        Self {
            name: about.name,
            summary: about.summary,
            states: about.states,
            actions: about.actions,
            parameters: OptionListing::all(kind.options()),
            facts: about.facts,
            example: about.example,
        }
    }
}

//! Which worlds and agents can be named?
//!
//! Those of the library, and those that a program adds ([`Catalogue::with`]).

mod agent;
mod data;
mod listing;
mod world;

use std::sync::{Arc, LazyLock};

use serde_json::Value;
use thiserror::Error;
use tucrl::agents::{self, AgentKind};
use tucrl::worlds::{self, WorldKind};

pub use agent::NamedAgent;
pub use listing::{AgentListing, OptionListing, WorldListing};
pub use world::{LoadError, World};

use crate::names::{Spec, SpecError, label_and_spec};
use crate::text::printable;

/// Agent, option and, as JSON, the default that the option had in earlier versions and that it has no more.
const FORMER_DEFAULTS: [(&str, &str, &str); 5] = [
    ("scal", "c", "\"inf\""),
    ("regal-c", "h", "\"inf\""),
    ("scal-plus", "c", "1.0"),
    ("ucrl", "warm_start", "false"),
    ("tucrl-plus", "warm_start", "false"),
];

/// The worlds and agents that can be named.
#[derive(Debug, Clone)]
pub struct Catalogue {
    kinds: Arc<Kinds>,
}

#[derive(Debug)]
struct Kinds {
    agents: Vec<AgentKind>,
    worlds: Vec<WorldKind>,
}

/// A name that is given twice.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("there are two {what}s called `{name}`: give yours another name")]
pub struct NameTaken {
    what: &'static str,
    name: String,
}

/// Those of the library.
impl Default for Catalogue {
    fn default() -> Self {
        static LIBRARY: LazyLock<Catalogue> = LazyLock::new(|| {
            let (agents, worlds) = (agents::kinds().to_vec(), worlds::kinds().to_vec());
            Catalogue { kinds: Arc::new(Kinds { agents, worlds }) }
        });
        LIBRARY.clone()
    }
}

impl Catalogue {
    /// Those of the library and more.
    ///
    /// # Errors
    /// When a name is taken.
    pub fn with(
        agents: impl IntoIterator<Item = AgentKind>,
        worlds: impl IntoIterator<Item = WorldKind>,
    ) -> Result<Self, NameTaken> {
        let library = Self::default();
        let mut kinds =
            Kinds { agents: library.agents().to_vec(), worlds: library.worlds().to_vec() };
        for agent in agents {
            let about = agent.about();
            let names = std::iter::once(&about.name).chain(about.aliases);
            for name in names {
                if kinds.agents.iter().any(|known| answers(known, name)) {
                    return Err(NameTaken { what: "agent", name: (*name).into() });
                }
            }
            kinds.agents.push(agent);
        }
        for world in worlds {
            let name = world.about().name;
            if kinds.worlds.iter().any(|known| known.about().name == name) {
                return Err(NameTaken { what: "world", name: name.into() });
            }
            kinds.worlds.push(world);
        }
        Ok(Self { kinds: Arc::new(kinds) })
    }

    /// The same with the agents and defaults of earlier versions, which stored experiments may rely on. Agents that are gone can be
    /// named and not started.
    #[must_use]
    pub fn former(&self) -> Self {
        let former =
            |kind: &AgentKind| match FORMER_DEFAULTS.iter().find(|f| f.0 == kind.about().name) {
                Some(&(_, key, value)) => {
                    let value = serde_json::from_str(value).unwrap_or(Value::Null);
                    kind.clone().with(|options| options.default(key, value))
                }
                None => kind.clone(),
            };
        let retired = agents::retired().iter();
        let retired = retired
            .filter(|gone| !self.agents().iter().any(|kind| answers(kind, gone.about().name)));
        let agents = self.agents().iter().chain(retired).map(former).collect();
        let worlds = self.worlds().to_vec();
        Self { kinds: Arc::new(Kinds { agents, worlds }) }
    }

    /// All agents, those of the library first.
    pub fn agents(&self) -> &[AgentKind] {
        &self.kinds.agents
    }

    /// All worlds, those of the paper first.
    pub fn worlds(&self) -> &[WorldKind] {
        &self.kinds.worlds
    }

    /// The agent that a text names.
    ///
    /// # Errors
    /// When the name or a key is unknown, or a value is not accepted.
    pub fn agent(&self, text: &str) -> Result<NamedAgent, SpecError> {
        NamedAgent::find(self, text)
    }

    /// The agent that a text names, with the label that may stand before it: `mine=tucrl:alpha=0.05`.
    ///
    /// # Errors
    /// Those of [`Catalogue::agent`], and when the label is empty, long, or more than one line.
    pub fn labelled_agent(&self, text: &str) -> Result<NamedAgent, SpecError> {
        let (label, spec) = label_and_spec(text)?;
        let agent = self.agent(spec)?;
        // A label stands in tables, where it must not turn its surroundings around.
        Ok(label.map(printable).into_iter().fold(agent, NamedAgent::labelled))
    }

    /// The world that a text names, without building it.
    ///
    /// # Errors
    /// When the text is neither a spec of a known world nor looks like a file.
    pub fn world(&self, text: &str) -> Result<World, SpecError> {
        World::find(self, text)
    }

    /// The kind of agent that a spec names.
    ///
    /// # Errors
    /// When there is none; with the name that was probably meant.
    pub fn agent_kind(&self, spec: &Spec) -> Result<&AgentKind, SpecError> {
        let spellings = || {
            self.agents().iter().flat_map(|kind| {
                let about = kind.about();
                std::iter::once(about.name).chain(about.aliases.iter().copied())
            })
        };
        let named = |kind: &&AgentKind| answers(kind, spec.name());
        match (self.agents().iter().find(named), agents::retired().iter().find(named)) {
            (Some(kind), _) => Ok(kind),
            (None, Some(gone)) => Err(spec.retired("agent", gone.about().caution)),
            (None, None) => Err(spec.unknown_name("agent", spellings())),
        }
    }

    /// The kind of world that a spec names.
    ///
    /// # Errors
    /// When there is none; with the name that was probably meant.
    pub fn world_kind(&self, spec: &Spec) -> Result<&WorldKind, SpecError> {
        let names = || self.worlds().iter().map(|kind| kind.about().name);
        let found = self.worlds().iter().find(|kind| kind.about().name == spec.name());
        found.ok_or_else(|| spec.unknown_name("world", names()))
    }
}

fn answers(kind: &AgentKind, name: &str) -> bool {
    kind.about().name == name || kind.about().aliases.contains(&name)
}

#[cfg(test)]
mod tests;

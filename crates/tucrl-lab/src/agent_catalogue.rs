//! Which agents can be named, and which algorithm does a text name?
//!
//! A table with one entry per algorithm of the library: its name, its keys, what it must be told in
//! advance, what is proved about it, what it costs, and how to build it; lists, help and
//! `docs/agents.md` come from this table. The grammar is that of worlds, `name:key=value,key=value`.
//!
//! Reads `names` and the agents of the library; feeds the commands.

mod baseline_table;
mod keys;
mod later_table;
mod posterior_table;
mod regal_table;
mod table;

use std::fmt;

use serde::Serialize;
use thiserror::Error;
use tucrl::agents::{AgentError, Algorithm};
use tucrl::space::Space;

use crate::names::{Arguments, Parameter, Spec, SpecError};

/// What is known about one agent of the library.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct AgentEntry {
    /// The name in specs.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// The agent in a line.
    pub summary: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// The idea in five sentences.
    pub idea: &'static str,
    /// What it must be told in advance.
    pub needs: &'static str,
    /// What is proved about it.
    pub guarantee: &'static str,
    /// What a plan costs.
    pub cost: &'static str,
    /// When not to use it.
    pub caution: &'static str,
    /// The keys that it accepts.
    pub parameters: &'static [Parameter],
    /// A spec to try.
    pub example: &'static str,
    #[serde(skip)]
    build: fn(&Arguments, &Context<'_>) -> Result<Algorithm, AgentError>,
}

/// What an agent's defaults may depend on.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// The space that will be learned.
    pub space: &'a Space,
    /// The largest possible reward of the world.
    pub r_max: f64,
    /// How many steps will be taken.
    pub steps: u64,
}

/// Every agent of the library: optimists, posterior sampling, then baselines.
pub fn agents() -> impl Iterator<Item = &'static AgentEntry> {
    let optimists = table::TABLE.iter().chain(regal_table::TABLE).chain(later_table::TABLE);
    optimists.chain(posterior_table::TABLE).chain(baseline_table::TABLE)
}

/// The entry that a spec names.
///
/// # Errors
/// When there is none; with the name that was probably meant.
pub fn entry(spec: &Spec) -> Result<&'static AgentEntry, SpecError> {
    let answers =
        |entry: &AgentEntry| entry.name == spec.name() || entry.aliases.contains(&spec.name());
    let spellings = || agents().flat_map(|e| std::iter::once(&e.name).chain(e.aliases)).copied();
    agents().find(|entry| answers(entry)).ok_or_else(|| spec.unknown_name("agent", spellings()))
}

/// An agent that was named, with its options.
///
/// Displayed, it is the shortest spec.
///
/// ```
/// use tucrl_lab::agent_catalogue::NamedAgent;
/// let agent = NamedAgent::parse("ucrl2b:alpha=0.05,delta=0.05")?;
/// assert_eq!(agent.to_string(), "ucrl:alpha=0.05", "ucrl2b is ucrl, and 0.05 the default delta");
/// # Ok::<(), tucrl_lab::names::SpecError>(())
/// ```
#[derive(Debug, Clone)]
pub struct NamedAgent {
    entry: &'static AgentEntry,
    /// The length of the name as it was written.
    name_len: usize,
    arguments: Arguments,
}

/// Why a named agent could not be had.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NamedAgentError {
    /// A value out of range.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// Anything else that the library refuses.
    #[error(transparent)]
    Agent(AgentError),
}

impl NamedAgent {
    /// Finds out which agent a text names.
    ///
    /// # Errors
    /// When the name or a key is unknown, or a value of the wrong kind.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        let spec = Spec::parse(text)?;
        let entry = entry(&spec)?;
        let arguments = spec.bind(entry.parameters)?;
        Ok(Self { entry, name_len: spec.name().len(), arguments })
    }

    /// What is known about it.
    pub fn entry(&self) -> &'static AgentEntry {
        self.entry
    }

    /// The algorithm with all its options, checked.
    ///
    /// # Errors
    /// When a value is out of range.
    pub fn algorithm(&self, context: &Context<'_>) -> Result<Algorithm, NamedAgentError> {
        let built = (self.entry.build)(&self.arguments, context);
        built.and_then(|algorithm| algorithm.check().map(|()| algorithm)).map_err(|error| {
            match error {
                AgentError::Option { option, value, expected } => {
                    self.arguments.out_of_range(option, &value, expected).into()
                }
                AgentError::Mixture { option, value, reason } => {
                    self.arguments.refused(option, &value, reason).into()
                }
                other => NamedAgentError::Agent(other),
            }
        })
    }
}

impl fmt::Display for NamedAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shortest = self.arguments.to_string();
        write!(f, "{}{}", self.entry.name, &shortest[self.name_len..])
    }
}

#[cfg(test)]
mod tests;

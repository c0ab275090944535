//! Which algorithm does a text name?

use std::fmt;
use std::sync::Arc;

use tucrl::agents::AgentKind;
use tucrl::learner::{AgentError, Algorithm, Setting, Start};
use tucrl::model::Model;
use tucrl::rng::RandomStream;

use super::{Catalogue, data};
use crate::names::{Arguments, Spec, SpecError};

/// An agent that was named: its kind and the algorithm with its options.
///
/// Displayed, it is the shortest spec.
///
/// ```
/// use tucrl_lab::NamedAgent;
/// let agent = NamedAgent::parse("ucrl2b:alpha=0.05,delta=0.05")?;
/// assert_eq!(agent.to_string(), "ucrl:alpha=0.05", "ucrl2b is ucrl, and 0.05 the default delta");
/// # Ok::<(), tucrl_lab::SpecError>(())
/// ```
#[derive(Debug, Clone)]
pub struct NamedAgent {
    kind: AgentKind,
    arguments: Arguments,
    algorithm: Arc<dyn Algorithm>,
    label: Option<String>,
}

impl NamedAgent {
    /// Finds out which agent of the library a text names.
    ///
    /// # Errors
    /// When the name or a key is unknown, or a value is not accepted.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        Catalogue::default().agent(text)
    }

    pub(super) fn find(catalogue: &Catalogue, text: &str) -> Result<Self, SpecError> {
        let spec = Spec::parse(text)?;
        let kind = catalogue.agent_kind(&spec)?.clone();
        let arguments = spec.bind(kind.options())?;
        let given = data::resolved(kind.options(), arguments.given())
            .map_err(|error| arguments.refused(&error))?;
        let algorithm = match kind.make(&given) {
            Ok(algorithm) => algorithm,
            Err(AgentError::Option(error)) => return Err(arguments.refused(&error)),
            Err(other) => return Err(spec.refused(&other)),
        };
        Ok(Self { kind, arguments, algorithm, label: None })
    }

    /// The same under another name in tables and figures.
    #[must_use]
    pub fn labelled(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// What it is called in tables and figures: its shortest spec, unless it has another name.
    pub fn label(&self) -> String {
        self.label.clone().unwrap_or_else(|| self.to_string())
    }

    /// Its kind.
    pub fn kind(&self) -> &AgentKind {
        &self.kind
    }

    /// The algorithm with its options.
    pub fn algorithm(&self) -> &Arc<dyn Algorithm> {
        &self.algorithm
    }

    /// Checks the options against a world.
    ///
    /// # Errors
    /// The first option that is refused.
    pub fn check(&self, setting: &Setting) -> Result<(), SpecError> {
        self.algorithm.check(setting).map_err(|error| self.refused(error))
    }

    /// Checks that a learner can start in a world: what no run could be started with is refused before the first.
    ///
    /// # Errors
    /// When an option is refused, or the world cannot tell what the algorithm must be told, wherever it starts.
    pub fn check_start(&self, setting: &Setting, model: &Model) -> Result<(), SpecError> {
        let mut first = None;
        for state in model.starts() {
            // No step is taken, so the random numbers do not matter.
            let start = Start { setting, state, random: RandomStream::new(0) };
            match self.algorithm.start(start) {
                Ok(_) => return Ok(()),
                Err(error) => first = first.or(Some(error)),
            }
        }
        first.map_or(Ok(()), |error| Err(self.refused(error)))
    }

    fn refused(&self, error: AgentError) -> SpecError {
        match error {
            AgentError::Option(error) => self.arguments.refused(&error),
            other => self.arguments.spec().refused(&other),
        }
    }
}

impl fmt::Display for NamedAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.arguments.shortest(self.kind.about().name))
    }
}

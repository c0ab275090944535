//! What is kept of one run, so that it can be read without running anything?
//!
//! The stored record of one cell of an experiment: which agent in which world with which seed, all
//! options, what is true of the world, and the outcome. Everything in [`StoredRun`] is decided by the
//! spec and the seed, so two runs of one cell give the same bytes; where, when and how fast it was made
//! stands in [`Provenance`] beside it. Reports, figures and comparisons see these records only.
//!
//! Read by `stats`, `plot`, `report`; written by `store`. The paper does not speak of records.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use tucrl::run::{RunRecord, RunSpec};

/// One run as it is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredRun {
    /// The experiment's name.
    pub experiment: String,
    /// The world, as its shortest spec.
    pub world: String,
    /// The agent, as its shortest spec.
    pub agent: String,
    /// What the agent is called in tables and figures; its spec unless the experiment says otherwise.
    pub label: String,
    /// Steps, checkpoints, seeds and the algorithm with all its options.
    pub spec: RunSpec,
    /// What is true of the world.
    pub facts: WorldFacts,
    /// The run, complete or up to its failure.
    pub record: RunRecord,
    /// Why it failed, if it did.
    pub error: Option<String>,
}

/// What is true of the world that was learned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorldFacts {
    /// Nominal number of states.
    pub states: u64,
    /// Largest number of actions.
    pub actions: u64,
    /// States reachable from the start.
    pub reachable: u64,
    /// "communicating", "weakly communicating" or "multichain".
    pub class: String,
    /// Whether the start can be reached back from all of them (the paper's assumption).
    pub start_is_recoverable: bool,
    /// Optimal gain from the start.
    pub gain: f64,
    /// Its certified error.
    pub gain_error: f64,
    /// Span of the optimal bias over all states.
    pub span: f64,
    /// The same over the reachable ones.
    pub span_reachable: f64,
    /// Largest possible reward.
    pub r_max: f64,
    /// What the gain is that regret is measured against.
    #[serde(default, skip_serializing_if = "Against::is_optimal")]
    pub against: Against,
}

impl WorldFacts {
    /// Whether a report shows rewards besides regret: where no optimal gain is known, and in vast worlds.
    pub fn shows_rewards(&self) -> bool {
        !self.against.is_optimal() || self.states > 1_000_000
    }
}

/// What regret is measured against.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Against {
    /// The optimal gain.
    #[default]
    Optimal,
    /// The best policy among those that stay with the states that a search looked at before it was given
    /// up: a certified lower bound on the optimal gain, which may be anything up to the largest reward.
    BestKnown {
        /// How many states were looked at.
        explored: u64,
    },
    /// Nothing: the gain is written as 0, and regret is minus the sum of the rewards.
    Nothing,
}

impl Against {
    /// Whether regret is regret.
    pub fn is_optimal(&self) -> bool {
        *self == Self::Optimal
    }

    /// In words, for tables and figures.
    pub fn in_words(&self) -> String {
        match self {
            Self::Optimal => "the optimal gain".into(),
            Self::BestKnown { explored } => format!(
                "the best known policy, which stays with the {explored} states explored; a lower bound"
            ),
            Self::Nothing => "nothing: no gain is known".into(),
        }
    }
}

/// Where, when and how fast a run was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// The version of this program.
    pub version: String,
    /// The git revision that it was built from, if known.
    pub revision: Option<String>,
    /// Operating system and processor architecture.
    pub machine: String,
    /// The number of processes that worked on it; more than one when it was resumed.
    pub sessions: u32,
    /// Seconds since 1970 when the last one finished.
    pub finished: u64,
    /// Time spent simulating, by all sessions.
    pub simulate_seconds: f64,
    /// Time spent planning, by all sessions.
    pub plan_seconds: f64,
}

impl Provenance {
    /// The git revision that this program was built from, if known.
    pub fn revision() -> Option<String> {
        option_env!("TUCRL_REVISION").map(Into::into)
    }

    /// This program on this machine, now, after so many sessions that took so long together.
    pub fn now(sessions: u32, simulate: Duration, plan: Duration) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").into(),
            revision: Self::revision(),
            machine: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            sessions,
            finished: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
            simulate_seconds: simulate.as_secs_f64(),
            plan_seconds: plan.as_secs_f64(),
        }
    }
}

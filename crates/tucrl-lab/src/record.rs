//! What is kept of one run, so that it can be read without running anything?
//!
//! The stored record of one cell of an experiment: which agent in which world with which seed, all
//! options, world facts, and the outcome. Everything in [`StoredRun`] is decided by the
//! spec and the seed, so two runs of one cell give the same bytes; where, when and how fast it was made
//! is in [`Provenance`] beside it. Reports, figures and comparisons see these records only.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tucrl::run::{RunRecord, RunSpec};
use tucrl::truth::Facts;

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
    /// All options of the agent with their values; null in records of version 1, whose `spec.algorithm` has them in
    /// another form: those of the algorithm that `agent` names.
    #[serde(default)]
    pub options: Value,
    /// Steps, checkpoints and seeds.
    pub spec: RunSpec,
    /// World facts.
    pub facts: Facts,
    /// The run, complete or up to its failure.
    pub record: RunRecord,
    /// Why it failed, if it did.
    pub error: Option<String>,
    /// Where it stands in a sweep of the experiment; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sweep: Option<Sweep>,
    /// Where its curve comes from, if this program did not make the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<Imported>,
}

/// Where a run stands in the sweeps of its experiment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sweep {
    /// The values of the agent's lists.
    pub agent: Option<SweepPoint>,
    /// The values of the world's lists.
    pub world: Option<SweepPoint>,
    /// Whether the run serves only to choose the best values.
    pub is_tuning: bool,
}

/// The values that one entry of an experiment with lists of values stands for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepPoint {
    /// What all entries of the list are called together.
    pub group: String,
    /// The spec without the lists.
    pub base: String,
    /// Keys and values, in the order of the file.
    pub values: Vec<(String, String)>,
}

/// Where a curve comes from that this program did not make.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Imported {
    /// The name of the file that was read.
    pub file: String,
    /// The hash of its content.
    pub blake3: String,
    /// Its lines of values.
    pub rows: u64,
    /// What it gave: `regret`, or `reward` that became regret.
    pub column: String,
    /// What was said about it.
    pub note: Option<String>,
    /// Seconds since 1970 when it was imported.
    pub at: u64,
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

    /// This program on this machine, now; the times are those of all sessions together.
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

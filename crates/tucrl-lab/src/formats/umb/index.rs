//! What does the index of an archive say?
//!
//! Only what an MDP needs; unknown keys are skipped, because a revision of the format may add some. The counts are
//! claims: they are compared with the entries before anything is allocated by them.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use tucrl::reward::RewardRange;

use super::super::law::{Law, Start};

#[derive(Deserialize)]
pub(super) struct Index {
    #[serde(rename = "format-version")]
    pub(super) version: u64,
    #[serde(rename = "transition-system")]
    pub(super) system: System,
    #[serde(default)]
    pub(super) annotations: Annotations,
    #[serde(rename = "file-data", default)]
    pub(super) file: FileData,
}

#[derive(Deserialize)]
pub(super) struct System {
    pub(super) time: String,
    #[serde(rename = "#players")]
    pub(super) players: u64,
    #[serde(rename = "#states")]
    pub(super) states: u64,
    #[serde(rename = "#initial-states")]
    pub(super) initial: u64,
    #[serde(rename = "#choices")]
    pub(super) choices: u64,
    #[serde(rename = "#choice-actions", default)]
    pub(super) actions: u64,
    #[serde(rename = "#branches")]
    pub(super) branches: u64,
    #[serde(rename = "#observations", default)]
    pub(super) observations: u64,
    #[serde(rename = "branch-probability-type")]
    pub(super) probability: Option<Type>,
}

/// Those that are read.
#[derive(Default, Deserialize)]
pub(super) struct Annotations {
    #[serde(default)]
    pub(super) rewards: BTreeMap<String, Annotation>,
}

#[derive(Deserialize)]
pub(super) struct Annotation {
    /// The name that people gave it, where the key is a number.
    pub(super) alias: Option<String>,
    #[serde(rename = "applies-to", default)]
    pub(super) applies_to: Vec<Items>,
    #[serde(rename = "type")]
    pub(super) of: Type,
    #[serde(rename = "probability-type")]
    pub(super) probability: Option<Type>,
}

#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Items {
    States,
    Choices,
    Branches,
}

impl Items {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::States => "states",
            Self::Choices => "choices",
            Self::Branches => "branches",
        }
    }
}

/// The type of the numbers of an entry.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(super) struct Type {
    #[serde(rename = "type")]
    pub(super) kind: Kind,
    /// In bits.
    pub(super) size: Option<u64>,
}

/// The kinds of numbers that are read; intervals are none.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    Double,
    Rational,
    Int,
    Uint,
}

impl Type {
    /// The bytes of a number, or what is wrong with the size.
    pub(super) fn bytes(self) -> Result<usize, String> {
        let (usual, halves) = match self.kind {
            Kind::Rational => (128, 2),
            _ => (64, 1),
        };
        let size = self.size.unwrap_or(usual);
        let is_read = match self.kind {
            Kind::Double => size == usual,
            _ => size > 0 && size <= usual && size.is_multiple_of(8 * halves),
        };
        match is_read {
            true => Ok(size as usize / 8),
            false => Err(format!(
                "numbers of {size} bits of the type {:?} are not read: write double, or at most {usual} bits",
                self.kind
            )),
        }
    }
}

#[derive(Default, Deserialize)]
pub(super) struct FileData {
    pub(super) tool: Option<String>,
    pub(super) parameters: Option<Box<RawValue>>,
}

/// What the arrays cannot say: the `parameters` of a file that tucrl wrote.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Parameters {
    #[serde(rename = "version")]
    pub(super) _version: u64,
    pub(super) r_max: Option<f64>,
    pub(super) reward_range: Option<RewardRange>,
    pub(super) start: Option<Start>,
    pub(super) state_names: Option<Vec<String>>,
    /// Laws of choices whose reward is not constant.
    #[serde(default)]
    pub(super) rewards: Vec<(usize, Law)>,
    /// Laws of choices whose reward is drawn together with the next state, one per branch.
    #[serde(default)]
    pub(super) joint_rewards: Vec<(usize, Vec<Law>)>,
}

/// The version alone: the rest of another one cannot be read.
#[derive(Deserialize)]
pub(super) struct ParametersVersion {
    pub(super) version: u64,
}

//! What may be known of the optimal bias before the first step?
//!
//! Upper bounds on differences of biases. The library reads no files: an option that names one is replaced by its content where
//! specs are read, and refused if it was not.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::projection::{Bound, Region};
use crate::options::OptionError;
use crate::space::{Space, StateId};

/// h*(state) - h*(other) <= most, in units of reward.
pub type Difference = (StateId, StateId, f64);

/// Prior knowledge of the optimal bias.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Prior {
    /// None.
    #[default]
    Nothing,
    /// A state of a larger number has at least the bias of one of a smaller number.
    Monotone,
    /// These bounds.
    Differences(Vec<Difference>),
    /// A file that has not been read.
    File(String),
}

impl Serialize for Prior {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Nothing => serializer.serialize_str("none"),
            Self::Monotone => serializer.serialize_str("monotone"),
            Self::Differences(list) => list.serialize(serializer),
            Self::File(path) => serializer.serialize_str(path),
        }
    }
}

impl<'de> Deserialize<'de> for Prior {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Text(String),
            List(Vec<Difference>),
        }
        Ok(match Written::deserialize(deserializer)? {
            Written::List(list) => Self::Differences(list),
            Written::Text(text) => match text.as_str() {
                "none" => Self::Nothing,
                "monotone" => Self::Monotone,
                _ => Self::File(text),
            },
        })
    }
}

impl JsonSchema for Prior {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Prior".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let nothing = serde_json::json!({ "const": "none", "description": "nothing is known" });
        let about = "the bias grows with the number of the state";
        let monotone = serde_json::json!({ "const": "monotone", "description": about });
        schemars::json_schema!({ "x-data": true, "oneOf": [nothing, monotone] })
    }
}

impl Prior {
    /// Refuses a file that was not read, states outside the space, and bounds that no bias satisfies.
    pub(super) fn check(&self, space: &Space) -> Result<(), OptionError> {
        let refused =
            |value: &str, reason: String| Err(OptionError::refused("prior", value, &reason));
        match self {
            Self::Nothing | Self::Monotone => Ok(()),
            Self::File(path) => refused(
                path,
                "it is neither none nor monotone, and a file must be read where the agent is named: give a list of \
                 [state, other, most]"
                    .into(),
            ),
            Self::Differences(list) => {
                let states = space.states();
                for &(state, other, most) in list {
                    let shown = format!("[{state}, {other}, {most}]");
                    if state >= states || other >= states {
                        return refused(&shown, format!("states are numbered 0 to {}", states - 1));
                    }
                    if most.is_nan() {
                        return refused(&shown, "the bound must be a number".into());
                    }
                }
                match Region::bounded(f64::INFINITY, 0, &numbered(list, 1, |_| None)) {
                    Some(_) => Ok(()),
                    None => refused(
                        &format!("{} bounds", list.len()),
                        "they contradict each other: around some cycle of states the differences would have to add up to \
                         less than 0; leave one of its bounds out"
                            .into(),
                    ),
                }
            }
        }
    }

    /// The bounds between states by number, of which the first `seen` are seen and `state` gives each; bounds of a file may name
    /// others, which get numbers above `seen`.
    pub(super) fn bounds(
        &self,
        seen: usize,
        state: impl Fn(u32) -> StateId,
        number: impl Fn(StateId) -> Option<u32>,
    ) -> Vec<Bound> {
        match self {
            Self::Nothing | Self::File(_) => Vec::new(),
            Self::Monotone => {
                let mut order: Vec<usize> = (0..seen).collect();
                order.sort_by_key(|&number| state(number as u32));
                // Neighbours are enough: the others follow.
                let below = |pair: &[usize]| Bound { state: pair[0], other: pair[1], most: 0.0 };
                order.windows(2).map(below).collect()
            }
            // One number is that of all states never seen.
            Self::Differences(list) => numbered(list, seen + 1, number),
        }
    }
}

/// Bounds by number; states that have none get those from `first` on.
fn numbered(
    list: &[Difference],
    first: usize,
    number: impl Fn(StateId) -> Option<u32>,
) -> Vec<Bound> {
    let mut others = BTreeMap::new();
    let mut place = |state: StateId| match number(state) {
        Some(number) => number as usize,
        None => {
            let next = first + others.len();
            *others.entry(state).or_insert(next)
        }
    };
    list.iter()
        .map(|&(state, other, most)| Bound { state: place(state), other: place(other), most })
        .collect()
}

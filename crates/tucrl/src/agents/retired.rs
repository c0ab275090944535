//! Which agents of earlier versions are gone, and what takes their place?
//!
//! Experiments that were run with them are still reported. The names of their files have the shortest spec, which leaves
//! out defaults, so their options are kept; nothing can be started.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::scal::{WITHOUT_EVI, clipped_optimism};
use super::{About, AgentKind, Optimism, checked};
use crate::learner::{AgentError, Algorithm, Learner, Start};
use crate::options::Required;
use crate::rules::OptimistRule;

/// What takes the place of SCAL+.
const INSTEAD: &str = "FOCUS is its successor, and stored runs of it are still reported: write focus:h=number with twice \
                       the bound on the span, or scal:c=number with the bound";

/// The agents that are gone. The caution of each says what to use.
pub fn retired() -> &'static [AgentKind] {
    static KINDS: LazyLock<Vec<AgentKind>> = LazyLock::new(|| {
        let about = About {
            name: "scal-plus",
            aliases: &["scal+"],
            summary: "gone: focus is its successor",
            caution: INSTEAD,
            ..About::default()
        };
        let scal_plus = AgentKind::new::<ScalPlus>(about);
        vec![
            scal_plus.with(|options| options.without(WITHOUT_EVI).without(&["shrink", "variance"])),
        ]
    });
    &KINDS
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum SpanBonus {
    #[default]
    Code,
    Theory,
}

/// The options of SCAL+ (Qian, Fruit, Pirotta, Lazaric 2019).
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct ScalPlus {
    #[schemars(extend("minimum" = 0.0))]
    c: Required<f64>,
    bonus: SpanBonus,
    rule: OptimistRule,
    #[serde(flatten)]
    optimism: Optimism,
}

impl Default for ScalPlus {
    fn default() -> Self {
        let (c, bonus, rule) = (Required::default(), SpanBonus::default(), OptimistRule::default());
        Self { c, bonus, rule, optimism: clipped_optimism() }
    }
}

impl Algorithm for ScalPlus {
    fn start(&self, _: Start<'_>) -> Result<Box<dyn Learner>, AgentError> {
        checked(self)?;
        Err(AgentError::Retired { instead: INSTEAD })
    }

    fn options(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

//! What should be known before a long computation begins?

use serde_json::Value;
use tucrl::learner::{Setting, TooShort};

use crate::catalogue::NamedAgent;
use crate::names::shown;
use crate::text::digits;

/// What is wrong with a world without a way back.
pub const NOT_RECOVERABLE: &str = "\
the start cannot be reached back from every state that it leads to.
  The paper's standing assumption fails: an agent may leave the best part of the
  world for good by a mistake that it cannot know to be one. Its regret is then
  linear, whatever it learns.";

/// Why a run is too short for an agent, if it is.
pub fn too_short(agent: &NamedAgent, setting: &Setting, reachable: u64) -> Option<String> {
    let why = agent.algorithm().too_short(setting, reachable)?;
    let TooShort { visits, what, width, alpha } = why;
    let head = format!("{agent}: {} steps are too few for its confidence widths.", setting.steps);
    if visits < 2.0 {
        return Some(format!(
            "{head}\n  \
             Not even every action of every reachable state can be tried twice: the whole\n  \
             run explores. Take more steps."
        ));
    }
    let (visits, width) = (digits(visits, 3), digits(width, 2));
    Some(format!(
        "{head}\n  \
         Even if every action of every reachable state were tried {visits} times,\n  \
         {what} would be {width}, and from 1 on it\n  \
         rules nothing out: the whole run explores. Take more steps, or narrower\n  \
         widths: alpha={} would bring it to about {}.",
        shown(&Value::from(alpha), false),
        TooShort::AIM
    ))
}

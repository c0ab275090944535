//! What should be known before a long computation begins?

use serde_json::Value;
use tucrl::learner::{Setting, TooShort};

use crate::catalogue::NamedAgent;
use crate::names::shown;
use crate::text::digits;

/// The warning about a world whose start cannot be reached from every reachable state.
pub const NOT_RECOVERABLE: &str = "\
the start cannot be reached from every reachable state.
  The paper's standing assumption fails: a learner may leave the start forever
  by an action whose effect it does not know, so no regret bound holds here.";

/// Why a run is too short for an agent, if it is.
pub fn too_short(agent: &NamedAgent, setting: &Setting, reachable: u64) -> Option<String> {
    let why = agent.algorithm().too_short(setting, reachable)?;
    let TooShort { visits, what, width, alpha } = why;
    let head = format!("{agent}: {} steps are too few for its confidence widths.", setting.steps);
    if visits < 2.0 {
        return Some(format!(
            "{head}\n  \
             Not even every action of every reachable state can be tried twice, so the\n  \
             whole run is exploration. Take more steps."
        ));
    }
    let (visits, width) = (digits(visits, 3), digits(width, 2));
    Some(format!(
        "{head}\n  \
         Even if every action of every reachable state were tried {visits} times,\n  \
         {what} would be {width}. A width of 1 or more\n  \
         excludes nothing, so the whole run is exploration. Take more steps, or\n  \
         narrower widths: alpha={} would bring it to about {}.",
        shown(&Value::from(alpha), false),
        TooShort::AIM
    ))
}

//! What would the best plausible world earn, if the span of its bias were known to be at most c?
//!
//! SCAL (Fruit, Pirotta, Lazaric, Ortner 2018): UCRL2B's boxes, planned over policies whose optimistic bias
//! has a span of at most c. It needs c >= sp(h*), which nobody tells; with it, states never seen do no
//! lasting harm. Policies mix two actions. Episodes end when a drawn pair doubles; the rejected draw is not
//! played.
//!
//! Reads `confidence`, `plausible`, `span_clip`; feeds `agents`. Departures: see `span_clip`.

use serde::{Deserialize, Serialize};

use super::{AgentError, Optimism};
use crate::confidence::Family;
use crate::planner::{Plan, PlanError, Planner, Situation};
use crate::plausible::PlausibleSet;
use crate::span_clip::{self, SpanClip};
use crate::truncation;

/// SCAL.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Scal {
    /// The shared options; those of `evi` do not apply.
    pub optimism: Optimism,
    /// The span bound and how it is kept.
    pub clip: SpanClip,
}

impl Scal {
    pub(super) fn check(&self) -> Result<(), AgentError> {
        let refuse = |option, value: f64, expected| {
            Err(AgentError::Option { option, value: value.to_string(), expected })
        };
        if self.clip.c.is_nan() || self.clip.c < 0.0 {
            return refuse("c", self.clip.c, "a span bound, at least 0 (inf for none)");
        }
        if self.clip.mode == span_clip::Mode::Theory
            && !(self.clip.c > 0.0 && self.clip.c.is_finite())
        {
            return refuse("c", self.clip.c, "a positive finite span bound with mode=theory");
        }
        let tau = self.clip.aperiodicity;
        if !(tau > 0.0 && tau <= 1.0) {
            return refuse("aperiodicity", tau, "a number in (0, 1]");
        }
        if self.clip.sweep_limit == 0 {
            return refuse("sweeps", 0.0, "at least 1");
        }
        Ok(())
    }
}

impl Planner for Scal {
    fn plan(&self, now: &Situation<'_>) -> Result<Plan, PlanError> {
        let Situation { counts, t_k, known, .. } = *now;
        let optimism = &self.optimism;
        let widths = optimism.confidence(Family::Bernstein).widths(counts.space(), t_k);
        let unseen = counts.unseen();
        let mut set =
            PlausibleSet::boxes(counts, &widths, optimism.r_max, unseen, |_| false, 0, known);
        // A known reward has no width on either side; an untried one may be 0.
        let low_reward = |pair: usize| match known {
            Some(mean) if counts.was_visited(counts.owner_number(pair) as u32) => mean(pair),
            _ => {
                let stats = &counts.pairs()[pair];
                (stats.reward_mean() - widths.reward(stats)).max(0.0)
            }
        };
        let plan = span_clip::solve(&mut set, t_k, &self.clip, low_reward)?;
        Ok(Plan { under_visited: truncation::decide(counts, t_k).under_visited, ..plan })
    }
}

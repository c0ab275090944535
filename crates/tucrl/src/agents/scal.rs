//! What would the best plausible world earn, if the span of its bias were known to be at most c?
//!
//! SCAL (Fruit, Pirotta, Lazaric, Ortner 2018): UCRL2B's boxes, planned over policies whose optimistic bias
//! has a span of at most c. It needs c >= sp(h*), which nobody tells; with it, states never seen do no
//! lasting harm. Policies mix two actions. Episodes end when a drawn pair doubles; the rejected draw is not
//! played.
//!
//! Reads `confidence`, `plausible`, `span_clip`; feeds `agents`. Departures: see `span_clip`.

use serde::{Deserialize, Serialize};

use super::ucrl::{Believed, SetKind};
use super::{AgentError, Optimism, check_optimistic_rule};
use crate::counts::{Counts, PairCounts};
use crate::planner::{Plan, PlanError, Planner, Rule, Situation};
use crate::plausible::KnownRewards;
use crate::span_clip::{self, SpanClip};
use crate::truncation;

/// SCAL.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Scal {
    /// The shared options; those of `evi` do not apply.
    pub optimism: Optimism,
    /// The span bound and how it is kept.
    pub clip: SpanClip,
    /// Which sets.
    #[serde(default)]
    pub set: SetKind,
    /// When an episode ends.
    #[serde(default)]
    pub rule: Rule,
}

impl Scal {
    pub(super) fn check(&self) -> Result<(), AgentError> {
        check_clip(&self.clip)?;
        let refuse = |value: &str, reason| {
            Err(AgentError::Mixture { option: "set", value: value.into(), reason })
        };
        if self.set == SetKind::Ucrl3 {
            return refuse(
                "ucrl3",
                "a clipped state plays its most pessimistic law as well, and ucrl3 selects next \
                 states for optimism only: choose bernstein, bernstein-2020, l1 or kl",
            );
        }
        if self.clip.mode == span_clip::Mode::Theory && self.set != SetKind::Bernstein {
            return refuse(
                "other than bernstein",
                "mode=theory perturbs the interval of one state, and only boxes have intervals with \
                 the constants of the proof: choose bernstein, or mode=practical",
            );
        }
        check_optimistic_rule(self.rule)
    }
}

/// Checks what all agents with a span bound share.
pub(super) fn check_clip(clip: &SpanClip) -> Result<(), AgentError> {
    let refuse = |option, value: f64, expected| {
        Err(AgentError::Option { option, value: value.to_string(), expected })
    };
    if clip.c.is_nan() || clip.c < 0.0 {
        return refuse("c", clip.c, "a span bound, at least 0 (inf for none)");
    }
    if clip.mode == span_clip::Mode::Theory && !(clip.c > 0.0 && clip.c.is_finite()) {
        return refuse("c", clip.c, "a positive finite span bound with mode=theory");
    }
    let tau = clip.aperiodicity;
    if !(tau > 0.0 && tau <= 1.0) {
        return refuse("aperiodicity", tau, "a number in (0, 1]");
    }
    if clip.sweep_limit == 0 {
        return refuse("sweeps", 0.0, "at least 1");
    }
    Ok(())
}

impl Planner for Scal {
    fn plan(&self, now: &Situation<'_>) -> Result<Plan, PlanError> {
        let Situation { counts, t_k, known, .. } = *now;
        let Believed { mut set, reward_width } =
            self.set.believed(&self.optimism, counts, t_k, known);
        let plan = span_clip::solve(&mut set, t_k, &self.clip, |pair| {
            low_reward(counts, known, &reward_width, pair)
        })?;
        Ok(Plan { under_visited: truncation::decide(counts, t_k).under_visited, ..plan })
    }

    fn rule(&self) -> Rule {
        self.rule
    }
}

/// The lower end of a pair's reward interval. A known reward has no width on either side; an untried one may
/// be 0.
pub(super) fn low_reward(
    counts: &Counts,
    known: KnownRewards<'_>,
    width: &dyn Fn(&PairCounts) -> f64,
    pair: usize,
) -> f64 {
    match known {
        Some(mean) if counts.was_visited(counts.owner_number(pair) as u32) => mean(pair),
        _ => {
            let stats = &counts.pairs()[pair];
            (stats.reward_mean() - width(stats)).max(0.0)
        }
    }
}

//! How far does one get with a bonus instead of a set?
//!
//! SCAL+ (Qian, Fruit, Pirotta, Lazaric 2019; ALGORITHMS 6.3): no search for the best plausible law. One world is
//! planned on, the observed one with one visit more of every pair that led to the first seen state, paid the
//! observed mean reward plus a bonus that falls with the root of visits, under SCAL's span bound c. Pairs never
//! tried go to that state and are paid the bonus alone, but at least r_max.
//!
//! Reads `plausible`, `span_clip`; feeds `agents`. Departures: the bonus is that of public code, or with `theory`
//! one remembered from the paper, its constants unverified; states never seen are not planned on, because
//! nothing leads there.

use serde::{Deserialize, Serialize};

use super::{AgentError, Optimism, check_clip, check_optimistic_rule};
use crate::planner::{Plan, PlanError, Planner, Rule, Situation};
use crate::plausible::PlausibleSet;
use crate::span_clip::{self, SpanClip};
use crate::truncation;

/// SCAL+.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScalPlus {
    /// The shared options; alphas multiply the parts of the bonus, and those of `evi` do not apply.
    pub optimism: Optimism,
    /// The span bound and how it is kept.
    pub clip: SpanClip,
    /// Whether the bonus is the one of the proof.
    pub theory: bool,
    /// When an episode ends.
    pub rule: Rule,
}

impl Default for ScalPlus {
    fn default() -> Self {
        Self {
            optimism: Optimism::default(),
            clip: SpanClip { c: 1.0, ..SpanClip::default() },
            theory: false,
            rule: Rule::Doubling,
        }
    }
}

impl ScalPlus {
    pub(super) fn check(&self) -> Result<(), AgentError> {
        let c = self.clip.c;
        if !(c.is_finite() && c >= 0.0) {
            let expected = "a finite span bound, at least 0: the bonus is proportional to it";
            return Err(AgentError::Option { option: "c", value: c.to_string(), expected });
        }
        check_clip(&self.clip)?;
        check_optimistic_rule(self.rule)
    }

    /// What a pair is paid beyond its mean: for transitions, and for rewards.
    pub fn bonus(&self, pairs: f64, delta: f64, visits: u64) -> (f64, f64) {
        let Optimism { alpha_r, alpha_p, r_max, .. } = self.optimism;
        let (c, at_least_one) = (self.clip.c, visits.max(1) as f64);
        if self.theory {
            let root = ((20.0 * pairs * at_least_one / delta).ln() / at_least_one).sqrt();
            (alpha_p * (c * root + c / (visits as f64 + 1.0)), alpha_r * r_max * root)
        } else {
            let root = ((pairs / delta).ln().max(0.0) / at_least_one).sqrt();
            (alpha_p * c * root, alpha_r * r_max * root)
        }
    }
}

impl Planner for ScalPlus {
    fn plan(&self, now: &Situation<'_>) -> Result<Plan, PlanError> {
        let Situation { counts, t_k, known, .. } = *now;
        let optimism = &self.optimism;
        let nominal = counts.space().nominal_pairs() as f64;
        let pairs = optimism.nominal_pairs.unwrap_or(nominal);
        let delta = optimism.delta_at(t_k);
        let mut reward = Vec::with_capacity(counts.pairs().len());
        for number in 0..counts.seen() as u32 {
            for pair in counts.pairs_of(number) {
                let stats = &counts.pairs()[pair];
                let (next, own) = self.bonus(pairs, delta, stats.visits_before());
                reward.push(match known {
                    Some(mean) if counts.was_visited(number) => mean(pair) + next,
                    // A bonus that was shrunk must not put an end to trying.
                    _ if stats.visits_before() == 0 => (next + own).max(optimism.r_max),
                    _ => stats.reward_mean() + next + own,
                });
            }
        }
        let mut set = PlausibleSet::points(counts, &reward, optimism.r_max);
        let plan = span_clip::solve(&mut set, t_k, &self.clip, |_| 0.0)?;
        Ok(Plan {
            under_visited: truncation::decide(counts, t_k).under_visited,
            unseen: counts.unseen(),
            ..plan
        })
    }

    fn rule(&self) -> Rule {
        self.rule
    }
}

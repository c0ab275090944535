//! SCAL+: a bonus on the observed MDP instead of a confidence set, under a span bound c.
//!
//! Qian, Fruit, Pirotta, Lazaric 2019. There is no search for the best plausible law: one MDP is planned on, the
//! observed one with one more visit of every pair that led to the first seen state, paid the observed mean reward
//! plus a bonus that falls with the root of visits. Pairs never tried go to that state and are paid the bonus
//! alone, but at least r_max. The bonus is that of public code, or with `bonus=theory` one from memory, its
//! constants unverified; states never seen are not planned on, because nothing leads there.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scal::{WITHOUT_EVI, clipped_optimism};
use super::{About, AgentKind, EpisodicAlgorithm, Optimism, checked};
use crate::counts::Variance;
use crate::learner::{AgentError, Setting};
use crate::math;
use crate::options::Required;
use crate::planner::{Plan, PlanError, PlanInput, Planner};
use crate::plausible::Belief;
use crate::rules::OptimistRule;
use crate::sets::points;
use crate::{span_clip, truncation};

/// Which bonus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SpanBonus {
    /// That of public code.
    #[default]
    Code,
    /// That of the proof, from memory.
    Theory,
}

/// SCAL+.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScalPlus {
    /// an upper bound on the bias span; in units of reward
    #[schemars(extend("minimum" = 0.0, "x-bounds" = "span"))]
    pub c: Required<f64>,
    /// (alpha_p c + alpha_r r_max) sqrt(ln(SA/delta)/N), or that of the proof, from memory
    pub bonus: SpanBonus,
    /// when an episode ends
    pub rule: OptimistRule,
    #[allow(missing_docs)]
    #[serde(flatten)]
    pub optimism: Optimism,
}

impl Default for ScalPlus {
    fn default() -> Self {
        Self {
            c: Required::default(),
            bonus: SpanBonus::default(),
            rule: OptimistRule::default(),
            optimism: clipped_optimism(),
        }
    }
}

impl ScalPlus {
    /// The span bound. [`super::checked`] refuses one that was not given before anything is planned.
    fn span_bound(&self) -> f64 {
        self.c.0.unwrap_or(f64::INFINITY)
    }

    /// What a pair is paid beyond its mean: for transitions, and for rewards.
    pub fn bonus(&self, pairs: f64, delta: f64, visits: u64) -> (f64, f64) {
        let optimism = &self.optimism;
        let (alpha_r, alpha_p, r_max) = (optimism.alpha_r(), optimism.alpha_p(), optimism.r_max());
        let at_least_one = visits.max(1) as f64;
        match self.bonus {
            SpanBonus::Theory => {
                let root = (math::ln(20.0 * pairs * at_least_one / delta) / at_least_one).sqrt();
                let c = self.span_bound();
                (alpha_p * (c * root + c / (visits as f64 + 1.0)), alpha_r * r_max * root)
            }
            SpanBonus::Code => {
                let root = (math::ln(pairs / delta).max(0.0) / at_least_one).sqrt();
                (alpha_p * self.span_bound() * root, alpha_r * r_max * root)
            }
        }
    }
}

impl Planner for ScalPlus {
    type Rule = OptimistRule;

    fn plan(&mut self, now: &mut PlanInput<'_>) -> Result<Plan, PlanError> {
        let PlanInput { counts, t_k, known, .. } = *now;
        let optimism = &self.optimism;
        let (pairs, delta) = (optimism.confidence().pairs(counts.space()), optimism.delta.at(t_k));
        let mut reward = Vec::with_capacity(counts.pairs().len());
        for number in 0..counts.seen() as u32 {
            for pair in counts.pairs_of(number) {
                let stats = &counts.pairs()[pair];
                let (next, own) = self.bonus(pairs, delta, stats.visits_before());
                reward.push(match known {
                    Some(mean) if counts.was_visited(number) => mean(pair) + next,
                    // A bonus that was shrunk must not put an end to trying.
                    _ if stats.visits_before() == 0 => (next + own).max(optimism.r_max()),
                    _ => stats.reward_mean() + next + own,
                });
            }
        }
        let set = points(&Belief::new(counts, optimism.r_max(), known), &reward);
        let plan = span_clip::solve(&set, t_k, &optimism.clip(self.span_bound()), |_| 0.0)?;
        Ok(Plan {
            under_visited: truncation::decide(counts, t_k).under_visited,
            unseen: counts.unseen(),
            ..plan
        })
    }

    fn rule(&self) -> OptimistRule {
        self.rule
    }

    fn variance(&self) -> Variance {
        self.optimism.variance
    }
}

impl EpisodicAlgorithm for ScalPlus {
    type Planner = Self;

    fn planner(&self, setting: &Setting) -> Result<Self, AgentError> {
        checked(self)?;
        Ok(Self { optimism: self.optimism.in_setting(setting)?, ..self.clone() })
    }

    fn knows_rewards(&self) -> bool {
        self.optimism.known_rewards
    }

    fn step_cost(&self) -> u64 {
        50
    }
}

pub(super) fn kinds() -> Vec<AgentKind> {
    let about = About {
        name: "scal-plus",
        aliases: &["scal+"],
        summary: "a bonus and a bound on the span, on one MDP",
        source: "Qian, Fruit, Pirotta, Lazaric 2019, \"Exploration bonus for regret minimization in discrete and \
                 continuous average reward MDPs\"; bonus=code from public code, bonus=theory from memory, unverified",
        idea: "It does without sets of MDPs. It plans on the one MDP that it has observed, and adds to every \
               reward a bonus proportional to c and falling like 1/sqrt(N). Every pair is given one imagined visit \
               that led to a fixed state, so that all states are connected. Values are cut at the smallest plus c, \
               as in scal. Pairs never tried are paid the bonus alone, but at least r_max.",
        needs: "The number of states and actions, r_max, and c, a bound on the span of the optimal bias.",
        guarantee: "Where the MDP is weakly communicating and c is at least the span, regret of order \
                    c S sqrt(A T ln T) with the theoretical bonus.",
        cost: "One value iteration over the observed transitions; no inner maximum.",
        caution: "With c below the span the regret is linear. States never seen are not planned on, so only its \
                  bonus drives it to new ones.",
        example: "scal-plus:c=2,alpha=0.1",
    };
    vec![
        AgentKind::new::<ScalPlus>(about)
            .with(|options| options.without(WITHOUT_EVI).without(&["shrink", "variance"])),
    ]
}

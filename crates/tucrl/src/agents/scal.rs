//! SCAL: optimism under a known bound c on the span of the optimal bias.
//!
//! Fruit, Pirotta, Lazaric, Ortner 2018: UCRL2B's boxes, planned over policies whose optimistic bias has a span of
//! at most c. It needs c >= sp(h*); with it, states never seen do no lasting harm. Policies mix two actions.
//! Episodes end when a drawn pair doubles; the rejected draw is not played. `span_clip` has the operator.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ucrl::WidthAfter;
use super::{About, AgentKind, EpisodicAlgorithm, Optimism, checked};
use crate::counts::Variance;
use crate::learner::{AgentError, Setting, TooShort};
use crate::options::{NumberOr, OptionError, Required};
use crate::planner::{Plan, PlanError, PlanInput, Planner};
use crate::plausible::{Belief, low_reward};
use crate::rules::{OptimistRule, Vanishing, WithShare};
use crate::sets::{ConfidenceSet, SetVisitor, SpanSetKind};
use crate::span_clip::{self, Mode, Operator, SpanClip};
use crate::truncation;

/// A bound on the span that is no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SpanWord {
    /// None.
    #[default]
    Inf,
    /// The span of the world, which the agent is then told.
    World,
}

/// SCAL.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Scal {
    /// an upper bound on the bias span; in units of reward, inf for none, world for the span itself, which is then told
    #[schemars(extend("minimum" = 0.0, "x-bounds" = "span"))]
    pub c: Required<NumberOr<SpanWord>>,
    /// what can be run, or what is proved: a perturbed model with a contraction term
    pub mode: Mode,
    /// where no mixture of actions meets the bound: fail, or play the most pessimistic
    pub operator: Operator,
    /// whether rewards may be imagined down to 0
    pub augment: bool,
    /// which MDPs are plausible
    pub set: SpanSetKind,
    /// when an episode ends
    pub rule: OptimistRule,
    /// with rule=vm, the share of its visits that an episode may add to a pair: sqrt(ln(1 + t) / t) at time t, t^(-1/3),
    /// or 1, which is rule=doubling
    pub f: Vanishing,
    #[allow(missing_docs)]
    #[serde(flatten)]
    pub optimism: Optimism,
}

impl Default for Scal {
    fn default() -> Self {
        Self {
            c: Required::default(),
            mode: Mode::default(),
            operator: Operator::default(),
            augment: true,
            set: SpanSetKind::default(),
            rule: OptimistRule::default(),
            f: Vanishing::default(),
            optimism: clipped_optimism(),
        }
    }
}

/// The defaults of optimists that clip spans: aperiodicity 0.9, as in the published code.
pub(super) fn clipped_optimism() -> Optimism {
    Optimism { aperiodicity: 0.9, ..Optimism::default() }
}

/// The span bound of an option. [`super::checked`] refuses one that was not given before anything is planned.
pub(super) fn span_bound<W>(bound: Required<NumberOr<W>>) -> f64 {
    bound.0.map_or(f64::INFINITY, |bound| bound.or(f64::INFINITY))
}

/// Options of extended value iteration that planning under a span bound does not have.
pub(super) const WITHOUT_EVI: &[&str] = &["warm_start", "planner"];

impl Optimism {
    /// How spans are clipped at `c`, in practical mode with augmented rewards.
    pub(super) fn clip(&self, c: f64) -> SpanClip {
        SpanClip {
            c,
            aperiodicity: self.aperiodicity,
            ties: self.ties,
            sweep_limit: self.sweeps,
            ..SpanClip::default()
        }
    }
}

/// Planning under a span bound on the set of an episode.
pub(super) struct Clipped<'a, 'b> {
    pub(super) belief: Belief<'a, 'b>,
    pub(super) t_k: u64,
    pub(super) clip: SpanClip,
}

impl SetVisitor for Clipped<'_, '_> {
    type Output = Result<Plan, PlanError>;

    fn visit<S: ConfidenceSet>(self, set: &S) -> Self::Output {
        let Belief { counts, known, .. } = self.belief;
        let plausible = set.plausible(&self.belief);
        let width = |stats: &_| set.reward_width(stats);
        let low = |pair: usize| low_reward(counts, known, width, pair);
        span_clip::solve(&plausible, self.t_k, &self.clip, low)
    }
}

impl Planner for Scal {
    type Rule = WithShare<OptimistRule>;

    fn plan(&mut self, now: &mut PlanInput<'_>) -> Result<Plan, PlanError> {
        let PlanInput { counts, t_k, known, .. } = *now;
        let optimism = &self.optimism;
        let clip = SpanClip {
            mode: self.mode,
            operator: self.operator,
            augment_rewards: self.augment,
            ..optimism.clip(span_bound(self.c))
        };
        let belief = Belief::new(counts, optimism.r_max(), known);
        let clipped = Clipped { belief, t_k, clip };
        let plan = self.set.visit(&optimism.confidence(), counts.space(), t_k, clipped)?;
        Ok(Plan { under_visited: truncation::decide(counts, t_k).under_visited, ..plan })
    }

    fn rule(&self) -> WithShare<OptimistRule> {
        WithShare { rule: self.rule, f: self.f }
    }

    fn variance(&self) -> Variance {
        self.optimism.variance
    }
}

impl EpisodicAlgorithm for Scal {
    type Planner = Self;

    fn planner(&self, setting: &Setting) -> Result<Self, AgentError> {
        checked(self)?;
        let told = setting.knowledge.span.filter(|_| self.knows_span());
        let option = told.map_or(self.c, Into::into);
        let (c, is_untold) = (span_bound(option), self.knows_span() && told.is_none());
        if self.mode == Mode::Theory && !(c > 0.0 && (c.is_finite() || is_untold)) {
            let expected = "a positive finite span bound with mode=theory";
            return Err(OptionError::out_of_range("c", c, expected).into());
        }
        if self.mode == Mode::Theory && self.set != SpanSetKind::Bernstein {
            let reason = "mode=theory perturbs the interval of one state, and only boxes have intervals with \
                          the constants of the proof: choose bernstein, or mode=practical";
            let set = serde_json::to_value(self.set).unwrap_or_default();
            let word = set.as_str().unwrap_or_default();
            return Err(OptionError::refused("set", word, reason).into());
        }
        Ok(Self { c: option, optimism: self.optimism.in_setting(setting)?, ..self.clone() })
    }

    fn knows_rewards(&self) -> bool {
        self.optimism.known_rewards
    }

    fn knows_span(&self) -> bool {
        self.c.0 == Some(NumberOr::Word(SpanWord::World))
    }

    fn step_cost(&self) -> u64 {
        50
    }

    fn too_short(&self, setting: &Setting, reachable: u64) -> Option<TooShort> {
        too_short(&self.optimism, self.set, setting, reachable)
    }
}

pub(super) fn too_short(
    optimism: &Optimism,
    set: SpanSetKind,
    setting: &Setting,
    reachable: u64,
) -> Option<TooShort> {
    let (confidence, time) = (optimism.confidence(), setting.steps.max(1));
    optimism.too_short(setting, reachable, |visits| {
        set.visit(&confidence, &setting.space, time, WidthAfter(visits))
    })
}

pub(super) fn kinds() -> Vec<AgentKind> {
    let about = About {
        name: "scal",
        aliases: &[],
        summary: "optimism under a known bound on the span",
        source: "Fruit, Pirotta, Lazaric, Ortner 2018, \"Efficient bias-span-constrained exploration\"",
        idea: "It is told that the bias of the optimal policy has a span of at most c. Planning \
               therefore cuts the values of all states at the smallest plus c, after every \
               sweep. In a clipped state the policy mixes its most optimistic action with its \
               most pessimistic one, so that the mixture is worth exactly the cut. A state \
               never seen may still pay r_max, but it is worth at most c, so the search for \
               it ends. Everything else is as in ucrl.",
        needs: "The number of states and actions, r_max, and c, a bound on the span of the optimal bias.",
        guarantee: "Where the MDP is weakly communicating and c is at least the span, regret of \
                    order c sqrt(Gamma S A T ln T) with probability 1 - delta; states out of reach \
                    do no lasting harm.",
        cost: "Value iteration with clipping to accuracy r_max/sqrt(t), without acceleration: \
               usually tens to thousands of sweeps; pessimistic values are computed at the end \
               only.",
        caution: "With c below the span the regret is linear; with c=inf it is ucrl, only slower. \
                  mode=theory needs about c t sweeps per plan and is for small t only.",
        example: "scal:c=5",
    };
    vec![AgentKind::new::<Scal>(about).with(|options| options.without(WITHOUT_EVI))]
}

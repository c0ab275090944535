//! REGAL: optimism that pays for span, and its variants REGAL.C and REGAL.D.
//!
//! Bartlett and Tewari 2009; Fruit, Pirotta, Lazaric 2018, appendix on the mistake in REGAL.D. REGAL.C bounds the
//! span by H: relaxed to policies instead of optimal policies it *is* SCAL with c = H. REGAL charges C for each unit
//! of span, with C of the order of one over the root of the length of the episode, which lies in the future: here C
//! is a constant, or made from the length of the last episode. REGAL.D guesses lengths 1, 2, 4, ... within an
//! episode and plans anew for each guess while counts stand still.
//!
//! All three are approximations of what their authors define (`span_price` says how), and none has a guarantee
//! here: REGAL cannot be run as defined, and the proof of REGAL.D has a mistake of sign. The sets are those of scal,
//! not the original L1 balls; T in the constant of the penalty is the present time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::scal::{Clipped, WITHOUT_EVI, clipped_optimism, span_bound, too_short};
use super::{About, AgentKind, EpisodicAlgorithm, Optimism, checked};
use crate::counts::{Counts, Variance};
use crate::evi::EviOptions;
use crate::learner::{AgentError, Setting, TooShort};
use crate::math;
use crate::options::{Infinite, NumberOr, Required, word};
use crate::planner::{Plan, PlanError, PlanInput, Planner};
use crate::plausible::{Belief, low_reward};
use crate::rules::{Doubling, EpisodeRule, EpisodeView, StopReason, Verdict};
use crate::sets::{ConfidenceSet, SetVisitor, SpanSetKind};
use crate::span_clip::SpanClip;
use crate::{span_price, truncation};

word! {
    /// The theory's constant over the root of the last episode's length, in place of the next one's.
    LastLength = "last-length"
}

/// The numerator of the penalty: 2 S sqrt(12 ln(2 A t / delta)) + sqrt(2 ln(1 / delta)).
#[doc(alias = "c_R")]
pub fn penalty_numerator(states: f64, actions: f64, time: f64, delta: f64) -> f64 {
    2.0 * states * (12.0 * math::ln(2.0 * actions * time / delta)).sqrt()
        + (2.0 * math::ln(1.0 / delta)).max(0.0).sqrt()
}

/// The numerator for the space and time of a plan.
fn numerator(optimism: &Optimism, counts: &Counts, t_k: u64) -> f64 {
    let (states, actions) = (counts.space().states() as f64, counts.space().max_actions());
    penalty_numerator(states, f64::from(actions), t_k as f64, optimism.delta.at(t_k))
}

/// Planning with a price per unit of span on the set of an episode.
struct Priced<'a, 'b> {
    belief: Belief<'a, 'b>,
    t_k: u64,
    price: f64,
    clip: SpanClip,
    unbounded: EviOptions,
}

impl SetVisitor for Priced<'_, '_> {
    type Output = Result<Plan, PlanError>;

    fn visit<S: ConfidenceSet>(self, set: &S) -> Self::Output {
        let Belief { counts, known, .. } = self.belief;
        let plausible = set.plausible(&self.belief);
        let width = |stats: &_| set.reward_width(stats);
        let low = |pair: usize| low_reward(counts, known, width, pair);
        let Self { t_k, price, clip, unbounded, .. } = self;
        Ok(span_price::best_bound(&plausible, t_k, price, &clip, &unbounded, &low)?.plan)
    }
}

fn plan_at_price(
    optimism: &Optimism,
    set: SpanSetKind,
    counts: &Counts,
    now: &PlanInput<'_>,
    price: f64,
) -> Result<Plan, PlanError> {
    let (t_k, clip) = (now.t_k, optimism.clip(f64::INFINITY));
    // Unbounded plans keep the defaults of extended value iteration, as they have no aperiodicity of their own.
    let unbounded = EviOptions::default();
    let belief = Belief::new(counts, optimism.r_max(), now.known);
    let priced = Priced { belief, t_k, price, clip, unbounded };
    let plan = set.visit(&optimism.confidence(), counts.space(), t_k, priced)?;
    Ok(Plan { under_visited: truncation::decide(counts, t_k).under_visited, ..plan })
}

/// What all three variants have in common.
macro_rules! regal_algorithm {
    ($type:ty, $planner:ty, |$self:ident, $optimism:ident| $make:expr) => {
        impl EpisodicAlgorithm for $type {
            type Planner = $planner;

            fn planner(&self, setting: &Setting) -> Result<$planner, AgentError> {
                checked(self)?;
                let ($self, $optimism) = (self.clone(), self.optimism.in_setting(setting)?);
                Ok($make)
            }

            fn knows_rewards(&self) -> bool {
                self.optimism.known_rewards
            }

            fn step_cost(&self) -> u64 {
                300
            }

            fn too_short(&self, setting: &Setting, reachable: u64) -> Option<TooShort> {
                too_short(&self.optimism, self.set, setting, reachable)
            }
        }
    };
}

/// REGAL.C: a bound on the span.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RegalC {
    /// an upper bound on the bias span; in units of reward, inf for none
    #[schemars(extend("minimum" = 0.0, "x-aliases" = ["c"], "x-bounds" = "span"))]
    pub h: Required<NumberOr<Infinite>>,
    /// which MDPs are plausible
    pub set: SpanSetKind,
    #[allow(missing_docs)]
    #[serde(flatten)]
    pub optimism: Optimism,
}

impl Default for RegalC {
    fn default() -> Self {
        let (h, set) = (Required::default(), SpanSetKind::default());
        Self { h, set, optimism: clipped_optimism() }
    }
}

impl Planner for RegalC {
    type Rule = Doubling;

    fn plan(&mut self, now: &mut PlanInput<'_>) -> Result<Plan, PlanError> {
        let PlanInput { counts, t_k, known, .. } = *now;
        let belief = Belief::new(counts, self.optimism.r_max(), known);
        let clipped = Clipped { belief, t_k, clip: self.optimism.clip(span_bound(self.h)) };
        let plan = self.set.visit(&self.optimism.confidence(), counts.space(), t_k, clipped)?;
        Ok(Plan { under_visited: truncation::decide(counts, t_k).under_visited, ..plan })
    }

    fn rule(&self) -> Doubling {
        Doubling
    }

    fn variance(&self) -> Variance {
        self.optimism.variance
    }
}

regal_algorithm!(RegalC, Self, |regal, optimism| Self { optimism, ..regal });

/// REGAL: a price for span.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Regal {
    /// C: a number, or theory's constant over the root of the last episode's length, a stand-in
    #[schemars(extend("minimum" = 0.0))]
    pub penalty: NumberOr<LastLength>,
    /// which MDPs are plausible
    pub set: SpanSetKind,
    #[allow(missing_docs)]
    #[serde(flatten)]
    pub optimism: Optimism,
}

impl Default for Regal {
    fn default() -> Self {
        let (penalty, set) = (NumberOr::default(), SpanSetKind::default());
        Self { penalty, set, optimism: clipped_optimism() }
    }
}

impl Regal {
    /// What a unit of span costs in the plan that is made now.
    pub fn price(&self, now: &PlanInput<'_>) -> f64 {
        let length = now.last_length.unwrap_or(1).max(1) as f64;
        self.penalty.or(numerator(&self.optimism, now.counts, now.t_k) / length.sqrt())
    }
}

impl Planner for Regal {
    type Rule = Doubling;

    fn plan(&mut self, now: &mut PlanInput<'_>) -> Result<Plan, PlanError> {
        plan_at_price(&self.optimism, self.set, now.counts, now, self.price(now))
    }

    fn rule(&self) -> Doubling {
        Doubling
    }

    fn variance(&self) -> Variance {
        self.optimism.variance
    }
}

regal_algorithm!(Regal, Self, |regal, optimism| Self { optimism, ..regal });

/// REGAL.D: prices for guessed episode lengths.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RegalD {
    /// which MDPs are plausible
    pub set: SpanSetKind,
    #[allow(missing_docs)]
    #[serde(flatten)]
    pub optimism: Optimism,
}

impl Default for RegalD {
    fn default() -> Self {
        Self { set: SpanSetKind::default(), optimism: clipped_optimism() }
    }
}

/// REGAL.D at work: it plans several times per episode on the counts of the episode's start.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RegalDPlanner {
    options: RegalD,
    /// What was counted when the episode began.
    at_start: Option<Box<Counts>>,
}

impl Planner for RegalDPlanner {
    type Rule = GuessedLengths;

    fn plan(&mut self, now: &mut PlanInput<'_>) -> Result<Plan, PlanError> {
        if now.replans == 0 {
            self.at_start = Some(Box::new(now.counts.clone()));
        }
        let counts = self.at_start.as_deref().unwrap_or(now.counts);
        let RegalD { set, optimism } = &self.options;
        let guess = math::powi(2.0, now.replans as i32);
        let price = numerator(optimism, counts, now.t_k) / guess.sqrt();
        plan_at_price(optimism, *set, counts, now, price)
    }

    fn rule(&self) -> GuessedLengths {
        GuessedLengths
    }

    fn variance(&self) -> Variance {
        self.options.optimism.variance
    }
}

/// Doubling; within an episode, plans last 1, 2, 4, ... steps.
#[derive(Debug, Clone, Copy)]
pub struct GuessedLengths;

impl EpisodeRule for GuessedLengths {
    fn before_choice(&self, now: &EpisodeView<'_>) -> Verdict {
        match now.length >= 1u64.checked_shl(now.replans).unwrap_or(u64::MAX) {
            true => Verdict::Replan(StopReason::Length),
            false => Verdict::Continue,
        }
    }

    fn before_pair(&self, now: &EpisodeView<'_>, pair: usize) -> Verdict {
        Doubling.before_pair(now, pair)
    }
}

regal_algorithm!(RegalD, RegalDPlanner, |regal, optimism| RegalDPlanner {
    options: RegalD { optimism, ..regal },
    at_start: None,
});

const SOURCE: &str = "Bartlett, Tewari 2009, \"REGAL: a regularization based algorithm for reinforcement learning in \
                      weakly communicating MDPs\"; approximated as docs/regal.md says";

pub(super) fn kinds() -> Vec<AgentKind> {
    let clipped = |kind: AgentKind| kind.with(|options| options.without(WITHOUT_EVI));
    vec![
        clipped(AgentKind::new::<RegalC>(About {
            name: "regal-c",
            aliases: &[],
            summary: "scal under another name (an approximation)",
            source: SOURCE,
            idea: "It is told a bound H on the span of the optimal bias. Among all plausible MDPs whose optimal bias \
                   has a span of at most H it picks the one with the largest gain, and plays its optimal policy. No \
                   method is known that searches only those MDPs. Relaxed to policies whose bias has a span of at most \
                   H, the problem is the one that scal solves. So this is scal with c = H, under the name that the \
                   paper uses.",
            needs: "The number of states and actions, r_max, and H, a bound on the span of the optimal bias.",
            guarantee: "That of scal, where H is at least the span: order H sqrt(Gamma S A T ln T).",
            cost: "That of scal.",
            caution: "With H below the span the regret is linear, with H far above it exploration is slow.",
            example: "regal-c:h=5",
        })),
        clipped(AgentKind::new::<Regal>(About {
            name: "regal",
            aliases: &[],
            summary: "optimism that pays for span (approximation)",
            source: SOURCE,
            idea: "Optimism goes wrong when it plans for distant rewards that do not exist, and such MDPs have a large \
                   span. So the gain of a plausible MDP is reduced by C times the span of its bias before the best is \
                   chosen. The theory wants C to be about one over the root of the episode's length, which is not known \
                   when the episode begins. Here C is a constant, or made from the length of the last episode. The \
                   search over MDPs is relaxed to one over span bounds, which is exact for policies in place of optimal \
                   policies.",
            needs: "The number of states and actions and r_max; for a useful constant penalty also an idea of span and \
                    gain.",
            guarantee: "None as run here. The theorem needs the length of an episode before it begins.",
            cost: "A branch and bound over span bounds c, each of them a plan of scal to a quarter of the usual \
                   tolerance: a handful to some hundred of those.",
            caution: "Theory's penalty is of the order of S: it chooses c = 0 and plays for the immediate reward until \
                      episodes are very long.",
            example: "regal:penalty=0.05",
        })),
        clipped(AgentKind::new::<RegalD>(About {
            name: "regal-d",
            aliases: &[],
            summary: "regal with guessed episode lengths (approximation)",
            source: SOURCE,
            idea: "It is regal without knowledge of the future: within an episode the length is guessed as 1, then 2, then \
                   4, and so on. Each guess gets a plan of its own with the penalty that fits it. What was seen during the \
                   episode is not used before it ends. The episode ends when a pair doubles its visits, whatever the \
                   guess. Usually that happens before the guess comes true, and there the proof of its regret fails.",
            needs: "The number of states and actions and r_max.",
            guarantee: "None. The published proof replaces the length of an episode by its guess in a negative term, which \
                        is the wrong way round (docs/regal.md shows it in numbers).",
            cost: "One search of regal for each guess, so log2 of the length for each episode.",
            caution: "As regal. It is here for comparison, not for use.",
            example: "regal-d:alpha=0.05",
        })),
    ]
}

//! FOCUS: optimism by a bonus on a discounted MDP whose horizon is the run.
//!
//! Zamir, Zurek, Chen 2026, "Optimal variance-dependent regret bounds for infinite-horizon MDPs" (COLT), algorithm 1.
//! It plans when the visits of a pair have become 1, 2, 4, 8, ..., with gamma = 1 - 1/T, on the empirical laws, with a bonus
//! of Bernstein's kind and values clipped at the smallest plus H. [`FocusOperator`] has the operator.
//!
//! Departures, all **ours**: rewards may be unknown, then the upper end of an empirical Bernstein interval stands for r;
//! T may be untold, then it is the next power of two, and each of these epochs plans with its own gamma, H and U on the
//! counts of all; H may be computed from the number of seen states (`h=seen`). docs/focus.md says what is proved of
//! them.

mod operator;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use operator::{FocusNumbers, FocusOperator, Solved};

use super::{About, AgentKind, EpisodicAlgorithm, SPACE, checked, largest_reward};
use crate::counts::{Counts, PairCounts, Variance};
use crate::learner::{AgentError, Remedy, Setting, TooShort, TooShortReason};
use crate::math;
use crate::options::{FromWorld, Inherited, IntegerOr, NumberOr};
use crate::planner::{Plan, PlanError, PlanInput, Planner};
use crate::rules::{EpisodeRule, EpisodeView, StopReason, Verdict};
use crate::space::Space;
use crate::truncation;

/// Which H, when the span is not told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SpanGuess {
    /// sqrt(T / (S³ A)) (corollary 7).
    #[default]
    Theory,
    /// The same with the states seen so far in place of S; ours.
    Seen,
    /// Twice the span of the world, which the agent is then told.
    World,
}

/// Which T, when no number is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HorizonGuess {
    /// The next power of two; ours.
    #[default]
    Doubling,
    /// The steps of the run, which the agent is then told.
    Run,
}

/// FOCUS.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Focus {
    /// H, the largest span of values, in units of reward: a number, of which the proof asks twice the span of the optimal
    /// bias; theory, r_max sqrt(T/(S^3 A)); seen, the same with the states seen so far for S (ours); or world, twice the span,
    /// which is then told
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub h: NumberOr<SpanGuess>,
    /// T, the steps to plan for: a number, run for those of the run, or doubling for the next power of two (ours)
    #[schemars(extend("minimum" = 2))]
    pub horizon: IntegerOr<HorizonGuess>,
    /// how often the bonus may fail to be optimistic
    #[schemars(extend("exclusiveMinimum" = 0.0, "maximum" = 1.0))]
    pub delta: f64,
    /// shrinks the bonus and the widths of rewards; 1 is what the proof needs, and with more than 1 values would not be
    /// monotone
    #[schemars(extend("minimum" = 0.0, "maximum" = 1.0))]
    pub alpha: f64,
    /// shrinks the widths of rewards only
    #[schemars(extend("minimum" = 0.0))]
    pub alpha_r: Inherited,
    /// whether the true mean rewards of visited states are told, as in the paper
    pub known_rewards: bool,
    /// the weight of the new values in a sweep
    #[schemars(extend("exclusiveMinimum" = 0.0, "maximum" = 1.0))]
    pub aperiodicity: f64,
    /// the largest possible reward, counted from the smallest, or that of the world
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub r_max: FromWorld,
    /// sweeps after which a plan is given up and the run fails
    #[schemars(extend("minimum" = 1))]
    pub sweeps: u64,
}

impl Default for Focus {
    fn default() -> Self {
        Self {
            h: NumberOr::default(),
            horizon: IntegerOr::default(),
            delta: 0.05,
            alpha: 1.0,
            alpha_r: Inherited::default(),
            known_rewards: false,
            aperiodicity: 0.9,
            r_max: FromWorld::default(),
            sweeps: 1_000_000,
        }
    }
}

impl Focus {
    fn told(&self) -> u64 {
        match self.horizon {
            IntegerOr::Integer(steps) => steps,
            IntegerOr::Word(_) => 0,
        }
    }

    fn r_max(&self) -> f64 {
        self.r_max.or(1.0)
    }

    /// The numbers of a plan that is made before action `time`, with `seen` states seen.
    pub fn numbers(&self, space: &Space, seen: usize, time: u64) -> FocusNumbers {
        let horizon = horizon(self.told(), time);
        let (states, actions) = (space.states() as f64, f64::from(space.max_actions()));
        let guess = |states: f64| (horizon as f64 / (states * states * states * actions)).sqrt();
        let span = match self.h {
            NumberOr::Number(h) => h / self.r_max(),
            // A learner that starts without it is refused.
            NumberOr::Word(SpanGuess::World) => f64::INFINITY,
            NumberOr::Word(SpanGuess::Theory) => guess(states),
            NumberOr::Word(SpanGuess::Seen) => guess(seen.max(1) as f64),
        };
        // The epoch of T = 2^m may fail with probability delta/(m (m + 1)); these add up to delta.
        let epoch = f64::from(horizon.ilog2());
        let share = if horizon > self.told() { epoch * (epoch + 1.0) } else { 1.0 };
        // Nine inequalities in the paper; two more are needed for unknown rewards.
        let events = if self.known_rewards { 9.0 } else { 11.0 };
        let log = math::ln(events * share * actions * horizon as f64 / self.delta)
            + 2.0 * math::ln(states);
        FocusNumbers { gamma: 1.0 - 1.0 / horizon as f64, span, log, alpha: self.alpha }
    }

    /// The upper end of the interval of a mean reward, in units of r_max (Maurer, Pontil 2009, theorem 4).
    pub fn upper_reward(&self, stats: &PairCounts, log: f64) -> f64 {
        if stats.visits_before() == 0 {
            return 1.0;
        }
        let less_one = stats.visits_less_one() as f64;
        let width = (2.0 * log).sqrt() * stats.reward_deviation() / self.r_max()
            + 7.0 * log / (3.0 * less_one);
        (stats.reward_mean() / self.r_max() + self.alpha_r.or(self.alpha) * width).min(1.0)
    }

    /// The operator of a plan; see [`Focus::numbers`].
    pub fn operator<'a>(
        &self,
        counts: &'a Counts,
        time: u64,
        known: crate::plausible::KnownRewards<'_>,
    ) -> FocusOperator<'a> {
        let numbers = self.numbers(counts.space(), counts.seen(), time);
        FocusOperator::new(counts, numbers, |pair| match known {
            Some(mean) if counts.was_visited(counts.owner_number(pair) as u32) => {
                mean(pair) / self.r_max()
            }
            _ => self.upper_reward(&counts.pairs()[pair], numbers.log),
        })
    }
}

/// T for the action at a time: what was told, or from then on the next power of two.
fn horizon(told: u64, time: u64) -> u64 {
    time.checked_next_power_of_two().unwrap_or(u64::MAX).max(2).max(told)
}

/// Ends an episode when the visits of the pair just played are a power of two, and when T changes.
#[derive(Debug, Clone, Copy)]
pub struct FocusRule {
    told: u64,
}

impl EpisodeRule for FocusRule {
    const ABOUT: &'static str = "when the visits of a pair are 1, 2, 4, 8, ...";

    // It has to be asked after every step, because a pair that has reached a power of two ends the episode wherever the
    // step leads: no visits are certain.
    #[inline]
    fn before_choice(&self, now: &EpisodeView<'_>) -> Verdict {
        if now.counts.pairs()[now.last_pair].visits.is_power_of_two() {
            let (state, action) = now.counts.owner(now.last_pair);
            return Verdict::End(StopReason::Doubling { state, action });
        }
        match horizon(self.told, now.time) > horizon(self.told, now.time - now.length) {
            true => Verdict::End(StopReason::Length),
            false => Verdict::Continue,
        }
    }
}

impl Planner for Focus {
    type Rule = FocusRule;

    fn plan(&mut self, now: &mut PlanInput<'_>) -> Result<Plan, PlanError> {
        let PlanInput { counts, t_k, known, .. } = *now;
        let operator = self.operator(counts, t_k, known);
        let start = operator.start(now.previous, self.r_max());
        let solved = operator.solve(start, t_k, self.aperiodicity, self.sweeps)?;
        let under_visited = truncation::decide(counts, t_k).under_visited;
        Ok(Plan { under_visited, ..operator.plan(solved, self.r_max()) })
    }

    fn rule(&self) -> FocusRule {
        FocusRule { told: self.told() }
    }

    fn variance(&self) -> Variance {
        // The sample variance of rewards; the variance of next values is computed from the law.
        Variance::Published
    }
}

impl EpisodicAlgorithm for Focus {
    type Planner = Self;

    fn planner(&self, setting: &Setting) -> Result<Self, AgentError> {
        checked(self)?;
        let horizon = match self.horizon {
            IntegerOr::Word(HorizonGuess::Run) => IntegerOr::Integer(setting.steps.max(2)),
            other => other,
        };
        let r_max = largest_reward(self.r_max, setting)?.into();
        let told = setting.knowledge.span.filter(|_| self.knows_span());
        let h = told.map_or(self.h, |span| (2.0 * span).into());
        Ok(Self { h, horizon, r_max, ..self.clone() })
    }

    fn knows_rewards(&self) -> bool {
        self.known_rewards
    }

    fn knows_span(&self) -> bool {
        self.h == NumberOr::Word(SpanGuess::World)
    }

    fn step_cost(&self) -> u64 {
        30
    }

    fn too_short(&self, setting: &Setting, reachable: u64) -> Option<TooShort> {
        let planner = self.planner(setting).ok()?;
        let FocusNumbers { span, log, alpha, .. } =
            planner.numbers(&setting.space, reachable as usize, setting.steps.max(1));
        let pairs = reachable as f64 * f64::from(setting.space.max_actions());
        let visits = setting.steps as f64 / pairs;
        if span < SMALL_SPAN && !matches!(self.h, NumberOr::Number(_)) {
            return Some(short_span(self.h, span * planner.r_max(), setting, reachable));
        }
        let width = 32.0 * alpha * span * log / visits;
        let reason = TooShortReason::Width { visits, what: "the bonus of a pair", width };
        let remedy = (visits >= 2.0).then(|| Remedy {
            options: vec![(
                "alpha",
                super::optimism::one_digit(alpha * TooShort::AIM / width).into(),
            )],
            effect: format!("would bring it to about {}", TooShort::AIM),
            limits: "",
        });
        (width >= 1.0).then_some(TooShort { reason, remedy })
    }
}

/// Below this guess of H, in units of r_max, clipped values tell few actions apart: one reward of r_max that is a step away
/// is a difference of 1.
const SMALL_SPAN: f64 = 1.0;

/// Why a guessed H is too small, and what helps.
fn short_span(h: NumberOr<SpanGuess>, span: f64, setting: &Setting, reachable: u64) -> TooShort {
    let (states, actions) = (setting.space.states(), setting.space.max_actions());
    let (word, counted) = match h {
        NumberOr::Word(SpanGuess::Seen) => ("seen", reachable),
        _ => ("theory", states),
    };
    let reason = TooShortReason::Other(format!(
        "h={word} is sqrt(T/(S^3 A)) r_max = {span:.2e} with S = {counted} and A = {actions}: values that differ by more \
         than that look equal, so that the regret stays linear."
    ));
    let seen =
        (setting.steps as f64 / (math::powi(reachable as f64, 3) * f64::from(actions))).sqrt();
    let helps = word == "theory" && seen >= SMALL_SPAN;
    let remedy = helps.then(|| Remedy {
        options: vec![("h", "seen".into())],
        effect: format!("has the {reachable} states that can be reached in place of {states}"),
        limits: "",
    });
    TooShort { reason, remedy }
}

pub(super) fn kinds() -> Vec<AgentKind> {
    vec![AgentKind::new::<Focus>(About {
        name: "focus",
        aliases: &[],
        summary: "clipped discounted values with a bonus, told the span or nothing",
        source: "Zamir, Zurek, Chen 2026, \"Optimal variance-dependent regret bounds for infinite-horizon MDPs\" (COLT), \
                 algorithm 1; unknown rewards, horizon=doubling and h=seen are ours",
        idea: "It plans on the one MDP that it has observed, discounted so weakly that the horizon is the whole run. Every \
               pair is paid a bonus for what its observed law may miss, of Bernstein's kind, so that it is small where next \
               states are worth the same. Values are cut at the smallest plus H after every sweep, which keeps the bonus in \
               proportion. It plans anew, to convergence, whenever the visits of a pair have become a power of two. Only \
               pairs never tried lead to states never seen, so that states out of reach are given up by themselves.",
        needs: SPACE,
        guarantee: "Where the MDP is weakly communicating, with alpha = 1, known_rewards=true, horizon=run and probability 1 - \
                    delta: h of at least twice the span gives regret of order sqrt(Var S A) + Gamma h S A, up to \
                    logarithms, where Var, the variance of the next value summed over the run, is 0 in deterministic \
                    MDPs (theorem 5); h=theory, told nothing, gives sqrt((span + 1) S A T) once T is at least \
                    span^2 S^3 A (corollary 7). No public code exists to compare with. Unknown rewards, horizon=doubling and \
                    h=seen are ours: docs/focus.md has the arguments, which were checked inside this project only. None with \
                    alpha < 1.",
        cost: "Sweeps over the observed transitions, without an inner maximum, from the values of the last plan, until the \
               residual is certified to 1/t: often 1 to 30, at most about T ln T. S A log2(T) plans.",
        caution: "The constants are large: with alpha = 1 the bonus of a pair exceeds every reward until it has been tried \
                  about 32 H ln(11 S^2 A T/delta) times. h=theory divides by the number of states that have a name, to the \
                  power 3/2, so that with many states out of reach the regret is linear; use h=seen, or tucrl-plus. With h \
                  below the span the regret is linear. With h=theory and h=seen it grows like sqrt(T) even in \
                  deterministic MDPs.",
        example: "focus:h=2,alpha=0.01",
    })]
}

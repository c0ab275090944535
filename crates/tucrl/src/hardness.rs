//! How hard is a world to learn?
//!
//! Numbers that regret bounds and experiments depend on, from the exact solution: the Bellman gaps, whether the optimal
//! policy is unique and unichain, the noise of realised regret, hitting and mixing times of the optimal policy, the
//! asymptotic lower bound on regret, and the number of steps before the theorems say anything. docs/hardness.md
//! defines each.
//!
//! The world is the part that is reachable from the start, except for the lower bound, which also depends on how many
//! states a learner is told there are.

mod k_inf;
mod lower_bound;
mod optimal_chain;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::bounds::{self, WorldNumbers};
use crate::error::SolveError;
use crate::gaps::Gaps;
use crate::mdp::Mdp;
use crate::pulse::Pulse;
use crate::truth::{Solved, Truth, Watch};
use lower_bound::{Case, Rewards, Worse, is_ergodic};
pub use lower_bound::{Certainty, LowerBound, Term};
use optimal_chain::{Answer, OptimalChain, bias_variance};

/// How hard a world is; what is not known is absent, with the reason in `left_out`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hardness {
    /// The smallest gap that is certainly positive; `None` if there is none.
    pub smallest_gap: Option<f64>,
    /// How many pairs of reachable states have no gap that is certainly positive: one per state, and all ties.
    pub zero_gaps: u64,
    /// How many of these look positive and may be zero: more than a millionth of r_max, and less than `gap_error`. While there
    /// are any, it is undecided whether the optimal policy is unique.
    pub undecided_gaps: u64,
    /// By how much a gap may be wrong: the Bellman residual times the time in which the optimal policy carries it on.
    pub gap_error: f64,
    /// The sum of 1 / gap over the gaps that are certainly positive.
    pub sum_of_inverse_gaps: f64,
    /// Whether every reachable state has one optimal action, as far as `gap_error` tells.
    pub is_unique: bool,
    /// Whether the optimal policy has one closed class among the reachable states. A world is non-degenerate if this
    /// and `is_unique` hold (Boone and Gaujal 2025, definition 4). `None` if its chain could not be evaluated.
    pub is_unichain: Option<bool>,
    /// The largest standard deviation of the bias of the next state, over reachable pairs.
    pub bias_deviation: f64,
    /// The variance per step of the regret of the optimal policy itself, in the long run: after T steps its standard
    /// deviation is the root of T times this. It has the noise of rewards and of transitions.
    pub regret_variance: Option<f64>,
    /// The largest expected time of the optimal policy from a reachable state to one that it visits forever.
    pub hitting_time: Option<f64>,
    /// The number of steps after which, from every reachable state, the law of the state under the optimal policy is
    /// within 1/4 of the stationary one in total variation.
    pub mixing_time: Option<u64>,
    /// The asymptotic lower bound on regret over ln T, for learners that know neither rewards nor transitions.
    pub lower_bound: LowerBound,
    /// The same for learners that know the mean reward of every pair.
    pub lower_bound_known_rewards: LowerBound,
    /// When the theorems begin to say something; needs the diameters.
    pub burn_in: Option<BurnIn>,
    /// Why a key is absent.
    pub left_out: BTreeMap<&'static str, String>,
}

/// Numbers of steps before bounds say something; infinite where they never do.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct BurnIn {
    /// The end of the linear regime of UCRL.
    #[doc(alias = "T_dagger")]
    pub ucrl_linear_regime: f64,
    /// The end of the exploratory phase of TUCRL, with all states but one unseen and failure probability 0.05.
    #[doc(alias = "C(k)")]
    pub tucrl_exploratory_phase: f64,
    /// sp² S^C A, the span in units of r_max.
    pub span_squared: f64,
    /// D^C S^C A.
    pub diameter: f64,
}

/// The failure probability of the exploratory phase.
const DELTA: f64 = 0.05;

impl BurnIn {
    /// From the sizes of a world and its span over the reachable states.
    pub fn of(world: &WorldNumbers, span_reachable: f64) -> Self {
        let pairs = world.reachable as f64 * world.actions as f64;
        let span = span_reachable / world.r_max;
        Self {
            ucrl_linear_regime: bounds::linear_regime_end(world).unwrap_or(f64::INFINITY),
            tucrl_exploratory_phase: bounds::exploratory_phase_end(world, world.states - 1, DELTA),
            span_squared: span * span * pairs,
            diameter: world.diameter_reachable * pairs,
        }
    }
}

impl Hardness {
    /// Of a world; `None` if its optimal gain is not known. Without `burn_in`, which needs the diameters.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tucrl::{Truth, hardness::Hardness, worlds::RiverSwim};
    /// let truth = Truth::of(&Arc::new(RiverSwim::default().build()?).into())?;
    /// let Some(hardness) = Hardness::of(&truth, &())? else { unreachable!() };
    /// assert!(hardness.is_non_degenerate());
    /// // Regret of a good learner that knows the rewards grows like 21.5 ln T at least.
    /// let bound = hardness.lower_bound_known_rewards.constant.unwrap_or_default();
    /// assert!((bound - 21.5).abs() < 0.05);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When it is interrupted.
    pub fn of(truth: &Truth, watch: &dyn Watch) -> Result<Option<Self>, SolveError> {
        match (truth.solved(), truth.gaps()) {
            (Some(solved), Some(gaps)) => {
                Self::of_solved(solved, gaps, truth.facts().states, watch).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Of a solved table, to learners that are told that there are `nominal` states.
    ///
    /// # Errors
    /// When it is interrupted.
    pub fn of_solved(
        solved: &Solved,
        gaps: &Gaps,
        nominal: u64,
        watch: &dyn Watch,
    ) -> Result<Self, SolveError> {
        let hardness = Self::computed(solved, gaps, nominal, watch);
        match Pulse::is_stopped() {
            true => Err(SolveError::Interrupted { what: "the hardness" }),
            false => Ok(hardness),
        }
    }

    fn computed(solved: &Solved, gaps: &Gaps, nominal: u64, watch: &dyn Watch) -> Self {
        watch.begin("hardness: the optimal policy");
        let Solved { table, structure, solution, .. } = solved;
        let is_reachable = &structure.is_reachable;
        let chain = OptimalChain::new(table, solution, is_reachable);
        let settling = chain.as_ref().map_err(Clone::clone).and_then(OptimalChain::settling_time);
        let gap_error = gap_error(table, gaps, solution.span_within(is_reachable), settling);
        let is_worse = |pair: usize| gaps.by_pair()[pair] > gap_error;
        let loses = |pair: usize| gaps.gain_losses().get(pair).is_some_and(|&loss| loss > 0.0);
        let mut worse = Vec::new();
        let (mut zero_gaps, mut undecided_gaps) = (0, 0);
        let (mut is_unique, mut deviation) = (true, 0.0);
        for state in (0..table.states()).filter(|&state| is_reachable[state]) {
            let pairs = table.pairs_of(state);
            let zero = pairs.clone().filter(|&pair| !is_worse(pair) && !loses(pair));
            let looks_positive = |pair: &usize| gaps.by_pair()[*pair] > NOTABLE * table.r_max();
            undecided_gaps += zero.clone().filter(looks_positive).count() as u64;
            let zero = zero.count() as u64;
            zero_gaps += zero;
            is_unique &= zero == 1;
            let largest = pairs.clone().map(|pair| bias_variance(table, pair, &solution.bias));
            deviation = largest.fold(deviation, f64::max);
            worse.extend(pairs.filter(|&pair| is_worse(pair)).map(|pair| Worse {
                state,
                pair,
                gap: gaps.by_pair()[pair],
            }));
        }
        let mut hardness = Self {
            smallest_gap: worse.iter().map(|pair| pair.gap).reduce(f64::min),
            zero_gaps,
            undecided_gaps,
            gap_error,
            // An empty sum of floats is -0.
            sum_of_inverse_gaps: worse.iter().map(|pair| 1.0 / pair.gap).sum::<f64>() + 0.0,
            is_unique,
            is_unichain: chain.as_ref().ok().map(OptimalChain::is_unichain),
            bias_deviation: deviation.sqrt(),
            regret_variance: None,
            hitting_time: None,
            mixing_time: None,
            lower_bound: LowerBound::unknown(),
            lower_bound_known_rewards: LowerBound::unknown(),
            burn_in: None,
            left_out: BTreeMap::new(),
        };
        hardness.leave_out("burn_in", "the diameters were not computed".into());
        hardness.follow(chain.as_ref(), watch);
        let recurrent = match &chain {
            Ok(chain) => chain.recurrent(),
            Err(_) => Err("the chain of the optimal policy was not evaluated"),
        };
        let core = structure.only_reachable_component();
        let holds_all = core.is_some_and(|core| core.len() as u64 == nominal);
        watch.begin("hardness: does every policy visit every state?");
        let case = Case {
            table,
            solution,
            worse: &worse,
            core,
            recurrent: recurrent.as_deref().map_err(|reason| *reason),
            nominal,
            is_ergodic: holds_all && is_ergodic(table, &|done, of| watch.done(done, of)),
        };
        watch.begin("hardness: lower bound");
        hardness.lower_bound = case.bound(Rewards::Unknown);
        hardness.lower_bound_known_rewards = case.bound(Rewards::Known);
        hardness
    }

    /// Takes what depends on the chain of the optimal policy.
    fn follow(&mut self, chain: Result<&OptimalChain<'_>, &SolveError>, watch: &dyn Watch) {
        let chain = match chain {
            Ok(chain) => chain,
            Err(error) => {
                for key in ["is_unichain", "regret_variance", "hitting_time", "mixing_time"] {
                    self.leave_out(key, error.to_string());
                }
                return;
            }
        };
        self.regret_variance = self.kept("regret_variance", Ok(chain.variance()));
        watch.begin("hardness: hitting times");
        let hitting = chain.hitting_time(&|done, of| watch.done(done, of));
        self.hitting_time = self.kept("hitting_time", hitting);
        watch.begin("hardness: mixing time");
        let mixing = chain.mixing_time(&|done, of| watch.done(done, of));
        self.mixing_time = self.kept("mixing_time", mixing);
    }

    /// An answer; if there is none, its reason is kept.
    fn kept<T>(&mut self, key: &'static str, answer: Answer<T>) -> Option<T> {
        let reason = match answer {
            Ok(Ok(answer)) => return Some(answer),
            Ok(Err(reason)) => reason.into(),
            Err(error) => error.to_string(),
        };
        self.leave_out(key, reason);
        None
    }

    fn leave_out(&mut self, key: &'static str, reason: String) {
        self.left_out.insert(key, reason);
    }

    /// Whether the Bellman-optimal policy is unique and unichain.
    pub fn is_non_degenerate(&self) -> bool {
        self.is_unique && self.is_unichain == Some(true)
    }

    /// The ties: pairs that are as good as the one that the optimal policy plays.
    pub fn ties(&self, reachable: u64) -> u64 {
        self.zero_gaps.saturating_sub(reachable)
    }

    /// The same with the burn-in, once the diameters are known.
    pub fn with_burn_in(mut self, world: &WorldNumbers, span_reachable: f64) -> Self {
        self.burn_in = Some(BurnIn::of(world, span_reachable));
        self.left_out.remove("burn_in");
        self
    }

    /// The standard deviation of the realised regret of the optimal policy after `steps` steps.
    pub fn regret_deviation(&self, steps: u64) -> Option<f64> {
        self.regret_variance.map(|variance| (variance * steps as f64).sqrt())
    }
}

/// By how much a gap may be wrong. Along the policy the computed gain and bias solve g + h = r + P h up to the residual
/// e. So the gain is wrong by at most e, the bias against that of the most frequent state by 2 e τ, where τ is the
/// expected time to that state, and a gap by e + 4 e τ. The sums in a gap are rounded to a few units of the largest term.
fn gap_error(mdp: &Mdp, gaps: &Gaps, span: f64, settling: Result<f64, SolveError>) -> f64 {
    let rounding = 8.0 * f64::EPSILON * (mdp.r_max() + span);
    (1.0 + 4.0 * settling.unwrap_or(UNKNOWN_TIME)) * gaps.residual().max(rounding)
}

/// A gap of less than this times r_max is taken for a tie where it is not certainly positive.
const NOTABLE: f64 = 1e-6;

/// Stands for the settling time of a chain that could not be evaluated.
const UNKNOWN_TIME: f64 = 1e6;

//! Which policy is best in the best plausible MDP?
//!
//! Extended value iteration (Fruit, Pirotta, Lazaric 2018, algorithm TEVI; Jaksch et al. 2010):
//! v_{n+1}(s) = max over actions
//! of the optimistic reward plus the best plausible expectation of v_n, from v_0 = 0 until the increments
//! differ by at most epsilon = r_max / sqrt(t_k), over the planned states: the seen ones and, if they are
//! planned on, those never seen as one state of reward r_max that may go anywhere.
//!
//! **Acceleration** (a departure from the paper; `planner=plain` does without). With unreachable states the
//! optimistic MDP has a tiny probability of reaching a state of reward r_max, and plain value iteration needs as
//! many sweeps as that takes steps, up to millions. When the trend says that many sweeps are left, the optimistic
//! chain that is greedy for the present values (best actions, best laws) is evaluated exactly, and its bias
//! becomes the next value vector: policy iteration in the extended MDP. The stopping test stays the same, one
//! exact sweep whose increments differ by at most epsilon. What follows from it holds for any value vector v with
//! increments in [lo, hi]: the gain lies in [lo, hi], the greedy policy attains lo, and v(s') - v(s) is at most hi
//! times the optimistic shortest path from s to s'. As hi - lo <= epsilon, hi is at most gain + epsilon. The paper's
//! bound on the span, r_max times the shortest path (appendix E.2), has no epsilon; it holds for iterates from 0, whose
//! increments never exceed r_max.
//!
//! **Many states.** Sweeps over `PARALLEL_FROM` states or more run on the rayon pool; the results do not depend on
//! the number of threads. [`Pulse`] reports progress and interrupts a plan.

mod strip;
mod warm;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::chain::Chain;
use crate::inner_max::{LawSink, Ranking, Scratch, UNSEEN, Values};
use crate::math;
use crate::planner::{Choice, Plan, PlanError, Pulse, min_max};
use crate::plausible::{PlausibleSet, Shape, View, slice_min_max};
use crate::rng::RandomStream;

use strip::Strip;

pub use warm::Leads;

/// How to choose among actions that look equally good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ties {
    /// The action tried least often, then the one with the lowest number.
    #[default]
    LeastVisited,
    /// The one with the lowest number.
    #[serde(rename = "lowest")]
    LowestIndex,
    /// A tiny random bonus per action number, drawn once per plan (the published code).
    Noise,
}

/// Which solver plans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// Plain sweeps.
    Plain,
    /// Sweeps with exact evaluations in between where they pay.
    #[default]
    Accelerated,
}

/// How to run extended value iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EviOptions {
    /// Plain or accelerated.
    pub method: Method,
    /// How ties are broken.
    pub ties: Ties,
    /// Weight of the real transition; 1 in the paper, less makes periodic sets aperiodic.
    #[doc(alias = "tau")]
    pub aperiodicity: f64,
    /// Sweeps after which planning is given up.
    pub sweep_limit: u64,
    /// Whether to start from the previous plan's values instead of 0. The paper proves its span
    /// bound from 0; the certificate in the module head, with its epsilon, holds for any start.
    pub warm_start: bool,
}

impl Default for EviOptions {
    fn default() -> Self {
        Self {
            method: Method::default(),
            ties: Ties::default(),
            aperiodicity: 1.0,
            sweep_limit: 1_000_000,
            warm_start: false,
        }
    }
}

/// Sweeps between two estimates of the convergence rate. With 32 and with 64, all plans below together take: three-state with
/// delta = 0 +61 % and +185 %, river-swim with 25 states +35 % and +96 %, taxi +23 % and +60 %, frozen-lake 8x8 +22 % and
/// +66 %, breakout 4x2 +10 % and +40 %, mountain-car +1 % and +20 %; 8 changes more runs. (Instructions of `solve_to`,
/// callgrind; 18 plans of UCRL with boxes and with L1 balls, alpha 0.01, 0.001 and 0.0001, on the counts of a random walk
/// after 1e4, 1e5 and 1e6 steps.)
const TREND: u64 = 16;
/// Chains larger than this are never evaluated exactly. A limit on time and memory: if elimination fills up, n states
/// take n³ / 3 multiplications and 8 n² bytes, 2e10 and 128 MB here.
const EVALUATION_LIMIT: usize = 4_000;
/// Largest rounding error of a value as a share of the tolerance; beyond that, increments are dominated by
/// rounding. For safety, not for speed.
const RESOLUTION: f64 = 1.0 / 32.0;

/// Solves the extended MDP to accuracy r_max / sqrt(t_k).
///
/// # Errors
/// When the sweep limit is reached.
pub fn solve<S: Shape>(
    set: &PlausibleSet<'_, S>,
    t_k: u64,
    options: &EviOptions,
    previous: Option<&Values>,
) -> Result<Plan, PlanError> {
    solve_to(set, t_k, set.r_max / (t_k as f64).sqrt(), options, previous)
}

/// The same where the last plan left its leads and it is known which states' sets have `changed` since; the result is the
/// same bit for bit.
///
/// # Errors
/// When the sweep limit is reached.
pub fn solve_again<S: Shape>(
    set: &PlausibleSet<'_, S>,
    t_k: u64,
    options: &EviOptions,
    previous: Option<&Values>,
    leads: &mut Leads,
    changed: &[bool],
) -> Result<Plan, PlanError> {
    let start = previous.filter(|_| options.warm_start);
    let mut run = Sweeper::new(set, options.aperiodicity, start);
    run.recall(leads, changed);
    leads.clear();
    converge(run, t_k, set.r_max / (t_k as f64).sqrt(), options, Some(leads))
}

/// The same to another accuracy.
pub(crate) fn solve_to<S: Shape>(
    set: &PlausibleSet<'_, S>,
    t_k: u64,
    tolerance: f64,
    options: &EviOptions,
    previous: Option<&Values>,
) -> Result<Plan, PlanError> {
    let start = previous.filter(|_| options.warm_start);
    converge(Sweeper::new(set, options.aperiodicity, start), t_k, tolerance, options, None)
}

fn converge<S: Shape>(
    mut run: Sweeper<'_, '_, S>,
    t_k: u64,
    tolerance: f64,
    options: &EviOptions,
    leads: Option<&mut Leads>,
) -> Result<Plan, PlanError> {
    let mut evaluations = 0;
    let mut earlier_span = f64::INFINITY;
    let pulse = Pulse::present();
    loop {
        let (low, high) = run.sweep();
        let span = high - low;
        if pulse.as_ref().is_some_and(|pulse| !pulse.beat(run.sweeps, span, tolerance)) {
            return Err(PlanError::Interrupted { t_k });
        }
        if span <= tolerance {
            let (_, highest) = min_max(run.values.seen.iter().copied().chain([run.values.unseen]));
            if highest * f64::EPSILON > RESOLUTION * tolerance {
                return Err(PlanError::Unresolved { t_k, span: highest, tolerance });
            }
            if let Some(leads) = leads {
                run.leave(leads);
            }
            return Ok(run.plan(low, high, evaluations, options.ties, t_k, tolerance));
        }
        if run.sweeps >= options.sweep_limit {
            let sweeps = run.sweeps;
            return Err(PlanError::NotConverged { t_k, sweeps, span, tolerance });
        }
        let is_due = run.sweeps.is_multiple_of(TREND);
        if is_due && options.method == Method::Accelerated && run.states() <= EVALUATION_LIMIT {
            let decay = math::ln(earlier_span / span) / TREND as f64;
            let needed = math::ln(span / tolerance) / decay;
            // An evaluation costs about as much as a sweep for every few states. A span that does not
            // fall at all has no trend; it needs an unbounded number. Instructions of the plans at `TREND`, with 32 and
            // with 128 instead of 64: four-rooms -9 % and +18 %, taxi -7 % and 0, breakout 0 and +10 %, mountain-car
            // and frozen-lake below 1 %. With S/8 and with S/2: taxi -7 % and 0, four-rooms 0 and +18 %, breakout 0 and
            // +10 %, mountain-car 0 and +9 %.
            let is_worth_it = !(needed >= 0.0 && needed < 64.0 + run.states() as f64 / 4.0);
            if earlier_span.is_finite() && is_worth_it {
                let (done, cannot_converge) = run.iterate_policies(tolerance);
                evaluations += done;
                if cannot_converge {
                    let sweeps = run.sweeps;
                    return Err(PlanError::NotConverged { t_k, sweeps, span, tolerance });
                }
                earlier_span = f64::INFINITY;
                continue;
            }
        }
        if is_due {
            earlier_span = span;
        }
        run.advance();
    }
}

/// One application of the optimistic Bellman operator to any values: what every sweep computes.
#[doc(alias = "L v")]
pub fn sweep<S: Shape>(set: &PlausibleSet<'_, S>, values: &Values) -> Values {
    let mut run = Sweeper::new(set, 1.0, Some(values));
    run.sweep();
    run.swept
}

/// The optimistic chain that is greedy for some values, evaluated exactly.
struct Greedy {
    values: Values,
    /// The gain from each planned state; the same but for rounding if the chain has one closed class.
    gain: Vec<f64>,
    /// The pair of each seen state.
    pairs: Vec<usize>,
}

/// One extended value iteration, sweep by sweep; [`solve`] decides when to stop.
///
/// **Skipped pairs.** The operator is monotone and passes constants through, so if values change by at least
/// a and at most b from one sweep to the next, no pair gains more than b - a on the best pair of its state.
/// If the second best lay further behind than the sum of all such changes since, the `drift`, the best pair is
/// still the best, and the others are skipped. The values are those of a full sweep.
pub struct Sweeper<'a, 'b, S> {
    set: &'b PlausibleSet<'a, S>,
    aperiodicity: f64,
    pub(crate) values: Values,
    pub(crate) swept: Values,
    /// The value of every pair for `values`, as of the last sweep; of pairs that are surely not the best
    /// of their state, an upper bound that is also below the best, or a stale value if they were skipped.
    pub(crate) worth: Vec<f64>,
    /// The best pair of every seen state in the last sweep.
    best_pair: Vec<u32>,
    /// By seen state: the drift up to which all its pairs but the best are skipped.
    skip_until: Vec<f64>,
    /// By pair: the places in its row of the two states of smallest value.
    worst_places: Vec<[u8; 2]>,
    /// The spans of all changes of the values since the first sweep, added up.
    drift: f64,
    /// The smallest and the largest increment of the last sweep.
    increments: (f64, f64),
    ranking: Ranking,
    scratch: Scratch,
    pub(crate) sweeps: u64,
}

impl<'a, 'b, S: Shape> Sweeper<'a, 'b, S> {
    /// Begins at the given values, or at 0.
    pub fn new(set: &'b PlausibleSet<'a, S>, aperiodicity: f64, start: Option<&Values>) -> Self {
        let (seen, pairs) = (set.counts().seen(), set.counts().pairs().len());
        let mut values = Values { seen: vec![0.0; seen], unseen: 0.0 };
        if let Some(start) = start {
            // States seen since then start where all unseen states stood.
            values.unseen = start.unseen;
            values.seen.fill(start.unseen);
            values.seen[..start.seen.len()].copy_from_slice(&start.seen);
        }
        Self {
            set,
            aperiodicity,
            swept: values.clone(),
            values,
            worth: vec![0.0; pairs],
            best_pair: (0..seen as u32).map(|n| set.counts().pairs_of(n).start as u32).collect(),
            skip_until: vec![f64::NEG_INFINITY; seen],
            worst_places: vec![[0; 2]; pairs],
            drift: 0.0,
            increments: (0.0, 0.0),
            ranking: Ranking::default(),
            scratch: Scratch::new(),
            sweeps: 0,
        }
    }

    fn states(&self) -> usize {
        self.values.seen.len() + usize::from(self.set.unseen > 0)
    }

    /// One application of the optimistic Bellman operator to `values` into `swept`; returns the
    /// smallest and largest increment over the planned states.
    pub fn sweep(&mut self) -> (f64, f64) {
        let set = self.set;
        set.rank(&self.values, &mut self.ranking);
        let view = View::new(&self.values, &self.ranking, set.unseen > 0);
        let (tau, drift) = (self.aperiodicity, self.drift);
        let all = Strip {
            first: 0,
            first_pair: 0,
            swept: &mut self.swept.seen,
            best_pair: &mut self.best_pair,
            skip_until: &mut self.skip_until,
            worth: &mut self.worth,
            worst_places: &mut self.worst_places,
        };
        let (mut low, mut high) = all.sweep_all(set, &view, tau, drift, &mut self.scratch);
        if set.unseen > 0 {
            let here = self.values.unseen;
            let pulled = set
                .attractor()
                .map_or((0.0, 0.0), |(to, least)| (least, least * view.values.seen[to as usize]));
            let expected = (1.0 - pulled.0) * view.best() + pulled.1;
            self.swept.unseen = set.r_max + tau * expected + (1.0 - tau) * here;
            low = low.min(self.swept.unseen - here);
            high = high.max(self.swept.unseen - here);
        }
        self.sweeps += 1;
        self.increments = (low, high);
        (low, high)
    }

    /// The same after the swept values were changed: they moved by other increments.
    pub(crate) fn advance_changed(&mut self) {
        let moved = self.swept.seen.iter().zip(&self.values.seen).map(|(new, old)| new - old);
        let unseen = (self.set.unseen > 0).then_some(self.swept.unseen - self.values.unseen);
        self.increments = min_max(moved.chain(unseen));
        self.advance();
    }

    /// Makes the swept values the present ones, recentred so that the smallest is 0.
    pub fn advance(&mut self) {
        let (lowest, _) = slice_min_max(&self.swept.seen);
        self.drift += self.increments.1 - self.increments.0;
        self.swept.seen.iter_mut().for_each(|value| *value -= lowest);
        self.swept.unseen -= lowest;
        std::mem::swap(&mut self.values, &mut self.swept);
    }

    /// Sets `worth` of the skipped pairs to minus infinity.
    pub(crate) fn mark_skipped(&mut self) {
        let counts = self.set.counts();
        for (number, &best_pair) in (0..).zip(&self.best_pair) {
            if self.skip_until[number as usize] > self.drift {
                let others = counts.pairs_of(number).filter(|&pair| pair != best_pair as usize);
                others.for_each(|pair| self.worth[pair] = f64::NEG_INFINITY);
            }
        }
    }

    /// Replaces the values; all pairs are evaluated in the next sweep.
    fn jump(&mut self, values: Values) {
        self.values = values;
        self.skip_until.fill(f64::NEG_INFINITY);
        self.drift = 0.0;
    }

    /// Policy iteration from the values of the last sweep: evaluates the greedy optimistic chain
    /// exactly, adopts its bias, sweeps, and goes on while that narrows the increments. Leaves the
    /// best values met, not yet swept. Returns the number of evaluations, and whether no sweep can converge:
    /// the best policy has classes of different gain that no plausible law connects, as happens with
    /// widths of 0 or too small for double precision.
    fn iterate_policies(&mut self, tolerance: f64) -> (u64, bool) {
        // The horizon below grows fourfold from 64 or more to at most 4e13, which takes 20 rounds; the others are left
        // for changes of the policy.
        const LIMIT: u64 = 60;
        let mut kept = self.swept.clone();
        let mut kept_span = f64::INFINITY;
        // Classes of different gain drift apart with the horizon; how far values can resolve it.
        let furthest = RESOLUTION / 4.0 * tolerance / (self.set.r_max * f64::EPSILON);
        let mut horizon = (2.0 * self.sweeps as f64).min(furthest);
        let (mut incumbent, mut earlier_gain) = (Vec::new(), Vec::new());
        let mut rounds_at_rest = 0;
        for evaluation in 1..=LIMIT {
            let Some(greedy) = self.evaluate_greedy(horizon, &incumbent) else {
                self.restore(kept);
                return (evaluation, false);
            };
            self.jump(greedy.values);
            let (low, high) = self.sweep();
            let span = high - low;
            if span < kept_span {
                kept = self.values.clone();
            }
            // A multichain iterate is allowed; later rounds merge its classes.
            let (worst_gain, best_gain) = min_max(greedy.gain.iter().copied());
            let is_apart = best_gain - worst_gain > tolerance;
            // For robustness: the first rounds may widen the span. Without this test the same runs result: UCRL and TUCRL,
            // alpha 0.05 and 0.001, 3e5 steps on three-state with delta = 0, river-swim, frozen-lake 8x8 and breakout.
            let is_stuck = span >= kept_span && evaluation > 8 && !is_apart;
            // No round of policy iteration lowers a gain; stop after several that raise none.
            let has_moved = |(old, new): (&f64, &f64)| (old - new).abs() > 1e-3 * tolerance;
            let is_at_rest = horizon >= furthest
                && earlier_gain.len() == greedy.gain.len()
                && !earlier_gain.iter().zip(&greedy.gain).any(has_moved);
            rounds_at_rest = if is_at_rest { rounds_at_rest + 1 } else { 0 };
            let cannot_converge = is_apart && span > tolerance && rounds_at_rest >= 3;
            kept_span = kept_span.min(span);
            if span <= tolerance || is_stuck || cannot_converge {
                self.restore(kept);
                return (evaluation, cannot_converge);
            }
            (incumbent, earlier_gain) = (greedy.pairs, greedy.gain);
            horizon = (4.0 * horizon).min(furthest);
        }
        self.restore(kept);
        (LIMIT, false)
    }

    fn restore(&mut self, mut values: Values) {
        let (lowest, _) = min_max(values.seen.iter().copied());
        values.seen.iter_mut().for_each(|value| *value -= lowest);
        values.unseen -= lowest;
        self.jump(values);
    }

    /// The values after `horizon` more steps of the chain that is greedy for the present values:
    /// its bias, plus the horizon times how much each state's gain differs from the best.
    /// An incumbent pair as good as the best is kept: changing between equals can cycle.
    fn evaluate_greedy(&mut self, horizon: f64, incumbent: &[usize]) -> Option<Greedy> {
        self.mark_skipped();
        let counts = self.set.counts();
        let seen = counts.seen();
        let view = View::new(&self.values, &self.ranking, self.set.unseen > 0);
        let mut scratch = Scratch::new();
        let (mut rewards, mut starts) = (Vec::new(), vec![0]);
        let (mut next, mut probability) = (Vec::new(), Vec::new());
        let mut pairs = Vec::with_capacity(seen);
        let mut sink = LawSink::default();
        for number in 0..seen as u32 {
            let worth = |pair: usize| self.worth[pair];
            let (_, top) = min_max(counts.pairs_of(number).map(worth));
            let bar = top - 1e-12 * (self.set.r_max + top.abs());
            let stays = incumbent.get(number as usize).filter(|&&pair| worth(pair) >= bar);
            let first = counts.pairs_of(number).find(|&pair| worth(pair) >= top);
            let best = stays.copied().or(first)?;
            pairs.push(best);
            sink.entries.clear();
            self.set.fill(best, &view, &mut scratch, &mut sink);
            sink.tidy();
            let total: f64 = sink.entries.iter().map(|entry| entry.1).sum();
            for &(state, mass) in &sink.entries {
                next.push(if state == UNSEEN { seen as u32 } else { state });
                probability.push(mass / total);
            }
            rewards.push(self.set.reward(best));
            starts.push(next.len());
        }
        if self.set.unseen > 0 {
            next.push(if view.top == UNSEEN { seen as u32 } else { view.top });
            probability.push(1.0);
            rewards.push(self.set.r_max);
            starts.push(next.len());
        }
        let rows = rewards.iter().enumerate().map(|(state, &reward)| {
            let entries = starts[state]..starts[state + 1];
            (reward, &next[entries.clone()], &probability[entries])
        });
        let answer = Chain::of_rows(rows).values().ok()?;
        let (_, best_gain) = min_max(answer.gain.iter().copied());
        let mut values = answer.bias;
        for (value, gain) in values.iter_mut().zip(&answer.gain) {
            // The aperiodic iterates are biases divided by tau.
            *value = (*value + horizon * (gain - best_gain)) / self.aperiodicity;
        }
        if values.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let (lowest, _) = min_max(values[..seen].iter().copied());
        values.iter_mut().for_each(|value| *value -= lowest);
        let unseen = values.get(seen).copied().unwrap_or(0.0);
        values.truncate(seen);
        let values = Values { seen: values, unseen };
        Some(Greedy { values, gain: answer.gain, pairs })
    }

    /// The plan that is greedy for `values`, which the last sweep has judged.
    fn plan(
        mut self,
        low: f64,
        high: f64,
        evaluations: u64,
        ties: Ties,
        t_k: u64,
        tolerance: f64,
    ) -> Plan {
        let set = self.set;
        self.mark_skipped();
        let (choices, action_unseen) = choose(set, &self.worth, ties, t_k, tolerance);
        let scale = self.aperiodicity;
        let (lowest, _) = min_max(self.values.seen.iter().copied());
        let centred = |value: f64| scale * (value - lowest);
        self.values.seen.iter_mut().for_each(|value| *value = centred(*value));
        Plan {
            choices,
            action_unseen,
            unseen_actions: Vec::new(),
            // Values that did not grow from 0 may have increments outside what any gain can be.
            gain_low: low.clamp(0.0, set.r_max),
            gain_high: high.clamp(0.0, set.r_max),
            bias_unseen: (set.unseen > 0).then(|| centred(self.values.unseen)),
            whole_span: None,
            bias: self.values.seen,
            sweeps: self.sweeps,
            evaluations,
            unseen: set.counts().unseen(),
            under_visited: 0,
        }
    }
}

/// The best action of every seen state, ties broken by the rule, and that of states never seen,
/// where all actions tie. What counts as a tie scales with rewards, as values do.
pub(crate) fn choose<S: Shape>(
    set: &PlausibleSet<'_, S>,
    worth: &[f64],
    ties: Ties,
    t_k: u64,
    tolerance: f64,
) -> (Vec<Choice>, u32) {
    let counts = set.counts();
    let noise: Vec<f64> = match ties {
        Ties::Noise => {
            let mut random = RandomStream::new(t_k);
            let size = 0.1 * tolerance.min(1e-6 * set.r_max);
            (0..counts.space().max_actions()).map(|_| random.uniform(0.0, size)).collect()
        }
        _ => Vec::new(),
    };
    let choices = (0..counts.seen() as u32).map(|number| {
        let pairs = counts.pairs_of(number);
        let first = pairs.start;
        let bonus = |pair: usize| noise.get(pair - first).copied().unwrap_or(0.0);
        let (_, best) = min_max(pairs.clone().map(|pair| worth[pair] + bonus(pair)));
        let bar = match ties {
            Ties::Noise => best,
            _ => best - 1e-12 * (set.r_max + best.abs()),
        };
        let tied = pairs.filter(|&pair| worth[pair] + bonus(pair) >= bar);
        let chosen = match ties {
            Ties::LeastVisited => tied.min_by_key(|&p| counts.pairs()[p].visits_before()),
            _ => tied.min(),
        };
        Choice::pure((chosen.unwrap_or(first) - first) as u32)
    });
    let loudest = noise.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
    (choices.collect(), loudest.map_or(0, |(action, _)| action as u32))
}

//! What are the optimal gain and bias if the optimal gain is the same from every state?
//!
//! Three methods. Large MDPs that mix fast: Gauss-Seidel sweeps over a shortlist of pairs (`seidel`).
//! Others that mix: value iteration from zero, damped so that periodic MDPs converge
//! (v <- max r + 0.9 P v + 0.1 v; same gain, bias 0.9 v). MDPs that mix slowly: policy iteration with
//! exact evaluation. All use the same certificate: the optimal gain lies between the smallest and the
//! largest entry of L h - h, widened by a bound on rounding errors (Puterman 1994, section 8.5).
//!
//! The bias is unique up to a constant iff the pairs that are optimal for it have one maximal end
//! component. If it is not unique, the limit of value iteration from zero is reported, which is the
//! one that the paper's algorithms compute.

use super::excess::{self, Stay};
use super::seidel::{self, Gauge, LOOK_LIMIT};
use super::sub_mdp::{Improvement, SubMdp};
use super::{BiasKind, distance};
use crate::chain::ChainValues;
use crate::error::SolveError;
use crate::math;
use crate::pulse::{Pulse, unless_stopped};
use crate::structure;

/// Weight of the transition in a damped sweep; the rest stays in place.
const DAMPING: f64 = 0.9;
/// Transitions that value iteration may read before policy iteration is tried. It decides how large MDPs that mix slowly
/// are solved: mountain-car with 60 x 61 cells by 2194 sweeps, with half the budget by 128 and policy iteration; breakout
/// 4x3 by 128 sweeps and policy iteration, with twice the budget by 1073.
const QUICK_BUDGET: f64 = 3e8;
/// The fewest sweeps of value iteration. Times with 30 and 300 are alike; with 30 the error on a Garnet
/// MDP of 1400 states and 5 next states is 2.9e-12 instead of 2.9e-14.
const FEW: u64 = 100;
/// The same where a policy is evaluated in linear time (see `SubMdp::is_narrow`): RiverSwim with 1000
/// states takes 0.6 ms, with 100 sweeps 1.3 ms to 2.1 ms.
const VERY_FEW: u64 = 10;
/// Transitions that value iteration may read if policy iteration is impossible, times `Aim::patience`: a limit on
/// time, beyond which the bounds reached so far are the answer.
const LAST_BUDGET: f64 = 2e10;
/// Up to this many states, policies are evaluated exactly and value iteration is short. A compromise:
/// with a limit of 300, RiverSwim with 1000 states takes 2.2 ms instead of 0.6 ms, but a Garnet MDP of
/// 1400 states and 5 next states 0.6 ms instead of 35 ms, and Taxi 10 ms instead of 140 ms.
const POLISH_LIMIT: usize = 1_500;
/// Computations of the bounds within which an MDP mixes fast: more would take longer than looking for its end components.
const FEW_LOOKS: u32 = 5;
/// Rounds of policy iteration that improve each state by the values before the round. Later rounds, and
/// all rounds of large sub-MDPs, improve the states in an order in which news travels far
/// (`SubMdp::improve_in_order`): plain rounds carry it one step, so that DeepSea with n rows takes n.
const PLAIN_ROUNDS: usize = 40;
/// The largest number of rounds of policy iteration.
const ROUND_LIMIT: usize = 200;
/// Policy iteration has succeeded, and its bias has digits, if the distance of the bounds and the
/// rounding error are below this, in units of `r_max`.
const GOOD_ENOUGH: f64 = 1e-9;
/// Pairs whose values differ by less count as equally good, in units of `r_max`.
const TIE: f64 = 1e-9;

/// How well a sub-MDP is to be solved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Aim {
    /// The unit of rewards.
    pub(crate) r_max: f64,
    /// The distance between the bounds on the gain to aim at.
    pub(crate) tolerance: f64,
    /// How much longer than usual to go on before giving the bounds reached.
    pub(crate) patience: f64,
    /// False if the gain alone is asked for: then the bias need not be unique or that of value iteration.
    pub(crate) wants_bias: bool,
}

/// The solution of a sub-MDP whose optimal gain does not depend on the state.
pub(crate) struct ConstantGain {
    /// The best estimate of the gain, and certified bounds on it.
    pub(crate) gain: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) bias: Vec<f64>,
    /// The pair (of the sub-MDP) that an optimal policy plays in each state.
    pub(crate) choice: Vec<u32>,
    pub(crate) kind: BiasKind,
    pub(crate) sweeps: u64,
}

impl ConstantGain {
    /// The largest possible error of `gain`.
    pub(crate) fn error(&self) -> f64 {
        distance(self.high, self.gain).max(distance(self.gain, self.low))
    }

    /// The distance of the bounds.
    pub(crate) fn width(&self) -> f64 {
        self.high - self.low
    }

    /// The greedy policy and the bounds on the gain for a bias.
    fn of_bias(sub: &SubMdp<'_>, bias: Vec<f64>, sweeps: u64) -> Self {
        let Improvement { choice, low, high, .. } = sub.improve(&bias, None);
        let (gain, kind) = (low + (high - low) / 2.0, BiasKind::ValueIteration);
        Self { gain, low, high, bias, choice, kind, sweeps }
    }
}

/// Solves a sub-MDP with constant optimal gain.
pub(crate) fn solve(sub: &SubMdp<'_>, aim: Aim) -> ConstantGain {
    solve_mixing(sub, aim).unwrap_or_else(|| solve_any(sub, aim))
}

/// Solves a large sub-MDP that mixes fast and has a unique bias; `None` for others. The gain need not
/// be known to be constant: bounds that meet prove it.
pub(crate) fn solve_mixing(sub: &SubMdp<'_>, aim: Aim) -> Option<ConstantGain> {
    if sub.len() <= POLISH_LIMIT {
        return None;
    }
    mixed(sub, aim, Gauge::Mean, LOOK_LIMIT).or_else(|| {
        if Pulse::is_stopped() {
            return None;
        }
        // States that lead to others in a long row and back to the first: one sweep follows the row.
        let order = sub.successors_first();
        let ordered = sub.renumbered(&order);
        let answer = mixed(&ordered, aim, Gauge::Returns, LOOK_LIMIT)?;
        let (mut bias, mut choice) = (vec![0.0; sub.len()], vec![0; sub.len()]);
        for (index, &state) in order.iter().enumerate() {
            bias[state as usize] = answer.bias[index];
            choice[state as usize] = ordered.pair(answer.choice[index] as usize) as u32;
        }
        Some(ConstantGain { bias, choice, ..answer })
    })
}

fn mixed(sub: &SubMdp<'_>, aim: Aim, gauge: Gauge, looks: u32) -> Option<ConstantGain> {
    let margin = 2.0 * TIE * aim.r_max;
    let outcome = seidel::iterate(sub, aim.r_max, aim.tolerance, margin, gauge, looks)?;
    let list = outcome.shortlist;
    let mut answer = ConstantGain::of_bias(&list, outcome.values, outcome.sweeps);
    let is_possible = |gain: &f64| answer.low <= *gain && *gain <= answer.high;
    answer.gain = outcome.cycle_gain.filter(is_possible).unwrap_or(answer.gain);
    if aim.wants_bias && !is_unique(&list, aim.r_max, &answer.bias) {
        return None;
    }
    answer.kind = BiasKind::Unique;
    answer.choice.iter_mut().for_each(|pair| *pair = list.pair(*pair as usize) as u32);
    Some(answer)
}

/// The same for MDPs that mix so fast that looking for end components would take longer.
pub(crate) fn solve_fast_mixing(sub: &SubMdp<'_>, aim: Aim) -> Option<ConstantGain> {
    if sub.len() <= POLISH_LIMIT {
        return None;
    }
    mixed(sub, aim, Gauge::Mean, FEW_LOOKS)
}

/// The gain of any sub-MDP with constant optimal gain.
pub(crate) fn solve_gain(sub: &SubMdp<'_>, aim: Aim) -> ConstantGain {
    if sub.len() > POLISH_LIMIT {
        return staying(sub, aim).unwrap_or_else(|| solve(sub, aim));
    }
    let answer = solve(sub, aim);
    match answer.width() <= aim.tolerance {
        true => answer,
        false => staying(sub, aim).unwrap_or(answer),
    }
}

/// The solution if it is best never to leave some state.
fn staying(sub: &SubMdp<'_>, aim: Aim) -> Option<ConstantGain> {
    let Stay { state, pair, low, high } = excess::best_to_stay(sub, aim.tolerance)?;
    let mut choice: Vec<u32> =
        (0..sub.len()).map(|state| sub.pairs_of(state).start as u32).collect();
    choice[state] = pair as u32;
    let is_placed = (0..sub.len()).map(|other| other == state).collect();
    let (choice, bias) = (walk_to(sub, &choice, is_placed), vec![0.0; sub.len()]);
    let (gain, kind) = (low, BiasKind::Policy);
    Some(ConstantGain { gain, low, high, bias, choice, kind, sweeps: 0 })
}

/// Solves any sub-MDP with constant optimal gain.
pub(crate) fn solve_any(sub: &SubMdp<'_>, aim: Aim) -> ConstantGain {
    if !aim.wants_bias
        && sub.len() > POLISH_LIMIT
        && let Some(answer) = staying(sub, aim)
    {
        return answer;
    }
    let mut run = Iteration::new(sub);
    let budget = if sub.len() <= POLISH_LIMIT { 0.0 } else { QUICK_BUDGET };
    if run.go_on(sub, aim, budget, Patience::Trend) {
        let iterated = run.answer(sub);
        return polished(sub, aim, iterated);
    }
    let rough = run.answer(sub);
    let Some(mut exact) = best_policy(sub, aim, &mut run, &rough) else {
        // No policy could be evaluated: continue value iteration, whose bounds stay valid.
        run.go_on(sub, aim, LAST_BUDGET * aim.patience, Patience::Last);
        let mut last = run.answer(sub);
        let (least, most) = sub.reward_range();
        (last.low, last.high) = (last.low.max(least), last.high.min(most));
        last.gain = last.low + (last.high - last.low) / 2.0;
        return last;
    };
    exact.sweeps = run.sweeps;
    if !aim.wants_bias {
        return exact;
    }
    if is_unique(sub, aim.r_max, &exact.bias) {
        exact.kind = BiasKind::Unique;
        return exact;
    }
    // Report the limit of value iteration if it converges, else the bias of the policy. The budget is a
    // limit on time; its factor was not measured.
    if run.go_on(sub, aim, 3.0 * QUICK_BUDGET, Patience::Trend) {
        let iterated = run.answer(sub);
        (exact.bias, exact.choice) = (iterated.bias, iterated.choice);
        (exact.kind, exact.sweeps) = (BiasKind::ValueIteration, iterated.sweeps);
    }
    exact
}

/// Policy iteration from the result of a short value iteration.
///
/// First from the greedy policy. That fails if the best states are further away than the number of
/// sweeps: the greedy policy may then leave them after an astronomical time, and its bias has no digits
/// left. Then from the policy that walks to the states with the largest increments.
fn best_policy(
    sub: &SubMdp<'_>,
    aim: Aim,
    run: &mut Iteration,
    rough: &ConstantGain,
) -> Option<ConstantGain> {
    let is_good = |answer: &ConstantGain| answer.width() <= GOOD_ENOUGH * aim.r_max;
    // After very few sweeps the greedy policy is poor, but the increments already show where to go.
    let is_informed = run.sweeps > VERY_FEW;
    let mut best = match is_informed {
        true => policy_iteration(sub, aim, &rough.choice, false).ok(),
        false => None,
    };
    for attempt in 0..2 {
        if best.as_ref().is_some_and(is_good) {
            return best;
        }
        let from = match (attempt, &best) {
            (0, _) => walk_to(sub, &rough.choice, run.most_promising(sub)),
            (_, Some(best)) => best.choice.clone(),
            (_, None) if !is_informed => rough.choice.clone(),
            (_, None) => return None,
        };
        if let Ok(next) = policy_iteration(sub, aim, &from, true)
            && best.as_ref().is_none_or(|best| next.width() < best.width())
        {
            best = Some(next);
        }
    }
    let mut best = best?;
    // The bounds of value iteration hold as well.
    (best.low, best.high) = (best.low.max(rough.low), best.high.min(rough.high));
    best.gain = best.gain.max(best.low).min(best.high);
    Some(best)
}

/// Replaces a converged value iteration by the exact values of its policy if their bounds are tighter.
fn polished(sub: &SubMdp<'_>, aim: Aim, mut iterated: ConstantGain) -> ConstantGain {
    if aim.wants_bias && !is_unique(sub, aim.r_max, &iterated.bias) {
        return iterated;
    }
    iterated.kind = BiasKind::Unique;
    if sub.len() <= POLISH_LIMIT
        && let Ok(mut exact) = policy_iteration(sub, aim, &iterated.choice, true)
        && exact.width() <= iterated.width()
    {
        (exact.kind, exact.sweeps) = (BiasKind::Unique, iterated.sweeps);
        return exact;
    }
    iterated
}

/// When value iteration gives up.
#[derive(Debug, Clone, Copy)]
enum Patience {
    /// As soon as the trend exceeds the budget.
    Trend,
    /// At the end of the budget, or when doubling the sweeps three times has brought next to nothing.
    Last,
}

/// Damped value iteration from zero, which can be continued.
struct Iteration {
    values: Vec<f64>,
    swept: Vec<f64>,
    sweeps: u64,
}

impl Iteration {
    fn new(sub: &SubMdp<'_>) -> Self {
        Self { values: vec![0.0; sub.len()], swept: vec![0.0; sub.len()], sweeps: 0 }
    }

    /// Sweeps until the increments agree within the tolerance or rounding; false if that takes more
    /// transitions than `budget`. At least `FEW` or `VERY_FEW` sweeps are allowed.
    fn go_on(&mut self, sub: &SubMdp<'_>, aim: Aim, budget: f64, patience: Patience) -> bool {
        // A large MDP that does not mix is swept for two of these before policy iteration: river-swim with 10000 states
        // 128 times, with 32 here 64 times, with 128 here 256 times.
        const TREND: u64 = 64;
        let Aim { r_max, tolerance, .. } = aim;
        // In transitions read: a state costs about as much as ten, a sweep as a hundred. An estimate for
        // a limit on time, not measured.
        let cost = (sub.transitions() + 10 * sub.len() + 100) as f64;
        let fewest = if sub.len() <= POLISH_LIMIT && sub.is_narrow() { VERY_FEW } else { FEW };
        let allowed = ((budget / cost) as u64).max(fewest);
        let (mut earlier_span, mut next_look, mut hopeless) = (f64::INFINITY, TREND, 0);
        for sweep in unless_stopped(1..=allowed) {
            let (low, high) = sub.sweep(&self.values, DAMPING, &mut self.swept);
            self.sweeps += 1;
            // Only differences between states matter; keep the numbers small.
            let reference = self.swept[0];
            self.swept.iter_mut().for_each(|value| *value -= reference);
            std::mem::swap(&mut self.values, &mut self.swept);
            let span = high - low;
            if span <= tolerance {
                return true;
            }
            if sweep == next_look {
                // Both bounds may be off by the rounding; and where they still approach each other, it is not reached.
                if span <= 2.0 * sub.rounding(&self.values, r_max) && span > 0.9 * earlier_span {
                    return true;
                }
                let passed = match patience {
                    Patience::Trend => TREND,
                    Patience::Last => sweep - sweep / 2,
                };
                let decay = math::ln(earlier_span / span) / passed as f64;
                let needed = math::ln(span / tolerance) / decay;
                let left = (allowed - sweep) as f64;
                match patience {
                    Patience::Trend => {
                        let will_do = needed < left; // false if decay <= 0 or NaN
                        if earlier_span.is_finite() && !will_do {
                            return false;
                        }
                        next_look += TREND;
                    }
                    Patience::Last => {
                        // News may be under way through all states, and then the trend says nothing; sweeps read old values,
                        // so that it may need a few times as many sweeps as there are states. Later, a trend that would take
                        // a hundred times what is left, three looks in a row, each over twice the sweeps of the one before, is
                        // none. All three only limit the time spent where no answer is expected.
                        let is_early = sweep < 8 * sub.len() as u64;
                        let helps = decay > 0.0 && needed < 100.0 * left;
                        hopeless = if is_early || helps { 0 } else { hopeless + 1 };
                        if hopeless == 3 {
                            return false;
                        }
                        next_look *= 2;
                    }
                }
                earlier_span = span;
            }
        }
        false
    }

    /// True for the states whose increment is in the upper tenth of the range of increments.
    fn most_promising(&mut self, sub: &SubMdp<'_>) -> Vec<bool> {
        let (low, high) = sub.sweep(&self.values, DAMPING, &mut self.swept);
        let bar = high - 0.1 * (high - low);
        self.swept.iter().zip(&self.values).map(|(new, old)| new - old >= bar).collect()
    }

    fn answer(&self, sub: &SubMdp<'_>) -> ConstantGain {
        let bias = self.values.iter().map(|value| DAMPING * value).collect();
        ConstantGain::of_bias(sub, bias, self.sweeps)
    }
}

/// Policy iteration from a given policy. Every policy is changed so that all its closed classes have
/// the best gain, so that its gain is constant. Returns the policy with the tightest bounds.
///
/// Unless `is_patient`, stops at the first bias whose rounding errors exceed `GOOD_ENOUGH`.
fn policy_iteration(
    sub: &SubMdp<'_>,
    aim: Aim,
    from: &[u32],
    is_patient: bool,
) -> Result<ConstantGain, SolveError> {
    let Aim { r_max, tolerance, .. } = aim;
    let mut choice = from.to_vec();
    let mut best: Option<ConstantGain> = None;
    let mut trouble = None;
    let mut order: Option<Vec<u32>> = None;
    for round in unless_stopped(0..ROUND_LIMIT) {
        let mut values = match sub.chain(&choice).values() {
            Ok(values) => values,
            Err(error) => {
                trouble = Some(error);
                break;
            }
        };
        let best_gain = best_gain_of(&values);
        // A tenth of `GOOD_ENOUGH`: gains of two classes, evaluated apart, differ by rounding.
        let is_best = |state: u32| values.gain[state as usize] >= best_gain - 1e-10 * r_max;
        if values.classes.iter().any(|class| !is_best(class[0].0)) {
            // States that may end in a worse class walk to the best classes instead.
            let best_classes = values.classes.iter().filter(|class| is_best(class[0].0));
            let members: Vec<u32> = best_classes.flatten().map(|entry| entry.0).collect();
            choice = led_to(sub, &choice, &members);
            values = match sub.chain(&choice).values() {
                Ok(values) => values,
                Err(error) => {
                    trouble = Some(error);
                    break;
                }
            };
        }
        let Improvement { choice: mut improved, low, high, rounding } =
            sub.improve(&values.bias, Some(&choice));
        let is_plain = round < PLAIN_ROUNDS && sub.len() <= POLISH_LIMIT;
        if improved != choice && high - low > tolerance && !is_plain {
            let order = order.get_or_insert_with(|| sub.successors_first());
            improved = sub.improve_in_order(order, best_gain_of(&values), &values.bias, &choice);
        }
        if best.as_ref().is_none_or(|best| high - low < best.width()) {
            best = Some(ConstantGain {
                gain: best_gain_of(&values),
                low,
                high,
                bias: values.bias,
                choice: choice.clone(),
                kind: BiasKind::Policy,
                sweeps: 0,
            });
        }
        let has_digits = rounding <= GOOD_ENOUGH * r_max;
        if improved == choice || high - low <= tolerance || !(is_patient || has_digits) {
            break;
        }
        choice = improved;
    }
    best.ok_or(trouble.unwrap_or(SolveError::TooSlow { what: "policy iteration" }))
}

fn best_gain_of(values: &ChainValues) -> f64 {
    values.gain.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// Changes a policy so that it ends in the closed classes `members` with probability one: states for
/// which it does keep their pair, the others take one that leads closer with positive probability.
fn led_to(sub: &SubMdp<'_>, choice: &[u32], members: &[u32]) -> Vec<u32> {
    let states = sub.len();
    let mut is_member = vec![false; states];
    members.iter().for_each(|&state| is_member[state as usize] = true);
    let (components, is_closed) = sub.chain(choice).components();
    // Components lead only to smaller numbers, so one pass finds those that may end elsewhere.
    let mut gets_lost = vec![false; components.count];
    for (index, states) in components.members().into_iter().enumerate() {
        gets_lost[index] = if is_closed[index] {
            !is_member[states[0] as usize]
        } else {
            states.iter().any(|&state| {
                let targets = sub.targets(choice[state as usize] as usize).iter();
                targets.map(|&next| components.of[next as usize] as usize).any(|c| gets_lost[c])
            })
        };
    }
    let is_placed = (0..states).map(|state| !gets_lost[components.of[state] as usize]).collect();
    walk_to(sub, choice, is_placed)
}

/// Changes a policy outside the given states so that it reaches them: breadth-first, each state takes
/// the pair most likely to lead to states already placed.
pub(crate) fn walk_to(sub: &SubMdp<'_>, choice: &[u32], mut is_placed: Vec<bool>) -> Vec<u32> {
    let states = sub.len();
    let mut led = choice.to_vec();
    let into = crate::graph::Reversed::new(states, |edge| {
        for state in (0..states).filter(|&state| !is_placed[state]) {
            for pair in sub.pairs_of(state) {
                sub.targets(pair).iter().for_each(|&next| edge(pair as u32, next as usize));
            }
        }
    });
    let mut owner = vec![0u32; sub.pairs_of(states - 1).end];
    for state in 0..states {
        owner[sub.pairs_of(state)].fill(state as u32);
    }
    let mut queue: std::collections::VecDeque<usize> =
        (0..states).filter(|&state| is_placed[state]).collect();
    while let Some(state) = queue.pop_front() {
        for &pair in into.owners(state) {
            let from = owner[pair as usize] as usize;
            if !is_placed[from] {
                let pairs = sub.pairs_of(from);
                let chance = |pair: usize| sub.chance_of(pair, &is_placed);
                let best = pairs.max_by(|&a, &b| chance(a).total_cmp(&chance(b)));
                led[from] = best.map_or(pair, |best| best as u32);
                is_placed[from] = true;
                queue.push_back(from);
            }
        }
    }
    led
}

/// True if the bias is unique up to a constant: the pairs that are optimal for it have one maximal end
/// component. Near ties count as ties, so a unique bias may be reported as not unique.
fn is_unique(sub: &SubMdp<'_>, r_max: f64, bias: &[f64]) -> bool {
    let table = sub.table();
    let mut is_struck = vec![false; table.row_start.len() - 1];
    for state in (0..sub.len()).filter(|&state| sub.pairs_of(state).len() > 1) {
        let added = |pair: usize| sub.increment(state, pair, bias);
        let best = sub.pairs_of(state).map(|p| added(p).0).fold(f64::NEG_INFINITY, f64::max);
        for pair in sub.pairs_of(state) {
            let (added, noise) = added(pair);
            is_struck[pair] = added < best - TIE * r_max - 2.0 * noise;
        }
    }
    structure::all_end_components_meet(table, &is_struck)
        || structure::end_components_without(table, is_struck).count() == 1
}

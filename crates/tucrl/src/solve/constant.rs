//! What is the best long-run reward where it is the same from every state?
//!
//! Three methods share the work. Large worlds that mix are done by sweeps in place over ever fewer
//! pairs (`solve::seidel`). *Value iteration* from zero, damped so that periodic worlds converge
//! (v -> r + 0.9 P v + 0.1 v; gain unchanged, bias = 0.9 v), is best where the world mixes. *Policy
//! iteration* with exact evaluation is best where it does not. All are judged by the same
//! certificate: the optimal gain lies between the smallest and the largest entry of L h - h, widened
//! by what rounding can have done.
//!
//! The bias is unique up to a constant iff the states that optimal policies can visit for ever
//! communicate through optimal actions. Where it is not unique, the limit of value iteration from
//! zero is the one that is reported, because that is the one the paper's algorithms would compute.
//!
//! Reads `solve::part`, `solve::seidel`, `chain`, `structure`; feeds `solve`. Departures: none.

use super::BiasKind;
use super::part::{Improvement, Part};
use super::seidel;
use crate::chain::ChainValues;
use crate::error::SolveError;
use crate::structure;

/// Weight of the real transition in a damped sweep; the rest stays.
const DAMPING: f64 = 0.9;
/// Transitions that the first, hopeful value iteration may touch.
const QUICK_BUDGET: f64 = 3e8;
/// The same where an exact evaluation costs little: as few sweeps as there can be.
const SMALL_BUDGET: f64 = 0.0;
/// The fewest sweeps, and where an exact evaluation costs next to nothing.
const FEW: f64 = 100.0;
const VERY_FEW: f64 = 10.0;
/// Transitions that the last, stubborn one may touch.
const STUBBORN_BUDGET: f64 = 2e10;
/// Up to this many states, an exact evaluation costs nothing and gains the last digits.
const POLISH_LIMIT: usize = 1_500;
/// Rounds of policy iteration; a handful are the rule.
const ROUND_LIMIT: usize = 200;
/// Rounds of policy iteration whose biases have lost their digits before another start is tried.
const PATIENCE: usize = 1;
/// Bounds this close, in units of `r_max`, need no other start.
const GOOD_ENOUGH: f64 = 1e-9;
/// Pairs this close, in units of `r_max`, count as equally good.
const TIE: f64 = 1e-9;

/// The answer on a part whose optimal gain does not depend on the state.
pub(crate) struct Constant {
    /// The best estimate of the gain, and certified bounds on it.
    pub(crate) gain: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) bias: Vec<f64>,
    /// The pair (of the part) that an optimal policy plays in each state.
    pub(crate) choice: Vec<u32>,
    pub(crate) kind: BiasKind,
    pub(crate) sweeps: u64,
}

impl Constant {
    /// How far the estimate can be from the truth.
    pub(crate) fn error(&self) -> f64 {
        (self.high - self.gain).max(self.gain - self.low)
    }

    fn width(&self) -> f64 {
        self.high - self.low
    }

    /// What a bias found by sweeps says: the policy that is greedy for it, and bounds on the gain.
    fn of_bias(part: &Part<'_>, bias: Vec<f64>, sweeps: u64) -> Self {
        let Improvement { choice, low, high, .. } = part.improve(&bias, None);
        let (gain, kind) = (low + (high - low) / 2.0, BiasKind::ValueIteration);
        Self { gain, low, high, bias, choice, kind, sweeps }
    }
}

/// Solves a part on which the optimal gain is constant, aiming at bounds `tolerance` apart.
pub(crate) fn solve(part: &Part<'_>, r_max: f64, tolerance: f64) -> Constant {
    solve_mixing(part, r_max, tolerance).unwrap_or_else(|| solve_patiently(part, r_max, tolerance))
}

/// Solves a large part that mixes and has one bias only, or says that this is not one. Nothing need be
/// known about it: bounds that meet prove that the gain is constant.
pub(crate) fn solve_mixing(part: &Part<'_>, r_max: f64, tolerance: f64) -> Option<Constant> {
    if part.len() <= POLISH_LIMIT {
        return None;
    }
    let outcome = seidel::iterate(part, r_max, tolerance, 2.0 * TIE * r_max)?;
    let list = outcome.shortlist;
    let mut answer = Constant::of_bias(&list, outcome.values, outcome.sweeps);
    if !is_unique(&list, r_max, &answer.bias) {
        return None;
    }
    answer.kind = BiasKind::Unique;
    answer.choice.iter_mut().for_each(|pair| *pair = list.pair(*pair as usize) as u32);
    Some(answer)
}

/// Solves any part on which the optimal gain is constant.
pub(crate) fn solve_patiently(part: &Part<'_>, r_max: f64, tolerance: f64) -> Constant {
    let is_small = part.len() <= POLISH_LIMIT;
    let mut run = Iteration::new(part);
    let budget = if is_small { SMALL_BUDGET } else { QUICK_BUDGET };
    if run.go_on(part, r_max, tolerance, budget, true) {
        let iterated = run.answer(part);
        return polished(part, r_max, tolerance, iterated);
    }
    let rough = run.answer(part);
    let Some(mut exact) = best_policy(part, r_max, tolerance, &mut run, &rough) else {
        // Too large to eliminate: sweeps are all there is, and their bounds are honest.
        run.go_on(part, r_max, tolerance, STUBBORN_BUDGET, false);
        return run.answer(part);
    };
    exact.sweeps = run.sweeps;
    if is_unique(part, r_max, &exact.bias) {
        exact.kind = BiasKind::Unique;
        return exact;
    }
    // The limit from zero is asked for; without it, the policy's own bias is an answer too.
    if run.go_on(part, r_max, tolerance, 3.0 * QUICK_BUDGET, true) {
        let iterated = run.answer(part);
        (exact.bias, exact.choice) = (iterated.bias, iterated.choice);
        (exact.kind, exact.sweeps) = (BiasKind::ValueIteration, iterated.sweeps);
    }
    exact
}

/// Policy iteration from what a short value iteration suggests.
///
/// First the greedy policy. It fails where the good place lies so far away that the news has not
/// arrived: there the policy may leave the good place for good after an astronomical time, and its
/// bias has no digits left. Then everyone is sent to where the increments are highest.
fn best_policy(
    part: &Part<'_>,
    r_max: f64,
    tolerance: f64,
    run: &mut Iteration,
    rough: &Constant,
) -> Option<Constant> {
    let is_good = |answer: &Constant| answer.width() <= GOOD_ENOUGH * r_max;
    // Hardly any sweeps say hardly anything about what is best, but enough about where.
    let is_informed = run.sweeps > VERY_FEW as u64;
    let mut best = match is_informed {
        true => policy_iteration(part, r_max, tolerance, &rough.choice, PATIENCE).ok(),
        false => None,
    };
    for attempt in 0..2 {
        if best.as_ref().is_some_and(is_good) {
            return best;
        }
        let from = match (attempt, &best) {
            (0, _) => walk_to(part, &rough.choice, run.most_promising(part)),
            (_, Some(best)) => best.choice.clone(),
            (_, None) if !is_informed => rough.choice.clone(),
            (_, None) => return None,
        };
        if let Ok(next) = policy_iteration(part, r_max, tolerance, &from, ROUND_LIMIT)
            && best.as_ref().is_none_or(|best| next.width() < best.width())
        {
            best = Some(next);
        }
    }
    let mut best = best?;
    // Bounds of the rough answer hold for the better one too.
    (best.low, best.high) = (best.low.max(rough.low), best.high.min(rough.high));
    best.gain = best.gain.max(best.low).min(best.high);
    Some(best)
}

/// Replaces a converged iterate by the exact values of its policy where that is better.
fn polished(part: &Part<'_>, r_max: f64, tolerance: f64, mut iterated: Constant) -> Constant {
    if !is_unique(part, r_max, &iterated.bias) {
        return iterated;
    }
    iterated.kind = BiasKind::Unique;
    if part.len() <= POLISH_LIMIT
        && let Ok(mut exact) =
            policy_iteration(part, r_max, tolerance, &iterated.choice, ROUND_LIMIT)
        && exact.width() <= iterated.width()
    {
        (exact.kind, exact.sweeps) = (BiasKind::Unique, iterated.sweeps);
        return exact;
    }
    iterated
}

/// A damped value iteration from zero that can be continued.
struct Iteration {
    values: Vec<f64>,
    swept: Vec<f64>,
    sweeps: u64,
}

impl Iteration {
    fn new(part: &Part<'_>) -> Self {
        Self { values: vec![0.0; part.len()], swept: vec![0.0; part.len()], sweeps: 0 }
    }

    /// Sweeps until the increments agree within the tolerance (or rounding), or the budget ends;
    /// when `may_despair`, also stops as soon as the trend says that the budget will not do.
    fn go_on(
        &mut self,
        part: &Part<'_>,
        r_max: f64,
        tolerance: f64,
        budget: f64,
        may_despair: bool,
    ) -> bool {
        const TREND: u64 = 64;
        let cost = (part.transitions() + 10 * part.len() + 100) as f64;
        let fewest = if part.len() <= POLISH_LIMIT && part.is_narrow() { VERY_FEW } else { FEW };
        let allowed = (budget / cost).max(fewest) as u64;
        let mut earlier_span = f64::INFINITY;
        for sweep in 1..=allowed {
            let (low, high) = part.sweep(&self.values, DAMPING, &mut self.swept);
            self.sweeps += 1;
            // Keep the numbers small: only differences between states mean anything.
            let reference = self.swept[0];
            self.swept.iter_mut().for_each(|value| *value -= reference);
            std::mem::swap(&mut self.values, &mut self.swept);
            let span = high - low;
            if span <= tolerance {
                return true;
            }
            if sweep % TREND == 0 {
                if span <= 2.0 * part.rounding(&self.values, r_max) && span > 0.9 * earlier_span {
                    return true;
                }
                let decay = (earlier_span / span).ln() / TREND as f64;
                let needed = (span / tolerance).ln() / decay;
                let will_do = needed < (allowed - sweep) as f64; // not when nothing decays
                if may_despair && earlier_span.is_finite() && !will_do {
                    return false;
                }
                earlier_span = span;
            }
        }
        false
    }

    /// Where one more sweep adds nearly as much as anywhere.
    fn most_promising(&mut self, part: &Part<'_>) -> Vec<bool> {
        let (low, high) = part.sweep(&self.values, DAMPING, &mut self.swept);
        let bar = high - 0.1 * (high - low);
        self.swept.iter().zip(&self.values).map(|(new, old)| new - old >= bar).collect()
    }

    fn answer(&self, part: &Part<'_>) -> Constant {
        let bias = self.values.iter().map(|value| DAMPING * value).collect();
        Constant::of_bias(part, bias, self.sweeps)
    }
}

/// Policy iteration from a given policy, whose closed classes are kept equally good so that one
/// bias speaks for all states; gives up after `patience` rounds with biases beyond all digits.
/// Returns the tightest bounds met; the caller judges them.
fn policy_iteration(
    part: &Part<'_>,
    r_max: f64,
    tolerance: f64,
    from: &[u32],
    mut patience: usize,
) -> Result<Constant, SolveError> {
    let mut choice = from.to_vec();
    let mut best: Option<Constant> = None;
    let mut trouble = None;
    for _ in 0..ROUND_LIMIT {
        let mut values = match part.chain(&choice).values() {
            Ok(values) => values,
            Err(error) => {
                trouble = Some(error);
                break;
            }
        };
        let best_gain = best_gain_of(&values);
        let is_best = |state: u32| values.gain[state as usize] >= best_gain - 1e-10 * r_max;
        if values.classes.iter().any(|class| !is_best(class[0].0)) {
            // States that may end up in a worse class walk to the best ones instead.
            let best_classes = values.classes.iter().filter(|class| is_best(class[0].0));
            let members: Vec<u32> = best_classes.flatten().map(|entry| entry.0).collect();
            choice = led_to(part, &choice, &members);
            values = match part.chain(&choice).values() {
                Ok(values) => values,
                Err(error) => {
                    trouble = Some(error);
                    break;
                }
            };
        }
        let Improvement { choice: improved, low, high, rounding } =
            part.improve(&values.bias, Some(&choice));
        if best.as_ref().is_none_or(|best| high - low < best.width()) {
            best = Some(Constant {
                gain: best_gain_of(&values),
                low,
                high,
                bias: values.bias,
                choice: choice.clone(),
                kind: BiasKind::Policy,
                sweeps: 0,
            });
        }
        if rounding > GOOD_ENOUGH * r_max {
            patience -= 1;
        }
        if improved == choice || high - low <= tolerance || patience == 0 {
            break;
        }
        choice = improved;
    }
    best.ok_or(trouble.unwrap_or(SolveError::TooSlow { what: "policy iteration" }))
}

fn best_gain_of(values: &ChainValues) -> f64 {
    values.gain.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// Changes a policy so that it surely ends in the closed classes `members`: states that already do
/// keep their pair, the others take one that leads nearer with positive probability.
fn led_to(part: &Part<'_>, choice: &[u32], members: &[u32]) -> Vec<u32> {
    let states = part.len();
    let mut is_member = vec![false; states];
    members.iter().for_each(|&state| is_member[state as usize] = true);
    let (components, is_closed) = part.chain(choice).components();
    // Components only lead to smaller numbers: one pass decides who can get lost elsewhere.
    let mut gets_lost = vec![false; components.count];
    for (index, states) in components.members().into_iter().enumerate() {
        gets_lost[index] = if is_closed[index] {
            !is_member[states[0] as usize]
        } else {
            states.iter().any(|&state| {
                let targets = part.targets(choice[state as usize] as usize).iter();
                targets.map(|&next| components.of[next as usize] as usize).any(|c| gets_lost[c])
            })
        };
    }
    let is_placed = (0..states).map(|state| !gets_lost[components.of[state] as usize]).collect();
    walk_to(part, choice, is_placed)
}

/// Changes a policy outside some states so that it leads to them, nearer with every lucky step.
fn walk_to(part: &Part<'_>, choice: &[u32], mut is_placed: Vec<bool>) -> Vec<u32> {
    let states = part.len();
    let mut led = choice.to_vec();
    let into = crate::graph::Reversed::new(states, |edge| {
        for state in (0..states).filter(|&state| !is_placed[state]) {
            for pair in part.pairs_of(state) {
                part.targets(pair).iter().for_each(|&next| edge(pair as u32, next as usize));
            }
        }
    });
    let mut owner = vec![0u32; part.pairs_of(states - 1).end];
    for state in 0..states {
        owner[part.pairs_of(state)].fill(state as u32);
    }
    let mut queue: std::collections::VecDeque<usize> =
        (0..states).filter(|&state| is_placed[state]).collect();
    while let Some(state) = queue.pop_front() {
        for &pair in into.owners(state) {
            let from = owner[pair as usize] as usize;
            if !is_placed[from] {
                let pairs = part.pairs_of(from);
                let luck = |pair: usize| part.chance_of(pair, &is_placed);
                let best = pairs.max_by(|&a, &b| luck(a).total_cmp(&luck(b)));
                led[from] = best.map_or(pair, |best| best as u32);
                is_placed[from] = true;
                queue.push_back(from);
            }
        }
    }
    led
}

/// Whether the bias is unique up to a constant: the pairs that are optimal for it form one end
/// component. Near ties count as ties, which errs on the side of "not unique".
fn is_unique(part: &Part<'_>, r_max: f64, bias: &[f64]) -> bool {
    let table = part.table();
    let mut is_struck = vec![false; table.row_start.len() - 1];
    for state in (0..part.len()).filter(|&state| part.pairs_of(state).len() > 1) {
        let added = |pair: usize| part.increment(state, pair, bias);
        let best = part.pairs_of(state).map(|p| added(p).0).fold(f64::NEG_INFINITY, f64::max);
        for pair in part.pairs_of(state) {
            let (added, noise) = added(pair);
            is_struck[pair] = added < best - TIE * r_max - 2.0 * noise;
        }
    }
    structure::all_end_components_meet(table, &is_struck)
        || structure::end_components_without(table, is_struck).count() == 1
}

//! What are the optimal gain, bias and policy of a finite MDP?
//!
//! Solves the optimality equations g = max P g and g + h = max (r + P h), the second over the actions
//! that attain the first (paper, section 2; Puterman 1994, chapter 9), for any finite MDP: periodic,
//! with transient states, multichain. Gains have certified bounds.
//!
//! If the bounds on the gain meet, it is constant and no structure is needed. Otherwise, with one
//! maximal end component, `constant` solves the MDP. With several, each is solved on its own,
//! `quotient` decides which one to stay in, and the bias is solved on the actions that conserve the
//! gain, with rewards r - g. Who asks for the gain alone ([`gains`]) does not pay for the bias: transient states are
//! left out, and in a large MDP `excess` may prove that it is best to stay in one state.
//!
//! No MDP is refused. Where rounding or the work allowed does not decide the gain, the certified bounds
//! stay apart, at worst 0 and `r_max`.
//!
//! The MDP *is* the numbers stored in its table, except that a row sums to one only up to rounding. The
//! bounds hold for both readings: each row divided by its sum, or the probability of staying taken as
//! what the others leave.

mod circle;
mod constant;
mod excess;
mod played;
mod quotient;
mod seidel;
mod stopping;
mod sub_mdp;

use crate::error::SolveError;
use crate::mdp::Mdp;
use crate::policy::Policy;
use crate::pulse::Pulse;
use crate::structure::{self, EndComponents};
use constant::{Aim, ConstantGain};
use quotient::{Quotient, Settled, Worth};
use sub_mdp::SubMdp;

pub use played::policy_gains;

/// The distance between the bounds on a gain that the solver aims at, in units of `r_max`.
const TOLERANCE: f64 = 1e-13;

/// Which solution of the optimality equation the bias is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BiasKind {
    /// The only one, up to a constant.
    Unique,
    /// One of many: the limit of value iteration from zero (damped by 0.9).
    ValueIteration,
    /// One of many: the bias of the returned policy, because value iteration is too slow.
    Policy,
}

/// The exact solution of an MDP.
#[derive(Debug, Clone)]
pub struct Solution {
    /// The optimal gain from each state, counted from the lowest possible reward as [`Mdp::mean_reward`] is.
    #[doc(alias = "g*")]
    pub gain: Vec<f64>,
    /// A certified bound on the error of each gain.
    pub gain_error: Vec<f64>,
    /// A bias that solves the optimality equation; its smallest entry is 0.
    #[doc(alias = "h*")]
    pub bias: Vec<f64>,
    /// Which solution the bias is.
    pub bias_kind: BiasKind,
    /// A deterministic optimal policy.
    pub policy: Policy,
    /// Sweeps of value iteration.
    pub sweeps: u64,
}

impl Solution {
    /// The optimal gain from the start, and its certified error.
    pub fn gain_from_start(&self, mdp: &Mdp) -> (f64, f64) {
        from_start(mdp, &self.gain, &self.gain_error)
    }

    /// The span of the bias over all states.
    #[doc(alias = "sp(h*)")]
    pub fn span(&self) -> f64 {
        span(self.bias.iter().copied())
    }

    /// The span of the bias over some states.
    pub fn span_within(&self, is_inside: &[bool]) -> f64 {
        span(self.bias.iter().zip(is_inside).filter(|entry| *entry.1).map(|entry| *entry.0))
    }
}

/// The optimal gains of an MDP, without a bias and a policy.
#[derive(Debug, Clone)]
pub struct Gains {
    /// The optimal gain from each state, counted from the lowest possible reward as [`Mdp::mean_reward`] is.
    pub gain: Vec<f64>,
    /// A certified bound on the error of each gain.
    pub gain_error: Vec<f64>,
}

impl Gains {
    /// The optimal gain from the start, and its certified error.
    pub fn from_start(&self, mdp: &Mdp) -> (f64, f64) {
        from_start(mdp, &self.gain, &self.gain_error)
    }

    /// Rewards lie in [0, r_max], and so do gains.
    fn in_range(mdp: &Mdp, mut gain: Vec<f64>, mut gain_error: Vec<f64>) -> Self {
        let r_max = mdp.r_max();
        for (gain, error) in gain.iter_mut().zip(&mut gain_error) {
            *gain = gain.clamp(0.0, r_max);
            *error = error.min(gain.max(distance(r_max, *gain)));
        }
        Self { gain, gain_error }
    }
}

/// The mean over the start states, and its certified error.
fn from_start(mdp: &Mdp, gain: &[f64], gain_error: &[f64]) -> (f64, f64) {
    if let [(state, _)] = mdp.start().collect::<Vec<_>>()[..] {
        return (gain[state], gain_error[state]);
    }
    let terms = mdp.start().len() as f64;
    let (gain, error) = mdp.start().fold((0.0, 0.0), |(sum, error), (state, p)| {
        (sum + p * gain[state], error + p * gain_error[state])
    });
    // The rounding errors of the law, the products and the sums.
    let blur = (2.0 * terms + 4.0) * f64::EPSILON * (gain + error);
    (gain, error + blur + terms * f64::MIN_POSITIVE)
}

fn span(values: impl Iterator<Item = f64>) -> f64 {
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    (high - low).max(0.0)
}

/// Solves an MDP exactly.
///
/// ```
/// use tucrl::{mdp::Mdp, solve::solve};
/// // Staying in state 1 pays 1 per step; leaving state 0 takes two steps on average.
/// let mut builder = Mdp::builder();
/// builder.state().action(0.5, [(0, 1.0)]).action(0.0, [(0, 0.5), (1, 0.5)]);
/// builder.state().action(1.0, [(1, 1.0)]).action(0.0, [(0, 1.0)]);
/// builder.start_at(0);
/// let mdp = builder.build()?;
/// let answer = solve(&mdp)?;
/// let (gain, error) = answer.gain_from_start(&mdp);
/// assert!((gain - 1.0).abs() <= error && error < 1e-12);
/// assert!((answer.span() - 2.0).abs() < 1e-12);
/// assert_eq!(answer.policy.action(0), Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// None at present: a gain that is not found is no error but a large [`Solution::gain_error`].
pub fn solve(mdp: &Mdp) -> Result<Solution, SolveError> {
    solve_with(mdp, Effort::default())
}

/// Solves an MDP until the bounds on the gain are within `accuracy`, or as close as rounding allows. A
/// larger `accuracy` takes less time.
///
/// # Errors
/// As for [`solve`].
pub fn solve_to(mdp: &Mdp, accuracy: f64) -> Result<Solution, SolveError> {
    solve_with(mdp, Effort { accuracy, ..Effort::default() })
}

/// How well and how long an MDP is to be solved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// The distance between the bounds on the gain to aim at; 0 for as close as rounding allows.
    pub accuracy: f64,
    /// How much longer than usual to go on before the solver gives the bounds it has; 1 by default, which
    /// is about a minute. It matters for large MDPs that mix slowly and fill the memory if eliminated.
    pub patience: f64,
}

impl Default for Effort {
    fn default() -> Self {
        Self { accuracy: 0.0, patience: 1.0 }
    }
}

/// Solves an MDP with a given effort.
///
/// # Errors
/// As for [`solve`].
pub fn solve_with(mdp: &Mdp, effort: Effort) -> Result<Solution, SolveError> {
    let solution = solve_within(mdp, effort);
    if Pulse::is_stopped() {
        return Err(SolveError::Interrupted { what: "the optimal gain" });
    }
    solution
}

/// The optimal gains alone, with the same certificate. This is faster than [`solve_with`] where a bias takes time: in
/// MDPs with several end components or with many transient states.
///
/// ```
/// use tucrl::{mdp::Mdp, solve::{Effort, gains}};
/// // State 0 leads to one of two states that are never left.
/// let mut builder = Mdp::builder();
/// builder.state().action(0.0, [(1, 0.25), (2, 0.75)]);
/// builder.state().action(1.0, [(1, 1.0)]);
/// builder.state().action(0.5, [(2, 1.0)]);
/// builder.start_at(0);
/// let mdp = builder.build()?;
/// let (gain, error) = gains(&mdp, Effort::default())?.from_start(&mdp);
/// assert!((gain - 0.625).abs() <= error && error < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As for [`solve`].
pub fn gains(mdp: &Mdp, effort: Effort) -> Result<Gains, SolveError> {
    let aim = effort.aim(mdp, false);
    let sub = SubMdp::whole(mdp);
    let constant = |answer: ConstantGain| {
        let (gain, error) = (vec![answer.gain; mdp.states()], vec![answer.error(); mdp.states()]);
        Gains::in_range(mdp, gain, error)
    };
    if !has_several_ends(mdp)
        && let Some(answer) = constant::solve_fast_mixing(&sub, aim)
    {
        return Ok(constant(answer));
    }
    let end_components = structure::end_components(mdp);
    if Pulse::is_stopped() {
        // These are no end components.
        return Err(SolveError::Interrupted { what: "the structure" });
    }
    let found = match end_components.members() {
        [all] if all.len() == mdp.states() => constant(constant::solve_gain(&sub, aim)),
        [members] => {
            let local = &mut vec![0; mdp.states()];
            let sub = component(mdp, &end_components, members, local);
            constant(constant::solve_gain(&sub, aim))
        }
        _ => {
            let Multichain { gain, error, .. } = multichain(mdp, &end_components, aim);
            Gains::in_range(mdp, gain, error)
        }
    };
    if Pulse::is_stopped() {
        return Err(SolveError::Interrupted { what: "the optimal gain" });
    }
    Ok(found)
}

impl Effort {
    fn aim(self, mdp: &Mdp, wants_bias: bool) -> Aim {
        let r_max = mdp.r_max();
        let tolerance = self.accuracy.max(TOLERANCE * r_max);
        Aim { r_max, tolerance, patience: self.patience, wants_bias }
    }
}

/// True if two states can never be left and have different gains: then the gain is not constant, and there is no need
/// to try methods for constant gains.
fn has_several_ends(mdp: &Mdp) -> bool {
    let is_end = |state: usize| {
        let mut pairs = mdp.pairs_of(state);
        pairs.all(|pair| *mdp.row(pair).next == [state as u32])
    };
    let worth = |state: usize| {
        mdp.pairs_of(state).map(|pair| mdp.mean_reward(pair)).fold(f64::NEG_INFINITY, f64::max)
    };
    let mut ends = (0..mdp.states()).filter(|&state| is_end(state)).map(worth);
    ends.next().is_some_and(|first| ends.any(|other| other != first))
}

fn solve_within(mdp: &Mdp, effort: Effort) -> Result<Solution, SolveError> {
    let aim = effort.aim(mdp, true);
    let sub = SubMdp::whole(mdp);
    let states = mdp.states();
    if !has_several_ends(mdp)
        && let Some(answer) = constant::solve_mixing(&sub, aim)
    {
        let (gain, error) = (vec![answer.gain; states], vec![answer.error(); states]);
        return Ok(solution(mdp, &sub, gain, error, answer, 0));
    }
    if Pulse::is_stopped() {
        return Err(SolveError::Interrupted { what: "the optimal gain" });
    }
    let end_components = structure::end_components(mdp);
    if Pulse::is_stopped() {
        // These are no end components.
        return Err(SolveError::Interrupted { what: "the structure" });
    }
    let [members] = end_components.members() else {
        return Ok(solve_multichain(mdp, &end_components, aim));
    };
    let answer = constant::solve_any(&sub, aim);
    let (mut gain, mut error) = (answer.gain, answer.error());
    if error > 1e3 * aim.tolerance && members.len() < states {
        // Transient states with a huge bias widen the bounds, but the gain does not depend on them.
        let local = &mut vec![0; states];
        let (_, inside) = stay_within(mdp, &end_components, members, local, aim);
        if inside.error() < error {
            (gain, error) = (inside.gain, inside.error());
        }
    }
    Ok(solution(mdp, &sub, vec![gain; states], vec![error; states], answer, 0))
}

/// An end component as a sub-MDP. `local` is scratch.
fn component(
    mdp: &Mdp,
    end_components: &EndComponents,
    members: &[u32],
    local: &mut [u32],
) -> SubMdp<'static> {
    SubMdp::of(
        mdp,
        members.to_vec(),
        local,
        |state| staying_pair(mdp, end_components, state),
        |pair| end_components.pair_stays(pair),
        |_, pair| mdp.mean_reward(pair),
    )
}

/// The optimal gain of staying in one end component forever. `local` is scratch.
fn stay_within(
    mdp: &Mdp,
    end_components: &EndComponents,
    members: &[u32],
    local: &mut [u32],
    aim: Aim,
) -> (SubMdp<'static>, ConstantGain) {
    let sub = component(mdp, end_components, members, local);
    let answer = constant::solve(&sub, Aim { wants_bias: false, ..aim });
    (sub, answer)
}

/// A pair that never leaves the end component of its state; a state of a component has one.
fn staying_pair(mdp: &Mdp, end_components: &EndComponents, state: usize) -> usize {
    let mut pairs = mdp.pairs_of(state);
    pairs.find(|&pair| end_components.pair_stays(pair)).unwrap_or(mdp.pairs_of(state).start)
}

/// The gains of an MDP with several end components.
struct Multichain {
    gain: Vec<f64>,
    error: Vec<f64>,
    /// A pair of each state: in an end component, one of the best way to stay.
    played: Vec<u32>,
    quotient: Quotient,
    settled: Settled,
    sweeps: u64,
}

fn multichain(mdp: &Mdp, end_components: &EndComponents, aim: Aim) -> Multichain {
    // A quarter for staying and a quarter for the quotient.
    let aim = Aim { tolerance: (0.25 * aim.tolerance).max(TOLERANCE * aim.r_max), ..aim };
    let (mut stay, mut sweeps) = (Vec::with_capacity(end_components.count()), 0);
    let mut local = vec![0; mdp.states()];
    let mut played: Vec<u32> = mdp.pair_start[..mdp.states()].to_vec();
    for members in end_components.members() {
        if let [state] = members[..] {
            // All pairs that stay are self-loops.
            let pairs = mdp.pairs_of(state as usize);
            let pairs = pairs.filter(|&pair| end_components.pair_stays(pair));
            let by_reward =
                |a: &usize, b: &usize| mdp.mean_reward(*a).total_cmp(&mdp.mean_reward(*b));
            if let Some(best) = pairs.rev().max_by(by_reward) {
                played[state as usize] = best as u32;
                let gain = mdp.mean_reward(best);
                stay.push(Worth { value: gain, low: gain, high: gain });
                continue;
            }
        }
        let (sub, answer) = stay_within(mdp, end_components, members, &mut local, aim);
        for (index, &pair) in answer.choice.iter().enumerate() {
            played[sub.state(index)] = sub.pair(pair as usize) as u32;
        }
        let (low, high) = (answer.low.max(0.0), answer.high.min(aim.r_max));
        stay.push(Worth { value: answer.gain.max(low).min(high), low, high });
        sweeps += answer.sweeps;
    }
    let quotient = Quotient::new(mdp, end_components);
    let settled = quotient.settle(&stay, aim.tolerance);
    let worth = |state: usize| settled.worth[quotient.node_of(state)];
    let gain = (0..mdp.states()).map(|state| worth(state).value).collect();
    let error = (0..mdp.states()).map(|state| {
        let Worth { value, low, high } = worth(state);
        distance(high, value).max(distance(value, low))
    });
    let error = error.collect();
    Multichain { gain, error, played, quotient, settled, sweeps }
}

fn solve_multichain(mdp: &Mdp, end_components: &EndComponents, aim: Aim) -> Solution {
    let Multichain { gain, error, mut played, quotient, settled, sweeps } =
        multichain(mdp, end_components, aim);
    let (r_max, mut local) = (aim.r_max, vec![0; mdp.states()]);
    // Gains have a relative error of a few ulps. An action conserves the gain if its loss is that small
    // relative to the probability that the gain changes at all: an action that mostly keeps the gain
    // may be played very often, and small losses add up. The pair by which a node is left conserves it
    // by definition, though what it loses to rare targets may be less than an ulp of the gain.
    let mut conserves = vec![false; mdp.pairs()];
    for state in 0..mdp.states() {
        for pair in mdp.pairs_of(state) {
            let changes = mdp.row(pair).iter().filter(|&(next, _)| gain[next] != gain[state]);
            let (change, size) = changes.fold((0.0, 0.0), |(change, size), (next, p)| {
                (change + p * (gain[next] - gain[state]), size + p * gain[next].max(gain[state]))
            });
            conserves[pair] = change >= -TOLERANCE * size;
        }
    }
    settled.leave_by.iter().flatten().for_each(|&pair| conserves[pair as usize] = true);
    let sub = SubMdp::of(
        mdp,
        (0..mdp.states() as u32).collect(),
        &mut local,
        |state| match (end_components.of(state), settled.leave_by[quotient.node_of(state)]) {
            (None, Some(pair)) => pair as usize,
            _ => staying_pair(mdp, end_components, state),
        },
        |pair| conserves[pair],
        |state, pair| mdp.mean_reward(pair) - gain[state],
    );
    let aim = Aim { tolerance: 8.0 * TOLERANCE * r_max, ..aim };
    let answer = constant::solve(&sub, aim);
    let is_decided = answer.width() <= 1e-6 * r_max;
    let mut solution = solution(mdp, &sub, gain, error, answer, sweeps);
    if !is_decided {
        // Without a bias, its greedy policy may stay where it should leave: leave as the quotient says.
        for (node, &pair) in settled.leave_by.iter().enumerate() {
            let Some(pair) = pair else { continue };
            let exit = mdp.pair_start.partition_point(|&start| start <= pair) - 1;
            if let Some(members) = end_components.members().get(node) {
                let sub = component(mdp, end_components, members, &mut local);
                let choice: Vec<u32> =
                    (0..sub.len()).map(|index| sub.pairs_of(index).start as u32).collect();
                let is_exit = members.iter().map(|&state| state as usize == exit).collect();
                for (index, pair) in constant::walk_to(&sub, &choice, is_exit).iter().enumerate() {
                    played[sub.state(index)] = sub.pair(*pair as usize) as u32;
                }
            }
            played[exit] = pair;
        }
        let actions =
            played.iter().zip(&mdp.pair_start).map(|(pair, first)| (pair - first) as usize);
        solution.policy = Policy::deterministic(actions);
    }
    solution
}

/// An upper bound on a - b.
fn distance(a: f64, b: f64) -> f64 {
    let difference = a - b;
    // What rounding has taken off (Knuth's two-sum).
    let part = difference - a;
    let rest = (a - (difference - part)) - (b + part);
    if rest > 0.0 { difference.next_up() } else { difference }
}

fn solution(
    mdp: &Mdp,
    sub: &SubMdp<'_>,
    gain: Vec<f64>,
    gain_error: Vec<f64>,
    answer: ConstantGain,
    sweeps_before: u64,
) -> Solution {
    let Gains { gain, gain_error } = Gains::in_range(mdp, gain, gain_error);
    let lowest = answer.bias.iter().copied().fold(f64::INFINITY, f64::min);
    let actions = (0..sub.len()).map(|local| {
        sub.pair(answer.choice[local] as usize) - mdp.pairs_of(sub.state(local)).start
    });
    Solution {
        gain,
        gain_error,
        policy: Policy::deterministic(actions),
        bias: answer.bias.iter().map(|value| value - lowest).collect(),
        bias_kind: answer.kind,
        sweeps: sweeps_before + answer.sweeps,
    }
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn a_distance_is_never_rounded_down() {
        let small = 2f64.powi(-55);
        assert_eq!((distance(1.0, 0.25), distance(0.5, 0.5)), (0.75, 0.0));
        // 0.75 + 2^-55 and 0.75 - 2^-55 are no floating-point numbers.
        assert_eq!(distance(1.0, 0.25 - small), 0.75f64.next_up());
        assert_eq!(distance(1.0, 0.25 + 2.0 * small), 0.75);
        assert_eq!(distance(f64::INFINITY, 1.0), f64::INFINITY);
    }
}

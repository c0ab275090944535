//! What are the optimal gain, bias and policy of a finite MDP?
//!
//! Solves the optimality equations g = max P g and g + h = max (r + P h), the second over the actions
//! that attain the first (paper, section 2; Puterman 1994, chapter 9), for any finite MDP: periodic,
//! with transient states, multichain. Gains have certified bounds.
//!
//! If the bounds on the gain meet, it is constant and no structure is needed. Otherwise, with one
//! maximal end component, `constant` solves the MDP. With several, each is solved on its own,
//! `quotient` decides which one to stay in, and the bias is solved on the actions that conserve the
//! gain, with rewards r - g.

mod constant;
mod quotient;
mod seidel;
mod sub_mdp;

use crate::error::SolveError;
use crate::mdp::Mdp;
use crate::policy::Policy;
use crate::structure::{self, EndComponents};
use constant::ConstantGain;
use quotient::Quotient;
use sub_mdp::SubMdp;

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
        mdp.start().fold((0.0, 0.0), |(gain, error), (state, p)| {
            (gain + p * self.gain[state], error + p * self.gain_error[state])
        })
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
/// When a large multichain MDP is too slow to solve. A gain that converges slowly is no error: see
/// [`Solution::gain_error`].
pub fn solve(mdp: &Mdp) -> Result<Solution, SolveError> {
    solve_to(mdp, 0.0)
}

/// Solves an MDP until the bounds on the gain are within `accuracy`, or as close as rounding allows. A
/// larger `accuracy` takes less time.
///
/// # Errors
/// As for [`solve`].
pub fn solve_to(mdp: &Mdp, accuracy: f64) -> Result<Solution, SolveError> {
    let tolerance = accuracy.max(TOLERANCE * mdp.r_max());
    let sub = SubMdp::whole(mdp);
    let states = mdp.states();
    if let Some(answer) = constant::solve_mixing(&sub, mdp.r_max(), tolerance) {
        let (gain, error) = (vec![answer.gain; states], vec![answer.error(); states]);
        return Ok(solution(mdp, &sub, gain, error, answer, 0));
    }
    let end_components = structure::end_components(mdp);
    let [members] = end_components.members() else {
        return solve_multichain(mdp, &end_components);
    };
    let answer = constant::solve_any(&sub, mdp.r_max(), tolerance);
    let (mut gain, mut error) = (answer.gain, answer.error());
    if error > 1e3 * tolerance && members.len() < states {
        // Transient states with a huge bias widen the bounds, but the gain does not depend on them.
        let inside = stay_within(mdp, &end_components, members, &mut vec![0; mdp.states()]);
        if inside.error() < error {
            (gain, error) = (inside.gain, inside.error());
        }
    }
    Ok(solution(mdp, &sub, vec![gain; states], vec![error; states], answer, 0))
}

/// The optimal gain of staying in one end component forever. `local` is scratch.
fn stay_within(
    mdp: &Mdp,
    end_components: &EndComponents,
    members: &[u32],
    local: &mut [u32],
) -> ConstantGain {
    let sub = SubMdp::of(
        mdp,
        members.to_vec(),
        local,
        |pair| end_components.pair_stays(pair),
        |_, pair| mdp.mean_reward(pair),
    );
    constant::solve(&sub, mdp.r_max(), TOLERANCE * mdp.r_max())
}

fn solve_multichain(mdp: &Mdp, end_components: &EndComponents) -> Result<Solution, SolveError> {
    let r_max = mdp.r_max();
    let (mut stay, mut low, mut high, mut sweeps) = (Vec::new(), Vec::new(), Vec::new(), 0);
    let mut local = vec![0; mdp.states()];
    for members in end_components.members() {
        let answer = stay_within(mdp, end_components, members, &mut local);
        stay.push(answer.gain);
        low.push(answer.low);
        high.push(answer.high);
        sweeps += answer.sweeps;
    }
    let quotient = Quotient::new(mdp, end_components);
    let settled = quotient.best_stopping(0.0, &stay)?;
    let lower = quotient.best_stopping(0.0, &low)?;
    let upper = quotient.best_stopping(0.0, &high)?;
    // `upper.value` belongs to a policy and was computed without subtraction. The optimum exceeds it by
    // at most (residual + rounding) per move, times the largest expected number of moves, and never
    // exceeds the best gain of a component.
    let rounding = (mdp.max_support() + 4) as f64 * f64::EPSILON * r_max;
    let moves = quotient.best_stopping(1.0, &vec![0.0; stay.len()])?.value;
    let best_stay = high.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (mut gain, mut error) = (Vec::new(), Vec::new());
    for node in (0..mdp.states()).map(|state| quotient.node_of(state)) {
        let value = settled.value[node];
        let blur = (upper.residual + rounding) * (moves[node] + 1.0);
        let above = (upper.value[node] + blur).min(best_stay).max(value) - value;
        let below = value - lower.value[node];
        gain.push(value);
        // A node that stays has no sum and no rounding error.
        let stays = stay.get(node).is_some_and(|&worth| worth == value);
        let summing = if stays { 0.0 } else { rounding * mdp.states() as f64 };
        error.push(above.max(below) + summing);
    }

    // Gains have a relative error of a few ulps. An action conserves the gain if its loss is that small
    // relative to the probability that the gain changes at all: an action that mostly keeps the gain
    // may be played very often, and small losses add up.
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
    let sub = SubMdp::of(
        mdp,
        (0..mdp.states() as u32).collect(),
        &mut local,
        |pair| conserves[pair],
        |state, pair| mdp.mean_reward(pair) - gain[state],
    );
    let answer = constant::solve(&sub, r_max, 8.0 * TOLERANCE * r_max);
    Ok(solution(mdp, &sub, gain, error, answer, sweeps))
}

fn solution(
    mdp: &Mdp,
    sub: &SubMdp<'_>,
    gain: Vec<f64>,
    gain_error: Vec<f64>,
    answer: ConstantGain,
    sweeps_before: u64,
) -> Solution {
    // Rewards lie in [0, r_max], and so do gains.
    let r_max = mdp.r_max();
    let gain: Vec<f64> = gain.into_iter().map(|gain| gain.clamp(0.0, r_max)).collect();
    let bounded = gain_error.into_iter().zip(&gain).map(|(e, g)| e.min(g.max(r_max - g)));
    let gain_error = bounded.collect();
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

//! How much can be earned in the long run, from where, and how?
//!
//! The optimal gain g* of every state, a bias h* that solves the optimality equations
//! `g(s) = max P g` and `g(s) + h(s) = max over gain-conserving actions of r + P h` (paper, section 2;
//! Puterman, chapter 9), and a policy that attains them, for *any* finite world: periodic, with
//! transient states, with several end components. Gains come with certified bounds.
//!
//! Where the bounds on the gain meet, it is constant, and nothing need be known about the world. Else
//! its structure decides. One end component: `constant` answers. Several: each is solved by itself,
//! `quotient` decides where to settle, and the bias is solved on the actions that conserve the gain, paid
//! what they earn above it.
//!
//! Reads `mdp`, `structure`, `chain`; feeds the command line, the baselines and every test.
//! Departures from the paper: none.

mod constant;
mod part;
mod quotient;
mod seidel;

use crate::error::SolveError;
use crate::mdp::Mdp;
use crate::policy::Policy;
use crate::structure::{self, EndComponents};
use constant::Constant;
use part::Part;
use quotient::Quotient;

/// Distance between the bounds on a gain at which the solver is content, in units of `r_max`.
const TOLERANCE: f64 = 1e-13;

/// Which solution of the optimality equation the bias is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BiasKind {
    /// The only one, up to a constant.
    Unique,
    /// One of many: the limit of value iteration from zero (damped by 0.9).
    ValueIteration,
    /// One of many: the bias of the returned policy, because value iteration is too slow here.
    Policy,
}

/// The exact answer for a world.
#[derive(Debug, Clone)]
pub struct Solution {
    /// The optimal gain from each state.
    #[doc(alias = "g*")]
    pub gain: Vec<f64>,
    /// How far each gain can be from the truth, certified.
    pub gain_error: Vec<f64>,
    /// A bias that solves the optimality equation; its smallest entry is 0.
    #[doc(alias = "h*")]
    pub bias: Vec<f64>,
    /// Which solution the bias is.
    pub bias_kind: BiasKind,
    /// A deterministic optimal policy.
    pub policy: Policy,
    /// Sweeps of value iteration that it took.
    pub sweeps: u64,
}

impl Solution {
    /// The optimal gain from the start of the world, and its certified error.
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

/// Solves a world exactly.
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
/// When a huge world with slow transient parts exceeds the solver's budget. A gain that converges
/// slowly is no error: its bounds say how far it got.
pub fn solve(mdp: &Mdp) -> Result<Solution, SolveError> {
    solve_to(mdp, 0.0)
}

/// Solves a world until the gain is certain to `accuracy`, or as well as it can be. Less accuracy takes
/// less time; where a better answer comes for nothing, it is given.
///
/// # Errors
/// As for [`solve`].
pub fn solve_to(mdp: &Mdp, accuracy: f64) -> Result<Solution, SolveError> {
    let tolerance = accuracy.max(TOLERANCE * mdp.r_max());
    let part = Part::whole(mdp);
    let states = mdp.states();
    if let Some(answer) = constant::solve_mixing(&part, mdp.r_max(), tolerance) {
        let (gain, error) = (vec![answer.gain; states], vec![answer.error(); states]);
        return Ok(solution(mdp, &part, gain, error, answer, 0));
    }
    let end_components = structure::end_components(mdp);
    let [members] = end_components.members() else {
        return solve_multichain(mdp, &end_components);
    };
    let answer = constant::solve_patiently(&part, mdp.r_max(), tolerance);
    let (mut gain, mut error) = (answer.gain, answer.error());
    if error > 1e3 * tolerance && members.len() < states {
        // Transient states with a huge bias blur the bounds; the gain does not depend on them.
        let inside = stay_within(mdp, &end_components, members, &mut vec![0; mdp.states()]);
        if inside.error() < error {
            (gain, error) = (inside.gain, inside.error());
        }
    }
    Ok(solution(mdp, &part, vec![gain; states], vec![error; states], answer, 0))
}

/// The best gain of staying in one end component for ever. `local` is scratch.
fn stay_within(
    mdp: &Mdp,
    end_components: &EndComponents,
    members: &[u32],
    local: &mut [u32],
) -> Constant {
    let part = Part::of(
        mdp,
        members.to_vec(),
        local,
        |pair| end_components.pair_stays(pair),
        |_, pair| mdp.mean_reward(pair),
    );
    constant::solve(&part, mdp.r_max(), TOLERANCE * mdp.r_max())
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
    // Values belong to a real policy and elimination only adds. They can be too low by no more than
    // what the best actions still seem to add per move, times the moves that anyone can make, and
    // never above the best place to stay.
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
        // Who stays at once has no sum to round.
        let stays = stay.get(node).is_some_and(|&worth| worth == value);
        let summing = if stays { 0.0 } else { rounding * mdp.states() as f64 };
        error.push(above.max(below) + summing);
    }

    // Gains are good to a few units in the last place *of themselves*. An action conserves them if
    // what it loses is that small against the chance that it changes anything at all: an action that
    // mostly stays may be played so often that the least loss adds up.
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
    let part = Part::of(
        mdp,
        (0..mdp.states() as u32).collect(),
        &mut local,
        |pair| conserves[pair],
        |state, pair| mdp.mean_reward(pair) - gain[state],
    );
    let answer = constant::solve(&part, r_max, 8.0 * TOLERANCE * r_max);
    Ok(solution(mdp, &part, gain, error, answer, sweeps))
}

fn solution(
    mdp: &Mdp,
    part: &Part<'_>,
    gain: Vec<f64>,
    gain_error: Vec<f64>,
    answer: Constant,
    sweeps_before: u64,
) -> Solution {
    // Rewards lie in [0, r_max], and so does every gain, however little else is known.
    let r_max = mdp.r_max();
    let gain: Vec<f64> = gain.into_iter().map(|gain| gain.clamp(0.0, r_max)).collect();
    let bounded = gain_error.into_iter().zip(&gain).map(|(e, g)| e.min(g.max(r_max - g)));
    let gain_error = bounded.collect();
    let lowest = answer.bias.iter().copied().fold(f64::INFINITY, f64::min);
    let actions = (0..part.len()).map(|local| {
        part.pair(answer.choice[local] as usize) - mdp.pairs_of(part.state(local)).start
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

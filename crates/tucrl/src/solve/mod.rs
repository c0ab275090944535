//! How much can be earned in the long run, from where, and how?
//!
//! The optimal gain g* of every state, a bias h* that solves the optimality equations
//! `g(s) = max P g` and `g(s) + h(s) = max over gain-conserving actions of r + P h` (paper, section 2;
//! Puterman, chapter 9), and a policy that attains them, for *any* finite world: periodic, with
//! transient states, with several end components. Gains come with certified bounds.
//!
//! One end component: the gain is constant and `constant` answers at once. Several: each is solved by
//! itself, `quotient` decides where to settle, and the bias is solved on the actions that conserve
//! the gain, paid what they earn above it.
//!
//! Reads `mdp`, `structure`, `chain`; feeds the command line, the baselines and every test.
//! Departures from the paper: none.

mod constant;
mod part;
mod quotient;

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
    let end_components = structure::end_components(mdp);
    if end_components.count() == 1 {
        let part = Part::whole(mdp);
        let answer = constant::solve(mdp, &part, mdp.r_max(), TOLERANCE * mdp.r_max());
        let error = (answer.high - answer.gain).max(answer.gain - answer.low);
        let gain = vec![answer.gain; mdp.states()];
        return Ok(solution(mdp, &part, gain, vec![error; mdp.states()], answer, 0));
    }
    solve_multichain(mdp, &end_components)
}

fn solve_multichain(mdp: &Mdp, end_components: &EndComponents) -> Result<Solution, SolveError> {
    let r_max = mdp.r_max();
    let (mut stay, mut doubt, mut sweeps) = (Vec::new(), 0.0f64, 0);
    for members in end_components.members() {
        let part = Part::of(
            mdp,
            members.clone(),
            |pair| end_components.pair_stays(pair),
            |_, pair| mdp.mean_reward(pair),
        );
        let answer = constant::solve(mdp, &part, r_max, TOLERANCE * r_max);
        doubt = doubt.max(answer.high - answer.gain).max(answer.gain - answer.low);
        stay.push(answer.gain);
        sweeps += answer.sweeps;
    }
    let quotient = Quotient::new(mdp, end_components);
    let settled = quotient.best_stopping(0.0, &stay)?;
    let rounding = (mdp.max_support() + 4) as f64 * f64::EPSILON * r_max;
    // Whoever moves on forever gains at most the residual per move, and moves at most so often.
    let moves = quotient.best_stopping(1.0, &vec![0.0; stay.len()])?.value;
    let longest = moves.into_iter().fold(0.0, f64::max);
    let error = doubt + (settled.residual + rounding) * (longest + 1.0);
    let gain: Vec<f64> = (0..mdp.states()).map(|s| settled.value[quotient.node_of(s)]).collect();

    // Gains of one component agree to the bit and those behind it to rounding; only components that
    // are equally good by coincidence differ by their doubt.
    let slack = 8.0 * rounding + 4.0 * doubt;
    let mut conserves = vec![false; mdp.pairs()];
    for state in 0..mdp.states() {
        for pair in mdp.pairs_of(state) {
            conserves[pair] = mdp.row(pair).dot(&gain) >= gain[state] - slack;
        }
    }
    let part = Part::of(
        mdp,
        (0..mdp.states() as u32).collect(),
        |pair| conserves[pair],
        |state, pair| mdp.mean_reward(pair) - gain[state],
    );
    let answer = constant::solve(mdp, &part, r_max, TOLERANCE * r_max + 4.0 * doubt);
    Ok(solution(mdp, &part, gain, vec![error; mdp.states()], answer, sweeps))
}

fn solution(
    mdp: &Mdp,
    part: &Part<'_>,
    gain: Vec<f64>,
    gain_error: Vec<f64>,
    answer: Constant,
    sweeps_before: u64,
) -> Solution {
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

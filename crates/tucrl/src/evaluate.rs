//! What is one given policy worth?
//!
//! The gain (long-run average reward) and bias (total deviation from it) of a stationary, possibly
//! randomised policy from every state, in any world: several closed classes, transient states and
//! periodic classes included (paper, section 2). And how long a given policy takes to a target.
//!
//! Reads `mdp`, `policy`, `chain`; feeds `solve` and the command line. Departures: none.

use crate::chain::{Chain, TransientSolver};
use crate::error::SolveError;
use crate::graph;
use crate::mdp::Mdp;
use crate::policy::Policy;

/// What one policy earns.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// The long-run average reward from each state.
    pub gain: Vec<f64>,
    /// The total deviation from the gain from each state; averages to 0 in each closed class.
    pub bias: Vec<f64>,
    /// The closed classes, each with its stationary law `(state, probability)`.
    pub classes: Vec<Vec<(u32, f64)>>,
}

/// Gain and bias of a policy.
///
/// ```
/// use tucrl::{evaluate, mdp::Mdp, policy::Policy};
/// let mut builder = Mdp::builder();
/// builder.state().action(0.0, [(1, 1.0)]);
/// builder.state().action(1.0, [(0, 1.0)]);
/// builder.start_at(0);
/// let cycle = builder.build()?;
/// let answer = evaluate::policy_values(&cycle, &Policy::deterministic([0, 0]))?;
/// assert_eq!(answer.gain, [0.5, 0.5]);
/// assert_eq!(answer.bias, [-0.25, 0.25]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the policy does not fit the model, or a huge slowly mixing chain does not converge.
pub fn policy_values(mdp: &Mdp, policy: &Policy) -> Result<Evaluation, SolveError> {
    policy.check(mdp)?;
    let values = Chain::of_policy(mdp, policy).values()?;
    Ok(Evaluation { gain: values.gain, bias: values.bias, classes: values.classes })
}

/// The expected number of steps that a policy takes from each state to first be in `target`;
/// infinite where it may never get there.
///
/// # Errors
/// When the policy or the target does not fit the model, or a huge chain does not converge.
pub fn policy_hitting_times(
    mdp: &Mdp,
    policy: &Policy,
    target: usize,
) -> Result<Vec<f64>, SolveError> {
    policy.check(mdp)?;
    let states = mdp.states();
    if target >= states {
        return Err(SolveError::TargetOutOfRange { state: target, last: states - 1 });
    }
    let chain = Chain::of_policy(mdp, policy);
    let reversed = graph::Reversed::new(states, |edge| {
        for state in (0..states).filter(|&state| state != target) {
            chain.row(state).for_each(|(next, _)| edge(state as u32, next));
        }
    });
    let backwards = |from: Vec<usize>| {
        graph::reachable_from(states, from, |state, visit| {
            reversed.owners(state).iter().for_each(|&owner| visit(owner as usize));
        })
    };
    let may_arrive = backwards(vec![target]);
    let may_miss = backwards((0..states).filter(|&state| !may_arrive[state]).collect());
    let inside: Vec<u32> =
        (0..states as u32).filter(|&s| !may_miss[s as usize] && s as usize != target).collect();
    let mut times = vec![f64::INFINITY; states];
    times[target] = 0.0;
    if !inside.is_empty() {
        let (rows, leak) = chain.restricted(&inside, &mut vec![u32::MAX; states]);
        let mut steps = vec![1.0; inside.len()];
        TransientSolver::new(rows, leak).solve(&mut steps)?;
        inside.iter().zip(steps).for_each(|(&state, steps)| times[state as usize] = steps);
    }
    Ok(times)
}

//! What are the gain, bias and hitting times of a given policy?
//!
//! Gain and bias of a stationary policy (paper, section 2) from every state of any finite MDP, with
//! several closed classes, transient states and periodic classes. Also the expected time of a policy
//! to a target, and the gap between the best and the second-best gain.

use crate::chain::{Chain, TransientSolver};
use crate::error::SolveError;
use crate::graph;
use crate::mdp::Mdp;
use crate::policy::Policy;
use crate::pulse::Pulse;
use crate::structure;

/// Gain and bias of one policy.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// The long-run average reward from each state.
    pub gain: Vec<f64>,
    /// The total expected deviation from the gain, from each state; its stationary mean is 0 in each
    /// closed class.
    pub bias: Vec<f64>,
    /// The stationary distribution of each closed class, as `(state, probability)`.
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
    let values = Chain::of_policy(mdp, policy).values();
    if Pulse::is_stopped() {
        return Err(SolveError::Interrupted { what: "the values of a policy" });
    }
    let values = values?;
    Ok(Evaluation { gain: values.gain, bias: values.bias, classes: values.classes })
}

/// The expected number of steps of a policy from each state to `target`; infinite if the policy
/// reaches it with probability below one.
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

/// The smallest positive difference between the best gain and the gain of a deterministic policy, over
/// the states reachable from the start (Jaksch et al. 2010, theorem 4). `None` if every policy is
/// optimal.
///
/// Evaluates every policy that differs on reachable states.
///
/// # Errors
/// When there are more than `limit` policies, or a chain does not converge.
#[doc(alias = "gap")]
pub fn gain_gap(mdp: &Mdp, limit: u64) -> Result<Option<f64>, SolveError> {
    let inside: Vec<usize> = structure::reachable(mdp)
        .iter()
        .enumerate()
        .filter(|(_, is_reachable)| **is_reachable)
        .map(|(state, _)| state)
        .collect();
    let policies: f64 = inside.iter().map(|&state| mdp.actions(state) as f64).product();
    if policies > limit as f64 {
        return Err(SolveError::TooManyPolicies { policies, limit });
    }
    let mut actions = vec![0; mdp.states()];
    let mut gains: Vec<Vec<f64>> = Vec::new();
    loop {
        let values = Chain::of_policy(mdp, &Policy::deterministic(actions.clone())).values()?;
        gains.push(inside.iter().map(|&state| values.gain[state]).collect());
        // The next policy in counting order, the first state fastest.
        let Some(&state) = inside.iter().find(|&&s| actions[s] + 1 < mdp.actions(s)) else { break };
        inside.iter().take_while(|&&s| s != state).for_each(|&s| actions[s] = 0);
        actions[state] += 1;
    }
    // Smaller differences are rounding errors.
    let noise = 1e-10 * mdp.r_max();
    let mut gap: Option<f64> = None;
    for place in 0..inside.len() {
        let of_state = || gains.iter().map(|gains| gains[place]);
        let best = of_state().fold(f64::NEG_INFINITY, f64::max);
        for below in of_state().map(|gain| best - gain).filter(|&below| below > noise) {
            gap = Some(gap.map_or(below, |gap| gap.min(below)));
        }
    }
    Ok(gap)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worlds::{RiverSwim, ThreeState, TwoState};

    #[test]
    fn the_gap_of_the_paper_worlds_is_known() {
        let three_state = |delta| ThreeState { delta, ..Default::default() }.build().unwrap();
        let two_state = |epsilon| TwoState { epsilon, ..Default::default() }.build().unwrap();
        // With delta = 0 the gains are 2/3 (staying) and 1/3 (the cycle).
        let gap = gain_gap(&three_state(0.0), 100_000).unwrap().unwrap();
        assert!((gap - 1.0 / 3.0).abs() < 1e-12, "{gap}");
        assert_eq!(gain_gap(&two_state(0.0), 100_000).unwrap(), Some(0.5));
        // With epsilon > 0 the gains are 1, 1/2 (staying in x), and those of cycles.
        let gap = gain_gap(&two_state(0.25), 100_000).unwrap().unwrap();
        assert!((gap - 0.5).abs() < 1e-12, "{gap}");
    }

    #[test]
    fn without_a_choice_every_policy_is_optimal() {
        let mut builder = Mdp::builder();
        builder.state().action(0.5, [(0, 1.0)]).action(0.5, [(0, 1.0)]);
        builder.start_at(0);
        assert_eq!(gain_gap(&builder.build().unwrap(), 10).unwrap(), None);
    }

    #[test]
    fn too_many_policies_are_refused() {
        let mdp = RiverSwim::of_length(17).build().unwrap();
        let refused = gain_gap(&mdp, 100_000).unwrap_err();
        assert_eq!(refused, SolveError::TooManyPolicies { policies: 131_072.0, limit: 100_000 });
        assert!(gain_gap(&RiverSwim::of_length(6).build().unwrap(), 64).unwrap().is_some());
    }
}

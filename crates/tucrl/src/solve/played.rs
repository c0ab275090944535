//! What is a given policy certainly worth?
//!
//! The MDP with one action per state that the policy leaves has one policy, so its optimal gain is that of the policy,
//! with the same certificate.

use super::{Effort, Gains, gains};
use crate::error::{PolicyError, SolveError};
use crate::mdp::Mdp;
use crate::policy::Policy;

/// The gains of a deterministic policy, with certified errors.
///
/// ```
/// use tucrl::{policy::Policy, solve, worlds::RiverSwim};
/// let mdp = RiverSwim::default().build()?;
/// // Action 0 swims downstream, where 0.005 is paid in state 0.
/// let lazy = Policy::deterministic(vec![0; mdp.states()]);
/// let (gain, error) = solve::policy_gains(&mdp, &lazy, solve::Effort::default())?.from_start(&mdp);
/// assert!((gain - 0.005).abs() <= error && error < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the policy does not fit the model or is randomised: mixing rows would round them.
pub fn policy_gains(mdp: &Mdp, policy: &Policy, effort: Effort) -> Result<Gains, SolveError> {
    policy.check(mdp)?;
    let mut pairs = Vec::with_capacity(mdp.states());
    for state in 0..mdp.states() {
        let action = policy.action(state).ok_or(PolicyError::Randomised { state })?;
        pairs.push(mdp.pair(state, action));
    }
    gains(&restricted(mdp, &pairs), effort)
}

/// The MDP with one pair per state.
fn restricted(mdp: &Mdp, pairs: &[usize]) -> Mdp {
    let (mut row_start, mut next, mut probability) = (vec![0], Vec::new(), Vec::new());
    for &pair in pairs {
        let row = mdp.row(pair);
        next.extend_from_slice(row.next);
        probability.extend_from_slice(row.probability);
        row_start.push(next.len());
    }
    Mdp {
        pair_start: (0..=mdp.states() as u32).collect(),
        row_start,
        next,
        probability,
        mean_reward: pairs.iter().map(|&pair| mdp.mean_reward[pair]).collect(),
        rewards: pairs.iter().map(|&pair| mdp.rewards[pair].clone()).collect(),
        range: mdp.range,
        start: mdp.start.clone(),
        state_names: Vec::new(),
        action_names: Vec::new(),
    }
}

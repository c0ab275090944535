//! Which rules do all formats of other programs share?
//!
//! Few digits in probabilities, labels of actions that differ from state to state, rewards without a stated range, and
//! what tucrl adds to such a file, which must not contradict it.

use tucrl::mdp::MdpBuilder;
use tucrl::reward::RewardLaw;

/// Largest distance of a row sum from 1 in a file of another program.
const PRINTED: f64 = 1e-5;
/// Distance from 1 up to which the builder corrects a row itself.
const EXACT: f64 = 1e-9;
/// Largest distance between the mean of a law and the reward in the body, for rewards up to 1.
const SAME_MEAN: f64 = 1e-9;

/// The sum by which a row is to be divided, because its probabilities were printed with few digits.
pub(super) fn printed_sum(probabilities: impl Iterator<Item = f64>) -> Option<f64> {
    let sum: f64 = probabilities.sum();
    let distance = (sum - 1.0).abs();
    (distance > EXACT && distance <= PRINTED).then_some(sum)
}

/// The reward laws that tucrl wrote for an action.
pub(super) enum Laws {
    One(RewardLaw),
    /// One law per transition.
    Each(Vec<RewardLaw>),
}

impl Laws {
    /// Adds an action with these laws to a model in whose file it has a mean reward; says how the two contradict each
    /// other.
    pub(super) fn add(
        self,
        builder: &mut MdpBuilder,
        row: &[(usize, f64)],
        reward: f64,
    ) -> Result<(), String> {
        let mean = match &self {
            Self::One(law) => law.mean(),
            Self::Each(laws) if laws.len() != row.len() => {
                return Err(format!("{} laws for {} transitions", laws.len(), row.len()));
            }
            Self::Each(laws) => row.iter().zip(laws).map(|(entry, law)| entry.1 * law.mean()).sum(),
        };
        // False for NaN.
        let is_mean = (mean - reward).abs() <= SAME_MEAN * reward.abs().max(1.0);
        if !is_mean {
            return Err(format!("its mean is {mean}, the reward of the action {reward}"));
        }
        match self {
            Self::One(law) => builder.action(law, row.iter().copied()),
            Self::Each(laws) => {
                let outcomes = row.iter().zip(laws);
                builder.joint_action(outcomes.map(|(&(next, p), law)| (next, p, law)))
            }
        };
        Ok(())
    }
}

/// The labels of actions, which become names when every state uses the same ones.
#[derive(Default)]
pub(super) struct Labels {
    names: Vec<String>,
    differ: bool,
}

impl Labels {
    /// Takes the label of an action, the actions of a state in order.
    pub(super) fn see(&mut self, action: usize, label: &str) {
        match self.names.get(action) {
            Some(name) => self.differ |= name != label,
            None => self.names.push(label.into()),
        }
    }

    /// The labels as names, unless they differ between states, are mere numbers, or one is missing.
    pub(super) fn names(&mut self) -> Option<Vec<String>> {
        let is_number = |(index, name): (usize, &String)| *name == index.to_string();
        let is_unnamed = |name: &String| name.is_empty() || name == "__NOLABEL__";
        let is_plain = self.names.iter().enumerate().all(is_number);
        if self.differ || is_plain || self.names.iter().any(is_unnamed) {
            return None;
        }
        Some(std::mem::take(&mut self.names))
    }
}

/// The start where several states are initial: the same probability for each.
pub(super) fn evenly(initial: &[usize]) -> Vec<(usize, f64)> {
    let share = 1.0 / initial.len() as f64;
    initial.iter().map(|&state| (state, share)).collect()
}

/// The states to which a law gives a positive probability, in order.
pub(super) fn support(law: &[(usize, f64)]) -> Vec<usize> {
    let mut states: Vec<usize> =
        law.iter().filter(|entry| entry.1 != 0.0).map(|entry| entry.0).collect();
    states.sort_unstable();
    states.dedup();
    states
}

/// A few states for a message.
pub(super) fn some_states(states: &[usize]) -> String {
    let shown: Vec<String> = states.iter().take(8).map(ToString::to_string).collect();
    let more = if states.len() > shown.len() { ", ..." } else { "" };
    let word = if states.len() == 1 { "state" } else { "states" };
    format!("{word} {}{more}", shown.join(", "))
}

//! How is a finite MDP stored?
//!
//! The MDP of section 2 of the paper: states `0..S`, actions per state, and for each pair a reward
//! distribution and a distribution over next states. It is a sparse, immutable table that
//! [`MdpBuilder`] has validated. Unlike the paper, it allows an initial distribution instead of one
//! start state, and rewards in any [`RewardRange`]: laws are in the world's own units, mean rewards
//! are counted from the lowest possible reward and lie in the paper's `[0, r_max]`.

pub use crate::builder::MdpBuilder;
use crate::reward::{PairReward, RewardRange};

/// The largest number of states that get names: more names would take more memory than the table.
pub(crate) const MAX_NAMED_STATES: usize = 100_000;

/// A finite Markov decision process with sparse rows, built by [`MdpBuilder`].
///
/// States are `0..states()`. The actions of each state are numbered from 0. A *pair* (state, action)
/// has its own number; the pairs of a state are consecutive.
///
/// ```
/// use tucrl::mdp::Mdp;
/// let mut builder = Mdp::builder();
/// builder.state().action(0.0, [(1, 1.0)]);
/// builder.state().action(1.0, [(0, 0.5), (1, 0.5)]);
/// builder.start_at(0);
/// let mdp = builder.build()?;
/// assert_eq!(mdp.states(), 2);
/// assert_eq!(mdp.mean_reward(mdp.pair(1, 0)), 1.0);
/// assert_eq!(mdp.row(mdp.pair(1, 0)).iter().collect::<Vec<_>>(), [(0, 0.5), (1, 0.5)]);
/// # Ok::<(), tucrl::error::ModelError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Mdp {
    /// Pairs of state `s` are `pair_start[s]..pair_start[s + 1]`.
    pub(crate) pair_start: Vec<u32>,
    /// Entries of pair `p` are `row_start[p]..row_start[p + 1]`.
    pub(crate) row_start: Vec<usize>,
    pub(crate) next: Vec<u32>,
    pub(crate) probability: Vec<f64>,
    /// Counted from the lowest possible reward.
    pub(crate) mean_reward: Vec<f64>,
    pub(crate) rewards: Vec<PairReward>,
    pub(crate) range: RewardRange,
    pub(crate) start: Vec<(u32, f64)>,
    pub(crate) state_names: Vec<String>,
    pub(crate) action_names: Vec<String>,
}

/// A distribution over next states, sorted by state, without zeros.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// The next states, increasing.
    pub next: &'a [u32],
    /// Their probabilities, positive.
    pub probability: &'a [f64],
}

impl<'a> Row<'a> {
    /// The entries as `(next state, probability)`.
    #[inline]
    pub fn iter(self) -> impl ExactSizeIterator<Item = (usize, f64)> + 'a {
        self.next
            .iter()
            .zip(self.probability)
            .map(|(&next, &probability)| (next as usize, probability))
    }

    /// The expectation of `values`.
    #[inline]
    pub fn dot(self, values: &[f64]) -> f64 {
        self.next.iter().zip(self.probability).map(|(&next, &p)| p * values[next as usize]).sum()
    }

    /// The number of possible next states.
    #[inline]
    pub fn len(self) -> usize {
        self.next.len()
    }

    /// Always false for a row of an [`Mdp`].
    #[inline]
    pub fn is_empty(self) -> bool {
        self.next.is_empty()
    }
}

impl Mdp {
    /// Starts a new model.
    pub fn builder() -> MdpBuilder {
        MdpBuilder::default()
    }

    /// The number of states.
    #[doc(alias = "S")]
    pub fn states(&self) -> usize {
        self.pair_start.len() - 1
    }

    /// The number of state-action pairs.
    pub fn pairs(&self) -> usize {
        self.mean_reward.len()
    }

    /// The number of stored transitions.
    pub fn transitions(&self) -> usize {
        self.next.len()
    }

    /// The largest number of actions of a state.
    #[doc(alias = "A")]
    pub fn max_actions(&self) -> usize {
        (0..self.states()).map(|state| self.actions(state)).max().unwrap_or(0)
    }

    /// The number of actions of a state.
    #[inline]
    pub fn actions(&self, state: usize) -> usize {
        (self.pair_start[state + 1] - self.pair_start[state]) as usize
    }

    /// The pairs of a state, in the order of its actions.
    #[inline]
    pub fn pairs_of(&self, state: usize) -> std::ops::Range<usize> {
        self.pair_start[state] as usize..self.pair_start[state + 1] as usize
    }

    /// The number of one pair.
    ///
    /// # Panics
    /// When the state does not have that action.
    #[inline]
    pub fn pair(&self, state: usize, action: usize) -> usize {
        assert!(action < self.actions(state), "state {state} has no action {action}");
        self.pair_start[state] as usize + action
    }

    /// The distribution over next states of a pair.
    #[inline]
    pub fn row(&self, pair: usize) -> Row<'_> {
        let entries = self.entries(pair);
        Row { next: &self.next[entries.clone()], probability: &self.probability[entries] }
    }

    /// The transitions of a pair, as indices into `next` and `probability`.
    #[inline]
    fn entries(&self, pair: usize) -> std::ops::Range<usize> {
        self.row_start[pair]..self.row_start[pair + 1]
    }

    /// The expected reward of a pair, counted from the lowest possible reward: in `[0, r_max]`.
    #[inline]
    pub fn mean_reward(&self, pair: usize) -> f64 {
        self.mean_reward[pair]
    }

    /// The expected reward of a pair in the world's own units.
    pub fn mean_paid(&self, pair: usize) -> f64 {
        match &self.rewards[pair] {
            _ if self.range.low() == 0.0 => self.mean_reward[pair],
            // Not from `mean_reward`: subtracting and adding the lowest reward may change the last digit.
            PairReward::Alone(law) => law.mean(),
            PairReward::Joint(laws) => {
                let row = self.row(pair).probability.iter();
                row.zip(laws).map(|(p, law)| p * law.mean()).sum()
            }
        }
    }

    /// The reward distribution of a pair, in the world's own units.
    pub fn reward(&self, pair: usize) -> &PairReward {
        &self.rewards[pair]
    }

    /// The smallest and the largest possible reward, in the world's own units.
    pub fn reward_range(&self) -> RewardRange {
        self.range
    }

    /// The largest possible reward, counted from the smallest.
    pub fn r_max(&self) -> f64 {
        self.range.width()
    }

    /// The initial distribution, as `(state, probability)`, sorted, without zeros.
    #[doc(alias = "s_1")]
    pub fn start(&self) -> impl ExactSizeIterator<Item = (usize, f64)> + '_ {
        self.start.iter().map(|&(state, probability)| (state as usize, probability))
    }

    /// The names of the states, or an empty slice.
    pub fn state_names(&self) -> &[String] {
        &self.state_names
    }

    /// The names of the action numbers, or an empty slice.
    pub fn action_names(&self) -> &[String] {
        &self.action_names
    }

    /// The largest number of possible next states of a pair.
    #[doc(alias = "Gamma")]
    pub fn max_support(&self) -> usize {
        (0..self.pairs()).map(|pair| self.row(pair).len()).max().unwrap_or(0)
    }
}

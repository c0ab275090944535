//! What is a finite world, and can its description be trusted?
//!
//! The paper's MDP: states `0..S`, for each state a list of actions, for each pair a mean reward in
//! `[0, r_max]` and a law over next states (paper, section 2). Here it is one validated, immutable,
//! sparse table. A model that exists is correct: rows sum to one, targets exist, every state can act.
//!
//! Reads `reward`, built by `builder`; feeds `structure`, `evaluate`, `solve`, the worlds and the formats.
//! Departures from the paper: an initial law instead of a single start state is allowed.

pub use crate::builder::MdpBuilder;
use crate::reward::PairReward;

/// A finite Markov decision process with sparse rows; built by [`MdpBuilder`], then immutable.
///
/// States are `0..states()`. The actions of a state are numbered from 0 in each state. A *pair* is
/// a (state, action) with its own number; the pairs of a state are consecutive.
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
    pub(crate) mean_reward: Vec<f64>,
    pub(crate) rewards: Vec<PairReward>,
    pub(crate) r_max: f64,
    pub(crate) start: Vec<(u32, f64)>,
    pub(crate) state_names: Vec<String>,
    pub(crate) action_names: Vec<String>,
}

/// One law over next states: sorted by state, no zero entries.
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

    /// The expectation of `values` under this law.
    #[inline]
    pub fn dot(self, values: &[f64]) -> f64 {
        self.next.iter().zip(self.probability).map(|(&next, &p)| p * values[next as usize]).sum()
    }

    /// How many next states are possible.
    #[inline]
    pub fn len(self) -> usize {
        self.next.len()
    }

    /// Always false for a row of a model; here for completeness.
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

    /// The number of state-action pairs that exist.
    pub fn pairs(&self) -> usize {
        self.mean_reward.len()
    }

    /// The number of stored transitions.
    pub fn transitions(&self) -> usize {
        self.next.len()
    }

    /// The largest number of actions that any state has.
    #[doc(alias = "A")]
    pub fn max_actions(&self) -> usize {
        (0..self.states()).map(|state| self.actions(state)).max().unwrap_or(0)
    }

    /// How many actions a state has.
    #[inline]
    pub fn actions(&self, state: usize) -> usize {
        (self.pair_start[state + 1] - self.pair_start[state]) as usize
    }

    /// The numbers of a state's pairs, in the order of its actions.
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

    /// The law over next states of a pair.
    #[inline]
    pub fn row(&self, pair: usize) -> Row<'_> {
        let entries = self.entries(pair);
        Row { next: &self.next[entries.clone()], probability: &self.probability[entries] }
    }

    /// The numbers of a pair's entries in the table of all transitions.
    #[inline]
    fn entries(&self, pair: usize) -> std::ops::Range<usize> {
        self.row_start[pair]..self.row_start[pair + 1]
    }

    /// The expected reward of a pair.
    #[inline]
    pub fn mean_reward(&self, pair: usize) -> f64 {
        self.mean_reward[pair]
    }

    /// The reward law of a pair.
    pub fn reward(&self, pair: usize) -> &PairReward {
        &self.rewards[pair]
    }

    /// The largest reward that any law may give; the smallest is 0.
    pub fn r_max(&self) -> f64 {
        self.r_max
    }

    /// The initial law, as `(state, probability)`, sorted, no zero entries.
    #[doc(alias = "s_1")]
    pub fn start(&self) -> impl ExactSizeIterator<Item = (usize, f64)> + '_ {
        self.start.iter().map(|&(state, probability)| (state as usize, probability))
    }

    /// The name of each state, or an empty slice.
    pub fn state_names(&self) -> &[String] {
        &self.state_names
    }

    /// The name of each action number, or an empty slice.
    pub fn action_names(&self) -> &[String] {
        &self.action_names
    }

    /// The largest number of possible next states of any pair.
    #[doc(alias = "Gamma")]
    pub fn max_support(&self) -> usize {
        (0..self.pairs()).map(|pair| self.row(pair).len()).max().unwrap_or(0)
    }
}

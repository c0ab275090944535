//! How much does an action lose against an optimal policy?
//!
//! The Bellman gap of a pair is Δ(s, a) = g(s) + h(s) - r(s, a) - Σ p(s' | s, a) h(s') with the optimal gain g and a
//! bias h that solves the optimality equation. It is 0 for the actions of the optimal policy and positive for worse
//! ones, so that the sum of the gaps along a run is regret without the noise of rewards and transitions.
//!
//! Where the gain is not the same everywhere, an action may lose gain for good: λ(s, a) = g(s) - Σ p(s' | s, a) g(s')
//! is then positive, and Δ may be negative. With h + M g in place of h the gap becomes Δ + M λ; M is the smallest
//! number that makes all gaps of reachable states non-negative. docs/regret.md has what the sums telescope to.

use std::sync::Arc;

use crate::mdp::Mdp;
use crate::solve::Solution;
use crate::space::{ActionId, StateId};

/// Gaps up to the residual and this share of the largest reward are not told apart from 0: the solver's own values are
/// rounded.
const ROUNDING: f64 = 1e-11;

/// The Bellman gaps of a solved table.
#[derive(Debug, Clone)]
pub struct Gaps {
    table: Arc<Mdp>,
    /// The states that the table numbers, increasing; `None` when state `i` is number `i`.
    states: Option<Arc<[StateId]>>,
    gaps: Vec<f64>,
    /// Empty if no reachable pair loses gain.
    gain_losses: Vec<f64>,
    weight: f64,
    residual: f64,
}

impl Gaps {
    /// Of a solved table. Gaps of the pairs that the policy plays are 0, and negative ones are cut off at 0; what is
    /// cut off in reachable states is within [`Gaps::residual`].
    pub fn of(table: &Arc<Mdp>, solution: &Solution, is_reachable: &[bool]) -> Self {
        let raw: Vec<Raw> = (0..table.states())
            .flat_map(|state| table.pairs_of(state).map(move |pair| (state, pair)))
            .map(|(state, pair)| Raw::of(table, solution, state, pair))
            .collect();
        let counted = |pair: &usize| is_reachable[raw[*pair].state];
        let weights = (0..raw.len()).filter(counted).map(|pair| &raw[pair]);
        let weights = weights.filter(|pair| pair.loss > 0.0).map(|pair| -pair.gap / pair.loss);
        let weight = weights.fold(0.0, f64::max);
        let shifted = |pair: &Raw| pair.gap + weight * pair.loss;
        let residual = (0..raw.len()).filter(counted).map(|pair| {
            let pair = &raw[pair];
            let cut_off = if pair.is_played { shifted(pair).abs() } else { -shifted(pair) };
            // A loss within the errors of the gains counts as none.
            if pair.loss > 0.0 { cut_off } else { cut_off.max(0.0) + weight * pair.doubt }
        });
        let residual = residual.fold(0.0, f64::max);
        let gaps = raw.iter().map(|pair| if pair.is_played { 0.0 } else { shifted(pair).max(0.0) });
        let gaps = gaps.collect();
        let loses = (0..raw.len()).filter(counted).any(|pair| raw[pair].loss > 0.0);
        let gain_losses = raw.iter().map(|pair| pair.loss).filter(|_| loses).collect();
        Self { table: Arc::clone(table), states: None, gaps, gain_losses, weight, residual }
    }

    /// The same for a table that numbers these states, increasing.
    pub(crate) fn numbering(mut self, states: Arc<[StateId]>) -> Self {
        self.states = Some(states);
        self
    }

    /// Whether these can be the gaps of a table, or else of a generator, whose states the solved table numbers.
    pub(crate) fn fit(&self, table: Option<&Mdp>) -> bool {
        let shape = |mdp: &Mdp| (mdp.states(), mdp.pairs());
        match (table, &self.states) {
            (Some(table), None) => shape(table) == shape(&self.table),
            (None, Some(_)) => true,
            _ => false,
        }
    }

    /// The gap of every pair of the table.
    #[doc(alias = "suboptimality")]
    pub fn by_pair(&self) -> &[f64] {
        &self.gaps
    }

    /// The gain that every pair of the table loses for good, in expectation; empty if no reachable one loses any.
    pub fn gain_losses(&self) -> &[f64] {
        &self.gain_losses
    }

    /// M: gaps are those with h + M g. 0 unless a reachable pair loses gain and would have a negative gap.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// The Bellman residual: by how much the gap of a reachable pair may be wrong because the solution is rounded. The
    /// sum of the gaps of `t` steps is off by at most `t` times this.
    pub fn residual(&self) -> f64 {
        self.residual
    }

    /// Whether a gap is positive beyond rounding, or the pair loses gain for good.
    pub fn is_positive(&self, pair: usize) -> bool {
        let rounding = self.residual + ROUNDING * self.table.r_max();
        self.gaps[pair] > rounding || self.gain_loss(pair) > 0.0
    }

    /// The gain that a pair of the table loses for good.
    pub(crate) fn gain_loss(&self, pair: usize) -> f64 {
        self.gain_losses.get(pair).copied().unwrap_or(0.0)
    }

    /// The table whose pairs have the gaps.
    pub(crate) fn table(&self) -> &Mdp {
        &self.table
    }

    /// The state of the world that the table numbers.
    pub(crate) fn state(&self, number: usize) -> StateId {
        self.states.as_ref().map_or(number as StateId, |states| states[number])
    }

    /// The number of a state of the world; `None` if the table does not have it.
    #[inline]
    pub(crate) fn number(&self, state: StateId) -> Option<usize> {
        match &self.states {
            None => Some(state as usize),
            Some(states) => states.binary_search(&state).ok(),
        }
    }

    /// The pair of the table that is played in a state of the world; `None` if the table does not have the state.
    #[inline]
    pub(crate) fn pair(&self, state: StateId, action: ActionId) -> Option<usize> {
        Some(self.table.pair(self.number(state)?, action as usize))
    }
}

/// A pair before M is known.
struct Raw {
    state: usize,
    is_played: bool,
    gap: f64,
    /// The gain lost; 0 where that is within `doubt`, the certified errors of the gains.
    loss: f64,
    doubt: f64,
}

impl Raw {
    fn of(table: &Mdp, solution: &Solution, state: usize, pair: usize) -> Self {
        let Solution { gain, gain_error, bias, .. } = solution;
        let is_played =
            solution.policy.action(state).is_some_and(|action| table.pair(state, action) == pair);
        let row = table.row(pair);
        // With differences, a row that sums to one only up to rounding costs no digits.
        let (mut drop, mut loss, mut doubt) = (0.0, 0.0, 0.0);
        for (&next, p) in row.next.iter().zip(row.probability) {
            let next = next as usize;
            drop += p * (bias[state] - bias[next]);
            if gain[next] != gain[state] {
                loss += p * (gain[state] - gain[next]);
                doubt += p * (gain_error[state] + gain_error[next]);
            }
        }
        let loss = if loss > doubt && !is_played { loss } else { 0.0 };
        let gap = gain[state] - table.mean_reward(pair) + drop;
        Self { state, is_played, gap, loss, doubt }
    }
}

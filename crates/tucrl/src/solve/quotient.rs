//! In which end component of a multichain MDP should a policy stay?
//!
//! The quotient has one node per maximal end component, with an action "stay" worth the component's
//! optimal gain, and one node per other state. It has no end components, so every policy stays
//! somewhere with probability one, and the largest expected stay value is the optimal gain (Ashok et
//! al. 2017). Solved by policy iteration with exact evaluation.

use crate::chain::TransientSolver;
use crate::error::SolveError;
use crate::mdp::Mdp;
use crate::pulse::unless_stopped;
use crate::structure::EndComponents;

/// The largest number of rounds of policy iteration.
const ROUND_LIMIT: u64 = 1_000;

/// The MDP with every maximal end component contracted to one node.
pub(crate) struct Quotient<'a> {
    mdp: &'a Mdp,
    components: usize,
    /// The node of each state; components first, in their order.
    node_of: Vec<u32>,
    /// The pairs that leave each node.
    leaving: Vec<Vec<u32>>,
}

/// The solution of an optimal-stopping problem on the quotient.
pub(crate) struct Stopping {
    /// One value per node.
    pub(crate) value: Vec<f64>,
    /// The largest remaining improvement by one action.
    pub(crate) residual: f64,
}

impl<'a> Quotient<'a> {
    pub(crate) fn new(mdp: &'a Mdp, end_components: &EndComponents) -> Self {
        let components = end_components.count();
        let mut node_of = Vec::with_capacity(mdp.states());
        let mut leaving = vec![Vec::new(); components];
        for state in 0..mdp.states() {
            let node = end_components.of(state).unwrap_or_else(|| {
                leaving.push(Vec::new());
                leaving.len() - 1
            });
            node_of.push(node as u32);
            let pairs = mdp.pairs_of(state).filter(|&pair| !end_components.pair_stays(pair));
            leaving[node].extend(pairs.map(|pair| pair as u32));
        }
        Self { mdp, components, node_of, leaving }
    }

    pub(crate) fn node_of(&self, state: usize) -> usize {
        self.node_of[state] as usize
    }

    /// Maximises `step` per move plus `stop[component]` for staying.
    ///
    /// # Errors
    /// When policy iteration or the evaluation of a policy does not converge.
    pub(crate) fn best_stopping(&self, step: f64, stop: &[f64]) -> Result<Stopping, SolveError> {
        let nodes = self.leaving.len();
        let scale = stop.iter().fold(step.abs(), |scale, value| scale.max(value.abs()));
        let mut choice: Vec<Option<u32>> =
            (0..nodes)
                .map(|node| {
                    if node < self.components { None } else { self.leaving[node].first().copied() }
                })
                .collect();
        let mut value = vec![0.0; nodes];
        for _ in unless_stopped(0..ROUND_LIMIT) {
            self.evaluate(step, stop, &choice, &mut value)?;
            let (mut has_improved, mut residual) = (false, 0.0f64);
            for node in 0..nodes {
                let advantage = 1e-13 * (scale + value[node].abs());
                let mut best = value[node];
                let stay = (node < self.components).then(|| (None, stop[node]));
                let moves = self.leaving[node].iter().map(|&pair| {
                    let row = self.mdp.row(pair as usize).iter();
                    (
                        Some(pair),
                        step + row.map(|(next, p)| p * value[self.node_of(next)]).sum::<f64>(),
                    )
                });
                for (candidate, worth) in stay.into_iter().chain(moves) {
                    residual = residual.max(worth - value[node]);
                    if worth > best + advantage {
                        best = worth;
                        choice[node] = candidate;
                        has_improved = true;
                    }
                }
            }
            if !has_improved {
                return Ok(Stopping { value, residual });
            }
        }
        Err(SolveError::NotConverged {
            what: "the gain of a multichain MDP",
            sweeps: ROUND_LIMIT,
            span: f64::NAN,
            tolerance: 1e-13,
        })
    }

    fn evaluate(
        &self,
        step: f64,
        stop: &[f64],
        choice: &[Option<u32>],
        value: &mut [f64],
    ) -> Result<(), SolveError> {
        let mut local = vec![u32::MAX; choice.len()];
        let mut moving = Vec::new();
        for (node, pair) in choice.iter().enumerate() {
            match pair {
                Some(pair) => {
                    local[node] = moving.len() as u32;
                    moving.push((node, *pair));
                }
                None => value[node] = stop[node],
            }
        }
        if moving.is_empty() {
            return Ok(());
        }
        let mut leak = vec![0.0; moving.len()];
        let mut rows = vec![Vec::new(); moving.len()];
        let mut worth = vec![step; moving.len()];
        for (index, &(_, pair)) in moving.iter().enumerate() {
            let mut targets: Vec<(u32, f64)> = Vec::new();
            for (next, p) in self.mdp.row(pair as usize).iter() {
                let node = self.node_of(next);
                match local[node] {
                    u32::MAX => {
                        leak[index] += p;
                        worth[index] += p * stop[node];
                    }
                    inside => targets.push((inside, p)),
                }
            }
            targets.sort_unstable_by_key(|entry| entry.0);
            targets.dedup_by(|later, earlier| {
                let same = later.0 == earlier.0;
                if same {
                    earlier.1 += later.1;
                }
                same
            });
            rows[index] = targets;
        }
        TransientSolver::new(rows, leak).solve(&mut worth)?;
        for (&(node, _), worth) in moving.iter().zip(worth) {
            value[node] = worth;
        }
        Ok(())
    }
}

//! How is a sampled MDP solved whose rows are not a table?
//!
//! By relative value iteration v <- v + 0.9 (L v - v), which also converges on periodic MDPs. At every
//! sweep the gain lies between the smallest and the largest entry of L v - v (Puterman 1994, section
//! 8.5).

use super::{DrawError, Drawn};
use crate::counts::Counts;
use crate::error::SolveError;
use crate::inner_max::Values;
use crate::pulse::Pulse;

/// The damping factor.
const TAU: f64 = 0.9;
/// The largest number of sweeps.
const SWEEP_LIMIT: u64 = 200_000;

/// The Bellman operator of an MDP of seen states and one state for those never seen.
pub(super) trait Operator {
    /// Prepares for one sweep over these values.
    fn look(&mut self, values: &Values);
    /// Reward plus expected value of the next state.
    fn worth(&self, pair: usize, values: &Values) -> f64;
    /// The same for the best action of states never seen, with that action; `None` without such states.
    fn unseen(&self, values: &Values) -> Option<(f64, u32)>;
}

pub(super) fn solve(
    counts: &Counts,
    operator: &mut impl Operator,
    tolerance: f64,
) -> Result<Drawn, DrawError> {
    let seen = counts.seen();
    let mut values = Values { seen: vec![0.0; seen], unseen: 0.0 };
    let mut swept = values.clone();
    let mut actions = vec![0u32; seen];
    let mut sweeps = 0;
    loop {
        if Pulse::is_stopped() {
            return Err(SolveError::Interrupted { what: "the gain of a sampled MDP" }.into());
        }
        operator.look(&values);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for (number, action) in actions.iter_mut().enumerate() {
            let pairs = counts.pairs_of(number as u32);
            let (mut best, mut best_pair) = (f64::NEG_INFINITY, pairs.start);
            for pair in pairs.clone() {
                let worth = operator.worth(pair, &values);
                if worth > best {
                    (best, best_pair) = (worth, pair);
                }
            }
            *action = (best_pair - pairs.start) as u32;
            let increment = best - values.seen[number];
            swept.seen[number] = values.seen[number] + TAU * increment;
            low = low.min(increment);
            high = high.max(increment);
        }
        let unseen = operator.unseen(&values);
        if let Some((worth, _)) = unseen {
            let increment = worth - values.unseen;
            swept.unseen = values.unseen + TAU * increment;
            low = low.min(increment);
            high = high.max(increment);
        }
        sweeps += 1;
        if high - low <= tolerance {
            let bottom = values.seen.iter().copied().fold(f64::INFINITY, f64::min);
            let bias: Vec<f64> = values.seen.iter().map(|value| value - bottom).collect();
            let bias_unseen = unseen.map(|_| values.unseen - bottom);
            let all = bias.iter().copied().chain(bias_unseen);
            let (least, most) =
                all.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
            return Ok(Drawn {
                actions,
                unseen_actions: Vec::new(),
                action_unseen: unseen.map_or(0, |(_, action)| action),
                gain_low: low,
                gain_high: high,
                bias,
                bias_unseen,
                span: most - least,
                sweeps,
            });
        }
        if sweeps >= SWEEP_LIMIT {
            return Err(DrawError::NotConverged { sweeps, span: high - low, tolerance });
        }
        let bottom = swept.seen.iter().copied().fold(f64::INFINITY, f64::min);
        swept.seen.iter_mut().for_each(|value| *value -= bottom);
        swept.unseen -= bottom;
        std::mem::swap(&mut values, &mut swept);
    }
}

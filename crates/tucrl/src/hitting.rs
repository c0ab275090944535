//! What is the shortest expected time from one state to another, and what is the diameter?
//!
//! The shortest expected hitting time is the minimum over policies. The diameter D is its maximum over
//! all ordered pairs of states, D^C the maximum within the states reachable from the start (paper,
//! section 2); a single state has diameter 0. A time is finite iff some policy arrives with
//! probability one, which is decided on the graph.
//!
//! Policy iteration from a policy that arrives with probability one. Each policy is evaluated by
//! elimination or, if that fills in, by sweeps to rounding accuracy. Value iteration would need about
//! as many sweeps as the diameter has steps. An action is judged per departure from its state.

use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::chain::TransientSolver;
use crate::error::SolveError;
use crate::graph::{self, Reversed};
use crate::mdp::Mdp;
use crate::pulse::{Pulse, unless_stopped};
use crate::structure::{self, Table};

/// The smallest relative improvement that changes an action; smaller ones may be rounding errors.
const IMPROVEMENT: f64 = 1e-13;
/// The largest number of rounds of policy iteration, plus two per state.
const ROUND_LIMIT: u64 = 1_000;

/// The shortest expected times from every state to `target`; infinite if no policy arrives with
/// probability one.
///
/// # Errors
/// When the target does not exist, the solver does not converge, or a finite time exceeds 1e308 steps.
pub fn fastest_times(mdp: &Mdp, target: usize) -> Result<Vec<f64>, SolveError> {
    if target >= mdp.states() {
        return Err(SolveError::TargetOutOfRange { state: target, last: mdp.states() - 1 });
    }
    let into = structure::incoming(Table::of(mdp));
    let owner = structure::owners(Table::of(mdp));
    let inside = surely_arriving(mdp, &into, &owner, target);
    let mut search = Search { mdp, into: &into, owner: &owner, is_inside: &inside };
    let times = search.times(target);
    if Pulse::is_stopped() {
        return Err(SolveError::Interrupted { what: "the shortest hitting time" });
    }
    times
}

/// The diameter D: the largest shortest expected time between two states.
///
/// `report(done, targets)` is called after each target.
///
/// # Errors
/// As for [`fastest_times`].
#[doc(alias = "D")]
pub fn diameter(mdp: &Mdp, report: &(dyn Fn(usize, usize) + Sync)) -> Result<f64, SolveError> {
    diameter_within(mdp, &vec![true; mdp.states()], report)
}

/// The diameter within a closed set of states, such as those reachable from the start (D^C).
///
/// # Errors
/// As for [`fastest_times`].
///
/// # Panics
/// When `is_inside` does not have one entry per state.
#[doc(alias = "D^C")]
pub fn diameter_within(
    mdp: &Mdp,
    is_inside: &[bool],
    report: &(dyn Fn(usize, usize) + Sync),
) -> Result<f64, SolveError> {
    assert_eq!(is_inside.len(), mdp.states(), "one flag per state");
    let targets: Vec<usize> = (0..mdp.states()).filter(|&state| is_inside[state]).collect();
    if targets.len() < 2 {
        return Ok(0.0);
    }
    let is_connected = structure::is_strongly_connected(mdp, is_inside);
    if Pulse::is_stopped() {
        return Err(SolveError::Interrupted { what: "the diameter" });
    }
    if !is_connected {
        return Ok(f64::INFINITY);
    }
    let into = structure::incoming(Table::of(mdp));
    let owner = structure::owners(Table::of(mdp));
    let (done, pulse) = (AtomicUsize::new(0), Pulse::present());
    let longest = targets
        .par_iter()
        .map(|&target| {
            let mut search = Search { mdp, into: &into, owner: &owner, is_inside };
            let times = Pulse::carry(pulse.as_ref(), || search.times(target))?;
            report(done.fetch_add(1, Ordering::Relaxed) + 1, targets.len());
            Ok(targets.iter().map(|&state| times[state]).fold(0.0, f64::max))
        })
        .try_reduce(|| 0.0, |a, b| Ok(f64::max(a, b)));
    if Pulse::is_stopped() {
        return Err(SolveError::Interrupted { what: "the diameter" });
    }
    longest
}

/// The states from which some policy reaches the target with probability one.
///
/// Repeatedly removes states that cannot arrive, pairs that may lead to removed states, and states
/// without pairs, until all remaining states can arrive.
fn surely_arriving(mdp: &Mdp, into: &Reversed, owner: &[u32], target: usize) -> Vec<bool> {
    let states = mdp.states();
    let mut is_inside = vec![true; states];
    let mut is_struck = vec![false; mdp.pairs()];
    let mut pairs_left: Vec<usize> = (0..states).map(|state| mdp.actions(state)).collect();
    loop {
        let arrives = graph::reachable_from(states, [target], |state, visit| {
            let pairs = into.owners(state).iter().filter(|&&pair| !is_struck[pair as usize]);
            pairs.for_each(|&pair| visit(owner[pair as usize] as usize));
        });
        let mut lost: Vec<usize> =
            (0..states).filter(|&state| is_inside[state] && !arrives[state]).collect();
        if lost.is_empty() {
            return is_inside;
        }
        lost.iter().for_each(|&state| is_inside[state] = false);
        while let Some(state) = lost.pop() {
            for &pair in into.owners(state) {
                let from = owner[pair as usize] as usize;
                if std::mem::replace(&mut is_struck[pair as usize], true) {
                    continue;
                }
                pairs_left[from] -= 1;
                if pairs_left[from] == 0 && is_inside[from] && from != target {
                    is_inside[from] = false;
                    lost.push(from);
                }
            }
        }
    }
}

/// Shortest times within a set in which the target can be reached with probability one.
struct Search<'a> {
    mdp: &'a Mdp,
    into: &'a Reversed,
    owner: &'a [u32],
    is_inside: &'a [bool],
}

impl Search<'_> {
    fn stays(&self, pair: usize) -> bool {
        self.mdp.row(pair).iter().all(|(next, _)| self.is_inside[next])
    }

    /// A policy that arrives with probability one. States are added in breadth-first order from the
    /// target, each with the pair most likely to lead to a state added before.
    fn approach(&self, target: usize) -> Vec<u32> {
        let mut choice = vec![u32::MAX; self.mdp.states()];
        let mut is_placed = vec![false; self.mdp.states()];
        is_placed[target] = true;
        let mut queue = std::collections::VecDeque::from([target]);
        while let Some(state) = queue.pop_front() {
            for &pair in self.into.owners(state) {
                let from = self.owner[pair as usize] as usize;
                if is_placed[from] || !self.is_inside[from] || !self.stays(pair as usize) {
                    continue;
                }
                let chance = |pair: usize| -> f64 {
                    let row = self.mdp.row(pair).iter();
                    row.filter(|&(next, _)| is_placed[next]).map(|(_, p)| p).sum()
                };
                let pairs = self.mdp.pairs_of(from).filter(|&pair| self.stays(pair));
                let best = pairs.max_by(|&a, &b| chance(a).total_cmp(&chance(b)));
                choice[from] = best.map_or(pair, |best| best as u32);
                is_placed[from] = true;
                queue.push_back(from);
            }
        }
        choice
    }

    fn times(&mut self, target: usize) -> Result<Vec<f64>, SolveError> {
        let mdp = self.mdp;
        let inside: Vec<u32> = (0..mdp.states() as u32)
            .filter(|&state| self.is_inside[state as usize] && state as usize != target)
            .collect();
        let mut local = vec![u32::MAX; mdp.states()];
        for (index, &state) in inside.iter().enumerate() {
            local[state as usize] = index as u32;
        }
        let mut choice = self.approach(target);
        let mut times = vec![f64::INFINITY; mdp.states()];
        times[target] = 0.0;
        if inside.is_empty() {
            return Ok(times);
        }
        let mut has_to_sweep = false;
        let rounds = ROUND_LIMIT + 2 * inside.len() as u64;
        for _ in unless_stopped(0..rounds) {
            let mut leak = vec![0.0; inside.len()];
            let rows = inside.iter().enumerate().map(|(index, &state)| {
                let mut row = Vec::new();
                for (next, p) in mdp.row(choice[state as usize] as usize).iter() {
                    match local[next] {
                        u32::MAX => leak[index] += p,
                        next => row.push((next, p)),
                    }
                }
                row
            });
            let rows = rows.collect();
            let mut steps = vec![1.0; inside.len()];
            // If elimination filled in for one policy, it does for the next.
            let solver = match has_to_sweep {
                true => TransientSolver::Sweeps { rows, leak },
                false => TransientSolver::new(rows, leak),
            };
            has_to_sweep = solver.is_sweeping();
            solver.solve(&mut steps)?;
            let longest = steps.iter().copied().fold(0.0, f64::max);
            let blur = if has_to_sweep { IMPROVEMENT * longest } else { 0.0 };
            inside.iter().zip(steps).for_each(|(&state, steps)| times[state as usize] = steps);
            let mut has_improved = false;
            for &state in &inside {
                let mut best = times[state as usize] * (1.0 - IMPROVEMENT) - blur;
                for pair in mdp.pairs_of(state as usize) {
                    // Times outside the set are infinite, so a pair that leaves it is never best.
                    let time = self.time_of(state as usize, pair, &times);
                    if time < best {
                        best = time;
                        choice[state as usize] = pair as u32;
                        has_improved = true;
                    }
                }
            }
            if !has_improved {
                return Ok(times);
            }
        }
        Err(SolveError::StillImproving { what: "shortest hitting times", rounds })
    }

    /// The time if a pair is played until its state is left, and then the times are as given. A pair that
    /// seldom leaves its state hardly changes the time by one step, however much better it is.
    fn time_of(&self, state: usize, pair: usize, times: &[f64]) -> f64 {
        let (mut leaves, mut rest) = (0.0, 0.0);
        for (next, p) in self.mdp.row(pair).iter().filter(|&(next, _)| next != state) {
            leaves += p;
            rest += p * times[next];
        }
        (1.0 + rest) / leaves
    }
}

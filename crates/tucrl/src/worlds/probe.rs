//! Small independent measurements of MDPs, for the tests of worlds only.
//!
//! They do not use the library's exact answers, so that an error in a solver cannot hide an error in a world.

use std::collections::VecDeque;

use crate::mdp::Mdp;

/// The fewest steps with positive probability from any of `sources` to each state.
fn steps_from(mdp: &Mdp, sources: impl IntoIterator<Item = usize>) -> Vec<Option<usize>> {
    let mut steps = vec![None; mdp.states()];
    let mut queue = VecDeque::new();
    for source in sources {
        steps[source] = Some(0);
        queue.push_back((source, 0));
    }
    while let Some((state, so_far)) = queue.pop_front() {
        for pair in mdp.pairs_of(state) {
            for (next, _) in mdp.row(pair).iter() {
                if steps[next].is_none() {
                    steps[next] = Some(so_far + 1);
                    queue.push_back((next, so_far + 1));
                }
            }
        }
    }
    steps
}

/// The states that can be reached from the start, increasing.
pub(super) fn reachable(mdp: &Mdp) -> Vec<usize> {
    let steps = steps_from(mdp, mdp.start().map(|(state, _)| state));
    (0..mdp.states()).filter(|&state| steps[state].is_some()).collect()
}

/// The largest number of next states of any reachable pair.
pub(super) fn reachable_support(mdp: &Mdp) -> usize {
    let pairs = reachable(mdp).into_iter().flat_map(|state| mdp.pairs_of(state));
    pairs.map(|pair| mdp.row(pair).len()).max().unwrap()
}

/// The diameter of the reachable part, which must communicate: for every target the least expected
/// hitting times by value iteration from zero, in place.
pub(super) fn diameter(mdp: &Mdp) -> f64 {
    let states = reachable(mdp);
    let mut diameter: f64 = 0.0;
    for &target in &states {
        let mut times = vec![0.0; mdp.states()];
        let mut change: f64 = 1.0;
        while change > 1e-13 {
            change = 0.0;
            for &state in states.iter().filter(|&&state| state != target) {
                let time = |pair| 1.0 + mdp.row(pair).dot(&times);
                let best = mdp.pairs_of(state).map(time).fold(f64::MAX, f64::min);
                change = change.max((best - times[state]) / best);
                times[state] = best;
            }
        }
        diameter = times.into_iter().fold(diameter, f64::max);
    }
    diameter
}

/// The optimal gain, and the span over the reachable states of the bias found from zero, by
/// value iteration on the model that idles one step in ten (which makes it aperiodic).
pub(super) fn gain_and_span(mdp: &Mdp) -> (f64, f64) {
    const MOVE: f64 = 0.9;
    let states = reachable(mdp);
    let mut values = vec![0.0; mdp.states()];
    loop {
        let mut changes = Vec::with_capacity(states.len());
        for &state in &states {
            let worth = |pair| mdp.mean_reward(pair) + mdp.row(pair).dot(&values);
            let best = mdp.pairs_of(state).map(worth).fold(f64::MIN, f64::max);
            changes.push(best - values[state]);
        }
        let anchor = values[states[0]];
        for (&state, change) in states.iter().zip(&changes) {
            values[state] += MOVE * change - anchor;
        }
        let range = |numbers: &mut dyn Iterator<Item = f64>| {
            numbers.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)))
        };
        let (low, high) = range(&mut changes.iter().copied());
        if high - low < 1e-12 {
            let (least, most) = range(&mut states.iter().map(|&state| values[state]));
            return (low + (high - low) / 2.0, most - least);
        }
    }
}

/// Asserts that two numbers agree to within `tolerance`.
#[track_caller]
pub(super) fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "found {found}, expected {expected}");
}

/// The entries of one row, for comparison with a hand-written one.
pub(super) fn row(mdp: &Mdp, state: usize, action: usize) -> Vec<(usize, f64)> {
    mdp.row(mdp.pair(state, action)).iter().collect()
}

//! How is a constant gain found quickly where the world mixes?
//!
//! Value iteration *in place*: every new value is used at once (Gauss-Seidel), which takes little more
//! than half the sweeps. The gain is then no longer what a sweep adds, so it is an unknown of its own:
//! each sweep subtracts the gain believed in, and the belief is corrected until the mean of the values
//! stays where it is. How a sweep answers to a change of the gain is known exactly (`response`), so the
//! correction is applied to the sweep that has just been made.
//!
//! Most sweeps see few pairs. The first ones see all; then a *shortlist* is copied of the pairs that
//! come within a slack of the best, and sweeps see the best of each state only, with a look at the whole
//! list now and then (modified policy iteration, Puterman and Shin 1978). Leaving pairs out is exact: as
//! long as no two values have moved apart by more than the slack since the list was made, no other pair
//! can have become the best (action elimination, Hastings 1976). When they have, a new list is made.
//!
//! Whatever comes of it is judged by the bounds on the gain, the extremes of L v - v; where they narrow
//! too slowly it gives up early, and other methods take over. The values are *a* solution: where there
//! are several, the caller must look for the one it wants.
//!
//! Reads `solve::part`; feeds `solve::constant`. Departures: none.

use super::part::Part;

/// Sweeps between two looks at the bounds end when the changes differ by this share of the bounds'
/// distance at the last look,
const ENOUGH: f64 = 0.05;
/// or after this many.
const SWEEP_LIMIT: u32 = 12;
/// Looks after which it is given up.
const LOOK_LIMIT: u32 = 60;
/// Looks between two judgements of the trend.
const TREND: u32 = 3;

/// What came of the iteration.
pub(super) struct Outcome {
    /// Values whose increments agree within the tolerance or to rounding.
    pub(super) values: Vec<f64>,
    /// The pairs that can be the best for them, or come within the asked-for margin of it.
    pub(super) shortlist: Part<'static>,
    /// Sweeps, over whatever pairs.
    pub(super) sweeps: u64,
}

/// A shortlist, and how long it is good for.
struct Shortlist {
    part: Part<'static>,
    /// The values it was made for, and how far they may move.
    values: Vec<f64>,
    slack: f64,
}

/// Solves a part on which the optimal gain is constant, or gives up. Pairs that are worth less than the
/// best by no more than `margin` stay on the shortlist.
pub(super) fn iterate(part: &Part<'_>, r_max: f64, tolerance: f64, margin: f64) -> Option<Outcome> {
    let states = part.len();
    let mut values = vec![0.0; states];
    let mut swept = vec![0.0; states];
    let mut choice = vec![0; states];
    // Until there is a list, a crude answer: half of what a sweep adds is gain.
    let mut response = vec![1.0; states];
    let mut mean_response = 2.0;
    let mut list: Option<Shortlist> = None;
    let (mut low, mut high) = part.best_rewards(&mut values);
    let (mut sweeps, mut earlier_span) = (0, high - low);
    for look in 1..=LOOK_LIMIT {
        let mut gain = low + (high - low) / 2.0;
        // Bounds are mostly nearer to each other than the changes.
        let enough = (ENOUGH * (high - low)).max(tolerance);
        values.iter_mut().for_each(|value| *value -= gain);
        let mut difference = f64::INFINITY;
        for _ in 0..SWEEP_LIMIT {
            let (mean, spread) = match &list {
                Some(list) => list.part.sweep_chosen_in_place(&choice, gain, &mut values),
                None => part.sweep_in_place(gain, &mut values),
            };
            let correction = mean / mean_response;
            gain += correction;
            for (value, response) in values.iter_mut().zip(&response) {
                *value -= correction * response;
            }
            sweeps += 1;
            difference = spread;
            if difference <= enough {
                break;
            }
        }
        let rounding = part.rounding(&values, r_max);
        let margin = margin + 4.0 * rounding;
        list = list.filter(|list| moved(&values, &list.values) + margin <= list.slack);
        (low, high) = match &list {
            Some(list) => list.part.sweep_choosing(&values, &mut swept, &mut choice),
            None => {
                let slack = difference + 2.0 * margin;
                let (part, bounds) = part.shortlist(&values, slack, &mut swept, &mut choice);
                part.response(&choice, &mut response);
                mean_response = response.iter().sum::<f64>() / states as f64;
                list = Some(Shortlist { part, values: values.clone(), slack });
                bounds
            }
        };
        sweeps += 1;
        let span = high - low;
        let is_rounding = span <= 2.0 * rounding && span > 0.5 * earlier_span;
        if span <= tolerance || is_rounding {
            return list.map(|list| Outcome { values, shortlist: list.part, sweeps });
        }
        if look % TREND == 0 {
            let decay = (earlier_span / span).ln() / f64::from(TREND);
            let needed = (span / tolerance).ln() / decay;
            let will_do = decay > 0.0 && needed < f64::from(LOOK_LIMIT - look);
            if !will_do {
                return None;
            }
            earlier_span = span;
        }
        std::mem::swap(&mut values, &mut swept);
    }
    None
}

/// How far any two values have moved apart.
fn moved(now: &[f64], then: &[f64]) -> f64 {
    let moves = now.iter().zip(then).map(|(now, then)| now - then);
    let (low, high) =
        moves.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), m| (l.min(m), h.max(m)));
    high - low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mdp::Mdp;
    use crate::worlds::Garnet;

    /// The bounds on the gain, by the operator written out: the extremes of max r + P v - v.
    fn literal_bounds(mdp: &Mdp, values: &[f64]) -> (f64, f64) {
        (0..mdp.states()).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), state| {
            let worth = |pair| mdp.mean_reward(pair) + mdp.row(pair).dot(values);
            let best = mdp.pairs_of(state).map(worth).fold(f64::NEG_INFINITY, f64::max);
            (low.min(best - values[state]), high.max(best - values[state]))
        })
    }

    #[test]
    fn what_the_shortlist_says_holds_for_all_pairs() {
        const TOLERANCE: f64 = 1e-10;
        const MARGIN: f64 = 1e-6;
        for seed in 0..40 {
            let branching = 2 + seed as usize % 4;
            let mdp = Garnet { states: 300, actions: 5, branching, seed }.build().unwrap();
            let part = Part::whole(&mdp);
            let found = iterate(&part, mdp.r_max(), TOLERANCE, MARGIN).unwrap();
            let (low, high) = literal_bounds(&mdp, &found.values);
            assert!(high - low <= TOLERANCE + 1e-14, "seed {seed}: {low} {high}");
            let (list, mut listed) = (&found.shortlist, vec![false; mdp.pairs()]);
            for state in 0..mdp.states() {
                list.pairs_of(state).for_each(|pair| listed[list.pair(pair)] = true);
            }
            let count = listed.iter().filter(|&&listed| listed).count();
            assert!(count < mdp.pairs() / 2, "seed {seed}: {count} pairs are listed");
            for state in 0..mdp.states() {
                let worth = |pair| mdp.mean_reward(pair) + mdp.row(pair).dot(&found.values);
                let best = mdp.pairs_of(state).map(worth).fold(f64::NEG_INFINITY, f64::max);
                for pair in mdp.pairs_of(state).filter(|&pair| !listed[pair]) {
                    assert!(worth(pair) < best - MARGIN, "seed {seed}, state {state}, pair {pair}");
                }
            }
        }
    }

    #[test]
    fn gains_that_differ_are_never_taken_for_one() {
        let mut builder = Mdp::builder();
        for state in 0..4 {
            let reward = if state < 2 { 0.25 } else { 0.75 };
            builder.state().action(reward, [(state, 0.5), (state ^ 1, 0.5)]);
        }
        builder.start_at(0);
        let mdp = builder.build().unwrap();
        assert!(iterate(&Part::whole(&mdp), 1.0, 1e-9, 1e-9).is_none());
    }

    /// Increments of plain sweeps would alternate for ever; in place they do not.
    #[test]
    fn a_cycle_is_no_obstacle() {
        let mut builder = Mdp::builder();
        for state in 0..10 {
            let reward = f64::from(u8::from(state == 3));
            builder.state().action(reward, [((state + 1) % 10, 1.0)]).action(0.0, [(0, 1.0)]);
        }
        builder.start_at(0);
        let mdp = builder.build().unwrap();
        let found = iterate(&Part::whole(&mdp), 1.0, 1e-9, 1e-9).unwrap();
        let (low, high) = literal_bounds(&mdp, &found.values);
        // Stepping on from the fourth state pays 1, and from the fifth one jumps back to the start.
        assert!((low - 0.2).abs() < 1e-9 && (high - 0.2).abs() < 1e-9, "{low} {high}");
    }
}

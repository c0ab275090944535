//! How is a constant gain found quickly in an MDP that mixes fast?
//!
//! By value iteration *in place* (Gauss-Seidel), which takes little more than half the sweeps. The
//! increment of a sweep is then not the gain, so the gain is an unknown: each sweep subtracts an
//! estimate, which is corrected until the mean of the values does not change. The effect of the
//! estimate on a sweep is known exactly (`SubMdp::response`), so the correction is applied to the sweep
//! just made.
//!
//! The first sweeps read all pairs. Then the pairs within a slack of the best are copied to a
//! *shortlist*, and sweeps read one pair per state, with a sweep over the whole shortlist now and then
//! (modified policy iteration, Puterman and Shin 1978). This is exact: while no two values have moved
//! apart by more than the slack since the shortlist was made, no other pair can be the best (action
//! elimination, Hastings 1976). After that, a new shortlist is made.
//!
//! Instead of the mean over all states, the correction may watch the states that a sweep reads before it
//! updates them ([`Gauge::Returns`]). In a world of long rows that lead back to a start (DeepSea), with the
//! states numbered so that each comes after its successors, a sweep follows a row to its end, and what
//! the start has gained is the error of the gain times the length of the row.
//!
//! The result is judged by the bounds on the gain, min and max of L v - v. If they converge too slowly,
//! the iteration stops early and other methods are used. If the bias is not unique, the values are one
//! of many.

use super::sub_mdp::SubMdp;
use crate::math;
use crate::pulse::Pulse;

/// The bounds are computed when the changes of a sweep differ by less than this share of the last
/// distance between the bounds, or after `SWEEP_LIMIT` sweeps.
///
/// The constants here were measured on garnets with 10000 states, 5 next states and seeds 1 and 11, and on deep-sea with 60
/// rows (instructions of `solve`, callgrind). With 0.025: +3 %, +1 %, 0. With 0.1: +5 %, +2 %, 0.
const ENOUGH: f64 = 0.05;
/// With 6: +4 %, +1 %, -21 %. With 24: 0, 0, +42 %. With 2 to 5 for the first computation alone, which makes the shortlist
/// earlier and longer, garnets take twice as many.
const SWEEP_LIMIT: u32 = 12;
/// The largest number of computations of the bounds. A limit on time: with 30 and with 120 nothing changes.
pub(super) const LOOK_LIMIT: u32 = 60;
/// The trend is judged after this many computations of the bounds. With 2: 0, 0, -13 %. With 6: 0, 0, +38 %.
const TREND: u32 = 3;

/// Which changes correct the estimate of the gain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gauge {
    /// The mean change of all states.
    Mean,
    /// The change of the states whose old values a sweep reads.
    Returns,
}

/// The result of a converged iteration.
pub(super) struct Outcome {
    /// Values whose increments agree within the tolerance or rounding.
    pub(super) values: Vec<f64>,
    /// With [`Gauge::Returns`], an estimate of the gain that may have more digits than the bounds.
    pub(super) cycle_gain: Option<f64>,
    /// Contains all pairs within the margin of the best.
    pub(super) shortlist: SubMdp<'static>,
    /// Sweeps over all or some of the pairs.
    pub(super) sweeps: u64,
}

/// A shortlist and its range of validity.
struct Shortlist {
    sub: SubMdp<'static>,
    /// The values it was made for, and how far apart they may move.
    values: Vec<f64>,
    slack: f64,
}

/// Solves a sub-MDP with constant optimal gain; `None` if it converges too slowly. Pairs within `margin`
/// of the best stay on the shortlist. The bounds are computed at most `looks` times.
pub(super) fn iterate(
    sub: &SubMdp<'_>,
    r_max: f64,
    tolerance: f64,
    margin: f64,
    gauge: Gauge,
    looks: u32,
) -> Option<Outcome> {
    let states = sub.len();
    let mut values = vec![0.0; states];
    let mut swept = vec![0.0; states];
    let mut choice = vec![0; states];
    // A rough response until there is a shortlist: correct by half of the mean change, or not at all.
    let mut response = vec![1.0; states];
    let mut mean_response = if gauge == Gauge::Mean { 2.0 } else { f64::INFINITY };
    let (mut returns, mut before) = (Vec::new(), Vec::new());
    let mut list: Option<Shortlist> = None;
    let (mut low, mut high) = sub.best_rewards(&mut values);
    let (mut sweeps, mut earlier_span) = (0, high - low);
    for look in 1..=looks {
        let mut gain = low + (high - low) / 2.0;
        // The bounds are usually closer to each other than the changes of a sweep.
        let enough = (ENOUGH * (high - low)).max(tolerance);
        values.iter_mut().for_each(|value| *value -= gain);
        let mut difference = f64::INFINITY;
        for _ in 0..SWEEP_LIMIT {
            if Pulse::is_stopped() {
                return None;
            }
            before.clear();
            before.extend(returns.iter().map(|&(state, _): &(u32, f64)| values[state as usize]));
            let (mean, spread) = match &list {
                Some(list) => list.sub.sweep_chosen_in_place(&choice, gain, &mut values),
                None => sub.sweep_in_place(gain, &mut values),
            };
            let change = match gauge {
                Gauge::Mean => mean,
                Gauge::Returns => {
                    let read = returns.iter().zip(&before);
                    read.map(|(&(state, weight), old)| weight * (values[state as usize] - old))
                        .sum()
                }
            };
            let correction = change / mean_response;
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
        let rounding = sub.rounding(&values, r_max);
        let margin = margin + 4.0 * rounding;
        list = list.filter(|list| moved(&values, &list.values) + margin <= list.slack);
        (low, high) = match &list {
            Some(list) => list.sub.sweep_choosing(&values, &mut swept, &mut choice),
            None => {
                let slack = difference + 2.0 * margin;
                let (sub, bounds) = sub.shortlist(&values, slack, &mut swept, &mut choice);
                sub.response(&choice, &mut response);
                mean_response = response.iter().sum::<f64>() / states as f64;
                if gauge == Gauge::Returns {
                    returns = sub.returns(&choice);
                    let read = returns.iter();
                    mean_response = read.map(|&(state, w)| w * response[state as usize]).sum();
                }
                list = Some(Shortlist { sub, values: values.clone(), slack });
                bounds
            }
        };
        sweeps += 1;
        let span = high - low;
        let is_rounding = span <= 2.0 * rounding && span > 0.5 * earlier_span;
        if span <= tolerance || is_rounding {
            let list = list?.sub;
            let cycle_gain = (gauge == Gauge::Returns).then(|| cycle_gain(&list, &choice));
            return Some(Outcome { values, cycle_gain, shortlist: list, sweeps });
        }
        if look % TREND == 0 {
            let decay = math::ln(earlier_span / span) / f64::from(TREND);
            let needed = math::ln(span / tolerance) / decay;
            let will_do = decay > 0.0 && needed < f64::from(looks - look);
            if !will_do {
                return None;
            }
            earlier_span = span;
        }
        std::mem::swap(&mut values, &mut swept);
        if gauge == Gauge::Returns {
            // Only differences matter; keep the numbers small.
            let reference = values[states - 1];
            values.iter_mut().for_each(|value| *value -= reference);
        }
    }
    None
}

/// The reward of a policy until a state is read whose value is old, divided by the time until then: the gain, if there
/// is one such state.
fn cycle_gain(sub: &SubMdp<'_>, choice: &[u32]) -> f64 {
    let (mut earned, mut time) = (vec![0.0; sub.len()], vec![0.0; sub.len()]);
    sub.earned(choice, &mut earned);
    sub.response(choice, &mut time);
    let returns = sub.returns(choice);
    let mean = |of: &[f64]| returns.iter().map(|&(state, w)| w * of[state as usize]).sum::<f64>();
    mean(&earned) / mean(&time)
}

/// The largest distance by which two values have moved apart.
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

    /// The bounds on the gain from the definition: min and max of L v - v.
    fn literal_bounds(mdp: &Mdp, values: &[f64]) -> (f64, f64) {
        (0..mdp.states()).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), state| {
            let worth = |pair| mdp.mean_reward(pair) + mdp.row(pair).dot(values);
            let best = mdp.pairs_of(state).map(worth).fold(f64::NEG_INFINITY, f64::max);
            (low.min(best - values[state]), high.max(best - values[state]))
        })
    }

    #[test]
    fn bounds_from_the_shortlist_hold_for_all_pairs() {
        const TOLERANCE: f64 = 1e-10;
        const MARGIN: f64 = 1e-6;
        for seed in 0..40 {
            let branching = 2 + seed as usize % 4;
            let mdp = Garnet { states: 300, actions: 5, branching, seed }.build().unwrap();
            let sub = SubMdp::whole(&mdp);
            let found =
                iterate(&sub, mdp.r_max(), TOLERANCE, MARGIN, Gauge::Mean, LOOK_LIMIT).unwrap();
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
        assert!(iterate(&SubMdp::whole(&mdp), 1.0, 1e-9, 1e-9, Gauge::Mean, LOOK_LIMIT).is_none());
    }

    /// On a periodic MDP the increments of undamped sweeps would not converge.
    #[test]
    fn sweeps_in_place_converge_on_a_cycle() {
        let mut builder = Mdp::builder();
        for state in 0..10 {
            let reward = f64::from(u8::from(state == 3));
            builder.state().action(reward, [((state + 1) % 10, 1.0)]).action(0.0, [(0, 1.0)]);
        }
        builder.start_at(0);
        let mdp = builder.build().unwrap();
        let found =
            iterate(&SubMdp::whole(&mdp), 1.0, 1e-9, 1e-9, Gauge::Mean, LOOK_LIMIT).unwrap();
        let (low, high) = literal_bounds(&mdp, &found.values);
        // The best cycle has five steps: reward 1 in the fourth state, a jump to the start from the fifth.
        assert!((low - 0.2).abs() < 1e-9 && (high - 0.2).abs() < 1e-9, "{low} {high}");
    }
}

//! How is one sweep computed over a range of consecutive states?
//!
//! The new value of a state depends on the old values only, so a range of states needs nothing of the others:
//! large sets are cut into strips that run in parallel. The smallest and largest increments do not depend on the
//! order of comparison.

use rayon::prelude::*;

use crate::inner_max::Scratch;
use crate::plausible::{PlausibleSet, Shape, View};

/// How far the upper bound on a pair must lie below the best pair, as a share of the largest value, for
/// its own value not to matter: well beyond rounding and beyond what counts as a tie.
const MARGIN: f64 = 1e-6;

/// Sweeps over `PARALLEL_FROM` states or more run on the rayon pool, in strips of at least `LEAST` states: below
/// that, waking threads costs as much as it gains.
const PARALLEL_FROM: usize = 16_384;
const LEAST: usize = 4_096;

/// Neighbouring states that are swept one after another.
pub(super) struct Strip<'c> {
    /// The number of the first state, and of its first pair.
    pub(super) first: u32,
    pub(super) first_pair: usize,
    pub(super) swept: &'c mut [f64],
    pub(super) favourite: &'c mut [u32],
    pub(super) alarm: &'c mut [f64],
    pub(super) worth: &'c mut [f64],
    pub(super) payers: &'c mut [[u8; 2]],
}

impl Strip<'_> {
    /// Sweeps the states, on all threads of the present pool if there are many; returns the smallest and the
    /// largest increment.
    pub(super) fn sweep_all<S: Shape>(
        mut self,
        set: &PlausibleSet<'_, S>,
        view: &View<'_>,
        tau: f64,
        drift: f64,
        scratch: &mut Scratch,
    ) -> (f64, f64) {
        let (states, threads) = (self.swept.len(), rayon::current_num_threads());
        if states < PARALLEL_FROM || threads == 1 {
            return self.sweep(set, view, tau, drift, scratch);
        }
        let strips = self.cut(set, (states / (8 * threads)).max(LEAST));
        let sweep = |mut strip: Strip<'_>| strip.sweep(set, view, tau, drift, &mut Scratch::new());
        strips.into_par_iter().map(sweep).reduce(
            || (f64::INFINITY, f64::NEG_INFINITY),
            |(low, high), (l, h)| (low.min(l), high.max(h)),
        )
    }

    /// Cuts it into strips of `size` states.
    fn cut<S: Shape>(self, set: &PlausibleSet<'_, S>, size: usize) -> Vec<Self> {
        let (mut rest, mut strips) = (self, Vec::new());
        while rest.swept.len() > size {
            let next = rest.first + size as u32;
            let next_pair = set.counts().pairs_of(next).start;
            let pairs = next_pair - rest.first_pair;
            let (swept, more_swept) = rest.swept.split_at_mut(size);
            let (favourite, more_favourite) = rest.favourite.split_at_mut(size);
            let (alarm, more_alarm) = rest.alarm.split_at_mut(size);
            let (worth, more_worth) = rest.worth.split_at_mut(pairs);
            let (payers, more_payers) = rest.payers.split_at_mut(pairs);
            let (first, first_pair) = (rest.first, rest.first_pair);
            strips.push(Self { first, first_pair, swept, favourite, alarm, worth, payers });
            rest = Self {
                first: next,
                first_pair: next_pair,
                swept: more_swept,
                favourite: more_favourite,
                alarm: more_alarm,
                worth: more_worth,
                payers: more_payers,
            };
        }
        strips.push(rest);
        strips
    }

    /// Sweeps the states; returns the smallest and largest increment.
    ///
    /// The pair that was best last time comes first; of the others, those that sleep are not looked at,
    /// and those whose upper bound lies below it need no search for their best law.
    fn sweep<S: Shape>(
        &mut self,
        set: &PlausibleSet<'_, S>,
        view: &View<'_>,
        tau: f64,
        drift: f64,
        scratch: &mut Scratch,
    ) -> (f64, f64) {
        let counts = set.counts();
        let slack = MARGIN * (set.r_max + view.best().abs());
        let may_sleep = S::FIXED_LAWS;
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        if may_sleep && view.is_zero() {
            return self.sweep_zeros(set);
        }
        for place in 0..self.swept.len() {
            let number = self.first + place as u32;
            let here = view.values.seen[number as usize];
            let worth = |reward: f64, expected: f64| reward + tau * expected + (1.0 - tau) * here;
            let favourite = self.favourite[place] as usize;
            let row = set.row(favourite);
            let at = favourite - self.first_pair;
            let expected = set.sweep_value(favourite, &row, view, &mut self.payers[at], scratch);
            let mut best = worth(row.reward, expected);
            self.worth[at] = best;
            if self.alarm[place] <= drift {
                let mut second = f64::NEG_INFINITY;
                for pair in counts.pairs_of(number).filter(|&pair| pair != favourite) {
                    let (row, at) = (set.row(pair), pair - self.first_pair);
                    let fixed = row.fixed_value(view);
                    let mut value = worth(row.reward, set.bound_from(fixed, &row, view));
                    if value >= best - slack {
                        let payers = &mut self.payers[at];
                        value =
                            worth(row.reward, set.sweep_value(pair, &row, view, payers, scratch));
                    }
                    self.worth[at] = value;
                    if value > best {
                        second = best;
                        best = value;
                        self.favourite[place] = pair as u32;
                    } else if value > second {
                        second = value;
                    }
                }
                self.alarm[place] = if may_sleep { drift + (best - second) - slack } else { drift };
            }
            self.swept[place] = best;
            low = low.min(best - here);
            high = high.max(best - here);
        }
        (low, high)
    }

    /// The same where all values are 0, as at the start of most plans: all laws are worth the same.
    fn sweep_zeros<S: Shape>(&mut self, set: &PlausibleSet<'_, S>) -> (f64, f64) {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for (place, swept) in self.swept.iter_mut().enumerate() {
            let mut best = f64::NEG_INFINITY;
            for pair in set.counts().pairs_of(self.first + place as u32) {
                let reward = set.reward(pair);
                self.worth[pair - self.first_pair] = reward;
                if reward > best {
                    best = reward;
                    self.favourite[place] = pair as u32;
                }
            }
            *swept = best;
            low = low.min(best);
            high = high.max(best);
        }
        (low, high)
    }
}

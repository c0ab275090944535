//! How is one sweep computed over a range of consecutive states?
//!
//! The new value of a state depends on the old values only, so a range of states needs nothing of the others:
//! large sets are cut into strips that run in parallel. The smallest and largest increments do not depend on the
//! order of comparison.

use rayon::prelude::*;

use crate::inner_max::Scratch;
use crate::plausible::{PlausibleSet, Shape, View};

/// How far the upper bound on a pair must lie below the best pair, as a share of the largest value, for
/// the pair to be skipped: well beyond rounding and beyond what counts as a tie.
const MARGIN: f64 = 1e-6;

/// Sweeps over `PARALLEL_FROM` states or more run on the rayon pool, in strips of at least `LEAST` states, so that the
/// work of a strip outweighs waking a thread. Not measured; the values do not depend on them.
const PARALLEL_FROM: usize = 16_384;
const LEAST: usize = 4_096;

/// Neighbouring states that are swept one after another.
pub(super) struct Strip<'c> {
    /// The number of the first state, and of its first pair.
    pub(super) first: u32,
    pub(super) first_pair: usize,
    pub(super) swept: &'c mut [f64],
    pub(super) best_pair: &'c mut [u32],
    pub(super) skip_until: &'c mut [f64],
    pub(super) worth: &'c mut [f64],
    pub(super) worst_places: &'c mut [[u8; 2]],
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
            let (best_pair, more_best_pair) = rest.best_pair.split_at_mut(size);
            let (skip_until, more_skip_until) = rest.skip_until.split_at_mut(size);
            let (worth, more_worth) = rest.worth.split_at_mut(pairs);
            let (worst_places, more_worst_places) = rest.worst_places.split_at_mut(pairs);
            let (first, first_pair) = (rest.first, rest.first_pair);
            strips.push(Self {
                first,
                first_pair,
                swept,
                best_pair,
                skip_until,
                worth,
                worst_places,
            });
            rest = Self {
                first: next,
                first_pair: next_pair,
                swept: more_swept,
                best_pair: more_best_pair,
                skip_until: more_skip_until,
                worth: more_worth,
                worst_places: more_worst_places,
            };
        }
        strips.push(rest);
        strips
    }

    /// Sweeps the states; returns the smallest and largest increment.
    ///
    /// The pair that was best last time comes first; the others are skipped while the
    /// drift is below `skip_until`, and those whose upper bound lies below it need no search for their best law.
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
        let may_skip = S::FIXED_LAWS;
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        if may_skip && view.is_zero() {
            return self.sweep_zeros(set);
        }
        for place in 0..self.swept.len() {
            let number = self.first + place as u32;
            let here = view.values.seen[number as usize];
            let worth = |reward: f64, expected: f64| reward + tau * expected + (1.0 - tau) * here;
            let best_pair = self.best_pair[place] as usize;
            let row = set.row(best_pair);
            let at = best_pair - self.first_pair;
            let expected =
                set.sweep_value(best_pair, &row, view, &mut self.worst_places[at], scratch);
            let mut best = worth(row.reward, expected);
            self.worth[at] = best;
            if self.skip_until[place] <= drift {
                let mut second = f64::NEG_INFINITY;
                for pair in counts.pairs_of(number).filter(|&pair| pair != best_pair) {
                    let (row, at) = (set.row(pair), pair - self.first_pair);
                    let fixed = row.fixed_value(view);
                    let mut value = worth(row.reward, set.bound_from(fixed, &row, view));
                    if value >= best - slack {
                        let worst_places = &mut self.worst_places[at];
                        value = worth(
                            row.reward,
                            set.sweep_value(pair, &row, view, worst_places, scratch),
                        );
                    }
                    self.worth[at] = value;
                    if value > best {
                        second = best;
                        best = value;
                        self.best_pair[place] = pair as u32;
                    } else if value > second {
                        second = value;
                    }
                }
                self.skip_until[place] =
                    if may_skip { drift + (best - second) - slack } else { drift };
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
                    self.best_pair[place] = pair as u32;
                }
            }
            *swept = best;
            low = low.min(best);
            high = high.max(best);
        }
        (low, high)
    }
}

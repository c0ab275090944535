//! Which MDPs are plausible by bounds that hold at all times at once? (TUCRL+)
//!
//! For every pair (docs/theory.md has the proofs; `mixture` has the bounds):
//! - an interval [l, u] for each observed next state, by the Beta(1/2, 1/2) mixture;
//! - a bound m on the probability of all others together, by the missing mass;
//! - for the mean reward the same mixture, intersected with Maurer and Pontil's
//!   sqrt(2 var x / n) + 7 r_max x / (3 (n - 1)), x = ln(4 n (n + 1) / delta').
//!
//! Nothing depends on time, so that a plan recomputes only the pairs that were visited since the last one ([`Kept`]).
//!
//! **Levels.** [`Union::Nominal`]: delta' = delta / (16 S A) for a pair, delta / (16 S² A) for a next state.
//! [`Union::Discovery`], for an unknown or infinite S: the state first seen as the j-th has delta / (16 A j (j + 1))
//! for each of its pairs, and the next state first observed as the d-th of a pair 1 / (d (d + 1)) of that. The draws
//! of a pair are untouched when its state is first seen. Those up to the first observation of a next state are not, so
//! its interval has the later draws only. Next states first observed in the second half of the visits count as
//! unobserved, and m is the missing mass after the first half.
//!
//! **Laws.** l <= p <= u on the observed states, and at most m on the others together. A truncated pair may not lead to
//! states never seen; so that moving that mass to any seen state stays inside, it has p >= l on the observed states and
//! sum (p - u)^+ + sum over the others of p <= m.
//!
//! **Best law**: everything starts at its lower end. The rest fills the best items: each observed state up to u, and m as
//! one item that goes to the best state not observed, or to the best seen state of all for truncated pairs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::confidence::{Confidence, Shrink};
use crate::counts::PairCounts;
use crate::inner_max::{LONG_ROW, Ranking, Scratch, Sink, UNSEEN, ValueSink, Values};
use crate::math;
use crate::plausible::{Belief, PlausibleSet, Row, Shape, View};
use crate::space::Space;

use super::kept::{Kept, budgeted};
use super::mixture::{highest_below, interval, missing_mass};
use super::{ConfidenceSet, SetWidth};

/// Into how many equal parts delta is split: the intervals of next states, two bounds on missing mass, two on rewards;
/// the rest is for the noise of rewards and transitions.
const PARTS: f64 = 16.0;

/// What the width of a missing mass is called.
const UNOBSERVED_MASS: &str = "the bound on what was never observed";

/// How delta is divided among pairs and next states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Union {
    /// Equally among all that the space names.
    #[default]
    Nominal,
    /// In order of discovery; the number of states is not used.
    Discovery,
}

/// Logarithms of 1/delta', by pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Levels {
    /// ln(16 A / delta).
    actions: f64,
    /// ln S; none in order of discovery.
    states: Option<f64>,
}

impl Levels {
    /// The levels of an episode that starts at time `t_k`.
    pub fn new(confidence: &Confidence, space: &Space, t_k: u64, union: Union) -> Self {
        let delta = confidence.delta.at(t_k);
        let states = match union {
            Union::Nominal => Some(math::ln(space.states() as f64)),
            Union::Discovery => None,
        };
        Self {
            actions: math::ln(PARTS) + math::ln(f64::from(space.max_actions())) - math::ln(delta),
            states,
        }
    }

    /// ln(1/delta') of a pair, from the number of its state.
    pub fn of_pair(&self, number: usize) -> f64 {
        self.actions + self.states.unwrap_or_else(|| log_share(number))
    }

    /// ln(1/delta') of a next state of a pair, from the number of the pair's state and how many next states of the pair
    /// were observed before this one.
    pub fn of_next(&self, number: usize, earlier: usize) -> f64 {
        self.of_pair(number) + self.states.unwrap_or_else(|| log_share(earlier))
    }

    /// How delta is divided.
    pub fn union(&self) -> Union {
        if self.states.is_some() { Union::Nominal } else { Union::Discovery }
    }
}

/// ln(j (j + 1)) for j = `before` + 1: the shares 1/(j (j + 1)) add up to 1.
fn log_share(before: usize) -> f64 {
    let j = before as f64 + 1.0;
    math::ln(j) + math::ln(j + 1.0)
}

/// The tight set in one episode.
#[derive(Debug, Clone, PartialEq)]
pub struct Tight {
    pub(super) levels: Levels,
    r_max: f64,
    /// Factors of the logarithms, and of the widths.
    log_r: f64,
    pub(super) log_p: f64,
    width_r: f64,
    width_p: f64,
}

impl Tight {
    /// The set of an episode that starts at time `t_k`.
    pub fn new(confidence: &Confidence, space: &Space, t_k: u64, union: Union) -> Self {
        let (alpha_r, alpha_p) = (confidence.alpha_r, confidence.alpha_p);
        let (log_r, log_p, width_r, width_p) = match confidence.shrink {
            Shrink::Linear => (1.0, 1.0, alpha_r, alpha_p),
            Shrink::Log => (alpha_r, alpha_p, 1.0, 1.0),
        };
        let levels = Levels::new(confidence, space, t_k, union);
        Self { levels, r_max: confidence.r_max, log_r, log_p, width_r, width_p }
    }

    /// The interval of a next state's probability that was observed in `count` of `visits`.
    pub(super) fn ends(&self, count: u64, visits: u64, log: f64) -> (f64, f64) {
        if visits == 0 {
            return (0.0, 1.0);
        }
        let (count, visits) = (count as f64, visits as f64);
        let (low, high) = interval(count, visits, self.log_p * log);
        let p_hat = count / visits;
        let width = |end: f64| p_hat + self.width_p * (end - p_hat);
        (width(low).clamp(0.0, 1.0), width(high).clamp(0.0, 1.0))
    }

    /// m from the bound V on n - 1 times the missing mass.
    pub(super) fn budget(&self, bound: f64, visits: u64) -> f64 {
        self.width_p * (bound / visits.saturating_sub(1) as f64).min(1.0)
    }

    /// The width of the mean reward of a pair above its estimate; `log` is the pair's ln(1/delta').
    pub(super) fn reward_width_at(&self, pair: &PairCounts, log: f64) -> f64 {
        let (visits, mean) = (pair.visits_at_least_one() as f64, pair.reward_mean());
        let log = self.log_r * log;
        let x = log + math::ln(4.0 * visits * (visits + 1.0));
        // Infinite after one visit, which says nothing about a variance.
        let linear = 7.0 * self.r_max * x / (3.0 * (visits - 1.0));
        let bernstein = (2.0 * x).sqrt() * pair.reward_deviation() + linear;
        let least = mean + bernstein * (1.0 + 1e-9);
        let sum = visits * mean / self.r_max;
        let width = match highest_below(sum, visits, log, least / self.r_max) {
            Some(high) => (self.r_max * high - mean).min(bernstein),
            None => bernstein,
        };
        self.width_r * width.max(0.0)
    }
}

impl ConfidenceSet for Tight {
    type Shape = Budgeted;

    const ABOUT: &'static str = "intervals and missing mass that hold at all times at once";

    fn of(confidence: &Confidence, space: &Space, t_k: u64) -> Self {
        Self::new(confidence, space, t_k, Union::Nominal)
    }

    /// In order of discovery, that of a pair of the first seen state.
    fn reward_width(&self, pair: &PairCounts) -> f64 {
        self.reward_width_at(pair, self.levels.of_pair(0))
    }

    fn plausible<'a>(&self, belief: &Belief<'a, '_>) -> PlausibleSet<'a, Budgeted> {
        let mut kept = Kept::default();
        kept.refresh(self, belief.counts);
        budgeted(belief, &kept, |_| false)
    }

    fn width_after(&self, visits: f64) -> SetWidth {
        let bound = missing_mass(1, self.log_p * self.levels.of_pair(0));
        SetWidth::linear(UNOBSERVED_MASS, self.width_p * bound / (visits - 1.0).max(1.0))
    }
}

/// Intervals with one budget for everything else: the mass of a row are the lower ends, its free mass is what they leave
/// over.
#[derive(Debug, Clone, Default)]
pub struct Budgeted {
    /// By pair.
    pub(super) budgets: Vec<Budget>,
    /// Upper minus lower ends, row by row.
    pub(super) room: Vec<f64>,
    /// Whether some pair is not truncated; only those need the ranking.
    pub(super) has_open_pairs: bool,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    /// m.
    pub(super) mass: f64,
    /// Whether the budget may also raise observed states above their upper ends.
    pub(super) is_truncated: bool,
}

impl Budgeted {
    /// The state that takes the budget of a pair: the best seen one, or the best one that was not observed. None if all
    /// planned states were observed.
    #[inline]
    fn target(&self, pair: usize, row: &Row<'_>, view: &View<'_>) -> Option<u32> {
        if self.budgets[pair].is_truncated {
            return Some(view.top_seen);
        }
        if view.top == UNSEEN {
            return Some(UNSEEN);
        }
        // One more state is ranked than the longest row has.
        let mut best_seen = None;
        for rank in 0..=row.next.len() as u32 {
            let Some(state) = view.ranking.ranked(rank) else { break };
            if row.next.binary_search(&state).is_err() {
                best_seen = Some(state);
                break;
            }
        }
        let is_unseen_better = |state: u32| view.value(state) < view.values.unseen;
        match best_seen {
            Some(state) if !(view.plans_unseen() && is_unseen_better(state)) => Some(state),
            _ if view.plans_unseen() => Some(UNSEEN),
            other => other,
        }
    }

    /// Gives what the lower ends leave over to the best items.
    #[inline]
    fn fill_up(
        &self,
        pair: usize,
        entries: std::ops::Range<usize>,
        row: &Row<'_>,
        view: &View<'_>,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
    ) {
        let (next, rooms) = (row.next, &self.room[entries]);
        let target = self.target(pair, row, view);
        let mut left = row.free;
        let mut give = |state: u32, room: f64| {
            let taken = room.min(left);
            sink.give(state, taken);
            left -= taken;
            left <= 0.0
        };
        let budget = target.map(|state| (view.value(state), state, self.budgets[pair].mass));
        if let ([state], [room]) = (next, rooms) {
            // The usual row of a deterministic pair: two items at most.
            let own = (view.values.seen[*state as usize], *state, *room);
            let (first, second) = match budget {
                Some(budget) if is_before(&budget, &own) => (budget, Some(own)),
                other => (own, other),
            };
            if give(first.1, first.2) || second.is_some_and(|item| give(item.1, item.2)) {
                return;
            }
        } else if is_walked(next.len(), view.values.seen.len())
            && target.is_none_or(|state| next.binary_search(&state).is_err())
        {
            // No two items are equal, so that their order does not depend on how it is found.
            if fill_along(next, rooms, budget, view, scratch, give) {
                return;
            }
        } else {
            let items = &mut scratch.items;
            items.clear();
            for (&state, &room) in next.iter().zip(rooms) {
                items.push((view.values.seen[state as usize], state, room));
            }
            items.extend(budget);
            if fill_in_order(items, give) {
                return;
            }
        }
        // Only where intervals fail or are shrunk.
        sink.give(view.top_of(row), left);
    }
}

/// Whether an item `(value, state, room)` is filled before another: by decreasing value, then by number.
#[inline]
fn is_before(a: &(f64, u32, f64), b: &(f64, u32, f64)) -> bool {
    b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).is_lt()
}

/// Whether the items of a row are found along the ranking of all states: then it is worth ranking them.
fn is_walked(row: usize, states: usize) -> bool {
    row > LONG_ROW && 4 * row >= states
}

/// Hands the states of a row and a budget for another state over, best first, until `give` says that nothing is left; all
/// states are ranked.
fn fill_along(
    next: &[u32],
    rooms: &[f64],
    mut budget: Option<(f64, u32, f64)>,
    view: &View<'_>,
    scratch: &mut Scratch,
    mut give: impl FnMut(u32, f64) -> bool,
) -> bool {
    let places = scratch.spread(next, view.values.seen.len());
    let mut is_spent = false;
    for &state in &view.ranking.order {
        let place = places[state as usize] as usize;
        if place == 0 {
            continue;
        }
        let item = (view.values.seen[state as usize], state, rooms[place - 1]);
        let first = budget.take_if(|budget| is_before(budget, &item));
        if first.is_some_and(|first| give(first.1, first.2)) || give(state, item.2) {
            is_spent = true;
            break;
        }
    }
    scratch.clear(next);
    is_spent || budget.is_some_and(|budget| give(budget.1, budget.2))
}

/// Hands items over, best first, until `give` says that nothing is left. A few of many items take what there is, so only
/// the best ones are sorted, twice as many each time.
fn fill_in_order(
    mut items: &mut [(f64, u32, f64)],
    mut give: impl FnMut(u32, f64) -> bool,
) -> bool {
    let order = |a: &(f64, u32, f64), b: &(f64, u32, f64)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    let mut many = 16;
    while !items.is_empty() {
        if many < items.len() {
            items.select_nth_unstable_by(many, order);
        }
        let (best, rest) = items.split_at_mut(many.min(items.len()));
        best.sort_unstable_by(order);
        if best.iter().any(|item| give(item.1, item.2)) {
            return true;
        }
        (items, many) = (rest, 2 * many);
    }
    false
}

impl Shape for Budgeted {
    fn rank(set: &PlausibleSet<'_, Self>, values: &Values, ranking: &mut Ranking) {
        // Where states never seen are the best of all, they take every budget of a pair that is not truncated.
        let takes_all = || set.unseen > 0 && values.seen.iter().all(|&v| v <= values.unseen);
        if is_walked(set.longest_row, values.seen.len()) {
            ranking.update(values);
        } else if set.shape.has_open_pairs && !takes_all() {
            ranking.update_best(values, set.longest_row + 1);
        }
    }

    fn fill(
        set: &PlausibleSet<'_, Self>,
        pair: usize,
        row: &Row<'_>,
        view: &View<'_>,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
    ) {
        for (&state, &low) in row.next.iter().zip(row.mass) {
            if low > 0.0 {
                sink.give(state, low);
            }
        }
        set.shape.fill_up(pair, set.entries(pair), row, view, scratch, sink);
    }

    #[inline(always)]
    fn value(
        set: &PlausibleSet<'_, Self>,
        fixed: f64,
        pair: usize,
        row: &Row<'_>,
        view: &View<'_>,
        scratch: &mut Scratch,
    ) -> f64 {
        let mut sink = ValueSink { values: view.values, sum: fixed };
        set.shape.fill_up(pair, set.entries(pair), row, view, scratch, &mut sink);
        sink.sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::RandomStream;

    type Give<'a> = dyn FnMut(u32, f64) -> bool + 'a;

    /// What is handed over until `most` is spent, and whether it was.
    fn filled(most: f64, by: impl FnOnce(&mut Give<'_>) -> bool) -> (bool, Vec<(u32, u64)>) {
        let (mut left, mut given) = (most, Vec::new());
        let is_spent = by(&mut |state, room| {
            given.push((state, room.to_bits()));
            left -= room;
            left <= 0.0
        });
        (is_spent, given)
    }

    /// Values with ties, budgets for states outside the row and for states never seen.
    #[test]
    fn along_the_ranking_and_by_sorting_the_same_items_are_filled_in_the_same_order() {
        let (mut random, mut ranking) = (RandomStream::new(3), Ranking::default());
        let (mut scratch, mut spent, mut unspent) = (Scratch::new(), 0, 0);
        for _ in 0..2_000 {
            let states = 30 + random.below(90) as u32;
            let seen: Vec<f64> = (0..states).map(|_| random.below(40) as f64 / 8.0).collect();
            let values = Values { seen, unseen: random.below(41) as f64 / 8.0 };
            ranking.update(&values);
            let view = View::new(&values, &ranking, true);
            let (next, others): (Vec<u32>, Vec<u32>) =
                (0..states).partition(|_| random.chance(0.7));
            let rooms: Vec<f64> = next.iter().map(|_| random.unit()).collect();
            let target = match random.below(3) {
                0 => None,
                1 => Some(UNSEEN),
                _ => others.first().copied(),
            };
            let budget = target.map(|state| (view.value(state), state, random.unit()));
            let most = random.unit() * 0.7 * states as f64;
            let walked =
                filled(most, |give| fill_along(&next, &rooms, budget, &view, &mut scratch, give));
            let sorted = filled(most, |give| {
                let items = next.iter().zip(&rooms).map(|(&s, &room)| (view.value(s), s, room));
                fill_in_order(&mut items.chain(budget).collect::<Vec<_>>(), give)
            });
            assert_eq!(walked, sorted, "{values:?} {next:?} {budget:?}");
            *(if walked.0 { &mut spent } else { &mut unspent }) += 1;
        }
        assert!(spent > 500 && unspent > 200, "{spent} {unspent}");
    }
}

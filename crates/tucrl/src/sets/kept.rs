//! Which bounds of TUCRL+'s tight sets change from plan to plan?
//!
//! Those of pairs that were visited since the last plan, and whether a pair is truncated. Both the bounds ([`Kept`]) and
//! the plausible set made from them ([`KeptSet`]) are kept, and only what changed is written again. They are derived from
//! the counts alone, so a checkpoint does not need them, and a plan from kept ones is that from fresh ones bit for bit.

use crate::counts::Counts;
use crate::plausible::{Belief, PlausibleSet, Rows, optimistic_reward};

use super::mixture::missing_mass;
use super::tight::{Budget, Budgeted, Tight, Union};

/// Rows with more next states than this look up whether the interval of a count has been computed in this row.
const SHORT: usize = 4;

/// The bounds of all pairs, kept from plan to plan.
#[derive(Debug, Clone, Default)]
pub struct Kept {
    /// The set that they belong to.
    set: Option<Tight>,
    /// By pair; one more at the end closes the last row.
    pairs: Vec<KeptPair>,
    /// The observed next states with intervals, row by row.
    next: Vec<u32>,
    ends: Vec<(f64, f64)>,
    /// The pairs whose bounds the last refresh changed, increasing.
    changed: Vec<u32>,
    /// Whether it also moved rows.
    has_moved: bool,
}

#[derive(Debug, Clone, Copy, Default)]
struct KeptPair {
    visits: u64,
    /// Where its row begins.
    row: u32,
    /// The number of different outcomes that `bound` is for.
    distinct: u32,
    /// V, see [`missing_mass`].
    bound: f64,
    budget: f64,
    reward_width: f64,
}

impl Kept {
    /// The bounds of one pair, as pair 0.
    pub fn of_pair(set: &Tight, counts: &Counts, pair: usize) -> Self {
        let mut kept = Self::default();
        kept.push(set, counts, counts.owner_number(pair), pair, KeptPair::default());
        kept.close();
        kept
    }

    /// Brings the bounds up to date.
    pub fn refresh(&mut self, set: &Tight, counts: &Counts) {
        if self.set.as_ref() != Some(set) {
            *self = Self { set: Some(set.clone()), ..Self::default() };
        }
        let (known, all) = (self.pairs.len().saturating_sub(1), counts.pairs());
        self.changed.clear();
        let visited = all.iter().zip(&self.pairs[..known]).enumerate();
        let visited = visited.filter(|(_, (now, kept))| now.visits_before() != kept.visits);
        self.changed.extend(visited.map(|(pair, _)| pair as u32));
        self.changed.extend(known as u32..all.len() as u32);
        let mut fresh = Self::default();
        for &pair in &self.changed {
            let pair = pair as usize;
            let old = if pair < known { self.pairs[pair] } else { KeptPair::default() };
            fresh.push(set, counts, counts.owner_number(pair), pair, old);
        }
        fresh.close();
        let is_as_long =
            |(place, &pair): (usize, &u32)| fresh.row(place).len() == self.row(pair as usize).len();
        self.has_moved = known < all.len() || !self.changed.iter().enumerate().all(is_as_long);
        if self.has_moved { self.merge(&fresh, known, all.len()) } else { self.replace(&fresh) }
    }

    /// Writes the changed rows where the old ones stand.
    fn replace(&mut self, fresh: &Self) {
        for (place, &pair) in self.changed.iter().enumerate() {
            let (from, to) = (fresh.row(place), self.row(pair as usize));
            self.pairs[pair as usize] = KeptPair { row: to.start as u32, ..fresh.pairs[place] };
            self.next[to.clone()].copy_from_slice(&fresh.next[from.clone()]);
            self.ends[to].copy_from_slice(&fresh.ends[from]);
        }
    }

    /// Writes all rows anew.
    fn merge(&mut self, fresh: &Self, known: usize, pairs: usize) {
        let mut merged = Self { pairs: Vec::with_capacity(pairs + 1), ..Self::default() };
        let mut changed = self.changed.iter().enumerate().peekable();
        for pair in 0..pairs {
            let next = changed.next_if(|&(_, &changed)| changed as usize == pair);
            let (from, place) = match next {
                Some((place, _)) => (fresh, place),
                None => (&*self, pair),
            };
            debug_assert!(next.is_some() || pair < known);
            let (row, begin) = (from.row(place), merged.next.len() as u32);
            merged.pairs.push(KeptPair { row: begin, ..from.pairs[place] });
            merged.next.extend_from_slice(&from.next[row.clone()]);
            merged.ends.extend_from_slice(&from.ends[row]);
        }
        merged.close();
        (self.pairs, self.next, self.ends) = (merged.pairs, merged.next, merged.ends);
    }

    fn close(&mut self) {
        self.pairs.push(KeptPair { row: self.next.len() as u32, ..KeptPair::default() });
    }

    /// Where the row of a pair stands; empty if it has none yet.
    fn row(&self, pair: usize) -> std::ops::Range<usize> {
        match self.pairs.get(pair + 1) {
            Some(end) => self.pairs[pair].row as usize..end.row as usize,
            None => 0..0,
        }
    }

    /// Computes the bounds of a pair; `old` is what they were.
    fn push(&mut self, set: &Tight, counts: &Counts, number: usize, pair: usize, old: KeptPair) {
        let (row, stats) = (self.next.len() as u32, &counts.pairs()[pair]);
        let visits = stats.visits_before();
        if visits == 0 {
            return self.pairs.push(KeptPair { row, ..KeptPair::default() });
        }
        let (distinct, at) = match set.levels.union() {
            Union::Nominal => self.push_all(set, counts, number, pair),
            Union::Discovery => self.push_later(set, counts, number, pair),
        };
        let log = set.levels.of_pair(number);
        let bound = match old.distinct == distinct && distinct > 0 {
            true => old.bound,
            false => missing_mass(distinct, set.log_p * log),
        };
        let (budget, reward_width) = (set.budget(bound, at), set.reward_width_at(stats, log));
        self.pairs.push(KeptPair { visits, row, distinct, bound, budget, reward_width });
    }

    /// Intervals from all draws. Returns the number of different outcomes among how many draws.
    fn push_all(&mut self, set: &Tight, counts: &Counts, number: usize, pair: usize) -> (u32, u64) {
        let (visits, observed) =
            (counts.pairs()[pair].visits_before(), counts.pairs()[pair].observed());
        let log = set.levels.of_next(number, 0);
        // In a long row many next states have the same count, hence the same interval.
        let mut computed: Vec<(u64, (f64, f64))> = Vec::new();
        for (next, count) in counts.transitions(pair) {
            let known = computed.iter().find(|entry| entry.0 == count);
            let ends = known.map_or_else(|| set.ends(count, visits, log), |entry| entry.1);
            if observed as usize > SHORT && known.is_none() {
                computed.push((count, ends));
            }
            self.next.push(next);
            self.ends.push(ends);
        }
        (observed, visits)
    }

    /// Intervals from the draws after the first observation. Without the times of first observations, which a learner
    /// keeps if its planner asks, every next state counts as unobserved.
    fn push_later(
        &mut self,
        set: &Tight,
        counts: &Counts,
        number: usize,
        pair: usize,
    ) -> (u32, u64) {
        let (visits, first) = (counts.pairs()[pair].visits_before(), counts.first_visits(pair));
        let half = visits / 2;
        let early = first.iter().filter(|&&first| first <= half).count() as u32;
        for ((next, count), &first_visit) in counts.transitions(pair).zip(first) {
            if first_visit <= half {
                let earlier = first.iter().filter(|&&other| other < first_visit).count();
                let log = set.levels.of_next(number, earlier);
                self.next.push(next);
                self.ends.push(set.ends(count - 1, visits - first_visit, log));
            }
        }
        // If the second half showed nothing new, all visits count.
        match early == counts.pairs()[pair].observed() {
            true => (early, visits),
            false => (early.max(1), half),
        }
    }

    /// The width of the widest interval of a pair; 1 if no next state has an interval, as after one visit where the
    /// first observation does not count: then nothing bounds the law.
    pub fn widest(&self, pair: usize) -> f64 {
        let widths = self.intervals(pair).1.iter().map(|(low, high)| high - low);
        widths.reduce(f64::max).unwrap_or(1.0)
    }

    /// The next states of a pair that have an interval, and their intervals.
    pub fn intervals(&self, pair: usize) -> (&[u32], &[(f64, f64)]) {
        let row = self.row(pair);
        (&self.next[row.clone()], &self.ends[row])
    }

    /// The width of the mean reward of a pair above its estimate.
    pub fn reward_width(&self, pair: usize) -> f64 {
        self.pairs[pair].reward_width
    }

    /// The bound m of a pair; 1 if it was never tried.
    pub fn budget(&self, pair: usize) -> f64 {
        if self.pairs[pair].visits == 0 { 1.0 } else { self.pairs[pair].budget }
    }
}

/// The plausible set of the last plan without its counts, and which states have changed since then.
#[derive(Debug, Clone, Default)]
pub struct KeptSet {
    rows: Option<Rows<Budgeted>>,
    has_changed: Vec<bool>,
}

impl KeptSet {
    /// The plausible MDPs by bounds that were refreshed just now; `truncates` says which pairs may not lead to states never
    /// seen while there are some.
    pub fn renewed<'a>(
        &mut self,
        belief: &Belief<'a, '_>,
        kept: &Kept,
        truncates: impl Fn(usize) -> bool,
    ) -> PlausibleSet<'a, Budgeted> {
        let counts = belief.counts;
        self.has_changed.clear();
        let Some(rows) = self.rows.take().filter(|_| !kept.has_moved && belief.known.is_none())
        else {
            self.has_changed.resize(counts.seen(), true);
            return budgeted(belief, kept, truncates);
        };
        self.has_changed.resize(counts.seen(), false);
        let mut all = PlausibleSet::of_rows(belief, rows);
        all.shape.has_open_pairs = false;
        let mut changed = kept.changed.iter().peekable();
        for number in 0..counts.seen() {
            for pair in counts.pairs_of(number as u32) {
                let is_truncated = truncates(pair);
                let is_forbidden = belief.unseen == 0 || is_truncated;
                all.shape.has_open_pairs |= !is_truncated;
                let has_new_bounds =
                    changed.next_if(|&&changed| changed as usize == pair).is_some();
                let (budget, old) = (&mut all.shape.budgets[pair], &mut all.pairs[pair]);
                if budget.is_truncated != is_truncated || old.is_forbidden != is_forbidden {
                    (budget.is_truncated, old.is_forbidden) = (is_truncated, is_forbidden);
                    self.has_changed[number] = true;
                }
                if has_new_bounds {
                    self.has_changed[number] = true;
                    let entries = all.entries(pair);
                    let (next, ends) = kept.intervals(pair);
                    all.next[entries.clone()].copy_from_slice(next);
                    let (mass, room) =
                        (&mut all.mass[entries.clone()], &mut all.shape.room[entries]);
                    let free = lower_ends(ends, |at, low, wide| (mass[at], room[at]) = (low, wide));
                    all.pairs[pair].free = free;
                    all.pairs[pair].reward =
                        optimistic_reward(belief, number as u32, pair, kept.reward_width(pair));
                    all.shape.budgets[pair].mass = kept.budget(pair);
                }
            }
        }
        all
    }

    /// By seen state: whether the last renewal changed the set of one of its pairs.
    pub fn has_changed(&self) -> &[bool] {
        &self.has_changed
    }

    /// Takes back what the next renewal begins with.
    pub fn keep(&mut self, set: PlausibleSet<'_, Budgeted>) {
        self.rows = Some(set.into_rows());
    }
}

/// Hands over the lower end and the room of every next state of a pair; returns what the lower ends leave over.
/// Intervals that do not share a law, which happens where they fail or are shrunk, lose their lower ends.
fn lower_ends(ends: &[(f64, f64)], mut put: impl FnMut(usize, f64, f64)) -> f64 {
    let sum: f64 = ends.iter().map(|end| end.0).sum();
    let has_law = sum <= 1.0;
    for (at, &(low, high)) in ends.iter().enumerate() {
        let low = if has_law { low } else { 0.0 };
        put(at, low, high - low);
    }
    if has_law { 1.0 - sum } else { 1.0 }
}

/// The plausible MDPs by bounds that are up to date; `truncates` says which pairs may not lead to states never seen while
/// there are some.
pub fn budgeted<'a>(
    belief: &Belief<'a, '_>,
    kept: &Kept,
    truncates: impl Fn(usize) -> bool,
) -> PlausibleSet<'a, Budgeted> {
    let counts = belief.counts;
    let mut all = PlausibleSet::new(belief, Budgeted::default());
    all.shape.room.reserve(kept.ends.len());
    for number in 0..counts.seen() as u32 {
        for pair in counts.pairs_of(number) {
            let (next, ends) = kept.intervals(pair);
            let begin = all.next.len();
            all.next.extend_from_slice(next);
            let free = lower_ends(ends, |_, low, room| {
                all.mass.push(low);
                all.shape.room.push(room);
            });
            let is_truncated = truncates(pair);
            all.shape.has_open_pairs |= !is_truncated;
            all.shape.budgets.push(Budget { mass: kept.budget(pair), is_truncated });
            let reward = optimistic_reward(belief, number, pair, kept.reward_width(pair));
            all.close_row(begin, reward, free, belief.unseen == 0 || is_truncated, true);
        }
    }
    all.closed()
}

//! Which MDPs are plausible by the empirical Bernstein inequality? (the paper's "UCRL", UCRL2B, and TUCRL)
//!
//! Fruit, Pirotta, Lazaric 2018, section 3, with b = ln(2 S A t_k / delta), N+ = max(1, N), N± = max(1, N - 1):
//! - rewards: sqrt(14 var b / N+) + (49/3) r_max b / N±;
//! - each next state: sqrt(14 var b / N+) + (49/3) b / N±, so that a state never observed from the pair may have
//!   probability up to p+ = (49/3) b / N±.
//!
//! Every width is a root part times sqrt(b) plus a linear part times b, and only b changes for pairs that were
//! not visited.
//!
//! **Best law** in a box of per-state intervals: everything starts at its lower end, and what is left of the mass
//! fills the best states up, in order.

use crate::confidence::Confidence;
use crate::counts::PairCounts;
use crate::inner_max::{LONG_ROW, Ranking, Scratch, Sink, UNSEEN, ValueSink, Values};
use crate::plausible::{Belief, PlausibleSet, Row, Shape, View, max, min, optimistic_rewards};
use crate::space::Space;

use super::{ConfidenceSet, SetWidth};

/// The paper's Bernstein set in one episode.
#[derive(Debug, Clone, Copy)]
pub struct Bernstein {
    reward_root: f64,
    reward_linear: f64,
    next_root: f64,
    next_linear: f64,
}

impl Bernstein {
    /// The set with another logarithm b.
    pub fn with_log(confidence: &Confidence, b: f64) -> Self {
        let Confidence { alpha_r, alpha_p, r_max, .. } = *confidence;
        Self {
            reward_root: confidence.root(alpha_r, 14.0 * b),
            reward_linear: alpha_r * (49.0 / 3.0) * r_max * b,
            next_root: confidence.root(alpha_p, 14.0 * b),
            next_linear: alpha_p * (49.0 / 3.0) * b,
        }
    }

    /// The width of a next state never observed from a pair: the largest probability that it may have.
    #[doc(alias = "beta_0")]
    #[doc(alias = "p+")]
    #[inline]
    pub fn unobserved(&self, pair: &PairCounts) -> f64 {
        self.next_linear / pair.visits_less_one() as f64
    }

    /// The width of an observed next state with the given deviation sqrt(var / N+).
    #[doc(alias = "beta_p")]
    #[inline]
    pub fn observed(&self, pair: &PairCounts, deviation: f64) -> f64 {
        self.next_root * deviation + self.unobserved(pair)
    }

    /// The sum of the widths of `widths` next states, the observed ones among them.
    pub fn radius(&self, pair: &PairCounts, widths: f64) -> f64 {
        self.next_root * pair.spread() + widths * self.unobserved(pair)
    }

    /// The width of an unobserved next state after `visits`.
    pub(crate) fn unobserved_after(&self, visits: f64) -> f64 {
        self.next_linear / (visits - 1.0).max(1.0)
    }
}

impl ConfidenceSet for Bernstein {
    type Shape = Boxes;

    const ABOUT: &'static str = "the paper's Bernstein boxes";

    fn of(confidence: &Confidence, space: &Space, t_k: u64) -> Self {
        Self::with_log(confidence, confidence.log(confidence.pairs(space), t_k))
    }

    #[inline]
    fn reward_width(&self, pair: &PairCounts) -> f64 {
        self.reward_root * pair.reward_deviation()
            + self.reward_linear / pair.visits_less_one() as f64
    }

    fn plausible<'a>(&self, belief: &Belief<'a, '_>) -> PlausibleSet<'a, Boxes> {
        boxes(belief, self, |_| false, 0)
    }

    fn width_after(&self, visits: f64) -> SetWidth {
        SetWidth::linear(super::UNOBSERVED, self.unobserved_after(visits))
    }
}

/// A set of per-state intervals.
pub trait Intervals: ConfidenceSet {
    /// The widths of a pair: of a next state with deviation d it is `.0 * d + .1`.
    fn widths(&self, pair: &PairCounts) -> (f64, f64);
}

impl Intervals for Bernstein {
    #[inline]
    fn widths(&self, pair: &PairCounts) -> (f64, f64) {
        (self.next_root, self.unobserved(pair))
    }
}

/// Boxes of per-state intervals. For a pair that `forbids` names the upper ends are raised by
/// `lost * min(1, p+)`, with `lost` the number of states whose mass is given back.
pub fn boxes<'a>(
    belief: &Belief<'a, '_>,
    set: &impl Intervals,
    forbids: impl Fn(usize) -> bool,
    lost: u64,
) -> PlausibleSet<'a, Boxes> {
    let (counts, unseen) = (belief.counts, belief.unseen);
    let mut all = PlausibleSet::new(belief, Boxes::default());
    let reward = optimistic_rewards(belief, |stats| set.reward_width(stats));
    all.shape.capacities.reserve(counts.pairs().len());
    all.shape.room.reserve(counts.pairs().len());
    for (pair, stats) in counts.pairs().iter().enumerate() {
        let is_untried = stats.visits_before() == 0;
        let is_forbidden = unseen == 0 || forbids(pair);
        let (root, unobserved) = set.widths(stats);
        let given_back = if is_forbidden { lost as f64 * unobserved.min(1.0) } else { 0.0 };
        let begin = all.next.len();
        let mut left = 1.0;
        if !is_untried {
            let row = counts.row(pair);
            all.next.extend_from_slice(row.next);
            for (&p, &deviation) in row.p_hat.iter().zip(row.deviation) {
                let width = root * deviation + unobserved;
                let low = (p - width).max(0.0);
                all.mass.push(low);
                all.shape.room.push((p + width + given_back).min(1.0) - low);
                left -= low;
            }
        }
        let (left, cap) = (left.max(0.0), (unobserved + given_back).min(1.0));
        let reach = reach_of(left, cap, all.next.len() - begin, counts.seen());
        if !is_untried {
            all.shape.depth = all.shape.depth.max(reach as usize);
        }
        let unseen_cap =
            if is_forbidden { 0.0 } else { (unseen as f64 * unobserved.min(1.0)).min(1.0) };
        all.shape.capacities.push(Capacity { cap, unseen: unseen_cap, reach });
        all.close_row(begin, reward[pair], left, is_forbidden, is_untried);
    }
    all.closed()
}

/// Boxes: the mass of a row are the lower ends, its free mass is what they leave over.
#[derive(Debug, Clone, Default)]
pub struct Boxes {
    /// By pair, what only the search for a best law looks at.
    pub(super) capacities: Vec<Capacity>,
    /// Upper minus lower ends, row by row.
    pub(super) room: Vec<f64>,
    /// How many of the best states any box can reach.
    depth: usize,
}

/// The upper ends of states that were not observed from a pair.
#[derive(Debug, Clone, Copy)]
pub(super) struct Capacity {
    /// Of a seen state.
    pub(super) cap: f64,
    /// Of all states never seen together.
    pub(super) unseen: f64,
    /// See [`reach_of`].
    pub(super) reach: u32,
}

impl Boxes {
    /// The box of one pair; `entries` are the places of its row.
    #[inline(always)]
    pub(super) fn of<'b>(
        &'b self,
        pair: usize,
        entries: std::ops::Range<usize>,
        row: &Row<'b>,
        attractor: Option<(u32, f64)>,
    ) -> BoxRow<'b> {
        let Capacity { cap, unseen, reach } = self.capacities[pair];
        BoxRow {
            next: row.next,
            low: row.mass,
            room: &self.room[entries],
            left: row.free,
            cap,
            unseen_cap: unseen,
            extra: attractor.filter(|(to, _)| !row.next.contains(to)).map(|(to, least)| {
                let low = least.min(cap).min(row.free);
                (to, low, cap - low)
            }),
            reach,
        }
    }
}

impl Shape for Boxes {
    fn rank(set: &PlausibleSet<'_, Self>, values: &Values, ranking: &mut Ranking) {
        ranking.update_best(values, set.shape.depth);
    }

    fn fill(
        set: &PlausibleSet<'_, Self>,
        pair: usize,
        row: &Row<'_>,
        view: &View<'_>,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
    ) {
        let row = set.shape.of(pair, set.entries(pair), row, set.attractor());
        fill_box(row, view.ranking, scratch, sink);
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
        let row = set.shape.of(pair, set.entries(pair), row, set.attractor());
        fill_up(row, view.ranking, scratch, &mut sink);
        sink.sum
    }

    #[inline(always)]
    fn quick_value(
        set: &PlausibleSet<'_, Self>,
        pair: usize,
        row: &Row<'_>,
        view: &View<'_>,
        _worst_places: &mut [u8; 2],
    ) -> Option<f64> {
        if row.is_wide || row.next.len() > LONG_ROW || set.attractor().is_some() {
            return None;
        }
        let Capacity { cap, unseen, reach } = set.shape.capacities[pair];
        value_in_box(row, view, cap, unseen, reach)
    }

    fn attract(set: &mut PlausibleSet<'_, Self>, to: u32, least: f64) {
        for pair in 0..set.shape.capacities.len() {
            if let Some(entry) = set.entries(pair).find(|&entry| set.next[entry] == to) {
                let (low, room) = (&mut set.mass[entry], &mut set.shape.room[entry]);
                let free = &mut set.pairs[pair].free;
                let raise = (least.min(*low + *room) - *low).max(0.0).min(*free);
                *low += raise;
                *room -= raise;
                // `free` decreases, so `reach` stays an upper bound.
                *free -= raise;
            }
        }
    }
}

/// The best value in a box, if none of its observed states is among the best that it can reach: then states
/// never seen take what they can, if they are the best of all, and the best of the others each `cap`.
#[inline(always)]
fn value_in_box(
    row: &Row<'_>,
    view: &View<'_>,
    cap: f64,
    unseen_cap: f64,
    reach: u32,
) -> Option<f64> {
    let values = &view.values.seen[..];
    let (mut sum, mut highest) = (0.0, f64::MIN);
    for (&next, &mass) in row.next.iter().zip(row.mass) {
        let value = values[next as usize];
        sum += mass * value;
        highest = max(highest, value);
    }
    let mut left = row.free;
    if unseen_cap > 0.0 && left > 0.0 {
        if !view.ranking.puts_unseen_first() {
            return None;
        }
        let taken = min(unseen_cap, left);
        sum += taken * view.values.unseen;
        left -= taken;
    }
    if left <= 0.0 {
        return Some(sum);
    }
    let first_out = view.ranking.ranked(reach.checked_sub(1)?)?;
    let is_apart = highest < values[first_out as usize];
    let full = (left / cap) as u32;
    (is_apart && full < reach).then(|| {
        let rest = max(left - f64::from(full) * cap, 0.0);
        let last = view.ranking.ranked(full).unwrap_or(first_out);
        sum + cap * view.ranking.best_sum(full) + rest * values[last as usize]
    })
}

/// The box of one pair.
#[derive(Debug, Clone, Copy)]
pub struct BoxRow<'a> {
    /// The observed next states.
    pub next: &'a [u32],
    /// Their lower ends.
    pub low: &'a [f64],
    /// Upper minus lower end.
    pub room: &'a [f64],
    /// One minus the sum of the lower ends.
    pub left: f64,
    /// The upper end of a seen state never reached from this pair; its lower end is 0.
    pub cap: f64,
    /// The upper end of all states never seen together; 0 when they are forbidden.
    pub unseen_cap: f64,
    /// A state not among the observed ones that has a lower end all the same: `(state, low, room)`.
    pub extra: Option<(u32, f64, f64)>,
    /// The first rank that receives no mass; see [`reach_of`].
    pub reach: u32,
}

/// The first rank that receives no mass, if every unobserved state takes `cap`.
pub fn reach_of(left: f64, cap: f64, observed: usize, states: usize) -> u32 {
    let states = states as u32;
    if cap > 0.0 {
        let ranks = (left / cap).min(f64::from(states)) as u32 + 2 + observed as u32;
        ranks.min(states)
    } else {
        states
    }
}

/// Lists the observed states among the best `reach`, with twice their rank plus one, in order of rank.
#[inline]
fn list_observed(scratch: &mut Scratch, row: &BoxRow<'_>, ranking: &Ranking, reach: u32) {
    scratch.special.clear();
    if row.next.len() > LONG_ROW {
        return list_many(scratch, row, ranking, reach);
    }
    for (&state, &room) in row.next.iter().zip(row.room) {
        let rank = ranking.rank[state as usize];
        if rank < reach {
            scratch.insert(2 * rank + 1, state, room);
        }
    }
}

/// The same for long rows: along the ranking, or, where that is much longer, by sorting. On the rows of 32 at `LONG_ROW`,
/// 8 and 32 instead of 16 change nothing; sorting always takes -40 %. Longer rows were not measured.
#[inline(never)]
fn list_many(scratch: &mut Scratch, row: &BoxRow<'_>, ranking: &Ranking, reach: u32) {
    if (reach as usize) < 16 * row.next.len() {
        scratch.spread(row.next, ranking.order.len());
        for (rank, &state) in (0..reach).zip(&ranking.order) {
            let place = scratch.places[state as usize] as usize;
            if place > 0 {
                scratch.special.push((2 * rank + 1, state, row.room[place - 1]));
            }
        }
        scratch.clear(row.next);
        return;
    }
    for (&state, &room) in row.next.iter().zip(row.room) {
        let rank = ranking.rank[state as usize];
        if rank < reach {
            scratch.special.push((2 * rank + 1, state, room));
        }
    }
    scratch.special.sort_unstable_by_key(|special| special.0);
}

/// Fills the best law in a box.
#[inline]
pub fn fill_box(row: BoxRow<'_>, ranking: &Ranking, scratch: &mut Scratch, sink: &mut impl Sink) {
    for (&state, &low) in row.next.iter().zip(row.low) {
        if low > 0.0 {
            sink.give(state, low);
        }
    }
    fill_up(row, ranking, scratch, sink);
}

/// Gives what the lower ends of a box leave over to the best states.
#[inline(always)]
fn fill_up(row: BoxRow<'_>, ranking: &Ranking, scratch: &mut Scratch, sink: &mut impl Sink) {
    let (mut left, mut reach) = (row.left, row.reach);
    let states = ranking.order.len() as u32;
    if let Some((state, low, _)) = row.extra {
        sink.give(state, low);
        left -= low;
        reach = reach_of(left, row.cap, row.next.len(), states as usize);
    }
    // Usually the unseen states have the largest value and take all free mass; test them first.
    let mut unseen_cap = row.unseen_cap;
    if unseen_cap > 0.0 && ranking.unseen_rank == 0 && left > 0.0 {
        let taken = unseen_cap.min(left);
        sink.give(UNSEEN, taken);
        left -= taken;
        unseen_cap = 0.0;
    }
    if left <= 0.0 {
        return;
    }
    // Special states, by rank: the observed ones and those never seen. Between them lie runs of
    // states that all have the same capacity.
    list_observed(scratch, &row, ranking, reach);
    if let Some((state, _, room)) = row.extra
        && ranking.rank[state as usize] < reach
    {
        scratch.insert(2 * ranking.rank[state as usize] + 1, state, room);
    }
    if unseen_cap > 0.0 {
        scratch.insert(2 * ranking.unseen_rank, UNSEEN, unseen_cap);
    }
    let mut from = 0;
    for index in 0..=scratch.special.len() {
        let (place, special, room) =
            scratch.special.get(index).copied().unwrap_or((2 * states + 1, UNSEEN, 0.0));
        let to = place / 2;
        if to > from && row.cap > 0.0 {
            let run = f64::from(to - from) * row.cap;
            if left >= run {
                sink.give_run(ranking, from, to, row.cap);
                left -= run;
            } else {
                let full = ((left / row.cap) as u32).min(to - from - 1);
                sink.give_run(ranking, from, from + full, row.cap);
                let rest = (left - f64::from(full) * row.cap).max(0.0);
                sink.give(ranking.order[(from + full) as usize], rest);
                return;
            }
        }
        let taken = room.min(left);
        if taken > 0.0 {
            sink.give(special, taken);
            left -= taken;
        }
        if left <= 0.0 {
            return;
        }
        from = if special == UNSEEN { to } else { to + 1 };
    }
}

//! Which worlds are plausible in this episode?
//!
//! For every pair of a seen state an optimistic reward and a set of next-state laws: a Bernstein box, an
//! L1 ball, or the whole simplex where the pair was never tried (paper, section 3 and appendix on
//! algorithmic details). All states never seen are exchangeable (same reward interval, same simplex,
//! same value in every sweep), so they are one state that remembers how many it stands for: exact,
//! and the cost of a plan does not depend on the nominal size.
//!
//! A pair that truncation forbids puts nothing on states never seen. In a box the mass that they
//! could have had may be given back to the seen ones (`zeta`, the appendix's second relaxation).
//!
//! Reads `counts`, `confidence`, `inner_max`; feeds `evi`, `span_clip`. Departures: none.

mod view;

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use crate::confidence::{CoinBounds, Widths};
use crate::counts::{Counts, PairCounts};
use crate::inner_max::{
    BoxRow, LONG_ROW, LawSink, Ranking, Scratch, Selection, Sink, ValueSink, Values, fill_ball,
    fill_box, fill_kl, fill_selected, fill_up, reach_of, take_from_worst,
};

pub(crate) use view::{Row, View};

/// The plausible worlds of one episode.
///
/// Rows are copied out of the counts without their gaps: every sweep reads all of them.
#[derive(Debug, Clone)]
pub struct PlausibleSet<'a> {
    counts: &'a Counts,
    /// The largest possible reward.
    pub(crate) r_max: f64,
    /// The largest gain that any plausible world can have.
    pub(crate) ceiling: f64,
    /// How many states never seen are planned on; 0 when planning happens on the seen ones only.
    pub(crate) unseen: u64,
    /// What every sweep looks at, by pair; one more at the end closes the last row.
    pairs: Vec<Pair>,
    /// Box: what only the search for a best law looks at, by pair. Ball: empty.
    capacities: Vec<Capacity>,
    /// The observed next states, row by row; none of pairs never tried.
    next: Vec<u32>,
    /// Balls of both kinds: their observed probabilities. Boxes: their lower ends.
    mass: Vec<f64>,
    /// Boxes: upper minus lower ends. Else empty.
    room: Vec<f64>,
    shape: Shape,
    /// The most observed next states of any pair.
    longest_row: usize,
    /// How many of the best states any box can reach.
    depth: usize,
    /// A state that every law must give some probability, and how much.
    attractor: Option<(u32, f64)>,
    /// Selected: what may be left out, over span and support, and by pair how many states are considered that
    /// were not observed from it.
    per_state: f64,
    considered: Grown,
}

/// Numbers that only grow while a plan is made. Each belongs to one pair, so the order of sweeping does not matter.
#[derive(Debug, Default)]
struct Grown(Vec<AtomicU64>);

impl Clone for Grown {
    fn clone(&self) -> Self {
        Self(self.0.iter().map(|number| AtomicU64::new(number.load(Relaxed))).collect())
    }
}

/// The reward of a pair, and how much of its mass is free to go to the best states.
#[derive(Debug, Clone, Copy)]
struct Pair {
    /// The optimistic reward.
    reward: f64,
    /// Ball: half the radius. Box: what the lower ends leave over. The whole mass if never tried.
    free: f64,
    /// Where the pair's row begins.
    row: u32,
    /// May not lead to states never seen.
    is_forbidden: bool,
    /// Ball: so wide that it may hold a law that is certain.
    is_wide: bool,
}

/// What a box needs to know besides.
#[derive(Debug, Clone, Copy)]
struct Capacity {
    /// Of a seen state never reached from here; of a divergence, the radius.
    cap: f64,
    /// Of all states never seen together.
    unseen: f64,
    /// See [`reach_of`].
    reach: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Ball,
    Box,
    /// Kullback-Leibler balls.
    Divergence,
    /// UCRL3: boxes over selected next states.
    Selected,
}

/// True mean rewards that the learner has been told, by pair of seen states.
pub type KnownRewards<'a> = Option<&'a dyn Fn(usize) -> f64>;

impl<'a> PlausibleSet<'a> {
    /// L1 balls around the observed laws; `forbids` says which pairs may not leave the seen states.
    pub fn balls(
        counts: &'a Counts,
        widths: &Widths,
        r_max: f64,
        unseen: u64,
        forbids: impl Fn(usize) -> bool,
        known: KnownRewards<'_>,
    ) -> Self {
        let mut all = Self::empty(counts, r_max, unseen, Shape::Ball);
        let reward = optimistic_rewards(counts, |stats| widths.reward(stats), r_max, known);
        for (pair, stats) in counts.pairs().iter().enumerate() {
            let mut free = 1.0;
            let (begin, mut is_wide) = (all.next.len(), true);
            if stats.visits_before() > 0 {
                let row = counts.row(pair);
                all.next.extend_from_slice(row.next);
                all.mass.extend_from_slice(row.share);
                free = widths.radius(stats) / 2.0;
                is_wide = free >= 1.0 - row.share.iter().copied().fold(0.0, f64::max);
            }
            let (reward, row) = (reward[pair], begin as u32);
            let is_forbidden = unseen == 0 || forbids(pair);
            all.push(Pair { reward, free, row, is_forbidden, is_wide });
        }
        all.closed()
    }

    /// Boxes of per-state intervals. For a forbidden pair the upper ends are raised by
    /// `lost * min(1, p+)`, with `lost` the number of states whose mass is given back.
    pub fn boxes(
        counts: &'a Counts,
        widths: &Widths,
        r_max: f64,
        unseen: u64,
        forbids: impl Fn(usize) -> bool,
        lost: u64,
        known: KnownRewards<'_>,
    ) -> Self {
        let mut all = Self::empty(counts, r_max, unseen, Shape::Box);
        let reward = optimistic_rewards(counts, |stats| widths.reward(stats), r_max, known);
        for (pair, stats) in counts.pairs().iter().enumerate() {
            let is_untried = stats.visits_before() == 0;
            let is_forbidden = unseen == 0 || forbids(pair);
            let unobserved = widths.unobserved(stats);
            let given_back = if is_forbidden { lost as f64 * unobserved.min(1.0) } else { 0.0 };
            let begin = all.next.len();
            let mut left = 1.0;
            if !is_untried {
                let row = counts.row(pair);
                all.next.extend_from_slice(row.next);
                for (&share, &deviation) in row.share.iter().zip(row.deviation) {
                    let width = widths.observed(stats, deviation);
                    let low = (share - width).max(0.0);
                    all.mass.push(low);
                    all.room.push((share + width + given_back).min(1.0) - low);
                    left -= low;
                }
            }
            let (left, cap) = (left.max(0.0), (unobserved + given_back).min(1.0));
            let reach = reach_of(left, cap, all.next.len() - begin, counts.seen());
            if !is_untried {
                all.depth = all.depth.max(reach as usize);
            }
            let unseen_cap =
                if is_forbidden { 0.0 } else { (unseen as f64 * unobserved.min(1.0)).min(1.0) };
            all.capacities.push(Capacity { cap, unseen: unseen_cap, reach });
            let (reward, row) = (reward[pair], begin as u32);
            all.push(Pair { reward, free: left, row, is_forbidden, is_wide: is_untried });
        }
        all.closed()
    }

    /// Kullback-Leibler balls around the observed laws.
    pub fn divergences(
        counts: &'a Counts,
        widths: &Widths,
        r_max: f64,
        unseen: u64,
        known: KnownRewards<'_>,
    ) -> Self {
        let mut all = Self::empty(counts, r_max, unseen, Shape::Divergence);
        let reward = optimistic_rewards(counts, |stats| widths.reward(stats), r_max, known);
        for (pair, stats) in counts.pairs().iter().enumerate() {
            let begin = all.next.len();
            if stats.visits_before() > 0 {
                let row = counts.row(pair);
                all.next.extend_from_slice(row.next);
                all.mass.extend_from_slice(row.share);
            }
            all.capacities.push(Capacity { cap: widths.radius(stats), unseen: 0.0, reach: 0 });
            let (reward, row, is_forbidden) = (reward[pair], begin as u32, unseen == 0);
            all.push(Pair { reward, free: 1.0, row, is_forbidden, is_wide: true });
        }
        all.closed()
    }

    /// UCRL3's boxes, over next states selected anew in every sweep.
    pub fn selected(
        counts: &'a Counts,
        bounds: &CoinBounds,
        r_max: f64,
        unseen: u64,
        known: KnownRewards<'_>,
    ) -> Self {
        let mut all = Self::empty(counts, r_max, unseen, Shape::Selected);
        let reward = optimistic_rewards(counts, |stats| bounds.reward(stats), r_max, known);
        for (pair, stats) in counts.pairs().iter().enumerate() {
            let (begin, visits) = (all.next.len(), stats.visits_before());
            let mut left: f64 = 1.0;
            if visits > 0 {
                let row = counts.row(pair);
                all.next.extend_from_slice(row.next);
                for &share in row.share {
                    let (least, most) = bounds.interval(share, visits);
                    all.mass.push(least);
                    all.room.push(most - least);
                    left -= least;
                }
            }
            let cap = bounds.interval(0.0, visits).1;
            all.capacities.push(Capacity { cap, unseen: 0.0, reach: 0 });
            let (reward, row, is_forbidden) = (reward[pair], begin as u32, unseen == 0);
            all.push(Pair { reward, free: left.max(0.0), row, is_forbidden, is_wide: true });
        }
        let most = counts.pairs().iter().map(|stats| stats.visits_at_least_one()).max();
        all.per_state = 10.0 / (most.unwrap_or(1) as f64).powf(2.0 / 3.0);
        all.considered = Grown(counts.pairs().iter().map(|_| AtomicU64::new(0)).collect());
        all.closed()
    }

    /// One world: the observed laws, each with one visit more that led to the first seen state, paid as given.
    /// Nothing leads to states never seen, so they are not planned on. One law is a ball without a radius.
    pub fn points(counts: &'a Counts, reward: &[f64], r_max: f64) -> Self {
        let mut all = Self::empty(counts, r_max, 0, Shape::Ball);
        for (pair, stats) in counts.pairs().iter().enumerate() {
            let begin = all.next.len();
            let visits = stats.visits_before() as f64;
            let row = counts.row(pair);
            let kept = visits / (visits + 1.0);
            all.next.push(0);
            all.mass.push(1.0 / (visits + 1.0));
            // The first seen state has the smallest number.
            let is_tried = stats.visits_before() > 0;
            for (&next, &share) in row.next.iter().zip(row.share).filter(|_| is_tried) {
                match next {
                    0 => all.mass[begin] += kept * share,
                    _ => {
                        all.next.push(next);
                        all.mass.push(kept * share);
                    }
                }
            }
            let (reward, row) = (reward[pair], begin as u32);
            all.push(Pair { reward, free: 0.0, row, is_forbidden: true, is_wide: false });
        }
        all.ceiling = reward.iter().copied().fold(r_max, f64::max);
        all.closed()
    }

    fn empty(counts: &'a Counts, r_max: f64, unseen: u64, shape: Shape) -> Self {
        let pairs = counts.pairs().len();
        Self {
            counts,
            r_max,
            ceiling: r_max,
            unseen,
            pairs: Vec::with_capacity(pairs + 1),
            capacities: Vec::new(),
            next: Vec::with_capacity(pairs),
            mass: Vec::with_capacity(pairs),
            room: Vec::new(),
            shape,
            longest_row: 0,
            depth: 0,
            attractor: None,
            per_state: 0.0,
            considered: Grown::default(),
        }
    }

    fn push(&mut self, pair: Pair) {
        self.longest_row = self.longest_row.max(self.next.len() - pair.row as usize);
        self.pairs.push(pair);
    }

    fn closed(mut self) -> Self {
        let row = self.next.len() as u32;
        self.pairs.push(Pair { reward: 0.0, free: 0.0, row, is_forbidden: true, is_wide: true });
        self
    }

    /// Forces every law to give the state numbered `to` at least `least` (or its upper end, if that
    /// is less): the perturbation under which SCAL's theory works.
    pub(crate) fn attract(&mut self, to: u32, least: f64) {
        self.attractor = Some((to, least));
        if self.shape != Shape::Box {
            return;
        }
        for pair in 0..self.capacities.len() {
            if let Some(entry) = self.entries(pair).find(|&entry| self.next[entry] == to) {
                let (low, room) = (&mut self.mass[entry], &mut self.room[entry]);
                let free = &mut self.pairs[pair].free;
                let raise = (least.min(*low + *room) - *low).max(0.0).min(*free);
                *low += raise;
                *room -= raise;
                // Less is free now, so that what was out of reach stays so.
                *free -= raise;
            }
        }
    }

    /// The counts that the set was made from.
    pub fn counts(&self) -> &'a Counts {
        self.counts
    }

    /// The optimistic reward of a pair.
    #[inline]
    pub fn reward(&self, pair: usize) -> f64 {
        self.pairs[pair].reward
    }

    /// The state that every law must give some probability, and how much.
    pub(crate) fn attractor(&self) -> Option<(u32, f64)> {
        self.attractor
    }

    /// Where a pair's row stands.
    #[inline]
    fn entries(&self, pair: usize) -> std::ops::Range<usize> {
        self.pairs[pair].row as usize..self.pairs[pair + 1].row as usize
    }

    /// Ranks states by value as far as the search for best laws needs it.
    pub(crate) fn rank(&self, values: &Values, ranking: &mut Ranking) {
        match self.shape {
            Shape::Box => ranking.update_best(values, self.depth),
            Shape::Selected => ranking.update(values),
            Shape::Ball if self.longest_row > LONG_ROW => ranking.update_worst(values),
            Shape::Ball | Shape::Divergence => {}
        }
    }

    /// What a sweep looks at of one pair.
    #[inline(always)]
    pub(crate) fn row(&self, pair: usize) -> Row<'_> {
        let Pair { reward, free, row, is_forbidden, is_wide } = self.pairs[pair];
        let entries = row as usize..self.pairs[pair + 1].row as usize;
        let (next, mass) = (&self.next[entries.clone()], &self.mass[entries]);
        Row { reward, free, is_forbidden, is_wide, next, mass }
    }

    /// Puts the best plausible law of a pair into a sink.
    pub(crate) fn fill(
        &self,
        pair: usize,
        view: &View<'_>,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
    ) {
        let row = self.row(pair);
        if row.next.is_empty() {
            let pulled = self.attractor.map_or(0.0, |(to, least)| {
                sink.give(to, least);
                least
            });
            sink.give(view.top_of(&row), 1.0 - pulled);
            return;
        }
        match self.shape {
            Shape::Ball => {
                let ball = row.ball(view);
                fill_ball(ball, &view.values.seen, view.ranking, scratch, sink);
            }
            Shape::Box => fill_box(self.box_of(pair, &row), view.ranking, scratch, sink),
            Shape::Divergence => {
                let top = view.top_of(&row);
                let (target, radius) = ((top, view.value(top)), self.capacities[pair].cap);
                fill_kl(row.next, row.mass, radius, target, &view.values.seen, sink);
            }
            Shape::Selected => {
                let considered = &self.considered.0[pair];
                let row = self.box_of(pair, &row);
                let selection = Selection {
                    unseen: self.unseen,
                    tolerance: self.per_state * row.next.len() as f64,
                    at_least: considered.load(Relaxed),
                };
                let (ranking, values) = (view.ranking, view.values);
                let many = fill_selected(&row, selection, ranking, values, scratch, sink);
                considered.store(many, Relaxed);
            }
        }
    }

    #[inline(always)]
    fn box_of<'b>(&'b self, pair: usize, row: &Row<'b>) -> BoxRow<'b> {
        let Capacity { cap, unseen, reach } = self.capacities[pair];
        BoxRow {
            next: row.next,
            low: row.mass,
            room: &self.room[self.entries(pair)],
            left: row.free,
            cap,
            unseen_cap: unseen,
            extra: self.attractor.filter(|(to, _)| !row.next.contains(to)).map(|(to, least)| {
                let low = least.min(cap).min(row.free);
                (to, low, cap - low)
            }),
            reach,
        }
    }

    /// The largest expected value of the next state over the plausible laws of a pair.
    #[inline]
    pub(crate) fn best_value(&self, pair: usize, view: &View<'_>, scratch: &mut Scratch) -> f64 {
        let row = self.row(pair);
        self.best_value_from(row.fixed_value(view), pair, &row, view, scratch)
    }

    /// The best value of a pair; where the states that pay for optimism in a ball stand in its row is
    /// remembered in `payers` from sweep to sweep.
    #[inline(always)]
    pub(crate) fn sweep_value(
        &self,
        pair: usize,
        row: &Row<'_>,
        view: &View<'_>,
        payers: &mut [u8; 2],
        scratch: &mut Scratch,
    ) -> f64 {
        let quick = match self.shape {
            _ if row.is_wide || row.next.len() > LONG_ROW => None,
            Shape::Ball => row.value_in_ball(view, payers),
            Shape::Box if self.attractor.is_none() => {
                let Capacity { cap, unseen, reach } = self.capacities[pair];
                row.value_in_box(view, cap, unseen, reach)
            }
            _ => None,
        };
        match quick {
            Some(value) => value,
            None => self.best_value_from(row.fixed_value(view), pair, row, view, scratch),
        }
    }

    /// An upper bound on the best value of a pair, from its fixed value: all free mass goes to the best
    /// state, and in a ball comes from the worst.
    #[inline(always)]
    pub(crate) fn bound_from(&self, fixed: f64, row: &Row<'_>, view: &View<'_>) -> f64 {
        match self.shape {
            _ if self.attractor.is_some() => f64::INFINITY,
            Shape::Divergence => view.best(),
            Shape::Ball if !row.next.is_empty() => fixed + row.free * (view.best() - view.lowest),
            _ => fixed + row.free * view.best(),
        }
    }

    /// Whether which laws are plausible does not depend on the values.
    pub(crate) fn has_fixed_laws(&self) -> bool {
        self.shape != Shape::Selected
    }

    /// The best value of a pair, from its fixed value.
    #[inline(always)]
    pub(crate) fn best_value_from(
        &self,
        fixed: f64,
        pair: usize,
        row: &Row<'_>,
        view: &View<'_>,
        scratch: &mut Scratch,
    ) -> f64 {
        let mut sink = ValueSink { values: view.values, sum: fixed };
        match self.shape {
            _ if row.next.is_empty() => {
                if self.attractor.is_none() {
                    return view.value(view.top_of(row));
                }
                self.fill(pair, view, scratch, &mut sink);
            }
            Shape::Ball => {
                let ball = row.ball(view);
                if row.is_wide && ball.is_certain() {
                    return view.value(ball.target);
                }
                sink.give(ball.target, ball.half);
                take_from_worst(ball, &view.values.seen, view.ranking, scratch, &mut sink);
            }
            Shape::Box => fill_up(self.box_of(pair, row), view.ranking, scratch, &mut sink),
            Shape::Divergence | Shape::Selected => {
                sink.sum = 0.0;
                self.fill(pair, view, scratch, &mut sink);
            }
        }
        sink.sum
    }

    /// The plausible law of a pair that is best for the given values, as `(state, probability)`;
    /// [`UNSEEN`](crate::inner_max::UNSEEN) stands for all states never seen.
    pub fn best_law(&self, pair: usize, values: &Values) -> Vec<(u32, f64)> {
        let mut ranking = Ranking::default();
        self.rank(values, &mut ranking);
        let view = View::new(values, &ranking, self.unseen > 0);
        let mut sink = LawSink::default();
        self.fill(pair, &view, &mut Scratch::new(), &mut sink);
        sink.into_law()
    }
}

/// The upper ends of the reward intervals; r_max for pairs never tried.
fn optimistic_rewards(
    counts: &Counts,
    width: impl Fn(&PairCounts) -> f64,
    r_max: f64,
    known: KnownRewards<'_>,
) -> Vec<f64> {
    let mut reward = Vec::with_capacity(counts.pairs().len());
    for number in 0..counts.seen() as u32 {
        for pair in counts.pairs_of(number) {
            let stats = &counts.pairs()[pair];
            reward.push(match known {
                Some(mean) if counts.was_visited(number) => mean(pair),
                _ if stats.visits_before() == 0 => r_max,
                _ => (stats.reward_mean() + width(stats)).min(r_max),
            });
        }
    }
    reward
}

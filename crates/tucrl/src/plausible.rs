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

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use crate::confidence::{CoinBounds, Widths};
use crate::counts::{Counts, PairCounts};
use crate::inner_max::{
    BoxRow, LawSink, Ranking, Scratch, Selection, Sink, UNSEEN, ValueSink, Values, fill_ball,
    fill_box, fill_kl, fill_selected,
};

/// The plausible worlds of one episode.
#[derive(Debug, Clone)]
pub struct PlausibleSet<'a> {
    counts: &'a Counts,
    /// The largest possible reward.
    pub(crate) r_max: f64,
    /// The largest gain that any plausible world can have.
    pub(crate) ceiling: f64,
    /// How many states never seen are planned on; 0 when planning happens on the seen ones only.
    pub(crate) unseen: u64,
    reward: Vec<f64>,
    pairs: Vec<PairSet>,
    shape: Shape,
    /// A state that every law must give some probability, and how much.
    attractor: Option<(u32, f64)>,
}

/// What one pair may do.
#[derive(Debug, Clone, Copy)]
struct PairSet {
    is_untried: bool,
    /// May not lead to states never seen.
    is_forbidden: bool,
    /// Ball: half the radius. Box: the capacity of a seen state never reached from here.
    size: f64,
    /// Box: what the lower ends leave over.
    left: f64,
    /// Box: the capacity of all states never seen together.
    unseen_cap: f64,
}

#[derive(Debug, Clone)]
enum Shape {
    Ball,
    Box {
        low: Vec<f64>,
        room: Vec<f64>,
    },
    /// Kullback-Leibler balls; `size` is the radius.
    Kl,
    /// UCRL3: boxes over selected next states. The first two are those of boxes; then kappa over span and
    /// support, and for each pair how many states are considered that were not observed from it.
    Selected {
        low: Vec<f64>,
        room: Vec<f64>,
        per_state: f64,
        considered: Grown,
    },
    /// SCAL+: one law, the observed one with one visit more, which led to the first seen state.
    Point,
}

/// Numbers that only grow while a plan is made. Each belongs to one pair, so the order of sweeping does not matter.
#[derive(Debug)]
struct Grown(Vec<AtomicU64>);

impl Clone for Grown {
    fn clone(&self) -> Self {
        Self(self.0.iter().map(|number| AtomicU64::new(number.load(Relaxed))).collect())
    }
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
        let pairs = counts.pairs().iter().enumerate().map(|(pair, stats)| PairSet {
            is_untried: stats.visits_before() == 0,
            is_forbidden: unseen == 0 || forbids(pair),
            size: widths.radius(stats) / 2.0,
            left: 0.0,
            unseen_cap: 0.0,
        });
        let pairs = pairs.collect();
        let reward = optimistic_rewards(counts, |stats| widths.reward(stats), r_max, known);
        Self {
            counts,
            r_max,
            ceiling: r_max,
            unseen,
            reward,
            pairs,
            shape: Shape::Ball,
            attractor: None,
        }
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
        let (mut low, mut room) = (vec![0.0; counts.arena()], vec![0.0; counts.arena()]);
        let mut pairs = Vec::with_capacity(counts.pairs().len());
        for (pair, stats) in counts.pairs().iter().enumerate() {
            let is_forbidden = unseen == 0 || forbids(pair);
            let unobserved = widths.unobserved(stats);
            let given_back = if is_forbidden { lost as f64 * unobserved.min(1.0) } else { 0.0 };
            let row = counts.row(pair);
            let mut left = 1.0;
            for (entry, (&share, &deviation)) in
                counts.entries(pair).zip(row.share.iter().zip(row.deviation))
            {
                let width = widths.observed(stats, deviation);
                low[entry] = (share - width).max(0.0);
                room[entry] = (share + width + given_back).min(1.0) - low[entry];
                left -= low[entry];
            }
            pairs.push(PairSet {
                is_untried: stats.visits_before() == 0,
                is_forbidden,
                size: (unobserved + given_back).min(1.0),
                left: left.max(0.0),
                unseen_cap: if is_forbidden {
                    0.0
                } else {
                    (unseen as f64 * unobserved.min(1.0)).min(1.0)
                },
            });
        }
        let reward = optimistic_rewards(counts, |stats| widths.reward(stats), r_max, known);
        let shape = Shape::Box { low, room };
        Self { counts, r_max, ceiling: r_max, unseen, reward, pairs, shape, attractor: None }
    }

    /// Kullback-Leibler balls around the observed laws.
    pub fn divergences(
        counts: &'a Counts,
        widths: &Widths,
        r_max: f64,
        unseen: u64,
        known: KnownRewards<'_>,
    ) -> Self {
        let pairs = counts.pairs().iter().map(|stats| PairSet {
            is_untried: stats.visits_before() == 0,
            is_forbidden: unseen == 0,
            size: widths.radius(stats),
            left: 0.0,
            unseen_cap: 0.0,
        });
        let pairs = pairs.collect();
        let reward = optimistic_rewards(counts, |stats| widths.reward(stats), r_max, known);
        let (shape, attractor) = (Shape::Kl, None);
        Self { counts, r_max, ceiling: r_max, unseen, reward, pairs, shape, attractor }
    }

    /// UCRL3's boxes, over next states selected anew in every sweep.
    pub fn selected(
        counts: &'a Counts,
        bounds: &CoinBounds,
        r_max: f64,
        unseen: u64,
        known: KnownRewards<'_>,
    ) -> Self {
        let (mut low, mut room) = (vec![0.0; counts.arena()], vec![0.0; counts.arena()]);
        let mut pairs = Vec::with_capacity(counts.pairs().len());
        for (pair, stats) in counts.pairs().iter().enumerate() {
            let visits = stats.visits_before();
            let mut left = 1.0;
            for (entry, &share) in counts.entries(pair).zip(counts.row(pair).share) {
                let (least, most) = bounds.interval(share, visits);
                (low[entry], room[entry]) = (least, most - least);
                left -= least;
            }
            pairs.push(PairSet {
                is_untried: visits == 0,
                is_forbidden: unseen == 0,
                size: bounds.interval(0.0, visits).1,
                left: left.max(0.0),
                unseen_cap: 0.0,
            });
        }
        let most = counts.pairs().iter().map(|stats| stats.visits_at_least_one()).max();
        let per_state = 10.0 / (most.unwrap_or(1) as f64).powf(2.0 / 3.0);
        let reward = optimistic_rewards(counts, |stats| bounds.reward(stats), r_max, known);
        let considered = Grown(pairs.iter().map(|_| AtomicU64::new(0)).collect());
        let (shape, attractor) = (Shape::Selected { low, room, per_state, considered }, None);
        Self { counts, r_max, ceiling: r_max, unseen, reward, pairs, shape, attractor }
    }

    /// One world: the observed laws, each with one visit more that led to the first seen state, paid as given.
    /// Nothing leads to states never seen, so they are not planned on.
    pub fn points(counts: &'a Counts, reward: Vec<f64>, r_max: f64) -> Self {
        let pairs = counts.pairs().iter().map(|_| PairSet {
            is_untried: false,
            is_forbidden: true,
            size: 0.0,
            left: 0.0,
            unseen_cap: 0.0,
        });
        let pairs = pairs.collect();
        let ceiling = reward.iter().copied().fold(r_max, f64::max);
        let (shape, attractor) = (Shape::Point, None);
        Self { counts, r_max, ceiling, unseen: 0, reward, pairs, shape, attractor }
    }

    /// Forces every law to give the state numbered `to` at least `least` (or its upper end, if that
    /// is less): the perturbation under which SCAL's theory works.
    pub(crate) fn attract(&mut self, to: u32, least: f64) {
        self.attractor = Some((to, least));
        let Shape::Box { low, room } = &mut self.shape else { return };
        for (pair, set) in self.pairs.iter_mut().enumerate() {
            let entries = self.counts.entries(pair);
            if let Some(entry) = entries.clone().find(|&e| self.counts.next_at(e) == to) {
                let raise =
                    (least.min(low[entry] + room[entry]) - low[entry]).max(0.0).min(set.left);
                low[entry] += raise;
                room[entry] -= raise;
                set.left -= raise;
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
        self.reward[pair]
    }

    /// The state that every law must give some probability, and how much.
    pub(crate) fn attractor(&self) -> Option<(u32, f64)> {
        self.attractor
    }

    /// Whether ranks and prefix sums are needed.
    pub(crate) fn needs_ranking(&self) -> bool {
        matches!(self.shape, Shape::Box { .. } | Shape::Selected { .. })
    }

    /// Puts the best plausible law of a pair into a sink.
    #[inline]
    pub(crate) fn fill(
        &self,
        pair: usize,
        view: &View<'_>,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
    ) {
        let set = &self.pairs[pair];
        let top = if set.is_forbidden { view.top_seen } else { view.top };
        if set.is_untried {
            let pulled = self.attractor.map_or(0.0, |(to, least)| {
                sink.give(to, least);
                least
            });
            sink.give(top, 1.0 - pulled);
            return;
        }
        let entries = self.counts.entries(pair);
        let row = self.counts.row(pair);
        match &self.shape {
            Shape::Kl => {
                let value =
                    if top == UNSEEN { view.values.unseen } else { view.values.seen[top as usize] };
                fill_kl(row.next, row.share, set.size, (top, value), &view.values.seen, sink);
            }
            Shape::Point => {
                let visits = self.counts.pairs()[pair].visits_before() as f64;
                sink.give(0, 1.0 / (visits + 1.0));
                let kept = visits / (visits + 1.0);
                for (&next, &share) in row.next.iter().zip(row.share) {
                    sink.give(next, kept * share);
                }
            }
            Shape::Selected { low, room, per_state, considered } => {
                let considered = &considered.0[pair];
                let selection = Selection {
                    unseen: self.unseen,
                    tolerance: per_state * row.next.len() as f64,
                    at_least: considered.load(Relaxed),
                };
                let row = BoxRow {
                    next: row.next,
                    low: &low[entries.clone()],
                    room: &room[entries],
                    left: set.left,
                    cap: set.size,
                    unseen_cap: 0.0,
                    extra: None,
                };
                let (ranking, values) = (view.ranking, view.values);
                let many = fill_selected(&row, selection, ranking, values, scratch, sink);
                considered.store(many, Relaxed);
            }
            Shape::Ball => fill_ball(row.next, row.share, set.size, top, &view.values.seen, sink),
            Shape::Box { low, room } => {
                let row = BoxRow {
                    next: row.next,
                    low: &low[entries.clone()],
                    room: &room[entries],
                    left: set.left,
                    cap: set.size,
                    unseen_cap: set.unseen_cap,
                    extra: self.attractor.filter(|(to, _)| !row.next.contains(to)).map(
                        |(to, least)| {
                            let low = least.min(set.size).min(set.left);
                            (to, low, set.size - low)
                        },
                    ),
                };
                fill_box(row, view.ranking, scratch, sink);
            }
        }
    }

    /// The largest expected value of the next state over the plausible laws of a pair.
    #[inline]
    pub(crate) fn best_value(&self, pair: usize, view: &View<'_>, scratch: &mut Scratch) -> f64 {
        let mut sink = ValueSink { values: view.values, sum: 0.0 };
        self.fill(pair, view, scratch, &mut sink);
        sink.sum
    }

    /// The plausible law of a pair that is best for the given values, as `(state, probability)`;
    /// [`UNSEEN`] stands for all states never seen.
    pub fn best_law(&self, pair: usize, values: &Values) -> Vec<(u32, f64)> {
        let mut ranking = Ranking::default();
        ranking.update(values);
        let mut sink = LawSink::default();
        self.fill(pair, &View::new(values, &ranking, self.unseen > 0), &mut Vec::new(), &mut sink);
        sink.into_law()
    }
}

/// Values with what the inner maximisation needs to know about them.
pub(crate) struct View<'a> {
    pub(crate) values: &'a Values,
    pub(crate) ranking: &'a Ranking,
    /// The best seen state (ties: lowest number), and the best planned state.
    pub(crate) top_seen: u32,
    pub(crate) top: u32,
}

impl<'a> View<'a> {
    pub(crate) fn new(values: &'a Values, ranking: &'a Ranking, plans_unseen: bool) -> Self {
        let mut top_seen = 0;
        for (state, value) in values.seen.iter().enumerate() {
            if *value > values.seen[top_seen as usize] {
                top_seen = state as u32;
            }
        }
        let unseen_is_best = plans_unseen && values.unseen >= values.seen[top_seen as usize];
        let top = if unseen_is_best { UNSEEN } else { top_seen };
        Self { values, ranking, top_seen, top }
    }

    /// The largest value of any planned state.
    pub(crate) fn best(&self) -> f64 {
        if self.top == UNSEEN { self.values.unseen } else { self.values.seen[self.top as usize] }
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

//! Which MDPs are plausible in this episode?
//!
//! For every pair of a seen state an optimistic reward and a set of next-state laws (Fruit, Pirotta, Lazaric
//! 2018, section 3 and appendix on algorithmic details). All states never seen are exchangeable (same reward
//! interval, same simplex, same value in every sweep), so they are one state that stands for all of them: exact,
//! and the cost of a plan does not depend on the nominal size.
//!
//! A [`PlausibleSet`] stores the rows; its [`Shape`] (box, L1 ball, Kullback-Leibler ball, ...) finds the best
//! law of a pair. Shapes live with their sets in `sets`.

mod view;

use std::fmt;

use crate::counts::{Counts, PairCounts};
use crate::inner_max::{LawSink, Ranking, Scratch, Sink, ValueSink, Values};

pub use view::{Row, View};
pub(crate) use view::{max, min, slice_min_max};

/// True mean rewards that the learner has been told, by pair of seen states.
pub type KnownRewards<'a> = Option<&'a dyn Fn(usize) -> f64>;

/// How the best law of a pair is found.
///
/// A pair that was never tried has an empty row and the whole simplex; its best law is a point mass on the best
/// state, which [`PlausibleSet`] handles for all shapes.
pub trait Shape: Clone + fmt::Debug + Sync + Sized {
    /// Whether the sets do not depend on the values. Only then may sweeps skip pairs whose value cannot have
    /// become the best.
    const FIXED_LAWS: bool = true;

    /// Ranks states by value as far as the search for best laws needs it.
    fn rank(_set: &PlausibleSet<'_, Self>, _values: &Values, _ranking: &mut Ranking) {}

    /// Puts the best law of a tried pair into a sink.
    fn fill(
        set: &PlausibleSet<'_, Self>,
        pair: usize,
        row: &Row<'_>,
        view: &View<'_>,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
    );

    /// The expected value under the best law of a tried pair; `fixed` is the value of the row's masses.
    #[inline(always)]
    fn value(
        set: &PlausibleSet<'_, Self>,
        _fixed: f64,
        pair: usize,
        row: &Row<'_>,
        view: &View<'_>,
        scratch: &mut Scratch,
    ) -> f64 {
        let mut sink = ValueSink { values: view.values, sum: 0.0 };
        Self::fill(set, pair, row, view, scratch, &mut sink);
        sink.sum
    }

    /// A faster way to the same value for short rows, where there is one. `worst_places` are the pair's,
    /// kept between sweeps.
    #[inline(always)]
    fn quick_value(
        _set: &PlausibleSet<'_, Self>,
        _pair: usize,
        _row: &Row<'_>,
        _view: &View<'_>,
        _worst_places: &mut [u8; 2],
    ) -> Option<f64> {
        None
    }

    /// An upper bound on the value of a pair.
    #[inline(always)]
    fn bound(fixed: f64, row: &Row<'_>, view: &View<'_>) -> f64 {
        fixed + row.free * view.best()
    }

    /// Makes every law give the state `to` at least `least`, where the row has it.
    fn attract(_set: &mut PlausibleSet<'_, Self>, _to: u32, _least: f64) {}
}

/// The plausible MDPs of one episode.
///
/// Rows are copied out of the counts without their gaps: every sweep reads all of them.
#[derive(Debug, Clone)]
pub struct PlausibleSet<'a, S> {
    counts: &'a Counts,
    /// The largest possible reward.
    pub(crate) r_max: f64,
    /// The largest gain that any plausible MDP can have.
    pub(crate) ceiling: f64,
    /// How many states never seen are planned on; 0 when planning happens on the seen ones only.
    pub(crate) unseen: u64,
    /// What every sweep looks at, by pair; one more at the end closes the last row.
    pub(crate) pairs: Vec<Pair>,
    /// The observed next states, row by row; none of pairs never tried.
    pub(crate) next: Vec<u32>,
    /// Their mass that does not depend on values: observed probabilities, or lower ends of boxes.
    pub(crate) mass: Vec<f64>,
    /// The most observed next states of any pair.
    pub(crate) longest_row: usize,
    /// A state that every law must give some probability, and how much.
    attractor: Option<(u32, f64)>,
    /// Data of the shape.
    pub(crate) shape: S,
}

/// The rows of a plausible set without the counts that they were made from, for the next plan to begin with.
#[derive(Debug, Clone)]
pub struct Rows<S> {
    pairs: Vec<Pair>,
    next: Vec<u32>,
    mass: Vec<f64>,
    longest_row: usize,
    shape: S,
}

/// The reward of a pair, and how much of its mass is free to go to the best states.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair {
    pub(crate) reward: f64,
    pub(crate) free: f64,
    /// Where the pair's row begins.
    pub(crate) row: u32,
    pub(crate) is_forbidden: bool,
    pub(crate) is_wide: bool,
}

/// What the plausible set of an episode is made from.
#[derive(Clone, Copy)]
pub struct Belief<'a, 'b> {
    /// What has been counted.
    pub counts: &'a Counts,
    /// The largest possible reward.
    pub r_max: f64,
    /// How many states never seen are planned on.
    pub unseen: u64,
    /// True mean rewards, for learners that are told.
    pub known: KnownRewards<'b>,
}

impl<'a, 'b> Belief<'a, 'b> {
    /// Everything that was counted, all states never seen included.
    pub fn new(counts: &'a Counts, r_max: f64, known: KnownRewards<'b>) -> Self {
        Self { counts, r_max, unseen: counts.unseen(), known }
    }
}

impl<'a, S: Shape> PlausibleSet<'a, S> {
    /// A set without rows; [`PlausibleSet::push`] adds those of all pairs, in order.
    pub fn new(belief: &Belief<'a, '_>, shape: S) -> Self {
        let pairs = belief.counts.pairs().len();
        Self {
            counts: belief.counts,
            r_max: belief.r_max,
            ceiling: belief.r_max,
            unseen: belief.unseen,
            pairs: Vec::with_capacity(pairs + 1),
            next: Vec::with_capacity(pairs),
            mass: Vec::with_capacity(pairs),
            longest_row: 0,
            attractor: None,
            shape,
        }
    }

    /// The set of other counts with rows that are brought up to date in place.
    pub(crate) fn of_rows(belief: &Belief<'a, '_>, rows: Rows<S>) -> Self {
        let Rows { pairs, next, mass, longest_row, shape } = rows;
        Self {
            counts: belief.counts,
            r_max: belief.r_max,
            ceiling: belief.r_max,
            unseen: belief.unseen,
            pairs,
            next,
            mass,
            longest_row,
            attractor: None,
            shape,
        }
    }

    /// Its rows.
    pub(crate) fn into_rows(self) -> Rows<S> {
        let Self { pairs, next, mass, longest_row, shape, .. } = self;
        Rows { pairs, next, mass, longest_row, shape }
    }

    /// Adds the next pair, whose row are the entries added to `next` and `mass` since the last one.
    pub fn push(&mut self, row: Row<'_>) {
        let begin = self.next.len();
        self.next.extend_from_slice(row.next);
        self.mass.extend_from_slice(row.mass);
        self.close_row(begin, row.reward, row.free, row.is_forbidden, row.is_wide);
    }

    /// Adds the next pair, whose row has been written from `begin` on.
    pub(crate) fn close_row(
        &mut self,
        begin: usize,
        reward: f64,
        free: f64,
        is_forbidden: bool,
        is_wide: bool,
    ) {
        self.longest_row = self.longest_row.max(self.next.len() - begin);
        self.pairs.push(Pair { reward, free, row: begin as u32, is_forbidden, is_wide });
    }

    /// Ends the list of pairs.
    #[must_use]
    pub fn closed(mut self) -> Self {
        let row = self.next.len() as u32;
        self.pairs.push(Pair { reward: 0.0, free: 0.0, row, is_forbidden: true, is_wide: true });
        self
    }

    /// The set in which every law gives the state numbered `to` at least `least` (or its upper end, if that is
    /// less): the perturbation under which SCAL's theory works.
    #[must_use]
    pub(crate) fn attracted(&self, to: u32, least: f64) -> Self {
        let mut narrowed = Self { attractor: Some((to, least)), ..self.clone() };
        S::attract(&mut narrowed, to, least);
        narrowed
    }

    /// The counts that the set was made from.
    pub fn counts(&self) -> &'a Counts {
        self.counts
    }

    /// The shape and its data.
    #[inline]
    pub fn shape(&self) -> &S {
        &self.shape
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
    pub(crate) fn entries(&self, pair: usize) -> std::ops::Range<usize> {
        self.pairs[pair].row as usize..self.pairs[pair + 1].row as usize
    }

    /// Ranks states by value as far as the search for best laws needs it.
    pub(crate) fn rank(&self, values: &Values, ranking: &mut Ranking) {
        S::rank(self, values, ranking);
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
        S::fill(self, pair, &row, view, scratch, sink);
    }

    /// The largest expected value of the next state over the plausible laws of a pair.
    #[inline]
    pub(crate) fn best_value(&self, pair: usize, view: &View<'_>, scratch: &mut Scratch) -> f64 {
        let row = self.row(pair);
        self.best_value_from(row.fixed_value(view), pair, &row, view, scratch)
    }

    /// The same, by the shape's quick way where it applies.
    #[inline(always)]
    pub(crate) fn sweep_value(
        &self,
        pair: usize,
        row: &Row<'_>,
        view: &View<'_>,
        worst_places: &mut [u8; 2],
        scratch: &mut Scratch,
    ) -> f64 {
        match S::quick_value(self, pair, row, view, worst_places) {
            Some(value) => value,
            None => self.best_value_from(row.fixed_value(view), pair, row, view, scratch),
        }
    }

    /// An upper bound on the best value of a pair, from its fixed value.
    #[inline(always)]
    pub(crate) fn bound_from(&self, fixed: f64, row: &Row<'_>, view: &View<'_>) -> f64 {
        match self.attractor {
            Some(_) => f64::INFINITY,
            None if row.next.is_empty() => fixed + row.free * view.best(),
            None => S::bound(fixed, row, view),
        }
    }

    /// The best value of a pair, from its fixed value.
    #[inline(always)]
    fn best_value_from(
        &self,
        fixed: f64,
        pair: usize,
        row: &Row<'_>,
        view: &View<'_>,
        scratch: &mut Scratch,
    ) -> f64 {
        if !row.next.is_empty() {
            return S::value(self, fixed, pair, row, view, scratch);
        }
        if self.attractor.is_none() {
            return view.value(view.top_of(row));
        }
        let mut sink = ValueSink { values: view.values, sum: fixed };
        self.fill(pair, view, scratch, &mut sink);
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
pub fn optimistic_rewards(belief: &Belief<'_, '_>, width: impl Fn(&PairCounts) -> f64) -> Vec<f64> {
    optimistic_rewards_by(belief, |pair| width(&belief.counts.pairs()[pair]))
}

/// The same with widths by pair.
pub fn optimistic_rewards_by(belief: &Belief<'_, '_>, width: impl Fn(usize) -> f64) -> Vec<f64> {
    let mut reward = Vec::with_capacity(belief.counts.pairs().len());
    for number in 0..belief.counts.seen() as u32 {
        for pair in belief.counts.pairs_of(number) {
            let is_tried = belief.counts.pairs()[pair].visits_before() > 0;
            let width = if is_tried { width(pair) } else { 0.0 };
            reward.push(optimistic_reward(belief, number, pair, width));
        }
    }
    reward
}

/// The upper end of the reward interval of one pair of the state with a number.
pub(crate) fn optimistic_reward(
    belief: &Belief<'_, '_>,
    number: u32,
    pair: usize,
    width: f64,
) -> f64 {
    let stats = &belief.counts.pairs()[pair];
    match belief.known {
        Some(mean) if belief.counts.was_visited(number) => mean(pair),
        _ if stats.visits_before() == 0 => belief.r_max,
        _ => (stats.reward_mean() + width).min(belief.r_max),
    }
}

/// The lower end of a pair's reward interval. A known reward has no width on either side; an untried one may
/// be 0.
pub fn low_reward(
    counts: &Counts,
    known: KnownRewards<'_>,
    width: impl Fn(&PairCounts) -> f64,
    pair: usize,
) -> f64 {
    match known {
        Some(mean) if counts.was_visited(counts.owner_number(pair) as u32) => mean(pair),
        _ => {
            let stats = &counts.pairs()[pair];
            (stats.reward_mean() - width(stats)).max(0.0)
        }
    }
}

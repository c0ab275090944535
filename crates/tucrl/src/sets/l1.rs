//! Which MDPs are plausible by Hoeffding's inequality and L1 balls? (UCRL2)
//!
//! Jaksch, Ortner, Auer 2010, section 3, with N+ = max(1, N):
//! - rewards: r_max sqrt(7 ln(2 S A t_k / delta) / (2 N+));
//! - transitions: |p - p̂|_1 <= sqrt(14 S ln(2 A t_k / delta) / N+).
//!
//! **Best law** (their figure 2): half the radius is moved to the best allowed state, taken from the worst
//! observed ones. The [`Ball`] is also the shape of TUCRL's relaxed sets.

use crate::confidence::Confidence;
use crate::counts::PairCounts;
use crate::inner_max::{LONG_ROW, Ranking, Scratch, Sink, ValueSink, Values};
use crate::plausible::{Belief, PlausibleSet, Row, Shape, View, max, min, optimistic_rewards_by};
use crate::space::Space;

use super::{ConfidenceSet, SetWidth};

/// UCRL2's set in one episode.
#[derive(Debug, Clone, Copy)]
pub struct L1 {
    reward: f64,
    radius: f64,
}

impl L1 {
    /// The radius of the ball of a pair.
    pub fn radius(&self, pair: &PairCounts) -> f64 {
        self.radius / (pair.visits_at_least_one() as f64).sqrt()
    }
}

impl ConfidenceSet for L1 {
    type Shape = Ball;

    const ABOUT: &'static str = "UCRL2's L1 balls";

    fn of(confidence: &Confidence, space: &Space, t_k: u64) -> Self {
        let b = confidence.log(confidence.pairs(space), t_k);
        let (states, actions) = (space.states() as f64, f64::from(space.max_actions()));
        let inside = 14.0 * states * confidence.log(actions, t_k);
        Self {
            reward: confidence.r_max * confidence.root(confidence.alpha_r, 3.5 * b),
            radius: confidence.root(confidence.alpha_p, inside),
        }
    }

    fn reward_width(&self, pair: &PairCounts) -> f64 {
        self.reward / (pair.visits_at_least_one() as f64).sqrt()
    }

    fn plausible<'a>(&self, belief: &Belief<'a, '_>) -> PlausibleSet<'a, Ball> {
        balls(belief, |pair| self.reward_width(pair), |pair| self.radius(pair), |_| false)
    }

    fn width_after(&self, visits: f64) -> SetWidth {
        SetWidth::root("half the radius of an L1 ball", self.radius / visits.max(1.0).sqrt() / 2.0)
    }
}

/// L1 balls around the observed laws; `forbids` says which pairs may not leave the seen states.
pub fn balls<'a>(
    belief: &Belief<'a, '_>,
    reward_width: impl Fn(&PairCounts) -> f64,
    radius: impl Fn(&PairCounts) -> f64,
    forbids: impl Fn(usize) -> bool,
) -> PlausibleSet<'a, Ball> {
    let of = |pair: usize| &belief.counts.pairs()[pair];
    balls_by(belief, |pair| reward_width(of(pair)), |pair| radius(of(pair)), forbids)
}

/// The same with widths and radii by pair.
pub fn balls_by<'a>(
    belief: &Belief<'a, '_>,
    reward_width: impl Fn(usize) -> f64,
    radius: impl Fn(usize) -> f64,
    forbids: impl Fn(usize) -> bool,
) -> PlausibleSet<'a, Ball> {
    let (counts, unseen) = (belief.counts, belief.unseen);
    let mut all = PlausibleSet::new(belief, Ball);
    let reward = optimistic_rewards_by(belief, reward_width);
    for (pair, stats) in counts.pairs().iter().enumerate() {
        let (begin, mut free, mut is_wide) = (all.next.len(), 1.0, true);
        if stats.visits_before() > 0 {
            let row = counts.row(pair);
            all.next.extend_from_slice(row.next);
            all.mass.extend_from_slice(row.p_hat);
            free = radius(pair) / 2.0;
            is_wide = free >= 1.0 - row.p_hat.iter().copied().fold(0.0, f64::max);
        }
        all.close_row(begin, reward[pair], free, unseen == 0 || forbids(pair), is_wide);
    }
    all.closed()
}

/// An L1 ball: the mass of a row is the observed law, its free mass half the radius.
#[derive(Debug, Clone, Copy)]
pub struct Ball;

impl Shape for Ball {
    fn rank(set: &PlausibleSet<'_, Self>, values: &Values, ranking: &mut Ranking) {
        if set.longest_row > LONG_ROW {
            ranking.update_worst(values);
        }
    }

    fn fill(
        _set: &PlausibleSet<'_, Self>,
        _pair: usize,
        row: &Row<'_>,
        view: &View<'_>,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
    ) {
        fill_ball(BallRow::of(row, view), &view.values.seen, view.ranking, scratch, sink);
    }

    #[inline(always)]
    fn value(
        _set: &PlausibleSet<'_, Self>,
        fixed: f64,
        _pair: usize,
        row: &Row<'_>,
        view: &View<'_>,
        scratch: &mut Scratch,
    ) -> f64 {
        let ball = BallRow::of(row, view);
        if row.is_wide && ball.is_certain() {
            return view.value(ball.target);
        }
        let mut sink = ValueSink { values: view.values, sum: fixed };
        sink.give(ball.target, ball.half);
        take_from_worst(ball, &view.values.seen, view.ranking, scratch, &mut sink);
        sink.sum
    }

    #[inline(always)]
    fn quick_value(
        _set: &PlausibleSet<'_, Self>,
        _pair: usize,
        row: &Row<'_>,
        view: &View<'_>,
        worst_places: &mut [u8; 2],
    ) -> Option<f64> {
        if row.is_wide || row.next.len() > LONG_ROW {
            return None;
        }
        value_in_ball(row, view, worst_places)
    }

    /// All free mass goes to the best state and comes from the worst.
    #[inline(always)]
    fn bound(fixed: f64, row: &Row<'_>, view: &View<'_>) -> f64 {
        fixed + row.free * (view.best() - view.lowest)
    }
}

/// The best value in a ball, if the two worst observed states hold at least the moved mass, as they nearly
/// always do. One pass over the row without a branch that depends on values; the places of the two in the
/// row seldom change from sweep to sweep.
#[inline(always)]
fn value_in_ball(row: &Row<'_>, view: &View<'_>, places: &mut [u8; 2]) -> Option<f64> {
    let values = &view.values.seen[..];
    let (mut sum, mut worst, mut second) = (0.0, f64::MAX, f64::MAX);
    for (&next, &mass) in row.next.iter().zip(row.mass) {
        let value = values[next as usize];
        sum += mass * value;
        second = min(second, max(worst, value));
        worst = min(worst, value);
    }
    let stands = |place: u8, value: f64| {
        row.next.get(place as usize).is_some_and(|&next| values[next as usize] == value)
    };
    let is_alone = row.next.len() == 1;
    let stand_both =
        is_alone || stands(places[1], second) && stands(places[0], worst) && places[0] != places[1];
    if !stand_both {
        *places = find_two(row, values, worst, second);
    }
    let taken = min(*row.mass.get(places[0] as usize)?, row.free);
    let left = row.free - taken;
    let also_taken = min(*row.mass.get(places[1] as usize)?, left);
    let top = if row.is_forbidden { view.highest_seen } else { view.highest };
    let bar = if also_taken > 0.0 { second } else { worst };
    (also_taken >= left && bar < top)
        .then_some(sum + row.free * top - taken * worst - also_taken * second)
}

/// The places in the row of states of the two smallest values; of equals the first.
#[inline(never)]
fn find_two(row: &Row<'_>, values: &[f64], worst: f64, second: f64) -> [u8; 2] {
    let find = |value: f64, but: usize| {
        let mut places = row.next.iter().enumerate();
        places.position(|(place, &next)| place != but && values[next as usize] == value)
    };
    let place = find(worst, usize::MAX).unwrap_or(0);
    [place as u8, find(second, place).unwrap_or(place) as u8]
}

/// An L1 ball around the observed law of one pair.
#[derive(Debug, Clone, Copy)]
pub struct BallRow<'a> {
    /// The observed next states.
    pub next: &'a [u32],
    /// Their observed probabilities.
    pub p_hat: &'a [f64],
    /// Half the radius: how much mass may be moved.
    pub half: f64,
    /// The best allowed state, to which it is moved.
    pub target: u32,
}

impl<'a> BallRow<'a> {
    #[inline(always)]
    fn of(row: &Row<'a>, view: &View<'_>) -> Self {
        Self { next: row.next, p_hat: row.mass, half: row.free, target: view.top_of(row) }
    }

    /// Whether all mass can be moved to the target.
    #[inline(always)]
    fn is_certain(&self) -> bool {
        let mut entries = self.next.iter().zip(self.p_hat);
        let at_target = entries.find(|entry| *entry.0 == self.target).map_or(0.0, |entry| *entry.1);
        self.half >= 1.0 - at_target
    }
}

/// Fills the best law in an L1 ball.
#[inline]
pub fn fill_ball(
    row: BallRow<'_>,
    values: &[f64],
    ranking: &Ranking,
    scratch: &mut Scratch,
    sink: &mut impl Sink,
) {
    if row.is_certain() {
        sink.give(row.target, 1.0);
        return;
    }
    row.next.iter().zip(row.p_hat).for_each(|(&state, &p)| sink.give(state, p));
    sink.give(row.target, row.half);
    take_from_worst(row, values, ranking, scratch, sink);
}

/// Takes as much as was moved to the target from the worst observed states, in order of (value, number).
#[inline(always)]
fn take_from_worst(
    row: BallRow<'_>,
    values: &[f64],
    ranking: &Ranking,
    scratch: &mut Scratch,
    sink: &mut impl Sink,
) {
    if row.next.len() > LONG_ROW {
        return take_along_ranking(row, values, ranking, scratch, sink);
    }
    // States come in order of number, so that of equals the first is found.
    let mut worst: Option<(usize, f64)> = None;
    for (place, &state) in row.next.iter().enumerate() {
        let value = values[state as usize];
        if state != row.target && worst.is_none_or(|worst| value < worst.1) {
            worst = Some((place, value));
        }
    }
    let Some((place, value)) = worst else { return };
    let taken = row.p_hat[place].min(row.half);
    sink.give(row.next[place], -taken);
    let left = row.half - taken;
    if left > 0.0 {
        take_more(row, values, left, (value, row.next[place]), sink);
    }
}

/// Takes what is left from the next-worst states after `last`.
fn take_more(
    row: BallRow<'_>,
    values: &[f64],
    mut left: f64,
    mut last: (f64, u32),
    sink: &mut impl Sink,
) {
    while left > 0.0 {
        let mut worst: Option<(usize, f64)> = None;
        for (place, &state) in row.next.iter().enumerate() {
            let value = values[state as usize];
            let is_later = value > last.0 || (value == last.0 && state > last.1);
            if is_later && state != row.target && worst.is_none_or(|worst| value < worst.1) {
                worst = Some((place, value));
            }
        }
        let Some((place, value)) = worst else { return };
        let taken = row.p_hat[place].min(left);
        sink.give(row.next[place], -taken);
        left -= taken;
        last = (value, row.next[place]);
    }
}

/// The same for long rows, along all states from the worst.
#[inline(never)]
fn take_along_ranking(
    row: BallRow<'_>,
    values: &[f64],
    ranking: &Ranking,
    scratch: &mut Scratch,
    sink: &mut impl Sink,
) {
    let mut left = row.half;
    let places = scratch.spread(row.next, values.len());
    for &state in &ranking.worst {
        let place = places[state as usize] as usize;
        if place > 0 && state != row.target {
            let taken = row.p_hat[place - 1].min(left);
            sink.give(state, -taken);
            left -= taken;
            if left <= 0.0 {
                break;
            }
        }
    }
    scratch.clear(row.next);
}

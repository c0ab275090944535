//! Which MDPs are plausible if every next state is a Bernoulli variable of its own? (UCRL3)
//!
//! Bourel, Maillard, Talebi 2020, "Tightening exploration in upper confidence reinforcement learning", from a
//! description and public code. For each next state the tighter of a Bernstein and a sub-Gaussian bound for
//! Bernoulli variables, both with the *candidate's* variance, solved by bisection; for rewards the tighter of a
//! sub-Gaussian and an empirical Bernstein bound. With delta' = delta / (S A (3 + 3 S)) and eta = 1.12:
//! l(n) = (eta / n) ln( ln(eta n) ln(eta² n) / (ln(eta)² delta') ).
//! Shrinking multiplies the resulting widths, or both logarithms. Bisection keeps the outer end, so a bound is
//! never too tight.
//!
//! **Best law**: a box is maximised over a selected set of next states only: the observed ones, the best one, and
//! as many of the other best ones until those left out could contribute no more than min(kappa, what is already
//! there). Values count from the smallest one, and mass that finds no room goes to the worst state. States that
//! were never observed from a pair all have the same upper end, so the selection is a number: how many of them,
//! best first. What is left out shrinks and what is inside grows with that number, so it is found by bisection,
//! with prefix sums over the ranked states; states never seen at all are one block.
//!
//! Departure: within a plan the number only grows. If it may shrink again the operator is not continuous, and
//! value iteration can cycle.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use crate::confidence::{Confidence, Shrink};
use crate::counts::PairCounts;
use crate::inner_max::{Ranking, Scratch, Sink, UNSEEN, ValueSink, Values};
use crate::math;
use crate::plausible::{Belief, PlausibleSet, Row, Shape, View, optimistic_rewards};
use crate::space::Space;

use super::bernstein::{BoxRow, Boxes, Capacity};
use super::{ConfidenceSet, SetWidth};

/// The peeling factor eta of the authors' code; the bound holds for any value above 1.
const ETA: f64 = 1.12;
/// Halvings of an interval: ends are exact to 2^-40, and on the safe side. The authors' code stops at 1e-4.
const STEPS: u32 = 40;

/// UCRL3's set in one episode.
#[derive(Debug, Clone, Copy)]
pub struct Ucrl3 {
    /// ln(1 / delta').
    log: f64,
    r_max: f64,
    /// Factors of the logarithms, and of the widths.
    log_r: f64,
    log_p: f64,
    width_r: f64,
    width_p: f64,
}

impl Ucrl3 {
    fn iterated(&self, visits: f64) -> f64 {
        let eta = math::ln(ETA);
        let inner = math::ln(math::ln(ETA * visits) * math::ln(ETA * ETA * visits) / (eta * eta));
        ETA / visits * (inner + self.log)
    }

    /// (1 + 1/n) ln(factor sqrt(n + 1) / delta') / n.
    fn mixture(&self, visits: f64, factor: f64) -> f64 {
        (1.0 + 1.0 / visits) * (math::ln(factor * (visits + 1.0).sqrt()) + self.log) / visits
    }

    /// The interval of a next state's probability, from its relative frequency in `visits`.
    pub fn interval(&self, p_hat: f64, visits: u64) -> (f64, f64) {
        if visits == 0 {
            return (0.0, 1.0);
        }
        let visits = visits as f64;
        let (l, m) = (self.log_p * self.iterated(visits), self.log_p * self.mixture(visits, 2.0));
        let bernstein = |q: f64| (2.0 * q * (1.0 - q) * l).sqrt() + l / 3.0;
        let gaussian = |h: f64| (2.0 * h * m).sqrt();
        let is_high = |q: f64| q - p_hat <= bernstein(q).min(gaussian(flat_proxy(q)));
        let is_low = |q: f64| p_hat - q <= bernstein(q).min(gaussian(proxy(q)));
        let up = outermost(p_hat, 1.0, is_high);
        let mut low = outermost(p_hat, 0.0, is_low);
        if p_hat >= 1.0 {
            low = low.max(math::powf(0.5, 1.0 / visits));
        }
        let width = |end: f64| p_hat + self.width_p * (end - p_hat);
        (width(low).clamp(0.0, p_hat), width(up).clamp(p_hat, 1.0))
    }
}

impl ConfidenceSet for Ucrl3 {
    type Shape = Selected;

    const ABOUT: &'static str = "UCRL3's boxes over selected next states";

    fn of(confidence: &Confidence, space: &Space, t_k: u64) -> Self {
        let (states, delta) = (space.states() as f64, confidence.delta.at(t_k));
        let (alpha_r, alpha_p) = (confidence.alpha_r, confidence.alpha_p);
        let (log_r, log_p, width_r, width_p) = match confidence.shrink {
            Shrink::Linear => (1.0, 1.0, alpha_r, alpha_p),
            Shrink::Log => (alpha_r, alpha_p, 1.0, 1.0),
        };
        let log =
            math::ln(confidence.pairs(space)) + math::ln(3.0 + 3.0 * states) - math::ln(delta);
        Self { log, r_max: confidence.r_max, log_r, log_p, width_r, width_p }
    }

    fn reward_width(&self, pair: &PairCounts) -> f64 {
        let visits = pair.visits_at_least_one() as f64;
        let light = self.r_max * (self.log_r * self.mixture(visits, 1.0) / 2.0).sqrt();
        let l = self.log_r * self.iterated(visits);
        let deviation = pair.reward_deviation() * visits.sqrt();
        let bernstein = (2.0 * l).sqrt() * deviation + 7.0 / 3.0 * self.r_max * l;
        self.width_r * light.min(bernstein)
    }

    fn plausible<'a>(&self, belief: &Belief<'a, '_>) -> PlausibleSet<'a, Selected> {
        let counts = belief.counts;
        let most = counts.pairs().iter().map(|stats| stats.visits_at_least_one()).max();
        let shape = Selected {
            boxes: Boxes::default(),
            per_state: 10.0 / math::powf(most.unwrap_or(1) as f64, 2.0 / 3.0),
            considered: Grown(counts.pairs().iter().map(|_| AtomicU64::new(0)).collect()),
        };
        let mut all = PlausibleSet::new(belief, shape);
        let reward = optimistic_rewards(belief, |stats| self.reward_width(stats));
        for (pair, stats) in counts.pairs().iter().enumerate() {
            let (begin, visits) = (all.next.len(), stats.visits_before());
            let mut left: f64 = 1.0;
            if visits > 0 {
                let row = counts.row(pair);
                all.next.extend_from_slice(row.next);
                for &p in row.p_hat {
                    let (least, most) = self.interval(p, visits);
                    all.mass.push(least);
                    all.shape.boxes.room.push(most - least);
                    left -= least;
                }
            }
            let cap = self.interval(0.0, visits).1;
            all.shape.boxes.capacities.push(Capacity { cap, unseen: 0.0, reach: 0 });
            all.close_row(begin, reward[pair], left.max(0.0), belief.unseen == 0, true);
        }
        all.closed()
    }

    fn width_after(&self, visits: f64) -> SetWidth {
        SetWidth::linear(super::UNOBSERVED, self.interval(0.0, visits as u64).1)
    }
}

/// Boxes over next states that are selected anew in every sweep.
#[derive(Debug, Clone)]
pub struct Selected {
    boxes: Boxes,
    /// What may be left out, over span and support.
    per_state: f64,
    /// By pair: how many states are considered that were not observed from it.
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

impl Shape for Selected {
    const FIXED_LAWS: bool = false;

    fn rank(_set: &PlausibleSet<'_, Self>, values: &Values, ranking: &mut Ranking) {
        ranking.update(values);
    }

    fn fill(
        set: &PlausibleSet<'_, Self>,
        pair: usize,
        row: &Row<'_>,
        view: &View<'_>,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
    ) {
        let considered = &set.shape.considered.0[pair];
        let row = set.shape.boxes.of(pair, set.entries(pair), row, set.attractor());
        let selection = Selection {
            unseen: set.unseen,
            tolerance: set.shape.per_state * row.next.len() as f64,
            at_least: considered.load(Relaxed),
        };
        let many = fill_selected(&row, selection, view.ranking, view.values, scratch, sink);
        considered.store(many, Relaxed);
    }
}

/// A sub-Gaussian variance proxy of a coin of probability q, for deviations to both sides (Kearns and Saul 1998).
fn proxy(q: f64) -> f64 {
    if q <= 0.0 || q >= 1.0 {
        0.0
    } else if (q - 0.5).abs() < 1e-6 {
        0.25
    } else {
        (0.5 - q) / math::ln(1.0 / q - 1.0)
    }
}

/// What the authors' code uses for upper ends: the variance itself from one half on.
///
/// The variance is a proxy there for frequencies above q. An upper end needs one for frequencies below q, where it is too
/// small: these ends fail more often than promised, most near 1 (docs/algorithms.md, section 4.5). Kept as it is in the
/// code that the authors published.
fn flat_proxy(q: f64) -> f64 {
    if q < 0.5 { proxy(q) } else { q * (1.0 - q) }
}

/// The point farthest from `from` towards `to` up to which the bound holds, rounded outwards.
fn outermost(from: f64, to: f64, holds: impl Fn(f64) -> bool) -> f64 {
    if holds(to) {
        return to;
    }
    let (mut inside, mut outside) = (from, to);
    for _ in 0..STEPS {
        let middle = inside + (outside - inside) / 2.0;
        if holds(middle) { inside = middle } else { outside = middle }
    }
    outside
}

/// Input of the support selection.
#[derive(Debug, Clone, Copy)]
pub struct Selection {
    /// How many states never seen are planned on.
    pub unseen: u64,
    /// Kappa over the span of the values.
    pub tolerance: f64,
    /// How many states that were not observed are considered at least.
    pub at_least: u64,
}

/// States not observed from a pair, best first, as blocks of equal upper ends.
struct Outside<'a> {
    ranking: &'a Ranking,
    values: &'a Values,
    /// `(first rank or UNSEEN, how many)`.
    blocks: Vec<(u32, u64)>,
    lowest: f64,
}

impl<'a> Outside<'a> {
    fn new(
        row: &BoxRow<'_>,
        ranking: &'a Ranking,
        values: &'a Values,
        unseen: u64,
        scratch: &mut Scratch,
    ) -> Self {
        let observed = &mut scratch.special;
        observed.clear();
        for (index, &state) in row.next.iter().enumerate() {
            observed.push((ranking.rank[state as usize], state, row.room[index]));
        }
        observed.sort_unstable_by_key(|entry| entry.0);
        let mut blocks = Vec::with_capacity(observed.len() + 3);
        let mut push = |from: u32, to: u32| {
            if to > from {
                blocks.push((from, u64::from(to - from)));
            }
        };
        let states = ranking.order.len() as u32;
        let split = if unseen > 0 { ranking.unseen_rank } else { u32::MAX };
        let mut from = 0;
        for to in observed.iter().map(|entry| entry.0).chain([states]) {
            push(from, to);
            from = to + 1;
        }
        // Unseen states form one block, ranked by its value.
        let mut cut = Vec::with_capacity(blocks.len() + 2);
        let mut is_placed = unseen == 0;
        for (start, count) in blocks {
            let end = start + count as u32;
            if !is_placed && split < end {
                if split > start {
                    cut.push((start, u64::from(split - start)));
                }
                cut.push((UNSEEN, unseen));
                is_placed = true;
                let rest = start.max(split);
                cut.push((rest, u64::from(end - rest)));
            } else {
                cut.push((start, count));
            }
        }
        if !is_placed {
            cut.push((UNSEEN, unseen));
        }
        let last = ranking.order.last().map_or(0.0, |&state| values.seen[state as usize]);
        let lowest = if unseen > 0 { last.min(values.unseen) } else { last };
        Self { ranking, values, blocks: cut, lowest }
    }

    fn len(&self) -> u64 {
        self.blocks.iter().map(|block| block.1).sum()
    }

    /// The value of taking mass 1 from the states after the first `skipped`, at most `cap` each.
    fn worth_after(&self, skipped: u64, cap: f64) -> f64 {
        if cap <= 0.0 {
            return 0.0;
        }
        let (mut skip, mut left, mut worth) = (skipped, 1.0f64, 0.0);
        for &(start, count) in &self.blocks {
            if skip >= count {
                skip -= count;
                continue;
            }
            let (first, many) = (skip, count - skip);
            skip = 0;
            let full = ((left / cap) as u64).min(many);
            let part = if full < many { left - full as f64 * cap } else { 0.0 };
            if start == UNSEEN {
                worth += (full as f64 * cap + part.min(cap)) * (self.values.unseen - self.lowest);
            } else {
                let (a, b) = (start as usize + first as usize, full as usize);
                let sum = self.ranking.prefix[a + b] - self.ranking.prefix[a];
                worth += cap * (sum - full as f64 * self.lowest);
                if part > 0.0 {
                    let state = self.ranking.order[a + b];
                    worth += part.min(cap) * (self.values.seen[state as usize] - self.lowest);
                }
            }
            left -= full as f64 * cap + part.min(cap);
            if left <= 0.0 || part > 0.0 {
                break;
            }
        }
        worth
    }

    /// Fills the box over the observed states and the best `allowed` others; returns what found no room.
    fn fill(
        &self,
        row: &BoxRow<'_>,
        observed: &[(u32, u32, f64)],
        allowed: u64,
        sink: &mut impl Sink,
    ) -> f64 {
        row.next.iter().zip(row.low).for_each(|(&state, &low)| sink.give(state, low));
        let (mut left, mut budget) = (row.left, allowed);
        let mut blocks = self.blocks.iter().peekable();
        let mut observed = observed.iter().peekable();
        while left > 0.0 {
            // The next state by rank, or the block of unseen states.
            let place = |start: u32| {
                if start == UNSEEN { 2 * self.ranking.unseen_rank } else { 2 * start + 1 }
            };
            let block = blocks.peek().filter(|_| budget > 0).map(|block| place(block.0));
            let single = observed.peek().map(|entry| 2 * entry.0 + 1);
            match (block, single) {
                (None, None) => break,
                (Some(b), s) if s.is_none_or(|s| b < s) => {
                    let Some(&(start, count)) = blocks.next() else { break };
                    let many = count.min(budget);
                    budget -= many;
                    let full =
                        if row.cap > 0.0 { ((left / row.cap) as u64).min(many) } else { many };
                    let part = if full < many {
                        (left - full as f64 * row.cap).clamp(0.0, row.cap)
                    } else {
                        0.0
                    };
                    if start == UNSEEN {
                        sink.give(UNSEEN, full as f64 * row.cap + part);
                    } else {
                        sink.give_run(self.ranking, start, start + full as u32, row.cap);
                        if part > 0.0 {
                            sink.give(self.ranking.order[start as usize + full as usize], part);
                        }
                    }
                    left -= full as f64 * row.cap + part;
                    if part > 0.0 {
                        left = 0.0;
                    }
                }
                _ => {
                    let Some(&(_, state, room)) = observed.next() else { break };
                    let taken = room.min(left);
                    sink.give(state, taken);
                    left -= taken;
                }
            }
        }
        left.max(0.0)
    }
}

/// Fills the law that UCRL3 chooses; returns how many states that were not observed it considered.
pub fn fill_selected(
    row: &BoxRow<'_>,
    selection: Selection,
    ranking: &Ranking,
    values: &Values,
    scratch: &mut Scratch,
    sink: &mut impl Sink,
) -> u64 {
    let outside = Outside::new(row, ranking, values, selection.unseen, scratch);
    let observed = &scratch.special[..];
    let best_seen = ranking.order.first().map_or(0.0, |&state| values.seen[state as usize]);
    let is_unseen_best = selection.unseen > 0 && ranking.unseen_rank == 0;
    let best = if is_unseen_best { values.unseen } else { best_seen };
    let kappa = selection.tolerance * (best - outside.lowest);
    let enough = |many: u64| {
        let mut value = ValueSink { values, sum: 0.0 };
        let left = outside.fill(row, observed, many, &mut value);
        let inside = value.sum - (1.0 - left) * outside.lowest;
        outside.worth_after(many, row.cap) <= kappa.min(inside)
    };
    // The best state of all is always inside.
    let is_best_observed =
        !is_unseen_best && ranking.order.first().is_some_and(|best| row.next.contains(best));
    let mut few = u64::from(!is_best_observed).max(selection.at_least).min(outside.len());
    if !enough(few) {
        let mut many = outside.len();
        while many - few > 1 {
            let middle = few + (many - few) / 2;
            if enough(middle) { many = middle } else { few = middle }
        }
        few = many;
    }
    let left = outside.fill(row, observed, few, sink);
    if left > 0.0 {
        let last = ranking.order.last().copied().unwrap_or(0);
        let is_unseen_worst = selection.unseen > 0 && values.unseen < values.seen[last as usize];
        sink.give(if is_unseen_worst { UNSEEN } else { last }, left);
    }
    few
}

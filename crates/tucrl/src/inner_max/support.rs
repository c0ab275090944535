//! Which next states are worth considering at all?
//!
//! UCRL3's inner step (Bourel, Maillard, Talebi 2020; ALGORITHMS 6.2): a box is maximised over a chosen set of
//! next states only, the observed ones, the best one, and then as many of the other best ones until those left
//! out could contribute no more than min(kappa, what is already there). Values count from the smallest one, and
//! mass that finds no room is worth nothing: it goes to the worst state.
//!
//! States that were never observed from a pair all have the same upper end, so the set is a number: how many of
//! them, best first. What is left out shrinks and what is inside grows with that number, so it is found by
//! bisection, with prefix sums over the ranked states; states never seen at all are one block.
//!
//! Departure: within a plan the number only grows. If it may shrink again the operator jumps, and value iteration
//! can go round in circles.

use super::{BoxRow, Ranking, Scratch, Sink, UNSEEN, ValueSink, Values};

/// What the selection needs to know besides the box.
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
        // The block of states never seen stands where its value puts it.
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
            // Whichever comes first by rank; a block of states never seen by its own.
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

//! Which plausible next-state law is best for one pair?
//!
//! The inner step of extended value iteration. In an **L1 ball** (paper, appendix on algorithmic
//! details; Jaksch et al. 2010, figure 2) half the radius is moved to the best allowed state, taken
//! from the worst observed ones. In a **box** of per-state intervals everything starts at its lower
//! end and what is left of the mass fills the best states up, in order.
//!
//! Both are sparse and exact: only observed next states are touched one by one. Next states never
//! seen from a pair all share one interval, so a run of them is filled by prefix sums over the states
//! ranked by value; states never seen at all are one state with its own capacity.
//!
//! A *sink* receives the mass: one sums value, one lists the law. Short rows are searched as they are;
//! long ones are spread over a table by state, and the ranked states are walked until the mass is spent.
//! Kullback-Leibler balls (`kl`) and UCRL3's selected supports (`support`) have files of their own.
//! Reads nothing; feeds `evi`, `span_clip`. Departures from the paper: none.

mod kl;
mod support;

pub use kl::fill_kl;
pub use support::{Selection, fill_selected};

/// The number that stands for all states never seen in laws and sinks.
pub const UNSEEN: u32 = u32::MAX;

/// The values of the planned states: the seen ones and, as one, those never seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Values {
    /// By number.
    pub seen: Vec<f64>,
    /// Of any state never seen; only meaningful when such states are planned on.
    pub unseen: f64,
}

/// Rows with more next states than this are searched along the ranked states.
pub(crate) const LONG_ROW: usize = 24;

/// The rank of states that are not ranked because no box can reach them.
const UNRANKED: u32 = u32::MAX;

/// The seen states ranked by value, best first, ties by number; with prefix sums.
#[derive(Debug, Clone, Default)]
pub struct Ranking {
    /// All states; the best `depth` in order, the others as they come.
    order: Vec<u32>,
    /// Only the best `depth` have one.
    rank: Vec<u32>,
    /// All states, worst first, ties by number; only needed for balls around long rows.
    worst: Vec<u32>,
    /// `prefix[j]` is the sum of the best j values.
    prefix: Vec<f64>,
    /// How many seen states are strictly better than those never seen.
    unseen_rank: u32,
}

impl Ranking {
    /// Ranks all states anew; the old order is the starting point, which makes it nearly free when
    /// values change little between sweeps.
    pub fn update(&mut self, values: &Values) {
        self.update_best(values, values.seen.len());
    }

    /// Ranks the best `depth` states anew. What lies below is neither sorted nor summed.
    pub(crate) fn update_best(&mut self, values: &Values, depth: usize) {
        let seen = &values.seen;
        if self.order.len() != seen.len() {
            self.order = (0..seen.len() as u32).collect();
            self.rank = vec![UNRANKED; seen.len()];
        }
        let better =
            |a: &u32, b: &u32| seen[*b as usize].total_cmp(&seen[*a as usize]).then(a.cmp(b));
        let ranked = if 4 * depth < seen.len() {
            self.rank.fill(UNRANKED);
            let (ranked, _, _) = self.order.select_nth_unstable_by(depth, better);
            ranked
        } else {
            &mut self.order[..]
        };
        ranked.sort_by(better);
        self.prefix.clear();
        self.prefix.push(0.0);
        let mut sum = 0.0;
        for (rank, &state) in ranked.iter().enumerate() {
            self.rank[state as usize] = rank as u32;
            sum += seen[state as usize];
            self.prefix.push(sum);
        }
        self.unseen_rank =
            ranked.partition_point(|&state| seen[state as usize] > values.unseen) as u32;
    }

    /// Whether states never seen are at least as good as all others.
    #[inline]
    pub(crate) fn puts_unseen_first(&self) -> bool {
        self.unseen_rank == 0
    }

    /// The state of a rank, if it is ranked.
    #[inline]
    pub(crate) fn ranked(&self, rank: u32) -> Option<u32> {
        let is_ranked = (rank as usize) + 1 < self.prefix.len();
        self.order.get(rank as usize).copied().filter(|_| is_ranked)
    }

    /// The sum of the best `many` values.
    #[inline]
    pub(crate) fn best_sum(&self, many: u32) -> f64 {
        self.prefix[many as usize]
    }

    /// Orders all states anew, worst first.
    pub(crate) fn update_worst(&mut self, values: &Values) {
        let seen = &values.seen;
        if self.worst.len() != seen.len() {
            self.worst = (0..seen.len() as u32).collect();
        }
        self.worst.sort_by(|&a, &b| seen[a as usize].total_cmp(&seen[b as usize]).then(a.cmp(&b)));
    }
}

/// Takes probability mass.
pub trait Sink {
    /// Mass for one state, or for [`UNSEEN`]; may be negative, as a correction.
    fn give(&mut self, state: u32, mass: f64);
    /// The same mass for each of the states ranked `from..to`.
    fn give_run(&mut self, ranking: &Ranking, from: u32, to: u32, each: f64);
}

/// Sums the value of the mass.
pub struct ValueSink<'a> {
    /// The values.
    pub values: &'a Values,
    /// The sum so far.
    pub sum: f64,
}

impl Sink for ValueSink<'_> {
    #[inline]
    fn give(&mut self, state: u32, mass: f64) {
        let value =
            if state == UNSEEN { self.values.unseen } else { self.values.seen[state as usize] };
        self.sum += mass * value;
    }

    #[inline]
    fn give_run(&mut self, ranking: &Ranking, from: u32, to: u32, each: f64) {
        self.sum += each * (ranking.prefix[to as usize] - ranking.prefix[from as usize]);
    }
}

/// Lists the mass, state by state.
#[derive(Debug, Default)]
pub struct LawSink {
    /// `(state, mass)`, possibly several entries a state.
    pub entries: Vec<(u32, f64)>,
}

impl LawSink {
    /// The law, sorted by state, one entry each, without zeros.
    pub fn into_law(mut self) -> Vec<(u32, f64)> {
        self.entries.sort_by_key(|entry| entry.0);
        self.entries.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                earlier.1 += later.1;
            }
            same
        });
        // Rounding may leave a trace of mass that was taken away entirely.
        self.entries.retain(|entry| entry.1 > 1e-16);
        self.entries
    }
}

impl Sink for LawSink {
    fn give(&mut self, state: u32, mass: f64) {
        self.entries.push((state, mass));
    }

    fn give_run(&mut self, ranking: &Ranking, from: u32, to: u32, each: f64) {
        self.entries.extend(ranking.order[from as usize..to as usize].iter().map(|&s| (s, each)));
    }
}

/// An L1 ball around the observed law of one pair.
#[derive(Debug, Clone, Copy)]
pub struct BallRow<'a> {
    /// The observed next states.
    pub next: &'a [u32],
    /// Their observed probabilities.
    pub share: &'a [f64],
    /// Half the radius: how much mass may be moved.
    pub half: f64,
    /// The best allowed state, to which it is moved.
    pub target: u32,
}

impl BallRow<'_> {
    /// Whether all mass can be moved to the target.
    #[inline(always)]
    pub(crate) fn is_certain(&self) -> bool {
        let mut entries = self.next.iter().zip(self.share);
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
    row.next.iter().zip(row.share).for_each(|(&state, &share)| sink.give(state, share));
    sink.give(row.target, row.half);
    take_from_worst(row, values, ranking, scratch, sink);
}

/// Takes as much as was moved to the target from the worst observed states, in order of (value, number).
#[inline(always)]
pub(crate) fn take_from_worst(
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
    let taken = row.share[place].min(row.half);
    sink.give(row.next[place], -taken);
    let left = row.half - taken;
    if left > 0.0 {
        take_more(row, values, left, (value, row.next[place]), sink);
    }
}

/// Takes what is left from the states that are worse than all but those emptied, up to `last`.
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
        let taken = row.share[place].min(left);
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
            let taken = row.share[place - 1].min(left);
            sink.give(state, -taken);
            left -= taken;
            if left <= 0.0 {
                break;
            }
        }
    }
    scratch.clear(row.next);
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
    /// From this rank on no state can be given anything; see [`reach_of`].
    pub reach: u32,
}

/// The rank from which on a box has nothing left to give: every state that is not observed takes `cap`.
pub fn reach_of(left: f64, cap: f64, observed: usize, states: usize) -> u32 {
    let states = states as u32;
    if cap > 0.0 {
        let ranks = (left / cap).min(f64::from(states)) as u32 + 2 + observed as u32;
        ranks.min(states)
    } else {
        states
    }
}

/// Room for the search of one pair; reused between pairs.
#[derive(Debug, Clone, Default)]
pub struct Scratch {
    /// Special states as `(place, state, room)`.
    special: Vec<(u32, u32, f64)>,
    /// By state: one plus its place in the row at hand, or 0.
    places: Vec<u32>,
}

impl Scratch {
    /// Empty.
    pub fn new() -> Self {
        Self::default()
    }

    /// The places of a row's states by state.
    fn spread(&mut self, row: &[u32], states: usize) -> &[u32] {
        if self.places.len() < states {
            self.places.resize(states, 0);
        }
        for (place, &state) in (1..).zip(row) {
            self.places[state as usize] = place;
        }
        &self.places
    }

    fn clear(&mut self, row: &[u32]) {
        row.iter().for_each(|&state| self.places[state as usize] = 0);
    }

    /// Lists the observed states among the best `reach`, with twice their rank plus one, in order of rank.
    #[inline]
    fn list_observed(&mut self, row: &BoxRow<'_>, ranking: &Ranking, reach: u32) {
        self.special.clear();
        if row.next.len() > LONG_ROW {
            return self.list_many(row, ranking, reach);
        }
        for (&state, &room) in row.next.iter().zip(row.room) {
            let rank = ranking.rank[state as usize];
            if rank < reach {
                self.insert(2 * rank + 1, state, room);
            }
        }
    }

    /// The same for long rows: along the ranking, or, where that is much longer, by sorting.
    #[inline(never)]
    fn list_many(&mut self, row: &BoxRow<'_>, ranking: &Ranking, reach: u32) {
        if (reach as usize) < 16 * row.next.len() {
            self.spread(row.next, ranking.order.len());
            for (rank, &state) in (0..reach).zip(&ranking.order) {
                let place = self.places[state as usize] as usize;
                if place > 0 {
                    self.special.push((2 * rank + 1, state, row.room[place - 1]));
                }
            }
            self.clear(row.next);
            return;
        }
        for (&state, &room) in row.next.iter().zip(row.room) {
            let rank = ranking.rank[state as usize];
            if rank < reach {
                self.special.push((2 * rank + 1, state, room));
            }
        }
        self.special.sort_unstable_by_key(|special| special.0);
    }

    /// Adds a special state where its place is.
    #[inline]
    fn insert(&mut self, place: u32, state: u32, room: f64) {
        let mut index = self.special.len();
        self.special.push((place, state, room));
        while index > 0 && self.special[index - 1].0 > place {
            self.special[index] = self.special[index - 1];
            index -= 1;
        }
        self.special[index] = (place, state, room);
    }
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
pub(crate) fn fill_up(
    row: BoxRow<'_>,
    ranking: &Ranking,
    scratch: &mut Scratch,
    sink: &mut impl Sink,
) {
    let (mut left, mut reach) = (row.left, row.reach);
    let states = ranking.order.len() as u32;
    if let Some((state, low, _)) = row.extra {
        sink.give(state, low);
        left -= low;
        reach = reach_of(left, row.cap, row.next.len(), states as usize);
    }
    // States never seen are mostly the best of all: they come first, and mostly take everything.
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
    scratch.list_observed(&row, ranking, reach);
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

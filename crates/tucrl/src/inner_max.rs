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
//! Kullback-Leibler balls (`kl`) and UCRL3's selected supports (`support`) have files of their own.
//!
//! A *sink* receives the mass: one sums value, one lists the law. Reads nothing; feeds `evi`,
//! `span_clip`. Departures from the paper: none.

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

/// The seen states ranked by value, best first, ties by number; with prefix sums.
#[derive(Debug, Clone, Default)]
pub struct Ranking {
    order: Vec<u32>,
    rank: Vec<u32>,
    /// `prefix[j]` is the sum of the best j values.
    prefix: Vec<f64>,
    /// How many seen states are strictly better than those never seen.
    unseen_rank: u32,
}

impl Ranking {
    /// Ranks the states anew; the old order is the starting point, which makes it nearly free when
    /// values change little between sweeps.
    pub fn update(&mut self, values: &Values) {
        let states = values.seen.len();
        if self.order.len() != states {
            self.order = (0..states as u32).collect();
            self.rank = vec![0; states];
        }
        let seen = &values.seen;
        self.order.sort_by(|&a, &b| seen[b as usize].total_cmp(&seen[a as usize]).then(a.cmp(&b)));
        self.prefix.clear();
        self.prefix.push(0.0);
        let mut sum = 0.0;
        for (rank, &state) in self.order.iter().enumerate() {
            self.rank[state as usize] = rank as u32;
            sum += seen[state as usize];
            self.prefix.push(sum);
        }
        self.unseen_rank =
            self.order.partition_point(|&state| seen[state as usize] > values.unseen) as u32;
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

/// Fills the best law within L1 distance `2 * half` of the observed one, with mass moved to
/// `target`, the best allowed state.
#[inline]
pub fn fill_ball(
    next: &[u32],
    share: &[f64],
    half: f64,
    target: u32,
    values: &[f64],
    sink: &mut impl Sink,
) {
    let mut at_target = 0.0;
    for (&state, &share) in next.iter().zip(share) {
        if state == target {
            at_target = share;
        }
    }
    if half >= 1.0 - at_target {
        sink.give(target, 1.0);
        return;
    }
    for (&state, &share) in next.iter().zip(share) {
        sink.give(state, share);
    }
    sink.give(target, half);
    // Take as much from the worst observed states, in order of (value, number).
    let mut left = half;
    let mut last = (f64::NEG_INFINITY, 0u32);
    while left > 0.0 {
        let mut worst: Option<(f64, u32, f64)> = None;
        for (&state, &share) in next.iter().zip(share) {
            let value = values[state as usize];
            let is_later = value > last.0 || (value == last.0 && state >= last.1);
            if state != target && is_later && worst.is_none_or(|w| (value, state) < (w.0, w.1)) {
                worst = Some((value, state, share));
            }
        }
        let Some((value, state, share)) = worst else { return };
        let taken = share.min(left);
        sink.give(state, -taken);
        left -= taken;
        last = (value, state + 1);
    }
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
}

/// Room for the observed states of one pair in order of rank; reused between pairs.
pub type Scratch = Vec<(u32, u32, f64)>;

/// Fills the best law in a box.
#[inline]
pub fn fill_box(row: BoxRow<'_>, ranking: &Ranking, scratch: &mut Scratch, sink: &mut impl Sink) {
    for (&state, &low) in row.next.iter().zip(row.low) {
        if low > 0.0 {
            sink.give(state, low);
        }
    }
    let mut left = row.left;
    if let Some((state, low, _)) = row.extra {
        sink.give(state, low);
        left -= low;
    }
    if left <= 0.0 {
        return;
    }
    // Special states, by rank: the observed ones and those never seen. Between them lie runs of
    // states that all have the same capacity. Ranks from `reach` on cannot be touched.
    let states = ranking.order.len() as u32;
    let reach = if row.cap > 0.0 {
        (left / row.cap).min(f64::from(states)) as u32 + 2 + row.next.len() as u32
    } else {
        states
    };
    scratch.clear();
    for (index, &state) in row.next.iter().enumerate() {
        let rank = ranking.rank[state as usize];
        if rank < reach {
            scratch.push((2 * rank + 1, state, row.room[index]));
        }
    }
    if let Some((state, _, room)) = row.extra {
        scratch.push((2 * ranking.rank[state as usize] + 1, state, room));
    }
    if row.unseen_cap > 0.0 {
        scratch.push((2 * ranking.unseen_rank, UNSEEN, row.unseen_cap));
    }
    scratch.sort_unstable_by_key(|special| special.0);
    let mut from = 0;
    for index in 0..=scratch.len() {
        let (place, special, room) =
            scratch.get(index).copied().unwrap_or((2 * states + 1, UNSEEN, 0.0));
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

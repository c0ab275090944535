//! What does the search for the best next-state law of a pair need?
//!
//! The inner step of extended value iteration maximises the expected value over the plausible laws of one pair.
//! All searches are sparse and exact: only observed next states are touched one by one. Next states never
//! observed from a pair share one interval, so a run of them is filled by prefix sums over the states
//! ranked by value; states never seen at all are one state with its own capacity.
//!
//! A *sink* receives the mass: one sums value, one lists the law. Short rows are searched as they are;
//! long ones are spread over a table by state, and the ranked states are walked until the mass is spent.
//! The searches themselves stand with their sets in `sets`.

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

/// Rows with more next states than this are searched along the ranked states. Measured on 15 sweeps over a garnet with 1000
/// states whose pairs were tried 500 times (instructions, callgrind). Rows of 16 with a limit of 12: L1 balls +169 %, boxes
/// +70 %. Rows of 32 with a limit of 48: L1 balls -48 %, boxes -28 %. Longer rows were not measured.
pub(crate) const LONG_ROW: usize = 24;

/// The rank of states that are not ranked because no box can reach them.
const UNRANKED: u32 = u32::MAX;

/// The seen states ranked by value, best first, ties by number; with prefix sums.
#[derive(Debug, Clone, Default)]
pub struct Ranking {
    /// All states; the best `depth` in order, the others as they come.
    pub(crate) order: Vec<u32>,
    /// Only the best `depth` have one.
    pub(crate) rank: Vec<u32>,
    /// All states, worst first, ties by number; only needed for balls around long rows.
    pub(crate) worst: Vec<u32>,
    /// `prefix[j]` is the sum of the best j values.
    pub(crate) prefix: Vec<f64>,
    /// How many seen states are strictly better than those never seen.
    pub(crate) unseen_rank: u32,
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
        if !insert_in_order(ranked, better) {
            ranked.sort_by(better);
        }
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

/// Sorts what is nearly in order by insertion; false, with the order as it came to be, if that takes too many moves.
fn insert_in_order(
    states: &mut [u32],
    mut better: impl FnMut(&u32, &u32) -> std::cmp::Ordering,
) -> bool {
    let mut moves = 2 * states.len();
    for at in 1..states.len() {
        let state = states[at];
        let mut place = at;
        while place > 0 && better(&state, &states[place - 1]).is_lt() {
            states[place] = states[place - 1];
            place -= 1;
        }
        states[place] = state;
        let moved = at - place;
        if moved > moves {
            return false;
        }
        moves -= moved;
    }
    true
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
        self.tidy();
        self.entries
    }

    /// Turns the entries into the law.
    pub(crate) fn tidy(&mut self) {
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

/// Room for the search of one pair; reused between pairs.
#[derive(Debug, Clone, Default)]
pub struct Scratch {
    /// Special states as `(place, state, room)`.
    pub(crate) special: Vec<(u32, u32, f64)>,
    /// By state: one plus its place in the current row, or 0.
    pub(crate) places: Vec<u32>,
    /// What mass may go to, as `(value, state, room)`.
    pub(crate) items: Vec<(f64, u32, f64)>,
}

impl Scratch {
    /// Empty.
    pub fn new() -> Self {
        Self::default()
    }

    /// The places of a row's states by state.
    pub(crate) fn spread(&mut self, row: &[u32], states: usize) -> &[u32] {
        if self.places.len() < states {
            self.places.resize(states, 0);
        }
        for (place, &state) in (1..).zip(row) {
            self.places[state as usize] = place;
        }
        &self.places
    }

    /// Undoes [`Scratch::spread`].
    pub(crate) fn clear(&mut self, row: &[u32]) {
        row.iter().for_each(|&state| self.places[state as usize] = 0);
    }

    /// Adds a special state where its place is.
    #[inline]
    pub(crate) fn insert(&mut self, place: u32, state: u32, room: f64) {
        let mut index = self.special.len();
        self.special.push((place, state, room));
        while index > 0 && self.special[index - 1].0 > place {
            self.special[index] = self.special[index - 1];
            index -= 1;
        }
        self.special[index] = (place, state, room);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::RandomStream;

    /// Values that move little, and values that are drawn anew; many ties.
    #[test]
    fn a_ranking_that_is_updated_is_the_ranking_made_anew() {
        let mut random = RandomStream::new(5);
        let mut values = Values { seen: vec![0.0; 60], unseen: 3.0 };
        let mut updated = Ranking::default();
        for round in 0..500 {
            let chance = if round % 10 == 0 { 1.0 } else { 0.05 };
            for value in &mut values.seen {
                if random.chance(chance) {
                    *value = random.below(20) as f64;
                }
            }
            updated.update(&values);
            let mut anew = Ranking::default();
            anew.update(&values);
            let mut sorted: Vec<u32> = (0..60).collect();
            sorted.sort_by(|&a, &b| {
                values.seen[b as usize].total_cmp(&values.seen[a as usize]).then(a.cmp(&b))
            });
            assert_eq!((&updated.order, &anew.order), (&sorted, &sorted), "round {round}");
            assert_eq!((&updated.rank, &updated.prefix), (&anew.rank, &anew.prefix));
        }
    }
}

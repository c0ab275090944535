//! Do counts survive moves of rows and overflow of 32 bits?

use std::collections::BTreeMap;

use super::*;

#[test]
fn rows_that_grow_move_and_take_the_places_of_others_keep_their_counts() {
    let mut random = crate::rng::RandomStream::new(7);
    let mut counts = Counts::new(Space::uniform(1 << 40, 2), Variance::default());
    let mut expected: BTreeMap<(usize, u32), u64> = BTreeMap::new();
    for step in 0..20_000u64 {
        let here = counts.see(random.below(40) << 30);
        // Rows of all lengths from 1 to 40.
        let next = counts.see(random.below(u64::from(here) + 1) << 30);
        let pair = counts.pair(here, random.below(2) as u32);
        counts.record(pair, 0.5, next);
        *expected.entry((pair, next)).or_default() += 1;
        if step % 777 == 0 {
            counts.freeze();
        }
    }
    counts.freeze();
    let found = (0..counts.pairs().len())
        .flat_map(|pair| counts.transitions(pair).map(move |(next, n)| ((pair, next), n)));
    assert!(found.eq(expected.iter().map(|(&key, &n)| (key, n))));
    for (&(pair, next), &count) in &expected {
        let row = counts.row(pair);
        let entry = row.next.binary_search(&next).unwrap();
        assert_eq!(row.p_hat[entry], count as f64 / counts.visits(pair) as f64);
    }
    let stored = serde_json::to_string(&counts).unwrap();
    let mut again: Counts = serde_json::from_str(&stored).unwrap();
    for next in 0..40 {
        for counts in [&mut counts, &mut again] {
            counts.record(3, 0.5, next);
        }
    }
    assert!(again.transitions(3).eq(counts.transitions(3)));
}

#[test]
fn a_transition_can_be_counted_beyond_32_bits() {
    let mut counts = Counts::new(Space::uniform(3, 1), Variance::default());
    for state in 0..3 {
        counts.see(state);
    }
    for next in [2, 1] {
        counts.record(0, 1.0, next);
    }
    counts.freeze();
    // As if the first transition had been observed almost 2^33 times.
    let many = (1u64 << 33) - 2;
    counts.count[counts.pairs[0].row as usize + 1] = u32::MAX - 1;
    counts.carried = vec![(0, 2, 1)];
    (counts.pairs[0].visits, counts.pairs[0].frozen) = (many + 1, many + 1);
    for _ in 0..4 {
        counts.record(0, 1.0, 2);
    }
    assert_eq!(counts.transitions(0).collect::<Vec<_>>(), [(1, 1), (2, many + 4)]);
    counts.freeze();
    assert_eq!(counts.row(0).p_hat[1], (many + 4) as f64 / (many + 5) as f64);
    counts.count[counts.pairs[0].row as usize] = u32::MAX;
    counts.record(0, 1.0, 1);
    assert_eq!(counts.transitions(0).next(), Some((1, 1 << 32)));
}

#[test]
fn a_place_that_a_row_has_left_is_taken_by_the_next_row_of_that_size() {
    let mut counts = Counts::new(Space::uniform(9, 1), Variance::default());
    for state in 0..9 {
        counts.see(state);
    }
    let mut grow = |pair, next| {
        counts.record(pair, 0.5, next);
        counts.next.len()
    };
    // Pair 0 takes a place of size 1, then 2 (pair 1 takes the vacant 1), then 4 (leaving a 2).
    assert_eq!([grow(0, 4), grow(0, 5), grow(1, 4), grow(0, 6), grow(0, 7)], [1, 3, 3, 7, 7]);
    assert_eq!([grow(1, 3), grow(2, 8), grow(3, 8)], [7, 7, 8]);
    let row = |pair| counts.transitions(pair).collect::<Vec<_>>();
    assert_eq!(row(0), [(4, 1), (5, 1), (6, 1), (7, 1)]);
    assert_eq!([row(1), row(2), row(3)], [vec![(3, 1), (4, 1)], vec![(8, 1)], vec![(8, 1)]]);
}

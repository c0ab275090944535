//! Is the price of span paid where it is worth it? Known curves, a fine grid, and what REGAL.D's guesses do.
#![allow(missing_docs, clippy::unwrap_used)]

use crate::runs;

use runs::*;
use tucrl::agents::{LastLength, Regal, RegalC, RegalD, penalty_numerator};
use tucrl::confidence::{Confidence, Shrink};
use tucrl::counts::{Counts, Variance};
use tucrl::evi::EviOptions;
use tucrl::options::NumberOr;
use tucrl::plausible::{Belief, PlausibleSet};
use tucrl::rules::StopReason;
use tucrl::sets::{Bernstein, Boxes, boxes};
use tucrl::span_clip::{self, Mode, SpanClip};
use tucrl::span_price::{PricedPlan, best_bound};
use tucrl::worlds::{RiverSwim, Theta, ThreeState, TwoState};
use tucrl::{ConfidenceSet, Mdp, RandomStream, Space};

/// Counts that say exactly what a model says, for probabilities that are multiples of 1 / `visits`.
fn certain(mdp: &Mdp, visits: u64) -> Counts {
    let actions: Vec<u32> = (0..mdp.states()).map(|s| mdp.actions(s) as u32).collect();
    let mut counts = Counts::new(Space::listed(actions), Variance::Population);
    for state in 0..mdp.states() as u64 {
        counts.see(state);
    }
    for pair in 0..mdp.pairs() {
        for (next, p) in mdp.row(pair).iter() {
            for _ in 0..(p * visits as f64).round() as u64 {
                counts.record(pair, mdp.mean_reward(pair), next as u32);
            }
        }
    }
    counts.freeze();
    counts
}

fn boxes_of(counts: &Counts, alpha: f64, unseen: u64, t_k: u64) -> PlausibleSet<'_, Boxes> {
    let confidence = Confidence {
        delta: 0.1.into(),
        alpha_r: alpha,
        alpha_p: alpha,
        shrink: Shrink::Linear,
        r_max: 1.0,
        nominal_pairs: None,
    };
    let widths = Bernstein::of(&confidence, counts.space(), t_k);
    let belief = Belief { counts, r_max: 1.0, unseen, known: None };
    boxes(&belief, &widths, |_| false, 0)
}

fn search(counts: &Counts, alpha: f64, unseen: u64, t_k: u64, price: f64) -> PricedPlan {
    let set = boxes_of(counts, alpha, unseen, t_k);
    let (clip, free) = (SpanClip::default(), EviOptions::default());
    best_bound(&set, t_k, price, &clip, &free, &|_| 0.0).unwrap()
}

fn gain_under(counts: &Counts, alpha: f64, unseen: u64, t_k: u64, c: f64) -> (f64, f64) {
    let set = boxes_of(counts, alpha, unseen, t_k);
    let clip = SpanClip { c, ..SpanClip::default() };
    let plan = span_clip::solve(&set, t_k, &clip, |_| 0.0).unwrap();
    (plan.gain_low, plan.gain_high)
}

const SHARP: u64 = 1 << 40;
const MARGIN: f64 = 3e-6;

/// The gain g_c under a span bound c of three known MDPs.
#[test]
fn known_curves_of_gain_against_span_hold() {
    let three = ThreeState { delta: 0.0, ..Default::default() }.build().unwrap();
    let three = certain(&three, 1);
    let epsilon = 0.25;
    let two = certain(&TwoState { epsilon, ..Default::default() }.build().unwrap(), 4);
    let theta = certain(&Theta { theta_x: 0.125, theta_y: 0.125 }.build().unwrap(), 8);
    for step in 0..=60 {
        let c = 0.1 * f64::from(step);
        let expected = [
            (&three, if c <= 1.0 / 3.0 { c } else { (1.0 / 6.0 + c / 2.0).min(2.0 / 3.0) }),
            (&two, (epsilon * c).clamp(0.5, 1.0)),
            (&theta, (0.125 * c).min(0.5)),
        ];
        for (counts, gain) in expected {
            let (low, high) = gain_under(counts, 0.0, 0, SHARP, c);
            assert!(low - MARGIN <= gain && gain <= high + MARGIN, "c = {c}: {gain} {low} {high}");
        }
    }
}

/// In the known M_epsilon the optimum is c = 0 if the price exceeds epsilon / 2, and 1 / epsilon if
/// it is less; the curve in between is not concave, so a search that climbs would stop at 0.
#[test]
fn the_price_decides_between_no_span_and_all_of_it() {
    let epsilon = 0.25;
    let counts = certain(&TwoState { epsilon, ..Default::default() }.build().unwrap(), 4);
    for price in [0.126, 0.13, 0.5, 0.99, 1.0, 30.0] {
        let found = search(&counts, 0.0, 0, SHARP, price);
        assert_eq!(found.c, 0.0, "{price}");
        assert!((found.value - 0.5).abs() < MARGIN, "{price}: {}", found.value);
    }
    for price in [0.124, 0.1, 0.01] {
        let found = search(&counts, 0.0, 0, SHARP, price);
        assert!((found.c - 1.0 / epsilon).abs() < 1e-4, "{price}: {}", found.c);
        assert!((found.value - (1.0 - price / epsilon)).abs() < 1e-5, "{price}: {}", found.value);
    }
    // Without a price: the whole gain, for the smallest span that has it.
    let free = search(&counts, 0.0, 0, SHARP, 0.0);
    assert!(
        (free.value - 1.0).abs() < 1e-5 && (free.c - 4.0).abs() < 1e-4,
        "{} {}",
        free.value,
        free.c
    );
    // M_theta: g_c = min(1/2, theta c), so half the gain is worth 1/(2 theta) of span up to a price of theta.
    let theta = certain(&Theta { theta_x: 0.125, theta_y: 0.125 }.build().unwrap(), 8);
    assert!((search(&theta, 0.0, 0, SHARP, 0.124).c - 4.0).abs() < 1e-2);
    assert_eq!(search(&theta, 0.0, 0, SHARP, 0.126).c, 0.0);
}

fn random_counts(seed: u64) -> Counts {
    let mut random = RandomStream::new(seed);
    let states = 3 + random.below(3);
    let mut counts = Counts::new(Space::uniform(states + 1, 2), Variance::Published);
    for state in 0..states {
        counts.see(state);
    }
    for pair in 0..2 * states as usize {
        let (base, home) = (random.unit(), random.below(states));
        for _ in 0..random.below(200) {
            let next = if random.chance(0.8) { home } else { random.below(states) };
            counts.record(pair, random.uniform(0.5 * base, base), next as u32);
        }
    }
    counts.freeze();
    counts
}

#[test]
fn branch_and_bound_finds_what_a_fine_grid_finds() {
    let t_k = 1_000_000;
    let tolerance = 1e-3;
    let (mut inner, mut tried) = (0, 0);
    for seed in 0..25 {
        let counts = random_counts(seed);
        for (alpha, unseen, price) in
            [(0.02, 0, 0.02), (0.02, 0, 0.2), (0.02, 1, 0.1), (0.0, 0, 0.05)]
        {
            let found = search(&counts, alpha, unseen, t_k, price);
            assert!(found.upper - found.value <= tolerance * 1.0001, "{found:?}");
            let (low, high) = (found.plan.gain_low, found.plan.gain_high);
            assert!((low - price * found.c - found.value).abs() < 1e-12 && high >= low);
            tried += found.tried;
            // Beyond this no gain is worth its price.
            let last = (1.0 / price).min(20.0);
            let points = 120;
            let mut grid_low = f64::NEG_INFINITY;
            for point in 0..=points {
                let c = last * f64::from(point) / f64::from(points);
                let (low, high) = gain_under(&counts, alpha, unseen, t_k, c);
                assert!(
                    low - price * c <= found.upper + 1e-9,
                    "seed {seed}: c = {c} beats the bound"
                );
                grid_low = grid_low.max(high - price * c);
            }
            // The grid is coarse: between its points the value moves by no more than the distance.
            assert!(found.value <= grid_low + last / f64::from(points) + 1e-9, "seed {seed}");
            assert!(
                found.value >= grid_low - 3.0 * tolerance,
                "seed {seed}: {} {grid_low}",
                found.value
            );
            inner += usize::from(found.c > 0.0 && found.c < last);
        }
    }
    assert!(inner > 20, "{inner} optima were neither 0 nor everything");
    assert!(tried < 25 * 4 * 60, "{tried} bounds tried");
}

/// Theory mode narrows the set for each c: most for the smallest. A plan under one bound must not depend on the
/// bounds planned before it.
#[test]
fn theory_mode_perturbs_a_set_of_its_own_for_every_bound() {
    let (t_k, alpha) = (400, 0.02);
    let theory = |c: f64| SpanClip { c, mode: Mode::Theory, ..SpanClip::default() };
    let mut inner = 0;
    for seed in 0..12 {
        let counts = random_counts(seed);
        let fresh = |c: f64| {
            let set = boxes_of(&counts, alpha, 0, t_k);
            span_clip::solve(&set, t_k, &theory(c), |_| 0.0).unwrap()
        };
        let used = boxes_of(&counts, alpha, 0, t_k);
        span_clip::solve(&used, t_k, &theory(1e-9), |_| 0.0).unwrap();
        let second = span_clip::solve(&used, t_k, &theory(0.5), |_| 0.0).unwrap();
        assert_eq!(second, fresh(0.5), "seed {seed}");
        // The search begins with c = 0, where the perturbation is everything.
        for price in [0.0, 0.1, 0.4] {
            let free = EviOptions::default();
            let found = best_bound(&used, t_k, price, &theory(0.0), &free, &|_| 0.0).unwrap();
            let alone = if found.c > 0.0 { fresh(found.c) } else { fresh(f64::MIN_POSITIVE) };
            let (low, high) = (found.plan.gain_low, found.plan.gain_high);
            assert!(
                low <= alone.gain_high + 1e-12 && alone.gain_low <= high + 1e-12,
                "seed {seed}, price {price}: gain in [{low}, {high}] under c = {}, alone {alone:?}",
                found.c
            );
            // No other bound is better; the perturbation costs at most r_max / t_k.
            for point in 1..=10 {
                let c = 0.2 * f64::from(point);
                let value = fresh(c).gain_low - price * c;
                assert!(value <= found.upper + 1.0 / t_k as f64 + 1e-12, "seed {seed}: c = {c}");
            }
            inner += usize::from(found.c > 0.0);
        }
    }
    assert!(inner > 12, "{inner} searches went beyond c = 0");
}

fn regal(penalty: NumberOr<LastLength>) -> Named {
    let optimism = clipped(shrunk(0.05));
    Named::new("regal", Regal { penalty, optimism, ..Regal::default() })
}

fn regal_d() -> Named {
    Named::new("regal-d", RegalD { optimism: clipped(shrunk(0.05)), ..RegalD::default() })
}

#[test]
fn regal_c_is_scal() {
    let world = World::new(ThreeState { delta: 0.005, ..Default::default() }.build().unwrap());
    let regal_c = RegalC { h: 2.0.into(), optimism: clipped(shrunk(0.05)), ..RegalC::default() };
    let (one, other) = (
        world.record(&Named::new("regal-c", regal_c), 20_000, 1),
        world.record(&scal(shrunk(0.05), 2.0), 20_000, 1),
    );
    assert_eq!(one, other);
}

/// Sub-iterations of 1, 2, 4, ... steps, counts and t_k frozen; doubling ends the episode.
#[test]
fn guesses_double_until_the_episode_ends() {
    let world = World::new(ThreeState { delta: 0.005, ..Default::default() }.build().unwrap());
    let record = world.record(&regal_d(), 20_000, 1);
    let mut expected = 1;
    let (mut longest, mut ends) = (0, 0);
    for (episode, _) in &record.episodes {
        match episode.stop {
            StopReason::Length => {
                // A new plan that wants a pair that is used up ends the episode before it has any length.
                assert!(episode.length == expected || episode.length == 1);
                expected = 2 * episode.length;
            }
            StopReason::Doubling { .. } => {
                assert!(episode.length <= expected);
                (expected, ends) = (1, ends + 1);
            }
            _ => {}
        }
        longest = longest.max(episode.length);
    }
    assert!(longest >= 256 && ends > 10, "{longest} {ends}");
    // Counts stand still: what is seen for the first time in an episode is not planned on before it ends, and
    // rows that grow meanwhile are not mixed up with the frequencies of the start.
    let river = World::new(RiverSwim::default().build().unwrap());
    let record = river.record(&regal_d(), 5_000, 1);
    let later = record
        .episodes
        .windows(2)
        .filter(|pair| matches!(pair[0].0.stop, StopReason::Length) && pair[1].0.length > 1);
    let mut plans = 0;
    for pair in later {
        assert_eq!(pair[0].0.seen, pair[1].0.seen);
        plans += 1;
    }
    assert!(plans > 20, "{plans}");
    let record = world.record(&regal_d(), 20_000, 1);
    // The guess is too long whenever an episode ends early: that is where the proof breaks.
    let early = record.episodes.windows(2).filter(|pair| {
        matches!(pair[0].0.stop, StopReason::Length)
            && matches!(pair[1].0.stop, StopReason::Doubling { .. })
            && pair[1].0.length < 2 * pair[0].0.length
    });
    assert!(early.count() > 5);
}

#[test]
fn a_price_that_falls_with_the_length_learns_the_three_states() {
    let world = World::new(ThreeState { delta: 0.0, ..Default::default() }.build().unwrap());
    let regret = |algorithm: &Named| world.record(algorithm, 30_000, 1).regret.last().unwrap().1;
    let random = regret(&random());
    // A constant price that excludes the optimistic way out but not the bias of the true MDP: sp = 1, g = 2/3.
    let priced = regret(&regal(0.05.into()));
    assert!(priced < 0.2 * random, "{priced} of {random}");
    // Theory's price is of the order of S: it chooses c = 0 as long as episodes are short, and learns nothing.
    let theory = regret(&regal(NumberOr::default()));
    assert!(theory > 2.0 * priced, "{theory} {priced}");
}

/// The term of the proof that should not be positive, for one sub-iteration of guess l and length n:
/// c sqrt(n) - (c / sqrt(l)) n. It vanishes at n = l and is positive for every shorter one.
#[test]
fn the_term_that_the_proof_drops_is_positive_for_every_episode_that_ends_early() {
    let c = penalty_numerator(3.0, 2.0, 1e6, 0.05);
    // 6 sqrt(12 ln(8e7)) + sqrt(2 ln 20), worked out by hand.
    assert!((c - 91.1119).abs() < 1e-3, "{c}");
    let term = |length: f64, guess: f64| c * length.sqrt() - c / guess.sqrt() * length;
    assert!(term(1024.0, 1024.0).abs() < 1e-9);
    for length in 1..1024 {
        assert!(term(f64::from(length), 1024.0) > 0.0);
    }
    // Its largest value, at a quarter of the guess, is c sqrt(l) / 4: of the order of the regret itself.
    let worst = (1..1024).map(|n| term(f64::from(n), 1024.0)).fold(0.0, f64::max);
    assert!((worst - c * 32.0 / 4.0).abs() < 1e-9, "{worst}");
}

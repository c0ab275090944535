//! Are certificates those of the formulas, and wrong no more often than they say?

use super::*;
use crate::evaluate::policy_values;
use crate::rng::RandomStream;
use crate::solve::solve;
use crate::worlds::{Garnet, RiverSwim, ThreeState};

fn exact(samples: u64) -> Terms {
    Terms { samples, reward_samples: None, delta: 0.05, is_size_random: false, shrink: 1.0 }
}

fn smallest_gain(mdp: &Mdp, policy: &Policy) -> f64 {
    let gain = policy_values(mdp, policy).unwrap().gain;
    gain.into_iter().fold(f64::INFINITY, f64::min)
}

#[test]
fn the_widths_are_those_of_the_formulas() {
    // By hand: n = 60, so log2(log2(64)) = log2(6), and two shares of delta = 0.05.
    let terms = exact(60);
    let log = (24.0_f64 * 12.0).ln() + 5.0 * 60.0_f64.ln() + 40.0_f64.ln();
    assert!((terms.alpha(12) - 96.0 * log.sqrt() * 6.0_f64.log2()).abs() < 1e-9);
    let distance = (2.0 * (6.0 * 2.0_f64.ln() + (12.0_f64 * 40.0).ln()) / 60.0).sqrt();
    assert!((terms.distance(6, 12) - distance).abs() < 1e-12);
    assert_eq!(terms.reward_width(12), 0.0);
    // Three shares, and one of n (n + 1) = 3660.
    let logged = Terms { reward_samples: Some(9), is_size_random: true, ..terms };
    let width = ((12.0_f64 * 60.0 * 3660.0).ln() / 18.0).sqrt();
    assert!((logged.reward_width(12) - width).abs() < 1e-12);
    assert_eq!(Terms { shrink: 0.5, ..logged }.reward_width(12), 0.5 * logged.reward_width(12));
}

#[test]
fn discounted_values_are_those_of_value_iteration() {
    for seed in 0..20 {
        let mdp = Garnet { states: 15, actions: 3, branching: 3, seed }.build().unwrap();
        let mut discounted = Discounted::new(&mdp);
        for horizon in [4.0, 64.0] {
            discounted.solve(1.0 / horizon).unwrap();
            let gamma = 1.0 - 1.0 / horizon;
            let mut values = vec![0.0; mdp.states()];
            for _ in 0..3000 {
                let better =
                    |pair| mdp.mean_reward(pair) / mdp.r_max() + gamma * mdp.row(pair).dot(&values);
                values = (0..mdp.states())
                    .map(|state| mdp.pairs_of(state).map(better).fold(f64::NEG_INFINITY, f64::max))
                    .collect();
            }
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            assert!((discounted.low - least / horizon).abs() < 1e-12, "{seed}");
            for (own, value) in discounted.values.iter().zip(&values) {
                assert!((own - (value - least)).abs() < 1e-9, "{seed}: {own} {value} {least}");
            }
            assert!(discounted.error < 1e-9, "{}", discounted.error);
        }
    }
}

#[test]
fn a_horizon_of_a_trillion_steps_loses_no_digits() {
    // River-swim's values then are its gain and bias, which the solver of MDPs finds another way.
    let mdp = RiverSwim::default().build().unwrap();
    let solution = solve(&mdp).unwrap();
    let mut discounted = Discounted::new(&mdp);
    discounted.solve(1.0 / (1u64 << 40) as f64).unwrap();
    let bias = &solution.bias;
    let least = bias.iter().copied().fold(f64::INFINITY, f64::min);
    for (own, bias) in discounted.values.iter().zip(bias) {
        assert!((own - (bias - least)).abs() < 1e-8, "{own} {bias}");
    }
    assert!((discounted.low - solution.gain[0]).abs() < 1e-10);
    assert!(discounted.error < 0.1, "{}", discounted.error);
}

#[test]
fn a_certificate_is_wrong_at_most_as_often_as_it_says() {
    let mut wrong = [0; 2];
    let mut informative = 0;
    let draws = 400;
    for seed in 0..draws {
        let mdp = match seed % 2 {
            0 => RiverSwim::default().build().unwrap(),
            _ => Garnet { states: 5, actions: 2, branching: 2, seed }.build().unwrap(),
        };
        let (rewards, samples) =
            [(Rewards::Deterministic, 3000), (Rewards::Random, 4000)][seed as usize / 2 % 2];
        let mut random = RandomStream::new(seed);
        let (empirical, terms) = sampled(&mdp, samples, rewards, &mut random).unwrap();
        for (wrong, shrink) in wrong.iter_mut().zip([1.0, 0.0]) {
            let certificate = certify(&empirical, &Terms { delta: 0.1, shrink, ..terms }).unwrap();
            assert_eq!(certificate.is_certified, shrink == 1.0);
            let gain = smallest_gain(&mdp, &certificate.policy);
            *wrong += usize::from(certificate.gain > gain);
            informative += usize::from(shrink == 1.0 && certificate.gain > 0.0);
        }
    }
    assert!(wrong[0] * 10 <= draws as usize, "{wrong:?}");
    // Without widths the estimate is above the gain about every second time: the count above can fail.
    assert!(wrong[1] * 4 > draws as usize, "{wrong:?}");
    assert!(informative * 4 > draws as usize, "{informative}");
}

#[test]
fn bounds_approach_the_optimal_gain_like_one_over_the_square_root_of_the_samples() {
    let mdp = RiverSwim::default().build().unwrap();
    let best = solve(&mdp).unwrap().gain[0];
    let gap = |samples: u64| {
        let mut random = RandomStream::new(samples);
        let drawn = sampled(&mdp, samples, Rewards::Deterministic, &mut random).unwrap();
        best - certify(&drawn.0, &drawn.1).unwrap().gain
    };
    let gaps = [gap(30_000), gap(300_000), gap(3_000_000)];
    for pair in gaps.windows(2) {
        let slope = (pair[0] / pair[1]).log10();
        assert!((0.4..0.65).contains(&slope), "{gaps:?}");
    }
}

#[test]
fn horizon_calibration_keeps_the_rate_of_its_theorem() {
    // With exact laws, as if there were n samples: g* - L <= C alpha^2 sqrt((sp(h*) + 1) / n).
    let mdp = RiverSwim::default().build().unwrap();
    let solution = solve(&mdp).unwrap();
    let span = {
        let least = solution.bias.iter().copied().fold(f64::INFINITY, f64::min);
        solution.bias.iter().copied().fold(f64::NEG_INFINITY, f64::max) - least
    };
    for power in [11, 12, 13] {
        let terms = exact(10u64.pow(power));
        let n = terms.samples as f64;
        let certificate = certify(&mdp, &terms).unwrap();
        let largest = certificate.candidates.iter().map(|candidate| candidate.by_horizon);
        let largest = largest.fold(f64::NEG_INFINITY, f64::max);
        // The width with the true span is what is lost, and little more.
        let width = terms.alpha(12) * ((span + 1.0) / n).sqrt();
        let lost = solution.gain[0] - largest;
        assert!(
            largest > 0.0 && lost < 1.5 * width && lost > 0.9 * width,
            "{power}: {lost} {width}"
        );
    }
}

#[test]
fn the_bound_by_horizon_is_that_of_algorithm_1_written_out() {
    let (n, delta) = (256.0_f64, 0.1);
    for seed in 0..8 {
        let mdp = Garnet { states: 7, actions: 3, branching: 2, seed }.build().unwrap();
        let (states, actions) = (7.0, 3.0);
        // Half of delta is spent on this bound.
        let log = (24.0 * states * actions * n.powi(5) / (delta / 2.0)).ln();
        let alpha = 96.0 * log.sqrt() * (n + 4.0).log2().log2();
        let found = certify(&mdp, &Terms { delta, ..exact(n as u64) }).unwrap();
        assert_eq!(found.candidates.len(), 5, "16, 32, 64, 128, 256");
        for candidate in found.candidates {
            let gamma = 1.0 - 1.0 / candidate.horizon;
            let mut values = vec![0.0; 7];
            for _ in 0..20_000 {
                let worth = |pair| mdp.mean_reward(pair) + gamma * mdp.row(pair).dot(&values);
                let best = |state| mdp.pairs_of(state).map(worth).fold(0.0, f64::max);
                values = (0..7).map(best).collect();
            }
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            let span = values.iter().copied().fold(0.0, f64::max) - least;
            let width = alpha * ((span + 3.0 / n + 1.0) / n).sqrt();
            let bound = (1.0 - gamma) * least - 2.0 * (1.0 - gamma) / n - width;
            assert!((candidate.by_horizon - bound).abs() < 1e-9, "{bound} {candidate:?}");
        }
    }
}

#[test]
fn in_river_swim_the_theorem_says_something_beyond_a_billion_samples() {
    let mdp = RiverSwim::default().build().unwrap();
    let best = |samples| {
        let found = certify(&mdp, &exact(samples)).unwrap().candidates;
        found.iter().map(|one| one.by_horizon).fold(f64::NEG_INFINITY, f64::max)
    };
    assert!(best(900_000_000) < 0.0 && best(1_100_000_000) > 0.0);
}

#[test]
fn horizons_are_the_powers_of_two_from_the_root_of_the_samples_to_the_samples() {
    let mdp = ThreeState::default().build().unwrap();
    let horizons = |n| -> Vec<f64> {
        certify(&mdp, &exact(n)).unwrap().candidates.iter().map(|one| one.horizon).collect()
    };
    assert_eq!(horizons(1), [1.0]);
    assert_eq!(horizons(16), [4.0, 8.0, 16.0]);
    assert_eq!(horizons(100), [16.0, 32.0, 64.0]);
}

#[test]
fn with_few_samples_only_the_lowest_reward_is_certain() {
    let mdp = RiverSwim::default().build().unwrap();
    let drawn = sampled(&mdp, 20, Rewards::Deterministic, &mut RandomStream::new(1)).unwrap();
    let certificate = certify(&drawn.0, &drawn.1).unwrap();
    assert_eq!((certificate.gain, certificate.bound), (0.0, Bound::Trivial));
}

#[test]
fn rewards_are_estimated_apart_from_laws() {
    let mut tally = Tally::new([1, 1], 16, Rewards::Random);
    // Samples 0 and 8 give rewards, the other 14 next states.
    for sample in 0..20 {
        let is_reward = sample % 8 == 0 && sample < 16;
        tally.add(0, 0, if is_reward { 0.75 } else { 0.0 }, usize::from(!is_reward)).unwrap();
        tally
            .add(1, 0, if sample < 8 { 0.25 } else { 0.75 }, usize::from(sample % 2 == 1))
            .unwrap();
    }
    let (mdp, terms) = tally.empirical(crate::reward::RewardRange::default()).unwrap();
    assert_eq!((terms.samples, terms.reward_samples), (14, Some(2)));
    assert_eq!((mdp.mean_reward(0), mdp.mean_reward(1)), (0.75, 0.5));
    assert_eq!(mdp.row(0).iter().collect::<Vec<_>>(), [(1, 1.0)]);
    let row: Vec<_> = mdp.row(1).iter().collect();
    assert!((row[0].1 - 6.0 / 14.0).abs() < 1e-15 && row.len() == 2);
}

#[test]
fn what_cannot_be_certified_is_said() {
    let range = crate::reward::RewardRange::default();
    let mut tally = Tally::new([2], 1, Rewards::Deterministic);
    tally.add(0, 0, 1.0, 0).unwrap();
    let missing = CertifyError::Samples(SampleError::Missing { state: 0, action: 1 });
    assert_eq!(tally.empirical(range).unwrap_err(), missing);
    let outside = SampleError::Outside { state: 0, action: 2, next: 0 };
    assert_eq!(tally.add(0, 2, 0.0, 0), Err(outside));
    assert!(tally.add(0, 1, 0.0, 1).is_err() && tally.add(1, 0, 0.0, 0).is_err());
    let mut tally = Tally::new([1], 2, Rewards::Deterministic);
    tally.add(0, 0, 1.0, 0).unwrap();
    let changed = tally.add(0, 0, 0.5, 0).unwrap_err();
    assert!(matches!(changed, SampleError::NotDeterministic { first: 1.0, second: 0.5, .. }));
    let few = Tally::new([1], 7, Rewards::Random).empirical(range).unwrap_err();
    assert_eq!(few, CertifyError::Samples(SampleError::TooFew { samples: 7 }));
    let mdp = ThreeState::default().build().unwrap();
    for terms in [
        Terms { delta: 0.0, ..exact(5) },
        Terms { delta: 1.0, ..exact(5) },
        Terms { shrink: -1.0, ..exact(5) },
        Terms { shrink: f64::NAN, ..exact(5) },
        Terms { reward_samples: Some(0), ..exact(5) },
        exact(0),
    ] {
        assert!(matches!(certify(&mdp, &terms), Err(CertifyError::Option { .. })), "{terms:?}");
    }
}

//! The statements of docs/theory.md that a program can check: the bounds hold as often as they promise, at delta' large
//! enough to see them fail; lemmas B and C; the true MDP in the sets along runs.
#![allow(clippy::disallowed_methods, missing_docs, clippy::unwrap_used)]

use crate::runs;

use runs::*;
use tucrl::agents::{PlusSet, UnionKind};
use tucrl::bounds::{self, WorldNumbers};
use tucrl::confidence::{Confidence, Shrink};
use tucrl::counts::{Counts, Variance};
use tucrl::run::Case;
use tucrl::sets::mixture::{MISSING, interval, missing_mass};
use tucrl::sets::{Kept, SFree, Tight, Union};
use tucrl::worlds::{RiverSwim, TwoState};
use tucrl::{Mdp, RandomStream, Space, TucrlPlus};

/// delta' of the simulations.
const LEVEL: f64 = 0.1;
const TRIALS: u64 = 2000;

/// Laws on 0, 1, 2, …: uniform, geometric, Zipf, and two points of which one is rare.
fn laws() -> Vec<(&'static str, Vec<f64>)> {
    let normed = |weights: Vec<f64>| -> Vec<f64> {
        let total: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / total).collect()
    };
    vec![
        ("uniform", normed(vec![1.0; 60])),
        ("geometric", normed((0..40).map(|i| 0.6f64.powi(i)).collect())),
        ("zipf", normed((1..300).map(|i| f64::from(i).powf(-1.2)).collect())),
        ("two points", vec![0.99, 0.01]),
    ]
}

/// The share of trials in which `holds` fails after some draw.
fn miss_rate(law: &[f64], draws: u64, mut holds: impl FnMut(&[u64], u64, f64, f64) -> bool) -> f64 {
    let mut random = RandomStream::new(5);
    let mut missed = 0;
    for _ in 0..TRIALS {
        let mut counts = vec![0u64; law.len()];
        // M_n, and the sum of M_0 … M_{n-1}.
        let (mut missing, mut sum) = (1.0, 0.0);
        let holds_throughout = (1..=draws).all(|n| {
            let drawn = random.categorical(law);
            sum += missing;
            if counts[drawn] == 0 {
                missing -= law[drawn];
            }
            counts[drawn] += 1;
            holds(&counts, n, missing, sum)
        });
        missed += u64::from(!holds_throughout);
    }
    missed as f64 / TRIALS as f64
}

#[test]
fn the_missing_mass_exceeds_its_bounds_as_seldom_as_promised_and_not_never() {
    let log = (1.0 / LEVEL).ln();
    let distinct = |counts: &[u64]| counts.iter().filter(|&&count| count > 0).count() as u32;
    let mut sharpest = [0f64; 3];
    for (name, law) in laws() {
        let bounds: Vec<f64> =
            (0..=law.len() as u32).map(|distinct| missing_mass(distinct, log)).collect();
        let rates = [
            // The sum of M_{i-1} over i <= n, the form of the proof.
            miss_rate(&law, 800, |counts, _, _, sum| {
                sum <= MISSING * (f64::from(distinct(counts)) + log)
            }),
            // n M_n.
            miss_rate(&law, 800, |counts, n, missing, _| {
                n as f64 * missing <= MISSING * (f64::from(distinct(counts)) + log)
            }),
            // (n - 1) M_n <= V, as the sets have it.
            miss_rate(&law, 800, |counts, n, missing, _| {
                (n as f64 - 1.0) * missing <= bounds[distinct(counts) as usize]
            }),
        ];
        for (rate, sharpest) in rates.iter().zip(&mut sharpest) {
            assert!(*rate <= LEVEL, "{name}: {rates:?}");
            *sharpest = sharpest.max(*rate);
        }
    }
    // A bound that never fails is a bug, too. The first two are weaker by 1/(1 - 1/e).
    assert!(sharpest[0] >= 0.002 && sharpest[1] >= 0.002 && sharpest[2] >= 0.01, "{sharpest:?}");
}

#[test]
fn mixture_intervals_miss_as_seldom_as_promised_and_not_never() {
    let log = (1.0 / LEVEL).ln();
    let mut sharpest = 0f64;
    for p in [0.5, 0.1, 0.01] {
        let rate = miss_rate(&[1.0 - p, p], 1000, |counts, n, _, _| {
            let (low, high) = interval(counts[1] as f64, n as f64, log);
            low <= p && p <= high
        });
        assert!(rate <= LEVEL, "p = {p}: {rate}");
        sharpest = sharpest.max(rate);
    }
    assert!(sharpest >= 0.02, "{sharpest}");
    // Sums of numbers in [0, 1], with a mean of 0.3: 0.6 times a uniform one.
    let mut random = RandomStream::new(6);
    let mut missed = 0;
    for _ in 0..TRIALS {
        let mut sum = 0.0;
        let holds = (1..=500u32).all(|n| {
            sum += 0.6 * random.unit();
            let (low, high) = interval(sum, f64::from(n), log);
            low <= 0.3 && 0.3 <= high
        });
        missed += u64::from(!holds);
    }
    assert!(missed as f64 <= LEVEL * TRIALS as f64, "{missed}");
}

fn confidence(delta: f64) -> Confidence {
    Confidence {
        delta: delta.into(),
        alpha_r: 1.0,
        alpha_p: 1.0,
        shrink: Shrink::Linear,
        r_max: 1.0,
        nominal_pairs: None,
    }
}

/// One pair whose draws are given, among `states` states.
fn one_pair(draws: impl IntoIterator<Item = u64>, states: u64) -> Counts {
    let mut counts =
        Counts::new(Space::uniform(states, 1), Variance::Published).keeping_first_visits();
    counts.see(0);
    for next in draws {
        let next = counts.see(next);
        counts.record(0, 0.0, next);
    }
    counts.freeze();
    counts
}

/// R' at a fixed n: with delta = 16 A j (j + 1) n (n + 1) 0.1 for j = 1, ln(n (n + 1) / delta') is ln(1 / 0.1).
#[test]
fn the_s_free_radius_is_exceeded_as_seldom_as_promised_and_is_no_wild_guess() {
    let n = 300u64;
    let delta = 16.0 * 2.0 * (n * (n + 1)) as f64 * LEVEL;
    let confidence = confidence(delta);
    let mut random = RandomStream::new(7);
    for (name, law) in laws() {
        let (mut missed, mut nearest) = (0, 0f64);
        for _ in 0..300 {
            let drawn: Vec<u64> = (0..n).map(|_| random.categorical(&law) as u64).collect();
            let counts = one_pair(drawn, law.len() as u64);
            let radius =
                SFree::new(&confidence, counts.space(), 1, Union::Discovery).radius(&counts, 0);
            let row = counts.row(0);
            let mut distance = 1.0;
            for (&next, &p_hat) in row.next.iter().zip(row.p_hat) {
                let p = law[counts.state(next) as usize];
                distance += (p_hat - p).abs() - p;
            }
            missed += u32::from(distance > radius);
            nearest = nearest.max(distance / radius);
        }
        assert!(f64::from(missed) <= LEVEL * 300.0, "{name}: {missed}");
        // It is weak where rows are nearly deterministic.
        assert!(nearest > 0.05, "{name}: {nearest}");
    }
}

/// Whether all intervals of the only pair contain the truth, and what is left the rest.
fn covers(counts: &Counts, union: Union, delta: f64, law: &[f64]) -> bool {
    let mut kept = Kept::default();
    kept.refresh(&Tight::new(&confidence(delta), counts.space(), 1, union), counts);
    let (next, ends) = kept.intervals(0);
    let p = |number: u32| law[counts.state(number) as usize];
    let rest = 1.0 - next.iter().map(|&number| p(number)).sum::<f64>();
    let is_inside = |(&number, end): (&u32, &(f64, f64))| end.0 <= p(number) && p(number) <= end.1;
    next.iter().zip(ends).all(is_inside) && rest <= kept.budget(0) + 1e-12
}

/// Long rows look up intervals by count: each is that of its own count all the same.
#[test]
fn every_interval_of_a_long_row_is_that_of_its_count() {
    // State i is drawn i/3 + 1 times, so that counts repeat and neighbours differ.
    let counts = one_pair((0..60u64).flat_map(|i| vec![i; i as usize / 3 + 1]), 400);
    let mut kept = Kept::default();
    kept.refresh(&Tight::new(&confidence(0.05), counts.space(), 1, Union::Nominal), &counts);
    let visits = counts.pairs()[0].visits_before() as f64;
    let log = (16.0f64 * 400.0 * 400.0 / 0.05).ln();
    let (next, ends) = kept.intervals(0);
    assert_eq!(next.len(), 60);
    for ((&number, end), (_, count)) in next.iter().zip(ends).zip(counts.transitions(0)) {
        assert_eq!(count, counts.state(number) / 3 + 1);
        let expected = interval(count as f64, visits, log);
        assert!((end.0 - expected.0).abs() < 1e-12 && (end.1 - expected.1).abs() < 1e-12);
    }
}

/// In order of discovery: 500 next states of probability 1/500. Intervals from all draws, first observation included,
/// would be wrong from the first draw on: 1 of 1.
#[test]
fn intervals_in_order_of_discovery_hold_although_a_state_is_named_when_it_is_observed() {
    let law = vec![1.0 / 500.0; 500];
    // 0.1 for the next states of the pair, and for its missing mass: delta / (16 · 2).
    let delta = 16.0 * 2.0 * LEVEL;
    let mut random = RandomStream::new(8);
    let trials = 400;
    let mut missed = 0;
    for _ in 0..trials {
        let drawn: Vec<u64> = (0..200).map(|_| random.categorical(&law) as u64).collect();
        let holds = [1, 2, 3, 5, 10, 20, 50, 100, 200].into_iter().all(|n: usize| {
            let counts = one_pair(drawn[..n].iter().copied(), 500);
            covers(&counts, Union::Discovery, delta, &law)
        });
        missed += u32::from(!holds);
    }
    assert!(f64::from(missed) <= 2.0 * LEVEL * f64::from(trials), "{missed} of {trials}");
    // With all draws and the level of the first next state, 1 of 1 excludes 1/500.
    let first = interval(1.0, 1.0, (2.0 / LEVEL).ln());
    assert!(first.0 > law[0], "{first:?}");
}

/// The literal construction: order, draws after the first observation, the second half as unobserved.
#[test]
fn the_intervals_in_order_of_discovery_are_those_of_the_definition() {
    let mut random = RandomStream::new(9);
    for (name, law) in laws() {
        let drawn: Vec<u64> = (0..150).map(|_| random.categorical(&law) as u64).collect();
        for n in [1usize, 2, 3, 4, 7, 20, 61, 150] {
            let counts = one_pair(drawn[..n].iter().copied(), 400);
            let set = Tight::new(&confidence(0.05), counts.space(), 1, Union::Discovery);
            let mut kept = Kept::default();
            kept.refresh(&set, &counts);
            let log = (16.0f64 * 2.0 / 0.05).ln();
            let half = n / 2;
            let mut order: Vec<u64> = Vec::new();
            let mut late = false;
            for (visit, &state) in drawn[..n].iter().enumerate() {
                if !order.contains(&state) {
                    late |= visit + 1 > half;
                    order.push(state);
                }
            }
            let mut expected = Vec::new();
            for (earlier, &state) in order.iter().enumerate() {
                let first = drawn.iter().position(|&drawn| drawn == state).unwrap() + 1;
                if first <= half {
                    let after = &drawn[first..n];
                    let hits = after.iter().filter(|&&drawn| drawn == state).count();
                    let j = (earlier + 1) as f64;
                    let ends =
                        interval(hits as f64, after.len() as f64, log + (j * (j + 1.0)).ln());
                    expected.push((counts.number(state).unwrap(), ends));
                }
            }
            expected.sort_by_key(|entry| entry.0);
            let (next, ends) = kept.intervals(0);
            let found: Vec<(u32, (f64, f64))> =
                next.iter().copied().zip(ends.iter().copied()).collect();
            assert_eq!(found.len(), expected.len(), "{name} {n}");
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!(found.0, expected.0);
                assert!((found.1.0 - expected.1.0).abs() < 1e-9, "{found:?} {expected:?}");
                assert!((found.1.1 - expected.1.1).abs() < 1e-9, "{found:?} {expected:?}");
            }
            let (draws, distinct) = match late {
                true => (half, expected.len().max(1)),
                false => (n, order.len()),
            };
            let budget = missing_mass(distinct as u32, log) / (draws as f64 - 1.0).max(0.0);
            assert!((kept.budget(0) - budget.min(1.0)).abs() < 1e-9, "{name} {n}");
        }
    }
}

// ---- along runs ----

/// The agent with its default options: plans start from the values of the last one.
fn plus(set: PlusSet, union: UnionKind) -> TucrlPlus {
    TucrlPlus { set, union, ..TucrlPlus::default() }
}

/// A small random world in which all states communicate.
fn random_world(random: &mut RandomStream) -> Mdp {
    let states = 2 + random.below(3) as usize;
    let mut builder = Mdp::builder();
    for state in 0..states {
        builder.state();
        for action in 0..2 {
            let ring = (state + 1 + action) % states;
            let (rare, other) =
                ([0.02, 0.2, 0.5][random.below(3) as usize], random.below(states as u64));
            let mut law = vec![0.0; states];
            law[ring] += 1.0 - rare;
            law[other as usize] += rare;
            let law: Vec<(usize, f64)> =
                law.into_iter().enumerate().filter(|entry| entry.1 > 0.0).collect();
            builder.action(random.unit(), law);
        }
    }
    builder.start_at(0);
    builder.build().unwrap()
}

/// Whether the true MDP lies in the sets of the learner's counts, before truncation.
fn mdp_is_inside(mdp: &Mdp, counts: &Counts, t_k: u64, set: PlusSet, union: Union) -> bool {
    let confidence = confidence(0.05);
    let tight = Tight::new(&confidence, counts.space(), t_k, union);
    let mut kept = Kept::default();
    kept.refresh(&tight, counts);
    let balls = SFree::new(&confidence, counts.space(), t_k, union);
    (0..counts.pairs().len()).filter(|&pair| counts.pairs()[pair].visits_before() > 0).all(|pair| {
        let (state, action) = counts.owner(pair);
        let true_pair = mdp.pair(state as usize, action as usize);
        let mut law = vec![0.0; mdp.states()];
        mdp.row(true_pair).iter().for_each(|(next, p)| law[next] += p);
        let (mean, estimate) = (mdp.mean_reward(true_pair), counts.pairs()[pair].reward_mean());
        let (next, ends) = kept.intervals(pair);
        match set {
            PlusSet::Tight => {
                let p = |number: u32| law[counts.state(number) as usize];
                let rest = 1.0 - next.iter().map(|&number| p(number)).sum::<f64>();
                next.iter().zip(ends).all(|(&n, end)| end.0 <= p(n) && p(n) <= end.1)
                    && rest <= kept.budget(pair) + 1e-12
                    && mean <= estimate + kept.reward_width(pair) + 1e-12
            }
            PlusSet::Bernstein => {
                let row = counts.row(pair);
                let mut distance: f64 = law.iter().sum();
                for (&next, &p_hat) in row.next.iter().zip(row.p_hat) {
                    let p = law[counts.state(next) as usize];
                    distance += (p_hat - p).abs() - p;
                }
                distance <= balls.radius(counts, pair) + 1e-12
                    && mean <= estimate + balls.reward_width(counts, pair) + 1e-12
            }
        }
    })
}

/// In all episodes of at least 1 - delta of 1000 runs.
#[test]
fn the_true_mdp_lies_in_the_sets_of_all_episodes() {
    use PlusSet::{Bernstein, Tight};
    let runs = 1000;
    for (set, union) in [
        (Tight, UnionKind::Nominal),
        (Tight, UnionKind::Discovery),
        (Bernstein, UnionKind::Nominal),
        (Bernstein, UnionKind::Discovery),
    ] {
        let mut random = RandomStream::new(11);
        let mut failed = 0;
        for run in 0..runs {
            let mdp = random_world(&mut random);
            let plain = if union == UnionKind::Nominal { Union::Nominal } else { Union::Discovery };
            let mut holds = true;
            follow(&mdp, &plus(set, union), 400, run, |counts, t_k| {
                holds &= mdp_is_inside(&mdp, counts, t_k, set, plain);
            });
            failed += u64::from(!holds);
        }
        assert!(failed as f64 <= 0.05 * runs as f64, "{set:?} {union:?}: {failed} of {runs}");
    }
}

/// Plays an agent and hands over its counts at the start of every episode.
fn follow(
    mdp: &Mdp,
    agent: &TucrlPlus,
    steps: u64,
    run: u64,
    mut at_start: impl FnMut(&Counts, u64),
) {
    use tucrl::env::{Environment, Walk};
    use tucrl::{EpisodicAlgorithm, Learner};
    let space = Space::uniform(mdp.states() as u64, 2);
    let setting = bare(space, steps);
    let mut walk = Walk::new(std::sync::Arc::new(mdp.clone()), RandomStream::new(2 * run));
    let random = RandomStream::new(2 * run + 1);
    let start = tucrl::Start { setting: &setting, state: walk.state(), random };
    let mut learner = agent.learner(start).unwrap();
    for time in 1..=steps {
        let action = learner.act().unwrap();
        // The episode has begun, and has no step yet.
        if !learner.diary().is_under_way {
            at_start(learner.counts(), time);
        }
        let step = walk.step(action);
        learner.observe(step.reward, step.next);
    }
}

// ---- lemmas B and C ----

/// Z of a sequence of pairs, by the rules of episodes and the threshold of the seen states; and by pair.
fn poor_steps(pairs: &[usize], actions: usize) -> Vec<u64> {
    let most = pairs.iter().copied().max().unwrap_or(0) + 1;
    let (mut before, mut within, mut counted) =
        (vec![0u64; most], vec![0u64; most], vec![0u64; most]);
    let (mut seen, mut seen_at_start) = (Vec::new(), 0u64);
    for (index, &pair) in pairs.iter().enumerate() {
        let (t, state) = (index as u64 + 1, pair / actions);
        if !seen.contains(&state) {
            seen.push(state);
        }
        let is_new = (0..actions).all(|a| before.get(state * actions + a).is_none_or(|&n| n == 0));
        if index == 0 || is_new || within[pair] >= before[pair].max(1) {
            for (before, within) in before.iter_mut().zip(&mut within) {
                *before += std::mem::take(within);
            }
            seen_at_start = seen.len() as u64;
        }
        let less_one = before[pair].saturating_sub(1).max(1);
        counted[pair] += u64::from(less_one * less_one * seen_at_start * actions as u64 <= t);
        within[pair] += 1;
    }
    counted
}

#[test]
fn lemma_b_holds_on_every_short_sequence() {
    for (states, actions, steps) in
        [(1usize, 1usize, 60u32), (1, 2, 16), (2, 1, 16), (3, 1, 11), (2, 2, 8), (3, 2, 7)]
    {
        let pairs = states * actions;
        let mut most = 0;
        for code in 0..(pairs as u64).pow(if pairs == 1 { 0 } else { steps }) {
            let mut code = code;
            let sequence: Vec<usize> = (0..steps)
                .map(|_| {
                    let pair = (code % pairs as u64) as usize;
                    code /= pairs as u64;
                    pair
                })
                .collect();
            let counted = poor_steps(&sequence, actions);
            // By pair: 2 (sqrt(T / (j A)) + 1) for the state seen as the j-th.
            let mut ranks: Vec<usize> = Vec::new();
            for pair in &sequence {
                if !ranks.contains(&(pair / actions)) {
                    ranks.push(pair / actions);
                }
            }
            for (pair, &count) in counted.iter().enumerate().filter(|entry| *entry.1 > 0) {
                let j = ranks.iter().position(|&state| state == pair / actions).unwrap() + 1;
                let bound = 2.0 * ((f64::from(steps) / (j * actions) as f64).sqrt() + 1.0);
                assert!(count as f64 <= bound, "{sequence:?}: {count} > {bound}");
            }
            let total: u64 = counted.iter().sum();
            most = most.max(total);
            let bound =
                bounds::plus_poor_steps_among((ranks.len() * actions) as f64, f64::from(steps));
            assert!(total as f64 <= bound, "{sequence:?}: {total} > {bound}");
        }
        assert!(most > 0);
    }
}

/// The adversary of lemma B: time passes in one pair, and then, near T, the states are met one after the other, every pair
/// being visited as long as it counts before the next state is met.
#[test]
fn the_constant_of_lemma_b_is_nearly_attained_and_that_of_the_paper_exceeded() {
    let (states, actions, time) = (500u64, 2u64, 1e14f64);
    let mut total = 0.0;
    for j in 1..=states {
        let threshold = (0.99 * time / (j * actions) as f64).sqrt().floor();
        // N - 1 <= threshold at the start of the last episode, and as many again within it.
        total += actions as f64 * 2.0 * (threshold + 1.0);
    }
    let pairs = (states * actions) as f64;
    assert!(total < 0.01 * time, "the time near T suffices");
    let bound = bounds::plus_poor_steps_among(pairs, time);
    assert!(total <= bound && total >= 0.95 * bound, "{total} of {bound}");
    assert!(total > 1.5 * bounds::poor_steps_among(pairs, time));
}

/// An episode in which a reachable state is unseen and nothing leads there starts before C.
#[test]
fn lemma_c_bounds_when_a_reachable_state_can_be_given_up() {
    let worlds = [
        (World::new(TwoState { epsilon: 0.05, ..Default::default() }.build().unwrap()), 2, 20.0),
        (World::new(RiverSwim::default().build().unwrap()), 3, 14.8),
    ];
    let mut missed = 0;
    for (world, support, diameter) in worlds {
        let states = world.mdp.states() as u64;
        let numbers = WorldNumbers {
            states,
            actions: 2,
            reachable: states,
            max_support: support,
            max_support_reachable: support,
            diameter,
            diameter_reachable: diameter,
            r_max: 1.0,
            gap: None,
        };
        let limit = bounds::plus_exploratory_phase(&numbers, Union::Nominal, 0.05);
        for run in 0..6 {
            let agent = Named::new("tucrl-plus", plus(PlusSet::Tight, UnionKind::Auto));
            let record = world.record(&agent, 20_000, run);
            for (episode, case) in &record.episodes {
                if *case == Case::Missed {
                    missed += 1;
                    assert!(episode.start as f64 <= limit, "{} > {limit}", episode.start);
                }
            }
            assert!(
                record.z as f64 <= bounds::plus_poor_steps_among(2.0 * states as f64, 20_000.0)
            );
        }
    }
    assert!(missed > 0, "no episode put the lemma to the test");
}

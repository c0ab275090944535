//! Is IMED-RL's index the exact divergence, and is its regret of the order of the lower bound? Does differential Q-learning
//! learn what its definition says? Do both ignore states that do not exist?
#![allow(missing_docs, clippy::unwrap_used, clippy::disallowed_methods)]

use crate::runs;

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use runs::*;
use serde_json::Value;
use tucrl::agents::{Atoms, DiffQ, ImedRl, k_inf};
use tucrl::generator::{Generator, Tabled};
use tucrl::hardness::Hardness;
use tucrl::learner::LoggedStep;
use tucrl::worlds::{AccessControl, Junk, JunkKind, RiverSwim, TwoState};
use tucrl::{Model, RandomStream, Run, Start, Truth};

fn imed() -> Named {
    Named::new("imed-rl", ImedRl { r_max: 1.0.into(), ..ImedRl::default() })
}

/// max E ln(1 - l (X - mu)) by ever finer grids of l; a lower bound that is exact to the last grid.
fn by_grids(law: &[(f64, f64)], top: f64, target: f64) -> f64 {
    let total: f64 = law.iter().map(|atom| atom.1).sum();
    let value = |l: f64| {
        let log = |&(x, w): &(f64, f64)| w / total * (1.0 - l * (x - target)).ln();
        law.iter().map(log).sum::<f64>()
    };
    let (mut low, mut high) = (0.0, 1.0 / (top - target));
    for _ in 0..60 {
        let best = (0..=20).map(|i| low + (high - low) * f64::from(i) / 20.0);
        let value = |l: f64| if value(l).is_nan() { f64::NEG_INFINITY } else { value(l) };
        let best = best.max_by(|a, b| value(*a).total_cmp(&value(*b))).unwrap();
        let width = (high - low) / 20.0;
        (low, high) = ((best - width).max(low), (best + width).min(high));
    }
    value(low + (high - low) / 2.0).max(value(low))
}

/// The nearest law with the mean `target`, and its divergence: the mass of an atom divided by 1 - l (x - target), what is
/// missing to 1 at the top. l is found by bisection on that mean. It is feasible, so that its divergence is at least K.
fn nearest(law: &[(f64, f64)], top: f64, target: f64) -> f64 {
    let total: f64 = law.iter().map(|atom| atom.1).sum();
    let tilted = |l: f64| -> (f64, f64, f64) {
        let (mut mass, mut mean, mut divergence) = (0.0, 0.0, 0.0);
        for &(x, w) in law {
            let (p, ratio) = (w / total, 1.0 - l * (x - target));
            mass += p / ratio;
            mean += x * p / ratio;
            divergence += p * ratio.ln();
        }
        (mass, mean + (1.0 - mass) * top, divergence)
    };
    // With l at its end mass is missing; in the interior it is not, and the mean is the target.
    let end = 1.0 / (top - target) * (1.0 - 1e-13);
    if tilted(end).0 <= 1.0 {
        return tilted(end).2;
    }
    let (mut low, mut high) = (0.0, end);
    for _ in 0..200 {
        let middle = low + (high - low) / 2.0;
        // E (x - target) / (1 - l (x - target)) < 0 while the mass is below 1.
        if tilted(middle).0 < 1.0 { low = middle } else { high = middle }
    }
    let (mass, mean, divergence) = tilted(low);
    assert!((mass - 1.0).abs() < 1e-6 && (mean - target).abs() < 1e-6, "{mass} {mean} {target}");
    divergence
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn k_inf_is_the_dual_on_a_grid_and_the_divergence_of_a_feasible_law(
        atoms in prop::collection::vec((0.0f64..1.0, 0.01f64..5.0), 1..8),
        spare in 0.0f64..0.5,
        lift in 0.01f64..0.95,
        has_mass_at_top in any::<bool>(),
    ) {
        let mut law = atoms;
        let largest = law.iter().map(|atom| atom.0).fold(0.0, f64::max);
        let top = largest + spare;
        if has_mass_at_top {
            law.push((top, 0.3));
        }
        let total: f64 = law.iter().map(|atom| atom.1).sum();
        let mean = law.iter().map(|(x, w)| x * w).sum::<f64>() / total;
        prop_assume!(top - mean > 1e-3);
        let target = mean + lift * (top - mean);
        let found = k_inf(&law, top, target);
        let (grid, primal) = (by_grids(&law, top, target), nearest(&law, top, target));
        prop_assert!((found - grid).abs() <= 1e-9 * (1.0 + grid), "{found} {grid}");
        prop_assert!((found - primal).abs() <= 1e-7 * (1.0 + primal), "{found} {primal}");
    }

    /// For a law on {0, 1} K is the binary divergence.
    #[test]
    fn k_inf_of_a_coin_is_the_binary_divergence(p in 0.01f64..0.98, lift in 0.01f64..0.99) {
        let target = p + lift * (1.0 - p);
        let expected = p * (p / target).ln() + (1.0 - p) * ((1.0 - p) / (1.0 - target)).ln();
        let found = k_inf(&[(0.0, 1.0 - p), (1.0, p)], 1.0, target);
        prop_assert!((found - expected).abs() < 1e-10, "{found} {expected}");
        // A constant x: ln((top - x)/(top - target)).
        let found = k_inf(&[(p, 7.0)], 1.0, target);
        prop_assert!((found - ((1.0 - p) / (1.0 - target)).ln()).abs() < 1e-10);
        prop_assert_eq!(k_inf(&[(p, 7.0)], 1.0, p), 0.0);
        prop_assert_eq!(k_inf(&[(p, 7.0)], 1.0, 1.0), f64::INFINITY);
    }

    /// With too many values their mean stays, and K does not grow.
    #[test]
    fn many_rewards_keep_their_mean_and_never_make_the_index_larger(
        rewards in prop::collection::vec(0.0f64..2.0, 1..300),
        lift in 0.1f64..0.9,
    ) {
        let mut atoms = Atoms::default();
        rewards.iter().for_each(|reward| atoms.add(*reward, 2.0));
        prop_assert!(atoms.list().len() <= 32);
        prop_assert!(atoms.list().windows(2).all(|pair| pair[0].0 < pair[1].0));
        let weight: f64 = atoms.list().iter().map(|atom| atom.1).sum();
        let sum: f64 = atoms.list().iter().map(|(x, w)| x * w).sum();
        prop_assert!((weight - rewards.len() as f64).abs() < 1e-9);
        prop_assert!((sum - rewards.iter().sum::<f64>()).abs() < 1e-9);
        let law: Vec<(f64, f64)> = rewards.iter().map(|reward| (*reward, 1.0)).collect();
        let mean = sum / weight;
        let target = mean + lift * (2.0 - mean);
        prop_assert!(k_inf(atoms.list(), 2.0, target) <= k_inf(&law, 2.0, target) + 1e-9);
    }
}

/// Regret after 10^7 steps over ln 10^7, against the constant of the lower bound. docs/hardness.md has the command and more runs.
#[test]
fn regret_over_the_logarithm_is_within_twice_the_constant_of_the_lower_bound() {
    let world = World::new(RiverSwim { ergodic: true, ..RiverSwim::default() }.build().unwrap());
    let hardness = Hardness::of(&world.truth, &()).unwrap().unwrap();
    let constant = hardness.lower_bound.constant.unwrap();
    let steps = 10_000_000;
    let regret = world.record(&imed(), steps, 0).gap_regret.unwrap().last().unwrap().1;
    let ratio = regret / (steps as f64).ln() / constant;
    assert!((0.5..2.0).contains(&ratio), "{regret} is {ratio} times {constant} ln T");
}

/// No agent has logarithmic regret where a state is out of reach and sublinear regret where it is rare. IMED-RL has the first.
#[test]
fn where_a_state_may_be_out_of_reach_a_logarithm_is_paid_for() {
    let regrets = |epsilon: f64, steps: [u64; 2]| {
        let world = World::new(TwoState { epsilon, ..TwoState::default() }.build().unwrap());
        steps.map(|steps| world.record(&imed(), steps, 0).gap_regret.unwrap().last().unwrap().1)
    };
    let [short, long] = regrets(0.0, [10_000, 100_000]);
    assert!((2.0..=short + 5.0).contains(&long), "{short} {long}");
    let [short, long] = regrets(0.005, [10_000, 100_000]);
    assert!(long > 9.0 * short && short > 4_000.0, "{short} {long}");
}

/// The update of the paper, with values in a map, on a log of random play.
#[test]
fn differential_q_learning_learns_from_a_log_what_its_definition_says() {
    let world = World::new(RiverSwim::default().build().unwrap());
    let setting = world.setting(3000);
    let mut random = RandomStream::new(5);
    let (mut log, mut state) = (Vec::new(), 0);
    for _ in 0..3000 {
        let action = random.below(2) as u32;
        let row: Vec<(usize, f64)> =
            world.mdp.row(world.mdp.pair(state, action as usize)).iter().collect();
        let law: Vec<f64> = row.iter().map(|entry| entry.1).collect();
        let next = row[random.categorical(&law)].0;
        let reward = if random.chance(0.3) { 0.7 } else { 0.1 };
        log.push(LoggedStep { state: state as u64, action, reward, next: next as u64 });
        state = next;
    }
    let options = DiffQ { step: 0.2, eta: 0.3, epsilon: 0.1 };
    let (mut values, mut gain) = (BTreeMap::new(), 0.0);
    for step in &log {
        let value = |state: u64, action: u32, values: &BTreeMap<(u64, u32), f64>| {
            values.get(&(state, action)).copied().unwrap_or(0.0)
        };
        let best = value(step.next, 0, &values).max(value(step.next, 1, &values));
        let old = value(step.state, step.action, &values);
        let error = step.reward - gain + best - old;
        values.insert((step.state, step.action), old + 0.2 * error);
        gain += 0.3 * 0.2 * error;
    }
    let named = Named::new("diff-q", options);
    let start = Start { setting: &setting, state: 0, random: RandomStream::new(1) };
    let mut learner = named.algorithm.start(start).unwrap();
    assert!(learner.absorb(&log));
    let saved: Value = learner.save().unwrap().read().unwrap();
    assert!((saved["gain"].as_f64().unwrap() - gain).abs() < 1e-12);
    let counts = learner.diary().counts.unwrap();
    for ((state, action), value) in values {
        let pair = counts.pair(counts.number(state).unwrap(), action);
        let found = saved["values"][pair].as_f64().unwrap();
        assert!((found - value).abs() < 1e-12, "{state} {action}: {found} {value}");
    }
}

/// Where random actions show all there is to see it learns; on river-swim it does not.
#[test]
fn differential_q_learning_learns_access_control() {
    let world = World::new(AccessControl::default().build().unwrap());
    let last = |algorithm: &Named, run| {
        world.record(algorithm, 100_000, run).gap_regret.unwrap().last().unwrap().1
    };
    let q = Named::new("diff-q", DiffQ { step: 0.025, eta: 0.5, epsilon: 0.1 });
    for run in 0..3 {
        let (learned, lost) = (last(&q, run), last(&random(), run));
        assert!(learned < 0.5 * lost, "{learned} of {lost}");
    }
}

/// Neither looks at the number of states: 10^9 states per reachable one change nothing, to the last bit.
#[test]
fn states_that_do_not_exist_change_nothing() {
    let mdp = Arc::new(RiverSwim { ergodic: true, ..RiverSwim::default() }.build().unwrap());
    let junk = Junk::new(Arc::new(Tabled::new(Arc::clone(&mdp))), 1_000_000_000, JunkKind::Chain);
    let worlds = [Model::from(&mdp), Model::from(Arc::new(junk.unwrap()) as Arc<dyn Generator>)];
    for algorithm in [imed(), Named::new("diff-q", DiffQ::default())] {
        let [alone, among] = worlds.each_ref().map(|model| {
            let truth = Arc::new(Truth::of(model).unwrap());
            let algorithm = Arc::clone(&algorithm.algorithm);
            let mut run = Run::new(spec(20_000, 1), algorithm, model, truth).unwrap();
            run.advance(20_000).unwrap();
            run.record()
        });
        assert_eq!(alone.visits, among.visits, "{}", algorithm.name);
        assert_eq!(alone.gap_regret, among.gap_regret, "{}", algorithm.name);
        assert!(alone.gap_regret.unwrap().last().unwrap().1 > 10.0);
    }
}

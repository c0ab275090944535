//! Are Bellman gaps what their definition says, and does their sum telescope to regret?
#![allow(clippy::unwrap_used)]

use crate::support;

use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use support::small_world;
use tucrl::agents::Oracle;
use tucrl::exploration;
use tucrl::gaps::Gaps;
use tucrl::generator::Tabled;
use tucrl::solve::{self, Solution};
use tucrl::structure;
use tucrl::worlds::{self, Junk, JunkKind, RiverSwim, Taxi, ThreeState};
use tucrl::{
    ActionId, AgentError, Algorithm, Checkpoints, Generator, Learner, Mdp, Model, Optimism,
    PlanError, RandomStream, Run, RunRecord, RunSpec, Start, StateId, Truth, Ucrl,
};

type Path = Arc<Mutex<Vec<(StateId, ActionId)>>>;

/// Plays at random half of the time and an optimal policy otherwise, and writes down what happened.
#[derive(Debug, Default)]
struct Recorder(Path);

struct Recording {
    path: Path,
    truth: tucrl::Knowledge,
    space: tucrl::Space,
    random: RandomStream,
    state: StateId,
}

impl Algorithm for Recorder {
    fn options(&self) -> serde_json::Value {
        serde_json::Value::Null
    }

    fn start(&self, start: Start<'_>) -> Result<Box<dyn Learner>, AgentError> {
        Ok(Box::new(Recording {
            path: Arc::clone(&self.0),
            truth: start.setting.knowledge.clone(),
            space: start.setting.space.clone(),
            random: start.random,
            state: start.state,
        }))
    }
}

impl Learner for Recording {
    fn act(&mut self) -> Result<ActionId, PlanError> {
        let any = self.random.below(u64::from(self.space.actions(self.state))) as ActionId;
        let best = self.truth.optimal_policy.as_ref().unwrap().action(self.state as usize);
        let action = if self.random.chance(0.5) { any } else { best.unwrap() as ActionId };
        self.path.lock().unwrap().push((self.state, action));
        Ok(action)
    }

    fn observe(&mut self, _: f64, next: StateId) {
        self.state = next;
    }
}

fn played(model: &Model, algorithm: Arc<dyn Algorithm>, steps: u64) -> (RunRecord, Arc<Truth>) {
    let truth = Arc::new(Truth::of(model).unwrap());
    let checkpoints = Checkpoints::PerDecade(2);
    let spec = RunSpec { steps, checkpoints, master_seed: 5, run: 0 };
    let mut run = Run::new(spec, algorithm, model, Arc::clone(&truth)).unwrap();
    run.advance(steps).unwrap();
    (run.record(), truth)
}

fn expected(mdp: &Mdp, pair: usize, value: &[f64]) -> f64 {
    mdp.row(pair).iter().map(|(next, p)| p * value[next]).sum()
}

/// With h' = h + M g, the gaps Δ of h' and the gain losses λ:
/// Σ (g(s_1) - r_t) = Σ Δ + Σ (T-t) λ + Σ (p h' - h'(s_{t+1})) + h'(s_{T+1}) - h'(s_1) - Σ (T-t) (g(s_{t+1}) - p g).
/// With a constant gain the terms in λ and g vanish. Returned are the two sides and what rounding may make of them: T times 1e-9,
/// and T² times 1e-9 where gains differ, because a gain is then multiplied by T - t in each step.
fn telescopes(mdp: Mdp, steps: u64) -> (f64, f64, f64) {
    let mdp = Arc::new(mdp);
    let recorder = Recorder::default();
    let path = Arc::clone(&recorder.0);
    let (record, truth) = played(&Model::from(&mdp), Arc::new(recorder), steps);
    let Solution { gain, bias, .. } = &truth.solved().unwrap().solution;
    let weight = truth.gaps().unwrap().weight();
    let bias: Vec<f64> = bias.iter().zip(gain).map(|(h, g)| h + weight * g).collect();
    let path = path.lock().unwrap();
    let mut noise = 0.0;
    for (index, &(state, action)) in path.iter().enumerate() {
        // Where the last step led is not on the path: its terms cancel, but for rounding.
        let Some(&(next, _)) = path.get(index + 1) else { break };
        let pair = mdp.pair(state as usize, action as usize);
        let left = (steps - 1 - index as u64) as f64;
        noise += expected(&mdp, pair, &bias) - bias[next as usize];
        noise -= left * (gain[next as usize] - expected(&mdp, pair, gain));
    }
    let (first, last) = (path[0], path[path.len() - 1]);
    let last_pair = mdp.pair(last.0 as usize, last.1 as usize);
    let ends = expected(&mdp, last_pair, &bias) - bias[first.0 as usize];
    let gap = record.gap_regret.unwrap().last().unwrap().1;
    let lost = record.gain_lost.map_or(0.0, |lost| lost.last().unwrap().1);
    let pseudo = record.pseudo_regret.last().unwrap().1;
    // Pseudo-regret is measured against the gain from the start.
    let start = (gain[first.0 as usize] - truth.solved().unwrap().solution.gain_from_start(&mdp).0)
        * steps as f64;
    let reachable = structure::reachable(&mdp);
    let met = || gain.iter().zip(&reachable).filter(|entry| *entry.1).map(|entry| *entry.0);
    let is_constant = met().fold(f64::MIN, f64::max) - met().fold(f64::MAX, f64::min) <= 1e-12;
    let weight = if is_constant { 1.0 } else { steps as f64 };
    (pseudo + start, gap + lost + noise + ends, 1e-9 * steps as f64 * weight)
}

#[test]
fn the_sum_telescopes_in_known_worlds() {
    for mdp in [
        RiverSwim::default().build().unwrap(),
        ThreeState::default().build().unwrap(),
        ThreeState { delta: 0.0, ..ThreeState::default() }.build().unwrap(),
        Taxi::default().build().unwrap(),
    ] {
        let steps = 20_000;
        let (left, right, rounding) = telescopes(mdp, steps);
        assert_eq!(rounding, 1e-9 * steps as f64, "the gain is constant");
        assert!((left - right).abs() <= rounding, "{left} {right}");
        assert!(left > 100.0);
    }
}

/// A coin that decides for good, a costly detour, and a lure that pays now and costs gain for good.
fn lure() -> Mdp {
    let mut builder = Mdp::builder();
    builder.state();
    builder.action(0.0, [(1, 1.0)]);
    builder.action(1.0, [(0, 0.9), (2, 0.1)]);
    builder.state();
    builder.action(0.6, [(1, 1.0)]);
    builder.action(0.0, [(0, 1.0)]);
    builder.state();
    builder.action(0.2, [(2, 1.0)]);
    builder.start_at(0);
    builder.build().unwrap()
}

#[test]
fn a_lure_has_a_weight_that_makes_its_gap_zero_and_its_loss_is_told_apart() {
    let mdp = Arc::new(lure());
    let solution = solve::solve(&mdp).unwrap();
    // From 0: gain 0.6 by going to 1; the lure pays 1 and loses a tenth of 0.4.
    assert!((solution.gain[0] - 0.6).abs() < 1e-12 && (solution.gain[2] - 0.2).abs() < 1e-12);
    let gaps = Gaps::of(&mdp, &solution, &structure::reachable(&mdp));
    let lured = mdp.pair(0, 1);
    assert!((gaps.gain_losses()[lured] - 0.04).abs() < 1e-12);
    assert!(gaps.weight() > 0.0 && gaps.by_pair()[lured].abs() < 1e-9, "{gaps:?}");
    assert!(gaps.residual() < 1e-9);
    let (left, right, rounding) = telescopes(lure(), 1000);
    assert!(rounding > 1e-4, "the gain is not constant");
    assert!((left - right).abs() <= 1e-6, "{left} {right}");
}

/// The oracle's gap regret and gain lost are exactly 0 at every checkpoint; false where a world has no gaps.
fn oracle_loses_nothing(name: &str, model: &Model, steps: u64) -> bool {
    let (record, _) = played(model, Arc::new(Oracle::default()), steps);
    let Some(gap_regret) = record.gap_regret else { return false };
    assert_eq!(gap_regret.len(), record.regret.len());
    assert!(gap_regret.iter().all(|(_, gap)| *gap == 0.0), "{name}: {gap_regret:?}");
    let lost = record.gain_lost.unwrap_or_default();
    assert!(lost.iter().all(|(_, lost)| *lost == 0.0), "{name}: {lost:?}");
    true
}

#[test]
fn an_optimal_policy_has_no_gap_regret_at_all() {
    let apart = ThreeState { delta: 0.0, ..ThreeState::default() }.build().unwrap();
    for (name, mdp) in [("three-state:delta=0", apart), ("lure", lure())] {
        assert!(oracle_loses_nothing(name, &Model::from(mdp), 5000));
    }
    // Every world of the library with its default options, worlds made of others included.
    let named = |spec: &str| {
        // The options of the world within are not read: its defaults do as well.
        let name = spec.split(':').next().unwrap();
        let kind = worlds::kinds().iter().find(|kind| kind.about().name == name).unwrap();
        kind.make(&serde_json::Map::new(), &|_| panic!("a world within a world"))
    };
    let mut without = Vec::new();
    for kind in worlds::kinds() {
        let name = kind.about().name;
        let model = kind.make(&serde_json::Map::new(), &named).unwrap();
        if !oracle_loses_nothing(name, &model, 1000) {
            without.push(name);
        }
    }
    assert!(without.is_empty(), "worlds without gaps: {without:?}");
}

#[test]
fn a_table_among_junk_has_the_gap_regret_of_the_table_alone() {
    let mdp = Arc::new(RiverSwim::default().build().unwrap());
    let agent = || -> Arc<dyn Algorithm> { Arc::new(tucrl::agents::Random::default()) };
    let (alone, _) = played(&Model::from(&mdp), agent(), 3000);
    let junk = Junk::new(Arc::new(Tabled::new(mdp)), 1_000_000, JunkKind::Chain).unwrap();
    let (among, _) = played(&Model::from(Arc::new(junk) as Arc<dyn Generator>), agent(), 3000);
    assert_eq!(alone.gap_regret, among.gap_regret);
    assert!(alone.gap_regret.unwrap().last().unwrap().1 > 100.0);
    assert_eq!(alone.gain_lost, None);
}

/// Every checkpoint is a step, so that the sums in the windows can be computed from the curve.
#[test]
fn losses_after_exploration_times_are_those_of_the_curve_and_survive_a_stop() {
    let model = Model::from(RiverSwim::of_length(3).build().unwrap());
    let truth = Arc::new(Truth::of(&model).unwrap());
    let steps = 30_000;
    let spec = RunSpec { steps, checkpoints: Checkpoints::Even(steps), master_seed: 2, run: 0 };
    let algorithm: Arc<dyn Algorithm> = Arc::new(Ucrl {
        optimism: Optimism { alpha: 0.3, ..Optimism::default() },
        ..Ucrl::default()
    });
    let mut run =
        Run::new(spec.clone(), Arc::clone(&algorithm), &model, Arc::clone(&truth)).unwrap();
    run.watch_exploration();
    run.advance(12_345).unwrap();
    let text = serde_json::to_string(&run.state().unwrap()).unwrap();
    run.advance(steps).unwrap();
    let record = run.record();
    let state = serde_json::from_str(&text).unwrap();
    let mut resumed = Run::resume(spec, algorithm, &model, truth, state).unwrap();
    resumed.advance(steps).unwrap();
    assert_eq!(resumed.record(), record);
    let loss = record.exploration.unwrap();
    assert_eq!(loss.from, steps / 10);
    assert!(loss.times > 0, "{loss:?}");
    let curve = record.gap_regret.unwrap();
    let total = |t: u64| if t == 0 { 0.0 } else { curve[t as usize - 1].1 };
    let starts: Vec<u64> = record.episodes.iter().map(|(episode, _)| episode.start - 1).collect();
    let whole = |start: &&u64| **start >= loss.from && **start + exploration::LONGEST <= steps;
    let starts: Vec<u64> = starts.iter().filter(whole).copied().collect();
    assert!(loss.times <= starts.len() as u64);
    for &(window, mean, worst) in &loss.windows {
        let losses = starts.iter().map(|&start| total(start + window) - total(start));
        let nearest = losses.map(|loss| (loss - worst).abs()).fold(f64::INFINITY, f64::min);
        assert!(nearest < 1e-9, "{window}: {worst}");
        assert!(mean >= 0.0 && mean <= worst);
    }
    assert!(loss.windows.windows(2).all(|pair| pair[0].2 <= pair[1].2));
    assert!(loss.windows.last().unwrap().2 > 0.0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn gaps_are_the_definition_up_to_the_residual(mdp in small_world(1..=6)) {
        let mdp = Arc::new(mdp);
        let solution = solve::solve(&mdp).unwrap();
        let is_reachable = structure::reachable(&mdp);
        let gaps = Gaps::of(&mdp, &solution, &is_reachable);
        prop_assert!(gaps.residual() < 1e-9, "{}", gaps.residual());
        prop_assert!(gaps.weight() >= 0.0);
        let mut is_tight = gaps.weight() == 0.0;
        let Solution { gain, bias, .. } = &solution;
        for state in (0..mdp.states()).filter(|&state| is_reachable[state]) {
            for action in 0..mdp.actions(state) {
                let pair = mdp.pair(state, action);
                let loss = gain[state] - expected(&mdp, pair, gain);
                let gap = gain[state] + bias[state] - mdp.mean_reward(pair)
                    - expected(&mdp, pair, bias) + gaps.weight() * loss;
                let shown = gaps.by_pair()[pair];
                let rounding = 1e-10 * (1.0 + gaps.weight());
                prop_assert!(shown >= 0.0);
                prop_assert!((gap - shown).abs() <= gaps.residual() + rounding, "{gap} {shown}");
                let known = gaps.gain_losses().get(pair).copied().unwrap_or(0.0);
                prop_assert!((loss - known).abs() < 1e-9, "{loss} {known}");
                is_tight |= known > 0.0 && shown <= 1e-9 * (1.0 + gaps.weight());
                if solution.policy.action(state) == Some(action) {
                    prop_assert_eq!(shown, 0.0);
                }
            }
        }
        // A smaller weight would leave a negative gap.
        prop_assert!(is_tight);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_sum_telescopes_in_random_worlds(mdp in small_world(1..=6)) {
        let (left, right, rounding) = telescopes(mdp, 200);
        prop_assert!((left - right).abs() <= rounding, "{left} {right}");
    }
}

//! Does a run, which plays steps in batches and records certain ones together, equal the same steps played one by one?
#![allow(missing_docs, clippy::disallowed_methods, clippy::unwrap_used)]

use crate::runs;

use std::sync::Arc;

use runs::*;
use tucrl::env::{Environment, Step, Walk};
use tucrl::generator::Tabled;
use tucrl::reward::{PairReward, RewardLaw, RewardRange};
use tucrl::rng::Purpose;
use tucrl::run::RunState;
use tucrl::{Learner, Mdp, Model, RandomStream, Run, Start, Truth};

/// A random world: ragged actions, certain and uncertain next states, up to twenty of them, all kinds of rewards, some
/// drawn with the next state, from a range that may begin below 0.
fn table(seed: u64, states: usize) -> Mdp {
    let mut random = RandomStream::new(seed);
    let low = [0.0, -10.0, 0.0, -0.7][seed as usize % 4];
    let mut builder = Mdp::builder();
    builder.reward_range(RewardRange::new(low, low + 1.0).unwrap());
    for state in 0..states {
        builder.state();
        for action in 0..1 + random.below(4) {
            // The first action of a state leads around the circle, so that every state is reached.
            let spread = match random.below(4) {
                _ if action == 0 => 1,
                0 => states.min(20),
                1 => states.min(2 + random.below(3) as usize),
                _ => 1,
            };
            let first = if action == 0 { state + 1 } else { random.below(states as u64) as usize };
            let mut row: Vec<(usize, f64)> =
                (0..spread).map(|k| ((first + k) % states, 0.05 + random.unit())).collect();
            let total: f64 = row.iter().map(|entry| entry.1).sum();
            row.iter_mut().for_each(|entry| entry.1 /= total);
            let mut law = || match random.below(5) {
                0 => RewardLaw::Uniform { low: low + 0.1, high: low + 0.6 },
                1 if low <= 0.0 && low + 1.0 >= 0.0 => {
                    RewardLaw::Bernoulli { probability: 0.4, value: low + 1.0 }
                }
                2 => RewardLaw::discrete([(low, 0.5), (low + 0.5, 0.3), (low + 1.0, 0.2)]),
                kind => RewardLaw::Constant(low + kind as f64 / 5.0),
            };
            if seed.is_multiple_of(3) {
                let row: Vec<_> = row.iter().map(|&(next, p)| (next, p, law())).collect();
                builder.joint_action(row);
            } else {
                builder.action(law(), row);
            }
        }
    }
    builder.start_at(0);
    builder.build().unwrap()
}

/// One step: the next state, then the reward, from the table as it is.
fn draw(mdp: &Mdp, pair: usize, random: &mut RandomStream) -> (f64, u64) {
    let row = mdp.row(pair);
    let entry = if row.len() == 1 { 0 } else { random.categorical(row.probability) };
    let paid = match mdp.reward(pair) {
        PairReward::Alone(law) => law.sample(random),
        PairReward::Joint(laws) => laws[entry].sample(random),
    };
    (paid, u64::from(row.next[entry]))
}

/// Steps played one by one: drawn from the table, told to the learner and added up here.
struct Plain {
    learner: Box<dyn Learner>,
    state: u64,
    random: RandomStream,
    /// Of rewards, mean rewards, gaps, gain lost, and gain lost times the number of the step.
    sums: [f64; 5],
}

impl Plain {
    fn play(world: &World, algorithm: &Named, steps: u64, run: u64) -> Self {
        let setting = world.setting(5_000);
        let random = RandomStream::of_run(1, run, Purpose::Agent);
        let start = Start { setting: &setting, state: 0, random };
        let learner = algorithm.algorithm.start(start).unwrap();
        let random = RandomStream::of_run(1, run, Purpose::World);
        let mut plain = Self { learner, state: 0, random, sums: [0.0; 5] };
        let (mdp, gaps) = (&world.mdp, world.truth.gaps().unwrap());
        for time in 1..=steps {
            let (state, action) = (plain.state as usize, plain.learner.act().unwrap() as usize);
            let pair = mdp.pair(state, action);
            let (paid, next) = draw(mdp, pair, &mut plain.random);
            let reward = paid - mdp.reward_range().low();
            plain.learner.observe(reward, next);
            plain.state = next;
            let loss = gaps.gain_losses().get(pair).copied().unwrap_or(0.0);
            let (mean, gap) = (mdp.mean_reward(pair), gaps.by_pair()[pair]);
            let terms = [reward, mean, gap, loss, loss * time as f64];
            plain.sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
        }
        plain
    }

    /// To the bit: the learner with all that it counted, the walk, and the sums.
    fn assert_equals(&self, run: &Run, what: &str) {
        let now = run.state().unwrap();
        let learner = serde_json::to_string(&self.learner.save().unwrap()).unwrap();
        assert_eq!(serde_json::to_string(now.learner()).unwrap(), learner, "{what}");
        let state = serde_json::to_value(&now).unwrap();
        assert_eq!(state["walk"]["state"], self.state, "{what}");
        assert_eq!(state["walk"]["random"], serde_json::to_value(&self.random).unwrap(), "{what}");
        let names = ["reward", "mean_reward", "gap", "gain_loss", "timed_gain_loss"];
        for (name, sum) in names.into_iter().zip(self.sums) {
            // Both parts: a run adds up blocks of 65536 steps, and this is the first one.
            let part = |part: &str| state["sums"][name][part].as_f64().unwrap();
            assert_eq!((part("total") + part("block")).to_bits(), sum.to_bits(), "{what}: {name}");
        }
    }
}

fn worlds() -> Vec<(String, World)> {
    let sizes = [1, 2, 5, 30];
    (0..16u64)
        .map(|seed| (format!("seed {seed}"), World::new(table(seed, sizes[seed as usize / 4]))))
        .collect()
}

fn learners() -> Vec<Named> {
    let mut learners = everyone(&shrunk(0.1), 3.0);
    learners.extend(samplers());
    learners.extend(relatives(&shrunk(0.1)));
    learners
}

#[test]
fn a_batch_equals_its_steps_one_by_one() {
    for (index, (name, world)) in worlds().into_iter().enumerate() {
        for (number, algorithm) in learners().iter().enumerate() {
            // Every world meets a third of the learners, and every learner worlds of every size.
            if number % 3 != index % 3 {
                continue;
            }
            let mut run = world.run(algorithm, 5_000, 3);
            run.advance(1_500).unwrap();
            let plain = Plain::play(&world, algorithm, 1_500, 3);
            plain.assert_equals(&run, &format!("{} in {name}", algorithm.name));
        }
    }
}

/// Deterministic worlds are where almost every step is counted ahead; the stops lie within episodes and at their ends.
#[test]
fn a_batch_may_end_anywhere() {
    for (name, world) in worlds().into_iter().skip(8).step_by(3) {
        for algorithm in [tucrl(shrunk(0.05)), ucrl(shrunk(0.05))] {
            let steps = 5_000;
            let whole = world.finished(&algorithm, steps, 1);
            let mut random = RandomStream::new(4);
            for stop in (0..6).map(|_| random.below(steps)) {
                let mut run = world.run(&algorithm, steps, 1);
                run.advance(stop).unwrap();
                let plain = Plain::play(&world, &algorithm, stop, 1);
                let what = format!("{} in {name}, stopped at {stop}", algorithm.name);
                plain.assert_equals(&run, &what);
                let text = serde_json::to_string(&run.state().unwrap()).unwrap();
                let stored: RunState = serde_json::from_str(&text).unwrap();
                let (again, truth) = (algorithm.reread(), Arc::clone(&world.truth));
                let mut run =
                    Run::resume(run.spec().clone(), again, &world.model, truth, stored).unwrap();
                run.advance(steps).unwrap();
                assert_eq!(run.record(), whole.record(), "{what}");
            }
        }
    }
}

#[test]
fn a_generator_walks_like_its_table() {
    for (name, world) in worlds().into_iter().skip(4).step_by(2) {
        let generator: Arc<dyn tucrl::Generator> = Arc::new(Tabled::new(Arc::clone(&world.mdp)));
        let model = Model::from(generator);
        let truth = Arc::new(Truth::of(&model).unwrap());
        let algorithm = tucrl(shrunk(0.05));
        let mut run =
            Run::new(spec(2_000, 2), Arc::clone(&algorithm.algorithm), &model, truth).unwrap();
        run.advance(2_000).unwrap();
        let whole = world.finished(&algorithm, 2_000, 2).record();
        let record = run.record();
        assert_eq!(
            (record.visits, record.episodes.len()),
            (whole.visits, whole.episodes.len()),
            "{name}"
        );
        assert_eq!((record.z, record.y), (whole.z, whole.y), "{name}");
    }
}

/// A walk remembers certain pairs and prepares long rows; what it gives is what is drawn from the table.
#[test]
fn a_walk_draws_what_the_table_gives() {
    for (name, world) in worlds() {
        let mut walk = Walk::new(Arc::clone(&world.mdp), RandomStream::new(8));
        let (mut random, mut choose) = (RandomStream::new(8), RandomStream::new(9));
        let mut state = 0;
        for time in 0..20_000 {
            let action = choose.below(world.mdp.actions(state) as u64) as usize;
            let pair = world.mdp.pair(state, action);
            let (paid, next) = draw(&world.mdp, pair, &mut random);
            let reward = paid - world.mdp.reward_range().low();
            let drawn = Step { paid, reward, mean_reward: world.mdp.mean_reward(pair), next };
            assert_eq!(walk.step(action as u32), drawn, "{name}, step {time}");
            assert_eq!(walk.state(), next);
            state = next as usize;
        }
        let position = serde_json::to_value(walk.position()).unwrap();
        assert_eq!(position["random"], serde_json::to_value(&random).unwrap(), "{name}");
    }
}

/// Overrides `play`, and says what it could see of the world there.
struct Curious(std::sync::Arc<std::sync::Mutex<Vec<String>>>);

impl Learner for Curious {
    fn act(&mut self) -> Result<tucrl::ActionId, tucrl::PlanError> {
        Ok(0)
    }

    fn observe(&mut self, _: f64, _: tucrl::StateId) {}

    fn play(&mut self, batch: &mut tucrl::model::Batch<'_>) -> Result<(), tucrl::model::PlayError> {
        let lent = batch.lent_world().map(|world| (world.table.states(), world.position.state()));
        self.0.lock().unwrap().push(format!("{batch:?} {lent:?}"));
        batch.play(self)
    }
}

#[test]
fn a_learner_that_plays_its_batches_itself_sees_nothing_of_a_world_that_is_not_lent() {
    let world = World::new(table(3, 7));
    let said = Arc::new(std::sync::Mutex::new(Vec::new()));
    let told = Arc::clone(&said);
    let kind = tucrl::own_agent("curious", "", move |_, _: tucrl::agents::Random| {
        Ok(Curious(Arc::clone(&told)))
    });
    assert!(
        !kind.is_in_another_process() && kind.clone().in_another_process().is_in_another_process()
    );
    let algorithm = kind.make(&Default::default()).unwrap();
    let run = || {
        let (algorithm, truth) = (Arc::clone(&algorithm), Arc::clone(&world.truth));
        Run::new(spec(5, 0), algorithm, &world.model, truth).unwrap()
    };
    run().advance(5).unwrap();
    let seen = std::mem::take(&mut *said.lock().unwrap());
    // The whole text: neither a table nor random numbers to come.
    assert_eq!(seen[0], "Batch(0 of 1 steps taken) None");
    assert!(seen.iter().all(|text| text.ends_with(" None")), "{seen:?}");
    let mut lending = run();
    lending.lend_world();
    lending.advance(5).unwrap();
    let seen = std::mem::take(&mut *said.lock().unwrap());
    assert!(seen.iter().all(|text| text.contains("Some((7, ")), "{seen:?}");
}

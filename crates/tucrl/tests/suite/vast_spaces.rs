//! Does a world without a table behave as its table would, and is a wrong rule noticed?
#![allow(missing_docs, clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tucrl::agents::{Random, Scal};
use tucrl::counts::{Counts, Variance};
use tucrl::explore::{ExploreError, explore};
use tucrl::generator::{Generator, GeneratorError, Outcomes, Tabled};
use tucrl::reward::{RewardLaw, RewardRange};
use tucrl::run::{RunError, RunState};
use tucrl::worlds::{BreakoutGame, Junk, JunkKind, RiverSwim, Taxi, ThreeState};
use tucrl::{
    ActionId, AgentError, Algorithm, Checkpoints, Learner, Mdp, Model, Optimism, PlanInput,
    Planner, RandomStream, Run, RunRecord, RunSpec, Setting, Space, Start, StateId, Truth, Tucrl,
    Ucrl,
};

/// A gain of one half and one reachable state, whatever the world is.
fn truth() -> Arc<Truth> {
    let mut builder = Mdp::builder();
    builder.state().action(0.5, [(0, 1.0)]);
    builder.start_at(0);
    let truth = Truth::of(&Model::from(Arc::new(builder.build().unwrap()))).unwrap();
    assert_eq!((truth.gain(), truth.facts().reachable), (0.5, 1));
    Arc::new(truth)
}

fn spec(steps: u64) -> RunSpec {
    RunSpec { steps, checkpoints: Checkpoints::PerDecade(3), master_seed: 3, run: 1 }
}

fn learners() -> Vec<Arc<dyn Algorithm>> {
    let (alpha_r, alpha_p, r_max) = (0.05.into(), 1e-6.into(), 1.0.into());
    let optimism = Optimism { alpha_r, alpha_p, r_max, ..Optimism::default() };
    let clipped = Optimism { aperiodicity: 0.9, ..optimism.clone() };
    vec![
        Arc::new(Tucrl { optimism: optimism.clone(), ..Tucrl::default() }),
        Arc::new(Ucrl { optimism, ..Ucrl::default() }),
        Arc::new(Scal { c: 5.0.into(), optimism: clipped, ..Scal::default() }),
        Arc::new(Random {}),
    ]
}

fn played(model: &Model, algorithm: &Arc<dyn Algorithm>, steps: u64) -> RunRecord {
    let mut run = Run::new(spec(steps), Arc::clone(algorithm), model, truth()).unwrap();
    run.advance(steps).unwrap();
    run.record()
}

/// An algorithm that is told a larger number of states than its world has.
#[derive(Debug)]
struct Enlarged {
    states: u64,
    algorithm: Arc<dyn Algorithm>,
}

impl Algorithm for Enlarged {
    fn start(&self, start: Start<'_>) -> Result<Box<dyn Learner>, AgentError> {
        let own = &start.setting.space;
        let mut space = Space::told(self.states, own.max_actions());
        (0..own.states()).for_each(|state| space.tell_actions(state, own.actions(state)));
        let setting = Setting { space, ..start.setting.clone() };
        self.algorithm.start(Start { setting: &setting, ..start })
    }

    fn options(&self) -> serde_json::Value {
        self.algorithm.options()
    }
}

/// Records without the numbers of states, which a table counts through.
fn renumbered(mut record: RunRecord, number: impl Fn(StateId) -> StateId) -> RunRecord {
    record.visits.iter_mut().for_each(|visit| visit.0 = number(visit.0));
    for (episode, _) in &mut record.episodes {
        use tucrl::rules::StopReason as R;
        episode.stop = match episode.stop {
            R::Doubling { state, action } => R::Doubling { state: number(state), action },
            R::NewState { state } => R::NewState { state: number(state) },
            R::ReturnToNewStart { state } => R::ReturnToNewStart { state: number(state) },
            other @ (R::Length | R::Other | R::Horizon) => other,
        };
    }
    record
}

/// A run in the nominal space and one in its table, both told the same S.
fn assert_same_to_the_last_bit(world: Arc<dyn Generator>) {
    let states = world.space().states();
    let found = explore(&*world, 1000, &|_| true).unwrap();
    let table = Arc::new(found.table(&*world, &|_, _| true).unwrap());
    let (vast, table) = (Model::from(Arc::clone(&world)), Model::from(table));
    for (index, algorithm) in learners().into_iter().enumerate() {
        let nominal = played(&vast, &algorithm, 3000);
        let enlarged = Enlarged { states, algorithm: Arc::clone(&algorithm) };
        let enumerated = played(&table, &(Arc::new(enlarged) as Arc<dyn Algorithm>), 3000);
        assert_eq!(nominal.steps, 3000);
        let number = |state| found.number(state).unwrap() as StateId;
        assert_eq!(renumbered(nominal.clone(), number), enumerated, "{algorithm:?}");
        // The S in the formulas matters: with that of the table alone TUCRL's run is another one.
        if index == 0 {
            let small = played(&table, &algorithm, 3000);
            assert_ne!(renumbered(nominal, number), small);
        }
    }
}

#[test]
fn a_run_in_the_nominal_space_is_the_run_in_its_table_with_the_same_s_to_the_last_bit() {
    let bases: [Mdp; 3] = [
        ThreeState { delta: 0.0, ..ThreeState::default() }.build().unwrap(),
        RiverSwim::default().build().unwrap(),
        Taxi::default().build().unwrap(),
    ];
    for base in bases {
        let base: Arc<dyn Generator> = Arc::new(Tabled::new(Arc::new(base)));
        let world = Junk::new(base, 1_000_000_007, JunkKind::Transient).unwrap();
        assert_same_to_the_last_bit(Arc::new(world));
    }
}

#[test]
fn a_run_of_breakout_in_the_nominal_space_is_the_run_in_its_table_to_the_last_bit() {
    let game = BreakoutGame { rows: 2, columns: 4, ..BreakoutGame::default() }.generator().unwrap();
    assert_same_to_the_last_bit(Arc::new(game));
}

#[test]
fn a_run_in_a_nominal_space_continues_where_it_was_stored() {
    let base = Arc::new(Tabled::new(Arc::new(RiverSwim::default().build().unwrap())));
    let world: Arc<dyn Generator> = Arc::new(Junk::new(base, 1 << 50, JunkKind::Chain).unwrap());
    let algorithm = learners().swap_remove(0);
    let model = Model::from(world);
    let whole = played(&model, &algorithm, 2000);
    let mut half = Run::new(spec(2000), Arc::clone(&algorithm), &model, truth()).unwrap();
    half.advance(777).unwrap();
    let stored = serde_json::to_string(&half.state().unwrap()).unwrap();
    let state: RunState = serde_json::from_str(&stored).unwrap();
    let mut rest = Run::resume(spec(2000), algorithm, &model, truth(), state).unwrap();
    rest.advance(2000).unwrap();
    assert_eq!(rest.record(), whole);
}

/// A world of ten states in which state 3 does what the test wants.
#[derive(Debug)]
struct Faulty {
    space: Space,
    fault: Fault,
    asked: AtomicU64,
}

#[derive(Debug, Clone, Copy)]
enum Fault {
    Next,
    Reward(f64),
    Probability(f64),
    Sum,
    Support,
    Silent,
    SampleOnly {
        next: StateId,
        reward: f64,
    },
    /// Draws what it has not listed.
    Unlisted,
    Law,
}

impl Fault {
    /// How long it takes from state 3 back to it.
    fn lap(self) -> u64 {
        if matches!(self, Self::Unlisted) { 0 } else { 10 }
    }
}

impl Faulty {
    fn new(fault: Fault) -> Arc<Self> {
        let space = Space::product([("half", 2), ("place", 5)], 1).unwrap();
        Arc::new(Self { space, fault, asked: AtomicU64::new(0) })
    }
}

impl Generator for Faulty {
    fn space(&self) -> &Space {
        &self.space
    }

    fn start(&self) -> Vec<(StateId, f64)> {
        vec![(0, 1.0)]
    }

    fn outcomes(&self, state: StateId, _: ActionId, list: &mut Outcomes) {
        if matches!(self.fault, Fault::SampleOnly { .. }) {
            return;
        }
        if state != 3 {
            return list.push((state + 1) % 10, 1.0, 0.5);
        }
        match self.fault {
            Fault::Next => list.push(10, 1.0, 0.5),
            Fault::Reward(reward) => list.push(4, 1.0, reward),
            Fault::Probability(probability) => list.push(4, probability, 0.5),
            Fault::Sum => list.push(4, 0.999, 0.5),
            Fault::Support => {
                let asked = self.asked.fetch_add(1, Ordering::Relaxed);
                list.push(4 + asked % 2, 1.0, 0.5);
            }
            Fault::Unlisted => list.push(4, 1.0, 0.5),
            Fault::Silent | Fault::SampleOnly { .. } => {}
            Fault::Law => {
                list.push(4, 0.5, RewardLaw::Uniform { low: 0.0, high: 1.0 });
                list.push(4, 0.5, RewardLaw::Uniform { low: 0.0, high: 0.5 });
            }
        }
    }

    fn sample(&self, state: StateId, _: ActionId, _: &mut RandomStream) -> Option<(f64, StateId)> {
        match self.fault {
            Fault::SampleOnly { next, reward } => {
                Some(if state == 3 { (reward, next) } else { (0.5, state + 1) })
            }
            Fault::Unlisted => Some((0.5, if state == 3 { 7 } else { (state + 1) % 10 })),
            _ => None,
        }
    }
}

/// The error of a run, and the error of a search.
fn told(fault: Fault) -> (Option<GeneratorError>, Option<GeneratorError>) {
    let world = Faulty::new(fault);
    let generator: Arc<dyn Generator> = world.clone();
    let (model, algorithm) = (Model::from(generator), Arc::new(Random {}));
    let mut run = Run::new(spec(50), algorithm, &model, truth()).unwrap();
    let walked = match run.advance(50) {
        Ok(()) => None,
        Err(RunError::World(error)) => {
            // Three steps lead to the fault; that an answer changes is noticed when it has been asked for twice.
            let laps = if matches!(error, GeneratorError::UnstableSupport { .. }) { 1 } else { 0 };
            assert_eq!(run.taken(), 3 + laps * fault.lap());
            Some(error)
        }
        Err(other) => panic!("{other}"),
    };
    let table = explore(&*world, 100, &|_| true).and_then(|f| f.table(&*world, &|_, _| true));
    let searched = match table {
        Ok(_) => None,
        Err(ExploreError::World(error)) => Some(error),
        Err(other) => panic!("{other}"),
    };
    (walked, searched)
}

#[test]
fn every_fault_of_a_rule_is_a_typed_error_with_its_place() {
    use GeneratorError as E;
    let (state, action, range) = (3, 0, RewardRange::default());
    let both = |fault, error: E| {
        assert_eq!(told(fault), (Some(error.clone()), Some(error)), "{fault:?}");
    };
    both(Fault::Next, E::NextOutOfRange { state, action, next: 10, last: 9 });
    both(Fault::Reward(1.5), E::Reward { state, action, reward: 1.5, range });
    both(Fault::Reward(-0.1), E::Reward { state, action, reward: -0.1, range });
    both(Fault::Probability(-1.0), E::Probability { state, action, next: 4, probability: -1.0 });
    both(Fault::Sum, E::Sum { state, action, sum: 0.999 });
    both(Fault::Silent, E::NoRule { state, action });
    let not_a_number = |error: Option<E>| matches!(error, Some(E::Reward { state: 3, reward, .. }) if reward.is_nan());
    let (walked, searched) = told(Fault::Reward(f64::NAN));
    assert!(not_a_number(walked) && not_a_number(searched));
    let (walked, searched) = told(Fault::Law);
    assert!(matches!(walked, Some(E::RewardLaw { state: 3, .. })), "{walked:?}");
    assert_eq!(walked, searched);
}

#[test]
fn a_rule_whose_answers_change_is_refused() {
    let unstable = GeneratorError::UnstableSupport { state: 3, action: 0 };
    assert_eq!(told(Fault::Support), (Some(unstable.clone()), Some(unstable.clone())));
    // A search sees the list only; a walk also sees where the step leads.
    assert_eq!(told(Fault::Unlisted), (Some(unstable.clone()), None));
    assert!(unstable.to_string().contains("must depend on nothing but the state and the action"));
}

#[test]
fn a_world_that_only_draws_can_be_learned_and_not_searched() {
    let fine = Fault::SampleOnly { next: 0, reward: 1.0 };
    assert_eq!(told(fine), (None, Some(GeneratorError::CannotList)));
    let outside = Fault::SampleOnly { next: 10, reward: 1.0 };
    let error = GeneratorError::NextOutOfRange { state: 3, action: 0, next: 10, last: 9 };
    assert_eq!(told(outside).0, Some(error));
    let nan = Fault::SampleOnly { next: 4, reward: f64::NAN };
    assert!(matches!(told(nan).0, Some(GeneratorError::Reward { state: 3, .. })));
}

#[test]
fn a_search_ends_at_its_limit_and_when_told_to() {
    let mdp = Arc::new(RiverSwim { length: 5000 }.build().unwrap());
    let world = Tabled::new(mdp);
    let found = explore(&world, 100, &|_| true).unwrap();
    assert!(!found.is_complete() && found.found() > 100 && found.found() < 300);
    assert!(matches!(found.table(&world, &|_, _| true), Err(ExploreError::TooMany { .. })));
    // Not even the start is looked at where there are more starts than the limit.
    let game = BreakoutGame::default().generator().unwrap();
    let nothing = explore(&game, 1, &|_| true).unwrap();
    assert!(nothing.states.is_empty() && nothing.frontier > 1);
    let table = nothing.pessimistic_table(&game, &|_, _| true).unwrap();
    assert_eq!((table.states(), table.pairs()), (1, 1), "all that lies beyond");
    let whole = explore(&world, 5000, &|_| true).unwrap();
    assert!(whole.is_complete());
    assert_eq!((whole.states.len(), whole.depth, whole.max_support), (5000, 4999, 3));
    let stopped = explore(&world, 5000, &|progress| progress.found < 50);
    assert!(matches!(stopped, Err(ExploreError::Interrupted { found }) if found >= 50));
}

#[test]
fn what_is_earned_without_leaving_what_was_explored_can_be_earned() {
    // River swim pays best at its far end, which a short search does not see: the near end pays 0.005.
    let world = Tabled::new(Arc::new(RiverSwim { length: 40 }.build().unwrap()));
    let gain = |limit| {
        let found = explore(&world, limit, &|_| true).unwrap();
        let table = found.pessimistic_table(&world, &|_, _| true).unwrap();
        (tucrl::solve::solve(&table).unwrap().gain_from_start(&table).0, found.is_complete())
    };
    let (partial, whole) = (gain(10), gain(40));
    assert_eq!((partial.1, whole.1), (false, true));
    assert!((partial.0 - 0.005).abs() < 1e-9, "{partial:?}");
    assert!(whole.0 > 0.4);
}

#[test]
fn a_seen_pair_with_two_next_states_takes_less_than_two_hundred_bytes() {
    // A long way through a vast space, each action tried, with one and with two next states; looked at all
    // the way, because vectors and tables have most room to spare when they have just grown.
    for (actions, successors, most) in [(3, 1, 137.0), (3, 2, 164.0), (2, 2, 174.0), (9, 2, 151.0)]
    {
        let mut counts = Counts::new(Space::uniform(1 << 60, actions), Variance::default());
        let mut worst: f64 = 0.0;
        for step in 0..120_000 {
            let here = counts.see(step * 7919);
            let next = counts.see((step + 1) * 7919);
            for action in 0..actions {
                let pair = counts.pair(here, action);
                counts.record(pair, 0.5, next);
                if successors == 2 {
                    counts.record(pair, 0.5, here);
                }
            }
            if step > 10_000 {
                worst = worst.max(counts.bytes() as f64 / counts.pairs().len() as f64);
            }
        }
        // docs/vast-worlds.md says so.
        assert!(worst > 100.0 && worst <= most, "{actions}, {successors}: {worst}");
    }
}

#[test]
fn a_sweep_over_many_states_is_the_same_on_any_number_of_threads() {
    // Enough states that a sweep is shared; half of the pairs tried, some of them often.
    let states = 40_000;
    let mut counts = Counts::new(Space::uniform(1 << 50, 3), Variance::default());
    let mut random = RandomStream::new(5);
    for state in 0..states {
        counts.see(state << 20);
    }
    for _ in 0..6 * states {
        let skewed = random.below(1 + random.clone().below(states)) as u32;
        let pair = counts.pair(skewed, random.below(3) as u32);
        let next = (u64::from(skewed) + random.below(50)) % states;
        counts.record(pair, random.unit() * f64::from(skewed) / states as f64, next as u32);
    }
    counts.freeze();
    let optimism = Optimism { r_max: 1.0.into(), ..Optimism::shrunk(0.05) };
    let balls = Tucrl { optimism: optimism.clone(), ..Tucrl::default() };
    let boxes = Ucrl { optimism, ..Ucrl::default() };
    assert_same_on_any_number_of_threads(&balls, &counts, 6 * states);
    assert_same_on_any_number_of_threads(&boxes, &counts, 6 * states);
}

fn assert_same_on_any_number_of_threads<P>(planner: &P, counts: &Counts, t_k: u64)
where
    P: Planner + Clone + Send + Sync,
{
    let plan = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut random = RandomStream::new(0);
            planner.clone().plan(&mut PlanInput::new(counts, t_k, &mut random)).unwrap()
        })
    };
    let alone = plan(1);
    assert!(alone.sweeps > 1 && alone.choices.len() == counts.seen());
    for threads in [2, 3, 7] {
        assert_eq!(plan(threads), alone, "{threads} threads");
    }
}

#[test]
fn a_plan_that_is_interrupted_leaves_the_run_where_it_stood() {
    use std::sync::atomic::AtomicBool;
    use tucrl::planner::{PlanError, Pulse};
    let world = Model::from(Arc::new(Taxi::default().build().unwrap()));
    for algorithm in learners().into_iter().take(3) {
        let whole = played(&world, &algorithm, 2000);
        let mut run = Run::new(spec(2000), algorithm, &world, truth()).unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let pulse = Pulse::new(Arc::clone(&stop));
        pulse.during(|| {
            run.advance(1000).unwrap();
            let (sweeps, span, tolerance) = pulse.read().unwrap();
            assert!(sweeps > 0 && span <= tolerance, "the last plan is done");
        });
        assert_eq!(pulse.read(), None, "nothing is under way");
        stop.store(true, Ordering::Relaxed);
        let refused = pulse.during(|| run.advance(2000)).unwrap_err();
        assert!(matches!(refused, RunError::Plan(PlanError::Interrupted { t_k }) if t_k > 1000));
        // Without a pulse the flag has no effect.
        run.advance(2000).unwrap();
        assert_eq!(run.record(), whole);
    }
}

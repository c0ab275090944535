//! Does a world without a table behave as its table would, and is a wrong rule noticed?
#![allow(missing_docs, clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tucrl::agents::{Algorithm, Optimism, Scal, Tucrl, Ucrl};
use tucrl::explore::{ExploreError, explore};
use tucrl::generator::{Generator, GeneratorError, Outcomes, Tabled};
use tucrl::mdp::Mdp;
use tucrl::model::Model;
use tucrl::policy::Policy;
use tucrl::reward::RewardLaw;
use tucrl::rng::RandomStream;
use tucrl::run::{Checkpoints, Run, RunError, RunRecord, RunSpec, RunState, Truth};
use tucrl::space::{ActionId, Space, StateId};
use tucrl::span_clip::SpanClip;
use tucrl::worlds::{BreakoutGame, Junk, JunkKind, RiverSwim, Taxi, ThreeState};

fn truth() -> Truth {
    Truth { gain: 0.5, reachable: 1, optimal_policy: Policy::deterministic([]) }
}

fn spec(algorithm: Algorithm, steps: u64) -> RunSpec {
    RunSpec { algorithm, steps, checkpoints: Checkpoints::PerDecade(3), master_seed: 3, run: 1 }
}

fn learners() -> Vec<Algorithm> {
    let optimism = Optimism { alpha_r: 0.05, alpha_p: 1e-6, ..Optimism::default() };
    let clip = SpanClip { c: 5.0, ..SpanClip::default() };
    vec![
        Algorithm::Tucrl(Tucrl { optimism: optimism.clone(), ..Tucrl::default() }),
        Algorithm::Ucrl(Ucrl { optimism: optimism.clone(), ..Ucrl::default() }),
        Algorithm::Scal(Scal { optimism, clip, ..Scal::default() }),
        Algorithm::Random,
    ]
}

fn played(model: Model, algorithm: Algorithm, steps: u64) -> RunRecord {
    let mut run = Run::new(spec(algorithm, steps), model, truth()).unwrap();
    run.advance(steps).unwrap();
    run.record()
}

/// Records without the numbers of states, which a table counts through.
fn renumbered(mut record: RunRecord, number: impl Fn(StateId) -> StateId) -> RunRecord {
    record.visits.iter_mut().for_each(|visit| visit.0 = number(visit.0));
    for (episode, _) in &mut record.episodes {
        use tucrl::episode::StopReason as R;
        episode.stop = match episode.stop {
            R::Doubling { state, action } => R::Doubling { state: number(state), action },
            R::NewState { state } => R::NewState { state: number(state) },
            R::ReturnToNewStart { state } => R::ReturnToNewStart { state: number(state) },
            other @ (R::Length | R::Horizon) => other,
        };
    }
    record
}

/// A run in the nominal space and one in its table, both told the same S.
fn assert_same_to_the_last_bit(world: Arc<dyn Generator>) {
    let states = world.space().states();
    let found = explore(&*world, 1000, &|_| true).unwrap();
    let table = Arc::new(found.table(&*world, &|_, _| true).unwrap());
    for algorithm in learners() {
        let nominal = played(Model::from(Arc::clone(&world)), algorithm.clone(), 3000);
        let enumerated = played(Model::Padded(Arc::clone(&table), states), algorithm.clone(), 3000);
        assert_eq!(nominal.steps, 3000);
        let number = |state| found.number(state).unwrap() as StateId;
        assert_eq!(renumbered(nominal.clone(), number), enumerated, "{}", algorithm.name());
        // The S in the formulas matters: with that of the table alone it is another run.
        if matches!(algorithm, Algorithm::Tucrl(_)) {
            let small = played(Model::Table(Arc::clone(&table)), algorithm, 3000);
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
    let whole = played(Model::from(Arc::clone(&world)), algorithm.clone(), 2000);
    let mut half = Run::new(spec(algorithm.clone(), 2000), Arc::clone(&world), truth()).unwrap();
    half.advance(777).unwrap();
    let stored = serde_json::to_string(half.state()).unwrap();
    let state: RunState = serde_json::from_str(&stored).unwrap();
    let mut rest = Run::resume(spec(algorithm, 2000), world, truth(), state).unwrap();
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

/// What a learner is told, and what a search is told.
fn told(fault: Fault) -> (Option<GeneratorError>, Option<GeneratorError>) {
    let world = Faulty::new(fault);
    let generator: Arc<dyn Generator> = world.clone();
    let mut run = Run::new(spec(Algorithm::Random, 50), generator, truth()).unwrap();
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
    let (state, action) = (3, 0);
    let both = |fault, error: E| {
        assert_eq!(told(fault), (Some(error.clone()), Some(error)), "{fault:?}");
    };
    both(Fault::Next, E::NextOutOfRange { state, action, next: 10, last: 9 });
    both(Fault::Reward(1.5), E::Reward { state, action, reward: 1.5, r_max: 1.0 });
    both(Fault::Reward(-0.1), E::Reward { state, action, reward: -0.1, r_max: 1.0 });
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
fn a_rule_that_changes_its_mind_is_none() {
    let unstable = GeneratorError::UnstableSupport { state: 3, action: 0 };
    assert_eq!(told(Fault::Support), (Some(unstable.clone()), Some(unstable.clone())));
    // Who only lists believes the list; who walks sees where the step leads.
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
    use tucrl::counts::{Counts, Variance};
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
    use tucrl::counts::{Counts, Variance};
    use tucrl::planner::{Planner, Situation};
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
    let optimism = Optimism { alpha_r: 0.05, alpha_p: 0.05, ..Optimism::default() };
    let (balls, boxes) = (
        Tucrl { optimism: optimism.clone(), ..Tucrl::default() },
        Ucrl { optimism, ..Ucrl::default() },
    );
    let planners: [&(dyn Planner + Sync); 2] = [&balls, &boxes];
    for planner in planners {
        let plan = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| planner.plan(&Situation::new(&counts, 6 * states)).unwrap())
        };
        let alone = plan(1);
        assert!(alone.sweeps > 1 && alone.choices.len() == states as usize);
        for threads in [2, 3, 7] {
            assert_eq!(plan(threads), alone, "{threads} threads");
        }
    }
}

#[test]
fn a_plan_that_is_given_up_leaves_the_run_where_it_stood() {
    use std::sync::atomic::AtomicBool;
    use tucrl::planner::{PlanError, Pulse};
    let world = || Model::from(Arc::new(Taxi::default().build().unwrap()));
    for algorithm in learners().into_iter().take(3) {
        let whole = played(world(), algorithm.clone(), 2000);
        let mut run = Run::new(spec(algorithm, 2000), world(), truth()).unwrap();
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
        // Nobody waits any more.
        run.advance(2000).unwrap();
        assert_eq!(run.record(), whole);
    }
}

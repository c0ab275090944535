//! TUCRL+ as it runs: its best laws are those of a linear program, rare states are found among junk, the number of states
//! may be unknown, bounds kept between plans change nothing, and it explains itself.
#![allow(missing_docs, clippy::unwrap_used)]

use crate::runs;
use crate::support;

use std::sync::Arc;

use proptest::prelude::*;
use runs::*;
use support::literal::{Laws, Learner as Literal};
use support::tables::{Seen, case, config, values};
use tucrl::agents::{Optimism, PlusSet, Relaxation, TucrlPlusPlanner, UnionKind};
use tucrl::counts::{Counts, Variance};
use tucrl::env::{Environment, Walk};
use tucrl::inner_max::{UNSEEN, Values};
use tucrl::planner::{PlanInput, Planner};
use tucrl::worlds::{FrozenLake, Garnet, Junk, JunkKind, RiverSwim, TwoState};
use tucrl::{
    AgentError, Algorithm, EpisodicAlgorithm, Learner, Mdp, Model, RandomStream, Run, RunSpec,
    Space, Start, Truth, Tucrl, TucrlPlus,
};

/// The largest expected value over P̄ or its untruncated form, by an interior-point solver: variables p and e, p >= lo,
/// sum p = 1, e >= p - up, e >= 0, sum e <= m; e = 0 where the budget may not be used.
fn linear_program(laws: &Laws, values: &[f64]) -> f64 {
    use clarabel::algebra::CscMatrix;
    use clarabel::solver::{
        DefaultSettingsBuilder, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, ZeroConeT,
    };
    let Laws::Budget { lo, up, budget, raises, allowed } = laws else { panic!("no budget") };
    let states = lo.len();
    let (mut rows, mut right): (Vec<Vec<(usize, f64)>>, Vec<f64>) = (Vec::new(), Vec::new());
    // Equalities first.
    rows.push((0..states).map(|s| (s, 1.0)).collect());
    right.push(1.0);
    for s in 0..states {
        if !allowed[s] {
            rows.push(vec![(s, 1.0)]);
            right.push(0.0);
        }
        if !allowed[s] || !(*raises || up[s] == 0.0) {
            rows.push(vec![(states + s, 1.0)]);
            right.push(0.0);
        }
    }
    let equalities = rows.len();
    for s in 0..states {
        rows.push(vec![(s, -1.0)]);
        right.push(-lo[s]);
        rows.push(vec![(s, 1.0), (states + s, -1.0)]);
        right.push(up[s]);
        rows.push(vec![(states + s, -1.0)]);
        right.push(0.0);
    }
    rows.push((0..states).map(|s| (states + s, 1.0)).collect());
    right.push(*budget);
    let (mut starts, mut index, mut entries) = (vec![0], Vec::new(), Vec::new());
    for column in 0..2 * states {
        for (row, list) in rows.iter().enumerate() {
            if let Some(&(_, value)) = list.iter().find(|entry| entry.0 == column) {
                index.push(row);
                entries.push(value);
            }
        }
        starts.push(index.len());
    }
    let matrix = CscMatrix::new(rows.len(), 2 * states, starts, index, entries);
    let worth: Vec<f64> =
        (0..2 * states).map(|i| if i < states && allowed[i] { -values[i] } else { 0.0 }).collect();
    let zero = CscMatrix::zeros((2 * states, 2 * states));
    let settings = DefaultSettingsBuilder::default().verbose(false).build().unwrap();
    let cones = [ZeroConeT(equalities), NonnegativeConeT(rows.len() - equalities)];
    let mut solver = DefaultSolver::new(&zero, &worth, &matrix, &right, &cones, settings).unwrap();
    solver.solve();
    let status = solver.solution.status;
    assert!(matches!(status, SolverStatus::Solved | SolverStatus::AlmostSolved), "{status:?}");
    -solver.solution.obj_val
}

proptest! {
    #![proptest_config(config(150, 21))]

    #[test]
    fn the_best_law_is_that_of_a_linear_program(
        case in case(&[Literal::PlusTight], Seen::Some), (seed, unseen) in values(),
    ) {
        let counts = case.counts();
        let model = case.options.model(&case.table);
        let dense = case.values_of(&model, &seed, unseen);
        let fast_values = case.by_number(&counts, &dense);
        // States that are not planned on have no value, and no law leads there.
        let finite: Vec<f64> = dense.iter().map(|v| if v.is_nan() { 0.0 } else { *v }).collect();
        let set = case.set(&counts);
        for pair in 0..counts.pairs().len() {
            let (state, action) = counts.owner(pair);
            let laws = &model.beliefs[state as usize][action as usize].laws;
            if matches!(laws, Laws::Budget { .. }) {
                let law = set.best_law(pair, &fast_values);
                let worth: f64 = law.iter().map(|&(next, mass)| mass * value(&fast_values, next)).sum();
                let best = linear_program(laws, &finite);
                prop_assert!((worth - best).abs() <= 1e-5, "{} instead of {}", worth, best);
            }
        }
    }
}

fn value(values: &Values, state: u32) -> f64 {
    if state == UNSEEN { values.unseen } else { values.seen[state as usize] }
}

/// The agent with its default options: plans start from the values of the last one.
fn plus(set: PlusSet, union: UnionKind) -> TucrlPlus {
    TucrlPlus { set, union, ..TucrlPlus::default() }
}

/// A world among `factor` times as many states.
fn among(mdp: Mdp, factor: u64) -> (Model, Arc<Truth>) {
    let mdp = Arc::new(mdp);
    let model = match factor {
        1 => Model::from(&mdp),
        _ => {
            let base = Arc::new(tucrl::generator::Tabled::new(mdp));
            let junk: Arc<dyn tucrl::Generator> =
                Arc::new(Junk::new(base, factor, JunkKind::Islands).unwrap());
            Model::from(junk)
        }
    };
    let truth = Arc::new(Truth::of(&model).unwrap());
    (model, truth)
}

/// M_epsilon among `factor` times as many states.
fn two_state(epsilon: f64, factor: u64) -> (Model, Arc<Truth>) {
    among(TwoState { epsilon, ..Default::default() }.build().unwrap(), factor)
}

/// How many of `runs` runs have seen y, the mean regret, and half the width of its 95 % interval (Student's t of 40 runs).
fn found(
    algorithm: &Arc<dyn Algorithm>,
    (model, truth): &(Model, Arc<Truth>),
    steps: u64,
    runs: u64,
) -> (u64, f64, f64) {
    let (mut seen, mut regrets) = (0, Vec::new());
    for run in 0..runs {
        let spec = RunSpec { run, ..spec(steps, run) };
        let mut run = Run::new(spec, Arc::clone(algorithm), model, Arc::clone(truth)).unwrap();
        run.advance(steps).unwrap();
        seen += u64::from(run.record().seen == 2);
        regrets.push(run.regret());
    }
    let runs = runs as f64;
    let mean = regrets.iter().sum::<f64>() / runs;
    let spread = regrets.iter().map(|regret| (regret - mean) * (regret - mean)).sum::<f64>();
    (seen, mean, 2.0227 * (spread / (runs - 1.0) / runs).sqrt())
}

/// As often among 2·10⁹ states as among 2, with the same regret; TUCRL does not find y there.
#[test]
fn a_rare_state_is_found_among_junk_as_often_as_alone() {
    let agent: Arc<dyn Algorithm> = Arc::new(plus(PlusSet::Tight, UnionKind::Auto));
    for (epsilon, steps, runs) in [(0.05, 20_000, 40), (0.005, 200_000, 40)] {
        let results: Vec<(u64, f64, f64)> = [1, 1_000, 1_000_000_000]
            .into_iter()
            .map(|factor| found(&agent, &two_state(epsilon, factor), steps, runs))
            .collect();
        println!("epsilon {epsilon}: {results:?} of {runs}");
        for (seen, regret, _) in &results {
            assert!(*seen >= runs - 4, "epsilon {epsilon}: {results:?} of {runs}");
            // The state that stays would cost half a step each.
            assert!(*regret < 0.2 * steps as f64, "epsilon {epsilon}: {results:?}");
        }
        let highest = results.iter().map(|(_, mean, half)| mean - half).fold(f64::MIN, f64::max);
        let lowest = results.iter().map(|(_, mean, half)| mean + half).fold(f64::MAX, f64::min);
        assert!(highest <= lowest, "epsilon {epsilon}: mean regret depends on S: {results:?}");
    }
    // With alpha = 1 the rewards alone keep TUCRL exploring for so long. With widths that learn, it gives y up.
    let tucrl = Tucrl { relaxation: Relaxation::Mass, optimism: shrunk(0.05) };
    let tucrl: Arc<dyn Algorithm> = Arc::new(tucrl);
    let (seen, regret, _) = found(&tucrl, &two_state(0.005, 1_000_000_000), 200_000, 8);
    println!("tucrl: {seen} of 8, regret {regret}");
    assert!(seen <= 4, "{seen} of 8");
}

/// Mean gap regret of 8 runs of 10⁶ steps with the constants of the theorem.
fn lost(union: UnionKind, (model, truth): &(Model, Arc<Truth>)) -> f64 {
    const RUNS: u64 = 8;
    const STEPS: u64 = 1_000_000;
    let agent: Arc<dyn Algorithm> = Arc::new(plus(PlusSet::Tight, union));
    let regret = |run| {
        let spec = RunSpec { run, ..spec(STEPS, run) };
        let mut run = Run::new(spec, Arc::clone(&agent), model, Arc::clone(truth)).unwrap();
        run.advance(STEPS).unwrap();
        run.record().gap_regret.unwrap().last().unwrap().1
    };
    (0..RUNS).map(regret).sum::<f64>() / RUNS as f64
}

/// `tucrl reproduce alpha-one` has the same limits and four-rooms too, which takes longer.
#[test]
fn the_constants_of_the_theorem_learn_in_a_million_steps() {
    let river_swim = || RiverSwim::default().build().unwrap();
    let frozen_lake = || FrozenLake::default().build().unwrap();
    let results = [
        ("river-swim", lost(UnionKind::Auto, &among(river_swim(), 1)), 1_500.0),
        ("frozen-lake", lost(UnionKind::Auto, &among(frozen_lake(), 1)), 3_500.0),
        ("river-swim, no S", lost(UnionKind::Discovery, &among(river_swim(), 1)), 5_000.0),
        ("frozen-lake, no S", lost(UnionKind::Discovery, &among(frozen_lake(), 1)), 4_500.0),
        ("river-swim in 10⁹", lost(UnionKind::Auto, &among(river_swim(), 1_000_000_000)), 5_000.0),
        (
            "frozen-lake in 10⁹",
            lost(UnionKind::Auto, &among(frozen_lake(), 1_000_000_000)),
            4_500.0,
        ),
    ];
    println!("{results:?}");
    for (world, regret, limit) in results {
        assert!(regret <= limit && regret > 0.0, "{world}: {regret} > {limit}");
    }
}

fn river_swim() -> Arc<Mdp> {
    Arc::new(RiverSwim::default().build().unwrap())
}

/// Plays an agent in river-swim with states renamed by `name`; returns its actions.
fn actions(agent: &TucrlPlus, space: Space, name: impl Fn(u64) -> u64, steps: u64) -> Vec<u32> {
    let setting = bare(space, steps);
    let mut walk = Walk::new(river_swim(), RandomStream::new(3));
    let start =
        Start { setting: &setting, state: name(walk.state()), random: RandomStream::new(4) };
    let mut learner = agent.learner(start).unwrap();
    (0..steps)
        .map(|_| {
            let action = learner.act().unwrap();
            let step = walk.step(action);
            learner.observe(step.reward, name(step.next));
            action
        })
        .collect()
}

/// Without a number of states the union bound is in order of discovery, and neither S nor the names matter.
#[test]
fn the_number_of_states_may_be_unknown() {
    for set in [PlusSet::Tight, PlusSet::Bernstein] {
        let unknown = actions(
            &plus(set, UnionKind::Auto),
            Space::uncounted(2),
            |s| s * 1_000_003 + 17,
            3_000,
        );
        let told = actions(&plus(set, UnionKind::Discovery), Space::uniform(6, 2), |s| s, 3_000);
        assert_eq!(unknown, told, "{set:?}");
    }
    let setting = bare(Space::uncounted(2), 10);
    let start = |random| Start { setting: &setting, state: 5, random };
    let missing = AgentError::Missing { what: "the number of states" };
    let refused = Tucrl::default().start(start(RandomStream::new(1))).err();
    assert_eq!(refused, Some(missing));
    let needs_count = |agent: &dyn Algorithm| agent.needs_state_count();
    assert!(needs_count(&Tucrl::default()) && !needs_count(&TucrlPlus::default()));
}

/// A learner that is restored has no kept bounds and computes all of them anew.
#[test]
fn bounds_kept_from_plan_to_plan_are_those_computed_anew() {
    for union in [UnionKind::Nominal, UnionKind::Discovery] {
        let agent = plus(PlusSet::Tight, union);
        let setting = bare(Space::uniform(6, 2), 4_000);
        let mut walk = Walk::new(river_swim(), RandomStream::new(5));
        let start = Start { setting: &setting, state: walk.state(), random: RandomStream::new(6) };
        let mut learner: Box<dyn Learner> = agent.start(start).unwrap();
        for step in 0..4_000 {
            if step % 97 == 0 {
                let saved = learner.save().unwrap();
                let mut twin = agent.restore(&setting, &saved).unwrap();
                assert_eq!(twin.act().unwrap(), learner.act().unwrap());
                let text = |saved| serde_json::to_string(&saved).unwrap();
                assert_eq!(text(twin.save()), text(learner.save()), "step {step}");
                learner = twin;
            }
            let action = learner.act().unwrap();
            let step = walk.step(action);
            learner.observe(step.reward, step.next);
        }
    }
}

/// A planner that keeps bounds, set and leads from plan to plan against one that has none, on the counts of a walk whose
/// episodes have random lengths: states appear, rows grow, pairs are given up and reconsidered.
#[test]
fn a_plan_from_a_kept_set_is_that_from_a_fresh_one_bit_for_bit() {
    let mdp = Arc::new(Garnet { states: 25, actions: 3, branching: 4, seed: 3 }.build().unwrap());
    let (mut both, mut cheaper) = ([0, 0], 0);
    for (union, states, warm_start, alpha) in [
        (UnionKind::Nominal, 40, true, 0.2),
        (UnionKind::Nominal, 25, true, 0.05),
        (UnionKind::Nominal, 40, false, 0.2),
        (UnionKind::Discovery, 40, true, 0.2),
    ] {
        let optimism = Optimism { warm_start, ..shrunk(alpha) };
        let agent = TucrlPlus { union, optimism, ..TucrlPlus::default() };
        let mut random = RandomStream::new(17);
        let mut walk = Walk::new(Arc::clone(&mdp), RandomStream::new(18));
        let mut counts = Counts::new(Space::uniform(states, 3), Variance::Published);
        if union == UnionKind::Discovery {
            counts = counts.keeping_first_visits();
        }
        let mut here = counts.see(walk.state());
        let mut keeps = agent.clone().into_planner();
        let (mut previous, mut t_k) = (None, 1);
        for episode in 0..400u64 {
            let plan = |planner: &mut TucrlPlusPlanner, random: &mut RandomStream| {
                let previous = previous.as_ref();
                let input = &mut PlanInput { previous, ..PlanInput::new(&counts, t_k, random) };
                planner.plan(input).unwrap()
            };
            let kept = plan(&mut keeps, &mut random);
            let fresh = plan(&mut agent.clone().into_planner(), &mut random);
            assert_eq!(kept, fresh, "{union:?} {states} {warm_start}: episode {episode}");
            both[usize::from(kept.bias_unseen.is_some())] += 1;
            cheaper += u32::from(kept.sweeps == 1);
            let unseen = kept.bias_unseen.unwrap_or(0.0);
            previous = Some(Values { seen: kept.bias.clone(), unseen });
            for _ in 0..=random.below(1 + episode) {
                // Mostly the plan, so that some pairs are rare.
                let action = match kept.choices.get(here as usize) {
                    Some(choice) if random.below(8) > 0 => choice.action,
                    _ => random.below(3) as u32,
                };
                let step = walk.step(action);
                let next = counts.see(step.next);
                counts.record(counts.pair(here, action), step.reward, next);
                (here, t_k) = (next, t_k + 1);
            }
            counts.freeze();
        }
    }
    // The test is about plans on seen states, plans on all, and plans that need one sweep.
    assert!(both[0] > 20 && both[1] > 20 && cheaper > 20, "{both:?} {cheaper}");
}

/// Given up, and when it will be reconsidered: the step that is said is the one at which it happens.
#[test]
fn an_agent_explains_what_it_has_given_up_and_until_when() {
    for union in [UnionKind::Auto, UnionKind::Discovery] {
        explains_what_it_has_given_up(union);
    }
}

fn explains_what_it_has_given_up(union: UnionKind) {
    let setting = bare(Space::uniform(10, 2), 100_000);
    let mut walk = Walk::new(river_swim(), RandomStream::new(7));
    let start = Start { setting: &setting, state: walk.state(), random: RandomStream::new(8) };
    let mut learner = plus(PlusSet::Tight, union).learner(start).unwrap();
    let (mut given_up, mut reconsidered) = (0, 0);
    // By state and action: what was said last time.
    let mut said = vec![None; 12];
    for time in 1..=30_000u64 {
        let action = learner.act().unwrap();
        if !learner.diary().is_under_way {
            let plan = learner.plan().unwrap();
            for state in 0..6u64 {
                for told in learner.explain(state) {
                    let before = &mut said[2 * state as usize + told.action as usize];
                    let less_one = told.visits.saturating_sub(1).max(1);
                    let from = less_one * less_one * plan.choices.len() as u64 * 2;
                    let threshold = told.threshold.unwrap();
                    assert!(
                        (threshold * threshold - time as f64 / (2 * plan.choices.len()) as f64)
                            .abs()
                            < 1e-6
                    );
                    match told.given_up_since {
                        Some(since) => {
                            assert!(less_one as f64 > threshold && since <= time);
                            assert_eq!(told.reconsidered_from, Some(from));
                            given_up += 1;
                            if let Some((earlier, _)) = *before {
                                assert_eq!(since, earlier, "an unbroken spell has one beginning");
                            }
                            *before = Some((since, from));
                        }
                        None => {
                            assert!(
                                less_one as f64 <= threshold && told.reconsidered_from.is_none()
                            );
                            if let Some((_, from)) = before.take() {
                                assert!(time >= from, "{time} < {from}");
                                reconsidered += 1;
                            }
                        }
                    }
                    let outlook = told.outlook.unwrap();
                    assert!((0.0..=1.0).contains(&outlook.missing_mass) && outlook.width >= 0.0);
                    assert!(told.visits > 0 || outlook.missing_mass == 1.0);
                    assert!(told.visits > 1 || outlook.width > 0.9, "one visit bounds no law");
                }
            }
        }
        let step = walk.step(action);
        learner.observe(step.reward, step.next);
    }
    assert!(given_up > 100 && reconsidered > 3, "{given_up} {reconsidered}");
    assert_eq!(learner.explain(9), [], "a state never seen");
}

//! PMEVI-DT: projection, mitigation, bias estimation and priors.
#![allow(missing_docs, clippy::disallowed_methods, clippy::unwrap_used)]

use crate::runs;

use std::sync::Arc;

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettingsBuilder, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus,
};
use runs::*;
use tucrl::agents::{
    Bound, Dropped, EpisodicAlgorithm, Mitigated, PmeviDt, PmeviPlanner, Prior, Region,
};
use tucrl::conformance::{Promise, check_agent};
use tucrl::counts::{Counts, Variance};
use tucrl::env::{Environment, Walk};
use tucrl::episode::Episodic;
use tucrl::evi::{self, EviOptions, Method, Ties};
use tucrl::generator::{Generator, Tabled};
use tucrl::inner_max::Values;
use tucrl::learner::Learner as _;
use tucrl::plausible::Belief;
use tucrl::rng::RandomStream;
use tucrl::sets::{ConfidenceSet, SetVisitor, SpanSetKind};
use tucrl::span_clip::{self, SpanClip};
use tucrl::worlds::{Garnet, Junk, JunkKind, RiverSwim};
use tucrl::{Algorithm, Mdp, Model, Optimism, Plan, Run, Space, Start, Truth};

/// Random bounds between some of `nodes` states, many of which satisfy none or contradict each other.
fn random_bounds(random: &mut RandomStream, nodes: usize) -> Vec<Bound> {
    let sign = [0.0, 0.3, 1.0][random.below(3) as usize];
    let mut bounds = Vec::new();
    for state in 0..nodes {
        for other in 0..nodes {
            if state != other && random.chance(0.6) {
                let most = random.uniform(-sign, 3.0);
                bounds.push(Bound { state, other, most });
            }
        }
    }
    bounds
}

fn random_values(random: &mut RandomStream, nodes: usize) -> Vec<f64> {
    (0..nodes).map(|_| random.uniform(-4.0, 4.0)).collect()
}

/// Values over the first states with the last one as that of states never seen.
fn split(u: &[f64]) -> Values {
    let (&unseen, seen) = u.split_last().unwrap();
    Values { seen: seen.to_vec(), unseen }
}

fn joined(values: &Values) -> Vec<f64> {
    values.seen.iter().copied().chain([values.unseen]).collect()
}

/// The largest v <= u under the bounds as a linear program: maximise the sum of v.
fn by_linear_program(u: &[f64], bounds: &[Bound]) -> Option<Vec<f64>> {
    let n = u.len();
    let mut rows: Vec<Vec<(usize, f64)>> = (0..n).map(|s| vec![(s, 1.0)]).collect();
    let mut b = u.to_vec();
    for bound in bounds {
        rows.push(vec![(bound.state, 1.0), (bound.other, -1.0)]);
        b.push(bound.most);
    }
    let (mut start, mut index, mut entries) = (vec![0], Vec::new(), Vec::new());
    for column in 0..n {
        for (row, list) in rows.iter().enumerate() {
            if let Some(&(_, value)) = list.iter().find(|entry| entry.0 == column) {
                index.push(row);
                entries.push(value);
            }
        }
        start.push(index.len());
    }
    let a = CscMatrix::new(rows.len(), n, start, index, entries);
    let (zero, q) = (CscMatrix::zeros((n, n)), vec![-1.0; n]);
    let settings = DefaultSettingsBuilder::default().verbose(false).build().unwrap();
    let cones = [NonnegativeConeT(rows.len())];
    let mut solver = DefaultSolver::new(&zero, &q, &a, &b, &cones, settings).unwrap();
    solver.solve();
    match solver.solution.status {
        SolverStatus::Solved | SolverStatus::AlmostSolved => Some(solver.solution.x.clone()),
        SolverStatus::PrimalInfeasible | SolverStatus::AlmostPrimalInfeasible => None,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_projection_is_the_solution_of_a_linear_program() {
    let mut random = RandomStream::new(1);
    let (mut empty, mut moved) = (0, 0);
    for case in 0..10_000 {
        let nodes = 2 + random.below(4) as usize;
        let bounds = random_bounds(&mut random, nodes);
        let u = random_values(&mut random, nodes);
        // A span so large that it binds nowhere.
        let region = Region::bounded(1e6, nodes - 1, &bounds);
        let expected = by_linear_program(&u, &bounds);
        let Some(region) = region else {
            assert_eq!(expected, None, "{case}");
            empty += 1;
            continue;
        };
        let mut values = split(&u);
        region.project(&mut values, true);
        for (found, expected) in joined(&values).iter().zip(expected.unwrap()) {
            assert!((found - expected).abs() < 1e-5, "{case}: {found} {expected}");
        }
        moved += usize::from(joined(&values) != u);
    }
    assert!(empty > 500 && moved > 5_000, "{empty} {moved}");
}

#[test]
fn a_projection_is_idempotent_monotone_and_commutes_with_constants() {
    let mut random = RandomStream::new(2);
    let mut checked = 0;
    while checked < 3_000 {
        let nodes = 2 + random.below(6) as usize;
        let bounds = random_bounds(&mut random, nodes);
        let span = [1.0, 5.0, f64::INFINITY][random.below(3) as usize];
        let Some(region) = Region::bounded(span, nodes - 1, &bounds) else { continue };
        let project = |u: &[f64]| {
            let mut values = split(u);
            region.project(&mut values, true);
            joined(&values)
        };
        let u = random_values(&mut random, nodes);
        let once = project(&u);
        for bound in &bounds {
            assert!(once[bound.state] - once[bound.other] <= bound.most + 1e-12);
        }
        for (twice, once) in project(&once).iter().zip(&once) {
            assert!((twice - once).abs() <= 1e-12, "{twice} {once}");
        }
        let above: Vec<f64> = u.iter().map(|x| x + random.uniform(0.0, 2.0)).collect();
        assert!(project(&above).iter().zip(&once).all(|(above, below)| above >= below));
        let shifted: Vec<f64> = u.iter().map(|x| x + 2.5).collect();
        for (shifted, once) in project(&shifted).iter().zip(&once) {
            assert!((shifted - once - 2.5).abs() <= 1e-12);
        }
        checked += 1;
    }
}

/// Counts of a random walk.
fn walked(mdp: &Mdp, steps: u64, seed: u64, nominal: u64) -> Counts {
    let space = Space::told(nominal, mdp.max_actions() as u32);
    let mut counts = Counts::new(space, Variance::Published);
    (0..mdp.states()).for_each(|s| counts.tell_actions(s as u64, mdp.actions(s) as u32));
    let mut random = RandomStream::new(seed);
    let mut here = counts.see(0);
    for _ in 0..steps {
        let state = counts.state(here) as usize;
        let action = random.below(mdp.actions(state) as u64) as usize;
        let pair = mdp.pair(state, action);
        let row: Vec<(usize, f64)> = mdp.row(pair).iter().collect();
        let weights: Vec<f64> = row.iter().map(|entry| entry.1).collect();
        let next = counts.see(row[random.categorical(&weights)].0 as u64);
        let reward = random.chance(mdp.mean_reward(pair));
        counts.record(counts.pair(here, action as u32), f64::from(u8::from(reward)), next);
        here = next;
    }
    counts.freeze();
    counts
}

enum Way<'a> {
    Evi(EviOptions),
    Clip(SpanClip),
    Projected(Mitigated<'a>, Region),
}

struct Ask<'a> {
    counts: &'a Counts,
    t_k: u64,
    way: Way<'a>,
}

impl SetVisitor for Ask<'_> {
    type Output = Plan;

    fn visit<S: ConfidenceSet>(self, set: &S) -> Plan {
        let set = set.plausible(&Belief::new(self.counts, 1.0, None));
        match self.way {
            Way::Evi(options) => evi::solve(&set, self.t_k, &options, None),
            Way::Clip(clip) => span_clip::solve(&set, self.t_k, &clip, |_| 0.0),
            Way::Projected(mitigated, region) => mitigated.solve(&set, &region, self.t_k),
        }
        .unwrap()
    }
}

fn cases() -> impl Iterator<Item = (Counts, u64, SpanSetKind, f64)> {
    let worlds = [
        RiverSwim::default().build().unwrap(),
        Garnet { states: 9, actions: 3, branching: 3, ..Garnet::default() }.build().unwrap(),
    ];
    let sets = [SpanSetKind::Bernstein, SpanSetKind::L1, SpanSetKind::Kl];
    (0..60u64).map(move |case| {
        let steps = [3, 100, 2_000][case as usize % 3];
        let world = &worlds[case as usize % 2];
        let nominal = world.states() as u64 + [0, 3, 1_000_000_000][case as usize / 2 % 3];
        let tau = [0.9, 1.0][case as usize / 3 % 2];
        (walked(world, steps, case, nominal), steps + 1, sets[case as usize % 3], tau)
    })
}

fn confidence() -> tucrl::confidence::Confidence {
    Optimism { alpha: 0.2, r_max: 1.0.into(), ..Optimism::default() }.confidence()
}

fn unlimited(aperiodicity: f64, t_k: u64) -> Mitigated<'static> {
    let tolerance = 1.0 / (t_k as f64).sqrt();
    Mitigated { beta: &[], aperiodicity, tolerance, ties: Ties::default(), sweep_limit: 1_000_000 }
}

#[test]
fn without_constraints_a_plan_is_that_of_extended_value_iteration_bit_for_bit() {
    for (counts, t_k, set, tau) in cases() {
        let ask =
            |way| set.visit(&confidence(), counts.space(), t_k, Ask { counts: &counts, t_k, way });
        let plain =
            EviOptions { method: Method::Plain, aperiodicity: tau, ..EviOptions::default() };
        let expected = ask(Way::Evi(plain));
        let free = Region::spans(f64::INFINITY);
        assert_eq!(ask(Way::Projected(unlimited(tau, t_k), free)), expected);
        // A limit that is infinite for each pair is none either.
        let beta = vec![f64::INFINITY; counts.pairs().len()];
        let mitigated = Mitigated { beta: &beta, ..unlimited(tau, t_k) };
        assert_eq!(ask(Way::Projected(mitigated, Region::spans(f64::INFINITY))), expected);
        // A limit of 0 takes the observed laws as they are.
        let beta = vec![0.0; counts.pairs().len()];
        let mitigated = Mitigated { beta: &beta, ..unlimited(0.9, t_k) };
        let narrow = ask(Way::Projected(mitigated, Region::spans(50.0)));
        assert!(narrow.gain_low <= expected.gain_high);
    }
}

#[test]
fn with_one_constant_the_region_is_the_clip_of_scal_bit_for_bit() {
    let mut clipped = 0;
    for ((counts, t_k, set, tau), c) in cases().zip([0.1, 0.3, 1.0].into_iter().cycle()) {
        let ask =
            |way| set.visit(&confidence(), counts.space(), t_k, Ask { counts: &counts, t_k, way });
        let expected = ask(Way::Clip(SpanClip { c, aperiodicity: tau, ..SpanClip::default() }));
        let seen = counts.seen();
        // Each pair of states bounded by itself, without a bound on the span.
        let most = c / tau;
        let each = |state| (0..=seen).map(move |other| Bound { state, other, most });
        let bounds: Vec<Bound> =
            (0..=seen).flat_map(each).filter(|bound| bound.state != bound.other).collect();
        for region in [Region::spans(most), Region::bounded(f64::INFINITY, seen, &bounds).unwrap()]
        {
            let found = ask(Way::Projected(unlimited(tau, t_k), region));
            assert_eq!(found.bias, expected.bias);
            assert_eq!(found.bias_unseen, expected.bias_unseen);
            assert_eq!((found.gain_low, found.sweeps), (expected.gain_low, expected.sweeps));
            assert_eq!(found.gain_high, expected.gain_high.min(1.0));
        }
        clipped += usize::from(expected.span() >= 0.99 * c);
    }
    assert!(clipped > 10, "{clipped}");
}

fn river() -> World {
    World::new(RiverSwim::of_length(4).build().unwrap())
}

fn learner(world: &World, algorithm: &PmeviDt, steps: u64, seed: u64) -> Episodic<PmeviPlanner> {
    let setting = world.setting(steps);
    let start = Start { setting: &setting, state: 0, random: RandomStream::new(seed) };
    algorithm.learner(start).unwrap()
}

/// Compares every estimate with the mean over legs, cut literally from the past, and with the true bias: how many there are, and
/// whether one is off by more than its width, and by more than a hundredth of it.
fn bounds_after(
    agent: &Episodic<PmeviPlanner>,
    past: &[(u64, f64)],
    excess: f64,
    bias: &[f64],
) -> (usize, bool, bool) {
    let (planner, counts) = (agent.planner(), agent.counts());
    let root = planner.root(counts, past.len() as u64);
    let (c0, t) = (planner.span_bound(), past.len() as f64);
    let mean = past.iter().map(|step| step.1).sum::<f64>() / t;
    let (mut compared, mut is_violated, mut is_narrow) = (0, false, false);
    for b in 0..counts.seen() {
        for a in 0..b {
            let (first, second) = (counts.state(a as u32), counts.state(b as u32));
            // Legs, literally: from a visit of one to the next visit of the other, once both have been seen.
            let both = past.iter().position(|step| step.0 == second).unwrap_or(past.len());
            let mut ends: Vec<usize> =
                (both..past.len()).filter(|&i| past[i].0 == first || past[i].0 == second).collect();
            ends.dedup_by_key(|i| past[*i].0);
            let leg = |pair: &[usize]| {
                let sum: f64 = past[pair[0]..pair[1]].iter().map(|step| step.1 - mean).sum();
                if past[pair[0]].0 == first { sum } else { -sum }
            };
            let legs: Vec<f64> = ends.windows(2).map(leg).collect();
            let found = planner.legs().estimate(a, b, c0, root);
            assert_eq!(found.is_some(), !legs.is_empty());
            let Some(found) = found else { continue };
            let k = legs.len() as f64;
            assert!((found.difference - legs.iter().sum::<f64>() / k).abs() < 1e-9);
            let width = (3.0 * c0 + root * t.sqrt() + 2.0 * excess).max(0.0) / k;
            assert!((found.width - width).abs() < 1e-9 * width);
            let truth = bias[first as usize] - bias[second as usize];
            let off = (found.difference - truth).abs();
            is_violated |= off > found.width;
            is_narrow |= off > found.width / 100.0;
            compared += 1;
        }
    }
    (compared, is_violated, is_narrow)
}

/// The estimate of a difference is the mean over legs, and |estimate - truth| <= width at all times, but for delta of the runs.
#[test]
fn bias_bounds_hold_as_often_as_promised_and_are_those_of_the_definition() {
    let world = river();
    let bias = world.truth.solved().unwrap().solution.bias.clone();
    let steps = 150;
    let algorithm = PmeviDt { c0: 12.0.into(), ..PmeviDt::default() };
    let (mut violated, mut narrow_violated, mut compared) = (0, 0, 0);
    for seed in 0..1_000 {
        let mut agent = learner(&world, &algorithm, steps, seed);
        let mut walk = Walk::new(Arc::clone(&world.mdp), RandomStream::new(seed + 5_000));
        let mut past: Vec<(u64, f64)> = Vec::new();
        let mut excess = 0.0;
        let (mut is_violated, mut is_narrow) = (false, false);
        for time in 1..=steps {
            let action = agent.act().unwrap();
            let gain = agent.plan().unwrap().gain_high;
            let state = walk.state();
            let step = walk.step(action);
            agent.observe(step.reward, step.next);
            past.push((state, step.reward));
            excess += gain - step.reward;
            if [5, 10, 20, 35, 50, 75, 100, 125, 150].contains(&time) {
                let found = bounds_after(&agent, &past, excess, &bias);
                compared += found.0;
                is_violated |= found.1;
                is_narrow |= found.2;
            }
        }
        violated += usize::from(is_violated);
        narrow_violated += usize::from(is_narrow);
    }
    assert!(compared > 10_000, "{compared}");
    println!(
        "{compared} bounds; in {violated} runs one fails, a hundredth of one in {narrow_violated}"
    );
    assert!(violated as f64 <= 0.05 * 1_000.0, "{violated}");
    assert!(narrow_violated > 20, "the test would notice: {narrow_violated}");
}

/// With alpha = 1 and a region that holds h*, the optimistic gain is at least g*, whatever is estimated or known.
#[test]
fn plans_are_optimistic() {
    let world = river();
    let (gain, steps) = (world.truth.gain(), 3_000);
    for prior in [Prior::Nothing, Prior::Monotone] {
        for seed in 0..8 {
            let algorithm = PmeviDt { prior: prior.clone(), c0: 12.0.into(), ..PmeviDt::default() };
            let mut agent = learner(&world, &algorithm, steps, seed);
            let mut walk = Walk::new(Arc::clone(&world.mdp), RandomStream::new(seed + 100));
            for _ in 0..steps {
                let action = agent.act().unwrap();
                assert!(agent.plan().unwrap().gain_high >= gain, "{prior:?} {seed}");
                let step = walk.step(action);
                agent.observe(step.reward, step.next);
            }
            assert_eq!(agent.planner().dropped(), Dropped::default());
            assert!(agent.remarks().is_empty());
        }
    }
}

/// Mean gap regret in river-swim without a prior, with that the bias grows, and with every difference up to 0.1.
fn regrets(alpha: f64, steps: u64, runs: u64) -> [f64; 3] {
    let world = World::new(RiverSwim::default().build().unwrap());
    let bias = &world.truth.solved().unwrap().solution.bias;
    assert!(bias.windows(2).all(|pair| pair[0] <= pair[1]), "the prior is true: {bias:?}");
    let states = 0..bias.len();
    let exact: Vec<(u64, u64, f64)> = states
        .clone()
        .flat_map(|s| states.clone().map(move |other| (s, other)))
        .map(|(s, other)| (s as u64, other as u64, bias[s] - bias[other] + 0.1))
        .collect();
    [Prior::Nothing, Prior::Monotone, Prior::Differences(exact)].map(|prior| {
        let optimism = Optimism { aperiodicity: 0.9, ..Optimism::shrunk(alpha) };
        let algorithm = Named::new("pmevi-dt", PmeviDt { prior, optimism, ..PmeviDt::default() });
        let one = |run| world.record(&algorithm, steps, run).gap_regret.unwrap().last().unwrap().1;
        (1..=runs).map(one).sum::<f64>() / runs as f64
    })
}

#[test]
fn what_is_known_of_the_bias_lowers_the_regret() {
    let [none, monotone, exact] = regrets(0.1, 100_000, 4);
    // Optimistic biases grow along the river anyway.
    assert!(monotone < 1.05 * none, "{monotone} {none}");
    assert!(exact < 0.6 * none, "{exact} {none}");
}

#[test]
fn priors_that_cannot_be_are_refused_and_regions_without_a_vector_are_widened() {
    let world = river();
    let setting = world.setting(300);
    let refused = |prior: Prior| {
        let algorithm = PmeviDt { prior, ..PmeviDt::default() };
        algorithm.planner(&setting).unwrap_err().to_string()
    };
    let said = refused(Prior::File("bounds.csv".into()));
    assert!(
        said.contains("bounds.csv") && said.contains("a list of [state, other, most]"),
        "{said}"
    );
    let said = refused(Prior::Differences(vec![(0, 9, 1.0)]));
    assert!(said.contains("states are numbered 0 to 3"), "{said}");
    let said = refused(Prior::Differences(vec![(0, 1, 1.0), (1, 2, -3.0), (2, 0, 1.0)]));
    assert!(said.contains("contradict each other"), "{said}");
    // A difference of at least 100 under a bound of 5 on the span: possible in itself, and dropped.
    let prior = Prior::Differences(vec![(0, 1, -100.0)]);
    let algorithm = PmeviDt { prior, c0: 5.0.into(), ..PmeviDt::default() };
    let mut agent = learner(&world, &algorithm, 300, 1);
    let mut walk = Walk::new(Arc::clone(&world.mdp), RandomStream::new(2));
    for _ in 0..300 {
        let action = agent.act().unwrap();
        let step = walk.step(action);
        agent.observe(step.reward, step.next);
    }
    let Dropped { estimates, prior } = agent.planner().dropped();
    assert!(prior > 3 && estimates == prior, "{estimates} {prior}");
    let said = agent.remarks();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].starts_with(&format!("in {prior} plans no bias satisfied the prior")),
        "{said:?}"
    );
}

#[test]
fn every_prior_keeps_what_the_laboratory_relies_on() {
    let optimism = Optimism { aperiodicity: 0.9, ..Optimism::shrunk(0.1) };
    for (prior, estimate) in
        [(Prior::Nothing, true), (Prior::Monotone, true), (Prior::Nothing, false)]
    {
        let algorithm: Arc<dyn Algorithm> =
            Arc::new(PmeviDt { prior, estimate, optimism: optimism.clone(), ..PmeviDt::default() });
        assert_eq!(check_agent(&algorithm, &Promise::default()), []);
    }
}

#[test]
fn a_plan_costs_what_was_seen_among_states_that_do_not_exist() {
    let base = Arc::new(Tabled::new(Arc::new(RiverSwim::default().build().unwrap())));
    let junk: Arc<dyn Generator> =
        Arc::new(Junk::new(base, 1_000_000_000, JunkKind::Islands).unwrap());
    let model = Model::from(junk);
    let truth = Arc::new(Truth::of(&model).unwrap());
    let optimism = Optimism { aperiodicity: 0.9, ..Optimism::shrunk(0.01) };
    let prior = Prior::Monotone;
    let algorithm = Arc::new(PmeviDt { prior, optimism, ..PmeviDt::default() });
    let mut run = Run::new(spec(2_000, 1), algorithm, &model, truth).unwrap();
    run.advance(2_000).unwrap();
    let record = run.record();
    assert!(record.seen <= 6 && record.steps == 2_000, "{}", record.seen);
}

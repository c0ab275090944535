//! What does a plan cost: next to the literal operator, with the nominal size, and with acceleration?

use std::sync::Arc;
use std::time::Duration;

use tucrl::agents::{Algorithm, Optimism, Tucrl, Ucrl};
use tucrl::counts::{Counts, Variance};
use tucrl::env::{Environment, Walk};
use tucrl::evi::Method;
use tucrl::inner_max::Values;
use tucrl::mdp::Mdp;
use tucrl::planner::{Plan, PlanError, Planner, Situation};
use tucrl::rng::RandomStream;
use tucrl::run::{Checkpoints, Run, RunSpec, Truth};
use tucrl::solve::solve;
use tucrl::space::Space;
use tucrl::worlds::ThreeState;

use super::clock::{Way, in_turns, ratio, shown, timed};
use super::learning::taxi;
use super::literal::{self, Sets};
use super::{BenchError, Goal, Length, Row, shrunk};

pub(super) const LITERAL: &str = "literal";
pub(super) const NOMINAL: &str = "nominal-size";
pub(super) const ACCELERATED: &str = "accelerated";

const ALPHA: f64 = 0.01;

fn situation(counts: &Counts, t_k: u64) -> Situation<'_> {
    Situation::new(counts, t_k)
}

/// One plan on taxi's counts by the library and by the literal operator; both must find the same.
pub(super) fn literal(length: Length) -> Result<Vec<Row>, BenchError> {
    let steps = 1_000_000;
    let budget = Duration::from_secs(if length == Length::Full { 60 } else { 3 });
    let (mdp, truth) = taxi()?;
    let mut plain = shrunk(ALPHA);
    plain.evi.method = Method::Plain;
    let learner = Tucrl { optimism: plain.clone(), ..Tucrl::default() };
    let mut run = Run::new(spec(Algorithm::Tucrl(learner.clone()), steps), mdp, truth)?;
    run.advance(steps)?;
    let Some(mut counts) = run.agent().counts().cloned() else { return Ok(Vec::new()) };
    counts.freeze();
    let t_k = steps + 1;
    let ucrl = Ucrl { optimism: plain, ..Ucrl::default() };
    Ok(vec![
        against_literal("TUCRL", &counts, t_k, Sets::TruncatedBalls, &learner, budget)?,
        against_literal("UCRL", &counts, t_k, Sets::Boxes, &ucrl, budget)?,
    ])
}

fn against_literal(
    name: &str,
    counts: &Counts,
    t_k: u64,
    sets: Sets,
    planner: &dyn Planner,
    budget: Duration,
) -> Result<Row, BenchError> {
    let fast = planner.plan(&situation(counts, t_k))?;
    let slow = literal::plan(counts, t_k, ALPHA, sets);
    if let Some(how) = difference(counts, &fast, &slow) {
        return Err(BenchError::Disagree { name: LITERAL, how: format!("{name}: {how}") });
    }
    let best = in_turns(
        budget,
        &mut [
            &mut || {
                std::hint::black_box(literal::plan(counts, t_k, ALPHA, sets).gain_low);
                Ok(())
            },
            &mut || {
                std::hint::black_box(planner.plan(&situation(counts, t_k))?.gain_low);
                Ok(())
            },
        ],
    )?;
    let what = format!("a plan of {name} on taxi's counts after 10^6 steps, literal against ours");
    let details =
        format!("{} against {}, {} sweeps each", shown(best[0]), shown(best[1]), fast.sweeps);
    let goal = Some(Goal::AtLeast(100.0));
    Ok(Row::new(LITERAL, what, (ratio(best[0], best[1]), "x"), goal, details))
}

/// How two plans differ beyond rounding, if they do.
fn difference(counts: &Counts, fast: &Plan, slow: &literal::LiteralPlan) -> Option<String> {
    const ROUNDING: f64 = 1e-9;
    for (ours, theirs) in [(fast.gain_low, slow.gain_low), (fast.gain_high, slow.gain_high)] {
        if (ours - theirs).abs() > ROUNDING {
            return Some(format!("gain {ours} and {theirs}"));
        }
    }
    if fast.sweeps != slow.sweeps {
        return Some(format!("{} sweeps and {}", fast.sweeps, slow.sweeps));
    }
    let actions = counts.space().max_actions() as usize;
    for (number, choice) in fast.choices.iter().enumerate() {
        let state = counts.state(number as u32) as usize;
        let worth = &slow.worth[state * actions..(state + 1) * actions];
        let best = worth.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if worth[choice.action as usize] < best - ROUNDING {
            return Some(format!("action {} of state {state} is not greedy", choice.action));
        }
    }
    None
}

/// Plans on the same experience in spaces of very different nominal size.
pub(super) fn nominal_size(length: Length) -> Result<Vec<Row>, BenchError> {
    const SIZES: [u64; 4] = [1_000, 1_000_000, 1_000_000_000, 1_000_000_000_000];
    let budget = Duration::from_secs(if length == Length::Full { 60 } else { 4 });
    let (mdp, _) = taxi()?;
    // The size enters the widths by a logarithm; held fixed, all sizes do the same arithmetic.
    let optimism = Optimism { nominal_pairs: Some(6e3), ..shrunk(ALPHA) };
    let planner = Ucrl { optimism, ..Ucrl::default() };
    let steps = 300_000;
    let tables = SIZES.map(|size| random_walk(&mdp, size, steps));
    let reference = planner.plan(&situation(&tables[0], steps + 1))?;
    for counts in &tables[1..] {
        let plan = planner.plan(&situation(counts, steps + 1))?;
        if (plan.gain_low, plan.sweeps, &plan.bias)
            != (reference.gain_low, reference.sweeps, &reference.bias)
        {
            let how = format!("plans differ with {} nominal states", counts.space().states());
            return Err(BenchError::Disagree { name: NOMINAL, how });
        }
    }
    let mut plans: Vec<_> = tables
        .iter()
        .map(|counts| {
            || -> Result<(), BenchError> {
                std::hint::black_box(planner.plan(&situation(counts, steps + 1))?.gain_low);
                Ok(())
            }
        })
        .collect();
    let mut ways: Vec<Way<'_>> = plans.iter_mut().map(|plan| plan as Way<'_>).collect();
    let best = in_turns(budget, &mut ways)?;
    let slowest = best.iter().copied().max().unwrap_or_default();
    let times: Vec<String> = best.iter().map(|&time| shown(time)).collect();
    let what = "the slowest plan against that for S = 10^3, same 400 seen states of taxi, S = 10^3, 10^6, 10^9, 10^12";
    let details = format!("{}; {} sweeps each", times.join(", "), reference.sweeps);
    let measured = (ratio(slowest, best[0]), "x");
    Ok(vec![Row::new(NOMINAL, what, measured, Some(Goal::AtMost(1.05)), details)])
}

/// What a random walk counts when told that the space has so many states.
fn random_walk(mdp: &Arc<Mdp>, size: u64, steps: u64) -> Counts {
    let mut walk = Walk::new(Arc::clone(mdp), RandomStream::new(1));
    let mut random = RandomStream::new(2);
    let mut counts = Counts::new(Space::uniform(size, 6), Variance::Published);
    let mut here = counts.see(walk.state());
    for _ in 0..steps {
        let action = random.below(6) as u32;
        let step = walk.step(action);
        let next = counts.see(step.next);
        counts.record(counts.pair(here, action), step.reward, next);
        here = next;
    }
    counts.freeze();
    counts
}

/// All plans of UCRL, accelerated and plain.
pub(super) fn accelerated(length: Length) -> Result<Vec<Row>, BenchError> {
    let three_state = ThreeState { delta: 0.0, ..ThreeState::default() }.build()?;
    let solution = solve(&three_state)?;
    let gain = solution.gain_from_start(&three_state).0;
    let truth = Truth { gain, reachable: 2, optimal_policy: solution.policy };
    let short = length == Length::Short;
    Ok(vec![
        three_state_row(Arc::new(three_state), truth)?,
        taxi_row(if short { 100_000 } else { 1_000_000 }, if short { 400 } else { 200 })?,
    ])
}

fn three_state_row(mdp: Arc<Mdp>, truth: Truth) -> Result<Row, BenchError> {
    let steps = 10_000_000;
    let mut best = [Duration::MAX; 2];
    let mut sweeps = [0; 2];
    for _ in 0..3 {
        for (index, method) in [Method::Plain, Method::Accelerated].into_iter().enumerate() {
            let spec = spec(Algorithm::Ucrl(ucrl(0.05, method)), steps);
            let mut run = Run::new(spec, Arc::clone(&mdp), truth.clone())?;
            run.advance(steps)?;
            best[index] = run.clocks().1.min(best[index]);
            sweeps[index] = run.agent().sweeps();
        }
    }
    let what = "all plans of UCRL, alpha = 0.05, on three-state with delta = 0 to 10^7 steps, plain against accelerated";
    let details = format!(
        "{} against {}; {} and {} sweeps",
        shown(best[0]),
        shown(best[1]),
        sweeps[0],
        sweeps[1]
    );
    let goal = Some(Goal::AtLeast(20.0));
    Ok(Row::new(ACCELERATED, what, (ratio(best[0], best[1]), "x"), goal, details))
}

/// Every so-many-th plan of an accelerated run, made both ways from the same counts; and accelerated once more
/// from the values of the plan before, which is an option.
fn taxi_row(steps: u64, every: usize) -> Result<Row, BenchError> {
    let (mdp, truth) = taxi()?;
    let (fast, plain) = (ucrl(ALPHA, Method::Accelerated), ucrl(ALPHA, Method::Plain));
    let mut warm = fast.clone();
    warm.optimism.evi.warm_start = true;
    let mut run = Run::new(spec(Algorithm::Ucrl(fast.clone()), steps), mdp, truth)?;
    let (mut times, mut sampled, mut due) = ([Duration::ZERO; 3], 0, every);
    while !run.is_complete() {
        run.advance(run.taken() + 1)?;
        if run.agent().episode_count() < due {
            continue;
        }
        due += every;
        sampled += 1;
        let Some(mut counts) = run.agent().counts().cloned() else { continue };
        counts.freeze();
        let previous = run.agent().plan().map(|plan| Values {
            seen: plan.bias.clone(),
            unseen: plan.bias_unseen.unwrap_or(0.0),
        });
        let now = Situation { previous: previous.as_ref(), ..situation(&counts, run.taken() + 1) };
        let plans: [&dyn Planner; 3] = [&plain, &fast, &warm];
        let mut best = [Duration::MAX; 3];
        for _ in 0..3 {
            for (planner, best) in plans.into_iter().zip(&mut best) {
                let (outcome, time): (Result<Plan, PlanError>, _) = timed(|| planner.plan(&now));
                outcome?;
                *best = time.min(*best);
            }
        }
        times.iter_mut().zip(best).for_each(|(sum, best)| *sum += best);
    }
    let what = format!(
        "every {every}th plan of UCRL, alpha = {ALPHA}, on taxi to {:.0e} steps, plain against accelerated",
        steps as f64
    );
    let details = format!(
        "{} against {}; {sampled} plans; with warm_start=true {}, {:.1}x",
        shown(times[0]),
        shown(times[1]),
        shown(times[2]),
        ratio(times[0], times[2])
    );
    let goal = Some(Goal::AtLeast(20.0));
    Ok(Row::new(ACCELERATED, what, (ratio(times[0], times[1]), "x"), goal, details))
}

fn ucrl(alpha: f64, method: Method) -> Ucrl {
    let mut optimism = shrunk(alpha);
    optimism.evi.method = method;
    optimism.evi.sweep_limit = u64::MAX;
    Ucrl { optimism, ..Ucrl::default() }
}

fn spec(algorithm: Algorithm, steps: u64) -> RunSpec {
    RunSpec { algorithm, steps, checkpoints: Checkpoints::PerDecade(1), master_seed: 1, run: 0 }
}

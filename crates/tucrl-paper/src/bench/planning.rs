//! How long does a plan take: against the literal operator, by nominal size, and with acceleration?

use std::sync::Arc;
use std::time::Duration;

use tucrl::Algorithm;
use tucrl::agents::{Optimism, Tucrl, TucrlPlus, Ucrl};
use tucrl::counts::{Counts, Variance};
use tucrl::env::{Environment, Walk};
use tucrl::evi::Method;
use tucrl::inner_max::Values;
use tucrl::mdp::Mdp;
use tucrl::model::Model;
use tucrl::planner::{Plan, PlanError, PlanInput, Planner};
use tucrl::rng::RandomStream;
use tucrl::run::{Checkpoints, Run, RunSpec};
use tucrl::space::Space;
use tucrl::truth::Truth;
use tucrl::worlds::{Taxi, ThreeState};

use tucrl_lab::text::stopwatch;

use super::clock::{Variant, in_turns, ratio, timed};
use super::learning::taxi;
use super::literal::{self, Sets};
use super::{BenchError, Goal, Length, Row};

pub(super) const LITERAL: &str = "literal";
pub(super) const NOMINAL: &str = "nominal-size";
pub(super) const ACCELERATED: &str = "accelerated";
pub(super) const WARM: &str = "warm-plans";

const ALPHA: f64 = 0.01;

/// Plans with counts that were made before.
fn plan<P: Planner>(
    planner: &mut P,
    counts: &Counts,
    t_k: u64,
    previous: Option<&Values>,
) -> Result<Plan, PlanError> {
    let mut random = RandomStream::new(0);
    planner.plan(&mut PlanInput { previous, ..PlanInput::new(counts, t_k, &mut random) })
}

/// One plan on taxi's counts by the library and by the literal operator; both must agree.
pub(super) fn literal(length: Length) -> Result<Vec<Row>, BenchError> {
    let steps = 1_000_000;
    let budget = Duration::from_secs(if length == Length::Full { 60 } else { 3 });
    let (model, truth) = taxi()?;
    let plain = Optimism { planner: Method::Plain, ..Optimism::shrunk(ALPHA) };
    let mut tucrl = Tucrl { optimism: plain.clone(), ..Tucrl::default() };
    let mut run = Run::new(spec(steps), Arc::new(tucrl.clone()), &model, truth)?;
    run.advance(steps)?;
    let Some(mut counts) = run.learner().diary().counts.cloned() else { return Ok(Vec::new()) };
    counts.freeze();
    let t_k = steps + 1;
    let mut ucrl = Ucrl { optimism: plain, ..Ucrl::default() };
    Ok(vec![
        against_literal("TUCRL", &counts, t_k, Sets::TruncatedBalls, &mut tucrl, budget)?,
        against_literal("UCRL", &counts, t_k, Sets::Boxes, &mut ucrl, budget)?,
    ])
}

fn against_literal(
    name: &str,
    counts: &Counts,
    t_k: u64,
    sets: Sets,
    planner: &mut impl Planner,
    budget: Duration,
) -> Result<Row, BenchError> {
    let fast = plan(planner, counts, t_k, None)?;
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
                std::hint::black_box(plan(planner, counts, t_k, None)?.gain_low);
                Ok(())
            },
        ],
    )?;
    let what = format!("a plan of {name} on taxi's counts after 10^6 steps, literal against ours");
    let details = format!(
        "{} against {}, {} sweeps each",
        stopwatch(best[0]),
        stopwatch(best[1]),
        fast.sweeps
    );
    let goal = Some(Goal::AtLeast(100.0));
    Ok(Row::new(LITERAL, what, (ratio(best[0], best[1]), "x"), goal, details))
}

/// A difference between two plans beyond rounding, if there is one.
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

/// Plans on the same counts in spaces of very different nominal size.
pub(super) fn nominal_size(length: Length) -> Result<Vec<Row>, BenchError> {
    const SIZES: [u64; 4] = [1_000, 1_000_000, 1_000_000_000, 1_000_000_000_000];
    let budget = Duration::from_secs(if length == Length::Full { 60 } else { 4 });
    let mdp = Arc::new(Taxi::default().build()?);
    // The size enters the widths by a logarithm; held fixed, all sizes do the same arithmetic.
    let optimism = Optimism { sa: 6e3.into(), ..Optimism::shrunk(ALPHA) };
    let planner = Ucrl { optimism, ..Ucrl::default() };
    let steps = 300_000;
    let tables = SIZES.map(|size| random_walk(&mdp, size, steps));
    let planned = |counts| plan(&mut planner.clone(), counts, steps + 1, None);
    let reference = planned(&tables[0])?;
    for counts in &tables[1..] {
        let plan = planned(counts)?;
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
                std::hint::black_box(planned(counts)?.gain_low);
                Ok(())
            }
        })
        .collect();
    let mut variants: Vec<Variant<'_>> = plans.iter_mut().map(|plan| plan as Variant<'_>).collect();
    let best = in_turns(budget, &mut variants)?;
    let slowest = best.iter().copied().max().unwrap_or_default();
    let times: Vec<String> = best.iter().map(|&time| stopwatch(time)).collect();
    let what = "the slowest plan against that for S = 10^3, same 400 seen states of taxi, S = 10^3, 10^6, 10^9, 10^12";
    let details = format!("{}; {} sweeps each", times.join(", "), reference.sweeps);
    let measured = (ratio(slowest, best[0]), "x");
    Ok(vec![Row::new(NOMINAL, what, measured, Some(Goal::AtMost(1.05)), details)])
}

/// The counts of a random walk in a space with this nominal number of states.
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
    let short = length == Length::Short;
    Ok(vec![
        three_state_row()?,
        taxi_row(if short { 100_000 } else { 1_000_000 }, if short { 400 } else { 200 })?,
    ])
}

fn three_state_row() -> Result<Row, BenchError> {
    let world = ThreeState { delta: 0.0, ..ThreeState::default() };
    let model = Model::from(Arc::new(world.build()?));
    let truth = Arc::new(Truth::of(&model)?);
    let steps = 10_000_000;
    let mut best = [Duration::MAX; 2];
    let mut sweeps = [0; 2];
    for _ in 0..3 {
        for (index, method) in [Method::Plain, Method::Accelerated].into_iter().enumerate() {
            let algorithm = Arc::new(ucrl(0.05, method));
            let mut run = Run::new(spec(steps), algorithm, &model, Arc::clone(&truth))?;
            run.advance(steps)?;
            best[index] = run.clocks().1.min(best[index]);
            sweeps[index] = run.learner().diary().sweeps;
        }
    }
    let what = "all plans of UCRL, alpha = 0.05, on three-state with delta = 0 to 10^7 steps, plain against accelerated";
    let details = format!(
        "{} against {}; {} and {} sweeps",
        stopwatch(best[0]),
        stopwatch(best[1]),
        sweeps[0],
        sweeps[1]
    );
    let goal = Some(Goal::AtLeast(20.0));
    Ok(Row::new(ACCELERATED, what, (ratio(best[0], best[1]), "x"), goal, details))
}

/// Every `every`-th plan of an accelerated run, made both ways from the same counts; and accelerated once more
/// from the values of the plan before, which is an option.
fn taxi_row(steps: u64, every: usize) -> Result<Row, BenchError> {
    let (model, truth) = taxi()?;
    let (mut fast, mut plain) = (ucrl(ALPHA, Method::Accelerated), ucrl(ALPHA, Method::Plain));
    let mut warm = fast.clone();
    warm.optimism.warm_start = true;
    let mut run = Run::new(spec(steps), Arc::new(fast.clone()), &model, truth)?;
    let (mut times, mut sampled, mut due) = ([Duration::ZERO; 3], 0, every);
    while !run.is_complete() {
        run.advance(run.taken() + 1)?;
        let diary = run.learner().diary();
        if diary.episode_count() < due {
            continue;
        }
        due += every;
        sampled += 1;
        let Some(mut counts) = diary.counts.cloned() else { continue };
        counts.freeze();
        let previous = diary.plan.map(|plan| Values {
            seen: plan.bias.clone(),
            unseen: plan.bias_unseen.unwrap_or(0.0),
        });
        let t_k = run.taken() + 1;
        let mut plans: [&mut Ucrl; 3] = [&mut plain, &mut fast, &mut warm];
        let mut best = [Duration::MAX; 3];
        for _ in 0..3 {
            for (planner, best) in plans.iter_mut().zip(&mut best) {
                let (outcome, time): (Result<Plan, PlanError>, _) =
                    timed(|| plan(*planner, &counts, t_k, previous.as_ref()));
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
        stopwatch(times[0]),
        stopwatch(times[1]),
        stopwatch(times[2]),
        ratio(times[0], times[2])
    );
    let goal = Some(Goal::AtLeast(20.0));
    Ok(Row::new(ACCELERATED, what, (ratio(times[0], times[1]), "x"), goal, details))
}

/// All plans of a run with default options, which keep what the last plan knew, against plans from 0.
pub(super) fn warm(length: Length) -> Result<Vec<Row>, BenchError> {
    let steps = if length == Length::Full { 1_000_000 } else { 100_000 };
    let plus = |optimism| -> Arc<dyn Algorithm> {
        Arc::new(TucrlPlus { optimism, ..TucrlPlus::default() })
    };
    let ucrl = |optimism| -> Arc<dyn Algorithm> { Arc::new(Ucrl { optimism, ..Ucrl::default() }) };
    Ok(vec![
        warm_row("TUCRL+, alpha = 1", steps, |start| plus(warmth(1.0, start)))?,
        warm_row("UCRL, alpha = 0.01", steps, |start| ucrl(warmth(ALPHA, start)))?,
    ])
}

fn warmth(alpha: f64, warm_start: bool) -> Optimism {
    Optimism { warm_start, ..Optimism::shrunk(alpha) }
}

/// Both runs advance in turns, so that other load slows both down. They are not the same run: plans are equally good, not
/// equal.
fn warm_row(
    name: &str,
    steps: u64,
    algorithm: impl Fn(bool) -> Arc<dyn Algorithm>,
) -> Result<Row, BenchError> {
    const TURNS: u64 = 20;
    let (model, truth) = taxi()?;
    let start = |is_warm| Run::new(spec(steps), algorithm(is_warm), &model, Arc::clone(&truth));
    let (mut cold, mut warm) = (start(false)?, start(true)?);
    for turn in 1..=TURNS {
        cold.advance(steps * turn / TURNS)?;
        warm.advance(steps * turn / TURNS)?;
    }
    let told = |run: &Run| {
        let diary = run.learner().diary();
        let (time, plans) = (run.clocks().1, diary.episode_count());
        (time, format!("{} in {} sweeps, {plans} plans", stopwatch(time), diary.sweeps))
    };
    let ((cold, cold_details), (warm, warm_details)) = (told(&cold), told(&warm));
    let what = format!(
        "all plans of {name}, on taxi to {:.0e} steps, warm_start=false against default",
        steps as f64
    );
    let details = format!("{cold_details}; {warm_details}");
    Ok(Row::new(WARM, what, (ratio(cold, warm), "x"), Some(Goal::AtLeast(5.0)), details))
}

fn ucrl(alpha: f64, method: Method) -> Ucrl {
    let optimism = Optimism { planner: method, sweeps: u64::MAX, ..Optimism::shrunk(alpha) };
    Ucrl { optimism, ..Ucrl::default() }
}

fn spec(steps: u64) -> RunSpec {
    RunSpec { steps, checkpoints: Checkpoints::PerDecade(1), master_seed: 1, run: 0 }
}

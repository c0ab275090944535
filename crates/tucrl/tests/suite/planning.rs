//! The fast planners against the paper's operators written out literally, on random count tables.
#![allow(missing_docs, clippy::unwrap_used)]

use crate::support;

use proptest::prelude::*;
use support::literal::{Learner, Options, Table, Variances, span};
use support::literal_scal::Clip;
use support::tables::{Case, Seen, case, config, values};
use tucrl::counts::Counts;
use tucrl::evi::{Method, Ties};
use tucrl::span_clip::{Mode, Operator, SpanClip};
use tucrl::{Optimism, Plan, PlanError};

const ALL: &[Learner] = &[
    Learner::Ucrl2,
    Learner::Ucrl2b,
    Learner::TucrlL1,
    Learner::TucrlZeta,
    Learner::TucrlMass,
    Learner::PlusTight,
    Learner::PlusBernstein,
];
/// Plans that need more sweeps are compared in how they failed.
const SWEEPS: u64 = 2000;

fn close(a: f64, b: f64, unit: f64) -> bool {
    (a - b).abs() <= 1e-9 * unit
}

/// The bias of a plan equals values of the literal planner up to one constant, also where unseen.
fn check_values(
    case: &Case,
    counts: &Counts,
    plan: &Plan,
    literal: &[f64],
) -> Result<(), TestCaseError> {
    let fast = case.dense(counts, &plan.bias, plan.bias_unseen);
    let shift = literal[case.table.here] - fast[case.table.here];
    for (s, (fast, literal)) in fast.iter().zip(literal).enumerate() {
        prop_assert_eq!(fast.is_nan(), literal.is_nan(), "planned on {}", s);
        let agree = fast.is_nan() || close(fast + shift, *literal, case.table.r_max);
        prop_assert!(agree, "value of {}: {} vs {}", s, fast + shift, literal);
    }
    Ok(())
}

/// The action chosen among `values` follows the rule for ties; where rounding decides whether there
/// is a tie, it is one of the tied ones.
fn check_choice(
    chosen: u32,
    values: &[f64],
    visits: impl Fn(usize) -> u64,
    ties: Ties,
    unit: f64,
) -> Result<(), TestCaseError> {
    let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let within = |tolerance: f64| -> Vec<usize> {
        let bar = best - tolerance * (unit + best.abs());
        (0..values.len()).filter(|&a| values[a] >= bar).collect()
    };
    let (surely, perhaps) = (within(2e-13), within(1e-11));
    prop_assert!(perhaps.contains(&(chosen as usize)), "{} of {:?}", chosen, values);
    if surely == perhaps {
        let expected = match ties {
            Ties::LeastVisited => surely.iter().copied().min_by_key(|&a| (visits(a), a)),
            _ => surely.first().copied(),
        };
        prop_assert_eq!(Some(chosen as usize), expected, "values {:?}", values);
    }
    Ok(())
}

/// Every span before the last is above the tolerance and the last one is not, up to rounding.
fn check_stop(measures: &[f64], tolerance: f64, has_converged: bool) -> Result<(), TestCaseError> {
    let (last, earlier) = measures.split_last().unwrap();
    let slack = 1e-9 * tolerance;
    prop_assert!(earlier.iter().all(|&measure| measure > tolerance - slack), "stopped too late");
    prop_assert!(!has_converged || *last <= tolerance + slack, "stopped too early");
    prop_assert!(has_converged || *last > tolerance - slack, "did not stop");
    Ok(())
}

fn check_plain_plan(case: &Case, ties: Ties) -> Result<(), TestCaseError> {
    let counts = case.counts();
    let model = case.options.model(&case.table);
    let unit = case.table.r_max;
    let tolerance = unit / (case.table.time as f64).sqrt();
    let plan = match case.plan(&counts, Method::Plain, ties, SWEEPS) {
        Ok(plan) => plan,
        Err(PlanError::NotConverged { sweeps, span, tolerance: asked, .. }) => {
            let literal = model.evi(tolerance, Some(SWEEPS as usize));
            prop_assert_eq!((sweeps, asked), (SWEEPS, tolerance));
            prop_assert!(close(span, *literal.spans.last().unwrap(), unit));
            return check_stop(&literal.spans, tolerance, false);
        }
        Err(other) => return Err(TestCaseError::fail(other.to_string())),
    };
    let literal = model.evi(tolerance, Some(plan.sweeps as usize));
    check_stop(&literal.spans, tolerance, true)?;
    prop_assert!(
        close(plan.gain_low, literal.gain_lo, unit),
        "{} {}",
        plan.gain_low,
        literal.gain_lo
    );
    prop_assert!(
        close(plan.gain_high, literal.gain_hi, unit),
        "{} {}",
        plan.gain_high,
        literal.gain_hi
    );
    // A bias is tau times the iterates of a lazy chain.
    let bias: Vec<f64> = literal.values.iter().map(|value| case.options.tau * value).collect();
    check_values(case, &counts, &plan, &bias)?;
    for (number, choice) in plan.choices.iter().enumerate() {
        let state = counts.state(number as u32) as usize;
        prop_assert_eq!(choice.mix, 0.0);
        let visits = |a: usize| case.table.visits(state, a);
        check_choice(choice.action, &literal.action_values[state], visits, ties, unit)?;
    }
    let seen = case.table.seen();
    let under_visited = (0..case.table.states()).filter(|&s| seen[s]).flat_map(|s| {
        (0..case.table.next[s].len())
            .filter(move |&a| case.options.is_under_visited(&case.table, s, a))
    });
    prop_assert_eq!(plan.under_visited as usize, under_visited.count());
    prop_assert_eq!(plan.unseen as usize, seen.iter().filter(|&&is_seen| !is_seen).count());
    Ok(())
}

/// What a plan must satisfy however it was found, judged by the literal operator.
fn check_certificate(
    case: &Case,
    optimism: Optimism,
    previous: Option<&[f64]>,
) -> Result<(), TestCaseError> {
    let counts = case.counts();
    let model = case.options.model(&case.table);
    let unit = case.table.r_max;
    let tolerance = unit / (case.table.time as f64).sqrt();
    let noise = match optimism.ties {
        Ties::Noise => 0.1 * tolerance.min(1e-6 * unit),
        _ => 0.0,
    };
    let previous = previous.map(|values| case.by_number(&counts, values));
    let plan = match case.plan_from(&counts, optimism, previous.as_ref()) {
        Ok(plan) => plan,
        // Without widths the MDP may be periodic, or fall apart into classes of different gains.
        Err(PlanError::NotConverged { .. }) if case.options.alpha_p == 0.0 => {
            let literal = model.evi(tolerance, Some(SWEEPS as usize));
            return check_stop(&literal.spans, tolerance, false);
        }
        Err(error) => return Err(TestCaseError::fail(error.to_string())),
    };
    let bias = case.dense(&counts, &plan.bias, plan.bias_unseen);
    let values: Vec<f64> = bias.iter().map(|value| value / case.options.tau).collect();
    let action_values = model.action_values(&values);
    let swept = model.sweep(&values);
    let steps: Vec<f64> = swept.iter().zip(&values).map(|(new, old)| new - old).collect();
    // Biases grow with the time that transitions take; so do the rounding errors of their differences.
    let slack = unit * 1e-9 + 1e-13 * span(&values);
    prop_assert!(span(&steps) <= tolerance + slack, "{} > {}", span(&steps), tolerance);
    let low = steps.iter().copied().fold(f64::NAN, f64::min);
    let high = steps.iter().copied().fold(f64::NAN, f64::max);
    // A gain is a mean reward: bounds outside [0, r_max] say no more than its ends.
    let (low, high) = (low.clamp(0.0, unit), high.clamp(0.0, unit));
    prop_assert!((plan.gain_low - low).abs() <= slack, "{} vs {}", plan.gain_low, low);
    prop_assert!((plan.gain_high - high).abs() <= slack, "{} vs {}", plan.gain_high, high);
    // Every number of sweeps brackets the optimistic gain.
    let literal = model.evi(0.0, Some(500));
    prop_assert!(plan.gain_low <= literal.gain_hi + slack, "{} {}", plan.gain_low, literal.gain_hi);
    prop_assert!(
        plan.gain_high >= literal.gain_lo - slack,
        "{} {}",
        plan.gain_high,
        literal.gain_lo
    );
    for (number, choice) in plan.choices.iter().enumerate() {
        let state = counts.state(number as u32) as usize;
        let chosen = action_values[state][choice.action as usize];
        prop_assert!(chosen >= swept[state] - slack - noise, "not greedy in {}", state);
    }
    Ok(())
}

#[derive(Debug, Clone)]
struct Clipping {
    c: f64,
    mode: Mode,
    operator: Operator,
    augments: bool,
    ties: Ties,
}

fn clipping() -> impl Strategy<Value = Clipping> {
    let spans = prop::sample::select(&[0.0, 0.1, 0.5, 1.0, 1.0, 2.0, 5.0, f64::INFINITY][..]);
    let ties = prop::sample::select(&[Ties::LeastVisited, Ties::LowestIndex][..]);
    (spans, prop::bool::weighted(0.3), any::<bool>(), prop::bool::weighted(0.6), ties).prop_map(
        |(c, is_theory, falls_back, augments, ties)| Clipping {
            c,
            mode: if is_theory && c > 0.0 && c.is_finite() {
                Mode::Theory
            } else {
                Mode::Practical
            },
            operator: if falls_back { Operator::N } else { Operator::T },
            augments,
            ties,
        },
    )
}

fn check_clipped_plan(case: &Case, clipping: &Clipping) -> Result<(), TestCaseError> {
    let counts = case.counts();
    let mut model = case.options.model(&case.table);
    let (unit, time) = (case.table.r_max, case.table.time as f64);
    let tolerance = unit / time.sqrt();
    let c = clipping.c * unit;
    let first_seen = counts.state(0) as usize;
    let is_theory = clipping.mode == Mode::Theory;
    if is_theory {
        model.tau = 1.0;
    }
    let tau = model.tau;
    let literal = Clip {
        c,
        augments_reward: clipping.augments,
        perturbation: is_theory.then(|| (first_seen, (unit / (c * time)).min(1.0))),
        falls_back: clipping.operator == Operator::N,
    };
    let options = SpanClip {
        c,
        mode: clipping.mode,
        operator: clipping.operator,
        augment_rewards: clipping.augments,
        aperiodicity: case.options.tau,
        ties: clipping.ties,
        sweep_limit: SWEEPS,
    };
    let plan = match case.scal(&counts, options) {
        Ok(plan) => plan,
        Err(PlanError::NotConverged { sweeps, span, .. }) => {
            prop_assert_eq!(sweeps, SWEEPS);
            let literal = literal.scopt(&model, first_seen, tolerance, Some(SWEEPS as usize));
            // The contraction term is as large as the sweeps that theory asks for.
            let expected = *literal.measures.last().unwrap();
            prop_assert!(close(span, expected, unit + expected), "{} {}", span, expected);
            return check_stop(&literal.measures, tolerance, false);
        }
        Err(PlanError::Infeasible { state, .. }) => {
            prop_assert!(!clipping.augments && clipping.operator == Operator::T);
            let literal = literal.scopt(&model, first_seen, tolerance, None);
            let state = state as usize;
            prop_assert!(!literal.last.mixtures[state].is_feasible, "state {} is feasible", state);
            return Ok(());
        }
        Err(other) => return Err(TestCaseError::fail(other.to_string())),
    };
    let literal = literal.scopt(&model, first_seen, tolerance, Some(plan.sweeps as usize));
    check_stop(&literal.measures, tolerance, true)?;
    prop_assert!(
        close(plan.gain_low, literal.gain_lo, unit),
        "{} {}",
        plan.gain_low,
        literal.gain_lo
    );
    prop_assert!(
        close(plan.gain_high, literal.gain_hi, unit),
        "{} {}",
        plan.gain_high,
        literal.gain_hi
    );
    let bias: Vec<f64> = literal.values.iter().map(|value| tau * value).collect();
    check_values(case, &counts, &plan, &bias)?;
    if clipping.operator == Operator::T {
        prop_assert!(plan.span() <= c + 1e-12 * (unit + c), "span {} > {}", plan.span(), c);
    }
    for (number, choice) in plan.choices.iter().enumerate() {
        let state = counts.state(number as u32) as usize;
        let (highest, lowest) = (&literal.last.highest[state], &literal.last.lowest[state]);
        let mixture = literal.last.mixtures[state];
        let (best, worst) = (highest[mixture.high], lowest[mixture.low]);
        let threshold = literal.last.threshold;
        prop_assert!((0.0..=1.0).contains(&choice.mix));
        let (action, other) = (choice.action as usize, choice.other as usize);
        let is_worst = |a: usize| lowest[a] <= worst + 1e-9 * unit;
        if worst > threshold + 2e-9 * (unit + threshold.abs()) {
            // No mixture is worth the clip: operator N plays the most pessimistic action.
            prop_assert!(clipping.operator == Operator::N && choice.mix == 0.0 && is_worst(action));
        } else if choice.mix > 0.0 {
            let visits = |a: usize| case.table.visits(state, a);
            check_choice(choice.action, highest, visits, clipping.ties, unit)?;
            prop_assert!(is_worst(other) && action != other);
            let worth = (1.0 - choice.mix) * highest[action] + choice.mix * lowest[other];
            prop_assert!(close(worth, threshold, unit), "mixture {} vs {}", worth, threshold);
        } else if best <= threshold + 1e-9 * unit || best - worst <= 1e-11 * unit {
            prop_assert!(highest[action] >= best - 1e-9 * unit || is_worst(action));
        } else {
            prop_assert!(is_worst(action), "an unmixed choice in a clipped state");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(4000, 1))]

    #[test]
    fn one_fast_sweep_of_any_values_is_one_literal_sweep(
        case in case(ALL, Seen::Some), (seed, unseen) in values(),
    ) {
        let mut case = case;
        case.options.tau = 1.0;
        case.options.known_rewards = None;
        let counts = case.counts();
        let model = case.options.model(&case.table);
        let values = case.values_of(&model, &seed, unseen);
        let fast = case.set(&counts).sweep(&case.by_number(&counts, &values));
        let has_unseen = counts.unseen() > 0 && model.planned.iter().all(|&is_planned| is_planned);
        let fast = case.dense(&counts, &fast.seen, has_unseen.then_some(fast.unseen));
        for (s, (fast, literal)) in fast.iter().zip(model.sweep(&values)).enumerate() {
            prop_assert_eq!(fast.is_nan(), literal.is_nan());
            let agree = fast.is_nan() || close(*fast, literal, 1.0);
            prop_assert!(agree, "state {}: {} vs {}", s, fast, literal);
        }
    }
}

proptest! {
    #![proptest_config(config(3000, 2))]

    #[test]
    fn plain_plans_are_the_literal_ones(
        case in case(ALL, Seen::Some),
        ties in prop::sample::select(&[Ties::LeastVisited, Ties::LowestIndex][..]),
    ) {
        check_plain_plan(&case, ties)?;
    }

    #[test]
    fn plain_plans_are_the_literal_ones_when_every_state_has_been_seen(
        case in case(ALL, Seen::All),
        ties in prop::sample::select(&[Ties::LeastVisited, Ties::LowestIndex][..]),
    ) {
        check_plain_plan(&case, ties)?;
    }

    #[test]
    fn accelerated_plans_pass_the_literal_stopping_rule(
        case in case(ALL, Seen::Some),
        ties in prop::sample::select(&[Ties::LeastVisited, Ties::LowestIndex, Ties::Noise][..]),
    ) {
        let optimism = case.optimism(Method::Accelerated, ties, 20_000);
        check_certificate(&case, optimism, None)?;
    }

    #[test]
    fn warm_plans_pass_the_literal_stopping_rule(
        case in case(ALL, Seen::Some), (seed, unseen) in values(),
    ) {
        let mut optimism = case.optimism(Method::Accelerated, Ties::LeastVisited, 20_000);
        optimism.warm_start = true;
        let model = case.options.model(&case.table);
        let start = case.values_of(&model, &seed, unseen);
        check_certificate(&case, optimism, Some(&start))?;
    }

    #[test]
    fn clipped_plans_are_the_literal_ones(
        case in case(&[Learner::Ucrl2b], Seen::Some), clipping in clipping(),
    ) {
        check_clipped_plan(&case, &clipping)?;
    }
}

#[test]
fn where_no_mixture_exists_states_never_seen_rise_above_the_clip_too() {
    // Operator N, perturbed and without augmented rewards: every law must give the first seen state
    // (0, highly valued) a fifth, so that even the worst law of a state never seen is worth more than
    // the clip. Found by chance in 30 000 random cases.
    let next = vec![
        vec![vec![0, 1, 0, 0, 0]],
        vec![vec![0, 0, 1, 0, 0]],
        vec![vec![2000, 0, 1, 0, 0], vec![0, 2, 1000, 0, 0], vec![13, 0, 1003, 0, 0]],
        vec![vec![0, 0, 0, 13, 0]],
        vec![vec![0, 0, 0, 0, 0]],
    ];
    let paid: [&[f64]; 5] = [&[0.0], &[0.0149], &[0.02, 0.006, 0.006], &[0.0], &[0.0]];
    let rewards = |s: usize| {
        let rows = next[s].iter().zip(paid[s]);
        rows.map(|(row, &reward)| vec![reward; row.iter().sum::<u64>() as usize]).collect()
    };
    let rewards = (0..5).map(rewards).collect();
    let case = Case {
        table: Table { r_max: 0.02, next, rewards, here: 2, time: 10 },
        options: Options {
            learner: Learner::Ucrl2b,
            delta: 0.3,
            shrinks_log: false,
            alpha_r: 0.001,
            alpha_p: 1e-4,
            variances: Variances::Published,
            known_rewards: None,
            tau: 1.0,
        },
        has_falling_delta: false,
        order: (0..5).collect(),
        seed: 1,
    };
    let (mode, operator) = (Mode::Theory, Operator::N);
    let ties = Ties::LeastVisited;
    let clipping = Clipping { c: 0.5, mode, operator, augments: false, ties };
    check_clipped_plan(&case, &clipping).unwrap();
}

//! What must hold of every plan, on random count tables.
#![allow(missing_docs, clippy::disallowed_methods, clippy::unwrap_used)]

use crate::support;

use proptest::prelude::*;
use support::literal::{self, Laws, Learner, Model, Options, Table, Variances, span};
use support::literal_scal::Clip;
use support::tables::{Case, Seen, case, config, values};
use tucrl::agents::Relaxation;
use tucrl::evi::{Method, Ties};
use tucrl::inner_max::{UNSEEN, Values};
use tucrl::solve::solve;
use tucrl::span_clip::SpanClip;
use tucrl::{Mdp, Optimism, Plan, Tucrl, Ucrl};

const ALL: &[Learner] = &[
    Learner::Ucrl2,
    Learner::Ucrl2b,
    Learner::TucrlL1,
    Learner::TucrlZeta,
    Learner::TucrlMass,
    Learner::PlusTight,
    Learner::PlusBernstein,
];
const TRUNCATED: &[Learner] = &[
    Learner::TucrlL1,
    Learner::TucrlZeta,
    Learner::TucrlMass,
    Learner::PlusTight,
    Learner::PlusBernstein,
];
const SWEEPS: u64 = 2000;

fn close(a: f64, b: f64, unit: f64) -> bool {
    (a - b).abs() <= 1e-9 * unit
}

/// Values by number of seen state, and the same by nominal state.
fn both_kinds(case: &Case, model: &Model, seed: &[f64], unseen: f64) -> (Values, Vec<f64>) {
    let dense = case.values_of(model, seed, unseen);
    (case.by_number(&case.counts(), &dense), dense)
}

/// The expected value of a law of the library.
fn expectation(law: &[(u32, f64)], values: &Values) -> f64 {
    let worth =
        |state: u32| if state == UNSEEN { values.unseen } else { values.seen[state as usize] };
    law.iter().map(|&(state, mass)| mass * worth(state)).sum()
}

/// A law of the library is a law, and lies in the literal set.
fn check_law(
    case: &Case,
    literal: &Laws,
    counts: &tucrl::counts::Counts,
    law: &[(u32, f64)],
) -> Result<(), TestCaseError> {
    let total: f64 = law.iter().map(|entry| entry.1).sum();
    prop_assert!((total - 1.0).abs() <= 1e-12 && law.iter().all(|entry| entry.1 >= 0.0));
    let mass = |s: usize| {
        let number = counts.number(s as u64).unwrap_or(UNSEEN);
        law.iter().find(|entry| entry.0 == number).map_or(0.0, |entry| entry.1)
    };
    let seen = case.table.seen();
    let unseen = || (0..seen.len()).filter(|&s| !seen[s]);
    let on_unseen = law.iter().find(|entry| entry.0 == UNSEEN).map_or(0.0, |entry| entry.1);
    match literal {
        Laws::Simplex { allowed } => {
            let allows_unseen = unseen().any(|s| allowed[s]);
            prop_assert!(allows_unseen || on_unseen == 0.0);
        }
        Laws::Interval { lo, up } => {
            for s in (0..seen.len()).filter(|&s| seen[s]) {
                prop_assert!(mass(s) >= lo[s] - 1e-12 && mass(s) <= up[s] + 1e-12, "state {}", s);
            }
            prop_assert!(on_unseen <= unseen().map(|s| up[s]).sum::<f64>() + 1e-12);
        }
        Laws::Ball { center, radius, allowed } => {
            let seen_states = (0..seen.len()).filter(|&s| seen[s]);
            let distance: f64 = seen_states.map(|s| (mass(s) - center[s]).abs()).sum();
            prop_assert!(distance + on_unseen <= radius + 1e-12);
            prop_assert!(unseen().any(|s| allowed[s]) || on_unseen == 0.0);
        }
        Laws::Budget { lo, up, budget, raises, allowed } => {
            let seen_states = || (0..seen.len()).filter(|&s| seen[s]);
            let above = |s: usize| (mass(s) - up[s]).max(0.0);
            let used = seen_states().map(above).sum::<f64>() + on_unseen;
            prop_assert!(seen_states().all(|s| mass(s) >= lo[s] - 1e-12));
            prop_assert!(used <= budget + 1e-12, "{} > {}", used, budget);
            let observed = || seen_states().filter(|&s| up[s] > 0.0);
            prop_assert!(*raises || observed().all(|s| above(s) <= 1e-12));
            prop_assert!(unseen().any(|s| allowed[s]) || on_unseen == 0.0);
        }
    }
    Ok(())
}

/// The same learner with widths `factor` times as wide.
fn widened(case: &Case, factor: f64) -> Case {
    let mut wide = case.clone();
    wide.options.alpha_r *= factor;
    wide.options.alpha_p *= factor;
    wide
}

/// A plain plan, if it converges.
fn plain(case: &Case) -> Option<Plan> {
    case.plan(&case.counts(), Method::Plain, Ties::LeastVisited, SWEEPS).ok()
}

/// Renames states and reverses the actions of each.
fn relabelled(case: &Case, name: &[usize]) -> Case {
    let old = |new: usize| name.iter().position(|&n| n == new).unwrap();
    let states = case.table.states();
    let mut other = case.clone();
    for s in 0..states {
        let rows = case.table.next[old(s)].iter().rev();
        other.table.next[s] =
            rows.map(|row| (0..states).map(|next| row[old(next)]).collect()).collect();
        // Rewards are shuffled among the steps of a pair; only their list matters.
        other.table.rewards[s] = case.table.rewards[old(s)].iter().rev().cloned().collect();
    }
    let means = case.options.known_rewards.as_ref();
    other.options.known_rewards = means
        .map(|means| (0..states).map(|s| means[old(s)].iter().rev().copied().collect()).collect());
    other.table.here = name[case.table.here];
    other
}

proptest! {
    #![proptest_config(config(2000, 3))]

    #[test]
    fn the_best_law_lies_in_its_set_and_is_worth_what_the_literal_one_is(
        case in case(ALL, Seen::Some), (seed, unseen) in values(),
    ) {
        let counts = case.counts();
        let model = case.options.model(&case.table);
        let (fast_values, dense) = both_kinds(&case, &model, &seed, unseen);
        let set = case.set(&counts);
        for pair in 0..counts.pairs().len() {
            let (state, action) = counts.owner(pair);
            let laws = &model.beliefs[state as usize][action as usize].laws;
            let law = set.best_law(pair, &fast_values);
            check_law(&case, laws, &counts, &law)?;
            let worth = expectation(&law, &fast_values);
            let highest = laws.highest(&dense);
            prop_assert!((worth - highest).abs() <= 1e-12 * 8.0, "{} vs {}", worth, highest);
            // The worst law is the best one for the negated values.
            let negated = Values {
                seen: fast_values.seen.iter().map(|value| -value).collect(),
                unseen: -fast_values.unseen,
            };
            let law = set.best_law(pair, &negated);
            check_law(&case, laws, &counts, &law)?;
            let worth = expectation(&law, &fast_values);
            let lowest = laws.lowest(&dense);
            prop_assert!((worth - lowest).abs() <= 1e-12 * 8.0, "{} vs {}", worth, lowest);
            if case.table.visits(state as usize, action as usize) > 0 {
                let center = case.table.center(state as usize, action as usize);
                let observed = literal::expectation(&center, &dense);
                prop_assert!(highest >= observed - 1e-12 && lowest <= observed + 1e-12);
            }
        }
    }

    #[test]
    fn one_sweep_is_monotone_convex_and_commutes_with_constants(
        case in case(ALL, Seen::Some),
        (seed, unseen) in values(),
        (other, other_unseen) in values(),
    ) {
        let mut case = case;
        case.options.tau = 1.0;
        let counts = case.counts();
        let set = case.set(&counts);
        let model = case.options.model(&case.table);
        let (first, _) = both_kinds(&case, &model, &seed, unseen);
        let (second, _) = both_kinds(&case, &model, &other, other_unseen);
        let map = |f: &dyn Fn(f64, f64) -> f64| Values {
            seen: first.seen.iter().zip(&second.seen).map(|(&a, &b)| f(a, b)).collect(),
            unseen: f(first.unseen, second.unseen),
        };
        let sweep = |values: &Values| set.sweep(values);
        let (of_first, of_second) = (sweep(&first), sweep(&second));
        let larger = sweep(&map(&f64::max));
        let between = sweep(&map(&|a, b| 0.3 * a + 0.7 * b));
        let shifted = sweep(&map(&|a, _| a + 2.5));
        for n in 0..counts.seen() {
            prop_assert!(larger.seen[n] >= of_first.seen[n].max(of_second.seen[n]) - 1e-12 * 8.0);
            let mixed = 0.3 * of_first.seen[n] + 0.7 * of_second.seen[n];
            prop_assert!(between.seen[n] <= mixed + 1e-12 * 8.0);
            prop_assert!((shifted.seen[n] - of_first.seen[n] - 2.5).abs() <= 1e-12 * 8.0);
        }
    }

    #[test]
    fn pairs_that_are_skipped_change_no_sweep(
        case in case(ALL, Seen::Some), (seed, unseen) in values(), sweeps in 2..80usize,
    ) {
        let mut case = case;
        case.options.tau = 1.0;
        let counts = case.counts();
        let set = case.set(&counts);
        let model = case.options.model(&case.table);
        let (mut values, _) = both_kinds(&case, &model, &seed, unseen);
        let plans_unseen = model.planned.iter().all(|&is_planned| is_planned) && counts.unseen() > 0;
        for (low, high) in set.increments(&values, sweeps) {
            // A first sweep each time, which skips no pair.
            let mut swept = set.sweep(&values);
            let old = values.seen.iter().copied().chain(plans_unseen.then_some(values.unseen));
            let new = swept.seen.iter().copied().chain(plans_unseen.then_some(swept.unseen));
            let increments: Vec<f64> = new.zip(old).map(|(new, old)| new - old).collect();
            let least = increments.iter().copied().fold(f64::INFINITY, f64::min);
            let most = increments.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            prop_assert!(close(low, least, 1e-3) && close(high, most, 1e-3), "{low} {least}, {high} {most}");
            let lowest = swept.seen.iter().copied().fold(f64::INFINITY, f64::min);
            swept.seen.iter_mut().for_each(|value| *value -= lowest);
            swept.unseen -= lowest;
            values = swept;
        }
    }

    #[test]
    fn wider_sets_never_lower_a_sweep_from_zero(
        case in case(ALL, Seen::Some), factor in 1.0..30.0f64, sweeps in 1..40usize,
    ) {
        let mut case = case;
        case.options.tau = 1.0;
        let counts = case.counts();
        let wide = widened(&case, factor);
        let (set, wide_set) = (case.set(&counts), wide.set(&counts));
        let mut values = Values { seen: vec![0.0; counts.seen()], unseen: 0.0 };
        let mut wide_values = values.clone();
        for _ in 0..sweeps {
            values = set.sweep(&values);
            wide_values = wide_set.sweep(&wide_values);
            for (narrow, wide) in values.seen.iter().zip(&wide_values.seen) {
                prop_assert!(wide >= &(narrow - 1e-9 * case.table.r_max), "{} < {}", wide, narrow);
            }
        }
    }

    #[test]
    fn renaming_states_and_actions_renames_the_plan(
        (case, name) in case(ALL, Seen::Some).prop_flat_map(|case| {
            let names: Vec<usize> = (0..case.table.states()).collect();
            (Just(case), Just(names).prop_shuffle())
        }),
    ) {
        let other = relabelled(&case, &name);
        let (Some(plan), Some(renamed)) = (plain(&case), plain(&other)) else { return Ok(()) };
        prop_assert_eq!(plan.sweeps, renamed.sweeps);
        prop_assert!(close(plan.gain_low, renamed.gain_low, case.table.r_max));
        prop_assert!(close(plan.gain_high, renamed.gain_high, case.table.r_max));
        let (counts, other_counts) = (case.counts(), other.counts());
        let bias = case.dense(&counts, &plan.bias, plan.bias_unseen);
        let other_bias = other.dense(&other_counts, &renamed.bias, renamed.bias_unseen);
        for s in 0..case.table.states() {
            let (a, b) = (bias[s], other_bias[name[s]]);
            prop_assert!(a.is_nan() && b.is_nan() || close(a, b, case.table.r_max), "{} {}", a, b);
        }
        // Where one action is clearly best, it is chosen under either name.
        let literal = case.options.model(&case.table).evi(0.0, Some(plan.sweeps as usize));
        for number in 0..counts.seen() as u32 {
            let s = counts.state(number) as usize;
            let worth = &literal.action_values[s];
            let best = worth.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if worth.iter().filter(|&&w| w >= best - 1e-9).count() == 1 {
                let other_number = other_counts.number(name[s] as u64).unwrap() as usize;
                let reversed = worth.len() as u32 - 1 - renamed.choices[other_number].action;
                prop_assert_eq!(plan.choices[number as usize].action, reversed);
            }
        }
    }

    #[test]
    fn gains_are_rewards_and_untried_actions_are_worth_the_most(case in case(ALL, Seen::Some)) {
        // Known rewards take the optimism from untried actions, except of states never visited,
        // and a lazy chain reaches the top slowly.
        let mut case = case;
        case.options.tau = 1.0;
        let Some(plan) = plain(&case) else { return Ok(()) };
        let (counts, unit) = (case.counts(), case.table.r_max);
        prop_assert!(plan.gain_low >= -1e-9 * unit && plan.gain_high <= unit * (1.0 + 1e-9));
        let all = || plan.bias.iter().copied().chain(plan.bias_unseen);
        let top = all().fold(f64::NEG_INFINITY, f64::max);
        for number in 0..counts.seen() as u32 {
            let s = counts.state(number) as usize;
            let is_known = case.options.known_rewards.is_some() && case.table.is_visited(s);
            let has_untried = (0..case.table.next[s].len()).any(|a| case.table.visits(s, a) == 0);
            if has_untried && !is_known {
                prop_assert!(close(plan.bias[number as usize], top, unit), "state {}", s);
            }
        }
        if let Some(unseen) = plan.bias_unseen {
            // In the plan the best imaginable state can be reached.
            prop_assert!(close(unseen, top, unit));
            let tolerance = unit / (case.table.time as f64).sqrt();
            prop_assert!(plan.gain() >= unit - tolerance - 1e-9 * unit);
        }
    }

    #[test]
    fn truncated_pairs_never_leave_the_seen_states(
        case in case(TRUNCATED, Seen::Some), (seed, unseen) in values(),
    ) {
        // With values under which leaving would pay.
        let counts = case.counts();
        let model = case.options.model(&case.table);
        let (mut values, _) = both_kinds(&case, &model, &seed, unseen);
        values.unseen = 100.0;
        let set = case.set(&counts);
        for pair in 0..counts.pairs().len() {
            let (s, a) = counts.owner(pair);
            if !case.options.is_under_visited(&case.table, s as usize, a as usize) {
                let law = set.best_law(pair, &values);
                prop_assert!(law.iter().all(|&(next, _)| next != UNSEEN));
            }
        }
    }

    #[test]
    fn with_every_state_seen_tucrl_is_ucrl2b_to_the_last_bit(
        case in case(&[Learner::Ucrl2b], Seen::All),
    ) {
        for method in [Method::Plain, Method::Accelerated] {
            let counts = case.counts();
            let optimism = case.optimism(method, Ties::LeastVisited, SWEEPS);
            let ucrl = Ucrl { optimism: optimism.clone(), ..Ucrl::default() };
            let ucrl = case.plan_with(&counts, ucrl, None);
            for relaxation in [Relaxation::L1, Relaxation::Zeta, Relaxation::Mass] {
                let tucrl = Tucrl { optimism: optimism.clone(), relaxation };
                prop_assert_eq!(&case.plan_with(&counts, tucrl, None), &ucrl);
            }
        }
    }

    #[test]
    fn without_a_span_bound_scal_is_ucrl2b_to_the_last_bit(
        case in case(&[Learner::Ucrl2b], Seen::Some),
    ) {
        let counts = case.counts();
        let clip = SpanClip {
            aperiodicity: case.options.tau,
            sweep_limit: SWEEPS,
            ..SpanClip::default()
        };
        let ucrl = case.plan(&counts, Method::Plain, Ties::LeastVisited, SWEEPS);
        prop_assert_eq!(case.scal(&counts, clip), ucrl);
    }

    #[test]
    fn multiplying_rewards_multiplies_values_and_keeps_the_policy(
        case in case(ALL, Seen::Some),
        power in prop::sample::select(&[-40, -10, -2, 3, 12, 40][..]),
        c in prop::sample::select(&[0.1, 0.5, 2.0][..]),
    ) {
        // Powers of two lose no digits, so not one digit may change.
        let factor = 2f64.powi(power);
        let mut scaled = case.clone();
        scaled.table.r_max *= factor;
        scaled.table.rewards.iter_mut().flatten().flatten().for_each(|reward| *reward *= factor);
        let means = scaled.options.known_rewards.iter_mut().flatten().flatten();
        means.for_each(|mean| *mean *= factor);
        let times = |plan: Plan| Plan {
            gain_low: plan.gain_low * factor,
            gain_high: plan.gain_high * factor,
            bias: plan.bias.iter().map(|value| value * factor).collect(),
            bias_unseen: plan.bias_unseen.map(|value| value * factor),
            ..plan
        };
        prop_assert_eq!(plain(&case).map(times), plain(&scaled));
        if case.options.learner == Learner::Ucrl2b {
            let clipped = |case: &Case| {
                let c = c * case.table.r_max;
                let clip = SpanClip { c, sweep_limit: SWEEPS, ..SpanClip::default() };
                case.scal(&case.counts(), clip).ok()
            };
            prop_assert_eq!(clipped(&case).map(times), clipped(&scaled));
        }
    }

    #[test]
    fn optimism_is_at_least_what_the_observed_world_earns(
        case in case(&[Learner::Ucrl2, Learner::Ucrl2b], Seen::All),
    ) {
        // The observed world lies in every set; it exists when every pair was tried.
        let mut case = case;
        case.options.known_rewards = None;
        let tried = |actions: &Vec<Vec<u64>>| actions.iter().all(|row| row.iter().sum::<u64>() > 0);
        for actions in 0..case.table.states() {
            let rows = case.table.next[actions].clone();
            let keep = |a: &usize| rows[*a].iter().sum::<u64>() > 0;
            let kept: Vec<usize> = (0..rows.len()).filter(keep).collect();
            case.table.next[actions] = kept.iter().map(|&a| rows[a].clone()).collect();
            let rewards = case.table.rewards[actions].clone();
            case.table.rewards[actions] = kept.iter().map(|&a| rewards[a].clone()).collect();
        }
        prop_assert!(case.table.next.iter().all(tried));
        let Some(plan) = plain(&case) else { return Ok(()) };
        let mut builder = Mdp::builder();
        for (s, actions) in case.table.next.iter().enumerate() {
            builder.state();
            for a in 0..actions.len() {
                let law = case.table.center(s, a).into_iter().enumerate();
                let law = law.filter(|entry| entry.1 > 0.0);
                let mean = case.table.mean_reward(s, a) / case.table.r_max;
                builder.action(mean.min(1.0), law);
            }
        }
        builder.start_at(0);
        let gains = solve(&builder.build().unwrap()).unwrap().gain;
        let best = gains.into_iter().fold(0.0, f64::max) * case.table.r_max;
        let slack = 1e-9 * case.table.r_max;
        prop_assert!(plan.gain_high >= best - slack, "{} < {}", plan.gain_high, best);
    }
}

/// The relaxed sets of the same table without truncation.
fn untruncated(case: &Case) -> Model {
    let learner = match case.options.learner {
        Learner::TucrlL1 => Learner::UntruncatedL1,
        Learner::TucrlMass => Learner::UntruncatedMass,
        Learner::PlusTight => Learner::UntruncatedPlusTight,
        Learner::PlusBernstein => Learner::UntruncatedPlusBernstein,
        _ => Learner::Ucrl2b,
    };
    Options { learner, ..case.options.clone() }.model(&case.table)
}

proptest! {
    #![proptest_config(config(600, 4))]

    #[test]
    fn truncation_keeps_shortest_paths_between_seen_states(
        case in case(TRUNCATED, Seen::Some), horizon in 1..60usize,
    ) {
        // Equal for balls, no longer for the others.
        let truncated = case.options.model(&case.table);
        let is_ball = !matches!(case.options.learner, Learner::TucrlZeta | Learner::PlusTight);
        let untruncated = untruncated(&case);
        let seen = case.table.seen();
        let seen_states = || (0..seen.len()).filter(|&s| seen[s]);
        for target in seen_states() {
            let with = truncated.shortest_times(target, horizon);
            let without = untruncated.shortest_times(target, horizon);
            for s in seen_states() {
                let (with, without) = (with[s], without[s]);
                prop_assert!(with <= without + 1e-9, "{} to {}: {} > {}", s, target, with, without);
                prop_assert!(!is_ball || with >= without - 1e-9);
            }
        }
    }

    #[test]
    fn the_span_over_seen_states_is_at_most_a_shortest_path(case in case(TRUNCATED, Seen::Some)) {
        // The span bound in its sharp form: v_n(s') - v_n(s) <= r_max times the shortest path that counts n
        // steps, in the sets without truncation.
        let mut case = case;
        case.options.tau = 1.0;
        let Some(plan) = plain(&case) else { return Ok(()) };
        prop_assume!(plan.sweeps <= 200);
        let counts = case.counts();
        let untruncated = untruncated(&case);
        for target in 0..counts.seen() as u32 {
            let goal = counts.state(target) as usize;
            let times = untruncated.shortest_times(goal, plan.sweeps as usize - 1);
            for from in 0..counts.seen() as u32 {
                let rise = plan.bias[target as usize] - plan.bias[from as usize];
                let time = times[counts.state(from) as usize];
                prop_assert!(rise <= case.table.r_max * (time + 1e-9), "{} > {}", rise, time);
            }
        }
    }

    #[test]
    fn accelerated_and_warm_values_keep_the_span_bound_up_to_the_accuracy(
        case in case(ALL, Seen::Some), (seed, unseen) in values(),
    ) {
        // v(s') - v(s) <= (gain + eps_k) times the optimistic shortest path, for any vector that passes.
        prop_assume!(case.options.alpha_p > 0.0);
        let (counts, unit) = (case.counts(), case.table.r_max);
        let tolerance = unit / (case.table.time as f64).sqrt();
        let model = case.options.model(&case.table);
        let start = case.by_number(&counts, &case.values_of(&model, &seed, unseen));
        let optimism = case.optimism(Method::Accelerated, Ties::LeastVisited, 20_000);
        let warm = Optimism { warm_start: true, ..optimism.clone() };
        let plans = [
            case.plan_from(&counts, optimism, None).unwrap(),
            case.plan_from(&counts, warm, Some(&start)).unwrap(),
        ];
        for target in 0..counts.seen() as u32 {
            let goal = counts.state(target) as usize;
            let times = model.shortest_times(goal, 400);
            let longer = model.shortest_times(goal, 401);
            let has_settled =
                times.iter().zip(&longer).all(|(a, b)| a.is_nan() || (a - b).abs() < 1e-12);
            for from in (0..counts.seen() as u32).filter(|_| has_settled) {
                let time = times[counts.state(from) as usize];
                for plan in &plans {
                    let rise = plan.bias[target as usize] - plan.bias[from as usize];
                    let bound = (plan.gain() + tolerance) * time;
                    prop_assert!(rise <= bound + 1e-9 * unit * (1.0 + time), "{} in {}", rise, time);
                }
            }
        }
    }

    #[test]
    fn the_clipped_operator_is_monotone_and_commutes_with_constants(
        case in case(&[Learner::Ucrl2b], Seen::Some), (seed, _) in values(), (other, _) in values(),
        c in prop::sample::select(&[0.0, 0.3, 1.0, 4.0][..]),
    ) {
        let model = case.options.model(&case.table);
        let clip = Clip { c, augments_reward: true, perturbation: None, falls_back: false };
        let states = case.table.states();
        let (first, second) = (&seed[..states], &other[..states]);
        let larger: Vec<f64> = first.iter().zip(second).map(|(a, b)| a.max(*b)).collect();
        let shifted: Vec<f64> = first.iter().map(|value| value + 2.5).collect();
        let applied = clip.apply(&model, first).values;
        prop_assert!(span(&applied) <= c / model.tau + 1e-12);
        let of_larger = clip.apply(&model, &larger).values;
        let of_shifted = clip.apply(&model, &shifted).values;
        for s in 0..states {
            prop_assert!(of_larger[s] >= applied[s] - 1e-12 * 8.0);
            prop_assert!((of_shifted[s] - applied[s] - 2.5).abs() <= 1e-12 * 8.0);
        }
    }

    #[test]
    fn a_larger_span_bound_never_lowers_the_gain(case in case(&[Learner::Ucrl2b], Seen::Some)) {
        let counts = case.counts();
        let mut earlier = f64::NEG_INFINITY;
        for c in [0.0, 0.2, 0.5, 1.0, 3.0, f64::INFINITY] {
            let c = c * case.table.r_max;
            let clip = SpanClip { c, sweep_limit: SWEEPS, ..SpanClip::default() };
            let Ok(plan) = case.scal(&counts, clip) else { return Ok(()) };
            prop_assert!(plan.gain_high >= earlier - 1e-9 * case.table.r_max);
            earlier = plan.gain_low;
        }
    }
}

/// x leads to y for reward 0, y stays for reward g, and nothing is uncertain: v = (0, g + eps) has the increments
/// g + eps and g, so it passes, and its rise exceeds the gain times the one step from x to y; for g = r_max it also
/// exceeds r_max times that step, which no iterate from 0 does.
#[test]
fn a_warm_start_may_exceed_the_gain_times_the_shortest_path_by_the_accuracy() {
    for gain in [0.5, 1.0] {
        let next = vec![vec![vec![0, 50]], vec![vec![0, 49]]];
        let rewards = vec![vec![vec![0.0; 50]], vec![vec![gain; 49]]];
        let case = Case {
            table: Table { r_max: 1.0, next, rewards, here: 0, time: 100 },
            options: Options {
                learner: Learner::Ucrl2b,
                delta: 0.1,
                shrinks_log: false,
                alpha_r: 0.0,
                alpha_p: 0.0,
                variances: Variances::Published,
                known_rewards: None,
                tau: 1.0,
            },
            has_falling_delta: false,
            order: vec![0, 1],
            seed: 1,
        };
        let (counts, accuracy) = (case.counts(), 0.1);
        assert_eq!(case.options.model(&case.table).shortest_times(1, 9), [1.0, 0.0]);
        let cold = case.optimism(Method::Accelerated, Ties::LeastVisited, 100);
        let warm = Optimism { warm_start: true, ..cold.clone() };
        let rise = gain + 0.999 * accuracy;
        let start = Values { seen: vec![0.0, rise], unseen: 0.0 };
        let plan = case.plan_from(&counts, warm, Some(&start)).unwrap();
        assert_eq!((plan.sweeps, &plan.bias), (1, &vec![0.0, rise]));
        assert_eq!(plan.gain_high, (gain + 0.999 * accuracy).min(1.0));
        assert!(rise > plan.gain() && rise > plan.gain_low && rise <= plan.gain() + accuracy);
        let cold = case.plan_from(&counts, cold, None).unwrap();
        assert!(cold.bias[1] - cold.bias[0] <= cold.gain_high.min(1.0));
    }
}

//! Widths, best laws, truncation and clipped gains against numbers worked out by hand.
#![allow(missing_docs, clippy::disallowed_methods, clippy::unwrap_used)]

use crate::support;

use support::literal::{
    Learner, Options, Table, Variances, best_in_ball, best_in_box, expectation,
};
use support::tables::Case;
use tucrl::confidence::{Confidence, Delta, InverseRoot, Shrink};
use tucrl::counts::{Counts, Variance};
use tucrl::evi::{self, Method, Ties};
use tucrl::inner_max::{LawSink, Ranking, Scratch, Sink, UNSEEN, ValueSink, Values};
use tucrl::plausible::Belief;
use tucrl::sets::{BallRow, Bernstein, BoxRow, L1, fill_ball, fill_box};
use tucrl::span_clip::{Operator, SpanClip};
use tucrl::truncation;
use tucrl::{
    ConfidenceSet, Optimism, Plan, PlanError, PlanInput, Planner, RandomStream, Space, Tucrl, Ucrl,
};

const EVERYWHERE: [bool; 5] = [true; 5];
const VALUES: [f64; 5] = [1.0, 0.8, 0.5, 0.2, 0.0];
const P_HAT: [f64; 5] = [0.0, 0.6, 0.0, 0.4, 0.0];

fn assert_close(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance, "{a} is not {b}");
}

fn assert_all_close(a: &[f64], b: &[f64]) {
    a.iter().zip(b).for_each(|(&a, &b)| assert_close(a, b, 1e-12));
}

/// Fifty visits of one pair with reward variance 0.04 and a next state of frequency 0.3.
fn fifty_visits(variance: Variance) -> Counts {
    let mut counts = Counts::new(Space::uniform(3, 2), variance);
    for state in 0..3 {
        counts.see(state);
    }
    let spread = (0.04f64 * 49.0 / 50.0).sqrt();
    for step in 0..50 {
        let reward = 0.5 + if step % 2 == 0 { spread } else { -spread };
        counts.record(0, reward, if step < 15 { 0 } else { 1 });
    }
    counts.freeze();
    counts
}

fn widths<S: ConfidenceSet>(shrink: Shrink, alpha: f64) -> S {
    let confidence = Confidence {
        delta: 0.1.into(),
        alpha_r: alpha,
        alpha_p: alpha,
        shrink,
        r_max: 1.0,
        nominal_pairs: None,
    };
    S::of(&confidence, &Space::uniform(3, 2), 1000)
}

#[test]
fn widths_are_the_reference_numbers() {
    let counts = fifty_visits(Variance::Published);
    let pair = &counts.pairs()[0];
    let deviation = counts.row(0).deviation[0];
    let full: Bernstein = widths(Shrink::Linear, 1.0);
    assert_close(full.reward_width(pair), 4.260336613691, 1e-11);
    assert_close(full.unobserved(pair), 3.898415673921, 1e-11);
    assert_close(full.observed(pair, deviation), 4.727680724963, 1e-11);
    let sample = fifty_visits(Variance::Sample);
    assert_close(
        full.observed(&sample.pairs()[0], sample.row(0).deviation[0]),
        4.736099875340,
        1e-11,
    );
    // The radius sums all three next states, the unobserved one too.
    let sum = 2.0 * full.observed(pair, deviation) + full.unobserved(pair);
    assert_close(full.radius(pair, 3.0), sum, 1e-11);
    let hoeffding: L1 = widths(Shrink::Linear, 1.0);
    assert_close(hoeffding.reward_width(pair), 0.904802349424, 1e-11);
    assert_close(hoeffding.radius(pair), 2.983483396267, 1e-11);
}

#[test]
fn shrinking_multiplies_the_widths_or_the_logarithm() {
    let counts = fifty_visits(Variance::Published);
    let pair = &counts.pairs()[0];
    let deviation = counts.row(0).deviation[0];
    let log: Bernstein = widths(Shrink::Log, 0.05);
    assert_close(log.reward_width(pair), 0.275848766077, 1e-11);
    assert_close(log.unobserved(pair), 0.194920783696, 1e-11);
    assert_close(log.observed(pair, deviation), 0.380350086246, 1e-11);
    let linear: Bernstein = widths(Shrink::Linear, 0.05);
    assert_close(linear.reward_width(pair), 0.05 * 4.260336613691, 1e-12);
    assert_close(linear.observed(pair, deviation), 0.05 * 4.727680724963, 1e-12);
    let hoeffding: L1 = widths(Shrink::Log, 0.25);
    assert_close(hoeffding.reward_width(pair), 0.5 * 0.904802349424, 1e-11);
    assert_close(hoeffding.radius(pair), 0.5 * 2.983483396267, 1e-11);
}

#[test]
fn an_override_replaces_states_times_actions_in_the_logarithm() {
    let counts = fifty_visits(Variance::Published);
    let pair = &counts.pairs()[0];
    let mut confidence = Confidence {
        delta: Delta::Word(InverseRoot::Word),
        alpha_r: 1.0,
        alpha_p: 1.0,
        shrink: Shrink::Linear,
        r_max: 1.0,
        nominal_pairs: None,
    };
    // ln(2 * 6 * 10000 * 100): ten times the pairs are as good as ten times the time.
    let plain = Bernstein::of(&confidence, counts.space(), 10_000);
    assert_close(plain.unobserved(pair), 1.2e7f64.ln() / 3.0, 1e-12);
    confidence.delta = 0.1.into();
    let later = Bernstein::of(&confidence, counts.space(), 10_000);
    confidence.nominal_pairs = Some(60.0);
    let replaced = Bernstein::of(&confidence, counts.space(), 1000);
    assert_close(replaced.reward_width(pair), later.reward_width(pair), 1e-12);
}

/// The sparse law of a box over five seen states, and its value.
fn sparse_box(row: BoxRow<'_>, values: &Values) -> (Vec<(u32, f64)>, f64) {
    let mut ranking = Ranking::default();
    ranking.update(values);
    let (mut law, mut value) = (LawSink::default(), ValueSink { values, sum: 0.0 });
    fill_box(row, &ranking, &mut Scratch::new(), &mut law);
    fill_box(row, &ranking, &mut Scratch::new(), &mut value);
    (law.into_law(), value.sum)
}

/// The best law in a ball around (0.6, 0.4) on states 1 and 3.
fn sparse_ball(half: f64, target: u32, sink: &mut LawSink) {
    let row = BallRow { next: &[1, 3], p_hat: &[0.6, 0.4], half, target };
    fill_ball(row, &VALUES, &Ranking::default(), &mut Scratch::new(), sink);
}

fn dense_law(law: &[(u32, f64)], states: usize) -> Vec<f64> {
    let mut dense = vec![0.0; states];
    law.iter().for_each(|&(state, mass)| dense[state as usize] += mass);
    dense
}

#[test]
fn the_worked_box_has_the_worked_law() {
    let up = [0.05, 0.75, 0.05, 0.5, 0.05];
    let dense = best_in_box(&[0.0, 0.45, 0.0, 0.3, 0.0], &up, &VALUES);
    assert_all_close(&dense, &[0.05, 0.65, 0.0, 0.3, 0.0]);
    assert_close(expectation(&dense, &VALUES), 0.63, 1e-12);
    let row = BoxRow {
        next: &[1, 3],
        low: &[0.45, 0.3],
        room: &[0.3, 0.2],
        left: 0.25,
        cap: 0.05,
        unseen_cap: 0.0,
        extra: None,
        reach: u32::MAX,
    };
    let (law, value) = sparse_box(row, &Values { seen: VALUES.to_vec(), unseen: 0.0 });
    assert_all_close(&dense_law(&law, 5), &dense);
    assert_close(value, 0.63, 1e-12);
}

#[test]
fn the_worked_balls_have_the_worked_laws() {
    let among = [false, true, false, true, false];
    for (allowed, target, law, value) in [
        (EVERYWHERE, 0, [0.25, 0.6, 0.0, 0.15, 0.0], 0.76),
        (among, 1, [0.0, 0.85, 0.0, 0.15, 0.0], 0.71),
    ] {
        let dense = best_in_ball(&P_HAT, 0.5, &allowed, &VALUES);
        assert_all_close(&dense, &law);
        assert_close(expectation(&dense, &VALUES), value, 1e-12);
        let mut sink = LawSink::default();
        sparse_ball(0.25, target, &mut sink);
        assert_all_close(&dense_law(&sink.into_law(), 5), &law);
    }
}

#[test]
fn the_worked_zeta_box_has_the_worked_law() {
    // States 1 and 3 are seen; three others were not, and 3 times 0.05 is given back.
    let (lo, up) = ([0.0, 0.45, 0.0, 0.3, 0.0], [0.0, 0.9, 0.0, 0.65, 0.0]);
    assert_all_close(&best_in_box(&lo, &up, &VALUES), &[0.0, 0.7, 0.0, 0.3, 0.0]);
    let row = BoxRow {
        next: &[0, 1],
        low: &[0.45, 0.3],
        room: &[0.45, 0.35],
        left: 0.25,
        cap: 0.2,
        unseen_cap: 0.0,
        extra: None,
        reach: u32::MAX,
    };
    let (law, value) = sparse_box(row, &Values { seen: vec![0.8, 0.2], unseen: 7.0 });
    assert_all_close(&dense_law(&law, 2), &[0.7, 0.3]);
    assert_close(value, 0.62, 1e-12);
}

#[test]
fn sets_that_hold_every_law_are_worth_the_best_state() {
    let values = Values { seen: VALUES.to_vec(), unseen: 3.0 };
    let row = BoxRow {
        next: &[1, 3],
        low: &[0.0, 0.0],
        room: &[1.0, 1.0],
        left: 1.0,
        cap: 1.0,
        unseen_cap: 1.0,
        extra: None,
        reach: u32::MAX,
    };
    assert_eq!(sparse_box(row, &values).0, [(UNSEEN, 1.0)]);
    assert_eq!(sparse_box(BoxRow { unseen_cap: 0.0, ..row }, &values).0, [(0, 1.0)]);
    for target in [0, 1, UNSEEN] {
        let mut sink = LawSink::default();
        sparse_ball(1.0, target, &mut sink);
        assert_eq!(sink.into_law(), [(target, 1.0)]);
    }
}

#[test]
fn a_sink_may_be_given_runs_of_states() {
    // Ranks 1, 2 and 3 hold 0.8, 0.5 and 0.2.
    let values = Values { seen: VALUES.to_vec(), unseen: 0.0 };
    let mut ranking = Ranking::default();
    ranking.update(&values);
    let mut sink = ValueSink { values: &values, sum: 0.0 };
    sink.give_run(&ranking, 1, 4, 0.1);
    assert_close(sink.sum, 0.15, 1e-15);
}

#[test]
fn truncation_begins_where_the_integers_say() {
    // sqrt(1000 / 6) = 12.9: thirteen visits are few, fourteen are not.
    let decide = |visits: u64, t_k: u64| {
        let mut counts = Counts::new(Space::uniform(3, 2), Variance::Published);
        counts.see(0);
        (0..visits).for_each(|_| counts.record(0, 0.5, 0));
        counts.freeze();
        let truncation = truncation::decide(&counts, t_k);
        (truncation.forbids(&counts, 0), truncation.under_visited, truncation.plans_unseen())
    };
    assert_eq!(decide(13, 1000), (false, 2, true));
    assert_eq!(decide(14, 1000), (true, 1, true));
    // Exactly at the root: (N - 1)^2 S A = t_k is under-visited, one step earlier is not.
    assert_eq!(decide(11, 600), (false, 2, true));
    assert_eq!(decide(11, 599), (true, 1, true));
    // Before S A steps nothing is under-visited, not even the untried.
    assert_eq!(decide(0, 5), (true, 0, false));
    assert_eq!(decide(0, 6), (false, 2, true));
}

/// A known world as counts: `next[s][a]` are proportional to its laws, rewards are constants, and no
/// set has any width.
fn known(next: Vec<Vec<Vec<u64>>>, means: &[&[f64]]) -> Case {
    let states = next.len();
    let paid = |s: usize, a: usize| vec![means[s][a]; next[s][a].iter().sum::<u64>() as usize];
    let rewards = (0..states).map(|s| (0..next[s].len()).map(|a| paid(s, a)).collect()).collect();
    Case {
        table: Table { r_max: 1.0, next, rewards, here: 0, time: 10_u64.pow(18) },
        options: Options {
            learner: Learner::Ucrl2b,
            delta: 0.05,
            shrinks_log: false,
            alpha_r: 0.0,
            alpha_p: 0.0,
            variances: Variances::Published,
            known_rewards: None,
            tau: 0.9,
        },
        has_falling_delta: false,
        order: (0..states).rev().collect(),
        seed: 1,
    }
}

fn three_state() -> Case {
    let third = 1.0 / 3.0;
    known(
        vec![vec![vec![0, 0, 1]], vec![vec![1, 0, 0]], vec![vec![1, 0, 0], vec![0, 0, 1]]],
        &[&[0.0], &[third], &[2.0 * third, 2.0 * third]],
    )
}

/// x: b towards y with probability 1/4, d stays; y: d to x, b stays.
fn quarter_epsilon() -> Case {
    let next = vec![vec![vec![3, 1], vec![4, 0]], vec![vec![0, 4], vec![4, 0]]];
    known(next, &[&[0.0, 0.5], &[1.0, 0.0]])
}

fn quarter_theta() -> Case {
    known(vec![vec![vec![3, 1]], vec![vec![1, 3]]], &[&[0.0], &[1.0]])
}

#[test]
fn known_worlds_have_the_known_clipped_gains() {
    let three = |c: f64| if c <= 1.0 / 3.0 { c } else { (1.0 / 6.0 + c / 2.0).min(2.0 / 3.0) };
    let epsilon = |c: f64| (0.25 * c).clamp(0.5, 1.0);
    let theta = |c: f64| (0.25 * c).min(0.5);
    type Curve<'a> = &'a dyn Fn(f64) -> f64;
    let worlds: [(Case, Curve<'_>); 3] =
        [(three_state(), &three), (quarter_epsilon(), &epsilon), (quarter_theta(), &theta)];
    for (case, curve) in &worlds {
        let counts = case.counts();
        for c in
            [0.0, 0.1, 0.25, 1.0 / 3.0, 0.5, 0.8, 1.0, 1.5, 2.0, 3.0, 3.5, 4.0, 9.0, f64::INFINITY]
        {
            for operator in [Operator::T, Operator::N] {
                let clip = SpanClip { c, operator, ..SpanClip::default() };
                let plan = case.scal(&counts, clip).unwrap();
                assert_close(plan.gain(), curve(c), 1e-8);
                assert!(plan.span() <= c + 1e-8);
            }
        }
    }
}

#[test]
fn a_clipped_state_mixes_to_the_clip() {
    // Theta = 1/4, c = 1: y may look worth at most 1 more than x, which leaves g = 1/4.
    let case = quarter_theta();
    let counts = case.counts();
    let plan = case.scal(&counts, SpanClip { c: 1.0, ..SpanClip::default() }).unwrap();
    assert_close(plan.gain(), 0.25, 1e-8);
    // One action only: nothing to mix in reality.
    assert!(plan.choices.iter().all(|choice| choice.mix == 0.0));
    // Without augmented rewards y cannot look worse than it is.
    let clip = SpanClip { c: 1.0, augment_rewards: false, ..SpanClip::default() };
    let state = 1;
    let refused = case.scal(&counts, clip);
    assert!(
        matches!(refused, Err(PlanError::Infeasible { state: s, .. }) if s == state),
        "{refused:?}"
    );
}

#[test]
fn without_widths_optimism_earns_what_the_world_does() {
    for (case, gain) in
        [(three_state(), 2.0 / 3.0), (quarter_epsilon(), 1.0), (quarter_theta(), 0.5)]
    {
        let counts = case.counts();
        for method in [Method::Plain, Method::Accelerated] {
            let plan = case.plan(&counts, method, Ties::LeastVisited, 1_000_000).unwrap();
            assert_close(plan.gain(), gain, 1e-8);
        }
    }
}

#[test]
fn known_rewards_spare_states_never_visited() {
    // State 0 was visited by action 0 only, state 1 is met for the first time, state 2 never was.
    let mut counts = Counts::new(Space::uniform(3, 2), Variance::Published);
    let (first, here) = (counts.see(0), counts.see(1));
    (0..20).for_each(|_| counts.record(0, 1.0, first));
    counts.record(0, 1.0, here);
    counts.freeze();
    // The truth pays less than was observed, and applies to the untried action of state 0 too.
    let mean = |pair: usize| if pair == 0 { 0.25 } else { 0.125 };
    let optimism = Optimism { planner: Method::Plain, ..Optimism::default() };
    let mut tucrl = Tucrl { optimism: optimism.clone(), ..Tucrl::default() };
    let mut ucrl = Ucrl { optimism, ..Ucrl::default() };
    let (mut one, mut two) = (RandomStream::new(0), RandomStream::new(0));
    let told = |random| PlanInput { known: Some(&mean), ..PlanInput::new(&counts, 22, random) };
    let plans: [Result<Plan, PlanError>; 2] =
        [tucrl.plan(&mut told(&mut one)), ucrl.plan(&mut told(&mut two))];
    for plan in plans {
        let plan = plan.unwrap();
        // One sweep from zero pays 1/4 in state 0 and everything in state 1; later sweeps keep the
        // difference, because both can reach the best state at once.
        assert_close(plan.bias[1] - plan.bias[0], 0.75, 1e-12);
        assert_close(plan.gain_high, 1.0, 1e-12);
        assert_eq!(plan.choices[0].action, 0, "1/4 is more than 1/8");
        assert_eq!(plan.bias_unseen, Some(plan.bias[1]));
    }
}

#[test]
fn the_first_episode_plans_on_the_first_state_alone() {
    let mut counts = Counts::new(Space::uniform(3, 2), Variance::Published);
    counts.see(2);
    let mut random = RandomStream::new(0);
    let mut now = PlanInput::new(&counts, 1, &mut random);
    let plan = Tucrl::default().plan(&mut now).unwrap();
    assert_eq!((plan.bias_unseen, plan.unseen, plan.under_visited), (None, 2, 0));
    assert_eq!((plan.gain_low, plan.gain_high, plan.sweeps), (1.0, 1.0, 1));
    let plan = Ucrl::default().plan(&mut now).unwrap();
    assert_eq!((plan.bias_unseen, plan.gain()), (Some(0.0), 1.0));
}

/// A pair of many next states, seen in a space of two hundred, with values that often tie.
fn long_row(random: &mut RandomStream) -> (Counts, Vec<f64>) {
    let mut counts = Counts::new(Space::uniform(200, 1), Variance::Published);
    (0..200).for_each(|state| assert_eq!(u64::from(counts.see(state)), state));
    for _ in 0..20 + random.below(3000) {
        let next = 3 * random.below(60) as u32;
        counts.record(0, 0.5, next);
    }
    counts.freeze();
    let values = (0..200).map(|_| random.below(40) as f64 / 4.0).collect();
    (counts, values)
}

#[test]
fn long_rows_and_partial_ranks_lead_to_the_dense_laws() {
    let mut random = RandomStream::new(11);
    let (mut longest, mut moved) = (0, 0);
    for trial in 0..300 {
        let (counts, seen) = long_row(&mut random);
        let (row, stats) = (counts.row(0), &counts.pairs()[0]);
        longest = longest.max(row.next.len());
        let mut center = vec![0.0; 200];
        row.next.iter().zip(row.p_hat).for_each(|(&next, &p)| center[next as usize] = p);
        let alpha = [1e-4, 1e-3, 1e-2, 0.1][trial % 4];
        let confidence = Confidence {
            delta: 0.05.into(),
            alpha_r: alpha,
            alpha_p: alpha,
            shrink: Shrink::Linear,
            r_max: 1.0,
            nominal_pairs: None,
        };
        let values = Values { seen: seen.clone(), unseen: 0.0 };
        let value = |law: &[(u32, f64)]| -> f64 {
            law.iter().map(|&(state, mass)| mass * seen[state as usize]).sum()
        };
        let belief = Belief { counts: &counts, r_max: 1.0, unseen: 0, known: None };
        let widths = L1::of(&confidence, counts.space(), 10_000);
        let set = widths.plausible(&belief);
        let dense = best_in_ball(&center, widths.radius(stats), &[true; 200], &seen);
        assert_close(value(&set.best_law(0, &values)), expectation(&dense, &seen), 1e-12);
        assert_close(
            evi::sweep(&set, &values).seen[0] - set.reward(0),
            expectation(&dense, &seen),
            1e-12,
        );
        moved += usize::from(dense != center);

        let widths = Bernstein::of(&confidence, counts.space(), 10_000);
        let set = widths.plausible(&belief);
        let mut width = vec![widths.unobserved(stats); 200];
        let observed = row.next.iter().zip(row.deviation);
        observed.for_each(|(&next, &d)| width[next as usize] = widths.observed(stats, d));
        let low: Vec<f64> = center.iter().zip(&width).map(|(p, w)| (p - w).max(0.0)).collect();
        let high: Vec<f64> = center.iter().zip(&width).map(|(p, w)| (p + w).min(1.0)).collect();
        let dense = best_in_box(&low, &high, &seen);
        assert_close(value(&set.best_law(0, &values)), expectation(&dense, &seen), 1e-12);
        assert_close(
            evi::sweep(&set, &values).seen[0] - set.reward(0),
            expectation(&dense, &seen),
            1e-12,
        );
    }
    assert!(longest > 50 && moved > 200, "{longest} {moved}");
}

/// In the middle of an episode derived numbers are those of its start, next to their own states.
#[test]
fn new_next_states_do_not_shift_the_frequencies_of_others() {
    let mut counts = Counts::new(Space::uniform(9, 1), Variance::Published);
    (0..9).for_each(|state| assert_eq!(u64::from(counts.see(state)), state));
    [5, 5, 5, 7].into_iter().for_each(|next| counts.record(0, 0.5, next));
    counts.freeze();
    for next in [2, 6, 8, 0] {
        counts.record(0, 0.5, next);
        let row = counts.row(0);
        for (&state, &p_hat) in row.next.iter().zip(row.p_hat) {
            assert_eq!(p_hat, [0.0, 0.0, 0.0, 0.0, 0.0, 0.75, 0.0, 0.25, 0.0][state as usize]);
        }
    }
    assert_eq!(counts.row(0).next, [0, 2, 5, 6, 7, 8]);
}

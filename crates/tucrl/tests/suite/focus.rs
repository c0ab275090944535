//! FOCUS (Zamir, Zurek, Chen 2026): operator, planner, optimism, and what its regret does.
#![allow(missing_docs, clippy::disallowed_methods, clippy::unwrap_used)]

use crate::runs;

use std::sync::Arc;

use runs::*;
use tucrl::agents::{Focus, FocusNumbers, FocusOperator, HorizonGuess, Scal, SpanGuess, SpanWord};
use tucrl::conformance::{Promise, check_agent};
use tucrl::counts::{Counts, Variance};
use tucrl::generator::Tabled;
use tucrl::inner_max::Values;
use tucrl::options::{IntegerOr, NumberOr, Required};
use tucrl::rng::RandomStream;
use tucrl::rules::StopReason;
use tucrl::worlds::{Garnet, Junk, JunkKind, RiverSwim, ThreeState};
use tucrl::{Algorithm, Mdp, Model, Run, RunRecord, Space, Start, Truth, Tucrl};

const SEEN: NumberOr<SpanGuess> = NumberOr::Word(SpanGuess::Seen);

fn foretold(steps: u64) -> IntegerOr<HorizonGuess> {
    IntegerOr::Integer(steps)
}

/// Algorithm 1 of the paper, dense: over all S states, with known rewards.
struct Literal {
    actions: usize,
    /// By state and action.
    visits: Vec<Vec<u64>>,
    law: Vec<Vec<Vec<f64>>>,
    reward: Vec<Vec<f64>>,
    numbers: FocusNumbers,
}

impl Literal {
    /// M Q, clipped.
    fn clipped(&self, q: &[Vec<f64>]) -> Vec<f64> {
        let best = |row: &Vec<f64>| row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let v: Vec<f64> = q.iter().map(best).collect();
        let low = v.iter().copied().fold(f64::INFINITY, f64::min);
        v.iter().map(|x| x.min(low + self.numbers.span)).collect()
    }

    /// The operator on Q.
    fn apply(&self, q: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let v = self.clipped(q);
        let FocusNumbers { gamma, span, log, alpha } = self.numbers;
        let pair = |s: usize, a: usize| {
            let p = &self.law[s][a];
            let mean: f64 = p.iter().zip(&v).map(|(p, v)| p * v).sum();
            let square: f64 = p.iter().zip(&v).map(|(p, v)| p * v * v).sum();
            let n = self.visits[s][a].max(1) as f64;
            let root = 4.0 * ((square - mean * mean).max(0.0) * log / n).sqrt();
            let bonus = alpha * root.max(32.0 * span * log / n);
            self.reward[s][a] + gamma * mean + gamma * bonus
        };
        (0..self.law.len()).map(|s| (0..self.actions).map(|a| pair(s, a)).collect()).collect()
    }

    /// The fixed point by plain iteration from 0.
    fn fixed_point(&self) -> Vec<Vec<f64>> {
        let mut q = vec![vec![0.0; self.actions]; self.law.len()];
        let sweeps = (40.0 / (1.0 - self.numbers.gamma)) as usize;
        for _ in 0..sweeps {
            q = self.apply(&q);
        }
        q
    }
}

/// Random counts in a space of `states`, of which the last `unseen` are never seen, and the literal operator on them.
fn random_case(
    random: &mut RandomStream,
    unseen: usize,
    numbers: FocusNumbers,
) -> (Counts, Literal) {
    let (states, actions) = (unseen + 2 + random.below(4) as usize, 1 + random.below(3) as usize);
    let seen = states - unseen;
    let mut counts =
        Counts::new(Space::uniform(states as u64, actions as u32), Variance::Published);
    for state in 0..seen {
        assert_eq!(counts.see(state as u64), state as u32);
    }
    let uniform = vec![1.0 / states as f64; states];
    let mut visits = vec![vec![0; actions]; states];
    let mut law = vec![vec![uniform; actions]; states];
    // States never seen pay 1, as their reward is told only when they are seen.
    let mut reward = vec![vec![1.0; actions]; states];
    for s in 0..seen {
        for a in 0..actions {
            let tries = random.below(3) * random.below(30);
            let pair = counts.pair(s as u32, a as u32);
            let mut row = vec![0.0; states];
            for _ in 0..tries {
                let next = random.below(seen as u64);
                counts.record(pair, 0.5, next as u32);
                row[next as usize] += 1.0 / tries as f64;
            }
            visits[s][a] = tries;
            reward[s][a] = random.unit();
            if tries > 0 {
                law[s][a] = row;
            }
        }
    }
    counts.freeze();
    (counts, Literal { actions, visits, law, reward, numbers })
}

fn numbers(random: &mut RandomStream) -> FocusNumbers {
    let gamma = [0.5, 0.9, 0.99][random.below(3) as usize];
    let span = [0.3, 2.0, 20.0][random.below(3) as usize];
    FocusNumbers { gamma, span, log: random.uniform(2.2, 30.0), alpha: 1.0 }
}

fn fast<'a>(counts: &'a Counts, literal: &Literal) -> FocusOperator<'a> {
    let reward = |pair: usize| {
        let (state, action) = counts.owner(pair);
        literal.reward[state as usize][action as usize]
    };
    FocusOperator::new(counts, literal.numbers, reward)
}

/// Random values of Q, equal in all states never seen, as there are no rewards to tell these apart.
fn random_q(
    random: &mut RandomStream,
    states: usize,
    actions: usize,
    seen: usize,
) -> Vec<Vec<f64>> {
    let scale = [0.1, 3.0, 50.0][random.below(3) as usize];
    let mut q: Vec<Vec<f64>> = (0..states)
        .map(|_| (0..actions).map(|_| random.uniform(-scale, scale)).collect())
        .collect();
    for state in seen..states {
        q[state] = q[seen].clone();
    }
    q
}

#[test]
fn the_fast_operator_is_the_literal_one() {
    let mut random = RandomStream::new(1);
    for case in 0..3_000 {
        let numbers = numbers(&mut random);
        let unseen = [0, 1, 4][case % 3];
        let (counts, literal) = random_case(&mut random, unseen, numbers);
        let (states, seen) = (literal.law.len(), counts.seen());
        let q = random_q(&mut random, states, literal.actions, seen);
        let v = literal.clipped(&q);
        let expected = literal.apply(&q);
        let clipped = literal.clipped(&expected);
        let values = Values { seen: v[..seen].to_vec(), unseen: *v.last().unwrap() };
        let mut worth = vec![0.0; counts.pairs().len()];
        let mut swept = values.clone();
        fast(&counts, &literal).sweep(&values, &mut worth, &mut swept);
        let near = |x: f64, y: f64| (x - y).abs() <= 1e-9 * (1.0 + y.abs());
        for (pair, &found) in worth.iter().enumerate() {
            let (s, a) = counts.owner(pair);
            let expected = expected[s as usize][a as usize];
            assert!(near(found, expected), "{case}: {found} {expected}");
        }
        for (s, &found) in swept.seen.iter().enumerate() {
            assert!(near(found, clipped[s]), "{case}: {found} {}", clipped[s]);
        }
        if unseen > 0 {
            assert!(near(swept.unseen, *clipped.last().unwrap()), "{case}");
        }
    }
}

/// Lemma 25 of the paper, on the operator that plans; also with a shrunken bonus.
#[test]
fn the_operator_is_monotone_commutes_with_constants_and_contracts() {
    let mut random = RandomStream::new(2);
    let (mut raised, mut spread) = (0, 0);
    for case in 0..20_000 {
        let alpha = [1.0, 0.3, 0.01, 0.0][case % 4];
        let numbers = FocusNumbers { alpha, ..numbers(&mut random) };
        let (counts, literal) = random_case(&mut random, case % 2, numbers);
        let operator = fast(&counts, &literal);
        let apply = |values: &Values| {
            let (mut worth, mut swept) = (vec![0.0; counts.pairs().len()], values.clone());
            operator.sweep(values, &mut worth, &mut swept);
            worth
        };
        let span = numbers.span;
        let seen = counts.seen();
        let low = Values {
            seen: (0..seen).map(|_| random.uniform(0.0, span)).collect(),
            unseen: random.uniform(0.0, span),
        };
        // Above in every state, of span at most H: one state raised, or all of them.
        let mut high = low.clone();
        let lifted = random.below(seen as u64) as usize;
        for (state, value) in high.seen.iter_mut().enumerate() {
            if case % 3 == 0 || state == lifted {
                *value = random.uniform(*value, span);
            }
        }
        let (below, above) = (apply(&low), apply(&high));
        let slack = 1e-9 * (1.0 + span * numbers.log);
        let distance = low.seen.iter().zip(&high.seen).map(|(x, y)| y - x).fold(0.0, f64::max);
        for (x, y) in below.iter().zip(&above) {
            assert!(*y >= x - slack, "monotone, {case}: {x} {y}");
            assert!(y - x <= numbers.gamma * distance + slack, "contraction, {case}");
            raised += usize::from(*y > x + slack);
        }
        let shift = random.uniform(-5.0, 5.0);
        let moved = Values {
            seen: low.seen.iter().map(|value| value + shift).collect(),
            unseen: low.unseen + shift,
        };
        for (x, y) in below.iter().zip(apply(&moved)) {
            assert!((y - x - numbers.gamma * shift).abs() <= slack, "shift, {case}");
        }
        spread += usize::from(distance > 0.1 * span);
    }
    assert!(raised > 10_000 && spread > 5_000, "{raised} {spread}");
}

/// Where the root alone would not be monotone: a low value that is rare falls back less than it takes from the variance.
#[test]
fn raising_a_rare_low_value_lowers_no_pair() {
    let mut counts = Counts::new(Space::uniform(2, 1), Variance::Published);
    (0..2).for_each(|state| assert_eq!(u64::from(counts.see(state)), state));
    (0..200).for_each(|step| counts.record(0, 0.0, u32::from(step < 180)));
    counts.freeze();
    let numbers = FocusNumbers { gamma: 0.9, span: 1.0, log: 2.2, alpha: 1.0 };
    let operator = FocusOperator::new(&counts, numbers, |_| 0.0);
    let worth = |low: f64| {
        let values = Values { seen: vec![low, 1.0], unseen: 0.0 };
        let (mut worth, mut swept) = (vec![0.0; 2], values.clone());
        operator.sweep(&values, &mut worth, &mut swept);
        worth[0]
    };
    assert!((1..100).all(|step| worth(0.01 * f64::from(step)) > worth(0.01 * f64::from(step - 1))));
}

#[test]
fn the_fast_planner_finds_the_fixed_point_of_plain_iteration() {
    let mut random = RandomStream::new(3);
    for case in 0..300 {
        let numbers = FocusNumbers { gamma: 0.9, ..numbers(&mut random) };
        let (counts, literal) = random_case(&mut random, [0, 3][case % 2], numbers);
        let exact = literal.fixed_point();
        let v = literal.clipped(&exact);
        let operator = fast(&counts, &literal);
        let previous = Values {
            seen: (0..counts.seen()).map(|_| random.uniform(0.0, 9.0)).collect(),
            unseen: 4.0,
        };
        for (t, start) in [(3, None), (1 << 30, None), (1 << 30, Some(&previous))] {
            let solved = operator.solve(operator.start(start, 1.0), t + 1, 0.9, 1_000_000).unwrap();
            let (low, high) = solved.residual;
            assert!(high - low <= 1.0 / t as f64);
            let rounding = 1e-9 * (1.0 + numbers.span * numbers.log);
            // w + lo/(1 - gamma) <= v* <= w + hi/(1 - gamma).
            for (w, v) in solved.values.seen.iter().zip(&v) {
                assert!(w + low / 0.1 <= v + rounding, "{case} {t}: {w} {low} {v}");
                assert!(w + high / 0.1 >= v - rounding, "{case} {t}: {w} {high} {v}");
            }
            let plan = operator.plan(solved.clone(), 1.0);
            if t == 1 << 30 {
                for (state, choice) in plan.choices.iter().enumerate() {
                    let row = &exact[state];
                    let best = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                    let lost = best - row[choice.action as usize];
                    assert!(lost <= 2.0 / (0.1 * t as f64) + rounding, "{case}: {lost}");
                }
            }
        }
    }
}

/// V*_gamma and Q*_gamma by plain iteration, rewards in [0, 1].
fn discounted(mdp: &Mdp, gamma: f64) -> (Vec<f64>, Vec<Vec<f64>>) {
    let mut v = vec![0.0; mdp.states()];
    let q_of = |v: &[f64]| -> Vec<Vec<f64>> {
        let value = |s: usize, a: usize| {
            let pair = mdp.pair(s, a);
            mdp.mean_reward(pair) + gamma * mdp.row(pair).dot(v)
        };
        (0..v.len()).map(|s| (0..mdp.actions(s)).map(|a| value(s, a)).collect()).collect()
    };
    for _ in 0..(30.0 / (1.0 - gamma)) as usize {
        let best = |row: Vec<f64>| row.into_iter().fold(f64::NEG_INFINITY, f64::max);
        v = q_of(&v).into_iter().map(best).collect();
    }
    let q = q_of(&v);
    (v, q)
}

/// Lemma 18, part 1: whenever the event of appendix H.4 holds, Q >= Q* - eps. Without a bonus it fails often.
#[test]
fn plans_are_optimistic_whenever_the_good_event_holds() {
    let mdp = RiverSwim::default().build().unwrap();
    let horizon = 400u64;
    let gamma = 1.0 - 1.0 / horizon as f64;
    let (v_star, q_star) = discounted(&mdp, gamma);
    let (low, high) =
        v_star.iter().fold((f64::INFINITY, 0.0f64), |(l, h), &v| (l.min(v), h.max(v)));
    let span = high - low;
    let mut random = RandomStream::new(4);
    let (mut good, mut failed_without) = (0, 0);
    // A small U makes the event fail sometimes.
    for (case, log) in (0..400).map(|case| (case, [0.05, 0.3, 2.2, 12.0][case % 4])) {
        let states = mdp.states();
        let mut counts = Counts::new(Space::uniform(states as u64, 2), Variance::Published);
        for state in 0..states as u64 {
            counts.see(state);
        }
        let mut event = true;
        for s in 0..states {
            for a in 0..mdp.actions(s) {
                // Untried pairs are optimistic without a bonus, too.
                let tries = 1 + random.below(4) * random.below(60);
                let law: Vec<(usize, f64)> = mdp.row(mdp.pair(s, a)).iter().collect();
                let weights: Vec<f64> = law.iter().map(|entry| entry.1).collect();
                let mut mean = 0.0;
                let mut square = 0.0;
                for _ in 0..tries {
                    let next = law[random.categorical(&weights)].0;
                    counts.record(counts.pair(s as u32, a as u32), 0.0, next as u32);
                    mean += v_star[next] / tries as f64;
                    square += (v_star[next] - low).powi(2) / tries as f64;
                }
                if tries > 0 {
                    let n = tries as f64;
                    let truth: f64 = law.iter().map(|&(next, p)| p * v_star[next]).sum();
                    let variance = (square - (mean - low).powi(2)).max(0.0);
                    let width = 2.0 * (variance * log / n).sqrt() + 14.0 * span * log / (3.0 * n);
                    event &= (mean - truth).abs() <= width;
                }
            }
        }
        counts.freeze();
        if !event {
            continue;
        }
        let worst = |alpha: f64| {
            let numbers = FocusNumbers { gamma, span, log, alpha };
            let reward = |pair: usize| {
                let (state, action) = counts.owner(pair);
                mdp.mean_reward(mdp.pair(state as usize, action as usize))
            };
            let operator = FocusOperator::new(&counts, numbers, reward);
            let t = 1_000;
            let solved = operator.solve(operator.start(None, 1.0), t + 1, 0.9, 1_000_000).unwrap();
            let level = solved.residual.0 / (1.0 - gamma);
            let eps = 1.0 / (t as f64 * (1.0 - gamma));
            let pairs = solved.worth.iter().enumerate();
            let missing = pairs.map(|(pair, worth)| {
                let (state, action) = counts.owner(pair);
                q_star[state as usize][action as usize] - eps - (worth + gamma * level)
            });
            missing.fold(f64::NEG_INFINITY, f64::max)
        };
        good += 1;
        assert!(worst(1.0) <= 1e-7, "{case}: {}", worst(1.0));
        failed_without += usize::from(worst(0.0) > 1e-7);
    }
    assert!((250..400).contains(&good), "{good}: the event must fail sometimes");
    assert!(failed_without > 50, "{failed_without}");
}

fn record(world: &World, focus: Focus, steps: u64) -> RunRecord {
    world.record(&Named::new("focus", focus), steps, 1)
}

fn gap_regret(record: &RunRecord) -> f64 {
    record.gap_regret.as_ref().unwrap().last().unwrap().1
}

fn three_state() -> World {
    World::new(ThreeState { delta: 0.0, ..ThreeState::default() }.build().unwrap())
}

/// Theorem 5: no variance of next values, so regret that does not depend on T but for logarithms.
#[test]
fn in_a_deterministic_world_a_told_span_gives_the_same_regret_at_any_horizon() {
    let world = three_state();
    for (h, alpha) in [(2.0, 0.01), (4.0, 0.03)] {
        let run = |steps| {
            let horizon = foretold(steps);
            let focus =
                Focus { h: h.into(), alpha, known_rewards: true, horizon, ..Focus::default() };
            gap_regret(&record(&world, focus, steps))
        };
        let (short, long) = (run(100_000), run(1_000_000));
        assert!(short > 3.0, "it explores: {short}");
        assert!(long <= 1.1 * short && long >= short, "{short} {long}");
    }
    // Untold, by doubling, a longer run begins like a shorter one, and what follows costs logarithms.
    let focus = Focus { h: 2.0.into(), alpha: 0.01, known_rewards: true, ..Focus::default() };
    let at = |steps| gap_regret(&record(&world, focus.clone(), steps));
    let (short, long) = (at(100_000), at(1_000_000));
    assert!(short > 3.0 && long <= 1.5 * short, "{short} {long}");
}

/// Corollary 7: H grows like sqrt(T), and with it the regret, also where nothing is random.
#[test]
fn told_nothing_the_regret_doubles_when_the_horizon_is_fourfold() {
    let world = three_state();
    let run = |steps| {
        let focus = Focus {
            alpha: 0.01,
            known_rewards: true,
            horizon: foretold(steps),
            ..Focus::default()
        };
        gap_regret(&record(&world, focus, steps))
    };
    let regrets = [1 << 14, 1 << 16, 1 << 18, 1 << 20].map(run);
    for pair in regrets.windows(2) {
        let ratio = pair[1] / pair[0];
        assert!((1.7..2.6).contains(&ratio), "{regrets:?}");
    }
}

#[test]
fn a_plan_is_made_at_once_when_the_visits_of_a_pair_are_a_power_of_two() {
    let world = World::new(RiverSwim::default().build().unwrap());
    let steps = 3_000;
    let focus = Focus { h: 20.0.into(), alpha: 0.01, ..Focus::default() };
    let record = record(&world, focus, steps);
    let doublings =
        record.episodes.iter().filter(|e| matches!(e.0.stop, StopReason::Doubling { .. })).count();
    let expected: u32 = record.visits.iter().filter(|v| v.2 > 0).map(|v| v.2.ilog2() + 1).sum();
    // The last power may be reached by the last step.
    assert!((expected as usize - 1..=expected as usize).contains(&doublings));
    let mut epochs: Vec<u64> = record
        .episodes
        .iter()
        .filter(|e| e.0.stop == StopReason::Length)
        .map(|e| e.0.start + e.0.length - 1)
        .collect();
    epochs.dedup();
    assert!(!epochs.is_empty() && epochs.iter().all(|end| end.is_power_of_two()), "{epochs:?}");
}

/// A gate that is left for good, with an action that was never tried: truncation gives up only what was never seen.
#[test]
fn a_start_that_is_left_forever_costs_nothing_under_a_bound_on_the_span() {
    let mut builder = Mdp::builder();
    builder.r_max(1.0);
    builder.state().action(0.0, [(1, 1.0)]).action(0.0, [(1, 1.0)]);
    builder.state().action(0.1, [(1, 1.0)]).action(0.0, [(2, 1.0)]);
    builder.state().action(0.6, [(2, 1.0)]).action(0.0, [(1, 1.0)]);
    builder.start_at(0);
    let world = World::new(builder.build().unwrap());
    let at = |algorithm: &Named, steps| gap_regret(&world.record(algorithm, steps, 0));
    let focus = Focus { h: NumberOr::Word(SpanGuess::World), alpha: 0.01, ..Focus::default() };
    let focus = Named::new("focus", focus);
    assert_eq!(at(&focus, 100_000), at(&focus, 400_000));
    let tucrl = Named::new("tucrl", Tucrl { optimism: shrunk(0.05), ..Tucrl::default() });
    let (short, long) = (at(&tucrl, 10_000), at(&tucrl, 100_000));
    assert!(short > 1_000.0 && long > 8.0 * short, "{short} {long}");
}

/// h=world is twice the span of the world, and is refused where that is unknown.
#[test]
fn a_span_that_is_told_is_that_of_the_world() {
    let world = World::new(RiverSwim::default().build().unwrap());
    let span = world.truth.facts().span_reachable;
    let told = Focus { h: NumberOr::Word(SpanGuess::World), alpha: 0.01, ..Focus::default() };
    let given = Focus { h: (2.0 * span).into(), ..told.clone() };
    let focus = |focus: Focus| world.record(&Named::new("focus", focus), 5_000, 1);
    assert_eq!(focus(told.clone()).visits, focus(given).visits);
    let scal = |c: Required<NumberOr<SpanWord>>| {
        let optimism = clipped(shrunk(0.05));
        world.record(&Named::new("scal", Scal { c, optimism, ..Scal::default() }), 5_000, 1)
    };
    let word = NumberOr::Word(SpanWord::World);
    assert_eq!(scal(word.into()).visits, scal(span.into()).visits);
    assert_ne!(scal(word.into()).visits, scal(0.1.into()).visits);
    let mut setting = world.setting(100);
    setting.knowledge.span = None;
    for algorithm in
        [Arc::new(told) as Arc<dyn Algorithm>, Arc::new(Scal { c: word.into(), ..Scal::default() })]
    {
        assert!(algorithm.check(&setting).is_ok(), "a world that is not solved yet");
        let start = Start { setting: &setting, state: 0, random: RandomStream::new(1) };
        let error = algorithm.start(start).err().unwrap().to_string();
        assert!(error.contains("needs the span of the optimal bias"), "{error}");
    }
}

/// A run in river-swim among copies of its states that do not exist.
fn among_junk(focus: Focus, factor: u64, steps: u64, run: u64) -> RunRecord {
    let base = Arc::new(Tabled::new(Arc::new(RiverSwim::default().build().unwrap())));
    let junk: Arc<dyn tucrl::generator::Generator> =
        Arc::new(Junk::new(base, factor, JunkKind::Islands).unwrap());
    let model = Model::from(junk);
    let truth = Arc::new(Truth::of(&model).unwrap());
    let mut run = Run::new(spec(steps, run), Arc::new(focus), &model, truth).unwrap();
    run.advance(steps).unwrap();
    run.record()
}

#[test]
fn among_states_that_do_not_exist_h_seen_learns_and_h_theory_does_not() {
    let steps = 60_000;
    let focus = |h| Focus { h, alpha: 0.01, horizon: foretold(steps), ..Focus::default() };
    let lost = |h, factor| {
        let record = among_junk(focus(h), factor, steps, 1);
        (gap_regret(&record), record)
    };
    let (alone, _) = lost(SEEN, 1);
    let (vast, record) = lost(SEEN, 1_000_000_000);
    assert!(vast < 3.0 * alone && vast < 0.1 * steps as f64, "{alone} {vast}");
    assert!(record.seen == 6 && record.visits.len() == 12, "{}", record.seen);
    let (theory, _) = lost(NumberOr::default(), 100);
    assert!(theory > 0.3 * steps as f64 * record.gain, "{theory}");
}

/// Doubling T multiplies regret by at most about sqrt(2); over a factor of 16, by about 4.
#[test]
fn on_garnets_regret_grows_no_faster_than_the_root_of_time() {
    let garnet = Garnet { states: 12, actions: 3, branching: 3, ..Garnet::default() };
    let world = World::new(garnet.build().unwrap());
    let focus = Focus { h: 10.0.into(), alpha: 0.01, ..Focus::default() };
    let mean = |steps| {
        let one = |run| gap_regret(&world.record(&Named::new("focus", focus.clone()), steps, run));
        (1..=4).map(one).sum::<f64>() / 4.0
    };
    let (short, long) = (mean(1 << 14), mean(1 << 18));
    assert!(short > 5.0 && long <= 4.4 * short, "{short} {long}");
}

#[test]
fn every_kind_of_span_and_horizon_keeps_what_the_laboratory_relies_on() {
    for (h, horizon) in [(SEEN, IntegerOr::default()), (3.0.into(), foretold(1_000))] {
        let focus: Arc<dyn Algorithm> =
            Arc::new(Focus { h, horizon, alpha: 0.01, ..Focus::default() });
        assert_eq!(check_agent(&focus, &Promise::default()), []);
    }
}

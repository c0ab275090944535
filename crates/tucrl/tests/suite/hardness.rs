//! Are the numbers that say how hard a world is what their definitions say?
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

use std::sync::Arc;

use tucrl::generator::Tabled;
use tucrl::hardness::{Certainty, Hardness, Term};
use tucrl::policy::Policy;
use tucrl::reward::{RewardLaw, RewardRange};
use tucrl::worlds::{Garnet, Junk, JunkKind, RiverSwim, SixArms, Taxi, ThreeState, TwoState};
use tucrl::{Generator, Mdp, Model, RandomStream, Truth, env, evaluate};

fn hardness(mdp: Mdp) -> Hardness {
    let truth = Truth::of(&Model::from(Arc::new(mdp))).unwrap();
    Hardness::of(&truth, &()).unwrap().unwrap()
}

#[track_caller]
fn assert_close(value: f64, expected: f64, relative: f64) {
    assert!((value - expected).abs() <= relative * expected.abs(), "{value}, not {expected}");
}

/// KL between Bernoulli laws.
fn kl(p: f64, q: f64) -> f64 {
    let term = |p: f64, q: f64| if p == 0.0 { 0.0 } else { p * (p / q).ln() };
    if (0.0..=1.0).contains(&q) { term(p, q) + term(1.0 - p, 1.0 - q) } else { f64::INFINITY }
}

fn bernoulli(probability: f64) -> RewardLaw {
    RewardLaw::Bernoulli { probability, value: 1.0 }
}

fn bandit(laws: Vec<RewardLaw>) -> Mdp {
    let mut builder = Mdp::builder();
    builder.state();
    for law in laws {
        builder.action(law, [(0, 1.0)]);
    }
    builder.start_at(0);
    builder.build().unwrap()
}

#[test]
fn one_state_has_the_constant_of_lai_and_robbins() {
    let means = [0.9, 0.5, 0.89, 0.05, 0.0, 0.7];
    let known = hardness(bandit(means.map(bernoulli).to_vec()));
    let expected: f64 = means[1..].iter().map(|mean| (0.9 - mean) / kl(*mean, 0.9)).sum();
    let bound = &known.lower_bound;
    assert_eq!((bound.certainty, bound.terms.len()), (Certainty::Theorem, 5));
    assert_close(bound.constant.unwrap(), expected, 1e-12);
    assert_close(known.smallest_gap.unwrap(), 0.01, 1e-12);
    let inverse: f64 = means[1..].iter().map(|mean| 1.0 / (0.9 - mean)).sum();
    assert_close(known.sum_of_inverse_gaps, inverse, 1e-12);
    assert_eq!((known.zero_gaps, known.is_unique, known.is_unichain), (1, true, Some(true)));
    assert_close(known.regret_variance.unwrap(), 0.09, 1e-12);
    assert_eq!(
        (known.bias_deviation, known.mixing_time, known.hitting_time),
        (0.0, Some(0), Some(0.0))
    );
    // Who knows the mean rewards of one state has nothing to find out.
    let told = &known.lower_bound_known_rewards;
    assert_eq!((told.constant, told.certainty), (Some(0.0), Certainty::Theorem));
    assert!(told.terms.iter().all(|term| term.divergence == f64::INFINITY));
}

#[test]
fn bounded_rewards_have_the_divergence_of_honda_and_takemura() {
    let laws = vec![
        RewardLaw::Constant(0.6),
        RewardLaw::Constant(0.5),
        RewardLaw::Uniform { low: 0.0, high: 1.0 },
        RewardLaw::Uniform { low: 0.1, high: 0.3 },
        RewardLaw::discrete([(0.0, 0.3), (0.4, 0.3), (0.9, 0.4)]),
        RewardLaw::Bernoulli { probability: 0.5, value: 0.8 },
    ];
    // Riemann sums for uniform laws.
    let sampled = |law: &RewardLaw| -> Vec<(f64, f64)> {
        let (low, high) = law.bounds();
        let nodes = 20_000;
        match law {
            RewardLaw::Constant(x) => vec![(*x, 1.0)],
            RewardLaw::Discrete(outcomes) => outcomes.to_vec(),
            RewardLaw::Bernoulli { probability, value } => {
                vec![(0.0, 1.0 - probability), (*value, *probability)]
            }
            RewardLaw::Uniform { .. } => {
                let node = |i: usize| low + (high - low) * (i as f64 + 0.5) / nodes as f64;
                (0..nodes).map(|i| (node(i), 1.0 / nodes as f64)).collect()
            }
        }
    };
    let known = hardness(bandit(laws.clone()));
    assert_eq!(known.lower_bound.terms.len(), laws.len() - 1);
    for (law, term) in laws[1..].iter().zip(&known.lower_bound.terms) {
        let outcomes = sampled(law);
        let value = |lambda: f64| -> f64 {
            outcomes.iter().map(|&(x, p)| p * (1.0 + lambda * (0.6 - x)).ln()).sum()
        };
        let grid = (0..=4000).map(|i| value(2.5 * f64::from(i) / 4000.0));
        let best = grid.filter(|value| !value.is_nan()).fold(0.0, f64::max);
        assert_close(term.divergence, best, 2e-4);
    }
    // A constant may be a mixture with the largest reward.
    assert_close(known.lower_bound.terms[0].divergence, (0.5f64 / 0.4).ln(), 1e-12);
}

/// A random world of three states with rows of full support and Bernoulli rewards.
fn random_world(random: &mut RandomStream) -> Mdp {
    let mut builder = Mdp::builder();
    for _ in 0..3 {
        builder.state();
        for _ in 0..2 {
            let weights = [0; 3].map(|_| 0.1 + random.unit());
            let total: f64 = weights.iter().sum();
            let reward = bernoulli(0.05 + 0.9 * random.unit());
            builder.action(reward, (0..3).map(|next| (next, weights[next] / total)));
        }
    }
    builder.start_at(0);
    builder.build().unwrap()
}

/// The smallest value of a convex function of two numbers in [0, 1], on a grid that becomes finer around the best point.
fn minimum(f: impl Fn(f64, f64) -> f64) -> f64 {
    let (mut centre, mut reach, mut best) = ((0.5, 0.5), 0.5, f64::INFINITY);
    while reach > 1e-6 {
        let cells = if reach == 0.5 { 200 } else { 15 };
        let step = reach / f64::from(cells);
        let mut found = centre;
        for i in -cells..=cells {
            for j in -cells..=cells {
                let at = (centre.0 + step * f64::from(i), centre.1 + step * f64::from(j));
                let value = f(at.0, at.1);
                if value < best {
                    (best, found) = (value, at);
                }
            }
        }
        (centre, reach) = (found, 4.0 * step);
    }
    best
}

#[test]
fn divergences_agree_with_a_grid_on_random_worlds() {
    let mut random = RandomStream::new(11);
    let (mut compared, mut infinite) = (0, 0);
    for _ in 0..30 {
        let mdp = random_world(&mut random);
        let truth = Truth::of(&Model::from(Arc::new(mdp.clone()))).unwrap();
        let known = Hardness::of(&truth, &()).unwrap().unwrap();
        assert_eq!(known.lower_bound.certainty, Certainty::Theorem);
        let solution = &truth.solved().unwrap().solution;
        let both = [&known.lower_bound, &known.lower_bound_known_rewards];
        for (knows_rewards, bound) in [false, true].into_iter().zip(both) {
            assert_close(
                bound.constant.unwrap(),
                bound.terms.iter().map(Term::regret).sum(),
                1e-12,
            );
            for term in &bound.terms {
                let (reward, row) = (mdp.mean_reward(term.pair), mdp.row(term.pair));
                let value = |next: usize| solution.bias[next] - solution.bias[term.state];
                let least = minimum(|a, b| {
                    let q = [a, b, 1.0 - a - b];
                    if q.iter().any(|&q| q <= 0.0) {
                        return f64::INFINITY;
                    }
                    let moved: f64 = row.iter().map(|(next, p)| p * (p / q[next]).ln()).sum();
                    let mean: f64 = (0..3).map(|next| q[next] * value(next)).sum();
                    let needed = solution.gain[0] - mean;
                    match knows_rewards {
                        true if needed > reward => f64::INFINITY,
                        true => moved,
                        false => moved + kl(reward, needed.max(reward)),
                    }
                });
                if term.divergence.is_infinite() {
                    assert_eq!(least, f64::INFINITY);
                    infinite += 1;
                } else {
                    // The grid is above the infimum; on its edge, where rewards are known, to first order.
                    let room = if knows_rewards { 1e-3 } else { 1e-6 };
                    assert!(least >= term.divergence * (1.0 - 1e-9), "{least} {term:?}");
                    assert!(least <= term.divergence * (1.0 + room) + 1e-9, "{least} {term:?}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 120 && infinite > 5, "{compared} {infinite}");
}

#[test]
fn the_terms_of_river_swim_are_those_of_the_prototype() {
    let known = hardness(RiverSwim::default().build().unwrap());
    let bound = &known.lower_bound_known_rewards;
    assert_eq!(bound.certainty, Certainty::LowerEstimate);
    let cells: Vec<usize> = bound.terms.iter().map(|term| term.state).collect();
    assert_eq!(cells, [0, 1, 2, 3, 4, 5]);
    for (term, expected) in bound.terms.iter().zip([6.10, 5.72, 4.66, 3.26, 1.77]) {
        assert!((term.regret() - expected).abs() < 0.006, "{term:?}");
    }
    assert_eq!(bound.terms[5].divergence, f64::INFINITY);
    assert!((bound.constant.unwrap() - 21.5).abs() < 0.05);
    // Unknown rewards leave more to find out.
    assert!(known.lower_bound.constant.unwrap() > bound.constant.unwrap());
    // Rewards are constant there: all noise is that of transitions.
    assert!((known.regret_variance.unwrap() - 0.570).abs() < 5e-4);
    assert!((known.regret_deviation(1_000_000).unwrap() - 755.0).abs() < 0.5);
    assert!(known.is_non_degenerate() && known.zero_gaps == 6);
}

/// Under "always right" river-swim is a birth-and-death chain: closed forms of its hitting times.
#[test]
fn the_hitting_time_of_river_swim_is_that_of_drifting_back() {
    let known = hardness(RiverSwim::default().build().unwrap());
    let mut down = [0.0; 6];
    down[5] = 1.0 / 0.4;
    for cell in (1..5).rev() {
        // Leaves downwards with 0.05 or upwards with 0.35, and must then come back first.
        down[cell] = (1.0 + 0.35 * down[cell + 1]) / 0.05;
    }
    let expected: f64 = down.iter().sum();
    assert_close(known.hitting_time.unwrap(), expected, 1e-12);
}

fn chain(rows: &[&[(usize, f64)]]) -> Mdp {
    let mut builder = Mdp::builder();
    for row in rows {
        builder.state();
        builder.action(0.5, row.iter().copied());
    }
    builder.start_at(0);
    builder.build().unwrap()
}

#[test]
fn mixing_times_are_exact_and_left_out_where_they_are_not_defined() {
    // Two states: the distance after t steps is max(a, b) / (a + b) |1 - a - b|^t.
    for (a, b) in [(0.01, 0.02), (0.3, 0.1), (0.9, 0.8), (1e-6, 3e-6)] {
        let known = hardness(chain(&[&[(0, 1.0 - a), (1, a)], &[(0, b), (1, 1.0 - b)]]));
        let far = f64::max(a, b) / (a + b);
        let expected = (0.25 / far).ln() / f64::ln((1.0 - a - b).abs());
        assert_eq!(known.mixing_time, Some(expected.ceil() as u64), "{a} {b}");
        assert_close(known.hitting_time.unwrap(), f64::max(1.0 / a, 1.0 / b), 1e-9);
    }
    let periodic = hardness(chain(&[&[(1, 1.0)], &[(0, 0.5), (2, 0.5)], &[(1, 1.0)]]));
    assert_eq!(periodic.mixing_time, None);
    assert!(periodic.left_out["mixing_time"].contains("periodic"), "{:?}", periodic.left_out);
    // t(1) = 1 + t(2) / 2 and t(2) = 1 + t(1).
    assert_close(periodic.hitting_time.unwrap(), 4.0, 1e-12);
    let absorbed = hardness(chain(&[&[(1, 0.5), (2, 0.5)], &[(1, 1.0)], &[(2, 1.0)]]));
    assert_eq!((absorbed.mixing_time, absorbed.hitting_time), (None, None));
    assert_eq!((absorbed.regret_variance, absorbed.is_unichain), (None, Some(false)));
    assert!(absorbed.left_out["hitting_time"].contains("not unichain"));
    // A transient state does not matter, once it is left.
    let left = hardness(chain(&[&[(1, 1.0)], &[(1, 0.5), (2, 0.5)], &[(1, 1.0)]]));
    assert!(left.is_unichain == Some(true) && left.mixing_time.is_some());
}

#[test]
fn the_variance_is_that_of_simulated_regret() {
    // Noise of rewards, of transitions, and of rewards that are drawn with the next state.
    let mut builder = Mdp::builder();
    builder.state();
    builder.action(RewardLaw::Uniform { low: 0.0, high: 1.0 }, [(0, 0.7), (1, 0.3)]);
    builder.state();
    builder.joint_action([
        (0, 0.2, RewardLaw::Constant(0.0)),
        (1, 0.8, RewardLaw::Bernoulli { probability: 0.9, value: 1.0 }),
    ]);
    builder.start_at(0);
    let mdp = builder.build().unwrap();
    let gain = evaluate::policy_values(&mdp, &Policy::deterministic([0, 0])).unwrap().gain[0];
    let mut random = RandomStream::new(3);
    let (runs, steps) = (4000, 1000);
    let mut squares = 0.0;
    for _ in 0..runs {
        let (mut state, mut regret) = (0, 0.0);
        for _ in 0..steps {
            let step = env::draw(&mdp, state, 0, &mut random);
            regret += gain - step.paid;
            state = step.next as usize;
        }
        squares += regret * regret;
    }
    let measured = squares / f64::from(runs) / f64::from(steps);
    // The standard error of a variance of 4000 runs is 2.2 %.
    assert_close(hardness(mdp).regret_variance.unwrap(), measured, 0.08);
}

fn all_policies_visit_all(mdp: &Mdp) -> bool {
    let states = mdp.states();
    let mut actions = vec![0; states];
    loop {
        for target in 0..states {
            let policy = Policy::deterministic(actions.clone());
            let times = evaluate::policy_hitting_times(mdp, &policy, target).unwrap();
            if times.iter().any(|time| time.is_infinite()) {
                return false;
            }
        }
        let Some(state) = (0..states).find(|&state| actions[state] + 1 < mdp.actions(state)) else {
            return true;
        };
        actions[..state].fill(0);
        actions[state] += 1;
    }
}

#[test]
fn it_is_a_theorem_exactly_where_every_policy_visits_every_state() {
    let (mut theorems, mut others) = (0, 0);
    for seed in 0..300 {
        let branching = 2 + (seed % 3) as usize;
        let mdp = Garnet { states: 4, actions: 2, branching, seed }.build().unwrap();
        let is_ergodic = all_policies_visit_all(&mdp);
        let known = hardness(mdp);
        assert_eq!(known.lower_bound.certainty == Certainty::Theorem, is_ergodic, "seed {seed}");
        if is_ergodic { theorems += 1 } else { others += 1 }
    }
    assert!(theorems > 100 && others > 50, "{theorems} {others}");
}

#[test]
fn the_cases_of_the_lower_bound_are_told_apart() {
    let certainty =
        |known: &Hardness| (known.lower_bound.certainty, known.lower_bound_known_rewards.certainty);
    use Certainty::{Infinite, LowerEstimate, Unknown};
    // An unreachable state: s0, which pays 0. Who knows that has a bound.
    let lost = hardness(ThreeState { delta: 0.0, ..ThreeState::default() }.build().unwrap());
    assert_eq!(certainty(&lost), (Infinite, LowerEstimate));
    assert_eq!(lost.lower_bound.constant, None);
    let found = hardness(ThreeState::default().build().unwrap());
    assert_eq!(certainty(&found), (LowerEstimate, LowerEstimate));
    // An unreachable state that pays 1, while 1/2 is the best that can be had; there is no choice.
    let alone = hardness(TwoState::default().build().unwrap());
    assert_eq!(alone.smallest_gap, Some(0.5));
    assert_eq!(certainty(&alone), (Infinite, Infinite));
    // The gain is r_max: nothing can be better.
    let best = hardness(SixArms.build().unwrap());
    assert_eq!(certainty(&best), (LowerEstimate, LowerEstimate));
    assert_eq!(best.lower_bound.constant, Some(0.0));
    assert_eq!(hardness(Taxi::default().build().unwrap()).lower_bound.certainty, Infinite);
    // Two traps with a choice between them.
    let mut traps = Mdp::builder();
    traps.state().action(0.0, [(1, 1.0)]).action(0.0, [(2, 1.0)]);
    traps.state().action(0.1, [(1, 1.0)]).action(0.0, [(1, 1.0)]);
    traps.state().action(0.2, [(2, 1.0)]).action(0.0, [(2, 1.0)]);
    traps.start_at(0);
    assert_eq!(certainty(&hardness(traps.build().unwrap())), (Unknown, Unknown));
    // Outside the table nothing is known, not even rewards.
    let river = Arc::new(RiverSwim::default().build().unwrap());
    let junk = Junk::new(Arc::new(Tabled::new(river)), 1_000, JunkKind::Chain).unwrap();
    let truth = Truth::of(&Model::from(Arc::new(junk) as Arc<dyn Generator>)).unwrap();
    let known = Hardness::of(&truth, &()).unwrap().unwrap();
    assert_eq!(certainty(&known), (Infinite, Unknown));
    assert_eq!((known.zero_gaps, known.is_unique), (6, true));
}

/// River-swim, and beside it a state that is left for good and one that cannot be reached.
#[test]
fn states_that_are_known_to_pay_little_do_not_change_the_bound() {
    let river = RiverSwim::default().build().unwrap();
    let with_more = |reward: f64| {
        let mut builder = Mdp::builder();
        for state in 0..6 {
            builder.state();
            for pair in river.pairs_of(state) {
                builder.action(river.mean_reward(pair), river.row(pair).iter());
            }
        }
        builder.state().action(reward, [(0, 1.0)]);
        builder.state().action(reward, [(7, 1.0)]);
        builder.start_at(6);
        hardness(builder.build().unwrap())
    };
    let (poor, rich) = (with_more(0.4), with_more(0.9));
    let alone = hardness(river.clone()).lower_bound_known_rewards.constant.unwrap();
    assert_close(poor.lower_bound_known_rewards.constant.unwrap(), alone, 1e-9);
    assert_eq!(poor.lower_bound.certainty, Certainty::Infinite);
    assert_eq!(rich.lower_bound_known_rewards.certainty, Certainty::Infinite);
}

#[test]
fn ties_are_told_apart_from_small_gaps() {
    let with_twin = |reward: f64| {
        let river = RiverSwim::default().build().unwrap();
        let mut builder = Mdp::builder();
        for state in 0..6 {
            builder.state();
            for pair in river.pairs_of(state) {
                builder.action(river.mean_reward(pair), river.row(pair).iter());
            }
            if state == 2 {
                let swim = river.pair(2, 1);
                builder.action(reward, river.row(swim).iter());
            }
        }
        // A loss of 1e-9 in a reward of 0 needs room below.
        builder.reward_range(RewardRange::new(-1.0, 1.0).unwrap());
        builder.start_at(0);
        hardness(builder.build().unwrap())
    };
    let tie = with_twin(0.0);
    assert_eq!((tie.zero_gaps, tie.is_unique, tie.ties(6)), (7, false, 1));
    assert!(tie.is_unichain == Some(true) && tie.gap_error < 1e-11, "{}", tie.gap_error);
    let close = with_twin(-1e-9);
    assert_eq!((close.zero_gaps, close.is_unique), (6, true));
    assert!((close.smallest_gap.unwrap() - 1e-9).abs() <= close.gap_error);
}

#[test]
fn units_and_names_do_not_matter() {
    let mut random = RandomStream::new(8);
    for _ in 0..20 {
        let mdp = random_world(&mut random);
        // State i becomes order[i]; rewards are 7 r - 2.
        let (order, scale, shift) = ([2, 0, 1], 7.0, -2.0);
        let mut builder = Mdp::builder();
        builder.reward_range(RewardRange::new(shift, scale + shift).unwrap());
        for state in 0..3 {
            let old = order.iter().position(|&new| new == state).unwrap();
            builder.state();
            for pair in mdp.pairs_of(old).rev() {
                let mean = mdp.mean_reward(pair);
                let law = RewardLaw::discrete([(shift, 1.0 - mean), (scale + shift, mean)]);
                let row = mdp.row(pair).iter().map(|(next, p)| (order[next], p));
                builder.action(law, row.collect::<Vec<_>>());
            }
        }
        builder.start_at(2);
        let (plain, other) = (hardness(mdp), hardness(builder.build().unwrap()));
        assert_eq!(plain.mixing_time, other.mixing_time);
        assert_eq!((plain.zero_gaps, plain.is_unique), (other.zero_gaps, other.is_unique));
        for (a, b, power) in [
            (plain.smallest_gap, other.smallest_gap, 1),
            (Some(plain.sum_of_inverse_gaps), Some(other.sum_of_inverse_gaps), -1),
            (Some(plain.bias_deviation), Some(other.bias_deviation), 1),
            (plain.regret_variance, other.regret_variance, 2),
            (plain.hitting_time, other.hitting_time, 0),
            (plain.lower_bound.constant, other.lower_bound.constant, 1),
            (plain.lower_bound_known_rewards.constant, other.lower_bound_known_rewards.constant, 1),
        ] {
            assert_close(b.unwrap(), a.unwrap() * scale.powi(power), 1e-8);
        }
    }
}

#[test]
fn a_gap_within_its_error_is_undecided_and_not_a_tie() {
    // Staying pays 0.5, waiting for a rare transition leads to 1 forever: the gap of staying is 0.5, but the bias is
    // 1/p, known to an error that exceeds it.
    let rare = |p: f64| {
        let mut builder = Mdp::builder();
        builder.state().action(0.5, [(0, 1.0)]).action(0.0, [(0, 1.0 - p), (1, p)]);
        builder.state().action(1.0, [(1, 1.0)]);
        builder.start_at(0);
        hardness(builder.build().unwrap())
    };
    let known = rare(1e-2);
    assert_eq!((known.undecided_gaps, known.is_unique), (0, true));
    assert_close(known.smallest_gap.unwrap(), 0.5, 1e-9);
    let unknown = rare(1e-14);
    assert_eq!((unknown.undecided_gaps, unknown.smallest_gap), (1, None));
    assert!(unknown.gap_error > 0.5 && unknown.sum_of_inverse_gaps.is_sign_positive());
}

//! Do rewards in any range give the answers of rewards that begin at 0, in their own units?
//!
//! Laws keep the units of the world; learners and solver see `reward - low`. So a model with rewards in [a, b] and the same
//! model with every reward smaller by a have the same policies, biases and runs, to the last bit, and gains that differ
//! by a. The shifted model is made here, law by law, and does not use the range of the first.
#![allow(missing_docs, clippy::unwrap_used)]

use crate::runs;

use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use runs::World;
use tucrl::error::ModelError;
use tucrl::generator::Tabled;
use tucrl::reward::{RangeError, RewardLaw, RewardRange};
use tucrl::space::{ActionId, Space, StateId};
use tucrl::truth::{Baseline, Facts};
use tucrl::worlds::{Junk, JunkKind};
use tucrl::{
    Algorithm, Checkpoints, Generator, Mdp, Model, Optimism, Outcomes, RandomStream, Run,
    RunRecord, RunSpec, Truth, Tucrl, evaluate, worlds,
};

/// The law with every reward smaller by `low`. Of a uniform law the ends are multiples of 1/8, so that its middle is
/// exact before and after.
fn lowered(law: &RewardLaw, low: f64) -> RewardLaw {
    match law {
        RewardLaw::Constant(reward) => RewardLaw::Constant(reward - low),
        RewardLaw::Uniform { low: from, high: to } => {
            RewardLaw::Uniform { low: from - low, high: to - low }
        }
        RewardLaw::Bernoulli { probability, value } => {
            RewardLaw::discrete([(0.0 - low, 1.0 - probability), (value - low, *probability)])
        }
        RewardLaw::Discrete(outcomes) => {
            RewardLaw::discrete(outcomes.iter().map(|&(reward, p)| (reward - low, p)))
        }
    }
}

/// Laws in [-10, 20]; runs need laws that draw the same numbers in both models, so without Bernoulli and uniform ones.
fn law(any: bool) -> impl Strategy<Value = RewardLaw> {
    let reward = || -10.0..=20.0f64;
    let eighth = || (-80..=160i32).prop_map(|n| f64::from(n) / 8.0);
    let others = prop_oneof![
        (eighth(), eighth())
            .prop_map(|(a, b)| RewardLaw::Uniform { low: a.min(b), high: a.max(b) }),
        (0.0..=1.0f64, reward())
            .prop_map(|(probability, value)| RewardLaw::Bernoulli { probability, value }),
    ];
    prop_oneof![
        reward().prop_map(RewardLaw::Constant),
        (reward(), reward(), 0.0..=1.0f64)
            .prop_map(|(a, b, p)| RewardLaw::discrete([(a, p), (b, 1.0 - p)])),
        others.prop_map(move |law| match any {
            true => law,
            false => RewardLaw::Constant(law.bounds().0),
        }),
    ]
}

type Entry = (prop::sample::Index, f64, RewardLaw);

/// A table of actions with laws, built twice: as it is, and lowered by hand.
fn models(any: bool) -> impl Strategy<Value = (Mdp, Mdp)> {
    let entry = move || (any_index(), 0.05..1.0f64, law(any));
    vec(vec(vec(entry(), 1..4), 1..4), 1..6).prop_map(|states| {
        let range = RewardRange::new(-10.0, 20.0).unwrap();
        let natural = built(&states, range, Clone::clone);
        let shifted = built(&states, RewardRange::up_to(30.0), |law| lowered(law, -10.0));
        (natural, shifted)
    })
}

fn any_index() -> impl Strategy<Value = prop::sample::Index> {
    any::<prop::sample::Index>()
}

fn built(
    states: &[Vec<Vec<Entry>>],
    range: RewardRange,
    law: impl Fn(&RewardLaw) -> RewardLaw,
) -> Mdp {
    let mut builder = Mdp::builder();
    for actions in states {
        builder.state();
        for entries in actions {
            let mut row: Vec<(usize, f64, RewardLaw)> =
                entries.iter().map(|(to, p, l)| (to.index(states.len()), *p, law(l))).collect();
            // One entry per next state: mixtures of uniform laws are refused.
            row.sort_by_key(|entry| entry.0);
            row.dedup_by_key(|entry| entry.0);
            let sum: f64 = row.iter().map(|entry| entry.1).sum();
            builder.joint_action(row.into_iter().map(|(to, p, law)| (to, p / sum, law)));
        }
    }
    builder.reward_range(range).start_at(0);
    builder.build().unwrap()
}

fn tucrl() -> runs::Named {
    runs::tucrl(Optimism::shrunk(0.05))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn exact_answers_differ_by_the_lowest_reward_and_nothing_else((natural, shifted) in models(true)) {
        prop_assert_eq!((natural.r_max(), shifted.r_max()), (30.0, 30.0));
        for pair in 0..natural.pairs() {
            prop_assert_eq!(natural.mean_reward(pair), shifted.mean_reward(pair));
            let paid = shifted.mean_reward(pair) - 10.0;
            prop_assert!((natural.mean_paid(pair) - paid).abs() < 1e-13);
        }
        let (own, zero) = (World::new(natural), World::new(shifted));
        let (facts, expected) = (own.truth.facts(), zero.truth.facts());
        prop_assert_eq!(own.truth.gain(), zero.truth.gain() - 10.0);
        prop_assert!(facts.gain_error >= expected.gain_error);
        prop_assert!(facts.gain_error <= expected.gain_error + 60.0 * f64::EPSILON);
        let same = Facts {
            gain: expected.gain,
            gain_error: expected.gain_error,
            reward_range: None,
            ..facts.clone()
        };
        prop_assert_eq!(&same, expected);
        let solved = |world: &World| world.truth.solved().unwrap().solution.clone();
        let (a, b) = (solved(&own), solved(&zero));
        prop_assert_eq!((a.gain, a.bias, &a.policy), (b.gain, b.bias, &b.policy));
        let gaps = |truth: &Truth| truth.gaps().unwrap().by_pair().to_vec();
        prop_assert_eq!(gaps(&own.truth), gaps(&zero.truth));
        let worth = |mdp: &Mdp| evaluate::policy_values(mdp, &a.policy).unwrap();
        prop_assert_eq!(worth(&own.mdp).bias, worth(&zero.mdp).bias);
    }

    #[test]
    fn runs_differ_by_the_lowest_reward_and_nothing_else((natural, shifted) in models(false)) {
        let (own, zero) = (World::new(natural), World::new(shifted));
        let mut expected = zero.record(&tucrl(), 300, 1);
        expected.gain -= 10.0;
        expected.episodes.iter_mut().for_each(|(episode, _)| episode.gain -= 10.0);
        prop_assert_eq!(own.record(&tucrl(), 300, 1), expected);
    }
}

fn taxi_rewards() -> Mdp {
    let mut builder = Mdp::builder();
    builder.state().action(-1.0, [(1, 1.0)]).action(-10.0, [(0, 1.0)]);
    builder.state().joint_action([(0, 0.5, 20.0), (1, 0.5, -1.0)]);
    builder.reward_range(RewardRange::new(-10.0, 20.0).unwrap()).start_at(0);
    builder.build().unwrap()
}

#[test]
fn a_gain_is_in_the_units_of_the_rewards() {
    // 0 → 1 pays −1; 1 pays 20 on its way back and −1 when it stays: in the long run a third of the time in 0.
    let world = World::new(taxi_rewards());
    let gain = (-1.0 + 2.0 * 9.5) / 3.0;
    assert!((world.truth.gain() - gain).abs() <= world.truth.gain_error(), "{gain}");
    assert!(world.truth.gain_error() < 1e-12);
    let facts = world.truth.facts();
    assert_eq!(
        (facts.r_max, facts.reward_range().low(), facts.reward_range().high()),
        (30.0, -10.0, 20.0)
    );
    let paid: Vec<f64> = (0..3).map(|pair| world.mdp.mean_paid(pair)).collect();
    assert_eq!(paid, [-1.0, -10.0, 9.5]);
}

#[test]
fn a_reward_that_is_not_a_binary_fraction_is_reported_as_it_was_given() {
    let mut builder = Mdp::builder();
    builder.state().action(0.1, [(0, 1.0)]);
    builder.reward_range(RewardRange::new(-10.0, 20.0).unwrap()).start_at(0);
    let mdp = builder.build().unwrap();
    assert_eq!(mdp.mean_paid(0), 0.1);
    assert_ne!(mdp.mean_reward(0) - 10.0, 0.1, "what a learner sees is rounded");
    let step = tucrl::env::draw(&mdp, 0, 0, &mut RandomStream::new(1));
    assert_eq!((step.paid, step.reward), (0.1, mdp.mean_reward(0)));
    let truth = Truth::of(&mdp.into()).unwrap();
    assert!((truth.gain() - 0.1).abs() <= truth.gain_error() && truth.gain_error() < 1e-13);
}

#[test]
fn a_generator_and_its_table_give_the_same_run_and_junk_pays_the_most() {
    let mdp = Arc::new(taxi_rewards());
    let finished = |model: &Model| -> RunRecord {
        let truth = Arc::new(Truth::of(model).unwrap());
        let algorithm: Arc<dyn Algorithm> = tucrl().algorithm;
        let mut run = Run::new(runs::spec(2000, 0), algorithm, model, truth).unwrap();
        run.advance(2000).unwrap();
        run.record()
    };
    let tabled: Arc<dyn Generator> = Arc::new(Tabled::new(Arc::clone(&mdp)));
    let table = finished(&Model::from(&mdp));
    assert_eq!(finished(&Model::from(Arc::clone(&tabled))), table);
    assert!((table.gain - 6.0).abs() < 1e-12);
    let junk = Junk::new(tabled, 5, JunkKind::Islands).unwrap();
    assert_eq!(junk.reward_range(), mdp.reward_range());
    let mut list = Outcomes::default();
    junk.outcomes(2, 0, &mut list);
    assert_eq!(list.entries()[0].reward, RewardLaw::Constant(20.0));
    let model = Model::from(Arc::new(junk) as Arc<dyn Generator>);
    assert!((Truth::of(&model).unwrap().gain() - 6.0).abs() < 1e-12);
    // Where the search is given up, what lies beyond pays the lowest reward: here the world is left for good.
    let partial = Truth::within(&model, 0, &()).unwrap();
    assert_eq!(partial.facts().baseline, Baseline::BestKnown { explored: 0 });
    assert!((partial.gain() + 10.0).abs() <= partial.gain_error(), "{}", partial.gain());
}

/// Draws without listing; every step pays −0.5.
#[derive(Debug)]
struct Drawn(Space);

impl Generator for Drawn {
    fn space(&self) -> &Space {
        &self.0
    }
    fn reward_range(&self) -> RewardRange {
        RewardRange::new(-1.0, 1.0).unwrap()
    }
    fn start(&self) -> Vec<(StateId, f64)> {
        vec![(0, 1.0)]
    }
    fn outcomes(&self, _: StateId, _: ActionId, _: &mut Outcomes) {}
    fn sample(&self, _: StateId, _: ActionId, _: &mut RandomStream) -> Option<(f64, StateId)> {
        Some((-0.5, 0))
    }
}

#[test]
fn without_a_gain_regret_is_minus_the_rewards_in_their_units() {
    let model = Model::from(Arc::new(Drawn(Space::uniform(3, 2))) as Arc<dyn Generator>);
    let truth = Arc::new(Truth::of(&model).unwrap());
    assert_eq!((&truth.facts().baseline, truth.gain()), (&Baseline::Nothing, 0.0));
    let spec = RunSpec { steps: 64, checkpoints: Checkpoints::at([10]), master_seed: 1, run: 0 };
    let mut run = Run::new(spec, Arc::new(Tucrl::default()), &model, truth).unwrap();
    run.advance(64).unwrap();
    assert_eq!(run.record().regret, [(10, 5.0), (64, 32.0)]);
}

#[test]
fn facts_of_rewards_from_0_are_stored_as_before_and_other_ranges_come_back() {
    let plain = World::new(worlds::RiverSwim::default().build().unwrap());
    let text = serde_json::to_string(plain.truth.facts()).unwrap();
    assert!(text.contains("\"r_max\":1.0") && !text.contains("reward_range"), "{text}");
    let other = World::new(taxi_rewards());
    let text = serde_json::to_string(other.truth.facts()).unwrap();
    assert!(text.contains("\"r_max\":30.0,\"reward_range\":[-10.0,20.0]"), "{text}");
    assert_eq!(&serde_json::from_str::<Facts>(&text).unwrap(), other.truth.facts());
    assert!(serde_json::from_str::<Facts>(&text.replace("-10.0", "20.0")).is_err());
}

#[test]
fn what_is_no_range_is_refused_and_so_is_a_reward_outside() {
    let (infinite, nan) = (f64::INFINITY, f64::NAN);
    for (low, high) in [
        (1.0, 1.0),
        (1.0, 0.0),
        (nan, 1.0),
        (0.0, nan),
        (0.0, infinite),
        (-infinite, 0.0),
        (-1e308, 1e308),
        (-1.0, 1.1e100),
    ] {
        let message = RewardRange::new(low, high).unwrap_err().to_string();
        let expected = format!("({low}, {high}) is not a range of rewards: give the lowest reward");
        assert!(message.starts_with(&expected), "{message}");
    }
    assert_eq!(RewardRange::new(2.0, 1.0), Err(RangeError { low: 2.0, high: 1.0 }));
    assert_eq!(RewardRange::new(-0.0, 1.0).unwrap().to_string(), "[0, 1]");
    let range = RewardRange::new(-1.0, 2.0).unwrap();
    for reward in [-1.5, 2.5] {
        let mut builder = Mdp::builder();
        builder.state().action(reward, [(0, 1.0)]);
        builder.reward_range(range).start_at(0);
        let (state, action, low, high) = (0, 0, reward, reward);
        let error = builder.build().unwrap_err();
        assert_eq!(error, ModelError::RewardOutOfRange { state, action, low, high, range });
        let message = error.to_string();
        assert!(
            message.ends_with("leaves [-1, 2]: widen reward_range, or raise r_max"),
            "{message}"
        );
    }
    // A Bernoulli law pays 0, which lies outside this range.
    let mut builder = Mdp::builder();
    builder.state().action(RewardLaw::Bernoulli { probability: 0.5, value: 2.0 }, [(0, 1.0)]);
    builder.reward_range(RewardRange::new(1.0, 2.0).unwrap()).start_at(0);
    assert!(matches!(builder.build(), Err(ModelError::RewardOutOfRange { low: 0.0, .. })));
}

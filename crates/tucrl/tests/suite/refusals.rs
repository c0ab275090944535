//! Options out of range, options that do not go together, and missing knowledge are refused, with what to change.
#![allow(missing_docs, clippy::unwrap_used)]

use crate::runs;

use runs::*;
use tucrl::agents::{Bonus, OptimisticQ, Scal};
use tucrl::options::{NumberOr, OptionError, Required};
use tucrl::sets::{SetKind, SpanSetKind};
use tucrl::span_clip::Mode;
use tucrl::{AgentError, Optimism, RandomStream, Space, Start, Ucrl};

/// An algorithm refuses its options in the check and at the start, with this message.
fn assert_refused(algorithm: &Named, message: &str) {
    let setting = bare(Space::uniform(2, 2), 9);
    let checked = algorithm.algorithm.check(&setting).unwrap_err();
    assert_eq!(checked.to_string(), message);
    let start = Start { setting: &setting, state: 0, random: RandomStream::new(1) };
    let refused = algorithm.algorithm.start(start).err().unwrap();
    assert_eq!(refused.to_string(), message);
}

#[test]
fn every_option_out_of_range_is_refused_by_name() {
    type Change = fn(&mut Optimism);
    let shared: Vec<(Change, &str)> = vec![
        (
            |o| o.alpha_r = (-0.1).into(),
            "alpha_r = -0.1 is out of range: it accepts a number of at least 0, or alpha",
        ),
        (
            |o| o.alpha_p = f64::NAN.into(),
            "alpha_p = not a finite number is out of range: it accepts a number of at least 0, or alpha",
        ),
        (
            |o| o.alpha_p = f64::INFINITY.into(),
            "alpha_p = not a finite number is out of range: it accepts a number of at least 0, or alpha",
        ),
        (|o| o.alpha = -0.1, "alpha = -0.1 is out of range: it accepts a number of at least 0"),
        (
            |o| o.delta = 0.0.into(),
            "delta = 0 is out of range: it accepts a number in (0, 1], or inv-sqrt",
        ),
        (
            |o| o.delta = 1.5.into(),
            "delta = 1.5 is out of range: it accepts a number in (0, 1], or inv-sqrt",
        ),
        (
            |o| o.delta = f64::NAN.into(),
            "delta = not a finite number is out of range: it accepts a number in (0, 1], or inv-sqrt",
        ),
        (
            |o| o.r_max = 0.0.into(),
            "r_max = 0 is out of range: it accepts a positive number, or world",
        ),
        (
            |o| o.r_max = f64::INFINITY.into(),
            "r_max = not a finite number is out of range: it accepts a positive number, or world",
        ),
        (
            |o| o.aperiodicity = 0.0,
            "aperiodicity = 0 is out of range: it accepts a number in (0, 1]",
        ),
        (
            |o| o.aperiodicity = 1.1,
            "aperiodicity = 1.1 is out of range: it accepts a number in (0, 1]",
        ),
        (
            |o| o.sa = 0.5.into(),
            "sa = 0.5 is out of range: it accepts a number of at least 1, or nominal",
        ),
        (|o| o.sweeps = 0, "sweeps = 0 is out of range: it accepts an integer of at least 1"),
    ];
    for (change, message) in shared {
        let mut optimism = Optimism::default();
        change(&mut optimism);
        let scal = Scal { c: 1.0.into(), optimism: optimism.clone(), ..Scal::default() };
        let ucrl2 = Ucrl { set: SetKind::L1, optimism: optimism.clone(), ..Ucrl::default() };
        for algorithm in [
            Named::new("ucrl2", ucrl2),
            ucrl(optimism.clone()),
            tucrl(optimism.clone()),
            tucrl_zeta(optimism.clone()),
            Named::new("scal", scal),
        ] {
            assert_refused(&algorithm, message);
        }
    }
    type Clip = fn(&mut Scal);
    let clips: Vec<(Clip, &str)> = vec![
        (
            |s| s.c = (-1.0).into(),
            "c = -1 is out of range: it accepts a number of at least 0, or inf or world",
        ),
        (
            |s| s.c = f64::NAN.into(),
            "c has no value: it accepts a number of at least 0, or inf or world",
        ),
        (
            |s| {
                s.c = Required(Some(NumberOr::default()));
                s.mode = Mode::Theory;
            },
            "c = inf is out of range: it accepts a positive finite span bound with mode=theory",
        ),
        (
            |s| s.optimism.aperiodicity = 2.0,
            "aperiodicity = 2 is out of range: it accepts a number in (0, 1]",
        ),
        (
            |s| s.optimism.sweeps = 0,
            "sweeps = 0 is out of range: it accepts an integer of at least 1",
        ),
    ];
    for (change, message) in clips {
        let mut scal = Scal { c: 1.0.into(), ..Scal::default() };
        change(&mut scal);
        assert_refused(&Named::new("scal", scal), message);
    }
    type Q = fn(&mut OptimisticQ);
    let learners: Vec<(Q, &str)> = vec![
        (
            |q| q.horizon = 1.5.into(),
            "horizon = 1.5 is out of range: it accepts a number of at least 2, or theory",
        ),
        (
            |q| q.r_max = (-1.0).into(),
            "r_max = -1 is out of range: it accepts a positive number, or world",
        ),
        (|q| q.c = -1.0, "c = -1 is out of range: it accepts a number of at least 0"),
        (|q| q.span = 0.0, "span = 0 is out of range: it accepts a positive number"),
        (|q| q.delta = 0.0, "delta = 0 is out of range: it accepts a number in (0, 1]"),
    ];
    for (change, message) in learners {
        for bonus in [Bonus::Practical, Bonus::Theory] {
            let mut learner = OptimisticQ { horizon: 9.0.into(), bonus, ..OptimisticQ::default() };
            change(&mut learner);
            assert_refused(&Named::new("optimistic-q", learner), message);
        }
    }
    let setting = bare(Space::uniform(2, 2), 9);
    let all = everyone(&Optimism::default(), 1.0);
    assert!(all.iter().all(|algorithm| algorithm.algorithm.check(&setting).is_ok()));
}

#[test]
fn knowledge_that_is_needed_and_missing_is_asked_for() {
    let told = Optimism { known_rewards: true, ..Optimism::default() };
    for (algorithm, message) in [
        (
            oracle(),
            "this algorithm needs an optimal policy, which this world does not provide: choose another world \
             or algorithm",
        ),
        (
            tucrl(told),
            "this algorithm needs the true mean rewards, which this world does not provide: choose another \
             world or algorithm",
        ),
    ] {
        let setting = bare(Space::uniform(2, 2), 9);
        let start = Start { setting: &setting, state: 0, random: RandomStream::new(1) };
        let refused = algorithm.algorithm.start(start).err().unwrap();
        assert_eq!(refused.to_string(), message);
    }
}

#[test]
fn theory_of_scal_is_refused_with_sets_that_it_is_not_proved_for() {
    for set in [SpanSetKind::Bernstein2020, SpanSetKind::L1, SpanSetKind::Kl] {
        let scal = Scal { c: 1.0.into(), mode: Mode::Theory, set, ..Scal::default() };
        let scal = Named::new("scal", scal);
        let setting = bare(Space::uniform(2, 2), 9);
        let refused = scal.algorithm.check(&setting).unwrap_err();
        let is_named = matches!(
            &refused,
            AgentError::Option(OptionError::Refused { option, .. }) if option == "set"
        );
        assert!(is_named, "{refused:?}");
        assert_refused(&scal, &refused.to_string());
        let text = refused.to_string();
        assert!(text.ends_with("choose bernstein, or mode=practical"), "{text}");
    }
    let proved = Scal { c: 1.0.into(), mode: Mode::Theory, ..Scal::default() };
    let setting = bare(Space::uniform(2, 2), 9);
    assert_eq!(Named::new("scal", proved).algorithm.check(&setting), Ok(()));
}

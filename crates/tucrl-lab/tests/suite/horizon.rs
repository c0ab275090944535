//! Is a run long enough for its confidence widths to shrink?
//!
//! Theory's constants are large. If, even with every action of every reachable state tried equally often, the last
//! episode's sets still allow an unobserved next state with probability 1, the whole run is exploration. That is
//! computed beforehand, and so is the alpha that would help.
// Helpers outside of test functions may unwrap as well.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

use tucrl::agents::{Optimism, Random, Relaxation, Scal, Tucrl, Ucrl};
use tucrl::confidence::Shrink;
use tucrl::learner::{Algorithm, Setting, TooShort, TooShortReason};
use tucrl::sets::SetKind;
use tucrl::space::Space;

fn taxi() -> Space {
    Space::uniform(500, 6)
}

fn ucrl2() -> Ucrl {
    Ucrl { set: SetKind::L1, ..Ucrl::default() }
}

fn too_short(
    algorithm: &dyn Algorithm,
    space: &Space,
    reachable: u64,
    steps: u64,
) -> Option<TooShort> {
    let (space, knowledge) = (space.clone(), Default::default());
    algorithm.too_short(&Setting { space, r_max: 1.0, steps, knowledge }, reachable)
}

/// The visits, the name and the size of the width that is too large.
fn width(found: &TooShort) -> (f64, &'static str, f64) {
    match found.reason {
        TooShortReason::Width { visits, what, width } => (visits, what, width),
        ref other => panic!("{other:?}"),
    }
}

/// The value of an option that is suggested.
fn suggested(found: &TooShort, option: &str) -> Option<serde_json::Value> {
    let remedy = found.remedy.as_ref()?;
    remedy.options.iter().find(|(key, _)| *key == option).map(|(_, value)| value.clone())
}

fn suggested_alpha(found: &TooShort) -> f64 {
    suggested(found, "alpha_p").or(suggested(found, "alpha")).unwrap().as_f64().unwrap()
}

fn alpha_p(alpha: f64) -> Optimism {
    Optimism { alpha_p: alpha.into(), ..Optimism::default() }
}

#[test]
fn the_widths_are_those_of_the_formulas() {
    let (steps, visits) = (1_000_000u64, 1e6 / 2400.0);
    let b = (2.0 * 3000.0 * 1e6 / 0.05f64).ln();
    let beta = 49.0 / 3.0 * b / (visits - 1.0);
    let cases: [(&dyn Algorithm, f64); 5] = [
        (&Ucrl::default(), beta),
        (&Scal { c: 1.0.into(), ..Scal::default() }, beta),
        (&Tucrl::default(), 500.0 * beta / 2.0),
        (
            &Tucrl { relaxation: Relaxation::Zeta, ..Default::default() },
            beta + 100.0 * beta.min(1.0),
        ),
        (&ucrl2(), (14.0 * 500.0 * (2.0 * 6.0 * 1e6 / 0.05f64).ln() / visits).sqrt() / 2.0),
    ];
    for (algorithm, width) in cases {
        let Some(found) = too_short(algorithm, &taxi(), 400, steps) else {
            assert!(width < 1.0, "{algorithm:?}: {width}");
            continue;
        };
        let (of, _, found) = self::width(&found);
        assert!((found / width - 1.0).abs() < 1e-12, "{algorithm:?}: {found:?}");
        assert_eq!(of, visits);
    }
    // Where everything can be reached TUCRL ends with boxes.
    assert_eq!(
        too_short(&Tucrl::default(), &taxi(), 500, steps).map(|found| width(&found).1),
        too_short(&Ucrl::default(), &taxi(), 500, steps).map(|found| width(&found).1)
    );
}

#[test]
fn the_suggestion_brings_the_width_to_the_aim() {
    type WithAlpha = fn(f64) -> Box<dyn Algorithm>;
    let algorithms: [WithAlpha; 3] = [
        |alpha| Box::new(Tucrl { optimism: alpha_p(alpha), relaxation: Relaxation::Mass }),
        |alpha| Box::new(Ucrl { optimism: alpha_p(alpha), ..Ucrl::default() }),
        |alpha| Box::new(Ucrl { optimism: alpha_p(alpha), ..ucrl2() }),
    ];
    for with_alpha in algorithms {
        let found = too_short(&*with_alpha(1.0), &taxi(), 400, 10_000).unwrap();
        // Far below 1, so that nothing more is said; and found again from a wider set.
        assert_eq!(too_short(&*with_alpha(suggested_alpha(&found)), &taxi(), 400, 10_000), None);
        let wide = with_alpha(100.0 * suggested_alpha(&found));
        let again = too_short(&*wide, &taxi(), 400, 10_000).unwrap();
        let reached = width(&again).2 / 100.0;
        assert!((0.7..1.5).contains(&(reached / TooShort::AIM)), "{reached}");
        assert_eq!(suggested_alpha(&again), suggested_alpha(&found));
    }
}

#[test]
fn under_a_root_alpha_shrinks_by_the_square() {
    let mut planner = ucrl2();
    planner.optimism.shrink = Shrink::Log;
    let found = too_short(&planner, &taxi(), 400, 10_000).unwrap();
    let linear = too_short(&ucrl2(), &taxi(), 400, 10_000).unwrap();
    assert_eq!(width(&found), width(&linear));
    let aim = (TooShort::AIM / width(&found).2).powi(2);
    assert!((suggested_alpha(&found) / aim - 1.0).abs() < 0.5);
}

#[test]
fn where_states_never_seen_make_the_radius_mass_is_suggested_with_its_limits() {
    let vast = Space::uniform(2_000_000, 2);
    for relaxation in [Relaxation::L1, Relaxation::Zeta] {
        let tucrl = Tucrl { relaxation, ..Tucrl::default() };
        let found = too_short(&tucrl, &vast, 20, 1_000_000).unwrap();
        let remedy = found.remedy.as_ref().unwrap();
        assert_eq!(remedy.options, [("relaxation", "mass".into())], "alone it is enough");
        assert!(remedy.limits.contains("missed for good"), "{remedy:?}");
        let mass = Tucrl { relaxation: Relaxation::Mass, ..Tucrl::default() };
        assert_eq!(too_short(&mass, &vast, 20, 1_000_000), None);
        // Together with an alpha where it is not.
        let found = too_short(&tucrl, &vast, 20, 10_000).unwrap();
        assert_eq!(suggested(&found, "relaxation"), Some("mass".into()));
        let optimism = Optimism::shrunk(suggested_alpha(&found));
        let mass = Tucrl { relaxation: Relaxation::Mass, optimism };
        assert_eq!(too_short(&mass, &vast, 20, 10_000), None);
    }
    // Where few states are unseen the radius is not theirs.
    let found = too_short(&Tucrl::default(), &Space::uniform(3, 2), 2, 100).unwrap();
    assert_eq!(suggested(&found, "relaxation"), None);
}

#[test]
fn an_alpha_that_is_set_for_transitions_is_the_one_to_change() {
    let found = too_short(&Ucrl::default(), &taxi(), 400, 10_000).unwrap();
    assert!(suggested(&found, "alpha").is_some() && suggested(&found, "alpha_p").is_none());
    let ucrl = Ucrl { optimism: alpha_p(1.0), ..Ucrl::default() };
    let found = too_short(&ucrl, &taxi(), 400, 10_000).unwrap();
    assert!(suggested(&found, "alpha_p").is_some() && suggested(&found, "alpha").is_none());
}

#[test]
fn long_runs_shrunken_widths_and_baselines_pass() {
    let tucrl = |alpha| Tucrl { optimism: alpha_p(alpha), ..Tucrl::default() };
    let three = Space::uniform(3, 2);
    assert_eq!(too_short(&Tucrl::default(), &three, 2, 1_000_000), None);
    assert!(too_short(&Tucrl::default(), &three, 2, 100).is_some());
    assert_eq!(too_short(&tucrl(0.0), &three, 2, 100), None);
    assert_eq!(too_short(&tucrl(0.01), &taxi(), 400, 2_000_000_000), None);
    assert_eq!(too_short(&Random {}, &taxi(), 400, 10), None);
}

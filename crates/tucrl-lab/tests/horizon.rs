//! Is a run long enough for its confidence widths to shrink?
//!
//! Theory's constants are large. If, even with every action of every reachable state tried equally often, the last
//! episode's sets still allow an unobserved next state with probability 1, the whole run is exploration. That is
//! computed beforehand, and so is the alpha that would help.

use tucrl::agents::{Optimism, Random, Relaxation, Scal, Tucrl, Ucrl};
use tucrl::confidence::Shrink;
use tucrl::learner::{Algorithm, Setting, TooShort};
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
        (&Scal::default(), beta),
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
        assert!((found.width / width - 1.0).abs() < 1e-12, "{algorithm:?}: {found:?}");
        assert_eq!(found.visits, visits);
    }
    // Where everything can be reached TUCRL ends with boxes.
    assert_eq!(
        too_short(&Tucrl::default(), &taxi(), 500, steps).map(|found| found.what),
        too_short(&Ucrl::default(), &taxi(), 500, steps).map(|found| found.what)
    );
}

#[test]
fn the_suggestion_brings_the_width_to_the_aim() {
    type WithAlpha = fn(f64) -> Box<dyn Algorithm>;
    let algorithms: [WithAlpha; 3] = [
        |alpha| Box::new(Tucrl { optimism: alpha_p(alpha), ..Tucrl::default() }),
        |alpha| Box::new(Ucrl { optimism: alpha_p(alpha), ..Ucrl::default() }),
        |alpha| Box::new(Ucrl { optimism: alpha_p(alpha), ..ucrl2() }),
    ];
    for with_alpha in algorithms {
        let found = too_short(&*with_alpha(1.0), &taxi(), 400, 10_000).unwrap();
        // Far below 1, so that nothing more is said; and found again from a wider set.
        assert_eq!(too_short(&*with_alpha(found.alpha), &taxi(), 400, 10_000), None);
        let wide = with_alpha(100.0 * found.alpha);
        let again = too_short(&*wide, &taxi(), 400, 10_000).unwrap();
        let reached = again.width / 100.0;
        assert!((0.7..1.5).contains(&(reached / TooShort::AIM)), "{reached}");
        assert_eq!(again.alpha, found.alpha);
    }
}

#[test]
fn under_a_root_alpha_shrinks_by_the_square() {
    let mut planner = ucrl2();
    planner.optimism.shrink = Shrink::Log;
    let found = too_short(&planner, &taxi(), 400, 10_000).unwrap();
    let linear = too_short(&ucrl2(), &taxi(), 400, 10_000).unwrap();
    assert_eq!(found.width, linear.width);
    assert!((found.alpha / (TooShort::AIM / found.width).powi(2) - 1.0).abs() < 0.5);
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

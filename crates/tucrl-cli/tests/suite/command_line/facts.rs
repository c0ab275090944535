//! Does `tucrl inspect` give the exact facts of the worlds?

use super::*;

const INFINITE: Option<f64> = None;
const UNSTATED: Option<f64> = Some(f64::NAN);

/// A world; states and reachable states; class and end components; gain; span over all and over the
/// reachable states; diameter of all and of the reachable states; largest reachable support. What is
/// NaN is not stated.
type Facts = (
    &'static str,
    (usize, usize),
    (&'static str, usize),
    f64,
    (f64, f64),
    (Option<f64>, Option<f64>),
    usize,
);

#[rustfmt::skip]
const FACTS: &[Facts] = &[
    ("three-state:delta=0", (3, 2), ("weakly communicating", 1), 2.0 / 3.0, (1.0, 2.0 / 3.0), (INFINITE, Some(1.0)), 1),
    ("three-state", (3, 3), ("communicating", 1), 2.0 / 3.0, (1.0 / 0.995, 1.00502513), (Some(200.0), Some(200.0)), 2),
    ("three-state:delta=0.2", (3, 3), ("communicating", 1), 2.0 / 3.0, (1.25, 1.25), (Some(5.0), Some(5.0)), 2),
    ("three-state:delta=0.2,rewards=mean", (3, 3), ("communicating", 1), 2.0 / 3.0, (1.25, 1.25), (Some(5.0), Some(5.0)), 2),
    ("taxi", (500, 400), ("multichain", 5), 0.3 + 210.0 / 3761.0, (0.94921563, 0.94921563), (INFINITE, Some(72.06666667)), 300),
    ("taxi:map=v3", (500, 400), ("multichain", 5), 0.3 + 210.0 / 3921.0, (0.91048202, 0.91048202), (INFINITE, Some(74.10666667)), 300),
    ("taxi:junk=false", (400, 400), ("communicating", 1), 0.3558362138, (0.94921563, 0.94921563), (Some(72.06666667), Some(72.06666667)), 300),
    ("taxi:junk=self-loop", (500, 400), ("multichain", 101), 0.3558362138, (f64::NAN, 0.94921563), (INFINITE, Some(72.06666667)), 300),
    ("two-state:epsilon=0.01", (2, 2), ("communicating", 1), 1.0, (100.0, 100.0), (Some(100.0), Some(100.0)), 2),
    ("two-state", (2, 1), ("weakly communicating", 1), 0.5, (0.5, 0.0), (INFINITE, Some(0.0)), 1),
    ("two-state:loop=true", (2, 1), ("multichain", 2), 0.5, (f64::NAN, 0.0), (INFINITE, Some(0.0)), 1),
    ("theta:theta=0.1", (2, 2), ("communicating", 1), 0.5, (5.0, 5.0), (Some(10.0), Some(10.0)), 2),
    ("theta:theta=0", (2, 1), ("multichain", 2), 0.0, (0.0, 0.0), (INFINITE, Some(0.0)), 1),
    ("theta:theta=1", (2, 2), ("communicating", 1), 0.5, (0.5, 0.5), (Some(1.0), Some(1.0)), 1),
    ("theta:theta_x=0.2,theta_y=0.3", (2, 2), ("communicating", 1), 0.4, (2.0, 2.0), (Some(5.0), Some(5.0)), 2),
    ("mountain-car", (420, 371), ("weakly communicating", 1), 0.0436560076, (f64::NAN, 1.00613929), (INFINITE, Some(413170.1699)), 8),
    ("breakout:w=2,h=2,q=0", (32, 12), ("weakly communicating", 1), 0.75, (f64::NAN, 0.5), (INFINITE, Some(5.0)), 1),
    ("breakout:w=2,h=2,q=0.1", (32, 16), ("weakly communicating", 1), 0.7370544090, (f64::NAN, 0.53564728), (INFINITE, Some(83.35802632)), 2),
    ("breakout:w=3,h=2,q=0", (192, 42), ("weakly communicating", 1), 0.75, (f64::NAN, 1.5), (INFINITE, Some(8.0)), 1),
    ("breakout", (192, 74), ("weakly communicating", 1), 0.7266559737, (f64::NAN, 1.35422865), (INFINITE, Some(1709.852967)), 3),
    ("river-swim", (6, 6), ("communicating", 1), 3601.5 / 8402.5, (f64::NAN, f64::NAN), (Some(14.7223379125), Some(14.7223379125)), 3),
    ("six-arms", (7, 7), ("communicating", 1), 1.0, (101.0, 101.0), (Some(101.0), Some(101.0)), 2),
    ("four-rooms:slip=0", (104, 104), ("communicating", 1), 1.0 / 21.0, (20.0 / 21.0, 20.0 / 21.0), (UNSTATED, UNSTATED), 1),
    ("four-rooms", (104, 104), ("communicating", 1), 0.0265737034, (f64::NAN, 1.0 - 0.0265737034), (UNSTATED, UNSTATED), 4),
    ("frozen-lake:slippery=false", (16, 11), ("weakly communicating", 1), 1.0 / 6.0, (f64::NAN, 5.0 / 6.0), (INFINITE, UNSTATED), 1),
    ("frozen-lake", (16, 11), ("weakly communicating", 1), 11.0 / 612.0, (f64::NAN, 25.0 / 34.0), (INFINITE, UNSTATED), 3),
    ("frozen-lake:map=8x8,slippery=false", (64, 53), ("weakly communicating", 1), 1.0 / 14.0, (f64::NAN, 13.0 / 14.0), (INFINITE, UNSTATED), 1),
    ("frozen-lake:map=8x8", (64, 53), ("weakly communicating", 1), 0.0106141438, (f64::NAN, 0.8506488071), (INFINITE, UNSTATED), 3),
    ("cliff-walking", (48, 37), ("weakly communicating", 1), 0.99 + 1.0 / 1300.0, (f64::NAN, f64::NAN), (INFINITE, Some(14.0)), 1),
    ("cliff-walking:goal=-1", (48, 37), ("weakly communicating", 1), 0.99, (f64::NAN, f64::NAN), (INFINITE, Some(14.0)), 1),
    ("garnet", (100, 100), ("communicating", 1), f64::NAN, (f64::NAN, f64::NAN), (UNSTATED, UNSTATED), 5),
    ("chain", (5, 5), ("communicating", 1), 0.36768, (f64::NAN, f64::NAN), (Some(7.20703125), Some(7.20703125)), 2),
    ("deep-sea", (100, 55), ("weakly communicating", 1), 0.1, (f64::NAN, 1.791), (INFINITE, Some(18.0)), 1),
];

#[test]
fn the_documented_facts_hold() {
    let folder = folder();
    let near = |found: &Value, expected: f64, tolerance: f64, what: &str| {
        let found = found.as_f64().unwrap_or(f64::NAN);
        assert!(found.is_finite(), "{what}: {found}");
        let is_near = expected.is_nan() || (found - expected).abs() <= tolerance;
        assert!(is_near, "{what}: {found}, not {expected}");
    };
    let far = |found: &Value, expected: Option<f64>, what: &str| match expected {
        Some(steps) => near(found, steps, 1e-8 * steps.max(1.0) + 5e-9, what),
        None => assert_eq!(*found, Value::Null, "{what}"),
    };
    for &(world, sizes, (class, components), gain, spans, diameters, support) in FACTS {
        let known = inspected(&folder, world, &[]);
        assert_eq!(known["world"], World::parse(world).unwrap().to_string());
        assert_eq!(
            (&known["states"], &known["reachable"]),
            (&sizes.0.into(), &sizes.1.into()),
            "{world}"
        );
        assert_eq!(
            (&known["class"], &known["end_components"]),
            (&class.into(), &components.into()),
            "{world}"
        );
        assert_eq!(known["start_is_recoverable"], true, "{world}");
        assert_eq!(known["max_support_reachable"], support, "{world}");
        near(&known["gain"], gain, 5.1e-11, world);
        let error = known["gain_error"].as_f64().unwrap();
        assert!((0.0..1e-9).contains(&error), "{world}: {error}");
        near(&known["span"], spans.0, 5.1e-9, world);
        near(&known["span_reachable"], spans.1, 5.1e-9, world);
        far(&known["diameter"], diameters.0, world);
        far(&known["diameter_reachable"], diameters.1, world);
        assert_eq!(known["skipped"], Value::Array(vec![]));
    }
    // Too large to measure in a test, but the rest is quick.
    for (world, states, reachable, gain, span) in [
        ("breakout:w=3,h=3", 1536, 183, 0.6493689865, 1.55197230),
        ("breakout:w=4,h=2", 1024, 292, 0.7216734486, 1.55312325),
    ] {
        let known = inspected(&folder, world, &["--skip", "diameter"]);
        assert_eq!((&known["states"], &known["reachable"]), (&states.into(), &reachable.into()));
        near(&known["gain"], gain, 5.1e-11, world);
        near(&known["span_reachable"], span, 5.1e-9, world);
    }
    let sizes =
        inspected(&folder, "taxi", &["--skip", "gain,diameter"])["end_component_sizes"].take();
    assert_eq!(sizes, Value::from(vec![400, 25, 25, 25, 25]));
    let sizes = inspected(&folder, "taxi:junk=self-loop", &["--skip", "gain,diameter"])["end_component_sizes"].take();
    assert_eq!(sizes, Value::from([vec![400], vec![1; 19]].concat()), "at most 20 are listed");
}

#[test]
fn the_solver_is_timed_on_the_world_asked_for() {
    let folder = folder();
    let text = answer(&folder, &["bench", "--solve", "three-state:delta=0", "--json"]);
    let time: Value = serde_json::from_str(&text).unwrap();
    let number = |key: &str| time[key].as_f64().unwrap();
    assert!((number("gain") - 2.0 / 3.0).abs() <= number("gain_error"));
    assert!(number("gain_error") <= 1e-9 && number("seconds") > 0.0);
    assert_eq!((number("states"), number("times")), (3.0, 5.0));
    let line = answer(&folder, &["bench", "--solve", "three-state:delta=0"]);
    assert!(line.starts_with("three-state:delta=0: gain 0.6666666667 ± "), "{line}");
}

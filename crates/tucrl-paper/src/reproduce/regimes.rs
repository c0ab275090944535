//! What are the three regimes of UCRL's regret bound? (Section 5, equation of three bounds and its figure.)
//!
//! r_max T up to T†, then of order D sqrt(Γ S A T ln T), from T* on of order D² Γ S A / γ ln T. The third has an unknown
//! additive constant; it is left out, so T* is the earliest time at which it could take over. The chain world is used,
//! whose small gap separates the two times. With an unreachable state D is infinite and the first regime never ends. The
//! measured regret of UCRL, with the widths of the theorem, is drawn below.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tucrl::bounds::{self, WorldNumbers};
use tucrl::math;
use tucrl::mdp::Mdp;
use tucrl::worlds::{Chain, ThreeState};
use tucrl::{evaluate, hitting, structure};

use super::judge::{Wanted, agent, check, exact, study, world};
use super::{Check, Evidence, Finding, ReproduceError, Scale};
use tucrl_lab::plot::{Axis, Curve, CurvesFigure, PALETTE, Stroke};

/// First time of the figure.
const FROM: f64 = 1e3;

#[derive(Serialize, Deserialize)]
struct Regimes {
    /// Numbers of the chain world.
    numbers: WorldNumbers,
    linear_regime_end: Option<f64>,
    root_regime_end: Option<f64>,
    /// The same with an unreachable state.
    linear_regime_end_unreachable: Option<f64>,
}

pub(super) fn compute(_: Scale) -> Result<Value, ReproduceError> {
    let reached = numbers(&Chain::default().build()?)?;
    let unreached = numbers(&ThreeState { delta: 0.0, ..Default::default() }.build()?)?;
    Ok(serde_json::json!(Regimes {
        linear_regime_end: bounds::linear_regime_end(&reached),
        root_regime_end: bounds::root_regime_end(&reached),
        linear_regime_end_unreachable: bounds::linear_regime_end(&unreached),
        numbers: reached,
    }))
}

fn numbers(mdp: &Mdp) -> Result<WorldNumbers, ReproduceError> {
    let everything = vec![true; mdp.states()];
    let support = structure::max_support_within(mdp, &everything) as u64;
    let diameter = hitting::diameter(mdp, &|_, _| {})?;
    Ok(WorldNumbers {
        states: mdp.states() as u64,
        actions: mdp.max_actions() as u64,
        reachable: mdp.states() as u64,
        max_support: support,
        max_support_reachable: support,
        diameter,
        diameter_reachable: diameter,
        r_max: mdp.r_max(),
        gap: evaluate::gain_gap(mdp, 1000)?,
    })
}

pub(super) fn judge(evidence: &Evidence<'_>) -> Result<Finding, ReproduceError> {
    let read = Regimes::deserialize(evidence.computed);
    let regimes =
        read.map_err(|source| ReproduceError::Computed { what: "the regimes", source })?;
    let missing = |what: &str| ReproduceError::Missing { what: what.into() };
    let first = regimes.linear_regime_end.ok_or_else(|| missing("T†"))?;
    let second = regimes.root_regime_end.ok_or_else(|| missing("T*"))?;
    let slope = |t: f64| {
        math::ln(lowest(&regimes.numbers, t * 1.01) / lowest(&regimes.numbers, t)) / math::ln(1.01)
    };
    let middle = (first * second).sqrt();
    let ucrl = agent(world(study(evidence)?, 0)?, "UCRL")?;
    let beyond = ucrl.runs.iter().filter(|run| {
        let mut points = run.record.regret.iter();
        points.any(|&(t, regret)| regret > lowest(&regimes.numbers, t as f64))
    });
    let checks = vec![
        Check {
            statistic: "T† and T* in the chain world".into(),
            measured: format!("{first:.2e} and {second:.2e} steps"),
            wanted: "T† before T*".into(),
            holds: first < second,
        },
        check(
            "exponent of the bound at T†/10",
            slope(first / 10.0),
            None,
            Wanted::Between(0.999, 1.001),
        ),
        check(
            "exponent of the bound between T† and T*",
            slope(middle),
            None,
            Wanted::Between(0.5, 0.55),
        ),
        check("exponent of the bound at 10⁴ T*", slope(second * 1e4), None, Wanted::AtMost(0.05)),
        Check {
            statistic: "T† with an unreachable state".into(),
            measured: regimes
                .linear_regime_end_unreachable
                .map_or("never".into(), |t| format!("{t:.2e}")),
            wanted: "never".into(),
            holds: regimes.linear_regime_end_unreachable.is_none(),
        },
        exact("runs of UCRL that exceed the bound at some checkpoint", beyond.count() as u64, 0),
    ];
    let measured = ucrl.regret.iter().filter(|point| point.mean > 0.0 && point.t as f64 >= FROM);
    let measured: Vec<(f64, f64)> = measured.map(|point| (point.t as f64, point.mean)).collect();
    let mut finding = Finding { checks, ..Finding::default() };
    let caption = "Three regimes of UCRL's regret bound, and the measured regret of UCRL with the theorem's widths.";
    finding.draw("regimes", caption, &figure(&regimes.numbers, first, second, measured))?;
    Ok(finding)
}

/// The minimum of the three bounds.
fn lowest(numbers: &WorldNumbers, t: f64) -> f64 {
    let [linear, root, log] = three(numbers, t);
    linear.min(root).min(log)
}

fn three(numbers: &WorldNumbers, t: f64) -> [f64; 3] {
    let regimes = bounds::ucrl_regimes(numbers, t as u64);
    // The third holds once ln T has its size: at T = 1 it would be 0.
    let log = regimes.logarithmic.filter(|_| t >= 100.0).unwrap_or(f64::INFINITY);
    [regimes.linear, regimes.root, log]
}

fn figure(
    numbers: &WorldNumbers,
    first: f64,
    second: f64,
    measured: Vec<(f64, f64)>,
) -> CurvesFigure {
    let (from, to) = (FROM, math::powf(10.0, math::log10(second * 1e2).ceil()));
    const POINTS: i32 = 300;
    let times =
        (0..=POINTS).map(|i| from * math::powf(to / from, f64::from(i) / f64::from(POINTS)));
    let times: Vec<f64> = times.collect();
    let line = |which: usize| -> Vec<(f64, f64)> {
        times.iter().map(|&t| (t, three(numbers, t)[which])).collect()
    };
    let lowest: Vec<(f64, f64)> = times.iter().map(|&t| (t, lowest(numbers, t))).collect();
    let highest = lowest.last().map_or(1.0, |point| point.1) * 30.0;
    let inside = |points: Vec<(f64, f64)>| -> Vec<(f64, f64)> {
        points.into_iter().filter(|point| point.1 <= highest).collect()
    };
    let curves = vec![
        Curve::new("r_max T", PALETTE[2], Stroke::Thin, inside(line(0))),
        Curve::new("square root", PALETTE[0], Stroke::Thin, inside(line(1))),
        Curve::new("logarithm", PALETTE[1], Stroke::Thin, inside(line(2))),
        Curve::new("bound", PALETTE[6], Stroke::Line, lowest),
        Curve::new("UCRL, measured", PALETTE[3], Stroke::Line, measured),
    ];
    CurvesFigure {
        title: "Three regimes of UCRL's regret bound, chain world".into(),
        explanation: format!(
            "D = {:.2}, Γ = {}, gap {:.4}; the logarithmic bound is drawn without its unknown constant",
            numbers.diameter,
            numbers.max_support,
            numbers.gap.unwrap_or(f64::NAN)
        ),
        x: Axis::log("steps", from, to, 8),
        y: Axis::log("expected regret (reward)", 1.0, highest, 8),
        curves,
        marks: vec![(first, "T†".into()), (second, "T*".into())],
    }
}

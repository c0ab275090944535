//! Can a learner be efficient and logarithmic on the family M_ε? (Section 5, example 1 and its lemma.)
//!
//! No learner is both efficient for every ε and logarithmic on M_0. Efficient: regret stays below T/6 after a time
//! polynomial in 1/ε, here 50/ε², for every ε whose runs are that long. Logarithmic: the growth exponent on M_0 is near 0.
//! TUCRL and UCRL are efficient and not logarithmic; SCAL, told a bound c on the span (H in the paper), is logarithmic and
//! not efficient for ε < 1/c. The first world of the experiment is M_0, the others have decreasing ε.

use super::judge::{agent, study, world};
use super::rare_states::epsilon;
use super::{Check, Evidence, Finding, ReproduceError};
use tucrl_lab::plot::{Axis, Curve, CurvesFigure, GREY, RegretFigure, Stroke};
use tucrl_lab::stats::{AgentStudy, Study, WorldStudy};
use tucrl_lab::text::three_digits;

/// Largest ε² T† of an efficient agent.
const EFFICIENT: f64 = 50.0;
/// Larger ε are drawn and not judged: there the first confidence widths take longer than 50/ε² steps, whatever ε is.
const LARGEST: f64 = 0.1;
/// Largest exponent over the last two decades on M_0 of a logarithmic agent.
const FLAT: f64 = 0.15;

/// Label, efficient, logarithmic.
const EXPECTED: [(&str, bool, bool); 4] = [
    ("TUCRL", true, false),
    ("UCRL", true, false),
    ("SCAL c=5", false, true),
    ("SCAL c=50", false, true),
];

pub(super) fn judge(evidence: &Evidence<'_>) -> Result<Finding, ReproduceError> {
    let study = study(evidence)?;
    let zero = world(study, 0)?;
    let mut finding = Finding::default();
    for (label, is_efficient, is_logarithmic) in EXPECTED {
        let (worst, at) = slowest(study, label)?;
        let on_zero = agent(zero, label)?;
        let growth = on_zero.fitted_growth(2.0).map_or(0.0, |growth| growth.exponent);
        finding.checks.push(Check {
            statistic: format!("largest ε² × time after which regret of {label} stays below T/6"),
            measured: match worst {
                Some(worst) => format!("{} (at ε = {at})", three_digits(worst)),
                None => format!("never (at ε = {at})"),
            },
            wanted: if is_efficient {
                format!("at most {EFFICIENT}")
            } else {
                "more, or never".into()
            },
            holds: worst.is_some_and(|worst| worst <= EFFICIENT) == is_efficient,
        });
        finding.checks.push(Check {
            statistic: format!("growth exponent of {label} on M₀ over the last 2 decades"),
            measured: three_digits(growth),
            wanted: match is_logarithmic {
                true => format!("at most {FLAT} (logarithmic)"),
                false => format!("above {FLAT} (not logarithmic)"),
            },
            holds: (growth <= FLAT) == is_logarithmic,
        });
    }
    let caption =
        "M₀, where y is unreachable: SCAL's regret is flat, TUCRL's a square root, UCRL's linear.";
    finding.draw("free-lunch-zero", caption, &RegretFigure { world: zero, is_log: true })?;
    if let Some(last) = study.worlds.last() {
        let caption = "M_ε with a small ε: SCAL, told too small a span, loses half of all steps.";
        finding.draw("free-lunch-small", caption, &RegretFigure { world: last, is_log: true })?;
    }
    let caption = "M_ε at the end of the run: agents that are logarithmic on M₀ lose half the steps for small ε.";
    finding.draw("free-lunch", caption, &against_epsilon(study)?)?;
    Ok(finding)
}

/// The largest ε² T† of an agent over all ε up to [`LARGEST`] with runs of at least 50/ε² steps (none if regret is not below T/6 at
/// the end), and its ε.
fn slowest(study: &Study<'_>, label: &str) -> Result<(Option<f64>, f64), ReproduceError> {
    let mut slowest = (Some(0.0), f64::NAN);
    for place in &study.worlds {
        let epsilon = epsilon(place);
        let is_long = place.time.is_some_and(|time| time as f64 * epsilon * epsilon >= EFFICIENT);
        if epsilon == 0.0 || epsilon > LARGEST || !is_long {
            continue;
        }
        let scaled = efficient_from(agent(place, label)?).map(|t| t * epsilon * epsilon);
        let is_slower = match (scaled, slowest.0) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(new), Some(old)) => new > old,
        };
        if is_slower {
            slowest = (scaled, epsilon);
        }
    }
    Ok(slowest)
}

/// The first checkpoint from which on mean regret stays below T/6.
fn efficient_from(agent: &AgentStudy<'_>) -> Option<f64> {
    let is_low = |(t, regret): &(u64, f64)| *regret < *t as f64 / 6.0;
    let points: Vec<(u64, f64)> = agent.curve().iter().map(|point| (point.t, point.mean)).collect();
    let high = points.iter().rposition(|point| !is_low(point));
    points.get(high.map_or(0, |high| high + 1)).map(|point| point.0 as f64)
}

fn against_epsilon(study: &Study<'_>) -> Result<CurvesFigure, ReproduceError> {
    let mut curves = Vec::new();
    let worlds: Vec<&WorldStudy<'_>> = study.worlds.iter().filter(|w| epsilon(w) > 0.0).collect();
    let share = |agent: &AgentStudy<'_>| {
        let last = agent.curve().last()?;
        let t = last.t as f64;
        Some((last.mean / t, last.student.map(|(low, high)| (low / t, high / t))))
    };
    for (label, ..) in EXPECTED {
        let (mut points, mut band, mut shade) = (Vec::new(), Vec::new(), 0);
        for place in &worlds {
            let agent = agent(place, label)?;
            shade = agent.colour;
            if let Some((mean, interval)) = share(agent) {
                let x = 1.0 / epsilon(place);
                points.push((x, mean));
                band.extend(interval.map(|(low, high)| (x, low, high)));
            }
        }
        curves.push(Curve { band, ..Curve::of_agent(label, shade, Stroke::Marked, points) });
    }
    let steps = worlds.first().and_then(|place| place.time).unwrap_or(0);
    let last = worlds.iter().map(|place| 1.0 / epsilon(place)).fold(10.0, f64::max);
    let first = worlds.iter().map(|place| 1.0 / epsilon(place)).fold(last, f64::min);
    Ok(CurvesFigure {
        title: "Regret on M_ε against the diameter 1/ε".into(),
        explanation: format!(
            "after {} steps; shaded: 95 % interval (Student); dashed: 1/6, the threshold of efficiency",
            tucrl_lab::text::grouped(steps as f64)
        ),
        x: Axis::log("1/ε, the diameter (steps)", first / 1.1, last * 1.1, 6),
        y: Axis::linear("regret per step (reward)", 0.0, 0.55, 6),
        curves: {
            let line = vec![(first / 1.1, 1.0 / 6.0), (last * 1.1, 1.0 / 6.0)];
            curves.push(Curve::new("1/6", GREY, Stroke::Dashed, line));
            curves
        },
        marks: Vec::new(),
    })
}

//! Are rare states found among states that do not exist? (Theory, section 7.)
//!
//! M_ε: y is reached from x with probability ε. TUCRL gives a pair up by a threshold that counts all states with a
//! name, so among many of them y is given up for S A steps; TUCRL+ counts the states that were seen. The statistic is the
//! share of runs that have seen y, with Wilson's 95 % interval, and the mean regret of TUCRL+, with Student's. The worlds are
//! M_ε for several ε, each among ever more states.

use super::judge::{Wanted, agent, check, share, study, worlds_by};
use super::{Check, Evidence, Finding, ReproduceError, palette};
use tucrl_lab::plot::{Axis, Curve, CurvesFigure, RegretFigure, Stroke};
use tucrl_lab::stats::{Interval, WorldStudy};
use tucrl_lab::text::{grouped, three_digits};

/// The agent that must find y as often for every S.
const STEADY: &str = "TUCRL+";
/// Agents with the paper's threshold, which must not, where y is rare.
const LOST: [&str; 2] = ["TUCRL, as written", "TUCRL, mass"];
/// The curves of the figure.
const SHOWN: [&str; 5] = ["TUCRL+", "TUCRL, as written", "TUCRL, mass", "UCRL", "SCAL c=50"];

/// The share of an agent's runs that have seen every reachable state, and its interval.
fn finding_share(place: &WorldStudy<'_>, label: &str) -> Result<(f64, Interval), ReproduceError> {
    let runs = &agent(place, label)?.runs;
    let found = runs.iter().filter(|run| run.record.seen == place.facts.reachable);
    Ok(share(found.count(), runs.len()))
}

pub(super) fn judge(evidence: &Evidence<'_>) -> Result<Finding, ReproduceError> {
    let study = study(evidence)?;
    let mut finding = Finding::default();
    let families = worlds_by(study, epsilon);
    // The rarest y is judged for the paper's threshold: where y is not rare, it is seen before it would be given up.
    let rarest = families.iter().map(|family| family.0).fold(f64::INFINITY, f64::min);
    for (epsilon, places) in &families {
        let (mut shares, mut means) = (Vec::new(), Vec::new());
        for place in places {
            shares.push(finding_share(place, STEADY)?);
            means.push(mean_regret(place, STEADY)?);
        }
        let found = format!("ε = {epsilon}: share of runs in which {STEADY} finds y");
        finding.checks.push(overlapping(found, places, &shares, three_digits));
        let regret = format!("ε = {epsilon}: mean regret of {STEADY}");
        finding.checks.push(overlapping(regret, places, &means, |mean| grouped(mean.round())));
        let least = shares.iter().copied().reduce(|a, b| if b.0 < a.0 { b } else { a });
        if let Some((least, _)) = least {
            finding.checks.push(check(
                format!("ε = {epsilon}: smallest share of runs in which {STEADY} finds y"),
                least,
                None,
                Wanted::AtLeast(0.8),
            ));
        }
        let (Some(alone), Some(crowd)) = (places.first(), places.last()) else { continue };
        for label in LOST {
            let (before, after) = (finding_share(alone, label)?, finding_share(crowd, label)?);
            let text = |(share, (low, high)): (f64, Interval)| {
                format!("{} ({} to {})", three_digits(share), three_digits(low), three_digits(high))
            };
            let statistic = format!(
                "ε = {epsilon}: share of runs in which {label} finds y among {}, and among {}",
                states(crowd),
                states(alone)
            );
            let measured = format!("{}, {}", text(after), text(before));
            if *epsilon == rarest {
                finding.checks.push(Check {
                    statistic,
                    measured,
                    wanted: "the first interval below the second".into(),
                    holds: after.1.1 < before.1.0,
                });
            } else {
                finding.remarks.push(format!("{statistic}: {measured}."));
            }
        }
        finding.remarks.push(regrets(*epsilon, places)?);
        if *epsilon == rarest {
            let caption = format!(
                "M_ε with ε = {epsilon}: TUCRL+ finds y as often among {} as among {}.",
                states(crowd),
                states(alone)
            );
            finding.draw("rare-states", caption, &against_states(places)?)?;
            let caption = format!("M_ε with ε = {epsilon} among {}: regret.", states(crowd));
            let figure = RegretFigure { world: crowd, is_log: true };
            finding.draw("rare-states-regret", caption, &figure)?;
        }
    }
    Ok(finding)
}

/// Whether the intervals of a statistic have a common point for all S.
fn overlapping(
    statistic: String,
    places: &[&WorldStudy<'_>],
    measured: &[(f64, Interval)],
    text: fn(f64) -> String,
) -> Check {
    let each = places.iter().zip(measured).map(|(place, (value, (low, high)))| {
        format!("{} ({} to {}) among {}", text(*value), text(*low), text(*high), states(place))
    });
    let lowest = measured.iter().map(|entry| entry.1.1).fold(f64::INFINITY, f64::min);
    let highest = measured.iter().map(|entry| entry.1.0).fold(f64::NEG_INFINITY, f64::max);
    Check {
        statistic,
        measured: each.collect::<Vec<_>>().join(", "),
        wanted: "all intervals overlap".into(),
        holds: !measured.is_empty() && highest <= lowest,
    }
}

/// Mean regret of an agent at the end, and its interval by Student's t.
fn mean_regret(place: &WorldStudy<'_>, label: &str) -> Result<(f64, Interval), ReproduceError> {
    let missing =
        || ReproduceError::Missing { what: format!("two runs of {label} in {}", place.world) };
    let last = agent(place, label)?.curve().last().ok_or_else(missing)?;
    Ok((last.mean, last.student.ok_or_else(missing)?))
}

/// Mean regret of every agent among every number of states, in one sentence.
fn regrets(epsilon: f64, places: &[&WorldStudy<'_>]) -> Result<String, ReproduceError> {
    let mut parts = Vec::new();
    for label in SHOWN {
        let mut means = Vec::new();
        for place in places {
            let last = agent(place, label)?.curve().last();
            means.push(last.map_or("unknown".into(), |point| grouped(point.mean.round())));
        }
        parts.push(format!("{label} {}", means.join(", ")));
    }
    let sizes: Vec<String> = places.iter().map(|place| states(place)).collect();
    Ok(format!("ε = {epsilon}, mean regret among {}: {}.", sizes.join(", "), parts.join("; ")))
}

fn states(place: &WorldStudy<'_>) -> String {
    match place.facts.states {
        few if few < 10_000 => format!("{few} states"),
        many => format!("{:.0e} states", many as f64),
    }
}

/// The ε of a world, from its spec; 0 by default.
pub(super) fn epsilon(place: &WorldStudy<'_>) -> f64 {
    let value = place.world.split_once("epsilon=").map(|(_, rest)| rest);
    let value = value.map(|rest| rest.split([',', ')']).next().unwrap_or(rest));
    value.and_then(|value| value.parse().ok()).unwrap_or(0.0)
}

fn against_states(places: &[&WorldStudy<'_>]) -> Result<CurvesFigure, ReproduceError> {
    let states = |place: &WorldStudy<'_>| place.facts.states as f64;
    let mut curves = Vec::new();
    for label in SHOWN {
        let shade = palette::colour(label).unwrap_or(0);
        let (mut points, mut band) = (Vec::new(), Vec::new());
        for place in places {
            let (share, (low, high)) = finding_share(place, label)?;
            points.push((states(place), share));
            band.push((states(place), low, high));
        }
        curves.push(Curve { band, ..Curve::of_agent(label, shade, Stroke::Marked, points) });
    }
    let missing = || ReproduceError::Missing { what: "the worlds".into() };
    let (first, last) = (places.first().ok_or_else(missing)?, places.last().ok_or_else(missing)?);
    Ok(CurvesFigure {
        title: format!("Runs that find y in M_ε, ε = {}", epsilon(first)),
        explanation: format!(
            "within {} steps; shaded: 95 % interval (Wilson)",
            grouped(first.time.unwrap_or(0) as f64)
        ),
        x: Axis::log("nominal states", states(first), states(last), 10),
        y: Axis::linear("share of runs that see y", 0.0, 1.02, 6),
        curves,
        marks: Vec::new(),
    })
}

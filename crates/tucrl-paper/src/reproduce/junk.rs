//! What do unreachable states cost TUCRL?
//!
//! The leading term of TUCRL's bound depends on the nominal S only by a logarithm (section 3.1, theorem 1). So the same
//! world with ever more unreachable (junk) states should cost about the same, up to ln(2 S A T / δ), which every width
//! contains. The set as the paper writes it fails: its L1 radius sums a width for each of the S states. With a radius that bounds all
//! unobserved mass at once (`relaxation=mass`) regret does not change. The worlds of the experiment have growing S; the
//! first has no junk.

use super::judge::{Wanted, agent, check, growth, study, world};
use super::{Evidence, Finding, ReproduceError};
use tucrl::math;
use tucrl_lab::plot::{Axis, Curve, CurvesFigure, Stroke, colour};
use tucrl_lab::stats::{AgentStudy, Bootstrap, Interval, Study, WorldStudy, mean};

/// The agent whose regret must not change, the one whose regret does, and the one that is linear anyway.
const STEADY: &str = "TUCRL, mass";
const MOVED: &str = "TUCRL, as written";
const LINEAR: &str = "UCRL";

pub(super) fn judge(evidence: &Evidence<'_>) -> Result<Finding, ReproduceError> {
    let study = study(evidence)?;
    let plain = world(study, 0)?;
    let last = world(study, study.worlds.len() - 1)?;
    let allowed = logarithm(last) / logarithm(plain);
    let mut finding = Finding::default();
    let (ratio, interval, states) = worst(study, STEADY)?;
    finding.checks.push(check(
        format!("regret of {STEADY}, at worst (S = {states:.0e}), divided by that without junk"),
        ratio,
        interval,
        // Rounded to two decimals.
        Wanted::AtMost((allowed * 100.0).round() / 100.0),
    ));
    let (ratio, interval, states) = worst(study, MOVED)?;
    finding.checks.push(check(
        format!("regret of {MOVED}, at worst (S = {states:.0e}), divided by that without junk"),
        ratio,
        interval,
        Wanted::AtLeast(10.0),
    ));
    finding.checks.push(growth(agent(last, LINEAR)?, 1.0, Wanted::Between(0.9, 1.1))?);
    let caption = "The same world with ever more unreachable states: with a radius that bounds the unobserved \
                   mass TUCRL's regret does not change.";
    finding.draw("junk", caption, &against_states(study)?)?;
    Ok(finding)
}

/// ln(2 S A T / δ) at the end of the run, with δ = 0.05.
fn logarithm(place: &WorldStudy<'_>) -> f64 {
    let (states, actions) = (place.facts.states as f64, place.facts.actions as f64);
    math::ln(2.0 * states * actions * place.time.unwrap_or(1) as f64 / 0.05)
}

/// Over all worlds with junk, the largest mean regret divided by that without junk, its interval, and S there.
fn worst(study: &Study<'_>, label: &str) -> Result<(f64, Option<Interval>, f64), ReproduceError> {
    let missing = || ReproduceError::Missing { what: format!("{label} in all worlds") };
    let at_end = |place: &WorldStudy<'_>| -> Result<Vec<f64>, ReproduceError> {
        Ok(agent(place, label)?.regret_at(place.time.ok_or_else(missing)?))
    };
    let plain = at_end(world(study, 0)?)?;
    let mut worst: Option<(f64, Vec<f64>)> = None;
    for place in study.worlds.iter().skip(1) {
        let regret = at_end(place)?;
        if regret.len() != plain.len() {
            return Err(missing());
        }
        if worst.as_ref().is_none_or(|(_, most)| mean(&regret) > mean(most)) {
            worst = Some((place.facts.states as f64, regret));
        }
    }
    let (states, regret) = worst.ok_or_else(missing)?;
    let interval = Bootstrap::new(plain.len()).interval(|draw| {
        let sum = |values: &[f64]| draw.iter().map(|&run| values[run as usize]).sum::<f64>();
        Some(sum(&regret) / sum(&plain))
    });
    Ok((mean(&regret) / mean(&plain), interval, states))
}

fn against_states(study: &Study<'_>) -> Result<CurvesFigure, ReproduceError> {
    let first = world(study, 0)?;
    let states = |place: &WorldStudy<'_>| place.facts.states as f64;
    let largest = study.worlds.iter().map(states).fold(10.0, f64::max);
    let steps = first.time.unwrap_or(1);
    // Smaller regrets are noise.
    let lowest = 10.0;
    let end = |agent: &AgentStudy<'_>| agent.regret.last().copied();
    let mut curves = Vec::new();
    for label in &study.labels {
        let (mut points, mut band, mut shade) = (Vec::new(), Vec::new(), 0);
        for place in &study.worlds {
            let found = agent(place, label)?;
            shade = found.colour;
            if let Some(point) = end(found) {
                points.push((states(place), point.mean.max(lowest)));
                let ends = point.student.map(|(low, high)| (low.max(lowest), high.max(lowest)));
                band.extend(ends.map(|(low, high)| (states(place), low, high)));
            }
        }
        curves.push(Curve { band, ..Curve::new(*label, colour(shade), Stroke::Line, points) });
    }
    Ok(CurvesFigure {
        title: "Regret against the nominal number of states".into(),
        explanation: format!(
            "after {} steps; {} states are reachable; shaded: 95 % interval (Student)",
            tucrl_lab::text::grouped(steps as f64),
            first.facts.reachable
        ),
        x: Axis::log("nominal states", states(first), largest, 10),
        y: Axis::log("regret (reward)", lowest, steps as f64, 7),
        curves,
        marks: Vec::new(),
    })
}

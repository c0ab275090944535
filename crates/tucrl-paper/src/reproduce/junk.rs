//! What do unreachable states cost? (Theory, section 8.)
//!
//! The bound of TUCRL+ has the nominal S only inside logarithms, so the same world with ever more unreachable (junk) states
//! should cost at most as much more as the logarithm y = ln(16 S A/δ) + ln S + (1/2) ln T + ln 2 of its confidence sets
//! grows. TUCRL as the paper writes it sums a width for each of the S states and gives rare states up by a threshold that
//! counts all S; UCRL is linear as soon as one state is out of reach. Several worlds, each with growing S.
//!
//! Where everything can be reached without junk, the first junk state has a price of its own, the square root of T that the
//! paper's section 5 explains: exploration no longer ends. There regret is compared with that of the least junk.

use super::judge::{Measured, Wanted, agent, at_end, check, growth, mean_ratio, study, worlds_by};
use super::{Evidence, Finding, ReproduceError, palette};
use tucrl::math;
use tucrl_lab::plot::{Axis, Curve, CurvesFigure, Stroke};
use tucrl_lab::stats::{WorldStudy, mean};
use tucrl_lab::text::{grouped, three_digits};

/// The agents whose regret may grow like the logarithm.
const STEADY: [&str; 2] = ["TUCRL+", "TUCRL+ α=0.05"];
/// The agent whose sets count every state.
const WRITTEN: &str = "TUCRL, as written";
/// The agent that keeps searching for unreachable states.
const SHOWN: &str = "UCRL";

pub(super) fn judge(evidence: &Evidence<'_>) -> Result<Finding, ReproduceError> {
    let study = study(evidence)?;
    let mut finding = Finding::default();
    for (base, places) in worlds_by(study, |place| base(place.world)) {
        let missing = || ReproduceError::Missing { what: format!("junk in {base}") };
        let reference = reference(&places).ok_or_else(missing)?;
        let last = places.last().ok_or_else(missing)?;
        for label in STEADY {
            let ((ratio, interval), place) = worst(&places, reference, label)?;
            // Rounded to two decimals.
            let allowed = (logarithm(place) / logarithm(reference) * 100.0).round() / 100.0;
            finding.checks.push(check(
                format!(
                    "{base}: regret of {label}, at worst (S = {:.0e}), divided by that with S = {}",
                    place.facts.states as f64,
                    grouped(reference.facts.states as f64)
                ),
                ratio,
                interval,
                Wanted::AtMost(allowed),
            ));
        }
        let most = format!(", {base}, S = {:.0e}", last.facts.states as f64);
        let mut check = growth(agent(last, WRITTEN)?, 1.0, Wanted::AtLeast(0.9))?;
        check.statistic += &most;
        finding.checks.push(check);
        // No part of the claim; `junk-cast` judges it.
        let shown = growth(agent(last, SHOWN)?, 1.0, Wanted::AtLeast(0.0))?;
        finding.remarks.push(format!("{}{most}: {}.", shown.statistic, shown.measured));
        let plain = places.first().ok_or_else(missing)?;
        if plain.facts.states < reference.facts.states {
            for label in STEADY {
                let lost =
                    |place| Ok::<_, ReproduceError>(grouped(mean(&at_end(place, label)?).round()));
                finding.remarks.push(format!(
                    "{base}: {label} loses {} without an unreachable state and {} with the first ones, \
                     because exploration then never ends.",
                    lost(plain)?,
                    lost(reference)?
                ));
            }
        }
        let name = base.split(':').next().unwrap_or(&base).to_owned();
        let caption = format!(
            "{base} with ever more unreachable states: the regret of TUCRL+ grows no faster than the logarithm."
        );
        finding.draw(&format!("junk-{name}"), caption, &against_states(&base, &places)?)?;
    }
    Ok(finding)
}

/// The world that is multiplied: `river-swim` of `junk:base=river-swim,factor=10`.
fn base(spec: &str) -> String {
    let inside = spec.split_once("base=").map_or("three-state:delta=0", |(_, rest)| rest);
    let inside = match inside.strip_prefix('(') {
        Some(rest) => rest.split_once(')').map_or(rest, |(inside, _)| inside),
        None => inside.split(',').next().unwrap_or(inside),
    };
    inside.to_owned()
}

/// The first world with an unreachable state.
fn reference<'a>(places: &[&'a WorldStudy<'a>]) -> Option<&'a WorldStudy<'a>> {
    places.iter().copied().find(|place| place.facts.states > place.facts.reachable)
}

/// y of the theorem with δ = 0.05: the logarithm of the confidence sets at the end of the run.
fn logarithm(place: &WorldStudy<'_>) -> f64 {
    let (states, actions) = (place.facts.states as f64, place.facts.actions as f64);
    let steps = place.time.unwrap_or(1) as f64;
    math::ln(16.0 * states * actions / 0.05)
        + math::ln(states)
        + 0.5 * math::ln(steps)
        + math::ln(2.0)
}

/// Of all worlds with more junk than the reference, that whose ratio exceeds what the logarithm allows the most: the
/// ratio of mean regrets, its interval, the world.
fn worst<'a>(
    places: &[&'a WorldStudy<'a>],
    reference: &WorldStudy<'_>,
    label: &str,
) -> Result<(Measured, &'a WorldStudy<'a>), ReproduceError> {
    let plain = at_end(reference, label)?;
    let mut worst: Option<(f64, Measured, &WorldStudy<'_>)> = None;
    for place in places.iter().filter(|place| place.facts.states > reference.facts.states) {
        let ratio = mean_ratio(&at_end(place, label)?, &plain)?;
        let excess = ratio.0 / logarithm(place);
        if worst.as_ref().is_none_or(|(most, ..)| excess > *most) {
            worst = Some((excess, ratio, place));
        }
    }
    let missing = || ReproduceError::Missing { what: format!("{label} with more junk") };
    let (_, ratio, place) = worst.ok_or_else(missing)?;
    Ok((ratio, place))
}

fn against_states(base: &str, places: &[&WorldStudy<'_>]) -> Result<CurvesFigure, ReproduceError> {
    let missing = || ReproduceError::Missing { what: format!("worlds of {base}") };
    let first = places.first().ok_or_else(missing)?;
    let states = |place: &WorldStudy<'_>| place.facts.states as f64;
    let largest = places.iter().map(|place| states(place)).fold(10.0, f64::max);
    let steps = first.time.unwrap_or(1);
    let (mut lowest, mut highest) = (f64::INFINITY, 1.0_f64);
    let mut curves = Vec::new();
    for found in &first.agents {
        let shade = palette::colour(found.label).unwrap_or(found.colour);
        let (mut points, mut band) = (Vec::new(), Vec::new());
        for place in places {
            if let Some(point) = agent(place, found.label)?.curve().last() {
                // Smaller regrets are noise.
                let shown = point.mean.max(1.0);
                (lowest, highest) = (lowest.min(shown), highest.max(shown));
                points.push((states(place), shown));
                let ends = point.student.map(|(low, high)| (low.max(1.0), high.max(1.0)));
                band.extend(ends.map(|(low, high)| (states(place), low, high)));
            }
        }
        curves.push(Curve { band, ..Curve::of_agent(found.label, shade, Stroke::Marked, points) });
    }
    Ok(CurvesFigure {
        title: format!("Regret against the nominal number of states, {base}"),
        explanation: format!(
            "after {} steps; {} states are reachable; optimal gain {}; shaded: 95 % interval (Student)",
            grouped(steps as f64),
            first.facts.reachable,
            three_digits(first.facts.gain)
        ),
        x: Axis::log("nominal states", states(first), largest, 10),
        y: Axis::log("gap regret (reward)", lowest / 1.5, highest * 1.5, 7),
        curves,
        marks: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_base_of_a_world_is_read_from_its_spec() {
        assert_eq!(base("junk:base=(three-state:delta=0),factor=1e3"), "three-state:delta=0");
        assert_eq!(base("junk:base=river-swim,factor=10"), "river-swim");
        assert_eq!(base("junk:factor=10"), "three-state:delta=0");
    }
}

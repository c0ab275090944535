//! Which statistics decide a claim?
//!
//! Growth exponents fitted to gap regret, ratios of mean regret, and paired differences, each with a 95 % interval. A
//! check with an interval holds if the whole interval is as wanted.

use super::{Check, Evidence, ReproduceError};
use tucrl_lab::stats::{AgentStudy, Bootstrap, Interval, Study, WorldStudy, mean};
use tucrl_lab::text::{grouped, three_digits};

/// The stored runs, which are all complete.
pub(super) fn study<'a>(evidence: &Evidence<'a>) -> Result<&'a Study<'a>, ReproduceError> {
    let missing = |what: &str| ReproduceError::Missing { what: what.into() };
    evidence.study.ok_or_else(|| missing("anything"))
}

/// A world of the study.
pub(super) fn world<'a>(
    study: &'a Study<'a>,
    index: usize,
) -> Result<&'a WorldStudy<'a>, ReproduceError> {
    let missing = || ReproduceError::Missing { what: format!("the world number {}", index + 1) };
    study.worlds.get(index).ok_or_else(missing)
}

/// An agent by its label.
pub(super) fn agent<'a>(
    world: &'a WorldStudy<'a>,
    label: &str,
) -> Result<&'a AgentStudy<'a>, ReproduceError> {
    let found = world.agents.iter().find(|agent| agent.label == label);
    let missing = || ReproduceError::Missing { what: format!("{label} in {}", world.world) };
    found.filter(|agent| !agent.runs.is_empty()).ok_or_else(missing)
}

/// The worlds of the study by a key, in order of appearance.
pub(super) fn worlds_by<'a, K: PartialEq>(
    study: &'a Study<'a>,
    key: impl Fn(&WorldStudy<'a>) -> K,
) -> Vec<(K, Vec<&'a WorldStudy<'a>>)> {
    let mut groups: Vec<(K, Vec<&WorldStudy<'_>>)> = Vec::new();
    for place in &study.worlds {
        let key = key(place);
        match groups.iter_mut().find(|group| group.0 == key) {
            Some(group) => group.1.push(place),
            None => groups.push((key, vec![place])),
        }
    }
    groups
}

/// A share of runs with its 95 % interval by Wilson's score, which also holds for none and for all.
pub(super) fn share(found: usize, runs: usize) -> (f64, Interval) {
    const NORMAL: f64 = 1.959_963_984_540_054;
    let (found, runs) = (found as f64, runs as f64);
    let (share, square) = (found / runs, NORMAL * NORMAL);
    let centre = (found + square / 2.0) / (runs + square);
    let half = NORMAL / (runs + square) * (found * (1.0 - share) + square / 4.0).sqrt();
    // At the ends one limit is exact, without rounding.
    let low = if found == 0.0 { 0.0 } else { centre - half };
    let high = if found == runs { 1.0 } else { centre + half };
    (share, (low, high))
}

/// Gap regret of every run of an agent at the last common checkpoint of the world.
pub(super) fn at_end(place: &WorldStudy<'_>, label: &str) -> Result<Vec<f64>, ReproduceError> {
    let missing = || ReproduceError::Missing { what: format!("{label} in {}", place.world) };
    Ok(agent(place, label)?.regret_at(place.time.ok_or_else(missing)?))
}

/// A statistic and its interval.
pub(super) type Measured = (f64, Option<Interval>);

/// The mean of some values divided by the mean of others, with its interval; runs are resampled in pairs.
pub(super) fn mean_ratio(above: &[f64], below: &[f64]) -> Result<Measured, ReproduceError> {
    if above.len() != below.len() {
        return Err(ReproduceError::Missing { what: "the same runs of both".into() });
    }
    let interval = Bootstrap::new(above.len()).interval(|draw| {
        let sum = |values: &[f64]| draw.iter().map(|&run| values[run as usize]).sum::<f64>();
        Some(sum(above) / sum(below))
    });
    Ok((mean(above) / mean(below), interval))
}

/// A wanted range.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wanted {
    AtLeast(f64),
    AtMost(f64),
    Between(f64, f64),
}

impl Wanted {
    fn is_met_by(self, (low, high): Interval) -> bool {
        match self {
            Self::AtLeast(least) => low >= least,
            Self::AtMost(most) => high <= most,
            Self::Between(least, most) => low >= least && high <= most,
        }
    }

    fn text(self) -> String {
        match self {
            Self::AtLeast(least) => format!("at least {least}"),
            Self::AtMost(most) => format!("at most {most}"),
            Self::Between(least, most) => format!("{least} to {most}"),
        }
    }
}

/// A number, with its interval if it has one, compared with the wanted range.
pub(super) fn check(
    statistic: impl Into<String>,
    value: f64,
    interval: Option<Interval>,
    wanted: Wanted,
) -> Check {
    let interval_text = interval.map_or(String::new(), |(low, high)| {
        format!(" ({} to {})", three_digits(low), three_digits(high))
    });
    Check {
        statistic: statistic.into(),
        measured: three_digits(value) + &interval_text,
        wanted: wanted.text(),
        holds: wanted.is_met_by(interval.unwrap_or((value, value))),
    }
}

/// An exact number that must equal the wanted one.
pub(super) fn exact(statistic: impl Into<String>, measured: u64, wanted: u64) -> Check {
    Check {
        statistic: statistic.into(),
        measured: grouped(measured as f64),
        wanted: grouped(wanted as f64),
        holds: measured == wanted,
    }
}

/// The growth exponent of gap regret over the last decades.
pub(super) fn growth(
    agent: &AgentStudy<'_>,
    decades: f64,
    wanted: Wanted,
) -> Result<Check, ReproduceError> {
    let what = format!("growth exponent of {}", agent.label);
    let Some(growth) = agent.fitted_growth(decades) else {
        return Err(ReproduceError::Missing { what });
    };
    let over = if decades == 1.0 { "decade".into() } else { format!("{decades} decades") };
    let what = format!("{what} over the last {over}");
    // The fit of a curve that does not grow leaves a slope of rounding errors.
    let clean = |slope: f64| if slope.abs() < 1e-9 { 0.0 } else { slope };
    let interval = growth.interval.map(|(low, high)| (clean(low), clean(high)));
    Ok(check(what, clean(growth.exponent), interval, wanted))
}

/// Mean regret of one agent divided by that of another, at the last common checkpoint; runs are resampled in pairs.
pub(super) fn ratio(
    world: &WorldStudy<'_>,
    (above, below): (&AgentStudy<'_>, &AgentStudy<'_>),
    wanted: Wanted,
) -> Result<Check, ReproduceError> {
    let what = format!("regret of {} divided by that of {}", above.label, below.label);
    let missing = || ReproduceError::Missing { what: what.clone() };
    let time = world.time.ok_or_else(missing)?;
    let (value, interval) = mean_ratio(&above.regret_at(time), &below.regret_at(time))?;
    let at = format!("{what} after {} steps", grouped(time as f64));
    Ok(check(at, value, interval, wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_is_met_by_its_whole_interval() {
        let holds = |interval, wanted| check("x", 0.5, interval, wanted).holds;
        assert!(holds(None, Wanted::AtLeast(0.5)) && holds(None, Wanted::AtMost(0.5)));
        assert!(holds(Some((0.4, 0.6)), Wanted::Between(0.4, 0.6)));
        assert!(!holds(Some((0.39, 0.6)), Wanted::Between(0.4, 0.6)));
        assert!(!holds(Some((0.4, 0.61)), Wanted::Between(0.4, 0.6)));
        assert!(!holds(Some((0.4, 0.6)), Wanted::AtLeast(0.45)));
        assert!(!holds(Some((0.4, 0.6)), Wanted::AtMost(0.55)));
        assert!(!holds(Some((f64::NAN, f64::NAN)), Wanted::AtMost(1.0)));
    }

    /// Values of Brown, Cai, DasGupta 2001 and of the closed forms at the ends: z²/(n + z²).
    #[test]
    fn shares_have_wilsons_interval() {
        let close = |a: f64, b: f64| (a - b).abs() < 1e-4;
        let (half, (low, high)) = share(5, 10);
        assert!(half == 0.5 && close(low, 0.2366) && close(high, 0.7634), "{low} {high}");
        let square = 1.959_963_984_540_054_f64.powi(2);
        let (none, (low, high)) = share(0, 40);
        assert!(none == 0.0 && low == 0.0 && close(high, square / (40.0 + square)), "{high}");
        let (all, (low, high)) = share(40, 40);
        assert!(all == 1.0 && high == 1.0 && close(low, 40.0 / (40.0 + square)), "{low}");
    }
}

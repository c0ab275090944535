//! Which agent loses least when widths are shrunk? (Theory, section 1; the experiment is ours.)
//!
//! All experiments of the field multiply confidence widths by a factor α < 1, which voids every guarantee, and which α is
//! best differs between algorithms and worlds. So agents are compared twice: all at the same α, and each at its own best α.
//! The best α is that of least mean regret on seeds of its own (`tune_seeds`), and is judged on the others, so that no agent
//! profits from the noise of the runs that chose.

use super::judge::{Wanted, check, mean_ratio, study};
use super::{Evidence, Finding, ReproduceError, palette};
use tucrl_lab::plot::{Axis, Curve, CurvesFigure, Stroke};
use tucrl_lab::stats::{WorldStudy, half_width, mean, number};
use tucrl_lab::text::{grouped, mean_and_half, tick};

/// The agent that is judged, and the one that it must not exceed.
const OURS: &str = "TUCRL+";
const PAPER: &str = "TUCRL";
/// The α of the theorems.
const PROVED: f64 = 1.0;

/// What the intervals of both ratios may reach.
const NO_WORSE: f64 = 1.0;

/// Gap regret of the runs of one agent with one α, in order of the runs; those that choose α are not among them.
struct Line {
    alpha: f64,
    regret: Vec<f64>,
    is_best: bool,
}

/// An agent with all its α.
struct Family<'a> {
    name: &'a str,
    lines: Vec<Line>,
}

impl Family<'_> {
    /// The line with the least mean regret in the runs that choose.
    fn best(&self) -> Result<&Line, ReproduceError> {
        self.lines.iter().find(|line| line.is_best).ok_or_else(|| missing(self.name))
    }

    fn at(&self, alpha: f64) -> Result<&Line, ReproduceError> {
        self.lines.iter().find(|line| line.alpha == alpha).ok_or_else(|| missing(self.name))
    }
}

fn missing(what: &str) -> ReproduceError {
    ReproduceError::Missing { what: format!("{what} over a grid of α") }
}

/// The sweeps of a world.
fn families<'a>(place: &'a WorldStudy<'a>) -> Result<Vec<Family<'a>>, ReproduceError> {
    let mut families = Vec::new();
    for sweep in &place.sweeps {
        let mut lines = Vec::new();
        for variant in &sweep.variants {
            let alpha = variant.values.first().and_then(|value| number(value));
            let alpha = alpha.ok_or_else(|| missing(variant.agent))?;
            let regret = variant.regrets.clone();
            lines.push(Line { alpha, regret, is_best: variant.is_best });
        }
        families.push(Family { name: sweep.group, lines });
    }
    Ok(families)
}

pub(super) fn judge(evidence: &Evidence<'_>) -> Result<Finding, ReproduceError> {
    let mut finding = Finding::default();
    for place in &study(evidence)?.worlds {
        let families = families(place)?;
        let family = |name: &str| {
            families.iter().find(|family| family.name == name).ok_or_else(|| missing(name))
        };
        let (ours, paper) = (family(OURS)?, family(PAPER)?);
        let world = place.world;
        let (value, interval) = mean_ratio(&ours.at(PROVED)?.regret, &paper.at(PROVED)?.regret)?;
        finding.checks.push(check(
            format!("{world}: regret of {OURS} divided by that of {PAPER}, both with α = 1"),
            value,
            interval,
            Wanted::AtMost(NO_WORSE),
        ));
        let (best, theirs) = (ours.best()?, paper.best()?);
        let (value, interval) = mean_ratio(&best.regret, &theirs.regret)?;
        finding.checks.push(check(
            format!(
                "{world}: regret of {OURS} (α = {}) divided by that of {PAPER} (α = {}), each at its best α",
                best.alpha, theirs.alpha
            ),
            value,
            interval,
            Wanted::AtMost(NO_WORSE),
        ));
        finding.remarks.push(compared(place, &families)?);
        let name: String =
            world.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let caption = format!("{world}: regret against the factor on all widths.");
        finding.draw(&format!("alphas-{name}"), caption, &against_alpha(place, &families))?;
    }
    Ok(finding)
}

/// Every agent at its best α, and all at every α, in one sentence.
fn compared(place: &WorldStudy<'_>, families: &[Family<'_>]) -> Result<String, ReproduceError> {
    let (mut best, mut same) = (Vec::new(), Vec::new());
    for family in families {
        let line = family.best()?;
        let regret = mean_and_half(mean(&line.regret), half_width(&line.regret));
        best.push(format!("{} {regret} (α = {})", family.name, line.alpha));
        let each = family
            .lines
            .iter()
            .map(|line| format!("{} at {}", grouped(mean(&line.regret).round()), tick(line.alpha)));
        same.push(format!("{} {}", family.name, each.collect::<Vec<_>>().join(", ")));
    }
    Ok(format!(
        "{} after {} steps, each at its best α: {}. All α: {}.",
        place.world,
        grouped(place.time.unwrap_or(0) as f64),
        best.join(", "),
        same.join("; ")
    ))
}

fn against_alpha(place: &WorldStudy<'_>, families: &[Family<'_>]) -> CurvesFigure {
    let (mut lowest, mut highest) = (f64::INFINITY, 1.0_f64);
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    let mut curves = Vec::new();
    for family in families {
        let (mut points, mut band) = (Vec::new(), Vec::new());
        for line in &family.lines {
            let centre = mean(&line.regret);
            (lowest, highest) = (lowest.min(centre), highest.max(centre));
            (least, most) = (least.min(line.alpha), most.max(line.alpha));
            points.push((line.alpha, centre));
            let half = half_width(&line.regret).unwrap_or(0.0);
            band.push((line.alpha, (centre - half).max(centre / 10.0), centre + half));
        }
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        band.sort_by(|a, b| a.0.total_cmp(&b.0));
        let shade = palette::colour(family.name).unwrap_or(0);
        curves.push(Curve { band, ..Curve::of_agent(family.name, shade, Stroke::Marked, points) });
    }
    CurvesFigure {
        title: format!("Regret against α, {}", place.world),
        explanation: format!(
            "after {} steps; shaded: 95 % interval (Student); guarantees hold at α = 1 only",
            grouped(place.time.unwrap_or(0) as f64)
        ),
        x: Axis::log("α, the factor on all widths", least, most, 8),
        y: Axis::log("gap regret (reward)", lowest / 1.5, highest * 1.5, 7),
        curves,
        marks: Vec::new(),
    }
}

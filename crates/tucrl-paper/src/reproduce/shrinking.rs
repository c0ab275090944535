//! Which agent loses least when widths are shrunk? (Theory, section 1; the experiment is ours.)
//!
//! All experiments of the field multiply confidence widths by a factor α < 1, which voids every guarantee, and which α is
//! best differs between algorithms and worlds. So agents are compared twice: all at the same α, and each at its own best α.
//! The best α is chosen by the mean regret of the first half of the runs and judged on the second half, so that no agent
//! profits from the luck of the runs that chose. A label is the agent and its α: `TUCRL+ α=0.1`.

use super::judge::{Wanted, at_end, check, mean_ratio, study};
use super::{Evidence, Finding, ReproduceError, palette};
use tucrl_lab::plot::{Axis, Curve, CurvesFigure, Stroke};
use tucrl_lab::stats::{WorldStudy, half_width, mean};
use tucrl_lab::text::{grouped, mean_and_half, tick};

/// The agent that is judged, and the one that it must not exceed.
const OURS: &str = "TUCRL+";
const PAPER: &str = "TUCRL";
/// The α of the theorems.
const PROVED: f64 = 1.0;

/// Gap regret of the runs of one agent with one α, in order of the runs.
struct Line {
    alpha: f64,
    regret: Vec<f64>,
}

impl Line {
    /// The runs that choose α, and those that are judged.
    fn halves(&self) -> (&[f64], &[f64]) {
        self.regret.split_at(self.regret.len() / 2)
    }
}

/// An agent with all its α.
struct Family<'a> {
    name: &'a str,
    lines: Vec<Line>,
}

impl Family<'_> {
    /// The line with the least mean regret in the runs that choose.
    fn best(&self) -> Result<&Line, ReproduceError> {
        let chosen = self.lines.iter().min_by(|a, b| {
            let cost = |line: &Line| mean(line.halves().0);
            cost(a).total_cmp(&cost(b))
        });
        chosen.ok_or_else(|| missing(self.name))
    }

    fn at(&self, alpha: f64) -> Result<&Line, ReproduceError> {
        self.lines.iter().find(|line| line.alpha == alpha).ok_or_else(|| missing(self.name))
    }
}

fn missing(what: &str) -> ReproduceError {
    ReproduceError::Missing { what: format!("{what} over a grid of α") }
}

/// The agents of a world, by the name before their α.
fn families<'a>(place: &'a WorldStudy<'a>) -> Result<Vec<Family<'a>>, ReproduceError> {
    let mut families: Vec<Family<'_>> = Vec::new();
    for agent in &place.agents {
        let (name, alpha) = agent.label.split_once(" α=").ok_or_else(|| missing(agent.label))?;
        let alpha = alpha.parse().map_err(|_| missing(agent.label))?;
        let line = Line { alpha, regret: at_end(place, agent.label)? };
        match families.iter_mut().find(|family| family.name == name) {
            Some(family) => family.lines.push(line),
            None => families.push(Family { name, lines: vec![line] }),
        }
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
            Wanted::AtMost(1.0),
        ));
        let (best, theirs) = (ours.best()?, paper.best()?);
        let (value, interval) = mean_ratio(best.halves().1, theirs.halves().1)?;
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
        let judged = line.halves().1;
        let regret = mean_and_half(mean(judged), half_width(judged));
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

/// What the interval of the ratio at the best α may reach.
const NO_WORSE: f64 = 1.0;

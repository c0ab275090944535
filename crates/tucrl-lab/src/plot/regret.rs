//! How is the regret of all agents in a world drawn?
//!
//! Mean regret with its 95 % interval by Student's t, on linear or logarithmic axes; on the latter a power of t is a
//! straight line whose slope is the exponent, and T, √T and ln T are drawn as guides.

use tucrl::math;

use super::Curves;
use super::axis::Axis;
use super::canvas::cut;
use super::curves::{Curve, CurvesFigure, Stroke, guides};
use crate::stats::{AgentStudy, Regret, WorldStudy};
use crate::text::capitalised;

/// Regret curves of all agents in one world.
#[derive(Debug, Clone, Copy)]
pub struct RegretFigure<'a> {
    /// The world and its agents.
    pub world: &'a WorldStudy<'a>,
    /// True if both axes are logarithmic.
    pub is_log: bool,
}

/// Logarithmic axes start at this time.
const FIRST_TIME: f64 = 10.0;
/// Logarithmic axes show at most this ratio of regrets.
const MAX_RATIO: f64 = 1e6;

impl RegretFigure<'_> {
    fn agents(&self) -> impl Iterator<Item = &AgentStudy<'_>> {
        self.world.agents.iter().filter(|agent| !agent.curve().is_empty())
    }

    fn axes(&self) -> (Axis, Axis) {
        let name = match self.world.shown {
            Regret::Gap => "gap regret (reward)",
            Regret::Realised => "realised regret (reward)",
            Regret::Pseudo => "pseudo-regret (reward)",
        };
        let points = || self.agents().flat_map(|agent| agent.curve());
        let last = points().map(|point| point.t).max().unwrap_or(1) as f64;
        let highest = points()
            .map(|point| point.student.map_or(point.mean, |(_, high)| high.max(point.mean)))
            .fold(1.0, f64::max);
        if self.is_log {
            let first = FIRST_TIME.min(last / 10.0).max(1.0);
            let shown = points().filter(|point| point.t as f64 >= first && point.mean > 0.0);
            let lowest = shown.map(|point| point.mean).fold(highest, f64::min);
            let lowest = lowest.max(highest / MAX_RATIO) / 1.5;
            let y = Axis::log(name, lowest, highest * 1.2, 7);
            return (Axis::log("steps", first, last, 8), y);
        }
        let lowest = points().map(|point| point.mean).fold(0.0, f64::min);
        let x = Axis::tight("steps", 0.0, last, 6);
        (x, Axis::linear(name, lowest, highest * 1.03, 6))
    }
}

impl Curves for RegretFigure<'_> {
    fn curves(&self) -> CurvesFigure {
        let runs: Vec<usize> = self.agents().map(|agent| agent.runs.len()).collect();
        let (least, most) = (runs.iter().min().unwrap_or(&0), runs.iter().max().unwrap_or(&0));
        let runs = match (least, most) {
            (1, 1) => "one run each".into(),
            _ if least == most => format!("mean of {most} runs, shaded: 95 % interval (Student)"),
            _ => format!("mean of {least} to {most} runs, shaded: 95 % interval (Student)"),
        };
        let scales = if self.is_log { "; dotted: slopes of T, √T and ln T" } else { "" };
        let (x, y) = self.axes();
        // Drop points before the first time shown: they would pile up at the edge.
        let begin = if self.is_log { math::powf(10.0, x.range.0) * 0.999 } else { 0.0 };
        let curve = |agent: &AgentStudy<'_>| {
            let shown: Vec<_> = agent.curve().iter().filter(|p| p.t as f64 >= begin).collect();
            let start = (!self.is_log).then_some((0.0, 0.0));
            let means = shown.iter().map(|point| (point.t as f64, point.mean));
            let points = start.into_iter().chain(means).collect();
            let band = shown
                .iter()
                .filter_map(|point| point.student.map(|(low, high)| (point.t as f64, low, high)));
            Curve {
                band: band.collect(),
                ..Curve::of_agent(&agent.title(), agent.colour, Stroke::Line, points)
            }
        };
        CurvesFigure {
            title: format!(
                "{} in {}",
                capitalised(self.world.regret_name()),
                cut(self.world.world, 60)
            ),
            explanation: runs + scales,
            curves: self.agents().map(curve).chain(guides(&x, &y)).collect(),
            x,
            y,
            marks: Vec::new(),
        }
    }
}

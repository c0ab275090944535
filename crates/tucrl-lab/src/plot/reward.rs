//! How is the average reward per step of all agents in a world drawn?
//!
//! Rewards averaged from the first step on, with a 95 % interval by Student's t; a known gain is a dashed line. Usable
//! where no optimal gain is known.

use super::Curves;
use super::axis::Axis;
use super::canvas::GREY;
use super::curves::{Curve, CurvesFigure, Stroke};
use crate::stats::{Regret, WorldStudy};
use tucrl::truth::Baseline;

/// Average rewards of all agents in one world.
#[derive(Debug, Clone, Copy)]
pub struct RewardFigure<'a> {
    /// The world and its agents.
    pub world: &'a WorldStudy<'a>,
}

/// Earlier averages are dominated by noise.
const FIRST_TIME: u64 = 100;

impl Curves for RewardFigure<'_> {
    fn curves(&self) -> CurvesFigure {
        let (gain, mut curves) = (self.world.facts.gain, Vec::new());
        let (mut last, mut lowest, mut highest) = (10 * FIRST_TIME, 0.0f64, 0.0f64);
        for agent in &self.world.agents {
            let earned = agent.curve_of(Regret::Realised);
            let Some(end) = earned.last() else { continue };
            let shown = || earned.iter().filter(|point| point.t >= FIRST_TIME);
            let reward = |t: u64, regret: f64| gain - regret / t as f64;
            let points: Vec<(f64, f64)> =
                shown().map(|point| (point.t as f64, reward(point.t, point.mean))).collect();
            let band = shown()
                .filter_map(|point| {
                    let (low, high) = point.student?;
                    Some((point.t as f64, reward(point.t, high), reward(point.t, low)))
                })
                .collect();
            last = last.max(end.t);
            highest = points.iter().map(|point| point.1).fold(highest, f64::max);
            lowest = points.iter().map(|point| point.1).fold(lowest, f64::min);
            let curve = Curve::of_agent(agent.label, agent.colour, Stroke::Line, points);
            curves.push(Curve { band, ..curve });
        }
        let name = match self.world.facts.baseline {
            Baseline::Optimal => Some("optimal gain"),
            Baseline::BestKnown { .. } => Some("best known gain"),
            Baseline::Nothing => None,
        };
        if let Some(name) = name {
            let line = vec![(FIRST_TIME as f64, gain), (last as f64, gain)];
            curves.push(Curve::new(name, GREY, Stroke::Dashed, line));
            (lowest, highest) = (lowest.min(gain), highest.max(gain));
        }
        CurvesFigure {
            title: format!("Reward in {}", super::canvas::cut(self.world.world, 60)),
            explanation: "per step, averaged from the first step on; shaded: 95 % interval".into(),
            x: Axis::log("steps", FIRST_TIME as f64, last as f64, 8),
            y: Axis::linear("reward per step", lowest, highest.max(1e-9) * 1.08, 6),
            curves,
            marks: Vec::new(),
        }
    }
}

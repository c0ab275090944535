//! How is the loss after exploration times drawn?
//!
//! The largest loss within a window after an exploration time, averaged over runs, against the length of the window; the
//! mean loss is thin. A straight line of slope 1 on these logarithmic axes is an agent that may play badly through the
//! whole window.

use super::axis::Axis;
use super::canvas::cut;
use super::curves::{Curve, CurvesFigure, Stroke};
use super::{Curves, colour};
use crate::stats::{AgentStudy, WorldStudy, mean};

/// Losses after exploration times of all agents in one world.
#[derive(Debug, Clone, Copy)]
pub struct ExplorationFigure<'a> {
    /// The world and its agents.
    pub world: &'a WorldStudy<'a>,
}

/// Window, mean loss, worst loss: means over the runs that have exploration times.
pub fn exploration_losses(agent: &AgentStudy<'_>) -> Vec<(u64, f64, f64)> {
    let losses = agent.runs.iter().filter_map(|run| run.record.exploration.as_ref());
    let measured: Vec<_> = losses.filter(|l| l.times > 0).map(|loss| &loss.windows).collect();
    let Some(first) = measured.first() else { return Vec::new() };
    let at = |index: usize| {
        let means: Vec<f64> = measured.iter().map(|windows| windows[index].1).collect();
        let worst: Vec<f64> = measured.iter().map(|windows| windows[index].2).collect();
        (first[index].0, mean(&means), mean(&worst))
    };
    (0..first.len()).map(at).collect()
}

impl ExplorationFigure<'_> {
    /// Whether no agent has a loss to show.
    pub fn is_empty(&self) -> bool {
        self.world.agents.iter().all(|agent| exploration_losses(agent).is_empty())
    }
}

impl Curves for ExplorationFigure<'_> {
    fn curves(&self) -> CurvesFigure {
        let mut curves = Vec::new();
        let (mut last, mut lowest, mut highest) = (10.0f64, f64::INFINITY, 1e-9f64);
        for agent in &self.world.agents {
            let losses = exploration_losses(agent);
            let shown = |loss: f64| loss > 0.0;
            let line = |value: fn(&(u64, f64, f64)) -> f64| -> Vec<(f64, f64)> {
                let points = losses.iter().map(|loss| (loss.0 as f64, value(loss)));
                points.filter(|point| shown(point.1)).collect()
            };
            let (worst, average) = (line(|loss| loss.2), line(|loss| loss.1));
            for &(window, loss) in worst.iter().chain(&average) {
                last = last.max(window);
                (lowest, highest) = (lowest.min(loss), highest.max(loss));
            }
            let ink = colour(agent.colour);
            curves.push(Curve::new("", ink, Stroke::Thin, average));
            curves.push(Curve::new(agent.label, ink, Stroke::Line, worst));
        }
        let lowest = lowest.min(highest).max(highest / 1e4);
        CurvesFigure {
            title: format!("Regret of exploration in {}", cut(self.world.world, 60)),
            explanation:
                "sum of gaps in the steps after an exploration time: worst of a run, thin: mean"
                    .into(),
            x: Axis::log("steps after an exploration time", 1.0, last, 6),
            y: Axis::log("loss (reward)", lowest / 1.5, highest * 1.5, 6),
            curves,
            marks: Vec::new(),
        }
    }
}

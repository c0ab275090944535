//! How many steps in poorly visited pairs does a run take, against the bound of the lemma on Z_T?
//!
//! Z_T, the steps that TUCRL takes in pairs poorly visited at that time, is at most 2 sqrt(S^C A t) + 2 S^C A with
//! certainty. Z at the end of a run is a dot. The line is the mean over runs of the steps in exploratory episodes so
//! far, which the records have over time. The paper draws the bound as the green curve of its three-state figure.

use plotters::backend::DrawingBackend;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use tucrl::bounds;
use tucrl::math;

use super::axis::Axis;
use super::canvas::{Canvas, Frame, GREY, cut, room};
use super::{Figure, FigureError, colour};
use crate::record::StoredRun;
use crate::stats::{AgentStudy, WorldStudy};
use tucrl::truth::Facts;

/// Steps in poorly visited pairs, of all agents that have episodes.
#[derive(Debug, Clone, Copy)]
pub struct PoorFigure<'a> {
    /// The world and its agents.
    pub world: &'a WorldStudy<'a>,
}

/// The lemma's bound on Z at a time.
pub fn bound(facts: &Facts, t: f64) -> f64 {
    bounds::poor_steps_among(facts.reachable as f64 * facts.actions as f64, t)
}

/// Steps in exploratory episodes among the first `t`.
fn explored(run: &StoredRun, t: f64) -> f64 {
    let episodes = run.record.episodes.iter().map(|(episode, _)| episode);
    let within = episodes
        .filter(|episode| episode.is_exploratory())
        .map(|episode| (t - (episode.start - 1) as f64).clamp(0.0, episode.length as f64));
    within.sum()
}

impl PoorFigure<'_> {
    fn agents(&self) -> impl Iterator<Item = &AgentStudy<'_>> {
        let has_episodes =
            |agent: &&AgentStudy<'_>| agent.runs.iter().any(|run| !run.record.episodes.is_empty());
        self.world.agents.iter().filter(has_episodes)
    }

    /// False if no agent has episodes.
    pub fn is_empty(&self) -> bool {
        self.agents().next().is_none()
    }
}

impl Figure for PoorFigure<'_> {
    fn size(&self) -> (u32, u32) {
        (960, 520)
    }

    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        scale: f64,
    ) -> Result<(), FigureError> {
        const POINTS: u32 = 400;
        let canvas = Canvas { area, scale };
        canvas.title(
            &format!("Steps in poorly visited pairs in {}", cut(self.world.world, 50)),
            "dots: Z at the end of each run; lines: steps in exploratory episodes, mean; \
             dashed: the bound on TUCRL's Z",
        )?;
        let mut names: Vec<String> = self.agents().map(|agent| cut(agent.label, 30)).collect();
        names.push("bound on Z".into());
        let (width, height) = self.size();
        let (left, top) = (92.0, 76.0);
        let right = f64::from(width) - room(&names);
        let frame =
            Frame { left, top, width: right - left, height: f64::from(height) - top - 58.0 };
        let runs = || self.agents().flat_map(|agent| &agent.runs);
        let last = runs().map(|run| run.record.steps).max().unwrap_or(1).max(10) as f64;
        let most = runs().map(|run| (run.record.z as f64).max(explored(run, last)));
        let highest = most.fold(bound(self.world.facts, last), f64::max);
        let x = Axis::log("steps", 1.0, last * 1.12, 10);
        let y = Axis::log("steps in poorly visited pairs", 1.0, highest * 1.5, 8);
        let mut panel = canvas.panel(frame, x, y, true)?;
        let times: Vec<f64> =
            (0..=POINTS).map(|i| math::powf(last, f64::from(i) / f64::from(POINTS))).collect();
        let line: Vec<(f64, f64)> =
            times.iter().map(|&t| (t, bound(self.world.facts, t))).collect();
        panel.dashed(&line, GREY)?;
        let mut labels = Vec::new();
        let end = panel.height_of(bound(self.world.facts, last));
        labels.extend(end.map(|end| (end, "bound on Z".to_owned(), GREY)));
        for agent in self.agents() {
            let mean = |t: f64| {
                let sum: f64 = agent.runs.iter().map(|run| explored(run, t)).sum();
                sum / agent.runs.len() as f64
            };
            let line: Vec<(f64, f64)> = times.iter().map(|&t| (t, mean(t))).collect();
            panel.line(&line, colour(agent.colour), 2.2)?;
            for run in &agent.runs {
                panel.dot((last, run.record.z as f64), 4.0, colour(agent.colour))?;
            }
            let z = agent.mean_of(|record| record.z as f64).unwrap_or(0.0).max(1.0);
            let end = panel.height_of(z);
            labels.extend(end.map(|end| (end, cut(agent.label, 30), colour(agent.colour))));
        }
        canvas.labels(labels, right + 10.0, frame)
    }
}

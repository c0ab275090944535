//! How many steps in poorly visited pairs does a run take, against the bound of the lemma on Z_T?
//!
//! Z_T, the steps that TUCRL takes in pairs poorly visited at that time, is at most 2 sqrt(S^C A t) + 2 S^C A with
//! certainty; only agents of that family are drawn. The line is the mean of Z over runs, a dot Z at the end of a run.
//! Records made before Z was kept over time have dots only. The paper draws the bound as the green curve of its
//! three-state figure.

use tucrl::bounds;
use tucrl::math;
use tucrl::truth::Facts;

use super::Curves;
use super::axis::Axis;
use super::canvas::{GREY, cut};
use super::curves::{Curve, CurvesFigure, Stroke};
use crate::record::StoredRun;
use crate::stats::{AgentStudy, WorldStudy, mean};

/// Steps in poorly visited pairs, of TUCRL and its variants.
#[derive(Debug, Clone, Copy)]
pub struct PoorFigure<'a> {
    /// The world and its agents.
    pub world: &'a WorldStudy<'a>,
}

/// The lemma's bound on Z at a time.
pub fn bound(facts: &Facts, t: f64) -> f64 {
    bounds::poor_steps_among(facts.reachable as f64 * facts.actions as f64, t)
}

/// Whether a spec names TUCRL or a variant: `tucrl`, `tucrl:alpha=0.05`, `tucrl-plus`.
fn is_tucrl(spec: &str) -> bool {
    let name = spec.split(':').next().unwrap_or(spec);
    name.strip_prefix("tucrl").is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// Mean Z at the checkpoints that all runs have.
fn over_time(runs: &[&StoredRun]) -> Vec<(f64, f64)> {
    let at = |run: &&StoredRun, t: u64| {
        let place = run.record.z_over_time.binary_search_by_key(&t, |(t, _)| *t).ok()?;
        Some(run.record.z_over_time[place].1 as f64)
    };
    let times = runs.first().into_iter().flat_map(|run| &run.record.z_over_time);
    let point = |&(t, _): &(u64, u64)| {
        let values: Option<Vec<f64>> = runs.iter().map(|run| at(run, t)).collect();
        Some((t as f64, mean(&values?)))
    };
    times.filter_map(point).collect()
}

impl PoorFigure<'_> {
    fn agents(&self) -> impl Iterator<Item = &AgentStudy<'_>> {
        let is_drawn = |agent: &&AgentStudy<'_>| {
            is_tucrl(agent.agent) && agent.runs.iter().any(|run| !run.record.episodes.is_empty())
        };
        self.world.agents.iter().filter(is_drawn)
    }

    /// True if there is no such agent.
    pub fn is_empty(&self) -> bool {
        self.agents().next().is_none()
    }
}

impl Curves for PoorFigure<'_> {
    fn curves(&self) -> CurvesFigure {
        const POINTS: u32 = 200;
        let facts = self.world.facts;
        let runs = || self.agents().flat_map(|agent| &agent.runs);
        let last = runs().map(|run| run.record.steps).max().unwrap_or(1).max(10) as f64;
        let highest = runs().map(|run| run.record.z as f64).fold(bound(facts, last), f64::max);
        let times = (0..=POINTS).map(|i| math::powf(last, f64::from(i) / f64::from(POINTS)));
        let line = times.map(|t| (t, bound(facts, t))).collect();
        let mut curves = vec![Curve::new("bound on Z", GREY, Stroke::Dashed, line)];
        for agent in self.agents() {
            let line = over_time(&agent.runs);
            let dots: Vec<(f64, f64)> = agent
                .runs
                .iter()
                .map(|run| (run.record.steps as f64, run.record.z as f64))
                .collect();
            // The name stands at the end of the line, or beside the dots if there is none.
            let name = |is_named: bool| if is_named { agent.label } else { "" };
            let is_line = !line.is_empty();
            curves.push(Curve::of_agent(name(is_line), agent.colour, Stroke::Line, line));
            curves.push(Curve::of_agent(name(!is_line), agent.colour, Stroke::Dots, dots));
        }
        CurvesFigure {
            title: format!("Steps in poorly visited pairs in {}", cut(self.world.world, 50)),
            explanation: "lines: Z, mean over runs; dots: Z at the end of each run; dashed: the lemma's bound on Z"
                .into(),
            x: Axis::log("steps", 1.0, last * 1.12, 10),
            y: Axis::log("Z, steps in poorly visited pairs", 1.0, highest * 1.5, 8),
            curves,
            marks: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_tucrl;

    #[test]
    fn the_lemma_is_about_tucrl_and_its_variants() {
        for spec in ["tucrl", "tucrl:alpha=0.05", "tucrl-plus:alpha=0.05"] {
            assert!(is_tucrl(spec), "{spec}");
        }
        for spec in ["ucrl", "scal:c=5", "tucrlish", "my-tucrl"] {
            assert!(!is_tucrl(spec), "{spec}");
        }
    }
}

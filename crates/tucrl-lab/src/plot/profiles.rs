//! How are the performance profiles of all agents drawn?
//!
//! The share of runs in all worlds whose normalised regret is at most τ, with its 95 % interval (Agarwal and others,
//! NeurIPS 2021).

use super::axis::Axis;
use super::curves::{Curve, CurvesFigure, Stroke};
use crate::stats::{Across, AgentAcross};
use crate::text::counted;

/// The performance profiles.
pub fn profiles(across: &Across<'_>) -> CurvesFigure {
    let curve = |agent: &AgentAcross<'_>| {
        let points = agent.profile.iter().map(|at| (at.tau, at.share)).collect();
        let band = agent.profile.iter();
        let band = band.filter_map(|at| at.interval.map(|(low, high)| (at.tau, low, high)));
        Curve {
            band: band.collect(),
            ..Curve::of_agent(agent.label, agent.colour, Stroke::Line, points)
        }
    };
    CurvesFigure {
        title: format!("Performance profiles over {}", counted(across.worlds.len(), "world")),
        explanation: "share of runs with normalised regret of at most τ, higher is better; shaded: 95 % interval".into(),
        x: Axis::tight("τ, regret divided by that of the worst agent", 0.0, 1.0, 5),
        y: Axis::linear("share of runs", 0.0, 1.02, 5),
        curves: across.agents.iter().map(curve).collect(),
        marks: Vec::new(),
    }
}

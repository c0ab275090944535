//! How are the episodes of a run drawn?
//!
//! Four panels over one logarithmic time axis: states seen, under-visited pairs, optimistic gain and span of the
//! optimistic bias, with true values as dashed lines. Shaded: episodes whose optimistic MDP reaches unseen states, that
//! is TUCRL's exploratory ones, and all episodes of an agent that never truncates.

use plotters::backend::DrawingBackend;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::style::{FontStyle, RGBColor};
use tucrl::episode::EpisodeRecord;

use super::axis::Axis;
use super::canvas::{Canvas, Frame, GREY, cut};
use super::{Figure, FigureError, colour};
use crate::record::StoredRun;

/// The episodes of one run.
#[derive(Debug, Clone, Copy)]
pub struct EpisodeFigure<'a> {
    /// The run.
    pub run: &'a StoredRun,
    /// The colour of its agent in the palette.
    pub colour: usize,
}

const SHADE: RGBColor = RGBColor(252, 226, 188);
const PANEL: f64 = 118.0;
const GAP: f64 = 30.0;
const TOP: f64 = 96.0;

struct Row {
    name: &'static str,
    unit: &'static str,
    value: fn(&EpisodeRecord) -> f64,
    /// The true value and its name.
    truth: Option<(f64, &'static str)>,
}

impl EpisodeFigure<'_> {
    fn rows(&self) -> [Row; 4] {
        let facts = &self.run.facts;
        [
            Row {
                name: "States seen",
                unit: "states",
                value: |episode| episode.seen as f64,
                truth: Some((facts.reachable as f64, "reachable")),
            },
            Row {
                name: "Under-visited pairs",
                unit: "pairs",
                value: |episode| episode.under_visited as f64,
                truth: None,
            },
            Row {
                name: "Optimistic gain",
                unit: "reward / step",
                value: |episode| episode.gain,
                truth: Some((facts.gain, "optimal gain")),
            },
            Row {
                name: "Span of the optimistic bias",
                unit: "reward",
                value: |episode| episode.span,
                truth: Some((facts.span_reachable, "true span, reachable states")),
            },
        ]
    }

    fn episodes(&self) -> impl Iterator<Item = &EpisodeRecord> {
        self.run.record.episodes.iter().map(|(episode, _)| episode)
    }
}

/// Time ranges of episodes that planned with unseen states, adjacent ones joined.
pub fn believing<'a>(episodes: impl Iterator<Item = &'a EpisodeRecord>) -> Vec<(u64, u64)> {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for episode in episodes.filter(|episode| episode.planned_unseen) {
        let end = episode.start + episode.length;
        match ranges.last_mut().filter(|range| range.1 == episode.start) {
            Some(range) => range.1 = end,
            None => ranges.push((episode.start, end)),
        }
    }
    ranges
}

impl Figure for EpisodeFigure<'_> {
    fn size(&self) -> (u32, u32) {
        (960, (TOP + 4.0 * (PANEL + GAP) + 36.0) as u32)
    }

    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        scale: f64,
    ) -> Result<(), FigureError> {
        let canvas = Canvas { area, scale };
        let run = self.run;
        let ranges = believing(self.episodes());
        let title = format!("Episodes of {} in {}", cut(&run.label, 30), cut(&run.world, 40));
        let shaded = if ranges.is_empty() {
            "none plans with unseen states"
        } else {
            "shaded: those that plan with unseen states"
        };
        let count = run.record.episodes.len();
        canvas.title(&title, &format!("run {}, {count} episodes, {shaded}", run.spec.run))?;
        let last = run.record.steps.max(10) as f64;
        let rows = self.rows();
        for (index, row) in rows.iter().enumerate() {
            let top = TOP + index as f64 * (PANEL + GAP);
            let frame = Frame { left: 92.0, top, width: 838.0, height: PANEL };
            let value = |episode: &EpisodeRecord| {
                Some((row.value)(episode)).filter(|value| value.is_finite())
            };
            let values = || self.episodes().filter_map(value);
            let truth = row.truth.filter(|(truth, _)| truth.is_finite());
            let highest = values().chain(truth.map(|(truth, _)| truth)).fold(0.0, f64::max);
            let lowest = values().chain(truth.map(|(truth, _)| truth)).fold(0.0, f64::min);
            let is_last = index + 1 == rows.len();
            let x = Axis::log("steps", 1.0, last, 10);
            let y = Axis::linear(row.unit, lowest, highest * 1.08, 3);
            let mut panel = canvas.panel(frame, x, y, is_last)?;
            for &(from, to) in &ranges {
                panel.shade(from as f64, to as f64, SHADE)?;
            }
            if let Some((truth, _)) = truth {
                panel.dashed(&[(1.0, truth), (last, truth)], GREY)?;
            }
            let level = |episode: &EpisodeRecord| {
                let start = episode.start as f64;
                Some((start, start + episode.length as f64, value(episode)?))
            };
            let levels: Vec<(f64, f64, f64)> = self.episodes().filter_map(level).collect();
            panel.steps(&levels, colour(self.colour), 1.8)?;
            let name = match truth {
                Some((_, what)) => format!("{}  (dashed: {what})", row.name),
                None => row.name.into(),
            };
            canvas.text(&name, (92.0, top - 11.0), 13.0, GREY, FontStyle::Bold)?;
        }
        Ok(())
    }
}

//! Which cells of a plane are reachable?
//!
//! A lattice of reachable and unreachable cells with a curve and named points on top, as in the phase plane of Mountain
//! Car in the paper's first figure.

use plotters::backend::DrawingBackend;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::style::{Color, FontStyle, RGBColor};

use super::axis::Axis;
use super::canvas::{Canvas, Frame, INK};
use super::{Figure, FigureError};

/// Reachable cells: a light blue.
const REACHED: RGBColor = RGBColor(205, 226, 240);
/// Unreachable cells: the red of the palette.
const UNREACHED: RGBColor = RGBColor(226, 122, 80);

/// A plane cut into cells.
#[derive(Debug, Clone)]
pub struct PlaneFigure {
    /// The title.
    pub title: String,
    /// The explanation.
    pub explanation: String,
    /// Name, least and largest value of the x axis.
    pub x: (&'static str, f64, f64),
    /// Name, least and largest value of the y axis.
    pub y: (&'static str, f64, f64),
    /// Columns of cells from left to right, each from the bottom up.
    pub cells: Vec<Vec<bool>>,
    /// A curve and its name.
    pub curve: (Vec<(f64, f64)>, String),
    /// Named points.
    pub points: Vec<((f64, f64), String)>,
}

impl Figure for PlaneFigure {
    fn size(&self) -> (u32, u32) {
        (960, 560)
    }

    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        scale: f64,
    ) -> Result<(), FigureError> {
        let canvas = Canvas { area, scale };
        canvas.title(&self.title, &self.explanation)?;
        let frame = Frame { left: 100.0, top: 76.0, width: 660.0, height: 426.0 };
        let axis = |(name, low, high): (&'static str, f64, f64)| Axis {
            range: (low, high),
            ..Axis::tight(name, low, high, 7)
        };
        let mut panel = canvas.panel(frame, axis(self.x), axis(self.y), true)?;
        let columns = self.cells.len() as f64;
        let at = |(_, low, high): (&str, f64, f64), share: f64| low + (high - low) * share;
        for (i, column) in self.cells.iter().enumerate() {
            let (i, rows) = (i as f64, column.len() as f64);
            // Merge equal cells of a column: there may be a million cells.
            let mut from_row = 0;
            for run in column.chunk_by(|below, above| below == above) {
                let (low, high) = (from_row as f64, (from_row + run.len()) as f64);
                from_row += run.len();
                let from = (at(self.x, i / columns), at(self.y, low / rows));
                let to = (at(self.x, (i + 1.0) / columns), at(self.y, high / rows));
                let colour = if run[0] { REACHED } else { UNREACHED };
                panel.block(from, to, colour.filled())?;
            }
        }
        panel.line(&self.curve.0, INK, 2.4, None)?;
        for (point, name) in &self.points {
            panel.dot(*point, 5.0, INK)?;
            let place = panel.across_of(point.0).zip(panel.height_of(point.1));
            if let Some((x, y)) = place {
                canvas.text(name, (x + 9.0, y), 13.0, INK, FontStyle::Bold)?;
            }
        }
        let left = frame.left + frame.width + 16.0;
        for (row, (colour, text)) in
            [(REACHED, "reachable"), (UNREACHED, "unreachable"), (INK, self.curve.1.as_str())]
                .into_iter()
                .enumerate()
        {
            let y = frame.top + 14.0 + 26.0 * row as f64;
            let height = if colour == INK { 1.5 } else { 7.0 };
            canvas.rectangle((left, y - height), (left + 20.0, y + height), colour)?;
            canvas.text(text, (left + 28.0, y), 13.0, INK, FontStyle::Normal)?;
        }
        Ok(())
    }
}

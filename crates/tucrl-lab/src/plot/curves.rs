//! How does one quantity change with another?
//!
//! Lines on one panel, each with an optional band and a name where it ends; dashed lines for what theory
//! says, stairs for what jumps, dots for single values, and marks on the horizontal axis. Most figures are
//! of this kind and only say what to draw.
//!
//! Reads `canvas`; feeds the other figures and `reproduce`.

use plotters::backend::DrawingBackend;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::style::{FontStyle, RGBColor};

use super::axis::Axis;
use super::canvas::{Canvas, Frame, GREY, cut, room};
use super::{Figure, FigureError};

/// Curves on one panel.
#[derive(Debug, Clone)]
pub(crate) struct CurvesFigure {
    /// What is shown.
    pub(crate) title: String,
    /// How to read it.
    pub(crate) explanation: String,
    /// The horizontal axis.
    pub(crate) x: Axis,
    /// The vertical axis.
    pub(crate) y: Axis,
    /// In the order in which they are drawn.
    pub(crate) curves: Vec<Curve>,
    /// Places on the horizontal axis that have a name.
    pub(crate) marks: Vec<(f64, String)>,
}

/// One curve.
#[derive(Debug, Clone)]
pub(crate) struct Curve {
    /// What it is called; nothing is written if it is empty.
    pub(crate) name: String,
    /// Its colour.
    pub(crate) colour: RGBColor,
    /// How it is drawn.
    pub(crate) stroke: Stroke,
    /// Its points.
    pub(crate) points: Vec<(f64, f64)>,
    /// The band around it: place, low end, high end.
    pub(crate) band: Vec<(f64, f64, f64)>,
}

/// How a curve is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stroke {
    /// A line through the points.
    Line,
    /// A thinner one.
    Thin,
    /// A dashed one.
    Dashed,
    /// A level that lasts from each point to the next.
    Stairs,
    /// The points alone.
    Dots,
}

impl Curve {
    /// A curve without a band.
    pub(crate) fn new(
        name: impl Into<String>,
        colour: RGBColor,
        stroke: Stroke,
        points: Vec<(f64, f64)>,
    ) -> Self {
        Self { name: name.into(), colour, stroke, points, band: Vec::new() }
    }
}

impl Figure for CurvesFigure {
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
        let names: Vec<String> = self.curves.iter().map(|curve| cut(&curve.name, 30)).collect();
        let (width, height) = self.size();
        let (left, top) = (92.0, if self.marks.is_empty() { 76.0 } else { 92.0 });
        let right = f64::from(width) - room(&names);
        let frame =
            Frame { left, top, width: right - left, height: f64::from(height) - top - 58.0 };
        let mut panel = canvas.panel(frame, self.x.clone(), self.y.clone(), true)?;
        for curve in self.curves.iter().filter(|curve| !curve.band.is_empty()) {
            panel.band(&curve.band, curve.colour, 0.18)?;
        }
        for (at, name) in &self.marks {
            panel.upright(*at, GREY)?;
            if let Some(place) = panel.across_of(*at) {
                let half = 3.4 * name.chars().count() as f64;
                canvas.text(name, (place - half, top - 11.0), 13.0, GREY, FontStyle::Normal)?;
            }
        }
        let mut labels = Vec::new();
        for (curve, name) in self.curves.iter().zip(names) {
            let Curve { points, colour, .. } = curve;
            match curve.stroke {
                Stroke::Line => panel.line(points, *colour, 2.2)?,
                Stroke::Thin => panel.line(points, *colour, 1.2)?,
                Stroke::Dashed => panel.dashed(points, *colour)?,
                Stroke::Stairs => {
                    let level = |pair: &[(f64, f64)]| (pair[0].0, pair[1].0, pair[0].1);
                    let levels: Vec<(f64, f64, f64)> = points.windows(2).map(level).collect();
                    panel.steps(&levels, *colour, 2.2)?;
                }
                Stroke::Dots => {
                    points.iter().try_for_each(|&point| panel.dot(point, 3.5, *colour))?;
                }
            }
            // On a logarithmic axis a curve may end below all that can be shown: its name stands where it left.
            let end = points.iter().rev().find_map(|(_, value)| panel.height_of(*value));
            labels.extend(end.filter(|_| !name.is_empty()).map(|end| (end, name, *colour)));
        }
        canvas.labels(labels, right + 10.0, frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{PALETTE, svg};

    #[test]
    fn a_curve_that_falls_below_a_logarithmic_axis_keeps_its_name() {
        let points = vec![(1.0, 5.0), (10.0, 20.0), (100.0, -3.0)];
        let figure = CurvesFigure {
            title: "t".into(),
            explanation: "e".into(),
            x: Axis::log("steps", 1.0, 100.0, 4),
            y: Axis::log("regret", 1.0, 100.0, 4),
            curves: vec![Curve::new("fallen", PALETTE[0], Stroke::Line, points)],
            marks: Vec::new(),
        };
        assert!(svg(&figure).unwrap().contains("\nfallen\n"));
    }
}

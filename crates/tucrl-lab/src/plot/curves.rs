//! How are curves drawn on one panel?
//!
//! Lines with an optional band and a name at their end: dashed for theory, stairs for step functions, dots for single
//! values; and marks on the horizontal axis. Most figures are of this kind.

use plotters::backend::DrawingBackend;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::style::{FontStyle, RGBColor};

use super::axis::Axis;
use super::canvas::{Canvas, Frame, GREY, cut, room};
use super::{Figure, FigureError};

/// Curves on one panel.
#[derive(Debug, Clone)]
pub struct CurvesFigure {
    /// The title.
    pub title: String,
    /// The explanation.
    pub explanation: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// In drawing order.
    pub curves: Vec<Curve>,
    /// Named places on the horizontal axis.
    pub marks: Vec<(f64, String)>,
}

/// One curve.
#[derive(Debug, Clone)]
pub struct Curve {
    /// Its name; not written if empty.
    pub name: String,
    /// Its colour.
    pub colour: RGBColor,
    /// Its stroke.
    pub stroke: Stroke,
    /// Its points.
    pub points: Vec<(f64, f64)>,
    /// The band around it: x, low, high.
    pub band: Vec<(f64, f64, f64)>,
}

/// Stroke of a curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stroke {
    /// A line through the points.
    Line,
    /// A thin line.
    Thin,
    /// A dashed line.
    Dashed,
    /// A step function: each value lasts until the next point.
    Stairs,
    /// Dots only.
    Dots,
}

impl Curve {
    /// A curve without a band.
    pub fn new(
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
            // On a logarithmic axis a curve may leave the range: its name is placed where it leaves.
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

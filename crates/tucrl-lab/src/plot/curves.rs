//! How are curves drawn on one panel?
//!
//! Lines with an optional band and a name at their end: dashed for theory, stairs for step functions, dots for single
//! values; guides of known growth; and marks on the horizontal axis. Most figures are of this kind. On a logarithmic axis
//! values ≤ 0 are not drawn, and a note says of which curves.

use plotters::backend::DrawingBackend;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::style::{FontStyle, RGBColor};
use tucrl::math;

use super::axis::Axis;
use super::canvas::{Canvas, Frame, GREY, Label, cut, not_drawn, room};
use super::{Figure, FigureError, colour, dash};

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
    /// Dash and gap of its line; none for a solid one.
    pub dash: Option<(u32, u32)>,
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
    /// A line with a dot at every point.
    Marked,
    /// A dotted line of known growth, named at its beginning.
    Guide,
}

impl Curve {
    /// A curve without a band.
    pub fn new(
        name: impl Into<String>,
        colour: RGBColor,
        stroke: Stroke,
        points: Vec<(f64, f64)>,
    ) -> Self {
        Self { name: name.into(), colour, stroke, dash: None, points, band: Vec::new() }
    }

    /// The curve of an agent, in its colour and with its dashes.
    pub fn of_agent(label: &str, index: usize, stroke: Stroke, points: Vec<(f64, f64)>) -> Self {
        Self { dash: dash(index), ..Self::new(label, colour(index), stroke, points) }
    }

    /// Whether a logarithmic axis cannot show all of it.
    fn has_low_values(&self) -> bool {
        self.points.iter().any(|(_, value)| *value <= 0.0)
    }
}

const GUIDE: RGBColor = RGBColor(150, 150, 150);

/// T, √T and ln T through the upper right corner of logarithmic axes, as far as they are in range: only their slopes mean
/// something. None where an axis is linear.
pub fn guides(x: &Axis, y: &Axis) -> Vec<Curve> {
    const POINTS: u32 = 80;
    if !x.is_log || !y.is_log {
        return Vec::new();
    }
    let end = math::powf(10.0, x.range.1);
    type Growth = fn(f64) -> f64;
    let guide = |(name, growth): (&str, Growth)| {
        let place = |i: u32| x.range.0 + (x.range.1 - x.range.0) * f64::from(i) / f64::from(POINTS);
        let height = math::powf(10.0, y.range.1) / growth(end);
        let points =
            (0..=POINTS).map(|i| math::powf(10.0, place(i))).map(|t| (t, height * growth(t)));
        let points = points.filter(|(_, value)| *value >= math::powf(10.0, y.range.0)).collect();
        Curve::new(name, GUIDE, Stroke::Guide, points)
    };
    let known: [(&str, Growth); 3] = [("T", |t| t), ("√T", f64::sqrt), ("ln T", math::ln)];
    known.map(guide).into()
}

impl CurvesFigure {
    /// Which curves have values that are not drawn; empty if none.
    pub(super) fn note(&self) -> String {
        let curves = self.curves.iter().filter(|curve| self.y.is_log && !curve.name.is_empty());
        not_drawn(curves.map(|curve| (curve.name.as_str(), curve.has_low_values())))
    }
}

impl Figure for CurvesFigure {
    fn size(&self) -> (u32, u32) {
        (960, if self.note().is_empty() { 560 } else { 584 })
    }

    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        scale: f64,
    ) -> Result<(), FigureError> {
        let canvas = Canvas { area, scale };
        canvas.title(&self.title, &self.explanation)?;
        let is_guide = |curve: &&Curve| curve.stroke == Stroke::Guide;
        let named = self.curves.iter().filter(|curve| !is_guide(curve));
        let names: Vec<String> = named.map(|curve| cut(&curve.name, 30)).collect();
        let (width, height) = self.size();
        let (left, top) = (92.0, if self.marks.is_empty() { 76.0 } else { 92.0 });
        let right =
            f64::from(width) - room(&names, self.curves.iter().any(|curve| curve.dash.is_some()));
        let note = self.note();
        let below = if note.is_empty() { 58.0 } else { 82.0 };
        let frame =
            Frame { left, top, width: right - left, height: f64::from(height) - top - below };
        canvas.note(&note, height)?;
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
        for Curve { points, colour, name, .. } in self.curves.iter().filter(is_guide) {
            panel.line(points, *colour, 1.2, Some((2, 4)))?;
            let start =
                points.first().and_then(|&(x, y)| Some((panel.across_of(x)?, panel.height_of(y)?)));
            if let Some((x, y)) = start {
                // Beside a line that begins at the left edge, above one that begins at the bottom.
                let y = (y - 10.0).clamp(top + 8.0, top + frame.height - 12.0);
                canvas.text(name, (x + 6.0, y), 12.5, GREY, FontStyle::Normal)?;
            }
        }
        let mut labels = Vec::new();
        let drawn = self.curves.iter().filter(|curve| !is_guide(curve));
        for (curve, text) in drawn.zip(names) {
            let Curve { points, colour, dash, .. } = curve;
            match curve.stroke {
                Stroke::Line => panel.line(points, *colour, 2.2, *dash)?,
                Stroke::Marked => {
                    panel.line(points, *colour, 2.2, *dash)?;
                    points.iter().try_for_each(|&point| panel.dot(point, 4.0, *colour))?;
                }
                Stroke::Thin => panel.line(points, *colour, 1.2, *dash)?,
                Stroke::Dashed => panel.dashed(points, *colour)?,
                Stroke::Stairs => {
                    let level = |pair: &[(f64, f64)]| (pair[0].0, pair[1].0, pair[0].1);
                    let levels: Vec<(f64, f64, f64)> = points.windows(2).map(level).collect();
                    panel.steps(&levels, *colour, 2.2)?;
                }
                Stroke::Dots | Stroke::Guide => {
                    points.iter().try_for_each(|&point| panel.dot(point, 3.5, *colour))?;
                }
            }
            // On a logarithmic axis a curve may leave the range: its name is placed where it leaves.
            let end = points.iter().rev().find_map(|(_, value)| panel.height_of(*value));
            let end = end.filter(|_| !text.is_empty());
            labels.extend(end.map(|y| Label { y, text, colour: *colour, dash: *dash }));
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
        let drawn = svg(&figure).unwrap();
        assert!(drawn.contains("\nfallen\n"));
        assert!(drawn.contains("not drawn on the logarithmic axis: fallen"), "{drawn}");
        let linear = CurvesFigure { y: Axis::linear("regret", -3.0, 20.0, 4), ..figure };
        assert!(!svg(&linear).unwrap().contains("not drawn"));
    }

    #[test]
    fn guides_grow_like_their_names_and_stay_in_range() {
        let (x, y) = (Axis::log("steps", 10.0, 1e6, 8), Axis::log("regret", 1.0, 1e4, 7));
        let guides = guides(&x, &y);
        let slope = |curve: &Curve| {
            let (a, b) = (curve.points[curve.points.len() - 20], *curve.points.last().unwrap());
            (b.1 / a.1).ln() / (b.0 / a.0).ln()
        };
        assert!((slope(&guides[0]) - 1.0).abs() < 1e-9);
        assert!((slope(&guides[1]) - 0.5).abs() < 1e-9);
        // d ln ln t / d ln t = 1 / ln t, between t = 6e4 and 1e6.
        assert!((1.0 / 1e6f64.ln()..1.0 / 6e4f64.ln()).contains(&slope(&guides[2])));
        for guide in &guides {
            assert!((guide.points.last().unwrap().1 / 1e4 - 1.0).abs() < 1e-9, "{}", guide.name);
            assert!(guide.points.iter().all(|(_, value)| *value >= 1.0 - 1e-9));
        }
        assert!(super::guides(&Axis::linear("steps", 0.0, 1.0, 3), &y).is_empty());
    }

    #[test]
    fn more_agents_than_colours_differ_by_their_dashes() {
        let curve = |index| {
            let points = vec![(0.0, index as f64), (1.0, index as f64)];
            Curve::of_agent("a", index, Stroke::Line, points)
        };
        let look = |index| (curve(index).colour, curve(index).dash);
        for i in 0..32 {
            assert!((0..i).all(|j| look(i) != look(j)), "{i}");
        }
        assert_eq!((0..8).find(|&i| curve(i).dash.is_some()), None);
    }
}

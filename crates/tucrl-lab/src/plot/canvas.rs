//! Which drawing primitives do all figures share?
//!
//! Sizes are in points at any resolution; titles at the top left; panels with a light grid; labels beside lines, moved
//! apart where they would overlap.

use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::drawing::DrawingArea;
use plotters::element::{DashedPathElement, PathElement, Polygon, Rectangle, Text};
use plotters::prelude::{DrawingBackend, RGBColor, TRANSPARENT};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontDesc, FontFamily, FontStyle, IntoFont, ShapeStyle, TextStyle};

use super::axis::Axis;
use super::{FigureError, failed};

/// Almost black.
pub(super) const INK: RGBColor = RGBColor(34, 34, 34);
/// Explanatory text.
pub const GREY: RGBColor = RGBColor(102, 102, 102);
const GRID: RGBColor = RGBColor(230, 230, 230);
const FRAME: RGBColor = RGBColor(150, 150, 150);
const LABEL: f64 = 13.0;
/// The length of a piece of a line beside its name.
const KEY: f64 = 26.0;

/// A drawing area measured in points.
pub(super) struct Canvas<'a, B: DrawingBackend> {
    pub(super) area: &'a DrawingArea<B, Shift>,
    pub(super) scale: f64,
}

/// A rectangle in points.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// The name of a line, at its end.
pub(super) struct Label {
    /// The height of its middle.
    pub(super) y: f64,
    pub(super) text: String,
    pub(super) colour: RGBColor,
    pub(super) dash: Option<(u32, u32)>,
}

/// A panel with its axes.
pub(super) struct Panel<'a, B: DrawingBackend> {
    chart: ChartContext<'a, B, Cartesian2d<Axis, Axis>>,
    x: Axis,
    y: Axis,
    scale: f64,
}

impl<B: DrawingBackend> Canvas<'_, B> {
    fn pixels(&self, points: f64) -> i32 {
        (points * self.scale).round() as i32
    }

    /// Writes a line; `at` is its left end and the middle of its height.
    pub(super) fn text(
        &self,
        text: &str,
        at: (f64, f64),
        size: f64,
        colour: RGBColor,
        style: FontStyle,
    ) -> Result<(), FigureError> {
        // Not `into_font().style(…)`: that keeps the glyphs of the regular font.
        let font = FontDesc::new(FontFamily::SansSerif, size * self.scale, style);
        let anchor = Pos::new(HPos::Left, VPos::Center);
        let style = TextStyle::from(font).color(&colour).pos(anchor);
        let place = (self.pixels(at.0), self.pixels(at.1));
        self.area.draw(&Text::new(text.to_owned(), place, style)).map_err(failed)
    }

    /// A filled rectangle between two corners.
    pub(super) fn rectangle(
        &self,
        from: (f64, f64),
        to: (f64, f64),
        colour: RGBColor,
    ) -> Result<(), FigureError> {
        let place = |(x, y)| (self.pixels(x), self.pixels(y));
        let shape = Rectangle::new([place(from), place(to)], colour.filled());
        self.area.draw(&shape).map_err(failed)
    }

    /// The title, and a line that explains the figure.
    pub(super) fn title(&self, title: &str, explanation: &str) -> Result<(), FigureError> {
        self.text(title, (20.0, 24.0), 19.0, INK, FontStyle::Bold)?;
        self.text(explanation, (20.0, 48.0), 13.5, GREY, FontStyle::Normal)
    }

    /// A note below the panels.
    pub(super) fn note(&self, text: &str, height: u32) -> Result<(), FigureError> {
        self.text(text, (20.0, f64::from(height) - 14.0), LABEL, GREY, FontStyle::Normal)
    }

    /// Labels in a column, each as close to its height as the others allow; where a line is dashed, with a piece of every
    /// line.
    pub(super) fn labels(
        &self,
        mut labels: Vec<Label>,
        left: f64,
        frame: Frame,
    ) -> Result<(), FigureError> {
        const APART: f64 = 18.0;
        labels.sort_by(|a, b| a.y.total_cmp(&b.y));
        let mut free = f64::NEG_INFINITY;
        for label in &mut labels {
            label.y = label.y.max(free);
            free = label.y + APART;
        }
        let mut free = frame.top + frame.height;
        for label in labels.iter_mut().rev() {
            label.y = label.y.min(free);
            free = label.y - APART;
        }
        let has_keys = labels.iter().any(|label| label.dash.is_some());
        for Label { y, text, colour, dash } in &labels {
            let indent = if has_keys { KEY + 6.0 } else { 0.0 };
            if has_keys {
                let (on, off) = dash.unwrap_or((KEY as u32, 1));
                let (mut from, end) = (left, left + KEY);
                while from < end {
                    let to = (from + f64::from(on)).min(end);
                    self.rectangle((from, y - 1.0), (to, y + 1.0), *colour)?;
                    from = to + f64::from(off);
                }
            }
            self.text(text, (left + indent, *y), LABEL + 0.5, *colour, FontStyle::Bold)?;
        }
        Ok(())
    }

    /// A panel with grid and axes; the frame is that of the data.
    pub(super) fn panel(
        &self,
        frame: Frame,
        x: Axis,
        y: Axis,
        has_time: bool,
    ) -> Result<Panel<'_, B>, FigureError> {
        const LEFT: f64 = 72.0;
        let below = if has_time { 46.0 } else { 4.0 };
        let corner = (self.pixels(frame.left - LEFT), self.pixels(frame.top));
        let size =
            (self.pixels(frame.width + LEFT) as u32, self.pixels(frame.height + below) as u32);
        let area = self.area.clone().shrink(corner, size);
        let mut chart = ChartBuilder::on(&area)
            .set_left_and_bottom_label_area_size(self.pixels(LEFT))
            .x_label_area_size(self.pixels(below))
            .build_cartesian_2d(x.clone(), y.clone())
            .map_err(failed)?;
        let font = |size: f64, colour: &'static RGBColor| {
            TextStyle::from(("sans-serif", size * self.scale).into_font()).color(colour)
        };
        let line =
            |colour: RGBColor| ShapeStyle::from(colour).stroke_width(self.pixels(1.0) as u32);
        let mut mesh = chart.configure_mesh();
        mesh.light_line_style(TRANSPARENT)
            .bold_line_style(line(GRID))
            .axis_style(line(FRAME))
            .x_labels(x.ticks.len().max(1))
            .y_labels(y.ticks.len().max(1))
            .y_desc(y.name)
            .label_style(font(LABEL, &GREY))
            .axis_desc_style(font(LABEL + 0.5, &INK))
            .set_all_tick_mark_size(self.pixels(4.0));
        let x_label = |place: &f64| if has_time { x.label(*place) } else { String::new() };
        let y_label = |place: &f64| y.label(*place);
        mesh.x_label_formatter(&x_label).y_label_formatter(&y_label);
        if has_time {
            mesh.x_desc(x.name);
        }
        mesh.draw().map_err(failed)?;
        Ok(Panel { chart, x, y, scale: self.scale })
    }
}

impl<B: DrawingBackend> Panel<'_, B> {
    /// The points that can be shown, split where one cannot.
    fn pieces(&self, points: &[(f64, f64)]) -> Vec<Vec<(f64, f64)>> {
        let mut pieces = vec![Vec::new()];
        for &(x, y) in points {
            match (self.x.place(x), self.y.place(y)) {
                (Some(x), Some(y)) => pieces.last_mut().into_iter().for_each(|p| p.push((x, y))),
                _ => pieces.push(Vec::new()),
            }
        }
        pieces.retain(|piece| !piece.is_empty());
        pieces
    }

    fn stroke(&self, colour: RGBColor, width: f64) -> ShapeStyle {
        ShapeStyle::from(colour).stroke_width((width * self.scale).round() as u32)
    }

    /// A step function, given as (from, to, level) in order of time.
    ///
    /// Every level and every jump is its own element: the drawing library drops a line that turns back within its own
    /// width. Elements within the same half point are drawn once.
    pub(super) fn steps(
        &mut self,
        levels: &[(f64, f64, f64)],
        colour: RGBColor,
        width: f64,
    ) -> Result<(), FigureError> {
        let style = self.stroke(colour, width);
        let cell = |x: f64, y: f64| {
            let (x, y) = self.chart.backend_coord(&(x, y));
            let half = |pixel: i32| (2.0 * f64::from(pixel) / self.scale).round() as i32;
            (half(x), half(y))
        };
        let mut drawn = std::collections::HashSet::new();
        let mut paths = Vec::new();
        let mut add = |from: (f64, f64), to: (f64, f64)| {
            if drawn.insert((cell(from.0, from.1), cell(to.0, to.1))) {
                paths.push(PathElement::new(vec![from, to], style));
            }
        };
        let mut before: Option<f64> = None;
        for &(from, to, level) in levels {
            let (Some(from), Some(to), Some(level)) =
                (self.x.place(from), self.x.place(to), self.y.place(level))
            else {
                continue;
            };
            if let Some(before) = before.filter(|&before| before != level) {
                add((from, before), (from, level));
            }
            add((from, level), (to, level));
            before = Some(level);
        }
        self.chart.draw_series(paths).map_err(failed).map(drop)
    }

    /// A line through the points; with dash and gap in points, if it is dashed.
    pub(super) fn line(
        &mut self,
        points: &[(f64, f64)],
        colour: RGBColor,
        width: f64,
        dash: Option<(u32, u32)>,
    ) -> Result<(), FigureError> {
        let style = self.stroke(colour, width);
        let pieces = self.pieces(points).into_iter();
        let Some((dash, gap)) = dash else {
            let paths = pieces.map(|piece| PathElement::new(piece, style));
            return self.chart.draw_series(paths).map_err(failed).map(drop);
        };
        let pixels = |points: u32| (f64::from(points) * self.scale) as i32;
        let paths =
            pieces.map(|piece| DashedPathElement::new(piece, pixels(dash), pixels(gap), style));
        self.chart.draw_series(paths).map_err(failed).map(drop)
    }

    /// A dashed line through the points, for theory.
    pub(super) fn dashed(
        &mut self,
        points: &[(f64, f64)],
        colour: RGBColor,
    ) -> Result<(), FigureError> {
        self.line(points, colour, 1.5, Some((6, 4)))
    }

    /// The area between two lines over the same times; values that cannot be shown end at the axis.
    pub(super) fn band(
        &mut self,
        band: &[(f64, f64, f64)],
        colour: RGBColor,
        opacity: f64,
    ) -> Result<(), FigureError> {
        let edge = |value: f64| self.y.place(value).unwrap_or(self.y.range.0);
        let place = |x: f64, y: f64| Some((self.x.place(x)?, edge(y)));
        let low = band.iter().filter_map(|&(x, low, _)| place(x, low));
        let high = band.iter().rev().filter_map(|&(x, _, high)| place(x, high));
        let outline: Vec<(f64, f64)> = low.chain(high).collect();
        let shape = Polygon::new(outline, colour.mix(opacity).filled());
        self.chart.draw_series([shape]).map_err(failed).map(drop)
    }

    /// A column of the panel, from one time to another.
    pub(super) fn shade(
        &mut self,
        from: f64,
        to: f64,
        colour: RGBColor,
    ) -> Result<(), FigureError> {
        let (low, high) = self.y.range;
        let (Some(from), Some(to)) = (self.x.place(from), self.x.place(to)) else { return Ok(()) };
        // At least two points wide, so that it is visible.
        let (width, _) = self.chart.plotting_area().dim_in_pixel();
        let least = 2.0 * self.scale / f64::from(width) * (self.x.range.1 - self.x.range.0);
        let to = to.max(from + least).min(self.x.range.1);
        let corners = vec![(from, low), (to, low), (to, high), (from, high)];
        self.chart.draw_series([Polygon::new(corners, colour.filled())]).map_err(failed).map(drop)
    }

    /// A dot of a radius in points.
    pub(super) fn dot(
        &mut self,
        at: (f64, f64),
        radius: f64,
        colour: RGBColor,
    ) -> Result<(), FigureError> {
        let (Some(x), Some(y)) = (self.x.place(at.0), self.y.place(at.1)) else { return Ok(()) };
        let radius = (radius * self.scale).round() as i32;
        let dot = plotters::element::Circle::new((x, y), radius, colour.mix(0.7).filled());
        self.chart.draw_series([dot]).map_err(failed).map(drop)
    }

    /// A dashed line from top to bottom.
    pub(super) fn upright(&mut self, at: f64, colour: RGBColor) -> Result<(), FigureError> {
        let Some(x) = self.x.place(at) else { return Ok(()) };
        let style = self.stroke(colour, 1.0);
        let (dash, gap) = ((4.0 * self.scale) as i32, (4.0 * self.scale) as i32);
        let ends = vec![(x, self.y.range.0), (x, self.y.range.1)];
        let line = DashedPathElement::new(ends, dash, gap, style);
        self.chart.draw_series([line]).map_err(failed).map(drop)
    }

    /// A rectangle between two corners.
    pub(super) fn block(
        &mut self,
        from: (f64, f64),
        to: (f64, f64),
        style: ShapeStyle,
    ) -> Result<(), FigureError> {
        let place = |(x, y)| Some((self.x.place(x)?, self.y.place(y)?));
        let (Some(from), Some(to)) = (place(from), place(to)) else { return Ok(()) };
        let block = Rectangle::new([from, to], style);
        self.chart.draw_series([block]).map_err(failed).map(drop)
    }

    /// The horizontal position of a value, in points.
    pub(super) fn across_of(&self, value: f64) -> Option<f64> {
        let (x, _) = self.chart.backend_coord(&(self.x.place(value)?, self.y.range.0));
        Some(f64::from(x) / self.scale)
    }

    /// The vertical position of a value, in points.
    pub(super) fn height_of(&self, value: f64) -> Option<f64> {
        let (_, y) = self.chart.backend_coord(&(self.x.range.0, self.y.place(value)?));
        Some(f64::from(y) / self.scale)
    }
}

/// Text cut to a number of characters.
pub(super) fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// The width of labels, in points; more where some line is dashed.
pub(super) fn room(labels: &[String], has_dashes: bool) -> f64 {
    let longest = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    24.0 + 8.3 * longest as f64 + if has_dashes { KEY + 6.0 } else { 0.0 }
}

/// Which curves have values that a logarithmic axis cannot show; empty if none.
pub(super) fn not_drawn<'a>(curves: impl Iterator<Item = (&'a str, bool)>) -> String {
    let names: Vec<String> =
        curves.filter(|(_, is_low)| *is_low).map(|(name, _)| cut(name, 30)).collect();
    match names.len() {
        0 => String::new(),
        1..=4 => format!("Values ≤ 0 are not drawn on the logarithmic axis: {}", names.join(", ")),
        more => format!("Values ≤ 0 are not drawn on the logarithmic axis: {more} curves"),
    }
}

//! How are figures drawn from stored records, as SVG and PNG?
//!
//! Regret curves of a world ([`RegretFigure`]), the episodes of a run ([`EpisodeFigure`]), steps in poorly visited pairs
//! against their bound ([`PoorFigure`]), performance profiles ([`profiles`]), regret against a parameter ([`agent_sweep`]). The palette of Okabe and Ito is
//! distinguishable with colour blindness; from the ninth agent on its colours come again with other dashes. Lines are
//! labelled at their end, so that nothing covers the data; the font is built in, so that a figure looks the same on every
//! machine. Figures of curves can also be written for LaTeX ([`tex`]). A small MDP is drawn as a [`diagram`].

mod axis;
mod canvas;
mod curves;
mod diagram;
mod episodes;
mod exploration;
mod plane;
mod poor;
mod profiles;
mod regret;
mod reward;
mod sweeps;
mod tex;
mod walls;

use std::sync::OnceLock;

use plotters::backend::{BitMapBackend, DrawingBackend, SVGBackend};
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::style::{FontStyle, RGBColor, WHITE, register_font};
use thiserror::Error;

pub use axis::Axis;
pub use canvas::GREY;
pub use curves::{Curve, CurvesFigure, Stroke, guides};
pub use diagram::{diagram, has_diagram};
pub use episodes::EpisodeFigure;
pub use episodes::believing;
pub use exploration::{ExplorationFigure, exploration_losses};
pub use plane::PlaneFigure;
pub use poor::PoorFigure;
pub use poor::bound;
pub use profiles::profiles;
pub use regret::RegretFigure;
pub use reward::RewardFigure;
pub use sweeps::{agent_sweep, swept_parameters, world_sweep};
pub use tex::tex;
pub use walls::{Wall, WallsFigure};

/// The eight colours of Okabe and Ito, distinguishable with colour blindness; the palest on white is last.
pub const PALETTE: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
    RGBColor(176, 164, 20),
];

/// The colour of an agent.
pub fn colour(index: usize) -> RGBColor {
    PALETTE[index % PALETTE.len()]
}

/// Dash and gap in points of the lines of an agent; none for a solid line. The same as on the page (`chart.js`).
pub fn dash(index: usize) -> Option<(u32, u32)> {
    [None, Some((7, 4)), Some((2, 3)), Some((12, 4))][index / PALETTE.len() % 4]
}

/// Why a figure could not be drawn.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FigureError {
    /// The drawing library failed.
    #[error("the figure could not be drawn: {0}")]
    Draw(String),
    /// PNG compression failed.
    #[error("the figure could not be written as PNG: {0}")]
    Png(#[from] png::EncodingError),
}

/// Anything that can be drawn.
pub trait Figure {
    /// Width and height in points.
    fn size(&self) -> (u32, u32);

    /// Draws on an area whose pixels are `scale` to a point.
    ///
    /// # Errors
    /// When the drawing library fails.
    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        scale: f64,
    ) -> Result<(), FigureError>;
}

/// A figure that consists of curves.
pub trait Curves {
    /// The curves with their axes.
    fn curves(&self) -> CurvesFigure;
}

impl<C: Curves> Figure for C {
    fn size(&self) -> (u32, u32) {
        self.curves().size()
    }

    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        scale: f64,
    ) -> Result<(), FigureError> {
        self.curves().draw(area, scale)
    }
}

/// Pixels per point of PNG pictures, for screens and print.
const PIXELS: usize = 2;
/// Supersampling factor: the drawing library does not antialias wide lines.
const SAMPLES: usize = 2;

/// The figure as SVG.
///
/// # Errors
/// When the drawing library fails.
pub fn svg(figure: &impl Figure) -> Result<String, FigureError> {
    fonts()?;
    let mut text = String::new();
    let area = SVGBackend::with_string(&mut text, figure.size()).into_drawing_area();
    area.fill(&WHITE).map_err(failed)?;
    figure.draw(&area, 1.0)?;
    area.present().map_err(failed)?;
    drop(area);
    Ok(text)
}

/// The figure as PNG.
///
/// # Errors
/// When the drawing library or the compression fails.
pub fn png(figure: &impl Figure) -> Result<Vec<u8>, FigureError> {
    fonts()?;
    let (width, height) = figure.size();
    let (wide, high) = (width as usize * PIXELS, height as usize * PIXELS);
    let fine = (wide * SAMPLES, high * SAMPLES);
    let mut drawn = vec![255u8; fine.0 * fine.1 * 3];
    let size = (fine.0 as u32, fine.1 as u32);
    let area = BitMapBackend::with_buffer(&mut drawn, size).into_drawing_area();
    figure.draw(&area, (PIXELS * SAMPLES) as f64)?;
    area.present().map_err(failed)?;
    drop(area);
    let pixels = averaged(&drawn, wide, high);
    let mut bytes = Vec::new();
    let mut encoder = ::png::Encoder::new(&mut bytes, wide as u32, high as u32);
    encoder.set_color(::png::ColorType::Rgb);
    encoder.set_depth(::png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(&pixels)?;
    Ok(bytes)
}

/// The mean colour of every block of samples.
fn averaged(drawn: &[u8], wide: usize, high: usize) -> Vec<u8> {
    let mut pixels = Vec::with_capacity(wide * high * 3);
    let row = wide * SAMPLES * 3;
    for y in 0..high {
        for x in 0..wide {
            for channel in 0..3 {
                let block = (0..SAMPLES).flat_map(|dy| (0..SAMPLES).map(move |dx| (dx, dy)));
                let sample = |(dx, dy)| {
                    let at = (y * SAMPLES + dy) * row + (x * SAMPLES + dx) * 3 + channel;
                    usize::from(drawn[at])
                };
                let sum: usize = block.map(sample).sum();
                pixels.push((sum / (SAMPLES * SAMPLES)) as u8);
            }
        }
    }
    pixels
}

/// Registers the font with the drawing library, once.
fn fonts() -> Result<(), FigureError> {
    static KNOWN: OnceLock<bool> = OnceLock::new();
    let is_known = *KNOWN.get_or_init(|| {
        let regular = register_font("sans-serif", FontStyle::Normal, notosans::REGULAR_TTF);
        regular.is_ok() && register_font("sans-serif", FontStyle::Bold, notosans::BOLD_TTF).is_ok()
    });
    is_known.then_some(()).ok_or_else(|| FigureError::Draw("its font could not be read".into()))
}

fn failed<E: std::error::Error + Send + Sync>(
    error: plotters::drawing::DrawingAreaErrorKind<E>,
) -> FigureError {
    FigureError::Draw(error.to_string())
}

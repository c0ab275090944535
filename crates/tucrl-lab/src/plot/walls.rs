//! How are walls of Breakout drawn?
//!
//! Walls of bricks side by side with a paddle below, each with a caption, as in the paper's first figure.

use plotters::backend::DrawingBackend;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::style::{FontStyle, RGBColor};

use super::canvas::{Canvas, GREY, INK};
use super::{Figure, FigureError, PALETTE};

const FIELD: RGBColor = RGBColor(244, 244, 246);

/// Walls side by side.
#[derive(Debug, Clone)]
pub struct WallsFigure {
    /// The title.
    pub title: String,
    /// The explanation.
    pub explanation: String,
    /// The walls, side by side.
    pub walls: Vec<Wall>,
}

/// One wall.
#[derive(Debug, Clone)]
pub struct Wall {
    /// The caption.
    pub caption: String,
    /// Columns from left to right, each from the bottom up: true if the brick is present.
    pub bricks: Vec<Vec<bool>>,
    /// The column of the paddle.
    pub paddle: usize,
    /// True if it is unreachable.
    pub is_impossible: bool,
}

impl Figure for WallsFigure {
    fn size(&self) -> (u32, u32) {
        (960, 430)
    }

    fn draw<B: DrawingBackend>(
        &self,
        area: &DrawingArea<B, Shift>,
        scale: f64,
    ) -> Result<(), FigureError> {
        let canvas = Canvas { area, scale };
        canvas.title(&self.title, &self.explanation)?;
        let room = 920.0 / self.walls.len().max(1) as f64;
        for (index, wall) in self.walls.iter().enumerate() {
            draw(&canvas, wall, 20.0 + room * index as f64, room - 30.0)?;
        }
        Ok(())
    }
}

fn draw<B: DrawingBackend>(
    canvas: &Canvas<'_, B>,
    wall: &Wall,
    left: f64,
    width: f64,
) -> Result<(), FigureError> {
    const TOP: f64 = 86.0;
    const BOTTOM: f64 = 370.0;
    const GAP: f64 = 3.0;
    const BRICK: f64 = 26.0;
    canvas.rectangle((left, TOP), (left + width, BOTTOM), FIELD)?;
    let columns = wall.bricks.len().max(1) as f64;
    let brick = width / columns;
    let colours = [PALETTE[1], PALETTE[4], PALETTE[2], PALETTE[0], PALETTE[3]];
    for (column, rows) in wall.bricks.iter().enumerate() {
        for (row, _) in rows.iter().enumerate().filter(|(_, stands)| **stands) {
            let from_top = (rows.len() - 1 - row) as f64;
            let (x, y) = (left + brick * column as f64, TOP + 24.0 + BRICK * from_top);
            let colour = colours[from_top as usize % colours.len()];
            canvas.rectangle((x + GAP, y + GAP), (x + brick - GAP, y + BRICK - GAP), colour)?;
        }
    }
    let paddle = left + brick * wall.paddle as f64;
    canvas.rectangle((paddle + 6.0, BOTTOM - 18.0), (paddle + brick - 6.0, BOTTOM - 9.0), INK)?;
    let ball = (paddle + brick / 2.0, BOTTOM - 60.0);
    canvas.rectangle((ball.0 - 5.0, ball.1 - 5.0), (ball.0 + 5.0, ball.1 + 5.0), GREY)?;
    let colour = if wall.is_impossible { PALETTE[1] } else { INK };
    canvas.text(&wall.caption, (left, BOTTOM + 24.0), 14.5, colour, FontStyle::Bold)
}

//! Which states does a designer count that never happen?
//!
//! The paper's first figure: the phase plane of Mountain Car with the part that cannot be entered from the
//! valley, and three walls of Breakout, the last of which no game can show. Both are computed by search in the
//! worlds `mountain-car` and `breakout`. Drives with the true dynamics, without any lattice, test that the cells
//! are really out of reach, and that full acceleration from the left wall bounds the speed to the right.
//!
//! Reads `tucrl::{structure, worlds}`; the judge reads what was stored.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tucrl::rng::RandomStream;
use tucrl::structure;
use tucrl::worlds::{Breakout, MountainCar};

use super::judge::{Wanted, check, exact};
use super::{Evidence, Finding, ReproduceError, Scale};
use crate::plot::{PlaneFigure, Wall, WallsFigure};
use crate::report::text::grouped;

const X: (f64, f64) = (-1.2, 0.6);
const V: (f64, f64) = (-0.07, 0.07);
const WIDTH: usize = 4;
const HEIGHT: usize = 3;
const SEED: u64 = 2018;

#[derive(Serialize, Deserialize)]
struct Pictures {
    /// Columns of the phase plane, each from the lowest speed up: whether it can be reached.
    cells: Vec<Vec<bool>>,
    curve: Vec<(f64, f64)>,
    drives: Drives,
    /// For every wall of Breakout, as bits, whether some game shows it.
    walls: Vec<bool>,
}

/// What happened on many drives.
#[derive(Serialize, Deserialize)]
struct Drives {
    frames: u64,
    entered: Vec<Vec<bool>>,
    excess: f64,
}

pub(super) fn compute(scale: Scale) -> Result<Value, ReproduceError> {
    let refine = scale.of((1, 3));
    let car = MountainCar::default();
    let car = MountainCar {
        positions: car.positions * refine,
        velocities: car.velocities * refine,
        ..car
    };
    let reached = structure::reachable(&car.build()?);
    let cells = reached.chunks(car.velocities).map(<[bool]>::to_vec).collect();
    let curve = MountainCar::bounding_curve();
    let frames = scale.of((1_000_000, 20_000_000));
    let drives = drives(frames, (car.positions, car.velocities), &curve);
    let game = Breakout { width: WIDTH, height: HEIGHT, slip: 0.1 };
    let states = structure::reachable(&game.build()?);
    let walls = states.chunks(WIDTH).map(|paddles| paddles.contains(&true)).collect();
    Ok(serde_json::json!(Pictures { cells, curve, drives, walls }))
}

pub(super) fn judge(evidence: &Evidence<'_>) -> Result<Finding, ReproduceError> {
    let read = Pictures::deserialize(evidence.computed);
    let Pictures { cells, curve, drives, walls } =
        read.map_err(|source| ReproduceError::Computed { what: "the pictures", source })?;
    let unreached: usize = cells.iter().flatten().filter(|&&is_reached| !is_reached).count();
    let all = cells.iter().map(Vec::len).sum::<usize>();
    let shown = walls.iter().filter(|&&is_shown| is_shown).count();
    let disagree = (0..walls.len()).filter(|&wall| walls[wall] != is_stack(wall));
    let checks = vec![
        check(
            format!("share of the {all} cells of the phase plane that cannot be reached"),
            unreached as f64 / all as f64,
            None,
            Wanted::AtLeast(0.01),
        ),
        exact(
            format!(
                "of these, cells entered in {} frames of driving",
                grouped(drives.frames as f64)
            ),
            trespasses(&cells, &drives.entered),
            0,
        ),
        check(
            "highest speed of these drives above the curve of full acceleration, in cells",
            drives.excess,
            None,
            Wanted::AtMost(0.1),
        ),
        exact(
            format!("walls that a game can show, of {} (4 columns of 3 bricks)", walls.len()),
            shown as u64,
            (HEIGHT as u64 + 1).pow(WIDTH as u32) - 1,
        ),
        exact(
            "walls that are shown with a hole above a brick, or not shown without",
            disagree.count() as u64,
            0,
        ),
    ];
    let mut finding = Finding { checks, ..Finding::default() };
    let plane = PlaneFigure {
        title: "Phase plane of Mountain Car".into(),
        explanation: format!("{unreached} of {all} cells cannot be reached from the valley"),
        x: ("position", X.0, X.1),
        y: ("velocity per frame", V.0, V.1),
        cells,
        curve: (curve, "full acceleration".into()),
        points: vec![((-0.5, 0.0), "start".into())],
    };
    let caption =
        "Mountain Car: high speed at the far left cannot be had, nor can a way back past the goal.";
    finding.draw("mountain-car", caption, &plane)?;
    finding.draw(
        "breakout",
        "Breakout: the ball takes the lowest brick of a column first.",
        &three_walls(&walls)?,
    )?;
    Ok(finding)
}

/// How many cells were entered that should be out of reach.
fn trespasses(reached: &[Vec<bool>], entered: &[Vec<bool>]) -> u64 {
    let both = reached.iter().flatten().zip(entered.iter().flatten());
    both.filter(|(is_reached, is_entered)| !**is_reached && **is_entered).count() as u64
}

/// Drives the true dynamics, without any lattice: the frames, the cells that were entered, and by how much
/// the speed exceeded the curve at most, in cells.
fn drives(frames: u64, (columns, rows): (usize, usize), curve: &[(f64, f64)]) -> Drives {
    let mut random = RandomStream::new(SEED);
    let mut entered = vec![vec![false; rows]; columns];
    let cell = |value: f64, (low, high): (f64, f64), count: usize| {
        (((value - low) / (high - low) * count as f64) as usize).min(count - 1)
    };
    let height = (V.1 - V.0) / rows as f64;
    let (mut excess, mut position, mut speed) = (f64::NEG_INFINITY, -0.5, 0.0);
    let (mut push, mut held, mut whim) = (1, 0, 0.0);
    for _ in 0..frames {
        if held == 0 {
            // Along the speed, which swings the car up, or on a whim.
            let along = if speed < 0.0 { 0 } else { 2 };
            push = if random.chance(whim) { random.below(3) as usize } else { along };
            held = 1 + random.below(10);
        }
        held -= 1;
        (position, speed) = MountainCar::frame(position, speed, push);
        entered[cell(position, X, columns)][cell(speed, V, rows)] = true;
        if let Some(top) = fastest(curve, position, position) {
            excess = f64::max(excess, (speed - top) / height);
        }
        if MountainCar::has_arrived(position) {
            (position, speed) = (random.uniform(-0.6, -0.4), 0.0);
            whim = random.unit();
        }
    }
    Drives { frames, entered, excess }
}

/// The highest speed of the curve between two positions; none past its end.
fn fastest(curve: &[(f64, f64)], from: f64, to: f64) -> Option<f64> {
    let between = |pair: &[(f64, f64)]| {
        let ((x0, v0), (x1, v1)) = (pair[0], pair[1]);
        let (a, b) = (from.max(x0), to.min(x1));
        let at = |x: f64| v0 + (v1 - v0) * (x - x0) / (x1 - x0);
        (a <= b).then(|| at(a).max(at(b)))
    };
    (to <= curve.last()?.0).then(|| curve.windows(2).filter_map(between).fold(0.0, f64::max))
}

/// Whether a wall stands and has no hole above a brick.
fn is_stack(wall: usize) -> bool {
    let column = |c: usize| wall >> (c * HEIGHT) & ((1 << HEIGHT) - 1);
    // Bricks go from below, so those of a column that stand are the highest: 111, 110, 100, 000 from the top.
    let is_top = |bricks: usize| (0..=HEIGHT).any(|gone| bricks == (1 << HEIGHT) - (1 << gone));
    wall != 0 && (0..WIDTH).all(|c| is_top(column(c)))
}

fn three_walls(walls: &[bool]) -> Result<WallsFigure, ReproduceError> {
    let bricks = |wall: usize| -> Vec<Vec<bool>> {
        let column =
            |c: usize| (0..HEIGHT).map(|row| wall >> (c * HEIGHT + row) & 1 == 1).collect();
        (0..WIDTH).map(column).collect()
    };
    let full = walls.len() - 1;
    let half = |wall: &usize| wall.count_ones() as usize == WIDTH * HEIGHT / 2 + 1;
    // The most uneven ones are the clearest: last of their kind in the order of bits.
    let reached = (0..walls.len()).filter(half).rev().find(|&wall| walls[wall] && is_uneven(wall));
    let unreached = (0..walls.len()).filter(half).find(|&wall| !walls[wall] && is_uneven(wall));
    let missing = || ReproduceError::Missing { what: "a wall to draw".into() };
    let wall = |wall: usize, caption: &str| Wall {
        caption: caption.into(),
        bricks: bricks(wall),
        paddle: WIDTH / 2,
        is_impossible: !walls[wall],
    };
    let shown = walls.iter().filter(|&&is_shown| is_shown).count();
    Ok(WallsFigure {
        title: "Walls of Breakout".into(),
        explanation: format!(
            "{shown} of {} walls can be reached: none with a hole above a brick",
            walls.len()
        ),
        walls: vec![
            wall(full, "the start"),
            wall(reached.ok_or_else(missing)?, "can be reached"),
            wall(unreached.ok_or_else(missing)?, "cannot be reached"),
        ],
    })
}

/// Whether no two neighbouring columns are alike.
fn is_uneven(wall: usize) -> bool {
    let column = |c: usize| wall >> (c * HEIGHT) & ((1 << HEIGHT) - 1);
    (1..WIDTH).all(|c| column(c) != column(c - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_have_no_hole_above_a_brick() {
        let wall = |columns: [usize; 4]| {
            columns.iter().enumerate().map(|(c, bricks)| bricks << (c * HEIGHT)).sum::<usize>()
        };
        assert!(is_stack(wall([0b111, 0b110, 0b100, 0b000])));
        assert!(!is_stack(wall([0b111, 0b101, 0b111, 0b111])), "a hole inside");
        assert!(!is_stack(wall([0b111, 0b011, 0b111, 0b111])), "a hole above");
        assert!(!is_stack(0), "an empty wall is built up at once");
        assert_eq!((0..1 << (WIDTH * HEIGHT)).filter(|&wall| is_stack(wall)).count(), 255);
    }

    #[test]
    fn drives_find_the_curve_and_stay_below_it() {
        let curve = MountainCar::bounding_curve();
        let drives = drives(200_000, (20, 21), &curve);
        assert!(drives.excess > -0.1 && drives.excess < 0.1, "{}", drives.excess);
        let below: Vec<(f64, f64)> = curve.iter().map(|&(x, v)| (x, 0.8 * v)).collect();
        assert!(
            super::drives(200_000, (20, 21), &below).excess > 0.5,
            "a curve too low is noticed"
        );
        let entered: usize = drives.entered.iter().flatten().filter(|&&is| is).count();
        assert!(entered > 250, "{entered}");
        let none = vec![vec![false; 21]; 20];
        assert_eq!(trespasses(&none, &drives.entered), entered as u64);
        assert_eq!(trespasses(&drives.entered, &drives.entered), 0);
    }
}

//! Which states of Mountain Car and Breakout are unreachable? (The paper's first figure.)
//!
//! The phase plane of Mountain Car with the cells that are unreachable from the valley, and three walls of Breakout, the
//! last of which is unreachable. Both are computed by search in generated worlds, a fine `mountain-car` and
//! `breakout-game`. Independent tests: drives with the true dynamics, without a lattice, never enter these cells, and full
//! acceleration from the left wall bounds the speed to the right; random games, and the rule that every hole is connected
//! to the space below the wall, confirm the walls; a closed formula counts those of the smaller world `breakout`.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tucrl::explore::{ExploreError, explore};
use tucrl::generator::{Generator, Outcomes, list, start_law};
use tucrl::rng::RandomStream;
use tucrl::space::ActionId;
use tucrl::structure;
use tucrl::worlds::{Breakout, BreakoutGame, MountainCar};

use super::judge::{Wanted, check, exact};
use super::{Evidence, Finding, ReproduceError, Scale};
use tucrl_lab::plot::{PlaneFigure, Wall, WallsFigure};
use tucrl_lab::text::grouped;

const X: (f64, f64) = (-1.2, 0.6);
const V: (f64, f64) = (-0.07, 0.07);
const WIDTH: usize = 4;
const HEIGHT: usize = 3;
const SEED: u64 = 2018;

#[derive(Serialize, Deserialize)]
struct Pictures {
    /// Cells of the phase plane: columns, and rows in each.
    lattice: (usize, usize),
    /// Unreachable cells, as (column, lowest row, row above the last).
    unreached: Vec<(usize, usize, usize)>,
    curve: Vec<(f64, f64)>,
    drives: Drives,
    /// For every wall of the world `breakout`, as bits, whether it is reachable.
    walls: Vec<bool>,
    game: Game,
}

/// Search results for `breakout-game`.
#[derive(Serialize, Deserialize)]
struct Game {
    rows: u64,
    columns: u64,
    /// The reachable walls as bits, sorted; the first row is the lowest.
    walls: Vec<u64>,
    /// Random steps, and unreachable walls among those that they produced.
    steps: u64,
    strange: u64,
}

/// Results of the drives.
#[derive(Serialize, Deserialize)]
struct Drives {
    frames: u64,
    #[serde(skip)]
    entered: Vec<Vec<bool>>,
    /// Entered cells that should be unreachable.
    trespasses: u64,
    excess: f64,
}

pub(super) fn compute(scale: Scale) -> Result<Value, ReproduceError> {
    let (positions, velocities) = scale.of(((200, 201), (1000, 1001)));
    let car = MountainCar { positions, velocities, points_per_side: 3, ..MountainCar::default() };
    let found = explore(&car.generator()?, usize::MAX, &|_| true)?;
    let mut cells = vec![vec![false; velocities]; positions];
    for &state in &found.states {
        cells[state as usize / velocities][state as usize % velocities] = true;
    }
    let curve = MountainCar::bounding_curve();
    let frames = scale.of((1_000_000, 20_000_000));
    let mut drives = drives(frames, (positions, velocities), &curve);
    drives.trespasses = trespasses(&cells, &drives.entered);
    let small = Breakout { width: WIDTH, height: HEIGHT, slip: 0.1 };
    let states = structure::reachable(&small.build()?);
    let walls = states.chunks(WIDTH).map(|paddles| paddles.contains(&true)).collect();
    let game = game(scale.of((100_000, 2_000_000)))?;
    let lattice = (positions, velocities);
    let unreached = unreached(&cells);
    Ok(serde_json::json!(Pictures { lattice, unreached, curve, drives, walls, game }))
}

/// The unreachable cells, vertical neighbours joined.
fn unreached(cells: &[Vec<bool>]) -> Vec<(usize, usize, usize)> {
    let mut runs = Vec::new();
    for (column, rows) in cells.iter().enumerate() {
        let mut from = 0;
        for run in rows.chunk_by(|below, above| below == above) {
            let to = from + run.len();
            if !run[0] {
                runs.push((column, from, to));
            }
            from = to;
        }
    }
    runs
}

/// Searches the game for its reachable walls, and plays it at random.
fn game(steps: u64) -> Result<Game, ReproduceError> {
    let game = BreakoutGame::default();
    let rules = game.generator()?;
    let others: u64 = rules.space().factors()[1..].iter().map(|factor| factor.size).product();
    let found = explore(&rules, usize::MAX, &|_| true)?;
    let mut walls: Vec<u64> = found.states.iter().map(|state| state / others).collect();
    walls.dedup();
    let mut random = RandomStream::new(SEED);
    let mut state = start_law(&rules).map_err(ExploreError::from)?[0].0;
    let (mut outcomes, mut strange) = (Outcomes::default(), 0);
    for _ in 0..steps {
        let action = random.below(3) as ActionId;
        list(&rules, state, action, &mut outcomes).map_err(ExploreError::from)?;
        let entries = outcomes.entries();
        // Only serves are random, and uniform.
        let outcome = &entries[random.below(entries.len() as u64) as usize];
        state = outcome.next;
        strange += u64::from(walls.binary_search(&(state / others)).is_err());
    }
    Ok(Game { rows: game.rows, columns: game.columns, walls, steps, strange })
}

pub(super) fn judge(evidence: &Evidence<'_>) -> Result<Finding, ReproduceError> {
    let read = Pictures::deserialize(evidence.computed);
    let Pictures { lattice, unreached, curve, drives, walls, game } =
        read.map_err(|source| ReproduceError::Computed { what: "the pictures", source })?;
    let mut cells = vec![vec![true; lattice.1]; lattice.0];
    for &(column, from, to) in &unreached {
        cells[column][from..to].fill(false);
    }
    let all = lattice.0 * lattice.1;
    let unreached: usize = unreached.iter().map(|(_, from, to)| to - from).sum();
    let shown = walls.iter().filter(|&&is_shown| is_shown).count();
    let disagree = (0..walls.len()).filter(|&wall| walls[wall] != is_stack(wall));
    let checks = vec![
        check(
            format!("share of the {all} cells of the phase plane that are unreachable"),
            unreached as f64 / all as f64,
            None,
            Wanted::AtLeast(0.01),
        ),
        exact(
            format!(
                "of these, cells entered in {} frames of driving, except at the border",
                grouped(drives.frames as f64)
            ),
            drives.trespasses,
            0,
        ),
        check(
            "highest speed of these drives above the curve of full acceleration, over the top speed",
            drives.excess,
            None,
            Wanted::AtMost(0.01),
        ),
        exact(
            format!("reachable walls, of {} (4 columns of 3 bricks)", walls.len()),
            shown as u64,
            (HEIGHT as u64 + 1).pow(WIDTH as u32) - 1,
        ),
        exact(
            "reachable walls with a hole above a brick, or unreachable ones without",
            disagree.count() as u64,
            0,
        ),
        exact(
            format!(
                "of the {} reachable walls of breakout-game, those with a closed hole",
                grouped(game.walls.len() as f64)
            ),
            game.walls.iter().filter(|&&wall| game.has_closed_hole(wall)).count() as u64,
            0,
        ),
        exact(
            format!(
                "unreachable walls met in {} steps of breakout-game",
                grouped(game.steps as f64)
            ),
            game.strange,
            0,
        ),
    ];
    let mut finding = Finding { checks, ..Finding::default() };
    let plane = PlaneFigure {
        title: "Phase plane of Mountain Car".into(),
        explanation: format!(
            "{} of {} cells are unreachable from the valley",
            grouped(unreached as f64),
            grouped(all as f64)
        ),
        x: ("position", X.0, X.1),
        y: ("velocity per frame", V.0, V.1),
        cells,
        curve: (curve, "full acceleration".into()),
        points: vec![((-0.5, 0.0), "start".into())],
    };
    let caption = "Mountain Car: high speed at the far left and velocities back from the goal are unreachable.";
    finding.draw("mountain-car", caption, &plane)?;
    finding.draw(
        "breakout",
        "Breakout: only bricks that the ball can reach are removed.",
        &three_walls(&game)?,
    )?;
    Ok(finding)
}

/// The number of entered cells that are, with all their neighbours, unreachable in the lattice. Neighbours count
/// because a cell stands for a few of its points and an action for a few frames, which blurs the border by a cell.
fn trespasses(reached: &[Vec<bool>], entered: &[Vec<bool>]) -> u64 {
    let near = |at: usize, len: usize| at.saturating_sub(1)..=(at + 1).min(len - 1);
    let mut count = 0;
    for (i, column) in entered.iter().enumerate() {
        for (j, _) in column.iter().enumerate().filter(|(_, is_entered)| **is_entered) {
            let mut around = near(i, reached.len()).map(|i| &reached[i][near(j, column.len())]);
            count += u64::from(!around.any(|rows| rows.contains(&true)));
        }
    }
    count
}

/// Drives with the true dynamics, without a lattice: the frames, the entered cells, and the largest excess of speed over
/// the curve, as a share of the top speed.
fn drives(frames: u64, (columns, rows): (usize, usize), curve: &[(f64, f64)]) -> Drives {
    let mut random = RandomStream::new(SEED);
    let mut entered = vec![vec![false; rows]; columns];
    let cell = |value: f64, (low, high): (f64, f64), count: usize| {
        (((value - low) / (high - low) * count as f64) as usize).min(count - 1)
    };
    let (mut excess, mut position, mut speed) = (f64::NEG_INFINITY, -0.5, 0.0);
    let (mut push, mut held, mut randomness) = (1, 0, 0.0);
    for _ in 0..frames {
        if held == 0 {
            // Push along the velocity, which swings the car up, or at random.
            let along = if speed < 0.0 { 0 } else { 2 };
            push = if random.chance(randomness) { random.below(3) as usize } else { along };
            held = 1 + random.below(10);
        }
        held -= 1;
        (position, speed) = MountainCar::frame(position, speed, push);
        entered[cell(position, X, columns)][cell(speed, V, rows)] = true;
        if let Some(top) = fastest(curve, position, position) {
            excess = f64::max(excess, (speed - top) / V.1);
        }
        if MountainCar::has_arrived(position) {
            (position, speed) = (random.uniform(-0.6, -0.4), 0.0);
            randomness = random.unit();
        }
    }
    Drives { frames, entered, trespasses: 0, excess }
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

/// True if a wall has bricks and no hole above a brick.
fn is_stack(wall: usize) -> bool {
    let column = |c: usize| wall >> (c * HEIGHT) & ((1 << HEIGHT) - 1);
    // Bricks are removed from below, so a column from the top is 111, 110, 100 or 000.
    let is_top = |bricks: usize| (0..=HEIGHT).any(|gone| bricks == (1 << HEIGHT) - (1 << gone));
    wall != 0 && (0..WIDTH).all(|c| is_top(column(c)))
}

impl Game {
    fn is_brick(&self, wall: u64, column: u64, row: u64) -> bool {
        wall >> (row * self.columns + column) & 1 == 1
    }

    /// True if a missing brick is not connected to the space below the wall; the ball moves from cell to cell, also
    /// diagonally.
    fn has_closed_hole(&self, wall: u64) -> bool {
        let mut is_open = vec![false; (self.rows * self.columns) as usize];
        let mut ways: Vec<(u64, u64)> = (0..self.columns).map(|column| (column, 0)).collect();
        while let Some((column, row)) = ways.pop() {
            let cell = &mut is_open[(row * self.columns + column) as usize];
            if self.is_brick(wall, column, row) || std::mem::replace(cell, true) {
                continue;
            }
            let near = |at: u64, end: u64| at.saturating_sub(1)..=(at + 1).min(end - 1);
            for next_row in near(row, self.rows) {
                ways.extend(near(column, self.columns).map(|next| (next, next_row)));
            }
        }
        let gone = self.rows * self.columns - u64::from(wall.count_ones());
        gone > is_open.iter().filter(|&&is_open| is_open).count() as u64
    }
}

fn three_walls(game: &Game) -> Result<WallsFigure, ReproduceError> {
    let whole: u64 = (1 << (game.rows * game.columns)) - 1;
    // Flipped vertically: the same bricks removed from above, where no ball starts.
    let flipped = |wall: u64| {
        let row = |row: u64| wall >> (row * game.columns) & ((1 << game.columns) - 1);
        (0..game.rows).fold(0, |flipped, next| flipped << game.columns | row(next))
    };
    // The wall with the fewest bricks whose flip has a closed hole.
    let is_clear = |wall: &&u64| game.has_closed_hole(flipped(**wall));
    let reached = game.walls.iter().filter(is_clear).min_by_key(|wall| wall.count_ones());
    let reached = *reached.ok_or_else(|| ReproduceError::Missing { what: "a wall".into() })?;
    let wall = |wall: u64, caption: &str| Wall {
        caption: caption.into(),
        bricks: (0..game.columns)
            .map(|column| (0..game.rows).map(|row| game.is_brick(wall, column, row)).collect())
            .collect(),
        paddle: (game.columns / 2) as usize,
        is_impossible: game.walls.binary_search(&wall).is_err(),
    };
    Ok(WallsFigure {
        title: "Walls of Breakout".into(),
        explanation: format!(
            "{} of {} walls are reachable; none of them has a closed hole",
            grouped(game.walls.len() as f64),
            grouped((whole + 1) as f64)
        ),
        walls: vec![
            wall(whole, "the start"),
            wall(reached, "reachable"),
            wall(flipped(reached), "unreachable"),
        ],
    })
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
        assert!(!is_stack(0), "an empty wall is rebuilt at once");
        assert_eq!((0..1 << (WIDTH * HEIGHT)).filter(|&wall| is_stack(wall)).count(), 255);
    }

    #[test]
    fn drives_find_the_curve_and_stay_below_it() {
        let curve = MountainCar::bounding_curve();
        let drives = drives(200_000, (20, 21), &curve);
        assert!(drives.excess > -0.01 && drives.excess < 0.01, "{}", drives.excess);
        let below: Vec<(f64, f64)> = curve.iter().map(|&(x, v)| (x, 0.8 * v)).collect();
        assert!(
            super::drives(200_000, (20, 21), &below).excess > 0.05,
            "a curve too low is noticed"
        );
        let entered: usize = drives.entered.iter().flatten().filter(|&&is| is).count();
        assert!(entered > 250, "{entered}");
        let none = vec![vec![false; 21]; 20];
        assert_eq!(trespasses(&none, &drives.entered), entered as u64);
        assert_eq!(trespasses(&drives.entered, &drives.entered), 0);
        // Two cells away from all that can be reached is too far.
        let alone = |row: usize| vec![(0..5).map(|j| j == row).collect::<Vec<bool>>(); 2];
        assert_eq!(trespasses(&alone(1), &alone(2)), 0);
        assert_eq!(trespasses(&alone(1), &alone(3)), 2);
    }

    #[test]
    fn a_hole_needs_a_way_out_that_a_ball_can_fly() {
        let game = Game { rows: 3, columns: 3, walls: Vec::new(), steps: 0, strange: 0 };
        // Rows from the top.
        let holes = |rows: [u64; 3]| game.has_closed_hole(rows[2] | rows[1] << 3 | rows[0] << 6);
        assert!(!holes([0b111, 0b111, 0b111]) && !holes([0, 0, 0]));
        assert!(holes([0b111, 0b101, 0b111]), "in the middle");
        assert!(holes([0b110, 0b111, 0b110]), "two, one of them open");
        assert!(!holes([0b111, 0b101, 0b110]), "open along a diagonal");
        assert!(!holes([0b110, 0b101, 0b110]), "around a corner");
    }

    #[test]
    fn the_walls_drawn_are_what_their_captions_say() {
        let figure = three_walls(&game(1000).unwrap()).unwrap();
        let impossible: Vec<bool> = figure.walls.iter().map(|wall| wall.is_impossible).collect();
        assert_eq!(impossible, [false, false, true]);
    }
}

//! How many of all arrangements of robots can happen?
//!
//! A warehouse of `rows` × `columns` cells. Every other column holds shelves, except in the first and the last row,
//! so that the free cells form aisles. `robots` robots move in turn: the action of the robot whose turn it is goes
//! up, right, down, left or stays; a move into a shelf, a border or another robot fails, and any move fails with
//! probability `slip`. A robot that enters the upper left cell empty is loaded there; one that enters the lower
//! right cell loaded is unloaded, which pays 1. The designer's space is, for each robot, where it is and whether it
//! is loaded, and whose turn it is.
//!
//! No two robots are ever in one cell, no robot is in a shelf, none is loaded where loads are taken or empty where
//! they are given: those states are unreachable. The rule of thumb takes the shortest way to where the robot has
//! to go and does not look at the others.
//!
//! Reads `generator`. The paper does not speak of robots.

use std::collections::VecDeque;

use super::grid::{Direction, Grid};
use super::{require, require_probability};
use crate::error::WorldError;
use crate::generator::{Generator, Outcomes};
use crate::space::{ActionId, Space, StateId};

const MOVES: [Direction; 4] = [Direction::Up, Direction::Right, Direction::Down, Direction::Left];

/// Robots among shelves.
#[derive(Debug, Clone, PartialEq)]
pub struct Warehouse {
    /// Rows of cells, at least 2.
    pub rows: usize,
    /// Columns of cells, odd and at least 3, so that both stations stand in aisles.
    pub columns: usize,
    /// How many robots, at least 1.
    pub robots: usize,
    /// The probability that a move fails.
    pub slip: f64,
}

impl Default for Warehouse {
    fn default() -> Self {
        Self { rows: 3, columns: 5, robots: 2, slip: 0.1 }
    }
}

/// The warehouse, ready to be run.
#[derive(Debug, Clone)]
pub struct WarehouseRules {
    house: Warehouse,
    space: Space,
    grid: Grid,
    /// By cell, how many moves to the upper left and to the lower right station; none for shelves.
    far: Vec<Option<(u32, u32)>>,
}

/// One robot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Robot {
    cell: usize,
    is_loaded: bool,
}

impl Warehouse {
    /// The name in messages and on the command line.
    pub const NAME: &'static str = "warehouse";

    /// Builds the world's rule.
    ///
    /// # Errors
    /// When a size is out of its range, the robots do not fit, or there are more than 2^63 states.
    pub fn generator(&self) -> Result<WarehouseRules, WorldError> {
        let rows = "an integer in 2..=1000";
        require((2..=1000).contains(&self.rows), Self::NAME, "rows", self.rows, rows)?;
        let odd = (3..1000).contains(&self.columns) && self.columns % 2 == 1;
        let columns = "an odd integer in 3..=999";
        require(odd, Self::NAME, "columns", self.columns, columns)?;
        require_probability(Self::NAME, "slip", self.slip)?;
        let grid = Grid { rows: self.rows, columns: self.columns };
        let far = distances(grid);
        let aisles = far.iter().filter(|cell| cell.is_some()).count();
        let fits = (1..aisles).contains(&self.robots);
        let robots = "at least 1, and fewer than there are free cells";
        require(fits, Self::NAME, "robots", self.robots, robots)?;
        let (cells, turns) = (grid.cells() as u64, self.robots as u64);
        let each = (1..=self.robots)
            .flat_map(|robot| [(format!("cell {robot}"), cells), (format!("load {robot}"), 2)]);
        let factors = each.chain([("turn".to_string(), turns)]);
        let space = Space::product(factors, 5)
            .map_err(|error| WorldError::Space { world: Self::NAME, reason: error.to_string() })?;
        Ok(WarehouseRules { house: self.clone(), space, grid, far })
    }
}

/// Whether a cell holds a shelf.
fn is_shelf(grid: Grid, cell: usize) -> bool {
    let (row, column) = grid.place(cell);
    column % 2 == 1 && row > 0 && row + 1 < grid.rows
}

/// The moves from every free cell to both stations, by breadth-first search.
fn distances(grid: Grid) -> Vec<Option<(u32, u32)>> {
    let from = |station: usize| {
        let mut far = vec![None; grid.cells()];
        far[station] = Some(0);
        let mut open = VecDeque::from([(station, 0)]);
        while let Some((cell, moves)) = open.pop_front() {
            for next in MOVES.map(|direction| grid.step(cell, direction)) {
                if far[next].is_none() && !is_shelf(grid, next) {
                    far[next] = Some(moves + 1);
                    open.push_back((next, moves + 1));
                }
            }
        }
        far
    };
    let (upper, lower) = (from(0), from(grid.cells() - 1));
    upper.into_iter().zip(lower).map(|(a, b)| a.zip(b)).collect()
}

impl WarehouseRules {
    fn decode(&self, state: StateId) -> (Vec<Robot>, usize) {
        let (cells, turns) = (self.grid.cells() as u64, self.house.robots as u64);
        let (turn, mut left) = ((state % turns) as usize, state / turns);
        let mut robots = vec![Robot { cell: 0, is_loaded: false }; self.house.robots];
        for robot in robots.iter_mut().rev() {
            robot.is_loaded = left % 2 == 1;
            robot.cell = (left / 2 % cells) as usize;
            left /= 2 * cells;
        }
        (robots, turn)
    }

    fn encode(&self, robots: &[Robot], turn: usize) -> StateId {
        let cells = self.grid.cells() as u64;
        let one = |state, robot: &Robot| {
            (state * cells + robot.cell as u64) * 2 + u64::from(robot.is_loaded)
        };
        robots.iter().fold(0, one) * self.house.robots as u64 + turn as u64
    }
}

impl Generator for WarehouseRules {
    fn space(&self) -> &Space {
        &self.space
    }

    /// All robots stand empty in the first free cells after the station.
    fn start(&self) -> Vec<(StateId, f64)> {
        let free = (1..self.grid.cells()).filter(|&cell| !is_shelf(self.grid, cell));
        let robots: Vec<Robot> =
            free.take(self.house.robots).map(|cell| Robot { cell, is_loaded: false }).collect();
        vec![(self.encode(&robots, 0), 1.0)]
    }

    fn outcomes(&self, state: StateId, action: ActionId, list: &mut Outcomes) {
        let (mut robots, turn) = self.decode(state);
        let after = (turn + 1) % self.house.robots;
        let failed = self.encode(&robots, after);
        let here = robots[turn].cell;
        let next = MOVES.get(action as usize).map_or(here, |&way| self.grid.step(here, way));
        let is_taken = is_shelf(self.grid, next) || robots.iter().any(|robot| robot.cell == next);
        if is_taken {
            return list.push(failed, 1.0, 0.0);
        }
        let is_unloaded = robots[turn].is_loaded && next == self.grid.cells() - 1;
        robots[turn].cell = next;
        robots[turn].is_loaded = (robots[turn].is_loaded || next == 0) && !is_unloaded;
        let reward = if is_unloaded { 1.0 } else { 0.0 };
        list.push(self.encode(&robots, after), 1.0 - self.house.slip, reward);
        list.push(failed, self.house.slip, 0.0);
    }

    fn rule_of_thumb(&self, state: StateId) -> Option<ActionId> {
        let (robots, turn) = self.decode(state);
        let robot = robots[turn];
        let left = |cell: usize| {
            let far = self.far[cell];
            far.map_or(u32::MAX, |(upper, lower)| if robot.is_loaded { lower } else { upper })
        };
        let moves = 0..MOVES.len();
        moves.min_by_key(|&way| left(self.grid.step(robot.cell, MOVES[way]))).map(|way| way as u32)
    }

    fn rule_in_words(&self) -> &'static str {
        "take the shortest way to where the robot has to go, whoever stands there"
    }

    fn action_names(&self) -> &[&'static str] {
        &["up", "right", "down", "left", "stay"]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::explore;
    use crate::solve::solve;

    #[test]
    fn robots_never_share_a_cell_or_enter_a_shelf_and_stations_load_and_unload() {
        let world = Warehouse::default().generator().unwrap();
        assert_eq!(world.space().states(), 15 * 15 * 4 * 2);
        let found = explore(&world, 10_000, &|_| true).unwrap();
        assert!(found.is_complete());
        for &state in &found.states {
            let (robots, turn) = world.decode(state);
            assert_eq!(world.encode(&robots, turn), state);
            assert_ne!(robots[0].cell, robots[1].cell);
            for robot in robots {
                assert!(!is_shelf(world.grid, robot.cell));
                assert!(robot.cell != 0 || robot.is_loaded);
                assert!(robot.cell != 14 || !robot.is_loaded);
            }
        }
        // 13 free cells, of which the two stations fix the load: 11 cells × 2 loads + 2 stations are 24
        // places; a pair of robots must differ in its cell: 24² − (11 × 4 + 2) pairs, in two turns.
        assert_eq!(found.found(), 2 * (24 * 24 - 46));
    }

    #[test]
    fn one_robot_earns_once_a_round_trip() {
        let house = Warehouse { robots: 1, slip: 0.0, ..Warehouse::default() };
        let world = house.generator().unwrap();
        let found = explore(&world, 1000, &|_| true).unwrap();
        let table = found.table(&world, &|_, _| true).unwrap();
        let gain = solve(&table).unwrap().gain_from_start(&table).0;
        // 2 + 4 moves there and as many back.
        assert!((gain - 1.0 / 12.0).abs() < 1e-12);
        let mut state = world.start()[0].0;
        let mut earned = 0.0;
        for _ in 0..1201 {
            let mut outcomes = Outcomes::default();
            world.outcomes(state, world.rule_of_thumb(state).unwrap(), &mut outcomes);
            let outcome = &outcomes.entries()[0];
            (state, earned) = (outcome.next, earned + outcome.reward.mean());
        }
        assert_eq!(earned, 100.0, "alone, the rule of thumb is optimal");
    }

    #[test]
    fn values_out_of_range_are_refused() {
        let refusal = |house: Warehouse| house.generator().unwrap_err().to_string();
        assert!(refusal(Warehouse { columns: 4, ..Warehouse::default() }).contains("columns = 4"));
        assert!(refusal(Warehouse { robots: 13, ..Warehouse::default() }).contains("robots = 13"));
        let vast = Warehouse { rows: 99, columns: 99, robots: 5, slip: 0.1 };
        assert!(refusal(vast).contains("a space has at most 2^63"));
    }
}

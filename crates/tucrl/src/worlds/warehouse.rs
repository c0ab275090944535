//! A warehouse: robots that carry loads among shelves and never share a cell.
//!
//! An example of ours. A warehouse of `rows` × `columns` cells. Every other column holds shelves, except in the first and
//! the last row, so that the free cells form aisles. `robots` robots move in turn: the action of the robot whose turn it
//! is goes up, right, down, left or stays; a move into a shelf, a border or another robot fails, and any move fails with
//! probability `slip`. A robot that enters the upper left cell empty is loaded there; one that enters the lower right
//! cell loaded is unloaded, which pays 1. The nominal space is, for each robot, where it is and whether it is loaded, and
//! whose turn it is.
//!
//! No two robots are ever in one cell, no robot is in a shelf, none is loaded where loads are taken or empty where they
//! are given: those states are unreachable. By the rule of thumb all robots drive round the outside in one direction,
//! down from the upper left and up from the lower right: no way is shorter, and robots never meet head-on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::grid::{Direction, Grid};
use super::{
    Nested, PROBABILITY, World, WorldAbout, WorldKind, generated, require, require_probability,
};
use crate::error::WorldError;
use crate::generator::{Generator, Outcomes};
use crate::model::Model;
use crate::space::{ActionId, Space, StateId};

const MOVES: [Direction; 4] = [Direction::Up, Direction::Right, Direction::Down, Direction::Left];

const ROWS: &str = "an integer in 2..=1000";
const COLUMNS: &str = "an odd integer in 3..=999";
const ROBOTS: &str = "at least 1, and fewer than there are free cells";

/// Robots among shelves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Warehouse {
    /// rows of cells
    #[schemars(extend("x-accepts" = ROWS))]
    pub rows: usize,
    // Odd, so that both stations stand in aisles.
    /// columns, every other with shelves
    #[schemars(extend("x-accepts" = COLUMNS))]
    pub columns: usize,
    /// how many robots
    #[schemars(extend("x-accepts" = ROBOTS))]
    pub robots: usize,
    /// the probability that a move fails
    #[schemars(extend("x-accepts" = PROBABILITY))]
    pub slip: f64,
}

impl Default for Warehouse {
    fn default() -> Self {
        Self { rows: 3, columns: 5, robots: 2, slip: 0.1 }
    }
}

/// [`Warehouse`] as a generator.
#[derive(Debug, Clone)]
pub struct WarehouseRules {
    house: Warehouse,
    space: Space,
    grid: Grid,
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

    /// Builds the world.
    ///
    /// # Errors
    /// When a size is out of its range, the robots do not fit, or there are more than 2^63 states.
    pub fn generator(&self) -> Result<WarehouseRules, WorldError> {
        require((2..=1000).contains(&self.rows), Self::NAME, "rows", self.rows, ROWS)?;
        let odd = (3..1000).contains(&self.columns) && self.columns % 2 == 1;
        require(odd, Self::NAME, "columns", self.columns, COLUMNS)?;
        require_probability(Self::NAME, "slip", self.slip)?;
        let grid = Grid { rows: self.rows, columns: self.columns };
        let aisles = (0..grid.cells()).filter(|&cell| !is_shelf(grid, cell)).count();
        let fits = (1..aisles).contains(&self.robots);
        require(fits, Self::NAME, "robots", self.robots, ROBOTS)?;
        let (cells, turns) = (grid.cells() as u64, self.robots as u64);
        let each = (1..=self.robots)
            .flat_map(|robot| [(format!("cell {robot}"), cells), (format!("load {robot}"), 2)]);
        let factors = each.chain([("turn".to_string(), turns)]);
        let space = Space::product(factors, 5)
            .map_err(|error| WorldError::Space { world: Self::NAME, reason: error.to_string() })?;
        Ok(WarehouseRules { house: self.clone(), space, grid })
    }
}

/// Whether a cell holds a shelf.
fn is_shelf(grid: Grid, cell: usize) -> bool {
    let (row, column) = grid.place(cell);
    column % 2 == 1 && row > 0 && row + 1 < grid.rows
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
        let (row, column) = self.grid.place(robots[turn].cell);
        let (lowest, last) = (self.grid.rows - 1, self.grid.columns - 1);
        // Down at the left, right at the bottom, up at the right, left at the top; from between the shelves to
        // the side on which the robot is wanted next.
        let way = match (row, column) {
            (row, 0) if row < lowest => Direction::Down,
            (row, column) if row == lowest && column < last => Direction::Right,
            (row, column) if column == last && row > 0 => Direction::Up,
            (0, _) => Direction::Left,
            _ if robots[turn].is_loaded => Direction::Down,
            _ => Direction::Up,
        };
        MOVES.iter().position(|&known| known == way).map(|action| action as u32)
    }

    fn rule_in_words(&self) -> &'static str {
        "drive round the outside, all in one direction"
    }

    fn action_names(&self) -> &[&'static str] {
        &["up", "right", "down", "left", "stay"]
    }
}

impl World for Warehouse {
    fn model(&self, _: &Nested<'_>) -> Result<Model, WorldError> {
        Ok(generated(self.generator()?))
    }
}

pub(super) fn kind() -> WorldKind {
    WorldKind::new::<Warehouse>(WorldAbout {
        name: Warehouse::NAME,
        summary: "robots among shelves; collisions never happen",
        states: 1800,
        actions: 5,
        facts: &[
            "Every load brought from the upper left to the lower right pays 1.",
            "Rule of thumb: drive round the outside, all in one direction.",
            "By default 1060 of 1800 states are reachable; gain 0.0744413538.",
        ],
        example: "warehouse:robots=1",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::policy_values;
    use crate::explore::explore;
    use crate::policy::Policy;
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
    fn robots_that_follow_the_rule_of_thumb_do_not_block_each_other() {
        // Three columns, so that the best way round is the only one; optimal robots can also overtake.
        for (house, least) in [
            (Warehouse::default(), 0.99),
            (Warehouse { robots: 3, columns: 3, ..Warehouse::default() }, 0.93),
        ] {
            let world = house.generator().unwrap();
            let found = explore(&world, 100_000, &|_| true).unwrap();
            let table = found.table(&world, &|_, _| true).unwrap();
            let best = solve(&table).unwrap().gain_from_start(&table).0;
            let rule = found.states.iter().map(|&state| world.rule_of_thumb(state).unwrap());
            let policy = Policy::deterministic(rule.map(|action| action as usize));
            let earned = policy_values(&table, &policy).unwrap();
            let start = table.start().next().unwrap().0;
            let share = earned.gain[start] / best;
            assert!((least..=1.0 + 1e-9).contains(&share), "{house:?}: {share} of {best}");
        }
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

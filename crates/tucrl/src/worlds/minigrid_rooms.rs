//! Rooms with doors, for walking and turning.
//!
//! MiniGridRooms of Colosseum (Conserva and Rauber 2022), continuing: `rooms` × `rooms` rooms of `size` × `size` cells, with
//! walls one cell thick between them and a door in the middle (size/2, rounded down) of every wall between two rooms; see
//! the module `minigrid` for the moves. Start in one corner, goal in the opposite one. (Colosseum's option counts all
//! rooms, a square number; `rooms` is its root.)
//!
//! Facts, derived here: all states of the cells of rooms and doors are reachable: 4 (rooms² size² + 2 rooms (rooms − 1)).
//! Without `random` mishaps g* = 1, as in `minigrid-empty`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::minigrid::{Mishaps, board};
use super::{Nested, PROBABILITY, World, WorldAbout, WorldKind, require};
use crate::error::WorldError;
use crate::mdp::Mdp;
use crate::model::Model;

const ROOMS: &str = "an integer between 2 and 20";
const SIZE: &str = "an integer between 2 and 50";

/// Rooms with doors, for walking and turning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MinigridRooms {
    /// how many rooms in a row, and how many rows of them
    #[schemars(extend("x-accepts" = ROOMS))]
    pub rooms: usize,
    /// how many rows and columns a room has
    #[schemars(extend("x-accepts" = SIZE))]
    pub size: usize,
    /// the probability that nothing happens
    #[schemars(extend("x-accepts" = PROBABILITY))]
    pub lazy: f64,
    /// the probability that the action is replaced by a random one
    #[schemars(extend("x-accepts" = PROBABILITY))]
    pub random: f64,
}

impl Default for MinigridRooms {
    fn default() -> Self {
        Self { rooms: 2, size: 3, lazy: 0.0, random: 0.1 }
    }
}

impl MinigridRooms {
    /// The name in messages and on the command line.
    pub const NAME: &'static str = "minigrid-rooms";

    fn cells(&self) -> Vec<(usize, usize)> {
        let side = self.rooms * (self.size + 1) - 1;
        // The place within a room, or its wall.
        let within = |at: usize| at % (self.size + 1);
        let is_open = |x: usize, y: usize| match (within(x) == self.size, within(y) == self.size) {
            (false, false) => true,
            (true, false) => within(y) == self.size / 2,
            (false, true) => within(x) == self.size / 2,
            (true, true) => false,
        };
        let all = (0..side).flat_map(|x| (0..side).map(move |y| (x, y)));
        all.filter(|&(x, y)| is_open(x, y)).collect()
    }

    /// Builds the world.
    ///
    /// # Errors
    /// When `rooms` is not in `2..=20`, `size` not in `2..=50`, or `lazy` or `random` not in `[0, 1]`.
    pub fn build(&self) -> Result<Mdp, WorldError> {
        let Self { rooms, size, lazy, random } = *self;
        require((2..=20).contains(&rooms), Self::NAME, "rooms", rooms, ROOMS)?;
        require((2..=50).contains(&size), Self::NAME, "size", size, SIZE)?;
        board(Self::NAME, &self.cells(), Mishaps { lazy, random })
    }
}

impl World for MinigridRooms {
    fn model(&self, _: &Nested<'_>) -> Result<Model, WorldError> {
        Ok(self.build()?.into())
    }
}

pub(super) fn kind() -> WorldKind {
    WorldKind::new::<MinigridRooms>(WorldAbout {
        name: MinigridRooms::NAME,
        summary: "walk and turn through doors to such a corner",
        states: 160,
        actions: 3,
        facts: &[
            "Source: MiniGridRooms of Colosseum, continuing, element by element.",
            "Communicating; every state is reachable.",
            "random = 0: gain 1. There are 4 (rooms² size² + 2 rooms (rooms − 1)) states.",
        ],
        example: "minigrid-rooms:rooms=3",
    })
}

#[cfg(test)]
mod tests {
    use super::super::minigrid::published::compare;
    use super::super::probe::{assert_near, gain_and_span, reachable};
    use super::*;

    /// The admissible coordinates as Colosseum lists them: the cells of every room, then the doors.
    fn admissible(rooms: usize, size: usize) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for column in 0..rooms {
            for row in 0..rooms {
                for i in 0..size {
                    for j in 0..size {
                        found.push((i + (size + 1) * column, j + (size + 1) * row));
                    }
                }
            }
        }
        let middles: Vec<usize> = (0..rooms).map(|j| j * size + j + size / 2).collect();
        let walls: Vec<usize> = (1..rooms).map(|j| j * size + j - 1).collect();
        for &wall in &walls {
            for &middle in &middles {
                found.extend([(wall, middle), (middle, wall)]);
            }
        }
        found.sort_unstable();
        found
    }

    #[test]
    fn rows_and_rewards_are_the_published_ones() {
        for (rooms, size, lazy, random) in [(2, 3, 0.0, 0.1), (3, 2, 0.2, 0.3), (2, 4, 0.0, 0.0)] {
            let world = MinigridRooms { rooms, size, lazy, random };
            let cells = admissible(rooms, size);
            assert_eq!(world.cells(), cells);
            compare(&world.build().unwrap(), &cells, (lazy, random), |(x, y)| {
                x >= 0 && y >= 0 && cells.contains(&(x as usize, y as usize))
            });
        }
    }

    #[test]
    fn every_state_is_reachable_and_the_goal_pays_1() {
        for (rooms, size) in [(2, 3), (3, 2), (2, 5)] {
            let world = MinigridRooms { rooms, size, lazy: 0.0, random: 0.0 };
            let mdp = world.build().unwrap();
            let states = 4 * (rooms * rooms * size * size + 2 * rooms * (rooms - 1));
            assert_eq!((mdp.states(), reachable(&mdp).len()), (states, states));
            assert_near(gain_and_span(&mdp).0, 1.0, 1e-10);
        }
    }

    #[test]
    fn values_out_of_range_are_refused() {
        let refusal = |world: MinigridRooms| world.build().unwrap_err().to_string();
        assert_eq!(
            refusal(MinigridRooms { rooms: 1, ..Default::default() }),
            "minigrid-rooms: rooms = 1 is out of range: an integer between 2 and 20"
        );
        assert_eq!(
            refusal(MinigridRooms { random: -1.0, ..Default::default() }),
            "minigrid-rooms: random = -1 is out of range: a number in [0, 1]"
        );
    }
}

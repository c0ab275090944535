//! Cart-pole on a lattice of cells: a pole to be balanced on a cart.
//!
//! Barto, Sutton, Anderson 1983, with the usual constants: gravity 9.8, masses 1 and 0.1, half a pole of 0.5, a push of
//! ±10, time steps of 0.02. Position is cut into cells of `[-2.4, 2.4]`, speed of `[-3, 3]`, angle of ±12 degrees,
//! angular speed of `[-3.5, 3.5]`; speeds beyond belong to the last cell. A cell stands for its `points`⁴ sub-cell
//! midpoints, equally likely; an action is held for `frames` time steps. A step pays 1 unless the cart leaves the track
//! or the pole its range; then it pays nothing and the cart starts anew, at rest in the middle.
//!
//! As with Mountain Car, corners of the product (fast to the left at the right end, …) cannot be entered without falling.
//! The rule of thumb pushes to the side to which the pole will lean a moment later.
//!
//! Departures from the source: the cells, the clipping of speeds and the restart are ours. The table depends on the
//! machine's sine and cosine where a point lands on the border of a cell.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Nested, World, WorldAbout, WorldKind, generated, require};
use crate::error::WorldError;
use crate::generator::{Generator, Outcomes};
use crate::math;
use crate::model::Model;
use crate::space::{ActionId, Space, StateId};

const GRAVITY: f64 = 9.8;
const POLE_MASS: f64 = 0.1;
const TOTAL_MASS: f64 = 1.1;
const HALF_LENGTH: f64 = 0.5;
const PUSH: f64 = 10.0;
const FRAME: f64 = 0.02;
/// The ends of position, speed, angle, angular speed.
const ENDS: [f64; 4] = [2.4, 3.0, 12.0 * std::f64::consts::PI / 180.0, 3.5];

const CELLS: &str = "an odd integer in 3..=10001";
const POINTS: &str = "1 to 10";
const FRAMES: &str = "1 to 1000";

/// A cart with a pole, on a lattice of cells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CartPole {
    /// cells of the position
    #[schemars(extend("x-accepts" = CELLS))]
    pub nx: u64,
    /// cells of the speed
    #[schemars(extend("x-accepts" = CELLS))]
    pub nv: u64,
    /// cells of the angle
    #[schemars(extend("x-accepts" = CELLS))]
    pub na: u64,
    /// cells of the angular speed
    #[schemars(extend("x-accepts" = CELLS))]
    pub nw: u64,
    /// a cell stands for this many points, to the 4th power
    #[schemars(extend("x-accepts" = POINTS))]
    pub points: u64,
    /// how many time steps of 0.02 an action is held
    #[schemars(extend("x-accepts" = FRAMES))]
    pub frames: u64,
}

impl Default for CartPole {
    fn default() -> Self {
        Self { nx: 9, nv: 9, na: 9, nw: 9, points: 2, frames: 4 }
    }
}

/// [`CartPole`] as a generator.
#[derive(Debug, Clone)]
pub struct CartPoleRules {
    cart: CartPole,
    space: Space,
}

impl CartPole {
    /// The name in messages and on the command line.
    pub const NAME: &'static str = "cart-pole";

    /// Builds the world.
    ///
    /// # Errors
    /// When a size is out of its range.
    pub fn generator(&self) -> Result<CartPoleRules, WorldError> {
        let names = ["nx", "nv", "na", "nw"];
        for (name, cells) in names.into_iter().zip(self.cells()) {
            let odd = (3..=10_001).contains(&cells) && cells % 2 == 1;
            require(odd, Self::NAME, name, cells, CELLS)?;
        }
        let (points, frames) = (self.points, self.frames);
        require((1..=10).contains(&points), Self::NAME, "points", points, POINTS)?;
        require((1..=1000).contains(&frames), Self::NAME, "frames", frames, FRAMES)?;
        let factors = ["position", "speed", "angle", "turning"].into_iter().zip(self.cells());
        let space = Space::product(factors, 2)
            .map_err(|error| WorldError::Space { world: Self::NAME, reason: error.to_string() })?;
        Ok(CartPoleRules { cart: self.clone(), space })
    }

    fn cells(&self) -> [u64; 4] {
        [self.nx, self.nv, self.na, self.nw]
    }

    /// The cell of a point; none where the cart is off the track or the pole has fallen.
    fn cell(&self, point: [f64; 4]) -> Option<StateId> {
        if point[0].abs() > ENDS[0] || point[2].abs() > ENDS[2] {
            return None;
        }
        let mut state = 0;
        for ((value, end), cells) in point.into_iter().zip(ENDS).zip(self.cells()) {
            // A float cast truncates and stops at 0; the upper end belongs to the last cell.
            let cell = ((value + end) / (2.0 * end) * cells as f64) as u64;
            state = state * cells + cell.min(cells - 1);
        }
        Some(state)
    }

    /// One of the points that a state stands for.
    fn point(&self, mut state: StateId, mut which: u64) -> [f64; 4] {
        let (mut point, all) = ([0.0; 4], self.cells());
        for axis in (0..4).rev() {
            let (cells, points) = (all[axis], self.points);
            let (cell, part) = (state % cells, which % points);
            (state, which) = (state / cells, which / points);
            let share = (cell as f64 + (part as f64 + 0.5) / points as f64) / cells as f64;
            point[axis] = ENDS[axis] * (2.0 * share - 1.0);
        }
        point
    }

    /// The cell in the middle of all four ranges.
    fn middle(&self) -> StateId {
        self.cells().iter().fold(0, |state, cells| state * cells + cells / 2)
    }
}

/// Holds a push for some time steps; none if the pole falls or the cart leaves the track.
fn drive(mut point: [f64; 4], push: f64, frames: u64) -> Option<[f64; 4]> {
    for _ in 0..frames {
        let [x, v, angle, turning] = point;
        let (sin, cos) = math::sin_cos(angle);
        let moved = (push + POLE_MASS * HALF_LENGTH * turning * turning * sin) / TOTAL_MASS;
        let turn = (GRAVITY * sin - cos * moved)
            / (HALF_LENGTH * (4.0 / 3.0 - POLE_MASS * cos * cos / TOTAL_MASS));
        let speed = moved - POLE_MASS * HALF_LENGTH * turn * cos / TOTAL_MASS;
        point = [x + FRAME * v, v + FRAME * speed, angle + FRAME * turning, turning + FRAME * turn];
        point[1] = point[1].clamp(-ENDS[1], ENDS[1]);
        point[3] = point[3].clamp(-ENDS[3], ENDS[3]);
        if point[0].abs() > ENDS[0] || point[2].abs() > ENDS[2] {
            return None;
        }
    }
    Some(point)
}

impl Generator for CartPoleRules {
    fn space(&self) -> &Space {
        &self.space
    }

    fn start(&self) -> Vec<(StateId, f64)> {
        vec![(self.cart.middle(), 1.0)]
    }

    fn outcomes(&self, state: StateId, action: ActionId, list: &mut Outcomes) {
        let (push, all) = (if action == 0 { -PUSH } else { PUSH }, self.cart.points.pow(4));
        let mut landings: Vec<Option<StateId>> = (0..all)
            .map(|which| {
                let landed = drive(self.cart.point(state, which), push, self.cart.frames);
                landed.and_then(|point| self.cart.cell(point))
            })
            .collect();
        // Counted first and divided once, so that equal points round equally.
        landings.sort_unstable();
        for same in landings.chunk_by(|a, b| a == b) {
            let (next, reward) = same[0].map_or((self.cart.middle(), 0.0), |next| (next, 1.0));
            list.push(next, same.len() as f64 / all as f64, reward);
        }
    }

    fn rule_of_thumb(&self, state: StateId) -> Option<ActionId> {
        let cart = CartPole { points: 1, ..self.cart.clone() };
        let [_, _, angle, turning] = cart.point(state, 0);
        Some(u32::from(angle + 0.2 * turning > 0.0))
    }

    fn rule_in_words(&self) -> &'static str {
        "push to the side to which the pole will lean a moment later"
    }

    fn action_names(&self) -> &[&'static str] {
        &["push left", "push right"]
    }
}

impl World for CartPole {
    fn model(&self, _: &Nested<'_>) -> Result<Model, WorldError> {
        Ok(generated(self.generator()?))
    }
}

pub(super) fn kind() -> WorldKind {
    WorldKind::new::<CartPole>(WorldAbout {
        name: CartPole::NAME,
        summary: "a pole on a cart, cut into cells",
        states: 6561,
        actions: 2,
        facts: &[
            "A step pays 1; when the pole falls it pays nothing and the cart starts anew.",
            "Rule of thumb: push to the side to which the pole will lean a moment later.",
            "By default 4509 of 6561 states are reachable; gain 0.98072092, span 1.0854212.",
        ],
        example: "cart-pole:nx=5,nv=7",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::explore;

    #[test]
    fn one_time_step_is_that_of_the_equations() {
        // At rest and upright: the cart accelerates by F / (M - m · 3/4 / …), worked out by hand.
        let [x, v, angle, turning] = drive([0.0; 4], PUSH, 1).unwrap();
        let moved = PUSH / TOTAL_MASS;
        let turn = -moved / (HALF_LENGTH * (4.0 / 3.0 - POLE_MASS / TOTAL_MASS));
        assert_eq!((x, angle), (0.0, 0.0));
        assert!((turning - FRAME * turn).abs() < 1e-15 && turn < 0.0);
        assert!((v - FRAME * (moved - POLE_MASS * HALF_LENGTH * turn / TOTAL_MASS)).abs() < 1e-15);
        assert_eq!(drive([0.0, 0.0, 0.2, 3.0], PUSH, 1), None, "fallen");
        assert_eq!(drive([2.39, 3.0, 0.0, 0.0], PUSH, 1), None, "off the track");
    }

    #[test]
    fn points_belong_to_their_cells() {
        let cart = CartPole { nx: 5, nv: 7, na: 9, nw: 11, points: 3, frames: 4 };
        for state in 0..5 * 7 * 9 * 11 {
            for which in [0, 40, 80] {
                assert_eq!(cart.cell(cart.point(state, which)), Some(state));
            }
        }
        assert_eq!(cart.point(cart.middle(), 40), [0.0; 4]);
    }

    #[test]
    fn corners_of_the_phase_space_are_out_of_reach() {
        let world = CartPole::default().generator().unwrap();
        let found = explore(&world, 10_000, &|_| true).unwrap();
        assert!(found.is_complete());
        let reachable = found.found();
        assert!(reachable > 1000 && reachable < 6561, "{reachable}");
        // At its left end a pole that turns fast to the right would have come from where it has fallen; and
        // pushing the cart to the right turns the pole to the left.
        for corner in [[4, 4, 0, 8], [4, 8, 4, 8]] {
            let state = world.space().encode(&corner).unwrap();
            assert_eq!(found.number(state), None, "{corner:?}");
        }
    }

    #[test]
    fn values_out_of_range_are_refused() {
        let refusal = |cart: CartPole| cart.generator().unwrap_err().to_string();
        let even = CartPole { nv: 8, ..CartPole::default() };
        assert_eq!(refusal(even), "cart-pole: nv = 8 is out of range: an odd integer in 3..=10001");
        assert!(refusal(CartPole { points: 0, ..CartPole::default() }).contains("points = 0"));
    }
}

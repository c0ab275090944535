//! Mountain Car on a lattice of cells, some of which the dynamics rule out.
//!
//! The phase plane that Fruit, Pirotta, Lazaric 2018 draw, to show its unreachable corners; they give no discretisation,
//! so this one is ours. Dynamics per frame, for a push a in {0, 1, 2}: v += 0.001(a − 1) − 0.0025 cos 3x, clipped to
//! ±0.07; x += v, clipped to `[-1.2, 0.6]`; at the left wall a leftward speed becomes 0. The plane is cut into
//! `positions` × `velocities` cells, state = position cell · velocities + velocity cell. A cell stands for its
//! `points_per_side`² sub-cell midpoints, equally likely; an action is held for up to `frames` frames and ends at
//! x >= 0.5. A midpoint already at x >= 0.5 earns 1 and restarts at rest, uniformly on ten midpoints of `[-0.6, -0.4]`,
//! which also is the start law. The reward is drawn jointly with the midpoint.
//!
//! Facts for the defaults: 420 states, 371 reachable, one maximal end component, g* = 0.0436560076, span 1.00613929,
//! largest support 8, diameter of the reachable part 413170.17. Unreachable: high rightward speed at the far left and
//! leftward speed past the goal. Landing points keep 8e-6 of a cell away from every boundary, so that the table does not
//! depend on a machine's cosine. One restart point, -0.57, lies on a boundary and belongs to the cell on its right; no
//! cosine there. Without holding actions over several frames, numerical diffusion would leave only 12 states
//! unreachable.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MAX_STATES, Nested, World, WorldAbout, WorldKind, generated, names_if_few, require};
use crate::error::WorldError;
use crate::generator::{Generator, Outcomes};
use crate::math;
use crate::mdp::Mdp;
use crate::model::Model;
use crate::pulse::unless_stopped;
use crate::space::{ActionId, Space, StateId};

const LEFT_WALL: f64 = -1.2;
const RIGHT_END: f64 = 0.6;
const GOAL: f64 = 0.5;
const TOP_SPEED: f64 = 0.07;
const RESTARTS: usize = 10;
/// More cells than this have no table: it would take seconds and gigabytes.
const MAX_TABLE: usize = 1_000_000;
const ODD: &str = "an odd integer of at least 3";
const THOUSAND: &str = "an integer in 1..=1000";

/// Mountain Car on a lattice of cells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MountainCar {
    /// how many cells the position is cut into
    #[serde(rename = "nx")]
    #[schemars(extend("x-aliases" = ["positions"], "x-accepts" = "an integer of at least 2"))]
    pub positions: usize,
    // Odd, so that rest is a cell's centre.
    /// how many cells the velocity is cut into
    #[serde(rename = "nv")]
    #[schemars(extend("x-aliases" = ["velocities"], "x-accepts" = ODD))]
    pub velocities: usize,
    /// a cell stands for this many points, squared
    #[serde(rename = "points")]
    #[schemars(extend("x-aliases" = ["points_per_side"], "x-accepts" = THOUSAND))]
    pub points_per_side: usize,
    /// how many frames an action is held
    #[schemars(extend("x-accepts" = THOUSAND))]
    pub frames: usize,
}

impl Default for MountainCar {
    fn default() -> Self {
        Self { positions: 20, velocities: 21, points_per_side: 10, frames: 5 }
    }
}

impl MountainCar {
    /// The name in messages and on the command line.
    pub const NAME: &'static str = "mountain-car";

    /// Builds the world.
    ///
    /// # Errors
    /// When a size is out of its range or there would be more than 2^26 cells.
    pub fn build(&self) -> Result<Mdp, WorldError> {
        self.check()?;
        let states = self.positions * self.velocities;
        let restarts = self.restarts();
        let mut builder = Mdp::builder();
        for state in unless_stopped(0..states) {
            builder.state();
            for push in 0..3 {
                let points = unless_stopped(0..self.points());
                builder.joint_action(self.outcomes(state, push, points, &restarts));
            }
        }
        builder
            .start_law(restarts.iter().map(|&state| (state, 1.0 / RESTARTS as f64)))
            .state_names(names_if_few(states, |state| {
                let (x, v) = self.point(state, 0.5, 0.5);
                format!("x = {x:.4}, v = {v:.5}")
            }))
            .action_names(["push left", "coast", "push right"]);
        Ok(builder.build()?)
    }

    /// The fastest way to the right: full acceleration from rest at the left wall, frame by frame up to the
    /// goal. Up to the length of a frame, no drive is faster at the same position.
    pub fn bounding_curve() -> Vec<(f64, f64)> {
        let mut curve = vec![(LEFT_WALL, 0.0)];
        while let Some(&(x, v)) = curve.last().filter(|(x, _)| !Self::has_arrived(*x)) {
            curve.push(Self::frame(x, v, 2));
        }
        curve
    }

    /// The same world without a table: a cell's law is computed when it is asked for.
    ///
    /// # Errors
    /// When a size is out of its range; there may be up to 10^9 cells per side.
    pub fn generator(&self) -> Result<MountainCarRules, WorldError> {
        let most = 1_000_000_000;
        let at_least_two = "an integer in 2..=10^9";
        let accepted = (2..=most).contains(&self.positions);
        require(accepted, Self::NAME, "nx", self.positions, at_least_two)?;
        let few = self.velocities <= most;
        require(few, Self::NAME, "nv", self.velocities, "an odd integer in 3..=10^9")?;
        self.check_the_rest()?;
        let factors = [("position", self.positions as u64), ("velocity", self.velocities as u64)];
        let space = Space::product(factors, 3)
            .map_err(|error| WorldError::Space { world: Self::NAME, reason: error.to_string() })?;
        Ok(MountainCarRules { car: self.clone(), space, restarts: self.restarts() })
    }

    fn restarts(&self) -> Vec<usize> {
        (0..RESTARTS)
            .map(|k| self.cell(-0.6 + 0.2 * (k as f64 + 0.5) / RESTARTS as f64, 0.0))
            .collect()
    }

    fn check(&self) -> Result<(), WorldError> {
        let at_least_two = "an integer of at least 2 with positions * velocities at most 2^26";
        let states = self.positions.saturating_mul(self.velocities);
        let accepted = self.positions >= 2 && (states <= MAX_STATES || self.velocities < 3);
        require(accepted, Self::NAME, "nx", self.positions, at_least_two)?;
        self.check_the_rest()
    }

    fn check_the_rest(&self) -> Result<(), WorldError> {
        let odd = self.velocities >= 3 && self.velocities % 2 == 1;
        require(odd, Self::NAME, "nv", self.velocities, ODD)?;
        for (parameter, value) in [("points", self.points_per_side), ("frames", self.frames)] {
            let accepted = (1..=1000).contains(&value);
            require(accepted, Self::NAME, parameter, value, THOUSAND)?;
        }
        Ok(())
    }

    /// The number of midpoints of a cell.
    fn points(&self) -> usize {
        self.points_per_side * self.points_per_side
    }

    /// The joint law of next state and reward, counted over the midpoints of a cell.
    fn outcomes(
        &self,
        state: usize,
        push: usize,
        points: impl Iterator<Item = usize>,
        restarts: &[usize],
    ) -> Vec<(usize, f64, f64)> {
        let m = self.points_per_side;
        let midpoint = |k: usize| (k as f64 + 0.5) / m as f64;
        let (mut landings, mut arrived) = (Vec::with_capacity(m * m), 0);
        for k in points {
            let (x, v) = self.point(state, midpoint(k / m), midpoint(k % m));
            if x >= GOAL {
                arrived += 1;
            } else {
                let (x, v) = self.drive(x, v, push);
                landings.push(self.cell(x, v));
            }
        }
        // Count first and divide once: adding a hundred times 0.01 would round a hundred times.
        landings.sort_unstable();
        let share = |count: usize| count as f64 / (m * m) as f64;
        let mut outcomes: Vec<(usize, f64, f64)> = landings
            .chunk_by(|a, b| a == b)
            .map(|same| (same[0], share(same.len()), 0.0))
            .collect();
        let restart = share(arrived) / restarts.len() as f64;
        outcomes.extend(restarts.iter().map(|&next| (next, restart, 1.0)));
        outcomes
    }

    /// The point at the given fractions of a cell's width and height.
    fn point(&self, state: usize, across: f64, up: f64) -> (f64, f64) {
        let (i, j) = (state / self.velocities, state % self.velocities);
        let x = LEFT_WALL + (i as f64 + across) * self.cell_width();
        (x, -TOP_SPEED + (j as f64 + up) * self.cell_height())
    }

    fn cell_width(&self) -> f64 {
        (RIGHT_END - LEFT_WALL) / self.positions as f64
    }

    fn cell_height(&self) -> f64 {
        2.0 * TOP_SPEED / self.velocities as f64
    }

    /// The cell of a point.
    fn cell(&self, x: f64, v: f64) -> usize {
        // A float cast truncates and stops at 0; the right and upper ends belong to the last cell.
        let i = ((x - LEFT_WALL) / self.cell_width()) as usize;
        let j = ((v + TOP_SPEED) / self.cell_height()) as usize;
        i.min(self.positions - 1) * self.velocities + j.min(self.velocities - 1)
    }

    /// One frame of the true dynamics: position and velocity after pushing left, not at all or right (0, 1, 2).
    pub fn frame(x: f64, v: f64, push: usize) -> (f64, f64) {
        let v = v + 0.001 * (push as f64 - 1.0) - 0.0025 * math::cos(3.0 * x);
        let v = v.clamp(-TOP_SPEED, TOP_SPEED);
        let x = (x + v).clamp(LEFT_WALL, RIGHT_END);
        (x, if x <= LEFT_WALL && v < 0.0 { 0.0 } else { v })
    }

    /// Whether the car has arrived, and starts again in the valley.
    pub fn has_arrived(x: f64) -> bool {
        x >= GOAL
    }

    /// Holds one push for the frames of an action.
    fn drive(&self, mut x: f64, mut v: f64, push: usize) -> (f64, f64) {
        for _ in 0..self.frames {
            (x, v) = Self::frame(x, v, push);
            if Self::has_arrived(x) {
                break;
            }
        }
        (x, v)
    }
}

/// [`MountainCar`] as a generator.
#[derive(Debug, Clone)]
pub struct MountainCarRules {
    car: MountainCar,
    space: Space,
    restarts: Vec<usize>,
}

impl Generator for MountainCarRules {
    fn space(&self) -> &Space {
        &self.space
    }

    fn start(&self) -> Vec<(StateId, f64)> {
        let share = 1.0 / RESTARTS as f64;
        self.restarts.iter().map(|&state| (state as StateId, share)).collect()
    }

    fn outcomes(&self, state: StateId, action: ActionId, list: &mut Outcomes) {
        // Not interruptible: a run that is told to stop finishes its step.
        let (points, restarts) = (0..self.car.points(), &self.restarts);
        let outcomes = self.car.outcomes(state as usize, action as usize, points, restarts);
        for (next, probability, reward) in outcomes {
            list.push(next as StateId, probability, reward);
        }
    }

    fn rule_of_thumb(&self, state: StateId) -> Option<ActionId> {
        let (_, v) = self.car.point(state as usize, 0.5, 0.5);
        Some(if v < 0.0 { 0 } else { 2 })
    }

    fn rule_in_words(&self) -> &'static str {
        "push in the direction of the movement"
    }

    fn action_names(&self) -> &[&'static str] {
        &["push left", "coast", "push right"]
    }
}

impl World for MountainCar {
    fn model(&self, _: &Nested<'_>) -> Result<Model, WorldError> {
        match self.positions.saturating_mul(self.velocities) > MAX_TABLE {
            true => Ok(generated(self.generator()?)),
            false => Ok(self.build()?.into()),
        }
    }
}

pub(super) fn kind() -> WorldKind {
    WorldKind::new::<MountainCar>(WorldAbout {
        name: MountainCar::NAME,
        summary: "Mountain Car in cells; physics rules some out",
        states: 420,
        actions: 3,
        facts: &[
            "By default: 371 of 420 states are reachable, weakly communicating,",
            "gain 0.0436560076, span 1.00613929, at most 8 next states,",
            "diameter of the reachable part 413170.17.",
            "With more than 10^6 cells there is no table; cells are computed when met.",
        ],
        example: "mountain-car:nx=30,nv=31",
    })
}

#[cfg(test)]
mod tests {
    use super::super::probe::{assert_near, gain_and_span, reachable, reachable_support, row};
    use super::*;

    #[test]
    fn exactly_the_listed_cells_are_out_of_reach() {
        let mdp = MountainCar::default().build().unwrap();
        let listed = [
            (0, 15..21),
            (1, 17..21),
            (2, 18..21),
            (3, 20..21),
            (4, 20..21),
            (13, 0..1),
            (14, 0..1),
            (15, 0..3),
            (15, 20..21),
            (16, 0..4),
            (17, 0..5),
            (18, 0..7),
            (19, 0..12),
        ];
        let listed: Vec<usize> =
            listed.into_iter().flat_map(|(i, js)| js.map(move |j| i * 21 + j)).collect();
        let seen = reachable(&mdp);
        let unseen: Vec<usize> = (0..420).filter(|state| !seen.contains(state)).collect();
        assert_eq!((mdp.states(), mdp.pairs(), seen.len()), (420, 1260, 371));
        assert_eq!(unseen, listed);
        assert_eq!(reachable_support(&mdp), 8);
    }

    #[test]
    fn gain_and_span_are_those_documented() {
        let (gain, span) = gain_and_span(&MountainCar::default().build().unwrap());
        assert_near(gain, 0.0436560076, 1e-10);
        assert_near(span, 1.00613929, 1e-8);
    }

    #[test]
    fn only_midpoints_past_the_goal_are_paid() {
        let mdp = MountainCar::default().build().unwrap();
        // Cell 18 spans [0.42, 0.51]: its last midpoint in ten, 0.5055, lies past the goal.
        assert_near(mdp.mean_reward(mdp.pair(18 * 21 + 10, 1)), 0.1, 1e-15);
        assert_eq!(mdp.mean_reward(mdp.pair(17 * 21 + 10, 1)), 0.0);
        let restart = row(&mdp, 19 * 21 + 20, 0);
        assert_eq!(restart, mdp.start().collect::<Vec<_>>());
        // Of -0.59, -0.57, … -0.41 the second lies on the boundary between cells 6 and 7.
        assert_eq!(restart, [(6 * 21 + 10, 0.1), (7 * 21 + 10, 0.5), (8 * 21 + 10, 0.4)]);
        assert_eq!(mdp.mean_reward(mdp.pair(19 * 21 + 20, 0)), 1.0);
        assert_eq!(mdp.state_names()[10], "x = -1.1550, v = 0.00000");
    }

    #[test]
    fn one_frame_is_one_step_of_the_dynamics() {
        let car = MountainCar { frames: 1, ..Default::default() };
        let (x, v) = car.drive(-0.5, 0.0, 2);
        assert_near(v, 0.001 - 0.0025 * 1.5f64.cos(), 1e-18);
        assert_eq!(x, -0.5 + v);
        assert_eq!(car.drive(-1.19, -0.05, 0), (-1.2, 0.0), "the wall stops the car");
    }

    #[test]
    fn the_bounding_curve_ends_at_the_goal_and_peaks_at_a_velocity_of_0_0624() {
        let curve = MountainCar::bounding_curve();
        let peak = curve.iter().map(|point| point.1).fold(0.0, f64::max);
        assert_near(peak, 0.0624, 5e-5);
        assert!(curve.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(curve.last().unwrap().0 >= GOAL);
    }

    #[test]
    fn without_a_table_it_is_the_same_world() {
        use crate::explore::explore;
        let car = MountainCar::default();
        let (mdp, world) = (car.build().unwrap(), car.generator().unwrap());
        let found = explore(&world, 1000, &|_| true).unwrap();
        assert_eq!(found.states, reachable(&mdp).iter().map(|&s| s as u64).collect::<Vec<_>>());
        let table = found.table(&world, &|_, _| true).unwrap();
        for (number, &state) in found.states.iter().enumerate() {
            for push in 0..3 {
                let (own, whole) = (table.pair(number, push), mdp.pair(state as usize, push));
                assert_eq!(table.row(own).probability, mdp.row(whole).probability);
                assert_eq!(table.mean_reward(own), mdp.mean_reward(whole));
            }
        }
        let vast = MountainCar { positions: 10_000, velocities: 10_001, ..car };
        assert_eq!(vast.generator().unwrap().space().states(), 100_010_000);
        let larger = MountainCar { positions: 1 << 40, ..MountainCar::default() };
        assert!(larger.generator().is_err());
    }

    #[test]
    fn sizes_out_of_range_are_refused() {
        let refusal = |change: fn(&mut MountainCar)| {
            let mut car = MountainCar::default();
            change(&mut car);
            car.build().unwrap_err().to_string()
        };
        assert_eq!(
            refusal(|car| car.velocities = 20),
            "mountain-car: nv = 20 is out of range: an odd integer of at least 3"
        );
        assert_eq!(
            refusal(|car| car.velocities = 0),
            "mountain-car: nv = 0 is out of range: an odd integer of at least 3"
        );
        let cap = "an integer of at least 2 with positions * velocities at most 2^26";
        assert_eq!(
            refusal(|car| car.positions = 1),
            format!("mountain-car: nx = 1 is out of range: {cap}")
        );
        assert_eq!(
            refusal(|car| car.positions = 1 << 40),
            format!("mountain-car: nx = 1099511627776 is out of range: {cap}")
        );
        assert_eq!(
            refusal(|car| car.points_per_side = 0),
            "mountain-car: points = 0 is out of range: an integer in 1..=1000"
        );
        assert_eq!(
            refusal(|car| car.frames = 1001),
            "mountain-car: frames = 1001 is out of range: an integer in 1..=1000"
        );
    }
}

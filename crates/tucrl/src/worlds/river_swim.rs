//! RiverSwim: a row of cells with a small reward downstream and a large one upstream.
//!
//! Strehl and Littman 2008; the version of Osband et al. 2013. `length` cells in a row. Swimming left always moves one
//! cell left; in the first cell it stays and earns 0.005. Swimming right: from the first cell 0.6 advance, 0.4 stay; in
//! the middle 0.35 advance, 0.6 stay, 0.05 back; in the last cell 0.6 stay, 0.4 back, and it earns 1.
//!
//! Facts, derived here: always swimming right is a birth-and-death chain; by detailed balance the stationary weights are
//! 1, 12, 12·7, …, 12·7^(n−3), 12·7^(n−3)·7/8 for n = `length` >= 3 cells (and 1, 3/2 for two), and g* is the share of
//! the last one: 0.42862243 for six cells. The expected times t_i from cell i to the next are t_0 = 5/3,
//! t_i = (1 + 0.05 t_(i−1))/0.35; their sum is the diameter, 14.7223 for six cells. Every state is reachable; the largest
//! support is 3.
//!
//! With `ergodic`, swimming left slips as in ErgodicRiverSwim of the package statisticalrl-environments (Maillard et al.): it
//! moves right with 0.0005 and stays with 0.0005 (in the first cell it stays with 0.9995; in the last one the two are
//! one), so that every policy visits every cell, as theories of ergodic MDPs assume. That package has other
//! probabilities of swimming right (0.6 advance, 0.35 stay, 0.05 back) and pays 0.1 downstream; here these stay as they are.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MAX_STATES, Nested, World, WorldAbout, WorldKind, names_if_few, require};
use crate::error::WorldError;
use crate::mdp::Mdp;
use crate::model::Model;
use crate::pulse::unless_stopped;

const LENGTH: &str = "an integer between 2 and 2^26";

/// A row of cells with the reward upstream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RiverSwim {
    /// how many cells
    #[serde(rename = "n")]
    #[schemars(extend("x-aliases" = ["length"], "x-accepts" = LENGTH))]
    pub length: usize,
    /// whether swimming left slips, so that every policy visits every cell
    pub ergodic: bool,
}

impl Default for RiverSwim {
    fn default() -> Self {
        Self::of_length(6)
    }
}

/// How often swimming left does not move left, if it slips.
const SLIP: f64 = 0.001;

impl RiverSwim {
    /// The name in messages and on the command line.
    pub const NAME: &'static str = "river-swim";

    /// The version of 2013 with a number of cells.
    pub fn of_length(length: usize) -> Self {
        Self { length, ergodic: false }
    }

    /// Builds the world.
    ///
    /// # Errors
    /// When `length` is not in `2..=2^26`.
    pub fn build(&self) -> Result<Mdp, WorldError> {
        let length = self.length;
        let accepted = (2..=MAX_STATES).contains(&length);
        require(accepted, Self::NAME, "n", length, LENGTH)?;
        let last = length - 1;
        let mut builder = Mdp::builder();
        for cell in unless_stopped(0..length) {
            let downstream = cell.saturating_sub(1);
            let upstream = (cell + 1).min(last);
            let slip = if self.ergodic { SLIP / 2.0 } else { 0.0 };
            let left = [(downstream, 1.0 - 2.0 * slip), (cell, slip), (upstream, slip)];
            let left = left.into_iter().filter(|outcome| outcome.1 > 0.0);
            builder.state().action(if cell == 0 { 0.005 } else { 0.0 }, left);
            if cell == 0 {
                builder.action(0.0, [(0, 0.4), (1, 0.6)]);
            } else if cell == last {
                builder.action(1.0, [(downstream, 0.4), (cell, 0.6)]);
            } else {
                builder.action(0.0, [(downstream, 0.05), (cell, 0.6), (cell + 1, 0.35)]);
            }
        }
        builder
            .start_at(0)
            .state_names(names_if_few(length, |cell| format!("cell {cell}")))
            .action_names(["swim left", "swim right"]);
        Ok(builder.build()?)
    }
}

impl World for RiverSwim {
    fn model(&self, _: &Nested<'_>) -> Result<Model, WorldError> {
        Ok(self.build()?.into())
    }
}

pub(super) fn kind() -> WorldKind {
    WorldKind::new::<RiverSwim>(WorldAbout {
        name: RiverSwim::NAME,
        summary: "swim against the stream for the large reward",
        states: 6,
        actions: 2,
        facts: &[
            "Communicating; every state is reachable, at most 3 next states.",
            "n = 6: gain 0.42862243 (always swim right), D = 14.7223.",
            "ergodic=true: every policy visits every state;",
            "swimming left slips with 0.001, as in statisticalrl-environments.",
        ],
        example: "river-swim:n=12",
    })
}

#[cfg(test)]
mod tests {
    use super::super::probe::{
        assert_near, diameter, gain_and_span, reachable, reachable_support, row,
    };
    use super::*;

    #[test]
    fn rows_are_those_of_the_figure() {
        let mdp = RiverSwim::default().build().unwrap();
        assert_eq!((mdp.states(), mdp.pairs()), (6, 12));
        assert_eq!(row(&mdp, 0, 0), [(0, 1.0)]);
        assert_eq!(row(&mdp, 0, 1), [(0, 0.4), (1, 0.6)]);
        assert_eq!(row(&mdp, 3, 0), [(2, 1.0)]);
        assert_eq!(row(&mdp, 3, 1), [(2, 0.05), (3, 0.6), (4, 0.35)]);
        assert_eq!(row(&mdp, 5, 1), [(4, 0.4), (5, 0.6)]);
        let paid: Vec<f64> = (0..12).map(|pair| mdp.mean_reward(pair)).collect();
        assert_eq!(paid, [0.005, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        assert_eq!((reachable(&mdp).len(), reachable_support(&mdp)), (6, 3));
    }

    #[test]
    fn the_gain_is_the_share_of_the_last_cell() {
        for length in [2, 3, 6, 12] {
            let mut weights = vec![1.0];
            for cell in 1..length {
                let advance = if cell == 1 { 0.6 } else { 0.35 };
                let back = if cell == length - 1 { 0.4 } else { 0.05 };
                weights.push(weights[cell - 1] * advance / back);
            }
            let share = weights[length - 1] / weights.iter().sum::<f64>();
            let (gain, _) = gain_and_span(&RiverSwim::of_length(length).build().unwrap());
            assert_near(gain, share, 1e-10);
        }
        assert_near(3601.5 / 8402.5, 0.42862243, 1e-8);
    }

    #[test]
    fn the_diameter_is_the_time_to_swim_up() {
        let mut times = vec![5.0 / 3.0];
        for cell in 1..5 {
            times.push((1.0 + 0.05 * times[cell - 1]) / 0.35);
        }
        let up: f64 = times.iter().sum();
        assert_near(diameter(&RiverSwim::default().build().unwrap()), up, 1e-9);
        assert_near(up, 14.7223, 1e-4);
    }

    /// The rows of ErgodicRiverSwim with its parameter 0.001, as its source defines them.
    #[test]
    fn swimming_left_slips_as_published_and_every_policy_visits_every_cell() {
        for length in [2, 3, 6] {
            let mdp = RiverSwim { length, ergodic: true }.build().unwrap();
            let plain = RiverSwim::of_length(length).build().unwrap();
            let last = length - 1;
            for cell in 0..length {
                let mut published = vec![0.0; length];
                if cell > 0 {
                    published[cell - 1] = 1.0 - 0.001;
                }
                if cell < last {
                    published[cell + 1] = 0.001 / 2.0;
                }
                published[cell] = 1.0 - published.iter().sum::<f64>();
                let found = row(&mdp, cell, 0);
                assert_eq!(found.len(), published.iter().filter(|p| **p > 0.0).count());
                for (next, probability) in found {
                    assert_near(probability, published[next], 1e-15);
                }
                assert_eq!(row(&mdp, cell, 1), row(&plain, cell, 1));
                for pair in mdp.pairs_of(cell) {
                    assert_eq!(mdp.mean_reward(pair), plain.mean_reward(pair));
                }
            }
            // Every policy: both actions of a cell can move both ways, so that no policy stops.
            for cell in 0..length {
                for action in 0..2 {
                    let next: Vec<usize> = row(&mdp, cell, action).iter().map(|e| e.0).collect();
                    assert!(cell == 0 || next.contains(&(cell - 1)));
                    assert!(cell == last || next.contains(&(cell + 1)));
                }
            }
        }
    }

    #[test]
    fn lengths_out_of_range_are_refused() {
        for length in [0, 1, MAX_STATES + 1, usize::MAX] {
            assert_eq!(
                RiverSwim::of_length(length).build().unwrap_err().to_string(),
                format!("river-swim: n = {length} is out of range: an integer between 2 and 2^26")
            );
        }
    }
}

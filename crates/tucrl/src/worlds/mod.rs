//! Which worlds come with the library?
//!
//! First the paper's: [`ThreeState`], [`Taxi`], [`TwoState`], [`Theta`], and the two phase-space
//! pictures made concrete, [`MountainCar`] and [`Breakout`]. Then classics of exploration:
//! [`RiverSwim`], [`SixArms`], [`Chain`], [`DeepSea`], [`FourRooms`], [`FrozenLake`],
//! [`CliffWalking`], and random worlds, [`Garnet`]. Each is a plain struct: fill in the fields,
//! or take the defaults, and call `build`.
//!
//! Some worlds have no table, because their nominal spaces are too large for one: they are
//! [generators](crate::generator). [`Junk`] multiplies any world by states that cannot be reached.
//!
//! Episodic games are made continuing in one way everywhere: where the game would end, the next
//! state *is* the start, so that no state stands for "game over". Rewards are shifted and scaled
//! into `[0, 1]`.
//!
//! Reads `mdp`, `reward`, `rng`, `error`; feeds the command line and the experiments.
//! Departures from the sources are listed at the top of each file.
//!
//! ```
//! use tucrl::worlds::{Taxi, TaxiMap};
//! let mdp = Taxi { map: TaxiMap::V3, ..Taxi::default() }.build()?;
//! assert_eq!((mdp.states(), mdp.max_actions()), (500, 6));
//! # Ok::<(), tucrl::error::WorldError>(())
//! ```

mod breakout;
mod breakout_game;
mod chain;
mod cliff_walking;
mod deep_sea;
mod four_rooms;
mod frozen_lake;
mod garnet;
mod grid;
mod junk;
mod mountain_car;
#[cfg(test)]
mod probe;
mod river_swim;
mod six_arms;
mod taxi;
mod theta;
mod three_state;
mod two_state;

pub use breakout::Breakout;
pub use breakout_game::{BreakoutGame, BreakoutRules};
pub use chain::Chain;
pub use cliff_walking::CliffWalking;
pub use deep_sea::DeepSea;
pub use four_rooms::FourRooms;
pub use frozen_lake::{FrozenLake, FrozenLakeMap};
pub use garnet::Garnet;
pub use junk::{Junk, JunkKind};
pub use mountain_car::MountainCar;
pub use river_swim::RiverSwim;
pub use six_arms::SixArms;
pub use taxi::{Taxi, TaxiJunk, TaxiMap};
pub use theta::Theta;
pub use three_state::{ThreeState, ThreeStateRewards};
pub use two_state::TwoState;

use crate::error::WorldError;

/// The largest number of states that a world builds, 2^26: beyond it an explicit table would
/// fill the memory of an ordinary machine.
pub const MAX_STATES: usize = 1 << 26;

/// The largest number of states that still get names: more would cost more than the table.
const MAX_NAMED_STATES: usize = 100_000;

/// What a probability parameter accepts.
const PROBABILITY: &str = "a number in [0, 1]";

/// Refuses a parameter of a world unless it `holds`.
fn require(
    holds: bool,
    world: &'static str,
    parameter: &'static str,
    value: impl std::fmt::Display,
    expected: &'static str,
) -> Result<(), WorldError> {
    if holds {
        return Ok(());
    }
    Err(WorldError::Parameter { world, parameter, value: value.to_string(), expected })
}

/// Refuses a probability outside `[0, 1]`; NaN lies outside.
fn require_probability(
    world: &'static str,
    parameter: &'static str,
    value: f64,
) -> Result<(), WorldError> {
    require((0.0..=1.0).contains(&value), world, parameter, value, PROBABILITY)
}

/// One name per state, or none when there are too many.
fn names_if_few(states: usize, name: impl Fn(usize) -> String) -> Vec<String> {
    if states > MAX_NAMED_STATES { Vec::new() } else { (0..states).map(name).collect() }
}

//! SixArms: a hub and six arms; the rarer an arm opens, the more it pays.
//!
//! Strehl and Littman 2008. From the hub, action i opens arm i + 1 with probability 1, 0.15, 0.1, 0.05, 0.03, 0.01 for
//! i = 0 … 5 and otherwise stays. In arm i + 1 action i stays and earns 50, 133, 300, 800, 1660, 6000; any other action
//! returns to the hub and earns nothing. Rewards are divided by 6000.
//!
//! Facts, derived here: g* = 1 (stay in the last arm). Reaching that arm takes 100 steps on average from the hub and 101
//! from another arm, so D = 101; h* is 0, −100 and −101 there, so the span is 101 too. Every state is reachable; the
//! largest support is 2.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Nested, World, WorldAbout, WorldKind};
use crate::error::WorldError;
use crate::mdp::Mdp;
use crate::model::Model;

/// For each arm, the probability that its action opens it from the hub, and what it pays.
const ARMS: [(f64, f64); 6] =
    [(1.0, 50.0), (0.15, 133.0), (0.1, 300.0), (0.05, 800.0), (0.03, 1660.0), (0.01, 6000.0)];

/// A hub and six arms; the rarer an arm opens, the more it pays.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SixArms;

impl SixArms {
    /// The name in messages and on the command line.
    pub const NAME: &'static str = "six-arms";

    /// Builds the world.
    ///
    /// # Errors
    /// Never; the type is that of the other worlds.
    pub fn build(&self) -> Result<Mdp, WorldError> {
        let hub = 0;
        let mut builder = Mdp::builder();
        builder.state();
        for (action, (opens, _)) in ARMS.into_iter().enumerate() {
            builder.action(0.0, [(hub, 1.0 - opens), (action + 1, opens)]);
        }
        for (arm, (_, pay)) in ARMS.into_iter().enumerate() {
            builder.state();
            for action in 0..ARMS.len() {
                if action == arm {
                    builder.action(pay / 6000.0, [(arm + 1, 1.0)]);
                } else {
                    builder.action(0.0, [(hub, 1.0)]);
                }
            }
        }
        builder
            .start_at(hub)
            .state_names(["hub", "arm 1", "arm 2", "arm 3", "arm 4", "arm 5", "arm 6"])
            .action_names(["pull 1", "pull 2", "pull 3", "pull 4", "pull 5", "pull 6"]);
        Ok(builder.build()?)
    }
}

/// No options: as an options type, a unit struct is read from null, not from an empty map.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
struct NoOptions {}

impl World for NoOptions {
    fn model(&self, _: &Nested<'_>) -> Result<Model, WorldError> {
        Ok(SixArms.build()?.into())
    }
}

pub(super) fn kind() -> WorldKind {
    WorldKind::new::<NoOptions>(WorldAbout {
        name: SixArms::NAME,
        summary: "the rarer an arm opens, the more it pays",
        states: 7,
        actions: 6,
        facts: &["Communicating; the gain is 1 (stay in the last arm), D and the span are 101."],
        example: "six-arms",
    })
}

#[cfg(test)]
mod tests {
    use super::super::probe::{
        assert_near, diameter, gain_and_span, reachable, reachable_support, row,
    };
    use super::*;

    #[test]
    fn rows_and_rewards_are_those_of_the_figure() {
        let mdp = SixArms.build().unwrap();
        assert_eq!((mdp.states(), mdp.pairs()), (7, 42));
        assert_eq!(row(&mdp, 0, 0), [(1, 1.0)]);
        assert_eq!(row(&mdp, 0, 1), [(0, 0.85), (2, 0.15)]);
        assert_eq!(row(&mdp, 0, 5), [(0, 0.99), (6, 0.01)]);
        assert_eq!(row(&mdp, 3, 2), [(3, 1.0)]);
        assert_eq!(row(&mdp, 3, 5), [(0, 1.0)]);
        assert_eq!(mdp.mean_reward(mdp.pair(3, 2)), 0.05);
        assert_eq!(mdp.mean_reward(mdp.pair(3, 5)), 0.0);
        assert_eq!((reachable(&mdp).len(), reachable_support(&mdp)), (7, 2));
    }

    #[test]
    fn the_last_arm_is_worth_its_hundred_tries() {
        let mdp = SixArms.build().unwrap();
        assert_near(diameter(&mdp), 101.0, 1e-8);
        let (gain, span) = gain_and_span(&mdp);
        assert_near(gain, 1.0, 1e-10);
        assert_near(span, 101.0, 1e-6);
    }
}

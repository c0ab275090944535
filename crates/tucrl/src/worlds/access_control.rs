//! Access control: which customers get a server?
//!
//! Sutton and Barto, Example 10.2, as in the code of Wan, Naik, Sutton 2021 (average-reward-methods). A customer of priority
//! 1, 2, 4 or 8, each equally likely, asks for one of `servers` servers. First every busy server becomes free with
//! probability `free`; then the customer is accepted, which pays its priority and takes a server, or rejected. Accepting
//! with no server free pays nothing. The state is 4 times the number of free servers plus the place of the priority; the start
//! has all servers free. Rewards are divided by 8.
//!
//! Facts: every state is reachable. With ten servers and 0.06, g* = 0.34290227 by value iteration, 2.7432182 before the
//! division by 8.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Nested, PROBABILITY, World, WorldAbout, WorldKind, names_if_few, require, require_probability,
};
use crate::error::WorldError;
use crate::math;
use crate::mdp::Mdp;
use crate::model::Model;
use crate::reward::RewardLaw;

const SERVERS: &str = "an integer between 1 and 1000";
const PRIORITIES: [f64; 4] = [1.0, 2.0, 4.0, 8.0];

/// Customers of four priorities ask for servers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AccessControl {
    /// how many servers
    #[schemars(extend("x-accepts" = SERVERS))]
    pub servers: usize,
    /// the probability that a busy server becomes free in a step
    #[schemars(extend("x-accepts" = PROBABILITY))]
    pub free: f64,
}

impl Default for AccessControl {
    fn default() -> Self {
        Self { servers: 10, free: 0.06 }
    }
}

/// The probabilities of 0, 1, …, n successes in n trials.
fn binomial(n: usize, p: f64) -> Vec<f64> {
    let mut law = vec![0.0; n + 1];
    let mut choose = 1.0;
    for (k, entry) in law.iter_mut().enumerate() {
        *entry = choose * math::powi(p, k as i32) * math::powi(1.0 - p, (n - k) as i32);
        choose *= (n - k) as f64 / (k + 1) as f64;
    }
    law
}

impl AccessControl {
    /// The name in messages and on the command line.
    pub const NAME: &'static str = "access-control";

    /// Builds the world.
    ///
    /// # Errors
    /// When `servers` is not in `1..=1000` or `free` not in `[0, 1]`.
    pub fn build(&self) -> Result<Mdp, WorldError> {
        let servers = self.servers;
        require((1..=1000).contains(&servers), Self::NAME, "servers", servers, SERVERS)?;
        require_probability(Self::NAME, "free", self.free)?;
        let mut builder = Mdp::builder();
        for state in 0..4 * (servers + 1) {
            let (free, paid) = (state / 4, PRIORITIES[state % 4] / 8.0);
            builder.state();
            for accepts in [false, true] {
                let mut outcomes = Vec::new();
                for (freed, probability) in
                    binomial(servers - free, self.free).into_iter().enumerate()
                {
                    let left = free + freed;
                    let is_served = accepts && left > 0;
                    let reward = RewardLaw::Constant(if is_served { paid } else { 0.0 });
                    let next = 4 * (left - usize::from(is_served));
                    let each = probability / 4.0;
                    if each > 0.0 {
                        outcomes.extend((0..4).map(|place| (next + place, each, reward.clone())));
                    }
                }
                builder.joint_action(outcomes);
            }
        }
        let name = |state: usize| format!("{} free, priority {}", state / 4, 1 << (state % 4));
        builder
            .start_law((0..4).map(|place| (4 * servers + place, 0.25)))
            .state_names(names_if_few(4 * (servers + 1), name))
            .action_names(["reject", "accept"]);
        Ok(builder.build()?)
    }
}

impl World for AccessControl {
    fn model(&self, _: &Nested<'_>) -> Result<Model, WorldError> {
        Ok(self.build()?.into())
    }
}

pub(super) fn kind() -> WorldKind {
    WorldKind::new::<AccessControl>(WorldAbout {
        name: AccessControl::NAME,
        summary: "which customers get a server",
        states: 44,
        actions: 2,
        facts: &[
            "Source: Sutton and Barto, Example 10.2, as in Wan, Naik, Sutton 2021.",
            "Every state is reachable.",
            "servers = 10, free = 0.06: gain 0.34290227, in units of the highest priority.",
        ],
        example: "access-control:servers=4",
    })
}

#[cfg(test)]
mod tests {
    use super::super::probe::{assert_near, gain_and_span, reachable, row};
    use super::*;

    /// The step of the source, with its busy servers freed one after the other, all outcomes listed.
    fn published(servers: usize, p: f64, state: usize, accepts: bool) -> (Vec<f64>, f64) {
        let (free, priority) = (state / 4, [1.0, 2.0, 4.0, 8.0][state % 4]);
        // free servers -> probability, after some of the busy ones have been asked.
        let mut law = vec![0.0; servers + 1];
        law[free] = 1.0;
        for _ in 0..servers - free {
            let mut after = vec![0.0; servers + 1];
            for (count, mass) in law.iter().enumerate() {
                after[count] += mass * (1.0 - p);
                after[(count + 1).min(servers)] += mass * p;
            }
            law = after;
        }
        let (mut next, mut mean) = (vec![0.0; 4 * (servers + 1)], 0.0);
        for (count, mass) in law.into_iter().enumerate() {
            let is_served = accepts && count > 0;
            mean += if is_served { mass * priority / 8.0 } else { 0.0 };
            let left = if is_served { count - 1 } else { count };
            (0..4).for_each(|place| next[4 * left + place] += mass / 4.0);
        }
        (next, mean)
    }

    #[test]
    fn rows_and_rewards_are_the_published_ones() {
        for (servers, free) in [(10, 0.06), (3, 0.5), (2, 1.0), (1, 0.0)] {
            let mdp = AccessControl { servers, free }.build().unwrap();
            assert_eq!((mdp.states(), mdp.max_actions()), (4 * (servers + 1), 2));
            for state in 0..mdp.states() {
                for action in 0..2 {
                    let (next, mean) = published(servers, free, state, action == 1);
                    let mut found = vec![0.0; mdp.states()];
                    row(&mdp, state, action).iter().for_each(|(next, p)| found[*next] = *p);
                    for (found, expected) in found.iter().zip(&next) {
                        assert_near(*found, *expected, 1e-14);
                    }
                    assert_near(mdp.mean_reward(mdp.pair(state, action)), mean, 1e-14);
                }
            }
        }
    }

    #[test]
    fn every_state_is_reachable_and_the_gain_is_the_documented_one() {
        let mdp = AccessControl::default().build().unwrap();
        assert_eq!(reachable(&mdp).len(), 44);
        assert_near(gain_and_span(&mdp).0, 0.34290227, 1e-8);
    }

    #[test]
    fn values_out_of_range_are_refused() {
        let refusal = |world: AccessControl| world.build().unwrap_err().to_string();
        assert_eq!(
            refusal(AccessControl { servers: 0, ..AccessControl::default() }),
            "access-control: servers = 0 is out of range: an integer between 1 and 1000"
        );
        assert_eq!(
            refusal(AccessControl { free: 2.0, ..AccessControl::default() }),
            "access-control: free = 2 is out of range: a number in [0, 1]"
        );
    }
}

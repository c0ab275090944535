//! Queues in a row with one clerk, in a shop that never fills them all.
//!
//! An example of ours. `queues` queues in a row, each with room for `capacity` customers, in a shop that lets at most
//! `pool` customers in. Each step brings one event: with probability `arrival` a customer comes to the first queue,
//! unless the shop or the queue is full; with probability `service` the one clerk finishes a customer of the queue that
//! the action names, who goes on to the next queue if there is room, or leaves from the last; else nothing happens. A
//! step pays 1 − (customers before it) / pool.
//!
//! The nominal space has (capacity + 1)^queues states; reachable are those with at most `pool` customers in all: every
//! such state is, by letting customers in and serving them to where they should be. All of them communicate if arrivals
//! and services happen.
//!
//! The rule of thumb is to serve the last queue that is not empty.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Nested, PROBABILITY, World, WorldAbout, WorldKind, generated, require, require_probability,
};
use crate::error::WorldError;
use crate::generator::{Generator, Outcomes};
use crate::model::Model;
use crate::space::{ActionId, Space, StateId};

const QUEUES: &str = "1 to 60";
const MILLION: &str = "an integer in 1..=1000000";
const SERVICE: &str = "a number in [0, 1], with arrival at most 1 in all";

/// Queues in a row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Queues {
    /// how many queues
    #[schemars(extend("x-accepts" = QUEUES))]
    pub queues: u64,
    /// customers each has room for
    #[schemars(extend("x-accepts" = MILLION))]
    pub capacity: u64,
    /// customers the shop has room for
    #[schemars(extend("x-accepts" = MILLION))]
    pub pool: u64,
    /// the probability that a customer comes
    #[schemars(extend("x-accepts" = PROBABILITY))]
    pub arrival: f64,
    /// the probability that the clerk finishes one
    #[schemars(extend("x-accepts" = SERVICE))]
    pub service: f64,
}

impl Default for Queues {
    fn default() -> Self {
        Self { queues: 4, capacity: 9, pool: 9, arrival: 0.1, service: 0.6 }
    }
}

/// [`Queues`] as a generator.
#[derive(Debug, Clone)]
pub struct QueueRules {
    shop: Queues,
    space: Space,
}

impl Queues {
    /// The name in messages and on the command line.
    pub const NAME: &'static str = "queues";

    /// Builds the world.
    ///
    /// # Errors
    /// When a size is out of its range, the probabilities exceed 1, or there are more than 2^63 states.
    pub fn generator(&self) -> Result<QueueRules, WorldError> {
        require((1..=60).contains(&self.queues), Self::NAME, "queues", self.queues, QUEUES)?;
        let is_size = |size| (1..=1_000_000).contains(&size);
        require(is_size(self.capacity), Self::NAME, "capacity", self.capacity, MILLION)?;
        require(is_size(self.pool), Self::NAME, "pool", self.pool, MILLION)?;
        require_probability(Self::NAME, "arrival", self.arrival)?;
        let fits = (0.0..=1.0 - self.arrival).contains(&self.service);
        require(fits, Self::NAME, "service", self.service, SERVICE)?;
        let factors = (1..=self.queues).map(|queue| (format!("queue {queue}"), self.capacity + 1));
        let space = Space::product(factors, self.queues as u32)
            .map_err(|error| WorldError::Space { world: Self::NAME, reason: error.to_string() })?;
        Ok(QueueRules { shop: self.clone(), space })
    }
}

impl QueueRules {
    /// The weight of a queue in the number of a state; the last one weighs 1.
    fn weight(&self, queue: u64) -> u64 {
        (self.shop.capacity + 1).pow((self.shop.queues - 1 - queue) as u32)
    }

    fn length(&self, state: StateId, queue: u64) -> u64 {
        state / self.weight(queue) % (self.shop.capacity + 1)
    }

    fn customers(&self, state: StateId) -> u64 {
        (0..self.shop.queues).map(|queue| self.length(state, queue)).sum()
    }
}

impl Generator for QueueRules {
    fn space(&self) -> &Space {
        &self.space
    }

    fn start(&self) -> Vec<(StateId, f64)> {
        vec![(0, 1.0)]
    }

    fn outcomes(&self, state: StateId, action: ActionId, list: &mut Outcomes) {
        let Queues { queues, capacity, pool, arrival, service, .. } = self.shop;
        let (queue, customers) = (u64::from(action), self.customers(state));
        let reward = 1.0 - customers.min(pool) as f64 / pool as f64;
        let has_room = customers < pool && self.length(state, 0) < capacity;
        let arrived = if has_room { state + self.weight(0) } else { state };
        let is_last = queue + 1 == queues;
        let can_go =
            self.length(state, queue) > 0 && (is_last || self.length(state, queue + 1) < capacity);
        let served = match (can_go, is_last) {
            (false, _) => state,
            (true, true) => state - 1,
            (true, false) => state - self.weight(queue) + self.weight(queue + 1),
        };
        list.push(arrived, arrival, reward);
        list.push(served, service, reward);
        list.push(state, 1.0 - arrival - service, reward);
    }

    fn rule_of_thumb(&self, state: StateId) -> Option<ActionId> {
        let last = (0..self.shop.queues).rfind(|&queue| self.length(state, queue) > 0);
        Some(last.unwrap_or(0) as ActionId)
    }

    fn rule_in_words(&self) -> &'static str {
        "serve the last queue that is not empty"
    }
}

impl World for Queues {
    fn model(&self, _: &Nested<'_>) -> Result<Model, WorldError> {
        Ok(generated(self.generator()?))
    }
}

pub(super) fn kind() -> WorldKind {
    WorldKind::new::<Queues>(WorldAbout {
        name: Queues::NAME,
        summary: "queues in a row and one clerk; some never fill",
        states: 10_000,
        actions: 4,
        facts: &[
            "A step pays 1 - customers/pool. There are (capacity + 1)^queues states;",
            "reachable are those with at most pool customers, and they communicate.",
            "Rule of thumb: serve the last queue that is not empty.",
            "By default 715 of 10000 states are reachable; gain 0.8402755886.",
            "queues=9,capacity=99,pool=6: 5005 of 10^18 states are reachable.",
        ],
        example: "queues:queues=3,capacity=4",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::explore;
    use crate::solve::solve;

    /// The number of vectors with `queues` entries up to `capacity` and a sum of at most `pool`.
    fn fillings(queues: u64, capacity: u64, pool: u64) -> u64 {
        match queues {
            0 => 1,
            _ => (0..=capacity.min(pool)).map(|n| fillings(queues - 1, capacity, pool - n)).sum(),
        }
    }

    #[test]
    fn exactly_the_states_within_the_pool_are_reachable() {
        for (queues, capacity, pool) in [(1, 5, 3), (3, 2, 4), (4, 9, 9), (6, 20, 8), (3, 2, 9)] {
            let shop = Queues { queues, capacity, pool, ..Queues::default() };
            let world = shop.generator().unwrap();
            let found = explore(&world, 100_000, &|_| true).unwrap();
            assert_eq!(found.found() as u64, fillings(queues, capacity, pool));
            assert!(found.states.iter().all(|&state| world.customers(state) <= pool));
        }
        let vast = Queues { queues: 9, capacity: 99, ..Queues::default() }.generator().unwrap();
        assert_eq!(vast.space().states(), 10u64.pow(18));
    }

    #[test]
    fn one_queue_is_a_birth_and_death_chain() {
        // The clerk has no choice: the stationary law is geometric with ratio arrival / service.
        let shop = Queues { queues: 1, capacity: 3, pool: 3, arrival: 0.2, service: 0.4 };
        let world = shop.generator().unwrap();
        let found = explore(&world, 10, &|_| true).unwrap();
        let table = found.table(&world, &|_, _| true).unwrap();
        let gain = solve(&table).unwrap().gain_from_start(&table).0;
        let law: Vec<f64> = (0..4).map(|n| 0.5f64.powi(n)).collect();
        let earned: f64 = (0..4).map(|n| law[n] * (1.0 - n as f64 / 3.0)).sum();
        assert!((gain - earned / law.iter().sum::<f64>()).abs() < 1e-12);
    }

    #[test]
    fn the_rule_of_thumb_serves_the_last_queue_that_is_not_empty() {
        let world = Queues::default().generator().unwrap();
        let state = world.space().encode(&[2, 0, 1, 0]).unwrap();
        assert_eq!(world.rule_of_thumb(state), Some(2));
        assert_eq!(world.rule_of_thumb(0), Some(0));
    }

    #[test]
    fn values_out_of_range_are_refused() {
        let refusal = |shop: Queues| shop.generator().unwrap_err().to_string();
        let many = Queues { queues: 11, capacity: 99, ..Queues::default() };
        assert!(refusal(many).contains("a space has at most 2^63"));
        let busy = Queues { arrival: 0.5, service: 0.6, ..Queues::default() };
        assert!(refusal(busy).starts_with("queues: service = 0.6 is out of range"));
        assert!(refusal(Queues { pool: 0, ..Queues::default() }).contains("pool = 0"));
    }
}

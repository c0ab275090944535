//! Inventory: how much to order before the demand is known?
//!
//! Puterman 1994, section 3.2 (stochastic inventory control), element by element for the default. At most `capacity` items are
//! in stock. An order of a items arrives at once and costs 4 + 2a if a > 0; storing u items costs u; a demand of 0, 1 or 2
//! with probability 1/4, 1/2, 1/4 is met while stock lasts, at a price of 8 each. With M = `capacity` and u = s + a after the
//! order, the mean reward is F(u) − O(a) − u, where F(0) = 0, F(1) = 6 and F(u) = 8 for more. Rewards are shifted and scaled
//! into [0, 1]: (r + 5)/11 for the default.
//!
//! Facts, derived here: with 3 items the best policy orders 3 when the stock is empty and else nothing; its gain is 97/44
//! per step before scaling, 317/484 after it. Every state is reachable; the number of actions differs between states.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Nested, World, WorldAbout, WorldKind, names_if_few, require};
use crate::error::WorldError;
use crate::mdp::Mdp;
use crate::model::Model;

const CAPACITY: &str = "an integer between 2 and 1000";
/// The probabilities of a demand of 0, 1 and 2.
const DEMAND: [f64; 3] = [0.25, 0.5, 0.25];

/// Orders before the demand is known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Inventory {
    /// how many items fit into the store
    #[schemars(extend("x-accepts" = CAPACITY))]
    pub capacity: usize,
}

impl Default for Inventory {
    fn default() -> Self {
        Self { capacity: 3 }
    }
}

/// What a step earns on average, before scaling.
fn earned(stock: usize, order: usize) -> f64 {
    let items = stock + order;
    let sold: f64 = DEMAND.iter().zip(0..).map(|(p, wanted)| p * items.min(wanted) as f64).sum();
    let paid = if order > 0 { 4.0 + 2.0 * order as f64 } else { 0.0 };
    8.0 * sold - paid - items as f64
}

impl Inventory {
    /// The name in messages and on the command line.
    pub const NAME: &'static str = "inventory";

    /// Builds the world.
    ///
    /// # Errors
    /// When `capacity` is not in `2..=1000`.
    pub fn build(&self) -> Result<Mdp, WorldError> {
        let capacity = self.capacity;
        require((2..=1000).contains(&capacity), Self::NAME, "capacity", capacity, CAPACITY)?;
        let orders = |stock: usize| 0..=capacity - stock;
        let all = (0..=capacity).flat_map(|stock| orders(stock).map(move |order| (stock, order)));
        let (low, high) = all.fold((f64::MAX, f64::MIN), |(low, high), (stock, order)| {
            let reward = earned(stock, order);
            (low.min(reward), high.max(reward))
        });
        let mut builder = Mdp::builder();
        for stock in 0..=capacity {
            builder.state();
            for order in orders(stock) {
                let items = stock + order;
                let reward = (earned(stock, order) - low) / (high - low);
                let left = |wanted: usize| (items.saturating_sub(wanted), DEMAND[wanted]);
                builder.action(reward, [left(0), left(1), left(2)]);
            }
        }
        builder
            .start_at(0)
            .state_names(names_if_few(capacity + 1, |stock| format!("{stock} in stock")))
            .action_names((0..=capacity).map(|order| format!("order {order}")));
        Ok(builder.build()?)
    }
}

impl World for Inventory {
    fn model(&self, _: &Nested<'_>) -> Result<Model, WorldError> {
        Ok(self.build()?.into())
    }
}

pub(super) fn kind() -> WorldKind {
    WorldKind::new::<Inventory>(WorldAbout {
        name: Inventory::NAME,
        summary: "how much to order before the demand is known",
        states: 4,
        actions: 4,
        facts: &[
            "Source: Puterman 1994, section 3.2, element by element with capacity 3.",
            "Every state is reachable; states have 1 to 4 actions.",
            "capacity = 3: gain 317/484 (order 3 when the stock is empty, else nothing).",
        ],
        example: "inventory:capacity=10",
    })
}

#[cfg(test)]
mod tests {
    use super::super::probe::{assert_near, gain_and_span, reachable, row};
    use super::*;

    /// The tables of the book: expected rewards by stock and order, and next stock by items after the order.
    #[test]
    fn rows_and_rewards_are_the_published_ones() {
        let rewards: [&[f64]; 4] =
            [&[0.0, -1.0, -2.0, -5.0], &[5.0, 0.0, -3.0], &[6.0, -1.0], &[5.0]];
        let laws: [&[f64]; 4] = [
            &[1.0, 0.0, 0.0, 0.0],
            &[0.75, 0.25, 0.0, 0.0],
            &[0.25, 0.5, 0.25, 0.0],
            &[0.0, 0.25, 0.5, 0.25],
        ];
        let mdp = Inventory::default().build().unwrap();
        assert_eq!(mdp.states(), 4);
        for stock in 0..4 {
            assert_eq!(mdp.actions(stock), 4 - stock);
            for order in 0..4 - stock {
                let mut found = [0.0; 4];
                row(&mdp, stock, order).iter().for_each(|(next, p)| found[*next] = *p);
                assert_eq!(found, laws[stock + order], "{stock} + {order}");
                let reward = mdp.mean_reward(mdp.pair(stock, order));
                assert_near(reward, (rewards[stock][order] + 5.0) / 11.0, 1e-15);
            }
        }
    }

    #[test]
    fn the_gain_is_317_484ths_and_every_state_is_reachable() {
        let mdp = Inventory::default().build().unwrap();
        assert_near(gain_and_span(&mdp).0, 317.0 / 484.0, 1e-10);
        for capacity in [2, 3, 10, 40] {
            let mdp = Inventory { capacity }.build().unwrap();
            assert_eq!(reachable(&mdp).len(), capacity + 1);
        }
    }

    #[test]
    fn capacities_out_of_range_are_refused() {
        for capacity in [0, 1, 1001] {
            assert_eq!(
                Inventory { capacity }.build().unwrap_err().to_string(),
                format!(
                    "inventory: capacity = {capacity} is out of range: an integer between 2 and 1000"
                )
            );
        }
    }
}

//! Dietterich's taxi, in which 100 of 500 states cannot be reached.
//!
//! Dietterich 2000, as in Gym, made continuing (Fruit, Pirotta, Lazaric 2018, section 4). A taxi drives on a 5×5 board
//! with four depots R, G, Y, B; a passenger waits at one and wants to go to another. State
//! ((row·5 + column)·5 + passenger)·4 + destination, where passenger 4 sits in the taxi. A step costs 1, an illegal
//! pickup or dropoff 10, a delivery earns 20 and the next state is drawn from the start law: uniform over the 300 states
//! whose passenger waits away from the destination. A passenger may also be left at a wrong depot. Rewards are
//! (r + 10)/30: 0.3, 0 and 1.
//!
//! The 100 states whose passenger waits at the destination ("junk") can never be reached. They are the multiples of 5:
//! 4·passenger + destination ≡ destination − passenger (mod 5), and with destination < 4 this is 0 only if both are
//! equal (passenger 4 gives destination + 1).
//!
//! | | 2018 map | v3 map |
//! | --- | --- | --- |
//! | g* | 0.3 + 210/3761 | 0.3 + 210/3921 |
//! | mean optimal trip, steps | 3761/300 | 3921/300 |
//! | span over reachable states | 0.94921563 | 0.91048202 |
//! | diameter of reachable states | 72.0667 | 74.1067 |
//! | reachable, largest support | 400, 300 | 400, 300 |
//!
//! The paper calls the MDP weakly communicating. With the game's own rules on junk states it is multichain (driving
//! around without the junk passenger is closed): five maximal end components of 400, 25, 25, 25, 25 states. The optimal
//! gain is constant all the same.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Nested, World, WorldAbout, WorldKind, names_if_few};
use crate::error::WorldError;
use crate::mdp::Mdp;
use crate::model::Model;

const SIDE: usize = 5;
const STATES: usize = SIDE * SIDE * 5 * 4;
const IN_TAXI: usize = 4;
const DEPOTS: [(usize, usize); 4] = [(0, 0), (0, 4), (4, 0), (4, 3)];
const PLACES: [&str; 5] = ["R", "G", "Y", "B", "taxi"];

/// The walls on the board of [`Taxi`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub enum TaxiMap {
    /// The map of Gym when the paper was written.
    #[default]
    #[serde(rename = "2018")]
    Map2018,
    /// The map of `Taxi-v3`, with one more wall in the second row.
    #[serde(rename = "v3")]
    V3,
}

impl TaxiMap {
    /// The walls, as `(row, column)` of the cell west of each.
    fn walls(self) -> &'static [(usize, usize)] {
        match self {
            Self::Map2018 => &[(0, 1), (3, 0), (3, 2), (4, 0), (4, 2)],
            Self::V3 => &[(0, 1), (1, 1), (3, 0), (3, 2), (4, 0), (4, 2)],
        }
    }
}

/// The treatment of the 100 states of [`Taxi`] whose passenger already is at the destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub enum TaxiJunk {
    /// They stay, with the game's own rules: 500 states.
    #[default]
    #[serde(rename = "true")]
    Present,
    /// They are left out: 400 states, all reachable.
    #[serde(rename = "false")]
    Removed,
    /// They stay, and each loops on itself with reward 0: 101 maximal end components.
    #[serde(rename = "self-loop")]
    SelfLoop,
}

/// The taxi.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Taxi {
    /// the walls: Gym's in the year of the paper, or those of Taxi-v3
    pub map: TaxiMap,
    /// keep the 100 states that never happen, remove them, or let each loop on itself
    pub junk: TaxiJunk,
}

/// One situation of the game.
#[derive(Clone, Copy)]
struct Scene {
    row: usize,
    column: usize,
    passenger: usize,
    destination: usize,
}

/// What one action does.
enum Outcome {
    Step(Scene),
    Illegal,
    Delivery,
}

impl Scene {
    fn of(index: usize) -> Self {
        let (rest, destination) = (index / 4, index % 4);
        let (cell, passenger) = (rest / 5, rest % 5);
        Self { row: cell / SIDE, column: cell % SIDE, passenger, destination }
    }

    fn index(self) -> usize {
        ((self.row * SIDE + self.column) * 5 + self.passenger) * 4 + self.destination
    }

    fn is_junk(self) -> bool {
        self.passenger == self.destination
    }

    fn is_start(self) -> bool {
        self.passenger != IN_TAXI && !self.is_junk()
    }

    fn name(self) -> String {
        let Self { row, column, passenger, destination } = self;
        let (from, to) = (PLACES[passenger], PLACES[destination]);
        format!("row {row}, column {column}, passenger {from}, to {to}")
    }

    fn act(self, action: usize, walls: &[(usize, usize)]) -> Outcome {
        let Self { row, column, passenger, .. } = self;
        let depot = DEPOTS.iter().position(|&depot| depot == (row, column));
        match action {
            0 => Outcome::Step(Self { row: (row + 1).min(SIDE - 1), ..self }),
            1 => Outcome::Step(Self { row: row.saturating_sub(1), ..self }),
            2 if column + 1 < SIDE && !walls.contains(&(row, column)) => {
                Outcome::Step(Self { column: column + 1, ..self })
            }
            3 if column > 0 && !walls.contains(&(row, column - 1)) => {
                Outcome::Step(Self { column: column - 1, ..self })
            }
            2 | 3 => Outcome::Step(self),
            4 if depot == Some(passenger) => Outcome::Step(Self { passenger: IN_TAXI, ..self }),
            5 if passenger == IN_TAXI => match depot {
                Some(depot) if depot == self.destination => Outcome::Delivery,
                Some(depot) => Outcome::Step(Self { passenger: depot, ..self }),
                None => Outcome::Illegal,
            },
            _ => Outcome::Illegal,
        }
    }
}

impl Taxi {
    /// The name in messages and on the command line.
    pub const NAME: &'static str = "taxi";

    /// Builds the world.
    ///
    /// # Errors
    /// Never; the type is that of the other worlds.
    pub fn build(&self) -> Result<Mdp, WorldError> {
        let removed = self.junk == TaxiJunk::Removed;
        let kept: Vec<Scene> =
            (0..STATES).map(Scene::of).filter(|scene| !(removed && scene.is_junk())).collect();
        // Junk states are the multiples of 5, so removing them renumbers by arithmetic.
        let number = |scene: Scene| match scene.index() {
            index if removed => index - index / 5 - 1,
            index => index,
        };
        let starts = kept.iter().filter(|scene| scene.is_start());
        let starts: Vec<usize> = starts.map(|&scene| number(scene)).collect();
        let start_law = || starts.iter().map(|&state| (state, 1.0 / starts.len() as f64));
        let mut builder = Mdp::builder();
        for &scene in &kept {
            builder.state();
            for action in 0..6 {
                if scene.is_junk() && self.junk == TaxiJunk::SelfLoop {
                    builder.action(0.0, [(number(scene), 1.0)]);
                    continue;
                }
                match scene.act(action, self.map.walls()) {
                    Outcome::Step(next) => builder.action(0.3, [(number(next), 1.0)]),
                    Outcome::Illegal => builder.action(0.0, [(number(scene), 1.0)]),
                    Outcome::Delivery => builder.action(1.0, start_law()),
                };
            }
        }
        builder
            .start_law(start_law())
            .state_names(names_if_few(kept.len(), |state| kept[state].name()))
            .action_names(["south", "north", "east", "west", "pickup", "dropoff"]);
        Ok(builder.build()?)
    }
}

impl World for Taxi {
    fn model(&self, _: &Nested<'_>) -> Result<Model, WorldError> {
        Ok(self.build()?.into())
    }
}

pub(super) fn kind() -> WorldKind {
    WorldKind::new::<Taxi>(WorldAbout {
        name: Taxi::NAME,
        summary: "Dietterich's taxi; 100 of 500 states never happen",
        states: 500,
        actions: 6,
        facts: &[
            "The gain is 0.3 + 210/3761 on map 2018 and 0.3 + 210/3921 on map v3.",
            "The mean optimal trip takes 3761/300 and 3921/300 steps.",
            "The span over reachable states is 0.94921563 and 0.91048202.",
            "400 states are reachable; their diameter is 72.0667 and 74.1067.",
            "A delivery has 300 possible next states.",
            "Strictly multichain: end components of 400, 25, 25, 25, 25 states, because one",
            "can drive around among junk forever; the optimal gain is the same everywhere.",
        ],
        example: "taxi:map=v3,junk=false",
    })
}

#[cfg(test)]
mod tests {
    use super::super::probe::{
        assert_near, diameter, gain_and_span, reachable, reachable_support, row,
    };
    use super::*;

    fn taxi(map: TaxiMap, junk: TaxiJunk) -> Mdp {
        Taxi { map, junk }.build().unwrap()
    }

    fn at(row: usize, column: usize, passenger: usize, destination: usize) -> usize {
        Scene { row, column, passenger, destination }.index()
    }

    #[test]
    fn the_junk_states_are_the_multiples_of_five_and_out_of_reach() {
        for index in 0..STATES {
            assert_eq!(Scene::of(index).index(), index);
            assert_eq!(Scene::of(index).is_junk(), index % 5 == 0, "{index}");
        }
        for map in [TaxiMap::Map2018, TaxiMap::V3] {
            let mdp = taxi(map, TaxiJunk::Present);
            let expected: Vec<usize> = (0..500).filter(|index| index % 5 != 0).collect();
            assert_eq!((mdp.states(), mdp.pairs()), (500, 3000));
            assert_eq!(reachable(&mdp), expected);
            assert_eq!((reachable_support(&mdp), mdp.start().len()), (300, 300));
        }
    }

    #[test]
    fn removing_junk_only_renumbers() {
        let (all, few) =
            (taxi(TaxiMap::V3, TaxiJunk::Present), taxi(TaxiMap::V3, TaxiJunk::Removed));
        assert_eq!((few.states(), reachable(&few).len()), (400, 400));
        let back = |state: usize| state + state / 4 + 1;
        for state in 0..400 {
            assert_eq!(few.state_names()[state], all.state_names()[back(state)]);
            for action in 0..6 {
                let (small, large) = (few.pair(state, action), all.pair(back(state), action));
                assert_eq!(few.mean_reward(small), all.mean_reward(large));
                let moved: Vec<_> =
                    few.row(small).iter().map(|(next, p)| (back(next), p)).collect();
                assert_eq!(moved, all.row(large).iter().collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn every_rule_of_the_game_holds() {
        let mdp = taxi(TaxiMap::Map2018, TaxiJunk::Present);
        let step = |state, action| match row(&mdp, state, action)[..] {
            [(next, _)] => (next, mdp.mean_reward(mdp.pair(state, action))),
            _ => panic!("not deterministic"),
        };
        assert_eq!(step(at(2, 2, 0, 1), 0), (at(3, 2, 0, 1), 0.3));
        assert_eq!(step(at(0, 2, 0, 1), 1), (at(0, 2, 0, 1), 0.3), "border");
        assert_eq!(step(at(0, 1, 0, 1), 2), (at(0, 1, 0, 1), 0.3), "wall from the west");
        assert_eq!(step(at(0, 2, 0, 1), 3), (at(0, 2, 0, 1), 0.3), "wall from the east");
        assert_eq!(step(at(1, 1, 0, 1), 2), (at(1, 2, 0, 1), 0.3), "no wall here in 2018");
        assert_eq!(step(at(0, 0, 0, 1), 4), (at(0, 0, 4, 1), 0.3), "pickup");
        assert_eq!(step(at(0, 0, 2, 1), 4), (at(0, 0, 2, 1), 0.0), "no passenger here");
        assert_eq!(step(at(0, 0, 4, 1), 4), (at(0, 0, 4, 1), 0.0), "already in");
        assert_eq!(step(at(4, 3, 4, 1), 5), (at(4, 3, 3, 1), 0.3), "wrong depot");
        assert_eq!(step(at(2, 2, 4, 1), 5), (at(2, 2, 4, 1), 0.0), "no depot");
        assert_eq!(step(at(0, 4, 0, 1), 5), (at(0, 4, 0, 1), 0.0), "no passenger in the taxi");
        let delivery = mdp.pair(at(0, 4, 4, 1), 5);
        assert_eq!(mdp.mean_reward(delivery), 1.0);
        assert!(mdp.row(delivery).iter().eq(mdp.start()));
        let junk = at(0, 0, 0, 0);
        assert_eq!(step(junk, 4), (at(0, 0, 4, 0), 0.3), "junk follows the rules");
        let looping = taxi(TaxiMap::Map2018, TaxiJunk::SelfLoop);
        assert_eq!(row(&looping, junk, 4), [(junk, 1.0)]);
        assert_eq!(looping.mean_reward(looping.pair(junk, 0)), 0.0);
        let v3 = taxi(TaxiMap::V3, TaxiJunk::Present);
        assert_eq!(row(&v3, at(1, 1, 0, 1), 2), [(at(1, 1, 0, 1), 1.0)], "the wall of v3");
    }

    #[test]
    fn gain_and_span_are_those_of_the_table() {
        let facts = [
            (TaxiMap::Map2018, 3761.0, 0.94921563, 72.06666667),
            (TaxiMap::V3, 3921.0, 0.91048202, 74.10666667),
        ];
        for (map, steps, span, farthest) in facts {
            let mdp = taxi(map, TaxiJunk::Removed);
            assert_near(diameter(&mdp), farthest, 1e-7);
            let found = gain_and_span(&mdp);
            assert_near(found.0, 0.3 + 210.0 / steps, 1e-10);
            assert_near(found.1, span, 1e-8);
        }
    }
}

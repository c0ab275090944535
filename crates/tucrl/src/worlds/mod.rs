//! Which worlds come with the library?
//!
//! One per file: options with their documentation, and how to build it. [`kinds`] lists them by name. To add one: its
//! file, and one line in that list.
//!
//! First those of Fruit, Pirotta, Lazaric 2018: [`ThreeState`], [`Taxi`], [`TwoState`], [`Theta`], and models of its two
//! pictures, [`MountainCar`] and [`Breakout`]. Then classics of exploration: [`RiverSwim`], [`SixArms`], [`FourRooms`],
//! [`FrozenLake`], [`CliffWalking`], random MDPs, [`Garnet`], [`Chain`] and [`DeepSea`]; and those of other packages and
//! books: [`Nasty`], [`AccessControl`], [`Inventory`], [`TwoRoom`], [`MinigridEmpty`] and [`MinigridRooms`].
//! [`BreakoutGame`], [`CartPole`], [`Queues`], [`Warehouse`] and a large [`MountainCar`] have no table, because their
//! nominal spaces are too large for one: they are [generators](crate::generator). [`Junk`] adds states that cannot be
//! reached to any world.
//!
//! Episodic games are made continuing in one way: where the game would end, the next state *is* the start, so that no
//! state stands for "game over". Rewards are shifted and scaled into `[0, 1]`.
//!
//! Each world is a plain struct: fill in the fields, or take the defaults, and call `build` or `generator`.
//!
//! ```
//! use tucrl::worlds::{Taxi, TaxiMap};
//! let mdp = Taxi { map: TaxiMap::V3, ..Taxi::default() }.build()?;
//! assert_eq!((mdp.states(), mdp.max_actions()), (500, 6));
//! # Ok::<(), tucrl::error::WorldError>(())
//! ```

mod access_control;
mod breakout;
mod breakout_game;
mod cart_pole;
mod chain;
mod cliff_walking;
mod deep_sea;
mod four_rooms;
mod frozen_lake;
mod garnet;
mod grid;
mod inventory;
mod junk;
mod minigrid;
mod minigrid_empty;
mod minigrid_rooms;
mod mountain_car;
mod nasty;
mod queues;
mod river_swim;
mod six_arms;
mod taxi;
mod theta;
mod three_state;
mod two_room;
mod two_state;
mod warehouse;

use std::fmt;
use std::sync::{Arc, LazyLock};

use serde::Serialize;
use serde_json::{Map, Value};

pub use access_control::AccessControl;
pub use breakout::Breakout;
pub use breakout_game::{BreakoutGame, BreakoutRules};
pub use cart_pole::{CartPole, CartPoleRules};
pub use chain::Chain;
pub use cliff_walking::CliffWalking;
pub use deep_sea::DeepSea;
pub use four_rooms::FourRooms;
pub use frozen_lake::{FrozenLake, FrozenLakeMap};
pub use garnet::Garnet;
pub use inventory::Inventory;
pub use junk::{Junk, JunkKind, JunkOptions};
pub use minigrid_empty::MinigridEmpty;
pub use minigrid_rooms::MinigridRooms;
pub use mountain_car::{MountainCar, MountainCarRules};
pub use nasty::Nasty;
pub use queues::{QueueRules, Queues};
pub use river_swim::RiverSwim;
pub use six_arms::SixArms;
pub use taxi::{Taxi, TaxiJunk, TaxiMap};
pub use theta::{SameTheta, Theta, ThetaOptions};
pub use three_state::{ThreeState, ThreeStateRewards};
pub use two_room::TwoRoom;
pub use two_state::TwoState;
pub use warehouse::{Warehouse, WarehouseRules};

use crate::error::WorldError;
use crate::generator::Generator;
use crate::mdp::MAX_NAMED_STATES;
use crate::model::Model;
use crate::options::{Described, Options, read};

/// The worlds of the library: the paper's, classics of exploration, then those without a table.
pub fn kinds() -> &'static [WorldKind] {
    static KINDS: LazyLock<Vec<WorldKind>> = LazyLock::new(|| {
        vec![
            three_state::kind(),
            taxi::kind(),
            two_state::kind(),
            theta::kind(),
            mountain_car::kind(),
            breakout::kind(),
            river_swim::kind(),
            six_arms::kind(),
            four_rooms::kind(),
            frozen_lake::kind(),
            cliff_walking::kind(),
            garnet::kind(),
            chain::kind(),
            deep_sea::kind(),
            nasty::kind(),
            access_control::kind(),
            inventory::kind(),
            two_room::kind(),
            minigrid_empty::kind(),
            minigrid_rooms::kind(),
            breakout_game::kind(),
            cart_pole::kind(),
            queues::kind(),
            warehouse::kind(),
            junk::kind(),
        ]
    });
    &KINDS
}

/// What is known about a world, for lists, help and documents.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct WorldAbout {
    /// The name in specs.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// The nominal number of states with default options; 0 if not known in advance.
    pub states: u64,
    /// The largest number of actions of a state with default options; 0 if not known in advance.
    pub actions: usize,
    /// Closed forms and numbers, one line each.
    pub facts: &'static [&'static str],
    /// A spec to try.
    pub example: &'static str,
}

/// Builds the world that a spec names, for worlds made of other worlds.
pub type Nested<'a> = dyn Fn(&str) -> Result<Model, WorldError> + 'a;

/// A world with all its options.
pub trait World {
    /// Builds it; `nested` builds the worlds that its options name.
    ///
    /// # Errors
    /// When an option is out of range.
    fn model(&self, nested: &Nested<'_>) -> Result<Model, WorldError>;
}

type Make = dyn Fn(Map<String, Value>, &Nested<'_>) -> Result<Model, WorldError> + Send + Sync;

/// A world under its name: documentation, options, and how to build it from them.
#[derive(Clone)]
pub struct WorldKind {
    about: WorldAbout,
    options: Described,
    make: Arc<Make>,
}

impl fmt::Debug for WorldKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WorldKind({})", self.about.name)
    }
}

impl WorldKind {
    /// A world whose options are its fields.
    pub fn new<W: World + Options>(about: WorldAbout) -> Self {
        let make = |all, nested: &Nested<'_>| read::<W>(all)?.model(nested);
        Self { about, options: Described::of::<W>(), make: Arc::new(make) }
    }

    /// What is known about it.
    pub fn about(&self) -> &WorldAbout {
        &self.about
    }

    /// The options that it accepts.
    pub fn options(&self) -> &Described {
        &self.options
    }

    /// The world with the given options; the others have their defaults.
    ///
    /// # Errors
    /// When a value is not accepted, a required one is missing, or a nested world cannot be built.
    pub fn make(
        &self,
        given: &Map<String, Value>,
        nested: &Nested<'_>,
    ) -> Result<Model, WorldError> {
        (self.make)(self.options.complete(given)?, nested)
    }

    /// Whether it is a table with default options; builds it to find out.
    pub fn has_table(&self) -> bool {
        // Worlds made of other worlds are generators.
        let nested = |_: &str| Err(WorldError::Other("no world is known here".into()));
        matches!(self.make(&Map::new(), &nested), Ok(Model::Table(_)))
    }
}

/// A world of one's own: a name, a line about it, and how to build it from its options.
///
/// For a world made of other worlds implement [`World`] and use [`WorldKind::new`].
///
/// ```
/// use tucrl::{Mdp, Model, WorldKind, own_world};
///
/// #[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
/// struct Coin {
///     /// the probability of changing sides
///     #[schemars(extend("minimum" = 0.0, "maximum" = 1.0))]
///     flip: f64,
/// }
/// let kind: WorldKind = own_world("coin", "heads pays 1", |coin: Coin| {
///     let mut builder = Mdp::builder();
///     builder.state().action(1.0, [(0, 1.0 - coin.flip), (1, coin.flip)]);
///     builder.state().action(0.0, [(1, 1.0 - coin.flip), (0, coin.flip)]);
///     builder.start_at(0);
///     Ok(Model::from(builder.build()?))
/// });
/// assert_eq!(kind.options().list()[0].help, "the probability of changing sides");
/// assert!(kind.has_table());
/// ```
pub fn own_world<O, F>(name: &'static str, summary: &'static str, build: F) -> WorldKind
where
    O: Options,
    F: Fn(O) -> Result<Model, WorldError> + Send + Sync + 'static,
{
    let make = move |all, _: &Nested<'_>| build(read::<O>(all)?);
    let about = WorldAbout { name, summary, example: name, ..WorldAbout::default() };
    WorldKind { about, options: Described::of::<O>(), make: Arc::new(make) }
}

/// A world without a table.
fn generated(rules: impl Generator + 'static) -> Model {
    Model::Generated(Arc::new(rules))
}

/// The largest number of states of a world's table, 2^26: a larger one would fill the memory of an ordinary machine.
pub const MAX_STATES: usize = 1 << 26;

/// What an option that is a probability accepts.
const PROBABILITY: &str = "a number in [0, 1]";

/// Refuses the value of an option unless the condition holds.
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

#[cfg(test)]
mod probe;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn kind(name: &str) -> &'static WorldKind {
        kinds().iter().find(|kind| kind.about().name == name).unwrap()
    }

    fn map(options: Value) -> Map<String, Value> {
        options.as_object().unwrap().clone()
    }

    /// The world that a spec names.
    fn named(spec: &str) -> Result<Model, WorldError> {
        let (name, mut rest) = spec.split_once(':').unwrap_or((spec, ""));
        let (kind, mut given) = (kind(name), Map::new());
        while let Some((key, after)) = rest.split_once('=') {
            // A value in parentheses may have commas of its own.
            let inside = after.strip_prefix('(').and_then(|inside| inside.rsplit_once(')'));
            let (value, after) = inside.or_else(|| after.split_once(',')).unwrap_or((after, ""));
            rest = after.trim_start_matches(',');
            let accepts = &kind.options().list().iter().find(|o| o.key == key).unwrap().accepts;
            let value = match value.parse::<f64>() {
                _ if accepts.words.iter().any(|word| word.word == value) => value.into(),
                Ok(number) if accepts.integers => (number as u64).into(),
                Ok(number) => number.into(),
                Err(_) if accepts.flags => (value == "true").into(),
                Err(_) => value.into(),
            };
            given.insert(key.into(), value);
        }
        kind.make(&given, &named)
    }

    fn made(name: &str, options: Value) -> Result<Model, WorldError> {
        kind(name).make(&map(options), &named)
    }

    #[test]
    fn every_world_builds_with_its_defaults_and_as_its_example_and_has_the_listed_size() {
        for kind in kinds() {
            let about = kind.about();
            let model = kind.make(&Map::new(), &named).unwrap();
            let space = model.space();
            let size = (space.states(), space.max_actions() as usize);
            assert_eq!(size, (about.states, about.actions), "{}", about.name);
            assert_eq!(kind.has_table(), matches!(model, Model::Table(_)), "{}", about.name);
            assert!(!about.summary.is_empty() && !about.facts.is_empty(), "{}", about.name);
            assert!(about.example.starts_with(about.name), "{}", about.name);
            named(about.example).unwrap();
        }
    }

    #[test]
    fn names_keys_defaults_and_aliases_are_those_of_the_specs_in_use() {
        // (name, [(key, default)], [(alias, key)])
        let expected = json!([
            ["three-state", [["delta", 0.005], ["rewards", "uniform"]], []],
            ["taxi", [["map", "2018"], ["junk", "true"]], []],
            [
                "two-state",
                [["epsilon", 0.0], ["loop", false]],
                [["eps", "epsilon"], ["keep_loop_at_zero", "loop"]]
            ],
            ["theta", [["theta", 0.1], ["theta_x", "theta"], ["theta_y", "theta"]], []],
            [
                "mountain-car",
                [["nx", 20], ["nv", 21], ["points", 10], ["frames", 5]],
                [["positions", "nx"], ["velocities", "nv"], ["points_per_side", "points"]]
            ],
            [
                "breakout",
                [["w", 3], ["h", 2], ["q", 0.1]],
                [["width", "w"], ["height", "h"], ["slip", "q"]]
            ],
            ["river-swim", [["n", 6], ["ergodic", false]], [["length", "n"]]],
            ["six-arms", [], []],
            ["four-rooms", [["slip", 1.0 / 3.0]], []],
            ["frozen-lake", [["map", "4x4"], ["slippery", true]], []],
            ["cliff-walking", [["goal", 0.0]], []],
            [
                "garnet",
                [["s", 100], ["a", 4], ["b", 5], ["seed", 0]],
                [["states", "s"], ["actions", "a"], ["branching", "b"]]
            ],
            ["chain", [["n", 5], ["slip", 0.2]], [["length", "n"]]],
            ["deep-sea", [["n", 10]], [["size", "n"]]],
            ["nasty", [["delta", 0.005], ["epsilon", 0.05], ["bernoulli", false]], []],
            ["access-control", [["servers", 10], ["free", 0.06]], []],
            ["inventory", [["capacity", 3]], []],
            ["two-room", [["rows", 9], ["columns", 11], ["slip", 0.1]], []],
            ["minigrid-empty", [["size", 6], ["lazy", 0.0], ["random", 0.1]], []],
            ["minigrid-rooms", [["rooms", 2], ["size", 3], ["lazy", 0.0], ["random", 0.1]], []],
            [
                "breakout-game",
                [["rows", 5], ["columns", 5], ["width", 2], ["lives", 1], ["gap", 2]],
                []
            ],
            [
                "cart-pole",
                [["nx", 9], ["nv", 9], ["na", 9], ["nw", 9], ["points", 2], ["frames", 4]],
                []
            ],
            [
                "queues",
                [["queues", 4], ["capacity", 9], ["pool", 9], ["arrival", 0.1], ["service", 0.6]],
                []
            ],
            ["warehouse", [["rows", 3], ["columns", 5], ["robots", 2], ["slip", 0.1]], []],
            [
                "junk",
                [["base", "three-state:delta=0"], ["factor", 1_000_000], ["kind", "islands"]],
                [["world", "base"]]
            ],
        ]);
        let found: Vec<Value> = kinds()
            .iter()
            .map(|kind| {
                let list = kind.options().list();
                let defaults: Vec<Value> = list.iter().map(|o| json!([o.key, o.default])).collect();
                let aliases = list.iter().flat_map(|o| o.aliases.iter().map(|a| json!([a, o.key])));
                json!([kind.about().name, defaults, aliases.collect::<Vec<Value>>()])
            })
            .collect();
        for (found, expected) in found.iter().zip(expected.as_array().unwrap()) {
            assert_eq!(found, expected);
        }
        assert_eq!(found.len(), expected.as_array().unwrap().len());
    }

    #[test]
    fn every_option_has_help_says_what_it_accepts_and_accepts_its_default() {
        for kind in kinds() {
            for option in kind.options().list() {
                let place = format!("{}: {}", kind.about().name, option.key);
                assert!(option.help.starts_with(char::is_lowercase), "{place}: {}", option.help);
                assert!(option.accepts.admits(&option.default), "{place}");
                let accepts = &option.accepts;
                let is_described = accepts.described.is_some() || !accepts.all_words().is_empty();
                assert!(is_described && !accepts.to_string().is_empty(), "{place}");
            }
        }
    }

    #[test]
    fn every_word_reaches_its_world() {
        let words = json!({
            "three-state": { "rewards": ["uniform", "bernoulli", "mean"] },
            "taxi": { "map": ["2018", "v3"], "junk": ["true", "false", "self-loop"] },
            "frozen-lake": { "map": ["4x4", "8x8"], "slippery": [true, false] },
            "two-state": { "loop": [false, true] },
            "river-swim": { "ergodic": [false, true] },
            "nasty": { "bernoulli": [false, true] },
        });
        for (name, options) in words.as_object().unwrap() {
            for (key, words) in options.as_object().unwrap() {
                let tables: Vec<_> = words
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|word| match made(name, json!({ key: word })).unwrap() {
                        Model::Table(mdp) => mdp,
                        Model::Generated(_) => panic!("{name} has a table"),
                    })
                    .collect();
                for (index, table) in tables.iter().enumerate() {
                    assert!(!tables[..index].contains(table), "{name} {key}");
                }
                let refusal = made(name, json!({ key: "none" })).unwrap_err();
                assert!(matches!(refusal, WorldError::Option(_)) && refusal.option() == Some(key));
            }
        }
    }

    #[test]
    fn a_value_out_of_range_is_reported_under_its_key() {
        let refused = [
            ("three-state", "delta", json!(1.0)),
            ("two-state", "epsilon", json!(2.0)),
            ("theta", "theta", json!(2.0)),
            ("theta", "theta_x", json!(2.0)),
            ("theta", "theta_y", json!(-1.0)),
            ("mountain-car", "nx", json!(1)),
            ("mountain-car", "nx", json!(1_000_000_000_000u64)),
            ("mountain-car", "nv", json!(20)),
            ("mountain-car", "nv", json!(1_000_000_000_001u64)),
            ("mountain-car", "points", json!(0)),
            ("mountain-car", "frames", json!(1001)),
            ("breakout", "w", json!(0)),
            ("breakout", "h", json!(0)),
            ("breakout", "q", json!(2.0)),
            ("river-swim", "n", json!(1)),
            ("four-rooms", "slip", json!(2.0)),
            ("cliff-walking", "goal", json!(1.0)),
            ("garnet", "s", json!(0)),
            ("garnet", "a", json!(0)),
            ("garnet", "b", json!(101)),
            ("chain", "n", json!(1)),
            ("chain", "slip", json!(2.0)),
            ("deep-sea", "n", json!(0)),
            ("nasty", "delta", json!(1.0)),
            ("nasty", "epsilon", json!(1.0)),
            ("access-control", "servers", json!(0)),
            ("access-control", "free", json!(2.0)),
            ("inventory", "capacity", json!(1)),
            ("two-room", "rows", json!(4)),
            ("two-room", "columns", json!(1001)),
            ("two-room", "slip", json!(0.5)),
            ("minigrid-empty", "size", json!(1)),
            ("minigrid-empty", "lazy", json!(2.0)),
            ("minigrid-empty", "random", json!(-1.0)),
            ("minigrid-rooms", "rooms", json!(21)),
            ("minigrid-rooms", "size", json!(1)),
            ("minigrid-rooms", "lazy", json!(2.0)),
            ("minigrid-rooms", "random", json!(-1.0)),
            ("breakout-game", "rows", json!(9)),
            ("breakout-game", "columns", json!(1)),
            ("breakout-game", "width", json!(5)),
            ("breakout-game", "lives", json!(0)),
            ("breakout-game", "gap", json!(0)),
            ("cart-pole", "nx", json!(8)),
            ("cart-pole", "nv", json!(8)),
            ("cart-pole", "na", json!(8)),
            ("cart-pole", "nw", json!(8)),
            ("cart-pole", "points", json!(0)),
            ("cart-pole", "frames", json!(0)),
            ("queues", "queues", json!(0)),
            ("queues", "capacity", json!(0)),
            ("queues", "pool", json!(0)),
            ("queues", "arrival", json!(2.0)),
            ("queues", "service", json!(1.0)),
            ("warehouse", "rows", json!(1)),
            ("warehouse", "columns", json!(4)),
            ("warehouse", "robots", json!(13)),
            ("warehouse", "slip", json!(2.0)),
            ("junk", "factor", json!(0)),
        ];
        for (name, key, value) in &refused {
            match made(name, json!({ *key: value })).unwrap_err() {
                WorldError::Parameter { world, parameter, .. } => {
                    assert_eq!((world, parameter), (*name, *key));
                }
                other => panic!("{name} {key}: {other}"),
            }
        }
        // Flags, words, specs and seeds have no range.
        for kind in kinds() {
            let numbers = kind.options().list().iter().filter(|o| o.default.is_number());
            for option in numbers.filter(|option| option.key != "seed") {
                let is_listed = |(name, key, _): &(&str, &str, _)| {
                    (*name, *key) == (kind.about().name, option.key.as_str())
                };
                assert!(refused.iter().any(is_listed), "{} {}", kind.about().name, option.key);
            }
        }
        let fraction = made("river-swim", json!({ "n": 2.5 })).unwrap_err();
        assert!(matches!(&fraction, WorldError::Option(_)) && fraction.option() == Some("n"));
    }

    #[test]
    fn probabilities_of_theta_follow_the_common_one_unless_given() {
        let table = |options| match made("theta", options).unwrap() {
            Model::Table(mdp) => mdp,
            Model::Generated(_) => panic!("theta has a table"),
        };
        assert_eq!(*table(json!({ "theta": 0.2 })), Theta::symmetric(0.2).build().unwrap());
        let given = table(json!({ "theta": 0.2, "theta_y": 1 }));
        assert_eq!(*given, Theta { theta_x: 0.2, theta_y: 1.0 }.build().unwrap());
    }

    #[test]
    fn a_large_mountain_car_has_no_table() {
        let made = |positions| made("mountain-car", json!({ "nx": positions, "points": 1 }));
        assert!(matches!(made(100), Ok(Model::Table(_))));
        let vast = made(100_000).unwrap();
        assert!(matches!(vast, Model::Generated(_)));
        assert_eq!(vast.space().states(), 2_100_000);
    }

    #[test]
    fn a_base_of_junk_may_be_junk_and_its_failure_is_told_apart() {
        let junk = made("junk", json!({ "base": "junk:factor=7", "kind": "chain" })).unwrap();
        assert_eq!(junk.space().states(), 21_000_000);
        let refusal = made("junk", json!({ "base": "river-swim:n=1" })).unwrap_err();
        assert_eq!(refusal.option(), Some("base"));
        assert!(matches!(refusal, WorldError::Nested { .. }), "{refusal}");
    }
}

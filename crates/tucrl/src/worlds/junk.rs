//! Junk: any world, enlarged by states that cannot be reached.
//!
//! `factor` copies of a world's states, of which only the first, copy 0, is the world itself. The other copies are junk:
//! no state of copy 0 leads there, so a learner that starts where the world starts never sees one; only the nominal S
//! changes. The construction is ours; Fruit, Pirotta, Lazaric 2018 describe such spaces in the introduction and name
//! three kinds in section 2 (transient states, self-loops of misspecified states, other communicating sets):
//!
//! - [`JunkKind::Islands`]: every junk state leads to itself only (multichain);
//! - [`JunkKind::Transient`]: every junk state leads to the same state one copy further down, so that all end in the
//!   world (weakly communicating if the world is);
//! - [`JunkKind::Chain`]: the junk states form one ring, in which every action goes on (multichain).
//!
//! Every junk state pays the largest reward.
//!
//! Facts: with a factor above 1, D is infinite; the gain from the start, S^C and D^C are those of the world. With factor
//! 1 it *is* the world.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Nested, World, WorldAbout, WorldKind, generated, require};
use crate::error::WorldError;
use crate::generator::{Generator, Outcomes, Tabled};
use crate::model::Model;
use crate::options::Spec;
use crate::reward::RewardRange;
use crate::rng::RandomStream;
use crate::space::{ActionId, Space, SpaceError, StateId};

const FACTOR: &str = "a positive integer, with at most 2^63 states in all";

/// The transitions of junk states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum JunkKind {
    /// Each leads to itself.
    #[default]
    Islands,
    /// Each leads one copy further down, and so into the world.
    Transient,
    /// All of them form one ring.
    Chain,
}

/// A world among copies of its states that cannot be reached.
#[derive(Debug, Clone)]
pub struct Junk {
    base: Arc<dyn Generator>,
    kind: JunkKind,
    space: Space,
}

impl Junk {
    /// The name in messages and on the command line.
    pub const NAME: &'static str = "junk";

    /// `factor` times as many states as `base` has.
    ///
    /// # Errors
    /// When the factor is 0 or there would be more than 2^63 states.
    pub fn new(base: Arc<dyn Generator>, factor: u64, kind: JunkKind) -> Result<Self, WorldError> {
        require(factor > 0, Self::NAME, "factor", factor, FACTOR)?;
        // Junk of junk has two such factors, with two names.
        let is_taken = |name: &str| base.space().factors().iter().any(|f| f.name == name);
        let mut name = "copy".to_string();
        while is_taken(&name) {
            name.push('\'');
        }
        match base.space().multiplied(&name, factor) {
            Ok(space) => Ok(Self { base, kind, space }),
            Err(SpaceError::TooLarge { .. }) => {
                let (parameter, value) = ("factor", factor.to_string());
                Err(WorldError::Parameter { world: Self::NAME, parameter, value, expected: FACTOR })
            }
            Err(error) => Err(WorldError::Space { world: Self::NAME, reason: error.to_string() }),
        }
    }

    /// How many states the world itself has.
    fn inside(&self) -> u64 {
        self.base.space().states()
    }
}

impl Generator for Junk {
    fn space(&self) -> &Space {
        &self.space
    }

    fn reward_range(&self) -> RewardRange {
        self.base.reward_range()
    }

    fn start(&self) -> Vec<(StateId, f64)> {
        self.base.start()
    }

    fn outcomes(&self, state: StateId, action: ActionId, list: &mut Outcomes) {
        let inside = self.inside();
        if state < inside {
            return self.base.outcomes(state, action, list);
        }
        let next = match self.kind {
            JunkKind::Islands => state,
            JunkKind::Transient => state - inside,
            JunkKind::Chain if state + 1 < self.space.states() => state + 1,
            JunkKind::Chain => inside,
        };
        list.push(next, 1.0, self.reward_range().high());
    }

    fn sample(
        &self,
        state: StateId,
        action: ActionId,
        random: &mut RandomStream,
    ) -> Option<(f64, StateId)> {
        if state < self.inside() { self.base.sample(state, action, random) } else { None }
    }

    fn rule_of_thumb(&self, state: StateId) -> Option<ActionId> {
        self.base.rule_of_thumb(state % self.inside())
    }

    fn rule_in_words(&self) -> &'static str {
        self.base.rule_in_words()
    }

    fn action_names(&self) -> &[&'static str] {
        self.base.action_names()
    }
}

/// The options of [`Junk`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JunkOptions {
    /// the world that is multiplied
    #[schemars(extend("x-aliases" = ["world"], "x-accepts" = "a world, in parentheses if it has keys"))]
    pub base: Spec,
    /// how many times as many states there are
    #[schemars(extend("x-accepts" = FACTOR))]
    pub factor: u64,
    /// what junk states do: stay where they are, lead down into the world, or form a ring of their own
    pub kind: JunkKind,
}

impl Default for JunkOptions {
    fn default() -> Self {
        let base = Spec("three-state:delta=0".into());
        Self { base, factor: 1_000_000, kind: JunkKind::Islands }
    }
}

impl World for JunkOptions {
    fn model(&self, nested: &Nested<'_>) -> Result<Model, WorldError> {
        let Spec(spec) = &self.base;
        let base: Arc<dyn Generator> = match nested(spec) {
            Ok(Model::Generated(generator)) => generator,
            Ok(Model::Table(mdp)) => Arc::new(Tabled::new(mdp)),
            Err(error) => return Err(WorldError::nested("base", spec, error)),
        };
        Ok(generated(Junk::new(base, self.factor, self.kind)?))
    }
}

pub(super) fn kind() -> WorldKind {
    WorldKind::new::<JunkOptions>(WorldAbout {
        name: Junk::NAME,
        summary: "any world among states that cannot be reached",
        states: 3_000_000,
        actions: 2,
        facts: &[
            "The gain from the start, the reachable states and their diameter are those of",
            "the base; with a factor above 1 the diameter of all is infinite.",
            "transient: weakly communicating if the base is; islands, chain: multichain.",
            "Every junk state pays the largest reward.",
        ],
        example: "junk:base=(taxi:map=v3),factor=1e9",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::explore;
    use crate::generator::list;
    use crate::hitting;
    use crate::mdp::Mdp;
    use crate::solve::solve;
    use crate::structure::{self, Class};
    use crate::worlds::{RiverSwim, ThreeState};

    fn base() -> Arc<dyn Generator> {
        let world = ThreeState { delta: 0.005, ..ThreeState::default() }.build().unwrap();
        Arc::new(Tabled::new(Arc::new(world)))
    }

    /// The whole table, junk included.
    fn everything(world: &dyn Generator) -> Mdp {
        let (mut builder, mut outcomes) = (Mdp::builder(), Outcomes::default());
        for state in 0..world.space().states() {
            builder.state();
            for action in 0..world.space().actions(state) {
                list(world, state, action, &mut outcomes).unwrap();
                let row = outcomes.entries().iter();
                builder
                    .joint_action(row.map(|o| (o.next as usize, o.probability, o.reward.clone())));
            }
        }
        builder.start_law(world.start().iter().map(|&(s, p)| (s as usize, p)));
        builder.build().unwrap()
    }

    #[test]
    fn gain_and_reachable_diameter_are_those_of_the_world_and_the_diameter_is_infinite() {
        let plain = everything(&*base());
        let gain = solve(&plain).unwrap().gain_from_start(&plain).0;
        let within = hitting::diameter(&plain, &|_, _| ()).unwrap();
        for (kind, class, gain_of_junk) in [
            (JunkKind::Islands, Class::Multichain, 1.0),
            (JunkKind::Transient, Class::WeaklyCommunicating, gain),
            (JunkKind::Chain, Class::Multichain, 1.0),
        ] {
            let world = everything(&Junk::new(base(), 4, kind).unwrap());
            assert_eq!(world.states(), 12);
            let is_reachable = structure::reachable(&world);
            assert_eq!(is_reachable.iter().filter(|&&is| is).count(), 3);
            let components = structure::end_components(&world);
            assert_eq!(structure::classify(&world, &components), class, "{kind:?}");
            let answer = solve(&world).unwrap();
            assert!((answer.gain_from_start(&world).0 - gain).abs() < 1e-12);
            assert!((answer.gain[11] - gain_of_junk).abs() < 1e-12, "{kind:?}");
            let diameter = |is: &[bool]| hitting::diameter_within(&world, is, &|_, _| ()).unwrap();
            assert!((diameter(&is_reachable) / within - 1.0).abs() < 1e-9);
            assert_eq!(hitting::diameter(&world, &|_, _| ()).unwrap(), f64::INFINITY);
        }
    }

    #[test]
    fn a_search_finds_the_world_and_nothing_else_whatever_the_factor() {
        let mdp = RiverSwim::default().build().unwrap();
        let base: Arc<dyn Generator> = Arc::new(Tabled::new(Arc::new(mdp.clone())));
        for factor in [1, 1000, 1_000_000_000_000] {
            let world = Junk::new(Arc::clone(&base), factor, JunkKind::Chain).unwrap();
            assert_eq!(world.space().states(), 6 * factor);
            let found = explore(&world, 100, &|_| true).unwrap();
            assert!(found.is_complete());
            assert_eq!(found.states, [0, 1, 2, 3, 4, 5]);
            let table = found.table(&world, &|_, _| true).unwrap();
            for pair in 0..mdp.pairs() {
                assert_eq!(table.row(pair).probability, mdp.row(pair).probability);
                assert_eq!(table.mean_reward(pair), mdp.mean_reward(pair));
            }
        }
    }

    #[test]
    fn junk_multiplies_junk_and_too_much_of_it_is_refused() {
        let once: Arc<dyn Generator> =
            Arc::new(Junk::new(base(), 1 << 40, JunkKind::Islands).unwrap());
        let twice = Junk::new(Arc::clone(&once), 1 << 20, JunkKind::Transient).unwrap();
        assert_eq!(twice.space().states(), 3 << 60);
        let refusal = Junk::new(Arc::clone(&once), 1 << 22, JunkKind::Chain).unwrap_err();
        let expected = "junk: factor = 4194304 is out of range: a positive integer, with at most \
                        2^63 states in all";
        assert_eq!(refusal.to_string(), expected);
        assert!(Junk::new(once, 0, JunkKind::Chain).is_err());
    }
}

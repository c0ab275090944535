//! What may a learner know before it starts?
//!
//! The number of states as the designer defined it (the *nominal* size S, junk states included), the actions of
//! every state, and nothing of what can be reached (Fruit, Pirotta, Lazaric 2018, section 2: S, A and r_max are known,
//! the rest is not). A state is a number below S; S may be enormous, because a designer often takes the product of
//! everything that can vary ([`Space::product`]): bricks × ball × paddle.

use std::collections::BTreeMap;
use std::hash::Hasher;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A state, as a number below the nominal size of its space.
pub type StateId = u64;

/// An action, as a position in the action list of its state.
pub type ActionId = u32;

/// The largest nominal size, 2^63.
pub const MAX_NOMINAL: u64 = 1 << 63;

/// A nominal state space with the actions of every state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Space {
    states: u64,
    actions: Actions,
    max_actions: u32,
    /// What a state is made of; empty when it is just a number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    factors: Vec<Factor>,
    /// The number of states is unknown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_uncounted: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
enum Actions {
    Same(u32),
    Listed(Vec<u32>),
    /// State `s` has as many as entry `s` modulo the length.
    Repeated(Vec<u32>),
    /// Of the states told so far.
    Told(BTreeMap<StateId, u32>),
}

/// One of the things that make up a state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Factor {
    /// What it is called.
    pub name: String,
    /// How many values it has, from 0 on.
    pub size: u64,
}

/// Why a product space, or a state in it, was refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SpaceError {
    /// No factor at all.
    #[error("a product space needs at least one factor, and at least one action")]
    Empty,
    /// A factor without values.
    #[error("the factor `{factor}` has no values: give it at least one")]
    EmptyFactor {
        /// Its name.
        factor: String,
    },
    /// Two factors of one name.
    #[error("two factors are called `{factor}`: rename one of them")]
    RepeatedFactor {
        /// The name.
        factor: String,
    },
    /// More states than 2^63.
    #[error(
        "the factors up to `{factor}` make {size} states, and a space has at most 2^63: make a factor \
         smaller"
    )]
    TooLarge {
        /// The factor at which it became too many.
        factor: String,
        /// How many states the factors up to this one would make; the largest number if even more.
        size: u128,
    },
    /// Not one value for each factor.
    #[error("{given} values for {factors} factors: give one for each, in order")]
    FactorCount {
        /// How many came.
        given: usize,
        /// How many are needed.
        factors: usize,
    },
    /// A factor does not have that value.
    #[error("the factor `{factor}` has no value {value}: its values are 0 to {last}")]
    FactorValue {
        /// The factor.
        factor: String,
        /// The value that was given.
        value: u64,
        /// The largest that exists.
        last: u64,
    },
    /// A state that does not exist.
    #[error("state {state} does not exist: states are numbered 0 to {last}")]
    State {
        /// The state.
        state: StateId,
        /// The largest that exists.
        last: StateId,
    },
}

impl Space {
    /// A space in which every state has the same number of actions.
    ///
    /// # Panics
    /// When there are no states or no actions.
    pub fn uniform(states: u64, actions: u32) -> Self {
        assert!(states > 0 && actions > 0, "a space needs states and actions");
        let (factors, is_uncounted) = (Vec::new(), false);
        let (max_actions, actions) = (actions, Actions::Same(actions));
        Self { states, actions, max_actions, factors, is_uncounted }
    }

    /// A space without a known number of states: [`Space::states`] is the largest possible one, 2^63. For algorithms
    /// that do not need the number ([`Algorithm::needs_state_count`](crate::learner::Algorithm::needs_state_count)).
    ///
    /// # Panics
    /// When there are no actions.
    pub fn uncounted(actions: u32) -> Self {
        Self { is_uncounted: true, ..Self::uniform(MAX_NOMINAL, actions) }
    }

    /// The same, in which the actions of a state are told when it is first met; see [`Space::told`].
    ///
    /// # Panics
    /// When there are no actions.
    pub fn uncounted_told(max_actions: u32) -> Self {
        Self { is_uncounted: true, ..Self::told(MAX_NOMINAL, max_actions) }
    }

    /// Whether the number of states is unknown.
    pub fn is_uncounted(&self) -> bool {
        self.is_uncounted
    }

    /// A space in which state `s` has `actions[s]` actions.
    ///
    /// # Panics
    /// When there are no states, or a state without actions.
    pub fn listed(actions: Vec<u32>) -> Self {
        assert!(!actions.is_empty() && !actions.contains(&0), "a space needs states and actions");
        let max_actions = actions.iter().copied().max().unwrap_or(1);
        if actions.iter().all(|&count| count == max_actions) {
            return Self::uniform(actions.len() as u64, max_actions);
        }
        let states = actions.len() as u64;
        Self { actions: Actions::Listed(actions), ..Self::uniform(states, max_actions) }
    }

    /// The product of factors, each with a name and a number of values; every state has the same number
    /// of actions. The last factor varies fastest.
    ///
    /// ```
    /// use tucrl::space::Space;
    /// let space = Space::product([("wall", 1 << 18), ("ball", 10), ("paddle", 8)], 3)?;
    /// assert_eq!(space.states(), 20_971_520);
    /// let state = space.encode(&[5, 9, 7])?;
    /// assert_eq!((state, space.decode(state)?), (479, vec![5, 9, 7]));
    /// # Ok::<(), tucrl::space::SpaceError>(())
    /// ```
    ///
    /// # Errors
    /// When there is no factor or action, a factor is empty or named twice, or there would be more than
    /// 2^63 states.
    pub fn product<N: Into<String>>(
        factors: impl IntoIterator<Item = (N, u64)>,
        actions: u32,
    ) -> Result<Self, SpaceError> {
        let mut found: Vec<Factor> = Vec::new();
        let mut states: u128 = 1;
        for (name, size) in factors {
            let factor: String = name.into();
            if size == 0 {
                return Err(SpaceError::EmptyFactor { factor });
            }
            if found.iter().any(|earlier| earlier.name == factor) {
                return Err(SpaceError::RepeatedFactor { factor });
            }
            // Both are at most 2^64, so that the product fits.
            states *= u128::from(size);
            if states > u128::from(MAX_NOMINAL) {
                return Err(SpaceError::TooLarge { factor, size: states });
            }
            found.push(Factor { name: factor, size });
        }
        if found.is_empty() || actions == 0 {
            return Err(SpaceError::Empty);
        }
        Ok(Self { factors: found, ..Self::uniform(states as u64, actions) })
    }

    /// The product of a factor that stands before this space: `copies` times as many states, of which
    /// state `s` has the actions of state `s` modulo the size of this one.
    ///
    /// # Errors
    /// As [`Space::product`].
    pub fn multiplied(&self, name: &str, copies: u64) -> Result<Self, SpaceError> {
        let own = match self.factors.is_empty() {
            true => vec![("state".to_string(), self.states)],
            false => self.factors.iter().map(|factor| (factor.name.clone(), factor.size)).collect(),
        };
        let first = std::iter::once((name.to_string(), copies));
        let product = Self::product(first.chain(own), self.max_actions)?;
        let actions = match &self.actions {
            Actions::Same(actions) => Actions::Same(*actions),
            Actions::Listed(actions) | Actions::Repeated(actions) => {
                Actions::Repeated(actions.clone())
            }
            // The actions of the copies are not known yet.
            Actions::Told(_) => Actions::Told(BTreeMap::new()),
        };
        Ok(Self { actions, ..product })
    }

    /// A space in which the actions of a state are told when it is first met ([`Space::tell_actions`]);
    /// until then it counts as having `max_actions`.
    ///
    /// # Panics
    /// When there are no states or no actions.
    pub fn told(states: u64, max_actions: u32) -> Self {
        assert!(states > 0 && max_actions > 0, "a space needs states and actions");
        Self { actions: Actions::Told(BTreeMap::new()), ..Self::uniform(states, max_actions) }
    }

    /// Sets the number of actions of a state in a space made by [`Space::told`]; no effect in other spaces.
    ///
    /// # Panics
    /// When there are none, or more than the largest number.
    pub fn tell_actions(&mut self, state: StateId, actions: u32) {
        if let Actions::Told(told) = &mut self.actions {
            let limit = self.max_actions;
            assert!((1..=limit).contains(&actions), "a state has between 1 and {limit} actions");
            told.insert(state, actions);
        }
    }

    /// The nominal number of states.
    #[doc(alias = "S")]
    pub fn states(&self) -> u64 {
        self.states
    }

    /// What a state is made of; empty when it is just a number.
    pub fn factors(&self) -> &[Factor] {
        &self.factors
    }

    /// The state with these values, one for each factor.
    ///
    /// # Errors
    /// When a value is missing, too many, or none of its factor.
    pub fn encode(&self, values: &[u64]) -> Result<StateId, SpaceError> {
        if values.len() != self.factors.len() {
            let (given, factors) = (values.len(), self.factors.len());
            return Err(SpaceError::FactorCount { given, factors });
        }
        let mut state = 0;
        for (factor, &value) in self.factors.iter().zip(values) {
            if value >= factor.size {
                let (factor, last) = (factor.name.clone(), factor.size - 1);
                return Err(SpaceError::FactorValue { factor, value, last });
            }
            state = state * factor.size + value;
        }
        Ok(state)
    }

    /// The values of a state's factors.
    ///
    /// # Errors
    /// When the state does not exist.
    pub fn decode(&self, state: StateId) -> Result<Vec<u64>, SpaceError> {
        if state >= self.states {
            return Err(SpaceError::State { state, last: self.states - 1 });
        }
        let mut values = vec![0; self.factors.len()];
        let mut left = state;
        for (value, factor) in values.iter_mut().zip(&self.factors).rev() {
            *value = left % factor.size;
            left /= factor.size;
        }
        Ok(values)
    }

    /// The largest number of actions of any state.
    #[doc(alias = "A")]
    pub fn max_actions(&self) -> u32 {
        self.max_actions
    }

    /// The number of actions of one state.
    ///
    /// # Panics
    /// When the state does not exist.
    pub fn actions(&self, state: StateId) -> u32 {
        assert!(state < self.states, "state {state} is outside a space of {} states", self.states);
        match &self.actions {
            Actions::Same(actions) => *actions,
            Actions::Listed(actions) => actions[state as usize],
            Actions::Repeated(actions) => actions[(state % actions.len() as u64) as usize],
            Actions::Told(told) => told.get(&state).copied().unwrap_or(self.max_actions),
        }
    }

    /// S times the largest number of actions, which every formula of the paper calls SA.
    #[doc(alias = "SA")]
    pub fn nominal_pairs(&self) -> u128 {
        u128::from(self.states) * u128::from(self.max_actions)
    }
}

/// Spreads the bits of state numbers, which are consecutive: the finaliser of splitmix64.
#[derive(Debug, Default)]
pub(crate) struct StateHasher(u64);

impl Hasher for StateHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        let mut z = (self.0 ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        self.0 = z ^ (z >> 31);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn states_and_factors_are_two_names_of_one_thing(
            sizes in prop::collection::vec(1u64..2000, 1..6),
            picks in prop::collection::vec(any::<u64>(), 6),
        ) {
            let factors = sizes.iter().enumerate().map(|(i, &size)| (format!("f{i}"), size));
            let space = Space::product(factors, 2).unwrap();
            prop_assert_eq!(space.states(), sizes.iter().product::<u64>());
            let values: Vec<u64> = sizes.iter().zip(&picks).map(|(size, pick)| pick % size).collect();
            let state = space.encode(&values).unwrap();
            prop_assert!(state < space.states());
            prop_assert_eq!(space.decode(state).unwrap(), values);
            let other = picks[5] % space.states();
            prop_assert_eq!(space.encode(&space.decode(other).unwrap()).unwrap(), other);
        }
    }

    #[test]
    fn the_largest_space_has_2_to_the_63_states() {
        let space = Space::product([("a", 1 << 40), ("b", 1 << 23)], 4).unwrap();
        assert_eq!(space.states(), 1 << 63);
        assert_eq!(space.encode(&[(1 << 40) - 1, (1 << 23) - 1]), Ok((1 << 63) - 1));
        assert_eq!(space.nominal_pairs(), 1 << 65);
        let refusal = Space::product([("a", 1 << 40), ("b", 1 << 23), ("c", 2)], 4).unwrap_err();
        assert_eq!(refusal, SpaceError::TooLarge { factor: "c".into(), size: 1 << 64 });
        assert!(Space::product([("a", u64::MAX), ("b", u64::MAX)], 1).is_err());
    }

    #[test]
    fn every_defect_is_named() {
        use SpaceError as E;
        let product = |factors: &[(&str, u64)]| Space::product(factors.iter().copied(), 1);
        assert_eq!(product(&[]), Err(E::Empty));
        assert_eq!(product(&[("a", 0)]), Err(E::EmptyFactor { factor: "a".into() }));
        let twice = product(&[("a", 2), ("a", 2)]);
        assert_eq!(twice, Err(E::RepeatedFactor { factor: "a".into() }));
        let space = product(&[("row", 2), ("column", 3)]).unwrap();
        assert_eq!(space.encode(&[1]), Err(E::FactorCount { given: 1, factors: 2 }));
        let wrong = E::FactorValue { factor: "column".into(), value: 3, last: 2 };
        assert_eq!(space.encode(&[1, 3]), Err(wrong.clone()));
        assert_eq!(wrong.to_string(), "the factor `column` has no value 3: its values are 0 to 2");
        assert_eq!(space.decode(6), Err(E::State { state: 6, last: 5 }));
    }

    #[test]
    fn multiplied_spaces_keep_their_actions() {
        let space = Space::listed(vec![1, 3]);
        let many = space.multiplied("junk", 1000).unwrap();
        assert_eq!((many.states(), many.max_actions()), (2000, 3));
        assert_eq!([0, 1, 1998, 1999].map(|state| many.actions(state)), [1, 3, 1, 3]);
        assert_eq!(many.decode(1999), Ok(vec![999, 1]));
        let twice = many.multiplied("more", 5).unwrap();
        assert_eq!(twice.factors().iter().map(|f| f.size).collect::<Vec<_>>(), [5, 1000, 2]);
        assert_eq!((twice.actions(9998), twice.actions(9999)), (1, 3));
    }
}

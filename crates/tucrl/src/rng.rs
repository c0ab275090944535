//! Where does randomness come from, and will it be the same tomorrow?
//!
//! The generator is named (xoshiro256++), its streams are derived from a master seed, a run index
//! and a purpose, and the samplers are written here rather than taken from a crate that may change
//! their values. Golden tests freeze every one of them.
//!
//! Read by reward laws, random worlds, walks and learners. The paper does not speak of generators.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng};
use serde::{Deserialize, Serialize};

/// A portable random stream: the same seed gives the same numbers on every machine, for ever.
///
/// ```
/// use tucrl::rng::RandomStream;
/// let mut a = RandomStream::new(7);
/// let mut b = RandomStream::new(7);
/// assert_eq!(a.unit(), b.unit());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RandomStream(Xoshiro256PlusPlus);

/// What a stream is for; different purposes of one run never share numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The world's transitions and rewards.
    World,
    /// The agent's own coin flips.
    Agent,
}

impl RandomStream {
    /// The stream that belongs to `seed`.
    pub fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// The stream of one run of one experiment for one purpose.
    ///
    /// Agents of the same run index face the same world stream, so comparisons are paired.
    pub fn of_run(master_seed: u64, run: u64, purpose: Purpose) -> Self {
        let purpose = match purpose {
            Purpose::World => 1,
            Purpose::Agent => 2,
        };
        let mut seed = [0u8; 32];
        let words = [mix(master_seed), mix(run ^ 0x5851_f42d_4c95_7f2d), mix(purpose), 0];
        let mut state = 0;
        for (chunk, word) in seed.chunks_exact_mut(8).zip(words) {
            state = mix(state ^ word);
            chunk.copy_from_slice(&state.to_le_bytes());
        }
        Self(Xoshiro256PlusPlus::from_seed(seed))
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A uniform number in `[0, 1)` with 53 random bits.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A uniform number in `[low, high)`; `low` when they are equal.
    #[inline]
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        (low + (high - low) * self.unit()).max(low).min(high)
    }

    /// True with the given probability.
    #[inline]
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// A uniform integer in `0..bound`, without bias (multiply and reject).
    ///
    /// # Panics
    /// When `bound` is zero.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "no integer lies below zero");
        let threshold = bound.wrapping_neg() % bound;
        loop {
            let product = u128::from(self.bits()) * u128::from(bound);
            if (product as u64) >= threshold {
                return (product >> 64) as u64;
            }
        }
    }

    /// An index drawn with the given probabilities, which sum to one.
    ///
    /// Uses one number. Rounding at the end of the sum falls to the last index of positive weight.
    ///
    /// # Panics
    /// When `probabilities` is empty.
    #[inline]
    pub fn categorical(&mut self, probabilities: &[f64]) -> usize {
        let mut left = self.unit();
        let mut last = 0;
        for (index, &probability) in probabilities.iter().enumerate() {
            if left < probability {
                return index;
            }
            if probability > 0.0 {
                last = index;
            }
            left -= probability;
        }
        assert!(!probabilities.is_empty(), "no index to draw");
        last
    }
}

/// The finaliser of splitmix64: a bijection of 64-bit words that spreads every bit.
fn mix(word: u64) -> u64 {
    let mut z = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

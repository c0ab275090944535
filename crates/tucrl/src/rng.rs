//! How are random numbers drawn reproducibly?
//!
//! The generator is xoshiro256++; streams are derived from a master seed, a run index and a purpose.
//! The samplers are implemented here, because a crate may change the values of its own. Golden tests
//! pin the values.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng};
use serde::{Deserialize, Serialize};

use crate::math;

/// A portable random stream: a seed gives the same numbers on every machine and in every version.
///
/// ```
/// use tucrl::rng::RandomStream;
/// let mut a = RandomStream::new(7);
/// let mut b = RandomStream::new(7);
/// assert_eq!(a.unit(), b.unit());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RandomStream(Xoshiro256PlusPlus);

/// The purpose of a stream; each purpose of a run has its own stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Transitions and rewards.
    World,
    /// The agent's own randomness.
    Agent,
}

impl RandomStream {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// The stream of one run for one purpose.
    ///
    /// Runs with the same index share the world stream, so comparisons of agents are paired.
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

    /// A uniform number in `[low, high)`; `low` if they are equal.
    #[inline]
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        (low + (high - low) * self.unit()).max(low).min(high)
    }

    /// True with the given probability.
    #[inline]
    pub fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// An unbiased uniform integer in `0..bound` (Lemire 2019).
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

    /// An index drawn with the given probabilities, which sum to one. Consumes one number.
    ///
    /// If rounding leaves the sum below the drawn number, returns the last index of positive
    /// probability.
    ///
    /// # Panics
    /// When `probabilities` is empty.
    #[inline]
    pub fn categorical(&mut self, probabilities: &[f64]) -> usize {
        index_of(self.unit(), probabilities)
    }

    /// The same for positive probabilities, without a branch that depends on the number drawn: faster if there are few.
    /// After the first probability that exceeds what is left, what is left is negative, so that all others exceed it.
    #[inline]
    pub(crate) fn categorical_of_few(&mut self, probabilities: &[f64]) -> usize {
        let mut left = self.unit();
        let mut index = 0;
        for &probability in &probabilities[..probabilities.len() - 1] {
            index += usize::from(left >= probability);
            left -= probability;
        }
        index
    }

    /// A uniform number in `(0, 1]`, whose logarithm is finite.
    fn positive_unit(&mut self) -> f64 {
        1.0 - self.unit()
    }

    /// A standard normal number (Marsaglia's polar method). The second number of each pair is
    /// discarded, so that the generator is the whole state of a stream.
    pub fn normal(&mut self) -> f64 {
        loop {
            let (x, y) = (2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0);
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                return x * (-2.0 * math::ln(square) / square).sqrt();
            }
        }
    }

    /// A gamma number of scale 1, for a shape of at least 1 (Marsaglia and Tsang 2000).
    ///
    /// # Panics
    /// When the shape is below 1 or NaN; [`RandomStream::log_gamma`] accepts every positive shape.
    pub fn gamma(&mut self, shape: f64) -> f64 {
        assert!(shape >= 1.0, "use log_gamma for shapes below 1");
        if shape == 1.0 {
            return -math::ln(self.positive_unit());
        }
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.normal();
            let root = 1.0 + c * x;
            if root <= 0.0 {
                continue;
            }
            let cube = root * root * root;
            if math::ln(self.positive_unit()) < 0.5 * x * x + d - d * cube + d * math::ln(cube) {
                return d * cube;
            }
        }
    }

    /// The logarithm of a gamma number of scale 1, finite where the number itself would underflow:
    /// for a < 1, gamma(a) = gamma(a + 1) U^(1/a) with U uniform.
    ///
    /// # Panics
    /// When the shape is not positive.
    pub fn log_gamma(&mut self, shape: f64) -> f64 {
        assert!(shape > 0.0, "a gamma law needs a positive shape");
        if shape >= 1.0 {
            return math::ln(self.gamma(shape));
        }
        math::ln(self.gamma(shape + 1.0)) + math::ln(self.positive_unit()) / shape
    }

    /// A beta number.
    ///
    /// # Panics
    /// When a parameter is not positive.
    pub fn beta(&mut self, a: f64, b: f64) -> f64 {
        let (x, y) = (self.log_gamma(a), self.log_gamma(b));
        1.0 / (1.0 + math::exp(y - x))
    }

    /// Overwrites the shapes by a draw from their Dirichlet distribution.
    ///
    /// # Panics
    /// When there are no shapes, or one is not positive.
    pub fn dirichlet(&mut self, shapes: &mut [f64]) {
        assert!(!shapes.is_empty(), "a law needs something to give mass to");
        if shapes.iter().all(|&shape| shape >= 1.0) {
            for shape in shapes.iter_mut() {
                *shape = self.gamma(*shape);
            }
        } else {
            // Shifted logarithms: the largest number becomes 1, so the sum cannot underflow.
            for shape in shapes.iter_mut() {
                *shape = self.log_gamma(*shape);
            }
            let largest = shapes.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            shapes.iter_mut().for_each(|log| *log = math::exp(*log - largest));
        }
        let total: f64 = shapes.iter().sum();
        if total > 0.0 {
            shapes.iter_mut().for_each(|mass| *mass /= total);
        } else {
            // All gamma numbers were 0, which has probability 2^-53 for a single shape 1.
            let even = 1.0 / shapes.len() as f64;
            shapes.fill(even);
        }
    }
}

/// Which index a number in `[0, 1)` stands for: the first one whose probability exceeds what is left of the number when
/// all probabilities before it are subtracted.
///
/// # Panics
/// When `probabilities` is empty.
#[inline]
fn index_of(unit: f64, probabilities: &[f64]) -> usize {
    let mut left = unit;
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

/// A guide table, which finds the index of [`RandomStream::categorical`] in constant expected time (Chen and Asau
/// 1974). The index is the same to the bit: a number that lies so near to the border between two indices that rounding
/// could decide is looked up as [`RandomStream::categorical`] does it.
#[derive(Debug, Clone)]
pub(crate) struct Guide {
    /// By index: the sum of its probability and all before it.
    sums: Box<[f64]>,
    /// At j: the first index whose sum exceeds j/n.
    first: Box<[u32]>,
}

impl Guide {
    /// For positive probabilities that sum to one.
    pub(crate) fn new(probabilities: &[f64]) -> Self {
        let count = probabilities.len() as f64;
        let mut total = 0.0;
        let sums: Box<[f64]> = probabilities
            .iter()
            .map(|probability| {
                total += probability;
                total
            })
            .collect();
        let mut index = 0;
        let first = (0..sums.len()).map(|step| {
            while index + 1 < sums.len() && sums[index] * count <= step as f64 {
                index += 1;
            }
            index as u32
        });
        let first = first.collect();
        Self { sums, first }
    }

    /// An index drawn with the given probabilities, which must be those of the table. Consumes one number.
    #[inline]
    pub(crate) fn draw(&self, probabilities: &[f64], random: &mut RandomStream) -> usize {
        let unit = random.unit();
        self.find(unit).unwrap_or_else(|| index_of(unit, probabilities))
    }

    /// The index that a number stands for, unless rounding could decide it.
    #[inline]
    fn find(&self, unit: f64) -> Option<usize> {
        let count = self.sums.len() as f64;
        // Either method adds at most n numbers below 2, each with an error of at most 2^-53.
        let slack = count * (4.0 / (1u64 << 53) as f64);
        let mut index = *self.first.get((unit * count) as usize)? as usize;
        while *self.sums.get(index)? <= unit {
            index += 1;
        }
        let below = if index == 0 { -slack } else { self.sums[index - 1] };
        (below + slack <= unit && unit < self.sums[index] - slack).then_some(index)
    }
}

/// The finaliser of splitmix64.
fn mix(word: u64) -> u64 {
    let mut z = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Laws of many shapes: equal parts, parts that differ by sixteen orders of magnitude, and rounded sums.
    fn laws() -> Vec<Vec<f64>> {
        let mut random = RandomStream::new(5);
        let mut laws = Vec::new();
        for count in [2usize, 3, 9, 10, 64, 300, 1000] {
            laws.push(vec![1.0 / count as f64; count]);
            for power in [1, 4, 40] {
                let mut law: Vec<f64> =
                    (0..count).map(|_| random.unit().powi(power).max(1e-16)).collect();
                let total: f64 = law.iter().sum();
                law.iter_mut().for_each(|p| *p /= total);
                laws.push(law);
            }
        }
        laws
    }

    #[test]
    fn every_way_to_draw_an_index_gives_the_same() {
        for law in laws() {
            let guide = Guide::new(&law);
            let [mut one, mut two, mut three] = [9; 3].map(RandomStream::new);
            for _ in 0..20_000 {
                let index = one.categorical(&law);
                assert_eq!(guide.draw(&law, &mut two), index, "{law:?}");
                assert_eq!(three.categorical_of_few(&law), index, "{law:?}");
            }
            assert_eq!((&one, &one), (&two, &three));
        }
    }

    /// Every number of 53 bits next to a border between two indices, and the ends of the unit interval.
    #[test]
    fn a_guide_table_is_right_or_silent_at_every_border() {
        let step = 1.0 / (1u64 << 53) as f64;
        for law in laws() {
            let guide = Guide::new(&law);
            let (mut total, mut silent, mut asked) = (0.0, 0u32, 0u32);
            let mut borders = vec![0.0];
            borders.extend(law.iter().map(|p| {
                total += p;
                total
            }));
            for border in borders {
                let grid = (border / step).round();
                // Up to twice as far as rounding could decide.
                let apart = (law.len() as f64 / 5.0).ceil();
                for offset in (-40..=40).map(|k| f64::from(k) * apart) {
                    let unit = (grid + offset) * step;
                    if !(0.0..1.0).contains(&unit) {
                        continue;
                    }
                    asked += 1;
                    match guide.find(unit) {
                        Some(index) => assert_eq!(index, index_of(unit, &law), "{unit} {law:?}"),
                        None => silent += 1,
                    }
                }
            }
            assert!(0 < silent && silent < asked, "{silent} of {asked}");
        }
    }
}

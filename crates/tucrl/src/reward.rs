//! How is the reward of a state-action pair distributed?
//!
//! Any distribution on a [`RewardRange`] `[low, high]`; exact answers depend only on the mean. A
//! reward may be drawn jointly with the next state: then each next state has its own distribution
//! ([`PairReward::Joint`]).
//!
//! The paper has rewards in `[0, r_max]` (section 2). Laws keep the world's own units; learners and
//! exact answers see `reward - low` and `r_max = high - low`. Gains are then larger by `-low`; biases,
//! gaps and regret are differences and do not change.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::rng::RandomStream;

/// The largest accepted `high - low`: a long run can sum such rewards, and statistics can square the sums.
pub const MAX_REWARD: f64 = 1e100;

/// The smallest and the largest possible reward of a world, in its own units; `[0, 1]` by default.
///
/// ```
/// use tucrl::reward::RewardRange;
/// let range = RewardRange::new(-10.0, 20.0)?;
/// assert_eq!((range.low(), range.width()), (-10.0, 30.0));
/// assert_eq!(range.to_string(), "[-10, 20]");
/// assert!(RewardRange::new(1.0, 1.0).is_err());
/// # Ok::<(), tucrl::reward::RangeError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "(f64, f64)", into = "(f64, f64)")]
pub struct RewardRange {
    low: f64,
    high: f64,
}

/// Two numbers that are not the ends of a range of rewards.
#[derive(Debug, Clone, PartialEq, Error)]
#[error(
    "({low}, {high}) is not a range of rewards: give the lowest reward, then a larger highest reward, \
     both finite and not more than 1e100 apart"
)]
pub struct RangeError {
    /// The first number.
    pub low: f64,
    /// The second number.
    pub high: f64,
}

impl RewardRange {
    /// The rewards from `low` to `high`.
    ///
    /// # Errors
    /// When a number is not finite, `low` is not below `high`, or they are more than [`MAX_REWARD`] apart.
    pub fn new(low: f64, high: f64) -> Result<Self, RangeError> {
        // −0 becomes 0, so that equal ranges are written alike.
        let range = Self { low: low + 0.0, high: high + 0.0 };
        if range.is_valid() && range.width() <= MAX_REWARD {
            Ok(range)
        } else {
            Err(RangeError { low, high })
        }
    }

    /// The rewards from 0 to `r_max`; builders check that it is positive and not too large.
    pub const fn up_to(r_max: f64) -> Self {
        Self { low: 0.0, high: r_max }
    }

    pub(crate) fn is_valid(self) -> bool {
        self.low.is_finite() && self.width().is_finite() && self.width() > 0.0
    }

    /// The smallest possible reward.
    pub fn low(self) -> f64 {
        self.low
    }

    /// The largest possible reward.
    pub fn high(self) -> f64 {
        self.high
    }

    /// `high - low`: the largest reward as learners and exact answers see it.
    #[doc(alias = "r_max")]
    pub fn width(self) -> f64 {
        self.high - self.low
    }

    /// A reward or gain that is counted from the smallest reward, in the world's own units.
    pub fn in_own_units(self, above: f64) -> f64 {
        above + self.low
    }

    /// Whether a reward lies in the range.
    pub fn contains(self, reward: f64) -> bool {
        (self.low..=self.high).contains(&reward)
    }
}

impl Default for RewardRange {
    fn default() -> Self {
        Self::up_to(1.0)
    }
}

impl fmt::Display for RewardRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}, {}]", self.low, self.high)
    }
}

impl TryFrom<(f64, f64)> for RewardRange {
    type Error = RangeError;

    fn try_from((low, high): (f64, f64)) -> Result<Self, RangeError> {
        Self::new(low, high)
    }
}

impl From<RewardRange> for (f64, f64) {
    fn from(range: RewardRange) -> Self {
        (range.low, range.high)
    }
}

/// The distribution of a reward.
#[derive(Debug, Clone, PartialEq)]
pub enum RewardLaw {
    /// A constant.
    Constant(f64),
    /// Uniform on `[low, high)`.
    Uniform {
        /// The smallest reward.
        low: f64,
        /// The largest reward.
        high: f64,
    },
    /// `value` with the given probability, otherwise 0.
    Bernoulli {
        /// The probability of `value`.
        probability: f64,
        /// The reward.
        value: f64,
    },
    /// Finitely many values, as `(reward, probability)`.
    Discrete(Box<[(f64, f64)]>),
}

impl From<f64> for RewardLaw {
    fn from(reward: f64) -> Self {
        Self::Constant(reward)
    }
}

impl RewardLaw {
    /// A distribution over finitely many values `(reward, probability)`.
    pub fn discrete(outcomes: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Self::Discrete(outcomes.into_iter().collect())
    }

    /// The expected reward.
    pub fn mean(&self) -> f64 {
        self.mean_above(0.0)
    }

    /// The expected difference between the reward and `zero`. The difference is taken before the mean, so that a
    /// large `zero` costs no digits.
    pub fn mean_above(&self, zero: f64) -> f64 {
        match self {
            Self::Constant(reward) => reward - zero,
            Self::Uniform { low, high } => (low - zero) + (high - low) / 2.0,
            Self::Bernoulli { probability, value } => {
                probability * (value - zero) + (1.0 - probability) * (0.0 - zero)
            }
            Self::Discrete(outcomes) => {
                let above = |&(reward, probability): &(f64, f64)| (reward - zero) * probability;
                let sum = outcomes.iter().map(above).sum();
                let (low, high) = self.bounds();
                f64::max(sum, low - zero).min(high - zero)
            }
        }
    }

    /// The smallest and the largest possible reward.
    pub fn bounds(&self) -> (f64, f64) {
        match self {
            Self::Constant(reward) => (*reward, *reward),
            Self::Uniform { low, high } => (*low, *high),
            Self::Bernoulli { value, .. } => (value.min(0.0), value.max(0.0)),
            Self::Discrete(outcomes) => outcomes
                .iter()
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &(reward, _)| {
                    (low.min(reward), high.max(reward))
                }),
        }
    }

    /// Draws a reward. A constant consumes no random number, every other distribution exactly one.
    #[inline]
    pub fn sample(&self, random: &mut RandomStream) -> f64 {
        match self {
            Self::Constant(reward) => *reward,
            Self::Uniform { low, high } => random.uniform(*low, *high),
            Self::Bernoulli { probability, value } => {
                if random.chance(*probability) {
                    *value
                } else {
                    0.0
                }
            }
            Self::Discrete(outcomes) => {
                let mut left = random.unit();
                let mut last = 0.0;
                for &(reward, probability) in outcomes {
                    if left < probability {
                        return reward;
                    }
                    if probability > 0.0 {
                        last = reward;
                    }
                    left -= probability;
                }
                last
            }
        }
    }

    /// Replaces every −0 by 0, so that equal distributions have one form in memory and in files.
    pub(crate) fn with_plain_zeros(self) -> Self {
        match self {
            Self::Constant(reward) => Self::Constant(reward + 0.0),
            Self::Uniform { low, high } => Self::Uniform { low: low + 0.0, high: high + 0.0 },
            Self::Bernoulli { probability, value } => {
                Self::Bernoulli { probability: probability + 0.0, value: value + 0.0 }
            }
            Self::Discrete(mut outcomes) => {
                outcomes
                    .iter_mut()
                    .for_each(|(reward, p)| (*reward, *p) = (*reward + 0.0, *p + 0.0));
                Self::Discrete(outcomes)
            }
        }
    }

    /// The defect of an invalid distribution. The builder checks the range.
    pub(crate) fn defect(&self) -> Option<String> {
        let is_probability = |p: f64| (0.0..=1.0).contains(&p);
        match self {
            Self::Constant(reward) if !reward.is_finite() => {
                Some(format!("reward {reward} is not a finite number"))
            }
            Self::Uniform { low, high } if !(low.is_finite() && high.is_finite()) => {
                Some(format!("uniform ends {low} and {high} are not finite numbers"))
            }
            Self::Uniform { low, high } if low > high => {
                Some(format!("uniform low end {low} lies above its high end {high}: swap them"))
            }
            Self::Bernoulli { probability, .. } if !is_probability(*probability) => {
                Some(format!("Bernoulli probability {probability} is not in [0, 1]"))
            }
            Self::Bernoulli { value, .. } if !value.is_finite() => {
                Some(format!("Bernoulli value {value} is not a finite number"))
            }
            Self::Discrete(outcomes) => {
                if outcomes.is_empty() {
                    return Some("a discrete law needs at least one outcome".into());
                }
                for &(reward, probability) in outcomes {
                    if !reward.is_finite() {
                        return Some(format!("reward {reward} is not a finite number"));
                    }
                    if !is_probability(probability) {
                        return Some(format!("outcome probability {probability} is not in [0, 1]"));
                    }
                }
                let sum: f64 = outcomes.iter().map(|outcome| outcome.1).sum();
                ((sum - 1.0).abs() > 1e-9)
                    .then(|| format!("outcome probabilities sum to {sum}, not to 1"))
            }
            _ => None,
        }
    }

    /// The values `(reward, probability)`; `None` for a continuous distribution.
    pub(crate) fn outcomes(&self) -> Option<Vec<(f64, f64)>> {
        match self {
            Self::Constant(reward) => Some(vec![(*reward, 1.0)]),
            Self::Uniform { .. } => None,
            Self::Bernoulli { probability, value } => {
                Some(vec![(0.0, 1.0 - probability), (*value, *probability)])
            }
            Self::Discrete(outcomes) => Some(outcomes.to_vec()),
        }
    }
}

/// The reward of one state-action pair.
#[derive(Debug, Clone, PartialEq)]
pub enum PairReward {
    /// Drawn independently of the next state.
    Alone(RewardLaw),
    /// Drawn jointly with the next state: one distribution per entry of the transition row.
    Joint(Box<[RewardLaw]>),
}

//! How is the reward of one action drawn?
//!
//! The paper lets rewards be any law on `[0, r_max]` and only their means matter to the exact
//! answers. A reward may also be drawn jointly with the next state: then every next state has its
//! own law ([`PairReward::Joint`]), which describes every joint law there is.
//!
//! Reads `rng`; feeds `mdp`. Departures from the paper: none.

use crate::rng::RandomStream;

/// The law of one reward.
#[derive(Debug, Clone, PartialEq)]
pub enum RewardLaw {
    /// Always the same.
    Constant(f64),
    /// Uniform between two ends.
    Uniform {
        /// The smallest reward.
        low: f64,
        /// The largest reward.
        high: f64,
    },
    /// `value` with the given probability, otherwise 0.
    Bernoulli {
        /// The probability of being paid.
        probability: f64,
        /// What is paid.
        value: f64,
    },
    /// One of finitely many outcomes, as `(reward, probability)`.
    Discrete(Box<[(f64, f64)]>),
}

impl From<f64> for RewardLaw {
    fn from(reward: f64) -> Self {
        Self::Constant(reward)
    }
}

impl RewardLaw {
    /// A law over finitely many outcomes `(reward, probability)`.
    pub fn discrete(outcomes: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Self::Discrete(outcomes.into_iter().collect())
    }

    /// The expected reward.
    pub fn mean(&self) -> f64 {
        match self {
            Self::Constant(reward) => *reward,
            Self::Uniform { low, high } => low + (high - low) / 2.0,
            Self::Bernoulli { probability, value } => probability * value,
            Self::Discrete(outcomes) => {
                let sum = outcomes.iter().map(|&(reward, probability)| reward * probability).sum();
                let (low, high) = self.bounds();
                f64::max(sum, low).min(high)
            }
        }
    }

    /// The smallest and the largest reward that the law can give.
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

    /// Draws one reward. A constant uses no random number, every other law exactly one.
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

    /// The same law with every −0 written as 0: one form for one meaning, in memory and in files.
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

    /// What is wrong with the law, if anything; its range is checked by the model.
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

    /// The outcomes of a law that has finitely many, `None` for a continuous one.
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
    /// Drawn together with the next state: one law per entry of the transition row, in its order.
    Joint(Box<[RewardLaw]>),
}

//! How far can the truth be from what was observed?
//!
//! Widths of the confidence sets, for the Bernstein boxes of the paper (section 3, "UCRL" and TUCRL)
//! and the Hoeffding and L1 sets of UCRL2 (Jaksch, Ortner, Auer 2010). With b = ln(2 S A t_k / delta):
//!
//! - Bernstein: sqrt(14 var b / N+) + (49/3) b / N±, times r_max in the linear part for rewards;
//! - Hoeffding: r_max sqrt(7 b / (2 N+)) for rewards, an L1 ball of radius
//!   sqrt(14 S ln(2 A t_k / delta) / N+) for transitions.
//!
//! Every width is a root part times sqrt(b) plus a linear part times b, and only b changes for pairs
//! that were not visited. Shrinking by alpha multiplies the widths (the paper's words) or b (what the
//! published experiments did).
//!
//! Later relatives (ALGORITHMS 1.1 and 6): the tighter Bernstein widths of 2020,
//! 2 sqrt(var L / N+) + 6 L / N+ with L = ln(6 S A N+ / delta); the Kullback-Leibler balls of KL-UCRL, of radius
//! C_p / N+; and, in `ucrl3`, UCRL3's bounds for coins.
//!
//! Reads `counts`; feeds `truncation` and `evi`. Departures from the paper: none; constants of the later
//! relatives are from public code or memory, as the docs say.

mod ucrl3;

pub use ucrl3::CoinBounds;

use serde::{Deserialize, Serialize};

use crate::counts::PairCounts;
use crate::space::Space;

/// The confidence parameter of an episode.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Delta {
    /// The same in every episode, as in the paper.
    Fixed(f64),
    /// 1/sqrt(t_k), as in the published experiments.
    InverseRoot,
}

/// What shrinking by alpha multiplies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Shrink {
    /// The widths.
    #[default]
    Linear,
    /// The logarithm b: the root part by sqrt(alpha), the linear part by alpha.
    Log,
}

/// The family of confidence sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Family {
    /// Hoeffding intervals for rewards, L1 balls for transitions (UCRL2).
    Hoeffding,
    /// Empirical Bernstein intervals for both (UCRL2B, TUCRL).
    Bernstein,
    /// The tighter ones of 2020, whose logarithm has the pair's visits in place of time.
    Bernstein2020,
    /// Hoeffding intervals for rewards, Kullback-Leibler balls for transitions (KL-UCRL).
    Kl,
}

/// How widths are computed; fixed for a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Confidence {
    /// Which inequality.
    pub family: Family,
    /// The probability that is allowed to fail.
    pub delta: Delta,
    /// Shrinkage of reward widths.
    pub alpha_r: f64,
    /// Shrinkage of transition widths.
    pub alpha_p: f64,
    /// What alpha multiplies.
    pub shrink: Shrink,
    /// The largest possible reward.
    pub r_max: f64,
    /// Replaces S A in the logarithm; for experiments.
    pub nominal_pairs: Option<f64>,
}

/// The widths of one episode: two numbers for rewards, two for transitions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Widths {
    family: Family,
    reward_root: f64,
    reward_linear: f64,
    next_root: f64,
    next_linear: f64,
    states: f64,
    /// Bernstein2020: the logarithm of a pair without visits.
    log: f64,
    bounds_mass: bool,
}

impl Confidence {
    /// The widths of an episode that starts at time `t_k`.
    #[doc(alias = "b_k")]
    pub fn widths(&self, space: &Space, t_k: u64) -> Widths {
        let time = t_k as f64;
        let delta = match self.delta {
            Delta::Fixed(delta) => delta,
            Delta::InverseRoot => 1.0 / time.sqrt(),
        };
        let pairs = self.nominal_pairs.unwrap_or(space.nominal_pairs() as f64);
        // The logarithm of a quotient that may be too large for a float.
        let log = |size: f64| match (2.0 * size * time / delta).ln() {
            log if log.is_finite() => log,
            _ => 2f64.ln() + size.ln() + time.ln() - delta.ln(),
        };
        let b = log(pairs);
        let (states, actions) = (space.states() as f64, f64::from(space.max_actions()));
        // Factors of sqrt(b) and of b.
        // An infinite width would meet deviations of 0; the largest number is as good.
        let root = |alpha: f64, inside: f64| match self.shrink {
            Shrink::Linear => (alpha * inside.sqrt()).min(f64::MAX),
            Shrink::Log => (alpha * inside).sqrt().min(f64::MAX),
        };
        match self.family {
            Family::Bernstein2020 => Widths {
                family: self.family,
                reward_root: root(self.alpha_r, 4.0),
                reward_linear: self.alpha_r * 6.0 * self.r_max,
                next_root: root(self.alpha_p, 4.0),
                next_linear: self.alpha_p * 6.0,
                states,
                log: 6f64.ln() + pairs.ln() - delta.ln(),
                bounds_mass: false,
            },
            Family::Kl => {
                let late = time.max(2.0).ln().ln();
                let each =
                    (2.0 * std::f64::consts::E).ln() + states.ln() + pairs.ln() + late - delta.ln();
                let grown = each + 1.0 / time.max(2.0).ln();
                let radius = states * (each + grown.ln() * (1.0 + 1.0 / grown));
                let rewards = (4f64.ln() + pairs.ln() + late - delta.ln()).max(0.0) / 1.99;
                Widths {
                    family: self.family,
                    reward_root: self.r_max * root(self.alpha_r, rewards),
                    reward_linear: 0.0,
                    next_root: 0.0,
                    // A divergence is the square of a width.
                    next_linear: radius
                        * match self.shrink {
                            Shrink::Linear => self.alpha_p * self.alpha_p,
                            Shrink::Log => self.alpha_p,
                        },
                    states,
                    log: 0.0,
                    bounds_mass: false,
                }
            }
            Family::Hoeffding => Widths {
                family: self.family,
                reward_root: self.r_max * root(self.alpha_r, 3.5 * b),
                reward_linear: 0.0,
                next_root: root(self.alpha_p, 14.0 * states * log(actions)),
                next_linear: 0.0,
                states,
                log: 0.0,
                bounds_mass: false,
            },
            Family::Bernstein => Widths {
                family: self.family,
                reward_root: root(self.alpha_r, 14.0 * b),
                reward_linear: self.alpha_r * (49.0 / 3.0) * self.r_max * b,
                next_root: root(self.alpha_p, 14.0 * b),
                next_linear: self.alpha_p * (49.0 / 3.0) * b,
                states,
                log: 0.0,
                bounds_mass: false,
            },
        }
    }
}

impl Widths {
    /// Bernstein2020: the logarithm of a pair, and its root.
    #[inline]
    fn logs(&self, pair: &PairCounts) -> (f64, f64) {
        let log = (self.log + (pair.visits_at_least_one() as f64).ln()).max(0.0);
        (log.sqrt(), log)
    }

    /// The same widths, but with L1 radii that do not grow with S: the widths of the `d` next states
    /// observed, and for the mass of all others together `1 + d` times the width of one.
    ///
    /// The chance that the next visit shows something new is the mass m never observed so far, which never
    /// grows; `d` of N visits did. As E exp((1 - 1/e) m - x) <= 1 for an indicator x of mean m, N m is at
    /// most (d + ln(1/delta)) / (1 - 1/e) with probability 1 - delta, which is less than `1 + d` widths.
    pub fn bounding_mass(self) -> Self {
        Self { bounds_mass: true, ..self }
    }

    /// The reward width of a pair.
    #[doc(alias = "beta_r")]
    #[inline]
    pub fn reward(&self, pair: &PairCounts) -> f64 {
        match self.family {
            Family::Hoeffding | Family::Kl => {
                self.reward_root / (pair.visits_at_least_one() as f64).sqrt()
            }
            Family::Bernstein => {
                self.reward_root * pair.reward_deviation()
                    + self.reward_linear / pair.visits_less_one() as f64
            }
            Family::Bernstein2020 => {
                let (root, log) = self.logs(pair);
                self.reward_root * root * pair.reward_deviation()
                    + self.reward_linear * log / pair.visits_at_least_one() as f64
            }
        }
    }

    /// The width of a next state never seen from a pair: the largest probability that it may have.
    #[doc(alias = "beta_0")]
    #[doc(alias = "p+")]
    #[inline]
    pub fn unobserved(&self, pair: &PairCounts) -> f64 {
        match self.family {
            Family::Hoeffding | Family::Bernstein => {
                self.next_linear / pair.visits_less_one() as f64
            }
            Family::Bernstein2020 => {
                self.next_linear * self.logs(pair).1 / pair.visits_at_least_one() as f64
            }
            Family::Kl => -(-self.radius(pair)).exp_m1(),
        }
    }

    /// The width of an observed next state with the given deviation.
    #[doc(alias = "beta_p")]
    #[inline]
    pub fn observed(&self, pair: &PairCounts, deviation: f64) -> f64 {
        let root = match self.family {
            Family::Bernstein2020 => self.next_root * self.logs(pair).0,
            _ => self.next_root,
        };
        root * deviation + self.unobserved(pair)
    }

    /// The radius of the ball around the observed law: UCRL2's own L1 ball, KL-UCRL's own divergence, or the
    /// sum of the Bernstein widths over *all* S next states, forbidden ones included; see also
    /// [`Widths::bounding_mass`].
    #[inline]
    pub fn radius(&self, pair: &PairCounts) -> f64 {
        match self.family {
            Family::Hoeffding => self.next_root / (pair.visits_at_least_one() as f64).sqrt(),
            Family::Kl => self.next_linear / pair.visits_at_least_one() as f64,
            Family::Bernstein => {
                let widths = match self.bounds_mass {
                    true => (2.0 * f64::from(pair.observed()) + 1.0).min(self.states),
                    false => self.states,
                };
                self.next_root * pair.spread() + widths * self.unobserved(pair)
            }
            Family::Bernstein2020 => {
                let root = self.next_root * self.logs(pair).0;
                root * pair.spread() + self.states * self.unobserved(pair)
            }
        }
    }
}

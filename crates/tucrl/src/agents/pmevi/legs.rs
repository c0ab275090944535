//! How much do the biases of two states differ, by what was earned between visits of them?
//!
//! Boone, Zhang 2024, bias estimation; from memory, re-derived, **unverified**. For two states a, b cut the past since both were
//! seen into legs: from a visit of one to the next visit of the other. On a leg from a to b,
//!
//! ```text
//! sum (R - g*) = h*(a) - h*(b) - sum of gaps + martingale,
//! ```
//!
//! and minus that of a leg from b to a estimates the same. With K legs done and the mean reward g for g*,
//!
//! ```text
//! c(a,b) = (1/K) sum over legs of ± sum (R - g)
//! d(a,b) = (3 c0 + (r_max + c0) sqrt(8 t ln(2/delta')) + 2 B) / K,    B = sum (g_k - R_t)
//! ```
//!
//! |h*(a) - h*(b) - c| <= d: the gaps of all steps sum up to at most B + c0 + martingale because plans are optimistic, t |g - g*|
//! to at most the same, and four martingales of range r_max + c0 take sqrt(t ln(2/delta')/2) each. A leg costs O(S) at each
//! arrival.

use serde::{Deserialize, Serialize};

/// What is known of two states, the one with the smaller number first.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
struct Leg {
    /// 1 if the open leg began in the first state, -1 if in the second, 0 if there is none.
    side: i8,
    /// Rewards and steps up to the begin of the open leg.
    from: (f64, u64),
    /// Signed sums over the legs that are done.
    reward: f64,
    steps: i64,
    done: u64,
}

/// The legs of all pairs of seen states.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Legs {
    seen: usize,
    /// Of states a < b at b (b - 1) / 2 + a.
    legs: Vec<Leg>,
    reward: f64,
    steps: u64,
    /// The sum of g_k - R_t.
    #[doc(alias = "B")]
    excess: f64,
}

/// An estimate of h*(s) - h*(s') with its width.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The estimate.
    pub difference: f64,
    /// How far off it may be.
    pub width: f64,
}

impl Legs {
    /// Makes room for this many seen states.
    pub fn grow(&mut self, seen: usize) {
        self.seen = self.seen.max(seen);
        self.legs.resize(self.seen * self.seen.saturating_sub(1) / 2, Leg::default());
    }

    /// Records a step in a state that is at most as large as the last [`Legs::grow`] said, under a plan of this gain.
    pub fn step(&mut self, state: usize, reward: f64, gain: f64) {
        let now = (self.reward, self.steps);
        for other in (0..self.seen).filter(|&other| other != state) {
            let (a, b) = (state.min(other), state.max(other));
            let side = if state == a { 1 } else { -1 };
            let leg = &mut self.legs[b * (b - 1) / 2 + a];
            if leg.side == side {
                continue;
            }
            if leg.side != 0 {
                leg.reward += f64::from(leg.side) * (now.0 - leg.from.0);
                leg.steps += i64::from(leg.side) * (now.1 - leg.from.1) as i64;
                leg.done += 1;
            }
            (leg.side, leg.from) = (side, now);
        }
        self.reward += reward;
        self.steps += 1;
        self.excess += gain - reward;
    }

    /// Ends all open legs without counting them: what follows is not the next step.
    pub fn interrupt(&mut self) {
        self.legs.iter_mut().for_each(|leg| leg.side = 0);
    }

    /// Steps recorded.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The estimate of h*(a) - h*(b) for a < b, if a leg between them is done. `root` is sqrt(8 ln(2/delta')) (r_max + c0).
    pub fn estimate(&self, a: usize, b: usize, c0: f64, root: f64) -> Option<Estimate> {
        let leg = self.legs.get(b * b.checked_sub(1)? / 2 + a).filter(|leg| leg.done > 0)?;
        let mean = self.reward / self.steps as f64;
        let done = leg.done as f64;
        let numerator = 3.0 * c0 + root * (self.steps as f64).sqrt() + 2.0 * self.excess;
        Some(Estimate {
            difference: (leg.reward - mean * leg.steps as f64) / done,
            width: numerator.max(0.0) / done,
        })
    }
}

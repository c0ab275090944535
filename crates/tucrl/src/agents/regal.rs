//! What would the best plausible world earn, if a large span had to be paid for?
//!
//! REGAL, REGAL.C and REGAL.D (Bartlett and Tewari 2009; paper, appendix on the mistake in REGAL.D; ALGORITHMS 4).
//! REGAL.C bounds the span by H: relaxed to policies instead of optimal policies it *is* SCAL with c = H. REGAL
//! charges C for each unit of span, with C of the order of one over the length of the episode, which lies in the
//! future: here C is a constant, or made from the length of the last episode. REGAL.D guesses lengths 1, 2, 4, ...
//! within an episode and plans anew for each guess while counts stand still.
//!
//! All three are approximations of what their authors define (`span_price` says how), and none has a guarantee
//! here: REGAL cannot be run, and the proof of REGAL.D has a mistake of sign.
//!
//! Reads `span_price`, `span_clip`; feeds `agents`. Departures: the sets are those of ucrl, not the original L1
//! balls; T in the constant of the penalty is the present time.

use serde::{Deserialize, Serialize};

use super::scal::low_reward;
use super::ucrl::{Believed, SetKind};
use super::{AgentError, Optimism, check_clip};
use crate::planner::{Plan, PlanError, Planner, Rule, Situation};
use crate::span_clip::{self, SpanClip};
use crate::span_price;
use crate::truncation;

/// What is charged for span.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Penalty {
    /// Nothing, but the span is bounded (REGAL.C); the bound stands in `clip`.
    Bound,
    /// A constant for each unit (REGAL).
    Constant(f64),
    /// The theory's constant over the root of the last episode's length, in place of the next one's (REGAL).
    LastLength,
    /// The theory's constant over the root of a guessed length (REGAL.D).
    Guesses,
}

/// REGAL and its variants.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Regal {
    /// The shared options.
    pub optimism: Optimism,
    /// How span bounds are kept; its bound is that of REGAL.C.
    pub clip: SpanClip,
    /// What is charged.
    pub penalty: Penalty,
    /// Which sets.
    pub set: SetKind,
}

impl Default for Regal {
    fn default() -> Self {
        Self {
            optimism: Optimism::default(),
            clip: SpanClip::default(),
            penalty: Penalty::LastLength,
            set: SetKind::Bernstein,
        }
    }
}

impl Regal {
    /// The name of the variant.
    pub fn name(&self) -> &'static str {
        match self.penalty {
            Penalty::Bound => "regal-c",
            Penalty::Constant(_) | Penalty::LastLength => "regal",
            Penalty::Guesses => "regal-d",
        }
    }

    pub(super) fn check(&self) -> Result<(), AgentError> {
        check_clip(&self.clip)?;
        if let Penalty::Constant(price) = self.penalty
            && !(price.is_finite() && price >= 0.0)
        {
            let expected = "a finite number, at least 0";
            return Err(AgentError::Option {
                option: "penalty",
                value: price.to_string(),
                expected,
            });
        }
        if self.set == SetKind::Ucrl3 {
            return Err(AgentError::Mixture {
                option: "set",
                value: "ucrl3".into(),
                reason: "a clipped state plays its most pessimistic law as well, and ucrl3 selects next \
                         states for optimism only: choose bernstein, bernstein-2020, l1 or kl",
            });
        }
        Ok(())
    }

    /// The numerator of the penalty: 2 S sqrt(12 ln(2 A t / delta)) + sqrt(2 ln(1 / delta)).
    #[doc(alias = "c_R")]
    pub fn numerator(states: f64, actions: f64, time: f64, delta: f64) -> f64 {
        2.0 * states * (12.0 * (2.0 * actions * time / delta).ln()).sqrt()
            + (2.0 * (1.0 / delta).ln()).max(0.0).sqrt()
    }

    /// What a unit of span costs in the plan that is made now.
    pub fn price(&self, now: &Situation<'_>) -> f64 {
        let space = now.counts.space();
        let numerator = Self::numerator(
            space.states() as f64,
            f64::from(space.max_actions()),
            now.t_k as f64,
            self.optimism.delta_at(now.t_k),
        );
        match self.penalty {
            Penalty::Bound => 0.0,
            Penalty::Constant(price) => price,
            Penalty::LastLength => numerator / (now.last_length.unwrap_or(1).max(1) as f64).sqrt(),
            Penalty::Guesses => numerator / 2f64.powi(now.guess as i32).sqrt(),
        }
    }
}

impl Planner for Regal {
    fn plan(&self, now: &Situation<'_>) -> Result<Plan, PlanError> {
        let Situation { counts, t_k, known, .. } = *now;
        let Believed { mut set, reward_width } =
            self.set.believed(&self.optimism, counts, t_k, known);
        let low = |pair: usize| low_reward(counts, known, &reward_width, pair);
        let plan = if self.penalty == Penalty::Bound {
            span_clip::solve(&mut set, t_k, &self.clip, low)?
        } else {
            let (price, unbounded) = (self.price(now), &self.optimism.evi);
            span_price::best_bound(&mut set, t_k, price, &self.clip, unbounded, &low)?.plan
        };
        Ok(Plan { under_visited: truncation::decide(counts, t_k).under_visited, ..plan })
    }

    fn rule(&self) -> Rule {
        if self.penalty == Penalty::Guesses { Rule::Guesses } else { Rule::Doubling }
    }
}

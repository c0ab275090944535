//! What would the world be worth, if it were the one that was drawn?
//!
//! Posterior sampling (ALGORITHMS 5): draw a world from what is believed, play its optimal policy for an
//! episode, draw again. The rule that ends an episode is what tells the variants apart: PSRL doubles visits,
//! TSDE (Ouyang et al. 2017) lets lengths grow by one, DS-PSRL (Theocharous et al. 2017) doubles time.
//! Optimistic PSRL (Agrawal and Jia 2017) draws many laws a pair and plays for the best of them.
//!
//! A prior with full support never gives up a state that cannot be reached, and the spans of its samples are
//! unbounded, which is what the paper objects to (appendix on continuous priors).
//!
//! Reads `posterior`; feeds `agents`. Departures: constants of optimistic PSRL as remembered; TSDE's count
//! rule is N_t <= 2 N (ALGORITHMS, register 21).

use serde::{Deserialize, Serialize};

use super::AgentError;
use crate::counts::Counts;
use crate::planner::{Choice, Plan, PlanError, Planner, Rule, Situation};
use crate::posterior::{
    Concentration, DrawError, Drawn, Extended, Prior, RewardEvidence, RewardPosterior,
    plan_optimistically,
};
use crate::rng::RandomStream;
use crate::truncation;

/// Posterior sampling: PSRL, TSDE or DS-PSRL, by its rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Psrl {
    /// What is believed in advance, and how worlds are drawn.
    pub prior: Prior,
    /// When to draw again.
    pub rule: Rule,
    /// The largest possible reward.
    pub r_max: f64,
}

impl Default for Psrl {
    fn default() -> Self {
        Self { prior: Prior::default(), rule: Rule::Doubling, r_max: 1.0 }
    }
}

/// Optimistic posterior sampling.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OptimisticPsrl {
    /// Its numbers.
    pub options: Extended,
    /// Whether the true mean rewards are told.
    pub known_rewards: bool,
    /// When to draw again.
    pub rule: Rule,
    /// The largest possible reward.
    pub r_max: f64,
}

fn refuse<T>(option: &'static str, value: f64, expected: &'static str) -> Result<T, AgentError> {
    Err(AgentError::Option { option, value: value.to_string(), expected })
}

fn check_r_max(r_max: f64) -> Result<(), AgentError> {
    if r_max.is_finite() && r_max > 0.0 {
        return Ok(());
    }
    refuse("r_max", r_max, "a positive finite number")
}

impl Psrl {
    /// The name of the variant.
    pub fn name(&self) -> &'static str {
        match self.rule {
            Rule::Growing => "tsde",
            Rule::PowersOfTwo => "ds-psrl",
            _ => "psrl",
        }
    }

    pub(super) fn check(&self) -> Result<(), AgentError> {
        const POSITIVE: &str = "a positive finite number";
        let is_positive = |value: f64| value.is_finite() && value > 0.0;
        check_r_max(self.r_max)?;
        if let Concentration::Each(each) = self.prior.concentration
            && !is_positive(each)
        {
            return refuse("concentration", each, POSITIVE);
        }
        match self.prior.rewards {
            RewardPosterior::BetaFractional { a, b } | RewardPosterior::BetaBernoulli { a, b } => {
                for (option, value) in [("a", a), ("b", b)] {
                    if !is_positive(value) {
                        return refuse(option, value, POSITIVE);
                    }
                }
            }
            RewardPosterior::NormalGamma { mean, strength, shape, rate } => {
                if !mean.is_finite() {
                    return refuse("m0", mean, "a finite number");
                }
                for (option, value) in [("l0", strength), ("a0", shape), ("b0", rate)] {
                    if !is_positive(value) {
                        return refuse(option, value, POSITIVE);
                    }
                }
            }
            RewardPosterior::Known => {}
        }
        if self.rule == Rule::Guesses {
            return Err(AgentError::Mixture {
                option: "rule",
                value: "guesses".into(),
                reason: "guessed lengths are for REGAL.D, whose penalty depends on the guess",
            });
        }
        Ok(())
    }
}

impl OptimisticPsrl {
    pub(super) fn check(&self) -> Result<(), AgentError> {
        check_r_max(self.r_max)?;
        let Extended { steps, rho, samples } = self.options;
        if !(rho > 0.0 && rho <= 1.0) {
            return refuse("rho", rho, "a probability in (0, 1]");
        }
        if steps == 0 {
            return refuse("steps", 0.0, "at least 1");
        }
        if samples == Some(0) {
            return refuse("psi", 0.0, "at least 1");
        }
        super::check_optimistic_rule(self.rule)
    }
}

impl Planner for Psrl {
    fn plan(&self, now: &Situation<'_>) -> Result<Plan, PlanError> {
        let evidence =
            RewardEvidence { r_max: self.r_max, known: now.known, successes: now.successes };
        let tolerance = self.r_max / (now.t_k as f64).sqrt();
        let mut random = RandomStream::new(now.luck);
        let drawn = self.prior.draw_and_solve(now.counts, &evidence, tolerance, &mut random);
        plan_of(drawn, now.counts, now.t_k)
    }

    fn rule(&self) -> Rule {
        self.rule
    }

    fn samples(&self) -> bool {
        true
    }

    fn tosses_for(&self) -> Option<f64> {
        matches!(self.prior.rewards, RewardPosterior::BetaBernoulli { .. }).then_some(self.r_max)
    }
}

impl Planner for OptimisticPsrl {
    fn plan(&self, now: &Situation<'_>) -> Result<Plan, PlanError> {
        let evidence = RewardEvidence { r_max: self.r_max, known: now.known, successes: None };
        let tolerance = self.r_max / (now.t_k as f64).sqrt();
        let mut random = RandomStream::new(now.luck);
        let options = &self.options;
        let drawn = plan_optimistically(options, now.counts, &evidence, tolerance, &mut random);
        plan_of(drawn, now.counts, now.t_k)
    }

    fn rule(&self) -> Rule {
        self.rule
    }

    fn samples(&self) -> bool {
        true
    }
}

fn plan_of(drawn: Result<Drawn, DrawError>, counts: &Counts, t_k: u64) -> Result<Plan, PlanError> {
    let drawn = drawn.map_err(|error| match error {
        DrawError::TooLarge { what, needed, limit, advice } => {
            PlanError::TooLarge { t_k, what, needed, limit, advice }
        }
        DrawError::NotConverged { .. } | DrawError::Solve(_) | DrawError::Model(_) => {
            PlanError::Unsolved { t_k, reason: error.to_string() }
        }
    })?;
    Ok(Plan {
        choices: drawn.actions.into_iter().map(Choice::pure).collect(),
        action_unseen: drawn.action_unseen,
        unseen_actions: drawn.unseen_actions,
        gain_low: drawn.gain_low,
        gain_high: drawn.gain_high,
        bias: drawn.bias,
        bias_unseen: drawn.bias_unseen,
        whole_span: Some(drawn.span),
        sweeps: drawn.sweeps,
        evaluations: 0,
        unseen: counts.unseen(),
        under_visited: truncation::decide(counts, t_k).under_visited,
    })
}

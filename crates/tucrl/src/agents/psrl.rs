//! Posterior sampling: plays the optimal policy of an MDP drawn from a posterior.
//!
//! Draw an MDP from the posterior, play its optimal policy for an episode, draw again. The variants differ in the
//! rule that ends an episode: PSRL doubles visits, TSDE (Ouyang et al. 2017) lets lengths grow by one, DS-PSRL
//! (Theocharous et al. 2017) doubles time. Optimistic PSRL (Agrawal and Jia 2017) draws many laws per pair and
//! plays for the best of them; its constants are from memory.
//!
//! A prior with full support never gives up a state that cannot be reached, and the spans of its samples are
//! unbounded (Fruit, Pirotta, Lazaric 2018, appendix on continuous priors).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{About, AgentKind, EpisodicAlgorithm, largest_reward};
use crate::counts::{Counts, Variance};
use crate::learner::{AgentError, Setting};
use crate::options::{FromWorld, IntegerOr, NumberOr, Theory, word};
use crate::planner::{Choice, Plan, PlanError, PlanInput, Planner, Pulse};
use crate::posterior::{
    Concentration, DrawError, Drawn, Extended, Prior, RewardEvidence, RewardPosterior, Split,
    plan_optimistically,
};
use crate::rng::RandomStream;
use crate::rules::{OptimistRule, Rule};
use crate::truncation;

word! {
    /// 1/S: all next states together count for one visit.
    InverseStates = "inverse-states"
}

/// How mean rewards are learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RewardModel {
    /// A beta law; a reward counts as a fraction of a success.
    #[default]
    Fractional,
    /// A beta law; a reward is the probability of a success that is drawn.
    Bernoulli,
    /// A normal law of unknown mean and precision.
    NormalGamma,
    /// The true means are told.
    Known,
}

/// Posterior sampling: PSRL, TSDE or DS-PSRL, by its rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Psrl {
    /// of the Dirichlet prior for each next state; inverse-states lets all of them count for one visit
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub concentration: NumberOr<InverseStates>,
    /// how mean rewards are learned: a beta law fed with fractions of a success, the same fed with Bernoulli draws,
    /// a normal law of unknown mean and precision, or told
    pub rewards: RewardModel,
    /// successes of the beta prior
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub a: f64,
    /// failures of the beta prior
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub b: f64,
    /// the normal prior's mean, in units of r_max
    pub m0: f64,
    /// how many rewards that mean counts for
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub l0: f64,
    /// the shape of the precision's gamma prior
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub a0: f64,
    /// its rate, in units of r_max squared
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub b0: f64,
    /// how mass is split among next states never observed from a pair: at random as the Dirichlet law has it,
    /// or evenly, an approximation whose cost does not depend on the nominal size
    pub split: Split,
    /// when an episode ends
    pub rule: Rule,
    /// the largest possible reward, counted from the smallest, or that of the world
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub r_max: FromWorld,
}

impl Default for Psrl {
    fn default() -> Self {
        Self {
            concentration: 1.0.into(),
            rewards: RewardModel::default(),
            a: 1.0,
            b: 1.0,
            m0: 1.0,
            l0: 1.0,
            a0: 1.0,
            b0: 1.0,
            split: Split::default(),
            rule: Rule::default(),
            r_max: FromWorld::default(),
        }
    }
}

impl Psrl {
    /// The prior that the options describe.
    pub fn prior(&self) -> Prior {
        let Self { a, b, .. } = *self;
        Prior {
            concentration: match self.concentration {
                NumberOr::Number(each) => Concentration::Each(each),
                NumberOr::Word(_) => Concentration::OneInAll,
            },
            rewards: match self.rewards {
                RewardModel::Fractional => RewardPosterior::BetaFractional { a, b },
                RewardModel::Bernoulli => RewardPosterior::BetaBernoulli { a, b },
                RewardModel::NormalGamma => RewardPosterior::NormalGamma {
                    mean: self.m0,
                    strength: self.l0,
                    shape: self.a0,
                    rate: self.b0,
                },
                RewardModel::Known => RewardPosterior::Known,
            },
            split: self.split,
        }
    }
}

/// Posterior sampling at work.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PsrlPlanner {
    prior: Prior,
    rule: Rule,
    r_max: f64,
    /// Successes of the Bernoulli draws that rewards stand for, by pair.
    successes: Vec<u64>,
}

impl Planner for PsrlPlanner {
    type Rule = Rule;

    fn plan(&mut self, now: &mut PlanInput<'_>) -> Result<Plan, PlanError> {
        let successes = (!self.successes.is_empty()).then_some(&self.successes[..]);
        let evidence = RewardEvidence { r_max: self.r_max, known: now.known, successes };
        let tolerance = self.r_max / (now.t_k as f64).sqrt();
        let mut random = RandomStream::new(now.random.bits());
        let drawn = self.prior.draw_and_solve(now.counts, &evidence, tolerance, &mut random);
        plan_of(drawn, now.counts, now.t_k)
    }

    fn rule(&self) -> Rule {
        self.rule
    }

    /// Normal posteriors need the sum of squared deviations, which this one has without a root.
    fn variance(&self) -> Variance {
        Variance::Population
    }

    #[inline]
    fn observe(&mut self, pair: usize, reward: f64, random: &mut RandomStream) {
        if let RewardPosterior::BetaBernoulli { .. } = self.prior.rewards {
            self.successes.resize(self.successes.len().max(pair + 1), 0);
            self.successes[pair] += u64::from(random.chance(reward / self.r_max));
        }
    }
}

impl EpisodicAlgorithm for Psrl {
    type Planner = PsrlPlanner;

    fn planner(&self, setting: &Setting) -> Result<PsrlPlanner, AgentError> {
        let r_max = largest_reward(self.r_max, setting)?;
        Ok(PsrlPlanner { prior: self.prior(), rule: self.rule, r_max, successes: Vec::new() })
    }

    fn knows_rewards(&self) -> bool {
        self.rewards == RewardModel::Known
    }

    fn step_cost(&self) -> u64 {
        60
    }
}

/// Optimistic posterior sampling.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OptimisticPsrl {
    /// how often the samples may fail to be optimistic
    #[schemars(extend("exclusiveMinimum" = 0.0, "maximum" = 1.0))]
    pub rho: f64,
    /// samples for each pair; theory is S ln(S A / rho)
    #[schemars(extend("minimum" = 1))]
    pub psi: IntegerOr<Theory>,
    /// whether the true mean rewards of visited states are told
    pub known_rewards: bool,
    /// when an episode ends
    pub rule: OptimistRule,
    /// the largest possible reward, counted from the smallest, or that of the world
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub r_max: FromWorld,
}

impl Default for OptimisticPsrl {
    fn default() -> Self {
        Self {
            rho: 0.05,
            psi: IntegerOr::default(),
            known_rewards: false,
            rule: OptimistRule::default(),
            r_max: FromWorld::default(),
        }
    }
}

/// Optimistic posterior sampling at work.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct OptimisticPsrlPlanner {
    options: Extended,
    rule: OptimistRule,
    r_max: f64,
}

impl Planner for OptimisticPsrlPlanner {
    type Rule = OptimistRule;

    fn plan(&mut self, now: &mut PlanInput<'_>) -> Result<Plan, PlanError> {
        let evidence = RewardEvidence { r_max: self.r_max, known: now.known, successes: None };
        let tolerance = self.r_max / (now.t_k as f64).sqrt();
        let mut random = RandomStream::new(now.random.bits());
        let options = &self.options;
        let drawn = plan_optimistically(options, now.counts, &evidence, tolerance, &mut random);
        plan_of(drawn, now.counts, now.t_k)
    }

    fn rule(&self) -> OptimistRule {
        self.rule
    }

    fn variance(&self) -> Variance {
        Variance::Population
    }
}

impl EpisodicAlgorithm for OptimisticPsrl {
    type Planner = OptimisticPsrlPlanner;

    fn planner(&self, setting: &Setting) -> Result<OptimisticPsrlPlanner, AgentError> {
        let samples = match self.psi {
            IntegerOr::Integer(samples) => Some(samples),
            IntegerOr::Word(_) => None,
        };
        let options = Extended { steps: setting.steps.max(1), rho: self.rho, samples };
        let r_max = largest_reward(self.r_max, setting)?;
        Ok(OptimisticPsrlPlanner { options, rule: self.rule, r_max })
    }

    fn knows_rewards(&self) -> bool {
        self.known_rewards
    }

    fn step_cost(&self) -> u64 {
        60
    }
}

fn plan_of(drawn: Result<Drawn, DrawError>, counts: &Counts, t_k: u64) -> Result<Plan, PlanError> {
    let drawn = drawn.map_err(|error| match error {
        _ if Pulse::is_stopped() => PlanError::Interrupted { t_k },
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

const NEEDS: &str = "The number of states and actions, junk states included, r_max, and a prior.";
const LIMITS: &str = "The prior gives every state a positive probability, so one that cannot be \
                      reached attracts every sample a little; and the spans of samples are unbounded, see theta and the paper's \
                      appendix. Deterministic rewards stay uncertain under a beta law: say rewards=known or \
                      rewards=normal-gamma there. Worlds beyond about a thousand states need split=mean.";
const COST: &str = "A draw of every row (states times states times actions gamma numbers) and one exact \
                    solution of the drawn MDP; with split=mean a draw and a value iteration that cost what \
                    was observed.";

pub(super) fn kinds() -> Vec<AgentKind> {
    vec![
        AgentKind::new::<Psrl>(About {
        name: "psrl",
        aliases: &[],
        summary: "plays the optimal policy of an MDP drawn from a posterior",
        source: "Strens 2000; Osband, Russo, Van Roy 2013; here for average reward with UCRL2's episodes",
        idea: "It starts from a law over MDPs, the prior, and updates it by Bayes' rule. At the start of an \
               episode one MDP is drawn from the posterior. The policy that is optimal in the drawn MDP is \
               played. Where little is known the draws differ widely, and this variation is the exploration. \
               An episode ends when a pair doubles its visits.",
        needs: NEEDS,
        guarantee: "None for average reward in this form; in episodic problems its Bayesian regret is of order \
                    sqrt(T).",
        cost: COST,
        caution: LIMITS,
        example: "psrl:concentration=inverse-states",
    }),
        AgentKind::new::<Psrl>(About {
        name: "tsde",
        aliases: &[],
        summary: "posterior sampling with episodes that grow by at most one step",
        source: "Ouyang, Gagrani, Nayyar, Jain 2017, \"Learning unknown Markov decision processes: a Thompson \
                 sampling approach\"; the rule as remembered, N_t <= 2 N",
        idea: "It is psrl with another rule for episodes. An episode is at most one step longer than the last \
               one. It also ends as soon as some pair has more than twice the visits that it had. So there are of \
               order sqrt(T) episodes, and none is cut so late that a bad sample does lasting harm. Each begins \
               with a new draw of the MDP.",
        needs: NEEDS,
        guarantee: "Bayesian regret of order H S sqrt(A T ln T), where H bounds the span of every MDP that \
                    the prior can draw. The paper shows that H is infinite for usual continuous priors, these \
                    included: then the bound says nothing.",
        cost: COST,
        caution: LIMITS,
        example: "tsde:rewards=normal-gamma",
    }).with(|options| options.fixed("rule", "tsde")),
        AgentKind::new::<Psrl>(About {
        name: "ds-psrl",
        aliases: &[],
        summary: "posterior sampling at the times 1, 2, 4, 8, ...",
        source: "Theocharous, Wen, Abbasi-Yadkori, Vlassis 2017; the schedule as remembered",
        idea: "It is psrl with a schedule that is fixed in advance. An MDP is drawn at the times 1, 2, 4, 8 and \
               so on. In between, its optimal policy is played, whatever is seen. There are only about log2 T \
               plans, which is cheap. A bad draw is kept for half of all the time that has passed.",
        needs: NEEDS,
        guarantee: "Bayesian regret of order H S sqrt(A T ln T) under the same condition as tsde, and with it \
                    the same objection.",
        cost: COST,
        caution: LIMITS,
        example: "ds-psrl:split=mean",
    }).with(|options| options.fixed("rule", "powers-of-two")),
        AgentKind::new::<OptimisticPsrl>(About {
        name: "optimistic-psrl",
        aliases: &[],
        summary: "plays for the best of many posterior samples",
        source: "Agrawal, Jia 2017, \"Optimistic posterior sampling for reinforcement learning\"; constants as \
                 remembered",
        idea: "For every pair many laws of the next state are drawn, not one. An action comes with a choice among \
               its laws, so that the best of the draws counts: optimism from sampling instead of intervals. Pairs \
               with many visits draw from a widened Dirichlet law. Pairs with few lower every observed probability \
               and send what is left to states drawn evenly. Episodes are those of UCRL2.",
        needs: "The number of states and actions, r_max, and the number of steps; originally also the mean \
                rewards.",
        guarantee: "Where all states communicate and mean rewards are known (known_rewards=true), regret of order \
                    D S sqrt(A T), up to logarithms (the claim without S was later weakened, as far as is known); \
                    constants unverified. None with observed mean rewards, which is the default.",
        cost: "S ln(S A / rho) draws for each pair and a value iteration over the extended actions; say psi=10 to \
               bound it.",
        caution: "A state that cannot be reached attracts it forever, as it does ucrl: linear regret. With random \
                  rewards that are not told it may stay with a bad action: its observed means are not optimistic, so \
                  an action whose first reward was low is not tried again. With many states a plan is expensive.",
        example: "optimistic-psrl:psi=20",
    }),
    ]
}

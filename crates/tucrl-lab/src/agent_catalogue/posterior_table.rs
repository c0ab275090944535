//! Posterior sampling, as a table.

use tucrl::agents::{Algorithm, OptimisticPsrl, Psrl};
use tucrl::planner::Rule;
use tucrl::posterior::{Concentration, Extended, Prior, RewardPosterior, Split};

use super::keys::{KNOWN_REWARDS, R_MAX, RULE, key, rule};
use super::{AgentEntry, Context};
use crate::names::Accepts::{Number, NumberOr, OneOf};
use crate::names::{Arguments, Parameter, Value};

const POSITIVE: &str = "a positive number";
const NEEDS: &str = "The number of states and actions, junk states included, r_max, and a prior.";
const LIMITS: &str = "The prior believes in every state, so one that cannot be reached attracts every \
                      sample a little; and the spans of samples are unbounded, see theta and the paper's \
                      appendix. Deterministic rewards stay uncertain under a beta law: say rewards=known or \
                      rewards=normal-gamma there. Worlds beyond about a thousand states need split=mean.";
const COST: &str = "A draw of every row (states times states times actions gamma numbers) and one exact \
                    solution of the drawn world; with split=mean a draw and a value iteration that cost what \
                    was observed.";

const CONCENTRATION: Parameter = key(
    "concentration",
    "1",
    NumberOr(POSITIVE, &["inverse-states"]),
    "of the Dirichlet prior for each next state; inverse-states lets all of them count for one visit",
);
const REWARDS: Parameter = key(
    "rewards",
    "fractional",
    OneOf(&["fractional", "bernoulli", "normal-gamma", "known"]),
    "how mean rewards are learned: a beta law fed with fractions of a success, the same fed with coins, a \
     normal law of unknown mean and precision, or told",
);
const A: Parameter = key("a", "1", Number(POSITIVE), "successes of the beta prior");
const B: Parameter = key("b", "1", Number(POSITIVE), "failures of the beta prior");
const M0: Parameter =
    key("m0", "1", Number("a number"), "the normal prior's mean, in units of r_max");
const L0: Parameter = key("l0", "1", Number(POSITIVE), "how many rewards that mean counts for");
const A0: Parameter = key("a0", "1", Number(POSITIVE), "the shape of the precision's gamma prior");
const B0: Parameter = key("b0", "1", Number(POSITIVE), "its rate, in units of r_max squared");
const SPLIT: Parameter = key(
    "split",
    "exact",
    OneOf(&["exact", "mean"]),
    "how mass is split among next states never observed from a pair: at random as the Dirichlet law has it, \
     or evenly, an approximation whose cost does not depend on the nominal size",
);

fn psrl(given: &Arguments, context: &Context<'_>, rule: Rule) -> Algorithm {
    let (a, b) = (given.number("a"), given.number("b"));
    let prior = Prior {
        concentration: match given.value("concentration") {
            Value::Word(_) => Concentration::OneInAll,
            _ => Concentration::Each(given.number("concentration")),
        },
        rewards: match given.word("rewards") {
            "bernoulli" => RewardPosterior::BetaBernoulli { a, b },
            "normal-gamma" => RewardPosterior::NormalGamma {
                mean: given.number("m0"),
                strength: given.number("l0"),
                shape: given.number("a0"),
                rate: given.number("b0"),
            },
            "known" => RewardPosterior::Known,
            _ => RewardPosterior::BetaFractional { a, b },
        },
        split: if given.word("split") == "mean" { Split::Mean } else { Split::Exact },
    };
    let r_max = given.number_or("r_max", |_| context.r_max);
    Algorithm::Psrl(Psrl { prior, rule, r_max })
}

pub(super) const TABLE: &[AgentEntry] = &[
    AgentEntry {
        name: "psrl",
        aliases: &[],
        summary: "plays the optimal policy of a world drawn from a posterior",
        source: "Strens 2000; Osband, Russo, Van Roy 2013; here for average reward with UCRL2's episodes",
        idea: "It starts from a law over worlds, the prior, and lets every observation sharpen it. At the \
               start of an episode one world is drawn from that law. The policy that is optimal in the drawn \
               world is played as if it were the truth. Where little is known the draws differ widely, and that \
               is all the exploration there is. An episode ends when a pair doubles its visits.",
        needs: NEEDS,
        guarantee: "None for average reward in this form; in episodic problems its Bayesian regret is of order \
                    sqrt(T).",
        cost: COST,
        caution: LIMITS,
        parameters: &[CONCENTRATION, REWARDS, A, B, M0, L0, A0, B0, SPLIT, RULE, R_MAX],
        example: "psrl:concentration=inverse-states",
        build: |given, context| Ok(psrl(given, context, rule(given))),
    },
    AgentEntry {
        name: "tsde",
        aliases: &[],
        summary: "posterior sampling with episodes that grow by at most one step",
        source: "Ouyang, Gagrani, Nayyar, Jain 2017, \"Learning unknown Markov decision processes: a Thompson \
                 sampling approach\"; the rule as remembered, N_t <= 2 N",
        idea: "It is psrl with another rule for episodes. An episode is at most one step longer than the last \
               one. It also ends as soon as some pair has more than twice the visits that it had. So there are of \
               order sqrt(T) episodes, and none is cut so late that a bad sample does lasting harm. Each begins \
               with a new draw of the world.",
        needs: NEEDS,
        guarantee: "Bayesian regret of order H S sqrt(A T ln T), where H bounds the span of every world that \
                    the prior can draw. The paper shows that H is infinite for usual continuous priors, these \
                    included: then the bound says nothing.",
        cost: COST,
        caution: LIMITS,
        parameters: &[CONCENTRATION, REWARDS, A, B, M0, L0, A0, B0, SPLIT, R_MAX],
        example: "tsde:rewards=normal-gamma",
        build: |given, context| Ok(psrl(given, context, Rule::Growing)),
    },
    AgentEntry {
        name: "ds-psrl",
        aliases: &[],
        summary: "posterior sampling at the times 1, 2, 4, 8, ...",
        source: "Theocharous, Wen, Abbasi-Yadkori, Vlassis 2017; the schedule as remembered",
        idea: "It is psrl with a schedule that is fixed in advance. A world is drawn at the times 1, 2, 4, 8 and \
               so on. In between, its optimal policy is played, whatever is seen. There are only about log2 T \
               plans, which is cheap. An unlucky draw is kept for half of all the time that has passed.",
        needs: NEEDS,
        guarantee: "Bayesian regret of order H S sqrt(A T ln T) under the same condition as tsde, and with it \
                    the same objection.",
        cost: COST,
        caution: LIMITS,
        parameters: &[CONCENTRATION, REWARDS, A, B, M0, L0, A0, B0, SPLIT, R_MAX],
        example: "ds-psrl:split=mean",
        build: |given, context| Ok(psrl(given, context, Rule::PowersOfTwo)),
    },
    AgentEntry {
        name: "optimistic-psrl",
        aliases: &[],
        summary: "plays for the best of many posterior samples",
        source: "Agrawal, Jia 2017, \"Optimistic posterior sampling for reinforcement learning\"; constants as \
                 remembered",
        idea: "For every pair many laws of the next state are drawn, not one. An action comes with a choice among \
               its laws, so that the best of the draws counts: optimism from luck instead of intervals. Pairs \
               with many visits draw from a widened Dirichlet law. Pairs with few lower every observed probability \
               and send what is left to states drawn evenly. Episodes are those of UCRL2.",
        needs: "The number of states and actions, r_max, and the number of steps; originally also the mean \
                rewards.",
        guarantee: "Where all states communicate, regret of order D S sqrt(A T), up to logarithms (the claim \
                    without S was later weakened, as far as is known); constants unverified.",
        cost: "S ln(S A / rho) draws for each pair and a value iteration over the extended actions; say psi=10 to \
               bound it.",
        caution: "A state that cannot be reached attracts it for ever, as it does ucrl: linear regret. With many \
                  states a plan is expensive.",
        parameters: &[
            key(
                "rho",
                "0.05",
                Number("a number in (0, 1]"),
                "how often the samples may fail to be optimistic",
            ),
            key(
                "psi",
                "theory",
                NumberOr("an integer of at least 1", &["theory"]),
                "samples for each pair; theory is S ln(S A / rho)",
            ),
            KNOWN_REWARDS,
            RULE,
            R_MAX,
        ],
        example: "optimistic-psrl:psi=20",
        build: |given, context| {
            let samples = match given.value("psi") {
                Value::Word(_) => None,
                // What is no integer of at least 1 becomes 0, which is refused.
                _ => Some(given.number("psi"))
                    .map(|psi| if psi.fract() == 0.0 { psi as u64 } else { 0 }),
            };
            let options =
                Extended { steps: context.steps.max(1), rho: given.number("rho"), samples };
            Ok(Algorithm::OptimisticPsrl(OptimisticPsrl {
                options,
                known_rewards: given.word("known_rewards") == "true",
                rule: rule(given),
                r_max: given.number_or("r_max", |_| context.r_max),
            }))
        },
    },
];

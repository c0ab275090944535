//! The agent without a model and the yardsticks, as a table.

use tucrl::agents::{Algorithm, Bonus, OptimisticQ};

use super::AgentEntry;
use super::keys::{R_MAX, key};
use crate::names::Accepts::{Number, NumberOr, OneOf};

pub(super) const TABLE: &[AgentEntry] = &[
    AgentEntry {
        name: "optimistic-q",
        aliases: &[],
        summary: "optimistic Q-learning, without a model",
        source: "Wei et al. 2020; the constants of theory as remembered, the practical bonus as in \
                 the authors' code",
        idea: "It learns the values of actions directly, one step at a time. The average reward \
               is replaced by a discounted one with a horizon H. All values start at H, the \
               largest possible, and are never raised. A pair tried n times gets a bonus of \
               order sqrt(H/n), so that rare ones stay attractive. There are no counts of \
               transitions, no plans and no episodes.",
        needs: "r_max and the horizon H of a discounted surrogate; horizon=theory and bonus=theory \
                need the number of steps and a bound on the span as well.",
        guarantee: "With horizon=theory, bonus=theory and a correct span, where the world is weakly \
                    communicating: regret of order span (S A)^(1/3) T^(2/3) ln T. None with \
                    bonus=practical.",
        cost: "Nothing: there are no plans, and a step costs a handful of operations.",
        caution: "It learns slowly, and with theory's bonus hardly before 10^9 steps.",
        parameters: &[
            key(
                "horizon",
                "100",
                NumberOr("a number of at least 2", &["theory"]),
                "H of the discounted surrogate, gamma = 1 - 1/H, or what theory recommends",
            ),
            key(
                "bonus",
                "practical",
                OneOf(&["practical", "theory"]),
                "c sqrt(H/n), or 4 span sqrt(H/n ln(2T/delta))",
            ),
            key("c", "1", Number("a finite number of at least 0"), "the factor of bonus=practical"),
            key(
                "span",
                "1",
                Number("a positive number"),
                "a bound on the span of the optimal bias, in units of r_max, for theory",
            ),
            key("delta", "0.05", Number("a number in (0, 1]"), "how often theory may fail"),
            R_MAX,
        ],
        example: "optimistic-q:horizon=20,c=0.1",
        build: |given, context| {
            let (span, delta, steps) = (given.number("span"), given.number("delta"), context.steps);
            let r_max = given.number_or("r_max", |_| context.r_max);
            let practical = Bonus::Practical { c: given.number("c") };
            let theory = Bonus::Theory { span, delta, steps };
            // Values without use are checked as well; so are those that the horizon is made of.
            for bonus in [practical, theory] {
                let horizon = given.number_or("horizon", |_| 2.0);
                Algorithm::OptimisticQ(OptimisticQ { horizon, bonus, r_max }).check()?;
            }
            let horizon = given.number_or("horizon", |_| {
                OptimisticQ::theory_horizon(context.space, span, delta, steps)
            });
            let bonus = if given.word("bonus") == "theory" { theory } else { practical };
            Ok(Algorithm::OptimisticQ(OptimisticQ { horizon, bonus, r_max }))
        },
    },
    AgentEntry {
        name: "oracle",
        aliases: &[],
        summary: "plays an optimal policy that it was given",
        source: "a yardstick",
        idea: "It is given an optimal policy of the true world. It plays that policy. It learns \
               nothing and explores nothing. What regret it shows is the price of its start and \
               luck. All others are measured against it.",
        needs: "An optimal policy of the true world.",
        guarantee: "The expected regret never exceeds the span of the optimal bias; what is seen of \
                    it is luck, of order sqrt(T).",
        cost: "Nothing: the policy is computed before the run.",
        caution: "It is no learner; it shows how much of a regret curve is noise.",
        parameters: &[],
        example: "oracle",
        build: |_, _| Ok(Algorithm::Oracle),
    },
    AgentEntry {
        name: "heuristic",
        aliases: &[],
        summary: "plays the rule of thumb that the world comes with",
        source: "a yardstick",
        idea: "Some worlds come with what a person would do in them. It plays that, step by step. It \
               learns nothing and explores nothing. It says how far one gets without learning. Where no \
               optimal gain is known, it is the yardstick.",
        needs: "A world that knows what a person would do in it: `tucrl worlds NAME` says so.",
        guarantee: "None.",
        cost: "Nothing.",
        caution: "It learns nothing; it shows what is possible without learning. In a world that has no \
                  rule of thumb its runs fail.",
        parameters: &[],
        example: "heuristic",
        build: |_, _| Ok(Algorithm::Heuristic),
    },
    AgentEntry {
        name: "random",
        aliases: &[],
        summary: "plays every action equally often",
        source: "a yardstick",
        idea: "It plays every action of a state equally often. It does not look at rewards. It \
               does not learn. It explores for ever, and in worlds that are hard to explore not \
               even well. An agent that is not better has learned nothing.",
        needs: "Nothing.",
        guarantee: "None: the regret is linear wherever actions matter.",
        cost: "Nothing.",
        caution: "It is no learner; it marks the other end of the scale.",
        parameters: &[],
        example: "random",
        build: |_, _| Ok(Algorithm::Random),
    },
];

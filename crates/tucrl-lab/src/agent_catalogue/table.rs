//! The agents, as a table.
//!
//! What is said of each stands in its own file of the library, in ALGORITHMS or in the paper.

use tucrl::agents::{Algorithm, Bonus, OptimisticQ, Relaxation, Scal, Tucrl, Ucrl, Ucrl2};
use tucrl::span_clip::{Mode, Operator, SpanClip};

use super::AgentEntry;
use super::keys::{
    ALPHA, ALPHA_P, ALPHA_R, APERIODICITY, DELTA, KNOWN_REWARDS, PLANNER, R_MAX, SA, SHRINK,
    SWEEPS, TIES, VARIANCE, WARM_START, key, optimism, ties,
};
use crate::names::Accepts::{Number, NumberOr, OneOf};
use crate::names::{FLAG, Parameter};

const SPACE: &str = "The number of states and actions, junk states included, and r_max.";

pub(super) const TABLE: &[AgentEntry] = &[
    AgentEntry {
        name: "tucrl",
        aliases: &[],
        summary: "optimism that gives up states it cannot reach",
        source: "Fruit, Pirotta, Lazaric 2018, the paper of this project",
        needs: SPACE,
        guarantee: "With probability 1 - delta the regret is of order \
                    D^C sqrt(Gamma^C S^C A T ln T) + (D^C)^2 S^3 A (ln T)^2, where S^C counts the \
                    reachable states and D^C is their diameter: no prior knowledge of what can be \
                    reached, and no bound on the span. `tucrl bound WORLD` computes every term.",
        caution: "When some state is out of reach the regret keeps growing like sqrt(T) in ever \
                  rarer steps; nobody can do better without more knowledge. With alpha=1 the \
                  constants need long runs: `tucrl learn` warns and suggests an alpha.",
        parameters: &[
            Parameter {
                key: "relaxation",
                aliases: &[],
                default: "l1",
                accepts: OneOf(&["l1", "zeta", "mass"]),
                meaning: "how sets without unseen states are widened: to L1 balls (the main \
                          algorithm), to boxes that take back the forbidden mass (the appendix), or \
                          to L1 balls that do not grow with S (ours, for vast spaces)",
            },
            DELTA,
            ALPHA,
            ALPHA_R,
            ALPHA_P,
            SHRINK,
            VARIANCE,
            TIES,
            KNOWN_REWARDS,
            WARM_START,
            PLANNER,
            APERIODICITY,
            R_MAX,
            SA,
            SWEEPS,
        ],
        example: "tucrl:alpha=0.01",
        build: |given, context| {
            let relaxation = match given.word("relaxation") {
                "zeta" => Relaxation::Zeta,
                "mass" => Relaxation::Mass,
                _ => Relaxation::L1,
            };
            Ok(Algorithm::Tucrl(Tucrl { optimism: optimism(given, context), relaxation }))
        },
    },
    AgentEntry {
        name: "ucrl",
        aliases: &["ucrl2b"],
        summary: "optimism with Bernstein boxes, the paper's UCRL",
        source: "UCRL2B in the form of the paper of this project",
        needs: "The number of states and actions and r_max; and that every state can be reached.",
        guarantee: "Where all states communicate, regret of order D sqrt(Gamma S A T ln T) with \
                    probability 1 - delta, after a linear phase whose end grows with D.",
        caution: "A state that cannot be reached attracts it for ever: linear regret. Its plans then \
                  need up to millions of plain sweeps; planner=accelerated avoids that.",
        parameters: &[
            DELTA,
            ALPHA,
            ALPHA_R,
            ALPHA_P,
            SHRINK,
            VARIANCE,
            TIES,
            KNOWN_REWARDS,
            WARM_START,
            PLANNER,
            APERIODICITY,
            R_MAX,
            SA,
            SWEEPS,
        ],
        example: "ucrl:alpha=0.05,shrink=log",
        build: |given, context| Ok(Algorithm::Ucrl(Ucrl { optimism: optimism(given, context) })),
    },
    AgentEntry {
        name: "ucrl2",
        aliases: &[],
        summary: "optimism with Hoeffding and L1 sets",
        source: "Jaksch, Ortner, Auer 2010",
        needs: "The number of states and actions and r_max; and that every state can be reached.",
        guarantee: "Where all states communicate, regret of at most \
                    34 r_max D S sqrt(A T ln(T/delta)) with probability 1 - delta.",
        caution: "As ucrl where a state cannot be reached; and wider sets than ucrl as soon as next \
                  states are few, so slower almost everywhere.",
        parameters: &[
            DELTA,
            ALPHA,
            ALPHA_R,
            ALPHA_P,
            SHRINK,
            TIES,
            KNOWN_REWARDS,
            WARM_START,
            PLANNER,
            APERIODICITY,
            R_MAX,
            SA,
            SWEEPS,
        ],
        example: "ucrl2:alpha=0.1",
        build: |given, context| Ok(Algorithm::Ucrl2(Ucrl2 { optimism: optimism(given, context) })),
    },
    AgentEntry {
        name: "scal",
        aliases: &[],
        summary: "optimism under a known bound on the span",
        source: "Fruit, Pirotta, Lazaric, Ortner 2018, \"Efficient bias-span-constrained exploration\"",
        needs: "The number of states and actions, r_max, and c, a bound on the span of the optimal \
                bias (`tucrl inspect WORLD` prints the span).",
        guarantee: "Where the world is weakly communicating and c is at least the span, regret of \
                    order c sqrt(Gamma S A T ln T) with probability 1 - delta; states out of reach \
                    do no lasting harm.",
        caution: "With c below the span the regret is linear; with c=inf it is ucrl, only slower. \
                  mode=theory needs about c t sweeps a plan and is for small t only.",
        parameters: &[
            key(
                "c",
                "inf",
                NumberOr("a number of at least 0", &["inf"]),
                "the bound on the span of the bias, in units of reward; inf for none",
            ),
            key(
                "mode",
                "practical",
                OneOf(&["practical", "theory"]),
                "what can be run, or what is proved: a perturbed model with a contraction term",
            ),
            key(
                "operator",
                "t",
                OneOf(&["t", "n"]),
                "where no mixture of actions meets the bound: fail, or play the most pessimistic",
            ),
            key("augment", "true", FLAG, "whether rewards may be imagined down to 0"),
            DELTA,
            ALPHA,
            ALPHA_R,
            ALPHA_P,
            SHRINK,
            VARIANCE,
            TIES,
            KNOWN_REWARDS,
            Parameter { default: "0.9", ..APERIODICITY },
            R_MAX,
            SA,
            SWEEPS,
        ],
        example: "scal:c=5",
        build: |given, context| {
            let clip = SpanClip {
                c: given.number_or("c", |_| f64::INFINITY),
                mode: match given.word("mode") {
                    "theory" => Mode::Theory,
                    _ => Mode::Practical,
                },
                operator: if given.word("operator") == "n" { Operator::N } else { Operator::T },
                augment_rewards: given.word("augment") == "true",
                aperiodicity: given.number("aperiodicity"),
                ties: ties(given),
                sweep_limit: given.integer("sweeps"),
            };
            Ok(Algorithm::Scal(Scal { optimism: optimism(given, context), clip }))
        },
    },
    AgentEntry {
        name: "optimistic-q",
        aliases: &[],
        summary: "optimistic Q-learning, without a model",
        source: "Wei et al. 2020; the constants of theory as remembered, the practical bonus as in \
                 the authors' code",
        needs: "r_max and the horizon H of a discounted surrogate; horizon=theory and bonus=theory \
                need the number of steps and a bound on the span as well.",
        guarantee: "With horizon=theory, bonus=theory and a correct span, where the world is weakly \
                    communicating: regret of order span (S A)^(1/3) T^(2/3) ln T. None with \
                    bonus=practical.",
        caution: "A step costs next to nothing and there are no plans; but it learns slowly, and \
                  with theory's bonus hardly before 10^9 steps.",
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
        needs: "An optimal policy of the true world.",
        guarantee: "The expected regret never exceeds the span of the optimal bias; what is seen of \
                    it is luck, of order sqrt(T).",
        caution: "It learns nothing; it shows how much of a regret curve is noise.",
        parameters: &[],
        example: "oracle",
        build: |_, _| Ok(Algorithm::Oracle),
    },
    AgentEntry {
        name: "heuristic",
        aliases: &[],
        summary: "plays the rule of thumb that the world comes with",
        source: "a yardstick",
        needs: "A world that knows what a person would do in it: `tucrl worlds NAME` says so.",
        guarantee: "None.",
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
        needs: "Nothing.",
        guarantee: "None: the regret is linear wherever actions matter.",
        caution: "It learns nothing; an agent that is not better has learned nothing either.",
        parameters: &[],
        example: "random",
        build: |_, _| Ok(Algorithm::Random),
    },
];

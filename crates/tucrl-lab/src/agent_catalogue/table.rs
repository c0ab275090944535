//! The paper and its nearest relatives, as a table.
//!
//! What is said of each stands in its own file of the library, in ALGORITHMS or in the paper.

use tucrl::agents::{AgentError, Algorithm, Relaxation, Scal, Tucrl, Ucrl, Ucrl2};
use tucrl::span_clip::{Mode, Operator, SpanClip};

use super::AgentEntry;
use super::keys::{
    ALPHA, ALPHA_P, ALPHA_R, APERIODICITY, DELTA, KNOWN_REWARDS, PLANNER, R_MAX, RULE, SA, SET,
    SHRINK, SWEEPS, TIES, VARIANCE, WARM_START, key, optimism, rule, set, ties,
};
use crate::names::Accepts::{NumberOr, OneOf};
use crate::names::{Arguments, FLAG, Parameter};

const SPACE: &str = "The number of states and actions, junk states included, and r_max.";

/// TUCRL is a statement about one kind of sets and one kind of episodes.
fn refuse_other_sets_and_rules(given: &Arguments) -> Result<(), AgentError> {
    let refuse = |option, reason| {
        Err(AgentError::Mixture { option, value: given.word(option).into(), reason })
    };
    if given.word("set") != "bernstein" {
        return refuse(
            "set",
            "which states TUCRL gives up is decided by N± > sqrt(t/SA), and only for the paper's \
             Bernstein widths does that say that an unseen state has become implausible; with other \
             sets nothing bounds the span: choose bernstein, or ucrl with the set you want",
        );
    }
    if given.word("rule") != "new-state" {
        return refuse(
            "rule",
            "an episode must end before acting in a state never visited, else the plan knows nothing \
             of the states that it is in: choose new-state, or ucrl with the rule you want",
        );
    }
    Ok(())
}

pub(super) const TABLE: &[AgentEntry] = &[
    AgentEntry {
        name: "tucrl",
        aliases: &[],
        summary: "optimism that gives up states it cannot reach",
        source: "Fruit, Pirotta, Lazaric 2018, the paper of this project",
        idea: "Like UCRL it plays what would be best in the most rewarding world that its \
               observations allow. It keeps that belief honest about states never seen: a pair \
               that was tried more often than sqrt(t / SA) times may no longer lead to one. So \
               that giving up states cannot make the remaining ones look farther apart, the \
               sets of such pairs are widened, to L1 balls or by handing the forbidden mass \
               back. When every pair is tried often enough, it plans on the seen states alone, \
               and their span is bounded by their own diameter. An episode ends when a pair \
               doubles its visits, or before acting in a state that was never visited.",
        needs: SPACE,
        guarantee: "With probability 1 - delta the regret is of order \
                    D^C sqrt(Gamma^C S^C A T ln T) + (D^C)^2 S^3 A (ln T)^2, where S^C counts the \
                    reachable states and D^C is their diameter: no prior knowledge of what can be \
                    reached, and no bound on the span. `tucrl bound WORLD` computes every term.",
        cost: "One extended value iteration to accuracy r_max/sqrt(t): a few sweeps, each \
               proportional to the observed transitions and independent of the nominal number \
               of states; at most about S^C A log2 T plans.",
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
            SET,
            Parameter { default: "new-state", ..RULE },
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
            refuse_other_sets_and_rules(given)?;
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
        idea: "It counts transitions and rewards and puts an empirical-Bernstein interval \
               around each. Among all worlds within these intervals it picks the one with the \
               largest gain, and plays the policy that is best there. If the world disappoints, \
               the intervals shrink where it was wrong; if not, it earns what it hoped for. A \
               state never seen may be paradise and may be one step away, so it keeps searching \
               for it. An episode ends when a pair doubles its visits.",
        needs: "The number of states and actions and r_max; and that every state can be reached.",
        guarantee: "Where all states communicate, regret of order D sqrt(Gamma S A T ln T) with \
                    probability 1 - delta, after a linear phase whose end grows with D.",
        cost: "One extended value iteration: each sweep sorts the seen states and touches the \
               observed transitions; planner=accelerated replaces up to millions of sweeps by a \
               few exact evaluations.",
        caution: "A state that cannot be reached attracts it for ever: linear regret. Use tucrl \
                  where that may be the case.",
        parameters: &[
            SET,
            RULE,
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
        build: |given, context| {
            let (set, rule) = (set(given), rule(given));
            Ok(Algorithm::Ucrl(Ucrl { optimism: optimism(given, context), set, rule }))
        },
    },
    AgentEntry {
        name: "ucrl2",
        aliases: &[],
        summary: "optimism with Hoeffding and L1 sets",
        source: "Jaksch, Ortner, Auer 2010",
        idea: "The first optimistic algorithm with a regret bound for average reward. Rewards \
               have Hoeffding intervals, and the laws of next states lie in an L1 ball around \
               what was observed. The best law in a ball moves half its radius to the most \
               valuable state and takes it from the least valuable ones. The policy that is \
               best in the best world of these sets is played. An episode ends when a pair \
               doubles its visits.",
        needs: "The number of states and actions and r_max; and that every state can be reached.",
        guarantee: "Where all states communicate, regret of at most \
                    34 r_max D S sqrt(A T ln(T/delta)) with probability 1 - delta.",
        cost: "One extended value iteration; a sweep needs no sorting and touches the observed \
               transitions only.",
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
        idea: "It is told that the bias of the optimal policy has a span of at most c. Planning \
               therefore cuts the values of all states at the smallest plus c, after every \
               sweep. Where the cut bites, the policy mixes its most hopeful action with its \
               most pessimistic one, so that the mixture is worth exactly the cut. A state \
               never seen may still be paradise, but it is worth at most c, so the search for \
               it ends. Everything else is as in ucrl.",
        needs: "The number of states and actions, r_max, and c, a bound on the span of the optimal \
                bias (`tucrl inspect WORLD` prints the span).",
        guarantee: "Where the world is weakly communicating and c is at least the span, regret of \
                    order c sqrt(Gamma S A T ln T) with probability 1 - delta; states out of reach \
                    do no lasting harm.",
        cost: "Value iteration with clipping to accuracy r_max/sqrt(t), without acceleration: \
               usually tens to thousands of sweeps; pessimistic values are computed at the end \
               only.",
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
            SET,
            RULE,
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
            let (set, rule) = (set(given), rule(given));
            Ok(Algorithm::Scal(Scal { optimism: optimism(given, context), clip, set, rule }))
        },
    },
];

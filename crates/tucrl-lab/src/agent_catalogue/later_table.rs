//! Later relatives of UCRL and SCAL, as a table.

use tucrl::agents::{Algorithm, ScalPlus, SetKind, Ucrl};
use tucrl::span_clip::SpanClip;

use super::keys::{
    ALPHA, ALPHA_P, ALPHA_R, APERIODICITY, DELTA, KNOWN_REWARDS, PLANNER, R_MAX, RULE, SA, SHRINK,
    SWEEPS, TIES, VARIANCE, WARM_START, key, optimism, rule, ties,
};
use super::{AgentEntry, Context};
use crate::names::Accepts::{Number, OneOf};
use crate::names::{Arguments, Parameter};

const NEEDS: &str =
    "The number of states and actions and r_max; and that every state can be reached.";
const UNREACHABLE: &str =
    "A state that cannot be reached attracts it for ever, as it does ucrl: linear regret.";

fn ucrl(given: &Arguments, context: &Context<'_>, set: SetKind) -> Algorithm {
    Algorithm::Ucrl(Ucrl { optimism: optimism(given, context), set, rule: rule(given) })
}

/// The options of the boxes of 2020: those of ucrl but for the set, with variances of the population.
const OF_2020: &[Parameter] = &[
    RULE,
    DELTA,
    ALPHA,
    ALPHA_R,
    ALPHA_P,
    SHRINK,
    Parameter { default: "population", ..VARIANCE },
    TIES,
    KNOWN_REWARDS,
    WARM_START,
    PLANNER,
    APERIODICITY,
    R_MAX,
    SA,
    SWEEPS,
];

pub(super) const TABLE: &[AgentEntry] = &[
    AgentEntry {
        name: "ucrl2b-2020",
        aliases: &[],
        summary: "ucrl with the tighter Bernstein widths of 2020",
        source: "Fruit, Pirotta, Lazaric 2020, \"Improved analysis of UCRL2 with empirical Bernstein inequality\"; \
                 constants from memory and public code, unverified",
        idea: "It is ucrl with other widths. The logarithm has the visits of the pair in place of time, so a pair \
               that is not visited does not grow uncertain again. The constants are smaller: 2 and 6 instead of \
               sqrt(14) and 49/3. Variances are those of the population. The rest, boxes, plans and episodes, is \
               the same.",
        needs: NEEDS,
        guarantee: "Where all states communicate, regret of order sqrt(D Gamma S A T) up to logarithms with \
                    probability 1 - delta, an improvement by sqrt(D) in the analysis.",
        cost: "As ucrl.",
        caution: UNREACHABLE,
        parameters: OF_2020,
        example: "ucrl2b-2020:alpha=0.1",
        build: |given, context| Ok(ucrl(given, context, SetKind::Bernstein2020)),
    },
    AgentEntry {
        name: "kl-ucrl",
        aliases: &[],
        summary: "optimism with Kullback-Leibler balls",
        source: "Filippi, Cappe, Garivier 2010; Talebi, Maillard 2018; widths as in public code",
        idea: "It measures the distance between laws of the next state by the Kullback-Leibler divergence. Laws \
               within a divergence of order S ln t / N from the observed one are plausible. The best of them takes \
               mass from bad states smoothly, and never rules out a next state that was observed. A state never \
               observed from a pair gets mass only if it beats all observed ones by enough. Rewards, plans and \
               episodes are as in ucrl2.",
        needs: NEEDS,
        guarantee: "Where all states communicate, regret of order D S sqrt(A T ln T) with probability 1 - delta; \
                    smaller where the variance of the optimal bias is.",
        cost: "One extended value iteration; each inner maximum is a bisection over the observed next states, so \
               a sweep costs some ten times one of ucrl2.",
        caution: UNREACHABLE,
        parameters: &[
            RULE,
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
        example: "kl-ucrl:alpha=0.3",
        build: |given, context| Ok(ucrl(given, context, SetKind::Kl)),
    },
    AgentEntry {
        name: "ucrl3",
        aliases: &[],
        summary: "optimism with a coin for each next state, and few next states",
        source: "Bourel, Maillard, Talebi 2020, \"Tightening exploration in upper confidence reinforcement \
                 learning\"; from a description and public code, see the caution",
        idea: "Each next state is treated as a coin of its own, with bounds that adapt to its probability and hold \
               at all times at once. Rewards have the tighter of two such bounds. Optimism is kept from spreading \
               thinly over all states that were never observed from a pair: only the best few are considered, as \
               many as could matter. What mass finds no room counts as the worst outcome. Plans and episodes are \
               those of ucrl2.",
        needs: NEEDS,
        guarantee: "Where all states communicate, regret that depends on local diameters and the support sizes \
                    actually present, at most of the order of ucrl; constants unverified here.",
        cost: "Bounds by bisection for every observed transition, and one extended value iteration whose inner \
               maxima search for the number of states to consider.",
        caution: "A state that cannot be reached attracts it for ever: linear regret. Within a plan a \
                  selected support only grows, else the operator jumps and need not settle. Plans are \
                  accurate to r_max/sqrt(t), not 1/t as in the authors' code.",
        parameters: OF_2020,
        example: "ucrl3:alpha=0.5",
        build: |given, context| Ok(ucrl(given, context, SetKind::Ucrl3)),
    },
    AgentEntry {
        name: "scal-plus",
        aliases: &["scal+"],
        summary: "a bonus and a bound on the span, on one world",
        source: "Qian, Fruit, Pirotta, Lazaric 2019, \"Exploration bonus for regret minimization in discrete and \
                 continuous average reward MDPs\"; bonus=code from public code, bonus=theory from memory, unverified",
        idea: "It does without sets of worlds. It plans on the one world that it has observed, and adds to every \
               reward a bonus proportional to c and falling like 1/sqrt(N). Every pair is given one imagined visit \
               that led to a fixed state, so that the world hangs together. Values are cut at the smallest plus c, \
               as in scal. Pairs never tried are paid the bonus alone, but at least r_max.",
        needs: "The number of states and actions, r_max, and c, a bound on the span of the optimal bias.",
        guarantee: "Where the world is weakly communicating and c is at least the span, regret of order \
                    c S sqrt(A T ln T) with the theoretical bonus.",
        cost: "One value iteration over the observed transitions; no inner maximum.",
        caution: "With c below the span the regret is linear. States never seen are not believed in, so only its \
                  bonus drives it to new ones.",
        parameters: &[
            key(
                "c",
                "1",
                Number("a number of at least 0"),
                "the bound on the span of the bias, in units of reward",
            ),
            key(
                "bonus",
                "code",
                OneOf(&["code", "theory"]),
                "(alpha_p c + alpha_r r_max) sqrt(ln(SA/delta)/N), or what is remembered of the proof",
            ),
            RULE,
            DELTA,
            ALPHA,
            ALPHA_R,
            ALPHA_P,
            TIES,
            KNOWN_REWARDS,
            Parameter { default: "0.9", ..APERIODICITY },
            R_MAX,
            SA,
            SWEEPS,
        ],
        example: "scal-plus:c=2,alpha=0.1",
        build: |given, context| {
            let clip = SpanClip {
                c: given.number("c"),
                aperiodicity: given.number("aperiodicity"),
                ties: ties(given),
                sweep_limit: given.integer("sweeps"),
                ..SpanClip::default()
            };
            let theory = given.word("bonus") == "theory";
            let optimism = optimism(given, context);
            Ok(Algorithm::ScalPlus(ScalPlus { optimism, clip, theory, rule: rule(given) }))
        },
    },
];

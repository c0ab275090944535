//! REGAL and its variants, as a table. All three are approximations, and say so.

use tucrl::agents::{Algorithm, Penalty, Regal};
use tucrl::span_clip::SpanClip;

use super::keys::{
    ALPHA, ALPHA_P, ALPHA_R, APERIODICITY, DELTA, KNOWN_REWARDS, R_MAX, SA, SET, SHRINK, SWEEPS,
    TIES, VARIANCE, key, optimism, set, ties,
};
use super::{AgentEntry, Context};
use crate::names::Accepts::NumberOr;
use crate::names::{Arguments, Parameter, Value};

const SOURCE: &str = "Bartlett, Tewari 2009, \"REGAL: a regularization based algorithm for reinforcement learning in \
                      weakly communicating MDPs\"; approximated as docs/regal.md says";
const SEARCH: &str = "A branch and bound over span bounds c, each of them a plan of scal to a quarter of the usual \
                      tolerance: a handful to some hundred of those.";

fn regal(given: &Arguments, context: &Context<'_>, penalty: Penalty, c: f64) -> Algorithm {
    let clip = SpanClip {
        c,
        aperiodicity: given.number("aperiodicity"),
        ties: ties(given),
        sweep_limit: given.integer("sweeps"),
        ..SpanClip::default()
    };
    Algorithm::Regal(Regal { optimism: optimism(given, context), clip, penalty, set: set(given) })
}

pub(super) const TABLE: &[AgentEntry] = &[
    AgentEntry {
        name: "regal-c",
        aliases: &[],
        summary: "scal under another name (an approximation)",
        source: SOURCE,
        idea: "It is told a bound H on the span of the optimal bias. Among all plausible worlds whose optimal bias \
               has a span of at most H it picks the one with the largest gain, and plays its optimal policy. Nobody \
               knows how to search only those worlds. Relaxed to policies whose bias has a span of at most H, the \
               problem is the one that scal solves. So this is scal with c = H, under the name that the paper uses.",
        needs: "The number of states and actions, r_max, and H, a bound on the span of the optimal bias.",
        guarantee: "That of scal, where H is at least the span: order H sqrt(Gamma S A T ln T).",
        cost: "That of scal.",
        caution: "With H below the span the regret is linear, with H far above it exploration is slow.",
        parameters: &[
            Parameter {
                key: "h",
                aliases: &["c"],
                default: "inf",
                accepts: NumberOr("a number of at least 0", &["inf"]),
                meaning: "the bound on the span of the bias, in units of reward; inf for none",
            },
            SET,
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
        example: "regal-c:h=5",
        build: |given, context| {
            let bound = given.number_or("h", |_| f64::INFINITY);
            Ok(regal(given, context, Penalty::Bound, bound))
        },
    },
    AgentEntry {
        name: "regal",
        aliases: &[],
        summary: "optimism that pays for span (approximation)",
        source: SOURCE,
        idea: "Optimism goes wrong when it believes in far-away riches, and such worlds have a large span. So the gain \
               of a plausible world is reduced by C times the span of its bias before the best is chosen. The theory \
               wants C to be about one over the root of the episode's length, which is not known when the episode \
               begins. Here C is a constant, or made from the length of the last episode. The search over worlds is \
               relaxed to one over span bounds, which is exact for policies in place of optimal policies.",
        needs: "The number of states and actions and r_max; for a useful constant penalty also a notion of span and \
                gain.",
        guarantee: "None as run here. The theorem needs the length of an episode before it begins.",
        cost: SEARCH,
        caution: "Theory's penalty is of the order of S: it chooses c = 0 and plays for the immediate reward until \
                  episodes are very long.",
        parameters: &[
            key(
                "penalty",
                "last-length",
                NumberOr("a number of at least 0", &["last-length"]),
                "C: a number, or theory's constant over the root of the last episode's length, a stand-in",
            ),
            SET,
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
        example: "regal:penalty=0.05",
        build: |given, context| {
            let penalty = match given.value("penalty") {
                Value::Word(_) => Penalty::LastLength,
                _ => Penalty::Constant(given.number("penalty")),
            };
            Ok(regal(given, context, penalty, f64::INFINITY))
        },
    },
    AgentEntry {
        name: "regal-d",
        aliases: &[],
        summary: "regal with guessed episode lengths (approximation)",
        source: SOURCE,
        idea: "It is regal without knowledge of the future: within an episode the length is guessed as 1, then 2, then \
               4, and so on. Each guess gets a plan of its own with the penalty that fits it. What was seen during the \
               episode is not used before it ends. The episode ends when a pair doubles its visits, whatever the \
               guess. Usually that happens before the guess comes true, and there the proof of its regret fails.",
        needs: "The number of states and actions and r_max.",
        guarantee: "None. The published proof replaces the length of an episode by its guess in a negative term, which \
                    is the wrong way round (docs/regal.md shows it in numbers).",
        cost: "One search of regal for each guess, so log2 of the length for each episode.",
        caution: "As regal. It is here to be looked at, not to be used.",
        parameters: &[
            SET,
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
        example: "regal-d:alpha=0.05",
        build: |given, context| Ok(regal(given, context, Penalty::Guesses, f64::INFINITY)),
    },
];

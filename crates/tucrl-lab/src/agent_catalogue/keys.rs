//! Which keys do agents share, and what do their values mean?

use tucrl::agents::{Optimism, SetKind};
use tucrl::confidence::{Delta, Shrink};
use tucrl::counts::Variance;
use tucrl::evi::{EviOptions, Method, Ties};
use tucrl::planner::Rule;

use super::Context;
use crate::names::Accepts::{Integer, Number, NumberOr, OneOf};
use crate::names::{Accepts, Arguments, FLAG, Parameter, Value};

pub(super) const fn key(
    key: &'static str,
    default: &'static str,
    accepts: Accepts,
    meaning: &'static str,
) -> Parameter {
    Parameter { key, aliases: &[], default, accepts, meaning }
}

const WIDTH: Accepts = Number("a finite number of at least 0");

pub(super) const DELTA: Parameter = key(
    "delta",
    "0.05",
    NumberOr("a number in (0, 1]", &["inv-sqrt"]),
    "how often confidence sets may fail: the same in every episode (the paper), or 1/sqrt(t_k) (the \
     published code)",
);
pub(super) const ALPHA: Parameter =
    key("alpha", "1", WIDTH, "shrinks all confidence widths; 1 is what the proofs need");
pub(super) const ALPHA_R: Parameter =
    key("alpha_r", "alpha", WIDTH, "shrinks the widths of rewards only");
pub(super) const ALPHA_P: Parameter =
    key("alpha_p", "alpha", WIDTH, "shrinks the widths of transitions only");
pub(super) const SHRINK: Parameter = key(
    "shrink",
    "linear",
    OneOf(&["linear", "log"]),
    "what alpha multiplies: the widths (the paper's words), or the logarithm in them (the published \
     code)",
);
pub(super) const VARIANCE: Parameter = key(
    "variance",
    "published",
    OneOf(&["published", "sample", "population"]),
    "which empirical variance: of the population for transitions and of the sample for rewards (the \
     published code), or one of them for both",
);
pub(super) const TIES: Parameter = key(
    "ties",
    "least-visited",
    OneOf(&["least-visited", "lowest", "noise"]),
    "which of equally good actions: the least tried, the lowest number, or by a tiny random bonus \
     (the published code)",
);
pub(super) const KNOWN_REWARDS: Parameter =
    key("known_rewards", "false", FLAG, "whether the true mean rewards of visited states are told");
pub(super) const WARM_START: Parameter = key(
    "warm_start",
    "false",
    FLAG,
    "whether a plan starts from the values of the last one, not from 0 as in the paper",
);
pub(super) const PLANNER: Parameter = key(
    "planner",
    "accelerated",
    OneOf(&["plain", "accelerated"]),
    "plain sweeps, or with exact evaluations in between where they pay; same guarantees",
);
pub(super) const APERIODICITY: Parameter = key(
    "aperiodicity",
    "1",
    Number("a number in (0, 1]"),
    "the weight of the real transition against staying; 1 in the paper, 0.9 in the published code",
);
pub(super) const R_MAX: Parameter = key(
    "r_max",
    "world",
    NumberOr("a positive number", &["world"]),
    "the largest possible reward, or that of the world",
);
pub(super) const SA: Parameter = key(
    "sa",
    "nominal",
    NumberOr("a number of at least 1", &["nominal"]),
    "S times A inside the logarithms; nominal is what the proofs need",
);
pub(super) const SWEEPS: Parameter = key(
    "sweeps",
    "1000000",
    Integer("an integer of at least 1"),
    "sweeps after which a plan is given up and the run fails",
);

/// The shared options. An agent without some of the keys has their defaults.
pub(super) fn optimism(given: &Arguments, context: &Context<'_>) -> Optimism {
    let defaults = Optimism::default();
    let word = |key: &str| given.has(key).then(|| given.word(key));
    Optimism {
        delta: match given.value("delta") {
            Value::Word(_) => Delta::InverseRoot,
            _ => Delta::Fixed(given.number("delta")),
        },
        alpha_r: given.number("alpha_r"),
        alpha_p: given.number("alpha_p"),
        shrink: if word("shrink") == Some("log") { Shrink::Log } else { Shrink::Linear },
        variance: match word("variance") {
            Some("sample") => Variance::Sample,
            Some("population") => Variance::Population,
            _ => Variance::Published,
        },
        r_max: given.number_or("r_max", |_| context.r_max),
        known_rewards: given.word("known_rewards") == "true",
        nominal_pairs: match given.value("sa") {
            Value::Word(_) => None,
            _ => Some(given.number("sa")),
        },
        evi: match word("planner") {
            Some(planner) => EviOptions {
                method: if planner == "plain" { Method::Plain } else { Method::Accelerated },
                ties: ties(given),
                aperiodicity: given.number("aperiodicity"),
                sweep_limit: given.integer("sweeps"),
                warm_start: given.word("warm_start") == "true",
            },
            None => defaults.evi,
        },
    }
}

/// The words of the sets of plausible worlds, for agents that may choose.
pub(super) const SET: Parameter = key(
    "set",
    "bernstein",
    OneOf(&["bernstein", "bernstein-2020", "l1", "kl", "ucrl3"]),
    "which worlds are plausible: the paper's Bernstein boxes, the tighter ones of 2020, UCRL2's L1 balls, \
     KL-UCRL's divergences, or UCRL3's boxes over selected next states",
);

pub(super) fn set(given: &Arguments) -> SetKind {
    match given.word("set") {
        "bernstein-2020" => SetKind::Bernstein2020,
        "l1" => SetKind::L1,
        "kl" => SetKind::Kl,
        "ucrl3" => SetKind::Ucrl3,
        _ => SetKind::Bernstein,
    }
}

/// The words of the rules that end an episode, for agents that may choose.
pub(super) const RULE: Parameter = key(
    "rule",
    "doubling",
    OneOf(&["doubling", "new-state", "tsde", "powers-of-two"]),
    "when an episode ends: when a pair doubles its visits; then, and before acting in a new state; when \
     it is longer than the last one or a pair has more than doubled; at the times 1, 2, 4, 8, ...",
);

pub(super) fn rule(given: &Arguments) -> Rule {
    match given.word("rule") {
        "new-state" => Rule::NewStates,
        "tsde" => Rule::Growing,
        "powers-of-two" => Rule::PowersOfTwo,
        _ => Rule::Doubling,
    }
}

pub(super) fn ties(given: &Arguments) -> Ties {
    match given.word("ties") {
        "lowest" => Ties::LowestIndex,
        "noise" => Ties::Noise,
        _ => Ties::LeastVisited,
    }
}

//! How is the hardness of a world shown?

use std::fmt::{Error, Write};

use tucrl::hardness::{Certainty, Hardness, LowerBound};
use tucrl_lab::text::{digits, four_digits, wrapped};

/// Columns of the labels, and of what stands beside them.
const LABEL: usize = 21;
const ROOM: usize = 80 - LABEL;

/// The lines that `tucrl inspect` adds to a page.
pub(super) fn section(hardness: &Hardness, reachable: usize) -> Result<String, Error> {
    let mut out = String::from("\n  Hardness\n");
    let mut line = |label: &str, value: String| {
        let mut label = label;
        for part in wrapped(&value, ROOM) {
            writeln!(out, "  {label:<width$}{part}", width = LABEL - 2)?;
            label = "";
        }
        Ok(())
    };
    let four = |value: f64| digits(value, 4);
    line(
        "smallest gap",
        match hardness.smallest_gap {
            Some(gap) => {
                let inverse = four_digits(hardness.sum_of_inverse_gaps);
                format!("{} per step; the sum of 1/gap is {inverse}", four(gap))
            }
            None if hardness.undecided_gaps > 0 => {
                format!("undecided: gaps are known to ± {} only", four_digits(hardness.gap_error))
            }
            None => "none: every action is optimal".into(),
        },
    )?;
    line("optimal policy", uniqueness(hardness, reachable as u64))?;
    let or_reason = |key: &str, shown: Option<String>| match shown {
        Some(shown) => shown,
        None => format!("left out: {}", hardness.left_out.get(key).map_or("", String::as_str)),
    };
    line("bias deviation", format!("{} at most, of one step", four(hardness.bias_deviation)))?;
    let noise = hardness.regret_variance.map(|variance| {
        format!("{} √T, standard deviation under the optimal policy", four(variance.sqrt()))
    });
    line("regret noise", or_reason("regret_variance", noise))?;
    let time = |steps: f64| format!("{} steps, under the optimal policy", four_digits(steps));
    line("hitting time", or_reason("hitting_time", hardness.hitting_time.map(time)))?;
    let mixing = hardness.mixing_time.map(|steps| time(steps as f64));
    line("mixing time", or_reason("mixing_time", mixing))?;
    let (bound, known) = (&hardness.lower_bound, &hardness.lower_bound_known_rewards);
    line("lower bound", format!("{}: {}", growth(bound), bound.reason))?;
    let why = match known.reason == bound.reason {
        true => String::new(),
        false => format!(": {}", known.reason),
    };
    line("if rewards known", growth(known) + &why)?;
    let burn_in = hardness.burn_in.map(|burn_in| {
        let [ucrl, tucrl, span, diameter] = [
            burn_in.ucrl_linear_regime,
            burn_in.tucrl_exploratory_phase,
            burn_in.span_squared,
            burn_in.diameter,
        ]
        .map(finite);
        format!("UCRL {ucrl}, TUCRL {tucrl}, sp²SA {span}, DSA {diameter} steps")
    });
    line("burn-in", or_reason("burn_in", burn_in))?;
    Ok(out)
}

fn uniqueness(hardness: &Hardness, reachable: u64) -> String {
    let unichain = match hardness.is_unichain {
        Some(true) => "unichain",
        Some(false) => "not unichain",
        None => "perhaps not unichain (its chain was not evaluated)",
    };
    if hardness.undecided_gaps > 0 {
        return format!(
            "perhaps not unique, by the error of the gaps; the one found is {unichain}"
        );
    }
    match (hardness.is_unique, hardness.ties(reachable)) {
        (true, _) => format!("unique and {unichain}"),
        (false, 1) => format!("not unique, 1 tie; the one found is {unichain}"),
        (false, ties) => format!("not unique, {ties} ties; the one found is {unichain}"),
    }
}

/// A lower bound in words.
pub(super) fn growth(bound: &LowerBound) -> String {
    match (bound.certainty, bound.constant) {
        (Certainty::Infinite, _) => "more than any multiple of ln T".into(),
        (Certainty::Unknown, _) | (_, None) => "unknown".into(),
        (certainty, Some(constant)) => {
            format!("{} ln T, {}", digits(constant, 4), certainty.in_words())
        }
    }
}

/// Four digits.
pub(super) fn finite(value: f64) -> String {
    if value.is_finite() { digits(value, 4) } else { "infinite".into() }
}

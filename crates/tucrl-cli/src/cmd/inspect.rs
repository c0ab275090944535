//! `tucrl inspect`: what are the exact facts of a world?

use std::fmt::{Error, Write};
use std::sync::Arc;
use std::time::Duration;

use anyhow::bail;
use tucrl::model::Model;
use tucrl::structure::Class;
use tucrl::truth::Watch;
use tucrl::truth::{SEARCH_LIMIT, search};
use tucrl_lab::Catalogue;
use tucrl_lab::inspection::{Effort, Inspection, Steps};
use tucrl_lab::text::{counted, digits, number, printable, rounded_up, with_error};
use tucrl_lab::warnings::NOT_RECOVERABLE;

use super::progress::Progress;
use super::{DIAMETER_LIMIT, hardness, policy, use_threads};
use crate::cli::{Inspect, Part};

/// Time limit of the diameter below `DIAMETER_LIMIT`.
const PATIENCE: Duration = Duration::from_secs(30);

/// Gain errors above this, in units of r_max, are reported as a warning.
const POOR: f64 = 1e-6;

pub(super) fn run(ask: &Inspect, catalogue: &Catalogue) -> anyhow::Result<String> {
    let is_wanted = |part| !ask.skip.contains(&part);
    if ask.policy && !is_wanted(Part::Gain) {
        bail!("--policy needs the gain: leave out --skip gain");
    }
    if ask.all && !is_wanted(Part::Diameter) {
        bail!("--all and --skip diameter contradict each other: leave one out");
    }
    use_threads(ask.jobs)?;
    let world = catalogue.world(&ask.source.world)?;
    let progress = Progress::new();
    progress.begin("building the world");
    let (mdp, nominal) = match world.open(&ask.source.options())? {
        Model::Generated(generator) => {
            let found = search(&*generator, SEARCH_LIMIT, &progress)?;
            progress.begin("building the table of what is reachable");
            let table = found.table(&*generator, &|done, of| {
                progress.done(done, of);
                true
            });
            (Arc::new(table?), Some(generator.space().states()))
        }
        Model::Table(mdp) => (mdp, None),
    };
    let effort = Effort {
        gain: is_wanted(Part::Gain),
        policy: ask.policy,
        hardness: is_wanted(Part::Gain) && is_wanted(Part::Hardness),
        diameter_limit: match is_wanted(Part::Diameter) {
            false => 0,
            true if ask.all => usize::MAX,
            true => DIAMETER_LIMIT,
        },
        patience: (!ask.all).then_some(PATIENCE),
    };
    let (name, states) = (world.to_string(), nominal.unwrap_or(mdp.states() as u64));
    let inspection = Inspection::among(name, &mdp, states, effort, &progress)?;
    let inspection = match nominal {
        Some(nominal) => inspection.within(nominal, effort),
        None => inspection,
    };
    drop(progress);
    for (kind, remark) in remarks(&inspection, is_wanted(Part::Diameter)) {
        super::say(kind, &remark);
    }
    if ask.json { super::json(&inspection) } else { Ok(page(&inspection)?) }
}

/// Warnings and notes about the result.
fn remarks(known: &Inspection, diameter_is_wanted: bool) -> Vec<(&'static str, String)> {
    let mut remarks = Vec::new();
    if !known.start_is_recoverable {
        remarks.push(("warning", NOT_RECOVERABLE.into()));
    }
    if let Some(error) = known.gain_error.filter(|error| *error > POOR * known.r_max) {
        let bound = rounded_up(error);
        let remark = format!(
            "the gain is certified only to ± {bound}.\n  \
             The span and the policy are those of this uncertain answer."
        );
        remarks.push(("warning", remark));
    }
    if let Some(error) = &known.diameter_error {
        remarks.push(("note", format!("the diameter is left out: {error}")));
    } else if known.diameter_reachable.is_none() && diameter_is_wanted {
        let reachable = known.reachable;
        let long = match known.diameter_seconds {
            Some(seconds) if seconds < 60.0 => "up to a minute".into(),
            Some(seconds) => format!("some {} minutes", digits(seconds / 60.0, 2)),
            None => "long".into(),
        };
        let remark = format!(
            "the diameter of {reachable} reachable states would take {long} and is left out: \
             compute it with --all"
        );
        remarks.push(("note", remark));
    }
    remarks
}

/// The text output.
fn page(known: &Inspection) -> Result<String, Error> {
    let mut out = String::new();
    writeln!(out, "{}\n", printable(&known.world))?;
    if let Some(fraction) = known.reachable_fraction {
        let (reachable, states) = (known.reachable, known.states);
        writeln!(
            out,
            "  {reachable} of {states} states are reachable, 1 in {}.",
            digits(1.0 / fraction, 3)
        )?;
        writeln!(
            out,
            "  Class, components, actions, gain and supports are those of the reachable part.\n"
        )?;
    }
    let mut line = |label: &str, value: String| writeln!(out, "  {label:<19}{value}");
    line("class", format!("{}: {}", known.class, meaning(known.class)))?;
    line("end components", components(known))?;
    let recoverable = match known.start_is_recoverable {
        true => "yes: every reachable state can lead back to it",
        false => "no: some reachable state cannot lead back to it",
    };
    line("start recoverable", recoverable.into())?;
    let (pairs, transitions) = (known.pairs, known.transitions);
    line(
        "actions",
        format!(
            "{} at most; {}, {}",
            known.actions,
            counted(pairs, "state-action pair"),
            counted(transitions, "transition")
        ),
    )?;
    let range = known.reward_range;
    line("rewards", format!("in [{}, {}]", number(range.low()), number(range.high())))?;
    line(
        "optimal gain",
        match (known.gain, known.gain_error) {
            (Some(gain), Some(error)) => {
                format!("{} per step, from the start", with_error(gain, error))
            }
            _ => "skipped".into(),
        },
    )?;
    if let (Some(gain), Some(error)) = (known.policy_gain, known.policy_gain_error) {
        let gain = with_error(gain, error);
        line("gain of the policy", format!("{gain} per step, computed anew"))?;
    }
    let span = match known.bias_kind {
        Some("value iteration") => "of value iteration's bias",
        Some("policy") => "of the policy's bias",
        _ => "of the optimal bias",
    };
    let or_skipped = |value: Option<f64>| value.map_or("skipped".into(), number);
    let rows = [
        (
            "states",
            known.states.to_string(),
            known.reachable.to_string(),
            "reachable from the start",
        ),
        ("span", or_skipped(known.span), or_skipped(known.span_reachable), span),
        (
            "diameter",
            steps(known.diameter),
            steps(known.diameter_reachable),
            "largest expected travel time",
        ),
        (
            "largest support",
            known.max_support.to_string(),
            known.max_support_reachable.to_string(),
            "next states of one action",
        ),
    ];
    // Columns grow with their numbers: spans and times may have many digits.
    let all_width = rows.iter().map(|row| row.1.len() + 2).fold(14, usize::max);
    let reachable_width = rows.iter().map(|row| row.2.len() + 2).fold(14, usize::max);
    let header = ("", "all states".to_owned(), "reachable".to_owned(), "");
    writeln!(out)?;
    for (label, all, reachable, meaning) in std::iter::once(header).chain(rows) {
        let row =
            format!("  {label:<17}{all:>all_width$}{reachable:>reachable_width$}   {meaning}");
        writeln!(out, "{}", row.trim_end())?;
    }
    if let Some(hardness) = &known.hardness {
        out += &hardness::section(hardness, known.reachable)?;
    }
    if let Some(choices) = &known.policy {
        write!(out, "\n{}", policy::table(choices)?)?;
    }
    Ok(out)
}

fn meaning(class: Class) -> &'static str {
    match class {
        Class::Communicating => "every state can be reached from every other",
        Class::WeaklyCommunicating => "one closed set, the rest is transient",
        Class::Multichain => "several sets of states can be stayed in forever",
    }
}

/// The sizes, equal ones together: `5, of 400 and 4 × 25 states`.
fn components(known: &Inspection) -> String {
    let sizes = &known.end_component_sizes;
    let mut groups: Vec<(usize, usize)> =
        sizes.chunk_by(|a, b| a == b).map(|same| (same.len(), same[0])).collect();
    let mut unlisted = known.end_components - sizes.len();
    if let Some((count, 1)) = groups.last_mut() {
        // Sizes are listed in decreasing order, so that the unlisted ones are of size 1 too.
        *count += std::mem::take(&mut unlisted);
    }
    let mut parts: Vec<String> = groups
        .iter()
        .map(
            |(count, size)| {
                if *count == 1 { size.to_string() } else { format!("{count} × {size}") }
            },
        )
        .collect();
    if unlisted > 0 {
        parts.push(format!("{unlisted} not larger"));
    }
    let (last, first) = (parts.pop().unwrap_or_default(), parts.join(", "));
    let list = if first.is_empty() { last } else { format!("{first} and {last}") };
    let plural = if list == "1" { "" } else { "s" };
    format!("{}, of {list} state{plural}", known.end_components)
}

fn steps(steps: Option<Steps>) -> String {
    match steps {
        Some(Steps::Finite(steps)) => number(steps),
        Some(Steps::Infinite) => "infinite".into(),
        None => "skipped".into(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn a_gain_that_is_hardly_known_is_warned_about() {
        let mdp = Arc::new(tucrl::worlds::RiverSwim::default().build().unwrap());
        let effort = Effort {
            gain: true,
            policy: false,
            hardness: false,
            diameter_limit: 0,
            patience: None,
        };
        let mut known = Inspection::of("river-swim".into(), &mdp, effort, &()).unwrap();
        assert!(remarks(&known, false).is_empty());
        known.gain_error = Some(0.0123);
        let expected = "the gain is certified only to ± 2e-2.\n  \
                        The span and the policy are those of this uncertain answer.";
        assert_eq!(remarks(&known, false), [("warning", expected.to_string())]);
    }

    #[test]
    fn equal_end_components_are_counted_together() {
        let mdp = Arc::new(tucrl::worlds::SixArms.build().unwrap());
        let effort = Effort {
            gain: false,
            policy: false,
            hardness: false,
            diameter_limit: 0,
            patience: None,
        };
        let mut known = Inspection::of("six-arms".into(), &mdp, effort, &()).unwrap();
        let mut shown = |count, sizes: &[usize]| {
            known.end_components = count;
            known.end_component_sizes = sizes.to_vec();
            components(&known)
        };
        assert_eq!(shown(1, &[1]), "1, of 1 state");
        assert_eq!(shown(3, &[5, 4, 1]), "3, of 5, 4 and 1 states");
        assert_eq!(shown(9, &[5, 4, 4]), "9, of 5, 2 × 4 and 6 not larger states");
        assert_eq!(shown(9, &[5, 1, 1]), "9, of 5 and 8 × 1 states");
    }

    #[test]
    fn a_diameter_over_the_time_limit_is_left_out_and_the_flag_named() {
        let mut ring = tucrl::mdp::Mdp::builder();
        for state in 0..1200 {
            ring.state().action(0.5, [((state + 1) % 1200, 1.0)]);
        }
        ring.start_at(0);
        let mdp = Arc::new(ring.build().unwrap());
        let inspect = |patience| {
            let effort = Effort {
                gain: false,
                policy: false,
                hardness: false,
                diameter_limit: usize::MAX,
                patience,
            };
            Inspection::of("ring".into(), &mdp, effort, &()).unwrap()
        };
        let hasty = inspect(Some(Duration::ZERO));
        assert!(hasty.start_is_recoverable && hasty.diameter_reachable.is_none());
        assert!(hasty.skipped.contains(&"diameter_reachable"), "{:?}", hasty.skipped);
        let effort = Effort {
            gain: false,
            policy: false,
            hardness: false,
            diameter_limit: 1,
            patience: None,
        };
        let vast = hasty.clone().within(1 << 40, effort);
        assert_eq!((vast.diameter, vast.diameter_reachable), (Some(Steps::Infinite), None));
        assert!(!vast.skipped.contains(&"diameter"), "infinity costs nothing");
        let said = &remarks(&hasty, true)[0].1;
        assert!(said.contains("would take up to a minute") && said.ends_with("--all"), "{said}");
        let patient = inspect(Some(Duration::from_secs(3600)));
        assert_eq!(patient.diameter_reachable, Some(Steps::Finite(1199.0)));
    }

    /// 1/5e-324 steps are more than the largest number.
    #[test]
    fn a_diameter_beyond_all_numbers_is_left_out_with_the_reason() {
        let mut builder = tucrl::mdp::Mdp::builder();
        builder.state().action(0.0, [(0, 1.0), (1, 5e-324)]);
        builder.state().action(1.0, [(1, 1.0), (0, 1e-323)]);
        builder.start_at(0);
        let mdp = Arc::new(builder.build().unwrap());
        let effort = Effort {
            gain: true,
            policy: true,
            diameter_limit: 10,
            patience: None,
            hardness: false,
        };
        let known = Inspection::of("slow".into(), &mdp, effort, &()).unwrap();
        assert_eq!((known.diameter, known.diameter_reachable), (None, None));
        assert_eq!(known.skipped, ["diameter", "diameter_reachable", "hardness"]);
        assert!(known.gain.is_some() && known.policy.is_some());
        let said = remarks(&known, true);
        let (kind, reason) = said.last().unwrap();
        assert_eq!(*kind, "note");
        assert!(reason.starts_with("the diameter is left out: "), "{reason}");
        assert!(reason.contains("more than 1e308 steps"), "{reason}");
    }
}

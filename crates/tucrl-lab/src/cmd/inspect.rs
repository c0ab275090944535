//! `tucrl inspect`: what is exactly known about a world?

use std::fmt::{Error, Write};

use anyhow::{Context, bail};
use tucrl::structure::Class;
use tucrl_lab::catalogue::World;
use tucrl_lab::inspection::{Effort, Inspection, Steps, Watch};

use super::policy;
use super::progress::Progress;
use super::text::{counted, number, printable, with_error};
use crate::cli::{Inspect, Part};

/// With more reachable states than this the diameter takes minutes at least.
const DIAMETER_LIMIT: usize = 20_000;

const NOT_RECOVERABLE: &str = "\
the start cannot be reached back from every state that it leads to.
  The paper's standing assumption fails: a learner may leave the start for good
  by a mistake that it cannot know to be one, so no regret bound holds here.";

pub(super) fn run(ask: &Inspect) -> anyhow::Result<String> {
    let is_wanted = |part| !ask.skip.contains(&part);
    if ask.policy && !is_wanted(Part::Gain) {
        bail!("--policy needs the gain: leave out --skip gain");
    }
    if ask.all && !is_wanted(Part::Diameter) {
        bail!("--all and --skip diameter contradict each other: leave one out");
    }
    if let Some(jobs) = ask.jobs {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs.into()).build_global();
        pool.with_context(|| format!("{jobs} threads could not be started"))?;
    }
    let world = World::parse(&ask.source.world)?;
    let progress = Progress::new();
    progress.begin("building the world");
    let mdp = world.build(&ask.source.options())?;
    let effort = Effort {
        gain: is_wanted(Part::Gain),
        policy: ask.policy,
        diameter_limit: match is_wanted(Part::Diameter) {
            false => 0,
            true if ask.all => usize::MAX,
            true => DIAMETER_LIMIT,
        },
    };
    let inspection = Inspection::of(world.to_string(), &mdp, effort, &progress)?;
    drop(progress);
    if !inspection.start_is_recoverable {
        super::say("warning", NOT_RECOVERABLE);
    }
    if inspection.diameter_reachable.is_none() && is_wanted(Part::Diameter) {
        let reachable = inspection.reachable;
        super::say(
            "note",
            &format!(
                "the diameter of {reachable} reachable states would take long and is left out: \
                 ask for it with --all"
            ),
        );
    }
    if ask.json { super::json(&inspection) } else { Ok(page(&inspection)?) }
}

/// The answer for people.
fn page(known: &Inspection) -> Result<String, Error> {
    let mut out = String::new();
    writeln!(out, "{}\n", printable(&known.world))?;
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
    line("rewards", format!("in [0, {}]", number(known.r_max)))?;
    line(
        "optimal gain",
        match (known.gain, known.gain_error) {
            (Some(gain), Some(error)) => {
                format!("{} per step, from the start", with_error(gain, error))
            }
            _ => "skipped".into(),
        },
    )?;
    writeln!(out, "\n  {:<17}{:>14}{:>14}", "", "all states", "reachable")?;
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
            "steps between the two farthest",
        ),
        (
            "largest support",
            known.max_support.to_string(),
            known.max_support_reachable.to_string(),
            "next states of one action",
        ),
    ];
    for (label, all, reachable, meaning) in rows {
        writeln!(out, "  {label:<17}{all:>14}{reachable:>14}   {meaning}")?;
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
        Class::Multichain => "several sets can be stayed in for ever",
    }
}

/// The sizes, equal ones together: `5, of 400 and 4 × 25 states`.
fn components(known: &Inspection) -> String {
    let sizes = &known.end_component_sizes;
    let mut groups: Vec<(usize, usize)> =
        sizes.chunk_by(|a, b| a == b).map(|same| (same.len(), same[0])).collect();
    let mut unlisted = known.end_components - sizes.len();
    if let Some((count, 1)) = groups.last_mut() {
        // Nothing is smaller than one state, so those not listed are of that size too.
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

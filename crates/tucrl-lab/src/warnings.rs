//! What should be known before a long computation begins?

use tucrl::learner::{Remedy, Setting, TooShort, TooShortReason};
use tucrl::run::RunRecord;
use tucrl::truth::Facts;

use crate::catalogue::NamedAgent;
use crate::names::shown;
use crate::text::{digits, rounded_up, wrapped};

/// The warning about a world whose start cannot be reached from every reachable state.
pub const NOT_RECOVERABLE: &str = "\
the start cannot be reached from every reachable state.
  The paper's standing assumption fails: a learner may leave the start forever
  by an action whose effect it does not know, so no regret bound holds here.";

/// Why a run is too short for an agent, if it is.
pub fn too_short(agent: &NamedAgent, setting: &Setting, reachable: u64) -> Option<String> {
    let TooShort { reason, remedy } = agent.algorithm().too_short(setting, reachable)?;
    let steps = setting.steps;
    let (head, why) = match reason {
        TooShortReason::Width { visits, .. } if visits < 2.0 => (
            format!("{steps} steps are too few for its confidence widths."),
            "Not even every action of every reachable state can be tried twice, so the whole run is exploration.".into(),
        ),
        TooShortReason::Width { visits, what, width } => (
            format!("{steps} steps are too few for its confidence widths."),
            format!(
                "Even if every action of every reachable state were tried {} times, {what} would be {}. A width of 1 \
                 or more excludes nothing, so the whole run is exploration.",
                digits(visits, 3),
                digits(width, 2)
            ),
        ),
        TooShortReason::Other(why) => (format!("{steps} steps are too few."), why),
        _ => (format!("{steps} steps are too few."), String::new()),
    };
    let advice = match (successor(agent, setting, reachable), remedy) {
        (Some(advice), _) => format!("Take more steps, or use {advice}."),
        (None, Some(remedy)) => {
            let Remedy { effect, limits, .. } = &remedy;
            format!("Take more steps, or set {}, which {effect}. {limits}", options(&remedy))
        }
        (None, None) => "Take more steps.".into(),
    };
    let body = wrapped(format!("{why} {advice}").trim_start(), COLUMNS - INDENT.len());
    Some(format!("{agent}: {head}\n{INDENT}{}", body.join(&format!("\n{INDENT}"))))
}

fn options(remedy: &Remedy) -> String {
    let option = |(key, value): &(_, _)| format!("{key}={}", shown(value, false));
    remedy.options.iter().map(option).collect::<Vec<String>>().join(",")
}

/// What to use in place of TUCRL: TUCRL+, with the alpha that it needs here, if any.
fn successor(agent: &NamedAgent, setting: &Setting, reachable: u64) -> Option<String> {
    const SUCCESSOR: &str = "tucrl-plus";
    if agent.kind().about().name != "tucrl" {
        return None;
    }
    match NamedAgent::parse(SUCCESSOR).ok()?.algorithm().too_short(setting, reachable) {
        None => {
            Some(format!("{SUCCESSOR}, whose widths are narrow enough as its proof needs them"))
        }
        Some(TooShort { remedy: Some(remedy), .. }) => Some(format!(
            "{SUCCESSOR}:{}, whose widths are narrower; with this alpha it has no guarantee",
            options(&remedy)
        )),
        Some(_) => None,
    }
}

const COLUMNS: usize = 80;
const INDENT: &str = "  ";
/// How uncertain regret after `steps` steps is, if its error is not small.
pub fn uncertain_regret(facts: &Facts, steps: u64) -> Option<String> {
    let error = facts.regret_error(steps)?;
    Some(format!(
        "the optimal gain is certified only to ± {}, so regret after\n  \
         {steps} steps is uncertain by ± {}.\n  \
         Compare rewards, or the regrets of two agents: their difference does not\n  \
         depend on the gain.",
        rounded_up(facts.gain_error),
        rounded_up(error)
    ))
}

/// What the learners of an agent say about their runs, given by number: the words of the first that says something, and how
/// many do.
pub fn remarks<'a>(
    label: &str,
    runs: impl IntoIterator<Item = (u64, &'a RunRecord)>,
) -> Vec<String> {
    let runs: Vec<(u64, &RunRecord)> = runs.into_iter().collect();
    let all = runs.len();
    let mut told = runs.into_iter().filter(|(_, record)| !record.remarks.is_empty());
    let Some((run, record)) = told.next() else { return Vec::new() };
    let others = match told.count() {
        0 if all == 1 => String::new(),
        others => format!(" ({} of {all} runs have remarks)", others + 1),
    };
    let said = |remark: &String| format!("{label}, run {run}: {remark}{others}");
    record.remarks.iter().map(said).collect()
}

#[cfg(test)]
mod tests {
    use tucrl::truth::Truth;

    use super::*;

    #[test]
    fn regret_is_called_uncertain_when_the_error_of_the_gain_adds_up() {
        let mut facts = Truth::unavailable().facts().clone();
        facts.gain_error = 2e-9;
        assert_eq!(uncertain_regret(&facts, 1_000_000), None);
        let text = uncertain_regret(&facts, 1_000_000_000).unwrap();
        assert!(text.contains("± 2e-9, so regret"), "{text}");
        assert!(text.contains("1000000000 steps is uncertain by ± 2"), "{text}");
        assert!(text.lines().all(|line| line.len() < 80), "{text}");
    }
}

//! Which agent should one use, by the results of a league?
//!
//! Every number and every name of an agent on this page is computed from stored runs. Agents are compared by their mean score
//! over the worlds of a group: regret at the end, divided by that of random play.

use tucrl_lab::record::StoredRun;
use tucrl_lab::report::markdown::{cell, escaped};
use tucrl_lab::stats::Study;

use super::frame::{Frame, Matrix, alphas, with_alpha};
use super::{Origin, columns, shown, shown_regret};

/// Agents left out of the guide, because they learn nothing or are told the answer.
const REFERENCES: [&str; 2] = ["oracle", "random"];
/// How many agents a cell names.
const NAMED: usize = 3;

/// The page in Markdown; none unless the experiment says what its agents are told, and random play is among them.
pub fn guide(runs: &[StoredRun], study: &Study<'_>, origin: &Origin<'_>) -> Option<String> {
    let Origin { command, digest, frame, .. } = origin;
    let scores = Matrix::scores(study, frame);
    let all = |world: usize| scores.is_common(world);
    if frame.told.is_empty() || scores.ranked(all).is_empty() {
        return None;
    }
    let command = shown(command);
    let common = (0..study.worlds.len()).filter(|&world| all(world)).count();
    let steps = study.worlds.iter().filter_map(|world| world.time).max().unwrap_or_default();
    let mut out = format!(
        "# Which agent should I use?\n\n<!-- Written by `{command}`; do not edit. -->\n\n\
         This page follows from the [league](league.md) (experiment {digest}): every name and number is computed from its stored \
         runs of {steps} steps. A **score** is the mean regret at the end divided by that of random play, averaged over \
         worlds: 0 is optimal play from the first step, 1 no better than random. Unless said otherwise each agent has its \
         best alpha of {}, chosen in each world on other runs; alpha below 1 voids guarantees. In a cell stand the best \
         agents, smallest score first; what differs in the third digit may be chance.\n\n",
        alphas(runs).join(", ")
    );
    out += "## In short\n\n";
    for (told, labels) in &frame.told {
        let named = best(&scores, labels, all);
        if !named.is_empty() {
            out += &format!("- **Told {}**: {named}.\n", escaped(told));
        }
    }
    out += &format!(
        "\nThese are means over the {common} of {} worlds in which all agents were run. The kind of world matters more than \
         the rank: read on.\n\n## By kind and hardness of the world\n\n",
        study.worlds.len()
    );
    out += &by_world(study, frame, &scores);
    out += &with_guarantee(runs, study, frame);
    out += CAVEATS;
    Some(out)
}

/// The best agents among some over the chosen worlds, with their scores.
fn best(scores: &Matrix<'_>, labels: &[String], chosen: impl Fn(usize) -> bool + Copy) -> String {
    let is_meant =
        |label: &str| !REFERENCES.contains(&label) && labels.iter().any(|one| one == label);
    let ranked = scores.ranked(chosen).into_iter().filter(|(label, _)| is_meant(label));
    let named: Vec<String> =
        ranked.take(NAMED).map(|(label, score)| format!("{} {score:.3}", cell(label))).collect();
    named.join(", ")
}

/// A row per group and level, a column per thing that may be told.
fn by_world(study: &Study<'_>, frame: &Frame, scores: &Matrix<'_>) -> String {
    let told: Vec<&(String, Vec<String>)> = frame
        .told
        .iter()
        .filter(|(_, labels)| labels.iter().any(|label| !REFERENCES.contains(&label.as_str())))
        .collect();
    let titles: Vec<String> = told.iter().map(|(told, _)| format!("told {}", cell(told))).collect();
    let mut out = format!("| worlds | {} |\n", titles.join(" | "));
    out += &format!("| --- |{}\n", " --- |".repeat(titles.len()));
    for (title, worlds) in columns(study, frame) {
        let cells: Vec<String> = told
            .iter()
            .map(|(_, labels)| best(scores, labels, |world| worlds.contains(&world)))
            .map(|named| if named.is_empty() { "–".into() } else { named })
            .collect();
        out += &format!("| {} | {} |\n", cell(&title), cells.join(" | "));
    }
    out + "\nAgents that were not run in all worlds of a row, because of their cost, are not named in it.\n"
}

/// The same with alpha = 1.
fn with_guarantee(runs: &[StoredRun], study: &Study<'_>, frame: &Frame) -> String {
    if !alphas(runs).contains(&"1") {
        return String::new();
    }
    let own = with_alpha(runs, "1");
    let Some(study) = Study::showing(&own, shown_regret(study)) else { return String::new() };
    let scores = Matrix::scores(&study, frame);
    let mut out = String::from(
        "\n## With the constants of the proofs: alpha = 1\n\nAgents without alpha are the same runs as above.\n\n",
    );
    out += &by_world(&study, frame, &scores);
    out
}

const CAVEATS: &str = "
## What this does not say

- Horizons are short. An agent that explores for long and then plays well may have a large score here and the smallest regret later; which one has a guarantee, and under
  which assumptions, is on [its page](agents.md).
- Scores of agents told the span are for the exact span. Told too little, they have linear regret ([arguments](arguments.md)).
- IMED-RL and differential Q-learning have no guarantee where some policy does not visit every state; that they do well in some such worlds is
  no promise about others.
- A mean over worlds of our choice is no probability for yours. `tucrl inspect` says which kind yours is, and `tucrl learn` compares
  agents on it.
";

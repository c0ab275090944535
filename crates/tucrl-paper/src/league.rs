//! How do agents rank over the worlds of an experiment?
//!
//! Agents by mean rank over the worlds, with their rank and regret in each, and their interquartile mean over all
//! worlds. Agents that cannot be told apart in a world share a rank; an agent without a complete run in a world is last
//! there. One Markdown page.

use std::fmt::Write as _;
use std::path::Path;

use tucrl_lab::formats::save::atomically;
use tucrl_lab::formats::{FormatError, IfExists};
use tucrl_lab::record::Provenance;
use tucrl_lab::report::markdown::{cell, escaped, failure, table};
use tucrl_lab::report::text::{across_explained, across_table, provenance_rows};
use tucrl_lab::stats::{Across, Study, WorldStudy};
use tucrl_lab::text::{grouped, printable, with_half};

/// The line of one agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Line<'a> {
    /// The agent.
    pub label: &'a str,
    /// Its mean rank.
    pub mean_rank: f64,
    /// Its rank in each world; none without a complete run.
    pub ranks: Vec<Option<usize>>,
}

/// The agents by mean rank; ties in order of appearance.
pub fn lines<'a>(study: &Study<'a>) -> Vec<Line<'a>> {
    let place = |world: &WorldStudy<'a>, label: &str| {
        world.agents.iter().find(|agent| agent.label == label).and_then(|agent| agent.rank)
    };
    let mut lines: Vec<Line<'_>> = study
        .labels
        .iter()
        .map(|&label| {
            let ranks: Vec<Option<usize>> =
                study.worlds.iter().map(|world| place(world, label)).collect();
            let last = |world: &WorldStudy<'_>| world.agents.len();
            let counted = ranks.iter().zip(&study.worlds);
            let sum: usize = counted.map(|(rank, world)| rank.unwrap_or(last(world))).sum();
            Line { label, mean_rank: sum as f64 / study.worlds.len().max(1) as f64, ranks }
        })
        .collect();
    lines.sort_by(|a, b| a.mean_rank.total_cmp(&b.mean_rank));
    lines
}

/// The source of a page.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    /// The command that writes it.
    pub command: &'a str,
    /// The description of the experiment.
    pub description: &'a str,
    /// The hash of the experiment file.
    pub digest: &'a str,
}

/// The page in Markdown.
pub fn page(study: &Study<'_>, provenance: &[Provenance], origin: &Origin<'_>) -> String {
    let Origin { command, description, digest } = origin;
    // Within a comment and within backticks.
    let command = printable(command).replace('`', "'").replace("-->", "-- >").replace('|', "\\|");
    // The author's own Markdown, but no HTML and no links.
    let description = description.replace('&', "&amp;").replace('<', "&lt;").replace('[', "\\[");
    let lines = lines(study);
    let mut out = format!(
        "# League table\n\n<!-- Written by `{command}`; do not edit. -->\n\n{description}\n\n\
         The place of an agent in a world is one more than the number of agents that have significantly less regret there \
         at the end (paired runs, Student's test, Holm's correction): agents that cannot be told apart share a place, \
         which is no better than that of an agent with a smaller mean. An \
         agent without a complete run in a world is last there. Agents are sorted by mean place.\n"
    );
    let mut say = |text: std::fmt::Arguments<'_>| {
        // Writing to a string cannot fail.
        let _ = out.write_fmt(text);
    };
    let names: Vec<String> = study.worlds.iter().map(|world| cell(world.world)).collect();
    let rule = " ---: |".repeat(names.len());
    say(format_args!("\n## Places\n\n| agent | mean place | {} |\n", names.join(" | ")));
    say(format_args!("| --- | ---: |{rule}\n"));
    for line in &lines {
        let places: Vec<String> = line
            .ranks
            .iter()
            .map(|rank| rank.map_or("–".into(), |rank| rank.to_string()))
            .collect();
        let (label, places) = (cell(line.label), places.join(" | "));
        say(format_args!("| {label} | {:.1} | {places} |\n", line.mean_rank));
    }
    if let Some(across) = Across::new(study) {
        let (explained, cells) = (across_explained(&across), across_table(&across));
        say(format_args!("\n## All worlds\n\n{}\n\n", escaped(&explained)));
        say(format_args!("{}", table(&cells)));
    }
    say(format_args!("\n## Regret\n\nMean ± half the 95 % interval by Student's t.\n"));
    let mut kinds: Vec<String> = study.worlds.iter().map(WorldStudy::regret_explained).collect();
    kinds.sort();
    kinds.dedup();
    for kind in kinds {
        say(format_args!("{kind}\n"));
    }
    say(format_args!("\n| agent |"));
    for world in &study.worlds {
        let time = world.time.map_or(String::new(), |t| format!(", t = {}", grouped(t as f64)));
        say(format_args!(" {}{time} |", cell(world.world)));
    }
    say(format_args!("\n| --- |{rule}\n"));
    for line in &lines {
        say(format_args!("| {} |", cell(line.label)));
        for world in &study.worlds {
            let agent = world.agents.iter().find(|agent| agent.label == line.label);
            let point = agent
                .and_then(|agent| agent.curve().iter().find(|point| Some(point.t) == world.time));
            let regret = point.map_or("–".into(), |point| with_half(point.mean, point.student));
            say(format_args!(" {regret} |"));
        }
        say(format_args!("\n"));
    }
    say(format_args!(
        "\n## Worlds\n\n| world | states | reachable | span of the optimal bias | class |\n\
         | --- | ---: | ---: | ---: | --- |\n"
    ));
    for WorldStudy { world, facts, .. } in &study.worlds {
        let (states, reachable) = (grouped(facts.states as f64), grouped(facts.reachable as f64));
        let (world, span, class) = (cell(world), facts.span, &facts.class);
        say(format_args!("| {world} | {states} | {reachable} | {span:.2} | {class} |\n"));
    }
    say(format_args!("\n## Agents\n\n| label | spec |\n| --- | --- |\n"));
    let mut seen = Vec::new();
    for agent in study.worlds.iter().flat_map(|world| &world.agents) {
        if !seen.contains(&agent.label) {
            seen.push(agent.label);
            say(format_args!("| {} | `{}` |\n", cell(agent.label), agent.agent));
        }
    }
    let mut failed = study.failed().peekable();
    if failed.peek().is_some() {
        say(format_args!("\n## Failed runs\n\n"));
    }
    for run in failed {
        say(format_args!("- {}\n", failure(run)));
    }
    say(format_args!("\n## Provenance\n\n| | |\n| --- | --- |\n| command | `{command}` |\n"));
    say(format_args!("| experiment, blake3 | {digest} |\n"));
    for row in &provenance_rows(provenance).rows {
        let row: Vec<String> = row.iter().map(|text| cell(text)).collect();
        say(format_args!("| {} |\n", row.join(" | ")));
    }
    out
}

/// Writes a page atomically.
///
/// # Errors
/// When the file cannot be written.
pub fn write(page: &str, path: &Path) -> Result<(), FormatError> {
    atomically(path, IfExists::Replace, |out| out.write_all(page.as_bytes()))
}

#[cfg(test)]
mod tests {
    use tucrl::run::Checkpoints;

    use super::*;
    use tucrl_lab::Catalogue;
    use tucrl_lab::experiment::Experiment;
    use tucrl_lab::record::StoredRun;

    /// Short runs of three agents in two worlds.
    fn runs() -> Vec<StoredRun> {
        let text = r#"
            name = "little-league"
            steps = 2000
            seeds = 2
            worlds = ["theta", "three-state:delta=0"]
            agents = ["random", "oracle", { spec = "psrl:rewards=known", label = "PSRL" }]
        "#;
        let path = std::path::Path::new("little.toml");
        let experiment = Experiment::parse(path, text.into(), &Catalogue::default()).unwrap();
        let mut found = Vec::new();
        for cell in experiment.cells() {
            let world = experiment.prepare(cell.world, &()).unwrap();
            let spec = tucrl::run::RunSpec {
                steps: cell.id.steps,
                checkpoints: Checkpoints::PerDecade(2),
                master_seed: 1,
                run: cell.id.run,
            };
            let algorithm = std::sync::Arc::clone(experiment.agents[cell.agent].agent.algorithm());
            let options = algorithm.options();
            let facts = world.truth.facts().clone();
            let mut run =
                tucrl::run::Run::new(spec.clone(), algorithm, &world.model, world.truth).unwrap();
            run.advance(2000).unwrap();
            found.push(StoredRun {
                experiment: experiment.name.clone(),
                world: cell.id.world.clone(),
                agent: cell.id.agent.clone(),
                label: cell.id.label.clone(),
                options,
                spec,
                facts,
                record: run.record(),
                error: None,
                sweep: None,
                imported: None,
            });
        }
        found
    }

    #[test]
    fn agents_stand_in_the_order_of_their_mean_place() {
        let mut runs = runs();
        let study = Study::new(&runs).unwrap();
        let table = lines(&study);
        assert_eq!(table.len(), 3);
        assert!(table.windows(2).all(|pair| pair[0].mean_rank <= pair[1].mean_rank));
        assert_eq!(table.last().unwrap().label, "random", "worst where there is a choice");
        let command = "tucrl league little.toml";
        let origin = Origin { command, description: "What it is about.", digest: "0123abcd" };
        let page = page(&study, &[], &origin);
        for piece in [
            "| agent | mean place | theta | three-state:delta=0 |",
            "| PSRL | `psrl:rewards=known` |",
            "<!-- Written by `tucrl league little.toml`; do not edit. -->\n\nWhat it is about.",
            "| three-state:delta=0 | 3 | 2 | 1.00 | weakly communicating |",
            "| experiment, blake3 | 0123abcd |",
        ] {
            assert!(page.contains(piece), "{piece} in {page}");
        }
        assert!(!page.contains("Failed"));
        // Without a complete run an agent is last, and the page gives the error.
        for run in runs.iter_mut().filter(|run| run.label == "PSRL" && run.world == "theta") {
            run.error = Some("a run failed".into());
        }
        let study = Study::new(&runs).unwrap();
        let failed = lines(&study).into_iter().find(|line| line.label == "PSRL").unwrap();
        assert_eq!(failed.ranks[0], None);
        let page = super::page(&study, &[], &origin);
        assert!(page.contains("theta, PSRL, run 0: a run failed"), "{page}");
    }
}

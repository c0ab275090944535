//! How do agents rank over the worlds of an experiment?
//!
//! Agents by mean place over the worlds, by groups and levels of worlds, with the same alpha for all and with the best, their
//! interquartile mean and profile over all worlds, and what it is worth to be told something. Agents that cannot be told
//! apart in a world share a place; an agent without a complete run in a world is last there. One Markdown page; a second one,
//! by [`guide`], says which agent to use.

mod frame;
mod guide;

use std::path::Path;

use tucrl_lab::formats::save::atomically;
use tucrl_lab::formats::{FormatError, IfExists};
use tucrl_lab::record::{Provenance, StoredRun};
use tucrl_lab::report::markdown::{cell, escaped, failure, table};
use tucrl_lab::report::text::{across_explained, across_table, provenance_rows};
use tucrl_lab::stats::{Across, Regret, Study, WorldStudy};
use tucrl_lab::text::{grouped, printable, with_half};

pub use frame::{Frame, Matrix, Mean, alphas, with_alpha};
pub use guide::guide;

/// The source of a page.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    /// The command that writes it.
    pub command: &'a str,
    /// The description of the experiment.
    pub description: &'a str,
    /// The hash of the experiment file.
    pub digest: &'a str,
    /// What the experiment says about worlds and agents.
    pub frame: &'a Frame,
}

/// Within a comment and within backticks.
fn shown(command: &str) -> String {
    printable(command).replace('`', "'").replace("-->", "-- >").replace('|', "\\|")
}

/// A mean over worlds; with the number of worlds if the agent was not run in all.
fn mean_cell(mean: Option<Mean>, digits: usize) -> String {
    match mean {
        None => NOTHING.into(),
        Some(Mean { mean, of: (run, all) }) if run == all => format!("{mean:.digits$}"),
        Some(Mean { mean, of: (run, all) }) => format!("{mean:.digits$} ({run} of {all})"),
    }
}

const NOTHING: &str = "–";

/// The columns of a table over worlds: a title and the worlds.
pub(crate) fn columns(study: &Study<'_>, frame: &Frame) -> Vec<(String, Vec<usize>)> {
    let chosen = |is_meant: &dyn Fn(&str) -> bool| -> Vec<usize> {
        let worlds = study.worlds.iter().enumerate();
        worlds.filter(|(_, world)| is_meant(world.world)).map(|(index, _)| index).collect()
    };
    if frame.groups.is_empty() {
        let worlds = study.worlds.iter().enumerate();
        return worlds.map(|(index, world)| (world.world.to_owned(), vec![index])).collect();
    }
    let of_group = |group: &String| {
        let is_meant = |world: &str| frame.group(world) == Some(group);
        (group.clone(), chosen(&is_meant))
    };
    let of_level = |level: usize| {
        (level_name(level, frame.levels()), chosen(&|world| frame.level(world) == level))
    };
    let groups = frame.groups.iter().map(of_group);
    groups.chain((1..=frame.levels()).map(of_level)).collect()
}

/// What a level of hardness is called.
fn level_name(level: usize, levels: usize) -> String {
    match level {
        1 => "easiest level".into(),
        _ if level == levels => "hardest level".into(),
        _ if levels == 3 => "middle level".into(),
        _ => format!("level {level}"),
    }
}

/// The agents by mean place over the worlds in which all were run; ties in order of appearance.
pub fn standings<'a>(places: &Matrix<'a>) -> Vec<(&'a str, f64)> {
    places.ranked(|world| places.is_common(world))
}

/// The page in Markdown.
pub fn page(
    runs: &[StoredRun],
    study: &Study<'_>,
    provenance: &[Provenance],
    origin: &Origin<'_>,
) -> String {
    let Origin { command, description, digest, frame } = origin;
    let command = shown(command);
    // The author's own Markdown, but no HTML and no links.
    let description = description.replace('&', "&amp;").replace('<', "&lt;").replace('[', "\\[");
    let places = Matrix::places(study, frame);
    let standings = standings(&places);
    let mut out = format!(
        "# League table\n\n<!-- Written by `{command}`; do not edit. -->\n\n{description}\n\n\
         The place of an agent in a world is one more than the number of agents that have significantly less regret there \
         at the end (paired runs, Student's test, Holm's correction): agents that cannot be told apart share a place, \
         which is no better than that of an agent with a smaller mean. An \
         agent without a complete run in a world is last there. Agents are sorted by mean place"
    );
    let common = (0..study.worlds.len()).filter(|&world| places.is_common(world)).count();
    match common == study.worlds.len() {
        true => out += ".\n",
        false => {
            let all = study.worlds.len();
            out += &format!(" over the {common} of {all} worlds in which all agents were run.\n");
        }
    }
    out += &format!("\n## Places\n\n{}", places_table(study, frame, &places, &standings));
    out += &alpha_section(runs, study, frame, &standings);
    if let Some(across) = Across::new(study) {
        let (explained, cells) = (across_explained(&across), across_table(&across));
        out += &format!("\n## All worlds\n\n{}\n\n{}", escaped(&explained), table(&cells));
        out += &profiles(&across);
    }
    out += &told_section(study, frame);
    out += &regret_section(study, frame, &standings);
    out += &not_run_section(frame);
    out += &worlds_and_agents(study, frame);
    let mut failed = study.failed().peekable();
    if failed.peek().is_some() {
        out += "\n## Failed runs\n\n";
    }
    for run in failed {
        out += &format!("- {}\n", failure(run));
    }
    out += &format!("\n## Provenance\n\n| | |\n| --- | --- |\n| command | `{command}` |\n");
    out += &format!("| experiment, blake3 | {digest} |\n");
    for row in &provenance_rows(provenance).rows {
        let row: Vec<String> = row.iter().map(|text| cell(text)).collect();
        out += &format!("| {} |\n", row.join(" | "));
    }
    out
}

fn places_table(
    study: &Study<'_>,
    frame: &Frame,
    places: &Matrix<'_>,
    standings: &[(&str, f64)],
) -> String {
    let columns = columns(study, frame);
    let titles: Vec<String> = columns.iter().map(|(title, _)| cell(title)).collect();
    let mut out = format!("| agent | mean place | {} |\n", titles.join(" | "));
    out += &format!("| --- | ---: |{}\n", " ---: |".repeat(titles.len()));
    let digits = usize::from(!frame.groups.is_empty());
    for (label, mean) in standings {
        let cells: Vec<String> = columns
            .iter()
            .map(|(_, worlds)| {
                mean_cell(places.mean(label, |world| worlds.contains(&world)), digits)
            })
            .collect();
        out += &format!("| {} | {mean:.1} | {} |\n", cell(label), cells.join(" | "));
    }
    out
}

/// Mean places with the same alpha for all, and how often each was the best.
fn alpha_section(
    runs: &[StoredRun],
    study: &Study<'_>,
    frame: &Frame,
    standings: &[(&str, f64)],
) -> String {
    let alphas = alphas(runs);
    if alphas.len() < 2 {
        return String::new();
    }
    let mut out = String::from(
        "\n## The same alpha for all, and the best\n\nMean places when all agents whose widths can be scaled have the same \
         alpha, which is not the same width in all; agents without alpha are the same runs in every column. The last column has the \
         number of worlds in which each alpha was chosen, on other seeds than those of the table.\n\n",
    );
    let head: Vec<String> = alphas.iter().map(|alpha| format!("alpha = {alpha}")).collect();
    let orders: Vec<&str> = alphas.clone();
    out +=
        &format!("| agent | {} | best alpha | chosen: {} |\n", head.join(" | "), orders.join(", "));
    out += &format!("| --- |{} ---: | --- |\n", " ---: |".repeat(head.len()));
    let mut by_alpha: Vec<Vec<(String, f64)>> = Vec::new();
    for alpha in &alphas {
        let own = with_alpha(runs, alpha);
        let Some(study) = Study::showing(&own, shown_regret(study)) else { continue };
        let ranked = self::standings(&Matrix::places(&study, frame));
        by_alpha.push(ranked.into_iter().map(|(label, mean)| (label.to_owned(), mean)).collect());
    }
    for (label, best) in standings {
        let mut cells: Vec<String> = by_alpha
            .iter()
            .map(|ranked| {
                let found = ranked.iter().find(|(own, _)| own == label);
                found.map_or(NOTHING.into(), |(_, mean)| format!("{mean:.1}"))
            })
            .collect();
        cells.push(format!("{best:.1}"));
        let chosen = |alpha: &&str| {
            let sweeps = study.worlds.iter().flat_map(|world| &world.sweeps);
            let own = sweeps.filter(|sweep| sweep.group == *label);
            let best = own.flat_map(|sweep| &sweep.variants).filter(|variant| variant.is_best);
            best.filter(|variant| variant.values.contains(alpha)).count()
        };
        let counts: Vec<usize> = alphas.iter().map(chosen).collect();
        let counts = match counts.iter().all(|count| *count == 0) {
            true => NOTHING.into(),
            false => counts.iter().map(usize::to_string).collect::<Vec<_>>().join(", "),
        };
        out += &format!("| {} | {} | {counts} |\n", cell(label), cells.join(" | "));
    }
    out
}

fn shown_regret(study: &Study<'_>) -> Regret {
    study.worlds.first().map_or(Regret::default(), |world| world.shown)
}

/// The performance profiles at some shares.
fn profiles(across: &Across<'_>) -> String {
    const AT: [f64; 5] = [0.02, 0.1, 0.2, 0.5, 1.0];
    let mut out = String::from(
        "\nPerformance profiles: the share of runs whose regret is at most τ times that of the worst agent of the world.\n\n",
    );
    let titles: Vec<String> = AT.iter().map(|tau| format!("τ = {tau}")).collect();
    out += &format!("| agent | {} |\n| --- |{}\n", titles.join(" | "), " ---: |".repeat(AT.len()));
    for agent in &across.agents {
        let share = |tau: &f64| {
            let found = agent.profile.iter().find(|share| (share.tau - tau).abs() < 1e-9);
            found.map_or(NOTHING.into(), |share| format!("{:.2}", share.share))
        };
        let shares: Vec<String> = AT.iter().map(share).collect();
        out += &format!("| {} | {} |\n", cell(agent.label), shares.join(" | "));
    }
    out
}

/// What it is worth to be told something.
fn told_section(study: &Study<'_>, frame: &Frame) -> String {
    if frame.told.is_empty() {
        return String::new();
    }
    let scores = Matrix::scores(study, frame);
    let columns = columns(study, frame);
    let titles: Vec<String> = columns.iter().map(|(title, _)| cell(title)).collect();
    let mut out = format!(
        "\n## What it is worth to be told something\n\nOf the agents that are told the same: the smallest mean score, with its \
         agent. A score is the mean regret at the end divided by that of random play: 0 is optimal, 1 no better than random. \
         Agents that were not run in all worlds of a column do not count there.\n\n| told | {} |\n| --- |{}\n",
        titles.join(" | "),
        " --- |".repeat(titles.len())
    );
    for (told, labels) in &frame.told {
        let best = |(_, worlds): &(String, Vec<usize>)| {
            let ranked = scores.ranked(|world| worlds.contains(&world));
            let own = ranked.into_iter().find(|(label, _)| labels.iter().any(|one| one == label));
            own.map_or(NOTHING.into(), |(label, mean)| format!("{mean:.3} {}", cell(label)))
        };
        let cells: Vec<String> = columns.iter().map(best).collect();
        out += &format!("| {} | {} |\n", cell(told), cells.join(" | "));
    }
    out
}

fn regret_section(study: &Study<'_>, frame: &Frame, standings: &[(&str, f64)]) -> String {
    let mut out = String::from("\n## Regret\n\nMean ± half the 95 % interval by Student's t.\n");
    let mut kinds: Vec<String> = study.worlds.iter().map(WorldStudy::regret_explained).collect();
    kinds.sort();
    kinds.dedup();
    for kind in kinds {
        out += &format!("{kind}\n");
    }
    let mut parts: Vec<(Option<&str>, Vec<&WorldStudy<'_>>)> = Vec::new();
    for world in &study.worlds {
        let group = frame.group(world.world);
        match parts.iter_mut().find(|(known, _)| *known == group) {
            Some((_, members)) => members.push(world),
            None => parts.push((group, vec![world])),
        }
    }
    for (group, worlds) in parts {
        if let Some(group) = group {
            out += &format!("\n### {}\n", escaped(group));
        }
        out += "\n| agent |";
        for world in &worlds {
            let time = world.time.map_or(String::new(), |t| format!(", t = {}", grouped(t as f64)));
            out += &format!(" {}{time} |", cell(world.world));
        }
        out += &format!("\n| --- |{}\n", " ---: |".repeat(worlds.len()));
        for (label, _) in standings {
            out += &format!("| {} |", cell(label));
            for world in &worlds {
                let agent = world.agents.iter().find(|agent| agent.label == *label);
                let point = agent.and_then(|agent| agent.point_at(world.time?));
                let regret =
                    point.map_or(NOTHING.into(), |point| with_half(point.mean, point.student));
                out += &format!(" {regret} |");
            }
            out += "\n";
        }
    }
    out
}

fn not_run_section(frame: &Frame) -> String {
    let mut entries: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    for (world, label, why) in &frame.not_run {
        match entries.iter_mut().find(|entry| entry.0 == label && entry.1 == why) {
            Some((_, _, worlds)) => worlds.push(world),
            None => entries.push((label, why, vec![world])),
        }
    }
    let mut out = String::new();
    for (label, why, worlds) in entries {
        if out.is_empty() {
            out += "\n## Not run\n\n";
        }
        let worlds: Vec<String> = worlds.iter().map(|world| escaped(world)).collect();
        out += &format!("- {}, not run: {}: {}\n", escaped(label), escaped(why), worlds.join("; "));
    }
    out
}

fn worlds_and_agents(study: &Study<'_>, frame: &Frame) -> String {
    let has_groups = !frame.groups.is_empty();
    let (head, rule) = if has_groups { ("| group | level ", "| --- | ---: ") } else { ("", "") };
    let mut out = format!(
        "\n## Worlds\n\n{head}| world | states | reachable | span of the optimal bias | class |\n\
         {rule}| --- | ---: | ---: | ---: | --- |\n"
    );
    for WorldStudy { world, facts, .. } in &study.worlds {
        if has_groups {
            let group = frame.group(world).map_or(NOTHING.into(), cell);
            out += &format!("| {group} | {} ", frame.level(world));
        }
        let (states, reachable) = (grouped(facts.states as f64), grouped(facts.reachable as f64));
        let (world, span, class) = (cell(world), facts.span_reachable, &facts.class);
        out += &format!("| {world} | {states} | {reachable} | {span:.2} | {class} |\n");
    }
    let (head, rule) = if frame.told.is_empty() { ("", "") } else { (" told |", " --- |") };
    out += &format!("\n## Agents\n\n| label |{head} spec |\n| --- |{rule} --- |\n");
    let mut seen = Vec::new();
    for world in &study.worlds {
        for agent in &world.agents {
            if seen.contains(&agent.label) {
                continue;
            }
            seen.push(agent.label);
            let sweep = world.sweeps.iter().find(|sweep| sweep.group == agent.label);
            let spec = match sweep {
                None => format!("`{}`", agent.agent),
                Some(sweep) => {
                    let values = sweep.variants.iter().map(|variant| variant.values.join(" and "));
                    let values: Vec<String> = values.collect();
                    let keys = sweep.parameters.join(" and ");
                    format!("`{}`, {keys} one of {}", sweep.base, values.join(", "))
                }
            };
            let told = frame.told(agent.label).map(cell);
            let told = told.map_or(String::new(), |told| format!(" {told} |"));
            let told = if frame.told.is_empty() { String::new() } else { told };
            out += &format!("| {} |{told} {spec} |\n", cell(agent.label));
        }
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
mod tests;

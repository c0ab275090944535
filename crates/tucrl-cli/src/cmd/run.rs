//! `tucrl run`: how is an experiment file executed?
//!
//! Finished cells are kept, checkpoints resumed, missing cells run. Notes about damaged files and failures go to the
//! standard error; the answer says where the results are.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use tucrl_lab::Catalogue;
use tucrl_lab::execute::{self, Options};
use tucrl_lab::experiment::{Cell, CellId, Choice, Experiment, PreparedWorld};
use tucrl_lab::spelling::Spelled;
use tucrl_lab::store::{IfResults, Store};

use super::board::Board;
use super::flags::flag;
use super::progress::Progress;
use super::text::next;
use super::{Answer, FAILURE, INTERRUPTED, SUCCESS, say, stop_on_interrupt, use_threads};
use crate::cli::Run;
use tucrl_lab::text::counted;

pub(super) fn run(ask: &Run, catalogue: &Catalogue) -> anyhow::Result<Answer> {
    let experiment = Experiment::read(&ask.experiment, catalogue)?;
    let (cells, only, shard) = (ask.cells.clone(), ask.only.clone(), ask.shard);
    let chosen = Choice { cells, only, shard }.of(&experiment)?;
    if ask.list {
        let text = if ask.json { super::json(&listing(&chosen))? } else { list(&chosen)? };
        return Ok(Answer { text, code: SUCCESS });
    }
    let cells: Vec<Cell> = chosen.into_iter().map(|(_, cell)| cell).collect();
    use_threads(ask.jobs)?;
    let directory = ask.out.clone().unwrap_or_else(|| PathBuf::from("out").join(&experiment.name));
    // The parts of one experiment share a directory and may run in any order.
    let is_resumed = ask.resume || ask.shard.is_some() || ask.cells.is_some();
    let if_results = if is_resumed { IfResults::Resume } else { IfResults::Refuse };
    let store = Store::create(&directory, &experiment, catalogue, if_results)?;
    let options = Options {
        checkpoint_every: Duration::from_secs_f64(ask.checkpoint_seconds),
        retry_failed: ask.retry_failed,
    };
    let all = cells.len();
    let survey = execute::survey(&store, cells, options)?;
    survey.notes.iter().for_each(|note| say("warning", &note.spelled(flag)));
    let progress = Progress::new();
    let worlds = execute::prepare(&experiment, &survey.to_do, &progress)?;
    drop(progress);
    warn(&experiment, &survey.to_do, &worlds);
    let board = Board::new(survey.to_do.iter().map(|cell| &cell.id), stop_on_interrupt()?);
    let summary = execute::run(&store, &experiment, &survey.to_do, &worlds, options, &board);
    drop(board);
    let summary = summary?;
    summary.notes.iter().for_each(|note| say("warning", &note.spelled(flag)));
    let fail = |(id, error): &(CellId, String)| say("error", &format!("{}: {error}", id.title()));
    survey.failed.iter().chain(&summary.failed).for_each(fail);
    let failed = survey.failed.len() + summary.failed.len();
    let mut text = format!(
        "{}: {} of {}",
        directory.display(),
        survey.done + summary.done,
        counted(all, "run")
    );
    text += " done";
    if survey.done > 0 {
        write!(text, " ({} before)", survey.done)?;
    }
    if failed > 0 {
        write!(text, ", {failed} failed")?;
    }
    if !survey.failed.is_empty() {
        text += " (--retry-failed runs them again)";
    }
    if summary.stopped > 0 {
        write!(text, ", {} left", summary.stopped)?;
    }
    text.push('\n');
    // Other parts and runs may be missing.
    let is_part = ask.shard.is_some() || ask.only.is_some() || ask.cells.is_some();
    text += &next(&match (summary.stopped, is_part) {
        (1.., _) => again(ask),
        (0, false) => vec!["report".into(), directory.display().to_string()],
        (0, true) => vec!["status".into(), directory.display().to_string()],
    });
    let code = match (summary.stopped, failed) {
        (1.., _) => INTERRUPTED,
        (0, 1..) => FAILURE,
        (0, 0) => SUCCESS,
    };
    Ok(Answer { text, code })
}

/// The arguments that continue the runs.
fn again(ask: &Run) -> Vec<String> {
    let mut words = vec!["run".into(), ask.experiment.display().to_string()];
    if let Some(directory) = &ask.out {
        words.extend(["--out".into(), directory.display().to_string()]);
    }
    if let Some(pattern) = &ask.only {
        words.extend(["--only".into(), pattern.clone()]);
    }
    if let Some(numbers) = &ask.cells {
        words.extend(["--cells".into(), numbers.to_string()]);
    }
    words.push(match ask.shard {
        Some((part, parts)) => format!("--shard={part}/{parts}"),
        None => "--resume".into(),
    });
    words
}

/// Says what can be known beforehand, once per world and agent.
fn warn(experiment: &Experiment, cells: &[Cell], worlds: &BTreeMap<usize, PreparedWorld>) {
    let mut agents: BTreeSet<(usize, usize)> = BTreeSet::new();
    agents.extend(cells.iter().map(|cell| (cell.world, cell.agent)));
    for (&index, prepared) in worlds {
        let world = &experiment.worlds[index].world;
        let chosen = agents.range((index, 0)..(index + 1, 0)).map(|&(_, agent)| agent);
        for warning in experiment.warnings(prepared, chosen) {
            say("warning", &format!("{world}: {warning}"));
        }
    }
}

/// The runs for programs. `id` is the beginning of the names of a run's files: it is that of the same run in every
/// experiment of the same name, while `cell` changes when worlds, agents or seeds are added before it.
fn listing(cells: &[(usize, Cell)]) -> Value {
    let entry = |(number, Cell { id, .. }): &(usize, Cell)| {
        json!({
            "cell": number,
            "id": id.stem(),
            "title": id.title(),
            "world": id.world,
            "agent": id.agent,
            "label": id.label,
            "run": id.run,
            "steps": id.steps,
        })
    };
    cells.iter().map(entry).collect()
}

fn list(cells: &[(usize, Cell)]) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    for (_, Cell { id, .. }) in cells {
        writeln!(text, "{}  {}", id.title(), counted(id.steps as usize, "step"))?;
    }
    let steps: u64 = cells.iter().map(|(_, cell)| cell.id.steps).sum();
    writeln!(text, "{}, {}", counted(cells.len(), "run"), counted(steps as usize, "step"))?;
    Ok(text)
}

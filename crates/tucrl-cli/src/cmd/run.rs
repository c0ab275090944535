//! `tucrl run`: how is an experiment file executed?
//!
//! Finished cells are kept, checkpoints resumed, missing cells run. Notes about damaged files and failures go to the
//! standard error; the answer says where the results are.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::bail;
use tucrl_lab::Catalogue;
use tucrl_lab::execute::{self, Options};
use tucrl_lab::experiment::{Cell, CellId, Experiment, PreparedWorld};
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
    let cells = chosen(ask, &experiment)?;
    if ask.list {
        return Ok(Answer { text: list(&cells)?, code: SUCCESS });
    }
    use_threads(ask.jobs)?;
    let directory = ask.out.clone().unwrap_or_else(|| PathBuf::from("out").join(&experiment.name));
    // The shards of one experiment share a directory and may run in any order.
    let is_resumed = ask.resume || ask.shard.is_some();
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
    text += &next(&match (summary.stopped, &ask.shard, &ask.only) {
        (1.., _, _) => again(ask),
        (0, None, None) => vec!["report".into(), directory.display().to_string()],
        // Other shards and runs may be missing.
        (0, _, _) => vec!["status".into(), directory.display().to_string()],
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

fn chosen(ask: &Run, experiment: &Experiment) -> anyhow::Result<Vec<Cell>> {
    let mut cells = experiment.cells();
    if let Some((part, parts)) = ask.shard {
        // Parts are made of the whole list, so that they never overlap, whatever else is chosen.
        let mut index = 0;
        cells.retain(|_| {
            index += 1;
            index % parts == part % parts
        });
    }
    if let Some(pattern) = &ask.only {
        cells.retain(|cell| cell.id.matches(pattern));
        if cells.is_empty() {
            bail!("no run matches {pattern:?}: `--list` shows them as they are matched");
        }
    }
    Ok(cells)
}

fn list(cells: &[Cell]) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    for Cell { id, .. } in cells {
        writeln!(text, "{}  {}", id.title(), counted(id.steps as usize, "step"))?;
    }
    let steps: u64 = cells.iter().map(|cell| cell.id.steps).sum();
    writeln!(text, "{}, {}", counted(cells.len(), "run"), counted(steps as usize, "step"))?;
    Ok(text)
}

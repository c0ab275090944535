//! `tucrl status`: how far is an experiment?
//!
//! A line per world and agent, then unfinished, failed and damaged runs. Read-only: the next `tucrl run` sets damaged
//! files aside.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTimeError};

use serde::Serialize;
use tucrl_lab::Catalogue;
use tucrl_lab::experiment::CellId;
use tucrl_lab::store::{Store, StoreError};
use tucrl_lab::text::{counted, printable_lines};

use super::text::next;
use crate::cli::Status as Ask;

/// A run whose checkpoint is older counts as paused.
const FRESH_SECONDS: u64 = 120;

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Done,
    Running,
    Paused,
    Failed,
    Missing,
    Damaged,
    /// Written by a later version of the program.
    Newer,
}

const ALL: [(Status, &str); 7] = [
    (Status::Done, "done"),
    (Status::Running, "running"),
    (Status::Paused, "paused"),
    (Status::Failed, "failed"),
    (Status::Missing, "missing"),
    (Status::Damaged, "damaged"),
    (Status::Newer, "newer"),
];

#[derive(Serialize)]
struct Line {
    world: String,
    agent: String,
    label: String,
    run: u64,
    steps: u64,
    file: String,
    status: Status,
    /// Steps taken by an unfinished or failed run.
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<u64>,
    /// Age of its last checkpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    age_seconds: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip)]
    title: String,
}

#[derive(Serialize)]
struct Page {
    experiment: String,
    directory: String,
    done: usize,
    running: usize,
    paused: usize,
    failed: usize,
    missing: usize,
    damaged: usize,
    newer: usize,
    /// Files that were found damaged and set aside.
    set_aside: Vec<String>,
    cells: Vec<Line>,
}

pub(super) fn run(ask: &Ask, catalogue: &Catalogue) -> anyhow::Result<String> {
    let (store, experiment) = Store::open(&ask.directory, catalogue)?;
    let states = store.states_by_cell()?;
    let states = |cell: &CellId| states.get(&cell.stem()).map_or(&[][..], Vec::as_slice);
    let cells = experiment.cells();
    let cells = cells.iter().map(|cell| line(&store, &cell.id, states(&cell.id)));
    let cells: Vec<Line> = cells.collect::<Result<_, _>>()?;
    let count = |status| cells.iter().filter(|cell| cell.status == status).count();
    let [done, running, paused, failed, missing, damaged, newer] =
        ALL.map(|(status, _)| count(status));
    let set_aside = store.set_aside_files()?;
    let page = Page {
        experiment: experiment.name,
        directory: ask.directory.display().to_string(),
        done,
        running,
        paused,
        failed,
        missing,
        damaged,
        newer,
        set_aside: set_aside.iter().map(|path| path.display().to_string()).collect(),
        cells,
    };
    if ask.json { super::json(&page) } else { Ok(table(&page)?) }
}

fn line(store: &Store, cell: &CellId, states: &[PathBuf]) -> Result<Line, StoreError> {
    let file = store.run_file(cell);
    let mut line = Line {
        world: cell.world.clone(),
        agent: cell.agent.clone(),
        label: cell.label.clone(),
        run: cell.run,
        steps: cell.steps,
        file: file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        status: Status::Missing,
        step: None,
        age_seconds: None,
        error: None,
        title: cell.title(),
    };
    match store.run(cell) {
        Ok(Some((_, run))) => {
            line.status = if run.error.is_some() { Status::Failed } else { Status::Done };
            line.step = run.error.is_some().then_some(run.record.steps);
            line.error = run.error;
            return Ok(line);
        }
        Ok(None) => {}
        Err(error @ (StoreError::Damaged { .. } | StoreError::NewerVersion { .. })) => {
            let is_damaged = matches!(error, StoreError::Damaged { .. });
            line.status = if is_damaged { Status::Damaged } else { Status::Newer };
            line.error = Some(error.to_string());
            return Ok(line);
        }
        Err(other) => return Err(other),
    }
    for path in states {
        let Ok(modified) = fs::metadata(path).and_then(|data| data.modified()) else { continue };
        // A damaged checkpoint is reported by the next `tucrl run`.
        let Ok((_, state)) = store.state(path, cell) else { continue };
        let age = age(modified.elapsed());
        let is_live = !state.is_stopped && age.is_some_and(|age| age <= FRESH_SECONDS);
        if is_live || line.status != Status::Running {
            line.status = if is_live { Status::Running } else { Status::Paused };
        }
        line.step = line.step.max(Some(state.taken));
        line.age_seconds = line.age_seconds.into_iter().chain(age).min();
    }
    Ok(line)
}

/// Age in seconds. A date a little ahead is that of another machine and counts as now; one further ahead says nothing.
fn age(elapsed: Result<Duration, SystemTimeError>) -> Option<u64> {
    match elapsed {
        Ok(age) => Some(age.as_secs()),
        Err(ahead) => (ahead.duration().as_secs() <= FRESH_SECONDS).then_some(0),
    }
}

fn table(page: &Page) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    let shown: Vec<(Status, &str)> = ALL
        .into_iter()
        .filter(|(status, _)| {
            *status == Status::Done || page.cells.iter().any(|cell| cell.status == *status)
        })
        .collect();
    let all = page.cells.len();
    writeln!(out, "{}: {} of {} done\n", page.experiment, page.done, counted(all, "run"))?;
    let mut groups: Vec<((&str, &str), Vec<&Line>)> = Vec::new();
    for cell in &page.cells {
        let group = (cell.world.as_str(), cell.label.as_str());
        match groups.last_mut() {
            Some((last, lines)) if *last == group => lines.push(cell),
            _ => groups.push((group, vec![cell])),
        }
    }
    let width = |head: &str, of: &dyn Fn(&Line) -> usize| {
        page.cells.iter().map(of).chain([head.len()]).max().unwrap_or(0)
    };
    let world_width = width("world", &|cell| cell.world.chars().count());
    let label_width = width("agent", &|cell| cell.label.chars().count());
    write!(out, "{:<world_width$}  {:<label_width$}", "world", "agent")?;
    shown.iter().try_for_each(|(_, name)| write!(out, "  {name:>7}"))?;
    writeln!(out)?;
    for ((world, label), lines) in groups {
        write!(out, "{world:<world_width$}  {label:<label_width$}")?;
        for (status, _) in &shown {
            let count = lines.iter().filter(|line| line.status == *status).count();
            write!(out, "  {:>7}", if count == 0 { "-".into() } else { count.to_string() })?;
        }
        writeln!(out)?;
    }
    let under_way = |cell: &&Line| matches!(cell.status, Status::Running | Status::Paused);
    for (index, cell) in page.cells.iter().filter(under_way).enumerate() {
        let blank = if index == 0 { "\n" } else { "" };
        let state = if cell.status == Status::Running { "running" } else { "paused" };
        let (title, step, steps) = (&cell.title, cell.step.unwrap_or(0), cell.steps);
        let stored = cell.age_seconds.map(|age| format!("stored {age} s ago"));
        let stored = stored.unwrap_or("stored on a date in the future".into());
        writeln!(out, "{blank}{state}: {title}, step {step} of {steps}, {stored}")?;
    }
    for (index, cell) in page.cells.iter().filter(|cell| cell.error.is_some()).enumerate() {
        let blank = if index == 0 { "\n" } else { "" };
        let state = match cell.status {
            Status::Failed => "failed",
            Status::Newer => "newer",
            _ => "damaged",
        };
        let error = printable_lines(cell.error.as_deref().unwrap_or_default());
        writeln!(out, "{blank}{state}: {}: {error}", cell.title)?;
    }
    if !page.set_aside.is_empty() {
        writeln!(out, "\nset aside: {}", counted(page.set_aside.len(), "damaged file"))?;
    }
    let directory = page.directory.as_str();
    let copy = Path::new(directory).join("experiment.toml").display().to_string();
    let line = match (page.running, page.paused + page.missing + page.damaged) {
        (1.., _) => next(&["status", directory]),
        (0, 1..) => next(&["run", &copy, "--out", directory, "--resume"]),
        (0, 0) => next(&["report", directory]),
    };
    write!(out, "\n{line}")?;
    Ok(out)
}

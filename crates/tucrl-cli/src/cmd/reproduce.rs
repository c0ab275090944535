//! `tucrl reproduce`: which of the paper's claims hold, and which of those about TUCRL+?
//!
//! Prints a plan, runs the cells that are not stored yet, judges each claim and writes the page. Plan and progress go to
//! standard error, the verdicts to standard output.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use tucrl_lab::Catalogue;
use tucrl_lab::execute::{self, Options};
use tucrl_lab::experiment::Experiment;
use tucrl_lab::names::nearest;
use tucrl_lab::report::{self, Extras};
use tucrl_lab::spelling::Spelled;
use tucrl_lab::stats::Study;
use tucrl_lab::store::{IfResults, Store, StoreError};
use tucrl_lab::text::{counted, duration};
use tucrl_paper::reproduce::{self, CLAIMS, COMPUTED, Claim, Evidence, Finding, Scale, Verdict};

use super::board::Board;
use super::flags::flag;
use super::progress::Progress;
use super::report::{Stored, load};
use super::{Answer, FAILURE, INTERRUPTED, SUCCESS, say, stop_on_interrupt, use_threads};
use crate::cli::{Reproduce, ReproduceScale};

const CHECKPOINT: Duration = Duration::from_secs(20);

/// Results of the runs of one claim.
enum Runs {
    Complete,
    Stopped,
    Failed(usize),
}

/// Whether the report of the runs is written.
#[derive(PartialEq, Eq)]
enum IfRuns {
    Report,
    JustRead,
}

pub(super) fn run(ask: &Reproduce) -> anyhow::Result<Answer> {
    let claims = chosen(&ask.claims)?;
    let (scale, folder) = match ask.scale {
        ReproduceScale::Quick => (Scale::Quick, "reproduce"),
        ReproduceScale::Paper => (Scale::Paper, "reproduce-paper"),
    };
    use_threads(ask.jobs)?;
    let folder = ask.out.clone().unwrap_or_else(|| PathBuf::from("out").join(folder));
    let plan = plan(&claims, scale, &folder)?;
    if ask.plan {
        return Ok(Answer { text: plan, code: SUCCESS });
    }
    eprint(&plan);
    let clock = Instant::now();
    let stop = stop_on_interrupt()?;
    let mut outcomes = Vec::new();
    let mut broken = 0;
    for claim in &claims {
        let own = folder.join(claim.name);
        let finding = match carry_out(claim, scale, &own, &stop)? {
            Runs::Complete => judge(claim, scale, &own, IfRuns::Report)?,
            Runs::Stopped => {
                say("note", "stopped; the same command continues");
                return Ok(Answer { text: String::new(), code: INTERRUPTED });
            }
            Runs::Failed(failed) => {
                let runs = counted(failed, "run");
                say("error", &format!("{}: {runs} failed, so it is not judged", claim.name));
                broken += 1;
                continue;
            }
        };
        eprint(&format!("  {:<16} {}\n", claim.name, finding.verdict()));
        outcomes.push((*claim, finding));
        if stop.load(Ordering::Relaxed) {
            return Ok(Answer { text: String::new(), code: INTERRUPTED });
        }
    }
    // The page also shows claims judged by earlier commands.
    let mut all = Vec::new();
    for claim in CLAIMS {
        match outcomes.iter().find(|(asked, _)| asked.name == claim.name) {
            Some((_, finding)) => all.push((claim, finding.clone())),
            None => {
                let own = folder.join(claim.name);
                let before = stored_before(claim, scale, &own)?;
                all.extend(before.map(|finding| (claim, finding)));
            }
        }
    }
    let page = reproduce::write(&all, scale, &folder)?;
    let text = match ask.json {
        true => reproduce::verdicts(&outcomes, scale),
        false => verdicts(&outcomes, &page, clock.elapsed())?,
    };
    let all_hold = outcomes.iter().all(|(_, finding)| finding.verdict() == Verdict::Holds);
    let is_well = all_hold && broken == 0;
    Ok(Answer { text, code: if is_well { SUCCESS } else { FAILURE } })
}

/// The named claims in the order of the paper; all if none is named.
fn chosen(names: &[String]) -> anyhow::Result<Vec<&'static Claim>> {
    let known: Vec<&str> = CLAIMS.iter().map(|claim| claim.name).collect();
    for name in names {
        if Claim::called(name).is_empty() {
            let hint = nearest(name, known.iter().copied());
            let hint = hint.map_or(String::new(), |near| format!("did you mean {near}? "));
            let figures: BTreeSet<u32> = CLAIMS.iter().filter_map(|claim| claim.figure).collect();
            let figures: Vec<String> =
                figures.iter().map(|number| format!("fig{number}")).collect();
            bail!(
                "there is no claim {name:?}: {hint}the claims are {}; those of a figure of the paper are {}",
                known.join(", "),
                figures.join(", ")
            );
        }
    }
    let is_named = |claim: &Claim| {
        names.iter().any(|name| Claim::called(name).iter().any(|called| called.name == claim.name))
    };
    let is_chosen = |claim: &&Claim| names.is_empty() || is_named(claim);
    Ok(CLAIMS.iter().filter(is_chosen).collect())
}

/// The plan: runs and estimated time per claim.
fn plan(claims: &[&Claim], scale: Scale, folder: &Path) -> anyhow::Result<String> {
    let threads = rayon::current_num_threads() as f64;
    let mut lines = String::new();
    let mut total = 0.0;
    for claim in claims {
        let what = match claim.experiment(scale)? {
            Some(experiment) => {
                let cells = experiment.cells();
                let steps: u64 = cells.iter().map(|cell| cell.id.steps).sum();
                format!("{}, {:.0e} steps", counted(cells.len(), "run"), steps as f64)
            }
            None => "computed exactly".into(),
        };
        let seconds = (claim.core_seconds(scale) / threads).max(1.0);
        total += seconds;
        writeln!(
            lines,
            "  {:<16} {:<10} {:<22} {:<17} {}",
            claim.name,
            claim.reference(),
            what,
            about(seconds),
            claim.title
        )?;
    }
    let cores = counted(threads as usize, "thread");
    Ok(format!(
        "The claims at the {} scale: {}, {} on {cores}, into {}\n{lines}",
        scale.name(),
        counted(claims.len(), "claim"),
        about(total),
        folder.display()
    ))
}

fn about(seconds: f64) -> String {
    format!("about {}", duration(Duration::from_secs_f64(seconds.ceil())))
}

/// Runs the cells that are not stored yet.
fn carry_out(
    claim: &Claim,
    scale: Scale,
    folder: &Path,
    stop: &Arc<AtomicBool>,
) -> anyhow::Result<Runs> {
    let Some(experiment) = claim.experiment(scale)? else { return Ok(Runs::Complete) };
    let store = open(folder, &experiment)?;
    let options = Options { checkpoint_every: CHECKPOINT, retry_failed: true };
    let survey = execute::survey(&store, experiment.cells(), options)?;
    survey.notes.iter().for_each(|note| say("warning", &note.spelled(flag)));
    if survey.to_do.is_empty() {
        return Ok(Runs::Complete);
    }
    let progress = Progress::new();
    let worlds = execute::prepare(&experiment, &survey.to_do, &progress)?;
    drop(progress);
    let board = Board::new(survey.to_do.iter().map(|cell| &cell.id), Arc::clone(stop));
    let summary = execute::run(&store, &experiment, &survey.to_do, &worlds, options, &board);
    drop(board);
    let summary = summary?;
    summary.notes.iter().for_each(|note| say("warning", &note.spelled(flag)));
    for (id, error) in &summary.failed {
        say("error", &format!("{}: {error}", id.title()));
    }
    Ok(match (summary.stopped, summary.failed.len()) {
        (0, 0) => Runs::Complete,
        (0, failed) => Runs::Failed(failed),
        _ => Runs::Stopped,
    })
}

fn open(folder: &Path, experiment: &Experiment) -> anyhow::Result<Store> {
    let made = Store::create(folder, experiment, &Catalogue::default(), IfResults::Resume);
    made.map_err(|error| match error {
        StoreError::OtherExperiment { .. } | StoreError::Stranger { .. } => {
            anyhow::Error::from(error).context(format!(
                "the results in {} are of another version of this claim: choose another --out",
                folder.display()
            ))
        }
        other => other.into(),
    })
}

/// Judges a claim that was not requested, if all its data is stored.
fn stored_before(claim: &Claim, scale: Scale, folder: &Path) -> anyhow::Result<Option<Finding>> {
    let is_complete = match claim.experiment(scale)? {
        None => folder.join(COMPUTED).exists(),
        Some(_) if !folder.exists() => false,
        Some(experiment) => {
            let options = Options { checkpoint_every: CHECKPOINT, retry_failed: true };
            let store = open(folder, &experiment)?;
            execute::survey(&store, experiment.cells(), options)?.to_do.is_empty()
        }
    };
    is_complete.then(|| judge(claim, scale, folder, IfRuns::JustRead)).transpose()
}

/// Judges a claim by its stored data.
fn judge(claim: &Claim, scale: Scale, folder: &Path, if_runs: IfRuns) -> anyhow::Result<Finding> {
    let computed = claim.compute(scale, folder)?;
    if claim.experiment.is_none() {
        return Ok(claim.judge(&Evidence { study: None, computed: &computed })?);
    }
    let Stored { runs, provenance, experiment } = load(folder, &Catalogue::default())?;
    let study = Study::new(&runs).context("there are no runs")?;
    if if_runs == IfRuns::Report {
        let extras = Extras { experiment: Some(&experiment), ..Extras::default() };
        report::write(&study, &provenance, extras, &folder.join("report"))?;
    }
    Ok(claim.judge(&Evidence { study: Some(&study), computed: &computed })?)
}

/// The verdicts with the statistics behind them.
fn verdicts(
    outcomes: &[reproduce::Outcome<'_>],
    page: &Path,
    took: Duration,
) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    for (claim, finding) in outcomes {
        writeln!(out, "\n{}: {}", claim.title, finding.verdict().to_string().to_uppercase())?;
        writeln!(out, "  {} ({})", claim.says, claim.place)?;
        for check in &finding.checks {
            let mark = if check.holds { "yes" } else { "NO " };
            writeln!(
                out,
                "  {mark}  {}: {}, wanted {}",
                check.statistic, check.measured, check.wanted
            )?;
        }
        for remark in &finding.remarks {
            writeln!(out, "  note {remark}")?;
        }
    }
    let hold = outcomes.iter().filter(|(_, f)| f.verdict() == Verdict::Holds).count();
    writeln!(out, "\nverdicts: {hold} of {} hold; {}", outcomes.len(), duration(took))?;
    writeln!(out, "open  {}", page.display())?;
    Ok(out)
}

/// Writes to standard error; errors are ignored.
fn eprint(text: &str) {
    use std::io::Write as _;
    let _ = std::io::stderr().write_all(text.as_bytes());
}

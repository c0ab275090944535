//! `tucrl report` and `tucrl compare`: what do stored runs say, and how do two experiments differ run by run?

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, bail};
use serde::Serialize;
use serde_json::json;
use tucrl::run::RunRecord;
use tucrl_lab::Catalogue;
use tucrl_lab::record::{Provenance, StoredRun};
use tucrl_lab::report::text::{Cells, final_table, remarks};
use tucrl_lab::report::{self, Extras, tables};
use tucrl_lab::stats::{Difference, Regret, Study, differences};
use tucrl_lab::store::{Store, StoreError};
use tucrl_lab::text::{counted, grouped, printable, with_half};
use tucrl_lab::warnings::uncertain_regret;

use crate::cli::{Compare, Report, Shown};

/// The stored runs of a directory.
pub(super) struct Stored {
    pub(super) runs: Vec<StoredRun>,
    pub(super) provenance: Vec<Provenance>,
    /// The text of the experiment file.
    pub(super) experiment: String,
}

/// Reads the finished runs in the order of the experiment; damaged files are reported and left out.
pub(super) fn load(folder: &Path, catalogue: &Catalogue) -> anyhow::Result<Stored> {
    let (store, experiment) = Store::open(folder, catalogue)?;
    let text = experiment.text().to_owned();
    let mut stored = Stored { runs: Vec::new(), provenance: Vec::new(), experiment: text };
    let cells = experiment.cells();
    let mut missing = 0;
    for cell in &cells {
        match store.run(&cell.id) {
            Ok(Some((header, run))) => {
                stored.runs.push(run);
                stored.provenance.push(header.provenance);
            }
            Ok(None) => missing += 1,
            Err(error @ StoreError::Damaged { .. }) => {
                super::say("warning", &format!("{error}; it is left out"));
            }
            Err(error) => return Err(error.into()),
        }
    }
    for (_, found) in store.imports()? {
        match found {
            Ok((_, runs)) => stored.runs.extend(runs),
            Err(error @ StoreError::Damaged { .. }) => {
                super::say("warning", &format!("{error}; it is left out"));
            }
            Err(error) => return Err(error.into()),
        }
    }
    let shown = folder.display();
    if stored.runs.is_empty() {
        bail!("{shown} has no finished runs yet: start them with `tucrl run`");
    }
    if missing > 0 {
        let all = counted(cells.len(), "run");
        super::say("note", &format!("{shown}: {missing} of {all} are not finished yet"));
    }
    Ok(stored)
}

fn study(runs: &[StoredRun], shown: Shown) -> anyhow::Result<Study<'_>> {
    Study::showing(runs, shown.into()).context("there are no runs")
}

pub(super) fn report(ask: &Report, catalogue: &Catalogue) -> anyhow::Result<String> {
    let stored = load(&ask.directory, catalogue)?;
    let study = study(&stored.runs, ask.regret)?;
    let folder = ask.out.clone().unwrap_or_else(|| ask.directory.join("report"));
    let extras = Extras { experiment: Some(&stored.experiment), has_tex: ask.tex };
    let files = report::write(&study, &stored.provenance, extras, &folder)?;
    warn(&study);
    if ask.json {
        let summary = tables::objects(&tables::summary(&study));
        let pairs = tables::objects(&tables::pairs(&study));
        return super::json(&json!({
            "experiment": study.name,
            "runs": stored.runs.len(),
            "failed": study.failed().count(),
            "summary": summary,
            "pairs": pairs,
            "files": files,
        }));
    }
    let mut out = String::new();
    let failed = match study.failed().count() {
        0 => String::new(),
        failed => format!(", {failed} failed"),
    };
    writeln!(out, "{}: {}{failed}", printable(study.name), counted(stored.runs.len(), "run"))?;
    for world in &study.worlds {
        let after =
            world.time.map_or(String::new(), |time| format!(", {} steps", grouped(time as f64)));
        writeln!(out, "\n{}{after}", printable(world.world))?;
        // The other columns do not fit 80 columns; they are in the report.
        let mut cells = chosen(&final_table(world), &[0, 1, 2, 3, 6]);
        if let Some(head) = cells.head.as_mut().and_then(|head| head.get_mut(3)) {
            *head = world.regret_name().into();
        }
        out += &aligned(&cells);
        if world.fell_back || world.with_own_measure().next().is_some() {
            writeln!(out, "  {}", world.regret_explained())?;
        }
    }
    writeln!(out, "\nopen  {}", folder.join("report.html").display())?;
    writeln!(out, "read  {}", folder.join("report.md").display())?;
    writeln!(
        out,
        "and   {} in {}",
        counted(files.len() - 2, "table or figure file"),
        folder.display()
    )?;
    Ok(out)
}

/// Says where regret is uncertain, and what learners say about their runs.
fn warn(study: &Study<'_>) {
    for world in &study.worlds {
        let uncertain = world.time.and_then(|time| uncertain_regret(world.facts, time));
        if let Some(warning) = uncertain {
            super::say("warning", &format!("{}: {warning}", printable(world.world)));
        }
        for remark in remarks(world) {
            super::say("warning", &printable(&format!("{}: {remark}", world.world)));
        }
    }
}

/// The selected columns.
fn chosen(cells: &Cells, columns: &[usize]) -> Cells {
    let keep = |row: &Vec<String>| columns.iter().filter_map(|&i| row.get(i).cloned()).collect();
    Cells { head: cells.head.as_ref().map(keep), rows: cells.rows.iter().map(keep).collect() }
}

/// An aligned table with two spaces between columns.
fn aligned(cells: &Cells) -> String {
    let rows: Vec<&Vec<String>> = cells.head.iter().chain(&cells.rows).collect();
    let columns = rows.iter().map(|row| row.len()).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max()
    };
    let widths: Vec<usize> = (0..columns).filter_map(width).collect();
    let line = |row: &&Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("  {cell:<width$}"));
        format!("{}\n", cells.collect::<String>().trim_end())
    };
    rows.iter().map(line).collect()
}

#[derive(Serialize)]
struct Compared {
    world: String,
    agent: String,
    /// Which regret is compared.
    shown: &'static str,
    /// Runs found in both.
    runs: usize,
    identical: usize,
    t: Option<u64>,
    first_mean: Option<f64>,
    second_mean: Option<f64>,
    difference: Option<f64>,
    student: Option<(f64, f64)>,
    bootstrap: Option<(f64, f64)>,
    sign: Option<i8>,
}

pub(super) fn compare(ask: &Compare, catalogue: &Catalogue) -> anyhow::Result<String> {
    let (first, second) = (load(&ask.first, catalogue)?, load(&ask.second, catalogue)?);
    let (one, two) = (study(&first.runs, ask.regret)?, study(&second.runs, ask.regret)?);
    warn(&one);
    let mut rows = Vec::new();
    let mut alone = Vec::new();
    for world in &one.worlds {
        for agent in &world.agents {
            let there = two.worlds.iter().find(|other| other.world == world.world);
            let partner = there
                .and_then(|other| other.agents.iter().find(|other| other.agent == agent.agent));
            let Some(partner) = partner else {
                alone.push(format!("{} in {}", agent.agent, world.world));
                continue;
            };
            let last = |agent: &tucrl_lab::stats::AgentStudy<'_>| agent.curve().last().map(|p| p.t);
            let t = last(agent).zip(last(partner)).map(|(a, b)| a.min(b));
            // Where one of the two has no gap regret, both are compared by what both have.
            let shown = if agent.shown == partner.shown { agent.shown } else { Regret::Realised };
            let difference =
                t.and_then(|t| Difference::new(&differences(&agent.runs, &partner.runs, shown, t)));
            let key = |run: &StoredRun| (run.spec.master_seed, run.spec.run);
            let twin = |run: &&StoredRun| {
                partner
                    .runs
                    .iter()
                    .find(|other| key(other) == key(run))
                    .map(|other| is_same(&run.record, &other.record) && run.spec == other.spec)
            };
            let twins: Vec<bool> = agent.runs.iter().filter_map(twin).collect();
            let mean = |agent: &tucrl_lab::stats::AgentStudy<'_>| {
                let point = agent.curve_of(shown).iter().find(|point| Some(point.t) == t);
                point.map(|point| point.mean)
            };
            rows.push(Compared {
                world: world.world.into(),
                agent: agent.agent.into(),
                shown: shown.word(),
                runs: twins.len(),
                identical: twins.iter().filter(|&&is| is).count(),
                t,
                first_mean: mean(agent),
                second_mean: mean(partner),
                difference: difference.as_ref().map(|difference| difference.mean),
                student: difference.as_ref().and_then(|difference| difference.student),
                bootstrap: difference.as_ref().and_then(|difference| difference.bootstrap),
                sign: difference.as_ref().map(Difference::sign),
            });
        }
    }
    let pairs = |study: &Study<'_>| -> Vec<(String, String)> {
        let worlds = study.worlds.iter();
        worlds.flat_map(|w| w.agents.iter().map(|a| (w.world.into(), a.agent.into()))).collect()
    };
    let known = pairs(&one);
    let missing = pairs(&two).into_iter().filter(|pair| !known.contains(pair));
    let only_second: Vec<String> = missing.map(|(w, a)| format!("{a} in {w}")).collect();
    if ask.json {
        return super::json(&json!({
            "compared": rows, "only_first": alone, "only_second": only_second,
        }));
    }
    if rows.is_empty() {
        bail!("the two experiments have no agent in the same world in common");
    }
    compared(ask, &rows, &alone, &only_second)
}

/// Whether two records are the same in all that both have: old ones have no gap regret.
fn is_same(one: &RunRecord, two: &RunRecord) -> bool {
    if one.gap_regret.is_some() == two.gap_regret.is_some() {
        return one == two;
    }
    let without =
        |record: &RunRecord| RunRecord { gap_regret: None, gain_lost: None, ..record.clone() };
    without(one) == without(two)
}

fn compared(
    ask: &Compare,
    rows: &[Compared],
    only_first: &[String],
    only_second: &[String],
) -> anyhow::Result<String> {
    let head = ["world", "agent", "same", "of", "regret A", "regret B", "A − B", ""];
    let row = |row: &Compared| {
        let number = |value: Option<f64>| value.map_or("–".into(), grouped);
        let verdict = match (row.runs, row.identical == row.runs, row.sign) {
            (0, ..) => "no runs in common",
            (_, true, _) => "identical",
            (_, _, Some(-1)) => "A is better",
            (_, _, Some(1)) => "B is better",
            _ => "undecided",
        };
        let (world, agent) = (printable(&row.world), printable(&row.agent));
        vec![
            world,
            agent,
            format!("{}/{}", row.identical, row.runs),
            row.shown.into(),
            number(row.first_mean),
            number(row.second_mean),
            row.difference.map_or("–".into(), |mean| with_half(mean, row.student)),
            verdict.into(),
        ]
    };
    let cells =
        Cells { head: Some(head.map(str::to_owned).into()), rows: rows.iter().map(row).collect() };
    let mut out = format!("A  {}\nB  {}\n\n", ask.first.display(), ask.second.display());
    out += &aligned(&cells);
    for (name, list) in [("A", only_first), ("B", only_second)] {
        for what in list {
            writeln!(out, "only in {name}: {}", printable(what))?;
        }
    }
    writeln!(
        out,
        "\nsame: runs with bit-identical records, of those in both. of: which regret is compared;
gap regret where all runs have it. Differences are"
    )?;
    writeln!(
        out,
        "taken run by run at the last common checkpoint; ± is a 95 % interval (Student)."
    )?;
    Ok(out)
}

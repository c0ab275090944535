//! `tucrl league`: how do the agents of an experiment rank over its worlds?
//!
//! The page is written only when all runs are done: ranks over unfinished runs are not comparable.

use std::path::PathBuf;

use anyhow::Context as _;
use tucrl_lab::Catalogue;
use tucrl_lab::experiment::Experiment;
use tucrl_lab::record::Provenance;
use tucrl_lab::stats::Study;
use tucrl_lab::text::counted;
use tucrl_paper::league::{self, Frame, Origin};

use super::report::load;
use super::{Answer, say};
use crate::cli::{League, Run};

pub(super) fn run(ask: &League, catalogue: &Catalogue) -> anyhow::Result<Answer> {
    let experiment = Experiment::read(&ask.experiment, catalogue)?;
    let directory = ask.out.clone().unwrap_or_else(|| PathBuf::from("out").join(&experiment.name));
    let runs = Run {
        experiment: ask.experiment.clone(),
        out: Some(directory.clone()),
        jobs: ask.jobs,
        resume: true,
        only: None,
        cells: None,
        shard: None,
        list: false,
        json: false,
        retry_failed: false,
        checkpoint_seconds: 20.0,
    };
    let mut answer = super::run::run(&runs, catalogue)?;
    let stored = load(&directory, catalogue)?;
    if stored.runs.len() < experiment.cells().len() {
        answer.text += "no page is written before all runs are done: the same command continues\n";
        return Ok(answer);
    }
    let study = Study::showing(&stored.runs, ask.regret.into()).context("there are no runs")?;
    let revision = Provenance::revision();
    let older = stored.provenance.iter().filter(|run| run.revision != revision).count();
    if older > 0 {
        let (older, directory) = (counted(older, "run"), directory.display());
        let advice = format!("delete {directory} to repeat them");
        say("warning", &format!("{older} come from another revision of this program: {advice}"));
    }
    let mut command = format!("tucrl league {}", ask.experiment.display());
    if let Some(path) = &ask.to {
        command += &format!(" --to {}", path.display());
    }
    if let Some(path) = &ask.guide {
        command += &format!(" --guide {}", path.display());
    }
    let description = experiment.description.as_deref().unwrap_or_default();
    let (digest, frame) = (experiment.digest(), Frame::of(&experiment));
    let origin = Origin { command: &command, description, digest: &digest, frame: &frame };
    let page = league::page(&stored.runs, &study, &stored.provenance, &origin);
    match &ask.to {
        Some(path) => {
            league::write(&page, path)?;
            answer.text += &format!("read  {}\n", path.display());
        }
        None => answer.text = page,
    }
    if let Some(path) = &ask.guide {
        let guide = league::guide(&stored.runs, &study, &origin).context(
            "which agent to use cannot be said: give every agent a `group`, what it is told, and add the agent random",
        )?;
        league::write(&guide, path)?;
        answer.text += &format!("read  {}\n", path.display());
    }
    Ok(answer)
}

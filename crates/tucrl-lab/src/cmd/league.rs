//! `tucrl league`: who comes first where?
//!
//! Runs an experiment, or what is missing of it, and writes its league table as one page.

use std::path::PathBuf;

use anyhow::Context as _;
use tucrl_lab::experiment::Experiment;
use tucrl_lab::league;
use tucrl_lab::stats::Study;

use super::Answer;
use super::report::load;
use crate::cli::{League, Run};

pub(super) fn run(ask: &League) -> anyhow::Result<Answer> {
    let experiment = Experiment::read(&ask.experiment)?;
    let directory = ask.out.clone().unwrap_or_else(|| PathBuf::from("out").join(&experiment.name));
    let runs = Run {
        experiment: ask.experiment.clone(),
        out: Some(directory.clone()),
        jobs: ask.jobs,
        resume: true,
        only: None,
        shard: None,
        list: false,
        retry_failed: false,
        checkpoint_seconds: 20.0,
    };
    let mut answer = super::run::run(&runs)?;
    let stored = load(&directory)?;
    let study = Study::new(&stored.runs).context("there are no runs")?;
    let command = format!("tucrl league {}", ask.experiment.display());
    let description = experiment.description.as_deref().unwrap_or_default();
    let page = league::page(&study, &stored.provenance, description, &command);
    match &ask.to {
        Some(path) => {
            std::fs::write(path, page)
                .with_context(|| format!("{} could not be written", path.display()))?;
            answer.text += &format!("read  {}\n", path.display());
        }
        None => answer.text = page,
    }
    Ok(answer)
}

//! What does a program get to read of the runs?
//!
//! One line of JSON per agent and run. The keys do not change between releases.

use serde::Serialize;
use tucrl::agents::Algorithm;
use tucrl::episode::EpisodeRecord;
use tucrl::run::Case;
use tucrl_lab::record::Against;
use tucrl_lab::runner::{Ending, Outcome};

use super::Experiment;

#[derive(Serialize)]
struct Line<'a> {
    agent: &'a str,
    world: &'a str,
    seed: usize,
    master_seed: u64,
    /// Steps taken.
    steps: u64,
    /// Steps asked for.
    steps_asked: u64,
    gain: f64,
    /// What the gain is; absent when it is the optimal one.
    #[serde(skip_serializing_if = "Against::is_optimal")]
    against: &'a Against,
    regret: &'a [(u64, f64)],
    pseudo_regret: &'a [(u64, f64)],
    episodes: usize,
    seen: u64,
    reachable: u64,
    states: u64,
    z: u64,
    y: u64,
    sweeps: u64,
    plan_seconds: f64,
    simulate_seconds: f64,
    options: &'a Algorithm,
    /// Regret where a run that is not complete ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_regret: Option<f64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stopped: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    episode_records: Option<Vec<Episode<'a>>>,
}

#[derive(Serialize)]
struct Episode<'a> {
    k: usize,
    #[serde(flatten)]
    record: &'a EpisodeRecord,
    case: Case,
}

/// The lines, by agent and then by run.
pub(super) fn lines(
    experiment: &Experiment,
    outcomes: &[Outcome],
    with_episodes: bool,
) -> anyhow::Result<String> {
    let mut text = String::new();
    for ((agent, options), outcomes) in experiment.by_agent(outcomes) {
        for (seed, outcome) in outcomes.iter().enumerate() {
            let record = &outcome.record;
            let line = Line {
                agent,
                world: &experiment.world,
                seed,
                master_seed: experiment.master_seed,
                steps: record.steps,
                steps_asked: experiment.steps,
                gain: record.gain,
                against: &experiment.against,
                regret: &record.regret,
                pseudo_regret: &record.pseudo_regret,
                episodes: record.episodes.len(),
                seen: record.seen,
                reachable: experiment.truth.reachable,
                states: experiment.states,
                z: record.z,
                y: record.y,
                sweeps: record.sweeps,
                plan_seconds: outcome.plan.as_secs_f64(),
                simulate_seconds: outcome.simulate.as_secs_f64(),
                options,
                last_regret: (outcome.ending != Ending::Complete).then_some(outcome.last_regret),
                stopped: outcome.ending == Ending::Stopped,
                error: match &outcome.ending {
                    Ending::Failed(error) => Some(error.to_string()),
                    _ => None,
                },
                episode_records: with_episodes.then(|| episodes(&record.episodes)),
            };
            text += &serde_json::to_string(&line)?;
            text.push('\n');
        }
    }
    Ok(text)
}

fn episodes(records: &[(EpisodeRecord, Case)]) -> Vec<Episode<'_>> {
    records.iter().zip(1..).map(|((record, case), k)| Episode { k, record, case: *case }).collect()
}

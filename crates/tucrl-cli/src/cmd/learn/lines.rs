//! Output of `learn` as JSON lines.
//!
//! One line of JSON per agent and run. The keys do not change between releases.

use serde::Serialize;
use tucrl::Explanation;
use tucrl::episode::EpisodeRecord;
use tucrl::exploration::ExplorationLoss;
use tucrl::reward::RewardRange;
use tucrl::run::Case;
use tucrl::truth::Baseline;
use tucrl_lab::runner::Ending;

use super::Learned;

#[derive(Serialize)]
struct Line<'a> {
    agent: String,
    /// What the agent is called: the spec, unless `--agent` gives a label.
    label: String,
    world: String,
    seed: usize,
    master_seed: u64,
    /// Steps taken.
    steps: u64,
    /// Steps asked for.
    steps_asked: u64,
    /// In units of the rewards, like those of the episodes.
    gain: f64,
    reward_range: RewardRange,
    /// What the gain is; absent when it is the optimal one.
    #[serde(rename = "against", skip_serializing_if = "Baseline::is_optimal")]
    baseline: &'a Baseline,
    regret: &'a [(u64, f64)],
    pseudo_regret: &'a [(u64, f64)],
    /// Null where the optimal gain is unknown.
    gap_regret: Option<&'a [(u64, f64)]>,
    /// What gain lost for good costs; absent where none can be lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    gain_lost: Option<&'a [(u64, f64)]>,
    /// By how much a gap may be wrong.
    bellman_residual: Option<f64>,
    /// What was lost after exploration times, with --exploration.
    #[serde(skip_serializing_if = "Option::is_none")]
    exploration: Option<&'a ExplorationLoss>,
    episodes: usize,
    seen: u64,
    reachable: u64,
    states: u64,
    z: u64,
    y: u64,
    sweeps: u64,
    plan_seconds: f64,
    simulate_seconds: f64,
    options: serde_json::Value,
    /// Realised regret and gap regret where a run that is not complete ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_regret: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_gap_regret: Option<f64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stopped: bool,
    /// What the learner says about the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    remarks: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    episode_records: Option<Vec<Episode<'a>>>,
    /// What `--explain` asks for, in the line of run 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    explained: Option<&'a [Explanation]>,
}

#[derive(Serialize)]
struct Episode<'a> {
    k: usize,
    #[serde(flatten)]
    record: &'a EpisodeRecord,
    case: Case,
}

/// The lines, by agent and then by run, of the runs that were started.
pub(super) fn lines(learned: &Learned<'_>, with_episodes: bool) -> anyhow::Result<String> {
    let mut text = String::new();
    for (place, (agent, outcomes)) in learned.by_agent().enumerate() {
        let answer = learned.answers.get(&(place * outcomes.len()));
        let started = outcomes.iter().enumerate();
        for (seed, outcome) in started.filter_map(|(seed, outcome)| Some((seed, outcome.as_ref()?)))
        {
            let record = &outcome.record;
            let is_partial = outcome.ending != Ending::Complete;
            let line = Line {
                agent: agent.to_string(),
                label: agent.label(),
                world: learned.experiment.worlds[0].world.to_string(),
                seed,
                master_seed: learned.experiment.master_seed,
                steps: record.steps,
                steps_asked: learned.steps(),
                gain: record.gain,
                reward_range: learned.facts.reward_range(),
                baseline: &learned.facts.baseline,
                regret: &record.regret,
                pseudo_regret: &record.pseudo_regret,
                gap_regret: record.gap_regret.as_deref(),
                gain_lost: record.gain_lost.as_deref(),
                bellman_residual: learned.facts.bellman_residual,
                exploration: record.exploration.as_ref(),
                episodes: record.episodes.len(),
                seen: record.seen,
                reachable: learned.facts.reachable,
                states: learned.facts.states,
                z: record.z,
                y: record.y,
                sweeps: record.sweeps,
                plan_seconds: outcome.plan.as_secs_f64(),
                simulate_seconds: outcome.simulate.as_secs_f64(),
                options: agent.algorithm().options(),
                last_regret: is_partial.then_some(outcome.last_regret),
                last_gap_regret: outcome.last_gap_regret.filter(|_| is_partial),
                stopped: outcome.ending == Ending::Stopped,
                remarks: Some(&outcome.record.remarks[..]).filter(|all| !all.is_empty()),
                error: match &outcome.ending {
                    Ending::Failed(error) => Some(error.to_string()),
                    _ => None,
                },
                episode_records: with_episodes.then(|| episodes(&record.episodes)),
                explained: answer.filter(|_| seed == 0).and_then(|answer| answer.as_deref()),
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

//! What happens when some agents learn the same small world side by side?
//!
//! Every agent has a run of its own with the same master seed and run number, so that all draw from the same random
//! streams, exactly as `tucrl learn WORLD --agent A --agent B --master-seed SEED` does for run 0.

mod view;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::json;
use tucrl::model::Model;
use tucrl::run::{Checkpoints, Run, RunSpec, RunState};
use tucrl::{StateId, Truth};
use tucrl_lab::catalogue::{AgentListing, WorldListing};
use tucrl_lab::formats::{self, ReadOptions};
use tucrl_lab::{Catalogue, NamedAgent, World};

/// More states are not shown.
pub const MOST_STATES: u64 = 1000;
/// Points of the regret curve: per decade, and evenly over all steps.
const PER_DECADE: u32 = 24;
const EVEN: u64 = 400;

/// What a scene consists of.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    /// The spec of a world, or a model in tucrl's own format.
    world: Place,
    /// The specs of the agents.
    agents: Vec<String>,
    /// The master seed.
    seed: u64,
    /// The length of the runs. Some algorithms depend on it.
    steps: u64,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Place {
    /// `name:key=value`.
    Spec(String),
    /// The text of a model file.
    Model(String),
}

/// A scene under way.
#[derive(Debug)]
pub struct Scene {
    name: String,
    model: Model,
    truth: Arc<Truth>,
    agents: Vec<Agent>,
}

#[derive(Debug)]
struct Agent {
    named: NamedAgent,
    run: Run,
}

/// The states of all runs.
#[derive(Serialize, Deserialize)]
struct Saved {
    agents: Vec<String>,
    states: Vec<RunState>,
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// The agents and worlds with their options, as JSON.
pub fn catalogue() -> String {
    let catalogue = Catalogue::default();
    let agents: Vec<AgentListing> = catalogue.agents().iter().map(Into::into).collect();
    let worlds: Vec<WorldListing> = catalogue.worlds().iter().map(Into::into).collect();
    json!({ "agents": agents, "worlds": worlds }).to_string()
}

impl Scene {
    /// A scene at its first step, of a description as JSON.
    ///
    /// # Errors
    /// When the world or an agent is refused; the message is the library's.
    pub fn new(description: &str) -> Result<Self, String> {
        let ask: Description = serde_json::from_str(description)
            .map_err(|error| format!("this is no description of a scene: {error}"))?;
        let (name, model) = match &ask.world {
            Place::Spec(spec) => open(spec)?,
            Place::Model(json) => {
                let mdp = formats::from_json("model", json).map_err(text)?;
                ("model".into(), Model::from(Arc::new(mdp)))
            }
        };
        let states = model.space().states();
        if states > MOST_STATES {
            return Err(format!(
                "{name} has {states} states, and at most {MOST_STATES} are shown here: use `tucrl learn`, or a smaller world"
            ));
        }
        let truth = Arc::new(Truth::of(&model).map_err(text)?);
        let mut times = Checkpoints::PerDecade(PER_DECADE).times(ask.steps);
        times.extend(Checkpoints::Even(EVEN).times(ask.steps));
        let checkpoints = Checkpoints::at(times);
        let mut agents = Vec::new();
        for spec in &ask.agents {
            let named = Catalogue::default().agent(spec).map_err(text)?;
            let (steps, checkpoints) = (ask.steps, checkpoints.clone());
            let spec = RunSpec { steps, checkpoints, master_seed: ask.seed, run: 0 };
            let algorithm = Arc::clone(named.algorithm());
            let run = Run::new(spec, algorithm, &model, Arc::clone(&truth)).map_err(text)?;
            agents.push(Agent { named, run });
        }
        Ok(Self { name, model, truth, agents })
    }

    /// The first step that no agent has taken.
    fn taken(&self) -> u64 {
        self.agents.iter().map(|agent| agent.run.taken()).max().unwrap_or(0)
    }

    fn agent(&self, agent: usize) -> Result<&Agent, String> {
        self.agents.get(agent).ok_or_else(|| format!("there is no agent {agent}"))
    }

    fn advance(&mut self, time: u64) -> Result<(), String> {
        self.agents.iter_mut().try_for_each(|agent| agent.run.advance(time)).map_err(text)
    }

    /// Goes on by this many steps, or to the end.
    ///
    /// # Errors
    /// When a plan fails.
    pub fn step(&mut self, steps: f64) -> Result<(), String> {
        let time = self.taken().saturating_add(steps.max(0.0) as u64);
        self.advance(time)
    }

    /// Goes on until an agent has taken the first step of its next episode, or of its next one that plans on unseen
    /// states; false if that did not happen within `most` steps. The other agents go on to the same step.
    ///
    /// # Errors
    /// When a plan fails, or the agent has no episodes.
    pub fn seek_episode(
        &mut self,
        agent: usize,
        only_exploratory: bool,
        most: f64,
    ) -> Result<bool, String> {
        let from = self.taken();
        self.advance(from)?;
        let named = self.agent(agent)?.named.to_string();
        let run = &mut self.agents[agent].run;
        let end = from.saturating_add(most.max(0.0) as u64).min(run.spec().steps);
        let mut is_found = false;
        let mut has_episodes = true;
        while !is_found && has_episodes && run.taken() < end {
            run.advance(run.taken() + 1).map_err(text)?;
            let learner = run.learner();
            has_episodes = learner.diary().plan.is_some();
            is_found = learner.present_episode().is_some_and(|episode| {
                episode.length == 1 && (!only_exploratory || episode.planned_unseen)
            });
        }
        let reached = self.agents[agent].run.taken();
        self.advance(reached)?;
        match has_episodes {
            true => Ok(is_found),
            false => Err(format!("{named} has no episodes: choose another agent")),
        }
    }

    /// The episodes of an agent from the one with this index on, the present one last.
    ///
    /// # Errors
    /// When there is no such agent.
    pub fn episodes(&self, agent: usize, from: usize) -> Result<String, String> {
        let learner = self.agent(agent)?.run.learner();
        let range = self.truth.facts().reward_range();
        let ended = learner.diary().ended_episodes.iter().skip(from).cloned();
        let all = ended.chain(learner.present_episode()).map(|mut episode| {
            episode.gain = range.in_own_units(episode.gain);
            episode
        });
        serde_json::to_string(&all.collect::<Vec<_>>()).map_err(text)
    }

    /// Gap regret of an agent up to now, gain lost for good included, as `[[step, regret], ...]`.
    ///
    /// # Errors
    /// When there is no such agent.
    pub fn curve(&self, agent: usize) -> Result<String, String> {
        let run = &self.agent(agent)?.run;
        let record = run.record();
        let mut points: BTreeMap<u64, f64> =
            record.gap_regret.unwrap_or_default().into_iter().collect();
        for (time, lost) in record.gain_lost.unwrap_or_default() {
            *points.entry(time).or_default() += lost;
        }
        points.extend(run.gap_regret().map(|regret| (run.taken(), regret)));
        serde_json::to_string(&points.into_iter().collect::<Vec<_>>()).map_err(text)
    }

    /// What an agent assumes about the pairs of a state; null if it has nothing to say.
    ///
    /// # Errors
    /// When there is no such agent.
    pub fn explain(&self, agent: usize, state: f64) -> Result<String, String> {
        let answer = self.agent(agent)?.run.learner().explain(state as StateId);
        serde_json::to_string(&answer).map_err(text)
    }

    /// The record of an agent's run.
    ///
    /// # Errors
    /// When there is no such agent.
    pub fn record(&self, agent: usize) -> Result<String, String> {
        serde_json::to_string(&self.agent(agent)?.run.record()).map_err(text)
    }

    /// All that changes, for [`Scene::restore`].
    ///
    /// # Errors
    /// When an agent cannot be saved.
    pub fn save(&self) -> Result<String, String> {
        let mut saved = Saved { agents: Vec::new(), states: Vec::new() };
        for Agent { named, run } in &self.agents {
            let state = run.state();
            saved.agents.push(named.to_string());
            saved.states.push(state.ok_or_else(|| format!("{named} cannot be saved"))?);
        }
        serde_json::to_string(&saved).map_err(text)
    }

    /// Goes back to what [`Scene::save`] gave.
    ///
    /// # Errors
    /// When it is of another scene.
    pub fn restore(&mut self, saved: &str) -> Result<(), String> {
        let saved: Saved = serde_json::from_str(saved).map_err(text)?;
        let names: Vec<String> = self.agents.iter().map(|agent| agent.named.to_string()).collect();
        if names != saved.agents {
            return Err("the checkpoint has other agents: begin again".into());
        }
        let mut runs = Vec::new();
        for (Agent { named, run }, state) in self.agents.iter().zip(saved.states) {
            let algorithm = Arc::clone(named.algorithm());
            let (spec, truth) = (run.spec().clone(), Arc::clone(&self.truth));
            runs.push(Run::resume(spec, algorithm, &self.model, truth, state).map_err(text)?);
        }
        for (agent, run) in self.agents.iter_mut().zip(runs) {
            agent.run = run;
        }
        Ok(())
    }
}

/// A world by its spec: its table, if it has one, else that of its reachable part is not shown.
fn open(spec: &str) -> Result<(String, Model), String> {
    let world = World::parse(spec).map_err(text)?;
    if let World::File(path) = &world {
        let path = path.display();
        return Err(format!(
            "{path}: files cannot be opened by name here: load it with the button"
        ));
    }
    let model = world.open(&ReadOptions::default()).map_err(text)?;
    Ok((world.to_string(), model))
}

#[cfg(test)]
mod tests;

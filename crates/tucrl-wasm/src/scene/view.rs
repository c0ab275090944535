//! What does a page show of a scene?
//!
//! The world once, with what is known exactly of it; and after every stretch of steps what the agents have seen, planned
//! and given up.

use serde_json::{Value, json};
use tucrl::model::Model;
use tucrl_lab::formats;

use super::{Agent, Scene};

/// With more seen states, pairs are explained on request only: an explanation copies all counts.
const EXPLAINED: usize = 64;

impl Scene {
    /// The world: its name, model, facts, reachable states and optimal policy.
    pub fn world(&self) -> String {
        let facts = self.truth.facts();
        let (mut reachable, mut policy, mut bias) = (Value::Null, Value::Null, Value::Null);
        if let Some(solved) = self.truth.solved().filter(|solved| solved.states.is_none()) {
            reachable = json!(solved.structure.is_reachable);
            let solution = &solved.solution;
            let actions = (0..solution.policy.states()).map(|state| solution.policy.action(state));
            policy = json!(actions.collect::<Vec<_>>());
            bias = json!(solution.bias);
        }
        let model = match &self.model {
            Model::Table(mdp) => Some(formats::to_json(mdp)),
            Model::Generated(_) => None,
        };
        json!({
            "name": self.name,
            "model": model,
            "facts": facts,
            "reachable": reachable,
            "policy": policy,
            "bias": bias,
        })
        .to_string()
    }

    /// What all agents have learned so far.
    pub fn snapshot(&self) -> String {
        let agents: Vec<Value> = self.agents.iter().map(|agent| self.agent_view(agent)).collect();
        json!({ "taken": self.taken(), "agents": agents }).to_string()
    }

    fn agent_view(&self, Agent { named, run }: &Agent) -> Value {
        let learner = run.learner();
        let diary = learner.diary();
        let range = self.truth.facts().reward_range();
        let mut states = Vec::new();
        if let Some(counts) = diary.counts {
            for number in 0..counts.seen() as u32 {
                let state = counts.state(number);
                let choice = learner.would_play(state);
                let asks = counts.seen() <= EXPLAINED;
                let explained = asks.then(|| learner.explain(state)).flatten().unwrap_or_default();
                let pairs = counts.pairs_of(number).enumerate().map(|(action, pair)| {
                    let explained = explained.get(action);
                    json!({
                        "visits": counts.visits(pair),
                        "givenUp": explained.and_then(|explained| explained.given_up_since),
                        "missing": explained.and_then(|e| e.outlook).map(|o| o.missing_mass),
                    })
                });
                states.push(json!({
                    "state": state,
                    "action": choice.map(|choice| choice.action),
                    "other": choice.filter(|choice| choice.mix > 0.0).map(|choice| (choice.other, choice.mix)),
                    "pairs": pairs.collect::<Vec<_>>(),
                }));
            }
        }
        let plan = diary.plan.map(|plan| {
            json!({
                "gain": range.in_own_units(plan.gain()),
                "span": plan.span(),
                "unseen": plan.unseen,
                "underVisited": plan.under_visited,
                "plansUnseen": plan.bias_unseen.is_some(),
                "bias": plan.bias,
                "biasUnseen": plan.bias_unseen,
            })
        });
        let last = diary.ended_episodes.last();
        json!({
            "agent": named.to_string(),
            "taken": run.taken(),
            "here": run.position(),
            "regret": run.regret(),
            "gapRegret": run.gap_regret(),
            "episodes": diary.episode_count(),
            "ended": last.map(|episode| json!({ "stop": episode.stop, "start": episode.start, "length": episode.length })),
            "present": learner.present_episode().map(|episode| episode.start),
            "sweeps": diary.sweeps,
            "plan": plan,
            "states": states,
        })
    }
}

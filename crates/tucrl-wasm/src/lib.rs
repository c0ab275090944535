//! The library in the browser: a scene of agents in a small world, driven with texts of JSON.
//!
//! A thin shell around [`scene`], which has no part of the browser in it and is tested natively too. Errors are those
//! of the library, thrown as `Error` with its message.
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod scene;

use wasm_bindgen::prelude::*;

/// A scene under way.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Scene(scene::Scene);

fn thrown<T>(outcome: Result<T, String>) -> Result<T, JsError> {
    outcome.map_err(|message| JsError::new(&message))
}

#[wasm_bindgen]
impl Scene {
    /// A scene at its first step, of a description as JSON.
    ///
    /// # Errors
    /// When the world or an agent is refused.
    #[wasm_bindgen(constructor)]
    pub fn new(description: &str) -> Result<Scene, JsError> {
        thrown(scene::Scene::new(description)).map(Self)
    }

    /// The world: its model, facts and optimal policy.
    pub fn world(&self) -> String {
        self.0.world()
    }

    /// Goes on by this many steps.
    ///
    /// # Errors
    /// When a plan fails.
    pub fn step(&mut self, steps: f64) -> Result<(), JsError> {
        thrown(self.0.step(steps))
    }

    /// Goes on to the first step of an agent's next episode, or of its next that plans on unseen states; false if it was
    /// not reached within `most` steps.
    ///
    /// # Errors
    /// When a plan fails, or the agent has no episodes.
    pub fn seek_episode(
        &mut self,
        agent: usize,
        only_exploratory: bool,
        most: f64,
    ) -> Result<bool, JsError> {
        thrown(self.0.seek_episode(agent, only_exploratory, most))
    }

    /// What all agents have learned so far.
    pub fn snapshot(&self) -> String {
        self.0.snapshot()
    }

    /// The episodes of an agent from the one with this index on, the present one last.
    ///
    /// # Errors
    /// When there is no such agent.
    pub fn episodes(&self, agent: usize, from: usize) -> Result<String, JsError> {
        thrown(self.0.episodes(agent, from))
    }

    /// Gap regret of an agent up to now, as `[[step, regret], ...]`.
    ///
    /// # Errors
    /// When there is no such agent.
    pub fn curve(&self, agent: usize) -> Result<String, JsError> {
        thrown(self.0.curve(agent))
    }

    /// What an agent assumes about the pairs of a state.
    ///
    /// # Errors
    /// When there is no such agent.
    pub fn explain(&self, agent: usize, state: f64) -> Result<String, JsError> {
        thrown(self.0.explain(agent, state))
    }

    /// The record of an agent's run, as stored by the laboratory.
    ///
    /// # Errors
    /// When there is no such agent.
    pub fn record(&self, agent: usize) -> Result<String, JsError> {
        thrown(self.0.record(agent))
    }

    /// All that changes, for [`Scene::restore`].
    ///
    /// # Errors
    /// When an agent cannot be saved.
    pub fn save(&self) -> Result<String, JsError> {
        thrown(self.0.save())
    }

    /// Goes back to what [`Scene::save`] gave.
    ///
    /// # Errors
    /// When it is of another scene.
    pub fn restore(&mut self, saved: &str) -> Result<(), JsError> {
        thrown(self.0.restore(saved))
    }
}

/// The agents and worlds with their options, as JSON.
#[wasm_bindgen]
pub fn catalogue() -> String {
    scene::catalogue()
}

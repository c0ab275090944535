//! A template: the command `tucrl` with an algorithm and a world of one's own, in all verbs.
//!
//! The algorithm is average-reward Q-learning with epsilon-greedy play (differential Q-learning; Wan, Naik, Sutton 2021),
//! the world a machine that wears out; `examples/python/own_agent.py` is the same agent in Python. The library has the
//! algorithm too, as `diff-q`; this one is `my-q`.
//! `own-agent learn machine --agent my-q --agent tucrl`.

mod machine;

use std::collections::BTreeMap;
use std::process::ExitCode;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tucrl::{
    ActionId, Learner, PlanError, RandomStream, Saved, Space, Start, StateId, own_saved_agent,
};

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
struct Options {
    /// the step size of the values
    #[schemars(extend("exclusiveMinimum" = 0.0, "maximum" = 1.0))]
    step: f64,
    /// how often a random action is played
    #[schemars(extend("minimum" = 0.0, "maximum" = 1.0))]
    epsilon: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self { step: 0.1, epsilon: 0.1 }
    }
}

#[derive(Serialize, Deserialize)]
struct DiffQ {
    options: Options,
    space: Space,
    random: RandomStream,
    values: BTreeMap<StateId, Vec<f64>>,
    gain: f64,
    last: (StateId, ActionId),
}

impl DiffQ {
    fn best(&mut self, state: StateId) -> (usize, f64) {
        let actions = self.space.actions(state) as usize;
        let values = self.values.entry(state).or_insert_with(|| vec![0.0; actions]);
        let better =
            |best: (usize, f64), next: (usize, f64)| if next.1 > best.1 { next } else { best };
        values.iter().copied().enumerate().fold((0, f64::NEG_INFINITY), better)
    }
}

impl Learner for DiffQ {
    fn act(&mut self) -> Result<ActionId, PlanError> {
        let actions = u64::from(self.space.actions(self.last.0));
        let is_random = self.random.chance(self.options.epsilon);
        let greedy = self.best(self.last.0).0 as ActionId;
        self.last.1 = if is_random { self.random.below(actions) as ActionId } else { greedy };
        Ok(self.last.1)
    }

    fn observe(&mut self, reward: f64, next: StateId) {
        let target = reward - self.gain + self.best(next).1;
        let (state, action) = self.last;
        let Some(values) = self.values.get_mut(&state) else { return };
        let error = target - values[action as usize];
        values[action as usize] += self.options.step * error;
        self.gain += 0.1 * self.options.step * error;
        self.last.0 = next;
    }

    fn save(&self) -> Option<Saved> {
        Saved::of(self)
    }
}

fn main() -> ExitCode {
    let start = |mut start: Start<'_>, options: Options| {
        let (space, last) = (start.setting.space.clone(), (start.state, 0));
        let random = RandomStream::new(start.seed());
        Ok(DiffQ { options, space, random, values: BTreeMap::new(), gain: 0.0, last })
    };
    let mine = own_saved_agent("my-q", "average-reward Q-learning, epsilon-greedy", start);
    tucrl_cli::main_with(std::env::args_os(), [mine], [machine::world()])
}

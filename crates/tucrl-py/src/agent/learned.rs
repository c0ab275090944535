//! How is what an agent learned used, and how does it learn from what others did?
//!
//! Two policies are told apart. The optimistic one is that of the present plan, which explores; it is what `act` plays.
//! The greedy one is optimal in the empirical MDP of the pairs visited so far, which is what to deploy.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use tucrl::counts::Counts;
use tucrl::learner::{Learner, LoggedStep};
use tucrl::mdp::Mdp;
use tucrl::solve;
use tucrl::space::StateId;

use super::states::text;
use super::{PyAgent, nearly, whole};
use crate::errors::{bad_input, failed};
use crate::mdp::{Frame, Observed, PyMdp, Unvisited, empirical};
use crate::work::{self, Progress};

/// Which policy is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    Optimistic,
    Greedy,
}

impl Which {
    fn read(word: &str) -> PyResult<Self> {
        match word {
            "optimistic" => Ok(Self::Optimistic),
            "greedy" => Ok(Self::Greedy),
            other => Err(bad_input(format!(
                "policy = {other:?}: accepted are \"optimistic\", what act() plays, and \"greedy\", the best by \
                 what was observed"
            ))),
        }
    }
}

#[pymethods]
impl PyAgent {
    /// Learn from a log before the first `act`: states, actions, rewards and next states, one entry per step.
    ///
    /// Every step counts as if the agent had taken it, so widths shrink as they would have; `steps` does not change,
    /// `absorbed` does. States of the log are states seen, whether or not the agent can reach them. A step that is
    /// refused leaves the agent unchanged.
    ///
    /// >>> import tucrl
    /// >>> agent = tucrl.Agent("tucrl", states=3, actions=2)
    /// >>> agent.absorb([0, 1], [1, 0], [0.0, 1.0], [1, 1])
    /// >>> agent.absorbed, agent.seen_states
    /// (2, [0, 1])
    fn absorb(
        &mut self,
        py: Python<'_>,
        states: &Bound<'_, PyAny>,
        actions: &Bound<'_, PyAny>,
        rewards: &Bound<'_, PyAny>,
        next_states: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        if self.is_placed {
            return Err(bad_input(
                "absorb after act: a log is absorbed before the first act; make a new agent",
            ));
        }
        let lists = py.import("tucrl._logs")?.getattr("lists")?;
        let lists = lists.call1((states, actions, rewards, next_states))?;
        let [states, actions, rewards, next_states]: [Bound<'_, PyList>; 4] = lists.extract()?;
        let Ok(first) = states.get_item(0) else { return Ok(()) };
        // Work on copies, so that a bad entry changes nothing.
        let (mut names, mut allowed) = (self.states.copy(py)?, self.masks.allowed.clone());
        let (mut space, mut told) = (self.space.clone(), Vec::new());
        let limit = self.space.states();
        let mut number = |state: &Bound<'_, PyAny>, masks: &mut super::masks::Allowed| {
            let found = names.number(state, limit)?;
            if !masks.has(found.number)
                && let Some(actions) = self.masks.meet(state, found.number, &space)?
            {
                told.push((found.number, actions.len() as u32));
                space.tell_actions(found.number, actions.len() as u32);
                masks.keep(found.number, actions);
            }
            names.keep(state, &found)?;
            Ok::<StateId, PyErr>(found.number)
        };
        let mut log = Vec::with_capacity(states.len());
        for index in 0..states.len() {
            let at =
                |error: PyErr| bad_input(format!("step {index} of the log: {}", error.value(py)));
            let step = (|| {
                let name = states.get_item(index)?;
                let state = number(&name, &mut allowed)?;
                let most = u64::from(self.space.max_actions()) - 1;
                let outside = whole("action", &actions.get_item(index)?, 0, most)? as u32;
                let action = allowed.inside(state, outside).ok_or_else(|| {
                    bad_input(format!("the state {} has no action {outside}", text(&name)))
                })?;
                let reward: f64 = rewards.get_item(index)?.extract()?;
                let reward = match reward {
                    reward if self.range.contains(reward) => reward,
                    other => nearly(other, self.range)?,
                };
                let next = number(&next_states.get_item(index)?, &mut allowed)?;
                Ok(LoggedStep { state, action, reward: reward - self.range.low(), next })
            })();
            log.push(step.map_err(at)?);
        }
        let first = names.number(&first, limit)?.number;
        let mut learner = match self.learner.take() {
            Some(learner) => learner,
            None => {
                let mut setting = self.setting(py)?;
                setting.space = space;
                let started = self.start(&setting, first);
                started.map_err(|error| self.missing(error))?
            }
        };
        for (state, actions) in told {
            learner.tell_actions(state, actions);
        }
        if !py.detach(|| learner.absorb(&log)) {
            return Err(bad_input(format!("{} does not learn from logs", self.spec)));
        }
        self.learner = Some(learner);
        (self.states, self.masks.allowed) = (names, allowed);
        self.absorbed += log.len() as u64;
        Ok(())
    }

    /// The number of steps absorbed from logs.
    #[getter]
    fn absorbed(&self) -> u64 {
        self.absorbed
    }

    /// Return the action of a policy in a state that was seen, without learning or planning.
    ///
    /// policy: "optimistic", what the present plan plays, which explores; or "greedy", the best by what was observed so
    ///     far, see `policy_dict`. Of a plan that randomises, the likelier action.
    ///
    /// >>> import tucrl
    /// >>> agent = tucrl.Agent("tucrl", states=3, actions=2)
    /// >>> agent.predict(0) if agent.plan else agent.act(0)
    /// 0
    #[pyo3(signature = (state, *, policy="optimistic"))]
    fn predict(&mut self, py: Python<'_>, state: &Bound<'_, PyAny>, policy: &str) -> PyResult<u32> {
        let which = Which::read(policy)?;
        let number = self.states.number(state, self.space.states())?.number;
        let unseen = || {
            bad_input(format!(
                "the agent has not planned for the state {}: it says nothing about it; use \
                 full_policy(default=…) for a policy with an action everywhere",
                text(state)
            ))
        };
        match which {
            Which::Optimistic => self.played(self.learner()?, number).ok_or_else(unseen),
            Which::Greedy => {
                let place = self.counts().and_then(|counts| counts.number(number));
                let place = place.ok_or_else(unseen)? as usize;
                let action = self.greedy(py)?[place];
                Ok(self.masks.outside(number, action))
            }
        }
    }

    /// Return a policy as a dict from the states seen to actions.
    ///
    /// policy: "optimistic": what the present plan plays; it explores, and states seen since the plan was made are
    ///     missing. "greedy": an optimal policy of the empirical model in which pairs that were never visited stay in
    ///     their state and pay the lowest reward: it plays only what was observed to be good.
    ///
    /// `MDP.evaluate` takes such a dict if it has all states of the model.
    #[pyo3(signature = (*, policy="optimistic"))]
    fn policy_dict<'py>(&mut self, py: Python<'py>, policy: &str) -> PyResult<Bound<'py, PyDict>> {
        let told = PyDict::new(py);
        for (state, action) in self.choices(py, Which::read(policy)?)? {
            told.set_item(self.states.name(py, state)?, action)?;
        }
        Ok(told)
    }

    /// Return a policy with an action for every state, as a list; states are whole numbers.
    ///
    /// default: the action of states about which the agent says nothing: a number, one number per state, or a function
    ///     of the state.
    /// policy: as for `policy_dict`.
    ///
    /// >>> import tucrl
    /// >>> world = tucrl.MDP("river-swim")
    /// >>> agent, walk = tucrl.Agent("tucrl:alpha=0.05", world=world, seed=1), world.walk(seed=1)
    /// >>> for _ in range(20_000):
    /// ...     state, reward = walk.step(agent.act(walk.state))
    /// ...     agent.observe(reward, state)
    /// >>> gains, bias = world.evaluate(agent.full_policy(default=0, policy="greedy"))
    /// >>> bool(abs(gains[0] - world.gain) < 1e-9)
    /// True
    #[pyo3(signature = (*, default, policy="optimistic"))]
    fn full_policy(
        &mut self,
        py: Python<'_>,
        default: &Bound<'_, PyAny>,
        policy: &str,
    ) -> PyResult<Vec<u32>> {
        let which = Which::read(policy)?;
        let states = self.space.states();
        if self.states.labels(py)?.is_some() || self.space.is_uncounted() || states > 1 << 28 {
            return Err(bad_input(
                "full_policy lists all states by number, and the states of this agent are no such numbers: use \
                 policy_dict()",
            ));
        }
        let most = u64::from(self.space.max_actions()) - 1;
        let mut policy = Vec::with_capacity(states as usize);
        for state in 0..states {
            let action = if default.is_callable() {
                whole("default(state)", &default.call1((state,))?, 0, most)?
            } else if let Ok(number) = default.extract::<u64>() {
                number
            } else {
                whole("default[state]", &default.get_item(state)?, 0, most)?
            };
            if action > most {
                return Err(bad_input(format!(
                    "default = {action} is no action: they are 0 to {most}"
                )));
            }
            policy.push(action as u32);
        }
        for (state, action) in self.choices(py, which)? {
            policy[state as usize] = action;
        }
        Ok(policy)
    }

    /// Return the empirical model of what was observed; its states are those of `seen_states`, in that order.
    ///
    /// unvisited: what a pair does that was never visited: "error", ("stay", reward) or ("uniform", reward), as for
    ///     `MDP.from_transitions`.
    ///
    /// Where a mask leaves out actions, those of a state are numbered anew without gaps.
    #[pyo3(signature = (*, unvisited))]
    fn to_mdp(&self, py: Python<'_>, unvisited: &Bound<'_, PyAny>) -> PyResult<PyMdp> {
        let unvisited = Unvisited::read(unvisited)?;
        let names = match &self.states.labels(py)? {
            None => Vec::new(),
            Some(_) => {
                let counts = self.counts().ok_or_else(|| self.silent())?;
                let seen = (0..counts.seen() as u32).map(|number| counts.state(number));
                let name = |state| Ok(self.states.name(py, state)?.bind(py).str()?.to_string());
                seen.map(name).collect::<PyResult<Vec<String>>>()?
            }
        };
        let start = self.counts().and_then(|counts| counts.number(self.here)).unwrap_or(0);
        let build = |_: &Progress| self.empirical(unvisited, start as usize, names);
        let model = work::run(py, "building the model", build)??;
        Ok(PyMdp::shared(format!("what {} observed", self.spec), Arc::new(model)))
    }

    /// Return what was learned as JSON: spec, states, visits, transitions, mean rewards and both policies.
    ///
    /// States must be what JSON can hold; tuples become lists.
    #[pyo3(signature = ())]
    fn to_json(slf: &Bound<'_, Self>) -> PyResult<String> {
        let py = slf.py();
        py.import("tucrl._logs")?.getattr("learned")?.call1((slf,))?.extract()
    }
}

impl PyAgent {
    fn silent(&self) -> PyErr {
        match &self.learner {
            Some(_) => bad_input(format!("{} keeps no counts of what it observed", self.spec)),
            None => bad_input("the agent has observed nothing yet: let it act, or absorb a log"),
        }
    }

    fn learner(&self) -> PyResult<&dyn Learner> {
        let none = || bad_input("the agent has not acted yet: call act(state)");
        self.learner.as_deref().ok_or_else(none)
    }

    /// The likelier action of the present plan.
    fn played(&self, learner: &dyn Learner, state: StateId) -> Option<u32> {
        let choice = learner.would_play(state)?;
        let action = if choice.mix > 0.5 { choice.other } else { choice.action };
        Some(self.masks.outside(state, action))
    }

    /// States and actions of a policy.
    fn choices(&mut self, py: Python<'_>, which: Which) -> PyResult<Vec<(StateId, u32)>> {
        let greedy = match which {
            Which::Optimistic => Vec::new(),
            Which::Greedy => self.greedy(py)?,
        };
        let counts = self.counts().ok_or_else(|| self.silent())?;
        let learner = self.learner()?;
        let seen = (0..counts.seen() as u32).map(|number| counts.state(number));
        Ok(match which {
            Which::Optimistic => {
                seen.filter_map(|state| Some((state, self.played(learner, state)?))).collect()
            }
            Which::Greedy => seen
                .zip(greedy)
                .map(|(state, action)| (state, self.masks.outside(state, action)))
                .collect(),
        })
    }

    /// An optimal policy of the empirical model, by row of the states seen, in the learner's own numbers.
    fn greedy(&mut self, py: Python<'_>) -> PyResult<Vec<u32>> {
        let now = (self.taken, self.absorbed);
        if let Some((then, policy)) = &self.greedy
            && *then == now
        {
            return Ok(policy.clone());
        }
        let unvisited = Unvisited::Stay(self.range.low());
        let solve = |_: &Progress| {
            let model = self.empirical(unvisited, 0, Vec::new())?;
            let solution = solve::solve(&model).map_err(failed)?;
            let action = |state| solution.policy.action(state).unwrap_or(0) as u32;
            Ok::<_, PyErr>((0..model.states()).map(action).collect::<Vec<_>>())
        };
        let policy = work::run(py, "solving the empirical MDP", solve)??;
        self.greedy = Some((now, policy.clone()));
        Ok(policy)
    }

    fn empirical(&self, unvisited: Unvisited, start: usize, names: Vec<String>) -> PyResult<Mdp> {
        let mut counts: Counts = self.counts().ok_or_else(|| self.silent())?.clone();
        // Up to now, not up to the start of the episode.
        counts.freeze();
        let actions: Vec<usize> =
            (0..counts.seen() as u32).map(|number| counts.pairs_of(number).len()).collect();
        let frame =
            Frame { range: self.range, start, state_names: names, action_names: Vec::new() };
        empirical(&actions, unvisited, frame, |state, action| {
            let pair = counts.pair(state as u32, action as u32);
            let next = counts.transitions(pair).map(|(to, count)| (to as usize, count));
            let mean_reward = self.range.in_own_units(counts.pairs()[pair].reward_mean());
            Observed { mean_reward, next: next.collect() }
        })
    }
}

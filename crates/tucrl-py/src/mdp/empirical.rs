//! Which MDP do observed transitions make?
//!
//! The empirical law and the mean reward of every pair that was played. What a pair does that was never played cannot be
//! read off a log, so the caller says it.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use tucrl::certify::{Bound as Certified, Rewards, Tally, Terms, certify, sampled};
use tucrl::mdp::Mdp;
use tucrl::pulse::unless_stopped;
use tucrl::reward::RewardRange;
use tucrl::rng::RandomStream;

use super::PyMdp;
use crate::errors::{bad_input, failed};
use crate::seed::Seed;
use crate::work::{self, Progress};

/// What a pair does that was never played.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Unvisited {
    /// There must be none.
    Refused,
    /// It stays in its state and pays this.
    Stay(f64),
    /// It leads to every state alike and pays this.
    Uniform(f64),
}

impl Unvisited {
    /// `"error"`, `("stay", reward)` or `("uniform", reward)`.
    pub(crate) fn read(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        let word = given.extract::<String>().ok().filter(|word| word == "error");
        let pair = given.extract::<(String, f64)>().ok();
        match (word, pair.as_ref().map(|(word, reward)| (word.as_str(), *reward))) {
            (Some(_), _) => Ok(Self::Refused),
            (_, Some(("stay", reward))) => Ok(Self::Stay(reward)),
            (_, Some(("uniform", reward))) => Ok(Self::Uniform(reward)),
            _ => Err(bad_input(format!(
                "unvisited = {} does not say what pairs do that were never played: accepted are \"error\", \
                 (\"stay\", reward) and (\"uniform\", reward)",
                given.repr()?
            ))),
        }
    }
}

/// What was observed of a pair.
#[derive(Debug, Clone, Default)]
pub(crate) struct Observed {
    pub(crate) mean_reward: f64,
    /// Next states and how often they came.
    pub(crate) next: Vec<(usize, u64)>,
}

/// What an empirical MDP has besides its pairs.
pub(crate) struct Frame {
    pub(crate) range: RewardRange,
    pub(crate) start: usize,
    pub(crate) state_names: Vec<String>,
    pub(crate) action_names: Vec<String>,
}

/// The empirical MDP of states with the given numbers of actions.
pub(crate) fn empirical(
    actions: &[usize],
    unvisited: Unvisited,
    frame: Frame,
    observed: impl Fn(usize, usize) -> Observed,
) -> PyResult<Mdp> {
    let mut builder = Mdp::builder();
    let (mut missing, mut first) = (0_u64, None);
    for (state, &count) in unless_stopped(actions.iter().enumerate()) {
        builder.state();
        for action in 0..count {
            let pair = observed(state, action);
            let visits: u64 = pair.next.iter().map(|entry| entry.1).sum();
            if visits > 0 {
                let share = |(next, count): (usize, u64)| (next, count as f64 / visits as f64);
                // Rounding may put the mean of equal rewards at an end of the range outside it.
                let mean = pair.mean_reward.clamp(frame.range.low(), frame.range.high());
                builder.action(mean, pair.next.into_iter().map(share));
                continue;
            }
            match unvisited {
                Unvisited::Refused => {
                    missing += 1;
                    first.get_or_insert((state, action));
                    builder.action(frame.range.low(), [(state, 1.0)]);
                }
                Unvisited::Stay(reward) => {
                    builder.action(reward, [(state, 1.0)]);
                }
                Unvisited::Uniform(reward) => {
                    let share = 1.0 / actions.len() as f64;
                    builder.action(reward, (0..actions.len()).map(|next| (next, share)));
                }
            }
        }
    }
    if let Some((state, action)) = first {
        let name = match frame.state_names.get(state) {
            Some(name) => name.clone(),
            None => state.to_string(),
        };
        let others =
            if missing > 1 { format!(" and {} more pairs", missing - 1) } else { String::new() };
        return Err(bad_input(format!(
            "action {action} of state {name}{others} never occurred: say what such pairs do, unvisited=(\"stay\", \
             reward) or (\"uniform\", reward)"
        )));
    }
    builder.reward_range(frame.range).start_at(frame.start);
    builder.state_names(frame.state_names).action_names(frame.action_names);
    builder.build().map_err(bad_input)
}

/// Arrays of a log: states, actions, rewards, next states.
type Columns<'py> = (
    numpy::PyReadonlyArray1<'py, i64>,
    numpy::PyReadonlyArray1<'py, i64>,
    numpy::PyReadonlyArray1<'py, f64>,
    numpy::PyReadonlyArray1<'py, i64>,
);

#[pymethods]
impl PyMdp {
    /// Build the empirical model of a log: a frame with the columns `state`, `action`, `reward` and `next_state`.
    ///
    /// log: a frame of pandas or polars, a structured array, a dict of columns, or a `tucrl.Log`.
    /// columns: other names of the four columns, in that order.
    /// The other arguments are those of `MDP.from_transitions`.
    ///
    /// >>> import tucrl
    /// >>> log = {"state": ["a", "a", "b"], "action": [0, 1, 0], "reward": [0, 0, 1], "next_state": ["a", "b", "b"]}
    /// >>> mdp = tucrl.MDP.from_log(log, unvisited=("stay", 0.0))
    /// >>> mdp.state_names, mdp.gain
    /// (['a', 'b'], 1.0)
    #[staticmethod]
    #[pyo3(
        signature = (*arguments, **options),
        text_signature = "(log, *, unvisited, columns=('state', 'action', 'reward', 'next_state'), \
                          n_states=None, n_actions=None, reward_range=None, start=None, name='log')"
    )]
    fn from_log(
        py: Python<'_>,
        arguments: &Bound<'_, PyTuple>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let convert = py.import("tucrl._logs")?.getattr("from_log")?;
        Ok(convert.call(arguments, options)?.unbind())
    }

    /// Build the empirical model of observed transitions: frequencies of next states, mean rewards.
    ///
    /// states, actions, rewards, next_states: one entry per transition: arrays, lists or columns of a frame. A state is a
    ///     whole number from 0, or any hashable object; objects are numbered in order of appearance. So are actions.
    /// unvisited: what a pair does that never occurs: "error" if there must be none, ("stay", reward) if it stays in its
    ///     state and pays that reward, ("uniform", reward) if it leads to all states alike. There is no default.
    /// n_states, n_actions: how many there are, if some whole numbers may not occur.
    /// reward_range: the lowest and the highest possible reward; those of the log unless given.
    /// start: the state it starts in; the first one of the log unless given.
    ///
    /// >>> import tucrl
    /// >>> mdp = tucrl.MDP.from_transitions([0, 0, 0, 1], [0, 0, 1, 0], [0, 0, 0, 1], [0, 1, 1, 1],
    /// ...                                  unvisited=("stay", 0.0))
    /// >>> mdp.transitions[3].tolist()
    /// [0.5, 0.5, 1.0, 1.0, 1.0]
    #[staticmethod]
    #[pyo3(
        signature = (*arguments, **options),
        text_signature = "(states, actions, rewards, next_states, *, unvisited, n_states=None, n_actions=None, \
                          reward_range=None, start=None, name='log')"
    )]
    fn from_transitions(
        py: Python<'_>,
        arguments: &Bound<'_, PyTuple>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let convert = py.import("tucrl._logs")?.getattr("from_transitions")?;
        Ok(convert.call(arguments, options)?.unbind())
    }

    /// The empirical model of numbered transitions.
    #[staticmethod]
    fn _empirical(
        py: Python<'_>,
        name: String,
        sizes: (usize, usize),
        columns: Columns<'_>,
        unvisited: &Bound<'_, PyAny>,
        reward_range: (f64, f64),
        start: usize,
        names: (Vec<String>, Vec<String>),
    ) -> PyResult<Self> {
        let unvisited = Unvisited::read(unvisited)?;
        let range = RewardRange::new(reward_range.0, reward_range.1).map_err(bad_input)?;
        let (states, actions, rewards, next) = slices(&columns)?;
        let (count, width) = sizes;
        let frame = Frame { range, start, state_names: names.0, action_names: names.1 };
        let build = |_: &Progress| {
            let mut sums = vec![0.0; count * width];
            let mut visits = vec![0_u64; count * width];
            let mut order: Vec<usize> = (0..states.len()).collect();
            order.sort_by_key(|&i| (states[i], actions[i], next[i]));
            for i in 0..states.len() {
                let pair = states[i] as usize * width + actions[i] as usize;
                sums[pair] += rewards[i];
                visits[pair] += 1;
            }
            let mut starts = vec![0; count * width + 1];
            for pair in 0..count * width {
                starts[pair + 1] = starts[pair] + visits[pair] as usize;
            }
            empirical(&vec![width; count], unvisited, frame, |state, action| {
                let pair = state * width + action;
                let mut seen: Vec<(usize, u64)> = Vec::new();
                for &i in &order[starts[pair]..starts[pair + 1]] {
                    let to = next[i] as usize;
                    match seen.last_mut() {
                        Some(last) if last.0 == to => last.1 += 1,
                        _ => seen.push((to, 1)),
                    }
                }
                let mean_reward = sums[pair] / visits[pair].max(1) as f64;
                Observed { mean_reward, next: seen }
            })
        };
        let model = work::run(py, "building the model", build)??;
        Ok(Self::shared(name, std::sync::Arc::new(model)))
    }

    /// A certificate by samples of this model.
    fn _certify(
        &self,
        py: Python<'_>,
        samples: u64,
        is_deterministic: bool,
        delta: f64,
        shrink: f64,
        seed: Seed,
    ) -> PyResult<Evidence> {
        let rewards = rewards_of(is_deterministic);
        let model = self.model();
        let work = |_: &Progress| {
            let drawn = sampled(model, samples, rewards, &mut RandomStream::new(seed.0))?;
            certify(&drawn.0, &Terms { delta, shrink, ..drawn.1 }).map(|found| (found, drawn.1))
        };
        let (found, terms) = work::run(py, "certifying a policy", work)?.map_err(bad_input)?;
        evidence(found, &terms)
    }

    /// A certificate by a log with numbered states and actions.
    #[staticmethod]
    fn _certify_log(
        py: Python<'_>,
        sizes: (usize, usize),
        columns: Columns<'_>,
        reward_range: (f64, f64),
        samples: u64,
        is_deterministic: bool,
        is_size_random: bool,
        delta: f64,
        shrink: f64,
    ) -> PyResult<Evidence> {
        let range = RewardRange::new(reward_range.0, reward_range.1).map_err(bad_input)?;
        let (states, actions, rewards, next) = slices(&columns)?;
        let work = |_: &Progress| {
            let kind = rewards_of(is_deterministic);
            let mut tally = Tally::new(vec![sizes.1; sizes.0], samples, kind);
            for i in unless_stopped(0..states.len()) {
                tally.add(states[i] as usize, actions[i] as usize, rewards[i], next[i] as usize)?;
            }
            let (empirical, counted) = tally.empirical(range)?;
            let terms = Terms { delta, shrink, is_size_random, ..counted };
            certify(&empirical, &terms).map(|found| (found, terms))
        };
        let (found, terms) = work::run(py, "certifying a policy", work)?.map_err(bad_input)?;
        evidence(found, &terms)
    }
}

/// Action per state, bound, its kind, whether it is certified, samples of laws and of rewards, candidates.
type Evidence =
    (Vec<u32>, f64, &'static str, bool, u64, Option<u64>, Vec<(f64, f64, f64, f64, f64)>);

fn evidence(found: tucrl::certify::Certificate, terms: &Terms) -> PyResult<Evidence> {
    let action = |state| {
        let only = found.policy.action(state).ok_or_else(|| failed("the policy is randomised"))?;
        Ok(only as u32)
    };
    let policy = (0..found.policy.states()).map(action).collect::<PyResult<Vec<_>>>()?;
    let candidates = found.candidates.iter();
    let candidates = candidates
        .map(|one| (one.horizon, one.estimate, one.span, one.by_horizon, one.by_distance))
        .collect();
    let word = Certified::word(found.bound);
    Ok((
        policy,
        found.gain,
        word,
        found.is_certified,
        terms.samples,
        terms.reward_samples,
        candidates,
    ))
}

fn rewards_of(is_deterministic: bool) -> Rewards {
    if is_deterministic { Rewards::Deterministic } else { Rewards::Random }
}

type Slices<'a> = (&'a [i64], &'a [i64], &'a [f64], &'a [i64]);

fn slices<'a>(columns: &'a Columns<'_>) -> PyResult<Slices<'a>> {
    let (states, actions, rewards, next) = columns;
    let all = (states.as_slice()?, actions.as_slice()?, rewards.as_slice()?, next.as_slice()?);
    let length = all.0.len();
    if [all.1.len(), all.2.len(), all.3.len()].iter().any(|&other| other != length) {
        return Err(bad_input("the columns of the log differ in length"));
    }
    Ok(all)
}

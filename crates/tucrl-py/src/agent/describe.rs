//! Which properties does an agent have?
//!
//! Sizes, counts as arrays over the states seen, the current plan and the episodes. Arrays are snapshots, handed to NumPy
//! without another copy, because counts keep changing.

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use tucrl::counts::Counts;
use tucrl::episode::EpisodeRecord;
use tucrl::space::ActionId;

use super::PyAgent;
use super::states::text;
use crate::errors::bad_input;
use crate::plan::{PyPlan, episode, episode_class};

type Transitions<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
);

#[pymethods]
impl PyAgent {
    /// The agent and the options that differ from their defaults.
    #[getter]
    fn spec(&self) -> &str {
        &self.spec
    }

    /// The nominal number of states; None if it was not given.
    #[getter]
    fn states(&self) -> Option<u64> {
        (!self.space.is_uncounted()).then(|| self.space.states())
    }

    /// The largest number of actions of a state.
    #[getter]
    fn actions(&self) -> u32 {
        self.space.max_actions()
    }

    /// The lowest and the highest possible reward.
    #[getter]
    fn reward_range(&self) -> (f64, f64) {
        self.range.into()
    }

    /// The largest possible reward, counted from the lowest.
    #[getter]
    fn r_max(&self) -> f64 {
        self.range.width()
    }

    /// The number of steps taken.
    #[getter]
    fn steps(&self) -> u64 {
        self.taken
    }

    /// The current state; None before the first `act`.
    #[getter]
    fn state(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.is_placed.then(|| self.states.name(py, self.here)).transpose()
    }

    /// The number of states seen.
    #[getter]
    fn seen(&self) -> usize {
        self.counts().map_or(0, Counts::seen)
    }

    /// The states seen, in order of first visit; arrays of the agent have a row for each.
    #[getter]
    fn seen_states<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let seen = self.counts().into_iter().flat_map(|counts| {
            (0..counts.seen() as u32).map(|number| self.states.name(py, counts.state(number)))
        });
        PyList::new(py, seen.collect::<PyResult<Vec<_>>>()?)
    }

    /// The visits of each action in each state seen: an array of states seen × actions.
    #[getter]
    fn visits<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i64>>> {
        self.table(py, 0, |counts, pair| counts.visits(pair) as i64)
    }

    /// The mean reward of each pair at the start of the episode; NaN where there is none.
    #[getter]
    fn mean_rewards<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.table(py, f64::NAN, |counts, pair| {
            let pair = &counts.pairs()[pair];
            let mean = || self.range.in_own_units(pair.reward_mean());
            if pair.visits_before() == 0 { f64::NAN } else { mean() }
        })
    }

    /// The transitions observed, as four arrays: rows of the states, actions, rows of the next states, counts.
    #[getter]
    fn transitions<'py>(&self, py: Python<'py>) -> Transitions<'py> {
        let (mut from, mut played, mut next, mut times) = (vec![], vec![], vec![], vec![]);
        self.each_pair(|counts, row, action, pair| {
            for (to, count) in counts.transitions(pair) {
                from.push(row as i64);
                played.push(i64::from(action));
                next.push(i64::from(to));
                times.push(count as i64);
            }
        });
        let array = |values| PyArray1::from_vec(py, values);
        (array(from), array(played), array(next), array(times))
    }

    /// The plan of the current episode; None before the first, and for agents without plans.
    #[getter]
    fn plan(&self) -> Option<PyPlan> {
        let mut plan = self.learner.as_ref()?.diary().plan?.clone();
        for gain in [&mut plan.gain_low, &mut plan.gain_high] {
            *gain = self.range.in_own_units(*gain);
        }
        Some(PyPlan::new(plan))
    }

    /// The probability of each action in each state of the plan: an array of states seen when it was made ×
    /// actions; None where there is no plan.
    #[getter]
    fn policy<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let diary = self.learner.as_ref().map(|learner| learner.diary());
        let Some((plan, counts)) = diary.and_then(|diary| Some((diary.plan?, diary.counts?)))
        else {
            return Ok(None);
        };
        let width = self.space.max_actions() as usize;
        let mut law = vec![0.0; plan.choices.len() * width];
        for (row, choice) in plan.choices.iter().enumerate() {
            let state = counts.state(row as u32);
            for (action, share) in [(choice.action, 1.0 - choice.mix), (choice.other, choice.mix)] {
                law[row * width + self.masks.outside(state, action) as usize] += share;
            }
        }
        PyArray1::from_vec(py, law).reshape([plan.choices.len(), width]).map(Some)
    }

    /// The current episode; None for agents without episodes.
    #[getter]
    fn episode<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(learner) = &self.learner else { return Ok(None) };
        let present = learner.present_episode();
        let last = present.or_else(|| learner.diary().ended_episodes.last().cloned());
        last.map(|record| self.record(&episode_class(py)?, record)).transpose()
    }

    /// All episodes, including the current one.
    #[getter]
    fn episodes<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let Some(learner) = &self.learner else { return Ok(Vec::new()) };
        let (class, present) = (episode_class(py)?, learner.present_episode());
        let records = learner.diary().ended_episodes.iter().cloned().chain(present);
        records.map(|record| self.record(&class, record)).collect()
    }

    /// How many episodes have ended, without making a list of them.
    #[getter]
    fn episodes_ended(&self) -> usize {
        self.learner.as_ref().map_or(0, |learner| learner.diary().ended_episodes.len())
    }

    /// Steps in pairs poorly visited at that time (Z), and at the start of the episode (Y).
    #[getter]
    fn poor_steps(&self) -> (u64, u64) {
        let diary = self.learner.as_ref().map(|learner| learner.diary()).unwrap_or_default();
        (diary.poor_steps, diary.poor_steps_at_start)
    }

    fn __repr__(&self) -> String {
        let states = self.states().map_or(String::new(), |states| format!("states={states}, "));
        format!(
            "tucrl.Agent({:?}, {states}actions={}): {} steps, {} states seen",
            self.spec,
            self.space.max_actions(),
            self.taken,
            self.seen()
        )
    }
}

impl PyAgent {
    /// What the learner assumes about a state, or one of its actions.
    pub(super) fn explained<'py>(
        &self,
        state: &Bound<'py, PyAny>,
        action: Option<u32>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = state.py();
        let unseen = || bad_input(format!("the agent has not seen the state {}", text(state)));
        let learner = self.learner.as_ref().ok_or_else(unseen)?;
        let found = self.states.number(state, self.space.states())?;
        let silent = || bad_input(format!("{} keeps no counts that it could explain", self.spec));
        let all = learner.explain(found.number).ok_or_else(silent)?;
        if all.is_empty() {
            return Err(unseen());
        }
        let mut told = Vec::new();
        for pair in &all {
            let entry = PyDict::new(py);
            let outside = self.masks.outside(found.number, pair.action);
            entry.set_item("action", outside)?;
            entry.set_item("is_planned", pair.is_planned)?;
            entry.set_item("visits", pair.visits)?;
            entry.set_item("next_states", pair.next_states)?;
            entry.set_item("width", pair.outlook.map(|outlook| outlook.width))?;
            entry.set_item("missing_mass", pair.outlook.map(|outlook| outlook.missing_mass))?;
            entry.set_item("threshold", pair.threshold)?;
            entry.set_item("given_up_since", pair.given_up_since)?;
            entry.set_item("reconsidered_from", pair.reconsidered_from)?;
            if action == Some(outside) {
                return Ok(entry.into_any());
            }
            told.push(entry);
        }
        match action {
            Some(action) => {
                Err(bad_input(format!("the state {} has no action {action}", text(state))))
            }
            None => Ok(PyList::new(py, told)?.into_any()),
        }
    }

    pub(super) fn counts(&self) -> Option<&Counts> {
        self.learner.as_ref()?.diary().counts
    }

    /// An episode with its gain in the units of the rewards.
    fn record<'py>(
        &self,
        class: &Bound<'py, PyAny>,
        mut record: EpisodeRecord,
    ) -> PyResult<Bound<'py, PyAny>> {
        record.gain = self.range.in_own_units(record.gain);
        episode(class, &record)
    }

    /// Every pair of seen states: the row of its state, the world's number of its action, its own number.
    fn each_pair(&self, mut visit: impl FnMut(&Counts, usize, ActionId, usize)) {
        let Some(counts) = self.counts() else { return };
        for row in 0..counts.seen() {
            let state = counts.state(row as u32);
            for (action, pair) in counts.pairs_of(row as u32).enumerate() {
                visit(counts, row, self.masks.outside(state, action as u32), pair);
            }
        }
    }

    /// A number per pair, as an array of seen states by actions.
    fn table<'py, T: numpy::Element + Copy>(
        &self,
        py: Python<'py>,
        nothing: T,
        value: impl Fn(&Counts, usize) -> T,
    ) -> PyResult<Bound<'py, PyArray2<T>>> {
        let width = self.space.max_actions() as usize;
        let mut values = vec![nothing; self.seen() * width];
        self.each_pair(|counts, row, action, pair| {
            values[row * width + action as usize] = value(counts, pair);
        });
        PyArray1::from_vec(py, values).reshape([self.seen(), width])
    }
}

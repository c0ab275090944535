//! What does an agent assume about a state at the last step of run 0? (`learn --explain`)

use std::collections::BTreeMap;
use std::fmt::{Error, Write};
use std::sync::{Arc, Mutex, PoisonError};

use tucrl::Explanation;
use tucrl::planner::Pulse;
use tucrl::run::Run;
use tucrl_lab::NamedAgent;
use tucrl_lab::runner::{Begin, Outcome, Watch};
use tucrl_lab::text::{counted, digits};

use crate::cli::Explained;

/// What an agent has to say; none if it has nothing to say about any state.
pub(super) type Answer = Option<Vec<Explanation>>;

/// Passes everything on, and asks the learner of every run 0 when it stops.
pub(super) struct Asking<'a> {
    pub(super) inner: &'a dyn Watch,
    pub(super) asked: Option<Explained>,
    /// By cell.
    answers: Mutex<BTreeMap<usize, Answer>>,
}

impl<'a> Asking<'a> {
    pub(super) fn new(inner: &'a dyn Watch, asked: Option<Explained>) -> Self {
        Self { inner, asked, answers: Mutex::default() }
    }

    fn ask(&self, cell: usize, run: &Run) {
        let Some(Explained { state, action }) = self.asked else { return };
        if run.spec().run != 0 {
            return;
        }
        let mut answer = run.learner().explain(state);
        if let (Some(pairs), Some(action)) = (&mut answer, action) {
            pairs.retain(|pair| pair.action == action);
        }
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).insert(cell, answer);
    }

    /// The answers, by cell.
    pub(super) fn into_answers(self) -> BTreeMap<usize, Answer> {
        self.answers.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch for Asking<'_> {
    fn wants_stop(&self) -> bool {
        self.inner.wants_stop()
    }
    fn begin(&self, cell: usize) -> Begin {
        self.inner.begin(cell)
    }
    fn pulse(&self, worker: usize) -> Option<Arc<Pulse>> {
        self.inner.pulse(worker)
    }
    fn at(&self, worker: usize, cell: usize, run: &Run) {
        self.inner.at(worker, cell, run);
        if run.is_complete() {
            self.ask(cell, run);
        }
    }
    fn left(&self, cell: usize, run: &Run) {
        self.inner.left(cell, run);
        self.ask(cell, run);
    }
    fn skipped(&self, cell: usize) {
        self.inner.skipped(cell);
    }
    fn ended(&self, worker: usize, cell: usize, outcome: &Outcome) {
        self.inner.ended(worker, cell, outcome);
    }
}

/// The answers as text, by agent.
pub(super) fn text<'a>(
    asked: Explained,
    answers: impl Iterator<Item = (&'a NamedAgent, &'a Answer)>,
) -> Result<String, Error> {
    let mut out = String::new();
    for (agent, answer) in answers {
        writeln!(out, "\n{}, run 0, about state {}", agent.label(), asked.state)?;
        match answer.as_deref() {
            None => writeln!(out, "  it keeps no counts, so it has nothing to say")?,
            Some([]) if asked.action.is_none() => writeln!(out, "  it has not seen this state")?,
            Some([]) => writeln!(out, "  it has not seen this state, or there is no such action")?,
            Some(pairs) => pairs.iter().try_for_each(|pair| one(&mut out, pair))?,
        }
    }
    Ok(out)
}

fn one(out: &mut String, pair: &Explanation) -> Result<(), Error> {
    let Explanation { action, is_planned, visits, next_states, .. } = *pair;
    let planned = if is_planned { ", played by the present plan" } else { "" };
    let visited = counted(visits as usize, "visit");
    let shown = counted(next_states as usize, "next state");
    writeln!(out, "  action {action}{planned}: {visited}, {shown}")?;
    if let Some(outlook) = pair.outlook {
        let (width, missing) = (digits(outlook.width, 3), digits(outlook.missing_mass, 3));
        writeln!(out, "    width {width}; all next states never observed: at most {missing}")?;
    }
    let Some(most) = pair.threshold else { return Ok(()) };
    let threshold = digits(most, 3);
    match (pair.given_up_since, pair.reconsidered_from) {
        (Some(since), Some(from)) => writeln!(
            out,
            "    more than {threshold} visits: since step {since} it may not lead to unseen states;\n    \
             reconsidered from step {from} on, if it is not visited before"
        ),
        // No state is unseen, or the visits came after the present plan was made.
        _ if visits.saturating_sub(1) as f64 > most => writeln!(
            out,
            "    more than {threshold} visits: no plan from now on would let it lead to unseen states"
        ),
        _ => writeln!(
            out,
            "    it may lead to unseen states, if there are any (up to {threshold} visits)"
        ),
    }
}

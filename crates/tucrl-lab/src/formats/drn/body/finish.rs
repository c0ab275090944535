//! Are the actions and the model complete, and do the comments agree with the body?
//!
//! A law in a comment must have the mean that the body states, a start law must give a positive probability to exactly
//! the states labelled `init`, and names go to all states or to none. A file that breaks this is ambiguous and refused.

use std::io::BufRead;

use tucrl::mdp::Mdp;
use tucrl::reward::RewardRange;

use super::super::super::error::Part;
use super::super::super::foreign::{evenly, printed_sum, some_states, support};
use super::super::super::lines::Lines;
use super::super::super::{FormatError, ReadOptions};
use super::{Action, Body};

impl Body {
    /// Passes the open action, if any, to the builder.
    pub(super) fn close_action<R: BufRead>(&mut self, lines: &Lines<R>) -> Result<(), FormatError> {
        let Some(Action { reward, law }) = self.action.take() else { return Ok(()) };
        if reward < 0.0 && self.range.is_none() {
            return Err(FormatError::NegativeReward {
                path: lines.path().into(),
                line: self.action_lines.last().map(|&line| line as usize),
                state: self.state(),
                action: self.actions() - 1,
                reward,
            });
        }
        self.largest = self.largest.max(reward);
        let sum = printed_sum(self.row.iter().map(|entry| entry.1));
        if let Some(sum) = sum.filter(|_| !self.header.notes.version_seen) {
            self.row.iter_mut().for_each(|entry| entry.1 /= sum);
        }
        match law {
            None => drop(self.builder.action(reward, self.row.iter().copied())),
            Some((line, laws)) => {
                let added = laws.add(&mut self.builder, &self.row, reward);
                added.map_err(|what| lines.contradiction(line, what))?;
            }
        }
        self.row.clear();
        Ok(())
    }

    /// Final checks; builds the model.
    pub(super) fn finish<R: BufRead>(
        mut self,
        lines: &Lines<R>,
        options: &ReadOptions,
    ) -> Result<Mdp, FormatError> {
        let path = lines.path();
        let count = |line, what, declared, found| match declared == found {
            true => Ok(()),
            false => Err(FormatError::Count { path: path.into(), line, what, declared, found }),
        };
        count(self.header.states_line, "states", self.header.states, self.state_lines.len())?;
        if let Some((declared, line)) = self.header.choices {
            count(line, "choices", declared, self.action_lines.len())?;
        }
        self.chosen.check(lines)?;
        if !self.state_names.is_empty() && self.state_names.len() != self.state_lines.len() {
            let missing = self.state_names.len();
            let line = self.state_lines.get(missing).map_or(1, |&line| line as usize);
            return Err(lines.contradiction(
                line,
                format!("state {missing} has no name, the states before it have one"),
            ));
        }
        let start_line = self.header.notes.start.as_ref().map(|start| start.0);
        let start = self.start(lines)?;
        self.builder.start_law(start).state_names(std::mem::take(&mut self.state_names));
        let notes = std::mem::take(&mut self.header.notes);
        let (names_line, names) = notes.action_names.unzip();
        if let Some(names) = names.or_else(|| self.labels.names()) {
            self.builder.action_names(names);
        }
        let range_line = notes.range.map(|(line, _)| line);
        self.builder.reward_range(self.range.unwrap_or(RewardRange::up_to(self.largest)));
        let Self { builder, state_lines, action_lines, first_action, .. } = self;
        builder.build().map_err(|defect| {
            FormatError::model(path, defect, |part| match part {
                Part::State(state) => state_lines.get(state).map(|&line| line as usize),
                Part::Action(state, action) => {
                    let first = *first_action.get(state)? as usize;
                    action_lines.get(first + action).map(|&line| line as usize)
                }
                // An r_max from the options has no line.
                Part::RewardMax => range_line.filter(|_| options.range().is_none()),
                Part::Start => start_line,
                Part::ActionNames => names_line,
                Part::StateNames => None,
            })
        })
    }

    /// The initial law: that of the comment, or the same probability for every initial state.
    fn start<R: BufRead>(&mut self, lines: &Lines<R>) -> Result<Vec<(usize, f64)>, FormatError> {
        if self.init.is_empty() {
            let line = self.state_lines.first().map_or(1, |&line| line as usize);
            return Err(FormatError::NoInitialState { path: lines.path().into(), line });
        }
        let Some((line, law)) = self.header.notes.start.take() else {
            return Ok(evenly(&self.init));
        };
        let support = support(&law);
        if support != self.init {
            return Err(lines.contradiction(
                line,
                format!(
                    "it starts in {}, the label init is on {}",
                    some_states(&support),
                    some_states(&self.init)
                ),
            ));
        }
        Ok(law)
    }
}

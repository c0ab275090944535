//! How do transitions become a model?
//!
//! The first line has the numbers of states, of choices, and of transitions; that of a chain has no choices. The others
//! are `state choice next probability`, without the choice in a chain, and may end with the label of the action. States
//! and choices come in order. The counts of the first line are claims, compared with what the file has.

use std::collections::HashMap;
use std::path::Path;

use tucrl::mdp::{Mdp, MdpBuilder};
use tucrl::reward::RewardRange;

use super::super::error::Part;
use super::super::foreign::{Labels, evenly, printed_sum};
use super::super::{FormatError, ReadOptions};
use super::Text;
use super::beside::{Beside, Rewards, initial, names};

/// The numbers of the first line.
struct Header {
    line: usize,
    is_chain: bool,
    states: usize,
    choices: usize,
    transitions: usize,
}

/// The model so far.
struct Reading<'a> {
    text: Text<'a>,
    header: Header,
    range: Option<RewardRange>,
    state_rewards: Option<Rewards<'a>>,
    transition_rewards: Option<Rewards<'a>>,
    builder: MdpBuilder,
    labels: Labels,
    /// The largest reward so far, at least 1.
    largest: f64,
    /// The state and choice of the open row.
    open: Option<(usize, usize)>,
    row: Vec<(usize, f64)>,
    /// The line of each choice, and the number of choices before each state.
    choice_lines: Vec<u32>,
    first_choice: Vec<u32>,
    /// Rewards of transitions that were paid.
    paid: usize,
    transitions: usize,
}

/// Reads the transitions and what stands beside them.
pub(super) fn read(
    path: &Path,
    beside: &Beside,
    options: &ReadOptions,
) -> Result<Mdp, FormatError> {
    let mut text = Text::open(path, options)?;
    let header = header(&mut text)?;
    let states = header.states;
    let start = match &beside.labels {
        Some(labels) => initial(labels, states, options)?,
        None => vec![0],
    };
    let names = match &beside.states {
        Some(file) => names(file, states, options)?,
        None => Vec::new(),
    };
    let state_rewards = beside.state_rewards.as_deref();
    let transition_rewards = beside.transition_rewards.as_deref();
    let shape = (states, header.is_chain);
    let mut reading = Reading {
        range: options.range(),
        state_rewards: state_rewards
            .map(|file| Rewards::of_states(file, states, options))
            .transpose()?,
        transition_rewards: transition_rewards
            .map(|file| Rewards::of_transitions(file, shape, options))
            .transpose()?,
        text,
        header,
        builder: Mdp::builder(),
        labels: Labels::default(),
        largest: 1.0,
        open: None,
        row: Vec::new(),
        choice_lines: Vec::new(),
        first_choice: Vec::new(),
        paid: 0,
        transitions: 0,
    };
    while reading.text.advance()? {
        reading.line()?;
    }
    reading.close()?;
    reading.builder.start_law(evenly(&start)).state_names(names);
    reading.finish()
}

fn header(text: &mut Text<'_>) -> Result<Header, FormatError> {
    const SHAPE: &str = "the numbers of states, of choices and of transitions, or of states and transitions for a chain";
    text.first("write the numbers of states, choices and transitions")?;
    let line = text.0.number();
    let length = text.0.text().split_whitespace().count();
    if ["dtmc", "ctmc", "mdp", "ma", "states"]
        .contains(&text.0.text().trim().to_ascii_lowercase().as_str())
    {
        return Err(text.0.syntax(format!(
            "{:?} begins a file of MRMC or Storm: PRISM's begin with {SHAPE}",
            text.0.text().trim()
        )));
    }
    let (is_chain, [states, choices, transitions]) = match length {
        2 => {
            let [states, transitions] = text.counts(SHAPE)?;
            (true, [states, states, transitions])
        }
        _ => (false, text.counts(SHAPE)?),
    };
    Ok(Header { line, is_chain, states, choices, transitions })
}

impl Reading<'_> {
    /// Reads the line of a transition.
    fn line(&mut self) -> Result<(), FormatError> {
        let lines = &self.text.0;
        let words: Vec<&str> = lines.text().split_whitespace().take(6).collect();
        let (head, rest) = match (self.header.is_chain, &words[..]) {
            (true, [state, next, probability, rest @ ..]) => {
                ([*state, "0", *next, *probability], rest)
            }
            (false, [state, choice, next, probability, rest @ ..]) => {
                ([*state, *choice, *next, *probability], rest)
            }
            _ => (["", "", "", ""], &words[..]),
        };
        if rest.len() > 1 || head[0].is_empty() {
            let shape = if self.header.is_chain {
                "state next probability"
            } else {
                "state choice next probability"
            };
            return Err(lines.syntax(format!(
                "{:?} is not a transition: write {shape}, and at most one label after it",
                lines.text().trim()
            )));
        }
        let state = lines.count(head[0], "the number of a state")?;
        let choice = lines.count(head[1], "the number of a choice")?;
        let next = lines.count(head[2], "the number of a next state")?;
        let probability = lines.value(head[3], &HashMap::new())?;
        // Slightly above 1 is left to the check of the row, which allows for printed digits.
        if !(0.0..1.001).contains(&probability) {
            return Err(lines.syntax(format!("probability {probability} is not in [0, 1]")));
        }
        for number in [state, next] {
            if number >= self.header.states {
                return Err(lines.syntax(format!(
                    "state {number} does not exist: the first line declares {}, numbered from 0",
                    self.header.states
                )));
            }
        }
        if self.open != Some((state, choice)) {
            let label = rest.first().copied().unwrap_or_default().to_string();
            self.close()?;
            self.begin(state, choice)?;
            self.labels.see(choice, &label);
        }
        self.row.push((next, probability));
        self.transitions += 1;
        Ok(())
    }

    /// Opens a choice, which must be the next one.
    fn begin(&mut self, state: usize, choice: usize) -> Result<(), FormatError> {
        let lines = &self.text.0;
        let (expected, is_next) = match self.open {
            None => ("state 0, choice 0".into(), state == 0 && choice == 0),
            Some((s, c)) => (
                format!("state {s}, choice {}, or state {}, choice 0", c + 1, s + 1),
                (s, c + 1) == (state, choice) || (s + 1, 0) == (state, choice),
            ),
        };
        if !is_next {
            return Err(lines.syntax(format!(
                "state {state}, choice {choice} stands where {expected} should: sort the lines, and give a state \
                 without transitions one to itself"
            )));
        }
        if choice == 0 {
            self.builder.state();
            self.first_choice.push(short(self.choice_lines.len()));
        }
        self.choice_lines.push(short(lines.number()));
        self.open = Some((state, choice));
        Ok(())
    }

    /// Passes the open row, if any, to the builder.
    fn close(&mut self) -> Result<(), FormatError> {
        let Some((state, action)) = self.open.filter(|_| !self.row.is_empty()) else {
            return Ok(());
        };
        if let Some(sum) = printed_sum(self.row.iter().map(|entry| entry.1)) {
            self.row.iter_mut().for_each(|entry| entry.1 /= sum);
        }
        let of_state = self.state_rewards.as_ref().map_or(&[][..], |rewards| rewards.of(&[state]));
        let base: f64 = of_state.iter().map(|entry| entry.1).sum();
        let extra = self
            .transition_rewards
            .as_ref()
            .map_or(&[][..], |rewards| rewards.of(&[state, action]));
        self.paid += extra.len();
        let mut outcomes: Vec<(usize, f64, f64)> = Vec::new();
        for &(next, probability) in &self.row {
            let found = extra.binary_search_by_key(&next, |entry| entry.0[2]);
            let own = found.map_or(0.0, |found| extra[found].1);
            outcomes.push((next, probability, base + own));
        }
        if let Some(entry) =
            extra.iter().find(|entry| !self.row.iter().any(|to| to.0 == entry.0[2]))
        {
            return Err(self.unpaid(entry));
        }
        let negative = outcomes.iter().map(|outcome| outcome.2).find(|&reward| reward < 0.0);
        if let Some(reward) = negative.filter(|_| self.range.is_none()) {
            return Err(FormatError::NegativeReward {
                path: self.text.0.path().into(),
                line: self.choice_lines.last().map(|&line| line as usize),
                state,
                action,
                reward,
            });
        }
        self.largest =
            outcomes.iter().fold(self.largest, |largest, outcome| largest.max(outcome.2));
        if extra.is_empty() {
            self.builder.action(base, self.row.iter().copied());
        } else {
            self.builder.joint_action(outcomes);
        }
        self.row.clear();
        Ok(())
    }

    /// A reward of a transition that does not exist.
    fn unpaid(&self, (key, _, line): &([usize; 3], f64, usize)) -> FormatError {
        let path =
            self.transition_rewards.as_ref().map_or(self.text.0.path(), |rewards| rewards.path);
        let [state, choice, next] = key;
        let what = format!(
            "a reward from state {state}, choice {choice} to state {next}, and no such transition: remove the reward"
        );
        FormatError::Syntax { path: path.into(), line: *line, column: None, what }
    }

    /// Final checks; builds the model.
    fn finish(mut self) -> Result<Mdp, FormatError> {
        let Header { line, states, choices, transitions, .. } = self.header;
        self.text.check("states", line, states, self.first_choice.len())?;
        self.text.check("choices", line, choices, self.choice_lines.len())?;
        self.text.check("transitions", line, transitions, self.transitions)?;
        if let Some(rewards) = &self.transition_rewards
            && self.paid < rewards.of.len()
        {
            let is_missing = |entry: &&([usize; 3], f64, usize)| {
                let [state, choice, _] = entry.0;
                let first = self.first_choice.get(state).map(|&first| first as usize);
                let after = self
                    .first_choice
                    .get(state.saturating_add(1))
                    .map_or(self.choice_lines.len(), |&end| end as usize);
                first.is_none_or(|first| first.saturating_add(choice) >= after)
            };
            if let Some(entry) = rewards.of.iter().find(is_missing) {
                return Err(self.unpaid(entry));
            }
        }
        if let Some(rewards) = &self.state_rewards
            && let Some((key, _, line)) = rewards.of.iter().find(|entry| entry.0[0] >= states)
        {
            let what =
                format!("state {} does not exist: there are {states}, numbered from 0", key[0]);
            return Err(FormatError::Syntax {
                path: rewards.path.into(),
                line: *line,
                column: None,
                what,
            });
        }
        if let Some(names) = self.labels.names() {
            self.builder.action_names(names);
        }
        self.builder.reward_range(self.range.unwrap_or(RewardRange::up_to(self.largest)));
        let (path, lines, first) = (self.text.0.path(), self.choice_lines, self.first_choice);
        self.builder.build().map_err(|defect| {
            FormatError::model(path, defect, |part| {
                let (state, action) = match part {
                    Part::State(state) => (state, 0),
                    Part::Action(state, action) => (state, action),
                    _ => return None,
                };
                let choice = *first.get(state)? as usize + action;
                lines.get(choice).map(|&line| line as usize)
            })
        })
    }
}

fn short(line: usize) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}

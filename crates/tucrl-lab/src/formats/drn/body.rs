//! What do the lines after `@model` say?
//!
//! `state N [state rewards] labels`, `action LABEL [action rewards]`, `next : probability`, each
//! on its own line; a state may leave out the line of its only action. The reward of an action is
//! its own plus that of its state, in the chosen reward model. States labelled `init` are the
//! start, each with the same probability when there are several.
//!
//! Storm prints probabilities with few digits, so a row of a foreign file whose sum misses 1 by at most
//! 1e-5 is divided by its sum; in a file with `//@tucrl version` rows must be exact.

mod finish;

use std::io::BufRead;

use tucrl::mdp::{Mdp, MdpBuilder};
use tucrl::reward::RewardRange;

use super::super::foreign::{Labels, Laws};
use super::super::law::Law;
use super::super::lines::{Lines, MARK};
use super::super::{FormatError, ReadOptions};
use super::header::Header;
use super::notes;
use super::rewards::Chosen;

/// Reads all states and builds the model.
pub(super) fn read<R: BufRead>(
    lines: &mut Lines<R>,
    header: Header,
    options: &ReadOptions,
) -> Result<Mdp, FormatError> {
    let chosen = Chosen::new(lines, &header, options.reward_model.as_deref())?;
    let range = options.range().or(header.notes.range.map(|(_, range)| range));
    let mut body = Body {
        header,
        range,
        chosen,
        builder: Mdp::builder(),
        state_lines: Vec::new(),
        action_lines: Vec::new(),
        first_action: Vec::new(),
        state_reward: 0.0,
        action: None,
        is_implicit: false,
        row: Vec::new(),
        largest: 1.0,
        init: Vec::new(),
        state_names: Vec::new(),
        labels: Labels::default(),
    };
    while lines.advance()? {
        let line = lines.text().trim();
        if line.is_empty() {
            continue;
        } else if line.starts_with("//") {
            body.comment(lines, line)?;
        } else if let Some(rest) = after_word(line, "state") {
            body.close_action(lines)?;
            body.open_state(lines, rest)?;
        } else if let Some(rest) = after_word(line, "action") {
            body.close_action(lines)?;
            body.open_action(lines, rest)?;
        } else {
            body.transition(lines, line)?;
        }
    }
    body.close_action(lines)?;
    body.finish(lines, options)
}

fn after_word<'l>(line: &'l str, word: &str) -> Option<&'l str> {
    let rest = line.strip_prefix(word)?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim())
}

/// The model so far.
struct Body {
    header: Header,
    /// The rewards that are possible, as far as that is declared.
    range: Option<RewardRange>,
    chosen: Chosen,
    builder: MdpBuilder,
    /// The line of each state and of each action, for messages.
    state_lines: Vec<u32>,
    action_lines: Vec<u32>,
    /// The place in `action_lines` of each state's first action.
    first_action: Vec<u32>,
    state_reward: f64,
    action: Option<Action>,
    /// The open state has transitions before its first action line.
    is_implicit: bool,
    /// The transitions of the open action.
    row: Vec<(usize, f64)>,
    /// The largest reward so far, at least 1.
    largest: f64,
    init: Vec<usize>,
    state_names: Vec<String>,
    labels: Labels,
}

/// The action whose transitions are being read.
struct Action {
    reward: f64,
    law: Option<(usize, Laws)>,
}

/// Labels are separated by blanks; one with blanks inside stands in quotation marks.
fn has_label(labels: &str, wanted: &str) -> bool {
    // Pieces with even index are outside of quotation marks.
    labels.split('"').enumerate().any(|(index, piece)| match index % 2 {
        0 => piece.split_whitespace().any(|label| label == wanted),
        _ => piece == wanted,
    })
}

fn short(line: usize) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}

impl Body {
    /// The open state; the caller has checked that there is one.
    fn state(&self) -> usize {
        self.state_lines.len().saturating_sub(1)
    }

    /// The number of actions of the open state so far.
    fn actions(&self) -> usize {
        let first = self.first_action.last().map_or(0, |&first| first as usize);
        self.action_lines.len() - first
    }

    fn open_state<R: BufRead>(&mut self, lines: &Lines<R>, rest: &str) -> Result<(), FormatError> {
        let (id, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let (id, expected) = (lines.count(id, "the number of a state")?, self.state_lines.len());
        if id != expected {
            return Err(lines.syntax(format!(
                "state {id} stands where state {expected} should: number the states 0, 1, 2, ... \
                 in order"
            )));
        }
        let (reward, labels) = self.chosen.reward(lines, rest.trim(), &self.header)?;
        self.state_reward = reward;
        if labels.matches('"').count() % 2 == 1 {
            return Err(lines.syntax("a quotation mark without its partner: add one, or remove it"));
        }
        if has_label(labels, "init") {
            self.init.push(id);
        }
        self.is_implicit = false;
        self.builder.state();
        self.state_lines.push(short(lines.number()));
        self.first_action.push(short(self.action_lines.len()));
        Ok(())
    }

    fn open_action<R: BufRead>(&mut self, lines: &Lines<R>, rest: &str) -> Result<(), FormatError> {
        if self.state_lines.is_empty() {
            return Err(lines.syntax("an action before the first state: begin with state 0"));
        }
        if self.header.is_chain && self.actions() == 1 {
            return Err(lines.syntax(
                "a second action in a DTMC: a DTMC has one action per state, or write @type: MDP",
            ));
        }
        if self.is_implicit {
            return Err(lines.syntax(
                "an action after transitions without one: put action 0 before the first of them",
            ));
        }
        let (label, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        if label.contains('[') {
            return Err(lines.syntax(format!(
                "{label:?} is not the label of an action: write a label, a space, then [reward]"
            )));
        }
        let (reward, rest) = self.chosen.reward(lines, rest.trim(), &self.header)?;
        if !rest.is_empty() {
            return Err(lines.syntax(format!("unexpected {rest:?} after the action: remove it")));
        }
        self.labels.see(self.actions(), label);
        self.begin_action(lines, reward);
        Ok(())
    }

    fn begin_action<R: BufRead>(&mut self, lines: &Lines<R>, reward: f64) {
        let reward = self.state_reward + reward;
        self.action = Some(Action { reward, law: None });
        self.action_lines.push(short(lines.number()));
    }

    fn transition<R: BufRead>(&mut self, lines: &Lines<R>, line: &str) -> Result<(), FormatError> {
        let Some((next, probability)) = line.split_once(':') else {
            return Err(lines.syntax(format!(
                "{line:?} is no line of a model: expected state N, action N, or \
                 next : probability"
            )));
        };
        let next = lines.count(next, "the number of a next state")?;
        let probability = lines.value(probability, &self.header.placeholders)?;
        // Slightly above 1 is left to the check of the row, which allows for printed digits.
        if !(0.0..1.001).contains(&probability) {
            return Err(lines.syntax(format!("probability {probability} is not in [0, 1]")));
        }
        if self.state_lines.is_empty() {
            return Err(lines.syntax("a transition before the first state: begin with state 0"));
        }
        if next >= self.header.states {
            return Err(lines.syntax(format!(
                "next state {next} does not exist: @nr_states declares {} states, numbered from 0",
                self.header.states
            )));
        }
        if self.action.is_none() {
            self.labels.see(self.actions(), "0");
            self.is_implicit = true;
            self.begin_action(lines, 0.0);
        }
        self.row.push((next, probability));
        Ok(())
    }

    fn comment<R: BufRead>(&mut self, lines: &Lines<R>, line: &str) -> Result<(), FormatError> {
        let Some((word, json)) = notes::split(line) else { return Ok(()) };
        if !self.header.notes.version_seen {
            return Err(lines.syntax(format!(
                "{MARK} {word} without a version: put {MARK} version 1 before @model"
            )));
        }
        let misplaced = |place| {
            Err(lines.syntax(format!("{MARK} {word} belongs right after the line of {place}")))
        };
        match word {
            "name" => {
                if self.state_lines.is_empty() || self.actions() > 0 {
                    return misplaced("a state");
                }
                let state = self.state();
                if self.state_names.len() != state {
                    let missing = self.state_names.len();
                    return Err(lines.contradiction(
                        lines.number(),
                        match missing < state {
                            true => format!("state {state} has a name, state {missing} has none"),
                            false => format!("state {state} has two names"),
                        },
                    ));
                }
                self.state_names.push(notes::value(lines, word, json)?);
            }
            "reward" | "rewards" => {
                let Some(action) = self.action.as_mut().filter(|a| a.law.is_none()) else {
                    return misplaced("an action, once");
                };
                if !self.row.is_empty() {
                    return misplaced("an action");
                }
                let laws = if word == "reward" {
                    Laws::One(notes::value::<Law, _>(lines, word, json)?.0)
                } else {
                    let laws: Vec<Law> = notes::value(lines, word, json)?;
                    Laws::Each(laws.into_iter().map(|law| law.0).collect())
                };
                action.law = Some((lines.number(), laws));
            }
            _ => {
                return Err(lines.syntax(format!(
                    "{MARK} {word:?} is unknown after @model: known are name, reward, rewards"
                )));
            }
        }
        Ok(())
    }
}

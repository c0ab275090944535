//! Which reward of a list in brackets is read?
//!
//! A list such as `[0, 2.5]` has one number per reward model, in the order of `@reward_models`.
//! Missing numbers are 0. Models that the header does not name are called `rew0`, `rew1`, … as in
//! Storm.

use std::io::BufRead;

use super::super::FormatError;
use super::super::lines::Lines;
use super::header::Header;

/// The reward model that is read.
pub(super) struct Chosen {
    index: usize,
    /// The name that the caller chose, if any.
    asked: Option<String>,
    /// The longest list so far.
    longest: usize,
}

impl Chosen {
    /// Resolves the choice as far as the header allows.
    pub(super) fn new<R: BufRead>(
        lines: &Lines<R>,
        header: &Header,
        asked: Option<&str>,
    ) -> Result<Self, FormatError> {
        let names = &header.reward_models;
        let index = match asked {
            None if names.len() > 1 => {
                return Err(FormatError::SeveralRewardModels {
                    path: lines.path().into(),
                    line: Some(header.reward_models_line),
                    names: names.clone(),
                });
            }
            None => Some(0),
            Some(name) if names.is_empty() => {
                name.strip_prefix("rew").and_then(|number| number.parse().ok())
            }
            Some(name) => names.iter().position(|known| known == name),
        };
        let asked = asked.map(String::from);
        match index {
            Some(index) => Ok(Self { index, asked, longest: names.len() }),
            None => Err(no_such(lines, asked.unwrap_or_default(), names.clone())),
        }
    }

    /// The chosen reward of a list in brackets, if the text begins with one, and the rest of the text.
    pub(super) fn reward<'l, R: BufRead>(
        &mut self,
        lines: &Lines<R>,
        text: &'l str,
        header: &Header,
    ) -> Result<(f64, &'l str), FormatError> {
        let Some(inner) = text.strip_prefix('[') else { return Ok((0.0, text)) };
        let Some((list, rest)) = inner.split_once(']') else {
            return Err(lines.syntax("the list of rewards has no end: add ]"));
        };
        let (mut reward, mut length) = (0.0, 0);
        for item in list.split(',') {
            let value = lines.value(item, &header.placeholders)?;
            if length == self.index {
                reward = value;
            }
            length += 1;
        }
        let names = &header.reward_models;
        if !names.is_empty() && length > names.len() {
            return Err(lines.syntax(format!(
                "{length} rewards for {} reward models: name them in @reward_models, or remove some",
                names.len()
            )));
        }
        if self.asked.is_none() && length > 1 && names.is_empty() {
            return Err(FormatError::SeveralRewardModels {
                path: lines.path().into(),
                line: Some(lines.number()),
                names: numbered(length),
            });
        }
        self.longest = self.longest.max(length);
        Ok((reward, rest.trim()))
    }

    /// At the end of the file: the chosen model must have appeared.
    pub(super) fn check<R: BufRead>(&self, lines: &Lines<R>) -> Result<(), FormatError> {
        match &self.asked {
            Some(asked) if self.index >= self.longest => {
                Err(no_such(lines, asked.clone(), numbered(self.longest)))
            }
            _ => Ok(()),
        }
    }
}

fn numbered(length: usize) -> Vec<String> {
    (0..length).map(|index| format!("rew{index}")).collect()
}

fn no_such<R: BufRead>(lines: &Lines<R>, asked: String, names: Vec<String>) -> FormatError {
    FormatError::NoSuchRewardModel { path: lines.path().into(), asked, names }
}

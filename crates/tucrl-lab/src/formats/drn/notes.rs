//! What do the `//@tucrl` comments say?
//!
//! A comment is `//@tucrl`, a word, and a JSON value on the same line. Before `@model` stand
//! `version` (first), `r_max` or `reward_range`, `start` and `action_names`; after the line of a state `name`; after
//! the line of an action `reward`, one law, or `rewards`, one law per transition line that
//! follows. Unknown words are errors, so that a typing mistake does not lose a reward law.

use std::io::BufRead;

use serde::de::DeserializeOwned;
use tucrl::reward::RewardRange;

use super::super::FormatError;
use super::super::law::{Start, complaint};
use super::super::lines::{Lines, MARK};

/// Values of the comments before `@model`.
#[derive(Default)]
pub(super) struct Notes {
    pub(super) version_seen: bool,
    // Each with the line that gives it.
    pub(super) range: Option<(usize, RewardRange)>,
    pub(super) start: Option<(usize, Vec<(usize, f64)>)>,
    pub(super) action_names: Option<(usize, Vec<String>)>,
}

/// The word of a `//@tucrl` comment and the rest of it; `None` for other comments.
pub(super) fn split(comment: &str) -> Option<(&str, &str)> {
    let rest = comment.strip_prefix(MARK)?;
    if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
        return None;
    }
    let rest = rest.trim();
    Some(rest.split_once(char::is_whitespace).unwrap_or((rest, "")))
}

/// The JSON value of a comment.
pub(super) fn value<T: DeserializeOwned, R: BufRead>(
    lines: &Lines<R>,
    word: &str,
    json: &str,
) -> Result<T, FormatError> {
    serde_json::from_str(json).map_err(|error| {
        lines.syntax(format!("bad value after {MARK} {word}: {}", complaint(&error)))
    })
}

impl Notes {
    /// Reads a comment that stands before `@model`.
    pub(super) fn take<R: BufRead>(&mut self, lines: &Lines<R>) -> Result<(), FormatError> {
        let Some((word, json)) = split(lines.text().trim_start()) else { return Ok(()) };
        let is_repeated = match word {
            "version" => self.version_seen,
            "r_max" | "reward_range" => self.range.is_some(),
            "start" => self.start.is_some(),
            "action_names" => self.action_names.is_some(),
            _ => {
                return Err(lines.syntax(format!(
                    "{MARK} {word:?} is unknown before @model: known are version, r_max, \
                     reward_range, start, action_names"
                )));
            }
        };
        if is_repeated {
            let word = if word == "reward_range" { "r_max or reward_range" } else { word };
            return Err(lines.syntax(format!("{MARK} {word} comes twice: keep one")));
        }
        if word == "version" {
            if json != super::VERSION {
                return Err(FormatError::UnknownVersion {
                    path: lines.path().into(),
                    line: lines.number(),
                    what: MARK,
                    found: json.into(),
                });
            }
            self.version_seen = true;
            return Ok(());
        }
        if !self.version_seen {
            return Err(lines
                .syntax(format!("{MARK} {word} before the version: begin with {MARK} version 1")));
        }
        let line = lines.number();
        match word {
            "r_max" => {
                self.range = Some((line, RewardRange::up_to(value(lines, word, json)?)));
            }
            "reward_range" => self.range = Some((line, value(lines, word, json)?)),
            "start" => {
                let start: Start = value(lines, word, json)?;
                self.start = Some((line, start.0));
            }
            _ => self.action_names = Some((line, value(lines, word, json)?)),
        }
        Ok(())
    }
}

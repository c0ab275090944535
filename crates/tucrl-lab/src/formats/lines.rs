//! How are the lines of a text file, DRN or PRISM's, and the numbers on them read?
//!
//! Lines end with a line feed, with or without a carriage return before it. Numbers are decimals,
//! fractions such as `1/3`, or placeholders such as `$0` that the header has defined. Lines have a largest length, so
//! that a file without line ends is not read whole.

use std::collections::HashMap;
use std::io::{BufRead, Read};
use std::path::Path;

use tucrl::pulse::Pulse;

use super::FormatError;
use crate::text::bytes;

/// How a comment begins that only tucrl understands.
pub(super) const MARK: &str = "//@tucrl";

/// Bytes of a line, at most: labels and rewards of one state or action.
const LONGEST: u64 = 1 << 20;
/// The same for a `//@tucrl` comment, whose start law may name every state.
const LONGEST_NOTE: u64 = 1 << 30;

/// The lines of a file, one at a time.
pub(super) struct Lines<'a, R> {
    input: R,
    path: &'a Path,
    number: usize,
    text: String,
    held: bool,
}

impl<'a, R: BufRead> Lines<'a, R> {
    /// Before the first line.
    pub(super) fn new(input: R, path: &'a Path) -> Self {
        Self { input, path, number: 0, text: String::new(), held: false }
    }

    /// Goes to the next line; false at the end of the file, and where the caller wants to stop: the builder then refuses.
    pub(super) fn advance(&mut self) -> Result<bool, FormatError> {
        if std::mem::take(&mut self.held) {
            return Ok(true);
        }
        if Pulse::is_stopped() {
            return Ok(false);
        }
        let mut line = std::mem::take(&mut self.text).into_bytes();
        line.clear();
        let mut read = |line: &mut Vec<u8>, most: u64| {
            let length = (&mut self.input).take(most).read_until(b'\n', line);
            length.map_err(|source| FormatError::io(self.path, source))
        };
        if read(&mut line, LONGEST)? == 0 {
            return Ok(false);
        }
        self.number += 1;
        let is_cut = |line: &[u8], most: u64| line.len() as u64 == most && !line.ends_with(b"\n");
        if is_cut(&line, LONGEST) {
            let is_note = line.trim_ascii_start().starts_with(MARK.as_bytes());
            let most = if is_note { LONGEST_NOTE } else { LONGEST };
            if is_note {
                read(&mut line, LONGEST_NOTE - LONGEST)?;
            }
            if is_cut(&line, most) {
                let most = bytes(most);
                return Err(self.syntax(format!(
                    "the line has {most} and more, which no line needs: check that this is a model file"
                )));
            }
        }
        self.text = String::from_utf8(line)
            .map_err(|_| FormatError::NotUtf8 { path: self.path.into(), line: self.number })?;
        let end = self.text.trim_end_matches(['\n', '\r']).len();
        self.text.truncate(end);
        Ok(true)
    }

    /// Makes the next `advance` stay on this line.
    pub(super) fn hold(&mut self) {
        self.held = true;
    }

    /// The current line.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The number of the current line, from 1; the last one after the end.
    pub(super) fn number(&self) -> usize {
        self.number.max(1)
    }

    /// The file.
    pub(super) fn path(&self) -> &'a Path {
        self.path
    }

    /// The current line is malformed.
    pub(super) fn syntax(&self, what: impl Into<String>) -> FormatError {
        self.syntax_at(self.number(), what)
    }

    /// A given line is malformed.
    pub(super) fn syntax_at(&self, line: usize, what: impl Into<String>) -> FormatError {
        FormatError::Syntax { path: self.path.into(), line, column: None, what: what.into() }
    }

    /// The current line contains an unsupported kind of model.
    pub(super) fn unsupported(&self, kind: impl Into<String>) -> FormatError {
        let (path, line) = (self.path.into(), self.number());
        FormatError::UnsupportedModel { path, line, kind: kind.into() }
    }

    /// A `//@tucrl` comment contradicts the model.
    pub(super) fn contradiction(&self, line: usize, what: impl Into<String>) -> FormatError {
        FormatError::Contradiction { path: self.path.into(), line, what: what.into() }
    }

    /// A finite number on the current line.
    pub(super) fn value(
        &self,
        text: &str,
        placeholders: &HashMap<String, f64>,
    ) -> Result<f64, FormatError> {
        let text = text.trim();
        if let Some(name) = text.strip_prefix('$') {
            return placeholders.get(name).copied().ok_or_else(|| {
                self.syntax(format!("placeholder ${name} is unknown: define it in @placeholders"))
            });
        }
        if text.starts_with(['[', '(']) {
            return Err(self.unsupported("interval"));
        }
        let number = match text.split_once('/') {
            Some((_, bottom)) if bottom.trim_start().starts_with('-') => None,
            Some((top, bottom)) => decimal(top).zip(decimal(bottom)).map(|(a, b)| a / b),
            None => decimal(text),
        };
        // Adding 0 turns -0 into 0.
        number.filter(|number| number.is_finite()).map(|number| number + 0.0).ok_or_else(|| {
            self.syntax(format!("{text:?} is not a finite number: write 0.5, 1e-3 or 1/3"))
        })
    }

    /// A count or the number of a state on the current line.
    pub(super) fn count(&self, text: &str, what: &str) -> Result<usize, FormatError> {
        let text = text.trim();
        // Rust would also read a sign.
        let count = text.parse().ok().filter(|_| text.starts_with(|c: char| c.is_ascii_digit()));
        count.ok_or_else(|| self.syntax(format!("{text:?} is not {what}: write a whole number")))
    }
}

/// A decimal without words, which Rust would read (`inf`, `nan`), and without a plus sign before it.
fn decimal(text: &str) -> Option<f64> {
    let text = text.trim();
    let is_decimal = |c: char| c.is_ascii_digit() || ".eE+-".contains(c);
    let number: f64 = text.parse().ok().filter(|_| text.chars().all(is_decimal))?;
    (!text.starts_with('+') && number.is_finite()).then_some(number)
}

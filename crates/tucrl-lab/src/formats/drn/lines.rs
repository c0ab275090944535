//! How are the lines of a DRN file and the numbers on them read?
//!
//! Lines end with a line feed, with or without a carriage return before it. Numbers are decimals,
//! fractions such as `1/3`, or placeholders such as `$0` that the header has defined.

use std::collections::HashMap;
use std::io::BufRead;
use std::path::Path;

use super::super::FormatError;

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

    /// Goes to the next line; false at the end of the file.
    pub(super) fn advance(&mut self) -> Result<bool, FormatError> {
        if std::mem::take(&mut self.held) {
            return Ok(true);
        }
        let mut bytes = std::mem::take(&mut self.text).into_bytes();
        bytes.clear();
        let length = self.input.read_until(b'\n', &mut bytes);
        if length.map_err(|source| FormatError::io(self.path, source))? == 0 {
            return Ok(false);
        }
        self.number += 1;
        self.text = String::from_utf8(bytes)
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
            Some((top, bottom)) => decimal(top).zip(decimal(bottom)).map(|(a, b)| a / b),
            None => decimal(text),
        };
        number.filter(|number| number.is_finite()).ok_or_else(|| {
            self.syntax(format!("{text:?} is not a finite number: write 0.5, 1e-3 or 1/3"))
        })
    }

    /// A count or the number of a state on the current line.
    pub(super) fn count(&self, text: &str, what: &str) -> Result<usize, FormatError> {
        text.trim().parse().map_err(|_| {
            self.syntax(format!("{:?} is not {what}: write a whole number", text.trim()))
        })
    }
}

fn decimal(text: &str) -> Option<f64> {
    text.trim().parse().ok()
}

//! What may stand after the equals sign?
//!
//! A number (`0.25`, `1e6`, `1/3`), an integer (`1000`, `1e6`) or one of a few words. Ranges belong
//! to the worlds, which check them anyway; here they are only described.

use std::fmt;

use super::{Problem, nearest};

/// The kind of value that a key takes, with a description of the accepted ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accepts {
    /// A finite number, described by its range.
    Number(&'static str),
    /// An integer of at least 0, described by its range.
    Integer(&'static str),
    /// One of these words.
    OneOf(&'static [&'static str]),
}

/// `true` or `false`.
pub(crate) const FLAG: Accepts = Accepts::OneOf(&["true", "false"]);

/// One value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// A finite number.
    Number(f64),
    /// An integer of at least 0.
    Integer(u64),
    /// One of the words that the key accepts.
    Word(&'static str),
}

impl Accepts {
    /// Reads the value of a key.
    pub(super) fn read(self, key: &'static str, text: &str) -> Result<Value, Problem> {
        let wrong =
            |what| Problem::WrongKind { key, value: text.into(), what, accepted: self.to_string() };
        match self {
            Self::Number(_) => number(text).map(Value::Number).ok_or_else(|| wrong("a number")),
            Self::Integer(_) => {
                integer(text).map(Value::Integer).ok_or_else(|| wrong("an integer"))
            }
            Self::OneOf(words) => match words.iter().find(|word| **word == text) {
                Some(word) => Ok(Value::Word(word)),
                None => Err(Problem::NotAccepted {
                    key,
                    value: text.into(),
                    nearest: nearest(text, words.iter().copied()).map(Into::into),
                    accepted: self.to_string(),
                }),
            },
        }
    }
}

/// A finite decimal, or a fraction of two.
fn number(text: &str) -> Option<f64> {
    let finite = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    let number = match text.split_once('/') {
        Some((above, below)) => finite(above)? / finite(below)?,
        None => finite(text)?,
    };
    // Adding 0 turns -0 into 0, so that equal values look equal.
    number.is_finite().then_some(number + 0.0)
}

/// An integer, possibly written as `1e6`; beyond 2^53 only digits are exact.
fn integer(text: &str) -> Option<u64> {
    text.parse().ok().or_else(|| {
        let number = number(text).filter(|number| number.fract() == 0.0)?;
        (0.0..=9_007_199_254_740_992.0).contains(&number).then_some(number as u64)
    })
}

impl fmt::Display for Accepts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(range) | Self::Integer(range) => f.write_str(range),
            Self::OneOf([]) => Ok(()),
            Self::OneOf([only]) => f.write_str(only),
            Self::OneOf([first @ .., last]) => write!(f, "{} or {last}", first.join(", ")),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Either way the shortest digits that give the same number back.
            Self::Number(number) if *number != 0.0 && !(1e-5..1e16).contains(&number.abs()) => {
                write!(f, "{number:e}")
            }
            Self::Number(number) => write!(f, "{number}"),
            Self::Integer(integer) => write!(f, "{integer}"),
            Self::Word(word) => f.write_str(word),
        }
    }
}

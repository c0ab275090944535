//! What may stand after the equals sign?
//!
//! A number (`0.25`, `1e6`, `1/3`), an integer (`1000`, `1e6`), one of a few words, a number or a
//! word, or another spec. Ranges belong to the worlds and agents, which check them anyway; here they are only described.

use std::fmt;

use serde::{Serialize, Serializer};

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
    /// A finite number, described by its range, or one of these words.
    NumberOr(&'static str, &'static [&'static str]),
    /// Another spec, described in words; in parentheses when it has keys.
    Spec(&'static str),
}

/// `true` or `false`.
pub(crate) const FLAG: Accepts = Accepts::OneOf(&["true", "false"]);

/// One value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A finite number.
    Number(f64),
    /// An integer of at least 0.
    Integer(u64),
    /// One of the words that the key accepts.
    Word(&'static str),
    /// A spec, without its parentheses.
    Spec(String),
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
            Self::Spec(_) => Ok(Value::Spec(text.into())),
            Self::OneOf(words) | Self::NumberOr(_, words) => {
                if let Some(word) = words.iter().find(|word| **word == text) {
                    return Ok(Value::Word(word));
                }
                let nearest = nearest(text, words.iter().copied()).map(Into::into);
                if let Self::NumberOr(..) = self {
                    match number(text) {
                        Some(number) => return Ok(Value::Number(number)),
                        None if nearest.is_none() => return Err(wrong("a number")),
                        None => {}
                    }
                }
                let (value, accepted) = (text.into(), self.to_string());
                Err(Problem::NotAccepted { key, value, nearest, accepted })
            }
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

/// Reads an integer, possibly written as `1e6`; beyond 2^53 only digits are exact.
pub fn integer(text: &str) -> Option<u64> {
    text.parse().ok().or_else(|| {
        let number = number(text).filter(|number| number.fract() == 0.0)?;
        (0.0..=9_007_199_254_740_992.0).contains(&number).then_some(number as u64)
    })
}

impl Serialize for Accepts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for Accepts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(range) | Self::Integer(range) | Self::Spec(range) => f.write_str(range),
            Self::OneOf([]) => Ok(()),
            Self::OneOf([only]) => f.write_str(only),
            Self::OneOf([first @ .., last]) => write!(f, "{} or {last}", first.join(", ")),
            Self::NumberOr(range, words) => write!(f, "{range}, or {}", Self::OneOf(words)),
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
            // A point may be that of `.json`, which at the end of a text makes it the name of a file.
            Self::Spec(spec) if spec.contains([':', ',', '=', '.']) => write!(f, "({spec})"),
            Self::Spec(spec) => f.write_str(spec),
        }
    }
}

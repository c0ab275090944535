//! What may stand after the equals sign?
//!
//! A number (`0.25`, `1e6`, `1/3`), an integer (`1000`, `1e6`), a word, or another spec. Ranges are checked where
//! the algorithm or the world is made.

use serde_json::Value;
use tucrl::options::OptionInfo;

use super::{Problem, nearest};
use crate::text::exact;

/// Reads the value of an option.
pub(super) fn read(option: &OptionInfo, text: &str) -> Result<Value, Problem> {
    let (accepts, key) = (&option.accepts, option.key.clone());
    let words = accepts.all_words();
    let accepted = accepts.to_string();
    if accepts.specs {
        return Ok(Value::String(text.into()));
    }
    if words.contains(&text) {
        return Ok(match text {
            "true" if accepts.flags => Value::Bool(true),
            "false" if accepts.flags => Value::Bool(false),
            word => Value::String(word.into()),
        });
    }
    let value = text.to_owned();
    let number = match (accepts.numbers, accepts.integers) {
        (true, _) => Some(("a number", number(text).and_then(as_json))),
        (false, true) => Some(("an integer", integer(text).map(Value::from))),
        (false, false) => None,
    };
    let nearest = nearest(text, words.iter().copied()).map(Into::into);
    match number {
        Some((_, Some(number))) => Ok(number),
        Some((what, None)) if nearest.is_none() => {
            Err(Problem::WrongKind { key, value, what, accepted })
        }
        _ => Err(Problem::NotAccepted { key, value, nearest, accepted }),
    }
}

fn as_json(number: f64) -> Option<Value> {
    serde_json::Number::from_f64(number).map(Value::Number)
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

/// A value as it stands in a spec.
pub fn shown(value: &Value, is_spec: bool) -> String {
    match value {
        Value::Number(number) => match (number.as_u64(), number.as_f64()) {
            (Some(integer), _) => integer.to_string(),
            (None, Some(number)) => exact(number),
            (None, None) => number.to_string(),
        },
        // A point may be that of `.json`, which at the end of a text makes it the name of a file.
        Value::String(spec) if is_spec && spec.contains([':', ',', '=', '.']) => {
            format!("({spec})")
        }
        Value::String(word) => word.clone(),
        other => other.to_string(),
    }
}

//! What may stand after the equals sign?
//!
//! A number (`0.25`, `1e6`, `1/3`, `10k`), an integer (`1000`, `1e6`, `1_000`, `10k`), a word, or another spec. Ranges are checked where
//! the algorithm or the world is made.

use serde_json::Value;
use tucrl::options::OptionInfo;

use super::{Problem, nearest};
use crate::text::exact;

/// Reads the value of an option.
pub(super) fn read(option: &OptionInfo, text: &str) -> Result<Value, Box<Problem>> {
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
        (true, _) if accepts.text => {
            // An integer stays one: it may be the size of something in Python.
            let integer = text.parse::<i64>().ok().map(Value::from);
            Some(("a number", integer.or_else(|| number(text).and_then(as_json))))
        }
        (true, _) => Some(("a number", number(text).or_else(|| large(text)).and_then(as_json))),
        (false, true) => Some(("an integer", integer(text).map(Value::from))),
        (false, false) => None,
    };
    let nearest = nearest(text, words.iter().copied()).map(Into::into);
    match number {
        Some((_, Some(number))) => Ok(number),
        _ if accepts.text || accepts.data => Ok(Value::String(value)),
        Some((what, None)) if nearest.is_none() => {
            Err(Box::new(Problem::WrongKind { key, value, what, accepted }))
        }
        _ => Err(Box::new(Problem::NotAccepted { key, value, nearest, accepted })),
    }
}

fn as_json(number: f64) -> Option<Value> {
    serde_json::Number::from_f64(number).map(Value::Number)
}

fn finite(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

/// A finite decimal, or a fraction of two.
fn number(text: &str) -> Option<f64> {
    let number = match text.split_once('/') {
        Some((above, below)) => finite(above)? / finite(below)?,
        None => finite(text)?,
    };
    // Adding 0 turns -0 into 0, so that equal values look equal.
    number.is_finite().then_some(number + 0.0)
}

/// A large number with a unit or with underscores, such as `10k`.
fn large(text: &str) -> Option<f64> {
    integer(text).map(|integer| integer as f64)
}

/// Reads an integer as people type it: `1000000`, `1_000_000`, `1e6`, `1000k`, `1M`, `0.001G`. Beyond 2^53 only
/// digits are exact.
///
/// ```
/// use tucrl_lab::names::integer;
/// let texts = ["1000000", "1_000_000", "1e6", "1000k", "1M", "0.001G"];
/// assert!(texts.iter().all(|text| integer(text) == Some(1_000_000)));
/// assert!(["", "k", "-5", "1.5", "1_", "_1", "1__0", "10m", "1e6k"].iter().all(|text| integer(text).is_none()));
/// ```
pub fn integer(text: &str) -> Option<u64> {
    let digits = ungrouped(text)?;
    if let Ok(integer) = digits.parse() {
        return Some(integer);
    }
    let unit = |letter| match letter {
        'k' | 'K' => Some(1e3),
        'M' => Some(1e6),
        'G' => Some(1e9),
        _ => None,
    };
    let scaled = digits.chars().next_back().and_then(unit).and_then(|unit| {
        let number = &digits[..digits.len() - 1];
        // A unit stands after a plain decimal: `1e6k` is a slip.
        let is_plain = number.chars().all(|c| c.is_ascii_digit() || c == '.');
        // Rounded, because 1.001 times 1000 is not an integer in binary.
        let product = is_plain.then(|| finite(number)).flatten()? * unit;
        let whole = product.round();
        ((product - whole).abs() <= 1e-9 * whole).then_some(whole)
    });
    let number = scaled.or_else(|| number(&digits)).filter(|number| number.fract() == 0.0)?;
    (0.0..=9_007_199_254_740_992.0).contains(&number).then_some(number as u64)
}

/// The text without underscores between digits; none if one stands elsewhere.
fn ungrouped(text: &str) -> Option<String> {
    let is_digit = |piece: Option<char>| piece.is_some_and(|c| c.is_ascii_digit());
    let pieces: Vec<&str> = text.split('_').collect();
    let is_between_digits =
        |pair: &[&str]| is_digit(pair[0].chars().next_back()) && is_digit(pair[1].chars().next());
    pieces.windows(2).all(is_between_digits).then(|| pieces.concat())
}

/// A value as it stands in a spec.
pub fn shown(value: &Value, is_spec: bool) -> String {
    match value {
        Value::Number(number) => match (number.as_u64(), number.as_f64()) {
            (Some(integer), _) => integer.to_string(),
            (None, _) if number.is_i64() => number.to_string(),
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

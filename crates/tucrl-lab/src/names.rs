//! How is a world or an agent named in one word?
//!
//! By a compact spec, `name:key=value,key=value`, as in `three-state:delta=0.005`. A value that is itself a
//! spec with keys stands in parentheses: `junk:base=(three-state:delta=0),factor=1e6`. Here is only the
//! grammar: a [`Spec`] is a name and a list of keys and values, each with its place in the text, and
//! [`Spec::bind`] checks them against a table of [`Parameter`]s. Which names exist, and what they
//! build, stands in the tables, so that worlds and agents share one grammar and one set of messages.
//! Every message points at the piece that is wrong and says what would be accepted.
//!
//! Fed by the command line; feeds `catalogue`. The paper does not speak of names.

mod error;
mod value;

use std::fmt;
use std::ops::Range;

use serde::Serialize;

pub use error::{Problem, SpecError};
pub(crate) use value::FLAG;
pub use value::{Accepts, Value, integer};

/// One key that a name accepts.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Parameter {
    /// The key.
    pub key: &'static str,
    /// Other spellings of the key.
    pub aliases: &'static [&'static str],
    /// The value when the key is absent; or an earlier key, whose value is then taken.
    pub default: &'static str,
    /// What may stand after the equals sign.
    pub accepts: Accepts,
    /// What it means, in a few words.
    pub meaning: &'static str,
}

impl Parameter {
    fn answers_to(&self, key: &str) -> bool {
        self.key == key || self.aliases.contains(&key)
    }
}

/// A name with keys and values, as written.
///
/// ```
/// use tucrl_lab::names::Spec;
/// let spec = Spec::parse("taxi:map=v3,junk=false")?;
/// assert_eq!(spec.name(), "taxi");
/// assert_eq!(spec.pairs().collect::<Vec<_>>(), [("map", "v3"), ("junk", "false")]);
/// # Ok::<(), tucrl_lab::names::SpecError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spec {
    text: String,
    name: Range<usize>,
    /// The places of each key and of its value.
    pairs: Vec<(Range<usize>, Range<usize>)>,
}

impl Spec {
    /// Reads a spec; whether its name and keys exist is not asked yet.
    ///
    /// # Errors
    /// When a part is missing.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        let fault = |at, problem| SpecError::new(text, at, problem);
        let (head, tail) = match text.find(':') {
            Some(colon) => (0..colon, Some(colon + 1..text.len())),
            None => (0..text.len(), None),
        };
        let name = trimmed(text, head);
        if name.is_empty() {
            return Err(fault(0..text.len(), Problem::NoName));
        }
        let mut pairs = Vec::new();
        if let Some(tail) = tail {
            if text[tail.clone()].trim().is_empty() {
                return Err(fault(tail.start - 1..tail.start, Problem::NothingAfterColon));
            }
            for whole in pieces(text, tail).map_err(|at| fault(at, Problem::Parentheses))? {
                let piece_at = trimmed(text, whole.clone());
                if piece_at.is_empty() {
                    // Widened to a comma beside it, so that there is something to point at.
                    let at = whole.start.saturating_sub(1)..whole.end.max(whole.start);
                    return Err(fault(at, Problem::EmptyPiece));
                }
                let Some(equals) = text[piece_at.clone()].find('=') else {
                    let key = text[piece_at.clone()].to_string();
                    return Err(fault(piece_at, Problem::NoValue { key }));
                };
                let equals = piece_at.start + equals;
                let key = trimmed(text, piece_at.start..equals);
                let mut value = trimmed(text, equals + 1..piece_at.end);
                if text[value.clone()].starts_with('(') && text[value.clone()].ends_with(')') {
                    value = trimmed(text, value.start + 1..value.end - 1);
                }
                if key.is_empty() {
                    return Err(fault(piece_at, Problem::NoKey));
                }
                if value.is_empty() {
                    let key = text[key].to_string();
                    return Err(fault(piece_at, Problem::NoValue { key }));
                }
                pairs.push((key, value));
            }
        }
        Ok(Self { text: text.into(), name, pairs })
    }

    /// The name before the colon.
    pub fn name(&self) -> &str {
        &self.text[self.name.clone()]
    }

    /// The keys and values, as written.
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.pairs.iter().map(|(key, value)| (&self.text[key.clone()], &self.text[value.clone()]))
    }

    /// The error for a name that no table has.
    pub fn unknown_name<'a>(
        &self,
        what: &'static str,
        names: impl IntoIterator<Item = &'a str>,
    ) -> SpecError {
        let name = self.name().to_string();
        let nearest = nearest(&name, names).map(Into::into);
        self.fault(self.name.clone(), Problem::UnknownName { what, name, nearest })
    }

    /// Checks the keys and values against a table and fills in the defaults.
    ///
    /// # Errors
    /// At the first key that is unknown or repeated, and the first value of the wrong kind.
    ///
    /// # Panics
    /// When a default of the table is not among the values that the table accepts.
    pub fn bind(&self, parameters: &'static [Parameter]) -> Result<Arguments, SpecError> {
        let mut given: Vec<Option<(Value, Range<usize>)>> = vec![None; parameters.len()];
        for (key_at, value_at) in &self.pairs {
            let (key, value) = (&self.text[key_at.clone()], &self.text[value_at.clone()]);
            let Some(index) = parameters.iter().position(|known| known.answers_to(key)) else {
                return Err(self.fault(key_at.clone(), self.unknown_key(key, parameters)));
            };
            let parameter = &parameters[index];
            if given[index].is_some() {
                let problem = Problem::Repeated { key: key.into(), meant: parameter.key };
                return Err(self.fault(key_at.clone(), problem));
            }
            let value = parameter
                .accepts
                .read(parameter.key, value)
                .map_err(|problem| self.fault(value_at.clone(), problem))?;
            given[index] = Some((value, value_at.clone()));
        }
        let defaults = |so_far: &[Value], parameter: &Parameter| {
            let earlier = parameters.iter().position(|other| other.key == parameter.default);
            match earlier.and_then(|index| so_far.get(index)) {
                Some(value) => value.clone(),
                None => match parameter.accepts.read(parameter.key, parameter.default) {
                    Ok(value) => value,
                    Err(problem) => panic!("the default of {} is wrong: {problem}", parameter.key),
                },
            }
        };
        let (mut values, mut places, mut is_default) = (Vec::new(), Vec::new(), Vec::new());
        for (parameter, given) in parameters.iter().zip(given) {
            let default = defaults(&values, parameter);
            let is_same = given.as_ref().is_none_or(|(value, _)| *value == default);
            let (value, place) = given.map_or((default, None), |(value, at)| (value, Some(at)));
            is_default.push(is_same);
            values.push(value);
            places.push(place);
        }
        Ok(Arguments { spec: self.clone(), parameters, values, places, is_default })
    }

    fn unknown_key(&self, key: &str, parameters: &'static [Parameter]) -> Problem {
        let spellings = parameters.iter().flat_map(|p| std::iter::once(&p.key).chain(p.aliases));
        Problem::UnknownKey {
            name: self.name().into(),
            key: key.into(),
            nearest: nearest(key, spellings.copied()).map(Into::into),
            known: parameters.iter().map(|parameter| parameter.key).collect(),
        }
    }

    fn fault(&self, at: Range<usize>, problem: Problem) -> SpecError {
        SpecError::new(&self.text, at, problem)
    }
}

/// A spec whose keys and values fit a table, with the defaults filled in.
///
/// Displayed, it is the spec in its shortest form: the values that are not the defaults, in the
/// order of the table.
#[derive(Debug, Clone)]
pub struct Arguments {
    spec: Spec,
    parameters: &'static [Parameter],
    values: Vec<Value>,
    places: Vec<Option<Range<usize>>>,
    is_default: Vec<bool>,
}

impl Arguments {
    /// The value of a key.
    ///
    /// # Panics
    /// When the table has no such key.
    pub fn value(&self, key: &str) -> Value {
        match self.parameters.iter().position(|parameter| parameter.key == key) {
            Some(index) => self.values[index].clone(),
            None => panic!("{} has no key {key}", self.spec.name()),
        }
    }

    /// The value of a key that accepts a spec.
    ///
    /// # Panics
    /// As [`Self::number`].
    pub fn spec(&self, key: &str) -> String {
        match self.value(key) {
            Value::Spec(spec) => spec,
            other => panic!("{key} is {other:?}, not a spec"),
        }
    }

    /// The specs among the values.
    pub fn specs(&self) -> impl Iterator<Item = &str> {
        self.values.iter().filter_map(|value| match value {
            Value::Spec(spec) => Some(spec.as_str()),
            _ => None,
        })
    }

    /// The same arguments with every spec among the values put into its shortest form.
    ///
    /// # Errors
    /// The first error of `shorten`.
    pub fn shortened<E>(mut self, shorten: impl Fn(&str) -> Result<String, E>) -> Result<Self, E> {
        for (index, parameter) in self.parameters.iter().enumerate() {
            if let Value::Spec(spec) = &self.values[index] {
                let short = shorten(spec)?;
                self.is_default[index] = short == shorten(parameter.default)?;
                self.values[index] = Value::Spec(short);
            }
        }
        Ok(self)
    }

    /// Whether the table has a key.
    pub fn has(&self, key: &str) -> bool {
        self.parameters.iter().any(|parameter| parameter.key == key)
    }

    /// The value of a key that accepts numbers.
    ///
    /// # Panics
    /// When the table has no such key, or it accepts something else; so do the other getters.
    pub fn number(&self, key: &str) -> f64 {
        match self.value(key) {
            Value::Number(number) => number,
            other => panic!("{key} is {other:?}, not a number"),
        }
    }

    /// The value of a key that accepts integers.
    ///
    /// # Panics
    /// As [`Self::number`].
    pub fn integer(&self, key: &str) -> u64 {
        match self.value(key) {
            Value::Integer(integer) => integer,
            other => panic!("{key} is {other:?}, not an integer"),
        }
    }

    /// The value of a key that accepts sizes; what is too large for this machine becomes the
    /// largest size, which no world accepts.
    ///
    /// # Panics
    /// As [`Self::number`].
    pub fn size(&self, key: &str) -> usize {
        usize::try_from(self.integer(key)).unwrap_or(usize::MAX)
    }

    /// The value of a key that accepts certain words.
    ///
    /// # Panics
    /// As [`Self::number`].
    pub fn word(&self, key: &str) -> &'static str {
        match self.value(key) {
            Value::Word(word) => word,
            other => panic!("{key} is {other:?}, not a word"),
        }
    }

    /// The value of a key that accepts numbers and words; a word is turned into a number.
    ///
    /// # Panics
    /// As [`Self::number`].
    pub fn number_or(&self, key: &str, of_word: impl FnOnce(&'static str) -> f64) -> f64 {
        match self.value(key) {
            Value::Word(word) => of_word(word),
            _ => self.number(key),
        }
    }

    /// The error for a value of the right kind that is out of range; points at it if it was written,
    /// or at the value of the key that it follows by default.
    pub fn out_of_range(&self, key: &str, value: &str, expected: &str) -> SpecError {
        self.at_value(key, |name, key| Problem::OutOfRange {
            name,
            key,
            value: value.into(),
            expected: expected.into(),
        })
    }

    /// The error for a value that does not go together with the rest.
    pub fn refused(&self, key: &str, value: &str, reason: &str) -> SpecError {
        self.at_value(key, |name, key| Problem::Refused {
            name,
            key,
            value: value.into(),
            reason: reason.into(),
        })
    }

    fn at_value(&self, key: &str, problem: impl FnOnce(String, String) -> Problem) -> SpecError {
        let position = |key: &str| self.parameters.iter().position(|known| known.answers_to(key));
        let index = position(key).map(|index| match self.places[index] {
            Some(_) => index,
            None => position(self.parameters[index].default).unwrap_or(index),
        });
        let at = index.and_then(|index| self.places[index].clone());
        let key = index.map_or(key, |index| self.parameters[index].key);
        let problem = problem(self.spec.name().into(), key.into());
        self.spec.fault(at.unwrap_or(0..self.spec.text.len()), problem)
    }
}

impl fmt::Display for Arguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.spec.name())?;
        let chosen = (0..self.values.len()).filter(|&index| !self.is_default[index]);
        for (count, index) in chosen.enumerate() {
            let separator = if count == 0 { ':' } else { ',' };
            write!(f, "{separator}{}={}", self.parameters[index].key, self.values[index])?;
        }
        Ok(())
    }
}

/// The candidate that was probably meant, if any is close.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let lower = candidate.to_lowercase();
        let is_beginning =
            |a: &str, b: &str| a.chars().count() >= 3 && b.starts_with(a) && a.len() < b.len();
        let distance = match strsim::damerau_levenshtein(&word, &lower) {
            // Half a name, or a name with something added: "three", "taxi-v3".
            _ if is_beginning(&word, &lower) || is_beginning(&lower, &word) => 1,
            distance => distance,
        };
        let limit = (lower.chars().count() / 3).max(1);
        // A word of one letter is one letter away from every other.
        let is_close = distance <= limit && distance < lower.chars().count();
        if is_close && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// The pieces between commas that stand in no parentheses; or where a parenthesis has no partner.
fn pieces(text: &str, range: Range<usize>) -> Result<Vec<Range<usize>>, Range<usize>> {
    let (mut pieces, mut open, mut from) = (Vec::new(), Vec::new(), range.start);
    for (offset, character) in text[range.clone()].char_indices() {
        let at = range.start + offset;
        match character {
            '(' => open.push(at),
            ')' if open.pop().is_none() => return Err(at..at + 1),
            ',' if open.is_empty() => {
                pieces.push(from..at);
                from = at + 1;
            }
            _ => {}
        }
    }
    if let Some(at) = open.pop() {
        return Err(at..at + 1);
    }
    pieces.push(from..range.end);
    Ok(pieces)
}

/// A range without the blanks at its ends.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let piece = &text[range.clone()];
    let start = range.start + (piece.len() - piece.trim_start().len());
    start..start + piece.trim().len()
}

#[cfg(test)]
mod tests;

//! How is a world or an agent named in one word?
//!
//! By a spec, `name:key=value,key=value`, as in `three-state:delta=0.005`. A value that is itself a
//! spec with keys stands in parentheses: `junk:base=(three-state:delta=0),factor=1e6`. Here is only the
//! grammar: a [`Spec`] is a name and a list of keys and values, each with its place in the text, and
//! [`Spec::bind`] checks them against the options of the name. Worlds and agents share one grammar and one set of
//! messages. Every message points at the piece that is wrong and says what would be accepted.

mod error;
mod value;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde_json::{Map, Value};
use tucrl::options::{Described, OptionError, OptionInfo};

pub use error::{Bound, Problem, SpecError};
pub use value::{integer, shown};

use value::read;

/// Whether a text may be the label of an agent: of one line, and neither empty nor long.
pub(crate) fn is_label(text: &str) -> bool {
    !text.trim().is_empty() && text.len() <= 80 && !text.chars().any(char::is_control)
}

/// The label before a spec, as in `mine=tucrl:alpha=0.05`, and the spec: the label is what precedes an equals sign that
/// stands before the first colon.
///
/// # Errors
/// When it is empty, long, or more than one line.
pub(crate) fn label_and_spec(text: &str) -> Result<(Option<&str>, &str), SpecError> {
    let head = text.find(':').map_or(text, |colon| &text[..colon]);
    let Some(equals) = head.find('=') else { return Ok((None, text)) };
    let (label, spec) = (text[..equals].trim(), &text[equals + 1..]);
    match is_label(label) {
        true => Ok((Some(label), spec)),
        false => Err(SpecError::new(text, 0..equals + 1, Problem::NoLabel { label: label.into() })),
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
    /// The places of each key and of its value; the first may have no key.
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
                    // Whether the name has an option without a key is asked by `bind`.
                    if pairs.is_empty() {
                        pairs.push((piece_at.start..piece_at.start, piece_at));
                        continue;
                    }
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
        if name.contains(',') {
            let names = name.split(',').map(|name| name.trim().into()).collect();
            return self.fault(self.name.clone(), Problem::SeveralNames { what, names });
        }
        let nearest = nearest(&name, names).map(Into::into);
        self.fault(self.name.clone(), Problem::UnknownName { what, name, nearest })
    }

    /// The error of a name that earlier versions had.
    pub fn retired(&self, what: &'static str, instead: &str) -> SpecError {
        let (name, instead) = (self.name().into(), instead.into());
        self.fault(self.name.clone(), Problem::Retired { what, name, instead })
    }

    /// Checks the keys and the kinds of the values against the options of the name.
    ///
    /// # Errors
    /// At the first key that is unknown or repeated, and the first value of the wrong kind.
    pub fn bind(&self, options: &Described) -> Result<Arguments, SpecError> {
        let (described, mut options) = (options, options.list().to_vec());
        let (mut given, mut places) = (Map::new(), vec![None; options.len()]);
        for (key_at, value_at) in &self.pairs {
            let (key, value) = (&self.text[key_at.clone()], &self.text[value_at.clone()]);
            let is_meant = |known: &OptionInfo| match key.is_empty() {
                true => known.is_first,
                false => known.answers_to(key),
            };
            let index = match (options.iter().position(is_meant), described.other(key)) {
                (Some(index), _) => index,
                (None, _) if key.is_empty() => {
                    let problem = Problem::NoValue { key: value.into() };
                    return Err(self.fault(value_at.clone(), problem));
                }
                (None, Some(other)) => {
                    options.push(other);
                    places.push(None);
                    options.len() - 1
                }
                (None, None) => {
                    return Err(self.fault(key_at.clone(), self.unknown_key(key, &options)));
                }
            };
            let option = &options[index];
            if places[index].is_some() {
                let problem = Problem::Repeated { key: key.into(), meant: option.key.clone() };
                return Err(self.fault(key_at.clone(), problem));
            }
            let value =
                read(option, value).map_err(|problem| self.fault(value_at.clone(), *problem))?;
            given.insert(option.key.clone(), value);
            places[index] = Some(value_at.clone());
        }
        Ok(Arguments { spec: self.clone(), options: options.into(), given, places })
    }

    fn unknown_key(&self, key: &str, options: &[OptionInfo]) -> Problem {
        let spellings = options.iter().flat_map(|o| std::iter::once(&o.key).chain(&o.aliases));
        Problem::UnknownKey {
            name: self.name().into(),
            key: key.into(),
            nearest: nearest(key, spellings.map(String::as_str)).map(Into::into),
            known: options.iter().map(|option| option.key.clone()).collect(),
        }
    }

    /// The error of a name that cannot be used for another reason.
    pub fn refused(&self, reason: &dyn fmt::Display) -> SpecError {
        let (name, reason) = (self.name().to_owned(), reason.to_string());
        self.fault(0..self.text.len(), Problem::Unusable { name, reason })
    }

    fn fault(&self, at: Range<usize>, problem: Problem) -> SpecError {
        SpecError::new(&self.text, at, problem)
    }
}

/// A spec whose keys and values fit the options of its name.
///
/// Displayed, it is the spec in its shortest form: the values that are not the defaults, in the order of the
/// options.
#[derive(Debug, Clone)]
pub struct Arguments {
    spec: Spec,
    options: Arc<[OptionInfo]>,
    given: Map<String, Value>,
    /// Where the value of each option stands, if it was given.
    places: Vec<Option<Range<usize>>>,
}

impl Arguments {
    /// The spec as it was written.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// The values that were given.
    pub fn given(&self) -> &Map<String, Value> {
        &self.given
    }

    /// The value of an option: the given one, the one that it inherits, or its default.
    fn value(&self, option: &OptionInfo) -> Value {
        let value = self.given.get(&option.key).unwrap_or(&option.default);
        match self.ancestor(option) {
            Some(other) if *value == option.default => self.value(other),
            _ => value.clone(),
        }
    }

    /// The option that this one inherits from.
    fn ancestor(&self, option: &OptionInfo) -> Option<&OptionInfo> {
        let inherited = option.inherits.as_ref()?;
        self.options.iter().find(|other| other.key == *inherited)
    }

    fn is_default(&self, option: &OptionInfo) -> bool {
        let default = match self.ancestor(option) {
            Some(other) => self.value(other),
            None => option.default.clone(),
        };
        self.value(option) == default
    }

    /// The specs of other worlds among the values.
    pub fn specs(&self) -> Vec<String> {
        let specs = self.options.iter().filter(|option| option.accepts.specs);
        specs.filter_map(|option| self.value(option).as_str().map(Into::into)).collect()
    }

    /// The same arguments with every spec among the given values put into its shortest form.
    ///
    /// # Errors
    /// The first error of `shorten`.
    pub fn shortened<E>(mut self, shorten: impl Fn(&str) -> Result<String, E>) -> Result<Self, E> {
        for option in self.options.iter().filter(|option| option.accepts.specs) {
            if let Some(Value::String(spec)) = self.given.get_mut(&option.key) {
                *spec = shorten(spec)?;
            }
        }
        Ok(self)
    }

    /// The error of an option that was refused; points at its value if it was given, or at the value of the option
    /// that it inherits from.
    pub fn refused(&self, error: &OptionError) -> SpecError {
        let position = |key: &str| self.options.iter().position(|known| known.answers_to(key));
        let index = position(error.option()).map(|index| match &self.places[index] {
            Some(_) => index,
            None => {
                let ancestor = self.ancestor(&self.options[index]);
                ancestor.and_then(|other| position(&other.key)).unwrap_or(index)
            }
        });
        let at = index.and_then(|index| self.places[index].clone());
        let key = index.map_or(error.option(), |index| &self.options[index].key).to_owned();
        let name = self.spec.name().to_owned();
        let problem = match error.clone() {
            OptionError::OutOfRange { value, expected, .. } => {
                Problem::OutOfRange { name, key, value, expected }
            }
            OptionError::Refused { value, reason, .. } => {
                Problem::Refused { name, key, value, reason }
            }
            OptionError::Required { expected, .. } => {
                let option = index.map(|index| &self.options[index]);
                let help = option.map_or("", |option| &option.help);
                // What follows a semicolon is detail.
                let meaning = help.split(';').next().unwrap_or_default().to_owned();
                let is_span = option.is_some_and(|o| o.bounds.as_deref() == Some("span"));
                let bound = if is_span { Bound::Span } else { Bound::Nothing };
                Problem::Required { name, key, meaning, expected, bound: Box::new(bound) }
            }
            other => {
                let (value, reason) = (String::new(), other.to_string());
                Problem::Refused { name, key, value, reason }
            }
        };
        self.spec.fault(at.unwrap_or(0..self.spec.text.len()), problem)
    }

    /// The shortest form under another name, for aliases.
    pub fn shortest(&self, name: &str) -> String {
        let mut text = name.to_owned();
        let chosen = self.options.iter().filter(|option| !self.is_default(option));
        for (count, option) in chosen.enumerate() {
            text.push(if count == 0 { ':' } else { ',' });
            if !(option.is_first && count == 0) {
                text += &format!("{}=", option.key);
            }
            let value = self.value(option);
            let has_marks = value.as_str().is_some_and(|text| text.contains([',', '=']));
            text += &shown(&value, option.accepts.specs || has_marks);
        }
        text
    }
}

impl fmt::Display for Arguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shortest(self.spec.name()))
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
        let limit = (lower.chars().count() / 3).max(1);
        let distance = match word.chars().count().abs_diff(lower.chars().count()) {
            // Half a name, or a name with something added: "three", "taxi-v3".
            _ if is_beginning(&word, &lower) || is_beginning(&lower, &word) => 1,
            // At least as far apart as their lengths; the table of the distance is as large as their product.
            apart if apart > limit => apart,
            _ => strsim::damerau_levenshtein(&word, &lower),
        };
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

//! How does an options type describe itself to help, specs, documents and Python?
//!
//! The options struct is the only source. Field name = key, doc comment = help, `Default` = default, enum
//! variants = accepted words, `#[schemars(extend("minimum" = 0.0))]` (or `exclusiveMinimum`, `maximum`) = range.
//! [`Described::of`] reads all of that off the type's JSON schema. Three extensions exist for fields: `x-aliases`,
//! other spellings of the key, `x-accepts`, a description of the accepted values where the range does not say it, and
//! `x-bounds`, the quantity of the world that a required option bounds from above. `x-data` stands in the schema of a type: its
//! values may be lists, and where specs are read the name of a file is replaced by its content. A type that keeps unknown keys, by a
//! flattened map, is open: it takes any further key with a number, a word or a flag.
//!
//! Option types for values that are not plain: [`NumberOr`] and [`IntegerOr`] (a number or a word), among them
//! [`Inherited`] (from the option `alpha`) and [`FromWorld`]; [`Required`] (no default); [`Spec`] (another world); [`Text`] (any text) and
//! [`First`] (any text, whose key may be left out where it comes first).

mod types;

use std::fmt;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use thiserror::Error;

pub use types::{
    Alpha, First, FromWorld, Infinite, Inherited, IntegerOr, Nominal, NumberOr, OfWorld, Required,
    Spec, Text, Theory,
};
pub(crate) use types::{explained, word};

/// What an options type must be able to do; implemented for every type that can.
pub trait Options:
    Serialize + DeserializeOwned + JsonSchema + Default + Clone + fmt::Debug + Send + Sync + 'static
{
}

impl<T> Options for T where
    T: Serialize
        + DeserializeOwned
        + JsonSchema
        + Default
        + Clone
        + fmt::Debug
        + Send
        + Sync
        + 'static
{
}

/// One option.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OptionInfo {
    /// The key.
    pub key: String,
    /// Other spellings of the key.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// The value when the key is absent; null for a required option.
    pub default: Value,
    /// Whether a value must be given; see [`Required`].
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_required: bool,
    /// The option whose value this one has when the key is absent; see [`Inherited`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inherits: Option<String>,
    /// The quantity of the world that it bounds from above, such as `span`; the extension `x-bounds`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<String>,
    /// Whether its key may be left out where it comes first; see [`First`].
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_first: bool,
    /// The accepted values.
    pub accepts: Accepts,
    /// What it means.
    pub help: String,
}

impl OptionInfo {
    /// Whether this is the key or one of its aliases.
    pub fn answers_to(&self, key: &str) -> bool {
        self.key == key || self.aliases.iter().any(|alias| alias == key)
    }
}

/// One accepted word.
#[derive(Debug, Clone, PartialEq)]
pub struct Word {
    /// The word.
    pub word: String,
    /// What it means; may be empty.
    pub help: String,
}

/// Which values an option accepts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Accepts {
    /// Finite numbers.
    pub numbers: bool,
    /// Integers of at least 0.
    pub integers: bool,
    /// `true` and `false`.
    pub flags: bool,
    /// These words.
    pub words: Vec<Word>,
    /// Specs of worlds.
    pub specs: bool,
    /// Any text.
    pub text: bool,
    /// A list, or the name of a file that has it; the extension `x-data`. The library reads no files.
    pub data: bool,
    /// The smallest accepted number.
    pub minimum: Option<f64>,
    /// A bound that accepted numbers exceed.
    pub above: Option<f64>,
    /// The largest accepted number.
    pub maximum: Option<f64>,
    /// A description of the accepted numbers that replaces the one made from the range.
    pub described: Option<String>,
}

impl Accepts {
    /// Whether a value has an accepted type and lies in the range.
    pub fn admits(&self, value: &Value) -> bool {
        let in_range = |number: f64| {
            self.minimum.is_none_or(|least| number >= least)
                && self.above.is_none_or(|bound| number > bound)
                && self.maximum.is_none_or(|most| number <= most)
        };
        match value {
            Value::Number(number) if self.integers && !self.numbers => {
                number.as_u64().is_some_and(|integer| in_range(integer as f64))
            }
            Value::Number(number) if self.numbers => number.as_f64().is_some_and(in_range),
            Value::Bool(_) => self.flags,
            Value::String(text) => {
                let is_free = self.specs || self.text || self.data;
                is_free || self.words.iter().any(|word| word.word == *text)
            }
            Value::Array(_) => self.data,
            _ => false,
        }
    }

    /// The accepted words, `true` and `false` included.
    pub fn all_words(&self) -> Vec<&str> {
        let flags: &[&str] = if self.flags { &["true", "false"] } else { &[] };
        let words = self.words.iter().map(|word| word.word.as_str());
        flags.iter().copied().chain(words).collect()
    }

    /// Numbers, flags and any text: the values of keys that a type does not know.
    fn anything() -> Self {
        Self { numbers: true, flags: true, text: true, ..Self::default() }
    }

    fn numbers_in_words(&self) -> Option<String> {
        if let Some(described) = &self.described {
            return Some(described.clone());
        }
        let noun = match (self.numbers, self.integers) {
            (true, _) => "number",
            (false, true) => "integer",
            (false, false) => return None,
        };
        let article = if noun == "integer" { "an" } else { "a" };
        Some(match (self.minimum, self.above, self.maximum) {
            (Some(low), _, Some(high)) => format!("{article} {noun} in [{low}, {high}]"),
            (_, Some(low), Some(high)) => format!("{article} {noun} in ({low}, {high}]"),
            (Some(low), _, None) => format!("{article} {noun} of at least {low}"),
            (_, Some(0.0), None) => format!("a positive {noun}"),
            (_, Some(low), None) => format!("{article} {noun} above {low}"),
            (None, None, Some(high)) => format!("{article} {noun} of at most {high}"),
            (None, None, None) => format!("{article} {noun}"),
        })
    }
}

impl fmt::Display for Accepts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = self.all_words();
        words.extend(self.data.then_some("a file"));
        let words = match words.as_slice() {
            [] => None,
            [only] => Some((*only).to_string()),
            [first @ .., last] => Some(format!("{} or {last}", first.join(", "))),
        };
        match (self.numbers_in_words(), words) {
            (Some(numbers), Some(words)) => write!(f, "{numbers}, or {words}"),
            (Some(only), None) | (None, Some(only)) => f.write_str(&only),
            (None, None) if self.text => f.write_str("a text"),
            (None, None) => Ok(()),
        }
    }
}

impl Serialize for Accepts {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A value that an options type refuses.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum OptionError {
    /// A value outside its range or of another type.
    #[error("{option} = {value} is out of range: it accepts {expected}")]
    OutOfRange {
        /// The option.
        option: String,
        /// Its value.
        value: String,
        /// What is accepted.
        expected: String,
    },
    /// Two options that do not go together.
    #[error("{option} = {value} is refused: {reason}")]
    Refused {
        /// The option.
        option: String,
        /// Its value.
        value: String,
        /// Why, and what to choose.
        reason: String,
    },
    /// An option that the name does not have.
    #[error("there is no option {option}: it must be one of {}", known.join(", "))]
    Unknown {
        /// The option.
        option: String,
        /// The options that there are.
        known: Vec<String>,
    },
    /// Values that do not fit the options type.
    #[error("the options could not be read: {reason}")]
    Unreadable {
        /// What did not fit.
        reason: String,
    },
    /// A required option without a value.
    #[error("{option} has no value: it accepts {expected}")]
    Required {
        /// The option.
        option: String,
        /// What is accepted.
        expected: String,
    },
}

impl OptionError {
    /// A value outside its range.
    pub fn out_of_range(option: &str, value: impl fmt::Display, expected: &str) -> Self {
        let (option, value, expected) = (option.into(), value.to_string(), expected.into());
        Self::OutOfRange { option, value, expected }
    }

    /// Two options that do not go together.
    pub fn refused(option: &str, value: &str, reason: &str) -> Self {
        Self::Refused { option: option.into(), value: value.into(), reason: reason.into() }
    }

    /// The option that is at fault.
    pub fn option(&self) -> &str {
        match self {
            Self::OutOfRange { option, .. }
            | Self::Refused { option, .. }
            | Self::Unknown { option, .. }
            | Self::Required { option, .. } => option,
            Self::Unreadable { .. } => "",
        }
    }
}

/// The options of a name, in the order of the fields.
///
/// A name may narrow its type: an option can be fixed, which hides it, or have another default.
///
/// ```
/// use schemars::JsonSchema;
/// use serde::{Deserialize, Serialize};
/// use tucrl::options::Described;
///
/// #[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
/// struct Walk {
///     /// The probability of slipping.
///     #[schemars(range(min = 0.0, max = 1.0))]
///     slip: f64,
/// }
/// impl Default for Walk {
///     fn default() -> Self {
///         Self { slip: 0.25 }
///     }
/// }
///
/// let options = Described::of::<Walk>();
/// let slip = &options.list()[0];
/// assert_eq!((slip.key.as_str(), slip.help.as_str()), ("slip", "The probability of slipping."));
/// assert_eq!((slip.accepts.to_string(), slip.default.as_f64()), ("a number in [0, 1]".into(), Some(0.25)));
/// ```
#[derive(Debug, Clone)]
pub struct Described {
    list: Vec<OptionInfo>,
    /// Values of options that are not listed.
    hidden: Map<String, Value>,
    is_open: bool,
}

impl Described {
    /// What a type says about its options.
    pub fn of<T: Options>() -> Self {
        Self::from_default(&T::default())
    }

    /// The same with other defaults.
    pub fn from_default<T: Options>(default: &T) -> Self {
        let settings = SchemaSettings::draft2020_12().with(|s| s.inline_subschemas = true);
        let schema = settings.into_generator().into_root_schema_for::<T>();
        // A struct whose fields are numbers, words and flags always becomes a JSON object.
        let defaults = match serde_json::to_value(default) {
            Ok(Value::Object(map)) => map,
            _ => Map::new(),
        };
        let empty = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
        let list = properties.iter().map(|(key, schema)| info(key, schema, &defaults)).collect();
        let is_open = schema.get("additionalProperties").and_then(Value::as_bool).unwrap_or(false);
        Self { list, hidden: Map::new(), is_open }
    }

    /// The option that an unknown key is, where any key may be given.
    pub fn other(&self, key: &str) -> Option<OptionInfo> {
        let accepts = Accepts::anything();
        let other = |key: &str| OptionInfo { accepts, ..info(key, &Value::Null, &Map::new()) };
        self.is_open.then(|| other(key))
    }

    /// The same with an option that has one value and is not listed.
    ///
    /// # Panics
    /// When there is no such option.
    #[must_use]
    pub fn fixed(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.expect(key);
        self.list.retain(|option| option.key != key);
        self.hidden.insert(key.into(), value.into());
        self
    }

    /// The same without options that have no effect; they keep their defaults.
    ///
    /// # Panics
    /// When there is no such option.
    #[must_use]
    pub fn without(mut self, keys: &[&str]) -> Self {
        keys.iter().for_each(|key| self.expect(key));
        for option in std::mem::take(&mut self.list) {
            match keys.contains(&option.key.as_str()) {
                true => drop(self.hidden.insert(option.key, option.default)),
                false => self.list.push(option),
            }
        }
        self
    }

    /// The same with another default.
    ///
    /// # Panics
    /// When there is no such option.
    #[must_use]
    pub fn default(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.expect(key);
        let value = value.into();
        for option in self.list.iter_mut().filter(|option| option.key == key) {
            option.default = value.clone();
        }
        self
    }

    fn expect(&self, key: &str) {
        assert!(self.list.iter().any(|option| option.key == key), "there is no option {key}");
    }

    /// The options that can be given.
    pub fn list(&self) -> &[OptionInfo] {
        &self.list
    }

    /// All values, hidden ones included, for the given ones; the order is that of the list.
    ///
    /// # Errors
    /// When a key is unknown, a given value is not accepted, or a required one is missing.
    pub fn complete(&self, given: &Map<String, Value>) -> Result<Map<String, Value>, OptionError> {
        let mut all = Map::new();
        let is_known = |key: &str| self.list.iter().any(|option| option.key == key);
        if let Some(key) = given.keys().find(|key| !self.is_open && !is_known(key)) {
            let known = self.list.iter().map(|option| option.key.clone()).collect();
            return Err(OptionError::Unknown { option: key.clone(), known });
        }
        for option in &self.list {
            let value = given.get(&option.key).unwrap_or(&option.default);
            check(option, value)?;
            all.insert(option.key.clone(), value.clone());
        }
        for (key, value) in given.iter().filter(|(key, _)| !is_known(key)) {
            if let Some(option) = self.other(key) {
                check(&option, value)?;
                all.insert(key.clone(), value.clone());
            }
        }
        all.extend(self.hidden.clone());
        Ok(all)
    }
}

/// Reads an options value from a complete set of values.
///
/// # Errors
/// When a value does not fit its field.
pub fn read<T: Options>(all: Map<String, Value>) -> Result<T, OptionError> {
    serde_json::from_value(Value::Object(all))
        .map_err(|error| OptionError::Unreadable { reason: error.to_string() })
}

/// Checks that every value of an options type lies in its range.
///
/// # Errors
/// The first value that does not.
pub fn check_ranges<T: Options>(options: &T) -> Result<(), OptionError> {
    // The values themselves are the defaults here.
    let described = Described::from_default(options);
    described.list.iter().try_for_each(|option| check(option, &option.default))
}

fn check(option: &OptionInfo, value: &Value) -> Result<(), OptionError> {
    if option.is_required && value.is_null() {
        let (option, expected) = (option.key.clone(), option.accepts.to_string());
        return Err(OptionError::Required { option, expected });
    }
    if option.accepts.admits(value) {
        return Ok(());
    }
    let shown = match value {
        Value::String(text) => text.clone(),
        // JSON has neither infinity nor NaN.
        Value::Null => "not a finite number".into(),
        // Print whole floats as integers: -1, not -1.0.
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() => float.to_string(),
            _ => number.to_string(),
        },
        other => other.to_string(),
    };
    Err(OptionError::out_of_range(&option.key, shown, &option.accepts.to_string()))
}

fn info(key: &str, schema: &Value, defaults: &Map<String, Value>) -> OptionInfo {
    let mut accepts = Accepts::default();
    collect(schema, &mut accepts);
    let help = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let mut help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    if find(schema, "x-explained").is_some() {
        let each = |word: &Word| format!("{} ({})", word.word, word.help);
        help += &format!(": {}", accepts.words.iter().map(each).collect::<Vec<_>>().join(", "));
    }
    let aliases = schema.get("x-aliases").and_then(Value::as_array).map(Vec::as_slice);
    OptionInfo {
        key: key.into(),
        aliases: aliases
            .unwrap_or_default()
            .iter()
            .filter_map(Value::as_str)
            .map(Into::into)
            .collect(),
        default: defaults.get(key).cloned().unwrap_or(Value::Null),
        is_required: find(schema, "x-required").is_some(),
        is_first: find(schema, "x-first").is_some(),
        bounds: find(schema, "x-bounds").and_then(Value::as_str).map(Into::into),
        inherits: find(schema, "x-inherits").and_then(Value::as_str).map(Into::into),
        accepts,
        help,
    }
}

/// An extension of a schema or of one of its alternatives.
fn find<'a>(schema: &'a Value, name: &str) -> Option<&'a Value> {
    schema.get(name).or_else(|| alternatives(schema).find_map(|schema| find(schema, name)))
}

fn alternatives(schema: &Value) -> impl Iterator<Item = &Value> {
    let list = |name: &str| schema.get(name).and_then(Value::as_array).into_iter().flatten();
    ["anyOf", "oneOf", "allOf"].into_iter().flat_map(list)
}

/// Adds what a schema admits, its alternatives included.
fn collect(schema: &Value, accepts: &mut Accepts) {
    let types: Vec<&str> = match schema.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(many)) => many.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    accepts.numbers |= types.contains(&"number");
    accepts.integers |= types.contains(&"integer");
    accepts.flags |= types.contains(&"boolean");
    accepts.specs |= schema.get("x-spec").is_some();
    accepts.text |= schema.get("x-text").is_some();
    accepts.data |= schema.get("x-data").is_some();
    let number = |name: &str| schema.get(name).and_then(Value::as_f64);
    // The range of the field comes before that of an alternative's type, such as 0 for unsigned integers.
    accepts.minimum = accepts.minimum.or(number("minimum"));
    accepts.above = accepts.above.or(number("exclusiveMinimum"));
    accepts.maximum = accepts.maximum.or(number("maximum"));
    let described = schema.get("x-accepts").and_then(Value::as_str).map(String::from);
    accepts.described = described.or(accepts.described.take());
    let help = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let mut add = |word: &Value, help: &str| {
        if let Some(word) = word.as_str() {
            accepts.words.push(Word { word: word.into(), help: help.into() });
        }
    };
    if let Some(word) = schema.get("const") {
        add(word, help);
    }
    for word in schema.get("enum").and_then(Value::as_array).into_iter().flatten() {
        add(word, "");
    }
    for schema in alternatives(schema) {
        collect(schema, accepts);
    }
}

#[cfg(test)]
mod tests;

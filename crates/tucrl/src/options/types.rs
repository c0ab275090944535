//! Which types have options whose values are not plain numbers, words or flags?

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

/// A number, or a word that stands for one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum NumberOr<W> {
    /// The number.
    Number(f64),
    /// The word.
    Word(W),
}

impl<W> NumberOr<W> {
    /// The number, or what the word stands for.
    pub fn or(self, word: f64) -> f64 {
        match self {
            Self::Number(number) => number,
            Self::Word(_) => word,
        }
    }
}

impl<W> From<f64> for NumberOr<W> {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

/// An integer, or a word that stands for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum IntegerOr<W> {
    /// The integer.
    Integer(u64),
    /// The word.
    Word(W),
}

impl<W> From<u64> for IntegerOr<W> {
    fn from(integer: u64) -> Self {
        Self::Integer(integer)
    }
}

/// Declares the word of a [`NumberOr`] or [`IntegerOr`].
macro_rules! word {
    ($(#[$doc:meta])* $name:ident = $word:literal $(, inherits $key:literal)?) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize,
            schemars::JsonSchema,
        )]
        $(#[schemars(extend("x-inherits" = $key))])?
        pub enum $name {
            $(#[$doc])*
            #[default]
            #[serde(rename = $word)]
            Word,
        }
    };
}
pub(crate) use word;

/// Declares the schema of an enum whose words carry their explanations into the help of every option that offers
/// them.
macro_rules! explained {
    ($name:ident: $($word:literal = $about:expr,)*) => {
        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let words = [$(serde_json::json!({ "const": $word, "description": $about }),)*];
                schemars::json_schema!({ "x-explained": true, "oneOf": words })
            }
        }
    };
}
pub(crate) use explained;

word! {
    /// The value of the option `alpha`.
    Alpha = "alpha", inherits "alpha"
}
word! {
    /// The value that the world has.
    OfWorld = "world"
}
word! {
    /// The nominal size of the space.
    Nominal = "nominal"
}
word! {
    /// No bound.
    Infinite = "inf"
}
word! {
    /// What the theory recommends.
    Theory = "theory"
}

/// A value that is inherited from the option `alpha` unless given.
pub type Inherited = NumberOr<Alpha>;
/// A value that is taken from the world unless given.
pub type FromWorld = NumberOr<OfWorld>;

impl<W: Default> Default for NumberOr<W> {
    fn default() -> Self {
        Self::Word(W::default())
    }
}

impl<W: Default> Default for IntegerOr<W> {
    fn default() -> Self {
        Self::Word(W::default())
    }
}

/// A value without a default: it must be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Required<T>(pub Option<T>);

impl<T> Default for Required<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> From<T> for Required<T> {
    fn from(value: T) -> Self {
        Self(Some(value))
    }
}

impl<W> From<f64> for Required<NumberOr<W>> {
    fn from(number: f64) -> Self {
        Self(Some(number.into()))
    }
}

impl<T: JsonSchema> JsonSchema for Required<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Required_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = generator.subschema_for::<T>();
        schema.insert("x-required".into(), true.into());
        schema
    }
}

/// The spec of a world, as an option of another world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Spec(pub String);

impl JsonSchema for Spec {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Spec".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({ "type": "string", "x-spec": true })
    }
}

/// Any text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Text(pub String);

impl JsonSchema for Text {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Text".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({ "type": "string", "x-text": true })
    }
}

/// Any text, whose key may be left out where it comes first: `gym:FrozenLake-v1`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct First(pub String);

impl JsonSchema for First {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "First".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({ "type": "string", "x-text": true, "x-first": true })
    }
}

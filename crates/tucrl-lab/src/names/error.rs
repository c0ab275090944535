//! What is wrong with a spec, where, and what would be accepted?
//!
//! The first line of a message says what and ends with what to change; if the fault is only a part
//! of the text, two more lines show the text and point at the part.

use std::fmt;
use std::ops::Range;

use thiserror::Error;
use tucrl::math;

use crate::text::{digits, exact, is_hidden, quoted, rounded};

/// A longer text is not shown with a mark under it.
const PICTURE: usize = 200;

/// A fault of a spec, with its place in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecError {
    /// The spec as written.
    pub text: String,
    /// The bytes at fault.
    pub at: Range<usize>,
    /// The fault.
    pub problem: Box<Problem>,
}

/// What can be wrong with a spec.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// Nothing stands before the colon.
    #[error("a name is missing: write name:key=value,key=value")]
    NoName,
    /// What stands before an equals sign in front of the name is no label.
    #[error(
        "`{}` is no label: write label=spec, with a short text of one line as the label, or the spec alone",
        quoted(label)
    )]
    NoLabel {
        /// What stands there.
        label: String,
    },
    /// Nothing stands after the colon.
    #[error("nothing follows the colon: leave it out, or add key=value")]
    NothingAfterColon,
    /// Two commas in a row, or one at the end.
    #[error("there is a comma too many: write key=value,key=value")]
    EmptyPiece,
    /// A parenthesis without its partner.
    #[error("this parenthesis has no partner: write key=(name:key=value)")]
    Parentheses,
    /// Too many worlds inside each other.
    #[error(
        "worlds stand in worlds more than {most} deep: name a world with fewer worlds inside it"
    )]
    TooDeep {
        /// How many may.
        most: usize,
    },
    /// A key alone.
    #[error("`{0}` has no value: write {0}=value", quoted(key))]
    NoValue {
        /// The key.
        key: String,
    },
    /// A value alone.
    #[error("there is no key before the equals sign: write key=value")]
    NoKey,
    /// A name that is in no table.
    #[error("there is no {what} `{}`: {}", quoted(name), instead(nearest.as_deref(), what))]
    UnknownName {
        /// A world, or an agent.
        what: &'static str,
        /// The name.
        name: String,
        /// The name that was probably meant.
        nearest: Option<String>,
    },
    /// A name that earlier versions had.
    #[error("the {what} {name} is gone: {instead}")]
    Retired {
        /// A world, or an agent.
        what: &'static str,
        /// The name.
        name: String,
        /// What to write.
        instead: String,
    },
    /// A key that the name does not have.
    #[error("{name} has no key `{}`: {}", quoted(key), key_instead(nearest.as_deref(), known))]
    UnknownKey {
        /// The name.
        name: String,
        /// The key.
        key: String,
        /// The key that was probably meant.
        nearest: Option<String>,
        /// The keys that exist.
        known: Vec<String>,
    },
    /// A key that came before, perhaps in another spelling.
    #[error("{}: keep one of them", repeated(key, meant))]
    Repeated {
        /// The key as written the second time.
        key: String,
        /// The key that it stands for.
        meant: String,
    },
    /// A value that cannot be read.
    #[error("`{}` is not {what}: `{key}` accepts {accepted}", quoted(value))]
    WrongKind {
        /// The key.
        key: String,
        /// The value.
        value: String,
        /// What it should be.
        what: &'static str,
        /// The accepted values.
        accepted: String,
    },
    /// A word that is not among the accepted ones.
    #[error("`{}` is not accepted: {}`{key}` accepts {accepted}", quoted(value), meant(nearest.as_deref()))]
    NotAccepted {
        /// The key.
        key: String,
        /// The value.
        value: String,
        /// The word that was probably meant.
        nearest: Option<String>,
        /// The accepted words.
        accepted: String,
    },
    /// A value that the world refuses.
    #[error("{name}: `{key}` = {} is out of range: it accepts {expected}", quoted(value))]
    OutOfRange {
        /// The name.
        name: String,
        /// The key.
        key: String,
        /// The value.
        value: String,
        /// The accepted values.
        expected: String,
    },
    /// Several names where there is room for one.
    #[error("there is no {what} `{}`: give each {what} its own spec, {}", quoted(&names.join(",")), quoted(&names.join(" and ")))]
    SeveralNames {
        /// A world, or an agent.
        what: &'static str,
        /// The names.
        names: Vec<String>,
    },
    /// An option that has no default and no value.
    #[error("{name} needs {key}, {meaning}{}", required(name, key, expected, bound))]
    Required {
        /// The name.
        name: String,
        /// The key.
        key: String,
        /// What it means.
        meaning: String,
        /// The accepted values.
        expected: String,
        /// What it is a bound on, if it is one.
        bound: Box<Bound>,
    },
    /// Anything else that is refused.
    #[error("{}: {reason}", quoted(name))]
    Unusable {
        /// The name.
        name: String,
        /// Why, and what to do.
        reason: String,
    },
    /// A value that does not go together with the rest.
    #[error("{name}: `{key}` = {} is refused: {reason}", quoted(value))]
    Refused {
        /// The name.
        name: String,
        /// The key.
        key: String,
        /// The value.
        value: String,
        /// Why, and what to choose.
        reason: String,
    },
}

/// What a required option is an upper bound on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bound {
    /// It is no bound.
    Nothing,
    /// The span of the optimal bias, which is unknown here.
    Span,
    /// The span of the optimal bias of a world.
    SpanOf {
        /// Which world.
        world: String,
        /// The span.
        span: String,
        /// A value above it.
        above: String,
    },
}

impl SpecError {
    /// Whether a bound on a span is missing, so that [`SpecError::with_span`] has something to add.
    pub fn lacks_span_bound(&self) -> bool {
        matches!(&*self.problem, Problem::Required { bound, .. } if **bound == Bound::Span)
    }

    /// The same error with the span of the world, if that is what is missing.
    #[must_use]
    pub fn with_span(mut self, world: &str, span: f64) -> Self {
        if let Problem::Required { bound, .. } = &mut *self.problem
            && **bound == Bound::Span
        {
            let (shown, above) = (digits(span, 4), exact(next_digit(span)));
            **bound = Bound::SpanOf { world: world.into(), span: shown, above };
        }
        self
    }

    pub(super) fn new(text: &str, at: Range<usize>, problem: Problem) -> Self {
        Self { text: text.into(), at, problem: Box::new(problem) }
    }

    /// The error of a world inside too many others.
    pub(crate) fn too_deep(text: &str, most: usize) -> Self {
        Self::new(text, 0..text.len(), Problem::TooDeep { most })
    }
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.problem)?;
        let is_whole = self.at.len() >= self.text.trim().len();
        // A picture of text that does not stay on its line would point anywhere.
        let is_long = self.text.chars().nth(PICTURE).is_some();
        if is_whole || is_long || self.text.chars().any(is_hidden) {
            return Ok(());
        }
        let count = |range: Range<usize>| self.text.get(range).map_or(0, |s| s.chars().count());
        let (before, marked) = (count(0..self.at.start), count(self.at.clone()).max(1));
        write!(f, "\n  {}\n  {}{}", self.text, " ".repeat(before), "^".repeat(marked))
    }
}

impl std::error::Error for SpecError {}

fn required(name: &str, key: &str, expected: &str, bound: &Bound) -> String {
    let write = format!("write {name}:{key}=value; it accepts {expected}");
    match bound {
        Bound::Nothing => format!(": {write}"),
        Bound::Span => {
            format!("; r_max times the diameter is one: {write}")
        }
        Bound::SpanOf { world, span, above } => {
            format!("; the span of {world} is {span}: try {key}={above}")
        }
    }
}

/// A number with one digit above a value.
fn next_digit(value: f64) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return 1.0;
    }
    let unit = math::powf(10.0, math::log10(value).floor());
    // Through text, which rounds 0.30000000000000004 to what was meant.
    rounded((value / unit).floor() * unit + unit, 2)
}

fn instead(nearest: Option<&str>, what: &str) -> String {
    match nearest {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None if what == "world" => {
            "`tucrl worlds` lists them, and a model file ends in .json, .drn, .umb or .tra".into()
        }
        None => format!("`tucrl {what}s` lists them"),
    }
}

fn meant(nearest: Option<&str>) -> String {
    nearest.map_or(String::new(), |nearest| format!("did you mean `{nearest}`? "))
}

fn key_instead(nearest: Option<&str>, known: &[String]) -> String {
    match (nearest, known) {
        (Some(nearest), _) => format!("did you mean `{nearest}`?"),
        (None, []) => "it takes no keys".into(),
        (None, known) => format!("it accepts {}", known.join(", ")),
    }
}

fn repeated(key: &str, meant: &str) -> String {
    let key = quoted(key);
    if key == meant {
        format!("`{key}` is given twice")
    } else {
        format!("`{key}` is another spelling of `{meant}`, which was given before")
    }
}

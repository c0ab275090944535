//! How are reward laws and numbers spelled in JSON, in both formats?
//!
//! A constant is a number; `{"uniform":[low,high]}`, `{"bernoulli":[probability,value]}` and
//! `{"discrete":[[value,probability],…]}` are the others. Numbers are written with the fewest
//! digits that read back to the same bits.

use std::fmt;
use std::io::{self, Write};

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use tucrl::reward::{RewardLaw, RewardRange};

/// Writes a finite number so that it reads back to the same bits.
pub(super) fn write_number(out: &mut dyn Write, number: f64) -> io::Result<()> {
    // `{:?}` and not `{}`: the latter spells 1e-300 with three hundred zeros.
    write!(out, "{number:?}")
}

/// Writes which rewards are possible, as a key and its value: `r_max` where they begin at 0, else `reward_range`.
pub(super) fn write_range(
    out: &mut dyn Write,
    range: RewardRange,
    key: impl FnOnce(&mut dyn Write, &str) -> io::Result<()>,
) -> io::Result<()> {
    if range.low() == 0.0 {
        key(out, "r_max")?;
        return write_number(out, range.high());
    }
    key(out, "reward_range")?;
    write!(out, "[{:?},{:?}]", range.low(), range.high())
}

/// Writes items with commas between them, in brackets.
pub(super) fn write_list<T>(
    out: &mut dyn Write,
    items: impl IntoIterator<Item = T>,
    mut write_item: impl FnMut(&mut dyn Write, T) -> io::Result<()>,
) -> io::Result<()> {
    out.write_all(b"[")?;
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.write_all(b",")?;
        }
        write_item(out, item)?;
    }
    out.write_all(b"]")
}

/// Writes a string with quotes and escapes, on one line.
pub(super) fn write_string(out: &mut dyn Write, text: &str) -> io::Result<()> {
    serde_json::to_writer(out, text).map_err(io::Error::from)
}

/// Writes a list of names.
pub(super) fn write_names(out: &mut dyn Write, names: &[String]) -> io::Result<()> {
    write_list(out, names, |out, name| write_string(out, name))
}

/// Writes pairs of a state and its probability.
pub(super) fn write_states(
    out: &mut dyn Write,
    law: impl Iterator<Item = (usize, f64)>,
) -> io::Result<()> {
    write_list(out, law, |out, (state, probability)| write!(out, "[{state},{probability:?}]"))
}

/// Writes a reward law.
pub(super) fn write_law(out: &mut dyn Write, law: &RewardLaw) -> io::Result<()> {
    match law {
        RewardLaw::Constant(reward) => write_number(out, *reward),
        RewardLaw::Uniform { low, high } => write!(out, "{{\"uniform\":[{low:?},{high:?}]}}"),
        RewardLaw::Bernoulli { probability, value } => {
            write!(out, "{{\"bernoulli\":[{probability:?},{value:?}]}}")
        }
        RewardLaw::Discrete(outcomes) => {
            out.write_all(b"{\"discrete\":")?;
            write_list(out, outcomes, |out, (value, p)| write!(out, "[{value:?},{p:?}]"))?;
            out.write_all(b"}")
        }
    }
}

/// A reward law as it stands in a file.
pub(super) struct Law(pub(super) RewardLaw);

impl<'de> Deserialize<'de> for Law {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_any(LawVisitor)
    }
}

struct LawVisitor;

impl<'de> Visitor<'de> for LawVisitor {
    type Value = Law;

    fn expecting(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str("a reward: a number, or one of {\"uniform\":[low,high]}, ")?;
        out.write_str("{\"bernoulli\":[probability,value]}, ")?;
        out.write_str("{\"discrete\":[[value,probability],...]}")
    }

    fn visit_f64<E: de::Error>(self, reward: f64) -> Result<Law, E> {
        Ok(Law(RewardLaw::Constant(reward)))
    }

    fn visit_u64<E: de::Error>(self, reward: u64) -> Result<Law, E> {
        self.visit_f64(reward as f64)
    }

    fn visit_i64<E: de::Error>(self, reward: i64) -> Result<Law, E> {
        self.visit_f64(reward as f64)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Law, A::Error> {
        const KINDS: &str = "the reward laws are uniform, bernoulli and discrete";
        let Some(kind) = map.next_key::<String>()? else {
            return Err(de::Error::custom(format_args!("an empty reward law: {KINDS}")));
        };
        let law = match kind.as_str() {
            "uniform" => {
                let [low, high] = map.next_value()?;
                RewardLaw::Uniform { low, high }
            }
            "bernoulli" => {
                let [probability, value] = map.next_value()?;
                RewardLaw::Bernoulli { probability, value }
            }
            "discrete" => {
                let outcomes: Vec<[f64; 2]> = map.next_value()?;
                RewardLaw::discrete(outcomes.into_iter().map(|[value, p]| (value, p)))
            }
            _ => {
                return Err(de::Error::custom(format_args!(
                    "unknown reward law {kind:?}: {KINDS}"
                )));
            }
        };
        match map.next_key::<String>()? {
            None => Ok(Law(law)),
            Some(more) => Err(de::Error::custom(format_args!(
                "a reward has one law, here are {kind:?} and {more:?}: keep one"
            ))),
        }
    }
}

/// The number of a state.
pub(super) struct State(pub(super) usize);

impl<'de> Deserialize<'de> for State {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_u64(StateVisitor)
    }
}

struct StateVisitor;

impl Visitor<'_> for StateVisitor {
    type Value = State;

    fn expecting(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str("the number of a state: 0, 1, 2, ...")
    }

    fn visit_u64<E: de::Error>(self, state: u64) -> Result<State, E> {
        usize::try_from(state).map(State).map_err(E::custom)
    }
}

/// The law of the start: `[[state, probability], …]`, or one state.
pub(super) struct Start(pub(super) Vec<(usize, f64)>);

impl<'de> Deserialize<'de> for Start {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_any(StartVisitor)
    }
}

struct StartVisitor;

impl<'de> Visitor<'de> for StartVisitor {
    type Value = Start;

    fn expecting(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str("a start: the number of a state, or [[state,probability],...]")
    }

    fn visit_u64<E: de::Error>(self, state: u64) -> Result<Start, E> {
        Ok(Start(vec![(StateVisitor.visit_u64::<E>(state)?.0, 1.0)]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Start, A::Error> {
        let mut law = Vec::new();
        while let Some((State(state), probability)) = list.next_element()? {
            law.push((state, probability));
        }
        Ok(Start(law))
    }
}

/// The message of a JSON parser without the place, which is reported separately.
pub(super) fn complaint(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let what = text.strip_suffix(&place).unwrap_or(&text);
    match what {
        _ if error.is_eof() => "the JSON ends too early: complete it",
        "expected value" | "expected ident" => {
            "this is not JSON: expected a number, a list, an object or text in quotes"
        }
        "trailing characters" => "text after the end of the JSON: remove it",
        "number out of range" => "the number is too large: write a finite number",
        _ => {
            // Replace the names of Rust types by words.
            let what = what.replace("expected f64", "expected a number");
            return what.replace("expected u64", "expected a whole number");
        }
    }
    .to_string()
}

//! How is a `tucrl-mdp` file read without holding it twice?
//!
//! One pass over the text. Keys come in any order; unknown and repeated ones are errors. Every action goes to the model
//! builder at its closing brace. The line of each state is kept for the builder's error messages.

use std::cell::Cell;
use std::fmt;
use std::io::{self, Read};
use std::path::Path;
use std::rc::Rc;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Unexpected, Visitor};
use tucrl::mdp::{Mdp, MdpBuilder};
use tucrl::pulse::Pulse;
use tucrl::reward::RewardLaw;

use super::super::error::Part as Place;
use super::super::law::{Law, Start, State, complaint};
use super::super::source::{Counting, first_line_not_utf8, open};
use super::super::{FormatError, ReadOptions};

/// The keys of a model.
const KEYS: [&str; 8] = [
    "format",
    "version",
    "r_max",
    "reward_range",
    "start",
    "action_names",
    "state_names",
    "states",
];

/// Reads a model.
pub(in super::super) fn read(path: &Path, options: &ReadOptions) -> Result<Mdp, FormatError> {
    if let Some(asked) = &options.reward_model {
        let asked = asked.clone();
        return Err(FormatError::NoSuchRewardModel { path: path.into(), asked, names: vec![] });
    }
    read_from(open(path)?, path, options)
}

/// Reads a model from a text that was opened; `path` names it in messages.
pub(in super::super) fn read_from(
    text: impl Read,
    path: &Path,
    options: &ReadOptions,
) -> Result<Mdp, FormatError> {
    let input = Counting::new(text);
    let (length, line) = (input.length(), input.line());
    let mut reading = Reading {
        builder: Mdp::builder(),
        line: input.line(),
        state_lines: Vec::new(),
        key_lines: [None; KEYS.len()],
        row: Vec::new(),
        unknown_version: None,
    };
    let mut parser = serde_json::Deserializer::from_reader(input);
    let parsed = parser.deserialize_map(Model(&mut reading)).and_then(|()| parser.end());
    if let Err(error) = parsed {
        return Err(refusal(path, error, (line.get(), length.get()), reading.unknown_version));
    }
    if let Some(range) = options.range() {
        reading.builder.reward_range(range);
    }
    let (lines, keys) = (reading.state_lines, reading.key_lines);
    reading.builder.build().map_err(|defect| {
        FormatError::model(path, defect, |place| match place {
            Place::State(state) | Place::Action(state, _) => {
                lines.get(state).map(|&line| line as usize)
            }
            // An r_max from the options has no line.
            Place::RewardMax => keys[2].filter(|_| options.range().is_none()),
            Place::Start => keys[4],
            Place::ActionNames => keys[5],
            Place::StateNames => keys[6],
        })
    })
}

/// The error of a file that the parser has read up to a line and a number of bytes.
fn refusal(
    path: &Path,
    error: serde_json::Error,
    (line, length): (usize, u64),
    version: Option<String>,
) -> FormatError {
    if error.is_io() {
        let error = io::Error::from(error);
        if error.kind() != io::ErrorKind::InvalidData {
            return FormatError::io(path, error);
        }
        let (path, what) = (path.into(), error.to_string());
        return FormatError::Syntax { path, line, column: None, what };
    }
    // The parser reports invalid UTF-8 as bad syntax; report it as such.
    if let Some(line) = first_line_not_utf8(path, length) {
        return FormatError::NotUtf8 { path: path.into(), line };
    }
    let (path, line) = (path.to_path_buf(), error.line().max(1));
    match version {
        Some(found) => FormatError::UnknownVersion { path, line, what: "tucrl-mdp", found },
        None => {
            let column = Some(error.column()).filter(|&column| column > 0);
            FormatError::Syntax { path, line, column, what: complaint(&error) }
        }
    }
}

/// The model so far.
struct Reading {
    builder: MdpBuilder,
    /// The current line.
    line: Rc<Cell<usize>>,
    /// The line on which each state begins.
    state_lines: Vec<u32>,
    /// The line of each key of the model.
    key_lines: [Option<usize>; KEYS.len()],
    /// The row being read; reused to save allocations.
    row: Vec<(usize, f64, Option<RewardLaw>)>,
    /// An unsupported version, if that is why reading stopped.
    unknown_version: Option<String>,
}

/// Marks a key as seen; a second time is an error.
fn once<E: Error>(seen: &mut bool, key: &str) -> Result<(), E> {
    if std::mem::replace(seen, true) {
        return Err(E::custom(format_args!("the key {key:?} comes twice: keep one")));
    }
    Ok(())
}

/// The outermost object.
struct Model<'a>(&'a mut Reading);

impl<'de> Visitor<'de> for Model<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str("a model: {\"format\":\"tucrl-mdp\",\"version\":1,...}")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let reading = self.0;
        let mut seen = [false; KEYS.len()];
        while let Some(key) = map.next_key::<String>()? {
            let Some(index) = KEYS.iter().position(|&known| known == key) else {
                let known = KEYS.join(", ");
                return Err(A::Error::custom(format_args!(
                    "unknown key {key:?}: the keys of a model are {known}"
                )));
            };
            once(&mut seen[index], &key)?;
            reading.key_lines[index] = Some(reading.line.get());
            match key.as_str() {
                "format" => {
                    let name: String = map.next_value()?;
                    if name != super::NAME {
                        return Err(A::Error::custom(format_args!(
                            "the format is {name:?}: this program reads \"tucrl-mdp\""
                        )));
                    }
                }
                "version" => {
                    let version: u64 = map.next_value()?;
                    if version != super::VERSION {
                        reading.unknown_version = Some(version.to_string());
                        return Err(A::Error::custom("unknown version"));
                    }
                }
                "r_max" => drop(reading.builder.r_max(map.next_value()?)),
                "reward_range" => drop(reading.builder.reward_range(map.next_value()?)),
                "start" => drop(reading.builder.start_law(map.next_value::<Start>()?.0)),
                "action_names" => {
                    reading.builder.action_names(map.next_value::<Vec<String>>()?);
                }
                "state_names" => {
                    reading.builder.state_names(map.next_value::<Vec<String>>()?);
                }
                _ => map.next_value_seed(Part { reading: &mut *reading, level: Level::States })?,
            }
        }
        if seen[2] && seen[3] {
            return Err(A::Error::custom("\"r_max\" and \"reward_range\": keep one of them"));
        }
        // `r_max` is 1 and names are absent unless given; the rest must be there.
        let needed = [true, true, false, false, true, false, false, true];
        for ((key, seen), needed) in KEYS.iter().zip(seen).zip(needed) {
            if needed && !seen {
                return Err(A::Error::custom(format_args!("the key {key:?} is missing: add it")));
            }
        }
        Ok(())
    }
}

/// Nesting level of a part of the table.
#[derive(Clone, Copy, PartialEq)]
enum Level {
    States,
    State,
    Action,
    Row,
    Entry,
}

/// A part of the table, read into the builder.
struct Part<'a> {
    reading: &'a mut Reading,
    level: Level,
}

impl<'de> DeserializeSeed<'de> for Part<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<(), D::Error> {
        match self.level {
            Level::Action => input.deserialize_map(self),
            _ => input.deserialize_seq(self),
        }
    }
}

impl<'de> Visitor<'de> for Part<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(match self.level {
            Level::States => "a list of states",
            Level::State => "a state: a list of actions",
            Level::Action => "an action: {\"reward\":...,\"to\":[[state,probability],...]}",
            Level::Row => "a list of next states: [[state,probability],...]",
            Level::Entry => "a next state: [state,probability] or [state,probability,reward]",
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let Self { reading, level } = self;
        let inner = match level {
            Level::States => Level::State,
            Level::State => {
                if Pulse::is_stopped() {
                    return Err(A::Error::custom("interrupted"));
                }
                reading.builder.state();
                reading.state_lines.push(u32::try_from(reading.line.get()).unwrap_or(u32::MAX));
                Level::Action
            }
            Level::Row => {
                reading.row.clear();
                Level::Entry
            }
            Level::Entry => return read_entry(reading, list),
            Level::Action => return Err(A::Error::invalid_type(Unexpected::Seq, &"an action")),
        };
        while list.next_element_seed(Part { reading: &mut *reading, level: inner })?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let reading = self.reading;
        let (mut has_reward, mut has_row) = (false, false);
        let mut reward = None;
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "reward" => {
                    once(&mut has_reward, &key)?;
                    reward = Some(map.next_value::<Law>()?.0);
                }
                "to" => {
                    once(&mut has_row, &key)?;
                    map.next_value_seed(Part { reading: &mut *reading, level: Level::Row })?;
                }
                _ => {
                    return Err(A::Error::custom(format_args!(
                        "unknown key {key:?}: the keys of an action are reward, to"
                    )));
                }
            }
        }
        if !has_row {
            return Err(A::Error::custom(
                "an action without next states: add \"to\":[[state,probability],...]",
            ));
        }
        add_action(reading, reward).map_err(A::Error::custom)
    }
}

fn read_entry<'de, A: SeqAccess<'de>>(reading: &mut Reading, mut list: A) -> Result<(), A::Error> {
    const SHAPE: &str = "[state,probability] or [state,probability,reward]";
    let State(next) = list.next_element()?.ok_or_else(|| A::Error::invalid_length(0, &SHAPE))?;
    let probability = list.next_element()?.ok_or_else(|| A::Error::invalid_length(1, &SHAPE))?;
    let law = list.next_element::<Law>()?.map(|law| law.0);
    reading.row.push((next, probability, law));
    match list.next_element::<f64>()? {
        None => Ok(()),
        Some(_) => Err(A::Error::invalid_length(4, &SHAPE)),
    }
}

/// Passes the row to the builder, with the reward of the action or of its entries.
fn add_action(reading: &mut Reading, reward: Option<RewardLaw>) -> Result<(), &'static str> {
    let (builder, row) = (&mut reading.builder, &mut reading.row);
    let joint = row.iter().filter(|entry| entry.2.is_some()).count();
    match reward {
        Some(_) if joint > 0 => {
            return Err("rewards in \"reward\" and also in \"to\": keep one of them");
        }
        Some(law) => {
            builder.action(law, row.drain(..).map(|(next, probability, _)| (next, probability)));
        }
        None if joint < row.len() => {
            return Err("an action without a reward: add \"reward\", or a reward to every entry \
                        of \"to\"");
        }
        None => {
            builder
                .joint_action(row.drain(..).filter_map(|(next, probability, law)| {
                    law.map(|law| (next, probability, law))
                }));
        }
    }
    Ok(())
}

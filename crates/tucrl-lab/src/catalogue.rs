//! Which worlds can be named, and which world does a text name?
//!
//! A table with one entry per world of the library: its name, its keys, what is known about it and
//! how to build it; lists, help and `docs/worlds.md` come from this table. A text that ends in
//! `.json` or `.drn` names a model file instead, and so does any other existing file or path that
//! is not the name of a world.
//!
//! Reads `names`, `formats` and the worlds of the library; feeds the commands.

mod classic_worlds;
mod paper_worlds;

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;
use thiserror::Error;
use tucrl::error::WorldError;
use tucrl::mdp::Mdp;

use crate::formats::{self, Format, FormatError, ReadOptions};
use crate::names::{Arguments, Parameter, Spec, SpecError};

/// What is known about one world of the library.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct WorldEntry {
    /// The name in specs.
    pub name: &'static str,
    /// The world in a line.
    pub summary: &'static str,
    /// How many states it has by default.
    pub states: usize,
    /// The largest number of actions that a state has by default.
    pub actions: usize,
    /// The keys that it accepts.
    pub parameters: &'static [Parameter],
    /// Closed forms and numbers, a line each.
    pub facts: &'static [&'static str],
    /// A spec to try.
    pub example: &'static str,
    #[serde(skip)]
    build: fn(&Arguments) -> Result<Mdp, WorldError>,
}

/// Every world of the library, the paper's first.
pub fn worlds() -> impl Iterator<Item = &'static WorldEntry> {
    paper_worlds::TABLE.iter().chain(classic_worlds::TABLE)
}

/// The entry that a spec names.
///
/// # Errors
/// When there is none; with the name that was probably meant.
pub fn entry(spec: &Spec) -> Result<&'static WorldEntry, SpecError> {
    worlds()
        .find(|entry| entry.name == spec.name())
        .ok_or_else(|| spec.unknown_name("world", worlds().map(|entry| entry.name)))
}

/// A world that was named: one of the library with its parameters, or a model file.
///
/// Displayed, it is the shortest spec, or the path.
#[derive(Debug, Clone)]
pub enum World {
    /// A world of the library.
    Library {
        /// Its entry.
        entry: &'static WorldEntry,
        /// Its parameters.
        arguments: Arguments,
    },
    /// A model file.
    File(PathBuf),
}

/// Why a named world could not be had.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The spec, or a value in it.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The model file.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// The world's own table.
    #[error(transparent)]
    World(WorldError),
    /// An option that only files have.
    #[error("{option} is for {files}, and {world} is not one: leave the option out")]
    OptionWithoutUse {
        /// The option.
        option: &'static str,
        /// The files that have it.
        files: &'static str,
        /// The world that does not.
        world: String,
    },
}

impl World {
    /// Finds out which world a text names, without building it.
    ///
    /// ```
    /// use tucrl_lab::catalogue::World;
    /// let world = World::parse("four-rooms:slip=1/3")?;
    /// assert_eq!(world.to_string(), "four-rooms", "1/3 is the default");
    /// # Ok::<(), tucrl_lab::names::SpecError>(())
    /// ```
    ///
    /// # Errors
    /// When the text is neither a spec of a known world nor looks like a file.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        let path = Path::new(text);
        if Format::of(path).is_ok() {
            return Ok(Self::File(path.into()));
        }
        let spec = Spec::parse(text);
        // Known names come first: a folder that happens to be called `taxi` changes nothing.
        let is_known = spec.as_ref().is_ok_and(|spec| entry(spec).is_ok());
        let head = text.split(':').next().unwrap_or(text);
        if !is_known && (head.contains(['/', '\\']) || path.exists()) {
            return Ok(Self::File(path.into()));
        }
        let spec = spec?;
        let entry = entry(&spec)?;
        Ok(Self::Library { entry, arguments: spec.bind(entry.parameters)? })
    }

    /// Builds or reads the world.
    ///
    /// # Errors
    /// When a parameter is out of range, the file is faulty, or an option does not apply.
    pub fn build(&self, options: &ReadOptions) -> Result<Mdp, LoadError> {
        let without_use = |option, files| {
            Err(LoadError::OptionWithoutUse { option, files, world: self.to_string() })
        };
        match self {
            Self::Library { .. } if options.reward_model.is_some() => {
                without_use("--reward-model", "DRN files")
            }
            Self::Library { .. } if options.r_max.is_some() => {
                without_use("--r-max", "model files")
            }
            Self::Library { entry, arguments } => {
                (entry.build)(arguments).map_err(|error| match error {
                    WorldError::Parameter { parameter, value, expected, .. } => {
                        arguments.out_of_range(parameter, &value, expected).into()
                    }
                    other => LoadError::World(other),
                })
            }
            Self::File(path) => {
                if options.reward_model.is_some() && Format::of(path)? != Format::Drn {
                    return without_use("--reward-model", "DRN files");
                }
                Ok(formats::read(path, options)?)
            }
        }
    }
}

impl fmt::Display for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Library { arguments, .. } => arguments.fmt(f),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

#[cfg(test)]
mod tests;

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
mod vast_worlds;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use thiserror::Error;
use tucrl::error::WorldError;
use tucrl::explore::ExploreError;
use tucrl::generator::{Generator, Tabled};
use tucrl::mdp::Mdp;
use tucrl::model::Model;

use crate::formats::{self, Format, FormatError, ReadOptions};
use crate::measure;
use crate::names::{Arguments, Parameter, Spec, SpecError};

/// What is known about one world of the library.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct WorldEntry {
    /// The name in specs.
    pub name: &'static str,
    /// The world in a line.
    pub summary: &'static str,
    /// How many states it has by default, nominally.
    pub states: u64,
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
    /// For worlds that have no table, always or with these arguments.
    #[serde(skip)]
    generate: Option<Generate>,
}

impl WorldEntry {
    /// Whether it has a table, at least with its default parameters.
    pub fn has_table(&self) -> bool {
        vast_worlds::TABLE.iter().all(|vast| vast.name != self.name)
    }
}

type Generate = fn(&Arguments) -> Result<Option<Arc<dyn Generator>>, LoadError>;

/// Every world of the library, the paper's first.
pub fn worlds() -> impl Iterator<Item = &'static WorldEntry> {
    paper_worlds::TABLE.iter().chain(classic_worlds::TABLE).chain(vast_worlds::TABLE)
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
    /// The world has no table, and the search for its reachable states failed.
    #[error(transparent)]
    Explore(#[from] ExploreError),
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
        let spec = Spec::parse(text);
        // Known names come first: a folder that happens to be called `taxi` changes nothing.
        let is_known = spec.as_ref().is_ok_and(|spec| entry(spec).is_ok());
        // In `junk:base=model.json` only the base is a file.
        let has_keys = is_known && text.contains(':');
        if Format::of(path).is_ok() && (!has_keys || path.exists()) {
            return Ok(Self::File(path.into()));
        }
        let head = text.split(':').next().unwrap_or(text);
        if !is_known && (head.contains(['/', '\\']) || path.exists()) {
            return Ok(Self::File(path.into()));
        }
        let spec = spec?;
        let entry = entry(&spec)?;
        let arguments = spec.bind(entry.parameters)?;
        let arguments =
            arguments.shortened(|base| Self::parse(base).map(|base| base.to_string()))?;
        Ok(Self::Library { entry, arguments })
    }

    /// The model files that it is made of: itself, or those inside a world of worlds.
    pub fn files(&self) -> Vec<PathBuf> {
        match self {
            Self::File(path) => vec![path.clone()],
            Self::Library { arguments, .. } => {
                // Specs were parsed when the world was named.
                let inner = arguments.specs().filter_map(|spec| Self::parse(spec).ok());
                inner.flat_map(|world| world.files()).collect()
            }
        }
    }

    /// Builds or reads the world; of a world without a table only its rule is made.
    ///
    /// # Errors
    /// When a parameter is out of range, the file is faulty, or an option does not apply.
    pub fn open(&self, options: &ReadOptions) -> Result<Model, LoadError> {
        self.refuse_file_options(options)?;
        Ok(match self.generated()? {
            Some(generator) => generator.into(),
            None => Arc::new(self.table(options)?).into(),
        })
    }

    /// The rule of a world that has no table.
    fn generated(&self) -> Result<Option<Arc<dyn Generator>>, LoadError> {
        let Self::Library { entry, arguments } = self else { return Ok(None) };
        let Some(generate) = entry.generate else { return Ok(None) };
        generate(arguments).map_err(|error| match error {
            LoadError::World(error) => self.refusal(error),
            other => other,
        })
    }

    /// The table of a world that has one.
    fn table(&self, options: &ReadOptions) -> Result<Mdp, LoadError> {
        match self {
            Self::File(path) => Ok(formats::read(path, options)?),
            Self::Library { entry, arguments } => {
                (entry.build)(arguments).map_err(|error| self.refusal(error))
            }
        }
    }

    /// The error of a world of the library, pointing at the parameter that it is about.
    fn refusal(&self, error: WorldError) -> LoadError {
        match (self, error) {
            (
                Self::Library { arguments, .. },
                WorldError::Parameter { parameter, value, expected, .. },
            ) => arguments.out_of_range(parameter, &value, expected).into(),
            (_, other) => LoadError::World(other),
        }
    }

    fn refuse_file_options(&self, options: &ReadOptions) -> Result<(), LoadError> {
        let refuse = |option, files| {
            Err(LoadError::OptionWithoutUse { option, files, world: self.to_string() })
        };
        match self {
            Self::Library { .. } if options.reward_model.is_some() => {
                refuse("--reward-model", "DRN files")
            }
            Self::Library { .. } if options.r_max.is_some() => refuse("--r-max", "model files"),
            Self::File(path)
                if options.reward_model.is_some() && Format::of(path)? != Format::Drn =>
            {
                refuse("--reward-model", "DRN files")
            }
            _ => Ok(()),
        }
    }

    /// Builds or reads the table of the world; of a world without one, that of its reachable part.
    ///
    /// # Errors
    /// When a parameter is out of range, the file is faulty, an option does not apply, or too many states
    /// are reachable for a table.
    pub fn build(&self, options: &ReadOptions) -> Result<Mdp, LoadError> {
        self.refuse_file_options(options)?;
        match self.generated()? {
            Some(generator) => {
                let found = measure::search(&*generator, measure::LIMIT, &())?;
                Ok(found.table(&*generator, &|_, _| true)?)
            }
            None => self.table(options),
        }
    }
}

/// Any world as a generator; a table is one, too.
fn generator(world: &World) -> Result<Arc<dyn Generator>, LoadError> {
    Ok(match world.open(&ReadOptions::default())? {
        Model::Generated { generator, .. } => generator,
        Model::Table(mdp) => Arc::new(Tabled::new(mdp)),
        _ => Arc::new(Tabled::new(Arc::new(world.build(&ReadOptions::default())?))),
    })
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

//! Which world does a text name?
//!
//! A text with the extension of a model file ([`Format::of`]) names one, and so does any other existing file or path that
//! is not the name of a world. Anything else is a spec.

use std::cell::RefCell;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;
use tucrl::error::WorldError;
use tucrl::explore::ExploreError;
use tucrl::mdp::Mdp;
use tucrl::model::Model;
use tucrl::options::OptionError;
use tucrl::truth::{SEARCH_LIMIT, Watch, search};
use tucrl::worlds::WorldKind;

use super::Catalogue;
use crate::formats::{self, Format, FormatError, ReadOptions};
use crate::names::{Arguments, Spec, SpecError};
use crate::spelling::{Setting, Spelled, Spelling, by_name};

/// The files in which reward models have names.
const OTHER_FORMATS: &str = "DRN, UMB and PRISM files";

/// How many worlds may stand inside each other, the outermost included. Every level is read several times, so the time
/// grows with the square of the depth or worse.
const DEEPEST: usize = 16;

/// A world that was named, read from a file, or made by a program.
///
/// Displayed, it is the shortest spec, the path, or its name.
#[derive(Debug, Clone)]
pub enum World {
    /// A world with its options.
    Named {
        /// Its kind.
        kind: WorldKind,
        /// Its options.
        arguments: Arguments,
        /// Where worlds inside it are looked up.
        catalogue: Catalogue,
    },
    /// A model file.
    File(PathBuf),
    /// A model that a program made.
    Given {
        /// What it is called.
        name: String,
        /// The model.
        model: Model,
    },
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
    #[error("{}", without_use(*option, files, world, by_name))]
    OptionWithoutUse {
        /// The option.
        option: Setting,
        /// The files that have it.
        files: &'static str,
        /// The world that does not.
        world: String,
    },
}

impl Spelled for LoadError {
    fn spelled(&self, spelling: Spelling) -> String {
        match self {
            Self::Format(error) => error.spelled(spelling),
            Self::OptionWithoutUse { option, files, world } => {
                without_use(*option, files, world, spelling)
            }
            other => other.to_string(),
        }
    }
}

fn without_use(option: Setting, files: &str, world: &str, spelling: Spelling) -> String {
    let option = spelling(option);
    format!("{option} is for {files}, and {world} is not one: leave the option out")
}

impl World {
    /// Finds out which world of the library a text names, without building it.
    ///
    /// ```
    /// use tucrl_lab::World;
    /// let world = World::parse("four-rooms:slip=1/3")?;
    /// assert_eq!(world.to_string(), "four-rooms", "1/3 is the default");
    /// # Ok::<(), tucrl_lab::SpecError>(())
    /// ```
    ///
    /// # Errors
    /// When the text is neither a spec of a known world nor looks like a file.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        Catalogue::default().world(text)
    }

    pub(super) fn find(catalogue: &Catalogue, text: &str) -> Result<Self, SpecError> {
        Self::find_inside(catalogue, text, 0)
    }

    /// The same for a text inside `depth` others.
    fn find_inside(catalogue: &Catalogue, text: &str, depth: usize) -> Result<Self, SpecError> {
        if depth >= DEEPEST {
            return Err(SpecError::too_deep(text, DEEPEST));
        }
        let path = Path::new(text);
        let spec = Spec::parse(text);
        // Known names come first: a folder that happens to be called `taxi` changes nothing.
        let is_known = spec.as_ref().is_ok_and(|spec| catalogue.world_kind(spec).is_ok());
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
        let kind = catalogue.world_kind(&spec)?.clone();
        let arguments = spec.bind(kind.options())?;
        let arguments = arguments.shortened(|base| {
            Self::find_inside(catalogue, base, depth + 1).map(|base| base.to_string())
        })?;
        Ok(Self::Named { kind, arguments, catalogue: catalogue.clone() })
    }

    /// The model files that it is made of: itself, or those inside a world of worlds.
    pub fn files(&self) -> Vec<PathBuf> {
        match self {
            Self::File(path) => formats::files_of(path),
            Self::Named { arguments, catalogue, .. } => {
                // Specs were parsed when the world was named.
                let specs = arguments.specs().into_iter();
                let inner = specs.filter_map(|spec| Self::find(catalogue, &spec).ok());
                inner.flat_map(|world| world.files()).collect()
            }
            Self::Given { .. } => Vec::new(),
        }
    }

    /// Builds or reads the world; of a world without a table only its generator is made.
    ///
    /// # Errors
    /// When an option is out of range, the file is faulty, or a read option does not apply.
    pub fn open(&self, options: &ReadOptions) -> Result<Model, LoadError> {
        self.refuse_file_options(options)?;
        match self {
            Self::File(path) => Ok(Arc::new(formats::read(path, options)?).into()),
            Self::Given { model, .. } => Ok(model.clone()),
            Self::Named { kind, arguments, catalogue } => {
                // An error of a world inside this one is reported as it is.
                let inner = RefCell::new(None);
                let nested = |spec: &str| {
                    let found = Self::find(catalogue, spec).map_err(LoadError::from);
                    found.and_then(|world| world.open(&ReadOptions::default())).map_err(|error| {
                        let reason = error.to_string();
                        *inner.borrow_mut() = Some(error);
                        WorldError::Other(reason)
                    })
                };
                kind.make(arguments.given(), &nested)
                    .map_err(|error| inner.take().unwrap_or_else(|| refusal(arguments, error)))
            }
        }
    }

    fn refuse_file_options(&self, options: &ReadOptions) -> Result<(), LoadError> {
        let refuse = |option, files| {
            Err(LoadError::OptionWithoutUse { option, files, world: self.to_string() })
        };
        match self {
            Self::File(path)
                if options.reward_model.is_some() && Format::of(path)? == Format::Json =>
            {
                refuse(Setting::RewardModel, OTHER_FORMATS)
            }
            Self::File(_) => Ok(()),
            _ if options.reward_model.is_some() => refuse(Setting::RewardModel, OTHER_FORMATS),
            _ if options.r_max.is_some() => refuse(Setting::RMax, "model files"),
            _ if options.reward_range.is_some() => refuse(Setting::RewardRange, "model files"),
            _ if options.unpack_limit.is_some() => refuse(Setting::UnpackLimit, "model files"),
            _ => Ok(()),
        }
    }

    /// Builds or reads the table of the world; of a world without one, that of its reachable part.
    ///
    /// # Errors
    /// When an option is out of range, the file is faulty, a read option does not apply, or too many states
    /// are reachable for a table.
    pub fn build(&self, options: &ReadOptions) -> Result<Arc<Mdp>, LoadError> {
        self.build_watched(options, &())
    }

    /// The same with reports of progress.
    ///
    /// # Errors
    /// As [`World::build`].
    pub fn build_watched(
        &self,
        options: &ReadOptions,
        watch: &dyn Watch,
    ) -> Result<Arc<Mdp>, LoadError> {
        self.build_and_count(options, watch).map(|(mdp, _)| mdp)
    }

    /// The same, with the number of states of the world: more than the table has if it is that of the reachable part.
    ///
    /// # Errors
    /// As [`World::build`].
    pub fn build_and_count(
        &self,
        options: &ReadOptions,
        watch: &dyn Watch,
    ) -> Result<(Arc<Mdp>, u64), LoadError> {
        watch.begin("building the world");
        match self.open(options)? {
            Model::Table(mdp) => {
                let states = mdp.states() as u64;
                Ok((mdp, states))
            }
            Model::Generated(generator) => {
                let found = search(&*generator, SEARCH_LIMIT, watch)?;
                watch.begin("building the table of what is reachable");
                let report = |done, of| {
                    watch.done(done, of);
                    true
                };
                let table = Arc::new(found.table(&*generator, &report)?);
                Ok((table, generator.space().states()))
            }
        }
    }
}

/// The error of a world, pointing at the option that it is about.
fn refusal(arguments: &Arguments, error: WorldError) -> LoadError {
    match error {
        WorldError::Parameter { parameter, value, expected, .. } => {
            arguments.refused(&OptionError::out_of_range(parameter, value, expected)).into()
        }
        WorldError::Option(error) => arguments.refused(&error).into(),
        other => LoadError::World(other),
    }
}

impl fmt::Display for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named { arguments, .. } => arguments.fmt(f),
            Self::File(path) => path.display().fmt(f),
            Self::Given { name, .. } => f.write_str(name),
        }
    }
}

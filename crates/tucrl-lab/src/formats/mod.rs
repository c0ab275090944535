//! Model files: how is an MDP written to a file and read back identically?
//!
//! The extension selects the format: `.json` (tucrl), `.drn` (the explicit format of the model checker Storm), `.umb`
//! (unified Markov binary), and, only to be read, `.tra` with the files beside it (the explicit format of PRISM); each
//! may be compressed with gzip (`.gz`). They are read and written in memory proportional to the model. A file is replaced
//! as a whole or not at all. `docs/formats.md` describes them.

pub mod disk;
mod drn;
mod elsewhere;
mod error;
mod foreign;
mod json;
mod law;
mod lines;
mod prism;
pub mod save;
mod source;
mod umb;

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

use tucrl::mdp::Mdp;
use tucrl::reward::RewardRange;

pub(crate) use elsewhere::place;
pub use elsewhere::{Places, with_places};
pub use error::FormatError;
pub use save::new_file;

/// The number of bytes that a compressed file may unpack to, unless another is given.
pub const UNPACK_LIMIT: u64 = 4_000_000_000;

/// Choices that the file alone does not settle.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadOptions {
    /// The reward model to read, of a file that is not `.json`; needed when there are several.
    pub reward_model: Option<String>,
    /// The largest possible reward, where the smallest is 0; overrides the file.
    pub r_max: Option<f64>,
    /// The smallest and the largest possible reward; overrides the file. Not together with `r_max`.
    pub reward_range: Option<RewardRange>,
    /// The number of bytes that a compressed file may unpack to; [`UNPACK_LIMIT`] by default.
    pub unpack_limit: Option<u64>,
}

impl ReadOptions {
    /// The range of rewards that overrides the file.
    fn range(&self) -> Option<RewardRange> {
        self.reward_range.or(self.r_max.map(RewardRange::up_to))
    }

    fn unpack_limit(&self) -> u64 {
        self.unpack_limit.unwrap_or(UNPACK_LIMIT)
    }
}

/// What to do when the output file exists.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum IfExists {
    /// Keep it and fail.
    #[default]
    Refuse,
    /// Replace it, once the new file is complete.
    Replace,
}

/// A file format for models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// tucrl's own format, `.json`.
    Json,
    /// Storm's explicit format, `.drn`.
    Drn,
    /// Unified Markov binary, `.umb`.
    Umb,
    /// PRISM's explicit format, `.tra` and the files beside it; only read.
    Prism,
}

impl Format {
    /// The format of a file name; `.gz` at its end says nothing about it.
    ///
    /// # Errors
    /// [`FormatError::UnknownExtension`], which names the accepted ones.
    pub fn of(path: &Path) -> Result<Self, FormatError> {
        let extension = |path: &Path| path.extension().map(|e| e.to_ascii_lowercase());
        let mut found = extension(path);
        if is_gzip(path) {
            found = path.file_stem().and_then(|inner| extension(Path::new(inner)));
        }
        match found.as_ref().and_then(|e| e.to_str()) {
            Some("json") => Ok(Self::Json),
            Some("drn") => Ok(Self::Drn),
            Some("umb") => Ok(Self::Umb),
            Some("tra") => Ok(Self::Prism),
            _ => Err(FormatError::UnknownExtension { path: path.into() }),
        }
    }
}

fn is_gzip(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"))
}

/// All files that are read with this one: for `.tra` also those beside it that belong to it.
pub fn files_of(path: &Path) -> Vec<PathBuf> {
    match Format::of(path) {
        Ok(Format::Prism) => prism::files_of(path),
        _ => vec![path.into()],
    }
}

/// Reads a model in the format of the extension.
///
/// # Errors
/// When the file cannot be read, is malformed, or describes no valid model; the message has the place.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Mdp, FormatError> {
    if options.r_max.is_some() && options.reward_range.is_some() {
        return Err(FormatError::TwoRanges { path: path.into() });
    }
    match Format::of(path)? {
        Format::Json => json::read(path, options),
        Format::Drn => drn::read(path, options),
        Format::Umb => umb::read(path, options),
        Format::Prism => prism::read(path, options),
    }
}

/// Writes a model in the format of the extension.
///
/// The new file appears complete or not at all: it is written to a temporary file in the same folder, synced,
/// and renamed.
///
/// # Errors
/// When the extension is unknown, the file exists and may not be replaced, or writing fails.
pub fn write(mdp: &Mdp, path: &Path, if_exists: IfExists) -> Result<(), FormatError> {
    write_with(mdp, None, path, if_exists)
}

/// The same with a remark in the file, of one line; JSON has no place for one.
///
/// # Errors
/// As [`write()`].
pub fn write_with(
    mdp: &Mdp,
    remark: Option<&str>,
    path: &Path,
    if_exists: IfExists,
) -> Result<(), FormatError> {
    let format = Format::of(path)?;
    if format == Format::Prism {
        return Err(FormatError::OnlyRead { path: path.into() });
    }
    let content = |out: &mut dyn Write| match format {
        Format::Json => json::write(mdp, out),
        Format::Drn => drn::write(mdp, remark, out),
        Format::Umb | Format::Prism => umb::write(mdp, remark, out),
    };
    save::atomically(path, if_exists, |out| {
        // Archives are compressed whatever their name, as other programs write them.
        if format != Format::Umb && !is_gzip(path) {
            return content(out);
        }
        // Without a time in its header: the same model gives the same bytes.
        let mut packed = BufWriter::new(GzEncoder::new(out, Compression::default()));
        content(&mut packed)?;
        packed.into_inner().map_err(|error| error.into_error())?.finish().map(drop)
    })
}

/// Reads a model from a text in tucrl's own format, without a file; messages call it `name`.
///
/// # Errors
/// When the text is malformed or describes no valid model; the message has the line.
pub fn from_json(name: &str, text: &str) -> Result<Mdp, FormatError> {
    let path = Path::new(name);
    if text.trim().is_empty() {
        return Err(FormatError::Empty { path: path.into() });
    }
    json::read_from(text.as_bytes(), path, &ReadOptions::default())
}

/// A model as a text in tucrl's own format, byte for byte what [`write()`] puts into a file.
pub fn to_json(mdp: &Mdp) -> String {
    let mut text = Vec::new();
    // Writing to memory cannot fail.
    let _ = json::write(mdp, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// The remark for a table that has only the reachable states of a world.
pub fn reachable_part(reachable: usize, states: u64, world: &str) -> String {
    format!("only the {reachable} reachable of the {states} states of {world}, numbered anew")
}

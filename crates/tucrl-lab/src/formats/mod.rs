//! How does a world get into a file, and back, without losing a bit?
//!
//! Two formats, told apart by the extension: `.json`, our own, and `.drn`, the explicit format of
//! the model checker Storm. Both are read and written as streams, in memory proportional to the
//! model. What was written comes back identical. A file is replaced as a whole or not at all.
//! `docs/formats.md` describes both for people who write such files by hand.
//!
//! Reads `tucrl::mdp`; feeds the commands. The paper does not speak of files.

mod drn;
mod error;
mod json;
mod law;
pub(crate) mod save;
mod source;

use std::path::Path;

use tucrl::mdp::Mdp;

pub use error::FormatError;
pub(crate) use save::new_file;

/// What the file alone does not settle.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReadOptions {
    /// Which reward model of a `.drn` file to read; needed when there are several.
    pub reward_model: Option<String>,
    /// The largest possible reward; replaces what the file says.
    pub r_max: Option<f64>,
}

/// What to do when the file to be written is already there.
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
    /// Our own, `.json`.
    Json,
    /// Storm's explicit format, `.drn`.
    Drn,
}

impl Format {
    /// The format that a file name asks for.
    ///
    /// # Errors
    /// [`FormatError::UnknownExtension`], which names the accepted ones.
    pub fn of(path: &Path) -> Result<Self, FormatError> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
        match extension.as_deref() {
            Some("json") => Ok(Self::Json),
            Some("drn") => Ok(Self::Drn),
            _ => Err(FormatError::UnknownExtension { path: path.into() }),
        }
    }
}

/// Reads a model; the extension decides the format.
///
/// # Errors
/// When the file cannot be read, is malformed, or describes no valid model; with the place.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Mdp, FormatError> {
    match Format::of(path)? {
        Format::Json => json::read(path, options),
        Format::Drn => drn::read(path, options),
    }
}

/// Writes a model; the extension decides the format.
///
/// The new file appears complete or not at all: it is written next to its place under another
/// name, flushed to the disk, and renamed.
///
/// # Errors
/// When the extension is unknown, the file exists and may not be replaced, or the disk refuses.
pub fn write(mdp: &Mdp, path: &Path, if_exists: IfExists) -> Result<(), FormatError> {
    let format = Format::of(path)?;
    save::atomically(path, if_exists, |out| match format {
        Format::Json => json::write(mdp, out),
        Format::Drn => drn::write(mdp, out),
    })
}

//! How are the arrays of an archive read?
//!
//! Entries are held as bytes, up to a limit for all of them together, and never allocated by the size that a header
//! declares. Entries that a model does not need (valuations, observations, labels) are skipped.

use std::collections::HashMap;
use std::io::{BufRead, Read};
use std::path::Path;

use super::super::FormatError;
use super::super::source::UnpackError;
use super::index::{Kind, Type};

/// Bytes of an offset, and of a target.
const WORD: usize = 8;

/// The entries of an archive that a model may need.
pub(super) struct Archive<'a> {
    path: &'a Path,
    entries: HashMap<String, Vec<u8>>,
}

/// An entry as numbers of one type.
pub(super) struct Numbers<'a> {
    bytes: &'a [u8],
    kind: Kind,
    width: usize,
}

impl Numbers<'_> {
    /// One of the numbers; 0 below a fraction line gives one that is not finite.
    pub(super) fn at(&self, index: usize) -> f64 {
        let bytes = &self.bytes[index * self.width..][..self.width];
        match self.kind {
            Kind::Double => f64::from_le_bytes(bytes.try_into().unwrap_or_default()),
            Kind::Int => signed(bytes) as f64,
            Kind::Uint => unsigned(bytes) as f64,
            Kind::Rational => {
                let (top, bottom) = bytes.split_at(self.width / 2);
                signed(top) as f64 / unsigned(bottom) as f64
            }
        }
    }
}

/// An entry as numbers of things, all of which exist.
pub(super) struct Words<'a> {
    bytes: &'a [u8],
    width: usize,
}

impl Words<'_> {
    pub(super) fn at(&self, index: usize) -> usize {
        unsigned(&self.bytes[index * self.width..][..self.width]) as usize
    }
}

/// A number of at most eight bytes.
fn unsigned(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

fn signed(bytes: &[u8]) -> i64 {
    let unused = 64 - 8 * bytes.len() as u32;
    (unsigned(bytes) << unused) as i64 >> unused
}

/// An entry as offsets: the parts of item i are `offset(i)..offset(i + 1)`.
pub(super) enum Offsets<'a> {
    Given(&'a [u8]),
    /// The entry is absent: every item has one part.
    One,
}

impl Offsets<'_> {
    pub(super) fn of(&self, index: usize) -> std::ops::Range<usize> {
        match self {
            Self::Given(bytes) => word(bytes, index) as usize..word(bytes, index + 1) as usize,
            Self::One => index..index + 1,
        }
    }
}

fn word(bytes: &[u8], index: usize) -> u64 {
    unsigned(&bytes[index * WORD..][..WORD])
}

impl<'a> Archive<'a> {
    /// Reads what may be needed, at most `limit` bytes.
    pub(super) fn read(
        input: impl BufRead,
        path: &'a Path,
        limit: u64,
    ) -> Result<Self, FormatError> {
        let mut found = Self { path, entries: HashMap::new() };
        let failed = |error: std::io::Error| match UnpackError::inside(&error) {
            Some(_) => FormatError::io(path, error),
            None => FormatError::Entry {
                path: path.into(),
                entry: "the archive".into(),
                what: format!("{error}: check that this is a UMB file, a tar archive"),
            },
        };
        let mut left = limit;
        let mut archive = tar::Archive::new(input);
        for entry in archive.entries().map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            let name = name.strip_prefix("./").unwrap_or(&name).to_string();
            if !entry.header().entry_type().is_file() || !is_needed(&name) {
                continue;
            }
            let mut bytes = Vec::new();
            // One byte more, to see whether there is more.
            entry.take(left.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
            left = left
                .checked_sub(bytes.len() as u64)
                .ok_or(FormatError::UnpacksToMore { path: path.into(), most: limit })?;
            if found.entries.insert(name.clone(), bytes).is_some() {
                return Err(found.wrong(&name, "the archive has this entry twice: keep one"));
            }
        }
        Ok(found)
    }

    pub(super) fn path(&self) -> &'a Path {
        self.path
    }

    /// An entry is malformed.
    pub(super) fn wrong(&self, entry: &str, what: impl Into<String>) -> FormatError {
        FormatError::Entry { path: self.path.into(), entry: entry.into(), what: what.into() }
    }

    pub(super) fn has(&self, entry: &str) -> bool {
        self.entries.contains_key(entry)
    }

    /// The bytes of an entry that must be there.
    pub(super) fn bytes(&self, entry: &str) -> Result<&[u8], FormatError> {
        let bytes = self.entries.get(entry).map(Vec::as_slice);
        bytes.ok_or_else(|| self.wrong(entry, "the archive does not have this entry: add it"))
    }

    /// The bytes of an entry with `count` items of `width` bytes.
    fn items(&self, entry: &str, count: u64, width: usize) -> Result<&[u8], FormatError> {
        let bytes = self.bytes(entry)?;
        if u128::from(count) * width as u128 == bytes.len() as u128 {
            return Ok(bytes);
        }
        Err(self.wrong(
            entry,
            format!(
                "{} bytes where the index declares {count} items of {width} bytes: correct one of them",
                bytes.len()
            ),
        ))
    }

    /// An entry of `count` numbers.
    pub(super) fn numbers(
        &self,
        entry: &str,
        of: Type,
        count: u64,
    ) -> Result<Numbers<'_>, FormatError> {
        let width = of.bytes().map_err(|what| self.wrong(entry, what))?;
        Ok(Numbers { bytes: self.items(entry, count, width)?, kind: of.kind, width })
    }

    /// An entry of `count` numbers of `width` bytes, each below `end`.
    pub(super) fn words(
        &self,
        entry: &str,
        (count, width): (u64, usize),
        (what, end): (&str, u64),
    ) -> Result<Words<'_>, FormatError> {
        let bytes = self.items(entry, count, width)?;
        let too_large = bytes.chunks_exact(width).map(unsigned).enumerate().find(|it| it.1 >= end);
        match too_large {
            None => Ok(Words { bytes, width }),
            Some((index, number)) => Err(self.wrong(
                &format!("{entry}, item {index}"),
                format!("there is no {what} {number}: the index declares {end}, numbered from 0"),
            )),
        }
    }

    /// The offsets of `items` items into `parts` parts.
    pub(super) fn offsets(
        &self,
        entry: &str,
        items: u64,
        parts: u64,
    ) -> Result<Offsets<'_>, FormatError> {
        if !self.has(entry) {
            return match items == parts {
                true => Ok(Offsets::One),
                false => self.bytes(entry).map(Offsets::Given),
            };
        }
        let bytes = self.items(entry, items.saturating_add(1), WORD)?;
        let mut before = 0;
        for (index, offset) in bytes.chunks_exact(WORD).map(unsigned).enumerate() {
            if offset < before || offset > parts || (index == 0 && offset > 0) {
                return Err(self.wrong(
                    &format!("{entry}, item {index}"),
                    format!(
                        "the offset {offset} after {before}: offsets begin with 0, do not fall, and end with {parts}"
                    ),
                ));
            }
            before = offset;
        }
        if before != parts {
            return Err(self.wrong(
                entry,
                format!("the last offset is {before}, and the index declares {parts}: correct one of them"),
            ));
        }
        Ok(Offsets::Given(bytes))
    }

    /// The items whose bit is set, of `count` bits; there may be more bits, to fill a byte or a word.
    pub(super) fn set_bits(&self, entry: &str, count: u64) -> Result<Vec<usize>, FormatError> {
        let bytes = self.bytes(entry)?;
        if (bytes.len() as u64) < count.div_ceil(8) {
            return Err(self.wrong(
                entry,
                format!("{} bytes are fewer than {count} bits: complete the entry", bytes.len()),
            ));
        }
        let bits = bytes.iter().enumerate();
        let set = bits.flat_map(|(index, &byte)| {
            (0..8).filter(move |bit| byte >> bit & 1 == 1).map(move |bit| 8 * index + bit)
        });
        Ok(set.take_while(|&item| (item as u64) < count).collect())
    }

    /// A list of texts: their bytes in `strings.bin`, offsets of them in `string-mapping.bin`.
    pub(super) fn texts(&self, folder: &str) -> Result<Vec<String>, FormatError> {
        let (entry, mapping) =
            (format!("{folder}/strings.bin"), format!("{folder}/string-mapping.bin"));
        let bytes = self.bytes(&entry)?;
        let length = self.bytes(&mapping)?.len();
        let count = (length / WORD).checked_sub(1).filter(|_| length.is_multiple_of(WORD));
        let Some(count) = count else {
            return Err(self.wrong(&mapping, "this is not a list of offsets of 8 bytes"));
        };
        let offsets = self.offsets(&mapping, count as u64, bytes.len() as u64)?;
        (0..count)
            .map(|index| match std::str::from_utf8(&bytes[offsets.of(index)]) {
                Ok(text) => Ok(text.to_string()),
                Err(_) => {
                    Err(self.wrong(&entry, format!("text {index} is not UTF-8: write it as UTF-8")))
                }
            })
            .collect()
    }
}

/// Everything but what a model does not use and what may be large.
fn is_needed(entry: &str) -> bool {
    let skipped = ["valuations/", "observations/", "annotations/aps/"];
    !skipped.iter().any(|folder| entry.starts_with(folder))
}

//! How is a model file opened, unpacked, and its lines counted?
//!
//! Handles what the formats share: folders, missing and empty files, gzip, and a UTF-8 byte order mark, which is skipped.
//! What is compressed is recognised by its first bytes. It may unpack to a limited number of bytes, because a small
//! file can unpack to any number of them. [`Counting`] gives the current line to a parser that does not track it.

use std::cell::Cell;
use std::error::Error;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::rc::Rc;

use flate2::bufread::MultiGzDecoder;
use thiserror::Error;

use super::FormatError;

/// Bytes of a text in quotes, at most.
const LONGEST_TEXT: usize = 16_000_000;
/// Bytes that are held at a time while a file is searched.
const PIECE: usize = 1 << 16;
/// First bytes of compressed files that are not read, and what compressed them.
const OTHER_COMPRESSIONS: [(&[u8], &str); 3] =
    [(b"BZh", "bzip2"), (b"\xfd7zXZ", "xz"), (b"\x28\xb5\x2f\xfd", "zstd")];

/// Why compressed bytes could not be unpacked.
#[derive(Debug, Clone, Error)]
pub(super) enum UnpackError {
    #[error("more than {most} bytes")]
    TooLarge { most: u64 },
    #[error("the gzip data is damaged or cut off ({0}): get the file anew")]
    Damaged(String),
}

impl UnpackError {
    /// The reason inside an error of the system, at any depth.
    pub(super) fn inside(error: &io::Error) -> Option<&Self> {
        let mut present: &(dyn Error + 'static) = error.get_ref()?;
        loop {
            if let Some(found) = present.downcast_ref() {
                return Some(found);
            }
            // The source of an I/O error skips the error that it holds.
            let held = present.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
            present = match held {
                Some(held) => held,
                None => present.source()?,
            };
        }
    }
}

/// The content of a file, unpacked.
pub(super) enum Source {
    Plain(BufReader<File>),
    Packed(Box<BufReader<Unpacking>>),
}

/// Unpacks gzip up to a number of bytes.
pub(super) struct Unpacking {
    input: MultiGzDecoder<BufReader<File>>,
    left: u64,
    most: u64,
}

impl Read for Unpacking {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.input.read(buffer).map_err(|error| match error.kind() {
            io::ErrorKind::Interrupted => error,
            _ => io::Error::other(UnpackError::Damaged(error.to_string())),
        })?;
        match self.left.checked_sub(length as u64) {
            Some(left) => self.left = left,
            None => return Err(io::Error::other(UnpackError::TooLarge { most: self.most })),
        }
        Ok(length)
    }
}

impl Read for Source {
    #[inline]
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(input) => input.read(buffer),
            Self::Packed(input) => input.read(buffer),
        }
    }
}

impl BufRead for Source {
    #[inline]
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match self {
            Self::Plain(input) => input.fill_buf(),
            Self::Packed(input) => input.fill_buf(),
        }
    }

    #[inline]
    fn consume(&mut self, length: usize) {
        match self {
            Self::Plain(input) => input.consume(length),
            Self::Packed(input) => input.consume(length),
        }
    }
}

/// Opens a non-empty file, which may unpack to `limit` bytes.
pub(super) fn open_bytes(path: &Path, limit: u64) -> Result<Source, FormatError> {
    let failed = |source| FormatError::io(path, source);
    let file = File::open(super::place(path)).map_err(failed)?;
    if file.metadata().map_err(failed)?.is_dir() {
        return Err(FormatError::IsFolder { path: path.into() });
    }
    let mut input = BufReader::with_capacity(PIECE, file);
    let first = input.fill_buf().map_err(failed)?;
    let other = OTHER_COMPRESSIONS.iter().find(|(magic, _)| first.starts_with(magic));
    if let Some(&(_, kind)) = other {
        return Err(FormatError::UnknownCompression { path: path.into(), kind });
    }
    let mut input = if first.starts_with(b"\x1f\x8b") {
        let input = Unpacking { input: MultiGzDecoder::new(input), left: limit, most: limit };
        Source::Packed(Box::new(BufReader::with_capacity(PIECE, input)))
    } else {
        Source::Plain(input)
    };
    if input.fill_buf().map_err(failed)?.is_empty() {
        return Err(FormatError::Empty { path: path.into() });
    }
    Ok(input)
}

/// The same for text, after its byte order mark.
pub(super) fn open(path: &Path, limit: u64) -> Result<Source, FormatError> {
    let mut input = open_bytes(path, limit)?;
    let first = input.fill_buf().map_err(|source| FormatError::io(path, source))?;
    if first.starts_with(b"\xef\xbb\xbf") {
        input.consume(3);
    }
    Ok(input)
}

/// The first line that is not UTF-8 within the first `length` bytes of the file, if there is one.
///
/// In pieces: a file may have no line ends.
pub(super) fn first_line_not_utf8(path: &Path, limit: u64, length: u64) -> Option<usize> {
    // Three bytes more, so that a character is whole that begins within the first ones.
    let mut input = open(path, limit).ok()?.take(length.saturating_add(3));
    let (mut line, mut piece) = (1, vec![0; PIECE]);
    // Bytes at the beginning of `piece` that the last one ended with: a part of a character.
    let mut kept = 0;
    loop {
        let read = input.read(&mut piece[kept..]).ok()?;
        let bytes = &piece[..kept + read];
        let valid = match std::str::from_utf8(bytes) {
            Ok(_) => bytes.len(),
            // The character may go on in the next piece, or beyond the bytes that matter.
            Err(error) if error.error_len().is_none() && (read > 0 || input.limit() == 0) => {
                error.valid_up_to()
            }
            Err(error) => {
                return Some(line + count_lines(&bytes[..error.valid_up_to()]));
            }
        };
        if read == 0 {
            return None;
        }
        line += count_lines(&bytes[..valid]);
        let end = bytes.len();
        piece.copy_within(valid..end, 0);
        kept = end - valid;
    }
}

fn count_lines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte == b'\n').count()
}

/// Counts the lines and bytes of a JSON text read through it; clones of `line` and `length` share the counts.
///
/// A text in quotes has a largest length: without it, a quotation mark that is never closed would bring the rest of the
/// file into memory.
pub(super) struct Counting<R> {
    input: R,
    line: Rc<Cell<usize>>,
    length: Rc<Cell<u64>>,
    quoted: Quoted,
}

/// Whether the next byte stands in quotes, and how many have before it.
#[derive(Default)]
struct Quoted {
    is_open: bool,
    is_escaped: bool,
    length: usize,
}

impl Quoted {
    /// False if the text in quotes is too long.
    #[inline]
    fn pass(&mut self, byte: u8) -> bool {
        if !self.is_open {
            self.is_open = byte == b'"';
            self.length = 0;
            return true;
        }
        self.length += 1;
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' => self.is_escaped = true,
            b'"' => self.is_open = false,
            _ => {}
        }
        self.length <= LONGEST_TEXT
    }
}

impl<R> Counting<R> {
    /// Starts on line 1.
    pub(super) fn new(input: R) -> Self {
        let (line, length) = (Rc::new(Cell::new(1)), Rc::default());
        Self { input, line, length, quoted: Quoted::default() }
    }

    /// The current line, from 1.
    pub(super) fn line(&self) -> Rc<Cell<usize>> {
        Rc::clone(&self.line)
    }

    /// The number of bytes read so far.
    pub(super) fn length(&self) -> Rc<Cell<u64>> {
        Rc::clone(&self.length)
    }
}

impl<R: Read> Read for Counting<R> {
    #[inline]
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.input.read(buffer)?;
        self.line.set(self.line.get() + count_lines(&buffer[..length]));
        self.length.set(self.length.get() + length as u64);
        if !buffer[..length].iter().all(|&byte| self.quoted.pass(byte)) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "a text in quotes has more than 16 MB: close its quotation mark, or shorten it",
            ));
        }
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_bytes_are_found_wherever_a_piece_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.json");
        for place in PIECE - 4..PIECE + 4 {
            // A character of three bytes around the end of the first piece.
            let mut text = vec![b'a'; place];
            text[10] = b'\n';
            text.extend("€\n€".as_bytes());
            let found = |text: &[u8], length: usize| {
                std::fs::write(&path, text).unwrap();
                first_line_not_utf8(&path, u64::MAX, length as u64)
            };
            let all = text.len();
            for length in place - 5..all {
                assert_eq!(found(&text, length), None, "{place}, {length}");
            }
            assert_eq!(found(&text[..all - 1], all), Some(3), "{place}");
            text[place + 1] = b'a';
            assert_eq!(found(&text, all), Some(2), "{place}");
            assert_eq!(found(&text, place - 3), None, "{place}");
        }
    }
}

//! How is a model file opened, and its lines counted?
//!
//! Handles what both formats share: folders, missing and empty files, and a UTF-8 byte order mark, which is skipped.
//! [`Counting`] gives the current line to a parser that does not track it.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::rc::Rc;

use super::FormatError;

/// Bytes of a text in quotes, at most.
const LONGEST_TEXT: usize = 16_000_000;
/// Bytes that are held at a time while a file is searched.
const PIECE: usize = 1 << 16;

/// Opens a non-empty file.
pub(super) fn open(path: &Path) -> Result<BufReader<File>, FormatError> {
    let failed = |source| FormatError::io(path, source);
    let file = File::open(super::place(path)).map_err(failed)?;
    if file.metadata().map_err(failed)?.is_dir() {
        return Err(FormatError::IsFolder { path: path.into() });
    }
    let mut input = BufReader::with_capacity(1 << 16, file);
    let first = input.fill_buf().map_err(failed)?;
    if first.is_empty() {
        return Err(FormatError::Empty { path: path.into() });
    }
    if first.starts_with(b"\xef\xbb\xbf") {
        input.consume(3);
    }
    Ok(input)
}

/// The first line that is not UTF-8 within the first `length` bytes of the file, if there is one.
///
/// In pieces: a file may have no line ends.
pub(super) fn first_line_not_utf8(path: &Path, length: u64) -> Option<usize> {
    // Three bytes more, so that a character is whole that begins within the first ones.
    let mut input = open(path).ok()?.take(length.saturating_add(3));
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
                first_line_not_utf8(&path, length as u64)
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

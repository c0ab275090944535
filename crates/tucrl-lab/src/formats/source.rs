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

/// Opens a non-empty file.
pub(super) fn open(path: &Path) -> Result<BufReader<File>, FormatError> {
    let failed = |source| FormatError::io(path, source);
    let file = File::open(path).map_err(failed)?;
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

/// The first line that is not UTF-8, if there is one.
pub(super) fn first_line_not_utf8(path: &Path) -> Option<usize> {
    let mut input = open(path).ok()?;
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        if input.read_until(b'\n', &mut line).ok()? == 0 {
            break;
        }
        if std::str::from_utf8(&line).is_err() {
            return Some(number);
        }
    }
    None
}

/// Counts the lines read through it; clones of `line` share the count.
pub(super) struct Counting<R> {
    input: R,
    line: Rc<Cell<usize>>,
}

impl<R> Counting<R> {
    /// Starts on line 1.
    pub(super) fn new(input: R) -> Self {
        Self { input, line: Rc::new(Cell::new(1)) }
    }

    /// The current line, from 1.
    pub(super) fn line(&self) -> Rc<Cell<usize>> {
        Rc::clone(&self.line)
    }
}

impl<R: Read> Read for Counting<R> {
    #[inline]
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.input.read(buffer)?;
        let lines = buffer[..length].iter().filter(|&&byte| byte == b'\n').count();
        self.line.set(self.line.get() + lines);
        Ok(length)
    }
}

//! How is a model of the model checker PRISM read?
//!
//! PRISM exports a model as several texts beside each other, told apart by their extensions: transitions (`.tra`),
//! values of the variables (`.sta`), labels (`.lab`), rewards of states (`.srew`) and of transitions (`.trew`). Only the
//! transitions are needed. Lines that begin with `#` and empty ones are skipped in all of them. Several reward structures
//! are exported with a number before the extension: `model1.srew`, `model2.srew`, …
//!
//! The reward of a transition is that of its state plus its own, and is then paid together with the next state.

mod beside;
mod transitions;

use std::path::{Path, PathBuf};

use tucrl::mdp::Mdp;

use super::lines::Lines;
use super::source::{Source, open};
use super::{FormatError, ReadOptions};
use beside::Beside;

/// Reads a model.
pub(super) fn read(path: &Path, options: &ReadOptions) -> Result<Mdp, FormatError> {
    let beside = Beside::find(path, options.reward_model.as_deref())?;
    transitions::read(path, &beside, options)
}

/// The file of the transitions and those that belong to it.
pub(super) fn files_of(path: &Path) -> Vec<PathBuf> {
    let mut files = vec![path.to_path_buf()];
    files.extend(beside::all(path));
    files
}

/// The lines of one of the files that say something.
struct Text<'a>(Lines<'a, Source>);

impl<'a> Text<'a> {
    fn open(path: &'a Path, options: &ReadOptions) -> Result<Self, FormatError> {
        Ok(Self(Lines::new(open(path, options.unpack_limit())?, path)))
    }

    /// Goes to the next line; false at the end, and where the caller wants to stop.
    fn advance(&mut self) -> Result<bool, FormatError> {
        while self.0.advance()? {
            let line = self.0.text().trim();
            if !line.is_empty() && !line.starts_with('#') {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Goes to the first line, which has to exist.
    fn first(&mut self, what: &str) -> Result<(), FormatError> {
        match self.advance()? {
            true => Ok(()),
            false => Err(self.0.syntax(format!("the file ends before its first line: {what}"))),
        }
    }

    /// The whole numbers of a header, one for each of `shape`.
    fn counts<const N: usize>(&self, shape: &str) -> Result<[usize; N], FormatError> {
        let words = self.words::<N>(shape)?;
        let mut counts = [0; N];
        for (count, word) in counts.iter_mut().zip(words) {
            *count = self.0.count(word, "a count")?;
        }
        Ok(counts)
    }

    /// The words of a line with exactly `N` of them.
    fn words<const N: usize>(&self, shape: &str) -> Result<[&str; N], FormatError> {
        let words: Vec<&str> = self.0.text().split_whitespace().take(N + 1).collect();
        words.try_into().map_err(|_| {
            self.0.syntax(format!("{:?} is not {shape}: write {N} of them", self.0.text().trim()))
        })
    }

    /// A file has as many of something as its header says.
    fn check(
        &self,
        what: &'static str,
        line: usize,
        declared: usize,
        found: usize,
    ) -> Result<(), FormatError> {
        match declared == found {
            true => Ok(()),
            false => {
                Err(FormatError::Count { path: self.0.path().into(), line, what, declared, found })
            }
        }
    }
}

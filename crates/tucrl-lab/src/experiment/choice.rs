//! Which cells of an experiment are meant?
//!
//! By number, as `tucrl run --list` shows them line by line; by title; or as one of n parts. What is chosen is what all of
//! them choose. Parts and numbers are of the whole list, so that they mean the same whatever else is chosen.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use thiserror::Error;

use super::{Cell, Experiment};

/// A choice of cells; all of them unless something is said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    /// Numbers in the whole list, from 1.
    pub cells: Option<Numbers>,
    /// A pattern in the title `world label #run`; see [`super::CellId::matches`].
    pub only: Option<String>,
    /// The i-th of n parts, from 1.
    pub shard: Option<(usize, usize)>,
}

/// Numbers of cells, as in `3,17,40-59`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numbers(Vec<RangeInclusive<usize>>);

/// Why cells cannot be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ChoiceError {
    /// Not numbers.
    #[error("{found:?} is no list of cells: write numbers and ranges from 1, as in 3,17,40-59")]
    Numbers {
        /// What is there.
        found: String,
    },
    /// A number beyond the last.
    #[error(
        "there is no cell {number}: the experiment has {cells}, which `tucrl run --list` shows line by line"
    )]
    NoCell {
        /// The number.
        number: usize,
        /// How many there are.
        cells: usize,
    },
    /// A pattern that matches nothing.
    #[error("no run matches {pattern:?}: `tucrl run --list` shows them as they are matched")]
    NoMatch {
        /// The pattern.
        pattern: String,
    },
    /// Choices that have nothing in common.
    #[error("no run is in all that was chosen: choose by numbers, titles or parts alone")]
    Nothing,
}

impl FromStr for Numbers {
    type Err = ChoiceError;

    fn from_str(text: &str) -> Result<Self, ChoiceError> {
        let refused = || ChoiceError::Numbers { found: text.into() };
        let number = |text: &str| {
            let text = text.trim();
            let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            let number = text.parse::<usize>().ok().filter(|&number| is_plain && number > 0);
            number.ok_or_else(refused)
        };
        let range = |part: &str| match part.split_once('-') {
            None => number(part).map(|only| only..=only),
            Some((first, last)) => {
                let range = number(first)?..=number(last)?;
                if range.is_empty() { Err(refused()) } else { Ok(range) }
            }
        };
        text.split(',').map(range).collect::<Result<_, _>>().map(Self)
    }
}

impl fmt::Display for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, range) in self.0.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            match range.start() == range.end() {
                true => write!(f, "{comma}{}", range.start())?,
                false => write!(f, "{comma}{}-{}", range.start(), range.end())?,
            }
        }
        Ok(())
    }
}

impl Numbers {
    /// Whether a number is among them.
    pub fn contains(&self, number: usize) -> bool {
        self.0.iter().any(|range| range.contains(&number))
    }

    fn largest(&self) -> usize {
        self.0.iter().map(|range| *range.end()).max().unwrap_or(0)
    }
}

impl Choice {
    /// The cells with their numbers, in the order of the experiment.
    ///
    /// # Errors
    /// When a number is beyond the last, or nothing is chosen.
    pub fn of(&self, experiment: &Experiment) -> Result<Vec<(usize, Cell)>, ChoiceError> {
        let all = experiment.cells();
        if let Some(numbers) = &self.cells
            && numbers.largest() > all.len()
        {
            return Err(ChoiceError::NoCell { number: numbers.largest(), cells: all.len() });
        }
        let mut chosen: Vec<(usize, Cell)> = (1..).zip(all).collect();
        if let Some(pattern) = &self.only {
            chosen.retain(|(_, cell)| cell.id.matches(pattern));
            if chosen.is_empty() {
                return Err(ChoiceError::NoMatch { pattern: pattern.clone() });
            }
        }
        chosen.retain(|(number, _)| {
            let is_named = self.cells.as_ref().is_none_or(|numbers| numbers.contains(*number));
            is_named && self.shard.is_none_or(|(part, parts)| number % parts == part % parts)
        });
        // A part of few cells may be empty: another machine has them.
        match chosen.is_empty() && self.cells.is_some() {
            true => Err(ChoiceError::Nothing),
            false => Ok(chosen),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::Catalogue;

    fn experiment() -> Experiment {
        let text = "name = \"few\"\nsteps = 10\nseeds = 3\nworlds = [\"two-state\", \"taxi\"]\n\
                    agents = [\"random\", \"tucrl\"]\n";
        Experiment::parse(Path::new("few.toml"), text.into(), &Catalogue::default()).unwrap()
    }

    fn chosen(choice: Choice) -> Result<Vec<usize>, ChoiceError> {
        Ok(choice.of(&experiment())?.into_iter().map(|(number, _)| number).collect())
    }

    fn numbered(text: &str) -> Choice {
        Choice { cells: Some(text.parse().unwrap()), ..Choice::default() }
    }

    #[test]
    fn numbers_are_lines_of_the_list() {
        assert_eq!(chosen(Choice::default()).unwrap(), (1..=12).collect::<Vec<_>>());
        assert_eq!(chosen(numbered("3,1,7-9, 8")).unwrap(), [1, 3, 7, 8, 9]);
        assert_eq!(chosen(numbered("12")).unwrap(), [12]);
        assert_eq!(" 3,17, 40-59".parse::<Numbers>().unwrap().to_string(), "3,17,40-59");
        let cell = &numbered("5").of(&experiment()).unwrap()[0].1;
        assert_eq!(cell.id.title(), "two-state tucrl #1");
    }

    #[test]
    fn what_is_no_number_of_a_cell_is_refused() {
        for text in ["", "0", "a", "3-", "-3", "5-3", "1,,2", "1.5", "+1", "99999999999999999999"] {
            assert!(text.parse::<Numbers>().is_err(), "{text}");
        }
        let error = chosen(numbered("2-13")).unwrap_err();
        assert_eq!(error, ChoiceError::NoCell { number: 13, cells: 12 });
    }

    #[test]
    fn what_is_chosen_is_what_all_choose() {
        let both = Choice { shard: Some((2, 5)), ..numbered("1-10") };
        assert_eq!(chosen(both).unwrap(), [2, 7]);
        let title = Choice { only: Some("tucrl".into()), ..numbered("1-6") };
        assert_eq!(chosen(title).unwrap(), [4, 5, 6]);
        let nothing = Choice { only: Some("taxi".into()), ..numbered("1") };
        assert_eq!(chosen(nothing), Err(ChoiceError::Nothing));
        // With more parts than cells some are empty, which is no mistake.
        let empty = Choice { shard: Some((14, 20)), ..Choice::default() };
        assert_eq!(chosen(empty).unwrap(), [0; 0]);
    }

    #[test]
    fn a_whole_title_is_that_of_one_cell() {
        let only = |pattern: &str| Choice { only: Some(pattern.into()), ..Choice::default() };
        assert_eq!(chosen(only("=taxi tucrl #2")).unwrap(), [12]);
        // Without `=` it is a part: tucrl is one of ucrl.
        assert_eq!(chosen(only("ucrl #2")).unwrap(), [6, 12]);
        for pattern in ["=taxi tucrl #", "=tucrl #2", "=taxi*#2"] {
            assert!(matches!(chosen(only(pattern)), Err(ChoiceError::NoMatch { .. })), "{pattern}");
        }
    }
}

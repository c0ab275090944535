//! What do the files beside the transitions say?
//!
//! ```text
//! .lab   0="init" 1="deadlock"    .sta   (s,d)      .srew  3 1     .trew  3 4 1      (of a chain: 3 1)
//!        0: 0                            0:(0,1)           2 0.5          0 1 2 7.5  (of a chain: 0 2 7.5)
//! ```
//!
//! Without labels the first state is initial, as in PRISM.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::super::{FormatError, ReadOptions, is_gzip};
use super::Text;

/// Reward structures that are looked for, at most.
const MOST_STRUCTURES: usize = 64;

/// The files that exist.
pub(super) struct Beside {
    pub(super) states: Option<PathBuf>,
    pub(super) labels: Option<PathBuf>,
    pub(super) state_rewards: Option<PathBuf>,
    pub(super) transition_rewards: Option<PathBuf>,
}

/// The rewards of a file: those of transitions (state, choice, next) or of states (state, 0, 0), in order.
pub(super) struct Rewards<'a> {
    pub(super) path: &'a Path,
    pub(super) of: Vec<([usize; 3], f64, usize)>,
}

impl Beside {
    /// Finds the files, with the rewards of a structure.
    pub(super) fn find(path: &Path, structure: Option<&str>) -> Result<Self, FormatError> {
        let rewards = |number: &str| (with(path, number, "srew"), with(path, number, "trew"));
        let (mut state_rewards, mut transition_rewards) = rewards(structure.unwrap_or_default());
        if state_rewards.is_none() && transition_rewards.is_none() {
            let names = numbered(path);
            match (structure, &names[..]) {
                (Some(asked), _) => {
                    let (path, asked) = (path.into(), asked.into());
                    return Err(FormatError::NoSuchRewardModel { path, asked, names });
                }
                (None, []) => {}
                (None, [only]) => (state_rewards, transition_rewards) = rewards(only),
                (None, _) => {
                    let path = path.into();
                    return Err(FormatError::SeveralRewardModels { path, line: None, names });
                }
            }
        }
        let (states, labels) = (with(path, "", "sta"), with(path, "", "lab"));
        Ok(Self { states, labels, state_rewards, transition_rewards })
    }
}

/// The numbers of the reward structures.
fn numbered(path: &Path) -> Vec<String> {
    let exists = |number: &String| {
        ["srew", "trew"].iter().any(|extension| with(path, number, extension).is_some())
    };
    (1..=MOST_STRUCTURES).map(|number| number.to_string()).take_while(exists).collect()
}

/// All files beside the transitions that may be read with them.
pub(super) fn all(path: &Path) -> Vec<PathBuf> {
    let mut numbers = vec![String::new()];
    numbers.extend(numbered(path));
    let rewards = numbers.iter().flat_map(|number| ["srew", "trew"].map(|e| with(path, number, e)));
    [with(path, "", "sta"), with(path, "", "lab")].into_iter().chain(rewards).flatten().collect()
}

/// The file with another extension, and something before it, if it exists; compressed or not.
fn with(path: &Path, number: &str, extension: &str) -> Option<PathBuf> {
    let plain = if is_gzip(path) { path.with_extension("") } else { path.to_path_buf() };
    let mut name = plain.file_stem()?.to_os_string();
    name.push(format!("{number}.{extension}"));
    let file = plain.with_file_name(name);
    let mut packed = file.clone().into_os_string();
    packed.push(".gz");
    [file, packed.into()].into_iter().find(|file| file.exists())
}

/// The states with the label `init`.
pub(super) fn initial(
    path: &Path,
    states: usize,
    options: &ReadOptions,
) -> Result<Vec<usize>, FormatError> {
    let mut text = Text::open(path, options)?;
    text.first("write the labels, such as 0=\"init\" 1=\"deadlock\"")?;
    let line = text.0.number();
    let mut init = None;
    for label in text.0.text().split_whitespace() {
        let parts = label.split_once('=').map(|(number, name)| (number, name.trim_matches('"')));
        let Some((number, name)) = parts else {
            let what = format!("{label:?} is not a label: write 0=\"init\" 1=\"deadlock\"");
            return Err(text.0.syntax(what));
        };
        let number = text.0.count(number, "the number of a label")?;
        if name == "init" {
            init = Some(number);
        }
    }
    let mut initial = Vec::new();
    while text.advance()? {
        let Some((state, labels)) = text.0.text().split_once(':') else {
            return Err(text.0.syntax("a line without \":\": write state: labels, such as 0: 0 2"));
        };
        let state = text.0.count(state, "the number of a state")?;
        if state >= states {
            let what = format!("state {state} does not exist: there are {states}, numbered from 0");
            return Err(text.0.syntax(what));
        }
        for label in labels.split_whitespace() {
            if Some(text.0.count(label, "the number of a label")?) == init {
                initial.push(state);
            }
        }
    }
    initial.sort_unstable();
    initial.dedup();
    if initial.is_empty() {
        return Err(text.0.syntax_at(
            line,
            "no state has the label init: add it to the line of the state where the process starts",
        ));
    }
    Ok(initial)
}

/// The values of the variables as names of the states: `s=0,d=1`.
pub(super) fn names(
    path: &Path,
    states: usize,
    options: &ReadOptions,
) -> Result<Vec<String>, FormatError> {
    let mut text = Text::open(path, options)?;
    text.first("write the variables, such as (s,d)")?;
    let line = text.0.number();
    let variables: Vec<String> = tuple(&text, text.0.text())?.map(String::from).collect();
    let mut names: Vec<String> = Vec::new();
    while text.advance()? {
        let (state, values) = text.0.text().split_once(':').unwrap_or((text.0.text(), ""));
        let state = text.0.count(state, "the number of a state")?;
        if state != names.len() {
            let what = format!(
                "state {state} stands where state {} should: number the states 0, 1, 2, ... in order",
                names.len()
            );
            return Err(text.0.syntax(what));
        }
        let values: Vec<&str> = tuple(&text, values)?.collect();
        if values.len() != variables.len() {
            let what = format!(
                "{} values for {} variables: write one value per variable",
                values.len(),
                variables.len()
            );
            return Err(text.0.syntax(what));
        }
        let pairs = variables.iter().zip(values).map(|(name, value)| format!("{name}={value}"));
        names.push(pairs.collect::<Vec<_>>().join(","));
    }
    text.check("states", line, states, names.len())?;
    Ok(names)
}

/// The parts of a list in parentheses.
fn tuple<'t>(
    text: &Text<'_>,
    list: &'t str,
) -> Result<impl Iterator<Item = &'t str> + use<'t>, FormatError> {
    let inner = list.trim().strip_prefix('(').and_then(|list| list.strip_suffix(')'));
    let inner = inner.ok_or_else(|| {
        text.0.syntax(format!("{:?} is not a list in parentheses: write (0,1)", list.trim()))
    })?;
    Ok(inner.split(',').map(str::trim))
}

impl<'a> Rewards<'a> {
    /// Reads the rewards of states.
    pub(super) fn of_states(
        path: &'a Path,
        states: usize,
        options: &ReadOptions,
    ) -> Result<Self, FormatError> {
        const SHAPE: &str = "a state and its reward";
        let mut text = Text::open(path, options)?;
        text.first("write the numbers of states and of rewards")?;
        let (line, [all, declared]) =
            (text.0.number(), text.counts("the numbers of states and of rewards")?);
        text.check("states", line, all, states)?;
        let mut of = Vec::new();
        while text.advance()? {
            let [state, reward] = text.words(SHAPE)?;
            let state = text.0.count(state, "the number of a state")?;
            of.push(([state, 0, 0], text.0.value(reward, &HashMap::new())?, text.0.number()));
        }
        Self::checked(&text, path, of, (line, declared))
    }

    /// Reads the rewards of transitions.
    pub(super) fn of_transitions(
        path: &'a Path,
        (states, is_chain): (usize, bool),
        options: &ReadOptions,
    ) -> Result<Self, FormatError> {
        let mut text = Text::open(path, options)?;
        text.first("write the numbers of states, of choices unless it is a chain, and of rewards")?;
        let line = text.0.number();
        let [all, declared] = match is_chain {
            true => text.counts("the numbers of states and of rewards")?,
            false => {
                let [all, _, declared] =
                    text.counts("the numbers of states, of choices and of rewards")?;
                [all, declared]
            }
        };
        text.check("states", line, all, states)?;
        let mut of = Vec::new();
        while text.advance()? {
            let [state, choice, next, reward] = match is_chain {
                true => {
                    let [state, next, reward] = text.words("a state, a next state and a reward")?;
                    [state, "0", next, reward]
                }
                false => text.words("a state, a choice, a next state and a reward")?,
            };
            let key = [
                text.0.count(state, "the number of a state")?,
                text.0.count(choice, "the number of a choice")?,
                text.0.count(next, "the number of a next state")?,
            ];
            of.push((key, text.0.value(reward, &HashMap::new())?, text.0.number()));
        }
        Self::checked(&text, path, of, (line, declared))
    }

    fn checked(
        text: &Text<'_>,
        path: &'a Path,
        mut of: Vec<([usize; 3], f64, usize)>,
        (line, declared): (usize, usize),
    ) -> Result<Self, FormatError> {
        text.check("rewards", line, declared, of.len())?;
        of.sort_by_key(|entry| entry.0);
        if let Some(twice) = of.windows(2).find(|two| two[0].0 == two[1].0) {
            return Err(text.0.syntax_at(twice[1].2, "a second reward of the same: keep one"));
        }
        Ok(Self { path, of })
    }

    /// The rewards of what begins with these numbers.
    pub(super) fn of(&self, head: &[usize]) -> &[([usize; 3], f64, usize)] {
        let from = self.of.partition_point(|entry| entry.0[..head.len()] < *head);
        let length = self.of[from..].partition_point(|entry| entry.0[..head.len()] == *head);
        &self.of[from..from + length]
    }
}

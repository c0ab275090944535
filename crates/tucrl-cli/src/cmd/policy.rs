//! How is an optimal policy printed?
//!
//! A line per state: its number and name, the action, and the gain and bias from there.

use std::fmt::{Error, Write};

use tucrl_lab::inspection::Choice;
use tucrl_lab::text::{column, printable};

/// The policy as an aligned table.
pub(super) fn table(choices: &[Choice]) -> Result<String, Error> {
    let gains = column(&choices.iter().map(|choice| choice.gain).collect::<Vec<_>>());
    let biases = column(&choices.iter().map(|choice| choice.bias).collect::<Vec<_>>());
    let rows: Vec<[String; 5]> = choices
        .iter()
        .zip(gains)
        .zip(biases)
        .map(|((choice, gain), bias)| row(choice, gain, bias))
        .collect();
    let head = ["state", "name", "action", "gain", "bias"];
    let has_names = choices.iter().any(|choice| choice.name.is_some());
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([head[column].len()]).max().unwrap_or(0)
    };
    let [state, name, action, gain, bias] = [0, 1, 2, 3, 4].map(width);
    let mut out = String::new();
    for row in std::iter::once(&head.map(String::from)).chain(&rows) {
        write!(out, "  {:>state$}", row[0])?;
        if has_names {
            write!(out, "  {:<name$}", row[1])?;
        }
        writeln!(out, "  {:<action$}  {:>gain$}  {:>bias$}", row[2], row[3], row[4])?;
    }
    Ok(out)
}

fn row(choice: &Choice, gain: String, bias: String) -> [String; 5] {
    let action = choice.action_name.as_deref().map_or(choice.action.to_string(), printable);
    let name = choice.name.as_deref().map_or(String::new(), printable);
    [choice.state.to_string(), name, action, gain, bias]
}

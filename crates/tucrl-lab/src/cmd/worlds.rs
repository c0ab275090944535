//! `tucrl worlds`: which worlds are there, and what is known about one?

use std::fmt::Write;

use anyhow::bail;
use tucrl_lab::catalogue::{self, WorldEntry};
use tucrl_lab::names::Spec;

use super::text::{counted, parameters};
use crate::cli::Worlds;

pub(super) fn run(ask: &Worlds) -> anyhow::Result<String> {
    let Some(name) = &ask.name else {
        let entries: Vec<_> = catalogue::worlds().collect();
        return if ask.json { super::json(&entries) } else { Ok(list()?) };
    };
    let spec = Spec::parse(name)?;
    let entry = catalogue::entry(&spec)?;
    if spec.pairs().len() > 0 {
        bail!("`worlds` takes a name without parameters: try `tucrl inspect {name}`");
    }
    if ask.json { super::json(entry) } else { Ok(page(entry)?) }
}

fn list() -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    writeln!(out, "{:<14} {:>6} {:>7}", "world", "states", "actions")?;
    for WorldEntry { name, states, actions, summary, .. } in catalogue::worlds() {
        writeln!(out, "{name:<14} {states:>6} {actions:>7}  {summary}")?;
    }
    writeln!(out, "\nSizes are those of the default parameters; `tucrl worlds NAME` shows more.")?;
    Ok(out)
}

fn page(entry: &WorldEntry) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    writeln!(out, "{}: {}", entry.name, entry.summary)?;
    let (states, actions) =
        (counted(entry.states as usize, "state"), counted(entry.actions, "action"));
    let by_default = if entry.parameters.is_empty() { "" } else { " by default" };
    writeln!(out, "{states}, {actions}{by_default}")?;
    if !entry.parameters.is_empty() {
        writeln!(out, "\nParameters")?;
    }
    out += &parameters(entry.parameters);
    writeln!(out, "\nFacts")?;
    for fact in entry.facts {
        writeln!(out, "  {fact}")?;
    }
    writeln!(out, "\nTry\n  tucrl inspect {}", entry.example)?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::super::text::WIDTH;
    use super::*;

    #[test]
    fn every_fact_and_parameter_is_shown_within_eighty_columns() {
        for entry in catalogue::worlds() {
            let page = page(entry).unwrap();
            for fact in entry.facts {
                assert!(page.lines().any(|line| line.trim_start() == *fact), "{fact}");
            }
            for parameter in entry.parameters {
                let head = format!("  {}={} ", parameter.key, parameter.default);
                assert!(page.lines().any(|line| line.starts_with(&head)), "{head}");
            }
            for line in page.lines().chain(list().unwrap().lines()) {
                assert!(line.chars().count() <= WIDTH, "{line}");
                assert_eq!(line.trim_end(), line);
            }
        }
    }
}

//! `tucrl worlds`: which worlds are there, and what are the parameters and facts of one?

use std::fmt::Write;

use anyhow::bail;
use tucrl_lab::catalogue::{Catalogue, WorldListing};
use tucrl_lab::names::Spec;
use tucrl_lab::text::{counted, rough_count, shell_word};

use super::text::parameters;
use crate::cli::Worlds;

pub(super) fn run(ask: &Worlds, catalogue: &Catalogue) -> anyhow::Result<String> {
    let Some(name) = &ask.name else {
        let entries: Vec<WorldListing> = catalogue.worlds().iter().map(Into::into).collect();
        return if ask.json { super::json(&entries) } else { Ok(list(catalogue)?) };
    };
    let spec = Spec::parse(name)?;
    let entry = WorldListing::from(catalogue.world_kind(&spec)?);
    if spec.pairs().len() > 0 {
        bail!("`worlds` takes a name without parameters: try `tucrl inspect {name}`");
    }
    if ask.json { super::json(&entry) } else { Ok(page(&entry)?) }
}

fn list(catalogue: &Catalogue) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    writeln!(out, "{:<14} {:>6} {:>7}", "world", "states", "actions")?;
    for entry in catalogue.worlds() {
        let WorldListing { name, states, actions, summary, .. } = entry.into();
        let states = rough_count(states);
        writeln!(out, "{name:<14} {states:>6} {actions:>7}  {summary}")?;
    }
    writeln!(out, "\nSizes are those of the default parameters; `tucrl worlds NAME` shows more.")?;
    Ok(out)
}

fn page(entry: &WorldListing) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    writeln!(out, "{}: {}", entry.name, entry.summary)?;
    let (states, actions) =
        (counted(entry.states as usize, "state"), counted(entry.actions, "action"));
    let by_default = if entry.parameters.is_empty() { "" } else { " by default" };
    writeln!(out, "{states}, {actions}{by_default}")?;
    if !entry.parameters.is_empty() {
        writeln!(out, "\nParameters")?;
    }
    out += &parameters(&entry.parameters);
    writeln!(out, "\nFacts")?;
    for fact in entry.facts {
        writeln!(out, "  {fact}")?;
    }
    writeln!(out, "\nTry\n  tucrl inspect {}", shell_word(entry.example))?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fact_and_parameter_is_shown_within_eighty_columns() {
        let catalogue = Catalogue::default();
        for entry in catalogue.worlds().iter().map(WorldListing::from) {
            let page = page(&entry).unwrap();
            for fact in entry.facts {
                assert!(page.lines().any(|line| line.trim_start() == *fact), "{fact}");
            }
            for parameter in &entry.parameters {
                let head = format!("  {}={} ", parameter.key, parameter.default);
                assert!(page.lines().any(|line| line.starts_with(&head)), "{head}");
            }
            for line in page.lines().chain(list(&catalogue).unwrap().lines()) {
                assert!(line.chars().count() <= 80, "{line}");
                assert_eq!(line.trim_end(), line);
            }
        }
    }
}

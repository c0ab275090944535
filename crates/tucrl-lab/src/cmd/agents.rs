//! `tucrl agents`: which agents are there, what do they need and what is proved about them?

use std::fmt::Write;

use anyhow::bail;
use tucrl_lab::agent_catalogue::{self, AgentEntry};
use tucrl_lab::names::Spec;

use super::text::{WIDTH, parameters, wrapped};
use crate::cli::Agents;

pub(super) fn run(ask: &Agents) -> anyhow::Result<String> {
    let Some(name) = &ask.name else {
        let entries: Vec<_> = agent_catalogue::agents().collect();
        return if ask.json { super::json(&entries) } else { Ok(list()?) };
    };
    let spec = Spec::parse(name)?;
    let entry = agent_catalogue::entry(&spec)?;
    if spec.pairs().len() > 0 {
        bail!("`agents` takes a name without options: try `tucrl learn WORLD --agent {name}`");
    }
    if ask.json { super::json(entry) } else { Ok(page(entry)?) }
}

fn list() -> Result<String, std::fmt::Error> {
    let mut out = String::from("agent\n");
    for AgentEntry { name, aliases, summary, .. } in agent_catalogue::agents() {
        let also = match aliases {
            [] => String::new(),
            aliases => format!(" (also {})", aliases.join(", ")),
        };
        writeln!(out, "{name:<16} {summary}{also}")?;
    }
    writeln!(out, "\n`tucrl agents NAME` shows what it needs, what is proved, and its options.")?;
    Ok(out)
}

fn page(entry: &AgentEntry) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    writeln!(out, "{}: {}", entry.name, entry.summary)?;
    for line in wrapped(entry.source, WIDTH) {
        writeln!(out, "{line}")?;
    }
    for (head, text) in [
        ("The idea", entry.idea),
        ("What it must be told", entry.needs),
        ("What is proved", entry.guarantee),
        ("What a plan costs", entry.cost),
        ("When not to use it", entry.caution),
    ] {
        writeln!(out, "\n{head}")?;
        for line in wrapped(text, WIDTH - 2) {
            writeln!(out, "  {line}")?;
        }
    }
    if !entry.parameters.is_empty() {
        writeln!(out, "\nOptions")?;
    }
    out += &parameters(entry.parameters);
    writeln!(out, "\nTry\n  tucrl learn three-state:delta=0 --agent {}", entry.example)?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_is_shown_within_eighty_columns() {
        for entry in agent_catalogue::agents() {
            let page = page(entry).unwrap();
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

//! `tucrl agents`: which agents are there, what do they need and what is proved about them?

use std::fmt::Write;

use anyhow::bail;
use serde::Serialize;
use tucrl_lab::agent_catalogue::{self, AgentEntry};
use tucrl_lab::names::{Parameter, Spec};

use super::text::wrapped;
use crate::cli::Agents;

const WIDTH: usize = 80;

pub(super) fn run(ask: &Agents) -> anyhow::Result<String> {
    let Some(name) = &ask.name else {
        let entries: Vec<Entry> = agent_catalogue::agents().map(Entry::from).collect();
        return if ask.json { super::json(&entries) } else { Ok(list()?) };
    };
    let spec = Spec::parse(name)?;
    let entry = agent_catalogue::entry(&spec)?;
    if spec.pairs().len() > 0 {
        bail!("`agents` takes a name without options: try `tucrl learn WORLD --agent {name}`");
    }
    if ask.json { super::json(&Entry::from(entry)) } else { Ok(page(entry)?) }
}

fn list() -> Result<String, std::fmt::Error> {
    let mut out = String::from("agent\n");
    for AgentEntry { name, aliases, summary, .. } in agent_catalogue::agents() {
        let also = match aliases {
            [] => String::new(),
            aliases => format!(" (also {})", aliases.join(", ")),
        };
        writeln!(out, "{name:<14} {summary}{also}")?;
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
        ("What it must be told", entry.needs),
        ("What is proved", entry.guarantee),
        ("Cost, and when not to use it", entry.caution),
    ] {
        writeln!(out, "\n{head}")?;
        for line in wrapped(text, WIDTH - 2) {
            writeln!(out, "  {line}")?;
        }
    }
    if !entry.parameters.is_empty() {
        writeln!(out, "\nOptions")?;
    }
    let shown = |parameter: &Parameter| format!("{}={}", parameter.key, parameter.default);
    let width = entry.parameters.iter().map(|p| shown(p).chars().count()).max().unwrap_or(0);
    for parameter in entry.parameters {
        let mut lines = wrapped(parameter.meaning, WIDTH - width - 4);
        let mut accepted = format!("accepts {}", parameter.accepts);
        if !parameter.aliases.is_empty() {
            accepted += &format!("; also spelled {}", parameter.aliases.join(", "));
        }
        lines.extend(wrapped(&accepted, WIDTH - width - 4));
        let mut head = shown(parameter);
        for line in lines {
            writeln!(out, "  {head:<width$}  {line}")?;
            head.clear();
        }
    }
    writeln!(out, "\nTry\n  tucrl learn three-state:delta=0 --agent {}", entry.example)?;
    Ok(out)
}

/// An entry as JSON.
#[derive(Serialize)]
struct Entry {
    name: &'static str,
    aliases: &'static [&'static str],
    summary: &'static str,
    source: &'static str,
    needs: &'static str,
    guarantee: &'static str,
    caution: &'static str,
    parameters: Vec<EntryParameter>,
    example: &'static str,
}

#[derive(Serialize)]
struct EntryParameter {
    key: &'static str,
    aliases: &'static [&'static str],
    default: &'static str,
    accepts: String,
    meaning: &'static str,
}

impl From<&'static AgentEntry> for Entry {
    fn from(entry: &'static AgentEntry) -> Self {
        let parameters = entry.parameters.iter().map(|parameter| EntryParameter {
            key: parameter.key,
            aliases: parameter.aliases,
            default: parameter.default,
            accepts: parameter.accepts.to_string(),
            meaning: parameter.meaning,
        });
        Self {
            name: entry.name,
            aliases: entry.aliases,
            summary: entry.summary,
            source: entry.source,
            needs: entry.needs,
            guarantee: entry.guarantee,
            caution: entry.caution,
            parameters: parameters.collect(),
            example: entry.example,
        }
    }
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

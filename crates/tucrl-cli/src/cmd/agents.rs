//! `tucrl agents`: which agents are there, what do they need and what is proved about them?

use std::fmt::Write;

use anyhow::bail;
use tucrl::agents::{About, AgentKind};
use tucrl_lab::catalogue::{AgentListing, Catalogue};
use tucrl_lab::names::Spec;
use tucrl_lab::text::wrapped;

use super::text::{page_width, parameters};
use crate::cli::Agents;

pub(super) fn run(ask: &Agents, catalogue: &Catalogue) -> anyhow::Result<String> {
    let Some(name) = &ask.name else {
        let entries: Vec<AgentListing> = catalogue.agents().iter().map(Into::into).collect();
        return if ask.json { super::json(&entries) } else { Ok(list(catalogue)?) };
    };
    let spec = Spec::parse(name)?;
    let entry = AgentListing::from(catalogue.agent_kind(&spec)?);
    if spec.pairs().len() > 0 {
        bail!("`agents` takes a name without options: try `tucrl learn WORLD --agent {name}`");
    }
    if ask.json { super::json(&entry) } else { Ok(page(&entry)?) }
}

fn list(catalogue: &Catalogue) -> Result<String, std::fmt::Error> {
    let mut out = String::from("agent\n");
    for About { name, aliases, summary, .. } in catalogue.agents().iter().map(AgentKind::about) {
        let also = match aliases {
            [] => String::new(),
            aliases => format!(" (also {})", aliases.join(", ")),
        };
        writeln!(out, "{name:<15} {summary}{also}")?;
    }
    writeln!(out, "\n`tucrl agents NAME` shows what it needs, what is proved, and its options.")?;
    Ok(out)
}

fn page(entry: &AgentListing) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    let about = &entry.about;
    writeln!(out, "{}: {}", about.name, about.summary)?;
    for line in wrapped(about.source, page_width()).iter().filter(|line| !line.is_empty()) {
        writeln!(out, "{line}")?;
    }
    for (head, text) in [
        ("The idea", about.idea),
        ("What it must be told", about.needs),
        ("What is proved", about.guarantee),
        ("What a plan costs", about.cost),
        ("When not to use it", about.caution),
    ]
    .into_iter()
    .filter(|(_, text)| !text.is_empty())
    {
        writeln!(out, "\n{head}")?;
        for line in wrapped(text, page_width() - 2) {
            writeln!(out, "  {line}")?;
        }
    }
    if !entry.parameters.is_empty() {
        writeln!(out, "\nOptions")?;
    }
    out += &parameters(&entry.parameters);
    writeln!(out, "\nTry\n  tucrl learn {} --agent {}", entry.example_world, about.example)?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_is_shown_within_eighty_columns() {
        let catalogue = Catalogue::default();
        for entry in catalogue.agents().iter().map(AgentListing::from) {
            let page = page(&entry).unwrap();
            for parameter in &entry.parameters {
                let head = match parameter.default.as_str() {
                    "" => format!("  {} ", parameter.key),
                    default => format!("  {}={default} ", parameter.key),
                };
                assert!(page.lines().any(|line| line.starts_with(&head)), "{head}");
            }
            for line in page.lines().chain(list(&catalogue).unwrap().lines()) {
                assert!(line.chars().count() <= 80, "{line}");
                assert_eq!(line.trim_end(), line);
            }
        }
    }
}

//! Do `docs/agents.md` and the pages in `docs/agents/` say what the catalogue of agents says?
//!
//! `TUCRL_WRITE_DOCS=1 cargo test -p tucrl-lab agents_document` writes it anew.
// Helpers outside of test functions may unwrap as well.
#![allow(clippy::unwrap_used)]

use crate::documents;

use std::fmt::Write;

use tucrl::agents::{About, AgentKind, kinds};
use tucrl_lab::catalogue::AgentListing;

const HEAD: &str = "\
# Agents

<!-- Written from the catalogue by `crates/tucrl-lab/tests/suite/agents_document.rs`; do not edit. -->

An agent is named by one word, `name:key=value,key=value`, with the options that differ from their
defaults: `tucrl`, `scal:c=5`, `ucrl:delta=inv-sqrt,alpha=0.05,shrink=log`. Numbers may be written
`0.25`, `1e-3` or `1/3`.

`tucrl agents` prints this list, `tucrl agents NAME` one of its pages, and
`tucrl learn WORLD --agent SPEC` lets agents learn. Every option is recorded with the results
(`options` in the JSON).
";

const NOTE: &str = "<!-- Written from the catalogue by `crates/tucrl-lab/tests/suite/agents_document.rs`; do not edit. -->";

const TAIL: &str = include_str!("../data/agents_tail.md");

fn document() -> String {
    let mut out = HEAD.to_string();
    out += "\n| agent | also | in a line | must be told |\n|---|---|---|---|\n";
    for About { name, aliases, summary, needs, .. } in kinds().iter().map(AgentKind::about) {
        let aliases: Vec<String> = aliases.iter().map(|alias| format!("`{alias}`")).collect();
        let aliases = aliases.join(", ");
        writeln!(out, "| [`{name}`](agents/{name}.md) | {aliases} | {summary} | {needs} |")
            .unwrap();
    }
    out + "\n" + TAIL
}

/// One page: the idea, what is proved, what it must be told, its options, its cost, when not to use it.
fn page(AgentListing { about, example_world, parameters }: &AgentListing) -> String {
    let About { name, summary, source, idea, needs, guarantee, cost, caution, .. } = about;
    let mut out = format!("# {name}\n\n{NOTE}\n\nIn a line: {summary}. Source: {source}.\n");
    for (head, text) in [
        ("Idea", idea),
        ("What is proved, and under which assumptions", guarantee),
        ("What it must be told", needs),
        ("What a plan costs", cost),
        ("When not to use it", caution),
    ] {
        write!(out, "\n## {head}\n\n{text}\n").unwrap();
    }
    out += "\n## Options\n\n";
    documents::parameters(&mut out, parameters, "None.\n");
    let example = about.example;
    write!(out, "\n```console\n$ tucrl learn {example_world} --agent {example}\n```\n").unwrap();
    out + "\n[All agents, planners and confidence widths](../agents.md)\n"
}

#[test]
fn the_document_is_that_of_the_catalogue() {
    documents::assert_says("agents", &document());
}

#[test]
fn every_agent_has_a_page_and_every_page_an_agent() {
    for kind in kinds() {
        documents::assert_says(&format!("agents/{}", kind.about().name), &page(&kind.into()));
    }
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/agents");
    let pages = std::fs::read_dir(folder).unwrap().count();
    assert_eq!(pages, kinds().len(), "a page without an agent");
}

#[test]
fn every_page_has_all_five_parts() {
    for kind in kinds() {
        let About { name, idea, guarantee, needs, cost, caution, .. } = kind.about();
        for (part, text) in [
            ("idea", idea),
            ("guarantee", guarantee),
            ("needs", needs),
            ("cost", cost),
            ("when not to use it", caution),
        ] {
            assert!(text.len() > 4 && text.ends_with('.'), "{name}, {part}: {text:?}");
        }
    }
}

#[test]
fn every_idea_has_five_sentences() {
    for entry in kinds().iter().map(AgentKind::about) {
        // A sentence ends with a full stop before a blank or the end; the names with dots have none.
        let sentences = entry.idea.split(". ").count();
        assert_eq!(sentences, 5, "{}: {}", entry.name, entry.idea);
        assert!(entry.idea.ends_with('.'), "{}", entry.name);
    }
}

//! Does `docs/agents.md` say what the catalogue of agents says?
//!
//! `TUCRL_WRITE_DOCS=1 cargo test -p tucrl-lab --test agents_document` writes it anew.
// Helpers outside of test functions may unwrap as well.
#![allow(clippy::unwrap_used)]

mod documents;

use std::fmt::Write;

use tucrl_lab::agent_catalogue::{self, AgentEntry};

const HEAD: &str = "\
# Agents

<!-- Written from the catalogue by `crates/tucrl-lab/tests/agents_document.rs`; do not edit. -->

An agent is named by one word, `name:key=value,key=value`, with the options that differ from their
defaults: `tucrl`, `scal:c=5`, `ucrl:delta=inv-sqrt,alpha=0.05,shrink=log`. Numbers may be written
`0.25`, `1e-3` or `1/3`.

`tucrl agents` prints this list, `tucrl agents NAME` one of these sections, and
`tucrl learn WORLD --agent SPEC` lets agents learn. Every option is recorded with the results
(`options` in the JSON).
";

const TAIL: &str = include_str!("data/agents_tail.md");

fn document() -> String {
    let mut out = HEAD.to_string();
    out += "\n| agent | also | |\n|---|---|---|\n";
    for AgentEntry { name, aliases, summary, .. } in agent_catalogue::agents() {
        let aliases: Vec<String> = aliases.iter().map(|alias| format!("`{alias}`")).collect();
        writeln!(out, "| [`{name}`](#{name}) | {} | {summary} |", aliases.join(", ")).unwrap();
    }
    out += "\nContents below: one section per agent, then [planners](#planners) and \
            [confidence widths](#confidence-widths).\n";
    for entry in agent_catalogue::agents() {
        section(&mut out, entry);
    }
    out + "\n" + TAIL
}

fn section(out: &mut String, entry: &AgentEntry) {
    let AgentEntry { name, summary, source, needs, guarantee, caution, .. } = entry;
    write!(out, "\n## {name}\n\nIn a line: {summary}. Source: {source}.\n\n").unwrap();
    writeln!(out, "- **Must be told.** {needs}").unwrap();
    writeln!(out, "- **Proved.** {guarantee}").unwrap();
    write!(out, "- **Cost, and when not to use it.** {caution}\n\n").unwrap();
    documents::parameters(out, entry.parameters, "No options.\n");
    let example = entry.example;
    write!(out, "\n```console\n$ tucrl learn three-state:delta=0 --agent {example}\n```\n")
        .unwrap();
}

#[test]
fn the_document_is_that_of_the_catalogue() {
    documents::assert_says("agents", &document());
}

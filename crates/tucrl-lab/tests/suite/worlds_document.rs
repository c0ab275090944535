//! Does `docs/worlds.md` say what the catalogue says?
//!
//! `TUCRL_WRITE_DOCS=1 cargo test -p tucrl-lab worlds_document` writes it anew.
// Helpers outside of test functions may unwrap as well.
#![allow(clippy::unwrap_used)]

use crate::documents;

use std::fmt::Write;

use tucrl_lab::catalogue::{Catalogue, WorldListing};
use tucrl_lab::text::shell_word;

const HEAD: &str = "\
# Worlds

<!-- Written from the catalogue by `crates/tucrl-lab/tests/suite/worlds_document.rs`; do not edit. -->

A world is named by one word, `name:key=value,key=value`, with the keys that differ from their
defaults: `taxi`, `three-state:delta=0.2`, `garnet:s=1e5,seed=7`. Numbers may be written `0.25`,
`1e-3` or `1/3`. A model file (`.json`, `.drn`; see [formats](formats.md)) is a world too.

`tucrl worlds` prints this list, `tucrl worlds NAME` one of these sections, and
`tucrl inspect WORLD` computes the facts. Sizes are those of the default parameters.
";

fn document() -> String {
    let mut out = HEAD.to_string();
    out += "\n| world | states | actions | |\n|---|---|---|---|\n";
    let catalogue = Catalogue::default();
    let listings = || catalogue.worlds().iter().map(WorldListing::from);
    for WorldListing { name, states, actions, summary, .. } in listings() {
        writeln!(out, "| [`{name}`](#{name}) | {states} | {actions} | {summary} |").unwrap();
    }
    for entry in listings() {
        section(&mut out, &entry);
    }
    out
}

fn section(out: &mut String, entry: &WorldListing) {
    write!(out, "\n## {}\n\n", entry.name).unwrap();
    documents::parameters(out, &entry.parameters, "No parameters.\n");
    write!(out, "\n```text\n{}\n```\n", entry.facts.join("\n")).unwrap();
    write!(out, "\n```console\n$ tucrl inspect {}\n```\n", shell_word(entry.example)).unwrap();
}

#[test]
fn the_document_is_that_of_the_catalogue() {
    documents::assert_says("worlds", &document());
}

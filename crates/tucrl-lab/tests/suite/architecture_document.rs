//! Do the documents name modules, files and symbols that there are?
//!
//! `ARCHITECTURE.md` lists every module with the first line of its head;
//! `TUCRL_WRITE_DOCS=1 cargo test -p tucrl-lab architecture_document` writes its tables anew.
#![allow(missing_docs, clippy::unwrap_used)]

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

const CRATES: [&str; 6] =
    ["tucrl", "tucrl-lab", "tucrl-paper", "tucrl-cli", "tucrl-py", "tucrl-wasm"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What stands between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The source below a path, a file or a folder; empty if there is none.
fn source(path: &Path) -> String {
    if !path.is_dir() {
        return fs::read_to_string(path).unwrap_or_default();
    }
    fs::read_dir(path).unwrap().map(|entry| source(&entry.unwrap().path())).collect()
}

/// The modules of a crate with the first line of their heads, by name.
fn modules(name: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root().join("crates").join(name).join("src")).unwrap() {
        let path = entry.unwrap().path();
        let module = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let file = match path.is_dir() {
            true => path.join("mod.rs"),
            false => path,
        };
        // A folder beside a file of the same name belongs to that file.
        if !file.exists() || ["lib", "main"].contains(&module.as_str()) {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        let head = text.lines().next().and_then(|line| line.strip_prefix("//! "));
        let head = head.unwrap_or_else(|| panic!("{} has no head", file.display()));
        found.push((module, head.to_owned()));
    }
    found.sort();
    found
}

#[test]
fn the_tables_are_those_of_the_source() {
    let path = root().join("ARCHITECTURE.md");
    let found = fs::read_to_string(&path).unwrap();
    let mut expected = found.clone();
    for name in CRATES {
        let (begin, end) = (format!("<!-- modules of {name} -->\n"), "<!-- end -->\n");
        let mut table = String::from("\n| module | |\n| --- | --- |\n");
        for (module, head) in modules(name) {
            writeln!(table, "| `{module}` | {head} |").unwrap();
        }
        table.push('\n');
        let (before, rest) = expected.split_once(&begin).unwrap_or_else(|| panic!("no {begin}"));
        let (_, after) = rest.split_once(end).unwrap();
        expected = format!("{before}{begin}{table}{end}{after}");
    }
    if std::env::var_os("TUCRL_WRITE_DOCS").is_some() {
        fs::write(&path, &expected).unwrap();
        return;
    }
    assert!(
        found == expected,
        "ARCHITECTURE.md is stale: run TUCRL_WRITE_DOCS=1 cargo test -p tucrl-lab architecture_document"
    );
}

#[test]
fn every_symbol_of_the_notation_is_in_the_file_beside_it() {
    let text = fs::read_to_string(root().join("NOTATION.md")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| ")).skip(2);
    let mut names = 0;
    for row in rows {
        // `\|` is a bar inside a cell.
        let row = row.replace("\\|", "");
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let files: String = quoted(cells[4])
            .map(|file| source(&root().join("crates/tucrl/src").join(file)))
            .collect();
        assert!(!files.is_empty(), "no such file: {row}");
        for name in quoted(cells[3]) {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let last = name.rsplit("::").next().unwrap();
            assert!(files.split(|c| !is_word(c)).any(|word| word == last), "no {name}: {row}");
            names += 1;
        }
    }
    assert!(names > 50, "the table has another form");
}

#[test]
fn every_source_file_that_a_document_names_exists() {
    let documents = [
        "NOTATION.md",
        "METHODOLOGY.md",
        "CONTRIBUTING.md",
        "docs/algorithms.md",
        "docs/theory.md",
    ];
    let mut files = 0;
    for document in documents {
        let text = fs::read_to_string(root().join(document)).unwrap();
        for name in quoted(&text).filter(|name| name.ends_with(".rs") && *name != "utils.rs") {
            let path = match name.starts_with("crates/") {
                true => root().join(name),
                false => root().join("crates/tucrl/src").join(name),
            };
            assert!(path.exists(), "{document} names {name}");
            files += 1;
        }
    }
    assert!(files > 50);
}

//! Does the source keep its own laws: who may import whom, how a file opens, how long it grows?
//!
//! HOUSE, "Direction of imports": learning files never import the truth, so that a learner cannot
//! peek; and nothing imports what stands to its right. Both are read off every `crate::` path
//! outside the unit tests.
#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Every module of the library from left to right, those of later issues included. A module may
/// import only from rows above its own, and within a row only along [`SIBLINGS`].
const ROWS: &[&[&str]] = &[
    &["error", "rng", "graph", "elimination", "space"],
    &["reward"],
    &["builder", "mdp"],
    &["policy", "generator"],
    &["chain", "structure"],
    &["evaluate", "hitting", "solve", "env", "explore"],
    &["worlds", "model"],
    &["counts"],
    &["confidence", "posterior"],
    &["truncation", "inner_max"],
    &["plausible"],
    &["planner"],
    &["evi"],
    &["span_clip"],
    &["episode"],
    &["agents"],
    &["bounds"],
    &["run"],
];

/// Imports allowed within a row: a model and its builder are two files of one thing.
const SIBLINGS: &[(&str, &str)] = &[("mdp", "builder"), ("builder", "mdp")];

/// What learns.
const LEARNING: &[&str] = &[
    "counts",
    "confidence",
    "truncation",
    "inner_max",
    "plausible",
    "planner",
    "evi",
    "span_clip",
    "posterior",
    "episode",
    "agents",
];

/// What a learner must not see.
const TRUTH: &[&str] = &[
    "builder",
    "chain",
    "env",
    "evaluate",
    "explore",
    "generator",
    "hitting",
    "mdp",
    "model",
    "solve",
    "structure",
    "worlds",
];

/// Exceptions: a sampled model is a model, and is solved like one; an imagined chain is a chain, and
/// is evaluated like one.
const MAY_SEE: &[(&str, &str)] = &[("posterior", "mdp"), ("posterior", "solve"), ("evi", "chain")];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Every source file with its text, sorted.
fn files() -> Vec<(PathBuf, String)> {
    let mut open = vec![source()];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    found.sort();
    assert!(found.len() > 20, "the source was not found");
    found
}

/// The module of the crate root that a file belongs to; none for the root itself.
fn module_of(path: &Path) -> Option<String> {
    let inside = path.strip_prefix(source()).unwrap();
    let first = inside.iter().next().unwrap().to_str().unwrap();
    let name = first.trim_end_matches(".rs");
    (name != "lib").then(|| name.to_owned())
}

/// The modules of the crate that a text names outside comments and unit tests.
fn imports(text: &str) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap();
    let mut found = BTreeSet::new();
    for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
        for (at, path) in line.match_indices("crate::") {
            if line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
                continue;
            }
            let rest = &line[at + path.len()..];
            assert!(!rest.starts_with('{'), "one line per module, please: {line}");
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            found.insert(rest.chars().take_while(|&c| is_part(c)).collect());
        }
    }
    found
}

fn row_of(module: &str) -> Option<usize> {
    ROWS.iter().position(|row| row.contains(&module))
}

/// What is wrong with one module importing another, if anything.
fn complaint(from: &str, to: &str) -> Option<String> {
    let (Some(here), Some(there)) = (row_of(from), row_of(to)) else {
        return Some(format!("{from} or {to} has no place in ROWS"));
    };
    if LEARNING.contains(&from) && TRUTH.contains(&to) && !MAY_SEE.contains(&(from, to)) {
        return Some(format!("{from} learns and must not see {to}"));
    }
    let is_allowed = from == to || there < here || SIBLINGS.contains(&(from, to));
    (!is_allowed).then(|| format!("{from} imports {to}, which does not stand to its left"))
}

#[test]
fn every_module_has_one_place() {
    let mut places = BTreeMap::new();
    for module in ROWS.iter().copied().flatten() {
        *places.entry(*module).or_insert(0) += 1;
    }
    assert!(places.values().all(|&count| count == 1), "{places:?}");
    for module in LEARNING.iter().chain(TRUTH) {
        assert!(places.contains_key(module), "{module} has no place");
    }
    for (path, _) in files() {
        if let Some(module) = module_of(&path) {
            assert!(places.contains_key(module.as_str()), "{module} has no place in ROWS");
        }
    }
}

#[test]
fn nothing_imports_what_stands_to_its_right_and_no_learner_peeks() {
    let mut complaints = Vec::new();
    let mut seen = 0;
    for (path, text) in files() {
        let Some(from) = module_of(&path) else { continue };
        for to in imports(&text) {
            seen += 1;
            complaints
                .extend(complaint(&from, &to).map(|text| format!("{}: {text}", path.display())));
        }
        let code = text.split("#[cfg(test)]\nmod ").next().unwrap();
        if code.contains("super::super::") {
            complaints.push(format!("{}: name modules from the root", path.display()));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(seen > 50, "only {seen} imports were found: the reader is blind");
}

#[test]
fn the_laws_catch_those_who_break_them() {
    let text = "//! crate::worlds\nuse crate::mdp::Mdp;\nlet x = crate::graph::y;\n\
                #[cfg(test)]\nmod tests { use crate::rng::R; }\n";
    assert_eq!(imports(text), BTreeSet::from(["graph".to_owned(), "mdp".to_owned()]));
    assert_eq!(complaint("solve", "structure"), None);
    assert_eq!(complaint("builder", "mdp"), None);
    assert_eq!(complaint("posterior", "mdp"), None);
    for (from, to) in [
        ("mdp", "solve"),
        ("structure", "hitting"),
        ("chain", "structure"),
        ("counts", "mdp"),
        ("agents", "structure"),
        ("evi", "worlds"),
        ("episode", "env"),
        ("posterior", "worlds"),
        ("confidence", "truncation"),
        ("mdp", "utils"),
    ] {
        assert!(complaint(from, to).is_some(), "{from} -> {to}");
    }
}

#[test]
fn every_module_opens_with_a_question() {
    for (path, text) in files() {
        let opening: String = text
            .lines()
            .take_while(|line| line.starts_with("//!"))
            .map(|line| line.trim_start_matches("//!").trim().to_owned() + " ")
            .collect();
        assert!(!opening.trim().is_empty(), "{} has no opening", path.display());
        if module_of(&path).is_some() {
            let end = opening.find(['.', '?', '!']).unwrap_or(0);
            assert_eq!(opening.get(end..=end), Some("?"), "{}: {opening}", path.display());
        }
    }
}

#[test]
fn no_file_grows_beyond_six_hundred_lines() {
    for (path, text) in files() {
        let lines = text.lines().count();
        assert!(lines <= 600, "{} has {lines} lines", path.display());
    }
}

#[test]
fn the_workspace_has_one_version() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let workspace = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    let own = format!("tucrl = {{ path = \"crates/tucrl\", version = \"{version}\" }}");
    assert!(workspace.contains(&own), "the workspace must ask for {version} of its own library");
    assert_eq!(workspace.matches(&format!("\nversion = \"{version}\"")).count(), 1);
    let mut crates = 0;
    for entry in fs::read_dir(root.join("crates")).unwrap() {
        let manifest = entry.unwrap().path().join("Cargo.toml");
        let text = fs::read_to_string(&manifest).unwrap();
        assert!(text.contains("version.workspace = true"), "{}", manifest.display());
        crates += 1;
    }
    assert!(crates >= 2);
    let citation = fs::read_to_string(root.join("CITATION.cff")).unwrap();
    assert!(citation.contains(&format!("\nversion: {version}\n")), "CITATION.cff says otherwise");
}

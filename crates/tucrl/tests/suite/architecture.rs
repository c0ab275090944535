//! Does the source follow its rules: which module may import which, how a file begins, how long it is?
//!
//! Two laws of imports: learning files never import the truth, so that a learner cannot look at the world it learns;
//! and no module imports one that stands to its right. Both are read off every `crate::` path outside the unit tests.
#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Every module of the library from left to right. A module may import only from rows above its own, and within a
/// row only along [`SIBLINGS`].
const ROWS: &[&[&str]] = &[
    &["math", "pulse", "clock"],
    &["options", "rng", "graph", "elimination", "space"],
    &["error", "reward"],
    &["builder", "mdp"],
    &["policy", "generator"],
    &["chain", "structure"],
    &["evaluate", "hitting", "solve", "env", "explore"],
    &["counts", "gaps", "certify", "replay"],
    &["confidence"],
    &["truncation", "inner_max", "rules"],
    &["plausible", "posterior"],
    &["sets", "planner"],
    &["evi"],
    &["span_clip"],
    &["span_price"],
    &["learner", "episode", "model"],
    &["agents", "worlds"],
    &["bounds", "truth", "exploration"],
    &["run", "hardness"],
    &["conformance"],
];

/// Imports allowed within a row: a model and its builder are two files of one thing; an episodic learner is a learner,
/// and the report of a learner has the records of its episodes; a batch of steps in a model is played by a learner; the
/// error of a reward names the range that it leaves.
const SIBLINGS: &[(&str, &str)] = &[
    ("error", "reward"),
    ("mdp", "builder"),
    ("builder", "mdp"),
    ("episode", "learner"),
    ("learner", "episode"),
    ("model", "learner"),
    ("learner", "model"),
];

/// What learns.
const LEARNING: &[&str] = &[
    "counts",
    "confidence",
    "truncation",
    "inner_max",
    "rules",
    "plausible",
    "posterior",
    "sets",
    "planner",
    "evi",
    "span_clip",
    "span_price",
    "learner",
    "episode",
    "agents",
];

/// What a learner must not see.
const TRUTH: &[&str] = &[
    "builder",
    "certify",
    "chain",
    "env",
    "evaluate",
    "exploration",
    "explore",
    "gaps",
    "generator",
    "hardness",
    "hitting",
    "mdp",
    "model",
    "replay",
    "solve",
    "structure",
    "truth",
    "worlds",
];

/// A learning module that may see a part of the truth after all: these names, for this reason.
struct Exception {
    from: &'static str,
    to: &'static str,
    names: &'static [&'static str],
    reason: &'static str,
}

const MAY_SEE: &[Exception] = &[
    Exception {
        from: "posterior",
        to: "mdp",
        names: &["Mdp"],
        reason: "a sampled model is a model",
    },
    Exception {
        from: "posterior",
        to: "solve",
        names: &["Solution", "self", "solve"],
        reason: "and is solved like one",
    },
    Exception {
        from: "evi",
        to: "chain",
        names: &["Chain"],
        reason: "the chain of an optimistic policy is evaluated like any chain",
    },
    Exception {
        from: "learner",
        to: "model",
        names: &["Batch", "PlayError"],
        reason: "a learner is handed its steps as a batch",
    },
    Exception {
        from: "learner",
        to: "replay",
        names: &["Replay"],
        reason: "and those that are certain as a part of it, in which nothing can be read",
    },
    Exception {
        from: "episode",
        to: "replay",
        names: &["CertainStep", "Known", "Replay"],
        reason: "a learner plays what it has prepared, and learns only that it went so",
    },
];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Every Rust file below a folder with its text, sorted.
fn files_below(folder: PathBuf) -> Vec<(PathBuf, String)> {
    let mut open = vec![folder];
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
    found
}

/// Every source file of the library with its text, sorted.
fn files() -> Vec<(PathBuf, String)> {
    let found = files_below(source());
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

/// The code of a file without comments and unit tests.
fn code_of(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.map(|line| line.to_owned() + "\n").collect()
}

/// Splits a path at its first `::`; the rest is empty when it is one name.
fn split_path(path: &str) -> (&str, &str) {
    path.trim().split_once("::").unwrap_or((path.trim(), ""))
}

/// The parts of a `{...}` group at its own level, or the one path that stands instead.
fn alternatives(text: &str) -> Vec<&str> {
    let Some(inside) = text.strip_prefix('{') else {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let mut end = text.find(|c: char| !is_part(c)).unwrap_or(text.len());
        while text[end..].starts_with("::") {
            let rest = &text[end + 2..];
            end += 2 + match rest.starts_with('{') {
                true => rest.find('}').map_or(rest.len(), |at| at + 1),
                false => rest.find(|c: char| !is_part(c)).unwrap_or(rest.len()),
            };
        }
        return vec![&text[..end]];
    };
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in inside.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            '}' => {
                parts.push(&inside[start..at]);
                break;
            }
            ',' if depth == 0 => {
                parts.push(&inside[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.retain(|part| !part.trim().is_empty());
    parts
}

/// The modules of the crate that a text names outside comments and unit tests, with the names taken from each; the
/// module itself counts as `self`.
fn imports(text: &str) -> BTreeMap<String, BTreeSet<String>> {
    let code = code_of(text);
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (at, path) in code.match_indices("crate::") {
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        for part in alternatives(&code[at + path.len()..]) {
            let (module, rest) = split_path(part);
            let names = found.entry(module.to_owned()).or_default();
            match rest {
                "" => drop(names.insert("self".into())),
                _ => names
                    .extend(alternatives(rest).iter().map(|name| split_path(name).0.to_owned())),
            }
        }
    }
    found
}

fn row_of(module: &str) -> Option<usize> {
    ROWS.iter().position(|row| row.contains(&module))
}

/// What is wrong with one module importing names of another, if anything.
fn complaint(from: &str, to: &str, names: &[&str]) -> Option<String> {
    let (Some(here), Some(there)) = (row_of(from), row_of(to)) else {
        return Some(format!("{from} or {to} has no place in ROWS"));
    };
    if LEARNING.contains(&from) && TRUTH.contains(&to) {
        let exception = MAY_SEE.iter().find(|other| (other.from, other.to) == (from, to));
        let Some(exception) = exception else {
            return Some(format!("{from} learns and must not see {to}"));
        };
        if let Some(name) = names.iter().find(|name| !exception.names.contains(name)) {
            let reason = exception.reason;
            return Some(format!("{from} learns and must not see {name} of {to}: {reason}"));
        }
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
    let found: BTreeSet<String> = files().iter().filter_map(|(path, _)| module_of(path)).collect();
    for module in &found {
        assert!(places.contains_key(module.as_str()), "{module} has no place in ROWS");
    }
    for module in places.keys() {
        assert!(found.contains(*module), "{module} has a place in ROWS and no file");
    }
}

#[test]
fn nothing_imports_what_stands_to_its_right_and_no_learner_sees_the_truth() {
    let mut complaints = Vec::new();
    let mut unused: BTreeSet<(&str, &str)> =
        MAY_SEE.iter().map(|exception| (exception.from, exception.to)).collect();
    unused.extend(SIBLINGS);
    let mut seen = 0;
    for (path, text) in files() {
        let Some(from) = module_of(&path) else { continue };
        // Unit tests in a file of their own may import anything, as those within a file.
        if path.ends_with("tests.rs") {
            continue;
        }
        for (to, names) in imports(&text) {
            seen += 1;
            unused.retain(|pair| *pair != (from.as_str(), to.as_str()));
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            complaints.extend(
                complaint(&from, &to, &names).map(|text| format!("{}: {text}", path.display())),
            );
        }
        if code_of(&text).contains("super::super::") {
            complaints.push(format!("{}: name modules from the root", path.display()));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(unused.is_empty(), "exceptions that nothing needs: {unused:?}");
    assert!(seen > 50, "only {seen} imports were found: the reader misses some");
}

#[test]
fn the_laws_refuse_what_breaks_them() {
    let text = "//! crate::worlds\nuse crate::mdp::Mdp;\nlet x = crate::graph::y(crate::rng::r);\n\
                use crate::{evi, sets::{Kl, L1}};\nuse crate::solve::{\n    self, Solution,\n};\n\
                #[cfg(test)]\nmod tests { use crate::error::E; }\n";
    let expected = [
        ("evi", vec!["self"]),
        ("graph", vec!["y"]),
        ("mdp", vec!["Mdp"]),
        ("rng", vec!["r"]),
        ("sets", vec!["Kl", "L1"]),
        ("solve", vec!["Solution", "self"]),
    ];
    let found = imports(text);
    let found: Vec<(&str, Vec<&str>)> = found
        .iter()
        .map(|(module, names)| (module.as_str(), names.iter().map(String::as_str).collect()))
        .collect();
    assert_eq!(found, expected);
    assert_eq!(complaint("solve", "structure", &["reachable"]), None);
    assert_eq!(complaint("builder", "mdp", &["Mdp"]), None);
    assert_eq!(complaint("posterior", "mdp", &["Mdp"]), None);
    assert_eq!(complaint("learner", "model", &["Batch", "PlayError"]), None);
    for (from, to) in [
        ("mdp", "solve"),
        ("structure", "hitting"),
        ("chain", "structure"),
        ("counts", "mdp"),
        ("agents", "structure"),
        ("agents", "model"),
        ("agents", "truth"),
        ("sets", "planner"),
        ("rules", "planner"),
        ("learner", "agents"),
        ("learner", "truth"),
        ("learner", "env"),
        ("evi", "worlds"),
        ("episode", "env"),
        ("episode", "model"),
        ("posterior", "worlds"),
        ("confidence", "truncation"),
        ("options", "space"),
        ("mdp", "utils"),
    ] {
        assert!(complaint(from, to, &["Name"]).is_some(), "{from} -> {to}");
    }
    // An exception covers the names it lists and no others.
    for (from, to, name) in [
        ("learner", "model", "Model"),
        ("posterior", "mdp", "MdpBuilder"),
        ("evi", "chain", "self"),
    ] {
        assert!(complaint(from, to, &[name]).is_some(), "{from} -> {to}::{name}");
    }
}

/// What is wrong with the head of a file, if anything.
fn complaint_about_head(head: &str) -> Option<&'static str> {
    let first = head.trim().split_inclusive(['.', '?']).next().unwrap_or_default();
    if head.trim().is_empty() {
        return Some("it has no head");
    }
    if !first.ends_with(['.', '?']) {
        return Some("its head begins with neither a question nor a statement");
    }
    let lists_imports = head.contains("Reads `") && head.contains("feeds");
    lists_imports.then_some("its head lists what it imports, which the code says")
}

/// The comment at the top of a file, on one line.
fn head_of(text: &str) -> String {
    let lines = text.lines().take_while(|line| line.starts_with("//!"));
    lines.map(|line| line.trim_start_matches("//!").trim().to_owned() + " ").collect()
}

#[test]
fn every_file_says_in_its_head_what_it_is_about() {
    for (path, text) in files() {
        let complaint = complaint_about_head(&head_of(&text));
        assert_eq!(complaint, None, "{}", path.display());
    }
    assert_eq!(complaint_about_head("What is a head? It is this."), None);
    assert_eq!(complaint_about_head("A head, and nothing else."), None);
    for head in ["", "A head", "A head. Reads `counts`; feeds `evi`."] {
        assert!(complaint_about_head(head).is_some(), "{head}");
    }
}

#[test]
fn no_file_refers_to_documents_that_are_not_in_the_repository() {
    // Written in parts, so that this file does not refer to them.
    let documents = [["ALGO", "RITHMS"].concat(), ["HO", "USE"].concat()];
    let crates = files_below(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
    assert!(crates.len() > files().len());
    for (path, text) in crates {
        for document in &documents {
            let mut words = text.split(|c: char| !c.is_alphanumeric());
            assert!(words.all(|word| word != document), "{} names {document}", path.display());
        }
    }
}

#[test]
fn no_file_grows_beyond_six_hundred_lines() {
    for (path, text) in files_below(PathBuf::from(env!("CARGO_MANIFEST_DIR"))) {
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
        // What is outside of the workspace is a tool of this repository and is not released.
        if text.contains("\n[workspace]\n") {
            assert!(text.contains("\npublish = false\n"), "{}", manifest.display());
            continue;
        }
        assert!(text.contains("version.workspace = true"), "{}", manifest.display());
        crates += 1;
    }
    assert!(crates >= 2);
    let citation = fs::read_to_string(root.join("CITATION.cff")).unwrap();
    assert!(citation.contains(&format!("\nversion: {version}\n")), "CITATION.cff says otherwise");
}

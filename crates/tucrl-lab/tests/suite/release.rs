//! Do all files that repeat the version, the address of the repository or the oldest Rust repeat the same?
//!
//! Each stands in one place, `[workspace.package]` of `Cargo.toml`.
#![allow(missing_docs, clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn table(name: &str) -> Table {
    text(name).parse().unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn shared(key: &str) -> String {
    table("Cargo.toml")["workspace"]["package"][key].as_str().unwrap().to_owned()
}

/// The manifests of the workspace.
fn manifests() -> Vec<(String, Table)> {
    let members = table("Cargo.toml")["workspace"]["members"].as_array().unwrap().clone();
    let name = |member: &Value| format!("{}/Cargo.toml", member.as_str().unwrap());
    members.iter().map(|member| (name(member), table(&name(member)))).collect()
}

/// What follows a key at the start of a line, without quotes.
fn value_of(name: &str, key: &str) -> String {
    let text = text(name);
    let mut lines = text.lines().filter_map(|line| line.trim_start().strip_prefix(key));
    let first = lines.next().unwrap_or_else(|| panic!("{name} has no {key}"));
    first.trim().trim_matches('"').to_owned()
}

#[test]
fn the_version_has_one_source() {
    let version = shared("version");
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
    let workspace = table("Cargo.toml");
    for (name, needed) in workspace["workspace"]["dependencies"].as_table().unwrap() {
        if needed.get("path").is_some() {
            assert_eq!(needed["version"].as_str(), Some(version.as_str()), "{name}");
        }
    }
    for (name, manifest) in manifests() {
        let own = &manifest["package"]["version"];
        let is_shared = own.get("workspace").is_some() || name.starts_with("examples/");
        assert!(is_shared, "{name}: write version.workspace = true");
    }
    let python = table("pyproject.toml");
    assert!(python["project"].get("version").is_none(), "pyproject.toml takes it from Cargo.toml");
    assert_eq!(value_of("CITATION.cff", "version:"), version);
    assert_eq!(value_of("conda/recipe.yaml", "version:"), version);
}

#[test]
fn the_oldest_rust_is_declared_once() {
    let oldest = shared("rust-version");
    for (name, manifest) in manifests() {
        let own = manifest["package"].get("rust-version").unwrap_or_else(|| panic!("{name}"));
        assert_eq!(own.get("workspace"), Some(&Value::Boolean(true)), "{name}");
    }
    assert!(!text("clippy.toml").contains("msrv"), "clippy reads it from Cargo.toml");
    let lints = &table("Cargo.toml")["workspace"]["lints"]["clippy"];
    assert_eq!(lints["incompatible_msrv"].as_str(), Some("deny"));
    // Documents may name it, but no other one.
    let needs = format!("Rust {oldest}");
    for name in ["README.md", "CONTRIBUTING.md"] {
        let text = text(name);
        for (place, _) in text.match_indices("Rust 1.") {
            assert!(text[place..].starts_with(&needs), "{name} names another Rust than {oldest}");
        }
    }
}

#[test]
fn every_address_is_that_of_the_repository() {
    let address = shared("repository");
    assert!(address.starts_with("https://"), "{address}");
    assert_eq!(shared("homepage"), address);
    assert_eq!(value_of("CITATION.cff", "repository-code:"), address);
    assert_eq!(value_of("conda/recipe.yaml", "homepage:"), address);
    assert_eq!(value_of("conda/recipe.yaml", "repository:"), address);
    let python = table("pyproject.toml");
    for (what, url) in python["project"]["urls"].as_table().unwrap() {
        let url = url.as_str().unwrap();
        let rest = url.strip_prefix(&address);
        let rest = rest.unwrap_or_else(|| panic!("{what}: {url} is elsewhere than {address}"));
        // What leads into the tree leads to a file that exists.
        let file = rest.trim_start_matches("/blob/main/").trim_start_matches("/tree/main/");
        assert!(["", "/issues"].contains(&file) || root().join(file).exists(), "{what}: {url}");
    }
    for (name, manifest) in manifests().into_iter().filter(|(name, _)| name.starts_with("crates/"))
    {
        for key in ["repository", "homepage", "license", "description"] {
            let own = manifest["package"].get(key).unwrap_or_else(|| panic!("{name}: {key}"));
            let is_right = own.get("workspace").is_some() || key == "description";
            assert!(is_right, "{name}: write {key}.workspace = true");
        }
    }
}

#[test]
fn the_extra_called_all_has_all_extras() {
    let python = table("pyproject.toml");
    let extras = python["project"]["optional-dependencies"].as_table().unwrap();
    let mut others: Vec<&str> =
        extras.keys().map(String::as_str).filter(|key| *key != "all").collect();
    others.sort_unstable();
    let all = extras["all"].as_array().unwrap();
    assert_eq!(all, &[Value::String(format!("tucrl[{}]", others.join(",")))]);
}

#[test]
fn the_paper_cites_what_its_bibliography_has() {
    let (paper, bibliography) = (text("paper/paper.md"), text("paper/paper.bib"));
    let is_key = |c: char| c.is_ascii_alphanumeric();
    let key = |rest: &str| rest.split(|c: char| !is_key(c)).next().unwrap_or_default().to_owned();
    let mut cited: Vec<String> = paper.split('@').skip(1).map(key).collect();
    let entries = bibliography.lines().filter(|line| line.starts_with('@'));
    let mut known: Vec<String> =
        entries.filter_map(|line| line.split_once('{')).map(|(_, rest)| key(rest)).collect();
    cited.sort_unstable();
    cited.dedup();
    known.sort_unstable();
    assert_eq!(cited, known);
}

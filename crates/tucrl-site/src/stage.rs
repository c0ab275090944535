//! Which files does mdBook read, and how do they differ from those of the repository?
//!
//! - README.md becomes index.md, the first page; explorable.md gets another name than the page explorable.html, which it shows.
//! - The table of contents gets a line per page of `docs/agents/`, which are generated.
//! - The marks `<!-- explorable -->` and `<!-- api -->` become the page and the links that only the site has.
//! - Files that pages link to are copied beside them.

use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::CRATES;

const RENAMED: [(&str, &str); 3] = [
    ("README.md", "index.md"),
    ("explorable.md", "in-the-browser.md"),
    // mdBook's own page of contents.
    ("docs/SUMMARY.md", "toc.html"),
];
const EXPLORABLE: &str = "<iframe src=\"explorable.html\" title=\"Agents that learn a small MDP in this page\" \
     loading=\"lazy\" style=\"width: 100%; height: 85vh; border: 1px solid currentColor\"></iframe>";

/// Writes the source of the book; returns the number of pages.
pub fn stage(root: &Path, source: &Path, has_api: bool) -> Result<usize> {
    if source.exists() {
        fs::remove_dir_all(source)?;
    }
    let mut agents = markdown(&root.join("docs/agents"))?;
    agents.sort();
    let contents = fs::read_to_string(root.join("docs/SUMMARY.md")).context("docs/SUMMARY.md")?;
    let mut summary = String::new();
    let mut pages = Vec::new();
    for line in contents.lines() {
        let Some(link) = target(line) else {
            summary += &format!("{line}\n");
            continue;
        };
        let page = normal(&Path::new("docs").join(link));
        summary += &format!("{}\n", line.replace(link, &staged(&page.to_string_lossy())));
        if page == Path::new("docs/agents.md") {
            let indent = " ".repeat(line.len() - line.trim_start().len() + 2);
            for agent in &agents {
                let name = agent.file_stem().unwrap_or_default().to_string_lossy();
                summary += &format!("{indent}- [{name}](docs/agents/{name}.md)\n");
                pages.push(Path::new("docs/agents").join(format!("{name}.md")));
            }
        }
        pages.push(page);
    }
    write(&source.join("SUMMARY.md"), summary.as_bytes())?;
    for page in &pages {
        let place = root.join(page);
        let text = fs::read_to_string(&place)
            .with_context(|| format!("{}, named in docs/SUMMARY.md", place.display()))?;
        for link in links(&text) {
            let path = normal(&page.parent().unwrap_or(Path::new("")).join(link));
            let is_page = path.extension().is_some_and(|ending| ending == "md");
            if !is_page && root.join(&path).is_file() {
                write(&source.join(&path), &fs::read(root.join(&path))?)?;
            }
        }
        write(
            &source.join(staged(&page.to_string_lossy())),
            rewritten(&text, page, has_api).as_bytes(),
        )?;
    }
    Ok(pages.len())
}

/// A page's text as the site has it.
fn rewritten(text: &str, page: &Path, has_api: bool) -> String {
    let up = "../".repeat(page.components().count() - 1);
    let api = if has_api {
        CRATES.map(|name| format!("- [{name}]({up}api/{name}/index.html)\n")).concat()
    } else {
        String::new()
    };
    staged(text).replace("<!-- explorable -->", EXPLORABLE).replace("<!-- api -->", &api)
}

/// Names of pages, in a path or a text, as the source of the book has them.
fn staged(text: &str) -> String {
    RENAMED.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// The target of the first link of a line.
fn target(line: &str) -> Option<&str> {
    let rest = &line[line.find("](")? + 2..];
    rest.find(')').map(|end| &rest[..end])
}

/// The targets of all links to files, without their anchors.
fn links(text: &str) -> Vec<&str> {
    let ends = text.match_indices("](").map(|(at, _)| &text[at + 2..]);
    let inner = ends.filter_map(|rest| rest.find([')', '\n']).map(|end| &rest[..end]));
    inner
        .filter_map(|link| link.split('#').next())
        .filter(|link| !link.is_empty() && !link.contains(':'))
        .collect()
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

fn markdown(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    Ok(paths
        .into_iter()
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .collect())
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, bytes).with_context(|| path.display().to_string())
}

/// Copies a folder.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, target) = (entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() {
            copy(&entry.path(), &target)?;
        } else if kind.is_file() {
            fs::copy(entry.path(), target)?;
        } else {
            bail!("{} is neither a file nor a folder", entry.path().display());
        }
    }
    Ok(())
}

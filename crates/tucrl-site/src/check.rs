//! Does every link of the site lead somewhere within it?

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

/// Checks the pages of a site, those of the API documentation only as targets; returns the number of links.
pub fn check(site: &Path) -> Result<usize> {
    let mut pages = Vec::new();
    collect(site, site, &mut pages)?;
    let mut anchors = BTreeMap::new();
    let (mut count, mut broken) = (0, Vec::new());
    for page in &pages {
        let text = fs::read_to_string(page)?;
        for link in ["href", "src"].iter().flat_map(|name| values(&text, name)) {
            let is_elsewhere =
                link.contains("://") || link.starts_with("data:") || link.starts_with("mailto:");
            if is_elsewhere || link.is_empty() {
                continue;
            }
            count += 1;
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target =
                if path.is_empty() { page.clone() } else { page.with_file_name("").join(path) };
            let problem = if !target.is_file() {
                "no such file"
            } else if !anchor.is_empty() && !ids(&target, &mut anchors)?.contains(anchor) {
                "no such anchor"
            } else {
                continue;
            };
            broken.push(format!("{}: {link}: {problem}", page.display()));
        }
    }
    if broken.is_empty() { Ok(count) } else { bail!("{}", broken.join("\n")) }
}

/// Pages that mdBook wrote.
fn collect(site: &Path, folder: &Path, pages: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() && path != site.join("api") {
            collect(site, &path, pages)?;
        } else if path.extension().is_some_and(|ending| ending == "html")
            && !path.ends_with("docs/explorable.html")
        {
            pages.push(path);
        }
    }
    pages.sort();
    Ok(())
}

/// The anchors of a page.
fn ids<'a>(
    page: &Path,
    known: &'a mut BTreeMap<PathBuf, BTreeSet<String>>,
) -> Result<&'a BTreeSet<String>> {
    let page = page.canonicalize()?;
    if !known.contains_key(&page) {
        let text = fs::read_to_string(&page)?;
        known.insert(page.clone(), values(&text, "id").into_iter().collect());
    }
    Ok(&known[&page])
}

/// The values of an attribute of a page that a program wrote: between double quotes.
fn values(text: &str, name: &str) -> Vec<String> {
    let start = format!(" {name}=\"");
    let ends = text.match_indices(&start).map(|(at, _)| &text[at + start.len()..]);
    ends.filter_map(|rest| rest.split('"').next())
        .map(|value| value.replace("&amp;", "&").replace("%20", " "))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_to_nothing_and_an_anchor_of_nothing_are_named() {
        let site = std::env::temp_dir().join(format!("tucrl-site-{}", std::process::id()));
        fs::create_dir_all(&site).unwrap();
        fs::write(
            site.join("a.html"),
            "<h1 id=\"top\"></h1><a href=\"b.html#x\"></a><a href=\"#top\"></a>",
        )
        .unwrap();
        fs::write(site.join("b.html"), "<h1 id=\"x\"></h1><a href=\"https://example.org\"></a>")
            .unwrap();
        assert_eq!(check(&site).unwrap(), 2);
        fs::write(site.join("b.html"), "<a href=\"c.html\"></a>").unwrap();
        let message = check(&site).unwrap_err().to_string();
        fs::remove_dir_all(&site).unwrap();
        assert!(
            message.contains("b.html#x: no such anchor")
                && message.contains("c.html: no such file"),
            "{message}"
        );
    }
}

//! How is the documentation site written from README, docs and the API documentation?
//!
//! `tucrl-site OUT [API]` writes the site to the folder OUT with mdBook; API is the folder of `cargo doc`. The pages lie as in
//! the repository, so that their relative links hold in both. Every link and anchor of the result is checked.

mod check;
mod stage;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use mdbook_driver::MDBook;
use mdbook_driver::config::Config;

/// The crates whose documentation readers look for.
const CRATES: [&str; 3] = ["tucrl", "tucrl_lab", "tucrl_cli"];

fn main() -> Result<()> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let (out, api) = match arguments.as_slice() {
        [out] => (out, None),
        [out, api] => (out, Some(api)),
        _ => bail!("usage: tucrl-site OUT [FOLDER OF cargo doc]"),
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    if out.exists() {
        if !out.join("toc.html").exists() {
            bail!("{} exists and is no site: name another folder, or remove it", out.display());
        }
        std::fs::remove_dir_all(out)?;
    }
    let source = out.with_extension("source");
    let pages = stage::stage(&root, &source, api.is_some())?;
    let mut config: Config = include_str!("../book.toml").parse()?;
    config.book.src = PathBuf::from(".");
    config.build.build_dir = std::path::absolute(out)?;
    MDBook::load_with_config(&source, config)?.build().context("mdBook")?;
    if let Some(api) = api {
        if let Some(missing) =
            CRATES.iter().find(|name| !api.join(name).join("index.html").exists())
        {
            bail!(
                "{} has no documentation of {missing}: run cargo doc --workspace --no-deps",
                api.display()
            );
        }
        stage::copy(api, &out.join("api"))?;
    }
    std::fs::remove_dir_all(&source)?;
    let links = check::check(out)?;
    println!(
        "wrote {}: {pages} pages, {links} links resolve; open {}",
        out.display(),
        out.join("index.html").display()
    );
    Ok(())
}

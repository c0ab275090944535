//! Writes what JavaScript loads: a module without sections for tools, and its JavaScript half.
//!
//! `tucrl-bindgen IN.wasm FOLDER` writes `tucrl_bg.wasm`, the same compressed as `tucrl.wasm.gz`, and `tucrl.js`.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use wasm_bindgen_cli_support::Bindgen;
use zopfli::{Format, Options};

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args_os().skip(1);
    let usage = "usage: tucrl-bindgen IN.wasm FOLDER";
    let (input, folder) = (arguments.next().context(usage)?, arguments.next().context(usage)?);
    let folder = PathBuf::from(folder);
    let mut bindgen = Bindgen::new();
    bindgen.input_path(input).out_name("tucrl").typescript(false);
    bindgen.no_modules(true)?.remove_name_section(true).remove_producers_section(true);
    bindgen.generate(&folder)?;
    let module = fs::read(folder.join("tucrl_bg.wasm"))?;
    let mut compressed = Vec::new();
    zopfli::compress(Options::default(), Format::Gzip, module.as_slice(), &mut compressed)?;
    fs::write(folder.join("tucrl.wasm.gz"), compressed)?;
    Ok(())
}

//! Writes what JavaScript loads: a module without sections for tools, and its JavaScript half.
//!
//! `tucrl-bindgen IN.wasm FOLDER` writes `tucrl_bg.wasm` and `tucrl.js`.

use anyhow::Context;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args_os().skip(1);
    let usage = "usage: tucrl-bindgen IN.wasm FOLDER";
    let (input, folder) = (arguments.next().context(usage)?, arguments.next().context(usage)?);
    let mut bindgen = Bindgen::new();
    bindgen.input_path(input).out_name("tucrl").typescript(false);
    bindgen.no_modules(true)?.remove_name_section(true).remove_producers_section(true);
    bindgen.generate(folder)
}

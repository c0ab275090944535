//! `tucrl play`: which page shows agents learning in the browser?

use tucrl_lab::explorable;
use tucrl_lab::formats::IfExists;
use tucrl_lab::formats::save::atomically;
use tucrl_lab::text::{bytes, named};

use crate::cli::Play;

pub(super) fn run(ask: &Play) -> anyhow::Result<String> {
    let if_exists = if ask.force { IfExists::Replace } else { IfExists::Refuse };
    let page = explorable::page();
    atomically(&ask.out, if_exists, |out| out.write_all(page.as_bytes()))?;
    Ok(format!("wrote {}, {}: open it in a browser\n", named(&ask.out), bytes(page.len() as u64)))
}

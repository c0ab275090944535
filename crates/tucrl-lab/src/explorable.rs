//! How is the page written on which agents learn in the browser?
//!
//! One file without network access: the library as WebAssembly (`crates/tucrl-wasm`, built by `crates/tucrl-wasm/build`),
//! the charts of the reports, a diagram of the MDP, guided tours.

use std::fmt::Write as _;

use tucrl::model::Model;

use crate::catalogue::{Catalogue, World};
use crate::formats::ReadOptions;
use crate::report::html::{CHART, CURVES, STYLE};
use crate::stats::WorldStudy;

/// The name of the page beside a report.
pub const FILE: &str = "explorable.html";
/// More states, agents and steps are not shown.
const MOST_STATES: usize = 1000;
const MOST_AGENTS: usize = 3;
const MOST_STEPS: u64 = 1_000_000_000;

/// The module, compressed, and the JavaScript that calls it.
const MODULE: &[u8] = include_bytes!("explorable/tucrl.wasm.gz");
const CALLS: &str = include_str!("explorable/tucrl.js");

const PAGE: &str = include_str!("explorable/page.html");
const OWN_STYLE: &str = include_str!("explorable/page.css");
const PROGRAM: [&str; 5] = [
    include_str!("explorable/engine.js"),
    include_str!("explorable/diagram.js"),
    include_str!("explorable/tours.js"),
    include_str!("explorable/edit.js"),
    include_str!("explorable/page.js"),
];

/// The page.
pub fn page() -> String {
    let script = [CALLS, CHART, CURVES].into_iter().chain(PROGRAM).collect::<Vec<_>>().join("\n");
    let style = format!("{STYLE}{OWN_STYLE}");
    let module = base64(MODULE);
    // In this order, so that no text is searched for the marks of another.
    let parts = [("/* style */", style), ("// program", script), ("module-in-base64", module)];
    let mut page = String::with_capacity(2 * MODULE.len());
    let mut rest = PAGE;
    for (mark, text) in parts {
        let (before, after) = rest.split_once(mark).unwrap_or((rest, ""));
        page += before;
        page += &text;
        rest = after;
    }
    page + rest
}

/// The address of the scene in which the first agents of a world make their run 0 again; none where the page cannot show
/// it: a world without a table or with many states, agents that do not come with the library.
pub fn link(world: &WorldStudy<'_>) -> Option<String> {
    let named = World::parse(world.world).ok()?;
    if !matches!(named, World::Named { .. }) || !named.files().is_empty() {
        return None;
    }
    let Model::Table(mdp) = named.open(&ReadOptions::default()).ok()? else { return None };
    let is_known = |spec: &str| Catalogue::default().agent(spec).is_ok();
    let shown = world.agents.iter().filter(|agent| !agent.is_imported && is_known(agent.agent));
    let runs: Vec<_> = shown
        .filter_map(|agent| agent.runs.first().filter(|run| run.spec.run == 0))
        .take(MOST_AGENTS)
        .collect();
    let spec = &runs.first()?.spec;
    if mdp.states() > MOST_STATES || spec.steps > MOST_STEPS {
        return None;
    }
    let mut link = format!("{FILE}#world={}", encoded(world.world));
    for run in &runs {
        // Writing to a string cannot fail.
        let _ = write!(link, "&agent={}", encoded(&run.agent));
    }
    let _ = write!(link, "&seed={}&steps={}", spec.master_seed, spec.steps);
    Some(link)
}

/// A value of a fragment: letters that could end it are written as their bytes.
fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b':' | b',' | b'=' => {
                out.push(char::from(byte));
            }
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

/// The letters of RFC 4648, section 4.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |index: usize| u32::from(three.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place)) as usize & 63];
            text.push(if place <= three.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        // RFC 4648, section 10.
        let known =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")];
        for (bytes, text) in known {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
        assert_eq!(base64(&[0xff, 0xef, 0xbe]), "/+++");
    }

    #[test]
    fn the_page_is_whole_and_at_most_a_megabyte_and_a_half() {
        let page = page();
        assert!(page.len() <= 1_500_000, "{} bytes", page.len());
        assert!(page.ends_with("</html>\n") && page.contains(&base64(MODULE)));
        for mark in ["/* style */", "// program", "module-in-base64"] {
            assert!(!page.contains(mark), "{mark}");
        }
        for other in ["http://", "https://"] {
            let addresses = page.matches(other).count()
                - page.matches("http://www.w3.org/2000/svg").count()
                    * usize::from(other == "http://");
            assert_eq!(addresses, 0, "{other}");
        }
    }
}

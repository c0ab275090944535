//! What do documents written from a table have in common?

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use tucrl_lab::catalogue::OptionListing;

/// The keys of a world or an agent as a table; `none` where there are none.
pub(crate) fn parameters(out: &mut String, parameters: &[OptionListing], none: &str) {
    if parameters.is_empty() {
        *out += none;
        return;
    }
    *out += "| key | default | accepts | meaning |\n|---|---|---|---|\n";
    for parameter in parameters {
        let keys: Vec<String> = std::iter::once(&parameter.key)
            .chain(&parameter.aliases)
            .map(|key| format!("`{key}`"))
            .collect();
        let (keys, meaning) = (keys.join(", "), &parameter.meaning);
        let default = match parameter.default.as_str() {
            "" => "must be given".into(),
            default => format!("`{default}`"),
        };
        let accepts = &parameter.accepts;
        writeln!(out, "| {keys} | {default} | {accepts} | {meaning} |").unwrap();
    }
}

/// Compares `docs/<name>.md` with what it should say, after writing it anew if asked to.
pub(crate) fn assert_says(name: &str, document: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/{name}.md"));
    if env::var_os("TUCRL_WRITE_DOCS").is_some() {
        fs::write(&path, document).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    let test = name.split('/').next().unwrap_or(name);
    assert!(
        found == document,
        "docs/{name}.md is stale: run TUCRL_WRITE_DOCS=1 cargo test -p tucrl-lab \
         {test}_document"
    );
}

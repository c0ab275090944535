//! `tucrl merge`: how do the results of several machines come together?

use serde_json::json;
use tucrl_lab::Catalogue;
use tucrl_lab::store::merge;
use tucrl_lab::text::counted;

use crate::cli::Merge;

pub(super) fn run(ask: &Merge, catalogue: &Catalogue) -> anyhow::Result<String> {
    let merged = merge(&ask.from, &ask.into, catalogue)?;
    if ask.json {
        return super::json(&json!({
            "runs": merged.runs,
            "added": merged.added,
            "duplicates": merged.duplicates,
            "checkpoints": merged.checkpoints,
            "imports": merged.imports,
        }));
    }
    let shown = ask.into.display().to_string();
    let mut text = format!("{shown}: {}, {} new", counted(merged.runs, "run"), merged.added);
    for (count, what) in [
        (merged.duplicates, "duplicate"),
        (merged.checkpoints, "checkpoint"),
        (merged.imports, "imported curve"),
    ] {
        if count > 0 {
            text += &format!(", {}", counted(count, what));
        }
    }
    Ok(format!("{text}\n{}", super::text::next(&["status", &shown])))
}

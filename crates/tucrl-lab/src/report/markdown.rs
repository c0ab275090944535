//! How is the report written as Markdown?
//!
//! A section per world with its figures, the final table, the paired comparisons and the facts; then the failed runs and
//! the provenance.

use std::fmt::Write as _;

use super::Figures;
use super::text::{
    Cells, EXPLORATION, IMPORTED, across_explained, across_table, exploration_table, facts_rows,
    final_table, imported_table, pair_table, provenance_rows, remarks, sweep_explained,
    sweep_table, uncertainty,
};
use crate::record::{Provenance, StoredRun};
use crate::stats::{Across, Study};
use crate::text::printable;

const EXPLANATION: &str = "\
± is half the 95 % interval of the mean by
Student's t; the bootstrap interval is from two thousand resamples of the runs. Growth is the exponent of mean
regret over the last decade: 1 is linear, 0.5 a square root, 0 flat; in brackets its 95 % bootstrap interval. Z
counts steps in pairs that were poorly visited at that time. In comparisons a negative difference means that
the first agent has less regret; runs with the same random streams are compared. The corrected p is that of Student's
test, corrected for all comparisons in the world (Holm); below 0.05 an agent is called better. A rank is one more than the
number of better agents, and no smaller than that of an agent with a smaller mean: agents that cannot be told apart share it.
";

/// Paths of the figures over several worlds.
#[derive(Debug, Clone, Copy, Default)]
pub struct OverWorlds<'a> {
    /// The performance profiles.
    pub profiles: Option<&'a str>,
    /// Regret against parameters of worlds, with captions.
    pub sweeps: &'a [(String, String)],
}

/// The report; `figures` are the paths of the figures of each world.
pub fn markdown(
    study: &Study<'_>,
    provenance: &[Provenance],
    figures: &[Figures],
    over_worlds: OverWorlds<'_>,
) -> String {
    let mut out = format!("# {}\n\n{EXPLANATION}", escaped(study.name));
    let mut add = |text: &str| out.push_str(text);
    for (index, world) in study.worlds.iter().enumerate() {
        add(&format!("\n## {}\n\n", escaped(world.world)));
        for (caption, path) in figures.get(index).into_iter().flatten() {
            add(&format!("![{}]({path})\n\n", escaped(caption)));
        }
        if let Some(warning) = uncertainty(world) {
            add(&format!("**Warning:** {warning}\n\n"));
        }
        for remark in remarks(world) {
            add(&format!("**Warning:** {}\n\n", escaped(&remark)));
        }
        add(&format!("{}\n\n", world.regret_explained()));
        add(&table(&final_table(world)));
        if !world.pairs.is_empty() {
            add("\n");
            add(&table(&pair_table(world)));
        }
        for sweep in &world.sweeps {
            add(&format!("\n{}\n\n", escaped(&sweep_explained(sweep))));
            add(&table(&sweep_table(sweep)));
        }
        if let Some(cells) = exploration_table(world) {
            add(&format!("\n{EXPLORATION}\n\n"));
            add(&table(&cells));
        }
        add("\n");
        add(&table(&facts_rows(world.facts)));
    }
    if !over_worlds.sweeps.is_empty() {
        add("\n## Regret against parameters of worlds\n\n");
        for (caption, path) in over_worlds.sweeps {
            add(&format!("![{}]({path})\n\n", escaped(caption)));
        }
    }
    if let Some(across) = Across::new(study) {
        add(&format!("\n## All worlds\n\n{}\n\n", escaped(&across_explained(&across))));
        if let Some(path) = over_worlds.profiles {
            add(&format!("![Performance profiles]({path})\n\n"));
        }
        add(&table(&across_table(&across)));
    }
    let mut failed = String::new();
    for run in study.failed() {
        // Writing to a string cannot fail.
        let _ = writeln!(failed, "- {}", failure(run));
    }
    if !failed.is_empty() {
        add(&format!(
            "\n## Failed runs\n\nFailed runs are excluded from curves and tables.\n\n{failed}"
        ));
    }
    if let Some(cells) = imported_table(study) {
        add(&format!("\n## Imported curves\n\n{IMPORTED}\n\n"));
        add(&table(&cells));
    }
    add("\n## Provenance\n\n");
    add(&table(&provenance_rows(provenance)));
    out
}

/// A failed run and why it failed, on one line.
pub fn failure(run: &StoredRun) -> String {
    let why = run.error.as_deref().unwrap_or_default().replace('\n', " ");
    escaped(&format!("{}, {}, run {}: {why}", run.world, run.label, run.spec.run))
}

/// A text that Markdown shows as it is: no markup of its own, no HTML, no links, on one line.
pub fn escaped(text: &str) -> String {
    let text: Vec<char> = printable(text).chars().collect();
    let is_word = |index: Option<usize>| {
        index.and_then(|index| text.get(index)).is_some_and(|c| c.is_alphanumeric())
    };
    let mut out = String::with_capacity(text.len());
    for (index, &c) in text.iter().enumerate() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // Within a word it is a letter.
            '_' if is_word(index.checked_sub(1)) && is_word(Some(index + 1)) => out.push(c),
            '\\' | '`' | '*' | '_' | '[' | ']' | '~' => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
    out
}

/// A text in a cell of a table.
pub fn cell(text: &str) -> String {
    escaped(text).replace('|', "\\|")
}

/// A table; Markdown requires a head, empty if there is none.
pub fn table(cells: &Cells) -> String {
    let width = cells.rows.first().map_or(0, Vec::len);
    let blank = vec![String::new(); width];
    let row = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|text| cell(text)).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let rows: String = cells.rows.iter().map(|cells| row(cells)).collect();
    let head = cells.head.as_ref().unwrap_or(&blank);
    format!("{}|{}\n{rows}", row(head), " --- |".repeat(head.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_wrote_is_shown_and_not_obeyed() {
        let shown = [
            ("three-state:delta=0.005", "three-state:delta=0.005"),
            ("ucrl2:known_rewards=true", "ucrl2:known_rewards=true"),
            ("<img src=x onerror=alert(1)>", "&lt;img src=x onerror=alert(1)&gt;"),
            ("[x](javascript:y)", "\\[x\\](javascript:y)"),
            ("![x](y)", "!\\[x\\](y)"),
            ("_a_ *b* `c` ~~d~~ \\", "\\_a\\_ \\*b\\* \\`c\\` \\~\\~d\\~\\~ \\\\"),
            ("&lt;", "&amp;lt;"),
            ("a\nb\u{202e}c", "a\\\\nb\\\\u{202e}c"),
            ("UCRL, plain \"old\" | δ", "UCRL, plain \"old\" | δ"),
        ];
        for (text, expected) in shown {
            assert_eq!(escaped(text), expected);
        }
        assert_eq!(cell("a|b"), "a\\|b");
    }
}

//! How is the report written as Markdown?
//!
//! A section per world with its figures, the final table, the paired comparisons and the facts; then the failed runs and
//! the provenance.

use std::fmt::Write as _;

use super::Figures;
use super::text::{Cells, facts_rows, final_table, pair_table, provenance_rows};
use crate::record::Provenance;
use crate::stats::Study;

const EXPLANATION: &str = "\
Regret is the optimal gain times steps, minus the rewards. ± is half the 95 % interval of the mean by
Student's t; the bootstrap interval is from two thousand resamples of the runs. Growth is the exponent of mean
regret over the last decade: 1 is linear, 0.5 a square root, 0 flat; in brackets its 95 % bootstrap interval. Z
counts steps in pairs that were poorly visited at that time. In comparisons a negative difference means that
the first agent has less regret; runs with the same random streams are compared.
";

/// The report; `figures` are the paths of the figures of each world.
pub fn markdown(study: &Study<'_>, provenance: &[Provenance], figures: &[Figures]) -> String {
    let mut out = format!("# {}\n\n{EXPLANATION}", study.name);
    let mut add = |text: &str| out.push_str(text);
    for (index, world) in study.worlds.iter().enumerate() {
        add(&format!("\n## {}\n\n", world.world));
        for (caption, path) in figures.get(index).into_iter().flatten() {
            add(&format!("![{caption}]({path})\n\n"));
        }
        add(&table(&final_table(world)));
        if !world.pairs.is_empty() {
            add("\n");
            add(&table(&pair_table(world)));
        }
        add("\n");
        add(&table(&facts_rows(world.facts)));
    }
    let mut failed = String::new();
    for run in study.failed() {
        let why = run.error.as_deref().unwrap_or_default().replace('\n', " ");
        // Writing to a string cannot fail.
        let _ = writeln!(failed, "- {}, {}, run {}: {why}", run.world, run.label, run.spec.run);
    }
    if !failed.is_empty() {
        add(&format!(
            "\n## Failed runs\n\nFailed runs are excluded from curves and tables.\n\n{failed}"
        ));
    }
    add("\n## Provenance\n\n");
    add(&table(&provenance_rows(provenance)));
    out
}

/// A table; Markdown requires a head, empty if there is none.
fn table(cells: &Cells) -> String {
    let width = cells.rows.first().map_or(0, Vec::len);
    let blank = vec![String::new(); width];
    let row = |cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let rows: String = cells.rows.iter().map(|cells| row(cells)).collect();
    let head = cells.head.as_ref().unwrap_or(&blank);
    format!("{}|{}\n{rows}", row(head), " --- |".repeat(head.len()))
}

//! How is a table written as CSV?
//!
//! RFC 4180 with line feeds: a header, commas, quotes where needed, an empty cell where there is no value. Numbers have
//! the fewest digits that read back to the same bits.
//!
//! A spreadsheet computes a text that begins with `=`, `+`, `-` or `@`. Such a text gets an apostrophe before it, which
//! spreadsheets take as "this is text"; Parquet has it as it is.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::tables::{Table, Values};

/// A table as text.
pub fn csv(table: &Table) -> String {
    let names: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
    let mut out = names.join(",");
    out.push('\n');
    for row in 0..table.rows() {
        for (index, column) in table.columns.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            cell(&mut out, &column.values, row);
        }
        out.push('\n');
    }
    out
}

/// A text that no spreadsheet computes.
fn inert(text: &str) -> Cow<'_, str> {
    // The wide forms count in some languages; blanks before them are skipped by some programs.
    let is_formula = |c: char| "=+-@\u{ff1d}\u{ff0b}\u{ff0d}\u{ff20}\t\r".contains(c);
    match text.starts_with(is_formula) || text.trim_start().starts_with(is_formula) {
        true => format!("'{text}").into(),
        false => text.into(),
    }
}

fn cell(out: &mut String, values: &Values, row: usize) {
    // Writing to a string cannot fail.
    let _ = match values {
        Values::Text(values) => {
            let value = inert(&values[row]);
            if value.contains(['"', ',', '\n', '\r']) {
                write!(out, "\"{}\"", value.replace('"', "\"\""))
            } else {
                write!(out, "{value}")
            }
        }
        Values::Count(values) => values[row].map_or(Ok(()), |value| write!(out, "{value}")),
        Values::Number(values) => values[row].map_or(Ok(()), |value| write!(out, "{value}")),
        Values::Flag(values) => write!(out, "{}", values[row]),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_a_spreadsheet_would_compute_is_marked_as_text() {
        for text in ["=1+1", "+1", "-2+3", "@SUM(A1)", " =1", "\t=1", "\u{ff1d}1", "\r=1"] {
            assert_eq!(inert(text), format!("'{text}"));
        }
        for text in ["tucrl", "a=b", "UCRL, plain \"old\"", "", "three-state:delta=0", "'=1", "δ"]
        {
            assert_eq!(inert(text), text);
        }
    }
}

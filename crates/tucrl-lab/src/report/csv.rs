//! How is a table written as CSV?
//!
//! RFC 4180 with line feeds: a header, commas, quotes where needed, an empty cell where there is no value. Numbers have
//! the fewest digits that read back to the same bits.

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

fn cell(out: &mut String, values: &Values, row: usize) {
    // Writing to a string cannot fail.
    let _ = match values {
        Values::Text(values) => {
            let value = &values[row];
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

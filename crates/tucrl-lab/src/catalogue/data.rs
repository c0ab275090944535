//! Which list does a file stand for, where an option takes one?
//!
//! Rows of two states and a number, for bounds on differences of biases: JSON, `[[0, 1, -0.5], ...]`, or CSV with the columns
//! `state`, `other` and `most` in any order. The library gets the list and never the name, so that a record says what was used.

use std::path::Path;

use serde_json::{Map, Value};
use tucrl::options::{Described, OptionError};

/// The given values, with files replaced by what they hold.
pub(super) fn resolved(
    options: &Described,
    given: &Map<String, Value>,
) -> Result<Map<String, Value>, OptionError> {
    let mut resolved = given.clone();
    for option in options.list().iter().filter(|option| option.accepts.data) {
        let Some(Value::String(text)) = given.get(&option.key) else { continue };
        if !option.accepts.all_words().contains(&text.as_str()) {
            let list = read(text).map_err(|why| OptionError::refused(&option.key, text, &why))?;
            resolved.insert(option.key.clone(), list);
        }
    }
    Ok(resolved)
}

fn read(path: &str) -> Result<Value, String> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        format!("the file cannot be read: {error}; name one that exists, or one of the words")
    })?;
    match Path::new(path).extension().and_then(|extension| extension.to_str()) {
        Some("json") => json(&text),
        Some("csv") => csv(&text),
        _ => Err("a file of bounds ends in .csv or .json".into()),
    }
}

fn json(text: &str) -> Result<Value, String> {
    let rows: Vec<(u64, u64, f64)> = serde_json::from_str(text)
        .map_err(|error| format!("{error}; write a list of [state, other, most]"))?;
    list(rows)
}

fn csv(text: &str) -> Result<Value, String> {
    const COLUMNS: [&str; 3] = ["state", "other", "most"];
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let head = reader.headers().map_err(|error| error.to_string())?.clone();
    let place = |name: &str| {
        let missing =
            || format!("line 1 has no column `{name}`: it must name {}", COLUMNS.join(", "));
        head.iter().position(|column| column == name).ok_or_else(missing)
    };
    let places = [place(COLUMNS[0])?, place(COLUMNS[1])?, place(COLUMNS[2])?];
    let mut rows = Vec::new();
    for row in reader.records() {
        let row = row.map_err(|error| error.to_string())?;
        let line = row.position().map_or(0, csv::Position::line);
        let cell = |column: usize| row.get(places[column]).unwrap_or_default();
        let wrong = |column: usize, what: &str| {
            format!("line {line}: `{}` in column {} is not {what}", cell(column), COLUMNS[column])
        };
        let state = |column| {
            cell(column).parse::<u64>().map_err(|_| wrong(column, "a state, a number from 0 on"))
        };
        let most = cell(2).parse::<f64>().ok().filter(|most| most.is_finite());
        rows.push((state(0)?, state(1)?, most.ok_or_else(|| wrong(2, "a finite number"))?));
    }
    list(rows)
}

fn list(rows: Vec<(u64, u64, f64)>) -> Result<Value, String> {
    match rows.is_empty() {
        true => Err("the file has no bounds: write some, or leave the option out".into()),
        false => serde_json::to_value(rows).map_err(|error| error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_and_json_say_the_same_and_faults_are_named_by_line() {
        let rows = serde_json::json!([[0, 1, -0.5], [3, 2, 1.0]]);
        assert_eq!(csv("most, state,other\n-0.5,0,1\n1, 3, 2\n").unwrap(), rows);
        assert_eq!(json("[[0, 1, -0.5], [3, 2, 1]]").unwrap(), rows);
        let faults = [
            ("state,other\n0,1\n", "line 1 has no column `most`: it must name state, other, most"),
            (
                "state,other,most\n0,x,1\n",
                "line 2: `x` in column other is not a state, a number from 0 on",
            ),
            (
                "state,other,most\n0,1,1\n0,1,inf\n",
                "line 3: `inf` in column most is not a finite number",
            ),
            ("state,other,most\n", "the file has no bounds: write some, or leave the option out"),
        ];
        for (text, expected) in faults {
            assert_eq!(csv(text).unwrap_err(), expected);
        }
        assert!(json("[[0, 1]]").unwrap_err().ends_with("write a list of [state, other, most]"));
        assert!(read("no-such.csv").unwrap_err().starts_with("the file cannot be read: "));
        assert!(read("Cargo.toml").unwrap_err().contains(".csv or .json"));
    }
}

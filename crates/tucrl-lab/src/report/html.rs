//! How is the report written as one HTML page?
//!
//! The summaries as JSON, a style sheet and a small script, all inside; no network access. Tables are static HTML, so
//! that they can be read without scripts.

mod data;

use std::fmt::Write as _;

use serde_json::Value;

use super::text::{
    Cells, EXPLORATION, IMPORTED, across_explained, across_table, exploration_table, facts_rows,
    final_table, imported_table, pair_table, provenance_rows, remarks, sweep_explained,
    sweep_table, uncertainty, world_sweeps,
};
use super::{ReportError, words};
use crate::explorable;
use crate::plot::{self, CurvesFigure};
use crate::record::{Provenance, StoredRun};
use crate::stats::{Across, Study, WorldStudy};
use crate::text::printable_lines;

/// The style sheet of all pages.
pub const STYLE: &str = include_str!("page.css");
/// What all charts share.
pub(crate) const CHART: &str = include_str!("chart.js");
/// The chart of curves.
pub(crate) const CURVES: &str = include_str!("curves.js");
const PROGRAM: &str = include_str!("page.js");
/// Longer tables of comparisons are closed at first.
const MANY: usize = 15;
const KEYS: &str = "In charts: drag to zoom, double-click to reset, Ctrl + wheel zooms in time; agents in the \
    legend can be hidden. With the keyboard: ← and → move the cross-hair, with Shift by ten values, Home and End to the \
    ends; + and − zoom, 0 resets.";

/// The page; `experiment` is the text of the experiment file, where there is one.
///
/// # Errors
/// When a record cannot be written as JSON.
pub fn html(
    study: &Study<'_>,
    provenance: &[Provenance],
    experiment: Option<&str>,
) -> Result<String, ReportError> {
    let across = Across::new(study);
    let data = serde_json::to_string(&data::data(study, across.as_ref()))?;
    // Only this sequence could end the script element.
    let data = data.replace('<', "\\u003c");
    let mut page = Sections::default();
    page.failures(study);
    for (index, world) in study.worlds.iter().enumerate() {
        page.world(index, world)?;
    }
    let over_worlds = world_sweeps(study);
    if !over_worlds.is_empty() {
        let figures = over_worlds.iter().map(drawn).collect::<Result<String, _>>()?;
        page.section("parameters", "Regret against parameters of worlds", "", &figures);
    }
    if let Some(across) = across {
        let (explained, cells) = (escaped(&across_explained(&across)), across_table(&across));
        let body = format!(
            "<p class=\"note\">{explained}</p><h3>Interquartile means</h3>{}\
             <h3>Performance profiles</h3><p class=\"note\">{}</p><div class=\"profiles\"></div>",
            numbers(&cells, "across", &[]),
            escaped(words::PROFILE)
        );
        page.section("all-worlds", "All worlds", "", &body);
    }
    page.agents(study);
    if let Some(cells) = imported_table(study) {
        let body = format!(
            "<p class=\"note\">{}</p>{}",
            escaped(IMPORTED),
            numbers(&cells, "imported", &[])
        );
        page.section("imported", "Imported curves", "", &body);
    }
    if let Some(text) = experiment {
        let body = format!("<pre tabindex=\"0\">{}</pre>", escaped(text));
        page.section("experiment", "Experiment file", "", &body);
    }
    page.section("provenance", "Provenance", "", &facts(&provenance_rows(provenance)));
    let (name, Sections { contents, sections }) = (escaped(study.name), page);
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{name}: tucrl report</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header><h1>{name}</h1>\n<nav aria-label=\"Contents\"><ul>{contents}</ul></nav>\n\
         <p class=\"note\" id=\"keys\">{KEYS}</p></header>\n<main>\n{sections}</main>\n\
         <script type=\"application/json\" id=\"data\">{data}</script>\n\
         <script>\n{CHART}{CURVES}{PROGRAM}</script>\n</body>\n</html>\n"
    ))
}

/// The sections so far and the list of contents.
#[derive(Default)]
struct Sections {
    contents: String,
    sections: String,
}

// Writing to a string cannot fail.
impl Sections {
    fn section(&mut self, id: &str, title: &str, attributes: &str, body: &str) {
        let title = escaped(title);
        let _ = write!(self.contents, "<li><a href=\"#{id}\">{title}</a></li>");
        let head = format!("<section id=\"{id}\"{attributes}>\n<h2>{title}</h2>\n");
        let _ = writeln!(self.sections, "{head}{body}\n</section>");
    }

    fn world(&mut self, index: usize, world: &WorldStudy<'_>) -> Result<(), ReportError> {
        let regret = (format!("{} at …", world.regret_name()), words::of_regret(world));
        let ranking = numbers(&final_table(world), "final results", &[regret]);
        let pairs = match world.pairs.is_empty() {
            true => String::new(),
            false => format!(
                "<details{}><summary>Paired comparison (same random streams)</summary>{}</details>",
                if world.pairs.len() > MANY { "" } else { " open" },
                numbers(&pair_table(world), "comparison", &[])
            ),
        };
        let sweeps = sweeps(world)?;
        let exploration = exploration_table(world).map_or(String::new(), |cells| {
            let table = numbers(&cells, "regret of exploration", &[]);
            let explained = escaped(EXPLORATION);
            format!(
                "<h3>Regret of exploration</h3><p class=\"note\">{explained}</p>\
                 <div class=\"exploration\"></div>{table}"
            )
        });
        let warning =
            |text: String| format!("<p class=\"note\"><b>Warning:</b> {}</p>\n", escaped(&text));
        let warning: String =
            uncertainty(world).into_iter().chain(remarks(world)).map(warning).collect();
        let explorable = explorable::link(world).map_or(String::new(), |link| {
            let link = escaped(&link);
            format!("<p class=\"note\"><a href=\"{link}\">Watch run 0 in the browser</a></p>\n")
        });
        let body = format!(
            "{warning}{explorable}<div class=\"regret\"></div>\n<h3>Final results</h3>{ranking}{pairs}{sweeps}{exploration}\n\
             <h3>Episodes</h3><p class=\"note\">{}</p><div class=\"episodes\"></div>\n\
             <details open><summary>World facts</summary>{}</details>",
            escaped(words::EPISODES),
            facts(&facts_rows(world.facts))
        );
        let (id, data) = (format!("world-{index}"), format!(" data-world=\"{index}\""));
        self.section(&id, world.world, &data, &body);
        Ok(())
    }

    /// Every agent with its spec and all options.
    fn agents(&mut self, study: &Study<'_>) {
        let mut body = String::new();
        let mut known: Vec<(&str, &str)> = Vec::new();
        for agent in study.worlds.iter().flat_map(|world| &world.agents) {
            if known.contains(&(agent.label, agent.agent)) {
                continue;
            }
            known.push((agent.label, agent.agent));
            let (label, spec) = (escaped(agent.label), escaped(agent.agent));
            let run = agent.runs.iter().chain(&agent.failed).next();
            let _ = writeln!(
                body,
                "<details><summary>{label}</summary><p class=\"note\">spec: <code>{spec}</code></p>{}</details>",
                run.map_or(String::new(), |run| options(run))
            );
        }
        self.section("agents", "Agents and their options", "", &body);
    }

    fn failures(&mut self, study: &Study<'_>) {
        let mut list = String::new();
        for run in study.failed() {
            let why = run.error.as_deref().unwrap_or_default();
            let who = format!("{}, {}, run {}", run.world, run.label, run.spec.run);
            let _ = write!(list, "<li><b>{}</b>: {}</li>", escaped(&who), escaped(why));
        }
        if !list.is_empty() {
            let body =
                format!("<p>Failed runs are excluded from curves and tables.</p><ul>{list}</ul>");
            self.section("failed", "Failed runs", " class=\"failed\"", &body);
        }
    }
}

/// A figure inside the page.
fn drawn(figure: &CurvesFigure) -> Result<String, ReportError> {
    let (title, svg) = (escaped(&figure.title), plot::svg(figure)?);
    Ok(format!("<figure class=\"drawn\" role=\"img\" aria-label=\"{title}\">{svg}</figure>"))
}

/// The sweeps of a world: a table each, a figure per parameter.
fn sweeps(world: &WorldStudy<'_>) -> Result<String, ReportError> {
    if world.sweeps.is_empty() {
        return Ok(String::new());
    }
    let mut body = String::from("<h3>Sweeps</h3>");
    for parameter in plot::swept_parameters(world) {
        if let Some(figure) = plot::agent_sweep(world, parameter) {
            body += &drawn(&figure)?;
        }
    }
    for sweep in &world.sweeps {
        let explained = escaped(&sweep_explained(sweep));
        let table = numbers(&sweep_table(sweep), "sweep", &[]);
        body += &format!("<p class=\"note\">{explained}</p>{table}");
    }
    Ok(body)
}

/// All options of an agent with their values.
fn options(run: &StoredRun) -> String {
    let Value::Object(options) = &run.options else {
        return "<p class=\"note\">The record does not have the options: it is of an earlier version.</p>".into();
    };
    if options.is_empty() {
        return "<p class=\"note\">No options.</p>".into();
    }
    let value = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let rows = options.iter().map(|(name, one)| vec![name.clone(), value(one)]).collect();
    facts(&Cells { head: None, rows })
}

/// A table of names and values.
fn facts(cells: &Cells) -> String {
    let row = |cells: &Vec<String>| {
        let cells = cells.iter().map(|cell| format!("<td>{}</td>", escaped(cell)));
        format!("<tr>{}</tr>", cells.collect::<String>())
    };
    let body: String = cells.rows.iter().map(row).collect();
    format!("<div class=\"wide\"><table class=\"facts\"><tbody>{body}</tbody></table></div>")
}

/// A table that the script makes sortable, with what its columns mean; `more` are meanings that depend on the world.
fn numbers(cells: &Cells, name: &str, more: &[(String, String)]) -> String {
    let head = cells.head.iter().flatten();
    let columns: Vec<Vec<Cell<'_>>> = (0..head.clone().count()).map(|i| column(cells, i)).collect();
    let is_number = |column: &[Cell<'_>]| column.iter().any(|cell| cell.value.is_some());
    let class = |i: usize| if is_number(&columns[i]) { " class=\"number\"" } else { "" };
    let heads = head.clone().enumerate();
    let heads =
        heads.map(|(i, text)| format!("<th scope=\"col\"{}>{}</th>", class(i), escaped(text)));
    let row = |row: usize| {
        let cells = columns.iter().enumerate();
        let cells =
            cells.map(|(i, column)| format!("<td{}{}</td>", class(i), column[row].html(column)));
        format!("<tr>{}</tr>", cells.collect::<String>())
    };
    let body: String = (0..cells.rows.len()).map(row).collect();
    let known = head.filter_map(|word| Some((word.clone(), words::definition(word)?.to_owned())));
    let meanings = more.iter().cloned().chain(known).map(|(word, meaning)| {
        format!("<dt>{}</dt><dd>{}</dd>", escaped(&word), escaped(&meaning))
    });
    format!(
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{name}\">\
         <table class=\"numbers\" data-name=\"{name}\"><thead><tr>{}</tr></thead><tbody>{body}</tbody></table></div>\
         <details class=\"words\"><summary>What the columns mean</summary><dl>{}</dl></details>",
        heads.collect::<String>(),
        meanings.collect::<String>()
    )
}

/// A cell that begins with a number, in parts: what is before the decimal point, the decimals, and the rest.
struct Cell<'a> {
    value: Option<f64>,
    parts: [&'a str; 3],
}

fn column(cells: &Cells, index: usize) -> Vec<Cell<'_>> {
    let cells = cells.rows.iter().map(|row| row.get(index).map_or("", String::as_str));
    let mut column: Vec<Cell<'_>> = cells.map(Cell::new).collect();
    // Names that begin with a digit are no numbers.
    if column.iter().any(|cell| cell.value.is_none() && !["–", ""].contains(&cell.parts[0])) {
        for cell in &mut column {
            cell.value = None;
        }
    }
    column
}

impl<'a> Cell<'a> {
    fn new(text: &'a str) -> Self {
        let before = ["p < ", "p = "].into_iter().find(|start| text.starts_with(start));
        let from = before.map_or(0, str::len);
        let is_part = |c: char| c.is_ascii_digit() || ['\u{202f}', '.', '−', '-', 'e'].contains(&c);
        let length = text[from..].find(|c| !is_part(c)).unwrap_or(text.len() - from);
        let (number, rest) = (&text[from..from + length], &text[from + length..]);
        let plain = number.replace('\u{202f}', "").replace('−', "-");
        // Below 0.001 sorts before 0.001.
        let below = if before == Some("p < ") { 1e-6 } else { 0.0 };
        match plain.parse::<f64>().ok().filter(|_| rest.is_empty() || rest.starts_with(' ')) {
            Some(value) => {
                let point = number.find(['.', 'e']).unwrap_or(number.len());
                let (whole, decimals) = (&text[..from + point], &number[point..]);
                Self { value: Some(value - below), parts: [whole, decimals, rest] }
            }
            None => Self { value: None, parts: [text, "", ""] },
        }
    }

    /// The rest of a `td` element; decimals and rests are as wide as the widest of the column, so that digits align.
    fn html(&self, column: &[Self]) -> String {
        let [whole, decimals, rest] = self.parts.map(escaped);
        let width = |part: usize| {
            column.iter().map(|cell| width(cell.parts[part])).max_by(f64::total_cmp).unwrap_or(0.0)
        };
        let part = |index: usize, text: &str| match width(index) {
            width if width > 0.0 => format!("<span style=\"min-width:{width:.1}ch\">{text}</span>"),
            _ => String::new(),
        };
        if !column.iter().any(|cell| cell.value.is_some()) {
            return format!(">{whole}{decimals}{rest}");
        }
        let value = self.value.map_or(String::new(), |value| format!(" data-v=\"{value}\""));
        format!("{value}>{whole}{}{}", part(1, &decimals), part(2, &rest))
    }
}

/// The width of a text in digits, or a little more.
fn width(text: &str) -> f64 {
    let of = |c: char| match c {
        ' ' | '\u{202f}' | '.' | '(' | ')' | ':' => 0.6,
        '±' | '−' => 1.4,
        _ => 1.0,
    };
    text.chars().map(of).sum()
}

/// Text with HTML special characters escaped, and those that would turn the text around them.
pub fn escaped(text: &str) -> String {
    let text = printable_lines(text).replace('&', "&amp;");
    text.replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_sort_by_the_number_they_begin_with() {
        let value = |text| Cell::new(text).value;
        assert_eq!(value("12\u{202f}345 ± 6"), Some(12_345.0));
        assert_eq!(value("−0.25 (−1 to 2)"), Some(-0.25));
        assert_eq!(value("3.1e-5"), Some(3.1e-5));
        assert_eq!(value("p = 0.020"), Some(0.02));
        assert!(value("p < 0.001") < value("p = 0.001"));
        assert_eq!([value("–"), value("TUCRL"), value("e"), value("2-state")], [None; 4]);
        assert_eq!(Cell::new("−12.50 ± 3").parts, ["−12", ".50", " ± 3"]);
    }

    #[test]
    fn a_column_with_one_word_is_text() {
        let rows = vec![vec!["12".to_owned()], vec!["A is better".to_owned()]];
        let cells = Cells { head: Some(vec!["a".into()]), rows };
        assert!(column(&cells, 0).iter().all(|cell| cell.value.is_none()));
    }
}

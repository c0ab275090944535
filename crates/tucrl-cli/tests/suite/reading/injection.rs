//! Does a report show what hostile names say, without obeying it?

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

use super::{csv, parquet};

/// Names and labels that are HTML, Markdown, formulas of spreadsheets, and text that runs backwards.
const EXPERIMENT: &str = r##"name = "inj"
description = "</script><script>alert(1)</script> & <b>x</b> | `code` [link](javascript:alert(1)) ]]> <!-- -->"
steps = 2e3
seeds = 2
worlds = ["<img src=x onerror=alert(1)>.json", "=cmd.json"]
agents = [{ spec = "tucrl", label = "</script><script>alert(2)</script>" }, { spec = "ucrl", label = "=HYPERLINK(\"http://evil\",\"x\")" }, { spec = "random", label = "a|b`c\"d'e&<svg/onload=alert(4)>\\\u202E\u2028" }, { spec = "oracle", label = "@SUM(1+1)*cmd|' /C calc'!A0" }, {spec="optimistic-q", label="-2+3"}, { spec = "psrl", label = "50% of $x_1^2$ \\input{y} {#&~} 界δ [1]" }]
"##;

fn tucrl(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tucrl"));
    let output = command.current_dir(folder).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// The folder with the report of the hostile experiment in `out/inj/report`.
pub fn reported() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("inject.toml"), EXPERIMENT).unwrap();
    for (world, name) in
        [("two-state", "<img src=x onerror=alert(1)>.json"), ("river-swim", "=cmd.json")]
    {
        // Written first under a tame name, because `export` is not what is tested.
        tucrl(folder.path(), &["export", world, "--to", "m.json"]);
        fs::rename(folder.path().join("m.json"), folder.path().join(name)).unwrap();
    }
    tucrl(folder.path(), &["run", "inject.toml"]);
    tucrl(folder.path(), &["report", "out/inj", "--tex"]);
    folder
}

fn is_hidden(c: char) -> bool {
    c.is_control() && c != '\n' || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}')
}

/// All text files of the report.
fn texts(folder: &TempDir) -> Vec<(String, String)> {
    let report = folder.path().join("out/inj/report");
    let mut texts = Vec::new();
    for inside in [report.clone(), report.join("figures")] {
        for entry in fs::read_dir(inside).unwrap() {
            let path = entry.unwrap().path();
            let ending = path.extension().map(|ending| ending.to_string_lossy().into_owned());
            if ["html", "md", "csv", "svg", "tex"].contains(&ending.as_deref().unwrap_or_default())
            {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                texts.push((name, fs::read_to_string(path).unwrap()));
            }
        }
    }
    texts
}

#[test]
fn no_file_of_a_report_obeys_a_name() {
    let folder = reported();
    let texts = texts(&folder);
    // The page, the text, four tables, and per world two figures and one per agent with episodes.
    assert!(texts.len() >= 6 + 2 * (2 + 2), "{}", texts.len());
    for (name, text) in &texts {
        assert!(!text.chars().any(is_hidden), "{name} has hidden characters");
        // Neither is read by a browser; `latex` checks the others.
        if name.ends_with(".csv") || name.ends_with(".tex") {
            continue;
        }
        for tag in ["<img src", "<script>alert", "<svg/onload", "</script><script>alert"] {
            assert!(!text.contains(tag), "{name} has {tag}");
        }
    }
    let text = |wanted: &str| &texts.iter().find(|(name, _)| name == wanted).unwrap().1;
    let markdown = text("report.md");
    for line in markdown.lines() {
        assert!(!line.contains('<') && !line.contains('>'), "{line}");
        // The bars of a table are its own.
        let bars = line.replace("\\|", "").matches('|').count();
        assert!(!line.starts_with("| ") || [3, 5, 9, 10].contains(&bars), "{bars}: {line}");
    }
    for shown in [
        "## &lt;img src=x onerror=alert(1)&gt;.json",
        "&lt;/script&gt;&lt;script&gt;alert(2)&lt;/script&gt;",
        "a\\|b\\`c\"d'e&amp;&lt;svg/onload=alert(4)&gt;\\\\\\\\u{202e}\\\\u{2028}",
    ] {
        assert!(markdown.contains(shown), "{shown}\n{markdown}");
    }
    // The only scripts of the page are its own: the data and the program.
    let page = text("report.html");
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script").count(), 2);
    assert_eq!(page.matches("<img").count(), 0);
    assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;.json"));
    for (name, svg) in texts.iter().filter(|(name, _)| name.ends_with(".svg")) {
        assert_eq!(svg.matches("<svg").count(), 1, "{name}");
        assert_eq!(svg.matches("<script").count() + svg.matches("<img").count(), 0, "{name}");
    }
}

#[test]
fn no_cell_of_a_table_is_a_formula() {
    let folder = reported();
    let report = folder.path().join("out/inj/report");
    let mut marked = 0;
    for name in ["curves", "summary", "pairs", "episodes"] {
        let rows = csv(&report.join(name).with_extension("csv"));
        let plain = parquet(&report.join(name).with_extension("parquet"));
        assert_eq!(rows.len(), plain.len());
        for (row, plain) in rows.iter().zip(&plain) {
            for (column, value) in row {
                let is_number = value.parse::<f64>().is_ok();
                assert!(is_number || !value.starts_with(['=', '+', '-', '@']), "{column}: {value}");
                // Parquet has the text as it is.
                let bare = value.strip_prefix('\'').unwrap_or(value);
                assert_eq!(bare, plain[column], "{column}");
                marked += usize::from(bare != value);
            }
        }
    }
    assert!(marked > 10, "{marked}");
    let summary = csv(&report.join("summary.csv"));
    let labels: Vec<&str> = summary.iter().take(5).map(|row| row["label"].as_str()).collect();
    assert_eq!(labels[1], "'=HYPERLINK(\"http://evil\",\"x\")");
    assert_eq!(labels[3..], ["'@SUM(1+1)*cmd|' /C calc'!A0", "'-2+3"]);
    assert_eq!(summary[6]["world"], "'=cmd.json");
}

#[test]
fn the_terminal_and_the_league_obey_no_name_either() {
    let folder = reported();
    for arguments in [&["status", "out/inj"][..], &["run", "inject.toml", "--list"]] {
        let said = String::from_utf8(tucrl(folder.path(), arguments).stdout).unwrap();
        assert!(said.contains("\\u{202e}") && !said.chars().any(is_hidden), "{said:?}");
    }
    let page = tucrl(folder.path(), &["league", "inject.toml", "--out", "out/inj"]).stdout;
    let page = String::from_utf8(page).unwrap();
    assert!(!page.chars().any(is_hidden), "{page:?}");
    let comment = "<!-- Written by `tucrl league inject.toml`; do not edit. -->";
    assert!(page.contains(comment), "{page}");
    let rest = page.replace(comment, "").replace("\\[", "");
    assert!(!rest.contains('<') && !rest.contains('['), "{rest}");
}

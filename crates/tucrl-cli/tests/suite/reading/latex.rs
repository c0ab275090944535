//! Are the figures for LaTeX those of the tables, and does pdflatex compile them?

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use super::support::{sample, store};
use super::{Row, answer, csv, injection};

/// The report with figures for LaTeX; one agent has no regret that a logarithmic axis can show.
fn reported() -> TempDir {
    let folder = TempDir::new().unwrap();
    let mut all = sample();
    for run in all.iter_mut().filter(|run| run.label == "chance") {
        run.record.gap_regret.iter_mut().flatten().for_each(|point| point.1 = 0.0);
    }
    store(folder.path(), &all);
    answer(&["report", folder.path().to_str().unwrap(), "--tex"]);
    folder
}

/// The coordinates of a curve, as text.
fn coordinates(text: &str, head: &str) -> Vec<(String, String)> {
    let at = text.find(&format!("% {head}\n")).unwrap_or_else(|| panic!("{head}: {text}"));
    let lines = text[at..].lines().skip(2).take_while(|line| !line.starts_with('}'));
    let pair = |line: &str| {
        let inside = line.trim().strip_prefix('(').unwrap().strip_suffix(')').unwrap();
        let (x, y) = inside.split_once(',').unwrap();
        (x.to_owned(), y.to_owned())
    };
    lines.map(pair).collect()
}

fn rows<'a>(table: &'a [Row], world: &str, label: &str) -> Vec<&'a Row> {
    table.iter().filter(|row| row["world"] == world && row["label"] == label).collect()
}

#[test]
fn coordinates_are_those_of_the_tables() {
    let folder = reported();
    let report = folder.path().join("report");
    let means = csv(&report.join("means.csv"));
    let figure = |name: &str| fs::read_to_string(report.join("figures").join(name)).unwrap();
    for (world, slug) in
        [("three-state:delta=0", "three-state-delta-0"), ("river-swim", "river-swim")]
    {
        for label in ["TUCRL", "UCRL, plain \"old\"", "chance"] {
            let rows = rows(&means, world, label);
            assert!(rows.len() > 20, "{label}");
            let pair = |row: &&Row| (row["t"].clone(), row["mean"].clone());
            // The linear figure begins at the origin, the logarithmic one at ten steps.
            let linear =
                coordinates(&figure(&format!("regret-{slug}.tex")), &format!("curve: {label}"));
            assert_eq!(linear[0], ("0".into(), "0".into()));
            assert_eq!(linear[1..], rows.iter().map(pair).collect::<Vec<_>>(), "{label}");
            let late = rows.iter().filter(|row| row["t"].parse::<u64>().unwrap() >= 10);
            let log = figure(&format!("regret-{slug}-log.tex"));
            assert_eq!(
                coordinates(&log, &format!("curve: {label}")),
                late.map(pair).collect::<Vec<_>>()
            );
            // The band: forward along its lower end, back along the upper one.
            let band =
                coordinates(&figure(&format!("regret-{slug}.tex")), &format!("band: {label}"));
            let end = |name: &'static str| move |row: &&Row| (row["t"].clone(), row[name].clone());
            let low = rows.iter().map(end("student_low"));
            let high = rows.iter().rev().map(end("student_high"));
            assert_eq!(band, low.chain(high).collect::<Vec<_>>(), "{label}");
        }
    }
    let profiles = csv(&report.join("profiles.csv"));
    let expected = profiles.iter().filter(|row| row["label"] == "TUCRL");
    let expected: Vec<_> = expected.map(|row| (row["tau"].clone(), row["share"].clone())).collect();
    assert_eq!(coordinates(&figure("profiles.tex"), "curve: TUCRL"), expected);
}

#[test]
fn without_the_flag_nothing_is_written_for_latex() {
    let (folder, _) = super::reported();
    let figures = fs::read_dir(folder.path().join("report/figures")).unwrap();
    let names = figures.map(|entry| entry.unwrap().path());
    assert_eq!(names.filter(|path| path.extension().is_some_and(|e| e == "tex")).count(), 0);
}

#[test]
fn pdflatex_compiles_every_figure() {
    let version = Command::new("pdflatex").arg("--version").stdout(Stdio::null()).status();
    if !version.is_ok_and(|status| status.success()) {
        // Written past the capture of the test runner: this must be seen.
        let _ = writeln!(
            std::io::stderr(),
            "\n*** NOT TESTED: pdflatex is missing, so that figures for LaTeX were not compiled.\n*** On Debian: \
             apt-get install texlive-latex-extra texlive-pictures\n"
        );
        return;
    }
    // The second has names that are HTML, formulas and commands of LaTeX.
    for (folder, figures) in
        [(reported(), "report/figures"), (injection::reported(), "out/inj/report/figures")]
    {
        let mut count = 0;
        for entry in fs::read_dir(folder.path().join(figures)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == "tex") {
                compile(&path);
                count += 1;
            }
        }
        // Per world two of regret and one of Z, and the profiles.
        assert_eq!(count, 2 * 3 + 1, "{figures}");
    }
}

fn compile(path: &Path) {
    let folder = path.parent().unwrap();
    let output = Command::new("pdflatex")
        .current_dir(folder)
        .args(["-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape"])
        .arg(path.file_name().unwrap())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}: {said}", path.display());
    // A curve without a value that a logarithmic axis can show is the only thing to warn of.
    let other = said.replace("Package pgfplots Warning: the current plot has no coordinates", "");
    assert!(!other.contains("Package pgfplots Warning"), "{}: {said}", path.display());
    assert!(path.with_extension("pdf").metadata().unwrap().len() > 5000);
}

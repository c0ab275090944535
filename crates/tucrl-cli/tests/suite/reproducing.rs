//! Does `tucrl reproduce` say what it will do, do it, survive being stopped, and refuse what it does not know?
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, clippy::expect_used, dead_code)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::reading::browser;

use browser::Browser;

fn tucrl(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tucrl"));
    command.arg("reproduce").args(arguments).arg("--out").arg(folder).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn the_plan_names_every_claim_and_touches_nothing() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("out");
    let output = tucrl(&out, &["--plan"]);
    assert!(output.status.success());
    let plan = text(&output.stdout);
    for name in [
        "taxi",
        "taxi-clean",
        "three-state",
        "three-state-005",
        "pictures",
        "regimes",
        "free-lunch",
        "spans",
        "junk",
        "junk-cast",
        "posterior",
        "span-knowledge",
        "rare-states",
        "alpha-one",
        "alphas",
    ] {
        assert!(plan.lines().any(|line| line.split_whitespace().next() == Some(name)), "{plan}");
    }
    assert!(plan.contains("minutes on") && plan.contains("120 runs, 1e9 steps"), "{plan}");
    assert!(!out.exists());
}

#[test]
fn an_unknown_claim_is_named_with_the_nearest_one() {
    let folder = TempDir::new().unwrap();
    let output = tucrl(folder.path(), &["taxi", "three-sate"]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains("\"three-sate\": did you mean three-state?"), "{said}");
    assert!(said.contains("free-lunch"), "{said}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn verdicts_figures_and_a_page_that_a_browser_shows_offline() {
    let folder = TempDir::new().unwrap();
    let output = tucrl(folder.path(), &["spans", "pictures"]);
    let said = text(&output.stdout);
    assert!(output.status.success(), "{said}{}", text(&output.stderr));
    assert!(said.contains("Unbounded spans under a prior: HOLDS"), "{said}");
    assert!(said.contains("verdicts: 2 of 2 hold") && said.contains("index.html"), "{said}");
    for name in ["spans", "mountain-car", "breakout"] {
        let figure = |end: &str| folder.path().join("figures").join(format!("{name}.{end}"));
        assert!(fs::read_to_string(figure("svg")).unwrap().starts_with("<svg"));
        assert!(fs::read(figure("png")).unwrap().starts_with(b"\x89PNG"));
    }
    let markdown = fs::read_to_string(folder.path().join("reproduction.md")).unwrap();
    assert!(markdown.contains("![") && markdown.contains("| yes |"), "{markdown}");

    // Another claim later: the page keeps the first two.
    let output = tucrl(folder.path(), &["regimes", "--json"]);
    let verdicts: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(verdicts["claims"].as_array().unwrap().len(), 1);
    assert_eq!(verdicts["claims"][0]["verdict"], "holds");
    assert_eq!(verdicts["claims"][0]["checks"].as_array().unwrap().len(), 6);
    let browser = Browser::open(&folder.path().join("index.html"));
    assert_eq!(browser.run("return document.querySelectorAll('main > section').length"), 4);
    assert_eq!(browser.run("return document.querySelectorAll('.verdict.holds').length"), 6);
    let images =
        "return [...document.images].filter((i) => i.complete && i.naturalWidth > 500).length";
    assert_eq!(browser.run(images), 4);
    let link = "return document.querySelector('section#regimes a').getAttribute('href')";
    assert_eq!(browser.run(link), "regimes/report/report.html");
    assert!(folder.path().join("regimes/report/report.html").exists());
    assert_eq!(browser.console(), Vec::<Value>::new());
    let is_outside = |url: &String| !url.starts_with("file:") && !url.starts_with("data:");
    assert_eq!(browser.requests().iter().filter(|url| is_outside(url)).count(), 0);
}

#[test]
fn stopped_and_continued_it_comes_to_the_same() {
    let (whole, stopped) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    assert!(tucrl(whole.path(), &["regimes"]).status.success());
    let mut child = Command::new(env!("CARGO_BIN_EXE_tucrl"))
        .args(["reproduce", "regimes", "--jobs", "1", "--out"])
        .arg(stopped.path())
        .spawn()
        .unwrap();
    // Until the first run is stored, so that something is there to be continued.
    let runs = stopped.path().join("regimes/runs");
    while fs::read_dir(&runs).map_or(0, Iterator::count) == 0 {
        assert!(child.try_wait().unwrap().is_none(), "it ended too early");
        thread::sleep(Duration::from_millis(5));
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).output().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!stopped.path().join("index.html").exists());
    assert!(tucrl(stopped.path(), &["regimes"]).status.success());
    let page = |folder: &TempDir, name: &str| fs::read(folder.path().join(name)).unwrap();
    for name in ["verdicts.json", "index.html", "reproduction.md", "figures/regimes.svg"] {
        assert!(page(&whole, name) == page(&stopped, name), "{name}");
    }
}

#[test]
fn results_of_another_scale_are_not_mixed_in() {
    let folder = TempDir::new().unwrap();
    assert!(tucrl(folder.path(), &["regimes"]).status.success());
    let output = tucrl(folder.path(), &["regimes", "--scale", "paper"]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains("choose another --out"), "{said}");
}

#[test]
fn a_folder_that_cannot_be_made_is_not_called_an_old_version() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "not a folder").unwrap();
    let output = tucrl(&file, &["regimes"]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains("error: ") && !said.contains("another version"), "{said}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "not a folder");
}

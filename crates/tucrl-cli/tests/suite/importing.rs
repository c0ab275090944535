//! Do curves of other programs, and sweeps over parameters, come into the tables of an experiment?
#![allow(missing_docs, clippy::unwrap_used)]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

fn tucrl(folder: &Path, arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_tucrl");
    Command::new(program).current_dir(folder).args(arguments).output().unwrap()
}

fn answer(folder: &Path, arguments: &[&str]) -> String {
    let output = tucrl(folder, arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn refusal(folder: &Path, arguments: &[&str]) -> String {
    let output = tucrl(folder, arguments);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stderr).unwrap()
}

fn experiment(folder: &Path, text: &str) {
    fs::write(folder.join("exp.toml"), text).unwrap();
    answer(folder, &["run", "exp.toml"]);
}

const PLAIN: &str = "name = \"exp\"\nsteps = 1000\nseeds = 3\nworlds = [\"river-swim\"]\n\
                     agents = [\"random\", \"tucrl:alpha=0.05\"]\n";

const IMPORT: [&str; 7] =
    ["import", "curves.csv", "--label", "mine", "--world", "river-swim", "--into"];

fn import(folder: &Path, csv: &str) -> Vec<&'static str> {
    fs::write(folder.join("curves.csv"), csv).unwrap();
    [&IMPORT[..], &["out/exp"]].concat()
}

/// Two runs with regret 0.2 and 0.3 per step.
fn curves() -> String {
    let mut text = "run,step,regret\n".to_owned();
    for (run, rate) in [(0, 0.2), (1, 0.3)] {
        for step in [10, 100, 1000] {
            writeln!(text, "{run},{step},{}", rate * f64::from(step)).unwrap();
        }
    }
    text
}

fn summary(folder: &Path) -> Vec<Value> {
    let report = answer(folder, &["report", "out/exp", "--json"]);
    let report: Value = serde_json::from_str(&report).unwrap();
    report["summary"].as_array().unwrap().clone()
}

#[test]
fn an_imported_curve_stands_in_the_tables_unranked_and_with_its_origin() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    experiment(folder, PLAIN);
    let before = summary(folder);
    assert!(before.iter().all(|row| row["shown"] == "gap" && row["imported"] == false));
    let mut ask = import(folder, &curves());
    ask.extend(["--note", "a spreadsheet"]);
    assert!(answer(folder, &ask).contains("mine: 2 runs in river-swim imported"));

    let rows = summary(folder);
    let mine = rows.iter().find(|row| row["label"] == "mine").unwrap();
    // The mean of 200 and 300.
    assert_eq!(mine["mean"], 250.0);
    assert_eq!((&mine["imported"], &mine["rank"]), (&Value::Bool(true), &Value::Null));
    assert_eq!((&mine["gap_mean"], &mine["pseudo_mean"]), (&Value::Null, &Value::Null));
    assert_eq!(mine["shown"], "realised");
    // What is said of the experiment's own agents has not changed: gap regret, ranks, means.
    let others: Vec<Value> = rows.iter().filter(|row| row["label"] != "mine").cloned().collect();
    assert_eq!(others, before);
    assert!(before.iter().all(|row| !row["rank"].is_null()));
    let report: Value =
        serde_json::from_str(&answer(folder, &["report", "out/exp", "--json"])).unwrap();
    let pairs = report["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 1, "only the experiment's own agents are compared run by run");

    let text = fs::read_to_string(folder.join("out/exp/report/report.md")).unwrap();
    assert!(text.contains("mine (imported, realised regret)"), "{text}");
    assert!(text.contains("## Imported curves"), "{text}");
    assert!(text.contains("curves.csv") && text.contains("a spreadsheet"), "{text}");
    assert!(text.contains("Imported curves (mine) are of realised regret"), "{text}");
    let page = fs::read_to_string(folder.join("out/exp/report/report.html")).unwrap();
    assert!(page.contains("Imported curves") && page.contains("a spreadsheet"));
    let said = answer(folder, &["report", "out/exp"]);
    let place = |what: &str| said.find(what).unwrap();
    assert!(place("mine (imported, realised regret)") > place("random"), "{said}");
    assert!(said.contains("Imported curves (mine) are of realised regret"), "{said}");
    // By one measure for all it stands among the others.
    let same = answer(folder, &["report", "out/exp", "--regret", "realised"]);
    assert!(same.contains("mine (imported)"), "{same}");
    answer(folder, &["report", "out/exp"]);
    // The experiment itself is as before.
    assert!(answer(folder, &["status", "out/exp"]).contains("6 of 6 runs done"));
    answer(folder, &["run", "exp.toml", "--resume"]);

    assert!(refusal(folder, &import(folder, &curves())).contains("--overwrite"));
    let mut again = import(folder, &curves().replace("0,1000,200", "0,1000,220"));
    again.push("--overwrite");
    answer(folder, &again);
    let mine = summary(folder).into_iter().find(|row| row["label"] == "mine").unwrap();
    assert_eq!(mine["mean"], 260.0);
}

#[test]
fn rewards_become_regret_by_the_optimal_gain() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    experiment(folder, PLAIN);
    answer(folder, &import(folder, "step,reward,run\n1000,100,1\n1000,140,2\n"));
    let mine = summary(folder).into_iter().find(|row| row["label"] == "mine").unwrap();
    let expected = 1000.0 * mine["gain"].as_f64().unwrap() - 120.0;
    assert!((mine["mean"].as_f64().unwrap() - expected).abs() < 1e-9);
}

#[test]
fn every_fault_of_a_file_is_named_with_its_line() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    experiment(folder, PLAIN);
    let good = curves();
    let cases = [
        (
            good.replace("1,100,30\n", "1,100,30\n1,100,31\n"),
            "curves.csv:7: run 1 has step 100 already in line 6",
        ),
        (good.replace("1,100,30\n", ""), "curves.csv:5: run 1 has no step 100, which run 0 has"),
        (
            good.replace("1,1000,300\n", ""),
            "curves.csv:6: the last step of run 1 is 100, and runs in this world have 1000",
        ),
        (good.replace("1,1000,300", "1,2000,300"), "curves.csv:7: the last step of run 1 is 2000"),
        (
            good.replace("1,1000,300", "1,1000,NaN"),
            "curves.csv:7: regret = \"NaN\" is not accepted: write a finite number",
        ),
        (good.replace("1,1000,300", "1,1000,"), "curves.csv:7: regret = \"\""),
        (good.replace("1,1000,300", "1,0,300"), "curves.csv:7: step = \"0\""),
        (good.replace("\n1,", "\n3,"), "curves.csv:5: run 1 is missing, and run 3 is there"),
        (good.replace("1,1000,300", "1,1000"), "curves.csv:7: this is not CSV"),
        (good.replace("regret", "loss"), "curves.csv:1: the column \"loss\" is unknown"),
        (
            good.replace("run,", "regret,"),
            "curves.csv:1: the column \"regret\" is unknown or given twice",
        ),
        ("run,regret\n0,1\n".into(), "curves.csv:1: the column `step` is missing"),
        (
            "run,step,regret,reward\n0,1,1,1\n".into(),
            "curves.csv:1: there are columns for regret and for reward",
        ),
        ("run,step,regret\n".into(), "there are no values"),
        (
            good.replace("1,1000,300", "1,1000,3000"),
            "regret = 3000 after 1000 steps is impossible with rewards between 0 and 1",
        ),
    ];
    for (text, expected) in cases {
        let said = refusal(folder, &import(folder, &text));
        assert!(said.contains(expected), "{expected}\n{said}");
        assert!(!folder.join("out/exp/imported").exists(), "{expected}");
    }
    for (change, expected) in [
        (("river-swim", "taxi"), "taxi is no world of exp: its worlds are river-swim"),
        (("mine", "random"), "is an agent of the experiment: choose another --label"),
        (("out/exp", "out/none"), "out/none"),
        (("curves.csv", "none.csv"), "none.csv"),
    ] {
        let (from, to) = change;
        let words = import(folder, &good).into_iter();
        let words: Vec<&str> = words.map(|word| if word == from { to } else { word }).collect();
        let said = refusal(folder, &words);
        assert!(said.contains(expected), "{expected}\n{said}");
    }
}

const SWEPT: &str = "name = \"exp\"\nsteps = 2000\nseeds = 3\ntune_seeds = 2\n\
    worlds = [{ spec = \"river-swim\", length = [4, 6] }]\n\
    agents = [\"random\", { spec = \"tucrl\", alpha = [0.01, 1] }]\n";

#[test]
fn the_best_of_a_sweep_is_chosen_on_seeds_that_do_not_rank() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    experiment(folder, SWEPT);
    // Two worlds: three runs of `random`, five of each of two agents.
    assert!(answer(folder, &["status", "out/exp"]).contains("26 of 26 runs done"));
    let rows = summary(folder);
    let labels: Vec<_> = rows.iter().map(|row| row["label"].as_str().unwrap()).collect();
    assert_eq!(labels, ["random", "tucrl, best alpha", "random", "tucrl, best alpha"]);
    let best = rows.iter().find(|row| row["label"] == "tucrl, best alpha").unwrap();
    assert_eq!((&best["agent"], &best["runs"]), (&"tucrl:alpha=0.01".into(), &3.into()));

    let report = folder.join("out/exp/report");
    let mut sweeps = csv::Reader::from_path(report.join("sweeps.csv")).unwrap();
    let sweeps: Vec<std::collections::BTreeMap<String, String>> =
        sweeps.deserialize().map(Result::unwrap).collect();
    assert_eq!(sweeps.len(), 4);
    for row in &sweeps {
        assert_eq!((row["runs"].as_str(), row["tuning_runs"].as_str()), ("3", "2"));
    }
    for world in ["river-swim:n=4", "river-swim"] {
        let of_world: Vec<_> = sweeps.iter().filter(|row| row["world"] == world).collect();
        let mean = |row: &std::collections::BTreeMap<String, String>, key: &str| {
            row[key].parse::<f64>().unwrap()
        };
        let chosen = of_world.iter().find(|row| row["is_best"] == "true").unwrap();
        let least =
            of_world.iter().map(|row| mean(row, "tuning_mean")).fold(f64::INFINITY, f64::min);
        assert_eq!(mean(chosen, "tuning_mean"), least);
        // What is shown is the mean over the other seeds.
        let shown = rows.iter().find(|row| row["world"] == world && row["label"] != "random");
        assert_eq!(shown.unwrap()["mean"].as_f64().unwrap(), mean(chosen, "mean"));
        assert_ne!(mean(chosen, "mean"), mean(chosen, "tuning_mean"));
    }
    for figure in ["sweep-river-swim-alpha", "sweep-river-swim-n-4-alpha", "worlds-1"] {
        assert!(report.join(format!("figures/{figure}.svg")).exists(), "{figure}");
    }
    let page = fs::read_to_string(report.join("report.html")).unwrap();
    assert!(
        page.contains("Regret against parameters of worlds") && page.contains("<h3>Sweeps</h3>")
    );
    let text = fs::read_to_string(report.join("report.md")).unwrap();
    assert!(text.contains("has the smallest mean on the tuning seeds"), "{text}");
}

#[test]
fn without_seeds_for_tuning_all_agents_of_a_sweep_are_shown() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    experiment(folder, &SWEPT.replace("tune_seeds = 2\n", "").replace("[4, 6]", "4"));
    let rows = summary(folder);
    let labels: Vec<_> = rows.iter().map(|row| row["label"].as_str().unwrap()).collect();
    assert_eq!(labels, ["random", "tucrl:alpha=0.01", "tucrl"]);
    assert!(folder.join("out/exp/report/figures/sweep-river-swim-n-4-alpha.svg").exists());
    assert!(!folder.join("out/exp/report/figures/worlds-1.svg").exists());
}

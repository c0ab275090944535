//! Does an algorithm of one's own appear in every verb beside those of the library?
#![allow(missing_docs, clippy::unwrap_used)]

use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

fn tucrl(folder: &Path, words: &[&str]) -> String {
    let output = Command::cargo_bin("own-agent").unwrap().current_dir(folder).args(words).output();
    let output = output.unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{words:?}: {error}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn learn_run_report_and_compare_know_the_agent() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    assert!(tucrl(folder, &["agents"]).contains("my-q"));
    let page = tucrl(folder, &["agents", "my-q"]);
    assert!(page.contains("epsilon=0.1") && page.contains("how often a random action"), "{page}");
    assert!(tucrl(folder, &["schema"]).contains("my-q"));

    let learn = ["learn", "chain", "--agent", "my-q:step=0.2", "--agent", "tucrl:alpha=0.05"];
    let lines =
        tucrl(folder, &[&learn[..], &["--steps", "2000", "--seeds", "2", "--json"]].concat());
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let agents: Vec<&str> = lines.iter().map(|line| line["agent"].as_str().unwrap()).collect();
    assert_eq!(agents, ["my-q:step=0.2", "my-q:step=0.2", "tucrl:alpha=0.05", "tucrl:alpha=0.05"]);
    assert_eq!(lines[0]["options"], serde_json::json!({ "step": 0.2, "epsilon": 0.1 }));

    for (name, seed) in [("a", 1), ("b", 2)] {
        let text = format!(
            "name = \"{name}\"\nmaster_seed = {seed}\nsteps = 2000\nseeds = 3\nworlds = [\"chain\"]\nagents = \
             [\"tucrl\", {{ spec = \"my-q\", label = \"mine\" }}]\n"
        );
        std::fs::write(folder.join(format!("{name}.toml")), text).unwrap();
        assert!(tucrl(folder, &["run", &format!("{name}.toml")]).contains("6 of 6 runs done"));
    }
    assert!(tucrl(folder, &["status", "out/a"]).contains("6 of 6 runs done"));
    let report = tucrl(folder, &["report", "out/a"]);
    assert!(report.contains("mine") && report.contains("tucrl"), "{report}");
    assert!(folder.join("out/a/report/report.html").exists());
    let compared = tucrl(folder, &["compare", "out/a", "out/b"]);
    assert!(compared.contains("my-q") && !compared.contains("only in"), "{compared}");
}

/// The same agent in Python has the same table: crates/tucrl-py/tests/test_own_agent.py. `TUCRL_WRITE_DOCS=1` writes it.
#[test]
fn the_gap_regret_is_that_of_the_agent_in_python() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gap_regret.json");
    let (world, steps, seeds) = ("river-swim", 3000, 3);
    let (steps_word, seeds_word) = (steps.to_string(), seeds.to_string());
    let words = ["learn", world, "--agent", "my-q", "--json", "--steps", &steps_word, "--seeds"];
    let lines = tucrl(Path::new("."), &[&words[..], &[&seeds_word]].concat());
    let rows: Vec<Value> = lines
        .lines()
        .flat_map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            let points = line["gap_regret"].as_array().unwrap().clone();
            let run = line["seed"].clone();
            points.into_iter().map(move |point| serde_json::json!([run, point[0], point[1]]))
        })
        .collect();
    let table = serde_json::json!(
        { "world": world, "steps": steps, "seeds": seeds, "gap_regret": rows }
    );
    if std::env::var_os("TUCRL_WRITE_DOCS").is_some() {
        std::fs::write(&path, table.to_string() + "\n").unwrap();
    }
    let expected: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(table, expected);
}

#[test]
fn a_run_that_was_killed_continues_to_the_same_result() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text =
        "name = \"k\"\nsteps = 3e6\nseeds = 1\nworlds = [\"river-swim\"]\nagents = [\"my-q\"]\n";
    std::fs::write(folder.join("k.toml"), text).unwrap();
    let program = assert_cmd::cargo::cargo_bin("own-agent");
    let run = |out: &str| {
        ["run", "k.toml", "--out", out, "--checkpoint-seconds", "0.02"].map(String::from)
    };
    let mut child = std::process::Command::new(program)
        .current_dir(folder)
        .args(run("killed"))
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let files = |name: &str, end: &str| -> Vec<std::path::PathBuf> {
        let Ok(all) = std::fs::read_dir(folder.join(name).join("runs")) else { return Vec::new() };
        all.map(|file| file.unwrap().path())
            .filter(|p| p.to_string_lossy().ends_with(end))
            .collect()
    };
    while files("killed", ".state").is_empty() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(files("killed", ".run").is_empty() && !files("killed", ".state").is_empty());
    let again = run("killed");
    let again: Vec<&str> = again.iter().map(String::as_str).chain(["--resume"]).collect();
    assert!(tucrl(folder, &again).contains("1 of 1 run done"));
    let whole = run("whole");
    tucrl(folder, &whole.iter().map(String::as_str).collect::<Vec<_>>());
    let body = |name: &str| {
        let text = std::fs::read_to_string(&files(name, ".run")[0]).unwrap();
        let lines: Vec<String> = text.lines().map(String::from).collect();
        (lines[1].clone(), serde_json::from_str::<Value>(&lines[0]).unwrap())
    };
    let ((killed, header), (whole, _)) = (body("killed"), body("whole"));
    assert_eq!(killed, whole);
    assert_eq!(header["provenance"]["sessions"], 2, "it was continued and not run anew");
}

#[test]
fn every_verb_knows_the_world_too() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    assert!(tucrl(folder, &["worlds"]).contains("machine"));
    assert!(tucrl(folder, &["worlds", "machine"]).contains("how many levels of wear there are"));
    assert!(tucrl(folder, &["schema"]).contains("machine"));
    // Two steps of work that pay 1 and 3/4, then a repair.
    let facts = tucrl(folder, &["inspect", "machine:levels=4,wear=1", "--json"]);
    let facts: Value = serde_json::from_str(&facts).unwrap();
    let gain = facts["gain"].as_f64().unwrap_or_else(|| panic!("{facts}"));
    assert!((gain - 7.0 / 12.0).abs() < 1e-9, "{gain}");
    tucrl(folder, &["export", "machine", "--to", "machine.json"]);
    let text = "name = \"worn\"\nsteps = 2000\nseeds = 2\nworlds = [{ spec = \"machine\", wear = [0.1, 0.3] }]\n\
                agents = [\"my-q\", \"tucrl\"]\n";
    std::fs::write(folder.join("worn.toml"), text).unwrap();
    assert!(tucrl(folder, &["run", "worn.toml"]).contains("8 of 8 runs done"));
    let report = tucrl(folder, &["report", "out/worn"]);
    assert!(report.contains("machine:wear=0.1") && report.contains("my-q"), "{report}");
    assert!(folder.join("out/worn/report/figures/worlds-1.svg").exists());
}

#[test]
fn a_wrong_option_is_pointed_at() {
    let output = Command::cargo_bin("own-agent")
        .unwrap()
        .args(["learn", "chain", "--agent", "my-q:epsilon=2", "--steps", "10"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8(output.stderr).unwrap();
    let expected = "my-q: `epsilon` = 2 is out of range: it accepts a number in [0, 1]";
    assert!(error.contains(expected), "{error}");
}

#[test]
fn the_algorithm_and_its_command_have_at_most_60_lines_of_code_besides_imports() {
    let source = include_str!("../src/main.rs");
    let begin = source.find("#[derive").unwrap();
    let code = source[begin..].lines().filter(|line| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with("//")
    });
    assert!(code.count() <= 60);
}

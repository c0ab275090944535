//! Does the command report rewards outside [0, 1] in their own units, from the model file to the report?
// Helpers outside of test functions may unwrap as well.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// Rewards as in Taxi; the best policy is in state 0 a third of the time and earns (−1 + 2 · 9.5)/3 = 6 per step.
const OWN: &str = r#"{"format":"tucrl-mdp","version":1,
"reward_range":[-10.0,20.0],
"start":[[0,1.0]],
"states":[
[{"reward":-1.0,"to":[[1,1.0]]},{"reward":-10.0,"to":[[0,1.0]]}],
[{"to":[[0,0.5,20.0],[1,0.5,-1.0]]}]
]}
"#;

/// The same with every reward larger by 10.
const ZERO: &str = r#"{"format":"tucrl-mdp","version":1,
"r_max":30.0,
"start":[[0,1.0]],
"states":[
[{"reward":9.0,"to":[[1,1.0]]},{"reward":0.0,"to":[[0,1.0]]}],
[{"to":[[0,0.5,30.0],[1,0.5,9.0]]}]
]}
"#;

fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("own.json"), OWN).unwrap();
    fs::write(folder.path().join("zero.json"), ZERO).unwrap();
    let bare = OWN.replace("\"reward_range\":[-10.0,20.0],\n", "");
    fs::write(folder.path().join("bare.json"), bare).unwrap();
    folder
}

fn said(folder: &TempDir, command: &str) -> Output {
    let mut tucrl = Command::new(env!("CARGO_BIN_EXE_tucrl"));
    tucrl.current_dir(folder.path()).args(command.split(' ')).output().unwrap()
}

fn answer(folder: &TempDir, command: &str) -> String {
    let output = said(folder, command);
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{command}: {complaint}");
    String::from_utf8(output.stdout).unwrap()
}

fn json(folder: &TempDir, command: &str) -> Value {
    serde_json::from_str(&answer(folder, &format!("{command} --json"))).unwrap()
}

#[test]
fn inspect_shows_the_range_and_gains_in_its_units() {
    let folder = folder();
    let page = answer(&folder, "inspect own.json --policy");
    assert!(page.contains("\n  rewards            in [-10, 20]\n"), "{page}");
    assert!(page.contains("\n  optimal gain       6 ± "), "{page}");
    let (own, zero) = (json(&folder, "inspect own.json"), json(&folder, "inspect zero.json"));
    assert_eq!(own["reward_range"], serde_json::json!([-10.0, 20.0]));
    assert_eq!(zero["reward_range"], serde_json::json!([0.0, 30.0]));
    let number = |value: &Value, key: &str| value[key].as_f64().unwrap();
    assert_eq!(number(&own, "gain"), number(&zero, "gain") - 10.0);
    assert_eq!((&own["span"], &own["r_max"]), (&zero["span"], &zero["r_max"]));
    let policy = json(&folder, "inspect own.json --policy");
    let states = policy["policy"].as_array().unwrap();
    assert!(states.iter().all(|state| (number(state, "gain") - 6.0).abs() < 1e-10), "{states:?}");
    // The flag gives a range to a file that has none, and widens that of another.
    let given = json(&folder, "inspect bare.json --reward-range -10,20");
    assert_eq!((&given["gain"], &given["reward_range"]), (&own["gain"], &own["reward_range"]));
    let wide = json(&folder, "inspect own.json --reward-range=-100,100");
    assert!((number(&wide, "gain") - 6.0).abs() < 1e-9 && number(&wide, "r_max") == 200.0);
}

#[test]
fn learn_reports_gains_and_rewards_in_their_units_and_the_same_regret() {
    let folder = folder();
    let learn = "--steps 2000 --seeds 1 --agent tucrl:alpha=0.05 --seed 3 --episodes";
    let own = json(&folder, &format!("learn own.json {learn}"));
    let zero = json(&folder, &format!("learn zero.json {learn}"));
    assert_eq!((&own["regret"], &own["pseudo_regret"]), (&zero["regret"], &zero["pseudo_regret"]));
    assert_eq!(own["gain"].as_f64().unwrap(), zero["gain"].as_f64().unwrap() - 10.0);
    assert_eq!(own["reward_range"], serde_json::json!([-10.0, 20.0]));
    let gains = |run: &Value| -> Vec<f64> {
        let episodes = run["episode_records"].as_array().unwrap().iter();
        episodes.map(|episode| episode["gain"].as_f64().unwrap()).collect()
    };
    let lowered: Vec<f64> = gains(&zero).iter().map(|gain| gain - 10.0).collect();
    assert_eq!(gains(&own), lowered);
    let page = answer(&folder, "learn own.json --steps 2000 --seeds 1 --agent oracle");
    assert!(page.contains("optimal gain 6, 2 of 2 states reachable"), "{page}");
    let row = page.lines().find(|line| line.starts_with("reward/step")).unwrap();
    let reward: f64 = row.split_whitespace().last().unwrap().parse().unwrap();
    assert!((5.0..7.0).contains(&reward), "{page}");
    let bound = answer(&folder, "bound own.json --steps 1e6");
    assert!(
        bound.contains("r_max = 30\nRewards lie in [-10, 20]; r_max is the difference.\n"),
        "{bound}"
    );
    let trivial =
        |text: &str| text.lines().find(|l| l.contains("trivial bound,")).map(str::to_owned);
    assert_eq!(trivial(&bound), trivial(&answer(&folder, "bound zero.json --steps 1e6")));
}

#[test]
fn export_keeps_the_range_in_both_formats() {
    let folder = folder();
    answer(&folder, "export own.json --to copy.drn");
    answer(&folder, "export copy.drn --to back.json");
    assert_eq!(fs::read_to_string(folder.path().join("back.json")).unwrap(), OWN);
    answer(&folder, "export bare.json --to ranged.json --reward-range -10,20");
    assert_eq!(fs::read_to_string(folder.path().join("ranged.json")).unwrap(), OWN);
}

#[test]
fn a_report_of_an_experiment_with_a_range_is_in_its_units() {
    let folder = folder();
    let text = "name = \"r\"\nsteps = 1000\nseeds = 2\n\
                worlds = [{ spec = \"bare.json\", reward_range = [-10, 20] }, \"zero.json\"]\n\
                agents = [\"tucrl:alpha=0.05\"]\n";
    fs::write(folder.path().join("r.toml"), text).unwrap();
    answer(&folder, "run r.toml");
    answer(&folder, "report out/r");
    let mut rows = csv::Reader::from_path(folder.path().join("out/r/report/summary.csv")).unwrap();
    let rows: Vec<std::collections::BTreeMap<String, String>> =
        rows.deserialize().map(Result::unwrap).collect();
    let number = |row: usize, key: &str| -> f64 { rows[row][key].parse().unwrap() };
    assert_eq!(number(0, "gain"), number(1, "gain") - 10.0);
    assert_eq!(rows[0]["mean"], rows[1]["mean"], "regret is a difference");
    let page = fs::read_to_string(folder.path().join("out/r/report/report.md")).unwrap();
    assert!(page.contains("| smallest and largest reward | −10 and 20 |"), "{page}");
}

#[test]
fn bad_ranges_are_refused_with_what_to_write() {
    let folder = folder();
    for (command, code, expected) in [
        (
            "inspect own.json --reward-range 5",
            2,
            "write the lowest and the highest reward, such as -10,20",
        ),
        (
            "inspect own.json --reward-range 20,-10",
            2,
            "(20, -10) is not a range of rewards: give the lowest",
        ),
        (
            "inspect own.json --reward-range 0,inf",
            2,
            "(0, inf) is not a range of rewards: give the lowest",
        ),
        ("inspect own.json --reward-range 0,1 --r-max 1", 2, "cannot be used with"),
        (
            "inspect taxi --reward-range 0,1",
            1,
            "--reward-range is for model files, and taxi is not one",
        ),
        (
            "inspect own.json --reward-range -5,20",
            1,
            "reward between -10 and -10 leaves [-5, 20]: widen reward_range",
        ),
        (
            "inspect bare.json",
            1,
            "reward between -1 and -1 leaves [0, 1]: widen reward_range, or raise r_max",
        ),
    ] {
        let output = said(&folder, command);
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{command}: {complaint}");
        assert!(complaint.contains(expected), "{command}: {complaint}");
    }
}

//! Does the command `tucrl` do what its help says, and are wrong arguments errors with a remedy?
// Helpers outside of test functions may unwrap as well.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::Arc;

use assert_cmd::prelude::*;
use serde_json::Value;
use tempfile::TempDir;
use tucrl::mdp::Mdp;
use tucrl::worlds::WorldKind;
use tucrl_lab::catalogue::{Catalogue, World, WorldListing};
use tucrl_lab::formats::ReadOptions;
use tucrl_lab::text::shell_word;

mod facts;
mod refusals;

/// The command, in a folder of its own so that no file there is taken for a world.
fn tucrl(folder: &TempDir, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tucrl"));
    command.current_dir(folder.path()).args(arguments);
    command
}

fn folder() -> TempDir {
    TempDir::new().unwrap()
}

/// What a command prints when it succeeds.
fn answer(folder: &TempDir, arguments: &[&str]) -> String {
    let output = tucrl(folder, arguments).assert().success();
    String::from_utf8(output.get_output().stdout.clone()).unwrap()
}

fn inspected(folder: &TempDir, world: &str, more: &[&str]) -> Value {
    let arguments = [&["inspect", world, "--json"], more].concat();
    serde_json::from_str(&answer(folder, &arguments)).unwrap()
}

fn built(text: &str) -> Arc<Mdp> {
    World::parse(text).unwrap().build(&ReadOptions::default()).unwrap()
}

#[test]
fn help_teaches_by_example_and_the_command_alone_helps() {
    let folder = folder();
    let alone = answer(&folder, &[]);
    assert_eq!(alone, answer(&folder, &["--help"]));
    assert!(alone.contains("tucrl inspect three-state:delta=0"));
    for verb in ["worlds", "inspect", "export"] {
        let help = answer(&folder, &[verb, "--help"]);
        assert!(help.contains(&format!("Examples:\n  tucrl {verb} ")), "{help}");
    }
    let version = answer(&folder, &["--version"]);
    assert_eq!(version, concat!("tucrl ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn worlds_lists_every_world_with_its_size_and_a_line() {
    let folder = folder();
    let list = answer(&folder, &["worlds"]);
    let entries: Value = serde_json::from_str(&answer(&folder, &["worlds", "--json"])).unwrap();
    let catalogue = Catalogue::default();
    assert_eq!(entries.as_array().unwrap().len(), catalogue.worlds().len());
    let listings = catalogue.worlds().iter().map(WorldListing::from);
    for (entry, json) in listings.zip(entries.as_array().unwrap()) {
        let states = match entry.states {
            vast @ 1_000_000.. => format!("{:.1e}", vast as f64),
            few => few.to_string(),
        };
        let words = format!("{} {states} {} {}", entry.name, entry.actions, entry.summary);
        let is_listed = |line: &str| line.split_whitespace().eq(words.split_whitespace());
        assert!(list.lines().any(is_listed), "{words}");
        assert_eq!(json["name"], entry.name);
        assert_eq!(json["states"], entry.states);
        assert_eq!(json["parameters"].as_array().unwrap().len(), entry.parameters.len());
        assert_eq!(json["facts"].as_array().unwrap().len(), entry.facts.len());
        let one: Value =
            serde_json::from_str(&answer(&folder, &["worlds", entry.name, "--json"])).unwrap();
        assert_eq!(one, *json);
        let page = answer(&folder, &["worlds", entry.name]);
        for fact in entry.facts {
            assert!(page.contains(&format!("\n  {fact}\n")), "{fact}");
        }
        let example = shell_word(entry.example);
        assert!(page.ends_with(&format!("\nTry\n  tucrl inspect {example}\n")));
    }
}

#[test]
fn inspect_prints_a_table_that_reads_well() {
    let folder = folder();
    let expected = "\
theta:theta=0

  class              multichain: several sets of states can be stayed in forever
  end components     2, of 2 × 1 states
  start recoverable  yes: every reachable state can lead back to it
  actions            1 at most; 2 state-action pairs, 2 transitions
  rewards            in [0, 1]
  optimal gain       skipped

                       all states     reachable
  states                        2             1   reachable from the start
  span                    skipped       skipped   of the optimal bias
  diameter               infinite             0   largest expected travel time
  largest support               1             1   next states of one action
";
    assert_eq!(answer(&folder, &["inspect", "theta:theta=0", "--skip", "gain"]), expected);
    let taxi = answer(&folder, &["inspect", "taxi"]);
    assert!(taxi.contains("\n  optimal gain       0.3558362138 ± "), "{taxi}");
    assert!(taxi.contains("\n  end components     5, of 400 and 4 × 25 states\n"), "{taxi}");
    assert!(taxi.contains("infinite   72.06666667   largest expected travel time"), "{taxi}");
    let loops = answer(&folder, &["inspect", "taxi:junk=self-loop", "--skip", "gain,diameter"]);
    assert!(loops.contains("101, of 400 and 100 × 1 states\n"), "{loops}");
    assert!(loops.contains("\n  diameter                skipped       skipped "), "{loops}");
    let policy = answer(&folder, &["inspect", "chain", "--policy"]);
    assert!(policy.ends_with("      4  link 4  forward  0.36768  2.3616\n"), "{policy}");
    assert!(policy.contains("\n  gain of the policy 0.36768 ± "), "{policy}");
    for line in [taxi, loops, policy].iter().flat_map(|page| page.lines()) {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn json_keys_are_stable_and_what_is_skipped_has_none() {
    let folder = folder();
    let exact = ["gain", "gain_error", "span", "span_reachable", "bias_kind"];
    let hardness = ["hardness"];
    let gain = [&exact[..], &hardness].concat();
    let diameter = ["diameter", "diameter_reachable"];
    let policy = ["policy", "policy_gain", "policy_gain_error"];
    let always = [
        "world",
        "states",
        "actions",
        "pairs",
        "transitions",
        "r_max",
        "reward_range",
        "reachable",
        "class",
        "end_components",
        "end_component_sizes",
        "start_is_recoverable",
        "max_support",
        "max_support_reachable",
        "skipped",
    ];
    let cases: [(&[&str], Vec<&str>, Vec<&str>); 5] = [
        (&[], [&gain[..], &diameter].concat(), vec![]),
        (&["--skip", "gain"], diameter.to_vec(), gain.to_vec()),
        (&["--skip", "diameter"], gain.to_vec(), diameter.to_vec()),
        (&["--skip", "hardness"], [&exact[..], &diameter].concat(), hardness.to_vec()),
        (&["--policy", "--jobs", "1"], [&gain[..], &diameter, &policy].concat(), vec![]),
    ];
    for (flags, present, skipped) in cases {
        let answer = inspected(&folder, "three-state", flags);
        let mut keys: Vec<&str> = answer.as_object().unwrap().keys().map(String::as_str).collect();
        let mut expected = [&always[..], &present].concat();
        keys.sort_unstable();
        expected.sort_unstable();
        assert_eq!(keys, expected);
        assert_eq!(answer["skipped"], Value::from(skipped));
    }
}

#[test]
fn inspect_says_how_hard_a_world_is() {
    let folder = folder();
    let page = answer(&folder, &["inspect", "river-swim"]);
    for line in [
        "\n  optimal policy     unique and unichain\n",
        "\n  regret noise       0.7552 √T, standard deviation under the optimal policy\n",
        "\n  if rewards known   21.51 ln T, lower estimate\n",
    ] {
        assert!(page.contains(line), "{line}\n{page}");
    }
    let taxi = answer(&folder, &["inspect", "taxi"]);
    assert!(taxi.contains("\n  lower bound        more than any multiple of ln T: "), "{taxi}");
    for line in page.lines().chain(taxi.lines()) {
        assert!(line.chars().count() <= 80, "{line}");
    }
    let river = inspected(&folder, "river-swim", &[])["hardness"].take();
    let near = |value: &Value, expected: f64| {
        let value = value.as_f64().unwrap();
        assert!((value / expected - 1.0).abs() < 1e-3, "{value}, not {expected}");
    };
    near(&river["regret_variance"], 0.5703);
    near(&river["lower_bound_known_rewards"]["constant"], 21.51);
    // D S A and the end of the linear regime, T = 34² D² 3 · 12 ln(3 T²).
    near(&river["burn_in"]["diameter"], 14.722_337_912_5 * 12.0);
    let end = river["burn_in"]["ucrl_linear_regime"].as_f64().unwrap();
    let scale = 34f64.powi(2) * 14.722_337_912_5f64.powi(2) * 36.0;
    near(&river["burn_in"]["ucrl_linear_regime"], scale * (3.0 * end * end).ln());
    assert_eq!(river["left_out"], Value::Object(Default::default()));
    let keys = ["lower_bound", "lower_bound_known_rewards"];
    let certainties = |world: &str, flags: &[&str]| {
        let known = inspected(&folder, world, flags)["hardness"].take();
        (keys.map(|key| known[key]["certainty"].as_str().unwrap().to_owned()), known)
    };
    let (lost, known) = certainties("three-state:delta=0", &["--skip", "diameter"]);
    assert_eq!(lost, ["infinite", "lower_estimate"]);
    assert_eq!(
        (&known["lower_bound"]["constant"], &known["burn_in"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(known["left_out"]["burn_in"], "the diameters were not computed");
    // States that cannot be reached and are not in the table.
    let (vast, known) = certainties("junk:base=(river-swim),factor=1000", &[]);
    assert_eq!(vast, ["infinite", "unknown"]);
    assert_eq!(known["burn_in"]["ucrl_linear_regime"], Value::Null);
}

#[test]
fn the_policy_names_states_and_actions_when_they_have_names() {
    let folder = folder();
    let answer = inspected(&folder, "three-state", &["--policy"]);
    let policy = answer["policy"].as_array().unwrap();
    assert_eq!(policy.len(), 3);
    assert_eq!((&policy[2]["state"], &policy[2]["name"]), (&Value::from(2), &Value::from("s2")));
    assert_eq!((&policy[2]["action"], &policy[2]["action_name"]), (&1.into(), &"a1".into()));
    assert!((policy[2]["gain"].as_f64().unwrap() - 2.0 / 3.0).abs() < 1e-10);
    assert!((policy[2]["bias"].as_f64().unwrap() - 1.0 / 0.995).abs() < 1e-8);
    let world =
        r#"{"format":"tucrl-mdp","version":1,"start":0,"states":[[{"reward":1,"to":[[0,1]]}]]}"#;
    fs::write(folder.path().join("one.json"), world).unwrap();
    let answer = inspected(&folder, "one.json", &["--policy"]);
    let keys: Vec<&String> = answer["policy"][0].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["state", "action", "gain", "bias"]);
    assert_eq!((&answer["class"], &answer["diameter"]), (&"communicating".into(), &0.0.into()));
}

#[test]
fn a_start_that_cannot_be_recovered_is_warned_about() {
    let folder = folder();
    let trap = r#"{"format":"tucrl-mdp","version":1,"start":0,"states":[
        [{"reward":1,"to":[[0,1]]},{"reward":0,"to":[[1,1]]}],[{"reward":0,"to":[[1,1]]}]]}"#;
    fs::write(folder.path().join("trap.json"), trap).unwrap();
    for arguments in [&["inspect", "trap.json"][..], &["inspect", "trap.json", "--json"]] {
        let output = tucrl(&folder, arguments).assert().success().get_output().clone();
        assert_eq!(
            String::from_utf8(output.stderr).unwrap(),
            "warning: the start cannot be reached from every reachable state.\n  \
             The paper's standing assumption fails: a learner may leave the start forever\n  \
             by an action whose effect it does not know, so no regret bound holds here.\n"
        );
    }
    let answer = inspected(&folder, "trap.json", &[]);
    assert_eq!(answer["start_is_recoverable"], false);
    assert_eq!((&answer["diameter"], &answer["diameter_reachable"]), (&Value::Null, &Value::Null));
    assert_eq!((&answer["reachable"], &answer["gain"]), (&2.into(), &1.0.into()));
    let silent = tucrl(&folder, &["inspect", "taxi"]).assert().success().get_output().clone();
    assert!(silent.stderr.is_empty());
}

#[test]
fn the_diameter_of_a_large_world_is_left_out_unless_asked_for() {
    let folder = folder();
    let large = tucrl(&folder, &["inspect", "chain:n=20001", "--json", "--skip", "gain"]);
    let output = { large }.assert().success().get_output().clone();
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "note: the diameter of 20001 reachable states would take long and is left out: compute \
         it with --all\n"
    );
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let skipped = answer["skipped"].as_array().unwrap();
    assert!(skipped.contains(&"diameter".into()) && skipped.contains(&"diameter_reachable".into()));
    // That it is infinite on all states costs nothing to know.
    let answer = inspected(&folder, "deep-sea:n=205", &["--skip", "gain"]);
    assert_eq!((&answer["reachable"], &answer["diameter"]), (&21115.into(), &Value::Null));
    assert!(answer.get("diameter_reachable").is_none());
    let answer = inspected(&folder, "three-state", &["--all"]);
    assert!((answer["diameter"].as_f64().unwrap() - 200.0).abs() < 1e-9);
}

#[test]
fn every_world_comes_back_identical_from_both_formats() {
    let folder = folder();
    // A file holds a table; of worlds without one it would hold the reachable part only.
    let catalogue = Catalogue::default();
    for entry in catalogue.worlds().iter().filter(|kind| kind.has_table()).map(WorldKind::about) {
        let mdp = built(entry.name);
        for name in ["m.json", "m.drn"] {
            let path = folder.path().join(name);
            let said = answer(&folder, &["export", entry.name, "--to", name, "--force"]);
            let sizes = format!(
                "wrote {} to {name}: {} states, {} pairs, {} transitions, ",
                entry.name,
                mdp.states(),
                mdp.pairs(),
                mdp.transitions()
            );
            assert!(said.starts_with(&sizes), "{said}");
            assert_eq!(built(&path.display().to_string()), mdp, "{} as {name}", entry.name);
            let mut from_file = inspected(&folder, name, &["--policy", "--skip", "diameter"]);
            let mut direct = inspected(&folder, entry.name, &["--policy", "--skip", "diameter"]);
            assert_eq!(
                (from_file["world"].take(), direct["world"].take()),
                (name.into(), entry.name.into())
            );
            assert_eq!(from_file, direct, "{} as {name}", entry.name);
        }
    }
}

#[test]
fn export_replaces_a_file_only_when_told_to() {
    let folder = folder();
    let file = folder.path().join("m.json");
    fs::write(&file, "precious").unwrap();
    tucrl(&folder, &["export", "chain", "--to", "m.json"]).assert().code(1);
    assert_eq!(fs::read_to_string(&file).unwrap(), "precious");
    answer(&folder, &["export", "chain", "--to", "m.json", "--force"]);
    assert_eq!(built(&file.display().to_string()), built("chain"));
    let said = answer(&folder, &["export", "m.json", "--to", "again.drn"]);
    assert!(said.starts_with("wrote m.json to again.drn: 5 states, 10 pairs"), "{said}");
}

#[test]
fn a_drn_file_with_several_rewards_is_read_with_its_options() {
    let folder = folder();
    fs::write(
        folder.path().join("ferry.drn"),
        include_str!("../../../tucrl-lab/tests/data/ferry.drn"),
    )
    .unwrap();
    let tickets = inspected(&folder, "ferry.drn", &["--reward-model", "tickets"]);
    let fuel = inspected(&folder, "ferry.drn", &["--reward-model", "fuel", "--r-max", "7.5"]);
    assert_ne!(tickets["gain"], fuel["gain"]);
    assert_eq!((&tickets["states"], &fuel["r_max"]), (&3.into(), &7.5.into()));
    answer(&folder, &["export", "ferry.drn", "--reward-model", "fuel", "--to", "fuel.json"]);
}

#[test]
fn a_world_is_found_even_if_a_folder_has_its_name() {
    let folder = folder();
    fs::create_dir(folder.path().join("taxi")).unwrap();
    assert_eq!(inspected(&folder, "taxi", &["--skip", "gain,diameter"])["states"], 500);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let folder = folder();
    for arguments in [&["worlds"][..], &["inspect", "taxi", "--policy", "--skip", "diameter"], &[]]
    {
        let mut child = tucrl(&folder, arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        // The pipe is closed before all output is written.
        let mut reader = BufReader::with_capacity(1, child.stdout.take().unwrap());
        if arguments.contains(&"--policy") {
            reader.read_line(&mut line).unwrap();
        }
        drop(reader);
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{arguments:?}");
        assert!(output.status.success(), "{arguments:?}: {:?}", output.status);
    }
}

#[test]
fn export_says_when_it_writes_only_what_is_reachable() {
    let folder = folder();
    let said = |arguments: &[&str]| {
        let output = tucrl(&folder, arguments).assert().success().get_output().clone();
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let part = "only the 8260 reachable of the 18790481920 states of breakout-game, numbered anew";
    for name in ["m.json", "m.drn"] {
        let (answer, note) = said(&["export", "breakout-game", "--to", name]);
        assert!(answer.starts_with(&format!("wrote breakout-game to {name}: 8260 states, ")));
        assert_eq!(note, format!("note: the file has {part}\n"));
    }
    // DRN has a place for it.
    let text = fs::read_to_string(folder.path().join("m.drn")).unwrap();
    assert_eq!(text.lines().nth(1), Some(format!("// {part}").as_str()));
    let states =
        |name: &str| inspected(&folder, name, &["--skip", "gain,diameter"])["states"].clone();
    assert_eq!((states("m.json"), states("m.drn")), (8260.into(), 8260.into()));
    // A table is written whole, with what is not reachable.
    let (_, note) = said(&["export", "three-state:delta=0", "--to", "t.drn"]);
    assert_eq!(note, "");
    assert_eq!(states("t.drn"), 3);
}

/// Waits until a process listens to Ctrl-C; before that the system ends it.
#[cfg(target_os = "linux")]
fn until_it_listens(process: u32) {
    for _ in 0..1000 {
        std::thread::sleep(std::time::Duration::from_millis(20));
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        if u64::from_str_radix(caught.trim(), 16).unwrap() & 0b10 != 0 {
            return;
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_search_exits_as_one_that_was_interrupted() {
    let folder = folder();
    // Far more states than can be found in the time.
    let mut command = tucrl(
        &folder,
        &["explore", "queues:queues=4,capacity=1000,pool=1000", "--limit", "1e9", "--jobs", "1"],
    );
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    until_it_listens(child.id());
    Command::new("kill").args(["-INT", &child.id().to_string()]).assert().success();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.starts_with("error: interrupted after "), "{said}");
    assert_eq!(output.stdout, b"");
}

#[cfg(unix)]
#[test]
fn messages_send_no_commands_to_the_terminal() {
    let folder = folder();
    for arguments in [
        ["inspect", "\u{1b}[31mtaxi"],
        ["inspect", "\u{1b}]0;owned\u{7}.json"],
        ["inspect", "taxi\nerror: all is lost"],
        ["inspect", "three-state:delta=\u{202e}1"],
        ["run", "\u{1b}[2J.toml"],
        ["status", "\u{1b}[2J"],
        ["report", "a\rb"],
    ] {
        let output = tucrl(&folder, &arguments).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        let is_obeyed =
            |c: char| c.is_control() && c != '\n' || ('\u{2028}'..='\u{202e}').contains(&c);
        assert!(!said.chars().any(is_obeyed), "{said:?}");
        assert_eq!(said.lines().filter(|line| line.starts_with("error: ")).count(), 1, "{said}");
    }
    let long = format!("{}.json", "x".repeat(100_000));
    for arguments in [["inspect", &long], ["run", &long], ["inspect", &long[..50_000]]] {
        let output = tucrl(&folder, &arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(output.stderr.len() < 1000, "{}", String::from_utf8_lossy(&output.stderr));
    }
}

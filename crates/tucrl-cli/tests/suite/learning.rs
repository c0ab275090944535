//! Do `tucrl agents`, `learn` and `bound` do what their help says, and are wrong arguments errors with a remedy?
// Helpers outside of test functions may unwrap as well.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

use std::fs;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use assert_cmd::prelude::*;
use serde_json::Value;
use tempfile::TempDir;
use tucrl::agents::{AgentKind, kinds};
use tucrl_lab::catalogue::AgentListing;

mod explain;
mod narrow;
mod refusals;
mod words;

/// The command, in a folder of its own so that no file there is taken for a world.
fn tucrl(folder: &TempDir, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tucrl"));
    command.current_dir(folder.path()).args(arguments);
    command
}

fn folder() -> TempDir {
    TempDir::new().unwrap()
}

/// What a command says, split at blanks for convenience.
fn said(folder: &TempDir, command: &str) -> Output {
    let arguments: Vec<&str> = command.split(' ').collect();
    tucrl(folder, &arguments).output().unwrap()
}

/// What a command prints when it succeeds.
fn answer(folder: &TempDir, command: &str) -> String {
    let output = said(folder, command);
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{command}: {complaint}");
    String::from_utf8(output.stdout).unwrap()
}

/// The JSON lines of a command that succeeds.
fn lines(folder: &TempDir, command: &str) -> Vec<Value> {
    parsed(&answer(folder, &format!("{command} --json")))
}

fn parsed(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A line without what differs from one machine, or hour, to the next.
fn timeless(mut line: Value) -> Value {
    for clock in ["plan_seconds", "simulate_seconds"] {
        assert!(line.as_object_mut().unwrap().remove(clock).unwrap().as_f64().unwrap() >= 0.0);
    }
    line
}

#[test]
fn help_teaches_by_example() {
    let folder = folder();
    for verb in ["agents", "learn", "bound"] {
        let help = answer(&folder, &format!("{verb} --help"));
        assert!(help.contains(&format!("Examples:\n  tucrl {verb} ")), "{help}");
        assert!(answer(&folder, "--help").contains(&format!("\n  tucrl {verb} ")));
    }
}

#[test]
fn agents_lists_every_agent_and_shows_each() {
    let folder = folder();
    let list = answer(&folder, "agents");
    let entries: Value = serde_json::from_str(&answer(&folder, "agents --json")).unwrap();
    assert_eq!(entries.as_array().unwrap().len(), kinds().len());
    for (kind, json) in kinds().iter().zip(entries.as_array().unwrap()) {
        let (entry, parameters) = (kind.about(), AgentListing::from(kind).parameters);
        let head = format!("{} {}", entry.name, entry.summary);
        let is_listed =
            |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ").starts_with(&head);
        assert!(list.lines().any(is_listed), "{head}");
        assert_eq!(
            (&json["name"], &json["guarantee"]),
            (&entry.name.into(), &entry.guarantee.into())
        );
        assert_eq!(json["parameters"].as_array().unwrap().len(), parameters.len());
        let one: Value =
            serde_json::from_str(&answer(&folder, &format!("agents {} --json", entry.name)))
                .unwrap();
        assert_eq!(one, *json);
        let page = answer(&folder, &format!("agents {}", entry.name));
        for head in
            ["What it must be told", "What is proved", "What a plan costs", "When not to use it"]
        {
            assert!(page.contains(&format!("\n{head}\n")), "{head}");
        }
        assert!(page.ends_with(&format!("--agent {}\n", entry.example)));
    }
    assert_eq!(answer(&folder, "agents ucrl2b"), answer(&folder, "agents ucrl"));
}

#[test]
fn json_keys_are_stable() {
    let folder = folder();
    let always = [
        "agent",
        "world",
        "seed",
        "master_seed",
        "steps",
        "steps_asked",
        "gain",
        "reward_range",
        "regret",
        "pseudo_regret",
        "gap_regret",
        "bellman_residual",
        "episodes",
        "seen",
        "reachable",
        "states",
        "z",
        "y",
        "sweeps",
        "plan_seconds",
        "simulate_seconds",
        "options",
        "label",
    ];
    let command = "learn three-state:delta=0 --steps 2000 --seeds 2 --seed 7 --agent tucrl:alpha=0.5 \
                   --agent random";
    for (more, extra) in [("", None), (" --episodes", Some("episode_records"))] {
        let lines = lines(&folder, &format!("{command}{more}"));
        let named =
            lines.iter().map(|line| (line["agent"].as_str().unwrap(), line["seed"].as_u64()));
        let expected =
            [("tucrl:alpha=0.5", 0), ("tucrl:alpha=0.5", 1), ("random", 0), ("random", 1)];
        assert!(named.eq(expected.map(|(agent, seed)| (agent, Some(seed)))));
        for line in &lines {
            let mut keys: Vec<&str> =
                line.as_object().unwrap().keys().map(String::as_str).collect();
            let mut expected: Vec<&str> = always.into_iter().chain(extra).collect();
            keys.sort_unstable();
            expected.sort_unstable();
            assert_eq!(keys, expected);
            assert_eq!((&line["master_seed"], &line["steps"]), (&7.into(), &2000.into()));
            let regret = line["regret"].as_array().unwrap();
            assert_eq!(regret.last().unwrap()[0], 2000);
            for time in [10, 100, 200, 1000] {
                assert!(regret.iter().any(|entry| entry[0] == time), "{time}");
            }
            assert_eq!(line["pseudo_regret"].as_array().unwrap().len(), regret.len());
            assert_eq!(line["gap_regret"].as_array().unwrap().len(), regret.len());
            if let Some(records) = line.get("episode_records") {
                let records = records.as_array().unwrap();
                assert_eq!(line["episodes"], records.len());
                let length = |record: &Value| record["length"].as_u64().unwrap();
                assert!(records.is_empty() || records.iter().map(length).sum::<u64>() == 2000);
                assert!(records.iter().zip(1..).all(|(record, k)| record["k"] == k));
            }
        }
        let options = &lines[0]["options"];
        assert_eq!((&options["alpha"], &options["alpha_p"]), (&0.5.into(), &"alpha".into()));
        assert_eq!(lines[2]["options"], Value::Object(Default::default()));
        assert_eq!(
            (&lines[0]["seen"], &lines[0]["reachable"], &lines[0]["states"]),
            (&2.into(), &2.into(), &3.into())
        );
    }
}

#[test]
fn the_same_command_gives_the_same_numbers_with_any_number_of_threads() {
    let folder = folder();
    let command = "learn river-swim --steps 30000 --seeds 3 --agent tucrl:alpha=0.1 --agent scal:c=4 \
                   --agent optimistic-q --agent ucrl2 --episodes";
    let first: Vec<Value> =
        lines(&folder, &format!("{command} --jobs 1")).into_iter().map(timeless).collect();
    for jobs in [1, 2, 5] {
        let again = lines(&folder, &format!("{command} --jobs {jobs}"));
        assert!(again.into_iter().map(timeless).eq(first.iter().cloned()), "{jobs} threads");
    }
    let other = lines(&folder, &format!("{command} --seed 2"));
    assert_ne!(timeless(other[0].clone())["regret"], first[0]["regret"]);
}

#[test]
fn agents_of_the_same_run_face_the_same_world() {
    let folder = folder();
    // In a world without choices every agent earns the same.
    let lines = lines(
        &folder,
        "learn theta --steps 3000 --seeds 2 --agent tucrl --agent random --agent oracle --agent ucrl",
    );
    for run in 0..2 {
        let of_run: Vec<&Value> = lines.iter().filter(|line| line["seed"] == run).collect();
        assert_eq!(of_run.len(), 4);
        assert!(of_run.iter().all(|line| line["regret"] == of_run[0]["regret"]));
    }
    assert_ne!(lines[0]["regret"], lines[1]["regret"], "but runs differ");
}

#[test]
fn a_world_from_a_file_is_the_world() {
    let folder = folder();
    for (world, file) in [("river-swim", "r.json"), ("three-state", "t.drn"), ("taxi", "x.json")] {
        answer(&folder, &format!("export {world} --to {file}"));
        let mut pair = [world, file].map(|world| {
            let command =
                format!("learn {world} --steps 3000 --agent tucrl:alpha=0.01 --agent oracle");
            let learned = lines(&folder, &command);
            learned.into_iter().map(timeless).collect::<Vec<Value>>()
        });
        for (line, name) in [(0, world), (1, file)] {
            for line in &mut pair[line] {
                assert_eq!(line["world"].take(), name);
            }
        }
        assert_eq!(pair[0], pair[1]);
    }
}

#[test]
fn the_table_has_decades_and_intervals_within_eighty_columns() {
    let folder = folder();
    let page = answer(
        &folder,
        "learn three-state:delta=0 --steps 25000 --seeds 3 --agent tucrl --agent ucrl \
         --agent oracle --agent random --agent tucrl:alpha=0.25,delta=inv-sqrt",
    );
    assert!(
        page.starts_with(
            "three-state:delta=0: 25000 steps, 3 runs, master seed 1\n\
         optimal gain 0.6666666667, 2 of 3 states reachable\n\n\
         tucrl (2)    tucrl:delta=inv-sqrt,alpha=0.25\n\n\
         step                          tucrl                  ucrl                oracle\n"
        ),
        "{page}"
    );
    let first = |line: &str| line.split_whitespace().next().unwrap_or_default().to_string();
    let rows: Vec<String> = page.lines().map(first).collect();
    for row in ["10", "100", "1000", "10000", "25000", "growth", "episodes", "Z", "sweeps"] {
        assert_eq!(rows.iter().filter(|first| *first == row).count(), 2, "{row}");
    }
    let last = page.lines().find(|line| line.starts_with("25000 ")).unwrap();
    assert_eq!(last.matches(" ± ").count(), 3, "{last}");
    assert!(page.contains("linear") && page.contains(" ms"));
    for line in page.lines() {
        assert!(line.chars().count() <= 80, "{line}");
        assert_eq!(line.trim_end(), line);
    }
    let single = answer(&folder, "learn two-state --steps 100 --seeds 1");
    assert!(!single.contains('±') && single.contains("tucrl"), "{single}");
}

#[test]
fn the_story_of_the_paper_is_told() {
    let folder = folder();
    let lines = lines(
        &folder,
        "learn three-state:delta=0 --seeds 3 --agent ucrl:alpha=0.05 --agent tucrl:alpha=0.05 \
         --agent scal:c=5,alpha=0.05",
    );
    let last =
        |line: &Value| line["regret"].as_array().unwrap().last().unwrap()[1].as_f64().unwrap();
    let regrets: Vec<f64> = lines.iter().map(last).collect();
    assert!(regrets[..3].iter().all(|&regret| regret > 1e5), "UCRL is linear: {regrets:?}");
    assert!(regrets[3..].iter().all(|&regret| regret < 1e3), "the others learn: {regrets:?}");
}

#[test]
fn a_failed_run_is_reported_and_the_others_go_on() {
    let folder = folder();
    let command = "learn three-state:delta=0 --steps 100000 --seeds 2 --agent random \
                   --agent ucrl:alpha=0.01,planner=plain,sweeps=5";
    let output = said(&folder, &format!("{command} --json"));
    assert_eq!(output.status.code(), Some(1));
    let lines = parsed(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(lines.len(), 4);
    for line in &lines[..2] {
        assert_eq!(line["steps"], 100_000);
        assert!(line.get("error").is_none() && line.get("last_regret").is_none());
    }
    let complaint = String::from_utf8(output.stderr).unwrap();
    for (run, line) in lines[2..].iter().enumerate() {
        let error = line["error"].as_str().unwrap();
        assert!(error.contains("did not converge: after 5 sweeps"), "{error}");
        assert!(line["steps"].as_u64().unwrap() < 100_000);
        assert!(line["last_regret"].is_f64());
        let agent = "ucrl:alpha=0.01,planner=plain,sweeps=5";
        assert!(
            complaint.contains(&format!("error: {agent}, run {run}: {error}\n")),
            "{complaint}"
        );
    }
    let output = said(&folder, command);
    assert_eq!(output.status.code(), Some(1));
    let page = String::from_utf8(output.stdout).unwrap();
    assert!(page.contains("\nsteps taken ") && page.contains("\n* from the runs"), "{page}");
}

/// Starts a long command, interrupts it after a while, and waits for its end.
fn interrupted(folder: &TempDir, command: &str) -> (Output, Duration) {
    let arguments: Vec<&str> = command.split(' ').collect();
    let child =
        tucrl(folder, &arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    thread::sleep(Duration::from_millis(1500));
    let clock = Instant::now();
    Command::new("kill").args(["-INT", &child.id().to_string()]).assert().success();
    (child.wait_with_output().unwrap(), clock.elapsed())
}

#[cfg(unix)]
#[test]
fn an_interrupt_prints_what_there_is() {
    let folder = folder();
    let command = "learn three-state:delta=0 --steps 1e10 --seeds 2 --agent tucrl --agent random \
                   --jobs 2";
    let (output, waited) = interrupted(&folder, &format!("{command} --json"));
    assert_eq!(output.status.code(), Some(130));
    assert!(waited < Duration::from_secs(5), "{waited:?}");
    let lines = parsed(&String::from_utf8(output.stdout).unwrap());
    // Every agent has its first run before any has its second, and what was not started has no line.
    let started: Vec<_> = lines.iter().map(|line| (&line["agent"], &line["seed"])).collect();
    assert_eq!(started, [(&"tucrl".into(), &0.into()), (&"random".into(), &0.into())]);
    for line in &lines {
        assert_eq!(
            (&line["stopped"], &line["steps_asked"]),
            (&true.into(), &10_000_000_000u64.into())
        );
        assert!(line["steps"].as_u64().unwrap() < 10_000_000_000);
        assert!(line["last_regret"].is_f64() && line.get("error").is_none());
    }
    let taken = lines[0]["steps"].as_u64().unwrap();
    assert!(taken > 1000, "{taken}");
    let regret = lines[0]["regret"].as_array().unwrap();
    assert!(regret.iter().all(|entry| entry[0].as_u64().unwrap() <= taken) && !regret.is_empty());
    let (output, _) = interrupted(&folder, command);
    assert_eq!(output.status.code(), Some(130));
    let page = String::from_utf8(output.stdout).unwrap();
    assert!(page.contains("\n1000 ") && page.contains("\nsteps taken "), "{page}");
}

#[test]
fn what_cannot_be_learned_is_warned_about() {
    let folder = folder();
    let complaint = |command: &str| {
        let output = said(&folder, command);
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(
        complaint("learn taxi --steps 10000 --seeds 1"),
        "warning: tucrl: 10000 steps are too few for its confidence widths.\n  \
         Even if every action of every reachable state were tried 4.17 times, half the\n  \
         radius of an L1 ball would be 26957. A width of 1 or more excludes nothing, so\n  \
         the whole run is exploration. Take more steps, or use tucrl-plus:alpha=0.01,\n  \
         whose widths are narrower; with this alpha it has no guarantee.\n"
    );
    assert_eq!(
        complaint("learn taxi --steps 1000 --seeds 1 --agent ucrl"),
        "warning: ucrl: 1000 steps are too few for its confidence widths.\n  \
         Not even every action of every reachable state can be tried twice, so the\n  \
         whole run is exploration. Take more steps.\n"
    );
    assert_eq!(complaint("learn three-state:delta=0 --steps 100000 --seeds 1"), "");
    assert_eq!(complaint("learn taxi --steps 10000 --seeds 1 --agent random --agent oracle"), "");
    let trap = r#"{"format":"tucrl-mdp","version":1,"start":0,"states":[
        [{"reward":1,"to":[[0,1]]},{"reward":0,"to":[[1,1]]}],[{"reward":0,"to":[[1,1]]}]]}"#;
    fs::write(folder.path().join("trap.json"), trap).unwrap();
    let warned = complaint("learn trap.json --steps 1e5 --seeds 1");
    assert!(warned.starts_with("warning: the start cannot be reached from every"), "{warned}");
}

#[test]
fn every_example_runs_and_so_do_unusual_options() {
    // Every agent in every world is the business of `matrix.rs`.
    let folder = folder();
    // Those that run everywhere; documents.rs runs all as their pages show them.
    let examples = kinds().iter().filter(|kind| kind.example_world().starts_with("three-state"));
    let examples: Vec<String> =
        examples.map(|kind| format!(" --agent {}", kind.about().example)).collect();
    let more = " --agent scal:c=2,mode=theory --agent tucrl:relaxation=zeta,alpha=0.001 \
                --agent optimistic-q:horizon=theory,bonus=theory --agent scal:c=0,operator=n,augment=false";
    for world in ["three-state:delta=0", "river-swim", "four-rooms"] {
        let command = format!("learn {world} --steps 300 --seeds 1{}{more}", examples.concat());
        let lines = lines(&folder, &command);
        assert_eq!(lines.len(), examples.len() + 4);
        for line in &lines {
            assert_eq!(line["steps"], 300, "{world} {}", line["agent"]);
            let pseudo = line["pseudo_regret"].as_array().unwrap().last().unwrap()[1].as_f64();
            assert!(pseudo.is_some(), "{world} {}", line["agent"]);
        }
    }
}

#[test]
fn bound_names_every_term_and_the_trivial_bound() {
    let folder = folder();
    let page = answer(&folder, "bound three-state:delta=0 --steps 1e8");
    for line in [
        "  estimation                                         1766488\n",
        "  estimation, lower order                             468293\n",
        "  exploratory phase                                  1.646e7\n",
        "  sum                                                1.903e7\n",
        "  trivial bound, r_max T                             1.000e8\n",
        "  steps in poorly visited pairs, Z                     40008\n",
        "  T_dagger: never; some state is unreachable, so the bound stays linear\n",
        "  The constants of the theorem are enormous",
    ] {
        assert!(page.contains(line), "{line}\n{page}");
    }
    // The delta of the world and that of the bounds are two numbers.
    let head = "three-state:delta=0, T = 100000000 steps, failure probability 0.05\n";
    assert!(page.starts_with(head), "{page}");
    let slippery = answer(&folder, "bound three-state");
    assert!(slippery.contains("T_dagger =              2.728e10\n"), "{slippery}");
    for line in page.lines().chain(slippery.lines()) {
        assert!(line.chars().count() <= 80, "{line}");
    }
    let json: Value =
        serde_json::from_str(&answer(&folder, "bound taxi --steps 1e9 --json")).unwrap();
    let close = |value: &Value, expected: f64| {
        let value = value.as_f64().unwrap();
        assert!((value / expected - 1.0).abs() < 1e-5, "{value} {expected}");
    };
    close(&json["tucrl"]["exploratory_phase"], 2.184_218e18);
    close(&json["tucrl_sum"], 2.184_222e18);
    close(&json["tucrl_total"], 1e9);
    assert_eq!((&json["numbers"]["diameter"], &json["ucrl"]["root"]), (&Value::Null, &Value::Null));
    assert_eq!(json["ucrl_linear_regime_end"], Value::Null);
    let strict: Value =
        serde_json::from_str(&answer(&folder, "bound taxi --delta 0.001 --json")).unwrap();
    assert_eq!(strict["delta"], 0.001);
    // Of a world without a table, S is the number of its states and not of those that are reachable.
    let game: Value =
        serde_json::from_str(&answer(&folder, "bound breakout-game:rows=2,columns=3 --json"))
            .unwrap();
    let explored = answer(&folder, "explore breakout-game:rows=2,columns=3 --json");
    let explored: Value = serde_json::from_str(&explored).unwrap();
    assert_eq!(game["numbers"]["states"], explored["states"]);
    assert_eq!(game["numbers"]["reachable"], explored["reachable"]);
    assert_eq!(game["numbers"]["diameter"], Value::Null);
    assert!(explored["reachable"].as_u64() < explored["states"].as_u64());
    let alone =
        r#"{"format":"tucrl-mdp","version":1,"start":0,"states":[[{"reward":1,"to":[[0,1]]}]]}"#;
    fs::write(folder.path().join("one.json"), alone).unwrap();
    assert!(answer(&folder, "bound one.json").contains("none: there is only one state"));
}

#[test]
fn bound_shows_lower_and_upper_bounds_together() {
    let folder = folder();
    let page = answer(&folder, "bound river-swim --steps 1e6 --figure bounds.svg");
    // 21.51 ln T.
    let row = |t: &str| page.lines().find(|line| line.trim_start().starts_with(t)).unwrap();
    let cells: Vec<&str> = row("1000000 ").split_whitespace().collect();
    assert_eq!((cells.len(), cells[2], cells[3]), (6, "297.2", "1000000"), "{page}");
    assert!(page.contains("  Lower, rewards known: 21.51 ln T, lower estimate"), "{page}");
    for line in page.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    let figure = fs::read_to_string(folder.path().join("bounds.svg")).unwrap();
    for name in ["TUCRL, upper", "lower, C ln T", "lower, rewards known", "r_max T"] {
        assert!(figure.contains(&format!("\n{name}\n")), "{name}");
    }
    let json: Value = serde_json::from_str(&answer(&folder, "bound river-swim --json")).unwrap();
    let rows = json["lower_and_upper"].as_array().unwrap();
    assert_eq!(rows.len(), 4);
    let known = json["lower_bound_known_rewards"]["constant"].as_f64().unwrap();
    for (row, steps) in rows.iter().zip([1e3, 1e4, 1e5, 1e6]) {
        let number = |key: &str| row[key].as_f64().unwrap();
        assert_eq!(number("steps"), steps);
        assert!((number("lower_known_rewards") - known * steps.ln()).abs() < 1e-9);
        assert!(number("lower") < number("tucrl") && number("tucrl") <= steps);
    }
    assert_eq!(rows[3]["tucrl"], json["tucrl_total"]);
    let lost = answer(&folder, "bound three-state:delta=0");
    assert!(lost.contains("above ln T"), "{lost}");
    assert!(!lost.contains("above ln T        above"), "{lost}");
    let refused = said(&folder, "bound river-swim --figure bounds.pdf");
    let complaint = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(complaint, "error: bounds.pdf: a figure is .svg or .png: choose one of them\n");
}

const LEAGUE: &str = "name = \"small\"\ndescription = \"Who is who.\"\nsteps = 500\nseeds = 2\n\
    worlds = [\"three-state:delta=0\", \"theta\"]\nagents = [\"oracle\", \"psrl\", \"random\"]\n";

#[test]
fn a_league_is_one_page_with_its_provenance() {
    let folder = folder();
    fs::write(folder.path().join("small.toml"), LEAGUE).unwrap();
    let said = answer(&folder, "league small.toml --to page.md");
    assert!(said.ends_with("read  page.md\n"), "{said}");
    let page = fs::read_to_string(folder.path().join("page.md")).unwrap();
    let digest = blake3::hash(LEAGUE.as_bytes()).to_hex();
    for piece in [
        "<!-- Written by `tucrl league small.toml --to page.md`; do not edit. -->\n\nWho is who.\n",
        "| agent | mean place | three-state:delta=0 | theta |\n",
        "| theta | 2 | 2 | ",
        "| command | `tucrl league small.toml --to page.md` |\n",
        &format!("| experiment, blake3 | {} |\n", &digest[..16]),
        "| runs | 12 |\n",
        "| git revision | ",
        "| last run finished | 20",
    ] {
        assert!(page.contains(piece), "{piece} in {page}");
    }
    // Stored runs are not made again, and the page is the same.
    let again = answer(&folder, "league small.toml --to page.md");
    assert!(again.contains("12 of 12 runs done (12 before)"), "{again}");
    assert_eq!(fs::read_to_string(folder.path().join("page.md")).unwrap(), page);
    assert!(answer(&folder, "league small.toml").starts_with("# League table\n"));
}

#[test]
fn a_league_with_failed_runs_names_them_and_fails() {
    let folder = folder();
    let hasty = "\"ucrl:alpha=0.01,planner=plain,sweeps=5\"";
    let text = LEAGUE.replace("\"psrl\"", &format!("{{ spec = {hasty}, label = \"hasty\" }}"));
    fs::write(folder.path().join("small.toml"), text).unwrap();
    let output = said(&folder, "league small.toml --to page.md");
    assert_eq!(output.status.code(), Some(1));
    let page = fs::read_to_string(folder.path().join("page.md")).unwrap();
    assert!(page.contains("| hasty | "), "{page}");
    assert!(page.contains("- three-state:delta=0, hasty, run 1: "), "{page}");
}

/// The league table in the documents is that of the experiment in the repository, whole.
#[test]
fn the_committed_league_is_of_the_committed_experiment() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
    let text = fs::read_to_string(format!("{root}experiments/league.toml")).unwrap();
    let page = fs::read_to_string(format!("{root}docs/league.md")).unwrap();
    let digest = blake3::hash(text.as_bytes()).to_hex();
    assert!(page.contains(&format!("| experiment, blake3 | {} |", &digest[..16])), "make it anew");
    let command =
        "`tucrl league experiments/league.toml --to docs/league.md --guide docs/which-agent.md`";
    assert!(page.contains(command));
    let guide = fs::read_to_string(format!("{root}docs/which-agent.md")).unwrap();
    assert!(guide.contains(command) && guide.contains(&digest[..16]), "make it anew");
    // The experiment says why these are left out.
    let left_out = ["heuristic", "regal-c"];
    for entry in kinds().iter().map(AgentKind::about).filter(|one| !left_out.contains(&one.name)) {
        let names = |line: &str| {
            let spec = line.rsplit(" | `").next().and_then(|end| end.split('`').next());
            spec.is_some_and(|spec| spec.split(':').next() == Some(entry.name))
        };
        assert!(page.lines().any(names), "{} is not in the league", entry.name);
    }
    // With few samples a drawn MDP may be almost disconnected; every other agent runs in every world.
    let failed =
        page.split("## Failed runs\n\n").nth(1).and_then(|rest| rest.split("\n## ").next());
    for line in failed.unwrap_or_default().lines().filter(|line| !line.is_empty()) {
        assert!(line.contains(", Optimistic PSRL psi=5, "), "{line}");
    }
}

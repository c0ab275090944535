//! Do completions, manual pages, the doctor and labels of agents say what is there?
#![cfg(unix)]
// Helpers outside of test functions may unwrap as well.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;
use tucrl_lab::Catalogue;

fn tucrl(arguments: &[&str]) -> Output {
    let folder = TempDir::new().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tucrl"));
    command.current_dir(folder.path()).args(arguments).output().unwrap()
}

fn answer(arguments: &[&str]) -> String {
    let output = tucrl(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What bash offers after some words, the last of which is being written.
fn offered(words: &[&str]) -> Vec<String> {
    let script = answer(&["completions", "bash"]);
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let (last, before) = (words[words.len() - 1], words[words.len() - 2]);
    let asking = format!(
        "{script}\nCOMP_WORDS=({})\nCOMP_CWORD={}\n_tucrl tucrl '{last}' '{before}'\n\
         printf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
        quoted.join(" "),
        words.len() - 1
    );
    let output = Command::new("bash").args(["-c", &asking]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_verbs_flags_agents_and_worlds() {
    assert_eq!(offered(&["tucrl", "le"]), ["learn", "league"]);
    assert_eq!(offered(&["tucrl", "learn", "--checkp"]), ["--checkpoints"]);
    assert_eq!(offered(&["tucrl", "learn", "--regret", "ps"]), ["pseudo"]);
    let agents = offered(&["tucrl", "learn", "--agent", "tucrl"]);
    let known = Catalogue::default();
    let wanted: Vec<&str> = known.agents().iter().map(|kind| kind.about().name).collect();
    let wanted: Vec<&str> = wanted.into_iter().filter(|name| name.starts_with("tucrl")).collect();
    assert_eq!(agents, wanted);
    assert!(wanted.contains(&"tucrl-plus"));
    assert_eq!(offered(&["tucrl", "worlds", "three"]), ["three-state"]);
    assert_eq!(offered(&["tucrl", "inspect", "three"]), ["three-state"]);
}

#[test]
fn every_shell_gets_a_script_that_knows_the_verbs() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = answer(&["completions", shell]);
        for word in ["learn", "doctor", "checkpoint-seconds"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
        // The scripts of the other two have no values of flags.
        let has_values = ["bash", "zsh", "fish"].contains(&shell);
        assert_eq!(script.contains("tucrl-plus"), has_values, "{shell}");
    }
    let refused = tucrl(&["completions", "csh"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8(refused.stderr).unwrap().contains("bash"));
}

#[test]
fn every_verb_has_a_manual_page_with_its_examples() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("man/man1");
    let written = answer(&["man", "--out", out.to_str().unwrap()]);
    let mut pages: Vec<String> = fs::read_dir(&out)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    pages.sort();
    assert!(written.starts_with(&format!("wrote {} pages to ", pages.len())), "{written}");
    let help = answer(&["--help"]);
    let verbs = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let verbs = verbs.take_while(|line| !line.is_empty());
    // Names stand in the first column; descriptions may take several lines.
    let names = verbs.filter(|line| !line.starts_with("   ")).map(|line| line.trim_start());
    let names: Vec<&str> = names.filter_map(|line| line.split(' ').next()).collect();
    assert!(names.contains(&"learn") && names.contains(&"man"), "{names:?}");
    for name in names.into_iter().filter(|name| *name != "help") {
        assert!(pages.contains(&format!("tucrl-{name}.1")), "{name}: {pages:?}");
    }
    for page in ["tucrl.1", "tucrl-cluster-slurm.1"] {
        assert!(pages.iter().any(|name| name == page), "{page}");
    }
    let learn = fs::read_to_string(out.join("tucrl-learn.1")).unwrap();
    assert_eq!(learn, answer(&["man", "learn"]));
    assert!(learn.contains(".TH tucrl-learn 1"), "{learn}");
    // Examples keep their lines.
    let example = "\n.nf\nExamples:\n  tucrl learn three\\-state:delta=0 ";
    assert!(learn.contains(example) && learn.contains("\n.fi\n"), "{learn}");
    // Again: pages are replaced.
    answer(&["man", "--out", out.to_str().unwrap()]);
    let refused = tucrl(&["man", "lern"]);
    assert_eq!(refused.status.code(), Some(1));
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("no verb `lern`: `tucrl --help` lists them"), "{said}");
}

/// The findings of the doctor where only the programs of a folder are found, and its exit code.
fn findings(path: &Path, here: &Path, more: &[&str]) -> (Value, Option<i32>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tucrl"));
    command.env("PATH", path).current_dir(here).args(["doctor", "--json"]).args(more);
    let output = command.output().unwrap();
    (serde_json::from_slice(&output.stdout).unwrap(), output.status.code())
}

fn part<'a>(findings: &'a Value, name: &str) -> &'a Value {
    let mut checks = findings["checks"].as_array().unwrap().iter();
    checks.find(|check| check["part"] == name).unwrap()
}

#[test]
fn the_doctor_finds_what_is_there_and_says_what_the_rest_is_for() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().unwrap();
    let (here, bin) = (folder.path(), folder.path().join("bin"));
    fs::create_dir(&bin).unwrap();
    let program = |name: &str, script: &str| {
        let file = bin.join(name);
        fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    };
    let (bare, code) = findings(&bin, here, &[]);
    assert_eq!((&bare["ok"], code), (&Value::Bool(true), Some(0)));
    assert_eq!(bare["version"], env!("CARGO_PKG_VERSION"));
    for name in ["Python", "package", "Rust", "pdflatex", "Slurm", "npm"] {
        let check = part(&bare, name);
        assert_eq!((&check["state"], &check["found"]), (&"missing".into(), &Value::Null), "{name}");
        assert!(!check["needed_for"].as_str().unwrap().is_empty());
        assert!(!check["remedy"].as_str().unwrap().is_empty());
    }
    for name in ["cores", "memory", "disk"] {
        assert_eq!(part(&bare, name)["state"], "ok", "{name}");
    }
    let (needed, code) = findings(&bin, here, &["--need", "pdflatex"]);
    assert_eq!((&part(&needed, "pdflatex")["state"], code), (&"problem".into(), Some(1)));

    program("pdflatex", "echo 'pdfTeX 3.14 (made for this test)'");
    program("npm", "echo broken; exit 3");
    program("cargo", "echo 'cargo 1.87.0 (0123456789 2025-01-01)'");
    program("python3", "case $1 in --version) echo Python 3.9.1;; *) echo 0.0.1;; esac");
    let (some, code) = findings(&bin, here, &["--need", "pdflatex"]);
    assert_eq!(code, Some(0));
    assert_eq!(part(&some, "pdflatex")["found"], "3.14");
    // A program that fails, and three that are too old.
    for name in ["npm", "Python", "package", "Rust"] {
        assert_eq!(part(&some, name)["state"], "missing", "{name}");
    }
    let version = env!("CARGO_PKG_VERSION");
    program(
        "python3",
        &format!("case $1 in --version) echo Python 3.10.0;; *) echo {version};; esac"),
    );
    program("cargo", "echo 'cargo 1.100.0 (0123456789 2027-01-01)'");
    let (new, _) = findings(&bin, here, &[]);
    assert_eq!(part(&new, "Python")["found"], "3.10.0");
    assert_eq!(part(&new, "package")["found"], version);
    assert_eq!(part(&new, "Rust")["found"], "1.100.0");
    assert!(fs::read_dir(here).unwrap().count() == 1, "nothing is left behind");
    // For people.
    let page = answer(&["doctor"]);
    assert!(page.starts_with(&format!("tucrl {version}, ")), "{page}");
    assert!(page.contains("\nok       cores "), "{page}");
}

const LEARN: [&str; 8] =
    ["learn", "river-swim", "--steps", "200", "--seeds", "2", "--agent", "wide=ucrl"];

#[test]
fn a_label_before_a_spec_is_the_name_in_table_and_json() {
    let narrow = "narrow=ucrl:delta=0.01,alpha=0.1";
    let page = answer(&[&LEARN[..], &["--agent", narrow]].concat());
    assert!(page.contains("\nwide         ucrl\n"), "{page}");
    assert!(page.contains("\nnarrow       ucrl:delta=0.01,alpha=0.1\n"), "{page}");
    let head = page.lines().find(|line| line.starts_with("step ")).unwrap();
    assert_eq!(head.split_whitespace().collect::<Vec<_>>(), ["step", "wide", "narrow"]);

    let lines = answer(&[&LEARN[..], &["--agent", narrow, "--agent", "random", "--json"]].concat());
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let names: Vec<_> = lines.iter().map(|line| [&line["label"], &line["agent"]]).collect();
    let wanted = [["wide", "ucrl"], ["narrow", "ucrl:delta=0.01,alpha=0.1"], ["random", "random"]];
    assert_eq!(names, wanted.iter().flat_map(|pair| [pair, pair]).copied().collect::<Vec<_>>());
    // The label changes no run.
    let plain = answer(&["learn", "river-swim", "--steps", "200", "--agent", "ucrl", "--json"]);
    let plain: Value = serde_json::from_str(plain.lines().next().unwrap()).unwrap();
    assert_eq!(plain["regret"], lines[0]["regret"]);
}

#[test]
fn a_label_that_does_not_fit_is_explained_and_titles_stay_apart() {
    let long = "a label that is wider than a column=ucrl";
    let page = answer(&[&LEARN[..], &["--agent", long, "--agent", "ucrl (2)=random"]].concat());
    let head = page.lines().find(|line| line.starts_with("step ")).unwrap();
    assert!(head.ends_with("wide              ucrl (3)              ucrl (2)"), "{page}");
    assert!(page.contains("\nucrl (3)     a label that is wider than a column=ucrl\n"), "{page}");
    assert!(page.contains("\nucrl (2)     random\n"), "{page}");
}

#[test]
fn what_is_no_label_is_refused_with_the_remedy() {
    let said = |agents: &[&str]| {
        let flags = agents.iter().flat_map(|agent| ["--agent", agent]);
        let output =
            tucrl(&["learn", "theta", "--steps", "9"].into_iter().chain(flags).collect::<Vec<_>>());
        assert_eq!(output.status.code(), Some(1), "{agents:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(said(&["=ucrl"]).contains("write label=spec"), "{}", said(&["=ucrl"]));
    assert!(said(&["a\nb=ucrl"]).contains("a short text of one line"));
    assert!(said(&[&format!("{}=ucrl", "x".repeat(81))]).contains("a short text of one line"));
    assert!(said(&["mine=ucrk"]).contains("did you mean `ucrl`?"));
    assert!(said(&["mine=ucrl", "mine=random"]).contains("the agent mine"));
    // An equals sign after the colon belongs to a key.
    answer(&["learn", "theta", "--steps", "9", "--agent", "ucrl:alpha=0.5"]);
}

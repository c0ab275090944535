//! Do the commands that README and docs show work, and print what is shown below them?
//!
//! A block `sh` has commands; so has a block `console`, behind `$ `. A block `text` that follows a block of one
//! command in the same section, or stands below `$ ` inside its own block, is what that command prints.
#![cfg(unix)]
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// Commands that are not executed here as they stand: how they begin, what is executed instead (nothing if empty),
/// and why.
const ELSEWHERE: &[(&str, &str, &str)] = &[
    ("cargo ", "", "builds the program; ./test does that"),
    ("pip install", "", "./test builds and installs the wheel"),
    ("python3 benchmarks/", "", "measures for minutes"),
    ("python solve_peer.py", "", "measures other packages"),
    ("/usr/bin/time", "", "needs 6 GB of memory"),
    ("tucrl bench --solve", "", "names a file of the reader's"),
    ("tucrl import", "", "names a file of the reader's; importing.rs imports some"),
    ("tucrl bench", "tucrl bench --help", "measures for minutes"),
    ("tucrl reproduce --plan", "tucrl reproduce --plan", ""),
    (
        "tucrl reproduce",
        "tucrl reproduce --plan",
        "computes for minutes; reproducing.rs runs claims",
    ),
    (
        "tucrl run first.toml --out /scratch/first",
        "export SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_COUNT=60; tucrl run first.toml --out shards \
         --shard \"$((SLURM_ARRAY_TASK_ID + 1))/$SLURM_ARRAY_TASK_COUNT\"",
        "the directory is the reader's",
    ),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A command of a document.
#[derive(Debug)]
struct Shown {
    /// File and line.
    place: String,
    command: String,
    /// The lines that it is said to print.
    prints: Vec<String>,
}

/// A fenced block.
struct Block<'a> {
    kind: &'a str,
    /// How many headings stand before it.
    section: usize,
    /// Numbered from 1.
    lines: Vec<(usize, &'a str)>,
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let (mut blocks, mut section) = (Vec::new(), 0);
    let mut lines = text.lines().enumerate().map(|(number, line)| (number + 1, line));
    while let Some((_, line)) = lines.next() {
        section += usize::from(line.starts_with('#'));
        let Some(kind) = line.strip_prefix("```") else { continue };
        let lines = lines.by_ref().take_while(|(_, line)| !line.starts_with("```")).collect();
        blocks.push(Block { kind, section, lines });
    }
    blocks
}

/// The commands of a document, in order.
fn commands(name: &str, text: &str) -> Vec<Shown> {
    let mut shown: Vec<Shown> = Vec::new();
    // The section of the block before, if it was one command.
    let mut alone = None;
    for Block { kind, section, lines } in blocks(text) {
        let before = shown.len();
        let holds_command = lines.first().is_some_and(|(_, line)| line.starts_with("$ "));
        match kind {
            "sh" | "console" => {
                for (number, line) in lines {
                    let line = line.strip_prefix("$ ").unwrap_or(line);
                    match shown.get_mut(before..).and_then(<[_]>::last_mut) {
                        Some(last) if is_open(&last.command) => {
                            last.command = format!("{}\n{line}", last.command);
                        }
                        _ => {
                            let (place, command) = (format!("{name}:{number}"), line.to_owned());
                            shown.push(Shown { place, command, prints: Vec::new() });
                        }
                    }
                }
            }
            "text" if holds_command => {
                let (number, command) = lines[0];
                let (place, command) = (format!("{name}:{number}"), command[2..].to_owned());
                let prints = lines[1..].iter().map(|(_, line)| (*line).to_owned()).collect();
                shown.push(Shown { place, command, prints });
            }
            "text" if alone == Some(section) => {
                let prints = lines.iter().map(|(_, line)| (*line).to_owned()).collect();
                shown[before - 1].prints = prints;
            }
            _ => {}
        }
        alone = (kind == "sh" && shown.len() == before + 1).then_some(section);
    }
    shown
}

/// Whether a command goes on in the next line: a backslash at its end, or a quote that is not closed.
fn is_open(command: &str) -> bool {
    command.ends_with('\\') || command.matches('"').count() % 2 == 1
}

/// The experiment that README runs stands in the manual of experiments.
fn write_first_experiment(folder: &Path) {
    let experiments = fs::read_to_string(root().join("docs/experiments.md")).unwrap();
    let first = experiments.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    assert!(first.starts_with("name = \"first\""), "{first}");
    fs::write(folder.join("first.toml"), first).unwrap();
}

/// Checks that the lines that a document shows were printed, one after the other.
fn assert_shown(what: &str, shown: &[String], printed: &[u8]) {
    let printed = String::from_utf8(printed.to_vec()).unwrap();
    let lines = |text: &str| -> Vec<String> {
        let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
        lines.map(str::to_owned).collect()
    };
    let (wanted, printed) = (lines(&shown.join("\n")), lines(&printed));
    let found = printed.windows(wanted.len()).any(|window| *window == wanted[..]);
    assert!(found, "{what}\nshown: {wanted:#?}\nprinted: {printed:#?}");
}

#[test]
fn every_command_of_the_documents_works_and_prints_what_is_shown() {
    let folder = TempDir::new().unwrap();
    write_first_experiment(folder.path());
    let program = Path::new(env!("CARGO_BIN_EXE_tucrl")).parent().unwrap();
    let mut path = OsString::from(program);
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());

    let mut documents = vec![root().join("README.md"), root().join("paper/paper.md")];
    for folder in ["docs", "docs/agents"] {
        let entries = fs::read_dir(root().join(folder)).unwrap();
        documents.extend(entries.map(|entry| entry.unwrap().path()));
    }
    documents.retain(|document| document.extension().is_some_and(|ending| ending == "md"));
    documents[2..].sort();
    let (mut executed, mut compared) = (0, 0);
    for document in documents {
        let name = document.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
        for shown in commands(&name, &fs::read_to_string(&document).unwrap()) {
            let Shown { place, command, prints } = shown;
            let instead = ELSEWHERE.iter().find(|(start, ..)| command.starts_with(start));
            let script = instead.map_or(command.as_str(), |(_, instead, _)| *instead);
            if script.is_empty() {
                continue;
            }
            // Where the first experiment was run before, the same command continues it.
            let script = script.replace("tucrl run first.toml ", "tucrl run first.toml --resume ");
            let mut shell = Command::new("bash");
            // Without `pipefail`: a command whose reader, such as `head`, has read enough is not at fault.
            shell.args(["-eu", "-c", &script]);
            let output = shell.env("PATH", &path).current_dir(folder.path()).output().unwrap();
            let complaint = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{place}: {command}\n{complaint}");
            executed += 1;
            if prints.is_empty() {
                continue;
            }
            assert_shown(&format!("{place}: {command}"), &prints, &output.stdout);
            compared += 1;
        }
    }
    // The parser did not overlook them.
    assert!(executed >= 47 && compared >= 4, "{executed} executed, {compared} compared");
}

/// The blocks of README in order, in the environment that `.ci/from-nothing` makes: the folder has the tree, and the variables
/// in the file `environment`.
#[test]
#[ignore = "needs an installation: run .ci/from-nothing"]
fn readme_works_from_top_to_bottom_in_an_environment_of_its_own() {
    let folder = std::env::var_os("TUCRL_FROM_NOTHING");
    let folder = PathBuf::from(folder.expect("set by .ci/from-nothing, which runs this test"));
    let variables = fs::read_to_string(folder.join("environment")).unwrap();
    let variables = || variables.lines().filter_map(|line| line.split_once('='));
    let tree = folder.join("tree");
    write_first_experiment(&tree);
    let text = fs::read_to_string(tree.join("README.md")).unwrap();
    let mut steps: Vec<(usize, [String; 3], Vec<String>)> = Vec::new();
    let line_of = |place: &str| place.rsplit(':').next().unwrap().parse().unwrap();
    for Shown { place, command, prints } in commands("README.md", &text) {
        // All claims take minutes; this one seconds.
        let command = match command.ends_with(" reproduce") {
            true => format!("{command} regimes"),
            false => command,
        };
        steps.push((line_of(&place), ["bash".into(), "-euc".into(), command], prints));
    }
    for block in blocks(&text).into_iter().filter(|block| block.kind == "python") {
        let code: Vec<&str> = block.lines.iter().map(|(_, line)| *line).collect();
        // What it prints depends on the version of Gymnasium; test_documents.py compares it.
        let words = ["python".into(), "-c".into(), code.join("\n")];
        steps.push((block.lines[0].0, words, Vec::new()));
    }
    steps.sort_by_key(|step| step.0);
    for (line, words, prints) in &steps {
        println!("-- README.md:{line}: {}", words[2]);
        let mut command = Command::new("/usr/bin/env");
        command.env_clear().envs(variables()).current_dir(&tree).args(words);
        let output = command.output().unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "README.md:{line}: {}\n{complaint}", words[2]);
        if !prints.is_empty() {
            assert_shown(&format!("README.md:{line}"), prints, &output.stdout);
        }
    }
    assert!(steps.len() >= 5, "the parser overlooked some: {steps:#?}");
}

//! Do results survive whatever happens to the process, the disk and the files?
//!
//! The measure is always the same: in the end the bodies of all run files are, byte for byte, those of a
//! run that nothing disturbed.
#![cfg(unix)]
// Helpers outside of test functions may unwrap as well.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

mod crashes;
mod disks;
mod malformed;
mod odd;
mod parts;
mod refused;
mod status;
mod version_1;
mod worlds;

const EXPERIMENT: &str = r#"
name = "small"
steps = 3e5
seeds = 2
worlds = ["three-state:delta=0", { spec = "river-swim", steps = 1e6 }]
agents = [
    "tucrl:alpha=0.05",
    { spec = "scal:c=5,alpha=0.05", label = "SCAL" },
    "optimistic-q",
    "oracle",
    "ucrl2:alpha=0.1,known_rewards=true",
]
"#;
const CELLS: usize = 20;

/// A folder with an experiment.
struct Lab {
    folder: TempDir,
}

impl Lab {
    fn new() -> Self {
        Self::with(EXPERIMENT)
    }

    fn with(experiment: &str) -> Self {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("exp.toml"), experiment).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The command with arguments split at blanks.
    fn tucrl(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tucrl"));
        command.current_dir(self.folder.path()).args(arguments.split(' '));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn said(&self, arguments: &str) -> Output {
        self.tucrl(arguments).output().unwrap()
    }

    /// What a command prints when it succeeds.
    fn answer(&self, arguments: &str) -> String {
        let output = self.said(arguments);
        assert!(output.status.success(), "{arguments}: {}", complaint(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Files in the folder of runs that end so, in order.
    fn files(&self, out: &str, ending: &str) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.path(out).join("runs")) else { return Vec::new() };
        let paths = entries.map(|entry| entry.unwrap().path());
        let mut files: Vec<PathBuf> =
            paths.filter(|path| path.to_string_lossy().ends_with(ending)).collect();
        files.sort();
        files
    }

    /// The body of every run, by the name of its file.
    fn bodies(&self, out: &str) -> BTreeMap<String, String> {
        let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
        let body =
            |path: &Path| fs::read_to_string(path).unwrap().lines().nth(1).unwrap().to_string();
        self.files(out, ".run").iter().map(|path| (name(path), body(path))).collect()
    }

    /// Complete, undisturbed in the end, and without leftovers.
    fn assert_whole(&self, out: &str) {
        let bodies = self.bodies(out);
        let reference = reference();
        assert!(bodies.keys().eq(reference.keys()));
        for (name, body) in &bodies {
            assert!(*body == reference[name], "{name} differs");
        }
        assert_eq!(self.files(out, ".state"), Vec::<PathBuf>::new());
        let status: Value =
            serde_json::from_str(&self.answer(&format!("status {out} --json"))).unwrap();
        assert_eq!(status["done"], CELLS);
    }
}

fn complaint(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The bodies of a run that nothing disturbed.
fn reference() -> &'static BTreeMap<String, String> {
    static REFERENCE: OnceLock<BTreeMap<String, String>> = OnceLock::new();
    REFERENCE.get_or_init(|| {
        let lab = Lab::new();
        let answer = lab.answer("run exp.toml --jobs 1");
        assert_eq!(
            answer,
            format!("out/small: {CELLS} of {CELLS} runs done\nnext  tucrl report out/small\n")
        );
        let bodies = lab.bodies("out/small");
        assert_eq!(bodies.len(), CELLS);
        bodies
    })
}

#[test]
fn threads_shards_and_parts_give_the_same_bytes() {
    let lab = Lab::new();
    lab.answer("run exp.toml --out two --jobs 2");
    lab.assert_whole("two");
    for part in [3, 1, 2] {
        lab.answer(&format!("run exp.toml --out shards --shard {part}/3 --checkpoint-seconds 0"));
    }
    lab.assert_whole("shards");
    lab.answer("run exp.toml --out parts --only river*#1");
    assert_eq!(lab.bodies("parts").len(), 5);
    let answer = lab.answer("run exp.toml --out parts --resume");
    let done = format!("parts: {CELLS} of {CELLS} runs done (5 before)\n");
    assert_eq!(answer, done + "next  tucrl report parts\n");
    lab.assert_whole("parts");
}

#[test]
fn processes_that_share_a_directory_do_not_disturb_each_other() {
    let lab = Lab::new();
    let command = "run exp.toml --out shared --resume --jobs 1 --checkpoint-seconds 0";
    let children: Vec<_> = (0..3).map(|_| lab.tucrl(command).spawn().unwrap()).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", complaint(&output));
        assert_eq!(complaint(&output), "");
    }
    // A slower process may have left a checkpoint of a cell that another had finished.
    lab.answer("run exp.toml --out shared --resume");
    lab.assert_whole("shared");
}

#[test]
fn an_interrupted_run_goes_on_where_it_was() {
    let lab = Lab::new();
    let command = "run exp.toml --out stopped --resume --jobs 2";
    let mut stops = 0;
    for pause in (40..).step_by(15) {
        let child = lab.tucrl(command).spawn().unwrap();
        thread::sleep(Duration::from_millis(pause));
        // The process may have ended already; then `kill` fails, which is ignored.
        let signal = if stops % 2 == 0 { "-INT" } else { "-TERM" };
        Command::new("kill").args([signal, &child.id().to_string()]).output().unwrap();
        let output = child.wait_with_output().unwrap();
        match output.status.code() {
            Some(0) => break,
            Some(130) => {
                stops += 1;
                let said = String::from_utf8_lossy(&output.stdout).into_owned();
                let next = " left\nnext  tucrl run exp.toml --out stopped --resume\n";
                assert!(said.ends_with(next), "{said}");
            }
            // Before it began to listen.
            None => {}
            code => panic!("{code:?}: {}", complaint(&output)),
        }
    }
    assert!(stops > 1, "{stops}");
    lab.assert_whole("stopped");
    let sessions = |path: &PathBuf| {
        let text = fs::read_to_string(path).unwrap();
        let header: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        header["provenance"]["sessions"].as_u64().unwrap()
    };
    assert!(lab.files("stopped", ".run").iter().map(sessions).max() > Some(1));
}

#[test]
fn a_directory_belongs_to_one_experiment() {
    let lab = Lab::new();
    lab.answer("run exp.toml --out a --only oracle");
    let refused = |command: &str| {
        let output = lab.said(command);
        assert_eq!(output.status.code(), Some(1), "{command}");
        complaint(&output)
    };
    assert_eq!(
        refused("run exp.toml --out a"),
        "error: a: the directory already holds results: continue them with --resume, or choose \
         another with --out\n"
    );
    let more = EXPERIMENT.replace("seeds = 2", "seeds = 3");
    fs::write(lab.path("more.toml"), more).unwrap();
    assert_eq!(
        refused("run more.toml --out a --resume"),
        "error: a: the directory belongs to another experiment: `seeds` is 2 there and 3 here: \
         choose another with --out\n"
    );
    // Other words for the same experiment are welcome.
    let same = EXPERIMENT.replace("3e5", "300_000").replace("\"oracle\",", "\"oracle\", # best");
    fs::write(lab.path("same.toml"), same).unwrap();
    lab.answer("run same.toml --out a --resume --only oracle");
    fs::create_dir(lab.path("photos")).unwrap();
    fs::write(lab.path("photos/cat.jpg"), "meow").unwrap();
    assert_eq!(
        refused("run exp.toml --out photos --resume"),
        "error: photos: the directory is not empty and holds no experiment: choose another with \
         --out\n"
    );
    assert_eq!(
        refused("status photos"),
        "error: photos: there is no experiment here: create one with `tucrl run`\n"
    );
    assert_eq!(
        refused("run exp.toml --out b --only absent"),
        "error: no run matches \"absent\": `tucrl run --list` shows them as they are matched\n"
    );
}

#[test]
fn the_list_shows_the_runs_and_does_nothing() {
    let lab = Lab::new();
    let list = lab.answer("run exp.toml --list --only SCAL");
    assert_eq!(
        list,
        "three-state:delta=0 SCAL #0  300000 steps\nthree-state:delta=0 SCAL #1  300000 steps\n\
         river-swim SCAL #0  1000000 steps\nriver-swim SCAL #1  1000000 steps\n\
         4 runs, 2600000 steps\n"
    );
    assert!(!lab.path("out").exists());
}

#[test]
fn a_model_file_that_changes_makes_another_experiment() {
    // On its own, and inside another world.
    for (world, stem) in
        [("m.json", "m.json"), ("junk:base=(m.json),factor=10", "junk-base-m.json-factor-10")]
    {
        let lab = Lab::with(&format!(
            "name = \"file\"\nsteps = 1e4\nseeds = 1\nworlds = [\"{world}\"]\nagents = [\"tucrl\"]\n",
        ));
        lab.answer("export three-state:delta=0.1 --to m.json");
        lab.answer("run exp.toml --only tucrl");
        lab.answer("run exp.toml --resume");
        lab.answer("export three-state:delta=0.2 --to m.json --force");
        let said = complaint(&lab.said("run exp.toml --resume"));
        assert!(said.starts_with(&format!("error: out/file/runs/{stem}_tucrl_r0000_")), "{said}");
        assert!(
            said.contains(": this is no run of the experiment: a model file has changed"),
            "{said}"
        );
    }
}

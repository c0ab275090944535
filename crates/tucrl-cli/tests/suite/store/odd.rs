//! What if the folder of runs has things in it that no run of ours made?

use std::fs;
use std::process::Command;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use super::{Lab, complaint};

const SMALL: &str = r#"
name = "odd"
steps = 1e4
seeds = 2
worlds = ["three-state:delta=0"]
agents = ["tucrl", "random"]
"#;

fn status(lab: &Lab, out: &str) -> Value {
    serde_json::from_str(&lab.answer(&format!("status {out} --json"))).unwrap()
}

#[test]
fn a_folder_or_a_pipe_under_the_name_of_a_run_is_damage() {
    let lab = Lab::with(SMALL);
    lab.answer("run exp.toml --out a");
    let (files, bodies) = (lab.files("a", ".run"), lab.bodies("a"));
    for file in &files[..2] {
        fs::remove_file(file).unwrap();
    }
    fs::create_dir(&files[0]).unwrap();
    fs::write(files[0].join("inside"), "precious").unwrap();
    assert!(Command::new("mkfifo").arg(&files[1]).status().unwrap().success());
    // Of no cell: not a run at all.
    fs::create_dir(lab.path("a/runs/photos.run")).unwrap();
    let seen = status(&lab, "a");
    assert_eq!((&seen["done"], &seen["damaged"]), (&2.into(), &2.into()));
    let output = lab.said("report a");
    assert!(output.status.success(), "{}", complaint(&output));
    assert_eq!(complaint(&output).matches("the file is damaged: it is no file").count(), 2);
    let output = lab.said("run exp.toml --out a --resume");
    assert!(output.status.success(), "{}", complaint(&output));
    assert_eq!(complaint(&output).matches("the file is damaged: it is no file").count(), 2);
    assert_eq!(lab.files("a", ".damaged").len(), 2);
    let kept = format!("{}.damaged/inside", files[0].display());
    assert_eq!(fs::read_to_string(kept).unwrap(), "precious");
    fs::remove_dir(lab.path("a/runs/photos.run")).unwrap();
    assert_eq!(lab.bodies("a"), bodies);
    assert_eq!(status(&lab, "a")["done"], 4);
}

#[test]
fn a_folder_or_a_pipe_under_the_name_of_a_checkpoint_is_damage() {
    let lab = Lab::with(SMALL);
    lab.answer("run exp.toml --out a");
    let (file, bodies) = (lab.files("a", ".run").remove(0), lab.bodies("a"));
    let stem = file.to_string_lossy().strip_suffix(".run").unwrap().to_owned();
    fs::remove_file(&file).unwrap();
    fs::create_dir(format!("{stem}.00000000.state")).unwrap();
    assert!(
        Command::new("mkfifo").arg(format!("{stem}.11111111.state")).status().unwrap().success()
    );
    assert_eq!(status(&lab, "a")["missing"], 1);
    let output = lab.said("run exp.toml --out a --resume");
    assert!(output.status.success(), "{}", complaint(&output));
    assert_eq!(complaint(&output).matches("the file is damaged: it is no file").count(), 2);
    assert_eq!(lab.bodies("a"), bodies);
    assert_eq!(lab.files("a", ".damaged").len(), 2);
    // Of a cell that is finished: it would stay forever.
    fs::create_dir(format!("{stem}.22222222.state")).unwrap();
    fs::write(format!("{stem}.22222222.state/inside"), "precious").unwrap();
    lab.answer("run exp.toml --out a --resume");
    assert_eq!(lab.files("a", ".state"), Vec::<std::path::PathBuf>::new());
    let kept = fs::read_to_string(format!("{stem}.22222222.state.damaged/inside"));
    assert_eq!(kept.unwrap(), "precious");
}

/// Writes another version into the header and seals the file anew.
fn with_version(text: &str, version: u64) -> String {
    let sealed = text[..text.rfind("blake3 ").unwrap()].replacen(
        "\"version\":4",
        &format!("\"version\":{version}"),
        1,
    );
    format!("{sealed}blake3 {}\n", blake3::hash(sealed.as_bytes()).to_hex())
}

#[test]
fn a_newer_run_is_newer_and_version_0_is_damage() {
    let lab = Lab::with(SMALL);
    lab.answer("run exp.toml --out a");
    let files = lab.files("a", ".run");
    let texts: Vec<String> = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    fs::write(&files[0], with_version(&texts[0], 5)).unwrap();
    fs::write(&files[1], with_version(&texts[1], 0)).unwrap();
    let seen = status(&lab, "a");
    assert_eq!(
        (&seen["done"], &seen["damaged"], &seen["newer"]),
        (&2.into(), &1.into(), &1.into())
    );
    let page = lab.answer("status a");
    assert!(page.contains("\nnewer: three-state:delta=0 "), "{page}");
    assert!(page.contains("has version 5 of its format and this program knows 4: use a newer"));
    assert!(page.contains("damaged: ") && page.contains("there is no version 0 of its format"));
    // It is not set aside: the program that wrote it can use it.
    let output = lab.said("run exp.toml --out a --resume");
    assert_eq!(output.status.code(), Some(1));
    assert!(complaint(&output).ends_with("this program knows 4: use a newer tucrl\n"));
    fs::write(&files[0], &texts[0]).unwrap();
    lab.answer("run exp.toml --out a --resume");
    let aside = lab.files("a", ".damaged");
    assert_eq!(aside.len(), 1);
    assert!(aside[0].to_string_lossy().starts_with(&*files[1].to_string_lossy()));
    assert_eq!(status(&lab, "a")["done"], 4);
}

#[test]
fn a_checkpoint_from_the_future_is_not_running() {
    let lab =
        Lab::with(&SMALL.replace("1e4", "1e10").replace("\"tucrl\", \"random\"", "\"oracle\""));
    let mut child =
        lab.tucrl("run exp.toml --out a --jobs 1 --checkpoint-seconds 0.05").spawn().unwrap();
    for _ in 0..400 {
        std::thread::sleep(Duration::from_millis(25));
        if !lab.files("a", ".state").is_empty() {
            break;
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let state = lab.files("a", ".state").remove(0);
    let dated = |ahead: u64| {
        let file = fs::File::options().write(true).open(&state).unwrap();
        file.set_modified(SystemTime::now() + Duration::from_secs(ahead)).unwrap();
        status(&lab, "a")
    };
    // The clock of another machine may be a little ahead.
    let seen = dated(20);
    assert_eq!((&seen["running"], &seen["paused"]), (&1.into(), &0.into()));
    assert_eq!(seen["cells"][0]["age_seconds"], 0);
    let seen = dated(1_000_000);
    assert_eq!((&seen["running"], &seen["paused"]), (&0.into(), &1.into()));
    assert_eq!(seen["cells"][0].get("age_seconds"), None);
    let page = lab.answer("status a");
    assert!(page.contains(" of 10000000000, stored on a date in the future\n"), "{page}");
}

#[test]
fn a_million_runs_with_many_checkpoints_fit_into_a_gigabyte() {
    let lab = Lab::with(
        "name = \"mem\"\nsteps = 1e6\nseeds = 1e6\ncheckpoints = 10000\n\
         worlds = [\"three-state:delta=0\"]\nagents = [\"tucrl\"]\n",
    );
    let output = Command::new("sh")
        .args(["-c", "ulimit -v 1000000; exec $TUCRL run exp.toml --list"])
        .current_dir(lab.folder.path())
        .env("TUCRL", env!("CARGO_BIN_EXE_tucrl"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", complaint(&output));
    let list = String::from_utf8(output.stdout).unwrap();
    assert_eq!(list.lines().count(), 1_000_001);
    assert!(list.ends_with("#999999  1000000 steps\n1000000 runs, 1000000000000 steps\n"));
}

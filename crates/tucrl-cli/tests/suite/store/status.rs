//! Does `tucrl status` count the runs correctly, and are failed runs stored?

use std::fs;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;

use super::{Lab, complaint};

const WITH_FAILURES: &str = r#"
name = "failing"
steps = 1e5
seeds = 2
worlds = ["three-state:delta=0"]
agents = ["random", { spec = "ucrl:alpha=0.01,planner=plain,sweeps=5", label = "hasty" }]
"#;

fn status(lab: &Lab, out: &str) -> Value {
    serde_json::from_str(&lab.answer(&format!("status {out} --json"))).unwrap()
}

#[test]
fn a_failed_run_is_kept_with_its_error_and_the_rest_goes_on() {
    let lab = Lab::with(WITH_FAILURES);
    let output = lab.said("run exp.toml");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "out/failing: 2 of 4 runs done, 2 failed\nnext  tucrl report out/failing\n"
    );
    let said = complaint(&output);
    assert_eq!(said.matches("error: three-state:delta=0 hasty #").count(), 2, "{said}");
    assert!(said.contains("did not converge: after 5 sweeps"), "{said}");
    let bodies = lab.bodies("out/failing");
    let failed: Vec<Value> = bodies
        .values()
        .map(|body| serde_json::from_str(body).unwrap())
        .filter(|body: &Value| !body["error"].is_null())
        .collect();
    assert_eq!(failed.len(), 2);
    assert!(failed.iter().all(|body| body["record"]["steps"].as_u64().unwrap() < 100_000));
    // They are not run again unless that is asked for, and the exit code still tells.
    let written = |lab: &Lab| -> Vec<_> {
        let files = lab.files("out/failing", ".run");
        files.iter().map(|file| fs::metadata(file).unwrap().modified().unwrap()).collect()
    };
    let before = written(&lab);
    let output = lab.said("run exp.toml --resume");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "out/failing: 2 of 4 runs done (2 before), 2 failed (--retry-failed runs them again)\n\
         next  tucrl report out/failing\n"
    );
    assert_eq!(written(&lab), before);
    let output = lab.said("run exp.toml --resume --retry-failed --checkpoint-seconds 0");
    assert_eq!(output.status.code(), Some(1));
    assert_ne!(written(&lab), before);
    assert_eq!(lab.bodies("out/failing"), bodies);
    let status = status(&lab, "out/failing");
    assert_eq!((&status["done"], &status["failed"]), (&2.into(), &2.into()));
    let page = lab.answer("status out/failing");
    assert!(page.contains("\nworld                agent      done   failed\n"), "{page}");
    assert!(page.contains("\nfailed: three-state:delta=0 hasty #1: "), "{page}");
}

#[test]
fn a_run_under_way_is_running_then_paused_and_missing_ones_are_missing() {
    let lab = Lab::with(
        &WITH_FAILURES
            .replace("1e5", "1e10")
            .replace("hasty", "slow")
            .replace("ucrl:alpha=0.01,planner=plain,sweeps=5", "oracle"),
    );
    let child =
        lab.tucrl("run exp.toml --out a --jobs 1 --checkpoint-seconds 0.05").spawn().unwrap();
    let mut seen = Value::Null;
    for _ in 0..200 {
        thread::sleep(Duration::from_millis(25));
        if !lab.files("a", ".state").is_empty() {
            seen = status(&lab, "a");
            break;
        }
    }
    assert_eq!((&seen["running"], &seen["missing"]), (&1.into(), &3.into()));
    let running = seen["cells"].as_array().unwrap().iter().find(|c| c["status"] == "running");
    let running = running.unwrap();
    assert!(running["step"].as_u64().unwrap() > 0 && running["age_seconds"].as_u64().unwrap() < 5);
    Command::new("kill").args(["-INT", &child.id().to_string()]).output().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "a: 0 of 4 runs done, 4 left\n\
         next  tucrl run exp.toml --out a --resume\n"
    );
    let seen = status(&lab, "a");
    assert_eq!((&seen["paused"], &seen["missing"]), (&1.into(), &3.into()));
    let page = lab.answer("status a");
    assert!(page.contains("\npaused: three-state:delta=0 "), "{page}");
    assert!(page.contains(" of 10000000000, stored "), "{page}");
    // What it says to type works.
    let next = page.lines().last().unwrap().strip_prefix("next  tucrl ").unwrap();
    assert_eq!(next, "run a/experiment.toml --out a --resume");
    assert!(lab.said(&format!("{next} --list")).status.success());
}

/// Runs that take an hour, of agents that can be saved.
fn long() -> Lab {
    let oracle = WITH_FAILURES.replace("ucrl:alpha=0.01,planner=plain,sweeps=5", "oracle");
    Lab::with(&oracle.replace("1e5", "1e10"))
}

#[test]
fn a_run_is_seen_from_its_first_second_and_again_when_it_goes_on() {
    let lab = long();
    for _ in 0..2 {
        // Checkpoints are taken every 20 seconds, as by default.
        let mut child = lab.tucrl("run exp.toml --out a --jobs 1 --resume").spawn().unwrap();
        let is_running =
            || lab.path("a/experiment.toml").exists() && status(&lab, "a")["running"] == 1;
        let clock = Instant::now();
        while !is_running() {
            assert!(clock.elapsed() < Duration::from_secs(5), "{}", status(&lab, "a"));
            thread::sleep(Duration::from_millis(20));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        // As if it had been killed an hour ago.
        let hour_ago = SystemTime::now() - Duration::from_secs(3600);
        for file in lab.files("a", ".state") {
            let file = fs::File::options().write(true).open(file).unwrap();
            file.set_modified(hour_ago).unwrap();
        }
        assert_eq!(status(&lab, "a")["paused"], 1);
    }
}

#[test]
fn without_a_terminal_progress_is_logged() {
    let lab = long();
    for command in ["run exp.toml --jobs 1", "learn two-state --agent oracle --steps 1e10 --jobs 1"]
    {
        let child = lab.tucrl(command).env("TUCRL_LOG_SECONDS", "0.3").spawn().unwrap();
        thread::sleep(Duration::from_millis(1500));
        Command::new("kill").args(["-INT", &child.id().to_string()]).output().unwrap();
        let output = child.wait_with_output().unwrap();
        let said = complaint(&output);
        let lines: Vec<&str> = said.lines().filter(|line| line.starts_with("progress: ")).collect();
        assert!(lines.len() >= 2, "{said}");
        let cell = match command.starts_with("run") {
            true => "three-state:delta=0 random #0",
            false => "two-state oracle #0",
        };
        let names = |line: &&str| line.contains(&format!(" % done, 0 of 4 runs ended; {cell} at "));
        assert!(lines.iter().all(names), "{said}");
    }
}

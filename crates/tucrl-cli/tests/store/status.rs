//! Does `tucrl status` count the runs correctly, and are failed runs stored?

use std::fs;
use std::process::Command;
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::{Lab, complaint};

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
        "out/failing: 2 of 4 runs done, 2 failed\n"
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
        "out/failing: 2 of 4 runs done (2 before), 2 failed (--retry-failed runs them again)\n"
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
        "a: 0 of 4 runs done, 4 left: continue with --resume\n"
    );
    let seen = status(&lab, "a");
    assert_eq!((&seen["paused"], &seen["missing"]), (&1.into(), &3.into()));
    let page = lab.answer("status a");
    assert!(page.contains("\npaused: three-state:delta=0 "), "{page}");
    assert!(page.contains(" of 10000000000, stored "), "{page}");
}

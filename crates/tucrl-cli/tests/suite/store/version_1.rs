//! Do the verbs work on a directory that the program before its redesign wrote?

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{Lab, complaint};

/// A lab with a copy of a directory of version 1 in `old`.
fn lab(name: &str) -> Lab {
    let lab = Lab::with("");
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tucrl-lab/tests/data").join(name);
    fs::create_dir_all(lab.path("old/runs")).unwrap();
    fs::copy(data.join("experiment.toml"), lab.path("old/experiment.toml")).unwrap();
    for entry in fs::read_dir(data.join("runs")).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), lab.path("old/runs").join(entry.file_name())).unwrap();
    }
    lab
}

fn status(lab: &Lab) -> Value {
    serde_json::from_str(&lab.answer("status old --json")).unwrap()
}

#[test]
fn status_report_and_compare_read_it() {
    let lab = lab("version-1");
    let seen = status(&lab);
    assert_eq!((&seen["done"], &seen["failed"]), (&12.into(), &4.into()));
    assert!(lab.answer("status old").starts_with("version-1: 12 of 16 runs done\n"));
    let report = lab.answer("report old");
    assert!(report.starts_with("version-1: 16 runs, 4 failed\n"), "{report}");
    assert!(lab.path("old/report/report.html").is_file());
    // Some of the cells computed now: `scal` without a bound on the span is refused by now.
    let text = fs::read_to_string(lab.path("old/experiment.toml")).unwrap();
    fs::write(lab.path("now.toml"), text.replace("    \"scal\",\n", "")).unwrap();
    let output = lab.said("run now.toml --out now");
    assert_eq!(output.status.code(), Some(1));
    // Plans of `ucrl` start warm by now: one of the hasty runs has sweeps enough.
    assert!(output.stdout.starts_with(b"now: 9 of 12 runs done, 3 failed\n"));
    let json: Value = serde_json::from_str(&lab.answer("compare old now --json")).unwrap();
    assert_eq!(json["only_first"].as_array().unwrap().len(), 2);
    let compared = json["compared"].as_array().unwrap();
    assert_eq!(compared.len(), 6);
    for row in compared {
        // Runs that failed have nothing to compare.
        let is_hasty = row["agent"].as_str().unwrap().starts_with("ucrl:");
        let count = if is_hasty { 0 } else { 2 };
        assert_eq!(row["runs"], count, "{row}");
        match row["agent"].as_str().unwrap().starts_with("psrl:") {
            // Its draws come from logarithms, whose last bits were those of the platform's C library.
            true => assert_eq!(row["difference"], 0.0, "{row}"),
            false => assert_eq!(row["identical"], count, "{row}"),
        }
    }
}

#[test]
fn to_resume_it_is_refused_where_an_agent_is_and_changes_nothing() {
    let lab = lab("version-1");
    let bytes = || {
        let files = lab.files("old", "");
        files.into_iter().map(|file| (fs::read(&file).unwrap(), file)).collect::<Vec<_>>()
    };
    let before = bytes();
    let output = lab.said("run old/experiment.toml --out old --resume");
    assert_eq!(output.status.code(), Some(1), "{}", complaint(&output));
    assert!(complaint(&output).contains("scal needs c, an upper bound"), "{}", complaint(&output));
    assert!(bytes() == before);
}

#[test]
fn the_cell_of_an_old_checkpoint_starts_anew() {
    let lab = lab("version-1-stopped");
    assert_eq!(lab.files("old", ".state").len(), 1);
    let seen = status(&lab);
    assert_eq!((&seen["missing"], &seen["paused"]), (&1.into(), &0.into()));
    let output = lab.said("run old/experiment.toml --out old --resume");
    assert_eq!(output.status.code(), Some(0), "{}", complaint(&output));
    assert_eq!(
        complaint(&output),
        "warning: checkpoints of version 1 are not continued, because values have changed since: their runs start \
         again from the first step\n"
    );
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "old: 1 of 1 run done\nnext  tucrl report old\n"
    );
    assert!(lab.files("old", ".state").is_empty() && lab.files("old", ".damaged").is_empty());
}

/// `retired` was written when SCAL+ was an agent.
#[test]
fn results_of_an_agent_that_is_gone_are_still_results() {
    let lab = lab("retired");
    assert!(lab.answer("status old").starts_with("retired: 6 of 6 runs done\n"));
    let report = lab.answer("report old");
    assert!(report.contains("scal-plus:c=2,alpha=0.1") && report.contains("SCAL+"), "{report}");
    let compared = lab.answer("compare old old");
    assert_eq!(compared.matches("  identical").count(), 3, "{compared}");
    // New runs are refused, with what to use; nothing is changed.
    let output = lab.said("run old/experiment.toml --out old --resume");
    assert_eq!(output.status.code(), Some(1));
    let said = complaint(&output);
    assert!(said.contains("the agent scal-plus is gone: FOCUS is its successor"), "{said}");
    assert_eq!(lab.files("old", ".run").len(), 6);
}

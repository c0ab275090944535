//! What if the disk is full, or may not be written to?

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

use super::{Lab, complaint};

/// Runs a line of shell in the folder, with `$TUCRL` the command.
fn shell(lab: &Lab, line: &str) -> Output {
    Command::new("sh")
        .args(["-c", line])
        .current_dir(lab.folder.path())
        .env("TUCRL", env!("CARGO_BIN_EXE_tucrl"))
        .output()
        .unwrap()
}

/// Whether this machine lets us mount something for one process.
fn can_mount(lab: &Lab) -> bool {
    let tried = shell(lab, "mkdir -p probe && unshare -rm mount -t tmpfs none probe");
    let can = tried.status.success();
    if !can {
        println!("left out: nothing can be mounted here: {}", complaint(&tried));
    }
    can
}

#[test]
fn a_file_that_may_not_grow_stops_the_work_and_loses_nothing() {
    let lab = Lab::new();
    lab.answer("run exp.toml --out full --only #0");
    let before = lab.bodies("full");
    // No privilege is needed for this: files of more than 1 or 2 kB are refused. By default the system then also sends
    // a signal, which ends a process that does not block or ignore it.
    for ignored in ["", "trap '' XFSZ; "] {
        let line = format!(
            "{ignored}ulimit -f 2; exec $TUCRL run exp.toml --out full --resume --checkpoint-seconds 0"
        );
        let output = shell(&lab, &line);
        assert_eq!(output.status.code(), Some(1), "{:?} {}", output.status, complaint(&output));
        let said = complaint(&output);
        assert!(said.starts_with("error: full/runs/"), "{said}");
        assert!(
            said.ends_with("make room, then continue with --resume; nothing finished is lost\n"),
            "{said}"
        );
        assert_eq!(lab.bodies("full"), before);
    }
    assert!(lab.files("full", "").iter().all(|file| !file.to_string_lossy().contains("/.tucrl-")));
    lab.answer("run exp.toml --out full --resume");
    lab.assert_whole("full");
}

#[test]
fn a_full_disk_stops_the_work_and_loses_nothing() {
    let lab = Lab::new();
    if !can_mount(&lab) {
        return;
    }
    let line = "mkdir disk && unshare -rm sh -c 'mount -t tmpfs -o size=160k none disk && \
                $TUCRL run exp.toml --out disk/full --jobs 1 --checkpoint-seconds 0; code=$?; \
                cp -r disk/full rescued; exit $code'";
    let output = shell(&lab, line);
    let said = complaint(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("no storage space: make room, then continue"), "{said}");
    let rescued = lab.files("rescued", ".run").len();
    assert!((1..20).contains(&rescued), "{rescued}");
    let answer = lab.answer("run exp.toml --out rescued --resume");
    assert!(answer.contains(&format!("({rescued} before)")), "{answer}");
    lab.assert_whole("rescued");
}

#[test]
fn a_directory_that_may_not_be_written_is_an_error_and_stays_as_it_is() {
    let lab = Lab::new();
    lab.answer("run exp.toml --out closed --only #0");
    let before = lab.bodies("closed");
    let runs = lab.path("closed/runs");
    fs::set_permissions(&runs, fs::Permissions::from_mode(0o555)).unwrap();
    let is_root = fs::write(runs.join("probe"), "").is_ok();
    let output = if is_root {
        // Permissions do not bind the administrator; a read-only mount does.
        fs::remove_file(runs.join("probe")).unwrap();
        if !can_mount(&lab) {
            return;
        }
        let line = "unshare -rm sh -c 'mount --bind closed closed && \
                    mount -o remount,ro,bind closed && cd . && \
                    exec $TUCRL run exp.toml --out closed --resume'";
        shell(&lab, line)
    } else {
        lab.said("run exp.toml --out closed --resume")
    };
    let said = complaint(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let reasons = [
        "read-only filesystem or storage medium: choose another directory with --out\n",
        "permission denied: change the permissions of the file or its folder\n",
    ];
    assert!(said.starts_with("error: closed/runs/"), "{said}");
    assert!(reasons.iter().any(|reason| said.ends_with(reason)), "{said}");
    assert_eq!(lab.bodies("closed"), before);
    fs::set_permissions(&runs, fs::Permissions::from_mode(0o755)).unwrap();
    lab.answer("run exp.toml --out closed --resume");
    lab.assert_whole("closed");
}

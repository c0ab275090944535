//! `tucrl doctor`: what has this machine of what tucrl can use, and what is each needed for?
//!
//! Nothing here is needed to learn, run experiments or write reports, except a directory that can be written.

mod tools;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use sysinfo::{Disks, System};
use tucrl_lab::text::{bytes, counted};

use super::{Answer, FAILURE, SUCCESS};
use crate::cli::Doctor;

/// Below this many free bytes the checkpoints and records of a long experiment may not fit.
const LEAST_DISK: u64 = 100_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Ok,
    /// Not there, or too old; what it is needed for cannot be done.
    Missing,
    /// The exit code is 1.
    Problem,
}

#[derive(Debug, Serialize)]
struct Check {
    part: &'static str,
    state: State,
    /// What there is, if anything.
    found: Option<String>,
    needed_for: &'static str,
    /// What to do, if it is not ok.
    remedy: Option<String>,
}

#[derive(Debug, Serialize)]
struct Findings {
    version: &'static str,
    system: String,
    /// Whether the program was compiled with optimisation, without checks for overflow.
    optimised: bool,
    /// Whether there is no problem.
    ok: bool,
    checks: Vec<Check>,
}

pub(super) fn run(ask: &Doctor) -> anyhow::Result<Answer> {
    let mut checks = vec![cores(), memory(), disk()];
    for (tool, mut check) in tools::checks() {
        if check.state == State::Missing && ask.need.contains(&tool) {
            check.state = State::Problem;
        }
        checks.push(check);
    }
    let findings = Findings {
        version: env!("CARGO_PKG_VERSION"),
        system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        optimised: !cfg!(debug_assertions),
        ok: checks.iter().all(|check| check.state != State::Problem),
        checks,
    };
    let text = if ask.json { super::json(&findings)? } else { page(&findings)? };
    Ok(Answer { text, code: if findings.ok { SUCCESS } else { FAILURE } })
}

fn page(findings: &Findings) -> Result<String, std::fmt::Error> {
    let Findings { version, system, optimised, ok, checks } = findings;
    let built = if *optimised { "optimised" } else { "with debug assertions: runs are slower" };
    let mut out = format!("tucrl {version}, {system}, {built}\n\n");
    for Check { part, state, found, needed_for, remedy } in checks {
        let state = match state {
            State::Ok => "ok",
            State::Missing => "missing",
            State::Problem => "PROBLEM",
        };
        let found = found.as_deref().map(|found| format!("{found}; ")).unwrap_or_default();
        let remedy = remedy.as_deref().map(|remedy| format!(": {remedy}")).unwrap_or_default();
        writeln!(out, "{state:<8} {part:<13} {found}{needed_for}{remedy}")?;
    }
    let missing = checks.iter().filter(|check| check.state == State::Missing).count();
    let problems = checks.iter().filter(|check| check.state == State::Problem).count();
    let verdict = match (ok, missing) {
        (true, 0) => "Everything is there.".to_owned(),
        (true, _) => "What is missing is needed for what its line says only.".to_owned(),
        (false, _) => format!("{}: see above.", counted(problems, "problem")),
    };
    writeln!(out, "\n{verdict}")?;
    Ok(out)
}

fn cores() -> Check {
    let cores = std::thread::available_parallelism().ok().map(usize::from);
    Check {
        part: "cores",
        state: if cores.is_some() { State::Ok } else { State::Missing },
        found: cores.map(|cores| cores.to_string()),
        needed_for: "runs use one thread per core",
        remedy: cores.is_none().then(|| "say how many with --jobs".into()),
    }
}

fn memory() -> Check {
    let mut system = System::new();
    system.refresh_memory();
    // A container may have less than its machine.
    let limits = system.cgroup_limits();
    let total = limits.as_ref().map_or(system.total_memory(), |limits| limits.total_memory);
    let free = limits.as_ref().map_or(system.available_memory(), |limits| limits.free_memory);
    let found = (total > 0).then(|| format!("{}, {} free", bytes(total), bytes(free)));
    Check {
        part: "memory",
        state: if found.is_some() { State::Ok } else { State::Missing },
        remedy: found.is_none().then(|| "the system does not say".into()),
        found,
        needed_for: "models and their solutions are kept in memory",
    }
}

fn disk() -> Check {
    let here = std::env::current_dir().and_then(|folder| folder.canonicalize());
    let written = here.as_deref().map_err(|error| error.to_string()).and_then(writable);
    let free = here.as_deref().ok().and_then(free);
    let problem = match (&written, free) {
        (Err(error), _) => Some(format!("{error}; change to a directory that can be written")),
        (_, Some(free)) if free < LEAST_DISK => Some("delete what is not needed".into()),
        _ => None,
    };
    Check {
        part: "disk",
        state: if problem.is_some() { State::Problem } else { State::Ok },
        found: free.map(|free| format!("{} free here", bytes(free))),
        needed_for: "experiments and reports are stored in files",
        remedy: problem,
    }
}

/// Whether a file can be made here.
fn writable(folder: &Path) -> Result<(), String> {
    let file: PathBuf = folder.join(format!(".tucrl-doctor-{}", std::process::id()));
    let made = fs::write(&file, b"tucrl");
    // It may not exist.
    let _ = fs::remove_file(&file);
    made.map_err(|error| format!("no file can be written here ({error})"))
}

/// The free bytes of the disk on which a folder is: the one whose mount point is the longest part of its path.
fn free(folder: &Path) -> Option<u64> {
    let disks = Disks::new_with_refreshed_list();
    let holds = disks.iter().filter(|disk| folder.starts_with(disk.mount_point()));
    let nearest = holds.max_by_key(|disk| disk.mount_point().components().count())?;
    Some(nearest.available_space())
}

//! Which programs that tucrl can use are there, in which version?

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::{Check, State};
use crate::cli::Tool;

/// A program that has not answered by then is taken for missing.
const PATIENCE: Duration = Duration::from_secs(10);

/// The oldest Python of the package.
const PYTHON: (u32, u32) = (3, 10);

const BROWSERS: [&str; 8] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "firefox",
    "microsoft-edge",
    "brave-browser",
    "epiphany",
];

/// All checks, in the order in which they are shown.
pub(super) fn checks() -> Vec<(Tool, Check)> {
    let (python, package) = python();
    let rust = version_of("cargo");
    let is_new = |text: &String| at_least(text, parsed(env!("CARGO_PKG_RUST_VERSION")));
    vec![
        (
            Tool::Browser,
            check(
                "browser",
                browser(),
                "shows the pages of report and play; the files may be opened on any machine",
                "install Firefox or Chromium",
            ),
        ),
        (
            Tool::Python,
            check(
                "Python",
                python
                    .as_ref()
                    .filter(|(_, text)| at_least(text, Some(PYTHON)))
                    .map(|p| p.1.clone()),
                "the Python package, from 3.10 on",
                "install Python 3.10 or later",
            ),
        ),
        (
            Tool::Package,
            check(
                "package",
                package,
                "import tucrl, in the version of this program",
                "pip install tucrl, or pip install . in its repository",
            ),
        ),
        (
            Tool::Rust,
            check(
                "Rust",
                rust.filter(is_new),
                concat!(
                    "agents and worlds of your own in Rust, from ",
                    env!("CARGO_PKG_RUST_VERSION"),
                    " on"
                ),
                "install it with rustup, or run rustup update",
            ),
        ),
        (
            Tool::Pdflatex,
            check(
                "pdflatex",
                version_of("pdflatex"),
                "compiles the figures of report --tex",
                "install TeX Live; on Debian texlive-latex-extra and texlive-pictures",
            ),
        ),
        (
            Tool::Slurm,
            check(
                "Slurm",
                version_of("sbatch"),
                "cluster slurm --submit; the script may be submitted elsewhere",
                "log in to the cluster's front end",
            ),
        ),
        (
            Tool::Chromedriver,
            check(
                "chromedriver",
                version_of("chromedriver"),
                "the tests of this program, in ./test",
                "on Debian, install chromium-driver",
            ),
        ),
        (
            Tool::Npm,
            check(
                "npm",
                version_of("npm"),
                "the tests of this program, in ./test --full",
                "on Debian, install npm",
            ),
        ),
    ]
}

fn check(
    part: &'static str,
    found: Option<String>,
    needed_for: &'static str,
    remedy: &'static str,
) -> Check {
    let remedy = found.is_none().then(|| remedy.to_owned());
    let state = if found.is_some() { State::Ok } else { State::Missing };
    Check { part, state, found, needed_for, remedy }
}

fn browser() -> Option<String> {
    if cfg!(any(windows, target_os = "macos")) {
        return Some("that of the system".into());
    }
    BROWSERS
        .into_iter()
        .find_map(|name| version_of(name).map(|version| format!("{name} {version}")))
}

/// The first interpreter with its version, and the version of the package that it imports if it is that of this program.
fn python() -> (Option<(&'static str, String)>, Option<String>) {
    let names = if cfg!(windows) { ["python", "py"] } else { ["python3", "python"] };
    let found = names.into_iter().find_map(|name| Some((name, version_of(name)?)));
    let package = found.as_ref().and_then(|(name, _)| {
        let code = "import tucrl; print(tucrl.__version__)";
        first_line(Command::new(name).args(["-c", code]))
    });
    (found, package.filter(|version| version == env!("CARGO_PKG_VERSION")))
}

/// The version that a program gives, without what surrounds it.
fn version_of(program: &str) -> Option<String> {
    let line = first_line(Command::new(program).arg("--version"))?;
    let is_version = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
    let version = line.split([' ', '(', ')', ',']).find(is_version);
    Some(version.unwrap_or(&line).to_owned())
}

fn at_least(version: &str, least: Option<(u32, u32)>) -> bool {
    parsed(version) >= least
}

fn parsed(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// The first line that a program prints, if it succeeds in time.
fn first_line(command: &mut Command) -> Option<String> {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = quiet.spawn().ok()?;
    if !succeeds(&mut child) {
        // It may have ended meanwhile.
        let _ = child.kill();
        let _ = child.wait();
        return None;
    }
    let output = child.wait_with_output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().next().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty())
}

fn succeeds(child: &mut Child) -> bool {
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) => std::thread::sleep(Duration::from_millis(5)),
            Err(_) => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_number_and_not_by_letter() {
        assert!(at_least("3.10.1", Some(PYTHON)) && at_least("4.0", Some(PYTHON)));
        assert!(!at_least("3.9.18", Some(PYTHON)), "9 is less than 10");
        assert!(!at_least("none", Some(PYTHON)));
        assert_eq!(parsed(env!("CARGO_PKG_RUST_VERSION")), Some((1, 88)));
    }

    #[test]
    fn a_program_that_does_not_exist_has_no_version() {
        assert_eq!(version_of("tucrl-no-such-program"), None);
    }
}

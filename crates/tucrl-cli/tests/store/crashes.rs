//! Are the results the same after repeated kills of the process and damage to its files?

use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, SystemTime};

use crate::{CELLS, Lab, complaint};

/// A xorshift generator: random enough for these tests.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

fn dice() -> Dice {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    let seed = now.as_nanos() as u64 | 1;
    println!("dice: {seed}");
    Dice(seed)
}

/// Cuts, changes or removes the file; returns whether it is still there, and damaged.
fn harm(path: &PathBuf, dice: &mut Dice) -> bool {
    let mut bytes = fs::read(path).unwrap();
    let place = dice.below(bytes.len());
    match dice.below(3) {
        0 => bytes.truncate(place),
        1 => bytes[place] ^= 1 << dice.below(8),
        _ => {
            fs::remove_file(path).unwrap();
            return false;
        }
    }
    fs::write(path, bytes).unwrap();
    true
}

#[test]
fn twenty_kills_and_any_damage_do_not_change_the_results() {
    let lab = Lab::new();
    let mut dice = dice();
    let command = "run exp.toml --out chaos --resume --jobs 2 --checkpoint-seconds 0";
    let (mut kills, mut damaged) = (0, 0);
    for round in 0..300 {
        if kills >= 20 {
            break;
        }
        let mut child = lab.tucrl(command).spawn().unwrap();
        thread::sleep(Duration::from_millis(5 + dice.below(120) as u64));
        kills += usize::from(child.try_wait().unwrap().is_none());
        // SIGKILL, which cannot be handled.
        child.kill().unwrap();
        let output = child.wait_with_output().unwrap();
        assert_ne!(output.status.code(), Some(1), "round {round}: {}", complaint(&output));
        let mut files = lab.files("chaos", ".run");
        files.extend(lab.files("chaos", ".state"));
        for _ in 0..dice.below(4) {
            if !files.is_empty() {
                let victim = files.swap_remove(dice.below(files.len()));
                damaged += usize::from(harm(&victim, &mut dice));
            }
        }
    }
    assert!(kills >= 20);
    lab.answer("run exp.toml --out chaos --resume");
    lab.assert_whole("chaos");
    // What was damaged is kept; only a checkpoint whose cell was finished needed no look.
    let aside = lab.files("chaos", ".damaged").len();
    println!("{kills} kills, {damaged} damaged, {aside} set aside");
    assert!(aside <= damaged && (damaged == 0 || aside > 0), "{aside} of {damaged}");
}

#[test]
fn damage_is_named_set_aside_and_redone() {
    let lab = Lab::new();
    lab.answer("run exp.toml --out a");
    let files = lab.files("a", ".run");
    let text = |index: usize| fs::read_to_string(&files[index]).unwrap();
    fs::write(&files[0], &text(0)[..100]).unwrap();
    fs::write(&files[1], text(1).replacen("\"regret\":[[1,", "\"regret\":[[2,", 1)).unwrap();
    fs::write(&files[2], "").unwrap();
    // Sound in itself, and yet of another cell.
    fs::copy(&files[4], &files[3]).unwrap();
    fs::remove_file(&files[5]).unwrap();
    let status = lab.answer("status a");
    assert!(
        status.starts_with(&format!("small: {} of {CELLS} runs done\n", CELLS - 5)),
        "{status}"
    );
    assert_eq!(status.matches("\ndamaged: ").count(), 4, "{status}");
    let output = lab.said("run exp.toml --out a --resume");
    assert!(output.status.success());
    let said = complaint(&output);
    let name = |index: usize| files[index].file_name().unwrap().to_string_lossy().into_owned();
    let reasons = [
        "it is cut off: the line that seals it is missing",
        "its content is not what was written: the checksum differs",
        "it is cut off: the line that seals it is missing",
        "it belongs to another cell: agent is ",
    ];
    for (index, reason) in reasons.iter().enumerate() {
        let line = format!("warning: a/runs/{}: the file is damaged: {reason}", name(index));
        let run =
            format!("a/runs/{}: the file is damaged: it belongs to another cell: run", name(index));
        assert!(said.contains(&line) || said.contains(&run), "{line}\n{said}");
        assert!(
            said.contains(&format!("It is kept as a/runs/{}.damaged and not used", name(index)))
        );
    }
    assert_eq!(lab.files("a", ".damaged").len(), 4);
    lab.assert_whole("a");
}

#[test]
fn a_lost_copy_of_the_experiment_is_made_anew_and_a_damaged_one_is_named() {
    let lab = Lab::new();
    lab.answer("run exp.toml --out a --only #0");
    let copy = lab.path("a/experiment.toml");
    fs::remove_file(&copy).unwrap();
    let output = lab.said("run exp.toml --out a");
    assert!(complaint(&output).contains("already holds results"), "{}", complaint(&output));
    fs::write(&copy, "name = \"sma").unwrap();
    for command in ["run exp.toml --out a --resume", "status a"] {
        let output = lab.said(command);
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(
            complaint(&output),
            "error: a/experiment.toml:1: this is not TOML: invalid basic string, expected `\"`\n"
        );
    }
    fs::remove_file(&copy).unwrap();
    let answer = lab.answer("run exp.toml --out a --resume");
    assert!(answer.contains("(10 before)"), "{answer}");
    lab.assert_whole("a");
}

//! Are the results the same after repeated kills of the process and damage to its files?

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use super::{CELLS, Lab, complaint};

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

/// What stands under the name of a file.
#[derive(PartialEq)]
enum Held {
    Bytes(Vec<u8>),
    /// An empty folder.
    Folder,
}

fn held(path: &Path) -> Held {
    if path.is_dir() { Held::Folder } else { Held::Bytes(fs::read(path).unwrap()) }
}

/// The kinds of damage.
const HARMS: [&str; 5] = ["removed", "folder for file", "emptied", "cut off", "a bit flipped"];

/// Does one kind of damage to a file.
fn harm(path: &Path, kind: &str, dice: &mut Dice) {
    let mut bytes = fs::read(path).unwrap();
    let place = dice.below(bytes.len());
    match kind {
        "removed" => return fs::remove_file(path).unwrap(),
        "folder for file" => {
            fs::remove_file(path).unwrap();
            return fs::create_dir(path).unwrap();
        }
        "emptied" => bytes.clear(),
        "cut off" => bytes.truncate(place),
        _ => bytes[place] ^= 1 << dice.below(8),
    }
    fs::write(path, &bytes).unwrap();
}

/// How often a process was killed, and how many files were harmed, by kind.
#[derive(Debug, Default)]
struct Toll {
    kills: usize,
    harms: [usize; HARMS.len()],
}

impl Toll {
    /// Files that were harmed and left in place.
    fn damaged(&self) -> usize {
        self.harms[1..].iter().sum()
    }
}

/// Kills the process and damages its files until both have happened often enough, and compares the results; returns how
/// often. A busy machine may take longer to start the process than a pause lasts: pauses grow until something is stored. Only
/// sound files are harmed, because a process that is killed at its start has not yet looked at what was harmed before.
fn chaos(lab: &Lab, dice: &mut Dice, [kills_wanted, harm_wanted]: [usize; 2]) -> Toll {
    let command = "run exp.toml --out chaos --resume --jobs 2 --checkpoint-seconds 0";
    let files = || [lab.files("chaos", ".run"), lab.files("chaos", ".state")].concat();
    // Every damaged file, with what it held.
    let mut damaged: Vec<(PathBuf, Held)> = Vec::new();
    let (mut toll, mut patience) = (Toll::default(), 0);
    for round in 0..300 {
        if toll.kills >= kills_wanted && damaged.len() >= harm_wanted {
            break;
        }
        let before = files();
        let mut child = lab.tucrl(command).spawn().unwrap();
        thread::sleep(Duration::from_millis(5 + dice.below(120) as u64 + patience));
        toll.kills += usize::from(child.try_wait().unwrap().is_none());
        // SIGKILL, which cannot be handled.
        child.kill().unwrap();
        let output = child.wait_with_output().unwrap();
        let code = output.status.code();
        assert!(matches!(code, None | Some(0)), "round {round}, {code:?}: {}", complaint(&output));
        let mut sound = files();
        patience += if sound == before && code.is_none() { 20 } else { 0 };
        sound.retain(|path| !damaged.contains(&(path.clone(), held(path))));
        for _ in 0..dice.below(4).min(sound.len()) {
            let victim = sound.swap_remove(dice.below(sound.len()));
            let kind = dice.below(HARMS.len());
            harm(&victim, HARMS[kind], dice);
            toll.harms[kind] += 1;
            if victim.exists() {
                let left = held(&victim);
                damaged.push((victim, left));
            }
        }
    }
    assert!(toll.kills >= kills_wanted && toll.damaged() >= harm_wanted, "{toll:?}");
    lab.answer("run exp.toml --out chaos --resume");
    lab.assert_whole("chaos");
    // What was damaged is kept as it was, and nothing else; only the checkpoint of a finished cell needed no look.
    let aside = lab.files("chaos", ".damaged");
    println!("{} kills, {} damaged, {} set aside", toll.kills, damaged.len(), aside.len());
    let kept: Vec<Held> = aside.iter().map(|path| held(path)).collect();
    assert!(kept.iter().all(|content| damaged.iter().any(|(_, harmed)| harmed == content)));
    for (path, content) in &damaged {
        let is_checkpoint = path.extension().is_some_and(|extension| extension == "state");
        assert!(is_checkpoint || kept.contains(content), "{} was not kept", path.display());
    }
    toll
}

#[test]
fn twenty_kills_and_any_damage_do_not_change_the_results() {
    chaos(&Lab::new(), &mut dice(), [20, 5]);
}

/// `./soak kills` runs it, with the number of kills in the environment.
#[test]
#[ignore = "takes as long as it is told to"]
fn kills_without_end() {
    let wanted: usize = std::env::var("TUCRL_SOAK_KILLS").unwrap().parse().unwrap();
    let (mut dice, mut all, mut experiments) = (dice(), Toll::default(), 0);
    while all.kills < wanted {
        let toll = chaos(&Lab::new(), &mut dice, [20, 5]);
        all.kills += toll.kills;
        experiments += 1;
        all.harms.iter_mut().zip(toll.harms).for_each(|(all, harms)| *all += harms);
        println!("{} of {wanted} kills", all.kills);
    }
    let harms: Vec<String> =
        HARMS.iter().zip(all.harms).map(|(kind, count)| format!("{count} {kind}")).collect();
    println!(
        "soak: {} kills in {experiments} experiments, files harmed: {}; all {} records identical",
        all.kills,
        harms.join(", "),
        experiments * CELLS
    );
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

//! Can runs be chosen exactly, made in several places, and put together?

use std::fs;

use serde_json::Value;

use super::{CELLS, EXPERIMENT, Lab, complaint};

fn listed(lab: &Lab, more: &str) -> Vec<Value> {
    let text = lab.answer(&format!("run exp.toml --list --json{more}"));
    serde_json::from_str::<Value>(&text).unwrap().as_array().unwrap().clone()
}

#[test]
fn the_list_for_programs_numbers_and_names_the_runs() {
    let lab = Lab::new();
    let all = listed(&lab, "");
    assert_eq!(all.len(), CELLS);
    let numbers: Vec<u64> = all.iter().map(|cell| cell["cell"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=CELLS as u64).collect::<Vec<_>>());
    assert_eq!(all[3]["title"], "three-state:delta=0 SCAL #1");
    assert_eq!((&all[3]["run"], &all[3]["steps"]), (&1.into(), &300_000.into()));
    // A number is a line of the list for people.
    let lines = lab.answer("run exp.toml --list");
    assert!(lines.lines().nth(3).unwrap().starts_with("three-state:delta=0 SCAL #1  "), "{lines}");
    assert_eq!(listed(&lab, " --cells 4")[0], all[3]);
    // The name is that of the file, also when the experiment has grown before it.
    lab.answer("run exp.toml --cells 4");
    let id = all[3]["id"].as_str().unwrap();
    assert!(lab.path("out/small/runs").join(format!("{id}.run")).exists());
    let grown = EXPERIMENT.replace("worlds = [", "worlds = [\"two-state\", ");
    fs::write(lab.path("exp.toml"), grown).unwrap();
    let grown = listed(&lab, "");
    let same = grown.iter().find(|cell| cell["id"] == id).unwrap();
    assert_eq!((&same["title"], &same["cell"]), (&all[3]["title"], &14.into()));
    assert!(!complaint(&lab.said("run exp.toml --json")).is_empty(), "only with --list");
}

#[test]
fn runs_that_were_made_apart_come_together() {
    let lab = Lab::new();
    lab.answer("run exp.toml --out a --cells 1-9,12");
    assert_eq!(lab.bodies("a").len(), 10);
    // No --resume is needed: parts share a directory.
    lab.answer("run exp.toml --out b --cells 20");
    lab.answer("run exp.toml --out b --cells 9-19");
    let one = "=three-state:delta=0 tucrl:alpha=0.05 #1";
    let exact = lab.tucrl("run exp.toml --out c --only").arg(one).output().unwrap();
    assert!(exact.status.success(), "{}", complaint(&exact));
    assert_eq!(lab.bodies("c").len(), 1);
    let said = lab.answer("merge a b c --into all");
    assert_eq!(said, "all: 20 runs, 20 new, 3 duplicates\nnext  tucrl status all\n");
    lab.assert_whole("all");
    // Again, and into one of them: nothing changes.
    let said = lab.answer("merge a b --into all --json");
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!((&said["runs"], &said["added"]), (&20.into(), &0.into()));
    lab.answer("merge b --into a");
    lab.assert_whole("a");
}

/// Why directories are not put together; the target must stay as it was.
fn refused(lab: &Lab, command: &str) -> String {
    let before = lab.bodies("all");
    let output = lab.said(command);
    assert_eq!(output.status.code(), Some(1), "{command}");
    assert_eq!(lab.bodies("all"), before, "{command}");
    complaint(&output)
}

#[test]
fn what_is_damaged_foreign_or_contradicts_is_refused_before_anything_is_written() {
    let lab = Lab::new();
    lab.answer("run exp.toml --out a --cells 1-3");
    lab.answer("run exp.toml --out b --cells 3-4");
    let file = lab.files("a", ".run").into_iter().find(|path| {
        lab.files("b", ".run").iter().any(|other| other.file_name() == path.file_name())
    });
    let file = file.unwrap();
    let good = fs::read_to_string(&file).unwrap();
    // One digit of a result.
    fs::write(&file, good.replacen("\"z\":", "\"z\":1", 1)).unwrap();
    let said = refused(&lab, "merge a b --into all");
    assert!(said.contains("damaged") && said.contains("checksum"), "{said}");
    // The same, sealed anew: a run that another program computed.
    let body = good.lines().nth(1).unwrap().replacen("\"z\":", "\"z\":1", 1);
    let mut header: Value = serde_json::from_str(good.lines().next().unwrap()).unwrap();
    header["blake3"] = blake3::hash(body.as_bytes()).to_hex().to_string().into();
    let sealed = format!("{header}\n{body}\n");
    let seal = blake3::hash(sealed.as_bytes()).to_hex();
    fs::write(&file, format!("{sealed}blake3 {seal}\n")).unwrap();
    let said = refused(&lab, "merge a b --into all");
    assert!(said.contains("are results of the same run and differ"), "{said}");
    assert!(said.contains("a/runs/") && said.contains("b/runs/"), "{said}");
    assert!(!lab.path("all").exists());
    fs::write(&file, &good).unwrap();
    // Another experiment.
    fs::write(lab.path("more.toml"), EXPERIMENT.replace("seeds = 2", "seeds = 3")).unwrap();
    lab.answer("run more.toml --out more --cells 1");
    let said = refused(&lab, "merge a more --into all");
    assert!(said.contains("belongs to another experiment: `seeds` is 3"), "{said}");
    let said = refused(&lab, "merge a nothing --into all");
    assert!(said.contains("there is no experiment here"), "{said}");
    assert!(lab.answer("merge a b --into all").starts_with("all: 4 runs, 4 new, 1 duplicate\n"));
}

#[test]
fn a_finished_run_wins_over_a_failed_one() {
    let broken = "name = \"small\"\nsteps = 1000\nseeds = 1\nworlds = [\"m.json\", \"two-state\"]\n\
                  agents = [\"random\"]\n";
    let lab = Lab::with(broken);
    lab.answer("export three-state --to m.json");
    lab.answer("run exp.toml --out good");
    // The same file, which cannot be read there: its content is hashed, then refused.
    let failed = lab
        .files("good", ".run")
        .into_iter()
        .find(|path| path.file_name().unwrap().to_string_lossy().starts_with("m.json"));
    let failed = failed.unwrap();
    let text = fs::read_to_string(&failed).unwrap();
    let body = text.lines().nth(1).unwrap().replace("\"error\":null", "\"error\":\"no memory\"");
    let mut header: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    header["blake3"] = blake3::hash(body.as_bytes()).to_hex().to_string().into();
    let sealed = format!("{header}\n{body}\n");
    let seal = blake3::hash(sealed.as_bytes()).to_hex();
    lab.answer("run exp.toml --out bad --cells 2");
    let place = lab.path("bad/runs").join(failed.file_name().unwrap());
    fs::write(&place, format!("{sealed}blake3 {seal}\n")).unwrap();
    for order in ["bad good", "good bad"] {
        let out = order.replace(' ', "-");
        lab.answer(&format!("merge {order} --into {out}"));
        assert_eq!(lab.bodies(&out), lab.bodies("good"), "{order}");
    }
}

//! Do `tucrl report` and `tucrl compare` write what the records say, so that others can read it?
// Helpers outside of test functions may unwrap as well.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, clippy::expect_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use serde_json::Value;
use tempfile::TempDir;
use tucrl_lab::record::StoredRun;
use tucrl_lab::stats::Study;

pub(crate) mod browser;
mod handling;
mod injection;
mod latex;
mod page;
mod support;

use support::{sample, store};

fn tucrl(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tucrl")).args(arguments).output().unwrap()
}

fn answer(arguments: &[&str]) -> String {
    let output = tucrl(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A directory with the sample and its report.
fn reported() -> (TempDir, Vec<StoredRun>) {
    let folder = TempDir::new().unwrap();
    let all = sample();
    store(folder.path(), &all);
    answer(&["report", folder.path().to_str().unwrap()]);
    (folder, all)
}

type Row = BTreeMap<String, String>;

/// The rows of a CSV file, by an independent reader.
fn csv(path: &Path) -> Vec<Row> {
    csv::Reader::from_path(path).unwrap().deserialize().map(Result::unwrap).collect()
}

/// The rows of a Parquet file in the same form.
fn parquet(path: &Path) -> Vec<Row> {
    let file = SerializedFileReader::new(fs::File::open(path).unwrap()).unwrap();
    let text = |field: &Field| match field {
        Field::Null => String::new(),
        Field::Str(value) => value.clone(),
        Field::ULong(value) => value.to_string(),
        Field::Double(value) => value.to_string(),
        Field::Bool(value) => value.to_string(),
        other => panic!("{other:?}"),
    };
    let rows = file.get_row_iter(None).unwrap().map(Result::unwrap);
    rows.map(|row| row.get_column_iter().map(|(name, field)| (name.clone(), text(field))).collect())
        .collect()
}

#[test]
fn csv_and_parquet_say_the_same_and_have_every_bit_of_the_records() {
    let (folder, all) = reported();
    let report = folder.path().join("report");
    for name in ["curves", "means", "summary", "pairs", "episodes"] {
        let rows = csv(&report.join(name).with_extension("csv"));
        assert!(!rows.is_empty(), "{name}");
        assert_eq!(rows, parquet(&report.join(name).with_extension("parquet")), "{name}");
    }
    let curves = csv(&report.join("curves.csv"));
    assert_eq!(curves.len(), all.iter().map(|run| run.record.regret.len()).sum::<usize>());
    let mut rows = curves.iter();
    for run in &all {
        for ((t, regret), (_, pseudo)) in run.record.regret.iter().zip(&run.record.pseudo_regret) {
            let row = rows.next().unwrap();
            assert_eq!((&row["world"], &row["agent"]), (&run.world, &run.agent));
            assert_eq!((&row["label"], &row["run"]), (&run.label, &run.spec.run.to_string()));
            assert_eq!(row["t"], t.to_string());
            assert_eq!(row["regret"].parse::<f64>().unwrap().to_bits(), regret.to_bits());
            assert_eq!(row["pseudo_regret"].parse::<f64>().unwrap().to_bits(), pseudo.to_bits());
        }
    }
    let episodes = csv(&report.join("episodes.csv"));
    let expected = all.iter().map(|run| run.record.episodes.len()).sum::<usize>();
    assert_eq!(episodes.len(), expected);
    assert!(episodes.iter().any(|row| row["exploratory"] == "true" && row["case"] == "II"));
    assert!(episodes.iter().all(|row| row["stop"] == "horizon" || !row["stop_state"].is_empty()));
    let summary = csv(&report.join("summary.csv"));
    let study = Study::new(&all).unwrap();
    assert_eq!(summary.len(), 6);
    let tucrl = &study.worlds[0].agents[0];
    assert_eq!(summary[0]["mean"].parse(), Ok(tucrl.curve().last().unwrap().mean));
    assert_eq!(summary[0]["growth"].parse(), Ok(tucrl.growth.unwrap().exponent));
    assert_eq!(csv(&report.join("pairs.csv")).len(), 3 + 3);
}

#[test]
fn the_same_runs_give_the_same_files() {
    let (folder, all) = reported();
    let other = TempDir::new().unwrap();
    store(other.path(), &all);
    answer(&["report", other.path().to_str().unwrap()]);
    let mut count = 0;
    for inside in ["report", "report/figures"] {
        for entry in fs::read_dir(folder.path().join(inside)).unwrap() {
            let name = entry.unwrap().file_name();
            let at = |root: &TempDir| root.path().join(inside).join(&name);
            if at(&folder).is_file() {
                assert!(
                    fs::read(at(&folder)).unwrap() == fs::read(at(&other)).unwrap(),
                    "{name:?}"
                );
                count += 1;
            }
        }
    }
    // The page, the explorable page that it links to, and the text; five tables, and three over all worlds, twice; per world three figures, and one per agent with
    // episodes, twice; the profiles twice.
    assert_eq!(count, 3 + 2 * (5 + 3) + 2 * (3 + 2) * 2 + 2);
}

#[test]
fn figures_are_whole_and_say_what_they_show() {
    let (folder, _) = reported();
    let figures = folder.path().join("report/figures");
    let svg = fs::read_to_string(figures.join("regret-three-state-delta-0-log.svg")).unwrap();
    for word in [
        "Gap regret in three-state:delta=0",
        "steps",
        "gap regret (reward)",
        "TUCRL",
        "chance",
        "10²",
    ] {
        assert!(svg.contains(word), "{word}");
    }
    assert!(svg.trim_end().ends_with("</svg>") && svg.contains("polygon"));
    let episodes =
        fs::read_to_string(figures.join("episodes-three-state-delta-0-tucrl.svg")).unwrap();
    for word in ["States seen", "Under-visited pairs", "Optimistic gain", "Span", "shaded"] {
        assert!(episodes.contains(word), "{word}");
    }
    let file = fs::File::open(figures.join("regret-river-swim.png")).unwrap();
    let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height), (1920, 1120));
    let is_drawn = pixels.chunks(3).filter(|pixel| **pixel != [255; 3]).count();
    assert!(is_drawn > 20_000, "{is_drawn}");
}

#[test]
fn the_answer_ranks_the_agents_and_names_the_files() {
    let folder = TempDir::new().unwrap();
    let mut all = sample();
    all[3].error = Some("a plan | failed".into());
    store(folder.path(), &all);
    let (directory, out) = (folder.path().to_str().unwrap(), folder.path().join("elsewhere"));
    let text = answer(&["report", directory, "--out", out.to_str().unwrap()]);
    assert!(text.starts_with("first: 24 runs, 1 failed\n"), "{text}");
    assert!(text.contains("3 (1 failed)") && text.contains("report.html"), "{text}");
    assert!(text.lines().all(|line| line.starts_with("open") || line.chars().count() <= 80));
    assert!(out.join("report.html").is_file() && !folder.path().join("report").exists());
    let words = fs::read_to_string(out.join("report.md")).unwrap();
    assert!(words.contains("three-state:delta=0, TUCRL, run 3: a plan | failed"), "{words}");
    let json: Value = serde_json::from_str(&answer(&["report", directory, "--json"])).unwrap();
    assert_eq!((&json["runs"], &json["failed"]), (&24.into(), &1.into()));
    assert_eq!(json["summary"].as_array().unwrap().len(), 6);
    let ranks: Vec<u64> =
        (0..3).map(|row| json["summary"][row]["rank"].as_u64().unwrap()).collect();
    assert!(ranks.contains(&1) && ranks.contains(&2) && ranks.contains(&3));
    assert!(Path::new(json["files"][0].as_str().unwrap()).ends_with("report/report.html"));
}

#[test]
fn two_experiments_are_compared_run_by_run() {
    let (one, two) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let mut all = sample();
    store(one.path(), &all);
    for run in all.iter_mut().filter(|run| run.label == "chance") {
        let last = run.record.gap_regret.as_mut().unwrap().last_mut().unwrap();
        last.1 += 1000.0 + run.spec.run as f64;
    }
    all.retain(|run| run.world != "river-swim" || run.label == "TUCRL");
    store(two.path(), &all);
    let (a, b) = (one.path().to_str().unwrap(), two.path().to_str().unwrap());
    let text = answer(&["compare", a, b]);
    assert!(text.contains("4/4") && text.contains("identical"), "{text}");
    assert!(text.contains("0/4") && text.contains("A is better"), "{text}");
    assert!(text.contains("only in A: ucrl:alpha=0.05 in river-swim"), "{text}");
    let json: Value = serde_json::from_str(&answer(&["compare", a, b, "--json"])).unwrap();
    let chance = &json["compared"][2];
    assert_eq!((&chance["agent"], &chance["identical"]), (&"random".into(), &0.into()));
    assert!((chance["difference"].as_f64().unwrap() + 1001.5).abs() < 1e-6);
    assert_eq!(chance["sign"], -1);
}

#[test]
fn what_is_missing_or_damaged_is_named_and_never_used() {
    let folder = TempDir::new().unwrap();
    let directory = folder.path().to_str().unwrap();
    let complaint = |arguments: &[&str], code: i32| {
        let output = tucrl(arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{said}");
        (said, String::from_utf8(output.stdout).unwrap())
    };
    assert!(complaint(&["report", directory], 1).0.contains(directory));
    store(folder.path(), &[]);
    assert!(complaint(&["report", directory], 1).0.contains("no finished runs yet"));
    let other = TempDir::new().unwrap();
    store(other.path(), &sample()[..6]);
    let mut files: Vec<_> = fs::read_dir(other.path().join("runs"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let text = fs::read_to_string(&files[0]).unwrap();
    fs::write(&files[0], text.replacen("regret", "regreT", 1)).unwrap();
    let (said, answer) = complaint(&["report", other.path().to_str().unwrap()], 0);
    let name = files[0].file_name().unwrap().to_str().unwrap();
    assert!(said.contains(name) && said.contains("left out"), "{said}");
    assert!(said.contains("18 of 24 runs are not finished yet"), "{said}");
    assert!(answer.starts_with("first: 5 runs\n"), "{answer}");
}

//! Do the fuzz targets hold for the inputs of their corpora, and for damaged ones?
//!
//! The properties of `fuzz/`, without libFuzzer, so that every run of the tests tries them; `fuzz/run` looks further.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};

use crate::formats::mutations::{apply, damage};

#[allow(dead_code, unreachable_pub, clippy::disallowed_methods, clippy::expect_used)]
#[path = "../../../../fuzz/src/lib.rs"]
mod targets;

type Target = fn(&[u8]);

const TARGETS: [(&str, Target); 11] = [
    ("json", targets::json),
    ("drn", targets::drn),
    ("umb", targets::umb),
    ("prism", targets::prism),
    ("gzip", targets::gzip),
    ("specs", targets::specs),
    ("experiment", targets::experiment),
    ("record", targets::record),
    ("checkpoint", targets::checkpoint),
    ("curves", targets::curves),
    ("certificates", targets::certificates),
];

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

/// The inputs of a target that are in the repository.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let mut files: Vec<PathBuf> = fs::read_dir(fuzz().join("corpus").join(name))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

#[test]
fn every_target_is_listed_wherever_targets_are() {
    let manifest = fs::read_to_string(fuzz().join("Cargo.toml")).unwrap();
    let script = fs::read_to_string(fuzz().join("run")).unwrap();
    let names: Vec<&str> = TARGETS.iter().map(|target| target.0).collect();
    assert!(script.contains(&format!("targets=({})", names.join(" "))), "fuzz/run");
    assert_eq!(manifest.matches("[[bin]]").count(), TARGETS.len());
    assert_eq!(fs::read_dir(fuzz().join("targets")).unwrap().count(), TARGETS.len());
    for name in names {
        assert!(manifest.contains(&format!("\nname = \"{name}\"\npath = \"targets/{name}.rs\"\n")));
        assert!(!corpus(name).is_empty(), "fuzz/corpus/{name} is empty");
    }
}

#[test]
fn corpora_and_damaged_inputs_break_no_target() {
    for (name, target) in TARGETS {
        let inputs = corpus(name);
        inputs.iter().for_each(|input| target(input));
        let config = ProptestConfig {
            cases: 300,
            failure_persistence: None,
            rng_seed: RngSeed::Fixed(1),
            ..ProptestConfig::default()
        };
        let damaged = (any::<prop::sample::Index>(), vec(damage(), 1..6));
        let tried = TestRunner::new(config).run(&damaged, |(index, damages)| {
            let mut input = inputs[index.index(inputs.len())].clone();
            damages.iter().for_each(|damage| apply(&mut input, damage));
            target(&input);
            Ok(())
        });
        tried.unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

/// Stored runs have changed their form if the first inputs of two targets are refused: make them anew with `seeds`.
#[test]
fn the_corpora_of_stored_runs_are_of_this_version() {
    let record = serde_json::from_slice::<serde_json::Value>(&corpus("record")[0]).unwrap();
    assert_eq!(targets::record_body(), serde_json::to_string(&record).unwrap());
    let tucrl = fs::read_to_string(fuzz().join("corpus/checkpoint/tucrl")).unwrap();
    assert_eq!(targets::checkpoint_body("tucrl"), tucrl);
}

//! Is what would hit every run refused before the first?

use std::fs;

use super::{Lab, complaint};

/// What is said of an experiment with these worlds and agents, which must not run.
fn refused(worlds: &str, agents: &str) -> String {
    let lab = Lab::with(&format!(
        "name = \"refused\"\nsteps = 1e3\nseeds = 2\nworlds = [{worlds}]\nagents = [{agents}]\n"
    ));
    let output = lab.said("run exp.toml");
    assert_eq!(output.status.code(), Some(1));
    assert!(lab.files("out/refused", "").is_empty() && output.stdout.is_empty());
    complaint(&output)
}

#[test]
fn a_bound_on_the_span_must_be_given() {
    assert_eq!(
        refused("\"three-state\"", "\"tucrl\", \"scal:alpha=0.05\""),
        "error: exp.toml:5: `agents[1]`: scal needs c, an upper bound on the bias span; the span of this world is \
         1.005: try c=2\n"
    );
    // Of several worlds the one with the largest span counts.
    let said = refused("\"three-state\", \"two-state:epsilon=0.03\"", "\"regal-c\"");
    let expected = "regal-c needs h, an upper bound on the bias span; the span of two-state:epsilon=0.03 is 33.33: \
                    try h=40\n";
    assert!(said.ends_with(expected), "{said}");
    // A world that cannot be solved does not hide what is wrong.
    let said = refused("\"nothing.json\"", "\"regal-c\"");
    assert!(said.contains("nothing.json"), "{said}");
}

#[test]
fn what_a_world_cannot_tell_is_said_once() {
    let said = refused("\"breakout-game\", \"theta\"", "\"random\", \"heuristic\"");
    assert_eq!(
        said,
        "error: exp.toml:5: `agents[1]`: in theta: heuristic: this algorithm needs a rule of thumb, which this \
         world does not provide: choose another world or algorithm\n"
    );
    let said = refused("\"chain\"", "\"ucrl:r_max=0.5\"");
    assert_eq!(said.matches("error: ").count(), 1, "{said}");
    assert!(said.contains("at least the largest reward of the world"), "{said}");
}

#[test]
fn only_the_runs_that_were_chosen_are_checked() {
    let lab = Lab::with(
        "name = \"part\"\nsteps = 1e3\nseeds = 2\nworlds = [\"theta\"]\nagents = [\"random\", \"heuristic\"]\n",
    );
    lab.answer("run exp.toml --only random");
    assert_eq!(lab.files("out/part", ".run").len(), 2);
    let output = lab.said("run exp.toml --resume");
    assert_eq!(output.status.code(), Some(1));
    assert!(complaint(&output).contains("heuristic"));
    assert_eq!(lab.files("out/part", ".run").len(), 2);
}

/// A result of an earlier version, in which `c=inf` was the default and was left out of the names of files.
#[test]
fn results_with_the_former_default_are_found_however_it_was_written() {
    let old = "../tucrl-lab/tests/data/version-1";
    let data = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(old);
    let text = fs::read_to_string(data.join("experiment.toml")).unwrap();
    for spec in ["\"scal\"", "\"scal:c=inf\""] {
        let lab = Lab::with("");
        fs::create_dir_all(lab.path("old/runs")).unwrap();
        let experiment = text.replace("\"scal\"", spec);
        fs::write(lab.path("old/experiment.toml"), experiment).unwrap();
        for entry in fs::read_dir(data.join("runs")).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), lab.path("old/runs").join(entry.file_name())).unwrap();
        }
        let page = lab.answer("report old");
        assert!(page.starts_with("version-1: 16 runs, 4 failed\n"), "{page}");
    }
    // Results of this version, with the default written out, are found as well.
    let lab = Lab::with(&text.replace("\"scal\"", "\"scal:c=inf\""));
    lab.said("run exp.toml --out new");
    assert!(lab.answer("report new").starts_with("version-1: 16 runs, 3 failed\n"));
}

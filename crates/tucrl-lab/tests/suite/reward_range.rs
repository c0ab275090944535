//! Are rewards outside [0, 1] read, written and reported in their own units, and are bad ranges refused with a remedy?
// Helpers outside of test functions may unwrap as well.
#![allow(missing_docs, clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use tucrl::reward::{PairReward, RewardLaw, RewardRange};
use tucrl_lab::formats::{self, FormatError, IfExists, ReadOptions};
use tucrl_lab::record::StoredRun;
use tucrl_lab::report::tables::{self, Values};
use tucrl_lab::report::text::facts_rows;
use tucrl_lab::spelling::{Setting, Spelled};
use tucrl_lab::stats::Study;
use tucrl_lab::{Catalogue, Experiment, execute};

/// Two states; rewards as in Taxi.
const JSON: &str = r#"{"format":"tucrl-mdp","version":1,
"reward_range":[-10,20],
"start":0,
"states":[
[{"reward":-1,"to":[[1,1]]},{"reward":{"bernoulli":[0.5,-10]},"to":[[0,1]]}],
[{"to":[[0,0.5,20],[1,0.5,{"uniform":[-1.5,-0.5]}]]}]
]}
"#;

/// The same with every reward larger by 10: a law of two values where there was a Bernoulli law.
const FROM_0: &str = r#"{"format":"tucrl-mdp","version":1,
"r_max":30,
"start":0,
"states":[
[{"reward":9,"to":[[1,1]]},{"reward":{"discrete":[[0,0.5],[10,0.5]]},"to":[[0,1]]}],
[{"to":[[0,0.5,30],[1,0.5,{"uniform":[8.5,9.5]}]]}]
]}
"#;

const DRN: &str = "@type: MDP
@reward_models
reward
@nr_states
2
@model
state 0 [-0.5] init
	action 0 [-0.5]
		1 : 1
	action 1 [-9.5]
		0 : 1
state 1
	action 0 [9.5]
		0 : 0.5
		1 : 0.5
";

struct Scratch(TempDir);

impl Scratch {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn with(&self, name: &str, content: &str) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, content).unwrap();
        path
    }

    fn plain(&self, message: &str) -> String {
        message.replace(&format!("{}/", self.0.path().display()), "")
    }

    fn refusal(&self, name: &str, content: &str, options: &ReadOptions) -> String {
        let error = formats::read(&self.with(name, content), options).unwrap_err();
        self.plain(&error.to_string())
    }
}

fn read(path: &Path) -> tucrl::Mdp {
    formats::read(path, &ReadOptions::default()).unwrap()
}

fn over(low: f64, high: f64) -> ReadOptions {
    let reward_range = Some(RewardRange::new(low, high).unwrap());
    ReadOptions { reward_range, ..ReadOptions::default() }
}

#[test]
fn a_file_keeps_its_rewards_and_its_range_in_both_formats() {
    let scratch = Scratch::new();
    let mdp = read(&scratch.with("m.json", JSON));
    assert_eq!((mdp.reward_range().to_string().as_str(), mdp.r_max()), ("[-10, 20]", 30.0));
    let paid: Vec<f64> = (0..3).map(|pair| mdp.mean_paid(pair)).collect();
    assert_eq!(paid, [-1.0, -5.0, 9.5]);
    let law = RewardLaw::Bernoulli { probability: 0.5, value: -10.0 };
    assert_eq!(*mdp.reward(1), PairReward::Alone(law));
    for name in ["n.json", "n.drn"] {
        let path = scratch.0.path().join(name);
        formats::write(&mdp, &path, IfExists::Refuse).unwrap();
        assert_eq!(read(&path), mdp, "{name}");
        let text = fs::read_to_string(&path).unwrap();
        assert!(!text.contains("r_max"), "{text}");
        let range = ["\"reward_range\":[-10.0,20.0]", "//@tucrl reward_range [-10.0,20.0]\n"];
        assert!(range.iter().any(|range| text.contains(range)), "{text}");
        // Storm reads mean rewards in their own units.
        assert!(name == "n.json" || text.contains("\taction 0 [9.5]\n"), "{text}");
    }
    // A range that begins at 0 is written as before.
    let path = scratch.0.path().join("zero.json");
    let zero = formats::read(&scratch.with("z.json", FROM_0), &over(0.0, 40.0)).unwrap();
    formats::write(&zero, &path, IfExists::Refuse).unwrap();
    assert!(fs::read_to_string(&path).unwrap().contains("\"r_max\":40.0,\n"));
}

#[test]
fn costs_in_a_foreign_file_are_read_once_their_range_is_given() {
    let scratch = Scratch::new();
    let plain = ReadOptions::default();
    let expected = "m.drn:8: state 0, action 0 has the negative reward -1: give the lowest and the \
                    highest reward with ";
    assert_eq!(scratch.refusal("m.drn", DRN, &plain), format!("{expected}`reward_range`"));
    let error = formats::read(&scratch.0.path().join("m.drn"), &plain).unwrap_err();
    let spelled = error.spelled(|setting| match setting {
        Setting::RewardRange => "--reward-range",
        _ => "",
    });
    assert_eq!(scratch.plain(&spelled), format!("{expected}--reward-range"));
    let mdp = formats::read(&scratch.0.path().join("m.drn"), &over(-10.0, 20.0)).unwrap();
    let paid: Vec<f64> = (0..3).map(|pair| mdp.mean_paid(pair)).collect();
    assert_eq!(paid, [-1.0, -10.0, 9.5]);
    assert_eq!(mdp.mean_reward(1), 0.0);
}

#[test]
fn options_override_the_file_and_two_ranges_are_refused() {
    let scratch = Scratch::new();
    let path = scratch.with("m.json", JSON);
    let wide = formats::read(&path, &over(-100.0, 100.0)).unwrap();
    assert_eq!((wide.r_max(), wide.mean_paid(0)), (200.0, -1.0));
    let both = ReadOptions { r_max: Some(1.0), ..over(-1.0, 1.0) };
    assert_eq!(
        scratch.refusal("m.json", JSON, &both),
        "m.json: `r_max` and `reward_range` both say which rewards are possible: keep one"
    );
    let low = ReadOptions { r_max: Some(20.0), ..ReadOptions::default() };
    assert_eq!(
        scratch.refusal("m.json", JSON, &low),
        "m.json:5: state 0, action 0: reward between -1 and -1 leaves [0, 20]: widen reward_range, or \
         raise r_max"
    );
}

#[test]
fn bad_ranges_in_files_are_refused_with_their_place() {
    let scratch = Scratch::new();
    let json = |range: &str| JSON.replace("\"reward_range\":[-10,20]", range);
    let drn = |notes: &str| format!("//@tucrl version 1\n{notes}\n{DRN}");
    let range = "is not a range of rewards: give the lowest reward, then a larger highest reward, both finite \
                 and not more than 1e100 apart";
    for (content, expected) in [
        (json("\"reward_range\":[20,-10]"), format!("m.json:2: (20, -10) {range}")),
        (json("\"reward_range\":[1,1]"), format!("m.json:2: (1, 1) {range}")),
        (json("\"reward_range\":[-1e308,1e308]"), "m.json:2: (-1000".into()),
        (json("\"reward_range\":[-10]"), "m.json:2: invalid length 1".into()),
        (json("\"reward_range\":5"), "m.json:2: invalid type: integer `5`".into()),
        (
            json("\"r_max\":20,\"reward_range\":[-10,20]"),
            "m.json:7: \"r_max\" and \"reward_range\": keep one of them".into(),
        ),
        (
            json("\"reward_range\":[-5,20]"),
            "m.json:5: state 0, action 1: reward between -10 and 0 leaves [-5, 20]: widen reward_range".into(),
        ),
    ] {
        let message = scratch.refusal("m.json", &content, &ReadOptions::default());
        // Where the parser stopped: the column is not of interest.
        let (place, what) = message.split_once(": ").unwrap();
        let line: Vec<&str> = place.split(':').take(2).collect();
        let message = format!("{}: {what}", line.join(":"));
        assert!(message.starts_with(&expected), "{message}\n{expected}");
    }
    for (notes, expected) in [
        (
            "//@tucrl reward_range [2,1]",
            format!("m.drn:2: bad value after //@tucrl reward_range: (2, 1) {range}"),
        ),
        (
            "//@tucrl r_max 2\n//@tucrl reward_range [-10,20]",
            "m.drn:3: //@tucrl r_max or reward_range comes twice: keep one".into(),
        ),
        (
            "//@tucrl reward_range [-5,20]",
            "m.drn:12: state 0, action 1: reward between -10 and -10 leaves [-5, 20]: widen reward_range, or \
             raise r_max"
                .into(),
        ),
    ] {
        let message = scratch.refusal("m.drn", &drn(notes), &ReadOptions::default());
        assert_eq!(message, expected);
    }
}

fn experiment(world: &str) -> Result<Experiment, tucrl_lab::experiment::ExperimentError> {
    let text = format!(
        "name = \"r\"\nsteps = 500\nseeds = 2\nworlds = [{world}]\nagents = [\"tucrl:alpha=0.05\", \"random\"]\n"
    );
    Experiment::parse(Path::new("r.toml"), text, &Catalogue::default())
}

fn records(world: &str) -> Vec<StoredRun> {
    let experiment = experiment(world).unwrap();
    let cells = experiment.cells();
    let worlds = execute::prepare(&experiment, &cells, &()).unwrap();
    let outcomes = execute::run_in_memory(&experiment, &cells, &worlds, &());
    execute::records(&experiment, &cells, &worlds, outcomes).0
}

fn numbers(table: &tables::Table, name: &str) -> Vec<f64> {
    let column = table.columns.iter().find(|column| column.name == name).unwrap();
    let Values::Number(values) = &column.values else { panic!("{name}") };
    values.iter().map(|value| value.unwrap()).collect()
}

#[test]
fn records_and_tables_of_a_range_are_those_of_rewards_from_0_in_other_units() {
    let scratch = Scratch::new();
    // The uniform and the Bernoulli law draw other numbers than their shifted forms, so constants only.
    let constant = |text: &str, law: &str, pays: &str| text.replace(law, pays);
    let own = constant(JSON, "{\"uniform\":[-1.5,-0.5]}", "-1");
    let own = constant(&own, "{\"bernoulli\":[0.5,-10]}", "-10");
    let zero = constant(FROM_0, "{\"uniform\":[8.5,9.5]}", "9");
    let zero = constant(&zero, "{\"discrete\":[[0,0.5],[10,0.5]]}", "0");
    let own = records(&format!("{:?}", scratch.with("own.json", &own)));
    let zero = records(&format!("{:?}", scratch.with("zero.json", &zero)));
    assert_eq!((own.len(), zero.len()), (4, 4));
    for (own, zero) in own.iter().zip(&zero) {
        assert_eq!(own.facts.gain, zero.facts.gain - 10.0);
        assert_eq!((own.record.gain, own.facts.r_max), (own.facts.gain, zero.facts.r_max));
        assert_eq!(own.facts.reward_range, Some(RewardRange::new(-10.0, 20.0).unwrap()));
        assert_eq!(own.record.regret, zero.record.regret);
        assert_eq!(own.record.pseudo_regret, zero.record.pseudo_regret);
        assert_eq!(own.record.visits, zero.record.visits);
    }
    let (own, zero) = (Study::new(&own).unwrap(), Study::new(&zero).unwrap());
    for (table, column) in [("summary", "gain"), ("episodes", "gain"), ("summary", "mean")] {
        let read = |study: &Study<'_>| match table {
            "summary" => numbers(&tables::summary(study), column),
            _ => numbers(&tables::episodes(study), column),
        };
        let shift = if column == "gain" { 10.0 } else { 0.0 };
        let expected: Vec<f64> = read(&zero).iter().map(|value| value - shift).collect();
        assert_eq!(read(&own), expected, "{table} {column}");
    }
    let rows = facts_rows(own.worlds[0].facts).rows;
    let says = |name: &str| rows.iter().find(|row| row[0] == name).map(|row| row[1].clone());
    assert_eq!(says("smallest and largest reward").unwrap(), "−10 and 20");
    assert_eq!(says("largest reward"), None);
    assert!(says("optimal gain (reward per step)").unwrap().starts_with("6.00000000 ± "));
}

#[test]
fn an_experiment_says_which_rewards_a_model_file_has() {
    let scratch = Scratch::new();
    let path = scratch.with("m.drn", DRN);
    let world = |range: &str| format!("{{ spec = {path:?}, reward_range = {range} }}");
    let made = experiment(&world("[-10, 20.0]")).unwrap();
    assert_eq!(made.worlds[0].reward_range, Some(RewardRange::new(-10.0, 20.0).unwrap()));
    let runs = records(&world("[-10, 20]"));
    assert!((runs[0].facts.gain - 6.0).abs() < 1e-12);
    // Another range is another world: its records are not taken for these.
    let stem = |range| experiment(&world(range)).unwrap().cells()[0].id.stem();
    assert_ne!(stem("[-10, 20]"), stem("[-10, 21]"));
    assert_eq!(stem("[-10, 20]"), stem("[-1e1, 20.0]"));
    let change = made.difference(&experiment(&world("[-10, 21]")).unwrap()).unwrap();
    assert_eq!(change.0, "worlds");
    assert!(change.1.contains("+rewards in [-10, 20]"), "{}", change.1);
    for bad in ["[20, -10]", "[1, 1]", "[0, inf]", "[0]", "[0, 1, 2]", "5", "[\"a\", 1]", "\"0,1\""]
    {
        let message = experiment(&world(bad)).unwrap_err().to_string();
        let expected = format!(
            "r.toml:4: `worlds[0].reward_range`: {bad} is not accepted: write the lowest and the highest reward, such as [-10, 20]"
        );
        assert_eq!(message, expected);
    }
    let named = experiment("{ spec = \"taxi\", reward_range = [-10, 20] }").unwrap();
    let message = named.prepare(0, &()).unwrap_err().to_string();
    assert!(
        message.contains("`reward_range` is for model files, and taxi is not one"),
        "{message}"
    );
}

#[test]
fn a_format_error_of_two_ranges_is_spelled_by_the_shell() {
    let error = FormatError::TwoRanges { path: "m.json".into() };
    let spelled = error
        .spelled(|setting| if setting == Setting::RMax { "--r-max" } else { "--reward-range" });
    assert_eq!(
        spelled,
        "m.json: --r-max and --reward-range both say which rewards are possible: keep one"
    );
}

//! Do models survive files, and do bad files get a helpful answer?
// Helpers outside of test functions may unwrap as well.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tempfile::TempDir;
use tucrl::mdp::Mdp;
use tucrl::reward::{PairReward, RewardLaw, RewardRange};
use tucrl_lab::formats::{self, FormatError, IfExists, ReadOptions};

#[path = "formats/malformed.rs"]
mod malformed;
#[path = "formats/mutations.rs"]
pub(crate) mod mutations;
#[path = "formats/prism.rs"]
mod prism;
#[path = "formats/random_models.rs"]
mod random_models;
#[path = "formats/umb.rs"]
mod umb;

/// The formats that are read and written.
const NAMES: [&str; 5] = ["m.json", "m.drn", "m.umb", "m.json.gz", "m.drn.gz"];

fn packed(content: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(content).unwrap();
    packer.finish().unwrap()
}

fn unpacked(content: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(content).read_to_end(&mut plain).unwrap();
    plain
}

/// A file in a folder that disappears with the test.
struct Scratch {
    folder: TempDir,
}

impl Scratch {
    fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn with(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// The message for a file, without the folder.
    fn message(&self, error: &FormatError) -> String {
        error.to_string().replace(&format!("{}/", self.folder.path().display()), "")
    }
}

fn read(path: &Path) -> Result<Mdp, FormatError> {
    formats::read(path, &ReadOptions::default())
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// Writes and reads in every format; the model and the second file must not change.
fn assert_survives(mdp: &Mdp) {
    let scratch = Scratch::new();
    for name in NAMES {
        let path = scratch.path(name);
        formats::write(mdp, &path, IfExists::Refuse).unwrap();
        let content = fs::read(&path).unwrap();
        let again = read(&path).unwrap_or_else(|error| panic!("{error}\n{mdp:?}"));
        assert_eq!(again, *mdp, "{name}");
        formats::write(&again, &path, IfExists::Replace).unwrap();
        assert!(fs::read(&path).unwrap() == content, "{name}: {mdp:?}");
    }
}

/// Every feature that a model can have, once.
fn rich_model() -> Mdp {
    let third = 1.0 / 3.0;
    let mut builder = Mdp::builder();
    builder.r_max(2.5);
    builder
        .state()
        .action(third, [(0, 0.1), (1, 0.2), (2, 0.7)])
        .action(RewardLaw::Uniform { low: 0.1, high: 2.5 }, [(2, 1.0)]);
    builder.state().joint_action([
        (0, third, RewardLaw::Bernoulli { probability: 0.3, value: 1.7 }),
        (1, third, RewardLaw::discrete([(0.0, 0.5), (2.0, 0.25), (1.0, 0.25)])),
        (2, third, RewardLaw::Constant(1e-300)),
    ]);
    builder
        .state()
        .action(0.0, [(0, 1.0)])
        .action(RewardLaw::Bernoulli { probability: 0.1, value: 0.3 }, [(1, 1.0)])
        .action(RewardLaw::discrete([(2.5, 1.0)]), [(0, 5e-324), (2, 1.0)]);
    builder.start_law([(0, 0.1), (2, 0.9)]);
    builder.state_names([
        "plain",
        "two words \"quoted\"",
        "line\nbreak\r\t // δ état 状態 \u{2028}",
    ]);
    builder.action_names(["left", "", "@model"]);
    builder.build().unwrap()
}

#[test]
fn a_model_with_every_feature_comes_back_identical() {
    assert_survives(&rich_model());
}

#[test]
fn a_start_that_is_almost_certain_keeps_its_bits() {
    let mut builder = Mdp::builder();
    builder.state().action(0.0, [(0, 1.0)]).start_law([(0, 1.0 - f64::EPSILON / 2.0)]);
    assert_survives(&builder.build().unwrap());
}

#[test]
fn the_example_in_json_reads_as_it_says() {
    let robot = read(&data("recycling_robot.json")).unwrap();
    assert_eq!((robot.states(), robot.pairs(), robot.r_max()), (2, 5, 2.0));
    assert_eq!(robot.start().collect::<Vec<_>>(), [(0, 1.0)]);
    assert_eq!(robot.state_names(), ["battery high", "battery low"]);
    assert_eq!(robot.action_names()[2], "recharge");
    let joint = [RewardLaw::Uniform { low: 1.5, high: 2.0 }, RewardLaw::Constant(1.0)];
    assert_eq!(*robot.reward(0), PairReward::Joint(joint.into()));
    assert!((robot.mean_reward(0) - (0.7 * 1.75 + 0.3)).abs() < 1e-15);
    assert_eq!(robot.mean_reward(2), 1.5);
    assert_survives(&robot);
}

#[test]
fn the_example_in_drn_reads_as_storm_would() {
    let path = data("ferry.drn");
    let asks = |name: &str, r_max| ReadOptions {
        reward_model: Some(name.into()),
        r_max,
        ..ReadOptions::default()
    };
    let ferry = formats::read(&path, &asks("tickets", None)).unwrap();
    assert_eq!((ferry.states(), ferry.pairs(), ferry.r_max()), (3, 5, 3.0));
    assert_eq!(ferry.action_names(), ["cross", "wait"]);
    assert_eq!(ferry.row(0).iter().collect::<Vec<_>>(), [(0, 0.125), (1, 0.625), (2, 0.25)]);
    let rewards: Vec<f64> = (0..5).map(|pair| ferry.mean_reward(pair)).collect();
    assert_eq!(rewards, [2.0, 0.5, 3.0, 1.0, 0.0], "state reward plus action reward");
    assert_eq!(ferry.row(4).probability, [1.0 / 3.0, 2.0 / 3.0]);
    assert_survives(&ferry);

    let fuel = formats::read(&path, &asks("fuel", Some(10.0))).unwrap();
    assert_eq!((fuel.mean_reward(4), fuel.r_max()), (3.0, 10.0));

    let several = read(&path).unwrap_err();
    assert!(matches!(several, FormatError::SeveralRewardModels { ref names, line: Some(9), .. }
        if names == &["tickets", "fuel"]));
    let unknown = formats::read(&path, &asks("time", None)).unwrap_err().to_string();
    assert!(
        unknown
            .ends_with("ferry.drn: there is no reward model \"time\": choose one of tickets, fuel")
    );
}

#[test]
fn chains_uniform_starts_missing_rewards_and_printed_digits_are_understood() {
    let scratch = Scratch::new();
    let chain = scratch.with(
        "chain.drn",
        "\u{feff}@type: DTMC\r\n@nr_states\r\n3\r\n@model\r\nstate 0 \"init\"\r\n\
         \t0 : 0.333333\r\n\t1 : 0.333333\r\n\t2 : 0.333333\r\nstate 1 \"not init\"\r\n\
         \taction 0\r\n\t\t2 : 1\r\nstate 2 done init\r\n\taction 0\r\n\t\t2 : 1\r\n",
    );
    let chain = read(&chain).unwrap();
    assert_eq!(chain.start().collect::<Vec<_>>(), [(0, 0.5), (2, 0.5)]);
    assert!((chain.row(0).probability.iter().sum::<f64>() - 1.0).abs() < 1e-15);
    assert_eq!((chain.max_actions(), chain.r_max(), chain.mean_reward(0)), (1, 1.0, 0.0));
    assert!(chain.action_names().is_empty() && chain.state_names().is_empty());
}

#[test]
fn keys_of_json_come_in_any_order() {
    let scratch = Scratch::new();
    let path = scratch.with(
        "m.json",
        r#"{"states":[[{"to":[[0,0.5],[0,0.5]],"reward":3}]],"start":[[0,1]],"version":1,
            "r_max":4,"format":"tucrl-mdp"}"#,
    );
    let mdp = read(&path).unwrap();
    assert_eq!((mdp.mean_reward(0), mdp.r_max(), mdp.row(0).len()), (3.0, 4.0, 1));
    let options = ReadOptions { r_max: Some(5.0), ..ReadOptions::default() };
    assert_eq!(formats::read(&path, &options).unwrap().r_max(), 5.0);
    let options = ReadOptions { reward_model: Some("x".into()), ..ReadOptions::default() };
    let error = formats::read(&path, &options).unwrap_err();
    assert_eq!(
        scratch.message(&error),
        "m.json: there is no reward model \"x\": the file has none, leave the choice out"
    );
}

#[test]
fn our_comments_stand_only_where_storm_skips_them() {
    let scratch = Scratch::new();
    let path = scratch.path("m.drn");
    formats::write(&rich_model(), &path, IfExists::Refuse).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let mut previous = "";
    for line in text.split('\n') {
        if line.starts_with("//") {
            assert!(!previous.starts_with('@') || previous == "@model", "{previous} then {line}");
        } else if !previous.starts_with('@') || previous == "@model" {
            // Everything else has the exact blanks that Storm's parser counts on.
            let fits = line.is_empty()
                || line.starts_with('@')
                || line.starts_with("state ")
                || line.strip_prefix("\taction ").is_some_and(|rest| rest.ends_with(']'))
                || line.strip_prefix("\t\t").is_some_and(|rest| rest.contains(" : "));
            assert!(fits, "{line:?}");
        }
        previous = line;
    }
}

#[test]
fn an_existing_file_is_kept_unless_it_may_be_replaced() {
    let (scratch, mdp) = (Scratch::new(), rich_model());
    for name in NAMES {
        let path = scratch.with(name, "precious");
        let error = formats::write(&mdp, &path, IfExists::Refuse).unwrap_err();
        assert_eq!(
            scratch.message(&error),
            format!("{name}: the file already exists: choose another name, or allow replacing it")
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
        formats::write(&mdp, &path, IfExists::Replace).unwrap();
        assert_eq!(read(&path).unwrap(), mdp);
    }
    let left: Vec<_> = fs::read_dir(scratch.folder.path()).unwrap().collect();
    assert_eq!(left.len(), NAMES.len(), "no temporary file stays behind");
}

#[cfg(unix)]
#[test]
fn a_failed_write_keeps_the_old_file_and_leaves_nothing_behind() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new();
    let path = scratch.with("m.json", "precious");
    let lock = |mode| {
        fs::set_permissions(scratch.folder.path(), fs::Permissions::from_mode(mode)).unwrap();
    };
    lock(0o555);
    let probe = scratch.path("probe");
    let is_locked = fs::write(&probe, "").is_err();
    if is_locked {
        let error = formats::write(&rich_model(), &path, IfExists::Replace).unwrap_err();
        assert!(matches!(error, FormatError::PermissionDenied { .. }), "{error}");
    }
    lock(0o755);
    assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
    assert_eq!(fs::read_dir(scratch.folder.path()).unwrap().count(), 1 + usize::from(!is_locked));
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_permissions_kept() {
    use std::os::unix::fs::PermissionsExt;
    let (scratch, mdp) = (Scratch::new(), rich_model());
    let target = scratch.with("target.json", "old");
    fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
    let link = scratch.path("link.json");
    std::os::unix::fs::symlink(&target, &link).unwrap();
    formats::write(&mdp, &link, IfExists::Replace).unwrap();
    assert!(link.is_symlink());
    assert_eq!(read(&target).unwrap(), mdp);
    assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn what_the_system_refuses_is_said_plainly() {
    let (scratch, mdp) = (Scratch::new(), rich_model());
    fs::create_dir(scratch.path("folder.json")).unwrap();
    let says = |result: Result<(), FormatError>, expected: &str| {
        assert_eq!(scratch.message(&result.unwrap_err()), expected);
    };
    let reads = |name: &str| read(&scratch.path(name)).map(drop);
    let writes = |name: &str| formats::write(&mdp, &scratch.path(name), IfExists::Replace);
    let extension = "the extension does not say which format this is: accepted are .json (tucrl's own), .drn (Storm's \
                     explicit format), .umb (unified Markov binary) and, to read, .tra (PRISM's explicit format), each \
                     also with .gz after it";
    says(reads("m.txt"), &format!("m.txt: {extension}"));
    says(writes("model"), &format!("model: {extension}"));
    says(writes("model.gz"), &format!("model.gz: {extension}"));
    says(reads("none.json"), "none.json: no such file: check the name");
    says(reads("folder.json"), "folder.json: this is a folder: name a file");
    says(writes("folder.json"), "folder.json: this is a folder: name a file");
    says(writes("none/m.drn"), "none/m.drn: the folder none does not exist: create it first");
    for name in ["empty.json", "empty.drn"] {
        scratch.with(name, "");
        says(reads(name), &format!("{name}: the file is empty: a model has at least one state"));
    }
    let latin = b"{\"format\":\n\"caf\xe9\"}";
    scratch.with("latin.json", latin);
    says(reads("latin.json"), "latin.json:2: the file is not UTF-8 text here: save it as UTF-8");
    scratch.with("latin.drn", b"@type: MDP\n// caf\xe9\n");
    says(reads("latin.drn"), "latin.drn:2: the file is not UTF-8 text here: save it as UTF-8");
}

#[test]
fn a_hundred_thousand_states_take_a_moment() {
    let states = 100_000;
    let mut builder = Mdp::builder();
    for state in 0..states {
        builder.state();
        for action in 0..2 {
            let row =
                (1..=3).map(|step| ((state * step + action) % states, [0.2, 0.3, 0.5][step - 1]));
            builder.action(state as f64 / states as f64, row);
        }
    }
    builder.start_at(0);
    assert_survives(&builder.build().unwrap());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn random_models_come_back_identical(mdp in random_models::any_model()) {
        assert_survives(&mdp);
    }
}

#[test]
fn the_examples_of_the_documentation_are_true() {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/formats.md");
    let book = fs::read_to_string(book).unwrap();
    let blocks: Vec<&str> = book
        .split("```")
        .skip(1)
        .step_by(2)
        .map(|block| block.split_once('\n').unwrap().1)
        .collect();
    assert_eq!(blocks[0], fs::read_to_string(data("recycling_robot.json")).unwrap());
    assert_eq!(blocks[1], fs::read_to_string(data("ferry.drn")).unwrap());
    let scratch = Scratch::new();
    let path = scratch.with("m.drn", blocks[2]);
    let mdp = read(&path).unwrap();
    formats::write(&mdp, &path, IfExists::Replace).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), blocks[2], "exactly what is written");
}

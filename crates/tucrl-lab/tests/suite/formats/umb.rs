//! UMB archives and compressed files: what they mean, and what is said about bad ones.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::*;

/// The entries of an archive, compressed or not.
pub(super) fn entries(bytes: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let plain = if bytes.starts_with(b"\x1f\x8b") { unpacked(bytes) } else { bytes.to_vec() };
    let mut archive = tar::Archive::new(&plain[..]);
    let read = archive.entries().unwrap().map(|entry| {
        let mut entry = entry.unwrap();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        (entry.path().unwrap().to_str().unwrap().to_string(), content)
    });
    read.collect()
}

/// An archive that is not compressed.
pub(super) fn archive<'e>(entries: impl IntoIterator<Item = (&'e str, &'e [u8])>) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, content) in entries {
        let mut header = tar::Header::new_ustar();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, name, content).unwrap();
    }
    archive.into_inner().unwrap()
}

/// A model of another program: two states, three choices, four branches, rewards of states, choices and branches.
fn foreign() -> BTreeMap<String, Vec<u8>> {
    let words = |numbers: &[u64]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
    let doubles =
        |numbers: &[f64]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
    let index = json!({
        "format-version": 0, "format-revision": 1,
        "transition-system": {
            "time": "discrete", "#players": 1, "#states": 2, "#initial-states": 1, "#choices": 3,
            "#choice-actions": 2, "#branches": 4, "#branch-actions": 0, "#observations": 0,
            "branch-probability-type": {"type": "double", "size": 64},
        },
        "annotations": {"rewards": {
            "pay": {"applies-to": ["states", "choices"], "type": {"type": "double", "size": 64}},
            "toll": {"alias": "bridge toll", "applies-to": ["branches"], "type": {"type": "int", "size": 8}},
        }},
    });
    BTreeMap::from([
        ("index.json".into(), index.to_string().into_bytes()),
        ("state-is-initial.bin".into(), vec![2, 0, 0, 0, 0, 0, 0, 0]),
        ("state-to-choices.bin".into(), words(&[0, 2, 3])),
        ("choice-to-branches.bin".into(), words(&[0, 2, 3, 4])),
        ("branch-to-target.bin".into(), words(&[0, 1, 0, 1])),
        ("branch-to-probability.bin".into(), doubles(&[0.25, 0.75, 1.0, 1.0])),
        ("actions/choices/values.bin".into(), vec![1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]),
        ("actions/choices/strings.bin".into(), b"staygo".to_vec()),
        ("actions/choices/string-mapping.bin".into(), words(&[0, 4, 6])),
        ("annotations/rewards/pay/states/values.bin".into(), doubles(&[0.5, 0.0])),
        ("annotations/rewards/pay/choices/values.bin".into(), doubles(&[1.0, 0.25, 2.0])),
        ("annotations/rewards/toll/branches/values.bin".into(), vec![3, 0, 255, 7]),
        ("valuations/states/valuations.bin".into(), vec![1, 2, 3]),
    ])
}

fn whole(entries: &BTreeMap<String, Vec<u8>>) -> Vec<u8> {
    archive(entries.iter().map(|(name, content)| (name.as_str(), content.as_slice())))
}

fn asks(name: &str) -> ReadOptions {
    ReadOptions { reward_model: Some(name.into()), ..ReadOptions::default() }
}

#[test]
fn a_foreign_archive_reads_as_written_out() {
    let scratch = Scratch::new();
    let path = scratch.with("m.umb", whole(&foreign()));
    let mut builder = Mdp::builder();
    builder.r_max(2.0).state().action(1.5, [(0, 0.25), (1, 0.75)]).action(0.75, [(0, 1.0)]);
    builder.state().action(2.0, [(1, 1.0)]);
    builder.start_at(1).action_names(["go", "stay"]);
    let pay = formats::read(&path, &asks("pay")).unwrap();
    assert_eq!(pay, builder.build().unwrap());
    assert_survives(&pay);

    let range = RewardRange::new(-1.0, 7.0).unwrap();
    let options = ReadOptions { reward_range: Some(range), ..asks("bridge toll") };
    let toll = formats::read(&path, &options).unwrap();
    let laws = [RewardLaw::Constant(3.0), RewardLaw::Constant(0.0)];
    let paid: Vec<f64> = (0..3).map(|pair| toll.mean_paid(pair)).collect();
    assert_eq!(paid, [0.75, -1.0, 7.0]);
    assert!(matches!(toll.reward(0), PairReward::Joint(joint) if joint.len() == laws.len()));
    assert_survives(&toll);
    let said = scratch.message(&formats::read(&path, &asks("toll")).unwrap_err());
    assert_eq!(
        said,
        "m.umb: state 0, action 1 has the negative reward -1: give the lowest and the highest reward with \
         `reward_range`"
    );
    let said = scratch.message(&read(&path).unwrap_err());
    assert_eq!(
        said,
        "m.umb: the file has several reward models (pay, bridge toll): choose one with `reward_model`"
    );
    let said = scratch.message(&formats::read(&path, &asks("fuel")).unwrap_err());
    assert_eq!(said, "m.umb: there is no reward model \"fuel\": choose one of pay, bridge toll");
}

#[test]
fn rational_probabilities_and_absent_offsets_are_understood() {
    let scratch = Scratch::new();
    let mut entries = foreign();
    let mut index: Value = serde_json::from_slice(&entries["index.json"]).unwrap();
    index["transition-system"]["branch-probability-type"] = json!({"type": "rational"});
    entries.insert("index.json".into(), index.to_string().into_bytes());
    let thirds = [(1_i64, 3_u64), (2, 3), (1, 1), (5, 5)];
    let rational = thirds.iter().flat_map(|(a, b)| [a.to_le_bytes(), b.to_le_bytes()].concat());
    entries.insert("branch-to-probability.bin".into(), rational.collect());
    let path = scratch.with("m.umb", whole(&entries));
    let model = formats::read(&path, &asks("pay")).unwrap();
    assert_eq!(model.row(0).probability, [1.0 / 3.0, 2.0 / 3.0]);

    // One choice per state, one branch per choice.
    for name in ["state-to-choices.bin", "choice-to-branches.bin"] {
        entries.remove(name);
    }
    for key in ["#choices", "#branches"] {
        index["transition-system"][key] = json!(2);
    }
    index["transition-system"]["#choice-actions"] = json!(0);
    index["annotations"] = json!({});
    entries.insert("index.json".into(), index.to_string().into_bytes());
    entries.insert(
        "branch-to-target.bin".into(),
        [1_u64, 0].iter().flat_map(|n| n.to_le_bytes()).collect(),
    );
    let ones = [1_u64; 4];
    entries.insert(
        "branch-to-probability.bin".into(),
        ones.iter().flat_map(|n| n.to_le_bytes()).collect(),
    );
    let circle = read(&scratch.with("c.umb", whole(&entries))).unwrap();
    assert_eq!((circle.pairs(), circle.row(0).next), (2, &[1_u32][..]));
}

#[test]
fn damaged_archives_are_refused_with_their_entry() {
    let index = |change: fn(&mut Value)| {
        move |entries: &mut BTreeMap<String, Vec<u8>>| {
            let mut index: Value = serde_json::from_slice(&entries["index.json"]).unwrap();
            change(&mut index);
            entries.insert("index.json".into(), index.to_string().into_bytes());
        }
    };
    type Change = Box<dyn Fn(&mut BTreeMap<String, Vec<u8>>)>;
    let replace = |name: &'static str, content: &'static [u8]| -> Change {
        Box::new(move |entries| drop(entries.insert(name.into(), content.to_vec())))
    };
    let remove =
        |name: &'static str| -> Change { Box::new(move |entries| drop(entries.remove(name))) };
    let system = |key: &'static str, value: Value| -> Change {
        Box::new(move |entries| {
            let mut index: Value = serde_json::from_slice(&entries["index.json"]).unwrap();
            index["transition-system"][key] = value.clone();
            entries.insert("index.json".into(), index.to_string().into_bytes());
        })
    };
    let huge = u64::MAX;
    let kind = "models are not supported: give an MDP or a DTMC with fixed probabilities";
    let cases: Vec<(Change, String)> = vec![
        (remove("index.json"), "index.json: the archive does not have this entry: add it".into()),
        (replace("index.json", b"{\n\"format-version\":"), "index.json:2:17: the JSON ends too early: complete it".into()),
        (Box::new(index(|index| index["format-version"] = json!(2))), "index.json: version 2 of UMB is not known: this program reads version 0, use a newer one".into()),
        (system("time", json!("stochastic")), format!("index.json: stochastic-time {kind}")),
        (system("#players", json!(2)), format!("index.json: 2-player {kind}")),
        (system("#observations", json!(1)), format!("index.json: partially observable {kind}")),
        (system("branch-probability-type", Value::Null), format!("index.json: non-probabilistic {kind}")),
        (system("branch-probability-type", json!({"type": "double", "size": 32})), "branch-to-probability.bin: numbers of 32 bits of the type Double are not read: write double, or at most 64 bits".into()),
        (system("#states", json!(huge)), format!("state-to-choices.bin: 24 bytes where the index declares {huge} items of 8 bytes: correct one of them")),
        (system("#choices", json!(4)), "state-to-choices.bin: the last offset is 3, and the index declares 4: correct one of them".into()),
        (system("#branches", json!(huge)), "choice-to-branches.bin: the last offset is 4, and the index declares 18446744073709551615: correct one of them".into()),
        (system("#choice-actions", json!(3)), "actions/choices/string-mapping.bin: 2 texts where the index declares 3 actions: correct one of them".into()),
        (system("#initial-states", json!(2)), "state-is-initial.bin: 1 states are initial, and the index declares 2: correct one of them; at least one is needed".into()),
        (replace("state-is-initial.bin", b""), "state-is-initial.bin: 0 bytes are fewer than 2 bits: complete the entry".into()),
        (replace("state-to-choices.bin", &[0; 24]), "state-to-choices.bin: the last offset is 0, and the index declares 3: correct one of them".into()),
        (replace("state-to-choices.bin", &[0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]), "state-to-choices.bin, item 2: the offset 2 after 3: offsets begin with 0, do not fall, and end with 3".into()),
        (replace("choice-to-branches.bin", &[255; 32]), "choice-to-branches.bin, item 0: the offset 18446744073709551615 after 0: offsets begin with 0, do not fall, and end with 4".into()),
        (remove("choice-to-branches.bin"), "choice-to-branches.bin: the archive does not have this entry: add it".into()),
        (replace("branch-to-target.bin", &[2; 32]), "branch-to-target.bin, item 0: there is no state 144680345676153346: the index declares 2, numbered from 0".into()),
        (replace("branch-to-target.bin", &[0; 31]), "branch-to-target.bin: 31 bytes where the index declares 4 items of 8 bytes: correct one of them".into()),
        (replace("actions/choices/values.bin", &[2; 12]), "actions/choices/values.bin, item 0: there is no action 33686018: the index declares 2, numbered from 0".into()),
        (replace("actions/choices/strings.bin", b"\xff\xff\xff\xffgo"), "actions/choices/strings.bin: text 0 is not UTF-8: write it as UTF-8".into()),
        (replace("branch-to-probability.bin", &[0; 32]), "state 0, action 0 leads nowhere: list its next states and probabilities".into()),
        (remove("annotations/rewards/pay/choices/values.bin"), "annotations/rewards/pay/choices/values.bin: the archive does not have this entry: add it".into()),
        (Box::new(index(|index| index["annotations"]["rewards"]["pay"]["applies-to"] = json!(["states", "states"]))), "index.json: the rewards pay apply twice to states: keep one".into()),
        (Box::new(index(|index| index["annotations"]["rewards"]["pay"]["probability-type"] = json!({"type": "double"}))), "index.json: the rewards pay are random: give their means".into()),
    ];
    for (change, expected) in cases {
        let scratch = Scratch::new();
        let mut entries = foreign();
        change(&mut entries);
        let path = scratch.with("m.umb", whole(&entries));
        let said = scratch.message(&formats::read(&path, &asks("pay")).unwrap_err());
        assert_eq!(said, format!("m.umb: {expected}"));
    }
    let scratch = Scratch::new();
    let twice = archive([("index.json", &b"{}"[..]), ("./index.json", b"{}")]);
    let said = scratch.message(&read(&scratch.with("m.umb", twice)).unwrap_err());
    assert_eq!(said, "m.umb: index.json: the archive has this entry twice: keep one");
    let said = scratch.message(&read(&scratch.with("m.umb", "no archive")).unwrap_err());
    assert_eq!(
        said,
        "m.umb: the archive: failed to read entire block: check that this is a UMB file, a tar archive"
    );
}

/// What tucrl adds to the index must agree with the arrays.
#[test]
fn our_parameters_must_not_contradict_the_model() {
    let said = |change: &dyn Fn(&mut Value)| {
        let scratch = Scratch::new();
        let path = scratch.path("m.umb");
        formats::write(&rich_model(), &path, IfExists::Refuse).unwrap();
        let mut entries = entries(&fs::read(&path).unwrap());
        let mut index: Value = serde_json::from_slice(&entries["index.json"]).unwrap();
        change(&mut index["file-data"]["parameters"]);
        entries.insert("index.json".into(), index.to_string().into_bytes());
        scratch.message(&read(&scratch.with("m.umb", whole(&entries))).unwrap_err())
    };
    let contradicts = |what: &str| {
        format!(
            "m.umb: index.json: the parameters of tucrl contradict the model: {what}: correct one of them, or delete the \
             parameters"
        )
    };
    let start = said(&|parameters| parameters["start"] = json!([[1, 1.0]]));
    assert_eq!(start, contradicts("start in state 1, and initial: states 0, 2"));
    let law = said(&|parameters| parameters["rewards"][0] = json!([1, 0.5]));
    assert_eq!(law, contradicts("choice 1: its mean is 0.5, the reward of the action 1.3"));
    let missing = said(&|parameters| parameters["rewards"][0] = json!([77, 0.5]));
    assert_eq!(missing, contradicts("there is no choice 77"));
    let laws = said(&|parameters| parameters["joint_rewards"][0] = json!([2, [0.5]]));
    assert_eq!(laws, contradicts("choice 2: 1 laws for 3 transitions"));
    let version = said(&|parameters| parameters["version"] = json!(2));
    assert_eq!(
        version,
        "m.umb: index.json: version 2 of tucrl's parameters is not known: this program reads version 1, use a newer one"
    );
    let unknown = said(&|parameters| parameters["rewords"] = json!(2));
    assert!(
        unknown.starts_with("m.umb: index.json: bad value of parameters: unknown field `rewords`"),
        "{unknown}"
    );
    let range = said(&|parameters| parameters["r_max"] = json!(1.0));
    assert!(range.contains("leaves [0, 1]"), "{range}");
}

#[test]
fn a_bomb_is_refused_at_the_limit_in_every_format() {
    let scratch = Scratch::new();
    let blanks = vec![b' '; 1 << 20];
    let zeros = vec![0; 1 << 20];
    let archived = archive([("padding.bin", &zeros[..])]);
    let limited = ReadOptions { unpack_limit: Some(1 << 20), ..ReadOptions::default() };
    let blank_lines: Vec<u8> = b"//\n".iter().copied().cycle().take(3 << 20).collect();
    for (name, content) in [
        ("m.json.gz", [&blanks[..], b"{}"].concat()),
        ("m.drn.gz", blank_lines.clone()),
        ("m.umb", archived.clone()),
        (
            "m.tra.gz",
            blank_lines.iter().map(|&byte| if byte == b'/' { b'#' } else { byte }).collect(),
        ),
    ] {
        let path = scratch.with(name, packed(&content));
        let said = scratch.message(&formats::read(&path, &limited).unwrap_err());
        assert_eq!(
            said,
            format!(
                "{name}: the file unpacks to more than 1.0 MB: unpack it first (gunzip), or allow more with `unpack_limit`"
            )
        );
        let more = ReadOptions { unpack_limit: Some(4 << 20), ..ReadOptions::default() };
        let other = scratch.message(&formats::read(&path, &more).unwrap_err());
        assert!(!other.contains("unpacks"), "{other}");
    }
    // Not compressed: as long as it is.
    let said =
        scratch.message(&formats::read(&scratch.with("p.umb", archived), &limited).unwrap_err());
    assert_eq!(said, "p.umb: index.json: the archive does not have this entry: add it");
}

#[test]
fn a_model_that_just_fits_the_limit_is_read() {
    let scratch = Scratch::new();
    let path = scratch.path("m.drn.gz");
    formats::write(&rich_model(), &path, IfExists::Refuse).unwrap();
    let length = unpacked(&fs::read(&path).unwrap()).len() as u64;
    let within = |most| {
        formats::read(&path, &ReadOptions { unpack_limit: Some(most), ..ReadOptions::default() })
    };
    assert_eq!(within(length).unwrap(), rich_model());
    assert!(
        matches!(within(length - 1), Err(FormatError::UnpacksToMore { most, .. }) if most == length - 1)
    );
}

#[test]
fn damaged_and_other_compressions_are_named() {
    let scratch = Scratch::new();
    for name in ["m.json.gz", "m.drn.gz", "m.umb"] {
        let path = scratch.path(name);
        formats::write(&rich_model(), &path, IfExists::Refuse).unwrap();
        let bytes = fs::read(&path).unwrap();
        let cut = scratch.with(name, &bytes[..bytes.len() - 30]);
        let said = scratch.message(&read(&cut).unwrap_err());
        assert!(
            said.starts_with(&format!("{name}: the gzip data is damaged or cut off")),
            "{said}"
        );
        assert!(said.ends_with("get the file anew"), "{said}");
    }
    for (magic, kind) in
        [(&b"BZh91AY"[..], "bzip2"), (b"\xfd7zXZ\0", "xz"), (b"\x28\xb5\x2f\xfd", "zstd")]
    {
        let said = scratch.message(&read(&scratch.with("m.umb", magic)).unwrap_err());
        assert_eq!(
            said,
            format!("m.umb: {kind} is not read: unpack the file, or compress it with gzip")
        );
    }
    // Latin letters inside a compressed file are found by unpacking it again.
    let latin = scratch.with("latin.json.gz", packed(b"{\"format\":\n\"caf\xe9\"}"));
    let said = scratch.message(&read(&latin).unwrap_err());
    assert_eq!(said, "latin.json.gz:2: the file is not UTF-8 text here: save it as UTF-8");
}

#[test]
fn a_remark_stands_in_the_index() {
    let scratch = Scratch::new();
    let path = scratch.path("m.umb");
    formats::write_with(&rich_model(), Some("only a part"), &path, IfExists::Refuse).unwrap();
    let index = entries(&fs::read(&path).unwrap()).remove("index.json").unwrap();
    let index: Value = serde_json::from_slice(&index).unwrap();
    assert_eq!(index["model-data"]["comment"], "only a part");
    assert_eq!(read(&path).unwrap(), rich_model());
}

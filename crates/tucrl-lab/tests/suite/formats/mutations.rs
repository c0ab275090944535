//! Damaged files: reading must end with an error or a valid model, never with a panic.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::*;

#[derive(Debug, Clone)]
pub(crate) enum Damage {
    Flip(Index, u8),
    Replace(Index, u8),
    Insert(Index, u8),
    Delete(Index, Index),
    Duplicate(Index, Index),
    Truncate(Index),
    Splice(Index, Index),
    DuplicateLine(Index),
    DeleteLine(Index),
    SwapLines(Index, Index),
    Number(Index, &'static str),
}

pub(crate) fn damage() -> impl Strategy<Value = Damage> {
    let index = any::<Index>;
    let telling = prop::sample::select(b"[]{}:,\"-.019eE$@/ \n\t\\".to_vec());
    let number = prop::sample::select(vec![
        "-1",
        "1e999",
        "18446744073709551616",
        "4294967296",
        "NaN",
        "inf",
        "1/0",
        "0",
        "",
        "1e-400",
    ]);
    prop_oneof![
        (index(), 0..8u8).prop_map(|(at, bit)| Damage::Flip(at, bit)),
        (index(), telling.clone()).prop_map(|(at, byte)| Damage::Replace(at, byte)),
        (index(), telling).prop_map(|(at, byte)| Damage::Insert(at, byte)),
        (index(), index()).prop_map(|(from, to)| Damage::Delete(from, to)),
        (index(), index()).prop_map(|(from, to)| Damage::Duplicate(from, to)),
        index().prop_map(Damage::Truncate),
        (index(), index()).prop_map(|(from, to)| Damage::Splice(from, to)),
        index().prop_map(Damage::DuplicateLine),
        index().prop_map(Damage::DeleteLine),
        (index(), index()).prop_map(|(a, b)| Damage::SwapLines(a, b)),
        (index(), number).prop_map(|(at, number)| Damage::Number(at, number)),
    ]
}

pub(crate) fn apply(text: &mut Vec<u8>, damage: &Damage) {
    if text.is_empty() {
        return;
    }
    let length = text.len();
    let range = |a: &Index, b: &Index| {
        let (a, b) = (a.index(length), b.index(length));
        a.min(b)..a.max(b).min(a.min(b) + 40)
    };
    let mut lines: Vec<Vec<u8>> = text.split_inclusive(|&b| b == b'\n').map(Into::into).collect();
    match damage {
        Damage::Flip(at, bit) => text[at.index(length)] ^= 1 << bit,
        Damage::Replace(at, byte) => text[at.index(length)] = *byte,
        Damage::Insert(at, byte) => text.insert(at.index(length), *byte),
        Damage::Delete(a, b) => drop(text.drain(range(a, b))),
        Damage::Duplicate(a, b) => {
            let piece = text[range(a, b)].to_vec();
            let at = a.index(length);
            text.splice(at..at, piece);
        }
        Damage::Truncate(at) => text.truncate(at.index(length)),
        Damage::Splice(a, b) => {
            let tail = text[b.index(length)..].to_vec();
            text.truncate(a.index(length));
            text.extend(tail);
        }
        Damage::DuplicateLine(at) => {
            let at = at.index(lines.len());
            lines.insert(at, lines[at].clone());
            *text = lines.concat();
        }
        Damage::DeleteLine(at) => {
            lines.remove(at.index(lines.len()));
            *text = lines.concat();
        }
        Damage::SwapLines(a, b) => {
            let (a, b) = (a.index(lines.len()), b.index(lines.len()));
            lines.swap(a, b);
            *text = lines.concat();
        }
        Damage::Number(at, number) => {
            let from = (at.index(length)..length).find(|&i| text[i].is_ascii_digit());
            if let Some(from) = from {
                let to = (from..length).find(|&i| !text[i].is_ascii_digit()).unwrap_or(length);
                text.splice(from..to, number.bytes());
            }
        }
    }
}

/// A model that was read keeps every promise that a model makes.
fn assert_valid(mdp: &Mdp) {
    for pair in 0..mdp.pairs() {
        let row = mdp.row(pair);
        assert!((row.probability.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(row.next.iter().all(|&next| (next as usize) < mdp.states()));
        assert!((0.0..=mdp.r_max()).contains(&mdp.mean_reward(pair)));
    }
    assert!((0..mdp.states()).all(|state| mdp.actions(state) > 0));
    assert!((mdp.start().map(|entry| entry.1).sum::<f64>() - 1.0).abs() < 1e-9);
    assert_survives(mdp);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn damaged_files_never_panic(
        which in 0..7usize,
        damages in vec(damage(), 1..4),
    ) {
        let scratch = Scratch::new();
        let (name, mut text) = match which {
            0 | 1 => {
                let name = ["m.json", "m.drn"][which];
                formats::write(&rich_model(), &scratch.path(name), IfExists::Replace).unwrap();
                (name, fs::read(scratch.path(name)).unwrap())
            }
            2 => ("m.json", fs::read(data("recycling_robot.json")).unwrap()),
            4 => {
                // Not compressed, so that the damage gets past the check of the compression.
                formats::write(&rich_model(), &scratch.path("m.umb"), IfExists::Replace).unwrap();
                ("m.umb", unpacked(&fs::read(scratch.path("m.umb")).unwrap()))
            }
            5 | 6 => {
                for extension in ["tra", "sta", "lab", "srew", "trew"] {
                    let from = data(&format!("prism/ferry.{extension}"));
                    fs::copy(from, scratch.path(&format!("ferry.{extension}"))).unwrap();
                }
                let name = ["ferry.tra", "ferry.trew"][which - 5];
                (name, fs::read(scratch.path(name)).unwrap())
            }
            _ => ("m.drn", fs::read(data("ferry.drn")).unwrap()),
        };
        for damage in &damages {
            apply(&mut text, damage);
        }
        let mut path = scratch.with(name, &text);
        if which == 6 {
            path = scratch.path("ferry.tra");
        }
        let reward_model = (which == 3).then(|| "tickets".to_string());
        match formats::read(&path, &ReadOptions { reward_model, ..ReadOptions::default() }) {
            Ok(mdp) => assert_valid(&mdp),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

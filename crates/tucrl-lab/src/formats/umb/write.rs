//! How is a model written as UMB?
//!
//! Mean rewards are one annotation of choices, named `reward`; the number of an action within its state is its choice
//! action. Entries have no times, so that the same model gives the same bytes.

use std::io::{self, Write};

use serde_json::{Map, Value, json};
use tar::{Builder, EntryType, Header};
use tucrl::mdp::Mdp;
use tucrl::pulse::Pulse;
use tucrl::reward::{PairReward, RewardLaw};

use super::super::law::{write_law, write_list, write_names, write_range, write_states};
use super::{FORMAT_VERSION, INDEX, TOOL, VERSION};
use crate::text::printable;

/// The revision of the format that is written.
const FORMAT_REVISION: u64 = 1;

/// Writes the whole model.
pub(in super::super) fn write(
    mdp: &Mdp,
    remark: Option<&str>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut archive = Builder::new(out);
    let mut entry = |name: &str, bytes: &[u8]| {
        if Pulse::is_stopped() {
            return Err(io::Error::other("interrupted"));
        }
        let mut header = Header::new_ustar();
        header.set_entry_type(EntryType::Regular);
        header.set_mode(0o644);
        header.set_size(bytes.len() as u64);
        archive.append_data(&mut header, name, bytes)
    };
    entry(INDEX, &index(mdp, remark)?)?;
    entry("state-is-initial.bin", &bits(mdp.start().map(|entry| entry.0), mdp.states()))?;
    let pairs = (0..mdp.states()).map(|state| mdp.pairs_of(state).len());
    entry("state-to-choices.bin", &offsets(pairs))?;
    let lengths = (0..mdp.pairs()).map(|pair| mdp.row(pair).len());
    entry("choice-to-branches.bin", &offsets(lengths))?;
    let rows = || (0..mdp.pairs()).map(|pair| mdp.row(pair));
    let targets = rows().flat_map(|row| row.next.iter().map(|&next| u64::from(next).to_le_bytes()));
    entry("branch-to-target.bin", &targets.flatten().collect::<Vec<u8>>())?;
    let chances = rows().flat_map(|row| row.probability.iter().map(|p| p.to_le_bytes()));
    entry("branch-to-probability.bin", &chances.flatten().collect::<Vec<u8>>())?;
    let actions = (0..mdp.states()).flat_map(|state| 0..mdp.pairs_of(state).len() as u32);
    let actions = actions.flat_map(|action| action.to_le_bytes());
    entry("actions/choices/values.bin", &actions.collect::<Vec<u8>>())?;
    if !mdp.action_names().is_empty() {
        let names = mdp.action_names();
        entry("actions/choices/strings.bin", names.concat().as_bytes())?;
        let lengths = offsets(names.iter().map(String::len));
        entry("actions/choices/string-mapping.bin", &lengths)?;
    }
    let rewards = (0..mdp.pairs()).flat_map(|pair| mdp.mean_paid(pair).to_le_bytes());
    entry("annotations/rewards/reward/choices/values.bin", &rewards.collect::<Vec<u8>>())?;
    archive.finish()
}

/// The sums of the lengths before each item, and of all.
fn offsets(lengths: impl Iterator<Item = usize>) -> Vec<u8> {
    let mut end = 0;
    let ends = lengths.map(|length| {
        end += length as u64;
        end
    });
    [0].into_iter().chain(ends).flat_map(u64::to_le_bytes).collect()
}

/// A bit per state, filled up to words of 64.
fn bits(set: impl Iterator<Item = usize>, states: usize) -> Vec<u8> {
    let mut bytes = vec![0; 8 * states.div_ceil(64)];
    for state in set {
        bytes[state / 8] |= 1 << (state % 8);
    }
    bytes
}

fn index(mdp: &Mdp, remark: Option<&str>) -> io::Result<Vec<u8>> {
    let double = json!({"type": "double", "size": 64});
    let mut index = Map::new();
    index.insert("format-version".into(), FORMAT_VERSION.into());
    index.insert("format-revision".into(), FORMAT_REVISION.into());
    if let Some(remark) = remark {
        index.insert("model-data".into(), json!({"comment": printable(remark)}));
    }
    index.insert(
        "file-data".into(),
        json!({
            "tool": TOOL,
            "tool-version": env!("CARGO_PKG_VERSION"),
            "parameters": serde_json::from_slice::<Value>(&parameters(mdp)?)?,
        }),
    );
    let branches: usize = (0..mdp.pairs()).map(|pair| mdp.row(pair).len()).sum();
    index.insert(
        "transition-system".into(),
        json!({
            "time": "discrete",
            "#players": 1,
            "#states": mdp.states(),
            "#initial-states": mdp.start().count(),
            "#choices": mdp.pairs(),
            "#choice-actions": mdp.max_actions(),
            "#branches": branches,
            "#branch-actions": 0,
            "#observations": 0,
            "branch-probability-type": double,
        }),
    );
    index.insert(
        "annotations".into(),
        json!({"rewards": {"reward": {"applies-to": ["choices"], "type": double}}}),
    );
    Ok(serde_json::to_vec_pretty(&index)?)
}

/// What the arrays cannot say, spelled as in our other formats.
fn parameters(mdp: &Mdp) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    let out: &mut dyn Write = &mut text;
    write!(out, "{{\"version\":{VERSION}")?;
    write_range(out, mdp.reward_range(), |out, key| write!(out, ",\"{key}\":"))?;
    let start: Vec<(usize, f64)> = mdp.start().collect();
    // A single start state is given by its bit.
    if !matches!(start[..], [(_, 1.0)]) {
        out.write_all(b",\"start\":")?;
        write_states(out, start.into_iter())?;
    }
    if !mdp.state_names().is_empty() {
        out.write_all(b",\"state_names\":")?;
        write_names(out, mdp.state_names())?;
    }
    let pairs = || 0..mdp.pairs();
    let alone = pairs().filter_map(|pair| match mdp.reward(pair) {
        PairReward::Alone(RewardLaw::Constant(_)) | PairReward::Joint(_) => None,
        PairReward::Alone(law) => Some((pair, law)),
    });
    let mut alone = alone.peekable();
    if alone.peek().is_some() {
        out.write_all(b",\"rewards\":")?;
        write_list(out, alone, |out, (pair, law)| {
            write!(out, "[{pair},")?;
            write_law(out, law)?;
            out.write_all(b"]")
        })?;
    }
    let joint = pairs().filter_map(|pair| match mdp.reward(pair) {
        PairReward::Joint(laws) => Some((pair, laws)),
        PairReward::Alone(_) => None,
    });
    let mut joint = joint.peekable();
    if joint.peek().is_some() {
        out.write_all(b",\"joint_rewards\":")?;
        write_list(out, joint, |out, (pair, laws)| {
            write!(out, "[{pair},")?;
            write_list(out, laws.iter(), |out, law| write_law(out, law))?;
            out.write_all(b"]")
        })?;
    }
    out.write_all(b"}")?;
    Ok(text)
}

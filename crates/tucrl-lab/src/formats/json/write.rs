//! How is a `tucrl-mdp` file written? The version and small keys first, then one line per state.

use std::io::{self, Write};

use tucrl::mdp::Mdp;
use tucrl::pulse::Pulse;
use tucrl::reward::PairReward;

use super::super::law::write_string;
use super::super::law::{write_law, write_list, write_names, write_range, write_states};

/// Writes the whole model.
pub(in super::super) fn write(mdp: &Mdp, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{{\"format\":\"{}\",\"version\":{}", super::NAME, super::VERSION)?;
    write_range(out, mdp.reward_range(), |out, key| write!(out, ",\n\"{key}\":"))?;
    out.write_all(b",\n\"start\":")?;
    write_states(out, mdp.start())?;
    if !mdp.action_names().is_empty() {
        out.write_all(b",\n\"action_names\":")?;
        write_names(out, mdp.action_names())?;
    }
    if !mdp.state_names().is_empty() {
        out.write_all(b",\n\"state_names\":[")?;
        write_lines(out, mdp.state_names(), |out, name| write_string(out, name))?;
    }
    out.write_all(b",\n\"states\":[")?;
    write_lines(out, 0..mdp.states(), |out, state| {
        write_list(out, mdp.pairs_of(state), |out, pair| write_action(mdp, pair, out))
    })?;
    out.write_all(b"}\n")
}

/// Writes the items of an open list one per line, and closes it.
fn write_lines<T>(
    out: &mut dyn Write,
    items: impl IntoIterator<Item = T>,
    mut write_item: impl FnMut(&mut dyn Write, T) -> io::Result<()>,
) -> io::Result<()> {
    for (index, item) in items.into_iter().enumerate() {
        if Pulse::is_stopped() {
            return Err(io::Error::other("interrupted"));
        }
        out.write_all(if index > 0 { b",\n" } else { b"\n" })?;
        write_item(out, item)?;
    }
    out.write_all(b"\n]")
}

fn write_action(mdp: &Mdp, pair: usize, out: &mut dyn Write) -> io::Result<()> {
    let row = mdp.row(pair);
    match mdp.reward(pair) {
        PairReward::Alone(law) => {
            out.write_all(b"{\"reward\":")?;
            write_law(out, law)?;
            out.write_all(b",\"to\":")?;
            write_states(out, row.iter())?;
        }
        PairReward::Joint(laws) => {
            out.write_all(b"{\"to\":")?;
            write_list(out, row.iter().zip(laws), |out, ((next, probability), law)| {
                write!(out, "[{next},{probability:?},")?;
                write_law(out, law)?;
                out.write_all(b"]")
            })?;
        }
    }
    out.write_all(b"}")
}

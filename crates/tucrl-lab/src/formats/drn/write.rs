//! How is a model written as DRN with `//@tucrl` comments?
//!
//! The body holds mean rewards as one action reward model named `reward`. `@value_type` is left
//! out: older releases of Storm refuse it, newer ones do not need it. Comments start in the first
//! column and never follow a header key.

use std::io::{self, Write};

use tucrl::mdp::Mdp;
use tucrl::pulse::Pulse;
use tucrl::reward::{PairReward, RewardLaw};

use super::super::law::write_string;
use super::super::law::{write_law, write_list, write_names, write_range, write_states};
use super::super::lines::MARK;
use super::VERSION;
use crate::text::printable;

/// Writes the whole model.
pub(in super::super) fn write(
    mdp: &Mdp,
    remark: Option<&str>,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "// Written by tucrl. The {MARK} lines carry what DRN cannot say.")?;
    if let Some(remark) = remark {
        // A comment ends with its line.
        writeln!(out, "// {}", printable(remark))?;
    }
    writeln!(out, "{MARK} version {VERSION}")?;
    write_range(out, mdp.reward_range(), |out, word| write!(out, "{MARK} {word} "))?;
    writeln!(out)?;
    let start: Vec<(usize, f64)> = mdp.start().collect();
    // A single start state is given by its label.
    if !matches!(start[..], [(_, 1.0)]) {
        note(out, "start", |out| write_states(out, start.iter().copied()))?;
    }
    if !mdp.action_names().is_empty() {
        note(out, "action_names", |out| write_names(out, mdp.action_names()))?;
    }
    writeln!(out, "@type: MDP\n@parameters\n\n@reward_models\nreward")?;
    writeln!(out, "@nr_states\n{}\n@nr_choices\n{}\n@model", mdp.states(), mdp.pairs())?;
    let mut starts = start.iter().map(|entry| entry.0).peekable();
    for state in 0..mdp.states() {
        if Pulse::is_stopped() {
            return Err(io::Error::other("interrupted"));
        }
        let is_start = starts.next_if_eq(&state).is_some();
        writeln!(out, "state {state}{}", if is_start { " init" } else { "" })?;
        if let Some(name) = mdp.state_names().get(state) {
            note(out, "name", |out| write_string(out, name))?;
        }
        for (action, pair) in mdp.pairs_of(state).enumerate() {
            writeln!(out, "\taction {action} [{:?}]", mdp.mean_paid(pair))?;
            match mdp.reward(pair) {
                PairReward::Alone(RewardLaw::Constant(_)) => {}
                PairReward::Alone(law) => note(out, "reward", |out| write_law(out, law))?,
                PairReward::Joint(laws) => note(out, "rewards", |out| {
                    write_list(out, laws.iter(), |out, law| write_law(out, law))
                })?,
            }
            for (next, probability) in mdp.row(pair).iter() {
                writeln!(out, "\t\t{next} : {probability:?}")?;
            }
        }
    }
    Ok(())
}

fn note(
    out: &mut dyn Write,
    word: &str,
    value: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    write!(out, "{MARK} {word} ")?;
    value(out)?;
    out.write_all(b"\n")
}

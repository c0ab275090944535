//! Output of `learn` as a table.
//!
//! Mean regret at every decade, a column per agent; below it, in the same columns, how fast it grows and
//! what the agent did. All within 80 columns: more than three agents get tables below each other.

use std::fmt::{Error, Write};

use tucrl::truth::Baseline;
use tucrl_lab::runner::Outcome;
use tucrl_lab::stats::{growth, half_width, mean};
use tucrl_lab::text::{counted, digits, mean_and_half, number, plain_growth, short_duration};

use super::super::text::printable;
use super::Learned;

const TIME_WIDTH: usize = 13;
const WIDTH: usize = 22;
const COLUMNS: usize = 3;
const NOTHING: &str = "-";

/// One agent's column.
struct Column<'a> {
    label: String,
    spec: String,
    outcomes: Vec<&'a Outcome>,
}

/// The answer for people.
pub(super) fn page(learned: &Learned<'_>) -> Result<String, Error> {
    let mut out = String::new();
    let Learned { experiment, facts, .. } = *learned;
    let (seeds, master_seed) = (experiment.seeds, experiment.master_seed);
    let world = experiment.worlds[0].world.to_string();
    let runs = match seeds {
        1 => "1 run".into(),
        _ => format!("{seeds} runs"),
    };
    writeln!(
        out,
        "{}: {}, {runs}, master seed {master_seed}",
        printable(&world),
        counted(learned.steps() as usize, "step")
    )?;
    let (gain, reachable) = (number(facts.gain), facts.reachable);
    let states = counted(facts.states as usize, "state");
    match &facts.baseline {
        Baseline::Optimal => {
            writeln!(out, "optimal gain {gain}, {reachable} of {states} reachable\n")?;
        }
        Baseline::BestKnown { explored } => {
            writeln!(out, "optimal gain unknown: {reachable} of {states} and more are reachable.")?;
            writeln!(
                out,
                "The best policy known, which stays with {explored} states, earns {gain}.\n"
            )?;
        }
        Baseline::Nothing => writeln!(out, "optimal gain unknown, {states}\n")?,
    }
    let columns = columns(learned);
    let renamed: Vec<&Column<'_>> = columns.iter().filter(|c| c.label != c.spec).collect();
    for column in &renamed {
        writeln!(out, "{:<12} {}", column.label, column.spec)?;
    }
    if !renamed.is_empty() {
        writeln!(out)?;
    }
    for (index, group) in columns.chunks(COLUMNS).enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        table(&mut out, learned, group)?;
    }
    let interval = if seeds > 1 { "; its mean ± a 95 % interval" } else { "" };
    match &facts.baseline {
        Baseline::Nothing => {
            writeln!(out, "\nRewards per step, averaged from the first step on{interval}.")?;
            writeln!(out, "Z: steps in pairs that were poorly visited at the time.")?;
        }
        baseline => {
            let gain = match baseline.is_optimal() {
                true => "optimal gain",
                false => "best known gain, a lower bound on the optimal one,",
            };
            writeln!(out, "\nRegret: {gain} times steps, minus the rewards{interval}.")?;
            writeln!(
                out,
                "Growth: exponent of the mean regret over its last decade; 1 is linear, 0.5 a\n\
                 square root, 0 flat. Z: steps in pairs that were poorly visited at the time."
            )?;
        }
    }
    if !learned.is_complete() {
        writeln!(out, "* from the runs that came so far; not all runs are complete.")?;
    }
    Ok(out)
}

/// Specs that fit are their own labels; others are called by name, numbered where it is not unique.
fn columns<'a>(learned: &Learned<'a>) -> Vec<Column<'a>> {
    let names: Vec<&str> = learned.by_agent().map(|(agent, _)| agent.kind().about().name).collect();
    let agents = learned.by_agent().enumerate();
    agents
        .map(|(index, (agent, outcomes))| {
            let (name, spec) = (names[index], agent.to_string());
            let is_same = |other: &&str| *other == name;
            let place = names[..index].iter().filter(|other| is_same(other)).count() + 1;
            let label =
                match (spec.chars().count() < WIDTH, names.iter().filter(|o| is_same(o)).count()) {
                    (true, _) => spec.clone(),
                    (false, 1) => name.into(),
                    (false, _) => format!("{name} ({place})"),
                };
            Column { label, spec, outcomes: outcomes.iter().flatten().collect() }
        })
        .collect()
}

fn table(out: &mut String, learned: &Learned<'_>, columns: &[Column<'_>]) -> Result<(), Error> {
    let mut row = |label: &str, cells: Vec<String>| {
        if cells.iter().all(|cell| cell == NOTHING) {
            return Ok(());
        }
        let mut line = format!("{label:<TIME_WIDTH$}");
        for cell in cells {
            write!(line, "{cell:>WIDTH$}")?;
        }
        writeln!(out, "{}", line.trim_end())
    };
    row("step", columns.iter().map(|column| column.label.clone()).collect())?;
    for time in decades(learned.steps()) {
        let shown = |column: &Column<'_>| match learned.facts.baseline {
            Baseline::Nothing => column.reward(time),
            _ => column.regret(time),
        };
        row(&time.to_string(), columns.iter().map(shown).collect())?;
    }
    row("", vec![String::new()])?;
    let growths: Vec<Option<f64>> = match learned.facts.baseline {
        Baseline::Nothing => columns.iter().map(|_| None).collect(),
        _ => columns.iter().map(Column::growth).collect(),
    };
    let shown = |growth: &Option<f64>| growth.map_or(NOTHING.into(), plain_growth);
    row("growth", growths.iter().map(shown).collect())?;
    row("", growths.iter().map(|growth| growth.map_or(NOTHING, meaning).into()).collect())?;
    if learned.facts.baseline != Baseline::Nothing {
        let rewards = columns.iter().map(|column| column.reward(learned.steps()));
        row("reward/step", rewards.collect())?;
    }
    type Fact = (&'static str, fn(&Outcome) -> Option<u64>);
    let facts: [Fact; 4] = [
        ("episodes", |o| Some(o.record.episodes.len() as u64).filter(|&count| count > 0)),
        ("states seen", |o| Some(o.record.seen).filter(|&seen| seen > 0)),
        ("Z", |o| Some(o.record.z).filter(|_| !o.record.episodes.is_empty())),
        ("sweeps", |o| Some(o.record.sweeps).filter(|&sweeps| sweeps > 0)),
    ];
    for (label, fact) in facts {
        row(label, columns.iter().map(|column| column.range(fact)).collect())?;
    }
    if !learned.is_complete() {
        let taken = columns.iter().map(|column| column.range(|o| Some(o.record.steps)));
        row("steps taken", taken.collect())?;
        let last = columns.iter().map(|column| {
            let regrets: Vec<f64> = column.outcomes.iter().map(|o| o.last_regret).collect();
            mean_and_half(mean(&regrets), half_width(&regrets))
        });
        row("regret there", last.collect())?;
    }
    let seconds = |spent: fn(&Outcome) -> f64| {
        columns.iter().map(move |column| {
            let each: Vec<f64> = column.outcomes.iter().map(|outcome| spent(outcome)).collect();
            short_duration(mean(&each))
        })
    };
    row("simulating", seconds(|o| o.simulate.as_secs_f64()).collect())?;
    row("planning", seconds(|o| o.plan.as_secs_f64()).collect())
}

/// 10, 100, … and the last step.
fn decades(steps: u64) -> Vec<u64> {
    let powers = std::iter::successors(Some(10u64), |power| power.checked_mul(10));
    powers.take_while(|&power| power < steps).chain([steps]).collect()
}

impl Column<'_> {
    /// Regret at a time, of the runs that came so far.
    fn values(&self, time: u64) -> Vec<f64> {
        let at = |outcome: &&Outcome| {
            let regret = &outcome.record.regret;
            let place = regret.binary_search_by_key(&time, |(time, _)| *time).ok()?;
            Some(regret[place].1)
        };
        self.outcomes.iter().filter_map(at).collect()
    }

    /// Rewards per step up to a time, of the runs that came so far.
    fn reward(&self, time: u64) -> String {
        let gain = self.outcomes.first().map_or(0.0, |outcome| outcome.record.gain);
        let values: Vec<f64> =
            self.values(time).into_iter().map(|regret| gain - regret / time as f64).collect();
        if values.is_empty() {
            return NOTHING.into();
        }
        let mark = if values.len() < self.outcomes.len() { "*" } else { "" };
        let mean = digits(mean(&values), 4);
        half_width(&values).map_or(mean.clone(), |half| format!("{mean} ± {half:.1e}")) + mark
    }

    fn regret(&self, time: u64) -> String {
        let values = self.values(time);
        if values.is_empty() {
            return NOTHING.into();
        }
        let mark = if values.len() < self.outcomes.len() { "*" } else { "" };
        mean_and_half(mean(&values), half_width(&values)) + mark
    }

    /// The exponent of the mean over the last decade that all runs have passed.
    fn growth(&self) -> Option<f64> {
        let shortest = self.outcomes.iter().min_by_key(|outcome| outcome.record.steps)?;
        let times = || shortest.record.regret.iter().map(|(time, _)| *time);
        let last = times().next_back()?;
        let first = times().rfind(|&time| time <= last / 10)?;
        growth((first, mean(&self.values(first))), (last, mean(&self.values(last))))
    }

    fn range(&self, fact: impl Fn(&Outcome) -> Option<u64>) -> String {
        let found = || self.outcomes.iter().filter_map(|outcome| fact(outcome));
        match (found().min(), found().max()) {
            (Some(least), Some(most)) if least == most => least.to_string(),
            (Some(least), Some(most)) => format!("{least} to {most}"),
            _ => NOTHING.into(),
        }
    }
}

fn meaning(growth: f64) -> &'static str {
    match growth {
        g if g < -0.15 => "falling",
        g if g < 0.15 => "flat",
        g if g < 0.4 => "below a square root",
        g if g < 0.6 => "a square root",
        g if g < 0.9 => "above a square root",
        g if g < 1.1 => "linear",
        _ => "above linear",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decades_end_with_the_last_step() {
        assert_eq!(decades(1000), [10, 100, 1000]);
        assert_eq!(decades(2500), [10, 100, 1000, 2500]);
        assert_eq!(decades(7), [7]);
        assert_eq!(decades(10_000_000_000).len(), 10);
    }

    #[test]
    fn growth_is_put_in_words() {
        let words = [(1.0, "linear"), (0.5, "a square root"), (0.02, "flat"), (-1.0, "falling")];
        for (growth, word) in words {
            assert_eq!(meaning(growth), word);
        }
        assert!((-20..40).all(|tenth| meaning(f64::from(tenth) / 10.0).len() < WIDTH));
    }
}

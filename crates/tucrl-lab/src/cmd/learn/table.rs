//! What does a person get to read of the runs?
//!
//! Mean regret at every decade, a column per agent; below it, in the same columns, how fast it grows and
//! what the agent did. All within 80 columns: more than three agents get tables below each other.

use std::fmt::{Error, Write};

use tucrl_lab::record::Against;
use tucrl_lab::runner::{Ending, Outcome};
use tucrl_lab::stats::{growth, half_width, mean};

use super::super::text::{counted, digits, number, printable};
use super::Experiment;

const TIME_WIDTH: usize = 13;
const WIDTH: usize = 22;
const COLUMNS: usize = 3;
const NOTHING: &str = "-";

/// One agent's column.
struct Column<'a> {
    label: String,
    outcomes: &'a [Outcome],
}

/// The answer for people.
pub(super) fn page(experiment: &Experiment, outcomes: &[Outcome]) -> Result<String, Error> {
    let mut out = String::new();
    let Experiment { world, states, truth, steps, seeds, master_seed, .. } = experiment;
    let runs = match seeds {
        1 => "1 run".into(),
        _ => format!("{seeds} runs"),
    };
    writeln!(
        out,
        "{}: {}, {runs}, master seed {master_seed}",
        printable(world),
        counted(*steps as usize, "step")
    )?;
    let (gain, reachable) = (number(truth.gain), truth.reachable);
    let states = counted(*states as usize, "state");
    match &experiment.against {
        Against::Optimal => {
            writeln!(out, "optimal gain {gain}, {reachable} of {states} reachable\n")?;
        }
        Against::BestKnown { explored } => {
            writeln!(out, "optimal gain unknown: {reachable} of {states} and more are reachable.")?;
            writeln!(
                out,
                "The best policy known, which stays with {explored} states, earns {gain}.\n"
            )?;
        }
        Against::Nothing => writeln!(out, "optimal gain unknown, {states}\n")?,
    }
    let columns = columns(experiment, outcomes);
    for (column, (name, _)) in columns.iter().zip(&experiment.agents) {
        if column.label != *name {
            writeln!(out, "{:<12} {name}", column.label)?;
        }
    }
    if columns.iter().zip(&experiment.agents).any(|(column, (name, _))| column.label != *name) {
        writeln!(out)?;
    }
    for (index, group) in columns.chunks(COLUMNS).enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        table(&mut out, experiment, group)?;
    }
    let interval = if *seeds > 1 { "; its mean ± a 95 % interval" } else { "" };
    match &experiment.against {
        Against::Nothing => {
            writeln!(out, "\nRewards a step, averaged from the first step on{interval}.")?;
            writeln!(out, "Z: steps in pairs that were poorly visited at the time.")?;
        }
        against => {
            let gain = match against.is_optimal() {
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
    if outcomes.iter().any(|outcome| outcome.ending != Ending::Complete) {
        writeln!(out, "* from the runs that came so far; not all runs are complete.")?;
    }
    Ok(out)
}

/// Specs that fit are their own labels; others are called by name, numbered where it is not unique.
fn columns<'a>(experiment: &'a Experiment, outcomes: &'a [Outcome]) -> Vec<Column<'a>> {
    let short = |index: usize| experiment.agents[index].1.name();
    let agents = experiment.by_agent(outcomes).enumerate();
    agents
        .map(|(index, ((name, _), outcomes))| {
            let same: Vec<usize> =
                (0..experiment.agents.len()).filter(|&i| short(i) == short(index)).collect();
            let place = same.iter().position(|&i| i == index).unwrap_or(0);
            let label = match (name.chars().count() < WIDTH, same.len()) {
                (true, _) => name.clone(),
                (false, 1) => short(index).into(),
                (false, _) => format!("{} ({})", short(index), place + 1),
            };
            Column { label, outcomes }
        })
        .collect()
}

fn table(out: &mut String, experiment: &Experiment, columns: &[Column<'_>]) -> Result<(), Error> {
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
    for time in decades(experiment.steps) {
        let shown = |column: &Column<'_>| match experiment.against {
            Against::Nothing => column.reward(time),
            _ => column.regret(time),
        };
        row(&time.to_string(), columns.iter().map(shown).collect())?;
    }
    row("", vec![String::new()])?;
    let growths: Vec<Option<f64>> = match experiment.against {
        Against::Nothing => columns.iter().map(|_| None).collect(),
        _ => columns.iter().map(Column::growth).collect(),
    };
    let shown = |growth: &Option<f64>| growth.map_or(NOTHING.into(), |g| format!("{:.2}", g + 0.0));
    row("growth", growths.iter().map(shown).collect())?;
    row("", growths.iter().map(|growth| growth.map_or(NOTHING, meaning).into()).collect())?;
    if experiment.against != Against::Nothing {
        let rewards = columns.iter().map(|column| column.reward(experiment.steps));
        row("reward a step", rewards.collect())?;
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
    if columns.iter().flat_map(|c| c.outcomes).any(|o| o.ending != Ending::Complete) {
        let taken = columns.iter().map(|column| column.range(|o| Some(o.record.steps)));
        row("steps taken", taken.collect())?;
        let last = columns.iter().map(|column| {
            let regrets: Vec<f64> = column.outcomes.iter().map(|o| o.last_regret).collect();
            interval(mean(&regrets), half_width(&regrets))
        });
        row("regret there", last.collect())?;
    }
    let seconds = |spent: fn(&Outcome) -> f64| {
        columns.iter().map(move |column| {
            let each: Vec<f64> = column.outcomes.iter().map(spent).collect();
            duration(mean(&each))
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
        let at = |outcome: &Outcome| {
            let regret = &outcome.record.regret;
            let place = regret.binary_search_by_key(&time, |(time, _)| *time).ok()?;
            Some(regret[place].1)
        };
        self.outcomes.iter().filter_map(at).collect()
    }

    /// Rewards a step up to a time, of the runs that came so far.
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
        interval(mean(&values), half_width(&values)) + mark
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
        let found = || self.outcomes.iter().filter_map(&fact);
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

/// A mean with its interval: as many digits as the interval leaves, one exponent for both.
fn interval(mean: f64, half: Option<f64>) -> String {
    let Some(half) = half else { return digits(mean, 4) };
    let scale = mean.abs().max(half);
    if scale >= 1e7 {
        let exponent = scale.log10().floor() as i32;
        let unit = 10f64.powi(exponent);
        return format!("({:.3} ± {:.3})e{exponent}", mean / unit, half / unit);
    }
    // Two digits of the interval, at most three decimals.
    let decimals = match half {
        0.0 => 1,
        half => (1 - half.log10().floor() as i32).clamp(0, 3) as usize,
    };
    format!("{:.decimals$} ± {half:.decimals$}", mean + 0.0)
}

fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 0.001 => "under 1 ms".into(),
        s if s < 1.0 => format!("{:.0} ms", 1000.0 * s),
        s => format!("{} s", digits(s, 3)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_show_the_digits_that_are_known() {
        let shown = [
            (466.87, Some(12.34), "467 ± 12"),
            (3.3333, Some(0.4567), "3.33 ± 0.46"),
            (0.5, Some(0.0), "0.5 ± 0.0"),
            (161_234.6, Some(1163.2), "161235 ± 1163"),
            (1.234_567e8, Some(2.5e6), "(1.235 ± 0.025)e8"),
            (-12.0, Some(30.0), "-12 ± 30"),
            (466.87, None, "466.9"),
            (123_456.7, None, "123457"),
            (2.5e8, None, "2.500e8"),
            (0.0, None, "0"),
            (0.000_123_456, None, "0.0001235"),
        ];
        for (mean, half, text) in shown {
            assert_eq!(interval(mean, half), text);
            assert!(text.chars().count() < WIDTH);
        }
    }

    #[test]
    fn decades_end_with_the_last_step() {
        assert_eq!(decades(1000), [10, 100, 1000]);
        assert_eq!(decades(2500), [10, 100, 1000, 2500]);
        assert_eq!(decades(7), [7]);
        assert_eq!(decades(10_000_000_000).len(), 10);
    }

    #[test]
    fn durations_are_short() {
        let shown = [0.0, 0.0123, 1.2345, 86_400.0].map(duration);
        assert_eq!(shown, ["under 1 ms", "12 ms", "1.23 s", "86400 s"]);
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

//! Output of `learn` as a table.
//!
//! Mean regret at every decade, a column per agent; below it, in the same columns, how fast it grows and
//! what the agent did. As many agents as fit the terminal stand side by side, the others below.

use std::fmt::{Error, Write};

use tucrl::truth::Baseline;
use tucrl_lab::runner::Outcome;
use tucrl_lab::stats::{Growth, Regret, half_width, mean};
use tucrl_lab::text::{
    counted, digits, mean_and_half, number, plain_growth, printable, short_duration, with_error,
    wrapped,
};

use super::super::text::page_width;
use super::Learned;

const TIME_WIDTH: usize = 13;
const WIDTH: usize = 22;
const NOTHING: &str = "-";

/// One agent's column.
struct Column<'a> {
    title: String,
    /// What the title stands for, where it is not the spec.
    meaning: Option<String>,
    /// The runs that took at least one step.
    outcomes: Vec<&'a Outcome>,
    /// How many were asked for.
    asked: usize,
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
    let gain = match facts.regret_error(learned.steps()) {
        Some(_) => with_error(facts.gain, facts.gain_error),
        None => number(facts.gain),
    };
    let reachable = facts.reachable;
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
    let renamed = || columns.iter().filter_map(|c| Some((&c.title, c.meaning.as_ref()?)));
    for (title, meaning) in renamed() {
        writeln!(out, "{title:<12} {meaning}")?;
    }
    if renamed().next().is_some() {
        writeln!(out)?;
    }
    let side_by_side = (page_width().saturating_sub(TIME_WIDTH) / WIDTH).max(1);
    for (index, group) in columns.chunks(side_by_side).enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        table(&mut out, learned, group)?;
    }
    writeln!(out)?;
    for line in wrapped(&legend(learned), page_width()) {
        writeln!(out, "{line}")?;
    }
    if !learned.is_complete() {
        writeln!(out, "* from the runs that came so far; not all runs are complete.")?;
    }
    let what = if learned.is_complete() { "store and plot" } else { "store, continue and plot" };
    writeln!(out, "\nnext  tucrl run --help    {what} such runs")?;
    Ok(out)
}

/// What the rows mean.
fn legend(learned: &Learned<'_>) -> String {
    let has_runs = learned.experiment.seeds > 1;
    let z = "Z: steps in pairs that were poorly visited at the time.";
    let gain = match &learned.facts.baseline {
        Baseline::Nothing => {
            let interval = if has_runs { "; the mean ± a 95 % interval" } else { "" };
            return format!("Rewards per step, averaged from the first step on{interval}. {z}");
        }
        Baseline::Optimal => "the optimal gain",
        Baseline::BestKnown { .. } => "the best known gain, a lower bound on the optimal one,",
    };
    let mut regret = learned.shown.explained(gain);
    if has_runs {
        regret += " ± is a 95 % interval of the mean.";
    }
    let loses_gain = |outcome: &Outcome| outcome.record.gain_lost.is_some();
    if learned.shown == Regret::Gap && learned.outcomes.iter().flatten().any(loses_gain) {
        regret += " Gain lost for good is added: what every such loss costs up to the step.";
    }
    let fitted = match learned.shown.without_noise() {
        Regret::Pseudo => "mean pseudo-regret (mean rewards in place of rewards)",
        _ => "mean gap regret",
    };
    let word = match has_runs {
        true => {
            " Below it a 95 % interval, over the runs and over both halves of that decade, and a word \
             where the whole interval supports it."
        }
        false => "",
    };
    let exploration = match learned.experiment.exploration {
        true => format!(
            " Explorations: times at which an agent leaves an optimal policy, from a tenth of the run on; worst \
             loss: the largest gap regret in the {} steps after one.",
            tucrl::exploration::LONGEST
        ),
        false => String::new(),
    };
    format!(
        "{regret} Growth: exponent of the {fitted} over the last decade; 1 is linear, 0.5 a square \
         root, 0 flat.{word} {z}{exploration}"
    )
}

/// Labels that fit, as most specs do, stand above their columns; others are called by name, numbered where that is not
/// unique.
fn columns<'a>(learned: &Learned<'a>) -> Vec<Column<'a>> {
    let labels: Vec<String> = learned.by_agent().map(|(agent, _)| agent.label()).collect();
    let names: Vec<&str> = learned.by_agent().map(|(agent, _)| agent.kind().about().name).collect();
    let mut taken: Vec<String> = labels.clone();
    let mut title = |index: usize| {
        let (name, label) = (names[index], &labels[index]);
        if label.chars().count() < WIDTH {
            return label.clone();
        }
        let is_alone = names.iter().filter(|other| **other == name).count() == 1;
        let alone = is_alone.then(|| name.to_owned());
        let first = names[..=index].iter().filter(|other| **other == name).count();
        let numbered = (first..).map(|place| format!("{name} ({place})"));
        let free = alone.into_iter().chain(numbered).find(|title| !taken.contains(title));
        taken.extend(free.clone());
        free.unwrap_or_default()
    };
    let agents = learned.by_agent().enumerate();
    agents
        .map(|(index, (agent, outcomes))| {
            let (label, title, spec) = (&labels[index], title(index), agent.to_string());
            let named = if *label == spec { spec } else { format!("{label}={spec}") };
            // The title says it all, or the label does before its spec.
            let meaning = match (title == named, title == *label) {
                (true, _) => None,
                (false, true) => Some(agent.to_string()),
                (false, false) => Some(named),
            };
            let asked = outcomes.len();
            let has_begun = |outcome: &&Outcome| outcome.record.steps > 0;
            let outcomes = outcomes.iter().flatten().filter(has_begun).collect();
            Column { title, meaning, outcomes, asked }
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
    row("step", columns.iter().map(|column| column.title.clone()).collect())?;
    for time in decades(learned.steps()) {
        let shown = |column: &Column<'_>| match learned.facts.baseline {
            Baseline::Nothing => column.reward(time),
            _ => column.regret(learned.shown, time),
        };
        row(&time.to_string(), columns.iter().map(shown).collect())?;
    }
    row("", vec![String::new()])?;
    let growths: Vec<Option<Growth>> = match learned.facts.baseline {
        Baseline::Nothing => columns.iter().map(|_| None).collect(),
        _ => columns.iter().map(|column| column.growth(learned.shown)).collect(),
    };
    let mut growth_row = |label: &str, shown: fn(Growth) -> Option<String>| {
        let cell = |growth: &Option<Growth>| growth.and_then(shown).unwrap_or(NOTHING.into());
        row(label, growths.iter().map(cell).collect())
    };
    growth_row("growth", |growth| Some(plain_growth(growth.exponent)))?;
    growth_row("", |growth| {
        let (low, high) = growth.range.or(growth.interval)?;
        Some(format!("{} to {}", plain_growth(low), plain_growth(high)))
    })?;
    growth_row("", |growth| growth.word().map(Into::into))?;
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
    let times = columns.iter().map(|c| c.range(|o| Some(o.record.exploration.as_ref()?.times)));
    row("explorations", times.collect())?;
    let worst = columns.iter().map(Column::worst_exploration);
    row("worst loss", worst.collect())?;
    if !learned.is_complete() {
        let begun = |column: &Column<'_>| format!("{} of {}", column.outcomes.len(), column.asked);
        row("runs begun", columns.iter().map(begun).collect())?;
        let taken = columns.iter().map(|column| column.range(|o| Some(o.record.steps)));
        row("steps taken", taken.collect())?;
        let last = columns.iter().map(|column| {
            let last = |outcome: &&Outcome| match learned.shown {
                Regret::Gap => outcome.last_gap_regret,
                Regret::Realised | Regret::Pseudo => Some(outcome.last_regret),
            };
            let regrets: Vec<f64> = column.outcomes.iter().filter_map(last).collect();
            match regrets.is_empty() {
                true => NOTHING.into(),
                false => mean_and_half(mean(&regrets), half_width(&regrets)),
            }
        });
        row("regret there", last.collect())?;
    }
    let seconds = |spent: fn(&Outcome) -> f64| {
        columns.iter().map(move |column| {
            let each: Vec<f64> = column.outcomes.iter().map(|outcome| spent(outcome)).collect();
            if each.is_empty() { NOTHING.into() } else { short_duration(mean(&each)) }
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
    fn values(&self, kind: Regret, time: u64) -> Vec<f64> {
        let at = |outcome: &&Outcome| {
            let regret = kind.of(&outcome.record)?;
            let place = regret.binary_search_by_key(&time, |(time, _)| *time).ok()?;
            Some(regret[place].1)
        };
        self.outcomes.iter().filter_map(at).collect()
    }

    /// Rewards per step up to a time, of the runs that came so far.
    fn reward(&self, time: u64) -> String {
        let gain = self.outcomes.first().map_or(0.0, |outcome| outcome.record.gain);
        let values: Vec<f64> = self
            .values(Regret::Realised, time)
            .into_iter()
            .map(|regret| gain - regret / time as f64)
            .collect();
        if values.is_empty() {
            return NOTHING.into();
        }
        let mark = self.mark(&values);
        let mean = digits(mean(&values), 4);
        half_width(&values).map_or(mean.clone(), |half| format!("{mean} ± {half:.1e}")) + mark
    }

    /// Marks a mean that is not over all runs.
    fn mark(&self, values: &[f64]) -> &'static str {
        if values.len() < self.asked { "*" } else { "" }
    }

    fn regret(&self, kind: Regret, time: u64) -> String {
        let values = self.values(kind, time);
        if values.is_empty() {
            return NOTHING.into();
        }
        let mark = self.mark(&values);
        mean_and_half(mean(&values), half_width(&values)) + mark
    }

    /// The growth over the last decade that all runs have passed.
    fn growth(&self, kind: Regret) -> Option<Growth> {
        let kind = kind.without_noise();
        let curves = self.outcomes.iter().filter_map(|outcome| kind.of(&outcome.record));
        let curves: Vec<_> = curves.filter(|curve| !curve.is_empty()).collect();
        Growth::fitted(&curves, 1.0)
    }

    /// The largest loss in the longest window after an exploration time, averaged over runs.
    fn worst_exploration(&self) -> String {
        let worst = |outcome: &&Outcome| {
            let loss = outcome.record.exploration.as_ref().filter(|loss| loss.times > 0)?;
            loss.windows.last().map(|window| window.2)
        };
        let values: Vec<f64> = self.outcomes.iter().filter_map(worst).collect();
        match values.is_empty() {
            true => NOTHING.into(),
            false => mean_and_half(mean(&values), half_width(&values)),
        }
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

#[cfg(test)]
mod tests {
    use tucrl_lab::runner::Ending;
    use tucrl_lab::{Catalogue, Experiment, InMemory, execute};

    use super::*;

    /// The page of three runs each of two agents, after `change`.
    fn partial(change: impl FnOnce(&mut [Option<Outcome>])) -> String {
        let catalogue = Catalogue::default();
        let agents = ["oracle", "random"].map(|agent| catalogue.agent(agent).unwrap());
        let experiment = Experiment::new(InMemory {
            world: catalogue.world("three-state:delta=0").unwrap(),
            agents: agents.into(),
            steps: 1000,
            seeds: 3,
            master_seed: 1,
            checkpoints: 1,
            exploration: false,
        });
        let experiment = experiment.unwrap();
        let cells = experiment.cells();
        let worlds = execute::prepare(&experiment, &cells, &()).unwrap();
        let mut outcomes = execute::run_in_memory(&experiment, &cells, &worlds, &());
        change(&mut outcomes);
        let facts = worlds[&0].truth.facts();
        let shown = Regret::Realised;
        let (experiment, outcomes, answers) = (&experiment, &outcomes[..], &Default::default());
        page(&Learned { experiment, facts, shown, outcomes, answers }).unwrap()
    }

    /// The cells of a row.
    fn row<'a>(page: &'a str, label: &str) -> Vec<&'a str> {
        let line = page.lines().find(|line| line.starts_with(label)).unwrap_or_default();
        let cells = line.get(label.len()..).unwrap_or_default().split("  ").map(str::trim);
        cells.filter(|cell| !cell.is_empty()).collect()
    }

    #[test]
    fn runs_that_took_no_step_are_in_no_mean() {
        let whole = partial(|_| {});
        assert!(!whole.contains('*') && !whole.contains("runs begun"), "{whole}");
        // Of the first agent one run is complete, one was stopped before its first step, one was not started; of the
        // second none was started.
        let mut alone = 0.0;
        let stopped = partial(|outcomes| {
            alone = outcomes[0].as_ref().unwrap().last_regret;
            let never = outcomes[1].as_mut().unwrap();
            never.ending = Ending::Stopped;
            never.last_regret = 0.0;
            never.record.steps = 0;
            never.record.regret.clear();
            outcomes[2..].fill(None);
        });
        assert!(!stopped.contains("NaN"), "{stopped}");
        assert_eq!(row(&stopped, "runs begun"), ["1 of 3", "0 of 3"]);
        let only = mean_and_half(alone, None);
        assert_eq!(row(&stopped, "regret there"), [only.as_str(), "-"]);
        assert_eq!(row(&stopped, "1000 "), [format!("{only}*").as_str(), "-"]);
        assert_eq!(row(&stopped, "steps taken"), ["1000", "-"]);
        assert!(stopped.contains("* from the runs that came so far"), "{stopped}");
        // What was never started makes a mean partial as well.
        let fewer = partial(|outcomes| outcomes[1..3].fill(None));
        assert!(row(&fewer, "1000 ")[0].ends_with('*'), "{fewer}");
        assert!(!row(&fewer, "1000 ")[1].ends_with('*'), "{fewer}");
    }

    #[test]
    fn decades_end_with_the_last_step() {
        assert_eq!(decades(1000), [10, 100, 1000]);
        assert_eq!(decades(2500), [10, 100, 1000, 2500]);
        assert_eq!(decades(7), [7]);
        assert_eq!(decades(10_000_000_000).len(), 10);
    }
}

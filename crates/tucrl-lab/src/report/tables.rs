//! Which tables does a report have?
//!
//! `curves` has a row per run and checkpoint, `means` a row per agent and checkpoint, `summary` a row per world and
//! agent, `pairs` a row per comparison, `episodes` a row per episode; where it was measured, `exploration` a row per run
//! and window; with lists of values `sweeps` a row per world and agent of a sweep; with several worlds `across` a row per agent, `profiles` a row per agent and threshold,
//! `improvements` a row per two agents. docs/reports.md describes the columns; CSV and Parquet have the same ones.

use tucrl::rules::StopReason;
use tucrl::run::Case;

use crate::record::StoredRun;
use crate::stats::{
    Across, AgentStudy, Interval, Pair, Point, Regret, Sample, Share, Study, SweepStudy,
    VariantStudy, WorldStudy,
};

/// Columns of equal length.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Its name, also that of its files.
    pub name: &'static str,
    /// Its columns.
    pub columns: Vec<Column>,
}

/// One column.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Its values, by row.
    pub values: Values,
}

/// Values of one type.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Text.
    Text(Vec<String>),
    /// Whole numbers; none where undefined.
    Count(Vec<Option<u64>>),
    /// Numbers; none where undefined.
    Number(Vec<Option<f64>>),
    /// Booleans.
    Flag(Vec<bool>),
}

impl Table {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        match self.columns.first().map(|column| &column.values) {
            Some(Values::Text(values)) => values.len(),
            Some(Values::Count(values)) => values.len(),
            Some(Values::Number(values)) => values.len(),
            Some(Values::Flag(values)) => values.len(),
            None => 0,
        }
    }
}

/// A column of text.
fn text<T>(name: &'static str, rows: &[T], value: impl Fn(&T) -> &str) -> Column {
    Column { name, values: Values::Text(rows.iter().map(|row| value(row).to_owned()).collect()) }
}

fn count<T>(name: &'static str, rows: &[T], value: impl Fn(&T) -> Option<u64>) -> Column {
    Column { name, values: Values::Count(rows.iter().map(value).collect()) }
}

fn number<T>(name: &'static str, rows: &[T], value: impl Fn(&T) -> Option<f64>) -> Column {
    Column { name, values: Values::Number(rows.iter().map(value).collect()) }
}

fn flag<T>(name: &'static str, rows: &[T], value: impl Fn(&T) -> bool) -> Column {
    Column { name, values: Values::Flag(rows.iter().map(value).collect()) }
}

/// All tables of a study.
pub fn all(study: &Study<'_>) -> Vec<Table> {
    let mut tables =
        vec![curves(study), means(study), summary(study), pairs(study), episodes(study)];
    let exploration = exploration(study);
    if exploration.rows() > 0 {
        tables.push(exploration);
    }
    let sweeps = sweeps(study);
    if sweeps.rows() > 0 {
        tables.push(sweeps);
    }
    tables.extend(Across::new(study).iter().flat_map(across));
    tables
}

/// A row per run and window after exploration times, of the runs in which that was measured.
pub fn exploration(study: &Study<'_>) -> Table {
    let mut rows = Vec::new();
    for run in runs(study) {
        if let Some(loss) = &run.record.exploration {
            rows.extend(loss.windows.iter().map(|window| (run, loss, *window)));
        }
    }
    let columns = vec![
        text("world", &rows, |row| &row.0.world),
        text("agent", &rows, |row| &row.0.agent),
        text("label", &rows, |row| &row.0.label),
        count("run", &rows, |row| Some(row.0.spec.run)),
        count("from", &rows, |row| Some(row.1.from)),
        count("times", &rows, |row| Some(row.1.times)),
        count("window", &rows, |row| Some(row.2.0)),
        number("mean", &rows, |row| Some(row.2.1)),
        number("worst", &rows, |row| Some(row.2.2)),
    ];
    Table { name: "exploration", columns }
}

/// A row per world and agent of a sweep.
pub fn sweeps(study: &Study<'_>) -> Table {
    type Row<'s, 'a> = (&'s WorldStudy<'a>, &'s SweepStudy<'a>, &'s VariantStudy<'a>);
    let mut rows: Vec<Row<'_, '_>> = Vec::new();
    for world in &study.worlds {
        for sweep in &world.sweeps {
            rows.extend(sweep.variants.iter().map(|variant| (world, sweep, variant)));
        }
    }
    let values: Vec<String> = rows
        .iter()
        .map(|(_, sweep, variant)| {
            let pairs = sweep.parameters.iter().zip(&variant.values);
            pairs.map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(",")
        })
        .collect();
    let runs = |sample: Option<Sample>| Some(sample.map_or(0, |sample| sample.runs as u64));
    let mean = |sample: Option<Sample>| sample.map(|sample| sample.mean);
    let low = |sample: Option<Sample>| Some(sample?.student?.0);
    let high = |sample: Option<Sample>| Some(sample?.student?.1);
    let columns = vec![
        text("world", &rows, |row| row.0.world),
        text("group", &rows, |row| row.1.group),
        text("agent", &rows, |row| row.2.agent),
        Column { name: "values", values: Values::Text(values) },
        text("shown", &rows, |row| row.1.shown.word()),
        count("runs", &rows, |row| runs(row.2.evaluation)),
        number("mean", &rows, |row| mean(row.2.evaluation)),
        number("student_low", &rows, |row| low(row.2.evaluation)),
        number("student_high", &rows, |row| high(row.2.evaluation)),
        count("tuning_runs", &rows, |row| runs(row.2.tuning)),
        number("tuning_mean", &rows, |row| mean(row.2.tuning)),
        flag("is_best", &rows, |row| row.2.is_best),
    ];
    Table { name: "sweeps", columns }
}

/// The agents over all worlds: their interquartile means, performance profiles, and every two of them.
pub fn across(across: &Across<'_>) -> [Table; 3] {
    let low = |interval: Option<Interval>| interval.map(|(low, _)| low);
    let high = |interval: Option<Interval>| interval.map(|(_, high)| high);
    let agents = &across.agents;
    let means = vec![
        text("label", agents, |agent| agent.label),
        count("worlds", agents, |_| Some(across.worlds.len() as u64)),
        number("iqm", agents, |agent| Some(agent.iqm)),
        number("iqm_low", agents, |agent| low(agent.interval)),
        number("iqm_high", agents, |agent| high(agent.interval)),
    ];
    let mut rows: Vec<(&str, Share)> = Vec::new();
    for agent in agents {
        rows.extend(agent.profile.iter().map(|share| (agent.label, *share)));
    }
    let profiles = vec![
        text("label", &rows, |row| row.0),
        number("tau", &rows, |row| Some(row.1.tau)),
        number("share", &rows, |row| Some(row.1.share)),
        number("share_low", &rows, |row| low(row.1.interval)),
        number("share_high", &rows, |row| high(row.1.interval)),
    ];
    let rows = &across.improvements;
    let improvements = vec![
        text("first", rows, |row| row.first),
        text("second", rows, |row| row.second),
        number("probability", rows, |row| Some(row.probability)),
        number("probability_low", rows, |row| low(row.interval)),
        number("probability_high", rows, |row| high(row.interval)),
    ];
    [
        Table { name: "across", columns: means },
        Table { name: "profiles", columns: profiles },
        Table { name: "improvements", columns: improvements },
    ]
}

/// The rows of a table as JSON objects.
pub fn objects(table: &Table) -> Vec<serde_json::Value> {
    let cell = |values: &Values, row: usize| match values {
        Values::Text(values) => serde_json::json!(values[row]),
        Values::Count(values) => serde_json::json!(values[row]),
        Values::Number(values) => serde_json::json!(values[row]),
        Values::Flag(values) => serde_json::json!(values[row]),
    };
    let object = |row| {
        let cells = table.columns.iter().map(|column| (column.name, cell(&column.values, row)));
        cells.map(|(name, cell)| (name.to_owned(), cell)).collect::<serde_json::Map<_, _>>().into()
    };
    (0..table.rows()).map(object).collect()
}

/// Every run, including failed ones, in the order of worlds and agents.
fn runs<'a>(study: &Study<'a>) -> Vec<&'a StoredRun> {
    let agents = study.worlds.iter().flat_map(|world| &world.agents);
    agents.flat_map(|agent| agent.runs.iter().chain(&agent.failed)).copied().collect()
}

/// A row per agent and checkpoint that its complete runs have in common: what figures draw.
pub fn means(study: &Study<'_>) -> Table {
    type Row<'a> = (&'a WorldStudy<'a>, &'a AgentStudy<'a>, &'a Point);
    let mut rows: Vec<Row<'_>> = Vec::new();
    for world in &study.worlds {
        for agent in &world.agents {
            rows.extend(agent.curve().iter().map(|point| (world, agent, point)));
        }
    }
    let low = |interval: Option<Interval>| interval.map(|(low, _)| low);
    let high = |interval: Option<Interval>| interval.map(|(_, high)| high);
    let columns = vec![
        text("world", &rows, |row| row.0.world),
        text("agent", &rows, |row| row.1.agent),
        text("label", &rows, |row| row.1.label),
        text("regret", &rows, |row| row.1.shown.word()),
        count("t", &rows, |row| Some(row.2.t)),
        number("mean", &rows, |row| Some(row.2.mean)),
        number("median", &rows, |row| Some(row.2.median)),
        number("student_low", &rows, |row| low(row.2.student)),
        number("student_high", &rows, |row| high(row.2.student)),
        number("bootstrap_low", &rows, |row| low(row.2.bootstrap)),
        number("bootstrap_high", &rows, |row| high(row.2.bootstrap)),
        number("q05", &rows, |row| Some(row.2.outer.0)),
        number("q25", &rows, |row| Some(row.2.inner.0)),
        number("q75", &rows, |row| Some(row.2.inner.1)),
        number("q95", &rows, |row| Some(row.2.outer.1)),
    ];
    Table { name: "means", columns }
}

/// A row per run and checkpoint.
pub fn curves(study: &Study<'_>) -> Table {
    let mut rows = Vec::new();
    for run in runs(study) {
        rows.extend((0..run.record.regret.len()).map(|index| (run, index)));
    }
    type Row<'a> = (&'a StoredRun, usize);
    fn known(curve: &Option<Vec<(u64, f64)>>, row: &Row<'_>) -> Option<f64> {
        Some(curve.as_ref()?.get(row.1)?.1)
    }
    let columns = vec![
        text("world", &rows, |row| &row.0.world),
        text("agent", &rows, |row| &row.0.agent),
        text("label", &rows, |row| &row.0.label),
        count("run", &rows, |row| Some(row.0.spec.run)),
        count("t", &rows, |row| Some(row.0.record.regret[row.1].0)),
        number("regret", &rows, |row| Some(row.0.record.regret[row.1].1)),
        number("pseudo_regret", &rows, |row| Some(row.0.record.pseudo_regret.get(row.1)?.1)),
        number("gap_regret", &rows, |row| known(&row.0.record.gap_regret, row)),
        number("gain_lost", &rows, |row| known(&row.0.record.gain_lost, row)),
    ];
    Table { name: "curves", columns }
}

/// A row per world and agent, at the last common checkpoint of the agents of the world.
pub fn summary(study: &Study<'_>) -> Table {
    type Row<'s, 'a> = (&'s WorldStudy<'a>, &'s AgentStudy<'a>);
    let with = |world| move |agent| (world, agent);
    let rows: Vec<Row<'_, '_>> =
        study.worlds.iter().flat_map(|world| world.agents.iter().map(with(world))).collect();
    let point = |row: &Row<'_, '_>| row.1.point_at(row.0.time?).copied();
    let low = |interval: Option<Interval>| interval.map(|(low, _)| low);
    let high = |interval: Option<Interval>| interval.map(|(_, high)| high);
    let mean_of = |row: &Row<'_, '_>, kind| {
        let time = row.0.time?;
        row.1.curve_of(kind).iter().find(|point| point.t == time).map(|point| point.mean)
    };
    let growth = |row: &Row<'_, '_>| row.1.growth;
    let columns = vec![
        text("world", &rows, |row| row.0.world),
        text("agent", &rows, |row| row.1.agent),
        text("label", &rows, |row| row.1.label),
        count("runs", &rows, |row| Some(row.1.runs.len() as u64)),
        count("failed", &rows, |row| Some(row.1.failed.len() as u64)),
        count("t", &rows, |row| row.0.time),
        text("shown", &rows, |row| row.1.shown.word()),
        count("rank", &rows, |row| row.1.rank.map(|rank| rank as u64)),
        number("mean", &rows, |row| Some(point(row)?.mean)),
        number("median", &rows, |row| Some(point(row)?.median)),
        number("student_low", &rows, |row| low(point(row)?.student)),
        number("student_high", &rows, |row| high(point(row)?.student)),
        number("bootstrap_low", &rows, |row| low(point(row)?.bootstrap)),
        number("bootstrap_high", &rows, |row| high(point(row)?.bootstrap)),
        number("q05", &rows, |row| low(Some(point(row)?.outer))),
        number("q25", &rows, |row| low(Some(point(row)?.inner))),
        number("q75", &rows, |row| high(Some(point(row)?.inner))),
        number("q95", &rows, |row| high(Some(point(row)?.outer))),
        number("regret_mean", &rows, |row| mean_of(row, Regret::Realised)),
        number("pseudo_mean", &rows, |row| mean_of(row, Regret::Pseudo)),
        number("gap_mean", &rows, |row| mean_of(row, Regret::Gap)),
        number("growth", &rows, |row| Some(growth(row)?.exponent)),
        number("growth_low", &rows, |row| low(growth(row)?.interval)),
        number("growth_high", &rows, |row| high(growth(row)?.interval)),
        count("growth_from", &rows, |row| Some(growth(row)?.from)),
        count("growth_to", &rows, |row| Some(growth(row)?.to)),
        text("growth_word", &rows, |row| growth(row).and_then(|g| g.word()).unwrap_or("")),
        number("episodes", &rows, |row| row.1.mean_of(|record| record.episodes.len() as f64)),
        number("seen", &rows, |row| row.1.mean_of(|record| record.seen as f64)),
        number("z", &rows, |row| row.1.mean_of(|record| record.z as f64)),
        number("y", &rows, |row| row.1.mean_of(|record| record.y as f64)),
        number("gain", &rows, |row| Some(row.0.facts.gain)),
        flag("imported", &rows, |row| row.1.is_imported),
    ];
    Table { name: "summary", columns }
}

/// A row per pair of agents in the same world, at the same time as the summary.
pub fn pairs(study: &Study<'_>) -> Table {
    let with = |world| move |pair| (world, pair);
    type Row<'s, 'a> = (&'s WorldStudy<'a>, &'s Pair);
    let rows: Vec<Row<'_, '_>> =
        study.worlds.iter().flat_map(|world| world.pairs.iter().map(with(world))).collect();
    let ends = |interval: Option<Interval>| (interval.map(|i| i.0), interval.map(|i| i.1));
    let columns = vec![
        text("world", &rows, |row| row.0.world),
        text("shown", &rows, |row| row.0.shown.word()),
        text("first", &rows, |row| &row.1.first),
        text("second", &rows, |row| &row.1.second),
        count("t", &rows, |row| row.0.time),
        count("pairs", &rows, |row| Some(row.1.difference.runs as u64)),
        number("mean", &rows, |row| Some(row.1.difference.mean)),
        number("student_low", &rows, |row| ends(row.1.difference.student).0),
        number("student_high", &rows, |row| ends(row.1.difference.student).1),
        number("bootstrap_low", &rows, |row| ends(row.1.difference.bootstrap).0),
        number("bootstrap_high", &rows, |row| ends(row.1.difference.bootstrap).1),
        count("lower", &rows, |row| Some(row.1.difference.lower as u64)),
        count("higher", &rows, |row| Some(row.1.difference.higher as u64)),
        number("sign_test", &rows, |row| Some(row.1.difference.sign_test)),
        number("student_test", &rows, |row| row.1.difference.student_test),
        number("corrected_p", &rows, |row| row.1.corrected),
    ];
    Table { name: "pairs", columns }
}

/// A row per episode.
pub fn episodes(study: &Study<'_>) -> Table {
    let mut rows = Vec::new();
    for run in runs(study) {
        let numbered = run.record.episodes.iter().enumerate();
        rows.extend(numbered.map(|(index, (episode, case))| (run, index as u64, episode, *case)));
    }
    let columns = vec![
        text("world", &rows, |row| &row.0.world),
        text("agent", &rows, |row| &row.0.agent),
        text("label", &rows, |row| &row.0.label),
        count("run", &rows, |row| Some(row.0.spec.run)),
        count("episode", &rows, |row| Some(row.1)),
        count("start", &rows, |row| Some(row.2.start)),
        count("length", &rows, |row| Some(row.2.length)),
        text("stop", &rows, |row| stop_name(&row.2.stop)),
        count("stop_state", &rows, |row| stop_state(&row.2.stop)),
        count("stop_action", &rows, |row| match row.2.stop {
            StopReason::Doubling { action, .. } => Some(action.into()),
            _ => None,
        }),
        count("seen", &rows, |row| Some(row.2.seen)),
        count("unseen", &rows, |row| Some(row.2.unseen)),
        count("under_visited", &rows, |row| Some(row.2.under_visited)),
        flag("planned_unseen", &rows, |row| row.2.planned_unseen),
        flag("exploratory", &rows, |row| row.2.is_exploratory()),
        text("case", &rows, |row| case_name(row.3)),
        number("gain", &rows, |row| Some(row.2.gain)),
        number("span", &rows, |row| Some(row.2.span)),
        number("span_seen", &rows, |row| Some(row.2.span_seen)),
        count("sweeps", &rows, |row| Some(row.2.sweeps)),
        count("evaluations", &rows, |row| Some(row.2.evaluations)),
    ];
    Table { name: "episodes", columns }
}

/// The stop reason of an episode.
pub fn stop_name(stop: &StopReason) -> &'static str {
    match stop {
        StopReason::Doubling { .. } => "doubling",
        StopReason::NewState { .. } => "new state",
        StopReason::ReturnToNewStart { .. } => "return to new start",
        StopReason::Length => "length",
        StopReason::Other => "other",
        StopReason::Horizon => "horizon",
    }
}

fn stop_state(stop: &StopReason) -> Option<u64> {
    match stop {
        StopReason::Doubling { state, .. }
        | StopReason::NewState { state }
        | StopReason::ReturnToNewStart { state } => Some(*state),
        StopReason::Length | StopReason::Other | StopReason::Horizon => None,
    }
}

fn case_name(case: Case) -> &'static str {
    match case {
        Case::Plain => "plain",
        Case::CaseI => "I",
        Case::CaseII => "II",
        Case::Missed => "missed",
    }
}

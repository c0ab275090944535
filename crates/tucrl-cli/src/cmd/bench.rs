//! `tucrl bench`: do the benchmarks reach their goals on this machine?

use std::fmt::Write;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use anyhow::bail;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use tucrl_lab::Catalogue;
use tucrl_lab::formats::ReadOptions;
use tucrl_lab::names::nearest;
use tucrl_lab::record::Provenance;
use tucrl_lab::text::{digits, printable, with_error, with_unit, wrapped};
use tucrl_paper::bench::{BENCHMARKS, Benchmark, Goal, Length, Row, SolverTime, time_solver};

use super::text::{next, page_width};
use crate::cli::Bench;

/// The fields are the keys of the JSON output.
#[derive(Serialize)]
struct Report {
    version: &'static str,
    revision: Option<String>,
    optimised: bool,
    cores: usize,
    full: bool,
    seconds: f64,
    rows: Vec<Row>,
}

/// Repetitions of `--solve`; the best time counts.
const TIMES: u32 = 5;

pub(super) fn run(ask: &Bench, catalogue: &Catalogue) -> anyhow::Result<String> {
    let chosen = chosen(&ask.only)?;
    let world = ask.solve.as_deref().map(|text| catalogue.world(text)).transpose()?;
    if cfg!(debug_assertions) {
        super::say(
            "warning",
            "this is a debug build, its times are not meaningful: use `cargo run --release -- bench`",
        );
    }
    if let Some(world) = world {
        let time = time_solver(&*world.build(&ReadOptions::default())?, TIMES)?;
        let name = world.to_string();
        return if ask.json { super::json(&time) } else { Ok(one_world(&name, &time)) };
    }
    let length = if ask.full { Length::Full } else { Length::Short };
    let began = Instant::now();
    let bar = bar(chosen.len());
    let mut rows = Vec::new();
    for benchmark in chosen {
        bar.set_message(benchmark.question);
        rows.extend(benchmark.run(length)?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    let report = Report {
        version: env!("CARGO_PKG_VERSION"),
        revision: Provenance::revision(),
        optimised: !cfg!(debug_assertions),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        full: ask.full,
        seconds: began.elapsed().as_secs_f64(),
        rows,
    };
    if ask.json { super::json(&report) } else { Ok(page(&report)?) }
}

/// The named benchmarks in table order; all if none is named.
fn chosen(only: &[String]) -> anyhow::Result<Vec<&'static Benchmark>> {
    for name in only {
        if !BENCHMARKS.iter().any(|benchmark| benchmark.name == name) {
            let names: Vec<&str> = BENCHMARKS.iter().map(|benchmark| benchmark.name).collect();
            let hint = match nearest(name, names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there are {}", names.join(", ")),
            };
            bail!("there is no benchmark `{name}`: {hint}");
        }
    }
    let is_asked =
        |benchmark: &&Benchmark| only.is_empty() || only.iter().any(|name| name == benchmark.name);
    Ok(BENCHMARKS.iter().filter(is_asked).collect())
}

fn bar(benchmarks: usize) -> ProgressBar {
    let target = match io::stderr().is_terminal() {
        true => ProgressDrawTarget::stderr(),
        false => ProgressDrawTarget::hidden(),
    };
    let bar = ProgressBar::with_draw_target(Some(benchmarks as u64), target);
    if let Ok(style) = ProgressStyle::with_template("  {spinner} {pos}/{len} {elapsed}  {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

fn page(report: &Report) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    let revision =
        report.revision.as_ref().map_or(String::new(), |revision| format!(" ({revision})"));
    writeln!(
        out,
        "tucrl {}{revision}, {} cores; ratios of times measured alternately\n",
        report.version, report.cores
    )?;
    writeln!(out, "{:<14} {:>10} {:>10}", "benchmark", "measured", "goal")?;
    for row in &report.rows {
        let verdict = match row.met {
            Some(true) => "met",
            Some(false) => "not met",
            None => "",
        };
        let measured = with_unit(row.measured, row.unit);
        let goal = row.goal.map_or("none set".into(), |goal| match goal {
            Goal::AtLeast(least) => format!("≥ {}", with_unit(least, row.unit)),
            Goal::AtMost(most) => format!("≤ {}", with_unit(most, row.unit)),
        });
        let line = format!("{:<14} {measured:>10} {goal:>10}  {verdict}", row.name);
        writeln!(out, "{}", line.trim_end())?;
        for text in [&row.what, &row.details] {
            for line in wrapped(text, page_width() - 4) {
                writeln!(out, "    {line}")?;
            }
        }
    }
    writeln!(out, "\nTotal time: {:.0} seconds.", report.seconds)?;
    if !report.full {
        out += &next(&["bench", "--full"]);
    }
    Ok(out)
}

fn one_world(world: &str, time: &SolverTime) -> String {
    format!(
        "{}: gain {} in {} s, best of {}; {} states, {} transitions\n",
        printable(world),
        with_error(time.gain, time.gain_error),
        digits(time.seconds, 3),
        time.times,
        time.states,
        time.transitions
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_says_what_was_met_within_eighty_columns() {
        let row = |measured, met| Row {
            name: "learning-loop",
            what: "steps of one over steps of the other, ".repeat(4),
            measured,
            unit: "x",
            goal: Some(Goal::AtLeast(0.5)),
            met: Some(met),
            details: "12 ns against 8".into(),
        };
        let report = Report {
            version: "1.0.0",
            revision: None,
            optimised: true,
            cores: 2,
            full: false,
            seconds: 3.0,
            rows: vec![row(0.75, true), row(0.25, false)],
        };
        let page = page(&report).unwrap();
        assert!(page.lines().all(|line| line.chars().count() <= 80), "{page}");
        let verdicts: Vec<&str> =
            page.lines().filter(|line| line.starts_with("learning-loop")).collect();
        assert!(verdicts[0].contains("0.75x") && verdicts[0].ends_with("  met"), "{page}");
        assert!(verdicts[1].contains("≥ 0.5x") && verdicts[1].ends_with("not met"), "{page}");
    }

    #[test]
    fn unknown_benchmarks_are_refused_with_the_nearest_name() {
        let error = chosen(&["swep".into()]).err().map(|error| error.to_string()).unwrap();
        assert!(error.contains("did you mean `sweep`?"), "{error}");
        assert_eq!(chosen(&[]).unwrap().len(), BENCHMARKS.len());
        let two = chosen(&["threads".into(), "sweep".into()]).unwrap();
        assert_eq!(two.iter().map(|b| b.name).collect::<Vec<_>>(), ["sweep", "threads"]);
    }
}

//! How is the report written as one HTML page?
//!
//! The summaries as JSON, a style sheet and a small script, all inside; no network access. Tables are static HTML, so
//! that they can be read without scripts.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::{Value, json};
use tucrl::episode::EpisodeRecord;
use tucrl::math;

use super::ReportError;
use super::tables::stop_name;
use super::text::{Cells, facts_rows, final_table, pair_table, provenance_rows, uncertainty};
use crate::plot::believing;
use crate::record::{Provenance, StoredRun};
use crate::stats::{AgentStudy, Interval, Point, Study, WorldStudy};
use crate::text::{printable_lines, rounded};

/// The style sheet of all pages.
pub const STYLE: &str = include_str!("page.css");
const CHART: &str = include_str!("chart.js");
const PROGRAM: &str = include_str!("page.js");
/// Most points per curve; more than there are pixels are invisible.
const MOST_POINTS: usize = 400;
const MOST_EPISODES: usize = 800;

/// The page.
///
/// # Errors
/// When a record cannot be written as JSON.
pub fn html(study: &Study<'_>, provenance: &[Provenance]) -> Result<String, ReportError> {
    let worlds: Vec<Value> = study.worlds.iter().map(world).collect();
    let data = serde_json::to_string(&json!({ "worlds": worlds }))?;
    // Only this sequence could end the script element.
    let data = data.replace('<', "\\u003c");
    let mut sections = String::new();
    for (index, world) in study.worlds.iter().enumerate() {
        sections += &section(index, world);
    }
    let name = escaped(study.name);
    let provenance = table(&provenance_rows(provenance), "facts");
    let failed = failures(study);
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{name}: tucrl report</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header><h1>{name}</h1><p class=\"note\">Regret is the optimal gain times steps, minus the \
         rewards.</p></header>\n<main>\n{failed}{sections}\
         <section><h2>Provenance</h2>{provenance}</section>\n</main>\n\
         <script type=\"application/json\" id=\"data\">{data}</script>\n\
         <script>\n{CHART}{PROGRAM}</script>\n</body>\n</html>\n"
    ))
}

fn section(index: usize, world: &WorldStudy<'_>) -> String {
    let name = escaped(world.world);
    let ranking = table(&final_table(world), "numbers");
    let pairs = match world.pairs.is_empty() {
        true => String::new(),
        false => format!(
            "<h3>Paired comparison (same random streams)</h3>{}",
            table(&pair_table(world), "numbers")
        ),
    };
    let facts = table(&facts_rows(world.facts), "facts");
    let warning = uncertainty(world).map_or(String::new(), |warning| {
        format!("<p class=\"note\"><b>Warning:</b> {}</p>\n", escaped(&warning))
    });
    format!(
        "<section data-world=\"{index}\">\n<h2>{name}</h2>\n{warning}\
         <div class=\"regret\"></div>\n<h3>Final results</h3>{ranking}{pairs}\n\
         <h3>Episodes</h3><div class=\"episodes\"></div>\n\
         <details open><summary>World facts</summary>{facts}</details>\n</section>\n"
    )
}

fn failures(study: &Study<'_>) -> String {
    let mut list = String::new();
    for run in study.failed() {
        let why = run.error.as_deref().unwrap_or_default();
        let who = format!("{}, {}, run {}", run.world, run.label, run.spec.run);
        // Writing to a string cannot fail.
        let _ = write!(list, "<li><b>{}</b>: {}</li>", escaped(&who), escaped(why));
    }
    match list.is_empty() {
        true => list,
        false => format!(
            "<section class=\"failed\"><h2>Failed runs</h2><p>Failed runs are excluded from curves and \
             tables.</p><ul>{list}</ul></section>\n"
        ),
    }
}

/// A table, with a head if it has one.
fn table(cells: &Cells, class: &str) -> String {
    let row = |cells: &[String], tag: &str| {
        let cells = cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell)));
        format!("<tr>{}</tr>", cells.collect::<String>())
    };
    let head = cells.head.as_ref().map(|head| format!("<thead>{}</thead>", row(head, "th")));
    let body: String = cells.rows.iter().map(|cells| row(cells, "td")).collect();
    format!(
        "<div class=\"wide\"><table class=\"{class}\">{}<tbody>{body}</tbody></table></div>",
        head.unwrap_or_default()
    )
}

/// Text with HTML special characters escaped, and those that would turn the text around them.
pub fn escaped(text: &str) -> String {
    let text = printable_lines(text).replace('&', "&amp;");
    text.replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The data of a world for the script.
fn world(world: &WorldStudy<'_>) -> Value {
    let agents: Vec<Value> = world.agents.iter().map(agent).collect();
    json!({
        "world": world.world,
        "reachable": world.facts.reachable,
        "gain": world.facts.gain,
        "span": world.facts.span_reachable,
        "agents": agents,
    })
}

fn agent(agent: &AgentStudy<'_>) -> Value {
    let first = agent.runs.iter().find(|run| !run.record.episodes.is_empty());
    json!({
        "label": agent.label,
        "agent": agent.agent,
        "colour": agent.colour,
        "runs": agent.runs.len(),
        "regret": curve(&agent.regret),
        "pseudo": curve(&agent.pseudo_regret),
        "episodes": first.map(|run| timeline(run)),
    })
}

#[derive(Serialize, Default)]
struct Curve {
    t: Vec<u64>,
    mean: Vec<f64>,
    median: Vec<f64>,
    student: Vec<Option<Interval>>,
    bootstrap: Vec<Option<Interval>>,
    outer: Vec<Option<Interval>>,
    inner: Vec<Option<Interval>>,
}

fn curve(points: &[Point]) -> Curve {
    let mut curve = Curve::default();
    for point in thinned(points, MOST_POINTS) {
        curve.t.push(point.t);
        curve.mean.push(six_digits(point.mean));
        curve.median.push(six_digits(point.median));
        curve.student.push(point.student.map(both));
        curve.bootstrap.push(point.bootstrap.map(both));
        curve.outer.push(Some(both(point.outer)));
        curve.inner.push(Some(both(point.inner)));
    }
    curve
}

/// Six significant digits, more than a pixel shows; they halve the size of the page.
fn six_digits(value: f64) -> f64 {
    rounded(value, 6)
}

fn both((low, high): Interval) -> Interval {
    (six_digits(low), six_digits(high))
}

/// At most this number of items, evenly chosen, including the last.
fn thinned<T>(items: &[T], most: usize) -> Vec<&T> {
    let every = items.len().div_ceil(most).max(1);
    let offset = items.len().saturating_sub(1) % every;
    items.iter().skip(offset).step_by(every).collect()
}

/// The episodes of a run, with all stop reasons counted; at most `MOST_EPISODES` are shown.
fn timeline(run: &StoredRun) -> Value {
    let all: Vec<&EpisodeRecord> = run.record.episodes.iter().map(|(episode, _)| episode).collect();
    let mut stops: Vec<(&str, usize)> =
        ["doubling", "new state", "return to new start", "horizon"].map(|name| (name, 0)).into();
    for episode in &all {
        let name = stop_name(&episode.stop);
        stops.iter_mut().filter(|stop| stop.0 == name).for_each(|stop| stop.1 += 1);
    }
    let shown = distinct(&all, run.record.steps);
    let row = |index: usize| {
        let episode = all[index];
        let stop = stops.iter().position(|stop| stop.0 == stop_name(&episode.stop));
        json!([
            index,
            episode.start,
            episode.length,
            stop,
            episode.seen,
            episode.under_visited,
            six_digits(episode.gain),
            six_digits(episode.span),
        ])
    };
    json!({
        "run": run.spec.run,
        "steps": run.record.steps,
        "count": all.len(),
        "stops": stops,
        "rows": shown.into_iter().map(row).collect::<Vec<_>>(),
        "believing": merged(&believing(all.iter().copied())),
    })
}

/// Which episodes are shown: all, or the first of every small stretch of logarithmic and of linear time.
fn distinct(all: &[&EpisodeRecord], steps: u64) -> Vec<usize> {
    if all.len() <= MOST_EPISODES {
        return (0..all.len()).collect();
    }
    let half = MOST_EPISODES as f64 / 2.0;
    let end = steps.max(2) as f64;
    let place = |episode: &EpisodeRecord| {
        let t = episode.start as f64;
        ((t / end * half) as u64, (math::ln(t) / math::ln(end) * half) as u64)
    };
    let mut last = None;
    let mut chosen = Vec::new();
    for (index, episode) in all.iter().enumerate() {
        let here = Some(place(episode));
        if here != last || index + 1 == all.len() {
            chosen.push(index);
        }
        last = here;
    }
    chosen
}

/// Joins ranges whose gaps are too small to see.
fn merged(ranges: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut merged: Vec<(u64, u64)> = Vec::new();
    for &(from, to) in ranges {
        match merged.last_mut().filter(|last| from as f64 <= 1.002 * last.1 as f64) {
            Some(last) => last.1 = to,
            None => merged.push((from, to)),
        }
    }
    merged
}

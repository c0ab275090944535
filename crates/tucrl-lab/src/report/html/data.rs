//! Which data does the script of the page get?
//!
//! Per world and agent the statistics of every kind of regret at no more points than there are pixels, single runs as
//! far as the page stays small, the episodes of the first run, and losses after exploration times; over all worlds the
//! performance profiles.

use serde::Serialize;
use serde_json::{Map, Value, json};
use tucrl::episode::EpisodeRecord;
use tucrl::math;

use crate::plot::{believing, exploration_losses};
use crate::record::StoredRun;
use crate::report::tables::stop_name;
use crate::report::words;
use crate::stats::{Across, AgentAcross, AgentStudy, Interval, Point, Regret, Study, WorldStudy};
use crate::text::rounded;

/// Most points per curve; more than there are pixels are invisible.
const MOST_POINTS: usize = 400;
const MOST_EPISODES: usize = 800;
/// Most values of single runs on a page: about 400 kB.
const MOST_RUN_VALUES: usize = 50_000;
/// Points per curve of a single run: as many as the page allows, between these.
const RUN_POINTS: (usize, usize) = (15, 80);

/// All data of the page.
pub(super) fn data(study: &Study<'_>, across: Option<&Across<'_>>) -> Value {
    let agents = || study.worlds.iter().flat_map(|world| &world.agents);
    let curves: usize = agents().map(|agent| agent.runs.len() * kinds(agent).count()).sum();
    let points = (MOST_RUN_VALUES / curves.max(1)).clamp(RUN_POINTS.0, RUN_POINTS.1);
    // With very many runs, the first of every agent.
    let cells = agents().count().max(1) * Regret::ALL.len();
    let runs = (MOST_RUN_VALUES / (cells * points)).max(1);
    let worlds: Vec<Value> = study.worlds.iter().map(|one| world(one, (runs, points))).collect();
    json!({ "worlds": worlds, "across": across.map(profiles) })
}

fn profiles(across: &Across<'_>) -> Value {
    let agent = |agent: &AgentAcross<'_>| {
        let profile = || agent.profile.iter();
        json!({
            "label": agent.label,
            "colour": agent.colour,
            "tau": profile().map(|at| six_digits(at.tau)).collect::<Vec<_>>(),
            "share": profile().map(|at| six_digits(at.share)).collect::<Vec<_>>(),
            "interval": profile().map(|at| at.interval.map(both)).collect::<Vec<_>>(),
        })
    };
    json!({ "agents": across.agents.iter().map(agent).collect::<Vec<_>>() })
}

/// At most this number of single runs, with at most this number of points each.
type Single = (usize, usize);

fn world(world: &WorldStudy<'_>, single: Single) -> Value {
    let agents: Vec<Value> = world.agents.iter().map(|one| agent(one, single)).collect();
    let explained =
        Regret::ALL.map(|kind| (kind.word().to_owned(), json!(words::explained(world, kind))));
    json!({
        "world": world.world,
        "shown": world.shown.word(),
        "explained": explained.into_iter().collect::<Map<_, _>>(),
        "reachable": world.facts.reachable,
        "gain": world.facts.gain,
        "span": world.facts.span_reachable,
        "agents": agents,
    })
}

/// The kinds of regret that are known.
fn kinds(agent: &AgentStudy<'_>) -> impl Iterator<Item = Regret> {
    Regret::ALL.into_iter().filter(|kind| !agent.curve_of(*kind).is_empty())
}

fn agent(agent: &AgentStudy<'_>, single: Single) -> Value {
    let first = agent.runs.iter().find(|run| !run.record.episodes.is_empty());
    let regret = kinds(agent).map(|kind| (kind.word(), json!(curve(agent.curve_of(kind)))));
    json!({
        "label": agent.label,
        "title": agent.title(),
        "own": agent.has_own_measure.then(|| agent.shown.word()),
        "agent": agent.agent,
        "colour": agent.colour,
        "runs": agent.runs.len(),
        "regret": regret.map(|(word, curve)| (word.to_owned(), curve)).collect::<Map<_, _>>(),
        "each": each(agent, single),
        "episodes": first.map(|run| timeline(run)),
        "exploration": exploration(agent),
    })
}

/// Window, mean and worst loss after exploration times.
fn exploration(agent: &AgentStudy<'_>) -> Vec<(u64, f64, f64)> {
    let losses = exploration_losses(agent).into_iter();
    losses.map(|(window, mean, worst)| (window, six_digits(mean), six_digits(worst))).collect()
}

/// Single runs; none where there is one only, which is the mean.
fn each(agent: &AgentStudy<'_>, (most, points): Single) -> Option<Value> {
    if agent.runs.len() < 2 {
        return None;
    }
    let curve = agent.curve_of(kinds(agent).next()?);
    let times: Vec<u64> = thinned(curve, points).into_iter().map(|point| point.t).collect();
    let runs = || agent.runs.iter().take(most);
    let mut out = Map::new();
    for kind in kinds(agent) {
        let values = |run: &&StoredRun| -> Option<Vec<f64>> {
            let curve = kind.of(&run.record)?;
            let at = |t: &u64| curve.binary_search_by_key(t, |(t, _)| *t).ok();
            times.iter().map(|t| Some(rounded(curve[at(t)?].1, 4))).collect()
        };
        let values: Option<Vec<Vec<f64>>> = runs().map(values).collect();
        out.insert(kind.word().to_owned(), json!(values?));
    }
    out.insert("count".into(), json!(runs().count()));
    out.insert("t".into(), json!(times));
    Some(Value::Object(out))
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
        ["doubling", "new state", "return to new start", "length", "other", "horizon"]
            .map(|name| (name, 0))
            .into();
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

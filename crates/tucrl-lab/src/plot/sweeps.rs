//! How is regret drawn against a parameter, of agents or of worlds?
//!
//! The mean regret at the end of the runs with its 95 % interval, on the seeds that did not choose; a parameter whose
//! values are not numbers has no figure.

use super::axis::Axis;
use super::canvas::cut;
use super::colour;
use super::curves::{Curve, CurvesFigure, Stroke};
use crate::stats::{Sample, Study, SweepStudy, WorldStudy, WorldSweep, number};
use crate::text::capitalised;

/// From this ratio of values on, an axis is logarithmic.
const WIDE: f64 = 8.0;

type Points = Vec<(f64, Sample)>;

/// Regret against one parameter of agents in one world; none where fewer than two values are numbers.
pub fn agent_sweep(world: &WorldStudy<'_>, parameter: &str) -> Option<CurvesFigure> {
    let mut curves: Vec<(String, Points)> = Vec::new();
    let mut best = Vec::new();
    for sweep in &world.sweeps {
        let Some(place) = sweep.parameters.iter().position(|one| *one == parameter) else {
            continue;
        };
        for variant in &sweep.variants {
            let (Some(value), Some(sample)) = (number(variant.values[place]), variant.evaluation)
            else {
                continue;
            };
            let name = named(sweep, &variant.values, place);
            match curves.iter_mut().find(|curve| curve.0 == name) {
                Some(curve) => curve.1.push((value, sample)),
                None => curves.push((name, vec![(value, sample)])),
            }
            if variant.is_best {
                best.push((value, "chosen".to_owned()));
            }
        }
    }
    let regret = world.sweeps.first().map_or(world.shown, |sweep| sweep.shown).name();
    let title = format!("{} against {parameter}", capitalised(regret));
    figure(format!("{title} in {}", cut(world.world, 40)), curves, best)
}

/// The parameters of the agents of a world that have lists of values.
pub fn swept_parameters<'a>(world: &WorldStudy<'a>) -> Vec<&'a str> {
    let mut all: Vec<&str> = Vec::new();
    for parameter in world.sweeps.iter().flat_map(|sweep| &sweep.parameters) {
        if !all.contains(parameter) {
            all.push(parameter);
        }
    }
    all
}

/// Regret of all agents against a parameter of worlds.
pub fn world_sweep(study: &Study<'_>, sweep: &WorldSweep<'_>) -> Option<CurvesFigure> {
    let mut curves: Vec<(String, Points)> = Vec::new();
    let mut names: Vec<&str> =
        sweep.worlds.iter().map(|(_, index)| study.worlds[*index].regret_name()).collect();
    names.dedup();
    // Different kinds of regret do not belong on one axis.
    let [name] = names[..] else { return None };
    for label in &study.labels {
        let mut points = Points::new();
        for (value, index) in &sweep.worlds {
            let world = &study.worlds[*index];
            let agent = world.agents.iter().find(|agent| agent.label == *label);
            let point = agent.and_then(|agent| agent.curve().last().map(|last| (agent, last)));
            if let Some((agent, point)) = point {
                let (runs, mean, student) = (agent.runs.len(), point.mean, point.student);
                points.push((*value, Sample { runs, mean, student }));
            }
        }
        curves.push(((*label).to_owned(), points));
    }
    let others =
        if sweep.others.is_empty() { String::new() } else { format!(", {}", sweep.others) };
    let title = format!("{} against {}", capitalised(name), sweep.parameter);
    figure(format!("{title} of {}{others}", cut(sweep.base, 40)), curves, Vec::new())
}

/// The name of a curve: the agent without its lists, and the values that are the same along it.
fn named(sweep: &SweepStudy<'_>, values: &[&str], but: usize) -> String {
    let pairs = sweep.parameters.iter().zip(values).enumerate().filter(|(place, _)| *place != but);
    let others: String = pairs.map(|(_, (key, value))| format!(", {key}={value}")).collect();
    format!("{}{others}", sweep.base)
}

fn figure(
    title: String,
    curves: Vec<(String, Points)>,
    marks: Vec<(f64, String)>,
) -> Option<CurvesFigure> {
    let values = || curves.iter().flat_map(|curve| curve.1.iter().map(|point| point.0));
    let (low, high) = values()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    if low >= high {
        return None;
    }
    let x = match low > 0.0 && high / low >= WIDE {
        true => Axis::log("value of the parameter", low, high, 6),
        false => Axis::tight("value of the parameter", low, high, 6),
    };
    let top = |sample: &Sample| sample.student.map_or(sample.mean, |(_, high)| high);
    let floor = |sample: &Sample| sample.student.map_or(sample.mean, |(low, _)| low);
    let all = || curves.iter().flat_map(|curve| curve.1.iter().map(|point| &point.1));
    let highest = all().map(top).fold(f64::NEG_INFINITY, f64::max);
    let lowest = all().map(floor).fold(0.0, f64::min);
    let drawn = curves.iter().enumerate().map(|(index, (name, points))| {
        let mut points = points.clone();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let band = points
            .iter()
            .filter_map(|(value, sample)| sample.student.map(|(low, high)| (*value, low, high)));
        let line = points.iter().map(|(value, sample)| (*value, sample.mean)).collect();
        Curve {
            band: band.collect(),
            ..Curve::new(name.clone(), colour(index), Stroke::Marked, line)
        }
    });
    Some(CurvesFigure {
        title,
        explanation: "mean at the end of the runs, shaded: 95 % interval (Student)".into(),
        y: Axis::linear("regret at the end", lowest, highest, 5),
        curves: drawn.collect(),
        x,
        marks,
    })
}

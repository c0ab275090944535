//! What are the curves of an experiment, by world and agent?
//!
//! Worlds and agents are in order of appearance, runs by index. Curves are those of complete runs at their common
//! checkpoints. Failed runs are counted and listed but excluded from curves, because the set of runs behind a mean must
//! not change along the curve.

use tucrl::run::RunRecord;

use super::bootstrap::{Bootstrap, Interval};
use super::ranking::{self, Pair};
use super::{growth, half_width, mean, quantile_of_sorted};
use crate::record::StoredRun;
use tucrl::truth::Facts;

/// The runs of an experiment.
#[derive(Debug, Clone)]
pub struct Study<'a> {
    /// The experiment's name.
    pub name: &'a str,
    /// The worlds, in order of appearance.
    pub worlds: Vec<WorldStudy<'a>>,
    /// The agents' labels in order of appearance; an agent has the same colour in every world.
    pub labels: Vec<&'a str>,
}

/// All agents in one world.
#[derive(Debug, Clone)]
pub struct WorldStudy<'a> {
    /// The world's spec.
    pub world: &'a str,
    /// Its facts.
    pub facts: &'a Facts,
    /// The agents, in order of appearance.
    pub agents: Vec<AgentStudy<'a>>,
    /// The last common checkpoint of all agents with a complete run.
    pub time: Option<u64>,
    /// Paired comparisons at that time.
    pub pairs: Vec<Pair>,
}

/// All runs of one agent in one world.
#[derive(Debug, Clone)]
pub struct AgentStudy<'a> {
    /// The agent's spec.
    pub agent: &'a str,
    /// Its label.
    pub label: &'a str,
    /// Its index among the labels of the study.
    pub colour: usize,
    /// The complete runs, by index.
    pub runs: Vec<&'a StoredRun>,
    /// The runs that failed.
    pub failed: Vec<&'a StoredRun>,
    /// Regret at the checkpoints.
    pub regret: Vec<Point>,
    /// Pseudo-regret at the checkpoints.
    pub pseudo_regret: Vec<Point>,
    /// Growth exponent of regret over the last decade.
    pub growth: Option<Growth>,
    /// Rank by mean regret at the common time, from 1; equal means share a rank.
    pub rank: Option<usize>,
}

/// Statistics of the runs at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// The time.
    pub t: u64,
    /// The mean over runs.
    pub mean: f64,
    /// The median.
    pub median: f64,
    /// The 95 % interval of the mean by Student's t; none for a single run.
    pub student: Option<Interval>,
    /// The 95 % bootstrap interval of the mean.
    pub bootstrap: Option<Interval>,
    /// The 5 % and 95 % quantiles of the runs.
    pub outer: Interval,
    /// The 25 % and 75 % quantiles.
    pub inner: Interval,
}

/// A growth exponent: the slope of ln regret against ln t.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Growth {
    /// Where the decade begins; the last checkpoint that is at most a tenth of the end.
    pub from: u64,
    /// Where it ends.
    pub to: u64,
    /// The exponent of the mean regret.
    pub exponent: f64,
    /// Its 95 % bootstrap interval.
    pub interval: Option<Interval>,
}

type Curve = fn(&RunRecord) -> &[(u64, f64)];

impl<'a> Study<'a> {
    /// Groups and summarises the runs; none if there are no runs.
    pub fn new(runs: &'a [StoredRun]) -> Option<Self> {
        let mut labels: Vec<&str> = Vec::new();
        let mut worlds: Vec<(&str, Vec<&StoredRun>)> = Vec::new();
        for run in runs {
            if !labels.contains(&run.label.as_str()) {
                labels.push(&run.label);
            }
            match worlds.iter_mut().find(|(world, _)| *world == run.world) {
                Some((_, members)) => members.push(run),
                None => worlds.push((&run.world, vec![run])),
            }
        }
        let name = &runs.first()?.experiment;
        let worlds = worlds
            .into_iter()
            .filter_map(|(world, members)| WorldStudy::new(world, &members, &labels))
            .collect();
        Some(Self { name, worlds, labels })
    }

    /// The failed runs of all worlds.
    pub fn failed(&self) -> impl Iterator<Item = &'a StoredRun> + '_ {
        self.worlds.iter().flat_map(|world| &world.agents).flat_map(|agent| &agent.failed).copied()
    }
}

impl<'a> WorldStudy<'a> {
    fn new(world: &'a str, members: &[&'a StoredRun], labels: &[&str]) -> Option<Self> {
        let mut agents: Vec<AgentStudy<'a>> = Vec::new();
        for run in members {
            let place = agents.iter().position(|agent| agent.agent == run.agent);
            let place = place.unwrap_or_else(|| {
                agents.push(AgentStudy::empty(run, labels));
                agents.len() - 1
            });
            let agent = &mut agents[place];
            let list = if run.error.is_none() { &mut agent.runs } else { &mut agent.failed };
            list.push(run);
        }
        agents.iter_mut().for_each(AgentStudy::summarise);
        let time = agents.iter().filter_map(|agent| agent.regret.last()).map(|point| point.t).min();
        if let Some(time) = time {
            ranking::rank(&mut agents, time);
        }
        let pairs = time.map_or_else(Vec::new, |time| ranking::pairs(&agents, time));
        Some(Self { world, facts: &members.first()?.facts, agents, time, pairs })
    }
}

impl<'a> AgentStudy<'a> {
    fn empty(run: &'a StoredRun, labels: &[&str]) -> Self {
        Self {
            agent: &run.agent,
            label: &run.label,
            colour: labels.iter().position(|label| *label == run.label).unwrap_or(0),
            runs: Vec::new(),
            failed: Vec::new(),
            regret: Vec::new(),
            pseudo_regret: Vec::new(),
            growth: None,
            rank: None,
        }
    }

    fn summarise(&mut self) {
        let key = |run: &&StoredRun| (run.spec.master_seed, run.spec.run);
        self.runs.sort_by_key(key);
        self.runs.dedup_by_key(|run| key(run));
        self.failed.sort_by_key(key);
        let bootstrap = Bootstrap::new(self.runs.len());
        self.regret = points(&self.runs, |record| &record.regret, &bootstrap);
        self.pseudo_regret = points(&self.runs, |record| &record.pseudo_regret, &bootstrap);
        self.growth = self.measure_growth(&bootstrap);
    }

    fn measure_growth(&self, bootstrap: &Bootstrap) -> Option<Growth> {
        let to = self.regret.last()?.t;
        let from = self.regret.iter().rfind(|point| point.t <= to / 10)?.t;
        let (first, last) = (self.regret_at(from), self.regret_at(to));
        let slope = |first, last| growth((from, first), (to, last));
        let exponent = slope(mean(&first), mean(&last))?;
        let drawn = |draw: &[u32]| {
            let of = |values: &[f64]| draw.iter().map(|&run| values[run as usize]).sum::<f64>();
            slope(of(&first), of(&last))
        };
        Some(Growth { from, to, exponent, interval: bootstrap.interval(drawn) })
    }

    /// The growth exponent of pseudo-regret over the last decades, fitted by least squares to the
    /// logarithms of its mean at all checkpoints in between; none where a mean is not positive.
    ///
    /// Pseudo-regret, because the noise of rewards grows like a square root for every agent.
    pub fn fitted_growth(&self, decades: f64) -> Option<Growth> {
        let to = self.pseudo_regret.last()?.t;
        let first = to as f64 / 10f64.powf(decades) * (1.0 - 1e-9);
        let times = self.pseudo_regret.iter().map(|point| point.t);
        let times: Vec<u64> = times.filter(|&t| t as f64 >= first).collect();
        let of_run = |run: &&StoredRun| -> Option<Vec<f64>> {
            times.iter().map(|&t| at(&run.record.pseudo_regret, t)).collect()
        };
        let curves = self.runs.iter().map(of_run).collect::<Option<Vec<_>>>()?;
        let slope = |draw: &mut dyn Iterator<Item = usize>| {
            let mut sums = vec![0.0; times.len()];
            for run in draw {
                sums.iter_mut().zip(&curves[run]).for_each(|(sum, value)| *sum += value);
            }
            power_fit(times.iter().copied().zip(sums))
        };
        let exponent = slope(&mut (0..curves.len()))?;
        let bootstrap = Bootstrap::new(curves.len());
        let interval = bootstrap.interval(|draw| slope(&mut draw.iter().map(|&run| run as usize)));
        Some(Growth { from: *times.first()?, to, exponent, interval })
    }

    /// The regret of every complete run at a checkpoint.
    pub fn regret_at(&self, time: u64) -> Vec<f64> {
        self.runs.iter().filter_map(|run| at(&run.record.regret, time)).collect()
    }

    /// The statistics at a checkpoint.
    pub fn point_at(&self, time: u64) -> Option<&Point> {
        self.regret.iter().find(|point| point.t == time)
    }

    /// The mean of a number over complete runs.
    pub fn mean_of(&self, number: impl Fn(&RunRecord) -> f64) -> Option<f64> {
        let values: Vec<f64> = self.runs.iter().map(|run| number(&run.record)).collect();
        (!values.is_empty()).then(|| mean(&values))
    }
}

/// The slope of the least-squares line through ln value against ln time; none where a logarithm is undefined, or
/// for fewer than two times.
fn power_fit(points: impl Iterator<Item = (u64, f64)>) -> Option<f64> {
    let log = |(t, value): (u64, f64)| (value > 0.0).then(|| ((t as f64).ln(), value.ln()));
    let logs = points.map(log).collect::<Option<Vec<_>>>()?;
    let count = logs.len() as f64;
    let centre = (
        logs.iter().map(|log| log.0).sum::<f64>() / count,
        logs.iter().map(|log| log.1).sum::<f64>() / count,
    );
    let (mut above, mut below) = (0.0, 0.0);
    for (x, y) in logs {
        above += (x - centre.0) * (y - centre.1);
        below += (x - centre.0).powi(2);
    }
    (below > 0.0).then_some(above / below)
}

/// The value of a curve at a checkpoint.
pub(super) fn at(curve: &[(u64, f64)], time: u64) -> Option<f64> {
    let place = curve.binary_search_by_key(&time, |(t, _)| *t).ok()?;
    Some(curve[place].1)
}

fn points(runs: &[&StoredRun], curve: Curve, bootstrap: &Bootstrap) -> Vec<Point> {
    let Some((first, others)) = runs.split_first() else { return Vec::new() };
    let times = curve(&first.record).iter().map(|(t, _)| *t);
    let is_common = |t: &u64| others.iter().all(|run| at(curve(&run.record), *t).is_some());
    let point = |t| {
        let values: Vec<f64> = runs.iter().filter_map(|run| at(curve(&run.record), t)).collect();
        Point::new(t, values, bootstrap)
    };
    times.filter(is_common).map(point).collect()
}

impl Point {
    fn new(t: u64, mut values: Vec<f64>, bootstrap: &Bootstrap) -> Self {
        let centre = mean(&values);
        let student = half_width(&values).map(|half| (centre - half, centre + half));
        let interval = bootstrap.of_mean(&values);
        values.sort_by(f64::total_cmp);
        let q = |share| quantile_of_sorted(&values, share);
        Self {
            t,
            mean: centre,
            median: q(0.5),
            student,
            bootstrap: interval,
            outer: (q(0.05), q(0.95)),
            inner: (q(0.25), q(0.75)),
        }
    }
}

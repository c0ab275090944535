//! What are the curves of an experiment, by world and agent?
//!
//! Worlds and agents are in order of appearance, runs by index. Curves are those of complete runs at their common
//! checkpoints. Failed runs are counted and listed but excluded from curves, because the set of runs behind a mean must
//! not change along the curve.

use tucrl::run::RunRecord;

use super::bootstrap::{Bootstrap, Interval};
use super::growth::Growth;
use super::ranking::{self, Pair};
use super::{half_width, mean, quantile_of_sorted};
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
    /// Growth exponent of pseudo-regret over the last decade.
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
        self.growth = self.fitted_growth(1.0);
    }

    /// The growth exponent of pseudo-regret over the last decades; none where a mean is not positive.
    pub fn fitted_growth(&self, decades: f64) -> Option<Growth> {
        let curve = |run: &&'a StoredRun| run.record.pseudo_regret.as_slice();
        Growth::fitted(&self.runs.iter().map(curve).collect::<Vec<_>>(), decades)
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

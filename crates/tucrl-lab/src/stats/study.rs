//! What are the curves of an experiment, by world and agent?
//!
//! Worlds and agents are in order of appearance, runs by index. Curves are those of complete runs at their common
//! checkpoints. Failed runs are counted and listed but excluded from curves, because the set of runs behind a mean must
//! not change along the curve.

use std::collections::BTreeSet;

use tucrl::run::RunRecord;

use super::bootstrap::{Bootstrap, Interval};
use super::growth::Growth;
use super::kind::Regret;
use super::ranking::{self, Pair};
use super::sweeps::{self, SweepStudy};
use super::{half_width, mean, quantile_of_sorted};
use crate::record::{StoredRun, SweepPoint};
use tucrl::truth::{Baseline, Facts};

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
    /// The regret that is shown, ranked and compared: that asked for, or realised regret where a run of the experiment
    /// does not have it. Imported curves, which are not ranked, do not decide.
    pub shown: Regret,
    /// Whether another regret was asked for.
    pub fell_back: bool,
    /// Whether an agent can lose gain for good here; gap regret then includes what that costs.
    pub loses_gain: bool,
    /// The last common checkpoint of all agents with a complete run.
    pub time: Option<u64>,
    /// Paired comparisons at that time.
    pub pairs: Vec<Pair>,
    /// Agents that differ in values of parameters.
    pub sweeps: Vec<SweepStudy<'a>>,
    /// The world's place in a sweep over worlds.
    pub swept: Option<&'a SweepPoint>,
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
    /// The regret that is shown: that of its world, or realised regret of imported curves that have no other.
    pub shown: Regret,
    /// Whether that is not the regret that its world shows.
    pub has_own_measure: bool,
    /// Each kind of regret at the checkpoints, in the order of [`Regret::ALL`]; empty where it is not known.
    curves: [Vec<Point>; 3],
    /// Growth exponent over the last decade.
    pub growth: Option<Growth>,
    /// One more than the number of agents that are better at the common time; none where that was not tested, with a
    /// single run.
    pub rank: Option<usize>,
    /// Whether its curves were made by another program: they have other random streams, so they are not ranked.
    pub is_imported: bool,
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

impl<'a> Study<'a> {
    /// Groups and summarises the runs by their gap regret; none if there are no runs.
    pub fn new(runs: &'a [StoredRun]) -> Option<Self> {
        Self::showing(runs, Regret::default())
    }

    /// The same by another kind of regret.
    pub fn showing(runs: &'a [StoredRun], asked: Regret) -> Option<Self> {
        // Of a sweep with tuning only the best is shown, under the name of the sweep: another one in every world.
        let groups = runs.iter().filter(|run| sweeps::is_tuning(run)).filter_map(sweeps::point);
        let tuned: BTreeSet<&str> = groups.map(|point| point.group.as_str()).collect();
        let label = |run: &'a StoredRun| match sweeps::point(run) {
            Some(point) if tuned.contains(point.group.as_str()) => point.group.as_str(),
            _ => run.label.as_str(),
        };
        let mut labels: Vec<&str> = Vec::new();
        let mut worlds: Vec<(&str, Vec<&StoredRun>)> = Vec::new();
        for run in runs {
            if !labels.contains(&label(run)) {
                labels.push(label(run));
            }
            match worlds.iter_mut().find(|(world, _)| *world == run.world) {
                Some((_, members)) => members.push(run),
                None => worlds.push((&run.world, vec![run])),
            }
        }
        let name = &runs.first()?.experiment;
        let worlds = worlds
            .into_iter()
            .filter_map(|(world, members)| {
                WorldStudy::new(world, &members, (&labels, &label), asked)
            })
            .collect();
        Some(Self { name, worlds, labels })
    }

    /// The failed runs of all worlds.
    pub fn failed(&self) -> impl Iterator<Item = &'a StoredRun> + '_ {
        self.worlds.iter().flat_map(|world| &world.agents).flat_map(|agent| &agent.failed).copied()
    }
}

impl<'a> WorldStudy<'a> {
    fn new(
        world: &'a str,
        members: &[&'a StoredRun],
        (labels, label): (&[&str], &dyn Fn(&'a StoredRun) -> &'a str),
        asked: Regret,
    ) -> Option<Self> {
        // Imported curves are not ranked: what they lack does not change how the others are ranked.
        let is_own = |run: &StoredRun| run.imported.is_none();
        let has_own = members.iter().any(|run| is_own(run));
        let mut judged =
            members.iter().filter(|run| run.error.is_none() && (is_own(run) || !has_own));
        let has_all = judged.all(|run| asked.of(&run.record).is_some());
        let shown = if has_all { asked } else { Regret::Realised };
        let sweeps = sweeps::of_world(members, asked);
        let is_left_out = |run: &StoredRun| {
            let of_run = |sweep: &&SweepStudy<'_>| {
                sweeps::point(run).is_some_and(|point| point.group == sweep.group)
            };
            let sweep = sweeps.iter().find(of_run);
            let is_tuned = sweep.is_some_and(|s| s.variants.iter().any(|one| one.is_best));
            let is_best = || {
                let variants = sweep.iter().flat_map(|sweep| &sweep.variants);
                variants.filter(|one| one.is_best).any(|one| one.agent == run.agent)
            };
            sweeps::is_tuning(run) || (is_tuned && !is_best())
        };
        let mut agents: Vec<AgentStudy<'a>> = Vec::new();
        for run in members.iter().filter(|run| !is_left_out(run)) {
            let place = agents.iter().position(|agent| agent.agent == run.agent);
            let place = place.unwrap_or_else(|| {
                agents.push(AgentStudy::empty(run, (labels, label(run)), shown));
                agents.len() - 1
            });
            let agent = &mut agents[place];
            let list = if run.error.is_none() { &mut agent.runs } else { &mut agent.failed };
            list.push(run);
        }
        agents.iter_mut().for_each(AgentStudy::summarise);
        let time =
            agents.iter().filter_map(|agent| agent.curve().last()).map(|point| point.t).min();
        let pairs = time.map_or_else(Vec::new, |time| ranking::pairs(&agents, time));
        if let Some(time) = time {
            ranking::rank(&mut agents, &pairs, time);
        }
        let (facts, fell_back) = (&members.first()?.facts, shown != asked);
        let loses_gain = members.iter().any(|run| run.record.gain_lost.is_some());
        let swept = members.iter().find_map(|run| run.sweep.as_ref()?.world.as_ref());
        Some(Self {
            world,
            facts,
            agents,
            shown,
            fell_back,
            loses_gain,
            time,
            pairs,
            sweeps,
            swept,
        })
    }
}

impl WorldStudy<'_> {
    /// What the regret that is shown is called.
    pub fn regret_name(&self) -> &'static str {
        match (self.shown, self.loses_gain) {
            (Regret::Gap, true) => "gap regret and gain lost",
            (shown, _) => shown.name(),
        }
    }

    /// Imported curves of another regret than the one that is shown.
    pub fn with_own_measure(&self) -> impl Iterator<Item = &AgentStudy<'_>> {
        self.agents.iter().filter(|agent| agent.has_own_measure)
    }

    /// What the regret that is shown is, and why it is not another.
    pub fn regret_explained(&self) -> String {
        let gain = match self.facts.baseline {
            Baseline::BestKnown { .. } => "the best known gain, a lower bound on the optimal one,",
            _ => "the optimal gain",
        };
        let mut text = self.shown.explained(gain);
        if self.shown == Regret::Gap && self.loses_gain {
            text += " Gain lost for good is added: what every such loss costs up to the end.";
        }
        if self.fell_back {
            text += " Gap regret is not known for all runs here.";
        }
        let others: Vec<&str> = self.with_own_measure().map(|agent| agent.label).collect();
        if !others.is_empty() {
            text += &format!(
                " Imported curves ({}) are of realised regret, {gain} times steps, minus the rewards: their {} is not \
                 known. They are not ranked.",
                others.join(", "),
                self.shown.name()
            );
        }
        text
    }
}

impl<'a> AgentStudy<'a> {
    fn empty(run: &'a StoredRun, (labels, own): (&[&str], &'a str), of_world: Regret) -> Self {
        let is_known = run.imported.is_none() || of_world.of(&run.record).is_some();
        let shown = if is_known { of_world } else { Regret::Realised };
        Self {
            agent: &run.agent,
            label: own,
            colour: labels.iter().position(|label| *label == own).unwrap_or(0),
            runs: Vec::new(),
            failed: Vec::new(),
            shown,
            has_own_measure: shown != of_world,
            curves: [const { Vec::new() }; 3],
            growth: None,
            rank: None,
            is_imported: run.imported.is_some(),
        }
    }

    fn summarise(&mut self) {
        let key = |run: &&StoredRun| (run.spec.master_seed, run.spec.run);
        self.runs.sort_by_key(key);
        self.runs.dedup_by_key(|run| key(run));
        self.failed.sort_by_key(key);
        let bootstrap = Bootstrap::new(self.runs.len());
        self.curves = Regret::ALL.map(|kind| points(&self.runs, kind, &bootstrap));
        self.growth = self.fitted_growth(1.0);
    }

    /// Its label, with the regret that it shows where that is not the one of its world.
    pub fn title(&self) -> String {
        match self.has_own_measure {
            true => format!("{} ({})", self.label, self.shown.name()),
            false => self.label.to_owned(),
        }
    }

    /// The regret that is shown, at the checkpoints.
    pub fn curve(&self) -> &[Point] {
        self.curve_of(self.shown)
    }

    /// A kind of regret at the checkpoints; empty where it is not known.
    pub fn curve_of(&self, kind: Regret) -> &[Point] {
        &self.curves[kind as usize]
    }

    /// The growth exponent over the last decades, of gap regret or else of pseudo-regret; none where a mean is not
    /// positive.
    pub fn fitted_growth(&self, decades: f64) -> Option<Growth> {
        let kind = self.shown.without_noise();
        let curves: Option<Vec<_>> = self.runs.iter().map(|run| kind.of(&run.record)).collect();
        Growth::fitted(&curves?, decades)
    }

    /// The regret that is shown of every complete run at a checkpoint.
    pub fn regret_at(&self, time: u64) -> Vec<f64> {
        let regret = |run: &&StoredRun| at(&self.shown.of(&run.record)?, time);
        self.runs.iter().filter_map(regret).collect()
    }

    /// The statistics at a checkpoint.
    pub fn point_at(&self, time: u64) -> Option<&Point> {
        self.curve().iter().find(|point| point.t == time)
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

/// The statistics at the common checkpoints; none if a run does not have this kind of regret.
fn points(runs: &[&StoredRun], kind: Regret, bootstrap: &Bootstrap) -> Vec<Point> {
    let curves: Option<Vec<_>> = runs.iter().map(|run| kind.of(&run.record)).collect();
    let Some(curves) = curves else { return Vec::new() };
    let Some((first, others)) = curves.split_first() else { return Vec::new() };
    let is_common = |t: &u64| others.iter().all(|curve| at(curve, *t).is_some());
    let point = |t| {
        let values: Vec<f64> = curves.iter().filter_map(|curve| at(curve, t)).collect();
        Point::new(t, values, bootstrap)
    };
    first.iter().map(|(t, _)| *t).filter(is_common).map(point).collect()
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

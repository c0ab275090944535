//! Which groups, families and levels do the worlds of a league have, what are its agents told, and what was not run?
//!
//! Groups are those of the experiment file. Worlds of one list of values, or else of one name, are a family; their order is
//! their level of hardness. A place is one more than the number of agents that are significantly better; a score is the mean
//! regret at the end, divided by that of random play.

use std::collections::BTreeMap;

use tucrl_lab::experiment::Experiment;
use tucrl_lab::record::StoredRun;
use tucrl_lab::stats::{Study, WorldStudy};
use tucrl_lab::text::printable;

/// The agent whose regret is the unit of scores.
const RANDOM: &str = "random";

/// What an experiment says about its worlds and agents.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frame {
    /// By world: its name in records, group and level from 1.
    worlds: BTreeMap<String, (Option<String>, usize)>,
    /// The groups of worlds, in the order of the file.
    pub groups: Vec<String>,
    /// What the agents are told, in the order of the file, each with the labels of its agents.
    pub told: Vec<(String, Vec<String>)>,
    /// World, label and reason of what was not run, in the order of the file.
    pub not_run: Vec<(String, String, String)>,
}

impl Frame {
    /// What the file says.
    pub fn of(experiment: &Experiment) -> Self {
        let mut frame = Self::default();
        let mut families: BTreeMap<String, usize> = BTreeMap::new();
        let names: Vec<String> =
            experiment.worlds.iter().map(|world| printable(&world.world.to_string())).collect();
        for (world, name) in experiment.worlds.iter().zip(&names) {
            let plain = || name.split(':').next().unwrap_or_default().to_owned();
            let family = world.sweep.as_ref().map_or_else(plain, |point| point.group.clone());
            let level = families.entry(family).or_default();
            *level += 1;
            frame.worlds.insert(name.clone(), (world.group.clone(), *level));
            if let Some(group) = &world.group
                && !frame.groups.contains(group)
            {
                frame.groups.push(group.clone());
            }
        }
        for (index, agent) in experiment.agents.iter().enumerate() {
            let tuned = agent.sweep.as_ref().filter(|_| experiment.tune_seeds > 0);
            let label = tuned.map_or(&agent.label, |point| &point.group);
            if let Some(group) = &agent.group {
                let place = frame.told.iter().position(|(told, _)| told == group);
                let place = place.unwrap_or_else(|| {
                    frame.told.push((group.clone(), Vec::new()));
                    frame.told.len() - 1
                });
                let labels = &mut frame.told[place].1;
                if !labels.contains(label) {
                    labels.push(label.clone());
                }
            }
            for (world, name) in names.iter().enumerate() {
                if let Some(why) = experiment.why_not(world, index) {
                    let entry = (name.clone(), label.clone(), why.to_owned());
                    if !frame.not_run.contains(&entry) {
                        frame.not_run.push(entry);
                    }
                }
            }
        }
        frame
    }

    /// The group of a world.
    pub fn group(&self, world: &str) -> Option<&str> {
        self.worlds.get(world)?.0.as_deref()
    }

    /// The level of a world within its family, from 1.
    pub fn level(&self, world: &str) -> usize {
        self.worlds.get(world).map_or(1, |found| found.1)
    }

    /// The number of levels.
    pub fn levels(&self) -> usize {
        self.worlds.values().map(|found| found.1).max().unwrap_or(1)
    }

    /// What an agent is told.
    pub fn told(&self, label: &str) -> Option<&str> {
        let found = self.told.iter().find(|(_, labels)| labels.iter().any(|one| one == label));
        found.map(|(told, _)| told.as_str())
    }

    fn is_run(&self, world: &str, label: &str) -> bool {
        !self.not_run.iter().any(|(of, who, _)| of == world && who == label)
    }
}

/// Numbers by agent and world; none where an agent was not run.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix<'a> {
    /// The worlds.
    pub worlds: Vec<&'a str>,
    rows: Vec<(&'a str, Vec<Option<f64>>)>,
}

/// A mean over worlds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// In how many worlds the agent was run, and of how many.
    pub of: (usize, usize),
}

impl<'a> Matrix<'a> {
    fn new(
        study: &Study<'a>,
        frame: &Frame,
        number: impl Fn(&WorldStudy<'a>, &str) -> Option<f64>,
    ) -> Self {
        let of = |label: &&'a str| {
            let row = study.worlds.iter().map(|world| {
                frame.is_run(world.world, label).then(|| number(world, label)).flatten()
            });
            (*label, row.collect())
        };
        let worlds = study.worlds.iter().map(|world| world.world).collect();
        Self { worlds, rows: study.labels.iter().map(of).collect() }
    }

    /// The places. An agent that was run, but has no complete run, is last.
    pub fn places(study: &Study<'a>, frame: &Frame) -> Self {
        Self::new(study, frame, |world, label| {
            let agent = world.agents.iter().find(|agent| agent.label == label);
            let place = agent.and_then(|agent| agent.rank).unwrap_or(world.agents.len());
            Some(place as f64)
        })
    }

    /// The scores; empty where random play has no regret or was not run.
    pub fn scores(study: &Study<'a>, frame: &Frame) -> Self {
        let regret = |world: &WorldStudy<'a>, label: &str| {
            let agent = world.agents.iter().find(|agent| agent.label == label)?;
            Some(agent.point_at(world.time?)?.mean)
        };
        Self::new(study, frame, |world, label| {
            let unit = regret(world, RANDOM).filter(|unit| *unit > 0.0)?;
            Some(regret(world, label)? / unit)
        })
    }

    /// The agents with their numbers, by world.
    pub fn rows(&self) -> &[(&'a str, Vec<Option<f64>>)] {
        &self.rows
    }

    /// The numbers of an agent, by world.
    pub fn row(&self, label: &str) -> &[Option<f64>] {
        self.rows.iter().find(|row| row.0 == label).map_or(&[], |row| &row.1)
    }

    /// Whether all agents were run in a world.
    pub fn is_common(&self, world: usize) -> bool {
        self.rows.iter().all(|(_, row)| row[world].is_some())
    }

    /// The mean of an agent over the chosen worlds in which it was run.
    pub fn mean(&self, label: &str, chosen: impl Fn(usize) -> bool) -> Option<Mean> {
        let places: Vec<usize> = (0..self.worlds.len()).filter(|&world| chosen(world)).collect();
        let row = self.row(label);
        let values: Vec<f64> = places.iter().filter_map(|&world| *row.get(world)?).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        (!values.is_empty()).then_some(Mean { mean, of: (values.len(), places.len()) })
    }

    /// The agents with their means over the chosen worlds, the smallest first; only those that were run in all of them.
    pub fn ranked(&self, chosen: impl Fn(usize) -> bool + Copy) -> Vec<(&'a str, f64)> {
        let of = |(label, _): &(&'a str, Vec<Option<f64>>)| {
            let mean = self.mean(label, chosen).filter(|mean| mean.of.0 == mean.of.1)?;
            Some((*label, mean.mean))
        };
        let mut all: Vec<(&str, f64)> = self.rows.iter().filter_map(of).collect();
        all.sort_by(|a, b| a.1.total_cmp(&b.1));
        all
    }
}

/// The runs with one value of alpha for all agents that have several, under the names of their sweeps, and that of the others;
/// runs that only chose values are left out.
pub fn with_alpha(runs: &[StoredRun], alpha: &str) -> Vec<StoredRun> {
    let kept = |run: &StoredRun| {
        let sweep = run.sweep.as_ref();
        let point = sweep.and_then(|sweep| sweep.agent.as_ref());
        let mut run = run.clone();
        if let (Some(sweep), Some(point)) = (sweep, point) {
            let is_meant = point.values.iter().all(|(key, value)| key != "alpha" || value == alpha);
            if sweep.is_tuning || !is_meant {
                return None;
            }
            run.label.clone_from(&point.group);
        }
        run.sweep = None;
        Some(run)
    };
    runs.iter().filter_map(kept).collect()
}

/// The values of alpha of the agents that have several, in the order of appearance.
pub fn alphas(runs: &[StoredRun]) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for run in runs {
        let point = run.sweep.as_ref().and_then(|sweep| sweep.agent.as_ref());
        for (key, value) in point.iter().flat_map(|point| &point.values) {
            if key == "alpha" && !found.contains(&value.as_str()) {
                found.push(value);
            }
        }
    }
    found
}

//! How do agents compare over all worlds of an experiment?
//!
//! Regret at the end of a run, divided by the mean of the worst agent of its world, is comparable across worlds: 0 is no
//! regret, 1 that of the worst agent. Over all runs and worlds (Agarwal and others, NeurIPS 2021):
//!
//! - the interquartile mean: the mean of the middle half of the normalised regrets;
//! - the performance profile: the share of runs with a normalised regret of at most τ;
//! - the probability of improvement: that a run of one agent has less regret than a run of another in the same world,
//!   averaged over worlds; equal regrets count half.
//!
//! Intervals are stratified bootstraps: runs are drawn with replacement within each world. Worlds in which an agent has no
//! complete run, or is shown by another kind of regret, are left out.

use tucrl::rng::RandomStream;

use super::bootstrap::Interval;
use super::quantile_of_sorted;
use super::study::{Study, WorldStudy};

const DRAWS: usize = 2000;
/// A fixed, arbitrary seed.
const SEED: u64 = 0x6163_726f_7373_2121;
/// A profile has this number of steps from 0 to 1.
const STEPS: usize = 50;

/// All agents over all worlds.
#[derive(Debug, Clone, PartialEq)]
pub struct Across<'a> {
    /// The worlds that count.
    pub worlds: Vec<&'a str>,
    /// Those left out, with the reason.
    pub left_out: Vec<(&'a str, &'static str)>,
    /// The agents, the smallest interquartile mean first.
    pub agents: Vec<AgentAcross<'a>>,
    /// Every two agents, in the order of the agents.
    pub improvements: Vec<Improvement<'a>>,
}

/// One agent over all worlds.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentAcross<'a> {
    /// Its label.
    pub label: &'a str,
    /// Its index among the labels of the study.
    pub colour: usize,
    /// The interquartile mean of its normalised regrets.
    pub iqm: f64,
    /// Its 95 % interval; none if no world has more than one run.
    pub interval: Option<Interval>,
    /// The performance profile.
    pub profile: Vec<Share>,
}

/// The share of runs with a normalised regret of at most τ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// τ.
    pub tau: f64,
    /// The share.
    pub share: f64,
    /// Its 95 % interval; none if no world has more than one run.
    pub interval: Option<Interval>,
}

/// The probability that one agent improves on another.
#[derive(Debug, Clone, PartialEq)]
pub struct Improvement<'a> {
    /// The label of the first agent.
    pub first: &'a str,
    /// The label of the second.
    pub second: &'a str,
    /// The probability that the first has less regret.
    pub probability: f64,
    /// Its 95 % interval; none if no world has more than one run.
    pub interval: Option<Interval>,
}

/// Normalised regrets by world and run.
type Scores = Vec<Vec<f64>>;

impl<'a> Across<'a> {
    /// Over the worlds of a study; none unless at least two worlds and two agents can be compared.
    pub fn new(study: &Study<'a>) -> Option<Self> {
        let (mut worlds, mut left_out) = (Vec::new(), Vec::new());
        let agents = || study.worlds.iter().flat_map(|world| &world.agents);
        let is_imported = |label: &str| agents().any(|one| one.label == label && one.is_imported);
        // With the index among all labels, which is the colour.
        let labels: Vec<(usize, &str)> =
            study.labels.iter().copied().enumerate().filter(|one| !is_imported(one.1)).collect();
        let mut scores: Vec<Scores> = vec![Vec::new(); labels.len()];
        for world in &study.worlds {
            match normalised(world, &labels) {
                Ok(regrets) => {
                    worlds.push(world.world);
                    scores.iter_mut().zip(regrets).for_each(|(all, own)| all.push(own));
                }
                Err(reason) => left_out.push((world.world, reason)),
            }
        }
        if worlds.len() < 2 || labels.len() < 2 {
            return None;
        }
        let of_agent = |(index, scores): (usize, &Scores)| {
            let (colour, label) = labels[index];
            let profile = (0..=STEPS).map(|step| step as f64 / STEPS as f64).map(|tau| {
                let interval = interval(&[scores], |drawn| share(&drawn[0], tau));
                Share { tau, share: share(scores, tau), interval }
            });
            let interval = interval(&[scores], |drawn| iqm(&pooled(&drawn[0])));
            let profile = profile.collect();
            AgentAcross { label, colour, iqm: iqm(&pooled(scores)), interval, profile }
        };
        let mut agents: Vec<AgentAcross<'a>> = scores.iter().enumerate().map(of_agent).collect();
        agents.sort_by(|a, b| a.iqm.total_cmp(&b.iqm));
        let mut improvements = Vec::new();
        for (index, first) in agents.iter().enumerate() {
            for second in &agents[index + 1..] {
                let scores_of = |agent: &AgentAcross<'_>| {
                    let place = labels.iter().position(|(colour, _)| *colour == agent.colour);
                    &scores[place.unwrap_or(0)]
                };
                let (one, two) = (scores_of(first), scores_of(second));
                improvements.push(Improvement {
                    first: first.label,
                    second: second.label,
                    probability: improvement(one, two),
                    interval: interval(&[one, two], |drawn| improvement(&drawn[0], &drawn[1])),
                });
            }
        }
        Some(Self { worlds, left_out, agents, improvements })
    }
}

/// The final regrets of every agent divided by the mean of the worst, by agent and run.
fn normalised(
    world: &WorldStudy<'_>,
    labels: &[(usize, &str)],
) -> Result<Vec<Vec<f64>>, &'static str> {
    if world.fell_back {
        return Err("gap regret is not known for all runs");
    }
    let time = world.time.ok_or("no run is complete")?;
    let of_label = |(_, label): &(usize, &str)| {
        let agent = world.agents.iter().find(|agent| agent.label == *label)?;
        Some(agent.regret_at(time)).filter(|regrets| !regrets.is_empty())
    };
    let regrets: Option<Vec<Vec<f64>>> = labels.iter().map(of_label).collect();
    let mut regrets = regrets.ok_or("an agent has no complete run")?;
    let worst = regrets.iter().map(|runs| super::mean(runs)).fold(0.0, f64::max);
    if worst <= 0.0 {
        return Err("no agent has regret");
    }
    regrets.iter_mut().flatten().for_each(|regret| *regret /= worst);
    Ok(regrets)
}

fn pooled(scores: &Scores) -> Vec<f64> {
    scores.iter().flatten().copied().collect()
}

/// The mean of what is left when a quarter of the values, rounded down, is cut off at either end.
pub fn iqm(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let cut = sorted.len() / 4;
    super::mean(&sorted[cut..sorted.len() - cut])
}

fn share(scores: &Scores, tau: f64) -> f64 {
    let (all, low) = scores
        .iter()
        .flatten()
        .fold((0usize, 0usize), |(all, low), score| (all + 1, low + usize::from(*score <= tau)));
    low as f64 / all as f64
}

/// P(a run of `one` has less regret than a run of `two` in the same world), equal ones counted half.
fn improvement(one: &Scores, two: &Scores) -> f64 {
    let of_world = |(one, two): (&Vec<f64>, &Vec<f64>)| {
        let mut sorted = two.clone();
        sorted.sort_by(f64::total_cmp);
        let wins = one.iter().map(|score| {
            let below = sorted.partition_point(|other| other < score);
            let up_to = sorted.partition_point(|other| other <= score);
            (sorted.len() - up_to) as f64 + 0.5 * (up_to - below) as f64
        });
        wins.sum::<f64>() / (one.len() * two.len()) as f64
    };
    one.iter().zip(two).map(of_world).sum::<f64>() / one.len() as f64
}

/// The 95 % interval of a statistic over stratified draws.
fn interval(scores: &[&Scores], statistic: impl Fn(&[Scores]) -> f64) -> Option<Interval> {
    if scores.iter().all(|agent| agent.iter().all(|world| world.len() < 2)) {
        return None;
    }
    let mut random = RandomStream::new(SEED);
    let mut drawn: Vec<Scores> = scores.iter().map(|&agent| agent.clone()).collect();
    let draw = |_| {
        for (own, agent) in drawn.iter_mut().zip(scores) {
            for (runs, world) in own.iter_mut().zip(*agent) {
                runs.fill_with(|| world[random.below(world.len() as u64) as usize]);
            }
        }
        statistic(&drawn)
    };
    let mut values: Vec<f64> = (0..DRAWS).map(draw).collect();
    values.sort_by(f64::total_cmp);
    Some((quantile_of_sorted(&values, 0.025), quantile_of_sorted(&values, 0.975)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interquartile_mean_is_that_of_hand() {
        assert_eq!(iqm(&[9.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(iqm(&[1.0, 2.0, 100.0]), 103.0 / 3.0);
        assert_eq!(iqm(&[-50.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 700.0]), 3.5);
    }

    #[test]
    fn improvement_counts_pairs_and_halves_ties() {
        let scores =
            |worlds: &[&[f64]]| worlds.iter().map(|runs| runs.to_vec()).collect::<Scores>();
        let (one, two) = (scores(&[&[1.0, 2.0], &[5.0]]), scores(&[&[2.0, 3.0], &[4.0]]));
        // World 1: 1 < 2, 1 < 3, 2 = 2, 2 < 3: 3.5 of 4. World 2: none.
        assert_eq!(improvement(&one, &two), 0.4375);
        assert_eq!(improvement(&two, &one), 0.5625);
        assert_eq!(share(&one, 2.0), 2.0 / 3.0);
    }

    #[test]
    fn equal_runs_have_an_interval_of_no_width_and_single_runs_none() {
        let constant: Scores = vec![vec![0.5; 4], vec![0.5; 3]];
        assert_eq!(interval(&[&constant], |drawn| iqm(&pooled(&drawn[0]))), Some((0.5, 0.5)));
        assert_eq!(interval(&[&vec![vec![1.0]]], |_| 0.0), None);
        // Draws stay within their world: the mean of means cannot leave the range of each.
        let apart: Scores = vec![vec![0.0, 1.0], vec![10.0, 11.0]];
        let first = interval(&[&apart], |drawn| drawn[0][0].iter().sum::<f64>() / 2.0);
        assert_eq!(first, Some((0.0, 1.0)));
    }
}

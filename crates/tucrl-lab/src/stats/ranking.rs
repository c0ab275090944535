//! How are agents ranked and compared in pairs?
//!
//! Two agents are compared run by run at the last common checkpoint: runs of the same master seed and index use the same
//! random streams, so the difference within a pair varies less than the two curves do. The mean difference has a Student
//! and a bootstrap interval, and the signs of the differences an exact two-sided sign test.
//!
//! Many comparisons find differences where there are none. The p-values of Student's test over all pairs of a world are
//! therefore corrected by Holm's method: with probability 0.95 no agent is called better than an equal one. The rank
//! of an agent is one more than the number of agents that are better than it in this sense, or the rank of an agent with a
//! smaller mean where that is larger: an agent whose runs vary so much that nothing is better than it gains no rank by
//! that. Agents that cannot be told apart share a rank.

use std::collections::BTreeMap;

use tucrl::math;

use super::bootstrap::{Bootstrap, Interval};
use super::kind::Regret;
use super::study::{AgentStudy, at};
use super::{half_width, mean, student_p};
use crate::record::StoredRun;

/// One agent compared with another, run by run.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// The label of the first agent.
    pub first: String,
    /// The label of the second.
    pub second: String,
    /// The difference of their regrets.
    pub difference: Difference,
    /// The p-value of Student's test, corrected for all comparisons in the world; none for fewer than two runs.
    pub corrected: Option<f64>,
}

/// Corrected p-values below this call an agent better.
const SIGNIFICANT: f64 = 0.05;

impl Pair {
    /// -1 when the first is better, 1 when the second is, 0 when they cannot be told apart.
    pub fn verdict(&self) -> i8 {
        match self.corrected {
            Some(p) if p < SIGNIFICANT && self.difference.mean < 0.0 => -1,
            Some(p) if p < SIGNIFICANT && self.difference.mean > 0.0 => 1,
            _ => 0,
        }
    }
}

/// Differences of regret, the first minus the second, over runs with the same random streams.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The number of pairs.
    pub runs: usize,
    /// The mean difference; negative when the first is better.
    pub mean: f64,
    /// Its 95 % interval by Student's t.
    pub student: Option<Interval>,
    /// Its 95 % bootstrap interval.
    pub bootstrap: Option<Interval>,
    /// Pairs in which the first has less regret.
    pub lower: usize,
    /// Pairs in which the second has less regret.
    pub higher: usize,
    /// The two-sided p-value of the sign test.
    pub sign_test: f64,
    /// The two-sided p-value of Student's test; none for fewer than two runs.
    pub student_test: Option<f64>,
}

impl Difference {
    /// From the differences; none if empty.
    pub fn new(differences: &[f64]) -> Option<Self> {
        if differences.is_empty() {
            return None;
        }
        let centre = mean(differences);
        let lower = differences.iter().filter(|&&d| d < 0.0).count();
        let higher = differences.iter().filter(|&&d| d > 0.0).count();
        Some(Self {
            runs: differences.len(),
            mean: centre,
            student: half_width(differences).map(|half| (centre - half, centre + half)),
            bootstrap: Bootstrap::new(differences.len()).of_mean(differences),
            lower,
            higher,
            sign_test: sign_test(lower, higher),
            student_test: student_test(differences),
        })
    }

    /// -1 when Student's interval lies below zero (the first is better), 1 above, 0 when it is undecided.
    pub fn sign(&self) -> i8 {
        match self.student {
            Some((_, high)) if high < 0.0 => -1,
            Some((low, _)) if low > 0.0 => 1,
            _ => 0,
        }
    }
}

/// The two-sided p-value of Student's test that the mean is 0; none for fewer than two values.
fn student_test(differences: &[f64]) -> Option<f64> {
    let degrees = differences.len().checked_sub(1).filter(|&degrees| degrees > 0)?;
    let centre = mean(differences);
    let squares: f64 = differences.iter().map(|value| (value - centre) * (value - centre)).sum();
    let error = (squares / degrees as f64 / differences.len() as f64).sqrt();
    // Differences that are all the same are certain.
    Some(if centre == 0.0 { 1.0 } else { student_p(degrees as u64, centre / error) })
}

/// Holm's correction: the smallest p-value times their number, the next times one less, and so on, never decreasing.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let (mut corrected, mut largest) = (vec![1.0; p_values.len()], 0.0f64);
    for (place, &index) in order.iter().enumerate() {
        largest = largest.max((p_values.len() - place) as f64 * p_values[index]).min(1.0);
        corrected[index] = largest;
    }
    corrected
}

/// The two-sided p-value of a sign test: P(fair coins fall at least as one-sided).
pub fn sign_test(lower: usize, higher: usize) -> f64 {
    let coins = lower + higher;
    // Sum of C(coins, i) / 2^coins, in logarithms because 2^coins may overflow.
    let mut log = -(coins as f64) * std::f64::consts::LN_2;
    let mut tail = 0.0;
    for i in 0..=lower.min(higher) {
        tail += math::exp(log);
        log += math::ln((coins - i) as f64 / (i + 1) as f64);
    }
    (2.0 * tail).min(1.0)
}

/// Smaller differences per step count as 0: rewards summed in another order differ by rounding.
const ROUNDING: f64 = 1e-12;

/// The differences of paired runs (same master seed, same index); rounding differences are set to 0.
pub fn differences(
    first: &[&StoredRun],
    second: &[&StoredRun],
    kind: Regret,
    time: u64,
) -> Vec<f64> {
    let key = |run: &StoredRun| (run.spec.master_seed, run.spec.run);
    let partners: BTreeMap<_, _> = second.iter().rev().map(|other| (key(other), *other)).collect();
    let partner = |run: &StoredRun| partners.get(&key(run));
    let difference = |run: &&StoredRun| {
        let regret = |run: &StoredRun| at(&kind.of(&run.record)?, time);
        let difference = regret(run)? - regret(partner(run)?)?;
        Some(if difference.abs() <= ROUNDING * time as f64 { 0.0 } else { difference })
    };
    first.iter().filter_map(difference).collect()
}

pub(super) fn pairs(agents: &[AgentStudy<'_>], time: u64) -> Vec<Pair> {
    let mut found = Vec::new();
    // Imported curves have other random streams.
    let agents: Vec<_> = agents.iter().filter(|agent| !agent.is_imported).collect();
    for (index, first) in agents.iter().enumerate() {
        for second in &agents[index + 1..] {
            let (a, b) = (first.label.to_owned(), second.label.to_owned());
            let differences = differences(&first.runs, &second.runs, first.shown, time);
            found.extend(Difference::new(&differences).map(|difference| Pair {
                first: a,
                second: b,
                difference,
                corrected: None,
            }));
        }
    }
    correct(&mut found);
    found
}

/// Corrects the p-values of the comparisons of a world.
fn correct(pairs: &mut [Pair]) {
    let tested: Vec<&mut Pair> =
        pairs.iter_mut().filter(|pair| pair.difference.student_test.is_some()).collect();
    let p_values: Vec<f64> = tested.iter().filter_map(|p| p.difference.student_test).collect();
    for (pair, corrected) in tested.into_iter().zip(holm(&p_values)) {
        pair.corrected = Some(corrected);
    }
}

/// Ranks the agents that have a complete run, at a time; none where too few runs were compared to tell any two apart.
pub(super) fn rank(agents: &mut [AgentStudy<'_>], pairs: &[Pair], time: u64) {
    let is_ranked = |agent: &AgentStudy<'_>| !agent.curve().is_empty() && !agent.is_imported;
    let is_alone = agents.iter().filter(|agent| is_ranked(agent)).count() == 1;
    for agent in agents.iter_mut().filter(|agent| is_ranked(agent)) {
        let of_agent = || {
            let first = pairs.iter().filter(|pair| pair.first == agent.label).map(|p| (p, 1));
            first.chain(pairs.iter().filter(|pair| pair.second == agent.label).map(|p| (p, -1)))
        };
        let better = of_agent().filter(|(pair, worse)| pair.verdict() == *worse).count();
        let is_tested = is_alone || of_agent().any(|(pair, _)| pair.corrected.is_some());
        agent.rank = is_tested.then_some(1 + better);
    }
    let mean = |agent: &AgentStudy<'_>| {
        let point = agent.curve().iter().find(|point| point.t == time);
        point.map_or(f64::INFINITY, |point| point.mean)
    };
    let mut order: Vec<&mut AgentStudy<'_>> =
        agents.iter_mut().filter(|agent| agent.rank.is_some()).collect();
    order.sort_by(|a, b| mean(a).total_cmp(&mean(b)));
    let mut least = None;
    for agent in order {
        agent.rank = agent.rank.max(least);
        least = agent.rank;
    }
}

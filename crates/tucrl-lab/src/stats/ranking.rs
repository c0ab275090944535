//! How are agents ranked and compared in pairs?
//!
//! Agents are ranked by mean regret at the last common checkpoint. Two agents are compared run by run: runs of the same
//! master seed and index use the same random streams, so the difference within a pair varies less than the two curves
//! do. The mean difference has a Student and a bootstrap interval, and the signs of the differences an exact two-sided
//! sign test.

use std::collections::BTreeMap;

use tucrl::math;

use super::bootstrap::{Bootstrap, Interval};
use super::study::{AgentStudy, at};
use super::{half_width, mean};
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
pub fn differences(first: &[&StoredRun], second: &[&StoredRun], time: u64) -> Vec<f64> {
    let key = |run: &StoredRun| (run.spec.master_seed, run.spec.run);
    let partners: BTreeMap<_, _> = second.iter().rev().map(|other| (key(other), *other)).collect();
    let partner = |run: &StoredRun| partners.get(&key(run));
    let difference = |run: &&StoredRun| {
        let difference = at(&run.record.regret, time)? - at(&partner(run)?.record.regret, time)?;
        Some(if difference.abs() <= ROUNDING * time as f64 { 0.0 } else { difference })
    };
    first.iter().filter_map(difference).collect()
}

pub(super) fn pairs(agents: &[AgentStudy<'_>], time: u64) -> Vec<Pair> {
    let mut found = Vec::new();
    for (index, first) in agents.iter().enumerate() {
        for second in &agents[index + 1..] {
            let (a, b) = (first.label.to_owned(), second.label.to_owned());
            let differences = differences(&first.runs, &second.runs, time);
            found.extend(Difference::new(&differences).map(|difference| Pair {
                first: a,
                second: b,
                difference,
            }));
        }
    }
    found
}

pub(super) fn rank(agents: &mut [AgentStudy<'_>], time: u64) {
    let means: Vec<Option<f64>> =
        agents.iter().map(|agent| agent.point_at(time).map(|point| point.mean)).collect();
    let rounding = ROUNDING * time as f64;
    for (agent, own) in agents.iter_mut().zip(&means) {
        let is_lower = |own: f64| move |mean: &&f64| **mean < own - rounding;
        agent.rank = own.map(|own| 1 + means.iter().flatten().filter(is_lower(own)).count());
    }
}

//! Which agent is better, and how sure is that?
//!
//! Agents are ranked by mean regret at the last time that all of them have passed. Two agents are compared run
//! by run: runs of the same master seed and index face the same random streams, so the difference within a
//! pair varies less than the two curves do. The mean difference has a Student and a bootstrap interval, and
//! the signs of the differences an exact test that believes in nothing but fair coins.
//!
//! Reads `record`, `bootstrap`; feeds `study`.

use super::bootstrap::{Bootstrap, Interval};
use super::study::{AgentStudy, at};
use super::{half_width, mean};
use crate::record::StoredRun;

/// One agent against another, run by run.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// The label of the first agent.
    pub first: String,
    /// The label of the second.
    pub second: String,
    /// The difference of their regrets.
    pub difference: Difference,
}

/// Differences of regret, the first minus the second, over runs that face the same random streams.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// How many pairs of runs.
    pub runs: usize,
    /// The mean difference; negative when the first is better.
    pub mean: f64,
    /// Its 95 % interval by Student's t.
    pub student: Option<Interval>,
    /// The same by the bootstrap.
    pub bootstrap: Option<Interval>,
    /// Pairs in which the first has less regret.
    pub lower: usize,
    /// Pairs in which the second has.
    pub higher: usize,
    /// How often fair coins would be as one-sided as these signs, or more.
    pub sign_test: f64,
}

impl Difference {
    /// From the differences themselves; none from nothing.
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

/// The probability that fair coins fall at least as one-sided, counted on both sides.
pub fn sign_test(lower: usize, higher: usize) -> f64 {
    let coins = lower + higher;
    // Sum of C(coins, i) / 2^coins, in logarithms: 2^coins may overflow.
    let mut log = -(coins as f64) * std::f64::consts::LN_2;
    let mut tail = 0.0;
    for i in 0..=lower.min(higher) {
        tail += log.exp();
        log += ((coins - i) as f64 / (i + 1) as f64).ln();
    }
    (2.0 * tail).min(1.0)
}

/// Below so much a step, a difference is one of rounding: rewards were added up in another order.
const ROUNDING: f64 = 1e-12;

/// The differences of runs that belong together: same master seed, same index. What only rounding can have made
/// is no difference.
pub fn differences(first: &[&StoredRun], second: &[&StoredRun], time: u64) -> Vec<f64> {
    let key = |run: &StoredRun| (run.spec.master_seed, run.spec.run);
    let partner = |run: &StoredRun| second.iter().find(|other| key(other) == key(run));
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

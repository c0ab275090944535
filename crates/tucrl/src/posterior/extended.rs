//! How does optimistic posterior sampling plan?
//!
//! Agrawal and Jia (2017): for every pair, psi distributions are drawn, and the plan chooses an action
//! and one of its distributions. A pair with at least eta visits draws from a widened Dirichlet. A pair
//! with fewer visits lowers every observed probability by its deviation and gives the remaining mass to
//! a state drawn uniformly; only the *set* of drawn states matters, so it is stored as bits.
//!
//! The sampled laws of a state that a learner cannot reach may give it, or it may give the others, as little as 1e-8, and
//! value iteration needs about the inverse number of sweeps. If it does not converge, the extended MDP is built as a table,
//! with an action for every pair and law, and solved exactly.
//!
//! Differences from that paper: rewards are the empirical means, r_max for pairs never played (there
//! they are known). States never seen are one state that may lead to any state, which psi draws per
//! action make almost certain.

use serde::{Deserialize, Serialize};

use super::iterate::{self, Operator};
use super::{DrawError, Drawn, RewardEvidence, TABLE_LIMIT};
use crate::counts::Counts;
use crate::inner_max::Values;
use crate::math;
use crate::mdp::Mdp;
use crate::pulse::unless_stopped;
use crate::rng::RandomStream;
use crate::solve;
use crate::space::Space;

/// The largest number of draws of unit vectors in one plan.
const DRAW_LIMIT: f64 = 1e8;

/// The parameters of optimistic posterior sampling.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Extended {
    /// The number of steps of the run.
    #[doc(alias = "T")]
    pub steps: u64,
    /// The failure probability.
    pub rho: f64,
    /// Samples per pair, instead of S ln(S A / rho).
    #[doc(alias = "psi")]
    pub samples: Option<u64>,
}

impl Extended {
    /// The number of distributions drawn per pair.
    pub fn samples(&self, space: &Space) -> f64 {
        let states = space.states() as f64;
        match self.samples {
            Some(samples) => samples as f64,
            None => (states * math::ln(space.nominal_pairs() as f64 / self.rho)).ceil().max(1.0),
        }
    }

    /// omega = kappa = ln(T / rho), which widen the Dirichlet distributions.
    pub fn widening(&self) -> f64 {
        math::ln(self.steps.max(1) as f64 / self.rho).max(1.0)
    }

    /// The number of visits from which a pair draws from its Dirichlet.
    #[doc(alias = "eta")]
    pub fn enough_visits(&self, space: &Space) -> f64 {
        let (states, actions) = (space.states() as f64, f64::from(space.max_actions()));
        (self.steps as f64 * states / actions).sqrt() + 12.0 * self.widening() * states * states
    }
}

/// The distributions drawn for one pair.
enum Choices {
    /// Few visits: lowered probabilities of the observed next states; the mass `left` goes to the best
    /// of the states in `bits` and, if `any_unseen`, of those never seen.
    Few { lowered: Vec<f64>, left: f64, bits: Vec<u64>, any_unseen: bool },
    /// Many visits: concatenated distributions, each over the seen states and, last, those never seen.
    Many { laws: Vec<f64> },
}

struct ExtendedMdp<'a> {
    counts: &'a Counts,
    r_max: f64,
    rewards: Vec<f64>,
    choices: Vec<Choices>,
    /// Seen states by value, best first.
    order: Vec<u32>,
}

impl Operator for ExtendedMdp<'_> {
    fn look(&mut self, values: &Values) {
        let value = |state: &u32| values.seen[*state as usize];
        self.order.sort_by(|a, b| value(b).total_cmp(&value(a)).then(a.cmp(b)));
    }

    fn worth(&self, pair: usize, values: &Values) -> f64 {
        let best = match &self.choices[pair] {
            Choices::Few { lowered, left, bits, any_unseen } => {
                let is_drawn =
                    |state: &&u32| bits[**state as usize / 64] >> (**state % 64) & 1 == 1;
                let seen = self.order.iter().find(is_drawn).map(|&s| values.seen[s as usize]);
                let unseen = any_unseen.then_some(values.unseen);
                let target = seen.into_iter().chain(unseen).fold(f64::NEG_INFINITY, f64::max);
                let row = self.counts.row(pair).next.iter().zip(lowered);
                let kept: f64 = row.map(|(&next, mass)| mass * values.seen[next as usize]).sum();
                kept + left * target
            }
            Choices::Many { laws } => {
                let width = values.seen.len() + 1;
                let value = |law: &[f64]| {
                    let seen: f64 = law.iter().zip(&values.seen).map(|(p, v)| p * v).sum();
                    seen + law[width - 1] * values.unseen
                };
                laws.chunks_exact(width).map(value).fold(f64::NEG_INFINITY, f64::max)
            }
        };
        self.rewards[pair] + best
    }

    fn unseen(&self, values: &Values) -> Option<(f64, u32)> {
        let best = self.order.first().map_or(f64::NEG_INFINITY, |&s| values.seen[s as usize]);
        (self.counts.unseen() > 0).then(|| (self.r_max + best.max(values.unseen), 0))
    }
}

/// Draws the extended MDP and solves it to `tolerance`.
///
/// # Errors
/// When there would be too much to draw, or the iteration does not converge.
pub fn plan_optimistically(
    options: &Extended,
    counts: &Counts,
    evidence: &RewardEvidence<'_>,
    tolerance: f64,
    random: &mut RandomStream,
) -> Result<Drawn, DrawError> {
    let space = counts.space();
    let advice = "name fewer samples, as in psi=10";
    let samples = options.samples(space);
    let enough = options.enough_visits(space);
    let is_rich = |pair: usize| counts.pairs()[pair].visits_before() as f64 >= enough;
    let rich = (0..counts.pairs().len()).filter(|&pair| is_rich(pair)).count();
    let entries = rich as f64 * samples * (counts.seen() + 1) as f64;
    if entries > TABLE_LIMIT {
        let what = "entries of sampled laws";
        return Err(DrawError::TooLarge { what, needed: entries, limit: TABLE_LIMIT, advice });
    }
    let draws = (counts.pairs().len() - rich) as f64 * samples;
    if draws > DRAW_LIMIT {
        let what = "draws";
        return Err(DrawError::TooLarge { what, needed: draws, limit: DRAW_LIMIT, advice });
    }
    let mut extended = drawn(options, counts, evidence, random);
    match iterate::solve(counts, &mut extended, tolerance) {
        Err(error @ DrawError::NotConverged { .. }) => {
            let is_small = extended.table_entries() <= TABLE_LIMIT;
            if is_small { extended.solved_exactly() } else { Err(error) }
        }
        solved => solved,
    }
}

/// Draws the laws of all pairs.
fn drawn<'a>(
    options: &Extended,
    counts: &'a Counts,
    evidence: &RewardEvidence<'_>,
    random: &mut RandomStream,
) -> ExtendedMdp<'a> {
    let (samples, enough) =
        (options.samples(counts.space()), options.enough_visits(counts.space()));
    let mut extended = ExtendedMdp {
        counts,
        r_max: evidence.r_max,
        rewards: Vec::with_capacity(counts.pairs().len()),
        choices: Vec::with_capacity(counts.pairs().len()),
        order: (0..counts.seen() as u32).collect(),
    };
    for number in unless_stopped(0..counts.seen() as u32) {
        for pair in counts.pairs_of(number) {
            let stats = &counts.pairs()[pair];
            extended.rewards.push(match evidence.known {
                Some(mean) if counts.was_visited(number) => mean(pair),
                _ if stats.visits_before() == 0 => evidence.r_max,
                _ => stats.reward_mean(),
            });
            let drawn = match counts.pairs()[pair].visits_before() as f64 >= enough {
                true => many(options, counts, pair, samples as u64, random),
                false => few(counts, pair, samples as u64, random),
            };
            extended.choices.push(drawn);
        }
    }
    extended
}

impl ExtendedMdp<'_> {
    /// The laws that a plan may choose for a pair, over the seen states and, last, those never seen.
    fn laws(&self, pair: usize) -> Vec<Vec<f64>> {
        let seen = self.counts.seen();
        match &self.choices[pair] {
            Choices::Many { laws } => laws.chunks_exact(seen + 1).map(<[f64]>::to_vec).collect(),
            Choices::Few { lowered, left, bits, any_unseen } => {
                let mut kept = vec![0.0; seen + 1];
                for (&next, mass) in self.counts.row(pair).next.iter().zip(lowered) {
                    kept[next as usize] = *mass;
                }
                let drawn = (0..seen).filter(|state| bits[state / 64] >> (state % 64) & 1 == 1);
                let with = |state: usize| {
                    let mut law = kept.clone();
                    law[state] += left;
                    law
                };
                drawn.chain(any_unseen.then_some(seen)).map(with).collect()
            }
        }
    }

    /// An upper bound on the entries of all laws.
    fn table_entries(&self) -> f64 {
        let width = (self.counts.seen() + 1) as f64;
        let laws = |choices: &Choices| match choices {
            Choices::Many { laws } => laws.len() as f64,
            Choices::Few { .. } => width * width,
        };
        self.choices.iter().map(laws).sum::<f64>() + width * width
    }

    /// Solves the same MDP as a table whose last state represents all states never seen.
    fn solved_exactly(&self) -> Result<Drawn, DrawError> {
        let (counts, seen) = (self.counts, self.counts.seen());
        let states = seen + usize::from(counts.unseen() > 0);
        let mut builder = Mdp::builder();
        builder.r_max(self.r_max).start_at(0);
        // By state: the first action of the table that belongs to each of its actions.
        let mut begins = Vec::with_capacity(seen);
        for number in 0..seen as u32 {
            builder.state();
            let (mut actions, mut begin) = (0u32, Vec::new());
            for pair in counts.pairs_of(number) {
                begin.push(actions);
                for law in self.laws(pair) {
                    builder.action(self.rewards[pair], law.into_iter().enumerate().take(states));
                    actions += 1;
                }
            }
            begins.push(begin);
        }
        if states > seen {
            builder.state();
            for state in 0..states {
                builder.action(self.r_max, [(state, 1.0)]);
            }
        }
        let answer = solve::solve(&builder.build()?)?;
        let mut drawn = Drawn::of_table(&answer, seen, 0.0);
        for (action, begin) in drawn.actions.iter_mut().zip(&begins) {
            *action = begin.partition_point(|first| first <= action) as u32 - 1;
        }
        Ok(drawn)
    }
}

fn many(
    options: &Extended,
    counts: &Counts,
    pair: usize,
    samples: u64,
    random: &mut RandomStream,
) -> Choices {
    let widening = options.widening();
    let mut shapes = vec![1.0; counts.seen()];
    for (next, visits) in counts.transitions(pair) {
        shapes[next as usize] = (visits as f64 + widening) / widening;
    }
    // Dirichlet entries merge: the sum of entries has the sum of their shapes, here 1 per unseen state.
    shapes.push(counts.unseen() as f64);
    let mut laws = Vec::with_capacity(shapes.len() * samples as usize);
    for _ in 0..samples {
        let start = laws.len();
        laws.extend_from_slice(&shapes);
        let drawn = if counts.unseen() == 0 { counts.seen() } else { shapes.len() };
        random.dirichlet(&mut laws[start..start + drawn]);
    }
    Choices::Many { laws }
}

fn few(counts: &Counts, pair: usize, samples: u64, random: &mut RandomStream) -> Choices {
    let visits = counts.pairs()[pair].visits_before() as f64;
    let log = math::ln(4.0 * counts.space().states() as f64);
    let lower = |&share: &f64| {
        let deviation = (3.0 * share * log / visits).sqrt() + 3.0 * log / visits;
        share - deviation.min(share)
    };
    // Without visits the row is empty, and all mass is left.
    let lowered: Vec<f64> = counts.row(pair).p_hat.iter().map(lower).collect();
    let left = 1.0 - lowered.iter().sum::<f64>();
    let seen = counts.seen() as u64;
    let mut bits = vec![0u64; counts.seen().div_ceil(64)];
    let mut any_unseen = false;
    for _ in 0..samples {
        let state = random.below(counts.space().states());
        match state < seen {
            true => bits[(state / 64) as usize] |= 1 << (state % 64),
            false => any_unseen = true,
        }
    }
    Choices::Few { lowered, left: left.max(0.0), bits, any_unseen }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::Variance;

    /// Counts of five seen states, whose pairs have few or many visits.
    fn counts(states: u64, visits: usize, random: &mut RandomStream) -> Counts {
        let mut counts = Counts::new(Space::uniform(states, 2), Variance::Published);
        for state in 0..5 {
            counts.see(state);
        }
        for _ in 0..visits {
            let pair = random.below(10) as usize;
            counts.record(pair, random.unit(), random.below(5) as u32);
        }
        counts.freeze();
        counts
    }

    /// Value iteration and the table give the same gain and equally good actions.
    #[test]
    fn sweeps_and_the_table_solve_the_same_extended_mdp() {
        let mut random = RandomStream::new(7);
        let (mut few, mut many) = (0, 0);
        for round in 0..80 {
            let visits = [30, 300, 60_000][round % 3];
            let counts = counts([5, 6, 7][round / 3 % 3], visits, &mut random);
            let options = Extended { steps: 100, rho: 0.05, samples: Some(3) };
            let evidence = RewardEvidence { r_max: 1.0, known: None, successes: None };
            let mut extended = drawn(&options, &counts, &evidence, &mut random);
            let is_many = |choices: &&Choices| matches!(choices, Choices::Many { .. });
            let rich = extended.choices.iter().filter(is_many).count();
            many += rich;
            few += extended.choices.len() - rich;
            let Ok(swept) = iterate::solve(&counts, &mut extended, 1e-9) else { continue };
            let table = extended.solved_exactly().unwrap();
            assert!(table.gain_low <= swept.gain_high + 1e-12, "{table:?} {swept:?}");
            assert!(swept.gain_low <= table.gain_high + 1e-12, "{table:?} {swept:?}");
            assert_eq!(table.bias_unseen.is_some(), counts.unseen() > 0);
            // The actions of the table attain the maximum by the values of the sweeps.
            let mut values = Values { seen: swept.bias.clone(), unseen: 0.0 };
            values.unseen = swept.bias_unseen.unwrap_or(0.0);
            extended.look(&values);
            for (number, &action) in table.actions.iter().enumerate() {
                let pairs = counts.pairs_of(number as u32);
                let best = pairs.clone().map(|pair| extended.worth(pair, &values));
                let best = best.fold(f64::NEG_INFINITY, f64::max);
                let chosen = extended.worth(pairs.start + action as usize, &values);
                assert!(chosen >= best - 1e-6 * swept.span.max(1.0), "{round} {number}");
            }
        }
        assert!(few > 50 && many > 50, "{few} {many}");
    }
}

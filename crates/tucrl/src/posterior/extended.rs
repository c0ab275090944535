//! How does optimistic posterior sampling plan?
//!
//! Agrawal and Jia (2017): for every pair, psi distributions are drawn, and the plan chooses an action
//! and one of its distributions. A pair with at least eta visits draws from a widened Dirichlet. A pair
//! with fewer visits lowers every observed probability by its deviation and gives the remaining mass to
//! a state drawn uniformly; only the *set* of drawn states matters, so it is stored as bits.
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
use crate::pulse::unless_stopped;
use crate::rng::RandomStream;
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
            let drawn = match is_rich(pair) {
                true => many(options, counts, pair, samples as u64, random),
                false => few(counts, pair, samples as u64, random),
            };
            extended.choices.push(drawn);
        }
    }
    iterate::solve(counts, &mut extended, tolerance)
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

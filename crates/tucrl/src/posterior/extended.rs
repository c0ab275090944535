//! What would the luckiest of many draws promise?
//!
//! Optimistic posterior sampling (Agrawal and Jia 2017; ALGORITHMS 5.3): for every pair psi laws are drawn,
//! and an action comes with a choice among them. A pair with many visits draws from a widened Dirichlet law;
//! one with few lowers every observed probability by its deviation and sends what is left to a state drawn
//! evenly. Of the latter only the *set* of drawn states matters, so it is kept as bits.
//!
//! Departures: rewards are the observed means, r_max for pairs never tried (the original knows them); states
//! never seen are one state that may go anywhere, which psi draws an action make all but certain.

use serde::{Deserialize, Serialize};

use super::iterate::{self, Operator};
use super::{DrawError, Drawn, RewardEvidence, TABLE_LIMIT};
use crate::counts::Counts;
use crate::inner_max::Values;
use crate::rng::RandomStream;
use crate::space::Space;

/// Draws of unit vectors in one plan beyond which it is not made.
const DRAW_LIMIT: f64 = 1e8;

/// The numbers of optimistic posterior sampling.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Extended {
    /// How many steps will be taken.
    #[doc(alias = "T")]
    pub steps: u64,
    /// The probability that may fail.
    pub rho: f64,
    /// Samples for each pair, instead of S ln(S A / rho).
    #[doc(alias = "psi")]
    pub samples: Option<u64>,
}

impl Extended {
    /// How many laws are drawn for a pair.
    pub fn samples(&self, space: &Space) -> f64 {
        let states = space.states() as f64;
        match self.samples {
            Some(samples) => samples as f64,
            None => (states * (space.nominal_pairs() as f64 / self.rho).ln()).ceil().max(1.0),
        }
    }

    /// omega and kappa, which widen the Dirichlet laws.
    pub fn widening(&self) -> f64 {
        (self.steps.max(1) as f64 / self.rho).ln().max(1.0)
    }

    /// The visits from which on a pair draws from its Dirichlet law.
    #[doc(alias = "eta")]
    pub fn enough_visits(&self, space: &Space) -> f64 {
        let (states, actions) = (space.states() as f64, f64::from(space.max_actions()));
        (self.steps as f64 * states / actions).sqrt() + 12.0 * self.widening() * states * states
    }
}

/// What one pair may do.
enum Choices {
    /// Lowered probabilities of the observed states; what is left goes to the best of the states in `bits`,
    /// or to one never seen.
    Few { lowered: Vec<f64>, left: f64, bits: Vec<u64>, any_unseen: bool },
    /// Laws over the seen states and, last, those never seen; one after another.
    Many { laws: Vec<f64> },
}

struct Lucky<'a> {
    counts: &'a Counts,
    r_max: f64,
    rewards: Vec<f64>,
    choices: Vec<Choices>,
    /// Seen states by value, best first.
    order: Vec<u32>,
}

impl Operator for Lucky<'_> {
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

/// Draws the extended world and solves it to `tolerance`.
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
    let mut lucky = Lucky {
        counts,
        r_max: evidence.r_max,
        rewards: Vec::with_capacity(counts.pairs().len()),
        choices: Vec::with_capacity(counts.pairs().len()),
        order: (0..counts.seen() as u32).collect(),
    };
    for number in 0..counts.seen() as u32 {
        for pair in counts.pairs_of(number) {
            let stats = &counts.pairs()[pair];
            lucky.rewards.push(match evidence.known {
                Some(mean) if counts.was_visited(number) => mean(pair),
                _ if stats.visits_before() == 0 => evidence.r_max,
                _ => stats.reward_mean(),
            });
            let drawn = match is_rich(pair) {
                true => many(options, counts, pair, samples as u64, random),
                false => few(counts, pair, samples as u64, random),
            };
            lucky.choices.push(drawn);
        }
    }
    iterate::solve(counts, &mut lucky, tolerance)
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
    // Many entries of a Dirichlet law are one entry of their sum.
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
    let log = (4.0 * counts.space().states() as f64).ln();
    let lower = |&share: &f64| {
        let deviation = (3.0 * share * log / visits).sqrt() + 3.0 * log / visits;
        share - deviation.min(share)
    };
    // A pair never tried has no share; all is left.
    let lowered: Vec<f64> = counts.row(pair).share.iter().map(lower).collect();
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

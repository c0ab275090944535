//! How is an MDP drawn from the posterior at a cost that depends only on the observations?
//!
//! An approximation. For every pair, a Dirichlet draw over its observed next states plus one entry for
//! all others, whose mass is then split equally, which is its conditional mean. States never seen are
//! one state with one draw of rewards. A sweep costs the number of observed transitions: the equal part
//! of every expectation comes from one sum over all states.
//!
//! Under a sparse prior the probability of reaching states never seen can be 1e-12 or 0, and value
//! iteration needs about the inverse number of sweeps. If it does not converge, the MDP with one state
//! for all states never seen is built as a table and solved exactly.

use super::iterate::{self, Operator};
use super::{DrawError, Drawn, Prior, RewardEvidence, TABLE_LIMIT};
use crate::counts::Counts;
use crate::inner_max::Values;
use crate::mdp::Mdp;
use crate::rng::RandomStream;
use crate::solve;

struct Loose<'a> {
    counts: &'a Counts,
    rewards: Vec<f64>,
    /// The drawn probabilities of observed next states, row by row, and the start of each row.
    mass: Vec<f64>,
    begin: Vec<usize>,
    /// By pair: the probability of each next state never observed from it.
    elsewhere: Vec<f64>,
    unseen: u64,
    /// The largest drawn reward of a state never seen, and its action.
    reward_unseen: (f64, u32),
    /// The sum of all values.
    total: f64,
}

impl Operator for Loose<'_> {
    fn look(&mut self, values: &Values) {
        self.total = values.seen.iter().sum::<f64>();
        if self.unseen > 0 {
            self.total += self.unseen as f64 * values.unseen;
        }
    }

    fn worth(&self, pair: usize, values: &Values) -> f64 {
        let elsewhere = self.elsewhere[pair];
        let mut worth = self.rewards[pair] + elsewhere * self.total;
        let mass = &self.mass[self.begin[pair]..];
        for (&next, mass) in self.counts.row(pair).next.iter().zip(mass) {
            worth += (mass - elsewhere) * values.seen[next as usize];
        }
        worth
    }

    fn unseen(&self, _: &Values) -> Option<(f64, u32)> {
        let states = self.counts.space().states() as f64;
        let (reward, action) = self.reward_unseen;
        (self.unseen > 0).then(|| (reward + self.total / states, action))
    }
}

pub(super) fn draw(
    prior: &Prior,
    counts: &Counts,
    evidence: &RewardEvidence<'_>,
    tolerance: f64,
    random: &mut RandomStream,
) -> Result<Drawn, DrawError> {
    let mut loose = Loose::draw(prior, counts, evidence, random);
    match iterate::solve(counts, &mut loose, tolerance) {
        Err(error @ DrawError::NotConverged { .. }) => {
            let states = (counts.seen() + 1) as f64;
            let is_small = counts.pairs().len() as f64 * states <= TABLE_LIMIT;
            if is_small { loose.solved_exactly() } else { Err(error) }
        }
        solved => solved,
    }
}

impl<'a> Loose<'a> {
    fn draw(
        prior: &Prior,
        counts: &'a Counts,
        evidence: &RewardEvidence<'_>,
        random: &mut RandomStream,
    ) -> Self {
        let space = counts.space();
        let each = prior.each(space);
        let mut loose = Loose {
            counts,
            rewards: Vec::with_capacity(counts.pairs().len()),
            mass: Vec::new(),
            begin: Vec::with_capacity(counts.pairs().len()),
            elsewhere: Vec::with_capacity(counts.pairs().len()),
            unseen: counts.unseen(),
            reward_unseen: (f64::NEG_INFINITY, 0),
            total: 0.0,
        };
        let mut law = Vec::new();
        for pair in 0..counts.pairs().len() {
            loose.rewards.push(prior.rewards.draw(counts, pair, evidence, random));
            law.clear();
            law.extend(counts.transitions(pair).map(|(_, visits)| each + visits as f64));
            let others = space.states() - law.len() as u64;
            if others > 0 {
                law.push(each * others as f64);
            }
            random.dirichlet(&mut law);
            loose.elsewhere.push(match others {
                0 => 0.0,
                _ => law.pop().unwrap_or(0.0) / others as f64,
            });
            loose.begin.push(loose.mass.len());
            loose.mass.extend_from_slice(&law);
        }
        if loose.unseen > 0 {
            for action in 0..space.max_actions() {
                let reward = prior.rewards.draw_unseen(evidence.r_max, random);
                if reward > loose.reward_unseen.0 {
                    loose.reward_unseen = (reward, action);
                }
            }
        }
        loose
    }

    /// Solves the same MDP as a table whose last state represents all states never seen.
    fn solved_exactly(&self) -> Result<Drawn, DrawError> {
        let (counts, seen) = (self.counts, self.counts.seen());
        let has_unseen = self.unseen > 0;
        let rewards =
            || self.rewards.iter().copied().chain(has_unseen.then_some(self.reward_unseen.0));
        let (lowest, highest) = rewards().fold((0.0f64, 0.0f64), |(l, h), r| (l.min(r), h.max(r)));
        let states = seen + usize::from(has_unseen);
        let mut builder = Mdp::builder();
        builder.r_max(highest - lowest).start_at(0);
        for number in 0..seen as u32 {
            builder.state();
            for pair in counts.pairs_of(number) {
                let elsewhere = self.elsewhere[pair];
                let mut law = vec![elsewhere; states];
                if has_unseen {
                    law[seen] = elsewhere * self.unseen as f64;
                }
                let mass = &self.mass[self.begin[pair]..];
                for (&next, mass) in counts.row(pair).next.iter().zip(mass) {
                    law[next as usize] = *mass;
                }
                builder.action(self.rewards[pair] - lowest, law.into_iter().enumerate());
            }
        }
        if has_unseen {
            let each = 1.0 / counts.space().states() as f64;
            let mut law = vec![each; states];
            law[seen] = each * self.unseen as f64;
            builder.state();
            builder.action(self.reward_unseen.0 - lowest, law.into_iter().enumerate());
        }
        let answer = solve::solve(&builder.build()?)?;
        let mut drawn = Drawn::of_table(&answer, seen, lowest);
        drawn.action_unseen = self.reward_unseen.1;
        Ok(drawn)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Concentration, RewardPosterior, Split};
    use super::*;
    use crate::counts::Variance;
    use crate::space::Space;

    /// Random counts of five states of a space with `states` states.
    fn counts(states: u64, random: &mut RandomStream) -> Counts {
        let mut counts = Counts::new(Space::uniform(states, 2), Variance::Published);
        for state in 0..5 {
            counts.see(state);
        }
        for _ in 0..40 {
            let pair = random.below(10) as usize;
            counts.record(pair, random.unit(), random.below(5) as u32);
        }
        counts.freeze();
        counts
    }

    /// An entry of a Dirichlet row has a beta distribution: here Beta(1 + 3, 4), for three of four
    /// visits in a space of four states. Its distribution function is a binomial tail.
    #[test]
    fn rows_follow_their_dirichlet_law_with_the_rest_shared_evenly() {
        let mut counts = Counts::new(Space::uniform(4, 1), Variance::Published);
        counts.see(0);
        counts.see(1);
        for next in [0, 0, 1, 0] {
            counts.record(0, 0.5, next);
        }
        counts.freeze();
        let prior = Prior { split: Split::Mean, ..Prior::default() };
        let evidence = RewardEvidence { r_max: 1.0, known: None, successes: None };
        let mut random = RandomStream::new(3);
        let mut drawn: Vec<f64> = (0..20_000)
            .map(|_| {
                let loose = Loose::draw(&prior, &counts, &evidence, &mut random);
                let total = loose.mass[0] + loose.mass[1] + 2.0 * loose.elsewhere[0];
                assert!((total - 1.0).abs() < 1e-12);
                loose.mass[counts.row(0).next.iter().position(|&next| next == 0).unwrap()]
            })
            .collect();
        drawn.sort_by(f64::total_cmp);
        let choose = [35.0, 21.0, 7.0, 1.0];
        let law = |x: f64| -> f64 {
            (4..8).map(|k| choose[k - 4] * x.powi(k as i32) * (1.0 - x).powi(7 - k as i32)).sum()
        };
        let count = drawn.len() as f64;
        let gaps =
            drawn.iter().enumerate().map(|(i, &x)| (law(x) - (i as f64 + 0.5) / count).abs());
        // The 0.999 quantile of the Kolmogorov-Smirnov statistic.
        assert!(gaps.fold(0.0, f64::max) * count.sqrt() < 1.95);
    }

    /// Value iteration and the table give the same gain, bias and policy.
    #[test]
    fn sweeps_and_the_table_solve_the_same_mdp() {
        let mut random = RandomStream::new(5);
        for round in 0..60 {
            let counts = counts([5, 6, 50, 2000][round % 4], &mut random);
            let rewards = match round % 3 {
                0 => RewardPosterior::BetaFractional { a: 1.0, b: 1.0 },
                1 => {
                    RewardPosterior::NormalGamma { mean: 1.0, strength: 1.0, shape: 1.0, rate: 1.0 }
                }
                _ => RewardPosterior::Known,
            };
            let concentration = Concentration::Each([1.0, 0.1][round % 2]);
            let prior = Prior { concentration, rewards, split: Split::Mean };
            let evidence = RewardEvidence { r_max: 2.0, known: None, successes: None };
            let mut loose = Loose::draw(&prior, &counts, &evidence, &mut random);
            let swept = iterate::solve(&counts, &mut loose, 1e-10).unwrap();
            let table = loose.solved_exactly().unwrap();
            assert_eq!(
                (&table.actions, table.action_unseen),
                (&swept.actions, swept.action_unseen)
            );
            assert!(table.gain_low <= swept.gain_high && swept.gain_low <= table.gain_high);
            assert!(table.gain_high - table.gain_low < 1e-6, "{table:?}");
            let biases = table.bias.iter().zip(&swept.bias);
            let unseen = table.bias_unseen.iter().zip(&swept.bias_unseen);
            for (one, other) in biases.chain(unseen).chain([(&table.span, &swept.span)]) {
                assert!((one - other).abs() < 1e-5 * swept.span.max(1.0), "{table:?} {swept:?}");
            }
            assert_eq!(table.bias_unseen.is_some(), counts.unseen() > 0);
        }
    }
}

//! What does a world look like when only what was observed is drawn one by one?
//!
//! For every pair a Dirichlet draw over its observed next states and, as one entry, all the others; that
//! entry is then spread evenly over them, which is its mean (ALGORITHMS 5.1, an approximation). States never
//! seen are one state with one draw of rewards. A sweep costs what was observed, whatever the nominal size:
//! the even part of an expectation comes from one sum over all states.

use super::iterate::{self, Operator};
use super::{DrawError, Drawn, Prior, RewardEvidence};
use crate::counts::Counts;
use crate::inner_max::Values;
use crate::rng::RandomStream;

struct Loose<'a> {
    counts: &'a Counts,
    rewards: Vec<f64>,
    /// The drawn masses of observed next states, row by row, and where each row begins.
    mass: Vec<f64>,
    begin: Vec<usize>,
    /// By pair: what each next state gets that was never observed from it.
    elsewhere: Vec<f64>,
    unseen: u64,
    /// The best reward of a state never seen, and its action.
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
    iterate::solve(counts, &mut loose, tolerance)
}

//! How is a complete MDP drawn from the posterior and solved?
//!
//! Every state of the nominal space gets its own rows, those never seen from the prior alone. The
//! table is solved by the exact solver, which also handles rows whose smallest entries have underflowed
//! to 0.

use super::{DrawError, Drawn, Prior, RewardEvidence, TABLE_LIMIT};
use crate::counts::Counts;
use crate::mdp::Mdp;
use crate::pulse::unless_stopped;
use crate::rng::RandomStream;
use crate::solve::{self, Solution};
use crate::space::StateId;

/// An MDP drawn from the posterior.
#[derive(Debug, Clone)]
pub struct SampledWorld {
    /// The seen states by number, then the states in `unseen`.
    pub mdp: Mdp,
    /// The states never seen, increasing.
    pub unseen: Vec<StateId>,
    /// Subtracted from all rewards, because normal means may be negative. It shifts only the gain.
    pub lowest: f64,
}

impl Prior {
    /// Draws a complete MDP.
    ///
    /// # Errors
    /// When its table would be too large.
    pub fn draw_world(
        &self,
        counts: &Counts,
        evidence: &RewardEvidence<'_>,
        random: &mut RandomStream,
    ) -> Result<SampledWorld, DrawError> {
        let space = counts.space();
        let needed = space.nominal_pairs() as f64 * space.states() as f64;
        if needed > TABLE_LIMIT {
            return Err(DrawError::TooLarge {
                what: "table entries",
                needed,
                limit: TABLE_LIMIT,
                advice: "say split=mean, an approximation whose cost depends on the seen states",
            });
        }
        let all = 0..space.states();
        let unseen: Vec<StateId> = all.filter(|&state| counts.number(state).is_none()).collect();
        let states = counts.seen() + unseen.len();
        let each = self.each(space);
        let (mut rewards, mut laws, mut actions) = (Vec::new(), Vec::new(), Vec::new());
        for number in unless_stopped(0..counts.seen() as u32) {
            actions.push(counts.pairs_of(number).len());
            for pair in counts.pairs_of(number) {
                rewards.push(self.rewards.draw(counts, pair, evidence, random));
                let mut law = vec![each; states];
                for (next, visits) in counts.transitions(pair) {
                    law[next as usize] += visits as f64;
                }
                random.dirichlet(&mut law);
                laws.push(law);
            }
        }
        for &state in unless_stopped(&unseen) {
            actions.push(space.actions(state) as usize);
            for _ in 0..space.actions(state) {
                rewards.push(self.rewards.draw_unseen(evidence.r_max, random));
                let mut law = vec![each; states];
                random.dirichlet(&mut law);
                laws.push(law);
            }
        }
        let lowest = rewards.iter().copied().fold(0.0, f64::min);
        let highest = rewards.iter().copied().fold(evidence.r_max, f64::max);
        let mut builder = Mdp::builder();
        builder.r_max(highest - lowest).start_at(0);
        let mut pairs = rewards.iter().zip(laws);
        for &count in &actions {
            builder.state();
            for (reward, law) in pairs.by_ref().take(count) {
                let reward = (reward - lowest).clamp(0.0, highest - lowest);
                builder.action(reward, law.into_iter().enumerate());
            }
        }
        Ok(SampledWorld { mdp: builder.build()?, unseen, lowest })
    }
}

pub(super) fn draw(
    prior: &Prior,
    counts: &Counts,
    evidence: &RewardEvidence<'_>,
    random: &mut RandomStream,
) -> Result<Drawn, DrawError> {
    let SampledWorld { mdp, unseen, lowest } = prior.draw_world(counts, evidence, random)?;
    let answer = solve::solve(&mdp)?;
    let seen = counts.seen();
    let action = |row: usize| answer.policy.action(row).unwrap_or(0) as u32;
    let mut drawn = Drawn::of_table(&answer, seen, lowest);
    drawn.unseen_actions = unseen.iter().zip(seen..).map(|(&id, row)| (id, action(row))).collect();
    Ok(drawn)
}

impl Drawn {
    /// The solution of a table that begins with the seen states, whose rewards are reduced by `lowest`.
    /// Leaves out the actions of states never seen.
    pub(super) fn of_table(answer: &Solution, seen: usize, lowest: f64) -> Self {
        let action = |state: usize| answer.policy.action(state).unwrap_or(0) as u32;
        let seen_bias = &answer.bias[..seen];
        let bottom = seen_bias.iter().copied().fold(f64::INFINITY, f64::min);
        let top_unseen = answer.bias[seen..].iter().copied().reduce(f64::max);
        let bounds = answer.gain.iter().zip(&answer.gain_error);
        let none = (f64::INFINITY, f64::NEG_INFINITY);
        let (gain_low, gain_high) = bounds
            .fold(none, |(low, high), (g, e)| (low.min(g - e + lowest), high.max(g + e + lowest)));
        Self {
            actions: (0..seen).map(action).collect(),
            unseen_actions: Vec::new(),
            action_unseen: 0,
            gain_low,
            gain_high,
            bias: seen_bias.iter().map(|value| value - bottom).collect(),
            bias_unseen: top_unseen.map(|value| value - bottom),
            span: answer.span(),
            sweeps: answer.sweeps,
        }
    }
}

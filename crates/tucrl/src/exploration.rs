//! How much does an agent lose when it starts to explore again?
//!
//! Regret of exploration (Boone and Gaujal, COLT 2025): an exploration time is the start of an episode at which the last
//! policy was gain-optimal from the present state and the new one can reach a pair with a positive Bellman gap. What
//! counts is the sum of the gaps in the first w steps after it, for windows w up to [`LONGEST`]: its mean and its largest
//! value over the exploration times from a tenth of the run on. With the doubling rule the worst loss grows linearly
//! in w; a rule that ends bad episodes early keeps it small.
//!
//! Only learners with episodes and plans have exploration times. The policies are compared in the true MDP, after every
//! plan, so that this is measured only on request.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::gaps::Gaps;
use crate::graph::{OUTSIDE, strong_components};
use crate::learner::Diary;
use crate::space::StateId;

/// The longest window, in steps.
pub const LONGEST: u64 = 1000;
/// The windows.
const WINDOWS: [u64; 10] = [1, 2, 5, 10, 20, 50, 100, 200, 500, LONGEST];
/// Exploration times count from this share of the run on.
const FROM: u64 = 10;

/// What was lost after exploration times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ExplorationLoss {
    /// Exploration times counted: those from `from` on with [`LONGEST`] steps after them.
    pub times: u64,
    /// The first time that counts.
    pub from: u64,
    /// For each window its length, and the mean and the largest loss within it; 0 if no time was counted.
    pub windows: Vec<(u64, f64, f64)>,
}

/// Finds exploration times while a run goes on.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Explorations {
    from: u64,
    /// The sum of gaps after t steps, at t modulo the length.
    recent: Vec<f64>,
    /// Exploration times whose longest window is not over.
    open: VecDeque<u64>,
    episodes: usize,
    /// The pairs that the present plan plays, by state of the table; empty before the first plan.
    policy: Vec<(u32, u32)>,
    times: u64,
    sums: Vec<f64>,
    worst: Vec<f64>,
}

impl Explorations {
    /// In a run of this number of steps.
    pub(crate) fn new(steps: u64) -> Self {
        Self {
            from: steps / FROM,
            recent: vec![0.0; LONGEST as usize + 1],
            open: VecDeque::new(),
            episodes: 0,
            policy: Vec::new(),
            times: 0,
            sums: vec![0.0; WINDOWS.len()],
            worst: vec![0.0; WINDOWS.len()],
        }
    }

    fn recent(&mut self, time: u64) -> &mut f64 {
        let length = self.recent.len() as u64;
        &mut self.recent[(time % length) as usize]
    }

    /// After step number `time`, which was taken in `state`; `total` is the sum of the gaps up to it.
    pub(crate) fn step(
        &mut self,
        time: u64,
        state: StateId,
        total: f64,
        diary: &Diary<'_>,
        gaps: &Gaps,
    ) {
        *self.recent(time) = total;
        if diary.episode_count() != self.episodes {
            self.episodes = diary.episode_count();
            let policy = played(diary, gaps);
            let before = time - 1;
            if before >= self.from
                && let (Some(number), false) = (gaps.number(state), self.policy.is_empty())
                && is_optimal(gaps, &self.policy, number)
                && can_lose(gaps, &policy, number)
            {
                self.open.push_back(before);
            }
            self.policy = policy;
        }
        if self.open.front().is_some_and(|start| start + LONGEST == time) {
            self.open.pop_front();
            self.times += 1;
            let start = *self.recent(time - LONGEST);
            for (index, window) in WINDOWS.into_iter().enumerate() {
                let loss = *self.recent(time - LONGEST + window) - start;
                self.sums[index] += loss;
                self.worst[index] = self.worst[index].max(loss);
            }
        }
    }

    /// What was lost so far.
    pub(crate) fn loss(&self) -> ExplorationLoss {
        let mean = |sum: f64| if self.times == 0 { 0.0 } else { sum / self.times as f64 };
        let window = |index: usize| (WINDOWS[index], mean(self.sums[index]), self.worst[index]);
        let windows = (0..WINDOWS.len()).map(window).collect();
        ExplorationLoss { times: self.times, from: self.from, windows }
    }
}

/// The pairs that the plan plays in each state of the table: its action, and the other one if it mixes two.
fn played(diary: &Diary<'_>, gaps: &Gaps) -> Vec<(u32, u32)> {
    let (Some(plan), Some(counts)) = (diary.plan, diary.counts) else { return Vec::new() };
    let table = gaps.table();
    let of_state = |number: usize| {
        let state = gaps.state(number);
        let actions = table.actions(number) as u32;
        let seen = counts.number(state).and_then(|seen| plan.choices.get(seen as usize));
        let (action, other) = match seen {
            Some(choice) if choice.mix > 0.0 => (choice.action, choice.other),
            Some(choice) => (choice.action, choice.action),
            None => {
                let own = plan.unseen_actions.iter().find(|(unseen, _)| *unseen == state);
                let action = own.map_or(plan.action_unseen, |(_, action)| *action) % actions;
                (action, action)
            }
        };
        let pair = |action: u32| table.pair(number, action as usize) as u32;
        (pair(action), pair(other))
    };
    (0..table.states()).map(of_state).collect()
}

/// The states that a policy can reach from a state, itself among them.
fn reached(gaps: &Gaps, policy: &[(u32, u32)], from: usize) -> Vec<bool> {
    let mut is_reached = vec![false; policy.len()];
    is_reached[from] = true;
    let mut open = vec![from];
    while let Some(state) = open.pop() {
        for pair in both(policy[state]) {
            for (next, p) in gaps.table().row(pair).iter() {
                if p > 0.0 && !is_reached[next] {
                    is_reached[next] = true;
                    open.push(next);
                }
            }
        }
    }
    is_reached
}

fn both((one, other): (u32, u32)) -> impl Iterator<Item = usize> {
    std::iter::once(one as usize).chain((other != one).then_some(other as usize))
}

/// Whether a policy can reach a pair with a positive gap, or that loses gain, from a state.
fn can_lose(gaps: &Gaps, policy: &[(u32, u32)], from: usize) -> bool {
    let is_reached = reached(gaps, policy, from);
    let loses = |state: usize| both(policy[state]).any(|pair| gaps.is_positive(pair));
    (0..policy.len()).any(|state| is_reached[state] && loses(state))
}

/// Whether a policy has the optimal gain from a state: no pair that loses is played in a closed class that it reaches,
/// and none that loses gain for good on the way.
fn is_optimal(gaps: &Gaps, policy: &[(u32, u32)], from: usize) -> bool {
    let is_reached = reached(gaps, policy, from);
    let table = gaps.table();
    // The edges of all reached states, one state after the other.
    let (mut targets, mut first) = (Vec::new(), vec![0]);
    for state in 0..policy.len() {
        if is_reached[state] {
            for pair in both(policy[state]) {
                let row = table.row(pair);
                targets.extend(row.iter().filter(|(_, p)| *p > 0.0).map(|(next, _)| next));
            }
        }
        first.push(targets.len());
    }
    let edges = |state: usize| first[state]..first[state + 1];
    let classes = strong_components(
        policy.len(),
        |state| is_reached[state],
        edges,
        |edge| Some(targets[edge]),
    );
    let mut is_closed = vec![true; classes.count];
    for state in (0..policy.len()).filter(|&state| is_reached[state]) {
        let own = classes.of[state];
        if own != OUTSIDE && edges(state).any(|edge| classes.of[targets[edge]] != own) {
            is_closed[own as usize] = false;
        }
    }
    let loses = |state: usize| {
        let recurs = is_closed[classes.of[state] as usize];
        both(policy[state])
            .any(|pair| gaps.gain_loss(pair) > 0.0 || (recurs && gaps.is_positive(pair)))
    };
    (0..policy.len()).all(|state| !is_reached[state] || !loses(state))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::mdp::Mdp;
    use crate::solve;
    use crate::structure;

    /// State 0 leads to 1 at a loss or stays; 1 stays and pays 1, or goes back to 0 for nothing; 0 pays 0.5.
    fn gaps() -> Gaps {
        let mut builder = Mdp::builder();
        builder.state();
        builder.action(0.5, [(0, 1.0)]);
        builder.action(0.0, [(1, 1.0)]);
        builder.state();
        builder.action(1.0, [(1, 1.0)]);
        builder.action(0.0, [(0, 1.0)]);
        builder.start_at(0);
        let mdp = Arc::new(builder.build().unwrap());
        let solution = solve::solve(&mdp).unwrap();
        Gaps::of(&mdp, &solution, &structure::reachable(&mdp))
    }

    #[test]
    fn policies_are_judged_where_they_end_and_by_what_they_meet() {
        let gaps = gaps();
        let policy = |zero: u32, one: u32| vec![(zero, zero), (one, one)];
        // Pairs 0, 1 belong to state 0; 2, 3 to state 1.
        let (best, lazy, back) = (policy(1, 2), policy(0, 2), policy(1, 3));
        assert!(is_optimal(&gaps, &best, 0) && !can_lose(&gaps, &best, 0));
        assert!(!is_optimal(&gaps, &lazy, 0) && can_lose(&gaps, &lazy, 0));
        // From state 1 the lazy policy never meets its mistake.
        assert!(is_optimal(&gaps, &lazy, 1) && !can_lose(&gaps, &lazy, 1));
        assert!(!is_optimal(&gaps, &back, 1) && can_lose(&gaps, &back, 0));
        // A mistake on the way costs once: the gain is optimal all the same.
        let mixed = vec![(0, 1), (2, 2)];
        assert!(is_optimal(&gaps, &mixed, 0) && can_lose(&gaps, &mixed, 0));
    }
}

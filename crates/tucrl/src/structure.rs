//! Is an MDP communicating, weakly communicating or multichain, and which states are reachable?
//!
//! Definitions of section 2 of the paper. *Communicating*: every state can be reached from every
//! other. *Weakly communicating*: a closed set of states communicates and the others are transient
//! under every policy. *Multichain*: neither. S^C is the set of states reachable from the start; the
//! paper assumes that the start can be reached from all of S^C.
//!
//! Decided on the graph of possible transitions by end components: sets of states with pairs that
//! never leave the set and connect it. A state is recurrent under some policy iff it lies in an end
//! component. An MDP is weakly communicating iff it has exactly one maximal end component (which is
//! then closed: a pair that leaves would lead back and enlarge it).

use std::ops::Range;

use crate::graph::{self, OUTSIDE, Reversed};
use crate::mdp::Mdp;
use crate::pulse::Pulse;

/// The possible transitions of an MDP or of a sub-MDP.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Table<'a> {
    /// Pairs of state `s` are `pair_start[s]..pair_start[s + 1]`.
    pub(crate) pair_start: &'a [u32],
    /// Entries of pair `p` are `row_start[p]..row_start[p + 1]`.
    pub(crate) row_start: &'a [usize],
    /// The next state of each entry.
    pub(crate) next: &'a [u32],
}

impl<'a> Table<'a> {
    pub(crate) fn of(mdp: &'a Mdp) -> Self {
        Self { pair_start: &mdp.pair_start, row_start: &mdp.row_start, next: &mdp.next }
    }

    fn states(self) -> usize {
        self.pair_start.len() - 1
    }

    fn pairs(self) -> usize {
        self.row_start.len() - 1
    }

    fn pairs_of(self, state: usize) -> Range<usize> {
        self.pair_start[state] as usize..self.pair_start[state + 1] as usize
    }

    fn entries(self, pair: usize) -> Range<usize> {
        self.row_start[pair]..self.row_start[pair + 1]
    }

    fn targets(self, pair: usize) -> impl Iterator<Item = usize> + 'a {
        self.next[self.entries(pair)].iter().map(|&next| next as usize)
    }
}

/// The communication class of an MDP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Every state can be reached from every other.
    Communicating,
    /// One closed set communicates, the other states are transient under every policy.
    WeaklyCommunicating,
    /// There are several maximal end components.
    Multichain,
}

impl std::fmt::Display for Class {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Communicating => "communicating",
            Self::WeaklyCommunicating => "weakly communicating",
            Self::Multichain => "multichain",
        })
    }
}

/// The maximal end components of an MDP.
#[derive(Debug, Clone)]
pub struct EndComponents {
    of: Vec<u32>,
    members: Vec<Vec<u32>>,
    stays: Vec<bool>,
}

impl EndComponents {
    /// The number of components, at least one.
    pub fn count(&self) -> usize {
        self.members.len()
    }

    /// The component of a state, if it lies in one.
    pub fn of(&self, state: usize) -> Option<usize> {
        (self.of[state] != OUTSIDE).then_some(self.of[state] as usize)
    }

    /// The states of each component, increasing; the components are ordered by their first state.
    pub fn members(&self) -> &[Vec<u32>] {
        &self.members
    }

    /// True if the pair belongs to a component: its state does and it never leaves the component.
    pub fn pair_stays(&self, pair: usize) -> bool {
        self.stays[pair]
    }
}

/// The maximal end components: strongly connected components, after repeatedly removing pairs that
/// leave their component and states without pairs. Not to be used after [`Pulse::is_stopped`].
pub fn end_components(mdp: &Mdp) -> EndComponents {
    end_components_without(Table::of(mdp), vec![false; mdp.pairs()])
}

/// The maximal end components without the pairs marked in `is_struck`.
pub(crate) fn end_components_without(table: Table<'_>, mut is_struck: Vec<bool>) -> EndComponents {
    let states = table.states();
    let mut actions_left: Vec<u32> = (0..states)
        .map(|state| table.pairs_of(state).filter(|&pair| !is_struck[pair]).count() as u32)
        .collect();
    let mut is_alive: Vec<bool> = actions_left.iter().map(|&actions| actions > 0).collect();
    let owner = owners(table);
    // Built when the first state is removed; a communicating MDP never needs it.
    let mut into: Option<Reversed> = None;
    loop {
        let components = surviving_components(table, &is_alive, &is_struck);
        let mut dead = Vec::new();
        let mut has_changed = false;
        for state in (0..states).filter(|&state| is_alive[state]) {
            for pair in table.pairs_of(state) {
                let leaves =
                    || table.targets(pair).any(|next| components.of[next] != components.of[state]);
                if !is_struck[pair] && leaves() {
                    is_struck[pair] = true;
                    has_changed = true;
                    actions_left[state] -= 1;
                }
            }
            if actions_left[state] == 0 {
                dead.push(state);
            }
        }
        // After a stop these are no end components; callers look at the pulse too.
        if !has_changed || Pulse::is_stopped() {
            let mut members = components.members();
            members.sort_by_key(|component| component[0]);
            let mut of = vec![OUTSIDE; states];
            for (index, component) in members.iter().enumerate() {
                component.iter().for_each(|&state| of[state as usize] = index as u32);
            }
            let stays = is_struck.iter().map(|struck| !struck).collect();
            return EndComponents { of, members, stays };
        }
        let into = match &mut into {
            _ if dead.is_empty() => continue,
            Some(into) => into,
            none => none.insert(incoming(table)),
        };
        while let Some(state) = dead.pop() {
            is_alive[state] = false;
            for &pair in into.owners(state) {
                if !is_struck[pair as usize] {
                    is_struck[pair as usize] = true;
                    let from = owner[pair as usize] as usize;
                    actions_left[from] -= 1;
                    if actions_left[from] == 0 {
                        dead.push(from);
                    }
                }
            }
        }
    }
}

/// A quick sufficient test that there is only one maximal end component of the pairs not struck. False
/// proves nothing.
///
/// A walk chooses a state x. Passes over the table then collect the states that reach x with positive
/// probability under every policy: those all of whose pairs may lead to a state collected before. If
/// all states are collected, every end component contains x.
pub(crate) fn all_end_components_meet(table: Table<'_>, is_struck: &[bool]) -> bool {
    // Both are limits on the time of a test that may fail: a search for all end components decides then.
    let steps = table.states().min(1_000);
    const PASSES: usize = 30;
    let mut state = 0;
    for step in 0..steps {
        let Some(pair) = table.pairs_of(state).find(|&pair| !is_struck[pair]) else { return false };
        let targets = &table.next[table.entries(pair)];
        state = targets[step % targets.len()] as usize;
    }
    let mut is_caught = vec![false; table.states()];
    is_caught[state] = true;
    let mut left = table.states() - 1;
    for pass in 0..PASSES {
        let before = left;
        for index in 0..table.states() {
            // Alternating directions: a state collected early in a pass helps those after it.
            let state = if pass % 2 == 0 { index } else { table.states() - 1 - index };
            if !is_caught[state] {
                let mut pairs = table.pairs_of(state).filter(|&pair| !is_struck[pair]);
                let is_certain = pairs.all(|pair| table.targets(pair).any(|next| is_caught[next]));
                is_caught[state] = is_certain;
                left -= usize::from(is_certain);
            }
        }
        if left == 0 || (left == before && pass > 0) {
            break;
        }
    }
    left == 0
}

/// The communication class of an MDP.
pub fn classify(mdp: &Mdp, end_components: &EndComponents) -> Class {
    match end_components.members() {
        [all] if all.len() == mdp.states() => Class::Communicating,
        [_] => Class::WeaklyCommunicating,
        _ => Class::Multichain,
    }
}

/// The states reachable from the start under some policy.
#[doc(alias = "S^C")]
pub fn reachable(mdp: &Mdp) -> Vec<bool> {
    graph::reachable_from(mdp.states(), mdp.start().map(|(state, _)| state), |state, visit| {
        for pair in mdp.pairs_of(state) {
            mdp.row(pair).iter().for_each(|(next, _)| visit(next));
        }
    })
}

/// True if every start state can be reached from every state reachable from the start: the assumption
/// of the paper's regret bound (section 2).
pub fn start_is_recoverable(mdp: &Mdp, is_reachable: &[bool]) -> bool {
    is_strongly_connected(mdp, is_reachable)
}

/// True if every state of the set can reach every other one within the set.
pub(crate) fn is_strongly_connected(mdp: &Mdp, is_inside: &[bool]) -> bool {
    surviving_components(Table::of(mdp), is_inside, &vec![false; mdp.pairs()]).count == 1
}

/// The largest number of possible next states of the pairs of the given states.
#[doc(alias = "Gamma^C")]
pub fn max_support_within(mdp: &Mdp, is_inside: &[bool]) -> usize {
    (0..mdp.states())
        .filter(|&state| is_inside[state])
        .flat_map(|state| mdp.pairs_of(state))
        .map(|pair| mdp.row(pair).len())
        .max()
        .unwrap_or(0)
}

/// For every state, the pairs that can lead to it.
pub(crate) fn incoming(table: Table<'_>) -> Reversed {
    Reversed::new(table.states(), |edge| {
        for pair in 0..table.pairs() {
            table.targets(pair).for_each(|next| edge(pair as u32, next));
        }
    })
}

/// The state of every pair.
pub(crate) fn owners(table: Table<'_>) -> Vec<u32> {
    let mut owner = Vec::with_capacity(table.pairs());
    for state in 0..table.states() {
        owner.extend(table.pairs_of(state).map(|_| state as u32));
    }
    owner
}

/// The strongly connected components of the states alive and the pairs not struck.
fn surviving_components(
    table: Table<'_>,
    is_alive: &[bool],
    is_struck: &[bool],
) -> graph::Components {
    // Copy the remaining edges without gaps: the search visits them in random order, and a compact
    // copy has fewer cache misses.
    let mut start = Vec::with_capacity(table.states() + 1);
    let mut targets = Vec::with_capacity(table.next.len());
    for state in 0..table.states() {
        start.push(targets.len());
        for pair in table.pairs_of(state).filter(|&pair| !is_struck[pair]) {
            targets.extend_from_slice(&table.next[table.entries(pair)]);
        }
    }
    start.push(targets.len());
    graph::strong_components(
        table.states(),
        |state| is_alive[state],
        |state| start[state]..start[state + 1],
        |edge| Some(targets[edge] as usize),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::RandomStream;
    use crate::worlds::Garnet;

    #[test]
    fn a_common_state_is_only_claimed_where_there_is_one_end_component() {
        let mut random = RandomStream::new(5);
        let (mut single, mut claimed) = (0, 0);
        for seed in 0..400 {
            let states = 2 + random.below(12) as usize;
            let branching = 1 + random.below(3.min(states as u64)) as usize;
            let mdp = Garnet { states, actions: 2, branching, seed }.build().unwrap();
            // Every state keeps its first action.
            let is_struck: Vec<bool> =
                (0..mdp.pairs()).map(|pair| pair % 2 == 1 && random.chance(0.7)).collect();
            let table = Table::of(&mdp);
            let is_claimed = all_end_components_meet(table, &is_struck);
            let is_single = end_components_without(table, is_struck).count() == 1;
            assert!(is_single || !is_claimed, "seed {seed}");
            single += usize::from(is_single);
            claimed += usize::from(is_claimed);
        }
        assert!(single < 400 && claimed > 3 * single / 4, "{claimed} claimed of {single}");
    }
}

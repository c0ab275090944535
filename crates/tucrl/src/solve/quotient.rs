//! In which end component of a multichain MDP should a policy stay?
//!
//! The quotient has one node per maximal end component, with an action "stay" worth the component's
//! optimal gain, and one node per other state. It has no end components, so every policy stays
//! somewhere with probability one, and the largest expected stay value is the optimal gain (Ashok et
//! al. 2017).
//!
//! A pair is judged per departure: by the law of the next node given that it is another one. How long a
//! node is kept does not matter for where a policy ends, and an improvement that is rare is not small.
//!
//! The strongly connected components of the quotient are solved in topological order, those that are
//! reached last first: a single node by the best of its actions, a larger one by `circle`.

use std::ops::Range;

use super::circle::Circle;
use crate::graph;
use crate::mdp::Mdp;
use crate::structure::EndComponents;

/// The smallest circle that is solved by sweeps. Smaller ones are solved by policy iteration, which keeps the relative
/// accuracy of tiny values: eliminating 20 states takes at most 20³/3 operations, as many as some thirty sweeps over rows of four
/// or five entries.
const SWEEP_FROM: usize = 20;

/// The MDP with every maximal end component contracted to one node.
pub(crate) struct Quotient {
    /// The node of each state; end components first, in their order.
    node_of: Vec<u32>,
    /// The departures of node n are `departure_start[n]..departure_start[n + 1]`.
    departure_start: Vec<usize>,
    /// The node, the pair and the number of transitions of each departure.
    from: Vec<u32>,
    pub(super) pair: Vec<u32>,
    terms: Vec<u32>,
    /// The entries of departure d are `row_start[d]..row_start[d + 1]`.
    row_start: Vec<usize>,
    /// Another node, and its probability given that the node is left.
    next: Vec<u32>,
    weight: Vec<f64>,
}

/// A number with certified bounds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Worth {
    pub(crate) value: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// The solution of the quotient.
pub(crate) struct Settled {
    /// One entry per node.
    pub(crate) worth: Vec<Worth>,
    /// The pair by which each node is left; `None` where it is best to stay, never for a node that is no
    /// end component.
    pub(crate) leave_by: Vec<Option<u32>>,
}

impl Quotient {
    pub(crate) fn new(mdp: &Mdp, end_components: &EndComponents) -> Self {
        let mut nodes = end_components.count();
        let mut node_of = Vec::with_capacity(mdp.states());
        for state in 0..mdp.states() {
            let node = end_components.of(state).unwrap_or_else(|| {
                nodes += 1;
                nodes - 1
            });
            node_of.push(node as u32);
        }
        // The states of each node, one after the other.
        let mut state_start = vec![0u32; nodes + 1];
        node_of.iter().for_each(|&node| state_start[node as usize + 1] += 1);
        for node in 0..nodes {
            state_start[node + 1] += state_start[node];
        }
        let (mut fill, mut states) = (state_start.clone(), vec![0u32; mdp.states()]);
        for (state, &node) in node_of.iter().enumerate() {
            states[fill[node as usize] as usize] = state as u32;
            fill[node as usize] += 1;
        }
        let mut quotient = Self {
            node_of,
            departure_start: vec![0],
            from: Vec::new(),
            pair: Vec::new(),
            terms: Vec::new(),
            row_start: vec![0],
            next: Vec::new(),
            weight: Vec::new(),
        };
        let mut law: Vec<(u32, f64)> = Vec::new();
        for node in 0..nodes {
            let members = &states[state_start[node] as usize..state_start[node + 1] as usize];
            let pairs = members.iter().flat_map(|&state| mdp.pairs_of(state as usize));
            for pair in pairs.filter(|&pair| !end_components.pair_stays(pair)) {
                law.clear();
                let row = mdp.row(pair).iter().map(|(next, p)| (quotient.node_of[next], p));
                law.extend(row.filter(|entry| entry.0 as usize != node));
                law.sort_by_key(|entry| entry.0);
                law.dedup_by(|later, earlier| {
                    let is_same = later.0 == earlier.0;
                    if is_same {
                        earlier.1 += later.1;
                    }
                    is_same
                });
                // Positive: a pair that leads nowhere else would be an end component.
                let total: f64 = law.iter().map(|entry| entry.1).sum();
                quotient.from.push(node as u32);
                quotient.pair.push(pair as u32);
                quotient.terms.push(mdp.row(pair).len() as u32);
                quotient.next.extend(law.iter().map(|entry| entry.0));
                quotient.weight.extend(law.iter().map(|entry| entry.1 / total));
                quotient.row_start.push(quotient.next.len());
            }
            quotient.departure_start.push(quotient.pair.len());
        }
        quotient
    }

    pub(crate) fn node_of(&self, state: usize) -> usize {
        self.node_of[state] as usize
    }

    pub(super) fn departures(&self, node: usize) -> Range<usize> {
        self.departure_start[node]..self.departure_start[node + 1]
    }

    /// The entries `(node, weight)` of a departure.
    pub(super) fn row(&self, departure: usize) -> impl ExactSizeIterator<Item = (usize, f64)> + '_ {
        let entries = self.row_start[departure]..self.row_start[departure + 1];
        let weights = self.weight[entries.clone()].iter().copied();
        self.next[entries].iter().map(|&next| next as usize).zip(weights)
    }

    /// The expectation of values after a departure.
    pub(super) fn expected(&self, departure: usize, of: impl Fn(usize) -> f64) -> Worth {
        let (mut sum, mut least, mut most) = (0.0, f64::INFINITY, f64::NEG_INFINITY);
        for (next, weight) in self.row(departure) {
            let value = of(next);
            sum += weight * value;
            (least, most) = (value.min(least), value.max(most));
        }
        let noise = self.noise(departure, sum.abs());
        Worth {
            value: sum.max(least).min(most),
            low: (sum - noise).max(least),
            high: (sum + noise).min(most),
        }
    }

    /// Bounds on the expected change of values by a departure.
    pub(super) fn change(&self, departure: usize, of: impl Fn(usize) -> f64) -> (f64, f64) {
        let (mut sum, mut size, mut is_zero) = (0.0, 0.0, true);
        let here = of(self.from[departure] as usize);
        for (next, weight) in self.row(departure) {
            let difference = of(next) - here;
            is_zero &= difference == 0.0;
            let flow = weight * difference;
            sum += flow;
            size += flow.abs();
        }
        let noise = if is_zero { 0.0 } else { self.noise(departure, size) };
        (sum - noise, sum + noise)
    }

    /// A bound on the rounding error of a sum over a departure, `size` the sum of the absolute values of
    /// its terms. With t transitions, the total that weights are divided by is off by (t - 1)/2 ulps and a weight by 1/2
    /// more, differences and products by 1/2 each, and the sum by (t - 1)/2 again: t + 1/2 in all, and a rest for products of
    /// errors. Products that underflow have an absolute error.
    fn noise(&self, departure: usize, size: f64) -> f64 {
        let terms = f64::from(self.terms[departure]);
        (terms + 2.0) * f64::EPSILON * size + terms * f64::MIN_POSITIVE
    }

    /// Solves the quotient for the worth of staying, one per end component, until the bounds are at most `tolerance`
    /// further apart than those on staying, or as close as rounding allows.
    pub(crate) fn settle(&self, stay: &[Worth], tolerance: f64) -> Settled {
        let nodes = self.departure_start.len() - 1;
        let unknown = Worth { value: 0.0, low: 0.0, high: f64::INFINITY };
        let mut settled = Settled { worth: vec![unknown; nodes], leave_by: vec![None; nodes] };
        let edges = |node: usize| {
            let departures = self.departures(node);
            self.row_start[departures.start]..self.row_start[departures.end]
        };
        let target = |edge: usize| Some(self.next[edge] as usize);
        // A component leads only to components with smaller numbers.
        let components = graph::strong_components(nodes, |_| true, edges, target);
        let groups = components.groups();
        let tolerance = tolerance / self.circles_in_a_row(&components, &groups) as f64;
        let mut local = vec![u32::MAX; nodes];
        for members in groups.iter() {
            if let [node] = members {
                self.settle_node(*node as usize, stay, &mut settled);
                continue;
            }
            for (index, &node) in members.iter().enumerate() {
                local[node as usize] = index as u32;
            }
            let mut circle = Circle { quotient: self, stay, members, local: &local };
            if members.len() < SWEEP_FROM || !circle.settle_by_sweeps(&mut settled, tolerance) {
                let mut sorted = members.to_vec();
                sorted.sort_unstable();
                for (index, &node) in sorted.iter().enumerate() {
                    local[node as usize] = index as u32;
                }
                circle = Circle { quotient: self, stay, members: &sorted, local: &local };
                circle.settle(&mut settled);
            }
            members.iter().for_each(|&node| local[node as usize] = u32::MAX);
        }
        settled
    }

    /// The largest number of circles that a path passes, at least 1: their errors add up.
    fn circles_in_a_row(&self, components: &graph::Components, groups: &graph::Groups) -> usize {
        let mut passed = vec![0u32; components.count];
        for (component, members) in groups.iter().enumerate() {
            let mut most = 0;
            for &node in members {
                let departures = self.departures(node as usize);
                let entries = self.row_start[departures.start]..self.row_start[departures.end];
                for &next in &self.next[entries] {
                    most = most.max(passed[components.of[next as usize] as usize]);
                }
            }
            passed[component] = most + u32::from(members.len() > 1);
        }
        passed.into_iter().max().unwrap_or(0).max(1) as usize
    }

    /// Solves a node to which none of its successors leads back.
    fn settle_node(&self, node: usize, stay: &[Worth], settled: &mut Settled) {
        let mut best = stay.get(node).copied();
        for departure in self.departures(node) {
            let worth = &settled.worth;
            let moved = self.expected(departure, |next| worth[next].value);
            let low = self.expected(departure, |next| worth[next].low).low;
            let high = self.expected(departure, |next| worth[next].high).high;
            let is_better = best.is_none_or(|best| moved.low > best.value);
            if is_better {
                settled.leave_by[node] = Some(self.pair[departure]);
            }
            let value = if is_better { moved.value } else { best.map_or(0.0, |best| best.value) };
            best = Some(match best {
                Some(best) => Worth { value, low: best.low.max(low), high: best.high.max(high) },
                None => Worth { value, low, high },
            });
        }
        if let Some(best) = best {
            settled.worth[node] = best.in_bounds();
        }
    }
}

impl Worth {
    pub(super) fn in_bounds(self) -> Self {
        Self { value: self.value.max(self.low).min(self.high), ..self }
    }
}

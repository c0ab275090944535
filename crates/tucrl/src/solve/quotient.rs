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
//! reached last first: a single node by the best of its actions, a larger component by policy iteration
//! with exact evaluation.
//!
//! Certificate (a supermartingale): values u and numbers w >= 0 with u + c w >= stay and
//! u + c w >= P (u + c w) for every pair bound the optimum by u + c w. With w the largest expected number
//! of departures, P w <= w - 1, so a rounding error e per departure needs c = e. The smallest c is
//! computed from u and w as they are, whatever their own errors. Likewise from below, for the chosen
//! pairs. Where no c exists, the bound is the best, or the worst, end within reach.

use std::ops::Range;

use crate::chain::TransientSolver;
use crate::error::SolveError;
use crate::graph;
use crate::mdp::Mdp;
use crate::pulse::unless_stopped;
use crate::structure::EndComponents;

/// Sweeps in place before policy iteration: they carry values through long corridors.
const SWEEPS: usize = 20;
/// The smallest relative improvement per departure that changes an action in policy iteration; smaller
/// ones may be rounding errors. The certificate accounts for what is left.
const IMPROVEMENT: f64 = 1e-13;
/// Pairs that lose no more than this share of the largest value per departure count as near-optimal.
const NEAR: f64 = 1e-9;

/// The MDP with every maximal end component contracted to one node.
pub(crate) struct Quotient {
    /// The node of each state; end components first, in their order.
    node_of: Vec<u32>,
    /// The departures of node n are `departure_start[n]..departure_start[n + 1]`.
    departure_start: Vec<usize>,
    /// The node, the pair and the number of transitions of each departure.
    from: Vec<u32>,
    pair: Vec<u32>,
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
        let mut leaving = vec![Vec::new(); nodes];
        for state in 0..mdp.states() {
            let pairs = mdp.pairs_of(state).filter(|&pair| !end_components.pair_stays(pair));
            leaving[node_of[state] as usize].extend(pairs);
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
        for (node, pairs) in leaving.into_iter().enumerate() {
            for pair in pairs {
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

    fn departures(&self, node: usize) -> Range<usize> {
        self.departure_start[node]..self.departure_start[node + 1]
    }

    /// The entries `(node, weight)` of a departure.
    fn row(&self, departure: usize) -> impl ExactSizeIterator<Item = (usize, f64)> + '_ {
        let entries = self.row_start[departure]..self.row_start[departure + 1];
        let weights = self.weight[entries.clone()].iter().copied();
        self.next[entries].iter().map(|&next| next as usize).zip(weights)
    }

    /// The expectation of values after a departure.
    fn expected(&self, departure: usize, of: impl Fn(usize) -> f64) -> Worth {
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
    fn change(&self, departure: usize, of: impl Fn(usize) -> f64) -> (f64, f64) {
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
    /// its terms. With t transitions a weight is off by t ulps, and differences, products and sums are by
    /// t/2 + 1 more. Products that underflow have an absolute error.
    fn noise(&self, departure: usize, size: f64) -> f64 {
        let terms = f64::from(self.terms[departure]);
        (2.0 * terms + 4.0) * f64::EPSILON * size + terms * f64::MIN_POSITIVE
    }

    /// Solves the quotient for the worth of staying, one per end component.
    pub(crate) fn settle(&self, stay: &[Worth]) -> Settled {
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
        let mut local = vec![u32::MAX; nodes];
        for members in components.members() {
            if let [node] = members.as_slice() {
                self.settle_node(*node as usize, stay, &mut settled);
                continue;
            }
            for (index, &node) in members.iter().enumerate() {
                local[node as usize] = index as u32;
            }
            Circle { quotient: self, stay, members: &members, local: &local }.settle(&mut settled);
            members.iter().for_each(|&node| local[node as usize] = u32::MAX);
        }
        settled
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
    fn in_bounds(self) -> Self {
        Self { value: self.value.max(self.low).min(self.high), ..self }
    }
}

/// A departure, or `None` to stay.
type Choice = Option<usize>;

/// An optimal-stopping problem: a reward per departure, the worth of staying in a node (`None` if it is no
/// end component), and the worth of nodes outside the circle.
struct Problem<'a> {
    step: f64,
    stay: &'a dyn Fn(usize) -> Option<f64>,
    outside: &'a dyn Fn(usize) -> f64,
}

/// A strongly connected component of the quotient with several nodes. Vectors have one entry per member.
struct Circle<'a> {
    quotient: &'a Quotient,
    stay: &'a [Worth],
    members: &'a [u32],
    /// The index of each member, `u32::MAX` for other nodes.
    local: &'a [u32],
}

impl Circle<'_> {
    fn len(&self) -> usize {
        self.members.len()
    }

    fn node(&self, index: usize) -> usize {
        self.members[index] as usize
    }

    fn stay(&self, index: usize) -> Option<&Worth> {
        self.stay.get(self.node(index))
    }

    /// The value of a node: of a member from `inside`, of another one from `outside`.
    fn at(&self, node: usize, inside: &[f64], outside: &dyn Fn(usize) -> f64) -> f64 {
        match self.local[node] {
            u32::MAX => outside(node),
            index => inside[index as usize],
        }
    }

    fn settle(&self, settled: &mut Settled) {
        let worth = &settled.worth;
        let gain = Problem {
            step: 0.0,
            stay: &|node| self.stay.get(node).map(|stay| stay.value),
            outside: &|node| worth[node].value,
        };
        let (value, choice) = self.policy_iteration(&gain, &|_| true);
        let scale = value.iter().copied().fold(0.0, f64::max);
        let is_near = |departure: usize| {
            let at = |node: usize| self.at(node, &value, gain.outside);
            self.quotient.change(departure, at).1 >= -NEAR * scale
        };
        let count = Problem {
            step: 1.0,
            stay: &|node| self.stay.get(node).map(|_| 0.0),
            outside: &|_| 0.0,
        };
        let (departures, _) = self.policy_iteration(&count, &is_near);
        let low = self.lower(&departures, &choice, worth);
        let high = self.upper(&departures, &choice, worth);
        for (index, (low, high)) in low.into_iter().zip(high).enumerate() {
            let node = self.node(index);
            settled.worth[node] = Worth { value: value[index], low, high }.in_bounds();
            settled.leave_by[node] = choice[index].map(|departure| self.quotient.pair[departure]);
        }
    }

    /// Policy iteration over the departures that `allows` accepts; returns the values of the last policy
    /// and that policy. If a policy cannot be evaluated, the values are those of the one before.
    fn policy_iteration(
        &self,
        problem: &Problem<'_>,
        allows: &dyn Fn(usize) -> bool,
    ) -> (Vec<f64>, Vec<Choice>) {
        let (mut value, mut choice) = (vec![0.0; self.len()], vec![None; self.len()]);
        for index in 0..self.len() {
            match (problem.stay)(self.node(index)) {
                Some(stay) => value[index] = stay,
                None => {
                    let mut departures = self.quotient.departures(self.node(index));
                    choice[index] = departures.find(|&departure| allows(departure));
                }
            }
        }
        for sweep in 0..SWEEPS {
            let mut has_improved = false;
            for place in 0..self.len() {
                // Alternating directions: a corridor is crossed in one sweep either way.
                let index = if sweep % 2 == 0 { place } else { self.len() - 1 - place };
                if let Some((better, worth)) = self.better(problem, allows, index, &value, 0.0) {
                    (choice[index], value[index], has_improved) = (better, worth, true);
                }
            }
            if !has_improved {
                break;
            }
        }
        // More rounds than any corridor is long.
        for _ in unless_stopped(0..1_000 + 2 * self.len()) {
            let Ok(is_sweeping) = self.evaluate(problem, &choice, &mut value) else { break };
            let scale = value.iter().copied().fold(0.0, f64::max);
            // Sweeps are accurate relative to the largest value only.
            let slack = if is_sweeping { IMPROVEMENT * scale } else { 0.0 };
            let mut has_improved = false;
            for (index, action) in choice.iter_mut().enumerate() {
                if let Some((better, _)) = self.better(problem, allows, index, &value, slack) {
                    (*action, has_improved) = (better, true);
                }
            }
            if !has_improved {
                break;
            }
        }
        (value, choice)
    }

    /// The best action of a member and its worth, if it is better than the member's value.
    fn better(
        &self,
        problem: &Problem<'_>,
        allows: &dyn Fn(usize) -> bool,
        index: usize,
        value: &[f64],
        slack: f64,
    ) -> Option<(Choice, f64)> {
        let bar = value[index] * (1.0 + IMPROVEMENT) + slack;
        let stay = (problem.stay)(self.node(index)).map(|stay| (None, stay, stay));
        let departures = self.quotient.departures(self.node(index)).filter(|&d| allows(d));
        let moves = departures.map(|departure| {
            let at = |node: usize| self.at(node, value, problem.outside);
            let Worth { value, low, .. } = self.quotient.expected(departure, at);
            (Some(departure), problem.step + value, problem.step + low)
        });
        let mut best: Option<(Choice, f64)> = None;
        for (action, worth, surely) in stay.into_iter().chain(moves) {
            if surely > best.map_or(bar, |best| best.1) {
                best = Some((action, worth));
            }
        }
        best
    }

    /// Computes the values of a policy by elimination or, if that fills in, by sweeps; true for sweeps.
    fn evaluate(
        &self,
        problem: &Problem<'_>,
        choice: &[Choice],
        value: &mut [f64],
    ) -> Result<bool, SolveError> {
        let mut place = vec![u32::MAX; self.len()];
        let mut moving: Vec<(usize, usize)> = Vec::new();
        let mut known = vec![0.0; self.len()];
        for (index, action) in choice.iter().enumerate() {
            match action {
                Some(departure) => {
                    place[index] = moving.len() as u32;
                    moving.push((index, *departure));
                }
                None => known[index] = (problem.stay)(self.node(index)).unwrap_or(0.0),
            }
        }
        let mut leak = vec![0.0; moving.len()];
        let mut worth = vec![problem.step; moving.len()];
        let mut rows = vec![Vec::new(); moving.len()];
        for (row, &(_, departure)) in moving.iter().enumerate() {
            for (next, weight) in self.quotient.row(departure) {
                let index = self.local[next];
                if index != u32::MAX && place[index as usize] != u32::MAX {
                    rows[row].push((place[index as usize], weight));
                } else {
                    leak[row] += weight;
                    worth[row] += weight * self.at(next, &known, problem.outside);
                }
            }
        }
        let solver = TransientSolver::new(rows, leak);
        solver.solve(&mut worth)?;
        value.copy_from_slice(&known);
        for (&(index, _), worth) in moving.iter().zip(worth) {
            value[index] = worth;
        }
        Ok(solver.is_sweeping())
    }

    /// Upper bounds on the optimal values: u + c w, see the head of this file.
    fn upper(&self, w: &[f64], choice: &[Choice], worth: &[Worth]) -> Vec<f64> {
        let outside = |node: usize| worth[node].high;
        let bounded = Problem {
            step: 0.0,
            stay: &|node| self.stay.get(node).map(|s| s.high),
            outside: &outside,
        };
        let best_end = self.ends(&|worth| worth.high, worth).fold(f64::NEG_INFINITY, f64::max);
        let mut u = vec![0.0; self.len()];
        if self.evaluate(&bounded, choice, &mut u).is_err() {
            return vec![best_end; self.len()];
        }
        let mut price = Price::default();
        for index in 0..self.len() {
            if let Some(stay) = self.stay(index) {
                price.cover(stay.high - u[index], w[index]);
            }
            for departure in self.quotient.departures(self.node(index)) {
                let gained = self.quotient.change(departure, |node| self.at(node, &u, &outside)).1;
                let moved = self.quotient.change(departure, |node| self.at(node, w, &|_| 0.0)).1;
                price.cover(gained, -moved);
            }
        }
        let bound = |(u, w): (f64, &f64)| match price.least() {
            Some(c) => ((u + c * w) * (1.0 + 4.0 * f64::EPSILON)).min(best_end),
            None => best_end,
        };
        u.into_iter().zip(w).map(bound).collect()
    }

    /// Lower bounds on the values of a policy, and so on the optimal ones: l - c w.
    fn lower(&self, w: &[f64], choice: &[Choice], worth: &[Worth]) -> Vec<f64> {
        let outside = |node: usize| worth[node].low;
        let bounded = Problem {
            step: 0.0,
            stay: &|node| self.stay.get(node).map(|s| s.low),
            outside: &outside,
        };
        let worst_end = self.ends(&|worth| worth.low, worth).fold(f64::INFINITY, f64::min);
        let mut l = vec![0.0; self.len()];
        let mut price = Price::default();
        match self.evaluate(&bounded, choice, &mut l) {
            Ok(_) => {
                for departure in choice.iter().flatten().copied() {
                    let at = |node: usize| self.at(node, &l, &outside);
                    let lost = -self.quotient.change(departure, at).0;
                    let moved =
                        self.quotient.change(departure, |node| self.at(node, w, &|_| 0.0)).1;
                    price.cover(lost, -moved);
                }
            }
            Err(_) => price.cover(1.0, 0.0),
        }
        let bound = |index: usize| {
            let own = self.stay(index).map_or(worst_end, |stay| stay.low.max(worst_end));
            match price.least() {
                Some(c) => {
                    let (l, blur) = (l[index], c * w[index]);
                    (l - blur - 4.0 * f64::EPSILON * (l + blur)).max(own)
                }
                None => own,
            }
        };
        (0..self.len()).map(bound).collect()
    }

    /// A bound of everything that a policy can end in: the end components of the circle and the nodes
    /// outside that it leads to.
    fn ends<'a>(
        &'a self,
        of: &'a dyn Fn(&Worth) -> f64,
        worth: &'a [Worth],
    ) -> impl Iterator<Item = f64> + 'a {
        (0..self.len()).flat_map(move |index| {
            let departures = self.quotient.departures(self.node(index));
            let targets = departures.flat_map(|departure| self.quotient.row(departure));
            let outside = targets.filter(|&(next, _)| self.local[next] == u32::MAX);
            let outside = outside.map(|(next, _)| of(&worth[next]));
            outside.chain(self.stay(index).map(of))
        })
    }
}

/// The smallest c with gain <= c drop for all conditions (gain, drop).
struct Price {
    least: f64,
    most: f64,
}

impl Default for Price {
    fn default() -> Self {
        Self { least: 0.0, most: f64::INFINITY }
    }
}

impl Price {
    fn cover(&mut self, gain: f64, drop: f64) {
        const SAFETY: f64 = 8.0 * f64::EPSILON;
        if gain.is_nan() || drop.is_nan() {
            self.least = f64::INFINITY;
        } else if gain > 0.0 {
            let ratio = if drop > 0.0 { gain / drop * (1.0 + SAFETY) } else { f64::INFINITY };
            self.least = self.least.max(ratio + f64::MIN_POSITIVE);
        } else if drop < 0.0 {
            self.most = self.most.min(gain / drop * (1.0 - SAFETY));
        }
    }

    fn least(&self) -> Option<f64> {
        (self.least <= self.most && self.least.is_finite()).then_some(self.least)
    }
}

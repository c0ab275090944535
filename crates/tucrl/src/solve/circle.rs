//! What is a strongly connected component of the quotient worth?
//!
//! An optimal-stopping problem: stay in an end component, or go on. A large one is solved by sweeps in place
//! (`stopping`). A small one, and one on which sweeps converge slowly, is solved by policy iteration with exact
//! evaluation.
//!
//! Certificate (a supermartingale): values u and numbers w >= 0 with u + c w >= stay and
//! u + c w >= P (u + c w) for every pair bound the optimum by u + c w. With w the largest expected number
//! of departures, P w <= w - 1, so a rounding error e per departure needs c = e. The smallest c is
//! computed from u and w as they are, whatever their own errors. Likewise from below, for the chosen
//! pairs. Where no c exists, the bound is the best, or the worst, end within reach.

use super::distance;
use super::quotient::{Quotient, Settled, Worth};
use super::stopping::{Ending, Stopping};
use crate::chain::TransientSolver;
use crate::error::SolveError;
use crate::pulse::unless_stopped;

/// Sweeps in place before policy iteration: they carry values through long corridors.
const SWEEPS: usize = 20;
/// The smallest relative improvement per departure that changes an action in policy iteration; smaller
/// ones may be rounding errors. The certificate accounts for what is left.
const IMPROVEMENT: f64 = 1e-13;
/// Bounds that rounding keeps further apart than this share of the largest value are left to policy iteration, which keeps
/// the relative accuracy of numbers of departures beyond 1e6.
const LOOSE: f64 = 1e-10;
/// Rounds of sweeps after which a policy is evaluated by elimination, if as many are still to come; how often that is done;
/// and the largest circle for which it is.
const QUOTA: u32 = 32;
const LEAPS: usize = 30;
const LEAP_LIMIT: usize = 20_000;
/// Pairs that lose no more than this share of the largest value per departure count as near-optimal.
const NEAR: f64 = 1e-9;

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
pub(super) struct Circle<'a> {
    pub(super) quotient: &'a Quotient,
    pub(super) stay: &'a [Worth],
    pub(super) members: &'a [u32],
    /// The index of each member, `u32::MAX` for other nodes.
    pub(super) local: &'a [u32],
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

    pub(super) fn settle(&self, settled: &mut Settled) {
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

    /// Solves a large circle by sweeps in place; false if they converge too slowly.
    ///
    /// Bounds on the worth of staying and of nodes outside are not carried through the sweeps: if those lie within d
    /// of the values used, the optimum lies within d of what these values give.
    pub(super) fn settle_by_sweeps(&self, settled: &mut Settled, tolerance: f64) -> bool {
        let worth = &settled.worth;
        let gain = Problem {
            step: 0.0,
            stay: &|node| self.stay.get(node).map(|stay| stay.value),
            outside: &|node| worth[node].value,
        };
        let problem = self.compact(&gain);
        let mut value = vec![0.0; self.len()];
        let mut enough = tolerance;
        let mut ending = self.sweep_and_leap(&problem, &gain, &mut value, enough, false);
        if ending == Ending::TooSlow {
            return false;
        }
        let scale = value.iter().copied().fold(0.0, f64::max);
        let mut departures = vec![0.0; self.len()];
        // A sweep that changes no number by more than 1/2 leaves a drop of at least 1/2 per departure.
        let near = problem.counting(&value, (NEAR * scale).max(16.0 * enough));
        let count = Problem {
            step: 1.0,
            stay: &|node| self.stay.get(node).map(|_| 0.0),
            outside: &|_| 0.0,
        };
        if self.sweep_and_leap(&near, &count, &mut departures, 0.5, false) == Ending::TooSlow {
            return false;
        }
        let most = departures.iter().copied().fold(0.0, f64::max);
        enough = 0.3 * tolerance / most;
        let (choice, below, above) = loop {
            if ending == Ending::Converged {
                ending = self.sweep_and_leap(&problem, &gain, &mut value, enough, true);
            }
            if ending == Ending::TooSlow {
                return false;
            }
            let choice = problem.best_moves(&value);
            let below = self.price_below(&departures, &choice, &value, gain.outside).least();
            let above = self.price_above(&departures, &value, gain.stay, gain.outside).least();
            let (Some(below), Some(above)) = (below, above) else { return false };
            let width = (below + above) * most;
            if width <= tolerance.max(if ending == Ending::Rounding { LOOSE * scale } else { 0.0 })
            {
                break (choice, below, above);
            }
            if ending == Ending::Rounding {
                return false;
            }
            enough *= 0.25 * (tolerance / width).min(1.0);
        };
        let (mut up, mut down) = (0.0f64, 0.0f64);
        let (mut worst_end, mut best_end) = (f64::INFINITY, f64::NEG_INFINITY);
        for &Worth { value, low, high } in self.ends(worth) {
            (up, down) = (up.max(distance(high, value)), down.max(distance(value, low)));
            (worst_end, best_end) = (worst_end.min(low), best_end.max(high));
        }
        for index in 0..self.len() {
            let (node, value, most) = (self.node(index), value[index], departures[index]);
            let blur = below * most + down;
            let low = (value - blur - 6.0 * f64::EPSILON * (value + blur)).next_down();
            let high = ((value + above * most + up) * (1.0 + 6.0 * f64::EPSILON)).next_up();
            let own = self.stay(index).map_or(worst_end, |stay| stay.low.max(worst_end));
            let (low, high) = (low.max(own), high.min(best_end));
            settled.worth[node] = Worth { value, low, high }.in_bounds();
            settled.leave_by[node] = choice[index].map(|departure| self.quotient.pair[departure]);
        }
        true
    }

    /// Sweeps until a sweep changes no value by more than `enough`. Where that takes long, the values of the best policy
    /// so far are computed by elimination, and the sweeps go on from there.
    fn sweep_and_leap(
        &self,
        compact: &Stopping,
        problem: &Problem<'_>,
        value: &mut [f64],
        enough: f64,
        mut is_near: bool,
    ) -> Ending {
        for _ in 0..LEAPS {
            let ending = compact.iterate(value, enough, is_near, QUOTA);
            if ending != Ending::Unfinished {
                return ending;
            }
            if self.len() > LEAP_LIMIT {
                break;
            }
            let choice = compact.best_moves(value);
            if !matches!(self.evaluate(problem, &choice, value, false), Ok(false)) {
                break;
            }
            is_near = true;
        }
        compact.iterate(value, enough, true, u32::MAX)
    }

    /// All departures, with the worth of nodes outside the circle added up.
    fn compact(&self, problem: &Problem<'_>) -> Stopping {
        let mut compact = Stopping::with_capacity(self.len());
        for index in 0..self.len() {
            for departure in self.quotient.departures(self.node(index)) {
                let mut fixed = problem.step;
                for (next, weight) in self.quotient.row(departure) {
                    match self.local[next] {
                        u32::MAX => fixed += weight * (problem.outside)(next),
                        inside => compact.entry(inside, weight),
                    }
                }
                compact.close_move(fixed, departure);
            }
            compact.close_state((problem.stay)(self.node(index)));
        }
        compact
    }

    /// The price c for which u + c w bounds the optimum from above.
    fn price_above(
        &self,
        w: &[f64],
        u: &[f64],
        stay: &dyn Fn(usize) -> Option<f64>,
        outside: &dyn Fn(usize) -> f64,
    ) -> Price {
        let mut price = Price::default();
        for index in 0..self.len() {
            if let Some(stay) = stay(self.node(index)) {
                price.cover(stay - u[index], w[index]);
            }
            for departure in self.quotient.departures(self.node(index)) {
                let gained = self.quotient.change(departure, |node| self.at(node, u, outside)).1;
                let moved = self.quotient.change(departure, |node| self.at(node, w, &|_| 0.0)).1;
                price.cover(gained, -moved);
            }
        }
        price
    }

    /// The price c for which l - c w bounds the values of a policy from below.
    fn price_below(
        &self,
        w: &[f64],
        choice: &[Choice],
        l: &[f64],
        outside: &dyn Fn(usize) -> f64,
    ) -> Price {
        let mut price = Price::default();
        for departure in choice.iter().flatten().copied() {
            let lost = -self.quotient.change(departure, |node| self.at(node, l, outside)).0;
            let moved = self.quotient.change(departure, |node| self.at(node, w, &|_| 0.0)).1;
            price.cover(lost, -moved);
        }
        price
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
            let Ok(is_sweeping) = self.evaluate(problem, &choice, &mut value, true) else { break };
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

    /// Computes the values of a policy by elimination; if that fills in, by sweeps if `may_sweep`, else not at all.
    /// True if it fills in.
    fn evaluate(
        &self,
        problem: &Problem<'_>,
        choice: &[Choice],
        value: &mut [f64],
        may_sweep: bool,
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
        if solver.is_sweeping() && !may_sweep {
            return Ok(true);
        }
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
        let best_end = self.ends(worth).map(|end| end.high).fold(f64::NEG_INFINITY, f64::max);
        let mut u = vec![0.0; self.len()];
        if self.evaluate(&bounded, choice, &mut u, true).is_err() {
            return vec![best_end; self.len()];
        }
        let price = self.price_above(w, &u, bounded.stay, &outside);
        let bound = |(u, w): (f64, &f64)| match price.least() {
            Some(c) => ((u + c * w) * (1.0 + 4.0 * f64::EPSILON)).next_up().min(best_end),
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
        let worst_end = self.ends(worth).map(|end| end.low).fold(f64::INFINITY, f64::min);
        let mut l = vec![0.0; self.len()];
        let price = match self.evaluate(&bounded, choice, &mut l, true) {
            Ok(_) => self.price_below(w, choice, &l, &outside).least(),
            Err(_) => None,
        };
        let bound = |index: usize| {
            let own = self.stay(index).map_or(worst_end, |stay| stay.low.max(worst_end));
            match price {
                Some(c) => {
                    let (l, blur) = (l[index], c * w[index]);
                    (l - blur - 4.0 * f64::EPSILON * (l + blur)).next_down().max(own)
                }
                None => own,
            }
        };
        (0..self.len()).map(bound).collect()
    }

    /// Everything that a policy can end in: the end components of the circle and the nodes outside that it leads to.
    fn ends<'a>(&'a self, worth: &'a [Worth]) -> impl Iterator<Item = &'a Worth> + 'a {
        (0..self.len()).flat_map(move |index| {
            let departures = self.quotient.departures(self.node(index));
            let targets = departures.flat_map(|departure| self.quotient.row(departure));
            let outside = targets.filter(|&(next, _)| self.local[next] == u32::MAX);
            outside.map(|(next, _)| &worth[next]).chain(self.stay(index))
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
        // A quotient is rounded to the nearest number: the exact one lies below the next, or above the one before.
        if gain.is_nan() || drop.is_nan() {
            self.least = f64::INFINITY;
        } else if gain > 0.0 {
            let ratio = if drop > 0.0 { (gain / drop).next_up() } else { f64::INFINITY };
            self.least = self.least.max(ratio);
        } else if drop < 0.0 {
            // 0 always will do.
            self.most = self.most.min((gain / drop).next_down().max(0.0));
        }
    }

    fn least(&self) -> Option<f64> {
        (self.least <= self.most && self.least.is_finite()).then_some(self.least)
    }
}

#[cfg(test)]
mod tests {
    use super::Price;
    use crate::rng::RandomStream;

    /// The sign of a fused c x - y is that of the exact value, so no rounding of the test hides one of the price.
    #[test]
    fn a_price_covers_its_conditions_exactly_and_not_only_up_to_rounding() {
        let mut random = RandomStream::new(1);
        for _ in 0..20_000 {
            let mut number = || random.unit() + f64::MIN_POSITIVE;
            let (gain, drop, drift, rise) = (number(), number(), number(), number());
            let mut price = Price::default();
            price.cover(gain, drop);
            assert!(price.least.mul_add(drop, -gain) >= 0.0, "{gain} > {} x {drop}", price.least);
            price.cover(-drift, -rise);
            assert!(price.most.mul_add(-rise, drift) >= 0.0, "-{drift} > {} x -{rise}", price.most);
        }
    }
}

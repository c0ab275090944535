//! What does the paper's operator compute, implemented literally as a reference?
//!
//! Extended value iteration over *all* nominal states with dense rows, as in pseudo-code: states are sorted by value once
//! per sweep, and for every pair the best law is found in one pass over them (Jaksch et al. 2010, figure 2, for L1 balls;
//! from the lower ends upwards for boxes). Widths come from the formulas, not from the library. One allocation per plan.

use tucrl::counts::Counts;
use tucrl::math;

/// The set of laws around each row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sets {
    /// TUCRL with L1 balls, truncated.
    TruncatedBalls,
    /// UCRL2B with boxes.
    Boxes,
}

/// A plan of the literal operator.
pub(super) struct LiteralPlan {
    pub(super) gain_low: f64,
    pub(super) gain_high: f64,
    pub(super) sweeps: u64,
    /// The value of every action of every nominal state.
    pub(super) worth: Vec<f64>,
}

/// The optimistic model: dense rows over all states.
struct Dense {
    states: usize,
    actions: usize,
    is_planned: Vec<bool>,
    reward: Vec<f64>,
    /// Boxes: lower and upper ends. Balls: the centre, and whether a next state is allowed (0 or 1).
    low: Vec<f64>,
    high: Vec<f64>,
    /// Balls: the radius.
    radius: Vec<f64>,
}

/// Plans with widths shrunk by `alpha`, delta = 0.05 and r_max = 1, to accuracy 1/sqrt(t_k).
pub(super) fn plan(counts: &Counts, t_k: u64, alpha: f64, sets: Sets) -> LiteralPlan {
    let dense = Dense::new(counts, t_k, alpha, sets);
    let accuracy = 1.0 / (t_k as f64).sqrt();
    let (states, actions) = (dense.states, dense.actions);
    let mut values = vec![0.0f64; states];
    let mut swept = vec![0.0; states];
    let mut worth = vec![0.0; states * actions];
    let mut law = vec![0.0; states];
    let mut sweeps = 0;
    loop {
        let mut order: Vec<usize> = (0..states).filter(|&s| dense.is_planned[s]).collect();
        order.sort_by(|&a, &b| values[b].total_cmp(&values[a]).then(a.cmp(&b)));
        let (mut gain_low, mut gain_high) = (f64::INFINITY, f64::NEG_INFINITY);
        for &state in &order {
            let mut best = f64::NEG_INFINITY;
            let pairs = state * actions..(state + 1) * actions;
            for (pair, worth) in pairs.clone().zip(&mut worth[pairs]) {
                match sets {
                    Sets::TruncatedBalls => dense.best_in_ball(pair, &order, &mut law),
                    Sets::Boxes => dense.best_in_box(pair, &order, &mut law),
                }
                let expected: f64 = law.iter().zip(&values).map(|(q, v)| q * v).sum();
                *worth = dense.reward[pair] + expected;
                best = best.max(*worth);
            }
            swept[state] = best;
            gain_low = gain_low.min(best - values[state]);
            gain_high = gain_high.max(best - values[state]);
        }
        sweeps += 1;
        if gain_high - gain_low <= accuracy {
            return LiteralPlan { gain_low, gain_high, sweeps, worth };
        }
        let lowest = order.iter().map(|&s| swept[s]).fold(f64::INFINITY, f64::min);
        order.iter().for_each(|&s| values[s] = swept[s] - lowest);
    }
}

impl Dense {
    fn new(counts: &Counts, t_k: u64, alpha: f64, sets: Sets) -> Self {
        let (states, actions) =
            (counts.space().states() as usize, counts.space().max_actions() as usize);
        let nominal_pairs = (states * actions) as f64;
        let log = math::ln(2.0 * nominal_pairs * t_k as f64 / 0.05);
        let width = |variance: f64, visits: f64| {
            let linear = 49.0 / 3.0 * log / (visits - 1.0).max(1.0);
            alpha * ((14.0 * variance * log / visits.max(1.0)).sqrt() + linear)
        };
        let mut is_seen = vec![false; states];
        (0..counts.seen() as u32).for_each(|n| is_seen[counts.state(n) as usize] = true);
        let visits_of = |pair: usize| counts.pairs()[pair].visits_before() as f64;
        let is_poor = |visits: f64| {
            let less_one = (visits - 1.0).max(1.0);
            less_one * less_one * nominal_pairs <= t_k as f64
        };
        let is_truncated = sets == Sets::TruncatedBalls;
        let any_poor = (0..counts.pairs().len()).any(|pair| is_poor(visits_of(pair)));
        let is_planned =
            if is_truncated && !any_poor { is_seen.clone() } else { vec![true; states] };
        let pairs = states * actions;
        let mut dense = Self {
            states,
            actions,
            is_planned,
            reward: vec![1.0; pairs],
            // Pairs never tried: the whole simplex.
            low: vec![0.0; pairs * states],
            high: vec![1.0; pairs * states],
            radius: vec![2.0; pairs],
        };
        for pair in 0..counts.pairs().len() {
            let visits = visits_of(pair);
            let (state, action) = counts.owner(pair);
            let target = state as usize * actions + action as usize;
            let row = target * states..(target + 1) * states;
            if is_truncated && !is_poor(visits) {
                let allowed = is_seen.iter().map(|&seen| f64::from(u8::from(seen)));
                dense.high[row.clone()].iter_mut().zip(allowed).for_each(|(high, a)| *high = a);
            }
            if visits == 0.0 {
                continue;
            }
            let stats = &counts.pairs()[pair];
            // The deviation of rewards is already divided by the root of the visits.
            let variance = math::powi(stats.reward_deviation(), 2) * visits;
            dense.reward[target] = (stats.reward_mean() + width(variance, visits)).min(1.0);
            let mut centre = vec![0.0; states];
            for (next, count) in counts.transitions(pair) {
                centre[counts.state(next) as usize] = count as f64 / visits;
            }
            let widths: Vec<f64> = centre.iter().map(|p| width(p * (1.0 - p), visits)).collect();
            match sets {
                Sets::TruncatedBalls => {
                    dense.low[row].copy_from_slice(&centre);
                    dense.radius[target] = widths.iter().sum();
                }
                Sets::Boxes => {
                    for (index, (p, width)) in row.zip(centre.iter().zip(&widths)) {
                        dense.low[index] = (p - width).max(0.0);
                        dense.high[index] = (p + width).min(1.0);
                    }
                }
            }
        }
        dense
    }

    fn best_in_ball(&self, pair: usize, order: &[usize], law: &mut [f64]) {
        let row = pair * self.states..(pair + 1) * self.states;
        let (centre, allowed) = (&self.low[row.clone()], &self.high[row]);
        law.copy_from_slice(centre);
        let Some(&best) = order.iter().find(|&&state| allowed[state] > 0.0) else { return };
        law[best] = (centre[best] + self.radius[pair] / 2.0).min(1.0);
        let mut surplus = law.iter().sum::<f64>() - 1.0;
        for &state in order.iter().rev() {
            if surplus <= 0.0 {
                break;
            }
            if state != best {
                let taken = surplus.min(law[state]);
                law[state] -= taken;
                surplus -= taken;
            }
        }
    }

    fn best_in_box(&self, pair: usize, order: &[usize], law: &mut [f64]) {
        let row = pair * self.states..(pair + 1) * self.states;
        let (low, high) = (&self.low[row.clone()], &self.high[row]);
        law.copy_from_slice(low);
        let mut left = 1.0 - low.iter().sum::<f64>();
        for &state in order {
            let given = left.max(0.0).min(high[state] - low[state]);
            law[state] += given;
            left -= given;
        }
    }
}

//! How does FOCUS plan?
//!
//! Zamir, Zurek, Chen 2026, section 3.1. With v a value vector of span at most H, on the empirical laws p̂,
//!
//! ```text
//! T v(s,a) = r(s,a) + gamma p̂ v + gamma b(s,a,v),   b = alpha max( 4 sqrt(Var(p̂, v) U / n),  32 H U / n ),   n = max(N, 1)
//! F v      = Clip_H(max_a T v),                      Clip_H(v)(s) = min(v(s), min v + H)
//! ```
//!
//! F is monotone (for alpha <= 1, because 2 · 4² alpha <= 32) and F(v + c) = F v + gamma c, so only differences of values
//! matter. The paper applies T about ln(T)/(1 - gamma) times to 0. Here w <- w + tau (F w - w) is iterated from any w of
//! span at most H until F w - w lies in [lo, hi] with hi - lo <= 1/t. This is enough **(ours)**: V = w + lo/(1 - gamma) satisfies
//! V <= F V, and V >= V* - eps with eps = 1/(t (1 - gamma)), which is all that the paper's proof uses of a plan
//! (docs/focus.md has the lines).
//!
//! A pair that was never tried has the uniform law over all S states, and 32 H U is the larger of its two bonuses. With
//! alpha < 1 that might be less than optimistic, so that it is worth at least the best state **(ours)**; with alpha = 1 this
//! changes nothing. Hence all states never seen have one value, and a sweep costs what was seen.

use crate::counts::Counts;
use crate::inner_max::Values;
use crate::planner::{Choice, Plan, PlanError, Pulse, min_max};

/// The numbers of the operator; rewards and values in units of r_max.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FocusNumbers {
    /// The discount factor, 1 - 1/T.
    pub gamma: f64,
    /// The bound on the span of values.
    #[doc(alias = "H")]
    pub span: f64,
    /// ln(1/delta').
    #[doc(alias = "U")]
    pub log: f64,
    /// Shrinks the bonus; at most 1.
    pub alpha: f64,
}

/// What the value of a pair needs besides its observed law.
#[derive(Debug, Clone, Copy)]
struct Term {
    reward: f64,
    /// 4 alpha sqrt(U / n), or nothing for a pair that was never tried.
    root: Option<f64>,
    /// 32 alpha H U / n.
    least: f64,
}

/// The clipped optimistic Bellman operator on the counts at the start of an episode.
pub struct FocusOperator<'a> {
    counts: &'a Counts,
    numbers: FocusNumbers,
    terms: Vec<Term>,
}

impl<'a> FocusOperator<'a> {
    /// The operator; `reward` gives the optimistic or true mean reward of a pair in units of r_max.
    pub fn new(counts: &'a Counts, numbers: FocusNumbers, reward: impl Fn(usize) -> f64) -> Self {
        let FocusNumbers { span, log, alpha, .. } = numbers;
        let term = |(pair, stats): (usize, &crate::counts::PairCounts)| {
            let n = stats.visits_at_least_one() as f64;
            let root = (stats.visits_before() > 0).then(|| 4.0 * alpha * (log / n).sqrt());
            Term { reward: reward(pair), root, least: 32.0 * alpha * span * log / n }
        };
        let terms = counts.pairs().iter().enumerate().map(term).collect();
        Self { counts, numbers, terms }
    }

    /// p̂ v + b of a pair that was never tried: the uniform law over all states.
    fn untried(&self, values: &Values) -> f64 {
        let unseen = self.counts.unseen() as f64;
        let (_, mut best) = min_max(values.seen.iter().copied());
        let mut sum: f64 = values.seen.iter().sum();
        if unseen > 0.0 {
            best = best.max(values.unseen);
            sum += unseen * values.unseen;
        }
        let FocusNumbers { span, log, alpha, .. } = self.numbers;
        let mean = sum / (values.seen.len() as f64 + unseen);
        (mean + 32.0 * alpha * span * log).max(best)
    }

    /// T v of all pairs of seen states into `worth`, and F v, of which states never seen have one value, into `swept`.
    /// The span of `values` must not exceed H.
    pub fn sweep(&self, values: &Values, worth: &mut [f64], swept: &mut Values) {
        let gamma = self.numbers.gamma;
        let untried = self.untried(values);
        let (mut low, mut number) = (f64::INFINITY, 0);
        for out in &mut swept.seen {
            let mut best = f64::NEG_INFINITY;
            for pair in self.counts.pairs_of(number) {
                let term = &self.terms[pair];
                let next = match term.root {
                    None => untried,
                    Some(root) => self.next(pair, root, term.least, &values.seen),
                };
                worth[pair] = term.reward + gamma * next;
                best = best.max(worth[pair]);
            }
            *out = best;
            low = low.min(best);
            number += 1;
        }
        if self.counts.unseen() > 0 {
            swept.unseen = 1.0 + gamma * untried;
            low = low.min(swept.unseen);
        }
        let cap = low + self.numbers.span;
        swept.seen.iter_mut().for_each(|value| *value = value.min(cap));
        swept.unseen = swept.unseen.min(cap);
    }

    /// p̂ v + b of a pair that was tried.
    #[inline]
    fn next(&self, pair: usize, root: f64, least: f64, values: &[f64]) -> f64 {
        let row = self.counts.row(pair);
        if let [only] = *row.next {
            return values[only as usize] + least;
        }
        let law = || row.next.iter().zip(row.p_hat);
        let mean: f64 = law().map(|(&next, p)| p * values[next as usize]).sum();
        let squared = |next: u32| (values[next as usize] - mean) * (values[next as usize] - mean);
        let variance: f64 = law().map(|(&next, p)| p * squared(next)).sum();
        mean + least.max(root * variance.sqrt())
    }

    /// The smallest and the largest entry of F w - w.
    fn residual(&self, values: &Values, swept: &Values) -> (f64, f64) {
        let moved = swept.seen.iter().zip(&values.seen).map(|(new, old)| new - old);
        let unseen = (self.counts.unseen() > 0).then_some(swept.unseen - values.unseen);
        min_max(moved.chain(unseen))
    }

    /// Values from which to start: those of the last plan for the states that it had, clipped; 0 if there are none.
    pub fn start(&self, previous: Option<&Values>, r_max: f64) -> Values {
        let seen = self.counts.seen();
        let Some(previous) = previous else {
            return Values { seen: vec![0.0; seen], unseen: 0.0 };
        };
        let mut values = Values { seen: previous.seen.clone(), unseen: previous.unseen };
        values.seen.resize(seen, previous.unseen);
        let cap = self.numbers.span;
        let (low, _) = min_max(values.seen.iter().copied());
        let scaled = |value: f64| ((value - low) / r_max).clamp(0.0, cap);
        values.seen.iter_mut().for_each(|value| *value = scaled(*value));
        values.unseen = scaled(values.unseen);
        values
    }

    /// Iterates until the residual differs by at most 1/t, t = t_k - 1 the steps taken and at least 1, with `tau` the weight of
    /// the new values.
    ///
    /// # Errors
    /// When the sweep limit is reached, or [`Pulse`] asks to stop.
    pub fn solve(
        &self,
        mut values: Values,
        t_k: u64,
        tau: f64,
        limit: u64,
    ) -> Result<Solved, PlanError> {
        let tolerance = 1.0 / t_k.saturating_sub(1).max(1) as f64;
        let mut worth = vec![0.0; self.terms.len()];
        let mut swept = values.clone();
        let pulse = Pulse::present();
        let mut sweeps = 0;
        loop {
            sweeps += 1;
            self.sweep(&values, &mut worth, &mut swept);
            let (low, high) = self.residual(&values, &swept);
            let span = high - low;
            if pulse.as_ref().is_some_and(|pulse| !pulse.beat(sweeps, span, tolerance)) {
                return Err(PlanError::Interrupted { t_k });
            }
            if span <= tolerance {
                return Ok(Solved { values, worth, residual: (low, high), sweeps });
            }
            if sweeps >= limit {
                // F contracts spans by gamma.
                let rest = crate::math::ln(span / tolerance) / (tau * (1.0 - self.numbers.gamma));
                let (needed, limit) = (sweeps as f64 + rest, limit as f64);
                let (what, advice) = ("sweeps or fewer", "lower h, or allow more sweeps");
                return Err(PlanError::TooLarge { t_k, what, needed, limit, advice });
            }
            let mix = |old: &mut f64, new: f64| *old += tau * (new - *old);
            values.seen.iter_mut().zip(&swept.seen).for_each(|(old, &new)| mix(old, new));
            mix(&mut values.unseen, swept.unseen);
            // Differences matter: keep the smallest at 0, so that values stay small.
            let (lowest, _) = min_max(values.seen.iter().copied());
            values.seen.iter_mut().for_each(|value| *value -= lowest);
            values.unseen -= lowest;
        }
    }

    /// The greedy plan of solved values; of equally good actions the least tried, then the first.
    pub fn plan(&self, solved: Solved, r_max: f64) -> Plan {
        let Solved { values, worth, residual: (low, high), sweeps } = solved;
        let counts = self.counts;
        let choice = |number: u32| {
            let pairs = counts.pairs_of(number);
            let first = pairs.start;
            let (_, best) = min_max(worth[pairs.clone()].iter().copied());
            let bar = best - 1e-12 * (1.0 + best.abs());
            let tied = pairs.filter(|&pair| worth[pair] >= bar);
            let chosen = tied.min_by_key(|&pair| counts.pairs()[pair].visits_before());
            Choice::pure((chosen.unwrap_or(first) - first) as u32)
        };
        Plan {
            choices: (0..counts.seen() as u32).map(choice).collect(),
            action_unseen: 0,
            unseen_actions: Vec::new(),
            gain_low: (r_max * low).clamp(0.0, r_max),
            gain_high: (r_max * high).clamp(0.0, r_max),
            bias: values.seen.iter().map(|value| r_max * value).collect(),
            bias_unseen: (counts.unseen() > 0).then_some(r_max * values.unseen),
            whole_span: None,
            sweeps,
            evaluations: 0,
            unseen: counts.unseen(),
            under_visited: 0,
        }
    }
}

/// Values with the certificate of [`FocusOperator::solve`].
#[derive(Debug, Clone, PartialEq)]
pub struct Solved {
    /// w, smallest entry of a seen state 0.
    pub values: Values,
    /// T w by pair.
    pub worth: Vec<f64>,
    /// The smallest and the largest entry of F w - w.
    pub residual: (f64, f64),
    /// Sweeps done.
    pub sweeps: u64,
}

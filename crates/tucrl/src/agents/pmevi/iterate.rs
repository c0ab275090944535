//! How is the extended MDP solved with projection and mitigation?
//!
//! ```text
//! L v(s) = max over a of  r̃ + min( sup over plausible p of p v,  p̂ v + beta(s,a) )
//! v <- Γ((1 - tau) v + tau L v)
//! ```
//!
//! until the increments agree. As in `evi` and `span_clip` iterates are biases divided by tau. If h* lies in the region, the true
//! MDP in the set and (p - p̂) h* <= beta, then Γ L h* >= h* + g*; Γ and L are monotone and commute with constants, so the
//! largest increment is at least g* for every v. The greedy policy of L needs no mixtures: L v >= Γ L v.

use super::projection::Region;
use crate::evi::{Ties, choose};
use crate::inner_max::{Ranking, Scratch, Values};
use crate::planner::{Plan, PlanError, Pulse, min_max};
use crate::plausible::{PlausibleSet, Shape, View};

/// How to solve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mitigated<'a> {
    /// By pair: how much p v may exceed p̂ v; empty for no limit.
    pub beta: &'a [f64],
    /// tau.
    pub aperiodicity: f64,
    /// The largest difference of increments.
    pub tolerance: f64,
    /// How ties are broken.
    pub ties: Ties,
    /// Sweeps after which planning is given up.
    pub sweep_limit: u64,
}

impl Mitigated<'_> {
    /// Plans on a set from Γ0. The region is that of iterates: of biases divided by the aperiodicity.
    ///
    /// # Errors
    /// When the sweep limit is reached, or [`Pulse`] asks to stop.
    pub fn solve<S: Shape>(
        &self,
        set: &PlausibleSet<'_, S>,
        region: &Region,
        t_k: u64,
    ) -> Result<Plan, PlanError> {
        let (counts, tau, tolerance) = (set.counts(), self.aperiodicity, self.tolerance);
        let has_unseen = set.unseen > 0;
        let mut values = Values { seen: vec![0.0; counts.seen()], unseen: 0.0 };
        region.project(&mut values, has_unseen);
        let mut swept = values.clone();
        let mut worth = vec![0.0; counts.pairs().len()];
        let mut places = vec![[0; 2]; worth.len()];
        let (mut ranking, mut scratch) = (Ranking::default(), Scratch::new());
        let pulse = Pulse::present();
        let mut sweeps = 0;
        loop {
            sweeps += 1;
            set.rank(&values, &mut ranking);
            let view = View::new(&values, &ranking, has_unseen);
            for number in 0..counts.seen() as u32 {
                let here = values.seen[number as usize];
                let mut best = f64::NEG_INFINITY;
                for pair in counts.pairs_of(number) {
                    let row = set.row(pair);
                    let next = set.sweep_value(pair, &row, &view, &mut places[pair], &mut scratch);
                    let next = next.min(self.limit(set, pair, &values));
                    worth[pair] = row.reward + tau * next + (1.0 - tau) * here;
                    best = best.max(worth[pair]);
                }
                swept.seen[number as usize] = best;
            }
            if has_unseen {
                swept.unseen = set.r_max + tau * view.best() + (1.0 - tau) * values.unseen;
            }
            region.project(&mut swept, has_unseen);
            let moved = swept.seen.iter().zip(&values.seen).map(|(new, old)| new - old);
            let unseen = has_unseen.then_some(swept.unseen - values.unseen);
            let (low, high) = min_max(moved.chain(unseen));
            let span = high - low;
            if pulse.as_ref().is_some_and(|pulse| !pulse.beat(sweeps, span, tolerance)) {
                return Err(PlanError::Interrupted { t_k });
            }
            if span <= tolerance {
                let (choices, action_unseen) = choose(set, &worth, self.ties, t_k, tolerance);
                let (lowest, _) = min_max(values.seen.iter().copied());
                let centred = |value: f64| tau * (value - lowest);
                return Ok(Plan {
                    choices,
                    action_unseen,
                    unseen_actions: Vec::new(),
                    gain_low: low.clamp(0.0, set.r_max),
                    gain_high: high.clamp(0.0, set.r_max),
                    bias: values.seen.iter().map(|&value| centred(value)).collect(),
                    bias_unseen: has_unseen.then(|| centred(values.unseen)),
                    whole_span: None,
                    sweeps,
                    evaluations: 0,
                    unseen: counts.unseen(),
                    under_visited: 0,
                });
            }
            if sweeps >= self.sweep_limit {
                return Err(PlanError::NotConverged { t_k, sweeps, span, tolerance });
            }
            let (lowest, _) = min_max(swept.seen.iter().copied());
            swept.seen.iter_mut().for_each(|value| *value -= lowest);
            swept.unseen -= lowest;
            std::mem::swap(&mut values, &mut swept);
        }
    }

    /// p̂ v + beta, in units of iterates; no limit for pairs never tried.
    #[inline]
    fn limit<S: Shape>(&self, set: &PlausibleSet<'_, S>, pair: usize, values: &Values) -> f64 {
        match self.beta.get(pair) {
            Some(&beta) if beta < f64::INFINITY => {
                let row = set.counts().row(pair);
                let mean = |(&next, p): (&u32, &f64)| p * values.seen[next as usize];
                row.next.iter().zip(row.p_hat).map(mean).sum::<f64>() + beta / self.aperiodicity
            }
            _ => f64::INFINITY,
        }
    }
}

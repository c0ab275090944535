//! Which span bound maximises gain minus penalty?
//!
//! REGAL maximises gain minus a penalty C times the span of the bias over plausible MDPs (Bartlett and Tewari
//! 2009; Fruit, Pirotta, Lazaric 2018, appendix on the mistake in REGAL.D). No algorithm is known for that. Relaxed
//! from "the optimal policy of a plausible MDP" to "any policy in one", it is exactly a search over one number,
//! max over c >= 0 of g_c - C c, with g_c the best gain under a span bound c, which is what SCAL's iteration computes.
//! The value is at least REGAL's, so optimism is kept; it is an approximation all the same.
//!
//! g_c never falls, never grows faster than c (clipping d higher adds at most d to every value), and is not concave:
//! the search is branch and bound. Between c1 and c2 no gain exceeds min(g_c2, g_c1 + c - c1). The interval with
//! the largest bound is halved until no bound exceeds the best value by more than r_max / sqrt(t_k). All bounds
//! use certified ends of the gains, so the answer is certified. In [`Mode::Theory`] each c has its own perturbed set;
//! its gain is at most min(c, r_max / t_k) below that of the set without perturbation, and so the growth bound and the
//! certified upper end hold up to r_max / t_k.

use crate::evi::{self, EviOptions};
use crate::inner_max::Values;
use crate::planner::{Plan, PlanError};
use crate::plausible::{PlausibleSet, Shape};
use crate::span_clip::{self, Mode, SpanClip};

/// The best span bound for a price.
#[derive(Debug, Clone)]
pub struct PricedPlan {
    /// The plan under the chosen bound, with the sweeps of the whole search.
    pub plan: Plan,
    /// The chosen bound.
    pub c: f64,
    /// A certified lower bound on its gain minus price.
    pub value: f64,
    /// A certified upper bound on gain minus price for every c.
    pub upper: f64,
    /// How many bounds were tried.
    pub tried: usize,
}

struct Tried {
    c: f64,
    plan: Plan,
}

/// Finds the span bound c with the largest g_c - price c, to accuracy r_max / sqrt(t_k); the smallest among equals.
///
/// # Errors
/// When a plan does not converge.
pub fn best_bound<S: Shape>(
    set: &PlausibleSet<'_, S>,
    t_k: u64,
    price: f64,
    options: &SpanClip,
    unbounded: &EviOptions,
    low_reward: &dyn Fn(usize) -> f64,
) -> Result<PricedPlan, PlanError> {
    let tolerance = set.r_max / (t_k as f64).sqrt();
    let mut search = Search {
        tolerance: tolerance / 4.0,
        price,
        t_k,
        options,
        low_reward,
        tried: Vec::new(),
        sweeps: 0,
    };
    search.try_bound(set, 0.0)?;
    // With r_max as the only bound on the right: at a price of 1 or more, c = 0 is best.
    let ceiling = set.ceiling;
    let upper = search.bound(0, f64::INFINITY, ceiling);
    if upper - search.best().1 <= tolerance {
        return Ok(search.priced(upper));
    }
    let worth_while = (ceiling - search.tried[0].plan.gain_low) / price;
    let free = evi::solve_to(set, t_k, search.tolerance, unbounded, None);
    match free {
        Ok(plan) if plan.span() <= worth_while => {
            search.sweeps += plan.sweeps;
            match options.mode {
                Mode::Practical => search.tried.push(Tried { c: plan.span(), plan }),
                // Its gain is that of the set without perturbation: an upper bound only.
                Mode::Theory => {
                    search.try_bound(set, plan.span())?;
                    if let Some(last) = search.tried.last_mut() {
                        last.plan.gain_high = last.plan.gain_high.max(plan.gain_high);
                    }
                }
            }
        }
        Err(error) if price == 0.0 => return Err(error),
        _ => search.try_bound(set, worth_while)?,
    }
    if price == 0.0 {
        return search.cheapest(set, tolerance);
    }
    loop {
        let pairs = 0..search.tried.len() - 1;
        let bounds = pairs.map(|left| (search.bound_between(left), left));
        let (upper, left) =
            bounds.fold((f64::NEG_INFINITY, 0), |a, b| if b.0 > a.0 { b } else { a });
        let upper = upper.max(search.best().1);
        if upper - search.best().1 <= tolerance {
            return Ok(search.priced(upper));
        }
        let (c1, c2) = (search.tried[left].c, search.tried[left + 1].c);
        let middle = c1 + (c2 - c1) / 2.0;
        if middle <= c1 || middle >= c2 {
            return Ok(search.priced(upper));
        }
        search.try_bound(set, middle)?;
    }
}

struct Search<'a> {
    tolerance: f64,
    price: f64,
    t_k: u64,
    options: &'a SpanClip,
    low_reward: &'a dyn Fn(usize) -> f64,
    /// By c, increasing.
    tried: Vec<Tried>,
    sweeps: u64,
}

impl Search<'_> {
    fn try_bound<S: Shape>(&mut self, set: &PlausibleSet<'_, S>, c: f64) -> Result<(), PlanError> {
        let place = self.tried.partition_point(|tried| tried.c < c);
        let options = SpanClip { c, ..*self.options };
        // The values of the nearest bound below, or else above, cut to fit.
        let neighbour = self.tried.get(place.wrapping_sub(1)).or(self.tried.get(place));
        let start = neighbour.map(|near| cut(&near.plan, c, options.tau()));
        let plan = span_clip::solve_from(
            set,
            self.t_k,
            self.tolerance,
            &options,
            self.low_reward,
            start.as_ref(),
        )?;
        self.sweeps += plan.sweeps;
        self.tried.insert(place, Tried { c, plan });
        Ok(())
    }

    /// The largest that gain minus price can be from one tried bound up to `to`, where no gain exceeds `ceiling`.
    fn bound(&self, left: usize, to: f64, ceiling: f64) -> f64 {
        let (c, gain) = (self.tried[left].c, self.tried[left].plan.gain_high);
        if self.price >= 1.0 {
            return gain - self.price * c;
        }
        let grown = (ceiling - gain).clamp(0.0, to - c);
        gain + grown - self.price * (c + grown)
    }

    fn bound_between(&self, left: usize) -> f64 {
        let right = &self.tried[left + 1];
        self.bound(left, right.c, right.plan.gain_high)
    }

    /// The best of the tried bounds and its certified value; the smallest among equals.
    fn best(&self) -> (usize, f64) {
        let value = |tried: &Tried| tried.plan.gain_low - self.price * tried.c;
        let values = self.tried.iter().map(value).enumerate();
        values.fold((0, f64::NEG_INFINITY), |best, next| if next.1 > best.1 { next } else { best })
    }

    fn priced(mut self, upper: f64) -> PricedPlan {
        let (best, value) = self.best();
        let tried = self.tried.len();
        let Tried { c, plan } = self.tried.swap_remove(best);
        let plan = Plan { sweeps: self.sweeps, ..plan };
        PricedPlan { plan, c, value, upper: upper.max(value), tried }
    }

    /// Without a price every bound beyond some point is as good: the smallest that is, by bisection.
    fn cheapest<S: Shape>(
        mut self,
        set: &PlausibleSet<'_, S>,
        tolerance: f64,
    ) -> Result<PricedPlan, PlanError> {
        let upper = self.tried.iter().map(|tried| tried.plan.gain_high).fold(0.0, f64::max);
        loop {
            let good = |tried: &Tried| tried.plan.gain_low >= upper - tolerance;
            let first = self.tried.iter().position(good).unwrap_or(self.tried.len() - 1);
            let high = self.tried[first].c;
            let low = if first == 0 { high } else { self.tried[first - 1].c };
            // Half the accuracy in c is half the accuracy in gain.
            if high - low <= tolerance / 2.0 {
                let (tried, sweeps) = (self.tried.len(), self.sweeps);
                let Tried { c, plan } = self.tried.swap_remove(first);
                let value = plan.gain_low;
                let plan = Plan { sweeps, ..plan };
                return Ok(PricedPlan { plan, c, value, upper, tried });
            }
            self.try_bound(set, low + (high - low) / 2.0)?;
        }
    }
}

/// The values of a plan as a start for another bound.
fn cut(plan: &Plan, c: f64, tau: f64) -> Values {
    let unseen = plan.bias_unseen.unwrap_or(0.0);
    let lowest = plan.bias.iter().copied().chain(plan.bias_unseen).fold(f64::INFINITY, f64::min);
    let fit = |value: f64| (value - lowest).min(c) / tau;
    Values { seen: plan.bias.iter().map(|&value| fit(value)).collect(), unseen: fit(unseen) }
}

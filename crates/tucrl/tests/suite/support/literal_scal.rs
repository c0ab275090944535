//! SCAL's operators T_c and N_c and its planning ScOpt (Fruit, Pirotta, Lazaric, Ortner 2018), literally: dense, over
//! all S nominal states.
#![allow(dead_code, clippy::disallowed_methods)]

use super::literal::{Laws, Model, expectation, span};

/// How SCAL plans.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clip {
    pub c: f64,
    /// r- = 0 instead of the lower end of the reward interval.
    pub augments_reward: bool,
    /// The attracting state and eta_k of theory mode.
    pub perturbation: Option<(usize, f64)>,
    /// N_c instead of T_c.
    pub falls_back: bool,
}

/// The two actions of a state: `low` is played with probability `weight`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Mixture {
    pub high: usize,
    pub low: usize,
    pub weight: f64,
    pub is_feasible: bool,
}

/// One application of the clipped operator.
#[derive(Debug, Clone)]
pub(crate) struct Clipped {
    pub highest: Vec<Vec<f64>>,
    pub lowest: Vec<Vec<f64>>,
    pub threshold: f64,
    pub values: Vec<f64>,
    pub mixtures: Vec<Mixture>,
}

/// What ScOpt returns.
#[derive(Debug, Clone)]
pub(crate) struct Scopt {
    pub gain_lo: f64,
    pub gain_hi: f64,
    /// v_n
    pub values: Vec<f64>,
    /// The operator applied to v_n.
    pub last: Clipped,
    /// What the stopping rule compares with eps_k, sweep by sweep.
    pub measures: Vec<f64>,
}

/// Every law of the pair gives the attracting state at least eta.
fn attracted(laws: &Laws, state: usize, eta: f64, v: &[f64], lowest: bool) -> f64 {
    let pick = |laws: &Laws| if lowest { laws.lowest(v) } else { laws.highest(v) };
    match laws {
        Laws::Interval { lo, up } => {
            let mut lo = lo.clone();
            lo[state] = lo[state].max(eta.min(up[state]));
            pick(&Laws::Interval { lo, up: up.clone() })
        }
        Laws::Simplex { allowed } => {
            assert!(allowed.iter().all(|&x| x), "SCAL never truncates");
            let mut lo = vec![0.0; v.len()];
            lo[state] = eta.min(1.0);
            pick(&Laws::Interval { lo, up: vec![1.0; v.len()] })
        }
        ball => {
            let mut one = vec![0.0; v.len()];
            one[state] = 1.0;
            (1.0 - eta) * pick(ball) + eta * expectation(&one, v)
        }
    }
}

impl Clip {
    fn inner(&self, laws: &Laws, v: &[f64], lowest: bool) -> f64 {
        match self.perturbation {
            Some((state, eta)) => attracted(laws, state, eta, v, lowest),
            None if lowest => laws.lowest(v),
            None => laws.highest(v),
        }
    }

    /// T_c v or N_c v, with the mixture of every state; `tau` is the model's.
    pub(crate) fn apply(&self, model: &Model, v: &[f64]) -> Clipped {
        let tau = model.tau;
        let lazy = |s: usize, x: f64| tau * x + (1.0 - tau) * v[s];
        let states = 0..model.states();
        let pairs = |value: &dyn Fn(usize, usize) -> f64| -> Vec<Vec<f64>> {
            let of_state = |s: usize| (0..model.beliefs[s].len()).map(|a| value(s, a)).collect();
            states.clone().map(of_state).collect()
        };
        let highest = pairs(&|s, a| {
            let belief = &model.beliefs[s][a];
            belief.highest_reward + lazy(s, self.inner(&belief.laws, v, false))
        });
        let lowest = pairs(&|s, a| {
            let belief = &model.beliefs[s][a];
            let reward = if self.augments_reward { 0.0 } else { belief.lowest_reward };
            reward + lazy(s, self.inner(&belief.laws, v, true))
        });
        let best = |values: &[f64]| values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let least = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
        let smallest = highest.iter().map(|values| best(values)).fold(f64::INFINITY, f64::min);
        // Inside a lazy chain values are 1/tau times biases: so is the level.
        let threshold = smallest + self.c / tau;
        let mut values = Vec::new();
        let mut mixtures = Vec::new();
        for s in states.clone() {
            let (up, down) = (best(&highest[s]), least(&lowest[s]));
            let high = highest[s].iter().position(|&x| x == up).unwrap();
            let low = lowest[s].iter().position(|&x| x == down).unwrap();
            let is_feasible = down <= threshold;
            values.push(if self.falls_back && !is_feasible { down } else { up.min(threshold) });
            let weight = match (up <= threshold, is_feasible) {
                (true, _) => 0.0,
                (_, false) => 1.0,
                _ if up - down < 1e-12 => 0.0,
                _ => (up - threshold) / (up - down),
            };
            mixtures.push(Mixture { high, low, weight, is_feasible });
        }
        Clipped { highest, lowest, threshold, values, mixtures }
    }

    /// Relative value iteration with the clipped operator from zero; `reference` is sbar.
    pub(crate) fn scopt(
        &self,
        model: &Model,
        reference: usize,
        accuracy: f64,
        sweeps: Option<usize>,
    ) -> Scopt {
        let mut values = vec![0.0; model.states()];
        let mut measures: Vec<f64> = Vec::new();
        let mut first_span = 0.0;
        loop {
            let last = self.apply(model, &values);
            let steps: Vec<f64> = last.values.iter().zip(&values).map(|(a, b)| a - b).collect();
            let n = measures.len();
            if n == 0 {
                first_span = span(&steps);
            }
            let measure = match self.perturbation {
                None => span(&steps),
                // sp(v_{n+1} - v_n) + 2 gamma^n / (1 - gamma) sp(v_1 - v_0)
                Some((_, eta)) => {
                    let gamma = 1.0 - eta;
                    span(&steps) + 2.0 * gamma.powi(n as i32) / (1.0 - gamma) * first_span
                }
            };
            measures.push(measure);
            let is_last = match sweeps {
                Some(sweeps) => measures.len() == sweeps,
                None => measure <= accuracy,
            };
            if is_last {
                return Scopt {
                    gain_lo: steps.iter().copied().fold(f64::INFINITY, f64::min),
                    gain_hi: steps.iter().copied().fold(f64::NEG_INFINITY, f64::max),
                    values,
                    last,
                    measures,
                };
            }
            assert!(measures.len() < 2_000_000, "the literal iteration did not end");
            let base = last.values[reference];
            values = last.values.iter().map(|x| x - base).collect();
        }
    }
}

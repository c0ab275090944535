//! The planning operators exactly as the paper writes them: dense, slow, obvious, over all S nominal
//! states, from a plain table of counts. Nothing here is shared with the library.
//!
//! Source: Fruit, Pirotta, Lazaric 2018, section 3 (widths, S^C_k, K_k), appendix "Algorithmic Details" (relaxed sets,
//! TEVI), algorithm OTP, appendix "Tighter Regret Bound" (zeta), appendix "Shortest Path Analysis". SCAL is in
//! `literal_scal.rs`.
#![allow(dead_code, clippy::disallowed_methods)]

use super::literal_plus;

/// Everything that has been observed before an episode, indexed by nominal states and actions.
#[derive(Clone)]
pub(crate) struct Table {
    pub r_max: f64,
    /// n(s, a, s'); `next[s].len()` is |A_s|.
    pub next: Vec<Vec<Vec<u64>>>,
    /// All rewards that a pair has paid; as many as it has been visited.
    pub rewards: Vec<Vec<Vec<f64>>>,
    /// s_{t_k}
    pub here: usize,
    /// t_k
    pub time: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Learner {
    Ucrl2,
    Ucrl2b,
    TucrlL1,
    TucrlZeta,
    /// The library's own relaxation: a radius that does not grow with S.
    TucrlMass,
    /// TUCRL's L1 relaxation without truncation: the paper's M_k^+.
    UntruncatedL1,
    /// The same with the radius of `TucrlMass`.
    UntruncatedMass,
    /// TUCRL+ with tight sets, and with balls; `literal_plus.rs`.
    PlusTight,
    PlusBernstein,
    /// The same without truncation.
    UntruncatedPlusTight,
    UntruncatedPlusBernstein,
}

impl Learner {
    fn truncates(self) -> bool {
        matches!(
            self,
            Self::TucrlL1
                | Self::TucrlZeta
                | Self::TucrlMass
                | Self::PlusTight
                | Self::PlusBernstein
        )
    }

    pub(crate) fn is_plus(self) -> bool {
        use Learner::*;
        matches!(self, PlusTight | PlusBernstein | UntruncatedPlusTight | UntruncatedPlusBernstein)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Variances {
    Published,
    Sample,
    Population,
}

#[derive(Debug, Clone)]
pub(crate) struct Options {
    pub learner: Learner,
    pub delta: f64,
    /// Widths times alpha, or b times alpha.
    pub shrinks_log: bool,
    pub alpha_r: f64,
    pub alpha_p: f64,
    pub variances: Variances,
    /// True mean rewards, when they are known.
    pub known_rewards: Option<Vec<Vec<f64>>>,
    /// q.v becomes tau q.v + (1 - tau) v(s).
    pub tau: f64,
}

/// The plausible next-state laws of one pair.
#[derive(Debug, Clone)]
pub(crate) enum Laws {
    Simplex {
        allowed: Vec<bool>,
    },
    Interval {
        lo: Vec<f64>,
        up: Vec<f64>,
    },
    Ball {
        center: Vec<f64>,
        radius: f64,
        allowed: Vec<bool>,
    },
    /// lo <= q on all states, and a budget for the mass above `up`, which is 0 on unobserved states; only the
    /// unobserved ones may use it, or all (`raises`).
    Budget {
        lo: Vec<f64>,
        up: Vec<f64>,
        budget: f64,
        raises: bool,
        allowed: Vec<bool>,
    },
}

/// What is plausible for one pair.
#[derive(Debug, Clone)]
pub(crate) struct Belief {
    pub highest_reward: f64,
    pub lowest_reward: f64,
    pub laws: Laws,
}

/// What is plausible for every pair of every nominal state, and the states that are planned on.
#[derive(Debug, Clone)]
pub(crate) struct Model {
    pub beliefs: Vec<Vec<Belief>>,
    /// S_EVI
    pub planned: Vec<bool>,
    pub tau: f64,
}

/// One line a pair: a failing case should fit on a screen.
impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "t_k {}, at {}, r_max {}", self.time, self.here, self.r_max)?;
        for (s, actions) in self.next.iter().enumerate() {
            for (a, row) in actions.iter().enumerate() {
                let variance = self.reward_variance(s, a, Variances::Population);
                let mean = self.mean_reward(s, a);
                writeln!(f, "  ({s},{a}): next {row:?}, reward {mean} variance {variance}")?;
            }
        }
        Ok(())
    }
}

impl Table {
    pub(crate) fn states(&self) -> usize {
        self.next.len()
    }

    /// A = max |A_s|.
    pub(crate) fn max_actions(&self) -> usize {
        self.next.iter().map(Vec::len).max().unwrap()
    }

    /// N_k(s,a)
    pub(crate) fn visits(&self, s: usize, a: usize) -> u64 {
        self.next[s][a].iter().sum()
    }

    pub(crate) fn is_visited(&self, s: usize) -> bool {
        (0..self.next[s].len()).any(|a| self.visits(s, a) > 0)
    }

    /// S^C_k: visited, or the present state; and observed next states, should a table not come from one
    /// stream (in one stream they are among the former).
    pub(crate) fn seen(&self) -> Vec<bool> {
        (0..self.states())
            .map(|s| {
                let was_reached = self.next.iter().flatten().any(|row| row[s] > 0);
                self.is_visited(s) || s == self.here || was_reached
            })
            .collect()
    }

    /// The empirical law; asked only of visited pairs.
    pub(crate) fn center(&self, s: usize, a: usize) -> Vec<f64> {
        let visits = self.visits(s, a) as f64;
        self.next[s][a].iter().map(|&n| n as f64 / visits).collect()
    }

    pub(crate) fn mean_reward(&self, s: usize, a: usize) -> f64 {
        let rewards = &self.rewards[s][a];
        rewards.iter().sum::<f64>() / rewards.len() as f64
    }

    /// Of the sample or the population; 0 below two visits.
    pub(crate) fn reward_variance(&self, s: usize, a: usize, kind: Variances) -> f64 {
        let rewards = &self.rewards[s][a];
        let mean = self.mean_reward(s, a);
        let squares: f64 = rewards.iter().map(|r| (r - mean) * (r - mean)).sum();
        match (rewards.len(), kind) {
            (0 | 1, _) => 0.0,
            (n, Variances::Population) => squares / n as f64,
            (n, _) => squares / (n - 1) as f64,
        }
    }

    /// N±^2 `states` A <= t_k, in integers. Asked of seen states only.
    fn is_under_visited(&self, s: usize, a: usize, states: usize) -> bool {
        let less_one = u128::from(self.visits(s, a).saturating_sub(1).max(1));
        let pairs = (states * self.max_actions()) as u128;
        less_one * less_one * pairs <= u128::from(self.time)
    }
}

pub(crate) fn transition_variance(p_hat: f64, visits: u64, kind: Variances) -> f64 {
    match kind {
        Variances::Sample if visits > 1 => {
            visits as f64 / (visits - 1) as f64 * p_hat * (1.0 - p_hat)
        }
        _ => p_hat * (1.0 - p_hat),
    }
}

/// sqrt(14 var b / N+) + 49/3 range b / N±, shrunk.
pub(crate) fn bernstein(
    variance: f64,
    range: f64,
    visits: u64,
    b: f64,
    alpha: f64,
    shrinks_log: bool,
) -> f64 {
    let (b, factor) = if shrinks_log { (alpha * b, 1.0) } else { (b, alpha) };
    let at_least_one = visits.max(1) as f64;
    let less_one = visits.saturating_sub(1).max(1) as f64;
    factor * ((14.0 * variance * b / at_least_one).sqrt() + 49.0 / 3.0 * range * b / less_one)
}

/// range sqrt(coefficient b / N+), shrunk.
pub(crate) fn hoeffding(
    coefficient: f64,
    range: f64,
    visits: u64,
    b: f64,
    alpha: f64,
    shrinks_log: bool,
) -> f64 {
    let (b, factor) = if shrinks_log { (alpha * b, 1.0) } else { (b, alpha) };
    factor * range * (coefficient * b / visits.max(1) as f64).sqrt()
}

impl Options {
    /// (s,a) is in K_k; TUCRL+ counts the seen states in place of all.
    pub(crate) fn is_under_visited(&self, table: &Table, s: usize, a: usize) -> bool {
        let seen = table.seen().iter().filter(|&&is_seen| is_seen).count();
        table.is_under_visited(s, a, if self.learner.is_plus() { seen } else { table.states() })
    }

    /// Half-width of the reward interval of a visited pair.
    pub(crate) fn reward_width(&self, table: &Table, s: usize, a: usize) -> f64 {
        if matches!(self.learner, Learner::PlusTight | Learner::UntruncatedPlusTight) {
            return literal_plus::reward_width(self, table, s, a);
        }
        let (pairs, visits) = ((table.states() * table.max_actions()) as f64, table.visits(s, a));
        let b = (2.0 * pairs * table.time as f64 / self.delta).ln();
        if self.learner == Learner::Ucrl2 {
            return hoeffding(3.5, table.r_max, visits, b, self.alpha_r, self.shrinks_log);
        }
        let variance = table.reward_variance(s, a, self.variances);
        bernstein(variance, table.r_max, visits, b, self.alpha_r, self.shrinks_log)
    }

    /// beta_p(s,a,s') for every nominal s' of a visited pair.
    pub(crate) fn law_widths(&self, table: &Table, s: usize, a: usize) -> Vec<f64> {
        let (pairs, visits) = ((table.states() * table.max_actions()) as f64, table.visits(s, a));
        let b = (2.0 * pairs * table.time as f64 / self.delta).ln();
        let width = |p_hat: f64| {
            let variance = transition_variance(p_hat, visits, self.variances);
            bernstein(variance, 1.0, visits, b, self.alpha_p, self.shrinks_log)
        };
        table.center(s, a).into_iter().map(width).collect()
    }

    /// UCRL2's L1 radius of a visited pair.
    pub(crate) fn ucrl2_radius(&self, table: &Table, s: usize, a: usize) -> f64 {
        let (states, actions) = (table.states() as f64, table.max_actions() as f64);
        let b = (2.0 * actions * table.time as f64 / self.delta).ln();
        hoeffding(14.0 * states, 1.0, table.visits(s, a), b, self.alpha_p, self.shrinks_log)
    }

    fn rewards(&self, table: &Table, s: usize, a: usize) -> (f64, f64) {
        match &self.known_rewards {
            Some(means) if table.is_visited(s) => (means[s][a], means[s][a]),
            _ if table.visits(s, a) == 0 => (0.0, table.r_max),
            _ => {
                let (mean, width) = (table.mean_reward(s, a), self.reward_width(table, s, a));
                ((mean - width).max(0.0), (mean + width).min(table.r_max))
            }
        }
    }

    /// The set of each algorithm, relaxed where a pair is truncated.
    fn laws(&self, table: &Table, seen: &[bool], s: usize, a: usize) -> Laws {
        let everywhere = vec![true; table.states()];
        let unseen = seen.iter().filter(|&&is_seen| !is_seen).count();
        let is_truncated = self.learner.truncates()
            && unseen > 0
            && seen[s]
            && !self.is_under_visited(table, s, a);
        if table.visits(s, a) == 0 {
            return Laws::Simplex {
                allowed: if is_truncated { seen.to_vec() } else { everywhere },
            };
        }
        let center = table.center(s, a);
        if self.learner.is_plus() {
            let allowed = if is_truncated { seen.to_vec() } else { everywhere };
            return literal_plus::laws(self, table, (s, a), is_truncated, allowed);
        }
        if self.learner == Learner::Ucrl2 {
            let radius = self.ucrl2_radius(table, s, a);
            return Laws::Ball { center, radius, allowed: everywhere };
        }
        let widths = self.law_widths(table, s, a);
        let no_width = bernstein(
            0.0,
            1.0,
            table.visits(s, a),
            (2.0 * (table.states() * table.max_actions()) as f64 * table.time as f64 / self.delta)
                .ln(),
            self.alpha_p,
            self.shrinks_log,
        );
        // The sum over all S states, or over the observed ones and at most 1 + d of the S - d others.
        let others = |d: usize| (1 + d).min(table.states() - d) as f64;
        let observed = || widths.iter().zip(&center).filter(|entry| *entry.1 > 0.0);
        let radius = match self.learner {
            Learner::TucrlL1 | Learner::UntruncatedL1 => Some(widths.iter().sum()),
            Learner::TucrlMass | Learner::UntruncatedMass => {
                let sum: f64 = observed().map(|entry| entry.0).sum();
                Some(sum + others(observed().count()) * no_width)
            }
            _ => None,
        };
        if let Some(radius) = radius.filter(|_| unseen > 0) {
            let allowed = if is_truncated { seen.to_vec() } else { everywhere };
            return Laws::Ball { center, radius, allowed };
        }
        let zeta = if is_truncated { unseen as f64 * no_width.min(1.0) } else { 0.0 };
        let lo = center.iter().zip(&widths).map(|(p, w)| (p - w).max(0.0)).collect();
        let up = (0..table.states())
            .map(|next| match is_truncated && !seen[next] {
                true => 0.0,
                false => (center[next] + widths[next] + zeta).min(1.0),
            })
            .collect();
        Laws::Interval { lo, up }
    }

    pub(crate) fn model(&self, table: &Table) -> Model {
        let seen = table.seen();
        let belief = |s: usize, a: usize| {
            let (lowest_reward, highest_reward) = self.rewards(table, s, a);
            Belief { highest_reward, lowest_reward, laws: self.laws(table, &seen, s, a) }
        };
        let beliefs = (0..table.states())
            .map(|s| (0..table.next[s].len()).map(|a| belief(s, a)).collect())
            .collect();
        // Without K_k nothing leads out of S^C_k and TEVI stays inside it.
        let has_under_visited = (0..table.states()).any(|s| {
            seen[s] && (0..table.next[s].len()).any(|a| self.is_under_visited(table, s, a))
        });
        let planned = if self.learner.truncates() && !has_under_visited {
            seen
        } else {
            vec![true; table.states()]
        };
        Model { beliefs, planned, tau: self.tau }
    }
}

/// Expectation that never looks at a value of probability zero (it may be NaN: not planned on).
pub(crate) fn expectation(q: &[f64], v: &[f64]) -> f64 {
    q.iter().zip(v).filter(|(q, _)| **q != 0.0).map(|(q, v)| q * v).sum()
}

/// States by decreasing value, ties by index.
pub(crate) fn decreasing(v: &[f64], among: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..v.len()).filter(|&s| among(s)).collect();
    order.sort_by(|&a, &b| v[b].total_cmp(&v[a]).then(a.cmp(&b)));
    order
}

/// The best law in a box, dense: start from the lower ends, give what is left to the best states first.
pub(crate) fn best_in_box(lo: &[f64], up: &[f64], v: &[f64]) -> Vec<f64> {
    let mut q = lo.to_vec();
    let mut left = 1.0 - lo.iter().sum::<f64>();
    for s in decreasing(v, |s| up[s] > 0.0) {
        let given = left.max(0.0).min(up[s] - lo[s]);
        q[s] += given;
        left -= given;
    }
    q
}

/// OTP, line by line.
pub(crate) fn best_in_ball(center: &[f64], radius: f64, allowed: &[bool], v: &[f64]) -> Vec<f64> {
    let order = decreasing(v, |s| allowed[s]);
    let mut q: Vec<f64> = (0..v.len()).map(|s| if allowed[s] { center[s] } else { 0.0 }).collect();
    q[order[0]] = (center[order[0]] + radius / 2.0).min(1.0);
    for &last in order.iter().skip(1).rev() {
        if q.iter().sum::<f64>() <= 1.0 {
            break;
        }
        let others: f64 = (0..q.len()).filter(|&s| s != last).map(|s| q[s]).sum();
        q[last] = (1.0 - others).max(0.0);
    }
    q
}

impl Laws {
    pub(crate) fn best(&self, v: &[f64]) -> Vec<f64> {
        match self {
            Self::Simplex { allowed } => {
                let best = decreasing(v, |s| allowed[s])[0];
                (0..v.len()).map(|s| f64::from(u8::from(s == best))).collect()
            }
            Self::Interval { lo, up } => best_in_box(lo, up, v),
            Self::Ball { center, radius, allowed } => best_in_ball(center, *radius, allowed, v),
            Self::Budget { lo, up, budget, raises, allowed } => {
                literal_plus::best_with_budget(lo, up, *budget, *raises, allowed, v)
            }
        }
    }

    pub(crate) fn highest(&self, v: &[f64]) -> f64 {
        expectation(&self.best(v), v)
    }

    pub(crate) fn worst(&self, v: &[f64]) -> Vec<f64> {
        self.best(&v.iter().map(|x| -x).collect::<Vec<f64>>())
    }

    pub(crate) fn lowest(&self, v: &[f64]) -> f64 {
        expectation(&self.worst(v), v)
    }
}

pub(crate) fn span(v: &[f64]) -> f64 {
    let finite = || v.iter().copied().filter(|x| !x.is_nan());
    finite().fold(f64::NEG_INFINITY, f64::max) - finite().fold(f64::INFINITY, f64::min)
}

/// What EVI (TEVI) returns, and every span that its stopping rule has looked at.
#[derive(Debug, Clone)]
pub(crate) struct Planned {
    pub gain_lo: f64,
    pub gain_hi: f64,
    /// v_n, to which the policy is greedy; NaN where nothing is planned.
    pub values: Vec<f64>,
    /// v_{n+1}
    pub next_values: Vec<f64>,
    /// The value of every action in the computation of v_{n+1}; empty where nothing is planned.
    pub action_values: Vec<Vec<f64>>,
    pub spans: Vec<f64>,
}

impl Model {
    pub(crate) fn states(&self) -> usize {
        self.beliefs.len()
    }

    pub(crate) fn zero(&self) -> Vec<f64> {
        self.planned.iter().map(|&is_planned| if is_planned { 0.0 } else { f64::NAN }).collect()
    }

    /// r+ + max q.v for every action of every planned state.
    pub(crate) fn action_values(&self, v: &[f64]) -> Vec<Vec<f64>> {
        let value = |s: usize, belief: &Belief| {
            belief.highest_reward + self.tau * belief.laws.highest(v) + (1.0 - self.tau) * v[s]
        };
        let of_state = |s: usize| -> Vec<f64> {
            match self.planned[s] {
                true => self.beliefs[s].iter().map(|belief| value(s, belief)).collect(),
                false => Vec::new(),
            }
        };
        (0..self.states()).map(of_state).collect()
    }

    /// L v; NaN outside the planned states.
    pub(crate) fn sweep(&self, v: &[f64]) -> Vec<f64> {
        largest(&self.action_values(v))
    }

    /// Extended value iteration from zero: stop at the first span of increments that is at most
    /// `accuracy`, or after `sweeps` sweeps if that is given.
    pub(crate) fn evi(&self, accuracy: f64, sweeps: Option<usize>) -> Planned {
        let mut values = self.zero();
        let mut spans = Vec::new();
        loop {
            let action_values = self.action_values(&values);
            let next_values = largest(&action_values);
            let steps: Vec<f64> =
                next_values.iter().zip(&values).map(|(new, old)| new - old).collect();
            spans.push(span(&steps));
            let is_last = match sweeps {
                Some(sweeps) => spans.len() == sweeps,
                None => spans[spans.len() - 1] <= accuracy,
            };
            if is_last {
                let planned = || steps.iter().copied().filter(|x| !x.is_nan());
                return Planned {
                    gain_lo: planned().fold(f64::INFINITY, f64::min),
                    gain_hi: planned().fold(f64::NEG_INFINITY, f64::max),
                    values,
                    next_values,
                    action_values,
                    spans,
                };
            }
            assert!(spans.len() < 2_000_000, "the literal iteration did not end");
            // Recentred, so that no digits are lost to a growing constant.
            let least = next_values.iter().copied().fold(f64::NAN, f64::min);
            values = next_values.iter().map(|value| value - least).collect();
        }
    }

    /// `horizon` sweeps of tau(s) = 1 + min_a min_q q.tau, tau(target) = 0, from tau = 0: the shortest
    /// expected time to `target`, counting at most `horizon` steps.
    pub(crate) fn shortest_times(&self, target: usize, horizon: usize) -> Vec<f64> {
        let mut times = self.zero();
        for _ in 0..horizon {
            let time = |s: usize| match (s == target, self.planned[s]) {
                (true, _) => 0.0,
                (_, false) => f64::NAN,
                _ => {
                    let least = |belief: &Belief| belief.laws.lowest(&times);
                    1.0 + self.beliefs[s].iter().map(least).fold(f64::INFINITY, f64::min)
                }
            };
            times = (0..self.states()).map(time).collect();
        }
        times
    }
}

fn largest(action_values: &[Vec<f64>]) -> Vec<f64> {
    let best = |values: &Vec<f64>| values.iter().copied().fold(f64::NAN, f64::max);
    action_values.iter().map(best).collect()
}

//! PMEVI-DT: optimism whose bias must lie in a region, with prior knowledge of differences of biases.
//!
//! Boone, Zhang 2024, "Achieving tractable minimax optimal regret in average reward MDPs" (NeurIPS). Of the paper only the
//! abstract and what others quote of it was at hand: procedures and constants are from memory and re-derived, **unverified**;
//! docs/pmevi.md has the derivation. Before an episode the differences of biases are estimated from what was earned between
//! visits ([`Legs`]), which with a bound c0 on the span and the prior makes a region; extended value iteration is projected on it
//! ([`Region`]), and the optimism of transitions is limited by beta, a Bernstein width for the bias alone ([`Mitigated`]).
//!
//! Departures, all **ours**: damping with projection after it; failure probabilities split by delta/(S² t²); an episode also
//! ends before acting in a state never visited, so that a plan knows every state that is left; where no vector satisfies all
//! constraints, the estimates are dropped, and if that does not help the prior too ([`PmeviPlanner::dropped`]).

mod iterate;
mod legs;
mod prior;
mod projection;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use iterate::Mitigated;
pub use legs::{Estimate, Legs};
pub use prior::{Difference, Prior};
pub use projection::{Bound, Region};

use super::scal::{WITHOUT_EVI, clipped_optimism, too_short};
use super::{About, AgentKind, EpisodicAlgorithm, Optimism, checked};
use crate::counts::{Counts, Variance};
use crate::inner_max::Values;
use crate::learner::{AgentError, Setting, TooShort};
use crate::math;
use crate::options::{NumberOr, Theory};
use crate::planner::{Plan, PlanError, PlanInput, Planner};
use crate::plausible::Belief;
use crate::rng::RandomStream;
use crate::rules::NewStates;
use crate::sets::{ConfidenceSet, SetVisitor, SpanSetKind};
use crate::truncation;

/// Regions are tables over the seen states: larger ones take minutes and gigabytes per plan.
const LARGEST: usize = 2_000;

/// PMEVI-DT.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PmeviDt {
    /// what is known of the optimal bias: none, monotone (it grows with the number of the state), or a file of bounds
    /// h(state) - h(other) <= most in units of reward, as CSV with these three columns or as JSON
    pub prior: Prior,
    /// c0, a bound on the span of the optimal bias in units of reward, or theory for r_max T^(1/5)
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub c0: NumberOr<Theory>,
    /// whether differences of biases are estimated from visits; takes memory and time of the order of seen states squared
    pub estimate: bool,
    /// which MDPs are plausible
    pub set: SpanSetKind,
    #[allow(missing_docs)]
    #[serde(flatten)]
    pub optimism: Optimism,
}

impl Default for PmeviDt {
    fn default() -> Self {
        Self {
            prior: Prior::default(),
            c0: NumberOr::default(),
            estimate: true,
            set: SpanSetKind::default(),
            optimism: clipped_optimism(),
        }
    }
}

/// PMEVI-DT at work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PmeviPlanner {
    options: PmeviDt,
    /// The bound on the span.
    c0: f64,
    /// ln(S A T / delta).
    log: f64,
    legs: Legs,
    /// The state of each pair that the last plan knew.
    owners: Vec<u32>,
    /// The optimistic gain of the present plan.
    gain: f64,
    dropped: Dropped,
}

/// Constraints that left no vector, by number of plans.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// Plans without the estimates.
    pub estimates: u64,
    /// Those of them that went without the prior, too.
    pub prior: u64,
}

impl PmeviPlanner {
    /// How many plans had no vector in their region, so that constraints were dropped.
    pub fn dropped(&self) -> Dropped {
        self.dropped
    }

    /// What was earned between visits.
    pub fn legs(&self) -> &Legs {
        &self.legs
    }

    /// The bound on the span, in units of reward.
    pub fn span_bound(&self) -> f64 {
        self.c0
    }

    /// sqrt(8 ln(2/delta')) (r_max + c0), shrunk, with delta' = delta/(S² t²).
    pub fn root(&self, counts: &Counts, t_k: u64) -> f64 {
        let optimism = &self.options.optimism;
        let log = math::ln(2.0 / optimism.delta.at(t_k))
            + 2.0 * (math::ln(counts.space().states() as f64) + math::ln(t_k as f64));
        optimism.alpha_p() * (8.0 * log).sqrt() * (optimism.r_max() + self.c0)
    }

    /// The estimates of differences that say more than c0, as bounds.
    fn estimates(&self, counts: &Counts, root: f64) -> Vec<Bound> {
        let mut bounds = Vec::new();
        for b in 0..counts.seen() {
            for a in 0..b {
                let Some(found) = self.legs.estimate(a, b, self.c0, root) else { continue };
                let Estimate { difference, width } = found;
                for (state, other, most) in [(a, b, difference + width), (b, a, width - difference)]
                {
                    if most < self.c0 {
                        bounds.push(Bound { state, other, most });
                    }
                }
            }
        }
        bounds
    }

    /// The region of biases divided by tau, dropping what leaves nothing.
    fn region(&mut self, counts: &Counts, root: f64) -> Region {
        let seen = counts.seen();
        let tau = self.options.optimism.aperiodicity;
        let prior = self.options.prior.bounds(seen, |n| counts.state(n), |s| counts.number(s));
        let estimates =
            if self.options.estimate { self.estimates(counts, root) } else { Vec::new() };
        let scaled = |bounds: &[Bound]| -> Vec<Bound> {
            bounds.iter().map(|bound| Bound { most: bound.most / tau, ..*bound }).collect()
        };
        let span = self.c0 / tau;
        let both: Vec<Bound> = prior.iter().chain(&estimates).copied().collect();
        let region = Region::bounded(span, seen, &scaled(&both));
        if let Some(region) = region {
            return region;
        }
        self.dropped.estimates += 1;
        Region::bounded(span, seen, &scaled(&prior)).unwrap_or_else(|| {
            self.dropped.prior += 1;
            Region::spans(span)
        })
    }

    /// beta by pair: a Bernstein width for p h*, with the variance of a vector of the region and how far h* may be from it.
    fn beta(&self, counts: &Counts, region: &Region, root: f64) -> Vec<f64> {
        let (c0, alpha) = (self.c0, self.options.optimism.alpha_p());
        let most = c0 * c0 / 4.0;
        let estimate = |s: usize, other: usize| {
            let found = self.legs.estimate(s.min(other), s.max(other), c0, root)?;
            Some(if s < other {
                found
            } else {
                Estimate { difference: -found.difference, ..found }
            })
        };
        let estimate =
            |s, other| (self.options.estimate && s != other).then(|| estimate(s, other)).flatten();
        // h0 = Γ c(·, s0) with s0 the first seen state; 0 where nothing is known.
        let tau = self.options.optimism.aperiodicity;
        let guess = |s: usize| estimate(s, 0).map_or(0.0, |found| found.difference / tau);
        let mut h0 = Values { seen: (0..counts.seen()).map(guess).collect(), unseen: 0.0 };
        region.project(&mut h0, false);
        let h0 = |s: u32| tau * h0.seen[s as usize];
        let width = |(pair, stats): (usize, &crate::counts::PairCounts)| {
            if stats.visits_before() == 0 {
                return f64::INFINITY;
            }
            let (row, n) = (counts.row(pair), stats.visits_before() as f64);
            let law = || row.next.iter().zip(row.p_hat);
            let mean: f64 = law().map(|(&next, p)| p * h0(next)).sum();
            let variance: f64 =
                law().map(|(&next, p)| p * (h0(next) - mean) * (h0(next) - mean)).sum();
            let here = counts.owner_number(pair);
            let far = |next: u32| match next as usize == here {
                true => 0.0,
                false => estimate(next as usize, here).map_or(c0, |found| found.width.min(c0)),
            };
            let doubt: f64 = law().map(|(&next, p)| p * far(next)).sum();
            let variance = (variance + 8.0 * c0 * doubt).min(most);
            alpha * ((2.0 * variance * self.log / n).sqrt() + 3.0 * c0 * self.log / n)
        };
        counts.pairs().iter().enumerate().map(width).collect()
    }
}

/// Planning with projection and mitigation on the set of an episode.
struct Projected<'a, 'b, 'c> {
    belief: Belief<'a, 'b>,
    t_k: u64,
    mitigated: Mitigated<'c>,
    region: &'c Region,
}

impl SetVisitor for Projected<'_, '_, '_> {
    type Output = Result<Plan, PlanError>;

    fn visit<S: ConfidenceSet>(self, set: &S) -> Self::Output {
        self.mitigated.solve(&set.plausible(&self.belief), self.region, self.t_k)
    }
}

impl Planner for PmeviPlanner {
    type Rule = NewStates;

    fn plan(&mut self, now: &mut PlanInput<'_>) -> Result<Plan, PlanError> {
        let PlanInput { counts, t_k, known, .. } = *now;
        let seen = counts.seen();
        let is_table = self.options.estimate || self.options.prior != Prior::Nothing;
        if is_table && seen > LARGEST {
            let (what, needed, limit) = ("seen states", seen as f64, LARGEST as f64);
            let advice = "a region is a table over them: set estimate=false and no prior";
            return Err(PlanError::TooLarge { t_k, what, needed, limit, advice });
        }
        if self.options.estimate {
            self.legs.grow(seen);
        }
        self.owners.clear();
        for number in 0..seen as u32 {
            self.owners.resize(counts.pairs_of(number).end, number);
        }
        let root = self.root(counts, t_k);
        let dropped = self.dropped;
        let region = self.region(counts, root);
        let optimism = &self.options.optimism;
        let time = t_k as f64;
        let mitigated = Mitigated {
            beta: &self.beta(counts, &region, root),
            aperiodicity: optimism.aperiodicity,
            tolerance: optimism.r_max() * (math::ln(time).max(1.0) / time).sqrt(),
            ties: optimism.ties,
            sweep_limit: optimism.sweeps,
        };
        let belief = Belief::new(counts, optimism.r_max(), known);
        let projected = Projected { belief, t_k, mitigated, region: &region };
        match self.options.set.visit(&optimism.confidence(), counts.space(), t_k, projected) {
            Ok(plan) => {
                self.gain = plan.gain_high;
                Ok(Plan { under_visited: truncation::decide(counts, t_k).under_visited, ..plan })
            }
            Err(error) => {
                // A plan that fails leaves no trace.
                self.dropped = dropped;
                Err(error)
            }
        }
    }

    fn rule(&self) -> NewStates {
        NewStates
    }

    fn variance(&self) -> Variance {
        self.options.optimism.variance
    }

    fn remarks(&self) -> Vec<String> {
        let plans = |n: u64| if n == 1 { "1 plan".to_owned() } else { format!("{n} plans") };
        let Dropped { estimates, prior } = self.dropped;
        let mut said = Vec::new();
        if estimates > prior {
            said.push(format!(
                "in {} no bias satisfied all bounds: the estimated ones were dropped",
                plans(estimates - prior)
            ));
        }
        if prior > 0 {
            said.push(format!(
                "in {} no bias satisfied the prior within span c0: the prior was dropped; correct it, or raise c0",
                plans(prior)
            ));
        }
        said
    }

    fn observe(&mut self, pair: usize, reward: f64, _: &mut RandomStream) {
        if !self.options.estimate {
            return;
        }
        match self.owners.get(pair) {
            Some(&state) => self.legs.step(state as usize, reward, self.gain),
            // A step of a log, of which no plan has been made.
            None => self.legs.interrupt(),
        }
    }
}

impl EpisodicAlgorithm for PmeviDt {
    type Planner = PmeviPlanner;

    fn planner(&self, setting: &Setting) -> Result<PmeviPlanner, AgentError> {
        checked(self)?;
        self.prior.check(&setting.space)?;
        let options = Self { optimism: self.optimism.in_setting(setting)?, ..self.clone() };
        let steps = setting.steps.max(2) as f64;
        let pairs = options.optimism.confidence().pairs(&setting.space);
        let theory = options.optimism.r_max() * math::powf(steps, 0.2);
        Ok(PmeviPlanner {
            c0: self.c0.or(theory),
            log: math::ln(pairs * steps / options.optimism.delta.at(setting.steps.max(2))),
            options,
            legs: Legs::default(),
            owners: Vec::new(),
            gain: 0.0,
            dropped: Dropped::default(),
        })
    }

    fn knows_rewards(&self) -> bool {
        self.optimism.known_rewards
    }

    fn step_cost(&self) -> u64 {
        60
    }

    fn too_short(&self, setting: &Setting, reachable: u64) -> Option<TooShort> {
        too_short(&self.optimism, self.set, setting, reachable)
    }
}

pub(super) fn kinds() -> Vec<AgentKind> {
    let about = About {
        name: "pmevi-dt",
        aliases: &[],
        summary: "optimism with bounds on differences of the bias",
        source: "Boone, Zhang 2024, \"Achieving tractable minimax optimal regret in average reward MDPs\" (NeurIPS); from memory and \
                 re-derived, constants unverified",
        idea: "It plans like ucrl, but the optimistic bias must lie in a region of vectors. The region has what is known of the \
               optimal bias before the first step, such as that it grows along a chain, a bound c0 on its span, and bounds \
               on differences that were learned from what was earned between visits of two states. After every sweep the \
               values are replaced by the largest ones below them in the region. The optimism of transitions is also \
               limited by how far the observed law may be from the truth for the optimal bias alone, not for every \
               vector. All else, sets included, is as in ucrl.",
        needs: "The number of states and actions, r_max and, for c0=theory, the number of steps; a prior if there is one.",
        guarantee: "Unverified: the paper states, for weakly communicating MDPs, regret of order sqrt(span S A T) up to logarithms \
                    with a lower-order term in T^(9/20), once T is at least span^5. Here constants and procedures are from \
                    memory; docs/pmevi.md derives that plans are optimistic where the region holds the optimal bias, and no \
                    regret bound. A wrong prior, or c0 below the span, gives linear regret.",
        cost: "That of scal, and per seen state and step one addition for the estimates; a region with a prior or with estimates \
               below c0 takes seen states cubed per plan and squared per sweep, at most 2000 of them.",
        caution: "Without a prior it behaves like ucrl with a bound on the span: estimates say less than c0 within any run that was \
                  made. When the constraints leave no vector, estimates are dropped, then the prior; a remark at the run says in how many plans. With \
                  estimate=true every step takes time proportional to the number of seen states.",
        example: "pmevi-dt:prior=monotone,alpha=0.1",
    };
    vec![
        AgentKind::new::<PmeviDt>(about)
            .tried_in("river-swim")
            .with(|options| options.without(WITHOUT_EVI)),
    ]
}

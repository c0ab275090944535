//! TUCRL: optimism in which unseen states count only where the uncertainty is large.
//!
//! Fruit, Pirotta, Lazaric 2018, section 3 and appendices: Bernstein widths, but a pair that has been visited often
//! enough, N± > sqrt(t_k / (S A)), may not lead to states never seen; when all pairs are like that, planning
//! happens on the seen states only. So that shortest paths within the seen states do not grow, the sets are
//! relaxed: to L1 balls whose radius sums all widths (the main algorithm), or by giving the forbidden mass back to
//! the seen states (`zeta`, the appendix's tighter set). When nothing is unseen it *is* UCRL2B. Episodes end when
//! a pair doubles or a state is met for the first time. States of other classes are simply never seen, so the
//! same code covers multichain MDPs.
//!
//! The L1 radius of the paper sums a width for each of the S states, so that in a vast space every ball is the
//! whole simplex until a pair has been visited more than S times (its proof sums over the reachable states
//! only, which the set as written does not allow). [`Relaxation::Mass`], a departure, bounds the probability of
//! everything never observed from a pair at once: d of N visits showed something new, and as
//! E exp((1 - 1/e) m - x) <= 1 for an indicator x of mean m, N m is at most (d + ln(1/delta)) / (1 - 1/e) with
//! probability 1 - delta, which is less than 1 + d widths of one state. Shortest paths within the seen states stay
//! as short, because the true law with its unseen mass moved to the target still lies in the ball.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::optimism::one_digit;
use super::{About, AgentKind, EpisodicAlgorithm, Optimism};
use crate::counts::{Counts, PairCounts, Variance};
use crate::evi;
use crate::learner::{AgentError, Remedy, Setting, TooShort, TooShortReason};
use crate::planner::{Outlook, Plan, PlanError, PlanInput, Planner};
use crate::plausible::Belief;
use crate::rules::NewStates;
use crate::sets::{Bernstein, ConfidenceSet, SetWidth, balls, boxes};
use crate::truncation;

/// How truncated sets are widened so that the span stays bounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Relaxation {
    /// L1 balls: the algorithm that is analysed and plotted.
    #[default]
    L1,
    /// Boxes whose upper ends take back the forbidden mass.
    Zeta,
    /// L1 balls whose radius does not grow with S: a departure, for vast spaces.
    Mass,
}

impl Relaxation {
    /// How many widths the L1 radius of a pair sums, those of its observed next states among them; `None` for
    /// boxes. `states` is S.
    pub fn summed_widths(self, pair: &PairCounts, states: f64) -> Option<f64> {
        match self {
            Self::L1 => Some(states),
            Self::Mass => Some((2.0 * f64::from(pair.observed()) + 1.0).min(states)),
            Self::Zeta => None,
        }
    }
}

/// TUCRL.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Tucrl {
    /// how sets without unseen states are widened: to L1 balls (the main algorithm), to boxes that
    /// take back the forbidden mass (the appendix), or to L1 balls that do not grow with S (ours, for
    /// vast spaces)
    pub relaxation: Relaxation,
    #[allow(missing_docs)]
    #[serde(flatten)]
    pub optimism: Optimism,
}

impl Planner for Tucrl {
    type Rule = NewStates;

    fn plan(&mut self, now: &mut PlanInput<'_>) -> Result<Plan, PlanError> {
        let PlanInput { counts, t_k, previous, known, .. } = *now;
        let widths = Bernstein::of(&self.optimism.confidence(), counts.space(), t_k);
        let truncation = truncation::decide(counts, t_k);
        let planned = if truncation.plans_unseen() { truncation.unseen } else { 0 };
        let forbids = |pair: usize| truncation.forbids(counts, pair);
        let belief = Belief { counts, r_max: self.optimism.r_max(), unseen: planned, known };
        let states = counts.space().states() as f64;
        let evi = self.optimism.evi();
        let plan = match self.relaxation {
            Relaxation::L1 | Relaxation::Mass if truncation.unseen > 0 => {
                let summed = |pair: &_| self.relaxation.summed_widths(pair, states);
                let radius = |pair: &_| widths.radius(pair, summed(pair).unwrap_or(states));
                let reward = |pair: &_| widths.reward_width(pair);
                evi::solve(&balls(&belief, reward, radius, forbids), t_k, &evi, previous)?
            }
            _ => {
                let set = boxes(&belief, &widths, forbids, truncation.unseen);
                evi::solve(&set, t_k, &evi, previous)?
            }
        };
        Ok(Plan { under_visited: truncation.under_visited, ..plan })
    }

    fn rule(&self) -> NewStates {
        NewStates
    }

    fn variance(&self) -> Variance {
        self.optimism.variance
    }

    fn gives_up(&self) -> bool {
        true
    }

    fn outlook(&self, counts: &Counts, t_k: u64, pair: usize) -> Option<Outlook> {
        let widths = Bernstein::of(&self.optimism.confidence(), counts.space(), t_k);
        let (stats, states) = (&counts.pairs()[pair], counts.space().states() as f64);
        let unobserved = widths.unobserved(stats).min(1.0);
        let others = states - f64::from(stats.observed());
        let missing_mass = match (stats.visits_before(), self.relaxation) {
            (0, _) => 1.0,
            (_, Relaxation::Mass) => (f64::from(stats.observed()) + 1.0).min(others) * unobserved,
            _ => others * unobserved,
        };
        let width = match self.relaxation.summed_widths(stats, states) {
            Some(summed) if counts.unseen() > 0 => widths.radius(stats, summed).min(2.0),
            _ => unobserved,
        };
        Some(Outlook { width, missing_mass: missing_mass.min(1.0) })
    }
}

impl EpisodicAlgorithm for Tucrl {
    type Planner = Self;

    fn planner(&self, setting: &Setting) -> Result<Self, AgentError> {
        Ok(Self { optimism: self.optimism.in_setting(setting)?, ..self.clone() })
    }

    fn knows_rewards(&self) -> bool {
        self.optimism.known_rewards
    }

    fn step_cost(&self) -> u64 {
        30
    }

    fn too_short(&self, setting: &Setting, reachable: u64) -> Option<TooShort> {
        let space = &setting.space;
        let widths = Bernstein::of(&self.optimism.confidence(), space, setting.steps.max(1));
        let unseen = space.states().saturating_sub(reachable);
        let width = |relaxation, visits| {
            let (one, states) = (widths.unobserved_after(visits), space.states() as f64);
            match relaxation {
                _ if unseen == 0 => widths.width_after(visits),
                Relaxation::L1 => SetWidth::linear(HALF_RADIUS, states * one / 2.0),
                // With one next state per pair.
                Relaxation::Mass => SetWidth::linear(HALF_RADIUS, states.min(3.0) * one / 2.0),
                Relaxation::Zeta => {
                    let given_back = unseen as f64 * one.min(1.0);
                    SetWidth::linear(widths.width_after(visits).what, one + given_back)
                }
            }
        };
        let found =
            self.optimism.too_short(setting, reachable, |visits| width(self.relaxation, visits))?;
        let TooShort { reason: TooShortReason::Width { visits, width: own, .. }, remedy: Some(_) } =
            found
        else {
            return Some(found);
        };
        let mass = width(Relaxation::Mass, visits);
        // Where most of the radius belongs to states never seen, an alpha that makes up for them leaves nothing of
        // the widths of those that were.
        if self.relaxation == Relaxation::Mass || mass.width > own / MUCH {
            return Some(found);
        }
        let mut remedy = match mass.width < 1.0 {
            true => Remedy {
                options: Vec::new(),
                effect: format!("would bring it to {}", one_digit(mass.width)),
                limits: "",
            },
            false => self.optimism.narrower(mass),
        };
        remedy.options.insert(0, ("relaxation", "mass".into()));
        remedy.limits = "relaxation=mass is a departure from the paper, shown to work where states cannot be reached \
                         at all; a state that is reached rarely can be missed for good.";
        Some(TooShort { remedy: Some(remedy), ..found })
    }
}

/// A warning names `relaxation=mass` where it makes the radius smaller by this factor: from some 30 states on.
const MUCH: f64 = 10.0;
const HALF_RADIUS: &str = "half the radius of an L1 ball";

pub(super) fn kinds() -> Vec<AgentKind> {
    vec![AgentKind::new::<Tucrl>(About {
        name: "tucrl",
        aliases: &[],
        summary: "UCRL without transitions to states that seem unreachable",
        source: "Fruit, Pirotta, Lazaric 2018, the paper of this project",
        idea: "Like UCRL it plays what would be best in the most rewarding MDP that its \
               observations allow. It restricts which unseen states that MDP may lead to: a pair \
               that was tried more often than sqrt(t / SA) times may no longer lead to one. So \
               that giving up states cannot make the remaining ones look farther apart, the \
               sets of such pairs are widened, to L1 balls or by handing the forbidden mass \
               back. When every pair is tried often enough, it plans on the seen states alone, \
               and their span is bounded by their own diameter. An episode ends when a pair \
               doubles its visits, or before acting in a state that was never visited.",
        needs: super::SPACE,
        guarantee: "With probability 1 - delta the regret is of order \
                    D^C sqrt(Gamma^C S^C A T ln T) + (D^C)^2 S^3 A (ln T)^2, where S^C counts the \
                    reachable states and D^C is their diameter: no prior knowledge of what can be \
                    reached, and no bound on the span. docs/algorithms.md has every term.",
        cost: "One extended value iteration to accuracy r_max/sqrt(t): a few sweeps, each \
               proportional to the observed transitions and independent of the nominal number \
               of states; at most about S^C A log2 T plans.",
        caution: "When some state is out of reach the regret keeps growing like sqrt(T) in ever \
                  rarer steps; no algorithm can do better without more knowledge. Where the start is left forever \
                  the regret is linear (docs/open-questions.md). With alpha=1 the \
                  constants need long runs; a warning says so and suggests an alpha.",
        example: "tucrl:alpha=0.01",
    })]
}

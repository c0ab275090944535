//! TUCRL+: TUCRL with regret that knows the nominal number of states only inside logarithms.
//!
//! Ours; docs/theory.md has the definitions, the theorem and its proof. Two changes to TUCRL (Fruit, Pirotta, Lazaric
//! 2018):
//! - a pair is truncated by the number S_k of *seen* states, N± > sqrt(t_k / (S_k A)), so that a rare state is not given
//!   up for S A steps where the space names many that do not exist;
//! - the confidence sets bound the probability of everything never observed from a pair at once, by the missing mass,
//!   instead of state by state. `set=tight` has intervals and missing mass that hold at all times at once, narrow
//!   enough to learn with alpha = 1; `set=bernstein` has L1 balls with the paper's constants.
//!
//! The same sets are kept when nothing is unseen. With `union=discovery`, or where the number of states is not known,
//! the union bound is in order of discovery and S is used nowhere; then it cannot be known that everything has been seen.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{About, AgentKind, EpisodicAlgorithm, Optimism};
use crate::counts::{Counts, Variance};
use crate::evi::{self, Leads};
use crate::learner::{AgentError, Setting, TooShort};
use crate::planner::{Outlook, Plan, PlanError, PlanInput, Planner, Threshold};
use crate::plausible::Belief;
use crate::rules::{NewStateRule, Vanishing, WithShare};
use crate::sets::{ConfidenceSet, Kept, KeptSet, SFree, SetWidth, Tight, Union, balls_by};
use crate::space::{MAX_NOMINAL, Space};
use crate::truncation;

/// Which MDPs are plausible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlusSet {
    /// Intervals and missing mass that hold at all times at once.
    #[default]
    Tight,
    /// L1 balls with the paper's constants.
    Bernstein,
}

/// How delta is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UnionKind {
    /// Equally where the number of states is known, else in order of discovery.
    #[default]
    Auto,
    /// Equally among all that the space names.
    Nominal,
    /// In order of discovery; the number of states is not used.
    Discovery,
}

impl UnionKind {
    fn in_space(self, space: &Space) -> Union {
        match self {
            Self::Nominal => Union::Nominal,
            Self::Discovery => Union::Discovery,
            Self::Auto if space.is_uncounted() => Union::Discovery,
            Self::Auto => Union::Nominal,
        }
    }
}

/// TUCRL+.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TucrlPlus {
    /// which MDPs are plausible: intervals and missing mass that hold at all times at once, or L1 balls with the
    /// paper's constants
    pub set: PlusSet,
    /// how delta is divided among pairs and next states: equally, in order of discovery without using the number of
    /// states, or the latter only where that number is not known
    pub union: UnionKind,
    /// when an episode ends, besides before acting in a new state: when a pair doubles its visits, or adds a vanishing
    /// share to them (vm: fewer bad steps in a row, more plans; nothing is proved about it here)
    pub rule: NewStateRule,
    /// with rule=vm, the share of its visits that an episode may add to a pair: sqrt(ln(1 + t) / t) at time t, t^(-1/3),
    /// or 1, which is rule=new-state
    pub f: Vanishing,
    #[allow(missing_docs)]
    #[serde(flatten)]
    pub optimism: Optimism,
}

/// Plans start warm: docs/theory.md, section 6, has the argument that this keeps the guarantee.
impl Default for TucrlPlus {
    fn default() -> Self {
        Self {
            set: PlusSet::default(),
            union: UnionKind::default(),
            rule: NewStateRule::default(),
            f: Vanishing::default(),
            optimism: Optimism::warm(),
        }
    }
}

/// Plans of TUCRL+; keeps the bounds of pairs that were not visited.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TucrlPlusPlanner {
    #[serde(flatten)]
    options: TucrlPlus,
    /// Derived from the counts.
    #[serde(skip)]
    kept: Kept,
    /// The set and the leads of the last plan; without them a plan takes longer and is the same.
    #[serde(skip)]
    kept_set: KeptSet,
    #[serde(skip)]
    leads: Leads,
}

impl TucrlPlus {
    /// A planner with these options.
    pub fn into_planner(self) -> TucrlPlusPlanner {
        TucrlPlusPlanner {
            options: self,
            kept: Kept::default(),
            kept_set: KeptSet::default(),
            leads: Leads::default(),
        }
    }

    fn tight(&self, space: &Space, t_k: u64) -> Tight {
        Tight::new(&self.optimism.confidence(), space, t_k, self.union.in_space(space))
    }
}

impl Planner for TucrlPlusPlanner {
    type Rule = WithShare<NewStateRule>;

    fn plan(&mut self, now: &mut PlanInput<'_>) -> Result<Plan, PlanError> {
        let PlanInput { counts, t_k, previous, known, .. } = *now;
        let (options, space) = (&self.options, counts.space());
        let union = options.union.in_space(space);
        let unseen = match union {
            Union::Nominal => counts.unseen(),
            Union::Discovery => MAX_NOMINAL - counts.seen() as u64,
        };
        let truncation = truncation::decide_by(Threshold::Seen, counts, unseen, t_k);
        let truncates = |pair: usize| truncation.truncates(counts, pair);
        let planned = if truncation.plans_unseen() { unseen } else { 0 };
        let (r_max, evi) = (options.optimism.r_max(), options.optimism.evi());
        let belief = Belief { counts, r_max, unseen: planned, known };
        let plan = match options.set {
            PlusSet::Tight => {
                self.kept.refresh(&options.tight(space, t_k), counts);
                let set = self.kept_set.renewed(&belief, &self.kept, truncates);
                let (leads, changed) = (&mut self.leads, self.kept_set.has_changed());
                let plan = evi::solve_again(&set, t_k, &evi, previous, leads, changed);
                self.kept_set.keep(set);
                plan?
            }
            PlusSet::Bernstein => {
                let confidence = options.optimism.confidence();
                let set = SFree::new(&confidence, space, t_k, union);
                let reward = |pair: usize| set.reward_width(counts, pair);
                let radius = |pair: usize| set.radius(counts, pair);
                evi::solve(&balls_by(&belief, reward, radius, truncates), t_k, &evi, previous)?
            }
        };
        Ok(Plan { under_visited: truncation.under_visited, unseen, ..plan })
    }

    fn rule(&self) -> WithShare<NewStateRule> {
        WithShare { rule: self.options.rule, f: self.options.f }
    }

    fn variance(&self) -> Variance {
        self.options.optimism.variance
    }

    fn keeps_first_visits(&self, space: &Space) -> bool {
        self.options.set == PlusSet::Tight && self.options.union.in_space(space) == Union::Discovery
    }

    #[inline]
    fn threshold(&self) -> Threshold {
        Threshold::Seen
    }

    fn gives_up(&self) -> bool {
        true
    }

    fn outlook(&self, counts: &Counts, t_k: u64, pair: usize) -> Option<Outlook> {
        let (options, space) = (&self.options, counts.space());
        if counts.pairs()[pair].visits_before() == 0 {
            return Some(Outlook { width: 1.0, missing_mass: 1.0 });
        }
        Some(match options.set {
            PlusSet::Tight => {
                let kept = Kept::of_pair(&options.tight(space, t_k), counts, pair);
                Outlook { width: kept.widest(0), missing_mass: kept.budget(0) }
            }
            PlusSet::Bernstein => {
                let confidence = options.optimism.confidence();
                let set = SFree::new(&confidence, space, t_k, options.union.in_space(space));
                let missing_mass = set.missing_mass(counts, pair);
                Outlook { width: set.radius(counts, pair), missing_mass }
            }
        })
    }
}

impl EpisodicAlgorithm for TucrlPlus {
    type Planner = TucrlPlusPlanner;

    fn planner(&self, setting: &Setting) -> Result<TucrlPlusPlanner, AgentError> {
        let optimism = self.optimism.in_setting(setting)?;
        Ok(Self { optimism, ..self.clone() }.into_planner())
    }

    fn knows_rewards(&self) -> bool {
        self.optimism.known_rewards
    }

    fn needs_state_count(&self) -> bool {
        false
    }

    fn step_cost(&self) -> u64 {
        30
    }

    fn too_short(&self, setting: &Setting, reachable: u64) -> Option<TooShort> {
        let (space, time) = (&setting.space, setting.steps.max(1));
        self.optimism.too_short(setting, reachable, |visits| match self.set {
            PlusSet::Tight => self.tight(space, time).width_after(visits),
            PlusSet::Bernstein => {
                let confidence = self.optimism.confidence();
                let set = SFree::new(&confidence, space, time, self.union.in_space(space));
                SetWidth::linear("half the radius of an L1 ball", set.radius_after(visits) / 2.0)
            }
        })
    }
}

pub(super) fn kinds() -> Vec<AgentKind> {
    let kind = AgentKind::new::<TucrlPlus>(About {
        name: "tucrl-plus",
        aliases: &["tucrl+"],
        summary: "TUCRL with the number of states only in logarithms",
        source: "this project, after Fruit, Pirotta, Lazaric 2018; docs/theory.md",
        idea: "It is tucrl with two changes. The threshold from which on a pair may not lead to states never seen \
               counts the states that were seen, not all that have a name, so a rare state is not given up early \
               because many others do not exist. The probability of everything that was never observed from a pair is \
               bounded at once, by how many of its visits showed something new, not state by state. Its intervals \
               hold at all times at once and are narrow enough to learn with alpha = 1. Without a number of states \
               the confidence is divided in order of discovery.",
        needs: "The number of actions and r_max. The number of states, junk states included, may be left out.",
        guarantee: "With probability 1 - delta the regret is of order \
                    D^C sqrt(Gamma^C S^C A T ln T) + (D^C)^2 S^C A (Gamma^C + ln(S A))^2, where S^C counts the \
                    reachable states, D^C is their diameter and S stands only inside logarithms; with \
                    union=discovery S^C takes its place there. Holds for alpha = 1. docs/theory.md has the proof.",
        cost: "As tucrl; intervals are recomputed only for pairs that were visited.",
        caution: "When some state is out of reach, or with union=discovery, where it cannot be known that all have been \
                  seen, the regret keeps growing like sqrt(T) in ever rarer steps. Where the start is left forever the regret is linear \
                  (docs/open-questions.md). With alpha < 1 the guarantee does \
                  not hold. With rule=vm no guarantee is proved: docs/theory.md is about doubling.",
        example: "tucrl-plus",
    });
    vec![kind.with(|options| options.without(&["variance", "sa"]))]
}

//! UCRL: optimism in the most rewarding plausible MDP, with any confidence set and episode rule.
//!
//! UCRL2 (Jaksch, Ortner, Auer 2010) with Hoeffding and L1 sets, and the paper's "UCRL", UCRL2B, with
//! empirical-Bernstein boxes. KL-UCRL, UCRL3 and the Bernstein widths of 2020 are the same algorithm with other
//! sets. All plan on every state, so an unreachable one attracts them in every episode: linear regret, which is
//! what TUCRL avoids. Plans of KL-UCRL and UCRL3 are as accurate as all others here, r_max / sqrt(t_k), where
//! their code asks for 1 / t.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{About, AgentKind, EpisodicAlgorithm, Optimism};
use crate::counts::Variance;
use crate::evi::{self, EviOptions};
use crate::learner::{AgentError, Setting, TooShort};
use crate::options::Described;
use crate::planner::{Plan, PlanError, PlanInput, Planner};
use crate::plausible::Belief;
use crate::rules::{OptimistRule, Vanishing, WithShare};
use crate::sets::{ConfidenceSet, SetKind, SetVisitor, SetWidth};
use crate::truncation;

/// UCRL: a confidence set, an episode rule and extended value iteration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ucrl {
    /// which MDPs are plausible
    pub set: SetKind,
    /// when an episode ends
    pub rule: OptimistRule,
    /// with rule=vm, the share of its visits that an episode may add to a pair: sqrt(ln(1 + t) / t) at time t, t^(-1/3),
    /// or 1, which is rule=doubling
    pub f: Vanishing,
    #[allow(missing_docs)]
    #[serde(flatten)]
    pub optimism: Optimism,
}

/// The paper's UCRL, which starts its plans warm, as the published code does.
impl Default for Ucrl {
    fn default() -> Self {
        let (set, rule) = (SetKind::default(), OptimistRule::default());
        Self { set, rule, f: Vanishing::default(), optimism: Optimism::warm() }
    }
}

/// Extended value iteration on the set of an episode.
struct Evi<'a, 'b> {
    belief: Belief<'a, 'b>,
    now: &'b PlanInput<'a>,
    options: EviOptions,
}

impl SetVisitor for Evi<'_, '_> {
    type Output = Result<Plan, PlanError>;

    fn visit<S: ConfidenceSet>(self, set: &S) -> Self::Output {
        evi::solve(&set.plausible(&self.belief), self.now.t_k, &self.options, self.now.previous)
    }
}

/// The width of the set after a number of visits.
pub(super) struct WidthAfter(pub(super) f64);

impl SetVisitor for WidthAfter {
    type Output = SetWidth;

    fn visit<S: ConfidenceSet>(self, set: &S) -> SetWidth {
        set.width_after(self.0)
    }
}

impl Planner for Ucrl {
    type Rule = WithShare<OptimistRule>;

    fn plan(&mut self, now: &mut PlanInput<'_>) -> Result<Plan, PlanError> {
        let (counts, t_k, optimism) = (now.counts, now.t_k, &self.optimism);
        let belief = Belief::new(counts, optimism.r_max(), now.known);
        let evi = Evi { belief, now, options: optimism.evi() };
        let plan = self.set.visit(&optimism.confidence(), counts.space(), t_k, evi)?;
        Ok(Plan { under_visited: truncation::decide(counts, t_k).under_visited, ..plan })
    }

    fn rule(&self) -> WithShare<OptimistRule> {
        WithShare { rule: self.rule, f: self.f }
    }

    fn variance(&self) -> Variance {
        self.optimism.variance
    }
}

impl EpisodicAlgorithm for Ucrl {
    type Planner = Self;

    fn planner(&self, setting: &Setting) -> Result<Self, AgentError> {
        Ok(Self { optimism: self.optimism.in_setting(setting)?, ..self.clone() })
    }

    fn knows_rewards(&self) -> bool {
        self.optimism.known_rewards
    }

    fn step_cost(&self) -> u64 {
        // L1 sets start more episodes than boxes of the same world.
        if self.set == SetKind::L1 { 50 } else { 40 }
    }

    fn too_short(&self, setting: &Setting, reachable: u64) -> Option<TooShort> {
        let (confidence, time) = (self.optimism.confidence(), setting.steps.max(1));
        self.optimism.too_short(setting, reachable, |visits| {
            self.set.visit(&confidence, &setting.space, time, WidthAfter(visits))
        })
    }
}

const NEEDS: &str =
    "The number of states and actions and r_max; and that every state can be reached.";
const UNREACHABLE: &str =
    "A state that cannot be reached attracts it forever, as it does ucrl: linear regret.";

pub(super) fn kinds() -> Vec<AgentKind> {
    let with_set = |set: &'static str, about| {
        // UCRL2 starts from 0, and so do the others that are compared with it.
        let cold = |options: Described| options.default("warm_start", false);
        AgentKind::new::<Ucrl>(about).with(|options| cold(options.fixed("set", set)))
    };
    let population =
        |kind: AgentKind| kind.with(|options| options.default("variance", "population"));
    vec![
        AgentKind::new::<Ucrl>(About {
            name: "ucrl",
            aliases: &["ucrl2b"],
            summary: "optimism with Bernstein boxes, the paper's UCRL",
            source: "UCRL2B in the form of the paper of this project",
            idea: "It counts transitions and rewards and puts an empirical-Bernstein interval \
                   around each. Among all MDPs within these intervals it picks the one with the \
                   largest gain, and plays the policy that is best there. If the rewards fall short, \
                   the intervals shrink where the estimate was wrong; if not, it earns the optimistic \
                   gain. A state never seen may pay r_max and may be one step away, so it keeps searching \
                   for it. An episode ends when a pair doubles its visits.",
            needs: NEEDS,
            guarantee: "Where all states communicate, regret of order D sqrt(Gamma S A T ln T) with \
                        probability 1 - delta, after a linear phase whose end grows with D.",
            cost: "One extended value iteration: each sweep sorts the seen states and touches the \
                   observed transitions; planner=accelerated replaces up to millions of sweeps by a \
                   few exact evaluations.",
            caution: "A state that cannot be reached attracts it forever: linear regret. Use tucrl \
                      where that may be the case.",
            example: "ucrl:alpha=0.05,shrink=log",
        }),
        with_set("l1", About {
            name: "ucrl2",
            aliases: &[],
            summary: "optimism with Hoeffding and L1 sets",
            source: "Jaksch, Ortner, Auer 2010",
            idea: "The first optimistic algorithm with a regret bound for average reward. Rewards \
                   have Hoeffding intervals, and the laws of next states lie in an L1 ball around \
                   what was observed. The best law in a ball moves half its radius to the most \
                   valuable state and takes it from the least valuable ones. The policy that is \
                   best in the best MDP of these sets is played. An episode ends when a pair \
                   doubles its visits.",
            needs: NEEDS,
            guarantee: "Where all states communicate, regret of at most \
                        34 r_max D S sqrt(A T ln(T/delta)) with probability 1 - delta.",
            cost: "One extended value iteration; a sweep needs no sorting and touches the observed \
                   transitions only.",
            caution: "As ucrl where a state cannot be reached; and wider sets than ucrl as soon as next \
                      states are few, so slower almost everywhere.",
            example: "ucrl2:alpha=0.1",
        })
        .with(|options| options.without(&["variance", "f"]).fixed("rule", "doubling")),
        population(with_set("bernstein-2020", About {
            name: "ucrl2b-2020",
            aliases: &[],
            summary: "ucrl with the tighter Bernstein widths of 2020",
            source: "Fruit, Pirotta, Lazaric 2020, \"Improved analysis of UCRL2 with empirical Bernstein inequality\"; \
                     constants from memory and public code, unverified",
            idea: "It is ucrl with other widths. The logarithm has the visits of the pair in place of time, so a pair \
                   that is not visited does not grow uncertain again. The constants are smaller: 2 and 6 instead of \
                   sqrt(14) and 49/3. Variances are those of the population. The rest, boxes, plans and episodes, is \
                   the same.",
            needs: NEEDS,
            guarantee: "Where all states communicate, regret of order sqrt(D Gamma S A T) up to logarithms with \
                        probability 1 - delta, an improvement by sqrt(D) in the analysis.",
            cost: "As ucrl.",
            caution: UNREACHABLE,
            example: "ucrl2b-2020:alpha=0.1",
        })),
        with_set("kl", About {
            name: "kl-ucrl",
            aliases: &[],
            summary: "optimism with Kullback-Leibler balls",
            source: "Filippi, Cappe, Garivier 2010; Talebi, Maillard 2018; widths as in public code",
            idea: "It measures the distance between laws of the next state by the Kullback-Leibler divergence. Laws \
                   within a divergence of order S ln t / N from the observed one are plausible. The best of them takes \
                   mass from bad states smoothly, and never rules out a next state that was observed. A state never \
                   observed from a pair gets mass only if it beats all observed ones by enough. Rewards, plans and \
                   episodes are as in ucrl2.",
            needs: NEEDS,
            guarantee: "Where all states communicate, regret of order D S sqrt(A T ln T) with probability 1 - delta; \
                        smaller where the variance of the optimal bias is.",
            cost: "One extended value iteration; each inner maximum is a bisection over the observed next states, so \
                   a sweep costs some ten times one of ucrl2.",
            caution: UNREACHABLE,
            example: "kl-ucrl:alpha=0.3",
        })
        .with(|options| options.without(&["variance"])),
        population(with_set("ucrl3", About {
            name: "ucrl3",
            aliases: &[],
            summary: "optimism with a Bernoulli bound for each of few next states",
            source: "Bourel, Maillard, Talebi 2020, \"Tightening exploration in upper confidence reinforcement \
                     learning\"; from a description and public code, see the caution",
            idea: "Each next state is treated as a Bernoulli variable of its own, with bounds that adapt to its \
                   probability and hold at all times at once. Rewards have the tighter of two such bounds. Optimism is \
                   kept from spreading thinly over all states that were never observed from a pair: only the best few \
                   are considered, as many as could matter. Mass that finds no room counts as the worst outcome. Plans \
                   and episodes are those of ucrl2.",
            needs: NEEDS,
            guarantee: "Where all states communicate, regret that depends on local diameters and the support sizes \
                        actually present, at most of the order of ucrl; constants unverified here.",
            cost: "Bounds by bisection for every observed transition, and one extended value iteration whose inner \
                   maxima search for the number of states to consider.",
            caution: "A state that cannot be reached attracts it forever: linear regret. As in the authors' code, \
                      upper ends above 1/2 are too narrow: near 1 they fail with 0.09 where 0.016 is promised. Within a \
                      plan a selected support only grows, else the operator is not continuous and need not settle. Plans are \
                      accurate to r_max/sqrt(t), not 1/t as in the authors' code.",
            example: "ucrl3:alpha=0.5",
        })),
    ]
}

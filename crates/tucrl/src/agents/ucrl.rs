//! What would the best plausible world earn, if every state could be reached?
//!
//! UCRL2 (Jaksch, Ortner, Auer 2010) with Hoeffding and L1 sets, and the paper's "UCRL", UCRL2B, with
//! empirical-Bernstein boxes. Its sets and its episodes can be chosen: the Bernstein widths of 2020, L1 balls,
//! Kullback-Leibler balls (KL-UCRL) and UCRL3's boxes over selected supports are the same algorithm with other
//! sets (ALGORITHMS 1 and 6). All believe in every state, so an unreachable one attracts them for ever: linear
//! regret, which is what the paper sets out to mend.
//!
//! Reads `confidence`, `plausible`, `evi`; feeds `agents`. Departures: none from the paper; plans of KL-UCRL and
//! UCRL3 are as accurate as all others here, r_max / sqrt(t_k), where their code asks for 1 / t.

use serde::{Deserialize, Serialize};

use super::{AgentError, Optimism, check_optimistic_rule};
use crate::confidence::{CoinBounds, Family};
use crate::counts::{Counts, PairCounts};
use crate::evi;
use crate::planner::{Plan, PlanError, Planner, Rule, Situation};
use crate::plausible::{KnownRewards, PlausibleSet};
use crate::truncation;

/// Which sets of plausible worlds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum SetKind {
    /// Empirical-Bernstein boxes with the paper's constants.
    #[default]
    Bernstein,
    /// The tighter boxes of 2020.
    Bernstein2020,
    /// UCRL2's L1 balls.
    L1,
    /// Kullback-Leibler balls.
    Kl,
    /// UCRL3's boxes over selected supports.
    Ucrl3,
}

/// A plausible set with the reward widths that it was made of.
pub(super) struct Believed<'a> {
    pub(super) set: PlausibleSet<'a>,
    pub(super) reward_width: Box<dyn Fn(&PairCounts) -> f64 + 'a>,
}

impl SetKind {
    /// The worlds that are plausible now, states never seen included.
    pub(super) fn believed<'a>(
        self,
        optimism: &Optimism,
        counts: &'a Counts,
        t_k: u64,
        known: KnownRewards<'_>,
    ) -> Believed<'a> {
        let (r_max, unseen) = (optimism.r_max, counts.unseen());
        let widths = |family| optimism.confidence(family).widths(counts.space(), t_k);
        let (set, widths) = match self {
            Self::Ucrl3 => {
                let confidence = optimism.confidence(Family::Bernstein);
                let bounds = CoinBounds::new(&confidence, counts.space(), t_k);
                let set = PlausibleSet::selected(counts, &bounds, r_max, unseen, known);
                return Believed { set, reward_width: Box::new(move |stats| bounds.reward(stats)) };
            }
            Self::Bernstein | Self::Bernstein2020 => {
                let family = match self {
                    Self::Bernstein => Family::Bernstein,
                    _ => Family::Bernstein2020,
                };
                let widths = widths(family);
                (PlausibleSet::boxes(counts, &widths, r_max, unseen, |_| false, 0, known), widths)
            }
            Self::L1 => {
                let widths = widths(Family::Hoeffding);
                (PlausibleSet::balls(counts, &widths, r_max, unseen, |_| false, known), widths)
            }
            Self::Kl => {
                let widths = widths(Family::Kl);
                (PlausibleSet::divergences(counts, &widths, r_max, unseen, known), widths)
            }
        };
        Believed { set, reward_width: Box::new(move |stats| widths.reward(stats)) }
    }
}

/// UCRL2: Hoeffding intervals for rewards, L1 balls for transitions.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Ucrl2 {
    /// The shared options.
    pub optimism: Optimism,
}

/// UCRL2B: empirical-Bernstein boxes, or other sets and episodes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Ucrl {
    /// The shared options.
    pub optimism: Optimism,
    /// Which sets.
    #[serde(default)]
    pub set: SetKind,
    /// When an episode ends.
    #[serde(default)]
    pub rule: Rule,
}

impl Ucrl {
    /// The name under which these sets are known.
    pub fn name(&self) -> &'static str {
        match self.set {
            SetKind::Bernstein => "ucrl",
            SetKind::Bernstein2020 => "ucrl2b-2020",
            SetKind::L1 => "ucrl2",
            SetKind::Kl => "kl-ucrl",
            SetKind::Ucrl3 => "ucrl3",
        }
    }

    pub(super) fn check(&self) -> Result<(), AgentError> {
        check_optimistic_rule(self.rule)
    }
}

fn plan(set: SetKind, optimism: &Optimism, now: &Situation<'_>) -> Result<Plan, PlanError> {
    let Situation { counts, t_k, previous, known, .. } = *now;
    let believed = set.believed(optimism, counts, t_k, known);
    let plan = evi::solve(&believed.set, t_k, &optimism.evi, previous)?;
    Ok(Plan { under_visited: truncation::decide(counts, t_k).under_visited, ..plan })
}

impl Planner for Ucrl2 {
    fn plan(&self, now: &Situation<'_>) -> Result<Plan, PlanError> {
        plan(SetKind::L1, &self.optimism, now)
    }
}

impl Planner for Ucrl {
    fn plan(&self, now: &Situation<'_>) -> Result<Plan, PlanError> {
        plan(self.set, &self.optimism, now)
    }

    fn rule(&self) -> Rule {
        self.rule
    }
}

//! What would the best plausible world earn, if every state could be reached?
//!
//! UCRL2 (Jaksch, Ortner, Auer 2010) with Hoeffding and L1 sets, and UCRL2B, the paper's "UCRL", with
//! empirical-Bernstein boxes. Both believe in every state, so an unreachable one attracts them for ever:
//! linear regret, which is what the paper sets out to mend. Episodes end when a pair doubles.
//!
//! Reads `confidence`, `plausible`, `evi`; feeds `agents`. Departures from the paper: none.

use serde::{Deserialize, Serialize};

use super::Optimism;
use crate::confidence::Family;
use crate::evi;
use crate::planner::{Plan, PlanError, Planner, Situation};
use crate::plausible::PlausibleSet;
use crate::truncation;

/// UCRL2: Hoeffding intervals for rewards, L1 balls for transitions.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Ucrl2 {
    /// The shared options.
    pub optimism: Optimism,
}

/// UCRL2B: empirical-Bernstein boxes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Ucrl {
    /// The shared options.
    pub optimism: Optimism,
}

impl Planner for Ucrl2 {
    fn plan(&self, now: &Situation<'_>) -> Result<Plan, PlanError> {
        let Situation { counts, t_k, previous, known, .. } = *now;
        let optimism = &self.optimism;
        let widths = optimism.confidence(Family::Hoeffding).widths(counts.space(), t_k);
        let unseen = counts.unseen();
        let set = PlausibleSet::balls(counts, &widths, optimism.r_max, unseen, |_| false, known);
        let plan = evi::solve(&set, t_k, &optimism.evi, previous)?;
        Ok(Plan { under_visited: truncation::decide(counts, t_k).under_visited, ..plan })
    }
}

impl Planner for Ucrl {
    fn plan(&self, now: &Situation<'_>) -> Result<Plan, PlanError> {
        let Situation { counts, t_k, previous, known, .. } = *now;
        let optimism = &self.optimism;
        let widths = optimism.confidence(Family::Bernstein).widths(counts.space(), t_k);
        let unseen = counts.unseen();
        let set = PlausibleSet::boxes(counts, &widths, optimism.r_max, unseen, |_| false, 0, known);
        let plan = evi::solve(&set, t_k, &optimism.evi, previous)?;
        Ok(Plan { under_visited: truncation::decide(counts, t_k).under_visited, ..plan })
    }
}

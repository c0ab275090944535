//! What would the best plausible world earn, if states never seen count only where doubt is large?
//!
//! TUCRL (paper, section 3 and appendices): Bernstein widths, but a pair that has been visited often
//! enough, N± > sqrt(t_k / (S A)), may not lead to states never seen; when all pairs are like that,
//! planning happens on the seen states only. So that shortest paths within the seen states do not grow,
//! the sets are relaxed: to L1 balls whose radius sums all widths (the main algorithm), or by giving the
//! forbidden mass back to the seen states (`zeta`, the appendix's tighter set). When nothing is unseen it
//! *is* UCRL2B. Episodes end when a pair doubles or a state is met for the first time.
//!
//! The same code covers the multichain reading: states of other classes are simply never seen.
//!
//! The L1 radius of the paper sums a width for each of the S states, so that in a vast space every ball is the
//! whole simplex until a pair has been visited more than S times (its proof sums over the reachable states
//! only, which the set as written does not allow). `Relaxation::Mass` bounds all that was never observed from
//! a pair at once, by a number that knows S only in its logarithm; shortest paths within the seen states stay
//! as short, because the true law with its unseen mass moved to the target still lies in the ball.
//!
//! Reads `confidence`, `truncation`, `plausible`, `evi`; feeds `agents`. Departures: `Relaxation::Mass`, on request.

use serde::{Deserialize, Serialize};

use super::Optimism;
use crate::confidence::Family;
use crate::evi;
use crate::planner::{Plan, PlanError, Planner, Situation};
use crate::plausible::PlausibleSet;
use crate::truncation;

/// How truncated sets are widened so that the span stays bounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Relaxation {
    /// L1 balls: the algorithm that is analysed and plotted.
    #[default]
    L1,
    /// Boxes whose upper ends take back the forbidden mass.
    Zeta,
    /// L1 balls whose radius does not grow with S: ours, for vast spaces.
    Mass,
}

/// TUCRL.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Tucrl {
    /// The shared options.
    pub optimism: Optimism,
    /// How truncated sets are widened.
    pub relaxation: Relaxation,
}

impl Planner for Tucrl {
    fn plan(&self, now: &Situation<'_>) -> Result<Plan, PlanError> {
        let Situation { counts, t_k, previous, known } = *now;
        let optimism = &self.optimism;
        let r_max = optimism.r_max;
        let widths = optimism.confidence(Family::Bernstein).widths(counts.space(), t_k);
        let truncation = truncation::decide(counts, t_k);
        let planned = if truncation.plans_unseen() { truncation.unseen } else { 0 };
        let forbids = |pair: usize| truncation.forbids(counts, pair);
        let set = match self.relaxation {
            Relaxation::L1 if truncation.unseen > 0 => {
                PlausibleSet::balls(counts, &widths, r_max, planned, forbids, known)
            }
            Relaxation::Mass if truncation.unseen > 0 => {
                let widths = widths.bounding_mass();
                PlausibleSet::balls(counts, &widths, r_max, planned, forbids, known)
            }
            _ => {
                let lost = truncation.unseen;
                PlausibleSet::boxes(counts, &widths, r_max, planned, forbids, lost, known)
            }
        };
        let plan = evi::solve(&set, t_k, &optimism.evi, previous)?;
        Ok(Plan { under_visited: truncation.under_visited, ..plan })
    }

    fn stops_at_new_states(&self) -> bool {
        true
    }
}

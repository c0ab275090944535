//! What does a plan leave for the next one that starts from its values?
//!
//! A pair is worth the same for the same values unless its set has changed. So a plan that starts from the
//! values of the last one, on a set of which it is known what changed, needs all pairs only of the states that changed;
//! see [`Sweeper`], skipped pairs. The values are those of a full sweep.
//!
//! What did not help: extrapolating the values along the last increments once the ratio of their spans had settled. On taxi
//! to 1e6 steps the plans of TUCRL+ took 1.7 times as many sweeps, those of UCRL (alpha = 0.01) three times.

use crate::inner_max::Ranking;
use crate::plausible::Shape;

use super::Sweeper;

/// What a plan leaves for the next one: by how much the best pair of each state leads.
#[derive(Debug, Clone, Default)]
pub struct Leads {
    /// The values that they belong to.
    seen: Vec<f64>,
    unseen: f64,
    plans_unseen: bool,
    best_pair: Vec<u32>,
    /// By seen state: how far all its other pairs lie behind the best; not positive if that is not known.
    lead: Vec<f64>,
    /// The states ranked by the values, for sets that need it.
    ranking: Ranking,
}

impl Leads {
    /// Forgets them.
    pub fn clear(&mut self) {
        self.lead.clear();
    }
}

impl<S: Shape> Sweeper<'_, '_, S> {
    /// Begins with the leads of the last plan, if it ended with the values from which this one starts.
    pub(super) fn recall(&mut self, leads: &mut Leads, changed: &[bool]) {
        // Any order will do to begin with.
        self.ranking = std::mem::take(&mut leads.ranking);
        let is_planned = self.set.unseen > 0;
        if !S::FIXED_LAWS
            || leads.lead.len() != changed.len()
            || leads.plans_unseen != is_planned
            || leads.seen != self.values.seen
            || (is_planned && leads.unseen != self.values.unseen)
        {
            return;
        }
        self.best_pair.copy_from_slice(&leads.best_pair);
        let leads = leads.lead.iter().zip(changed);
        for (until, (&lead, &has_changed)) in self.skip_until.iter_mut().zip(leads) {
            *until = if has_changed { f64::NEG_INFINITY } else { lead };
        }
    }

    /// Leaves the leads for the values that the last sweep has judged.
    pub(super) fn leave(&mut self, leads: &mut Leads) {
        leads.ranking = std::mem::take(&mut self.ranking);
        leads.plans_unseen = self.set.unseen > 0;
        leads.unseen = self.values.unseen;
        leads.seen.clone_from(&self.values.seen);
        leads.best_pair.clone_from(&self.best_pair);
        leads.lead.clear();
        leads.lead.extend(self.skip_until.iter().map(|until| until - self.drift));
    }
}

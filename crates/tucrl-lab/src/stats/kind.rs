//! Which regret is shown?
//!
//! Gap regret, the sum of the Bellman gaps of the pairs played, has neither the noise of rewards nor that of
//! transitions, so it is the default. Runs without gaps (old records, worlds whose optimal gain is unknown) are shown
//! by their realised regret; within a world all agents are shown by the same one.
//!
//! Where an agent can lose gain for good, the gaps after such a loss are those of the poorer part of the world. What the
//! loss costs, Σ (T - t) λ, is then added: an agent must not look good because it lost everything early.

use std::borrow::Cow;

use tucrl::run::RunRecord;

/// A kind of regret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Regret {
    /// The sum of the Bellman gaps.
    #[default]
    Gap,
    /// The optimal gain times steps, minus the rewards.
    Realised,
    /// The optimal gain times steps, minus the mean rewards of the pairs played.
    Pseudo,
}

impl Regret {
    /// All of them, the default first.
    pub const ALL: [Self; 3] = [Self::Gap, Self::Realised, Self::Pseudo];

    /// The curve of a run; none if it was not kept. To the gaps the gain lost is added.
    pub fn of(self, record: &RunRecord) -> Option<Cow<'_, [(u64, f64)]>> {
        match (self, &record.gain_lost) {
            (Self::Gap, None) => record.gap_regret.as_deref().map(Cow::Borrowed),
            (Self::Gap, Some(lost)) => {
                let both = record.gap_regret.as_deref()?.iter().zip(lost);
                Some(both.map(|((t, gap), (_, lost))| (*t, gap + lost)).collect())
            }
            (Self::Realised, _) => Some(Cow::Borrowed(&record.regret)),
            // Imported curves do not have it.
            (Self::Pseudo, _) => (record.pseudo_regret.len() == record.regret.len())
                .then_some(Cow::Borrowed(&record.pseudo_regret)),
        }
    }

    /// What it is called in tables and figures.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gap => "gap regret",
            Self::Realised => "realised regret",
            Self::Pseudo => "pseudo-regret",
        }
    }

    /// The word of the command line and of JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Gap => "gap",
            Self::Realised => "realised",
            Self::Pseudo => "pseudo",
        }
    }

    /// The kind that growth is fitted to: realised regret is too noisy, its noise grows like a square root.
    pub fn without_noise(self) -> Self {
        match self {
            Self::Gap => Self::Gap,
            Self::Realised | Self::Pseudo => Self::Pseudo,
        }
    }

    /// What it is, in a sentence; `gain` is what it is measured against.
    pub fn explained(self, gain: &str) -> String {
        match self {
            Self::Gap => "Gap regret: the sum of the Bellman gaps of the pairs played, regret without the noise of \
                          rewards and transitions."
                .into(),
            Self::Realised => format!("Realised regret: {gain} times steps, minus the rewards."),
            Self::Pseudo => format!("Pseudo-regret: {gain} times steps, minus the mean rewards of the pairs played."),
        }
    }
}

//! How are steps played that can only go as they always went?
//!
//! A learner prepares a step in a state where its action is chosen for sure and has always given the same. Where the world
//! can give nothing else, such a step needs neither of them: it is added up. The sums are those of the same steps played
//! one by one, to the bit.

use crate::env::Walk;
use crate::space::{ActionId, StateId};

/// Sums over steps.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Earned {
    pub(crate) reward: f64,
    pub(crate) mean_reward: f64,
    /// Of Bellman gaps.
    pub(crate) gap: f64,
    /// Of the gain lost for good, and of the gain lost times the number of the step.
    pub(crate) gain_loss: f64,
    pub(crate) timed_gain_loss: f64,
}

/// A part of a batch of steps in a table, for a learner of this crate that plays prepared steps. Learners of other crates can
/// read nothing off it and play nothing with it: whether a step is certain is knowledge of the world.
pub struct Replay<'a> {
    pub(crate) walk: &'a mut Walk,
    /// The Bellman gaps of the world by pair; empty if they are not known.
    pub(crate) gaps: &'a [f64],
    /// Steps taken so far, and when to stop.
    pub(crate) taken: u64,
    pub(crate) until: u64,
    pub(crate) earned: Earned,
}

/// Without the world.
impl std::fmt::Debug for Replay<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Replay({} of {} steps taken)", self.taken, self.until)
    }
}

/// What a certain step adds to the sums besides its reward; a learner keeps it and cannot read it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Known {
    mean_reward: f64,
    gap: f64,
}

/// Without the world.
impl std::fmt::Debug for Known {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Known")
    }
}

/// A step as it always went.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CertainStep {
    /// What [`Replay::known`] gave for it.
    pub(crate) known: Known,
    /// The reward.
    pub(crate) reward: f64,
    /// The next state.
    pub(crate) next: StateId,
}

impl Replay<'_> {
    /// Whether no step is left to play.
    pub(crate) fn is_done(&self) -> bool {
        self.taken >= self.until
    }

    /// What a step from the present state adds, if it can only give this reward and lead to this state.
    pub(crate) fn known(&self, action: ActionId, reward: f64, next: StateId) -> Option<Known> {
        let pair = self.walk.pair(action);
        let (certain, mean_reward) = self.walk.certain_step(pair)?;
        let gap = self.gaps.get(pair).copied().unwrap_or(0.0);
        (certain == (reward, next)).then_some(Known { mean_reward, gap })
    }

    /// Plays steps until there is none or no time is left. Every step must begin in the state to which the one before led,
    /// the first one in the present state.
    #[inline(always)]
    pub(crate) fn play(&mut self, mut step: impl FnMut() -> Option<CertainStep>) {
        // In local variables, so that the sums stay in registers.
        let (mut taken, mut earned, mut last) = (self.taken, self.earned, None);
        while taken < self.until {
            let Some(CertainStep { known, reward, next }) = step() else { break };
            earned.reward += reward;
            earned.mean_reward += known.mean_reward;
            earned.gap += known.gap;
            last = Some(next);
            taken += 1;
        }
        (self.taken, self.earned) = (taken, earned);
        if let Some(state) = last {
            self.walk.stand_in(state);
        }
    }
}

//! What does a step need that can only go as it always went?

use super::Episodic;
use crate::planner::Planner;
use crate::replay::{CertainStep, Known, Replay};
use crate::rules::EpisodeRule as _;
use crate::space::{ActionId, StateId};

/// Steps of a batch that are worth preparing for.
pub(super) const LONG_BATCH: u64 = 256;

/// What a step needs in a state whose pair is chosen for sure and has always given the same: such steps are counted here
/// and recorded together, before anything reads the counts of the pair. One cache line.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
pub(super) struct Ready {
    /// How often the pair may be played before the rule is asked again; 0 if idle.
    pub(super) left: u32,
    /// The same when the last step was recorded.
    pub(super) limit: u32,
    pub(super) next_number: u32,
    pub(super) pair: u32,
    pub(super) action: ActionId,
    /// Whether the world has said that the step cannot go otherwise.
    pub(super) is_certain: bool,
    pub(super) reward: f64,
    pub(super) next: StateId,
    /// When the pair becomes under-visited.
    pub(super) under_visited_from: u64,
    pub(super) known: Known,
}

impl<P: Planner> Episodic<P> {
    /// After a step from the present state to `next`: prepares for the same step, if it is the only one that the plan and
    /// all observations leave.
    #[inline]
    pub(super) fn make_ready(&mut self, pair: u32, next: StateId) {
        let limit = self.planner.rule().certain_visits(&self.counts, self.here, pair as usize);
        if limit == 0 {
            return;
        }
        let Some((reward, next_number, room)) = self.counts.constant(pair as usize) else { return };
        let choices = self.plan.as_ref().map_or(&[][..], |plan| &plan.choices);
        let Some(choice) = choices.get(self.here as usize).filter(|choice| choice.mix == 0.0)
        else {
            return;
        };
        let (under_visited_from, action) = (self.under_visited_from(pair), choice.action);
        let limit = limit.min(u64::from(room)) as u32;
        self.set_ready(Ready {
            left: limit,
            limit,
            next_number,
            pair,
            action,
            is_certain: false,
            reward,
            next,
            under_visited_from,
            known: Known::default(),
        });
    }

    #[cold]
    fn set_ready(&mut self, ready: Ready) {
        let here = self.here as usize;
        if self.ready.len() <= here {
            self.ready.resize(self.counts.seen(), Ready::default());
        }
        self.ready[here] = ready;
        self.is_ready.push(self.here);
    }

    /// Plays the steps that are ready, as long as the world can give nothing else.
    #[inline(always)]
    pub(super) fn play_ready(&mut self, replay: &mut Replay<'_>) {
        if self.chosen.is_some() {
            return;
        }
        loop {
            self.play_certain(replay);
            let Some(ready) = self.ready.get_mut(self.here as usize) else { return };
            if ready.left == 0 || ready.is_certain || replay.is_done() {
                return;
            }
            let Some(known) = replay.known(ready.action, ready.reward, ready.next) else { return };
            (ready.known, ready.is_certain) = (known, true);
        }
    }

    /// The same as far as it is known that the world can give nothing else. A function of its own, so that all of it stays
    /// in registers.
    #[inline(never)]
    fn play_certain(&mut self, replay: &mut Replay<'_>) {
        let Self { planner, random, ready, .. } = self;
        let (mut here, mut time, mut last, mut poor_steps) = (self.here, self.time, None, 0);
        replay.play(|| {
            let ready = ready.get_mut(here as usize)?;
            if ready.left == 0 || !ready.is_certain {
                return None;
            }
            ready.left -= 1;
            poor_steps += u64::from(ready.under_visited_from <= time);
            planner.observe(ready.pair as usize, ready.reward, random);
            (last, here) = (Some(here), ready.next_number);
            time += 1;
            let Ready { known, reward, next, .. } = *ready;
            Some(CertainStep { known, reward, next })
        });
        if let Some(last) = last {
            self.last_pair = self.ready[last as usize].pair;
        }
        (self.here, self.time) = (here, time);
        self.poor_steps += poor_steps;
    }

    /// Records the steps that were counted for a state.
    #[inline]
    pub(super) fn settle(&mut self, number: u32) {
        let Some(ready) = self.ready.get_mut(number as usize).filter(|ready| ready.limit > 0)
        else {
            return;
        };
        let Ready { left, limit, pair, under_visited_from, .. } = std::mem::take(ready);
        let played = limit - left;
        self.counts.record_again(pair as usize, played);
        let played = u64::from(played);
        self.poor_steps_at_start += played * u64::from(under_visited_from <= self.plan_start);
    }

    pub(super) fn settle_all(&mut self) {
        while let Some(number) = self.is_ready.pop() {
            self.settle(number);
        }
    }
}

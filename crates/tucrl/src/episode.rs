//! When is it time to plan again?
//!
//! The loop that all model-based learners share (paper, algorithm TUCRL; ALGORITHMS 0.4): plan, act by the
//! plan, and before every action but the first ask whether the episode must end: when the pair about to be
//! played has been visited as often in this episode as before it (at least once), or, for TUCRL, when
//! the state had never been visited before the episode.
//!
//! The paper's figure continues while nu <= max(1, N); its proofs and the published code need
//! nu < max(1, N), which is what stands here.
//!
//! Reads `counts`, `planner`; feeds the agents and `run`. Departures: as just said.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::counts::{Counts, Variance};
use crate::inner_max::Values;
use crate::planner::{Plan, PlanError, Planner, Situation};
use crate::plausible::KnownRewards;
use crate::rng::RandomStream;
use crate::space::{ActionId, Space, StateId};

/// Why an episode ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum StopReason {
    /// A pair was about to be visited more often in the episode than before it.
    Doubling {
        /// The state of the pair.
        state: StateId,
        /// Its action.
        action: ActionId,
    },
    /// A state was met that had never been seen before.
    NewState {
        /// The state.
        state: StateId,
    },
    /// The episode came back to its own start, which it had been the first to visit.
    ReturnToNewStart {
        /// The state.
        state: StateId,
    },
    /// The run ended.
    Horizon,
}

/// The record of one episode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EpisodeRecord {
    /// The time of its first action, counted from 1.
    pub start: u64,
    /// How many actions it played.
    pub length: u64,
    /// Why it ended.
    pub stop: StopReason,
    /// States seen when it started.
    pub seen: u64,
    /// States never seen when it started.
    pub unseen: u64,
    /// Under-visited pairs when it started.
    pub under_visited: u64,
    /// Whether states never seen were planned on.
    pub planned_unseen: bool,
    /// The optimistic gain.
    pub gain: f64,
    /// The span of the optimistic bias over the planned states.
    pub span: f64,
    /// The same over the seen states.
    pub span_seen: f64,
    /// Sweeps of the plan.
    pub sweeps: u64,
    /// Exact evaluations of the plan.
    pub evaluations: u64,
}

impl EpisodeRecord {
    /// Whether both states never seen and under-visited pairs were left when the episode began; for
    /// TUCRL, whether it believed in the former. Others always do (see `planned_unseen`).
    pub fn is_exploratory(&self) -> bool {
        self.unseen > 0 && self.under_visited > 0
    }
}

/// An episodic learner: counts, a plan, and the loop.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Episodic<P> {
    planner: P,
    counts: Counts,
    random: RandomStream,
    /// The index of the action about to be played.
    time: u64,
    here: u32,
    /// The pair chosen by `act` and not yet paid for.
    chosen: Option<u32>,
    plan: Option<Plan>,
    /// The episode has ended and the next one is not planned yet.
    is_over: bool,
    episode_start: u64,
    episodes: Vec<EpisodeRecord>,
    /// Steps in pairs that were poorly visited at that time, and at the episode's start.
    poor_steps: u64,
    poor_steps_at_start: u64,
    sweeps: u64,
    /// True mean rewards, when they are known; supplied anew after a checkpoint is read.
    #[serde(skip)]
    known_rewards: Option<KnownMeans>,
    #[serde(skip)]
    plan_time: Duration,
}

/// The true mean reward of every pair, for learners that are told.
#[derive(Clone)]
pub struct KnownMeans(pub Arc<dyn Fn(StateId, ActionId) -> f64 + Send + Sync>);

impl std::fmt::Debug for KnownMeans {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("KnownMeans")
    }
}

impl<P: Planner> Episodic<P> {
    /// A learner that knows nothing but the space and stands in its first state.
    ///
    /// # Panics
    /// When the state is outside the space.
    pub fn new(
        planner: P,
        space: Space,
        variance: Variance,
        start: StateId,
        random: RandomStream,
    ) -> Self {
        let mut counts = Counts::new(space, variance);
        let here = counts.see(start);
        Self {
            planner,
            counts,
            random,
            time: 1,
            here,
            chosen: None,
            plan: None,
            is_over: false,
            episode_start: 1,
            episodes: Vec::new(),
            poor_steps: 0,
            poor_steps_at_start: 0,
            sweeps: 0,
            known_rewards: None,
            plan_time: Duration::ZERO,
        }
    }

    /// Tells the learner the true mean rewards.
    pub fn know_rewards(&mut self, means: KnownMeans) {
        self.known_rewards = Some(means);
    }

    /// The action to play now. Asking again without playing gives the same answer.
    ///
    /// # Errors
    /// When an episode begins and its plan does not converge; asking again plans again.
    #[inline]
    pub fn act(&mut self) -> Result<ActionId, PlanError> {
        if let Some(pair) = self.chosen {
            return Ok(pair - self.counts.pairs_of(self.here).start as u32);
        }
        let Some(plan) = self.plan.as_ref().filter(|_| !self.is_over) else {
            return self.begin_episode();
        };
        let action = draw(plan, &self.counts, self.here, &mut self.random);
        let pair = self.counts.pair(self.here, action);
        let stats = &self.counts.pairs()[pair];
        let is_first = self.time == self.episode_start;
        let is_new = self.planner.stops_at_new_states() && !self.counts.was_visited(self.here);
        if !is_first && (stats.visits >= stats.stop_at || is_new) {
            let state = self.counts.state(self.here);
            // A state seen when the plan was made has a choice; a later one has none.
            let was_seen = (self.here as usize) < plan.choices.len();
            self.end_episode(match (is_new, was_seen) {
                (false, _) => StopReason::Doubling { state, action },
                (true, true) => StopReason::ReturnToNewStart { state },
                (true, false) => StopReason::NewState { state },
            });
            return self.begin_episode();
        }
        self.chosen = Some(pair as u32);
        Ok(action)
    }

    #[cold]
    fn begin_episode(&mut self) -> Result<ActionId, PlanError> {
        let clock = Instant::now();
        let previous = self.plan.as_ref().map(|plan| Values {
            seen: plan.bias.clone(),
            unseen: plan.bias_unseen.unwrap_or(0.0),
        });
        let counts = &self.counts;
        let mean = self.known_rewards.as_ref().map(|KnownMeans(means)| {
            move |pair: usize| {
                let (state, action) = counts.owner(pair);
                means(state, action)
            }
        });
        let known: KnownRewards<'_> = mean.as_ref().map(|mean| mean as &dyn Fn(usize) -> f64);
        let now = Situation { counts, t_k: self.time, previous: previous.as_ref(), known };
        let plan = self.planner.plan(&now);
        self.plan_time += clock.elapsed();
        let plan = plan?;
        self.sweeps += plan.sweeps;
        self.episode_start = self.time;
        let action = draw(&plan, &self.counts, self.here, &mut self.random);
        self.chosen = Some(self.counts.pair(self.here, action) as u32);
        self.plan = Some(plan);
        self.is_over = false;
        Ok(action)
    }

    fn end_episode(&mut self, stop: StopReason) {
        if let Some(record) = self.record_so_far(stop) {
            self.episodes.push(record);
        }
        self.counts.freeze();
        self.is_over = true;
    }

    fn record_so_far(&self, stop: StopReason) -> Option<EpisodeRecord> {
        let plan = self.plan.as_ref().filter(|_| !self.is_over)?;
        let length = self.time - self.episode_start;
        (length > 0).then(|| EpisodeRecord {
            start: self.episode_start,
            length,
            stop,
            seen: plan.choices.len() as u64,
            unseen: plan.unseen,
            under_visited: plan.under_visited,
            planned_unseen: plan.bias_unseen.is_some(),
            gain: plan.gain(),
            span: plan.span(),
            span_seen: plan.span_seen(),
            sweeps: plan.sweeps,
            evaluations: plan.evaluations,
        })
    }

    /// Learns what the action of the last [`Episodic::act`] led to.
    ///
    /// # Panics
    /// When no action was asked for, or the state is outside the space.
    #[inline]
    pub fn observe(&mut self, reward: f64, next: StateId) {
        let Some(pair) = self.chosen.take() else { panic!("observe follows act") };
        let poor_from = self.counts.pairs()[pair as usize].poor_from;
        self.poor_steps += u64::from(poor_from <= self.time);
        self.poor_steps_at_start += u64::from(poor_from <= self.episode_start);
        let next = self.counts.see(next);
        self.counts.record(pair as usize, reward, next);
        self.here = next;
        self.time += 1;
    }

    /// What has been counted.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Says how many actions a state has, before it is first seen.
    pub fn tell_actions(&mut self, state: StateId, actions: u32) {
        self.counts.tell_actions(state, actions);
    }

    /// The present plan, once there is one.
    pub fn plan(&self) -> Option<&Plan> {
        self.plan.as_ref()
    }

    /// The planner and its options.
    pub fn planner(&self) -> &P {
        &self.planner
    }

    /// The index of the action about to be played, from 1.
    pub fn time(&self) -> u64 {
        self.time
    }

    /// The episodes that have ended, and the present one as if the run ended now.
    pub fn episodes(&self) -> impl Iterator<Item = EpisodeRecord> + '_ {
        self.episodes.iter().cloned().chain(self.record_so_far(StopReason::Horizon))
    }

    /// How many episodes have begun.
    pub fn episode_count(&self) -> usize {
        self.episodes.len() + usize::from(!self.is_over && self.time > self.episode_start)
    }

    /// Steps taken in pairs that were poorly visited when the step was taken.
    #[doc(alias = "Z")]
    pub fn poor_steps(&self) -> u64 {
        self.poor_steps
    }

    /// Steps taken in pairs that were poorly visited when their episode began.
    #[doc(alias = "Y")]
    pub fn poor_steps_at_start(&self) -> u64 {
        self.poor_steps_at_start
    }

    /// Time spent planning since the learner was made or read back.
    pub fn plan_time(&self) -> Duration {
        self.plan_time
    }

    /// Sweeps of all plans together.
    pub fn sweeps(&self) -> u64 {
        self.sweeps
    }
}

#[inline]
fn draw(plan: &Plan, counts: &Counts, here: u32, random: &mut RandomStream) -> ActionId {
    let Some(choice) = plan.choices.get(here as usize) else {
        // A state first seen in this episode: in the plan it was one of those never seen, whose actions
        // all tie. It may have fewer of them than the one that was picked needs.
        return plan.action_unseen % counts.pairs_of(here).len() as u32;
    };
    if choice.mix > 0.0 && random.chance(choice.mix) { choice.other } else { choice.action }
}

//! When is it time to plan again?
//!
//! The loop that all model-based learners share (paper, algorithm TUCRL; ALGORITHMS 0.4): plan, act by the
//! plan, and before every action but the first ask whether the episode must end: when the pair about to be
//! played has been visited as often in this episode as before it (at least once), or, for TUCRL, when
//! the state had never been visited before the episode.
//!
//! The paper's figure continues while nu <= max(1, N); its proofs and the published code need
//! nu < max(1, N), which is what stands here. Posterior sampling and REGAL.D have rules of their own:
//! [`Rule`] lists them all.
//!
//! Reads `counts`, `planner`; feeds the agents and `run`. Departures: as just said.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::counts::{Counts, Variance};
use crate::inner_max::Values;
use crate::planner::{Plan, PlanError, Planner, Rule, Situation};
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
    /// It was as long as it could be by its rule.
    Length,
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
    /// When counts were last frozen: the start of the episode, or of the first of its plans.
    frozen_since: u64,
    /// Plans of this episode before the present one.
    guess: u32,
    /// What was counted when the episode began, for rules that plan again before it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at_start: Option<Box<Counts>>,
    /// The pair played last.
    last: u32,
    /// Successes of the coins that rewards stand for, by pair, if the planner asks for them.
    successes: Vec<u64>,
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
            frozen_since: 1,
            guess: 0,
            at_start: None,
            last: 0,
            successes: Vec::new(),
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
        let rule = self.planner.rule();
        let is_first = self.time == self.episode_start;
        if !is_first && matches!(rule, Rule::Growing | Rule::PowersOfTwo | Rule::Guesses) {
            if let Some(stop) = self.reason_to_stop(rule) {
                self.end_episode(stop);
                return self.begin_episode();
            }
            if matches!(rule, Rule::Growing | Rule::PowersOfTwo) {
                let action = draw(plan, &self.counts, self.here, &mut self.random);
                self.chosen = Some(self.counts.pair(self.here, action) as u32);
                return Ok(action);
            }
        }
        let action = draw(plan, &self.counts, self.here, &mut self.random);
        let pair = self.counts.pair(self.here, action);
        let stats = &self.counts.pairs()[pair];
        let is_new = rule == Rule::NewStates && !self.counts.was_visited(self.here);
        if !is_first && (stats.visits >= stats.stop_at() || is_new) {
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

    /// Whether an episode that has begun ends before the next action is even chosen.
    fn reason_to_stop(&self, rule: Rule) -> Option<StopReason> {
        let length = self.time - self.episode_start;
        let is_long = match rule {
            Rule::Growing => length > self.last_length().unwrap_or(1),
            Rule::PowersOfTwo => self.time.is_power_of_two(),
            Rule::Guesses => length >= 1u64.checked_shl(self.guess).unwrap_or(u64::MAX),
            Rule::Doubling | Rule::NewStates => false,
        };
        let last = &self.counts.pairs()[self.last as usize];
        if rule == Rule::Growing && last.visits > 2 * last.visits_before() {
            let (state, action) = self.counts.owner(self.last as usize);
            return Some(StopReason::Doubling { state, action });
        }
        is_long.then_some(StopReason::Length)
    }

    fn last_length(&self) -> Option<u64> {
        self.episodes.last().map(|episode| episode.length)
    }

    #[cold]
    fn begin_episode(&mut self) -> Result<ActionId, PlanError> {
        let clock = Instant::now();
        let previous = self.plan.as_ref().map(|plan| Values {
            seen: plan.bias.clone(),
            unseen: plan.bias_unseen.unwrap_or(0.0),
        });
        if self.planner.rule() == Rule::Guesses && self.at_start.is_none() {
            self.at_start = Some(Box::new(self.counts.clone()));
        }
        let counts = self.at_start.as_deref().unwrap_or(&self.counts);
        let mean = self.known_rewards.as_ref().map(|KnownMeans(means)| {
            move |pair: usize| {
                let (state, action) = counts.owner(pair);
                means(state, action)
            }
        });
        let known: KnownRewards<'_> = mean.as_ref().map(|mean| mean as &dyn Fn(usize) -> f64);
        // A plan that fails has used no luck: who asks again stands where it stood.
        let mut random = self.random.clone();
        let tosses = self.planner.tosses_for().is_some();
        let now = Situation {
            counts,
            t_k: if self.guess == 0 { self.time } else { self.frozen_since },
            previous: previous.as_ref(),
            known,
            luck: if self.planner.samples() { random.bits() } else { 0 },
            successes: tosses.then_some(&self.successes[..]),
            last_length: self.last_length(),
            guess: self.guess,
        };
        let plan = self.planner.plan(&now);
        self.plan_time += clock.elapsed();
        let plan = plan?;
        let action = draw(&plan, &self.counts, self.here, &mut random);
        let pair = self.counts.pair(self.here, action);
        let stats = &self.counts.pairs()[pair];
        let is_exhausted = self.guess > 0 && stats.visits >= stats.stop_at();
        self.random = random;
        self.sweeps += plan.sweeps;
        if is_exhausted {
            // A later plan of an episode whose counts stand still may want a pair that is used up.
            self.close_episode();
            return self.begin_episode();
        }
        if self.guess == 0 {
            self.frozen_since = self.time;
        }
        self.episode_start = self.time;
        self.chosen = Some(pair as u32);
        self.plan = Some(plan);
        self.is_over = false;
        Ok(action)
    }

    fn end_episode(&mut self, stop: StopReason) {
        if let Some(record) = self.record_so_far(stop) {
            self.episodes.push(record);
        }
        self.is_over = true;
        if stop == StopReason::Length && self.planner.rule() == Rule::Guesses {
            self.guess += 1;
        } else {
            self.close_episode();
        }
    }

    /// What was counted becomes what is known.
    fn close_episode(&mut self) {
        self.counts.freeze();
        self.at_start = None;
        self.guess = 0;
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
        if let Some(sure) = self.planner.tosses_for() {
            self.toss(pair as usize, reward / sure);
        }
        let next = self.counts.see(next);
        self.counts.record(pair as usize, reward, next);
        self.last = pair;
        self.here = next;
        self.time += 1;
    }

    fn toss(&mut self, pair: usize, probability: f64) {
        self.successes.resize(self.counts.pairs().len(), 0);
        self.successes[pair] += u64::from(self.random.chance(probability));
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
        // A state first seen in this episode: in the plan it was one of those never seen. Where they are
        // told apart it has an action of its own; where they are not, its actions all tie, and it may have
        // fewer of them than the one that was picked needs.
        let state = counts.state(here);
        if let Ok(found) = plan.unseen_actions.binary_search_by_key(&state, |entry| entry.0) {
            return plan.unseen_actions[found].1;
        }
        return plan.action_unseen % counts.pairs_of(here).len() as u32;
    };
    if choice.mix > 0.0 && random.chance(choice.mix) { choice.other } else { choice.action }
}

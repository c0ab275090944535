//! How does an episodic learner decide when to plan again, and what to play until then?
//!
//! The loop that all model-based learners share (Fruit, Pirotta, Lazaric 2018, algorithm TUCRL): plan, act by the
//! plan, and before every action but the first ask the episode rule whether the episode must end. The planner and
//! the rule are traits; this file knows none of them by name.

mod ready;

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use self::ready::{LONG_BATCH, Ready};
use crate::clock::Stopwatch;
use crate::counts::Counts;
use crate::inner_max::Values;
use crate::learner::{Diary, Explanation, Learner, LoggedStep, Saved};
use crate::planner::{Choice, Plan, PlanError, PlanInput, Planner};
use crate::plausible::KnownRewards;
use crate::replay::Replay;
use crate::rng::RandomStream;
use crate::rules::{EpisodeRule, EpisodeView, StopReason, Verdict};
use crate::space::{ActionId, Space, StateId};

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
    /// The optimistic gain; a learner counts it from the lowest possible reward, the record of a run does not.
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
    /// TUCRL, whether it planned on the former. Other algorithms always plan on unseen states (see
    /// `planned_unseen`).
    pub fn is_exploratory(&self) -> bool {
        self.unseen > 0 && self.under_visited > 0
    }
}

/// An episodic learner: counts, a plan, and the loop.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Episodic<P> {
    planner: P,
    counts: Counts,
    random: RandomStream,
    /// The index of the action about to be played.
    time: u64,
    here: u32,
    /// The pair chosen by `act` and not yet observed.
    chosen: Option<u32>,
    plan: Option<Plan>,
    /// The episode has ended and the next one is not planned yet.
    is_over: bool,
    /// When the present plan was made.
    plan_start: u64,
    /// When counts were last frozen: the start of the episode.
    episode_start: u64,
    /// Plans of this episode before the present one.
    replans: u32,
    /// The pair played last.
    last_pair: u32,
    episodes: Vec<EpisodeRecord>,
    /// Steps in pairs that were poorly visited at that time, and when the plan was made.
    poor_steps: u64,
    poor_steps_at_start: u64,
    sweeps: u64,
    /// By pair: the start of the first plan since which it may not lead to states never seen; 0 if it may. Empty for
    /// planners without such a rule.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    given_up: Vec<u64>,
    /// True mean rewards, when they are known; supplied anew after a checkpoint is read.
    #[serde(skip)]
    known_rewards: Option<KnownMeans>,
    #[serde(skip)]
    plan_time: Duration,
    /// By number of state; empty except while a batch is played.
    #[serde(skip)]
    ready: Vec<Ready>,
    /// The states that have had one that is not idle.
    #[serde(skip)]
    is_ready: Vec<u32>,
    #[serde(skip)]
    plays_batch: bool,
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
    pub fn new(planner: P, space: Space, start: StateId, random: RandomStream) -> Self {
        let keeps_first = planner.keeps_first_visits(&space);
        let mut counts = Counts::new(space, planner.variance());
        if keeps_first {
            counts = counts.keeping_first_visits();
        }
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
            plan_start: 1,
            episode_start: 1,
            replans: 0,
            last_pair: 0,
            episodes: Vec::new(),
            poor_steps: 0,
            poor_steps_at_start: 0,
            sweeps: 0,
            given_up: Vec::new(),
            known_rewards: None,
            plan_time: Duration::ZERO,
            ready: Vec::new(),
            is_ready: Vec::new(),
            plays_batch: false,
        }
    }

    /// Tells the learner the true mean rewards.
    #[must_use]
    pub fn knowing(mut self, means: Option<KnownMeans>) -> Self {
        self.known_rewards = means;
        self
    }

    /// The action to play now. Asking again without playing gives the same answer.
    ///
    /// # Errors
    /// When an episode begins and its plan does not converge; asking again plans again.
    #[inline(always)]
    pub fn act(&mut self) -> Result<ActionId, PlanError> {
        if let Some(ready) = self.ready.get(self.here as usize)
            && ready.left > 0
        {
            self.chosen = Some(ready.pair);
            return Ok(ready.action);
        }
        match self.act_by_plan() {
            Some(action) => Ok(action),
            None => self.begin_episode(),
        }
    }

    /// The action to play now; `None` if the next episode must be planned first.
    #[inline(always)]
    fn act_by_plan(&mut self) -> Option<ActionId> {
        self.settle(self.here);
        if let Some(pair) = self.chosen {
            return Some(pair - self.counts.pairs_of(self.here).start as u32);
        }
        let plan = self.plan.as_ref().filter(|_| !self.is_over)?;
        let is_first = self.time == self.plan_start;
        let rule = self.planner.rule();
        if !is_first {
            let verdict = rule.before_choice(&self.view(plan));
            if verdict != Verdict::Continue {
                self.apply(verdict);
                return None;
            }
        }
        let action = draw(plan, &self.counts, self.here, &mut self.random);
        let pair = self.counts.pair(self.here, action);
        if !is_first {
            let verdict = rule.before_pair(&self.view(plan), pair);
            if verdict != Verdict::Continue {
                self.apply(verdict);
                return None;
            }
        }
        self.chosen = Some(pair as u32);
        Some(action)
    }

    #[inline]
    fn view(&self, plan: &Plan) -> EpisodeView<'_> {
        EpisodeView {
            counts: &self.counts,
            here: self.here,
            time: self.time,
            length: self.time - self.plan_start,
            last_length: self.last_length(),
            last_pair: self.last_pair as usize,
            planned: plan.choices.len(),
            replans: self.replans,
        }
    }

    #[inline]
    fn last_length(&self) -> Option<u64> {
        self.episodes.last().map(|episode| episode.length)
    }

    /// Ends the episode, or only its plan.
    #[cold]
    fn apply(&mut self, verdict: Verdict) {
        let (Verdict::Replan(stop) | Verdict::End(stop)) = verdict else { return };
        self.settle_all();
        self.episodes.extend(self.present(stop));
        self.is_over = true;
        match verdict {
            Verdict::Replan(_) => self.replans += 1,
            _ => self.close_episode(),
        }
    }

    #[cold]
    fn begin_episode(&mut self) -> Result<ActionId, PlanError> {
        let clock = Stopwatch::start();
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
        // Clone the RNG so that a failed plan leaves its state unchanged.
        let mut random = self.random.clone();
        let mut now = PlanInput {
            counts,
            t_k: if self.replans == 0 { self.time } else { self.episode_start },
            previous: previous.as_ref(),
            known,
            random: &mut random,
            last_length: self.last_length(),
            replans: self.replans,
        };
        let plan = self.planner.plan(&mut now);
        self.plan_time += clock.elapsed();
        let plan = plan?;
        let action = draw(&plan, &self.counts, self.here, &mut random);
        let pair = self.counts.pair(self.here, action);
        self.random = random;
        self.sweeps += plan.sweeps;
        if self.replans > 0 {
            // The new plan may choose a pair whose visits have doubled already; then the episode ends here.
            let verdict = self.planner.rule().before_pair(&self.view(&plan), pair);
            if verdict != Verdict::Continue {
                self.close_episode();
                return self.begin_episode();
            }
        } else {
            self.episode_start = self.time;
        }
        self.plan_start = self.time;
        self.chosen = Some(pair as u32);
        self.note_given_up(&plan);
        self.plan = Some(plan);
        self.is_over = false;
        Ok(action)
    }

    /// Notes which pairs a plan does not let lead to states never seen.
    fn note_given_up(&mut self, plan: &Plan) {
        if !self.planner.gives_up() {
            return;
        }
        self.given_up.resize(self.counts.pairs().len(), 0);
        let (threshold, seen) = (self.planner.threshold(), plan.choices.len());
        let most_visits = threshold.most_visits(&self.counts, seen, self.plan_start);
        for (since, stats) in self.given_up.iter_mut().zip(self.counts.pairs()) {
            *since = match plan.unseen > 0 && stats.visits_less_one() > most_visits {
                true if *since > 0 => *since,
                true => self.plan_start,
                false => 0,
            };
        }
    }

    /// What an episode that started now would assume about the pairs of a state; nothing for states never seen.
    pub fn explain(&self, state: StateId) -> Vec<Explanation> {
        let Some(number) = self.counts.number(state) else { return Vec::new() };
        let mut counts = self.counts.clone();
        counts.freeze();
        let planned = self.plan.as_ref().and_then(|plan| plan.choices.get(number as usize));
        let first = counts.pairs_of(number).start;
        let explain = |pair: usize| {
            let (stats, action) = (&counts.pairs()[pair], (pair - first) as u32);
            let from = self.planner.threshold().under_visited_from(&counts, stats, counts.seen());
            let since = self.given_up.get(pair).copied().filter(|&since| since > 0);
            let less_one = stats.visits_less_one() as f64;
            // N± at the threshold: from = N±² S A.
            let threshold = less_one * (self.time as f64 / from as f64).sqrt();
            Explanation {
                action,
                is_planned: planned.is_some_and(|choice| {
                    choice.action == action || (choice.mix > 0.0 && choice.other == action)
                }),
                visits: stats.visits_before(),
                next_states: stats.observed(),
                threshold: self.planner.gives_up().then_some(threshold),
                outlook: self.planner.outlook(&counts, self.time, pair),
                given_up_since: since,
                reconsidered_from: since.map(|_| from),
            }
        };
        counts.pairs_of(number).map(explain).collect()
    }

    fn close_episode(&mut self) {
        self.counts.freeze();
        self.replans = 0;
    }

    /// The record of the present episode as if it ended now; none before its first action.
    fn present(&self, stop: StopReason) -> Option<EpisodeRecord> {
        let plan = self.plan.as_ref().filter(|_| !self.is_over)?;
        let length = self.time - self.plan_start;
        (length > 0).then(|| EpisodeRecord {
            start: self.plan_start,
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
    #[inline(always)]
    pub fn observe(&mut self, reward: f64, next: StateId) {
        let Some(pair) = self.chosen.take() else { panic!("observe follows act") };
        if let Some(ready) = self.ready.get_mut(self.here as usize)
            && ready.left > 0
            && ready.next == next
            && ready.reward == reward
        {
            ready.left -= 1;
            self.here = ready.next_number;
            self.poor_steps += u64::from(ready.under_visited_from <= self.time);
            self.planner.observe(pair as usize, reward, &mut self.random);
        } else {
            self.record(pair, reward, next);
        }
        self.last_pair = pair;
        self.time += 1;
    }

    /// Records a step to `next`.
    #[inline(always)]
    fn record(&mut self, pair: u32, reward: f64, next: StateId) {
        self.settle(self.here);
        let from = self.under_visited_from(pair);
        self.poor_steps += u64::from(from <= self.time);
        self.poor_steps_at_start += u64::from(from <= self.plan_start);
        self.planner.observe(pair as usize, reward, &mut self.random);
        let number = self.counts.see(next);
        self.counts.record(pair as usize, reward, number);
        if self.plays_batch {
            self.make_ready(pair, next);
        }
        self.here = number;
    }

    /// The time from which on a pair is under-visited.
    #[inline]
    fn under_visited_from(&self, pair: u32) -> u64 {
        let seen = self.plan.as_ref().map_or(0, |plan| plan.choices.len());
        let stats = &self.counts.pairs()[pair as usize];
        self.planner.threshold().under_visited_from(&self.counts, stats, seen)
    }

    /// What has been counted.
    pub fn counts(&self) -> &Counts {
        &self.counts
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
        self.episodes.iter().cloned().chain(self.present(StopReason::Horizon))
    }
}

impl<P> Learner for Episodic<P>
where
    P: Planner + Serialize + Send + Sync,
{
    #[inline]
    fn act(&mut self) -> Result<ActionId, PlanError> {
        Self::act(self)
    }

    fn act_without_planning(&mut self) -> Option<ActionId> {
        self.act_by_plan()
    }

    fn remarks(&self) -> Vec<String> {
        self.planner.remarks()
    }

    #[inline]
    fn observe(&mut self, reward: f64, next: StateId) {
        Self::observe(self, reward, next);
    }

    fn tell_actions(&mut self, state: StateId, actions: u32) {
        self.counts.tell_actions(state, actions);
    }

    fn absorb(&mut self, log: &[LoggedStep]) -> bool {
        if self.plan.is_some() {
            return false;
        }
        for step in log {
            let state = self.counts.see(step.state);
            let pair = self.counts.pair(state, step.action);
            self.planner.observe(pair, step.reward, &mut self.random);
            let next = self.counts.see(step.next);
            self.counts.record(pair, step.reward, next);
            self.here = next;
        }
        self.counts.freeze();
        self.time += log.len() as u64;
        (self.plan_start, self.episode_start) = (self.time, self.time);
        true
    }

    fn stand_in(&mut self, state: StateId) -> bool {
        if self.plan.is_none() {
            self.here = self.counts.see(state);
        }
        self.plan.is_none()
    }

    fn would_play(&self, state: StateId) -> Option<Choice> {
        self.plan.as_ref()?.choices.get(self.counts.number(state)? as usize).copied()
    }

    fn diary(&self) -> Diary<'_> {
        let is_under_way = !self.is_over && self.time > self.plan_start;
        Diary {
            counts: Some(&self.counts),
            plan: self.plan.as_ref(),
            ended_episodes: &self.episodes,
            is_under_way,
            poor_steps: self.poor_steps,
            poor_steps_at_start: self.poor_steps_at_start,
            sweeps: self.sweeps,
            plan_time: self.plan_time,
        }
    }

    fn present_episode(&self) -> Option<EpisodeRecord> {
        self.present(StopReason::Horizon)
    }

    fn explain(&self, state: StateId) -> Option<Vec<Explanation>> {
        Some(Self::explain(self, state))
    }

    fn save(&self) -> Option<Saved> {
        Saved::of(self)
    }

    fn begin_batch(&mut self, steps: u64) {
        self.plays_batch = steps >= LONG_BATCH;
    }

    fn end_batch(&mut self) {
        self.plays_batch = false;
        self.settle_all();
    }

    #[inline]
    fn replay(&mut self, replay: &mut Replay<'_>) {
        self.play_ready(replay);
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

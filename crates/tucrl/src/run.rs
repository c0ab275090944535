//! What did one agent earn in one world with one seed?
//!
//! One run: gap regret, which is the sum of the Bellman gaps of the pairs played, regret T g* - sum of rewards and
//! pseudo-regret T g* - sum of mean rewards at requested times, a record per episode, the counters Z and Y, and final counts. A run can be stopped after any step, stored and
//! continued, if its learner can be saved: sums are kept in blocks that do not depend on where it was stopped, and
//! every random number comes from two streams that belong to the run, so it ends the same to the last bit. Memory
//! does not grow with the number of steps.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::clock::Stopwatch;
use crate::env::WalkState;
use crate::episode::EpisodeRecord;
use crate::exploration::{ExplorationLoss, Explorations};
use crate::gaps::Gaps;
use crate::generator::GeneratorError;
use crate::learner::{AgentError, Algorithm, Learner, Saved, Setting, Start};
use crate::math;
use crate::model::{Batch, Model, ModelWalk, PlayError};
use crate::planner::PlanError;
use crate::replay::Earned;
use crate::rng::{Purpose, RandomStream};
use crate::space::StateId;
use crate::truth::Truth;

/// Steps whose rewards are summed before they are added to the total: small sums keep their digits.
const BLOCK: u64 = 1 << 16;

/// At which times regret is written down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Checkpoints {
    /// This many per decade, evenly on a log scale, and the last step.
    PerDecade(u32),
    /// This many, evenly spaced, the last one at the last step.
    Even(u64),
    /// At these times, and the last step. Clones share the list: an experiment may have a million runs.
    At(Arc<[u64]>),
}

impl Checkpoints {
    /// At these times, and the last step.
    pub fn at(times: impl Into<Arc<[u64]>>) -> Self {
        Self::At(times.into())
    }

    /// The times, increasing, each once, none beyond `steps`, the last one `steps`.
    pub fn times(&self, steps: u64) -> Vec<u64> {
        let mut times: Vec<u64> = match self {
            Self::PerDecade(count) => {
                let count = f64::from((*count).max(1));
                let last = (math::log10(steps.max(1) as f64) * count).ceil() as u32;
                (0..=last).map(|i| math::powf(10.0, f64::from(i) / count).round() as u64).collect()
            }
            Self::Even(count) => {
                let count = (*count).clamp(1, steps.max(1));
                (1..=count)
                    .map(|i| (u128::from(steps) * u128::from(i) / u128::from(count)) as u64)
                    .collect()
            }
            Self::At(times) => times.to_vec(),
        };
        times.push(steps);
        times.retain(|&time| time > 0 && time <= steps);
        times.sort_unstable();
        times.dedup();
        times
    }
}

/// How long a run is, what it writes down, and its seeds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunSpec {
    /// How many steps.
    pub steps: u64,
    /// When regret is written down.
    pub checkpoints: Checkpoints,
    /// The seed of the experiment.
    pub master_seed: u64,
    /// Which run of the experiment.
    pub run: u64,
}

/// Why a run could not start or go on.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum RunError {
    /// The agent could not be made.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// A plan failed.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The world is given by a generator, and the generator is wrong.
    #[error(transparent)]
    World(#[from] GeneratorError),
    /// The world of the run could not be built or solved.
    #[error("the world could not be prepared: {message}")]
    Unprepared {
        /// Why, and what to change.
        message: String,
    },
    /// A panic inside a run, caught so that other runs go on.
    #[error(
        "the run panicked: {message}; if learner and world come with tucrl, please report it with the spec and the seed"
    )]
    Bug {
        /// The message of the panic.
        message: String,
    },
}

/// Which case of the paper's analysis an episode belongs to, judged by the truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Case {
    /// Every state of the space has been seen.
    Plain,
    /// Exactly the reachable states have been seen.
    CaseI,
    /// Something reachable is unseen, and the plan has transitions to unseen states.
    CaseII,
    /// Something reachable is unseen, and nothing leads there in the plan.
    Missed,
}

impl From<PlayError> for RunError {
    fn from(error: PlayError) -> Self {
        match error {
            PlayError::Plan(error) => Self::Plan(error),
            PlayError::World(error) => Self::World(error),
        }
    }
}

impl Case {
    /// The label of an episode.
    pub fn of(episode: &EpisodeRecord, reachable: u64) -> Self {
        if episode.unseen == 0 {
            Self::Plain
        } else if episode.seen == reachable {
            Self::CaseI
        } else if episode.planned_unseen {
            Self::CaseII
        } else {
            Self::Missed
        }
    }
}

/// The outcome of a run so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Steps taken.
    pub steps: u64,
    /// The optimal gain that regret is measured against, like those of the episodes in the world's own units.
    pub gain: f64,
    /// Regret at the checkpoints passed.
    pub regret: Vec<(u64, f64)>,
    /// Pseudo-regret at the checkpoints passed.
    pub pseudo_regret: Vec<(u64, f64)>,
    /// The sum of Bellman gaps at the checkpoints passed; `None` where they are not known, and in records made before
    /// they were kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap_regret: Option<Vec<(u64, f64)>>,
    /// Σ (T - t) λ(s_t, a_t) at the checkpoints T passed: what the gain lost for good by the steps t up to T costs up
    /// to T, in expectation; `None` where no reachable pair loses gain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gain_lost: Option<Vec<(u64, f64)>>,
    /// What was lost after exploration times, if that was asked for and is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exploration: Option<ExplorationLoss>,
    /// The episodes, with their labels.
    pub episodes: Vec<(EpisodeRecord, Case)>,
    /// States seen.
    pub seen: u64,
    /// Steps in pairs poorly visited at that time.
    pub z: u64,
    /// The same at the checkpoints passed; empty in records made before it was kept.
    #[serde(default)]
    pub z_over_time: Vec<(u64, u64)>,
    /// Steps in pairs poorly visited at the start of the episode.
    pub y: u64,
    /// Sweeps of all plans.
    pub sweeps: u64,
    /// Visits at the end, as `(state, action, visits)`, in order of first sight.
    pub visits: Vec<(u64, u32, u64)>,
    /// What the learner says that a reader of its results should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

/// A run under way.
pub struct Run {
    spec: RunSpec,
    algorithm: Arc<dyn Algorithm>,
    truth: Arc<Truth>,
    /// The gaps of the world; `None` where they are not known, or the truth is that of another world.
    gaps: Option<Arc<Gaps>>,
    times: Vec<u64>,
    walk: ModelWalk,
    learner: Box<dyn Learner>,
    sums: Sums,
    elapsed: Duration,
    lends_world: bool,
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (spec, taken) = (&self.spec, self.sums.taken);
        write!(f, "Run({:?}, {spec:?}, {taken} steps taken)", self.algorithm)
    }
}

/// All of a run that changes while it goes on, for a checkpoint.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunState {
    /// All options of the algorithm.
    options: serde_json::Value,
    learner: Saved,
    walk: WalkState,
    sums: Sums,
}

impl RunState {
    /// Steps taken.
    pub fn taken(&self) -> u64 {
        self.sums.taken
    }

    /// All options of the algorithm with their values.
    pub fn options(&self) -> &serde_json::Value {
        &self.options
    }

    /// The present state of the world.
    pub fn state(&self) -> StateId {
        self.walk.state()
    }

    /// The learner as it was.
    pub fn learner(&self) -> &Saved {
        &self.learner
    }
}

/// What a run has earned.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Sums {
    /// Steps taken.
    taken: u64,
    reward: Sum,
    mean_reward: Sum,
    gap: Sum,
    gain_loss: Sum,
    timed_gain_loss: Sum,
    regret: Vec<(u64, f64)>,
    pseudo_regret: Vec<(u64, f64)>,
    gap_regret: Vec<(u64, f64)>,
    gain_lost: Vec<(u64, f64)>,
    z_over_time: Vec<(u64, u64)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    exploration: Option<Box<Explorations>>,
}

/// A long sum in blocks.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Sum {
    total: f64,
    block: f64,
}

impl Sum {
    fn value(self) -> f64 {
        self.total + self.block
    }

    fn close_block(&mut self) {
        self.total += self.block;
        self.block = 0.0;
    }
}

impl Sums {
    fn block(&self) -> Earned {
        Earned {
            reward: self.reward.block,
            mean_reward: self.mean_reward.block,
            gap: self.gap.block,
            gain_loss: self.gain_loss.block,
            timed_gain_loss: self.timed_gain_loss.block,
        }
    }

    fn set_block(&mut self, earned: Earned) {
        self.reward.block = earned.reward;
        self.mean_reward.block = earned.mean_reward;
        self.gap.block = earned.gap;
        self.gain_loss.block = earned.gain_loss;
        self.timed_gain_loss.block = earned.timed_gain_loss;
    }

    fn close_block(&mut self) {
        self.reward.close_block();
        self.mean_reward.close_block();
        self.gap.close_block();
        self.gain_loss.close_block();
        self.timed_gain_loss.close_block();
    }

    /// A checkpoint.
    fn write_down(&mut self, truth: &Truth, gaps: Option<&Gaps>, poor_steps: u64) {
        let (time, steps) = (self.taken, self.taken as f64);
        let best = steps * truth.gain_above_lowest();
        self.regret.push((time, best - self.reward.value()));
        self.pseudo_regret.push((time, best - self.mean_reward.value()));
        self.z_over_time.push((time, poor_steps));
        let Some(gaps) = gaps else { return };
        self.gap_regret.push((time, self.gap.value()));
        if !gaps.gain_losses().is_empty() {
            let lost = steps * self.gain_loss.value() - self.timed_gain_loss.value();
            self.gain_lost.push((time, lost));
        }
    }
}

impl Run {
    /// Prepares a run.
    ///
    /// # Errors
    /// When an option of the algorithm is refused or it needs what the world cannot tell, or the generator is wrong.
    pub fn new(
        spec: RunSpec,
        algorithm: Arc<dyn Algorithm>,
        model: &Model,
        truth: Arc<Truth>,
    ) -> Result<Self, RunError> {
        let world = RandomStream::of_run(spec.master_seed, spec.run, Purpose::World);
        let own = RandomStream::of_run(spec.master_seed, spec.run, Purpose::Agent);
        let walk = ModelWalk::new(model, world)?;
        let setting = setting(&spec, model, &truth);
        let start = Start { setting: &setting, state: walk.state(), random: own };
        let learner = algorithm.start(start)?;
        let times = spec.checkpoints.times(spec.steps);
        let (sums, elapsed, lends_world) = (Sums::default(), Duration::ZERO, false);
        let gaps = gaps(&truth, model);
        Ok(Self { spec, algorithm, truth, gaps, times, walk, learner, sums, elapsed, lends_world })
    }

    /// Continues a run from a stored state.
    ///
    /// # Errors
    /// When the algorithm cannot be restored, or the state is that of another algorithm, other options or another
    /// world.
    pub fn resume(
        spec: RunSpec,
        algorithm: Arc<dyn Algorithm>,
        model: &Model,
        truth: Arc<Truth>,
        state: RunState,
    ) -> Result<Self, RunError> {
        let setting = setting(&spec, model, &truth);
        if state.walk.state() >= setting.space.states() {
            let reason = format!("state {} is outside this world", state.walk.state());
            return Err(AgentError::Checkpoint { reason }.into());
        }
        let learner = algorithm.restore(&setting, &state.learner)?;
        if state.options != algorithm.options() {
            let reason = "its algorithm has other options".into();
            return Err(AgentError::Checkpoint { reason }.into());
        }
        let walk = ModelWalk::resume(model, state.walk);
        let times = spec.checkpoints.times(spec.steps);
        let (sums, elapsed, lends_world) = (state.sums, Duration::ZERO, false);
        let gaps = gaps(&truth, model);
        Ok(Self { spec, algorithm, truth, gaps, times, walk, learner, sums, elapsed, lends_world })
    }

    /// Measures what is lost after exploration times from now on, where Bellman gaps are known; runs are slower.
    pub fn watch_exploration(&mut self) {
        if self.gaps.is_some() && self.sums.exploration.is_none() {
            self.sums.exploration = Some(Box::new(Explorations::new(self.spec.steps)));
        }
    }

    /// Lends the world to the learner, which walks in a copy of it in another process
    /// ([`Batch::lent_world`](crate::model::Batch::lent_world)). That is for the owner of the run to decide; a learner that
    /// was not lent the world cannot see it.
    pub fn lend_world(&mut self) {
        self.lends_world = true;
    }

    /// Goes on until `time` steps have been taken in all, or the run is complete.
    ///
    /// # Errors
    /// When a plan fails; the run is as it was before that plan.
    pub fn advance(&mut self, time: u64) -> Result<(), RunError> {
        let goal = time.min(self.spec.steps);
        let clock = Stopwatch::start();
        let planned = self.learner.diary().plan_time;
        let mut outcome = Ok(());
        while self.sums.taken < goal && outcome.is_ok() {
            let next_time = self.times.partition_point(|&time| time <= self.sums.taken);
            let checkpoint = self.times.get(next_time).copied().unwrap_or(goal);
            let block_end = (self.sums.taken / BLOCK + 1) * BLOCK;
            let sums = &mut self.sums;
            let mut until = goal.min(checkpoint).min(block_end);
            if sums.exploration.is_some() {
                until = sums.taken + 1;
            }
            let state = self.walk.state();
            let mut batch = Batch {
                walk: &mut self.walk,
                taken: sums.taken,
                until,
                gaps: self.gaps.as_deref(),
                earned: sums.block(),
                lends_world: self.lends_world,
            };
            outcome = self.learner.play(&mut batch);
            sums.taken = batch.taken;
            sums.set_block(batch.earned);
            if let (Some(explorations), Some(gaps), Ok(())) =
                (&mut sums.exploration, &self.gaps, &outcome)
            {
                let total = sums.gap.value();
                explorations.step(sums.taken, state, total, &self.learner.diary(), gaps);
            }
            if sums.taken == checkpoint {
                let poor_steps = self.learner.diary().poor_steps;
                sums.write_down(&self.truth, self.gaps.as_deref(), poor_steps);
            }
            if sums.taken == block_end {
                sums.close_block();
            }
        }
        let spent_planning = self.learner.diary().plan_time - planned;
        self.elapsed += clock.elapsed().saturating_sub(spent_planning);
        Ok(outcome?)
    }

    /// Whether all steps have been taken.
    pub fn is_complete(&self) -> bool {
        self.sums.taken >= self.spec.steps
    }

    /// Steps taken so far.
    pub fn taken(&self) -> u64 {
        self.sums.taken
    }

    /// The present state of the world.
    pub fn position(&self) -> StateId {
        self.walk.state()
    }

    /// Gap regret up to now; `None` where gaps are not known. Gain lost for good is added.
    pub fn gap_regret(&self) -> Option<f64> {
        let (sums, steps) = (&self.sums, self.sums.taken as f64);
        self.gaps.as_ref()?;
        let lost = steps * sums.gain_loss.value() - sums.timed_gain_loss.value();
        Some(sums.gap.value() + lost)
    }

    /// Regret up to now.
    pub fn regret(&self) -> f64 {
        self.sums.taken as f64 * self.truth.gain_above_lowest() - self.sums.reward.value()
    }

    /// Steps, checkpoints and seeds.
    pub fn spec(&self) -> &RunSpec {
        &self.spec
    }

    /// The algorithm and its options.
    pub fn algorithm(&self) -> &Arc<dyn Algorithm> {
        &self.algorithm
    }

    /// The learner at work.
    pub fn learner(&self) -> &dyn Learner {
        &*self.learner
    }

    /// All that changes, for a checkpoint; `None` if the learner cannot be saved.
    pub fn state(&self) -> Option<RunState> {
        Some(RunState {
            options: self.algorithm.options(),
            learner: self.learner.save()?,
            walk: self.walk.saved()?,
            sums: self.sums.clone(),
        })
    }

    /// Time spent simulating and planning by this process.
    pub fn clocks(&self) -> (Duration, Duration) {
        (self.elapsed, self.learner.diary().plan_time)
    }

    /// The record of the run so far.
    pub fn record(&self) -> RunRecord {
        let (sums, diary) = (&self.sums, self.learner.diary());
        let reachable = self.truth.facts().reachable;
        let ended = diary.ended_episodes.iter().cloned();
        let range = self.truth.facts().reward_range();
        let episodes = ended.chain(self.learner.present_episode()).map(|mut episode| {
            episode.gain = range.in_own_units(episode.gain);
            let case = Case::of(&episode, reachable);
            (episode, case)
        });
        let mut visits = Vec::new();
        if let Some(counts) = diary.counts {
            for pair in 0..counts.pairs().len() {
                let (owner, action) = counts.owner(pair);
                visits.push((owner, action, counts.visits(pair)));
            }
        }
        RunRecord {
            steps: sums.taken,
            gain: self.truth.gain(),
            regret: sums.regret.clone(),
            pseudo_regret: sums.pseudo_regret.clone(),
            gap_regret: self.gaps.as_ref().map(|_| sums.gap_regret.clone()),
            gain_lost: (!sums.gain_lost.is_empty()).then(|| sums.gain_lost.clone()),
            exploration: sums.exploration.as_ref().map(|explorations| explorations.loss()),
            episodes: episodes.collect(),
            seen: diary.counts.map_or(0, |counts| counts.seen() as u64),
            z: diary.poor_steps,
            z_over_time: sums.z_over_time.clone(),
            y: diary.poor_steps_at_start,
            sweeps: diary.sweeps,
            visits,
            remarks: self.learner.remarks(),
        }
    }
}

/// The gaps of the world; `None` where they are not known, or the truth is that of another world.
fn gaps(truth: &Truth, model: &Model) -> Option<Arc<Gaps>> {
    let table = match model {
        Model::Table(mdp) => Some(&**mdp),
        Model::Generated(_) => None,
    };
    truth.gaps().filter(|gaps| gaps.fit(table)).cloned()
}

/// What the algorithm of a run may know.
fn setting(spec: &RunSpec, model: &Model, truth: &Truth) -> Setting {
    let (space, r_max, steps) = (model.space(), model.r_max(), spec.steps);
    Setting { space, r_max, steps, knowledge: truth.knowledge(model) }
}

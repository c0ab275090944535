//! What did one agent earn in one world with one seed?
//!
//! One run: regret T g* - sum of rewards and pseudo-regret T g* - sum of mean rewards at requested times,
//! a record per episode, the counters Z and Y, and final counts (ALGORITHMS 0.1, 0.5, 2.6). A run can be
//! stopped after any step, written down and continued: sums are kept in blocks that do not depend on where
//! it was stopped, and every random number comes from two streams that belong to the run, so it ends the
//! same to the last bit. Memory does not grow with the number of steps.
//!
//! Reads `env`, `model`, `agents`; feeds the laboratory. Departures from the paper: none.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::agents::{Agent, AgentError, Algorithm, Knowledge, Learner, RuleOfThumb, with_learner};
use crate::env::{Environment, WalkState};
use crate::episode::{EpisodeRecord, KnownMeans};
use crate::generator::GeneratorError;
use crate::model::{Model, Stroll};
use crate::planner::PlanError;
use crate::policy::Policy;
use crate::rng::{Purpose, RandomStream};
use crate::space::StateId;

/// Steps whose rewards are summed before they are added to the total: small sums keep their digits.
const BLOCK: u64 = 1 << 16;

/// At which times regret is written down.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Checkpoints {
    /// So many a decade, evenly on a log scale, and the last step.
    PerDecade(u32),
    /// So many, evenly spaced, the last one at the last step.
    Even(u64),
    /// At these times, and the last step.
    At(Vec<u64>),
}

impl Checkpoints {
    /// The times, increasing, each once, none beyond `steps`, the last one `steps`.
    pub fn times(&self, steps: u64) -> Vec<u64> {
        let mut times: Vec<u64> = match self {
            Self::PerDecade(count) => {
                let count = f64::from((*count).max(1));
                let last = ((steps.max(1) as f64).log10() * count).ceil() as u32;
                (0..=last).map(|i| 10f64.powf(f64::from(i) / count).round() as u64).collect()
            }
            Self::Even(count) => {
                let count = (*count).clamp(1, steps.max(1));
                (1..=count)
                    .map(|i| (u128::from(steps) * u128::from(i) / u128::from(count)) as u64)
                    .collect()
            }
            Self::At(times) => times.clone(),
        };
        times.push(steps);
        times.retain(|&time| time > 0 && time <= steps);
        times.sort_unstable();
        times.dedup();
        times
    }
}

/// What is true of the world, for measuring; learners do not see it.
#[derive(Debug, Clone)]
pub struct Truth {
    /// The optimal gain from the start.
    pub gain: f64,
    /// How many states can be reached.
    pub reachable: u64,
    /// An optimal policy, for the oracle.
    pub optimal_policy: Policy,
}

/// One agent, one world, one seed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunSpec {
    /// The algorithm and its options.
    pub algorithm: Algorithm,
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
    /// The world is given by a rule, and the rule is wrong.
    #[error(transparent)]
    World(#[from] GeneratorError),
    /// Something that cannot happen did; for whoever runs many runs and must not lose the others.
    #[error("a bug in tucrl: {message}; please report it with the spec and the seed of the run")]
    Bug {
        /// What the code complained about.
        message: String,
    },
}

/// What an episode was, judged by the truth (ALGORITHMS 2.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Case {
    /// Every state of the space has been seen.
    Plain,
    /// Exactly the reachable states have been seen.
    CaseI,
    /// Something reachable is unseen, and transitions to unseen states are believed in.
    CaseII,
    /// Something reachable is unseen, and nothing leads there in the plan.
    Missed,
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
    /// The optimal gain that regret is measured against.
    pub gain: f64,
    /// Regret at the checkpoints passed.
    pub regret: Vec<(u64, f64)>,
    /// Pseudo-regret at the checkpoints passed.
    pub pseudo_regret: Vec<(u64, f64)>,
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
}

/// A run under way.
#[derive(Debug, Clone)]
pub struct Run {
    spec: RunSpec,
    truth: Truth,
    times: Vec<u64>,
    walk: Stroll,
    state: RunState,
    elapsed: Duration,
}

/// All of a run that changes while it goes on; what a checkpoint stores.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunState {
    agent: Agent,
    walk: WalkState,
    /// Steps taken.
    taken: u64,
    reward: Sum,
    mean_reward: Sum,
    regret: Vec<(u64, f64)>,
    pseudo_regret: Vec<(u64, f64)>,
    z_over_time: Vec<(u64, u64)>,
}

impl RunState {
    /// Where the run stood when the state was taken, and the agent as it was then.
    pub fn into_agent(self) -> (StateId, Agent) {
        (self.walk.state(), self.agent)
    }
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

impl Run {
    /// Prepares a run.
    ///
    /// # Errors
    /// When an option of the agent is out of range or it needs what cannot be told, or the world's rule
    /// is wrong.
    pub fn new(spec: RunSpec, model: impl Into<Model>, truth: Truth) -> Result<Self, RunError> {
        let model = model.into();
        if let Some(r_max) = spec.algorithm.r_max().filter(|&r_max| r_max < model.r_max()) {
            // Optimism that is capped below what the world can pay is none.
            let (option, value) = ("r_max", r_max.to_string());
            let expected = "at least the largest reward of the world";
            return Err(AgentError::Option { option, value, expected }.into());
        }
        let world = RandomStream::of_run(spec.master_seed, spec.run, Purpose::World);
        let own = RandomStream::of_run(spec.master_seed, spec.run, Purpose::Agent);
        let knowledge = knowledge(&model, &truth);
        let walk = Stroll::new(&model, world)?;
        let agent = spec.algorithm.start(walk.space().clone(), walk.state(), own, &knowledge)?;
        let state = RunState {
            agent,
            walk: walk.position().clone(),
            taken: 0,
            reward: Sum::default(),
            mean_reward: Sum::default(),
            regret: Vec::new(),
            pseudo_regret: Vec::new(),
            z_over_time: Vec::new(),
        };
        let times = spec.checkpoints.times(spec.steps);
        Ok(Self { spec, truth, times, walk, state, elapsed: Duration::ZERO })
    }

    /// Continues a run from a stored state.
    ///
    /// # Errors
    /// When the agent needs what cannot be told.
    ///
    /// # Panics
    /// When the state belongs to another model.
    pub fn resume(
        spec: RunSpec,
        model: impl Into<Model>,
        truth: Truth,
        mut state: RunState,
    ) -> Result<Self, RunError> {
        let model = model.into();
        state.agent.inform(&spec.algorithm, &knowledge(&model, &truth))?;
        let walk = Stroll::resume(&model, state.walk.clone());
        let times = spec.checkpoints.times(spec.steps);
        Ok(Self { spec, truth, times, walk, state, elapsed: Duration::ZERO })
    }

    /// Goes on until `time` steps have been taken in all, or the run is complete.
    ///
    /// # Errors
    /// When a plan fails; the run stands where it stood before that plan.
    pub fn advance(&mut self, time: u64) -> Result<(), RunError> {
        let goal = time.min(self.spec.steps);
        let clock = Instant::now();
        let planned = self.state.agent.plan_time();
        let mut outcome = Ok(());
        while self.state.taken < goal && outcome.is_ok() {
            let next_time = self.times.partition_point(|&time| time <= self.state.taken);
            let checkpoint = self.times.get(next_time).copied().unwrap_or(goal);
            let block_end = (self.state.taken / BLOCK + 1) * BLOCK;
            let until = goal.min(checkpoint).min(block_end);
            let (walk, state) = (&mut self.walk, &mut self.state);
            let (taken, reward) = (&mut state.taken, &mut state.reward.block);
            let mean = &mut state.mean_reward.block;
            outcome = with_learner!(&mut state.agent, learner => match walk {
                Stroll::Table(walk) => play(learner, walk, until, taken, reward, mean),
                Stroll::Generated(walk) => play(learner, &mut **walk, until, taken, reward, mean),
            });
            if state.taken == checkpoint {
                let best = state.taken as f64 * self.truth.gain;
                state.regret.push((state.taken, best - state.reward.value()));
                state.pseudo_regret.push((state.taken, best - state.mean_reward.value()));
                state.z_over_time.push((state.taken, state.agent.poor_steps().0));
            }
            if state.taken == block_end {
                state.reward.close_block();
                state.mean_reward.close_block();
            }
        }
        self.state.walk = self.walk.position().clone();
        let spent_planning = self.state.agent.plan_time() - planned;
        self.elapsed += clock.elapsed().saturating_sub(spent_planning);
        outcome
    }

    /// Whether all steps have been taken.
    pub fn is_complete(&self) -> bool {
        self.state.taken >= self.spec.steps
    }

    /// Steps taken so far.
    pub fn taken(&self) -> u64 {
        self.state.taken
    }

    /// Regret up to now.
    pub fn regret(&self) -> f64 {
        self.state.taken as f64 * self.truth.gain - self.state.reward.value()
    }

    /// What the run is.
    pub fn spec(&self) -> &RunSpec {
        &self.spec
    }

    /// The agent at work.
    pub fn agent(&self) -> &Agent {
        &self.state.agent
    }

    /// All that changes, for a checkpoint.
    pub fn state(&self) -> &RunState {
        &self.state
    }

    /// Time spent simulating and planning by this process.
    pub fn clocks(&self) -> (Duration, Duration) {
        (self.elapsed, self.state.agent.plan_time())
    }

    /// The record of the run so far.
    pub fn record(&self) -> RunRecord {
        let state = &self.state;
        let episodes = state.agent.episodes().into_iter().map(|episode| {
            let case = Case::of(&episode, self.truth.reachable);
            (episode, case)
        });
        let (z, y) = state.agent.poor_steps();
        let mut visits = Vec::new();
        if let Some(counts) = state.agent.counts() {
            for pair in 0..counts.pairs().len() {
                let (owner, action) = counts.owner(pair);
                visits.push((owner, action, counts.visits(pair)));
            }
        }
        RunRecord {
            steps: state.taken,
            gain: self.truth.gain,
            regret: state.regret.clone(),
            pseudo_regret: state.pseudo_regret.clone(),
            episodes: episodes.collect(),
            seen: state.agent.counts().map_or(0, |counts| counts.seen() as u64),
            z,
            z_over_time: state.z_over_time.clone(),
            y,
            sweeps: state.agent.sweeps(),
            visits,
        }
    }
}

/// What an agent may be told about a world in advance, if it asks.
pub fn knowledge(model: &Model, truth: &Truth) -> Knowledge {
    let (reachable, rule_of_thumb) = match model {
        Model::Generated { generator, reachable } => {
            let generator = Arc::clone(generator);
            let rule = move |state| generator.rule_of_thumb(state);
            (reachable.clone(), Some(RuleOfThumb(Arc::new(rule))))
        }
        _ => (None, None),
    };
    let model = model.clone();
    let means = move |state: u64, action: u32| model.mean_reward(state, action);
    // A policy of no states is that of a world that could not be solved.
    let policy = Some(&truth.optimal_policy).filter(|policy| policy.states() > 0);
    Knowledge {
        optimal_policy: policy.cloned(),
        policy_states: reachable,
        mean_rewards: Some(KnownMeans(Arc::new(means))),
        rule_of_thumb,
    }
}

/// The inner loop.
fn play<L: Learner, W: Environment>(
    learner: &mut L,
    walk: &mut W,
    until: u64,
    taken: &mut u64,
    reward: &mut f64,
    mean_reward: &mut f64,
) -> Result<(), RunError> {
    while *taken < until {
        let action = learner.act()?;
        let step = walk.step(action)?;
        learner.observe(step.reward, step.next);
        *reward += step.reward;
        *mean_reward += step.mean_reward;
        *taken += 1;
    }
    Ok(())
}

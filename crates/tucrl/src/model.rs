//! Which worlds can be walked in?
//!
//! A [`Model`] is a table, or a generator without a table; a `ModelWalk` is one of them walked at random. A
//! generator that lists the outcomes of a pair is sampled exactly as its table would be: the same random stream
//! gives the same walk, to the last bit.
//!
//! A walk remembers the listed outcomes of some thousand pairs, and refuses a generator whose list changes or that
//! draws what it does not list.

use std::fmt;
use std::sync::Arc;

use thiserror::Error;

use crate::env::{Environment, Step, Walk, WalkState};
use crate::gaps::Gaps;
use crate::generator::{Generator, GeneratorError, Outcomes, Simulation, list, start_law};
use crate::learner::Learner;
use crate::mdp::Mdp;
use crate::planner::PlanError;
use crate::replay::{Earned, Replay};
use crate::reward::RewardRange;
use crate::rng::RandomStream;
use crate::space::{ActionId, Space, StateId};

/// A world to be walked in.
#[derive(Debug, Clone)]
pub enum Model {
    /// A table.
    Table(Arc<Mdp>),
    /// A world without a table.
    Generated(Arc<dyn Generator>),
}

impl From<Mdp> for Model {
    fn from(mdp: Mdp) -> Self {
        Self::Table(Arc::new(mdp))
    }
}

impl From<Arc<Mdp>> for Model {
    fn from(mdp: Arc<Mdp>) -> Self {
        Self::Table(mdp)
    }
}

impl From<&Arc<Mdp>> for Model {
    fn from(mdp: &Arc<Mdp>) -> Self {
        Self::Table(Arc::clone(mdp))
    }
}

impl From<Arc<dyn Generator>> for Model {
    fn from(generator: Arc<dyn Generator>) -> Self {
        Self::Generated(generator)
    }
}

impl Model {
    /// What a learner may know of it.
    pub fn space(&self) -> Space {
        let listed =
            |mdp: &Mdp| Space::listed((0..mdp.states()).map(|s| mdp.actions(s) as u32).collect());
        match self {
            Self::Table(mdp) => listed(mdp),
            Self::Generated(generator) => generator.space().clone(),
        }
    }

    /// The smallest and the largest possible reward, in the world's own units.
    pub fn reward_range(&self) -> RewardRange {
        match self {
            Self::Table(mdp) => mdp.reward_range(),
            Self::Generated(generator) => generator.reward_range(),
        }
    }

    /// The states in which a run may start.
    pub fn starts(&self) -> Vec<StateId> {
        let law: Vec<(StateId, f64)> = match self {
            Self::Table(mdp) => mdp.start().map(|(state, p)| (state as StateId, p)).collect(),
            Self::Generated(generator) => generator.start(),
        };
        law.into_iter().filter(|(_, probability)| *probability > 0.0).map(|(s, _)| s).collect()
    }

    /// The largest possible reward, counted from the smallest.
    pub fn r_max(&self) -> f64 {
        self.reward_range().width()
    }

    /// The expected reward of a pair, counted from the smallest possible reward; what is not known is NaN.
    pub fn mean_reward(&self, state: StateId, action: ActionId) -> f64 {
        match self {
            Self::Table(mdp) => mdp.mean_reward(mdp.pair(state as usize, action as usize)),
            Self::Generated(generator) => {
                let mut outcomes = Outcomes::default();
                match list(&**generator, state, action, &mut outcomes) {
                    Ok(()) if !outcomes.entries().is_empty() => {
                        outcomes.mean_above(generator.reward_range().low())
                    }
                    _ => f64::NAN,
                }
            }
        }
    }
}

/// A model walked at random.
#[derive(Debug)]
pub(crate) enum ModelWalk {
    Table(Walk),
    Generated(Box<GeneratedWalk>),
}

impl ModelWalk {
    pub(crate) fn new(model: &Model, random: RandomStream) -> Result<Self, GeneratorError> {
        Ok(match model {
            Model::Table(mdp) => Self::Table(Walk::new(Arc::clone(mdp), random)),
            Model::Generated(generator) => {
                Self::Generated(Box::new(GeneratedWalk::new(Arc::clone(generator), random)?))
            }
        })
    }

    pub(crate) fn resume(model: &Model, at: WalkState) -> Self {
        match model {
            Model::Table(mdp) => Self::Table(Walk::resume(Arc::clone(mdp), at)),
            Model::Generated(generator) => {
                Self::Generated(Box::new(GeneratedWalk::resume(Arc::clone(generator), at)))
            }
        }
    }

    pub(crate) fn state(&self) -> StateId {
        match self {
            Self::Table(walk) => walk.state(),
            Self::Generated(walk) => walk.state(),
        }
    }

    /// Where it stands, for a checkpoint; `None` if the simulator of the world cannot be saved.
    pub(crate) fn saved(&self) -> Option<WalkState> {
        match self {
            Self::Table(walk) => Some(walk.position().clone()),
            Self::Generated(walk) => walk.saved(),
        }
    }
}

/// Why a batch of steps was not finished.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum PlayError {
    /// A plan failed.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The world is given by a generator, and the generator is wrong.
    #[error(transparent)]
    World(#[from] GeneratorError),
}

/// Steps to be played one after another in a walk, and what they earned.
///
/// A learner that is handed a batch sees how many steps are left and nothing of the world:
///
/// ```compile_fail,E0599
/// fn peek(batch: &tucrl::model::Batch<'_>) -> usize {
///     batch.table().map_or(0, |table| table.states())
/// }
/// ```
/// ```compile_fail,E0599
/// fn peek(batch: &tucrl::model::Batch<'_>) -> u64 {
///     batch.position().state()
/// }
/// ```
/// ```compile_fail,E0616
/// fn peek(batch: &tucrl::model::Batch<'_>) -> String {
///     format!("{:?}", batch.walk)
/// }
/// ```
pub struct Batch<'a> {
    pub(crate) walk: &'a mut ModelWalk,
    /// The Bellman gaps of the world, if they are known.
    pub(crate) gaps: Option<&'a Gaps>,
    /// Steps taken so far, and when to stop.
    pub(crate) taken: u64,
    pub(crate) until: u64,
    pub(crate) earned: Earned,
    /// Whether the owner of the run lends the world to a learner in another process.
    pub(crate) lends_world: bool,
}

/// Without the world.
impl fmt::Debug for Batch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Batch({} of {} steps taken)", self.taken, self.until)
    }
}

/// A world that is lent to a learner in another process: all that a copy of the walk needs.
#[derive(Debug, Clone, Copy)]
pub struct LentWorld<'a> {
    /// The table that is walked in.
    pub table: &'a Arc<Mdp>,
    /// Where the walk stands: its state and the random numbers to come.
    pub position: &'a WalkState,
}

impl Batch<'_> {
    /// How many steps are left to play.
    pub fn left(&self) -> u64 {
        self.until - self.taken
    }

    /// The number of the next step, counted from 1.
    pub fn time(&self) -> u64 {
        self.taken + 1
    }

    /// The world, for a learner that walks in a copy of it in another process, so that not every step goes from process to
    /// process. `None` unless the owner of the run [lends](crate::run::Run::lend_world) it, and in a world without a table.
    pub fn lent_world(&self) -> Option<LentWorld<'_>> {
        match &*self.walk {
            ModelWalk::Table(walk) if self.lends_world => {
                Some(LentWorld { table: walk.mdp(), position: walk.position() })
            }
            _ => None,
        }
    }

    /// Lets a learner play at most this number of the steps.
    ///
    /// # Errors
    /// As [`Batch::play`].
    pub fn play_some<L: Learner + ?Sized>(
        &mut self,
        learner: &mut L,
        steps: u64,
    ) -> Result<(), PlayError> {
        let until = self.until;
        self.until = until.min(self.taken.saturating_add(steps));
        let outcome = self.play(learner);
        self.until = until;
        outcome
    }

    /// Lets a learner play the steps.
    ///
    /// # Errors
    /// When a plan fails, or the world does.
    pub fn play<L: Learner + ?Sized>(&mut self, learner: &mut L) -> Result<(), PlayError> {
        let Self { walk, gaps, taken, until, earned, .. } = self;
        learner.begin_batch(until.saturating_sub(*taken));
        let outcome = match walk {
            ModelWalk::Table(walk) => {
                // The walk needs the number of the pair as well, so that it is found once.
                let step = |walk: &mut Walk, action| {
                    let pair = walk.pair(action);
                    Ok((walk.step_pair(pair), Some(pair)))
                };
                // Gain lost for good is added up with the number of the step, which prepared steps leave out.
                let by_pair = match gaps {
                    Some(gaps) => Some(gaps.by_pair()).filter(|_| gaps.gain_losses().is_empty()),
                    None => Some(&[][..]),
                };
                let replay =
                    |learner: &mut L, walk: &mut Walk, taken: &mut u64, earned: &mut Earned| {
                        let Some(gaps) = by_pair else { return };
                        let until = *until;
                        let mut replay =
                            Replay { walk, gaps, taken: *taken, until, earned: *earned };
                        learner.replay(&mut replay);
                        (*taken, *earned) = (replay.taken, replay.earned);
                    };
                play(learner, walk, *gaps, step, replay, *until, (taken, earned))
            }
            ModelWalk::Generated(walk) => {
                let step = |walk: &mut GeneratedWalk, action| {
                    let pair = gaps.and_then(|gaps| gaps.pair(walk.state(), action));
                    Ok((walk.step(action)?, pair))
                };
                play(learner, &mut **walk, *gaps, step, |_, _, _, _| {}, *until, (taken, earned))
            }
        };
        learner.end_batch();
        outcome
    }
}

/// Plays with a function that gives a step of the walk and the pair of the table of gaps that was played.
fn play<L: Learner + ?Sized, W>(
    learner: &mut L,
    walk: &mut W,
    gaps: Option<&Gaps>,
    step: impl Fn(&mut W, ActionId) -> Result<(Step, Option<usize>), GeneratorError>,
    replay: impl Fn(&mut L, &mut W, &mut u64, &mut Earned),
    until: u64,
    (taken, earned): (&mut u64, &mut Earned),
) -> Result<(), PlayError> {
    let (by_pair, losses) = gaps.map_or((&[][..], &[][..]), |g| (g.by_pair(), g.gain_losses()));
    // In local variables, so that the sums stay in registers.
    let (mut time, mut sums) = (*taken, *earned);
    let mut outcome = Ok(());
    loop {
        replay(learner, walk, &mut time, &mut sums);
        if time >= until {
            break;
        }
        let action = match learner.act() {
            Ok(action) => action,
            Err(error) => {
                outcome = Err(error.into());
                break;
            }
        };
        let (step, pair) = match step(walk, action) {
            Ok(played) => played,
            Err(error) => {
                outcome = Err(PlayError::World(error));
                break;
            }
        };
        learner.observe(step.reward, step.next);
        sums.reward += step.reward;
        sums.mean_reward += step.mean_reward;
        time += 1;
        let gap = pair.and_then(|pair| Some((*by_pair.get(pair)?, pair)));
        let Some((gap, pair)) = gap else { continue };
        sums.gap += gap;
        if !losses.is_empty() {
            sums.gain_loss += losses[pair];
            sums.timed_gain_loss += losses[pair] * time as f64;
        }
    }
    (*taken, *earned) = (time, sums);
    outcome
}

/// A generator walked at random.
#[derive(Debug)]
pub struct GeneratedWalk {
    generator: Arc<dyn Generator>,
    at: WalkState,
    scratch: Scratch,
    /// Of a world that has one; started by the first step after a walk was resumed.
    simulation: Option<Box<dyn Simulation>>,
    is_simulated: bool,
}

#[derive(Debug, Clone, Default)]
struct Scratch {
    outcomes: Outcomes,
    probabilities: Vec<f64>,
    memory: Memory,
}

/// Hashes of the outcome lists of recent pairs; a later pair takes the slot of an earlier one.
#[derive(Debug, Clone, Default)]
struct Memory(Vec<Remembered>);

#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Remembered {
    state: StateId,
    /// Twice the action, and one more for what was drawn.
    how: u32,
    /// A hash of the states that may follow; of what was drawn, of one that was found in the list. Never 0.
    mark: u32,
}

impl Memory {
    /// A limit on memory, 16 bytes each: a forgotten pair is listed again.
    const SLOTS: usize = 1 << 13;

    /// Whether this is what was said before, if that is known.
    #[inline]
    fn agrees(
        &mut self,
        state: StateId,
        how: u32,
        nexts: impl Iterator<Item = u64>,
    ) -> Option<bool> {
        if self.0.is_empty() {
            self.0.resize(Self::SLOTS, Remembered::default());
        }
        let mark = nexts.fold(1, mixed) as u32 | 1;
        let slot = mixed(u64::from(how), state) as usize % Self::SLOTS;
        let now = Remembered { state, how, mark };
        let earlier = std::mem::replace(&mut self.0[slot], now);
        let is_known = (earlier.state, earlier.how) == (state, how) && earlier.mark != 0;
        is_known.then_some(earlier.mark == mark)
    }
}

/// One multiplication, of which the upper bits depend on all bits of both.
#[inline]
fn mixed(a: u64, b: u64) -> u64 {
    (a ^ b).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32)
}

impl GeneratedWalk {
    /// Starts a walk; the initial state is drawn from the generator's initial law.
    ///
    /// # Errors
    /// When that is no law over states of the space.
    pub fn new(
        generator: Arc<dyn Generator>,
        mut random: RandomStream,
    ) -> Result<Self, GeneratorError> {
        if generator.is_simulated() {
            let simulation = generator.simulate(&mut random, None)?;
            let at = WalkState { state: simulation.state(), random, simulation: None };
            let simulation = Some(simulation);
            return Ok(Self { simulation, ..Self::resume(generator, at) });
        }
        let starts = start_law(&*generator)?;
        let state = match starts.as_slice() {
            [(state, _)] => *state,
            many => many[random.categorical(&many.iter().map(|e| e.1).collect::<Vec<_>>())].0,
        };
        Ok(Self::resume(generator, WalkState { state, random, simulation: None }))
    }

    /// Where the walk stands.
    pub fn position(&self) -> &WalkState {
        &self.at
    }

    /// Continues a walk where another one stood.
    pub fn resume(generator: Arc<dyn Generator>, at: WalkState) -> Self {
        let is_simulated = generator.is_simulated();
        Self { generator, at, scratch: Scratch::default(), simulation: None, is_simulated }
    }

    /// All that continues the walk; `None` if its simulator cannot be saved.
    pub fn saved(&self) -> Option<WalkState> {
        let mut at = self.at.clone();
        if let Some(simulation) = &self.simulation {
            at.simulation = Some(simulation.save()?);
        }
        Some(at)
    }

    fn simulated(&mut self, action: ActionId) -> Result<Step, GeneratorError> {
        let state = self.at.state;
        let simulation = match &mut self.simulation {
            Some(simulation) => simulation,
            none => {
                let saved = self.at.simulation.take();
                none.insert(self.generator.simulate(&mut self.at.random, saved.as_deref())?)
            }
        };
        let (paid, next) = simulation.step(action)?;
        self.checked(state, action, paid, next)
    }

    /// A step that was drawn, if state and reward are possible.
    fn checked(
        &mut self,
        state: StateId,
        action: ActionId,
        paid: f64,
        next: StateId,
    ) -> Result<Step, GeneratorError> {
        let (last, range) = (self.generator.space().states() - 1, self.generator.reward_range());
        if next > last {
            return Err(GeneratorError::NextOutOfRange { state, action, next, last });
        }
        if !range.contains(paid) {
            return Err(GeneratorError::Reward { state, action, reward: paid, range });
        }
        self.at.state = next;
        // The expected reward is not known; over time the rewards themselves average to it.
        let reward = paid - range.low();
        Ok(Step { paid, reward, mean_reward: reward, next })
    }

    fn sampled(&mut self, action: ActionId) -> Option<Result<Step, GeneratorError>> {
        let state = self.at.state;
        let (paid, next) = self.generator.sample(state, action, &mut self.at.random)?;
        // A state or a reward that is not possible is refused before the list is looked at.
        let is_listed =
            next < self.generator.space().states() && self.generator.reward_range().contains(paid);
        if let Some(error) = is_listed.then(|| self.check_drawn(action, next).err()).flatten() {
            return Some(Err(error));
        }
        Some(self.checked(state, action, paid, next))
    }

    /// What is drawn must be in the list, if there is one. The list is made only for a transition that is not
    /// among the remembered ones.
    fn check_drawn(&mut self, action: ActionId, next: StateId) -> Result<(), GeneratorError> {
        let state = self.at.state;
        let Scratch { outcomes, memory, .. } = &mut self.scratch;
        if memory.agrees(state, action << 1 | 1, [next].into_iter()) == Some(true) {
            return Ok(());
        }
        list(&*self.generator, state, action, outcomes)?;
        let entries = outcomes.entries();
        match entries.is_empty() || entries.iter().any(|outcome| outcome.next == next) {
            true => Ok(()),
            false => Err(GeneratorError::UnstableSupport { state, action }),
        }
    }
}

impl Environment for GeneratedWalk {
    fn space(&self) -> &Space {
        self.generator.space()
    }

    fn state(&self) -> StateId {
        self.at.state
    }

    fn step(&mut self, action: ActionId) -> Result<Step, GeneratorError> {
        let state = self.at.state;
        let actions = self.generator.space().actions(state);
        assert!(action < actions, "state {state} has no action {action}");
        if self.is_simulated {
            return self.simulated(action);
        }
        if let Some(step) = self.sampled(action) {
            return step;
        }
        let Scratch { outcomes, probabilities, memory } = &mut self.scratch;
        list(&*self.generator, state, action, outcomes)?;
        let entries = outcomes.entries();
        let nexts = entries.iter().map(|outcome| outcome.next);
        if memory.agrees(state, action << 1, nexts) == Some(false) {
            return Err(GeneratorError::UnstableSupport { state, action });
        }
        let entry = match entries.len() {
            0 => return Err(GeneratorError::NoRule { state, action }),
            1 => 0,
            _ => {
                probabilities.clear();
                probabilities.extend(entries.iter().map(|outcome| outcome.probability));
                self.at.random.categorical(probabilities)
            }
        };
        let paid = entries[entry].reward.sample(&mut self.at.random);
        let next = entries[entry].next;
        self.at.state = next;
        let low = self.generator.reward_range().low();
        Ok(Step { paid, reward: paid - low, mean_reward: outcomes.mean_above(low), next })
    }
}

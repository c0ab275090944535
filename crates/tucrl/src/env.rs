//! What happens when an action is played?
//!
//! One uninterrupted stream of states and rewards, without resets (Fruit, Pirotta, Lazaric 2018, section 2).
//! [`Walk`] is a table walked at random: it draws the next state, then the reward, from the stream of its run, so
//! that agents of the same run index see the same random numbers as long as they act alike.
//!
//! A walk remembers what a step of a pair needs: of a pair whose next state and reward are certain these two, of a pair
//! with many possible next states a guide table. It draws what [`draw`] draws, to the bit.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::generator::GeneratorError;
use crate::mdp::Mdp;
use crate::reward::{PairReward, RewardLaw};
use crate::rng::{Guide, RandomStream};
use crate::space::{ActionId, Space, StateId};

/// What one action led to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The reward that was paid, in the world's own units.
    pub paid: f64,
    /// The same counted from the lowest possible reward: what a learner observes.
    pub reward: f64,
    /// The expectation of `reward`; NaN if unknown.
    pub mean_reward: f64,
    /// The next state.
    pub next: StateId,
}

/// A world that can be acted in.
pub trait Environment {
    /// What a learner may know of it.
    fn space(&self) -> &Space;
    /// The state that it is in.
    fn state(&self) -> StateId;
    /// Plays an action in the present state.
    ///
    /// # Errors
    /// When the world is given by a rule and the rule is wrong; a table has been checked and is not.
    ///
    /// # Panics
    /// When the present state does not have the action.
    fn step(&mut self, action: ActionId) -> Result<Step, GeneratorError>;
}

/// A model walked at random.
#[derive(Debug, Clone)]
pub struct Walk {
    mdp: Arc<Mdp>,
    space: Space,
    at: WalkState,
    /// A pair is at its number modulo the length, a power of two; a later pair may take the place of an earlier one.
    remembered: Box<[Remembered]>,
    guides: Vec<Guide>,
    /// Probabilities in all guides.
    guided: usize,
}

/// What a step of a pair needs; two pairs in a cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
struct Remembered {
    pair: u32,
    /// The next state, if it is certain.
    next: u32,
    /// The reward, if it is certain.
    paid: f64,
    mean_reward: f64,
    /// The guide table of a pair with many possible next states; [`CERTAIN`] if next state and reward are certain.
    guide: u32,
}

const CERTAIN: u32 = u32::MAX;
const NO_PAIR: u32 = u32::MAX;

/// A limit on memory, 32 bytes each: half a megabyte.
const MOST_REMEMBERED: usize = 1 << 14;
/// Rows with more next states than this get a guide table. Up to there a search takes no longer than the look-up.
const SHORT_ROW: usize = 8;
/// A limit on memory, 12 bytes each: the other long rows are searched.
const MOST_GUIDED: usize = 1 << 20;

/// The state of a walk: all that a checkpoint needs besides the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WalkState {
    pub(crate) state: StateId,
    pub(crate) random: RandomStream,
    /// The simulator, in a world that has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) simulation: Option<String>,
}

impl WalkState {
    /// The state that the walk is in.
    pub fn state(&self) -> StateId {
        self.state
    }
}

impl Walk {
    /// Starts a walk; the initial state is drawn from the model's initial law.
    pub fn new(mdp: Arc<Mdp>, mut random: RandomStream) -> Self {
        let starts: Vec<(usize, f64)> = mdp.start().collect();
        let state = match starts.as_slice() {
            [(state, _)] => *state,
            many => many[random.categorical(&many.iter().map(|e| e.1).collect::<Vec<_>>())].0,
        };
        Self::resume(mdp, WalkState { state: state as StateId, random, simulation: None })
    }

    /// The table.
    pub(crate) fn mdp(&self) -> &Arc<Mdp> {
        &self.mdp
    }

    /// The state of the walk.
    pub fn position(&self) -> &WalkState {
        &self.at
    }

    /// Continues a walk from a stored state.
    ///
    /// # Panics
    /// When the model does not have that state.
    pub fn resume(mdp: Arc<Mdp>, at: WalkState) -> Self {
        assert!((at.state as usize) < mdp.states(), "the checkpoint belongs to another model");
        let space = Space::listed((0..mdp.states()).map(|s| mdp.actions(s) as u32).collect());
        let blank =
            Remembered { pair: NO_PAIR, next: 0, paid: 0.0, mean_reward: 0.0, guide: CERTAIN };
        let places = mdp.pairs().next_power_of_two().min(MOST_REMEMBERED);
        let remembered = vec![blank; places].into_boxed_slice();
        Self { mdp, space, at, remembered, guides: Vec::new(), guided: 0 }
    }

    /// The number of the pair that an action in the present state is.
    ///
    /// # Panics
    /// When the present state does not have the action.
    #[inline]
    pub(crate) fn pair(&self, action: ActionId) -> usize {
        self.mdp.pair(self.at.state as usize, action as usize)
    }

    /// Plays an action in the present state; infallible for a table.
    ///
    /// # Panics
    /// When the present state does not have the action.
    #[inline]
    pub fn step(&mut self, action: ActionId) -> Step {
        self.step_pair(self.pair(action))
    }

    /// Plays a pair of the present state. Inlined, and what is not is given in registers: the loop around it waits for
    /// the next state.
    #[inline(always)]
    pub(crate) fn step_pair(&mut self, pair: usize) -> Step {
        let known = &self.remembered[pair & (self.remembered.len() - 1)];
        let (paid, next, mean_reward) = if known.pair as usize == pair && known.guide == CERTAIN {
            (known.paid, known.next, known.mean_reward)
        } else {
            let (paid, next) = self.draw(pair);
            (paid, next, self.mdp.mean_reward(pair))
        };
        let next = StateId::from(next);
        self.at.state = next;
        Step { paid, reward: paid - self.mdp.reward_range().low(), mean_reward, next }
    }

    /// The reward and the next state of a pair for which both are certain, and the expected reward.
    pub(crate) fn certain_step(&self, pair: usize) -> Option<((f64, StateId), f64)> {
        let &[next] = self.mdp.row(pair).next else { return None };
        let reward = certain_reward(&self.mdp, pair)? - self.mdp.reward_range().low();
        Some(((reward, StateId::from(next)), self.mdp.mean_reward(pair)))
    }

    /// Stands in the state to which certain steps led.
    pub(crate) fn stand_in(&mut self, state: StateId) {
        self.at.state = state;
    }

    /// The reward that is paid and the next state of a pair that is uncertain or not remembered.
    #[inline(always)]
    fn draw(&mut self, pair: usize) -> (f64, u32) {
        let is_worth_remembering = match self.mdp.row(pair).len() {
            1 => certain_reward(&self.mdp, pair).is_some(),
            len => len > SHORT_ROW,
        };
        match is_worth_remembering {
            true => self.draw_by_guide(pair),
            false => draw_pair(&self.mdp, pair, &mut self.at.random),
        }
    }

    /// The same for a pair that is remembered, or will be from now on.
    #[inline(never)]
    fn draw_by_guide(&mut self, pair: usize) -> (f64, u32) {
        let known = &self.remembered[pair & (self.remembered.len() - 1)];
        let row = self.mdp.row(pair);
        if known.pair as usize == pair
            && let Some(guide) = self.guides.get(known.guide as usize)
        {
            let entry = guide.draw(row.probability, &mut self.at.random);
            return (paid(&self.mdp, pair, entry, &mut self.at.random), row.next[entry]);
        }
        let certain = if row.len() == 1 { certain_reward(&self.mdp, pair) } else { None };
        self.remember(pair, certain);
        draw_pair(&self.mdp, pair, &mut self.at.random)
    }

    /// Remembers a pair whose reward is certain, or whose row is long. A guide table keeps its place.
    #[cold]
    fn remember(&mut self, pair: usize, certain: Option<f64>) {
        let (row, place) = (self.mdp.row(pair), pair & (self.remembered.len() - 1));
        if self.remembered[place].guide != CERTAIN {
            return;
        }
        let guide = if certain.is_some() {
            CERTAIN
        } else if self.guided + row.len() <= MOST_GUIDED {
            self.guided += row.len();
            self.guides.push(Guide::new(row.probability));
            self.guides.len() as u32 - 1
        } else {
            return;
        };
        self.remembered[place] = Remembered {
            pair: pair as u32,
            next: row.next[0],
            paid: certain.unwrap_or(f64::NAN),
            mean_reward: self.mdp.mean_reward(pair),
            guide,
        };
    }
}

/// The reward of a pair with one next state, if it is certain.
#[inline]
fn certain_reward(mdp: &Mdp, pair: usize) -> Option<f64> {
    let law = match mdp.reward(pair) {
        PairReward::Alone(law) => law,
        PairReward::Joint(laws) => laws.first()?,
    };
    match law {
        RewardLaw::Constant(paid) => Some(*paid),
        _ => None,
    }
}

impl Environment for Walk {
    fn space(&self) -> &Space {
        &self.space
    }

    #[inline]
    fn state(&self) -> StateId {
        self.at.state
    }

    #[inline]
    fn step(&mut self, action: ActionId) -> Result<Step, GeneratorError> {
        Ok(Self::step(self, action))
    }
}

/// Draws what playing an action in a state leads to: first the next state, then the reward.
///
/// # Panics
/// When the model has no such state, or the state no such action.
pub fn draw(mdp: &Mdp, state: usize, action: usize, random: &mut RandomStream) -> Step {
    let pair = mdp.pair(state, action);
    let (paid, next) = draw_pair(mdp, pair, random);
    let reward = paid - mdp.reward_range().low();
    Step { paid, reward, mean_reward: mdp.mean_reward(pair), next: StateId::from(next) }
}

/// The reward that is paid and the next state.
#[inline]
fn draw_pair(mdp: &Mdp, pair: usize, random: &mut RandomStream) -> (f64, u32) {
    let row = mdp.row(pair);
    let entry = if row.len() == 1 { 0 } else { random.categorical(row.probability) };
    (paid(mdp, pair, entry, random), row.next[entry])
}

/// Draws the reward of a pair that led to an entry of its row.
#[inline]
fn paid(mdp: &Mdp, pair: usize, entry: usize, random: &mut RandomStream) -> f64 {
    let law = match mdp.reward(pair) {
        PairReward::Alone(law) => law,
        PairReward::Joint(laws) => &laws[entry],
    };
    law.sample(random)
}

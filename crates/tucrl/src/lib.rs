//! Finite MDPs, exact answers about them, and agents that learn them.
//!
//! Build an MDP with [`Mdp::builder`], or take one of [`worlds`]. [`Truth::of`] gives what is known exactly: the
//! long-run average reward of the best policy with certified bounds, its bias and policy, what can be reached.
//! [`solve`], [`evaluate`], [`structure`] and [`hitting`] answer single questions. All answers hold for every finite
//! MDP: periodic ones, with unreachable states, with several closed classes.
//!
//! An agent knows none of that. It is told the number of states and actions and the largest reward, and learns the
//! rest step by step. TUCRL on the three-state domain of the paper this library is named after (Fruit, Pirotta,
//! Lazaric, NeurIPS 2018), in which one state cannot be reached when `delta` is 0:
//!
//! ```
//! use std::sync::Arc;
//! use tucrl::{Checkpoints, Model, Optimism, Run, RunSpec, Truth, Tucrl, worlds::ThreeState};
//!
//! let world = ThreeState { delta: 0.0, ..ThreeState::default() };
//! let model = Model::from(Arc::new(world.build()?));
//! let truth = Arc::new(Truth::of(&model)?);
//! println!("gain {:.6}, {} of 3 states reachable", truth.gain(), truth.facts().reachable);
//!
//! let tucrl = Tucrl { optimism: Optimism::shrunk(0.05), ..Tucrl::default() };
//! let (steps, checkpoints) = (100_000, Checkpoints::PerDecade(1));
//! let spec = RunSpec { steps, checkpoints, master_seed: 1, run: 0 };
//! let mut run = Run::new(spec, Arc::new(tucrl), &model, truth)?;
//! run.advance(steps)?;
//! println!("regret {:.0} after {steps} steps", run.regret());
//! assert!(run.regret() < 500.0 && run.record().seen == 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! To run an algorithm of your own, implement [`Learner`]; [`own_agent`] gives it a name and options. An episodic
//! one implements [`Planner`], with any [`ConfidenceSet`] and [`EpisodeRule`]. [`own_world`] does the same for a world.
#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used))]

pub mod agents;
pub mod bounds;
mod builder;
pub mod certify;
mod chain;
mod clock;
pub mod confidence;
pub mod conformance;
pub mod counts;
mod elimination;
pub mod env;
pub mod episode;
pub mod error;
pub mod evaluate;
pub mod evi;
pub mod exploration;
pub mod explore;
pub mod gaps;
pub mod generator;
mod graph;
pub mod hardness;
pub mod hitting;
pub mod inner_max;
pub mod learner;
pub mod math;
pub mod mdp;
pub mod model;
pub mod options;
pub mod planner;
pub mod plausible;
pub mod policy;
pub mod posterior;
pub mod pulse;
pub mod replay;
pub mod reward;
pub mod rng;
pub mod rules;
pub mod run;
pub mod sets;
pub mod solve;
pub mod space;
pub mod span_clip;
pub mod span_price;
pub mod structure;
pub mod truncation;
pub mod truth;
pub mod worlds;

pub use agents::{
    About, AgentKind, EpisodicAlgorithm, Optimism, Tucrl, TucrlPlus, Ucrl, own_agent,
    own_saved_agent,
};
pub use episode::Episodic;
pub use generator::{Generator, GeneratorError, Outcomes};
pub use learner::{
    AgentError, Algorithm, Diary, Explanation, Knowledge, Learner, LoggedStep, Saved, Setting,
    Start,
};
pub use mdp::Mdp;
pub use model::Model;
pub use planner::{Plan, PlanError, PlanInput, Planner};
pub use rng::RandomStream;
pub use rules::EpisodeRule;
pub use run::{Checkpoints, Run, RunError, RunRecord, RunSpec};
pub use sets::ConfidenceSet;
pub use space::{ActionId, Space, StateId};
pub use truth::Truth;
pub use worlds::{World, WorldAbout, WorldKind, own_world};

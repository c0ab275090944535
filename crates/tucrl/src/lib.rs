//! Finite worlds, exact answers about them, and agents that learn them.
//!
//! A world is a finite Markov decision process: build one with [`mdp::Mdp::builder`], or take one of
//! [`worlds`]. The exact answers are the long-run average reward of the best policy with certified
//! bounds ([`solve`]), the worth of a given policy ([`evaluate`]), what can be reached and stayed in
//! ([`structure`]), and how long that takes ([`hitting`]). They hold for every finite world: periodic
//! ones, worlds with unreachable states, worlds with several places to end up in.
//!
//! The three-state domain of the paper this library is named after (Fruit, Pirotta, Lazaric, NeurIPS
//! 2018) has a state that cannot be reached when nothing slips. Its diameter is infinite then, but
//! that of the part one can see is not:
//!
//! ```
//! use tucrl::worlds::ThreeState;
//! use tucrl::{hitting, solve::solve, structure};
//!
//! let world = ThreeState { delta: 0.0, ..ThreeState::default() }.build()?;
//! let answer = solve(&world)?;
//! let (gain, error) = answer.gain_from_start(&world);
//! println!("gain {gain:.6} (error at most {error:.0e}), span {:.6}", answer.span());
//! assert!((gain - 2.0 / 3.0).abs() <= error && error < 1e-12);
//! assert!((answer.span() - 1.0).abs() < 1e-12);
//!
//! let is_reachable = structure::reachable(&world);
//! assert_eq!(is_reachable, [true, false, true]);
//! let within = hitting::diameter_within(&world, &is_reachable, &|_, _| ())?;
//! println!("D^C {within}, D {}", hitting::diameter(&world, &|_, _| ())?);
//! assert_eq!(within, 1.0);
//! assert_eq!(hitting::diameter(&world, &|_, _| ())?, f64::INFINITY);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An agent knows none of that. It is told how many states and actions there are and what a reward can
//! be, and learns the rest step by step ([`agents`], [`run`]). TUCRL on the same world, which it was
//! told has three states:
//!
//! ```
//! use std::sync::Arc;
//! use tucrl::agents::{Algorithm, Optimism, Tucrl};
//! use tucrl::run::{Checkpoints, Run, RunSpec, Truth};
//! use tucrl::solve::solve;
//! use tucrl::worlds::ThreeState;
//!
//! let world = Arc::new(ThreeState { delta: 0.0, ..ThreeState::default() }.build()?);
//! let answer = solve(&world)?;
//! let truth = Truth {
//!     gain: answer.gain_from_start(&world).0,
//!     reachable: 2,
//!     optimal_policy: answer.policy,
//! };
//! let widths = Optimism { alpha_r: 0.05, alpha_p: 0.05, ..Optimism::default() };
//! let spec = RunSpec {
//!     algorithm: Algorithm::Tucrl(Tucrl { optimism: widths, ..Tucrl::default() }),
//!     steps: 100_000,
//!     checkpoints: Checkpoints::PerDecade(1),
//!     master_seed: 1,
//!     run: 0,
//! };
//! let mut run = Run::new(spec, world, truth)?;
//! run.advance(100_000)?;
//! let record = run.record();
//! assert_eq!(record.seen, 2);
//! let (steps, regret) = record.regret[record.regret.len() - 1];
//! println!("regret {regret:.0} after {steps} steps, {} episodes", record.episodes.len());
//! assert!(regret < 500.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

pub mod agents;
pub mod bounds;
mod builder;
mod chain;
pub mod confidence;
pub mod counts;
mod elimination;
pub mod env;
pub mod episode;
pub mod error;
pub mod evaluate;
pub mod evi;
pub mod explore;
pub mod generator;
mod graph;
pub mod hitting;
pub mod inner_max;
pub mod mdp;
pub mod model;
pub mod planner;
pub mod plausible;
pub mod policy;
pub mod reward;
pub mod rng;
pub mod run;
pub mod solve;
pub mod space;
pub mod span_clip;
pub mod structure;
pub mod truncation;
pub mod worlds;

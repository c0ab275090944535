//! Does an algorithm keep what the laboratory relies on?
//!
//! It plays worlds at the edge of what is allowed, twice with the same seeds, once with a stop in the middle; it plays two
//! worlds that differ only where it has not been; and, where sub-linear regret is promised, its regret is measured twice.
//! Every failure is a sentence. Regret that grows like sqrt(T) is 0.41 times as large in the second half of a run as in the
//! first, linear regret as large: the line is drawn at [`SUBLINEAR`].

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

use crate::env::Walk;
use crate::error::ModelError;
use crate::learner::{Algorithm, Learner, RuleOfThumb, Setting, Start};
use crate::mdp::Mdp;
use crate::model::Model;
use crate::reward::{RewardLaw, RewardRange};
use crate::rng::{Purpose, RandomStream};
use crate::run::{Checkpoints, Run, RunSpec};
use crate::space::{ActionId, StateId};
use crate::truth::Truth;

/// The largest ratio of the regret of the second half of a run to that of the first that counts as sub-linear.
pub const SUBLINEAR: f64 = 0.75;
/// Seeds over which regret is averaged.
const SEEDS: u64 = 4;

/// What an algorithm is held to.
#[derive(Debug, Clone, PartialEq)]
pub struct Promise {
    /// Steps in every edge world.
    pub steps: u64,
    /// Steps of the runs whose regret is measured.
    pub long_steps: u64,
    /// The master seed.
    pub seed: u64,
    /// Its learners can be saved and go on as if nothing had happened.
    pub resumes: bool,
    /// Its regret grows more slowly than the number of steps.
    pub sublinear: bool,
    /// It is told the world, as an oracle is, so that it may act on what it has not seen.
    pub may_know: bool,
}

impl Default for Promise {
    fn default() -> Self {
        Self {
            steps: 300,
            long_steps: 20_000,
            seed: 1,
            resumes: true,
            sublinear: false,
            may_know: false,
        }
    }
}

/// A promise that is not kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// Which check: `plays`, `deterministic`, `resumes`, `peeks` or `sublinear`.
    pub check: &'static str,
    /// What happened, in a sentence.
    pub message: String,
}

/// What a learner did and observed.
type Step = (StateId, ActionId, f64, StateId);

/// Checks an algorithm; no complaint means that it keeps its promises.
///
/// ```
/// use std::sync::Arc;
/// use tucrl::Tucrl;
/// use tucrl::conformance::{Promise, check_agent};
/// assert_eq!(check_agent(&(Arc::new(Tucrl::default()) as _), &Promise::default()), []);
/// ```
pub fn check_agent(algorithm: &Arc<dyn Algorithm>, promise: &Promise) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    let mut complain = |check, message| complaints.push(Complaint { check, message });
    let worlds = match edge_worlds() {
        Ok(worlds) => worlds,
        // The tests build them.
        Err(error) => return vec![Complaint { check: "plays", message: error.to_string() }],
    };
    for (what, world) in worlds {
        let player = match Player::new(algorithm, world, promise) {
            Ok(player) => player,
            Err(error) => {
                complain("plays", format!("in a world with {what}: {error}"));
                continue;
            }
        };
        let first = match player.play(promise.steps, None) {
            Ok(history) => history,
            Err(error) => {
                complain("plays", format!("in a world with {what}: {error}"));
                continue;
            }
        };
        // An agent that does not repeat itself cannot be told from one that forgets or peeks.
        match player.play(promise.steps, None) {
            Ok(second) if second == first => {}
            Ok(second) => {
                let differs = difference(&first, &second, "the same seed gave two runs");
                let remedy = "draw all random numbers from the seed that is given";
                complain("deterministic", format!("in a world with {what}: {differs}; {remedy}"));
                continue;
            }
            Err(error) => {
                let differs = "the same seed gave a failure the second time";
                complain("deterministic", format!("in a world with {what}: {differs}: {error}"));
                continue;
            }
        }
        if !promise.resumes {
            continue;
        }
        match player.play(promise.steps, Some(promise.steps / 2)) {
            Ok(resumed) if resumed == first => {}
            Ok(resumed) => complain(
                "resumes",
                format!(
                    "in a world with {what}: {}; save all that its actions depend on",
                    difference(&first, &resumed, "saving and restoring it changed the run")
                ),
            ),
            Err(error) => complain("resumes", format!("in a world with {what}: {error}")),
        }
    }
    let is_deterministic = complaints.iter().all(|found| found.check != "deterministic");
    if !promise.may_know && is_deterministic {
        complaints.extend(peeks(algorithm, promise));
    }
    if promise.sublinear {
        complaints.extend(linear(algorithm, promise));
    }
    complaints
}

fn difference(one: &[Step], two: &[Step], what: &str) -> String {
    let at = one.iter().zip(two).position(|(a, b)| a != b).unwrap_or(one.len().min(two.len()));
    match (one.get(at), two.get(at)) {
        (Some(a), Some(b)) => format!(
            "{what}, which differ from step {} on: in state {} it played {} and {}",
            at + 1,
            a.0,
            a.1,
            b.1
        ),
        _ => format!("{what} of different lengths"),
    }
}

/// An algorithm in a world.
struct Player<'a> {
    algorithm: &'a Arc<dyn Algorithm>,
    mdp: Arc<Mdp>,
    setting: Setting,
    seed: u64,
}

impl<'a> Player<'a> {
    fn new(algorithm: &'a Arc<dyn Algorithm>, mdp: Mdp, promise: &Promise) -> Result<Self, String> {
        let mdp = Arc::new(mdp);
        let model = Model::from(&mdp);
        let truth = Truth::of(&model).map_err(|error| error.to_string())?;
        let mut knowledge = truth.knowledge(&model);
        if promise.may_know {
            knowledge.rule_of_thumb = Some(RuleOfThumb(Arc::new(|_| Some(0))));
        }
        let setting =
            Setting { space: model.space(), r_max: model.r_max(), steps: promise.steps, knowledge };
        algorithm.check(&setting).map_err(|error| error.to_string())?;
        Ok(Self { algorithm, mdp, setting, seed: promise.seed })
    }

    /// Plays; saves and restores the learner after a number of steps.
    fn play(&self, steps: u64, stop: Option<u64>) -> Result<Vec<Step>, String> {
        let world = RandomStream::of_run(self.seed, 0, Purpose::World);
        let mut walk = Walk::new(Arc::clone(&self.mdp), world);
        let mut learner = self.started(walk.position().state())?;
        let mut history = Vec::new();
        for step in 0..steps {
            if stop == Some(step) {
                learner = self.restored(&*learner)?;
            }
            history.push(self.step(&mut walk, &mut *learner, step)?);
        }
        Ok(history)
    }

    fn started(&self, state: StateId) -> Result<Box<dyn Learner>, String> {
        let random = RandomStream::of_run(self.seed, 0, Purpose::Agent);
        let start = Start { setting: &self.setting, state, random };
        let started = caught(|| self.algorithm.start(start))?;
        started.map_err(|error| format!("it cannot start: {error}"))
    }

    fn restored(&self, learner: &dyn Learner) -> Result<Box<dyn Learner>, String> {
        let saved = caught(|| learner.save())?.ok_or(
            "it cannot be saved, so that a run that is stopped starts again from its first step",
        )?;
        let restored = caught(|| self.algorithm.restore(&self.setting, &saved))?;
        restored.map_err(|error| format!("it was saved and cannot be restored: {error}"))
    }

    fn step(&self, walk: &mut Walk, learner: &mut dyn Learner, taken: u64) -> Result<Step, String> {
        let state = walk.position().state();
        let action = caught(|| learner.act())?.map_err(|error| error.to_string())?;
        let offered = self.setting.space.actions(state);
        if action >= offered {
            let step = taken + 1;
            return Err(format!(
                "at step {step} it played action {action} in state {state}, whose actions are 0 to {}",
                offered - 1
            ));
        }
        let step = walk.step(action);
        caught(|| learner.observe(step.reward, step.next))?;
        Ok((state, action, step.reward, step.next))
    }
}

/// A panic as a sentence.
fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str);
        let said = said.or_else(|| panic.downcast_ref().copied()).unwrap_or("no message");
        format!("it panicked: {said}")
    })
}

/// Two worlds look alike until the best state is entered: an algorithm that sees no more than it observed acts alike.
fn peeks(algorithm: &Arc<dyn Algorithm>, promise: &Promise) -> Option<Complaint> {
    // The best of five actions differs, and with it the optimal policy.
    let twin = |best: usize| {
        let mut builder = Mdp::builder();
        builder.state();
        for action in 0..5 {
            builder.action(0.5, [(usize::from(action == best), 1.0)]);
        }
        builder.state();
        for _ in 0..5 {
            builder.action(1.0, [(1, 1.0)]);
        }
        builder.start_at(0);
        builder.build()
    };
    // Short enough that the plans differ in nothing but what was seen.
    let promise = Promise { steps: promise.steps.min(50), ..promise.clone() };
    for (one, two) in [(0, 4), (1, 3), (4, 2)] {
        let play = |best: usize| -> Option<Vec<Step>> {
            Player::new(algorithm, twin(best).ok()?, &promise).ok()?.play(promise.steps, None).ok()
        };
        // Failures have been complained about.
        let (Some(a), Some(b)) = (play(one), play(two)) else { continue };
        for (step, (a, b)) in a.iter().zip(&b).enumerate() {
            if a.1 != b.1 {
                let message = format!(
                    "at step {} it played {} in one world and {} in another, though it had observed the same in both: it \
                     acts on what it was not told",
                    step + 1,
                    a.1,
                    b.1
                );
                return Some(Complaint { check: "peeks", message });
            }
            if a != b {
                break;
            }
        }
    }
    None
}

fn linear(algorithm: &Arc<dyn Algorithm>, promise: &Promise) -> Vec<Complaint> {
    let worlds = match learnable_worlds() {
        Ok(worlds) => worlds,
        Err(error) => return vec![Complaint { check: "sublinear", message: error.to_string() }],
    };
    let judge = |(what, mdp): (&str, Mdp)| -> Option<Complaint> {
        let model = Model::from(mdp);
        let halves = halves(algorithm, &model, promise);
        let message = match halves {
            // A few mistakes, or none, are no growth.
            Ok((first, second)) if second <= SUBLINEAR * first || second <= 1.0 => return None,
            Ok((first, second)) => format!(
                "in a world with {what} its regret was {first:.1} in the first half of {} steps and {second:.1} in the \
                 second, on average over {SEEDS} runs: sub-linear regret would be at most {SUBLINEAR} times as large",
                promise.long_steps
            ),
            Err(error) => format!("in a world with {what}: {error}"),
        };
        Some(Complaint { check: "sublinear", message })
    };
    worlds.into_iter().filter_map(judge).collect()
}

/// The mean regret of the first and of the second half of a run.
fn halves(
    algorithm: &Arc<dyn Algorithm>,
    model: &Model,
    promise: &Promise,
) -> Result<(f64, f64), String> {
    let truth = Arc::new(Truth::of(model).map_err(|error| error.to_string())?);
    let (steps, mut first, mut second) = (promise.long_steps.max(2), 0.0, 0.0);
    for run in 0..SEEDS {
        let checkpoints = Checkpoints::at([steps / 2]);
        let spec = RunSpec { steps, checkpoints, master_seed: promise.seed, run };
        let played = caught(|| {
            let mut run = Run::new(spec, Arc::clone(algorithm), model, Arc::clone(&truth))?;
            run.advance(u64::MAX).map(|()| run.record())
        })?;
        let record = played.map_err(|error| error.to_string())?;
        if let Some([(_, half), (_, whole)]) = record.gap_regret.as_deref() {
            first += half / SEEDS as f64;
            second += (whole - half) / SEEDS as f64;
        }
    }
    Ok((first, second))
}

/// Worlds at the edge of what is allowed.
///
/// # Errors
/// Never.
fn edge_worlds() -> Result<Vec<(&'static str, Mdp)>, ModelError> {
    let built = |describe: &dyn Fn(&mut crate::builder::MdpBuilder)| {
        let mut builder = Mdp::builder();
        describe(&mut builder);
        builder.start_at(0);
        builder.build()
    };
    let cycle = |builder: &mut crate::builder::MdpBuilder| {
        for state in 0..3 {
            builder.state().action(0.5, [((state + 1) % 3, 1.0)]);
        }
    };
    let ragged = |builder: &mut crate::builder::MdpBuilder| {
        builder.state().action(0.0, [(1, 1.0)]);
        builder.state().action(0.2, [(2, 1.0)]).action(0.4, [(1, 0.5), (0, 0.5)]);
        builder.action(0.6, [(0, 1.0)]);
        builder.state().action(1.0, [(0, 0.9), (2, 0.1)]).action(0.0, [(1, 1.0)]);
    };
    let junk = |builder: &mut crate::builder::MdpBuilder| {
        builder.state().action(0.1, [(0, 1.0)]).action(0.0, [(1, 0.5), (0, 0.5)]);
        builder.state().action(1.0, [(1, 0.9), (0, 0.1)]).action(0.0, [(0, 1.0)]);
        for _ in 0..5 {
            builder.state().action(1.0, [(0, 1.0)]).action(1.0, [(1, 1.0)]);
        }
    };
    let periodic = |builder: &mut crate::builder::MdpBuilder| {
        builder.state().action(0.0, [(1, 1.0)]).action(0.5, [(1, 1.0)]);
        builder.state().action(1.0, [(0, 1.0)]).action(0.0, [(0, 1.0)]);
    };
    let range = RewardRange::new(-3.0, 5.0);
    let ends = |builder: &mut crate::builder::MdpBuilder| {
        if let Ok(range) = range {
            builder.reward_range(range);
        }
        builder.state().action(-3.0, [(0, 1.0)]).action(5.0, [(1, 1.0)]);
        builder.state().action(5.0, [(0, 0.5), (1, 0.5)]).action(-3.0, [(0, 1.0)]);
    };
    Ok(vec![
        (
            "one state and one action",
            built(&|b| {
                b.state().action(0.5, [(0, 1.0)]);
            })?,
        ),
        (
            "one state",
            built(&|b| {
                b.state().action(0.0, [(0, 1.0)]).action(1.0, [(0, 1.0)]).action(0.5, [(0, 1.0)]);
            })?,
        ),
        ("one action in every state", built(&cycle)?),
        ("different numbers of actions", built(&ragged)?),
        ("states that cannot be reached", built(&junk)?),
        ("a period of two", built(&periodic)?),
        ("rewards at both ends of their range", built(&ends)?),
    ])
}

/// Worlds in which a few thousand steps are enough for wide confidence sets.
fn learnable_worlds() -> Result<Vec<(&'static str, Mdp)>, ModelError> {
    let mut arms = Mdp::builder();
    arms.state();
    for probability in [0.1, 0.5, 0.95] {
        arms.action(RewardLaw::Bernoulli { probability, value: 1.0 }, [(0, 1.0)]);
    }
    arms.start_at(0);
    let mut two = Mdp::builder();
    two.state().action(0.2, [(0, 1.0)]).action(0.0, [(1, 1.0)]);
    two.state().action(1.0, [(1, 1.0)]).action(0.0, [(0, 1.0)]).start_at(0);
    Ok(vec![("one state and three actions", arms.build()?), ("two states", two.build()?)])
}

#[cfg(test)]
mod tests;

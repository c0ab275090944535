//! What can be said exactly about a world?
//!
//! Everything that `tucrl inspect` shows, in one record: sizes, class, end components, the paper's
//! standing assumption, gain with its certified error, span, diameters, supports, hardness. The names of the
//! fields are the keys of the JSON output and do not change.
//!
//! The diameter D is finite only if the world communicates, and then every state is reachable and
//! D = D^C; so one computation, within the reachable states, answers both.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Serialize, Serializer};
use tucrl::bounds::WorldNumbers;
use tucrl::error::SolveError;
use tucrl::hardness::Hardness;
use tucrl::hitting;
use tucrl::mdp::Mdp;
use tucrl::reward::RewardRange;
use tucrl::solve::{self, BiasKind, Solution};
use tucrl::structure::{self, Class};
use tucrl::truth::{Solved, Structure, Truth, Watch};

/// Before a diameter is computed that may take long, the times of this many targets are measured.
const TRIAL_TARGETS: usize = 5;
/// With fewer reachable states than this the diameter is fast.
const TRIAL_FROM: usize = 1_000;

/// How many sizes of end components are listed.
const LISTED_SIZES: usize = 20;

/// What to compute beyond the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// Gain, bias, span.
    pub gain: bool,
    /// An optimal policy; needs the gain.
    pub policy: bool,
    /// How hard the world is to learn; needs the gain.
    pub hardness: bool,
    /// The diameters, when there are at most this many reachable states. Infinite ones cost nothing
    /// and are always found unless this is 0.
    pub diameter_limit: usize,
    /// Leave the diameters out if they would take longer than this, judged by a few targets.
    pub patience: Option<Duration>,
}

/// A number of steps that may be infinite; `null` in JSON.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Steps {
    /// This many.
    Finite(f64),
    /// No policy surely arrives.
    Infinite,
}

impl From<f64> for Steps {
    fn from(steps: f64) -> Self {
        if steps.is_finite() { Self::Finite(steps) } else { Self::Infinite }
    }
}

impl From<Steps> for f64 {
    fn from(steps: Steps) -> Self {
        match steps {
            Steps::Finite(steps) => steps,
            Steps::Infinite => Self::INFINITY,
        }
    }
}

impl Serialize for Steps {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Finite(steps) => serializer.serialize_f64(*steps),
            Self::Infinite => serializer.serialize_none(),
        }
    }
}

/// What an optimal policy does in one state, and what that is worth.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Choice {
    /// The state.
    pub state: usize,
    /// Its name, if states have names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The action.
    pub action: usize,
    /// Its name, if actions have names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action_name: Option<String>,
    /// The optimal gain from here.
    pub gain: f64,
    /// The bias here; the smallest is 0.
    pub bias: f64,
}

/// Everything known about a world; what was not computed is absent and listed in `skipped`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Inspection {
    /// The world's spec or file.
    pub world: String,
    /// How many states it has.
    pub states: usize,
    /// The largest number of actions of any state.
    pub actions: usize,
    /// How many state-action pairs it has.
    pub pairs: usize,
    /// How many transitions have positive probability.
    pub transitions: usize,
    /// The largest possible reward, counted from the smallest.
    pub r_max: f64,
    /// The smallest and the largest possible reward.
    pub reward_range: RewardRange,
    /// How many states can be reached from the start.
    pub reachable: usize,
    /// `communicating`, `weakly communicating` or `multichain`.
    #[serde(serialize_with = "as_text")]
    pub class: Class,
    /// How many maximal end components there are.
    pub end_components: usize,
    /// Their sizes, the largest first, at most 20 of them.
    pub end_component_sizes: Vec<usize>,
    /// Whether the start can be reached back from every reachable state.
    pub start_is_recoverable: bool,
    /// The optimal gain from the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gain: Option<f64>,
    /// How far it can be from the truth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gain_error: Option<f64>,
    /// The span of the bias over all states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<f64>,
    /// The span over the reachable states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span_reachable: Option<f64>,
    /// `unique`, or which of many solutions the bias is: `value iteration` or `policy`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bias_kind: Option<&'static str>,
    /// The diameter D.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diameter: Option<Steps>,
    /// The diameter of the reachable part, D^C.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diameter_reachable: Option<Steps>,
    /// The largest number of next states of any pair.
    pub max_support: usize,
    /// The same over the reachable pairs.
    pub max_support_reachable: usize,
    /// The keys that are absent because they were not computed.
    pub skipped: Vec<&'static str>,
    /// How long the diameters would have taken, in seconds, if that is why they are absent.
    #[serde(skip)]
    pub diameter_seconds: Option<f64>,
    /// Why the diameters could not be computed, if that is why they are absent.
    #[serde(skip)]
    pub diameter_error: Option<SolveError>,
    /// Reachable states over all; only of worlds without a table, whose class, end components, pairs,
    /// transitions and supports are those of the reachable part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reachable_fraction: Option<f64>,
    /// How hard it is to learn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hardness: Option<Hardness>,
    /// An optimal policy, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<Vec<Choice>>,
    /// The gain of that policy from the start, computed anew from the policy alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy_gain: Option<f64>,
    /// How far it can be from the truth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy_gain_error: Option<f64>,
}

impl Inspection {
    /// Inspects a world.
    ///
    /// # Errors
    /// When the solver does not converge, or is interrupted. A diameter that cannot be computed is left out.
    pub fn of(
        world: String,
        mdp: &Arc<Mdp>,
        effort: Effort,
        watch: &dyn Watch,
    ) -> Result<Self, SolveError> {
        Self::among(world, mdp, mdp.states() as u64, effort, watch)
    }

    /// Inspects a world of `nominal` states; if the table has fewer, it is that of the reachable ones.
    ///
    /// # Errors
    /// When the solver does not converge.
    pub fn among(
        world: String,
        mdp: &Arc<Mdp>,
        nominal: u64,
        effort: Effort,
        watch: &dyn Watch,
    ) -> Result<Self, SolveError> {
        let truth = match effort.gain {
            true => Some(Truth::of_table(Arc::clone(mdp), watch)?),
            false => None,
        };
        Self::given(truth.as_ref(), world, mdp, nominal, effort, watch)
    }

    /// The same with a truth that is known already.
    ///
    /// # Errors
    /// When the solver does not converge.
    pub fn given(
        truth: Option<&Truth>,
        world: String,
        mdp: &Arc<Mdp>,
        nominal: u64,
        effort: Effort,
        watch: &dyn Watch,
    ) -> Result<Self, SolveError> {
        watch.begin("structure");
        let structure = match truth.and_then(Truth::solved) {
            Some(solved) => solved.structure.clone(),
            None => Structure::of(mdp),
        };
        let Structure { is_reachable, end_components, class, start_is_recoverable } = structure;
        let reachable = is_reachable.iter().filter(|&&is_reachable| is_reachable).count();
        let mut sizes: Vec<usize> = end_components.members().iter().map(Vec::len).collect();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        sizes.truncate(LISTED_SIZES);
        let mut inspection = Self {
            world,
            states: mdp.states(),
            actions: mdp.max_actions(),
            pairs: mdp.pairs(),
            transitions: mdp.transitions(),
            r_max: mdp.r_max(),
            reward_range: mdp.reward_range(),
            reachable,
            class,
            end_components: end_components.count(),
            end_component_sizes: sizes,
            start_is_recoverable,
            gain: None,
            gain_error: None,
            span: None,
            span_reachable: None,
            bias_kind: None,
            diameter: None,
            diameter_reachable: None,
            max_support: mdp.max_support(),
            max_support_reachable: structure::max_support_within(mdp, &is_reachable),
            skipped: Vec::new(),
            diameter_seconds: None,
            diameter_error: None,
            reachable_fraction: None,
            hardness: None,
            policy: None,
            policy_gain: None,
            policy_gain_error: None,
        };
        if let Some(truth) = truth {
            inspection.take(truth);
            if let Some(solved) = truth.solved().filter(|_| effort.policy) {
                watch.begin("gain of the policy");
                inspection.take_policy(mdp, &solved.solution)?;
            }
        } else {
            let keys = ["gain", "gain_error", "span", "span_reachable", "bias_kind"];
            inspection.skipped.extend(keys);
        }
        inspection.measure(mdp, &is_reachable, effort, watch)?;
        let solved = truth.and_then(|truth| truth.solved().zip(truth.gaps()));
        match solved.filter(|_| effort.hardness) {
            Some((solved, gaps)) => {
                let hardness = Hardness::of_solved(solved, gaps, nominal, watch)?;
                inspection.hardness = Some(inspection.with_burn_in(hardness, nominal));
            }
            None => inspection.skipped.push("hardness"),
        }
        Ok(inspection)
    }

    /// The sizes that bounds depend on, for learners that are told that there are `nominal` states; `None` without the
    /// diameters.
    pub fn numbers(&self, nominal: u64) -> Option<WorldNumbers> {
        let diameter_reachable = self.diameter_reachable?.into();
        // Nothing leads from the start to what cannot be reached.
        let has_all = self.reachable as u64 == nominal;
        let diameter = if has_all { self.diameter?.into() } else { f64::INFINITY };
        Some(WorldNumbers {
            states: nominal,
            actions: self.actions as u64,
            reachable: self.reachable as u64,
            max_support: self.max_support as u64,
            max_support_reachable: self.max_support_reachable as u64,
            diameter,
            diameter_reachable,
            r_max: self.r_max,
            gap: None,
        })
    }

    fn with_burn_in(&self, hardness: Hardness, nominal: u64) -> Hardness {
        match (self.numbers(nominal), self.span_reachable) {
            (Some(numbers), Some(span)) => hardness.with_burn_in(&numbers, span),
            _ => hardness,
        }
    }

    /// Says that what was inspected is only the reachable part of a space of `nominal` states.
    pub fn within(mut self, nominal: u64, effort: Effort) -> Self {
        self.reachable_fraction = Some(self.reachable as f64 / nominal as f64);
        self.states = usize::try_from(nominal).unwrap_or(usize::MAX);
        if nominal > self.reachable as u64 {
            self.span = None;
            if !self.skipped.contains(&"span") {
                self.skipped.push("span");
            }
            if effort.diameter_limit > 0 {
                // Nothing leads from the start to what cannot be reached.
                self.diameter = Some(Steps::Infinite);
                self.skipped.retain(|&key| key != "diameter");
            }
        }
        self
    }

    fn take(&mut self, truth: &Truth) {
        let facts = truth.facts();
        self.gain = Some(facts.gain);
        self.gain_error = Some(facts.gain_error);
        self.span = Some(facts.span);
        self.span_reachable = Some(facts.span_reachable);
        if let Some(Solved { solution, .. }) = truth.solved() {
            self.bias_kind = Some(match solution.bias_kind {
                BiasKind::Unique => "unique",
                BiasKind::ValueIteration => "value iteration",
                BiasKind::Policy => "policy",
            });
        }
    }

    /// The policy, and its gain by a certificate of its own.
    fn take_policy(&mut self, mdp: &Mdp, solution: &Solution) -> Result<(), SolveError> {
        self.policy = Some(choices(mdp, solution));
        let gains = solve::policy_gains(mdp, &solution.policy, solve::Effort::default())?;
        let (gain, error) = Truth::in_own_units(mdp, gains.from_start(mdp));
        (self.policy_gain, self.policy_gain_error) = (Some(gain), Some(error));
        Ok(())
    }

    /// Both diameters, as far as they are wanted.
    fn measure(
        &mut self,
        mdp: &Mdp,
        is_reachable: &[bool],
        effort: Effort,
        watch: &dyn Watch,
    ) -> Result<(), SolveError> {
        let limit = effort.diameter_limit;
        if limit > 0 {
            if self.class != Class::Communicating {
                self.diameter = Some(Steps::Infinite);
            }
            if !self.start_is_recoverable {
                self.diameter_reachable = Some(Steps::Infinite);
            } else if self.reachable <= limit {
                watch.begin("diameter");
                match self.finite_diameter(mdp, is_reachable, effort.patience, watch) {
                    Err(error @ SolveError::Interrupted { .. }) => return Err(error),
                    Err(error) => self.diameter_error = Some(error),
                    Ok(()) => {}
                }
            }
            if self.class == Class::Communicating {
                self.diameter = self.diameter_reachable;
            }
        }
        for (key, value) in
            [("diameter", self.diameter), ("diameter_reachable", self.diameter_reachable)]
        {
            if value.is_none() {
                self.skipped.push(key);
            }
        }
        Ok(())
    }

    /// The diameter of the reachable states, or how long it would take if that is longer than `patience`.
    fn finite_diameter(
        &mut self,
        mdp: &Mdp,
        is_reachable: &[bool],
        patience: Option<Duration>,
        watch: &dyn Watch,
    ) -> Result<(), SolveError> {
        let patience = patience.filter(|_| self.reachable > TRIAL_FROM);
        let needed = match patience {
            Some(_) => seconds_for_diameter(mdp, is_reachable, self.reachable)?,
            None => 0.0,
        };
        if patience.is_some_and(|patience| needed > patience.as_secs_f64()) {
            self.diameter_seconds = Some(needed);
        } else {
            let report = |done, all| watch.done(done, all);
            let steps = hitting::diameter_within(mdp, is_reachable, &report)?;
            self.diameter_reachable = Some(steps.into());
        }
        Ok(())
    }
}

/// How long the diameter of the reachable states would take, judged by a few targets.
fn seconds_for_diameter(
    mdp: &Mdp,
    is_reachable: &[bool],
    reachable: usize,
) -> Result<f64, SolveError> {
    let targets = (0..mdp.states()).filter(|&state| is_reachable[state]);
    let clock = Instant::now();
    for target in targets.step_by(reachable.div_ceil(TRIAL_TARGETS)) {
        hitting::fastest_times(mdp, target)?;
    }
    let each = clock.elapsed().as_secs_f64() / TRIAL_TARGETS as f64;
    Ok(each * reachable as f64 / rayon::current_num_threads() as f64)
}

fn choices(mdp: &Mdp, solution: &Solution) -> Vec<Choice> {
    (0..mdp.states())
        .map(|state| {
            // The solver's policy is deterministic.
            let action = solution.policy.action(state).unwrap_or_default();
            Choice {
                state,
                name: mdp.state_names().get(state).cloned(),
                action,
                action_name: mdp.action_names().get(action).cloned(),
                gain: mdp.reward_range().in_own_units(solution.gain[state]),
                bias: solution.bias[state],
            }
        })
        .collect()
}

fn as_text<S: Serializer>(class: &Class, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(class)
}

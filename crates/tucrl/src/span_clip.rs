//! Which policy is best among those whose bias has a bounded span?
//!
//! SCAL's planning (Fruit, Pirotta, Lazaric, Ortner 2018): the optimistic Bellman operator
//! followed by clipping at the smallest value plus c,
//! T_c v(s) = min(L v(s), min over states of L v + c), iterated until the increments agree. A clipped state
//! mixes its best action with its most pessimistic one so that the mixture is worth exactly the clip.
//! With rewards augmented down to 0 such a mixture always exists.
//!
//! *Practical* mode (the published code): aperiodicity 0.9, clipping at c / 0.9, stop when the increments
//! differ by at most r_max / sqrt(t_k). *Theory* mode: every law gives the first seen state at least
//! eta = r_max / (c t_k), which makes the operator a span contraction, and the stopping rule carries the
//! contraction term; it needs about c t_k / r_max sweeps and is for small t only.
//!
//! Operator N replaces the clip by the most pessimistic value where no mixture exists.
//!
//! The attracting state is the first seen one; the paper leaves it open.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::evi::{Sweeper, Ties, choose};
use crate::inner_max::{Ranking, Scratch, Values};
use crate::math;
use crate::planner::{Choice, Plan, PlanError, Pulse, min_max};
use crate::plausible::{PlausibleSet, Shape, View};

/// Which guarantees the iteration carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Aperiodicity instead of perturbation; what can be run.
    #[default]
    Practical,
    /// Perturbed model and contraction term; what is proved.
    Theory,
}

/// What happens where no mixture is worth the clip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Operator {
    /// An error.
    #[default]
    T,
    /// The most pessimistic action and its value.
    N,
}

/// How to plan under a span bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpanClip {
    /// The bound on the span; infinite for none.
    pub c: f64,
    /// Practical or theory.
    pub mode: Mode,
    /// T or N.
    pub operator: Operator,
    /// Whether reward intervals extend down to 0.
    pub augment_rewards: bool,
    /// Weight of the real transition in practical mode.
    pub aperiodicity: f64,
    /// How ties among best actions are broken.
    pub ties: Ties,
    /// Sweeps after which planning is given up.
    pub sweep_limit: u64,
}

impl Default for SpanClip {
    fn default() -> Self {
        Self {
            c: f64::INFINITY,
            mode: Mode::Practical,
            operator: Operator::T,
            augment_rewards: true,
            aperiodicity: 0.9,
            ties: Ties::default(),
            sweep_limit: 1_000_000,
        }
    }
}

impl SpanClip {
    /// The weight of the real transition: a perturbed model needs no aperiodicity.
    pub(crate) fn tau(&self) -> f64 {
        match self.mode {
            Mode::Practical => self.aperiodicity,
            Mode::Theory => 1.0,
        }
    }
}

/// Plans with a span bound; `low_reward` gives the lower end of a pair's reward interval.
///
/// # Errors
/// When the sweep limit is reached, or without augmentation no mixture exists.
pub fn solve<S: Shape>(
    set: &PlausibleSet<'_, S>,
    t_k: u64,
    options: &SpanClip,
    low_reward: impl Fn(usize) -> f64,
) -> Result<Plan, PlanError> {
    let tolerance = set.r_max / (t_k as f64).sqrt();
    solve_from(set, t_k, tolerance, options, low_reward, None)
}

/// The same to another accuracy and from other values than 0, whose span must not exceed c.
pub(crate) fn solve_from<S: Shape>(
    set: &PlausibleSet<'_, S>,
    t_k: u64,
    tolerance: f64,
    options: &SpanClip,
    low_reward: impl Fn(usize) -> f64,
    start: Option<&Values>,
) -> Result<Plan, PlanError> {
    // The perturbation depends on c, and it only ever narrows a set: each plan perturbs a copy of its own.
    let perturbed;
    let (set, contraction) = match options.mode {
        Mode::Practical => (set, None),
        Mode::Theory => {
            let least = (set.r_max / (options.c * t_k as f64)).min(1.0);
            perturbed = set.attracted(0, least);
            (&perturbed, Some(1.0 - least))
        }
    };
    let tau = options.tau();
    let low_reward = |pair: usize| if options.augment_rewards { 0.0 } else { low_reward(pair) };
    let level = options.c / tau;
    let mut run = Sweeper::new(set, tau, start);
    let mut first_span = None;
    let pulse = Pulse::present();
    loop {
        run.sweep();
        let unseen = (set.unseen > 0).then_some(run.swept.unseen);
        let (lowest, _) = min_max(run.swept.seen.iter().copied().chain(unseen));
        let clip = lowest + level;
        let mut pessimist = Pessimist::new(set, tau);
        if options.operator == Operator::N {
            pessimist.look_at(&run.values);
        }
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for number in 0..run.swept.seen.len() {
            let value = &mut run.swept.seen[number];
            if *value > clip {
                *value = match options.operator {
                    Operator::T => clip,
                    Operator::N => {
                        clip.max(pessimist.worst(number as u32, &run.values, &low_reward).1)
                    }
                };
            }
            let increment = *value - run.values.seen[number];
            low = low.min(increment);
            high = high.max(increment);
        }
        if set.unseen > 0 {
            if run.swept.unseen > clip {
                run.swept.unseen = match options.operator {
                    Operator::T => clip,
                    Operator::N => clip.max(pessimist.worst_unseen(&run.values)),
                };
            }
            let increment = run.swept.unseen - run.values.unseen;
            low = low.min(increment);
            high = high.max(increment);
        }
        let span = high - low;
        if pulse.as_ref().is_some_and(|pulse| !pulse.beat(run.sweeps, span, tolerance)) {
            return Err(PlanError::Interrupted { t_k });
        }
        let slack = contraction.map_or(0.0, |gamma: f64| {
            let first = *first_span.get_or_insert(span);
            let rest = 2.0 * math::powf(gamma, run.sweeps as f64 - 1.0) / (1.0 - gamma);
            if first > 0.0 { rest * first } else { 0.0 }
        });
        if span + slack <= tolerance {
            let (choices, action_unseen) =
                mixtures(&mut run, set, tau, clip, options, &low_reward, t_k, tolerance)?;
            let (lowest, _) = min_max(run.values.seen.iter().copied());
            let centred = |value: f64| tau * (value - lowest);
            return Ok(Plan {
                choices,
                action_unseen,
                unseen_actions: Vec::new(),
                gain_low: low.clamp(0.0, set.ceiling),
                gain_high: high.clamp(0.0, set.ceiling),
                bias: run.values.seen.iter().map(|&value| centred(value)).collect(),
                bias_unseen: (set.unseen > 0).then(|| centred(run.values.unseen)),
                whole_span: None,
                sweeps: run.sweeps,
                evaluations: 0,
                unseen: set.counts().unseen(),
                under_visited: 0,
            });
        }
        if run.sweeps >= options.sweep_limit {
            let sweeps = run.sweeps;
            return Err(PlanError::NotConverged { t_k, sweeps, span: span + slack, tolerance });
        }
        run.advance_changed();
    }
}

/// The policy of the final values: best actions, mixed with the most pessimistic one where the
/// value is clipped.
#[expect(clippy::too_many_arguments, reason = "one call, all of it needed")]
fn mixtures<S: Shape>(
    run: &mut Sweeper<'_, '_, S>,
    set: &PlausibleSet<'_, S>,
    tau: f64,
    clip: f64,
    options: &SpanClip,
    low_reward: &impl Fn(usize) -> f64,
    t_k: u64,
    tolerance: f64,
) -> Result<(Vec<Choice>, u32), PlanError> {
    let counts = set.counts();
    run.mark_skipped();
    let (mut choices, action_unseen) = choose(set, &run.worth, options.ties, t_k, tolerance);
    let mut pessimist = Pessimist::new(set, tau);
    for (number, choice) in choices.iter_mut().enumerate() {
        let pairs = counts.pairs_of(number as u32);
        let (_, best) = min_max(run.worth[pairs.clone()].iter().copied());
        if best <= clip {
            continue;
        }
        pessimist.look_at(&run.values);
        let (worst, value) = pessimist.worst(number as u32, &run.values, low_reward);
        let other = (worst - pairs.start) as u32;
        if value > clip + 1e-9 * (set.r_max + clip.abs()) {
            if options.operator == Operator::T {
                let state = counts.state(number as u32);
                return Err(PlanError::Infeasible { t_k, state, c: options.c });
            }
            *choice = Choice::pure(other);
        } else if best - value >= 1e-12 * set.r_max {
            choice.other = other;
            choice.mix = ((best - clip) / (best - value)).clamp(0.0, 1.0);
            if choice.other == choice.action {
                *choice = Choice::pure(other);
            }
        }
    }
    Ok((choices, action_unseen))
}

/// The smallest plausible value of actions: inner minimisation is inner maximisation of the
/// negated values.
struct Pessimist<'a, 'b, S> {
    set: &'b PlausibleSet<'a, S>,
    tau: f64,
    negated: Values,
    ranking: Ranking,
    scratch: Scratch,
    is_ready: bool,
}

impl<'a, 'b, S: Shape> Pessimist<'a, 'b, S> {
    fn new(set: &'b PlausibleSet<'a, S>, tau: f64) -> Self {
        let negated = Values { seen: Vec::new(), unseen: 0.0 };
        let (ranking, scratch) = (Ranking::default(), Scratch::new());
        Self { set, tau, negated, ranking, scratch, is_ready: false }
    }

    fn look_at(&mut self, values: &Values) {
        if !self.is_ready {
            self.negated = Values {
                seen: values.seen.iter().map(|value| -value).collect(),
                unseen: -values.unseen,
            };
            self.set.rank(&self.negated, &mut self.ranking);
            self.is_ready = true;
        }
    }

    /// The pair of a state with the smallest pessimistic value, and that value.
    fn worst(
        &mut self,
        number: u32,
        values: &Values,
        low_reward: &impl Fn(usize) -> f64,
    ) -> (usize, f64) {
        let view = View::new(&self.negated, &self.ranking, self.set.unseen > 0);
        let here = values.seen[number as usize];
        let pairs = self.set.counts().pairs_of(number);
        pairs.fold((0, f64::INFINITY), |worst, pair| {
            let expected = -self.set.best_value(pair, &view, &mut self.scratch);
            let value = low_reward(pair) + self.tau * expected + (1.0 - self.tau) * here;
            if value < worst.1 { (pair, value) } else { worst }
        })
    }

    /// The smallest plausible value of a state never seen: no reward, and the worst state next, except
    /// for what the attracting state must be given.
    fn worst_unseen(&self, values: &Values) -> f64 {
        let view = View::new(&self.negated, &self.ranking, self.set.unseen > 0);
        let (pulled, to_attractor) = self
            .set
            .attractor()
            .map_or((0.0, 0.0), |(to, least)| (least, least * values.seen[to as usize]));
        let expected = to_attractor - (1.0 - pulled) * view.best();
        self.tau * expected + (1.0 - self.tau) * values.unseen
    }
}

//! Runs in one line, for the tests about runs.
#![allow(dead_code, missing_docs, clippy::unwrap_used)]

use std::sync::Arc;

use tucrl::agents::{
    Algorithm, Optimism, OptimisticPsrl, OptimisticQ, Penalty, Psrl, Regal, Relaxation, Scal,
    ScalPlus, SetKind, Tucrl, Ucrl, Ucrl2,
};
use tucrl::confidence::{Delta, Shrink};
use tucrl::evi::{EviOptions, Method, Ties};
use tucrl::mdp::Mdp;
use tucrl::planner::Rule;
use tucrl::posterior::{Concentration, Extended, Prior, RewardPosterior, Split};
use tucrl::run::{Checkpoints, Run, RunError, RunRecord, RunSpec, Truth};
use tucrl::solve::solve;
use tucrl::span_clip::SpanClip;
use tucrl::structure;

/// A world with what is true of it.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) mdp: Arc<Mdp>,
    pub(crate) truth: Truth,
}

impl World {
    pub(crate) fn new(mdp: Mdp) -> Self {
        let answer = solve(&mdp).unwrap();
        let reachable = structure::reachable(&mdp).iter().filter(|inside| **inside).count() as u64;
        let gain = answer.gain_from_start(&mdp).0;
        let truth = Truth { gain, reachable, optimal_policy: answer.policy };
        Self { mdp: Arc::new(mdp), truth }
    }

    /// A run that has not started.
    pub(crate) fn run(&self, algorithm: &Algorithm, steps: u64, run: u64) -> Run {
        self.run_with(spec(algorithm, steps, run)).unwrap()
    }

    pub(crate) fn run_with(&self, spec: RunSpec) -> Result<Run, RunError> {
        Run::new(spec, Arc::clone(&self.mdp), self.truth.clone())
    }

    /// A run that has ended.
    pub(crate) fn finished(&self, algorithm: &Algorithm, steps: u64, run: u64) -> Run {
        let mut run = self.run(algorithm, steps, run);
        run.advance(steps).unwrap();
        run
    }

    pub(crate) fn record(&self, algorithm: &Algorithm, steps: u64, run: u64) -> RunRecord {
        self.finished(algorithm, steps, run).record()
    }
}

pub(crate) fn spec(algorithm: &Algorithm, steps: u64, run: u64) -> RunSpec {
    RunSpec {
        algorithm: algorithm.clone(),
        steps,
        checkpoints: Checkpoints::PerDecade(1),
        master_seed: 1,
        run,
    }
}

/// Widths times alpha, the paper's words.
pub(crate) fn shrunk(alpha: f64) -> Optimism {
    Optimism { alpha_r: alpha, alpha_p: alpha, ..Optimism::default() }
}

/// The options of the published experiments: the log term times alpha, delta = 1 / sqrt(t_k), lowest
/// index, plain planning.
pub(crate) fn published(alpha: f64) -> Optimism {
    Optimism {
        alpha_r: alpha,
        alpha_p: alpha,
        shrink: Shrink::Log,
        delta: Delta::InverseRoot,
        evi: EviOptions { method: Method::Plain, ties: Ties::LowestIndex, ..EviOptions::default() },
        ..Optimism::default()
    }
}

pub(crate) fn ucrl2(optimism: Optimism) -> Algorithm {
    Algorithm::Ucrl2(Ucrl2 { optimism })
}

pub(crate) fn ucrl(optimism: Optimism) -> Algorithm {
    Algorithm::Ucrl(Ucrl { optimism, ..Ucrl::default() })
}

pub(crate) fn tucrl(optimism: Optimism) -> Algorithm {
    Algorithm::Tucrl(Tucrl { optimism, relaxation: Relaxation::L1 })
}

pub(crate) fn tucrl_zeta(optimism: Optimism) -> Algorithm {
    Algorithm::Tucrl(Tucrl { optimism, relaxation: Relaxation::Zeta })
}

pub(crate) fn scal(optimism: Optimism, c: f64) -> Algorithm {
    let clip = SpanClip { c, ..SpanClip::default() };
    Algorithm::Scal(Scal { optimism, clip, ..Scal::default() })
}

/// Every learner that plans, with the same options.
pub(crate) fn planners(optimism: &Optimism, c: f64) -> Vec<Algorithm> {
    vec![
        ucrl2(optimism.clone()),
        ucrl(optimism.clone()),
        tucrl(optimism.clone()),
        tucrl_zeta(optimism.clone()),
        scal(optimism.clone(), c),
    ]
}

/// Every algorithm there is.
pub(crate) fn everyone(optimism: &Optimism, c: f64) -> Vec<Algorithm> {
    let mut all = planners(optimism, c);
    all.extend([
        Algorithm::OptimisticQ(OptimisticQ { r_max: optimism.r_max, ..OptimisticQ::default() }),
        Algorithm::Oracle,
        Algorithm::Random,
    ]);
    all
}

/// Posterior sampling in all its kinds.
pub(crate) fn samplers() -> Vec<Algorithm> {
    let psrl = |rule, concentration, rewards, split| {
        let prior = Prior { concentration, rewards, split };
        Algorithm::Psrl(Psrl { prior, rule, r_max: 1.0 })
    };
    let (a, b) = (1.0, 1.0);
    let normal = RewardPosterior::NormalGamma { mean: 1.0, strength: 1.0, shape: 1.0, rate: 1.0 };
    let one = Concentration::Each(1.0);
    let optimistic = |known_rewards, samples| {
        let options = Extended { steps: 10_000, rho: 0.05, samples };
        let rule = Rule::Doubling;
        Algorithm::OptimisticPsrl(OptimisticPsrl { options, known_rewards, rule, r_max: 1.0 })
    };
    vec![
        psrl(Rule::Doubling, one, RewardPosterior::BetaFractional { a, b }, Split::Exact),
        psrl(Rule::Growing, one, RewardPosterior::BetaBernoulli { a, b }, Split::Exact),
        psrl(Rule::PowersOfTwo, Concentration::OneInAll, normal, Split::Mean),
        psrl(Rule::NewStates, one, RewardPosterior::Known, Split::Mean),
        optimistic(false, None),
        optimistic(true, Some(7)),
    ]
}

/// Other sets, other episodes, and a bonus.
pub(crate) fn relatives(optimism: &Optimism) -> Vec<Algorithm> {
    let ucrl = |set, rule| Algorithm::Ucrl(Ucrl { optimism: optimism.clone(), set, rule });
    let clip = SpanClip { c: 3.0, ..SpanClip::default() };
    let scal = Scal {
        optimism: optimism.clone(),
        clip: clip.clone(),
        set: SetKind::Kl,
        rule: Rule::NewStates,
    };
    let plus = ScalPlus { optimism: optimism.clone(), clip, ..ScalPlus::default() };
    let regal = |penalty, c| {
        let clip = SpanClip { c, ..SpanClip::default() };
        Algorithm::Regal(Regal { optimism: optimism.clone(), clip, penalty, ..Regal::default() })
    };
    vec![
        ucrl(SetKind::Bernstein2020, Rule::Doubling),
        ucrl(SetKind::Kl, Rule::Growing),
        ucrl(SetKind::Ucrl3, Rule::Doubling),
        ucrl(SetKind::L1, Rule::NewStates),
        Algorithm::Scal(scal),
        Algorithm::ScalPlus(plus),
        regal(Penalty::Bound, 3.0),
        regal(Penalty::Constant(0.05), f64::INFINITY),
        regal(Penalty::LastLength, f64::INFINITY),
        regal(Penalty::Guesses, f64::INFINITY),
        Algorithm::Tucrl(Tucrl { optimism: optimism.clone(), relaxation: Relaxation::Mass }),
    ]
}

//! Runs in one line, for the tests about runs.
#![allow(dead_code, missing_docs, clippy::unwrap_used)]

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tucrl::agents::{
    DiffQ, Focus, HorizonGuess, ImedRl, OptimisticPsrl, OptimisticQ, Oracle, PlusSet, PmeviDt,
    Prior, Psrl, Random, Regal, RegalC, RegalD, Relaxation, RewardModel, Scal, SpanGuess,
    UnionKind,
};
use tucrl::confidence::{Delta, InverseRoot, Shrink};
use tucrl::evi::{Method, Ties};
use tucrl::learner::{Knowledge, Saved};
use tucrl::options::{IntegerOr, NumberOr, Options, Required};
use tucrl::posterior::Split;
use tucrl::rules::{NewStateRule, OptimistRule, Rule, Vanishing};
use tucrl::run::RunError;
use tucrl::sets::{SetKind, SpanSetKind};
use tucrl::span_clip::SpanClip;
use tucrl::{
    AgentError, Algorithm, Checkpoints, Learner, Mdp, Model, Optimism, Run, RunRecord, RunSpec,
    Setting, Space, Start, Truth, Tucrl, TucrlPlus, Ucrl,
};

/// A world with what is true of it.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) mdp: Arc<Mdp>,
    pub(crate) model: Model,
    pub(crate) truth: Arc<Truth>,
}

impl World {
    pub(crate) fn new(mdp: Mdp) -> Self {
        let mdp = Arc::new(mdp);
        let model = Model::from(&mdp);
        let truth = Arc::new(Truth::of(&model).unwrap());
        Self { mdp, model, truth }
    }

    /// What an algorithm may know of it.
    pub(crate) fn setting(&self, steps: u64) -> Setting {
        let (space, r_max) = (self.model.space(), self.model.r_max());
        Setting { space, r_max, steps, knowledge: self.truth.knowledge(&self.model) }
    }

    /// A run that has not started.
    pub(crate) fn run(&self, algorithm: &Named, steps: u64, run: u64) -> Run {
        self.run_with(algorithm, spec(steps, run)).unwrap()
    }

    pub(crate) fn run_with(&self, algorithm: &Named, spec: RunSpec) -> Result<Run, RunError> {
        let algorithm = Arc::clone(&algorithm.algorithm);
        Run::new(spec, algorithm, &self.model, Arc::clone(&self.truth))
    }

    /// A run that has ended.
    pub(crate) fn finished(&self, algorithm: &Named, steps: u64, run: u64) -> Run {
        let mut run = self.run(algorithm, steps, run);
        run.advance(steps).unwrap();
        run
    }

    pub(crate) fn record(&self, algorithm: &Named, steps: u64, run: u64) -> RunRecord {
        self.finished(algorithm, steps, run).record()
    }
}

/// A space, rewards of at most 1, and no knowledge.
pub(crate) fn bare(space: Space, steps: u64) -> Setting {
    Setting { space, r_max: 1.0, steps, knowledge: Knowledge::default() }
}

pub(crate) fn spec(steps: u64, run: u64) -> RunSpec {
    RunSpec { steps, checkpoints: Checkpoints::PerDecade(1), master_seed: 1, run }
}

/// An algorithm with the name under which it is listed.
#[derive(Clone)]
pub(crate) struct Named {
    pub(crate) name: &'static str,
    pub(crate) algorithm: Arc<dyn Algorithm>,
    reread: fn(&dyn Algorithm) -> Arc<dyn Algorithm>,
}

impl fmt::Debug for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.algorithm.fmt(f)
    }
}

impl Named {
    pub(crate) fn new<A>(name: &'static str, algorithm: A) -> Self
    where
        A: Algorithm + Serialize + for<'a> Deserialize<'a> + 'static,
    {
        /// The algorithm that its written options describe.
        fn reread<A>(written: &dyn Algorithm) -> Arc<dyn Algorithm>
        where
            A: Algorithm + for<'a> Deserialize<'a> + 'static,
        {
            let text = serde_json::to_string(&written.options()).unwrap();
            let read: A = serde_json::from_str(&text).unwrap();
            assert_eq!(read.options(), written.options());
            assert_eq!(format!("{read:?}"), format!("{written:?}"));
            Arc::new(read)
        }
        Self { name, algorithm: Arc::new(algorithm), reread: reread::<A> }
    }

    /// The same algorithm, its options written as JSON and read back.
    pub(crate) fn reread(&self) -> Arc<dyn Algorithm> {
        (self.reread)(&*self.algorithm)
    }
}

/// An algorithm that is told another number of steps than the run has.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Foretold<A> {
    pub(crate) steps: u64,
    pub(crate) algorithm: A,
}

impl<A: Algorithm + Options> Algorithm for Foretold<A> {
    fn start(&self, start: Start<'_>) -> Result<Box<dyn Learner>, AgentError> {
        let setting = Setting { steps: self.steps, ..start.setting.clone() };
        self.algorithm.start(Start { setting: &setting, ..start })
    }

    fn restore(&self, setting: &Setting, saved: &Saved) -> Result<Box<dyn Learner>, AgentError> {
        self.algorithm.restore(setting, saved)
    }

    fn options(&self) -> Value {
        serde_json::to_value(self).unwrap()
    }
}

/// Widths times alpha, the paper's words.
pub(crate) fn shrunk(alpha: f64) -> Optimism {
    Optimism { r_max: 1.0.into(), ..Optimism::shrunk(alpha) }
}

/// The options of the published experiments: the log term times alpha, delta = 1 / sqrt(t_k), lowest
/// index, plain planning.
pub(crate) fn published(alpha: f64) -> Optimism {
    Optimism {
        shrink: Shrink::Log,
        delta: Delta::Word(InverseRoot::Word),
        planner: Method::Plain,
        ties: Ties::LowestIndex,
        ..shrunk(alpha)
    }
}

/// The options of planning under a span bound, whatever those of extended value iteration are.
pub(crate) fn clipped(optimism: Optimism) -> Optimism {
    let SpanClip { aperiodicity, ties, sweep_limit, .. } = SpanClip::default();
    Optimism { aperiodicity, ties, sweeps: sweep_limit, ..optimism }
}

/// A number as an option; JSON has no infinity, so that a word stands for it.
pub(crate) fn finite<W: Default>(number: f64) -> NumberOr<W> {
    if number.is_finite() { number.into() } else { NumberOr::default() }
}

pub(crate) fn ucrl2(optimism: Optimism) -> Named {
    Named::new("ucrl2", Ucrl { optimism, set: SetKind::L1, ..Ucrl::default() })
}

pub(crate) fn ucrl(optimism: Optimism) -> Named {
    Named::new("ucrl", Ucrl { optimism, ..Ucrl::default() })
}

pub(crate) fn tucrl(optimism: Optimism) -> Named {
    Named::new("tucrl", Tucrl { optimism, relaxation: Relaxation::L1 })
}

pub(crate) fn tucrl_zeta(optimism: Optimism) -> Named {
    Named::new("tucrl", Tucrl { optimism, relaxation: Relaxation::Zeta })
}

pub(crate) fn scal(optimism: Optimism, c: f64) -> Named {
    Named::new(
        "scal",
        Scal { c: Required(Some(finite(c))), optimism: clipped(optimism), ..Scal::default() },
    )
}

pub(crate) fn oracle() -> Named {
    Named::new("oracle", Oracle {})
}

pub(crate) fn random() -> Named {
    Named::new("random", Random {})
}

/// Every learner that plans, with the same options.
pub(crate) fn planners(optimism: &Optimism, c: f64) -> Vec<Named> {
    vec![
        ucrl2(optimism.clone()),
        ucrl(optimism.clone()),
        tucrl(optimism.clone()),
        tucrl_zeta(optimism.clone()),
        scal(optimism.clone(), c),
    ]
}

/// The planners, the learner without a model, and two baselines.
pub(crate) fn everyone(optimism: &Optimism, c: f64) -> Vec<Named> {
    let mut all = planners(optimism, c);
    let q = OptimisticQ { r_max: optimism.r_max, ..OptimisticQ::default() };
    all.extend([Named::new("optimistic-q", q), oracle(), random()]);
    all
}

/// Posterior sampling in all its kinds.
pub(crate) fn samplers() -> Vec<Named> {
    let psrl = Psrl { r_max: 1.0.into(), ..Psrl::default() };
    let optimistic = |known_rewards, psi| {
        let r_max = 1.0.into();
        let algorithm = OptimisticPsrl { psi, known_rewards, r_max, ..OptimisticPsrl::default() };
        Named::new("optimistic-psrl", Foretold { steps: 10_000, algorithm })
    };
    vec![
        Named::new("psrl", psrl.clone()),
        Named::new(
            "tsde",
            Psrl { rule: Rule::Tsde, rewards: RewardModel::Bernoulli, ..psrl.clone() },
        ),
        Named::new(
            "ds-psrl",
            Psrl {
                rule: Rule::PowersOfTwo,
                concentration: NumberOr::default(),
                rewards: RewardModel::NormalGamma,
                split: Split::Mean,
                ..psrl.clone()
            },
        ),
        Named::new(
            "psrl",
            Psrl { rule: Rule::NewStates, rewards: RewardModel::Known, split: Split::Mean, ..psrl },
        ),
        optimistic(false, IntegerOr::default()),
        optimistic(true, 7.into()),
    ]
}

/// Other sets, other episodes, and a bonus.
pub(crate) fn relatives(optimism: &Optimism) -> Vec<Named> {
    let clipped = clipped(optimism.clone());
    let ucrl = |name, set, rule| {
        Named::new(name, Ucrl { optimism: optimism.clone(), set, rule, ..Ucrl::default() })
    };
    let scal = Scal {
        c: 3.0.into(),
        set: SpanSetKind::Kl,
        rule: OptimistRule::NewStates,
        optimism: clipped.clone(),
        ..Scal::default()
    };
    let regal_c = RegalC { h: 3.0.into(), optimism: clipped.clone(), ..RegalC::default() };
    let regal = |penalty| Regal { penalty, optimism: clipped.clone(), ..Regal::default() };
    let regal_d = RegalD { optimism: clipped.clone(), ..RegalD::default() };
    let mass = Tucrl { optimism: optimism.clone(), relaxation: Relaxation::Mass };
    let focus = |h: NumberOr<SpanGuess>, horizon: IntegerOr<HorizonGuess>, known_rewards| {
        let (alpha, r_max) = (optimism.alpha.min(0.01), optimism.r_max);
        Focus { h, horizon, known_rewards, alpha, r_max, ..Focus::default() }
    };
    let pmevi = |prior| {
        let (c0, optimism) = (5.0.into(), clipped.clone());
        Named::new("pmevi-dt", PmeviDt { prior, c0, optimism, ..PmeviDt::default() })
    };
    let tucrl_plus = |set, union| {
        let optimism = optimism.clone();
        Named::new("tucrl-plus", TucrlPlus { set, union, optimism, ..TucrlPlus::default() })
    };
    vec![
        ucrl("ucrl2b-2020", SetKind::Bernstein2020, OptimistRule::Doubling),
        ucrl("kl-ucrl", SetKind::Kl, OptimistRule::Tsde),
        ucrl("ucrl3", SetKind::Ucrl3, OptimistRule::Doubling),
        ucrl("ucrl2", SetKind::L1, OptimistRule::NewStates),
        Named::new("scal", scal),
        Named::new("regal-c", regal_c),
        Named::new("regal", regal(0.05.into())),
        Named::new("regal", regal(NumberOr::default())),
        Named::new("regal-d", regal_d),
        Named::new("tucrl", mass),
        tucrl_plus(PlusSet::Tight, UnionKind::Auto),
        tucrl_plus(PlusSet::Tight, UnionKind::Discovery),
        tucrl_plus(PlusSet::Bernstein, UnionKind::Auto),
        tucrl_plus(PlusSet::Bernstein, UnionKind::Discovery),
        Named::new("focus", focus(2.0.into(), IntegerOr::default(), true)),
        Named::new("focus", focus(NumberOr::Word(SpanGuess::Seen), 3_000.into(), false)),
        Named::new("focus", focus(NumberOr::default(), IntegerOr::default(), false)),
        pmevi(Prior::Nothing),
        pmevi(Prior::Monotone),
    ]
}

/// Episodes by the vanishing multiplicative rule, and learners without episodes.
pub(crate) fn newcomers(optimism: &Optimism) -> Vec<Named> {
    let (rule, f) = (OptimistRule::Vm, Vanishing::CubeRoot);
    let ucrl = |name, set, f| Named::new(name, Ucrl { optimism: optimism.clone(), set, rule, f });
    let clipped = clipped(optimism.clone());
    let scal = Scal { c: 3.0.into(), rule, f, optimism: clipped, ..Scal::default() };
    let (rule, optimism) = (NewStateRule::Vm, optimism.clone());
    let plus = TucrlPlus { rule, optimism, ..TucrlPlus::default() };
    vec![
        ucrl("ucrl", SetKind::Bernstein, Vanishing::SqrtLog),
        ucrl("kl-ucrl", SetKind::Kl, f),
        Named::new("scal", scal),
        Named::new("tucrl-plus", plus),
        Named::new("diff-q", DiffQ::default()),
        Named::new("imed-rl", ImedRl { r_max: 1.0.into(), ..ImedRl::default() }),
    ]
}

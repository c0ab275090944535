//! Random count tables, given to the library step by step and to the literal planner as they are.

use proptest::prelude::*;
use tucrl::agents::{PlusSet, Relaxation, Scal};
use tucrl::confidence::{Delta, InverseRoot, Shrink};
use tucrl::counts::{Counts, PairCounts, Variance};
use tucrl::evi::{self, Method, Sweeper, Ties};
use tucrl::inner_max::Values;
use tucrl::options::{NumberOr, Required};
use tucrl::plausible::{Belief, KnownRewards, PlausibleSet};
use tucrl::sets::{
    Ball, Bernstein, Boxes, Budgeted, Kept, L1, SFree, SetKind, Tight, Union, balls, balls_by,
    boxes, budgeted,
};
use tucrl::span_clip::SpanClip;
use tucrl::truncation::{self, Threshold};
use tucrl::{
    ConfidenceSet, Optimism, Plan, PlanError, PlanInput, Planner, RandomStream, Space, Tucrl,
    TucrlPlus, Ucrl,
};

use super::literal::{Learner, Model, Options, Table, Variances};

/// A table, the options of a plan for it, and the order in which the library counts it.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub table: Table,
    pub options: Options,
    /// delta = 1 / sqrt(t_k) instead of a constant.
    pub has_falling_delta: bool,
    /// The order in which states are first seen.
    pub order: Vec<usize>,
    /// Scrambles the order of the steps.
    pub seed: u64,
}

/// The largest table.
const MAX_STATES: usize = 10;

/// A number of cases, the same ones in every run.
pub(crate) fn config(cases: u32, seed: u64) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(seed),
        ..Default::default()
    }
}

/// Values by nominal state, enough for any table, and one for states never seen; ties are common, as
/// they are in planning.
pub(crate) fn values() -> impl Strategy<Value = (Vec<f64>, f64)> {
    let value = || prop_oneof![3 => -5.0..5.0f64, 1 => prop::sample::select(&[0.0, 1.0, 2.0][..])];
    (prop::collection::vec(value(), MAX_STATES), value())
}

/// A small generator of its own, so that no test depends on the library's.
fn scramble(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}

fn fraction(seed: &mut u64) -> f64 {
    scramble(seed) as f64 / (1u64 << 31) as f64
}

/// The rewards of a pair: always 0, always r_max, a constant, one of 0 and r_max, or anything.
fn rewards_of(kind: u8, visits: u64, r_max: f64, mut seed: u64) -> Vec<f64> {
    let seed = &mut seed;
    (0..visits)
        .map(|_| match kind {
            0 => 0.0,
            1 => r_max,
            2 => 0.3 * r_max,
            3 => r_max * (scramble(seed) % 2) as f64,
            _ => r_max * fraction(seed),
        })
        .collect()
}

type Row = Vec<(usize, u64)>;
type Pair = (Row, u8, u64);

/// Which states may have been seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seen {
    Some,
    All,
}

/// A random table of at most `states` states.
pub(crate) fn table(states: usize, seen: Seen) -> impl Strategy<Value = Table> {
    (1..=states).prop_flat_map(move |states| {
        let counts = prop::sample::select(&[1, 1, 2, 3, 5, 13, 60, 300, 1000][..]);
        // Untried pairs make all optimism look alike: they must not be in every table.
        let tried = prop::collection::vec((0..states, counts), 1..=4);
        let row = prop_oneof![1 => Just(Vec::new()), 9 => tried];
        let state = prop::collection::vec((row, 0u8..5, any::<u64>()), 1..=3);
        let times = prop::sample::select(&[0, 0, 0, 1, 2, 10, 100, 1000, 100_000, 10_000_000][..]);
        let r_max = prop::sample::select(&[1.0, 1.0, 7.5, 0.02][..]);
        let mask = prop::collection::vec(prop::bool::weighted(0.75), states);
        (prop::collection::vec(state, states), mask, 0..states, times, r_max).prop_map(
            move |(pairs, mask, here, time, r_max)| {
                let may_be_seen = |s: usize| seen == Seen::All || mask[s] || s == here;
                let table = build(&pairs, may_be_seen, here, r_max, seen);
                let steps: u64 = table.next.iter().flatten().flatten().sum();
                Table { time: if time == 0 { steps + 1 } else { time }, ..table }
            },
        )
    })
}

fn build(
    pairs: &[Vec<Pair>],
    may_be_seen: impl Fn(usize) -> bool,
    here: usize,
    r_max: f64,
    seen: Seen,
) -> Table {
    let states = pairs.len();
    let (mut next, mut rewards) = (Vec::new(), Vec::new());
    for (s, actions) in pairs.iter().enumerate() {
        let mut rows: Vec<Vec<u64>> = Vec::new();
        for (row, _, _) in actions {
            let mut counts = vec![0; states];
            for &(target, count) in row.iter().filter(|_| may_be_seen(s)) {
                counts[if may_be_seen(target) { target } else { here }] += count;
            }
            rows.push(counts);
        }
        if seen == Seen::All && rows.iter().flatten().all(|&count| count == 0) {
            rows[0][(s + 1) % states] = 1;
        }
        let paid = rows
            .iter()
            .zip(actions)
            .map(|(row, &(_, kind, seed))| rewards_of(kind, row.iter().sum(), r_max, seed));
        rewards.push(paid.collect());
        next.push(rows);
    }
    Table { r_max, next, rewards, here, time: 1 }
}

/// Any learner with any options.
pub(crate) fn options(learners: &'static [Learner]) -> impl Strategy<Value = Options> {
    let alphas =
        || prop::sample::select(&[1.0, 0.3, 0.05, 0.01, 0.01, 0.001, 0.001, 1e-4, 0.0][..]);
    let variances = [Variances::Published, Variances::Sample, Variances::Population];
    (
        prop::sample::select(learners),
        prop::sample::select(&[0.05, 1.0, 1e-3][..]),
        (any::<bool>(), alphas(), alphas()),
        prop::sample::select(variances.to_vec()),
        prop::sample::select(&[1.0, 1.0, 0.9][..]),
    )
        .prop_map(|(learner, delta, (shrinks_log, alpha_r, alpha_p), variances, tau)| {
            Options {
                learner,
                delta,
                shrinks_log,
                alpha_r,
                alpha_p,
                variances,
                known_rewards: None,
                tau,
            }
        })
}

/// Any table with any options.
pub(crate) fn case(learners: &'static [Learner], seen: Seen) -> impl Strategy<Value = Case> {
    let scrambled = |table: Table| {
        let order: Vec<usize> = (0..table.states()).collect();
        (Just(table), Just(order).prop_shuffle())
    };
    let knows_rewards = prop::bool::weighted(0.15);
    let others = (prop::bool::weighted(0.2), knows_rewards, any::<u64>());
    (table(MAX_STATES, seen).prop_flat_map(scrambled), options(learners), others).prop_map(
        |((table, order), mut options, (has_falling_delta, knows_rewards, seed))| {
            if has_falling_delta {
                options.delta = 1.0 / (table.time as f64).sqrt();
            }
            if knows_rewards {
                let mut seed = seed;
                let mut means = |actions: &Vec<Vec<u64>>| {
                    actions.iter().map(|_| table.r_max * fraction(&mut seed)).collect()
                };
                options.known_rewards = Some(table.next.iter().map(&mut means).collect());
            }
            Case { table, options, has_falling_delta, order, seed }
        },
    )
}

impl Case {
    pub(crate) fn space(&self) -> Space {
        Space::listed(self.table.next.iter().map(|actions| actions.len() as u32).collect())
    }

    /// What a learner would have counted: states seen in `order`, steps in scrambled order, over two
    /// episodes.
    pub(crate) fn counts(&self) -> Counts {
        let variance = match self.options.variances {
            Variances::Published => Variance::Published,
            Variances::Sample => Variance::Sample,
            Variances::Population => Variance::Population,
        };
        let mut counts = Counts::new(self.space(), variance);
        let seen = self.table.seen();
        for &state in self.order.iter().filter(|&&state| seen[state]) {
            counts.see(state as u64);
        }
        let mut steps = Vec::new();
        for (s, actions) in self.table.next.iter().enumerate() {
            for (a, row) in actions.iter().enumerate() {
                let targets = row.iter().enumerate();
                let targets = targets.flat_map(|(next, &count)| (0..count).map(move |_| next));
                let rewards = self.table.rewards[s][a].iter();
                steps.extend(targets.zip(rewards).map(|(next, &reward)| (s, a, next, reward)));
            }
        }
        let mut seed = self.seed;
        for last in (1..steps.len()).rev() {
            steps.swap(last, scramble(&mut seed) as usize % (last + 1));
        }
        let half = steps.len() / 3;
        for (index, (s, a, next, reward)) in steps.into_iter().enumerate() {
            if index == half {
                counts.freeze();
            }
            let pair = counts.pair(counts.number(s as u64).unwrap(), a as u32);
            let next = counts.number(next as u64).unwrap();
            counts.record(pair, reward, next);
        }
        counts.freeze();
        counts
    }

    fn shrink(&self) -> Shrink {
        if self.options.shrinks_log { Shrink::Log } else { Shrink::Linear }
    }

    fn delta(&self) -> Delta {
        match self.has_falling_delta {
            true => Delta::Word(InverseRoot::Word),
            false => self.options.delta.into(),
        }
    }

    pub(crate) fn optimism(&self, method: Method, ties: Ties, sweep_limit: u64) -> Optimism {
        Optimism {
            delta: self.delta(),
            alpha_r: self.options.alpha_r.into(),
            alpha_p: self.options.alpha_p.into(),
            shrink: self.shrink(),
            r_max: self.table.r_max.into(),
            planner: method,
            ties,
            aperiodicity: self.options.tau,
            sweeps: sweep_limit,
            ..Optimism::default()
        }
    }

    /// Plans with a planner.
    pub(crate) fn plan_with(
        &self,
        counts: &Counts,
        mut planner: impl Planner,
        previous: Option<&Values>,
    ) -> Result<Plan, PlanError> {
        let means = self.options.known_rewards.as_ref().map(|means| {
            |pair: usize| {
                let (state, action) = counts.owner(pair);
                means[state as usize][action as usize]
            }
        });
        let known: KnownRewards<'_> = means.as_ref().map(|mean| mean as &dyn Fn(usize) -> f64);
        let mut random = RandomStream::new(0);
        let now = PlanInput::new(counts, self.table.time, &mut random);
        planner.plan(&mut PlanInput { previous, known, ..now })
    }

    /// Plans with the planner that the options name.
    pub(crate) fn plan(
        &self,
        counts: &Counts,
        method: Method,
        ties: Ties,
        sweep_limit: u64,
    ) -> Result<Plan, PlanError> {
        self.plan_from(counts, self.optimism(method, ties, sweep_limit), None)
    }

    /// The same with any options and a start.
    pub(crate) fn plan_from(
        &self,
        counts: &Counts,
        optimism: Optimism,
        previous: Option<&Values>,
    ) -> Result<Plan, PlanError> {
        let ucrl = |set| Ucrl { set, optimism: optimism.clone(), ..Ucrl::default() };
        let tucrl = |relaxation| Tucrl { relaxation, optimism: optimism.clone() };
        let plus = |set| {
            TucrlPlus { set, optimism: optimism.clone(), ..TucrlPlus::default() }.into_planner()
        };
        match self.options.learner {
            Learner::Ucrl2 => self.plan_with(counts, ucrl(SetKind::L1), previous),
            Learner::Ucrl2b => self.plan_with(counts, ucrl(SetKind::Bernstein), previous),
            Learner::TucrlL1 => self.plan_with(counts, tucrl(Relaxation::L1), previous),
            Learner::TucrlZeta => self.plan_with(counts, tucrl(Relaxation::Zeta), previous),
            Learner::TucrlMass => self.plan_with(counts, tucrl(Relaxation::Mass), previous),
            Learner::PlusTight => self.plan_with(counts, plus(PlusSet::Tight), previous),
            Learner::PlusBernstein => self.plan_with(counts, plus(PlusSet::Bernstein), previous),
            _ => unreachable!("no planner has relaxed sets without truncation"),
        }
    }

    pub(crate) fn scal(&self, counts: &Counts, clip: SpanClip) -> Result<Plan, PlanError> {
        let SpanClip { c, mode, operator, augment_rewards, aperiodicity, ties, sweep_limit } = clip;
        let optimism = Optimism { aperiodicity, ..self.optimism(Method::Plain, ties, sweep_limit) };
        let c = if c.is_finite() { c.into() } else { Required(Some(NumberOr::default())) };
        let augment = augment_rewards;
        let scal = Scal { c, mode, operator, augment, optimism, ..Scal::default() };
        self.plan_with(counts, scal, None)
    }

    /// The library's plausible set, made as the planners make it.
    pub(crate) fn set<'a>(&self, counts: &'a Counts) -> Set<'a> {
        let (time, r_max, unseen) = (self.table.time, self.table.r_max, counts.unseen());
        let confidence = self.optimism(Method::Plain, Ties::LeastVisited, 1).confidence();
        let widths = Bernstein::of(&confidence, counts.space(), time);
        let truncation = truncation::decide(counts, time);
        let planned = if truncation.plans_unseen() { unseen } else { 0 };
        let forbids = |pair: usize| truncation.forbids(counts, pair);
        let everything = Belief::new(counts, r_max, None);
        let truncated = Belief { unseen: planned, ..everything };
        let states = counts.space().states() as f64;
        let is_mass = matches!(self.options.learner, Learner::TucrlMass | Learner::UntruncatedMass);
        let relaxation = if is_mass { Relaxation::Mass } else { Relaxation::L1 };
        let radius = |pair: &PairCounts| {
            widths.radius(pair, relaxation.summed_widths(pair, states).unwrap())
        };
        let reward = |pair: &_| widths.reward_width(pair);
        if self.options.learner.is_plus() {
            return self.plus_set(counts);
        }
        match self.options.learner {
            Learner::Ucrl2 => {
                Set::Balls(L1::of(&confidence, counts.space(), time).plausible(&everything))
            }
            Learner::UntruncatedL1 | Learner::UntruncatedMass => {
                Set::Balls(balls(&everything, reward, radius, |_| false))
            }
            Learner::TucrlL1 | Learner::TucrlMass if unseen > 0 => {
                Set::Balls(balls(&truncated, reward, radius, forbids))
            }
            Learner::Ucrl2b => Set::Boxes(widths.plausible(&everything)),
            _ => Set::Boxes(boxes(&truncated, &widths, forbids, unseen)),
        }
    }

    /// The same for TUCRL+.
    fn plus_set<'a>(&self, counts: &'a Counts) -> Set<'a> {
        let (time, r_max, unseen) = (self.table.time, self.table.r_max, counts.unseen());
        let confidence = self.optimism(Method::Plain, Ties::LeastVisited, 1).confidence();
        let truncation = truncation::decide_by(Threshold::Seen, counts, unseen, time);
        let planned = if truncation.plans_unseen() { unseen } else { 0 };
        let belief = Belief { counts, r_max, unseen: planned, known: None };
        let truncates = |pair: usize| truncation.truncates(counts, pair);
        if self.options.learner == Learner::PlusTight {
            let mut kept = Kept::default();
            kept.refresh(&Tight::of(&confidence, counts.space(), time), counts);
            return Set::Budgets(budgeted(&belief, &kept, truncates));
        }
        let set = SFree::new(&confidence, counts.space(), time, Union::Nominal);
        let reward = |pair: usize| set.reward_width(counts, pair);
        let radius = |pair: usize| set.radius(counts, pair);
        Set::Balls(balls_by(&belief, reward, radius, truncates))
    }

    /// Values by nominal state from values by number; NaN for states never seen without a value.
    pub(crate) fn dense(&self, counts: &Counts, seen: &[f64], unseen: Option<f64>) -> Vec<f64> {
        (0..self.table.states() as u64)
            .map(|state| match counts.number(state) {
                Some(number) => seen[number as usize],
                None => unseen.unwrap_or(f64::NAN),
            })
            .collect()
    }

    /// Values by number from values by nominal state, which must agree on states never seen.
    pub(crate) fn by_number(&self, counts: &Counts, dense: &[f64]) -> Values {
        let seen = (0..counts.seen() as u32).map(|n| dense[counts.state(n) as usize]).collect();
        let unseen = (0..dense.len()).find(|&s| counts.number(s as u64).is_none());
        Values { seen, unseen: unseen.map_or(0.0, |s| dense[s]) }
    }

    /// The given values where planning happens, NaN elsewhere.
    pub(crate) fn values_of(&self, model: &Model, seed: &[f64], unseen: f64) -> Vec<f64> {
        let seen = self.table.seen();
        let value = |s: usize| match (seen[s], model.planned[s]) {
            (true, _) => seed[s],
            (false, true) => unseen,
            (false, false) => f64::NAN,
        };
        (0..self.table.states()).map(value).collect()
    }
}

/// A plausible set of either shape.
pub(crate) enum Set<'a> {
    Balls(PlausibleSet<'a, Ball>),
    Boxes(PlausibleSet<'a, Boxes>),
    Budgets(PlausibleSet<'a, Budgeted>),
}

/// Evaluates an expression for the set, whichever shape it has.
macro_rules! with_set {
    ($self:ident, $set:ident => $value:expr) => {
        match $self {
            Set::Balls($set) => $value,
            Set::Boxes($set) => $value,
            Set::Budgets($set) => $value,
        }
    };
}

impl Set<'_> {
    /// The plausible law of a pair that is best for the given values.
    pub(crate) fn best_law(&self, pair: usize, values: &Values) -> Vec<(u32, f64)> {
        with_set!(self, set => set.best_law(pair, values))
    }

    /// One sweep from the given values.
    pub(crate) fn sweep(&self, values: &Values) -> Values {
        with_set!(self, set => evi::sweep(set, values))
    }

    /// The smallest and the largest increment of each of some sweeps, one after the other.
    pub(crate) fn increments(&self, start: &Values, sweeps: usize) -> Vec<(f64, f64)> {
        with_set!(self, set => {
            let mut sweeper = Sweeper::new(set, 1.0, Some(start));
            let mut sweep = || {
                let increments = sweeper.sweep();
                sweeper.advance();
                increments
            };
            (0..sweeps).map(|_| sweep()).collect()
        })
    }
}

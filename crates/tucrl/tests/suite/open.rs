//! Does what a user adds behave like what comes with the library? Learners, algorithms, rules, sets, shapes, planners.
#![allow(missing_docs, clippy::unwrap_used)]

use crate::runs;

use std::sync::Arc;

use runs::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tucrl::agents::{
    About, DiffQ, Focus, Heuristic, ImedRl, OptimisticPsrl, OptimisticQ, PmeviDt, Psrl, Regal,
    RegalC, RegalD, Scal,
};
use tucrl::confidence::Confidence;
use tucrl::counts::{Counts, PairCounts, Variance};
use tucrl::env::{Environment, Walk};
use tucrl::evi;
use tucrl::inner_max::{Ranking, Scratch, Sink, Values};
use tucrl::learner::{Diary, Saved};
use tucrl::plausible::{Belief, PlausibleSet, Row, Shape, View, optimistic_rewards};
use tucrl::rng::Purpose;
use tucrl::rules::{EpisodeView, StopReason, Verdict};
use tucrl::run::{Case, RunError, RunState};
use tucrl::sets::{Bernstein, BoxRow, Intervals, SetKind, SetWidth, fill_box, reach_of};
use tucrl::truncation;
use tucrl::worlds::{Garnet, RiverSwim, ThreeState, TwoState};
use tucrl::{
    ActionId, AgentError, AgentKind, Algorithm, ConfidenceSet, EpisodeRule, Episodic,
    EpisodicAlgorithm, Learner, Optimism, Plan, PlanError, PlanInput, Planner, RandomStream, Run,
    Setting, Space, Start, StateId, Tucrl, Ucrl, own_agent,
};

fn river_swim() -> World {
    World::new(RiverSwim::default().build().unwrap())
}

/// The options of an algorithm by name.
fn given(options: Value) -> Map<String, Value> {
    options.as_object().unwrap().clone()
}

fn run_of(world: &World, algorithm: &Arc<dyn Algorithm>, steps: u64, run: u64) -> Run {
    let (algorithm, truth) = (Arc::clone(algorithm), Arc::clone(&world.truth));
    Run::new(spec(steps, run), algorithm, &world.model, truth).unwrap()
}

fn resumed(
    world: &World,
    algorithm: &Arc<dyn Algorithm>,
    steps: u64,
    state: RunState,
) -> Result<Run, RunError> {
    let (algorithm, truth) = (Arc::clone(algorithm), Arc::clone(&world.truth));
    Run::resume(spec(steps, 1), algorithm, &world.model, truth, state)
}

// A learner of one's own.

/// Plays the actions in turn, and counts.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct InTurn {
    counts: Counts,
    here: u32,
    turn: u32,
}

impl InTurn {
    fn new(start: &Start<'_>, first: u32) -> Self {
        let mut counts = Counts::new(start.setting.space.clone(), Variance::default());
        let here = counts.see(start.state);
        Self { counts, here, turn: first }
    }

    fn pair(&self) -> usize {
        let pairs = self.counts.pairs_of(self.here);
        pairs.start + self.turn as usize % pairs.len()
    }
}

impl Learner for InTurn {
    fn act(&mut self) -> Result<ActionId, PlanError> {
        Ok((self.pair() - self.counts.pairs_of(self.here).start) as ActionId)
    }

    fn observe(&mut self, reward: f64, next: StateId) {
        let pair = self.pair();
        let next = self.counts.see(next);
        self.counts.record(pair, reward, next);
        self.here = next;
        self.turn += 1;
    }

    fn diary(&self) -> Diary<'_> {
        let poor_steps = u64::from(self.turn);
        Diary { counts: Some(&self.counts), poor_steps, ..Diary::default() }
    }
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
struct InTurnOptions {
    /// the first action
    #[schemars(extend("maximum" = 1.0))]
    first: u32,
}

fn in_turn() -> AgentKind {
    own_agent("in-turn", "plays the actions in turn", |start, options: InTurnOptions| {
        Ok(InTurn::new(&start, options.first))
    })
}

#[test]
fn a_learner_of_ones_own_runs_and_its_record_is_right() {
    let (steps, run) = (70_000, 3);
    for world in [river_swim(), World::new(ThreeState::default().build().unwrap())] {
        let algorithm = in_turn().make(&given(json!({ "first": 1 }))).unwrap();
        assert_eq!(algorithm.options(), json!({ "first": 1 }));
        let mut played = run_of(&world, &algorithm, steps, run);
        played.advance(steps).unwrap();
        let record = played.record();

        // The same steps without the library's runs.
        let random = RandomStream::of_run(1, run, Purpose::World);
        let mut walk = Walk::new(Arc::clone(&world.mdp), random);
        let (mut earned, mut expected) = (0.0, 0.0);
        let mut visits = std::collections::BTreeMap::new();
        for step in 0..steps {
            let here = walk.state();
            let action = (step as u32 + 1) % world.mdp.actions(here as usize) as u32;
            let outcome = walk.step(action);
            earned += outcome.reward;
            expected += outcome.mean_reward;
            *visits.entry((here, action)).or_insert(0u64) += 1;
        }
        let best = steps as f64 * world.truth.gain();
        let (time, regret) = *record.regret.last().unwrap();
        assert_eq!((record.steps, time, record.regret.len()), (steps, steps, 6));
        assert!((regret - (best - earned)).abs() < 1e-6, "{regret}");
        assert!((record.pseudo_regret[5].1 - (best - expected)).abs() < 1e-6);
        assert_eq!(played.regret(), regret);
        let tried = record.visits.iter().filter(|visit| visit.2 > 0);
        let found: std::collections::BTreeMap<_, _> = tried.map(|v| ((v.0, v.1), v.2)).collect();
        assert_eq!(found, visits);
        let states = visits.keys().map(|pair| pair.0).collect::<std::collections::BTreeSet<_>>();
        assert_eq!(record.seen, states.len() as u64);
        // What its diary leaves empty is empty in the record, and what it says is there.
        assert_eq!((record.episodes.len(), record.sweeps, record.y), (0, 0, 0));
        assert_eq!(
            (record.z, *record.z_over_time.last().unwrap()),
            (steps + 1, (steps, steps + 1))
        );
    }
}

#[test]
fn options_of_a_learner_of_ones_own_are_described_and_checked() {
    let kind = in_turn();
    assert_eq!((kind.about().name, kind.about().example), ("in-turn", "in-turn"));
    let first = &kind.options().list()[0];
    assert_eq!((first.key.as_str(), first.help.as_str()), ("first", "the first action"));
    let refused = kind.make(&given(json!({ "first": 2 }))).unwrap_err().to_string();
    assert!(refused.starts_with("first = 2 is out of range: it accepts "), "{refused}");
    let algorithm = kind.make(&Map::new()).unwrap();
    assert_eq!(algorithm.check(&bare(Space::uniform(2, 2), 1)), Ok(()));
    assert_eq!((algorithm.step_cost(), algorithm.needs_policy()), (1, false));
}

#[test]
fn a_learner_that_cannot_be_saved_has_no_state_and_restoring_it_says_so() {
    let world = river_swim();
    let algorithm = in_turn().make(&Map::new()).unwrap();
    let mut run = run_of(&world, &algorithm, 1_000, 1);
    assert!(run.state().is_none());
    run.advance(500).unwrap();
    assert!(run.state().is_none() && run.learner().save().is_none());
    run.advance(1_000).unwrap();
    assert!(run.is_complete());

    let saved = Saved::of(&json!({ "turn": 3 })).unwrap();
    let refused = algorithm.restore(&world.setting(1_000), &saved).err().unwrap();
    assert_eq!(refused, AgentError::CannotRestore);
    let message = "this algorithm cannot be restored from a checkpoint: run it from the first step";
    assert_eq!(refused.to_string(), message);
    let state = world.run(&tucrl(shrunk(0.1)), 1_000, 1).state().unwrap();
    let refused = resumed(&world, &algorithm, 1_000, state).err().unwrap();
    assert_eq!(refused, RunError::Agent(AgentError::CannotRestore));
}

/// The same learner, saved.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Kept(InTurn);

impl Learner for Kept {
    fn act(&mut self) -> Result<ActionId, PlanError> {
        self.0.act()
    }

    fn observe(&mut self, reward: f64, next: StateId) {
        self.0.observe(reward, next);
    }

    fn diary(&self) -> Diary<'_> {
        self.0.diary()
    }

    fn save(&self) -> Option<Saved> {
        Saved::of(self)
    }
}

impl Algorithm for InTurnOptions {
    fn start(&self, start: Start<'_>) -> Result<Box<dyn Learner>, AgentError> {
        Ok(Box::new(Kept(InTurn::new(&start, self.first))))
    }

    fn restore(&self, _: &Setting, saved: &Saved) -> Result<Box<dyn Learner>, AgentError> {
        let unreadable = |error: serde_json::Error| error.to_string();
        let read = saved.read::<Kept>().map_err(unreadable);
        let learner = read.map_err(|reason| AgentError::Checkpoint { reason })?;
        Ok(Box::new(learner))
    }

    fn options(&self) -> Value {
        serde_json::to_value(self).unwrap()
    }
}

#[test]
fn an_algorithm_of_ones_own_that_can_be_restored_continues_from_a_checkpoint() {
    let world = river_swim();
    let about = About { name: "kept", ..About::default() };
    let kind = AgentKind::new::<InTurnOptions>(about);
    let algorithm = kind.make(&given(json!({ "first": 1 }))).unwrap();
    let mut whole = run_of(&world, &algorithm, 1_000, 1);
    whole.advance(1_000).unwrap();
    let mut run = run_of(&world, &algorithm, 1_000, 1);
    for stop in [0, 1, 377, 1_000] {
        run.advance(stop).unwrap();
        let text = serde_json::to_string(&run.state().unwrap()).unwrap();
        run = resumed(&world, &algorithm, 1_000, serde_json::from_str(&text).unwrap()).unwrap();
        assert_eq!(run.taken(), stop);
    }
    assert_eq!(run.record(), whole.record());
}

// An episodic algorithm of one's own: UCRL once more, without the library's rule, set, shape or planner.

/// An episode ends before a pair is played more often in it than before it.
#[derive(Debug, Clone, Copy)]
struct OwnDoubling;

impl EpisodeRule for OwnDoubling {
    fn before_pair(&self, now: &EpisodeView<'_>, pair: usize) -> Verdict {
        let before = now.counts.pairs()[pair].visits_before();
        if now.counts.visits(pair) - before < before.max(1) {
            return Verdict::Continue;
        }
        let (state, action) = now.counts.owner(pair);
        Verdict::End(StopReason::Doubling { state, action })
    }
}

/// The paper's widths, in boxes of one's own.
#[derive(Debug, Clone, Copy)]
struct OwnSet(Bernstein);

/// The part of a box that is not in its row.
#[derive(Debug, Clone)]
struct OwnBox {
    room: Vec<f64>,
    cap: f64,
    unseen_cap: f64,
    reach: u32,
}

/// By pair.
#[derive(Debug, Clone)]
struct OwnBoxes(Vec<OwnBox>);

impl ConfidenceSet for OwnSet {
    type Shape = OwnBoxes;

    fn of(confidence: &Confidence, space: &Space, t_k: u64) -> Self {
        Self(Bernstein::of(confidence, space, t_k))
    }

    fn reward_width(&self, pair: &PairCounts) -> f64 {
        self.0.reward_width(pair)
    }

    fn plausible<'a>(&self, belief: &Belief<'a, '_>) -> PlausibleSet<'a, OwnBoxes> {
        let (counts, unseen) = (belief.counts, belief.unseen);
        let reward = optimistic_rewards(belief, |stats| self.reward_width(stats));
        let (mut boxes, mut lows) = (Vec::new(), Vec::new());
        for (pair, stats) in counts.pairs().iter().enumerate() {
            let (root, unobserved) = self.0.widths(stats);
            let (row, is_tried) = (counts.row(pair), stats.visits_before() > 0);
            let (mut low, mut room, mut left) = (Vec::new(), Vec::new(), 1.0);
            for (&p, &deviation) in row.p_hat.iter().zip(row.deviation).filter(|_| is_tried) {
                let width = root * deviation + unobserved;
                let least = (p - width).max(0.0);
                low.push(least);
                room.push((p + width).min(1.0) - least);
                left -= least;
            }
            let (left, cap) = (f64::max(left, 0.0), unobserved.min(1.0));
            let reach = reach_of(left, cap, low.len(), counts.seen());
            boxes.push(OwnBox { room, cap, unseen_cap: (unseen as f64 * cap).min(1.0), reach });
            lows.push((low, left));
        }
        let mut all = PlausibleSet::new(belief, OwnBoxes(boxes));
        for (pair, (low, free)) in lows.iter().enumerate() {
            all.push(Row {
                reward: reward[pair],
                free: *free,
                is_forbidden: unseen == 0,
                is_wide: low.is_empty(),
                next: &counts.row(pair).next[..low.len()],
                mass: low,
            });
        }
        all.closed()
    }

    fn width_after(&self, visits: f64) -> SetWidth {
        self.0.width_after(visits)
    }
}

impl Shape for OwnBoxes {
    fn rank(_: &PlausibleSet<'_, Self>, values: &Values, ranking: &mut Ranking) {
        ranking.update(values);
    }

    fn fill(
        set: &PlausibleSet<'_, Self>,
        pair: usize,
        row: &Row<'_>,
        view: &View<'_>,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
    ) {
        let OwnBox { room, cap, unseen_cap, reach } = &set.shape().0[pair];
        let (cap, unseen_cap, reach) = (*cap, *unseen_cap, *reach);
        let (next, low, left) = (row.next, row.mass, row.free);
        let row = BoxRow { next, low, room, left, cap, unseen_cap, extra: None, reach };
        fill_box(row, view.ranking, scratch, sink);
    }
}

/// Extended value iteration on the set.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct OwnPlanner {
    optimism: Optimism,
}

impl Planner for OwnPlanner {
    type Rule = OwnDoubling;

    fn plan(&mut self, now: &mut PlanInput<'_>) -> Result<Plan, PlanError> {
        let (counts, t_k, optimism) = (now.counts, now.t_k, &self.optimism);
        let set = OwnSet::of(&optimism.confidence(), counts.space(), t_k);
        let plausible = set.plausible(&Belief::new(counts, optimism.r_max(), now.known));
        let plan = evi::solve(&plausible, t_k, &optimism.evi(), now.previous)?;
        Ok(Plan { under_visited: truncation::decide(counts, t_k).under_visited, ..plan })
    }

    fn rule(&self) -> OwnDoubling {
        OwnDoubling
    }
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
struct OwnUcrl {
    /// shrinks all widths
    alpha: f64,
}

impl EpisodicAlgorithm for OwnUcrl {
    type Planner = OwnPlanner;

    fn planner(&self, setting: &Setting) -> Result<OwnPlanner, AgentError> {
        let r_max = setting.r_max.into();
        Ok(OwnPlanner { optimism: Optimism { r_max, ..Optimism::shrunk(self.alpha) } })
    }

    fn step_cost(&self) -> u64 {
        40
    }
}

#[test]
fn an_episodic_algorithm_of_ones_own_gives_the_same_run_as_ucrl() {
    let worlds = [
        river_swim(),
        World::new(ThreeState { delta: 0.0, ..ThreeState::default() }.build().unwrap()),
        World::new(ThreeState::default().build().unwrap()),
        World::new(TwoState::default().build().unwrap()),
        World::new(Garnet { states: 12, actions: 3, branching: 2, seed: 2 }.build().unwrap()),
    ];
    let steps = 20_000;
    for world in worlds {
        for alpha in [0.05, 1.0] {
            let ucrl = Ucrl { optimism: Optimism::shrunk(alpha), ..Ucrl::default() };
            let expected = world.record(&Named::new("ucrl", ucrl), steps, 1);
            // As an algorithm, and as a learner that a function starts.
            let listed = AgentKind::new::<OwnUcrl>(About { name: "own", ..About::default() });
            let started = own_agent("own", "UCRL once more", |start, options: OwnUcrl| {
                let planner = options.planner(start.setting)?;
                let space = start.setting.space.clone();
                Ok(Episodic::new(planner, space, start.state, start.random))
            });
            for kind in [listed, started] {
                let algorithm = kind.make(&given(json!({ "alpha": alpha }))).unwrap();
                let mut run = run_of(&world, &algorithm, steps, 1);
                run.advance(steps).unwrap();
                assert_eq!(run.record(), expected, "alpha {alpha} in {:?}", world.truth.facts());
            }
            assert!(expected.episodes.iter().all(|(_, case)| *case != Case::Missed));
        }
    }
}

#[test]
fn an_episodic_algorithm_of_ones_own_continues_from_a_checkpoint() {
    let world = river_swim();
    let algorithm: Arc<dyn Algorithm> = Arc::new(OwnUcrl { alpha: 0.05 });
    let mut whole = run_of(&world, &algorithm, 3_000, 1);
    whole.advance(3_000).unwrap();
    let mut run = run_of(&world, &algorithm, 3_000, 1);
    run.advance(1_234).unwrap();
    let text = serde_json::to_string(&run.state().unwrap()).unwrap();
    let state = serde_json::from_str(&text).unwrap();
    let mut run = resumed(&world, &algorithm, 3_000, state).unwrap();
    run.advance(3_000).unwrap();
    assert_eq!(run.record(), whole.record());
}

// Checkpoints.

/// One algorithm of every type.
fn one_of_each() -> Vec<(&'static str, Arc<dyn Algorithm>)> {
    let optimism = shrunk(0.1);
    vec![
        ("tucrl", Arc::new(Tucrl { optimism: optimism.clone(), ..Tucrl::default() })),
        ("ucrl", Arc::new(Ucrl { optimism: optimism.clone(), ..Ucrl::default() })),
        ("scal", Arc::new(Scal { c: 2.0.into(), optimism: optimism.clone(), ..Scal::default() })),
        (
            "regal-c",
            Arc::new(RegalC { h: 2.0.into(), optimism: optimism.clone(), ..RegalC::default() }),
        ),
        ("regal", Arc::new(Regal { optimism: optimism.clone(), ..Regal::default() })),
        ("regal-d", Arc::new(RegalD { optimism, ..RegalD::default() })),
        ("focus", Arc::new(Focus::default())),
        ("pmevi-dt", Arc::new(PmeviDt::default())),
        ("psrl", Arc::new(Psrl::default())),
        (
            "optimistic-psrl",
            Arc::new(OptimisticPsrl { psi: 3.into(), ..OptimisticPsrl::default() }),
        ),
        ("optimistic-q", Arc::new(OptimisticQ::default())),
        ("imed-rl", Arc::new(ImedRl::default())),
        ("diff-q", Arc::new(DiffQ::default())),
        ("oracle", oracle().algorithm),
        ("random", random().algorithm),
        ("heuristic", Arc::new(Heuristic {})),
        ("own", Arc::new(OwnUcrl { alpha: 0.1 })),
        ("kept", Arc::new(InTurnOptions::default())),
    ]
}

#[test]
fn a_checkpoint_of_another_algorithm_is_refused_with_a_clear_error() {
    let world = river_swim();
    let (mut refused, mut accepted) = (0, 0);
    for (from, saver) in one_of_each() {
        // A table has no rule of thumb, so the heuristic does not start in one.
        if from == "heuristic" {
            continue;
        }
        let mut run = run_of(&world, &saver, 1_000, 1);
        run.advance(300).unwrap();
        let state = run.state().unwrap();
        for (to, reader) in one_of_each() {
            match resumed(&world, &reader, 1_000, state.clone()) {
                Ok(run) => {
                    assert_eq!((from, run.taken()), (to, 300));
                    accepted += 1;
                }
                Err(RunError::Agent(error @ AgentError::Checkpoint { .. })) => {
                    assert_ne!(from, to, "{error}");
                    let text = error.to_string();
                    let begin = "the checkpoint does not fit this algorithm: ";
                    assert!(text.starts_with(begin), "{from} as {to}: {text}");
                    assert!(
                        text.ends_with("; run it from the first step"),
                        "{from} as {to}: {text}"
                    );
                    refused += 1;
                }
                Err(other) => panic!("{from} as {to}: {other}"),
            }
        }
    }
    // Every one but the heuristic, each read by itself and by all others, the heuristic among them.
    let savers = one_of_each().len() - 1;
    assert_eq!((accepted, refused), (savers, savers * savers));
}

#[test]
fn a_checkpoint_of_a_larger_world_is_refused() {
    let (large, small) = (river_swim(), World::new(TwoState::default().build().unwrap()));
    let algorithm: Arc<dyn Algorithm> =
        Arc::new(Ucrl { set: SetKind::L1, optimism: shrunk(0.1), ..Ucrl::default() });
    let mut run = run_of(&large, &algorithm, 1_000, 1);
    let mut time = 0;
    while run.state().unwrap().state() < 2 {
        time += 1;
        run.advance(time).unwrap();
    }
    let state = run.state().unwrap();
    let refused = resumed(&small, &algorithm, 1_000, state).err().unwrap().to_string();
    let expected = "the checkpoint does not fit this algorithm: state 2 is outside this world; run it from the \
                    first step";
    assert_eq!(refused, expected);
}

#[test]
fn a_checkpoint_of_other_options_is_refused() {
    let world = river_swim();
    let shrunk = |alpha| -> Arc<dyn Algorithm> {
        Arc::new(Tucrl { optimism: Optimism::shrunk(alpha), ..Tucrl::default() })
    };
    let mut run = run_of(&world, &shrunk(0.05), 1_000, 1);
    run.advance(100).unwrap();
    let state = run.state().unwrap();
    assert_eq!(state.options()["alpha"], json!(0.05));
    let refused = resumed(&world, &shrunk(1.0), 1_000, state.clone()).err().unwrap().to_string();
    assert!(refused.contains("its algorithm has other options"), "{refused}");
    assert_eq!(resumed(&world, &shrunk(0.05), 1_000, state).unwrap().taken(), 100);
}

//! How long does an optimistic sweep take, against a plain one?
//!
//! Both go over the same observed model: a garnet of 10⁵ states with 4 actions and 5 successors, each
//! pair tried 64 times. The plain sweep is v -> max r + p v, on one thread, over compact arrays; the
//! optimistic ones also find the best law in an L1 ball or a box around every row. Shrinking
//! is chosen so that the sets neither vanish nor cover everything.
//!
//! The first sweeps of a plan update every pair, its last ones only those that can still be the best. So whole plans are
//! timed, from 0 to the accuracy 1/sqrt(t), and the mean over their sweeps counts.

use std::time::{Duration, Instant};

use tucrl::agents::Optimism;
use tucrl::counts::{Counts, Variance};
use tucrl::evi::Sweeper;
use tucrl::mdp::Mdp;
use tucrl::plausible::{Belief, PlausibleSet, Shape};
use tucrl::rng::RandomStream;
use tucrl::sets::{Bernstein, ConfidenceSet, L1};
use tucrl::space::Space;
use tucrl::worlds::Garnet;

use tucrl_lab::text::stopwatch;

use super::clock::{ratio, timed};
use super::{BenchError, Goal, Length, Row};

pub(super) const SWEEP: &str = "sweep";

const STATES: usize = 100_000;
const ACTIONS: usize = 4;
const TRIES: u64 = 64;
const TIME: u64 = STATES as u64 * ACTIONS as u64 * TRIES;

pub(super) fn sweeps(length: Length) -> Result<Vec<Row>, BenchError> {
    // A sweep over this number of states would use the rayon pool; the plain one does not.
    rayon::ThreadPoolBuilder::new().num_threads(1).build()?.install(|| on_one_thread(length))
}

fn on_one_thread(length: Length) -> Result<Vec<Row>, BenchError> {
    let budget = Duration::from_secs(if length == Length::Full { 60 } else { 10 });
    let mdp = Garnet { states: STATES, actions: ACTIONS, branching: 5, seed: 1 }.build()?;
    let counts = tried(&mdp);
    let confidence = |alpha| Optimism::shrunk(alpha).confidence();
    let belief = Belief { counts: &counts, r_max: 1.0, unseen: 0, known: None };
    let balls = L1::of(&confidence(3e-4), counts.space(), TIME).plausible(&belief);
    let boxes = Bernstein::of(&confidence(1e-2), counts.space(), TIME).plausible(&belief);
    let tolerance = 1.0 / (TIME as f64).sqrt();
    let mut plain = Plain::of(&counts);
    let mut sweep = Duration::MAX;
    let mut plans = [Vec::new(), Vec::new()];
    let began = Instant::now();
    while began.elapsed() < budget || plans[0].is_empty() {
        let [of_balls, of_boxes] = &mut plans;
        for _ in 0..2 {
            sweep = timed(|| plain.sweep()).1.min(sweep);
        }
        keep_best(of_balls, plan(&balls, tolerance));
        for _ in 0..2 {
            sweep = timed(|| plain.sweep()).1.min(sweep);
        }
        keep_best(of_boxes, plan(&boxes, tolerance));
    }
    let row = |set: &str, times: &[Duration], most: f64| {
        let what = format!(
            "one optimistic sweep over {set} against one plain sweep, garnet of {STATES} states, {ACTIONS} actions, 5 successors"
        );
        let mean = times.iter().sum::<Duration>() / times.len().max(1) as u32;
        let part = |time: Option<&Duration>| time.map_or(0.0, |&time| ratio(time, sweep));
        let details = format!(
            "mean of the {} sweeps of a plan, {} against {}; the first {:.2}x, the last {:.2}x",
            times.len(),
            stopwatch(mean),
            stopwatch(sweep),
            part(times.first()),
            part(times.last())
        );
        let measured = (ratio(mean, sweep), "x");
        Row::new(SWEEP, what, measured, Some(Goal::AtMost(most)), details)
    };
    Ok(vec![row("L1 balls", &plans[0], 1.3), row("boxes", &plans[1], 2.5)])
}

/// The time of each sweep of a plan.
fn plan<S: Shape>(set: &PlausibleSet<'_, S>, tolerance: f64) -> Vec<Duration> {
    let mut sweeper = Sweeper::new(set, 1.0, None);
    let mut times = Vec::new();
    loop {
        let ((low, high), time) = timed(|| {
            let increments = sweeper.sweep();
            sweeper.advance();
            increments
        });
        times.push(time);
        if high - low <= tolerance {
            return times;
        }
    }
}

/// The best time of every sweep.
fn keep_best(best: &mut Vec<Duration>, times: Vec<Duration>) {
    best.resize(times.len(), Duration::MAX);
    best.iter_mut().zip(times).for_each(|(best, time)| *best = time.min(*best));
}

/// Counts after every pair was tried equally often; seen in order, so that indices are those of the model.
fn tried(mdp: &Mdp) -> Counts {
    let mut counts =
        Counts::new(Space::uniform(STATES as u64, ACTIONS as u32), Variance::Published);
    for state in 0..STATES as u64 {
        counts.see(state);
    }
    let mut random = RandomStream::new(1);
    for pair in 0..mdp.pairs() {
        let row = mdp.row(pair);
        for _ in 0..TRIES {
            let next = row.next[random.categorical(row.probability)];
            counts.record(pair, mdp.mean_reward(pair), next);
        }
    }
    counts.freeze();
    counts
}

/// Plain value iteration over the observed model.
struct Plain {
    row_start: Vec<usize>,
    next: Vec<u32>,
    share: Vec<f64>,
    reward: Vec<f64>,
    values: Vec<f64>,
    swept: Vec<f64>,
}

impl Plain {
    fn of(counts: &Counts) -> Self {
        let (mut row_start, mut next, mut share, mut reward) =
            (vec![0], Vec::new(), Vec::new(), Vec::new());
        for pair in 0..counts.pairs().len() {
            let row = counts.row(pair);
            next.extend_from_slice(row.next);
            share.extend_from_slice(row.p_hat);
            row_start.push(next.len());
            reward.push(counts.pairs()[pair].reward_mean());
        }
        let values = vec![0.0; counts.seen()];
        Self { row_start, next, share, reward, swept: values.clone(), values }
    }

    fn sweep(&mut self) -> (f64, f64) {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for state in 0..self.values.len() {
            let mut best = f64::NEG_INFINITY;
            for pair in ACTIONS * state..ACTIONS * (state + 1) {
                let entries = self.row_start[pair]..self.row_start[pair + 1];
                let row = self.next[entries.clone()].iter().zip(&self.share[entries]);
                let expected: f64 = row.map(|(&next, p)| p * self.values[next as usize]).sum();
                best = best.max(self.reward[pair] + expected);
            }
            self.swept[state] = best;
            let increment = best - self.values[state];
            low = low.min(increment);
            high = high.max(increment);
        }
        let lowest = self.swept.iter().copied().fold(f64::INFINITY, f64::min);
        self.swept.iter_mut().for_each(|value| *value -= lowest);
        std::mem::swap(&mut self.values, &mut self.swept);
        (low, high)
    }
}

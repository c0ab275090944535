//! How long does the exact solver take?
//!
//! The gain of a world that mixes (a garnet of 10⁵ states) and of one that hardly does (river-swim with
//! 10³ states), certified to 10⁻⁹, in units of one plain sweep over the same rows on one thread, and per
//! stored transition. `tucrl bench --solve MODEL` times the gain alone of any model.

use std::time::Duration;

use serde::Serialize;
use tucrl::mdp::Mdp;
use tucrl::solve::{Effort, gains, solve_to};
use tucrl::worlds::{Garnet, RiverSwim};

use tucrl_lab::text::stopwatch;

use super::clock::{in_turns, ratio, timed};
use super::learning::peak_memory;
use super::{BenchError, Length, Row};

pub(super) const EXACT: &str = "exact";

const ACCURACY: f64 = 1e-9;

/// Times of the exact solver; the fields are the keys of the JSON output.
#[derive(Debug, Clone, Serialize)]
pub struct SolverTime {
    /// The best time of one solution, in seconds.
    pub seconds: f64,
    /// The number of repetitions.
    pub times: u32,
    /// The optimal gain from the start.
    pub gain: f64,
    /// Its certified error.
    pub gain_error: f64,
    /// The number of states.
    pub states: usize,
    /// The number of stored transitions.
    pub transitions: usize,
    /// The peak memory of the process so far in megabytes, reading the model included; absent where it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_mb: Option<f64>,
}

/// Finds the gain of an MDP `times` times, certified to 10⁻⁹, without a bias.
///
/// # Errors
/// When it cannot be solved.
pub fn time_solver(mdp: &Mdp, times: u32) -> Result<SolverTime, BenchError> {
    let mut answer = SolverTime {
        seconds: f64::INFINITY,
        times,
        gain: f64::NAN,
        gain_error: f64::NAN,
        states: mdp.states(),
        transitions: mdp.transitions(),
        peak_mb: None,
    };
    for _ in 0..times {
        let effort = Effort { accuracy: ACCURACY, ..Effort::default() };
        let (found, time) = timed(|| gains(mdp, effort));
        (answer.gain, answer.gain_error) = found?.from_start(mdp);
        answer.seconds = answer.seconds.min(time.as_secs_f64());
    }
    answer.peak_mb = peak_memory().map(|bytes| bytes / 1e6);
    Ok(answer)
}

pub(super) fn exact(length: Length) -> Result<Vec<Row>, BenchError> {
    let budget = Duration::from_secs(if length == Length::Full { 60 } else { 4 });
    let garnet = Garnet { states: 100_000, actions: 4, branching: 5, seed: 1 }.build()?;
    let river = RiverSwim::of_length(1_000).build()?;
    Ok(vec![
        row("garnet, 10^5 states, 4 actions, 5 successors", &garnet, budget)?,
        row("river-swim, 10^3 states", &river, budget)?,
    ])
}

fn row(world: &str, mdp: &Mdp, budget: Duration) -> Result<Row, BenchError> {
    let (mut values, mut swept) = (vec![0.0; mdp.states()], vec![0.0; mdp.states()]);
    let mut worst_error = 0.0f64;
    let best = in_turns(
        budget,
        &mut [
            &mut || {
                let answer = solve_to(mdp, ACCURACY)?;
                worst_error = answer.gain_error.iter().copied().fold(worst_error, f64::max);
                Ok(())
            },
            &mut || {
                for (state, value) in swept.iter_mut().enumerate() {
                    let worth = |pair| mdp.mean_reward(pair) + mdp.row(pair).dot(&values);
                    *value = mdp.pairs_of(state).map(worth).fold(f64::NEG_INFINITY, f64::max);
                }
                std::mem::swap(&mut values, &mut swept);
                Ok(())
            },
        ],
    )?;
    if worst_error > ACCURACY {
        let how = format!("the gain is only certain to {worst_error:e}");
        return Err(BenchError::Disagree { name: EXACT, how });
    }
    let per_transition = 1e9 * best[0].as_secs_f64() / mdp.transitions() as f64;
    let details = format!(
        "{} to a certified {:.0e}, {per_transition:.0} ns per stored transition; a sweep {}",
        stopwatch(best[0]),
        worst_error,
        stopwatch(best[1])
    );
    let what = format!("exact gain, bias and policy against one plain sweep: {world}");
    Ok(Row::new(EXACT, what, (ratio(best[0], best[1]), "x"), None, details))
}

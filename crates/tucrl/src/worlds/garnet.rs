//! Garnet: random sparse MDPs.
//!
//! Bhatnagar et al. 2009: every pair leads to `branching` different next states, drawn uniformly, with the lengths of the
//! pieces into which `branching` − 1 uniform cuts divide the unit interval as probabilities, and pays a constant reward
//! drawn uniformly from `[0, 1)`.
//!
//! A seed gives the same MDP in every version. For each state and each action in order the stream
//! `RandomStream::new(seed)` gives first the next states (Floyd's sampling: for j from states − branching to states − 1
//! draw t below j + 1 and take it, or j if t was taken), then the cuts, then the reward. Cuts that coincide would give a
//! piece of length 0: all are drawn again.
//!
//! Facts: every support has exactly `branching` states. Whether all states are reachable from state 0, the start, depends
//! on the seed; time and memory grow with states · actions · branching.
//!
//! Departures from the source: Bhatnagar et al. draw rewards from a normal law; ours are bounded.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MAX_STATES, Nested, World, WorldAbout, WorldKind, require};
use crate::error::WorldError;
use crate::mdp::Mdp;
use crate::model::Model;
use crate::pulse::unless_stopped;
use crate::rng::RandomStream;

/// The largest number of transitions, 2^28: they take about three gigabytes.
const MAX_TRANSITIONS: usize = 1 << 28;
const STATES: &str = "an integer between 1 and 2^26";
const BRANCHING: &str = "an integer between 1 and the number of states";

/// A random sparse MDP.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Garnet {
    /// how many states
    #[serde(rename = "s")]
    #[schemars(extend("x-aliases" = ["states"], "x-accepts" = STATES))]
    pub states: usize,
    /// how many actions each state has
    #[serde(rename = "a")]
    #[schemars(extend("x-aliases" = ["actions"], "x-accepts" = "a positive integer with s * a * b at most 2^28"))]
    pub actions: usize,
    /// how many next states each action has
    #[serde(rename = "b")]
    #[schemars(extend("x-aliases" = ["branching"], "x-accepts" = BRANCHING))]
    pub branching: usize,
    /// which world of this shape
    #[schemars(extend("x-accepts" = "an integer between 0 and 2^64 - 1"))]
    pub seed: u64,
}

impl Default for Garnet {
    fn default() -> Self {
        Self { states: 100, actions: 4, branching: 5, seed: 0 }
    }
}

impl Garnet {
    /// The name in messages and on the command line.
    pub const NAME: &'static str = "garnet";

    /// Builds the world.
    ///
    /// # Errors
    /// When a size is 0, a pair has more next states than there are states, or the world would
    /// have more than 2^26 states or 2^28 transitions.
    pub fn build(&self) -> Result<Mdp, WorldError> {
        let Self { states, actions, branching, seed } = *self;
        let accepted = (1..=MAX_STATES).contains(&states);
        require(accepted, Self::NAME, "s", states, STATES)?;
        let accepted = (1..=states).contains(&branching);
        require(accepted, Self::NAME, "b", branching, BRANCHING)?;
        let transitions = (states * branching).saturating_mul(actions);
        let accepted = actions >= 1 && transitions <= MAX_TRANSITIONS;
        let expected = "a positive integer with states * actions * branching at most 2^28";
        require(accepted, Self::NAME, "a", actions, expected)?;

        let mut random = RandomStream::new(seed);
        let mut builder = Mdp::builder();
        // The last pair that took each state, so that a pair's own choices are known at once.
        let mut taken_by = vec![u32::MAX; states];
        let (mut chosen, mut cuts) = (Vec::new(), Vec::new());
        for pair in unless_stopped(0..states * actions) {
            if pair % actions == 0 {
                builder.state();
            }
            choose(&mut chosen, branching, &mut taken_by, pair as u32, &mut random);
            cut(&mut cuts, branching, &mut random);
            let pieces = cuts.windows(2).map(|ends| ends[1] - ends[0]);
            let row: Vec<(usize, f64)> = chosen.iter().copied().zip(pieces).collect();
            builder.action(random.unit(), row);
        }
        builder.start_at(0).action_names((0..actions).map(|action| format!("action {action}")));
        Ok(builder.build()?)
    }
}

/// Draws `count` different states, each set equally likely.
fn choose(
    chosen: &mut Vec<usize>,
    count: usize,
    taken_by: &mut [u32],
    pair: u32,
    random: &mut RandomStream,
) {
    chosen.clear();
    for newest in taken_by.len() - count..taken_by.len() {
        let drawn = random.below(newest as u64 + 1) as usize;
        let state = if taken_by[drawn] == pair { newest } else { drawn };
        taken_by[state] = pair;
        chosen.push(state);
    }
}

/// Cuts the unit interval into `pieces` pieces of positive length: 0, the sorted cuts, 1.
fn cut(cuts: &mut Vec<f64>, pieces: usize, random: &mut RandomStream) {
    loop {
        cuts.clear();
        cuts.push(0.0);
        cuts.extend((1..pieces).map(|_| random.unit()));
        cuts.push(1.0);
        cuts.sort_unstable_by(f64::total_cmp);
        if cuts.windows(2).all(|ends| ends[0] < ends[1]) {
            return;
        }
    }
}

impl World for Garnet {
    fn model(&self, _: &Nested<'_>) -> Result<Model, WorldError> {
        Ok(self.build()?.into())
    }
}

pub(super) fn kind() -> WorldKind {
    WorldKind::new::<Garnet>(WorldAbout {
        name: Garnet::NAME,
        summary: "random and sparse; a seed fixes the world",
        states: 100,
        actions: 4,
        facts: &[
            "Every action has exactly b possible next states.",
            "Whether all states are reachable depends on the seed; by default they are.",
        ],
        example: "garnet:s=1e5,seed=7",
    })
}

#[cfg(test)]
mod tests {
    use super::super::probe::{reachable, row};
    use super::*;

    #[test]
    fn every_pair_has_as_many_next_states_as_asked() {
        for (states, actions, branching) in [(100, 4, 5), (1, 3, 1), (7, 2, 7), (50, 1, 1)] {
            let world = Garnet { states, actions, branching, seed: 3 };
            let mdp = world.build().unwrap();
            assert_eq!((mdp.states(), mdp.pairs()), (states, states * actions));
            for pair in 0..mdp.pairs() {
                assert_eq!(mdp.row(pair).len(), branching);
                assert!((0.0..1.0).contains(&mdp.mean_reward(pair)));
            }
            assert_eq!(world.build().unwrap(), mdp);
            let other = Garnet { seed: 4, ..world }.build().unwrap();
            assert_ne!(other.mean_reward(0), mdp.mean_reward(0));
        }
    }

    #[test]
    fn a_seed_always_gives_the_same_world() {
        let mdp = Garnet::default().build().unwrap();
        let first = [
            (1, 0.011738591147523958),
            (31, 0.020565239559745874),
            (35, 0.5506231352071674),
            (37, 0.27432043310145604),
            (49, 0.1427526009841067),
        ];
        assert_eq!((row(&mdp, 0, 0), mdp.mean_reward(0)), (first.to_vec(), 0.0742337910344385));
        let last = [
            (13, 0.369548483731709),
            (38, 0.31315461171784986),
            (91, 0.19000479531775405),
            (96, 0.1068857891736541),
            (98, 0.02040632005903298),
        ];
        assert_eq!((row(&mdp, 99, 3), mdp.mean_reward(399)), (last.to_vec(), 0.30679300644644203));
        assert_eq!(reachable(&mdp).len(), 100);
    }

    #[test]
    fn next_states_are_uniform() {
        let mdp = Garnet { states: 10, actions: 3000, branching: 3, seed: 1 }.build().unwrap();
        let mut hits = [0u32; 10];
        (0..mdp.pairs()).flat_map(|pair| mdp.row(pair).next).for_each(|&s| hits[s as usize] += 1);
        // 30000 pairs hit each state with probability 0.3: mean 9000, deviation 79.
        assert!(hits.iter().all(|&count| count.abs_diff(9000) < 400), "{hits:?}");
    }

    #[test]
    fn a_million_states_can_be_built() {
        let mdp = Garnet { states: 1_000_000, actions: 1, branching: 3, seed: 0 }.build().unwrap();
        assert_eq!(mdp.transitions(), 3_000_000);
    }

    #[test]
    fn sizes_out_of_range_are_refused() {
        let refusal = |states, actions, branching| {
            Garnet { states, actions, branching, seed: 0 }.build().unwrap_err().to_string()
        };
        assert_eq!(
            refusal(0, 4, 5),
            "garnet: s = 0 is out of range: an integer between 1 and 2^26"
        );
        assert_eq!(
            refusal(usize::MAX, 4, 5),
            format!("garnet: s = {} is out of range: an integer between 1 and 2^26", usize::MAX)
        );
        for branching in [0, 101] {
            assert_eq!(
                refusal(100, 4, branching),
                format!(
                    "garnet: b = {branching} is out of range: \
                     an integer between 1 and the number of states"
                )
            );
        }
        for actions in [0, usize::MAX] {
            assert_eq!(
                refusal(100, actions, 5),
                format!(
                    "garnet: a = {actions} is out of range: \
                     a positive integer with states * actions * branching at most 2^28"
                )
            );
        }
    }
}

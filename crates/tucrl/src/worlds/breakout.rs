//! A small Breakout as a table; walls with a hole above a brick cannot be reached.
//!
//! Fruit, Pirotta, Lazaric 2018 mention the game and its impossible walls; they give no model, so this one is ours. A
//! wall of `width` × `height` bricks stands over a paddle. State = wall · width + paddle column, where bit
//! column · height + row of the wall tells whether a brick is left, row 0 lowest. Each step the paddle moves left, stays
//! or moves right (the border stops it), then the ball flies up in the paddle's column with probability 1 − slip, in each
//! neighbouring column (the border again) with slip/2. It takes the lowest brick of its column and earns
//! (row + 1)/height; an emptied wall is built up again. A ball into an empty column is a miss: it earns 0 and the wall is
//! built up again. Start: a full wall, paddle in column width/2.
//!
//! Facts (width, height, slip → states, reachable, g*, span over reachable, diameter of the reachable part, largest
//! reachable support):
//!
//! | world | states | reachable | g* | span | diameter | support |
//! | --- | --- | --- | --- | --- | --- | --- |
//! | 2, 2, 0 | 32 | 12 | 0.75 | 0.5 | 5 | 1 |
//! | 2, 2, 0.1 | 32 | 16 | 0.7370544090 | 0.53564728 | 83.35802632 | 2 |
//! | 3, 2, 0 | 192 | 42 | 0.75 | 1.5 | 8 | 1 |
//! | 3, 2, 0.1 | 192 | 74 | 0.7266559737 | 1.35422865 | 1709.852967 | 3 |
//! | 3, 3, 0.1 | 1536 | 183 | 0.6493689865 | 1.55197230 | | 3 |
//! | 4, 2, 0.1 | 1024 | 292 | 0.7216734486 | 1.55312325 | | 3 |
//!
//! With slip the reachable walls are the (height + 1)^width stacks without holes, less the empty one, which is rebuilt at
//! once; a few are never seen with the paddle far away. Every step takes a brick or rebuilds, so all other walls are
//! transient and the MDP is weakly communicating.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    MAX_STATES, Nested, PROBABILITY, World, WorldAbout, WorldKind, names_if_few, require,
    require_probability,
};
use crate::error::WorldError;
use crate::mdp::Mdp;
use crate::model::Model;
use crate::pulse::unless_stopped;

/// A small Breakout.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Breakout {
    /// columns of the wall
    #[serde(rename = "w")]
    #[schemars(extend("x-aliases" = ["width"], "x-accepts" = "a positive integer"))]
    pub width: usize,
    /// rows of the wall
    #[serde(rename = "h")]
    #[schemars(extend("x-aliases" = ["height"], "x-accepts" = "a positive integer"))]
    pub height: usize,
    /// the probability that the ball leaves the paddle's column
    #[serde(rename = "q")]
    #[schemars(extend("x-aliases" = ["slip"], "x-accepts" = PROBABILITY))]
    pub slip: f64,
}

impl Default for Breakout {
    fn default() -> Self {
        Self { width: 3, height: 2, slip: 0.1 }
    }
}

impl Breakout {
    /// The name in messages and on the command line.
    pub const NAME: &'static str = "breakout";

    /// Builds the world.
    ///
    /// # Errors
    /// When a size is 0, `slip` is not in `[0, 1]`, or there would be more than 2^26 states.
    pub fn build(&self) -> Result<Mdp, WorldError> {
        const SIZES: &str = "a positive integer with 2^(width * height) * width at most 2^26";
        let bricks = self.width.saturating_mul(self.height);
        let fits = bricks <= 26 && self.width << bricks <= MAX_STATES;
        let size_holds = |size| size > 0 && (fits || bricks == 0);
        require(size_holds(self.width), Self::NAME, "w", self.width, SIZES)?;
        require(size_holds(self.height), Self::NAME, "h", self.height, SIZES)?;
        require_probability(Self::NAME, "q", self.slip)?;
        let last = self.width - 1;
        let full = (1usize << bricks) - 1;
        let states = self.width << bricks;
        let mut builder = Mdp::builder();
        for state in unless_stopped(0..states) {
            let (wall, paddle) = (state / self.width, state % self.width);
            builder.state();
            for paddle in [paddle.saturating_sub(1), paddle, (paddle + 1).min(last)] {
                let balls = [
                    (paddle, 1.0 - self.slip),
                    (paddle.saturating_sub(1), self.slip / 2.0),
                    ((paddle + 1).min(last), self.slip / 2.0),
                ];
                builder.joint_action(balls.map(|(column, probability)| {
                    let (wall, reward) = self.hit(wall, column, full);
                    (wall * self.width + paddle, probability, reward)
                }));
            }
        }
        builder
            .start_at(full * self.width + self.width / 2)
            .state_names(names_if_few(states, |state| self.name(state)))
            .action_names(["left", "stay", "right"]);
        Ok(builder.build()?)
    }

    /// The wall and the reward after a ball flew up a column.
    fn hit(&self, wall: usize, column: usize, full: usize) -> (usize, f64) {
        let bricks = wall >> (column * self.height) & ((1 << self.height) - 1);
        if bricks == 0 {
            return (full, 0.0);
        }
        let row = bricks.trailing_zeros() as usize;
        let left = wall & !(1 << (column * self.height + row));
        (if left == 0 { full } else { left }, (row + 1) as f64 / self.height as f64)
    }

    /// The wall as rows from top to bottom, then the paddle.
    fn name(&self, state: usize) -> String {
        let (wall, paddle) = (state / self.width, state % self.width);
        let brick =
            |column, row| if wall >> (column * self.height + row) & 1 == 1 { '#' } else { '.' };
        let rows = (0..self.height).rev();
        let rows = rows.map(|row| (0..self.width).map(|column| brick(column, row)).collect());
        format!("{} paddle {paddle}", rows.collect::<Vec<String>>().join("/"))
    }
}

impl World for Breakout {
    fn model(&self, _: &Nested<'_>) -> Result<Model, WorldError> {
        Ok(self.build()?.into())
    }
}

pub(super) fn kind() -> WorldKind {
    WorldKind::new::<Breakout>(WorldAbout {
        name: Breakout::NAME,
        summary: "a small Breakout; walls with holes never happen",
        states: 192,
        actions: 3,
        facts: &[
            "There are w 2^(w h) states; always weakly communicating.",
            "w, h, q      states  reachable  gain          span        diameter",
            "2, 2, 0          32         12  0.75          0.5         5",
            "2, 2, 0.1        32         16  0.7370544090  0.53564728  83.35802632",
            "3, 2, 0         192         42  0.75          1.5         8",
            "3, 2, 0.1       192         74  0.7266559737  1.35422865  1709.852967",
            "3, 3, 0.1      1536        183  0.6493689865  1.55197230",
            "4, 2, 0.1      1024        292  0.7216734486  1.55312325",
            "Span and diameter are those of the reachable part.",
        ],
        example: "breakout:w=4,q=0",
    })
}

#[cfg(test)]
mod tests {
    use super::super::probe::{
        assert_near, diameter, gain_and_span, reachable, reachable_support, row,
    };
    use super::*;
    use crate::reward::{PairReward, RewardLaw};

    #[test]
    fn the_table_of_facts_holds() {
        let facts = [
            (2, 2, 0.0, 32, 12, 0.75, 0.5, 1),
            (2, 2, 0.1, 32, 16, 0.7370544090, 0.53564728, 2),
            (3, 2, 0.0, 192, 42, 0.75, 1.5, 1),
            (3, 2, 0.1, 192, 74, 0.7266559737, 1.35422865, 3),
            (3, 3, 0.1, 1536, 183, 0.6493689865, 1.55197230, 3),
            (4, 2, 0.1, 1024, 292, 0.7216734486, 1.55312325, 3),
        ];
        for (width, height, slip, states, seen, gain, span, support) in facts {
            let mdp = Breakout { width, height, slip }.build().unwrap();
            assert_eq!((mdp.states(), mdp.pairs()), (states, 3 * states));
            assert_eq!((reachable(&mdp).len(), reachable_support(&mdp)), (seen, support));
            let mut walls: Vec<usize> = reachable(&mdp).iter().map(|state| state / width).collect();
            walls.dedup();
            let stacks = (height + 1usize).pow(width as u32) - 1;
            assert!(slip == 0.0 || walls.len() == stacks, "{} walls", walls.len());
            let found = gain_and_span(&mdp);
            assert_near(found.0, gain, 1e-10);
            assert_near(found.1, span, 1e-8);
        }
        let facts = [(2, 0.0, 5.0), (2, 0.1, 83.35802632), (3, 0.0, 8.0), (3, 0.1, 1709.852967)];
        for (width, slip, expected) in facts {
            let mdp = Breakout { width, height: 2, slip }.build().unwrap();
            assert_near(diameter(&mdp), expected, 1e-6);
        }
    }

    #[test]
    fn the_ball_takes_the_lowest_brick_of_its_column() {
        let mdp = Breakout::default().build().unwrap();
        let start = 63 * 3 + 1;
        assert_eq!(mdp.start().collect::<Vec<_>>(), [(start, 1.0)]);
        assert_eq!(mdp.state_names()[start], "###/### paddle 1");
        // Bits 0, 2, 4 are the lowest bricks of the three columns; the paddle stays in column 1.
        let stay = [((63 - 16) * 3 + 1, 0.05), ((63 - 4) * 3 + 1, 0.9), ((63 - 1) * 3 + 1, 0.05)];
        assert_eq!(row(&mdp, start, 1), stay);
        assert_near(mdp.mean_reward(mdp.pair(start, 1)), 0.5, 1e-15);
        // One upper brick left, in column 0: hit it for 1, or miss; the wall is full either way.
        let last_brick = 2 * 3;
        assert_eq!(mdp.state_names()[last_brick], "#../... paddle 0");
        assert_eq!(row(&mdp, last_brick, 0), [(63 * 3, 1.0)]);
        let PairReward::Alone(RewardLaw::Discrete(law)) = mdp.reward(mdp.pair(last_brick, 0))
        else {
            panic!("hit and miss must mix")
        };
        assert_near(law[0].1, 0.05, 1e-15);
        assert_eq!((law[0].0, law[1].0), (0.0, 1.0));
    }

    #[test]
    fn parameters_out_of_range_are_refused() {
        let sizes = "a positive integer with 2^(width * height) * width at most 2^26";
        let refusal =
            |width, height, slip| Breakout { width, height, slip }.build().unwrap_err().to_string();
        assert_eq!(refusal(0, 2, 0.1), format!("breakout: w = 0 is out of range: {sizes}"));
        assert_eq!(refusal(3, 0, 0.1), format!("breakout: h = 0 is out of range: {sizes}"));
        assert_eq!(refusal(5, 5, 0.1), format!("breakout: w = 5 is out of range: {sizes}"));
        assert_eq!(
            refusal(usize::MAX, 2, 0.1),
            format!("breakout: w = {} is out of range: {sizes}", usize::MAX)
        );
        assert_eq!(
            refusal(3, 2, f64::NAN),
            "breakout: q = NaN is out of range: a number in [0, 1]"
        );
    }
}

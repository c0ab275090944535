//! A little Breakout without a table: bricks, a flying ball, a paddle and lives.
//!
//! Fruit, Pirotta, Lazaric 2018 motivate unreachable states by a picture of the game; the rules here are ours. The
//! nominal state is the product of everything on the screen: a bit for each brick, where the ball is, in which diagonal
//! direction it flies, where the paddle is, how many lives are left. Most of these screens cannot happen: walls that no
//! flight of the ball leaves behind, balls inside bricks, paddles too far from where the ball was returned.
//!
//! The field is `columns` wide; its upper `rows` rows hold the bricks, below them are `gap` free rows, and below the
//! lowest row is the paddle, `width` columns wide. A step: the paddle moves one column left, stays or moves right; then
//! the ball flies one cell along its diagonal. It is thrown back by the sides, the top and bricks; a brick that is hit
//! disappears and pays 1, and the ball stays in its cell for that step. On the lowest row, flying down, it is returned if
//! the paddle is below it: to the left from the paddle's left half, to the right from its right half, and from the very
//! middle in the direction in which the paddle was moved, if it was. Otherwise a life is lost, and with the last one the
//! game: the wall is whole again and all lives are there. A new ball starts just below the wall and flies down, in a
//! column and a direction drawn at random; everything else is deterministic. Breaking the last brick restores the wall
//! and brings a new ball; the lives stay as they are.
//!
//! The rule of thumb looks one return ahead: go where the ball will come down, return it from the place from which it
//! breaks most bricks, and let it go if it would break none, because otherwise it may fly in circles forever.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Nested, World, WorldAbout, WorldKind, generated, require};
use crate::error::WorldError;
use crate::generator::{Generator, Outcomes};
use crate::model::Model;
use crate::space::{ActionId, Space, StateId};

const ROWS: &str = "a positive integer, with rows * columns at most 40";
const COLUMNS: &str = "an integer of at least 2";
const WIDTH: &str = "at least 1 and less than columns";
const HUNDRED: &str = "1 to 100";

/// The little Breakout.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BreakoutGame {
    /// rows of bricks
    #[schemars(extend("x-accepts" = ROWS))]
    pub rows: u64,
    /// columns of the field
    #[schemars(extend("x-accepts" = COLUMNS))]
    pub columns: u64,
    /// columns that the paddle covers
    #[schemars(extend("x-accepts" = WIDTH))]
    pub width: u64,
    /// balls per game
    #[schemars(extend("x-accepts" = HUNDRED))]
    pub lives: u64,
    /// free rows between bricks and paddle
    #[schemars(extend("x-accepts" = HUNDRED))]
    pub gap: u64,
}

impl Default for BreakoutGame {
    fn default() -> Self {
        Self { rows: 5, columns: 5, width: 2, lives: 1, gap: 2 }
    }
}

/// One state of the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Screen {
    /// Bit `row * columns + column` is a brick; row 0 is the lowest.
    wall: u64,
    x: u64,
    y: u64,
    flies_right: bool,
    flies_up: bool,
    paddle: u64,
    /// Lives besides the present ball.
    spare: u64,
}

/// [`BreakoutGame`] as a generator.
#[derive(Debug, Clone)]
pub struct BreakoutRules {
    game: BreakoutGame,
    space: Space,
}

impl BreakoutGame {
    /// The name in messages and on the command line.
    pub const NAME: &'static str = "breakout-game";

    /// Builds the world.
    ///
    /// # Errors
    /// When a size is out of its range.
    pub fn generator(&self) -> Result<BreakoutRules, WorldError> {
        let bricks = self.rows.saturating_mul(self.columns);
        let fits = self.rows >= 1 && (bricks <= 40 || self.columns < 2);
        require(fits, Self::NAME, "rows", self.rows, ROWS)?;
        require(self.columns >= 2, Self::NAME, "columns", self.columns, COLUMNS)?;
        let narrower = (1..self.columns).contains(&self.width);
        require(narrower, Self::NAME, "width", self.width, WIDTH)?;
        require((1..=100).contains(&self.lives), Self::NAME, "lives", self.lives, HUNDRED)?;
        require((1..=100).contains(&self.gap), Self::NAME, "gap", self.gap, HUNDRED)?;
        let factors = [
            ("wall", 1 << bricks),
            ("ball x", self.columns),
            ("ball y", self.height()),
            ("flies right", 2),
            ("flies up", 2),
            ("paddle", self.places()),
            ("spare balls", self.lives),
        ];
        let refused = |error: crate::space::SpaceError| WorldError::Space {
            world: Self::NAME,
            reason: error.to_string(),
        };
        Ok(BreakoutRules {
            game: self.clone(),
            space: Space::product(factors, 3).map_err(refused)?,
        })
    }

    fn height(&self) -> u64 {
        self.rows + self.gap
    }

    /// How many places the paddle has.
    fn places(&self) -> u64 {
        self.columns - self.width + 1
    }

    fn whole_wall(&self) -> u64 {
        (1 << (self.rows * self.columns)) - 1
    }

    /// The bit of the brick in a cell, if bricks can be there.
    fn brick(&self, x: u64, y: u64) -> Option<u64> {
        y.checked_sub(self.gap).map(|row| 1 << (row * self.columns + x))
    }

    fn code(&self, screen: Screen) -> StateId {
        let mut state = screen.wall;
        state = state * self.columns + screen.x;
        state = state * self.height() + screen.y;
        state = state * 2 + u64::from(screen.flies_right);
        state = state * 2 + u64::from(screen.flies_up);
        state = state * self.places() + screen.paddle;
        state * self.lives + screen.spare
    }

    fn screen(&self, mut state: StateId) -> Screen {
        let mut take = |size: u64| {
            let value = state % size;
            state /= size;
            value
        };
        let (spare, paddle) = (take(self.lives), take(self.places()));
        let (flies_up, flies_right) = (take(2) == 1, take(2) == 1);
        let (y, x) = (take(self.height()), take(self.columns));
        Screen { wall: state, x, y, flies_right, flies_up, paddle, spare }
    }

    /// All the screens with a new ball, equally likely.
    fn serves(&self, screen: Screen) -> impl Iterator<Item = StateId> + '_ {
        let columns = 0..self.columns;
        columns.flat_map(move |x| {
            [false, true].map(|flies_right| {
                let y = self.gap - 1;
                self.code(Screen { x, y, flies_right, flies_up: false, ..screen })
            })
        })
    }

    /// The screen when the ball has come down to the paddle, and how many bricks it broke on its way; flights
    /// without end and those that end the level are not followed.
    fn come_down(&self, mut screen: Screen) -> (Screen, u64) {
        let mut broken = 0;
        for _ in 0..8 * self.height() {
            if screen.y == 0 && !screen.flies_up {
                break;
            }
            let (next, reward, is_served) = self.fly(screen, 1);
            broken += reward as u64;
            if is_served {
                break;
            }
            screen = next;
        }
        (screen, broken)
    }

    /// The screen after a step, what it pays, and whether a new ball is due.
    fn fly(&self, mut screen: Screen, action: ActionId) -> (Screen, f64, bool) {
        screen.paddle = match action {
            0 => screen.paddle.saturating_sub(1),
            2 => (screen.paddle + 1).min(self.places() - 1),
            _ => screen.paddle,
        };
        if screen.y == 0 && !screen.flies_up {
            let Some(place) = screen.x.checked_sub(screen.paddle).filter(|&p| p < self.width)
            else {
                match screen.spare.checked_sub(1) {
                    Some(spare) => screen.spare = spare,
                    None => (screen.wall, screen.spare) = (self.whole_wall(), self.lives - 1),
                }
                return (screen, 0.0, true);
            };
            screen.flies_up = true;
            screen.flies_right = match (2 * place).cmp(&(self.width - 1)) {
                std::cmp::Ordering::Less => false,
                std::cmp::Ordering::Greater => true,
                std::cmp::Ordering::Equal => match action {
                    0 => false,
                    2 => true,
                    _ => screen.flies_right,
                },
            };
        }
        let at_side = if screen.flies_right { screen.x + 1 == self.columns } else { screen.x == 0 };
        screen.flies_right ^= at_side;
        screen.flies_up &= screen.y + 1 < self.height();
        let x = if screen.flies_right { screen.x + 1 } else { screen.x - 1 };
        let y = match (screen.flies_up, screen.y) {
            (true, y) => y + 1,
            // A field of one row: what the top throws back is at the paddle again.
            (false, y) => y.saturating_sub(1),
        };
        match self.brick(x, y).filter(|brick| screen.wall & brick != 0) {
            None => {
                (screen.x, screen.y) = (x, y);
                (screen, 0.0, false)
            }
            Some(brick) => {
                screen.wall ^= brick;
                screen.flies_up = !screen.flies_up;
                let is_cleared = screen.wall == 0;
                if is_cleared {
                    screen.wall = self.whole_wall();
                }
                (screen, 1.0, is_cleared)
            }
        }
    }
}

impl Generator for BreakoutRules {
    fn space(&self) -> &Space {
        &self.space
    }

    fn start(&self) -> Vec<(StateId, f64)> {
        let game = &self.game;
        let (wall, spare, paddle) = (game.whole_wall(), game.lives - 1, game.places() / 2);
        let (x, y, flies_right, flies_up) = (0, 0, false, false);
        let screen = Screen { wall, x, y, flies_right, flies_up, paddle, spare };
        let share = 1.0 / (2 * game.columns) as f64;
        game.serves(screen).map(|state| (state, share)).collect()
    }

    fn outcomes(&self, state: StateId, action: ActionId, list: &mut Outcomes) {
        let (screen, reward, is_served) = self.game.fly(self.game.screen(state), action);
        if !is_served {
            return list.push(self.game.code(screen), 1.0, reward);
        }
        let share = 1.0 / (2 * self.game.columns) as f64;
        self.game.serves(screen).for_each(|next| list.push(next, share, reward));
    }

    fn rule_of_thumb(&self, state: StateId) -> Option<ActionId> {
        let (game, here) = (&self.game, self.game.screen(state));
        let (ball, _) = game.come_down(here);
        // Twice the bricks that a return from a place breaks; a miss beats a return that breaks none.
        let worth = |place: u64| match ball.x.checked_sub(place).filter(|&p| p < game.width) {
            Some(_) => game.come_down(game.fly(Screen { paddle: place, ..ball }, 1).0).1 * 2,
            None => 1,
        };
        let nearest = |place: u64| std::cmp::Reverse(place.abs_diff(here.paddle));
        let target = (0..game.places()).max_by_key(|&place| (worth(place), nearest(place)))?;
        Some(match target.cmp(&here.paddle) {
            std::cmp::Ordering::Less => 0,
            std::cmp::Ordering::Equal => 1,
            std::cmp::Ordering::Greater => 2,
        })
    }

    fn rule_in_words(&self) -> &'static str {
        "return the ball so that it breaks most bricks before it comes down, or let it go"
    }

    fn action_names(&self) -> &[&'static str] {
        &["left", "stay", "right"]
    }
}

impl World for BreakoutGame {
    fn model(&self, _: &Nested<'_>) -> Result<Model, WorldError> {
        Ok(generated(self.generator()?))
    }
}

pub(super) fn kind() -> WorldKind {
    WorldKind::new::<BreakoutGame>(WorldAbout {
        name: BreakoutGame::NAME,
        summary: "a little Breakout: bricks, ball, paddle, lives",
        states: 18_790_481_920,
        actions: 3,
        facts: &[
            "Every brick pays 1; only where a new ball starts is random.",
            "Rule of thumb: return the ball to where it breaks most bricks, or let it go.",
            "By default 8260 of 18790481920 states are reachable; they communicate; gain",
            "0.2660550459, span 5.33027523; random play earns 0.16, the rule of thumb 0.18.",
            "lives=3,rows=4,gap=3: 1477072 of 1761607680 states are reachable.",
        ],
        example: "breakout-game:rows=3,columns=4",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::explore;
    use crate::generator::list;
    use crate::solve::solve;

    /// Two rows of three bricks, two free rows, a paddle of two columns.
    fn small() -> BreakoutRules {
        BreakoutGame { rows: 2, columns: 3, width: 2, lives: 2, gap: 2 }.generator().unwrap()
    }

    fn screen(wall: u64, ball: (u64, u64), flies: (bool, bool), paddle: u64) -> Screen {
        let ((x, y), (flies_right, flies_up)) = (ball, flies);
        Screen { wall, x, y, flies_right, flies_up, paddle, spare: 1 }
    }

    #[test]
    fn a_screen_is_the_state_of_its_factors() {
        let world = small();
        assert_eq!(world.space.states(), 64 * 3 * 4 * 2 * 2 * 2 * 2);
        for state in [0, 1, 777, world.space.states() - 1] {
            let on = world.game.screen(state);
            let flies = [on.flies_right, on.flies_up].map(u64::from);
            let values = [on.wall, on.x, on.y, flies[0], flies[1], on.paddle, on.spare];
            assert_eq!(world.space.decode(state).unwrap(), values);
            assert_eq!(world.game.code(on), state);
        }
    }

    #[test]
    fn the_ball_flies_and_is_thrown_back() {
        let game = small().game;
        let fly = |before: Screen, action| game.fly(before, action).0;
        // Freely, while the paddle moves and stops at the side.
        let after = fly(screen(63, (0, 0), (true, true), 1), 2);
        assert_eq!(after, screen(63, (1, 1), (true, true), 1));
        // By the side.
        let after = fly(screen(63, (2, 0), (true, true), 0), 2);
        assert_eq!(after, screen(63, (1, 1), (false, true), 1));
        // By the top, where there are no bricks.
        let after = fly(screen(1, (1, 3), (true, true), 0), 1);
        assert_eq!(after, screen(1, (2, 2), (true, false), 0));
        // By the paddle: its left half to the left, its right half to the right.
        let returned = |paddle| fly(screen(63, (1, 0), (true, false), paddle), 1);
        assert_eq!(returned(1), screen(63, (0, 1), (false, true), 1));
        assert_eq!(returned(0), screen(63, (2, 1), (true, true), 0));
    }

    #[test]
    fn from_the_middle_of_the_paddle_its_movement_decides() {
        let game = BreakoutGame { columns: 5, width: 1, ..BreakoutGame::default() };
        let returned = |paddle, action| {
            game.fly(screen(1, (2, 0), (true, false), paddle), action).0.flies_right
        };
        assert!(!returned(3, 0) && returned(1, 2) && returned(2, 1));
    }

    #[test]
    fn a_brick_pays_once_and_the_last_one_brings_a_new_wall() {
        let game = small().game;
        // The brick above and to the right: bit 2 of the lower row.
        let (after, reward, is_served) = game.fly(screen(63, (1, 1), (true, true), 0), 1);
        assert_eq!((after, reward), (screen(59, (1, 1), (true, false), 0), 1.0));
        assert!(!is_served);
        let (after, reward, is_served) = game.fly(screen(4, (1, 1), (true, true), 0), 1);
        assert_eq!((after.wall, after.spare, reward, is_served), (63, 1, 1.0, true));
    }

    #[test]
    fn a_lost_ball_costs_a_life_and_the_last_life_the_wall() {
        let world = small();
        let mut outcomes = Outcomes::default();
        let lost = Screen { spare: 1, ..screen(9, (0, 0), (true, false), 1) };
        let mut served = |spare| {
            let state = world.game.code(Screen { spare, ..lost });
            list(&world, state, 1, &mut outcomes).unwrap();
            let next: Vec<Screen> =
                outcomes.entries().iter().map(|o| world.game.screen(o.next)).collect();
            assert!(outcomes.entries().iter().all(|o| (o.probability * 6.0 - 1.0).abs() < 1e-12));
            assert!(next.iter().all(|on| on.y == 1 && !on.flies_up && on.paddle == 1));
            assert_eq!(next.len(), 6, "three columns, two directions");
            (next[0].wall, next[0].spare)
        };
        assert_eq!(served(1), (9, 0));
        assert_eq!(served(0), (63, 1));
    }

    #[test]
    fn the_default_game_is_as_documented() {
        let world = BreakoutGame::default().generator().unwrap();
        assert_eq!(world.space.states(), 18_790_481_920);
        let found = explore(&world, 100_000, &|_| true).unwrap();
        assert!(found.is_complete());
        assert_eq!((found.found(), found.pairs, found.max_support), (8260, 24_780, 10));
        for &state in &found.states {
            let on = world.game.screen(state);
            let brick = world.game.brick(on.x, on.y);
            assert!(on.wall != 0 && brick.is_none_or(|brick| on.wall & brick == 0), "{on:?}");
        }
        let table = found.table(&world, &|_, _| true).unwrap();
        let gain = solve(&table).unwrap().gain_from_start(&table).0;
        assert!((gain - 0.266_055_045_9).abs() < 1e-9, "{gain}");
    }

    #[test]
    fn sizes_out_of_range_are_refused() {
        let refusal = |change: fn(&mut BreakoutGame)| {
            let mut game = BreakoutGame::default();
            change(&mut game);
            game.generator().unwrap_err().to_string()
        };
        let rows = refusal(|game| game.rows = 9);
        assert!(rows.ends_with("a positive integer, with rows * columns at most 40"), "{rows}");
        assert!(refusal(|game| game.width = 5).contains("width = 5"));
        assert!(refusal(|game| game.columns = 1).contains("columns = 1"));
        assert!(refusal(|game| game.lives = 0).contains("lives = 0"));
    }
}

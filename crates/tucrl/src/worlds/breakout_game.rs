//! How much of a video game's state space does the game ever enter?
//!
//! A little Breakout, the paper's motivating example, with bricks, a ball that flies, a paddle and lives. The
//! designer's state is the product of everything that is on the screen: a bit for each brick, where the ball
//! is, in which diagonal direction it flies, where the paddle is, how many lives are left. Most of these
//! screens cannot happen: bricks without support of a ball's path, balls inside walls, paddles that could not
//! have got there in time.
//!
//! The field is `columns` wide; its upper `rows` rows hold the bricks, below them are `gap` free rows, and below
//! the lowest row is the paddle, `width` columns wide. A step: the paddle moves one column left, stays or moves
//! right; then the ball flies one cell along its diagonal. It is thrown back by the sides, the top and bricks; a
//! brick that is hit disappears and pays 1, and the ball stays in its cell for that step. On the lowest row,
//! flying down, it is returned if the paddle is below it: to the left from the paddle's left half, to the right
//! from its right half, and from the very middle in the direction in which the paddle was moved, if it was. Else a
//! life is lost, and with the last one the game: the wall is whole again and all lives are there. A new ball
//! starts just below the wall and flies down, in a column and a direction drawn at random; that and nothing else
//! is chance. Who breaks the last brick gets a whole wall and a new ball, and keeps the lives.
//!
//! The rule of thumb looks one return ahead: go where the ball will come down, return it from the place from which
//! it breaks most bricks, and let it go if it would break none, because otherwise it may fly in circles for ever.
//!
//! Departures from the paper, which only shows the picture: all of the above is our definition.

use super::require;
use crate::error::WorldError;
use crate::generator::{Generator, Outcomes};
use crate::space::{ActionId, Space, StateId};

/// The little Breakout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BreakoutGame {
    /// Rows of bricks, at least 1.
    pub rows: u64,
    /// Columns of the field, at least 2; with `rows` at most 40 bricks.
    pub columns: u64,
    /// Columns that the paddle covers, fewer than `columns`.
    pub width: u64,
    /// Balls a game, at least 1.
    pub lives: u64,
    /// Free rows between bricks and paddle, at least 1.
    pub gap: u64,
}

impl Default for BreakoutGame {
    fn default() -> Self {
        Self { rows: 5, columns: 5, width: 2, lives: 1, gap: 2 }
    }
}

/// What is on the screen.
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

/// The game, ready to be played.
#[derive(Debug, Clone)]
pub struct BreakoutRules {
    game: BreakoutGame,
    space: Space,
}

impl BreakoutGame {
    /// The name in messages and on the command line.
    pub const NAME: &'static str = "breakout-game";

    /// Builds the world's rule.
    ///
    /// # Errors
    /// When a size is out of its range.
    pub fn generator(&self) -> Result<BreakoutRules, WorldError> {
        let bricks = self.rows.saturating_mul(self.columns);
        let rows = "a positive integer, with rows * columns at most 40";
        require(
            self.rows >= 1 && (bricks <= 40 || self.columns < 2),
            Self::NAME,
            "rows",
            self.rows,
            rows,
        )?;
        let columns = "an integer of at least 2";
        require(self.columns >= 2, Self::NAME, "columns", self.columns, columns)?;
        let narrower = (1..self.columns).contains(&self.width);
        require(narrower, Self::NAME, "width", self.width, "at least 1 and less than columns")?;
        require((1..=100).contains(&self.lives), Self::NAME, "lives", self.lives, "1 to 100")?;
        require((1..=100).contains(&self.gap), Self::NAME, "gap", self.gap, "1 to 100")?;
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
        // What each place of the paddle would send the ball to; a place that misses it breaks nothing.
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

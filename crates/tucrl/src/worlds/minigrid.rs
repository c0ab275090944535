//! Walking and turning on a board, as in MiniGrid.
//!
//! The dynamics of MiniGridEmpty and MiniGridRooms in Colosseum (Conserva and Rauber 2022), in their continuing form. The
//! state is a cell (x, y) and a direction: up (y + 1), right, down, left. Actions: forward, turn right, turn left. A step
//! forward into a wall or over the border stays. With probability `lazy` nothing happens; else with probability `random` the
//! action is replaced by one of the three, each equally likely. A step whose next cell is the goal earns 1: there is no
//! end, the agent may stay there. The start is cell (0, 0) facing up, the goal the opposite corner; Colosseum draws both.

use super::{WorldError, names_if_few, require_probability};
use crate::mdp::Mdp;
use crate::pulse::unless_stopped;

/// Directions, and how a step changes x and y.
const STEPS: [(&str, isize, isize); 4] =
    [("up", 0, 1), ("right", 1, 0), ("down", 0, -1), ("left", -1, 0)];

/// The mishaps of a board.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mishaps {
    /// The probability that nothing happens.
    pub(super) lazy: f64,
    /// The probability that the action is replaced.
    pub(super) random: f64,
}

/// The state that an action leads to, without mishaps; `cells` are the open cells, increasing.
fn after(cells: &[(usize, usize)], state: usize, action: usize) -> usize {
    let (cell, direction) = (state / 4, state % 4);
    match action {
        0 => {
            let ((x, y), (_, dx, dy)) = (cells[cell], STEPS[direction]);
            let ahead = x.checked_add_signed(dx).zip(y.checked_add_signed(dy));
            let cell = ahead.and_then(|ahead| cells.binary_search(&ahead).ok()).unwrap_or(cell);
            4 * cell + direction
        }
        1 => 4 * cell + (direction + 1) % 4,
        _ => 4 * cell + (direction + 3) % 4,
    }
}

/// A board with these open cells, increasing, of which the first is the start and the last the goal.
pub(super) fn board(
    world: &'static str,
    cells: &[(usize, usize)],
    Mishaps { lazy, random }: Mishaps,
) -> Result<Mdp, WorldError> {
    require_probability(world, "lazy", lazy)?;
    require_probability(world, "random", random)?;
    let states = 4 * cells.len();
    let goal = cells.len() - 1;
    let mut builder = Mdp::builder();
    for state in unless_stopped(0..states) {
        builder.state();
        for action in 0..3 {
            let each = (1.0 - lazy) * random / 3.0;
            let mut row =
                vec![(state, lazy), (after(cells, state, action), (1.0 - lazy) * (1.0 - random))];
            row.extend((0..3).map(|other| (after(cells, state, other), each)));
            row.retain(|outcome| outcome.1 > 0.0);
            builder.joint_action(row.into_iter().map(|(next, probability)| {
                (next, probability, if next / 4 == goal { 1.0 } else { 0.0 })
            }));
        }
    }
    let name = |state: usize| {
        let (x, y) = cells[state / 4];
        format!("x {x}, y {y}, {}", STEPS[state % 4].0)
    };
    builder.start_at(0).state_names(names_if_few(states, name)).action_names([
        "forward",
        "turn right",
        "turn left",
    ]);
    Ok(builder.build()?)
}

#[cfg(test)]
pub(super) mod published {
    use crate::mdp::Mdp;
    use crate::worlds::probe::{assert_near, row};

    /// Compares a world with the transition and reward arrays of Colosseum's definition, in which a cell ahead is entered
    /// if `admits` says so.
    pub(crate) fn compare(
        mdp: &Mdp,
        cells: &[(usize, usize)],
        (lazy, random): (f64, f64),
        admits: impl Fn((isize, isize)) -> bool,
    ) {
        let number = |(x, y, direction): (usize, usize, usize)| {
            4 * cells.iter().position(|cell| *cell == (x, y)).unwrap() + direction
        };
        let moved = |(x, y, direction): (usize, usize, usize), action: usize| {
            if action == 1 {
                return (x, y, (direction + 1) % 4);
            } else if action == 2 {
                return (x, y, (direction + 4 - 1) % 4);
            }
            let (x0, y0) = (x as isize, y as isize);
            let ahead = match direction {
                0 => (x0, y0 + 1),
                1 => (x0 + 1, y0),
                2 => (x0, y0 - 1),
                _ => (x0 - 1, y0),
            };
            match admits(ahead) {
                true => (ahead.0 as usize, ahead.1 as usize, direction),
                false => (x, y, direction),
            }
        };
        assert_eq!(mdp.states(), 4 * cells.len());
        let goal = *cells.last().unwrap();
        for &(x, y) in cells {
            for direction in 0..4 {
                let node = (x, y, direction);
                for action in 0..3 {
                    let (mut law, mut mean) = (vec![0.0; mdp.states()], 0.0);
                    let mut add = |next: (usize, usize, usize), mass: f64| {
                        law[number(next)] += mass;
                        mean += if (next.0, next.1) == goal { mass } else { 0.0 };
                    };
                    let active = 1.0 - lazy;
                    add(moved(node, action), (1.0 - random) * active + active * random / 3.0);
                    add(node, lazy);
                    for other in (0..3).filter(|other| *other != action) {
                        add(moved(node, other), active * random / 3.0);
                    }
                    let state = number(node);
                    let mut found = vec![0.0; mdp.states()];
                    row(mdp, state, action).iter().for_each(|(next, p)| found[*next] = *p);
                    for (found, expected) in found.iter().zip(&law) {
                        assert_near(*found, *expected, 1e-15);
                    }
                    assert_near(mdp.mean_reward(mdp.pair(state, action)), mean, 1e-15);
                }
            }
        }
    }
}

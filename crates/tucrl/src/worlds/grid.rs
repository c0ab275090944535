//! Steps on a rectangular board.
//!
//! Cells are numbered in reading order, row by row from the upper left; a step over the border stays.

/// One of the four directions of a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    /// To the row above.
    Up,
    /// To the next column.
    Right,
    /// To the row below.
    Down,
    /// To the column before.
    Left,
}

/// A board of cells.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    /// How many rows.
    pub(super) rows: usize,
    /// How many columns.
    pub(super) columns: usize,
}

impl Grid {
    /// The number of cells.
    pub(super) fn cells(self) -> usize {
        self.rows * self.columns
    }

    /// The row and the column of a cell.
    pub(super) fn place(self, cell: usize) -> (usize, usize) {
        (cell / self.columns, cell % self.columns)
    }

    /// The cell one step away, or the same cell at the border.
    pub(super) fn step(self, cell: usize, direction: Direction) -> usize {
        let (row, column) = self.place(cell);
        let (row, column) = match direction {
            Direction::Up => (row.saturating_sub(1), column),
            Direction::Down => ((row + 1).min(self.rows - 1), column),
            Direction::Left => (row, column.saturating_sub(1)),
            Direction::Right => (row, (column + 1).min(self.columns - 1)),
        };
        row * self.columns + column
    }

    /// A cell's name: its row and column.
    pub(super) fn name(self, cell: usize) -> String {
        let (row, column) = self.place(cell);
        format!("row {row}, column {column}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_move_one_cell_and_stop_at_the_border() {
        use Direction::{Down, Left, Right, Up};
        let grid = Grid { rows: 2, columns: 3 };
        let from = |cell| [Up, Right, Down, Left].map(|direction| grid.step(cell, direction));
        assert_eq!(from(0), [0, 1, 3, 0]);
        assert_eq!(from(4), [1, 5, 4, 3]);
        assert_eq!(from(5), [2, 5, 5, 4]);
        assert_eq!((grid.cells(), grid.name(5).as_str()), (6, "row 1, column 2"));
    }
}

//! Where does a next state stand in the row of a pair?

/// Where next states were last found in their rows: a look there is faster than a search. Any hint will do.
#[derive(Debug, Clone, Default)]
pub(super) struct Hints(Vec<u16>);

impl Hints {
    /// How many; a power of two.
    const MANY: usize = 1 << 12;

    /// The place in the row of a pair of the first state that is not below `next`.
    #[inline]
    pub(super) fn place(&mut self, pair: usize, next: u32, row: &[u32]) -> usize {
        let slot = (pair as u32).wrapping_mul(0x9e37_79b1).wrapping_add(next) as usize % Self::MANY;
        let hint = self.0.get(slot).map_or(0, |&hint| usize::from(hint));
        if row.get(hint) == Some(&next) {
            return hint;
        }
        self.search(slot, next, row)
    }

    /// Their memory.
    pub(super) fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<u16>()
    }

    #[inline(never)]
    fn search(&mut self, slot: usize, next: u32, row: &[u32]) -> usize {
        let place = row.partition_point(|&known| known < next);
        if self.0.is_empty() {
            self.0.resize(Self::MANY, 0);
        }
        self.0[slot] = place as u16;
        place
    }
}

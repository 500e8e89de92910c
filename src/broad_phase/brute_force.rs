//! [`BruteForce`]: every pair is looked at.

use super::{BroadPhaseError, Pair, PairCounts, check};
use crate::{Real, shape::Aabb};

/// All pairs: the truth that the faster ways are held against, and the fastest for a dozen boxes.
///
/// ```
/// # use nalgebra::point;
/// use sidle::{Aabb2, broad_phase::{BruteForce, Pair}};
/// let square = |x: f64| Aabb2::new(point![x, 0.0], point![x + 1.0, 1.0]);
/// let mut all = BruteForce::new();
/// assert_eq!(all.update(&[square(0.0), square(5.0), square(0.5)])?, [Pair { a: 0, b: 2 }]);
/// assert_eq!(all.counts().checks, 3);
/// # Ok::<(), sidle::broad_phase::BroadPhaseError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct BruteForce {
    pairs: Vec<Pair>,
    counts: PairCounts,
}

impl BruteForce {
    /// Without boxes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Finds the pairs of some boxes, ordered by their indices. Takes no memory once it has had as many pairs.
    ///
    /// # Errors
    /// If a number is not finite or too large, or a lower corner is above the upper.
    pub fn update<T: Real, const D: usize>(&mut self, boxes: &[Aabb<T, D>]) -> Result<&[Pair], BroadPhaseError> {
        check(boxes)?;
        self.pairs.clear();
        for (j, second) in boxes.iter().enumerate() {
            for (i, first) in boxes[..j].iter().enumerate() {
                if first.overlaps(second) {
                    self.pairs.push(Pair { a: i as u32, b: j as u32 });
                }
            }
        }
        let n = boxes.len() as u64;
        self.counts = PairCounts { checks: n * n.saturating_sub(1) / 2, swaps: 0, pairs: self.pairs.len() as u64 };
        Ok(&self.pairs)
    }

    /// The pairs of the last update.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// The work of the last update.
    pub fn counts(&self) -> PairCounts {
        self.counts
    }
}

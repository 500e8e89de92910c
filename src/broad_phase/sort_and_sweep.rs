//! [`SortAndSweep`]: along one axis, with a break.

use super::{BroadPhaseError, Pair, PairCounts, axis_of_spread, check, overlap};
use crate::{Real, shape::Aabb};

/// Sorts boxes by where they begin on one axis, and compares each with those that begin before it ends.
///
/// The axis is the one along which the middles of the boxes are spread most. (Baraff 1992, *Dynamic simulation of
/// non-penetrating rigid bodies*; Ericson 2005, *Real-Time Collision Detection*, 7.5.) The cost is that of sorting plus one
/// check for each pair that overlaps on the axis.
///
/// ```
/// # use nalgebra::point;
/// use sidle::{Aabb2, broad_phase::{Pair, SortAndSweep}};
/// let square = |x: f64| Aabb2::new(point![x, 0.0], point![x + 1.0, 1.0]);
/// let mut sweep = SortAndSweep::new();
/// let boxes = [square(0.0), square(5.0), square(0.5), square(7.0)];
/// assert_eq!(sweep.update(&boxes)?, [Pair { a: 0, b: 2 }]);
/// // Of six pairs it looks at four: one that overlaps, and the one that ends the run for each of the first three.
/// assert_eq!(sweep.counts().checks, 4);
/// # Ok::<(), sidle::broad_phase::BroadPhaseError>(())
/// ```
#[derive(Debug, Clone)]
#[doc(alias = "sweep_and_prune")]
pub struct SortAndSweep<T: Real, const D: usize> {
    /// Where each box begins on the axis, and its index; sorted.
    begins: Vec<(T, u32)>,
    /// The boxes in that order, so that the sweep reads memory in order.
    sorted: Vec<Aabb<T, D>>,
    pairs: Vec<Pair>,
    axis: usize,
    counts: PairCounts,
}

impl<T: Real, const D: usize> Default for SortAndSweep<T, D> {
    fn default() -> Self {
        Self { begins: Vec::new(), sorted: Vec::new(), pairs: Vec::new(), axis: 0, counts: PairCounts::default() }
    }
}

impl<T: Real, const D: usize> SortAndSweep<T, D> {
    /// Without boxes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Finds the pairs of some boxes, in the order of the sweep. Takes no memory once it has had as many boxes and pairs.
    ///
    /// # Errors
    /// If a number is not finite or too large, or a lower corner is above the upper.
    pub fn update(&mut self, boxes: &[Aabb<T, D>]) -> Result<&[Pair], BroadPhaseError> {
        check(boxes)?;
        self.axis = axis_of_spread(boxes.iter().copied());
        let axis = self.axis;
        self.begins.clear();
        self.begins.extend((0..).zip(boxes).map(|(i, bounds)| (bounds.min[axis], i)));
        self.begins.sort_unstable_by(|a, b| a.partial_cmp(b).expect("boxes have been checked to be finite"));
        self.sorted.clear();
        self.sorted.extend(self.begins.iter().map(|(_, i)| boxes[*i as usize]));
        self.sweep();
        Ok(&self.pairs)
    }

    fn sweep(&mut self) {
        self.pairs.clear();
        let (axis, mut checks) = (self.axis, 0);
        for (i, first) in self.sorted.iter().enumerate() {
            let end = first.max[axis];
            for (j, second) in (i + 1..).zip(&self.sorted[i + 1..]) {
                checks += 1;
                if second.min[axis] > end {
                    break; // so does every later one
                }
                if overlap(first, second) {
                    self.pairs.push(Pair::of(self.begins[i].1, self.begins[j].1));
                }
            }
        }
        self.counts = PairCounts { checks, swaps: 0, pairs: self.pairs.len() as u64 };
    }

    /// The pairs of the last update.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// The work of the last update.
    pub fn counts(&self) -> PairCounts {
        self.counts
    }

    /// The axis along which the last update swept: 0 for x, 1 for y, 2 for z.
    pub fn axis(&self) -> usize {
        self.axis
    }
}

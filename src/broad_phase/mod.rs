//! Which pairs of boxes can matter: the pairs whose boxes overlap, found without looking at all pairs.
//!
//! Four ways to the same *set* of pairs, in the plane and in space; touching counts, as for [`Aabb::overlaps`]:
//!
//! | | looks at | for |
//! | --- | --- | --- |
//! | [`BruteForce`] | all `n (n − 1) / 2` pairs | a dozen boxes, and tests |
//! | [`SortAndSweep`] | pairs that overlap on one axis | boxes that are new in every tick |
//! | [`IncrementalSweep`] | pairs whose order on an axis has changed | a few hundred boxes that hardly move |
//! | [`DynamicTree`] | pairs that overlap with air around them | boxes that stay, and move or rest; what meets a box |
//!
//! The first two take a slice of boxes and name them by their index; the others keep boxes by name, and tell which
//! pairs began and ended. All count their work ([`PairCounts`]). The order of the pairs is the same in every run, and
//! otherwise unspecified.
//!
//! # Which one?
//! `cargo bench --bench broad_phase` measures it; the README of the project gives figures. With 10,000 boxes in space that
//! move by at most 5 % of their size a tick, [`DynamicTree`] takes a fifth of the time of [`SortAndSweep`] and a third of that of
//! [`IncrementalSweep`], or less, on average; in the plane about a fourth of the time of [`SortAndSweep`]. It is the one on which a
//! [`World`](crate::World) finds its instances. Where most boxes are new or jump in every tick, [`SortAndSweep`] has nothing to
//! keep up to date.

mod brute_force;
mod dynamic_tree;
mod incremental;
mod names;
mod pair_set;
mod sort_and_sweep;
pub(crate) mod tree;

pub use brute_force::BruteForce;
pub use dynamic_tree::DynamicTree;
pub use incremental::IncrementalSweep;
pub use names::{BoxId, BoxPair};
pub use sort_and_sweep::SortAndSweep;

use crate::{InputError, Real, shape::Aabb};

/// Two boxes of a slice that overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pair {
    /// The lower index.
    pub a: u32,
    /// The higher index.
    pub b: u32,
}

impl Pair {
    fn of(i: u32, j: u32) -> Self {
        Self { a: i.min(j), b: i.max(j) }
    }
}

/// The work of one update.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PairCounts {
    /// How often two boxes were compared with each other, the comparison that ends a run included.
    pub checks: u64,
    /// How often two end points changed places; only an [`IncrementalSweep`] has any.
    pub swaps: u64,
    /// How many pairs overlap.
    pub pairs: u64,
}

/// Why boxes were refused. Nothing has changed then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BroadPhaseError {
    /// A number of a box is not finite or too large, or a lower corner is above the upper.
    #[error("box {index}: {error}")]
    Box {
        /// Which box of the slice; 0 where there is but one.
        index: usize,
        /// What is wrong with it.
        #[source]
        error: InputError,
    },
    /// More boxes than the 31 bits of their names can tell apart.
    #[error("there are more than 2147483647 boxes")]
    TooMany,
    /// The box was removed, or belongs to another broad phase.
    #[error("there is no such box")]
    NoSuchBox,
}

/// The most boxes that there can be: an end point holds the number of its box and one bit.
const MAX_BOXES: usize = (u32::MAX >> 1) as usize;

fn check<T: Real, const D: usize>(boxes: &[Aabb<T, D>]) -> Result<(), BroadPhaseError> {
    if boxes.len() > MAX_BOXES {
        return Err(BroadPhaseError::TooMany);
    }
    for (index, bounds) in boxes.iter().enumerate() {
        bounds.check().map_err(|error| BroadPhaseError::Box { index, error })?;
    }
    Ok(())
}

fn check_box<T: Real, const D: usize>(bounds: &Aabb<T, D>) -> Result<(), BroadPhaseError> {
    bounds.check().map_err(|error| BroadPhaseError::Box { index: 0, error })
}

/// The axis along which the middles of the boxes are spread most: the one whose variance is largest.
///
/// Sorting along it leaves the fewest boxes side by side. (Ericson 2005, *Real-Time Collision Detection*, 7.5.2.)
fn axis_of_spread<T: Real, const D: usize>(boxes: impl Iterator<Item = Aabb<T, D>> + Clone) -> usize {
    let middle = |bounds: &Aabb<T, D>, axis: usize| bounds.min[axis].to_f64() + bounds.max[axis].to_f64();
    let (mut sums, mut count) = ([0.0; D], 0.0);
    for bounds in boxes.clone() {
        (0..D).for_each(|axis| sums[axis] += middle(&bounds, axis));
        count += 1.0;
    }
    let mut squares = [0.0; D];
    for bounds in boxes {
        (0..D).for_each(|axis| {
            let away = middle(&bounds, axis) - sums[axis] / count;
            squares[axis] += away * away;
        });
    }
    (1..D).fold(0, |best, axis| if squares[axis] > squares[best] { axis } else { best })
}

/// [`Aabb::overlaps`] without a branch, for pairs that mostly do not.
fn overlap<T: Real, const D: usize>(a: &Aabb<T, D>, b: &Aabb<T, D>) -> bool {
    (0..D).fold(true, |overlap, axis| overlap & (a.min[axis] <= b.max[axis]) & (b.min[axis] <= a.max[axis]))
}

/// What a box has to do with how often it is met: its surface in space, its circumference in the plane; half of it.
fn surface<T: Real, const D: usize>(bounds: &Aabb<T, D>) -> f64 {
    let width = |axis: usize| bounds.max[axis].to_f64() - bounds.min[axis].to_f64();
    (0..D).map(|across| (0..D).filter(|axis| *axis != across).map(width).product::<f64>()).sum()
}

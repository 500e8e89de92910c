//! [`IncrementalSweep`]: sorted end points on every axis, kept between updates.

mod added;
mod ends;

use self::ends::End;
use super::{BoxId, BoxPair, BroadPhaseError, PairCounts, check_box, names::Names, pair_set::PairSet};
use crate::{Real, shape::Aabb};

/// Boxes that stay from tick to tick, and the pairs of them that overlap.
///
/// The lower and upper ends of all boxes are kept sorted on every axis. Boxes that have moved a little leave these lists
/// nearly sorted, and insertion sort puts them right with a few swaps of neighbours. A swap is an event: where a lower
/// end passes below another's upper end the two begin to overlap on that axis, and do overlap if they do on the others
/// too; where an upper end passes below a lower one they end. The set of pairs is kept, and changed by events only.
/// (Baraff 1992, *Dynamic simulation of non-penetrating rigid bodies*; Cohen, Lin, Manocha and Ponamgi 1995, *I-COLLIDE*.)
///
/// Boxes are added, moved and removed at any time; [`IncrementalSweep::update`] then brings the pairs up to date for all of
/// them at once, in one pass over each list. Where sorting anew is cheaper (many new boxes, or boxes that jump
/// far), it does so by itself.
///
/// ```
/// # use nalgebra::point;
/// use sidle::{Aabb2, broad_phase::IncrementalSweep};
/// let square = |x: f64| Aabb2::new(point![x, 0.0], point![x + 1.0, 1.0]);
/// let mut zone = IncrementalSweep::new();
/// let door = zone.add(square(0.0))?;
/// let player = zone.add(square(3.0))?;
/// zone.update();
/// assert!(zone.pairs().next().is_none());
///
/// zone.move_to(player, square(0.9))?;
/// zone.update();
/// assert_eq!(zone.begun()[0].other(door), Some(player));
///
/// zone.remove(player)?;
/// zone.update();
/// assert_eq!((zone.ended().len(), zone.pairs().count()), (1, 0));
/// # Ok::<(), sidle::broad_phase::BroadPhaseError>(())
/// ```
#[derive(Debug, Clone)]
#[doc(alias = "sweep_and_prune")]
pub struct IncrementalSweep<T: Real, const D: usize> {
    names: Names,
    slots: Vec<Slot>,
    /// The boxes as they were told last, by slot.
    boxes: Vec<Aabb<T, D>>,
    /// The boxes as they were at the last update: what the set of pairs speaks of.
    settled: Vec<Aabb<T, D>>,
    ends: [Vec<End<T>>; D],
    pairs: PairSet,
    /// The pairs before all was sorted anew.
    before: PairSet,
    added: Vec<u32>,
    removed: Vec<usize>,
    has_moved: bool,
    begun: Vec<BoxPair>,
    ended: Vec<BoxPair>,
    /// While sweeping over the ends: the boxes that have begun and not ended, old and new ones.
    open: [Vec<u32>; 2],
    /// While merging: the new ends of one axis.
    fresh: Vec<End<T>>,
    /// While reading the values of one axis: by tag.
    values: Vec<T>,
    counts: PairCounts,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    state: State,
    /// Place in the list of open boxes, while sweeping.
    place: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Free,
    /// Since the last update; not among the ends yet.
    Added,
    Live,
    /// Since the last update; still among the ends.
    Removed,
}

impl<T: Real, const D: usize> Default for IncrementalSweep<T, D> {
    fn default() -> Self {
        Self {
            names: Names::default(),
            slots: Vec::new(),
            boxes: Vec::new(),
            settled: Vec::new(),
            ends: std::array::from_fn(|_| Vec::new()),
            pairs: PairSet::default(),
            before: PairSet::default(),
            added: Vec::new(),
            removed: Vec::new(),
            has_moved: false,
            begun: Vec::new(),
            ended: Vec::new(),
            open: [Vec::new(), Vec::new()],
            fresh: Vec::new(),
            values: Vec::new(),
            counts: PairCounts::default(),
        }
    }
}

impl<T: Real, const D: usize> IncrementalSweep<T, D> {
    /// Without boxes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a box. It takes part from the next [`IncrementalSweep::update`] on.
    ///
    /// # Errors
    /// If a number is not finite or too large, or a lower corner is above the upper; if there are too many boxes.
    pub fn add(&mut self, bounds: Aabb<T, D>) -> Result<BoxId, BroadPhaseError> {
        check_box(&bounds)?;
        let slot = self.names.give()?;
        if slot == self.slots.len() {
            self.slots.push(Slot { state: State::Free, place: 0 });
            self.boxes.push(bounds);
            self.settled.push(bounds);
        }
        self.slots[slot].state = State::Added;
        self.boxes[slot] = bounds;
        self.added.push(slot as u32);
        Ok(self.names.id(slot as u32))
    }

    /// Puts a box somewhere else, in any size.
    ///
    /// # Errors
    /// If there is no such box, a number is not finite or too large, or a lower corner is above the upper.
    pub fn move_to(&mut self, id: BoxId, bounds: Aabb<T, D>) -> Result<(), BroadPhaseError> {
        check_box(&bounds)?;
        let slot = self.names.find(id)?;
        self.boxes[slot] = bounds;
        self.has_moved = true;
        Ok(())
    }

    /// Takes a box away. Its pairs end with the next [`IncrementalSweep::update`].
    ///
    /// # Errors
    /// If there is no such box.
    pub fn remove(&mut self, id: BoxId) -> Result<(), BroadPhaseError> {
        let slot = self.names.take(id)?;
        self.slots[slot].state = State::Removed;
        self.removed.push(slot);
        Ok(())
    }

    /// Where a box is, as it was told last.
    pub fn bounds(&self, id: BoxId) -> Option<Aabb<T, D>> {
        self.names.find(id).ok().map(|slot| self.boxes[slot])
    }

    /// How many boxes there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is no box.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Brings the pairs up to date with all that was added, moved and removed since the last time.
    ///
    /// The cost is one pass over the ends of all boxes plus the swaps. Takes no memory once there have been as many boxes
    /// and pairs.
    pub fn update(&mut self) {
        self.begun.clear();
        self.ended.clear();
        self.counts = PairCounts::default();
        self.drop_removed();
        if self.added.len() * 4 > self.ends[0].len() || !self.settle_moved() {
            self.sort_anew();
        } else {
            self.settle_added();
        }
        self.settled.copy_from_slice(&self.boxes);
        self.has_moved = false;
        self.counts.pairs = self.pairs.list().len() as u64;
    }

    /// All pairs as of the last update. Two boxes that touch are a pair.
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = BoxPair> {
        self.pairs.list().iter().map(|[a, b]| self.names.pair(*a, *b))
    }

    /// Whether two boxes overlapped at the last update.
    pub fn is_pair(&self, a: BoxId, b: BoxId) -> bool {
        self.names.find(a).is_ok() && self.names.find(b).is_ok() && self.pairs.contains(a.slot, b.slot)
    }

    /// The pairs that overlap since the last update, and did not before it.
    pub fn begun(&self) -> &[BoxPair] {
        &self.begun
    }

    /// The pairs that overlapped before the last update, and do not since; those of removed boxes among them.
    pub fn ended(&self) -> &[BoxPair] {
        &self.ended
    }

    /// The work of the last update.
    pub fn counts(&self) -> PairCounts {
        self.counts
    }

    fn drop_removed(&mut self) {
        if self.removed.is_empty() {
            return;
        }
        for i in (0..self.pairs.list().len()).rev() {
            let [a, b] = self.pairs.list()[i];
            if [a, b].iter().any(|slot| self.slots[*slot as usize].state == State::Removed) {
                self.ended.push(self.names.pair(a, b));
                self.pairs.remove(a, b);
            }
        }
        for ends in &mut self.ends {
            ends.retain(|end| self.slots[end.slot()].state != State::Removed);
        }
        self.added.retain(|slot| self.slots[*slot as usize].state == State::Added);
        for slot in self.removed.drain(..) {
            self.slots[slot].state = State::Free;
            self.names.free(slot);
        }
    }
}

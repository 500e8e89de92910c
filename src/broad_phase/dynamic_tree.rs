//! [`DynamicTree`]: a tree of boxes with air around them, and the pairs that can matter, kept between updates.

use super::{
    BoxId, BoxPair, BroadPhaseError, MAX_BOXES, PairCounts, check_box, overlap,
    tree::{Tree, ahead},
};
use crate::{Real, shape::Aabb};

/// Boxes that stay from tick to tick, the pairs of them that overlap, and what meets a box.
///
/// The boxes are the leaves of a binary tree, with air around them: a box that moves a little stays within its *loose* box, and
/// costs no more than to see that it does. The pairs of loose boxes that overlap are the candidates, kept from update to
/// update; only a box that has left its loose box gets a new one, ahead in the direction in which it moves, and asks the tree
/// for its candidates. (Catto 2019, *Dynamic Bounding Volume Hierarchies*; candidates kept by reach after Verlet 1967.)
///
/// Boxes are added, moved and removed at any time; [`DynamicTree::update`] then brings all up to date at once.
///
/// ```
/// # use nalgebra::point;
/// use sidle::{Aabb2, broad_phase::DynamicTree};
/// let square = |x: f64| Aabb2::new(point![x, 0.0], point![x + 1.0, 1.0]);
/// let mut zone = DynamicTree::new();
/// let door = zone.add(square(0.0))?;
/// let player = zone.add(square(3.0))?;
/// zone.update();
/// assert!(zone.pairs().next().is_none());
///
/// zone.move_to(player, square(0.9))?;
/// zone.update();
/// assert_eq!(zone.begun()[0].other(door), Some(player));
///
/// let mut seen = Vec::new();
/// zone.each_in_box(&Aabb2::new(point![1.5, 0.0], point![9.0, 9.0]), |id| seen.push(id));
/// assert_eq!(seen, [player]);
/// # Ok::<(), sidle::broad_phase::BroadPhaseError>(())
/// ```
#[derive(Debug, Clone)]
#[doc(alias = "dbvt")]
#[doc(alias = "bvh")]
pub struct DynamicTree<T: Real, const D: usize> {
    slots: Vec<Slot>,
    /// The boxes as they were told last, by slot; empty where there is none.
    boxes: Vec<Aabb<T, D>>,
    /// The boxes as they were at the last update; empty where there was none.
    settled: Vec<Aabb<T, D>>,
    /// The boxes with air around them, as in the tree.
    loose: Vec<Aabb<T, D>>,
    tree: Tree<T, D>,
    /// The pairs whose loose boxes overlap, but for those of `left`.
    candidates: Vec<[u32; 2]>,
    pairs: Vec<[u32; 2]>,
    /// New boxes, and those that have left their loose boxes since the last update.
    left: Vec<u32>,
    removed: Vec<u32>,
    free: Vec<u32>,
    begun: Vec<BoxPair>,
    ended: Vec<BoxPair>,
    counts: PairCounts,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    generation: u32,
    is_live: bool,
    has_left: bool,
}

impl<T: Real, const D: usize> Default for DynamicTree<T, D> {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            boxes: Vec::new(),
            settled: Vec::new(),
            loose: Vec::new(),
            tree: Tree::default(),
            candidates: Vec::new(),
            pairs: Vec::new(),
            left: Vec::new(),
            removed: Vec::new(),
            free: Vec::new(),
            begun: Vec::new(),
            ended: Vec::new(),
            counts: PairCounts::default(),
        }
    }
}

impl<T: Real, const D: usize> DynamicTree<T, D> {
    /// Without boxes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a box. It takes part from the next [`DynamicTree::update`] on.
    ///
    /// # Errors
    /// If a number is not finite or too large, or a lower corner is above the upper; if there are too many boxes.
    pub fn add(&mut self, bounds: Aabb<T, D>) -> Result<BoxId, BroadPhaseError> {
        check_box(&bounds)?;
        let slot = match self.free.pop() {
            Some(slot) => slot,
            None if self.slots.len() >= MAX_BOXES => return Err(BroadPhaseError::TooMany),
            None => {
                self.slots.push(Slot { generation: 0, is_live: false, has_left: false });
                for list in [&mut self.boxes, &mut self.settled, &mut self.loose] {
                    list.push(Aabb::empty());
                }
                self.slots.len() as u32 - 1
            }
        };
        self.slots[slot as usize].is_live = true;
        self.boxes[slot as usize] = bounds;
        self.leave(slot as usize);
        Ok(self.id(slot))
    }

    /// Puts a box somewhere else, in any size.
    ///
    /// # Errors
    /// If there is no such box, a number is not finite or too large, or a lower corner is above the upper.
    pub fn move_to(&mut self, id: BoxId, bounds: Aabb<T, D>) -> Result<(), BroadPhaseError> {
        check_box(&bounds)?;
        let slot = self.find(id)?;
        self.boxes[slot] = bounds;
        if !self.loose[slot].holds(&bounds) {
            self.leave(slot);
        }
        Ok(())
    }

    /// Takes a box away. Its pairs end with the next [`DynamicTree::update`].
    ///
    /// # Errors
    /// If there is no such box.
    pub fn remove(&mut self, id: BoxId) -> Result<(), BroadPhaseError> {
        let slot = self.find(id)?;
        self.slots[slot].is_live = false;
        self.boxes[slot] = Aabb::empty();
        self.leave(slot);
        self.removed.push(slot as u32);
        Ok(())
    }

    /// Where a box is, as it was told last.
    pub fn bounds(&self, id: BoxId) -> Option<Aabb<T, D>> {
        self.find(id).ok().map(|slot| self.boxes[slot])
    }

    /// How many boxes there are.
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len() - self.removed.len()
    }

    /// Whether there is no box.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Brings the pairs up to date with all that was added, moved and removed since the last time.
    ///
    /// The cost is a look at each candidate, and a walk through the tree for each box that has left its loose box. Takes no
    /// memory once there have been as many boxes, candidates and pairs.
    pub fn update(&mut self) {
        self.begun.clear();
        self.ended.clear();
        self.pairs.clear();
        self.counts = PairCounts::default();
        self.loosen();
        self.judge_candidates();
        self.find_candidates();
        self.settled.copy_from_slice(&self.boxes);
        for slot in self.removed.drain(..) {
            let entry = &mut self.slots[slot as usize];
            // A name that has run out of generations is not used again.
            if let Some(next) = entry.generation.checked_add(1) {
                entry.generation = next;
                self.free.push(slot);
            }
        }
        self.counts.pairs = self.pairs.len() as u64;
    }

    /// All pairs as of the last update. Two boxes that touch are a pair.
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = BoxPair> {
        self.pairs.iter().map(|[a, b]| self.pair(*a, *b))
    }

    /// Whether two boxes overlapped at the last update.
    pub fn is_pair(&self, a: BoxId, b: BoxId) -> bool {
        let found = self.find(a).ok().zip(self.find(b).ok());
        found.is_some_and(|(a, b)| a != b && overlap(&self.settled[a], &self.settled[b]))
    }

    /// The pairs that overlap since the last update, and did not before it.
    pub fn begun(&self) -> &[BoxPair] {
        &self.begun
    }

    /// The pairs that overlapped before the last update, and do not since; those of removed boxes among them.
    pub fn ended(&self) -> &[BoxPair] {
        &self.ended
    }

    /// Visits each box that met another box at the last update, in no order; touching counts.
    pub fn each_in_box(&self, bounds: &Aabb<T, D>, mut visit: impl FnMut(BoxId)) {
        self.tree.each_meeting(bounds, |slot| {
            if overlap(&self.settled[slot as usize], bounds) && self.slots[slot as usize].is_live {
                visit(self.id(slot));
            }
            true
        });
    }

    /// The work of the last update.
    pub fn counts(&self) -> PairCounts {
        self.counts
    }

    fn id(&self, slot: u32) -> BoxId {
        BoxId { slot, generation: self.slots[slot as usize].generation }
    }

    /// The box in the lower slot first: that does not change while both are there.
    fn pair(&self, a: u32, b: u32) -> BoxPair {
        BoxPair { a: self.id(a.min(b)), b: self.id(a.max(b)) }
    }

    fn find(&self, id: BoxId) -> Result<usize, BroadPhaseError> {
        let slot = self.slots.get(id.slot as usize).ok_or(BroadPhaseError::NoSuchBox)?;
        let is_there = slot.generation == id.generation && slot.is_live;
        if is_there { Ok(id.slot as usize) } else { Err(BroadPhaseError::NoSuchBox) }
    }

    fn leave(&mut self, slot: usize) {
        if !std::mem::replace(&mut self.slots[slot].has_left, true) {
            self.left.push(slot as u32);
        }
    }

    /// New loose boxes for those that have left theirs.
    fn loosen(&mut self) {
        for slot in &self.left {
            let (now, before) = (&self.boxes[*slot as usize], &self.settled[*slot as usize]);
            let is_moving = !now.is_empty() && !before.is_empty();
            let loose = if is_moving { ahead(before, now) } else { *now };
            self.loose[*slot as usize] = loose;
            self.tree.set(*slot, loose);
        }
    }

    /// Which candidates overlap, and which did. Those of boxes with new loose boxes are dropped: they are found again.
    fn judge_candidates(&mut self) {
        self.counts.checks += self.candidates.len() as u64;
        let mut kept = 0;
        for i in 0..self.candidates.len() {
            let [a, b] = self.candidates[i];
            let was = overlap(&self.settled[a as usize], &self.settled[b as usize]);
            let is = overlap(&self.boxes[a as usize], &self.boxes[b as usize]);
            let stays = !(self.slots[a as usize].has_left | self.slots[b as usize].has_left);
            self.candidates[kept] = [a, b];
            kept += usize::from(stays);
            if is && stays {
                self.pairs.push([a, b]);
            }
            if was && !is {
                self.ended.push(self.pair(a, b));
            } else if is && !was && stays {
                self.begun.push(self.pair(a, b));
            }
        }
        self.candidates.truncate(kept);
    }

    /// The candidates of boxes with new loose boxes. Of two of them the one in the lower slot finds the pair.
    fn find_candidates(&mut self) {
        let left = std::mem::take(&mut self.left);
        for a in &left {
            let loose = self.loose[*a as usize];
            let first = self.candidates.len();
            let Self { candidates, slots, .. } = self;
            self.tree.each_meeting(&loose, |b| {
                if !(b <= *a && slots[b as usize].has_left) {
                    candidates.push([*a, b]);
                }
                true
            });
            self.counts.checks += (self.candidates.len() - first) as u64;
            for i in first..self.candidates.len() {
                let [a, b] = self.candidates[i];
                if overlap(&self.boxes[a as usize], &self.boxes[b as usize]) {
                    self.pairs.push([a, b]);
                    if !overlap(&self.settled[a as usize], &self.settled[b as usize]) {
                        self.begun.push(self.pair(a, b));
                    }
                }
            }
        }
        for slot in &left {
            self.slots[*slot as usize].has_left = false;
        }
        self.left = left;
        self.left.clear();
    }
}

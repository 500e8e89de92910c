//! [`DynamicTree`]: a tree of boxes with air around them, and the pairs that can matter, kept between updates.

use super::{
    BoxId, BoxPair, BroadPhaseError, PairCounts, check_box,
    names::Names,
    overlap,
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
    names: Names,
    /// The boxes as they were told last, by slot; empty where there is none.
    boxes: Vec<Aabb<T, D>>,
    /// The boxes as they were at the last update; empty where there was none.
    settled: Vec<Aabb<T, D>>,
    /// The boxes with air around them, as in the tree.
    loose: Vec<Aabb<T, D>>,
    tree: Tree<T, D>,
    /// The pairs whose loose boxes overlap, but for those of `left`.
    candidates: Vec<Candidate>,
    pairs: Vec<[u32; 2]>,
    /// New boxes, and those that have left their loose boxes since the last update.
    left: Vec<u32>,
    /// Whether a box is one of those, by slot.
    has_left: Vec<bool>,
    removed: Vec<usize>,
    begun: Vec<BoxPair>,
    ended: Vec<BoxPair>,
    counts: PairCounts,
}

/// Two boxes, by slot, whose loose boxes overlap.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    a: u32,
    b: u32,
    /// Whether they themselves did so at the last update.
    is_pair: bool,
}

impl<T: Real, const D: usize> Default for DynamicTree<T, D> {
    fn default() -> Self {
        Self {
            names: Names::default(),
            boxes: Vec::new(),
            settled: Vec::new(),
            loose: Vec::new(),
            tree: Tree::default(),
            candidates: Vec::new(),
            pairs: Vec::new(),
            left: Vec::new(),
            has_left: Vec::new(),
            removed: Vec::new(),
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
        let slot = self.names.give()?;
        if slot == self.boxes.len() {
            for list in [&mut self.boxes, &mut self.settled, &mut self.loose] {
                list.push(Aabb::empty());
            }
            self.has_left.push(false);
        }
        self.boxes[slot] = bounds;
        self.leave(slot);
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
        let slot = self.names.take(id)?;
        self.boxes[slot] = Aabb::empty();
        self.leave(slot);
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
            self.names.free(slot);
        }
        self.counts.pairs = self.pairs.len() as u64;
    }

    /// All pairs as of the last update. Two boxes that touch are a pair.
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = BoxPair> {
        self.pairs.iter().map(|[a, b]| self.names.pair(*a, *b))
    }

    /// Whether two boxes overlapped at the last update.
    pub fn is_pair(&self, a: BoxId, b: BoxId) -> bool {
        let found = self.names.find(a).ok().zip(self.names.find(b).ok());
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
            if overlap(&self.settled[slot as usize], bounds) && self.names.is_live(slot) {
                visit(self.names.id(slot));
            }
            true
        });
    }

    /// The work of the last update.
    pub fn counts(&self) -> PairCounts {
        self.counts
    }

    fn leave(&mut self, slot: usize) {
        if !std::mem::replace(&mut self.has_left[slot], true) {
            self.left.push(slot as u32);
        }
    }

    /// New loose boxes for those that have left theirs. With many new boxes the tree is built anew, which is faster and makes a
    /// better one.
    fn loosen(&mut self) {
        let mut new = 0;
        for slot in &self.left {
            let (now, before) = (&self.boxes[*slot as usize], &self.settled[*slot as usize]);
            let is_moving = !now.is_empty() && !before.is_empty();
            self.loose[*slot as usize] = if is_moving { ahead(before, now) } else { *now };
            new += usize::from(before.is_empty());
        }
        if new * 2 > self.names.len() {
            return self.tree.build_of(&self.loose);
        }
        for slot in &self.left {
            self.tree.set(*slot, self.loose[*slot as usize]);
        }
    }

    /// Which candidates overlap, and which did. Those of boxes with new loose boxes are dropped: they are found again.
    ///
    /// Which of them overlap nobody can foresee, so all are written down, and the place advances only past those that do.
    fn judge_candidates(&mut self) {
        self.counts.checks += self.candidates.len() as u64;
        self.pairs.resize(self.candidates.len(), [0; 2]);
        let (mut kept, mut pairs) = (0, 0);
        for i in 0..self.candidates.len() {
            let Candidate { a, b, is_pair: was } = self.candidates[i];
            let is_pair = overlap(&self.boxes[a as usize], &self.boxes[b as usize]);
            let stays = !(self.has_left[a as usize] | self.has_left[b as usize]);
            self.candidates[kept] = Candidate { a, b, is_pair };
            kept += usize::from(stays);
            self.pairs[pairs] = [a, b];
            pairs += usize::from(is_pair & stays);
            if was && !is_pair {
                self.ended.push(self.names.pair(a, b));
            } else if is_pair && !was && stays {
                self.begun.push(self.names.pair(a, b));
            }
        }
        self.candidates.truncate(kept);
        self.pairs.truncate(pairs);
    }

    /// The candidates of boxes with new loose boxes.
    fn find_candidates(&mut self) {
        let first = self.candidates.len();
        let Self { candidates, tree, boxes, has_left, loose, left, .. } = self;
        for a in left.iter() {
            tree.each_meeting(&loose[*a as usize], |b| {
                if !(b <= *a && has_left[b as usize]) {
                    let is_pair = overlap(&boxes[*a as usize], &boxes[b as usize]);
                    candidates.push(Candidate { a: *a, b, is_pair });
                }
                true
            });
        }
        self.counts.checks += (self.candidates.len() - first) as u64;
        for Candidate { a, b, .. } in self.candidates[first..].iter().filter(|candidate| candidate.is_pair) {
            self.pairs.push([*a, *b]);
            if !overlap(&self.settled[*a as usize], &self.settled[*b as usize]) {
                self.begun.push(self.names.pair(*a, *b));
            }
        }
        for slot in self.left.drain(..) {
            self.has_left[slot as usize] = false;
        }
    }
}

//! [`IncrementalSweep`]: sorted end points on every axis, kept between updates.

use super::{BroadPhaseError, MAX_BOXES, PairCounts, axis_of_spread, overlap, pair_set::PairSet};
use crate::{Real, shape::Aabb};

/// Names a box of an [`IncrementalSweep`]. The name of a removed box is never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BoxId {
    slot: u32,
    generation: u32,
}

/// Two boxes of an [`IncrementalSweep`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BoxPair {
    /// One box; which of the two does not change while both are there.
    pub a: BoxId,
    /// The other.
    pub b: BoxId,
}

impl BoxPair {
    /// The other one of the two, if `id` is one of them.
    pub fn other(&self, id: BoxId) -> Option<BoxId> {
        if self.a == id {
            Some(self.b)
        } else if self.b == id {
            Some(self.a)
        } else {
            None
        }
    }
}

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
    slots: Vec<Slot>,
    /// The boxes as they were told last, by slot.
    boxes: Vec<Aabb<T, D>>,
    /// The boxes as they were at the last update: what the set of pairs speaks of.
    settled: Vec<Aabb<T, D>>,
    ends: [Vec<End<T>>; D],
    pairs: PairSet,
    /// The pairs before all was sorted anew.
    before: PairSet,
    free: Vec<u32>,
    added: Vec<u32>,
    removed: Vec<u32>,
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
    generation: u32,
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

/// A lower or upper end of a box on one axis.
#[derive(Debug, Clone, Copy)]
struct End<T> {
    value: T,
    /// Twice the slot, plus one for an upper end.
    tag: u32,
}

impl<T: Real> End<T> {
    fn slot(self) -> usize {
        (self.tag >> 1) as usize
    }

    fn is_upper(self) -> bool {
        self.tag & 1 == 1
    }

    /// Whether this one belongs above the other. At the same place lower ends go first, so that touching is an overlap.
    fn is_above(self, other: Self) -> bool {
        self.value > other.value || self.value == other.value && self.is_upper() && !other.is_upper()
    }
}

/// A lower end has gone below an upper one, or an upper end below a lower one; by their tags.
#[derive(Debug, Clone, Copy, Default)]
struct Event {
    passed: u32,
    end: u32,
}

/// So many events are judged together.
const EVENTS: usize = 256;

/// A pass that needs more swaps than this for each end is given up, and all is sorted anew.
const SWAPS_PER_END: u64 = 32;

impl<T: Real, const D: usize> Default for IncrementalSweep<T, D> {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            boxes: Vec::new(),
            settled: Vec::new(),
            ends: std::array::from_fn(|_| Vec::new()),
            pairs: PairSet::default(),
            before: PairSet::default(),
            free: Vec::new(),
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
        checked(&bounds)?;
        let slot = match self.free.pop() {
            Some(slot) => slot,
            None if self.slots.len() >= MAX_BOXES => return Err(BroadPhaseError::TooMany),
            None => {
                self.slots.push(Slot { generation: 0, state: State::Free, place: 0 });
                self.boxes.push(bounds);
                self.settled.push(bounds);
                self.slots.len() as u32 - 1
            }
        };
        self.slots[slot as usize].state = State::Added;
        self.boxes[slot as usize] = bounds;
        self.added.push(slot);
        Ok(self.id(slot))
    }

    /// Puts a box somewhere else, in any size.
    ///
    /// # Errors
    /// If there is no such box, a number is not finite or too large, or a lower corner is above the upper.
    pub fn move_to(&mut self, id: BoxId, bounds: Aabb<T, D>) -> Result<(), BroadPhaseError> {
        checked(&bounds)?;
        let slot = self.find(id)?;
        self.boxes[slot] = bounds;
        self.has_moved = true;
        Ok(())
    }

    /// Takes a box away. Its pairs end with the next [`IncrementalSweep::update`].
    ///
    /// # Errors
    /// If there is no such box.
    pub fn remove(&mut self, id: BoxId) -> Result<(), BroadPhaseError> {
        let slot = self.find(id)?;
        self.slots[slot].state = State::Removed;
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
        self.pairs.list().iter().map(|pair| self.pair(*pair))
    }

    /// Whether two boxes overlapped at the last update.
    pub fn is_pair(&self, a: BoxId, b: BoxId) -> bool {
        self.find(a).is_ok() && self.find(b).is_ok() && self.pairs.contains(a.slot, b.slot)
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

    fn id(&self, slot: u32) -> BoxId {
        BoxId { slot, generation: self.slots[slot as usize].generation }
    }

    fn pair(&self, [a, b]: [u32; 2]) -> BoxPair {
        BoxPair { a: self.id(a), b: self.id(b) }
    }

    fn find(&self, id: BoxId) -> Result<usize, BroadPhaseError> {
        let slot = self.slots.get(id.slot as usize).ok_or(BroadPhaseError::NoSuchBox)?;
        let is_there = slot.generation == id.generation && matches!(slot.state, State::Live | State::Added);
        if is_there { Ok(id.slot as usize) } else { Err(BroadPhaseError::NoSuchBox) }
    }

    fn drop_removed(&mut self) {
        if self.removed.is_empty() {
            return;
        }
        for i in (0..self.pairs.list().len()).rev() {
            let [a, b] = self.pairs.list()[i];
            if [a, b].iter().any(|slot| self.slots[*slot as usize].state == State::Removed) {
                self.ended.push(self.pair([a, b]));
                self.pairs.remove(a, b);
            }
        }
        for ends in &mut self.ends {
            ends.retain(|end| self.slots[end.slot()].state != State::Removed);
        }
        self.added.retain(|slot| self.slots[*slot as usize].state == State::Added);
        for slot in self.removed.drain(..) {
            let entry = &mut self.slots[slot as usize];
            entry.state = State::Free;
            entry.generation = entry.generation.wrapping_add(1);
            self.free.push(slot);
        }
    }

    /// Sorts the ends of the boxes that were there before; false if that takes too long.
    fn settle_moved(&mut self) -> bool {
        if !self.has_moved {
            return true;
        }
        let most_swaps = SWAPS_PER_END * self.ends[0].len() as u64 * D as u64;
        for axis in 0..D {
            let mut ends = std::mem::take(&mut self.ends[axis]);
            self.read_values(&mut ends, axis);
            let is_done = self.insertion_sort(&mut ends, most_swaps);
            self.ends[axis] = ends;
            if !is_done {
                return false;
            }
        }
        true
    }

    /// Brings the values of all ends of an axis up to date, by way of a list in the order of the slots.
    fn read_values(&mut self, ends: &mut [End<T>], axis: usize) {
        self.values.clear();
        self.values.extend(self.boxes.iter().flat_map(|bounds| [bounds.min[axis], bounds.max[axis]]));
        for end in ends {
            end.value = self.values[end.tag as usize];
        }
    }

    /// Puts the ends of one axis in order, neighbour by neighbour; false if it takes more than `most_swaps`.
    ///
    /// Half of all swaps are between two ends of one sort, which mean nothing. To tell them apart by a branch costs more
    /// than the swap, as no processor can foresee it: so each swap is written down, and the place advances only past
    /// those that mean something.
    fn insertion_sort(&mut self, ends: &mut [End<T>], most_swaps: u64) -> bool {
        let (mut events, mut count) = ([Event::default(); EVENTS], 0);
        for i in 1..ends.len() {
            let end = ends[i];
            let mut place = i;
            while place > 0 && ends[place - 1].is_above(end) {
                let passed = ends[place - 1];
                ends[place] = passed;
                events[count] = Event { passed: passed.tag, end: end.tag };
                count += ((passed.tag ^ end.tag) & 1) as usize;
                if count == EVENTS {
                    self.judge(&events);
                    count = 0;
                }
                place -= 1;
            }
            ends[place] = end;
            self.counts.swaps += (i - place) as u64;
            if self.counts.swaps > most_swaps {
                break;
            }
        }
        self.judge(&events[..count]);
        self.counts.swaps <= most_swaps
    }

    /// Ends have gone below others of the other sort: two boxes begin or cease to overlap on this axis.
    ///
    /// They are a new pair only if they overlap on all axes *now*, and were one only if they did so *before*; so every
    /// change is found, on whichever axis comes first, and no axis has to wait for another.
    fn judge(&mut self, events: &[Event]) {
        self.counts.checks += events.len() as u64;
        for event in events {
            let (a, b) = (event.passed >> 1, event.end >> 1);
            let begins = event.passed & 1 == 1;
            let boxes = if begins { &self.boxes } else { &self.settled };
            if !overlap(&boxes[a as usize], &boxes[b as usize]) {
                continue;
            }
            let pair = self.pair([a.min(b), a.max(b)]);
            if begins && self.pairs.insert(a, b) {
                self.begun.push(pair);
            } else if !begins && self.pairs.remove(a, b) {
                self.ended.push(pair);
            }
        }
    }

    /// Merges the ends of new boxes into the lists, and finds their pairs in one sweep.
    fn settle_added(&mut self) {
        if self.added.is_empty() {
            return;
        }
        for axis in 0..D {
            // The new ends are sorted and merged from behind, in place.
            let old = self.ends[axis].len();
            self.push_added_ends(axis);
            let ends = &mut self.ends[axis];
            ends[old..].sort_unstable_by(order);
            self.fresh.clear();
            self.fresh.extend_from_slice(&ends[old..]);
            let (mut place, mut left) = (ends.len(), old);
            while let Some(end) = self.fresh.last().copied() {
                place -= 1;
                if left > 0 && order(&ends[left - 1], &end).is_gt() {
                    left -= 1;
                    ends[place] = ends[left];
                } else {
                    ends[place] = end;
                    self.fresh.pop();
                }
            }
        }
        self.find_pairs_of_added();
    }

    /// Sorts all ends, and finds all pairs.
    fn sort_anew(&mut self) {
        self.take_back_events();
        std::mem::swap(&mut self.pairs, &mut self.before);
        self.pairs.clear();
        for axis in 0..D {
            self.push_added_ends(axis);
            let mut ends = std::mem::take(&mut self.ends[axis]);
            self.read_values(&mut ends, axis);
            ends.sort_unstable_by(order);
            self.ends[axis] = ends;
        }
        for slot in &mut self.slots {
            if slot.state == State::Live {
                slot.state = State::Added;
            }
        }
        self.find_pairs_of_added();

        let Self { begun, before, .. } = self;
        begun.retain(|pair| !before.contains(pair.a.slot, pair.b.slot));
        for i in 0..self.before.list().len() {
            let [a, b] = self.before.list()[i];
            if !self.pairs.contains(a, b) {
                self.ended.push(self.pair([a, b]));
            }
        }
    }

    /// Undoes what the events of this update have changed so far, but for the pairs of removed boxes: they are over.
    fn take_back_events(&mut self) {
        let Self { begun, ended, pairs, slots, .. } = self;
        for pair in begun.drain(..) {
            pairs.remove(pair.a.slot, pair.b.slot);
        }
        let is_over = |id: BoxId| slots[id.slot as usize].generation != id.generation;
        ended.retain(|pair| {
            let stays = is_over(pair.a) || is_over(pair.b);
            if !stays {
                pairs.insert(pair.a.slot, pair.b.slot);
            }
            stays
        });
    }

    fn push_added_ends(&mut self, axis: usize) {
        for slot in &self.added {
            let bounds = &self.boxes[*slot as usize];
            self.ends[axis].push(End { value: bounds.min[axis], tag: slot << 1 });
            self.ends[axis].push(End { value: bounds.max[axis], tag: slot << 1 | 1 });
        }
    }

    /// One sweep over the sorted ends of one axis. A box that begins is compared with those that are open: a new one with
    /// all, an old one with the new ones. All that are new are live afterwards.
    fn find_pairs_of_added(&mut self) {
        let here = self.slots.iter().zip(&self.boxes).filter(|(slot, _)| slot.state != State::Free);
        let axis = axis_of_spread(here.map(|(_, bounds)| *bounds));
        let [mut open_old, mut open_new] = std::mem::take(&mut self.open);
        for i in 0..self.ends[axis].len() {
            let end = self.ends[axis][i];
            let slot = end.slot();
            let is_new = self.slots[slot].state == State::Added;
            if end.is_upper() {
                let open = if is_new { &mut open_new } else { &mut open_old };
                let place = self.slots[slot].place as usize;
                open.swap_remove(place);
                if let Some(moved) = open.get(place) {
                    self.slots[*moved as usize].place = place as u32;
                }
                continue;
            }
            let old = if is_new { &open_old[..] } else { &[] };
            self.counts.checks += (open_new.len() + old.len()) as u64;
            for other in open_new.iter().chain(old) {
                if self.boxes[slot].overlaps(&self.boxes[*other as usize]) && self.pairs.insert(slot as u32, *other) {
                    self.begun.push(self.pair([(slot as u32).min(*other), (slot as u32).max(*other)]));
                }
            }
            let open = if is_new { &mut open_new } else { &mut open_old };
            self.slots[slot].place = open.len() as u32;
            open.push(slot as u32);
        }
        self.open = [open_old, open_new];
        for slot in &mut self.slots {
            if slot.state == State::Added {
                slot.state = State::Live;
            }
        }
        self.added.clear();
    }
}

fn checked<T: Real, const D: usize>(bounds: &Aabb<T, D>) -> Result<(), BroadPhaseError> {
    bounds.check().map_err(|error| BroadPhaseError::Box { index: 0, error })
}

fn order<T: Real>(a: &End<T>, b: &End<T>) -> std::cmp::Ordering {
    if a.is_above(*b) {
        std::cmp::Ordering::Greater
    } else if b.is_above(*a) {
        std::cmp::Ordering::Less
    } else {
        a.tag.cmp(&b.tag)
    }
}

//! New boxes: their ends are merged into the lists, or all lists are sorted anew, and one sweep finds their pairs.

use super::{
    IncrementalSweep, State,
    ends::{End, order},
};
use crate::{Real, broad_phase::axis_of_spread};

impl<T: Real, const D: usize> IncrementalSweep<T, D> {
    /// Merges the ends of new boxes into the lists, and finds their pairs in one sweep.
    pub(super) fn settle_added(&mut self) {
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
    pub(super) fn sort_anew(&mut self) {
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
                self.ended.push(self.names.pair(a, b));
            }
        }
    }

    /// Undoes what the events of this update have changed so far, but for the pairs of removed boxes: they are over.
    fn take_back_events(&mut self) {
        let Self { begun, ended, pairs, names, .. } = self;
        for pair in begun.drain(..) {
            pairs.remove(pair.a.slot, pair.b.slot);
        }
        ended.retain(|pair| {
            let stays = names.find(pair.a).is_err() || names.find(pair.b).is_err();
            if !stays {
                pairs.insert(pair.a.slot, pair.b.slot);
            }
            stays
        });
    }

    pub(super) fn push_added_ends(&mut self, axis: usize) {
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
                    self.begun.push(self.names.pair(slot as u32, *other));
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

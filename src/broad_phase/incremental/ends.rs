//! Lists of end points that are nearly sorted: what insertion sort swaps are the events.

use super::IncrementalSweep;
use crate::{Real, broad_phase::overlap};

/// A lower or upper end of a box on one axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct End<T> {
    pub(super) value: T,
    /// Twice the slot, plus one for an upper end.
    pub(super) tag: u32,
}

impl<T: Real> End<T> {
    pub(super) fn slot(self) -> usize {
        (self.tag >> 1) as usize
    }

    pub(super) fn is_upper(self) -> bool {
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

impl<T: Real, const D: usize> IncrementalSweep<T, D> {
    /// Sorts the ends of the boxes that were there before; false if that takes too long.
    pub(super) fn settle_moved(&mut self) -> bool {
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
    pub(super) fn read_values(&mut self, ends: &mut [End<T>], axis: usize) {
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
            let pair = self.names.pair(a, b);
            if begins && self.pairs.insert(a, b) {
                self.begun.push(pair);
            } else if !begins && self.pairs.remove(a, b) {
                self.ended.push(pair);
            }
        }
    }
}

pub(super) fn order<T: Real>(a: &End<T>, b: &End<T>) -> std::cmp::Ordering {
    if a.is_above(*b) {
        std::cmp::Ordering::Greater
    } else if b.is_above(*a) {
        std::cmp::Ordering::Less
    } else {
        a.tag.cmp(&b.tag)
    }
}

//! [`BoxId`] and [`BoxPair`]: what boxes that stay are called; and who has which name.

use super::{BroadPhaseError, MAX_BOXES};
use crate::slots::{Slots, slot_name};

/// Names a box of a broad phase that keeps its boxes. The name of a removed box is never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BoxId {
    pub(super) slot: u32,
    pub(super) generation: u32,
}

impl BoxId {
    /// A number that no other box has at the same time; those of removed boxes are used again.
    pub(crate) fn index(self) -> usize {
        self.slot as usize
    }
}

slot_name!(BoxId);

/// Two boxes of a broad phase that keeps its boxes.
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

/// The names that are in use. A box's data are in lists, at the place that is its slot.
///
/// A box that is removed loses its name at once, and its slot only when nothing speaks of it any more.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    /// Whether what is in a slot has its name still.
    slots: Slots<BoxId, bool>,
    live: usize,
}

impl Names {
    /// A slot for a new box: one that is free, or the next one, for which the lists have to grow.
    pub(super) fn give(&mut self) -> Result<usize, BroadPhaseError> {
        if self.slots.next_slot() as usize >= MAX_BOXES {
            return Err(BroadPhaseError::TooMany);
        }
        self.live += 1;
        Ok(self.slots.add(true).index())
    }

    /// Takes away a box's name. Returns its slot, which is not free yet.
    pub(super) fn take(&mut self, id: BoxId) -> Result<usize, BroadPhaseError> {
        let is_live = self.slots.get_mut(id).filter(|is_live| **is_live).ok_or(BroadPhaseError::NoSuchBox)?;
        *is_live = false;
        self.live -= 1;
        Ok(id.index())
    }

    /// Makes the slot of a box without a name free.
    pub(super) fn free(&mut self, slot: usize) {
        let _ = self.slots.remove(self.id(slot as u32));
    }

    /// The slot of a box.
    #[inline]
    pub(super) fn find(&self, id: BoxId) -> Result<usize, BroadPhaseError> {
        if self.slots.get(id) == Some(&true) { Ok(id.index()) } else { Err(BroadPhaseError::NoSuchBox) }
    }

    /// Whether the box in a slot has a name.
    pub(super) fn is_live(&self, slot: u32) -> bool {
        self.slots.at(slot).value() == Some(&true)
    }

    /// The name of the box in a slot, or the one that was taken from it.
    pub(super) fn id(&self, slot: u32) -> BoxId {
        self.slots.at(slot).name()
    }

    /// The box in the lower slot first: that does not change while both are there.
    pub(super) fn pair(&self, a: u32, b: u32) -> BoxPair {
        BoxPair { a: self.id(a.min(b)), b: self.id(a.max(b)) }
    }

    /// How many boxes have names.
    pub(super) fn len(&self) -> usize {
        self.live
    }
}

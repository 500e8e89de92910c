//! [`BoxId`] and [`BoxPair`]: what boxes that stay are called.

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

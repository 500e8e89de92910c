//! Who is solid to whom: by layers, and by what pairs ignore each other.

use std::{cmp::Ordering, collections::BTreeSet};

use crate::{character::Character, real::Real, world::Layers};

/// On which layers one is, and which it sees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sight {
    on: Layers,
    sees: Layers,
}

/// Which of two see the other, the first's first: who does gives way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct GivesWay(pub(super) [bool; 2]);

impl GivesWay {
    /// The same from the second's side.
    pub(super) fn swapped(self) -> Self {
        let Self([first, second]) = self;
        Self([second, first])
    }
}

impl Sight {
    pub(super) fn of<T: Real>(character: &Character<T>) -> Self {
        Self { on: character.layers(), sees: character.filter().layers }
    }

    /// `None` if neither of the two sees the other.
    pub(super) fn between(self, other: Self) -> Option<GivesWay> {
        let sees = [self.sees.meet(other.on), other.sees.meet(self.on)];
        sees.contains(&true).then_some(GivesWay(sees))
    }

    /// Some order.
    pub(super) fn compare(self, other: Self) -> Ordering {
        self.numbers().cmp(&other.numbers())
    }

    fn numbers(self) -> [u32; 2] {
        [self.on.0, self.sees.0]
    }
}

/// The pairs that are not solid to each other, by slot.
#[derive(Debug, Clone, Default)]
pub(super) struct IgnoredPairs {
    /// Each pair from both sides, so that all of one are found at once.
    sides: BTreeSet<[u32; 2]>,
}

impl IgnoredPairs {
    /// Whether that is new.
    pub(super) fn add(&mut self, [a, b]: [u32; 2]) -> bool {
        self.sides.insert([b, a]);
        self.sides.insert([a, b])
    }

    /// Whether they were there.
    pub(super) fn take(&mut self, [a, b]: [u32; 2]) -> bool {
        self.sides.remove(&[b, a]);
        self.sides.remove(&[a, b])
    }

    pub(super) fn contain(&self, pair: [u32; 2]) -> bool {
        // Mostly there are none.
        !self.sides.is_empty() && self.sides.contains(&pair)
    }

    /// Forgets all pairs of one who leaves.
    pub(super) fn forget(&mut self, slot: u32) {
        let others: Vec<u32> = self.sides.range([slot, 0]..=[slot, u32::MAX]).map(|[_, other]| *other).collect();
        for other in others {
            self.take([slot, other]);
        }
    }
}

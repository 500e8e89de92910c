//! [`CharacterId`], and [`CrowdError`].

use std::num::NonZeroU32;

use crate::{InputError, slots::SlotName};

/// Names a character of a [`Crowd`](super::Crowd). The name of a removed one is never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CharacterId {
    pub(super) slot: u32,
    // Not zero, so that an optional name takes no more room than a name.
    pub(super) generation: NonZeroU32,
}

impl CharacterId {
    /// The numbers of the name.
    pub(super) fn numbers(self) -> [u32; 2] {
        [self.slot, self.generation.get()]
    }

    /// The name of these numbers.
    pub(in crate::character) fn named([slot, generation]: [u32; 2]) -> Option<Self> {
        NonZeroU32::new(generation).map(|generation| Self { slot, generation })
    }
}

impl SlotName for CharacterId {
    fn first(slot: u32) -> Self {
        Self { slot, generation: NonZeroU32::MIN }
    }

    fn next(self) -> Option<Self> {
        Some(Self { generation: self.generation.checked_add(1)?, ..self })
    }

    fn slot(self) -> u32 {
        self.slot
    }
}

/// Why a crowd did not do what it was asked. Nothing has changed then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CrowdError {
    /// The input or the state of a character has a number that makes no sense.
    #[error("character {character:?}: {error}")]
    Input {
        /// Whose it is.
        character: CharacterId,
        /// What is wrong with it.
        #[source]
        error: InputError,
    },
    /// More characters than can be told apart, or one beyond the end of the world.
    #[error("there is no room for another character")]
    TooMany,
    /// The character was removed, or belongs to another crowd.
    #[error("there is no such character")]
    NoSuchCharacter,
    /// A pair was named whose two are the same.
    #[error("a character is never in its own way")]
    SameCharacter,
}

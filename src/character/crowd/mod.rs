//! [`Crowd`]: characters that are in each other's way.
//!
//! A tick reads where all stand and what all wish as it begins, and moves each by that alone. First, what moves in the world takes
//! each along as if it were alone; who stand on one thing keep their places on it, and whom it takes into others, pushes them on
//! (`push_on.rs`). Then two that could meet are given a plane
//! between them (`room.rs`), and each its side of it for this tick. Two convex bodies on two sides of a plane neither overlap nor
//! pass through each other, whatever they do there: so all can be moved at once, by any number of threads and in any order, with
//! the same result to the bit. To a body a plane is one more surface, along which it slides.

mod mover;
mod name;
mod push_on;
mod room;
mod solid;
mod tick;

pub use name::{CharacterId, CrowdError};

use self::{mover::Mover, push_on::Pushes, room::Rooms, solid::IgnoredPairs};
use super::{Character, CharacterState, Scratch, TickReport};
use crate::{
    broad_phase::{BoxId, DynamicTree},
    real::Real,
    shape::Aabb3,
    slots::Slots,
    world::DebugEvent,
};

/// Characters that walk at the same time and are solid to each other, as the ellipsoids that they are.
///
/// They keep the sum of their skins apart and slide along each other. None is pushed: who stands still stays, and who wishes
/// to where another is waits. The room between two that head for each other is shared by how fast they do; who stands still
/// needs none. Two that overlap at the start of a tick, as after a teleport, are parted along the shortest way, each by half
/// of it. No one is ground to others: who lands on a head slides off it, or stays there, not on ground, if it is level.
///
/// Moving instances take each along as if it were alone. Who ride on one thing so keep their places on it. Whom they carry or push into
/// another, pushes that aside, and that one the next, all within the tick and as far as surfaces allow. Where a row cannot give way, as
/// before a wall, the one at the thing is [crushed](super::Ride::is_crushed): the thing is in it, and it is in nobody. Of two that
/// overlapped before, only what a push adds is undone so. Rows are handed on for up to 256 pushes a tick; beyond them, two that
/// overlap are parted by halves.
///
/// # Who is solid to whom
/// All to all, unless someone says otherwise:
/// - by layers, as instances are: a character is on [layers](Character::set_layers), and its [filter](Character::set_filter) says
///   which it sees. Two are solid to each other if each sees the other. Where only one does, it alone gives way: it stops where
///   the other stands, and is pushed aside where the other goes, which walks as if nobody were there. Such a push looks at no third
///   character; who is pushed into one is parted from it in the next tick.
/// - for two alone, as a rider and its mount, by [`Crowd::ignore`];
/// - by whatever else the caller knows, in [`Crowd::tick_where`].
///
/// # Flying and swimming
/// Each moves as the [mode](crate::character::MovementMode) of its input says; who flies is in the way of who walks, and the other
/// way round.
///
/// # Determinism
/// The result of a tick does not depend on the order in which characters were added, nor on threads; with the feature
/// `parallel`, those of rayon's current pool take part. The states are all that a crowd remembers: see [`Crowd::restore`].
///
/// # Example
/// ```
/// # use nalgebra::{point, vector};
/// use sidle::{Octree, World, mesh::primitives};
/// use sidle::character::{Character, CharacterConfig, Crowd, TickInput};
/// # use sidle::Ellipsoid;
///
/// let world = World::of_level(Octree::new(primitives::floor::<f64>(20.0, 20.0, 4, 4)?));
/// let body = Ellipsoid::new(vector![0.4, 0.9, 0.4])?;
/// let mut crowd = Crowd::new();
/// let at = |x: f64| Character::new(body, CharacterConfig::default(), point![x, 0.92, 0.0]);
/// let walker = crowd.add(at(0.0)?)?;
/// let guard = crowd.add(at(3.0)?)?;
/// for _ in 0..120 {
///     crowd.tick(&world, 1.0 / 60.0, |id, _| TickInput {
///         velocity: if id == walker { vector![3.0, 0.0, 0.0] } else { vector![0.0, 0.0, 0.0] },
///         ..TickInput::default()
///     })?;
/// }
/// // The guard has not moved; the walker stands before it, their two skins of 2 cm apart.
/// let x = |id| crowd.character(id).map(|character| character.position().x);
/// assert_eq!(x(guard), Some(3.0));
/// assert!(x(walker).is_some_and(|x: f64| (x - (3.0 - 2.0 * 0.42)).abs() < 1e-9));
/// assert!(crowd.report(walker).is_some_and(|report| report.touches().any(|touch| touch.other == Some(guard))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Crowd<T: Real> {
    slots: Slots<CharacterId, Place<T>>,
    /// What each can reach in a tick.
    tree: DynamicTree<f64, 3>,
    /// Whose box it is, by the index of the box.
    by_box: Vec<u32>,
    /// Who moves in this tick, by slot.
    movers: Vec<Option<Mover>>,
    pushes: Pushes,
    rooms: Rooms,
    /// Who go through each other.
    ignored: IgnoredPairs,
}

/// Who is in a slot.
#[derive(Debug, Clone)]
struct Place<T: Real> {
    member: Box<Member<T>>,
    /// The member's box in the tree.
    bounds: BoxId,
}

/// One of the crowd.
#[derive(Debug, Clone)]
struct Member<T: Real> {
    character: Character<T>,
    scratch: Scratch,
    report: TickReport<T>,
}

impl<T: Real> Default for Crowd<T> {
    fn default() -> Self {
        Self {
            slots: Slots::default(),
            tree: DynamicTree::new(),
            by_box: Vec::new(),
            movers: Vec::new(),
            pushes: Pushes::default(),
            rooms: Rooms::default(),
            ignored: IgnoredPairs::default(),
        }
    }
}

impl<T: Real> Crowd<T> {
    /// Nobody.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a character.
    ///
    /// # Errors
    /// If there are too many.
    pub fn add(&mut self, character: Character<T>) -> Result<CharacterId, CrowdError> {
        let at = character.state.exact_position();
        let bounds = self.tree.add(Aabb3 { min: at, max: at }).map_err(|_| CrowdError::TooMany)?;
        let report = TickReport::none(character.position());
        let member = Box::new(Member { character, scratch: Scratch::default(), report });
        let id = self.slots.add(Place { member, bounds });
        self.by_box.resize(self.by_box.len().max(bounds.index() + 1), 0);
        self.by_box[bounds.index()] = id.slot;
        Ok(id)
    }

    /// Takes a character out; `None` if it is not there.
    pub fn remove(&mut self, id: CharacterId) -> Option<Character<T>> {
        let Place { member, bounds } = self.slots.remove(id)?;
        self.ignored.forget(id.slot);
        let _ = self.tree.remove(bounds);
        Some(member.character)
    }

    /// A character; `None` if it was removed.
    pub fn character(&self, id: CharacterId) -> Option<&Character<T>> {
        Some(&self.member(id)?.character)
    }

    /// A character, to be changed between ticks: its filter, or its state.
    pub fn character_mut(&mut self, id: CharacterId) -> Option<&mut Character<T>> {
        Some(&mut self.slots.get_mut(id)?.member.character)
    }

    /// From the next tick on keeps debug events of a character, or does so no more: see [`Scratch::record`].
    ///
    /// # Errors
    /// If there is no such character.
    pub fn record(&mut self, id: CharacterId, is_on: bool) -> Result<(), CrowdError> {
        let place = self.slots.get_mut(id).ok_or(CrowdError::NoSuchCharacter)?;
        place.member.scratch.record(is_on);
        Ok(())
    }

    /// What the last tick asked for a character, if that is recorded: see [`Scratch::events`].
    pub fn events(&mut self, id: CharacterId) -> &[DebugEvent] {
        self.slots.get_mut(id).map_or(&[], |place| place.member.scratch.events())
    }

    /// What the last tick did to a character; before its first, nothing.
    pub fn report(&self, id: CharacterId) -> Option<&TickReport<T>> {
        Some(&self.member(id)?.report)
    }

    /// All characters, in the order of their slots.
    pub fn iter(&self) -> impl Iterator<Item = (CharacterId, &Character<T>)> {
        self.slots.iter().map(|(id, place)| (id, &place.member.character))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there is nobody.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Lets two go through each other, as a rider and its mount, until [`Crowd::heed`] or one of them is removed. For teams layers
    /// are the cheaper way: see [`Character::set_layers`]. Whether that is new; which of the two comes first does not matter.
    ///
    /// # Errors
    /// If one of them is not there, or both are the same.
    ///
    /// ```
    /// # use nalgebra::point;
    /// # use sidle::{Character, CharacterConfig, Ellipsoid, character::{Crowd, CrowdError}};
    /// # let body = |radius| Character::new(Ellipsoid::sphere(radius)?, CharacterConfig::default(), point![0.0, 2.0, 0.0]);
    /// let mut crowd = Crowd::<f64>::new();
    /// let (mount, rider) = (crowd.add(body(0.8)?)?, crowd.add(body(0.4)?)?);
    /// assert!(crowd.ignore(rider, mount)?);
    /// assert_eq!(crowd.is_ignored(mount, rider), Ok(true));
    /// crowd.remove(mount);
    /// assert_eq!(crowd.ignore(rider, mount), Err(CrowdError::NoSuchCharacter));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ignore(&mut self, a: CharacterId, b: CharacterId) -> Result<bool, CrowdError> {
        let pair = self.pair(a, b)?;
        Ok(self.ignored.add(pair))
    }

    /// Makes two solid to each other again, as they were before [`Crowd::ignore`]. Whether they did ignore each other.
    ///
    /// # Errors
    /// If one of them is not there, or both are the same.
    pub fn heed(&mut self, a: CharacterId, b: CharacterId) -> Result<bool, CrowdError> {
        let pair = self.pair(a, b)?;
        Ok(self.ignored.take(pair))
    }

    /// Whether two go through each other because of [`Crowd::ignore`].
    ///
    /// # Errors
    /// If one of them is not there, or both are the same.
    pub fn is_ignored(&self, a: CharacterId, b: CharacterId) -> Result<bool, CrowdError> {
        Ok(self.ignored.contain(self.pair(a, b)?))
    }

    /// All that the crowd remembers, to be put back with [`Crowd::restore`]: for saving, and for rollback. Filters, layers and who
    /// ignores whom are settings and no part of it.
    ///
    /// ```
    /// # use sidle::character::{Crowd, CrowdError};
    /// # fn rollback(crowd: &mut Crowd<f32>) -> Result<(), CrowdError> {
    /// let saved: Vec<_> = crowd.states().collect();
    /// // … some ticks later it turns out that someone had wished something else:
    /// for (id, state) in saved {
    ///     crowd.restore(id, state)?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn states(&self) -> impl Iterator<Item = (CharacterId, CharacterState<T>)> {
        self.iter().map(|(id, character)| (id, character.state()))
    }

    /// Puts a character into a remembered state. With all of them restored, the same wishes repeat the run to the bit.
    ///
    /// # Errors
    /// If there is no such character, or a number of the state is not finite.
    pub fn restore(&mut self, id: CharacterId, state: CharacterState<T>) -> Result<(), CrowdError> {
        let character = self.character_mut(id).ok_or(CrowdError::NoSuchCharacter)?;
        character.restore(state).map_err(|error| CrowdError::Input { character: id, error })
    }

    /// The slots of two.
    fn pair(&self, a: CharacterId, b: CharacterId) -> Result<[u32; 2], CrowdError> {
        if self.member(a).is_none() || self.member(b).is_none() {
            return Err(CrowdError::NoSuchCharacter);
        }
        if a == b { Err(CrowdError::SameCharacter) } else { Ok([a.slot, b.slot]) }
    }

    fn member(&self, id: CharacterId) -> Option<&Member<T>> {
        Some(&self.slots.get(id)?.member)
    }
}

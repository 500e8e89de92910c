//! [`ContactTracker`]: which contacts began, stayed and ended between two ticks.

use super::{CharacterId, touch::Touch};
use crate::{real::Real, world::InstanceId};

/// Most contacts that a [`ContactTracker`] remembers from a tick; more would be more than a tick reports but for odd cases.
pub const MAX_CONTACTS: usize = 32;

/// Names a contact from tick to tick: the triangle or the character that is touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactKey {
    /// The triangle's instance.
    pub instance: InstanceId,
    /// The triangle's index in its mesh.
    pub triangle: u32,
    /// The character that is touched, instead of a triangle.
    #[cfg_attr(feature = "serde", serde(default))]
    pub other: Option<CharacterId>,
}

/// What became of a contact between two ticks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ContactEvent<'a, T: Real> {
    /// The triangle was not touched in the tick before.
    Enter(&'a Touch<T>),
    /// It was touched in the tick before, too.
    Stay(&'a Touch<T>),
    /// It was touched in the tick before, and is not any more.
    Leave(ContactKey),
}

/// Tells the contacts of a tick from those of the tick before: what is entered, what stays, what is left.
///
/// A plain value that the caller keeps beside the [`CharacterState`](super::CharacterState): copy both for a rollback. It never
/// allocates, and the order of its events depends on the ticks alone.
///
/// A tick's contacts are what its motion met, and the ground: a wall is touched for as long as the body is moved
/// against it. Triangles count, however many times one is met in a tick; over a finely divided floor the ground is
/// therefore left and entered triangle by triangle.
///
/// # Example
/// ```
/// # use nalgebra::{point, vector};
/// # use sidle::{Character, CharacterConfig, Ellipsoid, Octree, Scratch, TickInput, World, mesh::primitives};
/// use sidle::character::{ContactEvent, ContactTracker};
///
/// # let world = World::of_level(Octree::new(primitives::floor::<f64>(20.0, 20.0, 1, 1)?));
/// # let body = Ellipsoid::new(vector![0.4, 0.9, 0.4])?;
/// # let mut character = Character::new(body, CharacterConfig::default(), point![1.0, 0.93, 0.0])?;
/// # let mut scratch = Scratch::default();
/// let mut contacts = ContactTracker::default();
/// let (mut landings, mut takeoffs) = (0, 0);
/// for tick in 0..60 {
///     let input = TickInput { jump: (tick == 30).then_some(4.4), ..TickInput::default() };
///     let report = character.tick(&world, &input, 1.0 / 60.0, &mut scratch)?;
///     contacts.update(report.touches(), |event| match event {
///         ContactEvent::Enter(_) => landings += 1, // a sound, by `touch.material`
///         ContactEvent::Stay(_) => {}
///         ContactEvent::Leave(_) => takeoffs += 1,
///     });
/// }
/// assert_eq!((landings, takeoffs), (1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "collision_events")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactTracker {
    /// In the order in which they were met.
    last: [Option<ContactKey>; MAX_CONTACTS],
    has_overflowed: bool,
}

impl<T: Real> Touch<T> {
    /// The name of the contact from tick to tick.
    pub fn key(&self) -> ContactKey {
        ContactKey { instance: self.instance, triangle: self.triangle, other: self.other }
    }
}

impl ContactTracker {
    /// Takes the contacts of a tick ([`TickReport::touches`](super::TickReport::touches)) and tells each event once: first what is
    /// left, in the order of the tick before, then what is entered or stays, in the order of this one.
    pub fn update<'a, T: Real>(
        &mut self,
        touches: impl IntoIterator<Item = &'a Touch<T>, IntoIter: Clone>,
        mut on_event: impl FnMut(ContactEvent<'a, T>),
    ) {
        let before = *self;
        *self = Self::default();
        let touches = touches.into_iter();
        touches.clone().for_each(|touch| self.remember(touch.key()));
        before.keys().filter(|key| !self.contains(*key)).for_each(|key| on_event(ContactEvent::Leave(key)));
        // Each once, by the first touch of its triangle.
        for key in self.keys() {
            let Some(touch) = touches.clone().find(|touch| touch.key() == key) else { continue };
            on_event(if before.contains(key) { ContactEvent::Stay(touch) } else { ContactEvent::Enter(touch) });
        }
    }

    /// The contacts of the last tick, in the order in which they were met.
    pub fn keys(&self) -> impl Iterator<Item = ContactKey> {
        self.last.iter().map_while(|key| *key)
    }

    /// Whether a triangle was touched in the last tick.
    pub fn contains(&self, key: ContactKey) -> bool {
        self.keys().any(|known| known == key)
    }

    /// Whether the last tick touched more than [`MAX_CONTACTS`] triangles. Of those beyond there are no events.
    pub fn has_overflowed(&self) -> bool {
        self.has_overflowed
    }

    fn remember(&mut self, key: ContactKey) {
        if self.contains(key) {
            return;
        }
        match self.last.iter_mut().find(|place| place.is_none()) {
            Some(place) => *place = Some(key),
            None => self.has_overflowed = true,
        }
    }
}

//! [`BodyShape`]: what a character is made of, one ellipsoid or several at offsets.

use std::sync::Arc;

use nalgebra::Vector3;

use crate::{
    InputError,
    input_error::finite,
    real::{Real, widen},
    shape::Ellipsoid,
};

/// Most parts that a [`BodyShape`] may have.
pub const MAX_PARTS: usize = 8;

/// The farthest that a part may be from the position, in metres along each axis.
const MAX_OFFSET: f64 = 1e9;

/// A part of a body: an ellipsoid at an offset from the body's position.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct BodyPart<T: Real> {
    ellipsoid: Ellipsoid<T>,
    offset: Vector3<T>,
}

impl<T: Real> BodyPart<T> {
    /// An ellipsoid whose centre is `offset` (metres, along the world's axes) from the position of the body.
    ///
    /// # Errors
    /// If the offset is not finite, or beyond 1e9 along an axis.
    pub fn new(ellipsoid: Ellipsoid<T>, offset: Vector3<T>) -> Result<Self, InputError> {
        for x in offset.iter() {
            finite(*x, "the offset of a part")?;
            if x.to_f64().abs() > MAX_OFFSET {
                return Err(InputError::OutOfRange { what: "the offset of a part", range: "-1e9..=1e9" });
            }
        }
        Ok(Self { ellipsoid, offset })
    }

    /// The ellipsoid, around its own centre.
    pub fn ellipsoid(&self) -> &Ellipsoid<T> {
        &self.ellipsoid
    }

    /// From the position of the body to the centre of the ellipsoid, in metres along the world's axes.
    pub fn offset(&self) -> Vector3<T> {
        self.offset
    }
}

#[cfg(feature = "serde")]
impl<'de, T: Real + serde::Deserialize<'de>> serde::Deserialize<'de> for BodyPart<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(bound = "T: serde::Deserialize<'de>")]
        struct Unchecked<T: Real> {
            ellipsoid: Ellipsoid<T>,
            offset: Vector3<T>,
        }
        let Unchecked { ellipsoid, offset } = Unchecked::deserialize(deserializer)?;
        Self::new(ellipsoid, offset).map_err(serde::de::Error::custom)
    }
}

/// The shape of a body: one ellipsoid around its position, or up to [`MAX_PARTS`] of them at offsets, as a head, a torso and hips.
///
/// The body is all that lies in any of its parts, which may overlap, touch or be apart; what is between them is free, a
/// notch at the neck included. A motion ends at the first contact of any part, and [`Touch::part`](super::Touch::part) says of
/// which. The feet are the lowest point of all parts, whichever that is.
///
/// The position of the body is the point from which offsets are, anywhere: the centre of the torso, or a point at the feet.
/// Bodies do not turn: offsets and rotations are along the world's axes, whatever is up. Who turns a model gives its character the
/// turned shape by [`Character::resize`](super::Character::resize), which asks for room.
///
/// Each part is swept on its own: a tick of a body of three takes up to two and a half times the instructions of one.
///
/// # Example
/// ```
/// use nalgebra::{Vector3, point, vector};
/// use sidle::character::{BodyPart, BodyShape};
/// # use sidle::{Character, CharacterConfig, Ellipsoid, Octree, Scratch, TickInput, World, mesh::primitives};
///
/// # let world = World::of_level(Octree::new(primitives::floor::<f64>(20.0, 20.0, 4, 4)?));
/// let hips = BodyPart::new(Ellipsoid::new(vector![0.35, 0.5, 0.35])?, vector![0.0, 0.5, 0.0])?;
/// let torso = BodyPart::new(Ellipsoid::new(vector![0.4, 0.4, 0.25])?, vector![0.0, 1.1, 0.0])?;
/// let head = BodyPart::new(Ellipsoid::sphere(0.18)?, vector![0.0, 1.6, 0.1])?;
/// let person = BodyShape::new([hips, torso, head])?;
/// // Offsets are from the feet here, so that is where its position is: the skin above the floor.
/// let mut character = Character::new(person, CharacterConfig::default(), point![0.0, 0.02, 0.0])?;
/// let input = TickInput { velocity: vector![3.0, 0.0, 0.0], ..TickInput::default() };
/// character.tick(&world, &input, 1.0 / 60.0, &mut Scratch::default())?;
/// assert!(character.is_on_ground());
/// assert_eq!(character.feet(Vector3::y_axis()).y, character.position().y);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "compound")]
#[derive(Debug, Clone, PartialEq)]
pub struct BodyShape<T: Real>(Parts<T>);

/// One is kept where it is; several are shared, so that no clone takes memory.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "one is what most shapes have")]
enum Parts<T: Real> {
    One(BodyPart<T>),
    Several(Arc<[BodyPart<T>]>),
}

impl<T: Real> BodyShape<T> {
    /// A body of parts. Where two are touched at the same time, or are equally deep in something, the earlier one counts.
    ///
    /// # Errors
    /// If there is no part, or more than [`MAX_PARTS`].
    pub fn new(parts: impl IntoIterator<Item = BodyPart<T>>) -> Result<Self, InputError> {
        let parts: Vec<_> = parts.into_iter().take(MAX_PARTS + 1).collect();
        match parts[..] {
            [only] => Ok(Self(Parts::One(only))),
            [_, ..] if parts.len() <= MAX_PARTS => Ok(Self(Parts::Several(parts.into()))),
            _ => Err(InputError::OutOfRange { what: "the number of parts of a body", range: "1..=8" }),
        }
    }

    /// The parts, in their order; at least one.
    pub fn parts(&self) -> &[BodyPart<T>] {
        match &self.0 {
            Parts::One(only) => std::slice::from_ref(only),
            Parts::Several(parts) => parts,
        }
    }

    /// From the position to a point as low along the unit vector `up` as the lowest point, straight under the part that has it.
    pub(super) fn feet(&self, up: &Vector3<f64>) -> Vector3<f64> {
        let under = |part: &BodyPart<T>| widen(&part.offset) - up * part.ellipsoid.space().reach(up);
        let lowest = self.parts().iter().map(under).reduce(|a, b| if b.dot(up) < a.dot(up) { b } else { a });
        lowest.unwrap_or_default()
    }
}

impl<T: Real> From<Ellipsoid<T>> for BodyShape<T> {
    fn from(ellipsoid: Ellipsoid<T>) -> Self {
        Self(Parts::One(BodyPart { ellipsoid, offset: Vector3::zeros() }))
    }
}

impl<T: Real> From<&Ellipsoid<T>> for BodyShape<T> {
    fn from(ellipsoid: &Ellipsoid<T>) -> Self {
        (*ellipsoid).into()
    }
}

impl<T: Real> From<&Self> for BodyShape<T> {
    fn from(shape: &Self) -> Self {
        shape.clone()
    }
}

#[cfg(feature = "serde")]
impl<T: Real + serde::Serialize> serde::Serialize for BodyShape<T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.parts().serialize(serializer)
    }
}

#[cfg(feature = "serde")]
impl<'de, T: Real + serde::Deserialize<'de>> serde::Deserialize<'de> for BodyShape<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(Vec::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

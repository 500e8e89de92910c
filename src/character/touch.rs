//! [`Touch`]: a contact of a character with the world, as it is reported.

use nalgebra::{Point3, Vector3};

use super::CharacterId;
use crate::{
    MaterialTag,
    real::Real,
    shape::Feature,
    world::{HalfSpace, InstanceId, NearContact},
};

/// A contact of a character with the world, or with another character.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Touch<T: Real> {
    /// Share of the motion that led to it, in `0..=1`.
    pub fraction: T,
    /// The point that is touched, in the world.
    pub point: Point3<T>,
    /// Unit normal of the body at the contact, from the surface to the body.
    pub normal: Vector3<T>,
    /// Unit normal of the triangle, on the body's side.
    pub surface_normal: Vector3<T>,
    /// The part of the triangle that is touched.
    pub feature: Feature,
    /// The part of the body that touches, by its place in [`BodyShape::parts`](super::BodyShape::parts); 0 if there is only one.
    #[cfg_attr(feature = "serde", serde(default))]
    pub part: u8,
    /// The triangle's instance; [`InstanceId::NONE`] where another character is touched.
    pub instance: InstanceId,
    /// The triangle's index in its mesh.
    pub triangle: u32,
    /// What it is made of.
    pub material: MaterialTag,
    /// Depth in metres if the body, with its skin, overlapped the triangle when the motion began.
    pub overlap: Option<T>,
    /// The character that is touched, in a [`Crowd`](super::Crowd). Both may move: the normal is that between them
    /// when the tick began.
    #[cfg_attr(feature = "serde", serde(default))]
    pub other: Option<CharacterId>,
}

impl<T: Real> Touch<T> {
    /// The same contact in another scalar, each number rounded once.
    pub fn cast<U: Real>(&self) -> Touch<U> {
        let nearest = |x: T| U::nearest(x.to_f64());
        Touch {
            fraction: nearest(self.fraction),
            point: self.point.map(nearest),
            normal: self.normal.map(nearest),
            surface_normal: self.surface_normal.map(nearest),
            feature: self.feature,
            part: self.part,
            instance: self.instance,
            triangle: self.triangle,
            material: self.material,
            overlap: self.overlap.map(nearest),
            other: self.other,
        }
    }
}

impl Touch<f64> {
    /// A contact of a part of the body with a triangle.
    pub(super) fn new(near: NearContact, part: u8) -> Self {
        let NearContact { contact, source } = near;
        Self {
            fraction: contact.fraction,
            point: contact.point,
            normal: contact.normal.into_inner(),
            surface_normal: contact.surface_normal.into_inner(),
            feature: contact.feature,
            part,
            instance: source.instance,
            triangle: source.index,
            material: source.material,
            overlap: contact.overlap,
            other: None,
        }
    }

    /// A contact with the border of a half-space, at a point.
    pub(super) fn of_half_space(half_space: &HalfSpace, fraction: f64, point: Point3<f64>, room: f64) -> Self {
        Self {
            fraction,
            point,
            normal: half_space.normal,
            surface_normal: half_space.normal,
            feature: Feature::Face,
            part: half_space.part,
            instance: InstanceId::NONE,
            triangle: 0,
            material: MaterialTag::default(),
            overlap: (room < 0.0).then_some(-room),
            other: CharacterId::named(half_space.name),
        }
    }
}

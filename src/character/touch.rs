//! [`Touch`]: a contact of a character with the world, as it is reported.

use nalgebra::{Point3, Vector3};

use crate::{
    MaterialTag,
    shape::Feature,
    world::{InstanceId, NearContact},
};

/// A contact of a character with the world.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Touch {
    /// Share of the motion that led to it, in `0..=1`.
    pub fraction: f64,
    /// The point that is touched, in the world.
    pub point: Point3<f64>,
    /// Unit normal of the body at the contact, from the surface to the body.
    pub normal: Vector3<f64>,
    /// Unit normal of the triangle, on the body's side.
    pub surface_normal: Vector3<f64>,
    /// The part of the triangle that is touched.
    pub feature: Feature,
    /// The triangle's instance.
    pub instance: InstanceId,
    /// The triangle's index in its mesh.
    pub triangle: u32,
    /// What it is made of.
    pub material: MaterialTag,
    /// Depth in metres if the body, with its skin, overlapped the triangle when the motion began.
    pub overlap: Option<f64>,
}

impl Touch {
    pub(super) fn new(near: NearContact) -> Self {
        let NearContact { contact, source } = near;
        Self {
            fraction: contact.fraction,
            point: contact.point,
            normal: contact.normal.into_inner(),
            surface_normal: contact.surface_normal.into_inner(),
            feature: contact.feature,
            instance: source.instance,
            triangle: source.index,
            material: source.material,
            overlap: contact.overlap,
        }
    }
}

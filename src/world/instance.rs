//! [`Placement`] of a mesh, and the maps between its frame and the world's.

use nalgebra::{Matrix3, Point3, UnitQuaternion, Vector3};

use super::{Layers, MeshId};
use crate::{
    InputError,
    input_error::{bounded, bounded_point, finite},
    octree::Octree,
    real::{Length, Real, widen, widen_point},
    shape::{Aabb3, Triangle, ellipsoid::rotation_matrix},
    sweep::Sweep,
};

/// Where something is and how it is turned.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pose<T: Real> {
    /// Where the origin of the frame is, in metres.
    pub position: Point3<T>,
    /// From the frame to the world.
    pub rotation: UnitQuaternion<T>,
}

impl<T: Real> Default for Pose<T> {
    fn default() -> Self {
        Self { position: Point3::origin(), rotation: UnitQuaternion::identity() }
    }
}

/// How an instance of a mesh stands in the world: scaled along the mesh's axes, then turned, then moved.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Placement<T: Real> {
    /// Position and rotation.
    pub pose: Pose<T>,
    /// Factor along each axis of the mesh; not zero. A negative factor mirrors, fronts stay fronts.
    pub scale: Vector3<T>,
    /// The layers on which queries see the instance.
    pub layers: Layers,
}

impl<T: Real> Default for Placement<T> {
    fn default() -> Self {
        Self { pose: Pose::default(), scale: Vector3::repeat(T::one()), layers: Layers::default() }
    }
}

impl<T: Real> Placement<T> {
    /// Moved, neither turned nor scaled.
    pub fn at(position: Point3<T>) -> Self {
        Self { pose: Pose { position, ..Pose::default() }, ..Self::default() }
    }

    /// The same, turned.
    pub fn turned(self, rotation: UnitQuaternion<T>) -> Self {
        Self { pose: Pose { rotation, ..self.pose }, ..self }
    }

    /// The same, scaled along the mesh's axes.
    pub fn scaled(self, scale: Vector3<T>) -> Self {
        Self { scale, ..self }
    }

    /// The same, on other layers.
    pub fn on(self, layers: Layers) -> Self {
        Self { layers, ..self }
    }

    pub(super) fn check(&self) -> Result<(), InputError> {
        bounded_point(&self.pose.position, "the position of the instance")?;
        bounded(&self.scale, "the scale of the instance")?;
        for x in self.pose.rotation.coords.iter() {
            finite(*x, "the rotation of the instance")?;
        }
        if self.scale.iter().any(|x| !(1e-9..=1e9).contains(&x.to_f64().abs())) {
            return Err(InputError::OutOfRange {
                what: "a scale of the instance, without its sign,",
                range: "1e-9..=1e9",
            });
        }
        Ok(())
    }
}

/// A placed mesh with its maps worked out.
#[derive(Debug, Clone)]
pub(super) struct Instance<T: Real> {
    pub(super) mesh: MeshId,
    pub(super) placement: Placement<T>,
    pub(super) bounds: Aabb3<f64>,
    position: Vector3<f64>,
    linear: Matrix3<f64>,
    inverse: Matrix3<f64>,
    pub(super) is_mirrored: bool,
}

impl<T: Real> Instance<T> {
    pub(super) fn new(mesh: MeshId, tree: &Octree<T>, placement: &Placement<T>) -> Self {
        let rotation = rotation_matrix(&placement.pose.rotation);
        let scale = widen(&placement.scale);
        let mut instance = Self {
            mesh,
            placement: *placement,
            bounds: Aabb3::empty(),
            position: widen(&placement.pose.position.coords),
            linear: rotation * Matrix3::from_diagonal(&scale),
            inverse: Matrix3::from_diagonal(&scale.map(|s| 1.0 / s)) * rotation.transpose(),
            is_mirrored: scale.iter().filter(|s| **s < 0.0).count() % 2 == 1,
        };
        let (min, max) = (widen_point(&tree.bounds().min), widen_point(&tree.bounds().max));
        let corners = (0..8)
            .map(|i| Point3::from(Vector3::from_fn(|axis, _| if i >> axis & 1 == 0 { min[axis] } else { max[axis] })));
        let tight = Aabb3::around(corners.map(|corner| instance.to_world(&corner)));
        // The corners round; what is on the box must not fall out of it.
        let rounding = 8.0 * f64::EPSILON * (tight.min.coords.amax().max(tight.max.coords.amax()));
        instance.bounds = tight.grow(&Vector3::repeat(rounding));
        instance
    }

    /// A point of the mesh, in the world.
    #[inline(always)]
    pub(super) fn to_world(&self, point: &Point3<f64>) -> Point3<f64> {
        Point3::from(self.linear * point.coords + self.position)
    }

    /// A triangle of the mesh, in the world.
    #[inline(always)]
    pub(super) fn triangle_to_world(&self, triangle: &Triangle<f64>) -> Triangle<f64> {
        Triangle::new(self.to_world(&triangle.a), self.to_world(&triangle.b), self.to_world(&triangle.c))
    }

    /// A point of the world, in the frame of the mesh.
    pub(super) fn to_mesh(&self, point: &Point3<f64>) -> Point3<f64> {
        Point3::from(self.inverse * (point.coords - self.position))
    }

    /// A vector of the world, in the frame of the mesh.
    pub(super) fn vector_to_mesh(&self, vector: &Vector3<f64>) -> Vector3<f64> {
        self.inverse * vector
    }

    /// The smallest box in the frame of the mesh around a box of the world.
    pub(super) fn bounds_to_mesh(&self, bounds: &Aabb3<f64>) -> Aabb3<f64> {
        let center = self.to_mesh(&bounds.center());
        let half = self.inverse.abs() * (bounds.size() / 2.0);
        let rounding = 8.0 * f64::EPSILON * (center.coords.amax() + half.amax());
        Aabb3 { min: center - half, max: center + half }.grow(&Vector3::repeat(rounding))
    }

    /// A sweep of the world, in the frame of the mesh. The fraction is the same in both.
    pub(super) fn sweep_to_mesh(&self, sweep: &Sweep) -> Sweep {
        Sweep {
            space: sweep.space.seen_from_mesh(&self.linear, &self.inverse),
            start: self.to_mesh(&sweep.start),
            motion: self.vector_to_mesh(&sweep.motion),
            is_mirrored: self.is_mirrored,
            ..*sweep
        }
    }

    /// The least factor by which any length of the mesh grows in the world.
    pub(super) fn least_scale(&self) -> f64 {
        widen(&self.placement.scale).abs().min()
    }

    /// A normal of the mesh, in the world.
    pub(super) fn normal_to_world(&self, normal: &Vector3<f64>) -> Vector3<f64> {
        self.inverse.tr_mul(normal).unit()
    }
}

//! [`Ellipsoid`], and [`EllipsoidSpace`]: the door to the space in which it is the unit sphere.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};

use crate::{
    input_error::{InputError, finite, positive},
    real::{Length, Real, widen},
};

/// An ellipsoid around its own centre: semi-axes and a rotation.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Ellipsoid<T: Real> {
    radii: Vector3<T>,
    rotation: UnitQuaternion<T>,
    // Kept, as making it costs as much as half a query.
    #[cfg_attr(feature = "serde", serde(skip))]
    space: EllipsoidSpace,
}

/// The largest and smallest semi-axis that an ellipsoid may have, in metres: their squares are far from the ends of `f32`.
const RADIUS_RANGE: std::ops::RangeInclusive<f64> = 1e-9..=1e9;

impl<T: Real> Ellipsoid<T> {
    /// An ellipsoid whose axes are the world's.
    ///
    /// # Errors
    /// If a semi-axis is NaN, infinite, zero, negative, or outside of `1e-9..=1e9` metres.
    ///
    /// ```
    /// # use nalgebra::vector;
    /// use sidle::Ellipsoid;
    /// assert!(Ellipsoid::new(vector![0.4, 0.9, 0.4]).is_ok());
    /// assert!(Ellipsoid::new(vector![0.4, 0.0, 0.4]).is_err());
    /// ```
    pub fn new(radii: Vector3<T>) -> Result<Self, InputError> {
        Self::turned(radii, UnitQuaternion::identity())
    }

    /// An ellipsoid whose axes are turned by `rotation`.
    ///
    /// # Errors
    /// As [`Ellipsoid::new`], and if the rotation is not a finite unit quaternion.
    pub fn turned(radii: Vector3<T>, rotation: UnitQuaternion<T>) -> Result<Self, InputError> {
        for radius in radii.iter() {
            positive(*radius, "a semi-axis of the ellipsoid")?;
            if !RADIUS_RANGE.contains(&radius.to_f64()) {
                return Err(InputError::OutOfRange { what: "a semi-axis of the ellipsoid", range: "1e-9..=1e9" });
            }
        }
        for x in rotation.coords.iter() {
            finite(*x, "the ellipsoid's rotation")?;
        }
        let length = rotation.coords.map(Real::to_f64).norm_squared().sqrt();
        if (length - 1.0).abs() > 1e-3 {
            return Err(InputError::OutOfRange { what: "the length of the rotation's quaternion", range: "1" });
        }
        let space = EllipsoidSpace::new(&widen(&radii), &rotation_matrix(&rotation));
        Ok(Self { radii, rotation, space })
    }

    /// A ball.
    ///
    /// # Errors
    /// As [`Ellipsoid::new`].
    pub fn sphere(radius: T) -> Result<Self, InputError> {
        Self::new(Vector3::repeat(radius))
    }

    /// Semi-axes in the ellipsoid's own frame, in metres.
    pub fn radii(&self) -> Vector3<T> {
        self.radii
    }

    /// From the ellipsoid's own frame to the world's.
    pub fn rotation(&self) -> UnitQuaternion<T> {
        self.rotation
    }

    /// The space in which this ellipsoid is the unit sphere.
    pub fn space(&self) -> EllipsoidSpace {
        self.space
    }
}

#[cfg(feature = "serde")]
impl<'de, T: Real + serde::Deserialize<'de>> serde::Deserialize<'de> for Ellipsoid<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(serde::Deserialize)]
        struct Unchecked<T: Real> {
            radii: Vector3<T>,
            rotation: UnitQuaternion<T>,
        }
        let Unchecked { radii, rotation } = Unchecked::deserialize(deserializer)?;
        Self::turned(radii, rotation).map_err(serde::de::Error::custom)
    }
}

/// The rotation matrix of a quaternion, in `f64`; its length does not matter.
pub(crate) fn rotation_matrix<T: Real>(rotation: &UnitQuaternion<T>) -> Matrix3<f64> {
    let wide = nalgebra::Quaternion::from(rotation.coords.map(Real::to_f64));
    UnitQuaternion::from_quaternion(wide).to_rotation_matrix().into_inner()
}

/// The linear map to the space in which an ellipsoid is the unit sphere, and back.
///
/// `M = diag(1/r) Rᵀ`, times the linear part of an instance where the outer space is that of a placed mesh. Points
/// are taken relative to the ellipsoid's centre first, so that all arithmetic happens near the origin. Only `sweep` and
/// this file know of unit space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EllipsoidSpace {
    to_unit: Matrix3<f64>,
    from_unit: Matrix3<f64>,
    half_extents: Vector3<f64>,
    /// Frobenius norms of both maps.
    norms: [f64; 2],
    /// `to_unit` rounded, row by row, as lanes take it.
    rounded_rows: [[f32; 4]; 3],
}

impl EllipsoidSpace {
    /// The space of an ellipsoid with semi-axes `radii`, turned by `rotation`.
    pub(crate) fn new(radii: &Vector3<f64>, rotation: &Matrix3<f64>) -> Self {
        Self::of_maps(
            Matrix3::from_diagonal(&radii.map(|r| 1.0 / r)) * rotation.transpose(),
            rotation * Matrix3::from_diagonal(radii),
        )
    }

    fn of_maps(to_unit: Matrix3<f64>, from_unit: Matrix3<f64>) -> Self {
        let half_extents = Vector3::from_fn(|axis, _| from_unit.row(axis).norm_squared().sqrt());
        let norms = [to_unit.norm_squared().sqrt(), from_unit.norm_squared().sqrt()];
        let rounded_rows =
            [0, 1, 2].map(|i| [to_unit[(i, 0)] as f32, to_unit[(i, 1)] as f32, to_unit[(i, 2)] as f32, 0.0]);
        Self { to_unit, from_unit, half_extents, norms, rounded_rows }
    }

    /// The same unit space, entered from the space of a mesh whose linear part is `linear` (with its inverse).
    pub(crate) fn seen_from_mesh(&self, linear: &Matrix3<f64>, inverse: &Matrix3<f64>) -> Self {
        Self::of_maps(self.to_unit * linear, inverse * self.from_unit)
    }

    /// Maps a vector, or a point relative to the ellipsoid's centre, to unit space.
    #[inline(always)]
    pub fn enter(&self, vector: &Vector3<f64>) -> Vector3<f64> {
        self.to_unit * vector
    }

    /// Maps a vector, or a point relative to the ellipsoid's centre, back from unit space.
    pub fn leave(&self, vector: &Vector3<f64>) -> Vector3<f64> {
        self.from_unit * vector
    }

    /// Carries a surface normal out of unit space; also returns the length that it had before it was normalized.
    ///
    /// A normal is a covector: the plane `g · u = d` in unit space reads `g · (M x) = (Mᵀ g) · x = d` outside, where
    /// `u = M x`. So it maps by `Mᵀ`, unlike a point or a motion, which map by `M⁻¹`. A distance `h` along `g` in unit
    /// space is `h / |Mᵀ g|` along the normal outside.
    #[inline(always)]
    pub fn leave_normal(&self, normal: &Vector3<f64>) -> (Vector3<f64>, f64) {
        let outside = self.to_unit.tr_mul(normal);
        let length = outside.length();
        (outside / length, length)
    }

    /// Carries a surface normal to unit space: by `M⁻ᵀ`, see [`EllipsoidSpace::leave_normal`]. Its length is not kept.
    #[inline(always)]
    pub(crate) fn enter_normal(&self, normal: &Vector3<f64>) -> Vector3<f64> {
        self.from_unit.tr_mul(normal)
    }

    /// How far the ellipsoid extends along a direction of the outer space, times the direction's length.
    pub fn reach(&self, direction: &Vector3<f64>) -> f64 {
        self.from_unit.tr_mul(direction).length()
    }

    /// Half the size of the box around the ellipsoid, in the outer space.
    pub fn half_extents(&self) -> Vector3<f64> {
        self.half_extents
    }

    /// The map from unit space, `M⁻¹`, whose columns are the images of the unit axes.
    pub(crate) fn unit_axes(&self) -> &Matrix3<f64> {
        &self.from_unit
    }

    /// No vector becomes longer by a larger factor on the way to unit space, and on the way back.
    pub(crate) fn norms(&self) -> [f64; 2] {
        self.norms
    }

    /// Whether it is the same map as another, to the bit.
    #[inline(always)]
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        // All at once, which takes less time than to stop at the first that differs.
        let (own, other) = (self.to_unit.as_slice(), other.to_unit.as_slice());
        let mut differing = 0;
        for i in 0..9 {
            differing |= own[i].to_bits() ^ other[i].to_bits();
        }
        differing == 0
    }

    /// The rows of `M` in `f32`, and a zero each.
    #[inline(always)]
    pub(crate) fn rounded_rows(&self) -> &[[f32; 4]; 3] {
        &self.rounded_rows
    }

    /// The map to unit space, `M`.
    pub(crate) fn unit_rows(&self) -> &Matrix3<f64> {
        &self.to_unit
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::vector;

    use super::*;

    #[test]
    fn a_needle_reaches_two_metres_up_and_its_width_sideways() {
        let space = Ellipsoid::new(vector![0.1, 2.0, 0.1]).expect("valid").space();
        assert_eq!(space.half_extents(), vector![0.1, 2.0, 0.1]);
        assert_eq!(space.reach(&Vector3::y()), 2.0);
        assert_eq!(space.enter(&vector![0.1, 2.0, 0.1]), vector![1.0, 1.0, 1.0]);
    }

    #[test]
    fn normals_map_unlike_vectors() {
        let space = Ellipsoid::new(vector![1.0, 4.0, 1.0]).expect("valid").space();
        let slope = vector![1.0, 1.0, 0.0].normalize();
        let (normal, _) = space.leave_normal(&slope);
        // The plane through (−1, 1) in unit space goes through (−1, 4) outside.
        approx::assert_abs_diff_eq!(normal.dot(&vector![-1.0, 4.0, 0.0]), 0.0, epsilon = 1e-15);
    }

    #[test]
    fn bad_sizes_are_refused() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-12, 1e12] {
            assert!(Ellipsoid::new(vector![0.4, bad, 0.4]).is_err(), "{bad}");
        }
    }
}

//! [`Rectangle`] and [`TurnedBox`], and the [`intersection`] of boxes along the axes.

use nalgebra::{Matrix2, Point, Point2, Point3, SMatrix, SVector, UnitQuaternion, Vector2, Vector3};

use crate::{
    input_error::{InputError, bounded, bounded_point, finite, positive},
    real::Real,
    shape::{Aabb, ellipsoid::rotation_matrix},
};

/// A rectangle in the plane or a box in space, turned any way: its middle, half of its size, and its axes.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "Unchecked<T, D>"))]
pub struct Cuboid<T: Real, const D: usize> {
    center: Point<T, D>,
    half_extents: SVector<T, D>,
    /// Its columns are the cuboid's axes in the world.
    rotation: SMatrix<f64, D, D>,
}

/// A rectangle in the plane, turned by any angle.
pub type Rectangle<T> = Cuboid<T, 2>;
/// A box in space, turned any way.
pub type TurnedBox<T> = Cuboid<T, 3>;

impl<T: Real, const D: usize> Cuboid<T, D> {
    /// A rectangle or box along the world's axes, from its middle and half of its size, in metres.
    ///
    /// # Errors
    /// If a number is not finite or beyond [`MAX_COORDINATE`](crate::MAX_COORDINATE), or a half extent is not above zero.
    ///
    /// ```
    /// # use nalgebra::{point, vector};
    /// use sidle::flat::Rectangle;
    /// assert!(Rectangle::new(point![0.0, 0.0], vector![2.0, 1.0]).is_ok());
    /// assert!(Rectangle::new(point![0.0, 0.0], vector![2.0, 0.0]).is_err());
    /// ```
    pub fn new(center: Point<T, D>, half_extents: SVector<T, D>) -> Result<Self, InputError> {
        bounded_point(&center, "the centre")?;
        bounded(&half_extents, "a half extent")?;
        for x in half_extents.iter() {
            positive(*x, "a half extent")?;
        }
        Ok(Self { center, half_extents, rotation: SMatrix::identity() })
    }

    /// The middle.
    pub fn center(&self) -> Point<T, D> {
        self.center
    }

    /// Half of the size along each of its own axes, in metres.
    pub fn half_extents(&self) -> SVector<T, D> {
        self.half_extents
    }

    /// Its own axes as they lie in the world; unit vectors.
    pub fn axes(&self) -> [SVector<T, D>; D] {
        std::array::from_fn(|axis| self.rotation.column(axis).map(T::nearest))
    }

    /// The smallest box along the world's axes around it.
    pub fn bounds(&self) -> Aabb<T, D> {
        let half = (self.rotation.abs() * self.half_extents.map(T::to_f64)).map(T::nearest);
        Aabb { min: self.center, max: self.center }.grow(&half)
    }

    /// Whether a point is inside or on the border.
    pub fn contains(&self, point: &Point<T, D>) -> bool {
        let offset = self.enter(point);
        (0..D).all(|axis| offset[axis].abs() <= self.half_extents[axis].to_f64())
    }

    /// The offset of a point from the middle, along the cuboid's own axes.
    pub(super) fn enter(&self, point: &Point<T, D>) -> SVector<f64, D> {
        self.rotation.transpose() * (point.map(T::to_f64) - self.center.map(T::to_f64))
    }

    /// A vector of the cuboid's frame, in the world.
    pub(super) fn leave(&self, vector: &SVector<f64, D>) -> SVector<f64, D> {
        self.rotation * vector
    }
}

impl<T: Real> Rectangle<T> {
    /// A rectangle turned counter-clockwise by `angle` radians.
    ///
    /// # Errors
    /// As [`Cuboid::new`], and if the angle is not finite.
    pub fn turned(center: Point2<T>, half_extents: Vector2<T>, angle: T) -> Result<Self, InputError> {
        let angle = finite(angle, "the angle")?.to_f64();
        let (sin, cos) = (libm::sin(angle), libm::cos(angle));
        Ok(Self { rotation: Matrix2::new(cos, -sin, sin, cos), ..Self::new(center, half_extents)? })
    }

    /// The four corners, counter-clockwise.
    pub fn corners(&self) -> [Point2<T>; 4] {
        let half = self.half_extents.map(T::to_f64);
        [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, y)| {
            let corner = self.center.map(T::to_f64) + self.leave(&Vector2::new(x * half.x, y * half.y));
            corner.map(T::nearest)
        })
    }
}

impl<T: Real> TurnedBox<T> {
    /// A box whose axes are turned by `rotation`.
    ///
    /// # Errors
    /// As [`Cuboid::new`], and if the rotation is not a finite unit quaternion.
    pub fn turned(
        center: Point3<T>,
        half_extents: Vector3<T>,
        rotation: &UnitQuaternion<T>,
    ) -> Result<Self, InputError> {
        for x in rotation.coords.iter() {
            finite(*x, "the box's rotation")?;
        }
        if (rotation.coords.map(T::to_f64).norm() - 1.0).abs() > 1e-3 {
            return Err(InputError::OutOfRange { what: "the length of the rotation's quaternion", range: "1" });
        }
        Ok(Self { rotation: rotation_matrix(rotation), ..Self::new(center, half_extents)? })
    }
}

/// What two boxes have in common.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Intersection<T: Real, const D: usize> {
    /// The common box; it has an extent along every axis.
    pub bounds: Aabb<T, D>,
    /// Length of its diagonal, in metres.
    pub diagonal: T,
    /// Its shortest side over its longest: 1 for a square or cube, near 0 for a thin slice.
    pub side_ratio: T,
}

/// The common part of two boxes along the axes, in the plane or in space.
///
/// Unlike for [`Aabb::overlaps`], touching is no intersection: what only touches has no common area (or volume).
///
/// ```
/// # use nalgebra::point;
/// use sidle::{Aabb2, flat::intersection};
/// let a = Aabb2::new(point![0.0, 0.0], point![4.0, 3.0]);
/// let common = intersection(&a, &Aabb2::new(point![1.0, -1.0], point![9.0, 9.0])).expect("they overlap");
/// assert_eq!(common.bounds, Aabb2::new(point![1.0, 0.0], point![4.0, 3.0]));
/// assert_eq!(common.side_ratio, 1.0);
/// assert_eq!(intersection(&a, &Aabb2::new(point![4.0, 0.0], point![9.0, 9.0])), None); // they touch
/// ```
pub fn intersection<T: Real, const D: usize>(a: &Aabb<T, D>, b: &Aabb<T, D>) -> Option<Intersection<T, D>> {
    let bounds = Aabb { min: a.min.sup(&b.min), max: a.max.inf(&b.max) };
    let size = bounds.max.map(T::to_f64) - bounds.min.map(T::to_f64);
    if !size.iter().all(|side| *side > 0.0) {
        return None;
    }
    Some(Intersection { bounds, diagonal: T::nearest(size.norm()), side_ratio: T::nearest(size.min() / size.max()) })
}

/// What a file holds, before it is checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Unchecked<T: Real, const D: usize> {
    center: Point<T, D>,
    half_extents: SVector<T, D>,
    rotation: SMatrix<f64, D, D>,
}

#[cfg(feature = "serde")]
impl<T: Real, const D: usize> TryFrom<Unchecked<T, D>> for Cuboid<T, D> {
    type Error = InputError;

    fn try_from(Unchecked { center, half_extents, rotation }: Unchecked<T, D>) -> Result<Self, InputError> {
        // A rotation keeps lengths and angles, up to rounding. A mirror does, too, and is no other cuboid.
        let is_rotation = (rotation.transpose() * rotation - SMatrix::identity()).iter().all(|x| x.abs() <= 1e-6);
        if !is_rotation {
            return Err(InputError::OutOfRange { what: "the length of an axis of the cuboid", range: "1" });
        }
        Ok(Self { rotation, ..Self::new(center, half_extents)? })
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{point, vector};

    use super::*;

    #[test]
    fn touching_boxes_have_nothing_in_common() {
        let a = Aabb::new(point![0.0_f32, 0.0, 0.0], point![2.0, 2.0, 2.0]);
        assert_eq!(intersection(&a, &Aabb::new(point![2.0, 0.0, 0.0], point![3.0, 2.0, 2.0])), None);
        let common = intersection(&a, &Aabb::new(point![1.0, 0.0, 0.0], point![3.0, 2.0, 4.0])).expect("half of it");
        assert_eq!((common.diagonal, common.side_ratio), (3.0, 0.5));
    }

    #[test]
    fn a_turned_rectangle_has_the_corners_and_bounds_one_expects() {
        let tall = Rectangle::turned(point![1.0, 0.0], vector![2.0, 1.0], std::f64::consts::FRAC_PI_2);
        let tall = tall.expect("good numbers");
        approx::assert_abs_diff_eq!(tall.bounds().min, point![0.0, -2.0], epsilon = 1e-12);
        approx::assert_abs_diff_eq!(tall.bounds().max, point![2.0, 2.0], epsilon = 1e-12);
        approx::assert_abs_diff_eq!(tall.corners()[0], point![2.0, -2.0], epsilon = 1e-12);
        assert!(tall.contains(&point![1.0, 1.9]) && !tall.contains(&point![2.5, 0.0]));
        assert!(Rectangle::turned(point![0.0, 0.0], vector![1.0, 1.0], f64::NAN).is_err());
    }
}

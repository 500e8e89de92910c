//! [`Aabb`]: a box along the axes, in any dimension.

use nalgebra::{Point, Point3, SVector};

use crate::{
    input_error::{InputError, MAX_COORDINATE, bounded_point},
    real::{Real, widen_point},
};

/// A closed box along the axes: all points between `min` and `max`.
///
/// An *empty* box has a `min` above its `max`; [`Aabb::empty`] is the neutral element of [`Aabb::union`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Aabb<T: Real, const D: usize> {
    /// Smallest coordinates.
    pub min: Point<T, D>,
    /// Largest coordinates.
    pub max: Point<T, D>,
}

/// A box in the plane.
pub type Aabb2<T> = Aabb<T, 2>;
/// A box in space.
pub type Aabb3<T> = Aabb<T, 3>;

impl<T: Real, const D: usize> Aabb<T, D> {
    /// The box between two corners, which may be given in any order.
    pub fn new(a: Point<T, D>, b: Point<T, D>) -> Self {
        Self { min: a.inf(&b), max: a.sup(&b) }
    }

    /// The box from `min` to `max`, for numbers that come from outside. It may be flat, even a point.
    ///
    /// # Errors
    /// If a number is not finite or beyond [`MAX_COORDINATE`](crate::MAX_COORDINATE), or a `min` is above its `max`.
    ///
    /// ```
    /// # use nalgebra::point;
    /// # use sidle::{Aabb2, InputError};
    /// assert!(Aabb2::checked(point![0.0, 0.0], point![2.0, 1.0]).is_ok());
    /// assert!(Aabb2::checked(point![0.0, 0.0], point![2.0, -1.0]).is_err());
    /// assert!(Aabb2::checked(point![0.0, f32::NAN], point![2.0, 1.0]).is_err());
    /// ```
    pub fn checked(min: Point<T, D>, max: Point<T, D>) -> Result<Self, InputError> {
        let bounds = Self { min, max };
        bounds.check()?;
        Ok(bounds)
    }

    /// What [`Aabb::checked`] demands.
    pub(crate) fn check(&self) -> Result<(), InputError> {
        let most = T::nearest(MAX_COORDINATE);
        if (0..D).all(|axis| -most <= self.min[axis] && self.min[axis] <= self.max[axis] && self.max[axis] <= most) {
            return Ok(()); // a NaN would be neither
        }
        bounded_point(&self.min, "a lower corner of the box")?;
        bounded_point(&self.max, "an upper corner of the box")?;
        Err(InputError::Negative { what: "a width of the box" })
    }

    /// The box that holds nothing.
    pub fn empty() -> Self {
        let infinity = T::nearest(f64::INFINITY);
        Self { min: Point::from(SVector::repeat(infinity)), max: Point::from(SVector::repeat(-infinity)) }
    }

    /// The smallest box around some points; empty if there are none.
    ///
    /// ```
    /// # use nalgebra::point;
    /// let bounds = sidle::Aabb3::around([point![0.0, 1.0, 2.0], point![3.0, -1.0, 2.0]]);
    /// assert_eq!(bounds.min, point![0.0, -1.0, 2.0]);
    /// assert_eq!(bounds.max, point![3.0, 1.0, 2.0]);
    /// ```
    pub fn around(points: impl IntoIterator<Item = Point<T, D>>) -> Self {
        points.into_iter().fold(Self::empty(), |bounds, p| bounds.include(&p))
    }

    /// Whether the box holds nothing.
    pub fn is_empty(&self) -> bool {
        (0..D).any(|axis| self.min[axis] > self.max[axis])
    }

    /// The smallest box around this one and a point.
    pub fn include(&self, point: &Point<T, D>) -> Self {
        Self { min: self.min.inf(point), max: self.max.sup(point) }
    }

    /// The smallest box around both.
    pub fn union(&self, other: &Self) -> Self {
        Self { min: self.min.inf(&other.min), max: self.max.sup(&other.max) }
    }

    /// The box with each face moved outwards by `margin` along its axis.
    pub fn grow(&self, margin: &SVector<T, D>) -> Self {
        Self { min: self.min - margin, max: self.max + margin }
    }

    /// The box around this one wherever it is on its way along `motion`.
    pub fn swept(&self, motion: &SVector<T, D>) -> Self {
        self.union(&Self { min: self.min + motion, max: self.max + motion })
    }

    /// Middle of the box.
    pub fn center(&self) -> Point<T, D> {
        self.min + (self.max - self.min) * T::nearest(0.5)
    }

    /// Length of the box along each axis.
    pub fn size(&self) -> SVector<T, D> {
        self.max - self.min
    }

    /// Whether the boxes share a point; touching counts.
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..D).all(|axis| self.min[axis] <= other.max[axis] && other.min[axis] <= self.max[axis])
    }

    /// Whether a point is inside or on the border.
    pub fn contains(&self, point: &Point<T, D>) -> bool {
        (0..D).all(|axis| self.min[axis] <= point[axis] && point[axis] <= self.max[axis])
    }

    /// Whether the box holds all of another that is not empty; the borders count.
    pub(crate) fn holds(&self, other: &Self) -> bool {
        (0..D)
            .fold(true, |holds, axis| holds & (self.min[axis] <= other.min[axis]) & (other.max[axis] <= self.max[axis]))
    }

    /// How far the boxes overlap along each axis; zeros when they are apart or only touch.
    pub fn penetration(&self, other: &Self) -> SVector<T, D> {
        let overlap = self.max.inf(&other.max) - self.min.sup(&other.min);
        if overlap.iter().all(|width| *width >= T::zero()) { overlap } else { SVector::zeros() }
    }

    /// The point of the box that is nearest to `point`; `point` itself if it is inside.
    pub fn closest_point(&self, point: &Point<T, D>) -> Point<T, D> {
        point.sup(&self.min).inf(&self.max)
    }
}

impl<T: Real> Aabb3<T> {
    /// The point to which culling data of what is in the box are relative.
    ///
    /// Along each axis it is the middle of the box where that is farther from zero than large, and zero elsewhere. Either
    /// way the difference of an `f32` coordinate and the origin is an `f32`: in the first case both have the same exponent,
    /// or nearly, and no bits below the coordinates' own are needed.
    pub(crate) fn exact_origin(&self) -> Point3<f64> {
        let (min, max) = (widen_point(&self.min), widen_point(&self.max));
        Point3::from(min.coords.zip_map(&max.coords, |min, max| {
            let middle = f64::from(((min + max) / 2.0) as f32);
            if middle.abs() > 2.0 * (max - min) { middle } else { 0.0 }
        }))
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{point, vector};

    use super::*;

    #[test]
    fn touching_boxes_overlap_by_nothing() {
        let a = Aabb2::new(point![0.0, 0.0], point![2.0, 2.0]);
        let b = Aabb2::new(point![2.0, 1.0], point![4.0, 3.0]);
        assert!(a.overlaps(&b));
        assert_eq!(a.penetration(&b), vector![0.0, 1.0]);
        assert_eq!(a.penetration(&Aabb2::new(point![2.5, 1.0], point![4.0, 3.0])), vector![0.0, 0.0]);
    }

    #[test]
    fn an_empty_box_adds_nothing() {
        let a = Aabb3::new(point![0.0_f32, 0.0, 0.0], point![1.0, 1.0, 1.0]);
        assert!(Aabb3::<f32>::empty().is_empty());
        assert_eq!(Aabb3::empty().union(&a), a);
        assert!(!Aabb3::empty().overlaps(&a));
    }

    #[test]
    fn the_closest_point_is_clamped() {
        let a = Aabb3::new(point![0.0, 0.0, 0.0], point![1.0, 1.0, 1.0]);
        assert_eq!(a.closest_point(&point![2.0, 0.5, -3.0]), point![1.0, 0.5, 0.0]);
    }
}

//! [`Segment`]: the closest point of a line between two ends.

use nalgebra::{Point, SVector};

use crate::real::Real;

/// A closed line between two points, which may be one and the same.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Segment<T: Real, const D: usize> {
    /// First end.
    pub from: Point<T, D>,
    /// Second end.
    pub to: Point<T, D>,
}

impl<T: Real, const D: usize> Segment<T, D> {
    /// The segment between two points.
    pub fn new(from: Point<T, D>, to: Point<T, D>) -> Self {
        Self { from, to }
    }

    /// From the first end to the second.
    pub fn axis(&self) -> SVector<T, D> {
        self.to - self.from
    }

    /// Where on the segment it is nearest to `point`: 0 at `from`, 1 at `to`; 0 where the ends are one point.
    pub fn closest_fraction(&self, point: &Point<T, D>) -> T {
        let axis = self.axis();
        let length_squared = axis.norm_squared();
        if length_squared == T::zero() {
            return T::zero();
        }
        // Measured from the nearer end, so that a far end does not cost precision.
        let (from, to) = (point - self.from, point - self.to);
        let fraction = if from.norm_squared() <= to.norm_squared() {
            from.dot(&axis) / length_squared
        } else {
            T::one() + to.dot(&axis) / length_squared
        };
        fraction.clamp(T::zero(), T::one())
    }

    /// The point of the segment at a fraction, exactly the ends at 0 and 1.
    pub fn at(&self, fraction: T) -> Point<T, D> {
        if fraction == T::one() { self.to } else { self.from + self.axis() * fraction }
    }

    /// The point of the segment that is nearest to `point`.
    pub fn closest_point(&self, point: &Point<T, D>) -> Point<T, D> {
        self.at(self.closest_fraction(point))
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::point;

    use super::*;

    #[test]
    fn beyond_the_ends_the_ends_are_nearest() {
        let segment = Segment::new(point![0.0, 0.0], point![4.0, 0.0]);
        assert_eq!(segment.closest_point(&point![-1.0, 3.0]), segment.from);
        assert_eq!(segment.closest_point(&point![9.0, 3.0]), segment.to);
        assert_eq!(segment.closest_point(&point![1.0, 3.0]), point![1.0, 0.0]);
        let dot = Segment::new(point![1.0, 1.0], point![1.0, 1.0]);
        assert_eq!(dot.closest_point(&point![5.0, 5.0]), dot.from);
    }
}

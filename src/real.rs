//! The scalar of stored data: [`Real`], which is `f32` or `f64`.
//!
//! Meshes, poses, states and results are stored in the user's scalar; every computation that leads to an answer runs
//! in `f64`. An `f32` converts to `f64` without loss, so an `f32` world gets answers that are exact to the last
//! rounding, 10 km from the origin as well as at it, for the price of a few conversions: the wide `f32` code that
//! looks at most of the data only rejects.

use nalgebra::{Point3, Vector3};

/// A scalar in which data are stored: `f32` or `f64`.
///
/// Sealed: the error bounds of this crate are stated for these two only.
pub trait Real: nalgebra::RealField + Copy + Default + private::Sealed {
    /// Half the distance from 1 to the next number: the largest relative error of one rounding.
    const ROUNDING: f64;

    /// A motion of length `m` enters a plane when it goes deeper than `INTRUSION · m`; below, it slides along.
    ///
    /// One constant for the sweep and for [`clip`](crate::character::clip), so that a motion which was clipped
    /// against a plane does not hit the same plane again. It is about 64 roundings: what a motion that was computed
    /// in this scalar may be off by.
    const INTRUSION: f64;

    /// Whether this is `f32`, in which the tree's own copies of the vertices are stored.
    #[doc(hidden)]
    const IS_F32: bool;

    /// The nearest number of this scalar.
    fn nearest(x: f64) -> Self;

    /// The same number as an `f64`, exactly.
    fn to_f64(self) -> f64;
}

impl Real for f32 {
    const IS_F32: bool = true;
    const ROUNDING: f64 = f32::EPSILON as f64 / 2.0;
    const INTRUSION: f64 = 64.0 * Self::ROUNDING;

    #[inline]
    fn nearest(x: f64) -> Self {
        x as f32
    }

    #[inline]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

impl Real for f64 {
    const IS_F32: bool = false;
    const ROUNDING: f64 = f64::EPSILON / 2.0;
    const INTRUSION: f64 = 64.0 * Self::ROUNDING;

    #[inline]
    fn nearest(x: f64) -> Self {
        x
    }

    #[inline]
    fn to_f64(self) -> f64 {
        self
    }
}

mod private {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// The point in `f64`, exactly.
pub(crate) fn widen_point<T: Real>(point: &Point3<T>) -> Point3<f64> {
    point.map(Real::to_f64)
}

/// The vector in `f64`, exactly.
pub(crate) fn widen<T: Real>(vector: &Vector3<T>) -> Vector3<f64> {
    vector.map(Real::to_f64)
}

/// The nearest point in the user's scalar.
pub(crate) fn narrow_point<T: Real>(point: &Point3<f64>) -> Point3<T> {
    point.map(T::nearest)
}

/// The nearest vector in the user's scalar.
pub(crate) fn narrow<T: Real>(vector: &Vector3<f64>) -> Vector3<T> {
    vector.map(T::nearest)
}

/// Lengths by the processor's own square root and comparisons. nalgebra calls a function for the root, which gives the same
/// bits and takes longer than all else that is done with a vector, and looks for NaN in each comparison.
pub(crate) trait Length {
    /// The Euclidean length.
    fn length(&self) -> f64;

    /// The vector divided by its length.
    fn unit(&self) -> Self;

    /// The largest coordinate, without its sign; NaN does not count.
    fn largest(&self) -> f64;
}

impl Length for Vector3<f64> {
    #[inline(always)]
    fn length(&self) -> f64 {
        (self.x * self.x + self.y * self.y + self.z * self.z).sqrt()
    }

    #[inline(always)]
    fn unit(&self) -> Self {
        self / self.length()
    }

    #[inline(always)]
    fn largest(&self) -> f64 {
        let (x, y, z) = (self.x.abs(), self.y.abs(), self.z.abs());
        larger(larger(z, y), x)
    }
}

/// The smaller of two numbers; the first if one of them is NaN.
#[inline(always)]
pub(crate) fn smaller(a: f64, b: f64) -> f64 {
    if b < a { b } else { a }
}

/// The larger of two numbers; the first if one of them is NaN.
#[inline(always)]
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

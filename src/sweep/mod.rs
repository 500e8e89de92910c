//! A moving ellipsoid against triangles: [`Sweep`] is the question, [`Contact`] the answer.
//!
//! # Theory in one page
//! The linear map `M` of [`EllipsoidSpace`] makes the ellipsoid the unit sphere and its centre the origin. There the
//! sphere's centre moves along `t · motion`, and contact is where its distance to the triangle first is 1. The set of
//! points at distance 1 from a triangle has seven parts, and the path can enter it through any of them:
//!
//! ```text
//!            vertex c                    plane:    height over the triangle's plane is 1
//!               ╱╲                       edge:     distance to the edge's line is 1 (a cylinder)
//!      edge 2  ╱  ╲  edge 1              vertex:   distance to the corner is 1 (a sphere)
//!             ╱face╲
//!   vertex a ╱______╲ vertex b           Each is one linear or quadratic equation in t.
//!               edge 0
//! ```
//!
//! When the foot of the sphere at the time it reaches the plane lies inside the triangle, nothing is touched earlier.
//! Otherwise the earliest of the edges and vertices counts. After Fauerby (2003), *Improved Collision Detection and
//! Response*, with the root of the quadratics taken from the closest approach (no cancellation), overlaps at the start
//! decided first, and normals carried back as covectors. Everything here computes in `f64`.
//!
//! # Error bound
//! Inputs are taken as exact. The distance of first contact is off by at most
//! `32 ε · (|motion| + L · ρ) / c + ½ u · distance`, where `ε = 2⁻⁵³`, `L` is the largest distance from the start to a
//! vertex of the triangle hit, `ρ` the ratio of the largest to the smallest semi-axis, `c` the cosine between the motion
//! and the contact normal in unit space, and `u` the spacing of the user's scalar (`2⁻²³` for `f32`, `2⁻⁵²` for
//! `f64`) by which the answer is rounded. A grazing contact (`c → 0`) is a question that no finite arithmetic can answer;
//! there the gap at the reported time is within the bound. The tests hold this bound against reference values
//! of 77 digits.

mod closest;
pub(crate) mod ellipsoid_pair;
mod list;
pub(crate) mod packed;
pub(crate) mod packet;
#[cfg(test)]
mod random;
pub(crate) mod triangle;
pub(crate) mod wide_sweep;

use nalgebra::{Point3, Unit, Vector3};

pub use self::ellipsoid_pair::{EllipsoidContact, EllipsoidDistance, ellipsoid_distance, sweep_ellipsoid};
pub use self::list::TriangleList;
use self::triangle::{UnitContact, UnitTriangle, sweep_unit_sphere};
use crate::{
    input_error::{InputError, bounded, bounded_point},
    mesh::Sides,
    real::{Length, Real, narrow, narrow_point, widen, widen_point},
    shape::{Aabb3, Ellipsoid, EllipsoidSpace, Feature, Triangle},
    wide::{Simd, SimdLevel, dispatch},
};

/// What a sweep does with triangles that the body overlaps at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum StartOverlap {
    /// Report them, at fraction 0 with their depth.
    #[default]
    Report,
    /// Ignore those that the motion leaves, and stop at fraction 0 at those that it would deepen. So a body that starts
    /// inside something can always get out.
    LetLeave,
}

/// The motion of an ellipsoid along a straight line, checked once.
#[derive(Debug, Clone, Copy, PartialEq)]
#[doc(alias = "shape_cast")]
pub struct Sweep {
    pub(crate) space: EllipsoidSpace,
    pub(crate) start: Point3<f64>,
    pub(crate) motion: Vector3<f64>,
    /// The motion in unit space.
    pub(crate) unit_motion: Vector3<f64>,
    pub(crate) start_overlap: StartOverlap,
    /// The least approach, as a share of the motion, that enters a surface; see [`Real::INTRUSION`].
    pub(crate) intrusion: f64,
    /// One-way triangles that the body overlaps deeper at the start, in metres, do not stop a character: it is on its way through.
    pub(crate) passes_deeper_than: f64,
    /// Whether the outer space is that of a mirrored instance, in which fronts look like backs.
    pub(crate) is_mirrored: bool,
}

/// Where a moving ellipsoid first touches a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[doc(alias = "time_of_impact")]
pub struct Contact<T: Real> {
    /// Share of the motion that is free, in `0..=1`.
    pub fraction: T,
    /// The way to the contact, in metres.
    pub distance: T,
    /// The point of the triangle that is touched.
    pub point: Point3<T>,
    /// Unit normal of the body's surface at the contact, from the triangle to the body.
    pub normal: Unit<Vector3<T>>,
    /// Unit normal of the triangle itself, on the body's side; the contact normal where the triangle has no area.
    pub surface_normal: Unit<Vector3<T>>,
    /// The part of the triangle that is touched.
    pub feature: Feature,
    /// Weights of the triangle's vertices at the point; they add up to one.
    pub barycentrics: [T; 3],
    /// How deep the body overlaps the triangle at the start, in metres along the normal; `None` if it does not.
    pub overlap: Option<T>,
}

impl<T: Real> Contact<T> {
    /// The same contact in another scalar, each number rounded once.
    pub fn cast<U: Real>(&self) -> Contact<U> {
        Contact {
            fraction: U::nearest(self.fraction.to_f64()),
            distance: U::nearest(self.distance.to_f64()),
            point: narrow_point(&widen_point(&self.point)),
            normal: Unit::new_unchecked(narrow(&widen(&self.normal))),
            surface_normal: Unit::new_unchecked(narrow(&widen(&self.surface_normal))),
            feature: self.feature,
            barycentrics: self.barycentrics.map(|w| U::nearest(w.to_f64())),
            overlap: self.overlap.map(|depth| U::nearest(depth.to_f64())),
        }
    }
}

impl Sweep {
    /// An ellipsoid whose centre moves from `start` by `motion` (metres).
    ///
    /// # Errors
    /// If a number is not finite or beyond [`MAX_COORDINATE`](crate::MAX_COORDINATE).
    #[inline]
    pub fn new<T: Real>(ellipsoid: &Ellipsoid<T>, start: Point3<T>, motion: Vector3<T>) -> Result<Self, InputError> {
        bounded_point(&start, "the start of the sweep")?;
        bounded(&motion, "the motion of the sweep")?;
        Ok(Self::exact(ellipsoid.space(), widen_point(&start), widen(&motion), T::INTRUSION))
    }

    /// A sweep from numbers that are known to be good.
    #[inline]
    pub(crate) fn exact(space: EllipsoidSpace, start: Point3<f64>, motion: Vector3<f64>, intrusion: f64) -> Self {
        let unit_motion = space.enter(&motion);
        Self {
            space,
            start,
            motion,
            unit_motion,
            start_overlap: StartOverlap::Report,
            intrusion,
            passes_deeper_than: f64::INFINITY,
            is_mirrored: false,
        }
    }

    /// The same sweep with another treatment of overlaps at the start.
    pub fn with_start_overlap(self, start_overlap: StartOverlap) -> Self {
        Self { start_overlap, ..self }
    }

    /// Whether a one-way triangle does not stop it: its centre is behind, or it is already deep in it.
    pub(crate) fn is_passing(&self, contact: &UnitContact, triangle: &Triangle<f64>, is_mirrored: bool) -> bool {
        let normal = triangle.scaled_normal() * if is_mirrored { -1.0 } else { 1.0 };
        let depth = || contact.depth.map(|depth| depth / self.space.leave_normal(&contact.normal).1);
        normal.dot(&(self.start - triangle.a)) < 0.0 || depth().is_some_and(|depth| depth > self.passes_deeper_than)
    }

    /// The box around the whole way of the body, and the rounding of its corners.
    #[inline(always)]
    pub(crate) fn bounds(&self) -> Aabb3<f64> {
        let half = self.space.half_extents();
        let mut bounds = Aabb3 { min: self.start, max: self.start };
        let mut farthest = 0.0;
        for axis in 0..3 {
            let (from, to) = (self.start[axis], self.start[axis] + self.motion[axis]);
            let (low, high) = if from < to { (from, to) } else { (to, from) };
            (bounds.min[axis], bounds.max[axis]) = (low - half[axis], high + half[axis]);
            let far = if -low < high { high } else { -low } + half[axis];
            farthest = if far > farthest { far } else { farthest };
        }
        bounds.grow(&Vector3::repeat(8.0 * f64::EPSILON * farthest))
    }

    /// The earliest contact with a triangle within `limit`, still in unit space.
    pub(crate) fn touch(&self, triangle: &Triangle<f64>, sides: Sides, limit: f64) -> Option<UnitContact> {
        dispatch!(SimdLevel::best().0, simd => self.touch_on(simd, triangle, sides, limit))
    }

    /// [`Sweep::touch`] within a query that has chosen its instruction level.
    #[inline(always)]
    pub(crate) fn touch_on<S: Simd>(
        &self,
        simd: S,
        triangle: &Triangle<f64>,
        sides: Sides,
        limit: f64,
    ) -> Option<UnitContact> {
        let seen = UnitTriangle::new(simd, triangle, &self.start, &self.space);
        if sides != Sides::Both && passes_from_behind(&seen.corners(), &self.unit_motion, self.is_mirrored) {
            return None;
        }
        sweep_unit_sphere(&seen, &self.unit_motion, limit, self.start_overlap, self.intrusion)
    }

    /// The contact as seen from outside.
    #[inline(always)]
    pub(crate) fn leave(&self, unit: &UnitContact, triangle: &Triangle<f64>) -> Contact<f64> {
        let (normal, stretch) = self.space.leave_normal(&unit.normal);
        let surface_normal = triangle.unit_normal().map_or(normal, |n| if n.dot(&normal) < 0.0 { -n } else { n });
        Contact {
            fraction: unit.fraction,
            distance: unit.fraction * self.motion.length(),
            point: triangle.at(&unit.barycentrics),
            normal: Unit::new_unchecked(normal),
            surface_normal: Unit::new_unchecked(surface_normal),
            feature: unit.feature,
            barycentrics: unit.barycentrics,
            overlap: unit.depth.map(|depth| depth / stretch),
        }
    }
}

/// Whether a motion goes along the normal of a one-sided triangle, or along its plane from behind.
fn passes_from_behind([a, b, c]: &[Vector3<f64>; 3], motion: &Vector3<f64>, is_mirrored: bool) -> bool {
    let normal = (b - a).cross(&(c - a)) * if is_mirrored { -1.0 } else { 1.0 };
    let approach = normal.dot(motion);
    approach > 0.0 || (approach == 0.0 && normal.dot(a) > 0.0)
}

/// First contact of a moving ellipsoid with a triangle, solid from both sides.
///
/// # Edge cases
/// - Overlap at the start: fraction 0, with the depth in [`Contact::overlap`]; [`StartOverlap::LetLeave`] keeps only
///   overlaps that the motion deepens. The normal then points from the closest point to the centre; where the centre is
///   on the triangle, it is the triangle's normal turned against the motion.
/// - Touching at the start: a contact at 0 if the motion approaches, none if it leaves or runs parallel.
/// - A triangle without area is the segment or the point that it is.
/// - Zero motion finds only an overlap at the start.
///
/// # Example
/// ```
/// # use nalgebra::{point, vector};
/// use sidle::{Ellipsoid, Triangle, sweep::{Sweep, sweep_triangle}};
///
/// let floor = Triangle::new(point![-9.0, 0.0, -9.0], point![0.0, 0.0, 9.0], point![9.0, 0.0, -9.0]);
/// let body = Ellipsoid::new(vector![0.4, 0.9, 0.4])?;
/// let fall = Sweep::new(&body, point![0.0, 2.9, 0.0], vector![0.0, -4.0, 0.0])?;
/// let contact = sweep_triangle(&fall, &floor).expect("it falls on the floor");
/// assert_eq!((contact.fraction, contact.distance), (0.5, 2.0)); // lands with its lowest point
/// assert_eq!(contact.point, point![0.0, 0.0, 0.0]);
/// # Ok::<(), sidle::InputError>(())
/// ```
pub fn sweep_triangle<T: Real>(sweep: &Sweep, triangle: &Triangle<T>) -> Option<Contact<T>> {
    let triangle = triangle.widen();
    sweep.touch(&triangle, Sides::Both, 1.0).map(|unit| sweep.leave(&unit, &triangle).cast())
}

//! [`Ray`] against a box, in any dimension, and against a triangle.

use nalgebra::{Point, Point3, SVector, Unit, Vector3};

use super::{Aabb, Triangle};
use crate::{
    input_error::{InputError, bounded, bounded_point},
    real::{Length, Real, narrow, widen, widen_point},
};

/// A half-line: the points `origin + t · direction` with `t ≥ 0`.
///
/// The direction may have any length; with a unit vector `t` is the distance in metres.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "Unchecked<T, D>"))]
#[doc(alias = "raycast")]
pub struct Ray<T: Real, const D: usize> {
    origin: Point<T, D>,
    direction: SVector<T, D>,
}

/// A ray in the plane.
pub type Ray2<T> = Ray<T, 2>;
/// A ray in space.
pub type Ray3<T> = Ray<T, 3>;

/// Where a ray goes through a box.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SlabHit<T: Real, const D: usize> {
    /// Parameter at which the ray enters; zero if it starts inside.
    pub enter: T,
    /// Parameter at which the ray leaves.
    pub exit: T,
    /// Outward normal of the face through which the ray enters; `None` if it starts strictly inside. Where it enters
    /// through an edge or a corner, the first axis of those that tie.
    pub normal: Option<SVector<T, D>>,
}

/// Where a ray meets a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TriangleRayHit<T: Real> {
    /// Parameter along the ray.
    pub t: T,
    /// Weights of the three vertices; they add up to one.
    pub barycentrics: [T; 3],
    /// Unit normal of the triangle, on the side from which the ray comes.
    pub normal: Unit<Vector3<T>>,
    /// Whether the ray comes from the side on which the vertices run counter-clockwise.
    pub is_front: bool,
}

impl<T: Real, const D: usize> Ray<T, D> {
    /// A ray from `origin` along `direction`.
    ///
    /// # Errors
    /// If a number is not finite or beyond [`MAX_COORDINATE`](crate::MAX_COORDINATE), or the direction is zero.
    pub fn new(origin: Point<T, D>, direction: SVector<T, D>) -> Result<Self, InputError> {
        bounded_point(&origin, "the ray's origin")?;
        bounded(&direction, "the ray's direction")?;
        if direction.iter().all(|x| *x == T::zero()) {
            return Err(InputError::NoDirection { what: "the ray's direction" });
        }
        Ok(Self { origin, direction })
    }

    /// Where the ray begins.
    pub fn origin(&self) -> Point<T, D> {
        self.origin
    }

    /// The direction, as given.
    pub fn direction(&self) -> SVector<T, D> {
        self.direction
    }

    /// The point at a parameter.
    pub fn at(&self, t: T) -> Point<T, D> {
        self.origin + self.direction * t
    }

    /// Where the ray goes through a closed box, by slabs (Kay and Kajiya 1986).
    ///
    /// A box behind the ray is no hit, touching is one. Where a component of the direction is zero, the origin has to
    /// be between the two faces of that axis, or on one of them.
    ///
    /// ```
    /// # use nalgebra::{point, vector};
    /// # use sidle::{Aabb2, Ray2};
    /// let bounds = Aabb2::new(point![-1.0, -1.0], point![1.0, 1.0]);
    /// let hit = Ray2::new(point![-3.0, 0.0], vector![1.0, 0.0])?.cast_box(&bounds).unwrap();
    /// assert_eq!((hit.enter, hit.exit), (2.0, 4.0));
    /// assert_eq!(hit.normal, Some(vector![-1.0, 0.0]));
    /// # Ok::<(), sidle::InputError>(())
    /// ```
    pub fn cast_box(&self, bounds: &Aabb<T, D>) -> Option<SlabHit<T, D>> {
        let bounds = Aabb { min: bounds.min.map(T::to_f64), max: bounds.max.map(T::to_f64) };
        let (enter, exit, normal) = slab(&self.origin.map(T::to_f64), &self.direction.map(T::to_f64), &bounds)?;
        let normal = normal.map(|normal| normal.map(T::nearest));
        Some(SlabHit { enter: T::nearest(enter), exit: T::nearest(exit), normal })
    }
}

/// The body of [`Ray::cast_box`]: entry, exit and normal of the entry.
pub(crate) fn slab<const D: usize>(
    origin: &Point<f64, D>,
    direction: &SVector<f64, D>,
    bounds: &Aabb<f64, D>,
) -> Option<(f64, f64, Option<SVector<f64, D>>)> {
    let (mut enter, mut exit, mut axis_entered) = (f64::NEG_INFINITY, f64::INFINITY, None);
    let mut starts_inside = true;
    for axis in 0..D {
        let (low, high) = (bounds.min[axis], bounds.max[axis]);
        let (origin, speed) = (origin[axis], direction[axis]);
        starts_inside &= low < origin && origin < high;
        if speed == 0.0 {
            if !(low <= origin && origin <= high) {
                return None;
            }
            continue;
        }
        let (near, far) = if speed > 0.0 { (low, high) } else { (high, low) };
        let near = (near - origin) / speed;
        if near > enter {
            (enter, axis_entered) = (near, Some(axis));
        }
        exit = exit.min((far - origin) / speed);
    }
    if enter > exit || exit < 0.0 {
        return None;
    }
    let normal = axis_entered.filter(|_| !starts_inside && enter >= 0.0).map(|axis| {
        let mut normal = SVector::zeros();
        normal[axis] = -direction[axis].signum();
        normal
    });
    Some((enter.max(0.0), exit, normal))
}

impl<T: Real> Ray<T, 3> {
    /// Where the ray meets a triangle, from either side.
    ///
    /// The three signed volumes that the ray spans with the edges decide (Plücker coordinates; Jones 2000). Two
    /// triangles that share an edge compute the same volume for it with opposite signs, so that no ray slips between
    /// them. Edges and vertices count; a ray in the triangle's plane, and a triangle without area, give `None`.
    pub fn cast_triangle(&self, triangle: &Triangle<T>) -> Option<TriangleRayHit<T>> {
        let hit = cast_triangle(&widen_point(&self.origin), &widen(&self.direction), &triangle.widen())?;
        Some(TriangleRayHit {
            t: T::nearest(hit.t),
            barycentrics: hit.barycentrics.map(T::nearest),
            normal: Unit::new_unchecked(narrow(&hit.normal)),
            is_front: hit.is_front,
        })
    }
}

/// [`TriangleRayHit`] before rounding.
pub(crate) struct ExactRayHit {
    pub(crate) t: f64,
    pub(crate) barycentrics: [f64; 3],
    pub(crate) normal: Vector3<f64>,
    pub(crate) is_front: bool,
}

/// The body of [`Ray::cast_triangle`], in `f64`.
pub(crate) fn cast_triangle(
    origin: &Point3<f64>,
    direction: &Vector3<f64>,
    triangle: &Triangle<f64>,
) -> Option<ExactRayHit> {
    let [a, b, c] = [triangle.a - origin, triangle.b - origin, triangle.c - origin];
    // Edge times twice its middle, after Embree: the same with the opposite sign for the triangle on the other side, and
    // unlike the product of both ends exact enough for a triangle that is much smaller than its distance.
    let volume = |edge: Vector3<f64>, ends: Vector3<f64>| 0.5 * direction.dot(&edge.cross(&ends));
    let volumes = [
        volume(triangle.b - triangle.c, b + c),
        volume(triangle.c - triangle.a, c + a),
        volume(triangle.a - triangle.b, a + b),
    ];
    if volumes.iter().any(|v| *v < 0.0) && volumes.iter().any(|v| *v > 0.0) {
        return None;
    }
    let sum: f64 = volumes.iter().sum();
    if sum == 0.0 || !sum.is_finite() {
        return None;
    }
    let barycentrics = volumes.map(|v| v / sum);
    let normal = triangle.scaled_normal();
    // The plane through the vertex of largest weight: the others add rounding, not information.
    let anchor = if barycentrics[0] >= barycentrics[1] && barycentrics[0] >= barycentrics[2] {
        a
    } else if barycentrics[1] >= barycentrics[2] {
        b
    } else {
        c
    };
    let t = normal.dot(&anchor) / normal.dot(direction);
    if !(t >= 0.0 && t.is_finite()) {
        return None;
    }
    let is_front = normal.dot(direction) < 0.0;
    let normal = normal.unit() * if is_front { 1.0 } else { -1.0 };
    Some(ExactRayHit { t, barycentrics, normal, is_front })
}

/// What a file holds, before it is checked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Unchecked<T: Real, const D: usize> {
    origin: Point<T, D>,
    direction: SVector<T, D>,
}

#[cfg(feature = "serde")]
impl<T: Real, const D: usize> TryFrom<Unchecked<T, D>> for Ray<T, D> {
    type Error = InputError;

    fn try_from(Unchecked { origin, direction }: Unchecked<T, D>) -> Result<Self, InputError> {
        Self::new(origin, direction)
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{point, vector};

    use super::*;

    #[test]
    fn a_box_behind_the_ray_is_no_hit() {
        let bounds = Aabb::new(point![-1.0, -1.0], point![1.0, 1.0]);
        let away = Ray::new(point![2.0, 0.0], vector![1.0, 0.0]).expect("finite");
        assert_eq!(away.cast_box(&bounds), None);
        let inside = Ray::new(point![0.0, 0.0], vector![1.0, -0.0]).expect("finite").cast_box(&bounds);
        assert_eq!(inside, Some(SlabHit { enter: 0.0, exit: 1.0, normal: None }));
    }

    #[test]
    fn both_sides_of_a_triangle_are_hit() {
        let triangle = Triangle::new(point![0.0_f32, 0.0, 0.0], point![1.0, 0.0, 0.0], point![0.0, 1.0, 0.0]);
        for (z, is_front) in [(2.0_f32, true), (-2.0, false)] {
            let ray = Ray::new(point![0.25, 0.25, z], vector![0.0, 0.0, -z]).expect("finite");
            let hit = ray.cast_triangle(&triangle).expect("the ray goes through the middle");
            assert_eq!((hit.t, hit.is_front), (1.0, is_front));
            assert_eq!(hit.normal.z, z.signum());
            assert_eq!(hit.barycentrics, [0.5, 0.25, 0.25]);
        }
    }
}

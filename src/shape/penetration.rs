//! [`Penetration`]: the answer of a static overlap test; and that of an ellipsoid with a triangle.

use nalgebra::{Point3, SVector, Unit, Vector3};

use super::{Ellipsoid, Feature, Triangle};
use crate::{
    input_error::{InputError, bounded_point},
    real::{Length, Real, narrow, narrow_point, widen_point},
};

/// How to part two shapes that overlap.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Penetration<T: Real, const D: usize> {
    /// Unit vector along which one of the shapes has to move; each test says which.
    pub normal: Unit<SVector<T, D>>,
    /// How far it has to move, in metres.
    pub depth: T,
}

/// Where and how deep an ellipsoid overlaps a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EllipsoidPenetration<T: Real> {
    /// Direction and length of a move of the ellipsoid that parts them: exact where the triangle's face is nearest, an
    /// upper bound of the shortest such move elsewhere.
    pub penetration: Penetration<T, 3>,
    /// The point of the triangle that lies deepest in the ellipsoid, in the world.
    pub point: Point3<T>,
    /// Distance of that point from the centre in ellipsoid space, in `0..1`.
    pub unit_distance: T,
    /// The part of the triangle on which the point lies.
    pub feature: Feature,
}

/// Whether an ellipsoid at `center` overlaps a triangle, and how to part them.
///
/// The closest point of the triangle is taken in ellipsoid space, where the body is the unit sphere; a distance `d < 1`
/// is an overlap. The normal is the world's, `∝ Aᵀ g`, and the depth is `(1 − d) / |Aᵀ g|`. Touching is no overlap. Where
/// the centre lies on the triangle, the triangle's own normal is taken, and `+Y` if it has no area.
///
/// # Errors
/// If the centre is not finite or beyond [`MAX_COORDINATE`](crate::MAX_COORDINATE).
///
/// ```
/// # use nalgebra::{point, vector};
/// # use sidle::{Ellipsoid, Triangle, shape::ellipsoid_triangle};
/// let body = Ellipsoid::new(vector![0.4, 0.9, 0.4])?;
/// let floor = Triangle::new(point![-9.0, 0.0, -9.0], point![0.0, 0.0, 9.0], point![9.0, 0.0, -9.0]);
/// let overlap = ellipsoid_triangle(&body, point![0.0, 0.85, 0.0], &floor)?.expect("5 cm in the floor");
/// assert!((overlap.penetration.depth - 0.05_f64).abs() < 1e-12);
/// # Ok::<(), sidle::InputError>(())
/// ```
pub fn ellipsoid_triangle<T: Real>(
    ellipsoid: &Ellipsoid<T>,
    center: Point3<T>,
    triangle: &Triangle<T>,
) -> Result<Option<EllipsoidPenetration<T>>, InputError> {
    bounded_point(&center, "the ellipsoid's centre")?;
    let space = ellipsoid.space();
    let center = widen_point(&center);
    let wide = triangle.widen();
    let in_unit = Triangle::new(
        Point3::from(space.enter(&(wide.a - center))),
        Point3::from(space.enter(&(wide.b - center))),
        Point3::from(space.enter(&(wide.c - center))),
    );
    let closest = in_unit.closest_point(&Point3::origin());
    let distance = closest.point.coords.length();
    if distance >= 1.0 {
        return Ok(None);
    }
    let unit_normal = if distance > 0.0 {
        -closest.point.coords / distance
    } else {
        in_unit.normal().map_or_else(|| space.enter(&Vector3::y()).unit(), Unit::into_inner)
    };
    let (normal, stretch) = space.leave_normal(&unit_normal);
    Ok(Some(EllipsoidPenetration {
        penetration: Penetration {
            normal: Unit::new_unchecked(narrow(&normal)),
            depth: T::nearest((1.0 - distance) / stretch),
        },
        point: narrow_point(&(center + space.leave(&closest.point.coords))),
        unit_distance: T::nearest(distance),
        feature: closest.feature,
    }))
}

//! The exact kernel: first contact of the moving unit sphere with one triangle.
//!
//! All points are in unit space and relative to the sphere's centre at the start, which therefore is the origin.

mod border;
mod face;

use nalgebra::{Matrix3, Point3, Vector3};

use self::{
    border::sweep_border,
    face::{sink, sweep_face},
};
use super::{
    StartOverlap,
    closest::{WideVector64, closest_to_origin, corners, next, scaled_normal},
};
use crate::{
    real::{Length, larger},
    shape::{EllipsoidSpace, Feature, Triangle},
    wide::{Simd, WideVector, f64x4, prelude::*},
};

/// A triangle seen in unit space, relative to the centre at the start: one lane for each vertex and the edge from it to the
/// next one; the fourth repeats the first.
///
/// The vertices are rounded by their distance from the centre, which would turn a small triangle. So the normal and the
/// edges come from differences of the vertices outside, which do not know of the centre. Two triangles with a common
/// edge see it the same, up to the sign.
pub(crate) struct UnitTriangle<S: Simd> {
    vertices: WideVector64<S>,
    edges: WideVector64<S>,
    /// The normal, of any length and either side; zero without area.
    pub(crate) scaled_normal: Vector3<f64>,
}

impl<S: Simd> UnitTriangle<S> {
    /// Takes a triangle to the unit space around `center`.
    #[inline(always)]
    pub(crate) fn new(simd: S, outside: &Triangle<f64>, center: &Point3<f64>, space: &EllipsoidSpace) -> Self {
        let Triangle { a, b, c } = outside;
        let from = of_points(simd, [a, b, c, a]);
        let edges = of_points(simd, [b, c, a, b]).minus(from);
        let normal = scaled_normal(edges);
        let vertices = from.minus(splat(simd, &center.coords));
        let to_unit = space.unit_rows();
        Self {
            vertices: mapped(vertices, to_unit),
            edges: mapped(edges, to_unit),
            scaled_normal: space.enter_normal(&normal),
        }
    }

    /// The largest coordinate of the corners, without its sign.
    #[inline(always)]
    fn largest(&self) -> f64 {
        let WideVector { x, y, z } = self.vertices;
        let [a, b, c, _] = x.abs().max(y.abs()).max(z.abs()).to_array();
        larger(larger(a, b), c)
    }

    /// The corners.
    #[inline(always)]
    pub(crate) fn corners(&self) -> [Vector3<f64>; 3] {
        corners(self.vertices)
    }
}

/// A contact in unit space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct UnitContact {
    /// Share of the motion.
    pub(crate) fraction: f64,
    /// The part of the triangle that is touched.
    pub(crate) feature: Feature,
    /// Where on the triangle.
    pub(crate) barycentrics: [f64; 3],
    /// From the triangle to the centre at the contact, of length 1.
    pub(crate) normal: Vector3<f64>,
    /// How deep the sphere overlaps the triangle at the start, if it does.
    pub(crate) depth: Option<f64>,
}

impl UnitContact {
    /// Whether this contact counts before another one: the earlier, of overlaps at the start the deeper.
    ///
    /// Equal contacts are left to the ids of their triangles.
    #[inline(always)]
    pub(crate) fn is_before(&self, other: &Self) -> bool {
        self.fraction < other.fraction
            || (self.fraction == other.fraction && self.depth.unwrap_or(0.0) > other.depth.unwrap_or(0.0))
    }

    /// Whether two contacts come at the same time and depth.
    pub(crate) fn ties_with(&self, other: &Self) -> bool {
        self.fraction == other.fraction && self.depth.unwrap_or(0.0) == other.depth.unwrap_or(0.0)
    }
}

/// A distance of 1 is known no better than this many roundings of the largest coordinate involved.
const TOUCHING: f64 = 8.0 * f64::EPSILON;

/// Where the sphere reaches less far than this from its centre, it pays to ask whether that is as far as the border.
const MUCH: f64 = 1.5;

/// First contact of the unit sphere, moving from the origin by `motion`, within `limit` of the motion.
#[inline(always)]
pub(crate) fn sweep_unit_sphere<S: Simd>(
    seen: &UnitTriangle<S>,
    motion: &Vector3<f64>,
    limit: f64,
    start_overlap: StartOverlap,
    intrusion: f64,
) -> Option<UnitContact> {
    let (vertices, scaled_normal) = (&seen.corners(), seen.scaled_normal);
    let nearest_vertex = nearest(vertices);
    let size = larger(seen.largest(), 1.0);
    let slack = TOUCHING * size;

    // The side of the centre: its height over the plane is not negative. Both are still as long as the scaled normal.
    let height = -scaled_normal.dot(nearest_vertex);
    let (scaled, height) = if height < 0.0 { (-scaled_normal, -height) } else { (scaled_normal, height) };
    let length_squared = scaled.norm_squared();
    let is_clear = height * height > (1.0 + slack) * (1.0 + slack) * length_squared;
    if length_squared > 0.0 && height * height >= (1.0 - slack) * (1.0 - slack) * length_squared {
        // Apart from the plane or touching it, and not on the way into it. Most triangles end here, without a root: those that
        // are passed by, and of the ground that is walked on those that are stood on.
        let approach = -scaled.dot(motion);
        let rounding = slack * slack * motion.norm_squared() * length_squared;
        if approach <= 0.0 || (!is_clear && approach * approach <= rounding) {
            return None;
        }
    }
    let length = length_squared.sqrt();
    let plane = (length > 0.0).then(|| (scaled / length, height / length));
    if let Some((normal, height)) = plane
        && is_clear
    {
        if height - 1.0 > -normal.dot(motion) * limit + slack {
            return None;
        }
    } else if is_near(seen, scaled_normal, (1.0 + slack) * (1.0 + slack)) {
        let closest = closest_to_origin(seen.vertices);
        if closest.distance <= 1.0 + slack {
            // Over a face the closest point is known no better than the triangle is large; its plane's normal is exact.
            let normal = match plane {
                Some((normal, height)) if closest.feature == Feature::Face && height > 0.0 => normal,
                _ if closest.distance > 0.0 => -closest.point.coords / closest.distance,
                _ => normal_at_center(plane.map(|(normal, _)| normal), motion),
            };
            // At a far end of a long edge the direction is rounded by more than the motion is.
            let approaches = normal.dot(motion) < -intrusion.max(slack) * motion.length();
            let overlaps = closest.distance < 1.0 - slack;
            let reported = match start_overlap {
                StartOverlap::Report => overlaps || approaches,
                StartOverlap::LetLeave => approaches,
            };
            // The distance to a convex set is convex in time: where it does not fall now, it never does.
            return reported.then_some(UnitContact {
                fraction: 0.0,
                feature: closest.feature,
                barycentrics: closest.barycentrics,
                normal,
                depth: overlaps.then_some(1.0 - closest.distance),
            });
        }
    } else if limit <= 0.0 {
        return None; // it does not touch now, and later does not count
    }
    if let Some((normal, height)) = plane
        && let Some(contact) = sweep_face(seen, motion, &normal, height, size)
    {
        return (contact.fraction <= limit).then_some(contact);
    }
    let reach = 1.0 + slack + limit * motion.length();
    if reach < MUCH && !is_near(seen, scaled_normal, reach * reach) {
        return None;
    }
    let mut best = sweep_border(seen, motion, slack);
    if let Some((normal, height)) = plane
        && is_clear
    {
        let until = best.map_or(1.0, |contact| contact.fraction);
        best = sink(vertices, motion, &normal, height, until, size).or(best);
    }
    best.filter(|contact| contact.fraction <= limit)
}

/// Whether the triangle may come nearer to the centre than a squared distance; false only where it certainly does not.
#[inline(always)]
fn is_near<S: Simd>(seen: &UnitTriangle<S>, normal: Vector3<f64>, distance_squared: f64) -> bool {
    let simd = seen.vertices.x.token();
    let (zero, one) = (f64x4::simd_from(simd, 0.0), f64x4::simd_from(simd, 1.0));
    let (from, axis) = (seen.vertices, seen.edges);
    let length_squared = axis.dot(axis);
    let share = (zero - from.dot(axis) / length_squared).max(zero).min(one);
    let share = zero.simd_lt(length_squared).select(share, zero);
    let nearest = from.plus(axis.times(share));
    // A billionth is far more than all of this rounds by.
    let is_border_far = f64x4::simd_from(simd, distance_squared * (1.0 + 1e-9)).simd_lt(nearest.dot(nearest));
    // Over the face the feet on the three edges do not tell.
    let areas = from.plus(next(from)).cross(axis).dot(splat(simd, &normal)).to_array();
    let is_over_face = (areas[0] >= 0.0 && areas[1] >= 0.0 && areas[2] >= 0.0)
        || (areas[0] <= 0.0 && areas[1] <= 0.0 && areas[2] <= 0.0);
    is_over_face || is_border_far.to_bitmask() & 0b111 != 0b111
}

/// The normal of an overlap whose closest point is the centre itself: the triangle's, turned against the motion.
fn normal_at_center(face: Option<Vector3<f64>>, motion: &Vector3<f64>) -> Vector3<f64> {
    let against_motion = -motion.unit();
    match face {
        Some(normal) if normal.dot(motion) > 0.0 => -normal,
        Some(normal) => normal,
        None if against_motion.iter().all(|x| x.is_finite()) => against_motion,
        None => Vector3::y(),
    }
}

#[inline(always)]
fn nearest(vertices: &[Vector3<f64>; 3]) -> &Vector3<f64> {
    let [a, b, c] = vertices;
    let distances = [a.norm_squared(), b.norm_squared(), c.norm_squared()];
    if distances[0] <= distances[1] && distances[0] <= distances[2] {
        a
    } else if distances[1] <= distances[2] {
        b
    } else {
        c
    }
}

#[inline(always)]
fn splat<S: Simd>(simd: S, v: &Vector3<f64>) -> WideVector64<S> {
    WideVector { x: f64x4::simd_from(simd, v.x), y: f64x4::simd_from(simd, v.y), z: f64x4::simd_from(simd, v.z) }
}

#[inline(always)]
fn of_points<S: Simd>(simd: S, [a, b, c, d]: [&Point3<f64>; 4]) -> WideVector64<S> {
    WideVector {
        x: f64x4::simd_from(simd, [a.x, b.x, c.x, d.x]),
        y: f64x4::simd_from(simd, [a.y, b.y, c.y, d.y]),
        z: f64x4::simd_from(simd, [a.z, b.z, c.z, d.z]),
    }
}

#[inline(always)]
fn mapped<S: Simd>(WideVector { x, y, z }: WideVector64<S>, m: &Matrix3<f64>) -> WideVector64<S> {
    WideVector {
        x: x * m[(0, 0)] + y * m[(0, 1)] + z * m[(0, 2)],
        y: x * m[(1, 0)] + y * m[(1, 1)] + z * m[(1, 2)],
        z: x * m[(2, 0)] + y * m[(2, 1)] + z * m[(2, 2)],
    }
}

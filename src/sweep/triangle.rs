//! The exact kernel: first contact of the moving unit sphere with one triangle.
//!
//! All points are in unit space and relative to the sphere's centre at the start, which therefore is the origin.

use nalgebra::{Matrix3, Point3, Vector3};

use super::StartOverlap;
use crate::{
    real::{Length, larger},
    shape::{EllipsoidSpace, Feature, Triangle, triangle::FLAT},
    wide::{Simd, WideVector, f64x4, mask64x4, prelude::*, set_bits},
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
        let (x, y, z) = (self.vertices.x.to_array(), self.vertices.y.to_array(), self.vertices.z.to_array());
        [Vector3::new(x[0], y[0], z[0]), Vector3::new(x[1], y[1], z[1]), Vector3::new(x[2], y[2], z[2])]
    }
}

/// [`Triangle::scaled_normal`], from the edges.
#[inline(always)]
fn scaled_normal<S: Simd>(edges: WideVector64<S>) -> Vector3<f64> {
    let lengths = edges.dot(edges).to_array();
    let normals = edges.cross(next(edges));
    // The product of the two edges that are not the longest, and the first of them.
    let is_first = lengths[0] >= lengths[1] && lengths[0] >= lengths[2];
    let first = if is_first {
        1
    } else if lengths[1] >= lengths[2] {
        2
    } else {
        0
    };
    let product = lengths[first] * lengths[first + 1];
    let normal = Vector3::new(normals.x[first], normals.y[first], normals.z[first]);
    if normal.norm_squared() <= FLAT * FLAT * product { Vector3::zeros() } else { normal }
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

/// How far outside of the triangle the foot may be, per rounding, and at most, for a contact of the face. Being outside
/// by `x` changes the distance by `x² / 2`, so that the largest value costs less than a rounding; without it a sphere
/// could pass between the faces of a flat surface that it approaches at a very small angle.
const FOOT_ROUNDING: f64 = 8.0 * f64::EPSILON;
const FOOT_LARGEST: f64 = 1e-8;

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
        let [a, b, c] = vertices.map(Point3::from);
        let closest = Triangle::new(a, b, c).closest_point_f64(&Point3::origin());
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

/// The sphere reaches the plane with the foot of its centre; inside the triangle that is the first contact.
#[inline(always)]
fn sweep_face<S: Simd>(
    seen: &UnitTriangle<S>,
    motion: &Vector3<f64>,
    normal: &Vector3<f64>,
    height: f64,
    size: f64,
) -> Option<UnitContact> {
    let approach = -normal.dot(motion);
    if height < 1.0 || approach <= 0.0 {
        return None; // in the plane already, or never: only the border can be hit
    }
    let simd = seen.vertices.x.token();
    let fraction = (height - 1.0) / approach;
    let foot = motion * fraction - normal;
    let tolerance = foot_rounding(motion, approach, size).min(FOOT_LARGEST);
    // As in `weights_inside`: twice the areas that the foot spans with the edges, each opposite to a vertex.
    let from_foot = seen.vertices.minus(splat(simd, &foot));
    let areas = from_foot.plus(next(from_foot)).cross(seen.edges).dot(splat(simd, normal)) * 0.5;
    let lengths = seen.edges.dot(seen.edges).to_array();
    let areas = areas.to_array();
    let side = (areas[0] + areas[1] + areas[2]).signum();
    let is_inside = |edge: usize| {
        let area = areas[edge] * side;
        area >= 0.0 || area * area <= tolerance * tolerance * lengths[edge]
    };
    if !(is_inside(0) && is_inside(1) && is_inside(2)) {
        return None;
    }
    let [a, b, c] = [(areas[1] * side).max(0.0), (areas[2] * side).max(0.0), (areas[0] * side).max(0.0)];
    let sum = a + b + c;
    let barycentrics = [a / sum, b / sum, c / sum];
    (sum > 0.0).then_some(UnitContact { fraction, feature: Feature::Face, barycentrics, normal: *normal, depth: None })
}

/// What the foot on a plane may be off by: an error of the fraction moves it along the plane, the farther the flatter the
/// approach.
#[inline(always)]
fn foot_rounding(motion: &Vector3<f64>, approach: f64, size: f64) -> f64 {
    FOOT_ROUNDING * size * (1.0 + motion.length() / approach)
}

/// The sphere sinks into the face before it meets the border at `until`, though the face was not met in a way that could
/// be told.
///
/// Where the approach is flatter than the root of a rounding, the foot is known no better than to a multiple of what
/// [`FOOT_LARGEST`] allows, so that both faces at an edge may take it for the other's; and the pass over the edge between
/// them is no deeper than a rounding. But then the centre goes on over one of them, and comes nearer than 1 to it.
fn sink(
    vertices: &[Vector3<f64>; 3],
    motion: &Vector3<f64>,
    normal: &Vector3<f64>,
    height: f64,
    until: f64,
    size: f64,
) -> Option<UnitContact> {
    let approach = -normal.dot(motion);
    let reached = (height - 1.0) / approach;
    // Far from what the foot is allowed to be off by, the face has been met in a way that could be told.
    if !(approach > 0.0 && reached < until) || foot_rounding(motion, approach, size) < FOOT_LARGEST / 64.0 {
        return None;
    }
    let slack = TOUCHING * size;
    // The times at which the centre is on the inner side of each edge, as seen along the normal.
    let [a, b, c] = vertices;
    let scaled = (b - a).cross(&(c - a));
    let side = |from: &Vector3<f64>, to: &Vector3<f64>| {
        let inwards = scaled.cross(&(to - from));
        (-inwards.dot(from), inwards.dot(motion))
    };
    let sides = [side(b, c), side(c, a), side(a, b)];
    let (mut enter, mut exit) = (reached, until);
    for (start, speed) in sides {
        match start {
            _ if speed > 0.0 => enter = enter.max(-start / speed),
            _ if speed < 0.0 => exit = exit.min(-start / speed),
            _ if start < 0.0 => return None,
            _ => {}
        }
    }
    // How deep it is when the centre comes over the face: deeper, and the border was met in earnest or passed far above.
    let comes_in_flush = (enter - reached) * approach <= 4.0 * slack;
    if !(comes_in_flush && enter < exit && (exit - reached) * approach > 4.0 * slack) {
        return None;
    }
    let weights = sides.map(|(start, speed)| (start + speed * enter).max(0.0));
    let sum: f64 = weights.iter().sum();
    let barycentrics = weights.map(|weight| weight / sum);
    Some(UnitContact { fraction: enter, feature: Feature::Face, barycentrics, normal: *normal, depth: None })
}

/// The first of the edges and corners that the sphere meets.
///
/// A corner is met no earlier than an edge that ends in it, where that is met between its ends.
#[inline(always)]
fn sweep_border<S: Simd>(seen: &UnitTriangle<S>, motion: &Vector3<f64>, slack: f64) -> Option<UnitContact> {
    let edges = EdgeTouches::new(seen, motion, slack);
    let (fractions, points) = (edges.fractions.to_array(), edges.points);
    let mut best: Option<BorderTouch> = None;
    let mut is_covered = [false; 3];
    for edge in set_bits(edges.met) {
        (is_covered[edge], is_covered[(edge + 1) % 3]) = (true, true);
        if best.as_ref().is_none_or(|best| fractions[edge] < best.fraction) {
            best = Some(BorderTouch {
                fraction: fractions[edge],
                feature: Feature::Edge(edge as u8),
                along: edges.along[edge],
                point: Vector3::new(points.x[edge], points.y[edge], points.z[edge]),
            });
        }
    }
    if is_covered != [true; 3] {
        let vertices = seen.corners();
        for vertex in 0..3 {
            if !is_covered[vertex]
                && let Some(fraction) = first_touch(&-vertices[vertex], motion, slack)
                && best.as_ref().is_none_or(|best| fraction < best.fraction)
            {
                let feature = Feature::Vertex(vertex as u8);
                best = Some(BorderTouch { fraction, feature, along: 0.0, point: vertices[vertex] });
            }
        }
    }
    best.map(|touch| touch.contact(motion))
}

/// Where and when the infinite cylinders around the edges are met. Seen along its axis, each is a circle and a moving
/// point.
struct EdgeTouches<S: Simd> {
    /// Bit `i` is set where edge `i` is met, between its ends.
    met: u8,
    fractions: f64x4<S>,
    /// How far along the edge, from 0 to 1.
    along: f64x4<S>,
    points: WideVector64<S>,
}

impl<S: Simd> EdgeTouches<S> {
    /// [`first_touch`] for each edge.
    #[inline(always)]
    fn new(seen: &UnitTriangle<S>, motion: &Vector3<f64>, slack: f64) -> Self {
        let simd = seen.vertices.x.token();
        let (zero, one) = (f64x4::simd_from(simd, 0.0), f64x4::simd_from(simd, 1.0));
        let (from, axis) = (seen.vertices, seen.edges);
        let to = next(from);
        let motion = splat(simd, motion);
        let length_squared = axis.dot(axis);
        // From the nearer end: the far one only adds rounding.
        let is_from_nearer = from.dot(from).simd_le(to.dot(to));
        let near = select(is_from_nearer, from, to);
        // What is left of both across the edge.
        let offset = axis.times(near.dot(axis) / length_squared).minus(near);
        let across = motion.minus(axis.times(motion.dot(axis) / length_squared));
        let speed_squared = across.dot(across);
        let nearest = zero - offset.dot(across) / speed_squared;
        let rest = offset.plus(across.times(nearest));
        let half_chord_squared = one - rest.dot(rest);
        let fractions = (nearest - (half_chord_squared.max(zero) / speed_squared).sqrt()).max(zero);
        let from_near = motion.times(fractions).minus(near).dot(axis) / length_squared;
        let along = is_from_nearer.select(from_near, one + from_near);
        let met = zero.simd_lt(length_squared)
            & zero.simd_lt(nearest)
            & f64x4::simd_from(simd, 2.0 * slack).simd_lt(half_chord_squared)
            & zero.simd_le(along)
            & along.simd_le(one);
        Self { met: met.to_bitmask() as u8 & 0b111, fractions, along, points: near.plus(axis.times(from_near)) }
    }
}

/// Where and when the sphere meets an edge or a corner.
struct BorderTouch {
    fraction: f64,
    feature: Feature,
    /// How far along the edge, from 0 to 1.
    along: f64,
    point: Vector3<f64>,
}

impl BorderTouch {
    #[inline(always)]
    fn contact(&self, motion: &Vector3<f64>) -> UnitContact {
        let mut barycentrics = [0.0; 3];
        match self.feature {
            Feature::Edge(edge) => {
                let (from, to) = (edge as usize, (edge as usize + 1) % 3);
                (barycentrics[from], barycentrics[to]) = (1.0 - self.along, self.along);
            }
            Feature::Vertex(vertex) => barycentrics[vertex as usize] = 1.0,
            Feature::Face => {}
        }
        let normal = (motion * self.fraction - self.point).unit();
        UnitContact { fraction: self.fraction, feature: self.feature, barycentrics, normal, depth: None }
    }
}

/// The first time that a point, moving from `offset` by `motion`, comes as near as 1 to the origin.
///
/// Goes through the closest approach: at `t* = −offset·motion / motion·motion` the point is nearest, `rest` away; the
/// first touch is half a chord earlier. Nothing nearly equal is subtracted, unlike in the discriminant `b² − a c`, which
/// is wrong by thousands of roundings on fast motions. A root just below zero is a touch now: losing it to rounding would
/// be a fall through the floor.
///
/// A pass that goes no deeper than `slack` is touching all the way, and not a contact: a body that slides along a wall
/// would else be stopped by each edge inside the wall, for a depth of a rounding.
#[inline(always)]
fn first_touch(offset: &Vector3<f64>, motion: &Vector3<f64>, slack: f64) -> Option<f64> {
    let speed_squared = motion.norm_squared();
    let nearest = -offset.dot(motion) / speed_squared;
    let half_chord_squared = 1.0 - (offset + motion * nearest).norm_squared();
    if !(nearest > 0.0 && half_chord_squared > 2.0 * slack) {
        return None; // leaving, passing by, or (NaN) not moving at all
    }
    Some((nearest - (half_chord_squared / speed_squared).sqrt()).max(0.0))
}

/// Four vectors.
type WideVector64<S> = WideVector<f64x4<S>>;

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
fn select<S: Simd>(mask: mask64x4<S>, a: WideVector64<S>, b: WideVector64<S>) -> WideVector64<S> {
    WideVector { x: mask.select(a.x, b.x), y: mask.select(a.y, b.y), z: mask.select(a.z, b.z) }
}

/// In each of the first three lanes that of the next vertex or edge.
#[inline(always)]
fn next<S: Simd>(v: WideVector64<S>) -> WideVector64<S> {
    WideVector {
        x: v.x.rotate_elements_left::<1>(),
        y: v.y.rotate_elements_left::<1>(),
        z: v.z.rotate_elements_left::<1>(),
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

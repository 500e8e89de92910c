//! [`WideSweep`]: which of eight triangles a moving body, or a ray, can reach, and not before when; rejection only.

use nalgebra::Vector3;

use super::packet::TrianglePacket;
use crate::{
    real::Length,
    shape::EllipsoidSpace,
    wide::{Simd, f32x4, f32x8, prelude::*},
};

/// A moving sphere in unit space, or a ray, ready to be compared with eight triangles at once.
///
/// The frame has its origin at the centre at the start and its z axis along the motion: there the way is a cylinder around
/// that axis. Each comparison gives a *lower bound* of the way to the contact. To that end the sphere is larger than 1 by
/// more than all rounding together can move a vertex, so that it touches whatever the exact sphere touches, and earlier.
#[derive(Debug, Clone)]
pub(crate) struct WideSweep {
    /// Where the motion starts, relative to the tree's origin.
    center: [f32; 3],
    /// From mesh space to the frame.
    rows: [[f32; 4]; 3],
    /// Length of the motion in the frame.
    length: f64,
    /// Radius of the cylinder, with the rounding of `center` and of stored vertices.
    radius: f32,
    /// What a vertex in the frame is off by, relative to the largest coordinate of its triangle.
    rounding: f32,
    is_ray: bool,
}

/// Beyond this size, in units of the frame, products of coordinates might leave the range of `f32`, and nothing is rejected.
const LARGEST: f64 = 1e9;

/// An edge whose direction has a smaller sine with the motion is too flat for its quotients to be exact.
const FLAT: f32 = 0.05;

/// With more rounding than this, or a radius that has grown by more, a lane keeps its first, rough bound.
const FINE: f32 = 1e-3;
const FINE_GROWTH: f32 = 1e-2;

/// Triangles with less than this area, relative to their distance, are not rejected by their plane, and edges whose squared
/// length is smaller not by theirs: squares of such numbers might be below the range of `f32`.
const LEAST_AREA: f32 = 1e-17;
const LEAST_GAP: f32 = 1e-30;

impl WideSweep {
    /// The unit sphere of `space`, whose centre moves in unit space by `motion`, from `center` relative to the tree's
    /// origin. No coordinate of a vertex is farther from that origin than `extent`, or stored with a larger error than
    /// `stored`.
    #[inline(always)]
    pub(crate) fn sphere<S: Simd>(
        simd: S,
        center: &Vector3<f64>,
        space: &EllipsoidSpace,
        motion: &Vector3<f64>,
        extent: f64,
        stored: f64,
    ) -> Self {
        let (length, frame) = frame_along(motion);
        let [m, n, o] = space.rounded_rows().map(|row| f32x4::simd_from(simd, row));
        let mut rows = [[0.0; 4]; 3];
        for i in 0..3 {
            let [p, q, r] = frame[i];
            rows[i] = (m * p + n * q + o * r).to_array();
        }
        Self::new(center, rows, space.norms(), length, extent, stored, false)
    }

    /// A ray from `center` to `center + motion`.
    #[inline(always)]
    pub(crate) fn ray(center: &Vector3<f64>, motion: &Vector3<f64>, extent: f64, stored: f64) -> Self {
        let (length, frame) = frame_along(motion);
        let rows = frame.map(|[x, y, z]| [x, y, z, 0.0]);
        Self::new(center, rows, [ROOT_OF_THREE; 2], length, extent, stored, true)
    }

    #[inline(always)]
    fn new(
        center: &Vector3<f64>,
        rows: [[f32; 4]; 3],
        [norm, inverse_norm]: [f64; 2],
        length: f64,
        extent: f64,
        stored: f64,
        is_ray: bool,
    ) -> Self {
        let epsilon = f64::from(f32::EPSILON);
        let rounded = [center.x as f32, center.y as f32, center.z as f32];
        let lost = |axis: usize| (center[axis] - f64::from(rounded[axis])).abs();
        let base = norm * (lost(0) + lost(1) + lost(2) + ROOT_OF_THREE * stored) + 4.0 * epsilon;
        // A coordinate in the frame rounds in a difference, in the frame itself, in three products and in two sums: by less
        // than 6 ε of the sizes in mesh space, of which the frame makes at most the condition number times its own,
        // times √3 as these are largest coordinates and not lengths. What is computed from two vertices rounds by less
        // than 6 ε more. The condition number is at least 3, so that 16 ε of it are more than all of that.
        let rounding = 16.0 * epsilon * norm * inverse_norm;
        let is_in_range = norm * (extent + center.largest()) + length < LARGEST;
        let radius = if is_ray { base } else { 1.0 + base };
        Self {
            center: rounded,
            rows,
            length,
            radius: if is_in_range { (radius * (1.0 + epsilon)) as f32 } else { f32::INFINITY },
            rounding: rounding as f32,
            is_ray,
        }
    }

    /// How far along its way the body may be, in the unit of [`WideSweep::entries`], when it has come a share of the motion.
    #[inline(always)]
    pub(crate) fn distance(&self, share: f64) -> f32 {
        (share * self.length * (1.0 + 1e-6)) as f32
    }

    /// For each lane a lower bound of the way to the triangle; bit `i` is set unless triangle `i` certainly stays clear of
    /// the way up to `limit`.
    #[inline(always)]
    pub(crate) fn entries<S: Simd>(&self, simd: S, packet: &TrianglePacket, limit: f32) -> (u8, f32x8<S>) {
        match self.reached(simd, packet, packet.used(simd), limit) {
            None => (0, f32x8::simd_from(simd, limit)),
            Some(reached) if self.is_ray => (reached.lanes, reached.entry()),
            Some(reached) => reached.refined(limit),
        }
    }

    /// Those of the triangles `among` that do not certainly stay clear of the way up to `limit`, as planes and sides of edges
    /// tell it; `None` if there are none.
    #[inline(always)]
    pub(crate) fn reached<S: Simd>(
        &self,
        simd: S,
        packet: &TrianglePacket,
        among: u8,
        limit: f32,
    ) -> Option<Reached<S>> {
        let zero = f32x8::simd_from(simd, 0.0);
        let limit = f32x8::simd_from(simd, limit);
        let (a, b, c) = (self.enter(simd, packet, 0), self.enter(simd, packet, 3), self.enter(simd, packet, 6));
        let (ab, bc, ac) = (b.minus(a), c.minus(b), c.minus(a));

        // The boxes of triangle and cylinder.
        let low = WideVector { x: a.x.min(b.x).min(c.x), y: a.y.min(b.y).min(c.y), z: a.z.min(b.z).min(c.z) };
        let high = WideVector { x: a.x.max(b.x).max(c.x), y: a.y.max(b.y).max(c.y), z: a.z.max(b.z).max(c.z) };
        let size = high.x.max(zero - low.x).max(high.y.max(zero - low.y)).max(high.z.max(zero - low.z));
        let margin = size * self.rounding;
        let radius = margin + self.radius;
        let outside = low.x.max(low.y).max(zero - high.x).max(zero - high.y).max(zero - high.z);

        // The plane: a height that the approach does not use up within the limit.
        let normal = ab.cross(ac);
        let normal_squared = normal.dot(normal);
        let height = normal.dot(a);
        // No product of coordinates of two edges is larger; those of the normal are off by less than 4 ε of this.
        let area = ab.dot(ab) + ac.dot(ac);
        let area_rounding = area * (8.0 * f32::EPSILON);
        // The normal points from the centre to the plane where the height is positive, and the way goes along z.
        let approach = zero.simd_lt(height).select(normal.z, zero - normal.z).max(zero) + area_rounding;
        let length = normal_squared.sqrt();
        let roundings = (size + 1.0) * (area_rounding + LEAST_AREA);
        let clearance = height.abs() - length * radius - roundings;
        let approach = approach.max(f32x8::simd_from(simd, f32::MIN_POSITIVE));
        let first = low.z - radius;

        let is_clear = radius.simd_lt(outside) | limit.simd_lt(first) | (limit * approach).simd_lt(clearance);
        let lanes = !(is_clear.to_bitmask() as u8) & among;
        if lanes == 0 {
            return None;
        }

        // The edges as seen along the motion, each with the triangle to its left: the way is off by more than the radius
        // to the right of one. The sides are known unless the triangle is seen edge-on.
        let radius_squared = radius * radius;
        let is_edge_on = normal.z.abs().simd_le(area_rounding);
        let turn = f32x8::simd_from(simd, 1.0).copysign(normal.z);
        let edges = [EdgeView::new(a, ab), EdgeView::new(b, bc), EdgeView::new(a, ac)];
        let [at_ab, at_bc, at_ca] = edges;
        let (left_of_ab, left_of_bc) = (at_ab.area * turn, at_bc.area * turn);
        let left_of_ca = zero - at_ca.area * turn;
        let gap = at_ab.gap(left_of_ab, radius_squared).max(at_bc.gap(left_of_bc, radius_squared));
        let gap = gap.max(at_ca.gap(left_of_ca, radius_squared));

        let is_beyond = f32x8::simd_from(simd, LEAST_GAP).simd_lt(gap) & !is_edge_on;
        let lanes = lanes & !(is_beyond.to_bitmask() as u8);
        if lanes == 0 {
            return None;
        }
        let per_approach = f32x8::simd_from(simd, 1.0) / approach;
        Some(Reached {
            lanes,
            first,
            plane: clearance * per_approach,
            normal,
            length,
            approach,
            per_approach,
            clearance,
            roundings,
            area_rounding,
            edges,
            c,
            radius,
            margin,
        })
    }

    /// For each lane a lower bound of the way, in any direction, that the sphere at the start of the motion can go before
    /// it meets the triangle; less than zero where it may touch it.
    #[inline(always)]
    pub(crate) fn gaps<S: Simd>(&self, simd: S, packet: &TrianglePacket) -> f32x8<S> {
        let zero = f32x8::simd_from(simd, 0.0);
        let (a, b, c) = (self.enter(simd, packet, 0), self.enter(simd, packet, 3), self.enter(simd, packet, 6));
        let (ab, bc, ca) = (b.minus(a), c.minus(b), a.minus(c));
        let size = largest(a).max(largest(b)).max(largest(c));

        // The plane decides where the foot on it is inside, or not known well enough. The roundings of the normal, of a
        // cross product with it and of the height are those of `entries`, twice.
        let normal = ab.cross(bc);
        let length = normal.dot(normal).sqrt();
        let area = ab.dot(ab) + bc.dot(bc) + ca.dot(ca);
        let area_rounding = area * (8.0 * f32::EPSILON) + LEAST_AREA;
        let height =
            (normal.dot(a).abs() - (size + 1.0) * area_rounding) / length.max(f32x8::simd_from(simd, LEAST_AREA));
        let slack = zero - area.sqrt() * size * (length * (16.0 * f32::EPSILON) + area_rounding) * 2.0;
        let inside = normal.dot(a.cross(ab)).min(normal.dot(b.cross(bc))).min(normal.dot(c.cross(ca)));

        // Elsewhere the nearest of the edges.
        let border = square_to_edge(a, ab).min(square_to_edge(b, bc)).min(square_to_edge(c, ca)).sqrt();
        let distance = slack.simd_le(inside).select(height, border);
        let gap = distance - size * (self.rounding + 32.0 * f32::EPSILON) - self.radius;
        // Beyond the range of `f32` nothing is known.
        gap.simd_le(gap).select(gap, f32x8::simd_from(simd, f32::NEG_INFINITY))
    }

    /// One vertex of each triangle, in the frame.
    #[inline(always)]
    fn enter<S: Simd>(&self, simd: S, packet: &TrianglePacket, first: usize) -> WideVector<S> {
        let x = packet.lanes[first].load(simd) - self.center[0];
        let y = packet.lanes[first + 1].load(simd) - self.center[1];
        let z = packet.lanes[first + 2].load(simd) - self.center[2];
        let [p, q, r] = &self.rows;
        WideVector {
            x: x * p[0] + y * p[1] + z * p[2],
            y: x * q[0] + y * q[1] + z * q[2],
            z: x * r[0] + y * r[1] + z * r[2],
        }
    }
}

/// What is known of triangles that a sweep may touch, after a first look.
pub(crate) struct Reached<S: Simd> {
    /// Which these are.
    pub(crate) lanes: u8,
    /// A lower bound of the way to each: to its box,
    first: f32x8<S>,
    /// and to its plane.
    plane: f32x8<S>,
    normal: WideVector<S>,
    /// Of the normal.
    length: f32x8<S>,
    approach: f32x8<S>,
    per_approach: f32x8<S>,
    clearance: f32x8<S>,
    roundings: f32x8<S>,
    area_rounding: f32x8<S>,
    /// From `a` to `b`, from `b` to `c` and from `a` to `c`.
    edges: [EdgeView<S>; 3],
    c: WideVector<S>,
    radius: f32x8<S>,
    margin: f32x8<S>,
}

impl<S: Simd> Reached<S> {
    /// A lower bound of the way to each of them.
    #[inline(always)]
    pub(crate) fn entry(&self) -> f32x8<S> {
        self.first.max(self.plane)
    }

    /// The same after a closer look, which takes about as long as the first one: those that are reached by one of their edges or
    /// corners are reached later, or not up to `limit`.
    #[inline(always)]
    pub(crate) fn refined(&self, limit: f32) -> (u8, f32x8<S>) {
        let &Self { lanes, first, plane, normal, length, approach, .. } = self;
        let &Self { per_approach, clearance, roundings, area_rounding, radius, margin, .. } = self;
        let simd = first.token();
        let (zero, limit) = (f32x8::simd_from(simd, 0.0), f32x8::simd_from(simd, limit));
        let ([at_ab, at_bc, at_ca], c) = (self.edges, self.c);
        let (a, b) = (at_ab.from, at_bc.from);
        let radius_squared = radius * radius;
        let entry = self.entry();

        // The plane decides where the foot on it may be inside at any time at which the plane may be met: all errors of the
        // clearance are less than twice what it was reduced by. The foot itself is off by so much less than the root of twice
        // what the radius has grown by that outside it is within the larger radius of an edge or a corner at that time.
        let grown = radius - 1.0;
        let slop = (length * grown + roundings) * 2.0;
        let latest = (clearance + slop) * per_approach * (area_rounding * per_approach * 4.0 + 1.0);
        let is_flat = approach.simd_le(area_rounding * 4.0);
        let start = plane.max(zero);
        let last = is_flat.select(limit, latest.max(start).min(limit));
        let left_of_ab = at_ab.sides(normal, start).max(at_ab.sides(normal, last));
        let left_of_bc = at_bc.sides(normal, start).max(at_bc.sides(normal, last));
        let left_of_ca = zero - at_ca.sides(normal, start).min(at_ca.sides(normal, last));
        let inside = left_of_ab.min(left_of_bc).min(left_of_ca);
        let is_fine = margin.simd_lt(FINE) & grown.simd_lt(FINE_GROWTH);
        let by_plane = zero.simd_le(inside) | !is_fine;

        // Elsewhere the first of the edges and corners.
        let corners = corner_entry(a, radius_squared).min(corner_entry(b, radius_squared));
        let corners = corners.min(corner_entry(c, radius_squared));
        let border = at_ab.entry(first, radius_squared, margin).min(at_bc.entry(first, radius_squared, margin));
        let border = border.min(at_ca.entry(first, radius_squared, margin)).min(corners);
        let entry = by_plane.select(entry, entry.max(border));
        let is_clear = limit.simd_lt(entry).to_bitmask() as u8;
        (lanes & !is_clear, entry)
    }
}

/// The largest coordinate, without its sign.
#[inline(always)]
fn largest<S: Simd>(v: WideVector<S>) -> f32x8<S> {
    v.x.abs().max(v.y.abs()).max(v.z.abs())
}

/// The squared distance of an edge from the origin. A foot that is rounded is a point of the edge nevertheless, hardly
/// farther away.
#[inline(always)]
fn square_to_edge<S: Simd>(from: WideVector<S>, edge: WideVector<S>) -> f32x8<S> {
    let simd = from.x.token();
    let (zero, one) = (f32x8::simd_from(simd, 0.0), f32x8::simd_from(simd, 1.0));
    let length_squared = edge.dot(edge).max(f32x8::simd_from(simd, LEAST_GAP));
    let share = (zero - from.dot(edge) / length_squared).max(zero).min(one);
    let foot = from.plus(edge.times(share));
    foot.dot(foot)
}

/// Where the way enters the sphere around a corner, or infinity.
#[inline(always)]
fn corner_entry<S: Simd>(corner: WideVector<S>, radius_squared: f32x8<S>) -> f32x8<S> {
    let zero = f32x8::simd_from(corner.x.token(), 0.0);
    let half_chord_squared = radius_squared - (corner.x * corner.x + corner.y * corner.y);
    let entry = corner.z - half_chord_squared.max(zero).sqrt();
    zero.simd_le(half_chord_squared).select(entry, f32x8::simd_from(corner.x.token(), f32::INFINITY))
}

/// An edge of each triangle, as seen along the motion.
#[derive(Clone, Copy)]
struct EdgeView<S: Simd> {
    from: WideVector<S>,
    edge: WideVector<S>,
    /// Squared length across the motion.
    across: f32x8<S>,
    /// Twice the area that the edge spans with the z axis.
    area: f32x8<S>,
}

impl<S: Simd> EdgeView<S> {
    #[inline(always)]
    fn new(from: WideVector<S>, edge: WideVector<S>) -> Self {
        let across = edge.x * edge.x + edge.y * edge.y;
        Self { from, edge, across, area: from.x * edge.y - from.y * edge.x }
    }

    /// The square of how far the z axis is to the right of the edge, less that of the radius; all times the squared length
    /// of the edge. Not positive where it is to the left. `left` is the area to the left of the axis.
    #[inline(always)]
    fn gap(&self, left: f32x8<S>, radius_squared: f32x8<S>) -> f32x8<S> {
        let right = left.min(f32x8::simd_from(left.token(), 0.0));
        right * right - radius_squared * self.across
    }

    /// On which side of the edge the foot of the centre on the triangle's plane is after a way: positive to the left as seen
    /// against the normal, in proportion to the distance.
    #[inline(always)]
    fn sides(&self, normal: WideVector<S>, way: f32x8<S>) -> f32x8<S> {
        let Self { from, edge, area, .. } = self;
        let x = from.y * edge.z - from.z * edge.y;
        let y = from.z * edge.x - from.x * edge.z;
        normal.x * x + normal.y * y + normal.z * *area + way * (normal.x * edge.y - normal.y * edge.x)
    }

    /// Where the way enters the cylinder around the edge, between its ends, or infinity; `first` where the edge is nearly
    /// parallel to the motion.
    #[inline(always)]
    fn entry(&self, first: f32x8<S>, radius_squared: f32x8<S>, margin: f32x8<S>) -> f32x8<S> {
        let simd = self.across.token();
        let (zero, least) = (f32x8::simd_from(simd, 0.0), f32x8::simd_from(simd, f32::MIN_POSITIVE));
        let Self { from, edge, across, area } = *self;
        let length_squared = across + edge.z * edge.z;
        let inverse = f32x8::simd_from(simd, 1.0) / across.max(least);
        let stretch = length_squared * inverse;
        let along = from.x * edge.x + from.y * edge.y;
        let half_chord_squared = radius_squared - area * area * inverse;
        // The nearest point of the axis is off by the rounding of a vertex, the more the flatter the edge is.
        let slack = (stretch + 1.0) * margin * 0.125;
        let entry = from.z - edge.z * (along * inverse) - (half_chord_squared.max(zero) * stretch).sqrt() - slack;
        let foot = edge.z * (entry - from.z) - along;
        // The slack has moved the foot as well, perhaps past the end where it would be.
        let aside = edge.z.abs() * slack;
        let is_between = (zero - aside).simd_le(foot) & foot.simd_le(length_squared + aside);
        let is_hit = zero.simd_le(half_chord_squared) & is_between;
        let entry = is_hit.select(entry, f32x8::simd_from(simd, f32::INFINITY));
        // Also where the edge has no length to speak of.
        (across.simd_le(length_squared * (FLAT * FLAT)) | across.simd_le(f32x8::simd_from(simd, LEAST_GAP)))
            .select(first, entry)
    }
}

/// Eight vectors.
type WideVector<S> = crate::wide::WideVector<f32x8<S>>;

/// The length of a motion, and a rotation whose last row points along it (Duff et al. 2017, *Building an Orthonormal Basis,
/// Revisited*).
#[inline(always)]
fn frame_along(motion: &Vector3<f64>) -> (f64, [[f32; 3]; 3]) {
    let length = motion.length();
    if length <= 0.0 {
        return (0.0, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    }
    let inverse = 1.0 / length;
    let (x, y, z) = ((motion.x * inverse) as f32, (motion.y * inverse) as f32, (motion.z * inverse) as f32);
    let sign = 1.0_f32.copysign(z);
    let a = -1.0 / (sign + z);
    let b = x * y * a;
    (length, [[1.0 + sign * x * x * a, sign * b, -sign * x], [b, sign + y * y * a, -y], [x, y, z]])
}

const ROOT_OF_THREE: f64 = 1.733;

#[cfg(test)]
mod tests {
    use nalgebra::Point3;

    use super::*;
    use crate::{
        mesh::Sides,
        shape::{Ellipsoid, Triangle},
        sweep::{Sweep, random::Random},
        wide::{SimdLevel, dispatch},
    };

    #[test]
    fn no_triangle_is_touched_before_its_bound() {
        const ROUNDS: usize = 300_000;
        let spaces = [[1.0, 1.0, 1.0], [0.4, 0.9, 0.4], [0.05, 2.0, 0.3]]
            .map(|radii| Ellipsoid::new(Vector3::from(radii)).expect("valid").space());
        let (mut random, mut touched, mut near, mut rejected) = (Random(7), 0, 0, 0);
        for round in 0..ROUNDS {
            let space = spaces[round % 3];
            let center = Point3::from(random.vector() * random.of([0.0, 30.0, 1000.0]));
            let origin = Point3::from(center.coords.map(f64::round));
            // A plane in unit space that the sphere nearly touches, and a motion that is nearly parallel to it.
            let normal = random.vector().unit();
            let along = normal.cross(&random.vector()).unit();
            let across = normal.cross(&along);
            let height = 1.0 + random.of([0.0, 1e-7, 1e-4, 1e-2, 0.3]) * random.number().abs();
            let descent = random.of([0.0, 1e-8, 1e-6, 1e-4, 1e-2, 0.1, 1.0]) * random.number();
            let length = random.of([0.01, 0.2, 1.0, 8.0]);
            let motion = space.leave(&((along - normal * descent) * length));
            let size = random.of([0.01, 0.3, 3.0, 100.0]);
            let middle = (along * random.number() + across * random.number()) * (0.6 + 0.3 * size) - normal * height;
            let mut corner = |tilt: f64| {
                let offset = along * random.number() + across * random.number() + normal * (tilt * random.number());
                center + space.leave(&(middle + offset * size))
            };
            let tilt = [0.0, 0.0, 1e-4][round % 7 % 3];
            let (a, b, c) = (corner(tilt), corner(tilt), corner(tilt));
            let c = if round % 5 == 0 { a + (b - a) * 1.3 + (c - a) * 1e-5 } else { c };
            let packet = TrianglePacket::new([(0, Triangle::new(a, b, c))].into_iter(), &origin);
            let triangle = packet.triangle(0, &origin);

            let sweep = Sweep::exact(space, center, motion, 0.0);
            let extent = triangle.vertices().iter().fold(0.0, |far: f64, v| far.max((v - origin).amax()));
            let (wide, lanes, entry) = dispatch!(SimdLevel::best().0, simd => {
                let wide = WideSweep::sphere(simd, &(center - origin), &space, &sweep.unit_motion, extent, 0.0);
                let (lanes, entries) = wide.entries(simd, &packet, wide.distance(1.0));
                (wide, lanes, entries.to_array()[0])
            });
            match sweep.touch(&triangle, Sides::Both, 1.0) {
                Some(touch) => {
                    touched += 1;
                    assert!(lanes == 1, "round {round}: {triangle:?} is touched at {} and rejected", touch.fraction);
                    let way = wide.distance(touch.fraction);
                    assert!(entry <= way, "round {round}: {triangle:?} is touched after {way}, not {entry}");
                }
                None => {
                    near += 1;
                    rejected += usize::from(lanes == 0);
                }
            }
        }
        println!("{touched} touched; of {near} others {rejected} rejected");
        assert!(
            touched > ROUNDS / 20 && rejected > near / 2,
            "{touched} touched; of {near} others {rejected} rejected"
        );
    }
}

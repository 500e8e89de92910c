//! [`TrianglePacket`]: eight triangles at once, rejection only.

use nalgebra::{Point3, Vector3};

use crate::{
    real::Length,
    shape::{EllipsoidSpace, Triangle},
    wide::{F32x8, LANES, Simd, f32x8, prefetch, prelude::*, u32x8},
};

/// Up to eight triangles of a leaf: their vertices, and which triangles they are.
///
/// Vertices are relative to the tree's origin. Lanes beyond the last triangle repeat its vertices, but have no id.
#[derive(Debug, Clone, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct TrianglePacket {
    /// x, y and z of the first vertices, of the second and of the third.
    lanes: [F32x8; 9],
    triangles: [u32; LANES],
}

impl TrianglePacket {
    /// A packet of one to eight triangles, whose vertices are taken relative to `origin`.
    pub(crate) fn new(triangles: impl ExactSizeIterator<Item = (u32, Triangle<f64>)>, origin: &Point3<f64>) -> Self {
        let len = triangles.len();
        let mut packet = Self { lanes: [F32x8::splat(0.0); 9], triangles: [u32::MAX; LANES] };
        for (lane, (id, triangle)) in triangles.enumerate() {
            packet.triangles[lane] = id;
            packet.write(lane, len, &triangle, origin);
        }
        packet
    }

    /// Adds a triangle in the first lane that has none.
    #[inline(always)]
    pub(crate) fn put(&mut self, lane: usize, id: u32, triangle: &Triangle<f64>, origin: &Point3<f64>) {
        self.triangles[lane] = id;
        self.write(lane, LANES, triangle, origin);
    }

    /// A packet of one to eight triangles, whose vertices have to be put in by [`TrianglePacket::fit`].
    #[cfg(feature = "save")]
    pub(crate) fn of_ids(ids: &[u32]) -> Self {
        let mut triangles = [u32::MAX; LANES];
        triangles[..ids.len()].copy_from_slice(ids);
        Self { lanes: [F32x8::splat(0.0); 9], triangles }
    }

    /// Puts in the vertices of all triangles, which `triangle` knows by their ids.
    #[inline(always)]
    pub(crate) fn fit(&mut self, origin: &Point3<f64>, mut triangle: impl FnMut(u32) -> Triangle<f64>) {
        let len = self.triangles.iter().take_while(|id| **id != u32::MAX).count();
        for lane in 0..len {
            self.write(lane, len, &triangle(self.triangles[lane]), origin);
        }
    }

    /// Puts in the vertices of one of `len` triangles.
    #[inline(always)]
    fn write(&mut self, lane: usize, len: usize, triangle: &Triangle<f64>, origin: &Point3<f64>) {
        let last_lane = if lane + 1 == len { LANES } else { lane + 1 };
        for (corner, vertex) in triangle.vertices().iter().enumerate() {
            for axis in 0..3 {
                let x = (vertex[axis] - origin[axis]) as f32;
                self.lanes[3 * corner + axis].0[lane..last_lane].fill(x);
            }
        }
    }

    /// The id of the triangle in a lane.
    #[inline(always)]
    pub(crate) fn id(&self, lane: usize) -> u32 {
        self.triangles[lane]
    }

    /// The ids of all triangles.
    #[cfg(feature = "save")]
    pub(crate) fn ids(&self) -> impl Iterator<Item = u32> + '_ {
        self.triangles.iter().copied().take_while(|id| *id != u32::MAX)
    }

    /// The triangle in a lane, as exactly as the packet holds it.
    #[inline(always)]
    pub(crate) fn triangle(&self, lane: usize, origin: &Point3<f64>) -> Triangle<f64> {
        Triangle::new(self.vertex(0, lane, origin), self.vertex(3, lane, origin), self.vertex(6, lane, origin))
    }

    #[inline(always)]
    fn vertex(&self, first: usize, lane: usize, origin: &Point3<f64>) -> Point3<f64> {
        Point3::new(
            origin.x + f64::from(self.lanes[first].0[lane]),
            origin.y + f64::from(self.lanes[first + 1].0[lane]),
            origin.z + f64::from(self.lanes[first + 2].0[lane]),
        )
    }

    /// Bit `i` is set where lane `i` holds a triangle.
    #[inline(always)]
    pub(crate) fn used<S: Simd>(&self, simd: S) -> u8 {
        !u32x8::simd_from(simd, self.triangles).simd_eq(u32::MAX).to_bitmask() as u8
    }

    /// Asks for the packet, which is needed soon.
    #[inline(always)]
    pub(crate) fn prefetch(&self) {
        prefetch(&self.lanes);
    }

    /// The boxes of all triangles: their smallest and largest coordinates along an axis.
    #[inline(always)]
    pub(crate) fn interval<S: Simd>(&self, simd: S, axis: usize) -> [f32x8<S>; 2] {
        let (a, b, c) = (self.lanes[axis].load(simd), self.lanes[axis + 3].load(simd), self.lanes[axis + 6].load(simd));
        [a.min(b).min(c), a.max(b).max(c)]
    }
}

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
    rows: [[f32; 3]; 3],
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

/// A direction whose sine, or cosine, with another one is smaller is too flat for its quotients to be exact.
const FLAT: f32 = 0.05;

/// With more rounding than this a lane keeps its first, rough bound.
const REFINED_BELOW: f32 = 1e-3;

/// Triangles with less than this area, relative to their distance, are not rejected by their plane, and edges whose squared
/// length is smaller not by theirs: squares of such numbers might be below the range of `f32`.
const LEAST_AREA: f32 = 1e-17;
const LEAST_GAP: f32 = 1e-30;

impl WideSweep {
    /// The unit sphere of `space`, whose centre moves in unit space by `motion`, from `center` relative to the tree's
    /// origin. No coordinate of a vertex is farther from that origin than `extent`, or stored with a larger error than
    /// `stored`.
    #[inline(always)]
    pub(crate) fn sphere(
        center: &Vector3<f64>,
        space: &EllipsoidSpace,
        motion: &Vector3<f64>,
        extent: f64,
        stored: f64,
    ) -> Self {
        let (length, frame) = frame_along(motion);
        let to_unit = space.unit_rows();
        let column = |j: usize| [to_unit[(0, j)] as f32, to_unit[(1, j)] as f32, to_unit[(2, j)] as f32];
        let columns = [column(0), column(1), column(2)];
        let dot = |p: &[f32; 3], q: &[f32; 3]| p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
        let row = |p: &[f32; 3]| [dot(p, &columns[0]), dot(p, &columns[1]), dot(p, &columns[2])];
        let rows = [row(&frame[0]), row(&frame[1]), row(&frame[2])];
        Self::new(center, rows, space.norms(), length, extent, stored, false)
    }

    /// A ray from `center` to `center + motion`.
    #[inline(always)]
    pub(crate) fn ray(center: &Vector3<f64>, motion: &Vector3<f64>, extent: f64, stored: f64) -> Self {
        let (length, frame) = frame_along(motion);
        Self::new(center, frame, [ROOT_OF_THREE; 2], length, extent, stored, true)
    }

    #[inline(always)]
    fn new(
        center: &Vector3<f64>,
        rows: [[f32; 3]; 3],
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
        let is_in_range = norm * (extent + center.amax()) + length < LARGEST;
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
        let clearance = height.abs() - normal_squared.sqrt() * radius - (size + 1.0) * (area_rounding + LEAST_AREA);
        let approach = approach.max(f32x8::simd_from(simd, f32::MIN_POSITIVE));
        let first = low.z - radius;

        let is_clear = radius.simd_lt(outside) | limit.simd_lt(first) | (limit * approach).simd_lt(clearance);
        let lanes = !(is_clear.to_bitmask() as u8) & packet.used(simd);
        if lanes == 0 {
            return (0, first);
        }
        let plane = clearance / approach;
        let entry = first.max(plane);

        // The edges as seen along the motion, each with the triangle to its left: the way is off by more than the radius
        // to the right of one. The sides are known unless the triangle is seen edge-on.
        let radius_squared = radius * radius;
        let is_edge_on = normal.z.abs().simd_le(area_rounding);
        let turn = f32x8::simd_from(simd, 1.0).copysign(normal.z);
        let (at_ab, at_bc, at_ca) = (EdgeView::new(a, ab), EdgeView::new(b, bc), EdgeView::new(a, ac));
        let (left_of_ab, left_of_bc) = (at_ab.area * turn, at_bc.area * turn);
        let left_of_ca = zero - at_ca.area * turn;
        let gap = at_ab.gap(left_of_ab, radius_squared).max(at_bc.gap(left_of_bc, radius_squared));
        let gap = gap.max(at_ca.gap(left_of_ca, radius_squared));

        let is_beyond = f32x8::simd_from(simd, LEAST_GAP).simd_lt(gap) & !is_edge_on;
        let lanes = lanes & !(is_beyond.to_bitmask() as u8);
        if lanes == 0 || self.is_ray {
            return (lanes, entry);
        }

        // Where the foot on the plane is inside, or not known well enough, the plane decides. Plane and triangle are seen
        // along the motion again.
        let start = plane.max(zero);
        let inverse = f32x8::simd_from(simd, 1.0) / normal_squared.max(f32x8::simd_from(simd, f32::MIN_POSITIVE));
        let to_foot = (height - normal.z * start) * inverse;
        let (x, y) = (normal.x * to_foot, normal.y * to_foot);
        let inside = (left_of_ab - (x * ab.y - y * ab.x) * turn).min(left_of_bc - (x * bc.y - y * bc.x) * turn);
        let inside = inside.min(left_of_ca + (x * ac.y - y * ac.x) * turn);
        let is_flat = (approach * approach).simd_le(normal_squared * (FLAT * FLAT));
        let is_rough = f32x8::simd_from(simd, REFINED_BELOW).simd_le(margin);
        let by_plane = zero.simd_le(inside) | is_flat | is_rough | is_edge_on;

        // Elsewhere the first of the edges and corners.
        let corners = corner_entry(a, radius_squared).min(corner_entry(b, radius_squared));
        let corners = corners.min(corner_entry(c, radius_squared));
        let border = at_ab.entry(first, radius_squared, margin).min(at_bc.entry(first, radius_squared, margin));
        let border = border.min(at_ca.entry(first, radius_squared, margin)).min(corners);
        let entry = by_plane.select(entry, entry.max(border));
        let is_clear = limit.simd_lt(entry).to_bitmask() as u8;
        (lanes & !is_clear, entry)
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
        let is_hit = zero.simd_le(half_chord_squared) & zero.simd_le(foot) & foot.simd_le(length_squared);
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

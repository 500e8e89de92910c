//! [`Packed`]: triangles in packets of eight without a tree, and which of them a query may reach.

use arrayvec::ArrayVec;
use nalgebra::{Point3, Vector3};

use super::{Sweep, packet::TrianglePacket, wide_sweep::WideSweep};
use crate::{
    real::{Length, larger},
    shape::{Aabb3, EllipsoidSpace, Triangle},
    wide::{
        F32x8, LANES, Simd, SimdLevel, at_most, dispatch, f32x8, least, nearest_first, prefetch_line, prelude::*,
        set_bits,
    },
};

/// Triangles in packets, in the order in which they came; each is named by its place in that order.
#[derive(Debug, Clone)]
pub(crate) struct Packed {
    packets: Vec<TrianglePacket>,
    /// A point near the triangles, to which the packets are relative.
    origin: Point3<f64>,
    /// No coordinate is farther from the origin than this.
    extent: f64,
    /// What the vertices in packets are off by, as a share of the extent.
    rounding: f64,
    len: usize,
    /// How far the packets are from a body.
    measured: Measured,
    /// The same from its further parts, if it has several.
    measured_from_others: Vec<Measured>,
    /// The packets that were nearest, kept here so that they can be asked for before what was measured is at hand.
    nearest: ArrayVec<u32, PACKETS_AHEAD>,
}

/// How far the packets are from an ellipsoid.
#[derive(Debug, Clone, Default)]
struct Measured {
    /// The ellipsoid, and where it stood; `None` if this was never measured of the packets that are there now.
    from: Option<(EllipsoidSpace, Point3<f64>)>,
    /// For each packet, the nearest first.
    gaps: Vec<Gaps>,
}

/// So many packets are asked for ahead of time: memory answers no more than a dozen questions for cache lines at once.
const PACKETS_AHEAD: usize = 3;

/// And what is known of so many.
const GAPS_AHEAD: usize = 4;

/// What is farther than this, in the unit space of the body, is not looked at again while the body comes nearer: hardly any
/// way of a tick leads so far.
const FAR: f32 = 0.3;

/// How far the triangles of a packet are from a body, at least; in its unit space.
#[derive(Debug, Clone)]
struct Gaps {
    /// Of all triangles of the packet.
    least: f32,
    packet: u32,
    lanes: F32x8,
}

impl Gaps {
    /// Those of a packet that has not been looked at.
    fn unknown(packet: u32) -> Self {
        Self { least: f32::NEG_INFINITY, packet, lanes: F32x8::splat(f32::NEG_INFINITY) }
    }

    /// The least gap once the body has gone a way, rounded down.
    #[inline(always)]
    fn less(&self, gone: f32) -> f32 {
        self.least - gone - (self.least.abs() + gone) * (2.0 * f32::EPSILON)
    }
}

impl Default for Packed {
    fn default() -> Self {
        Self {
            packets: Vec::new(),
            origin: Point3::origin(),
            extent: 0.0,
            rounding: 0.0,
            len: 0,
            measured: Measured::default(),
            measured_from_others: Vec::new(),
            nearest: ArrayVec::new(),
        }
    }
}

impl Measured {
    /// How far an ellipsoid at `center` has gone since it was measured how far all triangles are from it, rounded up; `None` if
    /// another one was measured, or none.
    #[inline(always)]
    fn gone(&self, space: &EllipsoidSpace, center: &Point3<f64>) -> Option<f32> {
        let (measured, from) = self.from.as_ref()?;
        let way = if center == from { 0.0 } else { space.enter(&(center - from)).length() };
        measured.is_same(space).then_some((way * (1.0 + 1e-6)) as f32)
    }

    /// The same, and it will have been measured of an ellipsoid at `center`.
    #[inline(always)]
    fn go_to(&mut self, space: &EllipsoidSpace, center: Point3<f64>) -> Option<f32> {
        let gone = self.gone(space, &center);
        match &mut self.from {
            Some((_, from)) if gone.is_some() => *from = center, // a space is large to copy
            from => *from = Some((*space, center)),
        }
        gone
    }
}

impl Packed {
    /// Forgets all triangles; those to come will be taken relative to `origin`. Their vertices `are_exact` if all their
    /// differences to the origin are numbers of `f32`.
    pub(crate) fn clear(&mut self, origin: Point3<f64>, are_exact: bool) {
        self.packets.clear();
        self.origin = origin;
        self.extent = 0.0;
        self.rounding = if are_exact { 0.0 } else { f64::from(f32::EPSILON) };
        self.len = 0;
        self.measured.from = None;
        self.measured_from_others.iter_mut().for_each(|measured| measured.from = None);
    }

    /// Adds one to eight triangles, as a packet.
    #[inline(always)]
    pub(crate) fn push<'a>(&mut self, triangles: impl ExactSizeIterator<Item = &'a Triangle<f64>> + Clone) {
        let len = triangles.len();
        let mut farthest = 0.0;
        for triangle in triangles.clone() {
            let far = |vertex: Point3<f64>| (vertex - self.origin).largest();
            farthest = larger(farthest, larger(larger(far(triangle.a), far(triangle.b)), far(triangle.c)));
        }
        if farthest > self.extent {
            self.extent = f64::from((farthest as f32).next_up());
        }
        self.packets.push(TrianglePacket::new(
            (self.len as u32..(self.len + len) as u32).zip(triangles.copied()),
            &self.origin,
        ));
        self.len += len;
    }

    /// Asks for what was nearest when it was last measured, as it is likely to be again.
    #[inline]
    pub(crate) fn prefetch(&self) {
        self.measured.gaps.iter().take(GAPS_AHEAD).for_each(prefetch_line);
        self.nearest.iter().filter_map(|packet| self.packets.get(*packet as usize)).for_each(TrianglePacket::prefetch);
    }

    /// The triangles of the nearest packet that are no farther away than `gap`, in unit space, as far as that is known.
    #[inline(always)]
    pub(crate) fn nearest_within(&self, gap: f32) -> impl Iterator<Item = u32> {
        self.measured.gaps.first().into_iter().flat_map(move |gaps| {
            let packet = &self.packets[gaps.packet as usize];
            (0..LANES).filter(move |lane| gaps.lanes.0[*lane] <= gap).map(move |lane| packet.id(lane))
        })
    }

    /// All packets.
    pub(crate) fn packets(&self) -> &[TrianglePacket] {
        &self.packets
    }

    /// The triangle in a lane of a packet, as exactly as the packet holds it.
    #[inline(always)]
    pub(crate) fn stored(&self, packet: &TrianglePacket, lane: usize) -> Triangle<f64> {
        packet.triangle(lane, &self.origin)
    }

    /// A sweep, ready to be compared with these packets.
    #[inline(always)]
    pub(crate) fn aim<S: Simd>(&self, simd: S, sweep: &Sweep) -> WideSweep {
        let (center, stored) = (sweep.start - self.origin, self.rounding * self.extent);
        WideSweep::sphere(simd, &center, &sweep.space, &sweep.unit_motion, self.extent, stored)
    }

    /// The box around the whole way of a sweep: the cheapest test, as most triangles of a list are out of reach.
    #[inline(always)]
    pub(crate) fn way(&self, sweep: &Sweep) -> PackedBox {
        PackedBox::new(&sweep.bounds(), &self.origin, self.extent)
    }

    /// How far each triangle is from a part of a body, the first or a further one, that stands at `center`; also puts the nearest
    /// packets first.
    ///
    /// Of packets that were far from the same part a moment ago it is known without a look at them: they are nearer by no more
    /// than it has gone.
    pub(crate) fn measure(&mut self, level: SimdLevel, part: usize, space: &EllipsoidSpace, center: Point3<f64>) {
        let still = Vector3::zeros();
        let stored = self.rounding * self.extent;
        let measured = match part.checked_sub(1) {
            None => &mut self.measured,
            Some(other) => {
                if other >= self.measured_from_others.len() {
                    self.measured_from_others.resize_with(part, Measured::default);
                }
                &mut self.measured_from_others[other]
            }
        };
        let gone = measured.go_to(space, center).unwrap_or_else(|| {
            measured.gaps.clear();
            measured.gaps.extend((0..self.packets.len() as u32).map(Gaps::unknown));
            0.0
        });
        dispatch!(level.0, simd => {
            let wide = WideSweep::sphere(simd, &(center - self.origin), space, &still, self.extent, stored);
            measure_on(simd, &self.packets, &mut measured.gaps, &wide, gone)
        });
        measured.gaps.sort_unstable_by(|a, b| a.least.total_cmp(&b.least).then(a.packet.cmp(&b.packet)));
        if part == 0 {
            self.nearest.clear();
            let near = self.measured.gaps.iter().take(PACKETS_AHEAD).take_while(|gaps| gaps.least <= FAR);
            self.nearest.extend(near.map(|gaps| gaps.packet));
        }
    }

    /// What is known of an ellipsoid at `center`, if it was measured.
    #[inline(always)]
    fn measured(&self, space: &EllipsoidSpace, center: &Point3<f64>) -> &Measured {
        if self.measured_from_others.is_empty() { &self.measured } else { self.measured_of_several(space, center) }
    }

    /// Of parts that are alike, what is known of the one that was nearest.
    #[inline(never)]
    fn measured_of_several(&self, space: &EllipsoidSpace, center: &Point3<f64>) -> &Measured {
        let all = std::iter::once(&self.measured).chain(&self.measured_from_others);
        let known = all.filter_map(|measured| Some((measured, measured.gone(space, center)?)));
        known.reduce(|a, b| if b.1 < a.1 { b } else { a }).map_or(&self.measured, |(measured, _)| measured)
    }

    /// Hands out the triangles that cannot be rejected, up to a limit, a share of the motion, that `visit` may lower. The
    /// nearest come first where that is known.
    #[inline(always)]
    pub(crate) fn each_survivor<S: Simd>(&self, simd: S, sweep: &Sweep, mut visit: impl FnMut(usize, &mut f64)) {
        let wide = self.aim(simd, sweep);
        let mut limit = 1.0;
        let measured = self.measured(&sweep.space, &sweep.start);
        let Some(gone) = measured.gone(&sweep.space, &sweep.start) else {
            let way = self.way(sweep);
            for packet in &self.packets {
                look(simd, &wide, packet, way.meets(simd, packet), &mut limit, &mut visit);
            }
            return;
        };
        for gaps in &measured.gaps {
            let reach = gone + wide.distance(limit);
            if gaps.least > reach {
                break;
            }
            let among = at_most(gaps.lanes.load(simd), f32x8::simd_from(simd, reach));
            look(simd, &wide, &self.packets[gaps.packet as usize], among, &mut limit, &mut visit);
        }
    }

    /// Hands out the triangles that a still body may touch.
    #[inline(always)]
    pub(crate) fn each_overlap<S: Simd>(
        &self,
        simd: S,
        space: &EllipsoidSpace,
        center: &Point3<f64>,
        mut visit: impl FnMut(usize),
    ) {
        let bounds = Aabb3 { min: *center, max: *center }.grow(&space.half_extents());
        let measured = self.measured(space, center);
        let Some(gone) = measured.gone(space, center) else {
            let bounds = PackedBox::new(&bounds, &self.origin, self.extent);
            for packet in &self.packets {
                for lane in set_bits(bounds.meets(simd, packet) & packet.used(simd)) {
                    visit(packet.id(lane) as usize);
                }
            }
            return;
        };
        // Who has gone far is better told by its box from what is far now.
        let bounds = (gone > 0.0).then(|| PackedBox::new(&bounds, &self.origin, self.extent));
        for gaps in measured.gaps.iter().take_while(|gaps| gaps.least <= gone) {
            let packet = &self.packets[gaps.packet as usize];
            let mut among = at_most(gaps.lanes.load(simd), f32x8::simd_from(simd, gone)) & packet.used(simd);
            if let Some(bounds) = &bounds {
                among &= bounds.meets(simd, packet);
            }
            for lane in set_bits(among) {
                visit(packet.id(lane) as usize);
            }
        }
    }

    /// Hands out the triangles whose boxes meet a box, and possibly a few that only come close, until `visit` finds something.
    #[inline(always)]
    pub(crate) fn find_near<S: Simd, R>(
        &self,
        simd: S,
        bounds: &Aabb3<f64>,
        mut visit: impl FnMut(usize) -> Option<R>,
    ) -> Option<R> {
        let bounds = PackedBox::new(bounds, &self.origin, self.extent);
        for packet in &self.packets {
            for lane in set_bits(bounds.meets(simd, packet) & packet.used(simd)) {
                let found = visit(packet.id(lane) as usize);
                if found.is_some() {
                    return found;
                }
            }
        }
        None
    }

    /// The triangles whose boxes meet a box, and possibly a few that only come close.
    pub(crate) fn near(&self, level: SimdLevel, bounds: Aabb3<f64>) -> impl Iterator<Item = usize> {
        let bounds = PackedBox::new(&bounds, &self.origin, self.extent);
        self.packets.iter().flat_map(move |packet| {
            let near = dispatch!(level.0, simd => bounds.meets(simd, packet) & packet.used(simd));
            set_bits(near).map(|lane| packet.id(lane) as usize)
        })
    }
}

/// Measures anew how far those packets are that may have become near.
#[inline(always)]
fn measure_on<S: Simd>(simd: S, packets: &[TrianglePacket], all: &mut [Gaps], wide: &WideSweep, gone: f32) {
    for gaps in all {
        gaps.least = gaps.less(gone);
        if gaps.least > FAR {
            gaps.lanes = F32x8::splat(gaps.least);
        } else {
            let lanes = wide.gaps(simd, &packets[gaps.packet as usize]);
            gaps.least = least(lanes);
            gaps.lanes = F32x8(lanes.to_array());
        }
    }
}

/// Hands out those of some triangles of a packet that a sweep may touch up to a limit, from the nearest on.
#[inline(always)]
fn look<S: Simd>(
    simd: S,
    wide: &WideSweep,
    packet: &TrianglePacket,
    among: u8,
    limit: &mut f64,
    visit: &mut impl FnMut(usize, &mut f64),
) {
    let among = among & packet.used(simd);
    if among == 0 {
        return;
    }
    let reach = wide.distance(*limit);
    let Some(reached) = wide.reached(simd, packet, among, reach) else { return };
    if reached.lanes.is_power_of_two() {
        // To test a single one exactly takes hardly longer than the closer look, and spares it.
        return visit(packet.id(reached.lanes.trailing_zeros() as usize) as usize, limit);
    }
    let (lanes, entries) = reached.refined(reach);
    for (lane, entry) in nearest_first(lanes, entries.to_array()) {
        if entry > wide.distance(*limit) {
            break;
        }
        visit(packet.id(lane) as usize, limit);
    }
}

/// A box relative to an origin, rounded outwards.
pub(crate) struct PackedBox {
    min: [f32; 3],
    max: [f32; 3],
}

impl PackedBox {
    /// No coordinate of a triangle is farther from the origin than `extent`.
    #[inline(always)]
    fn new(bounds: &Aabb3<f64>, origin: &Point3<f64>, extent: f64) -> Self {
        let (min, max): (Vector3<f64>, Vector3<f64>) = (bounds.min - origin, bounds.max - origin);
        // A stored coordinate is off by half an ε of itself, and so is each of the box.
        let rounding = f64::from(f32::EPSILON) * (extent + min.largest() + max.largest());
        Self { min: [0, 1, 2].map(|i| (min[i] - rounding) as f32), max: [0, 1, 2].map(|i| (max[i] + rounding) as f32) }
    }

    /// Bit `i` is set unless the box of triangle `i` is certainly apart from this one.
    #[inline(always)]
    pub(crate) fn meets<S: Simd>(&self, simd: S, packet: &TrianglePacket) -> u8 {
        let zero = f32x8::simd_from(simd, 0.0);
        let mut gap = zero;
        // No closure: it would not be compiled for the level.
        for axis in 0..3 {
            let [low, high] = packet.interval(simd, axis);
            gap = gap.max(low - self.max[axis]).max(f32x8::simd_from(simd, self.min[axis]) - high);
        }
        at_most(gap, zero)
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{point, vector};

    use super::*;
    use crate::{shape::Ellipsoid, sweep::random::Random};

    #[test]
    fn a_gap_is_never_wider_than_the_way_to_the_triangle() {
        let space = Ellipsoid::new(vector![0.4, 0.9, 0.4]).expect("valid").space();
        let center = point![120.0, -3.0, 45.0];
        let (mut random, mut packed, mut tight, mut kept) = (Random(1), Packed::default(), 0, 0);
        const ROUNDS: usize = 12_000;
        for round in 0..ROUNDS {
            let size = [0.01, 0.3, 3.0, 300.0][round % 4];
            let a = center + random.vector() * 2.0;
            let (ab, ac) = (random.vector() * size, random.vector() * size);
            // Every third one is a sliver, and some of these are segments.
            let ac = if round % 3 == 0 { ab * 1.7 + ac * [0.0, 1e-7, 1e-4][round % 9 / 3] } else { ac };
            let triangle = Triangle::new(a, a + ab, a + ac);
            packed.clear(point![119.0, -2.0, 44.0], false);
            packed.push([triangle].iter());
            // Half of them are measured on the way there, too.
            for left in (1..=(round / 4 % 2 * 5)).rev() {
                packed.measure(SimdLevel::best(), 0, &space, center + random.vector() * (0.05 * left as f64));
            }
            packed.measure(SimdLevel::best(), 0, &space, center);
            let gap = f64::from(packed.measured.gaps[0].lanes.0[0]);
            packed.measured.from = None;
            packed.measure(SimdLevel::best(), 0, &space, center);
            kept += usize::from(gap < f64::from(packed.measured.gaps[0].lanes.0[0]));
            let [a, b, c] = triangle.vertices().map(|vertex| Point3::from(space.enter(&(vertex - center))));
            let way = Triangle::new(a, b, c).closest_point_f64(&Point3::origin()).distance - 1.0;
            assert!(gap <= way, "{gap} beyond {way} at {triangle:?}");
            tight += usize::from(way - gap < 1e-2);
        }
        assert!(tight > ROUNDS / 4, "only {tight} gaps say anything");
        assert!(kept > ROUNDS / 20, "only {kept} are those of a moment ago");
    }
}

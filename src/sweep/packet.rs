//! [`TrianglePacket`]: eight planes at once, rejection only.

use nalgebra::{Matrix3, Point3, Vector3};

use crate::{
    shape::Triangle,
    wide::{F32x8, LANES},
};

/// Up to eight triangles of a leaf: their planes for rejection, and which triangles they are.
///
/// Planes are relative to the middle of the mesh. A triangle without area has a zero normal and is never rejected.
#[derive(Debug, Clone, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct TrianglePacket {
    normal: [F32x8; 3],
    offset: F32x8,
    triangles: [u32; LANES],
    len: u32,
}

impl TrianglePacket {
    /// A packet of triangles, whose vertices are taken relative to `origin`.
    pub(crate) fn new(triangles: impl IntoIterator<Item = (u32, Triangle<f64>)>, origin: &Point3<f64>) -> Self {
        let zero = F32x8::splat(0.0);
        let mut packet = Self { normal: [zero; 3], offset: zero, triangles: [u32::MAX; LANES], len: 0 };
        for (lane, (id, triangle)) in triangles.into_iter().enumerate() {
            packet.triangles[lane] = id;
            packet.len += 1;
            let normal = triangle.unit_normal().unwrap_or_default().map(|x| x as f32);
            for axis in 0..3 {
                packet.normal[axis].0[lane] = normal[axis];
            }
            let heights = triangle.vertices().map(|v| normal.map(f64::from).dot(&(v - origin)));
            let (low, high) = (heights[0].min(heights[1]).min(heights[2]), heights[0].max(heights[1]).max(heights[2]));
            packet.offset.0[lane] = ((low + high) / 2.0) as f32;
        }
        packet
    }

    /// The triangle in a lane.
    pub(crate) fn triangle(&self, lane: usize) -> u32 {
        self.triangles[lane]
    }

    /// The triangles of the packet.
    pub(crate) fn triangles(&self) -> &[u32] {
        &self.triangles[..self.len as usize]
    }

    /// Bit `i` is set unless triangle `i` certainly stays clear of the whole motion.
    ///
    /// The height of the centre above each plane changes linearly, so it is enough to look at both ends. The reach of
    /// the body along each normal keeps this test in mesh space: there is no sphere here, and no tree for each body.
    #[inline(always)]
    pub(crate) fn candidates(&self, body: &WideBody) -> u8 {
        let [x, y, z] = self.normal;
        let dot = |v: &[F32x8; 3]| x * v[0] + y * v[1] + z * v[2];
        let start = dot(&body.center) - self.offset;
        let end = start + dot(&body.motion);
        let [p, q, r] = [dot(&body.axes[0]), dot(&body.axes[1]), dot(&body.axes[2])];
        let reach = (p * p + q * q + r * r).sqrt() + body.slack;
        // Both ends above, or both below: the smaller height is above the reach, or the larger one below it.
        let clear_above = start.min(end);
        let clear_below = (-start).min(-end);
        let used = ((1_u16 << self.len) - 1) as u8;
        clear_above.max(clear_below).at_most(reach) & used
    }
}

/// A moving body, ready to be compared with eight planes at once.
pub(crate) struct WideBody {
    center: [F32x8; 3],
    motion: [F32x8; 3],
    /// Where the body's unit axes end; its reach along `n` is the length of their products with `n`.
    axes: [[F32x8; 3]; 3],
    slack: F32x8,
}

impl WideBody {
    /// A body whose centre is at `center` from the mesh's middle; no coordinate of the mesh exceeds `extent`.
    pub(crate) fn new(center: &Vector3<f64>, motion: &Vector3<f64>, from_unit: &Matrix3<f64>, extent: f64) -> Self {
        let splat = |v: Vector3<f64>| [v.x, v.y, v.z].map(|x| F32x8::splat(x as f32));
        let axes = [0, 1, 2].map(|axis| splat(from_unit.column(axis).into_owned()));
        // Every product and sum below rounds once, relative to numbers no larger than these; eight roundings are more
        // than there are on any way through `candidates`. Without this a touch on a flat floor is lost now and then.
        let sizes = center.abs().sum() + motion.abs().sum() + 3.0 * extent + from_unit.abs().sum();
        let slack = 8.0 * f64::from(f32::EPSILON) * sizes;
        Self { center: splat(*center), motion: splat(*motion), axes, slack: F32x8::splat(slack as f32) }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::point;

    use super::*;

    #[test]
    fn only_planes_that_the_body_reaches_are_candidates() {
        let floor = |y: f64| Triangle::new(point![0.0, y, 0.0], point![0.0, y, 1.0], point![1.0, y, 0.0]);
        let segment = Triangle::new(point![0.0, 90.0, 0.0], point![0.0, 91.0, 0.0], point![0.0, 92.0, 0.0]);
        let triangles = [(5, floor(0.0)), (7, floor(1.0)), (8, floor(3.0)), (9, segment)];
        let packet = TrianglePacket::new(triangles, &Point3::origin());
        let body =
            WideBody::new(&Vector3::new(0.0, 4.5, 0.0), &-Vector3::y(), &Matrix3::from_diagonal_element(1.0), 92.0);
        assert_eq!(packet.candidates(&body), 0b1100);
        let body =
            WideBody::new(&Vector3::new(0.0, 3.0, 0.0), &-Vector3::y(), &Matrix3::from_diagonal_element(1.0), 92.0);
        assert_eq!(packet.candidates(&body), 0b1110, "touching counts");
        assert_eq!(packet.triangles(), [5, 7, 8, 9]);
    }
}

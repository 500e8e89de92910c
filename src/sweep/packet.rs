//! [`TrianglePacket`]: eight triangles as lanes see them.

use nalgebra::Point3;

use crate::{
    shape::Triangle,
    wide::{F32x8, LANES, Simd, f32x8, prefetch, prelude::*, u32x8},
};

/// Up to eight triangles of a leaf: their vertices, and which triangles they are.
///
/// Vertices are relative to the tree's origin. Lanes beyond the last triangle repeat its vertices, but have no id.
#[derive(Debug, Clone, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct TrianglePacket {
    /// x, y and z of the first vertices, of the second and of the third.
    pub(super) lanes: [F32x8; 9],
    triangles: [u32; LANES],
}

impl TrianglePacket {
    /// A packet of one to eight triangles, whose vertices are taken relative to `origin`.
    pub(crate) fn new(triangles: impl ExactSizeIterator<Item = (u32, Triangle<f64>)>, origin: &Point3<f64>) -> Self {
        let mut packet = Self { lanes: [F32x8::splat(0.0); 9], triangles: [u32::MAX; LANES] };
        let len = triangles.len();
        for (lane, (id, triangle)) in triangles.enumerate() {
            packet.triangles[lane] = id;
            packet.write(lane, &triangle, origin);
        }
        packet.repeat_last(len);
        packet
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
            self.write(lane, &triangle(self.triangles[lane]), origin);
        }
        self.repeat_last(len);
    }

    #[inline(always)]
    fn write(&mut self, lane: usize, triangle: &Triangle<f64>, origin: &Point3<f64>) {
        for (corner, vertex) in triangle.vertices().iter().enumerate() {
            for axis in 0..3 {
                self.lanes[3 * corner + axis].0[lane] = (vertex[axis] - origin[axis]) as f32;
            }
        }
    }

    /// Fills the lanes beyond the last of `len` triangles with its vertices.
    #[inline(always)]
    fn repeat_last(&mut self, len: usize) {
        if len > 0 && len < LANES {
            for lanes in &mut self.lanes {
                let last = lanes.0[len - 1];
                lanes.0[len..].fill(last);
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

//! The one walk through the tree. It knows boxes and costs, not shapes; each query is a bound and a leaf.

use arrayvec::ArrayVec;
use nalgebra::Vector3;

use super::{Child, Content, Node, Octree, build::MAX_DEPTH};
use crate::{
    real::Real,
    sweep::packet::TrianglePacket,
    wide::{F32x8, set_bits},
};

/// A level leaves at most seven siblings waiting, so the deepest path holds `7 · MAX_DEPTH + 1` entries.
const STACK: usize = 7 * MAX_DEPTH + 1;

/// How much work a query did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Visits {
    /// Nodes whose eight boxes were tested.
    pub nodes: usize,
    /// Packets whose eight planes were tested.
    pub packets: usize,
    /// Triangles that the exact kernel looked at.
    pub triangles: usize,
}

impl<T: Real> Octree<T> {
    /// Visits packets from the nearest on, until none can beat the best cost found.
    ///
    /// `bound` gives for each child of a node a lower bound of the cost of anything inside, or infinity where nothing in
    /// it can matter. `visit` looks at one packet and returns the cost that later ones have to beat. Children whose
    /// cost equals the limit are still visited: among equals the lower triangle id wins, wherever it is.
    pub(super) fn nearest_first(
        &self,
        mut limit: f32,
        visits: &mut Visits,
        bound: impl Fn(&Node, f32) -> F32x8,
        mut visit: impl FnMut(&TrianglePacket, f32, &mut Visits) -> f32,
    ) {
        let mut waiting = ArrayVec::<(f32, Child), STACK>::new();
        waiting.push((0.0, self.root));
        while let Some((cost, child)) = waiting.pop() {
            if cost > limit {
                continue; // something nearer was found since it was pushed
            }
            match child.content() {
                Content::Packet(index) => {
                    visits.packets += 1;
                    limit = visit(&self.packets[index], limit, visits);
                }
                Content::Node(index) => {
                    visits.nodes += 1;
                    let node = &self.nodes[index];
                    let costs = bound(node, limit);
                    let first = waiting.len();
                    // A cost of infinity means none, even while there is no limit yet.
                    for lane in set_bits(costs.at_most(F32x8::splat(limit.min(f32::MAX)))) {
                        let entry = (costs.0[lane], node.children[lane]);
                        // Sorted in as it comes, the nearest last; there are few.
                        let place = waiting[first..].partition_point(|(cost, _)| *cost > entry.0);
                        waiting.insert(first + place, entry);
                    }
                }
            }
        }
    }
}

/// Bounds the moving box of a body, or a ray, against eight boxes (Kay and Kajiya 1986).
pub(super) struct SlabBound {
    center: [F32x8; 3],
    inverse_motion: [F32x8; 3],
    is_forward: [bool; 3],
    /// Half extents of the body plus the rounding of this test.
    margin: [F32x8; 3],
}

/// Below this a component of the motion counts as zero, and its inverse as `LARGE`: with the margin, which is larger, the
/// quotients then fall far outside of `0..=1`, or the box is not rejected.
const SMALL: f32 = 1e-28;
const LARGE: f32 = 1e30;

impl SlabBound {
    /// A box with half extents `half`, moving from `center` (relative to the mesh's middle) by `motion`; no coordinate of
    /// the mesh exceeds `extent`.
    pub(super) fn new(center: &Vector3<f64>, motion: &Vector3<f64>, half: &Vector3<f64>, extent: f64) -> Self {
        let margin = half.zip_zip_map(center, motion, |half, center, motion| {
            // Differences of coordinates are off by one rounding of the larger one, quotients by three of the motion.
            let rounding = f64::from(f32::EPSILON) * 4.0 * (center.abs() + motion.abs() + half + extent);
            half + rounding + 10.0 * f64::from(SMALL)
        });
        let inverse = motion.map(|v| {
            let v = v as f32;
            if v.abs() < SMALL { LARGE } else { (1.0 / v).clamp(-LARGE, LARGE) }
        });
        let splat = |v: Vector3<f64>| [v.x, v.y, v.z].map(|x| F32x8::splat(x as f32));
        Self {
            center: splat(*center),
            inverse_motion: [inverse.x, inverse.y, inverse.z].map(F32x8::splat),
            is_forward: [inverse.x > 0.0, inverse.y > 0.0, inverse.z > 0.0],
            margin: splat(margin),
        }
    }

    /// For each child the share of the motion at which its box is entered, or infinity where it is not within `limit`.
    #[inline(always)]
    pub(super) fn entries(&self, node: &Node, limit: f32) -> F32x8 {
        let mut enter = F32x8::splat(0.0);
        let mut exit = F32x8::splat(limit);
        for axis in 0..3 {
            let low = (node.min[axis] - self.margin[axis] - self.center[axis]) * self.inverse_motion[axis];
            let high = (node.max[axis] + self.margin[axis] - self.center[axis]) * self.inverse_motion[axis];
            // By direction, not by size: the box of an empty child is inside out and must stay so.
            let (near, far) = if self.is_forward[axis] { (low, high) } else { (high, low) };
            enter = enter.max(near);
            exit = exit.min(far);
        }
        where_at_most(enter, exit)
    }
}

/// Bounds the distance from a point to eight boxes.
pub(super) struct DistanceBound {
    center: [F32x8; 3],
    margin: F32x8,
}

impl DistanceBound {
    /// Distances from `center`, relative to the mesh's middle; no coordinate of the mesh exceeds `extent`.
    pub(super) fn new(center: &Vector3<f64>, extent: f64) -> Self {
        let margin = f64::from(f32::EPSILON) * 4.0 * (center.amax() + extent);
        Self {
            center: [center.x, center.y, center.z].map(|x| F32x8::splat(x as f32)),
            margin: F32x8::splat(margin as f32),
        }
    }

    /// For each child a lower bound of the distance to anything in it, infinity for empty ones.
    #[inline(always)]
    pub(super) fn distances(&self, node: &Node) -> F32x8 {
        let zero = F32x8::splat(0.0);
        let mut squared = zero;
        for axis in 0..3 {
            let outside = (node.min[axis] - self.center[axis]).max(self.center[axis] - node.max[axis]);
            let outside = (outside - self.margin).max(zero);
            squared = squared + outside * outside;
        }
        // The square and its root round by less than four times ε.
        squared.sqrt() * F32x8::splat(1.0 - 4.0 * f32::EPSILON)
    }
}

/// Bounds a still box against eight boxes: zero where they meet, infinity elsewhere.
pub(super) struct OverlapBound {
    min: [F32x8; 3],
    max: [F32x8; 3],
}

impl OverlapBound {
    /// The box from `min` to `max`, relative to the mesh's middle.
    pub(super) fn new(min: &Vector3<f64>, max: &Vector3<f64>) -> Self {
        let splat =
            |v: &Vector3<f64>, outwards: fn(f32) -> f32| [v.x, v.y, v.z].map(|x| F32x8::splat(outwards(x as f32)));
        Self { min: splat(min, f32::next_down), max: splat(max, f32::next_up) }
    }

    /// Zero for each child whose box meets this one, infinity for the others.
    #[inline(always)]
    pub(super) fn meets(&self, node: &Node) -> F32x8 {
        let mut gap = F32x8::splat(0.0);
        for axis in 0..3 {
            gap = gap.max((node.min[axis] - self.max[axis]).max(self.min[axis] - node.max[axis]));
        }
        where_at_most(gap.max(F32x8::splat(0.0)), F32x8::splat(0.0))
    }
}

/// Lane by lane `a` where it is at most `b`, infinity elsewhere.
#[inline(always)]
fn where_at_most(a: F32x8, b: F32x8) -> F32x8 {
    let mut out = a;
    for (lane, x) in out.0.iter_mut().enumerate() {
        *x = if a.0[lane] <= b.0[lane] { a.0[lane] } else { f32::INFINITY };
    }
    out
}

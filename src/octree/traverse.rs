//! The one walk through the tree. It knows boxes and costs, not shapes; each query is a bound and a leaf.

use arrayvec::ArrayVec;
use nalgebra::Vector3;

use super::{Child, Content, LEAF_GROUPS, Leaf, Node, Octree, build::MAX_DEPTH};
use crate::{
    real::Real,
    sweep::packet::TrianglePacket,
    wide::{
        LANES, Simd, at_most, f32x8, from_bytes, mask8x64, mask32x8, prefetch, prefetch_bytes, prelude::*, set_bits,
        u8x64,
    },
};

/// A node leaves at most seven of its children waiting, and the leaf at the end of the path all but one of its packets.
const STACK: usize = 7 * MAX_DEPTH + LEAF_GROUPS * LANES;

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

/// What a query looks for: a bound for boxes, and a look at the triangles of a packet.
pub(super) trait Search<T: Real, S: Simd> {
    /// For each child a lower bound of the cost of anything inside; bit `i` is set where child `i` may hold something
    /// that costs no more than `limit`.
    fn bound(&self, simd: S, boxes: &impl Boxes, limit: f32) -> (u8, f32x8<S>);

    /// Looks at one packet, and returns the cost that later ones have to beat.
    fn visit(&mut self, simd: S, tree: &Octree<T>, packet: &TrianglePacket, limit: f32, visits: &mut Visits) -> f32;
}

/// A walk through the tree, from the nearest packet on, until none can beat the best cost found.
///
/// Children whose cost equals the limit are still visited: among equals the lower triangle id wins, wherever it is.
pub(super) struct Walk {
    /// Where it is; what it does next.
    here: Child,
    /// The cost's bits above the child: costs are not negative, so that these numbers are in the order of the costs.
    waiting: ArrayVec<u64, STACK>,
    limit: f32,
}

/// No entry at all.
const NONE: u64 = u64::MAX;

impl Walk {
    /// A walk that is at its end before it begins.
    pub(super) fn ended() -> Self {
        Self { here: Child::NONE, waiting: ArrayVec::new(), limit: 0.0 }
    }

    /// Begins again at the root: a walk is large, and used again rather than made again.
    #[inline(always)]
    pub(super) fn begin<T: Real>(&mut self, tree: &Octree<T>, limit: f32) {
        self.here = tree.root;
        self.waiting.clear();
        self.limit = limit;
    }

    /// Looks at a node or a packet and goes on to the next one; false when there is none.
    #[inline(always)]
    pub(super) fn step<T: Real, S: Simd>(
        &mut self,
        simd: S,
        tree: &Octree<T>,
        search: &mut impl Search<T, S>,
        visits: &mut Visits,
    ) -> bool {
        match self.here.content() {
            Content::Packet(index) => {
                visits.packets += 1;
                self.limit = search.visit(simd, tree, &tree.packets[index], self.limit, visits);
                self.turn_back()
            }
            Content::Leaf(index) => {
                visits.nodes += 1;
                let leaf = &tree.leaves[index];
                let first = self.waiting.len();
                let mut nearest = NONE;
                for group in 0..(leaf.len as usize).div_ceil(LANES).min(LEAF_GROUPS) {
                    let boxes = LeafGroup { leaf, group };
                    let (reached, costs) = search.bound(simd, &boxes, self.limit);
                    let packets = leaf.first as usize + group * LANES;
                    let reached = reached & (leaf.used() >> (group * LANES)) as u8;
                    if reached != 0 {
                        let child = |lane| Child::packet(packets + lane);
                        self.fork(tree, first, &mut nearest, child, reached, costs.to_array());
                    }
                }
                self.go_on(nearest)
            }
            Content::Node(index) => {
                visits.nodes += 1;
                let node = &tree.nodes[index];
                let (reached, costs) = search.bound(simd, node, self.limit);
                if reached & reached.wrapping_sub(1) != 0 {
                    let (first, mut nearest) = (self.waiting.len(), NONE);
                    self.fork(tree, first, &mut nearest, |lane| node.children[lane], reached, costs.to_array());
                    self.go_on(nearest)
                } else if reached != 0 {
                    // The most frequent case, and the shortest way to the next node.
                    self.here = node.children[reached.trailing_zeros() as usize];
                    true
                } else {
                    self.turn_back()
                }
            }
        }
    }

    /// Asks for the memory of the next step.
    #[inline(always)]
    pub(super) fn ask_ahead<T: Real>(&self, tree: &Octree<T>) {
        tree.prefetch(self.here);
    }

    /// Adds children to those that wait from `first` on, which are sorted; but keeps the nearest one of all apart.
    #[inline(always)]
    fn fork<T: Real>(
        &mut self,
        tree: &Octree<T>,
        first: usize,
        nearest: &mut u64,
        child: impl Fn(usize) -> Child,
        reached: u8,
        costs: [f32; LANES],
    ) {
        for lane in set_bits(reached) {
            let child = child(lane);
            tree.prefetch(child);
            let entry = u64::from(costs[lane].to_bits()) << 32 | u64::from(child.0);
            let entry = if entry < *nearest { std::mem::replace(nearest, entry) } else { entry };
            if entry == NONE {
                continue;
            }
            // Sorted in as it comes, the nearest last; there are few.
            let mut place = self.waiting.len();
            self.waiting.push(entry);
            while place > first && self.waiting[place - 1] < entry {
                self.waiting[place] = self.waiting[place - 1];
                place -= 1;
            }
            self.waiting[place] = entry;
        }
    }

    #[inline(always)]
    fn go_on(&mut self, nearest: u64) -> bool {
        if nearest == NONE {
            return self.turn_back();
        }
        self.here = Child(nearest as u32);
        true
    }

    /// Takes up what was left waiting and is still of interest.
    #[inline(always)]
    fn turn_back(&mut self) -> bool {
        while let Some(entry) = self.waiting.pop() {
            // Otherwise something nearer was found since it was left.
            if f32::from_bits((entry >> 32) as u32) <= self.limit {
                self.here = Child(entry as u32);
                return true;
            }
        }
        false
    }
}

impl<T: Real> Octree<T> {
    /// Walks the tree to the end.
    #[inline(always)]
    pub(super) fn search<S: Simd>(&self, simd: S, limit: f32, search: &mut impl Search<T, S>, visits: &mut Visits) {
        // Made in place: the stack is large, and moving it would cost as much as a node.
        let mut walk = Walk { here: self.root, waiting: ArrayVec::new(), limit };
        while walk.step(simd, self, search, visits) {}
    }

    #[inline(always)]
    fn prefetch(&self, child: Child) {
        match child.content() {
            Content::Node(index) => prefetch(&self.nodes[index].bounds),
            Content::Leaf(index) => prefetch_bytes(&self.leaves[index].boxes),
            Content::Packet(index) => self.packets[index].prefetch(),
        }
    }
}

/// A walk through the tree that only finds which packets' boxes meet a box.
///
/// Nothing waits for the memory of packets, or for what is in them, while there are others to be found.
pub(super) struct Gathering {
    whole: OverlapBound,
    waiting: ArrayVec<Child, STACK>,
}

/// From so many packets on they are handed out; a leaf may add all of its own to fewer.
const ENOUGH: usize = 16;

/// Packets, by their indices.
pub(super) type Gathered = ArrayVec<u32, { ENOUGH + LEAF_GROUPS * LANES }>;

impl Gathering {
    #[inline(always)]
    pub(super) fn new<T: Real>(tree: &Octree<T>, whole: OverlapBound) -> Self {
        let mut gathering = Self { whole, waiting: ArrayVec::new() };
        gathering.waiting.push(tree.root);
        gathering
    }

    /// Finds the next packets; none at the end.
    #[inline(always)]
    pub(super) fn next<T: Real, S: Simd>(
        &mut self,
        simd: S,
        tree: &Octree<T>,
        gathered: &mut Gathered,
        visits: &mut Visits,
    ) {
        gathered.clear();
        while gathered.len() < ENOUGH
            && let Some(mut here) = self.waiting.pop()
        {
            // Down to a leaf; other children on the way have to wait.
            while let Content::Node(index) = here.content() {
                visits.nodes += 1;
                let node = &tree.nodes[index];
                let met = self.whole.meets(simd, node);
                if met == 0 {
                    break;
                }
                here = node.children[met.trailing_zeros() as usize];
                for lane in set_bits(met & (met - 1)) {
                    let child = node.children[lane];
                    tree.prefetch(child);
                    self.waiting.push(child);
                }
            }
            if let Content::Leaf(index) = here.content() {
                visits.nodes += 1;
                let leaf = &tree.leaves[index];
                let mut met = self.whole.meets_packets(simd, leaf);
                while met != 0 {
                    let packet = leaf.first + met.trailing_zeros();
                    tree.prefetch(Child::packet(packet as usize));
                    gathered.push(packet);
                    met &= met - 1;
                }
            }
        }
    }
}

/// Bounds the moving box of a body, or a ray, against eight boxes (Kay and Kajiya 1986).
#[derive(Debug, Clone)]
pub(super) struct SlabBound {
    /// The centre, with the half extents of the body and the rounding of this test added, and taken away.
    upper: [f32; 3],
    lower: [f32; 3],
    inverse_motion: [f32; 3],
}

/// Below this a component of the motion counts as zero, and its inverse as `LARGE`: with the margin, which is larger, the
/// quotients then fall far outside of `0..=1`, or the box is not rejected.
const SMALL: f32 = 1e-28;
const LARGE: f32 = 1e30;

impl SlabBound {
    /// A box with half extents `half`, moving from `center` (relative to the tree's origin) by `motion`; no coordinate of
    /// the mesh exceeds `extent`.
    #[inline(always)]
    pub(super) fn new(center: &Vector3<f64>, motion: &Vector3<f64>, half: &Vector3<f64>, extent: f64) -> Self {
        let mut bound = Self { upper: [0.0; 3], lower: [0.0; 3], inverse_motion: [0.0; 3] };
        for axis in 0..3 {
            let (center, half, speed) = (center[axis], half[axis], motion[axis]);
            let margin = half + rounding(center, speed, half, extent);
            let speed = speed as f32;
            bound.inverse_motion[axis] = if speed.abs() < SMALL { LARGE } else { (1.0 / speed).clamp(-LARGE, LARGE) };
            bound.upper[axis] = (center + margin) as f32;
            bound.lower[axis] = (center - margin) as f32;
        }
        bound
    }

    /// For each child the share of the motion at which its box is entered; bit `i` is set where that is within `limit`.
    #[inline(always)]
    pub(super) fn entries<S: Simd>(&self, simd: S, boxes: &impl Boxes, limit: f32) -> (u8, f32x8<S>) {
        let mut enter = f32x8::simd_from(simd, 0.0);
        let mut exit = f32x8::simd_from(simd, limit);
        for axis in 0..3 {
            let [low, high] =
                boxes.crossings(simd, axis, [self.upper[axis], self.lower[axis]], self.inverse_motion[axis]);
            // Of two zeros the second counts on most machines, and must not be a negative one.
            enter = low.min(high).max(enter);
            exit = low.max(high).min(exit);
        }
        (at_most(enter, exit), enter)
    }
}

/// What comparing boxes along an axis is off by. Differences of coordinates are off by five roundings of the larger one,
/// quotients by three of the motion.
#[inline(always)]
fn rounding(center: f64, speed: f64, half: f64, extent: f64) -> f64 {
    f64::from(f32::EPSILON) * 8.0 * (center.abs() + speed.abs() + half + extent) + 10.0 * f64::from(SMALL)
}

/// Bounds the distance from a point to boxes.
#[derive(Debug, Clone)]
pub(super) struct DistanceBound {
    center: [f32; 3],
    margin: f32,
}

impl DistanceBound {
    /// Distances from `center`, relative to the tree's origin; no coordinate of the mesh exceeds `extent`. `None` where the
    /// centre is nowhere.
    pub(super) fn new(center: &Vector3<f64>, extent: f64) -> Option<Self> {
        let margin = f64::from(f32::EPSILON) * 4.0 * (center.amax() + extent);
        let bound = Self { center: [center.x, center.y, center.z].map(|x| x as f32), margin: margin as f32 };
        bound.center.iter().all(|x| x.is_finite()).then_some(bound)
    }

    /// For each of eight boxes a lower bound of the distance to anything in it, infinity for empty ones; bit `i` is set
    /// where that is within `limit`.
    #[inline(always)]
    pub(super) fn distances<S: Simd>(&self, simd: S, boxes: &impl Boxes, limit: f32) -> (u8, f32x8<S>) {
        let zero = f32x8::simd_from(simd, 0.0);
        let mut squared = zero;
        for axis in 0..3 {
            let [min, max] = boxes.interval(simd, axis);
            let center = f32x8::simd_from(simd, self.center[axis]);
            let outside = ((min - center).max(center - max) - self.margin).max(zero);
            squared += outside * outside;
        }
        // The square and its root round by less than four times ε.
        let distance = squared.sqrt() * (1.0 - 4.0 * f32::EPSILON);
        // An empty box is infinitely far away, which is not within a limit of infinity.
        (at_most(distance, f32x8::simd_from(simd, limit.min(f32::MAX))), distance)
    }
}

/// Bounds a still box against boxes: which of them it meets.
#[derive(Debug, Clone, Copy)]
pub(super) struct OverlapBound {
    min: [f32; 3],
    max: [f32; 3],
}

impl OverlapBound {
    /// The box from `min` to `max`, relative to the tree's origin.
    pub(super) fn new(min: &Vector3<f64>, max: &Vector3<f64>) -> Self {
        // Where a child is missing is its box, and must not be met.
        let outwards =
            |v: &Vector3<f64>, step: fn(f32) -> f32| [v.x, v.y, v.z].map(|x| step(x.clamp(-1e30, 1e30) as f32));
        Self { min: outwards(min, f32::next_down), max: outwards(max, f32::next_up) }
    }

    /// The same, larger by what comparing it with boxes in whole steps rounds by.
    pub(super) fn rounded(min: &Vector3<f64>, max: &Vector3<f64>, extent: f64) -> Self {
        let margin = |a: f64, b: f64| rounding(0.0, 0.0, a.abs().max(b.abs()), extent);
        let margin = min.zip_map(max, margin);
        Self::new(&(min - margin), &(max + margin))
    }

    /// The box around the whole way of another one, as in [`SlabBound::new`].
    #[inline(always)]
    pub(super) fn of_way(center: &Vector3<f64>, motion: &Vector3<f64>, half: &Vector3<f64>, extent: f64) -> Self {
        let mut whole = Self { min: [0.0; 3], max: [0.0; 3] };
        for axis in 0..3 {
            let (center, speed) = (center[axis], motion[axis]);
            let margin = half[axis] + rounding(center, speed, half[axis], extent);
            whole.min[axis] = (center + speed.min(0.0) - margin) as f32;
            whole.max[axis] = (center + speed.max(0.0) + margin) as f32;
        }
        whole
    }

    /// Bit `i` is set where box `i` meets this one.
    #[inline(always)]
    pub(super) fn meets<S: Simd>(&self, simd: S, boxes: &impl Boxes) -> u8 {
        let [x, y, z] = [self.along(simd, boxes, 0), self.along(simd, boxes, 1), self.along(simd, boxes, 2)];
        (x & y & z).to_bitmask() as u8
    }

    #[inline(always)]
    fn along<S: Simd>(&self, simd: S, boxes: &impl Boxes, axis: usize) -> mask32x8<S> {
        let [min, max] = boxes.interval(simd, axis);
        min.simd_le(self.max[axis]) & max.simd_ge(self.min[axis])
    }

    /// Bit `i` is set where the box of packet `i` of a leaf may meet this one, which is around a way: all of them are compared
    /// at once, in whole steps.
    #[inline(always)]
    fn meets_packets<S: Simd>(&self, simd: S, leaf: &Leaf) -> u64 {
        let [x, y, z] = [self.steps(simd, leaf, 0), self.steps(simd, leaf, 1), self.steps(simd, leaf, 2)];
        (x & y & z).to_bitmask() & leaf.used()
    }

    #[inline(always)]
    fn steps<S: Simd>(&self, simd: S, leaf: &Leaf, axis: usize) -> mask8x64<S> {
        let (origin, per_step) = (leaf.origin[axis], leaf.per_step[axis]);
        // These casts round towards zero and end at 0 and 255. What products and the boxes in steps round by, this box has
        // been made larger by. Without a step all is at 0.
        let first = ((self.min[axis] - origin) * per_step) as u8;
        let last = ((self.max[axis] - origin) * per_step) as u8;
        let (min, max) = (u8x64::simd_from(simd, leaf.boxes[axis]), u8x64::simd_from(simd, leaf.boxes[axis + 3]));
        min.simd_le(last) & max.simd_ge(first)
    }
}

/// Eight boxes: those of a node's children, or of a packet's triangles.
pub(super) trait Boxes {
    /// Their smallest and largest coordinates along an axis.
    fn interval<S: Simd>(&self, simd: S, axis: usize) -> [f32x8<S>; 2];

    /// The same, less `from`, times `factor`.
    #[inline(always)]
    fn crossings<S: Simd>(&self, simd: S, axis: usize, from: [f32; 2], factor: f32) -> [f32x8<S>; 2] {
        let [min, max] = self.interval(simd, axis);
        [(min - from[0]) * factor, (max - from[1]) * factor]
    }
}

impl Boxes for Node {
    #[inline(always)]
    fn interval<S: Simd>(&self, simd: S, axis: usize) -> [f32x8<S>; 2] {
        [self.bounds[axis].load(simd), self.bounds[axis + 3].load(simd)]
    }
}

/// The boxes of eight packets of a leaf.
struct LeafGroup<'a> {
    leaf: &'a Leaf,
    group: usize,
}

impl LeafGroup<'_> {
    /// Eight smallest or largest coordinates, in steps.
    #[inline(always)]
    fn steps(&self, side: usize) -> &[u8; LANES] {
        &self.leaf.boxes[side].as_chunks().0[self.group % LEAF_GROUPS]
    }
}

impl Leaf {
    /// The packets that are there.
    #[inline(always)]
    fn used(&self) -> u64 {
        u64::MAX >> (u64::BITS - self.len.clamp(1, u64::BITS))
    }
}

impl Boxes for LeafGroup<'_> {
    #[inline(always)]
    fn interval<S: Simd>(&self, simd: S, axis: usize) -> [f32x8<S>; 2] {
        let (origin, step) = (self.leaf.origin[axis], self.leaf.step[axis]);
        let [min, max] = [self.steps(axis), self.steps(axis + 3)];
        [from_bytes(simd, min) * step + origin, from_bytes(simd, max) * step + origin]
    }

    #[inline(always)]
    fn crossings<S: Simd>(&self, simd: S, axis: usize, from: [f32; 2], factor: f32) -> [f32x8<S>; 2] {
        // What is the same for all boxes is computed once.
        let [min, max] = [self.steps(axis), self.steps(axis + 3)];
        let (step, origin) = (self.leaf.step[axis] * factor, self.leaf.origin[axis]);
        [
            from_bytes(simd, min) * step + (origin - from[0]) * factor,
            from_bytes(simd, max) * step + (origin - from[1]) * factor,
        ]
    }
}

impl Boxes for TrianglePacket {
    #[inline(always)]
    fn interval<S: Simd>(&self, simd: S, axis: usize) -> [f32x8<S>; 2] {
        TrianglePacket::interval(self, simd, axis)
    }
}

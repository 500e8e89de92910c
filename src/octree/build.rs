//! Building the tree, in two steps.
//!
//! First the triangles are parted in two, and these again, where the surface-area measure is least (MacDonald and Booth
//! 1990), in sixteen bins along each axis (Wald 2007), until at most eight are left. The measure counts packets, not
//! triangles, so that packets come out full. Then nodes of eight children are chosen from that binary tree so that the sum
//! of their surfaces is the least of all choices, by dynamic programming (Ylitie, Karras and Laine 2017). Costs
//! O(n · depth). The same mesh gives the same tree, however many threads build it.

use std::{ops::Range, sync::Arc};

use arrayvec::ArrayVec;
use nalgebra::Point3;

use super::{Child, LEAF_GROUPS, Leaf, Node, Octree};
use crate::{
    mesh::TriMesh,
    real::Real,
    shape::Triangle,
    sweep::packet::TrianglePacket,
    wide::{LANES, SimdLevel},
};

/// Partings by the surface-area measure on the way to a packet; below, cells are halved by number, which ends after at
/// most 32 more.
const MEASURED_PARTINGS: usize = 48;

/// No path from the root to a packet has more nodes than this: every level parts a cell at least once.
pub(super) const MAX_DEPTH: usize = MEASURED_PARTINGS + 32;

/// Bins along an axis, of which the borders are candidates for a parting.
const BINS: usize = 16;

/// A triangle as the builder sees it: its box relative to the origin, rounded outwards.
#[derive(Debug, Clone, Copy)]
struct Item {
    // A fourth coordinate, always zero, makes them fit a vector of four.
    min: [f32; 4],
    max: [f32; 4],
    id: u32,
}

impl Item {
    /// Twice the middle of the box.
    #[inline(always)]
    fn center(&self, axis: usize) -> f32 {
        self.min[axis] + self.max[axis]
    }
}

/// A box that grows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    min: [f32; 4],
    max: [f32; 4],
}

impl Bounds {
    pub(super) const EMPTY: Self = Self { min: [f32::INFINITY; 4], max: [f32::NEG_INFINITY; 4] };

    #[inline(always)]
    fn include(&mut self, min: &[f32; 4], max: &[f32; 4]) {
        for axis in 0..4 {
            self.min[axis] = if min[axis] < self.min[axis] { min[axis] } else { self.min[axis] };
            self.max[axis] = if max[axis] > self.max[axis] { max[axis] } else { self.max[axis] };
        }
    }

    fn around(items: &[Item]) -> Self {
        let mut bounds = Self::EMPTY;
        for item in items {
            bounds.include(&item.min, &item.max);
        }
        bounds
    }

    /// The box of a triangle relative to the origin, rounded outwards.
    #[inline(always)]
    pub(super) fn of(triangle: &Triangle<f64>, origin: &Point3<f64>) -> Self {
        let corners = triangle.vertices().map(|p| p - origin);
        let mut bounds = Self { min: [0.0; 4], max: [0.0; 4] };
        for axis in 0..3 {
            let [a, b, c] = corners.map(|p| p[axis]);
            // Adding zero makes −0 and 0 one number, so that the order of triangles does not show in a box.
            bounds.min[axis] = below(a.min(b).min(c)) + 0.0;
            bounds.max[axis] = above(a.max(b).max(c)) + 0.0;
        }
        bounds
    }

    /// The largest distance of a coordinate from zero.
    pub(super) fn extent(&self) -> f64 {
        f64::from([self.min, self.max].into_iter().flatten().fold(0.0_f32, |extent, x| extent.max(x.abs())))
    }

    /// Makes this the box of a child.
    pub(super) fn write(&self, node: &mut Node, lane: usize) {
        for axis in 0..3 {
            node.bounds[axis].0[lane] = self.min[axis];
            node.bounds[axis + 3].0[lane] = self.max[axis];
        }
    }

    pub(super) fn union(&self, other: &Self) -> Self {
        let mut union = *self;
        union.include(&other.min, &other.max);
        union
    }

    /// Half the surface of the box when it is longer by `growth` along each axis.
    #[inline(always)]
    fn surface(&self, growth: f32) -> f32 {
        let size = |axis: usize| (self.max[axis] - self.min[axis]).max(0.0) + growth;
        let (x, y, z) = (size(0), size(1), size(2));
        x * y + y * z + z * x
    }
}

/// A part of the binary tree, in the order in which it is walked depth first: the lower half follows at once.
#[derive(Debug, Clone)]
struct Branch {
    bounds: Bounds,
    triangles: u32,
    packets: u32,
    /// Where the upper half is, counted from here; zero for a packet.
    upper: u32,
    /// The least sum of surfaces of nodes when this part is made at most 1, 2, … 7 children of a node.
    costs: [f32; LANES - 1],
    /// How many of 2, 3, … 8 children come from the lower half for that sum; zero where one child less does as well.
    from_lower: [u8; LANES - 1],
}

impl Branch {
    fn is_packet(&self) -> bool {
        self.upper == 0
    }

    /// Whether it is small enough for a leaf.
    fn is_leaf(&self) -> bool {
        self.packets as usize <= LEAF_GROUPS * LANES
    }
}

struct Builder<'a, T: Real> {
    mesh: &'a TriMesh<T>,
    origin: Point3<f64>,
    in_parallel: bool,
    /// What a body adds to the size of a box that it is swept against; only a guess is needed.
    growth: f32,
}

impl<T: Real> Octree<T> {
    /// Builds the tree of a mesh. The same mesh always gives the same tree.
    ///
    /// With the feature `parallel` the threads of rayon's current pool take part.
    pub fn new(mesh: impl Into<Arc<TriMesh<T>>>) -> Self {
        Self::build(mesh.into(), cfg!(feature = "parallel"))
    }

    /// Builds the same tree as [`Octree::new`] on the calling thread alone.
    pub fn new_serial(mesh: impl Into<Arc<TriMesh<T>>>) -> Self {
        Self::build(mesh.into(), false)
    }

    fn build(mesh: Arc<TriMesh<T>>, in_parallel: bool) -> Self {
        let bounds = mesh.bounds();
        let origin = bounds.exact_origin();
        let mut items = items_of(&mesh, &origin, in_parallel);
        let builder = Builder { mesh: &mesh, origin, in_parallel, growth: usual_size(&items) };
        let mut branches = Vec::new();
        builder.part(&mut items, 0, &mut branches);
        let mut choice =
            Choice { branches: &branches, nodes: Vec::new(), leaves: Vec::new(), packets: Vec::new(), depth: 0 };
        let root = choice.child(0, 0, 0);
        let Choice { mut nodes, mut leaves, packets, depth, .. } = choice;
        nodes.shrink_to_fit();
        leaves.shrink_to_fit();
        let packets = builder.packets(&items, &packets);
        let (extent, level) = (branches[0].bounds.extent(), SimdLevel::best());
        Self { bounds, origin, extent, nodes, leaves, packets, root, depth, level, mesh }
    }
}

fn items_of<T: Real>(mesh: &TriMesh<T>, origin: &Point3<f64>, in_parallel: bool) -> Vec<Item> {
    let item = |id: u32| {
        let Bounds { min, max } = Bounds::of(&mesh.triangle(id).widen(), origin);
        Item { min, max, id }
    };
    let ids = 0..mesh.len() as u32;
    #[cfg(feature = "parallel")]
    if in_parallel {
        use rayon::prelude::*;
        return ids.into_par_iter().map(item).collect();
    }
    let _ = in_parallel;
    ids.map(item).collect()
}

/// Twice the mean size of a triangle's box: a body of that size is neither small nor large here.
fn usual_size(items: &[Item]) -> f32 {
    let size = |item: &Item| (0..3).map(|axis| f64::from(item.max[axis] - item.min[axis])).sum::<f64>() / 3.0;
    (2.0 * items.iter().map(size).sum::<f64>() / items.len() as f64) as f32
}

impl<T: Real> Builder<'_, T> {
    /// Appends the binary tree of some triangles to `out`.
    fn part(&self, items: &mut [Item], partings: usize, out: &mut Vec<Branch>) {
        let index = out.len();
        out.push(Branch {
            bounds: Bounds::EMPTY,
            triangles: items.len() as u32,
            packets: 1,
            upper: 0,
            costs: [0.0; LANES - 1],
            from_lower: [0; LANES - 1],
        });
        if items.len() <= LANES {
            out[index].bounds = Bounds::around(items);
            return;
        }
        let split = split(items, partings, self.growth);
        let (low, high) = items.split_at_mut(split);
        let is_shared = self.in_parallel && low.len().min(high.len()) > WORTH_A_THREAD;
        if is_shared {
            let (low, high) = self.part_on_threads(low, high, partings + 1);
            out.extend(low);
            out[index].upper = (out.len() - index) as u32;
            out.extend(high);
        } else {
            self.part(low, partings + 1, out);
            out[index].upper = (out.len() - index) as u32;
            self.part(high, partings + 1, out);
        }
        self.close(index, out);
    }

    /// Makes one branch of two.
    fn close(&self, index: usize, branches: &mut [Branch]) {
        let (lower, upper) = (&branches[index + 1], &branches[index + branches[index].upper as usize]);
        let (bounds, packets) = (lower.bounds.union(&upper.bounds), lower.packets + upper.packets);
        (branches[index].bounds, branches[index].packets) = (bounds, packets);
        if !branches[index].is_leaf() {
            self.choose(index, branches);
        }
    }

    #[cfg(feature = "parallel")]
    fn part_on_threads(&self, low: &mut [Item], high: &mut [Item], partings: usize) -> (Vec<Branch>, Vec<Branch>) {
        let branches = |items: &mut [Item]| {
            let mut out = Vec::new();
            self.part(items, partings, &mut out);
            out
        };
        rayon::join(|| branches(low), || branches(high))
    }

    #[cfg(not(feature = "parallel"))]
    fn part_on_threads(&self, _: &mut [Item], _: &mut [Item], _: usize) -> (Vec<Branch>, Vec<Branch>) {
        (Vec::new(), Vec::new())
    }

    /// Finds out how a branch is best made children of a node, from how its halves are.
    fn choose(&self, index: usize, branches: &mut [Branch]) {
        let (lower, upper) = (&branches[index + 1], &branches[index + branches[index].upper as usize]);
        let bounds = branches[index].bounds;
        let (mut costs, mut from_lower) = ([0.0; LANES - 1], [0; LANES - 1]);
        let mut parted = [f32::INFINITY; LANES - 1];
        for children in 2..=LANES {
            for low in 1..children {
                let cost = lower.costs[low - 1] + upper.costs[children - low - 1];
                if cost < parted[children - 2] {
                    (parted[children - 2], from_lower[children - 2]) = (cost, low as u8);
                }
            }
        }
        costs[0] = bounds.surface(self.growth) + parted[LANES - 2];
        for children in 2..LANES {
            costs[children - 1] = parted[children - 2];
            if costs[children - 2] <= costs[children - 1] {
                (costs[children - 1], from_lower[children - 2]) = (costs[children - 2], 0);
            }
        }
        let branch = &mut branches[index];
        (branch.costs, branch.from_lower) = (costs, from_lower);
    }

    /// The packets of some ranges of triangles.
    fn packets(&self, items: &[Item], ranges: &[Range<usize>]) -> Vec<TrianglePacket> {
        let packet = |range: &Range<usize>| {
            let mut ids: ArrayVec<u32, LANES> = items[range.clone()].iter().map(|item| item.id).collect();
            ids.sort_unstable();
            TrianglePacket::new(ids.iter().map(|id| (*id, self.mesh.triangle(*id).widen())), &self.origin)
        };
        #[cfg(feature = "parallel")]
        if self.in_parallel {
            use rayon::prelude::*;
            return ranges.par_iter().map(packet).collect();
        }
        ranges.iter().map(packet).collect()
    }
}

/// Nodes and leaves chosen from a binary tree, and the ranges of triangles of all packets, all in the order of a walk depth
/// first.
struct Choice<'a> {
    branches: &'a [Branch],
    nodes: Vec<Node>,
    leaves: Vec<Leaf>,
    packets: Vec<Range<usize>>,
    depth: usize,
}

impl Choice<'_> {
    /// Makes a branch, whose triangles begin at `start`, one child of a node.
    fn child(&mut self, branch: usize, start: usize, level: usize) -> Child {
        self.depth = self.depth.max(level);
        if self.branches[branch].is_leaf() {
            let bounds = self.branches[branch].bounds;
            let (mut leaf, first) = (Leaf::new(&bounds, self.packets.len()), self.packets.len());
            self.fill(branch, start, &mut leaf);
            leaf.len = (self.packets.len() - first) as u32;
            self.leaves.push(leaf);
            return Child::leaf(self.leaves.len() - 1);
        }
        let index = self.nodes.len();
        self.nodes.push(Node::EMPTY);
        let mut children = ArrayVec::<(usize, usize), LANES>::new();
        self.halves(branch, start, LANES, &mut children);
        for (lane, (branch, start)) in children.into_iter().enumerate() {
            let child = self.child(branch, start, level + 1);
            self.nodes[index].children[lane] = child;
            self.branches[branch].bounds.write(&mut self.nodes[index], lane);
        }
        Child::node(index)
    }

    /// Puts all packets of a branch into a leaf.
    fn fill(&mut self, branch: usize, start: usize, leaf: &mut Leaf) {
        let Branch { bounds, triangles, upper, .. } = &self.branches[branch];
        if self.branches[branch].is_packet() {
            leaf.set_box(self.packets.len() - leaf.first as usize, bounds);
            self.packets.push(start..start + *triangles as usize);
            return;
        }
        let (lower, upper) = (branch + 1, branch + *upper as usize);
        let middle = start + self.branches[lower].triangles as usize;
        self.fill(lower, start, leaf);
        self.fill(upper, middle, leaf);
    }

    /// The branches that stand for both halves of one, at most `count` of them.
    fn halves(&self, branch: usize, start: usize, count: usize, out: &mut ArrayVec<(usize, usize), LANES>) {
        let Branch { upper, from_lower, .. } = &self.branches[branch];
        let low = from_lower[count - 2] as usize;
        let (lower, upper) = (branch + 1, branch + *upper as usize);
        let middle = start + self.branches[lower].triangles as usize;
        self.children(lower, start, low, out);
        self.children(upper, middle, count - low, out);
    }

    /// The branches that stand for one, at most `count` of them.
    fn children(&self, branch: usize, start: usize, mut count: usize, out: &mut ArrayVec<(usize, usize), LANES>) {
        let Branch { from_lower, .. } = &self.branches[branch];
        while count > 1 && from_lower[count - 2] == 0 {
            count -= 1; // a leaf stays one, however many are allowed
        }
        if count == 1 {
            out.push((branch, start));
        } else {
            self.halves(branch, start, count, out);
        }
    }
}

impl Leaf {
    /// A leaf without boxes.
    pub(super) fn new(bounds: &Bounds, first: usize) -> Self {
        let origin = [bounds.min[0], bounds.min[1], bounds.min[2]];
        let step = |axis: usize| {
            let mut step = (bounds.max[axis] - bounds.min[axis]) / 255.0;
            while bounds.min[axis] + 255.0 * step < bounds.max[axis] {
                step = step.next_up();
            }
            step
        };
        let step = [step(0), step(1), step(2)];
        let per_step = step.map(|step| if step > 0.0 { (1.0 / step).min(f32::MAX) } else { 0.0 });
        Self { origin, step, per_step, first: first as u32, len: 0, boxes: [[0; LEAF_GROUPS * LANES]; 6] }
    }

    /// Rounds a box outwards to whole steps, as they come out when they are computed back.
    pub(super) fn set_box(&mut self, packet: usize, bounds: &Bounds) {
        for axis in 0..3 {
            let (origin, step) = (self.origin[axis], self.step[axis]);
            let steps = |x: f32| if step > 0.0 { ((x - origin) / step).clamp(0.0, 255.0) } else { 0.0 };
            let (mut low, mut high) = (steps(bounds.min[axis]).floor(), steps(bounds.max[axis]).ceil());
            while low > 0.0 && origin + low * step > bounds.min[axis] {
                low -= 1.0;
            }
            while high < 255.0 && origin + high * step < bounds.max[axis] {
                high += 1.0;
            }
            self.boxes[axis][packet] = low as u8;
            self.boxes[axis + 3][packet] = high as u8;
        }
    }
}

/// Parts of the tree with fewer triangles are not worth the handing over to another thread.
const WORTH_A_THREAD: usize = 4096;

/// Parts triangles in two, and returns how many come first.
fn split(items: &mut [Item], partings: usize, growth: f32) -> usize {
    let mut split = 0;
    if partings < MEASURED_PARTINGS
        && let Some(parting) = Parting::best(items, growth)
    {
        split = partition(items, |item| parting.is_low(item));
    }
    if split == 0 || split == items.len() {
        // Whole packets, but for one.
        split = (items.len() / 2).next_multiple_of(LANES);
        let axis = Bounds::around(items).longest_axis();
        items.select_nth_unstable_by(split, |a, b| a.center(axis).total_cmp(&b.center(axis)).then(a.id.cmp(&b.id)));
    }
    split
}

/// A plane between two bins.
struct Parting {
    axis: usize,
    /// Twice the coordinate at which the bins begin.
    start: f32,
    /// Bins in half a metre.
    scale: f32,
    /// The first bin of the upper side.
    bin: usize,
}

impl Parting {
    /// The plane that makes the least sum of surface, grown by `growth` along each axis, times packets; `None` where all
    /// middles are in one place.
    fn best(items: &[Item], growth: f32) -> Option<Self> {
        let mut centers = Bounds::EMPTY;
        for item in items {
            let center = [0, 1, 2, 3].map(|axis| item.min[axis] + item.max[axis]);
            centers.include(&center, &center);
        }
        let scale = [0, 1, 2].map(|axis| {
            let scale = BINS as f32 * (1.0 - f32::EPSILON) / (centers.max[axis] - centers.min[axis]);
            if scale.is_finite() { scale } else { 0.0 }
        });
        let planes = [0, 1, 2].map(|axis| Self { axis, start: centers.min[axis], scale: scale[axis], bin: 0 });
        let mut counts = [[0_u32; BINS]; 3];
        let mut bounds = [[Bounds::EMPTY; BINS]; 3];
        for item in items {
            for axis in 0..3 {
                let bin = planes[axis].bin_of(item);
                counts[axis][bin] += 1;
                bounds[axis][bin].include(&item.min, &item.max);
            }
        }
        let mut best: Option<(f32, Self)> = None;
        for plane in planes {
            let axis = plane.axis;
            if plane.scale == 0.0 {
                continue;
            }
            // What all bins from each one on cost.
            let mut upper = [0.0_f32; BINS];
            let (mut side, mut count) = (Bounds::EMPTY, 0);
            for bin in (1..BINS).rev() {
                side.include(&bounds[axis][bin].min, &bounds[axis][bin].max);
                count += counts[axis][bin];
                upper[bin] = side.cost(count, growth);
            }
            let (mut side, mut count) = (Bounds::EMPTY, 0);
            for bin in 1..BINS {
                side.include(&bounds[axis][bin - 1].min, &bounds[axis][bin - 1].max);
                count += counts[axis][bin - 1];
                if count == 0 || count as usize == items.len() {
                    continue;
                }
                let cost = side.cost(count, growth) + upper[bin];
                if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                    best = Some((cost, Self { bin, ..plane }));
                }
            }
        }
        best.map(|(_, plane)| plane)
    }

    #[inline(always)]
    fn bin_of(&self, item: &Item) -> usize {
        (((item.center(self.axis) - self.start) * self.scale) as usize).min(BINS - 1)
    }

    fn is_low(&self, item: &Item) -> bool {
        self.bin_of(item) < self.bin
    }
}

impl Bounds {
    /// What it takes to look at so many triangles in this box.
    fn cost(&self, triangles: u32, growth: f32) -> f32 {
        if triangles == 0 { 0.0 } else { self.surface(growth) * triangles.div_ceil(LANES as u32) as f32 }
    }

    fn longest_axis(&self) -> usize {
        let size = [0, 1, 2].map(|axis| self.max[axis] - self.min[axis]);
        if size[0] >= size[1] && size[0] >= size[2] {
            0
        } else if size[1] >= size[2] {
            1
        } else {
            2
        }
    }
}

/// Moves the members for which `is_low` holds to the front, and returns how many they are.
fn partition<M>(members: &mut [M], is_low: impl Fn(&M) -> bool) -> usize {
    let mut low = 0;
    for i in 0..members.len() {
        if is_low(&members[i]) {
            members.swap(i, low);
            low += 1;
        }
    }
    low
}

/// The nearest `f32` that is not above `x`.
fn below(x: f64) -> f32 {
    let rounded = x as f32;
    if f64::from(rounded) > x { rounded.next_down() } else { rounded }
}

/// The nearest `f32` that is not below `x`.
fn above(x: f64) -> f32 {
    -below(-x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::TriMesh;

    fn tree_of(centers: impl IntoIterator<Item = Point3<f64>>) -> Octree<f64> {
        let mut vertices = Vec::new();
        for center in centers {
            vertices.extend(
                [[0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.1]].map(|d| center + nalgebra::Vector3::from(d)),
            );
        }
        let triangles = (0..vertices.len() as u32 / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        Octree::new(TriMesh::new(vertices, triangles).expect("good numbers"))
    }

    /// How often a triangle is looked at while triangles of 10 cm at these places are parted, on average.
    fn looks(centers: impl Iterator<Item = Point3<f32>>) -> f64 {
        let mut items: Vec<Item> = (0..)
            .zip(centers)
            .map(|(id, p)| Item { min: [p.x, p.y, p.z, 0.0], max: [p.x + 0.1, p.y + 0.1, p.z + 0.1, 0.0], id })
            .collect();
        let corners = vec![Point3::origin(); 3];
        let mesh = TriMesh::<f32>::new(corners, vec![[0, 1, 2]]).expect("good numbers");
        let builder = Builder { mesh: &mesh, origin: Point3::origin(), in_parallel: false, growth: 0.2 };
        let mut branches = Vec::new();
        builder.part(&mut items, 0, &mut branches);
        branches.iter().map(|branch| f64::from(branch.triangles)).sum::<f64>() / items.len() as f64
    }

    #[test]
    fn no_places_make_the_work_quadratic() {
        const COUNT: u16 = 50_000;
        let halvings = f64::from(COUNT).log2();
        let equal = looks((0..COUNT).map(|_| Point3::origin()));
        let in_line = looks((0..COUNT).map(|i| Point3::new(f32::from(i), 0.0, 0.0)));
        let one_far = looks((0..COUNT).map(|i| Point3::new(if i == 0 { 1e15 } else { f32::from(i) }, 0.0, 0.0)));
        // Wherever such places are parted by measure, a few are left on the side of the origin, and all others beyond.
        let ever_nearer = looks((0..COUNT).map(|i| Point3::new(1e15 * 0.5_f32.powi(i32::from(i) / 256), 0.0, 0.0)));
        let all = [equal, in_line, one_far, ever_nearer];
        println!("looks at a triangle, with {halvings:.0} halvings: {all:?}");
        assert!(equal <= halvings && in_line <= halvings + 2.0 && one_far <= halvings + 4.0, "{all:?}");
        assert!(all.iter().all(|looks| *looks <= (MEASURED_PARTINGS + 17) as f64), "{all:?}");
    }

    #[test]
    fn many_equal_triangles_give_a_shallow_tree() {
        let tree = tree_of((0..20_000).map(|_| Point3::origin()));
        assert!(tree.statistics().depth <= 8, "{:?}", tree.statistics());
        assert!(tree.statistics().packet_fill > 4.0, "{:?}", tree.statistics());
    }

    #[test]
    fn a_geometric_series_of_places_does_not_exceed_the_depth() {
        let tree = tree_of((0..300).map(|i| Point3::new(1e14 * 0.5_f64.powi(i), 0.0, 0.0)));
        assert!(tree.statistics().depth <= MAX_DEPTH);
    }

    #[test]
    fn culling_boxes_are_rounded_outwards() {
        assert!(f64::from(below(0.1)) <= 0.1 && f64::from(above(0.1)) >= 0.1);
        assert_eq!((below(0.5), above(0.5)), (0.5, 0.5));
    }
}

//! [`Choice`]: the nodes of eight children and the leaves that are made of a binary tree.

use std::ops::Range;

use arrayvec::ArrayVec;

use super::bounds::Bounds;
use crate::{
    octree::{Child, LEAF_GROUPS, Leaf, Node},
    wide::LANES,
};

/// A part of the binary tree, in the order in which it is walked depth first: the lower half follows at once.
#[derive(Debug, Clone)]
pub(super) struct Branch {
    pub(super) bounds: Bounds,
    pub(super) triangles: u32,
    packets: u32,
    /// Where the upper half is, counted from here; zero for a packet.
    pub(super) upper: u32,
    /// The least sum of surfaces of nodes when this part is made at most 1, 2, … 7 children of a node.
    costs: [f32; LANES - 1],
    /// How many of 2, 3, … 8 children come from the lower half for that sum; zero where one child less does as well.
    from_lower: [u8; LANES - 1],
}

impl Branch {
    /// A part that is not parted.
    pub(super) fn packet(bounds: Bounds, triangles: usize) -> Self {
        let (costs, from_lower) = ([0.0; LANES - 1], [0; LANES - 1]);
        Self { bounds, triangles: triangles as u32, packets: 1, upper: 0, costs, from_lower }
    }

    fn is_packet(&self) -> bool {
        self.upper == 0
    }

    /// Whether it is small enough for a leaf.
    fn is_leaf(&self) -> bool {
        self.packets as usize <= LEAF_GROUPS * LANES
    }
}

/// Makes a branch of its halves, which are there. Boxes are longer by `growth` along each axis than they are.
pub(super) fn close(index: usize, branches: &mut [Branch], growth: f32) {
    let (lower, upper) = (&branches[index + 1], &branches[index + branches[index].upper as usize]);
    let (bounds, packets) = (lower.bounds.union(&upper.bounds), lower.packets + upper.packets);
    (branches[index].bounds, branches[index].packets) = (bounds, packets);
    if !branches[index].is_leaf() {
        choose(index, branches, growth);
    }
}

/// Finds out how a branch is best made children of a node, from how its halves are.
fn choose(index: usize, branches: &mut [Branch], growth: f32) {
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
    costs[0] = bounds.surface(growth) + parted[LANES - 2];
    for children in 2..LANES {
        costs[children - 1] = parted[children - 2];
        if costs[children - 2] <= costs[children - 1] {
            (costs[children - 1], from_lower[children - 2]) = (costs[children - 2], 0);
        }
    }
    let branch = &mut branches[index];
    (branch.costs, branch.from_lower) = (costs, from_lower);
}

/// Nodes and leaves chosen from a binary tree, and the ranges of triangles of all packets, all in the order of a walk depth
/// first.
pub(super) struct Choice<'a> {
    branches: &'a [Branch],
    pub(super) nodes: Vec<Node>,
    pub(super) leaves: Vec<Leaf>,
    pub(super) packets: Vec<Range<usize>>,
    pub(super) depth: usize,
}

impl<'a> Choice<'a> {
    /// The choice from a whole tree, and its root.
    pub(super) fn of(branches: &'a [Branch]) -> (Self, Child) {
        let (nodes, leaves, packets) = (Vec::new(), Vec::new(), Vec::new());
        let mut choice = Self { branches, nodes, leaves, packets, depth: 0 };
        let root = choice.child(0, 0, 0);
        (choice, root)
    }

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

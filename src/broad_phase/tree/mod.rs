//! [`Tree`]: a binary tree of bounding boxes that changes leaf by leaf.
//!
//! A new leaf goes down to where it adds the least surface to the boxes above it, as that is what a query pays for: how
//! often a box is met goes with its surface (Goldsmith and Salmon 1987). On the way back up a node changes places with one
//! of its sibling's children where that makes the sibling smaller (Kensler 2008, *Tree Rotations for Improving Bounding
//! Volume Hierarchies*). Where most leaves are new, the tree is built at once, which is faster and makes one with less to look
//! at. Leaves may have more air around them than they need, so that what moves a little need not move
//! in the tree. (Catto 2019, *Dynamic Bounding Volume Hierarchies*.)

mod build;
mod loose;
mod walk;

pub(crate) use loose::ahead;

use super::surface;
use crate::{Real, shape::Aabb};

/// Boxes by key, and which of them meet what.
///
/// Each node holds the boxes of its two children: to look at a node is to read one piece of memory. The tree's shape depends
/// on its history, so what is found in it comes in no order that means anything.
#[derive(Debug, Clone)]
pub(crate) struct Tree<T: Real, const D: usize> {
    /// The first one is above the root, which is its only child. So every node and leaf has a parent.
    nodes: Vec<Node<T, D>>,
    /// By key: the node above the leaf.
    parents: Vec<u32>,
    free: Vec<u32>,
    /// While it is built; empty otherwise.
    leaves: Vec<Below<T, D>>,
}

/// A cache line, or two.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Node<T: Real, const D: usize> {
    bounds: [Aabb<T, D>; 2],
    children: [Child; 2],
    parent: u32,
    /// How many nodes are below one another in each child.
    heights: [u16; 2],
}

/// What a node knows of one of its children.
#[derive(Debug, Clone, Copy)]
struct Below<T: Real, const D: usize> {
    child: Child,
    bounds: Aabb<T, D>,
    height: u16,
}

/// A node's index, or a leaf's key with the highest bit set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Child(u32);

const LEAF: u32 = 1 << 31;

/// The node above the root.
const TOP: u32 = 0;

/// No node.
const NOWHERE: u32 = u32::MAX;

/// A tree that has grown higher is built anew: walks have room for so many nodes that wait.
const MAX_HEIGHT: usize = 64;

impl Child {
    const NONE: Self = Self(u32::MAX);

    fn leaf(key: u32) -> Self {
        Self(key | LEAF)
    }

    /// The key of a leaf.
    #[inline(always)]
    fn key(self) -> Option<u32> {
        (self.0 & LEAF != 0).then_some(self.0 & !LEAF)
    }
}

impl<T: Real, const D: usize> Node<T, D> {
    fn new(parent: u32) -> Self {
        Self { bounds: [Aabb::empty(); 2], children: [Child::NONE; 2], parent, heights: [0; 2] }
    }

    fn union(&self) -> Aabb<T, D> {
        self.bounds[0].union(&self.bounds[1])
    }

    fn height(&self) -> u16 {
        1 + self.heights[0].max(self.heights[1])
    }

    /// A child with all that is known of it here.
    fn below(&self, side: usize) -> Below<T, D> {
        Below { child: self.children[side], bounds: self.bounds[side], height: self.heights[side] }
    }

    /// The node itself, as its parent is to know it.
    fn whole(&self, index: u32) -> Below<T, D> {
        Below { child: Child(index), bounds: self.union(), height: self.height() }
    }

    /// Which of the two children this is.
    #[inline(always)]
    fn side(&self, child: Child) -> usize {
        usize::from(self.children[1] == child)
    }
}

impl<T: Real, const D: usize> Default for Tree<T, D> {
    fn default() -> Self {
        Self { nodes: vec![Node::new(TOP)], parents: Vec::new(), free: Vec::new(), leaves: Vec::new() }
    }
}

impl<T: Real, const D: usize> Tree<T, D> {
    /// The box around all leaves; empty if there are none.
    pub(crate) fn bounds(&self) -> Aabb<T, D> {
        self.nodes[TOP as usize].bounds[0]
    }

    /// The box under a key; `None` if there is no leaf.
    pub(crate) fn leaf(&self, key: u32) -> Option<&Aabb<T, D>> {
        let (node, side) = self.place(key)?;
        Some(&self.nodes[node as usize].bounds[side])
    }

    /// The node above a leaf, and on which side of it the leaf is.
    fn place(&self, key: u32) -> Option<(u32, usize)> {
        let parent = self.parents.get(key as usize).filter(|parent| **parent != NOWHERE)?;
        Some((*parent, self.nodes[*parent as usize].side(Child::leaf(key))))
    }

    /// Gives the leaf under a key a box, a new one where there is none yet. An empty box is no leaf: it takes away what is there.
    ///
    /// Where the old box and the new one meet, the leaf keeps its place in the tree.
    pub(crate) fn set(&mut self, key: u32, bounds: Aabb<T, D>) {
        if let Some((node, side)) = self.place(key) {
            let old = &mut self.nodes[node as usize].bounds[side];
            if old.overlaps(&bounds) {
                *old = bounds;
                return self.refit(node, side);
            }
            self.remove(key);
        }
        if !bounds.is_empty() {
            self.insert(key, bounds);
        }
    }

    fn insert(&mut self, key: u32, bounds: Aabb<T, D>) {
        if self.parents.len() <= key as usize {
            self.parents.resize(key as usize + 1, NOWHERE);
        }
        let leaf = Below { child: Child::leaf(key), bounds, height: 0 };
        if self.nodes[TOP as usize].children[0] == Child::NONE {
            return self.attach(TOP, 0, leaf);
        }
        let (above, side) = self.best_sibling(&bounds);
        let sibling = self.nodes[above as usize].below(side);
        let node = self.new_node();
        self.attach(node, 0, sibling);
        self.attach(node, 1, leaf);
        self.attach(above, side, self.nodes[node as usize].whole(node));
        self.refit(above, side);
    }

    fn remove(&mut self, key: u32) {
        let node = std::mem::replace(&mut self.parents[key as usize], NOWHERE);
        if node == TOP {
            self.nodes[TOP as usize] = Node::new(TOP);
            return;
        }
        let gone = &self.nodes[node as usize];
        let (parent, sibling) = (gone.parent, gone.below(1 - gone.side(Child::leaf(key))));
        let side = self.nodes[parent as usize].side(Child(node));
        self.attach(parent, side, sibling);
        self.free.push(node);
        self.refit(parent, side);
    }

    /// The child that becomes the sibling of a new box: the one, on the way down to where the boxes grow least, for which
    /// the surface that is added to all boxes together is the smallest.
    fn best_sibling(&self, bounds: &Aabb<T, D>) -> (u32, usize) {
        let own = surface(bounds);
        let (mut above, mut side, mut inherited) = (TOP, 0, 0.0);
        let mut joined = surface(&self.bounds().union(bounds));
        let mut best = (joined, above, side);
        loop {
            let node = &self.nodes[above as usize];
            inherited += joined - surface(&node.bounds[side]);
            let child = node.children[side];
            if child.key().is_some() || inherited + own >= best.0 {
                return (best.1, best.2);
            }
            let next = &self.nodes[child.0 as usize];
            let unions = next.bounds.map(|other| surface(&other.union(bounds)));
            let growth = [0, 1].map(|side| unions[side] - surface(&next.bounds[side]));
            above = child.0;
            side = usize::from(growth[1] < growth[0]);
            joined = unions[side];
            if inherited + joined < best.0 {
                best = (inherited + joined, above, side);
            }
        }
    }

    fn new_node(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.nodes.push(Node::new(TOP));
            self.nodes.len() as u32 - 1
        })
    }

    fn attach(&mut self, parent: u32, side: usize, below: Below<T, D>) {
        let node = &mut self.nodes[parent as usize];
        let Below { child, bounds, height } = below;
        node.children[side] = child;
        node.bounds[side] = bounds;
        node.heights[side] = height;
        match child.key() {
            Some(key) => self.parents[key as usize] = parent,
            None => self.nodes[child.0 as usize].parent = parent,
        }
    }

    /// Puts right the boxes and heights above a child that has changed.
    fn refit(&mut self, mut index: u32, mut side: usize) {
        while index != TOP {
            self.rotate(index, side);
            let node = &self.nodes[index as usize];
            let (bounds, height, parent) = (node.union(), node.height(), node.parent);
            let above = &mut self.nodes[parent as usize];
            side = above.side(Child(index));
            if above.bounds[side] == bounds && above.heights[side] == height {
                return;
            }
            above.bounds[side] = bounds;
            above.heights[side] = height;
            index = parent;
        }
        if usize::from(self.nodes[TOP as usize].heights[0]) > MAX_HEIGHT {
            self.build_anew();
        }
    }

    /// Lets one of the two children of a node's child change places with that child's sibling, if that makes the child smaller.
    ///
    /// The child is the one that has changed, whose memory is at hand; the other way round, with its sibling's children, it would
    /// cost a wait for memory at every level.
    fn rotate(&mut self, index: u32, side: usize) {
        let node = &self.nodes[index as usize];
        let child = node.children[side];
        if child.key().is_some() {
            return;
        }
        let sibling = node.below(1 - side);
        let below = &self.nodes[child.0 as usize];
        let without = [1, 0].map(|stays| surface(&below.bounds[stays].union(&sibling.bounds)));
        let leaving = usize::from(without[1] < without[0]);
        if without[leaving] >= surface(&node.bounds[side]) {
            return;
        }
        let grandchild = below.below(leaving);
        self.attach(child.0, leaving, sibling);
        self.attach(index, 1 - side, grandchild);
        self.attach(index, side, self.nodes[child.0 as usize].whole(child.0));
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Point2, Vector2};

    use super::*;

    /// The leaves below a child; each box is the union of what is below it, each height is that of the higher child.
    fn leaves(tree: &Tree<f32, 2>, parent: u32, side: usize) -> Vec<u32> {
        let above = &tree.nodes[parent as usize];
        let child = above.children[side];
        if let Some(key) = child.key() {
            assert_eq!((tree.parents[key as usize], above.heights[side]), (parent, 0));
            return vec![key];
        }
        let node = &tree.nodes[child.0 as usize];
        assert_eq!((node.parent, node.union(), node.height()), (parent, above.bounds[side], above.heights[side]));
        [0, 1].iter().flat_map(|side| leaves(tree, child.0, *side)).collect()
    }

    #[test]
    fn a_tree_stays_whole_and_low_whatever_is_set() {
        let mut state = 1_u32;
        let mut random = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223); // Knuth and Lewis
            (state >> 16) % below
        };
        let mut tree = Tree::default();
        let mut boxes = vec![Aabb::empty(); 300];
        for round in 0..20_000 {
            let key = random(300);
            let min = Point2::new(random(100) as f32, random(100) as f32);
            let size = Vector2::new(random(9) as f32, random(9) as f32);
            let bounds = if random(4) == 0 { Aabb::empty() } else { Aabb { min, max: min + size } };
            boxes[key as usize] = bounds;
            tree.set(key, bounds);
            assert_eq!(tree.leaf(key), Some(&bounds).filter(|bounds| !bounds.is_empty()));
            if round % 100 > 0 {
                continue;
            }
            let mut found = if tree.bounds().is_empty() { Vec::new() } else { leaves(&tree, TOP, 0) };
            found.sort_unstable();
            let there = |key: &u32| !boxes[*key as usize].is_empty();
            assert_eq!(found, (0..300).filter(there).collect::<Vec<_>>());
            assert!(tree.nodes[TOP as usize].heights[0] < 20, "{:?}", tree.nodes[TOP as usize].heights);
            assert_eq!(tree.nodes.len() - tree.free.len(), found.len().max(1));
            if random(2) == 0 {
                tree.build_anew()
            } else {
                tree.build_of(&boxes)
            }
            assert_eq!(tree.bounds().is_empty(), found.is_empty());
        }
    }
}

//! [`LoadError`]: why bytes could not become a tree, and where they are wrong.

use std::io;

use crate::mesh::MeshError;

/// Why bytes could not become a tree.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// Reading failed.
    #[error("cannot read the tree: {0}")]
    Io(#[from] io::Error),
    /// The bytes do not begin as a saved tree does.
    #[error("this is no saved tree")]
    NotATree,
    /// Saved by another version of the format.
    #[error("version {found} of the format is not {expected}")]
    Version {
        /// The version of the bytes.
        found: u32,
        /// The version that this library reads.
        expected: u32,
    },
    /// Saved with the other scalar: load it as an `Octree` of that one.
    #[error("scalars of {found} bytes are not of {expected}")]
    Scalar {
        /// Bytes of a scalar in the file: 4 for `f32`, 8 for `f64`.
        found: u32,
        /// Bytes of the scalar that was asked for.
        expected: u32,
    },
    /// The bytes end too early.
    #[error("{what} at byte {at} need {needed} bytes, but there are {left}")]
    Truncated {
        /// What could not be read.
        what: &'static str,
        /// Where it begins.
        at: usize,
        /// How many bytes it takes.
        needed: u128,
        /// How many bytes there are from there on.
        left: usize,
    },
    /// There are bytes after the end.
    #[error("there are {surplus} bytes after the end at byte {at}")]
    Surplus {
        /// Where the tree ends.
        at: usize,
        /// How many bytes follow.
        surplus: usize,
    },
    /// Bytes were changed since they were saved.
    #[error("the checksum is {computed:#010x}, not {stored:#010x}")]
    Checksum {
        /// What was saved.
        stored: u32,
        /// What the bytes give.
        computed: u32,
    },
    /// A number that stands for nothing.
    #[error("{what} {index} cannot be {found}")]
    Value {
        /// What the number stands for.
        what: &'static str,
        /// Which of these it is, from 0.
        index: usize,
        /// The number.
        found: u64,
    },
    /// A name whose bytes are no UTF-8, or that goes beyond the end of all names.
    #[error("{what} {index} is no text")]
    Name {
        /// What it is the name of.
        what: &'static str,
        /// Which of these names it is, from 0.
        index: usize,
    },
    /// The vertices and triangles are no mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The nodes and packets are no tree.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

/// What is wrong with the shape of a tree. Indices count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TreeError {
    /// The root is not the first node, or, without nodes, not the one leaf.
    #[error("the root {root:#010x} is not the first of {nodes} nodes, nor the only leaf")]
    Root {
        /// The root as it is stored.
        root: u32,
        /// Number of nodes.
        nodes: usize,
    },
    /// A child that is a node or a leaf which does not exist.
    #[error("child {lane} of node {node} is {what} {index}, which does not exist")]
    NoSuchChild {
        /// The node.
        node: usize,
        /// Which of its children.
        lane: usize,
        /// A node or a leaf.
        what: &'static str,
        /// What the child refers to.
        index: usize,
    },
    /// A child that comes before its parent, or is its own parent: following it might never end.
    #[error("child {lane} of node {node} is node {index}, which does not come after it")]
    Backwards {
        /// The node.
        node: usize,
        /// Which of its children.
        lane: usize,
        /// The node that the child refers to.
        index: usize,
    },
    /// A node, a leaf or a triangle that is in the tree twice.
    #[error("{what} {index} is used twice")]
    Twice {
        /// A node, a leaf or a triangle.
        what: &'static str,
        /// Which one.
        index: usize,
    },
    /// A node or a leaf that is not in the tree.
    #[error("{what} {index} is not used")]
    Unused {
        /// A node or a leaf.
        what: &'static str,
        /// Which one.
        index: usize,
    },
    /// A node without children.
    #[error("node {node} has no children")]
    Childless {
        /// The node.
        node: usize,
    },
    /// A path from the root that is longer than any tree needs.
    #[error("node {node} is below more than {limit} others")]
    TooDeep {
        /// The node.
        node: usize,
        /// How many nodes a path may have.
        limit: usize,
    },
    /// A leaf of no packet or more than 64, a packet of no triangle or more than eight.
    #[error("{what} {index} cannot hold {size}")]
    Size {
        /// A leaf or a packet.
        what: &'static str,
        /// Which one.
        index: usize,
        /// What it is said to hold.
        size: u8,
    },
    /// All leaves together do not hold all packets.
    #[error("the leaves hold {held} packets of {packets}")]
    LeafSizes {
        /// Number of packets in leaves.
        held: usize,
        /// Number of packets.
        packets: usize,
    },
    /// All packets together do not hold as many triangles as the mesh.
    #[error("the packets hold {held} triangles of {triangles}")]
    PacketSizes {
        /// Number of triangles in packets.
        held: usize,
        /// Number of triangles in the mesh.
        triangles: usize,
    },
    /// A packet with a triangle that does not exist.
    #[error("place {place} of the packets holds triangle {triangle}, but there are only {triangles}")]
    NoSuchTriangle {
        /// Which of the places in all packets.
        place: usize,
        /// The triangle that it names.
        triangle: u32,
        /// Number of triangles in the mesh.
        triangles: usize,
    },
}

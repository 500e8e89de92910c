//! Which triangles can matter: [`Octree`], and [`BruteForce`] beside it.
//!
//! Every triangle is assigned once, by its centroid; every child carries the *tight* box of its triangles, so that a
//! node is eight boxes, tested together. Leaves hold packets of up to eight triangles each. Culling works in mesh space with
//! `f32` boxes relative to the mesh's middle, rounded outwards and widened by the rounding of the test itself, so that
//! nothing that matters is ever lost; the exact kernel then works in unit space. One tree serves bodies of any radii.
//!
//! Answers never depend on the shape of the tree: of equal contacts the lower triangle id wins, and [`BruteForce`], which
//! looks at every triangle, gives the same bits.

mod batch;
mod brute_force;
mod build;
mod contact;
#[cfg(feature = "save")]
mod load_error;
mod query;
mod refit;
#[cfg(feature = "save")]
mod save;
mod traverse;

use std::sync::Arc;

use nalgebra::{Point3, Unit, Vector3};

pub(crate) use batch::in_runs;
pub use brute_force::BruteForce;
#[cfg(feature = "save")]
pub use load_error::{LoadError, TreeError};
pub(crate) use query::Found;
pub use traverse::Visits;

use crate::{
    mesh::{MaterialTag, TriMesh},
    real::Real,
    shape::{Aabb3, Feature},
    sweep::{Contact, packet::TrianglePacket},
    wide::{F32x8, LANES, SimdLevel},
};

/// A mesh with the tree that finds its triangles.
///
/// # Example
/// ```
/// # use nalgebra::{point, vector};
/// use sidle::{Ellipsoid, Octree, Sweep, TriMesh};
///
/// let corners = vec![point![-9.0, 0.0, -9.0], point![0.0, 0.0, 9.0], point![9.0, 0.0, -9.0]];
/// let level = Octree::new(TriMesh::new(corners, vec![[0, 1, 2]])?);
/// let body = Ellipsoid::new(vector![0.4, 0.9, 0.4])?;
/// let fall = Sweep::new(&body, point![0.0, 2.9, 0.0], vector![0.0, -4.0, 0.0])?;
/// let hit = level.sweep(&fall).expect("there is a floor");
/// assert_eq!((hit.triangle, hit.contact.distance), (0, 2.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Octree<T: Real> {
    mesh: Arc<TriMesh<T>>,
    bounds: Aabb3<T>,
    /// A point near the mesh, to which all culling data are relative.
    origin: Point3<f64>,
    /// No coordinate of the mesh is farther from the origin than this.
    extent: f64,
    nodes: Vec<Node>,
    leaves: Vec<Leaf>,
    packets: Vec<TrianglePacket>,
    root: Child,
    depth: usize,
    level: SimdLevel,
}

/// Eight boxes with what is in them. The box of an empty child is a point that is too far away for anything to reach.
#[derive(Debug, Clone, PartialEq)]
#[repr(C, align(32))]
struct Node {
    /// Smallest x, y and z, then largest x, y and z.
    bounds: [F32x8; 6],
    children: [Child; LANES],
}

/// Far beyond [`MAX_COORDINATE`](crate::MAX_COORDINATE), along each axis.
const NOWHERE: f32 = f32::MAX;

impl Node {
    const EMPTY: Self = Self { bounds: [F32x8::splat(NOWHERE); 6], children: [Child::NONE; LANES] };
}

/// The lowest nodes hold up to 64 packets: two levels of eight boxes would be one more visit to memory, and nearly always
/// a wait. Boxes are rounded outwards to a 255th of the node's.
#[derive(Debug, Clone, PartialEq)]
#[repr(C, align(64))]
struct Leaf {
    origin: [f32; 3],
    step: [f32; 3],
    /// One over the step; 0 without one.
    per_step: [f32; 3],
    /// The first packet; the others follow.
    first: u32,
    len: u32,
    /// The smallest x, y and z and the largest x, y and z of each box, in steps from the origin.
    boxes: [[u8; LEAF_GROUPS * LANES]; 6],
}

/// Groups of eight packets in a leaf.
const LEAF_GROUPS: usize = 8;

/// A part of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Child(u32);

/// What a [`Child`] is.
enum Content {
    Node(usize),
    Leaf(usize),
    Packet(usize),
}

impl Child {
    const LEAF: u32 = 1 << 31;
    const PACKET: u32 = 1 << 30;
    const NONE: Self = Self(u32::MAX);

    fn node(index: usize) -> Self {
        Self(index as u32)
    }

    fn leaf(index: usize) -> Self {
        Self(index as u32 | Self::LEAF)
    }

    #[inline(always)]
    fn packet(index: usize) -> Self {
        Self(index as u32 | Self::PACKET)
    }

    #[inline(always)]
    fn content(self) -> Content {
        if self.0 & Self::PACKET != 0 {
            Content::Packet((self.0 & !Self::PACKET) as usize)
        } else if self.0 & Self::LEAF != 0 {
            Content::Leaf((self.0 & !Self::LEAF) as usize)
        } else {
            Content::Node(self.0 as usize)
        }
    }
}

/// A contact with a triangle of a mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MeshHit<T: Real> {
    /// Where and how.
    pub contact: Contact<T>,
    /// Index of the triangle in the mesh.
    pub triangle: u32,
    /// What the triangle is made of.
    pub material: MaterialTag,
}

/// Where a ray meets a triangle of a mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MeshRayHit<T: Real> {
    /// Parameter along the ray: the distance in metres where the ray's direction is a unit vector.
    pub t: T,
    /// The point that is hit.
    pub point: Point3<T>,
    /// Unit normal of the triangle, on the side from which the ray comes.
    pub normal: Unit<Vector3<T>>,
    /// Whether the ray comes from the side on which the vertices run counter-clockwise.
    pub is_front: bool,
    /// Weights of the triangle's vertices at the point.
    pub barycentrics: [T; 3],
    /// Index of the triangle in the mesh.
    pub triangle: u32,
    /// What the triangle is made of.
    pub material: MaterialTag,
}

/// The point of a mesh that is nearest to another point.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MeshPoint<T: Real> {
    /// The point on the mesh.
    pub point: Point3<T>,
    /// Its distance in metres.
    pub distance: T,
    /// The part of the triangle on which it lies.
    pub feature: Feature,
    /// Weights of the triangle's vertices at the point.
    pub barycentrics: [T; 3],
    /// Index of the triangle in the mesh.
    pub triangle: u32,
    /// What the triangle is made of.
    pub material: MaterialTag,
}

/// How well a tree is built, and what it costs.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OctreeStatistics {
    /// Levels of nodes above the deepest packet.
    pub depth: usize,
    /// Number of nodes, of eight children each.
    pub nodes: usize,
    /// Number of leaves, of up to 64 packets each.
    pub leaves: usize,
    /// Number of packets.
    pub packets: usize,
    /// Mean number of triangles in a packet, of eight.
    pub packet_fill: f64,
    /// Mean number of children of a node, of eight.
    pub node_fill: f64,
    /// Mean number of packets in a leaf, of 64.
    pub leaf_fill: f64,
    /// Bytes of all nodes and leaves: boxes and where their children are.
    pub node_bytes: usize,
    /// Bytes of all packets: the vertices of their triangles again, and which triangles they are.
    pub packet_bytes: usize,
    /// Bytes of nodes and packets together.
    pub bytes: usize,
}

impl<T: Real> Octree<T> {
    /// The mesh whose triangles the tree finds.
    pub fn mesh(&self) -> &Arc<TriMesh<T>> {
        &self.mesh
    }

    /// The smallest box around all triangles.
    pub fn bounds(&self) -> Aabb3<T> {
        self.bounds
    }

    /// The vector instructions with which queries work.
    pub fn simd_level(&self) -> SimdLevel {
        self.level
    }

    /// The same tree, whose queries work with other vector instructions and give the same answers.
    pub fn with_simd_level(mut self, level: SimdLevel) -> Self {
        self.level = level;
        self
    }

    /// Size and fill of the tree.
    pub fn statistics(&self) -> OctreeStatistics {
        let children = self.nodes.iter().flat_map(|node| &node.children).filter(|child| **child != Child::NONE).count();
        let ratio = |part: usize, whole: usize| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        let node_bytes = size_of_val(&self.nodes[..]) + size_of_val(&self.leaves[..]);
        let packet_bytes = size_of_val(&self.packets[..]);
        OctreeStatistics {
            depth: self.depth,
            nodes: self.nodes.len(),
            packets: self.packets.len(),
            packet_fill: ratio(self.mesh.len(), self.packets.len()),
            leaves: self.leaves.len(),
            node_fill: ratio(children, self.nodes.len()),
            leaf_fill: ratio(self.packets.len(), self.leaves.len()),
            node_bytes,
            packet_bytes,
            bytes: node_bytes + packet_bytes,
        }
    }
}

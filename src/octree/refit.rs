//! Boxes and packets that follow the triangles: for a mesh that moves, and for a tree of which only the shape is known.
//!
//! Which triangle is in which packet, and which packet below which node, stays as it is; everything else in a tree
//! follows from the mesh in O(n): first packets, each with its box, then the boxes of nodes from the last to the first.
//! Answers do not depend on the shape of the tree, so that those of a tree after a refit are those of a new one.

use std::sync::Arc;

use nalgebra::Point3;

use super::{Child, Content, Leaf, Node, Octree, build::Bounds};
use crate::{
    mesh::{MeshError, TriMesh},
    real::Real,
    sweep::packet::TrianglePacket,
};

impl<T: Real> Octree<T> {
    /// Moves the vertices of the mesh, in metres, and fits the tree to them; returns where they were before, so that
    /// the next frame can have their memory.
    ///
    /// All answers are those of a new tree over the moved mesh, to the bit. Only the time of queries suffers where
    /// triangles that were near each other part: the tree is still divided by where they were when it was built.
    ///
    /// O(n). A mesh that is shared with others is copied first, and theirs stays as it was. With the feature `parallel` the
    /// threads of rayon's current pool take part.
    ///
    /// # Errors
    /// If there is not one place for each vertex, or a coordinate is NaN, infinite or beyond
    /// [`MAX_COORDINATE`](crate::MAX_COORDINATE). The tree is then as it was.
    ///
    /// ```
    /// # use nalgebra::{point, vector};
    /// use sidle::{Ellipsoid, Octree, Sweep, mesh::primitives};
    ///
    /// let mut sea = Octree::new(primitives::terrain::<f32>(20, 1)?);
    /// let body = Ellipsoid::new(vector![0.4, 0.9, 0.4])?;
    /// let fall = Sweep::new(&body, point![0.3, 30.0, 0.7], vector![0.0, -60.0, 0.0])?;
    /// let before = sea.sweep(&fall).expect("there is a surface");
    ///
    /// let raised = sea.mesh().vertices().iter().map(|v| v + vector![0.0, 2.0, 0.0]).collect();
    /// sea.refit(raised)?;
    /// let after = sea.sweep(&fall).expect("it is still there");
    /// assert!((before.contact.distance - after.contact.distance - 2.0).abs() < 1e-5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn refit(&mut self, vertices: Vec<Point3<T>>) -> Result<Vec<Point3<T>>, MeshError> {
        self.refit_with(vertices, cfg!(feature = "parallel"))
    }

    /// Does the same as [`Octree::refit`] on the calling thread alone.
    ///
    /// # Errors
    /// As [`Octree::refit`].
    pub fn refit_serial(&mut self, vertices: Vec<Point3<T>>) -> Result<Vec<Point3<T>>, MeshError> {
        self.refit_with(vertices, false)
    }

    fn refit_with(&mut self, vertices: Vec<Point3<T>>, in_parallel: bool) -> Result<Vec<Point3<T>>, MeshError> {
        self.mesh.check_moved(&vertices)?;
        let before = Arc::make_mut(&mut self.mesh).move_vertices(vertices);
        self.fit(in_parallel);
        Ok(before)
    }

    /// Makes packets, boxes, bounds, origin and extent those of the mesh. Of a packet only the ids need to be right.
    pub(super) fn fit(&mut self, in_parallel: bool) {
        self.bounds = self.mesh.bounds();
        self.origin = self.bounds.exact_origin();
        let packets = fit_packets(&mut self.packets, &self.mesh, &self.origin, in_parallel);
        let leaves = fit_leaves(&mut self.leaves, &packets);
        self.extent = fit_nodes(&mut self.nodes, &leaves).extent();
    }
}

/// Makes packets those of the mesh, and returns their boxes.
fn fit_packets<T: Real>(
    packets: &mut [TrianglePacket],
    mesh: &TriMesh<T>,
    origin: &Point3<f64>,
    in_parallel: bool,
) -> Vec<Bounds> {
    let fit = |packet: &mut TrianglePacket| {
        let mut bounds = Bounds::EMPTY;
        packet.fit(origin, |id| {
            let triangle = mesh.triangle(id).widen();
            bounds = bounds.union(&Bounds::of(&triangle, origin));
            triangle
        });
        bounds
    };
    #[cfg(feature = "parallel")]
    if in_parallel {
        use rayon::prelude::*;
        return packets.par_iter_mut().with_min_len(WORTH_A_THREAD).map(fit).collect();
    }
    let _ = in_parallel;
    packets.iter_mut().map(fit).collect()
}

/// Fewer packets are not worth the handing over to another thread.
#[cfg(feature = "parallel")]
const WORTH_A_THREAD: usize = 256;

/// Makes the boxes of leaves those of their packets, and returns the boxes around each leaf.
fn fit_leaves(leaves: &mut [Leaf], packets: &[Bounds]) -> Vec<Bounds> {
    let fit = |leaf: &mut Leaf| {
        let first = leaf.first as usize;
        let packets = &packets[first..first + leaf.len as usize];
        let bounds = packets.iter().fold(Bounds::EMPTY, |bounds, packet| bounds.union(packet));
        *leaf = Leaf { len: leaf.len, ..Leaf::new(&bounds, first) };
        for (place, packet) in packets.iter().enumerate() {
            leaf.set_box(place, packet);
        }
        bounds
    };
    leaves.iter_mut().map(fit).collect()
}

/// Makes the boxes of nodes those of what is below them, and returns the box around all.
fn fit_nodes(nodes: &mut [Node], leaves: &[Bounds]) -> Bounds {
    let mut boxes = vec![Bounds::EMPTY; nodes.len()];
    for (index, node) in nodes.iter_mut().enumerate().rev() {
        let mut bounds = Bounds::EMPTY;
        for lane in 0..node.children.len() {
            let child = match node.children[lane] {
                Child::NONE => continue,
                child => match child.content() {
                    Content::Node(below) => boxes[below],
                    Content::Leaf(leaf) => leaves[leaf],
                    Content::Packet(_) => continue, // only leaves have packets
                },
            };
            child.write(node, lane);
            bounds = bounds.union(&child);
        }
        boxes[index] = bounds;
    }
    // Without nodes the one leaf is the tree.
    boxes.first().or(leaves.first()).copied().unwrap_or(Bounds::EMPTY)
}

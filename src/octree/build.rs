//! Building the tree: cells are halved along their longest axis until a node has eight of them.
//!
//! A node's triangles begin as one cell. The most populous cell that does not fit a packet is halved in the middle of
//! the longest axis of its centroids, until there are eight cells or all fit; three rounds of halving give the eight octants of
//! an octree where the triangles are spread evenly, and better filled children where they are not. Costs O(n · depth).

use std::sync::Arc;

use nalgebra::Point3;

use super::{Child, Node, Octree};
use crate::{
    mesh::TriMesh,
    real::{Real, widen_point},
    shape::Aabb3,
    sweep::packet::TrianglePacket,
    wide::{F32x8, LANES},
};

/// Halvings in the middle of space; below, cells are halved by number, which ends after at most 32 more.
const SPATIAL_HALVINGS: usize = 40;

/// No path from the root to a packet has more nodes than this: every level halves a cell at least once.
pub(super) const MAX_DEPTH: usize = SPATIAL_HALVINGS + 32;

/// Some of the triangles: a range of the builder's list, halved so many times.
#[derive(Clone, Copy)]
struct Cell {
    start: usize,
    end: usize,
    halvings: usize,
}

impl Cell {
    fn len(&self) -> usize {
        self.end - self.start
    }
}

struct Builder<'a, T: Real> {
    mesh: &'a TriMesh<T>,
    origin: Point3<f64>,
    /// Triangles in the order of the leaves, with their centroids.
    order: Vec<(Point3<f64>, u32)>,
    nodes: Vec<Node>,
    packets: Vec<TrianglePacket>,
    depth: usize,
}

impl<T: Real> Octree<T> {
    /// Builds the tree of a mesh. The same mesh always gives the same tree.
    pub fn new(mesh: impl Into<Arc<TriMesh<T>>>) -> Self {
        let mesh = mesh.into();
        let bounds = mesh.bounds();
        let wide = Aabb3 { min: widen_point(&bounds.min), max: widen_point(&bounds.max) };
        let origin = wide.center();
        let extent = (wide.max - origin).amax().max((origin - wide.min).amax());
        let order = (0..)
            .zip(mesh.iter())
            .map(|(id, triangle)| {
                let [a, b, c] = triangle.widen().vertices();
                (Point3::from(((a - origin) + (b - origin) + (c - origin)) / 3.0), id)
            })
            .collect();
        let mut builder = Builder { mesh: &mesh, origin, order, nodes: Vec::new(), packets: Vec::new(), depth: 0 };
        let all = Cell { start: 0, end: mesh.len(), halvings: 0 };
        let (root, _) = builder.build(all, 0);
        let Builder { nodes, packets, depth, .. } = builder;
        Self { bounds, origin, extent, nodes, packets, root, depth, mesh }
    }
}

impl<T: Real> Builder<'_, T> {
    /// Builds a cell, and returns it with its tight box relative to the origin.
    fn build(&mut self, cell: Cell, level: usize) -> (Child, Aabb3<f64>) {
        self.depth = self.depth.max(level);
        if cell.len() <= LANES {
            return self.packet(cell);
        }
        let index = self.nodes.len();
        let empty = [F32x8::splat(f32::INFINITY); 3];
        self.nodes.push(Node { min: empty, max: empty.map(|x| -x), children: [Child::NONE; LANES] });
        let mut bounds = Aabb3::empty();
        let (cells, count) = self.divide(cell);
        for (lane, cell) in cells[..count].iter().enumerate() {
            let (child, tight) = self.build(*cell, level + 1);
            let node = &mut self.nodes[index];
            node.children[lane] = child;
            for axis in 0..3 {
                node.min[axis].0[lane] = below(tight.min[axis]);
                node.max[axis].0[lane] = above(tight.max[axis]);
            }
            bounds = bounds.union(&tight);
        }
        (Child::node(index), bounds)
    }

    fn packet(&mut self, cell: Cell) -> (Child, Aabb3<f64>) {
        let members = &mut self.order[cell.start..cell.end];
        members.sort_unstable_by_key(|(_, id)| *id);
        let triangles = members.iter().map(|(_, id)| (*id, self.mesh.triangle(*id).widen()));
        let corners = triangles.clone().flat_map(|(_, triangle)| triangle.vertices());
        let bounds = Aabb3::around(corners.map(|p| Point3::from(p - self.origin)));
        self.packets.push(TrianglePacket::new(triangles, &self.origin));
        (Child::packet(self.packets.len() - 1), bounds)
    }

    /// Halves the most populous cell until there are eight or all fit a packet.
    fn divide(&mut self, cell: Cell) -> ([Cell; LANES], usize) {
        let mut cells = [cell; LANES];
        let mut count = 1;
        while count < LANES {
            let mut largest = 0;
            for i in 1..count {
                if cells[i].len() > cells[largest].len() {
                    largest = i;
                }
            }
            if cells[largest].len() <= LANES {
                break;
            }
            let [low, high] = self.halve(cells[largest]);
            // Kept in the order of the list, so that neighbours in space stay neighbours in memory.
            cells.copy_within(largest + 1..count, largest + 2);
            (cells[largest], cells[largest + 1]) = (low, high);
            count += 1;
        }
        (cells, count)
    }

    fn halve(&mut self, cell: Cell) -> [Cell; 2] {
        let members = &mut self.order[cell.start..cell.end];
        let bounds = Aabb3::around(members.iter().map(|(centroid, _)| *centroid));
        let axis = bounds.size().imax();
        let middle = bounds.center()[axis];
        let by_place =
            |a: &(Point3<f64>, u32), b: &(Point3<f64>, u32)| a.0[axis].total_cmp(&b.0[axis]).then(a.1.cmp(&b.1));
        let mut split = 0;
        if cell.halvings < SPATIAL_HALVINGS {
            split = partition(members, |(centroid, _)| centroid[axis] < middle);
        }
        if split == 0 || split == members.len() {
            split = members.len() / 2;
            members.select_nth_unstable_by(split, by_place);
        }
        let halvings = cell.halvings + 1;
        let middle = cell.start + split;
        [Cell { start: cell.start, end: middle, halvings }, Cell { start: middle, end: cell.end, halvings }]
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

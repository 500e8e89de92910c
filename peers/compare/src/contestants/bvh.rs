//! bvh: rays through `Bvh::traverse_iterator`, with the crate's triangle test.
//!
//! The crate has no query for the closest hit. Its iterator asks the query about each box, so a query that knows the
//! best hit so far can turn away boxes behind it.

use std::cell::Cell;

use anyhow::Result;
use bvh::{
    aabb::{Aabb, Bounded, IntersectsAabb},
    bounding_hierarchy::BHShape,
    bvh::Bvh,
    ray::Ray,
};
use sidle::{TriMesh, nalgebra::Point3};

use super::{Contestant, Fractions, time};
use crate::sets::{Body, Set};

struct BvhCrate {
    tree: Bvh<f32, 3>,
    triangles: Vec<Triangle>,
}

/// A triangle as the crate asks for it.
struct Triangle {
    corners: [Point3<f32>; 3],
    node: usize,
}

/// A ray that ends at the best hit so far.
struct Shortened {
    ray: Ray<f32, 3>,
    /// Metres from its origin.
    end: Cell<f32>,
}

/// Builds the tree in one thread.
pub(super) fn build(mesh: &TriMesh<f32>) -> Result<(Box<dyn Contestant>, f64)> {
    let mut triangles: Vec<_> =
        mesh.iter().map(|triangle| Triangle { corners: triangle.vertices(), node: 0 }).collect();
    let (tree, seconds) = time(|| Ok(Bvh::build(&mut triangles)))?;
    Ok((Box::new(BvhCrate { tree, triangles }), seconds))
}

impl Contestant for BvhCrate {
    fn bytes(&self) -> usize {
        size_of_val(&self.tree.nodes[..]) + size_of_val(&self.triangles[..])
    }

    fn takes(&self, body: Body) -> bool {
        body == Body::Point
    }

    fn answer(&self, set: &Set, fractions: &mut Fractions) -> Result<()> {
        fractions.clear();
        for query in &set.queries {
            let length = query.motion.norm();
            let query = Shortened { ray: Ray::new(query.start, query.motion), end: Cell::new(length) };
            let mut is_hit = false;
            for triangle in self.tree.traverse_iterator(&query, &self.triangles) {
                let distance = triangle.distance(&query.ray);
                if distance <= query.end.get() {
                    query.end.set(distance);
                    is_hit = true;
                }
            }
            fractions.push(is_hit.then(|| query.end.get() / length));
        }
        Ok(())
    }
}

impl Triangle {
    /// Infinite where the ray passes by. The crate's test sees fronts only, so both windings are tried.
    fn distance(&self, ray: &Ray<f32, 3>) -> f32 {
        let [a, b, c] = &self.corners;
        ray.intersects_triangle(a, b, c).distance.min(ray.intersects_triangle(a, c, b).distance)
    }
}

impl IntersectsAabb<f32, 3> for Shortened {
    fn intersects_aabb(&self, aabb: &Aabb<f32, 3>) -> bool {
        self.ray.intersection_slice_for_aabb(aabb).is_some_and(|(entry, _)| entry <= self.end.get())
    }
}

impl Bounded<f32, 3> for Triangle {
    fn aabb(&self) -> Aabb<f32, 3> {
        self.corners.iter().fold(Aabb::empty(), |bounds, corner| bounds.grow(corner))
    }
}

impl BHShape<f32, 3> for Triangle {
    fn set_bh_node_index(&mut self, index: usize) {
        self.node = index;
    }

    fn bh_node_index(&self) -> usize {
        self.node
    }
}

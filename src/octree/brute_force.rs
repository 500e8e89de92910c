//! [`BruteForce`]: the same queries over every triangle, the slow truth that the tree is held against.

use std::sync::Arc;

use nalgebra::Point3;

use super::{
    MeshHit, MeshPoint, MeshRayHit,
    query::{Found, is_closer, is_earlier, is_nearer, mesh_hit, mesh_point, mesh_ray_hit},
};
use crate::{
    mesh::TriMesh,
    real::{Length, Real, widen, widen_point},
    shape::{Ray3, Triangle, ray::cast_triangle},
    sweep::Sweep,
};

/// A mesh without a tree: every query looks at every triangle, with the same exact kernel and the same rules for ties.
#[derive(Debug, Clone)]
pub struct BruteForce<T: Real> {
    mesh: Arc<TriMesh<T>>,
}

impl<T: Real> BruteForce<T> {
    /// Queries over all triangles of a mesh.
    pub fn new(mesh: impl Into<Arc<TriMesh<T>>>) -> Self {
        Self { mesh: mesh.into() }
    }

    /// The mesh.
    pub fn mesh(&self) -> &Arc<TriMesh<T>> {
        &self.mesh
    }

    fn all(&self) -> impl Iterator<Item = u32> {
        0..self.mesh.len() as u32
    }

    /// The triangles whose boxes meet that around the whole way; no other can be touched.
    fn all_near(&self, sweep: &Sweep) -> impl Iterator<Item = (u32, Triangle<f64>)> {
        let way = sweep.bounds();
        let wide = self.all().map(|id| (id, self.mesh.triangle(id).widen()));
        wide.filter(move |(_, triangle)| triangle.bounds().overlaps(&way))
    }

    /// See [`Octree::sweep`](super::Octree::sweep).
    pub fn sweep(&self, sweep: &Sweep) -> Option<MeshHit<T>> {
        let mut best = None;
        for (id, triangle) in self.all_near(sweep) {
            if let Some(answer) = sweep.touch(&triangle, self.mesh.sides(), 1.0)
                && is_earlier(&answer, id, best.as_ref())
            {
                best = Some(Found { answer, id, triangle });
            }
        }
        best.map(|hit| mesh_hit(&self.mesh, sweep, &hit))
    }

    /// See [`Octree::each_contact`](super::Octree::each_contact); here in the order of the triangles.
    pub fn each_contact(&self, sweep: &Sweep, mut visit: impl FnMut(MeshHit<T>)) {
        for (id, triangle) in self.all_near(sweep) {
            if let Some(answer) = sweep.touch(&triangle, self.mesh.sides(), 1.0) {
                visit(mesh_hit(&self.mesh, sweep, &Found { answer, id, triangle }));
            }
        }
    }

    /// See [`Octree::cast_ray`](super::Octree::cast_ray).
    pub fn cast_ray(&self, ray: &Ray3<T>, max_t: T) -> Option<MeshRayHit<T>> {
        let (origin, direction) = (widen_point(&ray.origin()), widen(&ray.direction()));
        let mut best = None;
        for id in self.all() {
            let triangle = self.mesh.triangle(id).widen();
            let hit = cast_triangle(&origin, &direction, &triangle);
            if let Some(answer) = hit.filter(|hit| hit.t <= max_t.to_f64()) {
                let hit = Found { answer, id, triangle };
                if is_nearer(&hit, best.as_ref()) {
                    best = Some(hit);
                }
            }
        }
        best.map(|hit| mesh_ray_hit(&self.mesh, &hit))
    }

    /// See [`Octree::closest_point`](super::Octree::closest_point).
    pub fn closest_point(&self, point: Point3<T>, max_distance: T) -> Option<MeshPoint<T>> {
        let point = widen_point(&point);
        let mut best = None;
        let mut limit = max_distance.to_f64();
        for id in self.all() {
            let triangle = self.mesh.triangle(id).widen();
            if is_beyond(&triangle, &point, limit) {
                continue;
            }
            let answer = triangle.closest_point_f64(&point);
            if answer.distance <= limit && is_closer(&answer, id, best.as_ref()) {
                limit = answer.distance;
                best = Some(Found { answer, id, triangle });
            }
        }
        best.map(|hit| mesh_point(&self.mesh, &hit))
    }
}

/// Whether a triangle is farther away than `limit` for certain: its first corner is, by more than its longest edge there.
fn is_beyond(triangle: &Triangle<f64>, point: &Point3<f64>, limit: f64) -> bool {
    let [ab, ac] = [triangle.b - triangle.a, triangle.c - triangle.a].map(|edge| edge.norm_squared());
    // A billionth is far more than these roots round by.
    (triangle.a - point).length() * (1.0 - 1e-9) > (limit + ab.max(ac).sqrt()) * (1.0 + 1e-9)
}

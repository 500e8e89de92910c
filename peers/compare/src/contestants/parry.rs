//! parry3d: `query::cast_shapes` and `cast_local_ray` with a `TriMesh`, all with default options.

use anyhow::{Result, anyhow};
use parry3d::{
    math::{Pose, Vector},
    query::{Ray, RayCast, ShapeCastOptions, cast_shapes},
    shape::{Ball, Capsule, Shape, TriMesh},
};
use sidle::nalgebra::Vector3;

use super::{Contestant, Fractions, time};
use crate::sets::{Body, CAPSULE_ARM, RADIUS, Set};

struct Parry(TriMesh);

/// Builds parry's mesh, which has its tree in it.
pub(super) fn build(mesh: &sidle::TriMesh<f32>) -> Result<(Box<dyn Contestant>, f64)> {
    let (vertices, triangles) = parts(mesh);
    let (mesh, seconds) = time(|| TriMesh::new(vertices, triangles).map_err(|error| anyhow!("parry3d: {error}")))?;
    Ok((Box::new(Parry(mesh)), seconds))
}

/// Vertices and triangles in parry's types.
pub(super) fn parts(mesh: &sidle::TriMesh<f32>) -> (Vec<Vector>, Vec<[u32; 3]>) {
    (mesh.vertices().iter().map(|vertex| vector(&vertex.coords)).collect(), mesh.indices().collect())
}

/// A vector in parry's type.
pub(super) fn vector(v: &Vector3<f32>) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

impl Contestant for Parry {
    fn bytes(&self) -> usize {
        self.0.total_memory_size()
    }

    fn takes(&self, _body: Body) -> bool {
        true
    }

    fn answer(&self, set: &Set, fractions: &mut Fractions) -> Result<()> {
        fractions.clear();
        let shape: &dyn Shape = match set.body {
            Body::Tall => &Capsule::new_y(CAPSULE_ARM, RADIUS),
            Body::Ball => &Ball::new(RADIUS),
            Body::Point => {
                for query in &set.queries {
                    let ray = Ray::new(vector(&query.start.coords), vector(&query.motion));
                    fractions.push(self.0.cast_local_ray(&ray, 1.0, false));
                }
                return Ok(());
            }
        };
        let options = ShapeCastOptions::with_max_time_of_impact(1.0);
        for query in &set.queries {
            let (pose, motion) = (Pose::from_translation(vector(&query.start.coords)), vector(&query.motion));
            let hit = cast_shapes(&Pose::IDENTITY, Vector::ZERO, &self.0, &pose, motion, shape, options);
            fractions.push(hit.map_err(|error| anyhow!("parry3d: {error}"))?.map(|hit| hit.time_of_impact));
        }
        Ok(())
    }
}

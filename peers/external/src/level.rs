//! [`Level`]: the mesh of the harness with its tree, and what building it cost.

use std::{path::Path, sync::Arc};

use anyhow::Result;
use cpu_time::ThreadTime;
use serde::Serialize;
use sidle::{Octree, Real, SimdLevel, TriMesh, World, nalgebra::Point3};

use crate::files::{self, MeshFile};

/// What queries are asked of, and what characters walk in; both share one tree.
pub(crate) struct Level<T: Real> {
    pub(crate) tree: Arc<Octree<T>>,
    pub(crate) world: World<T>,
}

/// What a build cost.
#[derive(Debug, Serialize)]
pub(crate) struct Built {
    triangles: usize,
    /// CPU seconds of checking the mesh and building its tree.
    build_s: f64,
    /// Heap that mesh and tree keep.
    bytes: usize,
}

impl<T: Real> Level<T> {
    /// Reads a mesh file and builds its tree. Reading is not part of the time.
    ///
    /// Queries work with the instruction level given, or with the best of the machine.
    pub(crate) fn read(path: &Path, simd_level: Option<SimdLevel>) -> Result<(Self, Built)> {
        let MeshFile { vertices, triangles } = files::read_mesh(path)?;
        let vertices = vertices.iter().map(|vertex| Point3::from(vertex.map(|x| T::nearest(x.into())))).collect();
        let begin = ThreadTime::now();
        let tree = Octree::new_serial(TriMesh::new(vertices, triangles)?);
        let build_s = begin.elapsed().as_secs_f64();
        let memory = tree.mesh().memory().total();
        let built = Built { triangles: tree.mesh().len(), build_s, bytes: memory + tree.statistics().bytes };
        let tree = Arc::new(match simd_level {
            Some(level) => tree.with_simd_level(level),
            None => tree,
        });
        Ok((Self { world: World::of_level(tree.clone()), tree }, built))
    }
}

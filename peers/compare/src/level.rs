//! [`Level`]: the meshes that are measured.

use std::path::Path;

use anyhow::{Result, anyhow};
use sidle::{
    TriMesh,
    mesh::{
        MeshError, ObjOptions,
        primitives::{self, MeshBuilder},
    },
    read_obj,
};

/// A mesh with a name.
pub(crate) struct Level {
    pub(crate) name: String,
    pub(crate) mesh: TriMesh<f32>,
}

/// Playgrounds side by side in each direction, and the side of one in metres.
const TILES: u32 = 6;
const TILE: f64 = 40.0;

impl Level {
    /// Reads an OBJ file.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        // Its sentence already tells the file and the cause.
        let mesh = read_obj(path, &ObjOptions::default()).map_err(|error| anyhow!("{error}"))?;
        let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Ok(Self { name, mesh })
    }
}

/// The levels that every run has: few triangles, many alike, many of all sizes, many close together.
pub(crate) fn built_in() -> Result<Vec<Level>, MeshError> {
    let level = |name: &str, mesh| Level { name: name.into(), mesh };
    Ok(vec![
        level("playground", primitives::playground()),
        level("terrain", primitives::terrain(384, 1)?),
        level("town", town()?),
        level("domes", domes()?),
    ])
}

/// Many playgrounds in a square, with their walls between them.
fn town() -> Result<TriMesh<f32>, MeshError> {
    let playground = primitives::playground::<f64>();
    let mut builder = MeshBuilder::new();
    for row in 0..TILES {
        for column in 0..TILES {
            builder.append_turned(&playground, row + column, [TILE * f64::from(column), 0.0, TILE * f64::from(row)]);
        }
    }
    builder.build()
}

/// A floor of large triangles with finely tessellated spheres half sunk in it.
fn domes() -> Result<TriMesh<f32>, MeshError> {
    let (floor, sphere) = (primitives::floor::<f64>(80.0, 80.0, 8, 8)?, primitives::sphere::<f64>(1.5, 32, 64)?);
    let mut builder = MeshBuilder::new();
    builder.append(&floor, [0.0; 3]);
    for row in 0..8 {
        for column in 0..8 {
            builder.append(&sphere, [f64::from(column) * 9.0 - 31.5, 0.3, f64::from(row) * 9.0 - 31.5]);
        }
    }
    builder.build()
}

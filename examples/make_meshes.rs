//! Writes the scenes of `assets/meshes` as Wavefront OBJ files.
//!
//! `cargo run --release --example make_meshes [folder]`. They come from the generators in `sidle::mesh::primitives`, so
//! that nobody has to draw them; a test compares the files with what is written here, byte by byte.

use std::{error::Error, fs, path::PathBuf};

use sidle::mesh::{MeshError, TriMesh, primitives, write_obj};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "assets/meshes".to_owned()));
    fs::create_dir_all(&folder)?;
    for (name, mesh) in scenes()? {
        let bytes = obj_file(&mesh);
        println!("{name:18} {:5} triangles {:7} bytes", mesh.len(), bytes.len());
        fs::write(folder.join(name), bytes)?;
    }
    Ok(())
}

/// The files and what is in them.
pub(crate) fn scenes() -> Result<Vec<(&'static str, TriMesh<f64>)>, MeshError> {
    Ok(vec![
        ("arch.obj", primitives::arch(1.6, 2.4, 0.5, 0.6, 12)?),
        ("cuboid.obj", primitives::cuboid([0.5, 0.5, 0.5])?),
        ("floor.obj", primitives::floor(16.0, 16.0, 16, 16)?),
        ("playground.obj", primitives::playground()),
        ("ramp_30.obj", primitives::ramp(4.0, 30_f64.to_radians(), 2.0)?),
        ("sphere.obj", primitives::sphere(1.0, 12, 24)?),
        ("spiral_stairs.obj", primitives::spiral_stairs(18, 0.2, 0.25, 1.0, 3.0)?),
        ("stairs.obj", primitives::stairs(10, 0.2, 0.3, 2.0)?),
        ("terrain_16.obj", primitives::terrain(16, 1)?),
        ("tunnel.obj", primitives::tunnel(2.0, 2.5, 8.0, 12)?),
    ])
}

/// A mesh as the bytes of a file.
pub(crate) fn obj_file(mesh: &TriMesh<f64>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_obj(mesh, &mut bytes).expect("memory does not fail");
    bytes
}

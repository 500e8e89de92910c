//! [`write_obj`]: a mesh as a Wavefront OBJ file.

use std::{
    borrow::Cow,
    io::{self, Write},
};

use super::TriMesh;
use crate::real::Real;

/// Writes a mesh as Wavefront OBJ: `v` lines, then `f` lines, with `g` and `usemtl` wherever they change.
///
/// Coordinates have as many digits as it takes to read the same number back, to the last bit; vertices and triangles
/// keep their order, so that a mesh survives a round trip. The same mesh gives the same bytes on every platform. A mesh
/// without names gets no `g` or `usemtl` lines. In OBJ a space ends a name, so white space in names becomes `_`; a tag
/// that no name stands for is written as its number.
///
/// There are many small writes: put a file into a [`BufWriter`](io::BufWriter).
///
/// # Errors
/// If `out` fails.
///
/// ```
/// # use sidle::mesh::{primitives::MeshBuilder, write_obj};
/// let mut builder = MeshBuilder::new();
/// builder.material("floor").triangle([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.1, 0.0, 0.0]]);
/// let mut file = Vec::new();
/// write_obj(&builder.build::<f64>()?, &mut file)?;
/// assert_eq!(String::from_utf8(file)?, "v 0 0 0\nv 0 0 1\nv 0.1 0 0\nusemtl floor\nf 1 2 3\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_obj<T: Real>(mesh: &TriMesh<T>, out: &mut impl Write) -> io::Result<()> {
    for vertex in mesh.vertices() {
        let [x, y, z] = [vertex.x, vertex.y, vertex.z].map(Real::to_f64);
        writeln!(out, "v {x} {y} {z}")?;
    }
    let (mut group, mut material) = (None, None);
    for (i, corners) in (0u32..).zip(mesh.indices()) {
        if !mesh.group_names().is_empty() && group != Some(mesh.group(i)) {
            group = Some(mesh.group(i));
            writeln!(out, "g {}", name(mesh.group_names(), mesh.group(i).0 as usize))?;
        }
        if !mesh.material_names().is_empty() && material != Some(mesh.material(i)) {
            material = Some(mesh.material(i));
            writeln!(out, "usemtl {}", name(mesh.material_names(), usize::from(mesh.material(i).0)))?;
        }
        let [a, b, c] = corners.map(|vertex| u64::from(vertex) + 1);
        writeln!(out, "f {a} {b} {c}")?;
    }
    Ok(())
}

fn name(names: &[String], tag: usize) -> Cow<'_, str> {
    match names.get(tag) {
        None => Cow::Owned(tag.to_string()),
        Some(name) if name.is_empty() => Cow::Borrowed("_"),
        Some(name) if name.contains(char::is_whitespace) => Cow::Owned(name.replace(char::is_whitespace, "_")),
        Some(name) => Cow::Borrowed(name),
    }
}

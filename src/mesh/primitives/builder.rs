//! [`MeshBuilder`]: puts triangles together and names them.

use std::collections::HashMap;

use nalgebra::Point3;

use super::super::{GroupTag, MaterialTag, MeshError, TriMesh};
use crate::real::Real;

/// What triangles without a name are called beside others that have one.
const UNNAMED: &str = "default";

/// Collects triangles, in `f64`, until [`build`](Self::build) rounds them to a mesh.
///
/// Corners at equal positions become one vertex. Every triangle gets the material and the group that were named last; a
/// mesh of which nothing was named has no names, else triangles without a name are called `default`.
///
/// ```
/// use sidle::mesh::{MeshError, primitives::{self, MeshBuilder}};
/// let mut builder = MeshBuilder::new();
/// builder.material("grass").append(&primitives::floor::<f64>(8.0, 8.0, 4, 4)?, [0.0; 3]);
/// builder.material("stone").append(&primitives::cuboid::<f64>([1.0; 3])?, [0.0, 1.0, 0.0]);
/// let mesh = builder.build::<f32>()?;
/// assert_eq!(mesh.material_names(), ["grass", "stone"]);
/// assert_eq!(mesh.bounds().max.y, 2.0);
/// # Ok::<(), MeshError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct MeshBuilder {
    vertices: Vec<Point3<f64>>,
    /// The vertex at a position; the key is the bits of its coordinates.
    vertex_at: HashMap<[u64; 3], u32>,
    triangles: Vec<[u32; 3]>,
    materials: Names,
    groups: Names,
}

impl MeshBuilder {
    /// A builder without triangles.
    pub fn new() -> Self {
        Self::default()
    }

    /// Names the material of the triangles that follow.
    pub fn material(&mut self, name: &str) -> &mut Self {
        self.materials.select(name);
        self
    }

    /// Names the group of the triangles that follow.
    pub fn group(&mut self, name: &str) -> &mut Self {
        self.groups.select(name);
        self
    }

    /// Adds a triangle, counter-clockwise as seen from its front.
    ///
    /// One with two corners in the same place is left out: that is how a [`grid`](Self::grid) may end in a point.
    pub fn triangle(&mut self, corners: [[f64; 3]; 3]) -> &mut Self {
        let [a, b, c] = corners.map(|corner| self.vertex(corner));
        if a != b && b != c && c != a {
            self.triangles.push([a, b, c]);
            self.materials.tag();
            self.groups.tag();
        }
        self
    }

    /// Adds a quad, counter-clockwise as seen from its front, as two triangles that share the first and third corner.
    pub fn quad(&mut self, corners: [[f64; 3]; 4]) -> &mut Self {
        let [a, b, c, d] = corners;
        self.triangle([a, b, c]).triangle([a, c, d])
    }

    /// Adds a sheet of `cells[0]` × `cells[1]` quads whose corner `(i, j)` is at `corner(i, j)`.
    ///
    /// With `u` the direction of growing `i` and `v` that of growing `j`, the front is where `u × v` points.
    pub fn grid(&mut self, cells: [u32; 2], corner: impl Fn(u32, u32) -> [f64; 3]) -> &mut Self {
        for i in 0..cells[0] {
            for j in 0..cells[1] {
                self.quad([corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)]);
            }
        }
        self
    }

    /// Adds a mesh, moved by `offset`. Its names, where it has any, hold for its triangles alone.
    pub fn append<T: Real>(&mut self, mesh: &TriMesh<T>, offset: [f64; 3]) -> &mut Self {
        self.append_turned(mesh, 0, offset)
    }

    /// Adds a mesh, first turned around the Y axis, then moved by `offset`.
    ///
    /// A quarter turn is counter-clockwise as seen from above and exact: what pointed along +X points along −Z after
    /// one, −X after two, +Z after three.
    pub fn append_turned<T: Real>(&mut self, mesh: &TriMesh<T>, quarter_turns: u32, offset: [f64; 3]) -> &mut Self {
        let (material, group) = (self.materials.current, self.groups.current);
        for (i, triangle) in (0u32..).zip(mesh.iter()) {
            if let Some(name) = mesh.material_names().get(usize::from(mesh.material(i).0)) {
                self.material(name);
            }
            if let Some(name) = mesh.group_names().get(mesh.group(i).0 as usize) {
                self.group(name);
            }
            self.triangle(triangle.vertices().map(|p| {
                let [x, y, z] = [p.x, p.y, p.z].map(Real::to_f64);
                let [x, z] = match quarter_turns % 4 {
                    0 => [x, z],
                    1 => [z, -x],
                    2 => [-x, -z],
                    _ => [-z, x],
                };
                [x + offset[0], y + offset[1], z + offset[2]]
            }));
        }
        (self.materials.current, self.groups.current) = (material, group);
        self
    }

    /// The mesh, every coordinate rounded once.
    ///
    /// # Errors
    /// Those of [`TriMesh::new`]: without triangles, with a coordinate that is not finite or too large. Also if there
    /// are more than 65,535 materials.
    pub fn build<T: Real>(self) -> Result<TriMesh<T>, MeshError> {
        let vertices = self.vertices.iter().map(|p| p.map(T::nearest)).collect();
        let mut mesh = TriMesh::new(vertices, self.triangles)?;
        if let Some((tags, names)) = self.materials.finish() {
            if names.len() > usize::from(u16::MAX) {
                return Err(MeshError::TooMany { what: "the materials", count: names.len() });
            }
            mesh = mesh.with_materials(tags.iter().map(|tag| MaterialTag(*tag as u16)).collect(), names)?;
        }
        if let Some((tags, names)) = self.groups.finish() {
            mesh = mesh.with_groups(tags.into_iter().map(GroupTag).collect(), names)?;
        }
        Ok(mesh)
    }

    fn vertex(&mut self, corner: [f64; 3]) -> u32 {
        let corner = corner.map(|x| x + 0.0); // −0 becomes 0: one position
        *self.vertex_at.entry(corner.map(f64::to_bits)).or_insert_with(|| {
            self.vertices.push(corner.into());
            // An index that does not fit is refused with the number of vertices, when the mesh is built.
            u32::try_from(self.vertices.len() - 1).unwrap_or(u32::MAX)
        })
    }
}

/// The names of one kind, and which of them each triangle has.
#[derive(Debug, Clone, Default)]
struct Names {
    names: Vec<String>,
    tags: Vec<Option<u32>>,
    current: Option<u32>,
}

impl Names {
    fn select(&mut self, name: &str) {
        self.current = Some(self.index_of(name));
    }

    fn index_of(&mut self, name: &str) -> u32 {
        let index = self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        index as u32 // there are fewer names than calls with a name in memory
    }

    fn tag(&mut self) {
        self.tags.push(self.current);
    }

    /// A tag for each triangle, and the names; `None` if nothing was named.
    fn finish(mut self) -> Option<(Vec<u32>, Vec<String>)> {
        if self.tags.iter().all(Option::is_none) {
            return None;
        }
        let unnamed = if self.tags.contains(&None) { self.index_of(UNNAMED) } else { 0 };
        Some((self.tags.iter().map(|tag| tag.unwrap_or(unnamed)).collect(), self.names))
    }
}

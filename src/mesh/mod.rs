//! Triangles with materials: [`TriMesh`], where they come from, and what is wrong with them.

mod corners;
#[cfg(feature = "obj")]
pub mod obj;
pub mod primitives;
mod topology;
mod write_obj;

use std::sync::OnceLock;

use nalgebra::Point3;

#[cfg(feature = "obj")]
pub use obj::{DegenerateFaces, ObjError, ObjErrorKind, ObjOptions, parse_obj, read_obj};
pub use topology::{EdgeBits, MeshDefects};
pub use write_obj::write_obj;

use self::corners::Corners;
use crate::{
    input_error::{InputError, MAX_COORDINATE},
    real::Real,
    shape::{Aabb3, Triangle},
};

/// What a triangle is made of: an index into [`TriMesh::material_names`]. Without materials it is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MaterialTag(pub u16);

/// The group of a triangle: an index into [`TriMesh::group_names`]. Without groups it is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GroupTag(pub u32);

/// From which side a mesh stops a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Sides {
    /// From both sides of each triangle.
    #[default]
    Both,
    /// From the side on which the vertices run counter-clockwise; a body that moves along the normal passes through.
    Front,
    /// As [`Sides::Front`], and for characters a way through: none is stopped whose centre is behind, nor while it is deeper in the
    /// surface than its skin. A jump from below leads through, and ends on top or below, but not with a push halfway.
    OneWay,
}

/// Triangles with shared vertices, checked once: every index names a vertex, every coordinate is finite.
///
/// Degenerate triangles are legal and act as the segments or points they are; [`TriMesh::defects`] counts them.
#[derive(Debug, Clone)]
pub struct TriMesh<T: Real> {
    vertices: Vec<Point3<T>>,
    triangles: Corners,
    materials: Vec<MaterialTag>,
    groups: Vec<GroupTag>,
    material_names: Vec<String>,
    group_names: Vec<String>,
    sides: Sides,
    /// Faces of a file that were left out.
    dropped: usize,
    /// Found out when somebody asks: queries do without, and it takes longer than building a tree.
    topology: OnceLock<Topology>,
}

/// What follows from the vertices and triangles of a mesh.
#[derive(Debug, Clone)]
struct Topology {
    /// Of each triangle; none at all where they are all [`EdgeBits::ALL`].
    edges: Vec<EdgeBits>,
    defects: MeshDefects,
}

/// Two meshes are equal if everything is that they were given.
impl<T: Real> PartialEq for TriMesh<T> {
    fn eq(&self, other: &Self) -> bool {
        (&self.vertices, &self.triangles, self.sides, self.dropped)
            == (&other.vertices, &other.triangles, other.sides, other.dropped)
            && (&self.materials, &self.material_names) == (&other.materials, &other.material_names)
            && (&self.groups, &self.group_names) == (&other.groups, &other.group_names)
    }
}

/// Why triangles could not become a mesh.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// There is nothing to collide with.
    #[error("a mesh needs at least one triangle")]
    NoTriangles,
    /// More vertices or triangles than an index can name.
    #[error("{what} are more than an index can name: there are {count}")]
    TooMany {
        /// Vertices or triangles.
        what: &'static str,
        /// How many there are.
        count: usize,
    },
    /// A vertex with a coordinate that is NaN or infinite.
    #[error("vertex {index} has a coordinate that is not finite")]
    NotFinite {
        /// Index of the vertex, from 0.
        index: usize,
    },
    /// A vertex beyond [`MAX_COORDINATE`].
    #[error("vertex {index} has a coordinate beyond 1e15")]
    TooLarge {
        /// Index of the vertex, from 0.
        index: usize,
    },
    /// A triangle that names a vertex which does not exist.
    #[error("triangle {triangle} names vertex {vertex}, but there are only {vertices}")]
    IndexOutOfRange {
        /// Index of the triangle, from 0.
        triangle: usize,
        /// The vertex that it names.
        vertex: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// A list of tags whose length is not the number of triangles.
    #[error("{tags} tags for {triangles} triangles")]
    TagCount {
        /// Number of tags given.
        tags: usize,
        /// Number of triangles.
        triangles: usize,
    },
    /// New places of vertices that are not as many as the vertices.
    #[error("{given} places for {vertices} vertices")]
    VertexCount {
        /// Number of places given.
        given: usize,
        /// Number of vertices.
        vertices: usize,
    },
    /// An argument of a function in [`primitives`] that gives no shape: a size that is zero or NaN, too few segments.
    #[error(transparent)]
    Argument(#[from] InputError),
    /// Heights that do not fill at least two whole rows of at least two columns.
    #[error("{heights} heights are not two or more rows of {columns} columns, with two or more columns")]
    HeightCount {
        /// Number of heights given.
        heights: usize,
        /// Number of heights in a row.
        columns: usize,
    },
}

/// Bytes of a mesh on the heap, without the names of its tags.
///
/// ```
/// # use nalgebra::point;
/// # use sidle::TriMesh;
/// let corners = [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)].map(|(x, z)| point![x, 0.0_f32, z]);
/// let mesh = TriMesh::new(corners.to_vec(), vec![[0, 1, 2], [2, 1, 3]])?;
/// let memory = mesh.memory();
/// assert_eq!((memory.vertices, memory.indices, memory.edge_bits, memory.tags), (48, 24, 0, 0));
/// mesh.edge_bits(0);
/// assert_eq!(mesh.memory().total(), 74); // a byte for the edges of each, now that somebody has asked
/// # Ok::<(), sidle::mesh::MeshError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MeshMemory {
    /// Of all vertices.
    pub vertices: usize,
    /// Of the triangles, as indices of vertices; zero where these only count up, as in a soup that shares no vertices.
    pub indices: usize,
    /// Of the [`EdgeBits`]; zero while nobody has asked for them, and where all edges can be touched, as in a soup.
    pub edge_bits: usize,
    /// Of materials and groups; zero for those that are all 0.
    pub tags: usize,
}

impl MeshMemory {
    /// All together.
    pub fn total(&self) -> usize {
        self.vertices + self.indices + self.edge_bits + self.tags
    }
}

impl<T: Real> TriMesh<T> {
    /// A mesh from vertices in metres and triples of indices, counter-clockwise as seen from the front.
    ///
    /// # Errors
    /// If there is no triangle, an index names no vertex, a coordinate is NaN, infinite or beyond
    /// [`MAX_COORDINATE`], or there are more than 2³² − 2 vertices or 2³⁰ − 1
    /// triangles.
    ///
    /// ```
    /// # use nalgebra::point;
    /// use sidle::mesh::{MeshError, TriMesh};
    /// let corners = vec![point![0.0, 0.0, 0.0], point![0.0, 0.0, 1.0], point![1.0, 0.0, 0.0]];
    /// assert_eq!(TriMesh::new(corners.clone(), vec![[0, 1, 2]])?.len(), 1);
    /// assert!(TriMesh::new(corners, vec![[0, 1, 3]]).is_err());
    /// # Ok::<(), MeshError>(())
    /// ```
    pub fn new(vertices: Vec<Point3<T>>, triangles: Vec<[u32; 3]>) -> Result<Self, MeshError> {
        check(&vertices, &triangles)?;
        Ok(Self {
            vertices,
            triangles: Corners::new(triangles),
            materials: Vec::new(),
            groups: Vec::new(),
            material_names: Vec::new(),
            group_names: Vec::new(),
            sides: Sides::Both,
            dropped: 0,
            topology: OnceLock::new(),
        })
    }

    /// A mesh whose edges and defects are known.
    ///
    /// # Errors
    /// As [`TriMesh::new`]; and where there is not one set of edge bits for each triangle.
    #[cfg(feature = "save")]
    pub(crate) fn from_examined(
        vertices: Vec<Point3<T>>,
        triangles: Vec<[u32; 3]>,
        edges: Vec<EdgeBits>,
        defects: MeshDefects,
    ) -> Result<Self, MeshError> {
        let mut mesh = Self::new(vertices, triangles)?;
        mesh.check_tags(edges.len())?;
        mesh.dropped = defects.dropped;
        mesh.topology = OnceLock::from(Topology { edges: unless_all_are(edges, &EdgeBits::ALL), defects });
        Ok(mesh)
    }

    /// Gives every triangle a material; `names` are what the tags stand for.
    ///
    /// # Errors
    /// If there is not one tag for each triangle.
    pub fn with_materials(mut self, tags: Vec<MaterialTag>, names: Vec<String>) -> Result<Self, MeshError> {
        self.check_tags(tags.len())?;
        (self.materials, self.material_names) = (unless_all_are(tags, &MaterialTag::default()), names);
        Ok(self)
    }

    /// Gives every triangle a group; `names` are what the tags stand for.
    ///
    /// # Errors
    /// If there is not one tag for each triangle.
    pub fn with_groups(mut self, tags: Vec<GroupTag>, names: Vec<String>) -> Result<Self, MeshError> {
        self.check_tags(tags.len())?;
        (self.groups, self.group_names) = (unless_all_are(tags, &GroupTag::default()), names);
        Ok(self)
    }

    /// The same triangles with their vertices elsewhere.
    ///
    /// # Errors
    /// If there is not one place for each vertex, or a coordinate is NaN, infinite or beyond [`MAX_COORDINATE`].
    pub fn with_vertices(mut self, vertices: Vec<Point3<T>>) -> Result<Self, MeshError> {
        self.check_moved(&vertices)?;
        self.move_vertices(vertices);
        Ok(self)
    }

    /// The same triangles with one vertex at each place: vertices at equal positions become one, and vertices that no
    /// triangle uses go. Takes less memory where a file has vertices of its own for every triangle; changes no answer.
    ///
    /// O(n log n). Of 0 and −0, which are equal, the first in the list of vertices stays.
    ///
    /// ```
    /// # use nalgebra::point;
    /// use sidle::TriMesh;
    /// let corner = |x: f32, z: f32| point![x, 0.0, z];
    /// let vertices = [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)];
    /// let two = TriMesh::new(vertices.map(|(x, z)| corner(x, z)).to_vec(), vec![[0, 1, 2], [3, 4, 5]])?;
    /// let welded = two.clone().welded();
    /// assert_eq!((two.vertices().len(), welded.vertices().len()), (6, 4));
    /// assert_eq!(welded.triangle(1), two.triangle(1));
    /// # Ok::<(), sidle::mesh::MeshError>(())
    /// ```
    pub fn welded(mut self) -> Self {
        // The sum with zero makes one of the two zeros.
        let key = |i: u32| self.vertices[i as usize].coords.map(|x| x.to_f64() + 0.0);
        let mut order: Vec<u32> = (0..self.vertices.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| {
            let (p, q) = (key(a), key(b));
            p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)).then(p.z.total_cmp(&q.z)).then(a.cmp(&b))
        });
        // For each vertex the first one at its place.
        let mut first = vec![0_u32; self.vertices.len()];
        let mut last: Option<u32> = None;
        for &vertex in &order {
            let own = last.filter(|&last| key(last) == key(vertex)).unwrap_or(vertex);
            (first[vertex as usize], last) = (own, Some(own));
        }
        drop(order);
        // New numbers, in the order in which triangles name them: neighbours stay neighbours.
        let mut numbers = vec![u32::MAX; self.vertices.len()];
        let mut vertices = Vec::new();
        let mut number = |index: u32| {
            let own = first[index as usize] as usize;
            if numbers[own] == u32::MAX {
                numbers[own] = vertices.len() as u32;
                vertices.push(self.vertices[own]);
            }
            numbers[own]
        };
        self.triangles = Corners::new(self.triangles.iter().map(|corners| corners.map(&mut number)).collect());
        vertices.shrink_to_fit();
        self.vertices = vertices;
        self.topology = OnceLock::new();
        self
    }

    /// Whether the vertices can move to these places.
    pub(crate) fn check_moved(&self, vertices: &[Point3<T>]) -> Result<(), MeshError> {
        if vertices.len() != self.vertices.len() {
            return Err(MeshError::VertexCount { given: vertices.len(), vertices: self.vertices.len() });
        }
        check_vertices(vertices)
    }

    /// Moves the vertices to places that [`TriMesh::check_moved`] has approved of, and returns where they were.
    pub(crate) fn move_vertices(&mut self, vertices: Vec<Point3<T>>) -> Vec<Point3<T>> {
        self.topology = OnceLock::new();
        std::mem::replace(&mut self.vertices, vertices)
    }

    /// The same mesh, solid from the given sides.
    pub fn with_sides(mut self, sides: Sides) -> Self {
        self.sides = sides;
        self
    }

    fn check_tags(&self, tags: usize) -> Result<(), MeshError> {
        let triangles = self.triangles.len();
        if tags == triangles { Ok(()) } else { Err(MeshError::TagCount { tags, triangles }) }
    }

    /// Number of triangles; at least one.
    #[expect(clippy::len_without_is_empty, reason = "a mesh is never empty")]
    pub fn len(&self) -> usize {
        self.triangles.len()
    }

    /// All vertices.
    pub fn vertices(&self) -> &[Point3<T>] {
        &self.vertices
    }

    /// All triangles in order, as indices of vertices.
    pub fn indices(&self) -> impl ExactSizeIterator<Item = [u32; 3]> + Clone + '_ {
        self.triangles.iter()
    }

    /// The corners of a triangle, as indices of vertices.
    ///
    /// # Panics
    /// If there is no such triangle.
    pub fn corners(&self, triangle: u32) -> [u32; 3] {
        self.triangles.of(triangle)
    }

    /// A triangle by its index.
    ///
    /// # Panics
    /// If there is no such triangle.
    pub fn triangle(&self, index: u32) -> Triangle<T> {
        let [a, b, c] = self.triangles.of(index);
        Triangle::new(self.vertices[a as usize], self.vertices[b as usize], self.vertices[c as usize])
    }

    /// All triangles in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Triangle<T>> + '_ {
        (0..self.triangles.len() as u32).map(|i| self.triangle(i))
    }

    /// The material of a triangle.
    pub fn material(&self, triangle: u32) -> MaterialTag {
        self.materials.get(triangle as usize).copied().unwrap_or_default()
    }

    /// The group of a triangle.
    pub fn group(&self, triangle: u32) -> GroupTag {
        self.groups.get(triangle as usize).copied().unwrap_or_default()
    }

    /// What the materials' tags stand for.
    pub fn material_names(&self) -> &[String] {
        &self.material_names
    }

    /// What the groups' tags stand for.
    pub fn group_names(&self) -> &[String] {
        &self.group_names
    }

    /// Which edges of a triangle a body can touch before the faces beside them.
    ///
    /// The first call examines the whole mesh, in O(n log n): edges are matched by equal positions.
    ///
    /// # Panics
    /// If there is no such triangle.
    pub fn edge_bits(&self, triangle: u32) -> EdgeBits {
        assert!((triangle as usize) < self.len(), "there is no triangle {triangle} among {}", self.len());
        self.topology().edges.get(triangle as usize).copied().unwrap_or(EdgeBits::ALL)
    }

    /// What is wrong with the mesh, counted. The first call examines the whole mesh, as [`TriMesh::edge_bits`].
    pub fn defects(&self) -> &MeshDefects {
        &self.topology().defects
    }

    fn topology(&self) -> &Topology {
        self.topology.get_or_init(|| {
            let (edges, defects) = topology::examine(&self.vertices, self.triangles.iter());
            Topology {
                edges: unless_all_are(edges, &EdgeBits::ALL),
                defects: MeshDefects { dropped: self.dropped, ..defects },
            }
        })
    }

    /// From which sides the triangles are solid.
    pub fn sides(&self) -> Sides {
        self.sides
    }

    /// The smallest box around all triangles; vertices that no triangle uses do not count.
    pub fn bounds(&self) -> Aabb3<T> {
        Aabb3::around(self.triangles.iter().flatten().map(|i| self.vertices[i as usize]))
    }

    /// Sum of the areas of all triangles, in square metres.
    pub fn area(&self) -> f64 {
        self.iter().map(|t| t.widen().scaled_normal().norm() / 2.0).sum()
    }

    /// What the mesh takes on the heap, by what it is for.
    pub fn memory(&self) -> MeshMemory {
        MeshMemory {
            vertices: size_of_val(&self.vertices[..]),
            indices: self.triangles.memory(),
            edge_bits: self.topology.get().map_or(0, |topology| size_of_val(&topology.edges[..])),
            tags: size_of_val(&self.materials[..]) + size_of_val(&self.groups[..]),
        }
    }

    /// The tags of all triangles; none where they are all 0.
    #[cfg(feature = "save")]
    pub(crate) fn tags(&self) -> (&[MaterialTag], &[GroupTag]) {
        (&self.materials, &self.groups)
    }
}

/// A list, or an empty one where all it says is the value that holds where nothing is said.
fn unless_all_are<V: PartialEq>(list: Vec<V>, usual: &V) -> Vec<V> {
    if list.iter().all(|value| value == usual) { Vec::new() } else { list }
}

/// What a 32-bit index can name; and of triangles what a tree can, which keeps two bits for itself.
const MOST_VERTICES: usize = u32::MAX as usize - 1;
const MOST_TRIANGLES: usize = (1 << 30) - 1;

/// Whether vertices and triangles can be a mesh.
fn check<T: Real>(vertices: &[Point3<T>], triangles: &[[u32; 3]]) -> Result<(), MeshError> {
    if triangles.is_empty() {
        return Err(MeshError::NoTriangles);
    }
    for (what, count, limit) in
        [("the vertices", vertices.len(), MOST_VERTICES), ("the triangles", triangles.len(), MOST_TRIANGLES)]
    {
        if count > limit {
            return Err(MeshError::TooMany { what, count });
        }
    }
    check_vertices(vertices)?;
    for (triangle, corners) in triangles.iter().enumerate() {
        if let Some(&vertex) = corners.iter().find(|i| **i as usize >= vertices.len()) {
            return Err(MeshError::IndexOutOfRange { triangle, vertex, vertices: vertices.len() });
        }
    }
    Ok(())
}

fn check_vertices<T: Real>(vertices: &[Point3<T>]) -> Result<(), MeshError> {
    // Written so that NaN is out of bounds.
    let is_bounded = |vertex: &Point3<T>| vertex.iter().all(|x| x.to_f64().abs() <= MAX_COORDINATE);
    let Some(index) = vertices.iter().position(|vertex| !is_bounded(vertex)) else { return Ok(()) };
    let is_finite = vertices[index].iter().all(|x| x.to_f64().is_finite());
    Err(if is_finite { MeshError::TooLarge { index } } else { MeshError::NotFinite { index } })
}

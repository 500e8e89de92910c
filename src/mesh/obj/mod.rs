//! Reading Wavefront OBJ files, as they are found in the wild.
//!
//! A reader of ours goes through the file statement by statement ([`statements`]): it joins continued lines, keeps count
//! of lines for errors, reads positions itself in `f64`, checks every index, and leaves out all that is not geometry. What
//! is left, clean, goes to the crate `obj-rs`, which keeps track of faces, groups and materials. Polygons are ear-clipped
//! ([`polygon`]), concave ones too.
//!
//! Negative indices count back from the line they stand on; a face may only use vertices that come before it. `o` and `g`
//! both name groups: a triangle's group is `object`, `group`, or `object/group` where both were given. Colours and weights
//! after the coordinates are ignored, as are normals and texture coordinates, whatever they say.
//!
//! Peak memory is about 12 bytes a vertex and 70 bytes a face in `f32`, beside the finished mesh.

mod polygon;
mod statements;

use std::{
    collections::HashMap,
    fs::File,
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
};

use ::obj::raw::object::{Group, Polygon, RawObj, parse_obj as parse_clean};
use nalgebra::Point3;

use self::{polygon::triangulate, statements::Statements};
use super::{GroupTag, MaterialTag, MeshError, TriMesh};
use crate::{real::Real, shape::Triangle};

/// How an OBJ file is read.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ObjOptions {
    /// Taken off every vertex before it is rounded to the mesh's scalar, so that survey coordinates work in `f32`.
    pub origin: [f64; 3],
    /// Files with more bytes are refused; `None` for no limit.
    pub byte_limit: Option<u64>,
    /// What happens to triangles without area.
    pub degenerate: Degenerate,
}

/// What happens to triangles of exactly zero area.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Degenerate {
    /// They stay, as the segments and points that they are; [`TriMesh::defects`] counts them.
    #[default]
    Keep,
    /// They are left out.
    Drop,
}

/// Why an OBJ file could not become a mesh.
#[derive(Debug, thiserror::Error)]
#[error("{}{}: {kind}", .path.display(), .line.map(|line| format!(":{line}")).unwrap_or_default())]
pub struct ObjError {
    /// The file, or the name that was given for it.
    pub path: PathBuf,
    /// The line, from 1, on which the faulty statement begins; `None` where the whole file is at fault.
    pub line: Option<usize>,
    /// What is wrong.
    #[source]
    pub kind: ObjErrorKind,
}

/// What is wrong with an OBJ file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ObjErrorKind {
    /// The file cannot be read.
    #[error("cannot read the file: {0}")]
    Io(#[source] io::Error),
    /// The file has more bytes than the caller allows.
    #[error("the file has more than the {limit} bytes that are allowed")]
    TooLong {
        /// The limit.
        limit: u64,
    },
    /// The file is UTF-16.
    #[error("the file is UTF-16 text; save it as UTF-8")]
    Utf16,
    /// A vertex with fewer than three numbers.
    #[error("a vertex needs three coordinates, here are {found}; is the line cut off?")]
    MissingCoordinate {
        /// How many there are.
        found: usize,
    },
    /// A coordinate with a comma in it.
    #[error("`{text}` has a comma: write decimals with a point and separate coordinates by blanks")]
    Comma {
        /// What stands there.
        text: String,
    },
    /// A coordinate that is no number.
    #[error("`{text}` is not a number")]
    NotANumber {
        /// What stands there.
        text: String,
    },
    /// A coordinate that is NaN, infinite, or too large for the scalar of the mesh.
    #[error("the coordinate `{text}` is not finite, or too large for this mesh")]
    NotFinite {
        /// What stands there.
        text: String,
    },
    /// A face with fewer than three corners.
    #[error("a face needs three corners, here are {found}")]
    TooFewCorners {
        /// How many there are.
        found: usize,
    },
    /// A face with very many corners.
    #[error("a face of {found} corners is too large; cut it into faces of at most {limit}", limit = polygon::MOST_CORNERS)]
    TooManyCorners {
        /// How many there are.
        found: usize,
    },
    /// A corner that does not begin with an integer.
    #[error("`{text}` is not a vertex index; indices are whole numbers")]
    BadIndex {
        /// What stands there.
        text: String,
    },
    /// Index zero.
    #[error("vertex index 0 names nothing; indices start at 1")]
    IndexZero,
    /// An index of a vertex that is not there (yet).
    #[error("vertex {index} does not exist; {vertices} vertices come before this face")]
    IndexOutOfRange {
        /// The index as written.
        index: i64,
        /// How many vertices there are so far.
        vertices: usize,
    },
    /// No face in the whole file.
    #[error("the file has no faces; a collision mesh needs at least one triangle")]
    NoFaces,
    /// More materials than a tag can tell apart.
    #[error("the file has more than 65,536 materials")]
    TooManyMaterials,
    /// The triangles are no mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// A clean statement was refused: a fault of this reader.
    #[error("a statement was not understood: {0}")]
    Syntax(String),
}

/// Reads a mesh from an OBJ file.
///
/// # Errors
/// See [`ObjErrorKind`]; the error names the file and the line.
pub fn read_obj<T: Real>(path: impl AsRef<Path>, options: &ObjOptions) -> Result<TriMesh<T>, ObjError> {
    read_obj_with_progress(path, options, &mut |_, _| ())
}

/// As [`read_obj`]; calls `progress` now and then with the bytes read so far and the bytes of the file.
///
/// # Errors
/// As [`read_obj`].
pub fn read_obj_with_progress<T: Real>(
    path: impl AsRef<Path>,
    options: &ObjOptions,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<TriMesh<T>, ObjError> {
    let path = path.as_ref();
    let io_error = |source| ObjError { path: path.into(), line: None, kind: ObjErrorKind::Io(source) };
    let file = File::open(path).map_err(io_error)?;
    let size = file.metadata().map_err(io_error)?.len();
    parse_obj(BufReader::with_capacity(1 << 16, file), path, options, &mut |read| progress(read, size))
}

/// Reads a mesh from the text of an OBJ file; `name` is what errors call it, `progress` gets the bytes read so far.
///
/// # Errors
/// See [`ObjErrorKind`].
///
/// ```
/// use std::path::Path;
/// use sidle::mesh::obj::{ObjOptions, parse_obj};
///
/// let text = b"v 0 0 0\nv 0 0 1\nv 1 0 1\nv 1 0 0\nusemtl stone\nf 1 2 3 4\n";
/// let mesh = parse_obj::<f32>(&text[..], Path::new("quad.obj"), &ObjOptions::default(), &mut |_| ())?;
/// assert_eq!((mesh.len(), mesh.area()), (2, 1.0));
/// assert_eq!(mesh.material_names()[mesh.material(0).0 as usize], "stone");
///
/// let error = parse_obj::<f32>(&b"v 0 0 0\nf 1 2 3\n"[..], Path::new("bad.obj"), &ObjOptions::default(), &mut |_| ());
/// assert_eq!(error.unwrap_err().to_string(), "bad.obj:2: vertex 2 does not exist; 1 vertices come before this face");
/// # Ok::<(), sidle::mesh::obj::ObjError>(())
/// ```
pub fn parse_obj<T: Real>(
    reader: impl BufRead,
    name: &Path,
    options: &ObjOptions,
    progress: &mut dyn FnMut(u64),
) -> Result<TriMesh<T>, ObjError> {
    let mut statements = Statements::<T, _>::new(reader, options, progress);
    let parsed = parse_clean(&mut statements);
    let error = |line, kind| ObjError { path: name.into(), line, kind };
    if let Some((line, kind)) = statements.failure {
        return Err(error(line, kind));
    }
    let raw = parsed.map_err(|refused| error(None, ObjErrorKind::Syntax(refused.to_string())))?;
    let names = statements.names;
    mesh_of(statements.vertices, raw, names, options).map_err(|kind| error(None, kind))
}

/// The names of groups and materials, in the order in which they first appear; obj-rs knows them by their numbers.
#[derive(Debug, Default)]
struct Names {
    groups: NameList,
    materials: NameList,
}

/// Names, each with its number.
#[derive(Debug, Default)]
struct NameList {
    in_order: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl NameList {
    /// The number of a name: the next one, if it is new.
    fn number_of(&mut self, name: String) -> usize {
        if let Some(number) = self.numbers.get(&name) {
            return *number;
        }
        self.in_order.push(name.clone());
        self.numbers.insert(name, self.in_order.len() - 1);
        self.in_order.len() - 1
    }
}

fn mesh_of<T: Real>(
    vertices: Vec<Point3<T>>,
    raw: RawObj,
    names: Names,
    options: &ObjOptions,
) -> Result<TriMesh<T>, ObjErrorKind> {
    if names.materials.in_order.len() > usize::from(u16::MAX) + 1 {
        return Err(ObjErrorKind::TooManyMaterials);
    }
    let groups = tags(&raw.groups, raw.polygons.len());
    let materials = tags(&raw.meshes, raw.polygons.len());
    let mut triangles = Vec::with_capacity(raw.polygons.len());
    let (mut group_tags, mut material_tags) = (Vec::new(), Vec::new());
    for (face, polygon) in raw.polygons.into_iter().enumerate() {
        let Polygon::P(corners) = polygon else { continue }; // no other kind is handed on
        triangulate(&vertices, &corners, &mut |triangle| {
            if options.degenerate == Degenerate::Drop && is_degenerate(&vertices, triangle) {
                return;
            }
            triangles.push(triangle);
            group_tags.push(GroupTag(groups[face]));
            material_tags.push(MaterialTag(materials[face] as u16));
        });
    }
    if triangles.is_empty() {
        return Err(ObjErrorKind::NoFaces);
    }
    let mut mesh = TriMesh::new(vertices, triangles)?;
    if !names.groups.in_order.is_empty() {
        mesh = mesh.with_groups(group_tags, names.groups.in_order)?;
    }
    if !names.materials.in_order.is_empty() {
        mesh = mesh.with_materials(material_tags, names.materials.in_order)?;
    }
    Ok(mesh)
}

fn is_degenerate<T: Real>(vertices: &[Point3<T>], triangle: [u32; 3]) -> bool {
    let [a, b, c] = triangle.map(|i| vertices[i as usize]);
    Triangle::new(a, b, c).area() == T::zero()
}

/// For each face the number in the name of its group. Each face is in one group, so the order of the map does not matter.
fn tags(groups: &HashMap<String, Group>, faces: usize) -> Vec<u32> {
    let mut tags = vec![0; faces];
    for (name, group) in groups {
        let Ok(number) = name.parse() else { continue };
        for range in &group.polygons {
            tags[range.start..range.end.min(faces)].fill(number);
        }
    }
    tags
}

//! Reading Wavefront OBJ files: [`read_obj`] from a path, [`parse_obj`] from any [`BufRead`].
//!
//! Only what a body can collide with is read: `v`, `f`, and the names of `o`, `g` and `usemtl`. Texture coordinates,
//! normals, points, lines, free-form surfaces, `mtllib` and words that nobody knows are skipped.
//!
//! # Rules
//! - Files are UTF-8 or a relative of it, with LF, CRLF or CR line ends and perhaps a byte-order mark. Bytes in names
//!   that are not UTF-8 become U+FFFD. A `\` last on its line joins the next one, unless the line has a `#`. UTF-16 is
//!   refused.
//! - `v` has three coordinates, read as `f64`; colours and weights after them are ignored. What follows a `#` is a
//!   comment.
//! - A face names vertices that are defined **above** it, as the format demands: a face before its vertices is an
//!   error. Negative indices count back from the line they are on. What follows a `/` is ignored.
//! - Polygons may be concave. One with `n` corners always becomes `n − 2` triangles of the same winding.
//! - An `o` name and a `g` name make a group `object/group`, and an `o` ends the `g` before it; where only one of them
//!   has a name, that is the group's. Names reach to the end of their line, so `g stairs north` is one group. Tags run
//!   in the order in which their first faces stand in the file, and names without faces are left out. Faces above the
//!   first name get the empty one; a mesh without any name has no tags at all.
//!
//! # Memory
//! At the peak, reading takes up to some 150 bytes for each triangle and 100 for each vertex, the mesh included; measured
//! are 80 MB for 23 MB of text with 702 thousand triangles, of which 16 MB stay. The text itself is never held, but for
//! one line. [`ObjOptions::byte_limit`] keeps strangers from sending more.
//!
//! # How it works
//! The `obj-rs` crate reads faces, groups and materials. It panics or gives up on a good part of the files out there,
//! has no line numbers and keeps coordinates as `f32`, so it gets a cleaned stream: positions without their numbers,
//! checked indices, and tags in place of names.

mod clean;
mod error;
mod lines;
mod polygon;

use std::{collections::HashMap, fs::File, io::BufRead, io::BufReader, path::Path};

use ::obj::raw::{
    RawObj,
    object::{Group, Polygon},
};
use nalgebra::Point3;

use self::clean::{Cleaned, Contents};
pub use self::error::{ObjError, ObjErrorKind};
use crate::{
    input_error::bounded,
    mesh::{GroupTag, MaterialTag, MeshError, TriMesh},
    real::{Real, widen_point},
};

/// How to read an OBJ file.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ObjOptions {
    /// A place in the file's coordinates, in metres, that becomes the origin of the mesh.
    ///
    /// It is taken off in `f64` before coordinates are rounded to the mesh's scalar: survey coordinates beyond 1e5 m
    /// have steps of centimetres and more in `f32`.
    pub origin: [f64; 3],
    /// Most bytes to read; a longer file is an error. `None` reads any length.
    pub byte_limit: Option<u64>,
    /// What becomes of triangles with two corners at one place.
    pub degenerate: DegenerateFaces,
}

/// What becomes of triangles with two corners at one place (after rounding).
///
/// They have no face, but as segments or points they can still stop a body. Triangles whose three corners are different
/// places on a line are always kept. Either choice is counted in [`MeshDefects`](crate::mesh::MeshDefects).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum DegenerateFaces {
    /// They stay, counted as [`collapsed`](crate::mesh::MeshDefects::collapsed).
    #[default]
    Keep,
    /// They are left out, counted as [`dropped`](crate::mesh::MeshDefects::dropped).
    Drop,
}

/// Reads a mesh from an OBJ file; see [`parse_obj`].
///
/// # Errors
/// If the file cannot be read, or is refused for one of the reasons in [`ObjErrorKind`].
///
/// ```no_run
/// use sidle::mesh::{ObjError, ObjOptions, read_obj};
/// let level = read_obj::<f32>("level.obj", &ObjOptions::default())?;
/// println!("{} triangles", level.len());
/// # Ok::<(), ObjError>(())
/// ```
pub fn read_obj<T: Real>(path: impl AsRef<Path>, options: &ObjOptions) -> Result<TriMesh<T>, ObjError> {
    let path = path.as_ref();
    let file = File::open(path).map_err(|e| ObjError::of_file(path, ObjErrorKind::Io(e)))?;
    parse_obj(BufReader::with_capacity(1 << 16, file), path, options, &mut |_| ())
}

/// Reads a mesh from the text of an OBJ file, by the rules of [this module](self).
///
/// `name` is for error messages only. `progress` is called now and then with the number of bytes read so far, at
/// least once. Time is linear in the length of the text, but for polygons that are not convex, where it can grow with
/// the square of their corners.
///
/// # Errors
/// If reading fails, or the text is refused for one of the reasons in [`ObjErrorKind`]. There is no half mesh.
///
/// ```
/// use sidle::mesh::{ObjError, ObjOptions, parse_obj};
/// let text = b"v 0 0 0\nv 0 0 2\nv 2 0 2\nv 2 0 0\nusemtl stone\nf 1 2 3 4\n";
/// let floor = parse_obj::<f64>(&text[..], "floor.obj", &ObjOptions::default(), &mut |_| ())?;
/// assert_eq!((floor.len(), floor.area()), (2, 4.0));
/// assert_eq!(floor.material_names(), ["stone"]);
///
/// let error = parse_obj::<f64>(&b"v 0,5 1 0"[..], "floor.obj", &ObjOptions::default(), &mut |_| ()).unwrap_err();
/// assert!(error.to_string().starts_with("floor.obj:1: `0,5` has a comma"));
/// # Ok::<(), ObjError>(())
/// ```
pub fn parse_obj<T: Real>(
    reader: impl BufRead,
    name: impl AsRef<Path>,
    options: &ObjOptions,
    progress: &mut dyn FnMut(u64),
) -> Result<TriMesh<T>, ObjError> {
    let path = name.as_ref();
    let of_file = |kind| ObjError::of_file(path, kind);
    bounded(&options.origin.into(), "the origin").map_err(|e| of_file(ObjErrorKind::Origin(e)))?;
    let mut cleaned = Cleaned::new(reader, options, progress);
    let raw = ::obj::raw::parse_obj(&mut cleaned);
    // A failure of the stream is the reason why obj-rs failed, so it comes first.
    let contents =
        cleaned.finish().map_err(|(line, kind)| ObjError { path: path.to_owned(), line: Some(line), kind })?;
    let raw = raw.map_err(|e| of_file(ObjErrorKind::Refused(e.to_string())))?;
    build(raw, contents, options.degenerate).map_err(|(line, kind)| ObjError { path: path.to_owned(), line, kind })
}

/// Cuts the polygons into triangles, tags those, and makes the mesh.
fn build<T: Real>(
    mut raw: RawObj,
    contents: Contents<T>,
    degenerate: DegenerateFaces,
) -> Result<TriMesh<T>, (Option<usize>, ObjErrorKind)> {
    let Contents { vertices, groups, materials, long_faces, .. } = contents;
    let polygons = std::mem::take(&mut raw.polygons);
    if polygons.is_empty() {
        return Err((None, ObjErrorKind::NoFaces { vertices: vertices.len() }));
    }
    let whole_file = |e: MeshError| (None, ObjErrorKind::Mesh(e));
    if vertices.len() >= u32::MAX as usize {
        return Err(whole_file(MeshError::TooMany { what: "the vertices", count: vertices.len() }));
    }
    let group_of_face = tags(&raw.groups, polygons.len(), groups.is_nameless());
    let material_of_face = tags(&raw.meshes, polygons.len(), materials.is_nameless());
    drop(raw);

    let mut triangles: Vec<[u32; 3]> = Vec::with_capacity(polygons.len());
    let (mut group_tags, mut material_tags) = (Vec::new(), Vec::new());
    let mut dropped = 0;
    for (face, polygon) in polygons.into_iter().enumerate() {
        let corners = positions(polygon);
        let push = |tip: [usize; 3]| {
            let triangle = tip.map(|i| corners[i] as u32);
            if degenerate == DegenerateFaces::Drop && is_collapsed(&triangle, &vertices) {
                dropped += 1;
            } else {
                triangles.push(triangle);
            }
        };
        cut(&corners, &vertices, push).ok_or_else(|| {
            let line = long_faces.iter().find(|(long, _)| *long == face).map(|(_, line)| *line);
            (line, ObjErrorKind::TooIntricate { corners: corners.len() })
        })?;
        if let Some(tag) = group_of_face.get(face) {
            group_tags.resize(triangles.len(), GroupTag(*tag));
        }
        if let Some(tag) = material_of_face.get(face) {
            material_tags.resize(triangles.len(), MaterialTag(*tag as u16)); // the stream has no larger ones
        }
    }
    drop((group_of_face, material_of_face));

    let mut mesh = TriMesh::new(vertices, triangles).map_err(whole_file)?;
    mesh.dropped = dropped;
    if !groups.is_nameless() {
        mesh = mesh.with_groups(group_tags, groups.into_names()).map_err(whole_file)?;
    }
    if !materials.is_nameless() {
        mesh = mesh.with_materials(material_tags, materials.into_names()).map_err(whole_file)?;
    }
    Ok(mesh)
}

/// The tag of each face. The groups come in no order, but know the ranges of their faces.
fn tags(groups: &HashMap<String, Group>, faces: usize, nameless: bool) -> Vec<u32> {
    if nameless {
        return Vec::new();
    }
    let mut tags = vec![0; faces];
    // All names are tags of ours, but for obj-rs's own one of the faces above the first; there are none.
    for (tag, group) in groups.iter().filter_map(|(name, group)| Some((name.parse::<u32>().ok()?, group))) {
        for range in &group.polygons {
            tags[range.start..range.end].fill(tag);
        }
    }
    tags
}

/// The vertices of a face; the cleaned stream has no other indices.
fn positions(polygon: Polygon) -> Vec<usize> {
    match polygon {
        Polygon::P(corners) => corners,
        Polygon::PT(corners) | Polygon::PN(corners) => corners.into_iter().map(|c| c.0).collect(),
        Polygon::PTN(corners) => corners.into_iter().map(|c| c.0).collect(),
    }
}

/// Cuts a face into triangles; `None` if that takes too long.
fn cut<T: Real>(corners: &[usize], vertices: &[Point3<T>], mut push: impl FnMut([usize; 3])) -> Option<()> {
    if corners.len() == 3 {
        push([0, 1, 2]);
        return Some(());
    }
    let places: Vec<Point3<f64>> = corners.iter().map(|i| widen_point(&vertices[*i])).collect();
    polygon::triangulate(&places, push)
}

fn is_collapsed<T: Real>(triangle: &[u32; 3], vertices: &[Point3<T>]) -> bool {
    let [a, b, c] = triangle.map(|i| vertices[i as usize]);
    a == b || b == c || c == a
}

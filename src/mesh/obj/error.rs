//! [`ObjError`]: where a file was refused, and why.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::{input_error::InputError, mesh::MeshError};

/// Why an OBJ file could not become a mesh, and where; reads `path:line: what is wrong`.
#[derive(Debug, thiserror::Error)]
#[error("{}: {kind}", place(.path, *.line))]
pub struct ObjError {
    /// The file, or the name that the text was given.
    pub path: PathBuf,
    /// The line where reading stopped, from 1; the first one of a statement that was continued with `\`. `None` if the
    /// file as a whole is the trouble.
    pub line: Option<usize>,
    /// What is wrong.
    pub kind: ObjErrorKind,
}

/// What is wrong with an OBJ file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ObjErrorKind {
    /// Opening or reading failed.
    #[error("the file cannot be read: {0}")]
    Io(#[source] io::Error),
    /// More bytes than [`ObjOptions::byte_limit`](super::ObjOptions::byte_limit).
    #[error("the file is longer than the limit of {limit} bytes")]
    TooLong {
        /// The limit.
        limit: u64,
    },
    /// The file starts with the byte-order mark of UTF-16.
    #[error("the text is UTF-16; save it as UTF-8")]
    Utf16,
    /// A zero byte, which no text has.
    #[error("this is not UTF-8 text: the line has a zero byte; an OBJ file in UTF-16 has to be saved as UTF-8")]
    NotText,
    /// A vertex with less than three numbers.
    #[error("a vertex needs three coordinates, but here are {found}; is the line cut off?")]
    MissingCoordinate {
        /// How many there are.
        found: usize,
    },
    /// Something else where a coordinate belongs, or the name of a number that is not finite.
    #[error("`{word}` is not a finite decimal number")]
    NotANumber {
        /// What stands there.
        word: String,
    },
    /// A decimal comma, or commas between numbers.
    #[error("`{word}` has a comma: decimal commas are not allowed, write points, and blanks between numbers")]
    Comma {
        /// What stands there.
        word: String,
    },
    /// A coordinate beyond [`MAX_COORDINATE`](crate::MAX_COORDINATE).
    #[error("`{word}` is too large: coordinates must be within 1e15 of the origin")]
    TooLarge {
        /// What stands there.
        word: String,
    },
    /// Something behind a vertex that is no colour and no weight.
    #[error("`{word}` does not belong behind a vertex; is a line end missing?")]
    AfterVertex {
        /// What stands there.
        word: String,
    },
    /// A face with less than three corners.
    #[error("a face needs three corners or more, but here are {found}; is the line cut off?")]
    TooFewCorners {
        /// How many there are.
        found: usize,
    },
    /// Something else where the index of a vertex belongs.
    #[error("`{word}` is not the index of a vertex: a whole number, perhaps with `/` and further indices behind it")]
    NotAnIndex {
        /// What stands there.
        word: String,
    },
    /// The index 0.
    #[error("`{word}` names vertex 0, but indices start at 1")]
    IndexZero {
        /// What stands there.
        word: String,
    },
    /// The index of a vertex which is not there (yet).
    #[error(
        "`{word}` names no vertex: {vertices} are defined above this line; is a line end missing, or does the face come before its vertices?"
    )]
    IndexOutOfRange {
        /// What stands there.
        word: String,
        /// Number of vertices above the line.
        vertices: usize,
    },
    /// A polygon whose corners are too many, and too tangled, to cut it into triangles in reasonable time.
    #[error("a concave face of {corners} corners is too intricate; cut it into smaller ones")]
    TooIntricate {
        /// How many corners it has.
        corners: usize,
    },
    /// More materials than a [`MaterialTag`](crate::MaterialTag) can name.
    #[error("there are more than 65536 materials")]
    TooManyMaterials,
    /// No `f` in the whole file.
    #[error("the file has no faces ({vertices} vertices): a collision mesh needs at least one triangle")]
    NoFaces {
        /// Number of vertices.
        vertices: usize,
    },
    /// An [origin](super::ObjOptions::origin) that makes no sense.
    #[error("cannot move the mesh: {0}")]
    Origin(#[source] InputError),
    /// The triangles make no mesh; none of them is left, or they are too many.
    #[error("{0}")]
    Mesh(#[source] MeshError),
    /// The `obj-rs` crate did not take what was cleaned for it. A bug of this crate.
    #[error("obj-rs refused the cleaned text: {0}")]
    Refused(String),
}

impl ObjError {
    pub(super) fn of_file(path: &Path, kind: ObjErrorKind) -> Self {
        Self { path: path.to_owned(), line: None, kind }
    }
}

fn place(path: &Path, line: Option<usize>) -> String {
    match line {
        Some(line) => format!("{}:{line}", path.display()),
        None => path.display().to_string(),
    }
}

//! [`Cleaned`]: the stream that obj-rs reads, and what is kept back from it.
//!
//! It holds nothing but `v 0 0 0`, `f` with checked positive indices, and `g` and `usemtl` with a tag. So obj-rs, which
//! knows no line numbers, never has a reason to complain.

use std::{
    collections::HashMap,
    io::{self, BufRead, Read, Write},
    str,
};

use nalgebra::Point3;

use super::{ObjErrorKind, ObjOptions, lines::Lines};
use crate::{input_error::MAX_COORDINATE, real::Real};

/// Bytes of cleaned text to prepare at once, and bytes of input between two reports of progress.
const BLOCK: usize = 1 << 16;

/// Corners from which a face's line is remembered. Faces of fewer are always cheap to cut.
const LONG_FACE: usize = 64;

/// Reads a text, checks it, and is read by obj-rs in turn.
pub(super) struct Cleaned<'a, R, T: Real> {
    lines: Lines<R>,
    contents: Contents<T>,
    progress: &'a mut dyn FnMut(u64),
    text: Vec<u8>,
    consumed: usize,
    failure: Option<ObjErrorKind>,
}

/// What obj-rs does not get to see.
pub(super) struct Contents<T: Real> {
    pub(super) vertices: Vec<Point3<T>>,
    pub(super) groups: Names,
    pub(super) materials: Names,
    /// Faces with many corners, from 0, with their lines.
    pub(super) long_faces: Vec<(usize, usize)>,
    faces: usize,
    origin: [f64; 3],
    object: String,
    group: String,
}

impl<'a, R: BufRead, T: Real> Cleaned<'a, R, T> {
    pub(super) fn new(input: R, options: &ObjOptions, progress: &'a mut dyn FnMut(u64)) -> Self {
        let contents = Contents {
            vertices: Vec::new(),
            groups: Names::default(),
            materials: Names::default(),
            long_faces: Vec::new(),
            faces: 0,
            origin: options.origin,
            object: String::new(),
            group: String::new(),
        };
        let lines = Lines::new(input, options.byte_limit);
        Self { lines, contents, progress, text: Vec::with_capacity(2 * BLOCK), consumed: 0, failure: None }
    }

    /// What was kept back, or the line and the reason where reading stopped.
    pub(super) fn finish(self) -> Result<Contents<T>, (usize, ObjErrorKind)> {
        match self.failure {
            Some(kind) => Err((self.lines.number(), kind)),
            None => Ok(self.contents),
        }
    }

    fn refill(&mut self) -> Result<(), ObjErrorKind> {
        self.consumed = 0;
        self.text.clear();
        let mut reported = self.lines.bytes();
        while self.text.len() < BLOCK && self.lines.advance()? {
            self.contents.take(self.lines.text(), self.lines.number(), &mut self.text)?;
            if self.lines.bytes() - reported >= BLOCK as u64 {
                reported = self.lines.bytes();
                (self.progress)(reported);
            }
        }
        (self.progress)(self.lines.bytes());
        Ok(())
    }
}

impl<R: BufRead, T: Real> BufRead for Cleaned<'_, R, T> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.consumed == self.text.len()
            && let Err(kind) = self.refill()
        {
            self.failure = Some(kind);
            return Err(io::Error::other("refused"));
        }
        Ok(&self.text[self.consumed..])
    }

    fn consume(&mut self, amount: usize) {
        self.consumed += amount;
    }
}

impl<R: BufRead, T: Real> Read for Cleaned<'_, R, T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

impl<T: Real> Contents<T> {
    /// Checks a statement and appends what obj-rs should know of it.
    fn take(&mut self, statement: &[u8], line: usize, out: &mut Vec<u8>) -> Result<(), ObjErrorKind> {
        let statement = statement.trim_ascii();
        let end = statement.iter().position(u8::is_ascii_whitespace).unwrap_or(statement.len());
        let (keyword, rest) = statement.split_at(end);
        match keyword {
            b"v" => {
                let vertex = self.vertex(words(rest))?;
                self.vertices.push(vertex);
                out.extend_from_slice(b"v 0 0 0\n");
            }
            b"f" | b"fo" => self.take_face(words(rest), line, out)?,
            b"o" => {
                (self.object, self.group) = (name(rest), String::new());
                self.groups.enter(group_name(&self.object, &self.group));
            }
            b"g" => {
                self.group = name(rest);
                self.groups.enter(group_name(&self.object, &self.group));
            }
            b"usemtl" => self.materials.enter(name(rest)),
            _ => {}
        }
        Ok(())
    }

    fn vertex<'t>(&self, mut words: impl Iterator<Item = &'t [u8]>) -> Result<Point3<T>, ObjErrorKind> {
        let mut vertex = Point3::origin();
        for axis in 0..3 {
            let word = words.next().ok_or(ObjErrorKind::MissingCoordinate { found: axis })?;
            // Perhaps infinite, but never NaN: the origin is finite.
            let rounded = T::nearest(number(word)? - self.origin[axis]);
            if rounded.to_f64().abs() > MAX_COORDINATE {
                return Err(ObjErrorKind::TooLarge { word: quote(word) });
            }
            vertex[axis] = rounded;
        }
        // Colours and weights may be anything that a number can look like, even `nan`.
        match words.find(|word| word[0].is_ascii_alphabetic() && !matches!(word[0] | 0x20, b'n' | b'i')) {
            Some(word) => Err(ObjErrorKind::AfterVertex { word: quote(word) }),
            None => Ok(vertex),
        }
    }

    fn take_face<'t>(
        &mut self,
        words: impl Iterator<Item = &'t [u8]>,
        line: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), ObjErrorKind> {
        if let Some(tag) = self.groups.tag_of_face() {
            writeln!(out, "g {tag}").map_err(ObjErrorKind::Io)?;
        }
        if let Some(tag) = self.materials.tag_of_face() {
            if tag > u32::from(u16::MAX) {
                return Err(ObjErrorKind::TooManyMaterials);
            }
            writeln!(out, "usemtl {tag}").map_err(ObjErrorKind::Io)?;
        }
        out.push(b'f');
        let mut corners = 0;
        for word in words {
            write!(out, " {}", resolve(word, self.vertices.len())?).map_err(ObjErrorKind::Io)?;
            corners += 1;
        }
        out.push(b'\n');
        if corners < 3 {
            return Err(ObjErrorKind::TooFewCorners { found: corners });
        }
        if corners >= LONG_FACE {
            self.long_faces.push((self.faces, line));
        }
        self.faces += 1;
        Ok(())
    }
}

/// The names that faces have, in order of the first face of each.
#[derive(Default)]
pub(super) struct Names {
    current: String,
    is_known: bool,
    names: Vec<String>,
    tags: HashMap<String, u32>,
}

impl Names {
    fn enter(&mut self, name: String) {
        (self.current, self.is_known) = (name, false);
    }

    /// The tag of a face here, if it is the first one since the name was given.
    fn tag_of_face(&mut self) -> Option<u32> {
        if std::mem::replace(&mut self.is_known, true) {
            return None;
        }
        let new = self.names.len() as u32;
        let tag = *self.tags.entry(self.current.clone()).or_insert(new);
        if tag == new {
            self.names.push(self.current.clone());
        }
        Some(tag)
    }

    /// Whether no face has a name.
    pub(super) fn is_nameless(&self) -> bool {
        self.names.iter().all(String::is_empty)
    }

    pub(super) fn into_names(self) -> Vec<String> {
        self.names
    }
}

fn group_name(object: &str, group: &str) -> String {
    match (object, group) {
        (object, "") => object.to_owned(),
        ("", group) => group.to_owned(),
        (object, group) => format!("{object}/{group}"),
    }
}

/// A name reaches to the end of the line, and `#` may be a part of it.
fn name(rest: &[u8]) -> String {
    String::from_utf8_lossy(rest.trim_ascii()).into_owned()
}

/// The words before a comment.
fn words(rest: &[u8]) -> impl Iterator<Item = &[u8]> {
    let end = rest.iter().position(|byte| *byte == b'#').unwrap_or(rest.len());
    rest[..end].split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// A decimal number; one too large for `f64` is infinite. Rust's own parser takes `nan`, `inf` and `infinity` as well.
fn number(word: &[u8]) -> Result<f64, ObjErrorKind> {
    let has_digits_only = word.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E'));
    match str::from_utf8(word).ok().filter(|_| has_digits_only).and_then(|word| word.parse().ok()) {
        Some(number) => Ok(number),
        None if word.contains(&b',') => Err(ObjErrorKind::Comma { word: quote(word) }),
        None => Err(ObjErrorKind::NotANumber { word: quote(word) }),
    }
}

/// The vertex that a corner such as `3`, `-1`, `3/1` or `3//2` names, from 1.
fn resolve(corner: &[u8], vertices: usize) -> Result<usize, ObjErrorKind> {
    let digits = corner.split(|byte| *byte == b'/').next().unwrap_or_default();
    let unsigned = digits.strip_prefix(b"-").or(digits.strip_prefix(b"+")).unwrap_or(digits);
    if unsigned.is_empty() || !unsigned.iter().all(u8::is_ascii_digit) {
        let word = quote(corner);
        return Err(if digits.contains(&b',') {
            ObjErrorKind::Comma { word }
        } else {
            ObjErrorKind::NotAnIndex { word }
        });
    }
    // More digits than the type holds are out of range as well.
    let out_of_range = || ObjErrorKind::IndexOutOfRange { word: quote(corner), vertices };
    let magnitude =
        str::from_utf8(unsigned).ok().and_then(|word| word.parse::<usize>().ok()).ok_or_else(out_of_range)?;
    match magnitude {
        0 => Err(ObjErrorKind::IndexZero { word: quote(corner) }),
        _ if magnitude > vertices => Err(out_of_range()),
        _ if digits[0] == b'-' => Ok(vertices + 1 - magnitude),
        _ => Ok(magnitude),
    }
}

/// A word as an error message shows it.
fn quote(word: &[u8]) -> String {
    const MOST: usize = 40;
    let mut text: String = String::from_utf8_lossy(word).chars().take(MOST).flat_map(char::escape_debug).collect();
    if word.len() > MOST {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_decimal_and_finite_in_spelling() {
        for (word, expected) in [("+4.", 4.0), (".5", 0.5), ("-0", 0.0), ("1.0E-6", 1e-6), ("1e-400", 0.0)] {
            assert_eq!(number(word.as_bytes()).expect("a number"), expected, "{word}");
        }
        for word in ["nan", "-inf", "infinity", "-nan(ind)", "1.#INF", "0x10", "", "-", "1e", "1_0", "e"] {
            assert!(matches!(number(word.as_bytes()), Err(ObjErrorKind::NotANumber { .. })), "{word}");
        }
    }

    #[test]
    fn indices_count_from_one_or_back_from_here() {
        for (word, expected) in [("1", 1), ("4/9/9", 4), ("-1", 4), ("-4//x", 1), ("2/", 2), ("+3", 3), ("004", 4)] {
            assert_eq!(resolve(word.as_bytes(), 4).expect("an index"), expected, "{word}");
        }
        for word in ["5", "-5", "4294967297", "18446744073709551617", "-18446744073709551617"] {
            assert!(matches!(resolve(word.as_bytes(), 4), Err(ObjErrorKind::IndexOutOfRange { .. })), "{word}");
        }
        for word in ["", "/1", "1.0", "f", "--1", "+", "1e0"] {
            assert!(matches!(resolve(word.as_bytes(), 4), Err(ObjErrorKind::NotAnIndex { .. })), "{word}");
        }
        assert!(matches!(resolve(b"-0", 4), Err(ObjErrorKind::IndexZero { .. })));
    }
}

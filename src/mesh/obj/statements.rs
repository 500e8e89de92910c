//! [`Statements`]: what stands between the file and obj-rs. Reads lines, checks them, and hands on clean ones.

use std::io::{self, BufRead, Read, Write};

use nalgebra::Point3;

use super::{Names, ObjErrorKind, ObjOptions, polygon::MOST_CORNERS};
use crate::{input_error::MAX_COORDINATE, real::Real};

/// How many clean bytes are made at a time, and how often progress is told.
const CHUNK: usize = 1 << 16;

/// A reader of clean statements: `v` (without the position, which is kept here), `f` with checked indices, `g` and
/// `usemtl` with numbers for names.
pub(super) struct Statements<'a, T: Real, R> {
    reader: R,
    options: &'a ObjOptions,
    progress: &'a mut dyn FnMut(u64),
    bytes: u64,
    line: usize,
    object: String,
    group: String,
    clean: Vec<u8>,
    handed_on: usize,
    pub(super) vertices: Vec<Point3<T>>,
    pub(super) names: Names,
    /// Why reading ended early, and on which line.
    pub(super) failure: Option<(Option<usize>, ObjErrorKind)>,
}

impl<'a, T: Real, R: BufRead> Statements<'a, T, R> {
    pub(super) fn new(reader: R, options: &'a ObjOptions, progress: &'a mut dyn FnMut(u64)) -> Self {
        Self {
            reader,
            options,
            progress,
            bytes: 0,
            line: 0,
            object: String::new(),
            group: String::new(),
            clean: Vec::with_capacity(CHUNK + CHUNK / 4),
            handed_on: 0,
            vertices: Vec::new(),
            names: Names::default(),
            failure: None,
        }
    }

    /// Cleans statements until there is a chunk of them or the file ends.
    fn refill(&mut self) -> Result<(), (Option<usize>, ObjErrorKind)> {
        self.clean.clear();
        self.handed_on = 0;
        let mut statement = Vec::new();
        while self.clean.len() < CHUNK {
            statement.clear();
            let line = self.line + 1;
            let is_last = !self.read_statement(&mut statement).map_err(|kind| (None, kind))?;
            if line == 1 {
                if statement.starts_with(&[0xFF, 0xFE]) || statement.starts_with(&[0xFE, 0xFF]) {
                    return Err((Some(1), ObjErrorKind::Utf16));
                }
                if statement.starts_with(&[0xEF, 0xBB, 0xBF]) {
                    statement.drain(..3);
                }
            }
            self.clean_statement(&statement).map_err(|kind| (Some(line), kind))?;
            if is_last {
                break;
            }
        }
        (self.progress)(self.bytes);
        Ok(())
    }

    /// Reads a line, and those that continue it. False at the end of the file.
    fn read_statement(&mut self, statement: &mut Vec<u8>) -> Result<bool, ObjErrorKind> {
        loop {
            let start = statement.len();
            // One byte more than is allowed shows that there is too much, without reading it all.
            let room =
                self.options.byte_limit.map_or(u64::MAX, |limit| (limit - self.bytes.min(limit)).saturating_add(1));
            let read = (&mut self.reader).take(room).read_until(b'\n', statement).map_err(ObjErrorKind::Io)?;
            self.bytes += read as u64;
            if let Some(limit) = self.options.byte_limit
                && self.bytes > limit
            {
                return Err(ObjErrorKind::TooLong { limit });
            }
            if read == 0 {
                return Ok(false);
            }
            self.line += 1;
            for end in [b'\n', b'\r'] {
                if statement.len() > start && statement.last() == Some(&end) {
                    statement.pop();
                }
            }
            if statement.len() == start || statement.last() != Some(&b'\\') {
                return Ok(true);
            }
            if let Some(last) = statement.last_mut() {
                *last = b' ';
            }
        }
    }

    fn clean_statement(&mut self, statement: &[u8]) -> Result<(), ObjErrorKind> {
        let mut words = statement.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
        match words.next() {
            Some(b"v") => self.vertex(words),
            Some(b"f") => self.face(words),
            Some(b"o") => {
                self.object = name_of(statement, 1);
                self.group.clear();
                self.name_group();
                Ok(())
            }
            Some(b"g") => {
                self.group = name_of(statement, 1);
                self.name_group();
                Ok(())
            }
            Some(b"usemtl") => {
                let number = self.names.materials.number_of(name_of(statement, 6));
                self.hand_on(format_args!("usemtl {number}\n"));
                Ok(())
            }
            _ => Ok(()), // normals, lines, free-form surfaces, what others made up: no collision geometry
        }
    }

    fn vertex<'w>(&mut self, words: impl Iterator<Item = &'w [u8]>) -> Result<(), ObjErrorKind> {
        let mut position = [0.0; 3];
        let mut found = 0;
        for word in words.take_while(|word| word[0] != b'#').take(3) {
            let coordinate = coordinate(word)? - self.options.origin[found];
            let rounded = T::nearest(coordinate);
            if rounded.to_f64().abs() > MAX_COORDINATE {
                return Err(ObjErrorKind::NotFinite { text: text_of(word) });
            }
            position[found] = coordinate;
            found += 1;
        }
        if found < 3 {
            return Err(ObjErrorKind::MissingCoordinate { found });
        }
        self.vertices.push(Point3::from(position).map(T::nearest));
        self.hand_on(format_args!("v 0 0 0\n"));
        Ok(())
    }

    fn face<'w>(&mut self, words: impl Iterator<Item = &'w [u8]>) -> Result<(), ObjErrorKind> {
        let start = self.clean.len();
        self.hand_on(format_args!("f"));
        let mut found = 0;
        for word in words.take_while(|word| word[0] != b'#') {
            let index = vertex_index(word, self.vertices.len())?;
            self.hand_on(format_args!(" {index}"));
            found += 1;
        }
        match found {
            0..3 => {
                self.clean.truncate(start);
                return Err(ObjErrorKind::TooFewCorners { found });
            }
            _ if found > MOST_CORNERS => return Err(ObjErrorKind::TooManyCorners { found }),
            _ => self.hand_on(format_args!("\n")),
        }
        Ok(())
    }

    fn name_group(&mut self) {
        let name = match (self.object.is_empty(), self.group.is_empty()) {
            (_, true) => self.object.clone(),
            (true, false) => self.group.clone(),
            (false, false) => format!("{}/{}", self.object, self.group),
        };
        let number = self.names.groups.number_of(name);
        self.hand_on(format_args!("g {number}\n"));
    }

    fn hand_on(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to memory does not fail.
        let _ = self.clean.write_fmt(text);
    }
}

impl<T: Real, R: BufRead> Read for Statements<'_, T, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(out)?;
        self.consume(count);
        Ok(count)
    }
}

impl<T: Real, R: BufRead> BufRead for Statements<'_, T, R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.handed_on == self.clean.len() && self.failure.is_none() {
            self.failure = self.refill().err();
        }
        if self.failure.is_some() {
            return Err(io::Error::other("see `failure`"));
        }
        Ok(&self.clean[self.handed_on..])
    }

    fn consume(&mut self, count: usize) {
        self.handed_on += count;
    }
}

/// What follows the keyword, with single blanks; bytes that are not UTF-8 are replaced.
fn name_of(statement: &[u8], keyword: usize) -> String {
    let text = String::from_utf8_lossy(statement);
    let rest = text.trim_start().get(keyword..).unwrap_or_default();
    rest.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn text_of(word: &[u8]) -> String {
    String::from_utf8_lossy(&word[..word.len().min(40)]).into_owned()
}

fn coordinate(word: &[u8]) -> Result<f64, ObjErrorKind> {
    let text = || text_of(word);
    if word.contains(&b',') {
        return Err(ObjErrorKind::Comma { text: text() });
    }
    // Rust's own parser would take `nan`, `inf` and `infinity`.
    let is_plain = word.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
    if !is_plain {
        let lower = text().to_lowercase();
        let is_special = ["nan", "inf", "ind"].iter().any(|word| lower.contains(word));
        return Err(if is_special {
            ObjErrorKind::NotFinite { text: text() }
        } else {
            ObjErrorKind::NotANumber { text: text() }
        });
    }
    let number = std::str::from_utf8(word).ok().and_then(|word| word.parse::<f64>().ok());
    number.ok_or_else(|| ObjErrorKind::NotANumber { text: text() })
}

/// The position index of a corner such as `7`, `7/1`, `7//3` or `-1/2/3`, counted from 1.
fn vertex_index(word: &[u8], vertices: usize) -> Result<usize, ObjErrorKind> {
    let first = word.split(|byte| *byte == b'/').next().unwrap_or_default();
    let number = std::str::from_utf8(first).ok().and_then(|word| word.parse::<i64>().ok());
    let index = number.ok_or_else(|| ObjErrorKind::BadIndex { text: text_of(word) })?;
    let count = vertices as i64;
    match index {
        0 => Err(ObjErrorKind::IndexZero),
        1.. if index <= count => Ok(index as usize),
        ..0 if index >= -count => Ok((count + index + 1) as usize),
        _ => Err(ObjErrorKind::IndexOutOfRange { index, vertices }),
    }
}

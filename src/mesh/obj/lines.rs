//! [`Lines`]: the statements of a text one by one, with the numbers of their lines.

use std::io::{self, BufRead};

use super::ObjErrorKind;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Walks over the statements of an OBJ text: lines, or several of them joined by backslashes.
pub(super) struct Lines<R> {
    input: R,
    byte_limit: Option<u64>,
    bytes: u64,
    /// Number of lines begun so far.
    lines: usize,
    first_line: usize,
    /// The last line ended with a CR; an LF behind it belongs to the same line end.
    ended_by_return: bool,
    text: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(input: R, byte_limit: Option<u64>) -> Self {
        Self { input, byte_limit, bytes: 0, lines: 0, first_line: 1, ended_by_return: false, text: Vec::new() }
    }

    /// The current statement, without its line end.
    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    /// The line on which the current statement starts, from 1.
    pub(super) fn number(&self) -> usize {
        self.first_line
    }

    /// Bytes read so far.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Goes to the next statement; `false` at the end.
    pub(super) fn advance(&mut self) -> Result<bool, ObjErrorKind> {
        self.text.clear();
        self.first_line = self.lines + 1;
        if !self.append_line()? {
            return Ok(false);
        }
        if self.lines == 1 && (self.text.starts_with(b"\xFF\xFE") || self.text.starts_with(b"\xFE\xFF")) {
            return Err(ObjErrorKind::Utf16);
        }
        if self.text.starts_with(BYTE_ORDER_MARK) {
            self.text.drain(..BYTE_ORDER_MARK.len());
        }
        let mut part = 0;
        while continues(&self.text[part..]) {
            self.text.pop();
            self.text.push(b' ');
            part = self.text.len();
            if !self.append_line()? {
                break;
            }
        }
        if self.text.contains(&0) { Err(ObjErrorKind::NotText) } else { Ok(true) }
    }

    /// Reads a line behind the text so far; `false` if there is none. The last one may lack its end.
    fn append_line(&mut self) -> Result<bool, ObjErrorKind> {
        let mut has_begun = false;
        loop {
            let buffer = match self.input.fill_buf() {
                Ok(buffer) => buffer,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(ObjErrorKind::Io(e)),
            };
            let Some(&next) = buffer.first() else {
                return Ok(has_begun);
            };
            let is_rest_of_end = std::mem::take(&mut self.ended_by_return) && next == b'\n';
            if !is_rest_of_end && !has_begun {
                has_begun = true;
                self.lines += 1;
            }
            let end = buffer.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            self.text.extend_from_slice(&buffer[..end.unwrap_or(buffer.len())]);
            self.ended_by_return = end.is_some_and(|end| buffer[end] == b'\r');
            let used = end.map_or(buffer.len(), |end| end + 1);
            self.input.consume(used);
            self.bytes += used as u64;
            if let Some(limit) = self.byte_limit.filter(|limit| self.bytes > *limit) {
                return Err(ObjErrorKind::TooLong { limit });
            }
            if end.is_some() && !is_rest_of_end {
                return Ok(true);
            }
        }
    }
}

/// A backslash in a comment joins nothing: there it is the end of a path.
fn continues(line: &[u8]) -> bool {
    line.ends_with(b"\\") && !line.contains(&b'#')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statements(text: &[u8]) -> Vec<(usize, String)> {
        let mut lines = Lines::new(io::BufReader::with_capacity(2, text), None);
        let mut all = Vec::new();
        while lines.advance().expect("readable") {
            all.push((lines.number(), String::from_utf8_lossy(lines.text()).into_owned()));
        }
        all
    }

    fn numbered(expected: &[(usize, &str)]) -> Vec<(usize, String)> {
        expected.iter().map(|(line, text)| (*line, (*text).to_owned())).collect()
    }

    #[test]
    fn all_line_ends_count_once() {
        for end in ["\n", "\r\n", "\r"] {
            let text = ["v 1", "", "f 2"].join(end);
            assert_eq!(statements(text.as_bytes()), numbered(&[(1, "v 1"), (2, ""), (3, "f 2")]), "{end:?}");
            assert_eq!(statements((text + end).as_bytes()).len(), 3, "{end:?}");
        }
    }

    #[test]
    fn a_backslash_joins_lines_but_not_in_a_comment() {
        assert_eq!(statements(b"v 1\\\r\n2 \\\n3\nf"), numbered(&[(1, "v 1 2  3"), (4, "f")]));
        assert_eq!(statements(b"# C:\\\nv"), numbered(&[(1, "# C:\\"), (2, "v")]));
        assert_eq!(statements(b"v 1\\"), numbered(&[(1, "v 1 ")]));
    }

    #[test]
    fn marks_vanish_and_the_limit_is_the_longest_length_allowed() {
        assert_eq!(statements(b"\xEF\xBB\xBFv"), numbered(&[(1, "v")]));
        assert!(Lines::new(&b"v 1\n"[..], Some(4)).advance().is_ok());
        assert!(matches!(Lines::new(&b"v 1\n"[..], Some(3)).advance(), Err(ObjErrorKind::TooLong { limit: 3 })));
    }
}

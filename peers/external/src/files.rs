//! The harness's files: meshes, queries and walks, in little-endian words after a magic of four bytes.
//!
//! All are checked whole before anything is taken from them: magic, version, and that the length is what the counts
//! say.

use std::{fs, path::Path};

use anyhow::{Context, Result, ensure};

/// The version of all three formats.
const VERSION: u32 = 1;
/// Words of a query.
const QUERY_WORDS: usize = 9;
/// Words before the start positions of a walk.
const RUN_HEADER_WORDS: usize = 20;

/// A `PMSH` file.
pub(crate) struct MeshFile {
    pub(crate) vertices: Vec<[f32; 3]>,
    pub(crate) triangles: Vec<[u32; 3]>,
}

/// A record of a `PQRY` file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Query {
    pub(crate) origin: [f32; 3],
    /// The whole motion, not a direction.
    pub(crate) motion: [f32; 3],
    /// Semi-axes of the body; zero for a ray.
    pub(crate) radii: [f32; 3],
}

/// A `PKCC` file: characters that walk, each with a heading for every segment of time.
pub(crate) struct Run {
    pub(crate) ticks: usize,
    pub(crate) ticks_a_segment: usize,
    pub(crate) dt: f32,
    /// Along y, so less than zero where things fall.
    pub(crate) gravity: f32,
    pub(crate) speed: f32,
    /// Who is below has left the level.
    pub(crate) kill_y: f32,
    pub(crate) radii: [f32; 3],
    pub(crate) skin: f32,
    pub(crate) step_height: f32,
    pub(crate) slope_limit_degrees: f32,
    pub(crate) snap_distance: f32,
    pub(crate) starts: Vec<[f32; 3]>,
    /// Unit headings in x and z: that of character `i` in segment `s` is number `s · starts.len() + i`.
    pub(crate) headings: Vec<[f32; 2]>,
}

/// Reads a mesh.
pub(crate) fn read_mesh(path: &Path) -> Result<MeshFile> {
    let words = Words::read(path, b"PMSH", 4)?;
    let [vertices, triangles] = [words.count(2), words.count(3)];
    words.expect_len([4, vertices.saturating_mul(3), triangles.saturating_mul(3)])?;
    let (vertices, triangles) = words.0[4..].split_at(3 * vertices);
    Ok(MeshFile { vertices: floats(vertices), triangles: triangles.as_chunks().0.to_vec() })
}

/// Reads queries.
pub(crate) fn read_queries(path: &Path) -> Result<Vec<Query>> {
    let words = Words::read(path, b"PQRY", 4)?;
    let (records, stride) = (words.count(2), words.count(3));
    ensure!(stride == 4 * QUERY_WORDS, "{}: the stride is {stride}, not {}", path.display(), 4 * QUERY_WORDS);
    words.expect_len([4, records.saturating_mul(QUERY_WORDS), 0])?;
    let query = |[origin, motion, radii]: [[f32; 3]; 3]| Query { origin, motion, radii };
    Ok(floats(&words.0[4..]).as_chunks().0.iter().copied().map(query).collect())
}

/// Reads a walk.
pub(crate) fn read_run(path: &Path) -> Result<Run> {
    let words = Words::read(path, b"PKCC", RUN_HEADER_WORDS)?;
    let [characters, ticks, ticks_a_segment, segments] = [2, 3, 4, 5].map(|index| words.count(index));
    ensure!(characters > 0 && ticks > 0 && ticks_a_segment > 0, "{}: nobody walks, or not for long", path.display());
    ensure!(segments == ticks.div_ceil(ticks_a_segment), "{}: {segments} segments for {ticks} ticks", path.display());
    let headings = segments.saturating_mul(characters).saturating_mul(2);
    words.expect_len([RUN_HEADER_WORDS, characters.saturating_mul(3), headings])?;
    let (starts, headings) = words.0[RUN_HEADER_WORDS..].split_at(3 * characters);
    Ok(Run {
        ticks,
        ticks_a_segment,
        dt: words.float(6),
        gravity: words.float(7),
        speed: words.float(8),
        kill_y: words.float(9),
        // Words 10 and 11 are the capsule of those who walk as one.
        radii: [12, 13, 14].map(|index| words.float(index)),
        skin: words.float(15),
        step_height: words.float(16),
        slope_limit_degrees: words.float(17),
        snap_distance: words.float(18),
        starts: floats(starts),
        headings: floats(headings),
    })
}

/// A whole file, and its name for messages. Word 0 is the magic, word 1 the version.
struct Words<'a>(Vec<u32>, &'a Path);

impl<'a> Words<'a> {
    /// Reads a file whose header has `header` words.
    fn read(path: &'a Path, magic: &[u8; 4], header: usize) -> Result<Self> {
        let name = path.display();
        let bytes = fs::read(path).with_context(|| format!("cannot read {name}"))?;
        ensure!(bytes.starts_with(magic), "{name} does not begin with {}", magic.escape_ascii());
        let (words, rest) = bytes.as_chunks();
        ensure!(rest.is_empty() && words.len() >= header, "{name} is cut off: it has {} bytes", bytes.len());
        let words = Self(words.iter().copied().map(u32::from_le_bytes).collect(), path);
        ensure!(words.0[1] == VERSION, "{name} has version {}, not {VERSION}", words.0[1]);
        Ok(words)
    }

    fn count(&self, index: usize) -> usize {
        self.0[index] as usize
    }

    fn float(&self, index: usize) -> f32 {
        f32::from_bits(self.0[index])
    }

    /// Checks the length against that of the parts.
    fn expect_len(&self, parts: [usize; 3]) -> Result<()> {
        let (found, expected) = (self.0.len(), parts.into_iter().fold(0, usize::saturating_add));
        let name = self.1.display();
        ensure!(found == expected, "{name} has {found} words, but its counts ask for {expected}");
        Ok(())
    }
}

/// Numbers in groups of `N`; words that fill no group are left out.
fn floats<const N: usize>(words: &[u32]) -> Vec<[f32; N]> {
    words.as_chunks().0.iter().map(|group: &[u32; N]| group.map(f32::from_bits)).collect()
}

#[cfg(test)]
mod tests {
    use std::{env, path::PathBuf, process};

    use super::*;

    /// A file of its own for each test, gone at its end.
    struct Temporary(PathBuf);

    impl Temporary {
        fn new(name: &str, bytes: &[u8]) -> Self {
            let path = env::temp_dir().join(format!("sidle-external-{}-{name}", process::id()));
            fs::write(&path, bytes).expect("the folder for temporary files is writable");
            Self(path)
        }
    }

    impl Drop for Temporary {
        fn drop(&mut self) {
            let _ = fs::remove_file(&self.0);
        }
    }

    fn bytes(magic: &[u8; 4], words: &[u32]) -> Vec<u8> {
        magic.iter().copied().chain(words.iter().flat_map(|word| word.to_le_bytes())).collect()
    }

    fn one_triangle() -> Vec<u8> {
        let vertices = [0.0_f32, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0].map(f32::to_bits);
        bytes(b"PMSH", &[&[1, 3, 1][..], &vertices, &[0, 1, 2]].concat())
    }

    fn one_walk() -> Vec<u8> {
        let header = [1, 1, 90, 60, 2].into_iter().chain((6..19).map(|word| (word as f32).to_bits())).chain([0]);
        let places = [1.0_f32, 2.0, 3.0, 1.0, 0.0, 0.0, 1.0].map(f32::to_bits);
        bytes(b"PKCC", &header.chain(places).collect::<Vec<_>>())
    }

    #[test]
    fn a_mesh_is_read_as_it_was_written() {
        let file = Temporary::new("mesh", &one_triangle());
        let mesh = read_mesh(&file.0).expect("it is a mesh");
        assert_eq!(mesh.vertices, [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]);
        assert_eq!(mesh.triangles, [[0, 1, 2]]);
    }

    #[test]
    fn queries_are_read_as_they_were_written() {
        let numbers = [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0].map(f32::to_bits);
        let file = Temporary::new("queries", &bytes(b"PQRY", &[&[1, 1, 36][..], &numbers].concat()));
        let queries = read_queries(&file.0).expect("these are queries");
        let [Query { origin, motion, radii }] = queries[..] else { panic!("{} queries", queries.len()) };
        assert_eq!([origin, motion, radii], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]);
    }

    #[test]
    fn a_walk_is_read_as_it_was_written() {
        let file = Temporary::new("walk", &one_walk());
        let run = read_run(&file.0).expect("it is a walk");
        assert_eq!((run.ticks, run.ticks_a_segment, run.dt, run.kill_y), (90, 60, 6.0, 9.0));
        assert_eq!((run.radii, run.skin, run.snap_distance), ([12.0, 13.0, 14.0], 15.0, 18.0));
        assert_eq!((&run.starts[..], &run.headings[..]), (&[[1.0, 2.0, 3.0]][..], &[[1.0, 0.0], [0.0, 1.0]][..]));
    }

    #[test]
    fn a_file_cut_off_anywhere_is_an_error() {
        for (name, whole) in [("cut-mesh", one_triangle()), ("cut-walk", one_walk())] {
            for length in 0..whole.len() {
                let file = Temporary::new(name, &whole[..length]);
                assert!(read_mesh(&file.0).is_err() && read_queries(&file.0).is_err() && read_run(&file.0).is_err());
            }
        }
    }

    #[test]
    fn counts_beyond_the_file_are_an_error() {
        for words in [[1, u32::MAX, u32::MAX], [1, 0, u32::MAX], [2, 0, 0]] {
            assert!(read_mesh(&Temporary::new("many", &bytes(b"PMSH", &words)).0).is_err());
        }
        assert!(read_queries(&Temporary::new("stride", &bytes(b"PQRY", &[1, 0, 40])).0).is_err());
        let nobody = bytes(b"PKCC", &[1].into_iter().chain([0; 18]).collect::<Vec<_>>());
        assert!(read_run(&Temporary::new("nobody", &nobody).0).is_err());
    }
}

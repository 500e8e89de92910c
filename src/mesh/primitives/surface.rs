//! Sheets with one front: floors, walls, height fields.

use super::{MeshBuilder, at_least, room_for};
use crate::{
    input_error::{finite, positive},
    mesh::{MeshError, TriMesh},
    real::Real,
};

/// A flat floor at `y = 0`, its centre at the origin, of `cells_x` × `cells_z` cells with two triangles each.
///
/// # Errors
/// If a size is not positive and finite, or a number of cells is zero or too large.
pub fn floor<T: Real>(size_x: f64, size_z: f64, cells_x: u32, cells_z: u32) -> Result<TriMesh<T>, MeshError> {
    positive(size_x, "the floor's size in x")?;
    positive(size_z, "the floor's size in z")?;
    at_least(1, cells_x, "the number of cells in x", "1..")?;
    at_least(1, cells_z, "the number of cells in z", "1..")?;
    relief(size_x, size_z, [cells_x, cells_z], |_, _| 0.0)
}

/// An upright sheet from `x = −length / 2` to `length / 2` at `z = 0`, from the ground up to `height`; its front is +Z.
///
/// It consists of `quads` quads side by side.
///
/// # Errors
/// If a size is not positive and finite, or `quads` is zero or too large.
pub fn wall<T: Real>(length: f64, height: f64, quads: u32) -> Result<TriMesh<T>, MeshError> {
    positive(length, "the wall's length")?;
    positive(height, "the wall's height")?;
    at_least(1, quads, "the number of quads", "1..")?;
    room_for(2 * u64::from(quads))?;
    let mut builder = MeshBuilder::new();
    builder.grid([quads, 1], |i, j| [spread(length, i, quads), height * f64::from(j), 0.0]);
    builder.build()
}

/// A relief over a grid: `heights` are rows along +X of `columns` heights each, the rows follow each other along +Z.
///
/// It is `width` wide in x and `depth` deep in z, its centre over the origin. The vertices stand at the ends of the
/// area, so that `columns` heights make `columns − 1` cells, each with two triangles that share the corners nearest to
/// −X −Z and +X +Z.
///
/// # Errors
/// If a size is not positive and finite, a height is not finite, or the heights are not two or more whole rows of two
/// or more columns ([`MeshError::HeightCount`]).
///
/// ```
/// use sidle::mesh::{MeshError, primitives};
/// // A gutter along z, between two edges that are 0.75 m high.
/// let gutter = primitives::heightfield::<f64>(2.0, 9.0, &[0.75, 0.0, 0.75, 0.75, 0.0, 0.75], 3)?;
/// assert_eq!((gutter.len(), gutter.area()), (4, 2.0 * 1.25 * 9.0));
/// # Ok::<(), MeshError>(())
/// ```
pub fn heightfield<T: Real>(width: f64, depth: f64, heights: &[f64], columns: usize) -> Result<TriMesh<T>, MeshError> {
    positive(width, "the height field's width")?;
    positive(depth, "the height field's depth")?;
    if columns < 2 || !heights.len().is_multiple_of(columns) || heights.len() / columns < 2 {
        return Err(MeshError::HeightCount { heights: heights.len(), columns });
    }
    for height in heights {
        finite(*height, "a height")?;
    }
    let cells = |vertices: usize| {
        let too_many = MeshError::TooMany { what: "the vertices", count: heights.len() };
        u32::try_from(vertices - 1).map_err(|_| too_many)
    };
    let cells = [cells(columns)?, cells(heights.len() / columns)?];
    relief(width, depth, cells, |i, j| heights[j as usize * columns + i as usize])
}

/// Hills of smooth noise, `side` × `side` cells of 1 m with their centre over the origin: 2 · `side`² triangles.
///
/// The heights lie between −3.25 and 3.25 m; nearly all slopes are gentler than 45°. The same `seed` gives the same
/// hills, bit for bit.
///
/// # Errors
/// If `side` is zero or too large.
pub fn terrain<T: Real>(side: u32, seed: u64) -> Result<TriMesh<T>, MeshError> {
    at_least(1, side, "the terrain's side", "1..")?;
    let size = f64::from(side);
    relief(size, size, [side, side], |i, j| hills(seed, f64::from(i), f64::from(j)))
}

/// A grid around the origin, its height a function of column and row.
fn relief<T: Real>(
    size_x: f64,
    size_z: f64,
    [cells_x, cells_z]: [u32; 2],
    height: impl Fn(u32, u32) -> f64,
) -> Result<TriMesh<T>, MeshError> {
    room_for(u64::from(cells_x).saturating_mul(2 * u64::from(cells_z)))?;
    let mut builder = MeshBuilder::new();
    builder.grid([cells_z, cells_x], |j, i| [spread(size_x, i, cells_x), height(i, j), spread(size_z, j, cells_z)]);
    builder.build()
}

/// Where the end of part `i` is when `size` is divided into equal parts around zero.
///
/// Multiplied first: where a part is a short binary fraction no place is rounded, and sheets with a common border share
/// its vertices.
fn spread(size: f64, i: u32, parts: u32) -> f64 {
    if i == parts { size / 2.0 } else { size * f64::from(i) / f64::from(parts) - size / 2.0 }
}

/// Spacing of the lattice and largest height, in metres, of each layer of noise.
const OCTAVES: [[f64; 2]; 3] = [[16.0, 2.4], [8.0, 0.7], [4.0, 0.15]];

/// Height of the hills at a place: value noise, random heights on a lattice with smooth steps between them.
pub(super) fn hills(seed: u64, x: f64, z: f64) -> f64 {
    let octave = |(octave, [spacing, amplitude]): (u64, [f64; 2])| {
        let ([column, row], [x, z]) = ([(x / spacing).floor(), (z / spacing).floor()], [x / spacing, z / spacing]);
        let random = |dx: f64, dz: f64| {
            let place = [(column + dx) as i64 as u64, (row + dz) as i64 as u64, octave];
            let bits = place.iter().fold(splitmix64(seed), |hash, number| splitmix64(hash ^ number));
            (bits >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        let (u, v) = (smooth_step(x - column), smooth_step(z - row));
        let mix = |a: f64, b: f64, t: f64| a + (b - a) * t;
        amplitude * mix(mix(random(0.0, 0.0), random(1.0, 0.0), u), mix(random(0.0, 1.0), random(1.0, 1.0), u), v)
    };
    (0..).zip(OCTAVES).map(octave).sum()
}

/// From 0 at 0 to 1 at 1, level at both ends.
pub(super) fn smooth_step(t: f64) -> f64 {
    t * t * (3.0 - 2.0 * t)
}

/// The mixing function of Steele, Lea and Flood (2014), *Fast splittable pseudorandom number generators*.
fn splitmix64(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

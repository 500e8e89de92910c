//! Floors, stairs, ramps and more, as meshes: scenes for tests, benches, examples and first experiments.
//!
//! Up is +Y, lengths are in metres, angles in radians; fronts are counter-clockwise as seen from outside, or from
//! above. Solids are closed. Everything is computed in `f64` and rounded once to the scalar of the mesh; sines and
//! cosines are those of the `libm` crate, so that the same arguments give the same bits on every platform.
//!
//! Arguments that give no shape are refused with a [`MeshError`]: sizes that are zero, negative, NaN or infinite
//! ([`MeshError::Argument`]), and numbers of parts that are too small or that make too many triangles for 32-bit
//! indices ([`MeshError::TooMany`]).
//!
//! Primitives carry no names. A [`MeshBuilder`] puts them together and names what it takes in; [`playground`] is a
//! whole level made that way.
//!
//! ```
//! use sidle::mesh::{MeshError, primitives};
//! let stairs = primitives::stairs::<f32>(10, 0.2, 0.3, 2.0)?;
//! assert_eq!((stairs.len(), stairs.defects().border_edges), (120, 0));
//! assert_eq!(stairs.bounds().max, nalgebra::point![3.0, 2.0, 1.0]);
//! assert!(primitives::stairs::<f32>(10, f64::NAN, 0.3, 2.0).is_err());
//! # Ok::<(), MeshError>(())
//! ```

mod builder;
mod passage;
mod playground;
mod solid;
mod surface;

pub use builder::MeshBuilder;
pub use passage::{TUNNEL_SHELL, arch, tunnel};
pub use playground::{PLAYGROUND_SPAWN, playground, playground_tour};
pub use solid::{cuboid, ramp, sphere, spiral_stairs, stairs};
pub use surface::{floor, heightfield, terrain, wall};

use std::f64::consts::FRAC_PI_2;

use super::MeshError;
use crate::input_error::InputError;

/// Checks that there are enough parts; `range` says how many for the message.
fn at_least(least: u32, number: u32, what: &'static str, range: &'static str) -> Result<(), InputError> {
    if number >= least { Ok(()) } else { Err(InputError::OutOfRange { what, range }) }
}

/// Checks a number of triangles before memory is taken for them.
fn room_for(triangles: u64) -> Result<(), MeshError> {
    if triangles < u64::from(u32::MAX) {
        return Ok(());
    }
    Err(MeshError::TooMany { what: "the triangles", count: usize::try_from(triangles).unwrap_or(usize::MAX) })
}

/// Cosine and sine of `part / parts` of a full turn.
fn on_circle(part: u32, parts: u32) -> [f64; 2] {
    by_quarters(4 * u64::from(part), u64::from(parts))
}

/// Cosine and sine of `part / parts` of half a turn.
fn on_half_circle(part: u32, parts: u32) -> [f64; 2] {
    by_quarters(2 * u64::from(part), u64::from(parts))
}

/// Cosine and sine of `part / parts` of a quarter turn.
///
/// Quarter turns come out as exact zeros and ones, and the four quarters as exact images of each other.
fn by_quarters(part: u64, parts: u64) -> [f64; 2] {
    let angle = FRAC_PI_2 * ((part % parts) as f64 / parts as f64);
    let (c, s) = (libm::cos(angle), libm::sin(angle));
    match part / parts % 4 {
        0 => [c, s],
        1 => [-s, c],
        2 => [-c, -s],
        _ => [s, -c],
    }
}

//! Closed solids to go through.

use super::{MeshBuilder, at_least, on_half_circle, room_for};
use crate::{
    input_error::{InputError, positive},
    mesh::{MeshError, TriMesh},
    real::Real,
};

/// How thick the shell of a [`tunnel`] is, in metres.
pub const TUNNEL_SHELL: f64 = 0.25;

/// A tunnel along +X from `x = 0` to `length`, centred on `z = 0`: a closed shell of 8 · `segments` + 20 triangles.
///
/// Inside it is `width` wide and `height` high: upright walls, over them half a circle of `segments` segments. The
/// shell is [`TUNNEL_SHELL`] thick. There is no floor.
///
/// # Errors
/// If a length is not positive and finite, `height` is not greater than half the width, or `segments` is less than 2 or
/// too large.
pub fn tunnel<T: Real>(width: f64, height: f64, length: f64, segments: u32) -> Result<TriMesh<T>, MeshError> {
    positive(length, "the tunnel's length")?;
    let inside = Vault::new(width, height, segments)?;
    let outside = inside.profile(width / 2.0 + TUNNEL_SHELL);
    shell(&inside.profile(width / 2.0), &outside, length)
}

/// A gate to go through along +X, from `x = 0` to `depth`, centred on `z = 0`: a closed block of 8 · `segments` + 20
/// triangles.
///
/// The opening has the shape of a [`tunnel`]. The block around it is wider by `post` on each side and higher by `post`.
///
/// # Errors
/// If a length is not positive and finite, `height` is not greater than half the width, or `segments` is less than 3 or
/// too large.
pub fn arch<T: Real>(width: f64, height: f64, post: f64, depth: f64, segments: u32) -> Result<TriMesh<T>, MeshError> {
    positive(post, "the gate's post")?;
    positive(depth, "the gate's depth")?;
    at_least(3, segments, "the number of segments", "3..")?;
    let opening = Vault::new(width, height, segments)?;
    let (side, spring, top) = (width / 2.0 + post, opening.spring, height + post);
    // The segments of the vault are shared out over the three sides of the block above it.
    let corner = (segments / 4).max(1);
    let share = |from: f64, to: f64, part: u32, parts: u32| from + (to - from) * (f64::from(part) / f64::from(parts));
    let border = |i: u32| {
        if i <= corner {
            [side, share(spring, top, i, corner)]
        } else if i < segments - corner {
            [share(side, -side, i - corner, segments - 2 * corner), top]
        } else {
            [-side, share(top, spring, i - (segments - corner), corner)]
        }
    };
    shell(&opening.profile(width / 2.0), &with_feet((0..=segments).map(border)), depth)
}

/// Upright walls, and half a circle over them.
struct Vault {
    /// Height at which the walls end and the circle begins.
    spring: f64,
    segments: u32,
}

impl Vault {
    fn new(width: f64, height: f64, segments: u32) -> Result<Self, MeshError> {
        positive(width, "the width of the passage")?;
        positive(height, "the height of the passage")?;
        at_least(2, segments, "the number of segments", "2..")?;
        room_for(8 * u64::from(segments) + 20)?;
        let spring = height - width / 2.0;
        if spring <= 0.0 {
            let what = "the height of the passage";
            return Err(
                InputError::OutOfRange { what, range: "width / 2.. (more than the radius of its vault)" }.into()
            );
        }
        Ok(Self { spring, segments })
    }

    /// Points `[z, y]` from the foot at +Z over the top to the foot at −Z.
    fn profile(&self, radius: f64) -> Vec<[f64; 2]> {
        with_feet((0..=self.segments).map(|i| {
            let [c, s] = on_half_circle(i, self.segments);
            [radius * c, self.spring + radius * s]
        }))
    }
}

/// The points, and those on the ground below the first and the last one.
fn with_feet(points: impl Iterator<Item = [f64; 2]>) -> Vec<[f64; 2]> {
    let mut profile: Vec<_> = std::iter::once([0.0; 2]).chain(points).collect();
    let (first, last) = (profile[1][0], profile[profile.len() - 1][0]);
    profile[0] = [first, 0.0];
    profile.push([last, 0.0]);
    profile
}

/// The solid between two profiles with the same number of points, from `x = 0` to `length`.
fn shell<T: Real>(inside: &[[f64; 2]], outside: &[[f64; 2]], length: f64) -> Result<TriMesh<T>, MeshError> {
    let place = |profile: &[[f64; 2]], i: u32, end: u32| {
        let [z, y] = profile[i as usize];
        [length * f64::from(end), y, z]
    };
    let across = |i: u32, side: u32, end: u32| place(if side == 0 { inside } else { outside }, i, end);
    let last = inside.len() as u32 - 1;
    let mut builder = MeshBuilder::new();
    builder.grid([last, 1], |i, end| across(i, 0, end));
    builder.grid([1, last], |end, i| across(i, 1, end));
    builder.grid([1, last], |side, i| across(i, side, 0));
    builder.grid([last, 1], |i, side| across(i, side, 1));
    builder.grid([1, 1], |end, side| across(0, side, end));
    builder.grid([1, 1], |side, end| across(last, side, end));
    builder.build()
}

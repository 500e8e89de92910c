//! Closed solids to stand on and to climb.

use std::f64::consts::{FRAC_PI_2, TAU};

use super::{MeshBuilder, at_least, on_circle, on_half_circle, room_for};
use crate::{
    input_error::{InputError, positive},
    mesh::{MeshError, TriMesh},
    real::Real,
};

/// A box around the origin, from `−half_extents` to `half_extents`: 12 triangles.
///
/// # Errors
/// If a half extent is not positive and finite.
pub fn cuboid<T: Real>(half_extents: [f64; 3]) -> Result<TriMesh<T>, MeshError> {
    for half_extent in half_extents {
        positive(half_extent, "a half extent")?;
    }
    let [x, y, z] = half_extents;
    let mut builder = MeshBuilder::new();
    builder.quad([[x, -y, -z], [x, y, -z], [x, y, z], [x, -y, z]]);
    builder.quad([[-x, -y, -z], [-x, -y, z], [-x, y, z], [-x, y, -z]]);
    builder.quad([[-x, y, -z], [-x, y, z], [x, y, z], [x, y, -z]]);
    builder.quad([[-x, -y, -z], [x, -y, -z], [x, -y, z], [-x, -y, z]]);
    builder.quad([[-x, -y, z], [x, -y, z], [x, y, z], [-x, y, z]]);
    builder.quad([[-x, -y, -z], [-x, y, -z], [x, y, -z], [x, -y, -z]]);
    builder.build()
}

/// A sphere around the origin, its poles at the top and the bottom: 2 · `sectors` · (`rings` − 1) triangles.
///
/// `rings` are the bands from pole to pole, at least 2; `sectors` the slices around, at least 3. All vertices lie on
/// the sphere, so that the mesh is a little smaller than it.
///
/// # Errors
/// If the radius is not positive and finite, or there are too few or too many rings or sectors.
pub fn sphere<T: Real>(radius: f64, rings: u32, sectors: u32) -> Result<TriMesh<T>, MeshError> {
    positive(radius, "the sphere's radius")?;
    at_least(2, rings, "the number of rings", "2..")?;
    at_least(3, sectors, "the number of sectors", "3..")?;
    room_for(u64::from(sectors).saturating_mul(2 * (u64::from(rings) - 1)))?;
    let mut builder = MeshBuilder::new();
    builder.grid([rings, sectors], |i, j| {
        let [height, distance] = on_half_circle(i, rings);
        let [c, s] = on_circle(j % sectors, sectors);
        [radius * distance * c, radius * height, -radius * distance * s]
    });
    builder.build()
}

/// A ramp that rises along +X from the origin, centred on `z = 0`: a closed wedge of 8 triangles.
///
/// `length` is measured on the ground, so that the ramp is `length · tan(angle)` high; beyond its end it falls off
/// steeply to the ground. `angle` is between 0 and π/2, exclusive.
///
/// # Errors
/// If a length is not positive and finite, or the angle is out of range.
pub fn ramp<T: Real>(length: f64, angle: f64, width: f64) -> Result<TriMesh<T>, MeshError> {
    positive(length, "the ramp's length")?;
    positive(width, "the ramp's width")?;
    if !(angle > 0.0 && angle < FRAC_PI_2) {
        return Err(InputError::OutOfRange { what: "the ramp's angle", range: "0..π/2 radians" }.into());
    }
    let (height, side) = (length * libm::tan(angle), width / 2.0);
    let foot = |z: f64| [0.0, 0.0, z];
    let below = |z: f64| [length, 0.0, z];
    let top = |z: f64| [length, height, z];
    let mut builder = MeshBuilder::new();
    builder.quad([foot(-side), foot(side), top(side), top(-side)]);
    builder.quad([foot(-side), below(-side), below(side), foot(side)]);
    builder.quad([below(-side), top(-side), top(side), below(side)]);
    builder.triangle([foot(side), below(side), top(side)]);
    builder.triangle([foot(-side), top(-side), below(-side)]);
    builder.build()
}

/// Straight stairs that rise along +X from the origin, centred on `z = 0`: a closed solid of 12 · `steps` triangles.
///
/// Step `i`, counted from 0, is the area from `x = i · tread` to `(i + 1) · tread` at the height `(i + 1) · rise`.
///
/// # Errors
/// If a length is not positive and finite, or `steps` is zero or too large.
pub fn stairs<T: Real>(steps: u32, rise: f64, tread: f64, width: f64) -> Result<TriMesh<T>, MeshError> {
    positive(rise, "the rise")?;
    positive(tread, "the tread")?;
    positive(width, "the stairs' width")?;
    steps_on(steps, rise, |along, y, side| [f64::from(along) * tread, y, width * (side - 0.5)])
}

/// Stairs that wind up around the Y axis, counter-clockwise as seen from above: a closed solid of 12 · `steps`
/// triangles.
///
/// The first riser is over the X axis, facing +Z, and goes from `inner_radius` to `outer_radius`. Each step takes
/// `turn` radians, is `rise` higher than the one before, and stands on the ground: the whole stairs have to stay below
/// a full turn. The sides are flat between steps, their corners lie on the circles.
///
/// # Errors
/// If a length is not positive and finite, `outer_radius` is not greater than `inner_radius`, `steps` is zero or too
/// large, or `turn` is not positive or makes a full turn or more.
pub fn spiral_stairs<T: Real>(
    steps: u32,
    rise: f64,
    turn: f64,
    inner_radius: f64,
    outer_radius: f64,
) -> Result<TriMesh<T>, MeshError> {
    positive(rise, "the rise")?;
    positive(turn, "the turn")?;
    positive(inner_radius, "the inner radius")?;
    positive(outer_radius - inner_radius, "the outer radius less the inner radius")?;
    if f64::from(steps) * turn >= TAU {
        return Err(InputError::OutOfRange { what: "the turn of all steps", range: "0..2π radians" }.into());
    }
    steps_on(steps, rise, |along, y, side| {
        let radius = inner_radius + (outer_radius - inner_radius) * side;
        let angle = f64::from(along) * turn;
        [radius * libm::cos(angle), y, -radius * libm::sin(angle)]
    })
}

/// Steps that stand on the ground; `place` takes the number of treads along, the height, and 0 or 1 for the side.
///
/// Sideways × along has to point up.
fn steps_on<T: Real>(
    steps: u32,
    rise: f64,
    place: impl Fn(u32, f64, f64) -> [f64; 3],
) -> Result<TriMesh<T>, MeshError> {
    at_least(1, steps, "the number of steps", "1..")?;
    room_for(12 * u64::from(steps))?;
    let mut builder = MeshBuilder::new();
    for i in 0..steps {
        let (low, high) = (f64::from(i) * rise, (f64::from(i) + 1.0) * rise);
        let (front, back) = (i, i + 1);
        builder.quad([
            place(front, low, 0.0),
            place(front, low, 1.0),
            place(front, high, 1.0),
            place(front, high, 0.0),
        ]);
        builder.quad([
            place(front, high, 0.0),
            place(front, high, 1.0),
            place(back, high, 1.0),
            place(back, high, 0.0),
        ]);
        builder.quad([place(front, 0.0, 0.0), place(back, 0.0, 0.0), place(back, 0.0, 1.0), place(front, 0.0, 1.0)]);
        // The side below a step has a fifth corner where the step before ends. Without it the edge there would lie on a
        // longer one, and the solid would not be closed. For the first step it is the corner on the ground.
        for side in [0.0, 1.0] {
            let at = |along: u32, y: f64| place(along, y, side);
            let fan =
                [[at(front, high), at(front, low)], [at(front, low), at(front, 0.0)], [at(front, 0.0), at(back, 0.0)]];
            for [from, to] in fan {
                builder.triangle(if side == 1.0 { [at(back, high), from, to] } else { [at(back, high), to, from] });
            }
        }
    }
    let top = f64::from(steps) * rise;
    builder.quad([place(steps, 0.0, 0.0), place(steps, top, 0.0), place(steps, top, 1.0), place(steps, 0.0, 1.0)]);
    builder.build()
}

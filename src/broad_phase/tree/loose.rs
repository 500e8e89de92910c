//! Boxes with air around them, for leaves that move.

use nalgebra::SVector;

use crate::{Real, shape::Aabb};

/// The air on each side of a box that has moved, as a share of its widths.
const AIR: f64 = 0.2;

/// The loose box reaches so many updates ahead, at most by the widths of the box.
const AHEAD: f64 = 16.0;

/// A box with air around it, and more of it where it is going to be if it moves on as it did.
pub(crate) fn ahead<T: Real, const D: usize>(before: &Aabb<T, D>, now: &Aabb<T, D>) -> Aabb<T, D> {
    let (size, moved) = (now.size(), now.center() - before.center());
    let way = SVector::from_fn(|axis, _| {
        let way = moved[axis] * T::nearest(AHEAD);
        if way > size[axis] {
            size[axis]
        } else if way < -size[axis] {
            -size[axis]
        } else {
            way
        }
    });
    now.grow(&(size * T::nearest(AIR))).swept(&way)
}

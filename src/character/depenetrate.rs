//! [`push_out`]: out of what the body overlaps, deepest first.

use nalgebra::Point3;

use super::body::Body;
use crate::real::Length;
use crate::world::Nearby;

/// Most pushes of one tick; what is left is left to the next.
pub(super) const MAX_PUSHES: usize = 8;

/// Overlaps of the skin that are shallower, as a share of it, are left alone: rest must be rest.
const SHALLOW: f64 = 1e-3;

/// The same without a skin, as a share of the smallest semi-axis.
const SHALLOW_WITHOUT_SKIN: f64 = 1e-9;

/// Where the body stands when it has been pushed out of its overlaps, skin included, and how far that moved it in all.
///
/// Each push goes along the normal of the deepest overlap by its depth, and is swept: it ends early at a surface that it would
/// enter. Between two surfaces that are too near to each other it therefore comes to rest, nearer to the one that
/// it met last. Out of another character it is pushed no farther than until it is as deep in a third: a knot of many comes
/// apart from its border inwards.
pub(super) fn push_out(near: &Nearby, body: &Body, mut position: Point3<f64>) -> (Point3<f64>, f64) {
    let start = position;
    let shallow = shallow_of(body);
    for _ in 0..MAX_PUSHES {
        let Some(touch) = body.deepest_overlap(near, position, shallow) else { break };
        let depth = touch.overlap.unwrap_or(0.0);
        if depth <= shallow {
            break;
        }
        let push = touch.normal * depth;
        let free = body.free_push(near, position, &touch, push);
        position += push * free;
        if free * depth <= shallow {
            break;
        }
    }
    (position, (position - start).length())
}

/// The depth of overlaps that are left alone, in metres.
pub(super) fn shallow_of(body: &Body) -> f64 {
    (SHALLOW * body.skin()).max(SHALLOW_WITHOUT_SKIN * body.smallest_radius())
}

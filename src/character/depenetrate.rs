//! [`push_out`]: out of what the body overlaps, deepest first.

use arrayvec::ArrayVec;
use nalgebra::{Point3, Vector3};

use super::{
    body::Body,
    clip::{Plane, clip},
    touch::Touch,
};
use crate::real::Length;
use crate::world::Nearby;

/// Most pushes of one tick; what is left is left to the next.
pub(super) const MAX_PUSHES: usize = 8;

/// Overlaps of the skin that are shallower, as a share of it, are left alone: rest must be rest.
const SHALLOW: f64 = 1e-3;

/// The same without a skin, as a share of the smallest semi-axis.
const SHALLOW_WITHOUT_SKIN: f64 = 1e-9;

/// Whom another pushes against a surface goes along that, for no longer than so many times the way straight out.
const FARTHEST_ASIDE: f64 = 2.0;

/// So many surfaces it goes along at most: in a corner of three nothing is left.
const MOST_ALONG: usize = 3;

/// Where the body stands when it has been pushed out of its overlaps, skin included, and how far that moved it in all.
///
/// Each push goes along the normal of the deepest overlap by its depth, and is swept: it ends early at a surface that it would
/// enter. Between two surfaces that are too near to each other it therefore comes to rest, nearer to the one that
/// it met last. Out of another character it is pushed along the surfaces that it rests on, and no farther than until it is as deep
/// in a third: a knot of many comes apart from its border inwards.
pub(super) fn push_out(near: &Nearby, body: &Body, mut position: Point3<f64>) -> (Point3<f64>, f64) {
    let start = position;
    let shallow = shallow_of(body);
    for _ in 0..MAX_PUSHES {
        let Some(touch) = body.deepest_overlap(near, position, shallow) else { break };
        let depth = touch.overlap.unwrap_or(0.0);
        if depth <= shallow {
            break;
        }
        let push =
            if touch.other.is_none() { touch.normal * depth } else { aside(near, body, &position, &touch, depth) };
        let free = body.free_push(near, position, &touch, push, depth);
        position += push * free;
        if free * depth <= shallow {
            break;
        }
    }
    (position, (position - start).length())
}

/// The least motion out of another character that enters none of the surfaces at which it would end at once: who is pushed towards
/// the floor as well as aside goes aside. Straight out where there is no such motion, or only a long one.
fn aside(near: &Nearby, body: &Body, position: &Point3<f64>, touch: &Touch<f64>, depth: f64) -> Vector3<f64> {
    let straight = touch.normal * depth;
    let mut planes = ArrayVec::<Plane, { MOST_ALONG + 1 }>::new();
    planes.push(Plane { normal: touch.normal, least: depth });
    let mut push = straight;
    while let Some(surface) = body.first_surface(near, *position, push)
        && surface.fraction * depth <= shallow_of(body)
    {
        if planes.try_push(Plane::still(surface.normal)).is_err() {
            return straight;
        }
        match clip(&Vector3::zeros(), &planes).filter(|push| push.length() <= FARTHEST_ASIDE * depth) {
            Some(along) => push = along,
            None => return straight,
        }
    }
    push
}

/// The depth of overlaps that are left alone, in metres.
pub(super) fn shallow_of(body: &Body) -> f64 {
    (SHALLOW * body.skin()).max(SHALLOW_WITHOUT_SKIN * body.smallest_radius())
}

//! The face: where the sphere meets the plane within the triangle, or sinks into it.

use nalgebra::Vector3;

use super::{TOUCHING, UnitContact, UnitTriangle, splat};
use crate::{
    real::Length,
    shape::Feature,
    sweep::closest::next,
    wide::{Simd, prelude::*},
};

/// How far outside of the triangle the foot may be, per rounding, and at most, for a contact of the face. Being outside
/// by `x` changes the distance by `x² / 2`, so that the largest value costs less than a rounding; without it a sphere
/// could pass between the faces of a flat surface that it approaches at a very small angle.
const FOOT_ROUNDING: f64 = 8.0 * f64::EPSILON;
const FOOT_LARGEST: f64 = 1e-8;

/// The sphere reaches the plane with the foot of its centre; inside the triangle that is the first contact.
#[inline(always)]
pub(super) fn sweep_face<S: Simd>(
    seen: &UnitTriangle<S>,
    motion: &Vector3<f64>,
    normal: &Vector3<f64>,
    height: f64,
    size: f64,
) -> Option<UnitContact> {
    let approach = -normal.dot(motion);
    if height < 1.0 || approach <= 0.0 {
        return None; // in the plane already, or never: only the border can be hit
    }
    let simd = seen.vertices.x.token();
    let fraction = (height - 1.0) / approach;
    let foot = motion * fraction - normal;
    let tolerance = foot_rounding(motion, approach, size).min(FOOT_LARGEST);
    // As in `weights_inside`: twice the areas that the foot spans with the edges, each opposite to a vertex.
    let from_foot = seen.vertices.minus(splat(simd, &foot));
    let areas = from_foot.plus(next(from_foot)).cross(seen.edges).dot(splat(simd, normal)) * 0.5;
    let lengths = seen.edges.dot(seen.edges).to_array();
    let areas = areas.to_array();
    let side = (areas[0] + areas[1] + areas[2]).signum();
    let is_inside = |edge: usize| {
        let area = areas[edge] * side;
        area >= 0.0 || area * area <= tolerance * tolerance * lengths[edge]
    };
    if !(is_inside(0) && is_inside(1) && is_inside(2)) {
        return None;
    }
    let [a, b, c] = [(areas[1] * side).max(0.0), (areas[2] * side).max(0.0), (areas[0] * side).max(0.0)];
    let sum = a + b + c;
    let barycentrics = [a / sum, b / sum, c / sum];
    (sum > 0.0).then_some(UnitContact { fraction, feature: Feature::Face, barycentrics, normal: *normal, depth: None })
}

/// What the foot on a plane may be off by: an error of the fraction moves it along the plane, the farther the flatter the
/// approach.
#[inline(always)]
fn foot_rounding(motion: &Vector3<f64>, approach: f64, size: f64) -> f64 {
    FOOT_ROUNDING * size * (1.0 + motion.length() / approach)
}

/// The sphere sinks into the face before it meets the border at `until`, though the face was not met in a way that could
/// be told.
///
/// Where the approach is flatter than the root of a rounding, the foot is known no better than to a multiple of what
/// [`FOOT_LARGEST`] allows, so that both faces at an edge may take it for the other's; and the pass over the edge between
/// them is no deeper than a rounding. But then the centre goes on over one of them, and comes nearer than 1 to it.
pub(super) fn sink(
    vertices: &[Vector3<f64>; 3],
    motion: &Vector3<f64>,
    normal: &Vector3<f64>,
    height: f64,
    until: f64,
    size: f64,
) -> Option<UnitContact> {
    let approach = -normal.dot(motion);
    let reached = (height - 1.0) / approach;
    // Far from what the foot is allowed to be off by, the face has been met in a way that could be told.
    if !(approach > 0.0 && reached < until) || foot_rounding(motion, approach, size) < FOOT_LARGEST / 64.0 {
        return None;
    }
    let slack = TOUCHING * size;
    // The times at which the centre is on the inner side of each edge, as seen along the normal.
    let [a, b, c] = vertices;
    let scaled = (b - a).cross(&(c - a));
    let side = |from: &Vector3<f64>, to: &Vector3<f64>| {
        let inwards = scaled.cross(&(to - from));
        (-inwards.dot(from), inwards.dot(motion))
    };
    let sides = [side(b, c), side(c, a), side(a, b)];
    let (mut enter, mut exit) = (reached, until);
    for (start, speed) in sides {
        match start {
            _ if speed > 0.0 => enter = enter.max(-start / speed),
            _ if speed < 0.0 => exit = exit.min(-start / speed),
            _ if start < 0.0 => return None,
            _ => {}
        }
    }
    // How deep it is when the centre comes over the face: deeper, and the border was met in earnest or passed far above.
    let comes_in_flush = (enter - reached) * approach <= 4.0 * slack;
    if !(comes_in_flush && enter < exit && (exit - reached) * approach > 4.0 * slack) {
        return None;
    }
    let weights = sides.map(|(start, speed)| (start + speed * enter).max(0.0));
    let sum: f64 = weights.iter().sum();
    let barycentrics = weights.map(|weight| weight / sum);
    Some(UnitContact { fraction: enter, feature: Feature::Face, barycentrics, normal: *normal, depth: None })
}

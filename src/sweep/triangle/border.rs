//! The border: when the sphere meets an edge or a corner.

use nalgebra::Vector3;

use super::{UnitContact, UnitTriangle, splat};
use crate::{
    real::Length,
    shape::Feature,
    sweep::closest::{WideVector64, next},
    wide::{Simd, WideVector, f64x4, mask64x4, prelude::*, set_bits},
};

/// The first of the edges and corners that the sphere meets.
///
/// A corner is met no earlier than an edge that ends in it, where that is met between its ends.
#[inline(always)]
pub(super) fn sweep_border<S: Simd>(seen: &UnitTriangle<S>, motion: &Vector3<f64>, slack: f64) -> Option<UnitContact> {
    let edges = EdgeTouches::new(seen, motion, slack);
    let (fractions, points) = (edges.fractions.to_array(), edges.points);
    let mut best: Option<BorderTouch> = None;
    let mut is_covered = [false; 3];
    for edge in set_bits(edges.met) {
        (is_covered[edge], is_covered[(edge + 1) % 3]) = (true, true);
        if best.as_ref().is_none_or(|best| fractions[edge] < best.fraction) {
            best = Some(BorderTouch {
                fraction: fractions[edge],
                feature: Feature::Edge(edge as u8),
                along: edges.along[edge],
                point: Vector3::new(points.x[edge], points.y[edge], points.z[edge]),
            });
        }
    }
    if is_covered != [true; 3] {
        let vertices = seen.corners();
        for vertex in 0..3 {
            if !is_covered[vertex]
                && let Some(fraction) = first_touch(&-vertices[vertex], motion, slack)
                && best.as_ref().is_none_or(|best| fraction < best.fraction)
            {
                let feature = Feature::Vertex(vertex as u8);
                best = Some(BorderTouch { fraction, feature, along: 0.0, point: vertices[vertex] });
            }
        }
    }
    best.map(|touch| touch.contact(motion))
}

/// Where and when the infinite cylinders around the edges are met. Seen along its axis, each is a circle and a moving
/// point.
struct EdgeTouches<S: Simd> {
    /// Bit `i` is set where edge `i` is met, between its ends.
    met: u8,
    fractions: f64x4<S>,
    /// How far along the edge, from 0 to 1.
    along: f64x4<S>,
    points: WideVector64<S>,
}

impl<S: Simd> EdgeTouches<S> {
    /// [`first_touch`] for each edge.
    #[inline(always)]
    fn new(seen: &UnitTriangle<S>, motion: &Vector3<f64>, slack: f64) -> Self {
        let simd = seen.vertices.x.token();
        let (zero, one) = (f64x4::simd_from(simd, 0.0), f64x4::simd_from(simd, 1.0));
        let (from, axis) = (seen.vertices, seen.edges);
        let to = next(from);
        let motion = splat(simd, motion);
        let length_squared = axis.dot(axis);
        // From the nearer end: the far one only adds rounding.
        let is_from_nearer = from.dot(from).simd_le(to.dot(to));
        let near = select(is_from_nearer, from, to);
        // What is left of both across the edge.
        let offset = axis.times(near.dot(axis) / length_squared).minus(near);
        let across = motion.minus(axis.times(motion.dot(axis) / length_squared));
        let speed_squared = across.dot(across);
        let nearest = zero - offset.dot(across) / speed_squared;
        let rest = offset.plus(across.times(nearest));
        let half_chord_squared = one - rest.dot(rest);
        let fractions = (nearest - (half_chord_squared.max(zero) / speed_squared).sqrt()).max(zero);
        let from_near = motion.times(fractions).minus(near).dot(axis) / length_squared;
        let along = is_from_nearer.select(from_near, one + from_near);
        let met = zero.simd_lt(length_squared)
            & zero.simd_lt(nearest)
            & f64x4::simd_from(simd, 2.0 * slack).simd_lt(half_chord_squared)
            & zero.simd_le(along)
            & along.simd_le(one);
        Self { met: met.to_bitmask() as u8 & 0b111, fractions, along, points: near.plus(axis.times(from_near)) }
    }
}

/// Where and when the sphere meets an edge or a corner.
struct BorderTouch {
    fraction: f64,
    feature: Feature,
    /// How far along the edge, from 0 to 1.
    along: f64,
    point: Vector3<f64>,
}

impl BorderTouch {
    #[inline(always)]
    fn contact(&self, motion: &Vector3<f64>) -> UnitContact {
        let mut barycentrics = [0.0; 3];
        match self.feature {
            Feature::Edge(edge) => {
                let (from, to) = (edge as usize, (edge as usize + 1) % 3);
                (barycentrics[from], barycentrics[to]) = (1.0 - self.along, self.along);
            }
            Feature::Vertex(vertex) => barycentrics[vertex as usize] = 1.0,
            Feature::Face => {}
        }
        let normal = (motion * self.fraction - self.point).unit();
        UnitContact { fraction: self.fraction, feature: self.feature, barycentrics, normal, depth: None }
    }
}

/// The first time that a point, moving from `offset` by `motion`, comes as near as 1 to the origin.
///
/// Goes through the closest approach: at `t* = −offset·motion / motion·motion` the point is nearest, `rest` away; the
/// first touch is half a chord earlier. Nothing nearly equal is subtracted, unlike in the discriminant `b² − a c`, which
/// is wrong by thousands of roundings on fast motions. A root just below zero is a touch now: losing it to rounding would
/// be a fall through the floor.
///
/// A pass that goes no deeper than `slack` is touching all the way, and not a contact: a body that slides along a wall
/// would else be stopped by each edge inside the wall, for a depth of a rounding.
#[inline(always)]
fn first_touch(offset: &Vector3<f64>, motion: &Vector3<f64>, slack: f64) -> Option<f64> {
    let speed_squared = motion.norm_squared();
    let nearest = -offset.dot(motion) / speed_squared;
    let half_chord_squared = 1.0 - (offset + motion * nearest).norm_squared();
    if !(nearest > 0.0 && half_chord_squared > 2.0 * slack) {
        return None; // leaving, passing by, or (NaN) not moving at all
    }
    Some((nearest - (half_chord_squared / speed_squared).sqrt()).max(0.0))
}

#[inline(always)]
fn select<S: Simd>(mask: mask64x4<S>, a: WideVector64<S>, b: WideVector64<S>) -> WideVector64<S> {
    WideVector { x: mask.select(a.x, b.x), y: mask.select(a.y, b.y), z: mask.select(a.z, b.z) }
}

//! [`Obstacles`]: what is in the way of who is stopped.
//!
//! Looking for a place takes time, and most of the ways on lead into what stopped the body. What it touches higher than a step tells
//! which these are.

use arrayvec::ArrayVec;
use nalgebra::{Point3, Vector3};

use super::{ground::Walker, place::Aim, slide::MAX_TOUCHES, touch::Touch};
use crate::{Feature, shape::Segment};

/// No place is looked for behind a face that is touched higher than a step, deeper than this share of the way there.
const ACROSS: f64 = 0.1;

/// What is touched higher than a step.
pub(super) struct Obstacles<'a> {
    walker: &'a Walker<'a>,
    start: Point3<f64>,
    /// From the start to where the feet are as high as they may get.
    lift: Vector3<f64>,
    all: ArrayVec<Obstacle, MAX_TOUCHES>,
    /// Edges of walkable ground that is too high to step on: who is let down there comes to rest on it.
    ledges: ArrayVec<Segment<f64, 3>, MAX_TOUCHES>,
}

enum Obstacle {
    /// A face with this normal: it goes on beside the contact, and nothing is free behind its plane.
    Face(Vector3<f64>),
    /// An edge, all of it, or a corner: past it a round body may get on its side.
    Edge(Segment<f64, 3>),
}

impl<'a> Obstacles<'a> {
    /// Of what a body at `start` touched, that which is above `highest` along `up`.
    pub(super) fn new(walker: &'a Walker<'a>, start: Point3<f64>, touches: &[Touch<f64>], highest: f64) -> Self {
        let mut obstacles = Self {
            walker,
            start,
            lift: walker.up * (highest - walker.feet(start)),
            all: ArrayVec::new(),
            ledges: ArrayVec::new(),
        };
        for touch in touches.iter().filter(|touch| walker.height(touch.point) > highest) {
            let edge = walker.edge(touch);
            obstacles.all.push(match touch.feature {
                Feature::Face => Obstacle::Face(touch.normal),
                _ => Obstacle::Edge(edge.unwrap_or(Segment::new(touch.point, touch.point))),
            });
            obstacles.ledges.extend(edge.filter(|edge| walker.is_ledge_above(touch, edge, highest)));
        }
        obstacles
    }

    /// Whether any hardly leaves room for the body so far from the start.
    pub(super) fn block(&self, way: Vector3<f64>) -> bool {
        // Over what leans away there is more room higher up, below what hangs over there is more lower down.
        self.all.iter().any(|obstacle| self.blocks(obstacle, way) && self.blocks(obstacle, way + self.lift))
    }

    fn blocks(&self, obstacle: &Obstacle, way: Vector3<f64>) -> bool {
        match obstacle {
            Obstacle::Face(normal) => normal.dot(&way) < -ACROSS * self.walker.distance_ahead(),
            Obstacle::Edge(edge) => self.walker.body.covers(edge, self.start + way),
        }
    }

    /// Whether a body is likely to be let down onto a ledge that is too high.
    ///
    /// Ground that it comes to rest on before may be higher than where it starts, as a slope rises up to there. Beside a step, which
    /// would hold it higher still, a place may be missed; there are others.
    pub(super) fn catch(&self, aim: &Aim) -> bool {
        let limits = self.walker.limits;
        let rise = f64::from(aim.treads) * limits.tread_depth * limits.slope_tangent;
        let place = self.walker.aimed(aim) + self.walker.up * rise.min(self.lift.dot(&self.walker.up));
        self.ledges.iter().any(|edge| self.walker.body.covers(edge, place))
    }
}

impl Walker<'_> {
    /// Whether an edge that is touched borders walkable ground on which the body would be too high all along it.
    fn is_ledge_above(&self, touch: &Touch<f64>, edge: &Segment<f64, 3>, highest: f64) -> bool {
        let lowest = self.height(edge.from).min(self.height(edge.to));
        lowest > highest
            && self.has_walkable_surface(touch)
            && self.surface_of(touch).is_step
            && lowest - self.above_feet(touch) > highest
    }

    /// The edge that is touched.
    fn edge(&self, touch: &Touch<f64>) -> Option<Segment<f64, 3>> {
        let Feature::Edge(edge) = touch.feature else { return None };
        self.near.triangle(touch.instance, touch.triangle).map(|it| it.edges()[usize::from(edge)])
    }
}

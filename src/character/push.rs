//! [`push`]: out of what has come, by the least motion that enters nothing.

use arrayvec::ArrayVec;
use nalgebra::{Point3, Vector3};

use super::{
    Character, Scratch,
    body::Body,
    clip::{Plane, clip},
    depenetrate::shallow_of,
    input::Wish,
    posed::Only,
    slide::MAX_ROUNDS,
};
use crate::{
    real::{Length, Real},
    world::{CollisionWorld, Nearby},
};

/// A push leads no farther than so many times what has moved, and how deep that is in the body. Pinched between two that are
/// nearly opposite, as under the crown of something that comes down, a body would have to get out of there at once, by many times
/// that; it is crushed, and squeezed out bit by bit.
pub(super) const MOST_ASIDE: f64 = 2.0;

/// A contact normal counts as level, or as pointing down, below this part along `up`.
const LEVEL: f64 = 1e-3;

/// How a push ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PushEnd {
    /// It has left all planes.
    Out,
    /// It has gone as far as it may, and has not left them all.
    TooFar,
    /// No way leads out of them.
    Blocked,
}

/// Moves a body as far as the planes ask for, along whatever is met, and no more than `most` in all, in metres, which it lowers; the
/// way is added to `pushed`.
pub(super) fn push(
    near: &Nearby,
    body: &Body,
    position: &mut Point3<f64>,
    pushed: &mut Vector3<f64>,
    planes: &mut ArrayVec<Plane, MAX_ROUNDS>,
    most: &mut f64,
) -> PushEnd {
    for _ in 0..MAX_ROUNDS {
        let Some(motion) = clip(&Vector3::zeros(), planes) else { return PushEnd::Blocked };
        let length = motion.length();
        if length > 0.0 && *most <= 0.0 {
            return PushEnd::TooFar;
        }
        let is_too_far = length > *most;
        let motion = if is_too_far { motion * (*most / length) } else { motion };
        let touch = body.first_contact(near, *position, motion);
        let way = motion * touch.as_ref().map_or(1.0, |touch| touch.fraction);
        *position += way;
        *pushed += way;
        *most -= way.length();
        // What was asked for is done, and what was left free is less free by what was used of it.
        let left = |plane: &Plane| (plane.least - plane.normal.dot(&way)).max(plane.least.min(0.0));
        planes.iter_mut().for_each(|plane| plane.least = left(plane));
        let Some(touch) = touch else {
            return if is_too_far { PushEnd::TooFar } else { PushEnd::Out };
        };
        if planes.try_push(Plane::still(touch.normal)).is_err() {
            return PushEnd::Blocked;
        }
    }
    PushEnd::Blocked
}

/// Who is deeper in what moves after all pushes is crushed: that is past its skin.
pub(super) fn crushing_depth_of(body: &Body) -> f64 {
    body.skin().max(shallow_of(body))
}

impl<T: Real> Character<T> {
    /// Takes over where another has pushed it.
    pub(super) fn be_pushed(&mut self, position: Point3<f64>, way: Vector3<f64>, wish: &mut Wish) {
        wish.pushed += way;
        self.state.stand_at(position);
        let above = self.state.feet_above_support.to_f64() + way.dot(&wish.up);
        self.state.feet_above_support = T::nearest(above);
    }

    /// Whether something that moves is in the body itself.
    pub(super) fn is_in_what_moves(&self, world: &(impl CollisionWorld + ?Sized), scratch: &mut Scratch) -> bool {
        let (position, near) = (self.state.exact_position(), &mut scratch.near);
        near.gather(&Only { world, moves: true }, &self.body.bounds(position), &self.filter);
        self.body.measure(near, position);
        let most = crushing_depth_of(&self.body);
        let deepest = self.body.deepest_overlap_after(near, position, most, 0.0);
        deepest.and_then(|touch| touch.overlap).is_some_and(|depth| depth > most)
    }

    /// The plane of what a push has to leave, from its normal and how deep it is: who stands is pushed aside by what is too steep to
    /// stand on, and not lifted by it.
    pub(super) fn push_plane(&self, normal: &Vector3<f64>, depth: f64, up: &Vector3<f64>) -> Plane {
        let rise = normal.dot(up);
        if !self.is_on_ground() || rise <= LEVEL || rise >= self.limits.slope_cosine {
            return Plane { normal: *normal, least: depth };
        }
        let level = normal - up * rise;
        let length = level.length();
        Plane { normal: level / length, least: depth / length }
    }
}

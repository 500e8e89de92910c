//! The part of a tick along `up`: rising, falling, and sliding down what is too steep.

use arrayvec::ArrayVec;
use nalgebra::Vector3;

use crate::real::Length;

use super::{
    clip::{Plane, clip},
    config::CeilingResponse,
    ground::{Ground, GroundState, Walker},
    lateral::{Course, Lateral},
    slide::{End, MAX_ROUNDS, Next, slide_on},
};

/// Who moves up by a smaller share of the momentum does not rise.
const RISING: f64 = 1e-9;

impl Walker<'_> {
    /// A tick in the air: sideways as wished, then as the momentum and gravity (along `-up`) have it.
    pub(super) fn fall(
        &self,
        sideways: &Lateral,
        gravity: f64,
        dt: f64,
        momentum: &mut Vector3<f64>,
        course: &mut Course,
    ) {
        self.move_lateral(sideways, course);
        course.stepped_on = None;
        let way = *momentum * dt - self.up * (0.5 * gravity * dt * dt);
        *momentum -= self.up * (gravity * dt);
        let landed = self.rise_or_fall(way, momentum, course);
        course.ground = match landed {
            Some(ground) => ground,
            // More than the rounding of a momentum that has been turned along surfaces.
            None if momentum.dot(&self.up) > RISING * momentum.length() => Ground::none(),
            None => self.find_ground(&mut course.position, false, false, sideways.wish.length()),
        };
    }

    /// Moves along the momentum, slides down what is too steep to stand on, and stops where it lands.
    ///
    /// A slope takes the part of the momentum that enters it; a ceiling takes that, or all.
    fn rise_or_fall(&self, way: Vector3<f64>, momentum: &mut Vector3<f64>, course: &mut Course) -> Option<Ground<f64>> {
        let mut planes = ArrayVec::<Plane, MAX_ROUNDS>::new();
        let mut landed = None;
        let mut hits_ceiling = false;
        let rises = way.dot(&self.up) > 0.0;
        course.vertical.position = course.position;
        slide_on(&mut course.vertical, self.near, self.body, way, |touch, position, left| {
            let is_ceiling = rises && touch.normal.dot(&self.up) < 0.0;
            if is_ceiling && self.limits.ceiling == CeilingResponse::Stop {
                hits_ceiling = true;
                return Next::Stop(End::Blocked { planes: 1 });
            }
            let ground = self.classify(touch, position);
            if ground.state == GroundState::OnGround && !rises {
                landed = Some(ground);
                return Next::Stop(End::Arrived);
            }
            let _ = planes.try_push(Plane::still(touch.normal));
            Next::Move(clip(&(way * left), &planes).unwrap_or_default())
        });
        *momentum = if hits_ceiling { Vector3::zeros() } else { clip(momentum, &planes).unwrap_or_default() };
        course.position = course.vertical.position;
        landed
    }
}

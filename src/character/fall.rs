//! The part of a tick along `up`: rising, falling, and sliding down what is too steep.

use arrayvec::ArrayVec;
use nalgebra::Vector3;

use crate::{real::Length, world::TickPart};

use super::{
    clip::{Plane, clip},
    config::CeilingResponse,
    ground::{Ground, GroundState, Walker},
    input::Wish,
    lateral::{Course, Lateral},
    slide::{End, MAX_ROUNDS, Next, slide_on},
};

/// Who moves up by a smaller share of the momentum that surfaces have turned does not rise: where that leads along a level crease, the
/// crease of an `f32` mesh is level but for its rounding.
const RISING: f64 = 1e-6;

impl Walker<'_> {
    /// A tick in the air: sideways as wished, then as the momentum and gravity (along `-up`) have it, but for what a push has
    /// done of both.
    pub(super) fn fall(&self, sideways: &Lateral, wish: &Wish, momentum: &mut Vector3<f64>, course: &mut Course) {
        self.move_lateral(sideways, course);
        course.stepped_on = None;
        let Wish { gravity, dt, .. } = *wish;
        let way = *momentum * dt - self.up * (0.5 * gravity * dt * dt);
        let way = way - wish.done(&(way + sideways.wish), wish.pushed);
        *momentum -= self.up * (gravity * dt);
        let speed = momentum.length();
        let landed = self.during(TickPart::Vertical, || self.rise_or_fall(way, dt, momentum, course));
        course.ground = match landed {
            Some(ground) => ground,
            // More than the rounding of a momentum that has been turned along surfaces, which may have left nothing else of it.
            None if momentum.dot(&self.up) > RISING * speed => Ground::none(),
            None => self.during(TickPart::Ground, || {
                self.find_ground(&mut course.position, false, false, sideways.wish.length())
            }),
        };
    }

    /// Moves along the momentum, slides down what is too steep to stand on, and stops where it lands; if that moves, it is carried
    /// along for the rest of the time.
    ///
    /// A slope takes the part of the momentum that enters it; a ceiling takes that, or all. Where they move, the momentum relative
    /// to them counts.
    fn rise_or_fall(
        &self,
        way: Vector3<f64>,
        dt: f64,
        momentum: &mut Vector3<f64>,
        course: &mut Course,
    ) -> Option<Ground<f64>> {
        let mut planes = ArrayVec::<Plane, MAX_ROUNDS>::new();
        let mut speeds = ArrayVec::<Plane, MAX_ROUNDS>::new();
        let mut landed: Option<(Ground<f64>, Vector3<f64>)> = None;
        let mut below_ceiling = None;
        let rises = way.dot(&self.up) > 0.0;
        course.vertical.position = course.position;
        slide_on(&mut course.vertical, way, self.first_contact(), |touch, position, left| {
            let is_ceiling = rises && touch.normal.dot(&self.up) < 0.0;
            if is_ceiling && self.limits.ceiling == CeilingResponse::Stop {
                below_ceiling = Some(self.velocity_of(touch));
                return Next::Stop(End::Blocked { planes: 1 });
            }
            let _ = planes.try_push(Plane::still(touch.normal));
            if let Some((_, carried)) = &landed {
                return Next::Move(clip(&(carried * left), &planes).unwrap_or_default());
            }
            let ground = self.classify(touch, position);
            if ground.state == GroundState::OnGround && !rises {
                // It stands where the step ends: what leads along the surface is still to come.
                let velocity = self.velocity_of(touch);
                let carried = (velocity - touch.normal * velocity.dot(&touch.normal)) * dt;
                landed = Some((ground, carried));
                return if carried == Vector3::zeros() { Next::Stop(End::Arrived) } else { Next::Move(carried * left) };
            }
            let _ = speeds.try_push(Plane { normal: touch.normal, least: self.velocity_of(touch).dot(&touch.normal) });
            Next::Move(clip(&(way * left), &planes).unwrap_or_default())
        });
        *momentum = below_ceiling.unwrap_or_else(|| clip(momentum, &speeds).unwrap_or_default());
        course.position = course.vertical.position;
        landed.map(|(ground, _)| ground)
    }
}

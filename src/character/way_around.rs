//! The way around: what a walker does whose wish leads into something steep, though there is ground beside or behind it.
//!
//! Sliding ends where the surfaces met leave nothing of the wish: head-on at a steep bank, in the notch between a rock and a
//! wall, on the tip of a spike. Often a place where the body could stand is less than a step away, a little to the side
//! or a little higher. Who is stopped looks for such a place, straight ahead first and then on both sides, and goes there over
//! whatever is low enough to be a step, with the part of the wish that leads that way. Where there is no place to stand, one will do
//! where it would lean on something steep a little above walkable ground, and stay. Nothing is skipped: the way itself is collide and
//! slide like any other, and what is higher than a step is passed on its side.

use std::sync::LazyLock;

use arrayvec::ArrayVec;
use nalgebra::{Point3, Vector3};

use super::{
    ground::{GroundState, Walker},
    lateral::{Course, Lateral},
    obstacles::Obstacles,
    place::{Aim, Hold},
    touch::Touch,
};
use crate::{
    real::Length,
    world::{Surface, TickPart},
};

/// Who gets less far along the wish than this share of it is stopped: whose wish is within 18° of the normal of a plane wall.
const STOPPED: f64 = 0.1;

/// A way on is none if it leads less far than this share of what is wished along it.
const FARTHER: f64 = 0.1;

/// Ways are tried so far apart, in radians, so many on each side of the wish.
const APART: f64 = std::f64::consts::PI / 36.0;
const ON_EACH_SIDE: usize = 12;
const WAYS: usize = 1 + 2 * ON_EACH_SIDE;

/// Cosine and sine of the angle between the wish and each way, straight ahead first and then to both sides.
static TURNS: LazyLock<[(f64, f64); WAYS]> = LazyLock::new(|| {
    std::array::from_fn(|i| {
        let angle = APART * i.div_ceil(2) as f64;
        (libm::cos(angle), if i % 2 == 0 { -libm::sin(angle) } else { libm::sin(angle) })
    })
});

/// A place is looked for at most so many treads ahead.
const TREADS_AHEAD: i32 = 3;

/// Who is sent against the wish by more than this share of it does not just stand: less is rounding.
const AGAINST: f64 = 1e-6;

/// A contact normal with a smaller part along `up` belongs to a wall, over which no ride leads.
const LEVEL: f64 = 1e-3;

impl Walker<'_> {
    /// Walks over the ground: sideways, and after the ground down slopes and steps; around what stops it, if there is a way.
    pub(super) fn walk(&self, lateral: &Lateral, course: &mut Course) {
        let start = course.position;
        self.walk_straight(lateral, course);
        let Some(support) = lateral.support else { return };
        let is_stopped = (course.position - start).dot(&lateral.wish) < STOPPED * lateral.wish.norm_squared();
        // Turned aside on its way over something, or on its way up, and off what carried it.
        let is_off = || {
            let is_on_way = lateral.ground.is_none() || (course.position - start).dot(&self.up) > 0.0;
            is_on_way && !course.lateral.touches.is_empty() && course.ground.state != GroundState::OnGround
        };
        // Who is stopped by others waits: they will move.
        let is_alone = course.lateral.touches.iter().all(|touch| touch.other.is_none());
        if is_alone && (is_stopped || is_off()) {
            self.during(TickPart::WayAround, || self.walk_around(start, lateral, support, course));
        }
    }

    /// Walks as the wish and the surfaces that are met have it.
    fn walk_straight(&self, lateral: &Lateral, course: &mut Course) {
        self.move_lateral(lateral, course);
        let is_held = course.stepped_on.is_some() || lateral.rides_up_to.is_some();
        self.during(TickPart::Ground, || {
            course.ground = self.find_ground(&mut course.position, true, is_held, lateral.wish.length());
        });
        course.vertical.position = course.position;
    }

    /// Goes the way around what stopped a walk, if there is one that leads farther.
    fn walk_around(&self, start: Point3<f64>, lateral: &Lateral, support: f64, course: &mut Course) {
        let wish = lateral.wish;
        let highest = support + self.limits.step_height + self.limits.step_tolerance;
        let to_side = self.up.cross(&wish);
        let obstacles = Obstacles::new(self, start, &course.lateral.touches, highest);
        let ahead = self.distance_ahead() / wish.length();
        let ways = TURNS.iter().map(|(cosine, sine)| wish * *cosine + to_side * *sine);
        let ways = ways.filter(|way| !obstacles.block(way * ahead));
        // Who is on its way to a place has less left of it. So may have who is sent to and fro in a trough.
        let is_on_way =
            lateral.ground.is_none() || (course.position - start).dot(&wish) < -AGAINST * wish.norm_squared();
        let nearest = if is_on_way { 1 } else { TREADS_AHEAD };
        let is_high_up = |ridden: &Course| self.feet(ridden.position) > highest;
        let aim = |way: Vector3<f64>, treads: i32| Aim { start, way: way.unit(), treads, highest };
        let aims = |way| (nearest..=TREADS_AHEAD).rev().map(move |treads| aim(way, treads));
        let back = (course.position - start).dot(&wish).min(0.0);
        let is_back = |ridden: &Course| (ridden.position - start).dot(&wish) < back;
        let ride = |way: Vector3<f64>| self.ride(start, lateral, way, highest).filter(|ridden| !is_back(ridden));
        let ride_past = |way: Vector3<f64>| {
            let ridden = self.ride(start, lateral, way, f64::INFINITY)?;
            (!is_back(&ridden) && !is_high_up(&ridden)).then_some(ridden)
        };
        let mut leaning = ArrayVec::<Vector3<f64>, WAYS>::new();
        let mut held_up = ArrayVec::<(Vector3<f64>, i32), WAYS>::new();
        let mut farther = None;
        for way in ways {
            match self.hold_ahead(aims(way).filter(|aim| !obstacles.catch(aim))) {
                Some(Hold::Stands(treads)) => {
                    farther = ride(way);
                    if farther.is_some() {
                        break;
                    }
                    held_up.push((way, treads));
                }
                Some(Hold::Leans) => leaning.push(way),
                None => {}
            }
        }
        let past = || {
            let passes = |(way, treads)| self.passes(|treads| aim(way, treads), treads).then(|| ride_past(way))?;
            held_up.into_iter().find_map(passes)
        };
        let farther = farther.or_else(|| leaning.into_iter().find_map(ride)).or_else(past);
        let Some(mut ridden) = farther else { return };
        // On its way up it still is measured from where it was.
        let is_up = ridden.ground.normal.is_some_and(|normal| normal.dot(&self.up) >= self.limits.slope_cosine);
        let rests_on = ridden.ground.touch.map(|touch| self.height(touch.point)).filter(|top| is_up && *top <= highest);
        ridden.stepped_on = Some(rests_on.unwrap_or(support));
        ridden.lateral.rounds += course.lateral.rounds;
        *course = ridden;
    }

    /// Walks with the part of the wish that leads along a way, over what is low enough. `None` if that does not lead on.
    fn ride(&self, start: Point3<f64>, lateral: &Lateral, way: Vector3<f64>, highest: f64) -> Option<Course> {
        let part = way * (way.dot(&lateral.wish) / way.norm_squared());
        let mut ridden = Course::at(start);
        self.walk_straight(&Lateral { wish: part, support: None, rides_up_to: Some(highest), ..*lateral }, &mut ridden);
        let leads_on = (ridden.position - start).dot(&part) > FARTHER * part.norm_squared();
        (leads_on && ridden.ground.state == GroundState::OnGround).then_some(ridden)
    }

    /// Whether a contact is low enough to be ridden over, and leads upwards at all.
    pub(super) fn can_ride(&self, touch: &Touch<f64>, highest: f64) -> bool {
        let Surface { is_ground, is_step, .. } = self.surface_of(touch);
        let is_step = is_step && is_ground && touch.other.is_none();
        is_step && touch.normal.dot(&self.up) > LEVEL && self.height(touch.point) <= highest
    }

    /// How far ahead a place is looked for, in metres.
    pub(super) fn distance_ahead(&self) -> f64 {
        f64::from(TREADS_AHEAD) * self.limits.tread_depth
    }
}

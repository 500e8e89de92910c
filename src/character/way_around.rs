//! The way around: what a walker does whose wish leads into something steep, though there is ground beside or behind it.
//!
//! Sliding ends where the surfaces met leave nothing of the wish: head-on at a steep bank, in the notch between a rock and a
//! wall, on the tip of a spike. Often a place where the body could stand is less than a step away, a little to the side
//! or a little higher. Who is stopped looks for such a place, straight ahead first and then on both sides, and goes there over
//! whatever is low enough to be a step, with the part of the wish that leads that way. Nothing is skipped: the way itself is
//! collide and slide like any other.

use std::sync::LazyLock;

use nalgebra::{Point3, Vector3};

use super::{
    ground::{GroundState, Walker},
    lateral::{Course, Lateral},
    step::Landing,
    touch::Touch,
};
use crate::{real::Length, world::Surface};

/// Who gets less far along the wish than this share of it is stopped: whose wish is within 18° of the normal of a plane wall.
const STOPPED: f64 = 0.1;

/// A way on is none if it leads less far than this share of what is wished along it.
const FARTHER: f64 = 0.1;

/// Ways are tried so far apart, in radians, so many on each side of the wish.
const APART: f64 = std::f64::consts::PI / 36.0;
const ON_EACH_SIDE: usize = 12;

/// Cosine and sine of the angle between the wish and each way, straight ahead first and then to both sides.
static TURNS: LazyLock<[(f64, f64); 1 + 2 * ON_EACH_SIDE]> = LazyLock::new(|| {
    std::array::from_fn(|i| {
        let angle = APART * i.div_ceil(2) as f64;
        (libm::cos(angle), if i % 2 == 0 { -libm::sin(angle) } else { libm::sin(angle) })
    })
});

/// A place is looked for so many treads ahead.
const TREADS_AHEAD: f64 = 3.0;

/// No place is looked for behind the tangent plane of what is higher than a step, deeper than this share of the way there.
const ACROSS: f64 = 0.1;

/// Let down onto a place beside something steep, the body may be turned aside by so much, as a share of the way there. Less than
/// the sine of the least angle, 12°, at which ways lead into a plane that stops: beside a plain slope there is no place.
const LEANING: f64 = 0.18;

/// A place is looked for at so many heights: under something that hangs down, there is room only lower.
const HEIGHTS: i32 = 2;

/// A contact normal with a smaller part along `up` belongs to a wall, over which no ride leads.
const LEVEL: f64 = 1e-3;

impl Walker<'_> {
    /// Walks over the ground: sideways, and after the ground down slopes and steps; around what stops it, if there is a way.
    pub(super) fn walk(&self, lateral: &Lateral, course: &mut Course) {
        let start = course.position;
        self.walk_straight(lateral, course);
        if let Some(support) = lateral.support
            && (course.position - start).dot(&lateral.wish) < STOPPED * lateral.wish.norm_squared()
            // Who is stopped by others waits: they will move.
            && course.lateral.touches.iter().all(|touch| touch.other.is_none())
        {
            self.walk_around(start, lateral, support, course);
        }
    }

    /// Walks as the wish and the surfaces that are met have it.
    fn walk_straight(&self, lateral: &Lateral, course: &mut Course) {
        self.move_lateral(lateral, course);
        let is_held = course.stepped_on.is_some() || lateral.rides_up_to.is_some();
        course.ground = self.find_ground(&mut course.position, true, is_held, lateral.wish.length());
        course.vertical.position = course.position;
    }

    /// Goes the way around what stopped a walk, if there is one that leads farther.
    fn walk_around(&self, start: Point3<f64>, lateral: &Lateral, support: f64, course: &mut Course) {
        let wish = lateral.wish;
        let progress = (course.position - start).dot(&wish);
        let highest = support + self.limits.step_height + self.limits.step_tolerance;
        let rise = highest - self.feet(start);
        let to_side = self.up.cross(&wish);
        let (ahead, lift) = (self.distance_ahead() / wish.length(), self.up * rise);
        let high = course.lateral.touches.iter().filter(|touch| self.height(touch.point) > highest);
        let is_open = |way: &Vector3<f64>| {
            let place = way * ahead + lift;
            !high.clone().any(|touch| self.is_across(touch, &place))
        };
        let ways = TURNS.iter().map(|(cosine, sine)| wish * *cosine + to_side * *sine);
        let mut places = ways.filter(is_open).filter(|way| self.has_place_ahead(start, way, highest));
        let farther = places.find_map(|way| {
            let part = way * (way.dot(&wish) / wish.norm_squared());
            let ride = Lateral { wish: part, support: None, rides_up_to: Some(highest), ..*lateral };
            let mut ridden = Course::at(start);
            self.walk_straight(&ride, &mut ridden);
            let is_farther = (ridden.position - start).dot(&wish) > progress.max(FARTHER * part.norm_squared());
            (is_farther && ridden.ground.state == GroundState::OnGround).then_some(ridden)
        });
        let Some(mut ridden) = farther else { return };
        // On its way up it still is measured from where it was.
        let is_up = ridden.ground.normal.is_some_and(|normal| normal.dot(&self.up) >= self.limits.slope_cosine);
        let rests_on = ridden.ground.touch.filter(|_| is_up).map(|touch| self.height(touch.point));
        ridden.stepped_on = Some(rests_on.unwrap_or(support));
        ridden.lateral.rounds += course.lateral.rounds;
        *course = ridden;
    }

    /// Whether a contact is low enough to be ridden over, and leads upwards at all.
    pub(super) fn can_ride(&self, touch: &Touch<f64>, highest: f64) -> bool {
        let Surface { is_ground, is_step, .. } = self.surface_of(touch);
        let is_step = is_step && is_ground && touch.other.is_none();
        is_step && touch.normal.dot(&self.up) > LEVEL && self.height(touch.point) <= highest
    }

    /// Whether a way leads deep into what is touched: hardly any place can be there, and looking for one takes time.
    fn is_across(&self, touch: &Touch<f64>, way: &Vector3<f64>) -> bool {
        touch.normal.dot(way) < -ACROSS * self.distance_ahead()
    }

    /// How far ahead a place is looked for, in metres.
    fn distance_ahead(&self) -> f64 {
        TREADS_AHEAD * self.limits.tread_depth
    }

    /// Whether some treads ahead there is room for the body, on walkable ground that is not above `highest`, nor deeper
    /// below the feet than ground is followed.
    fn has_place_ahead(&self, position: Point3<f64>, way: &Vector3<f64>, highest: f64) -> bool {
        let ahead = way.unit() * self.distance_ahead();
        let rise = highest - self.feet(position);
        let above = |rise: f64| position + ahead + self.up * rise;
        let mut rises = (1..=HEIGHTS).rev().map(|i| rise * f64::from(i) / f64::from(HEIGHTS));
        let free = rises.find(|rise| self.body.deepest_overlap(self.near, above(*rise), 0.0).is_none());
        // Beside something steep it may lean on that.
        let aside = LEANING * self.distance_ahead();
        let landing = free.and_then(|rise| self.let_down(above(rise), rise + self.limits.snap_distance, aside));
        matches!(landing, Some(Landing::On(place, touch)) if self.offers_room(&touch, place, way, highest))
    }

    /// Whether the ground goes on for a tread where a body at `place` touches it: under its centre along the way, or behind the
    /// contact. The top of a fence does not.
    fn offers_room(&self, touch: &Touch<f64>, place: Point3<f64>, way: &Vector3<f64>, highest: f64) -> bool {
        let contact = self.height(touch.point);
        let tread = self.limits.tread_depth;
        let lowest = contact - tread * self.limits.slope_tangent - self.limits.step_tolerance;
        let is_ground = |at: Point3<f64>| {
            let from = at + self.up * (highest + self.limits.step_tolerance - self.height(at));
            let hit = self.near.cast_ray(&from, &(self.up * (lowest - self.height(from))));
            hit.is_some_and(|(_, normal)| normal.dot(&self.up) >= self.limits.slope_cosine)
        };
        let along = way.unit() * tread;
        let outwards = self.level(touch.point - place).try_normalize(1e-6 * self.body.smallest_radius());
        contact <= highest
            && (is_ground(place) && (is_ground(place + along) || is_ground(place - along))
                || outwards.is_some_and(|out| is_ground(touch.point + out * tread)))
    }
}

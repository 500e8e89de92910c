//! The way around: what a walker does whose wish leads into something steep, though there is ground beside or behind it.
//!
//! Sliding ends where the surfaces met leave nothing of the wish: head-on at a steep bank, in the notch between a rock and a
//! wall, on the tip of a spike. Often a place where the body could stand is less than a step away, a little to the side
//! or a little higher. Who is stopped looks for such a place, straight ahead first and then on both sides, and goes there over
//! whatever is low enough to be a step, with the part of the wish that leads that way. Where there is no place to stand, one will do
//! where it would lean on something steep a little above walkable ground, and stay. Nothing is skipped: the way itself is collide and
//! slide like any other.

use std::{ops::RangeInclusive, sync::LazyLock};

use arrayvec::ArrayVec;
use nalgebra::{Point3, Vector3};

use super::{
    ground::{GroundState, Walker},
    lateral::{Course, Lateral},
    touch::Touch,
};
use crate::{
    Feature,
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

/// A place is looked for so many treads ahead.
const TREADS_AHEAD: i32 = 3;

/// No place is looked for behind the tangent plane of what is higher than a step, deeper than this share of the way there.
const ACROSS: f64 = 0.1;

/// Nor deeper than this where it touches a corner, which a round body may pass on its side: a ball with a radius of four treads gets
/// around a point that is in its way by less than 3 / 8.
const ACROSS_CORNER: f64 = 0.45;

/// Let down onto a place beside something steep, the body may be turned aside by so much, as a share of the way there. Less than
/// the sine of the least angle, 12°, at which ways lead into a plane that stops: beside a plain slope there is no place.
const LEANING: f64 = 0.18;

/// Under what hangs down there is room only lower; so often a place is lowered from the deepest of that.
const MOST_LOWERED: usize = 4;

/// A contact normal with a smaller part along `up` belongs to a wall, over which no ride leads.
const LEVEL: f64 = 1e-3;

/// Room for the body some way ahead, and where it gets when it is let down there.
struct Place {
    /// From here it is let down,
    from: Point3<f64>,
    /// so far, in metres.
    drop: f64,
    /// What it meets first,
    first: Touch<f64>,
    /// where it ends up,
    end: Point3<f64>,
    /// and the walkable surface on which that is.
    landed: Option<Touch<f64>>,
    /// The level way there.
    way: Vector3<f64>,
    /// No ground is asked for above this height along `up`.
    highest: f64,
}

/// How a body would be held some way ahead.
enum Hold {
    /// On walkable ground.
    Stands,
    /// By something steep a little above such ground.
    Leans,
}

impl Walker<'_> {
    /// Walks over the ground: sideways, and after the ground down slopes and steps; around what stops it, if there is a way.
    pub(super) fn walk(&self, lateral: &Lateral, course: &mut Course) {
        let start = course.position;
        self.walk_straight(lateral, course);
        let Some(support) = lateral.support else { return };
        let is_stopped = (course.position - start).dot(&lateral.wish) < STOPPED * lateral.wish.norm_squared();
        // Turned aside on its way over something, and off what carried it.
        let is_off = || {
            let is_on_way = lateral.ground.is_none() && !course.lateral.touches.is_empty();
            is_on_way && course.ground.state != GroundState::OnGround
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
        let (ahead, lift) = (self.distance_ahead() / wish.length(), self.up * (highest - self.feet(start)));
        let high = course.lateral.touches.iter().filter(|touch| self.height(touch.point) > highest);
        let is_open = |way: &Vector3<f64>| {
            // Over what leans away there is more room higher up, below what hangs over there is more lower down.
            let (low, high_up) = (way * ahead, way * ahead + lift);
            !high.clone().any(|touch| self.is_across(touch, &low) && self.is_across(touch, &high_up))
        };
        let ways = TURNS.iter().map(|(cosine, sine)| wish * *cosine + to_side * *sine).filter(is_open);
        // Who is on its way to such a place has less left of it.
        let nearest = if lateral.ground.is_some() { TREADS_AHEAD } else { 1 };
        let back = (course.position - start).dot(&wish).min(0.0);
        let is_back = |ridden: &Course| (ridden.position - start).dot(&wish) < back;
        let ride = |way: Vector3<f64>| self.ride(start, lateral, way, highest).filter(|ridden| !is_back(ridden));
        let mut leaning = ArrayVec::<Vector3<f64>, WAYS>::new();
        let mut standing =
            ways.filter_map(|way| match self.hold_ahead(start, way, nearest..=TREADS_AHEAD, highest)? {
                Hold::Stands => Some(way),
                Hold::Leans => {
                    leaning.push(way);
                    None
                }
            });
        let farther = standing.find_map(ride);
        drop(standing);
        let farther = farther.or_else(|| leaning.into_iter().find_map(ride));
        let Some(mut ridden) = farther else { return };
        // On its way up it still is measured from where it was.
        let is_up = ridden.ground.normal.is_some_and(|normal| normal.dot(&self.up) >= self.limits.slope_cosine);
        let rests_on = ridden.ground.touch.filter(|_| is_up).map(|touch| self.height(touch.point));
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

    /// Whether a way leads deep into what is touched: hardly any place can be there, and looking for one takes time.
    fn is_across(&self, touch: &Touch<f64>, way: &Vector3<f64>) -> bool {
        let is_corner = matches!(touch.feature, Feature::Vertex(_));
        let across = if is_corner { ACROSS_CORNER } else { ACROSS };
        touch.normal.dot(way) < -across * self.distance_ahead()
    }

    /// How far ahead a place is looked for, in metres.
    fn distance_ahead(&self) -> f64 {
        f64::from(TREADS_AHEAD) * self.limits.tread_depth
    }

    /// How the body would be held along a way, some number of treads ahead, the farthest first; at most on ground that is as high as
    /// `highest`. `None` where it would not.
    fn hold_ahead(
        &self,
        position: Point3<f64>,
        way: Vector3<f64>,
        treads: RangeInclusive<i32>,
        highest: f64,
    ) -> Option<Hold> {
        let mut leans = false;
        for treads in treads.rev() {
            let Some(place) = self.place_ahead(position, way, treads, highest) else { continue };
            if self.stands_at(&place) {
                return Some(Hold::Stands);
            }
            leans |= self.leans_at(&place);
        }
        leans.then_some(Hold::Leans)
    }

    /// Where there is room for the body so many treads ahead, above anything.
    fn place_ahead(&self, position: Point3<f64>, way: Vector3<f64>, treads: i32, highest: f64) -> Option<Place> {
        let feet = self.feet(position);
        let lowest = feet - self.limits.snap_distance;
        let ahead = way.unit() * (f64::from(treads) * self.limits.tread_depth);
        let from = self.below_what_hangs(position + ahead + self.up * (highest - feet), lowest)?;
        let drop = self.feet(from) - lowest;
        let (slide, landed) = self.sink(from, drop);
        let first = *slide.touches.first()?;
        Some(Place { from, drop, first, end: slide.position, landed, way, highest })
    }

    /// Whether a body that is let down at a place gets to walkable ground that is not too high. Beside something steep it may be
    /// turned aside a little.
    fn stands_at(&self, place: &Place) -> bool {
        self.stays_at(place) && place.landed.is_some_and(|touch| self.offers_room(&touch, place))
    }

    /// Whether a body that is let down at a place leans on something a little above walkable ground, and stays there, as between two
    /// slopes: where it would be turned far aside on its way on down, it would only go up along something steep and slide
    /// back, again and again.
    fn leans_at(&self, place: &Place) -> bool {
        if !self.stays_at(place) {
            return false;
        }
        let at = place.from - self.up * (place.drop * place.first.fraction);
        let base = self.base(at);
        let depth = self.height(base) - self.feet(at) + place.drop;
        let Some((share, normal)) = self.near.cast_ray(&base, &(-self.up * depth)) else { return false };
        let slope = normal.dot(&self.up);
        let ground = self.height(base) - share * depth;
        if slope < self.limits.slope_cosine || ground > place.highest {
            return false;
        }
        // The base of a body that rests on nothing else is so far above the ground.
        let rest = (base - at - self.body.lowest_point(&normal)).dot(&normal) / slope;
        let above = share * depth - rest;
        above <= self.leaning() && self.goes_on(at, ground, place)
    }

    /// Whether a body that is let down is hardly turned aside on its way to where it stays.
    fn stays_at(&self, place: &Place) -> bool {
        self.level(place.end - place.from).length() <= self.leaning()
    }

    /// How far a body may be turned aside, or stay above the ground, in metres.
    fn leaning(&self) -> f64 {
        LEANING * self.distance_ahead()
    }

    /// Where there is room for the body: at a place or, under what hangs down into it, lower, but with its feet above `lowest`.
    fn below_what_hangs(&self, mut place: Point3<f64>, lowest: f64) -> Option<Point3<f64>> {
        for _ in 0..MOST_LOWERED {
            let Some(touch) = self.body.deepest_overlap(self.near, place, 0.0) else { return Some(place) };
            let hangs = -touch.normal.dot(&self.up);
            if hangs < LEVEL {
                return None;
            }
            place -= self.up * (touch.overlap.unwrap_or(0.0) / hangs + self.limits.step_tolerance);
            if self.feet(place) <= lowest {
                return None;
            }
        }
        None
    }

    /// The centre of what the body stands on: of its lowest part.
    fn base(&self, position: Point3<f64>) -> Point3<f64> {
        self.body.center_of(self.body.lowest_part(&self.up), position)
    }

    /// Whether a body with its contact at a place has room to stand: ground under its centre along the way, or behind the contact.
    /// The top of a fence is none.
    fn offers_room(&self, touch: &Touch<f64>, place: &Place) -> bool {
        let (at, contact) = (place.end, self.height(touch.point));
        // On a slope the body touches the ground above its feet.
        let is_low = contact <= place.highest || self.is_walkable(touch) && self.feet(at) <= place.highest;
        let outwards = || {
            self.level(touch.point - self.body.center_of(touch.part, at))
                .try_normalize(1e-6 * self.body.smallest_radius())
        };
        let behind = |out| self.is_ground(touch.point + out * self.limits.tread_depth, contact, place.highest);
        is_low && (self.goes_on(at, contact, place) || outwards().is_some_and(behind))
    }

    /// Whether there is ground below a point, and a tread before or behind it along the way.
    fn goes_on(&self, at: Point3<f64>, height: f64, place: &Place) -> bool {
        let along = place.way.unit() * self.limits.tread_depth;
        let at = self.base(at);
        let is_ground = |at| self.is_ground(at, height, place.highest);
        is_ground(at) && (is_ground(at + along) || is_ground(at - along))
    }

    /// Whether there is walkable ground above or below a point, no lower than such ground can fall off from a `height` in a tread.
    fn is_ground(&self, at: Point3<f64>, height: f64, highest: f64) -> bool {
        let lowest = height - self.limits.tread_depth * self.limits.slope_tangent - self.limits.step_tolerance;
        let from = at + self.up * (highest.max(height) + self.limits.step_tolerance - self.height(at));
        let hit = self.near.cast_ray(&from, &(self.up * (lowest - self.height(from))));
        hit.is_some_and(|(_, normal)| normal.dot(&self.up) >= self.limits.slope_cosine)
    }
}

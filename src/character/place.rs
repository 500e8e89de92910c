//! Places some way ahead where a body could be: with room for it, and something that holds it there.
//!
//! The body is put down as high as it may step, and let down from there. What it comes to rest on must hold it as it is, with room for
//! a foot: who went for less would only slide back.

use nalgebra::{Point3, Vector3};

use super::{ground::Walker, touch::Touch};
use crate::real::Length;

/// Let down onto a place beside something steep, the body may be turned aside by so much, as a share of the way there. Less than
/// the sine of the least angle, 12°, at which ways lead into a plane that stops: beside a plain slope there is no place.
const LEANING: f64 = 0.18;

/// Under what hangs down there is room only lower, beside a wall only aside; so often a place is moved away from the deepest of that.
const MOST_MOVED: usize = 4;

/// What hangs down, or stands upright, has a normal with a part as large as this along `up`, or across it.
const LEVEL: f64 = 1e-3;

/// Where a place is looked for.
pub(super) struct Aim {
    /// From here,
    pub(super) start: Point3<f64>,
    /// in this level direction,
    pub(super) way: Vector3<f64>,
    /// so many treads ahead.
    pub(super) treads: i32,
    /// No ground is asked for above this height along `up`.
    pub(super) highest: f64,
}

/// Room for the body some way ahead, and where it gets when it is let down there.
pub(super) struct Place {
    pub(super) aim: Aim,
    /// From here it is let down,
    from: Point3<f64>,
    /// so far, in metres.
    drop: f64,
    /// What it meets first,
    first: Touch<f64>,
    /// where it ends up,
    end: Point3<f64>,
    /// and the walkable surface on which that is.
    pub(super) landed: Option<Touch<f64>>,
}

/// How a body would be held some way ahead.
pub(super) enum Hold {
    /// On walkable ground, so many treads ahead.
    Stands(i32),
    /// By something steep a little above such ground.
    Leans,
}

impl Walker<'_> {
    /// How the body would be held at the first of some places where it stands, or else at any. `None` where it would not.
    pub(super) fn hold_ahead(&self, aims: impl Iterator<Item = Aim>) -> Option<Hold> {
        let mut leans = false;
        for place in aims.filter_map(|aim| self.place_at(aim)) {
            if self.stands_at(&place) {
                return Some(Hold::Stands(place.aim.treads));
            }
            leans |= self.leans_at(&place);
        }
        leans.then_some(Hold::Leans)
    }

    /// Where there is room for the body, above anything.
    fn place_at(&self, aim: Aim) -> Option<Place> {
        let from = self.room_at(&aim)?;
        let drop = self.feet(from) - self.feet(aim.start) + self.limits.snap_distance;
        let (slide, landed) = self.sink(from, drop);
        let first = *slide.touches.first()?;
        Some(Place { aim, from, drop, first, end: slide.position, landed })
    }

    /// Whether the body, with its feet no higher than a step, has room at each tread of a way to ground so many treads ahead.
    ///
    /// What is in its way then is at its sides, however high: it gets up between two posts, or past the tip of a spike.
    pub(super) fn passes(&self, aim: impl Fn(i32) -> Aim, treads: i32) -> bool {
        (1..treads).all(|treads| self.room_at(&aim(treads)).is_some())
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
        if slope < self.limits.slope_cosine || ground > place.aim.highest {
            return false;
        }
        // The base of a body that rests on nothing else is so far above the ground.
        let rest = (base - at - self.body.lowest_point(&normal)).dot(&normal) / slope;
        let above = share * depth - rest;
        above <= self.leaning(&place.aim) && self.goes_on(at, ground, place)
    }

    /// Whether a body that is let down is hardly turned aside on its way to where it stays.
    fn stays_at(&self, place: &Place) -> bool {
        self.level(place.end - self.aimed(&place.aim)).length() <= self.leaning(&place.aim)
    }

    /// How far a body may be turned aside, or stay above the ground, in metres.
    fn leaning(&self, aim: &Aim) -> f64 {
        LEANING * f64::from(aim.treads) * self.limits.tread_depth
    }

    /// Where there is room for the body: at a place or, under what hangs down into it, lower, but no lower than ground is followed down;
    /// beside a wall a little aside.
    fn room_at(&self, aim: &Aim) -> Option<Point3<f64>> {
        let feet = self.feet(aim.start);
        let aimed = self.aimed(aim) + self.up * (aim.highest - feet);
        let mut place = aimed;
        for _ in 0..MOST_MOVED {
            let Some(touch) = self.body.deepest_overlap(self.near, place, 0.0) else { return Some(place) };
            let (depth, hangs) = (touch.overlap.unwrap_or(0.0), -touch.normal.dot(&self.up));
            let outwards = self.level(touch.normal);
            let length = outwards.length().max(LEVEL);
            let aside = place + outwards * ((depth / length + self.limits.step_tolerance) / length);
            let lowered = place - self.up * (depth / hangs.max(LEVEL) + self.limits.step_tolerance);
            let is_near = self.level(aside - aimed).length() <= self.leaning(aim);
            let is_low = hangs >= LEVEL && self.feet(lowered) > feet - self.limits.snap_distance;
            // What leans over like a wall is nearer to its side.
            place = if is_near && (!is_low || hangs < length) {
                aside
            } else if is_low {
                lowered
            } else {
                return None;
            };
        }
        None
    }

    /// The place that is aimed at, as high as where it begins.
    pub(super) fn aimed(&self, aim: &Aim) -> Point3<f64> {
        aim.start + aim.way * (f64::from(aim.treads) * self.limits.tread_depth)
    }

    /// The centre of what the body stands on: of its lowest part.
    fn base(&self, position: Point3<f64>) -> Point3<f64> {
        self.body.center_of(self.body.lowest_part(&self.up), position)
    }

    /// Whether a body with its contact at a place has room to stand: ground under its centre along the way, or behind the contact.
    /// The top of a fence is none.
    fn offers_room(&self, touch: &Touch<f64>, place: &Place) -> bool {
        let (at, contact) = (place.end, self.height(touch.point));
        // On a slope the body touches the ground above its feet; the edge of a ledge is as high as it is.
        let is_low = contact <= place.aim.highest
            || self.is_walkable(touch) && contact - self.above_feet(touch) <= place.aim.highest;
        let tread = self.limits.tread_depth;
        let out = self.level(touch.point - self.body.center_of(touch.part, at));
        // Along a slope a tread takes less room as seen from above.
        let half = 0.5 * self.surface_normal(touch).dot(&self.up);
        let behind = |out: Vector3<f64>| {
            let is_ground =
                |treads: f64, highest: f64| self.is_ground(touch.point + out * (treads * tread), contact, highest);
            let rising = place.aim.highest + tread * self.limits.slope_tangent;
            is_ground(1.0, rising) || is_ground(half, place.aim.highest) && is_ground(-half, place.aim.highest)
        };
        is_low
            && (self.goes_on(at, contact, place)
                || out.try_normalize(1e-6 * self.body.smallest_radius()).is_some_and(behind))
    }

    /// How far above its feet a body touches the surface that it rests on, if that is as steep as the one that is touched.
    pub(super) fn above_feet(&self, touch: &Touch<f64>) -> f64 {
        let lowest = self.body.lowest_point_of(touch.part, &self.surface_normal(touch));
        (lowest - self.body.lowest_point(&self.up)).dot(&self.up)
    }

    /// Whether there is ground below a point, and for the depth of a tread before, behind or around it along the way.
    fn goes_on(&self, at: Point3<f64>, height: f64, place: &Place) -> bool {
        let along = place.aim.way * self.limits.tread_depth;
        let at = self.base(at);
        let is_ground = |at| self.is_ground(at, height, place.aim.highest);
        let is_around = || is_ground(at + along / 2.0) && is_ground(at - along / 2.0);
        is_ground(at) && (is_ground(at + along) || is_ground(at - along) || is_around())
    }

    /// Whether there is walkable ground above or below a point, no lower than such ground can fall off from a `height` in a tread.
    fn is_ground(&self, at: Point3<f64>, height: f64, highest: f64) -> bool {
        let lowest = height - self.limits.tread_depth * self.limits.slope_tangent - self.limits.step_tolerance;
        let from = at + self.up * (highest.max(height) + self.limits.step_tolerance - self.height(at));
        let hit = self.near.cast_ray(&from, &(self.up * (lowest - self.height(from))));
        hit.is_some_and(|(_, normal)| normal.dot(&self.up) >= self.limits.slope_cosine)
    }
}

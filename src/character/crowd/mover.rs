//! [`Mover`]: one of a crowd, and where it can get in a tick.

use std::cmp::Ordering;

use nalgebra::{Point3, Vector3};

use super::{CharacterId, room::compare, solid::Sight};
use crate::{
    InputError,
    character::{Character, body::Body, config::STEEPEST, input::Wish},
    input_error::bounded_point,
    real::{Length, Real},
    shape::{Aabb3, EllipsoidSpace},
};

/// How far a body may be pushed out of overlaps in a tick, as a share of its size, for others to reckon with it.
const SPARE: f64 = 0.05;

/// One of the crowd before it moves itself: where it is, and where it can be at the end of the tick.
#[derive(Debug, Clone)]
pub(super) struct Mover {
    pub(super) name: CharacterId,
    pub(super) sight: Sight,
    pub(super) wish: Wish,
    /// Whether nothing but its wish moves it.
    pub(super) is_left_alone: bool,
    /// Where it was when the tick began.
    pub(super) from: Point3<f64>,
    /// Where what moves has taken it since.
    pub(super) start: Point3<f64>,
    /// What it wishes, in metres: sideways, and up or down where it jumps or falls.
    pub(super) way: Vector3<f64>,
    /// The ways that can become of that.
    ways: Aabb3<f64>,
    /// Around the body on all of them.
    pub(super) reach: Aabb3<f64>,
    pub(super) body: Body,
}

impl Mover {
    /// Where the character is now, with what it wishes.
    #[inline(always)]
    pub(super) fn new<T: Real>(name: CharacterId, character: &Character<T>, wish: Wish) -> Self {
        let body = character.body.clone();
        let start = character.state.exact_position();
        let way = character.way_wished(&wish);
        let ways =
            if wish.flies() { ways_in_flight(&way, &body, &wish) } else { Self::ways_on_foot(character, &way, &wish) };
        let around = body.bounds(start);
        let reach = Aabb3 { min: around.min + ways.min.coords, max: around.max + ways.max.coords };
        let sight = Sight::of(character);
        Self { name, sight, wish, is_left_alone: false, from: start, start, way, ways, reach, body }
    }

    fn ways_on_foot<T: Real>(character: &Character<T>, way: &Vector3<f64>, wish: &Wish) -> Aabb3<f64> {
        let (body, limits, up) = (&character.body, &character.limits, wish.up);
        let level = wish.level.length();
        let slope = level * limits.slope_tangent.min(STEEPEST);
        // Sideways it can go twice as far: to follow the ground down beside something steep.
        let spare = SPARE * body.half_extents().max() + (way - wish.level).length() + wish.carry;
        let (rise, drop) = (slope + limits.step_height + limits.step_tolerance, slope + level + limits.snap_distance);
        let across = up.map(|up| 2.0 * level * (1.0 - up * up).max(0.0).sqrt() + spare);
        let origin = Point3::origin();
        let rise = if level > 0.0 { rise } else { 0.0 };
        Aabb3::around([origin + up * rise, origin - up * drop]).grow(&across)
    }

    /// # Errors
    /// If it could get beyond the largest coordinate.
    pub(super) fn check(&self) -> Result<(), InputError> {
        bounded_point(&self.reach.min, "the way of a tick")?;
        bounded_point(&self.reach.max, "the way of a tick")
    }

    /// The same character where what moves has taken it, with what that has done of its wish.
    pub(super) fn set_off<T: Real>(&mut self, character: &Character<T>, wish: Wish) {
        if wish != self.wish || character.state.exact_position() != self.start {
            *self = Self { from: self.from, ..Self::new(self.name, character, wish) };
        }
    }

    /// How many parts its body has.
    pub(super) fn parts(&self) -> u8 {
        self.body.parts().len() as u8
    }

    /// It with one of its parts.
    pub(super) fn side(&self, part: u8) -> Side<'_> {
        let center = self.body.center_of(part, self.start);
        Side { mover: self, center, grown: &self.body.parts()[usize::from(part)].grown }
    }

    /// The way on which what moves has taken it.
    pub(super) fn taken(&self) -> Vector3<f64> {
        self.start - self.from
    }

    /// Around the body on that way.
    pub(super) fn passed(&self) -> Aabb3<f64> {
        self.body.bounds(self.from).union(&self.body.bounds(self.start))
    }

    /// How far it can get along a direction at most.
    pub(super) fn most_along(&self, direction: &Vector3<f64>) -> f64 {
        let (min, max) = (self.ways.min.coords.component_mul(direction), self.ways.max.coords.component_mul(direction));
        min.sup(&max).sum()
    }

    /// By what is true of it, whatever it is called.
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        let by_place = compare(&self.start.coords, &other.start.coords).then_with(|| compare(&self.way, &other.way));
        let by_size = || compare(&self.body.half_extents(), &other.body.half_extents());
        by_place.then_with(by_size).then_with(|| self.sight.compare(other.sight))
    }
}

/// A slide turns, and never gets longer than its wish.
fn ways_in_flight(way: &Vector3<f64>, body: &Body, wish: &Wish) -> Aabb3<f64> {
    let farthest = way.length() + SPARE * body.half_extents().max() + wish.carry;
    Aabb3 { min: Point3::origin(), max: Point3::origin() }.grow(&Vector3::repeat(farthest))
}

/// A part of one of the crowd, as one side of a plane.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    pub(super) mover: &'a Mover,
    /// Where its centre is.
    pub(super) center: Point3<f64>,
    /// The ellipsoid with its skin.
    pub(super) grown: &'a EllipsoidSpace,
}

//! [`Ground`]: what the body stands on.

use arrayvec::ArrayVec;
use nalgebra::{Point3, Vector3};

use super::{
    body::Body,
    clip::{Plane, clip},
    config::Limits,
    slide::{End, MAX_ROUNDS, Next, slide_with},
    touch::Touch,
};
use crate::{
    Feature, MaterialTag,
    real::{Length, Real},
    world::{CollisionWorld, InstanceId, MEETING, Nearby, RigidMotion, Surface, TickPart},
};

/// Who comes down on ground is left so far above it, as a share of its farthest coordinate: rounding the position that is
/// kept must not put it inside, where the next way along the ground would have to be told from one into it.
const CLEAR: f64 = 4.0 * f32::ROUNDING * f32::ROUNDING;

/// Whether and how a character is supported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum GroundState {
    /// It stands on ground that is walkable.
    OnGround,
    /// It touches ground that is too steep to stand on.
    OnSteepGround,
    /// It touches something that does not hold it: an edge at its flank.
    NotSupported,
    /// It touches nothing below.
    #[default]
    InAir,
}

/// What a character stands on.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ground<T: Real> {
    /// Whether and how it is supported.
    pub state: GroundState,
    /// The contact below, if there is one.
    pub touch: Option<Touch<T>>,
    /// Unit normal of the ground's surface there: at an edge or a corner, of the most walkable face that meets it.
    pub normal: Option<Vector3<T>>,
}

impl<T: Real> Ground<T> {
    /// Nothing below.
    pub(super) fn none() -> Self {
        Self { state: GroundState::InAir, touch: None, normal: None }
    }

    /// The same in another scalar, each number rounded once.
    pub fn cast<U: Real>(&self) -> Ground<U> {
        Ground {
            state: self.state,
            touch: self.touch.map(|touch| touch.cast()),
            normal: self.normal.map(|normal| normal.map(|x| U::nearest(x.to_f64()))),
        }
    }
}

/// A way down along whatever is met.
struct Descent {
    /// The ground that ended it.
    ground: Option<Ground<f64>>,
    /// What was met before.
    planes: ArrayVec<Plane, MAX_ROUNDS>,
    last: Option<Touch<f64>>,
    /// Whether all of that may be stood on where it is not too steep.
    can_hold: bool,
    way: Vector3<f64>,
}

/// What all questions about the ground need.
pub(super) struct Walker<'a> {
    pub(super) near: &'a Nearby,
    pub(super) body: &'a Body,
    pub(super) limits: &'a Limits,
    pub(super) up: Vector3<f64>,
    /// From the position to the lowest point of the body with its skin.
    lowest: Vector3<f64>,
    /// What the things are of which triangles were gathered.
    pub(super) things: &'a dyn Things,
}

/// What a walker asks of a world about things that it touches.
pub(super) trait Things {
    /// How an instance moves in this step.
    fn motion_of(&self, instance: InstanceId) -> Option<RigidMotion>;

    /// What a material of an instance is.
    fn surface_of(&self, instance: InstanceId, material: MaterialTag) -> Surface;
}

/// The things of a world.
pub(super) struct Of<'a, W: ?Sized>(pub(super) &'a W);

impl<W: CollisionWorld + ?Sized> Things for Of<'_, W> {
    fn motion_of(&self, instance: InstanceId) -> Option<RigidMotion> {
        self.0.motion_of(instance)
    }

    fn surface_of(&self, instance: InstanceId, material: MaterialTag) -> Surface {
        self.0.surface_of(instance, material)
    }
}

impl<'a> Walker<'a> {
    /// Of a body among triangles, for a unit vector `up`.
    #[inline(always)]
    pub(super) fn new(
        near: &'a Nearby,
        body: &'a Body,
        limits: &'a Limits,
        up: Vector3<f64>,
        things: &'a dyn Things,
    ) -> Self {
        Self { near, body, limits, up, lowest: body.lowest_point(&up), things }
    }

    /// Does a part of the tick, as debug events tell it.
    #[inline(always)]
    pub(super) fn during<R>(&self, part: TickPart, act: impl FnOnce() -> R) -> R {
        let before = self.near.recorder().begin(part);
        let result = act();
        self.near.recorder().begin(before);
        result
    }

    /// What stops a motion from a place, to slide along: a surface, or another character.
    #[inline(always)]
    pub(super) fn first_contact(&self) -> impl Fn(Point3<f64>, Vector3<f64>) -> Option<Touch<f64>> {
        |from, motion| self.body.first_contact(self.near, from, motion)
    }

    /// The velocity of what is touched, in metres a second; zero if it rests.
    pub(super) fn velocity_of(&self, touch: &Touch<f64>) -> Vector3<f64> {
        self.things.motion_of(touch.instance).map_or_else(Vector3::zeros, |motion| motion.velocity_at(&touch.point))
    }

    /// What the surface that is touched is to characters.
    pub(super) fn surface_of(&self, touch: &Touch<f64>) -> Surface {
        self.things.surface_of(touch.instance, touch.material)
    }

    /// The height of the lowest point of the body with its skin, along `up`.
    pub(super) fn feet(&self, position: Point3<f64>) -> f64 {
        self.height(position + self.lowest)
    }

    /// The height of a point along `up`.
    pub(super) fn height(&self, point: Point3<f64>) -> f64 {
        point.coords.dot(&self.up)
    }

    /// The part of a vector that is across `up`.
    pub(super) fn level(&self, vector: Vector3<f64>) -> Vector3<f64> {
        vector - self.up * vector.dot(&self.up)
    }

    /// The way down to the first surface within `distance`, and what is there.
    pub(super) fn probe(&self, position: Point3<f64>, distance: f64) -> Option<(f64, Ground<f64>)> {
        let way = -self.up * distance;
        let below = self.body.first_surface(self.near, position, way);
        let is_before = |other: &Touch<f64>| below.as_ref().is_none_or(|below| other.fraction < below.fraction);
        let other = self.body.first_other(self.near, position, way).filter(is_before);
        let drop = other.as_ref().or(below.as_ref())?.fraction * distance;
        // Beside one that leans over it, a body stands on what it touches below all the same.
        let is_touched = |below: &Touch<f64>| below.fraction * distance <= self.touching();
        let touch = if below.as_ref().is_some_and(is_touched) { below } else { other.or(below) }?;
        Some((drop, self.classify(&touch, position - self.up * drop)))
    }

    /// What is less far away counts as touched, in metres.
    fn touching(&self) -> f64 {
        1e-3 * self.body.skin() + 1e-6 * self.body.smallest_radius()
    }

    /// What a contact is to a body at `position`.
    pub(super) fn classify(&self, touch: &Touch<f64>, position: Point3<f64>) -> Ground<f64> {
        let normal = self.surface_normal(touch);
        let is_steep = touch.other.is_some() || normal.dot(&self.up) < self.limits.slope_cosine;
        let state = if is_steep || !self.surface_of(touch).is_ground {
            GroundState::OnSteepGround
        } else if touch.normal.dot(&self.up) >= self.limits.slope_cosine || self.is_ground_below(position) {
            GroundState::OnGround
        } else {
            GroundState::NotSupported
        };
        Ground { state, touch: Some(*touch), normal: Some(normal) }
    }

    /// Whether a contact is with ground that can be walked on: the surface is, and so is the body's own tangent there.
    pub(super) fn is_walkable(&self, touch: &Touch<f64>) -> bool {
        touch.normal.dot(&self.up) >= self.limits.slope_cosine && self.has_walkable_surface(touch)
    }

    /// Whether the surface that is touched can be walked on, whatever part of the body touches it. Characters are no ground.
    pub(super) fn has_walkable_surface(&self, touch: &Touch<f64>) -> bool {
        touch.other.is_none()
            && self.surface_normal(touch).dot(&self.up) >= self.limits.slope_cosine
            && self.surface_of(touch).is_ground
    }

    /// The normal of the ground's surface at a contact.
    pub(super) fn surface_normal(&self, touch: &Touch<f64>) -> Vector3<f64> {
        if touch.feature == Feature::Face {
            return touch.surface_normal;
        }
        let tolerance = MEETING * self.body.smallest_radius();
        self.near.most_walkable_normal(touch.point, &touch.normal, &self.up, tolerance).unwrap_or(touch.normal)
    }

    /// Whether walkable ground lies within the snap distance below the lowest point of the body, or another as low.
    ///
    /// A body whose flank passes an edge on the way down a low step is not in the air.
    fn is_ground_below(&self, position: Point3<f64>) -> bool {
        // From inside the body, so that a surface at the feet themselves is not missed.
        let lift = self.body.skin() + MEETING * self.body.smallest_radius();
        let way = -self.up * (self.limits.snap_distance + self.limits.step_tolerance + lift);
        self.body.low_points(&self.up, lift).any(|feet| {
            let hit = self.near.cast_ray(&(position + feet + self.up * lift), &way);
            hit.is_some_and(|(_, normal)| normal.dot(&self.up) >= self.limits.slope_cosine)
        })
    }

    /// Goes down along whatever is met first, up to ground that is walkable.
    fn descend(
        &self,
        position: Point3<f64>,
        distance: f64,
        first_contact: impl Fn(Point3<f64>, Vector3<f64>) -> Option<Touch<f64>>,
    ) -> Descent {
        let mut planes = ArrayVec::<Plane, MAX_ROUNDS>::new();
        let (mut ground, mut can_hold) = (None, true);
        let down = -self.up * distance;
        let slide = slide_with(position, down, first_contact, |touch, position, left| {
            let found = self.classify(touch, position);
            if found.state == GroundState::OnGround {
                ground = Some(found);
                return Next::Stop(End::Arrived);
            }
            can_hold &= self.surface_of(touch).is_ground;
            let _ = planes.try_push(Plane::still(touch.normal));
            Next::Move(clip(&(down * left), &planes).unwrap_or_default())
        });
        Descent { ground, planes, last: slide.touches.last().copied(), can_hold, way: slide.position - position }
    }

    /// What holds a body that touches something which alone does not: walkable ground as near as that, or several surfaces
    /// between which it is wedged. Also returns how far it has to go there.
    ///
    /// A body at the foot of a steep slope touches the slope and the ground; rounding decides which of them a motion straight down
    /// meets first. It is wedged where even the steepest way down that is left is no steeper than walkable ground: of the
    /// motions that enter none of the surfaces, the nearest to straight down has the length of the sine of its slope. Such a
    /// body stands, can jump, and gets out, as from a hole that is narrower than it.
    fn held_at(&self, position: Point3<f64>, touching: f64) -> Option<(Ground<f64>, Vector3<f64>)> {
        let first_surface = |from, motion| self.body.first_surface(self.near, from, motion);
        let Descent { ground, planes, last, can_hold, way } = self.descend(position, touching, first_surface);
        if let Some(ground) = ground {
            return Some((ground, way));
        }
        if planes.len() < 2 || !can_hold {
            return None;
        }
        let down = clip(&-self.up, &planes).unwrap_or_default();
        let steepest_sine = (1.0 - self.limits.slope_cosine * self.limits.slope_cosine).sqrt();
        (down.length() <= steepest_sine).then(|| {
            let normal = Some((self.up + down).unit());
            (Ground { state: GroundState::OnGround, touch: last, normal }, way)
        })
    }

    /// The ground beside something steep, down along which the body gets there, and how far it has to go.
    ///
    /// Going down a hillside along a rock, the body meets the rock first. It follows the ground nevertheless, as long as the rock
    /// turns it aside by no more than it `wished` to walk in this tick, in metres.
    fn ground_beside(&self, position: Point3<f64>, distance: f64, wished: f64) -> Option<(Ground<f64>, Vector3<f64>)> {
        let Descent { ground, way, .. } = self.descend(position, distance, self.first_contact());
        ground.filter(|_| self.level(way).length() <= wished).map(|ground| (ground, way))
    }

    /// Looks for ground below, and follows it down where the body walks.
    ///
    /// It `wished` to walk so far in this tick, in metres.
    pub(super) fn find_ground(
        &self,
        position: &mut Point3<f64>,
        walks: bool,
        has_stepped: bool,
        wished: f64,
    ) -> Ground<f64> {
        // In the air only what is touched counts; the distance is the skin's rounding, not a snap.
        let touching = self.touching();
        let distance = if walks { self.limits.snap_distance + touching } else { touching };
        let Some((drop, mut ground)) = self.probe(*position, distance) else { return Ground::none() };
        if has_stepped {
            ground.state = GroundState::OnGround; // on its way over a ledge, whatever else it touches there
        }
        let there = *position - self.up * drop;
        let beside = |left| self.held_at(there, touching).or_else(|| self.ground_beside(there, left, wished));
        if ground.state != GroundState::OnGround
            && let Some((held, way)) = beside(distance - drop)
        {
            ground = held;
            if way.length() > 1e-9 * self.body.smallest_radius() {
                *position += way;
            }
        }
        let follows = ground.state == GroundState::OnGround && walks;
        if follows {
            // Rest is rest: what rounding leaves between the body and the ground is left.
            if drop > 1e-9 * self.body.smallest_radius() {
                *position -= self.up * (drop - CLEAR * position.coords.largest());
            }
        } else if drop > touching {
            return Ground::none();
        }
        ground
    }
}

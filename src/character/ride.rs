//! What moving instances do to a character before it moves itself: they carry it and push it.
//!
//! Instances stand where the step ends ([`CollisionWorld`]), so a tick begins by catching up with them. Who stands on one that has
//! moved is carried: the point of the ground under the body goes along rigidly, and the body is put onto it, swept against
//! all else. Then all else that has moved pushes. Both go in parts of the way that are short against the body, so that
//! nothing is crossed, however fast or however far around it comes; in each part all that moves is where it is at that time.
//!
//! A push is the least motion that leaves all overlaps and enters nothing. What rests wins over what moves: where there is no
//! such motion the body is crushed, stays on its side of what rests, and what moves goes on through it.

use arrayvec::ArrayVec;
use nalgebra::{Point3, Vector3};

use super::{
    Character, Scratch,
    body::Body,
    clip::Plane,
    depenetrate::shallow_of,
    ground::GroundState,
    input::Wish,
    posed::Posed,
    push::{MOST_ASIDE, PushEnd, crushing_depth_of, push},
    slide::{MAX_ROUNDS, slide},
    touch::Touch,
};
use crate::{
    real::{Length, Real, narrow, widen},
    world::{CollisionWorld, InstanceId, Nearby, RigidMotion},
};

/// What moves is looked at in parts of its way that are no longer than this share of the body's smallest semi-axis.
const PART: f64 = 0.5;

/// Nor does what carries turn by more in a part, in radians: so far a chord is as good as its arc.
const PART_OF_TURN: f64 = 0.1;

/// Most parts of a step. So a person is passed by nothing up to 760 m/s at 60 ticks a second; what is faster is looked at in
/// longer parts.
const MOST_PARTS: f64 = 64.0;

/// Most pushes of one part.
const MOST_PUSHES: usize = 8;

/// What moving instances did to a character in a tick, before it moved itself.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ride<T: Real> {
    /// The moving instance that it stood on when the tick began.
    pub on: Option<InstanceId>,
    /// The way on which that has carried it, in metres.
    pub carried: Vector3<T>,
    /// By how much that has turned about `up`, in radians, counter-clockwise as seen from above: by so much the caller may turn a
    /// view that is to turn along. The body itself is not turned.
    pub turned: T,
    /// The way on which it was pushed by what moves, in metres.
    pub pushed: Vector3<T>,
    /// Whether it was pushed against something that did not give way: what moves has come through its skin, into the body itself. It is
    /// then still on its side of what rests. Less deep it is not crushed, however it is pinched: it may still be squeezed out, and
    /// how much of a skin comes into it in a tick is up to the length of that.
    pub is_crushed: bool,
}

impl<T: Real> Ride<T> {
    /// Nothing moved.
    pub(super) fn none() -> Self {
        Self { on: None, carried: Vector3::zeros(), turned: T::zero(), pushed: Vector3::zeros(), is_crushed: false }
    }
}

/// Where carrying and pushing has led so far.
struct Passenger {
    position: Point3<f64>,
    /// Normal of the contact with the ground; zero if there is none to hold on to.
    ground: Vector3<f64>,
    carried: Vector3<f64>,
    pushed: Vector3<f64>,
    was_stopped: bool,
    is_crushed: bool,
    /// What it was last lifted by.
    lifted_by: Option<Touch<f64>>,
}

impl<T: Real> Character<T> {
    /// Lets what moves carry and push the character; the `wish` learns of pushes.
    pub(super) fn ride(
        &mut self,
        world: &(impl CollisionWorld + ?Sized),
        wish: &mut Wish,
        scratch: &mut Scratch,
    ) -> Ride<T> {
        let (platform, others) = self.carriers(world, wish);
        if platform.is_none() && others == 0.0 {
            return Ride::none();
        }

        wish.carry = if self.is_on_ground() { 0.0 } else { others };
        let parts = |part: f64, of: f64| (of / part).ceil().clamp(1.0, MOST_PARTS);
        let own = platform.map_or(0.0, |(_, motion)| motion.farthest(&self.body.bounds(self.state.exact_position())));
        let fine = parts(PART * self.body.smallest_radius(), own + others);
        let turn = platform.map_or(0.0, |(_, motion)| motion.turn().length());
        let coarse = parts(PART_OF_TURN, turn).max(if others > 0.0 { fine } else { 1.0 });
        let mut passenger = self.go_along(world, wish, scratch, platform, others, coarse);
        if passenger.was_stopped && coarse < fine {
            // What carries it now moves relative to it, and could pass it.
            passenger = self.go_along(world, wish, scratch, platform, others, fine);
        }
        self.arrive(world, wish, &passenger);
        Ride {
            on: platform.map(|(id, _)| id),
            carried: narrow(&passenger.carried),
            turned: T::nearest(platform.map_or(0.0, |(_, motion)| motion.turn_about(&wish.up))),
            pushed: narrow(&passenger.pushed),
            is_crushed: passenger.is_crushed,
        }
    }

    /// Whether nothing takes the character along, and no belt adds to its wish.
    pub(super) fn is_left_alone(&self, world: &(impl CollisionWorld + ?Sized), wish: &Wish) -> bool {
        let (platform, others) = self.carriers(world, wish);
        platform.is_none() && others == 0.0 && self.belt(world) == Vector3::zeros()
    }

    /// The moving instance that it stands on, and how far the others that come near it move at most, in metres.
    #[inline(always)]
    fn carriers(
        &self,
        world: &(impl CollisionWorld + ?Sized),
        wish: &Wish,
    ) -> (Option<(InstanceId, RigidMotion)>, f64) {
        let platform = self.platform(world);
        let start = self.state.exact_position();
        let body = self.body.bounds(start);
        let own = platform.map_or(0.0, |(_, motion)| motion.farthest(&body));
        // Who falls may land on what is farther off, and goes along for the rest of the time.
        let fall = if self.is_on_ground() { 0.0 } else { wish.fall(&widen(&self.state.momentum)) };
        let mut others = 0.0_f64;
        world.each_motion_near(&body.grow(&Vector3::repeat(own + fall)), &self.filter, &mut |id, motion| {
            if platform.is_none_or(|(own, _)| own != id) {
                others = others.max(motion.farthest(&body));
            }
        });
        (platform, others)
    }

    /// The moving instance that it stands on.
    pub(super) fn platform(&self, world: &(impl CollisionWorld + ?Sized)) -> Option<(InstanceId, RigidMotion)> {
        let id = self.state.standing_on.filter(|_| self.is_on_ground())?;
        world.motion_of(id).map(|motion| (id, motion))
    }

    /// The velocity of the conveyor belt on which it stands, relative to the instance.
    pub(super) fn belt(&self, world: &(impl CollisionWorld + ?Sized)) -> Vector3<f64> {
        let id = self.state.standing_on.filter(|_| self.is_on_ground());
        id.map_or_else(Vector3::zeros, |id| world.surface_of(id, self.state.ground_material).velocity)
    }

    /// Carried and pushed through a step in a number of parts.
    fn go_along(
        &self,
        world: &(impl CollisionWorld + ?Sized),
        wish: &Wish,
        scratch: &mut Scratch,
        platform: Option<(InstanceId, RigidMotion)>,
        others: f64,
        parts: f64,
    ) -> Passenger {
        let mut passenger = Passenger {
            position: self.state.exact_position(),
            ground: widen(&self.state.ground_normal),
            carried: Vector3::zeros(),
            pushed: Vector3::zeros(),
            was_stopped: false,
            is_crushed: false,
            lifted_by: None,
        };
        let near = &mut scratch.near;
        for part in 0..parts as usize {
            let (from, to) = (part as f64 / parts, (part + 1) as f64 / parts);
            let mut farthest = others;
            if let Some((id, motion)) = &platform {
                let goal = passenger.goal(&self.body, motion, from, to);
                let posed = Posed { world, share: to, without: Some(*id), farthest };
                let way = self.body.bounds(passenger.position).union(&self.body.bounds(goal));
                near.gather(&posed, &way, &self.filter);
                self.body.measure(near, passenger.position);
                passenger.carry(near, &self.body, goal);
                farthest = farthest.max(motion.farthest(&way));
            }
            if others > 0.0 || passenger.was_stopped {
                let posed = Posed { world, share: to, without: None, farthest };
                // It is pushed about as far as what pushes it goes, aside a little farther.
                let reach = 2.0 * farthest / parts;
                let around = self.body.bounds(passenger.position).grow(&Vector3::repeat(reach));
                near.gather(&posed, &around, &self.filter);
                self.body.measure(near, passenger.position);
                passenger.push(near, &self.body, farthest / parts, |touch| {
                    self.push_plane(&touch.normal, touch.overlap.unwrap_or(0.0), &wish.up)
                });
            }
        }
        passenger
    }

    /// Takes over where it was carried and pushed to.
    fn arrive(&mut self, world: &(impl CollisionWorld + ?Sized), wish: &mut Wish, passenger: &Passenger) {
        wish.pushed = passenger.pushed;
        self.state.stand_at(passenger.position);
        self.state.ground_normal = narrow(&passenger.ground);
        // What carries it takes its ground along; a push does not.
        let above = self.state.feet_above_support.to_f64() + passenger.pushed.dot(&wish.up);
        self.state.feet_above_support = T::nearest(above);
        // Who rises no faster than what lifts it has landed.
        if let Some(touch) = passenger.lifted_by.filter(|touch| touch.normal.dot(&wish.up) >= self.limits.slope_cosine)
            && !self.is_on_ground()
            && let Some(motion) = world.motion_of(touch.instance)
            && widen(&self.state.momentum).dot(&wish.up) <= motion.velocity_at(&touch.point).dot(&wish.up)
        {
            self.state.ground = GroundState::OnGround;
            self.state.ground_normal = narrow(&touch.normal);
            self.state.feet_above_support = T::zero();
            self.state.standing_on = Some(touch.instance);
            self.state.ground_material = touch.material;
        }
    }
}

impl Passenger {
    /// Where a motion carries the body between two shares of the step: the point under it goes along, and the body rests on that.
    fn goal(&mut self, body: &Body, motion: &RigidMotion, from: f64, to: f64) -> Point3<f64> {
        if self.ground == Vector3::zeros() {
            return motion.carry(&self.position, from, to);
        }
        // As the ground tilts the body rests on the same part.
        let part = body.lowest_part(&self.ground);
        let point = motion.carry(&(self.position + body.lowest_point_of(part, &self.ground)), from, to);
        self.ground = (motion.rotation(from, to) * self.ground).unit();
        point - body.lowest_point_of(part, &self.ground)
    }

    fn carry(&mut self, near: &Nearby, body: &Body, goal: Point3<f64>) {
        let slide = slide(near, body, self.position, goal - self.position);
        let is_free = slide.touches.is_empty();
        let position = if is_free { goal } else { slide.position };
        self.carried += position - self.position;
        self.position = position;
        self.was_stopped |= !is_free;
    }

    /// Out of all overlaps with what has moved so far at most, by the least motion that enters nothing.
    fn push(&mut self, near: &Nearby, body: &Body, moved: f64, plane_of: impl Fn(&Touch<f64>) -> Plane) {
        let shallow = shallow_of(body);
        let mut planes = ArrayVec::<Plane, MAX_ROUNDS>::new();
        let mut most = None;
        for _ in 0..MOST_PUSHES {
            let overlap = body.deepest_overlap_after(near, self.position, shallow, moved);
            let Some((touch, depth)) = overlap.and_then(|touch| Some((touch, touch.overlap.filter(|d| *d > shallow)?)))
            else {
                return;
            };
            let most = most.get_or_insert(MOST_ASIDE * (moved + depth));
            let _ = planes.try_push(plane_of(&touch));
            if push(near, body, &mut self.position, &mut self.pushed, &mut planes, most) != PushEnd::Out {
                break;
            }
            self.lifted_by = Some(touch);
        }
        let left = body.deepest_overlap_after(near, self.position, shallow, moved).and_then(|touch| touch.overlap);
        self.is_crushed |= left.is_some_and(|depth| depth > crushing_depth_of(body));
    }
}

//! [`RigidMotion`]: how an instance gets from one pose to another within a step of time, and what moves in a [`World`].
//!
//! A frame has this order: [`World::settle`], then a [`World::drive`] for each instance that moves, then the ticks of the
//! characters. Instances stand where the step ends; what is asked of the time before is told by their motion.

use nalgebra::{Matrix3, Point3, UnitQuaternion, Vector3};

use super::{InstanceId, Placement, Pose, QueryFilter, World, WorldError, outwards};
use crate::{
    InputError,
    broad_phase::tree::ahead,
    input_error::{bounded_point, finite, positive},
    real::{Length, Real, narrow, widen_point},
    shape::Aabb3,
};

/// The way of an instance in a step of time: its origin goes straight, and it turns evenly about that, the shorter way.
///
/// Shares of the step are in `0..=1`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RigidMotion {
    from: Point3<f64>,
    to: Point3<f64>,
    /// Axis times angle.
    turn: Vector3<f64>,
    dt: f64,
}

impl RigidMotion {
    /// The way from one pose to another within `dt` seconds, with less than half a turn.
    ///
    /// # Errors
    /// If `dt` is not positive or a number of a pose is not finite.
    ///
    /// ```
    /// # use nalgebra::{UnitQuaternion, Vector3, point};
    /// use sidle::world::{Pose, RigidMotion};
    ///
    /// let turned = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.3);
    /// let motion = RigidMotion::between(&Pose::default(), &Pose { rotation: turned, ..Pose::default() }, 0.1)?;
    /// assert!((motion.velocity_at(&point![0.0, 0.0, 2.0]).x - 6.0).abs() < 1e-12); // 3 rad/s, 2 m from the axis
    /// # Ok::<(), sidle::InputError>(())
    /// ```
    pub fn between<T: Real>(from: &Pose<T>, to: &Pose<T>, dt: T) -> Result<Self, InputError> {
        let dt = positive(dt, "the time step")?.to_f64();
        for pose in [from, to] {
            bounded_point(&pose.position, "the position of the instance")?;
            for x in pose.rotation.coords.iter() {
                finite(*x, "the rotation of the instance")?;
            }
        }
        let wide = |pose: &Pose<T>| UnitQuaternion::from_quaternion(pose.rotation.coords.map(Real::to_f64).into());
        let turn = wide(to) * wide(from).inverse();
        let (axis, half) = (turn.imag(), turn.imag().length());
        let angle = 2.0 * libm::atan2(half, turn.w.abs());
        let turn = if half > 0.0 { axis * (angle / half * turn.w.signum()) } else { Vector3::zeros() };
        Ok(Self { from: widen_point(&from.position), to: widen_point(&to.position), turn, dt })
    }

    /// Seconds of the step.
    pub fn dt(&self) -> f64 {
        self.dt
    }

    /// How far it turns, as axis times angle, in radians.
    pub fn turn(&self) -> Vector3<f64> {
        self.turn
    }

    /// Whether it stays as it is.
    pub fn is_rest(&self) -> bool {
        self.from == self.to && self.turn == Vector3::zeros()
    }

    /// The velocity of the instance at a point of the world when the step ends, in metres a second.
    pub fn velocity_at(&self, point: &Point3<f64>) -> Vector3<f64> {
        (self.to - self.from + self.turn.cross(&(point - self.to))) / self.dt
    }

    /// Where a point that is fixed to the instance is after another share of the step.
    pub fn carry(&self, point: &Point3<f64>, from: f64, to: f64) -> Point3<f64> {
        self.origin(to) + self.rotation(from, to) * (point - self.origin(from))
    }

    /// How the instance turns between two shares of the step.
    pub fn rotation(&self, from: f64, to: f64) -> Matrix3<f64> {
        rotation_about(&(self.turn * (to - from)))
    }

    /// How far a point of the instance goes at most that comes into a box at any time of the step, in metres.
    pub fn farthest(&self, bounds: &Aabb3<f64>) -> f64 {
        (self.to - self.from).length() + self.turn.length() * self.arm(bounds)
    }

    /// At most the distance from the origin, at any time, to a point in a box.
    fn arm(&self, bounds: &Aabb3<f64>) -> f64 {
        (self.to - self.from).length() + (bounds.center() - self.to).length() + bounds.size().length() / 2.0
    }

    /// By how much it turns about a unit vector, in radians, counter-clockwise as seen from its tip.
    pub fn turn_about(&self, up: &Vector3<f64>) -> f64 {
        let angle = self.turn.length();
        if angle == 0.0 {
            return 0.0;
        }
        2.0 * libm::atan2(self.turn.dot(up) / angle * libm::sin(angle / 2.0), libm::cos(angle / 2.0))
    }

    fn origin(&self, share: f64) -> Point3<f64> {
        self.from + (self.to - self.from) * share
    }

    /// The box around all that is in one box when the step begins, and in another when it ends.
    fn swept(&self, before: &Aabb3<f64>, now: &Aabb3<f64>) -> Aabb3<f64> {
        let both = Aabb3::around([before.min, before.max, now.min, now.max]);
        // From the straight way between two points a curve departs by an eighth of its greatest second derivative at most.
        let bulge = self.arm(&both) * self.turn.norm_squared() / 8.0;
        both.grow(&Vector3::repeat(bulge))
    }
}

/// The rotation by axis times angle, after Rodrigues.
fn rotation_about(turn: &Vector3<f64>) -> Matrix3<f64> {
    let angle = turn.length();
    if angle == 0.0 {
        return Matrix3::identity();
    }
    let cross = (turn / angle).cross_matrix();
    let half = libm::sin(angle / 2.0);
    Matrix3::identity() + cross * libm::sin(angle) + cross * cross * (2.0 * half * half)
}

/// What moves in a world in this step.
#[derive(Debug, Clone, Default)]
pub(super) struct Motions {
    list: Vec<Moving>,
    /// By slot, one more than the place in the list; 0 for what rests. As long as the last slot that has moved asks for.
    places: Vec<u32>,
}

#[derive(Debug, Clone)]
struct Moving {
    slot: u32,
    motion: RigidMotion,
    /// The box around its whole way.
    swept: Aabb3<f64>,
}

impl Motions {
    fn of(&self, slot: u32) -> Option<&Moving> {
        let place = *self.places.get(slot as usize)?;
        self.list.get((place as usize).checked_sub(1)?)
    }

    fn set(&mut self, moving: Moving) {
        let slot = moving.slot as usize;
        if self.places.len() <= slot {
            self.places.resize(slot + 1, 0);
        }
        match self.places[slot] {
            0 => {
                self.list.push(moving);
                self.places[slot] = self.list.len() as u32;
            }
            place => self.list[place as usize - 1] = moving,
        }
    }

    /// Puts an instance to rest.
    pub(super) fn forget(&mut self, slot: u32) {
        let Some(place) = self.places.get_mut(slot as usize).map(std::mem::take).filter(|place| *place > 0) else {
            return;
        };
        self.list.swap_remove(place as usize - 1);
        if let Some(moved) = self.list.get(place as usize - 1) {
            self.places[moved.slot as usize] = place;
        }
    }

    fn clear(&mut self) {
        self.list.iter().for_each(|moving| self.places[moving.slot as usize] = 0);
        self.list.clear();
    }
}

impl<T: Real> World<T> {
    /// Puts all instances to rest. Call it once a frame, before those that move are driven.
    ///
    /// It takes time only for what was driven since the last call.
    pub fn settle(&mut self) {
        self.motions.clear();
    }

    /// Moves an instance to another placement within a step of `dt` seconds.
    ///
    /// Unlike with [`World::move_to`], what it does on the way counts: characters that tick after it, once, are carried if they stand on
    /// it, and pushed if they are in its way ([`Ride`](crate::character::Ride)). An instance moves until it is driven again or all
    /// are put to rest ([`World::settle`]). It goes straight and turns the shorter way; a change of scale is no motion.
    ///
    /// # Errors
    /// If there is no such instance, `dt` is not positive, or the placement has a number that is not finite or a scale of zero. The
    /// world then stays as it was.
    ///
    /// ```
    /// # use nalgebra::{point, vector};
    /// # use sidle::{Character, CharacterConfig, Ellipsoid, Octree, Scratch, TickInput, World, mesh::primitives};
    /// # use sidle::world::Placement;
    /// let mut world = World::new();
    /// let lift = world.add_mesh(Octree::new(primitives::cuboid([1.0, 0.1, 1.0])?));
    /// let lift = world.place(lift, &Placement::at(point![0.0, -0.1, 0.0]))?;
    /// let body = Ellipsoid::new(vector![0.4, 0.9, 0.4])?;
    /// let mut rider = Character::new(body, CharacterConfig::default(), point![0.5, 0.92, 0.0])?;
    /// let (mut scratch, dt) = (Scratch::default(), 1.0 / 60.0);
    /// rider.tick(&world, &TickInput::default(), dt, &mut scratch)?; // it lands
    /// for tick in 1..=60 {
    ///     world.settle();
    ///     world.drive(lift, &Placement::at(point![0.0, -0.1 + f64::from(tick) * 2.0 * dt, 0.0]), dt)?;
    ///     rider.tick(&world, &TickInput::default(), dt, &mut scratch)?;
    /// }
    /// assert!(rider.is_on_ground() && (rider.position().y - 2.92).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn drive(&mut self, id: InstanceId, placement: &Placement<T>, dt: T) -> Result<(), WorldError> {
        placement.check()?;
        let before = self.instance(id).ok_or(WorldError::NoSuchInstance)?;
        let motion = RigidMotion::between(&before.placement.pose, &placement.pose, dt)?;
        if before.placement == *placement {
            self.motions.forget(id.slot);
            return Ok(());
        }
        let before = before.bounds;
        self.move_to(id, placement)?;
        if motion.is_rest() {
            return Ok(());
        }
        let now = self.instance(id).ok_or(WorldError::NoSuchInstance)?.bounds;
        let swept = motion.swept(&before, &now);
        // The tree is to find it by all of its way.
        let all = outwards(&swept);
        if self.tree.leaf(id.slot).is_some_and(|loose| !loose.holds(&all)) {
            let loose = ahead(&outwards(&before), &outwards(&now));
            self.tree.set(id.slot, Aabb3::around([loose.min, loose.max, all.min, all.max]));
        }
        self.motions.set(Moving { slot: id.slot, motion, swept });
        Ok(())
    }

    /// How an instance moves in this step; `None` for one at rest.
    pub fn motion(&self, id: InstanceId) -> Option<&RigidMotion> {
        self.motions.of(id.slot).filter(|_| self.instance(id).is_some()).map(|moving| &moving.motion)
    }

    /// The velocity of an instance at a point of the world, in metres a second: zero for one at rest, `None` if there is no
    /// such instance.
    pub fn velocity_at(&self, id: InstanceId, point: &Point3<T>) -> Option<Vector3<T>> {
        self.instance(id)?;
        Some(self.motion(id).map_or_else(Vector3::zeros, |motion| narrow(&motion.velocity_at(&widen_point(point)))))
    }

    /// Visits what moves, is seen by a filter and comes into a box in this step; in no order.
    pub(super) fn each_moving(
        &self,
        bounds: &Aabb3<f64>,
        filter: &QueryFilter,
        mut visit: impl FnMut(InstanceId, &RigidMotion),
    ) {
        let mut look = |moving: &Moving| {
            if moving.swept.overlaps(bounds)
                && let Some((id, ..)) = self.seen_in(moving.slot, filter)
            {
                visit(id, &moving.motion);
            }
        };
        if self.motions.list.len() <= super::FEW {
            self.motions.list.iter().for_each(look);
        } else {
            self.tree.each_meeting(&outwards(bounds), |slot| {
                if let Some(moving) = self.motions.of(slot) {
                    look(moving);
                }
                true
            });
        }
    }
}

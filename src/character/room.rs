//! Whether there is room for a body, and what a character does only where there is: change its size, and be put elsewhere, or down.
//!
//! There is room where a tick would leave the body alone: with its skin it overlaps nothing but by rounding. Surfaces count, not
//! what they enclose; inside a large solid that it does not touch, a small body has room.

use nalgebra::{Point3, Unit, Vector3};

use super::{
    Character, Scratch, TickInput, TickReport,
    body::Body,
    config::Limits,
    depenetrate::{MAX_PUSHES, shallow_of},
    ground::GroundState,
    input::{Wish, direction_of},
    shape::BodyShape,
    state::CharacterState,
};
use crate::{
    InputError,
    input_error::bounded_point,
    real::{Length, Real, narrow_point, widen, widen_point},
    shape::Aabb3,
    world::{CollisionWorld, Margin, Nearby, QueryFilter, TickPart},
};

/// A body that becomes smaller is moved aside by no more than this share of its smallest semi-axis.
const MOST_ASIDE: f64 = 0.5;

/// Whether a body at `position` has room: with its skin it overlaps no surface by more than rounding.
///
/// Unlike [`World::has_room`](crate::World::has_room) it answers for any world, and as a character's tick would: what is one-way
/// counts only for who is in front of it.
///
/// # Errors
/// If the position is not finite or beyond [`MAX_COORDINATE`](crate::MAX_COORDINATE).
///
/// ```
/// # use nalgebra::point;
/// use sidle::character::{Body, Scratch, has_room};
/// use sidle::{Ellipsoid, Octree, QueryFilter, World, mesh::primitives};
///
/// let floor = World::of_level(Octree::new(primitives::floor::<f64>(20.0, 20.0, 4, 4)?));
/// let ball = Body::new(Ellipsoid::sphere(0.5)?, 0.02)?;
/// let mut scratch = Scratch::default();
/// let mut is_free = |y| has_room(&floor, &ball, point![0.0, y, 0.0], &QueryFilter::default(), &mut scratch);
/// assert_eq!((is_free(0.51)?, is_free(0.52)?), (false, true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "overlap_test")]
pub fn has_room<T: Real>(
    world: &(impl CollisionWorld + ?Sized),
    body: &Body,
    position: Point3<T>,
    filter: &QueryFilter,
    scratch: &mut Scratch,
) -> Result<bool, InputError> {
    bounded_point(&position, "the position")?;
    let position = widen_point(&position);
    gather(world, body.bounds(position), filter, scratch);
    // Whoever computed the position in the scalar could place it no better than this.
    let rounding = 2.0 * T::ROUNDING * position.coords.largest();
    Ok(is_free(&scratch.near, body, position, shallow_of(body) + rounding))
}

impl<T: Real> Character<T> {
    /// Gives the character another shape, if there is room for it: to crouch, and to stand up again. Returns whether there
    /// was; if not, nothing has changed.
    ///
    /// The feet are kept: the lowest point along `up`, with its skin, stays where it is. Who stands on a slope keeps to that
    /// instead, with the same gap, as a blunter body with the same feet would stick in it. All else is as it was: it stands,
    /// rises or falls as before.
    ///
    /// A body that becomes smaller finds room, at worst inside of the one that it was. Where its blunter end would be in
    /// something beside its feet, such as the edge of a step, it is moved aside as far as needed, by half its smallest semi-axis
    /// at most; where that does not help, it comes to rest on the edge.
    ///
    /// A body that was squeezed already, its skin in something, has room where it is in nothing deeper than that.
    ///
    /// The shape is not part of the [`CharacterState`]; who goes back to an older state keeps the one that it had then, or
    /// a clone of the character. Among platforms, call this after a tick, or before they are driven on.
    ///
    /// # Errors
    /// If `up` is not finite or has no length.
    ///
    /// ```
    /// # use nalgebra::{Vector3, point, vector};
    /// use sidle::{Character, CharacterConfig, Ellipsoid, Octree, Scratch, World, mesh::primitives, world::Placement};
    ///
    /// let mut world = World::of_level(Octree::new(primitives::floor::<f64>(20.0, 20.0, 4, 4)?));
    /// let (tall, low) = (Ellipsoid::new(vector![0.4, 0.9, 0.4])?, Ellipsoid::new(vector![0.4, 0.5, 0.4])?);
    /// let mut scratch = Scratch::default();
    /// let mut character = Character::new(tall, CharacterConfig::default(), point![0.0, 0.92, 0.0])?;
    /// assert!(character.resize(&world, low, Vector3::y_axis(), &mut scratch)?); // it crouches
    /// assert!((character.position().y - 0.52_f64).abs() < 1e-12);
    ///
    /// let table = world.add_mesh(Octree::new(primitives::cuboid([1.0, 0.05, 1.0])?));
    /// let table = world.place(table, &Placement::at(point![0.0, 1.3, 0.0]))?;
    /// assert!(!character.resize(&world, tall, Vector3::y_axis(), &mut scratch)?); // no room under the table
    /// world.remove(table)?;
    /// assert!(character.resize(&world, tall, Vector3::y_axis(), &mut scratch)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "crouch")]
    pub fn resize(
        &mut self,
        world: &(impl CollisionWorld + ?Sized),
        shape: impl Into<BodyShape<T>>,
        up: Unit<Vector3<T>>,
        scratch: &mut Scratch,
    ) -> Result<bool, InputError> {
        let up = direction_of(&up)?;
        let shape = shape.into();
        let body = Body::new(&shape, self.config.skin)?;
        let limits = Limits::new(&self.config, body.smallest_radius())?;
        let start = self.state.exact_position();
        // From the old body's lowest point to the new one's, if both had the same centre.
        let lower = |along: &Vector3<f64>| body.lowest_point(along) - self.body.lowest_point(along);
        let ground = self.ground_plane(&up);
        let goal = start - up * (lower(&ground).dot(&ground) / ground.dot(&up));
        let is_lower = (goal - start).dot(&up) < 0.0;

        let farthest = MOST_ASIDE * body.smallest_radius();
        let places = [self.body.bounds(start), body.bounds(start), body.bounds(goal)];
        let bounds = places.iter().fold(Aabb3::empty(), |all, place| all.union(place));
        gather(world, bounds.grow(&Vector3::repeat(farthest)), &self.filter, scratch);
        let near = &scratch.near;
        let squeezed = self.body.deepest_overlap(near, start, shallow_of(&self.body)).and_then(|touch| touch.overlap);
        let depth = squeezed.map_or(0.0, |depth| depth.min(body.skin())).max(shallow_of(&body));
        let place = if is_free(near, &body, goal, depth) {
            Some(goal)
        } else if is_lower && is_free(near, &body, start, depth) {
            let aside = Aside { near, body: &body, depth, farthest, up, slope_cosine: limits.slope_cosine };
            aside.step_from(goal).or_else(|| {
                let free = body.first_contact(near, start, goal - start).map_or(1.0, |touch| touch.fraction);
                Some(start + (goal - start) * free)
            })
        } else {
            None
        };
        let Some(place) = place else { return Ok(false) };

        if self.state.ground == GroundState::OnGround {
            let risen = (place - start + lower(&up)).dot(&up);
            self.state.feet_above_support = T::nearest(self.state.feet_above_support.to_f64() + risen);
        }
        self.state.stand_at(place);
        (self.shape, self.body, self.limits) = (shape, body, limits);
        Ok(true)
    }

    /// Puts it at `position`, if there is room. Returns whether there was; if not, nothing has changed.
    ///
    /// Afterwards the character is in the air and at rest, as a new one is; where it has ground at its feet, it stands after the
    /// next tick, or at once after [`Character::snap_to_ground`]. Nothing is swept on the way. [`Character::position_over`] tells the
    /// position for a point of the ground, [`has_room`] whether there is room.
    ///
    /// # Errors
    /// If the position is not finite or beyond [`MAX_COORDINATE`](crate::MAX_COORDINATE).
    ///
    /// ```
    /// # use nalgebra::{Vector3, point, vector};
    /// # use sidle::{Character, CharacterConfig, Ellipsoid, Octree, Scratch, World, mesh::primitives};
    /// let world = World::of_level(Octree::new(primitives::floor::<f64>(20.0, 20.0, 4, 4)?));
    /// let body = Ellipsoid::new(vector![0.4, 0.9, 0.4])?;
    /// let mut character = Character::new(body, CharacterConfig::default(), point![0.0, 0.92, 0.0])?;
    /// let mut scratch = Scratch::default();
    /// let door = character.position_over(point![5.0, 0.0, 5.0], Vector3::y_axis())?;
    /// assert!(character.teleport(&world, door, &mut scratch)?);
    /// assert!(!character.teleport(&world, point![0.0, 0.1, 0.0], &mut scratch)?); // in the floor
    /// assert_eq!(character.position(), door);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn teleport(
        &mut self,
        world: &(impl CollisionWorld + ?Sized),
        position: Point3<T>,
        scratch: &mut Scratch,
    ) -> Result<bool, InputError> {
        let is_free = has_room(world, &self.body, position, &self.filter, scratch)?;
        if is_free {
            self.state = CharacterState::at(position);
        }
        Ok(is_free)
    }

    /// Puts it down on walkable ground that is no deeper below it than ground is followed down, the config's `snap_distance`: for
    /// spawn points that hover over the ground, which need not be fallen to. Returns whether it stands; if not, nothing has changed.
    ///
    /// Who stands already stays as it is; who rises or falls is at rest afterwards. As in a tick, it is pushed out of what it overlaps
    /// first, and stands, too, where several steep surfaces hold it. Nothing carries or pushes it meanwhile, and others of its crowd are
    /// not seen. Among platforms, call this after a tick, or before they are driven on.
    ///
    /// # Errors
    /// If `up` is not finite or has no length.
    ///
    /// ```
    /// # use nalgebra::{Vector3, point, vector};
    /// # use sidle::{Character, CharacterConfig, Ellipsoid, Octree, Scratch, World, mesh::primitives};
    /// let world = World::of_level(Octree::new(primitives::floor::<f64>(20.0, 20.0, 4, 4)?));
    /// let body = Ellipsoid::new(vector![0.4, 0.9, 0.4])?;
    /// let mut character = Character::new(body, CharacterConfig::default(), point![0.0, 1.0, 0.0])?;
    /// assert!(character.snap_to_ground(&world, Vector3::y_axis(), &mut Scratch::default())?);
    /// assert!(character.is_on_ground() && (character.position().y - 0.92_f64).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "apply_floor_snap")]
    pub fn snap_to_ground(
        &mut self,
        world: &(impl CollisionWorld + ?Sized),
        up: Unit<Vector3<T>>,
        scratch: &mut Scratch,
    ) -> Result<bool, InputError> {
        let still = Wish::new(&TickInput { up, gravity: T::zero(), ..TickInput::default() }, T::one())?;
        if self.is_on_ground() {
            return Ok(true);
        }
        let before = self.state;
        // As one who has stood, and stands still: it follows the ground down.
        self.state = CharacterState { ground: GroundState::OnGround, ..CharacterState::at(before.position) };
        let mut report = TickReport::none(before.position);
        self.stay(scratch, &mut report);
        self.tick_as(world, &still, before.exact_position(), scratch, &mut report);
        if !self.is_on_ground() {
            self.state = before;
        }
        Ok(self.is_on_ground())
    }

    /// Where its position is when it stands, with the gap of its skin, on level ground at a point: for spawning and teleporting.
    ///
    /// # Errors
    /// If the point is not finite or beyond [`MAX_COORDINATE`](crate::MAX_COORDINATE), or `up` has no length.
    pub fn position_over(&self, ground: Point3<T>, up: Unit<Vector3<T>>) -> Result<Point3<T>, InputError> {
        bounded_point(&ground, "the point of the ground")?;
        let up = direction_of(&up)?;
        Ok(narrow_point(&(widen_point(&ground) - up * self.body.lowest_point(&up).dot(&up))))
    }

    /// Normal of the plane to which the body keeps when it changes its size: of the ground, or `up` where that alone does not
    /// hold it.
    fn ground_plane(&self, up: &Vector3<f64>) -> Vector3<f64> {
        let normal = widen(&self.state.ground_normal);
        let holds = self.is_on_ground() && normal.dot(up) >= self.limits.slope_cosine;
        if holds { normal.unit() } else { *up }
    }
}

/// Gathers the triangles in a box, or asks for no more if they are there.
fn gather(world: &(impl CollisionWorld + ?Sized), bounds: Aabb3<f64>, filter: &QueryFilter, scratch: &mut Scratch) {
    scratch.near.recorder_mut().begin_again(TickPart::PushOut);
    scratch.near.gather_or_keep(world, &bounds, Margin::NONE, filter);
}

/// Whether a body overlaps nothing deeper than so many metres.
fn is_free(near: &Nearby, body: &Body, position: Point3<f64>, depth: f64) -> bool {
    let touch = body.deepest_overlap(near, position, depth);
    touch.and_then(|touch| touch.overlap).is_none_or(|overlap| overlap <= depth)
}

/// Finds a place beside one where there is no room.
struct Aside<'a> {
    near: &'a Nearby,
    body: &'a Body,
    /// Overlaps up to here are none, in metres.
    depth: f64,
    /// How far it may go, in metres.
    farthest: f64,
    up: Vector3<f64>,
    /// What is steeper pushes aside and does not lift.
    slope_cosine: f64,
}

impl Aside<'_> {
    /// The place to which a few pushes lead from another one. They are swept, and enter nothing.
    fn step_from(&self, from: Point3<f64>) -> Option<Point3<f64>> {
        let mut place = from;
        for _ in 0..MAX_PUSHES {
            let touch = self.body.deepest_overlap(self.near, place, self.depth)?;
            let rise = touch.normal.dot(&self.up);
            let way = if rise < self.slope_cosine { touch.normal - self.up * rise } else { self.up };
            let push = way * (touch.overlap.unwrap_or(0.0) / way.dot(&touch.normal));
            // False for what hangs over it, which has no level way out.
            let is_near = (place + push - from).length() <= self.farthest;
            if !is_near {
                return None;
            }
            place += push * self.body.first_contact(self.near, place, push).map_or(1.0, |contact| contact.fraction);
            if is_free(self.near, self.body, place, self.depth) {
                return Some(place);
            }
        }
        None
    }
}

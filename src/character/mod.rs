//! The controller: [`Character`] walks through a [`CollisionWorld`].
//!
//! A tick, in its order: what moves carries the body and pushes it; the triangles that can matter are gathered once; the body is
//! pushed out of overlaps; it moves sideways, along the ground, around walls and up steps; it rises or falls; and it looks for
//! the ground, which it follows down slopes and steps. Each of these is a file.
//!
//! On a moving instance all of this is relative to it: the wish is a velocity over its ground, and so is the speed of a jump. Who
//! leaves it, by a jump or over its edge, keeps its velocity at that place until it lands. A conveyor belt
//! ([`Surface`](crate::world::Surface)) is walked on in the same way.
//!
//! All of it computes in `f64`. A state in `f32` keeps the remainder that its position cannot hold, so that slow
//! motion far from the origin never stalls.

mod around;
mod body;
mod clip;
mod config;
mod contacts;
mod crowd;
mod depenetrate;
mod fall;
mod fly;
mod ground;
mod impulse;
mod input;
mod lateral;
mod lone;
mod obstacles;
mod place;
mod posed;
mod push;
mod ride;
mod room;
mod shape;
mod slide;
mod state;
mod step;
mod threads;
mod tick;
mod touch;
mod way_around;

#[doc = include_str!("faults_and_wishes.md")]
pub mod faults_and_wishes {}

use nalgebra::{Point3, Unit, Vector3};

pub use body::Body;
pub use clip::{Plane, clip};
pub use config::{CeilingResponse, CharacterConfig, SlopeSpeed};
pub use contacts::{ContactEvent, ContactKey, ContactTracker, MAX_CONTACTS};
pub use crowd::{CharacterId, Crowd, CrowdError};
pub use ground::{Ground, GroundState};
pub use impulse::Impulse;
pub use input::{MovementMode, TickInput};
pub use lone::{Lone, TickAllError, tick_all};
pub use ride::Ride;
pub use room::has_room;
pub use shape::{BodyPart, BodyShape, MAX_PARTS};
pub use slide::{End, MAX_ROUNDS, MAX_TOUCHES, Slide};
pub use state::CharacterState;
pub use touch::Touch;

use self::{config::Limits, slide::slide};
use crate::{
    InputError,
    input_error::{bounded, bounded_point},
    real::{Length, Real, narrow_point, widen, widen_point},
    shape::Ellipsoid,
    world::{CollisionWorld, DebugEvent, Layers, Nearby, QueryFilter, TickPart},
};

/// A body that walks, slides, steps and falls, as its caller wishes.
///
/// # Example
/// ```
/// # use nalgebra::{point, vector};
/// use sidle::character::{Character, CharacterConfig, Scratch, TickInput};
/// use sidle::{Ellipsoid, Octree, World, mesh::primitives};
///
/// let world = World::of_level(Octree::new(primitives::floor::<f64>(20.0, 20.0, 4, 4)?));
/// let body = Ellipsoid::new(vector![0.4, 0.9, 0.4])?;
/// let mut character = Character::new(body, CharacterConfig::default(), point![0.0, 0.92, 0.0])?;
/// let mut scratch = Scratch::default();
/// for _ in 0..60 {
///     let input = TickInput { velocity: vector![3.0, 0.0, 0.0], ..TickInput::default() };
///     character.tick(&world, &input, 1.0 / 60.0, &mut scratch)?;
/// }
/// assert!(character.is_on_ground());
/// assert!((character.position().x - 3.0_f64).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[doc(alias = "move_and_slide")]
pub struct Character<T: Real> {
    shape: BodyShape<T>,
    config: CharacterConfig<T>,
    body: Body,
    limits: Limits,
    filter: QueryFilter,
    layers: Layers,
    state: CharacterState<T>,
}

/// What a tick did.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TickReport<T: Real> {
    /// Where it was before.
    pub from: Point3<T>,
    /// Where it is now.
    pub to: Point3<T>,
    /// The velocity after sliding: the way of this tick by its time, in metres a second.
    pub velocity: Vector3<T>,
    /// The velocity that it would have had by itself if nothing had been in the way: the wish across `up`, and in the air that of
    /// falling. What moves instances give is not in it; see [`TickReport::ride`].
    pub wished: Vector3<T>,
    /// What it stands on.
    pub ground: Ground<T>,
    /// The sideways part: contacts, why it ended, sweeps used.
    pub lateral: Slide<T>,
    /// The part along `up` and of sliding down, where there was one.
    pub vertical: Slide<T>,
    /// Whether it stepped on a ledge.
    pub has_stepped: bool,
    /// How far it was pushed out of overlaps, in metres.
    pub pushed_out: T,
    /// What moving instances did to it. Their part of the way is in `velocity`, too.
    pub ride: Ride<T>,
}

impl<T: Real> TickReport<T> {
    /// Of no tick at all.
    fn none(position: Point3<T>) -> Self {
        Self {
            from: position,
            to: position,
            velocity: Vector3::zeros(),
            wished: Vector3::zeros(),
            ground: Ground::none(),
            lateral: Slide::none(position),
            vertical: Slide::none(position),
            has_stepped: false,
            pushed_out: T::zero(),
            ride: Ride::none(),
        }
    }

    /// All contacts of the tick: those of the sideways part, of the part along `up`, and the ground.
    ///
    /// The same triangle may be among them more than once; [`ContactTracker`] tells which are new and which are left.
    pub fn touches(&self) -> impl Iterator<Item = &Touch<T>> + Clone {
        self.lateral.touches.iter().chain(&self.vertical.touches).chain(&self.ground.touch)
    }
}

/// Working memory of ticks: the triangles near a body. It changes the time that a tick takes, and nothing else.
///
/// It may be shared by any number of characters, one after the other. With one for each character, the triangles that
/// were gathered for a tick mostly do for the next ones, too.
#[derive(Debug, Clone, Default)]
pub struct Scratch {
    near: Nearby,
}

impl Scratch {
    /// From the next tick on keeps a list of what ticks ask, for drawing, or does so no more. It takes memory and time.
    pub fn record(&mut self, is_on: bool) {
        self.near.recorder_mut().switch(is_on);
    }

    /// What the last tick, or other call with this scratch, asked of the triangles near the body, and the answers, if that is recorded: see [`DebugEvent`].
    ///
    /// ```
    /// # use nalgebra::{point, vector};
    /// # use sidle::character::{Character, CharacterConfig, Scratch, TickInput};
    /// # use sidle::{Ellipsoid, Octree, World, mesh::primitives};
    /// use sidle::world::{DebugEventKind, TickPart};
    /// # let world = World::of_level(Octree::new(primitives::floor::<f64>(20.0, 20.0, 4, 4)?));
    /// # let body = Ellipsoid::new(vector![0.4, 0.9, 0.4])?;
    /// # let mut character = Character::new(body, CharacterConfig::default(), point![0.0, 0.92, 0.0])?;
    /// let mut scratch = Scratch::default();
    /// scratch.record(true);
    /// character.tick(&world, &TickInput::default(), 1.0 / 60.0, &mut scratch)?;
    /// for event in scratch.events() {
    ///     if let DebugEventKind::Sweep { from, motion, contact: Some(contact) } = event.kind {
    ///         // Draw an arrow, and the plane of the contact in the colour of the part of the tick.
    ///         let plane = (contact.contact.point, contact.contact.normal, event.during);
    ///         # let _ = (from, motion, plane);
    ///     }
    /// }
    /// // In its first tick it comes down to the floor.
    /// assert!(scratch.events().iter().any(|event| event.during == TickPart::Vertical));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "debug_draw")]
    pub fn events(&mut self) -> &[DebugEvent] {
        self.near.recorder_mut().events()
    }

    /// Number of triangles that were gathered for the last tick, or for one before it.
    pub fn triangles_near(&self) -> usize {
        self.near.len()
    }
}

/// Moves a body freely: collide and slide along `motion` (metres), for projectiles and cameras as for characters.
///
/// Of all motions that enter none of the surfaces met, the body takes the one nearest to what is left of the wish; with
/// still surfaces it never moves against the wish. A body that overlaps something at the start may leave it, and is
/// stopped where it would go deeper.
///
/// # Errors
/// If the start or the motion is not finite or beyond [`MAX_COORDINATE`](crate::MAX_COORDINATE).
///
/// ```
/// # use nalgebra::{point, vector};
/// use sidle::character::{Body, End, Scratch, move_and_slide};
/// use sidle::{Ellipsoid, Octree, QueryFilter, World, mesh::primitives};
///
/// let floor = World::of_level(Octree::new(primitives::floor::<f64>(20.0, 20.0, 4, 4)?));
/// let ball = Body::new(Ellipsoid::sphere(0.5)?, 0.0)?;
/// let (start, motion) = (point![0.0, 1.0, 0.0], vector![2.0, -1.0, 0.0]);
/// let slide = move_and_slide(&floor, &ball, start, motion, &QueryFilter::default(), &mut Scratch::default())?;
/// assert_eq!((slide.position, slide.end), (point![2.0, 0.5, 0.0], End::Arrived));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "move_and_collide")]
pub fn move_and_slide<T: Real>(
    world: &(impl CollisionWorld + ?Sized),
    body: &Body,
    start: Point3<T>,
    motion: Vector3<T>,
    filter: &QueryFilter,
    scratch: &mut Scratch,
) -> Result<Slide<T>, InputError> {
    bounded_point(&start, "the start of the motion")?;
    bounded(&motion, "the motion")?;
    let (start, motion) = (widen_point(&start), widen(&motion));
    // A slide may turn, but never gets longer than its wish.
    let reach = Vector3::repeat(motion.length() * REACH_ROUNDING);
    scratch.near.recorder_mut().begin_again(TickPart::Sideways);
    scratch.near.gather(world, &body.bounds(start).grow(&reach), filter);
    body.measure(&mut scratch.near, start);
    Ok(slide(&scratch.near, body, start, motion).cast())
}

/// The way of a motion, and a little more for the rounding of what is gathered around it.
const REACH_ROUNDING: f64 = 1.0 + 1e-9;

impl<T: Real> Character<T> {
    /// A character at `position`: there is the centre of its ellipsoid, or from there are the offsets of its parts.
    ///
    /// # Errors
    /// If a number of the config is not finite, negative or out of its range, or the position is not finite.
    pub fn new(
        shape: impl Into<BodyShape<T>>,
        config: CharacterConfig<T>,
        position: Point3<T>,
    ) -> Result<Self, InputError> {
        bounded_point(&position, "the character's position")?;
        let shape = shape.into();
        let body = Body::new(&shape, config.skin)?;
        Ok(Self {
            limits: Limits::new(&config, body.smallest_radius())?,
            shape,
            config,
            body,
            filter: QueryFilter::default(),
            layers: Layers::default(),
            state: CharacterState::at(position),
        })
    }

    /// Where it is: the centre of its ellipsoid, or the point from which the offsets of its parts are.
    pub fn position(&self) -> Point3<T> {
        self.state.position
    }

    /// The height of its lowest point (without its skin) along `up`, straight under the centre of the ellipsoid, or of the part,
    /// that has it.
    pub fn feet(&self, up: Unit<Vector3<T>>) -> Point3<T> {
        narrow_point(&(self.state.exact_position() + self.shape.feet(&widen(&up))))
    }

    /// Whether it stands on walkable ground.
    pub fn is_on_ground(&self) -> bool {
        self.state.ground == GroundState::OnGround
    }

    /// What it is made of.
    pub fn shape(&self) -> &BodyShape<T> {
        &self.shape
    }

    /// The ellipsoid; of a body of several, the first.
    pub fn ellipsoid(&self) -> &Ellipsoid<T> {
        self.shape.parts()[0].ellipsoid()
    }

    /// The numbers of its walk.
    pub fn config(&self) -> &CharacterConfig<T> {
        &self.config
    }

    /// What it collides with.
    pub fn filter(&self) -> &QueryFilter {
        &self.filter
    }

    /// Which instances it collides with, and by their layers which others of a [`Crowd`]; by default all.
    pub fn set_filter(&mut self, filter: QueryFilter) {
        self.filter = filter;
    }

    /// The layers on which others of a [`Crowd`] see it.
    pub fn layers(&self) -> Layers {
        self.layers
    }

    /// On which layers others of a [`Crowd`] see it; by default the first. What it sees itself is up to its filter.
    pub fn set_layers(&mut self, layers: Layers) {
        self.layers = layers;
    }

    /// All that it remembers.
    pub fn state(&self) -> CharacterState<T> {
        self.state
    }

    /// Puts it into a remembered state.
    ///
    /// # Errors
    /// If a number of the state is not finite.
    pub fn restore(&mut self, state: CharacterState<T>) -> Result<(), InputError> {
        state.check()?;
        self.state = state;
        Ok(())
    }

    /// Moves for `dt` seconds: on foot, or flying, as the input's [`MovementMode`] has it.
    ///
    /// # Errors
    /// If `dt` is not positive or a number of the input is not finite. The character then stays as it was.
    pub fn tick(
        &mut self,
        world: &(impl CollisionWorld + ?Sized),
        input: &TickInput<T>,
        dt: T,
        scratch: &mut Scratch,
    ) -> Result<TickReport<T>, InputError> {
        scratch.near.prefetch();
        let mut report = TickReport::none(self.state.position);
        self.tick_into(world, input, dt, scratch, &mut report)?;
        Ok(report)
    }
}

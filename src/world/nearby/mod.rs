//! [`CollisionWorld`]: what a character needs of a world, and [`Nearby`]: the triangles gathered for one tick.
//!
//! A tick asks the world once for the triangles that can matter; all sweeps of the tick run over that list. It is small,
//! stays in the cache, and is the *union* of all surfaces near the body, whatever mesh or instance they belong to: there,
//! a contact with an edge inside a surface can be told from one with an edge that stands out.
//!
//! Here they are gathered; `first_contact.rs` sweeps a body among them, `probe.rs` asks what is at a place or along a ray.

mod collision_world;
mod first_contact;
mod probe;

use std::cell::Cell;

use arrayvec::ArrayVec;
use nalgebra::{Point3, Vector3};

pub use self::{
    collision_world::{CollisionWorld, WorldTriangle},
    first_contact::NearContact,
};
use super::{
    HalfSpace, InstanceId, QueryFilter, Stamp,
    debug::{DebugEventKind, Recorder},
};
use crate::{
    real::{Length, larger},
    shape::{Aabb3, EllipsoidSpace, Triangle},
    sweep::packed::Packed,
    wide::{LANES, SimdLevel, prefetch_line},
};

/// Two surfaces meet at a point if both come this near to it, relative to the smallest semi-axis of the body.
pub(crate) const MEETING: f64 = 1e-4;

/// A body whose box has gone less far than this share of what is gathered ahead goes nowhere: that is rounding.
const STILL: f64 = 1e-6;

/// How much larger than asked for a box is made in which triangles are gathered, in metres.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Margin {
    /// On all sides.
    pub(crate) around: f64,
    /// The way that the body goes.
    pub(crate) ahead: f64,
}

impl Margin {
    pub(crate) const NONE: Self = Self { around: 0.0, ahead: 0.0 };
}

/// The triangles near a body, gathered once for a tick.
#[derive(Debug, Clone)]
pub struct Nearby {
    triangles: Vec<WorldTriangle>,
    /// The same, for a first look.
    packed: Packed,
    /// The box around which they were gathered.
    bounds: Aabb3<f64>,
    /// The same box, smaller by what the corners of a box inside it may be rounded by.
    surely_inside: Aabb3<f64>,
    /// The middle of what was asked for then, without a margin.
    asked_around: Point3<f64>,
    /// The world from which they are, if it would tell a change, and the filter.
    source: (Option<Stamp>, QueryFilter),
    /// Whether a question went beyond that box.
    was_left: Cell<bool>,
    level: SimdLevel,
    /// Where the body's centre may be, for this tick: others move at the same time.
    half_spaces: Vec<HalfSpace>,
    /// Triangles that the next tick is likely to look at.
    closest: ArrayVec<u32, MOST_CLOSE>,
    recorder: Recorder,
}

/// So many triangles are asked for ahead of time, of those that are about as near as this, in the unit space of the body.
const MOST_CLOSE: usize = 3;
const CLOSE: f32 = 0.02;

impl Default for Nearby {
    fn default() -> Self {
        Self {
            triangles: Vec::new(),
            packed: Packed::default(),
            bounds: Aabb3::empty(),
            surely_inside: Aabb3::empty(),
            asked_around: Point3::origin(),
            source: (None, QueryFilter::default()),
            was_left: Cell::new(false),
            level: SimdLevel::best(),
            half_spaces: Vec::new(),
            closest: ArrayVec::new(),
            recorder: Recorder::default(),
        }
    }
}

impl Nearby {
    /// Asks for what the tick begins with: of many characters, that of the next one is in no near cache.
    #[inline]
    pub(crate) fn prefetch(&self) {
        self.packed.prefetch();
        for index in &self.closest {
            if let Some(near) = self.triangles.get(*index as usize) {
                prefetch_line(&near.triangle.a);
                prefetch_line(&near.material);
            }
        }
    }

    /// Forgets what was gathered, and gathers the triangles that meet a box. Allocates only to hold more than ever before.
    pub fn gather(&mut self, world: &(impl CollisionWorld + ?Sized), bounds: &Aabb3<f64>, filter: &QueryFilter) {
        self.triangles.clear();
        self.packed.clear(bounds.center(), false);
        self.bounds = *bounds;
        self.asked_around = bounds.center();
        let farthest = larger(bounds.min.coords.largest(), bounds.max.coords.largest());
        self.surely_inside = bounds.grow(&Vector3::repeat(-8.0 * f64::EPSILON * farthest));
        self.source = (world.stamp(), filter.clone());
        self.was_left.set(false);
        // A packet at a time: each is written once, and nothing waits for memory that is.
        let mut found = ArrayVec::<WorldTriangle, LANES>::new();
        world.each_triangle_near(bounds, filter, &mut |near| {
            if let Err(full) = found.try_push(near) {
                self.keep(&found);
                found.clear();
                found.push(full.element());
            }
        });
        if !found.is_empty() {
            self.keep(&found);
        }
        self.recorder.note(|| DebugEventKind::Gather { bounds: *bounds, triangles: self.triangles.len() });
    }

    fn keep(&mut self, found: &[WorldTriangle]) {
        self.triangles.extend_from_slice(found);
        self.packed.push(found.iter().map(|near| &near.triangle));
    }

    /// As [`Nearby::gather`], but keeps what was gathered where it will do: if the box is inside the one before, and the world
    /// tells that it is still the same. For a body that goes on from there, triangles are gathered in a box that is larger by
    /// a margin, all around and the way it goes, so that they will do for a while.
    ///
    /// No answer depends on what was gathered in addition.
    pub(crate) fn gather_or_keep(
        &mut self,
        world: &(impl CollisionWorld + ?Sized),
        bounds: &Aabb3<f64>,
        margin: Margin,
        filter: &QueryFilter,
    ) {
        let is_same = self.source.0.is_some() && self.source.0 == world.stamp() && self.source.1 == *filter;
        if is_same && self.holds(bounds) {
            self.was_left.set(false);
        } else if is_same && self.bounds.contains(&bounds.center()) {
            // Where it went since it was gathered the last time, it is likely to go on.
            let way = bounds.center() - self.asked_around;
            let goes_on = way.length() > STILL * margin.ahead;
            let ahead = if goes_on { way.unit() * margin.ahead } else { Vector3::zeros() };
            self.gather(world, &bounds.grow(&Vector3::repeat(margin.around)).swept(&ahead), filter);
            self.asked_around = bounds.center();
        } else {
            self.gather(world, bounds, filter);
        }
    }

    fn holds(&self, bounds: &Aabb3<f64>) -> bool {
        self.bounds.contains(&bounds.min) && self.bounds.contains(&bounds.max)
    }

    /// Finds out how far all triangles are from a part of a body, the first or a further one, whose centre is at `center`, which
    /// makes its short sweeps cheap.
    pub(crate) fn measure(&mut self, part: usize, space: &EllipsoidSpace, center: Point3<f64>) {
        self.packed.measure(self.level, part, space, center);
        self.closest.clear();
        self.closest.extend(self.packed.nearest_within(CLOSE).take(MOST_CLOSE));
    }

    /// The half-spaces in which the centre of the body has to stay, whatever is gathered; none unless someone sets them.
    #[inline]
    pub(crate) fn half_spaces(&self) -> &[HalfSpace] {
        &self.half_spaces
    }

    /// To set the half-spaces.
    pub(crate) fn half_spaces_mut(&mut self) -> &mut Vec<HalfSpace> {
        &mut self.half_spaces
    }

    /// Keeps a list of the questions asked.
    #[inline(always)]
    pub(crate) fn recorder(&self) -> &Recorder {
        &self.recorder
    }

    /// To switch that on and off.
    pub(crate) fn recorder_mut(&mut self) -> &mut Recorder {
        &mut self.recorder
    }

    /// Whether any question since went beyond the box, so that its answer may lack triangles.
    pub fn was_left(&self) -> bool {
        self.was_left.get()
    }

    /// Takes note of a question about this box.
    #[inline]
    fn note(&self, asked: &Aabb3<f64>) {
        if !self.holds(asked) {
            self.was_left.set(true);
        }
    }

    /// Number of triangles gathered.
    pub fn len(&self) -> usize {
        self.triangles.len()
    }

    /// Whether there is nothing near.
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }

    /// The vertices of one of the triangles, if it was gathered.
    pub(crate) fn triangle(&self, instance: InstanceId, index: u32) -> Option<&Triangle<f64>> {
        self.triangles.iter().find(|near| near.id() == (instance, index)).map(|near| &near.triangle)
    }
}

//! [`DebugEvent`]: what a tick asked of the triangles near a body, for drawing.

use std::cell::{Cell, RefCell};

use nalgebra::{Point3, Vector3};

use super::NearContact;
use crate::shape::Aabb3;

/// A question that a tick asked of the triangles near a body, and the answer. In the order in which they were asked they tell how
/// a tick came to what its report says.
///
/// All numbers are in metres and in the axes of the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DebugEvent {
    /// For which part of the tick.
    pub during: TickPart,
    /// What was asked.
    pub kind: DebugEventKind,
}

/// The parts of a tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TickPart {
    /// What moves carries the body, or pushes it.
    #[default]
    Ride,
    /// Out of what it overlaps.
    PushOut,
    /// Sideways, along the ground and around walls; in flight, the whole way.
    Sideways,
    /// Up a step.
    Step,
    /// Around what has stopped it.
    WayAround,
    /// Along `up`: rising, falling, sliding down.
    Vertical,
    /// The search for the ground.
    Ground,
}

/// What was asked, and the answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DebugEventKind {
    /// The triangles near this box were gathered.
    Gather {
        /// Around all that the tick can reach.
        bounds: Aabb3<f64>,
        /// How many there were.
        triangles: usize,
    },
    /// The body, or a part of it, with its skin was swept along a motion, of length 0 to find what it overlaps.
    Sweep {
        /// Where its centre began.
        from: Point3<f64>,
        /// Where to.
        motion: Vector3<f64>,
        /// What it met first: a point, and the plane that the rest of the motion has to respect.
        contact: Option<NearContact>,
    },
    /// A ray was cast, to find what is below or behind a place.
    Probe {
        /// Where it began.
        origin: Point3<f64>,
        /// Where to.
        way: Vector3<f64>,
        /// The share of the way after which it met a triangle, and the triangle's unit normal on the side of the ray.
        hit: Option<(f64, Vector3<f64>)>,
    },
    /// The body shares the room with another of a crowd: with its skin it stays on this side of a plane.
    Plane {
        /// On the plane.
        point: Point3<f64>,
        /// Unit vector away from the other.
        normal: Vector3<f64>,
    },
}

/// Keeps events, or does not.
#[derive(Debug, Clone, Default)]
pub(crate) struct Recorder {
    is_on: bool,
    during: Cell<TickPart>,
    events: RefCell<Vec<DebugEvent>>,
}

impl Recorder {
    /// Begins to keep events, or ends, and forgets those that were kept.
    pub(crate) fn switch(&mut self, is_on: bool) {
        self.is_on = is_on;
        self.events.get_mut().clear();
    }

    /// Forgets all events: a part of another tick begins.
    #[inline(always)]
    pub(crate) fn begin_again(&mut self, part: TickPart) {
        self.events.get_mut().clear();
        self.during.set(part);
    }

    /// Forgets all events but the first so many.
    pub(crate) fn keep(&mut self, count: usize) {
        self.events.get_mut().truncate(count);
    }

    /// The events kept.
    pub(crate) fn events(&mut self) -> &[DebugEvent] {
        self.events.get_mut()
    }

    /// Another part of the tick begins; returns the one before.
    #[inline(always)]
    pub(crate) fn begin(&self, part: TickPart) -> TickPart {
        self.during.replace(part)
    }

    /// Keeps an event, if events are kept.
    #[inline(always)]
    pub(crate) fn note(&self, kind: impl FnOnce() -> DebugEventKind) {
        if self.is_on {
            self.events.borrow_mut().push(DebugEvent { during: self.during.get(), kind: kind() });
        }
    }
}

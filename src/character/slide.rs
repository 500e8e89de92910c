//! [`slide`]: collide and slide, the loop under every motion.

use arrayvec::ArrayVec;
use nalgebra::{Point3, Vector3};

use super::{
    body::Body,
    clip::{Plane, clip},
    touch::Touch,
};
use crate::{
    real::{Length, Real},
    world::Nearby,
};

/// Most sweeps of one move. A move along a wall takes two, into a corner four; more only where many surfaces meet.
pub const MAX_ROUNDS: usize = 12;

/// Most contacts of a move: one for each sweep.
pub const MAX_TOUCHES: usize = MAX_ROUNDS;

/// A remainder counts as nothing when it is this short, relative to the move. Never an absolute length: at 1000 Hz
/// every move is short.
const NOTHING_LEFT: f64 = 1e-9;

/// Why a move ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum End {
    /// All of the motion was used.
    #[default]
    Arrived,
    /// So many planes leave no motion that is nearer to the wish than standing still.
    Blocked {
        /// Number of planes, at least one.
        planes: u8,
    },
    /// Three planes or more enclose the body in the direction of the wish.
    Cornered,
    /// The bounded number of sweeps was used up; the rest of the motion was dropped.
    OutOfRounds,
    /// The body began inside something that the wish would have deepened, and did not get away.
    StartedEmbedded,
    /// Moving surfaces leave no motion that satisfies all of them.
    Crushed,
}

/// What a move did.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Slide<T: Real> {
    /// Where the body's centre is now.
    pub position: Point3<T>,
    /// The contacts, in the order in which they were met.
    pub touches: ArrayVec<Touch<T>, MAX_TOUCHES>,
    /// Why the move ended.
    pub end: End,
    /// How many sweeps it took.
    pub rounds: usize,
}

impl<T: Real> Slide<T> {
    /// No move at all.
    pub(super) fn none(position: Point3<T>) -> Self {
        Self { position, touches: ArrayVec::new(), end: End::Arrived, rounds: 0 }
    }

    /// The same in another scalar, each number rounded once.
    pub fn cast<U: Real>(&self) -> Slide<U> {
        let mut slide = Slide::none(Point3::origin());
        slide.set(self);
        slide
    }

    /// Becomes the same as a slide in another scalar, each number rounded once.
    pub(super) fn set<U: Real>(&mut self, other: &Slide<U>) {
        self.position = other.position.map(|x| T::nearest(x.to_f64()));
        self.touches.clear();
        self.touches.extend(other.touches.iter().map(Touch::cast));
        self.end = other.end;
        self.rounds = other.rounds;
    }
}

/// What to do after a contact.
pub(super) enum Next {
    /// Go on with this motion, the rest of the move.
    Move(Vector3<f64>),
    /// The rest of the move has been made some other way, and led here.
    Moved(Point3<f64>),
    /// Stay.
    Stop(End),
}

/// Moves as far as the surfaces allow, sliding along what is met.
///
/// Each round goes up to the first contact; of all motions that enter none of the planes met so far, the one nearest to
/// the original wish, scaled by what is left of it, comes next (see [`clip`]). The planes are kept for the whole move: that
/// is what stops the jitter between two walls.
pub(super) fn slide(near: &Nearby, body: &Body, start: Point3<f64>, wish: Vector3<f64>) -> Slide<f64> {
    let mut planes = ArrayVec::<Plane, MAX_ROUNDS>::new();
    let first_contact = |from, motion| body.first_contact(near, from, motion);
    slide_with(start, wish, first_contact, |touch, _, left| {
        // Never full: there is at most one plane a round.
        let _ = planes.try_push(Plane::still(touch.normal));
        match clip(&(wish * left), &planes) {
            Some(motion) => Next::Move(motion),
            None => Next::Stop(End::Crushed),
        }
    })
}

/// The loop of [`slide`] with what is met and the answer to it as the caller says: `first_contact` gets where the body is and a
/// motion; `respond` gets the contact, where the body is then, and which share of the move is left.
pub(super) fn slide_with(
    start: Point3<f64>,
    first: Vector3<f64>,
    first_contact: impl Fn(Point3<f64>, Vector3<f64>) -> Option<Touch<f64>>,
    respond: impl FnMut(&Touch<f64>, Point3<f64>, f64) -> Next,
) -> Slide<f64> {
    let mut slide = Slide::none(start);
    slide_on(&mut slide, first, first_contact, respond);
    slide
}

/// The body of [`slide_with`], from where a slide that has not moved yet is. A slide is large, and written where it is kept.
#[inline(always)]
pub(super) fn slide_on(
    slide: &mut Slide<f64>,
    first: Vector3<f64>,
    first_contact: impl Fn(Point3<f64>, Vector3<f64>) -> Option<Touch<f64>>,
    mut respond: impl FnMut(&Touch<f64>, Point3<f64>, f64) -> Next,
) {
    let (mut motion, mut left) = (first, 1.0);
    let enough = NOTHING_LEFT * first.length();
    slide.end = End::OutOfRounds;
    while slide.rounds < MAX_ROUNDS {
        if motion.length() <= enough {
            slide.end = ending(&slide.touches);
            return;
        }
        slide.rounds += 1;
        let Some(touch) = first_contact(slide.position, motion) else {
            slide.position += motion;
            slide.end = End::Arrived;
            return;
        };
        slide.position += motion * touch.fraction;
        left *= 1.0 - touch.fraction;
        let _ = slide.touches.try_push(touch);
        if left <= NOTHING_LEFT {
            slide.end = End::Arrived;
            return;
        }
        match respond(&touch, slide.position, left) {
            Next::Move(next) => motion = next,
            Next::Moved(position) => {
                slide.position = position;
                slide.end = End::Arrived;
                return;
            }
            Next::Stop(end) => {
                slide.end = end;
                return;
            }
        }
    }
}

/// Why nothing is left of a motion that was clipped.
fn ending(touches: &[Touch<f64>]) -> End {
    let embedded = touches.iter().any(|touch| touch.overlap.is_some());
    match touches.len() {
        0 => End::Arrived,
        _ if embedded => End::StartedEmbedded,
        1 | 2 => End::Blocked { planes: touches.len() as u8 },
        _ => End::Cornered,
    }
}

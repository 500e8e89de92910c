//! Stairs up: over a ledge that is low enough, in the one motion that the wish asks for.
//!
//! A step rides over the ledge: the body is lifted as far as it needs to be, moved by exactly what was left of the wish,
//! and let down until its flank rests on the edge. Where it ends depends on where it is, not on how many ticks it took, so
//! that stairs are climbed along the same path at any frame rate, and no horizontal speed is lost.

use arrayvec::ArrayVec;
use nalgebra::{Point3, Vector3};

use crate::real::Length;

use super::{
    clip::{Plane, clip},
    config::PROBES,
    ground::Walker,
    slide::{End, MAX_ROUNDS, Next, Slide, slide_with},
    touch::Touch,
};

/// A step over a ledge.
pub(super) struct Step {
    /// Where it leads.
    pub(super) position: Point3<f64>,
    /// Height of what it came to rest on, along `up`: the next step is measured from there. The top of the ledge would not do: who
    /// leans on a fence without getting onto it would find the next bar a step higher with each tick.
    pub(super) top: f64,
}

/// What came of letting the body down.
pub(super) enum Landing {
    /// It is here, and rests on this.
    On(Point3<f64>, Touch<f64>),
    /// This is in the way.
    Prevented(Touch<f64>),
}

/// So many things that cannot be stepped on may be beside a ledge.
const MOST_BESIDE: usize = 3;

/// Let down onto a ledge, the body may be turned aside by so much, as a share of its smallest semi-axis.
const ASIDE: f64 = 0.01;

/// Less than this share of a motion is no progress; who lacks no more than it is not hindered.
const HINDERED: f64 = 1e-6;

impl Walker<'_> {
    /// Steps over what a horizontal `motion` has met, or `None` if it is no ledge, too high, or offers no room.
    ///
    /// `support` is the height of the ground from which the step is measured, along `up`.
    pub(super) fn step_up(
        &self,
        touch: &Touch<f64>,
        position: Point3<f64>,
        motion: Vector3<f64>,
        support: f64,
    ) -> Option<Step> {
        let highest = support + self.limits.step_height + self.limits.step_tolerance;
        let top = self.ledge_top(touch, highest).filter(|_| self.surface_of(touch).is_step)?;
        // As high as may be, so that no further ledge is in the way; where something hangs down there, as low as will do.
        let (step, progress) = self.ride_over(position, motion, highest, highest).unzip();
        if progress.is_some_and(|progress| progress >= (1.0 - HINDERED) * motion.norm_squared()) {
            return step;
        }
        let (low, low_progress) = self.ride_over(position, motion, top + self.limits.step_tolerance, highest).unzip();
        if low_progress > progress { low } else { step }
    }

    /// Lifted until its feet are at a height, moved, and let down; also says how far that leads along the motion, times its length.
    fn ride_over(&self, position: Point3<f64>, motion: Vector3<f64>, feet: f64, highest: f64) -> Option<(Step, f64)> {
        let rise = feet - self.feet(position);
        if rise <= 0.0 {
            return None;
        }
        let lift = self.up * rise;
        let free = self.body.first_contact(self.near, position, lift).map_or(1.0, |ceiling| ceiling.fraction);
        let raised = position + lift * free;
        let mut walls = ArrayVec::<Plane, MAX_ROUNDS>::new();
        let aside = ASIDE * self.body.smallest_radius();
        for _ in 0..MOST_BESIDE {
            let ahead = self.move_level(raised, motion, &mut walls);
            let progress = (ahead - raised).dot(&motion);
            if progress <= HINDERED * motion.norm_squared() {
                return None;
            }
            // Down to where it was: on the way the flank comes to rest on the ledge, or the feet on its top.
            match self.let_down(ahead, rise * free + self.limits.snap_distance, aside)? {
                Landing::On(position, touch) if self.height(touch.point) <= highest => {
                    return Some((Step { position, top: self.height(touch.point) }, progress));
                }
                // The flank is over something else, too steep or too high: a wall, along which the step may still lead.
                Landing::On(_, touch) | Landing::Prevented(touch) => walls.try_push(self.wall_of(&touch)).ok()?,
            }
        }
        None
    }

    /// Straight down onto a surface that is walkable. `None` if there is nothing below.
    ///
    /// Walls that lean by a hair, and are touched, turn the way `aside` by as little and are not in it.
    pub(super) fn let_down(&self, start: Point3<f64>, distance: f64, aside: f64) -> Option<Landing> {
        let (slide, landed) = self.sink(start, distance);
        let first = slide.touches.first()?;
        let landed = landed.filter(|_| self.level(slide.position - start).length() <= aside);
        Some(landed.map_or(Landing::Prevented(*first), |touch| Landing::On(slide.position, touch)))
    }

    /// The way down along whatever is too steep to stand on, and the walkable surface that ends it.
    pub(super) fn sink(&self, start: Point3<f64>, distance: f64) -> (Slide<f64>, Option<Touch<f64>>) {
        let mut planes = ArrayVec::<Plane, MAX_ROUNDS>::new();
        let mut landed = None;
        let down = -self.up * distance;
        let slide = slide_with(start, down, self.first_contact(), |touch, _, left| {
            if self.has_walkable_surface(touch) && self.surface_of(touch).is_step {
                landed = Some(*touch);
                return Next::Stop(End::Arrived);
            }
            let _ = planes.try_push(Plane::still(touch.normal));
            Next::Move(clip(&(down * left), &planes).unwrap_or_default())
        });
        (slide, landed)
    }

    /// The height of the walkable top behind a contact, if there is one that is not above `highest` and a tread deep.
    fn ledge_top(&self, touch: &Touch<f64>, highest: f64) -> Option<f64> {
        let outwards = self.level(touch.normal);
        let length = outwards.length();
        if length <= 0.0 {
            return None;
        }
        let inwards = -outwards / length;
        let contact = self.height(touch.point);
        if contact > highest {
            return None; // what is touched is itself too high
        }
        // The top of the ledge itself, not the ground beyond a fence or below a hollow wall: over the depth of a tread
        // it falls off no faster than a walkable slope.
        let lowest = contact - self.limits.tread_depth * self.limits.slope_tangent;
        let depth = highest - lowest + self.limits.step_tolerance;
        let mut tops = ArrayVec::<Option<f64>, PROBES>::new();
        for probe in 1..=PROBES {
            let distance = self.limits.tread_depth * probe as f64;
            let start = touch.point + inwards * distance + self.up * (highest - contact);
            let top = self.near.cast_ray(&start, &(-self.up * depth)).and_then(|(t, normal)| {
                let height = highest - depth * t;
                (normal.dot(&self.up) >= self.limits.slope_cosine && height >= lowest).then_some(height)
            });
            // Two in a row, a tread apart, are room to stand on; the first at the contact itself needs only one.
            if let Some(height) = top
                && (probe == 1 || tops.last().is_some_and(Option::is_some))
            {
                return Some(height);
            }
            tops.push(top);
        }
        None
    }

    /// A horizontal motion that slides along whatever is in its way, and along the walls that are known, without steps.
    fn move_level(
        &self,
        start: Point3<f64>,
        motion: Vector3<f64>,
        walls: &mut ArrayVec<Plane, MAX_ROUNDS>,
    ) -> Point3<f64> {
        let first = clip(&motion, walls).unwrap_or_default();
        let slide = slide_with(start, first, self.first_contact(), |touch, _, left| {
            let _ = walls.try_push(self.wall_of(touch));
            Next::Move(clip(&(motion * left), walls).unwrap_or_default())
        });
        slide.position
    }

    /// What a contact is to a level motion.
    fn wall_of(&self, touch: &Touch<f64>) -> Plane {
        let normal = self.level(touch.normal);
        Plane::still(if normal.length() > 1e-3 { normal.unit() } else { touch.normal })
    }
}

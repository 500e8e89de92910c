//! The sideways part of a tick: along the ground where there is some, around walls, up steps.

use arrayvec::ArrayVec;
use nalgebra::{Point3, Vector3};

use crate::{real::Length, world::TickPart};

use super::{
    clip::{Plane, clip},
    config::{STEEPEST, SlopeSpeed},
    ground::{Ground, Walker},
    slide::{End, MAX_ROUNDS, Next, Slide, slide_on},
    touch::Touch,
};

/// A contact normal counts as level, or as pointing down, below this part along `up`: there is no way over it.
const LEVEL: f64 = 1e-3;

/// How the sideways motion begins.
pub(super) struct Lateral {
    /// The wish, horizontal, in metres.
    pub(super) wish: Vector3<f64>,
    /// Contact normal of the ground that is stood on, if it is walkable.
    pub(super) ground: Option<Vector3<f64>>,
    /// What that normal was rounded by when it was stored; 0 in `f64`.
    pub(super) rounding: f64,
    /// Height of the supporting ground along `up`, if steps may be taken.
    pub(super) support: Option<f64>,
    /// What is touched up to this height along `up` is followed up however steep it is: there is ground behind it.
    pub(super) rides_up_to: Option<f64>,
}

/// All of a tick's way.
pub(super) struct Course {
    pub(super) position: Point3<f64>,
    pub(super) lateral: Slide<f64>,
    pub(super) vertical: Slide<f64>,
    /// What the body stands on at the end.
    pub(super) ground: Ground<f64>,
    /// Height of the ledge that was stepped on.
    pub(super) stepped_on: Option<f64>,
}

impl Course {
    /// None yet: still at `start`. It is large, and filled in where it is kept.
    pub(super) fn at(start: Point3<f64>) -> Self {
        let slide = Slide::none(start);
        Self { position: start, lateral: slide.clone(), vertical: slide, ground: Ground::none(), stepped_on: None }
    }
}

/// The planes met so far, by what they are to a walker.
#[derive(Default)]
struct Met {
    /// Walkable ground, which the motion follows up.
    grounds: ArrayVec<Vector3<f64>, MAX_ROUNDS>,
    /// What is steep is a wall, or pushing would climb it.
    walls: ArrayVec<Wall, MAX_ROUNDS>,
    /// Everything else that no motion may enter.
    others: ArrayVec<Plane, MAX_ROUNDS>,
}

/// A surface that is too steep to walk on, and the two ways in which a level motion can respect it.
struct Wall {
    /// Its own normal.
    normal: Vector3<f64>,
    /// Its level part: who heads for this side may go down along the surface.
    level: Vector3<f64>,
    /// Where it meets the ground that is walked on, on a hillside the crease between both: who heads for this side follows the
    /// ground up, and the surface recedes.
    ///
    /// A level motion along ground `g` rises by `−level·g / g_up`, so it enters a slope `s` where `level·(s − g · s_up / g_up) < 0`. On
    /// level ground that is the level part of `s`.
    crease: Vector3<f64>,
}

impl Walker<'_> {
    /// Moves sideways, from where the course begins. On ground the horizontal speed is kept, up and down slopes, or that along
    /// the ground.
    pub(super) fn move_lateral(&self, lateral: &Lateral, course: &mut Course) {
        let wish = lateral.wish;
        let mut met = Met::default();
        met.grounds.extend(lateral.ground);
        // A little more than rounding could let it enter the ground: a contact that means nothing, and a second sweep.
        let clear = lateral.ground.map_or(0.0, |normal| 2.0 * lateral.rounding / normal.dot(&self.up));
        let along = self.rising(wish, self.climb(&wish, &met.grounds));
        let first = along + self.up * (clear * wish.length());
        slide_on(&mut course.lateral, first, self.first_contact(), |touch, position, left| {
            let rides = || lateral.rides_up_to.is_some_and(|height| self.can_ride(touch, height));
            if self.is_walkable(touch) || rides() {
                let _ = met.grounds.try_push(touch.normal);
                let _ = met.others.try_push(Plane::still(touch.normal));
            } else {
                if let Some(support) = lateral.support.filter(|_| touch.other.is_none())
                    && let Some(step) = self.during(TickPart::Step, || {
                        self.step_up(touch, position, met.along_walls(&(wish * left)), support)
                    })
                {
                    course.stepped_on = Some(step.top);
                    return Next::Moved(step.position);
                }
                self.add_obstacle(touch, &wish, &mut met);
            }
            self.next_motion(&(wish * left), &met)
        });
        course.position = course.lateral.position;
    }

    /// Keeps the plane of something that is not walkable.
    fn add_obstacle(&self, touch: &Touch<f64>, wish: &Vector3<f64>, met: &mut Met) {
        let slope = touch.normal.dot(&self.up);
        let level = self.level(touch.normal);
        if slope > -LEVEL && level.length() > LEVEL {
            let level = level.unit();
            // Met again although it is kept: a motion that is turned by others needs its own plane as well.
            if !met.walls.iter().any(|known| known.level.dot(&level) > 1.0 - 1e-9) {
                let rise = |ground: &Vector3<f64>| -wish.dot(ground) / ground.dot(&self.up);
                let ground = met.grounds.iter().max_by(|a, b| rise(a).total_cmp(&rise(b)));
                let crease = ground.map(|ground| self.level(touch.normal - ground * (slope / ground.dot(&self.up))));
                let crease = crease.and_then(|crease| crease.try_normalize(LEVEL)).unwrap_or(level);
                let _ = met.walls.try_push(Wall { normal: touch.normal, level, crease });
                return;
            }
        }
        let _ = met.others.try_push(Plane::still(touch.normal));
    }

    /// The rest of the wish along the ground and around the obstacles: of the two ways along the walls the one nearer to the wish.
    fn next_motion(&self, wish: &Vector3<f64>, met: &Met) -> Next {
        let down = self.motion_along(wish, met, |wall| wall.level);
        if met.walls.iter().all(|wall| wall.crease == wall.level) {
            // Both ways are one, as beside what is upright.
            return down.map_or(Next::Stop(End::Crushed), Next::Move);
        }
        let up = self.motion_along(wish, met, |wall| wall.crease);
        let off = |motion: &Vector3<f64>| (self.level(*motion) - wish).norm_squared();
        match (down, up) {
            (Some(down), Some(up)) => Next::Move(if off(&up) < off(&down) { up } else { down }),
            (Some(motion), None) | (None, Some(motion)) => Next::Move(motion),
            (None, None) => Next::Stop(End::Crushed),
        }
    }

    /// The motion that enters no ground, and no wall as seen from above. `None` if there is none.
    fn motion_along(
        &self,
        wish: &Vector3<f64>,
        met: &Met,
        as_seen: impl Fn(&Wall) -> Vector3<f64>,
    ) -> Option<Vector3<f64>> {
        let mut planes: ArrayVec<Plane, { 2 * MAX_ROUNDS }> =
            met.walls.iter().map(|wall| Plane::still(as_seen(wall))).collect();
        let level = clip(wish, &planes)?;
        // Never up a steep surface, but not into it on the way down either.
        let steep = met.walls.iter().filter(|wall| wall.normal.dot(&self.up) > LEVEL);
        let slides = steep.map(|wall| (-level.dot(&wall.normal) / wall.normal.dot(&self.up)).min(0.0));
        let rise = slides.fold(self.climb(&level, &met.grounds), f64::max);
        let rising = self.rising(level, rise);
        // The walls as they are seen here are upright: who rises along them enters none.
        let motion = if met.others.is_empty() {
            rising
        } else {
            planes.extend(met.others.iter().copied());
            clip(&rising, &planes)?
        };
        // Pushed back, as between the ground and a ceiling that comes down to it: stay.
        Some(if motion.dot(wish) < 0.0 { Vector3::zeros() } else { motion })
    }

    /// A level motion that also rises (or falls): as far sideways as without, or as far in all.
    fn rising(&self, level: Vector3<f64>, rise: f64) -> Vector3<f64> {
        let motion = level + self.up * rise;
        match self.limits.slope_speed {
            SlopeSpeed::AlongSurface if rise != 0.0 => motion * (level.length() / motion.length()),
            _ => motion,
        }
    }

    /// How far a level motion rises (or falls) to stay on the ground: the most that any ground met asks for.
    fn climb(&self, level: &Vector3<f64>, grounds: &[Vector3<f64>]) -> f64 {
        let rises = grounds.iter().map(|normal| -level.dot(normal) / normal.dot(&self.up));
        rises.reduce(f64::max).unwrap_or(0.0).min(STEEPEST * level.length())
    }
}

impl Met {
    /// A level wish along the walls met so far.
    fn along_walls(&self, wish: &Vector3<f64>) -> Vector3<f64> {
        let walls: ArrayVec<Plane, MAX_ROUNDS> = self.walls.iter().map(|wall| Plane::still(wall.level)).collect();
        clip(wish, &walls).unwrap_or_default()
    }
}

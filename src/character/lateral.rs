//! The sideways part of a tick: along the ground where there is some, around walls, up steps.

use arrayvec::ArrayVec;
use nalgebra::{Point3, Vector3};

use super::{
    clip::{Plane, clip},
    config::STEEPEST,
    ground::Walker,
    slide::{End, MAX_ROUNDS, Next, Slide, slide_with},
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
    /// Height of the supporting ground along `up`, if steps may be taken.
    pub(super) support: Option<f64>,
}

/// What the sideways motion did.
pub(super) struct Moved {
    pub(super) slide: Slide<f64>,
    /// Height of the ledge that was stepped on.
    pub(super) stepped_on: Option<f64>,
}

/// The planes met so far, by what they are to a walker.
#[derive(Default)]
struct Met {
    /// Walkable ground, which the motion follows up.
    grounds: ArrayVec<Vector3<f64>, MAX_ROUNDS>,
    /// Normals of walls, level: a steep slope is a wall, or pushing would climb it.
    walls: ArrayVec<Plane, MAX_ROUNDS>,
    /// Everything that no motion may enter.
    all: ArrayVec<Plane, { 2 * MAX_ROUNDS }>,
}

impl Walker<'_> {
    /// Moves sideways. On ground the horizontal speed is kept, up and down slopes.
    pub(super) fn move_lateral(&self, start: Point3<f64>, lateral: &Lateral) -> Moved {
        let wish = lateral.wish;
        let mut met = Met::default();
        met.grounds.extend(lateral.ground);
        let mut stepped_on = None;
        let first = wish + self.up * self.climb(&wish, &met.grounds);
        let slide = slide_with(self.near, self.body, start, first, |touch, position, left| {
            if self.is_walkable(touch) {
                let _ = met.grounds.try_push(touch.normal);
                let _ = met.all.try_push(Plane::still(touch.normal));
            } else {
                if let Some(support) = lateral.support
                    && let Some(step) =
                        self.step_up(touch, position, clip(&(wish * left), &met.walls).unwrap_or_default(), support)
                {
                    stepped_on = Some(step.top);
                    return Next::Moved(step.position);
                }
                self.add_obstacle(touch, &wish, &mut met);
            }
            self.next_motion(&(wish * left), &met)
        });
        Moved { slide, stepped_on }
    }

    /// Keeps the plane of something that is not walkable.
    ///
    /// What is steep is a wall where it meets the ground that is walked on: a level motion that follows ground `g` rises by
    /// `−level·g / g_up`, so it enters a slope `s` where `level·(s − g · s_up / g_up) < 0`. On level ground that is the level part of `s`.
    /// On a hillside it is the crease between both, up which there may be a way.
    fn add_obstacle(&self, touch: &Touch<f64>, wish: &Vector3<f64>, met: &mut Met) {
        let slope = touch.normal.dot(&self.up);
        let rise = |ground: &Vector3<f64>| -wish.dot(ground) / ground.dot(&self.up);
        let ground = met.grounds.iter().max_by(|a, b| rise(a).total_cmp(&rise(b)));
        let trace = ground.map_or(touch.normal, |ground| touch.normal - ground * (slope / ground.dot(&self.up)));
        let level = self.level(trace);
        let is_wall = slope > -LEVEL && level.norm() > LEVEL;
        if is_wall {
            let wall = Plane::still(level.normalize());
            // Met again although it is kept: the motion goes down along it, so it needs its own plane as well.
            let is_known = met.walls.iter().any(|known| known.normal.dot(&wall.normal) > 1.0 - 1e-9);
            if !is_known {
                let _ = met.walls.try_push(wall);
                let _ = met.all.try_push(wall);
                return;
            }
        }
        let _ = met.all.try_push(Plane::still(touch.normal));
    }

    /// The rest of the wish along the ground and around the obstacles.
    fn next_motion(&self, wish: &Vector3<f64>, met: &Met) -> Next {
        let Some(level) = clip(wish, &met.walls) else { return Next::Stop(End::Crushed) };
        let rising = level + self.up * self.climb(&level, &met.grounds);
        match clip(&rising, &met.all) {
            // Pushed back, as between the ground and a ceiling that comes down to it: stay.
            Some(motion) if motion.dot(wish) < 0.0 => Next::Move(Vector3::zeros()),
            Some(motion) => Next::Move(motion),
            None => Next::Stop(End::Crushed),
        }
    }

    /// How far a level motion rises (or falls) to stay on the ground: the most that any ground met asks for.
    fn climb(&self, level: &Vector3<f64>, grounds: &[Vector3<f64>]) -> f64 {
        let rises = grounds.iter().map(|normal| -level.dot(normal) / normal.dot(&self.up));
        rises.reduce(f64::max).unwrap_or(0.0).min(STEEPEST * level.norm())
    }
}

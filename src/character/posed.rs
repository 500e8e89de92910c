//! [`Posed`]: a world as it is within a step of time, while its instances are on their way; and [`Only`]: a part of it.

use nalgebra::Vector3;

use crate::{
    shape::{Aabb3, Triangle},
    world::{CollisionWorld, InstanceId, QueryFilter, RigidMotion, WorldTriangle},
};

/// A world at a share of the step, with or without one of its instances.
pub(super) struct Posed<'a, W: ?Sized> {
    pub(super) world: &'a W,
    pub(super) share: f64,
    pub(super) without: Option<InstanceId>,
    /// How far anything goes that comes near in this step, in metres.
    pub(super) farthest: f64,
}

impl<W: CollisionWorld + ?Sized> CollisionWorld for Posed<'_, W> {
    fn each_triangle_near(&self, bounds: &Aabb3<f64>, filter: &QueryFilter, visit: &mut dyn FnMut(WorldTriangle)) {
        let mut last: Option<(InstanceId, Option<RigidMotion>)> = None;
        let bounds = bounds.grow(&Vector3::repeat(self.farthest));
        self.world.each_triangle_near(&bounds, filter, &mut |near| {
            if self.without == Some(near.instance) {
                return;
            }
            let motion = match last {
                Some((instance, motion)) if instance == near.instance => motion,
                _ => self.world.motion_of(near.instance),
            };
            last = Some((near.instance, motion));
            let triangle = match motion {
                Some(motion) if self.share < 1.0 => {
                    let [a, b, c] = near.triangle.vertices().map(|vertex| motion.carry(&vertex, 1.0, self.share));
                    Triangle::new(a, b, c)
                }
                _ => near.triangle,
            };
            visit(WorldTriangle { triangle, ..near });
        });
    }
}

/// What moves in a world in this step, or what rests.
pub(super) struct Only<'a, W: ?Sized> {
    pub(super) world: &'a W,
    pub(super) moves: bool,
}

impl<W: CollisionWorld + ?Sized> CollisionWorld for Only<'_, W> {
    fn each_triangle_near(&self, bounds: &Aabb3<f64>, filter: &QueryFilter, visit: &mut dyn FnMut(WorldTriangle)) {
        let mut last: Option<(InstanceId, bool)> = None;
        self.world.each_triangle_near(bounds, filter, &mut |near| {
            let moves = match last {
                Some((instance, moves)) if instance == near.instance => moves,
                _ => self.world.motion_of(near.instance).is_some(),
            };
            last = Some((near.instance, moves));
            if moves == self.moves {
                visit(near);
            }
        });
    }
}

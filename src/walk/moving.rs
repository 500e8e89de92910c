//! [`Moving`]: which meshes of a walk move, and where they are at a time.

use std::{borrow::Cow, iter};

use nalgebra::{Point3, Quaternion, UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use super::{Number, Walk, WalkError, WalkMesh, default_position, default_rotation};
use crate::{
    InputError,
    real::Real,
    world::{InstanceId, Placement, Pose, RigidMotion, World, WorldError},
};

/// Where a moving mesh of a [`Walk`] is at a time. Between two of them it goes straight, and turns evenly the shorter way; before the
/// first and after the last it rests.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keyframe {
    /// Seconds after the start.
    pub time: Number,
    /// Where the mesh's origin is; by default that of the world.
    #[serde(default = "default_position")]
    pub position: [Number; 3],
    /// Quaternion x, y, z, w, of any length but zero; by default not turned.
    #[serde(default = "default_rotation")]
    pub rotation: [Number; 4],
}

impl WalkMesh {
    /// Whether it ever moves.
    pub fn moves(&self) -> bool {
        let is_any = |numbers: &[Number; 3]| numbers.iter().any(|Number(x)| *x != 0.0);
        !self.keyframes.is_empty() || is_any(&self.velocity) || is_any(&self.angular_velocity)
    }

    /// Where it stands at a time, in seconds.
    ///
    /// # Errors
    /// If a rotation has no direction, or a number is not finite.
    pub fn placement_at<T: Real>(&self, time: f64) -> Result<Placement<T>, InputError> {
        let pose = if self.keyframes.is_empty() { self.pose_by_velocity(time)? } else { self.pose_by_keyframes(time)? };
        let rotation = UnitQuaternion::new_unchecked(pose.rotation.coords.map(T::nearest).into());
        let scale = Vector3::from(self.scale.map(|Number(x)| T::nearest(x)));
        Ok(Placement::at(pose.position.map(T::nearest)).turned(rotation).scaled(scale).on(self.layers.0))
    }

    fn pose_by_velocity(&self, time: f64) -> Result<Pose<f64>, InputError> {
        let start = pose_of(&self.position, &self.rotation)?;
        let turn = UnitQuaternion::from_scaled_axis(vector(&self.angular_velocity) * time);
        // At rest the numbers of the file, and not what a product with one makes of them.
        let rotation = if turn == UnitQuaternion::identity() { start.rotation } else { turn * start.rotation };
        Ok(Pose { position: start.position + vector(&self.velocity) * time, rotation })
    }

    fn pose_by_keyframes(&self, time: f64) -> Result<Pose<f64>, InputError> {
        let pose = |frame: &Keyframe| pose_of(&frame.position, &frame.rotation);
        let next = self.keyframes.partition_point(|frame| frame.time.0 <= time);
        match (next.checked_sub(1).and_then(|last| self.keyframes.get(last)), self.keyframes.get(next)) {
            (Some(from), Some(to)) => {
                let share = (time - from.time.0) / (to.time.0 - from.time.0);
                let (from, to) = (pose(from)?, pose(to)?);
                let turn = RigidMotion::between(&from, &to, 1.0)?.turn() * share;
                let position = from.position + (to.position - from.position) * share;
                Ok(Pose { position, rotation: UnitQuaternion::from_scaled_axis(turn) * from.rotation })
            }
            (Some(rest), None) | (None, Some(rest)) => pose(rest),
            (None, None) => Ok(Pose::default()),
        }
    }
}

fn pose_of(position: &[Number; 3], rotation: &[Number; 4]) -> Result<Pose<f64>, InputError> {
    let [x, y, z, w] = rotation.map(|Number(x)| x);
    let rotation = Quaternion::new(w, x, y, z);
    if !(rotation.norm() > 0.0 && rotation.norm().is_finite()) {
        return Err(InputError::NoDirection { what: "the rotation of a mesh" });
    }
    let rotation = UnitQuaternion::new_unchecked(rotation.normalize());
    Ok(Pose { position: Point3::from(vector(position)), rotation })
}

fn vector(numbers: &[Number; 3]) -> Vector3<f64> {
    Vector3::from(numbers.map(|Number(x)| x))
}

/// The meshes of a walk that move, in the world that [`world_of`](super::world_of) makes of it.
pub(super) struct Moving<'a> {
    meshes: Vec<(InstanceId, &'a WalkMesh)>,
    dt: f64,
}

impl<'a> Moving<'a> {
    /// # Errors
    /// If the world lacks one of the walk's meshes.
    pub(super) fn of<T: Real>(walk: &'a Walk, world: &World<T>) -> Result<Self, WorldError> {
        // The first instance is the level.
        let instances = world.instances().skip(1).map(Ok).chain(iter::repeat(Err(WorldError::NoSuchInstance)));
        let moving = walk.meshes.iter().zip(instances).filter(|(mesh, _)| mesh.moves());
        let meshes = moving.map(|(mesh, id)| id.map(|id| (id, mesh))).collect::<Result<_, _>>()?;
        Ok(Self { meshes, dt: walk.dt.0 })
    }

    /// The world itself where nothing moves in it, else a copy; meshes are shared.
    pub(super) fn world_for<'w, T: Real>(&self, world: &'w World<T>) -> Cow<'w, World<T>> {
        if self.meshes.is_empty() { Cow::Borrowed(world) } else { Cow::Owned(world.clone()) }
    }

    /// Moves all that moves to where it is after so many ticks.
    ///
    /// # Errors
    /// If a number makes no sense.
    pub(super) fn drive<T: Real>(&self, world: &mut Cow<'_, World<T>>, ticks: usize) -> Result<(), WalkError> {
        if self.meshes.is_empty() {
            return Ok(());
        }
        let world = world.to_mut();
        world.settle();
        for (id, mesh) in &self.meshes {
            world.drive(*id, &mesh.placement_at(self.dt * ticks as f64)?, T::nearest(self.dt))?;
        }
        Ok(())
    }
}

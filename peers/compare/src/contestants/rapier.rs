//! rapier3d: `KinematicCharacterController::move_shape`, with a capsule.

use std::f32::consts::FRAC_PI_4;

use anyhow::{Result, anyhow};
use rapier3d::{
    control::{CharacterAutostep, CharacterLength, KinematicCharacterController},
    prelude::*,
};
use sidle::nalgebra::Point3;

use super::{
    Walker,
    parry::{parts, vector},
    time,
};
use crate::{
    course::{Course, DT, GRAVITY, SKIN, SNAP, SPEED, STEP, Walked},
    sets::{CAPSULE_ARM, RADIUS},
};

struct Rapier {
    bodies: RigidBodySet,
    colliders: ColliderSet,
    broad_phase: DefaultBroadPhase,
    narrow_phase: NarrowPhase,
}

/// A character: the caller of this controller keeps the speed of falling.
#[derive(Clone, Copy)]
struct Walking {
    position: Vector,
    falling: f32,
}

/// A world of that one level.
pub(super) fn walker(mesh: &sidle::TriMesh<f32>) -> Result<Box<dyn Walker>> {
    let (vertices, triangles) = parts(mesh);
    let level = ColliderBuilder::trimesh(vertices, triangles).map_err(|error| anyhow!("rapier3d: {error}"))?;
    let (mut bodies, mut colliders) = (RigidBodySet::new(), ColliderSet::new());
    colliders.insert(level.build());
    let (mut broad_phase, mut narrow_phase) = (DefaultBroadPhase::new(), NarrowPhase::new());
    // One step of no time tells the broad phase of the level.
    CollisionPipeline::new().step(
        0.0,
        &mut IslandManager::new(),
        &mut broad_phase,
        &mut narrow_phase,
        &mut bodies,
        &mut colliders,
        &(),
        &(),
    );
    Ok(Box::new(Rapier { bodies, colliders, broad_phase, narrow_phase }))
}

impl Walker for Rapier {
    fn walk(&self, course: &Course) -> Result<Walked> {
        let shape = Capsule::new_y(CAPSULE_ARM, RADIUS);
        let controller = KinematicCharacterController {
            offset: CharacterLength::Absolute(SKIN),
            autostep: Some(CharacterAutostep { max_height: CharacterLength::Absolute(STEP), ..Default::default() }),
            max_slope_climb_angle: FRAC_PI_4,
            min_slope_slide_angle: FRAC_PI_4,
            snap_to_ground: Some(CharacterLength::Absolute(SNAP)),
            ..Default::default()
        };
        let dispatcher = self.narrow_phase.query_dispatcher();
        let queries =
            self.broad_phase.as_query_pipeline(dispatcher, &self.bodies, &self.colliders, QueryFilter::default());
        let start = |start: &Point3<f32>| Walking { position: vector(&start.coords), falling: 0.0 };
        let mut characters: Vec<_> = course.starts.iter().map(start).collect();
        let starts = characters.clone();
        let (mut walked, seconds) = time(|| {
            let mut walked = Walked::default();
            for tick in 0..course.ticks {
                for ((character, start), heading) in characters.iter_mut().zip(&starts).zip(course.headings(tick)) {
                    character.falling += GRAVITY * DT;
                    let wish = vector(&(heading * (SPEED * DT))) - Vector::Y * (character.falling * DT);
                    let pose = Pose::from_translation(character.position);
                    let moved = controller.move_shape(DT, &queries, &shape, &pose, wish, |_| {});
                    character.position += moved.translation;
                    walked.add(moved.translation.to_array().into(), moved.grounded);
                    if moved.grounded {
                        character.falling = 0.0;
                    }
                    if course.is_lost(&character.position.to_array().into()) {
                        *character = *start;
                        walked.falls += 1;
                    }
                }
            }
            Ok(walked)
        })?;
        walked.seconds = seconds;
        Ok(walked)
    }
}

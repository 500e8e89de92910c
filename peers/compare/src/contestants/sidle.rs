//! sidle: [`Octree::sweep`], [`Octree::cast_ray`], [`Character::tick`].

use std::f32::consts::FRAC_PI_4;

use anyhow::Result;
use sidle::{
    Character, CharacterConfig, Ellipsoid, Octree, Ray3, Scratch, Sweep, TickInput, TriMesh, World, nalgebra::Vector3,
};

use super::{Contestant, Fractions, Walker, time};
use crate::{
    course::{Course, DT, GRAVITY, SKIN, SNAP, SPEED, STEP, Walked},
    sets::{Body, HALF_HEIGHT, RADIUS, Set},
};

struct Sidle(Octree<f32>);

/// Checks the mesh and builds its tree.
pub(super) fn build(mesh: &TriMesh<f32>) -> Result<(Box<dyn Contestant>, f64)> {
    let (vertices, triangles) = (mesh.vertices().to_vec(), mesh.indices().collect());
    let (tree, seconds) = time(|| Ok(Octree::new(TriMesh::new(vertices, triangles)?)))?;
    Ok((Box::new(Sidle(tree)), seconds))
}

impl Contestant for Sidle {
    fn bytes(&self) -> usize {
        self.0.mesh().memory().total() + self.0.statistics().bytes
    }

    fn takes(&self, _body: Body) -> bool {
        true
    }

    fn answer(&self, set: &Set, fractions: &mut Fractions) -> Result<()> {
        fractions.clear();
        let body = match set.body {
            Body::Tall => tall()?,
            Body::Ball => Ellipsoid::sphere(RADIUS)?,
            Body::Point => {
                for query in &set.queries {
                    let ray = Ray3::new(query.start, query.motion)?;
                    fractions.push(self.0.cast_ray(&ray, 1.0).map(|hit| hit.t));
                }
                return Ok(());
            }
        };
        for query in &set.queries {
            let sweep = Sweep::new(&body, query.start, query.motion)?;
            fractions.push(self.0.sweep(&sweep).map(|hit| hit.contact.fraction));
        }
        Ok(())
    }
}

fn tall() -> Result<Ellipsoid<f32>> {
    Ok(Ellipsoid::new(Vector3::new(RADIUS, HALF_HEIGHT, RADIUS))?)
}

struct SidleWalker(World<f32>);

/// A world of that one level.
pub(super) fn walker(mesh: &TriMesh<f32>) -> Result<Box<dyn Walker>> {
    Ok(Box::new(SidleWalker(World::of_level(Octree::new(mesh.clone())))))
}

impl Walker for SidleWalker {
    fn walk(&self, course: &Course) -> Result<Walked> {
        let config = CharacterConfig {
            skin: SKIN,
            step_height: STEP,
            max_slope: FRAC_PI_4,
            snap_distance: SNAP,
            ..CharacterConfig::default()
        };
        let body = tall()?;
        let characters = course.starts.iter().map(|start| Character::new(body, config, *start));
        let mut characters = characters.collect::<Result<Vec<_>, _>>()?;
        let starts: Vec<_> = characters.iter().map(Character::state).collect();
        let mut scratch = Scratch::default();
        let (mut walked, seconds) = time(|| {
            let mut walked = Walked::default();
            for tick in 0..course.ticks {
                for ((character, start), heading) in characters.iter_mut().zip(&starts).zip(course.headings(tick)) {
                    let velocity: Vector3<f32> = heading * SPEED;
                    let input = TickInput { velocity, gravity: GRAVITY, ..TickInput::default() };
                    let report = character.tick(&self.0, &input, DT, &mut scratch)?;
                    walked.add(report.to - report.from, character.is_on_ground());
                    if course.is_lost(&report.to) {
                        character.restore(*start)?;
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

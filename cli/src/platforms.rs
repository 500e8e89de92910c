//! [`Platforms`]: meshes of a scenario file that are put into the level, and driven in each tick as a replay drives them.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use sidle::{
    Real, TriMesh, World,
    walk::{Expect, Keyframe, Number, Walk, WalkCharacter, WalkLayers, WalkMesh, world_of},
    world::Placement,
};

use crate::judge::{Corners, Face, Mover, triangles_of};

/// What else is in the level.
pub(crate) struct Platforms {
    meshes: Vec<WalkMesh>,
    dt: f64,
}

impl Platforms {
    /// None, for ticks of so many seconds.
    pub(crate) fn none(dt: f64) -> Self {
        Self { meshes: Vec::new(), dt }
    }

    /// The meshes of a scenario file.
    ///
    /// # Errors
    /// If it cannot be read, names no mesh, or one that is not there.
    pub(crate) fn read(path: &Path, dt: f64) -> Result<Self> {
        let mut meshes = Walk::read(path)?.meshes;
        ensure!(!meshes.is_empty(), "{} names no meshes", path.display());
        let folder = path.parent().unwrap_or(Path::new(""));
        for mesh in &mut meshes {
            let file = folder.join(&mesh.file);
            mesh.file = file.canonicalize().with_context(|| format!("cannot read {}", file.display()))?;
        }
        Ok(Self { meshes, dt })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.meshes.is_empty()
    }

    /// A level, and these in it, as at the start.
    ///
    /// # Errors
    /// If a file cannot be read or a number makes no sense.
    pub(crate) fn world<T: Real>(&self, level: PathBuf) -> Result<World<T>> {
        let walk = Walk {
            name: String::new(),
            level,
            layers: WalkLayers::default(),
            surfaces: Vec::new(),
            meshes: self.meshes.clone(),
            up: [0.0, 1.0, 0.0].map(Number),
            character: WalkCharacter::of([1.0; 3].map(Number)),
            start: [0.0; 3].map(Number),
            gravity: Number(0.0),
            dt: Number(self.dt),
            moves: Vec::new(),
            expect: Expect::default(),
            others: Vec::new(),
            recording: None,
        };
        Ok(world_of(&walk, Path::new(""))?)
    }

    /// What the judge knows of them: the triangles of those that are nothing but more of the level, and the others with their places
    /// after each of so many ticks.
    ///
    /// # Errors
    /// If a number makes no sense.
    pub(crate) fn for_judge<T: Real>(&self, world: &World<T>, ticks: usize) -> Result<(Vec<Corners>, Vec<Mover>)> {
        let (mut level, mut movers) = (Vec::new(), Vec::new());
        for (mesh, id) in self.meshes.iter().zip(world.instances().skip(1)) {
            let tree = world.mesh_of(id).context("a mesh is missing in the world")?;
            let is_moving = mesh.moves();
            let poses =
                (0..=if is_moving { ticks } else { 0 }).map(|tick| Ok(pose_of(&self.placement::<T>(mesh, tick)?)));
            let poses = poses.collect::<Result<Vec<_>>>()?;
            let faces = faces_of(mesh, tree.mesh());
            if is_moving || !mesh.surfaces.is_empty() {
                movers.push(Mover::new(faces, poses));
            } else {
                level.extend(faces.iter().map(|face| face.corners.map(|p| poses[0] * p)));
            }
        }
        Ok((level, movers))
    }

    /// The world to tick in: a copy if anything moves in it; meshes are shared.
    pub(crate) fn world_for<'w, T: Real>(&self, world: &'w World<T>) -> Cow<'w, World<T>> {
        if self.meshes.iter().any(WalkMesh::moves) { Cow::Owned(world.clone()) } else { Cow::Borrowed(world) }
    }

    /// Moves all that moves to where it is after so many ticks.
    ///
    /// # Errors
    /// If a number makes no sense.
    pub(crate) fn drive<T: Real>(&self, world: &mut Cow<'_, World<T>>, ticks: usize) -> Result<()> {
        let moving: Vec<_> =
            self.meshes.iter().zip(world.instances().skip(1)).filter(|(mesh, _)| mesh.moves()).collect();
        if moving.is_empty() {
            return Ok(());
        }
        let world = world.to_mut();
        world.settle();
        for (mesh, id) in moving {
            world.drive(id, &self.placement(mesh, ticks)?, T::nearest(self.dt))?;
        }
        Ok(())
    }

    /// The same meshes for a scenario that begins after so many ticks.
    ///
    /// # Errors
    /// If a number makes no sense.
    pub(crate) fn meshes_after(&self, ticks: usize) -> Result<Vec<WalkMesh>> {
        let time = self.dt * ticks as f64;
        let later = |mesh: &WalkMesh| {
            // As they are if there is no time to leave out: every product and turn has its rounding.
            if ticks == 0 || !mesh.moves() {
                return Ok(mesh.clone());
            }
            let keyframes = mesh.keyframes.iter().map(|frame| Keyframe { time: Number(frame.time.0 - time), ..*frame });
            let pose = mesh.placement_at::<f64>(time)?.pose;
            Ok(WalkMesh {
                position: <[f64; 3]>::from(pose.position.coords).map(Number),
                rotation: <[f64; 4]>::from(pose.rotation.coords).map(Number),
                keyframes: keyframes.collect(),
                ..mesh.clone()
            })
        };
        self.meshes.iter().map(later).collect()
    }

    fn placement<T: Real>(&self, mesh: &WalkMesh, ticks: usize) -> Result<Placement<T>> {
        Ok(mesh.placement_at(self.dt * ticks as f64)?)
    }
}

/// Puts meshes, the first of which is the instance after the level, where they are at the start of their scenario.
///
/// # Errors
/// If a number makes no sense, or there are more meshes than instances.
pub(crate) fn put_to_start<'w, T: Real>(meshes: &[WalkMesh], world: &'w World<T>) -> Result<Cow<'w, World<T>>> {
    if meshes.is_empty() {
        return Ok(Cow::Borrowed(world));
    }
    let mut copy = world.clone();
    for (mesh, id) in meshes.iter().zip(world.instances().skip(1)) {
        copy.move_to(id, &mesh.placement_at(0.0)?)?;
    }
    Ok(Cow::Owned(copy))
}

/// Where the scaled mesh is.
fn pose_of<T: Real>(placement: &Placement<T>) -> Isometry3<f64> {
    let position = placement.pose.position.map(Real::to_f64);
    let rotation = UnitQuaternion::from_quaternion(placement.pose.rotation.coords.map(Real::to_f64).into());
    Isometry3::from_parts(Translation3::from(position), rotation)
}

fn faces_of<T: Real>(mesh: &WalkMesh, triangles: &TriMesh<T>) -> Vec<Face> {
    let scale = Vector3::from(mesh.scale.map(|Number(x)| T::nearest(x).to_f64()));
    let names = triangles.material_names();
    let face = |(number, corners): (u32, Corners)| {
        let name = names.get(triangles.material(number).0 as usize);
        let surface = mesh.surfaces.iter().find(|surface| Some(&surface.material) == name);
        let mut corners = corners.map(|p| Point3::from(p.coords.component_mul(&scale)));
        if scale.product() < 0.0 {
            corners.swap(1, 2); // fronts stay fronts
        }
        Face {
            corners,
            is_solid: !surface.is_some_and(|surface| surface.one_way),
            belt: surface.map_or(0.0, |surface| Vector3::from(surface.velocity.map(|Number(x)| x)).norm()),
        }
    };
    (0..).zip(triangles_of(triangles)).map(face).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mesh(json: &str) -> WalkMesh {
        serde_json::from_str(json).expect("a mesh")
    }

    #[test]
    fn meshes_of_a_later_scenario_go_on_from_where_they_are_then() {
        let at_rest = mesh(r#"{ "file": "a.obj", "position": [1, 2, 3] }"#);
        let by_velocity = mesh(
            r#"{ "file": "a.obj", "position": [1, 0, 0], "velocity": [0, 2, -1], "angular_velocity": [0, 1.5, 0.5],
                 "rotation": [0, 0.6, 0, 0.8], "scale": [1, 2, 3] }"#,
        );
        let by_keyframes = mesh(
            r#"{ "file": "a.obj", "keyframes": [{ "time": 0.5 }, { "time": 3, "position": [5, 0, 1], "rotation": [0, 0.6, 0, 0.8] }] }"#,
        );
        let platforms = Platforms { meshes: vec![at_rest, by_velocity, by_keyframes], dt: 1.0 / 60.0 };
        for begin in [0, 10, 90, 400] {
            let later = platforms.meshes_after(begin).expect("meshes");
            for (mesh, later) in platforms.meshes.iter().zip(&later) {
                for ticks in [0, 30, 200] {
                    let expected = platforms.placement::<f64>(mesh, begin + ticks).expect("a place");
                    let found = platforms.placement::<f64>(later, ticks).expect("a place");
                    let off = pose_of(&expected).inverse() * pose_of(&found);
                    assert!(
                        off.translation.vector.norm() < 1e-9 && off.rotation.imag().norm() < 1e-9,
                        "{begin}: {found:?}"
                    );
                    assert_eq!(found.scale, expected.scale);
                }
            }
        }
        assert_eq!(platforms.meshes_after(0).expect("meshes"), platforms.meshes);
    }

    #[test]
    fn what_rests_and_is_plain_is_more_of_the_level() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/walks");
        let platforms = Platforms::read(&folder.join("door_and_press.json"), 1.0 / 60.0).expect("a file");
        let world = platforms.world::<f32>(folder.join("../meshes/floor.obj")).expect("a world");
        let (level, movers) = platforms.for_judge(&world, 60).expect("places");
        assert_eq!((level.len(), movers.len()), (12, 1));
        // A block of 1 × 3 × 4 m.
        assert!(
            level.iter().flatten().all(|p| (p.x - 3.5).abs() == 0.5 && (p.y - 1.5).abs() == 1.5 && p.z.abs() == 2.0)
        );
        assert!(
            Platforms::read(&folder.join("stairs_up.json"), 1.0)
                .is_err_and(|error| error.to_string().contains("no meshes"))
        );
    }
}

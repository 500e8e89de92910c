//! [`replay`]: runs a walk, tick by tick.

use std::{path::Path, sync::Arc};

use nalgebra::{Point3, Unit, Vector3};

use super::{
    Move, Number, Walk, WalkError, WalkSurface, moving::Moving, surface::set_surfaces, together::replay_together,
};
use crate::{
    InputError,
    character::{Character, CharacterConfig, GroundState, MovementMode, Scratch, TickInput, TickReport, Touch},
    mesh::{ObjOptions, read_obj},
    octree::Octree,
    real::Real,
    world::{Placement, QueryFilter, World},
};

/// Where a walk led.
#[derive(Debug, Clone, PartialEq)]
pub struct Track {
    /// Position before the first tick.
    pub start: Point3<f64>,
    /// Unit vector up.
    pub up: Vector3<f64>,
    /// The state after each tick.
    pub ticks: Vec<TrackTick>,
    /// Where the others went, in the order of the walk.
    pub others: Vec<Self>,
}

/// The state after a tick of a walk.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackTick {
    /// Position, with all that is known of it.
    pub position: Point3<f64>,
    /// The way of the tick by its time, in metres a second.
    pub velocity: Vector3<f64>,
    /// Whether and how it is supported.
    pub ground: GroundState,
    /// The contacts of the tick.
    pub touches: Vec<Touch<f64>>,
    /// Whether something that moves has pushed it against something that did not give way.
    pub is_crushed: bool,
}

/// Runs a walk in its level, read relative to `folder`, with a world of scalar `T`.
///
/// # Errors
/// If the level cannot be read or a number makes no sense.
pub fn replay<T: Real>(walk: &Walk, folder: &Path) -> Result<(Track, World<T>), WalkError> {
    let world = world_of::<T>(walk, folder)?;
    let track = replay_in(walk, &world)?;
    Ok((track, world))
}

/// The world of a walk: its level, and its meshes in the order in which they are named, read relative to `folder`.
///
/// # Errors
/// If a file cannot be read or a mesh cannot be placed.
pub fn world_of<T: Real>(walk: &Walk, folder: &Path) -> Result<World<T>, WalkError> {
    let mut world = World::new();
    let mut place = |file: &Path, placement: &Placement<T>, surfaces: &[WalkSurface]| {
        let mesh = read_obj::<T>(folder.join(file), &ObjOptions::default())?;
        let tree = Arc::new(Octree::new(mesh));
        let id = world.add_mesh(tree.clone());
        set_surfaces(&mut world, id, tree.mesh(), surfaces)?;
        world.place(id, placement)?;
        Ok::<(), WalkError>(())
    };
    place(&walk.level, &Placement::default().on(walk.layers.0), &walk.surfaces)?;
    for mesh in &walk.meshes {
        place(&mesh.file, &mesh.placement_at(0.0)?, &mesh.surfaces)?;
    }
    Ok(world)
}

/// Runs a walk in a world that is there already. If meshes of the walk move, its instances are the level and these, in this order, as in
/// the world that [`world_of`] makes; what moves does so in a copy.
///
/// # Errors
/// If a number of the walk makes no sense.
pub fn replay_in<T: Real>(walk: &Walk, world: &World<T>) -> Result<Track, WalkError> {
    if !walk.others.is_empty() {
        return replay_together(walk, world);
    }
    let mut character = character_of::<T>(walk)?;
    let up = up_of::<T>(walk)?;
    let mut scratch = Scratch::default();
    let moving = Moving::of(walk, world)?;
    let mut world = moving.world_for(world);
    let mut ticks = Vec::new(); // how many a file names is nothing to rely on
    for (each, is_first) in walk.wishes() {
        moving.drive(&mut world, ticks.len() + 1)?;
        let report = character
            .tick(&*world, &input_of(walk, each, is_first, up), T::nearest(walk.dt.0), &mut scratch)
            .map_err(|source| WalkError::Tick { tick: ticks.len(), source })?;
        ticks.push(TrackTick::of(&character, &report));
    }
    Ok(Track { start: start_of(walk), up: up.map(Real::to_f64), ticks, others: Vec::new() })
}

impl TrackTick {
    pub(super) fn of<T: Real>(character: &Character<T>, report: &TickReport<T>) -> Self {
        Self {
            position: character.state().exact_position(),
            velocity: report.velocity.map(Real::to_f64),
            ground: report.ground.state,
            touches: report.touches().map(Touch::cast).collect(),
            is_crushed: report.ride.is_crushed,
        }
    }
}

/// What a move asks for in a tick: on foot, or flying where there is no gravity.
pub(super) fn input_of<T: Real>(walk: &Walk, each: &Move, is_first: bool, up: Unit<Vector3<T>>) -> TickInput<T> {
    TickInput {
        velocity: vector(&each.velocity),
        jump: each.jump.filter(|_| is_first).map(|Number(speed)| T::nearest(speed)),
        gravity: T::nearest(walk.gravity.0),
        up,
        mode: if walk.gravity.0 == 0.0 { MovementMode::Fly } else { MovementMode::Walk },
    }
}

pub(super) fn start_of(walk: &Walk) -> Point3<f64> {
    vector::<f64>(&walk.start).into()
}

pub(super) fn character_of<T: Real>(walk: &Walk) -> Result<Character<T>, WalkError> {
    let settings = &walk.character;
    let config = CharacterConfig {
        skin: T::nearest(settings.skin.0),
        step_height: T::nearest(settings.step_height.0),
        max_slope: T::nearest(settings.max_slope_deg.0 * std::f64::consts::PI / 180.0),
        snap_distance: T::nearest(settings.snap_distance.0),
        slope_speed: settings.slope_speed,
        ceiling: settings.ceiling,
        ..CharacterConfig::default()
    };
    let mut character = Character::new(settings.shape()?, config, vector(&walk.start).into())?;
    character.set_layers(settings.layers.0);
    character.set_filter(QueryFilter::of_layers(settings.sees.0));
    Ok(character)
}

pub(super) fn up_of<T: Real>(walk: &Walk) -> Result<Unit<Vector3<T>>, InputError> {
    let up = vector::<f64>(&walk.up);
    if !(up.norm() > 0.0 && up.norm().is_finite()) {
        return Err(InputError::NoDirection { what: "up" });
    }
    Ok(Unit::new_unchecked(up.normalize().map(T::nearest)))
}

fn vector<T: Real>(numbers: &[Number; 3]) -> Vector3<T> {
    Vector3::from(numbers.map(|Number(x)| T::nearest(x)))
}

//! Scripted scenarios, as JSON files: [`Walk`] is the script, [`replay`] runs it, [`judge`] holds the track against what
//! was expected.
//!
//! A walk names a level, a body, its settings, where it starts, what it is asked to do, and what should come of it. All
//! lengths are in metres, times in seconds, `y` is up unless the walk says otherwise. An unknown key is an error, so
//! that no expectation is silently left out.
//!
//! | key | meaning | default |
//! | --- | --- | --- |
//! | `name` | name of the walk | required |
//! | `level` | OBJ file, relative to the walk's file | required |
//! | `layers` | on which layers the level is, a list of numbers from 0 to 31 | `[0]` |
//! | `surfaces` | what materials of the level are: see [`WalkSurface`] | none |
//! | `meshes` | more OBJ files in the same world, each with its place and how it moves: see [`WalkMesh`] | none |
//! | `up` | direction of up | `[0, 1, 0]` |
//! | `character` | `radii` of one ellipsoid, or `parts`: a list of `radii`, `offset` and `rotation`, see [`WalkPart`]; `skin`, `step_height`, `max_slope_deg`, `snap_distance`; `slope_speed` (`horizontal` or `along_surface`), `ceiling` (`stop` or `slide`); `layers` on which it is, `sees`: the layers that are solid to it | 0.02, 0.3, 45, 0.2; the first of each; `[0]`, all |
//! | `start` | position before the first tick: the centre of the ellipsoid, or from where the offsets of parts are | required |
//! | `gravity` | along `-up`; 0 means flying: the velocity is used whole, without ground logic | 9.81 |
//! | `dt` | seconds of a tick | 0.016666667 |
//! | `moves` | list of `ticks`, `velocity`, and an optional `jump`: a take-off speed on the first tick | required |
//! | `expect` | see [`Expect`] | required |
//! | `others` | who else is about, in each other's way as in a [`Crowd`](crate::character::Crowd): see [`WalkOther`] | nobody |
//! | `recording` | where the walk once led, tick by tick: see [`Recording`] | none |
//!
//! A number may be one of the strings `"NaN"`, `"inf"` and `"-inf"`, which JSON has no numbers for.

mod body;
mod expect;
mod gap;
mod judge;
mod layers;
mod moving;
mod number;
mod other;
mod rate;
mod recording;
mod replay;
mod surface;
mod together;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

pub use body::WalkPart;
pub use expect::Expect;
pub use judge::{Difference, judge};
pub use layers::{NoSuchLayer, WalkLayers};
pub use moving::Keyframe;
pub use number::Number;
pub use other::WalkOther;
pub use rate::is_about_its_time_step;
pub use recording::{RecordedTick, Recording, Scalar};
pub use replay::{Track, TrackTick, replay, replay_in, world_of};
pub use surface::WalkSurface;

use crate::{
    InputError,
    character::{CeilingResponse, CrowdError, SlopeSpeed},
    mesh::ObjError,
    world::WorldError,
};

/// A scripted scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Walk {
    /// Name of the walk.
    pub name: String,
    /// The level's OBJ file, relative to the walk's own file.
    pub level: PathBuf,
    /// On which layers the level is; by default the first.
    #[serde(default, skip_serializing_if = "is_default")]
    pub layers: WalkLayers,
    /// What materials of the level are to the character.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub surfaces: Vec<WalkSurface>,
    /// What else stands in the world, or moves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub meshes: Vec<WalkMesh>,
    /// Direction of up; need not be of unit length.
    #[serde(default = "default_up")]
    pub up: [Number; 3],
    /// The body and its settings.
    pub character: WalkCharacter,
    /// Position before the first tick: the centre of the ellipsoid, or from where the offsets of parts are.
    pub start: [Number; 3],
    /// Gravity along `-up`, in metres a second squared; 0 means flying.
    #[serde(default = "default_gravity")]
    pub gravity: Number,
    /// Seconds of a tick.
    #[serde(default = "default_dt")]
    pub dt: Number,
    /// What it is asked to do, one after the other.
    pub moves: Vec<Move>,
    /// What should come of it.
    pub expect: Expect,
    /// Who else is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<WalkOther>,
    /// Where it once led, tick by tick; a replay in the same scalar must repeat it to the bit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recording: Option<Recording>,
}

/// A further mesh in the world of a [`Walk`]: scaled along its axes, then turned, then moved.
///
/// It may move, by velocities or by keyframes; then before each tick it is driven to where it is when that ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WalkMesh {
    /// OBJ file, relative to the walk's own file. Several meshes may name the same.
    pub file: PathBuf,
    /// Where the mesh's origin is; by default that of the world.
    #[serde(default = "default_position")]
    pub position: [Number; 3],
    /// Quaternion x, y, z, w, of any length but zero; by default not turned.
    #[serde(default = "default_rotation")]
    pub rotation: [Number; 4],
    /// Factor along each axis of the mesh, not zero; by default 1.
    #[serde(default = "default_scale")]
    pub scale: [Number; 3],
    /// Velocity of the mesh's origin, in metres a second; by default 0.
    #[serde(default = "default_position", skip_serializing_if = "is_zero")]
    pub velocity: [Number; 3],
    /// Axis times radians a second, about the mesh's origin; by default 0.
    #[serde(default = "default_position", skip_serializing_if = "is_zero")]
    pub angular_velocity: [Number; 3],
    /// Where it is at times in rising order, instead of `position`, `rotation` and velocities.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keyframes: Vec<Keyframe>,
    /// On which layers it is; by default the first.
    #[serde(default, skip_serializing_if = "is_default")]
    pub layers: WalkLayers,
    /// What its materials are to the character.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub surfaces: Vec<WalkSurface>,
}

/// The body of a [`Walk`] and its settings. It is given either by `radii` or by `parts`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WalkCharacter {
    /// Semi-axes of one ellipsoid, along the world's axes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radii: Option<[Number; 3]>,
    /// Several ellipsoids, each at its offset.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<WalkPart>,
    /// Gap that is kept to surfaces.
    #[serde(default = "default_skin")]
    pub skin: Number,
    /// Highest ledge to step on; 0 for none.
    #[serde(default = "default_step_height")]
    pub step_height: Number,
    /// Steepest walkable slope in degrees.
    #[serde(default = "default_slope")]
    pub max_slope_deg: Number,
    /// How far ground is followed downwards; 0 for not at all.
    #[serde(default = "default_snap")]
    pub snap_distance: Number,
    /// Which speed the wish is on a slope: `horizontal`, as by default, or `along_surface`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub slope_speed: SlopeSpeed,
    /// What a ceiling does to a jump: `stop`, as by default, or `slide`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub ceiling: CeilingResponse,
    /// On which layers it is to others; by default the first.
    #[serde(default, skip_serializing_if = "is_default")]
    pub layers: WalkLayers,
    /// Which meshes and others are solid to it, by their layers; by default all.
    #[serde(default = "WalkLayers::all", skip_serializing_if = "WalkLayers::is_all")]
    pub sees: WalkLayers,
}

/// Some ticks with the same wish.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Move {
    /// Number of ticks.
    pub ticks: usize,
    /// The velocity wished for, in the world.
    pub velocity: [Number; 3],
    /// Take-off speed along up on the first tick, taken only on ground.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jump: Option<Number>,
}

/// Why a walk could not be read or run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WalkError {
    /// The walk's file cannot be read.
    #[error("cannot read {}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The walk's file is not a walk.
    #[error("{}: {source}", .path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: serde_json::Error,
    },
    /// The level cannot be read.
    #[error(transparent)]
    Level(#[from] ObjError),
    /// A mesh of the walk cannot be placed.
    #[error(transparent)]
    World(#[from] WorldError),
    /// A rule is for a material that its mesh does not have.
    #[error("there is no material {name}")]
    NoSuchMaterial {
        /// The material's name.
        name: String,
    },
    /// The body is given twice, or not at all.
    #[error("a character has either `radii` or `parts`")]
    Body,
    /// There is no room for all who are about.
    #[error(transparent)]
    Crowd(#[from] CrowdError),
    /// A number of the walk makes no sense.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A number of the walk made no sense in the middle of it.
    #[error("tick {tick}: {source}")]
    Tick {
        /// Number of the tick, from 0.
        tick: usize,
        /// What was wrong.
        source: InputError,
    },
}

impl Walk {
    /// Reads a walk from its file.
    ///
    /// # Errors
    /// If the file cannot be read, is no JSON, lacks a key or has one that does not exist.
    pub fn read(path: &Path) -> Result<Self, WalkError> {
        let text = fs::read_to_string(path).map_err(|source| WalkError::Io { path: path.into(), source })?;
        serde_json::from_str(&text).map_err(|source| WalkError::Format { path: path.into(), source })
    }

    /// Number of ticks of all moves.
    pub fn ticks(&self) -> usize {
        self.moves.iter().fold(0, |sum: usize, each| sum.saturating_add(each.ticks))
    }

    /// The move of each tick, and whether it is the first of that move.
    fn wishes(&self) -> impl Iterator<Item = (&Move, bool)> {
        self.moves.iter().flat_map(|each| (0..each.ticks).map(move |tick| (each, tick == 0)))
    }
}

impl WalkCharacter {
    /// A body of one ellipsoid, with the settings that files may leave out.
    pub fn of(radii: [Number; 3]) -> Self {
        Self { radii: Some(radii), ..Self::of_parts(Vec::new()) }
    }

    /// A body of several ellipsoids, with the settings that files may leave out.
    pub fn of_parts(parts: Vec<WalkPart>) -> Self {
        Self {
            radii: None,
            parts,
            skin: default_skin(),
            step_height: default_step_height(),
            max_slope_deg: default_slope(),
            snap_distance: default_snap(),
            slope_speed: SlopeSpeed::default(),
            ceiling: CeilingResponse::default(),
            layers: WalkLayers::default(),
            sees: WalkLayers::ALL,
        }
    }
}

impl Move {
    /// Adds a tick to a list of moves: to the last of them if it wishes for the same and does not jump, else as another.
    pub fn add_tick(moves: &mut Vec<Self>, velocity: [Number; 3], jump: Option<Number>) {
        match moves.last_mut() {
            Some(last) if jump.is_none() && last.velocity == velocity => last.ticks += 1,
            _ => moves.push(Self { ticks: 1, velocity, jump }),
        }
    }
}

fn default_position() -> [Number; 3] {
    [0.0; 3].map(Number)
}

fn is_default<V: Default + PartialEq>(value: &V) -> bool {
    *value == V::default()
}

fn is_zero(numbers: &[Number; 3]) -> bool {
    numbers.iter().all(|Number(x)| *x == 0.0)
}

fn default_rotation() -> [Number; 4] {
    [0.0, 0.0, 0.0, 1.0].map(Number)
}

fn is_unturned(rotation: &[Number; 4]) -> bool {
    *rotation == default_rotation()
}

fn default_scale() -> [Number; 3] {
    [1.0; 3].map(Number)
}

fn default_up() -> [Number; 3] {
    [0.0, 1.0, 0.0].map(Number)
}

fn default_gravity() -> Number {
    Number(9.81)
}

fn default_dt() -> Number {
    Number(0.016666667)
}

fn default_skin() -> Number {
    Number(0.02)
}

fn default_step_height() -> Number {
    Number(0.3)
}

fn default_slope() -> Number {
    Number(45.0)
}

fn default_snap() -> Number {
    Number(0.2)
}

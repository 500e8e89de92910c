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
//! | `up` | direction of up | `[0, 1, 0]` |
//! | `character` | `radii` (required), `skin`, `step_height`, `max_slope_deg`, `snap_distance` | 0.02, 0.3, 45, 0.2 |
//! | `start` | centre of the ellipsoid before the first tick | required |
//! | `gravity` | along `-up`; 0 means flying: the velocity is used whole, without ground logic | 9.81 |
//! | `dt` | seconds of a tick | 0.016666667 |
//! | `moves` | list of `ticks`, `velocity`, and an optional `jump`: a take-off speed on the first tick | required |
//! | `expect` | see [`Expect`] | required |
//!
//! A number may be one of the strings `"NaN"`, `"inf"` and `"-inf"`, which JSON has no numbers for.

mod judge;
mod number;
mod replay;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

pub use judge::{Difference, judge};
pub use number::Number;
pub use replay::{Track, TrackTick, replay, replay_in};

use crate::{InputError, mesh::ObjError};

/// A scripted scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Walk {
    /// Name of the walk.
    pub name: String,
    /// The level's OBJ file, relative to the walk's own file.
    pub level: PathBuf,
    /// Direction of up; need not be of unit length.
    #[serde(default = "default_up")]
    pub up: [Number; 3],
    /// The body and its settings.
    pub character: WalkCharacter,
    /// Centre of the ellipsoid before the first tick.
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
}

/// The body of a [`Walk`] and its settings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WalkCharacter {
    /// Semi-axes along the world's axes.
    pub radii: [Number; 3],
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

/// What should come of a [`Walk`]. All that is named must hold; "always" and "any tick" mean the states after ticks.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Expect {
    /// The last centre is within `tolerance` of this point.
    #[serde(rename = "final", skip_serializing_if = "Option::is_none")]
    pub end: Option<[f64; 3]>,
    /// How far the last centre may be from `final`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
    /// No coordinate of the last centre is below; null is no bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub final_min: Option<[Option<f64>; 3]>,
    /// No coordinate of the last centre is above.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub final_max: Option<[Option<f64>; 3]>,
    /// No coordinate of any centre is below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub always_min: Option<[Option<f64>; 3]>,
    /// No coordinate of any centre is above.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub always_max: Option<[Option<f64>; 3]>,
    /// Whether the body is on ground after the last tick.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grounded: Option<bool>,
    /// Largest depth of the body (without its skin) in any triangle, after any tick.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_penetration: Option<f64>,
    /// Least horizontal distance between the start and the last centre.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_travel: Option<f64>,
    /// Longest way of any tick, from centre to centre.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tick_displacement: Option<f64>,
    /// Largest difference of heights along up over the ticks of the last move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_vertical_jitter: Option<f64>,
    /// Least share of ticks on ground, leaving out the first 30.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grounded_ratio_min: Option<f64>,
    /// Over the last move: one less the horizontal distance of its ends by that of the wish.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_speed_loss: Option<f64>,
    /// Whether the run must end in an error: at load, at creation of the body, or on a tick.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<bool>,
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
        self.moves.iter().map(|each| each.ticks).sum()
    }
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

//! [`Recording`]: where a walk led, tick by tick, so that a replay can be held against it to the bit.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::{Number, Track, TrackTick};
use crate::{character::GroundState, real::Real};

/// The scalar of a world, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scalar {
    /// 32 bits
    F32,
    /// 64 bits
    F64,
}

impl Scalar {
    /// The name of `T`.
    pub fn of<T: Real>() -> Self {
        if T::IS_F32 { Self::F32 } else { Self::F64 }
    }
}

/// Where a walk led, tick by tick.
///
/// A replay in the same scalar, at the walk's own `dt`, repeats it to the bit, on every machine; [`judge`](super::judge())
/// says at which tick it does not. In the other scalar the bits are others, and the recording is not judged.
/// It holds the walk's own character alone: where its others went is seen by what they did to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recording {
    /// In what the world and the state were stored.
    pub scalar: Scalar,
    /// The state after each tick, from the first.
    pub ticks: Vec<RecordedTick>,
}

/// The state after a tick of a [`Recording`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedTick {
    /// Position, with all that is known of it, in metres.
    pub position: [Number; 3],
    /// The way of the tick by its time, in metres a second.
    pub velocity: [Number; 3],
    /// Whether and how it is supported.
    pub ground: GroundState,
}

impl Recording {
    /// The recording of a track that was made in a world of scalar `T`.
    pub fn of<T: Real>(track: &Track) -> Self {
        Self { scalar: Scalar::of::<T>(), ticks: track.ticks.iter().map(RecordedTick::of).collect() }
    }

    /// The first tick in which a track is not the recorded one to the bit, in words.
    pub fn first_difference(&self, track: &Track) -> Option<String> {
        let different = (0..).zip(self.ticks.iter().zip(&track.ticks)).find_map(|(tick, (recorded, found))| {
            recorded.difference(&RecordedTick::of(found)).map(|what| format!("tick {tick}: {what}"))
        });
        let lengths = (self.ticks.len(), track.ticks.len());
        different.or_else(|| {
            (lengths.0 != lengths.1).then(|| format!("{} ticks are recorded, the walk has {}", lengths.0, lengths.1))
        })
    }
}

impl RecordedTick {
    fn of(tick: &TrackTick) -> Self {
        let numbers = |v: Vector3<f64>| [v.x, v.y, v.z].map(Number);
        Self { position: numbers(tick.position.coords), velocity: numbers(tick.velocity), ground: tick.ground }
    }

    /// What is not the same to the bit.
    fn difference(&self, found: &Self) -> Option<String> {
        let bits = |numbers: &[Number; 3]| numbers.map(|Number(x)| x.to_bits());
        let plain = |numbers: &[Number; 3]| numbers.map(|Number(x)| x);
        for (what, recorded, found) in
            [("position", &self.position, &found.position), ("velocity", &self.velocity, &found.velocity)]
        {
            if bits(recorded) != bits(found) {
                return Some(format!("{what} {:?} was recorded, it is {:?}", plain(recorded), plain(found)));
            }
        }
        (self.ground != found.ground).then(|| format!("{:?} was recorded, it is {:?}", self.ground, found.ground))
    }
}

//! [`WalkLayers`]: layers as a file names them.

use serde::{Deserialize, Serialize};

use crate::world::Layers;

/// Layers, in JSON a list of their numbers, from 0 to 31. The first, 0, is where things are unless they say otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "Vec<u32>", into = "Vec<u32>")]
pub struct WalkLayers(pub Layers);

impl WalkLayers {
    /// Every layer.
    pub const ALL: Self = Self(Layers::ALL);

    pub(super) fn all() -> Self {
        Self::ALL
    }

    pub(super) fn is_all(&self) -> bool {
        *self == Self::ALL
    }
}

/// A layer that there is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there is no layer {0}: they are numbered from 0 to 31")]
pub struct NoSuchLayer(pub u32);

impl TryFrom<Vec<u32>> for WalkLayers {
    type Error = NoSuchLayer;

    fn try_from(numbers: Vec<u32>) -> Result<Self, NoSuchLayer> {
        let bits = numbers
            .into_iter()
            .try_fold(0, |bits, number| 1_u32.checked_shl(number).map(|bit| bits | bit).ok_or(NoSuchLayer(number)))?;
        Ok(Self(Layers(bits)))
    }
}

impl From<WalkLayers> for Vec<u32> {
    fn from(layers: WalkLayers) -> Self {
        (0..u32::BITS).filter(|number| layers.0.0 >> number & 1 == 1).collect()
    }
}

//! [`QueryFilter`]: which instances a query sees.

use arrayvec::ArrayVec;

use super::InstanceId;

/// A set of up to 32 layers, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Layers(pub u32);

impl Layers {
    /// Every layer.
    pub const ALL: Self = Self(u32::MAX);
    /// No layer: nobody sees what is on none, and who sees none sees nothing.
    pub const NONE: Self = Self(0);

    /// Whether the sets share a layer.
    pub fn meet(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// The first layer: where things are unless they say otherwise.
impl Default for Layers {
    fn default() -> Self {
        Self(1)
    }
}

/// Which instances a query sees; by default all. As the filter of a character it also says which others of a
/// [`Crowd`](crate::character::Crowd) that character sees, by their layers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct QueryFilter {
    /// Instances on none of these layers are not seen.
    pub layers: Layers,
    /// Instances that are not seen whatever their layers; at most eight.
    pub ignored: ArrayVec<InstanceId, 8>,
}

impl Default for QueryFilter {
    fn default() -> Self {
        Self { layers: Layers::ALL, ignored: ArrayVec::new() }
    }
}

impl QueryFilter {
    /// Sees the instances on at least one of the layers.
    pub fn of_layers(layers: Layers) -> Self {
        Self { layers, ..Self::default() }
    }

    /// Whether an instance on some layers is seen.
    pub fn sees(&self, instance: InstanceId, layers: Layers) -> bool {
        self.layers.meet(layers) && !self.ignored.contains(&instance)
    }
}

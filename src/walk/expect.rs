//! [`Expect`]: what should come of a walk.

use serde::{Deserialize, Serialize};

/// What should come of a [`Walk`](super::Walk). All that is named must hold; "always" and "any tick" mean the states after ticks.
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
    /// Largest horizontal distance between any two centres after the ticks of the last move: how far one that should stay
    /// in place moves about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_horizontal_jitter: Option<f64>,
    /// Least share of ticks on ground, leaving out the first `settling_ticks`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grounded_ratio_min: Option<f64>,
    /// How many ticks `grounded_ratio_min` leaves out; 30 if it is not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settling_ticks: Option<usize>,
    /// Over the last move: one less the horizontal distance of its ends by that of the wish.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_speed_loss: Option<f64>,
    /// Whether the body is crushed in any tick by what moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub crushed: Option<bool>,
    /// Least distance to any of the others after any tick, true ellipsoids without their skins; less than zero is an overlap.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_gap_to_others: Option<f64>,
    /// Whether the run must end in an error: at load, at creation of the body, or on a tick.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<bool>,
}

/// Ticks that the share of ground does not count where the walk does not say how many: the body settles.
const SETTLING_TICKS: usize = 30;

impl Expect {
    /// Whether the run has to end in an error.
    pub fn is_error(&self) -> bool {
        self.error == Some(true)
    }

    /// How many ticks `grounded_ratio_min` leaves out.
    pub fn settling_ticks(&self) -> usize {
        self.settling_ticks.unwrap_or(SETTLING_TICKS)
    }
}

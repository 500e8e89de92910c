//! [`CharacterConfig`]: every number that shapes a walk.

use crate::{
    InputError,
    input_error::{not_negative, positive},
    real::Real,
};

/// How a character walks. All lengths are in metres, angles in radians.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CharacterConfig<T: Real> {
    /// The gap that is kept to all surfaces, at any angle of approach; 0 is legal. Default 0.02.
    pub skin: T,
    /// The highest ledge that is stepped on without a jump, 0 for none. Inclusive, plus 1 mm. Default 0.3.
    pub step_height: T,
    /// How much room a ledge must offer to be stepped on; `None` for a quarter of the body's smallest semi-axis.
    pub tread_depth: Option<T>,
    /// The steepest ground that can be stood on and climbed, in `0..=π/2`. Inclusive, plus 0.01°. Default π/4.
    pub max_slope: T,
    /// How far below the feet ground is followed on the way down, 0 for not at all. Default 0.2.
    pub snap_distance: T,
}

impl<T: Real> Default for CharacterConfig<T> {
    fn default() -> Self {
        Self {
            skin: T::nearest(0.02),
            step_height: T::nearest(0.3),
            tread_depth: None,
            max_slope: T::nearest(std::f64::consts::FRAC_PI_4),
            snap_distance: T::nearest(0.2),
        }
    }
}

/// Limits count as kept when they are exceeded by less than this: 0.01° and 1 mm (or 1 % of a smaller step).
const SLOPE_TOLERANCE: f64 = 0.01 * std::f64::consts::PI / 180.0;
const STEP_TOLERANCE: f64 = 1e-3;
const STEP_TOLERANCE_SHARE: f64 = 0.01;

/// The checked numbers of a [`CharacterConfig`] as the controller uses them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Limits {
    pub(super) step_height: f64,
    pub(super) step_tolerance: f64,
    pub(super) tread_depth: f64,
    /// Cosine of the steepest walkable slope, tolerance included.
    pub(super) slope_cosine: f64,
    /// Tangent of the same.
    pub(super) slope_tangent: f64,
    pub(super) snap_distance: f64,
}

/// No wish is turned up more steeply than this, however steep the ground may be.
pub(super) const STEEPEST: f64 = 10.0;

/// How many tread depths behind a contact the top of a ledge is looked for.
pub(super) const PROBES: usize = 6;

impl Limits {
    /// How far behind a contact the top of a ledge is looked for, in metres.
    pub(super) fn probe_distance(&self) -> f64 {
        PROBES as f64 * self.tread_depth
    }

    /// # Errors
    /// If a number is not finite, negative, or out of its range.
    pub(super) fn new<T: Real>(config: &CharacterConfig<T>, smallest_radius: f64) -> Result<Self, InputError> {
        not_negative(config.skin, "the skin")?;
        not_negative(config.step_height, "the step height")?;
        not_negative(config.snap_distance, "the snap distance")?;
        not_negative(config.max_slope, "the slope limit")?;
        if let Some(tread) = config.tread_depth {
            positive(tread, "the tread depth")?;
        }
        for (x, what) in [
            (config.skin, "the skin"),
            (config.step_height, "the step height"),
            (config.snap_distance, "the snap distance"),
        ] {
            if x.to_f64() > 1e9 {
                return Err(InputError::OutOfRange { what, range: "0..=1e9" });
            }
        }
        // A limit of 90° in the user's scalar may be a little more than in this one.
        let slope = config.max_slope.to_f64();
        if slope > std::f64::consts::FRAC_PI_2 * (1.0 + 4.0 * T::ROUNDING) {
            return Err(InputError::OutOfRange { what: "the slope limit", range: "0..=π/2" });
        }
        let slope = (slope + SLOPE_TOLERANCE).min(std::f64::consts::FRAC_PI_2);
        let step_height = config.step_height.to_f64();
        Ok(Self {
            step_height,
            step_tolerance: STEP_TOLERANCE.min(STEP_TOLERANCE_SHARE * step_height),
            tread_depth: config.tread_depth.map_or(smallest_radius / 4.0, Real::to_f64),
            slope_cosine: libm::cos(slope),
            slope_tangent: libm::tan(slope.min(1.57)),
            snap_distance: config.snap_distance.to_f64(),
        })
    }
}

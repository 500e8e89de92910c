//! [`CharacterConfig`]: every number and choice that shapes a walk.

use crate::{
    InputError,
    input_error::{not_negative, positive},
    real::Real,
};

/// How a character walks.
///
/// All numbers are checked when a character is made ([`Character::new`](super::Character::new)); what is wrong comes back as an
/// [`InputError`] that names it. The defaults suit a person of 1.8 m and are those of the scenario files.
///
/// ```
/// # use nalgebra::{point, vector};
/// use sidle::{Character, CharacterConfig, Ellipsoid, InputError};
///
/// let body = Ellipsoid::new(vector![0.4, 0.9, 0.4])?;
/// let careful = CharacterConfig { step_height: 0.2, max_slope: 0.6, ..CharacterConfig::default() };
/// assert!(Character::new(body, careful, point![0.0, 1.0, 0.0]).is_ok());
/// let wrong = CharacterConfig { step_height: -0.2, ..careful };
/// let error = Character::new(body, wrong, point![0.0, 1.0, 0.0]).unwrap_err();
/// assert_eq!(error, InputError::Negative { what: "the step height" });
/// # Ok::<(), InputError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CharacterConfig<T: Real> {
    /// The gap that is kept to all surfaces, at any angle of approach.
    ///
    /// Metres, `0..=1e9`, default 0.02. So much keeps contacts apart from overlaps, whatever rounding does, and is too little to
    /// be seen. 0 is legal: then the body touches.
    pub skin: T,
    /// The highest ledge that is stepped on without a jump.
    ///
    /// Metres above the ground that is stood on, `0..=1e9`, default 0.3: higher than the steps of stairs, lower than a
    /// chair. Inclusive, plus 1 mm (or 1 %, where that is less), so that a ledge of exactly this height is one in
    /// every scalar. 0 for no steps.
    pub step_height: T,
    /// How much room a ledge must offer behind its edge to be stepped on.
    ///
    /// Metres, more than 0 and at most 1e9, or `None`, the default, for a quarter of the body's smallest semi-axis: a tenth of a
    /// metre for a person, about the ball of a foot, and in proportion for a mouse or a giant.
    pub tread_depth: Option<T>,
    /// The steepest ground that can be stood on and climbed.
    ///
    /// Radians against level ground, `0..=π/2`, default π/4: steeper than ramps and stairs are made, less steep than what a
    /// level's maker means to be a wall. Inclusive, plus 0.01°, so that a slope of exactly this angle can be walked on
    /// however its vertices are rounded.
    pub max_slope: T,
    /// How far below the feet ground is followed on the way down, stairs and the crests of hills included.
    ///
    /// Metres, `0..=1e9`, default 0.2: a step of common stairs. From a higher ledge the body falls. 0 for not at all.
    pub snap_distance: T,
    /// Which speed the wish is on a slope. By default the horizontal one.
    #[cfg_attr(feature = "serde", serde(default))]
    pub slope_speed: SlopeSpeed,
    /// What a ceiling does to a body that rises against it. By default it stops it.
    #[cfg_attr(feature = "serde", serde(default))]
    pub ceiling: CeilingResponse,
}

/// Which speed a walker's wish is on a slope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum SlopeSpeed {
    /// That seen from above: a map is crossed in the same time whatever its hills, and stairs take as long as the ramp
    /// beside them.
    #[default]
    Horizontal,
    /// That along the ground: a slope of 45° takes 1.41 times as long as the level way below it, up and down. On stairs,
    /// which are level but for their edges, it is the horizontal one.
    AlongSurface,
}

/// What a ceiling does to a body that rises against it, in a jump.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum CeilingResponse {
    /// Its momentum is lost: it falls straight down, and a jump leads nowhere but up.
    #[default]
    Stop,
    /// Only the part of its momentum that enters the ceiling is lost: below a ceiling that slants it slides on, up and aside. Below
    /// a level one that is the same as to stop.
    Slide,
}

impl<T: Real> Default for CharacterConfig<T> {
    fn default() -> Self {
        Self {
            skin: T::nearest(0.02),
            step_height: T::nearest(0.3),
            tread_depth: None,
            max_slope: T::nearest(std::f64::consts::FRAC_PI_4),
            snap_distance: T::nearest(0.2),
            slope_speed: SlopeSpeed::default(),
            ceiling: CeilingResponse::default(),
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
    pub(super) slope_speed: SlopeSpeed,
    pub(super) ceiling: CeilingResponse,
}

/// The longest length of a config, in metres.
const MAX_LENGTH: f64 = 1e9;

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
    /// If a number is not finite, or out of its range.
    pub(super) fn new<T: Real>(config: &CharacterConfig<T>, smallest_radius: f64) -> Result<Self, InputError> {
        not_negative(config.max_slope, "the slope limit")?;
        for (length, what) in [
            (config.skin, "the skin"),
            (config.step_height, "the step height"),
            (config.snap_distance, "the snap distance"),
        ] {
            at_most(not_negative(length, what)?, what, "0..=1e9")?;
        }
        if let Some(tread) = config.tread_depth {
            at_most(positive(tread, "the tread depth")?, "the tread depth", "0..=1e9")?;
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
            slope_speed: config.slope_speed,
            ceiling: config.ceiling,
        })
    }
}

/// Checks that a length is not beyond [`MAX_LENGTH`].
fn at_most<T: Real>(length: T, what: &'static str, range: &'static str) -> Result<(), InputError> {
    if length.to_f64() <= MAX_LENGTH { Ok(()) } else { Err(InputError::OutOfRange { what, range }) }
}

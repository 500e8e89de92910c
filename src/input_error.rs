//! [`InputError`]: why a value from outside was refused.

use nalgebra::{Point, SVector};

use crate::real::Real;

/// Largest coordinate that a mesh, a position or a motion may have, in metres.
///
/// Products of two such numbers stay far inside `f32`, in which culling is done.
pub const MAX_COORDINATE: f64 = 1e15;

/// Why a value from outside was refused.
///
/// Validated types check once, in their constructor; queries on them cannot fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// A number is NaN or infinite.
    #[error("{what} is not finite")]
    NotFinite {
        /// What the number stands for.
        what: &'static str,
    },
    /// A coordinate is beyond [`MAX_COORDINATE`].
    #[error("{what} is beyond 1e15")]
    TooLarge {
        /// What the number stands for.
        what: &'static str,
    },
    /// A length that has to be positive is zero or negative.
    #[error("{what} must be greater than zero")]
    NotPositive {
        /// What the number stands for.
        what: &'static str,
    },
    /// A number that may be zero is negative.
    #[error("{what} must not be negative")]
    Negative {
        /// What the number stands for.
        what: &'static str,
    },
    /// A number lies outside the range that makes sense for it.
    #[error("{what} must be in {range}")]
    OutOfRange {
        /// What the number stands for.
        what: &'static str,
        /// The range, as in `0..=90`.
        range: &'static str,
    },
    /// A direction has no length.
    #[error("{what} has no direction: its length is zero")]
    NoDirection {
        /// What the vector stands for.
        what: &'static str,
    },
}

/// Checks that a number is finite.
pub(crate) fn finite<T: Real>(x: T, what: &'static str) -> Result<T, InputError> {
    if x.to_f64().is_finite() { Ok(x) } else { Err(InputError::NotFinite { what }) }
}

/// Checks that a number is finite and not negative.
pub(crate) fn not_negative<T: Real>(x: T, what: &'static str) -> Result<T, InputError> {
    finite(x, what)?;
    if x >= T::zero() { Ok(x) } else { Err(InputError::Negative { what }) }
}

/// Checks that a number is finite and positive.
pub(crate) fn positive<T: Real>(x: T, what: &'static str) -> Result<T, InputError> {
    finite(x, what)?;
    if x > T::zero() { Ok(x) } else { Err(InputError::NotPositive { what }) }
}

/// Checks that all components are finite and none is beyond [`MAX_COORDINATE`].
pub(crate) fn bounded<T: Real, const D: usize>(v: &SVector<T, D>, what: &'static str) -> Result<(), InputError> {
    let mut is_good = true;
    for x in v.iter() {
        is_good &= x.to_f64().abs() <= MAX_COORDINATE; // false for NaN
    }
    if is_good { Ok(()) } else { Err(out_of_bounds(v, what)) }
}

/// Why a vector is not [`bounded`].
#[cold]
fn out_of_bounds<T: Real, const D: usize>(v: &SVector<T, D>, what: &'static str) -> InputError {
    let is_finite = v.iter().all(|x| x.to_f64().is_finite());
    if is_finite { InputError::TooLarge { what } } else { InputError::NotFinite { what } }
}

/// Checks that all coordinates are finite and none is beyond [`MAX_COORDINATE`].
pub(crate) fn bounded_point<T: Real, const D: usize>(p: &Point<T, D>, what: &'static str) -> Result<(), InputError> {
    bounded(&p.coords, what)
}

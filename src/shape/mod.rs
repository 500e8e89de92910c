//! Plain shapes, and what is true of one of them.
//!
//! Metres, seconds, radians; right-handed; a triangle's front is where its vertices run counter-clockwise. The types
//! store the user's scalar, answers are computed in `f64` where more than one rounding matters.

mod aabb;
pub(crate) mod ellipsoid;
pub(crate) mod ellipsoid_axes;
mod penetration;
pub(crate) mod ray;
mod segment;
pub(crate) mod triangle;

pub use aabb::{Aabb, Aabb2, Aabb3};
pub use ellipsoid::{Ellipsoid, EllipsoidSpace};
pub use penetration::{EllipsoidPenetration, Penetration, ellipsoid_triangle};
pub use ray::{Ray, Ray2, Ray3, SlabHit, TriangleRayHit};
pub use segment::Segment;
pub use triangle::{ClosestPoint, Feature, Triangle};

//! Moves a 3D character through a triangle world.

pub mod character;
mod input_error;
pub mod mesh;
pub mod octree;
pub mod real;
pub mod shape;
pub mod sweep;
#[cfg(feature = "walk")]
pub mod walk;
mod wide;
pub mod world;

pub use character::{Character, CharacterConfig, CharacterState, Scratch, TickInput};
pub use input_error::{InputError, MAX_COORDINATE};
pub use mesh::{MaterialTag, TriMesh};
pub use octree::{BruteForce, Octree};
pub use real::Real;
pub use shape::{
    Aabb, Aabb2, Aabb3, Ellipsoid, EllipsoidSpace, Feature, Penetration, Ray, Ray2, Ray3, Segment, Triangle,
};
pub use sweep::{Contact, StartOverlap, Sweep};
pub use world::{CollisionWorld, QueryFilter, World};

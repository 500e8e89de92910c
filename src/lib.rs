//! Moves a 3D character through a triangle world, and never lets it stick, tunnel, jitter or fall through.
//!
//! The body is an ellipsoid. The world is scaled into the space in which the body is the unit sphere; a swept unit sphere
//! is tested against each candidate triangle exactly; an octree with packets of eight triangles finds the candidates; a
//! collide-and-slide loop turns contacts into motion. Meshes and results are in `f32` or `f64`, all answers are computed in
//! `f64`, and the same input gives the same bits on every machine.
//!
//! # Reading order
//! Each module uses only those above it.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`real`] | the scalar of stored data, `f32` or `f64` |
//! | [`shape`] | boxes, rays, segments, triangles, ellipsoids, and the door to ellipsoid space |
//! | [`flat`] | overlap tests: circles, rectangles, convex polygons, segments, spheres and boxes |
//! | [`sweep`] | a moving ellipsoid against one triangle |
//! | [`mesh`] | triangles with materials: checked, read from OBJ files, or made by code |
//! | [`octree`] | which triangles can matter; sweeps, rays, overlaps and closest points of a mesh |
//! | [`broad_phase`] | which pairs of boxes overlap |
//! | [`world`] | meshes placed in space, and the border to other engines' geometry |
//! | [`sensor`] | rays spread about an actor: what it sees |
//! | [`character`] | the controller: slide, steps, ground, fall |
#![cfg_attr(feature = "walk", doc = "| [`walk`] | scripted scenarios as JSON files, and their replay |")]
//!
//! # A first contact
//! ```
//! use nalgebra::{point, vector};
//! use sidle::{Ellipsoid, Octree, Sweep, mesh::primitives};
//!
//! let level = Octree::new(primitives::stairs::<f32>(10, 0.2, 0.3, 2.0)?);
//! let body = Ellipsoid::new(vector![0.4, 0.9, 0.4])?;
//! let walk = Sweep::new(&body, point![-2.0, 0.95, 0.0], vector![5.0, 0.0, 0.0])?;
//! let hit = level.sweep(&walk).expect("the first step is in the way");
//! assert!(hit.contact.distance < 2.0 && hit.contact.normal.x < 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//! [`Character`] shows a walk.
//!
//! # Features
//! `obj` (on by default) reads OBJ files; `serde` serializes plain types and states; `walk` reads and replays scenario
//! files; `save` writes trees to files and loads them; `mint` and `glam` convert nalgebra's types; `parallel` builds trees and
//! answers batches ([`Octree::sweep_many`]) on rayon's threads. Features only add.
//!
//! # Conventions
//! Metres, seconds, radians; right-handed; up is a vector that the caller sets, `+Y` unless told otherwise. Triangles are
//! solid from both sides unless the mesh says otherwise. Validated types check their numbers once and return [`InputError`];
//! queries on them cannot fail.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod input_error;

pub mod broad_phase;
pub mod character;
pub mod flat;
pub mod mesh;
pub mod octree;
pub mod real;
pub mod sensor;
pub mod shape;
mod slots;
pub mod sweep;
#[cfg(feature = "walk")]
pub mod walk;
mod wide;
pub mod world;

pub use character::{Character, CharacterConfig, CharacterState, Scratch, TickInput, TickReport};
pub use input_error::{InputError, MAX_COORDINATE};
pub use mesh::{MaterialTag, TriMesh};
#[cfg(feature = "obj")]
pub use mesh::{ObjError, ObjOptions, parse_obj, read_obj};
pub use nalgebra;
pub use octree::{BruteForce, Octree};
pub use real::Real;
pub use shape::{
    Aabb, Aabb2, Aabb3, Ellipsoid, EllipsoidSpace, Feature, Penetration, Ray, Ray2, Ray3, Segment, Triangle,
};
pub use sweep::{Contact, StartOverlap, Sweep};
pub use wide::SimdLevel;
pub use world::{CollisionWorld, QueryFilter, World};

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

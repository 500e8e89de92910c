//! The tests of the library's public face: one binary, modules by subsystem.

mod batch;
mod broad_phase;
mod build;
mod character;
mod flat;
mod growth;
mod instances;
mod layers;
mod levels;
mod list;
mod obj;
mod octree;
mod oracle;
mod primitives;
mod random;
mod refit;
#[cfg(feature = "save")]
mod save;
mod sensor;
#[cfg(feature = "serde")]
mod serialize;
mod shared;
mod sweep;
#[cfg(feature = "walk")]
mod walks;
mod watertight;
mod world;

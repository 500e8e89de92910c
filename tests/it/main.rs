//! The tests of the library's public face: one binary, modules by subsystem.

mod broad_phase;
mod character;
mod flat;
mod layers;
mod obj;
mod octree;
mod oracle;
mod primitives;
mod random;
mod sensor;
mod shared;
mod sweep;
#[cfg(feature = "walk")]
mod walks;
mod watertight;
mod world;

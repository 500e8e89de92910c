//! The tests of the library's public face: one binary, modules by subsystem.

mod layers;
mod character;
mod obj;
mod octree;
mod oracle;
mod primitives;
mod random;
mod shared;
#[cfg(feature = "walk")]
mod walks;
mod watertight;
mod world;

//! The tests of the library's public face: one binary, modules by subsystem.

mod obj;
mod octree;
mod primitives;
mod random;
mod shared;
mod watertight;

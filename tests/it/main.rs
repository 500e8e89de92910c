//! The tests of the library's public face: one binary, modules by subsystem.

mod batch;
mod broad_phase;
mod build;
mod character;
mod contact_events;
mod flat;
#[cfg(feature = "walk")]
mod frame_rate;
mod growth;
mod idle;
mod instances;
mod layers;
mod levels;
mod list;
mod long_wall;
mod obj;
mod octree;
mod oracle;
mod person;
mod primitives;
mod random;
mod refit;
#[cfg(feature = "save")]
mod save;
mod sensor;
#[cfg(feature = "serde")]
mod serialize;
mod shared;
mod steps;
mod sweep;
#[cfg(feature = "walk")]
mod walks;
mod watertight;
mod world;

//! The tests of the library's public face: one binary, modules by subsystem.

mod batch;
mod bodies;
mod broad_phase;
mod build;
mod ceilings;
mod character;
mod config;
mod contact_events;
mod crowd;
mod debug_events;
mod ellipsoid_pair;
mod faults;
mod faults_and_wishes;
mod flat;
#[cfg(feature = "walk")]
mod frame_rate;
mod ground_report;
mod growth;
mod idle;
mod instances;
mod layers;
mod ledges;
mod levels;
mod list;
mod lone;
mod long_wall;
mod moving;
mod obj;
mod octree;
mod oracle;
mod people;
mod person;
mod pinched;
mod platforms;
mod primitives;
mod random;
mod refit;
mod resize;
#[cfg(feature = "save")]
mod save;
mod seams;
mod sensor;
#[cfg(feature = "serde")]
mod serialize;
mod shared;
mod slope_speed;
mod snap_to_ground;
mod steps;
mod surface_rules;
mod sweep;
#[cfg(feature = "walk")]
mod walk_others;
#[cfg(feature = "walk")]
mod walk_world;
#[cfg(feature = "walk")]
mod walks;
mod watertight;
mod ways;
mod world;

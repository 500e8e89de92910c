//! Floors, stairs, ramps and more, as meshes.

//! Reading Wavefront OBJ files.

//! Tests of the public face of the library, one module for each subject.

mod primitives;

//! The command line of sidle.

mod picture;

fn main() {}

//! The command line of sidle.

fn main() {}

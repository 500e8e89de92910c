//! The command line of sidle.

#[cfg_attr(not(test), expect(dead_code, reason = "no command draws yet"))]
mod picture;

fn main() {}

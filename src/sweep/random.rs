//! Numbers for the tests of this folder, the same on every machine.

use nalgebra::{Vector3, vector};

/// Numbers from -1 to 1 (the linear congruential generator of Knuth's MMIX).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub(super) fn vector(&mut self) -> Vector3<f64> {
        vector![self.number(), self.number(), self.number()]
    }

    /// One of some numbers.
    pub(super) fn of<const N: usize>(&mut self, choices: [f64; N]) -> f64 {
        choices[((self.number() + 1.0) * 0.5 * N as f64) as usize % N]
    }
}

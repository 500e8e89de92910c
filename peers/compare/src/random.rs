//! [`Random`]: the same numbers on every machine.

use sidle::nalgebra::Vector3;

/// Splitmix64, after Steele, Lea and Flood (2014), *Fast splittable pseudorandom number generators*.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0, below 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// From `low`, below `high`.
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Uniform on the unit sphere, by rejection.
    pub(crate) fn direction(&mut self) -> Vector3<f64> {
        loop {
            let v = Vector3::from_fn(|_, _| self.between(-1.0, 1.0));
            if (0.01..=1.0).contains(&v.norm_squared()) {
                return v.normalize();
            }
        }
    }

    /// Uniform on the unit circle around `y`.
    pub(crate) fn heading(&mut self) -> Vector3<f64> {
        let (sine, cosine) = self.between(0.0, std::f64::consts::TAU).sin_cos();
        Vector3::new(cosine, 0.0, sine)
    }
}

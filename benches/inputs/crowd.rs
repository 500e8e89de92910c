//! A crowd of boxes, for the benches and the tests of broad phases.

use nalgebra::{Point, SVector};
use sidle::Aabb;

/// Boxes of about a metre in a square or cube in which each overlaps about `meets` others.
///
/// `between` gives numbers that look random, at least the first and less than the second of two.
pub(crate) fn crowd<const D: usize>(
    mut between: impl FnMut(f64, f64) -> f64,
    count: usize,
    meets: f64,
) -> Vec<Aabb<f32, D>> {
    let side = 2.0 * (count as f64 / meets).powf(1.0 / D as f64);
    (0..count)
        .map(|_| {
            let min = SVector::<f64, D>::from_fn(|_, _| between(0.0, side));
            let max = min + SVector::<f64, D>::from_fn(|_, _| between(0.5, 1.5));
            Aabb { min: Point::from(min.map(|x| x as f32)), max: Point::from(max.map(|x| x as f32)) }
        })
        .collect()
}

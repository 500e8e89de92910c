//! When a moving body or a ray can reach a box of the world's tree at the earliest, and how near a box is at least.
//!
//! Both bounds are widened by far more than what rounding can do to them and to the answers with which they are compared:
//! nothing is dropped that would win, or tie.

use nalgebra::{Point3, Vector3};

use crate::{shape::Aabb3, sweep::Sweep};

/// How much bounds are widened, relative to the largest coordinate. It costs nothing, as the boxes are `f32` anyway.
const SLACK: f64 = f32::EPSILON as f64;

fn slack(center: &Point3<f64>, half: f64, all: &Aabb3<f32>) -> f64 {
    let extent = f64::from(all.min.coords.amax().max(all.max.coords.amax()));
    SLACK * (center.coords.amax() + half + extent) + f64::MIN_POSITIVE
}

/// The share of a sweep's motion at which its body's box meets a box, infinity if it never does; `all` is the box around all
/// boxes.
pub(super) fn entry_of_sweep(sweep: &Sweep, all: Aabb3<f32>) -> impl Fn(&Aabb3<f32>) -> f64 + use<> {
    entry(&sweep.start, &sweep.space.half_extents(), &sweep.motion, &all)
}

/// The parameter at which a ray meets a box, infinity if it never does.
pub(super) fn entry_of_ray(
    origin: &Point3<f64>,
    direction: &Vector3<f64>,
    all: Aabb3<f32>,
) -> impl Fn(&Aabb3<f32>) -> f64 + use<> {
    entry(origin, &Vector3::zeros(), direction, &all)
}

/// By slabs (Kay and Kajiya 1986).
///
/// Where a component of the motion is zero its inverse is infinite, and so are both crossings: of one sign beside the
/// box, of both within.
fn entry(
    center: &Point3<f64>,
    half: &Vector3<f64>,
    motion: &Vector3<f64>,
    all: &Aabb3<f32>,
) -> impl Fn(&Aabb3<f32>) -> f64 + use<> {
    let margin = half.add_scalar(slack(center, half.amax(), all));
    let (upper, lower, inverse) = (center + margin, center - margin, motion.map(|x| 1.0 / x));
    move |bounds| {
        let (mut enter, mut exit) = (0.0_f64, f64::MAX);
        for axis in 0..3 {
            let near = (f64::from(bounds.min[axis]) - upper[axis]) * inverse[axis];
            let far = (f64::from(bounds.max[axis]) - lower[axis]) * inverse[axis];
            enter = enter.max(near.min(far));
            exit = exit.min(near.max(far));
        }
        if enter <= exit { enter } else { f64::INFINITY }
    }
}

/// At most the distance from a point to anything in a box.
pub(super) fn distance_from(point: Point3<f64>, all: Aabb3<f32>) -> impl Fn(&Aabb3<f32>) -> f64 {
    let slack = slack(&point, 0.0, &all);
    move |bounds| {
        let mut squared = 0.0;
        for axis in 0..3 {
            let (min, max, x) = (f64::from(bounds.min[axis]), f64::from(bounds.max[axis]), point[axis]);
            let outside = ((min - x).max(x - max) - slack).max(0.0);
            squared += outside * outside;
        }
        squared.sqrt()
    }
}

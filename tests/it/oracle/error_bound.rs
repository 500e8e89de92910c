//! The bound that the docs of [`sidle::sweep`] state for the distance of first contact, against the file of sweeps.

use nalgebra::Vector3;
use sidle::{Ellipsoid, Sweep, sweep::sweep_triangle};

use super::{EPS, Flags, Scalar, Tally, point, read, triangle, vector};
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    id: String,
    kind: String,
    radii: [f64; 3],
    from: [f64; 3],
    motion: [f64; 3],
    tri: [[f64; 3]; 3],
    expect: Expect,
}

#[derive(Deserialize)]
struct Expect {
    distance: Option<f64>,
    normal: Option<[f64; 3]>,
    initially_overlapping: bool,
    #[serde(flatten)]
    flags: Flags,
}

/// The bound in metres, for a contact with the given normal.
fn bound<T: Scalar>(case: &Case, normal: &Vector3<f64>, distance: f64) -> f64 {
    let (radii, motion) = (Vector3::from(case.radii), Vector3::from(case.motion));
    let farthest = case.tri.iter().map(|v| (Vector3::from(*v) - Vector3::from(case.from)).norm()).fold(0.0, f64::max);
    let unit_motion = motion.component_div(&radii);
    let cosine = -normal.component_mul(&radii).normalize().dot(&unit_motion) / unit_motion.norm();
    let ratio = radii.max() / radii.min();
    32.0 * EPS * (motion.norm() + farthest * ratio) / cosine + T::ROUNDING * distance
}

fn compare<T: Scalar>() {
    let Some(cases) = read::<Case>("sweep_triangle.jsonl") else { return };
    let mut tally = Tally::new::<T>("the stated bound of the distance");
    for case in &cases {
        let expect = &case.expect;
        let (Some(distance), Some(normal)) = (expect.distance, expect.normal) else { continue };
        // A touch at the start may be told as an overlap; whether a grazing pass touches may be beyond any arithmetic.
        let is_unclear = case.kind == "start_touching" || expect.flags.get::<f64>("hit_ambiguous");
        if expect.initially_overlapping || is_unclear {
            continue;
        }
        let body = Ellipsoid::<T>::new(vector(&case.radii)).expect("valid radii");
        let sweep = Sweep::new(&body, point(&case.from), vector(&case.motion)).expect("valid numbers");
        let hit = sweep_triangle::<T>(&sweep, &triangle(&case.tri));
        tally.exact("hit", &case.id, hit.is_some(), true);
        if let Some(hit) = hit {
            let limit = bound::<T>(case, &Vector3::from(normal), distance);
            tally.near("distance", &case.id, (hit.distance.to_f64() - distance).abs(), limit);
        }
    }
    tally.finish(&[("distance", 1000)]);
}

#[test]
fn oracle_distances_keep_the_stated_bound_f32() {
    compare::<f32>();
}

#[test]
fn oracle_distances_keep_the_stated_bound_f64() {
    compare::<f64>();
}

//! File B: the point of a triangle that is nearest to another point.

use nalgebra::Vector3;
use serde::Deserialize;
use sidle::{
    Real, TriMesh,
    octree::{BruteForce, Octree},
};

use super::{Flags, Scalar, Tally, name_of, point, read, triangle, wide};

#[derive(Deserialize)]
struct Case {
    id: String,
    kind: String,
    point: [f64; 3],
    tri: [[f64; 3]; 3],
    expect: Expect,
}

#[derive(Deserialize)]
struct Expect {
    closest: [f64; 3],
    distance: f64,
    feature: String,
    index: u8,
    bary: Option<[f64; 3]>,
    aspect: Option<f64>,
    coord: f64,
    cond: f64,
    #[serde(flatten)]
    flags: Flags,
}

fn compare<T: Scalar>() {
    let Some(cases) = read::<Case>("closest_point.jsonl") else { return };
    let mut tally = Tally::new::<T>("closest point of a triangle");
    for case in &cases {
        let (id, expect, eps) = (&case.id, &case.expect, T::ROUNDING);
        let (p, tri) = (point::<T, 3>(&case.point), triangle::<T>(&case.tri));
        let got = tri.closest_point(&p);

        let slivers = match case.kind.as_str() {
            "sliver" if T::NAME == "f64" => 16.0 + expect.aspect.expect("a sliver has one") / 8.0,
            "sliver" => 64.0,
            _ => 16.0,
        };
        let distance = got.distance.to_f64();
        tally.near(
            "distance",
            id,
            (distance - expect.distance).abs(),
            slivers * eps * (expect.coord + expect.distance),
        );
        let at = wide(&got.point.coords);
        tally.near(
            "closest",
            id,
            (at - Vector3::from(expect.closest)).norm(),
            16.0 * eps * (expect.cond + expect.coord),
        );
        if !expect.flags.get::<T>("feature_ambiguous") {
            tally.exact("feature", id, name_of(got.feature), (expect.feature.as_str(), expect.index));
        }
        // The weights are not in the README's table. They have to give the point, to the rounding of three weights.
        let weighted = tri.vertices().into_iter().zip(got.barycentrics).map(|(v, w)| wide(&v.coords) * w.to_f64());
        let weighted = weighted.fold(Vector3::zeros(), |sum, part| sum + part);
        tally.near("weighted vertices", id, (weighted - at).norm(), 8.0 * eps * expect.coord);
        if let Some(bary) = expect.bary.filter(|_| expect.aspect.is_some_and(|aspect| aspect < 100.0)) {
            // A weight is a distance from an edge over a height of the triangle.
            let [a, b, c] = case.tri.map(|v| point::<f64, 3>(&v));
            let size = (b - a).norm().max((c - b).norm()).max((a - c).norm());
            let tolerance = 16.0 * eps * (expect.cond + expect.coord) * expect.aspect.expect("it has one") / size;
            let error = (0..3).map(|i| (got.barycentrics[i].to_f64() - bary[i]).abs()).fold(0.0, f64::max);
            tally.near("weights", id, error, tolerance + eps);
        }
    }
    tally.finish(&[
        ("distance", 500),
        ("closest", 500),
        ("feature", 300),
        ("weighted vertices", 500),
        ("weights", 300),
    ]);
}

#[test]
fn oracle_closest_points_f32() {
    compare::<f32>();
}

#[test]
fn oracle_closest_points_f64() {
    compare::<f64>();
}

/// All triangles of the file are one mesh here; that which is nearest is nearest for the tree and without it.
#[test]
fn oracle_closest_points_of_a_mesh() {
    let Some(cases) = read::<Case>("closest_point.jsonl") else { return };
    let mut tally = Tally::new::<f64>("closest point of a mesh");
    let vertices: Vec<_> = cases.iter().flat_map(|case| triangle::<f64>(&case.tri).vertices()).collect();
    let triangles = (0..cases.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let mesh = std::sync::Arc::new(TriMesh::new(vertices, triangles).expect("a valid mesh"));
    let (tree, all) = (Octree::new(mesh.clone()), BruteForce::new(mesh.clone()));
    for case in &cases {
        let p = point::<f64, 3>(&case.point);
        let got = tree.closest_point(p, f64::INFINITY);
        tally.exact("tree = brute force", &case.id, got, all.closest_point(p, f64::INFINITY));
        let farther = got.map_or(f64::INFINITY, |nearest| nearest.distance - case.expect.distance);
        let tolerance = 64.0 * f64::ROUNDING * (case.expect.coord + case.expect.distance);
        tally.near("not beyond its own", &case.id, farther.max(0.0), tolerance);
    }
    tally.finish(&[("tree = brute force", 500), ("not beyond its own", 500)]);
}

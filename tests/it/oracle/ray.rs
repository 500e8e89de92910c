//! File C: rays against boxes, in the plane and in space, and against triangles.

use nalgebra::SVector;
use serde::Deserialize;
use sidle::{
    Aabb, Ray, TriMesh,
    octree::{BruteForce, Octree},
};

use super::{Flags, Scalar, Tally, point, read, triangle, vector, wide};

#[derive(Deserialize)]
struct Case {
    id: String,
    kind: String,
    sub: String,
    origin: Vec<f64>,
    dir: Vec<f64>,
    min: Option<Vec<f64>>,
    max: Option<Vec<f64>>,
    tri: Option<[[f64; 3]; 3]>,
    expect: serde_json::Value,
}

#[derive(Deserialize)]
struct BoxExpect {
    hit: bool,
    inside: bool,
    t_enter: Option<f64>,
    t_exit: Option<f64>,
    normals: Vec<Vec<f64>>,
    #[serde(flatten)]
    flags: Flags,
}

#[derive(Deserialize)]
struct TriangleExpect {
    hit: bool,
    t: Option<f64>,
    bary: Option<[f64; 3]>,
    point: Option<[f64; 3]>,
    normal: Option<[f64; 3]>,
    front: Option<bool>,
    cond_t: Option<f64>,
    cond_bary: Option<f64>,
    #[serde(flatten)]
    flags: Flags,
}

/// The numbers of a vector of `D` dimensions.
fn array<const D: usize>(xs: &[f64]) -> [f64; D] {
    xs.try_into().expect("as many numbers as dimensions")
}

fn compare_boxes<T: Scalar, const D: usize>(kind: &str) {
    let Some(cases) = read::<Case>("ray.jsonl") else { return };
    let mut tally = Tally::new::<T>(&format!("ray and {kind}"));
    let cases: Vec<_> = cases.iter().filter(|case| case.kind == kind).collect();
    for case in &cases {
        let id = format!("{} {}", case.id, case.sub);
        let expect: BoxExpect = serde_json::from_value(case.expect.clone()).expect("an answer");
        let ray = Ray::<T, D>::new(point(&array(&case.origin)), vector(&array(&case.dir))).expect("a valid ray");
        let corner = |xs: &Option<Vec<f64>>| point::<T, D>(&array(xs.as_ref().expect("a box")));
        let got = ray.cast_box(&Aabb::new(corner(&case.min), corner(&case.max)));
        if !expect.flags.get::<T>("hit_ambiguous") {
            tally.exact("hit", &id, got.is_some(), expect.hit);
        }
        let (Some(got), true) = (got, expect.hit) else { continue };
        let (enter, exit) = (expect.t_enter.expect("of a hit"), expect.t_exit.expect("of a hit"));
        tally.near("t_enter", &id, (got.enter.to_f64() - enter).abs(), 8.0 * T::ROUNDING * enter);
        tally.near("t_exit", &id, (got.exit.to_f64() - exit).abs(), 8.0 * T::ROUNDING * exit);
        if !expect.flags.get::<T>("normal_ambiguous") {
            tally.exact("inside", &id, got.normal.is_none(), expect.inside);
            if let Some(normal) = got.normal {
                let is_entered = expect.normals.iter().any(|n| SVector::from(array::<D>(n)) == wide(&normal));
                tally.exact("normal", &id, is_entered, true);
            }
        }
    }
    // A third of the sorts of cases misses, a sixth is ambiguous.
    let n = cases.len();
    tally.finish(&[("hit", n / 2), ("t_enter", n / 2), ("t_exit", n / 2), ("inside", n / 3), ("normal", n / 4)]);
}

fn compare_triangles<T: Scalar>() {
    let Some(cases) = read::<Case>("ray.jsonl") else { return };
    let mut tally = Tally::new::<T>("ray and triangle");
    let eps = T::ROUNDING;
    let mut hits = 0;
    for case in cases.iter().filter(|case| case.kind == "triangle") {
        let id = format!("{} {}", case.id, case.sub);
        let expect: TriangleExpect = serde_json::from_value(case.expect.clone()).expect("an answer");
        let ray = Ray::<T, 3>::new(point(&array(&case.origin)), vector(&array(&case.dir))).expect("a valid ray");
        let tri = triangle::<T>(case.tri.as_ref().expect("a triangle"));
        let got = ray.cast_triangle(&tri);
        if !expect.flags.get::<T>("hit_ambiguous") {
            tally.exact("hit", &id, got.is_some(), expect.hit);
        }
        hits += usize::from(expect.hit);

        // The tree and brute force ask the same kernel.
        let mesh = std::sync::Arc::new(TriMesh::new(tri.vertices().to_vec(), vec![[0, 1, 2]]).expect("a valid mesh"));
        let (tree, all) = (Octree::new(mesh.clone()), BruteForce::new(mesh));
        let far = T::nearest(1e30);
        let in_tree = tree.cast_ray(&ray, far);
        tally.exact("tree = brute force", &id, in_tree, all.cast_ray(&ray, far));
        tally.exact("tree = triangle", &id, in_tree.map(|hit| hit.t), got.map(|hit| hit.t));

        let (Some(got), true) = (got, expect.hit) else { continue };
        let [a, b, c] = tri.vertices().map(|v| wide(&v.coords));
        let (ab, bc, ca) = (b - a, c - b, a - c);
        let longest_squared = ab.norm_squared().max(bc.norm_squared()).max(ca.norm_squared());
        let aspect = longest_squared / ab.cross(&ca).norm();
        // Slivers and grazing rays may lose their aspect; elsewhere 16 is demanded.
        let factor = if matches!(case.sub.as_str(), "sliver" | "grazing") { 16.0 + aspect } else { 16.0 };
        let (t, cond_t) = (expect.t.expect("of a hit"), expect.cond_t.expect("of a hit"));
        tally.near("t", &id, (got.t.to_f64() - t).abs(), factor * eps * cond_t);

        let (bary, cond_bary) = (expect.bary.expect("of a hit"), expect.cond_bary.expect("of a hit"));
        let error = (0..3).map(|i| (got.barycentrics[i].to_f64() - bary[i]).abs()).fold(0.0, f64::max);
        tally.near("bary", &id, error, 16.0 * eps * (1.0 + cond_bary));

        if let Some(hit) = in_tree {
            // The point is a mean of the vertices with these weights.
            let scale = a.amax().max(b.amax()).max(c.amax());
            let at = wide(&hit.point.coords);
            let tolerance = 16.0 * eps * (scale + longest_squared.sqrt() * (1.0 + cond_bary));
            tally.near("point", &id, (at - SVector::from(expect.point.expect("of a hit"))).norm(), tolerance);
        }
        // The README gives no tolerance for the normal. A vertex off by eps · scale turns it by that over the least
        // height, but the differences of exact vertices lose only eps · size, hence the aspect.
        let error = (wide(&got.normal) - SVector::from(expect.normal.expect("of a hit"))).norm();
        let is_far = 16.0 * eps * (1.0 + aspect);
        tally.near("normal", &id, error, is_far);
        tally.exact("front", &id, got.is_front, expect.front.expect("of a hit"));
    }
    tally.finish(&[("hit", 250), ("t", hits * 85 / 100), ("bary", hits * 85 / 100), ("tree = brute force", 500)]);
}

#[test]
fn oracle_rays_and_boxes_f32() {
    compare_boxes::<f32, 3>("aabb3");
    compare_boxes::<f32, 2>("aabb2");
}

#[test]
fn oracle_rays_and_boxes_f64() {
    compare_boxes::<f64, 3>("aabb3");
    compare_boxes::<f64, 2>("aabb2");
}

#[test]
fn oracle_rays_and_triangles_f32() {
    compare_triangles::<f32>();
}

#[test]
fn oracle_rays_and_triangles_f64() {
    compare_triangles::<f64>();
}

//! File F: a moving ellipsoid against small meshes, through the tree, without it, and as placed instances of a world.

use std::{collections::HashMap, sync::Arc};

use nalgebra::{UnitQuaternion, Vector3, point as at};
use serde::Deserialize;
use sidle::{BruteForce, Feature, Octree, QueryFilter, Real, StartOverlap, TriMesh, World, world::Placement};

use super::{
    EPS, Flags, Scalar, Tally, name_of, point, read,
    scene::{Answer, Question, Scene},
    vector,
};

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line {
    Mesh(Mesh),
    Case(Box<Case>),
}

#[derive(Deserialize)]
struct Mesh {
    id: String,
    vertices: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
}

#[derive(Deserialize)]
struct Case {
    id: String,
    mesh: String,
    radii: [f64; 3],
    from: [f64; 3],
    motion: [f64; 3],
    expect: Expect,
}

#[derive(Deserialize)]
struct Expect {
    hit: bool,
    t: Option<f64>,
    distance: Option<f64>,
    tris: Vec<u32>,
    contacts: Vec<Contact>,
    initially_overlapping: bool,
    overlapping: Vec<u32>,
    closest: Option<Closest>,
    cond: Option<f64>,
    cond_point: Option<f64>,
    cond_normal: Option<f64>,
    #[serde(flatten)]
    flags: Flags,
}

#[derive(Deserialize)]
struct Contact {
    point: [f64; 3],
    normal: [f64; 3],
    feature: String,
    index: u8,
}

#[derive(Deserialize)]
struct Closest {
    point: [f64; 3],
    distance_e: f64,
    tri: u32,
}

impl Mesh {
    fn build<T: Real>(&self) -> Arc<TriMesh<T>> {
        let vertices = self.vertices.iter().map(point).collect();
        Arc::new(TriMesh::new(vertices, self.triangles.clone()).expect("a valid mesh"))
    }
}

/// What one of the ways to ask has answered.
struct Reply {
    answer: Answer,
    triangle: u32,
}

/// The largest number of a case, which its line does not tell.
fn scale_of(case: &Case, mesh: &TriMesh<f64>) -> f64 {
    let numbers = case.from.iter().chain(&case.radii).map(|x| x.abs());
    let bounds = mesh.bounds();
    let largest = bounds.min.coords.amax().max(bounds.max.coords.amax());
    numbers.fold(largest, f64::max).max(Vector3::from(case.motion).norm())
}

/// Holds an answer against the file; `unit_error` is how far points in unit space may be off by the way it was asked.
fn compare<T: Scalar>(tally: &mut Tally, id: &str, case: &Case, mesh: &TriMesh<f64>, got: Option<Reply>, placed: f64) {
    let (expect, eps) = (&case.expect, T::ROUNDING);
    // Rounding of a placement counts like that of the inputs; its flags are those of the coarser scalar.
    let flag = |name: &str| expect.flags.get::<T>(name) || (placed > 0.0 && expect.flags.get::<f32>(name));
    if !flag("hit_ambiguous") {
        tally.exact("hit", id, got.is_some(), expect.hit);
        let overlaps = got.as_ref().is_some_and(|got| got.answer.overlap.is_some());
        tally.exact("overlap", id, overlaps, expect.initially_overlapping);
    }
    let (Some(Reply { answer, triangle }), true) = (got, expect.hit) else { return };
    let (radii, from, motion) =
        (vector::<f64, 3>(&case.radii), point::<f64, 3>(&case.from), vector::<f64, 3>(&case.motion));
    let scale = scale_of(case, mesh);
    let ratio = radii.max() / radii.min();
    let unit_error = placed * scale / radii.min();

    if let Some(closest) = &expect.closest {
        tally.exact("overlap: t", id, answer.t, 0.0);
        let distance = (from.coords - answer.point).component_div(&radii).norm();
        let tolerance = 16.0 * eps * (1.0 + scale / radii.min()) + unit_error;
        tally.near("closest.distance_e", id, (distance - closest.distance_e).abs(), tolerance);
        tally.exact("overlap: among them", id, expect.overlapping.contains(&triangle), true);
        // The deepest: where others are as deep, the point is theirs.
        if !flag("tri_ambiguous") && triangle == closest.tri {
            let error = (answer.point - Vector3::from(closest.point)).norm();
            tally.near("overlap: point", id, error, radii.max() * tolerance);
        }
        return;
    }
    if flag("ill") {
        return;
    }
    let (t, distance, cond) = (expect.t.expect("a hit"), expect.distance.expect("a hit"), expect.cond.expect("a hit"));
    let first = &expect.contacts[0];
    let from_contact = (from.coords + motion * t - Vector3::from(first.point)).component_div(&radii).normalize();
    let unit_motion = motion.component_div(&radii);
    let delay = unit_error / -from_contact.dot(&unit_motion);
    let tolerance = 16.0 * eps * cond + delay;
    tally.near("t", id, (answer.t - t).abs(), tolerance);
    tally.near("distance", id, (answer.distance - distance).abs(), tolerance * motion.norm() + 4.0 * eps * distance);
    if flag("tri_ambiguous") {
        return;
    }
    tally.exact("triangle", id, expect.tris.contains(&triangle), true);

    let unit_shift = unit_error + unit_motion.norm() * delay;
    let point_tolerance = 16.0 * eps * (expect.cond_point.expect("a hit") + scale) + radii.max() * unit_shift;
    let normal_tolerance = 64.0 * eps * (1.0 + expect.cond_normal.expect("a hit"))
        + 4.0 * EPS * scale / radii.min() * ratio
        + ratio * unit_shift;
    let shares = expect.contacts.iter().map(|contact| {
        let point = (answer.point - Vector3::from(contact.point)).norm() / point_tolerance;
        let normal = (answer.normal - Vector3::from(contact.normal)).norm() / normal_tolerance;
        (point, normal)
    });
    let best = shares.min_by(|a, b| a.0.max(a.1).total_cmp(&b.0.max(b.1))).expect("a hit has contacts");
    tally.near("point", id, best.0 * point_tolerance, point_tolerance);
    tally.near("normal", id, best.1 * normal_tolerance, normal_tolerance);

    // File F has no flag for ambiguous features: a foot exactly on an edge is both the edge's and the face's. So the right
    // point, with the right normal (above), has to be on the part that is named.
    let corners = mesh.triangle(triangle);
    let point: nalgebra::Point3<f64> = answer.point.into();
    let nearest = match answer.feature {
        Feature::Face => corners.closest_point(&point).point,
        Feature::Edge(edge) => corners.edges()[edge as usize].closest_point(&point),
        Feature::Vertex(vertex) => corners.vertices()[vertex as usize],
    };
    tally.near("on its feature", id, (nearest - point).norm(), point_tolerance);
    if let [only] = expect.contacts.as_slice() {
        let named = (only.feature.as_str(), only.index);
        tally.exact("feature", id, name_of(answer.feature) == named || is_on_border::<T>(&answer), true);
    }
}

/// Whether a face was touched exactly at its border.
fn is_on_border<T: Real>(answer: &Answer) -> bool {
    answer.feature == Feature::Face && answer.barycentrics.iter().any(|weight| *weight <= 16.0 * T::ROUNDING)
}

/// Calls `visit` for each case with its mesh.
fn each_case(mut visit: impl FnMut(&Case, &Mesh)) -> Option<usize> {
    let mut meshes = HashMap::new();
    let mut count = 0;
    for line in read::<Line>("sweep_mesh.jsonl")? {
        match line {
            Line::Mesh(mesh) => _ = meshes.insert(mesh.id.clone(), mesh),
            Line::Case(case) => {
                count += 1;
                visit(&case, &meshes[&case.mesh]);
            }
        }
    }
    assert!(count > 0, "there are no cases");
    Some(count)
}

fn question(case: &Case) -> Question {
    Question {
        radii: vector(&case.radii),
        from: point(&case.from),
        motion: vector(&case.motion),
        triangle: sidle::Triangle::new(at![0.0, 0.0, 0.0], at![0.0, 0.0, 0.0], at![0.0, 0.0, 0.0]),
    }
}

const LEAST: [(&str, usize); 8] = [
    ("hit", 240),
    ("t", 170),
    ("distance", 170),
    ("point", 150),
    ("normal", 150),
    ("triangle", 150),
    ("closest.distance_e", 28),
    ("overlap", 240),
];

fn compare_trees<T: Scalar>() {
    let mut tally = Tally::new::<T>("sweep of a mesh");
    let mut built = HashMap::new();
    let plain = Scene::plain();
    let count = each_case(|case, mesh| {
        let (tree, all, exact) = built.entry(mesh.id.clone()).or_insert_with(|| {
            let built = mesh.build::<T>();
            (Octree::new(built.clone()), BruteForce::new(built), mesh.build::<f64>())
        });
        for overlaps in [StartOverlap::Report, StartOverlap::LetLeave] {
            let sweep = question(case).sweep::<T>(&plain, overlaps);
            let hit = tree.sweep(&sweep);
            tally.exact("tree = brute force", &case.id, hit, all.sweep(&sweep));
            if overlaps == StartOverlap::Report {
                let reply = hit.map(|hit| Reply { answer: Answer::of(&plain, &hit.contact), triangle: hit.triangle });
                compare::<T>(&mut tally, &case.id, case, exact, reply, 0.0);
            }
        }
        // Each overlapping triangle is found, and no other.
        if !case.expect.flags.get::<T>("hit_ambiguous") && case.expect.initially_overlapping {
            let mut found = Vec::new();
            tree.each_overlap(&question(case).sweep::<T>(&plain, StartOverlap::Report), |hit| found.push(hit.triangle));
            found.sort_unstable();
            tally.exact("overlapping triangles", &case.id, &found, &case.expect.overlapping);
        }
    });
    if let Some(count) = count {
        tally.finish(&[&LEAST[..], &[("tree = brute force", 2 * count), ("overlapping triangles", 25)]].concat());
    }
}

#[test]
fn oracle_mesh_sweeps_f32() {
    compare_trees::<f32>();
}

#[test]
fn oracle_mesh_sweeps_f64() {
    compare_trees::<f64>();
}

/// The mesh is stored smaller, mirrored and about another origin, and placed so that it stands where it stood.
///
/// Factors are powers of two, so that only the quarter turn and the new origin round.
fn compare_instances<T: Scalar>() {
    let mut tally = Tally::new::<T>("sweep of a placed mesh");
    let plain = Scene::plain();
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let quarter_turn = UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(half, 0.0, half, 0.0));
    let mut worlds = HashMap::new();
    let count = each_case(|case, mesh| {
        let (worlds, exact) = worlds.entry(mesh.id.clone()).or_insert_with(|| {
            let exact = mesh.build::<f64>();
            let worlds: Vec<(&str, World<T>, f64)> =
                [("scaled", Vector3::new(0.5, 4.0, -2.0)), ("shrunk", Vector3::new(0.0625, 0.0625, 0.0625))]
                    .into_iter()
                    .flat_map(|(name, scale)| [(name, scale, false), (name, scale, true)])
                    .map(|(name, scale, turns)| {
                        // About the y axis by a quarter turn: z becomes x, x becomes −z.
                        let back = |v: Vector3<f64>| if turns { Vector3::new(-v.z, v.y, v.x) } else { v };
                        let vertices = exact
                            .vertices()
                            .iter()
                            .map(|v| nalgebra::Point3::from(back(v.coords).component_div(&scale).map(T::nearest)));
                        let stored = TriMesh::new(vertices.collect(), mesh.triangles.clone()).expect("a valid mesh");
                        let mut world = World::new();
                        let id = world.add_mesh(Octree::new(stored));
                        let turn = if turns { quarter_turn } else { UnitQuaternion::identity() };
                        let placement = Placement::default()
                            .turned(UnitQuaternion::new_unchecked(turn.coords.map(T::nearest).into()))
                            .scaled(scale.map(T::nearest));
                        world.place(id, &placement).expect("a valid placement");
                        (name, world, if turns { 16.0 * EPS } else { 0.0 })
                    })
                    .collect();
            (worlds, exact)
        });
        let question = question(case);
        for (name, world, rounding) in worlds {
            let motion = question.motion.map(T::nearest);
            let hit = world
                .first_contact(&question.body::<T>(&plain), question.start(&plain), motion, &QueryFilter::default())
                .expect("valid numbers");
            let reply = hit.map(|hit| Reply { answer: Answer::of(&plain, &hit.contact), triangle: hit.triangle });
            compare::<T>(&mut tally, &format!("{} ({name})", case.id), case, exact, reply, *rounding);
        }
    });
    if count.is_some() {
        tally.finish(&LEAST.map(|(name, least)| (name, 3 * least)));
    }
}

#[test]
fn oracle_instance_sweeps_f32() {
    compare_instances::<f32>();
}

#[test]
fn oracle_instance_sweeps_f64() {
    compare_instances::<f64>();
}

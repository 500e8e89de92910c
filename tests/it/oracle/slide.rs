//! File G: collide and slide along one, two and three planes, against its closed form.

use nalgebra::Vector3;
use serde::Deserialize;
use sidle::{
    Ellipsoid, Octree, Real, TriMesh, World,
    character::{Character, CharacterConfig, End, Scratch, TickInput},
};

use super::{Scalar, Tally, point, read, vector};

#[derive(Deserialize)]
struct Case {
    id: String,
    kind: String,
    radii: [f64; 3],
    from: [f64; 3],
    motion: [f64; 3],
    tris: Vec<[[f64; 3]; 3]>,
    expect: Expect,
}

#[derive(Deserialize)]
struct Expect {
    #[serde(rename = "final")]
    end: [f64; 3],
    contacts: Vec<Contact>,
    cond: f64,
}

#[derive(Deserialize)]
struct Contact {
    t: f64,
    centre: [f64; 3],
    normal: [f64; 3],
}

/// Where the library's rule leads after an obtuse corner.
///
/// The file slides the *already slid* motion on along the second plane. The library takes the motion nearest to the
/// *wish*, of which so much is left, so that the order of the planes does not matter; in an obtuse corner, and only there,
/// these are two answers. Up to the second contact both are the same.
fn after_obtuse_corner(wish: Vector3<f64>, contacts: &[Contact]) -> Vector3<f64> {
    let [first, second] = contacts else { panic!("an obtuse corner has two planes") };
    let (n1, n2) = (Vector3::from(first.normal), Vector3::from(second.normal));
    let rest = wish * (1.0 - first.t) * (1.0 - second.t);
    let along_second = rest - n2 * rest.dot(&n2);
    let crease = n1.cross(&n2).normalize();
    let way = if along_second.dot(&n1) >= 0.0 { along_second } else { crease * crease.dot(&rest) };
    Vector3::from(second.centre) + way
}

fn compare<T: Scalar>(skin: f64) {
    let Some(cases) = read::<Case>("slide.jsonl") else { return };
    let mut tally = Tally::new::<T>(&format!("slide with a skin of {skin} m"));
    let mut scratch = Scratch::default();
    for case in &cases {
        let (id, expect) = (format!("{} {}", case.id, case.kind), &case.expect);
        let vertices = case.tris.iter().flatten().map(point).collect();
        let triangles = (0..case.tris.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let world = World::<T>::of_level(Octree::new(TriMesh::new(vertices, triangles).expect("a valid mesh")));
        let body = Ellipsoid::new(vector(&case.radii)).expect("a valid body");
        let config = CharacterConfig { skin: T::nearest(skin), ..CharacterConfig::default() };
        let mut character = Character::new(body, config, point(&case.from)).expect("a valid character");
        // One tick of one second, so that the velocity is the motion.
        let input = TickInput { velocity: vector(&case.motion), ..TickInput::default() };
        let report = character.fly(&world, &input, T::one(), &mut scratch).expect("valid numbers");

        let to = report.to.map(Real::to_f64).coords;
        // A skin moves all planes out by itself, and the end by at most twice that.
        let tolerance = 2.0 * skin + 16.0 * T::ROUNDING * expect.cond;
        if case.kind != "two_obtuse" {
            tally.near("final", &id, (to - Vector3::from(expect.end)).norm(), tolerance);
        } else if skin == 0.0 {
            let end = after_obtuse_corner(vector(&case.motion), &expect.contacts);
            tally.near("final, obtuse", &id, (to - end).norm(), tolerance);
        }
        tally.exact("contacts", &id, report.lateral.touches.len(), expect.contacts.len());
        tally.exact("budget", &id, report.lateral.end == End::OutOfRounds, false);
        for (touch, contact) in report.lateral.touches.iter().zip(&expect.contacts) {
            let normal = Vector3::from_iterator(touch.normal.iter().map(|x| Real::to_f64(*x)));
            let error = (normal - Vector3::from(contact.normal)).norm();
            tally.near("normal", &id, error, 16.0 * T::ROUNDING * (1.0 + expect.cond));
        }
    }
    let n = cases.len();
    let obtuse = if skin == 0.0 { 20 } else { 0 };
    tally.finish(&[("final", n - 20), ("final, obtuse", obtuse), ("contacts", n), ("budget", n), ("normal", 300)]);
}

#[test]
fn oracle_slides_f32() {
    compare::<f32>(0.0);
}

#[test]
fn oracle_slides_f64() {
    compare::<f64>(0.0);
}

#[test]
fn oracle_slides_with_skin() {
    compare::<f32>(0.02);
    compare::<f64>(0.02);
    compare::<f64>(0.001);
}

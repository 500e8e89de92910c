//! File G: collide and slide along one, two and three planes, against its closed form.

use nalgebra::{Vector3, point as at};
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
    skin_gain: Option<f64>,
    cond: f64,
}

#[derive(Deserialize)]
struct Contact {
    normal: [f64; 3],
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

        let to = report.to.map(Real::to_f64);
        let end = at![expect.end[0], expect.end[1], expect.end[2]];
        // A skin moves all planes out by itself and the end by `skin_gain` times that; a skinned ellipsoid is one of larger
        // semi-axes, which at most doubles it.
        let allowed = 2.0 * skin * expect.skin_gain.unwrap_or(0.0).max(1.0);
        tally.near("final", &id, (to - end).norm(), allowed + 16.0 * T::ROUNDING * expect.cond);
        tally.exact("contacts", &id, report.lateral.touches.len(), expect.contacts.len());
        tally.exact("budget", &id, report.lateral.end == End::OutOfRounds, false);
        for (touch, contact) in report.lateral.touches.iter().zip(&expect.contacts) {
            let normal = Vector3::from_iterator(touch.normal.iter().map(|x| Real::to_f64(*x)));
            let error = (normal - Vector3::from(contact.normal)).norm();
            tally.near("normal", &id, error, 16.0 * T::ROUNDING * (1.0 + expect.cond));
        }
    }
    let n = cases.len();
    tally.finish(&[("final", n), ("contacts", n), ("budget", n), ("normal", 300)]);
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

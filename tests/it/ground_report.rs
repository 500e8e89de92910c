//! What a tick tells of the ground: four states, and every field of the contact.

use std::f64::consts::FRAC_1_SQRT_2;

use nalgebra::{Vector3, point};
use sidle::{
    CharacterConfig, Feature, MaterialTag, Octree, World,
    character::GroundState,
    mesh::primitives::{self, MeshBuilder},
    world::Placement,
};

use crate::person::{Person, STANDS};

#[test]
fn ground_is_told_with_normals_point_material_and_instance() {
    let mut level = MeshBuilder::new();
    level.material("stone").append(&primitives::floor::<f64>(20.0, 20.0, 2, 2).expect("a floor"), [0.0; 3]);
    let mut world = World::of_level(Octree::new(level.build::<f64>().expect("a level")));
    let rise = libm::tan(30_f64.to_radians());
    let mut slope = MeshBuilder::new();
    slope.material("sand").quad([[0.0, 0.0, 4.0], [4.0, 4.0 * rise, 4.0], [4.0, 4.0 * rise, -4.0], [0.0, 0.0, -4.0]]);
    slope.material("ice").quad([
        [4.0, 4.0 * rise, 4.0],
        [9.0, 4.0 * rise, 4.0],
        [9.0, 4.0 * rise, -4.0],
        [4.0, 4.0 * rise, -4.0],
    ]);
    let mesh = world.add_mesh(Octree::new(slope.build::<f64>().expect("a slope")));
    let slope = world.place(mesh, &Placement::at(point![2.0, 0.0, 0.0])).expect("it is placed");

    let mut person = Person::of(CharacterConfig::default(), world, [0.0, STANDS, 0.0], 60);
    person.walk([0.0; 3], 0.2, |_, _| ());
    let ground = person.tick([0.0; 3]).ground;
    let touch = ground.touch.expect("it stands on something");
    assert_eq!(ground.state, GroundState::OnGround);
    assert!((touch.normal - Vector3::y()).norm() < 1e-9 && (touch.point - point![0.0, 0.0, 0.0]).norm() < 1e-6);
    assert_ne!(touch.instance, slope);

    person.walk([2.0, 0.0, 0.0], 2.0, |_, _| ());
    let ground = person.tick([0.0; 3]).ground;
    let touch = ground.touch.expect("it stands on something");
    let normal = Vector3::new(-rise, 1.0, 0.0).normalize();
    assert_eq!((touch.instance, touch.material, touch.feature), (slope, MaterialTag(0), Feature::Face));
    assert!((touch.normal - normal).norm() < 1e-9 && (touch.surface_normal - normal).norm() < 1e-9);
    assert!((ground.normal.expect("a surface") - normal).norm() < 1e-9);
    // The point is on the slope, where a plane of that normal touches the body with its skin.
    let on_slope = (touch.point.coords - Vector3::new(2.0, 0.0, 0.0)).dot(&normal);
    assert!(on_slope.abs() < 1e-9, "{on_slope} m off the slope");

    person.walk([2.0, 0.0, 0.0], 2.0, |_, _| ());
    assert_eq!(person.tick([0.0; 3]).ground.touch.map(|touch| touch.material), Some(MaterialTag(1)), "on ice");
}

/// At the edge of a platform the contact's normal is the body's own, and that of the surface the platform's.
#[test]
fn on_an_edge_both_normals_are_told() {
    let mesh = primitives::cuboid::<f64>([2.0, 1.0, 2.0]).expect("a block");
    let mut person = Person::at(mesh, [2.15, 1.0 + STANDS, 0.0], 60);
    let ground = (0..20).map(|_| person.tick([0.0; 3]).ground).find(|ground| ground.touch.is_some());
    let ground = ground.expect("it meets the edge");
    let touch = ground.touch.expect("it stands on something");
    assert_eq!(ground.state, GroundState::OnGround);
    assert!((touch.point - point![2.0, 1.0, 0.0]).norm() < 1e-6, "{}", touch.point);
    assert!(touch.normal.x > 0.1 && touch.normal.y > FRAC_1_SQRT_2, "it leans out: {}", touch.normal);
    assert!((ground.normal.expect("a surface") - Vector3::y()).norm() < 1e-9);
}

#[test]
fn all_four_states_are_told() {
    let steep = libm::tan(60_f64.to_radians());
    let mut level = MeshBuilder::new();
    level.quad([
        [-9.0, -9.0 * steep, 9.0],
        [9.0, 9.0 * steep, 9.0],
        [9.0, 9.0 * steep, -9.0],
        [-9.0, -9.0 * steep, -9.0],
    ]);
    let steep_slope = level.build::<f64>().expect("a slope");
    let reach = libm::hypot(0.92, 0.42 * steep);
    let state_at =
        |mesh: &sidle::TriMesh<f64>, center| Person::at(mesh.clone(), center, 60).tick([0.0; 3]).ground.state;

    let floor = primitives::floor::<f64>(20.0, 20.0, 2, 2).expect("a floor");
    assert_eq!(state_at(&floor, [0.0, STANDS, 0.0]), GroundState::OnGround);
    assert_eq!(state_at(&floor, [0.0, STANDS + 1.0, 0.0]), GroundState::InAir);
    assert_eq!(state_at(&steep_slope, [0.0, reach, 0.0]), GroundState::OnSteepGround);
    // The flank hangs on the edge of a high block: the surface there is walkable, the body's tangent is not.
    let block = primitives::cuboid::<f64>([2.0, 3.0, 2.0]).expect("a block");
    let down = 0.92 * libm::sqrt(1.0 - (0.41_f64 / 0.42) * (0.41 / 0.42));
    assert_eq!(state_at(&block, [2.41, 3.0 + down + 1e-4, 0.0]), GroundState::NotSupported);
}

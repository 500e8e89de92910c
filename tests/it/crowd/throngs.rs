//! Many in little room: none gets into another, and all stay on the ground.

use nalgebra::{Point3, point, vector};
use sidle::{
    Octree, World,
    character::{Character, Crowd, TickInput},
    mesh::primitives::{self, MeshBuilder},
};

use super::{place, wander, yard};
use crate::people::{DT, MOST_OVERLAP, body, deepest_overlap, walking};

#[test]
fn on_hills_and_stairs_nobody_gets_into_another_or_off_the_ground() {
    let mut builder = MeshBuilder::new();
    builder.append(&primitives::terrain::<f64>(64, 3).expect("a legal size"), [0.0; 3]);
    let world = World::<f32>::of_level(Octree::new(builder.build().expect("a mesh")));
    let mut crowd = Crowd::new();
    let ids: Vec<_> = (0..64_u32)
        .map(|i| {
            let center = point![f64::from(i % 8) * 1.2 - 4.0, 30.0, f64::from(i / 8) * 1.2 - 4.0];
            crowd.add(body([0.4, 0.9, 0.4], center)).expect("room")
        })
        .collect();
    let mut on_ground = 0;
    for tick in 0..900 {
        let wish = |id, _: &_| {
            let label = ids.iter().position(|known| *known == id).unwrap_or(0) as u64;
            let start = point![(label % 8) as f64 * 1.2 - 4.0, 0.0, (label / 8) as f64 * 1.2 - 4.0];
            let to_and_fro = if tick / 150 % 2 == 0 { -1.0 } else { 1.0 };
            let jump = (label + tick).is_multiple_of(97);
            TickInput { jump: jump.then_some(4.0), ..walking(start.coords * to_and_fro + wander(label, tick) * 0.3) }
        };
        if tick < 200 {
            crowd.tick(&world, DT as f32, |_, _| TickInput::default()).expect("good numbers");
        } else {
            crowd.tick(&world, DT as f32, wish).expect("good numbers");
            on_ground += crowd.iter().filter(|(_, character)| character.is_on_ground()).count();
        }
        assert!(deepest_overlap(&crowd) < MOST_OVERLAP, "tick {tick}: {}", deepest_overlap(&crowd));
    }
    assert!(on_ground > 64 * 700 / 3, "{on_ground}");
}

#[test]
fn a_jam_in_a_corner_is_one_without_overlaps_and_comes_to_rest() {
    let world = yard::<f64>(4.0);
    let mut crowd = Crowd::new();
    for label in 0..36 {
        place(&mut crowd, label);
    }
    let mut last: Vec<Point3<f64>> = Vec::new();
    let mut moved = 0.0_f64;
    for tick in 0..900 {
        let wish = |_, character: &Character<f64>| {
            let way = point![3.5, 0.92, 3.5] - character.position();
            walking(vector![way.x, 0.0, way.z].normalize() * 3.0)
        };
        crowd.tick(&world, DT, wish).expect("good numbers");
        assert!(deepest_overlap(&crowd) < MOST_OVERLAP, "tick {tick}: {}", deepest_overlap(&crowd));
        let now: Vec<_> = crowd.iter().map(|(_, character)| character.position()).collect();
        if tick >= 840 {
            moved = moved.max(now.iter().zip(&last).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max));
        }
        last = now;
    }
    assert!(moved < 1e-3, "in the last second one moved by {moved} in a tick");
    assert!(crowd.iter().all(|(_, character)| character.is_on_ground()));
}

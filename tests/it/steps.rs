//! Ways on beside and behind what is too steep: a walker that is stopped finds them, and finds none where there is none.

use nalgebra::{Vector3, point, vector};
use sidle::{
    Character, CharacterConfig, Ellipsoid, Octree, Scratch, TickInput, TriMesh, World,
    mesh::primitives::{self, MeshBuilder},
};

/// From the ground to the centre of a body that stands: its semi-axis and the skin.
const STANDS: f64 = 0.92;

/// Walks from where feet stand, with a velocity, and says where the feet are in the end.
fn walk(level: &TriMesh<f64>, feet: Vector3<f64>, velocity: Vector3<f64>, seconds: f64, hz: f64) -> Vector3<f64> {
    let world = World::of_level(Octree::new(level.clone()));
    let body = Ellipsoid::new(vector![0.4, 0.9, 0.4]).expect("good radii");
    let start = point![feet.x, feet.y + STANDS, feet.z];
    let mut character = Character::new(body, CharacterConfig::default(), start).expect("a character");
    let mut scratch = Scratch::default();
    let mut tick = |velocity| {
        let input = TickInput { velocity, gravity: 9.81, ..TickInput::default() };
        character.tick(&world, &input, 1.0 / hz, &mut scratch).expect("good numbers");
    };
    (0..hz as usize).for_each(|_| tick(Vector3::zeros()));
    (0..(seconds * hz) as usize).for_each(|_| tick(velocity));
    character.position().coords - vector![0.0, STANDS, 0.0]
}

fn floor() -> MeshBuilder {
    let mut level = MeshBuilder::new();
    level.append(&primitives::floor::<f64>(40.0, 40.0, 20, 20).expect("a floor"), [0.0; 3]);
    level
}

/// A surface `y = height(x, z)` over a strip along X, from `near` to `far` in Z.
fn strip(level: &mut MeshBuilder, [near, far]: [f64; 2], height: impl Fn(f64, f64) -> f64) {
    let corner = |x: f64, z: f64| [x, height(x, z), z];
    level.quad([corner(-8.0, far), corner(8.0, far), corner(8.0, near), corner(-8.0, near)]);
}

/// A bank along Z that rises by `height` between x = 0 and `width`, and is flat behind that.
fn bank(width: f64, height: f64) -> TriMesh<f64> {
    let mut level = floor();
    level.quad([[0.0, 0.0, 9.0], [width, height, 9.0], [width, height, -9.0], [0.0, 0.0, -9.0]]);
    level.quad([[width, height, 9.0], [9.0, height, 9.0], [9.0, height, -9.0], [width, height, -9.0]]);
    level.build().expect("a level")
}

#[test]
fn a_low_bank_is_a_step_however_it_slants() {
    for degrees in [47.0_f64, 52.0, 60.0, 75.0] {
        let level = bank(0.25 / libm::tan(degrees.to_radians()), 0.25);
        for (speed, hz) in [(0.5, 60.0), (3.0, 30.0), (3.0, 60.0), (3.0, 240.0), (6.0, 60.0)] {
            let end = walk(&level, vector![-1.0, 0.0, 0.3], vector![speed, 0.0, 0.2 * speed], 3.0 / speed, hz);
            assert!((end.y - 0.25).abs() < 1e-3 && end.x > 1.8, "{degrees}° at {speed} m/s, {hz} Hz: {end:?}");
        }
    }
}

#[test]
fn a_bank_that_is_higher_than_a_step_is_not_climbed() {
    for degrees in [47.0_f64, 52.0, 60.0] {
        let level = bank(0.6 / libm::tan(degrees.to_radians()), 0.6);
        for turn in -4..=4 {
            let turn = f64::from(turn) * 15.0_f64.to_radians();
            let velocity = vector![libm::cos(turn), 0.0, libm::sin(turn)] * 3.0;
            let end = walk(&level, vector![-1.0, 0.0, 0.0], velocity, 2.0, 60.0);
            assert!(end.y < 0.05 && end.x < 0.0, "{degrees}°, {turn}: {end:?}");
        }
    }
}

#[test]
fn the_crease_of_a_steep_hillside_leads_on() {
    // A hillside of 39°, and beside it, from z = 0 on, one of 51° that goes up the same way along X: the wish is straight up that.
    let mut level = MeshBuilder::new();
    strip(&mut level, [0.0, 6.0], |x, z| 0.7 * x - 0.39 * z);
    strip(&mut level, [-6.0, 0.0], |x, z| 0.7 * x - z);
    let level = level.build().expect("a level");
    let steepest = vector![0.7, 0.0, -1.0].normalize();
    for z in [0.3, 0.32, 0.34, 0.36] {
        for hz in [30.0, 60.0, 240.0] {
            let end = walk(&level, vector![0.0, 0.3, z], steepest, 3.0, hz);
            assert!(end.x > 0.8, "from z = {z} at {hz} Hz: {end:?}");
        }
    }
}

#[test]
fn a_ramp_beside_a_wall_is_a_step_at_its_low_end() {
    // The ramp rises along Z behind its own upright side at x = 0.2; a wall ends the floor at z = 0.5 beside it.
    let mut level = floor();
    level.quad([[0.2, 0.0, -0.3], [0.2, 2.0, 5.7], [4.0, 2.0, 5.7], [4.0, 0.0, -0.3]]);
    level.triangle([[0.2, 0.0, -0.3], [0.2, 0.0, 5.7], [0.2, 2.0, 5.7]]);
    level.quad([[0.2, 0.0, 0.5], [-6.0, 0.0, 0.5], [-6.0, 4.0, 0.5], [0.2, 4.0, 0.5]]);
    let level = level.build().expect("a level");
    for i in 0..16 {
        let z = -0.22 + 0.02 * f64::from(i);
        let end = walk(&level, vector![-0.4, 0.0, z], vector![0.9, 0.0, 0.5], 3.0, 60.0);
        assert!(end.x > 0.8, "from z = {z}: {end:?}");
    }
}

#[test]
fn a_fence_is_no_step() {
    let mut level = floor();
    level.append(&primitives::cuboid::<f64>([0.02, 0.125, 6.0]).expect("a fence"), [0.5, 0.125, 0.0]);
    let level = level.build().expect("a level");
    for turn in -3..=3 {
        let turn = f64::from(turn) * 15.0_f64.to_radians();
        let velocity = vector![libm::cos(turn), 0.0, libm::sin(turn)];
        let end = walk(&level, vector![-0.5, 0.0, 0.0], velocity, 3.0, 60.0);
        assert!(end.x < 0.5, "it is over the fence: {end:?}");
    }
}

#[test]
fn in_a_corner_it_stands_still() {
    let mut level = floor();
    level.quad([[1.0, 0.0, -9.0], [1.0, 0.0, 9.0], [1.0, 4.0, 9.0], [1.0, 4.0, -9.0]]);
    level.quad([[-9.0, 0.0, 1.0], [9.0, 0.0, 1.0], [9.0, 4.0, 1.0], [-9.0, 4.0, 1.0]]);
    let level = level.build().expect("a level");
    for velocity in [vector![2.0, 0.0, 2.0], vector![3.0, 0.0, 0.3], vector![0.3, 0.0, 3.0]] {
        let corner = walk(&level, Vector3::zeros(), velocity, 4.0, 60.0);
        assert!((corner - vector![0.58, 0.0, 0.58]).norm() < 1e-6, "{corner:?}");
    }
}

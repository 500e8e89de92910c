//! Pinched between what rests and what comes down: squeezed out bit by bit, and told so.

use std::sync::Arc;

use nalgebra::{point, vector};
use sidle::{
    Character, CharacterConfig, Ellipsoid, Octree, Scratch, TickInput, World,
    mesh::primitives::{cuboid, floor},
    world::Placement,
};

/// Of the block, in metres a second.
const SPEED: f64 = 1.0;

/// The longest way of a tick, and whether it was ever crushed, of a person under the left end of a block of 4 m that comes down.
fn under_a_block_from(x: f64, hz: f64) -> (f64, bool) {
    let mut world = World::of_level(Octree::new(floor::<f64>(20.0, 20.0, 4, 4).expect("a floor")));
    let block = world.add_mesh(Arc::new(Octree::new(cuboid::<f64>([2.0, 0.2, 2.0]).expect("a block"))));
    let at = |tick: usize| Placement::at(point![1.0, 2.1 - SPEED * tick as f64 / hz, 0.0]);
    let block = world.place(block, &at(0)).expect("a placement");
    let body = Ellipsoid::new(vector![0.4, 0.9, 0.4]).expect("good radii");
    let mut character = Character::new(body, CharacterConfig::default(), point![x, 0.92, 0.0]).expect("a character");
    let mut scratch = Scratch::default();
    let (mut longest, mut was_crushed) = (0.0_f64, false);
    for tick in 1..=hz as usize {
        world.settle();
        world.drive(block, &at(tick), 1.0 / hz).expect("a placement");
        let report = character.tick(&world, &TickInput::default(), 1.0 / hz, &mut scratch).expect("good numbers");
        longest = longest.max((report.to - report.from).norm());
        was_crushed |= report.ride.is_crushed;
    }
    (longest, was_crushed)
}

#[test]
fn who_is_pinched_under_an_edge_that_comes_down_is_not_shot_out() {
    for hz in [30.0, 60.0, 144.0] {
        let mut crushed = 0;
        // The block ends at x = −1: right under its edge, and beside it.
        for i in 0..100 {
            let x = -1.0 - 1e-4 * 1.1_f64.powi(i) % 0.5;
            let (longest, was_crushed) = under_a_block_from(x, hz);
            assert!(longest <= 6.0 * SPEED / hz, "{longest} m in a tick from {x} at {hz} Hz");
            crushed += usize::from(was_crushed);
        }
        assert_eq!(crushed, 0, "at {hz} Hz: who gets out bit by bit is never deeper in the block than its skin");
    }
}

#[test]
fn who_is_crushed_under_a_block_is_told_so_at_any_frame_rate_and_nobody_else() {
    for i in 0..40 {
        let x = -1.5 + 0.05 * f64::from(i);
        let told = [30.0, 60.0, 144.0, 240.0].map(|hz| under_a_block_from(x, hz).1);
        assert!(told.iter().all(|each| *each == told[0]), "from {x}: {told:?}");
        assert!(told[0] || x < -0.9, "there is no way out from {x}");
        assert!(!told[0] || x > -1.1, "there is nothing above {x}");
    }
}

//! Being put down on the ground, as from a spawn point that hovers over it.

use nalgebra::{Point3, Unit, Vector3, point, vector};
use sidle::{
    Character, CharacterConfig, Ellipsoid, Octree, Real, Scratch, TickInput, World,
    mesh::primitives::{self, MeshBuilder},
    world::Placement,
};

const DT: f64 = 1.0 / 60.0;

fn person<T: Real>(position: Point3<T>) -> Character<T> {
    let body = Ellipsoid::new(vector![0.4, 0.9, 0.4].map(T::nearest)).expect("valid");
    Character::new(body, CharacterConfig::default(), position).expect("valid")
}

/// Whether one is put down who hovers so far above a slope, in degrees and metres.
fn is_put_down<T: Real>(turn: f64, above: f64) -> bool {
    let (sine, cosine) = (libm::sin(turn.to_radians()), libm::cos(turn.to_radians()));
    let mut slope = MeshBuilder::new();
    slope.quad([[-9.0, 9.0], [9.0, 9.0], [9.0, -9.0], [-9.0, -9.0]].map(|[x, z]| [cosine * x, sine * x, z]));
    let world = World::<T>::of_level(Octree::new(slope.build().expect("a slope")));
    // The centre of a body that touches the slope at the origin is so far above it.
    let touching = (0.92 * 0.92 * cosine * cosine + 0.42 * 0.42 * sine * sine).sqrt() / cosine;
    let mut character = person(point![0.0, touching + above, 0.0].map(T::nearest));
    let mut scratch = Scratch::default();
    for tick in 0..4 {
        let before = character.state();
        let stands = character.snap_to_ground(&world, Vector3::y_axis(), &mut scratch).expect("good numbers");
        assert_eq!(stands, character.is_on_ground());
        if stands {
            let risen = character.position().y.to_f64() - touching;
            assert!(risen.abs() < 1e-4, "on {turn} degrees, {above} m above, tick {tick}: {risen}");
            return true;
        }
        assert_eq!(character.state(), before, "nothing has changed");
        // Falling as well as at rest.
        character.tick(&world, &TickInput::default(), T::nearest(1e-3), &mut scratch).expect("good numbers");
    }
    false
}

#[test]
fn who_hovers_is_put_down_on_ground_that_is_walkable_and_near() {
    for turn in [0.0, 20.0, 44.0] {
        for above in [0.0, 0.05, 0.19] {
            assert!(is_put_down::<f32>(turn, above) && is_put_down::<f64>(turn, above), "{turn} degrees, {above}");
        }
        for above in [0.25, 1.0] {
            assert!(!is_put_down::<f32>(turn, above) && !is_put_down::<f64>(turn, above), "{turn} degrees, {above}");
        }
    }
    for above in [0.0, 0.1] {
        assert!(!is_put_down::<f32>(50.0, above) && !is_put_down::<f64>(50.0, above), "too steep, {above}");
    }
}

#[test]
fn who_stands_stays_as_it_is() {
    let mut world = World::<f64>::new();
    let block = world.add_mesh(Octree::new(primitives::cuboid([2.0, 0.1, 2.0]).expect("valid")));
    let lift = world.place(block, &Placement::at(point![0.0, -0.1, 0.0])).expect("valid");
    let mut character = person(point![0.5, 0.92, 0.0]);
    let (still, mut scratch) = (TickInput::default(), Scratch::default());
    character.tick(&world, &still, DT, &mut scratch).expect("good numbers");
    world.settle();
    world.drive(lift, &Placement::at(point![0.0, 0.0, 0.0]), DT).expect("it is there");
    character.tick(&world, &still, DT, &mut scratch).expect("good numbers");
    let before = character.state();
    assert!(character.is_on_ground() && (character.position().y - 1.02).abs() < 1e-9, "carried");
    assert_eq!(character.snap_to_ground(&world, Vector3::y_axis(), &mut scratch), Ok(true));
    assert_eq!(character.state(), before);
}

#[test]
fn who_falls_is_at_rest_afterwards() {
    let world = World::<f64>::of_level(Octree::new(primitives::floor(20.0, 20.0, 4, 4).expect("valid")));
    let mut scratch = Scratch::default();
    let mut character = person(point![0.0, 2.0, 0.0]);
    while character.position().y > 1.1 {
        character.tick(&world, &TickInput::default(), DT, &mut scratch).expect("good numbers");
    }
    assert!(character.state().momentum.y < -3.0 && character.position().y > 1.0, "it falls");
    assert_eq!(character.snap_to_ground(&world, Vector3::y_axis(), &mut scratch), Ok(true));
    assert_eq!(character.state().momentum, Vector3::zeros());
    assert!((character.position() - point![0.0, 0.92, 0.0]).norm() < 1e-9);
}

#[test]
fn what_has_just_passed_does_not_push_who_is_put_down() {
    let mut world = World::<f64>::of_level(Octree::new(primitives::floor(20.0, 20.0, 4, 4).expect("valid")));
    let block = world.add_mesh(Octree::new(primitives::cuboid([0.5, 0.5, 0.5]).expect("valid")));
    let block = world.place(block, &Placement::at(point![-2.0, 0.6, 0.0])).expect("valid");
    world.settle();
    world.drive(block, &Placement::at(point![2.0, 0.6, 0.0]), DT).expect("it is there");
    let mut character = person(point![0.0, 1.0, 0.0]);
    assert_eq!(character.snap_to_ground(&world, Vector3::y_axis(), &mut Scratch::default()), Ok(true));
    assert!((character.position() - point![0.0, 0.92, 0.0]).norm() < 1e-9, "at {}", character.position());
}

#[test]
fn without_an_up_it_is_an_error_and_nothing_changes() {
    let world = World::<f64>::of_level(Octree::new(primitives::floor(20.0, 20.0, 4, 4).expect("valid")));
    for up in [vector![f64::NAN, 1.0, 0.0], vector![0.0, f64::INFINITY, 0.0], Vector3::zeros()] {
        let mut character = person(point![0.0, 1.0, 0.0]);
        let before = character.state();
        assert!(character.snap_to_ground(&world, Unit::new_unchecked(up), &mut Scratch::default()).is_err(), "{up:?}");
        assert_eq!(character.state(), before);
    }
}

//! The speed on slopes: that seen from above, or that along the ground.

use nalgebra::Vector3;
use sidle::{
    CharacterConfig, Octree, Real, World,
    character::{GroundState, SlopeSpeed},
    mesh::primitives::{self, MeshBuilder},
};

use crate::person::{Person, RATES, STANDS};

const SPEED: f64 = 2.0;

/// A plane that rises along x, 60 m wide, with someone in its middle, who has landed.
fn on_slope<T: Real>(degrees: f64, slope_speed: SlopeSpeed, hz: u32) -> Person<T> {
    let rise = libm::tan(degrees.to_radians());
    let corner = |x: f64, z: f64| [x, x * rise, z];
    let mut level = MeshBuilder::new();
    level.quad([corner(-30.0, 30.0), corner(30.0, 30.0), corner(30.0, -30.0), corner(-30.0, -30.0)]);
    let world = World::of_level(Octree::new(level.build().expect("a slope")));
    let config = CharacterConfig { slope_speed, ..CharacterConfig::default() };
    // The lowest point that a body of these semi-axes and this skin has towards such a plane.
    let reach = libm::hypot(0.92, 0.42 * rise);
    let mut person = Person::of(config, world, [0.0, reach + 1e-3, 0.0], hz);
    person.walk([0.0; 3], 0.5, |_, _| ());
    assert!(person.character.is_on_ground());
    person
}

/// How far it gets in a second, and how far that is seen from above.
fn way<T: Real>(person: &mut Person<T>, direction: f64) -> [f64; 2] {
    let (sine, cosine) = libm::sincos(direction.to_radians());
    let start = person.place();
    person.walk([SPEED * cosine, 0.0, SPEED * sine], 1.0, |_, report| {
        assert_eq!(report.ground.state, GroundState::OnGround);
    });
    let way: Vector3<f64> = person.place() - start;
    [way.norm(), libm::hypot(way.x, way.z)]
}

fn the_speed_is_the_chosen_one<T: Real>() {
    // A second of rounded ticks at 2 m/s.
    let tolerance = 1e-9 + 64.0 * T::ROUNDING;
    for (degrees, hz) in [0.0, 10.0, 30.0, 43.0].into_iter().flat_map(|degrees| RATES.map(|hz| (degrees, hz))) {
        // Up, obliquely, along the contour, down.
        for direction in [0.0, 40.0, 90.0, 180.0, 210.0] {
            let scene = format!("{degrees}° towards {direction}° at {hz} Hz");
            let [along, _] = way(&mut on_slope::<T>(degrees, SlopeSpeed::AlongSurface, hz), direction);
            assert!((along - SPEED).abs() < tolerance, "{scene}: {along} m along the ground");
            let [_, above] = way(&mut on_slope::<T>(degrees, SlopeSpeed::Horizontal, hz), direction);
            assert!((above - SPEED).abs() < tolerance, "{scene}: {above} m as seen from above");
        }
    }
}

#[test]
fn the_speed_on_a_slope_is_that_from_above_or_along_the_ground() {
    the_speed_is_the_chosen_one::<f32>();
    the_speed_is_the_chosen_one::<f64>();
}

/// From the flat onto a ramp, in the middle of a tick: in one place whatever the frame rate.
#[test]
fn the_speed_changes_where_the_slope_does() {
    let angle = 30_f64.to_radians();
    let mut level = MeshBuilder::new();
    level.append(&primitives::floor::<f64>(40.0, 40.0, 1, 1).expect("a floor"), [0.0; 3]);
    level.append(&primitives::ramp::<f64>(3.0, angle, 6.0).expect("a ramp"), [0.0; 3]);
    let world = World::of_level(Octree::new(level.build::<f64>().expect("a level")));
    // Where its flank meets the ramp, which begins at x = 0: there its centre is as high over the ramp as over the floor.
    let rise = libm::tan(angle);
    let meets = (STANDS - libm::hypot(0.92, 0.42 * rise)) / rise;
    for (slope_speed, share) in [(SlopeSpeed::AlongSurface, libm::cos(angle)), (SlopeSpeed::Horizontal, 1.0)] {
        let config = CharacterConfig { slope_speed, ..CharacterConfig::default() };
        for hz in RATES {
            let mut person = Person::of(config, world.clone(), [-2.0, STANDS, 0.0], hz);
            person.tick([0.0; 3]);
            person.walk([SPEED, 0.0, 0.0], 2.0, |_, _| ());
            let on_ramp = 2.0 * SPEED - (meets + 2.0);
            let (x, expected) = (person.place().x, meets + on_ramp * share);
            assert!((x - expected).abs() < 1e-6, "{slope_speed:?} at {hz} Hz: at {x}, expected {expected}");
        }
    }
}

/// Treads are level, so that stairs are as fast as the floor before them, whatever is chosen.
#[test]
fn stairs_are_level_for_either_speed() {
    let mut level = MeshBuilder::new();
    level.append(&primitives::floor::<f64>(40.0, 40.0, 1, 1).expect("a floor"), [0.0; 3]);
    level.append(&primitives::stairs::<f64>(20, 0.15, 0.3, 4.0).expect("stairs"), [0.0; 3]);
    let world = World::of_level(Octree::new(level.build::<f64>().expect("a level")));
    for (slope_speed, least) in [(SlopeSpeed::Horizontal, 0.999), (SlopeSpeed::AlongSurface, 0.9)] {
        let config = CharacterConfig { slope_speed, ..CharacterConfig::default() };
        let mut person = Person::of(config, world.clone(), [-1.0, 0.92, 0.0], 60);
        person.walk([SPEED, 0.0, 0.0], 3.0, |_, _| ());
        let x = person.place().x;
        assert!(x > -1.0 + 3.0 * SPEED * least && person.place().y > 2.0, "{slope_speed:?}: at {x}");
    }
}

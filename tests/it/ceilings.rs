//! Jumps against ceilings: stopped, or sliding on below them.

use nalgebra::Point3;
use sidle::{
    CharacterConfig, Octree, Real, World,
    character::CeilingResponse,
    mesh::primitives::{self, MeshBuilder},
};

use crate::person::{Person, STANDS};

const TAKE_OFF: f64 = 6.0;
const GRAVITY: f64 = 9.81;

/// The centre in each tick of a jump below a ceiling that rises along x at an angle, 0.5 m over the head.
fn jump<T: Real>(degrees: f64, ceiling: CeilingResponse, hz: u32) -> Vec<Point3<f64>> {
    let rise = libm::tan(degrees.to_radians());
    // As for the ground: what the body with its skin reaches towards a plane of that slope.
    let height = STANDS + libm::hypot(0.92, 0.42 * rise) + 0.5;
    let corner = |x: f64, z: f64| [x, height + x * rise, z];
    let mut level = MeshBuilder::new();
    level.append(&primitives::floor::<f64>(40.0, 40.0, 1, 1).expect("a floor"), [0.0; 3]);
    level.quad([corner(-3.0, 9.0), corner(9.0, 9.0), corner(9.0, -9.0), corner(-3.0, -9.0)]);
    let world = World::of_level(Octree::new(level.build().expect("a level")));
    let config = CharacterConfig { ceiling, ..CharacterConfig::default() };
    let mut person = Person::<T>::of(config, world, [0.0, STANDS, 0.0], hz);
    person.walk([0.0; 3], 0.1, |_, _| ());
    assert!(person.character.is_on_ground());
    person.tick_jumping([0.0; 3], Some(TAKE_OFF));
    let mut track = vec![person.place()];
    person.walk([0.0; 3], 1.5, |place, _| track.push(place));
    assert!(person.character.is_on_ground(), "it has landed");
    track
}

fn highest(track: &[Point3<f64>]) -> f64 {
    track.iter().map(|place| place.y).fold(f64::MIN, f64::max)
}

fn a_slanting_ceiling_stops_or_leads_on<T: Real>() {
    for degrees in [20.0_f64, 40.0, 60.0] {
        let stopped = jump::<T>(degrees, CeilingResponse::Stop, 1000);
        assert!((highest(&stopped) - STANDS - 0.5).abs() < 1e-6, "{degrees}°: up to {}", highest(&stopped));
        assert!(stopped.iter().all(|place| place.x.abs() < 1e-6), "{degrees}°: straight up and down");

        // What is left of the speed `v` runs along the ceiling, and so up by `v·sin²`.
        let slid = jump::<T>(degrees, CeilingResponse::Slide, 1000);
        let sine = libm::sin(degrees.to_radians());
        let left = libm::sqrt(TAKE_OFF * TAKE_OFF - 2.0 * GRAVITY * 0.5) * sine * sine;
        let expected = STANDS + 0.5 + left * left / (2.0 * GRAVITY);
        assert!((highest(&slid) - expected).abs() < 5e-3, "{degrees}°: up to {}, not {expected}", highest(&slid));
        assert!(slid[slid.len() - 1].x > 0.2, "{degrees}°: aside to {}", slid[slid.len() - 1].x);
    }
}

#[test]
fn a_ceiling_that_slants_stops_a_jump_or_leads_it_on() {
    a_slanting_ceiling_stops_or_leads_on::<f32>();
    a_slanting_ceiling_stops_or_leads_on::<f64>();
}

#[test]
fn a_level_ceiling_is_the_same_for_either_choice() {
    let [stopped, slid] = [CeilingResponse::Stop, CeilingResponse::Slide].map(|ceiling| jump::<f64>(0.0, ceiling, 60));
    assert!((highest(&stopped) - STANDS - 0.5).abs() < 1e-6);
    for (tick, (a, b)) in stopped.iter().zip(&slid).enumerate() {
        assert!((a - b).norm() < 1e-9, "tick {tick}: {a} and {b}");
    }
}

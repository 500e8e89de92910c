//! Who is stopped by something steep finds the way over or around it, where there is one.

use nalgebra::{Point3, vector};
use sidle::{
    TriMesh,
    mesh::primitives::{self, MeshBuilder},
};

use crate::person::{Person, STANDS};

fn tangent(degrees: f64) -> f64 {
    libm::tan(degrees.to_radians())
}

/// Ground that goes up along x in stretches, each so wide and so steep, from a first one that ends at the origin.
fn hillside(before: f64, stretches: &[(f64, f64)]) -> TriMesh<f64> {
    let mut level = MeshBuilder::new();
    let (mut x, mut y) = (-6.0, -6.0 * tangent(before));
    for (width, degrees) in std::iter::once(&(6.0, before)).chain(stretches) {
        let (next_x, next_y) = (x + width, y + width * tangent(*degrees));
        level.quad([[x, y, 6.0], [next_x, next_y, 6.0], [next_x, next_y, -6.0], [x, y, -6.0]]);
        (x, y) = (next_x, next_y);
    }
    level.build().expect("a hillside")
}

/// Where it is after it stood for a while and then walked.
fn walk(level: TriMesh<f64>, feet: [f64; 3], velocity: [f64; 3], seconds: f64, hz: u32) -> Point3<f64> {
    let mut person = Person::at(level, [feet[0], feet[1] + STANDS, feet[2]], hz);
    person.walk([0.0; 3], 0.5, |_, _| {});
    person.walk(velocity, seconds, |_, _| {});
    person.place()
}

#[test]
fn a_steep_strip_lower_than_a_step_is_walked_over_though_the_slope_goes_on() {
    // Behind the strip the body touches the slope a little more than a step higher than before it; its feet rise less.
    for (before, steep, width) in [(0.0, 46.0, 0.13), (0.0, 55.0, 0.13), (20.0, 50.0, 0.1), (35.0, 46.0, 0.1)] {
        for after in [41.0, 43.5] {
            for hz in [30, 60, 240] {
                let level = hillside(before, &[(width, steep), (4.0, after)]);
                let place = walk(level, [-1.0, 0.5 - tangent(before), 0.0], [1.0, 0.0, 0.0], 2.0, hz);
                assert!(place.x > 0.8, "{before}, then {steep} degrees, then {after}, at {hz} Hz: {place}");
            }
        }
    }
}

#[test]
fn a_steep_strip_higher_than_a_step_is_not() {
    for (before, steep, width) in [(0.0, 46.0, 0.5), (0.0, 55.0, 0.4), (35.0, 50.0, 0.6)] {
        for after in [0.0, 41.0] {
            let level = hillside(before, &[(width, steep), (4.0, after)]);
            let place = walk(level, [-1.0, 0.5 - tangent(before), 0.0], [1.0, 0.0, 0.0], 3.0, 60);
            assert!(place.x < 0.1, "{before}, then {steep} degrees, then {after}: {place}");
        }
    }
}

#[test]
fn a_slope_that_is_too_steep_is_not_climbed_whatever_the_way() {
    for degrees in [45.5, 46.0, 50.0, 60.0] {
        for before in [0.0, 30.0, 44.0] {
            for turn in -7..=7 {
                let turn = (f64::from(turn) * 10.0).to_radians();
                let velocity = [2.0 * libm::cos(turn), 0.0, 2.0 * libm::sin(turn)];
                let mut highest = f64::MIN;
                let level = hillside(before, &[(4.0, degrees)]);
                let mut person = Person::at(level, [-0.8, STANDS + 0.4 - 0.8 * tangent(before), 0.0], 60);
                person.walk([0.0; 3], 0.5, |_, _| {});
                person.walk(velocity, 1.5, |place, _| highest = highest.max(place.y));
                assert!(
                    highest < 0.97 / libm::cos(before.to_radians()),
                    "{before}, then {degrees}, at {turn}: {highest}"
                );
            }
        }
    }
}

#[test]
fn an_edge_that_is_lower_to_the_side_is_followed_there() {
    // The side of a ramp, met where it is a little higher than a step; downhill it is lower, and the wish leads uphill.
    for (height, degrees) in [(0.31, 5.0), (0.32, 5.0_f64)] {
        let mut level = MeshBuilder::new();
        level.append(&primitives::floor::<f64>(12.0, 12.0, 2, 2).expect("a floor"), [0.0; 3]);
        let (low, high) = (-height / tangent(20.0), height + 6.0 * tangent(20.0));
        level.quad([[low, 0.0, 0.0], [6.0, high, 0.0], [6.0, high, -6.0], [low, 0.0, -6.0]]);
        level.triangle([[low, 0.0, 0.0], [6.0, 0.0, 0.0], [6.0, high, 0.0]]);
        let (sine, cosine) = (libm::sin(degrees.to_radians()), libm::cos(degrees.to_radians()));
        let velocity = vector![sine, 0.0, -cosine];
        let place = walk(level.build().expect("a ramp"), [0.0, 0.1, 1.0], velocity.into(), 3.0, 60);
        assert!(place.z < -1.0, "an edge at {height}: {place}");
    }
}

//! Who is stopped by something steep finds the way over or around it, where there is one.

use nalgebra::{Point3, vector};
use sidle::{
    TriMesh,
    character::GroundState,
    mesh::primitives::{self, MeshBuilder},
};

use crate::person::{Person, STANDS};

pub(crate) fn tangent(degrees: f64) -> f64 {
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
pub(crate) fn walk(level: TriMesh<f64>, feet: [f64; 3], velocity: [f64; 3], seconds: f64, hz: u32) -> Point3<f64> {
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

/// Ground over the nine points of a lattice, those along x in a row, each cell split between its ends of higher x and of higher z.
fn hills(x: [f64; 3], z: [f64; 3], heights: [[f64; 3]; 3]) -> TriMesh<f64> {
    let mut level = MeshBuilder::new();
    let at = |i: usize, k: usize| [x[i], heights[k][i], z[k]];
    for (i, k) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        level.triangle([at(i, k), at(i, k + 1), at(i + 1, k)]);
        level.triangle([at(i + 1, k), at(i, k + 1), at(i + 1, k + 1)]);
    }
    level.build().expect("hills")
}

/// A strip too steep to walk on, along z, whose foot is at x = 0, with a slope behind it, and a rock in front of it, of which one
/// corner juts out half a metre above the ground at z = 1.5, so far `aside` of who comes along z from x = −`from`. To the left
/// of that is a wall.
fn beside_a_corner(from: f64, aside: f64, strip: (f64, f64), after: f64) -> TriMesh<f64> {
    let mut level = MeshBuilder::new();
    level.append(&hillside(0.0, &[strip, (4.0, after)]), [0.0; 3]);
    let (x, left) = (aside - from, -from - 0.5);
    let (tip, back, foot) = ([x, 0.5, 1.5], [x, 0.5, 3.0], [x, 0.0, 3.0]);
    level.triangle([tip, back, foot]);
    level.quad([tip, [x - 1.0, 0.5, 2.0], [x - 1.0, 0.0, 3.0], foot]);
    level.triangle([tip, [x - 1.0, 0.5, 2.0], back]);
    level.quad([[left, 0.0, -2.0], [left, 3.0, -2.0], [left, 3.0, 3.0], [left, 0.0, 3.0]]);
    level.build().expect("a corner")
}

#[test]
fn between_slopes_a_little_too_steep_the_body_leans_on_both_and_goes_on() {
    // Slopes of 45.5, 46 and 47 degrees meet above ground of 38: ahead, they hold it a little higher than where it would stand.
    let heights = [[0.08, -0.72, -0.8], [1.4, 0.0, -0.84], [2.36, 1.04, -0.12]];
    for (z, turn) in [(-0.3, 143.7), (-0.3, 153.7), (-0.08, 143.7), (-0.08, 153.7_f64)] {
        let level = hills([-1.49, 0.0, 1.49], [-1.849, 0.0, 1.849], heights);
        let mut person = Person::at(level, [0.1, 0.9, z], 60);
        let velocity = [libm::cos(turn.to_radians()), 0.0, libm::sin(turn.to_radians())];
        person.walk([0.0; 3], 0.5, |_, _| {});
        person.walk(velocity, 1.0, |_, _| {});
        let start = person.place();
        person.walk(velocity, 1.0, |_, _| {});
        assert!((person.place() - start).norm() > 0.3, "from {start} towards {turn}: {}", person.place());
    }
}

#[test]
fn who_pushes_into_a_slope_a_little_too_steep_stands_still() {
    // Ahead there are only places where it would lean on the slope, and not stay.
    for (before, steep) in [(35.0, 46.0), (42.0, 46.0), (43.0, 45.5), (44.0, 50.0)] {
        for turn in [0.0, 10.0_f64] {
            let velocity = [2.0 * libm::cos(turn.to_radians()), 0.0, 2.0 * libm::sin(turn.to_radians())];
            let center = [-1.0, STANDS + 0.3 - tangent(before), 0.0];
            let mut person = Person::at(hillside(before, &[(4.0, steep)]), center, 60);
            person.walk([0.0; 3], 0.5, |_, _| {});
            person.walk(velocity, 1.0, |_, _| {});
            let height = person.place().y;
            person.walk(velocity, 1.5, |place, report| {
                let is_still = (place.y - height).abs() < 1e-3 && report.ground.state == GroundState::OnGround;
                assert!(is_still, "{before}, then {steep} degrees, at {turn}: {place}, {:?}", report.ground.state);
            });
        }
    }
}

#[test]
fn under_what_hangs_down_a_place_is_looked_for_lower() {
    // A step higher it would be in the ceiling, which begins over the strip.
    for (steep, after, headroom) in [(55.0, 41.0, 1.99), (55.0, 41.0, 2.02), (55.0, 43.5, 2.03)] {
        let mut level = MeshBuilder::new();
        level.append(&hillside(0.0, &[(0.13, steep), (4.0, after)]), [0.0; 3]);
        let low = 0.13 * tangent(steep) - 0.13 * tangent(after) + headroom;
        let high = low + 2.0 * tangent(after);
        level.quad([[0.0, low, 6.0], [0.0, low, -6.0], [2.0, high, -6.0], [2.0, high, 6.0]]);
        let place = walk(level.build().expect("a passage"), [-0.9, 0.2, 0.0], [1.0, 0.0, 0.0], 2.0, 60);
        assert!(place.x > 0.8, "{steep}, then {after} degrees, {headroom} m high: {place}");
    }
}

#[test]
fn a_corner_beside_a_steep_strip_is_passed_over_the_strip() {
    // It is higher than a step, but it is a corner only: a place is free behind the plane in which the body touches it.
    for (from, aside, strip, after) in [(0.15, 0.0, (0.15, 52.0), 20.0), (0.15, 0.0, (0.12, 50.0), 10.0)] {
        let place = walk(beside_a_corner(from, aside, strip, after), [-from, 0.02, 0.0], [0.0, 0.0, 2.0], 2.0, 60);
        assert!(place.z > 2.5, "{from}, {aside}: {place}");
    }
}

#[test]
fn who_is_on_the_way_to_a_place_gets_there_though_behind_it_there_is_none() {
    // Half on the strip, three treads ahead is more than a step above the ground before it.
    for (from, aside, strip, after) in [(0.15, -0.02, (0.17, 54.0), 28.0), (0.15, 0.0, (0.15, 60.0), 20.0)] {
        let place = walk(beside_a_corner(from, aside, strip, after), [-from, 0.02, 0.0], [0.0, 0.0, 2.0], 2.0, 60);
        assert!(place.z > 2.5, "{from}, {aside}: {place}");
    }
}

#[test]
fn who_is_turned_aside_off_the_way_looks_for_it_again() {
    // Slopes about as steep as the limit: halfway up the body slides along one of them, not stopped but no longer on ground.
    let heights = [[2.08, 0.87, -0.16], [1.57, 0.88, 0.11], [2.05, 1.17, 0.17]];
    for turn in [32.0, 35.0_f64] {
        let level = hills([-0.98, 0.0, 0.98], [-0.98, 0.0, 0.98], heights);
        let (x, z) = (-2.0 * libm::cos(turn.to_radians()), -2.0 * libm::sin(turn.to_radians()));
        let mut person = Person::at(level, [0.57, 2.38, -0.04], 60);
        person.walk([0.0; 3], 0.6, |_, _| {});
        let start = person.place();
        person.walk([x, 0.0, z], 0.8, |_, _| {});
        let progress = (person.place() - start).dot(&vector![x, 0.0, z]) / 2.0;
        assert!(progress > 0.5, "at {turn}: {progress} m, from {start} to {}", person.place());
    }
}

#[test]
fn over_a_slot_that_is_level_but_for_its_rounding_the_body_stands() {
    // It slides down a bank and on along the slot, between whose edges it hangs. That is no rise, though one end is 10 µm higher.
    for half in [0.15, 0.18, 0.21] {
        let mut level = MeshBuilder::new();
        for side in [-1.0, 1.0] {
            let (near, far) = (half * side, 5.0 * side);
            level.quad([[-5.0, 0.0, near], [5.0, 1e-5, near], [5.0, 1e-5, far], [-5.0, 0.0, far]]);
        }
        level.quad([[-2.0, 0.0, -5.0], [-2.0, 0.0, 5.0], [-3.0, 3.0, 5.0], [-3.0, 3.0, -5.0]]);
        let mut person = Person::at(level.build::<f32>().expect("a slot"), [-2.0, 1.7, 0.0], 60);
        person.walk([0.0; 3], 1.0, |_, _| {});
        person.walk([0.0; 3], 0.5, |place, report| {
            assert_eq!(report.ground.state, GroundState::OnGround, "a slot of {half}: at {place}");
        });
    }
}

/// A ledge at x = `from`, and before it two posts that lean towards each other, with their tips so far from the middle.
fn posts(apart: f64, height: f64, ledge: f64, from: f64) -> TriMesh<f64> {
    let mut level = MeshBuilder::new();
    let (low, high) = ([from, 0.0, 4.0], [from, ledge, 4.0]);
    level.quad([[-4.0, 0.0, -4.0], [-4.0, 0.0, 4.0], low, [from, 0.0, -4.0]]);
    level.quad([[from, ledge, -4.0], high, [4.0, ledge, 4.0], [4.0, ledge, -4.0]]);
    level.quad([[from, 0.0, -4.0], low, high, [from, ledge, -4.0]]);
    for side in [-1.0, 1.0] {
        let (foot, back) = ((apart + 0.3) * side, (apart + 0.5) * side);
        let feet = [[-0.1, 0.0, foot], [0.1, 0.0, foot], [0.0, 0.0, back]];
        for i in 0..3 {
            level.triangle([[0.0, height, apart * side], feet[i], feet[(i + 1) % 3]]);
        }
    }
    level.build().expect("posts")
}

#[test]
fn between_two_posts_the_body_gets_up_where_a_step_higher_it_fits() {
    // It touches both tips far above a step; a step higher it is narrow enough between them.
    for (apart, height, ledge, from) in [(0.26, 0.4, 0.2, 0.15), (0.28, 0.4, 0.1, 0.05), (0.26, 0.45, 0.25, 0.15)] {
        for hz in [30, 60, 240] {
            let place = walk(posts(apart, height, ledge, from), [-1.0, 0.1, 0.0], [2.0, 0.0, 0.0], 2.0, hz);
            assert!(place.x > 1.0, "{apart} apart, {height} high, a ledge of {ledge}, at {hz} Hz: {place}");
        }
    }
}

#[test]
fn between_two_posts_it_stays_where_it_would_have_to_get_higher() {
    for (apart, height) in [(0.2, 0.5), (0.15, 0.45), (0.3, 0.8)] {
        let place = walk(posts(apart, height, 0.2, 0.15), [-1.0, 0.1, 0.0], [2.0, 0.0, 0.0], 2.0, 60);
        assert!(place.x < 0.0, "{apart} apart, {height} high: {place}");
    }
}

#[test]
fn past_a_steep_edge_that_is_met_head_on_the_body_gets_on_its_side() {
    // A panel across the way, whose top falls off steeply to the right, down to a ledge lower than a step. Where the body meets the
    // edge square to its wish it is higher than a step.
    for (low, slope, turn, z) in [(0.1, 1.2, 22.0_f64, 0.25), (0.1, 1.5, 28.0, 0.2), (0.15, 1.5, 24.0, 0.2)] {
        let mut level = MeshBuilder::new();
        level.quad([[-4.0, 0.0, -4.0], [-4.0, 0.0, 4.0], [0.0, 0.0, 4.0], [0.0, 0.0, -4.0]]);
        let high = low + 2.0 * slope;
        for ([z, y], [next_z, next_y]) in [([-4.0, low], [0.0, low]), ([0.0, low], [2.0, high])] {
            let (near, next) = ([0.0, y, z], [0.0, next_y, next_z]);
            level.quad([near, next, [4.0, next_y, next_z], [4.0, y, z]]);
            level.quad([[0.0, 0.0, z], [0.0, 0.0, next_z], next, near]);
        }
        let (sine, cosine) = (libm::sin(turn.to_radians()), libm::cos(turn.to_radians()));
        let feet = [-0.6, 0.03, z - 0.6 * sine / cosine];
        let place = walk(level.build().expect("a panel"), feet, [cosine, 0.0, sine], 1.5, 60);
        assert!(place.x > 0.2, "down to {low}, {slope} steep, at {turn}: {place}");
    }
}

/// How far it gets along its wish in two seconds on hills over a square lattice, having stood for a second.
fn gain(level: TriMesh<f64>, center: [f64; 3], turn: f64) -> f64 {
    let mut person = Person::at(level, center, 60);
    let way = vector![libm::cos(turn.to_radians()), 0.0, libm::sin(turn.to_radians())];
    person.walk([0.0; 3], 1.0, |_, _| {});
    let start = person.place();
    person.walk((way * 2.0).into(), 2.0, |_, _| {});
    (person.place() - start).dot(&way)
}

#[test]
fn on_hills_of_small_faces_a_tread_of_ground_is_enough() {
    let square = |size: f64, heights| hills([-size, 0.0, size], [-size, 0.0, size], heights);
    // Ground that goes on for less than a tread before and behind the body, but for one around it;
    let around = square(0.25, [[-0.41, -0.3, 0.04], [-0.05, -0.08, 0.13], [-0.05, 0.28, 0.43]]);
    // for less than a tread as seen from above, but it is a slope; and which goes on higher than a step above the ground.
    let slope = square(0.3, [[0.27, 0.01, -0.11], [0.19, -0.1, -0.34], [0.29, -0.07, -0.48]]);
    let rising = square(0.41, [[-0.28, -0.07, 0.46], [-0.28, -0.19, 0.35], [-0.26, -0.11, 0.04]]);
    for (level, center, turn) in
        [(around, [-0.04, 1.38, -0.03], 53.0), (slope, [0.1, 1.24, 0.06], 155.0), (rising, [0.13, 1.41, 0.01], 359.0)]
    {
        let gain = gain(level, center, turn);
        assert!(gain > 1.0, "at {turn}: {gain} m");
    }
}

#[test]
fn who_is_sent_to_and_fro_in_a_trough_looks_for_a_nearer_place() {
    let heights = [[-0.6, -0.49, -0.25], [0.06, 0.03, -0.01], [0.71, 0.79, 0.86]];
    let gain = gain(hills([-0.64, 0.0, 0.64], [-0.64, 0.0, 0.64], heights), [-0.2, 1.81, -0.24], 77.0);
    assert!(gain > 0.5, "{gain} m");
}

#[test]
fn who_gets_up_and_off_what_held_it_looks_for_the_way() {
    // Wedged on a ridge, it would get up along it, lose it and slide back.
    let heights = [[0.47, -0.05, -0.22], [0.3, -0.14, -0.12], [0.01, 0.11, -0.32]];
    let gain = gain(hills([-0.45, 0.0, 0.45], [-0.45, 0.0, 0.45], heights), [0.18, 1.42, -0.03], 200.0);
    assert!(gain > 1.0, "{gain} m");
}

#[test]
fn beside_a_wall_a_place_is_looked_for_a_little_aside() {
    let heights = [[0.41, 0.11, -1.03], [0.41, -0.39, -0.49], [0.58, -0.14, -0.82]];
    let mut level = MeshBuilder::new();
    level.append(&hills([-0.83, 0.0, 0.83], [-0.83, 0.0, 0.83], heights), [0.0; 3]);
    let (sine, cosine) = (libm::sin(125.0_f64.to_radians()), libm::cos(125.0_f64.to_radians()));
    let at = |along: f64, y: f64| [0.59 * cosine - along * sine, y, 0.59 * sine + along * cosine];
    level.quad([at(-1.5, -2.0), at(-1.5, 4.0), at(1.5, 4.0), at(1.5, -2.0)]);
    let gain = gain(level.build().expect("hills and a wall"), [0.08, 1.53, -0.24], 181.0);
    assert!(gain > 1.0, "{gain} m");
}

#[test]
fn beside_a_wall_that_leans_over_a_place_on_a_step_is_looked_for_aside() {
    // A step across the way along the wall, into which the wish leads: higher up there is less room beside the wall.
    for (degrees, height) in [(4.0, 0.15), (4.0, 0.3), (6.0, 0.1), (6.0, 0.2), (6.0, 0.25)] {
        let mut level = MeshBuilder::new();
        let out = 3.0 * tangent(degrees);
        level.quad([[0.0, 0.0, -4.0], [out, 3.0, -4.0], [out, 3.0, 4.0], [0.0, 0.0, 4.0]]);
        for ([ay, az], [by, bz]) in
            [([0.0, -4.0], [0.0, 0.0]), ([0.0, 0.0], [height, 0.0]), ([height, 0.0], [height, 4.0])]
        {
            level.quad([[-1.0, ay, az], [-1.0, by, bz], [6.0, by, bz], [6.0, ay, az]]);
        }
        let (sine, cosine) = (libm::sin(30.0_f64.to_radians()), libm::cos(30.0_f64.to_radians()));
        let velocity = [-3.0 * cosine, 0.0, 3.0 * sine];
        let place = walk(level.build().expect("a corner"), [1.5, 0.0, -1.0], velocity, 3.0, 60);
        assert!(place.z > 1.0, "{degrees} degrees, a step of {height}: {place}");
    }
}

//! The frame rate does not decide where a walk leads.

use nalgebra::Point3;
use sidle::{
    Real, TriMesh,
    character::GroundState,
    mesh::primitives::{MeshBuilder, floor, stairs},
    walk::{Track, TrackTick, Walk, judge, replay},
};

use crate::{
    person::{Person, RATES, STANDS},
    walks::own_walks,
};

/// How far the ends of a walk may be apart, in metres.
const SPREAD: f64 = 0.05;

/// The ticks of a move of a walk.
fn ticks_of<'a>(walk: &Walk, track: &'a Track, number: usize) -> &'a [TrackTick] {
    let first: usize = walk.moves[..number].iter().map(|each| each.ticks).sum();
    &track.ticks[first..first + walk.moves[number].ticks]
}

fn is_in_the_air(tick: &TrackTick) -> bool {
    tick.ground == GroundState::InAir
}

/// How many times the body leaves the ground in some ticks.
fn falls(ticks: &[TrackTick]) -> usize {
    ticks.windows(2).filter(|pair| !is_in_the_air(&pair[0]) && is_in_the_air(&pair[1])).count()
}

/// Asserts that the walk through the playground passed through all that it is about.
fn assert_passed_through_everything(walk: &Walk, track: &Track, hz: u32) {
    let ends: Vec<Point3<f64>> = (0..walk.moves.len()).map(|i| ticks_of(walk, track, i)[0].position).collect();
    let of = |number| ticks_of(walk, track, number);
    let on_ground = |number| of(number).iter().all(|tick| tick.ground == GroundState::OnGround);
    let near = |p: &Point3<f64>, x: f64, y: f64| (p.x - x).abs() < 0.2 && (p.y - y).abs() < 0.15;

    // Stairs up to the platform, down, and up again.
    assert!(near(&ends[1], -17.0, STANDS) && near(&ends[2], -11.0, 2.0 + STANDS), "{hz}: {:?}", &ends[1..3]);
    assert!(near(&ends[3], -17.0, STANDS) && near(&ends[4], -11.0, 2.0 + STANDS), "{hz}: {:?}", &ends[3..5]);
    assert!(on_ground(1) && on_ground(2) && on_ground(3), "{hz}: it leaves the ground on the stairs");
    // Down the ramp of 30° to its middle, and up.
    let on_the_ramp =
        |tick: &&TrackTick| tick.touches.iter().any(|touch| (touch.surface_normal.y - 0.866).abs() < 1e-3);
    let share = |number: usize| of(number).iter().filter(on_the_ramp).count() as f64 / of(number).len() as f64;
    assert!(near(&ends[5], -7.0, 1.8) && near(&ends[6], -11.0, 2.0 + STANDS), "{hz}: {:?}", &ends[5..7]);
    assert!(on_ground(4) && on_ground(5), "{hz}: it leaves the ground on the ramp");
    assert!(share(4) > 0.4 && share(5) > 0.4, "{hz}: on the ramp for {} and {} of the ticks", share(4), share(5));
    // Off the platform, and off the ledge below it.
    assert!((ends[7].y - STANDS).abs() < 0.05, "{hz}: {}", ends[7]);
    assert_eq!(falls(of(6)), 2, "{hz}: falls from the platform and from the ledge");
    // A jump of almost a metre.
    let top = of(8).iter().map(|tick| tick.position.y).fold(0.0, f64::max);
    assert!((0.9..1.0).contains(&(top - STANDS)) && falls(of(7)) == 0, "{hz}: it jumps {} m high", top - STANDS);
    // The corridor, along one of its walls and then along the other.
    for (number, normal) in [(10, 1.0), (11, -1.0)] {
        let along = |tick: &&TrackTick| tick.touches.iter().any(|touch| touch.normal.z * normal > 0.99);
        let inside = |tick: &&TrackTick| (-17.6..-12.4).contains(&tick.position.x);
        let share = of(number).iter().filter(along).filter(inside).count() as f64 / of(number).len() as f64;
        assert!(share > 0.3, "{hz}: along a wall of the corridor for {share} of the ticks");
    }
    // Onto a block of 0.3 m, and off it.
    assert!(of(12).iter().chain(of(13)).any(|tick| (tick.position.y - STANDS - 0.3).abs() < 0.01), "{hz}: no block");
}

fn ends_in_one_place<T: Real>() {
    let walk = Walk::read(&own_walks().join("playground_20s.json")).expect("a walk");
    assert!((walk.ticks() as f64 * walk.dt.0 - 20.0).abs() < 1e-5, "20 s");
    assert!(walk.moves.iter().all(|each| each.ticks % 30 == 0), "changes on multiples of half a second");
    let mut ends: Vec<Point3<f64>> = Vec::new();
    for hz in RATES {
        let walk = walk.at_rate(f64::from(hz)).expect("a frame rate");
        let (track, world) = replay::<T>(&walk, &own_walks()).expect("it runs");
        assert_eq!(judge(&walk, &track, &world), [], "{hz} Hz");
        assert_passed_through_everything(&walk, &track, hz);
        ends.extend(track.ticks.last().map(|tick| tick.position));
    }
    for (a, b) in ends.iter().flat_map(|a| ends.iter().map(move |b| (a, b))) {
        assert!((a - b).norm() < SPREAD, "{} m apart: {ends:?}", (a - b).norm());
    }
}

#[test]
fn twenty_seconds_through_the_playground_end_in_one_place_at_every_frame_rate() {
    ends_in_one_place::<f32>();
    ends_in_one_place::<f64>();
}

/// Stairs of 0.2 m × 0.3 m, with flat ground before and behind.
fn long_stairs<T: Real>() -> TriMesh<T> {
    let mut level = MeshBuilder::new();
    level.append(&stairs::<f64>(60, 0.2, 0.3, 4.0).expect("stairs"), [0.0; 3]);
    level.append(&floor::<f64>(40.0, 4.0, 40, 4).expect("a floor"), [-20.0, 0.0, 0.0]);
    level.build().expect("a level")
}

/// How far a body gets on stairs in two seconds, by how far it would get on a floor.
fn share_of_speed<T: Real>(start: [f64; 3], velocity: [f64; 3], hz: u32) -> f64 {
    let mut person = Person::at(long_stairs::<T>(), start, hz);
    person.walk([0.0; 3], 0.5, |_, _| ());
    let from = person.place();
    person.walk(velocity, 2.0, |_, _| ());
    let way = person.place() - from;
    assert!(way.y.abs() > 0.5, "it is on the stairs: {way:?}");
    way.x.hypot(way.z) / (2.0 * velocity[0].hypot(velocity[2]))
}

fn stairs_cost_no_speed<T: Real>() {
    for hz in RATES {
        for speed in [1.0, 3.0, 5.0] {
            for aside in [0.0, 0.3] {
                let [up, down] = [1.0, -1.0].map(|sign| [sign * speed, 0.0, aside]);
                let shares = [
                    share_of_speed::<T>([0.5, 0.4 + STANDS, -0.5], up, hz),
                    share_of_speed::<T>([14.5, 9.8 + STANDS, -0.5], down, hz),
                ];
                assert!(shares.iter().all(|share| *share > 0.95), "{hz} Hz, {speed} m/s, {aside}: {shares:?}");
            }
        }
    }
}

#[test]
fn stairs_are_walked_at_the_speed_of_flat_ground_at_every_frame_rate() {
    stairs_cost_no_speed::<f32>();
    stairs_cost_no_speed::<f64>();
}

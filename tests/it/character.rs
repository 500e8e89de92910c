//! A character walks: scenes that a player would tell in a sentence.

use nalgebra::{Point3, Rotation3, Unit, UnitQuaternion, Vector3, point, vector};
use sidle::{
    Character, CharacterConfig, CharacterState, Ellipsoid, Octree, Real, Scratch, TickInput, TriMesh, World,
    character::{GroundState, TickReport},
    mesh::primitives::{self, MeshBuilder},
    world::Placement,
};

const DT: f64 = 1.0 / 60.0;
const GRAVITY: f64 = 9.81;
/// From the ground to the centre of a body that stands: its semi-axis and the skin.
const STANDS: f64 = 0.92;

/// A character of the usual size in a level.
struct Walker<T: Real> {
    world: World<T>,
    character: Character<T>,
    scratch: Scratch,
    up: Unit<Vector3<T>>,
}

impl<T: Real> Walker<T> {
    /// Stands with its feet at a place.
    fn on(mesh: TriMesh<T>, feet: [f64; 3]) -> Self {
        let body = Ellipsoid::new(vector![0.4, 0.9, 0.4].map(T::nearest)).expect("good radii");
        let center = (Point3::from(feet) + vector![0.0, STANDS, 0.0]).map(T::nearest);
        let character = Character::new(body, CharacterConfig::default(), center).expect("a character");
        let world = World::of_level(Octree::new(mesh));
        let mut walker = Self { world, character, scratch: Scratch::default(), up: Vector3::y_axis() };
        walker.walks([0.0; 3], 0.1);
        walker
    }

    fn ticks(&mut self, velocity: Vector3<f64>, jump: Option<f64>) -> TickReport<T> {
        let input = TickInput {
            velocity: velocity.map(T::nearest),
            jump: jump.map(T::nearest),
            gravity: T::nearest(GRAVITY),
            up: self.up,
            ..TickInput::default()
        };
        self.character.tick(&self.world, &input, T::nearest(DT), &mut self.scratch).expect("good numbers")
    }

    /// Walks with a velocity for some seconds; returns the reports of its ticks.
    fn walks(&mut self, velocity: [f64; 3], seconds: f64) -> Vec<TickReport<T>> {
        let ticks = (seconds / DT).round() as usize;
        (0..ticks).map(|_| self.ticks(velocity.into(), None)).collect()
    }

    /// Where its feet would be if it stands.
    fn feet(&self) -> Vector3<f64> {
        self.character.state().exact_position().coords - self.up.map(Real::to_f64) * STANDS
    }

    /// Walks straight over the ground from place to place; panics where it does not arrive.
    fn tours(&mut self, places: &[Vector3<f64>], speed: f64) -> usize {
        let mut ticks = 0;
        for place in places {
            let most = ((place - self.feet()).norm() / speed / DT * 1.5) as usize + 60;
            let until = ticks + most;
            loop {
                let way = (place - self.feet()).component_mul(&vector![1.0, 0.0, 1.0]);
                if way.norm() < 1e-3 {
                    break;
                }
                self.ticks(way.normalize() * speed.min(way.norm() / DT), None);
                ticks += 1;
                assert!(ticks < until, "it does not get to {place:?}, but stays at {:?}", self.feet());
            }
            let off = self.feet().y - place.y;
            assert!(self.character.is_on_ground() && off.abs() < 0.25, "at {place:?} it is {off} m too high");
        }
        ticks
    }
}

fn floor<T: Real>() -> TriMesh<T> {
    primitives::floor(40.0, 40.0, 20, 20).expect("a floor")
}

/// A floor with other things on it.
fn floor_with<T: Real>(things: &[(TriMesh<f64>, [f64; 3])]) -> TriMesh<T> {
    let mut level = MeshBuilder::new();
    level.append(&floor::<f64>(), [0.0; 3]);
    for (thing, place) in things {
        level.append(thing, *place);
    }
    level.build().expect("a level")
}

fn ramp(degrees: f64) -> TriMesh<f64> {
    let angle = degrees.to_radians();
    primitives::ramp(3.0 / libm::tan(angle), angle, 6.0).expect("a ramp")
}

fn cuboid(half_extents: [f64; 3]) -> TriMesh<f64> {
    primitives::cuboid(half_extents).expect("a cuboid")
}

#[track_caller]
fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} is not {expected} ± {tolerance}");
}

fn walks_on_a_flat_floor_at_full_speed<T: Real>() {
    let mut walker = Walker::<T>::on(floor(), [-10.0, 0.0, 1.0]);
    let reports = walker.walks([4.0, 0.0, 3.0], 3.0);
    assert!(reports.iter().all(|report| report.ground.touch.is_some()));
    // The velocity, the time and the skin are rounded to the scalar, and 180 sums to f64.
    let tolerance = 64.0 * 20.0 * T::ROUNDING;
    assert_near((walker.feet() - vector![2.0, 0.0, 10.0]).norm(), 0.0, tolerance);
}

#[test]
fn it_walks_on_a_flat_floor_at_full_speed() {
    walks_on_a_flat_floor_at_full_speed::<f32>();
    walks_on_a_flat_floor_at_full_speed::<f64>();
}

fn climbs_stairs_up_and_down<T: Real>() {
    let stairs = primitives::stairs::<f64>(10, 0.2, 0.3, 4.0).expect("stairs");
    let mut walker = Walker::<T>::on(
        floor_with(&[(stairs, [0.0; 3]), (cuboid([2.0, 1.0, 2.0]), [5.0, 1.0, 0.0])]),
        [-2.0, 0.0, 0.0],
    );
    let up = walker.walks([3.0, 0.0, 0.0], 2.0);
    assert!(walker.character.is_on_ground());
    assert_near((walker.feet() - vector![4.0, 2.0, 0.0]).norm(), 0.0, 1e-3);
    assert!(up.iter().all(|report| report.ground.state == sidle::character::GroundState::OnGround));
    let down = walker.walks([-3.0, 0.0, 0.0], 2.0);
    assert_near((walker.feet() - vector![-2.0, 0.0, 0.0]).norm(), 0.0, 1e-3);
    assert!(down.iter().all(|report| report.ground.state == sidle::character::GroundState::OnGround));
}

#[test]
fn it_climbs_stairs_up_and_down_at_full_speed() {
    climbs_stairs_up_and_down::<f32>();
    climbs_stairs_up_and_down::<f64>();
}

#[test]
fn it_climbs_43_degrees_and_stops_at_47() {
    let mut walker = Walker::<f64>::on(floor_with(&[(ramp(43.0), [0.0; 3])]), [-2.0, 0.0, 0.0]);
    walker.walks([2.0, 0.0, 0.0], 2.0);
    assert_near(walker.feet().x, 2.0, 1e-6);
    assert!(walker.feet().y > 1.8 && walker.character.is_on_ground());

    let mut walker = Walker::<f64>::on(floor_with(&[(ramp(47.0), [0.0; 3])]), [-2.0, 0.0, 0.0]);
    let reports = walker.walks([2.0, 0.0, 0.0], 4.0);
    assert!(walker.feet().x < 0.0 && walker.feet().y < 1e-6, "{:?}", walker.feet());
    let last = &reports[reports.len() - 60..];
    assert!(last.iter().all(|report| (report.to - report.from).norm() < 1e-9), "it rests at its foot");
}

#[test]
fn it_steps_on_ledges_of_up_to_0_3_and_on_none_of_0_42() {
    for (height, climbs) in [(0.1, true), (0.3, true), (0.42, false), (1.0, false)] {
        let block = (cuboid([2.0, height / 2.0, 2.0]), [2.0, height / 2.0, 0.0]);
        let mut walker = Walker::<f64>::on(floor_with(&[block]), [-2.0, 0.0, 0.0]);
        walker.walks([2.0, 0.0, 0.0], 2.0);
        assert_near(walker.feet().y, if climbs { height } else { 0.0 }, 1e-6);
        assert_eq!(walker.feet().x > 1.0, climbs, "{height}: {:?}", walker.feet());
    }
}

#[test]
fn it_jumps_as_high_as_its_speed_says() {
    let mut walker = Walker::<f64>::on(floor(), [0.0; 3]);
    let speed = GRAVITY * DT * 30.0; // the highest point falls on a tick
    let mut highest = 0.0_f64;
    walker.ticks(Vector3::zeros(), Some(speed));
    highest = highest.max(walker.feet().y);
    for _ in 0..59 {
        assert!(!walker.character.is_on_ground());
        walker.ticks(Vector3::zeros(), Some(speed)); // asked for all the time, taken only on ground
        highest = highest.max(walker.feet().y);
    }
    assert_near(highest, speed * speed / (2.0 * GRAVITY), 1e-9);
    walker.walks([0.0; 3], 0.1);
    assert!(walker.character.is_on_ground());
    assert_near(walker.feet().y, 0.0, 1e-9);
}

#[test]
fn it_falls_off_a_ledge_as_gravity_says() {
    let mut walker = Walker::<f64>::on(floor_with(&[(cuboid([2.0, 2.0, 2.0]), [0.0, 2.0, 0.0])]), [0.0, 4.0, 0.0]);
    let mut before = walker.feet();
    while !walker.walks([3.0, 0.0, 0.0], DT).is_empty() && walker.character.is_on_ground() {
        before = walker.feet();
    }
    // It leaves the edge with no speed along up; from here on, exactly half g t², and the wish sideways.
    let left = walker.feet();
    let mut falls = 0;
    assert!(left.x > 2.0 && left.x - before.x < 0.06, "{left:?}");
    let already = walker.character.state().momentum.y;
    loop {
        walker.walks([3.0, 0.0, 0.0], DT);
        if walker.character.is_on_ground() {
            break;
        }
        falls += 1;
        let t = DT * f64::from(falls);
        assert_near(walker.feet().y, left.y + already * t - GRAVITY * t * t / 2.0, 1e-9);
        assert_near(walker.feet().x, left.x + 3.0 * t, 1e-9);
    }
    assert!(falls > 40, "4 m take 0.9 s: {falls} ticks");
    assert_near(walker.feet().y, 0.0, 1e-9);
}

fn idle_stays<T: Real>(mesh: TriMesh<T>, feet: [f64; 3]) {
    let mut walker = Walker::<T>::on(mesh, feet);
    walker.walks([0.0; 3], 2.0);
    let state = walker.character.state();
    for tick in 0..2000 {
        walker.ticks(Vector3::zeros(), None);
        assert_eq!(walker.character.state(), state, "tick {tick}");
    }
    assert!(walker.character.is_on_ground());
}

#[test]
fn idle_it_stays_to_the_bit() {
    idle_stays::<f32>(floor(), [0.3, 0.0, 0.1]);
    idle_stays::<f64>(floor(), [0.3, 0.0, 0.1]);
    let on_ramp = [1.0, libm::tan(43_f64.to_radians()) + 0.3, 0.0];
    idle_stays::<f32>(floor_with(&[(ramp(43.0), [0.0; 3])]), on_ramp);
    idle_stays::<f64>(floor_with(&[(ramp(43.0), [0.0; 3])]), on_ramp);
    idle_stays::<f32>(primitives::terrain(8, 3).expect("hills"), [0.3, 3.0, 0.2]);
    idle_stays::<f64>(primitives::terrain(8, 3).expect("hills"), [0.3, 3.0, 0.2]);
}

#[test]
fn it_slides_along_a_wall_of_many_quads_with_the_cosine_of_its_speed() {
    let mut level = MeshBuilder::new();
    level.append(&floor::<f64>(), [0.0; 3]);
    level.append(&primitives::wall::<f64>(40.0, 4.0, 80).expect("a wall"), [0.0; 3]);
    let mesh = level.build::<f64>().expect("a level");
    for degrees in [5.0_f64, 30.0, 60.0, 80.0] {
        let (sine, cosine) = libm::sincos(degrees.to_radians());
        let mut walker = Walker::on(mesh.clone(), [-10.0, 0.0, 0.5]);
        let velocity = [4.0 * cosine, 0.0, -4.0 * sine];
        walker.walks(velocity, 1.0);
        let start = walker.feet();
        walker.walks(velocity, 3.0);
        assert_near(walker.feet().x - start.x, 12.0 * cosine, 1e-9);
        assert_near(walker.feet().z, 0.42, 1e-9);
    }
}

#[test]
fn a_corner_stops_it_without_jitter() {
    for degrees in [90.0_f64, 60.0, 30.0] {
        let half = degrees.to_radians() / 2.0;
        let mut level = MeshBuilder::new();
        level.append(&floor::<f64>(), [0.0; 3]);
        let [x, z] = [10.0 * libm::cos(half), 10.0 * libm::sin(half)];
        for z in [z, -z] {
            level.quad([[0.0, 0.0, 0.0], [-x, 0.0, z], [-x, 3.0, z], [0.0, 3.0, 0.0]]);
        }
        let mesh = level.build::<f64>().expect("a level");
        for velocity in [[3.0, 0.0, 0.0], [3.0, 0.0, 0.4], [3.0, 0.0, -0.3]] {
            let mut walker = Walker::on(mesh.clone(), [-3.0, 0.0, 0.0]);
            walker.walks(velocity, 4.0);
            let rest = walker.feet();
            // Both walls are 0.42 from its axis.
            assert_near(rest.x, -0.42 / libm::sin(half), 1e-6);
            for report in walker.walks(velocity, 2.0) {
                assert!((report.to - report.from).norm() < 1e-9, "{degrees}°, {velocity:?}: {report:?}");
            }
            walker.walks([-3.0, 0.0, 0.0], 0.5);
            assert_near(walker.feet().x, rest.x - 1.5, 1e-9);
        }
    }
}

#[test]
fn input_that_makes_no_sense_is_refused_and_changes_nothing() {
    let mut walker = Walker::<f64>::on(floor(), [0.0; 3]);
    walker.walks([1.0, 0.0, 0.5], 0.5);
    let state = walker.character.state();
    let good = TickInput { velocity: vector![1.0, 0.0, 0.0], ..TickInput::default() };
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    let bad = [
        (TickInput { velocity: vector![nan, 0.0, 0.0], ..good }, DT),
        (TickInput { velocity: vector![0.0, 0.0, inf], ..good }, DT),
        (TickInput { velocity: vector![0.0, -inf, 0.0], ..good }, DT),
        (TickInput { velocity: vector![1e300, 0.0, 0.0], ..good }, DT),
        (TickInput { jump: Some(nan), ..good }, DT),
        (TickInput { jump: Some(inf), ..good }, DT),
        (TickInput { gravity: nan, ..good }, DT),
        (TickInput { gravity: -inf, ..good }, DT),
        (TickInput { up: Unit::new_unchecked(vector![0.0, nan, 0.0]), ..good }, DT),
        (TickInput { up: Unit::new_unchecked(Vector3::zeros()), ..good }, DT),
        (good, 0.0),
        (good, -DT),
        (good, nan),
        (good, inf),
    ];
    for (input, dt) in bad {
        let error = walker.character.tick(&walker.world, &input, dt, &mut walker.scratch);
        assert!(error.is_err(), "{input:?}, {dt}");
        assert!(walker.character.fly(&walker.world, &input, dt, &mut walker.scratch).is_err(), "{input:?}, {dt}");
        assert_eq!(walker.character.state(), state, "{input:?}, {dt}");
    }
    let broken = [
        CharacterState { position: point![nan, 0.0, 0.0], ..state },
        CharacterState { remainder: vector![0.0, inf, 0.0], ..state },
        CharacterState { momentum: vector![0.0, nan, 0.0], ..state },
        CharacterState { ground_normal: vector![0.0, 0.0, nan], ..state },
        CharacterState { feet_above_support: nan, ..state },
    ];
    for broken in broken {
        assert!(walker.character.restore(broken).is_err(), "{broken:?}");
        assert_eq!(walker.character.state(), state);
    }
    walker.ticks(vector![1.0, 0.0, 0.0], None); // and it still walks
}

#[test]
fn a_body_that_makes_no_sense_is_refused() {
    let body = Ellipsoid::<f64>::new(vector![0.4, 0.9, 0.4]).expect("good radii");
    assert!(Character::new(body, CharacterConfig::default(), point![0.0, f64::NAN, 0.0]).is_err());
    for radii in [vector![0.0, 1.0, 1.0], vector![1.0, -1.0, 1.0], vector![1.0, 1.0, f64::NAN]] {
        assert!(Ellipsoid::new(radii).is_err(), "{radii:?}");
    }
}

/// A wish that wanders: a new direction twice a second, with a jump now and then.
fn wish(tick: usize) -> (Vector3<f64>, Option<f64>) {
    let angle = (tick / 30) as f64 * 2.4;
    (vector![4.0 * libm::cos(angle), 0.0, 4.0 * libm::sin(angle)], (tick % 100 == 99).then_some(4.0))
}

fn a_restored_state_repeats_the_run<T: Real>() {
    let begin = || Walker::<T>::on(primitives::playground(), [-14.0, 1.0, 6.0]);
    let run = |walker: &mut Walker<T>, ticks: std::ops::Range<usize>| {
        let each = |tick| {
            let (velocity, jump) = wish(tick);
            let report = walker.ticks(velocity, jump);
            (walker.character.state(), report)
        };
        ticks.map(each).collect::<Vec<_>>()
    };
    let mut walker = begin();
    let first = run(&mut walker, 0..300);
    let saved = walker.character.state();
    let rest = run(&mut walker, 300..900);
    walker.character.restore(saved).expect("a good state");
    assert!(run(&mut walker, 300..900) == rest, "restored");

    let mut other = begin();
    assert!(run(&mut other, 0..300) == first, "the same inputs, the same bits");
    let mut fresh = begin();
    fresh.character.restore(saved).expect("a good state");
    assert!(run(&mut fresh, 300..900) == rest, "restored in another character");
}

#[test]
fn a_restored_state_repeats_the_run_to_the_bit() {
    a_restored_state_repeats_the_run::<f32>();
    a_restored_state_repeats_the_run::<f64>();
}

#[test]
fn with_another_up_it_is_the_same_walk_turned() {
    let level = primitives::playground::<f64>();
    let run = |turn: UnitQuaternion<f64>| {
        let vertices = level.vertices().iter().map(|vertex| turn * vertex).collect();
        let mesh = TriMesh::new(vertices, level.indices().collect()).expect("a mesh");
        let body = Ellipsoid::turned(vector![0.4, 0.9, 0.4], turn).expect("good radii");
        let start = turn * point![-17.5, STANDS, 6.0];
        let mut walker = Walker {
            world: World::of_level(Octree::new(mesh)),
            character: Character::new(body, CharacterConfig::default(), start).expect("a character"),
            scratch: Scratch::default(),
            up: turn * Vector3::y_axis(),
        };
        let mut track = Vec::new();
        // Up the stairs, over the platform, down the ramp, with a jump on the way.
        for tick in 0..300 {
            walker.ticks(turn * vector![3.0, 0.0, 0.1], (tick == 150).then_some(3.0));
            track.push(turn.inverse() * walker.character.state().exact_position());
        }
        track
    };
    let plain = run(UnitQuaternion::identity());
    assert!(plain.iter().any(|position| position.y > 2.9) && plain[299].y < 1.5, "{:?}", plain[299]);
    let axes = [Vector3::x(), -Vector3::x(), Vector3::z(), -Vector3::z(), -Vector3::y(), vector![0.3, 0.8, -0.5]];
    for axis in axes {
        let half_turn = Rotation3::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI);
        let turn = Rotation3::rotation_between(&Vector3::y(), &axis).unwrap_or(half_turn);
        let turned = run(UnitQuaternion::from_rotation_matrix(&turn));
        for (tick, (turned, plain)) in turned.iter().zip(&plain).enumerate() {
            let off = (turned - plain).norm();
            assert!(off < 1e-9, "up {axis:?}, tick {tick}: {off} m off");
        }
    }
}

/// The tour of the playground moved by an offset, its vertices moved in `f64` and rounded once.
fn walks_the_tour<T: Real>(offset: Vector3<f64>) {
    let level = primitives::playground::<f64>();
    let vertices = level.vertices().iter().map(|vertex| (vertex + offset).map(T::nearest)).collect();
    let mesh = TriMesh::new(vertices, level.indices().collect()).expect("a mesh");
    let spawn = Vector3::from(primitives::PLAYGROUND_SPAWN) + offset;
    let mut walker = Walker::<T>::on(mesh, spawn.into());
    let places: Vec<_> = primitives::playground_tour().into_iter().map(|place| Vector3::from(place) + offset).collect();
    let ticks = walker.tours(&places, 4.0);
    println!("the tour of {} places takes {ticks} ticks", places.len());
    assert!((walker.feet() - spawn).norm() < 0.02, "it is back: {:?}", walker.feet() - spawn);
}

#[test]
fn it_walks_the_tour_of_the_playground() {
    walks_the_tour::<f32>(Vector3::zeros());
    walks_the_tour::<f64>(Vector3::zeros());
}

#[test]
fn it_walks_the_tour_far_away() {
    walks_the_tour::<f64>(vector![1e5, 0.0, -1e5]);
    walks_the_tour::<f64>(vector![6e4, 5e4, -6e4]);
    walks_the_tour::<f32>(vector![1e4, 0.0, 1e4]);
    walks_the_tour::<f32>(vector![-7e3, 1e3, 7e3]);
}

/// A floor of 20 m, 1 m below another of 10 m that has a hole of 2 m by 0.75 m in the middle.
fn hole() -> TriMesh<f64> {
    let mut builder = MeshBuilder::new();
    builder.append(&primitives::floor::<f64>(20.0, 20.0, 1, 1).expect("a floor"), [0.0, -5.0, 0.0]);
    let (x, z) = (1.0, 0.375);
    let mut floor = |[x0, x1]: [f64; 2], [z0, z1]: [f64; 2]| {
        builder.quad([[x0, 0.0, z0], [x0, 0.0, z1], [x1, 0.0, z1], [x1, 0.0, z0]]);
    };
    floor([-5.0, 5.0], [-5.0, -z]);
    floor([-5.0, 5.0], [z, 5.0]);
    floor([-5.0, -x], [-z, z]);
    floor([x, 5.0], [-z, z]);
    builder.build().expect("a hole")
}

#[test]
fn who_is_wedged_in_a_hole_stands_and_gets_out_by_a_jump() {
    let mut walker = Walker::on(hole(), [0.0, 0.0, 0.0]);
    walker.walks([0.0; 3], 2.0);
    assert!(walker.feet().y < -0.4 && walker.character.is_on_ground(), "at {}", walker.feet());
    // Unlike a body in the air it neither gains speed nor loses the ground.
    assert!(walker.walks([0.5, 0.0, 0.0], 1.0).iter().all(|report| report.ground.state == GroundState::OnGround));
    walker.ticks(vector![0.0, 0.0, 3.0], Some(4.4));
    walker.walks([0.0, 0.0, 3.0], 1.0);
    assert!(walker.feet().y.abs() < 1e-6 && walker.feet().z > 1.0, "at {}", walker.feet());
}

#[test]
fn the_ground_is_felt_beside_a_wall_that_leans_away() {
    // Whether the wall or the floor is met first on the way down is a matter of rounding; the flag must not tell.
    for degrees in [46.0, 60.0, 80.0, 89.9_f64] {
        let lean = 3.0 / libm::tan(degrees.to_radians());
        let mut builder = MeshBuilder::new();
        builder.append(&primitives::floor::<f64>(40.0, 40.0, 4, 4).expect("a floor"), [0.0; 3]);
        builder.quad([[2.0, 0.0, -20.0], [2.0, 0.0, 20.0], [2.0 + lean, 3.0, 20.0], [2.0 + lean, 3.0, -20.0]]);
        let mut walker = Walker::on(builder.build::<f64>().expect("a level"), [0.0; 3]);
        let reports = walker.walks([2.0, 0.0, 1.0], 4.0);
        assert!(reports.iter().all(|report| report.ground.state == GroundState::OnGround), "at {degrees} degrees");
        assert!(walker.feet().y.abs() < 1e-6 && walker.feet().z > 3.9, "at {degrees} degrees: {}", walker.feet());
    }
}

#[test]
fn a_fence_of_low_bars_is_not_climbed_bar_by_bar() {
    // Bars 13 cm deep, 25 cm apart, the lowest one nearest: who leans on it has the next within a step of its top.
    let mut builder = MeshBuilder::new();
    builder.append(&primitives::floor::<f64>(20.0, 20.0, 2, 2).expect("a floor"), [0.0; 3]);
    let bar = primitives::cuboid::<f64>([0.065, 0.05, 5.0]).expect("a bar");
    for (height, behind) in [(0.2, 0.0), (0.45, 0.085), (0.7, 0.085), (0.95, 0.085), (1.2, 0.085)] {
        builder.append(&bar, [2.0 + behind, height, 0.0]);
    }
    let mut walker = Walker::on(builder.build::<f64>().expect("a fence"), [0.0; 3]);
    for _ in 0..20 {
        walker.walks([1.0, 0.0, 0.3], 0.3);
        walker.walks([2.0, 0.0, -0.3], 0.3);
    }
    assert!(walker.feet().y < 0.3 && walker.feet().x < 2.0, "at {}", walker.feet());
}

#[test]
fn a_step_leads_under_a_lintel_that_leaves_just_enough_room() {
    let mut builder = MeshBuilder::new();
    builder.append(&primitives::floor::<f64>(20.0, 20.0, 2, 2).expect("a floor"), [0.0; 3]);
    builder.append(&primitives::cuboid::<f64>([5.0, 0.15, 5.0]).expect("a step"), [7.0, 0.15, 0.0]);
    // 1.95 m above the step, flush with its front.
    builder.append(&primitives::cuboid::<f64>([5.0, 0.5, 5.0]).expect("a lintel"), [7.0, 2.75, 0.0]);
    let mut walker = Walker::on(builder.build::<f64>().expect("a level"), [0.0; 3]);
    let reports = walker.walks([1.0, 0.0, 0.0], 5.0);
    assert!(reports.iter().all(|report| report.ground.state == GroundState::OnGround));
    assert!((walker.feet() - vector![5.0, 0.3, 0.0]).norm() < 0.02, "at {}", walker.feet());
}

/// With working memory of its own a character keeps triangles from tick to tick, of which no bit may tell.
fn kept_triangles_change_nothing<T: Real>() {
    let walker = || Walker::<T>::on(primitives::playground(), primitives::PLAYGROUND_SPAWN);
    let (mut keeps, mut forgets) = (walker(), walker());
    let mut steps = 0;
    for place in primitives::playground_tour() {
        for _ in 0..2_000 {
            let way = (Vector3::from(place) - keeps.feet()).component_mul(&vector![1.0, 0.0, 1.0]);
            if way.norm() < 0.15 {
                break;
            }
            let velocity = way.normalize() * 3.0;
            forgets.scratch = Scratch::default();
            let report = keeps.ticks(velocity, None);
            assert_eq!(report, forgets.ticks(velocity, None));
            assert_eq!(keeps.character.state(), forgets.character.state());
            steps += usize::from(report.has_stepped);
        }
    }
    assert!(steps > 20, "it steps only {steps} times");
}

#[test]
fn kept_triangles_change_nothing_in_f32() {
    kept_triangles_change_nothing::<f32>();
}

#[test]
fn kept_triangles_change_nothing_in_f64() {
    kept_triangles_change_nothing::<f64>();
}

#[test]
fn kept_triangles_go_when_the_world_changes() {
    let mut walker = Walker::<f64>::on(primitives::floor(4.0, 4.0, 1, 1).expect("a floor"), [0.0; 3]);
    let block = walker.world.add_mesh(Octree::new(primitives::cuboid([1.0, 0.5, 1.0]).expect("a block")));
    let block = walker.world.place(block, &Placement::at(point![1.5, 0.5, 0.0])).expect("it is placed");
    walker.walks([3.0, 0.0, 0.0], 0.5);
    assert!(walker.feet().x < 0.2, "the block stops it");
    let copy = walker.world.clone();
    walker.world.remove(block).expect("it is there");
    walker.walks([3.0, 0.0, 0.0], 0.1);
    assert!(walker.feet().x > 0.25, "the block is gone");
    walker.world = copy;
    let x = walker.feet().x;
    walker.walks([3.0, 0.0, 0.0], 0.1);
    assert!(walker.feet().x <= x, "the block is back");
}

//! Moving platforms: what carries a character, what pushes it, and what it keeps when it leaves.

use std::f64::consts::FRAC_PI_2;

use crate::random::Random;
use nalgebra::{Point3, UnitQuaternion, Vector3, point, vector};
use sidle::{
    Character, CharacterConfig, Ellipsoid, Octree, Real, Scratch, TickInput, TriMesh, World,
    character::TickReport,
    mesh::primitives::{self, MeshBuilder},
    world::{InstanceId, Placement},
};

/// From the ground to the centre of a body that stands: its semi-axis and the skin.
const STANDS: f64 = 0.92;
const RATES: [u32; 4] = [30, 60, 240, 1000];

/// Where something is at a time, and how it is turned.
type Path = Box<dyn Fn(f64) -> (Point3<f64>, UnitQuaternion<f64>)>;

/// A level, things that move in it, and a character of the usual size.
struct Stage<T: Real> {
    world: World<T>,
    movers: Vec<(InstanceId, Path)>,
    character: Character<T>,
    scratch: Scratch,
    hz: u32,
    ticks: u32,
}

impl<T: Real> Stage<T> {
    fn new(level: TriMesh<T>, feet: [f64; 3], hz: u32) -> Self {
        let body = Ellipsoid::new(vector![0.4, 0.9, 0.4].map(T::nearest)).expect("good radii");
        let center = (Point3::from(feet) + Vector3::y() * STANDS).map(T::nearest);
        Self {
            world: World::of_level(Octree::new(level)),
            movers: Vec::new(),
            character: Character::new(body, CharacterConfig::default(), center).expect("a character"),
            scratch: Scratch::default(),
            hz,
            ticks: 0,
        }
    }

    fn with(mut self, mesh: TriMesh<T>, path: impl Fn(f64) -> (Point3<f64>, UnitQuaternion<f64>) + 'static) -> Self {
        let mesh = self.world.add_mesh(Octree::new(mesh));
        let id = self.world.place(mesh, &placement(path(0.0))).expect("it is placed");
        self.movers.push((id, Box::new(path)));
        self
    }

    /// The character lands before anything moves.
    fn landed(mut self) -> Self {
        let movers = std::mem::take(&mut self.movers);
        self.stand(0.3);
        assert!(self.character.is_on_ground(), "there is no ground at {}", self.feet());
        Self { movers, ticks: 0, ..self }
    }

    fn dt(&self) -> f64 {
        1.0 / f64::from(self.hz)
    }

    fn time(&self) -> f64 {
        f64::from(self.ticks) * self.dt()
    }

    /// Everything moves, then the character ticks.
    fn tick(&mut self, velocity: [f64; 3], jump: Option<f64>) -> TickReport<T> {
        let dt = T::nearest(self.dt());
        self.ticks += 1;
        self.world.settle();
        for (id, path) in &self.movers {
            self.world
                .drive(*id, &placement(path(f64::from(self.ticks) / f64::from(self.hz))), dt)
                .expect("it is driven");
        }
        let velocity = Vector3::from(velocity).map(T::nearest);
        let input = TickInput { velocity, jump: jump.map(T::nearest), ..TickInput::default() };
        self.character.tick(&self.world, &input, dt, &mut self.scratch).expect("good numbers")
    }

    fn walk(&mut self, velocity: [f64; 3], seconds: f64, mut each: impl FnMut(&mut Self, &TickReport<T>)) {
        for _ in 0..(seconds * f64::from(self.hz)).round() as usize {
            let report = self.tick(velocity, None);
            each(self, &report);
        }
    }

    fn stand(&mut self, seconds: f64) {
        self.walk([0.0; 3], seconds, |_, _| ());
    }

    fn feet(&self) -> Point3<f64> {
        self.character.state().exact_position() - Vector3::y() * STANDS
    }

    /// The feet as seen from a mover.
    fn feet_on(&self, mover: usize) -> Point3<f64> {
        let pose = self.world.placement(self.movers[mover].0).expect("it is there").pose;
        let rotation = UnitQuaternion::from_quaternion(pose.rotation.coords.map(Real::to_f64).into());
        rotation.inverse() * Point3::from(self.feet() - pose.position.map(Real::to_f64))
    }
}

fn placement<T: Real>((position, rotation): (Point3<f64>, UnitQuaternion<f64>)) -> Placement<T> {
    let rotation = UnitQuaternion::new_unchecked(rotation.coords.map(T::nearest).into());
    Placement::at(position.map(T::nearest)).turned(rotation)
}

fn level<T: Real>(things: &[([f64; 3], [f64; 3])]) -> TriMesh<T> {
    let mut level = MeshBuilder::new();
    level.append(&primitives::floor::<f64>(60.0, 60.0, 6, 6).expect("a floor"), [0.0; 3]);
    for (half_extents, center) in things {
        level.append(&cuboid::<f64>(*half_extents), *center);
    }
    level.build().expect("a level")
}

fn cuboid<T: Real>(half_extents: [f64; 3]) -> TriMesh<T> {
    primitives::cuboid(half_extents).expect("a block")
}

fn about_y(angle: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_axis_angle(&Vector3::y_axis(), angle)
}

fn straight(start: [f64; 3], velocity: [f64; 3]) -> impl Fn(f64) -> (Point3<f64>, UnitQuaternion<f64>) {
    move |time| (Point3::from(start) + Vector3::from(velocity) * time, UnitQuaternion::identity())
}

fn rides_ten_thousand_ticks<T: Real>() {
    let path = |time: f64| (point![2.0 * time, 3.0 + 0.5 * time, -time], about_y(0.7 * time));
    let mut stage = Stage::<T>::new(level(&[]), [1.5, 3.1, 1.0], 60).with(cuboid([3.0, 0.1, 3.0]), path);
    stage.stand(0.1);
    let start = stage.feet_on(0);
    let mut farthest = 0.0_f64;
    for _ in 0..10_000 {
        let report = stage.tick([0.0; 3], None);
        assert!(stage.character.is_on_ground() && !report.ride.is_crushed);
        farthest = farthest.max((stage.feet_on(0) - start).norm());
    }
    assert!(farthest < 1e-3, "it has drifted {farthest} m");
}

#[test]
fn who_stands_on_a_platform_that_moves_turns_and_rises_stays_on_its_spot_for_ten_thousand_ticks() {
    rides_ten_thousand_ticks::<f32>();
    rides_ten_thousand_ticks::<f64>();
}

/// A deck that rolls and pitches: the ground tilts under the feet, and they stay where they are on it.
#[test]
fn who_stands_on_the_deck_of_a_rocking_ship_does_not_creep() {
    let path = |time: f64| {
        let rotation =
            UnitQuaternion::from_euler_angles(0.3 * (1.1 * time).sin(), 0.2 * time, 0.2 * (0.7 * time).cos() - 0.2);
        (point![4.0 * time, 5.0 + (0.5 * time).sin(), 0.0], rotation)
    };
    let mut stage = Stage::<f64>::new(level(&[]), [2.0, 5.3, 1.0], 60).with(cuboid([6.0, 0.1, 3.0]), path);
    stage.stand(0.3);
    // The point under the body: the feet of an upright body on a slope are not it.
    let under = |stage: &mut Stage<f64>| {
        let report = stage.tick([0.0; 3], None);
        assert!(stage.character.is_on_ground(), "it lost the deck after {} s", stage.time());
        let point = report.ground.touch.expect("it stands").point;
        let pose = stage.world.placement(stage.movers[0].0).expect("it is there").pose;
        pose.rotation.inverse() * Point3::from(point - pose.position)
    };
    let start = under(&mut stage);
    for _ in 0..10_000 {
        let now = under(&mut stage);
        assert!((now - start).norm() < 1e-3, "it has crept {} m after {} s", (now - start).norm(), stage.time());
    }
}

#[test]
fn who_stands_on_a_lift_that_sinks_never_loses_ground() {
    for hz in RATES {
        for speed in [0.01, 0.3, 1.0, 2.0] {
            let mut stage = Stage::<f32>::new(level(&[]), [0.5, 20.1, 0.2], hz)
                .with(cuboid([2.0, 0.1, 2.0]), straight([0.0, 20.0, 0.0], [0.0, -speed, 0.0]))
                .landed();
            stage.walk([0.1, 0.0, 0.0], 5.0, |stage, _| {
                assert!(stage.character.is_on_ground(), "{speed} m/s, {hz} Hz: in the air after {} s", stage.time());
            });
            let on_lift = stage.feet_on(0);
            assert!((on_lift.y - 0.1).abs() < 1e-4 && (on_lift.x - 1.0).abs() < 1e-2, "{on_lift}");
        }
    }
}

/// A jump at 4 m/s leads 0.815 m above the place of take-off, as seen from a lift, whatever its speed.
#[test]
fn a_lift_never_eats_a_jump_nor_doubles_it() {
    for hz in RATES {
        for speed in [-3.0, -1.0, 0.0, 1.0, 3.0, 6.0] {
            let mut stage = Stage::<f64>::new(level(&[]), [0.0, 30.1, 0.0], hz)
                .with(cuboid([2.0, 0.1, 2.0]), straight([0.0, 30.0, 0.0], [0.0, speed, 0.0]))
                .landed();
            stage.stand(0.1);
            let rest = stage.feet_on(0).y;
            let mut height = 0.0_f64;
            stage.tick([0.0; 3], Some(4.0));
            assert!(!stage.character.is_on_ground(), "{speed} m/s, {hz} Hz: the jump was eaten");
            let mut air = 1;
            while !stage.character.is_on_ground() {
                height = height.max(stage.feet_on(0).y - rest);
                stage.tick([0.0; 3], None);
                air += 1;
            }
            let (expected, long) = (4.0 * 4.0 / 2.0 / 9.81, 2.0 * 4.0 / 9.81);
            // The top is between two ticks, and so is the landing.
            let between = 9.81 * stage.dt().powi(2);
            assert!((height - expected).abs() < between + 1e-6, "{speed} m/s, {hz} Hz: {height} m high");
            assert!((f64::from(air) * stage.dt() - long).abs() < 1.5 * stage.dt(), "{speed} m/s, {hz} Hz: {air} ticks");
        }
    }
}

#[test]
fn who_jumps_on_a_train_lands_where_it_jumped() {
    for hz in RATES {
        let mut stage = Stage::<f64>::new(level(&[]), [1.0, 1.1, 0.3], hz)
            .with(cuboid([4.0, 0.1, 2.0]), straight([0.0, 1.0, 0.0], [7.0, 0.0, 0.0]));
        stage.stand(0.1);
        let start = stage.feet_on(0);
        stage.tick([0.0; 3], Some(4.0));
        while !stage.character.is_on_ground() {
            stage.tick([0.0; 3], None);
        }
        assert!((stage.feet_on(0) - start).norm() < 1e-6, "{hz} Hz: {} from {start}", stage.feet_on(0));
    }
}

/// Standing 2 m from the axis of a carousel at 1 rad/s, it flies off with 2 m/s along the tangent.
#[test]
fn who_jumps_off_a_carousel_keeps_its_velocity() {
    let mut stage = Stage::<f64>::new(level(&[]), [2.0, 5.1, 0.0], 240)
        .with(cuboid([2.5, 0.1, 2.5]), |time| (point![0.0, 5.0, 0.0], about_y(time)));
    stage.stand(0.5);
    let start = stage.feet();
    stage.tick([0.0; 3], Some(4.0));
    let left = stage.feet();
    stage.walk([0.0; 3], 0.5, |_, _| ());
    let velocity = (stage.feet() - left) / 0.5;
    let tangent = vector![start.z, 0.0, -start.x];
    assert!((velocity.xz() - tangent.xz()).norm() < 0.02, "{velocity} is not {tangent}");
}

#[test]
fn who_walks_off_a_moving_platform_keeps_its_velocity() {
    let mut stage = Stage::<f64>::new(level(&[]), [0.0, 5.1, 0.0], 60)
        .with(cuboid([1.0, 0.1, 1.0]), straight([0.0, 5.0, 0.0], [3.0, 0.0, 0.0]));
    stage.stand(0.1);
    while stage.character.is_on_ground() {
        stage.tick([0.0, 0.0, 2.0], None);
    }
    let left = stage.feet();
    stage.walk([0.0; 3], 0.5, |_, _| ());
    assert!(((stage.feet() - left).x - 1.5).abs() < 1e-6, "{}", stage.feet());
}

#[test]
fn walking_on_a_platform_is_relative_to_it() {
    let mut stage = Stage::<f64>::new(level(&[]), [-2.0, 1.1, 0.0], 60)
        .with(cuboid([4.0, 0.1, 2.0]), straight([0.0, 1.0, 0.0], [-5.0, 0.0, 1.0]));
    stage.stand(0.1);
    let start = stage.feet_on(0);
    stage.walk([2.0, 0.0, 0.0], 1.0, |_, _| ());
    assert!((stage.feet_on(0) - start - vector![2.0, 0.0, 0.0]).norm() < 1e-9);
}

#[test]
fn the_turn_of_a_platform_is_told_for_the_view() {
    let mut stage = Stage::<f64>::new(level(&[]), [1.0, 1.1, 0.0], 60)
        .with(cuboid([4.0, 0.1, 4.0]), |time| (point![0.0, 1.0, 0.0], about_y(0.8 * time)));
    stage.stand(0.1);
    let mut turned = 0.0;
    stage.walk([0.0; 3], 2.0, |_, report| turned += report.ride.turned);
    assert!((turned - 1.6).abs() < 1e-9, "{turned}");
}

/// A wall beside the track: who is carried against it stays before it, and the platform goes on below.
#[test]
fn nobody_is_carried_through_a_wall() {
    for hz in RATES {
        for speed in [0.5, 3.0, 60.0] {
            let wall = ([0.001, 3.0, 4.0], [3.0, 3.0, 0.0]);
            let mut stage = Stage::<f64>::new(level(&[wall]), [0.0, 1.1, 0.0], hz)
                .with(cuboid([8.0, 0.1, 2.0]), straight([-4.0, 1.0, 0.0], [speed, 0.0, 0.0]));
            stage.tick([0.0; 3], None);
            let seconds = 6.0 / speed;
            stage.walk([0.0; 3], seconds, |stage, _| {
                assert!(stage.feet().x < 3.0 - 0.4, "{speed} m/s, {hz} Hz: through the wall at {}", stage.feet());
            });
            assert!(stage.feet().x > 2.5, "{speed} m/s, {hz} Hz: not even at the wall: {}", stage.feet());
        }
    }
}

fn is_pushed<T: Real>(stage: &mut Stage<T>, seconds: f64, what: &str, ahead: impl Fn(&Stage<T>) -> f64) {
    let mut pushed = 0.0;
    stage.walk([0.0; 3], seconds, |stage, report| {
        pushed += report.ride.pushed.map(Real::to_f64).norm();
        let gap = ahead(stage);
        assert!(gap > 0.4, "{what}: it is {gap} m before what pushes it, after {} s", stage.time());
        assert!(
            stage.feet().y.abs() < 0.01 && stage.character.is_on_ground(),
            "{what}: it is lifted: {}",
            stage.feet()
        );
    });
    assert!(pushed > 0.5, "{what}: only pushed by {pushed} m");
}

#[test]
fn a_moving_wall_pushes_a_character_and_never_passes_it() {
    for hz in RATES {
        for speed in [0.2, 2.0, 20.0, 200.0] {
            for thick in [0.5, 0.001] {
                let mut stage = Stage::<f64>::new(level(&[]), [0.0, 0.0, 0.0], hz)
                    .with(cuboid([thick, 1.5, 1.5]), straight([-1.5, 1.6, 0.2], [speed, 0.0, 0.0]));
                let what = format!("{speed} m/s, {hz} Hz, {thick} m");
                is_pushed(&mut stage, 4.0 / speed, &what, |stage| stage.feet_on(0).x - thick);
            }
        }
    }
}

/// The arm is a thin plate that reaches 4 m from its axis; the character stands 3 m from it.
#[test]
fn a_rotating_arm_pushes_a_character_and_never_passes_it() {
    for hz in RATES {
        for speed in [0.5, 3.0, 12.0] {
            let mut arm = MeshBuilder::new();
            arm.append(&cuboid::<f64>([2.0, 1.0, 0.005]), [2.0, 0.0, 0.0]);
            let mut stage = Stage::<f64>::new(level(&[]), [3.0, 0.0, -1.0], hz)
                .with(arm.build().expect("an arm"), move |time| (point![0.0, 1.05, 0.0], about_y(speed * time)));
            let what = format!("{speed} rad/s, {hz} Hz");
            // Pushed outwards as well, it leaves the arm beyond its tip in the end.
            let mut pushed = 0.0;
            let mut is_before = true;
            stage.walk([0.0; 3], 3.0 / speed, |stage, report| {
                let on_arm = stage.feet_on(0);
                pushed += report.ride.pushed.norm();
                is_before &= on_arm.x < 4.0;
                assert!(!is_before || -on_arm.z > 0.4, "{what}: at {on_arm} of the arm after {} s", stage.time());
            });
            assert!(pushed > 1.0, "{what}: only pushed by {pushed} m");
        }
    }
}

/// A thin bar at the height of the knees sweeps through who stands there.
#[test]
fn a_low_bar_pushes_who_stands_and_does_not_lift() {
    for hz in [30, 60, 240] {
        let mut stage = Stage::<f64>::new(level(&[]), [0.0, 0.0, 0.0], hz)
            .with(cuboid([0.05, 0.05, 1.5]), straight([-1.5, 0.4, 0.2], [1.5, 0.0, 0.0]));
        is_pushed(&mut stage, 2.0, &format!("{hz} Hz"), |stage| stage.feet_on(0).x + 0.3);
    }
}

#[test]
fn a_rising_floor_lifts_who_stands_beside_it_on_the_ground() {
    for speed in [0.5, 3.0, 30.0] {
        let mut stage = Stage::<f64>::new(level(&[]), [0.0; 3], 60)
            .with(cuboid([2.0, 0.1, 2.0]), straight([0.0, -0.5, 0.0], [0.0, speed, 0.0]));
        stage.stand(3.0 / speed);
        assert!((stage.feet_on(0).y - 0.1).abs() < 0.01, "{speed} m/s: {}", stage.feet_on(0));
        assert!(stage.character.is_on_ground());
    }
}

/// What rests wins: between a wall and a moving block the character stays before the wall, and is told to be crushed.
#[test]
fn who_is_crushed_against_a_wall_is_told_so_and_stays_on_its_side() {
    for hz in RATES {
        for speed in [0.5, 5.0] {
            let wall = ([0.001, 3.0, 8.0], [2.0, 3.0, 0.0]);
            let mut stage = Stage::<f32>::new(level(&[wall]), [0.0; 3], hz)
                .with(cuboid([0.5, 1.5, 6.0]), straight([-1.5, 1.6, 0.0], [speed, 0.0, 0.0]));
            let mut was_crushed = false;
            stage.walk([0.0; 3], 4.0 / speed, |stage, report| {
                was_crushed |= report.ride.is_crushed;
                let gap = 2.0 - stage.feet().x;
                assert!(report.ride.is_crushed || !was_crushed || stage.time() > 2.5 / speed);
                assert!(gap > 0.39, "{speed} m/s, {hz} Hz: {gap} m before the wall after {} s", stage.time());
                let room = 1.999 - (-1.0 + speed * stage.time());
                assert!(!report.ride.is_crushed || room < 0.85, "crushed with {room} m of room");
            });
            assert!(was_crushed, "{speed} m/s, {hz} Hz");
        }
    }
}

#[test]
fn a_lift_that_rises_to_the_ceiling_crushes_and_pushes_nobody_through() {
    let ceiling = ([4.0, 0.1, 4.0], [0.0, 4.0, 0.0]);
    let mut stage = Stage::<f64>::new(level(&[ceiling]), [0.0, 0.5, 0.0], 60)
        .with(cuboid([2.0, 0.1, 2.0]), straight([0.0, 0.4, 0.0], [0.0, 1.0, 0.0]));
    let mut crushed_at = None;
    stage.walk([0.0; 3], 4.0, |stage, report| {
        if report.ride.is_crushed && crushed_at.is_none() {
            crushed_at = Some(stage.feet_on(0).y + stage.time());
        }
        assert!(stage.feet().y < 3.9 - 1.8, "through the ceiling: {}", stage.feet());
    });
    assert!(crushed_at.is_some(), "it was not told");
}

/// A wall that comes along at a slant wedges nobody who can slide along the other wall.
#[test]
fn who_can_slide_out_of_the_way_is_not_crushed() {
    let mut stage = Stage::<f64>::new(level(&[([0.1, 3.0, 20.0], [1.0, 3.0, 0.0])]), [0.0; 3], 60)
        .with(cuboid([0.1, 1.5, 3.0]), |time| (point![-1.5 + time, 1.6, 0.0], about_y(0.5)));
    stage.walk([0.0; 3], 2.0, |stage, report| {
        assert!(!report.ride.is_crushed, "after {} s at {}", stage.time(), stage.feet());
    });
    assert!(stage.feet().z.abs() > 0.5, "it has not been pushed along: {}", stage.feet());
}

/// A hull of one mesh: a deck with walls around it.
fn hull<T: Real>() -> TriMesh<T> {
    let mut hull = MeshBuilder::new();
    hull.append(&cuboid::<f64>([4.0, 0.1, 3.0]), [0.0, -0.1, 0.0]);
    for (half_extents, center) in [
        ([0.05, 1.5, 3.0], [4.0, 1.5, 0.0]),
        ([0.05, 1.5, 3.0], [-4.0, 1.5, 0.0]),
        ([4.0, 1.5, 0.05], [0.0, 1.5, 3.0]),
        ([4.0, 1.5, 0.05], [0.0, 1.5, -3.0]),
        ([0.3, 1.5, 0.3], [1.0, 1.5, 0.9]),
    ] {
        hull.append(&cuboid::<f64>(half_extents), center);
    }
    hull.build().expect("a hull")
}

/// The same steps lead to the same places aboard, whether the ship sails and turns or not.
#[test]
fn walking_inside_a_sailing_ship_is_as_in_one_at_anchor() {
    let places = |sails: bool| {
        let path = move |time: f64| {
            let time = if sails { time } else { 0.0 };
            (point![12.0 * time, 3.0 + 0.4 * time, 5.0 * time], about_y(0.6 * time))
        };
        let mut stage = Stage::<f64>::new(level(&[]), [-2.0, 3.0, 0.0], 60).with(hull(), path).landed();
        let mut places = Vec::new();
        for (step, seconds) in [([3.0, 0.0, 0.2], 2.5), ([0.0, 0.0, 2.0], 2.5), ([-3.0, 0.0, 2.0], 2.0)] {
            for _ in 0..(seconds * 60.0) as usize {
                // The player's view turns along, and with it the wish.
                let (_, turn) = stage.movers[0].1(f64::from(stage.ticks + 1) / 60.0);
                stage.tick((turn * Vector3::from(step)).into(), None);
                let place = stage.feet_on(0);
                assert!(place.x.abs() < 3.6 && place.z.abs() < 2.6 && place.y > -0.01, "out of the hull: {place}");
            }
            places.push(stage.feet_on(0));
        }
        places
    };
    for (sailing, anchored) in places(true).iter().zip(places(false)) {
        assert!((sailing - anchored).norm() < 1e-6, "{sailing} aboard, {anchored} at anchor");
    }
}

/// Landing on a lift that comes up, it takes the character along at once.
#[test]
fn who_falls_onto_a_rising_lift_stands_on_it() {
    for hz in RATES {
        let mut stage = Stage::<f64>::new(level(&[]), [0.0, 6.0, 0.0], hz)
            .with(cuboid([2.0, 0.1, 2.0]), straight([0.0, 1.0, 0.0], [0.0, 4.0, 0.0]));
        stage.stand(1.0);
        assert!(stage.character.is_on_ground(), "{hz} Hz");
        let start = stage.feet_on(0);
        stage.walk([0.0; 3], 0.5, |stage, _| assert!(stage.character.is_on_ground()));
        assert!((stage.feet_on(0) - start).norm() < 1e-6 && (start.y - 0.1).abs() < 0.01, "{hz} Hz: {start}");
    }
}

#[test]
fn what_was_put_to_rest_or_somewhere_else_carries_nobody() {
    let mut stage = Stage::<f64>::new(level(&[]), [0.0, 1.1, 0.0], 60)
        .with(cuboid([4.0, 0.1, 4.0]), straight([0.0, 1.0, 0.0], [1.0, 0.0, 0.0]));
    stage.stand(0.5);
    let (id, at) = (stage.movers[0].0, stage.feet());
    let velocity = stage.world.velocity_at(id, &point![0.0, 0.0, 0.0]).expect("it is there");
    assert!((velocity - vector![1.0, 0.0, 0.0]).norm() < 1e-9);
    stage.movers.clear();
    stage.stand(0.5);
    assert_eq!(stage.feet(), at);
    assert_eq!(stage.world.velocity_at(id, &point![0.0, 0.0, 0.0]), Some(Vector3::zeros()));
    stage.world.move_to(id, &Placement::at(point![1.0, 1.0, 0.0])).expect("it is moved");
    stage.stand(0.5);
    assert_eq!(stage.feet(), at);
    assert!(stage.character.is_on_ground());
}

/// A run is repeated to the bit from a state that was saved on a moving platform.
#[test]
fn a_state_saved_on_a_platform_repeats_the_run() {
    let stage = || {
        let path = |time: f64| (point![2.0 * time, 1.0, 0.0], about_y(FRAC_PI_2 * time));
        Stage::<f32>::new(level(&[([0.2, 2.0, 0.2], [3.0, 2.0, 1.0])]), [0.5, 1.1, 0.0], 60)
            .with(cuboid([4.0, 0.1, 2.0]), path)
            .with(cuboid([0.1, 1.0, 1.0]), straight([6.0, 2.2, 0.0], [-2.0, 0.0, 0.0]))
    };
    let mut first = stage();
    first.stand(0.5);
    let saved = (first.character.state(), first.ticks);
    first.walk([0.5, 0.0, 0.2], 2.0, |_, _| ());

    let mut again = stage();
    again.ticks = saved.1 - 1;
    again.tick([0.0; 3], None);
    again.character.restore(saved.0).expect("a good state");
    again.walk([0.5, 0.0, 0.2], 2.0, |_, _| ());
    assert_eq!(first.character.state(), again.character.state());
}

/// Blocks that slide, spin and bob among pillars, and characters in the midst of them: nobody is ever in what rests, nor on the
/// other side of what moves, unless crushed.
#[test]
fn among_machines_nobody_is_in_a_wall_and_nothing_passes_through_who_is_not_crushed() {
    let mut random = Random(7);
    let (mut pushes, mut crushes, mut rides) = (0, 0, 0);
    for round in 0..200 {
        let hz = [30, 60, 144][round % 3];
        let mut number = |min: f64, max: f64| random.between(min, max);
        let pillars: Vec<_> = (0..6)
            .map(|_| ([number(0.1, 0.6), 3.0, number(0.1, 0.6)], [number(-4.0, 4.0), 2.9, number(-4.0, 4.0)]))
            .filter(|(half, center)| center[0].abs() > half[0] + 0.5 || center[2].abs() > half[2] + 0.5)
            .collect();
        let mut stage = Stage::<f32>::new(level(&pillars), [0.0; 3], hz).landed();
        let mut blocks = Vec::new();
        for _ in 0..4 {
            let half = [number(0.01, 1.5), number(0.1, 1.2), number(0.01, 1.5)];
            let center = point![number(-4.0, 4.0), half[1] + number(-0.2, 0.6), number(-4.0, 4.0)];
            let swing = vector![number(-3.0, 3.0), number(0.0, 0.5) * number(0.0, 1.0).round(), number(-3.0, 3.0)];
            let (pace, spin) = (number(0.3, 2.5), number(-3.0, 3.0) * number(0.0, 1.0).round());
            // They are out of the way at first.
            let path = move |time: f64| {
                let away = Vector3::y() * if time == 0.0 { 50.0 } else { 0.0 };
                (center + swing * (pace * time).sin() + away, about_y(spin * time))
            };
            let begins = path(1.0 / f64::from(hz));
            let start = begins.1.inverse() * Point3::from(point![0.0, 0.92, 0.0] - begins.0);
            if (0..3).any(|axis| start[axis].abs() > half[axis] + 1.2) {
                stage = stage.with(cuboid(half), path);
                blocks.push(half);
            }
        }
        stage.ticks = 1;
        for (id, path) in &stage.movers {
            stage.world.move_to(*id, &placement(path(1.0 / f64::from(hz)))).expect("it is moved");
        }
        let center_on = |stage: &Stage<f32>, block: usize| stage.feet_on(block).coords + Vector3::y() * STANDS;
        let mut last: Vec<_> = (0..blocks.len()).map(|block| center_on(&stage, block)).collect();
        let mut heading = 0.0_f64;
        for tick in 0..600 {
            heading += number(-0.3, 0.3);
            if stage.feet().coords.norm() > 6.0 {
                heading = (-stage.feet().z).atan2(-stage.feet().x);
            }
            let velocity = [3.0 * heading.cos(), 0.0, 3.0 * heading.sin()];
            let report = stage.tick(velocity, (tick % 90 == 50).then_some(4.0));
            let what = format!("round {round}, tick {tick}, at {}: {:?}", stage.feet(), report.ride);
            assert!(stage.feet().iter().all(|x| x.is_finite()), "{what}");
            let center = stage.feet() + Vector3::y() * STANDS;
            for (half, at) in &pillars {
                let out = (0..3).map(|axis| (center[axis] - at[axis]).abs() - half[axis]).fold(f64::MIN, f64::max);
                assert!(out > 0.0, "{what}: its centre is in a pillar");
            }
            assert!(stage.feet().y > -0.05, "{what}: below the floor");
            pushes += usize::from(report.ride.pushed.norm() > 1e-3);
            rides += usize::from(report.ride.on.is_some());
            if report.ride.is_crushed {
                crushes += 1;
                break; // what is in it now may come out anywhere
            }
            for (block, half) in blocks.iter().enumerate() {
                let now = center_on(&stage, block);
                assert!(!crosses_box(&last[block], &now, half), "{what}: block {block} has passed through it");
                last[block] = now;
            }
        }
    }
    assert!(pushes > 500 && crushes > 5 && rides > 500, "{pushes} pushes, {crushes} crushed, {rides} rides");
}

/// Whether a segment meets a box about the origin.
fn crosses_box(from: &Vector3<f64>, to: &Vector3<f64>, half: &[f64; 3]) -> bool {
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    for axis in 0..3 {
        let way = to[axis] - from[axis];
        let times = [-half[axis], half[axis]].map(|side| (side - from[axis]) / way);
        if way == 0.0 && from[axis].abs() >= half[axis] {
            return false;
        }
        if way != 0.0 {
            enter = enter.max(times[0].min(times[1]));
            leave = leave.min(times[0].max(times[1]));
        }
    }
    enter < leave
}

/// In the tick in which it lands, a train takes it along, but not past a wall.
#[test]
fn who_drops_onto_a_fast_train_is_not_carried_through_a_wall() {
    for hz in RATES {
        for height in 0..12 {
            let wall = ([0.05, 5.0, 4.0], [1.0, 5.0, 0.0]);
            let feet = [0.0, 1.5 + 0.02 * f64::from(height), 0.0];
            let mut stage = Stage::<f64>::new(level(&[wall]), feet, hz)
                .with(cuboid([90.0, 0.1, 2.0]), straight([-60.0, 1.0, 0.0], [80.0, 0.0, 0.0]));
            stage.walk([0.0; 3], 1.0, |stage, _| {
                assert!(stage.feet().x < 0.95 - 0.4, "{hz} Hz: behind the wall at {}", stage.feet());
            });
            assert!(stage.feet().x > 0.5, "{hz} Hz: not carried along: {}", stage.feet());
        }
    }
}

/// Without a skin as well, and in a place far from the origin.
#[test]
fn platforms_carry_far_from_the_origin_and_without_a_skin() {
    let far = vector![5000.0, 1000.0, -7000.0];
    for skin in [0.0, 0.02] {
        let path = move |time: f64| (Point3::from(far) + vector![2.0, 0.4, -1.0] * time, about_y(0.5 * time));
        let mut stage = Stage::<f32>::new(level(&[]), (far + vector![1.0, 0.1 + 1e-3, 0.5]).into(), 60)
            .with(cuboid([3.0, 0.1, 3.0]), path);
        let config = CharacterConfig { skin, ..CharacterConfig::default() };
        let position = stage.character.position();
        stage.character = Character::new(*stage.character.ellipsoid(), config, position).expect("a character");
        let mut stage = stage.landed();
        let start = stage.feet_on(0);
        stage.walk([0.0; 3], 20.0, |stage, _| {
            assert!(stage.character.is_on_ground(), "skin {skin}: in the air after {} s", stage.time());
        });
        let off = (stage.feet_on(0) - start).norm();
        assert!(off < 2e-3, "skin {skin}: {off} m off");
    }
}

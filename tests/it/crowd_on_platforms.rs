//! Crowds on what moves, and in its way.

use nalgebra::{Point3, UnitQuaternion, Vector3, point, vector};
use sidle::{
    Character, Octree, Real, Scratch, TickInput, World,
    character::{CharacterId, CharacterState, Crowd},
    mesh::primitives,
    world::{InstanceId, Placement},
};

use crate::people::{BESIDE, DT, MOST_OVERLAP, STANDS, at, deepest_overlap, player, standing, walking};

/// Half the side of the platform, and half its thickness.
const HALF: f64 = 5.0;
const THICK: f64 = 0.25;

/// A floor, and a platform that turns and rises over it as it goes round a circle.
struct Stage<T: Real> {
    world: World<T>,
    platform: InstanceId,
    ticks: u32,
}

impl<T: Real> Stage<T> {
    fn new() -> Self {
        let floor = primitives::floor::<T>(80.0, 80.0, 8, 8).expect("a floor");
        let mut world = World::of_level(Octree::new(floor));
        let mesh = primitives::cuboid::<T>([HALF, THICK, HALF]).expect("a platform");
        let mesh = world.add_mesh(Octree::new(mesh));
        let platform = world.place(mesh, &placement(Self::path(0.0))).expect("it is placed");
        Self { world, platform, ticks: 0 }
    }

    fn path(time: f64) -> (Point3<f64>, UnitQuaternion<f64>) {
        let (sin, cos) = (0.5 * time).sin_cos();
        let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.7 * time);
        (point![6.0 * cos, 1.0 + 0.8 * time, 6.0 * sin], turn)
    }

    fn pose(&self) -> (Point3<f64>, UnitQuaternion<f64>) {
        Self::path(f64::from(self.ticks) * DT)
    }

    fn drive(&mut self) {
        self.ticks += 1;
        self.world.settle();
        self.world.drive(self.platform, &placement(self.pose()), T::nearest(DT)).expect("it is driven");
    }

    /// From the middle of the platform's top to a body's feet, along its axes.
    fn feet_on(&self, state: &CharacterState<T>) -> Vector3<f64> {
        let (center, turn) = self.pose();
        turn.inverse() * (state.exact_position() - center) - Vector3::y() * (THICK + STANDS)
    }

    /// A character that stands on the platform before it moves.
    fn character(&self, x: f64, z: f64) -> Character<T> {
        standing(self.pose().0 + vector![x, THICK, z])
    }
}

fn placement<T: Real>((position, rotation): (Point3<f64>, UnitQuaternion<f64>)) -> Placement<T> {
    let rotation = UnitQuaternion::new_unchecked(rotation.coords.map(T::nearest).into());
    Placement::at(position.map(T::nearest)).turned(rotation)
}

/// Places for ten.
fn places() -> impl DoubleEndedIterator<Item = (usize, [f64; 2])> {
    (0..10).map(|i| (i, [(i % 4) as f64 * 1.3 - 2.0, (i / 4) as f64 * 1.7 - 1.6]))
}

/// Ten who walk on the platform for 20 seconds, into each other and apart again; where each ends, by its place at the start.
fn ten_walk_about<T: Real>(order: impl Iterator<Item = (usize, [f64; 2])>) -> Vec<CharacterState<T>> {
    let mut stage = Stage::<T>::new();
    let mut crowd = Crowd::new();
    let ids: Vec<(CharacterId, usize)> =
        order.map(|(i, [x, z])| (crowd.add(stage.character(x, z)).expect("room"), i)).collect();
    let mut touches = 0;
    for tick in 0..1200 {
        stage.drive();
        let middle = stage.pose().0;
        // To the middle, and out again, each with a speed and a slant of its own; now and then some stand.
        let wish = |id, character: &Character<T>| {
            let i = ids.iter().find(|(known, _)| *known == id).expect("it was added").1;
            let inwards = middle - character.state().exact_position();
            let inwards = vector![inwards.x, 0.0, inwards.z];
            let aside = inwards.cross(&Vector3::y()) * (0.1 * i as f64 - 0.5);
            let speed = if (tick + 37 * i) % 500 < 60 { 0.0 } else { 1.0 + 0.3 * i as f64 };
            let way = (inwards + aside).cap_magnitude(1.0) * speed;
            walking(if tick % 240 < 150 || inwards.norm() > 3.5 { way } else { -way })
        };
        crowd.tick(&stage.world, T::nearest(DT), wish).expect("good numbers");

        let deepest = deepest_overlap(&crowd);
        assert!(deepest <= MOST_OVERLAP, "tick {tick}: {deepest} m deep in each other");
        for (id, character) in crowd.iter() {
            let feet = stage.feet_on(&character.state());
            let at_rest = if T::IS_F32 { 1e-4 } else { 1e-6 };
            assert!(feet.y.abs() < at_rest, "tick {tick}: {id:?} is {} m above the platform", feet.y);
            assert!(feet.x.abs().max(feet.z.abs()) < HALF, "tick {tick}: {id:?} has left the platform: {feet}");
            assert!(character.is_on_ground(), "tick {tick}: {id:?} is in the air");
            let report = crowd.report(id).expect("it is there");
            assert!(tick == 0 || report.ride.on == Some(stage.platform), "tick {tick}: {id:?} is not carried");
            touches += report.touches().filter(|touch| touch.other.is_some()).count();
        }
    }
    assert!(touches > 1_000, "they are in each other's way: {touches}");
    let mut ends: Vec<_> = ids.iter().map(|(id, i)| (*i, crowd.character(*id).expect("it is there").state())).collect();
    ends.sort_by_key(|(i, _)| *i);
    ends.into_iter().map(|(_, state)| state).collect()
}

fn ten_stay_apart<T: Real>() {
    let ends = ten_walk_about::<T>(places());
    assert_eq!(ends, ten_walk_about(places().rev()), "the order in which they came matters");
    let mixed = |i: usize| (i * 7 + 3) % 10;
    let all: Vec<_> = places().collect();
    assert_eq!(ends, ten_walk_about((0..10).map(|i| all[mixed(i)])), "the order in which they came matters");
}

#[test]
fn ten_who_walk_on_a_turning_rising_platform_stay_on_it_and_apart_in_f64() {
    ten_stay_apart::<f64>();
}

#[test]
fn ten_who_walk_on_a_turning_rising_platform_stay_on_it_and_apart_in_f32() {
    ten_stay_apart::<f32>();
}

#[test]
fn ten_who_stand_skin_to_skin_on_a_platform_keep_their_places() {
    let mut stage = Stage::<f64>::new();
    let mut crowd = Crowd::new();
    for i in 0..10 {
        crowd.add(stage.character((i % 4) as f64 * BESIDE - 1.2, (i / 4) as f64 * BESIDE - 0.8)).expect("room");
    }
    // They land before it moves.
    crowd.tick(&stage.world, DT, |_, _| TickInput::default()).expect("good numbers");
    let places: Vec<_> = crowd.states().map(|(id, state)| (id, stage.feet_on(&state))).collect();
    for _ in 0..1200 {
        stage.drive();
        crowd.tick(&stage.world, DT, |_, _| TickInput::default()).expect("good numbers");
    }
    for (id, place) in places {
        let drift = (stage.feet_on(&crowd.character(id).expect("it is there").state()) - place).norm();
        assert!(drift < 1e-3, "{id:?} has drifted by {drift} m");
    }
}

fn one_is_as_alone<T: Real>() {
    let mut stage = Stage::<T>::new();
    let wall = primitives::cuboid::<T>([0.2, 1.0, 3.0]).expect("a wall");
    let wall = stage.world.add_mesh(Octree::new(wall));
    let wall = stage.world.place(wall, &Placement::default()).expect("it is placed");
    let mut alone = stage.character(1.0, 0.5);
    let mut scratch = Scratch::default();
    let mut crowd = Crowd::new();
    let one = crowd.add(alone.clone()).expect("room");
    let (mut carried, mut pushed, mut flew) = (0, 0, 0);
    for tick in 0..1200 {
        stage.drive();
        // The wall goes with the platform, and to and fro on it.
        let (center, turn) = stage.pose();
        let along = 3.0 * (f64::from(tick) * DT).cos();
        let there = (center + turn * vector![along, 1.0 + THICK, 0.0], turn);
        stage.world.drive(wall, &placement(there), T::nearest(DT)).expect("it is driven");
        let inwards = center - alone.state().exact_position();
        let jump = (tick % 90 == 89).then_some(T::nearest(4.0));
        let velocity = vector![inwards.x, 0.0, inwards.z] + vector![0.5, 0.0, 1.0];
        let input = TickInput { jump, ..walking(velocity) };
        let report = alone.tick(&stage.world, &input, T::nearest(DT), &mut scratch).expect("good numbers");
        crowd.tick(&stage.world, T::nearest(DT), |_, _| input).expect("good numbers");
        assert_eq!(crowd.report(one), Some(&report), "tick {tick}");
        assert_eq!(crowd.character(one).map(Character::state), Some(alone.state()), "tick {tick}");
        carried += usize::from(report.ride.on.is_some());
        pushed += usize::from(report.ride.pushed != Vector3::zeros());
        flew += usize::from(!alone.is_on_ground());
    }
    assert!(carried > 500 && pushed > 30 && flew > 100, "carried {carried}, pushed {pushed}, in the air {flew} ticks");
}

#[test]
fn a_crowd_of_one_on_a_platform_is_a_lone_character() {
    one_is_as_alone::<f32>();
    one_is_as_alone::<f64>();
}

/// A wall pushes two who stand one behind the other for three seconds at a speed in metres a second, and then rests for one: where they
/// are along its way, and how deep they were in each other.
fn pushed_by_a_wall(speed: f64) -> ([f64; 2], f64) {
    let mut world = World::of_level(Octree::new(primitives::floor::<f64>(80.0, 80.0, 8, 8).expect("a floor")));
    let wall = world.add_mesh(Octree::new(primitives::cuboid::<f64>([0.5, 1.5, 3.0]).expect("a wall")));
    let wall = world.place(wall, &Placement::at(point![-2.0, 1.5, 0.0])).expect("it is placed");
    let mut crowd = Crowd::new();
    let ids = [0.0, 0.94].map(|x| crowd.add(player(x, 0.0)).expect("room"));
    let mut deepest = f64::NEG_INFINITY;
    for tick in 0..240 {
        world.settle();
        if tick < 180 {
            let there = point![-2.0 + speed * f64::from(tick + 1) * DT, 1.5, 0.0];
            world.drive(wall, &Placement::at(there), DT).expect("it is driven");
        }
        crowd.tick(&world, DT, |_, _| TickInput::default()).expect("good numbers");
        deepest = deepest.max(deepest_overlap(&crowd));
    }
    (ids.map(|id| at(&crowd, id).x), deepest)
}

#[test]
fn who_is_pushed_by_a_wall_pushes_the_next() {
    for speed in [0.5, 1.0, 2.0, 4.0] {
        let (x, deepest) = pushed_by_a_wall(speed);
        let wall = -2.0 + 3.0 * speed + 0.5;
        assert!((x[0] - (wall + 0.42)).abs() < 1e-6, "{speed} m/s: {x:?} before a wall at {wall}");
        assert!((x[1] - (x[0] + 2.0 * 0.42)).abs() < 1e-6, "{speed} m/s: they stand skin to skin: {x:?}");
        assert!(deepest <= MOST_OVERLAP, "{speed} m/s: {deepest} m deep in each other");
    }
}

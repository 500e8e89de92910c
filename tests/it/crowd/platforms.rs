//! Crowds on what moves, and in its way.

use nalgebra::{Vector3, point, vector};
use sidle::{
    Character, Real, Scratch, TickInput,
    character::{CharacterId, CharacterState, Crowd},
};

use super::{Stage, by_label};
use crate::{
    moving::{Pose, about_y, placement, upright},
    people::{BESIDE, DT, MOST_OVERLAP, STANDS, at, deepest_overlap, player, stand_still, standing, walking},
};

/// Half the side of the platform, and half its thickness.
const HALF: f64 = 5.0;
const THICK: f64 = 0.25;

/// A platform that turns and rises over a floor as it goes round a circle.
struct Carousel<T: Real> {
    stage: Stage<T>,
    ticks: u32,
}

impl<T: Real> Carousel<T> {
    fn new() -> Self {
        Self { stage: Stage::new([HALF, THICK, HALF], Self::path(0.0)), ticks: 0 }
    }

    fn path(time: f64) -> Pose {
        let (sin, cos) = (0.5 * time).sin_cos();
        (point![6.0 * cos, 1.0 + 0.8 * time, 6.0 * sin], about_y(0.7 * time))
    }

    fn pose(&self) -> Pose {
        Self::path(f64::from(self.ticks) * DT)
    }

    fn drive(&mut self) {
        self.ticks += 1;
        self.stage.drive(self.pose());
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

/// Places for ten.
fn places() -> impl DoubleEndedIterator<Item = (usize, [f64; 2])> {
    (0..10).map(|i| (i, [(i % 4) as f64 * 1.3 - 2.0, (i / 4) as f64 * 1.7 - 1.6]))
}

/// Ten who walk on the platform for 20 seconds, into each other and apart again; where each ends, by its place at the start.
fn ten_walk_about<T: Real>(order: impl Iterator<Item = (usize, [f64; 2])>) -> Vec<CharacterState<T>> {
    let mut carousel = Carousel::<T>::new();
    let mut crowd = Crowd::new();
    let ids: Vec<(usize, CharacterId)> =
        order.map(|(i, [x, z])| (i, crowd.add(carousel.character(x, z)).expect("room"))).collect();
    let mut touches = 0;
    for tick in 0..1200 {
        carousel.drive();
        let middle = carousel.pose().0;
        // To the middle, and out again, each with a speed and a slant of its own; now and then some stand.
        let wish = |id, character: &Character<T>| {
            let i = ids.iter().find(|(_, known)| *known == id).expect("it was added").0;
            let inwards = middle - character.state().exact_position();
            let inwards = vector![inwards.x, 0.0, inwards.z];
            let aside = inwards.cross(&Vector3::y()) * (0.1 * i as f64 - 0.5);
            let speed = if (tick + 37 * i) % 500 < 60 { 0.0 } else { 1.0 + 0.3 * i as f64 };
            let way = (inwards + aside).cap_magnitude(1.0) * speed;
            walking(if tick % 240 < 150 || inwards.norm() > 3.5 { way } else { -way })
        };
        crowd.tick(&carousel.stage.world, T::nearest(DT), wish).expect("good numbers");

        let deepest = deepest_overlap(&crowd);
        assert!(deepest <= MOST_OVERLAP, "tick {tick}: {deepest} m deep in each other");
        for (id, character) in crowd.iter() {
            let feet = carousel.feet_on(&character.state());
            let at_rest = if T::IS_F32 { 1e-4 } else { 1e-6 };
            assert!(feet.y.abs() < at_rest, "tick {tick}: {id:?} is {} m above the platform", feet.y);
            assert!(feet.x.abs().max(feet.z.abs()) < HALF, "tick {tick}: {id:?} has left the platform: {feet}");
            assert!(character.is_on_ground(), "tick {tick}: {id:?} is in the air");
            let report = crowd.report(id).expect("it is there");
            assert!(tick == 0 || report.ride.on == Some(carousel.stage.mover), "tick {tick}: {id:?} is not carried");
            touches += report.touches().filter(|touch| touch.other.is_some()).count();
        }
    }
    assert!(touches > 1_000, "they are in each other's way: {touches}");
    by_label(&crowd, &ids)
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
    let mut carousel = Carousel::<f64>::new();
    let mut crowd = Crowd::new();
    for i in 0..10 {
        crowd.add(carousel.character((i % 4) as f64 * BESIDE - 1.2, (i / 4) as f64 * BESIDE - 0.8)).expect("room");
    }
    // They land before it moves.
    stand_still(&mut crowd, &carousel.stage.world);
    let places: Vec<_> = crowd.states().map(|(id, state)| (id, carousel.feet_on(&state))).collect();
    for _ in 0..1200 {
        carousel.drive();
        stand_still(&mut crowd, &carousel.stage.world);
    }
    for (id, place) in places {
        let drift = (carousel.feet_on(&crowd.character(id).expect("it is there").state()) - place).norm();
        assert!(drift < 1e-3, "{id:?} has drifted by {drift} m");
    }
}

fn one_is_as_alone<T: Real>() {
    let mut carousel = Carousel::<T>::new();
    let wall = carousel.stage.block([0.2, 1.0, 3.0], upright(point![0.0, 0.0, 0.0]));
    let mut alone = carousel.character(1.0, 0.5);
    let mut scratch = Scratch::default();
    let mut crowd = Crowd::new();
    let one = crowd.add(alone.clone()).expect("room");
    let (mut carried, mut pushed, mut flew) = (0, 0, 0);
    for tick in 0..1200 {
        carousel.drive();
        // The wall goes with the platform, and to and fro on it.
        let (center, turn) = carousel.pose();
        let along = 3.0 * (f64::from(tick) * DT).cos();
        let there = (center + turn * vector![along, 1.0 + THICK, 0.0], turn);
        carousel.stage.world.drive(wall, &placement(there), T::nearest(DT)).expect("it is driven");
        let inwards = center - alone.state().exact_position();
        let jump = (tick % 90 == 89).then_some(T::nearest(4.0));
        let velocity = vector![inwards.x, 0.0, inwards.z] + vector![0.5, 0.0, 1.0];
        let input = TickInput { jump, ..walking(velocity) };
        let report = alone.tick(&carousel.stage.world, &input, T::nearest(DT), &mut scratch).expect("good numbers");
        crowd.tick(&carousel.stage.world, T::nearest(DT), |_, _| input).expect("good numbers");
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
    let wall = |time: f64| upright(point![-2.0 + speed * time, 1.5, 0.0]);
    let mut stage = Stage::<f64>::new([0.5, 1.5, 3.0], wall(0.0));
    let mut crowd = Crowd::new();
    let ids = [0.0, 0.94].map(|x| crowd.add(player(x, 0.0)).expect("room"));
    let mut deepest = f64::NEG_INFINITY;
    for tick in 0..240 {
        if tick < 180 {
            stage.drive(wall(f64::from(tick + 1) * DT));
        } else {
            stage.world.settle();
        }
        stand_still(&mut crowd, &stage.world);
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

//! Many characters who are not in each other's way, moved at once.

use nalgebra::{Vector3, point, vector};
use sidle::{
    Ellipsoid, Octree, Real, World,
    character::{Character, CharacterConfig, Lone, MovementMode, Scratch, TickInput, tick_all},
    mesh::primitives,
};

use crate::random::Random;

const DT: f64 = 1.0 / 60.0;
const MANY: usize = 100;

fn hills<T: Real>() -> World<T> {
    World::of_level(Octree::new(primitives::terrain(40, 3).expect("a legal size")))
}

fn all<T: Real>() -> Vec<Lone<T>> {
    let body = Ellipsoid::new(vector![0.4, 0.9, 0.4].map(T::nearest)).expect("good radii");
    let place = |i: usize| point![(i % 10) as f64 - 5.0, 12.0, (i / 10) as f64 - 5.0].map(T::nearest);
    (0..MANY)
        .map(|i| Lone::with_report(Character::new(body, CharacterConfig::default(), place(i)).expect("good numbers")))
        .collect()
}

/// What someone wishes for in a tick: mostly on foot, now and then with a jump or on wings.
fn wish<T: Real>(number: usize, tick: u64) -> TickInput<T> {
    let mut random = Random(number as u64 * 1_000 + tick / 30);
    TickInput {
        velocity: (random.direction() * 4.0).map(T::nearest),
        jump: (tick.is_multiple_of(30) && number.is_multiple_of(3)).then(|| T::nearest(4.0)),
        mode: if random.below(5) == 0 { MovementMode::Fly } else { MovementMode::Walk },
        ..TickInput::default()
    }
}

fn run<T: Real>(world: &World<T>, ticks: u64) -> Vec<Lone<T>> {
    let mut all = all();
    for tick in 0..ticks {
        for (number, lone) in all.iter_mut().enumerate() {
            lone.input = wish(number, tick);
        }
        tick_all(world, T::nearest(DT), &mut all).expect("good numbers");
    }
    all
}

fn each_moves_as_alone<T: Real>() {
    let world = hills::<T>();
    let together = run(&world, 240);
    let mut on_ground = 0;
    for (number, (lone, other)) in all::<T>().into_iter().zip(&together).enumerate() {
        let (mut character, mut scratch, mut last) = (lone.character, Scratch::default(), None);
        for tick in 0..240 {
            let input = wish(number, tick);
            last = Some(character.tick(&world, &input, T::nearest(DT), &mut scratch).expect("good numbers"));
        }
        assert_eq!((character.state(), last.as_ref()), (other.character.state(), other.report()));
        on_ground += usize::from(character.is_on_ground());
    }
    assert!(on_ground > MANY / 2, "{on_ground}");
}

#[test]
fn many_at_once_move_as_each_alone_does() {
    each_moves_as_alone::<f32>();
    each_moves_as_alone::<f64>();
}

#[test]
fn who_keeps_no_report_moves_all_the_same() {
    let world = hills::<f32>();
    let mut without: Vec<Lone<f32>> = all().into_iter().map(|lone| lone.character.into()).collect();
    for tick in 0..60 {
        for (number, lone) in without.iter_mut().enumerate() {
            lone.input = wish(number, tick);
        }
        tick_all(&world, DT as f32, &mut without).expect("good numbers");
    }
    for (lone, other) in without.iter().zip(&run(&world, 60)) {
        assert_eq!((lone.report(), lone.character.state()), (None, other.character.state()));
    }
}

#[cfg(feature = "parallel")]
#[test]
fn it_does_not_matter_how_many_threads_move_many() {
    let world = hills::<f32>();
    let [one, three] = [1, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| run(&world, 120))
    });
    let states = |all: &[Lone<f32>]| all.iter().map(|lone| lone.character.state()).collect::<Vec<_>>();
    assert_eq!(states(&one), states(&three));
}

#[test]
fn whose_wish_is_no_number_stays_and_all_others_move() {
    let world = hills::<f64>();
    let mut all = all();
    for lone in &mut all {
        lone.input.velocity = Vector3::x();
    }
    let before = all.clone();
    for confused in [70, 33] {
        all[confused].input.velocity.x = f64::NAN;
    }
    let error = tick_all(&world, DT, &mut all).expect_err("not a number");
    assert_eq!(error.index, 33, "the first: {error}");
    for (i, (lone, before)) in all.iter().zip(&before).enumerate() {
        let has_moved = lone.character.state() != before.character.state();
        assert_eq!(has_moved, i != 33 && i != 70, "{i}");
        assert_eq!(lone.report() != before.report(), has_moved);
    }
    let states: Vec<_> = all.iter().map(|lone| lone.character.state()).collect();
    assert_eq!(tick_all(&world, 0.0, &mut all).expect_err("no time").index, 0);
    assert!(all.iter().map(|lone| lone.character.state()).eq(states));
    assert_eq!(tick_all::<f64>(&world, DT, &mut []), Ok(()));
}

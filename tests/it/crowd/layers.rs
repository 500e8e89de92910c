//! Who is in whose way in a crowd: teams, ghosts, riders, and who flies.

use nalgebra::{Point3, Vector3, point, vector};
use sidle::{
    Octree, QueryFilter, Real, World,
    character::{Character, CharacterId, Crowd, CrowdError, GroundState, MovementMode, Scratch, TickInput},
    mesh::primitives,
    world::Layers,
};

use super::by_label;
#[cfg(feature = "parallel")]
use super::with_threads;
use crate::{
    people::{BESIDE, DT, at, body, floor, gap, only, player, walking},
    random::Random,
};

const LEVEL: Layers = Layers(1);
const RED: Layers = Layers(2);
const BLUE: Layers = Layers(4);

/// On some layers, and seeing the level and some layers.
fn on<T: Real>(layers: Layers, sees: Layers, mut character: Character<T>) -> Character<T> {
    character.set_layers(layers);
    character.set_filter(QueryFilter::of_layers(Layers(LEVEL.0 | sees.0)));
    character
}

fn flying<T: Real>(velocity: Vector3<f64>) -> TickInput<T> {
    TickInput { mode: MovementMode::Fly, ..walking(velocity) }
}

/// One walks along x, from -3, at another who stands at 0, for two seconds: where both are then.
fn walk_at(walker: Character<f64>, other: Character<f64>) -> [Point3<f64>; 2] {
    let world = floor::<f64>();
    let mut crowd = Crowd::new();
    let walker = crowd.add(walker).expect("room");
    let other = crowd.add(other).expect("room");
    for _ in 0..120 {
        crowd.tick(&world, DT, only(walker, Vector3::x() * 3.0)).expect("good numbers");
    }
    [at(&crowd, walker), at(&crowd, other)]
}

fn is_free_way(walker: &Point3<f64>) -> bool {
    (walker - point![3.0, 0.92, 0.0]).norm() < 1e-9
}

#[test]
fn a_team_walks_through_itself_and_is_stopped_by_the_other_team() {
    // Each sees the other team, and not its own.
    let red = |x| on(RED, BLUE, player(x, 0.0));
    let blue = |x| on(BLUE, RED, player(x, 0.0));
    let [walker, mate] = walk_at(red(-3.0), red(0.0));
    assert!(is_free_way(&walker) && mate == point![0.0, 0.92, 0.0], "{walker} {mate}");
    let [walker, foe] = walk_at(red(-3.0), blue(0.0));
    assert!((walker.x + BESIDE).abs() < 1e-9 && foe == point![0.0, 0.92, 0.0], "{walker} {foe}");
}

#[test]
fn by_default_all_are_in_the_way_of_all() {
    let [walker, other] = walk_at(player(-3.0, 0.0), player(0.0, 0.0));
    assert!((walker.x + BESIDE).abs() < 1e-9 && other.x == 0.0, "{walker} {other}");
    assert_eq!(player::<f64>(0.0, 0.0).layers(), Layers::default());
    assert_eq!(player::<f64>(0.0, 0.0).filter(), &QueryFilter::default());
}

#[test]
fn a_ghost_is_held_up_by_nobody_and_holds_up_nobody_and_stands_on_the_floor() {
    let ghost = |x| on(Layers::NONE, Layers::NONE, player(x, 0.0));
    let person = |x| on(RED, RED, player(x, 0.0));
    for [walker, other] in [walk_at(ghost(-3.0), person(0.0)), walk_at(person(-3.0), ghost(0.0))] {
        assert!(is_free_way(&walker) && other == point![0.0, 0.92, 0.0], "{walker} {other}");
    }
}

#[test]
fn who_is_seen_and_does_not_see_is_made_way_for() {
    // A giant that does not look at people, who do see it.
    let person = |x| on(RED, Layers::ALL, player(x, 0.0));
    let giant = |x| on(BLUE, Layers::NONE, player(x, 0.0));
    // Who walks at it stops.
    let [walker, standing] = walk_at(person(-3.0), giant(0.0));
    assert!((walker.x + BESIDE).abs() < 1e-9 && standing.x == 0.0, "{walker} {standing}");
    // It walks as if nobody were there, and who stands in its way is pushed along in front of it, without an overlap.
    let world = floor::<f64>();
    let mut crowd = Crowd::new();
    let walker = crowd.add(giant(-3.0)).expect("room");
    let pushed = crowd.add(person(0.0)).expect("room");
    for _ in 0..120 {
        crowd.tick(&world, DT, only(walker, Vector3::x() * 3.0)).expect("good numbers");
        assert!(gap(&crowd, walker, pushed) > 0.0);
    }
    let (walker, pushed) = (at(&crowd, walker), at(&crowd, pushed));
    assert!(is_free_way(&walker) && (pushed - walker - Vector3::x() * BESIDE).norm() < 1e-3, "{walker} {pushed}");
}

#[test]
fn who_is_small_makes_way_along_the_floor_and_not_into_it() {
    let world = floor::<f64>();
    let mut crowd = Crowd::new();
    let giant = crowd.add(on(BLUE, Layers::NONE, body([1.2, 1.5, 1.2], point![-4.0, 1.52, 0.0]))).expect("room");
    let child = crowd.add(on(RED, Layers::ALL, body([0.25, 0.5, 0.25], point![0.0, 0.52, 0.2]))).expect("room");
    for tick in 0..240 {
        crowd.tick(&world, DT, only(giant, Vector3::x() * 3.0)).expect("good numbers");
        assert!(gap(&crowd, giant, child) > -1e-3, "tick {tick}: {}", gap(&crowd, giant, child));
        assert!(at(&crowd, child).y > 0.519 && crowd.character(child).is_some_and(Character::is_on_ground));
    }
    let (giant, child) = (at(&crowd, giant), at(&crowd, child));
    assert!((giant.x - 8.0).abs() < 1e-9 && giant.z == 0.0, "{giant}");
    assert!(child.x > 0.0 && child.z > 0.5, "pushed on and aside: {child}");
}

#[test]
fn who_makes_way_is_not_pushed_through_a_wall() {
    let mut builder = primitives::MeshBuilder::new();
    builder.append(&primitives::floor::<f64>(20.0, 20.0, 2, 2).expect("a legal size"), [0.0; 3]);
    builder.append(&primitives::cuboid::<f64>([0.5, 2.0, 9.0]).expect("a legal size"), [3.0, 1.0, 0.0]);
    let world = World::<f64>::of_level(Octree::new(builder.build().expect("a mesh")));
    let mut crowd = Crowd::new();
    let giant = crowd.add(on(BLUE, Layers::NONE, player(-2.0, 0.0))).expect("room");
    let person = crowd.add(on(RED, Layers::ALL, player(1.0, 0.0))).expect("room");
    for _ in 0..180 {
        crowd.tick(&world, DT, only(giant, Vector3::x() * 3.0)).expect("good numbers");
        assert!(at(&crowd, person).x <= 2.5 - 0.4, "{}", at(&crowd, person));
    }
    assert!((at(&crowd, giant).x - (2.5 - 0.42)).abs() < 1e-6, "the wall stops it: {}", at(&crowd, giant));
}

#[test]
fn a_rider_and_its_mount_share_a_place_and_nobody_else_does() {
    let world = floor::<f64>();
    let mut crowd = Crowd::new();
    let mount = crowd.add(body([0.6, 0.7, 0.6], point![0.0, 0.72, 0.0])).expect("room");
    let rider = crowd.add(player(0.0, 0.0)).expect("room");
    let guard = crowd.add(player(4.0, 0.0)).expect("room");
    assert_eq!(crowd.ignore(mount, rider), Ok(true));
    assert_eq!(crowd.ignore(rider, mount), Ok(false), "it is known from both sides");
    let wish = |id, _: &_| walking(Vector3::x() * if id == guard { 0.0 } else { 3.0 });
    for _ in 0..120 {
        crowd.tick(&world, DT, wish).expect("good numbers");
    }
    // Both in one place until the wider of them has met the guard, then each as near as it gets.
    assert!(at(&crowd, guard).x == 4.0 && gap(&crowd, rider, mount) < -0.3);
    assert!((at(&crowd, rider).x - (4.0 - BESIDE)).abs() < 1e-6, "{}", at(&crowd, rider));
    assert!(at(&crowd, mount).x < 4.0 - 0.9 && gap(&crowd, mount, guard) > 0.0, "{}", at(&crowd, mount));
    // Getting off, they are parted.
    assert_eq!(crowd.heed(rider, mount), Ok(true));
    assert_eq!(crowd.is_ignored(rider, mount), Ok(false));
    for _ in 0..30 {
        crowd.tick(&world, DT, |_, _| TickInput::default()).expect("good numbers");
    }
    assert!(gap(&crowd, rider, mount) > -1e-3, "{}", gap(&crowd, rider, mount));
}

#[test]
fn pairs_of_who_left_are_forgotten_and_named_wrongly_are_errors() {
    let world = floor::<f64>();
    let mut crowd = Crowd::new();
    let left = crowd.add(player(-3.0, 0.0)).expect("room");
    let right = crowd.add(player(0.0, 0.0)).expect("room");
    assert_eq!(crowd.ignore(left, left), Err(CrowdError::SameCharacter));
    assert_eq!(crowd.ignore(left, right), Ok(true));
    crowd.remove(left);
    for error in [crowd.ignore(right, left), crowd.heed(left, right), crowd.is_ignored(left, right)] {
        assert_eq!(error, Err(CrowdError::NoSuchCharacter));
    }
    // Who gets the place of one who left does not inherit what it ignored.
    let next = crowd.add(player(-3.0, 0.0)).expect("room");
    assert_eq!(crowd.is_ignored(next, right), Ok(false));
    for _ in 0..120 {
        crowd.tick(&world, DT, only(next, Vector3::x() * 3.0)).expect("good numbers");
    }
    assert!((at(&crowd, next).x + BESIDE).abs() < 1e-9);
}

#[test]
fn the_caller_may_know_better_who_is_solid() {
    let world = floor::<f64>();
    let mut crowd = Crowd::new();
    let walker = crowd.add(player(-3.0, 0.0)).expect("room");
    let bush = crowd.add(player(-1.0, 0.0)).expect("room");
    let guard = crowd.add(player(2.0, 0.0)).expect("room");
    for _ in 0..120 {
        let wish = |id, _: &_| walking(Vector3::x() * if id == walker { 3.0 } else { 0.0 });
        crowd
            .tick_where(&world, DT, wish, |a, b| {
                assert!(a < b, "asked in one order");
                a != bush && b != bush
            })
            .expect("good numbers");
    }
    assert!((at(&crowd, walker).x - (2.0 - BESIDE)).abs() < 1e-9, "{}", at(&crowd, walker));
    assert_eq!((at(&crowd, bush).x, at(&crowd, guard).x), (-1.0, 2.0));
}

/// Of all kinds, added in an order, walking and flying to and fro: their states by label, after some ticks.
fn states_of<T: Real>(order: &[u64], ticks: u64) -> Vec<String> {
    let world = floor::<T>();
    let mut crowd = Crowd::new();
    let kinds = [(RED, BLUE), (BLUE, RED), (RED, Layers::ALL), (Layers::NONE, Layers::ALL), (BLUE, Layers::NONE)];
    let ids: Vec<_> = order
        .iter()
        .map(|label| {
            let (x, z) = ((label % 6) as f64 * 1.0 - 3.0, (label / 6) as f64 * 1.0 - 3.0);
            let (layers, sees) = kinds[*label as usize % kinds.len()];
            (*label, crowd.add(on(layers, sees, player(x, z))).expect("room"))
        })
        .collect();
    let of_label = |label: u64| ids.iter().find(|(known, _)| *known == label).expect("it is there").1;
    for label in (0..30).step_by(3) {
        crowd.ignore(of_label(label), of_label(label + 5)).expect("they are there");
    }
    let label_of = |id| ids.iter().find(|(_, known)| *known == id).expect("it is there").0;
    for tick in 0..ticks {
        let wish = |id, character: &Character<T>| {
            let label = label_of(id);
            let mut random = Random(label * 1_000 + tick / 45);
            // To the middle, but for a while.
            let way = random.direction() * 4.0 - character.position().coords.map(Real::to_f64) * 0.3;
            if label.is_multiple_of(4) { flying(way) } else { walking(way) }
        };
        let solid = |a, b| !(label_of(a) + label_of(b)).is_multiple_of(7);
        crowd.tick_where(&world, T::nearest(DT), wish, solid).expect("good numbers");
    }
    by_label(&crowd, &ids).iter().map(|state| format!("{state:?}")).collect()
}

#[test]
fn whoever_sees_whom_it_does_not_matter_in_which_order_they_came() {
    let order: Vec<u64> = (0..36).collect();
    let other: Vec<u64> = order.iter().rev().copied().collect();
    assert_eq!(states_of::<f32>(&order, 400), states_of::<f32>(&other, 400));
}

#[cfg(feature = "parallel")]
#[test]
fn whoever_sees_whom_it_does_not_matter_how_many_threads_move_them() {
    let order: Vec<u64> = (0..36).collect();
    let [one, two] = [1, 2].map(|threads| with_threads(threads, || states_of::<f64>(&order, 400)));
    assert_eq!(one, two);
}

#[test]
fn a_bird_and_a_walker_stop_each_other() {
    let world = floor::<f64>();
    let mut crowd = Crowd::new();
    let bird = crowd.add(body([0.3, 0.2, 0.3], point![-3.0, 1.2, 0.0])).expect("room");
    let guard = crowd.add(player(0.0, 0.0)).expect("room");
    let wish = |id, _: &_| if id == bird { flying(Vector3::x() * 3.0) } else { TickInput::default() };
    for _ in 0..120 {
        crowd.tick(&world, DT, wish).expect("good numbers");
        assert!(gap(&crowd, bird, guard) > 0.0);
    }
    // It hits him above his middle, and slides over his shoulder and on.
    let end = at(&crowd, bird);
    assert!(end.y > 1.8 && at(&crowd, guard) == point![0.0, 0.92, 0.0], "{end}");
    let state = crowd.character(bird).expect("it is there").state();
    assert_eq!((state.ground, state.momentum), (GroundState::InAir, Vector3::zeros()));
    // One that hangs in the air is a wall to who walks into it.
    let mut crowd = Crowd::new();
    let bird = crowd.add(body([0.3, 0.9, 0.3], point![0.0, 0.95, 0.0])).expect("room");
    let walker = crowd.add(player(-3.0, 0.0)).expect("room");
    let wish = |id, _: &_| if id == bird { flying(Vector3::zeros()) } else { walking(Vector3::x() * 3.0) };
    for _ in 0..120 {
        crowd.tick(&world, DT, wish).expect("good numbers");
    }
    assert_eq!(at(&crowd, bird), point![0.0, 0.95, 0.0]);
    assert!((at(&crowd, walker).x + 0.42 + 0.32).abs() < 1e-3, "{}", at(&crowd, walker));
}

#[test]
fn a_swarm_that_flies_at_one_place_among_walkers_never_overlaps() {
    let world = floor::<f64>();
    let mut crowd = Crowd::new();
    let mut ids = Vec::new();
    for label in 0..27_u32 {
        let place = |i: u32| f64::from(i % 3) * 1.5 - 1.5;
        ids.push(crowd.add(body([0.3, 0.25, 0.4], point![place(label), 4.0 + place(label / 9), place(label / 3)])));
    }
    let swarm = ids.len();
    ids.extend((0..9_u32).map(|i| crowd.add(player(f64::from(i % 3) * 1.2 - 3.0, f64::from(i / 3) * 1.2 - 1.0))));
    let ids: Vec<CharacterId> = ids.into_iter().collect::<Result<_, _>>().expect("room");
    for tick in 0..600 {
        let wish = |id, character: &Character<f64>| {
            let label = ids.iter().position(|known| *known == id).expect("it is there");
            let to = Random(tick / 120).direction() + vector![0.0, 1.5, 0.0];
            let way = (to - character.position().coords) * 4.0;
            if label < swarm { flying(way) } else { walking(way) }
        };
        crowd.tick(&world, DT, wish).expect("good numbers");
        for (i, a) in ids.iter().enumerate() {
            for b in &ids[..i] {
                assert!(gap(&crowd, *a, *b) > -1e-3, "tick {tick}: {}", gap(&crowd, *a, *b));
            }
        }
    }
    let on_ground = crowd.iter().filter(|(_, character)| character.is_on_ground()).count();
    assert!((5..=9).contains(&on_ground), "{on_ground}");
}

#[test]
fn who_takes_off_and_lands_in_a_crowd_moves_as_if_alone() {
    let world = floor::<f32>();
    let mut crowd = Crowd::new();
    let mut alone = player::<f32>(0.0, 0.0);
    let id = crowd.add(alone.clone()).expect("room");
    let mut scratch = Scratch::default();
    for tick in 0..360 {
        let mode = if (60..200).contains(&tick) { MovementMode::Fly } else { MovementMode::Walk };
        let input = TickInput { mode, ..walking(vector![2.0, f64::from(130 - tick) * 0.05, 0.5]) };
        let (mut other, mut cold) = (alone.clone(), Scratch::default());
        let report = alone.tick(&world, &input, DT as f32, &mut scratch).expect("good numbers");
        if mode == MovementMode::Fly {
            let flown = other.fly(&world, &TickInput { mode: MovementMode::Walk, ..input }, DT as f32, &mut cold);
            assert_eq!((flown.as_ref(), other.state()), (Ok(&report), alone.state()));
        }
        crowd.tick(&world, DT as f32, |_, _| input).expect("good numbers");
        assert_eq!(crowd.report(id), Some(&report));
        assert_eq!(crowd.character(id).map(Character::state), Some(alone.state()));
        if !(200..230).contains(&tick) {
            assert_eq!(alone.is_on_ground(), mode == MovementMode::Walk, "tick {tick} at {}", alone.position());
        }
    }
}

//! Characters that are in each other's way.

use nalgebra::{Point3, Vector3, point, vector};
use sidle::{
    Octree, Real, World,
    character::{Character, CharacterId, Crowd, CrowdError, GroundState, Scratch, TickInput},
    mesh::primitives::{self, MeshBuilder},
};

use crate::{
    people::{DT, MOST_OVERLAP, SKIN, at, body, deepest_overlap, floor, player, walking},
    random::Random,
};

/// A yard with walls around it and some columns in it.
fn yard<T: Real>(half: f64) -> World<T> {
    let mut builder = MeshBuilder::new();
    let mut block = |center: [f64; 3], size: [f64; 3]| {
        builder.append(&primitives::cuboid::<f64>(size).expect("a legal size"), center);
    };
    block([0.0, -0.5, 0.0], [half + 2.0, 0.5, half + 2.0]);
    let side = half + 0.5;
    for x in [side, -side] {
        block([x, 1.0, 0.0], [0.5, 2.0, half + 1.0]);
        block([0.0, 1.0, x], [half + 1.0, 2.0, 0.5]);
    }
    for (x, z) in [(0.4, 0.3), (-0.5, 0.2), (0.1, -0.6)] {
        block([x * half, 1.0, z * half], [0.6, 1.5, 0.4]);
    }
    World::of_level(Octree::new(builder.build().expect("a mesh")))
}

#[test]
fn who_walks_into_one_who_stands_stops_and_pushes_nobody() {
    let world = floor::<f64>();
    let mut crowd = Crowd::new();
    let walker = crowd.add(player(-2.0, 0.0)).expect("room");
    let guard = crowd.add(player(0.0, 0.0)).expect("room");
    for _ in 0..120 {
        let wish = |id, _: &_| walking(Vector3::x() * if id == walker { 3.0 } else { 0.0 });
        crowd.tick(&world, DT, wish).expect("good numbers");
    }
    assert_eq!(at(&crowd, guard), point![0.0, 0.9 + SKIN, 0.0]);
    assert!((at(&crowd, walker).x + 2.0 * (0.4 + SKIN)).abs() < 1e-9, "{}", at(&crowd, walker));
    let touches =
        |id| crowd.report(id).expect("it is there").touches().filter_map(|touch| touch.other).collect::<Vec<_>>();
    assert_eq!((touches(walker), touches(guard)), (vec![guard], vec![]));
}

#[test]
fn what_a_runner_gives_to_a_wall_and_to_another_is_the_momentum_that_it_lost() {
    let world = yard::<f64>(4.0);
    let mut crowd = Crowd::new();
    let runner = crowd.add(player(-3.0, -0.5)).expect("room");
    let guard = crowd.add(player(0.0, -0.4)).expect("room");
    let (mass, mut pushed, mut lost) = (80.0, Vector3::zeros(), Vector3::zeros());
    for tick in 0..360 {
        // Into the guard, around it, and into the corner of the yard.
        let velocity = vector![4.0, 0.0, if tick < 120 { 0.0 } else { 3.0 }];
        crowd.tick(&world, DT, |id, _| walking(if id == runner { velocity } else { Vector3::zeros() })).expect("good");
        if tick == 0 {
            continue; // it lands
        }
        let report = crowd.report(runner).expect("it is there");
        assert_eq!(report.wished, velocity);
        for push in report.impulses(mass) {
            assert!(push.impulse.dot(&push.touch.normal) < 0.0, "into what is touched");
            pushed += push.impulse;
        }
        lost += (report.wished - report.velocity) * mass;
        let on_guard = report.impulses(mass).filter(|push| push.touch.other == Some(guard)).count();
        assert!(on_guard <= 1, "a contact counts once");
    }
    // But for the ticks that end in the middle of a contact it is all that was lost.
    assert!(pushed.norm() > 1e4 && (pushed - lost).norm() < 0.02 * lost.norm(), "{pushed} of {lost}");
    assert_eq!(crowd.report(guard).expect("it is there").impulses(mass).count(), 0);
}

#[test]
fn two_who_walk_into_each_other_meet_in_the_middle() {
    let world = floor::<f64>();
    let mut crowd = Crowd::new();
    let left = crowd.add(player(-2.0, 0.0)).expect("room");
    let right = crowd.add(player(2.0, 0.0)).expect("room");
    for _ in 0..120 {
        let wish = |id, _: &_| walking(Vector3::x() * if id == left { 3.0 } else { -3.0 });
        crowd.tick(&world, DT, wish).expect("good numbers");
        assert!(deepest_overlap(&crowd) < 0.0);
    }
    let (left, right) = (at(&crowd, left), at(&crowd, right));
    assert!((left.x + right.x).abs() < 1e-9 && (right.x - left.x - 2.0 * (0.4 + SKIN)).abs() < 1e-9);
}

#[test]
fn who_does_not_walk_straight_at_another_slides_around() {
    let world = floor::<f64>();
    let mut crowd = Crowd::new();
    let walker = crowd.add(player(-3.0, 0.2)).expect("room");
    let guard = crowd.add(player(0.0, 0.0)).expect("room");
    for _ in 0..240 {
        crowd
            .tick(&world, DT, |id, _| walking(Vector3::x() * if id == walker { 3.0 } else { 0.0 }))
            .expect("good numbers");
        assert!(deepest_overlap(&crowd) < 0.0);
    }
    let end = at(&crowd, walker);
    assert!(end.x > 7.0 && (end.z - 2.0 * (0.4 + SKIN)).abs() < 0.01, "{end}");
    assert_eq!(at(&crowd, guard), point![0.0, 0.9 + SKIN, 0.0]);
}

#[test]
fn a_queue_walks_as_fast_as_its_first() {
    let world = floor::<f64>();
    let mut crowd = Crowd::new();
    let queue: Vec<_> = (0..8).map(|i| crowd.add(player(-f64::from(i) * 0.9, 0.0)).expect("room")).collect();
    for _ in 0..300 {
        crowd.tick(&world, DT, |_, _| walking(Vector3::x() * 3.0)).expect("good numbers");
    }
    for (i, id) in queue.iter().enumerate() {
        let way = at(&crowd, *id).x + i as f64 * 0.9;
        assert!((way - 15.0).abs() < 0.05 * (i as f64) + 1e-6, "the {i}th has walked {way}");
    }
}

#[test]
fn nobody_runs_through_another_however_fast() {
    let world = floor::<f64>();
    for speed in [10.0, 60.0, 600.0] {
        let mut crowd = Crowd::new();
        let runner = crowd.add(player(-9.0, 0.0)).expect("room");
        crowd.add(player(0.0, 0.0)).expect("room");
        for _ in 0..60 {
            let wish = |id, _: &_| walking(Vector3::x() * if id == runner { speed } else { 0.0 });
            crowd.tick(&world, DT, wish).expect("good numbers");
        }
        let end = at(&crowd, runner);
        assert!((end.x + 2.0 * (0.4 + SKIN)).abs() < 1e-9, "at {speed} m/s it ends at {end}");
    }
}

#[test]
fn who_runs_past_another_is_not_held_up() {
    let world = floor::<f64>();
    for (speed, aside) in [(6.0, 0.9), (30.0, 0.9), (60.0, 1.0), (120.0, 1.5)] {
        let mut crowd = Crowd::new();
        let runner = crowd.add(player(-9.0, aside)).expect("room");
        crowd.add(player(0.0, 0.0)).expect("room");
        let ticks = (18.0 / speed / DT) as usize;
        for _ in 0..ticks {
            let wish = |id, _: &_| walking(Vector3::x() * if id == runner { speed } else { 0.0 });
            crowd.tick(&world, DT, wish).expect("good numbers");
        }
        let end = at(&crowd, runner);
        let free = -9.0 + speed * DT * ticks as f64;
        assert!((end.x - free).abs() < 1e-6 && (end.z - aside).abs() < 1e-6, "at {speed} m/s: {end}, not {free}");
    }
}

#[test]
fn who_is_put_into_another_is_parted_and_stays_on_the_floor() {
    let world = floor::<f64>();
    for (x, z) in [(0.0, 0.0), (0.1, 0.0), (0.3, -0.4), (0.7, 0.1)] {
        let mut crowd = Crowd::new();
        let pair = [(0.0, 0.0), (x, z)].map(|(x, z)| crowd.add(player(x, z)).expect("room"));
        for _ in 0..10 {
            crowd.tick(&world, DT, |_, _| walking(Vector3::zeros())).expect("good numbers");
        }
        assert!(deepest_overlap(&crowd) < MOST_OVERLAP, "{}", deepest_overlap(&crowd));
        let [a, b] = pair.map(|id| at(&crowd, id));
        assert!((a - b).norm() < 2.0 * (0.4 + SKIN) + 1e-6, "no farther than they must: {a} {b}");
        assert!((a.y - 0.92).abs() < 1e-6 && (b.y - 0.92).abs() < 1e-6, "{a} {b}");
    }
}

#[test]
fn twenty_in_one_place_are_parted_within_a_second() {
    let world = yard::<f64>(6.0);
    let mut crowd = Crowd::new();
    for i in 0..20 {
        let angle = f64::from(i) * 2.4;
        let distance = 0.02 * f64::from(i);
        crowd.add(player(-1.0 + distance * angle.cos(), distance * angle.sin())).expect("room");
    }
    let mut farthest = 0.0_f64;
    for _ in 0..60 {
        crowd.tick(&world, DT, |_, _| walking(Vector3::zeros())).expect("good numbers");
        for (id, _) in crowd.iter() {
            farthest = farthest.max(crowd.report(id).map_or(0.0, |report| report.pushed_out));
        }
    }
    assert!(deepest_overlap(&crowd) < MOST_OVERLAP, "{}", deepest_overlap(&crowd));
    assert!(farthest < 3.0, "pushed by {farthest} in one tick");
    assert!(crowd.iter().all(|(_, character)| character.is_on_ground()));
}

#[test]
fn who_falls_onto_a_head_slides_off() {
    let world = floor::<f64>();
    let mut crowd = Crowd::new();
    let below = crowd.add(player(0.0, 0.0)).expect("room");
    let above = crowd.add(body([0.4, 0.9, 0.4], point![0.1, 4.0, 0.0])).expect("room");
    let mut touched = false;
    for _ in 0..180 {
        crowd.tick(&world, DT, |_, _| walking(Vector3::zeros())).expect("good numbers");
        assert!(deepest_overlap(&crowd) < MOST_OVERLAP);
        touched |= crowd.report(above).is_some_and(|report| report.touches().any(|touch| touch.other == Some(below)));
    }
    assert!(touched);
    assert_eq!(at(&crowd, below), point![0.0, 0.9 + SKIN, 0.0]);
    assert!(crowd.character(above).is_some_and(Character::is_on_ground), "{}", at(&crowd, above));
    assert!((at(&crowd, above).y - 0.92).abs() < 1e-3);
}

#[test]
fn who_falls_exactly_onto_a_head_is_not_on_ground_and_can_walk_off() {
    let world = floor::<f64>();
    let mut crowd = Crowd::new();
    crowd.add(player(0.0, 0.0)).expect("room");
    let above = crowd.add(body([0.4, 0.9, 0.4], point![0.0, 4.0, 0.0])).expect("room");
    for _ in 0..120 {
        crowd.tick(&world, DT, |_, _| walking(Vector3::zeros())).expect("good numbers");
    }
    let on_head = at(&crowd, above);
    assert!((on_head.y - (3.0 * 0.92)).abs() < 1e-3, "{on_head}");
    assert_eq!(crowd.character(above).expect("there").state().ground, GroundState::OnSteepGround);
    for _ in 0..120 {
        crowd
            .tick(&world, DT, |id, _| walking(Vector3::x() * if id == above { 1.0 } else { 0.0 }))
            .expect("good numbers");
    }
    assert!(crowd.character(above).is_some_and(Character::is_on_ground), "{}", at(&crowd, above));
}

#[test]
fn who_is_a_little_higher_than_the_two_beside_comes_down_between_them() {
    // As after a jump that a head above has ended.
    let world = floor::<f64>();
    for higher in [0.002, 0.006, 0.02] {
        let mut crowd = Crowd::new();
        let beside = 2.0 * (0.4 + SKIN);
        let middle = crowd.add(body([0.4, 0.9, 0.4], point![0.0, 0.92 + higher, 0.0])).expect("room");
        for x in [beside, -beside] {
            crowd.add(player(x, 0.0)).expect("room");
        }
        for _ in 0..10 {
            crowd.tick(&world, DT, |_, _| walking(Vector3::zeros())).expect("good numbers");
        }
        assert!((at(&crowd, middle).y - 0.92).abs() < 1e-6, "from {higher}: {}", at(&crowd, middle));
        assert!(crowd.character(middle).is_some_and(Character::is_on_ground));
    }
}

#[test]
fn a_child_walks_beside_a_giant_as_near_as_their_bodies_let_it() {
    let world = floor::<f64>();
    let mut crowd = Crowd::new();
    let giant = crowd.add(body([1.0, 2.0, 1.0], point![0.0, 2.0 + SKIN, 0.0])).expect("room");
    let child = crowd.add(body([0.25, 0.5, 0.25], point![-4.0, 0.5 + SKIN, 0.0])).expect("room");
    for _ in 0..240 {
        crowd
            .tick(&world, DT, |id, _| walking(Vector3::x() * if id == child { 2.0 } else { 0.0 }))
            .expect("good numbers");
        assert!(deepest_overlap(&crowd) < 0.0);
    }
    // Nearer than two cylinders would be, below the giant's flank; on the floor, and the giant has not moved.
    let end = at(&crowd, child);
    assert!(end.x > -1.20 && (end.y - 0.52).abs() < 1e-6, "{end}");
    assert_eq!(at(&crowd, giant).x, 0.0);
    assert!(crowd.character(child).is_some_and(Character::is_on_ground));
}

/// A wish that changes now and then, and depends on who it is and when alone.
fn wander(label: u64, tick: u64) -> Vector3<f64> {
    let mut random = Random(label * 1_000 + tick / 45);
    let heading = random.direction();
    vector![heading.x, 0.0, heading.z] * random.between(0.0, 5.0)
}

/// Wanderers in a yard, added in an order, after some ticks: their states by label.
fn run_in_order<T: Real>(order: &[u64], ticks: u64, world: &World<T>) -> Vec<(u64, String)> {
    let mut crowd = Crowd::new();
    let ids: Vec<_> = order.iter().map(|label| (*label, place(&mut crowd, *label))).collect();
    let label_of = |id| ids.iter().find(|(_, known)| *known == id).map_or(0, |(label, _)| *label);
    for tick in 0..ticks {
        crowd.tick(world, T::nearest(DT), |id, _| walking(wander(label_of(id), tick))).expect("good numbers");
    }
    assert!(deepest_overlap(&crowd) < 0.0);
    let mut states: Vec<_> = crowd.states().map(|(id, state)| (label_of(id), format!("{state:?}"))).collect();
    states.sort();
    states
}

fn place<T: Real>(crowd: &mut Crowd<T>, label: u64) -> CharacterId {
    let (column, row) = ((label % 6) as f64, (label / 6) as f64);
    crowd.add(player(column * 1.1 - 3.0, row * 1.1 - 3.2)).expect("room")
}

#[test]
fn it_does_not_matter_in_which_order_they_came() {
    let world = yard::<f32>(4.0);
    let order: Vec<u64> = (0..36).collect();
    let mut other: Vec<u64> = order.iter().rev().copied().collect();
    let there = run_in_order(&order, 600, &world);
    assert_eq!(there, run_in_order(&other, 600, &world));
    let mut random = Random(7);
    for i in (1..other.len()).rev() {
        other.swap(i, random.below(i + 1));
    }
    assert_eq!(there, run_in_order(&other, 600, &world));
}

/// Of one, two and three threads, where there are some.
#[cfg(feature = "parallel")]
#[test]
fn it_does_not_matter_how_many_threads_move_them() {
    let world = yard::<f32>(4.0);
    let order: Vec<u64> = (0..36).collect();
    let there = [1, 2, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| run_in_order(&order, 600, &world))
    });
    assert_eq!(there[0], there[1]);
    assert_eq!(there[0], there[2]);
}

#[test]
fn on_hills_and_stairs_nobody_gets_into_another_or_off_the_ground() {
    let mut builder = MeshBuilder::new();
    builder.append(&primitives::terrain::<f64>(64, 3).expect("a legal size"), [0.0; 3]);
    let world = World::<f32>::of_level(Octree::new(builder.build().expect("a mesh")));
    let mut crowd = Crowd::new();
    let ids: Vec<_> = (0..64_u32)
        .map(|i| {
            let center = point![f64::from(i % 8) * 1.2 - 4.0, 30.0, f64::from(i / 8) * 1.2 - 4.0];
            crowd.add(body([0.4, 0.9, 0.4], center)).expect("room")
        })
        .collect();
    let mut on_ground = 0;
    for tick in 0..900 {
        let wish = |id, _: &_| {
            let label = ids.iter().position(|known| *known == id).unwrap_or(0) as u64;
            let start = point![(label % 8) as f64 * 1.2 - 4.0, 0.0, (label / 8) as f64 * 1.2 - 4.0];
            let to_and_fro = if tick / 150 % 2 == 0 { -1.0 } else { 1.0 };
            let jump = (label + tick).is_multiple_of(97);
            TickInput { jump: jump.then_some(4.0), ..walking(start.coords * to_and_fro + wander(label, tick) * 0.3) }
        };
        if tick < 200 {
            crowd.tick(&world, DT as f32, |_, _| TickInput::default()).expect("good numbers");
        } else {
            crowd.tick(&world, DT as f32, wish).expect("good numbers");
            on_ground += crowd.iter().filter(|(_, character)| character.is_on_ground()).count();
        }
        assert!(deepest_overlap(&crowd) < MOST_OVERLAP, "tick {tick}: {}", deepest_overlap(&crowd));
    }
    assert!(on_ground > 64 * 700 / 3, "{on_ground}");
}

#[cfg(feature = "serde")]
#[test]
fn a_crowd_that_is_saved_and_put_back_goes_on_to_the_bit() {
    fn goes_on<T: Real + serde::Serialize + serde::de::DeserializeOwned>() {
        let world = yard::<T>(4.0);
        let mut crowd = Crowd::new();
        let ids: Vec<_> = (0..36).map(|label| place(&mut crowd, label)).collect();
        let run = |crowd: &mut Crowd<T>, ticks: std::ops::Range<u64>| {
            for tick in ticks {
                let wish = |id, _: &_| {
                    let label = ids.iter().position(|known| *known == id).unwrap_or(0) as u64;
                    let jump = (label + tick).is_multiple_of(53);
                    TickInput { jump: jump.then(|| T::nearest(3.0)), ..walking(wander(label, tick)) }
                };
                crowd.tick(&world, T::nearest(DT), wish).expect("good numbers");
            }
            crowd.states().collect::<Vec<_>>()
        };
        let saved = run(&mut crowd, 0..200);
        let text = serde_json::to_string(&saved).expect("it can be written");
        let first = run(&mut crowd, 200..400);
        let read: Vec<(CharacterId, sidle::CharacterState<T>)> = serde_json::from_str(&text).expect("it can be read");
        assert_eq!(read, saved);
        for (id, state) in read {
            crowd.restore(id, state).expect("it is there");
        }
        assert_eq!(run(&mut crowd, 200..400), first);
    }
    goes_on::<f32>();
    goes_on::<f64>();
}

#[test]
fn a_jam_in_a_corner_is_one_without_overlaps_and_comes_to_rest() {
    let world = yard::<f64>(4.0);
    let mut crowd = Crowd::new();
    for label in 0..36 {
        place(&mut crowd, label);
    }
    let mut last: Vec<Point3<f64>> = Vec::new();
    let mut moved = 0.0_f64;
    for tick in 0..900 {
        let wish = |_, character: &Character<f64>| {
            let way = point![3.5, 0.92, 3.5] - character.position();
            walking(vector![way.x, 0.0, way.z].normalize() * 3.0)
        };
        crowd.tick(&world, DT, wish).expect("good numbers");
        assert!(deepest_overlap(&crowd) < MOST_OVERLAP, "tick {tick}: {}", deepest_overlap(&crowd));
        let now: Vec<_> = crowd.iter().map(|(_, character)| character.position()).collect();
        if tick >= 840 {
            moved = moved.max(now.iter().zip(&last).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max));
        }
        last = now;
    }
    assert!(moved < 1e-3, "in the last second one moved by {moved} in a tick");
    assert!(crowd.iter().all(|(_, character)| character.is_on_ground()));
}

#[test]
fn alone_in_a_crowd_is_alone() {
    let world = yard::<f32>(4.0);
    let mut crowd = Crowd::new();
    let mut alone = player(-1.0, 0.0);
    let id = crowd.add(alone.clone()).expect("room");
    let mut scratch = Scratch::default();
    for tick in 0..600 {
        let input = walking(wander(3, tick));
        let report = alone.tick(&world, &input, DT as f32, &mut scratch).expect("good numbers");
        crowd.tick(&world, DT as f32, |_, _| input).expect("good numbers");
        assert_eq!(crowd.report(id), Some(&report));
        assert_eq!(crowd.character(id).map(Character::state), Some(alone.state()));
    }
}

#[test]
fn the_names_of_those_who_left_mean_nobody() {
    let mut crowd = Crowd::<f64>::new();
    let first = crowd.add(player(0.0, 0.0)).expect("room");
    let second = crowd.add(player(3.0, 0.0)).expect("room");
    assert_eq!(crowd.len(), 2);
    let state = crowd.remove(first).expect("it was there").state();
    let third = crowd.add(player(6.0, 0.0)).expect("room");
    assert!(third != first && third != second);
    assert!(crowd.character(first).is_none() && crowd.remove(first).is_none() && crowd.report(first).is_none());
    assert_eq!(crowd.restore(first, state), Err(CrowdError::NoSuchCharacter));
    crowd.tick(&floor::<f64>(), DT, |_, _| TickInput::default()).expect("good numbers");
    assert_eq!(crowd.iter().count(), 2);
}

#[test]
fn a_wish_that_is_no_number_moves_nobody_and_says_whose_it_is() {
    let world = floor::<f64>();
    let mut crowd = Crowd::new();
    crowd.add(player(0.0, 0.0)).expect("room");
    let confused = crowd.add(player(3.0, 0.0)).expect("room");
    let before: Vec<_> = crowd.states().collect();
    let wish = |id, _: &_| walking(Vector3::x() * if id == confused { f64::NAN } else { 1.0 });
    let error = crowd.tick(&world, DT, wish).expect_err("not a number");
    assert!(matches!(error, CrowdError::Input { character, .. } if character == confused), "{error}");
    assert_eq!(before, crowd.states().collect::<Vec<_>>());
    assert!(crowd.tick(&world, 0.0, |_, _| TickInput::default()).is_err());
}

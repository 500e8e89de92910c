//! Who walks into another, or past one.

use nalgebra::{Vector3, point, vector};
use sidle::character::{Character, Crowd};

use super::yard;
use crate::people::{DT, SKIN, at, body, deepest_overlap, floor, only, player, walking};

#[test]
fn who_walks_into_one_who_stands_stops_and_pushes_nobody() {
    let world = floor::<f64>();
    let mut crowd = Crowd::new();
    let walker = crowd.add(player(-2.0, 0.0)).expect("room");
    let guard = crowd.add(player(0.0, 0.0)).expect("room");
    for _ in 0..120 {
        crowd.tick(&world, DT, only(walker, Vector3::x() * 3.0)).expect("good numbers");
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
        crowd.tick(&world, DT, only(runner, velocity)).expect("good numbers");
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
        crowd.tick(&world, DT, only(walker, Vector3::x() * 3.0)).expect("good numbers");
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
            crowd.tick(&world, DT, only(runner, Vector3::x() * speed)).expect("good numbers");
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
            crowd.tick(&world, DT, only(runner, Vector3::x() * speed)).expect("good numbers");
        }
        let end = at(&crowd, runner);
        let free = -9.0 + speed * DT * ticks as f64;
        assert!((end.x - free).abs() < 1e-6 && (end.z - aside).abs() < 1e-6, "at {speed} m/s: {end}, not {free}");
    }
}

#[test]
fn a_child_walks_beside_a_giant_as_near_as_their_bodies_let_it() {
    let world = floor::<f64>();
    let mut crowd = Crowd::new();
    let giant = crowd.add(body([1.0, 2.0, 1.0], point![0.0, 2.0 + SKIN, 0.0])).expect("room");
    let child = crowd.add(body([0.25, 0.5, 0.25], point![-4.0, 0.5 + SKIN, 0.0])).expect("room");
    for _ in 0..240 {
        crowd.tick(&world, DT, only(child, Vector3::x() * 2.0)).expect("good numbers");
        assert!(deepest_overlap(&crowd) < 0.0);
    }
    // Nearer than two cylinders would be, below the giant's flank; on the floor, and the giant has not moved.
    let end = at(&crowd, child);
    assert!(end.x > -1.20 && (end.y - 0.52).abs() < 1e-6, "{end}");
    assert_eq!(at(&crowd, giant).x, 0.0);
    assert!(crowd.character(child).is_some_and(Character::is_on_ground));
}

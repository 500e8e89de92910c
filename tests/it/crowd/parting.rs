//! Who is in another, or on the head of one.

use nalgebra::{Vector3, point};
use sidle::character::{Character, Crowd, GroundState};

use super::yard;
use crate::people::{DT, MOST_OVERLAP, SKIN, at, body, deepest_overlap, floor, only, player, stand_still};

#[test]
fn who_is_put_into_another_is_parted_and_stays_on_the_floor() {
    let world = floor::<f64>();
    for (x, z) in [(0.0, 0.0), (0.1, 0.0), (0.3, -0.4), (0.7, 0.1)] {
        let mut crowd = Crowd::new();
        let pair = [(0.0, 0.0), (x, z)].map(|(x, z)| crowd.add(player(x, z)).expect("room"));
        for _ in 0..10 {
            stand_still(&mut crowd, &world);
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
        stand_still(&mut crowd, &world);
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
        stand_still(&mut crowd, &world);
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
        stand_still(&mut crowd, &world);
    }
    let on_head = at(&crowd, above);
    assert!((on_head.y - (3.0 * 0.92)).abs() < 1e-3, "{on_head}");
    assert_eq!(crowd.character(above).expect("there").state().ground, GroundState::OnSteepGround);
    for _ in 0..120 {
        crowd.tick(&world, DT, only(above, Vector3::x() * 1.0)).expect("good numbers");
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
            stand_still(&mut crowd, &world);
        }
        assert!((at(&crowd, middle).y - 0.92).abs() < 1e-6, "from {higher}: {}", at(&crowd, middle));
        assert!(crowd.character(middle).is_some_and(Character::is_on_ground));
    }
}

//! Whom what moves pushes, pushes whom he stands against, and that one the next.

use nalgebra::{Point3, point, vector};
use sidle::{
    Character, Real,
    character::{CharacterState, Crowd},
};

use super::{Stage, by_label};
use crate::{
    moving::{about_y, seen_from, upright},
    people::{BESIDE, DT, MOST_OVERLAP, deepest_overlap, stand_still, standing, walking},
};

fn places<T: Real>(crowd: &Crowd<T>) -> Vec<Point3<f64>> {
    crowd.states().map(|(_, state)| state.exact_position()).collect()
}

fn crushed<T: Real>(crowd: &Crowd<T>) -> Vec<usize> {
    let is_crushed = |id| crowd.report(id).is_some_and(|report| report.ride.is_crushed);
    crowd.iter().enumerate().filter(|(_, (id, _))| is_crushed(*id)).map(|(i, _)| i).collect()
}

/// The longest way of any in the last tick.
fn longest_way<T: Real>(crowd: &Crowd<T>) -> f64 {
    let ways = crowd.iter().filter_map(|(id, _)| crowd.report(id)).map(|report| (report.to - report.from).norm());
    ways.map(Real::to_f64).fold(0.0, f64::max)
}

#[test]
fn a_wall_pushes_a_row_of_five_before_it_none_into_another() {
    for (speed, gap) in [(0.5, 0.1), (1.0, 0.0), (2.0, 0.1), (4.0, 0.3), (10.0, 0.1)] {
        let wall = |time: f64| upright(point![-2.0 + speed * time, 1.5, 0.0]);
        let mut stage = Stage::<f64>::new([0.5, 1.5, 3.0], wall(0.0));
        let mut crowd = Crowd::new();
        for i in 0..5 {
            crowd.add(standing(point![f64::from(i) * (BESIDE + gap), 0.0, 0.0])).expect("room");
        }
        for tick in 1..=180 {
            stage.drive(wall(f64::from(tick) * DT));
            stand_still(&mut crowd, &stage.world);
            let deepest = deepest_overlap(&crowd);
            assert!(deepest <= MOST_OVERLAP, "{speed} m/s, tick {tick}: {deepest} m deep in each other");
            assert_eq!(crushed(&crowd), [0; 0], "{speed} m/s, tick {tick}: there is room before them");
            assert!(longest_way(&crowd) <= 1.001 * speed * DT, "{speed} m/s, tick {tick}: {}", longest_way(&crowd));
        }
        let wall = -2.0 + 3.0 * speed + 0.5;
        let xs: Vec<f64> = places(&crowd).iter().map(|place| place.x).collect();
        for (i, x) in xs.iter().enumerate() {
            let behind = wall + 0.42 + i as f64 * BESIDE;
            assert!((x - behind).abs() < 1e-3 || *x > behind, "{speed} m/s: {xs:?} before a wall at {wall}");
        }
        assert!(speed < 2.0 || (xs[4] - (wall + 0.42 + 4.0 * BESIDE)).abs() < 1e-3, "{speed} m/s: all moved: {xs:?}");
    }
}

#[test]
fn who_is_at_the_wall_that_pushes_a_row_against_another_is_crushed_and_in_nobody() {
    let wall = |time: f64| upright(point![-2.0 + time, 1.5, 0.0]);
    let mut stage = Stage::<f64>::new([0.5, 1.5, 3.0], wall(0.0));
    // Behind five with a gap of 10 cm each there are 30 cm left.
    let end = 4.0 * 0.94 + 0.42 + 0.3;
    stage.block([0.5, 1.5, 3.0], upright(point![end + 0.5, 1.5, 0.0]));
    let mut crowd = Crowd::new();
    for i in 0..5 {
        crowd.add(standing(point![f64::from(i) * 0.94, 0.0, 0.0])).expect("room");
    }
    let mut first_crushed = None;
    for tick in 1..=180 {
        stage.drive(wall(f64::from(tick) * DT));
        stand_still(&mut crowd, &stage.world);
        let deepest = deepest_overlap(&crowd);
        assert!(deepest <= MOST_OVERLAP, "tick {tick}: {deepest} m deep in each other");
        let last = places(&crowd)[4].x;
        assert!(last <= end - 0.4, "tick {tick}: the last is at {last}, in the wall at {end}");
        let who = crushed(&crowd);
        if first_crushed.is_none() && !who.is_empty() {
            assert_eq!(who, [0], "tick {tick}: who is at the wall");
            first_crushed = Some(tick);
        }
    }
    // The wall's face goes from −1.5 to where five fit between it and the end, and on through a skin.
    let fits = ((end - 4.0 * BESIDE - 0.84 + 1.5 + 0.02) / DT).ceil() as i32;
    assert!(first_crushed.is_some_and(|tick| (tick - fits).abs() <= 1), "{first_crushed:?}, not {fits}");
}

/// People around an arm that turns at a rate in radians a second, for three seconds; where each is in the end, by its place at the
/// start.
fn beside_an_arm<T: Real>(rate: f64, order: &[usize]) -> Vec<CharacterState<T>> {
    let arm = |time: f64| (point![0.0, 1.0, 0.0], about_y(rate * time));
    let mut stage = Stage::<T>::new([4.0, 0.8, 0.15], arm(0.0));
    let mut crowd = Crowd::new();
    let place = |i: usize| point![-5.0 + (i % 11) as f64, 0.0, [-3.0, -2.0, -1.0, 1.0, 2.0, 3.0][i / 11]];
    let mut crushes = 0;
    let ids: Vec<_> = order.iter().map(|i| (*i, crowd.add(standing(place(*i))).expect("room"))).collect();
    for tick in 1..=180 {
        stage.drive(arm(f64::from(tick) * DT));
        stand_still(&mut crowd, &stage.world);
        let deepest = deepest_overlap(&crowd);
        assert!(deepest <= MOST_OVERLAP, "tick {tick}: {deepest} m deep in each other");
        crushes += crushed(&crowd).len();
        let longest = longest_way(&crowd);
        assert!(longest < 0.5, "tick {tick}: someone has gone {longest} m");
        let who = crushed(&crowd);
        for (i, place) in places(&crowd).into_iter().enumerate() {
            // The arm's tip is at 4 m; along it nobody is nearer than half its thickness and a semi-axis.
            let local = seen_from(&stage.world, stage.mover, place);
            let is_in = local.x.abs() < 4.0 && local.z.abs() < 0.15 + 0.39;
            assert!(!is_in || who.contains(&i), "tick {tick}: {i} is in the arm, at {local} of it");
        }
    }
    assert!(crushes <= 12, "there is room around them: {crushes} times one was crushed");
    by_label(&crowd, &ids)
}

fn an_arm_clears_its_circle<T: Real>() {
    let order: Vec<usize> = (0..66).collect();
    let ends = beside_an_arm::<T>(3.0, &order);
    let inside = ends.iter().filter(|state| state.exact_position().coords.xz().norm() < 3.5).count();
    assert!(inside < 60, "it has pushed some out: {inside} are left");
    let reversed: Vec<usize> = (0..66).rev().collect();
    assert_eq!(ends, beside_an_arm(3.0, &reversed), "the order in which they came matters");
    let mixed: Vec<usize> = (0..66).map(|i| (i * 25 + 7) % 66).collect();
    assert_eq!(ends, beside_an_arm(3.0, &mixed), "the order in which they came matters");
}

#[test]
fn an_arm_that_turns_through_a_crowd_pushes_all_and_none_into_another_in_f64() {
    an_arm_clears_its_circle::<f64>();
}

#[test]
fn an_arm_that_turns_through_a_crowd_pushes_all_and_none_into_another_in_f32() {
    an_arm_clears_its_circle::<f32>();
}

#[test]
fn a_lift_that_rises_under_a_jam_parts_who_stand_on_it_from_who_do_not() {
    let lift = |time: f64| upright(point![0.0, -0.26 + 1.5 * time, 0.0]);
    let mut stage = Stage::<f64>::new([1.2, 0.25, 1.2], lift(0.0));
    let mut crowd = Crowd::new();
    for i in 0..81 {
        let [x, z] = [i % 9, i / 9].map(|i| (f64::from(i) - 4.0) * BESIDE + 0.1);
        crowd.add(standing(point![x, 0.0, z])).expect("room");
    }
    for tick in 1..=120 {
        stage.drive(lift(f64::from(tick) * DT));
        // All crowd towards the middle.
        let wish = |_, character: &Character<f64>| {
            let inwards = -character.position().coords;
            walking(vector![inwards.x, 0.0, inwards.z].cap_magnitude(2.0))
        };
        crowd.tick(&stage.world, DT, wish).expect("good numbers");
        let deepest = deepest_overlap(&crowd);
        assert!(deepest <= MOST_OVERLAP, "tick {tick}: {deepest} m deep in each other");
        let longest = longest_way(&crowd);
        assert!(longest < 0.3, "tick {tick}: someone has gone {longest} m");
    }
    let up = places(&crowd).iter().filter(|place| place.y > 2.0).count();
    assert!((4..=16).contains(&up), "{up} are on the lift");
}

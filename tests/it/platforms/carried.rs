//! Who stands on what moves keeps its spot there.

use std::f64::consts::FRAC_PI_2;

use nalgebra::{Point3, UnitQuaternion, Vector3, point, vector};
use sidle::{Character, CharacterConfig, Real, world::Placement};

use super::{RATES, Stage, about_y, cuboid, level, straight};

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

//! Who leaves what moves keeps its velocity.

use nalgebra::{point, vector};

use super::{RATES, Stage, about_y, cuboid, level, straight};

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

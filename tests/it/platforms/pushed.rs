//! Who is in the way of what moves is pushed, and never passed.

use nalgebra::point;
use sidle::{Real, mesh::primitives::MeshBuilder};

use super::{RATES, Stage, about_y, cuboid, level, straight};

fn is_pushed<T: Real>(stage: &mut Stage<T>, seconds: f64, what: &str, ahead: impl Fn(&Stage<T>) -> f64) {
    let mut pushed = 0.0;
    stage.walk([0.0; 3], seconds, |stage, report| {
        pushed += report.ride.pushed.map(Real::to_f64).norm();
        let gap = ahead(stage);
        assert!(gap > 0.4, "{what}: it is {gap} m before what pushes it, after {} s", stage.time());
        assert!(
            stage.feet().y.abs() < 0.01 && stage.character.is_on_ground(),
            "{what}: it is lifted: {}",
            stage.feet()
        );
    });
    assert!(pushed > 0.5, "{what}: only pushed by {pushed} m");
}

#[test]
fn a_moving_wall_pushes_a_character_and_never_passes_it() {
    for hz in RATES {
        for speed in [0.2, 2.0, 20.0, 200.0] {
            for thick in [0.5, 0.001] {
                let mut stage = Stage::<f64>::new(level(&[]), [0.0, 0.0, 0.0], hz)
                    .with(cuboid([thick, 1.5, 1.5]), straight([-1.5, 1.6, 0.2], [speed, 0.0, 0.0]));
                let what = format!("{speed} m/s, {hz} Hz, {thick} m");
                is_pushed(&mut stage, 4.0 / speed, &what, |stage| stage.feet_on(0).x - thick);
            }
        }
    }
}

/// The arm is a thin plate that reaches 4 m from its axis; the character stands 3 m from it.
#[test]
fn a_rotating_arm_pushes_a_character_and_never_passes_it() {
    for hz in RATES {
        for speed in [0.5, 3.0, 12.0] {
            let mut arm = MeshBuilder::new();
            arm.append(&cuboid::<f64>([2.0, 1.0, 0.005]), [2.0, 0.0, 0.0]);
            let mut stage = Stage::<f64>::new(level(&[]), [3.0, 0.0, -1.0], hz)
                .with(arm.build().expect("an arm"), move |time| (point![0.0, 1.05, 0.0], about_y(speed * time)));
            let what = format!("{speed} rad/s, {hz} Hz");
            // Pushed outwards as well, it leaves the arm beyond its tip in the end.
            let mut pushed = 0.0;
            let mut is_before = true;
            stage.walk([0.0; 3], 3.0 / speed, |stage, report| {
                let on_arm = stage.feet_on(0);
                pushed += report.ride.pushed.norm();
                is_before &= on_arm.x < 4.0;
                assert!(!is_before || -on_arm.z > 0.4, "{what}: at {on_arm} of the arm after {} s", stage.time());
            });
            assert!(pushed > 1.0, "{what}: only pushed by {pushed} m");
        }
    }
}

/// A thin bar at the height of the knees sweeps through who stands there.
#[test]
fn a_low_bar_pushes_who_stands_and_does_not_lift() {
    for hz in [30, 60, 240] {
        let mut stage = Stage::<f64>::new(level(&[]), [0.0, 0.0, 0.0], hz)
            .with(cuboid([0.05, 0.05, 1.5]), straight([-1.5, 0.4, 0.2], [1.5, 0.0, 0.0]));
        is_pushed(&mut stage, 2.0, &format!("{hz} Hz"), |stage| stage.feet_on(0).x + 0.3);
    }
}

#[test]
fn a_rising_floor_lifts_who_stands_beside_it_on_the_ground() {
    for speed in [0.5, 3.0, 30.0] {
        let mut stage = Stage::<f64>::new(level(&[]), [0.0; 3], 60)
            .with(cuboid([2.0, 0.1, 2.0]), straight([0.0, -0.5, 0.0], [0.0, speed, 0.0]));
        stage.stand(3.0 / speed);
        assert!((stage.feet_on(0).y - 0.1).abs() < 0.01, "{speed} m/s: {}", stage.feet_on(0));
        assert!(stage.character.is_on_ground());
    }
}

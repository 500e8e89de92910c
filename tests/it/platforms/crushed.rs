//! Who cannot give way to what moves is told to be crushed, and stays on its side of what rests.

use nalgebra::point;

use super::{RATES, Stage, about_y, cuboid, level, straight};

/// What rests wins: between a wall and a moving block the character stays before the wall, and is told to be crushed.
#[test]
fn who_is_crushed_against_a_wall_is_told_so_and_stays_on_its_side() {
    for hz in RATES {
        for speed in [0.5, 5.0] {
            let wall = ([0.001, 3.0, 8.0], [2.0, 3.0, 0.0]);
            let mut stage = Stage::<f32>::new(level(&[wall]), [0.0; 3], hz)
                .with(cuboid([0.5, 1.5, 6.0]), straight([-1.5, 1.6, 0.0], [speed, 0.0, 0.0]));
            let mut was_crushed = false;
            stage.walk([0.0; 3], 4.0 / speed, |stage, report| {
                was_crushed |= report.ride.is_crushed;
                let gap = 2.0 - stage.feet().x;
                assert!(report.ride.is_crushed || !was_crushed || stage.time() > 2.5 / speed);
                assert!(gap > 0.39, "{speed} m/s, {hz} Hz: {gap} m before the wall after {} s", stage.time());
                let room = 1.999 - (-1.0 + speed * stage.time());
                assert!(!report.ride.is_crushed || room < 0.85, "crushed with {room} m of room");
            });
            assert!(was_crushed, "{speed} m/s, {hz} Hz");
        }
    }
}

#[test]
fn a_lift_that_rises_to_the_ceiling_crushes_and_pushes_nobody_through() {
    let ceiling = ([4.0, 0.1, 4.0], [0.0, 4.0, 0.0]);
    let mut stage = Stage::<f64>::new(level(&[ceiling]), [0.0, 0.5, 0.0], 60)
        .with(cuboid([2.0, 0.1, 2.0]), straight([0.0, 0.4, 0.0], [0.0, 1.0, 0.0]));
    let mut crushed_at = None;
    stage.walk([0.0; 3], 4.0, |stage, report| {
        if report.ride.is_crushed && crushed_at.is_none() {
            crushed_at = Some(stage.feet_on(0).y + stage.time());
        }
        assert!(stage.feet().y < 3.9 - 1.8, "through the ceiling: {}", stage.feet());
    });
    assert!(crushed_at.is_some(), "it was not told");
}

/// A wall that comes along at a slant wedges nobody who can slide along the other wall.
#[test]
fn who_can_slide_out_of_the_way_is_not_crushed() {
    let mut stage = Stage::<f64>::new(level(&[([0.1, 3.0, 20.0], [1.0, 3.0, 0.0])]), [0.0; 3], 60)
        .with(cuboid([0.1, 1.5, 3.0]), |time| (point![-1.5 + time, 1.6, 0.0], about_y(0.5)));
    stage.walk([0.0; 3], 2.0, |stage, report| {
        assert!(!report.ride.is_crushed, "after {} s at {}", stage.time(), stage.feet());
    });
    assert!(stage.feet().z.abs() > 0.5, "it has not been pushed along: {}", stage.feet());
}

//! Who comes down on what moves goes along at once, and through nothing.

use super::{RATES, Stage, cuboid, level, straight};

/// Landing on a lift that comes up, it takes the character along at once.
#[test]
fn who_falls_onto_a_rising_lift_stands_on_it() {
    for hz in RATES {
        let mut stage = Stage::<f64>::new(level(&[]), [0.0, 6.0, 0.0], hz)
            .with(cuboid([2.0, 0.1, 2.0]), straight([0.0, 1.0, 0.0], [0.0, 4.0, 0.0]));
        stage.stand(1.0);
        assert!(stage.character.is_on_ground(), "{hz} Hz");
        let start = stage.feet_on(0);
        stage.walk([0.0; 3], 0.5, |stage, _| assert!(stage.character.is_on_ground()));
        assert!((stage.feet_on(0) - start).norm() < 1e-6 && (start.y - 0.1).abs() < 0.01, "{hz} Hz: {start}");
    }
}

/// In the tick in which it lands, a train takes it along, but not past a wall.
#[test]
fn who_drops_onto_a_fast_train_is_not_carried_through_a_wall() {
    for hz in RATES {
        for height in 0..12 {
            let wall = ([0.05, 5.0, 4.0], [1.0, 5.0, 0.0]);
            let feet = [0.0, 1.5 + 0.02 * f64::from(height), 0.0];
            let mut stage = Stage::<f64>::new(level(&[wall]), feet, hz)
                .with(cuboid([90.0, 0.1, 2.0]), straight([-60.0, 1.0, 0.0], [80.0, 0.0, 0.0]));
            stage.walk([0.0; 3], 1.0, |stage, _| {
                assert!(stage.feet().x < 0.95 - 0.4, "{hz} Hz: behind the wall at {}", stage.feet());
            });
            assert!(stage.feet().x > 0.5, "{hz} Hz: not carried along: {}", stage.feet());
        }
    }
}

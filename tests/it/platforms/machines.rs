//! Many machines among pillars, and people in the midst of them.

use nalgebra::{Point3, Vector3, point, vector};

use super::{STANDS, Stage, about_y, cuboid, level, placement};
use crate::random::Random;

/// Blocks that slide, spin and bob among pillars, and characters in the midst of them: nobody is ever in what rests, nor on the
/// other side of what moves, unless crushed.
#[test]
fn among_machines_nobody_is_in_a_wall_and_nothing_passes_through_who_is_not_crushed() {
    let mut random = Random(7);
    let (mut pushes, mut crushes, mut rides) = (0, 0, 0);
    for round in 0..200 {
        let hz = [30, 60, 144][round % 3];
        let mut number = |min: f64, max: f64| random.between(min, max);
        let pillars: Vec<_> = (0..6)
            .map(|_| ([number(0.1, 0.6), 3.0, number(0.1, 0.6)], [number(-4.0, 4.0), 2.9, number(-4.0, 4.0)]))
            .filter(|(half, center)| center[0].abs() > half[0] + 0.5 || center[2].abs() > half[2] + 0.5)
            .collect();
        let mut stage = Stage::<f32>::new(level(&pillars), [0.0; 3], hz).landed();
        let mut blocks = Vec::new();
        for _ in 0..4 {
            let half = [number(0.01, 1.5), number(0.1, 1.2), number(0.01, 1.5)];
            let center = point![number(-4.0, 4.0), half[1] + number(-0.2, 0.6), number(-4.0, 4.0)];
            let swing = vector![number(-3.0, 3.0), number(0.0, 0.5) * number(0.0, 1.0).round(), number(-3.0, 3.0)];
            let (pace, spin) = (number(0.3, 2.5), number(-3.0, 3.0) * number(0.0, 1.0).round());
            // They are out of the way at first.
            let path = move |time: f64| {
                let away = Vector3::y() * if time == 0.0 { 50.0 } else { 0.0 };
                (center + swing * (pace * time).sin() + away, about_y(spin * time))
            };
            let begins = path(1.0 / f64::from(hz));
            let start = begins.1.inverse() * Point3::from(point![0.0, 0.92, 0.0] - begins.0);
            if (0..3).any(|axis| start[axis].abs() > half[axis] + 1.2) {
                stage = stage.with(cuboid(half), path);
                blocks.push(half);
            }
        }
        stage.ticks = 1;
        for (id, path) in &stage.movers {
            stage.world.move_to(*id, &placement(path(1.0 / f64::from(hz)))).expect("it is moved");
        }
        let center_on = |stage: &Stage<f32>, block: usize| stage.feet_on(block).coords + Vector3::y() * STANDS;
        let mut last: Vec<_> = (0..blocks.len()).map(|block| center_on(&stage, block)).collect();
        let mut heading = 0.0_f64;
        for tick in 0..600 {
            heading += number(-0.3, 0.3);
            if stage.feet().coords.norm() > 6.0 {
                heading = (-stage.feet().z).atan2(-stage.feet().x);
            }
            let velocity = [3.0 * heading.cos(), 0.0, 3.0 * heading.sin()];
            let report = stage.tick(velocity, (tick % 90 == 50).then_some(4.0));
            let what = format!("round {round}, tick {tick}, at {}: {:?}", stage.feet(), report.ride);
            assert!(stage.feet().iter().all(|x| x.is_finite()), "{what}");
            let center = stage.feet() + Vector3::y() * STANDS;
            for (half, at) in &pillars {
                let out = (0..3).map(|axis| (center[axis] - at[axis]).abs() - half[axis]).fold(f64::MIN, f64::max);
                assert!(out > 0.0, "{what}: its centre is in a pillar");
            }
            assert!(stage.feet().y > -0.05, "{what}: below the floor");
            pushes += usize::from(report.ride.pushed.norm() > 1e-3);
            rides += usize::from(report.ride.on.is_some());
            if report.ride.is_crushed {
                crushes += 1;
                break; // what is in it now may come out anywhere
            }
            for (block, half) in blocks.iter().enumerate() {
                let now = center_on(&stage, block);
                assert!(!crosses_box(&last[block], &now, half), "{what}: block {block} has passed through it");
                last[block] = now;
            }
        }
    }
    assert!(pushes > 500 && crushes > 5 && rides > 500, "{pushes} pushes, {crushes} crushed, {rides} rides");
}

/// Whether a segment meets a box about the origin.
fn crosses_box(from: &Vector3<f64>, to: &Vector3<f64>, half: &[f64; 3]) -> bool {
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    for axis in 0..3 {
        let way = to[axis] - from[axis];
        let times = [-half[axis], half[axis]].map(|side| (side - from[axis]) / way);
        if way == 0.0 && from[axis].abs() >= half[axis] {
            return false;
        }
        if way != 0.0 {
            enter = enter.max(times[0].min(times[1]));
            leave = leave.min(times[0].max(times[1]));
        }
    }
    enter < leave
}

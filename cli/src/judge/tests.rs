//! The judge judged: for each kind of fault a controller that has it, and one that has none.

use nalgebra::{Point3, Vector3, point, vector};
use sidle::mesh::primitives::{MeshBuilder, floor};

use super::{Body, Court, Grid, Kind, Part, Rules, Sample, Verdict};

const DT: f64 = 1.0 / 60.0;
const RULES: Rules = Rules { step_height: 0.3, snap: 0.2, max_slope: 45.0, skin: 0.02, gravity: 9.81 };
const BODIES: [Body; 2] = [Body::Ellipsoid([0.4, 0.9, 0.4]), Body::Capsule { radius: 0.4, height: 1.8 }];
const WISH: Vector3<f64> = vector![3.0, 0.0, 0.0];
const REST: f64 = 0.92;

/// A floor of 20 m and a wall across it at x = 5.
fn level() -> Grid {
    let mut builder = MeshBuilder::new();
    builder.append(&floor::<f64>(20.0, 20.0, 7, 7).expect("a floor"), [0.0; 3]);
    builder.quad([[5.0, 0.0, -10.0], [5.0, 0.0, 10.0], [5.0, 3.0, 10.0], [5.0, 3.0, -10.0]]);
    Grid::new(&builder.build::<f64>().expect("a level"))
}

/// A track of a controller that maps the tick and the sample before to the next position and flag.
fn track(ticks: usize, mut controller: impl FnMut(usize, &Sample) -> (Point3<f64>, bool)) -> Vec<Sample> {
    let start =
        Sample { time: 0.0, position: point![0.0, REST, 0.0], wish: Vector3::zeros(), is_on_ground: true, jump: 0.0 };
    let mut track = vec![start];
    for tick in 1..=ticks {
        let (position, is_on_ground) = controller(tick, &track[tick - 1]);
        track.push(Sample { time: tick as f64 * DT, position, wish: WISH, is_on_ground, jump: 0.0 });
    }
    track
}

/// Walks to the wall and stops there.
fn good(_: usize, last: &Sample) -> (Point3<f64>, bool) {
    let position = last.position + WISH * DT;
    (point![position.x.min(4.58), REST, position.z], true)
}

fn each_verdict(track: &[Sample]) -> [Verdict; 2] {
    let grid = level();
    BODIES.map(|body| Court { grid: &grid, body, rules: RULES, movers: &[] }.judge(track))
}

fn kinds(verdict: &Verdict) -> Vec<Kind> {
    verdict.violations.iter().map(|violation| violation.kind).collect()
}

#[test]
fn a_good_track_passes() {
    for verdict in each_verdict(&track(240, good)) {
        assert_eq!(kinds(&verdict), [], "{verdict}");
        assert!(verdict.deepest == 0.0 && verdict.largest_pop == 0.0, "{verdict}");
    }
}

#[test]
fn a_jump_passes() {
    let mut speed = 0.0;
    let mut jumping = track(240, |tick, last| {
        let (mut position, _) = good(tick, last);
        if tick == 60 {
            speed = 4.4;
        }
        position.y = (last.position.y + speed * DT - 0.5 * 9.81 * DT * DT).max(REST);
        speed -= 9.81 * DT;
        (position, position.y <= REST)
    });
    jumping[60].jump = 4.4;
    for verdict in each_verdict(&jumping) {
        assert_eq!(kinds(&verdict), [], "{verdict}");
    }
}

#[test]
fn one_that_crosses_is_caught() {
    let crossing = track(120, |_, last| (last.position + WISH * DT, true));
    for verdict in each_verdict(&crossing) {
        let found = kinds(&verdict);
        assert_eq!(found.iter().filter(|kind| **kind == Kind::Crossing).count(), 1, "{verdict}");
        assert!(found.contains(&Kind::Penetration), "{verdict}");
    }
}

#[test]
fn a_head_in_a_beam_is_caught() {
    let mut builder = MeshBuilder::new();
    builder.append(&floor::<f64>(20.0, 20.0, 7, 7).expect("a floor"), [0.0; 3]);
    // Over the legs' flank, and at the height of the head.
    builder.quad([[5.0, 1.5, -10.0], [5.0, 1.5, 10.0], [5.0, 3.0, 10.0], [5.0, 3.0, -10.0]]);
    let grid = Grid::new(&builder.build::<f64>().expect("a level"));
    let legs = Part { radii: [0.4, 0.6, 0.4], offset: [0.0, -0.3, 0.0] };
    let head = Part { radii: [0.25; 3], offset: [0.3, 0.65, 0.0] };
    let found = |parts: &[Part], stop: f64| {
        let walking = track(120, |_, last| {
            let position = last.position + WISH * DT;
            (point![position.x.min(stop), REST, position.z], true)
        });
        Court { grid: &grid, body: Body::Parts(parts.to_vec()), rules: RULES, movers: &[] }.judge(&walking)
    };
    // The head, 0.55 m ahead of the body's position, is before the beam, or in it by 10 cm.
    assert_eq!(kinds(&found(&[legs, head], 4.43)), []);
    let verdict = found(&[legs, head], 4.55);
    assert_eq!(kinds(&verdict), [Kind::Penetration], "{verdict}");
    assert!((verdict.deepest - 0.1).abs() < 1e-3, "{verdict}");
    // The legs alone could go on.
    assert_eq!(at_a_stand(&grid, &[legs, head], 4.43), []);
    assert_eq!(at_a_stand(&grid, &[legs], 4.43), [Kind::Stuck]);
}

/// What is wrong with a body that stands at a place for a second and a half, and wishes to go on.
fn at_a_stand(grid: &Grid, parts: &[Part], x: f64) -> Vec<Kind> {
    let mut standing = track(90, |_, last| (last.position, true));
    standing.iter_mut().for_each(|sample| sample.position.x = x);
    kinds(&Court { grid, body: Body::Parts(parts.to_vec()), rules: RULES, movers: &[] }.judge(&standing))
}

#[test]
fn one_that_crosses_in_a_single_tick_is_caught() {
    let fast = track(4, |tick, last| (last.position + Vector3::x() * if tick == 3 { 9.0 } else { 0.0 }, true));
    for verdict in each_verdict(&fast) {
        assert_eq!(kinds(&verdict), [Kind::Crossing, Kind::Pop], "{verdict}");
    }
}

#[test]
fn one_that_sinks_is_caught() {
    let sinking = track(60, |tick, last| {
        let (position, ground) = good(tick, last);
        (point![position.x, REST - 0.001 * tick as f64, 0.0], ground)
    });
    for verdict in each_verdict(&sinking) {
        assert_eq!(kinds(&verdict), [Kind::Penetration], "{verdict}");
        assert!((verdict.deepest - 0.04).abs() < 1e-9, "{verdict}");
    }
}

#[test]
fn one_that_pops_is_caught() {
    let popping = track(60, |tick, last| {
        let (position, ground) = good(tick, last);
        (point![position.x, if tick == 30 { REST + 0.7 } else { REST }, 0.0], ground && tick != 30)
    });
    for verdict in each_verdict(&popping) {
        assert_eq!(kinds(&verdict)[0], Kind::Pop, "{verdict}");
        assert!((verdict.largest_pop - 0.15).abs() < 0.01, "{verdict}");
    }
}

#[test]
fn one_that_flickers_is_caught() {
    let flickering = track(60, |tick, last| (good(tick, last).0, !(20..22).contains(&tick)));
    for verdict in each_verdict(&flickering) {
        assert_eq!(kinds(&verdict), [Kind::Flip, Kind::Flip], "{verdict}");
    }
}

#[test]
fn one_that_stands_still_is_caught() {
    for verdict in each_verdict(&track(90, |_, last| (last.position, true))) {
        assert_eq!(kinds(&verdict), [Kind::Stuck], "{verdict}");
    }
}

#[test]
fn one_that_jumps_and_comes_back_within_a_second_is_not_stuck() {
    // Up and down by so much, once a second, always in the same place.
    let bouncing = |height: f64| {
        track(240, move |tick, last| {
            let phase = (tick % 60) as f64 / 60.0;
            let hop = 4.0 * height * phase * (1.0 - phase);
            (point![last.position.x, REST + hop, last.position.z], hop < 1e-3)
        })
    };
    let is_stuck = |height| each_verdict(&bouncing(height)).map(|verdict| kinds(&verdict).contains(&Kind::Stuck));
    assert_eq!(is_stuck(0.5), [false; 2]);
    assert_eq!(is_stuck(0.1), [true; 2]);
}

#[test]
fn standing_still_without_a_wish_or_before_a_wall_is_fine() {
    let mut idle = track(90, |_, last| (last.position, true));
    idle.iter_mut().for_each(|sample| sample.wish = Vector3::zeros());
    let mut pushing = track(240, good);
    pushing.drain(..120);
    for verdict in [idle, pushing].iter().flat_map(|track| each_verdict(track)) {
        assert_eq!(kinds(&verdict), [], "{verdict}");
    }
}

#[test]
fn a_place_counts_that_is_near_all_wishes_of_the_second() {
    // Before the wall, which goes along z: only a place about as far to the side as the wall itself is free.
    let wishing = |degrees: [f64; 3]| {
        let mut standing = track(60, |_, last| (last.position, true));
        for (tick, sample) in standing.iter_mut().enumerate() {
            let turn = if tick <= 1 { degrees[0] } else { degrees[if tick < 60 { 1 } else { 2 }] };
            let (sine, cosine) = (libm::sin(turn.to_radians()), libm::cos(turn.to_radians()));
            sample.position = point![4.578, REST, 0.0];
            sample.wish = vector![3.0 * cosine, 0.0, 3.0 * sine];
        }
        each_verdict(&standing).map(|verdict| kinds(&verdict))
    };
    // In the last tick the wish leads to a place to which it did not lead before.
    assert_eq!(wishing([14.8, 0.0, 29.6]), [vec![], vec![]]);
    assert_eq!(wishing([29.6, 29.6, 29.6]), [vec![Kind::Stuck], vec![Kind::Stuck]]);
}

/// What is wrong with one who stands at the foot of a slope, as near as it can, and wishes to go up there, so many degrees aside.
fn at_the_foot_of(before: f64, slope: f64, turn: f64) -> [Vec<Kind>; 2] {
    let tangent = |degrees: f64| libm::tan(degrees.to_radians());
    let mut builder = MeshBuilder::new();
    for (degrees, far) in [(before, -8.0), (slope, 8.0)] {
        let height = far * tangent(degrees);
        builder.quad([[0.0, 0.0, -8.0], [far, height, -8.0], [far, height, 8.0], [0.0, 0.0, 8.0]]);
    }
    let grid = Grid::new(&builder.build::<f64>().expect("a slope"));
    BODIES.map(|body| {
        let over = |degrees: f64| {
            let normal = vector![-libm::sin(degrees.to_radians()), libm::cos(degrees.to_radians()), 0.0];
            body.grown(RULES.skin).reach(&normal) / normal.y
        };
        let x = (over(before) - over(slope)) / (tangent(slope) - tangent(before));
        let mut standing = track(60, |_, last| (last.position, true));
        for sample in &mut standing {
            sample.position = point![x, x * tangent(before) + over(before), 0.0];
            sample.wish = vector![3.0 * libm::cos(turn.to_radians()), 0.0, 3.0 * libm::sin(turn.to_radians())];
        }
        kinds(&Court { grid: &grid, body, rules: RULES, movers: &[] }.judge(&standing))
    })
}

#[test]
fn a_place_is_none_from_which_the_body_would_slide_away() {
    // Over ground of 42 degrees a body that leans on a slope of 46 is hardly any higher than the ground, also far up the slope.
    assert_eq!(at_the_foot_of(42.0, 46.0, 0.0), [vec![], vec![]]);
    assert_eq!(at_the_foot_of(42.0, 46.0, 80.0), [vec![Kind::Stuck], vec![Kind::Stuck]]);
    // Here it only slides a centimetre, and stands.
    assert_eq!(at_the_foot_of(0.0, 60.0, 28.0), [vec![Kind::Stuck], vec![Kind::Stuck]]);
}

/// What is wrong with one who stands at the end of a floor, beside a bank with walkable ground a little higher up and a wall behind that,
/// and wishes to go on along it. The bank is so steep.
fn at_the_end_of_a_floor_beside(bank: f64) -> [Vec<Kind>; 2] {
    let tangent = libm::tan(bank.to_radians());
    let top = 0.16;
    BODIES.map(|body| {
        let normal = vector![-libm::sin(bank.to_radians()), libm::cos(bank.to_radians()), 0.0];
        let x = (REST - body.grown(RULES.skin).reach(&normal) / normal.y) / tangent;
        let (foot, edge, wall) = (top / tangent, top, x + body.half_extents().x + 2.0 * RULES.skin);
        let behind = edge + 0.5 * (wall - foot);
        let mut builder = MeshBuilder::new();
        let mut strip = |[ax, ay]: [f64; 2], [bx, by]: [f64; 2], far: f64| {
            builder.quad([[ax, ay, -8.0], [bx, by, -8.0], [bx, by, far], [ax, ay, far]]);
        };
        strip([-8.0, 0.0], [0.0, 0.0], -0.25);
        strip([0.0, 0.0], [foot, edge], 8.0);
        strip([foot, edge], [wall, behind], 8.0);
        strip([wall, behind], [wall, behind + 3.0], 8.0);
        let grid = Grid::new(&builder.build::<f64>().expect("a bank"));
        let mut standing = track(60, |_, last| (last.position, true));
        for sample in &mut standing {
            sample.position = point![x, REST, 0.0];
            sample.wish = vector![0.0, 0.0, 3.0];
        }
        kinds(&Court { grid: &grid, body, rules: RULES, movers: &[] }.judge(&standing))
    })
}

#[test]
fn beside_a_bank_with_ground_higher_up_there_is_a_place_only_if_something_holds_the_body() {
    assert_eq!(at_the_end_of_a_floor_beside(47.5), [vec![], vec![]]);
    assert_eq!(at_the_end_of_a_floor_beside(42.0), [vec![Kind::Stuck], vec![Kind::Stuck]]);
}

/// What is wrong with one who stands at the end of a floor, above a bank on its right that is too steep and goes down from there,
/// and wishes to go on along it. The ground behind the bank, up to a wall, is so much lower than its top.
fn at_the_end_of_a_floor_above(drop: f64) -> [Vec<Kind>; 2] {
    let (top, edge, wall) = ([0.15, 0.02], [0.15 + 0.5 * drop, 0.02 - drop], 0.46);
    let mut builder = MeshBuilder::new();
    let mut strip = |[ax, ay]: [f64; 2], [bx, by]: [f64; 2], far: f64| {
        builder.quad([[ax, ay, -8.0], [bx, by, -8.0], [bx, by, far], [ax, ay, far]]);
    };
    strip([-8.0, 0.0], [0.0, 0.0], -0.25);
    strip([-0.35, -0.98], top, 8.0);
    if drop > 0.0 {
        strip(top, edge, 8.0);
    }
    strip(edge, [wall, edge[1]], 8.0);
    strip([wall, edge[1]], [wall, 3.0], 8.0);
    let grid = Grid::new(&builder.build::<f64>().expect("a bank"));
    let mut standing = track(60, |_, last| (last.position, true));
    standing.iter_mut().for_each(|sample| sample.wish = vector![0.0, 0.0, 3.0]);
    BODIES.map(|body| kinds(&Court { grid: &grid, body, rules: RULES, movers: &[] }.judge(&standing)))
}

#[test]
fn on_a_ridge_between_two_faces_that_are_too_steep_there_is_no_place() {
    // Its flank on the top of the bank, the body would slide off; an edge of ground holds it.
    assert_eq!(at_the_end_of_a_floor_above(0.02), [vec![], vec![]]);
    assert_eq!(at_the_end_of_a_floor_above(0.0), [vec![Kind::Stuck], vec![Kind::Stuck]]);
}

#[test]
fn one_that_yields_nan_is_caught_once() {
    let broken = track(60, |tick, last| {
        let (position, ground) = good(tick, last);
        (if tick >= 50 { point![f64::NAN, REST, 0.0] } else { position }, ground)
    });
    for verdict in each_verdict(&broken) {
        assert_eq!(kinds(&verdict), [Kind::Nan], "{verdict}");
    }
}

#[test]
fn a_fall_out_of_the_level_is_counted_and_no_fault() {
    let mut falling = track(120, |tick, _| {
        let time = tick as f64 * DT;
        (point![-20.0, REST - 0.5 * 9.81 * time * time, 0.0], false)
    });
    // Put back as soon as its feet are 20 m below the level, and on it goes.
    falling[0].position.x = -20.0;
    falling.retain(|sample| sample.position.y > -19.5);
    let lowest = falling.len();
    falling.extend(track(60, good));
    for (tick, sample) in falling.iter_mut().enumerate().skip(lowest) {
        sample.time = tick as f64 * DT;
    }
    falling[lowest - 1].position.y = -19.2;
    for verdict in each_verdict(&falling) {
        assert_eq!((kinds(&verdict), verdict.falls), (vec![], 1), "{verdict}");
    }
}

#[test]
fn ticks_of_a_track_among_things_that_move_are_even() {
    let mut track = track(5, good);
    assert!(super::track::tick_of(&track).is_ok_and(|tick| (tick - DT).abs() < 1e-12));
    track[2].time += 0.2 * DT;
    assert!(super::track::tick_of(&track).is_err_and(|error| error.to_string().contains("tick 2 is not")));
}

//! No body gets into a closed mesh through an edge or a corner, or between two faces.

#[path = "watertight/sweeps.rs"]
mod sweeps;

use nalgebra::Vector3;
use sidle::{Real, Triangle};

use self::sweeps::{Closed, Shot, fire};
use crate::random::Random;

const SWEEPS: usize = 200_000;

fn nothing_leaks<T: Real>(seed: u64) {
    let tally = fire::<T>(seed, SWEEPS, |_, shot| {
        println!("LEAK: {:?} from {:?} by {:?}, grazing: {}", shot.body, shot.start, shot.motion, shot.is_grazing);
    });
    println!("{tally:?}");
    assert_eq!((tally.sweeps, tally.leaks, tally.ray_leaks), (SWEEPS, 0, 0));
    assert!(tally.grazing > SWEEPS / 4, "a third of them graze");
    assert!(tally.features.iter().all(|count| *count > SWEEPS / 20), "of all kinds: {:?}", tally.features);
}

#[test]
fn no_sweep_gets_into_a_closed_mesh_in_f32() {
    nothing_leaks::<f32>(1);
}

#[test]
fn no_sweep_gets_into_a_closed_mesh_in_f64() {
    nothing_leaks::<f64>(2);
}

/// The parts of a triangle that a kernel looks at.
#[derive(Debug, Clone, Copy)]
struct Parts {
    edges: bool,
    vertices: bool,
}

/// The textbook: first contact of the moving unit sphere with the parts of a triangle, all of them always.
fn first_contact(corners: &[Vector3<f64>; 3], motion: &Vector3<f64>, parts: Parts) -> Option<f64> {
    let mut first: Option<f64> = None;
    let mut offer = |time: f64| first = Some(first.map_or(time, |first: f64| first.min(time)));
    let [a, b, c] = corners;
    let normal = (b - a).cross(&(c - a)).normalize();
    let normal = if normal.dot(a) > 0.0 { -normal } else { normal };
    let time = (-normal.dot(a) - 1.0) / -normal.dot(motion);
    if normal.dot(motion) < 0.0 && time >= 0.0 {
        let foot = motion * time - normal;
        let sides = [(a, b), (b, c), (c, a)].map(|(from, to)| (to - from).cross(&(foot - from)).dot(&normal));
        if sides.iter().all(|side| *side >= 0.0) || sides.iter().all(|side| *side <= 0.0) {
            offer(time);
        }
    }
    // A point that moves past the origin at a distance of less than 1, from the closest approach backwards.
    let passes = |offset: &Vector3<f64>, motion: &Vector3<f64>| {
        let nearest = -offset.dot(motion) / motion.norm_squared();
        let half_chord_squared = 1.0 - (offset + motion * nearest).norm_squared();
        let time = nearest - (half_chord_squared / motion.norm_squared()).sqrt();
        (time >= 0.0).then_some(time) // not for NaN
    };
    for i in 0..3 {
        let (from, to) = (&corners[i], &corners[(i + 1) % 3]);
        if parts.vertices
            && let Some(time) = passes(&-from, motion)
        {
            offer(time);
        }
        let axis = (to - from).normalize();
        let across = |v: &Vector3<f64>| v - axis * v.dot(&axis);
        if parts.edges
            && let Some(time) = passes(&across(&-from), &across(motion))
            && (0.0..=(to - from).norm()).contains(&(motion * time - from).dot(&axis))
        {
            offer(time);
        }
    }
    first.filter(|time| *time <= 1.0)
}

/// Whether the kernel stops a shot before its centre has passed the surface.
fn stops(closed: &Closed<f64>, shot: &Shot<f64>, parts: Parts) -> bool {
    let space = shot.body.space();
    let motion = space.enter(&shot.motion);
    let enter = |triangle: Triangle<f64>| triangle.vertices().map(|vertex| space.enter(&(vertex - shot.start)));
    let times = closed.tree.mesh().iter().filter_map(|triangle| first_contact(&enter(triangle), &motion, parts));
    let passage = shot.passage(&closed.tree).unwrap_or(1.0);
    times.reduce(f64::min).is_some_and(|time| time <= passage + 1e-12)
}

#[test]
fn the_same_sweeps_get_past_a_kernel_without_its_edge_test() {
    let [mut with_all, mut without_edges, mut faces_only, mut sweeps] = [0; 4];
    let mut random = Random(2);
    for _ in 0..40 {
        let closed = Closed::<f64>::random(&mut random);
        for _ in 0..100 {
            let shot = closed.shot(&mut random);
            let leaks = |edges, vertices| usize::from(!stops(&closed, &shot, Parts { edges, vertices }));
            with_all += leaks(true, true);
            without_edges += leaks(false, true);
            faces_only += leaks(false, false);
            sweeps += 1;
            assert!(closed.tree.sweep(&shot.sweep()).is_some());
        }
    }
    println!("of {sweeps}: {faces_only} pass the faces alone, {without_edges} faces and corners, {with_all} all parts");
    assert_eq!(with_all, 0);
    assert!(without_edges > sweeps / 100 && faces_only > without_edges, "{without_edges} and {faces_only} of {sweeps}");
}

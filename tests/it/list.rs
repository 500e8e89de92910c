//! Triangles without a tree against brute force, to the bit.

use std::sync::Arc;

use nalgebra::{Point3, Vector3, point, vector};
use sidle::{BruteForce, Ellipsoid, InputError, Real, Sweep, TriMesh, Triangle, sweep::TriangleList};

use crate::random::Random;

/// A heap of triangles in a cube of 12 m around a place; some on whole metres, where ties are the rule.
fn heap<T: Real>(random: &mut Random, count: usize, place: Vector3<f64>) -> Vec<Triangle<T>> {
    let mut triangle = |i: usize| {
        let center = Vector3::from_fn(|_, _| random.between(-6.0, 6.0));
        let size = [0.1, 1.0, 3.0][random.below(3)];
        let mut corner = || {
            let corner = center + random.direction() * size;
            let corner = if i.is_multiple_of(2) { corner.map(f64::round) } else { corner };
            Point3::from((corner + place).map(T::nearest))
        };
        Triangle::new(corner(), corner(), corner())
    };
    (0..count).map(&mut triangle).collect()
}

fn compare<T: Real>(count: usize, place: Vector3<f64>) {
    let mut random = Random(count as u64);
    let list = TriangleList::new(heap::<T>(&mut random, count, place)).expect("finite numbers");
    let vertices = list.triangles().iter().flat_map(Triangle::vertices).collect();
    let indices = (0..count as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let mesh = Arc::new(TriMesh::new(vertices, indices).expect("finite numbers"));
    let brute = BruteForce::new(mesh.clone());
    let (mut hits, mut looks, mut all) = (0, 0, 0);
    for _ in 0..1000 {
        let sweep = random.sweep(&mesh);
        let slow = brute.sweep(&sweep).map(|hit| (hit.triangle as usize, hit.contact));
        assert_eq!(list.sweep(&sweep), slow, "{sweep:?}");
        let (mut fast, mut slow, mut candidates) = (Vec::new(), Vec::new(), Vec::new());
        list.each_contact(&sweep, |triangle, contact| fast.push((triangle, contact)));
        brute.each_contact(&sweep, |hit| slow.push((hit.triangle as usize, hit.contact)));
        assert_eq!(fast, slow, "{sweep:?}");
        list.each_candidate(&sweep, |triangle| candidates.push(triangle));
        assert!(fast.iter().all(|(triangle, _)| candidates.contains(triangle)), "{sweep:?}");
        (hits, looks, all) = (hits + fast.len(), looks + candidates.len(), all + count);
    }
    println!("{count} triangles: {hits} hits, {looks} candidates of {all}");
    assert!(hits > 0 && looks <= hits + hits / 3, "{hits} hits, {looks} candidates of {all}");
}

#[test]
fn a_list_is_brute_force() {
    // Full packets, and those that are not.
    for count in [1, 7, 8, 9, 100, 400] {
        compare::<f32>(count, Vector3::zeros());
        compare::<f64>(count, Vector3::zeros());
    }
}

#[test]
fn a_list_far_from_the_origin_is_brute_force() {
    compare::<f32>(100, vector![1e4, -2e4, 0.0]);
    compare::<f64>(100, vector![1e4, 1e7, -3e5]);
}

#[test]
fn a_list_of_nothing_is_hit_by_nothing() {
    let list = TriangleList::<f32>::new([]).expect("nothing is wrong with nothing");
    let body = Ellipsoid::new(vector![0.4_f32, 0.9, 0.4]).expect("positive radii");
    let sweep = Sweep::new(&body, point![0.0, 0.0, 0.0], vector![1.0, 0.0, 0.0]).expect("finite numbers");
    assert_eq!(list.sweep(&sweep), None);
    list.each_candidate(&sweep, |triangle| panic!("there is no triangle {triangle}"));
}

#[test]
fn numbers_that_are_none_are_refused() {
    let with =
        |x: f32| TriangleList::new([Triangle::new(point![0.0, 0.0, 0.0], point![0.0, x, 0.0], point![1.0, 0.0, 0.0])]);
    assert!(with(1.0).is_ok());
    assert!(matches!(with(f32::NAN), Err(InputError::NotFinite { .. })));
    assert!(matches!(with(f32::INFINITY), Err(InputError::NotFinite { .. })));
    assert!(matches!(with(2e15), Err(InputError::TooLarge { .. })));
}

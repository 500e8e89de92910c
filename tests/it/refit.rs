//! Trees over meshes that move: the answers are those of a new tree, to the bit.

use std::sync::Arc;

use nalgebra::{Point3, Vector3};
use proptest::prelude::*;
use sidle::{
    BruteForce, Octree, Real, TriMesh,
    mesh::{MeshError, primitives},
};

use crate::{octree::compare, random::Random};

/// The triangles of the tree, checked anew, as brute force sees them.
fn afresh<T: Real>(tree: &Octree<T>) -> BruteForce<T> {
    let mesh = TriMesh::new(tree.mesh().vertices().to_vec(), tree.mesh().indices().collect()).expect("a legal mesh");
    assert_eq!(&mesh, &**tree.mesh());
    BruteForce::new(mesh)
}

fn wave<T: Real>(flat: &[Point3<T>], time: f64) -> Vec<Point3<T>> {
    let at = |v: &Point3<T>| (0.7 * v.x.to_f64() + 0.4 * v.z.to_f64() + time).sin();
    flat.iter().map(|v| v + Vector3::new(T::zero(), T::nearest(at(v)), T::nearest(0.2 * at(v)))).collect()
}

#[test]
fn a_waving_terrain_is_as_if_built_anew() {
    fn check<T: Real>() {
        let mut tree = Octree::new(primitives::terrain::<T>(40, 2).expect("a legal size"));
        let flat = tree.mesh().vertices().to_vec();
        let mut spare = flat.clone();
        for frame in 0..6 {
            spare.copy_from_slice(&wave(&flat, f64::from(frame)));
            spare = tree.refit(spare).expect("as many vertices");
            let fresh = Octree::new(tree.mesh().clone());
            assert_eq!(tree.bounds(), fresh.bounds());
            let hits = compare(&tree, &afresh(&tree), frame as u64, 100);
            assert!(hits.sweeps > 10 && hits.rays > 10 && hits.points > 10, "{hits:?}");
        }
    }
    check::<f32>();
    check::<f64>();
}

#[test]
fn vertices_that_stay_change_nothing() {
    let tree = Octree::new(primitives::terrain::<f64>(30, 2).expect("a legal size"));
    let mut moved = tree.clone();
    let before = moved.refit(tree.mesh().vertices().to_vec()).expect("as many vertices");
    assert_eq!(before, tree.mesh().vertices());
    assert!(format!("{moved:?}") == format!("{tree:?}"));
}

/// Where the mesh is matters to the packets: far from zero they are relative to its middle.
#[test]
fn a_mesh_can_go_far_away_and_come_back() {
    fn check<T: Real>() {
        let tree = Octree::new(primitives::terrain::<T>(12, 2).expect("a legal size"));
        let mut moved = tree.clone();
        for place in [1e4, -1e7, 1e12, 0.0] {
            let away = Vector3::new(T::nearest(place), T::zero(), T::nearest(-place / 3.0));
            moved.refit(tree.mesh().vertices().iter().map(|v| v + away).collect()).expect("legal places");
            compare(&moved, &afresh(&moved), 3, 40);
        }
        assert!(format!("{moved:?}") == format!("{tree:?}"));
    }
    check::<f32>();
    check::<f64>();
}

#[test]
fn every_thread_count_fits_the_same_tree() {
    let tree = Octree::new(primitives::terrain::<f32>(90, 2).expect("a legal size"));
    let frame = wave(tree.mesh().vertices(), 0.5);
    let (mut a, mut b) = (tree.clone(), tree);
    a.refit(frame.clone()).expect("as many vertices");
    b.refit_serial(frame).expect("as many vertices");
    assert!(format!("{a:?}") == format!("{b:?}"));
}

#[test]
fn vertices_that_are_refused_leave_the_tree_as_it_was() {
    let mut tree = Octree::new(primitives::terrain::<f32>(10, 2).expect("a legal size"));
    let (before, text) = (tree.mesh().clone(), format!("{tree:?}"));
    let good = before.vertices().to_vec();
    let spoiled = |index: usize, x: f32| {
        let mut vertices = good.clone();
        vertices[index].y = x;
        vertices
    };
    let count = good.len();
    let cases = [
        (good[1..].to_vec(), MeshError::VertexCount { given: count - 1, vertices: count }),
        (Vec::new(), MeshError::VertexCount { given: 0, vertices: count }),
        (spoiled(7, f32::NAN), MeshError::NotFinite { index: 7 }),
        (spoiled(count - 1, f32::NEG_INFINITY), MeshError::NotFinite { index: count - 1 }),
        (spoiled(0, 2e15), MeshError::TooLarge { index: 0 }),
    ];
    for (vertices, error) in cases {
        assert_eq!(tree.refit(vertices), Err(error));
        assert!(format!("{tree:?}") == text && Arc::ptr_eq(&before, tree.mesh()));
    }
}

#[test]
fn a_mesh_that_others_hold_stays_with_them() {
    let mut tree = Octree::new(primitives::terrain::<f32>(10, 2).expect("a legal size"));
    let shared = tree.mesh().clone();
    let before = shared.vertices().to_vec();
    tree.refit(wave(&before, 1.0)).expect("as many vertices");
    assert_eq!(shared.vertices(), before);
    assert_ne!(tree.mesh().vertices(), before);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// On a coarse grid vertices fall together and part again in every frame, and triangles lose their area.
    #[test]
    fn a_soup_is_as_if_built_anew(triangles in 1_u32..90, seed: u64) {
        let mut random = Random(seed);
        let count = triangles + 2;
        let mut frame = || -> Vec<Point3<f32>> {
            (0..count).map(|_| Point3::from([0; 3].map(|_| random.between(-4.0, 4.0).round() as f32))).collect()
        };
        let mesh = TriMesh::new(frame(), (0..triangles).map(|i| [i, i + 1, i + 2]).collect()).expect("good numbers");
        let mut tree = Octree::new(mesh);
        for seed in 0..4 {
            tree.refit(frame()).expect("as many vertices");
            compare(&tree, &afresh(&tree), seed, 12);
        }
    }
}

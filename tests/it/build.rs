//! Building the tree: the same tree on any number of threads, and no mesh that makes it deep or wasteful.

use nalgebra::{Point3, Vector3};
use sidle::{BruteForce, Octree, Ray3, TriMesh};

use crate::random::Random;

const TRIANGLES: usize = 200_000;

/// A mesh of separate triangles.
fn mesh_of(triangles: impl Iterator<Item = [Vector3<f32>; 3]>) -> TriMesh<f32> {
    let vertices: Vec<_> = triangles.flatten().map(Point3::from).collect();
    let indices = (0..vertices.len() as u32 / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    TriMesh::new(vertices, indices).expect("good numbers")
}

/// A triangle of 10 cm.
fn small(at: Vector3<f32>) -> [Vector3<f32>; 3] {
    [Vector3::x(), Vector3::y(), Vector3::z()].map(|axis| at + axis * 0.1)
}

/// A place in a cube of 100 m.
fn somewhere(random: &mut Random) -> Vector3<f32> {
    Vector3::from_fn(|_, _| random.between(-50.0, 50.0) as f32)
}

#[cfg(feature = "parallel")]
#[test]
fn any_number_of_threads_builds_the_same_tree() {
    use std::sync::Arc;

    let mut random = Random(1);
    let heap = mesh_of((0..30_000).map(|_| small(somewhere(&mut random))));
    let equal = mesh_of((0..30_000).map(|_| small(Vector3::zeros())));
    let terrain = sidle::mesh::primitives::terrain(120, 1).expect("a legal size");
    for mesh in [heap, equal, terrain].map(Arc::new) {
        // The words name every node and packet, each number with all its bits.
        let serial = format!("{:?}", Octree::new_serial(mesh.clone()));
        for threads in [1, 2, 3, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let parallel = pool.install(|| format!("{:?}", Octree::new(mesh.clone())));
            // Not `assert_eq`, which would print megabytes.
            assert!(parallel == serial, "{threads} threads build another tree of {} triangles", mesh.len());
        }
    }
}

/// A tree of these triangles is no deeper than `depth` nodes and fills its packets by at least `fill`, and finds them.
fn stays_shallow(name: &str, triangles: impl Iterator<Item = [Vector3<f32>; 3]>, depth: usize, fill: f64) {
    let tree = Octree::new(mesh_of(triangles));
    let statistics = tree.statistics();
    println!("{name}: {statistics:?}");
    assert_eq!(tree.mesh().len(), TRIANGLES);
    assert!(statistics.depth <= depth, "{name}: {statistics:?}");
    assert!(statistics.packet_fill >= fill, "{name}: {statistics:?}");
    assert!(statistics.nodes <= statistics.packets, "{name}: {statistics:?}");
    let brute = BruteForce::new(tree.mesh().clone());
    let mut random = Random(2);
    let mut hits = 0;
    for _ in 0..30 {
        let target = tree.mesh().triangle(random.below(TRIANGLES) as u32);
        let middle = (target.a.coords + target.b.coords + target.c.coords) / 3.0;
        let direction: Vector3<f32> = random.direction().map(|x| x as f32);
        let ray = Ray3::new(Point3::from(middle - direction * 5.0), direction).expect("a direction");
        let found = tree.cast_ray(&ray, 10.0);
        assert_eq!(found, brute.cast_ray(&ray, 10.0), "{name}: {ray:?}");
        hits += usize::from(found.is_some());
    }
    assert!(hits >= 20, "{name}: only {hits} rays hit");
}

#[test]
fn equal_triangles_are_no_hard_case() {
    stays_shallow("all equal", (0..TRIANGLES).map(|_| small(Vector3::zeros())), 7, 7.5);
}

#[test]
fn triangles_in_a_line_are_no_hard_case() {
    let in_line = |i: usize| small(Vector3::x() * i as f32 * 0.05);
    stays_shallow("in a line", (0..TRIANGLES).map(in_line), 8, 5.0);
}

#[test]
fn one_huge_triangle_among_many_small_is_no_hard_case() {
    let mut random = Random(3);
    let huge = [Vector3::x(), Vector3::y(), Vector3::z()].map(|axis| (axis * 3.0 - Vector3::repeat(1.0)) * 1e4);
    let small = (1..TRIANGLES).map(|_| small(somewhere(&mut random)));
    stays_shallow("one huge", std::iter::once(huge).chain(small), 9, 5.0);
}

#[test]
fn ever_nearer_triangles_are_no_hard_case() {
    // Each thousandth of them is half as far from the origin as the one before.
    let places = (0..TRIANGLES).map(|i| Vector3::x() * 1e6 * 0.5_f32.powi(i as i32 / 1000));
    stays_shallow("ever nearer", places.map(small), 20, 5.0);
}

//! Every level of vector instructions that the machine has gives the same bits: answers, their order, and the work done.

use std::{fmt::Write, sync::Arc};

use nalgebra::{Point3, Vector3};
use sidle::{Aabb3, Octree, Ray3, Real, SimdLevel, TriMesh, mesh::primitives, octree::Visits, sweep::TriangleList};

use crate::random::Random;

const QUERIES: usize = 400;

/// All that a tree and a list answer, in words: equal words are equal bits, down to the sign of a zero.
fn answers<T: Real>(tree: &Octree<T>, list: &TriangleList<T>, seed: u64) -> Vec<String> {
    let mesh = tree.mesh();
    let mut random = Random(seed);
    let query = |_| {
        let (mut words, mut visits) = (String::new(), Visits::default());
        let mut say = |answer: &dyn std::fmt::Debug| writeln!(words, "{answer:?}").expect("a string takes all");

        let sweep = random.sweep(mesh);
        say(&tree.sweep_counted(&sweep, &mut visits));
        say(&list.sweep(&sweep));
        list.each_candidate(&sweep, |triangle| say(&triangle));
        tree.each_contact(&sweep, |hit| say(&hit));
        tree.each_overlap(&sweep, |hit| say(&hit));
        say(&tree.has_room(&sweep));

        let origin = random.point_in(&mesh.bounds()).map(T::nearest);
        let ray = Ray3::new(origin, random.direction().map(T::nearest)).expect("a direction");
        let max_t = T::nearest(if random.below(2) == 0 { f64::INFINITY } else { random.between(0.0, 30.0) });
        say(&tree.cast_ray_counted(&ray, max_t, &mut visits));
        say(&tree.is_ray_blocked(&ray, max_t));
        tree.each_ray_hit(&ray, max_t, |hit| say(&hit));

        let point = random.point_near(mesh, 5.0);
        let max_distance = T::nearest(if random.below(2) == 0 { f64::INFINITY } else { random.between(0.0, 3.0) });
        say(&tree.closest_point_counted(point.map(T::nearest), max_distance, &mut visits));
        let bounds = Aabb3 { min: point, max: point }.grow(&Vector3::repeat(random.between(0.0, 2.0)));
        tree.each_in_box(&bounds, |triangle| say(&triangle));
        say(&visits);
        words
    };
    (0..QUERIES).map(query).collect()
}

/// Holds every level against the first one, and returns how much was said.
fn compare<T: Real>(mesh: TriMesh<T>, seed: u64) -> usize {
    let tree = Octree::new(Arc::new(mesh));
    let list = TriangleList::new(tree.mesh().iter()).expect("the mesh is checked");
    let levels = SimdLevel::available();
    let mut expected: Option<Vec<String>> = None;
    for level in levels {
        let (tree, list) = (tree.clone().with_simd_level(level), list.clone().with_simd_level(level));
        assert_eq!((tree.simd_level(), list.simd_level()), (level, level));
        let found = answers(&tree, &list, seed);
        let expected = expected.get_or_insert_with(|| found.clone());
        for (query, (found, expected)) in found.iter().zip(expected).enumerate() {
            assert_eq!(found, expected, "{level}, query {query}");
        }
    }
    expected.iter().flatten().map(|words| words.lines().count()).sum()
}

/// Triangles of all sizes, in a heap; `grid` puts corners on whole metres, where ties are the rule.
fn soup<T: Real>(seed: u64, grid: bool, offset: f64) -> TriMesh<T> {
    let mut random = Random(seed);
    let mut vertices = Vec::new();
    for _ in 0..600 {
        let center = Vector3::from_fn(|_, _| random.between(-6.0, 6.0));
        let size = [0.05, 0.5, 4.0][random.below(3)];
        for _ in 0..3 {
            let corner = center + random.direction() * size;
            let corner = if grid { corner.map(f64::round) } else { corner };
            vertices.push(Point3::from((corner + Vector3::repeat(offset)).map(T::nearest)));
        }
    }
    let triangles = (0..vertices.len() as u32 / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    TriMesh::new(vertices, triangles).expect("good numbers")
}

#[test]
fn the_levels_seen_here() {
    let levels = SimdLevel::available();
    println!("levels: {levels:?}, best {}", SimdLevel::best());
    assert!(levels.contains(&SimdLevel::best()));
    for level in &levels {
        assert_eq!(SimdLevel::by_name(&level.to_string()), Some(*level));
        assert_eq!(levels.iter().filter(|other| *other == level).count(), 1, "{level} is there twice");
    }
    if cfg!(target_arch = "x86_64") {
        assert_eq!(levels[0].to_string(), "sse2", "which every such machine has");
    }
}

fn every_level_gives_the_same_bits<T: Real>() {
    for seed in 0..4 {
        let said = compare(soup::<T>(seed, seed % 2 == 1, [0.0, 0.0, 1e4, 1e4][seed as usize]), seed);
        assert!(said > 20 * QUERIES, "too few answers: {said}");
    }
    let said = compare(primitives::terrain::<T>(40, 1).expect("a legal size"), 1);
    assert!(said > 10 * QUERIES, "too few answers: {said}");
}

#[test]
fn every_level_gives_the_same_bits_in_single_precision() {
    every_level_gives_the_same_bits::<f32>();
}

#[test]
fn every_level_gives_the_same_bits_in_double_precision() {
    every_level_gives_the_same_bits::<f64>();
}

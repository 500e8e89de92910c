//! Many queries at once against one at a time: the same answers, whatever the instructions and the number of threads.

use std::{fmt::Debug, sync::Arc};

use nalgebra::{Vector3, point, vector};
use proptest::prelude::*;
use sidle::{
    Ellipsoid, Octree, QueryFilter, Ray3, Real, SimdLevel, Sweep, TriMesh, World, mesh::primitives, world::Placement,
};

use crate::{
    octree::{mesh_of, soup},
    random::Random,
};

/// So many that they make several runs, the last of them shorter.
const MANY: usize = 700;

/// Runs `ask` in pools of one and of two threads; without them, once.
fn with_threads(mut ask: impl FnMut() + Send) {
    #[cfg(feature = "parallel")]
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(&mut ask);
    }
    #[cfg(not(feature = "parallel"))]
    ask();
}

/// Room for answers with other answers in it.
fn stale<A: Copy>(answers: &[Option<A>]) -> Vec<Option<A>> {
    answers.iter().rev().copied().collect()
}

fn assert_same<A: PartialEq + Debug>(many: &[Option<A>], single: &[Option<A>]) {
    assert_eq!(many.len(), single.len());
    for (query, (many, single)) in many.iter().zip(single).enumerate() {
        assert_eq!(many, single, "query {query}");
    }
}

/// Asks `queries` of each kind; returns how many of them found something.
fn compare<T: Real>(mesh: TriMesh<T>, seed: u64, queries: usize) -> [usize; 3] {
    let mesh = Arc::new(mesh);
    let tree = Octree::new(mesh.clone());
    let mut random = Random(seed);
    let max = T::nearest(if random.below(2) == 0 { f64::INFINITY } else { random.between(0.0, 5.0) });
    let sweeps: Vec<Sweep> = (0..queries).map(|_| random.sweep(&mesh)).collect();
    let points: Vec<_> = (0..queries).map(|_| random.point_near(&mesh, 5.0).map(T::nearest)).collect();
    let ray = |&origin| Ray3::new(origin, random.direction().map(T::nearest)).expect("good numbers");
    let rays: Vec<Ray3<T>> = points.iter().map(ray).collect();
    let single_sweeps: Vec<_> = sweeps.iter().map(|sweep| tree.sweep(sweep)).collect();
    let single_rays: Vec<_> = rays.iter().map(|ray| tree.cast_ray(ray, max)).collect();
    let single_points: Vec<_> = points.iter().map(|point| tree.closest_point(*point, max)).collect();
    for level in SimdLevel::available() {
        let tree = tree.clone().with_simd_level(level);
        with_threads(|| {
            let mut hits = stale(&single_sweeps);
            tree.sweep_many(&sweeps, &mut hits);
            assert_same(&hits, &single_sweeps);
            let mut hits = stale(&single_rays);
            tree.cast_ray_many(&rays, max, &mut hits);
            assert_same(&hits, &single_rays);
            let mut found = stale(&single_points);
            tree.closest_point_many(&points, max, &mut found);
            assert_same(&found, &single_points);
        });
    }
    let found = [single_sweeps.iter().flatten().count(), single_rays.iter().flatten().count()];
    [found[0], found[1], single_points.iter().flatten().count()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn many_at_once_answer_as_each_alone_in_soups(soup in soup(), seed: u64) {
        let single = mesh_of(&soup);
        let vertices = single.vertices().iter().map(|v| v.cast::<f64>()).collect();
        let double = TriMesh::new(vertices, single.indices().collect()).expect("good numbers");
        compare(single, seed, MANY);
        compare(double, seed, MANY);
    }
}

#[test]
fn many_at_once_answer_as_each_alone_on_terrain() {
    for seed in [1, 2] {
        let found = compare(primitives::terrain::<f32>(64, 1).expect("a terrain"), seed, MANY);
        assert!(found.iter().all(|found| *found > MANY / 20), "{found:?}");
        let found = compare(primitives::terrain::<f64>(64, 1).expect("a terrain"), seed, MANY);
        assert!(found.iter().all(|found| *found > MANY / 20), "{found:?}");
    }
}

#[test]
fn any_number_at_once_is_answered() {
    for queries in [0, 1, 2, 15, 16, 17, 63, 64, 65, 129] {
        compare(primitives::terrain::<f32>(16, 1).expect("a terrain"), queries as u64, queries);
    }
}

#[test]
fn rays_without_an_end_hit_nothing_at_once() {
    let tree = Octree::new(primitives::cuboid::<f64>([1.0; 3]).expect("a cuboid"));
    let ray = Ray3::new(point![0.0, 3.0, 0.0], vector![0.0, -1.0, 0.0]).expect("good numbers");
    let hit = tree.cast_ray(&ray, 9.0);
    assert!(hit.is_some());
    for max_t in [f64::NAN, -1.0] {
        let mut hits = [hit; 40];
        tree.cast_ray_many(&[ray; 40], max_t, &mut hits);
        assert_same(&hits, &[None; 40]);
    }
}

#[test]
fn a_world_answers_many_at_once_as_each_alone() {
    let mut world = World::<f32>::new();
    let mesh = Arc::new(primitives::terrain(32, 3).expect("a terrain"));
    let terrain = world.add_mesh(Octree::new(mesh.clone()));
    let turn = Random(5).rotation();
    world.place(terrain, &Placement::default()).expect("a place");
    world.place(terrain, &Placement::at(point![3.0, 1.0, 2.0]).turned(turn)).expect("a place");
    let (mut random, filter) = (Random(7), QueryFilter::default());
    let sweeps: Vec<Sweep> = (0..MANY).map(|_| random.sweep(&mesh)).collect();
    let mut ray = || Ray3::new(random.point_near(&mesh, 5.0).map(f32::nearest), random.direction().map(f32::nearest));
    let rays: Vec<Ray3<f32>> = (0..MANY).map(|_| ray().expect("good numbers")).collect();
    let single_sweeps: Vec<_> = sweeps.iter().map(|sweep| world.sweep(sweep, &filter)).collect();
    let single_rays: Vec<_> = rays.iter().map(|ray| world.cast_ray(ray, 9.0, &filter)).collect();
    with_threads(|| {
        let mut hits = stale(&single_sweeps);
        world.sweep_many(&sweeps, &filter, &mut hits);
        assert_same(&hits, &single_sweeps);
        let mut hits = stale(&single_rays);
        world.cast_ray_many(&rays, 9.0, &filter, &mut hits);
        assert_same(&hits, &single_rays);
    });
}

#[test]
#[should_panic(expected = "room for as many answers")]
fn too_little_room_for_hits_panics() {
    let tree = Octree::new(primitives::cuboid::<f32>([1.0; 3]).expect("a cuboid"));
    let body = Ellipsoid::new(Vector3::repeat(0.5)).expect("good radii");
    let sweep = Sweep::new(&body, point![0.0, 3.0, 0.0], Vector3::zeros()).expect("good numbers");
    tree.sweep_many(&[sweep; 2], &mut [None; 1]);
}

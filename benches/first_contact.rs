//! How does a query grow with the mesh and with the motion, with and without the tree?

use std::{hint::black_box, sync::Arc, time::Duration};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nalgebra::vector;
use sidle::{BruteForce, Ellipsoid, Octree, Real, Sweep, TriMesh, mesh::primitives};

use self::inputs::Random;

mod inputs;

const SEED: u64 = 1;
/// Cells along a side of the terrain, for about 1,000, 10,000, 100,000 and 1,000,000 triangles.
const SIDES: [u32; 4] = [22, 71, 224, 707];
/// A tick's way, and a projectile's.
const MOTIONS: [(&str, f64); 2] = [("short", 0.1), ("long", 10.0)];
const SWEEPS: usize = 64;
/// Looking at every triangle is slow: fewer of the same sweeps.
const SLOW_SWEEPS: usize = 4;
/// The check of the answers looks at about so many triangles, and at all sweeps where the mesh is not large.
const CHECKED_TRIANGLES: usize = 8_000_000;

fn first_contact(c: &mut Criterion) {
    let mut group = c.benchmark_group("first_contact");
    group.sample_size(10).warm_up_time(Duration::from_secs(1));
    for side in SIDES {
        let mesh = Arc::new(primitives::terrain::<f32>(side, SEED).expect("a legal size"));
        let tree = Octree::new(mesh.clone());
        let brute_force = BruteForce::new(mesh.clone());
        for (name, length) in MOTIONS {
            let sweeps = sweeps_over(&mesh, length);
            let hits = sweeps.iter().filter(|sweep| tree.sweep(sweep).is_some()).count();
            assert!(hits > SWEEPS / 10 && hits < SWEEPS, "{hits} of {SWEEPS} {name} motions hit");
            let checked = (CHECKED_TRIANGLES / mesh.len()).clamp(SLOW_SWEEPS, SWEEPS);
            assert!(sweeps[..checked].iter().all(|sweep| tree.sweep(sweep) == brute_force.sweep(sweep)));

            group.throughput(Throughput::Elements(SWEEPS as u64));
            group.bench_with_input(BenchmarkId::new(format!("octree/{name}"), mesh.len()), &sweeps, |b, sweeps| {
                b.iter(|| sweeps.iter().filter_map(|sweep| tree.sweep(black_box(sweep))).count())
            });
            let sweeps = &sweeps[..SLOW_SWEEPS];
            group.throughput(Throughput::Elements(SLOW_SWEEPS as u64));
            group.bench_with_input(BenchmarkId::new(format!("brute_force/{name}"), mesh.len()), sweeps, |b, sweeps| {
                b.iter(|| sweeps.iter().filter_map(|sweep| brute_force.sweep(black_box(sweep))).count())
            });
        }
    }
    group.finish();
}

/// Motions in all directions of a character that stands close above the terrain, within reach of a short motion downwards.
fn sweeps_over(mesh: &TriMesh<f32>, length: f64) -> Vec<Sweep> {
    let body = Ellipsoid::new(vector![0.4, 0.9, 0.4]).expect("positive radii");
    let mut random = Random(SEED);
    let sweep = |_| {
        let triangle = mesh.triangle(random.between(0.0, mesh.len() as f64) as u32);
        let [a, b, c] = triangle.vertices();
        let center = (a.coords + b.coords + c.coords) / 3.0;
        let start = center + vector![0.0, random.between(0.92, 1.0) as f32, 0.0];
        let motion = random.direction() * length;
        Sweep::new(&body, start.into(), motion.map(f32::nearest)).expect("finite numbers")
    };
    (0..SWEEPS).map(sweep).collect()
}

criterion_group!(benches, first_contact);
criterion_main!(benches);

//! What do many queries at once gain, on one thread and on two, where memory is cold and where it is not?
//!
//! Prints the ratios first: medians of repeats that take turns, so that slow spells of the machine hit all alike.

use std::{hint::black_box, time::Duration, time::Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nalgebra::vector;
use rayon::{ThreadPool, ThreadPoolBuilder};
use sidle::{Ellipsoid, Octree, Ray3, Real, Sweep, TriMesh, mesh::primitives, octree::MeshHit, octree::MeshRayHit};

use self::inputs::Random;

mod inputs;

const SEED: u64 = 1;
/// Cells along a side of the terrain, for a million triangles.
const SIDE: u32 = 707;
/// Queries of a batch, all over the terrain in random order.
const COLD: usize = 8192;
/// So many of them again and again stay in the caches.
const HOT: usize = 64;
/// Repeats for the printed ratios.
const REPEATS: usize = 201;

/// A tree with queries, and room for the answers.
struct Bench {
    tree: Octree<f32>,
    sweeps: Vec<Sweep>,
    rays: Vec<Ray3<f32>>,
    hits: Vec<Option<MeshHit<f32>>>,
    ray_hits: Vec<Option<MeshRayHit<f32>>>,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Sweeps,
    Rays,
}

impl Bench {
    fn one_at_a_time(&mut self, kind: Kind) {
        match kind {
            Kind::Sweeps => {
                for (sweep, hit) in self.sweeps.iter().zip(&mut self.hits) {
                    *hit = self.tree.sweep(black_box(sweep));
                }
            }
            Kind::Rays => {
                for (ray, hit) in self.rays.iter().zip(&mut self.ray_hits) {
                    *hit = self.tree.cast_ray(black_box(ray), 1.0);
                }
            }
        }
    }

    fn at_once(&mut self, kind: Kind) {
        match kind {
            Kind::Sweeps => self.tree.sweep_many(&self.sweeps, &mut self.hits),
            Kind::Rays => self.tree.cast_ray_many(&self.rays, 1.0, &mut self.ray_hits),
        }
    }
}

fn batch(c: &mut Criterion) {
    let mesh = primitives::terrain::<f32>(SIDE, SEED).expect("a legal size");
    let (sweeps, rays) = queries_over(&mesh);
    let tree = Octree::new(mesh);
    let pools = [1, 2].map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("threads"));
    for (heat, different) in [("cold", COLD), ("hot", HOT)] {
        let mut bench = Bench {
            tree: tree.clone(),
            sweeps: sweeps[..different].iter().copied().cycle().take(COLD).collect(),
            rays: rays[..different].iter().copied().cycle().take(COLD).collect(),
            hits: vec![None; COLD],
            ray_hits: vec![None; COLD],
        };
        for kind in [Kind::Sweeps, Kind::Rays] {
            print_ratios(&format!("{heat} {kind:?}"), &mut bench, kind, &pools);
            let mut group = c.benchmark_group(format!("batch/{heat}/{kind:?}"));
            group.throughput(Throughput::Elements(COLD as u64)).sample_size(20).warm_up_time(Duration::from_secs(1));
            group.bench_function("one_at_a_time", |b| b.iter(|| bench.one_at_a_time(kind)));
            for pool in &pools {
                group.bench_function(BenchmarkId::new("at_once", pool.current_num_threads()), |b| {
                    b.iter(|| pool.install(|| bench.at_once(kind)))
                });
            }
            group.finish();
        }
    }
}

fn print_ratios(name: &str, bench: &mut Bench, kind: Kind, [one, two]: &[ThreadPool; 2]) {
    bench.one_at_a_time(kind);
    let answers = (bench.hits.clone(), bench.ray_hits.clone());
    let mut times = [const { Vec::new() }; 3];
    let mut time = |place: usize, run: &mut dyn FnMut()| {
        let start = Instant::now();
        run();
        times[place].push(start.elapsed().as_secs_f64() * 1e9 / COLD as f64);
    };
    for _ in 0..REPEATS {
        time(0, &mut || bench.one_at_a_time(kind));
        time(1, &mut || one.install(|| bench.at_once(kind)));
        time(2, &mut || two.install(|| bench.at_once(kind)));
    }
    assert!(answers == (bench.hits.clone(), bench.ray_hits.clone()), "the answers are the same");
    for times in &mut times {
        times.sort_by(f64::total_cmp);
    }
    for (statistic, rank) in [("median", REPEATS / 2), ("best", 0)] {
        let [alone, interleaved, parallel] = times.each_ref().map(|times| times[rank]);
        println!(
            "{name}, {statistic}: {alone:.0} ns a query one at a time; at once {interleaved:.0} ns ({:.2} times as fast), \
             on two threads {parallel:.0} ns (again {:.2} times)",
            alone / interleaved,
            interleaved / parallel,
        );
    }
}

/// A tick's motions of characters that stand close above the terrain, and views from there of what is ten metres away.
fn queries_over(mesh: &TriMesh<f32>) -> (Vec<Sweep>, Vec<Ray3<f32>>) {
    let body = Ellipsoid::new(vector![0.4, 0.9, 0.4]).expect("positive radii");
    let mut random = Random(SEED);
    let query = |_| {
        let triangle = mesh.triangle(random.between(0.0, mesh.len() as f64) as u32);
        let [a, b, c] = triangle.vertices();
        let start = (a.coords + b.coords + c.coords) / 3.0 + vector![0.0, random.between(0.92, 1.0) as f32, 0.0];
        let direction = random.direction();
        let sweep = Sweep::new(&body, start.into(), (direction * 0.1).map(f32::nearest)).expect("finite numbers");
        let ray = Ray3::new(start.into(), (direction * 10.0).map(f32::nearest)).expect("finite numbers");
        (sweep, ray)
    };
    (0..COLD).map(query).unzip()
}

criterion_group!(benches, batch);
criterion_main!(benches);

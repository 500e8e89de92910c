//! What does it cost to know which boxes overlap, by the way in which they are found?
//!
//! Every box moves by at most 5 % of its size a tick, to and fro on a straight line. `tree` and `incremental` keep what they have;
//! `incremental_from_nothing` builds its lists anew in each tick, and `sort_and_sweep` needs none.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nalgebra::{Point, SVector};
use sidle::{
    Aabb,
    broad_phase::{BoxId, BruteForce, DynamicTree, IncrementalSweep, SortAndSweep},
};

use self::inputs::Random;

mod inputs;

const SEED: u64 = 3;

/// Boxes of about a metre in a square or cube in which each overlaps about `meets` others.
fn crowd<const D: usize>(random: &mut Random, count: usize, meets: f64) -> Vec<Aabb<f32, D>> {
    let side = 2.0 * (count as f64 / meets).powf(1.0 / D as f64);
    (0..count)
        .map(|_| {
            let min = SVector::<f64, D>::from_fn(|_, _| random.between(0.0, side));
            let max = min + SVector::<f64, D>::from_fn(|_, _| random.between(0.5, 1.5));
            Aabb { min: Point::from(min.map(|x| x as f32)), max: Point::from(max.map(|x| x as f32)) }
        })
        .collect()
}

/// The boxes on their way: positions over several ticks, there and back again, so that they stay in place.
struct Motion<const D: usize> {
    boxes: Vec<Aabb<f32, D>>,
    speeds: Vec<SVector<f32, D>>,
    tick: usize,
}

impl<const D: usize> Motion<D> {
    /// Ticks in one direction.
    const LEG: usize = 32;

    fn new(boxes: Vec<Aabb<f32, D>>, random: &mut Random) -> Self {
        let mut speed = |bounds: &Aabb<f32, D>| {
            let (way, share) = (random.direction(), random.between(0.0, 0.05));
            SVector::from_fn(|axis, _| bounds.size()[axis] * (way[axis] * share) as f32)
        };
        let speeds = boxes.iter().map(&mut speed).collect();
        Self { boxes, speeds, tick: 0 }
    }

    fn step(&mut self) {
        let sign = if (self.tick / Self::LEG).is_multiple_of(2) { 1.0 } else { -1.0 };
        for (bounds, speed) in self.boxes.iter_mut().zip(&self.speeds) {
            *bounds = Aabb { min: bounds.min + speed * sign, max: bounds.max + speed * sign };
        }
        self.tick += 1;
    }
}

fn kept<const D: usize>(boxes: &[Aabb<f32, D>]) -> (IncrementalSweep<f32, D>, Vec<BoxId>) {
    let mut kept = IncrementalSweep::new();
    let ids = boxes.iter().map(|bounds| kept.add(*bounds).expect("a good box")).collect();
    kept.update();
    (kept, ids)
}

fn coherent<const D: usize>(c: &mut Criterion) {
    let mut group = c.benchmark_group(format!("broad_phase/coherent_{D}d"));
    for (count, meets) in [(200, 1.0), (1_000, 1.0), (10_000, 1.0), (10_000, 0.1)] {
        let mut random = Random(SEED);
        let boxes = crowd::<D>(&mut random, count, meets);
        let mut motion = Motion::new(boxes, &mut random);
        let (mut kept, ids) = kept(&motion.boxes);
        let mut tree = DynamicTree::new();
        let leaves: Vec<BoxId> = motion.boxes.iter().map(|bounds| tree.add(*bounds).expect("a good box")).collect();
        let mut sweep = SortAndSweep::new();
        let name = |what: &str| BenchmarkId::new(what, format!("{count}_meeting_{meets}"));
        group.throughput(Throughput::Elements(count as u64));

        for _ in 0..20 {
            motion.step();
            for (id, bounds) in ids.iter().zip(&motion.boxes) {
                kept.move_to(*id, *bounds).expect("a good box");
            }
            kept.update();
            for (id, bounds) in leaves.iter().zip(&motion.boxes) {
                tree.move_to(*id, *bounds).expect("a good box");
            }
            tree.update();
            assert_eq!(kept.counts().pairs, tree.counts().pairs);
            assert_eq!(kept.counts().pairs, sweep.update(&motion.boxes).expect("good boxes").len() as u64);
        }
        let counts = [tree.counts(), kept.counts(), sweep.counts()];
        println!("{count} boxes, {D}D: tree, incremental and rebuild {counts:?}");
        group.bench_function(name("tree"), |b| {
            b.iter(|| {
                motion.step();
                for (id, bounds) in leaves.iter().zip(&motion.boxes) {
                    tree.move_to(*id, *bounds).expect("a good box");
                }
                tree.update();
                black_box(tree.counts().pairs)
            })
        });
        group.bench_function(name("incremental"), |b| {
            b.iter(|| {
                motion.step();
                for (id, bounds) in ids.iter().zip(&motion.boxes) {
                    kept.move_to(*id, *bounds).expect("a good box");
                }
                kept.update();
                black_box(kept.counts().pairs)
            })
        });
        group.bench_function(name("sort_and_sweep"), |b| {
            b.iter(|| {
                motion.step();
                black_box(sweep.update(&motion.boxes).expect("good boxes").len())
            })
        });
        group.bench_function(name("incremental_from_nothing"), |b| {
            b.iter(|| {
                motion.step();
                black_box(self::kept(&motion.boxes).0.counts().pairs)
            })
        });
        if count <= 1_000 {
            let mut all = BruteForce::new();
            group.bench_function(name("brute_force"), |b| {
                b.iter(|| {
                    motion.step();
                    black_box(all.update(&motion.boxes).expect("good boxes").len())
                })
            });
        }
    }
    group.finish();
}

fn broad_phase(c: &mut Criterion) {
    coherent::<2>(c);
    coherent::<3>(c);
}

criterion_group!(benches, broad_phase);
criterion_main!(benches);

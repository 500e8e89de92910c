//! What does it cost to know which boxes overlap, by the way in which they are found?
//!
//! Every box moves by at most 5 % of its size a tick, to and fro on a straight line. `tree` and `incremental` keep what they have;
//! `incremental_from_nothing` builds its lists anew in each tick, and `sort_and_sweep` needs none.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use nalgebra::SVector;
use sidle::{
    Aabb,
    broad_phase::{BoxId, BruteForce, DynamicTree, IncrementalSweep, SortAndSweep},
};

use self::{crowd::crowd, inputs::Random};

#[path = "inputs/crowd.rs"]
mod crowd;
mod inputs;

const SEED: u64 = 3;

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

    /// The time of a tick: the mean of so many whole ways, there and back.
    ///
    /// Ticks differ: those in which many boxes turn or leave their air take several times as long as others.
    fn time(&mut self, rounds: u64, find: &mut dyn FnMut(&[Aabb<f32, D>]) -> u64) -> Duration {
        let mut time = Duration::ZERO;
        for _ in 0..rounds * 2 * Self::LEG as u64 {
            self.step();
            let start = Instant::now();
            black_box(find(&self.boxes));
            time += start.elapsed();
        }
        time / (2 * Self::LEG as u32)
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
    group.sampling_mode(SamplingMode::Flat).sample_size(20);
    for (count, meets) in [(200, 1.0), (1_000, 1.0), (10_000, 1.0), (10_000, 0.1)] {
        let mut random = Random(SEED);
        let boxes = crowd::<D>(|low, high| random.between(low, high), count, meets);
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
        let mut all = BruteForce::new();
        let mut measure = |what: &str, find: &mut dyn FnMut(&[Aabb<f32, D>]) -> u64| {
            group.bench_function(name(what), |b| b.iter_custom(|rounds| motion.time(rounds, &mut *find)));
        };
        measure("tree", &mut |boxes| {
            for (id, bounds) in leaves.iter().zip(boxes) {
                tree.move_to(*id, *bounds).expect("a good box");
            }
            tree.update();
            tree.counts().pairs
        });
        measure("incremental", &mut |boxes| {
            for (id, bounds) in ids.iter().zip(boxes) {
                kept.move_to(*id, *bounds).expect("a good box");
            }
            kept.update();
            kept.counts().pairs
        });
        measure("sort_and_sweep", &mut |boxes| sweep.update(boxes).expect("good boxes").len() as u64);
        measure("incremental_from_nothing", &mut |boxes| self::kept(boxes).0.counts().pairs);
        if count <= 1_000 {
            measure("brute_force", &mut |boxes| all.update(boxes).expect("good boxes").len() as u64);
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

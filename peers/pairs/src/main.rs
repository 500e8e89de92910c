//! Broad phases side by side, in one run: sidle's and parry3d's tree, on the same moving boxes in space.
//!
//! Every box moves by at most 5 % of its size a tick: on a straight line, and back after 32 ticks; or, as the hardest case for
//! what looks ahead, each tick in a new direction. In each tick
//! all contestants take their turn, so that whatever else the machine does meets them alike. All must find the same
//! number of pairs. Run with `cargo run --release --bin pairs` in the folder `peers`.

use std::time::Duration;

use cpu_time::ThreadTime;
use parry3d::{
    bounding_volume::Aabb as ParryAabb,
    math::Vector,
    partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace},
};
use sidle::{
    Aabb3,
    broad_phase::{BoxId, DynamicTree, IncrementalSweep, SortAndSweep},
    nalgebra::{Point3, Vector3},
};

const TICKS: usize = 200;
const LEG: usize = 32;
const CONTESTANTS: usize = 5;

fn main() {
    println!(
        "| boxes | each meets | ways | sidle incremental | sidle tree | sidle sort and sweep | parry3d, tree kept | parry3d, tree rebuilt |"
    );
    println!("| ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: |");
    for (count, meets) in [(200, 1.0), (1_000, 1.0), (10_000, 1.0), (10_000, 0.1)] {
        run(count, meets, Ways::Straight);
    }
    run(10_000, 1.0, Ways::Erratic);
    println!("\nMicroseconds of CPU time of a tick: the mean of {TICKS} ticks, and the median in brackets.");
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Ways {
    Straight,
    Erratic,
}

fn run(count: usize, meets: f64, ways: Ways) {
    let mut random = Random(3);
    let side = 2.0 * (count as f64 / meets).cbrt();
    let mut vector = |low: f64, high: f64| Vector3::from_fn(|_, _| random.between(low, high));
    let mut boxes: Vec<Aabb3<f32>> = (0..count)
        .map(|_| {
            let min = Point3::from(vector(0.0, side).map(|x| x as f32));
            Aabb3 { min, max: min + vector(0.5, 1.5).map(|x| x as f32) }
        })
        .collect();
    let mut new_speeds = |boxes: &[Aabb3<f32>]| -> Vec<Vector3<f32>> {
        boxes.iter().map(|bounds| bounds.size().component_mul(&vector(-0.05, 0.05).map(|x| x as f32))).collect()
    };
    let mut speeds = new_speeds(&boxes);

    let mut kept = IncrementalSweep::new();
    let ids: Vec<BoxId> = boxes.iter().map(|bounds| kept.add(*bounds).expect("a good box")).collect();
    kept.update();
    let mut own_tree = DynamicTree::new();
    let leaves: Vec<BoxId> = boxes.iter().map(|bounds| own_tree.add(*bounds).expect("a good box")).collect();
    own_tree.update();
    let mut sweep = SortAndSweep::new();
    let mut tree = Bvh::from_iter(BvhBuildStrategy::Binned, boxes.iter().map(parry_box).enumerate());
    let mut workspace = BvhWorkspace::default();

    let mut times = [const { Vec::new() }; CONTESTANTS];
    for tick in 0..TICKS {
        if ways == Ways::Erratic {
            speeds = new_speeds(&boxes);
        }
        let sign = if (tick / LEG).is_multiple_of(2) { 1.0 } else { -1.0 };
        for (bounds, speed) in boxes.iter_mut().zip(&speeds) {
            *bounds = Aabb3 { min: bounds.min + speed * sign, max: bounds.max + speed * sign };
        }
        let mut pairs = [0; CONTESTANTS];
        // A different one begins each time.
        for turn in 0..CONTESTANTS {
            let who = (tick + turn) % CONTESTANTS;
            let start = ThreadTime::now();
            pairs[who] = match who {
                0 => {
                    for (id, bounds) in ids.iter().zip(&boxes) {
                        kept.move_to(*id, *bounds).expect("a good box");
                    }
                    kept.update();
                    kept.pairs().len()
                }
                1 => {
                    for (id, bounds) in leaves.iter().zip(&boxes) {
                        own_tree.move_to(*id, *bounds).expect("a good box");
                    }
                    own_tree.update();
                    own_tree.pairs().len()
                }
                2 => sweep.update(&boxes).expect("good boxes").len(),
                3 => {
                    for (i, bounds) in (0..).zip(&boxes) {
                        tree.insert_or_update_partially(parry_box(bounds), i, 0.0);
                    }
                    tree.refit(&mut workspace);
                    tree.optimize_incremental(&mut workspace);
                    pairs_of(&tree, &mut workspace)
                }
                _ => {
                    let tree = Bvh::from_iter(BvhBuildStrategy::Binned, boxes.iter().map(parry_box).enumerate());
                    pairs_of(&tree, &mut workspace)
                }
            };
            times[who].push(start.elapsed());
        }
        assert!(pairs.iter().all(|found| *found == pairs[0]), "tick {tick}: {pairs:?}");
    }
    let means = times.map(|mut times: Vec<Duration>| {
        times.sort_unstable();
        let mean = times.iter().sum::<Duration>() / TICKS as u32;
        format!("{:.0} ({:.0})", micros(mean), micros(times[times.len() / 2]))
    });
    println!("| {count} | {meets} | {ways:?} | {} |", means.join(" | "));
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn parry_box(bounds: &Aabb3<f32>) -> ParryAabb {
    let corner = |p: &Point3<f32>| Vector::new(p.x, p.y, p.z);
    ParryAabb::new(corner(&bounds.min), corner(&bounds.max))
}

fn pairs_of(tree: &Bvh, workspace: &mut BvhWorkspace) -> usize {
    let mut pairs = Vec::new();
    tree.traverse_bvtt_single_tree::<false>(workspace, &mut |a, b| pairs.push((a, b)));
    pairs.len()
}

/// The generator splitmix64 (Steele, Lea and Flood 2014).
struct Random(u64);

impl Random {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        low + (high - low) * ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

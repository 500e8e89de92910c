//! File E: overlapping pairs of sets of boxes, by count and checksum.

use nalgebra::{Point, SVector};
use serde::Deserialize;
use sidle::{
    Aabb,
    broad_phase::{BruteForce, DynamicTree, IncrementalSweep, SortAndSweep},
    flat::intersection,
};

use super::{Scalar, Tally, read};
use crate::broad_phase::Kept;

#[derive(Deserialize)]
struct Case {
    id: String,
    style: String,
    dim: usize,
    n: usize,
    #[serde(default)]
    boxes: Vec<Vec<f64>>,
    lcg: Recipe,
    #[serde(default)]
    first: Vec<Vec<f64>>,
    coordinate_sum: i64,
    expect: Expect,
}

#[derive(Deserialize)]
struct Expect {
    pairs: usize,
    checksum: String,
    strict_pairs: usize,
    strict_checksum: String,
}

#[derive(Deserialize)]
struct Recipe {
    seed: String,
    lo_mod: Vec<u64>,
    size_min: Vec<u64>,
    size_mod: Vec<u64>,
    clusters: u64,
    cluster_span: Vec<u64>,
    alternate: bool,
    snap: u64,
    offset: i64,
}

impl Recipe {
    /// The boxes in units of 1/256: the lower corner, then the upper one.
    fn boxes(&self, dim: usize, n: usize) -> Vec<Vec<i64>> {
        let mut state: u64 = self.seed.parse().expect("a seed");
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 40
        };
        let clusters: Vec<Vec<u64>> =
            (0..self.clusters).map(|_| (0..dim).map(|k| next() % self.cluster_span[k]).collect()).collect();
        let mut boxes = Vec::new();
        for i in 0..n {
            let base = match clusters.len() as u64 {
                0 => vec![0; dim],
                count => clusters[(next() % count) as usize].clone(),
            };
            let mut low: Vec<u64> = (0..dim).map(|k| base[k] + next() % self.lo_mod[k]).collect();
            let mut size: Vec<u64> = (0..dim).map(|k| self.size_min[k] + next() % self.size_mod[k]).collect();
            if self.alternate && i % 2 == 1 {
                size.swap(0, 1);
            }
            low.iter_mut().for_each(|x| *x = *x / self.snap * self.snap);
            let low: Vec<i64> = low.iter().map(|x| *x as i64 + self.offset).collect();
            let high = low.iter().zip(&size).map(|(x, width)| x + *width as i64);
            boxes.push(low.iter().copied().chain(high).collect());
        }
        boxes
    }
}

/// The checksum of the README: the same for any order of the pairs.
fn checksum(pairs: impl Iterator<Item = (u64, u64)>) -> String {
    let mix = |x: u64| {
        let z = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    };
    format!("{:016x}", pairs.fold(0_u64, |sum, (i, j)| sum.wrapping_add(mix(i << 32 | j))))
}

fn compare<T: Scalar, const D: usize>(tally: &mut Tally, case: &Case) {
    let recipe = case.lcg.boxes(D, case.n);
    let total: i64 = recipe.iter().flatten().sum();
    tally.exact("coordinate sum", &case.id, total, case.coordinate_sum);
    let floats: Vec<Vec<f64>> = recipe.iter().map(|b| b.iter().map(|x| *x as f64 / 256.0).collect()).collect();
    if !case.boxes.is_empty() {
        tally.exact("inline boxes", &case.id, &case.boxes, &floats);
    }
    tally.exact("first boxes", &case.id, case.first.iter().zip(&floats).all(|(a, b)| a == b), true);

    let corner = |numbers: &[f64]| Point::from(SVector::<T, D>::from_fn(|k, _| T::nearest(numbers[k])));
    let boxes: Vec<Aabb<T, D>> = floats
        .iter()
        .map(|numbers| Aabb::checked(corner(&numbers[..D]), corner(&numbers[D..])).expect("a box"))
        .collect();
    let id = format!("{} {} {}D {}", case.id, case.style, D, case.n);

    let (mut all, mut sweep) = (BruteForce::new(), SortAndSweep::new());
    let all = all.update(&boxes).expect("good boxes").to_vec();
    tally.exact("brute force: pairs", &id, all.len(), case.expect.pairs);
    let sum = checksum(all.iter().map(|pair| (pair.a.into(), pair.b.into())));
    tally.exact("brute force: checksum", &id, &sum, &case.expect.checksum);
    let strict: Vec<_> =
        all.iter().filter(|p| intersection(&boxes[p.a as usize], &boxes[p.b as usize]).is_some()).collect();
    tally.exact("strict pairs", &id, strict.len(), case.expect.strict_pairs);
    let sum = checksum(strict.iter().map(|pair| (pair.a.into(), pair.b.into())));
    tally.exact("strict checksum", &id, &sum, &case.expect.strict_checksum);

    let swept = sweep.update(&boxes).expect("good boxes");
    tally.exact("sort and sweep: pairs", &id, swept.len(), case.expect.pairs);
    let sum = checksum(swept.iter().map(|pair| (pair.a.into(), pair.b.into())));
    tally.exact("sort and sweep: checksum", &id, &sum, &case.expect.checksum);
    let every_pair = (case.n * (case.n - 1) / 2) as u64;
    tally.exact("no more checks than pairs", &id, sweep.counts().checks <= every_pair, true);
    if case.style == "uniform" {
        tally.exact("few checks", &id, sweep.counts().checks * 4 < every_pair, true);
    }

    compare_kept(tally, case, &id, &boxes, ["incremental: pairs", "incremental: checksum"], IncrementalSweep::new());
    compare_kept(tally, case, &id, &boxes, ["tree: pairs", "tree: checksum"], DynamicTree::new());
}

/// Half at once, a quarter later, the rest one by one; all start elsewhere, and come home in two moves.
fn compare_kept<T: Scalar, const D: usize>(
    tally: &mut Tally,
    case: &Case,
    id: &str,
    boxes: &[Aabb<T, D>],
    [pairs, sums]: [&'static str; 2],
    mut kept: impl Kept<T, D>,
) {
    let away = |i: usize| {
        let shift = SVector::<T, D>::from_fn(|k, _| T::nearest(((i * 7 + k * 5) % 13) as f64 * 0.5 - 3.0));
        Aabb { min: boxes[i].min + shift, max: boxes[i].max + shift }
    };
    let n = case.n;
    let mut ids = Vec::new();
    for i in 0..n {
        ids.push(kept.add(away(i)).expect("a good box"));
        if i == n / 2 || i == n * 3 / 4 || (i + 5 > n) {
            kept.update();
        }
    }
    for odd in [0, 1] {
        for i in (0..n).filter(|i| i % 2 == odd) {
            kept.move_to(ids[i], boxes[i]).expect("a good box");
        }
        kept.update();
    }
    let index = |id| ids.binary_search(&id).expect("ids are in the order in which they were given") as u64;
    let found: Vec<_> = kept.all_pairs().iter().map(|pair| (index(pair.a), index(pair.b))).collect();
    tally.exact(pairs, id, found.len(), case.expect.pairs);
    let sum = checksum(found.iter().map(|(a, b)| (*a.min(b), *a.max(b))));
    tally.exact(sums, id, &sum, &case.expect.checksum);
}

fn compare_all<T: Scalar>() {
    let Some(cases) = read::<Case>("broadphase.jsonl") else { return };
    let mut tally = Tally::new::<T>("broad phase");
    for case in &cases {
        match case.dim {
            2 => compare::<T, 2>(&mut tally, case),
            _ => compare::<T, 3>(&mut tally, case),
        }
    }
    let n = cases.len();
    let names = ["brute force: checksum", "sort and sweep: checksum", "incremental: checksum", "tree: checksum"];
    let least = names.map(|name| (name, n));
    tally.finish(&least);
}

#[test]
fn oracle_broadphase_pairs_f32() {
    compare_all::<f32>();
}

#[test]
fn oracle_broadphase_pairs_f64() {
    compare_all::<f64>();
}

//! Broad phases against brute force, whatever is added, moved and removed.

use std::collections::BTreeSet;

use nalgebra::{Point, SVector, point};
use sidle::{
    Aabb, InputError, Real,
    broad_phase::{BoxId, BoxPair, BroadPhaseError, BruteForce, DynamicTree, IncrementalSweep, Pair, SortAndSweep},
};

use crate::random::Random;

#[path = "../../benches/inputs/crowd.rs"]
mod shared;

/// On a coarse grid, so that boxes often touch exactly; sometimes flat, sometimes large.
fn grid_box<T: Real, const D: usize>(random: &mut Random, cells: usize) -> Aabb<T, D> {
    let size = if random.below(10) == 0 { cells } else { 4 };
    let min = SVector::<f64, D>::from_fn(|_, _| random.below(cells) as f64);
    let width = SVector::<f64, D>::from_fn(|_, _| random.below(size) as f64);
    Aabb { min: Point::from(min.map(T::nearest)), max: Point::from((min + width).map(T::nearest)) }
}

fn sorted(pairs: &[Pair]) -> Vec<Pair> {
    let mut pairs = pairs.to_vec();
    pairs.sort_unstable();
    pairs
}

fn sweep_finds_what_brute_force_finds<T: Real, const D: usize>(seed: u64) {
    let mut random = Random(seed);
    let (mut all, mut sweep) = (BruteForce::new(), SortAndSweep::new());
    let mut found = 0;
    for round in 0..300 {
        let boxes: Vec<Aabb<T, D>> = (0..round % 60).map(|_| grid_box(&mut random, 20)).collect();
        let expected = all.update(&boxes).expect("good boxes").to_vec();
        let got = sweep.update(&boxes).expect("good boxes");
        assert_eq!(sorted(got), sorted(&expected));
        assert_eq!(sweep.counts().pairs, expected.len() as u64);
        assert!(sweep.counts().checks <= all.counts().checks);
        found += expected.len();
    }
    assert!(found > 1000, "{found} pairs");
}

#[test]
fn broad_phase_sort_and_sweep_finds_what_brute_force_finds() {
    sweep_finds_what_brute_force_finds::<f32, 2>(1);
    sweep_finds_what_brute_force_finds::<f64, 3>(2);
}

/// What both broad phases that keep boxes can do.
pub(crate) trait Kept<T: Real, const D: usize>: Default {
    fn add(&mut self, bounds: Aabb<T, D>) -> Result<BoxId, BroadPhaseError>;
    fn move_to(&mut self, id: BoxId, bounds: Aabb<T, D>) -> Result<(), BroadPhaseError>;
    fn remove(&mut self, id: BoxId) -> Result<(), BroadPhaseError>;
    fn update(&mut self);
    fn bounds(&self, id: BoxId) -> Option<Aabb<T, D>>;
    fn len(&self) -> usize;
    fn is_pair(&self, a: BoxId, b: BoxId) -> bool;
    fn all_pairs(&self) -> Vec<BoxPair>;
    fn begun(&self) -> &[BoxPair];
    fn ended(&self) -> &[BoxPair];
}

macro_rules! kept {
    ($($kind:ident)*) => {$(
        impl<T: Real, const D: usize> Kept<T, D> for $kind<T, D> {
            fn add(&mut self, bounds: Aabb<T, D>) -> Result<BoxId, BroadPhaseError> {
                self.add(bounds)
            }
            fn move_to(&mut self, id: BoxId, bounds: Aabb<T, D>) -> Result<(), BroadPhaseError> {
                self.move_to(id, bounds)
            }
            fn remove(&mut self, id: BoxId) -> Result<(), BroadPhaseError> {
                self.remove(id)
            }
            fn update(&mut self) {
                self.update();
            }
            fn bounds(&self, id: BoxId) -> Option<Aabb<T, D>> {
                self.bounds(id)
            }
            fn len(&self) -> usize {
                self.len()
            }
            fn is_pair(&self, a: BoxId, b: BoxId) -> bool {
                self.is_pair(a, b)
            }
            fn all_pairs(&self) -> Vec<BoxPair> {
                self.pairs().collect()
            }
            fn begun(&self) -> &[BoxPair] {
                self.begun()
            }
            fn ended(&self) -> &[BoxPair] {
                self.ended()
            }
        }
    )*};
}

kept!(IncrementalSweep DynamicTree);

/// A plain list of boxes beside what keeps them.
fn kept_pairs_are_those_of_brute_force<T: Real, const D: usize, K: Kept<T, D>>(seed: u64, drift: bool) {
    let mut random = Random(seed);
    let mut kept = K::default();
    let mut boxes: Vec<(BoxId, Aabb<T, D>)> = Vec::new();
    let mut gone: Vec<BoxId> = Vec::new();
    let mut before: BTreeSet<(BoxId, BoxId)> = BTreeSet::new();
    let mut changes = 0;
    for round in 0..400 {
        // Sometimes many at once, so that all is sorted anew.
        let count = if random.below(20) == 0 { 60 } else { random.below(5) };
        for _ in 0..count {
            match random.below(4) {
                0 | 1 if boxes.len() < 80 => {
                    let bounds = grid_box(&mut random, 20);
                    boxes.push((kept.add(bounds).expect("a good box"), bounds));
                }
                2 if !boxes.is_empty() => {
                    let (id, _) = boxes.swap_remove(random.below(boxes.len()));
                    kept.remove(id).expect("it is there");
                    gone.push(id);
                }
                _ if !boxes.is_empty() => {
                    let at = random.below(boxes.len());
                    boxes[at].1 = grid_box(&mut random, 20);
                    kept.move_to(boxes[at].0, boxes[at].1).expect("it is there");
                }
                _ => {}
            }
        }
        if drift {
            for (id, bounds) in &mut boxes {
                let by = SVector::<T, D>::from_fn(|_, _| T::nearest(random.below(3) as f64 - 1.0) * T::nearest(0.5));
                *bounds = Aabb { min: bounds.min + by, max: bounds.max + by };
                kept.move_to(*id, *bounds).expect("it is there");
            }
        }
        kept.update();
        assert_eq!(kept.len(), boxes.len());

        let mut expected = BTreeSet::new();
        for (i, (a, first)) in boxes.iter().enumerate() {
            assert_eq!(kept.bounds(*a), Some(*first));
            for (b, second) in &boxes[..i] {
                assert_eq!(kept.is_pair(*a, *b), first.overlaps(second));
                if first.overlaps(second) {
                    expected.insert((*a.min(b), *a.max(b)));
                }
            }
        }
        let key = |pair: &BoxPair| (pair.a.min(pair.b), pair.a.max(pair.b));
        let found: Vec<_> = kept.all_pairs().iter().map(key).collect();
        assert_eq!(found.iter().copied().collect::<BTreeSet<_>>(), expected, "round {round}");
        assert_eq!(found.len(), expected.len(), "no pair is there twice");
        let (begun, ended): (Vec<_>, Vec<_>) =
            (kept.begun().iter().map(key).collect(), kept.ended().iter().map(key).collect());
        assert_eq!(begun.len(), expected.difference(&before).count(), "round {round}");
        assert!(begun.iter().all(|pair| expected.contains(pair) && !before.contains(pair)));
        assert_eq!(ended.len(), before.difference(&expected).count(), "round {round}");
        assert!(ended.iter().all(|pair| before.contains(pair) && !expected.contains(pair)));
        changes += begun.len() + ended.len();
        before = expected;
    }
    assert!(changes > 1000, "{changes} changes");
    assert!(gone.iter().all(|id| kept.bounds(*id).is_none()));
    for id in gone {
        assert_eq!(kept.remove(id), Err(BroadPhaseError::NoSuchBox));
        assert_eq!(kept.move_to(id, grid_box(&mut random, 20)), Err(BroadPhaseError::NoSuchBox));
    }
}

#[test]
fn broad_phase_incremental_finds_what_brute_force_finds() {
    kept_pairs_are_those_of_brute_force::<f32, 2, IncrementalSweep<_, _>>(3, false);
    kept_pairs_are_those_of_brute_force::<f64, 2, IncrementalSweep<_, _>>(4, true);
    kept_pairs_are_those_of_brute_force::<f32, 3, IncrementalSweep<_, _>>(5, true);
    kept_pairs_are_those_of_brute_force::<f64, 3, IncrementalSweep<_, _>>(6, false);
}

#[test]
fn broad_phase_tree_finds_what_brute_force_finds() {
    kept_pairs_are_those_of_brute_force::<f32, 2, DynamicTree<_, _>>(3, false);
    kept_pairs_are_those_of_brute_force::<f64, 2, DynamicTree<_, _>>(4, true);
    kept_pairs_are_those_of_brute_force::<f32, 3, DynamicTree<_, _>>(5, true);
    kept_pairs_are_those_of_brute_force::<f64, 3, DynamicTree<_, _>>(6, false);
}

/// Boxes in one another, one by one from small to large: each new one belongs above all others, so that the tree is a path
/// unless it is built anew. None may be too deep for its walks.
#[test]
fn broad_phase_tree_holds_boxes_of_all_sizes() {
    let sizes = std::iter::successors(Some(1e-9_f32), |size| Some(size * 1.25)).take(200);
    let boxes: Vec<_> = sizes.map(|size| Aabb::new(point![0.0, 0.0, 0.0], point![size, size, size])).collect();
    let mut kept = DynamicTree::new();
    let ids: Vec<_> = boxes.iter().map(|bounds| kept.add(*bounds).expect("a good box")).collect();
    kept.update();
    assert_eq!(kept.counts().pairs, 200 * 199 / 2);
    for (i, id) in ids.iter().enumerate() {
        let corner = boxes[i].max;
        let mut seen = BTreeSet::new();
        kept.each_in_box(&Aabb { min: corner, max: corner }, |id| assert!(seen.insert(id)));
        assert!(seen.len() == 200 - i && seen.contains(id));
    }
}

#[test]
fn broad_phase_tree_tells_what_meets_a_box() {
    let mut random = Random(10);
    let mut kept = DynamicTree::<f64, 2>::new();
    let mut boxes: Vec<(BoxId, Aabb<f64, 2>)> = Vec::new();
    let mut found = 0;
    for _ in 0..200 {
        let bounds = grid_box(&mut random, 40);
        boxes.push((kept.add(bounds).expect("a good box"), bounds));
        let at = random.below(boxes.len());
        boxes[at].1 = grid_box(&mut random, 40);
        kept.move_to(boxes[at].0, boxes[at].1).expect("it is there");
        if random.below(3) == 0 {
            kept.remove(boxes.swap_remove(random.below(boxes.len())).0).expect("it is there");
        }
        kept.update();
        let asked = grid_box(&mut random, 40);
        let mut seen = BTreeSet::new();
        kept.each_in_box(&asked, |id| assert!(seen.insert(id), "{id:?} is seen twice"));
        let expected = boxes.iter().filter(|(_, bounds)| bounds.overlaps(&asked)).map(|(id, _)| *id);
        assert_eq!(seen, expected.collect());
        found += seen.len();
    }
    assert!(found > 300, "{found} boxes");
}

/// Boxes each of which meets about one other.
fn crowd<const D: usize>(random: &mut Random, count: usize) -> Vec<Aabb<f32, D>> {
    shared::crowd(|low, high| random.between(low, high), count, 1.0)
}

#[test]
fn broad_phase_checks_far_fewer_than_all_pairs() {
    let boxes = crowd::<2>(&mut Random(7), 200);
    let (mut all, mut sweep) = (BruteForce::new(), SortAndSweep::new());
    let expected = sorted(all.update(&boxes).expect("good boxes"));
    assert_eq!(sorted(sweep.update(&boxes).expect("good boxes")), expected);
    assert_eq!(all.counts().checks, 19_900);
    assert!(sweep.counts().checks < 19_900 / 10, "{:?}", sweep.counts());
}

#[test]
fn broad_phase_sweeps_along_the_axis_of_spread() {
    let tower: Vec<_> =
        (0..50).map(|i| Aabb::new(point![0.0, f64::from(i), 0.0], point![5.0, f64::from(i) + 0.5, 5.0])).collect();
    let mut sweep = SortAndSweep::new();
    assert!(sweep.update(&tower).expect("good boxes").is_empty());
    assert_eq!((sweep.axis(), sweep.counts().checks), (1, 49));
}

#[test]
fn broad_phase_work_is_that_of_what_has_changed() {
    let mut random = Random(8);
    let mut boxes = crowd::<2>(&mut random, 1000);
    let mut kept = IncrementalSweep::new();
    let ids: Vec<_> = boxes.iter().map(|bounds| kept.add(*bounds).expect("a good box")).collect();
    kept.update();
    kept.update();
    assert_eq!((kept.counts().checks, kept.counts().swaps), (0, 0), "nothing has moved");
    for (id, bounds) in ids.iter().zip(&mut boxes) {
        let by = SVector::from_fn(|_, _| random.between(-0.05, 0.05) as f32);
        *bounds = Aabb { min: bounds.min + by, max: bounds.max + by };
        kept.move_to(*id, *bounds).expect("a good box");
    }
    kept.update();
    let mut sweep = SortAndSweep::new();
    sweep.update(&boxes).expect("good boxes");
    assert_eq!(kept.counts().pairs, sweep.counts().pairs);
    assert!(kept.counts().checks * 5 < sweep.counts().checks, "{:?} {:?}", kept.counts(), sweep.counts());
}

#[test]
fn broad_phase_tree_looks_at_little_while_boxes_move_little() {
    let mut random = Random(8);
    let mut boxes = crowd::<3>(&mut random, 1000);
    let mut kept = DynamicTree::new();
    let ids: Vec<_> = boxes.iter().map(|bounds| kept.add(*bounds).expect("a good box")).collect();
    let speeds: Vec<_> =
        boxes.iter().map(|_| SVector::<f32, 3>::from_fn(|_, _| random.between(-0.05, 0.05) as f32)).collect();
    let mut sweep = SortAndSweep::new();
    let [mut checks, mut checks_anew] = [0; 2];
    for _ in 0..30 {
        kept.update();
        checks += kept.counts().checks;
        sweep.update(&boxes).expect("good boxes");
        checks_anew += sweep.counts().checks;
        assert_eq!(kept.counts().pairs, sweep.counts().pairs);
        for ((id, bounds), speed) in ids.iter().zip(&mut boxes).zip(&speeds) {
            *bounds = Aabb { min: bounds.min + speed, max: bounds.max + speed };
            kept.move_to(*id, *bounds).expect("a good box");
        }
    }
    assert!(checks * 5 < checks_anew, "{checks} checks, anew {checks_anew}");
}

/// Boxes that all jump, and boxes that are all one: no list may be sorted by a million swaps.
#[test]
fn broad_phase_never_takes_quadratic_time_to_sort() {
    let mut random = Random(9);
    let mut kept = IncrementalSweep::<f32, 3>::new();
    let boxes = crowd::<3>(&mut random, 20_000);
    let ids: Vec<_> = boxes.iter().map(|bounds| kept.add(*bounds).expect("a good box")).collect();
    kept.update();
    for (id, bounds) in ids.iter().zip(boxes.iter().rev()) {
        kept.move_to(*id, *bounds).expect("a good box");
    }
    kept.update();
    let pairs = kept.counts().pairs;
    assert_eq!(pairs, SortAndSweep::new().update(&boxes).expect("good boxes").len() as u64);
    assert!(kept.counts().swaps < 10_000_000, "{:?}", kept.counts());
}

fn keeps_what_is_good<K: Kept<f64, 2>>(mut kept: K, good: Aabb<f64, 2>, bad: Aabb<f64, 2>) {
    let id = kept.add(good).expect("a good box");
    assert!(kept.add(bad).is_err() && kept.move_to(id, bad).is_err());
    assert_eq!((kept.len(), kept.bounds(id)), (1, Some(good)));
}

#[test]
fn broad_phase_refuses_boxes_that_are_none() {
    let good = Aabb::new(point![0.0, 0.0], point![1.0, 1.0]);
    let upside_down = Aabb { min: point![0.0, 2.0], max: point![1.0, 1.0] };
    for bad in
        [Aabb { min: point![0.0, f64::NAN], ..good }, Aabb { max: point![f64::INFINITY, 1.0], ..good }, upside_down]
    {
        let expected = |result: Result<(), BroadPhaseError>| {
            assert!(matches!(result, Err(BroadPhaseError::Box { index: 1, .. })), "{result:?}");
        };
        expected(BruteForce::new().update(&[good, bad]).map(|_| ()));
        expected(SortAndSweep::new().update(&[good, bad]).map(|_| ()));
        keeps_what_is_good(IncrementalSweep::new(), good, bad);
        keeps_what_is_good(DynamicTree::new(), good, bad);
    }
    let error = SortAndSweep::new().update(&[good, upside_down]).map(|_| ()).expect_err("a bad box");
    assert_eq!(error.to_string(), "box 1: a width of the box must not be negative");
    let inside = InputError::Negative { what: "a width of the box" };
    assert_eq!(error, BroadPhaseError::Box { index: 1, error: inside });
}

#[test]
fn broad_phase_of_nothing_is_nothing() {
    let none: [Aabb<f32, 3>; 0] = [];
    assert!(SortAndSweep::new().update(&none).expect("no boxes").is_empty());
    nothing_is_kept(IncrementalSweep::new());
    nothing_is_kept(DynamicTree::new());
    let all = Aabb::new(point![f32::NEG_INFINITY, f32::NEG_INFINITY], point![f32::INFINITY, f32::INFINITY]);
    DynamicTree::new().each_in_box(&all, |id| panic!("{id:?} is nowhere"));
}

fn nothing_is_kept<K: Kept<f32, 3>>(mut kept: K) {
    kept.update();
    assert!(kept.len() == 0 && kept.all_pairs().is_empty());
    let gone = kept.add(Aabb::new(point![0.0, 0.0, 0.0], point![1.0, 1.0, 1.0])).expect("a good box");
    kept.remove(gone).expect("it is there");
    kept.update();
    assert!(kept.len() == 0 && kept.begun().is_empty() && kept.ended().is_empty());
}

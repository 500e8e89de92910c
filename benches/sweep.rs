//! How many triangles does the exact kernel judge in a second, by how it judges them? And how many go through packets?
//!
//! `cargo bench --bench sweep -- throughput` prints the second part alone.

use std::{hint::black_box, time::Duration};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group};
use nalgebra::{Point3, Vector3};
use sidle::{Ellipsoid, Feature, Real, Sweep, Triangle, sweep::sweep_triangle};

use self::inputs::Random;

mod inputs;
mod throughput;

const SEED: u64 = 1;
/// Pairs of a sweep and a triangle for each verdict: enough that no branch predictor knows them by heart.
const PAIRS: usize = 1024;

/// How the kernel ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Face,
    Edge,
    Vertex,
    /// The body starts clear of the plane and does not approach it.
    MovesAway,
    /// The body approaches the plane and does not get there.
    FarPlane,
    /// The body reaches the plane and passes the triangle.
    Beside,
}

const VERDICTS: [(&str, Verdict); 6] = [
    ("face", Verdict::Face),
    ("edge", Verdict::Edge),
    ("vertex", Verdict::Vertex),
    ("moves_away", Verdict::MovesAway),
    ("far_plane", Verdict::FarPlane),
    ("beside", Verdict::Beside),
];

fn sweep(c: &mut Criterion) {
    sweep_in::<f32>(c, "sweep_triangle/f32");
    sweep_in::<f64>(c, "sweep_triangle/f64");
}

fn sweep_in<T: Real>(c: &mut Criterion, name: &str) {
    let mut group = c.benchmark_group(name);
    group.throughput(Throughput::Elements(PAIRS as u64));
    group.warm_up_time(Duration::from_secs(1));
    for (name, verdict) in VERDICTS {
        let pairs = pairs_with::<T>(verdict);
        let hits = pairs.iter().filter(|(sweep, triangle)| sweep_triangle(sweep, triangle).is_some()).count();
        let is_hit = matches!(verdict, Verdict::Face | Verdict::Edge | Verdict::Vertex);
        assert_eq!(hits, if is_hit { PAIRS } else { 0 }, "{name}");
        group.bench_with_input(BenchmarkId::from_parameter(name), &pairs, |b, pairs| {
            b.iter(|| {
                for (sweep, triangle) in pairs {
                    black_box(sweep_triangle(black_box(sweep), black_box(triangle)));
                }
            })
        });
    }
    group.finish();
}

/// Pairs that the kernel judges so, and that start without an overlap.
fn pairs_with<T: Real>(wanted: Verdict) -> Vec<(Sweep, Triangle<T>)> {
    let mut random = Random(SEED);
    let mut pairs = Vec::with_capacity(PAIRS);
    while pairs.len() < PAIRS {
        let mut point = |size: f64| Point3::from(Vector3::from_fn(|_, _| T::nearest(random.between(-size, size))));
        let triangle = Triangle::new(point(2.0), point(2.0), point(2.0));
        let start = point(4.0);
        let motion = random.direction() * random.between(0.1, 4.0);
        let radii = Vector3::from_fn(|_, _| T::nearest(random.between(0.3, 1.0)));
        let body = Ellipsoid::new(radii).expect("positive radii");
        let sweep = Sweep::new(&body, start, motion.map(T::nearest)).expect("finite numbers");
        if verdict(&body, start, motion, &sweep, &triangle) == Some(wanted) {
            pairs.push((sweep, triangle));
        }
    }
    pairs
}

/// What becomes of a pair, told from the heights over the triangle's plane in unit space; `None` if it starts too near it.
fn verdict<T: Real>(
    body: &Ellipsoid<T>,
    start: Point3<T>,
    motion: Vector3<f64>,
    sweep: &Sweep,
    triangle: &Triangle<T>,
) -> Option<Verdict> {
    let space = body.space();
    let [a, b, c] = triangle.vertices().map(|vertex| space.enter(&(vertex - start).map(Real::to_f64)));
    let normal = (b - a).cross(&(c - a)).try_normalize(1e-6)?;
    let height = -normal.dot(&a);
    let (normal, height) = if height < 0.0 { (-normal, -height) } else { (normal, height) };
    let approach = -normal.dot(&space.enter(&motion));
    if height < 1.01 {
        return None;
    }
    Some(match sweep_triangle(sweep, triangle).map(|contact| contact.feature) {
        Some(Feature::Face) => Verdict::Face,
        Some(Feature::Edge(_)) => Verdict::Edge,
        Some(Feature::Vertex(_)) => Verdict::Vertex,
        None if approach < 0.0 => Verdict::MovesAway,
        None if approach < height - 1.0 => Verdict::FarPlane,
        None => Verdict::Beside,
    })
}

criterion_group!(benches, sweep);

fn main() {
    // As criterion does: without `--bench` this is a test, and what is not named is not run.
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut names = arguments.iter().filter(|argument| !argument.starts_with("--")).peekable();
    let is_named = names.peek().is_none() || names.any(|name| "throughput".contains(name.as_str()));
    if is_named && arguments.iter().any(|argument| argument == "--bench") {
        throughput::print();
    }
    benches();
    Criterion::default().configure_from_args().final_summary();
}

//! How many overlap tests are done in a second, by the sort of shapes?

use std::{hint::black_box, time::Duration};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nalgebra::{Point, Point2, SVector, Vector2, Vector3};
use sidle::{
    Aabb, Aabb2, Ray2, Real, Segment,
    flat::{
        Ball, Circle, ConvexPolygon, Rectangle, TurnedBox, circle_circle, circle_rectangle, minimum_translation,
        polygon_polygon, segment_box, segment_segment, sphere_box, sphere_sphere,
    },
};

use self::inputs::Random;

mod inputs;

const SEED: u64 = 5;
/// Enough that no branch predictor knows them by heart.
const PAIRS: usize = 1024;

fn flat(c: &mut Criterion) {
    flat_in::<f32>(c, "flat/f32");
    flat_in::<f64>(c, "flat/f64");
}

fn flat_in<T: Real>(c: &mut Criterion, name: &str) {
    let mut group = c.benchmark_group(name);
    group.throughput(Throughput::Elements(PAIRS as u64));
    group.warm_up_time(Duration::from_millis(500));
    let random = &mut Random(SEED);
    macro_rules! bench {
        ($name:expr, $first:expr, $second:expr, $test:expr) => {{
            let pairs: Vec<_> = (0..PAIRS).map(|_| ($first(random), $second(random))).collect();
            let hits = pairs.iter().filter(|(a, b)| $test(a, b)).count();
            assert!(hits > PAIRS / 50 && hits < PAIRS, "{}: {hits} of {PAIRS} overlap", $name);
            group.bench_with_input(BenchmarkId::from_parameter($name), &pairs, |b, pairs| {
                b.iter(|| pairs.iter().filter(|(a, b)| $test(black_box(a), black_box(b))).count())
            });
        }};
    }
    bench!("box_box", rectangle::<T>, rectangle::<T>, |a: &Aabb2<T>, b: &Aabb2<T>| a.overlaps(b));
    bench!("circle_circle", ball::<T, 2>, ball::<T, 2>, |a: &_, b: &_| circle_circle(a, b).is_some());
    bench!("sphere_sphere", ball::<T, 3>, ball::<T, 3>, |a: &_, b: &_| sphere_sphere(a, b).is_some());
    bench!("circle_rectangle", ball::<T, 2>, turned::<T>, |a: &Circle<T>, b: &_| circle_rectangle(a, b).is_some());
    bench!("sphere_box", ball::<T, 3>, turned_box::<T>, |a: &_, b: &_| sphere_box(a, b).is_some());
    bench!("polygon_polygon", hexagon::<T>, hexagon::<T>, |a: &_, b: &_| polygon_polygon(a, b).is_some());
    bench!("minimum_translation", hexagon::<T>, hexagon::<T>, |a: &_, b: &_| minimum_translation(a, b).is_some());
    bench!("segment_segment", segment::<T>, segment::<T>, |a: &_, b: &_| segment_segment(a, b).is_some());
    bench!("segment_box", segment::<T>, rectangle::<T>, |a: &_, b: &_| segment_box(a, b).is_some());
    bench!("ray_box", ray::<T>, rectangle::<T>, |a: &Ray2<T>, b: &_| a.cast_box(b).is_some());
    bench!("ray_polygon", ray::<T>, hexagon::<T>, |a: &_, b: &ConvexPolygon<T>| b.cast_ray(a).is_some());
    group.finish();
}

fn vector<T: Real, const D: usize>(random: &mut Random, low: f64, high: f64) -> SVector<T, D> {
    SVector::from_fn(|_, _| T::nearest(random.between(low, high)))
}

fn place<T: Real, const D: usize>(random: &mut Random) -> Point<T, D> {
    Point::from(vector(random, -3.0, 3.0))
}

fn rectangle<T: Real>(random: &mut Random) -> Aabb2<T> {
    let min = place(random);
    Aabb { min, max: min + vector::<T, 2>(random, 0.2, 2.0) }
}

fn ball<T: Real, const D: usize>(random: &mut Random) -> Ball<T, D> {
    Ball::new(place(random), T::nearest(random.between(0.3, 1.5))).expect("a ball")
}

fn turned<T: Real>(random: &mut Random) -> Rectangle<T> {
    let angle = T::nearest(random.between(-3.0, 3.0));
    Rectangle::turned(place(random), vector(random, 0.3, 1.5), angle).expect("a rectangle")
}

fn turned_box<T: Real>(random: &mut Random) -> TurnedBox<T> {
    let axis: Vector3<T> = random.direction().map(T::nearest);
    let rotation = nalgebra::UnitQuaternion::new(axis);
    TurnedBox::turned(place(random), vector(random, 0.3, 1.5), &rotation).expect("a box")
}

fn hexagon<T: Real>(random: &mut Random) -> ConvexPolygon<T> {
    let (middle, turn) = (vector::<f64, 2>(random, -2.0, 2.0), random.between(0.0, 1.0));
    let vertex = |i: i32| {
        let angle = turn + f64::from(i) * std::f64::consts::FRAC_PI_3;
        Point2::from((middle + Vector2::new(libm::cos(angle), libm::sin(angle))).map(T::nearest))
    };
    ConvexPolygon::new((0..6).map(vertex).collect()).expect("a hexagon")
}

fn segment<T: Real>(random: &mut Random) -> Segment<T, 2> {
    Segment::new(place(random), place(random))
}

fn ray<T: Real>(random: &mut Random) -> Ray2<T> {
    Ray2::new(place(random), random.direction().xy().map(T::nearest)).expect("a ray")
}

criterion_group!(benches, flat);
criterion_main!(benches);

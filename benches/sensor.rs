//! How many rays does a tick with a thousand fans cast in a second, by what they look at?

use std::{hint::black_box, time::Duration};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nalgebra::{Point2, Point3, Rotation2, Rotation3, Vector2, Vector3, point};
use sidle::{
    Aabb, Octree, QueryFilter, World,
    flat::ConvexPolygon,
    mesh::primitives,
    sensor::{Obstacles, RayFan, Reading},
};

use self::inputs::Random;

mod inputs;

const SEED: u64 = 6;
const FANS: usize = 1000;
const RAYS: usize = 32;

fn sensor(c: &mut Criterion) {
    let mut group = c.benchmark_group("sensor");
    group.throughput(Throughput::Elements((FANS * RAYS) as u64));
    group.warm_up_time(Duration::from_secs(1)).sample_size(20);

    let random = &mut Random(SEED);
    let place = |random: &mut Random| point![random.between(0.0, 100.0), random.between(0.0, 100.0)];
    let (mut boxes, mut polygons) = (Obstacles::<f32, 2>::new(), Obstacles::new());
    for tag in 0..200 {
        let corner: Point2<f32> = place(random).map(|x| x as f32);
        let size = Vector2::new(random.between(0.5, 3.0), random.between(0.5, 3.0)).map(|x| x as f32);
        boxes.add_box(Aabb { min: corner, max: corner + size }, tag).expect("a box");
        let vertex = |x: f32, y: f32| corner + Vector2::new(x * size.x, y * size.y);
        let hexagon = [(0.5, 0.0), (1.0, 0.25), (1.0, 0.75), (0.5, 1.0), (0.0, 0.75), (0.0, 0.25)];
        let hexagon = ConvexPolygon::new(hexagon.iter().map(|(x, y)| vertex(*x, *y)).collect());
        polygons.add_polygon(hexagon.expect("convex"), tag);
    }
    let actors: Vec<(Point2<f32>, Rotation2<f32>)> =
        (0..FANS).map(|_| (place(random).map(|x| x as f32), Rotation2::new(random.between(0.0, 6.0) as f32))).collect();
    let thin = RayFan::spread(RAYS, Vector2::x(), 2.0, 15.0).expect("a fan");
    let thick = thin.clone().with_thickness(0.3).expect("a fan");
    for (what, obstacles) in [("boxes", &boxes), ("polygons", &polygons)] {
        for (how, fan) in [("thin", &thin), ("thick", &thick)] {
            let mut reading = Reading::new();
            let mut read = || {
                let mut sightings = 0;
                for (position, rotation) in &actors {
                    reading.read(fan, *position, rotation, obstacles).expect("good numbers");
                    sightings += reading.sightings().len();
                }
                sightings
            };
            assert!(read() > FANS, "they see something");
            group.bench_function(BenchmarkId::new(what, how), |b| b.iter(|| black_box(read())));
        }
    }

    let level = Octree::new(primitives::playground::<f32>());
    let bounds = level.bounds();
    let world = World::of_level(level);
    let mut inside = || {
        let at = Vector3::from_fn(|axis, _| random.between(f64::from(bounds.min[axis]), f64::from(bounds.max[axis])));
        (Point3::from(at.map(|x| x as f32)), Rotation3::new(random.direction().map(|x| x as f32)))
    };
    let actors: Vec<(Point3<f32>, Rotation3<f32>)> = (0..FANS).map(|_| inside()).collect();
    let thin = RayFan::in_plane(RAYS, Vector3::x(), Vector3::z(), 2.0, 15.0).expect("a fan");
    let thick = thin.clone().with_thickness(0.3).expect("a fan");
    for (how, fan) in [("thin", &thin), ("thick", &thick)] {
        let mut reading = Reading::new();
        let all = QueryFilter::default();
        let mut read = || {
            let mut sightings = 0;
            for (position, rotation) in &actors {
                reading.read_world(fan, *position, rotation, &world, &all, 1).expect("good numbers");
                sightings += reading.sightings().len();
            }
            sightings
        };
        assert!(read() > FANS, "they see something");
        group.bench_function(BenchmarkId::new("world", how), |b| b.iter(|| black_box(read())));
    }
    group.finish();
}

criterion_group!(benches, sensor);
criterion_main!(benches);

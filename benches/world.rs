//! What do many instances cost? Queries that meet a few of them, and moves, by how many there are.
//!
//! Blocks of a metre are strewn over a square, always as densely, a tenth of them turned. Each query is made at a place of its own, and
//! all sets of answers are compared with those of the same instances in a plain list first.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nalgebra::{Point3, UnitQuaternion, Vector3, vector};
use sidle::{
    Aabb3, CollisionWorld, Ellipsoid, Octree, QueryFilter, Ray3, Sweep, World,
    mesh::primitives,
    world::{InstanceId, MeshId, Placement},
};

use self::inputs::Random;

mod inputs;

const SEED: u64 = 5;
const QUERIES: usize = 256;
const COUNTS: [usize; 5] = [1, 10, 100, 1_000, 10_000];

struct Scene {
    world: World<f32>,
    ids: Vec<InstanceId>,
    placements: Vec<Placement<f32>>,
    side: f64,
}

fn block() -> Octree<f32> {
    Octree::new(primitives::cuboid([1.0, 1.0, 1.0]).expect("a block"))
}

impl Scene {
    fn new(count: usize) -> Self {
        let mut random = Random(SEED);
        let side = 3.0 * (count as f64).sqrt();
        let mut world = World::new();
        let mesh = world.add_mesh(block());
        let placements: Vec<_> = (0..count).map(|_| placement(&mut random, side)).collect();
        let ids = placements.iter().map(|placement| world.place(mesh, placement).expect("a good placement")).collect();
        Self { world, ids, placements, side }
    }

    /// Whether the world answers as its instances do one by one.
    fn check(&self, sweeps: &[Sweep], rays: &[Ray3<f32>]) {
        let tree = std::sync::Arc::new(block());
        let alone: Vec<(InstanceId, World<f32>)> = self
            .ids
            .iter()
            .zip(&self.placements)
            .map(|(id, placement)| {
                let mut world = World::new();
                let mesh: MeshId = world.add_mesh(tree.clone());
                world.place(mesh, placement).expect("a good placement");
                (*id, world)
            })
            .collect();
        let filter = QueryFilter::default();
        for sweep in &sweeps[..16] {
            let hits = alone.iter().filter_map(|(_, world)| world.sweep(sweep, &filter));
            let first = hits.map(|hit| hit.contact.fraction).reduce(f32::min);
            assert_eq!(self.world.sweep(sweep, &filter).map(|hit| hit.contact.fraction), first);
        }
        for ray in &rays[..16] {
            let first = alone.iter().filter_map(|(_, world)| world.cast_ray(ray, 50.0, &filter)).map(|hit| hit.t);
            assert_eq!(self.world.cast_ray(ray, 50.0, &filter).map(|hit| hit.t), first.reduce(f32::min));
        }
    }
}

fn placement(random: &mut Random, side: f64) -> Placement<f32> {
    let position = vector![random.between(0.0, side), random.between(0.0, 2.0), random.between(0.0, side)];
    let placement = Placement::at(Point3::from(position).cast());
    if random.between(0.0, 1.0) < 0.1 {
        let axis = nalgebra::Unit::new_normalize(random.direction());
        return placement.turned(UnitQuaternion::from_axis_angle(&axis, random.between(0.0, 3.0)).cast());
    }
    placement
}

fn queries(c: &mut Criterion) {
    let mut group = c.benchmark_group("world/queries");
    let filter = QueryFilter::default();
    for count in COUNTS {
        let scene = Scene::new(count);
        let mut random = Random(SEED + 1);
        let body = Ellipsoid::new(vector![0.4, 0.9, 0.4]).expect("good radii");
        let mut starts = Vec::new();
        let (mut steps, mut flights, mut rays, mut boxes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for _ in 0..QUERIES {
            let start =
                Point3::new(random.between(0.0, scene.side), 1.0, random.between(0.0, scene.side)).cast::<f32>();
            let mut way = random.direction();
            way.y *= 0.1;
            let way = way.normalize().cast::<f32>();
            starts.push(start);
            steps.push(Sweep::new(&body, start, way * 0.1).expect("good numbers"));
            flights.push(Sweep::new(&body, start, way * 50.0).expect("good numbers"));
            rays.push(Ray3::new(start, way).expect("a ray"));
            boxes.push(Aabb3 { min: start, max: start }.grow(&Vector3::repeat(1.0)));
        }
        scene.check(&steps, &rays);
        scene.check(&flights, &rays);
        let world = &scene.world;
        group.throughput(Throughput::Elements(QUERIES as u64));
        group.bench_function(BenchmarkId::new("sweep_10_cm", count), |b| {
            b.iter(|| steps.iter().filter(|sweep| black_box(world.sweep(sweep, &filter)).is_some()).count())
        });
        group.bench_function(BenchmarkId::new("sweep_50_m", count), |b| {
            b.iter(|| flights.iter().filter(|sweep| black_box(world.sweep(sweep, &filter)).is_some()).count())
        });
        group.bench_function(BenchmarkId::new("ray_50_m", count), |b| {
            b.iter(|| rays.iter().filter(|ray| black_box(world.cast_ray(ray, 50.0, &filter)).is_some()).count())
        });
        group.bench_function(BenchmarkId::new("triangles_in_2_m", count), |b| {
            b.iter(|| {
                let mut found = 0;
                for bounds in &boxes {
                    let bounds = Aabb3 { min: bounds.min.cast(), max: bounds.max.cast() };
                    world.each_triangle_near(&bounds, &filter, &mut |near| {
                        black_box(near);
                        found += 1;
                    });
                }
                found
            })
        });
        group.bench_function(BenchmarkId::new("closest_point", count), |b| {
            b.iter(|| {
                let found = |start: &&Point3<f32>| world.closest_point(**start, 10.0, &filter).expect("good").is_some();
                starts.iter().filter(found).count()
            })
        });
    }
    group.finish();
}

/// A tick in which 1,000 of 10,000 instances move: a little and on, to and fro, or to anywhere.
fn moves(c: &mut Criterion) {
    let mut group = c.benchmark_group("world/move_1000_of_10000");
    group.throughput(Throughput::Elements(1_000));
    for (name, speed) in [("2_cm", 0.02), ("20_cm", 0.2), ("anywhere", f64::INFINITY)] {
        let mut scene = Scene::new(10_000);
        let mut random = Random(SEED + 2);
        let speeds: Vec<Vector3<f32>> = (0..1_000).map(|_| (random.direction() * speed).cast()).collect();
        let mut tick = 0;
        group.bench_function(name, |b| {
            b.iter(|| {
                let sign = if (tick / 32) % 2 == 0 { 1.0 } else { -1.0 };
                tick += 1;
                for (i, speed) in speeds.iter().enumerate() {
                    let at = i * 10;
                    if speed.x.is_finite() {
                        scene.placements[at].pose.position += speed * sign;
                    } else {
                        scene.placements[at] = placement(&mut random, scene.side);
                    }
                    scene.world.move_to(scene.ids[at], &scene.placements[at]).expect("a good placement");
                }
            })
        });
    }
    group.finish();
    drives(c);
    c.bench_function("world/remove_and_place_1000_of_10000", |b| {
        let mut scene = Scene::new(10_000);
        let mesh = scene.world.add_mesh(block());
        b.iter(|| {
            for at in (0..10_000).step_by(10) {
                scene.world.remove(scene.ids[at]).expect("it is there");
            }
            for at in (0..10_000).step_by(10) {
                scene.ids[at] = scene.world.place(mesh, &scene.placements[at]).expect("a good placement");
            }
        })
    });
}

/// The same, driven: what is in their way is told how they move, until the next tick.
fn drives(c: &mut Criterion) {
    let mut group = c.benchmark_group("world/drive_1000_of_10000");
    group.throughput(Throughput::Elements(1_000));
    for (name, speed) in [("2_cm", 0.02), ("20_cm", 0.2)] {
        let mut scene = Scene::new(10_000);
        let mut random = Random(SEED + 3);
        let ways: Vec<Vector3<f32>> = (0..1_000).map(|_| (random.direction() * speed).cast()).collect();
        let mut tick = 0;
        group.bench_function(name, |b| {
            b.iter(|| {
                let sign = if (tick / 32) % 2 == 0 { 1.0 } else { -1.0 };
                tick += 1;
                scene.world.settle();
                for (i, way) in ways.iter().enumerate() {
                    let at = i * 10;
                    scene.placements[at].pose.position += way * sign;
                    scene.world.drive(scene.ids[at], &scene.placements[at], 1.0 / 60.0).expect("a good placement");
                }
            })
        });
    }
    group.finish();
}

criterion_group!(benches, queries, moves);
criterion_main!(benches);

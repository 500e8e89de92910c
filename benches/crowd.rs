//! What does a tick of a character cost that others are in the way of, beside the same without the others?

use std::{hint::black_box, time::Duration};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nalgebra::{Vector3, point, vector};
use sidle::{
    Character, CharacterConfig, Ellipsoid, Octree, QueryFilter, Ray3, Scratch, TickInput, World,
    character::{CharacterId, Crowd},
    mesh::primitives::terrain,
};

const SEED: u64 = 1;
/// Ticks a second, and metres a second.
const RATE: f32 = 60.0;
const SPEED: f32 = 3.0;
const RADII: [f32; 3] = [0.4, 0.9, 0.4];

/// How many, and the room for each, in square metres. With 1.6 nearly all touch somebody in nearly every tick.
const CROWDS: [(usize, f64); 4] = [(1_000, 1.6), (1_000, 6.4), (10_000, 1.6), (10_000, 6.4)];

/// On hills of 524,288 triangles.
fn crowds(c: &mut Criterion) {
    let world = World::of_level(Octree::new(terrain::<f32>(512, SEED).expect("a legal size")));
    let mut group = c.benchmark_group("crowd/terrain");
    group.sample_size(10).warm_up_time(Duration::from_secs(1));
    for (count, room) in CROWDS {
        group.throughput(Throughput::Elements(count as u64));
        let mut alone: Vec<_> = characters(&world, count, room).map(|c| (c, Scratch::default())).collect();
        let mut tick = 0;
        group.bench_function(BenchmarkId::new(format!("{count} alone"), room), |b| {
            b.iter(|| {
                for (number, (character, scratch)) in alone.iter_mut().enumerate() {
                    let report = character.tick(&world, &walking(number, tick), 1.0 / RATE, scratch);
                    black_box(report.expect("finite inputs").to);
                }
                tick += 1;
            });
        });
        let mut crowd = Crowd::new();
        let ids: Vec<CharacterId> =
            characters(&world, count, room).map(|character| crowd.add(character).expect("room")).collect();
        let mut tick = 0;
        group.bench_function(BenchmarkId::new(format!("{count} together"), room), |b| {
            b.iter(|| {
                let wish = |id, _: &_| walking(ids.binary_search(&id).unwrap_or(0), tick);
                crowd.tick(&world, 1.0 / RATE, wish).expect("finite inputs");
                tick += 1;
            });
        });
    }
    group.finish();
}

/// In a square that leaves each so much room.
fn characters(world: &World<f32>, count: usize, room: f64) -> impl Iterator<Item = Character<f32>> {
    let body = Ellipsoid::new(Vector3::from(RADII)).expect("positive radii");
    let side = (count as f64).sqrt().ceil();
    (0..count).map(move |i| {
        let along = |i: f64| ((i + 0.5 - side / 2.0) * room.sqrt()) as f32;
        let (x, z) = (along(i as f64 % side), along((i as f64 / side).floor()));
        let down = Ray3::new(point![x, 60.0, z], vector![0.0, -1.0, 0.0]).expect("a direction");
        let floor = world.cast_ray(&down, 120.0, &QueryFilter::default()).expect("there is a floor").point;
        Character::new(body, CharacterConfig::default(), point![x, floor.y + 1.0, z]).expect("a legal config")
    })
}

/// Each turns once a second.
fn walking(number: usize, tick: usize) -> TickInput<f32> {
    let turn = number as f64 * 2.4 + (tick / 60) as f64 * 2.0;
    let heading = vector![turn.cos() as f32, 0.0, turn.sin() as f32];
    TickInput { velocity: heading * SPEED, ..TickInput::default() }
}

criterion_group!(benches, crowds);
criterion_main!(benches);

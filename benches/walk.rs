//! What does a tick of a character cost: on a tour of the playground, on hills, standing still, and in a crowd of up to 10,000?

use std::{hint::black_box, time::Duration};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nalgebra::{Point3, Vector3, vector};
use sidle::{
    Character, CharacterConfig, Ellipsoid, Octree, QueryFilter, Ray3, Real, Scratch, TickInput, World,
    character::{Lone, tick_all},
    mesh::primitives::{PLAYGROUND_SPAWN, playground, playground_tour, terrain},
};

const SEED: u64 = 1;
/// Ticks a second, and metres a second.
const RATE: f64 = 60.0;
const SPEED: f64 = 3.0;
const RADII: [f64; 3] = [0.4, 0.9, 0.4];

fn walk(c: &mut Criterion) {
    walk_in::<f32>(c, "walk/f32");
    walk_in::<f64>(c, "walk/f64");
}

fn walk_in<T: Real>(c: &mut Criterion, name: &str) {
    let mut group = c.benchmark_group(name);
    group.sample_size(20).warm_up_time(Duration::from_secs(1));
    for (name, walk) in [("tour", tour::<T>()), ("terrain", hills::<T>()), ("idle", idle::<T>())] {
        group.throughput(Throughput::Elements(walk.inputs.len() as u64));
        group.bench_with_input(BenchmarkId::from_parameter(name), &walk, |b, walk| {
            let mut scratch = Scratch::default();
            b.iter(|| black_box(walk.end(&mut scratch).state()))
        });
    }
    group.finish();
    crowds::<T>(c, name);
}

/// Crowds on hills of 131,072 triangles, each with a heading and with working memory of its own. They do not see each other;
/// what grows with their number is the memory in use. One by one, and all with one call.
fn crowds<T: Real>(c: &mut Criterion, name: &str) {
    let world = World::of_level(Octree::new(terrain::<T>(256, SEED).expect("a legal size")));
    let mut group = c.benchmark_group(format!("{name}/crowd"));
    group.sample_size(10).warm_up_time(Duration::from_secs(1));
    for count in CROWDS {
        let mut walkers: Vec<_> = (0..count).map(|i| Walker::new(&world, i, count)).collect();
        walkers.iter_mut().for_each(|walker| walker.walk(&world, 60));
        let on_ground = walkers.iter().filter(|walker| walker.character.is_on_ground()).count();
        assert!(on_ground * 100 >= count * 99, "{on_ground} of {count} are on ground");
        group.throughput(Throughput::Elements(count as u64));
        group.bench_function(BenchmarkId::from_parameter(count), |b| {
            b.iter(|| walkers.iter_mut().for_each(|walker| walker.walk(&world, 1)));
        });
        let mut all: Vec<_> = walkers.iter().map(|walker| Lone::new(walker.character.clone())).collect();
        let mut ticks = walkers[0].ticks;
        group.bench_function(BenchmarkId::new("tick_all", count), |b| {
            b.iter(|| {
                for (lone, walker) in all.iter_mut().zip(&walkers) {
                    lone.input = walking(walker.way(ticks));
                }
                tick_all(&world, T::nearest(1.0 / RATE), &mut all).expect("finite inputs");
                ticks += 1;
            });
        });
    }
    group.finish();
}

const CROWDS: [usize; 5] = [1, 10, 100, 1_000, 10_000];

/// One of a crowd; it walks to and fro.
struct Walker<T: Real> {
    character: Character<T>,
    heading: Vector3<f64>,
    ticks: usize,
    scratch: Scratch,
}

impl<T: Real> Walker<T> {
    /// The `index`-th of `count`, in a square that leaves all room to walk.
    fn new(world: &World<T>, index: usize, count: usize) -> Self {
        let side = (count as f64).sqrt().ceil();
        let along = |i: f64| (i + 0.5) / side * 80.0 - 40.0;
        let above = vector![along((index as f64 % side).floor()), 30.0, along((index as f64 / side).floor())];
        let down = Ray3::new(Point3::from(above.map(T::nearest)), vector![0.0, -1.0, 0.0].map(T::nearest));
        let floor = world.cast_ray(&down.expect("a direction"), T::nearest(60.0), &QueryFilter::default());
        let floor = floor.expect("there is a floor").point.map(Real::to_f64);
        let body = Ellipsoid::new(Vector3::from(RADII).map(T::nearest)).expect("positive radii");
        let center = (floor + vector![0.0, RADII[1] + 0.1, 0.0]).map(T::nearest);
        let character = Character::new(body, CharacterConfig::default(), center).expect("a legal config");
        let angle = index as f64 * 2.4;
        let heading = vector![angle.cos(), 0.0, angle.sin()];
        Self { character, heading, ticks: 0, scratch: Scratch::default() }
    }

    /// The velocity wished for after so many ticks.
    fn way(&self, ticks: usize) -> Vector3<f64> {
        if (ticks / 60).is_multiple_of(2) { self.heading * SPEED } else { -self.heading * SPEED }
    }

    fn walk(&mut self, world: &World<T>, ticks: usize) {
        for _ in 0..ticks {
            let input = walking(self.way(self.ticks));
            self.character.tick(world, &input, T::nearest(1.0 / RATE), &mut self.scratch).expect("finite inputs");
            self.ticks += 1;
        }
    }
}

/// A walk whose inputs are known beforehand, so that only the character is timed.
struct Walk<T: Real> {
    world: World<T>,
    /// As it starts, settled on the ground.
    character: Character<T>,
    inputs: Vec<TickInput<T>>,
}

impl<T: Real> Walk<T> {
    fn start(world: World<T>, feet: Point3<f64>) -> Self {
        let body = Ellipsoid::new(Vector3::from(RADII).map(T::nearest)).expect("positive radii");
        let center = (feet + vector![0.0, RADII[1] + 0.02, 0.0]).map(T::nearest);
        let character = Character::new(body, CharacterConfig::default(), center).expect("a legal config");
        let mut walk = Self { world, character, inputs: Vec::new() };
        for _ in 0..60 {
            walk.character = walk.after(&[walking(Vector3::zeros())], &mut Scratch::default());
        }
        assert!(walk.character.is_on_ground());
        walk
    }

    fn end(&self, scratch: &mut Scratch) -> Character<T> {
        self.after(&self.inputs, scratch)
    }

    fn after(&self, inputs: &[TickInput<T>], scratch: &mut Scratch) -> Character<T> {
        let mut character = self.character.clone();
        for input in inputs {
            character.tick(&self.world, black_box(input), T::nearest(1.0 / RATE), scratch).expect("finite inputs");
        }
        character
    }
}

fn walking<T: Real>(velocity: Vector3<f64>) -> TickInput<T> {
    TickInput { velocity: velocity.map(T::nearest), ..TickInput::default() }
}

fn feet_of<T: Real>(character: &Character<T>) -> Point3<f64> {
    character.feet(Vector3::y_axis()).map(Real::to_f64)
}

/// Once around the playground: stairs, ramp, tunnel, gate, hills.
fn tour<T: Real>() -> Walk<T> {
    let mut walk = Walk::start(World::of_level(Octree::new(playground())), PLAYGROUND_SPAWN.into());
    let (mut guided, mut scratch) = (walk.character.clone(), Scratch::default());
    let mut on_ground = 0;
    for [x, _, z] in playground_tour() {
        loop {
            let feet = feet_of(&guided);
            let way = vector![x - feet.x, 0.0, z - feet.z];
            if way.norm() < 0.15 {
                break;
            }
            let input = walking(way.normalize() * SPEED);
            guided.tick(&walk.world, &input, T::nearest(1.0 / RATE), &mut scratch).expect("finite inputs");
            walk.inputs.push(input);
            on_ground += usize::from(guided.is_on_ground());
            assert!(walk.inputs.len() < 10_000, "the tour is stuck at {feet}");
        }
    }
    assert!(on_ground > walk.inputs.len() * 9 / 10, "on ground in {on_ground} of {} ticks", walk.inputs.len());
    assert_eq!(walk.end(&mut scratch).state(), guided.state());
    walk
}

/// A square of 15 m over hills of 20,000 triangles.
fn hills<T: Real>() -> Walk<T> {
    let tree = Octree::new(terrain::<T>(100, SEED).expect("a legal size"));
    let ray = Ray3::new(Point3::from(vector![0.0, 10.0, 0.0].map(T::nearest)), vector![0.0, -1.0, 0.0].map(T::nearest));
    let floor = tree.cast_ray(&ray.expect("a direction"), T::nearest(20.0)).expect("there is a floor");
    let mut walk = Walk::start(World::of_level(tree), floor.point.map(Real::to_f64));
    for heading in [Vector3::x(), Vector3::z(), -Vector3::x(), -Vector3::z()] {
        walk.inputs.extend([walking(heading * SPEED); 300]);
    }
    for half in [300, 600] {
        let character = walk.after(&walk.inputs[..half], &mut Scratch::default());
        let way = feet_of(&character) - feet_of(&walk.character);
        assert!(character.is_on_ground() && way.norm() > 10.0, "moved by {way}");
    }
    walk
}

/// Nothing but standing on the playground.
fn idle<T: Real>() -> Walk<T> {
    let mut walk = Walk::start(World::of_level(Octree::new(playground())), PLAYGROUND_SPAWN.into());
    walk.inputs = vec![walking(Vector3::zeros()); 600];
    let end = walk.end(&mut Scratch::default());
    assert!(end.is_on_ground() && end.position() == walk.character.position());
    walk
}

criterion_group!(benches, walk);
criterion_main!(benches);

//! Queries and ticks take no memory: a binary of its own, for its allocator counts.

use allocation_counter::{AllocationInfo, measure};
use nalgebra::{Point3, Vector3, point, vector};
use sidle::{
    Aabb, Character, CharacterConfig, Ellipsoid, Octree, QueryFilter, Ray3, Real, Scratch, Sweep, TickInput, World,
    broad_phase::{BruteForce, DynamicTree, IncrementalSweep, SortAndSweep},
    character::{BodyPart, BodyShape, ContactTracker, TickReport},
    flat::ConvexPolygon,
    mesh::primitives::{self, MeshBuilder},
    sensor::{Obstacles, RayFan, Reading},
    world::Placement,
};

const DT: f64 = 1.0 / 60.0;

fn allocations(run: impl FnOnce()) -> u64 {
    let AllocationInfo { count_total, .. } = measure(run);
    count_total
}

#[test]
fn the_counter_sees_one_vec() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1_u8]))), 1);
    assert_eq!(allocations(|| ()), 0);
}

fn queries_allocate_nothing<T: Real>() {
    let tree = Octree::new(primitives::playground::<T>());
    let world = World::of_level(tree.clone());
    let filter = QueryFilter::default();
    let number = T::nearest;
    let body = Ellipsoid::new(vector![number(0.4), number(0.9), number(0.4)]).expect("good radii");
    let max = T::nearest(100.0);
    let mut hits = 0;
    // Few enough for one thread.
    let starts: Vec<_> = (0..64).map(|i| point![f64::from(i) * 0.4 - 12.0, 3.0, 0.0].map(number)).collect();
    let down = vector![1.0, -4.0, 0.5].map(number);
    let sweeps: Vec<_> = starts.iter().map(|s| Sweep::new(&body, *s, down).expect("good numbers")).collect();
    let rays: Vec<_> = starts.iter().map(|s| Ray3::new(*s, down).expect("good numbers")).collect();
    let (mut many_hits, mut many_ray_hits, mut many_points) = (vec![None; 64], vec![None; 64], vec![None; 64]);
    let count = allocations(|| {
        tree.sweep_many(&sweeps, &mut many_hits);
        tree.cast_ray_many(&rays, max, &mut many_ray_hits);
        tree.closest_point_many(&starts, max, &mut many_points);
        for i in 0..100 {
            let start = point![f64::from(i) * 0.3 - 15.0, 3.0, f64::from(i % 10) * 3.0 - 15.0].map(number);
            let motion = vector![1.0, -4.0, 0.5].map(number);
            let sweep = Sweep::new(&body, start, motion).expect("good numbers");
            let ray = Ray3::new(start, motion).expect("good numbers");
            hits += usize::from(tree.sweep(&sweep).is_some() && world.sweep(&sweep, &filter).is_some());
            hits += usize::from(tree.cast_ray(&ray, max).is_some() && world.cast_ray(&ray, max, &filter).is_some());
            hits += usize::from(tree.closest_point(start, max).is_some());
            hits += usize::from(world.closest_point(start, max, &filter).is_ok_and(|found| found.is_some()));
            tree.each_contact(&sweep, |_| hits += 1);
            tree.each_overlap(&sweep, |_| hits += 1);
            tree.each_ray_hit(&ray, max, |_| hits += 1);
            hits += usize::from(tree.has_room(&sweep)) + usize::from(tree.is_ray_blocked(&ray, max));
        }
    });
    assert!(hits > 500, "they find something: {hits}");
    let many = many_hits.iter().flatten().count() + many_ray_hits.iter().flatten().count();
    assert!(many + many_points.iter().flatten().count() > 96, "they find something at once");
    assert_eq!(count, 0);
}

#[test]
fn no_query_allocates() {
    queries_allocate_nothing::<f32>();
    queries_allocate_nothing::<f64>();
}

#[test]
fn reading_a_fan_allocates_nothing_once_warm() {
    let mut walls = Obstacles::new();
    for i in 0..50 {
        let (x, y) = (f64::from(i % 10) * 3.0, f64::from(i / 10) * 3.0);
        walls.add_box(Aabb::new(point![x, y], point![x + 1.0, y + 1.0]), i as u64).expect("a box");
        let corners = vec![point![x + 1.5, y], point![x + 2.5, y], point![x + 2.0, y + 1.0]];
        walls.add_polygon(ConvexPolygon::new(corners).expect("a triangle"), 0);
    }
    let mut reading = Reading::new();
    let mut sightings = 0;
    for thickness in [0.0, 0.2] {
        let fan = RayFan::around(64, 12.0).and_then(|fan| fan.with_thickness(thickness)).expect("a fan");
        let mut round = |sightings: &mut usize| {
            for i in 0..40 {
                let actor = point![f64::from(i), f64::from(i % 15)];
                reading.read(&fan, actor, &nalgebra::Rotation2::identity(), &walls).expect("good numbers");
                *sightings += reading.sightings().len() + reading.nearest_by_object().count();
            }
        };
        round(&mut sightings);
        assert_eq!(allocations(|| round(&mut sightings)), 0);
    }
    assert!(sightings > 10_000, "{sightings} sightings");

    let world = World::of_level(Octree::new(primitives::playground::<f32>()));
    let mut reading = Reading::new();
    let fan = RayFan::in_plane(64, Vector3::x(), Vector3::z(), 6.0, 30.0).expect("a fan");
    let mut round = || {
        for i in 0..20 {
            let actor = point![i as f32 - 10.0, 1.0, 0.0];
            let (still, all) = (nalgebra::Rotation3::identity(), QueryFilter::default());
            reading.read_world(&fan, actor, &still, &world, &all, 2).expect("good numbers");
        }
        reading.sightings().len()
    };
    assert!(round() > 0);
    assert_eq!(allocations(|| assert!(round() > 0)), 0);
}

#[test]
fn broad_phases_allocate_nothing_once_warm() {
    let boxes = |shift: f32| -> Vec<Aabb<f32, 2>> {
        (0..300)
            .map(|i| {
                let (x, y) = ((i % 20) as f32 * 0.9, (i / 20) as f32 * 0.9 + shift * (i % 7) as f32);
                Aabb::new(point![x, y], point![x + 1.0, y + 1.0])
            })
            .collect()
    };
    let ticks: Vec<_> = (0..20).map(|tick| boxes((tick % 5) as f32 * 0.02)).collect();
    let (mut all, mut sweep, mut kept) = (BruteForce::new(), SortAndSweep::new(), IncrementalSweep::new());
    let mut tree = DynamicTree::new();
    let ids: Vec<_> = ticks[0].iter().map(|bounds| kept.add(*bounds).expect("a box")).collect();
    let leaves: Vec<_> = ticks[0].iter().map(|bounds| tree.add(*bounds).expect("a box")).collect();
    let mut round = || {
        let mut changes = 0;
        for boxes in &ticks {
            all.update(boxes).expect("good boxes");
            sweep.update(boxes).expect("good boxes");
            for (id, bounds) in ids.iter().zip(boxes) {
                kept.move_to(*id, *bounds).expect("it is there");
            }
            kept.update();
            for (id, bounds) in leaves.iter().zip(boxes) {
                tree.move_to(*id, *bounds).expect("it is there");
            }
            tree.update();
            assert_eq!(tree.pairs().len(), kept.pairs().len());
            changes += kept.begun().len() + kept.ended().len();
        }
        (changes, kept.pairs().len())
    };
    // The tree's loose boxes depend on what came before: it has had as many candidates after some rounds.
    (0..8).for_each(|_| assert!(round().1 > 100));
    assert_eq!(allocations(|| assert!(round().0 > 10)), 0);
}

/// Its position is at its feet.
fn snowman() -> BodyShape<f64> {
    let part = |radius: f64, height: f64| {
        BodyPart::new(Ellipsoid::sphere(radius).expect("a radius"), vector![0.0, height, 0.0]).expect("an offset")
    };
    BodyShape::new([part(0.4, 0.4), part(0.3, 1.0), part(0.2, 1.4)]).expect("three parts")
}

/// Walks `ticks` ticks with a warm scratch, and returns the number of allocations and the reports.
fn walk(world: &World<f64>, start: Point3<f64>, velocity: Vector3<f64>, ticks: usize) -> (u64, Vec<TickReport<f64>>) {
    let body = Ellipsoid::new(vector![0.4, 0.9, 0.4]).expect("good radii");
    walk_as(body.into(), world, start, velocity, ticks)
}

/// The same as a body of any shape.
fn walk_as(
    body: BodyShape<f64>,
    world: &World<f64>,
    start: Point3<f64>,
    velocity: Vector3<f64>,
    ticks: usize,
) -> (u64, Vec<TickReport<f64>>) {
    let mut character = Character::new(body, CharacterConfig::default(), start).expect("a character");
    let mut scratch = Scratch::default();
    let input = TickInput { velocity, ..TickInput::default() };
    let mut reports = Vec::with_capacity(2 * ticks);
    let fresh = character.state();
    let (mut contacts, mut events) = (ContactTracker::default(), 0);
    let mut run = |reports: &mut Vec<TickReport<f64>>| {
        character.restore(fresh).expect("a state");
        for _ in 0..ticks {
            let report = character.tick(world, &input, DT, &mut scratch).expect("good numbers");
            contacts.update(report.touches(), |_| events += 1);
            reports.push(report);
        }
    };
    run(&mut reports);
    reports.clear();
    let count = allocations(|| run(&mut reports));
    assert!(events > 0, "contacts are told, too");
    (count, reports)
}

#[test]
fn sliding_on_three_planes_allocates_nothing() {
    let mut level = MeshBuilder::new();
    level.append(&primitives::floor::<f64>(20.0, 20.0, 10, 10).expect("a floor"), [0.0; 3]);
    level.append(&primitives::cuboid::<f64>([1.0, 2.0, 10.0]).expect("a wall"), [5.0, 2.0, 0.0]);
    level.append(&primitives::cuboid::<f64>([10.0, 2.0, 1.0]).expect("a wall"), [0.0, 2.0, 5.0]);
    let world = World::of_level(Octree::new(level.build::<f64>().expect("a level")));
    let (count, reports) = walk(&world, point![2.0, 0.92, 2.5], vector![4.0, 0.0, 3.0], 120);
    let walls = |report: &TickReport<f64>| report.lateral.touches.len();
    assert!(reports.iter().any(|report| walls(report) >= 2 && report.ground.touch.is_some()), "it is in the corner");
    assert_eq!(count, 0);
}

#[test]
fn stepping_up_allocates_nothing() {
    let world = World::of_level(Octree::new(primitives::playground::<f64>()));
    let (count, reports) = walk(&world, point![-17.5, 0.92, 6.0], vector![3.0, 0.0, 0.0], 90);
    assert!(reports.iter().filter(|report| report.has_stepped).count() > 5, "it climbs the stairs");
    assert_eq!(count, 0);
}

#[test]
fn landing_allocates_nothing() {
    let world = World::of_level(Octree::new(primitives::playground::<f64>()));
    let (count, reports) = walk(&world, point![0.0, 6.0, 14.0], vector![1.0, 0.0, 0.0], 90);
    let grounded = |report: &TickReport<f64>| report.ground.state == sidle::character::GroundState::OnGround;
    assert!(!grounded(&reports[30]) && grounded(&reports[89]), "it falls and lands");
    assert_eq!(count, 0);
}

#[test]
fn a_body_of_several_ellipsoids_allocates_nothing() {
    let world = World::of_level(Octree::new(primitives::playground::<f64>()));
    let (count, reports) = walk_as(snowman(), &world, point![-17.5, 0.02, 6.0], vector![3.0, 0.0, 0.0], 90);
    assert!(reports.iter().filter(|report| report.has_stepped).count() > 5, "it climbs the stairs");
    assert_eq!(count, 0);
}

/// One thread; with more, rayon may take some to share out the work.
#[cfg(not(feature = "parallel"))]
#[test]
fn a_crowd_allocates_nothing_once_warm() {
    let world = World::of_level(Octree::new(primitives::floor::<f64>(20.0, 20.0, 10, 10).expect("a floor")));
    let body = Ellipsoid::new(vector![0.4, 0.9, 0.4]).expect("good radii");
    let mut crowd = sidle::character::Crowd::new();
    for i in 0..16 {
        let place = point![f64::from(i % 4) * 1.5 - 2.0, 0.92, f64::from(i / 4) * 1.5 - 2.0];
        crowd.add(Character::new(body, CharacterConfig::default(), place).expect("a character")).expect("room");
    }
    for i in 0..4 {
        let place = point![f64::from(i) * 1.5 - 2.0, 0.02, 4.0];
        crowd.add(Character::new(snowman(), CharacterConfig::default(), place).expect("a character")).expect("room");
    }
    // All to the middle and back again.
    let mut touches = 0;
    let mut round = || {
        for tick in 0..120 {
            let wish = |_, character: &Character<f64>| {
                let way = if tick < 60 { -3.0 } else { 3.0 };
                let at = character.position();
                TickInput { velocity: vector![at.x, 0.0, at.z].normalize() * way, ..TickInput::default() }
            };
            crowd.tick(&world, DT, wish).expect("good numbers");
            let reports = crowd.iter().filter_map(|(id, _)| crowd.report(id));
            touches += reports.flat_map(TickReport::touches).filter(|touch| touch.other.is_some()).count();
        }
    };
    (0..4).for_each(|_| round());
    assert_eq!(allocations(round), 0);
    assert!(touches > 1_000, "they are in each other's way: {touches}");
}

/// A wall pushes a block of people before it, and against each other.
#[cfg(not(feature = "parallel"))]
#[test]
fn pushes_through_a_crowd_allocate_nothing_once_warm() {
    let mut world = World::of_level(Octree::new(primitives::floor::<f64>(40.0, 40.0, 4, 4).expect("a floor")));
    let wall = world.add_mesh(Octree::new(primitives::cuboid::<f64>([0.1, 1.0, 4.0]).expect("a wall")));
    let wall = world.place(wall, &Placement::default()).expect("it is placed");
    let body = Ellipsoid::new(vector![0.4, 0.9, 0.4]).expect("good radii");
    let mut crowd = sidle::character::Crowd::new();
    for i in 0..16 {
        let place = point![f64::from(i % 4) - 2.0, 0.92, f64::from(i / 4) * 0.9 - 2.0];
        crowd.add(Character::new(body, CharacterConfig::default(), place).expect("a character")).expect("room");
    }
    let fresh: Vec<_> = crowd.states().collect();
    let mut pushes = 0;
    let mut round = || {
        fresh.iter().for_each(|(id, state)| crowd.restore(*id, *state).expect("a state"));
        world.move_to(wall, &Placement::at(point![-4.0, 1.0, 0.0])).expect("it is moved");
        for tick in 0..120 {
            world.settle();
            let there = point![-4.0 + 2.0 * f64::from(tick) * DT, 1.0, 0.0];
            world.drive(wall, &Placement::at(there), DT).expect("it is driven");
            crowd.tick(&world, DT, |_, _| TickInput::default()).expect("good numbers");
            let reports = crowd.iter().filter_map(|(id, _)| crowd.report(id));
            pushes += reports.filter(|report| report.ride.pushed != Vector3::zeros()).count();
        }
    };
    (0..4).for_each(|_| round());
    assert_eq!(allocations(round), 0);
    assert!(pushes > 1_000, "they push each other: {pushes}");
}

#[test]
fn riding_and_being_pushed_allocates_nothing() {
    let mut world = World::of_level(Octree::new(primitives::floor::<f64>(20.0, 20.0, 4, 4).expect("a floor")));
    let block = world.add_mesh(Octree::new(primitives::cuboid::<f64>([2.0, 0.1, 2.0]).expect("a block")));
    let wall = world.add_mesh(Octree::new(primitives::cuboid::<f64>([0.1, 1.0, 2.0]).expect("a wall")));
    let lift = world.place(block, &Placement::default()).expect("it is placed");
    let wall = world.place(wall, &Placement::at(point![-3.0, 2.0, 0.0])).expect("it is placed");
    let body = Ellipsoid::new(vector![0.4, 0.9, 0.4]).expect("good radii");
    let start = point![1.0, 1.02, 0.0];
    let mut character = Character::new(body, CharacterConfig::default(), start).expect("a character");
    let (fresh, mut scratch) = (character.state(), Scratch::default());
    let mut round = || {
        character.restore(fresh).expect("a state");
        world.move_to(lift, &Placement::default()).expect("it is moved");
        world.move_to(wall, &Placement::at(point![-3.0, 1.2, 0.0])).expect("it is moved");
        let (mut carried, mut pushed) = (0.0, 0.0);
        for tick in 0..60 {
            let time = f64::from(tick) * DT;
            world.settle();
            world.drive(lift, &Placement::at(point![0.0, time, 0.0]), DT).expect("it is driven");
            world.drive(wall, &Placement::at(point![-3.0 + 4.0 * time, 1.2 + time, 0.0]), DT).expect("it is driven");
            let report = character.tick(&world, &TickInput::default(), DT, &mut scratch).expect("good numbers");
            carried += report.ride.carried.norm();
            pushed += report.ride.pushed.norm();
        }
        assert!(carried > 0.5 && pushed > 0.2, "carried {carried} m, pushed {pushed} m");
    };
    // The loose boxes of the world's tree depend on what came before.
    (0..3).for_each(|_| round());
    assert_eq!(allocations(&mut round), 0);
}

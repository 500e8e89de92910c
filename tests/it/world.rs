//! The world: placed instances, their names, layers, one-sided meshes, and worlds that are not ours.

use nalgebra::{Point3, UnitQuaternion, Vector3, point, vector};
use sidle::{
    Aabb3, BruteForce, Character, CharacterConfig, CollisionWorld, Contact, Ellipsoid, InputError, Octree, QueryFilter,
    Ray3, Real, Scratch, StartOverlap, Sweep, TickInput, TriMesh, World,
    mesh::{Sides, primitives},
    world::{InstanceId, Layers, Placement, Stamp, WorldError, WorldTriangle},
};

use crate::random::Random;

const QUERIES: usize = 6000;

/// The mesh with its vertices where a placement puts them, each rounded once.
fn baked<T: Real>(mesh: &TriMesh<T>, placement: &Placement<T>) -> TriMesh<f64> {
    let rotation = nalgebra::Quaternion::from(placement.pose.rotation.coords.map(Real::to_f64));
    let rotation = UnitQuaternion::new_normalize(rotation);
    let position = placement.pose.position.coords.map(Real::to_f64);
    let scale = placement.scale.map(Real::to_f64);
    let place =
        |vertex: &Point3<T>| Point3::from(rotation * vertex.coords.map(Real::to_f64).component_mul(&scale) + position);
    TriMesh::new(mesh.vertices().iter().map(place).collect(), mesh.indices().collect()).expect("a mesh")
}

fn random_placement<T: Real>(random: &mut Random) -> Placement<T> {
    let scale = Vector3::from_fn(|_, _| random.between(0.3, 3.0) * if random.below(3) == 0 { -1.0 } else { 1.0 });
    let position = random.direction() * random.between(0.0, 30.0);
    Placement::at(Point3::from(position).map(T::nearest)).turned(random.rotation()).scaled(scale.map(T::nearest))
}

/// Sweeps, rays and closest points of a placed mesh against those of the mesh baked into the world.
///
/// `rounding` is what a coordinate of the answer may be off by, per metre.
fn a_placed_mesh_answers_as_a_baked_one<T: Real>(seed: u64, rounding: f64) {
    let mut random = Random(seed);
    let filter = QueryFilter::default();
    let [mut hits, mut grazing] = [0; 2];
    for mesh in [
        primitives::terrain::<T>(8, 3),
        primitives::spiral_stairs(9, 0.2, 0.4, 1.0, 3.0),
        primitives::sphere(2.0, 9, 12),
    ] {
        let mesh = mesh.expect("a mesh");
        for _ in 0..10 {
            let placement = random_placement::<T>(&mut random);
            let mut world = World::new();
            let id = world.add_mesh(Octree::new(mesh.clone()));
            world.place(id, &placement).expect("a good placement");
            let baked = BruteForce::new(baked(&mesh, &placement));
            let bounds = baked.mesh().bounds();
            for _ in 0..QUERIES / 30 {
                let radii = Vector3::from_fn(|_, _| T::nearest(random.between(0.2, 1.0)));
                let body = Ellipsoid::turned(radii, random.rotation()).expect("good radii");
                let start = random.point_in(&bounds) + random.direction() * 4.0;
                let (start, motion) = (start.map(T::nearest), (random.direction() * 8.0).map(T::nearest));
                let sweep = Sweep::new(&body, start, motion).expect("good numbers");
                let (placed, plain) = (world.sweep(&sweep, &filter), baked.sweep(&sweep));
                // 1 / cosine: a rounding of the surface moves a grazing contact by that much. A body that only brushes past
                // is met or not met by the same rounding, and is counted instead.
                let Some((placed, plain)) = placed.zip(plain) else {
                    grazing += usize::from(placed.is_some() != plain.is_some());
                    continue;
                };
                let (placed, plain) = (placed.contact.cast::<f64>(), plain.contact);
                let cosine = plain.normal.dot(&motion.map(Real::to_f64).normalize()).abs();
                let bound = rounding * 64.0 / cosine.max(1e-3);
                let off = (placed.distance - plain.distance).abs();
                assert!(off <= bound || cosine < 1e-3, "{off} > {bound}: {placed:?} instead of {plain:?}");
                assert_eq!(placed.overlap.is_some(), plain.overlap.is_some());
                let depths = placed.overlap.zip(plain.overlap).map_or(0.0, |(a, b)| (a - b).abs());
                assert!(depths <= 64.0 * rounding, "depths differ by {depths}");
                hits += 1;

                let direction = random.direction().map(T::nearest);
                let ray = Ray3::new(start, direction).expect("a ray");
                let max = T::nearest(100.0);
                let wide = Ray3::new(start.map(Real::to_f64), direction.map(Real::to_f64)).expect("a ray");
                let (placed, plain) = (world.cast_ray(&ray, max, &filter), baked.cast_ray(&wide, 100.0));
                let Some((placed, plain)) = placed.zip(plain) else {
                    grazing += usize::from(placed.is_some() != plain.is_some());
                    continue;
                };
                let cosine = plain.normal.dot(&wide.direction().normalize()).abs().max(1e-3);
                let off = (placed.t.to_f64() - plain.t).abs();
                assert!(off <= 64.0 * rounding / cosine, "ray: {off}");
                let turned = placed.normal.map(Real::to_f64).dot(&plain.normal);
                assert!(placed.triangle != plain.triangle || turned > 1.0 - rounding, "normals: {turned}");

                let placed = world.closest_point(start, T::nearest(50.0), &filter).expect("a good point");
                let plain = baked.closest_point(start.map(Real::to_f64), 50.0);
                let (placed, plain) = placed.zip(plain).expect("it is near");
                let off = (placed.distance.to_f64() - plain.distance).abs();
                assert!(off <= 64.0 * rounding, "closest: {off}");
            }
        }
    }
    println!("{hits} contacts compared, {grazing} queries met only one of the two");
    assert!(hits > QUERIES / 5 && grazing <= 2, "{hits} hits, {grazing} grazing");
}

#[test]
fn a_placed_mesh_answers_as_a_baked_one_in_f64() {
    a_placed_mesh_answers_as_a_baked_one::<f64>(1, f64::EPSILON * 32.0);
}

#[test]
fn a_placed_mesh_answers_as_a_baked_one_in_f32() {
    // The rotation is rounded to f32, and its length with it.
    a_placed_mesh_answers_as_a_baked_one::<f32>(2, f64::from(f32::EPSILON));
}

fn floor() -> Octree<f64> {
    Octree::new(primitives::floor(4.0, 4.0, 2, 2).expect("a floor"))
}

/// A ball that falls from 2 m above the origin.
fn fall() -> Sweep {
    let ball = Ellipsoid::sphere(0.5).expect("a ball");
    Sweep::new(&ball, point![0.1, 2.0, 0.2], vector![0.0, -4.0, 0.0]).expect("good numbers")
}

#[test]
fn the_name_of_a_removed_instance_stays_unused() {
    let mut world = World::new();
    let mesh = world.add_mesh(floor());
    let first = world.place(mesh, &Placement::default()).expect("it is placed");
    let other = world.place(mesh, &Placement::at(point![0.0, -1.0, 0.0])).expect("it is placed");
    world.remove(first).expect("it is there");
    assert_eq!(world.remove(first), Err(WorldError::NoSuchInstance));
    assert_eq!(world.move_to(first, &Placement::default()), Err(WorldError::NoSuchInstance));
    assert!(world.placement(first).is_none() && world.mesh_of(first).is_none());
    assert!(world.placement(other).is_some(), "the other one is still there");
    let again = world.place(mesh, &Placement::at(point![0.0, 1.0, 0.0])).expect("it is placed");
    assert_ne!(again, first);
    assert!(world.placement(first).is_none(), "the old name does not find the new one");
    let hit = world.sweep(&fall(), &QueryFilter::default()).expect("it lands");
    assert_eq!((hit.instance, hit.contact.distance), (again, 0.5));
    world.remove(again).expect("it is there");
    assert_eq!(world.sweep(&fall(), &QueryFilter::default()).map(|hit| hit.instance), Some(other));
}

#[test]
fn an_instance_can_be_moved() {
    let mut world = World::new();
    let mesh = world.add_mesh(floor());
    let id = world.place(mesh, &Placement::default()).expect("it is placed");
    let lower = Placement::at(point![0.0, -1.0, 0.0]);
    world.move_to(id, &lower).expect("it is there");
    assert_eq!(world.placement(id), Some(&lower));
    assert_eq!(world.sweep(&fall(), &QueryFilter::default()).map(|hit| hit.contact.distance), Some(2.5));
}

#[test]
fn a_filter_sees_layers_and_not_what_is_ignored() {
    let mut world = World::new();
    let mesh = world.add_mesh(floor());
    let [solid, water] = [Layers(0b01), Layers(0b10)];
    let ground = world.place(mesh, &Placement::default().on(solid)).expect("it is placed");
    let lake = world.place(mesh, &Placement::at(point![0.0, 1.0, 0.0]).on(water)).expect("it is placed");
    let nothing = world.place(mesh, &Placement::at(point![0.0, 1.2, 0.0]).on(Layers(0))).expect("it is placed");
    let seen = |filter: &QueryFilter| {
        let swept = world.sweep(&fall(), filter).map(|hit| hit.instance);
        let ray = Ray3::new(point![0.1, 2.0, 0.2], vector![0.0, -1.0, 0.0]).expect("a ray");
        assert_eq!(world.cast_ray(&ray, 10.0, filter).map(|hit| hit.instance), swept);
        let closest = world.closest_point(point![0.1, 2.0, 0.2], 10.0, filter).expect("a good point");
        assert_eq!(closest.map(|point| point.instance), swept);
        assert_eq!(world.first_contact_near(&fall(), filter).map(|near| near.source.instance), swept);
        swept
    };
    assert_eq!(seen(&QueryFilter::default()), Some(lake));
    assert_eq!(seen(&QueryFilter::of_layers(solid)), Some(ground));
    assert_eq!(seen(&QueryFilter::of_layers(Layers(0b11))), Some(lake));
    assert_eq!(seen(&QueryFilter::of_layers(Layers(0b100))), None);
    let mut filter = QueryFilter::default();
    filter.ignored.push(lake);
    assert_eq!(seen(&filter), Some(ground));
    filter.ignored.push(ground);
    assert_eq!(seen(&filter), None, "{nothing:?} is on no layer");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let mut world = World::<f64>::new();
    let mesh = world.add_mesh(floor());
    let good = Placement::default();
    let id = world.place(mesh, &good).expect("it is placed");
    let bad = [
        Placement::at(point![f64::NAN, 0.0, 0.0]),
        Placement::at(point![0.0, f64::INFINITY, 0.0]),
        Placement::at(point![0.0, 1e16, 0.0]),
        good.scaled(vector![1.0, 0.0, 1.0]),
        good.scaled(vector![1.0, f64::NAN, 1.0]),
        good.scaled(vector![1.0, 1.0, f64::NEG_INFINITY]),
        good.turned(UnitQuaternion::new_unchecked(nalgebra::Quaternion::new(f64::NAN, 0.0, 0.0, 0.0))),
    ];
    for placement in bad {
        assert!(matches!(world.place(mesh, &placement), Err(WorldError::Input(_))), "{placement:?}");
        assert!(matches!(world.move_to(id, &placement), Err(WorldError::Input(_))), "{placement:?}");
        assert_eq!(world.placement(id), Some(&good));
    }
    let mut other = World::<f64>::new();
    assert_eq!(other.place(mesh, &good), Err(WorldError::NoSuchMesh));
    assert_eq!(other.remove(id), Err(WorldError::NoSuchInstance));
    assert_eq!(world.remove(InstanceId::foreign(7)), Err(WorldError::NoSuchInstance));
    let body = Ellipsoid::sphere(0.5).expect("a ball");
    let nan = point![0.0, f64::NAN, 0.0];
    let filter = QueryFilter::default();
    let not_finite = |error: InputError| matches!(error, InputError::NotFinite { .. });
    assert!(world.first_contact(&body, nan, Vector3::zeros(), &filter).is_err_and(not_finite));
    assert!(world.has_room(&body, nan, &filter).is_err_and(not_finite));
    assert!(world.closest_point(nan, 1.0, &filter).is_err_and(not_finite));
    assert!(world.each_overlap(&body, nan, &filter, |_| ()).is_err_and(not_finite));
}

#[test]
fn a_one_sided_floor_stops_what_falls_on_it_and_lets_pass_what_rises_through() {
    let sheet = primitives::floor::<f64>(4.0, 4.0, 2, 2).expect("a floor").with_sides(Sides::Front);
    let mut world = World::new();
    let mesh = world.add_mesh(Octree::new(sheet));
    let id = world.place(mesh, &Placement::default()).expect("it is placed");
    let ball = Ellipsoid::sphere(0.5).expect("a ball");
    let filter = QueryFilter::default();
    // A mirror across the sheet turns its front down; one along it changes nothing.
    let mirrors = [[1.0, 1.0, 1.0], [-1.0, 1.0, 1.0], [1.0, 1.0, -1.0], [-1.0, 1.0, -1.0], [1.0, -1.0, 1.0], [-1.0; 3]];
    for mirror in mirrors.map(Vector3::from) {
        world.move_to(id, &Placement::default().scaled(mirror)).expect("it is there");
        let sweep = |from: f64, by: f64| {
            let sweep = Sweep::new(&ball, point![0.1, from, 0.2], vector![0.3, by, 0.0]).expect("good numbers");
            let found = world.sweep(&sweep, &filter);
            let near = world.first_contact_near(&sweep, &filter);
            assert_eq!(found.is_some(), near.is_some());
            let plain = Triangles(triangles_of(&world)).first_contact_near(&sweep, &filter);
            assert_eq!(found.is_some(), plain.is_some(), "the triangle knows that it is mirrored");
            found
        };
        let front = mirror.y;
        assert!(sweep(2.0 * front, -4.0 * front).is_some(), "{mirror:?}: against the front");
        assert!(sweep(-2.0 * front, 4.0 * front).is_none(), "{mirror:?}: through the back");
    }
}

/// A world of another engine: triangles in a list.
struct Triangles(Vec<WorldTriangle>);

impl CollisionWorld for Triangles {
    fn each_triangle_near(&self, bounds: &Aabb3<f64>, filter: &QueryFilter, visit: &mut dyn FnMut(WorldTriangle)) {
        let seen = self.0.iter().filter(|near| filter.sees(near.instance, Layers::default()));
        seen.filter(|near| near.triangle.bounds().overlaps(bounds)).for_each(|near| visit(*near));
    }
}

/// A world that must be asked for finite boxes.
struct Boxes<'a>(&'a World<f64>);

impl CollisionWorld for Boxes<'_> {
    fn each_triangle_near(&self, bounds: &Aabb3<f64>, filter: &QueryFilter, visit: &mut dyn FnMut(WorldTriangle)) {
        let mut corners = bounds.min.iter().chain(bounds.max.iter());
        assert!(corners.all(|x| x.is_finite()), "{bounds:?}");
        self.0.each_triangle_near(bounds, filter, visit);
    }

    fn stamp(&self) -> Option<Stamp> {
        self.0.stamp()
    }
}

#[test]
fn a_giant_that_stood_and_walks_on_asks_for_a_box() {
    let floor = primitives::floor(200.0, 200.0, 4, 4).expect("a floor");
    let world = World::of_level(Octree::new(floor));
    for radius in [0.4, 4.0, 50.0] {
        let body = Ellipsoid::new(vector![radius, radius, radius]).expect("a body");
        let config = CharacterConfig::default();
        let mut giant = Character::new(body, config, point![0.0, radius + 0.02, 0.0]).expect("a character");
        let mut scratch = Scratch::default();
        for speed in [0.0, 0.0, 1.0, 20.0, 0.0, 60.0] {
            let input = TickInput { velocity: vector![speed, 0.0, 0.0], ..TickInput::default() };
            giant.tick(&Boxes(&world), &input, 1.0 / 60.0, &mut scratch).expect("good numbers");
        }
        assert!(giant.is_on_ground() && giant.position().x > 1.0, "at {}", giant.position());
    }
}

fn triangles_of<T: Real>(world: &World<T>) -> Vec<WorldTriangle> {
    let everything = Aabb3 { min: Point3::from(Vector3::repeat(-1e6)), max: Point3::from(Vector3::repeat(1e6)) };
    let mut triangles = Vec::new();
    world.each_triangle_near(&everything, &QueryFilter::default(), &mut |near| triangles.push(near));
    triangles.sort_by_key(|near| (near.instance, near.index));
    triangles
}

/// A contact without the surface's normal, whose last bit depends on the way to it.
fn answer((contact, triangle): (Contact<f64>, u32)) -> (f64, Point3<f64>, Vector3<f64>, Option<f64>, u32) {
    (contact.fraction, contact.point, contact.normal.into_inner(), contact.overlap, triangle)
}

#[test]
fn the_sweep_that_any_world_gets_for_free_is_that_of_ours() {
    let world = World::of_level(Octree::new(primitives::playground::<f64>()));
    let plain = Triangles(triangles_of(&world));
    let mesh = primitives::playground::<f64>();
    assert_eq!(plain.0.len(), mesh.len());
    let mut random = Random(4);
    let mut hits = 0;
    for i in 0..2000 {
        let overlap = if i % 2 == 0 { StartOverlap::Report } else { StartOverlap::LetLeave };
        let sweep = random.sweep(&mesh).with_start_overlap(overlap);
        let filter = QueryFilter::default();
        let (ours, free) = (world.first_contact_near(&sweep, &filter), plain.first_contact_near(&sweep, &filter));
        // Not to the bit: the world turns the mesh's normal, and normalizes it again.
        let [a, b] = [ours, free].map(|near| near.map(|near| (near.contact, near.source.index)));
        assert_eq!(a.map(answer), b.map(answer), "sweep {i}");
        hits += usize::from(ours.is_some());
    }
    println!("2000 sweeps, {hits} hits");
    assert!(hits > 500);
}

#[test]
fn the_first_contact_near_is_that_of_the_mesh() {
    let tree = Octree::new(primitives::playground::<f64>());
    let world = World::of_level(tree.clone());
    let mut random = Random(5);
    for _ in 0..500 {
        let sweep = random.sweep(tree.mesh());
        let near = world.first_contact_near(&sweep, &QueryFilter::default());
        let near = near.map(|near| answer((near.contact, near.source.index)));
        assert_eq!(near, tree.sweep(&sweep).map(|hit| answer((hit.contact, hit.triangle))));
    }
}

#[test]
fn a_character_walks_on_geometry_of_another_engine() {
    let world = World::of_level(Octree::new(primitives::playground::<f64>()));
    let plain = Triangles(triangles_of(&world));
    let body = Ellipsoid::new(vector![0.4, 0.9, 0.4]).expect("good radii");
    let begin = || Character::new(body, CharacterConfig::default(), point![-17.5, 0.92, 6.0]).expect("a character");
    let (mut ours, mut theirs, mut scratch) = (begin(), begin(), Scratch::default());
    let input = TickInput { velocity: vector![3.0, 0.0, 0.0], ..TickInput::default() };
    for _ in 0..180 {
        ours.tick(&world, &input, 1.0 / 60.0, &mut scratch).expect("good numbers");
        theirs.tick(&plain as &dyn CollisionWorld, &input, 1.0 / 60.0, &mut scratch).expect("good numbers");
        assert_eq!(ours.state(), theirs.state());
    }
    assert!(ours.position().y > 2.5, "it has climbed the stairs: {}", ours.position());
}

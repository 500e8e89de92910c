//! Ray fans against marching, against each other's ways, and by hand.

use std::sync::Arc;

use nalgebra::{Point, Point2, Rotation2, Rotation3, SVector, UnitQuaternion, Vector2, Vector3, point, vector};
use sidle::{
    Aabb, InputError, Octree, QueryFilter, Real, Segment, World,
    flat::ConvexPolygon,
    mesh::primitives,
    sensor::{ObstacleId, Obstacles, RayFan, Reading, SensorError},
    world::Placement,
};

use crate::random::Random;

fn square(x: f64, y: f64, half: f64) -> Aabb<f64, 2> {
    Aabb::new(point![x - half, y - half], point![x + half, y + half])
}

#[test]
fn sensor_tells_what_each_ray_meets_and_who_sees_what() {
    let mut objects = Obstacles::new();
    let near = objects.add_box(square(3.0, 0.0, 1.0), 10).expect("a box");
    let far = objects.add_box(square(8.0, 0.0, 2.0), 20).expect("a box");
    let up = objects.add_box(square(0.0, 5.0, 1.0), 30).expect("a box");
    let behind = objects.add_box(square(-30.0, 0.0, 1.0), 40).expect("a box");
    let fan = RayFan::around(4, 20.0).expect("a fan");
    let mut reading = Reading::new();
    reading.read(&fan, point![0.0, 0.0], &Rotation2::identity(), &objects).expect("good numbers");

    let east: Vec<_> = reading.ray(0).iter().map(|s| (s.object, s.tag, s.distance)).collect();
    assert_eq!(east, [(near, 10, 2.0), (far, 20, 6.0)]);
    assert_eq!(reading.ray(0)[0].point, point![2.0, 0.0]);
    assert_eq!(reading.ray(0)[0].normal.map(|n| n.into_inner()), Some(vector![-1.0, 0.0]));
    assert_eq!((reading.reach(0), reading.reach(1), reading.reach(2)), (2.0, 4.0, 20.0));
    assert_eq!(reading.nearest().map(|s| s.object), Some(near));
    assert_eq!(reading.nearest_by_object().map(|s| s.object).collect::<Vec<_>>(), [near, far, up]);
    assert_eq!(reading.rays_seeing(near).collect::<Vec<_>>(), [0]);
    assert_eq!(reading.rays_seeing(far).count(), 0, "it is hidden");
    assert_eq!(reading.of_object(far).map(|s| s.ray).collect::<Vec<_>>(), [0]);
    assert_eq!(reading.of_object(behind).count(), 0);
    assert!(reading.ray(99).is_empty());

    // Turned by a quarter, the first ray looks up.
    let quarter = Rotation2::from_matrix_unchecked(nalgebra::Matrix2::new(0.0, -1.0, 1.0, 0.0));
    reading.read(&fan, point![0.0, 0.0], &quarter, &objects).expect("good numbers");
    assert_eq!(reading.ray(0)[0].object, up);
    assert_eq!(reading.rays_seeing(near).collect::<Vec<_>>(), [3]);

    // Whoever leaves or moves is seen no more.
    objects.remove(near).expect("it is there");
    objects.move_box(far, square(0.0, -5.0, 1.0)).expect("it is there");
    reading.read(&fan, point![0.0, 0.0], &Rotation2::identity(), &objects).expect("good numbers");
    assert_eq!((reading.reach(0), reading.reach(3)), (20.0, 4.0));
    assert_eq!(objects.remove(near), Err(SensorError::NoSuchObstacle));
    assert_eq!(objects.tag(near), None);
    let again = objects.add_box(square(3.0, 0.0, 1.0), 11).expect("a box");
    assert!(again != near && objects.len() == 4);
}

#[test]
fn sensor_rays_begin_at_the_inner_radius() {
    let mut objects = Obstacles::new();
    let own = objects.add_box(square(0.0, 0.0, 0.5), 0).expect("a box");
    let wall = objects.add_box(square(4.0, 0.0, 1.0), 1).expect("a box");
    let mut reading = Reading::new();
    let fan = RayFan::around(1, 10.0).expect("a fan");
    reading.read(&fan, point![0.0, 0.0], &Rotation2::identity(), &objects).expect("good numbers");
    assert_eq!((reading.ray(0)[0].object, reading.ray(0)[0].distance, reading.ray(0)[0].normal), (own, 0.0, None));
    let fan = fan.with_inner_radius(0.6).expect("below the range");
    reading.read(&fan, point![0.0, 0.0], &Rotation2::identity(), &objects).expect("good numbers");
    assert_eq!((reading.ray(0)[0].object, reading.ray(0)[0].distance), (wall, 3.0));
    // Range counts from the actor.
    let short = RayFan::around(1, 3.0).and_then(|fan| fan.with_inner_radius(0.6)).expect("a fan");
    reading.read(&short, point![-0.001, 0.0], &Rotation2::identity(), &objects).expect("good numbers");
    assert!(reading.ray(0).is_empty());
}

#[test]
fn sensor_fans_spread_evenly_and_hit_the_axes_exactly() {
    let circle = RayFan::<f64, 2>::around(8, 1.0).expect("a fan");
    assert_eq!((0..8).filter(|i| circle.direction(*i).expect("a ray").iter().any(|x| *x == 0.0)).count(), 4);
    let cone = RayFan::spread(5, vector![0.0, 2.0], std::f64::consts::PI, 1.0).expect("a fan");
    assert_eq!(cone.direction(0), Some(vector![1.0, 0.0]), "the first is the rightmost");
    assert_eq!(cone.direction(2), Some(vector![0.0, 1.0]));
    assert_eq!(cone.direction(4), Some(vector![-1.0, 0.0]));
    let tilted = RayFan::in_plane(7, vector![1.0, 1.0, 0.0], vector![0.0, 0.0, 1.0], 2.0, 1.0).expect("a fan");
    let normal = vector![1.0, -1.0, 0.0];
    assert!((0..7).all(|i| tilted.direction(i).is_some_and(|d: Vector3<f64>| d.dot(&normal).abs() < 1e-12)));
}

#[test]
fn sensor_refuses_what_is_no_fan() {
    let range = "1..=1048576";
    assert_eq!(RayFan::around(0, 1.0_f32).err(), Some(InputError::OutOfRange { what: "the number of rays", range }));
    assert!(RayFan::around(usize::MAX, 1.0_f32).is_err());
    assert!(RayFan::around(4, 0.0_f32).is_err() && RayFan::around(4, f32::NAN).is_err());
    assert!(RayFan::spread(4, vector![0.0, 0.0], 1.0, 1.0).is_err());
    assert!(RayFan::spread(4, vector![1.0, 0.0], 7.0, 1.0).is_err());
    assert!(RayFan::spread(4, vector![1.0, f64::NAN], 1.0, 1.0).is_err());
    assert!(RayFan::in_plane(4, vector![1.0, 0.0, 0.0], vector![-2.0, 0.0, 0.0], 1.0, 1.0).is_err());
    assert!(RayFan::of_directions(std::iter::empty::<Vector2<f64>>(), 1.0).is_err());
    assert!(RayFan::of_directions(std::iter::repeat(Vector2::x()), 1.0_f64).is_err());
    let fan = RayFan::around(4, 1.0).expect("a fan");
    assert!(fan.clone().with_inner_radius(1.0).is_err() && fan.clone().with_inner_radius(-1.0).is_err());
    assert!(fan.clone().with_thickness(f64::NAN).is_err() && fan.clone().with_thickness(1e-12).is_err());
    let mut reading = Reading::<f64, 2, ObstacleId>::new();
    let bad = reading.read(&fan, point![f64::NAN, 0.0], &Rotation2::identity(), &Obstacles::new());
    assert_eq!(bad, Err(InputError::NotFinite { what: "the actor's position" }));
    assert!(Obstacles::new().add_box(Aabb { min: point![1.0, 0.0], max: point![0.0, 1.0] }, 0).is_err());
}

/// The first place on a ray that is no farther than `radius` from something, by steps of the distance.
fn march<const D: usize>(
    origin: &Point<f64, D>,
    direction: &SVector<f64, D>,
    range: f64,
    radius: f64,
    distance: impl Fn(&Point<f64, D>) -> f64,
) -> Option<f64> {
    let mut at = 0.0;
    for _ in 0..100_000 {
        let gap = distance(&(origin + direction * at)) - radius;
        if gap <= 1e-7 {
            return Some(at);
        }
        at += gap;
        if at > range {
            return None;
        }
    }
    Some(at)
}

fn distance_from_polygon(polygon: &ConvexPolygon<f64>, point: &Point2<f64>) -> f64 {
    if polygon.contains(point) {
        return 0.0;
    }
    let vertices = polygon.vertices();
    let ends = vertices.iter().zip(vertices.iter().cycle().skip(1));
    ends.map(|(a, b)| (Segment::new(*a, *b).closest_point(point) - point).norm()).fold(f64::INFINITY, f64::min)
}

#[test]
fn sensor_rays_of_any_thickness_agree_with_marching_in_the_plane() {
    let mut random = Random(21);
    let (mut hits, mut misses) = (0, 0);
    for round in 0..400 {
        let mut objects = Obstacles::new();
        let (bounds, polygon);
        let mut place = || point![random.between(-4.0, 4.0), random.between(-4.0, 4.0)];
        bounds = Aabb::new(place(), place());
        polygon = loop {
            if let Ok(polygon) = ConvexPolygon::new(vec![place(), place(), place()]) {
                break polygon;
            }
        };
        let block = objects.add_box(bounds, 0).expect("a box");
        let shape = objects.add_polygon(polygon.clone(), 1);
        let position = place();
        let thickness = if round % 2 == 0 { 0.0 } else { random.between(0.05, 1.5) };
        // Every fourth ray is parallel to an axis.
        let fan = RayFan::around(16, 6.0).and_then(|fan| fan.with_thickness(thickness)).expect("a fan");
        let mut reading = Reading::new();
        reading.read(&fan, position, &Rotation2::identity(), &objects).expect("good numbers");
        for ray in 0..16 {
            let direction = fan.direction(ray).expect("a ray");
            let expected = [
                (block, march(&position, &direction, 6.0, thickness, |p| (bounds.closest_point(p) - p).norm())),
                (shape, march(&position, &direction, 6.0, thickness, |p| distance_from_polygon(&polygon, p))),
            ];
            for (object, marched) in expected {
                let found = reading.ray(ray).iter().find(|s| s.object == object);
                match (found, marched) {
                    (Some(found), Some(at)) => {
                        // Marching stops a little early, the more so the flatter the ray comes in.
                        let gap = found.distance - at;
                        assert!((-1e-9..2e-3).contains(&gap), "{bounds:?} {polygon:?} {position:?}: {found:?}, {at}");
                        if let Some(normal) = found.normal {
                            assert!(normal.dot(&direction) <= 1e-9, "{found:?}");
                        }
                        hits += 1;
                    }
                    (None, None) => misses += 1,
                    (found, marched) => {
                        let least = (0..=6000).map(|i| position + direction * (f64::from(i) * 1e-3)).map(|p| {
                            let gaps = [(bounds.closest_point(&p) - p).norm(), distance_from_polygon(&polygon, &p)];
                            gaps[usize::from(object == shape)] - thickness
                        });
                        let least = least.fold(f64::INFINITY, f64::min);
                        assert!(least.abs() < 1e-3, "{bounds:?} {position:?} {direction:?}: {found:?}, {marched:?}");
                    }
                }
            }
        }
    }
    assert!(hits > 2000 && misses > 2000, "{hits} hits, {misses} misses");
}

#[test]
fn sensor_spheres_agree_with_marching_in_space() {
    let mut random = Random(22);
    let mut hits = 0;
    for _ in 0..300 {
        let mut place = || Point::from(Vector3::from_fn(|_, _| random.between(-4.0, 4.0)));
        let (bounds, position) = (Aabb::new(place(), place()), place());
        let mut objects = Obstacles::new();
        objects.add_box(bounds, 0).expect("a box");
        let directions: Vec<_> = (0..20).map(|i| if i < 6 { axis(i) } else { random.direction() }).collect();
        let thickness = random.between(0.05, 1.5);
        let fan = RayFan::of_directions(directions, 6.0).and_then(|fan| fan.with_thickness(thickness)).expect("a fan");
        let mut reading = Reading::new();
        reading.read(&fan, position, &Rotation3::identity(), &objects).expect("good numbers");
        for ray in 0..fan.len() {
            let direction = fan.direction(ray).expect("a ray");
            let marched = march(&position, &direction, 6.0, thickness, |p| (bounds.closest_point(p) - p).norm());
            match (reading.ray(ray).first(), marched) {
                (Some(found), Some(at)) => {
                    assert!((-1e-9..2e-3).contains(&(found.distance - at)), "{bounds:?} {position:?}: {found:?}, {at}");
                    hits += 1;
                }
                (None, None) => {}
                (found, marched) => {
                    let gap = |at: f64| {
                        let p = position + direction * at;
                        (bounds.closest_point(&p) - p).norm() - thickness
                    };
                    let least = (0..=6000).map(|i| gap(f64::from(i) * 1e-3)).fold(f64::INFINITY, f64::min);
                    assert!(least.abs() < 1e-3, "{bounds:?} {position:?}: {found:?}, {marched:?}");
                }
            }
        }
    }
    assert!(hits > 800, "{hits} hits");
}

fn axis(i: usize) -> Vector3<f64> {
    let mut axis = Vector3::zeros();
    axis[i / 2] = if i.is_multiple_of(2) { 1.0 } else { -1.0 };
    axis
}

/// A ray along an axis takes a short cut, which has to give what the slabs give.
#[test]
fn sensor_rays_along_an_axis_are_slab_rays() {
    let mut random = Random(23);
    let mut hits = 0;
    for _ in 0..20_000 {
        // A coarse grid: rays run in faces, start on them, and end on them.
        let mut place = || Point::from(Vector3::from_fn(|_, _| random.below(5) as f64));
        let (bounds, position) = (Aabb::new(place(), place()), place());
        let mut objects = Obstacles::new();
        objects.add_box(bounds, 0).expect("a box");
        let direction = axis(random.below(6));
        let fan = RayFan::of_directions([direction], 100.0).expect("a fan");
        let mut reading = Reading::new();
        reading.read(&fan, position, &Rotation3::identity(), &objects).expect("good numbers");
        let slab = sidle::Ray::new(position, direction).expect("a ray").cast_box(&bounds);
        let found = reading.ray(0).first();
        assert_eq!(found.map(|s| s.distance), slab.map(|hit| hit.enter), "{bounds:?} {position:?} {direction:?}");
        if slab.is_some_and(|hit| hit.exit > 0.0 && hit.enter > 0.0) {
            assert_eq!(found.and_then(|s| s.normal).map(|n| n.into_inner()), slab.and_then(|hit| hit.normal));
        }
        hits += usize::from(found.is_some());
    }
    assert!(hits > 2000, "{hits} hits");
}

fn meshes_and_worlds_are_seen_alike<T: Real>() {
    let mesh = Arc::new(Octree::new(primitives::playground::<T>()));
    let mut objects = Obstacles::new();
    objects.add_mesh(mesh.clone(), 5);
    let world = World::of_level(mesh.clone());
    let mut random = Random(24);
    let number = T::nearest;
    let (mut here, mut there) = (Reading::new(), Reading::new());
    let mut hits = 0;
    for thickness in [0.0, 0.3] {
        let fan = RayFan::in_plane(32, vector![1.0, -0.3, 0.0].map(number), Vector3::z(), number(6.0), number(25.0));
        let fan = fan.and_then(|fan| fan.with_thickness(number(thickness))).expect("a fan");
        for _ in 0..20 {
            let position = random.point_in(&mesh.bounds()).map(T::nearest);
            let rotation = random.rotation::<T>().to_rotation_matrix();
            here.read(&fan, position, &rotation, &objects).expect("good numbers");
            there.read_world(&fan, position, &rotation, &world, &QueryFilter::default(), 1).expect("good numbers");
            for ray in 0..fan.len() {
                let distances = [here.ray(ray).first().map(|s| s.distance), there.ray(ray).first().map(|s| s.distance)];
                assert_eq!(distances[0], distances[1]);
                hits += usize::from(distances[0].is_some());
            }
        }
    }
    assert!(hits > 300, "{hits} hits");
}

#[test]
fn sensor_sees_a_mesh_and_a_world_of_it_alike() {
    meshes_and_worlds_are_seen_alike::<f32>();
    meshes_and_worlds_are_seen_alike::<f64>();
}

#[test]
fn sensor_sees_through_as_many_instances_as_asked() {
    let mut world = World::new();
    let cube = world.add_mesh(Octree::new(primitives::cuboid::<f64>([0.5, 0.5, 0.5]).expect("a cube")));
    let at = |x: f64| Placement::at(point![x, 0.0, 0.0]).turned(UnitQuaternion::identity());
    let ids: Vec<_> = (1..=12).map(|i| world.place(cube, &at(f64::from(i) * 2.0)).expect("a cube")).collect();
    let fan = RayFan::of_directions([Vector3::x(), Vector3::y()], 100.0).expect("a fan");
    let mut reading = Reading::new();
    for (through, expected) in [(0, 0), (1, 1), (3, 3), (99, 9)] {
        let filter = QueryFilter::default();
        let origin = point![0.0, 0.1, 0.05];
        reading.read_world(&fan, origin, &Rotation3::identity(), &world, &filter, through).expect("good numbers");
        let seen: Vec<_> = reading.ray(0).iter().map(|s| s.object).collect();
        assert_eq!(seen, ids[..expected]);
        assert!(reading.ray(1).is_empty());
    }
    assert_eq!(reading.nearest_by_object().count(), 9);
    assert_eq!(reading.ray(0)[3].distance, 7.5);
}

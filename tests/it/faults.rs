//! The faults of the published algorithm (Fauerby 2003) that no other test shows to be absent.

use nalgebra::{Point3, Vector3, point, vector};
use sidle::{
    CharacterConfig, Ellipsoid, Feature, Octree, QueryFilter, Scratch, StartOverlap, Sweep, Triangle, World,
    character::{Body, End, GroundState, Slide, move_and_slide},
    mesh::primitives::{self, MeshBuilder},
    sweep::sweep_triangle,
};

use crate::person::{Person, STANDS};

const SKIN: f64 = 0.02;
const TALL: [f64; 3] = [0.4, 0.9, 0.4];

fn slide(world: &World<f64>, radii: [f64; 3], start: Point3<f64>, motion: Vector3<f64>) -> Slide<f64> {
    let body = Body::new(Ellipsoid::new(radii.into()).expect("good radii"), SKIN).expect("a skin");
    move_and_slide(world, &body, start, motion, &QueryFilter::default(), &mut Scratch::default()).expect("numbers")
}

/// Planes that each go through a point with a normal, 40 m wide.
fn planes(planes: &[(Point3<f64>, Vector3<f64>)]) -> World<f64> {
    let mut level = MeshBuilder::new();
    for (through, normal) in planes {
        let across = normal.cross(&if normal.x.abs() < 0.6 { Vector3::x() } else { Vector3::y() }).normalize() * 20.0;
        let along = normal.cross(&across);
        let corner = |a: f64, b: f64| (through + across * a + along * b).into();
        level.quad([corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)]);
    }
    World::of_level(Octree::new(level.build().expect("planes")))
}

/// How far an ellipsoid reaches along a unit vector.
fn reach(radii: [f64; 3], normal: &Vector3<f64>) -> f64 {
    Vector3::from(radii).component_mul(normal).norm()
}

/// Directions all around, none of them along an axis.
fn directions() -> impl Iterator<Item = Vector3<f64>> {
    let angles = (0..6).flat_map(|i| (0..5).map(move |j| (0.3 + f64::from(i), -1.2 + 0.57 * f64::from(j))));
    angles.map(|(a, b)| vector![libm::cos(a) * libm::cos(b), libm::sin(b), libm::sin(a) * libm::cos(b)])
}

/// Fault 1: a gap taken along the motion shrinks to nothing where the motion grazes the surface.
#[test]
fn the_gap_is_kept_at_any_angle_of_approach() {
    for (radii, normal) in [TALL, [0.4; 3], [0.9, 0.2, 0.5]].into_iter().flat_map(|r| directions().map(move |n| (r, n)))
    {
        let world = planes(&[(Point3::origin(), normal)]);
        let across = normal.cross(&vector![0.3, 0.1, -0.7]).normalize();
        let axis_ratio = Vector3::from(radii).max() / Vector3::from(radii).min();
        let least = 2.0 * axis_ratio.sqrt() / (1.0 + axis_ratio) * SKIN;
        for degrees in [0.01_f64, 0.1, 1.0, 10.0, 45.0, 90.0] {
            let (sine, cosine) = libm::sincos(degrees.to_radians());
            let start = Point3::from(normal * (reach(radii, &normal) + SKIN + 0.5 * sine));
            let end = slide(&world, radii, start, across * cosine - normal * sine).position;
            let gap = end.coords.dot(&normal) - reach(radii, &normal);
            let scene = format!("{radii:?} at {degrees}° to a plane with normal {normal:?}");
            assert!(gap >= least - 1e-9 && gap <= SKIN + 1e-9, "{scene}: a gap of {gap}");
        }
    }
}

/// Fault 2: a normal that is taken from where the body stopped, short of the contact, tilts, and the body hops.
#[test]
fn nearer_than_the_gap_the_normal_is_still_that_of_the_floor() {
    let floor = Octree::new(primitives::floor::<f64>(40.0, 40.0, 16, 16).expect("a floor"));
    let plain = planes(&[(Point3::origin(), Vector3::y())]);
    for share in [0.0, 1e-3, 0.1, 0.5, 0.9, 0.999, 1.0] {
        let height = 0.9 + SKIN * share;
        for motion in [vector![1.0, -0.1, 0.2], vector![0.05, -1e-4, 0.0], vector![0.01, -1.0, 0.0]] {
            // Away from the middle, where the two triangles of the plane meet.
            let slid = slide(&plain, TALL, point![5.1, height, 0.3], motion);
            assert!(!slid.touches.is_empty(), "{share} of the skin, {motion:?}: no contact");
            for touch in &slid.touches {
                assert!((touch.normal - Vector3::y()).norm() < 1e-9, "{share} of the skin: {:?}", touch.normal);
            }
            let off = slid.position - point![5.1 + motion.x, height, 0.3 + motion.z];
            assert!(off.norm() < 1e-9, "{share} of the skin, {motion:?}: {off:?} off");
        }
        // A walker comes out first, and then goes level over all edges of the floor.
        let world = World::of_level(floor.clone());
        let mut person = Person::of(CharacterConfig::default(), world, [0.1, height, 0.3], 60);
        person.walk([0.0; 3], 0.1, |_, _| ());
        let stands = person.place().y;
        person.walk([3.0, 0.0, 1.3], 3.0, |place, report| {
            assert!((place.y - stands).abs() < 1e-9, "{share} of the skin: {} m off", place.y - stands);
            assert!(report.touches().all(|touch| (touch.normal - Vector3::y()).norm() < 1e-9), "{report:?}");
        });
    }
}

/// Fault 3: projected in the space of the ellipsoid, the motion along a slanting surface depends on the body's proportions.
#[test]
fn sliding_does_not_depend_on_the_proportions_of_the_body() {
    let motion = vector![0.7, -1.1, 0.4];
    for normal in directions().filter(|normal| normal.dot(&motion) < -0.1) {
        let world = planes(&[(Point3::origin(), normal)]);
        let expected = motion - normal * motion.dot(&normal);
        for radii in [[0.5; 3], TALL, [1.5, 0.1, 0.7], [0.2, 2.0, 0.3]] {
            let grown = radii.map(|radius| radius + SKIN);
            let start = Point3::from(normal * (reach(grown, &normal) + 1e-12));
            let way = slide(&world, radii, start, motion).position - start;
            assert!((way - expected).norm() < 1e-9, "{radii:?} on {normal:?}: {way:?}, not {expected:?}");
        }
    }
}

/// Fault 6: of two roots the later one, which is where a body that overlaps an edge or a corner comes *out* of it.
#[test]
fn an_edge_or_a_corner_inside_the_body_is_met_now_and_not_when_it_leaves() {
    let triangle = Triangle::new(point![0.0, 0.0, -2.0], point![0.0, 0.0, 2.0], point![-5.0, -5.0, 0.0]);
    let ball = Ellipsoid::sphere(1.0).expect("a ball");
    for (center, feature) in [(point![0.5, 0.3, 0.4], Feature::Edge(0)), (point![0.3, 0.3, 2.5], Feature::Vertex(1))] {
        for motion in directions().map(|direction| direction * 3.0) {
            let sweep = Sweep::new(&ball, center, motion).expect("good numbers");
            let contact = sweep_triangle(&sweep, &triangle).expect("it overlaps");
            assert_eq!((contact.fraction, contact.feature), (0.0, feature), "{motion:?}");
            assert!(contact.overlap.is_some_and(|depth| depth > 0.1), "{motion:?}: {:?}", contact.overlap);
            // What leaves it may go; what would go deeper stays.
            let leaving = sweep_triangle(&sweep.with_start_overlap(StartOverlap::LetLeave), &triangle);
            let approaches = contact.normal.dot(&motion) < 0.0;
            assert_eq!(leaving.map(|contact| contact.fraction), approaches.then_some(0.0), "{motion:?}");
        }
    }
}

/// Fault 7: the textbook roots of a quadratic cancel where the motion is long or far away.
#[test]
fn far_and_slow_motions_are_met_as_exactly_as_near_ones() {
    let ball = Ellipsoid::sphere(0.5).expect("a ball");
    for away in [1.0, 1e3, 1e6, 1e9] {
        for beside in [0.0, 0.3, 0.4999] {
            // The corner is ahead, `beside` the way of the centre.
            let corner = point![0.0, beside, 0.0];
            let triangle = Triangle::new(corner, point![5.0, beside, 3.0], point![5.0, beside, -3.0]);
            let start = point![-away, 0.0, 0.0];
            let way = away - libm::sqrt(0.25 - beside * beside);
            for length in [way + 1e-3, 2.0 * away, 1e3 * away] {
                let sweep = Sweep::new(&ball, start, vector![length, 0.0, 0.0]).expect("good numbers");
                let contact = sweep_triangle::<f64>(&sweep, &triangle).expect("the corner is in the way");
                let cosine = -contact.normal.x;
                let bound =
                    32.0 * f64::EPSILON / 2.0 * (length + away + 6.0) / cosine + f64::EPSILON * contact.distance;
                let off = (contact.distance - way).abs();
                assert!(off <= bound, "{away} m away, {beside} m beside, {length} m long: {off} m off, bound {bound}");
            }
        }
    }
}

/// Fault 8: for an edge along the motion the quadratic has no square; its ends decide.
#[test]
fn an_edge_along_the_motion_is_met_at_its_end() {
    let ball = Ellipsoid::sphere(0.5).expect("a ball");
    for tilt in [0.0, 1e-17, 1e-12, -1e-12, 1e-7] {
        let triangle = Triangle::new(point![0.0, 0.3, 0.0], point![4.0, 0.3 + tilt, 0.0], point![2.0, 3.0, 0.0]);
        let sweep = Sweep::new(&ball, point![-2.0, 0.0, 0.0], vector![9.0, 0.0, 0.0]).expect("good numbers");
        let contact = sweep_triangle::<f64>(&sweep, &triangle).expect("it is in the way");
        assert_eq!(contact.feature, Feature::Vertex(0), "tilted by {tilt}");
        assert!((contact.distance - 1.6).abs() < 1e-12, "tilted by {tilt}: {}", contact.distance);
    }
}

/// Fault 12: a fast body leaves the box in which triangles were looked for.
#[test]
fn a_wall_as_thin_as_a_sheet_stops_any_speed() {
    for speed in [10.0, 1e3, 1e5, 1e7] {
        let mut level = MeshBuilder::new();
        level.append(&primitives::floor::<f64>(40.0, 40.0, 2, 2).expect("a floor"), [0.0; 3]);
        level.quad([[5.0, -1.0, -9.0], [5.0, -1.0, 9.0], [5.0, 4.0, 9.0], [5.0, 4.0, -9.0]]);
        let mut person = Person::at(level.build::<f64>().expect("a level"), [0.0, STANDS, 0.0], 60);
        person.walk([0.0; 3], 0.1, |_, _| ());
        for _ in 0..60 {
            person.tick([speed, 0.0, 0.0]);
        }
        let place = person.place();
        assert!((place.x - (5.0 - 0.42)).abs() < 1e-6 && place.y > 0.9, "at {speed} m/s it is at {place}");
    }
}

/// Fault 13: what is left of a motion is dropped, and nobody is told.
#[test]
fn every_move_says_why_it_ended() {
    let down = vector![0.0, -1.0, 0.0];
    let floor = (Point3::origin(), Vector3::y());
    let at = |height: f64| point![1.0, height, 1.0];
    assert_eq!(slide(&planes(&[floor]), TALL, at(3.0), down).end, End::Arrived);
    assert_eq!(slide(&planes(&[floor]), TALL, at(1.5), down).end, End::Blocked { planes: 1 });
    let walls = [vector![1.0, 1.0, 0.0], vector![-1.0, 1.0, 0.0]].map(|normal| (Point3::origin(), normal.normalize()));
    assert_eq!(slide(&planes(&walls), TALL, point![0.0, 2.0, 0.0], down * 9.0).end, End::Blocked { planes: 2 });
    let corner = [Vector3::x(), Vector3::y(), Vector3::z()].map(|normal| (Point3::origin(), normal));
    assert_eq!(slide(&planes(&corner), TALL, at(1.0), vector![-3.0, -2.0, -4.0]).end, End::Cornered);
    assert_eq!(slide(&planes(&[floor]), TALL, at(0.5), down).end, End::StartedEmbedded);
}

/// Fault 14: who starts inside something falls through it or is shot out.
#[test]
fn who_starts_inside_comes_out_ordered_and_without_speed() {
    for depth in [0.001, 0.05, 0.2, 0.4] {
        let mut level = MeshBuilder::new();
        level.append(&primitives::floor::<f64>(40.0, 40.0, 2, 2).expect("a floor"), [0.0; 3]);
        level.quad([[1.0, -1.0, -9.0], [1.0, -1.0, 9.0], [1.0, 4.0, 9.0], [1.0, 4.0, -9.0]]);
        let world = World::of_level(Octree::new(level.build::<f64>().expect("a level")));
        // In the floor and in the wall.
        let start = [1.0 - 0.42 + 0.5 * depth, STANDS - depth, 0.0];
        let mut person = Person::of(CharacterConfig::default(), world, start, 60);
        let first = person.tick([0.0; 3]);
        let way = (first.to - first.from).norm();
        assert!(first.pushed_out > 0.0 && way <= 2.0 * depth, "{depth} m deep: pushed by {way}");
        person.walk([0.0; 3], 0.5, |_, _| ());
        let last = person.tick([0.0; 3]);
        assert_eq!((last.ground.state, last.from), (GroundState::OnGround, last.to), "{depth} m deep: it rests");
        let off = person.place() - point![1.0 - 0.42, STANDS, 0.0];
        assert!(off.norm() < 1e-3, "{depth} m deep: it rests {off:?} off");
        assert_eq!(person.character.state().momentum, Vector3::zeros());
    }
}

//! Two characters as they are, ellipsoids: how far apart, and where one meets the other, against slow marching.

use nalgebra::{Matrix3, Point3, UnitQuaternion, Vector3, point, vector};
use sidle::{
    Ellipsoid,
    sweep::{EllipsoidDistance, ellipsoid_distance, sweep_ellipsoid},
};

use crate::random::Random;

/// What the library promises, in metres.
const PROMISED: f64 = 1e-4;

const PAIRS: usize = 100_000;

/// Pairs that are marched; all with `SIDLE_FULL=1`.
fn marched_pairs() -> usize {
    if std::env::var_os("SIDLE_FULL").is_some() { PAIRS } else { PAIRS / 10 }
}

/// An ellipsoid somewhere; `shape` maps the unit ball to it.
#[derive(Debug, Clone, Copy)]
struct Placed {
    body: Ellipsoid<f64>,
    shape: Matrix3<f64>,
    center: Point3<f64>,
}

impl Placed {
    fn new(radii: Vector3<f64>, rotation: UnitQuaternion<f64>, center: Point3<f64>) -> Self {
        let body = Ellipsoid::turned(radii, rotation).expect("good radii");
        Self { body, shape: rotation.to_rotation_matrix().matrix() * Matrix3::from_diagonal(&radii), center }
    }

    /// A player, a turned egg, a needle or a disk.
    fn random(random: &mut Random, center: Point3<f64>) -> Self {
        match random.below(4) {
            0 => Self::new(vector![0.4, 0.9, 0.4], UnitQuaternion::identity(), center),
            1 => Self::new(Vector3::from_fn(|_, _| random.between(0.2, 1.5)), random.rotation(), center),
            2 => Self::new(vector![0.1, 2.0, 0.1], random.rotation(), center),
            _ => Self::new(vector![1.0, 0.05, 1.0], random.rotation(), center),
        }
    }

    fn reach(&self, normal: &Vector3<f64>) -> f64 {
        self.shape.tr_mul(normal).norm()
    }

    /// How far from the centre a point is, where the surface is at 1.
    fn level(&self, point: &Point3<f64>) -> f64 {
        (self.shape.try_inverse().expect("not singular") * (point - self.center)).norm()
    }
}

/// Two of them, from deep in each other to some metres apart.
fn random_pair(random: &mut Random) -> (Placed, Placed) {
    let here = Point3::from(random.direction() * 10.0);
    let apart = [0.3, 1.5, 4.0][random.below(3)];
    let there = here + random.direction() * random.between(0.0, apart);
    (Placed::random(random, here), Placed::random(random, there))
}

fn distance(a: &Placed, b: &Placed) -> EllipsoidDistance<f64> {
    ellipsoid_distance(&a.body, a.center, &b.body, b.center).expect("good numbers")
}

/// What a plane across `normal` proves: they are at least so far apart.
fn proved_by_plane(a: &Placed, b: &Placed, normal: &Vector3<f64>) -> f64 {
    normal.dot(&(b.center - a.center)) - a.reach(normal) - b.reach(normal)
}

/// Bounds of the distance from below and above, by projected gradients (Beck and Teboulle 2009): the point of each body that
/// is nearest to the other's creeps there along the surface. Knows of no closed form, root or Newton's method.
fn slow_distance(a: &Placed, b: &Placed) -> [f64; 2] {
    let clamp = |u: Vector3<f64>| if u.norm() > 1.0 { u.normalize() } else { u };
    let offset = b.center - a.center;
    let size = a.shape.norm_squared() + b.shape.norm_squared();
    let (mut u, mut w) = (Vector3::zeros(), Vector3::zeros());
    let (mut u_ahead, mut w_ahead, mut speed) = (u, w, 1.0_f64);
    let mut bounds = [f64::NEG_INFINITY, f64::INFINITY];
    for round in 1..=20_000 {
        let rest = a.shape * u_ahead - offset - b.shape * w_ahead;
        let (u_next, w_next) =
            (clamp(u_ahead - a.shape.tr_mul(&rest) / size), clamp(w_ahead + b.shape.tr_mul(&rest) / size));
        let faster = (1.0 + (1.0 + 4.0 * speed * speed).sqrt()) / 2.0;
        let uphill = rest.dot(&(a.shape * (u_next - u) - b.shape * (w_next - w))) > 0.0;
        let push = if uphill { 0.0 } else { (speed - 1.0) / faster };
        speed = if uphill { 1.0 } else { faster };
        (u_ahead, w_ahead) = (u_next + (u_next - u) * push, w_next + (w_next - w) * push);
        (u, w) = (u_next, w_next);
        if round % 20 == 0 {
            let way = offset + b.shape * w - a.shape * u;
            bounds[1] = bounds[1].min(way.norm());
            if way.norm() > 0.0 {
                bounds[0] = bounds[0].max(proved_by_plane(a, b, &way.normalize()));
            }
            if bounds[1] < 1e-7 || bounds[1] - bounds[0] < 1e-3 * bounds[1].min(0.05) {
                break;
            }
        }
    }
    bounds
}

#[test]
fn how_far_two_bodies_are_apart_is_proved_by_a_plane_and_two_points() {
    let mut random = Random(1);
    let (mut apart, mut worst) = (0, 0.0_f64);
    for _ in 0..PAIRS {
        let (a, b) = random_pair(&mut random);
        let found = distance(&a, &b);
        let proved = proved_by_plane(&a, &b, &found.normal);
        assert!((proved - found.distance).abs() < 1e-12, "{a:?} {b:?}: {found:?}");
        if found.distance > 0.0 {
            apart += 1;
            // Both points are of the bodies, so that the distance is at most theirs.
            assert!(a.level(&found.points[0]) < 1.0 + 1e-9 && b.level(&found.points[1]) < 1.0 + 1e-9);
            worst = worst.max((found.points[1] - found.points[0]).norm() - proved);
        }
    }
    assert!(worst < 1e-9, "off by {worst}");
    assert!(apart > PAIRS / 4 && apart < PAIRS * 3 / 4, "{apart} apart");
}

#[test]
fn how_far_two_bodies_are_apart_agrees_with_slow_marching() {
    let mut random = Random(2);
    for _ in 0..PAIRS {
        let (a, b) = random_pair(&mut random);
        let found = distance(&a, &b).distance;
        let [low, high] = slow_distance(&a, &b);
        if found > 0.0 {
            assert!(low - 1e-9 <= found && found <= high + 1e-9, "{a:?} {b:?}: {found} in {low}..={high}");
        } else {
            assert!(low <= 1e-9 && high < PROMISED, "{a:?} {b:?}: {found}, but {low}..={high} apart");
        }
    }
}

#[test]
fn two_bodies_in_each_other_part_along_the_normal_by_the_depth_and_no_less() {
    let mut random = Random(3);
    let mut overlaps = 0;
    for _ in 0..PAIRS / 4 {
        let (a, mut b) = random_pair(&mut random);
        let found = distance(&a, &b);
        if found.distance > 0.0 {
            continue;
        }
        overlaps += 1;
        for _ in 0..8 {
            let turned = (found.normal.into_inner() + random.direction() * 1e-3).normalize();
            assert!(proved_by_plane(&a, &b, &turned) <= found.distance + 1e-12, "{a:?} {b:?}: a shorter way out");
        }
        b.center += found.normal.into_inner() * -found.distance;
        let parted = distance(&a, &b).distance;
        assert!(parted.abs() < 1e-9, "{a:?} {b:?}: {parted} apart when parted");
    }
    assert!(overlaps > PAIRS / 16);
}

/// Moves on by what a plane proves to be free, and no faster than the body moves, until it touches or has passed: the fraction, and
/// the least distance on the way.
fn march(a: &Placed, motion: &Vector3<f64>, b: &Placed) -> (Option<f64>, f64) {
    let (mut fraction, mut least) = (0.0, f64::INFINITY);
    loop {
        let here = Placed { center: a.center + motion * fraction, ..*a };
        let [low, high] = slow_distance(&here, b);
        least = least.min(high);
        if high < 1e-6 || low <= 0.0 {
            return (Some(fraction), least);
        }
        fraction += low / motion.norm();
        if fraction > 1.0 {
            return (None, least);
        }
    }
}

#[test]
fn a_moving_body_meets_another_where_slow_marching_does() {
    let mut random = Random(4);
    let (mut hits, mut misses, mut worst) = (0, 0, 0.0_f64);
    for _ in 0..marched_pairs() {
        let (a, b) = random_pair(&mut random);
        if distance(&a, &b).distance <= 1e-3 {
            continue;
        }
        let motion = ((b.center - a.center) + random.direction() * random.between(0.0, 1.5)) * random.between(0.5, 2.0);
        let found = sweep_ellipsoid(&a.body, a.center, motion, &b.body, b.center).expect("good numbers");
        let (marched, least) = march(&a, &motion, &b);
        match (found, marched) {
            (Some(found), Some(fraction)) => {
                hits += 1;
                // The march stops a micrometre short, which is farther along a motion that grazes.
                let approach = -found.normal.dot(&motion.normalize());
                let off = (found.distance - fraction * motion.norm()).abs();
                worst = worst.max(off - 2e-6 / approach.max(1e-3));
                let there = Placed { center: a.center + motion * found.fraction, ..a };
                assert!(distance(&there, &b).distance.abs() < 1e-9, "{a:?} {b:?}: {found:?} is no contact");
            }
            (None, None) => misses += 1,
            _ => assert!(least < 1e-5, "{a:?} {b:?} by {motion}: {found:?}, marched {marched:?} at {least}"),
        }
    }
    assert!(worst < PROMISED, "off by {worst}");
    assert!(hits > 100 && misses > 20, "{hits} hits, {misses} misses");
}

#[test]
fn a_body_that_moves_up_to_its_contact_and_no_farther_is_in_nothing() {
    let mut random = Random(5);
    let mut hits = 0;
    for _ in 0..PAIRS {
        let (a, b) = random_pair(&mut random);
        let motion = random.direction() * random.between(0.0, 5.0);
        let Some(hit) = sweep_ellipsoid(&a.body, a.center, motion, &b.body, b.center).expect("good numbers") else {
            let end = Placed { center: a.center + motion, ..a };
            assert!(distance(&end, &b).distance > -1e-9, "{a:?} passes into {b:?}");
            continue;
        };
        let there = Placed { center: a.center + motion * hit.fraction, ..a };
        let gap = distance(&there, &b).distance;
        match hit.overlap {
            Some(depth) => assert!(hit.fraction == 0.0 && (gap + depth).abs() < 1e-12),
            None => {
                hits += 1;
                assert!(gap.abs() < 1e-9, "{a:?} stops {gap} from {b:?}");
                assert!((b.level(&hit.point) - 1.0).abs() < 1e-7 && (there.level(&hit.point) - 1.0).abs() < 1e-7);
            }
        }
    }
    assert!(hits > PAIRS / 25, "{hits}");
}

#[test]
fn two_bodies_in_one_place_part_sideways() {
    let body = Ellipsoid::new(vector![0.4, 0.9, 0.5]).expect("good radii");
    let place = point![3.0, 1.0, -2.0];
    let found = ellipsoid_distance(&body, place, &body, place).expect("good numbers");
    assert_eq!((found.distance, found.normal.into_inner().abs()), (-0.8, vector![1.0, 0.0, 0.0]));
    let hit = sweep_ellipsoid(&body, place, vector![0.0, 1.0, 0.0], &body, place).expect("good numbers");
    assert_eq!(hit.and_then(|hit| hit.overlap), Some(0.8));
}

#[test]
fn who_touches_another_may_leave_or_pass_along_it() {
    let body = Ellipsoid::new(vector![0.5, 1.0, 0.5]).expect("good radii");
    let (here, there) = (point![0.0, 0.0, 0.0], point![1.0, 0.0, 0.0]);
    let sweep = |motion| sweep_ellipsoid(&body, here, motion, &body, there).expect("good numbers");
    assert_eq!(sweep(vector![-1.0, 0.0, 0.0]), None);
    assert_eq!(sweep(vector![0.0, 0.0, 1.0]), None);
    assert_eq!(sweep(vector![0.0, 0.0, 0.0]), None);
    assert_eq!(sweep(vector![1.0, 0.0, 0.0]).map(|hit| hit.fraction), Some(0.0));
}

#[test]
fn far_from_the_origin_and_in_single_precision_it_is_the_same() {
    let radii = vector![0.4_f32, 0.9, 0.4];
    let body = Ellipsoid::new(radii).expect("good radii");
    let at = |x: f32| point![8192.0 + x, 1.0, -8192.0];
    let found = ellipsoid_distance(&body, at(0.0), &body, at(2.0)).expect("good numbers");
    assert!((found.distance - 1.2).abs() < 1e-6, "{found:?}");
    let hit = sweep_ellipsoid(&body, at(0.0), vector![2.0, 0.0, 0.0], &body, at(2.0)).expect("good numbers");
    assert!(hit.is_some_and(|hit| (hit.distance - 1.2).abs() < 1e-6), "{hit:?}");
}

#[test]
fn numbers_that_are_none_are_refused() {
    let body = Ellipsoid::sphere(0.5).expect("good radius");
    let (here, bad) = (point![0.0, 0.0, 0.0], point![f64::NAN, 0.0, 0.0]);
    assert!(ellipsoid_distance(&body, bad, &body, here).is_err());
    assert!(ellipsoid_distance(&body, here, &body, bad).is_err());
    assert!(sweep_ellipsoid(&body, here, bad.coords, &body, here).is_err());
}

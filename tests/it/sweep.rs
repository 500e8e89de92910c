//! Sweeps of one triangle: by hand, against marching, and moved, turned, scaled and mirrored.

use nalgebra::{Point3, Translation3, Unit, UnitQuaternion, Vector3, point, vector};
use proptest::prelude::*;
use sidle::{Contact, Ellipsoid, Feature, InputError, Real, StartOverlap, Sweep, Triangle, sweep::sweep_triangle};

fn floor<T: Real>() -> Triangle<T> {
    Triangle::new(point![-9.0, 0.0, -9.0], point![0.0, 0.0, 9.0], point![9.0, 0.0, -9.0]).map_to()
}

/// Triangles of `f64` in another scalar.
trait MapTo {
    fn map_to<T: Real>(&self) -> Triangle<T>;
}

impl MapTo for Triangle<f64> {
    fn map_to<T: Real>(&self) -> Triangle<T> {
        let [a, b, c] = self.vertices().map(|v| v.map(T::nearest));
        Triangle::new(a, b, c)
    }
}

fn sweep_of(radii: Vector3<f64>, start: Point3<f64>, motion: Vector3<f64>) -> Sweep {
    Sweep::new(&Ellipsoid::new(radii).expect("valid radii"), start, motion).expect("valid numbers")
}

fn ball(start: Point3<f64>, motion: Vector3<f64>) -> Sweep {
    sweep_of(Vector3::repeat(1.0), start, motion)
}

#[test]
fn resting_sphere_blocks_a_motion_into_the_floor() {
    let contact = sweep_triangle(&ball(point![0.0, 1.0, 0.0], vector![0.3, -0.1, 0.0]), &floor::<f64>());
    let contact = contact.expect("the floor is in the way");
    assert_eq!((contact.fraction, contact.distance, contact.overlap), (0.0, 0.0, None));
    assert_eq!((contact.feature, contact.normal.into_inner()), (Feature::Face, Vector3::y()));
    assert_eq!(contact.point, point![0.0, 0.0, 0.0]);
}

#[test]
fn resting_sphere_may_slide_and_leave() {
    for motion in [vector![2.0, 0.0, 1.0], vector![0.0, 0.1, 0.0], vector![5.0, 1e-9, 0.0], Vector3::zeros()] {
        for overlaps in [StartOverlap::Report, StartOverlap::LetLeave] {
            let sweep = ball(point![0.0, 1.0, 0.0], motion).with_start_overlap(overlaps);
            assert_eq!(sweep_triangle(&sweep, &floor::<f64>()), None, "{motion}");
        }
    }
}

#[test]
fn a_sphere_in_the_floor_may_leave_and_not_go_deeper() {
    let start = point![0.0, 0.75, 0.0];
    let (up, down) = (ball(start, vector![0.0, 0.5, 0.0]), ball(start, vector![0.0, -0.5, 0.0]));
    let reported = sweep_triangle(&up, &floor::<f64>()).expect("it overlaps");
    assert_eq!((reported.fraction, reported.overlap), (0.0, Some(0.25)));
    assert_eq!(sweep_triangle(&up.with_start_overlap(StartOverlap::LetLeave), &floor::<f64>()), None);
    let deeper = sweep_triangle(&down.with_start_overlap(StartOverlap::LetLeave), &floor::<f64>());
    assert_eq!(deeper.map(|contact| contact.fraction), Some(0.0));
}

#[test]
fn the_floor_is_solid_from_below_and_for_every_order_of_its_vertices() {
    let [a, b, c] = floor::<f64>().vertices();
    for [a, b, c] in [[a, b, c], [b, c, a], [c, a, b], [a, c, b], [c, b, a], [b, a, c]] {
        for side in [1.0, -1.0] {
            let sweep = ball(point![0.5, 3.0 * side, 0.5], vector![0.0, -4.0 * side, 0.0]);
            let contact = sweep_triangle(&sweep, &Triangle::new(a, b, c)).expect("the floor is in the way");
            assert_eq!((contact.fraction, contact.feature), (0.5, Feature::Face));
            assert_eq!(contact.normal.into_inner(), Vector3::y() * side);
        }
    }
}

#[test]
fn segments_and_points_are_met_as_such() {
    let along_x = |x: f64| point![x, 0.0, 0.0];
    // The middle vertex of a triangle without area is inside the edge between the others.
    for order in [[-1.0, 0.0, 1.0], [0.0, 1.0, -1.0], [1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]] {
        let segment = Triangle::new(along_x(order[0]), along_x(order[1]), along_x(order[2]));
        let contact = sweep_triangle(&ball(point![0.5, 3.0, 0.0], vector![0.0, -4.0, 0.0]), &segment);
        let contact = contact.expect("the segment is in the way");
        assert_eq!((contact.fraction, contact.normal.into_inner()), (0.5, Vector3::y()));
        assert_eq!(contact.point, along_x(0.5));
        // Past its end by 3/5 of the radius, the ball comes 4/5 near in height.
        let contact = sweep_triangle(&ball(point![1.6, 2.8, 0.0], vector![0.0, -4.0, 0.0]), &segment);
        approx::assert_abs_diff_eq!(contact.expect("its end is in the way").fraction, 0.5, epsilon = 1e-15);
    }
    let dot = Triangle::new(along_x(1.0), along_x(1.0), along_x(1.0));
    let contact =
        sweep_triangle(&ball(point![1.0, 3.0, 0.0], vector![0.0, -4.0, 0.0]), &dot).expect("it is in the way");
    assert_eq!((contact.fraction, contact.point), (0.5, along_x(1.0)));
    assert_eq!(sweep_triangle(&ball(point![2.5, 3.0, 0.0], vector![0.0, -4.0, 0.0]), &dot), None);
    // Right on a point: no direction is better than another, but none may be NaN.
    let on_it = sweep_triangle(&ball(point![1.0, 0.0, 0.0], Vector3::zeros()), &dot).expect("it overlaps");
    assert_eq!(on_it.normal.norm(), 1.0);
}

#[test]
fn no_motion_finds_only_overlaps() {
    for (height, overlap) in [(1.5, None), (1.0, None), (0.5, Some(0.5)), (-0.5, Some(0.5))] {
        let contact = sweep_triangle(&ball(point![0.0, height, 0.0], Vector3::zeros()), &floor::<f64>());
        assert_eq!(contact.map(|contact| contact.overlap), overlap.map(Some), "at {height}");
    }
}

/// One ulp over, at and under a touch at the end of the motion; and at the start of it.
#[test]
fn one_ulp_decides_the_right_way_or_not_at_all() {
    let ends_at =
        |height: f64| sweep_triangle(&ball(point![0.0, 2.0, 0.0], vector![0.0, height - 2.0, 0.0]), &floor::<f64>());
    assert_eq!(ends_at(1.0).map(|contact| contact.fraction), Some(1.0));
    assert_eq!(ends_at(1.0 - 1e-9).map(|contact| contact.fraction < 1.0), Some(true));
    assert_eq!(ends_at(1.0 + 1e-9), None);
    // An ulp above or below the floor is on the floor: down is blocked at 0, along and up are free.
    for start in [1.0_f64.next_down(), 1.0, 1.0_f64.next_up()] {
        for down in [1e-9, 1.0, 1e9] {
            let contact = sweep_triangle(&ball(point![0.0, start, 0.0], vector![0.0, -down, 0.0]), &floor::<f64>());
            assert!(contact.is_some_and(|contact| contact.distance <= 1e-15), "from {start} by {down}: {contact:?}");
        }
        for motion in [vector![1.0, 0.0, 0.0], vector![1.0, 1.0, 0.0], vector![0.0, 1e-3, 0.0]] {
            let contact = sweep_triangle(&ball(point![0.0, start, 0.0], motion), &floor::<f64>());
            assert_eq!(contact, None, "from {start} by {motion}");
        }
    }
    // The same in f32, whose ulps are overlaps in f64: they may be reported, but never stop who goes along or up.
    let body = Ellipsoid::<f32>::sphere(1.0).expect("valid");
    for start in [1.0_f32.next_down(), 1.0, 1.0_f32.next_up()] {
        let go = |motion: Vector3<f32>| {
            let sweep = Sweep::new(&body, point![0.0, start, 0.0], motion).expect("valid numbers");
            sweep_triangle(&sweep.with_start_overlap(StartOverlap::LetLeave), &floor::<f32>())
        };
        assert!(go(vector![0.0, -1.0, 0.0]).is_some_and(|contact| contact.distance <= 1.2e-7));
        assert_eq!((go(vector![1.0, 0.0, 0.0]), go(vector![0.0, 1.0, 0.0])), (None, None));
    }
}

#[test]
fn bad_numbers_are_refused() {
    let body = Ellipsoid::sphere(1.0).expect("valid");
    let origin = Point3::origin();
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for axis in 0..3 {
            let mut broken = Vector3::zeros();
            broken[axis] = bad;
            let error = Sweep::new(&body, broken.into(), Vector3::x()).expect_err("the start is bad");
            assert!(matches!(error, InputError::NotFinite { .. }), "{error}");
            let error = Sweep::new(&body, origin, broken).expect_err("the motion is bad");
            assert!(matches!(error, InputError::NotFinite { .. }), "{error}");
            assert!(Ellipsoid::new(Vector3::repeat(1.0) + broken).is_err());
        }
    }
    let too_far = Sweep::new(&body, point![2e15, 0.0, 0.0], Vector3::x()).expect_err("too far");
    assert!(matches!(too_far, InputError::TooLarge { .. }), "{too_far}");
    let too_fast = Sweep::new(&body, origin, vector![0.0, -2e15, 0.0]).expect_err("too fast");
    assert!(matches!(too_fast, InputError::TooLarge { .. }), "{too_fast}");
    assert!(Sweep::new(&body, point![1e15, 0.0, 0.0], Vector3::zeros()).is_ok());
    for bad in [0.0, -1.0, 1e-10, 1e10] {
        assert!(Ellipsoid::sphere(bad).is_err(), "{bad}");
    }
}

/// Squared distance of a point to a segment, by golden section: slow, and without the formulas of the library.
fn distance_to_segment(p: &Vector3<f64>, from: &Vector3<f64>, to: &Vector3<f64>) -> f64 {
    let at = |s: f64| (p - (from + (to - from) * s)).norm();
    minimum(at)
}

/// Least value of a convex function on 0..=1.
fn minimum(f: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let (left, right) = (low + (high - low) * 0.382, low + (high - low) * 0.618);
        if f(left) <= f(right) { high = right } else { low = left }
    }
    f(low).min(f(high)).min(f(0.0)).min(f(1.0))
}

/// A scene in which the body may be turned.
#[derive(Debug, Clone)]
struct Scene {
    radii: Vector3<f64>,
    turn: UnitQuaternion<f64>,
    start: Point3<f64>,
    motion: Vector3<f64>,
    triangle: Triangle<f64>,
}

impl Scene {
    fn ask(&self) -> Option<Contact<f64>> {
        let body = Ellipsoid::turned(self.radii, self.turn).expect("valid radii");
        let sweep = Sweep::new(&body, self.start, self.motion).expect("valid numbers");
        sweep_triangle(&sweep, &self.triangle)
    }

    /// Distance of the centre to the triangle after a part of the way, in the space in which the body is the unit sphere:
    /// the nearest point of all segments from one corner to the opposite edge.
    fn distance(&self, t: f64) -> f64 {
        let enter = |v: Vector3<f64>| (self.turn.inverse() * v).component_div(&self.radii);
        let [a, b, c] = self.triangle.vertices().map(|v| enter(v - self.start));
        let p = enter(self.motion) * t;
        minimum(|s| distance_to_segment(&p, &a, &(b + (c - b) * s)))
    }

    /// Conservative advancement: the unit sphere may always move by its distance to the triangle.
    fn march(&self) -> Option<f64> {
        let speed = self.motion.component_div(&Vector3::repeat(self.radii.min())).norm();
        let mut t = 0.0;
        for _ in 0..3000 {
            let gap = self.distance(t) - 1.0;
            if gap <= 1e-7 {
                return Some(t);
            }
            t += gap / speed;
            if t > 1.0 {
                return None;
            }
        }
        Some(t) // grazing: it creeps along at nearly no distance
    }

    /// What relative rounding of the scene does to the fraction: the docs' bound, on the cosine that the contact has.
    fn bound(&self, contact: &Contact<f64>) -> f64 {
        let enter = |v: Vector3<f64>| (self.turn.inverse() * v).component_div(&self.radii);
        let center = self.start + self.motion * contact.fraction;
        let cosine = -enter(center - contact.point).normalize().dot(&enter(self.motion).normalize());
        let far = self.triangle.vertices().iter().map(|v| (v - self.start).norm()).fold(0.0, f64::max);
        let largest = self.triangle.vertices().iter().map(|v| v.coords.norm()).fold(self.start.coords.norm(), f64::max);
        let ratio = self.radii.max() / self.radii.min();
        // Moved and turned inputs are rounded by their size, and a triangle's plane by that over its least height.
        let heights =
            self.triangle.area() / self.triangle.edges().map(|edge| edge.axis().norm()).into_iter().fold(0.0, f64::max);
        let leverage = 1.0 + far / heights.max(1e-300);
        64.0 * f64::EPSILON * (self.motion.norm() + (far + largest * leverage) * ratio)
            / cosine.max(0.0)
            / self.motion.norm()
    }
}

fn coordinate(size: f64) -> impl Strategy<Value = f64> {
    // From a coarse grid, so that equal, parallel and touching things are common; and any.
    prop_oneof![(-8..=8).prop_map(move |i| f64::from(i) * size / 8.0), -size..size]
}

fn vector_in(size: f64) -> impl Strategy<Value = Vector3<f64>> {
    [coordinate(size), coordinate(size), coordinate(size)].prop_map(Vector3::from)
}

fn rotation() -> impl Strategy<Value = UnitQuaternion<f64>> {
    (vector_in(1.0), -3.0..3.0).prop_map(|(axis, angle): (Vector3<f64>, f64)| {
        let axis = Unit::try_new(axis, 1e-3).unwrap_or(Vector3::y_axis());
        UnitQuaternion::from_axis_angle(&axis, angle)
    })
}

fn scenes() -> impl Strategy<Value = Scene> {
    let radii = [0.2..2.0, 0.2..2.0, 0.2..2.0].prop_map(Vector3::from);
    let turn = prop_oneof![Just(UnitQuaternion::identity()), rotation()];
    (radii, turn, vector_in(6.0), vector_in(8.0), [vector_in(3.0), vector_in(3.0), vector_in(3.0)]).prop_map(
        |(radii, turn, start, motion, corners)| {
            let [a, b, c] = corners.map(Point3::from);
            Scene { radii, turn, start: start.into(), motion, triangle: Triangle::new(a, b, c) }
        },
    )
}

/// Whether rounding may decide between yes and no: the body comes near touching, but not clearly nearer or less.
fn is_near_miss(scene: &Scene, margin: f64) -> bool {
    (minimum(|t| scene.distance(t)) - 1.0).abs() < margin || (scene.distance(0.0) - 1.0).abs() < margin
}

/// Both answers are the same, or nearly a miss.
fn assert_same(scene: &Scene, plain: Option<Contact<f64>>, seen: Option<Contact<f64>>) -> Result<(), TestCaseError> {
    match (plain, seen) {
        (Some(plain), Some(seen)) => {
            let error = (plain.fraction - seen.fraction).abs();
            let bound = scene.bound(&plain);
            prop_assert!(error <= bound || is_near_miss(scene, 1e-9), "off by {error:e}, which may be {bound:e}");
        }
        (None, None) => {}
        _ => prop_assert!(is_near_miss(scene, 1e-9), "{plain:?} and {seen:?}"),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn sweep_agrees_with_marching(scene in scenes()) {
        prop_assume!(scene.motion.norm() > 1e-3);
        match (scene.ask(), scene.march()) {
            (Some(contact), Some(t)) => {
                // Both stop where the distance is 1 within what marching resolves; the time there is as well known as the
                // approach is steep, so compare distances, and times where it is.
                let gap = scene.distance(contact.fraction) - 1.0;
                prop_assert!(contact.overlap.is_some() || gap.abs() < 1e-6, "at {} the gap is {gap:e}", contact.fraction);
                prop_assert!(contact.fraction >= t - 1e-9, "{} is before marching's {t}", contact.fraction);
                prop_assert!(scene.distance(contact.fraction * 0.5 + t * 0.5) < 1.0 + 1e-6);
            }
            (None, None) => {}
            (contact, t) => prop_assert!(is_near_miss(&scene, 1e-6), "{contact:?}, and marching {t:?}"),
        }
    }

    #[test]
    fn the_contact_is_on_the_body_and_on_the_triangle(scene in scenes()) {
        let Some(contact) = scene.ask() else { return Ok(()) };
        let weights = contact.barycentrics;
        prop_assert!(weights.iter().all(|w| *w >= 0.0) && (weights.iter().sum::<f64>() - 1.0).abs() < 1e-15);
        let weighted: Vector3<f64> = scene.triangle.vertices().iter().zip(weights).map(|(v, w)| v.coords * w).sum();
        prop_assert!((weighted - contact.point.coords).norm() < 1e-14);
        prop_assert!((contact.normal.norm() - 1.0).abs() < 1e-15);
        prop_assert!((0.0..=1.0).contains(&contact.fraction));
        prop_assert!((contact.distance - contact.fraction * scene.motion.norm()).abs() < 1e-14);
        let depth = scene.distance(contact.fraction) - 1.0;
        prop_assert!(contact.overlap.is_some() == (contact.fraction == 0.0 && depth < -1e-13) || depth.abs() < 1e-12);
        let zeros = weights.iter().filter(|w| **w == 0.0).count();
        match contact.feature {
            Feature::Face => {}
            Feature::Edge(_) => prop_assert!(zeros >= 1),
            Feature::Vertex(vertex) => prop_assert_eq!(weights[vertex as usize], 1.0),
        }
    }

    #[test]
    fn moving_the_scene_changes_nothing(scene in scenes(), shift in vector_in(100.0)) {
        let by = Translation3::from(shift);
        let [a, b, c] = scene.triangle.vertices().map(|v| by * v);
        let moved = Scene { start: by * scene.start, triangle: Triangle::new(a, b, c), ..scene.clone() };
        assert_same(&moved, scene.ask(), moved.ask())?;
    }

    #[test]
    fn turning_the_scene_changes_nothing(scene in scenes(), turn in rotation()) {
        let [a, b, c] = scene.triangle.vertices().map(|v| turn * v);
        let turned = Scene {
            turn: turn * scene.turn,
            start: turn * scene.start,
            motion: turn * scene.motion,
            triangle: Triangle::new(a, b, c),
            ..scene
        };
        assert_same(&scene, scene.ask(), turned.ask())?;
    }

    #[test]
    fn scaling_by_two_changes_no_bit(scene in scenes(), exponent in -20..20) {
        let by = 2.0_f64.powi(exponent);
        let [a, b, c] = scene.triangle.vertices().map(|v| v * by);
        let scaled = Scene {
            radii: scene.radii * by,
            start: scene.start * by,
            motion: scene.motion * by,
            triangle: Triangle::new(a, b, c),
            ..scene
        };
        let expected = scene.ask().map(|contact| (contact.fraction, contact.point * by, contact.normal, contact.feature));
        prop_assert_eq!(scaled.ask().map(|contact| (contact.fraction, contact.point, contact.normal, contact.feature)), expected);
    }

    #[test]
    fn a_mirror_changes_nothing(scene in scenes(), axis in 0..3_usize) {
        let flip = |mut v: Vector3<f64>| { v[axis] = -v[axis]; v };
        let [a, b, c] = scene.triangle.vertices().map(|v| Point3::from(flip(v.coords)));
        // The mirror image of a rotation turns the other way about the mirrored axis.
        let imaginary = -flip(scene.turn.imag());
        let turn = UnitQuaternion::new_unchecked(nalgebra::Quaternion::from_parts(scene.turn.scalar(), imaginary));
        let mirrored = Scene {
            turn,
            start: flip(scene.start.coords).into(),
            motion: flip(scene.motion),
            triangle: Triangle::new(a, b, c),
            ..scene
        };
        assert_same(&scene, scene.ask(), mirrored.ask())?;
    }

    #[test]
    fn the_order_of_the_vertices_does_not_matter(scene in scenes()) {
        let [a, b, c] = scene.triangle.vertices();
        for [a, b, c] in [[b, c, a], [c, a, b], [a, c, b], [c, b, a], [b, a, c]] {
            let reordered = Scene { triangle: Triangle::new(a, b, c), ..scene.clone() };
            assert_same(&scene, scene.ask(), reordered.ask())?;
        }
    }
}

//! The flat tests against slow versions that share no formula with them: sampling and clipping.

use nalgebra::{Point, Point2, Point3, Rotation2, SVector, Vector2, Vector3, point};
use sidle::{
    Aabb, Ray2, Real, Segment,
    flat::{
        Ball, Circle, ConvexPolygon, Crossing, Cuboid, Rectangle, Sphere, TurnedBox, circle_rectangle,
        minimum_translation, polygon_polygon, segment_box, segment_segment, sphere_box,
    },
};

use crate::random::Random;

/// A convex polygon with its vertices on an ellipse; sometimes a rectangle, sometimes thin.
fn polygon(random: &mut Random, spread: f64) -> ConvexPolygon<f64> {
    let middle = Vector2::new(random.between(-spread, spread), random.between(-spread, spread));
    let radii = Vector2::new(random.between(0.05, 2.0), random.between(0.05, 2.0));
    let turn = Rotation2::new(random.between(0.0, std::f64::consts::TAU));
    loop {
        let count = 3 + random.below(6);
        let mut angles: Vec<f64> = (0..count).map(|_| random.between(0.0, std::f64::consts::TAU)).collect();
        if random.below(4) == 0 {
            angles = [0.5, 2.5, 3.64, 5.64].to_vec();
        }
        angles.sort_by(f64::total_cmp);
        let vertices = angles.iter().map(|angle| {
            let on_circle = Vector2::new(libm::cos(*angle), libm::sin(*angle));
            Point2::from(middle + turn * on_circle.component_mul(&radii))
        });
        if let Ok(polygon) = ConvexPolygon::new(vertices.collect()) {
            return polygon;
        }
    }
}

/// The area of what two polygons have in common: one is cut by each edge of the other (Sutherland and Hodgman 1974).
fn common_area(a: &ConvexPolygon<f64>, b: &ConvexPolygon<f64>) -> f64 {
    let mut rest: Vec<Point2<f64>> = a.vertices().to_vec();
    for i in 0..b.vertices().len() {
        let (from, to) = (b.vertices()[i], b.vertices()[(i + 1) % b.vertices().len()]);
        let height = |p: &Point2<f64>| (to - from).perp(&(p - from));
        let mut kept = Vec::new();
        for j in 0..rest.len() {
            let (p, q) = (rest[j], rest[(j + 1) % rest.len()]);
            let (at_p, at_q) = (height(&p), height(&q));
            if at_p >= 0.0 {
                kept.push(p);
            }
            if at_p * at_q < 0.0 {
                kept.push(p + (q - p) * (at_p / (at_p - at_q)));
            }
        }
        rest = kept;
    }
    (2..rest.len()).map(|i| (rest[i - 1] - rest[0]).perp(&(rest[i] - rest[0])) / 2.0).sum()
}

/// By how much the projections of two polygons on a direction overlap; at most zero where they are apart.
fn overlap_along(a: &ConvexPolygon<f64>, b: &ConvexPolygon<f64>, axis: &Vector2<f64>, shift: f64) -> f64 {
    let interval = |polygon: &ConvexPolygon<f64>| {
        let heights: Vec<f64> = polygon.vertices().iter().map(|v| axis.dot(&v.coords)).collect();
        (heights.iter().copied().fold(f64::INFINITY, f64::min), heights.iter().copied().fold(-f64::INFINITY, f64::max))
    };
    let ((low_a, high_a), (low_b, high_b)) = (interval(a), interval(b));
    high_a.min(high_b + shift) - low_a.max(low_b + shift)
}

fn unit_normals(polygon: &ConvexPolygon<f64>) -> impl Iterator<Item = Vector2<f64>> {
    let count = polygon.vertices().len();
    (0..count).map(move |i| {
        let edge = polygon.vertices()[(i + 1) % count] - polygon.vertices()[i];
        Vector2::new(edge.y, -edge.x).normalize()
    })
}

#[test]
fn separating_axes_agree_with_clipping() {
    let mut random = Random(1);
    let (mut apart, mut overlapping) = (0, 0);
    for _ in 0..20_000 {
        let (a, b) = (polygon(&mut random, 1.5), polygon(&mut random, 1.5));
        let (area, found) = (common_area(&a, &b), polygon_polygon(&a, &b));
        match found {
            None => assert!(area < 1e-12, "{a:?} {b:?} have {area} in common"),
            Some(overlap) => assert!(area > 0.0 || overlap.depth < 1e-9, "{a:?} {b:?}: {overlap:?}"),
        }
        apart += usize::from(found.is_none());
        overlapping += usize::from(found.is_some());
    }
    assert!(apart > 4_000 && overlapping > 4_000, "{apart} apart, {overlapping} overlapping");
}

/// `SIDLE_FULL=1` tries a million pairs.
#[test]
fn the_minimum_translation_parts_any_two_polygons_and_nothing_shorter_does() {
    let pairs = if std::env::var_os("SIDLE_FULL").is_some() { 1_000_000 } else { 50_000 };
    let mut random = Random(2);
    let mut done = 0;
    while done < pairs {
        let (a, b) = (polygon(&mut random, 1.0), polygon(&mut random, 1.0));
        let Some(exit) = minimum_translation(&a, &b) else { continue };
        done += 1;
        let moved = |depth: f64| {
            let by = exit.normal.into_inner() * depth;
            ConvexPolygon::new(b.vertices().iter().map(|v| v + by).collect())
        };
        let parted = moved(exit.depth * (1.0 + 1e-6)).expect("the same shape elsewhere");
        // The move is relative to the depth, the rounding of the vertices is not.
        if exit.depth > 1e-8 {
            assert_eq!(polygon_polygon(&a, &parted), None, "{a:?} {b:?}: {exit:?}");
        }
        for axis in unit_normals(&a).chain(unit_normals(&b)) {
            for sign in [1.0, -1.0] {
                let short = exit.depth * (1.0 - 1e-6) - 1e-12;
                let still = overlap_along(&a, &b, &(axis * sign), short);
                assert!(still > 0.0, "{a:?} {b:?}: {exit:?} is longer than {short} along {axis:?}");
            }
        }
    }
}

#[test]
fn the_least_interval_overlap_is_no_more_than_the_minimum_translation() {
    let mut random = Random(3);
    let mut smaller = 0;
    for _ in 0..20_000 {
        let (a, b) = (polygon(&mut random, 0.5), polygon(&mut random, 0.5));
        let (Some(overlap), Some(exit)) = (polygon_polygon(&a, &b), minimum_translation(&a, &b)) else { continue };
        assert!(overlap.depth <= exit.depth);
        smaller += usize::from(overlap.depth < exit.depth);
    }
    assert!(smaller > 1000, "one projection contains the other {smaller} times");
}

/// The distance of a point from a cuboid, by nested search along its axes: shares nothing with the regions.
fn sampled_distance<const D: usize>(point: &Point<f64, D>, cuboid: &Cuboid<f64, D>) -> f64 {
    let axes = cuboid.axes();
    let half = cuboid.half_extents();
    let place = |weights: &[f64; D]| {
        (0..D).fold(cuboid.center(), |place, axis| place + axes[axis] * (half[axis] * weights[axis]))
    };
    let mut weights = [0.0; D];
    // The distance is convex in the weights and separable, so that one axis after the other reaches the least.
    for axis in 0..D {
        let (mut low, mut high) = (-1.0, 1.0);
        for _ in 0..100 {
            let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            let at = |weight: f64| {
                let mut tried = weights;
                tried[axis] = weight;
                (place(&tried) - point).norm_squared()
            };
            if at(a) < at(b) { high = b } else { low = a }
        }
        weights[axis] = (low + high) / 2.0;
    }
    (place(&weights) - point).norm()
}

fn pushed_out<const D: usize>(
    random: &mut Random,
    cuboid: &Cuboid<f64, D>,
    test: impl Fn(&Ball<f64, D>, &Cuboid<f64, D>) -> Option<sidle::Penetration<f64, D>>,
) -> bool {
    let center = Point::from(SVector::from_fn(|_, _| random.between(-3.0, 3.0)));
    let ball = Ball::new(center, random.between(0.1, 2.0)).expect("good numbers");
    let distance = sampled_distance(&center, cuboid);
    let Some(push) = test(&ball, cuboid) else {
        assert!(distance > ball.radius() - 1e-6, "{ball:?} {cuboid:?}: {distance}");
        return false;
    };
    assert!(distance < ball.radius() + 1e-6, "{ball:?} {cuboid:?}: {distance}");
    let out = center + push.normal.into_inner() * push.depth;
    let rest = sampled_distance(&out, cuboid);
    assert!((rest - ball.radius()).abs() < 1e-6, "{ball:?} {cuboid:?}: {push:?} leaves {rest}");
    // No direction of many is a shorter way out.
    for _ in 0..20 {
        let way = SVector::<f64, D>::from_fn(|_, _| random.between(-1.0, 1.0));
        let out = center + way.normalize() * (push.depth - 1e-6).max(0.0);
        assert!(sampled_distance(&out, cuboid) < ball.radius(), "{ball:?} {cuboid:?}: {push:?} is no shortest way");
    }
    true
}

#[test]
fn circles_and_spheres_are_pushed_out_by_the_shortest_way() {
    let mut random = Random(4);
    let mut overlaps = 0;
    for _ in 0..1_000 {
        let half = Vector2::new(random.between(0.1, 2.0), random.between(0.1, 2.0));
        let flat = Rectangle::turned(point![0.3, -0.2], half, random.between(-4.0, 4.0)).expect("good numbers");
        overlaps += usize::from(pushed_out(&mut random, &flat, circle_rectangle));
        let half = Vector3::from_fn(|_, _| random.between(0.1, 2.0));
        let solid = TurnedBox::turned(point![0.3, -0.2, 0.1], half, &random.rotation()).expect("good numbers");
        overlaps += usize::from(pushed_out(&mut random, &solid, sphere_box));
    }
    assert!((600..1900).contains(&overlaps), "{overlaps} overlaps");
}

#[test]
fn segments_meet_where_each_crosses_the_others_line() {
    let mut random = Random(5);
    // Numbers of a coarse grid: all signs are exact, ends touch, and lines coincide.
    let mut end = || Point2::new(random.below(7) as f64, random.below(7) as f64);
    let mut kinds = [0; 3];
    for _ in 0..50_000 {
        let (p, q) = (Segment::new(end(), end()), Segment::new(end(), end()));
        let side = |s: &Segment<f64, 2>, point: &Point2<f64>| s.axis().perp(&(point - s.from)).signum_or_zero();
        let boxes_meet = Aabb::around([p.from, p.to]).overlaps(&Aabb::around([q.from, q.to]));
        let straddles = side(&p, &q.from) * side(&p, &q.to) <= 0.0 && side(&q, &p.from) * side(&q, &p.to) <= 0.0;
        let found = segment_segment(&p, &q);
        assert_eq!(found.is_some(), boxes_meet && straddles, "{p:?} {q:?}: {found:?}");
        match found {
            Some(Crossing::Point { point, t, u }) => {
                approx::assert_abs_diff_eq!(p.at(t), point, epsilon = 1e-12);
                approx::assert_abs_diff_eq!(q.at(u), point, epsilon = 1e-12);
                kinds[0] += 1;
            }
            Some(Crossing::Piece(piece)) => {
                for end in [piece.from, piece.to] {
                    assert!(
                        (p.closest_point(&end) - end).norm() < 1e-12 && (q.closest_point(&end) - end).norm() < 1e-12
                    );
                }
                assert!(piece.axis().dot(&p.axis()) > 0.0);
                kinds[1] += 1;
            }
            None => kinds[2] += 1,
        }
    }
    assert!(kinds.iter().all(|count| *count > 200), "{kinds:?}");
}

/// `signum` of std gives 1 for zero.
trait SignumOrZero {
    fn signum_or_zero(self) -> f64;
}

impl SignumOrZero for f64 {
    fn signum_or_zero(self) -> f64 {
        if self == 0.0 { 0.0 } else { self.signum() }
    }
}

#[test]
fn a_segment_is_in_a_box_where_its_samples_are() {
    let mut random = Random(6);
    for _ in 0..2_000 {
        let mut place = |size: f64| Point3::from(Vector3::from_fn(|_, _| random.between(-size, size)));
        let bounds = Aabb::new(place(2.0), place(2.0));
        let segment = Segment::new(place(3.0), place(3.0));
        let span = segment_box(&segment, &bounds);
        for i in 0..=100 {
            let fraction = f64::from(i) / 100.0;
            let is_in_span = span.is_some_and(|span| span.enter <= fraction && fraction <= span.exit);
            assert_eq!(bounds.contains(&segment.at(fraction)), is_in_span, "{bounds:?} {segment:?} {span:?}");
        }
    }
}

#[test]
fn a_ray_is_in_a_polygon_where_its_samples_are() {
    let mut random = Random(7);
    let mut hits = 0;
    for _ in 0..5_000 {
        let shape = polygon(&mut random, 1.0);
        let origin = point![random.between(-3.0, 3.0), random.between(-3.0, 3.0)];
        let direction = random.direction().xy();
        let ray = Ray2::new(origin, direction).expect("a direction");
        let hit = shape.cast_ray(&ray);
        hits += usize::from(hit.is_some());
        for i in 0..200 {
            let t = f64::from(i) * 0.05;
            let is_in = hit.is_some_and(|hit| hit.enter <= t && t <= hit.exit);
            let near_border = hit.is_some_and(|hit| (hit.enter - t).abs() < 1e-9 || (hit.exit - t).abs() < 1e-9);
            assert!(near_border || shape.contains(&ray.at(t)) == is_in, "{shape:?} {ray:?} {hit:?} at {t}");
        }
        if let Some(normal) = hit.and_then(|hit| hit.normal) {
            assert!(normal.dot(&direction) < 0.0 && (normal.norm() - 1.0).abs() < 1e-12);
        }
    }
    assert!(hits > 500, "{hits} hits");
}

/// Turning and moving both shapes changes nothing but the frame.
#[test]
fn the_minimum_translation_turns_with_its_polygons() {
    let mut random = Random(8);
    for _ in 0..2_000 {
        let (a, b) = (polygon(&mut random, 0.7), polygon(&mut random, 0.7));
        let turn = Rotation2::new(random.between(-4.0, 4.0));
        let shift = Vector2::new(random.between(-50.0, 50.0), random.between(-50.0, 50.0));
        let turned = |p: &ConvexPolygon<f64>| {
            ConvexPolygon::new(p.vertices().iter().map(|v| turn * v + shift).collect()).expect("the same shape")
        };
        let (here, there) = (minimum_translation(&a, &b), minimum_translation(&turned(&a), &turned(&b)));
        match (here, there) {
            (Some(here), Some(there)) => approx::assert_abs_diff_eq!(here.depth, there.depth, epsilon = 1e-9),
            (None, None) => {}
            (one, other) => assert!(one.or(other).is_some_and(|it| it.depth < 1e-9), "{a:?} {b:?}"),
        }
    }
}

fn refuses_numbers_that_are_none<T: Real>() {
    let number = T::nearest;
    for bad in [f64::NAN, f64::INFINITY, -f64::INFINITY, 1e30] {
        let (bad, one) = (number(bad), number(1.0));
        assert!(Circle::new(point![bad, one], one).is_err());
        assert!(Circle::new(point![one, one], bad).is_err());
        assert!(Sphere::new(point![one, one, bad], one).is_err());
        assert!(Rectangle::new(point![one, bad], Vector2::repeat(one)).is_err());
        assert!(Rectangle::new(point![one, one], Vector2::new(one, bad)).is_err());
        assert!(ConvexPolygon::new(vec![point![one, one], point![bad, one], point![one, bad]]).is_err());
        assert!(Aabb::checked(point![one, bad], point![one, one]).is_err());
        let segment = Segment::new(point![one, bad], point![one, one]);
        assert!((bad.to_f64() - 1e30).abs() < 1e24 || segment_segment(&segment, &segment).is_none());
    }
    assert!(Circle::new(point![T::zero(), T::zero()], T::zero()).is_err());
    assert!(Rectangle::new(point![T::zero(), T::zero()], Vector2::new(T::one(), -T::one())).is_err());
}

#[test]
fn flat_shapes_refuse_numbers_that_are_none() {
    refuses_numbers_that_are_none::<f32>();
    refuses_numbers_that_are_none::<f64>();
}

//! File D: overlap tests of the plane.

use nalgebra::{Point2, Vector2};
use serde::Deserialize;
use sidle::{
    Aabb, Ray2, Segment,
    flat::{
        Circle, ConvexPolygon, Crossing, Rectangle, Region, circle_circle, circle_rectangle, minimum_translation,
        polygon_polygon, region, segment_segment,
    },
};

use super::{Flags, Scalar, Tally, point, read, vector, wide};

#[derive(Deserialize)]
struct Case {
    id: String,
    kind: String,
    #[serde(default)]
    sub: String,
    #[serde(flatten)]
    fields: serde_json::Value,
}

impl Case {
    fn get<V: serde::de::DeserializeOwned>(&self, name: &str) -> V {
        serde_json::from_value(self.fields[name].clone()).unwrap_or_else(|e| panic!("{}: {name}: {e}", self.id))
    }

    fn expect<V: serde::de::DeserializeOwned>(&self, name: &str) -> V {
        serde_json::from_value(self.fields["expect"][name].clone())
            .unwrap_or_else(|e| panic!("{}: {name}: {e}", self.id))
    }

    fn flag<T: Scalar>(&self, name: &str) -> bool {
        let flags: Flags = self.get("expect");
        flags.get::<T>(name)
    }

    fn number<T: Scalar>(&self, name: &str) -> T {
        T::nearest(f64::from(self.get::<f64>(name) as f32))
    }

    fn point<T: Scalar>(&self, name: &str) -> Point2<T> {
        point(&self.get(name))
    }

    fn polygon<T: Scalar>(&self, name: &str) -> ConvexPolygon<T> {
        let points: Vec<[f64; 2]> = self.get(name);
        ConvexPolygon::new(points.iter().map(point).collect()).expect("a convex polygon")
    }
}

/// The cases of one kind.
fn cases(kind: &str) -> Option<Vec<Case>> {
    Some(read::<Case>("overlap2d.jsonl")?.into_iter().filter(|case| case.kind == kind).collect())
}

fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0, |most, x| most.max(x.abs()))
}

fn boxes<T: Scalar>() {
    let Some(cases) = cases("aabb_aabb") else { return };
    let mut tally = Tally::new::<T>("box and box");
    for case in &cases {
        let corners = |name| {
            let [min_x, min_y, max_x, max_y] = case.get::<[f64; 4]>(name);
            Aabb::checked(point::<T, 2>(&[min_x, min_y]), point(&[max_x, max_y])).expect("a box")
        };
        let (a, b) = (corners("a"), corners("b"));
        if !case.flag::<T>("hit_ambiguous") {
            tally.exact("hit", &case.id, a.overlaps(&b), case.expect("hit"));
        }
        // Touching is an overlap without widths; the file's numbers are exact in either scalar.
        let is_touching: bool = case.expect("touching");
        if is_touching {
            tally.exact("touching", &case.id, a.overlaps(&b), true);
            tally.exact("no intersection", &case.id, sidle::flat::intersection(&a, &b), None);
        }
        let scale = largest(&case.get::<[f64; 4]>("a")).max(largest(&case.get::<[f64; 4]>("b")));
        let expected = Vector2::new(case.expect::<f64>("dx"), case.expect("dy"));
        let got = wide(&a.penetration(&b));
        tally.near("widths", &case.id, (got - expected).amax(), 4.0 * T::ROUNDING * scale);
        if let Some(common) = sidle::flat::intersection(&a, &b) {
            tally.near(
                "common box",
                &case.id,
                (wide(&common.bounds.size()) - expected).amax(),
                4.0 * T::ROUNDING * scale,
            );
        }
    }
    tally.finish(&[("hit", 150), ("touching", 10), ("widths", 320), ("common box", 80)]);
}

fn circles<T: Scalar>() {
    let Some(cases) = cases("circle_circle") else { return };
    let mut tally = Tally::new::<T>("circle and circle");
    for case in &cases {
        let circle = |center, radius| Circle::new(case.point::<T>(center), case.number(radius)).expect("a circle");
        let got = circle_circle(&circle("c1", "r1"), &circle("c2", "r2"));
        let hit: bool = case.expect("hit");
        if !case.flag::<T>("hit_ambiguous") {
            tally.exact("hit", &case.id, got.is_some(), hit);
        }
        let (Some(got), true) = (got, hit) else { continue };
        let radii = [case.get::<f64>("r1"), case.get("r2")];
        let scale = largest(&case.get::<[f64; 2]>("c1")).max(largest(&case.get::<[f64; 2]>("c2"))).max(largest(&radii));
        let error = (got.depth.to_f64() - case.expect::<f64>("depth")).abs();
        tally.near("depth", &case.id, error, 8.0 * T::ROUNDING * scale);
        let normal = Vector2::from(case.expect::<[f64; 2]>("normal"));
        let distance: f64 = case.expect("distance");
        if case.expect("coincident") {
            tally.exact("coincident", &case.id, wide(&got.normal), normal);
        } else {
            tally.near("normal", &case.id, (wide(&got.normal) - normal).norm(), 8.0 * T::ROUNDING * scale / distance);
        }
    }
    tally.finish(&[("hit", 200), ("depth", 100), ("normal", 80), ("coincident", 20)]);
}

fn circles_and_rectangles<T: Scalar>() {
    let Some(cases) = cases("circle_rect") else { return };
    let mut tally = Tally::new::<T>("circle and rectangle");
    for case in &cases {
        let circle = Circle::new(case.point::<T>("c"), case.number("r")).expect("a circle");
        let half = Vector2::new(case.number("hw"), case.number("hh"));
        let rectangle = Rectangle::new(case.point("rect_centre"), half).expect("a rectangle");
        if !case.flag::<T>("hit_ambiguous") {
            tally.exact("hit", &case.id, circle_rectangle(&circle, &rectangle).is_some(), case.expect("hit"));
        }
        if !case.flag::<T>("part_ambiguous") {
            let part = match region(&circle, &rectangle) {
                Region::Far => "far",
                Region::Side => "side",
                Region::Corner => "corner",
            };
            tally.exact("part", &case.id, part, &case.expect::<String>("part"));
        }
    }
    tally.finish(&[("hit", 200), ("part", 200)]);
}

fn polygons<T: Scalar>() {
    let Some(cases) = cases("sat") else { return };
    let mut tally = Tally::new::<T>("polygon and polygon");
    for case in &cases {
        let (a, b) = (case.polygon::<T>("a"), case.polygon::<T>("b"));
        let id = format!("{} {}", case.id, case.sub);
        let (got, true_exit) = (polygon_polygon(&a, &b), minimum_translation(&a, &b));
        let hit: bool = case.expect("hit");
        tally.exact("both tests agree", &id, got.is_some(), true_exit.is_some());
        if !case.flag::<T>("hit_ambiguous") {
            tally.exact("hit", &id, got.is_some(), hit);
        }
        let (Some(got), Some(true_exit), true) = (got, true_exit, hit) else { continue };
        let corners = |name| case.get::<Vec<[f64; 2]>>(name).concat();
        let scale = largest(&corners("a")).max(largest(&corners("b")));
        let is_near = 16.0 * T::ROUNDING * scale;
        let depth: f64 = case.expect("depth");
        tally.near("depth", &id, (got.depth.to_f64() - depth).abs(), is_near);
        let mtv_depth: f64 = case.expect("mtv_depth");
        tally.near("mtv_depth", &id, (true_exit.depth.to_f64() - mtv_depth).abs(), is_near);

        // The direction of an edge is as good as its ends are, relative to its length.
        let shortest = [&a, &b].iter().flat_map(|p| edges(p)).fold(f64::INFINITY, f64::min);
        let axis_near = 16.0 * T::ROUNDING * (1.0 + scale / shortest);
        let nearest = |axes: &[[f64; 2]], normal: Vector2<f64>| {
            axes.iter().map(|axis| (Vector2::from(*axis) - normal).norm()).fold(f64::INFINITY, f64::min)
        };
        let is_clear = !case.flag::<T>("axis_ambiguous") && !case.flag::<T>("sign_ambiguous");
        if is_clear {
            tally.near("axis", &id, nearest(&case.expect::<Vec<[f64; 2]>>("axes"), wide(&got.normal)), axis_near);
        }
        if is_clear && case.expect("variants_agree") {
            let axes: Vec<[f64; 2]> = case.expect("mtv_axes");
            tally.near("mtv_axes", &id, nearest(&axes, wide(&true_exit.normal)), axis_near);
        }
        for (polygon, name) in [(&a, "centroid_a"), (&b, "centroid_b")] {
            let expected = Vector2::from(case.expect::<[f64; 2]>(name));
            tally.near("centroid", &id, (wide(&polygon.centroid().coords) - expected).norm(), is_near);
        }
    }
    tally.finish(&[("hit", 200), ("depth", 100), ("mtv_depth", 100), ("axis", 80), ("mtv_axes", 60)]);
}

fn edges<T: Scalar>(polygon: &ConvexPolygon<T>) -> Vec<f64> {
    let vertices = polygon.vertices();
    let next = vertices.iter().cycle().skip(1);
    vertices.iter().zip(next).map(|(a, b)| wide(&(b - a)).norm()).collect()
}

fn segments<T: Scalar>() {
    let Some(cases) = cases("segment_segment") else { return };
    let mut tally = Tally::new::<T>("segment and segment");
    for case in &cases {
        let id = format!("{} {}", case.id, case.sub);
        let segment = |from, to| Segment::new(case.point::<T>(from), case.point(to));
        let (p, q) = (segment("p1", "p2"), segment("q1", "q2"));
        let got = segment_segment(&p, &q);
        let hit: bool = case.expect("hit");
        if !case.flag::<T>("hit_ambiguous") {
            tally.exact("hit", &id, got.is_some(), hit);
        }
        if case.expect("parallel") {
            // Exact where the numbers are; the file flags them all.
            tally.exact("parallel hit", &id, got.is_some(), hit);
            if let (Some(Crossing::Piece(piece)), Some(overlap)) =
                (got, case.expect::<Option<[[f64; 2]; 2]>>("overlap"))
            {
                let ends = [piece.from, piece.to].map(|end| [end.x.to_f64(), end.y.to_f64()]);
                let is_same = ends == overlap || [ends[1], ends[0]] == overlap;
                tally.exact("overlap", &id, is_same, true);
            }
        }
        let (Some(Crossing::Point { point, t, u }), true) = (got, hit) else { continue };
        let Some(cond) = case.expect::<Option<f64>>("cond") else {
            let expected = Vector2::from(case.expect::<[f64; 2]>("point"));
            tally.exact("end point", &id, wide(&point.coords), expected);
            continue;
        };
        let length = wide(&p.axis()).norm().max(wide(&q.axis()).norm());
        let eps = 16.0 * T::ROUNDING * cond;
        let expected = Vector2::from(case.expect::<[f64; 2]>("point"));
        tally.near("point", &id, (wide(&point.coords) - expected).norm(), eps * length);
        tally.near("t", &id, (t.to_f64() - case.expect::<f64>("t")).abs(), eps);
        tally.near("u", &id, (u.to_f64() - case.expect::<f64>("u")).abs(), eps);
    }
    tally.finish(&[("hit", 150), ("point", 80), ("t", 80), ("u", 80), ("parallel hit", 80), ("overlap", 20)]);
}

fn known_rays<T: Scalar>() {
    let Some(cases) = cases("ray_aabb") else { return };
    let mut tally = Tally::new::<T>("the five known rays");
    for case in &cases {
        // One direction is no f32.
        if case.get("double_only") && T::NAME == "f32" {
            continue;
        }
        let exact = |name| case.get::<[f64; 2]>(name).map(T::nearest);
        let ray = Ray2::<T>::new(exact("origin").into(), exact("dir").into()).expect("a ray");
        let got = ray.cast_box(&Aabb::new(exact("min").into(), exact("max").into()));
        tally.exact("hit", &case.id, got.is_some(), case.expect("hit"));
        let Some(got) = got else { continue };
        let (enter, exit): (f64, f64) = (case.expect("t_enter"), case.expect("t_exit"));
        tally.near("t_enter", &case.id, (got.enter.to_f64() - enter).abs(), 8.0 * T::ROUNDING * enter);
        tally.near("t_exit", &case.id, (got.exit.to_f64() - exit).abs(), 8.0 * T::ROUNDING * exit);
        let normals: Vec<[f64; 2]> = case.expect("normals");
        let is_entered = got.normal.map_or(normals.is_empty(), |n| normals.iter().any(|m| vector::<T, 2>(m) == n));
        tally.exact("normal", &case.id, is_entered, true);
    }
    tally.finish(&[("hit", 4), ("t_enter", 2), ("normal", 2)]);
}

macro_rules! in_both_scalars {
    ($($test:ident => $f32:ident, $f64:ident;)*) => {$(
        #[test]
        fn $f32() {
            $test::<f32>();
        }

        #[test]
        fn $f64() {
            $test::<f64>();
        }
    )*};
}

in_both_scalars! {
    boxes => oracle_overlap2d_boxes_f32, oracle_overlap2d_boxes_f64;
    circles => oracle_overlap2d_circles_f32, oracle_overlap2d_circles_f64;
    circles_and_rectangles => oracle_overlap2d_circles_and_rectangles_f32, oracle_overlap2d_circles_and_rectangles_f64;
    polygons => oracle_overlap2d_polygons_f32, oracle_overlap2d_polygons_f64;
    segments => oracle_overlap2d_segments_f32, oracle_overlap2d_segments_f64;
    known_rays => oracle_overlap2d_known_rays_f32, oracle_overlap2d_known_rays_f64;
}

//! Closest points and crossings of points, segments and triangles: the plainest formulas there are.

use nalgebra::{Point3, Vector3};

/// Three vertices.
pub(crate) type Corners = [Point3<f64>; 3];

/// The point of a segment that is nearest to `p`. A segment without length is a point.
pub(super) fn on_segment(p: &Point3<f64>, a: &Point3<f64>, b: &Point3<f64>) -> Point3<f64> {
    let along = b - a;
    let length_squared = along.norm_squared();
    if length_squared == 0.0 {
        return *a;
    }
    a + along * ((p - a).dot(&along) / length_squared).clamp(0.0, 1.0)
}

/// The point of a triangle that is nearest to `p`: its foot on the plane where that lies inside, else a point of an edge.
pub(super) fn on_triangle(p: &Point3<f64>, [a, b, c]: &Corners) -> Point3<f64> {
    let normal = (b - a).cross(&(c - a));
    let is_left_of = |from: &Point3<f64>, to: &Point3<f64>| (to - from).cross(&(p - from)).dot(&normal) >= 0.0;
    let area_squared = normal.norm_squared();
    if area_squared > 0.0 && is_left_of(a, b) && is_left_of(b, c) && is_left_of(c, a) {
        return p - normal * ((p - a).dot(&normal) / area_squared);
    }
    let edges = [on_segment(p, a, b), on_segment(p, b, c), on_segment(p, c, a)];
    nearest(p, edges)
}

fn nearest<const N: usize>(p: &Point3<f64>, points: [Point3<f64>; N]) -> Point3<f64> {
    points.into_iter().fold(points[0], |best, q| if (q - p).norm() < (best - p).norm() { q } else { best })
}

/// The closest points of two segments, the first's first.
///
/// Both lie inside, where the lines come nearest, or one of them is an end.
fn between_segments(s: [Point3<f64>; 2], t: [Point3<f64>; 2]) -> (Point3<f64>, Point3<f64>) {
    let mut best = (s[0], on_segment(&s[0], &t[0], &t[1]));
    let mut offer = |p: Point3<f64>, q: Point3<f64>| {
        if (p - q).norm() < (best.0 - best.1).norm() {
            best = (p, q);
        }
    };
    offer(s[1], on_segment(&s[1], &t[0], &t[1]));
    offer(on_segment(&t[0], &s[0], &s[1]), t[0]);
    offer(on_segment(&t[1], &s[0], &s[1]), t[1]);
    let (u, v, w) = (s[1] - s[0], t[1] - t[0], s[0] - t[0]);
    let (uu, uv, vv) = (u.norm_squared(), u.dot(&v), v.norm_squared());
    let determinant = uu * vv - uv * uv;
    if determinant > 0.0 {
        let i = (uv * w.dot(&v) - vv * w.dot(&u)) / determinant;
        let j = (uu * w.dot(&v) - uv * w.dot(&u)) / determinant;
        if (0.0..=1.0).contains(&i) && (0.0..=1.0).contains(&j) {
            offer(s[0] + u * i, t[0] + v * j);
        }
    }
    best
}

/// The closest points of a segment and a triangle, the segment's first.
pub(super) fn segment_and_triangle(segment: [Point3<f64>; 2], triangle: &Corners) -> (Point3<f64>, Point3<f64>) {
    let [from, to] = segment;
    if let Some(share) = crossing(&from, &to, triangle) {
        let point = from + (to - from) * share;
        return (point, point);
    }
    let [a, b, c] = *triangle;
    [
        (from, on_triangle(&from, triangle)),
        (to, on_triangle(&to, triangle)),
        between_segments(segment, [a, b]),
        between_segments(segment, [b, c]),
        between_segments(segment, [c, a]),
    ]
    .into_iter()
    .min_by(|(p, q), (r, s)| (p - q).norm().total_cmp(&(r - s).norm()))
    .unwrap_or((from, a))
}

/// Where a segment passes through a triangle, as a share of the segment; borders count. `None` also where it lies in the plane.
///
/// The ends lie on different sides of the plane, and the line passes all three edges on the same side: five volumes.
pub(super) fn crossing(from: &Point3<f64>, to: &Point3<f64>, [a, b, c]: &Corners) -> Option<f64> {
    let normal = (b - a).cross(&(c - a));
    let (start, end) = ((from - a).dot(&normal), (to - a).dot(&normal));
    if start == end || (start > 0.0) == (end > 0.0) && start != 0.0 && end != 0.0 {
        return None;
    }
    let way = to - from;
    let volume = |p: &Point3<f64>, q: &Point3<f64>| way.dot(&(p - from).cross(&(q - from)));
    let sides = [volume(a, b), volume(b, c), volume(c, a)];
    let is_inside = sides.iter().all(|side| *side >= 0.0) || sides.iter().all(|side| *side <= 0.0);
    is_inside.then(|| start / (start - end))
}

/// Unit normal of a triangle, or `None` if it has no area.
pub(super) fn normal([a, b, c]: &Corners) -> Option<Vector3<f64>> {
    (b - a).cross(&(c - a)).try_normalize(0.0)
}

#[cfg(test)]
mod tests {
    use nalgebra::point;

    use super::*;

    const FLOOR: Corners = [point![0.0, 0.0, 0.0], point![0.0, 0.0, 4.0], point![4.0, 0.0, 0.0]];

    #[test]
    fn a_point_is_nearest_to_a_face_an_edge_or_a_corner() {
        assert_eq!(on_triangle(&point![1.0, 3.0, 1.0], &FLOOR), point![1.0, 0.0, 1.0]);
        assert_eq!(on_triangle(&point![-1.0, 3.0, 1.0], &FLOOR), point![0.0, 0.0, 1.0]);
        assert_eq!(on_triangle(&point![-1.0, 3.0, -1.0], &FLOOR), point![0.0, 0.0, 0.0]);
        assert_eq!(on_triangle(&point![3.0, 0.0, 3.0], &FLOOR), point![2.0, 0.0, 2.0]);
    }

    #[test]
    fn a_triangle_without_area_is_a_segment() {
        let needle = [point![0.0, 0.0, 0.0], point![2.0, 0.0, 0.0], point![4.0, 0.0, 0.0]];
        assert_eq!(on_triangle(&point![3.0, 1.0, 0.0], &needle), point![3.0, 0.0, 0.0]);
        assert_eq!(crossing(&point![1.0, 1.0, 0.0], &point![1.0, -1.0, 0.0], &needle), None);
    }

    #[test]
    fn a_segment_crosses_inside_and_on_the_border_only() {
        let through = |x: f64, z: f64| crossing(&point![x, 3.0, z], &point![x, -1.0, z], &FLOOR);
        assert_eq!(through(1.0, 1.0), Some(0.75));
        assert_eq!(through(0.0, 1.0), Some(0.75));
        assert_eq!(through(2.0, 2.0), Some(0.75));
        assert_eq!(through(-0.1, 1.0), None);
        assert_eq!(crossing(&point![1.0, 3.0, 1.0], &point![1.0, 1.0, 1.0], &FLOOR), None);
        assert_eq!(crossing(&point![-1.0, 0.0, 1.0], &point![1.0, 0.0, 1.0], &FLOOR), None);
    }

    #[test]
    fn a_segment_is_nearest_by_an_end_by_an_edge_or_passes_through() {
        let gap = |from, to| {
            let (p, q) = segment_and_triangle([from, to], &FLOOR);
            (p - q).norm()
        };
        assert_eq!(gap(point![1.0, 2.0, 1.0], point![1.0, 5.0, 1.0]), 2.0);
        assert_eq!(gap(point![1.0, -2.0, 1.0], point![1.0, 5.0, 1.0]), 0.0);
        assert_eq!(gap(point![-3.0, -2.0, 1.0], point![-3.0, 5.0, 1.0]), 3.0);
    }
}

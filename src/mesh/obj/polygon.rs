//! Polygons to triangles, by clipping ears (Meisters 1975).

use nalgebra::{Point2, Point3, Vector3};

use crate::real::{Real, widen_point};

/// Faces with more corners are refused: clipping takes quadratic time.
pub(super) const MOST_CORNERS: usize = 10_000;

/// Hands out `corners − 2` triangles that cover a simple polygon, convex or not, with its winding.
///
/// Corners need not lie in one plane: they are looked at along the polygon's normal (Newell's). Where a polygon has no ear
/// left, as one that crosses itself, corners are cut off in their order.
pub(super) fn triangulate<T: Real>(vertices: &[Point3<T>], corners: &[usize], out: &mut dyn FnMut([u32; 3])) {
    let id = |corner: usize| corners[corner] as u32;
    if let [a, b, c] = *corners {
        return out([a as u32, b as u32, c as u32]);
    }
    let points: Vec<Point3<f64>> = corners.iter().map(|i| widen_point(&vertices[*i])).collect();
    let flat = flatten(&points);
    let mut left: Vec<usize> = (0..corners.len()).collect();
    let mut from = 0;
    while left.len() > 3 {
        let count = left.len();
        // Going on behind the last ear, not at the start, keeps triangles from becoming a fan of slivers.
        let ear = (0..count).map(|step| (from + step) % count).find(|at| is_ear(&flat, &left, *at));
        // No ear with an area: cut off a corner that has none, if there is one, else whatever is next.
        let at = ear.or_else(|| (0..count).find(|at| area(corner(&flat, &left, *at)) == 0.0)).unwrap_or(from % count);
        out([id(left[(at + count - 1) % count]), id(left[at]), id(left[(at + 1) % count])]);
        left.remove(at);
        from = at % left.len();
    }
    out([id(left[0]), id(left[1]), id(left[2])]);
}

/// The polygon as seen along its normal, counter-clockwise.
fn flatten(points: &[Point3<f64>]) -> Vec<Point2<f64>> {
    let next = points.iter().cycle().skip(1);
    let normal = points.iter().zip(next).fold(Vector3::zeros(), |sum, (p, q)| {
        // Relative to the first corner, so that far from the origin nothing is lost.
        sum + (p - points[0]).cross(&(q - points[0]))
    });
    let axis = normal.iamax();
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let (u, v) = if normal[axis] < 0.0 { (v, u) } else { (u, v) };
    points.iter().map(|p| Point2::new(p[u] - points[0][u], p[v] - points[0][v])).collect()
}

fn corner(flat: &[Point2<f64>], left: &[usize], at: usize) -> [Point2<f64>; 3] {
    let count = left.len();
    [flat[left[(at + count - 1) % count]], flat[left[at]], flat[left[(at + 1) % count]]]
}

/// Twice the signed area.
fn area([a, b, c]: [Point2<f64>; 3]) -> f64 {
    (b - a).perp(&(c - a))
}

/// Whether the corner sticks out and no other corner lies in its triangle.
fn is_ear(flat: &[Point2<f64>], left: &[usize], at: usize) -> bool {
    let [a, b, c] = corner(flat, left, at);
    if area([a, b, c]) <= 0.0 {
        return false;
    }
    left.iter()
        .map(|i| flat[*i])
        .all(|p| p == a || p == b || p == c || area([a, b, p]) < 0.0 || area([b, c, p]) < 0.0 || area([c, a, p]) < 0.0)
}

//! [`Triangle`]: normal, and the closest point with the [`Feature`] on which it lies.

use nalgebra::{Point3, Unit, Vector3};

use super::{Aabb3, Segment};
use crate::real::{Length, Real, narrow_point, widen_point};

/// Three points, counter-clockwise as seen from the front. They may lie on one line or in one place: a triangle without
/// area is a segment or a point, and collides as such.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Triangle<T: Real> {
    /// First vertex.
    pub a: Point3<T>,
    /// Second vertex.
    pub b: Point3<T>,
    /// Third vertex.
    pub c: Point3<T>,
}

/// A part of a triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Feature {
    /// The inside.
    Face,
    /// A border: 0 from a to b, 1 from b to c, 2 from c to a.
    Edge(u8),
    /// A corner: 0 for a, 1 for b, 2 for c.
    Vertex(u8),
}

/// The point of a triangle that is nearest to another point.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClosestPoint<T: Real> {
    /// The point on the triangle.
    pub point: Point3<T>,
    /// Its distance, in metres.
    pub distance: T,
    /// The part of the triangle on which it lies.
    pub feature: Feature,
    /// Weights of the three vertices; they add up to one.
    pub barycentrics: [T; 3],
}

/// A triangle whose two shortest edges enclose an angle with a smaller sine has no area: its normal would be rounding.
pub(crate) const FLAT: f64 = 8.0 * f64::EPSILON;

impl<T: Real> Triangle<T> {
    /// A triangle with the given vertices.
    pub fn new(a: Point3<T>, b: Point3<T>, c: Point3<T>) -> Self {
        Self { a, b, c }
    }

    /// The vertices in order.
    pub fn vertices(&self) -> [Point3<T>; 3] {
        [self.a, self.b, self.c]
    }

    /// The edges in order: from a to b, from b to c, from c to a.
    pub fn edges(&self) -> [Segment<T, 3>; 3] {
        [Segment::new(self.a, self.b), Segment::new(self.b, self.c), Segment::new(self.c, self.a)]
    }

    /// The smallest box around the triangle.
    pub fn bounds(&self) -> Aabb3<T> {
        Aabb3::around(self.vertices())
    }

    /// The same triangle in `f64`.
    pub(crate) fn widen(&self) -> Triangle<f64> {
        Triangle::new(widen_point(&self.a), widen_point(&self.b), widen_point(&self.c))
    }

    /// The unit normal on the front side, or `None` for a triangle without area.
    pub fn normal(&self) -> Option<Unit<Vector3<T>>> {
        self.widen().unit_normal().map(|n| Unit::new_unchecked(n.map(T::nearest)))
    }

    /// The area, in square metres.
    pub fn area(&self) -> T {
        T::nearest(self.widen().scaled_normal().length() / 2.0)
    }

    /// The point of the triangle that is nearest to `point`.
    ///
    /// Inside the prism over the face it is the foot of the perpendicular, elsewhere the nearest of the closest points
    /// of the three edges; of equal distances the first edge's. Degenerate triangles are the segments they are.
    ///
    /// ```
    /// # use nalgebra::point;
    /// # use sidle::{Feature, Triangle};
    /// let floor = Triangle::new(point![0.0, 0.0, 0.0], point![0.0, 0.0, 1.0], point![1.0, 0.0, 0.0]);
    /// let nearest = floor.closest_point(&point![0.25, 3.0, 0.25]);
    /// assert_eq!((nearest.distance, nearest.feature), (3.0, Feature::Face));
    /// assert_eq!(floor.closest_point(&point![2.0, 0.0, -1.0]).feature, Feature::Vertex(2));
    /// ```
    pub fn closest_point(&self, point: &Point3<T>) -> ClosestPoint<T> {
        let nearest = self.widen().closest_point_f64(&widen_point(point));
        ClosestPoint {
            point: narrow_point(&nearest.point),
            distance: T::nearest(nearest.distance),
            feature: nearest.feature,
            barycentrics: nearest.barycentrics.map(T::nearest),
        }
    }
}

impl Triangle<f64> {
    /// Normal on the front side with twice the area as its length; the zero vector for a degenerate triangle.
    ///
    /// Formed from the two shortest edges: they carry the least rounding.
    #[inline(always)]
    pub(crate) fn scaled_normal(&self) -> Vector3<f64> {
        let (ab, bc, ca) = (self.b - self.a, self.c - self.b, self.a - self.c);
        let lengths = [ab.norm_squared(), bc.norm_squared(), ca.norm_squared()];
        let (normal, product) = if lengths[0] >= lengths[1] && lengths[0] >= lengths[2] {
            (bc.cross(&ca), lengths[1] * lengths[2])
        } else if lengths[1] >= lengths[2] {
            (ca.cross(&ab), lengths[2] * lengths[0])
        } else {
            (ab.cross(&bc), lengths[0] * lengths[1])
        };
        if normal.norm_squared() <= FLAT * FLAT * product { Vector3::zeros() } else { normal }
    }

    /// [`Triangle::normal`] as a plain vector.
    #[inline(always)]
    pub(crate) fn unit_normal(&self) -> Option<Vector3<f64>> {
        let normal = self.scaled_normal();
        let length = normal.length();
        (length > 0.0).then(|| normal / length)
    }

    /// The body of [`Triangle::closest_point`].
    pub(crate) fn closest_point_f64(&self, point: &Point3<f64>) -> ClosestPoint<f64> {
        let normal = self.scaled_normal();
        if normal != Vector3::zeros()
            && let Some(weights) = self.foot_inside(point, &normal, 0.0)
        {
            let foot = self.at(&weights);
            let distance = (point - foot).length();
            return ClosestPoint { point: foot, distance, feature: Feature::Face, barycentrics: weights };
        }
        let edges = self.edges();
        let fractions = edges.map(|edge| edge.closest_fraction(point));
        let squares = [0, 1, 2].map(|i: usize| (point - edges[i].at(fractions[i])).norm_squared());
        let mut best = 0;
        for edge in 1..3 {
            if squares[edge] < squares[best] {
                best = edge;
            }
        }
        self.on_edge(best as u8, fractions[best], squares[best].sqrt())
    }

    /// The point with the given weights.
    pub(crate) fn at(&self, weights: &[f64; 3]) -> Point3<f64> {
        // From the heaviest vertex on, so that a far vertex of small weight costs little precision.
        let (origin, u, v, wu, wv) = if weights[0] >= weights[1] && weights[0] >= weights[2] {
            (self.a, self.b, self.c, weights[1], weights[2])
        } else if weights[1] >= weights[2] {
            (self.b, self.c, self.a, weights[2], weights[0])
        } else {
            (self.c, self.a, self.b, weights[0], weights[1])
        };
        origin + (u - origin) * wu + (v - origin) * wv
    }

    /// The barycentrics of the perpendicular foot of `point` if it is inside, or outside by at most `tolerance`, a length
    /// that is only understood along a unit normal; without tolerance the normal, of either side, may have any length.
    pub(crate) fn foot_inside(&self, point: &Point3<f64>, normal: &Vector3<f64>, tolerance: f64) -> Option<[f64; 3]> {
        let vertices = self.vertices().map(|vertex| vertex - point);
        weights_inside(&vertices, &self.edges().map(|edge| edge.axis()), normal, tolerance)
    }

    /// The point of an edge at a fraction, as the closest one, `distance` away.
    fn on_edge(&self, edge: u8, fraction: f64, distance: f64) -> ClosestPoint<f64> {
        let (from, to) = (edge, (edge + 1) % 3);
        let feature = if fraction == 0.0 {
            Feature::Vertex(from)
        } else if fraction == 1.0 {
            Feature::Vertex(to)
        } else {
            Feature::Edge(edge)
        };
        let mut barycentrics = [0.0; 3];
        barycentrics[from as usize] = 1.0 - fraction;
        barycentrics[to as usize] = fraction;
        ClosestPoint { point: self.edges()[edge as usize].at(fraction), distance, feature, barycentrics }
    }
}

/// The body of [`Triangle::foot_inside`]: vertices relative to the point, and the edges from each to the next.
#[inline(always)]
pub(crate) fn weights_inside(
    vertices: &[Vector3<f64>; 3],
    edges: &[Vector3<f64>; 3],
    normal: &Vector3<f64>,
    tolerance: f64,
) -> Option<[f64; 3]> {
    let ([a, b, c], [ab, bc, ca]) = (vertices, edges);
    // Twice the signed areas of the triangles that the foot spans with the edges opposite to a, b and c.
    // Edge times twice its middle: unlike the product of both ends exact enough for a triangle much smaller than its
    // distance.
    let area = |edge: &Vector3<f64>, ends: Vector3<f64>| 0.5 * ends.cross(edge).dot(normal);
    let areas = [area(bc, b + c), area(ca, c + a), area(ab, a + b)];
    // The normal may be that of the back; the sum then is minus twice the area.
    let side = (areas[0] + areas[1] + areas[2]).signum();
    let areas = [areas[0] * side, areas[1] * side, areas[2] * side];
    if tolerance == 0.0 {
        if areas.iter().any(|area| *area < 0.0 || area.is_nan()) {
            return None;
        }
    } else {
        let lengths = [bc.norm_squared(), ca.norm_squared(), ab.norm_squared()];
        let is_inside = |i: usize| areas[i] >= 0.0 || areas[i] * areas[i] <= tolerance * tolerance * lengths[i];
        if !(is_inside(0) && is_inside(1) && is_inside(2)) {
            return None;
        }
    }
    let [a, b, c] = [areas[0].max(0.0), areas[1].max(0.0), areas[2].max(0.0)];
    let sum = a + b + c;
    (sum > 0.0).then(|| [a / sum, b / sum, c / sum])
}

#[cfg(test)]
mod tests {
    use nalgebra::point;

    use super::*;

    #[test]
    fn degenerate_triangles_are_segments_and_points() {
        let segment = Triangle::new(point![0.0, 0.0, 0.0], point![1.0, 0.0, 0.0], point![2.0, 0.0, 0.0]);
        assert_eq!(segment.normal(), None);
        let nearest = segment.closest_point(&point![1.5, 2.0, 0.0]);
        assert_eq!((nearest.point, nearest.distance), (point![1.5, 0.0, 0.0], 2.0));
        let dot = Triangle::new(segment.a, segment.a, segment.a);
        assert_eq!(dot.closest_point(&point![0.0, 3.0, 4.0]).distance, 5.0);
    }

    #[test]
    fn a_microscopic_triangle_keeps_its_normal() {
        let tiny = Triangle::new(point![0.0, 0.0, 0.0], point![0.0, 0.0, 1e-60], point![1e-60, 0.0, 0.0]);
        assert_eq!(tiny.normal().map(|n| n.y), Some(1.0));
    }

    #[test]
    fn every_order_of_the_vertices_gives_the_same_point() {
        let [a, b, c] = [point![0.0, 0.0, 0.0], point![3.0, 0.5, 0.0], point![0.0, 1.0, 2.0]];
        for p in [point![1.0, 1.0, 1.0], point![-1.0, -2.0, 0.0], point![4.0, 1.0, 0.0], point![0.0, 3.0, 4.0]] {
            let expected = Triangle::new(a, b, c).closest_point(&p).point;
            for [a, b, c] in [[b, c, a], [c, a, b], [a, c, b], [c, b, a], [b, a, c]] {
                let got = Triangle::new(a, b, c).closest_point(&p).point;
                approx::assert_abs_diff_eq!(got, expected, epsilon = 1e-12);
            }
        }
    }
}

//! [`closest_to_origin`]: the point of a triangle that is nearest to the origin, with its edges side by side in lanes.

use nalgebra::{Point3, Vector3};

use crate::{
    shape::{ClosestPoint, Feature, Triangle, triangle::FLAT},
    wide::{Simd, WideVector, f64x4, prelude::*},
};

/// Four vectors.
pub(super) type WideVector64<S> = WideVector<f64x4<S>>;

/// [`Triangle::closest_point`] of the origin, to the bit, for a triangle whose vertices are the first three lanes, and the first
/// one again.
#[inline(always)]
pub(super) fn closest_to_origin<S: Simd>(vertices: WideVector64<S>) -> ClosestPoint<f64> {
    let simd = vertices.x.token();
    let to = following(vertices);
    let axes = to.minus(vertices);
    let corners = corners(vertices);

    let normal = scaled_normal(axes);
    if normal != Vector3::zeros()
        && let Some(weights) = weights_inside(vertices, axes, &normal)
    {
        let [a, b, c] = corners.map(Point3::from);
        let foot = Triangle::new(a, b, c).at(&weights);
        let distance = (Point3::origin() - foot).norm_squared().sqrt();
        return ClosestPoint { point: foot, distance, feature: Feature::Face, barycentrics: weights };
    }

    // Of each edge the nearest point, measured from the nearer end.
    let (zero, one) = (f64x4::simd_from(simd, 0.0), f64x4::simd_from(simd, 1.0));
    let length_squared = axes.dot(axes);
    let is_from = vertices.dot(vertices).simd_le(to.dot(to));
    let along = is_from.select(zero - vertices.dot(axes), zero - to.dot(axes)) / length_squared;
    let fraction = is_from.select(along, one + along);
    let fraction = fraction.simd_lt(zero).select(zero, fraction);
    let fraction = one.simd_lt(fraction).select(one, fraction);
    let fraction = length_squared.simd_eq(zero).select(zero, fraction);
    let between = vertices.plus(axes.times(fraction));
    let is_to = fraction.simd_eq(one);
    let nearest = WideVector {
        x: is_to.select(to.x, between.x),
        y: is_to.select(to.y, between.y),
        z: is_to.select(to.z, between.z),
    };
    let squares = nearest.dot(nearest).to_array();
    let mut best = 0;
    for edge in 1..3 {
        if squares[edge] < squares[best] {
            best = edge;
        }
    }
    let point = Point3::new(nearest.x[best], nearest.y[best], nearest.z[best]);
    let (fraction, next) = (fraction[best], (best + 1) % 3);
    let feature = if fraction == 0.0 {
        Feature::Vertex(best as u8)
    } else if fraction == 1.0 {
        Feature::Vertex(next as u8)
    } else {
        Feature::Edge(best as u8)
    };
    let mut barycentrics = [0.0; 3];
    barycentrics[best] = 1.0 - fraction;
    barycentrics[next] = fraction;
    ClosestPoint { point, distance: squares[best].sqrt(), feature, barycentrics }
}

/// The first three lanes.
#[inline(always)]
pub(super) fn corners<S: Simd>(v: WideVector64<S>) -> [Vector3<f64>; 3] {
    let (x, y, z) = (v.x.to_array(), v.y.to_array(), v.z.to_array());
    [Vector3::new(x[0], y[0], z[0]), Vector3::new(x[1], y[1], z[1]), Vector3::new(x[2], y[2], z[2])]
}

/// In each of the first three lanes that of the next vertex or edge.
#[inline(always)]
pub(super) fn next<S: Simd>(v: WideVector64<S>) -> WideVector64<S> {
    WideVector {
        x: v.x.rotate_elements_left::<1>(),
        y: v.y.rotate_elements_left::<1>(),
        z: v.z.rotate_elements_left::<1>(),
    }
}

/// The ends of the edges that begin at four vertices, of which the last is the first one again.
#[inline(always)]
fn following<S: Simd>(v: WideVector64<S>) -> WideVector64<S> {
    let ends = |x: f64x4<S>| {
        let [a, b, c, _] = x.to_array();
        f64x4::simd_from(x.token(), [b, c, a, b])
    };
    WideVector { x: ends(v.x), y: ends(v.y), z: ends(v.z) }
}

/// [`Triangle::scaled_normal`], from the edges; the fourth is the first one again.
#[inline(always)]
pub(super) fn scaled_normal<S: Simd>(edges: WideVector64<S>) -> Vector3<f64> {
    let lengths = edges.dot(edges).to_array();
    let normals = edges.cross(next(edges));
    // The product of the two edges that are not the longest, and the first of them.
    let is_first = lengths[0] >= lengths[1] && lengths[0] >= lengths[2];
    let first = if is_first {
        1
    } else if lengths[1] >= lengths[2] {
        2
    } else {
        0
    };
    let product = lengths[first] * lengths[first + 1];
    let normal = Vector3::new(normals.x[first], normals.y[first], normals.z[first]);
    if normal.norm_squared() <= FLAT * FLAT * product { Vector3::zeros() } else { normal }
}

/// [`Triangle::foot_inside`] of the origin, without tolerance.
#[inline(always)]
fn weights_inside<S: Simd>(
    vertices: WideVector64<S>,
    edges: WideVector64<S>,
    normal: &Vector3<f64>,
) -> Option<[f64; 3]> {
    let simd = vertices.x.token();
    let wide_normal = WideVector {
        x: f64x4::simd_from(simd, normal.x),
        y: f64x4::simd_from(simd, normal.y),
        z: f64x4::simd_from(simd, normal.z),
    };
    let areas = (vertices.plus(next(vertices)).cross(edges).dot(wide_normal) * 0.5).to_array();
    let areas = [areas[1], areas[2], areas[0]]; // each opposite to its vertex
    let side = (areas[0] + areas[1] + areas[2]).signum();
    let areas = [areas[0] * side, areas[1] * side, areas[2] * side];
    if areas.iter().any(|area| *area < 0.0 || area.is_nan()) {
        return None;
    }
    let [a, b, c] = [areas[0].max(0.0), areas[1].max(0.0), areas[2].max(0.0)];
    let sum = a + b + c;
    (sum > 0.0).then(|| [a / sum, b / sum, c / sum])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        sweep::random::Random,
        wide::{SimdLevel, dispatch},
    };

    #[test]
    fn it_is_the_closest_point_to_the_bit() {
        let (mut random, mut seen) = (Random(11), [0; 3]);
        for round in 0..200_000 {
            let (size, offset) = (random.of([0.01, 1.0, 30.0]), random.vector() * random.of([0.0, 1.0, 10.0]));
            let a = Point3::from(offset + random.vector() * size);
            let (b, c) = (a + random.vector() * size, a + random.vector() * size);
            let triangle = match round % 16 {
                0 => Triangle::new(a, b, a + (b - a) * random.number()), // a segment,
                1 => Triangle::new(a, b, b),
                2 => Triangle::new(a, a, a),                // a point,
                3 => Triangle::new(a, Point3::origin(), c), // and the origin at a corner or in an edge
                4 => Triangle::new(a, Point3::from(-a.coords), c),
                _ => Triangle::new(a, b, c),
            };
            let [x, y, z] = [0, 1, 2].map(|axis| triangle.vertices().map(|vertex| vertex[axis]));
            let found = dispatch!(SimdLevel::best().0, simd => {
                let lanes = |[a, b, c]: [f64; 3]| f64x4::simd_from(simd, [a, b, c, a]);
                closest_to_origin(WideVector { x: lanes(x), y: lanes(y), z: lanes(z) })
            });
            let expected = triangle.closest_point_f64(&Point3::origin());
            assert_eq!(found, expected, "round {round}: {triangle:?}");
            seen[match found.feature {
                Feature::Face => 0,
                Feature::Edge(_) => 1,
                Feature::Vertex(_) => 2,
            }] += 1;
        }
        assert!(seen.iter().all(|count| *count > 10_000), "{seen:?}");
    }
}

//! [`EllipsoidAxes`]: the axes of any linear image of the unit ball, and its nearest point to another point.

use nalgebra::{Matrix3, Vector3};

use crate::real::Length;

/// The semi-axes of an ellipsoid around the origin, and where they point.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EllipsoidAxes {
    /// Unit vectors, at right angles to one another.
    directions: Matrix3<f64>,
    semi_axes: Vector3<f64>,
}

/// The point of an ellipsoid's surface that is nearest to another point.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NearestPoint {
    /// How far the other point is outside of the surface; negative inside.
    pub(crate) distance: f64,
    /// Unit normal of the surface at the nearest point, outwards.
    pub(crate) normal: Vector3<f64>,
}

/// Columns whose cosine is smaller count as being at right angles.
const RIGHT_ANGLE: f64 = 4.0 * f64::EPSILON;

/// Turns of all three pairs of columns; from any matrix, six make right angles.
const MOST_TURNS: usize = 12;

/// Steps towards the root. It takes two to five of them; a bound for numbers at the ends of their range.
const MOST_STEPS: usize = 40;

impl EllipsoidAxes {
    /// Those of the unit ball.
    pub(crate) fn unit_ball() -> Self {
        Self { directions: Matrix3::identity(), semi_axes: Vector3::repeat(1.0) }
    }

    /// The axes of the image of the unit ball under a map that is not singular.
    ///
    /// Pairs of columns are turned until all are at right angles: to turn the unit ball first does not change its image
    /// (one-sided Jacobi: Hestenes 1958, *Inversion of Matrices by Biorthogonalization*). Small axes keep their relative accuracy.
    pub(crate) fn of_image(map: Matrix3<f64>) -> Self {
        let mut columns: [Vector3<f64>; 3] = [0, 1, 2].map(|i| map.column(i).into_owned());
        for _ in 0..MOST_TURNS {
            let turned = [(0, 1), (0, 2), (1, 2)].map(|(p, q)| turn(&mut columns, p, q));
            if !turned.contains(&true) {
                break;
            }
        }
        let semi_axes = Vector3::from(columns.map(|column| column.length()));
        Self { directions: Matrix3::from_columns(&columns.map(|column| column.unit())), semi_axes }
    }

    /// The nearest point of the surface to a point relative to the centre, inside or outside. Of several it is one.
    ///
    /// # Method
    /// At the nearest point `x` to `y` the offset `y − x` is along the normal `x / e²`, so `xᵢ = eᵢ² yᵢ / (t + eᵢ²)`, and `t` is the
    /// root of `q(t) = 1`, where `q = |eᵢ yᵢ / (t + eᵢ²)|`, at or beyond the pole `−e²` of the smallest axis (Eberly 2013, *Distance from
    /// a Point to an Ellipse, an Ellipsoid, or a Hyperellipsoid*). The root is between the largest `eᵢ |yᵢ| − eᵢ²` and
    /// `|e y| − e²` with the smallest `e`. `1 / q` is concave and nearly straight, so Newton's method for `1 / q = 1` from the lower
    /// end never passes the root and takes few steps (Moré and Sorensen 1983, *Computing a Trust Region Step*).
    pub(crate) fn nearest(&self, point: &Vector3<f64>) -> NearestPoint {
        let e = self.semi_axes;
        let smallest = e.imin();
        let length = point.length();
        if e.max() == e[smallest] && length > 0.0 {
            return NearestPoint { distance: length - e[smallest], normal: point / length }; // a ball
        }
        let y = self.directions.tr_mul(point);
        let z = e.component_mul(&y.abs());
        // From the pole on, `t = s − e²`: nothing is lost where `y` is near to the middle plane.
        let beyond = e.map(|axis| (axis - e[smallest]) * (axis + e[smallest]));
        let lowest = (z - beyond).max().max(0.0);
        let share = |s: f64| Vector3::from_fn(|i, _| if z[i] > 0.0 { z[i] / (s + beyond[i]) } else { 0.0 });

        let mut s = lowest;
        let mut shares = share(s);
        if s == 0.0 {
            // In the middle plane, and nearer to its middle than the pole allows: the nearest points are above and below it.
            let left = 1.0 - shares.norm_squared();
            if left >= 0.0 {
                shares[smallest] = left.sqrt();
                return self.at(&shares, &y, -e[smallest] * e[smallest]);
            }
        }
        let highest = z.length();
        for _ in 0..MOST_STEPS {
            let q = shares.length();
            let slope: f64 = (0..3).map(|i| shares[i] * shares[i] / (s + beyond[i]).max(f64::MIN_POSITIVE)).sum();
            let next = (s + q * q * (q - 1.0) / slope).min(highest);
            if q <= 1.0 + 4.0 * f64::EPSILON || next.is_nan() || next <= s {
                break;
            }
            s = next;
            shares = share(s);
        }
        self.at(&shares, &y, s - e[smallest] * e[smallest])
    }

    /// The point whose coordinates are these shares of the semi-axes, on the side of `y`, and `t` normals `x / e²` away.
    fn at(&self, shares: &Vector3<f64>, y: &Vector3<f64>, t: f64) -> NearestPoint {
        let outwards = Vector3::from_fn(|i, _| (shares[i] / self.semi_axes[i]).copysign(y[i]));
        let length = outwards.length();
        NearestPoint { distance: t * length, normal: self.directions * (outwards / length) }
    }
}

/// Turns two columns in their plane until they are at right angles. Returns whether they were not.
fn turn(columns: &mut [Vector3<f64>; 3], p: usize, q: usize) -> bool {
    let (a, b) = (columns[p], columns[q]);
    let (a_squared, b_squared, across) = (a.norm_squared(), b.norm_squared(), a.dot(&b));
    if across.abs() <= RIGHT_ANGLE * (a_squared * b_squared).sqrt() {
        return false;
    }
    // The smaller of the two angles, by its tangent.
    let cotangent = (b_squared - a_squared) / (2.0 * across);
    let tangent = 1.0_f64.copysign(cotangent) / (cotangent.abs() + (1.0 + cotangent * cotangent).sqrt());
    let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
    let sine = cosine * tangent;
    columns[p] = a * cosine - b * sine;
    columns[q] = a * sine + b * cosine;
    true
}

#[cfg(test)]
mod tests {
    use nalgebra::vector;

    use super::*;

    #[test]
    fn the_axes_of_a_sheared_ball_are_at_right_angles_and_have_its_volume() {
        let map = Matrix3::new(1.0, 2.0, 0.3, 0.0, 0.5, -0.7, 0.1, 0.0, 4.0);
        let axes = EllipsoidAxes::of_image(map);
        approx::assert_abs_diff_eq!(axes.directions.tr_mul(&axes.directions), Matrix3::identity(), epsilon = 1e-14);
        approx::assert_relative_eq!(axes.semi_axes.product(), map.determinant().abs(), epsilon = 1e-13);
        // `|Mᵀ n|` is how far the ellipsoid reaches along any direction.
        let n = vector![0.3, -0.8, 0.52];
        let reach = axes.semi_axes.component_mul(&axes.directions.tr_mul(&n)).norm();
        approx::assert_relative_eq!(reach, map.tr_mul(&n).norm(), epsilon = 1e-13);
    }

    #[test]
    fn on_an_axis_the_nearest_point_is_its_end_or_the_flat_side() {
        let axes = EllipsoidAxes::of_image(Matrix3::from_diagonal(&vector![3.0, 1.0, 3.0]));
        let beyond = axes.nearest(&vector![5.0, 0.0, 0.0]);
        assert_eq!((beyond.distance, beyond.normal), (2.0, vector![1.0, 0.0, 0.0]));
        let center = axes.nearest(&Vector3::zeros());
        assert_eq!((center.distance, center.normal), (-1.0, vector![0.0, 1.0, 0.0]));
        // Inside, on the long axis, the flat side is nearer than the end: at height √(1 − (x/e)²) beside the point.
        let inside = axes.nearest(&vector![1.0, 0.0, 0.0]);
        let x: f64 = 9.0 / 8.0;
        approx::assert_relative_eq!(-inside.distance, (x - 1.0).hypot((1.0 - x * x / 9.0).sqrt()), epsilon = 1e-14);
    }
}

//! An independent check of a walk: how near the body came to the level, by formulas that the library does not use.
//!
//! It shares nothing with the controller but the triangles: no tree, no sweep, and another way to the closest point (by the
//! regions of the triangle's plane; Ericson 2005, *Real-Time Collision Detection*, 5.1.5).

use nalgebra::{Point3, Vector3};

/// What was found over all ticks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Check {
    /// Least gap between the body (without skin) and a triangle in metres; zero if it ever penetrated. `None` if the body was
    /// never within `NEAR` of anything.
    pub(super) least_gap: Option<f64>,
    /// Deepest penetration, in metres.
    pub(super) deepest: f64,
}

/// Triangles farther from the body's box are not looked at, in metres.
const NEAR: f64 = 0.1;
/// Ticks for which one list of triangles is made.
const CHUNK: usize = 60;

impl Check {
    /// Checks the body at every centre against every triangle.
    pub(super) fn of(
        triangles: &[[Point3<f64>; 3]],
        radii: &Vector3<f64>,
        centers: impl Iterator<Item = Point3<f64>>,
    ) -> Self {
        let centers: Vec<Point3<f64>> = centers.collect();
        let reach = radii.add_scalar(NEAR);
        let mut check = Self { least_gap: None, deepest: 0.0 };
        for chunk in centers.chunks(CHUNK) {
            let low = chunk.iter().fold(chunk[0], |low, c| low.inf(c)) - reach;
            let high = chunk.iter().fold(chunk[0], |high, c| high.sup(c)) + reach;
            let near: Vec<&[Point3<f64>; 3]> = triangles.iter().filter(|t| meets(t, &low, &high)).collect();
            for center in chunk {
                let (low, high) = (center - reach, center + reach);
                for triangle in near.iter().filter(|t| meets(t, &low, &high)) {
                    check.look_at(triangle, center, radii);
                }
            }
        }
        check
    }

    fn look_at(&mut self, triangle: &[Point3<f64>; 3], center: &Point3<f64>, radii: &Vector3<f64>) {
        let [a, b, c] = triangle.map(|vertex| (vertex - center).component_div(radii));
        let q = closest_to_origin(&a, &b, &c);
        let distance = q.norm();
        // A length along the scaled direction becomes metres by the length of the direction's covector.
        let stretch = (q / distance).component_div(radii).norm();
        let gap = if distance > 0.0 { (distance - 1.0) / stretch } else { -radii.min() };
        if gap < 0.0 {
            self.deepest = self.deepest.max(-gap);
        }
        let gap = gap.max(0.0);
        self.least_gap = Some(self.least_gap.map_or(gap, |least| least.min(gap)));
    }
}

fn meets(triangle: &[Point3<f64>; 3], low: &Point3<f64>, high: &Point3<f64>) -> bool {
    let [a, b, c] = triangle;
    (0..3).all(|axis| a[axis].min(b[axis]).min(c[axis]) <= high[axis] && a[axis].max(b[axis]).max(c[axis]) >= low[axis])
}

/// The point of a triangle that is nearest to the origin, by the region in which the origin lies.
fn closest_to_origin(a: &Vector3<f64>, b: &Vector3<f64>, c: &Vector3<f64>) -> Vector3<f64> {
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (-ab.dot(a), -ac.dot(a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return *a;
    }
    let (d3, d4) = (-ab.dot(b), -ac.dot(b));
    if d3 >= 0.0 && d4 <= d3 {
        return *b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return a + ab * (d1 / (d1 - d3));
    }
    let (d5, d6) = (-ab.dot(c), -ac.dot(c));
    if d6 >= 0.0 && d5 <= d6 {
        return *c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return a + ac * (d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
    }
    let sum = va + vb + vc;
    a + ab * (vb / sum) + ac * (vc / sum)
}

#[cfg(test)]
mod tests {
    use nalgebra::point;

    use super::*;

    const FLOOR: [[Point3<f64>; 3]; 1] = [[point![-9.0, 0.0, -9.0], point![0.0, 0.0, 9.0], point![9.0, 0.0, -9.0]]];

    #[test]
    fn a_body_in_the_floor_is_found() {
        let radii = Vector3::new(0.4, 0.9, 0.4);
        let check = Check::of(&FLOOR, &radii, [point![0.0, 0.92, 0.0], point![1.0, 0.85, 0.0]].into_iter());
        assert!((check.deepest - 0.05).abs() < 1e-12);
        assert_eq!(check.least_gap, Some(0.0));
    }

    #[test]
    fn a_gap_is_measured_in_metres() {
        let check = Check::of(&FLOOR, &Vector3::new(0.4, 0.9, 0.4), [point![0.0, 0.92, 0.0]].into_iter());
        assert_eq!(check.deepest, 0.0);
        assert!(check.least_gap.is_some_and(|gap| (gap - 0.02).abs() < 1e-12));
    }
}

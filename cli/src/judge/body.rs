//! [`Body`]: an upright ellipsoid or capsule, how deep it is in a triangle, and whether there is room for it.

use anyhow::{Result, ensure};
use nalgebra::{Point3, Vector3};
use serde::{Deserialize, Serialize};

use super::{
    closest::{Corners, on_triangle, segment_and_triangle},
    grid::Grid,
};

/// What moves, without its skin.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Body {
    /// Semi-axes along x, y and z, in metres.
    Ellipsoid([f64; 3]),
    /// An upright capsule.
    Capsule {
        /// Radius in metres.
        radius: f64,
        /// Height over all, in metres.
        height: f64,
    },
}

/// How a body is in a triangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Overlap {
    /// In metres; less than zero is a gap.
    pub(super) depth: f64,
    /// The point of the triangle that is next to the body's centre or axis.
    pub(super) point: Point3<f64>,
}

impl Body {
    /// # Errors
    /// If a size is not positive and finite, or the capsule is less high than wide.
    pub(crate) fn check(&self) -> Result<()> {
        let is_size = |x: &f64| x.is_finite() && *x > 0.0;
        match self {
            Self::Ellipsoid(radii) => ensure!(radii.iter().all(is_size), "the semi-axes must be positive"),
            Self::Capsule { radius, height } => {
                ensure!(is_size(radius) && is_size(height), "the capsule's radius and height must be positive");
                ensure!(*height >= 2.0 * radius, "the capsule must be at least as high as wide");
            }
        }
        Ok(())
    }

    /// The same, larger by a skin on all sides.
    pub(super) fn grown(&self, skin: f64) -> Self {
        match *self {
            Self::Ellipsoid(radii) => Self::Ellipsoid(radii.map(|r| r + skin)),
            Self::Capsule { radius, height } => Self::Capsule { radius: radius + skin, height: height + 2.0 * skin },
        }
    }

    /// Half the size of the box around it.
    pub(crate) fn half_extents(&self) -> Vector3<f64> {
        match *self {
            Self::Ellipsoid(radii) => radii.into(),
            Self::Capsule { radius, height } => Vector3::new(radius, height / 2.0, radius),
        }
    }

    /// From the centre to the lowest point, in metres.
    pub(crate) fn half_height(&self) -> f64 {
        self.half_extents().y
    }

    /// From the centre to a plane that the body touches, by the plane's unit normal.
    pub(super) fn reach(&self, normal: &Vector3<f64>) -> f64 {
        match *self {
            Self::Ellipsoid(radii) => normal.component_mul(&Vector3::from(radii)).norm(),
            Self::Capsule { radius, height } => radius + (height / 2.0 - radius) * normal.y.abs(),
        }
    }

    /// The unit normal, from outside to the body, at a point of its surface or near it, relative to the centre.
    pub(super) fn normal_at(&self, point: &Vector3<f64>) -> Vector3<f64> {
        let outwards = match *self {
            Self::Ellipsoid(radii) => {
                let radii = Vector3::from(radii);
                point.component_div(&radii).component_div(&radii)
            }
            Self::Capsule { radius, height } => {
                let half_axis = height / 2.0 - radius;
                point - Vector3::y() * point.y.clamp(-half_axis, half_axis)
            }
        };
        -outwards.try_normalize(0.0).unwrap_or(-Vector3::y())
    }

    /// How deep the body with its centre at `center` is in a triangle.
    ///
    /// For an ellipsoid, with `q` the triangle's point next to the centre after dividing each axis by its semi-axis, and `d`
    /// its distance there: `(1 − d) / |q / d / radii|`, the way out along the normal where `q` is inside a face.
    pub(super) fn overlap(&self, center: &Point3<f64>, triangle: &Corners) -> Overlap {
        match *self {
            Self::Ellipsoid(radii) => {
                let radii = Vector3::from(radii);
                let scaled = triangle.map(|vertex| Point3::from((vertex - center).component_div(&radii)));
                let q = on_triangle(&Point3::origin(), &scaled).coords;
                let distance = q.norm();
                let depth = match q.try_normalize(0.0) {
                    Some(way) => (1.0 - distance) / way.component_div(&radii).norm(),
                    None => radii.min(),
                };
                Overlap { depth, point: center + q.component_mul(&radii) }
            }
            Self::Capsule { radius, height } => {
                let half_axis = Vector3::y() * (height / 2.0 - radius);
                let (axis, point) = segment_and_triangle([center - half_axis, center + half_axis], triangle);
                Overlap { depth: radius - (axis - point).norm(), point }
            }
        }
    }

    /// The deepest overlap of the body at `center`; `None` if it is in nothing.
    pub(super) fn deepest(&self, grid: &Grid, center: &Point3<f64>) -> Option<Overlap> {
        let mut deepest: Option<Overlap> = None;
        let reach = self.half_extents();
        grid.each_near(&(center - reach), &(center + reach), |triangle| {
            let overlap = self.overlap(center, triangle);
            if overlap.depth > deepest.map_or(0.0, |deepest| deepest.depth) {
                deepest = Some(overlap);
            }
        });
        deepest
    }

    /// Whether the body at `center` is nowhere deeper than `tolerance` in a triangle.
    pub(super) fn is_free(&self, grid: &Grid, center: &Point3<f64>, tolerance: f64) -> bool {
        let reach = self.half_extents();
        !grid.any_near(&(center - reach), &(center + reach), |t| self.overlap(center, t).depth > tolerance)
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::point;

    use super::*;

    const FLOOR: Corners = [point![-9.0, 0.0, -9.0], point![0.0, 0.0, 9.0], point![9.0, 0.0, -9.0]];
    const BODIES: [Body; 2] = [Body::Ellipsoid([0.4, 0.9, 0.4]), Body::Capsule { radius: 0.4, height: 1.8 }];

    #[test]
    fn depths_and_gaps_are_metres() {
        for body in BODIES {
            for height in [0.85, 0.9, 0.97] {
                let overlap = body.overlap(&point![0.3, height, 0.2], &FLOOR);
                assert!((overlap.depth - (0.9 - height)).abs() < 1e-12, "{body:?} at {height}: {overlap:?}");
                assert!((overlap.point - point![0.3, 0.0, 0.2]).norm() < 1e-12);
            }
        }
    }

    #[test]
    fn a_body_stands_on_a_slope_at_its_reach() {
        let normal = Vector3::new(0.6, 0.8, 0.0);
        let along = Vector3::new(-0.8, 0.6, 0.0);
        let slope = [-9.0, 9.0, 9.0].into_iter().zip([-9.0, 0.0, 9.0]).collect::<Vec<_>>();
        let slope: Vec<Point3<f64>> = slope.iter().map(|(s, z)| Point3::from(along * *s + Vector3::z() * *z)).collect();
        let slope = [slope[0], slope[1], slope[2]];
        for body in BODIES {
            let center = Point3::from(normal * body.reach(&normal) + along);
            assert!(body.overlap(&center, &slope).depth.abs() < 1e-12, "{body:?}");
        }
    }

    #[test]
    fn sizes_are_checked() {
        assert!(Body::Ellipsoid([0.4, 0.0, 0.4]).check().is_err());
        assert!(Body::Capsule { radius: 0.4, height: 0.7 }.check().is_err());
        assert!(Body::Capsule { radius: 0.4, height: 0.8 }.check().is_ok());
    }
}

//! [`Body`]: upright ellipsoids or a capsule, how deep it is in a triangle, and whether there is room for it.

use anyhow::{Result, ensure};
use nalgebra::{Point3, Vector3};
use serde::{Deserialize, Serialize};

use super::{
    closest::{Corners, on_triangle, segment_and_triangle},
    grid::Grid,
};
use crate::vector::parse_vector;

/// What moves, without its skin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    /// Several ellipsoids. What is said of the centre holds for the point from where their offsets are.
    Parts(Vec<Part>),
}

/// An ellipsoid of a body of several.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Part {
    /// Semi-axes along x, y and z, in metres.
    pub(crate) radii: [f64; 3],
    /// From the body's position to the ellipsoid's centre, in metres.
    pub(crate) offset: [f64; 3],
}

/// Reads `rx,ry,rz`, or `rx,ry,rz@x,y,z`.
pub(crate) fn parse_part(text: &str) -> Result<Part, String> {
    let (radii, offset) = text.split_once('@').unwrap_or((text, "0,0,0"));
    Ok(Part { radii: parse_vector(radii)?.into(), offset: parse_vector(offset)?.into() })
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
            Self::Parts(parts) => {
                ensure!(!parts.is_empty(), "a body needs at least one part");
                for part in parts {
                    part.alone().check()?;
                    ensure!(part.offset.iter().all(|x| x.is_finite()), "the offset of a part must be finite");
                }
            }
        }
        Ok(())
    }

    /// The same, larger by a skin on all sides.
    pub(super) fn grown(&self, skin: f64) -> Self {
        match self {
            Self::Ellipsoid(radii) => Self::Ellipsoid(radii.map(|r| r + skin)),
            Self::Capsule { radius, height } => Self::Capsule { radius: radius + skin, height: height + 2.0 * skin },
            Self::Parts(parts) => {
                let grown = |part: &Part| Part { radii: part.radii.map(|r| r + skin), ..*part };
                Self::Parts(parts.iter().map(grown).collect())
            }
        }
    }

    /// The convex bodies of which it is made, and where their centres are from its own.
    pub(super) fn convex(&self) -> impl Iterator<Item = (Self, Vector3<f64>)> {
        let parts: &[Part] = if let Self::Parts(parts) = self { parts } else { &[] };
        let whole = parts.is_empty().then(|| (self.clone(), Vector3::zeros()));
        whole.into_iter().chain(parts.iter().map(|part| (part.alone(), part.offset.into())))
    }

    /// Half the size of the box around it that has its middle at the centre.
    pub(crate) fn half_extents(&self) -> Vector3<f64> {
        match self {
            Self::Ellipsoid(radii) => (*radii).into(),
            Self::Capsule { radius, height } => Vector3::new(*radius, height / 2.0, *radius),
            Self::Parts(parts) => parts.iter().fold(Vector3::zeros(), |most, part| {
                most.sup(&(Vector3::from(part.radii) + Vector3::from(part.offset).abs()))
            }),
        }
    }

    /// From the centre to the lowest point, in metres.
    pub(crate) fn half_height(&self) -> f64 {
        self.reach(&Vector3::y())
    }

    /// From the centre to the highest point, in metres.
    pub(crate) fn height_above(&self) -> f64 {
        self.reach(&-Vector3::y())
    }

    /// From the centre to a plane that the body touches, by the plane's unit normal on the body's side.
    pub(super) fn reach(&self, normal: &Vector3<f64>) -> f64 {
        match self {
            Self::Ellipsoid(radii) => normal.component_mul(&Vector3::from(*radii)).norm(),
            Self::Capsule { radius, height } => radius + (height / 2.0 - radius) * normal.y.abs(),
            Self::Parts(parts) => {
                let reach = |part: &Part| part.alone().reach(normal) - normal.dot(&Vector3::from(part.offset));
                parts.iter().map(reach).fold(f64::NEG_INFINITY, f64::max)
            }
        }
    }

    /// The unit normal, from outside to the body, at a point of its surface or near it, relative to the centre.
    pub(super) fn normal_at(&self, point: &Vector3<f64>) -> Vector3<f64> {
        let outwards = match self {
            Self::Ellipsoid(radii) => {
                let radii = Vector3::from(*radii);
                point.component_div(&radii).component_div(&radii)
            }
            // That of the part to which the point belongs: in it it is deepest.
            Self::Parts(parts) => {
                let off = |part: &Part| {
                    let from_center: Vector3<f64> = point - Vector3::from(part.offset);
                    from_center.component_div(&Vector3::from(part.radii)).norm()
                };
                let nearest = parts.iter().min_by(|a, b| off(a).total_cmp(&off(b)));
                let normal = |part: &Part| part.alone().normal_at(&(point - Vector3::from(part.offset)));
                return nearest.map_or(-Vector3::y(), normal);
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
        match self {
            Self::Ellipsoid(radii) => {
                let radii = Vector3::from(*radii);
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
            Self::Parts(parts) => {
                let each =
                    parts.iter().map(|part| part.alone().overlap(&(center + Vector3::from(part.offset)), triangle));
                let deeper = |a: Overlap, b: Overlap| if b.depth > a.depth { b } else { a };
                each.reduce(deeper).unwrap_or(Overlap { depth: f64::NEG_INFINITY, point: *center })
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

impl Part {
    /// The same as a body of its own.
    fn alone(&self) -> Body {
        Body::Ellipsoid(self.radii)
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::point;

    use super::*;

    const FLOOR: Corners = [point![-9.0, 0.0, -9.0], point![0.0, 0.0, 9.0], point![9.0, 0.0, -9.0]];
    const BODIES: [Body; 2] = [Body::Ellipsoid([0.4, 0.9, 0.4]), Body::Capsule { radius: 0.4, height: 1.8 }];

    /// Legs that are as high as the ellipsoid of the bodies above, and a head in front.
    fn with_head() -> Body {
        let legs = Part { radii: [0.3, 0.6, 0.3], offset: [0.0, -0.3, 0.0] };
        let head = Part { radii: [0.2, 0.2, 0.2], offset: [0.3, 0.7, 0.0] };
        Body::Parts(vec![legs, head])
    }

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
        for body in BODIES.into_iter().chain([with_head()]) {
            let center = Point3::from(normal * body.reach(&normal) + along);
            assert!(body.overlap(&center, &slope).depth.abs() < 1e-12, "{body:?}");
        }
    }

    #[test]
    fn several_parts_are_as_deep_as_the_deepest_and_each_needs_its_room() {
        let body = with_head();
        assert!((body.half_height() - 0.9).abs() < 1e-12 && (body.height_above() - 0.9).abs() < 1e-12);
        // A beam at the height of the head, in front of the centre: only the head meets it.
        let beam = [point![0.55, 0.7, -9.0], point![0.55, 0.7, 9.0], point![9.0, 0.7, 0.0]];
        let overlap = body.overlap(&point![0.1, 0.0, 0.0], &beam);
        assert!((overlap.depth - 0.05).abs() < 1e-12, "{overlap:?}");
        let normal = body.normal_at(&(overlap.point - point![0.1, 0.0, 0.0]));
        assert!((normal + Vector3::x()).norm() < 1e-12, "{normal}");
        let grid = Grid::of(vec![beam]);
        assert!(body.is_free(&grid, &point![0.04, 0.0, 0.0], 1e-3));
        assert!(!body.is_free(&grid, &point![0.06, 0.0, 0.0], 1e-3));
        assert!(body.is_free(&grid, &point![0.06, 0.3, 0.0], 1e-3), "over the head");
    }

    #[test]
    fn sizes_are_checked() {
        assert!(Body::Ellipsoid([0.4, 0.0, 0.4]).check().is_err());
        assert!(Body::Capsule { radius: 0.4, height: 0.7 }.check().is_err());
        assert!(Body::Parts(Vec::new()).check().is_err());
        let flat = Part { radii: [0.4, 0.0, 0.4], offset: [0.0; 3] };
        assert!(Body::Parts(vec![flat]).check().is_err());
        assert!(with_head().check().is_ok());
        assert!(Body::Capsule { radius: 0.4, height: 0.8 }.check().is_ok());
    }
}

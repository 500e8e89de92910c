//! A case seen in a turned, mirrored or scaled world: the question goes there, the answer comes back.

use nalgebra::{Matrix3, Point3, Rotation3, UnitQuaternion, Vector3};
use sidle::{Contact, Ellipsoid, Feature, Real, StartOverlap, Sweep, Triangle, sweep::sweep_triangle};

use super::{EPS, wide};

/// An orthogonal map and a scale, by which everything is seen.
pub(super) struct Scene {
    pub(super) name: String,
    linear: Matrix3<f64>,
    scale: f64,
    /// By which the body is turned; an ellipsoid does not notice a mirror along its axes.
    body: UnitQuaternion<f64>,
    /// Rounding of the rotation matrix that the library makes of the quaternion, relative.
    matrix_rounding: f64,
    /// Rounding of the inputs when they are seen, relative to the largest coordinate.
    input_rounding: f64,
}

impl Scene {
    /// The world as it is in the file.
    pub(super) fn plain() -> Self {
        Self {
            name: "plain".into(),
            linear: Matrix3::identity(),
            scale: 1.0,
            body: UnitQuaternion::identity(),
            matrix_rounding: 0.0,
            input_rounding: 0.0,
        }
    }

    /// Everything larger by a power of two: no number rounds.
    pub(super) fn scaled(exponent: i32) -> Self {
        Self { name: format!("times 2^{exponent}"), scale: 2.0_f64.powi(exponent), ..Self::plain() }
    }

    /// The seven mirrors along the axes: no number rounds, and the body is its own mirror image.
    pub(super) fn mirrored() -> impl Iterator<Item = Self> {
        (1..8).map(|axes| {
            let signs = Vector3::from_fn(|axis, _| if axes >> axis & 1 == 1 { -1.0 } else { 1.0 });
            Self { name: format!("mirrored {axes:03b}"), linear: Matrix3::from_diagonal(&signs), ..Self::plain() }
        })
    }

    /// The 48 ways to put the axes on one another, 24 turns and their mirror images. The inputs do not round, but the
    /// quaternion of a quarter turn is irrational.
    pub(super) fn turned() -> impl Iterator<Item = Self> {
        let orders = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
        orders.into_iter().flat_map(|order| (0..8).map(move |signs| (order, signs))).map(|(order, signs)| {
            let mut linear = Matrix3::zeros();
            for axis in 0..3 {
                linear[(order[axis], axis)] = if signs >> axis & 1 == 1 { -1.0 } else { 1.0 };
            }
            // The library's matrix has at most three roundings in each of the products of the quaternion's numbers, which
            // themselves are off by one: about 8 in all.
            Self { matrix_rounding: 8.0 * EPS, ..Self::orthogonal(format!("turned {order:?} {signs:03b}"), linear) }
        })
    }

    /// Rotations of rational numbers about skew axes. Nearly all inputs round.
    pub(super) fn pythagorean() -> impl Iterator<Item = Self> {
        let quaternions = [[2.0, 1.0, 0.0, 0.0], [2.0, 0.0, 1.0, 0.0], [3.0, 0.0, 0.0, 1.0], [1.0, 2.0, 2.0, 4.0]];
        quaternions.into_iter().map(|[w, x, y, z]| {
            let body = UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(w, x, y, z));
            let norm: f64 = w * w + x * x + y * y + z * z;
            // Whole numbers over a whole number: one rounding each.
            let linear = Matrix3::new(
                w * w + x * x - y * y - z * z,
                2.0 * (x * y - w * z),
                2.0 * (x * z + w * y),
                2.0 * (x * y + w * z),
                w * w - x * x + y * y - z * z,
                2.0 * (y * z - w * x),
                2.0 * (x * z - w * y),
                2.0 * (y * z + w * x),
                w * w - x * x - y * y + z * z,
            ) / norm;
            Self {
                name: format!("turned by ({w}, {x}, {y}, {z})"),
                linear,
                body,
                matrix_rounding: 8.0 * EPS,
                // Three products and two sums a coordinate, there and back.
                input_rounding: 8.0 * EPS,
                ..Self::plain()
            }
        })
    }

    fn orthogonal(name: String, linear: Matrix3<f64>) -> Self {
        // An ellipsoid is its own image through its centre, which makes a rotation of a mirror.
        let turn = if linear.determinant() < 0.0 { -linear } else { linear };
        let body = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(turn));
        Self { name, linear, body, ..Self::plain() }
    }

    /// Whether inputs round on the way.
    pub(super) fn rounds(&self) -> bool {
        self.input_rounding > 0.0
    }

    /// How far points in unit space may be off by what rounds on the way: `reach` is how far from the centre they are,
    /// `ratio` the largest over the smallest semi-axis, `coordinate` the largest coordinate in smallest semi-axes.
    ///
    /// A relative error `e` of the rotation shears unit space by `e` times the ratio.
    pub(super) fn unit_error(&self, reach: f64, ratio: f64, coordinate: f64) -> f64 {
        self.matrix_rounding * ratio * reach + self.input_rounding * coordinate
    }

    fn see<T: Real>(&self, x: &Vector3<f64>) -> Vector3<T> {
        (self.linear * x * self.scale).map(T::nearest)
    }

    fn see_back(&self, x: &Vector3<f64>) -> Vector3<f64> {
        self.linear.tr_mul(x) / self.scale
    }
}

/// A body, its way, and a triangle, as in the file.
pub(super) struct Question {
    pub(super) radii: Vector3<f64>,
    pub(super) from: Point3<f64>,
    pub(super) motion: Vector3<f64>,
    pub(super) triangle: Triangle<f64>,
}

/// What the library answers, seen back in the world of the file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Answer {
    pub(super) t: f64,
    pub(super) distance: f64,
    pub(super) point: Vector3<f64>,
    pub(super) normal: Vector3<f64>,
    pub(super) surface_normal: Vector3<f64>,
    pub(super) feature: Feature,
    pub(super) barycentrics: [f64; 3],
    pub(super) overlap: Option<f64>,
}

impl Answer {
    pub(super) fn of<T: Real>(scene: &Scene, contact: &Contact<T>) -> Self {
        let direction = |n: &Vector3<T>| scene.see_back(&wide(n)) * scene.scale;
        Self {
            t: contact.fraction.to_f64(),
            distance: contact.distance.to_f64() / scene.scale,
            point: scene.see_back(&wide(&contact.point.coords)),
            normal: direction(&contact.normal),
            surface_normal: direction(&contact.surface_normal),
            feature: contact.feature,
            barycentrics: contact.barycentrics.map(Real::to_f64),
            overlap: contact.overlap.map(|depth| depth.to_f64() / scene.scale),
        }
    }
}

impl Question {
    pub(super) fn body<T: Real>(&self, scene: &Scene) -> Ellipsoid<T> {
        let radii = (self.radii * scene.scale).map(T::nearest);
        let rotation = scene.body.coords.map(T::nearest);
        Ellipsoid::turned(radii, UnitQuaternion::new_unchecked(rotation.into())).expect("a valid body")
    }

    pub(super) fn start<T: Real>(&self, scene: &Scene) -> Point3<T> {
        scene.see(&self.from.coords).into()
    }

    pub(super) fn seen_triangle<T: Real>(&self, scene: &Scene) -> Triangle<T> {
        let [a, b, c] = self.triangle.vertices().map(|v| Point3::from(scene.see(&v.coords)));
        Triangle::new(a, b, c)
    }

    pub(super) fn sweep<T: Real>(&self, scene: &Scene, overlaps: StartOverlap) -> Sweep {
        let sweep = Sweep::new(&self.body::<T>(scene), self.start(scene), scene.see(&self.motion));
        sweep.expect("a valid sweep").with_start_overlap(overlaps)
    }

    pub(super) fn ask<T: Real>(&self, scene: &Scene, overlaps: StartOverlap) -> Option<Answer> {
        let contact = sweep_triangle(&self.sweep::<T>(scene, overlaps), &self.seen_triangle::<T>(scene));
        contact.map(|contact| Answer::of(scene, &contact))
    }

    /// A vector of the world in unit space.
    pub(super) fn enter(&self, x: &Vector3<f64>) -> Vector3<f64> {
        x.component_div(&self.radii)
    }

    /// Distance of the centre to the triangle in unit space, after a part of the way.
    pub(super) fn unit_distance(&self, t: f64) -> f64 {
        let [a, b, c] = self.triangle.vertices().map(|v| Point3::from(self.enter(&(v - self.from))));
        Triangle::new(a, b, c).closest_point(&Point3::from(self.enter(&self.motion) * t)).distance
    }

    /// Largest over smallest semi-axis.
    pub(super) fn ratio(&self) -> f64 {
        self.radii.max() / self.radii.min()
    }
}

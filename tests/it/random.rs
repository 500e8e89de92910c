//! Numbers that look random and are the same in every run.

use nalgebra::{Point3, UnitQuaternion, Vector3};
use sidle::{Aabb3, Ellipsoid, Real, Sweep, TriMesh};

/// The generator splitmix64 (Steele, Lea and Flood 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// At least `low`, less than `high`.
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    /// Uniform on the sphere, by rejection.
    pub(crate) fn direction(&mut self) -> Vector3<f64> {
        loop {
            let v = Vector3::from_fn(|_, _| self.between(-1.0, 1.0));
            if (1e-3..=1.0).contains(&v.norm_squared()) {
                return v.normalize();
            }
        }
    }

    pub(crate) fn rotation<T: Real>(&mut self) -> UnitQuaternion<T> {
        let q = nalgebra::Vector4::from_fn(|_, _| self.between(-1.0, 1.0));
        UnitQuaternion::from_quaternion(nalgebra::Quaternion::from(q.map(T::nearest)))
    }

    pub(crate) fn point_in<T: Real>(&mut self, bounds: &Aabb3<T>) -> Point3<f64> {
        Point3::from(Vector3::from_fn(|axis, _| self.between(bounds.min[axis].to_f64(), bounds.max[axis].to_f64())))
    }

    /// A point within `distance` of a triangle of the mesh.
    pub(crate) fn point_near<T: Real>(&mut self, mesh: &TriMesh<T>, distance: f64) -> Point3<f64> {
        let triangle = mesh.triangle(self.below(mesh.len()) as u32);
        let center = triangle.vertices().iter().fold(Vector3::zeros(), |sum, v| sum + v.coords.map(Real::to_f64)) / 3.0;
        Point3::from(center + self.direction() * self.between(0.0, distance))
    }

    /// A sweep that is likely to have something to do with the mesh.
    pub(crate) fn sweep<T: Real>(&mut self, mesh: &TriMesh<T>) -> Sweep {
        let body = Ellipsoid::turned(Vector3::from_fn(|_, _| T::nearest(self.between(0.1, 1.0))), self.rotation());
        let start = if self.below(3) == 0 { self.point_in(&mesh.bounds()) } else { self.point_near(mesh, 3.0) };
        let length = [0.1, 1.0, 10.0][self.below(3)];
        let motion = self.direction() * self.between(0.0, length);
        Sweep::new(&body.expect("good radii"), start.map(T::nearest), motion.map(T::nearest)).expect("good numbers")
    }
}

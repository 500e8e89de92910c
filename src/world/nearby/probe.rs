//! Questions about the triangles near a body that need no sweep: what meets a box, how walkable a place is, what a ray meets.

use nalgebra::{Point3, Vector3};

use super::{Nearby, WorldTriangle};
use crate::{
    shape::{Aabb3, Triangle},
    wide::dispatch,
    world::debug::DebugEventKind,
};

impl Nearby {
    /// The triangles whose boxes meet a box, and possibly a few that only come close; in no order.
    pub fn in_box(&self, bounds: Aabb3<f64>) -> impl Iterator<Item = &WorldTriangle> {
        self.note(&bounds);
        self.packed.near(self.level, bounds).map(|index| &self.triangles[index])
    }

    /// Looks at the triangles whose boxes meet a box, and possibly at a few that only come close, until one is what is looked for.
    #[inline(always)]
    pub(super) fn find_in_box<'a, R>(
        &'a self,
        bounds: &Aabb3<f64>,
        mut visit: impl FnMut(&'a WorldTriangle) -> Option<R>,
    ) -> Option<R> {
        self.note(bounds);
        let look = |index: usize| visit(&self.triangles[index]);
        dispatch!(self.level.0, simd => self.packed.find_near(simd, bounds, look))
    }

    /// The normal of the most walkable face that meets a point: the one with the largest part along `up`, each turned to
    /// the side of `normal`. `None` where no triangle within `tolerance` has an area.
    pub fn most_walkable_normal(
        &self,
        point: Point3<f64>,
        normal: &Vector3<f64>,
        up: &Vector3<f64>,
        tolerance: f64,
    ) -> Option<Vector3<f64>> {
        let mut best: Option<(f64, &WorldTriangle, Vector3<f64>)> = None;
        self.find_in_box(&about(&point, tolerance), |near| {
            let face = near.triangle.unit_normal()?;
            let face = if face.dot(normal) < 0.0 { -face } else { face };
            let rise = face.dot(up);
            let is_better = best.is_none_or(|(most, other, _)| rise > most || (rise == most && near.id() < other.id()));
            if is_better && comes_within(&near.triangle, &point, tolerance) {
                best = Some((rise, near, face));
            }
            None::<()>
        });
        best.map(|(_, _, face)| face)
    }

    /// The first triangle that a ray meets, at a parameter of at most 1: the parameter and the normal on the ray's side.
    pub fn cast_ray(&self, origin: &Point3<f64>, way: &Vector3<f64>) -> Option<(f64, Vector3<f64>)> {
        let bounds = Aabb3 { min: *origin, max: *origin }.swept(way);
        let mut best: Option<(f64, &WorldTriangle, Vector3<f64>)> = None;
        self.find_in_box(&bounds, |near| {
            if let Some(hit) = crate::shape::ray::cast_triangle(origin, way, &near.triangle)
                && hit.t <= 1.0
                && best.is_none_or(|(t, other, _)| hit.t < t || (hit.t == t && near.id() < other.id()))
            {
                best = Some((hit.t, near, hit.normal));
            }
            None::<()>
        });
        let hit = best.map(|(t, _, normal)| (t, normal));
        self.recorder.note(|| DebugEventKind::Probe { origin: *origin, way: *way, hit });
        hit
    }
}

/// The box around all that comes within `tolerance` of a point.
pub(super) fn about(point: &Point3<f64>, tolerance: f64) -> Aabb3<f64> {
    Aabb3 { min: *point, max: *point }.grow(&Vector3::repeat(tolerance))
}

/// Whether a triangle comes within `tolerance` of a point.
pub(super) fn comes_within(triangle: &Triangle<f64>, point: &Point3<f64>, tolerance: f64) -> bool {
    triangle.closest_point_f64(point).distance <= tolerance
}

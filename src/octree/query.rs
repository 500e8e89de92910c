//! The queries: each is a bound for boxes and a look at the triangles of a packet.

use nalgebra::{Point3, Unit, Vector3};

use super::{
    MeshHit, MeshPoint, MeshRayHit, Octree, Visits,
    traverse::{DistanceBound, OverlapBound, SlabBound},
};
use crate::{
    mesh::TriMesh,
    real::{Real, narrow, narrow_point, widen, widen_point},
    shape::{Aabb3, ClosestPoint, Ray3, Triangle, ray::ExactRayHit, ray::cast_triangle},
    sweep::{
        StartOverlap, Sweep,
        packet::{TrianglePacket, WideBody},
        triangle::UnitContact,
    },
    wide::set_bits,
};

/// A contact in unit space, with the triangle.
pub(crate) type UnitHit = (UnitContact, u32);

impl<T: Real> Octree<T> {
    /// The first triangle that the body touches on its way.
    ///
    /// Of equal contacts the lowest triangle id wins; of several overlaps at the start the deepest in unit space.
    #[doc(alias = "shape_cast")]
    pub fn sweep(&self, sweep: &Sweep) -> Option<MeshHit<T>> {
        self.sweep_counted(sweep, &mut Visits::default())
    }

    /// As [`Octree::sweep`]; also adds the work done to `visits`.
    pub fn sweep_counted(&self, sweep: &Sweep, visits: &mut Visits) -> Option<MeshHit<T>> {
        self.first_contact(sweep, 1.0, visits).map(|hit| mesh_hit(&self.mesh, sweep, &hit))
    }

    /// The first contact within `limit` of the motion, in unit space.
    pub(crate) fn first_contact(&self, sweep: &Sweep, limit: f64, visits: &mut Visits) -> Option<UnitHit> {
        let body = WideBody::new(&(sweep.start - self.origin), &sweep.motion, sweep.space.unit_axes(), self.extent);
        let bound = self.slab_bound(sweep);
        let mut best: Option<UnitHit> = None;
        self.nearest_first(
            above(limit),
            visits,
            |node, limit| bound.entries(node, limit),
            |packet, _, visits| {
                for triangle in candidates(packet, &body, visits) {
                    let limit = best.map_or(limit, |(contact, _)| contact.fraction);
                    let touch = sweep.touch(&self.mesh.triangle(triangle).widen(), self.mesh.sides(), limit);
                    best = earlier(best, touch.map(|contact| (contact, triangle)));
                }
                above(best.map_or(limit, |(contact, _)| contact.fraction))
            },
        );
        best
    }

    /// Every triangle that the body touches on its way, at the time at which it touches that one alone; in no order.
    pub fn each_contact(&self, sweep: &Sweep, mut visit: impl FnMut(MeshHit<T>)) {
        self.each_unit_contact(sweep, |hit| {
            visit(mesh_hit(&self.mesh, sweep, &hit));
            true
        });
    }

    /// Hands out contacts until `visit` returns false.
    pub(crate) fn each_unit_contact(&self, sweep: &Sweep, mut visit: impl FnMut(UnitHit) -> bool) {
        let body = WideBody::new(&(sweep.start - self.origin), &sweep.motion, sweep.space.unit_axes(), self.extent);
        let bound = self.slab_bound(sweep);
        self.nearest_first(
            1.0,
            &mut Visits::default(),
            |node, limit| bound.entries(node, limit),
            |packet, limit, visits| {
                for triangle in candidates(packet, &body, visits) {
                    let touch = sweep.touch(&self.mesh.triangle(triangle).widen(), self.mesh.sides(), 1.0);
                    if let Some(contact) = touch
                        && !visit((contact, triangle))
                    {
                        return NOTHING_MORE;
                    }
                }
                limit
            },
        );
    }

    /// Every triangle that a still body overlaps, with depth and normal; in no order. Touching is no overlap.
    ///
    /// The sweep's motion does not matter.
    pub fn each_overlap(&self, body: &Sweep, visit: impl FnMut(MeshHit<T>)) {
        self.each_contact(&body.still(), visit);
    }

    /// Whether a still body overlaps nothing. The sweep's motion does not matter.
    pub fn has_room(&self, body: &Sweep) -> bool {
        let mut is_free = true;
        self.each_unit_contact(&body.still(), |_| {
            is_free = false;
            false
        });
        is_free
    }

    /// The first triangle that a ray meets, from either side, at a parameter of at most `max_t`.
    #[doc(alias = "raycast")]
    pub fn cast_ray(&self, ray: &Ray3<T>, max_t: T) -> Option<MeshRayHit<T>> {
        self.cast_ray_counted(ray, max_t, &mut Visits::default())
    }

    /// As [`Octree::cast_ray`]; also adds the work done to `visits`.
    pub fn cast_ray_counted(&self, ray: &Ray3<T>, max_t: T, visits: &mut Visits) -> Option<MeshRayHit<T>> {
        let (origin, direction) = (widen_point(&ray.origin()), widen(&ray.direction()));
        let hit = self.first_ray_hit(&origin, &direction, max_t.to_f64(), visits)?;
        Some(mesh_ray_hit(&self.mesh, &hit))
    }

    /// The first hit of a ray, before rounding.
    pub(crate) fn first_ray_hit(
        &self,
        origin: &Point3<f64>,
        direction: &Vector3<f64>,
        max_t: f64,
        visits: &mut Visits,
    ) -> Option<(ExactRayHit, u32)> {
        let mut best: Option<(ExactRayHit, u32)> = None;
        self.each_packet_on_ray(origin, direction, max_t, visits, |packet, body, visits| {
            for triangle in candidates(packet, body, visits) {
                let hit = cast_triangle(origin, direction, &self.mesh.triangle(triangle).widen());
                if let Some(hit) = hit.filter(|hit| hit.t <= max_t) {
                    best = nearer(best.take(), (hit, triangle));
                }
            }
            best.as_ref().map_or(max_t, |(hit, _)| hit.t)
        });
        best
    }

    /// Whether a ray meets anything at a parameter of at most `max_t`; cheaper than the first hit.
    pub fn is_ray_blocked(&self, ray: &Ray3<T>, max_t: T) -> bool {
        let mut is_blocked = false;
        self.each_ray_hit_until(ray, max_t, |_| {
            is_blocked = true;
            false
        });
        is_blocked
    }

    /// Every triangle that a ray meets at a parameter of at most `max_t`; in no order.
    pub fn each_ray_hit(&self, ray: &Ray3<T>, max_t: T, mut visit: impl FnMut(MeshRayHit<T>)) {
        self.each_ray_hit_until(ray, max_t, |hit| {
            visit(mesh_ray_hit(&self.mesh, &hit));
            true
        });
    }

    fn each_ray_hit_until(&self, ray: &Ray3<T>, max_t: T, mut visit: impl FnMut((ExactRayHit, u32)) -> bool) {
        let (origin, direction) = (widen_point(&ray.origin()), widen(&ray.direction()));
        let max_t = max_t.to_f64();
        self.each_packet_on_ray(&origin, &direction, max_t, &mut Visits::default(), |packet, body, visits| {
            for triangle in candidates(packet, body, visits) {
                let hit = cast_triangle(&origin, &direction, &self.mesh.triangle(triangle).widen());
                if let Some(hit) = hit.filter(|hit| hit.t <= max_t)
                    && !visit((hit, triangle))
                {
                    return f64::NEG_INFINITY;
                }
            }
            max_t
        });
    }

    /// Visits packets along a ray, nearest first; `visit` returns the largest parameter that is still of interest.
    ///
    /// For culling the ray ends where it has left the mesh for certain, so that it is a motion whose shares are in `0..=1`.
    fn each_packet_on_ray(
        &self,
        origin: &Point3<f64>,
        direction: &Vector3<f64>,
        max_t: f64,
        visits: &mut Visits,
        mut visit: impl FnMut(&TrianglePacket, &WideBody, &mut Visits) -> f64,
    ) {
        if max_t.is_nan() || max_t < 0.0 {
            return;
        }
        let center = origin - self.origin;
        let end = max_t.min((center.norm() + 2.0 * self.extent) * 1.001 / direction.norm());
        let motion = direction * end;
        let share = |t: f64| if end > 0.0 { above((t / end).min(1.0)) } else { t.signum() as f32 };
        let body = WideBody::new(&center, &motion, &nalgebra::Matrix3::zeros(), self.extent);
        let bound = SlabBound::new(&center, &motion, &Vector3::zeros(), self.extent);
        self.nearest_first(
            1.0,
            visits,
            |node, limit| bound.entries(node, limit),
            |packet, _, visits| share(visit(packet, &body, visits)),
        );
    }

    /// The point of the mesh that is nearest to `point`, within `max_distance` metres (infinity is allowed).
    ///
    /// A `point` that is not finite has no nearest one.
    pub fn closest_point(&self, point: Point3<T>, max_distance: T) -> Option<MeshPoint<T>> {
        self.closest_point_counted(point, max_distance, &mut Visits::default())
    }

    /// As [`Octree::closest_point`]; also adds the work done to `visits`.
    pub fn closest_point_counted(
        &self,
        point: Point3<T>,
        max_distance: T,
        visits: &mut Visits,
    ) -> Option<MeshPoint<T>> {
        let point = widen_point(&point);
        let measure = |triangle: &Triangle<f64>| triangle.closest_point_f64(&point);
        let best = self.closest(&point, 1.0, max_distance.to_f64(), visits, measure);
        best.map(|hit| mesh_point(&self.mesh, &hit))
    }

    /// The closest triangle by `measure`, a distance that is at least `least_scale` times that in the mesh.
    pub(crate) fn closest(
        &self,
        point: &Point3<f64>,
        least_scale: f64,
        max_distance: f64,
        visits: &mut Visits,
        measure: impl Fn(&Triangle<f64>) -> ClosestPoint<f64>,
    ) -> Option<(ClosestPoint<f64>, u32)> {
        let bound = DistanceBound::new(&(point - self.origin), self.extent);
        let cost = |distance: f64| above(distance / least_scale);
        let mut best: Option<(ClosestPoint<f64>, u32)> = None;
        self.nearest_first(
            cost(max_distance),
            visits,
            |node, _| bound.distances(node),
            |packet, _, visits| {
                for &triangle in packet.triangles() {
                    visits.triangles += 1;
                    let closest = measure(&self.mesh.triangle(triangle).widen());
                    if closest.distance <= max_distance {
                        best = closer(best, (closest, triangle));
                    }
                }
                cost(best.as_ref().map_or(max_distance, |(closest, _)| closest.distance))
            },
        );
        best
    }

    /// Every triangle whose own box meets a box; in no order.
    pub fn each_in_box(&self, bounds: &Aabb3<f64>, mut visit: impl FnMut(u32)) {
        let bound = OverlapBound::new(&(bounds.min - self.origin), &(bounds.max - self.origin));
        self.nearest_first(
            0.0,
            &mut Visits::default(),
            |node, _| bound.meets(node),
            |packet, limit, _| {
                for &triangle in packet.triangles() {
                    if self.mesh.triangle(triangle).widen().bounds().overlaps(bounds) {
                        visit(triangle);
                    }
                }
                limit
            },
        );
    }

    fn slab_bound(&self, sweep: &Sweep) -> SlabBound {
        SlabBound::new(&(sweep.start - self.origin), &sweep.motion, &sweep.space.half_extents(), self.extent)
    }
}

/// A limit that no cost meets.
const NOTHING_MORE: f32 = f32::NEG_INFINITY;

impl Sweep {
    /// The body where the sweep starts, not moving, with all its overlaps.
    fn still(&self) -> Self {
        let zero = Vector3::zeros();
        Self { motion: zero, unit_motion: zero, start_overlap: StartOverlap::Report, ..*self }
    }
}

/// The triangles of a packet that are not rejected.
fn candidates(packet: &TrianglePacket, body: &WideBody, visits: &mut Visits) -> impl Iterator<Item = u32> {
    let lanes = packet.candidates(body);
    visits.triangles += lanes.count_ones() as usize;
    set_bits(lanes).map(|lane| packet.triangle(lane))
}

/// The nearest `f32` that is not below `x`.
fn above(x: f64) -> f32 {
    let rounded = x as f32;
    if f64::from(rounded) < x { rounded.next_up() } else { rounded }
}

/// The one of two contacts that counts: by time, then by depth, then by triangle.
pub(super) fn earlier(a: Option<UnitHit>, b: Option<UnitHit>) -> Option<UnitHit> {
    let (Some(a), Some(b)) = (a, b) else { return a.or(b) };
    Some(if b.0.is_before(&a.0) || (b.0.ties_with(&a.0) && b.1 < a.1) { b } else { a })
}

/// The one of two ray hits that counts: by parameter, then by triangle.
pub(super) fn nearer(a: Option<(ExactRayHit, u32)>, b: (ExactRayHit, u32)) -> Option<(ExactRayHit, u32)> {
    Some(match a {
        Some(a) if (a.0.t, a.1) <= (b.0.t, b.1) => a,
        _ => b,
    })
}

/// The one of two closest points that counts: by distance, then by triangle.
pub(super) fn closer(
    a: Option<(ClosestPoint<f64>, u32)>,
    b: (ClosestPoint<f64>, u32),
) -> Option<(ClosestPoint<f64>, u32)> {
    Some(match a {
        Some(a) if (a.0.distance, a.1) <= (b.0.distance, b.1) => a,
        _ => b,
    })
}

pub(super) fn mesh_hit<T: Real>(mesh: &TriMesh<T>, sweep: &Sweep, (unit, triangle): &UnitHit) -> MeshHit<T> {
    let contact = sweep.leave(unit, &mesh.triangle(*triangle).widen()).cast();
    MeshHit { contact, triangle: *triangle, material: mesh.material(*triangle) }
}

pub(super) fn mesh_ray_hit<T: Real>(mesh: &TriMesh<T>, (hit, triangle): &(ExactRayHit, u32)) -> MeshRayHit<T> {
    MeshRayHit {
        t: T::nearest(hit.t),
        point: narrow_point(&mesh.triangle(*triangle).widen().at(&hit.barycentrics)),
        normal: Unit::new_unchecked(narrow(&hit.normal)),
        is_front: hit.is_front,
        barycentrics: hit.barycentrics.map(T::nearest),
        triangle: *triangle,
        material: mesh.material(*triangle),
    }
}

pub(super) fn mesh_point<T: Real>(mesh: &TriMesh<T>, (closest, triangle): &(ClosestPoint<f64>, u32)) -> MeshPoint<T> {
    MeshPoint {
        point: narrow_point(&closest.point),
        distance: T::nearest(closest.distance),
        feature: closest.feature,
        barycentrics: closest.barycentrics.map(T::nearest),
        triangle: *triangle,
        material: mesh.material(*triangle),
    }
}
